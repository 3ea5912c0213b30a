"""What each cause is called, and what happens there."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import assert_never

from eic_core import wording
from eic_core.engine.exact import MANY_DIGITS
from eic_core.explain import findings as facts
from eic_core.explain.findings import Cause, Extent, Way, Zero
from eic_core.explain.phrases import code_text
from eic_core.formula.tree import Formula
from eic_core.operators import OPERATORS, Operator
from eic_core.phrasing import Phrase, say


def _row(formula: Formula, node: int) -> Operator:
    return OPERATORS[formula.nodes[node].operator]


def label(cause: Cause, formula: Formula) -> Phrase:
    """The cause in a few words."""
    return _label_and_clause(cause, formula)[0]


def clause(cause: Cause, formula: Formula) -> Phrase:
    """What happens at its step, to follow a colon."""
    return _label_and_clause(cause, formula)[1]


def _label_and_clause(cause: Cause, formula: Formula) -> tuple[Phrase, Phrase]:
    match cause:
        case facts.Accumulated():
            return say("Accumulated rounding"), say("no single step below stands out")
        case facts.Cancellation():
            noun = _row(formula, cause.node).words.noun
            return say("Cancellation in a {noun}", noun=noun), _cancels(cause, noun)
        case facts.ZeroTerm():
            return say("Error of a term that is 0"), _zero_term(cause, formula)
        case facts.NearPole():
            name = _row(formula, cause.node).name
            return say("Near a pole"), say("it comes close to a pole of `{name}`", name=name)
        case facts.NearZero():
            return say("Near a zero"), _near_zero(cause, _row(formula, cause.node))
        case facts.NearZerosAndPoles():
            name = _row(formula, cause.node).name
            close = say("it comes close to zeros and poles of `{name}`", name=name)
            return say("Near zeros and poles"), close
        case facts.LargeArgument():
            return say("Large argument of {name}", name=_row(formula, cause.node).name), say(
                "its argument is large (up to {largest}, period {period})",
                largest=wording.significant(cause.largest),
                period=_length(cause.period),
            )
        case facts.GrowthOfLargeNumber():
            growth = _growth(_row(formula, cause.node))
            return say("{growth} of a large number", growth=wording.capital(growth)), say(
                "the {growth} multiplies errors by its argument (up to {largest})",
                growth=growth,
                largest=wording.significant(cause.largest),
            )
        case facts.LargeExponent():
            times = wording.significant(cause.times)
            return say("Large exponent"), (
                say("the power multiplies the relative error by {times}", times=times)
                if cause.is_exact
                else say("the power multiplies the relative error by about {times}", times=times)
            )
        case facts.ErrorInExponent():
            return say("Error in an exponent"), say(
                "an error in the exponent counts exponent × ln(base) times"
            )
        case facts.NearEdge():
            near = _row(formula, cause.node).words.near
            assert near is not None
            side = {1: "1", -1: "−1", 0: "±1"}[cause.side]
            return Phrase(wording.capital(near.label)), Phrase(near.clause_at(side))
        case facts.SteepStep():
            return say("Steep function"), _steep_step(cause, formula)
        case facts.OwnInaccuracy():
            return say("A function that is itself inexact"), say(
                "the library's own function is up to {digits} off",
                digits=wording.digits_phrase(cause.digits),
            )
        case facts.BeyondDoubles():
            return say("Values beyond double range"), say(
                "its operand cannot be computed in double precision at all"
            )
        case facts.NoDigitLeft():
            row = _row(formula, cause.node)
            return (
                say("Cancellation in a {noun}", noun=row.words.noun)
                if row.words.cancels
                else say("A singular point")
            ), _ways_to_zero(cause, row)
        case facts.OnThreshold():
            place = say("A zero") if cause.is_hinge else say("A jump")
            return place, _threshold(cause, formula)
        case facts.TurnedByRounding():
            return say("A jump within the noise"), say("a rounding")
        case facts.TurnedByRange():
            return say("A jump within the noise"), say("an over- or underflow")
        case facts.InfiniteSlope():
            return say("Infinitely steep"), say(
                "an error there, however small, is not passed on in proportion"
            )
        case facts.OutsideDomain():
            return say("Outside the real domain"), domain(formula, cause.node)
        case facts.NotTold():
            return say("Beyond what can be told"), say(
                "to 300 digits its operand may be where it has no value"
            )
        case facts.BeyondReduction():
            return say("Beyond what can be told"), (
                say("its divisor is too many times in its dividend to tell what is left")
                if _row(formula, cause.node).multiples
                else say("its argument is too large to be reduced")
            )
        case facts.BeyondEveryRange():
            return say("Beyond what can be told"), say("its value leaves every range of numbers")
        case facts.CheckEnded():
            return say("Not checked"), say(
                "the exact check ends after {rows} rows", rows=cause.checked
            )
        case facts.OutOfRange():
            rounded = cause.way in (Way.ROUNDED_TO_ZERO, Way.ROUNDED_OUT)
            kind = say("Rounded to no value") if rounded else say("Beyond double range")
            return kind, _way_of_range(cause.way)
        case facts.RangeCost():
            return say("A value beyond double range"), _way_of_range(cause.way)
    assert_never(cause)


def _cancels(cause: facts.Cancellation, noun: str) -> Phrase:
    if cause.pole:
        return say("the two terms cancel near a pole")
    match cause.extent:
        case Extent.EVERYWHERE:
            return say("the two terms cancel")
        case Extent.CROSSING:
            return say("the two terms cancel where the {noun} crosses zero", noun=noun)
        case Extent.NEARLY:
            return say("the two terms nearly cancel")
        case Extent.SOMEWHERE:
            return say("the two terms nearly cancel at some rows")


def _near_zero(cause: facts.NearZero, row: Operator) -> Phrase:
    if not cause.largest:
        return say("it comes close to a zero of `{name}`", name=row.name)
    largest = wording.significant(cause.largest)
    return say("it comes close to a zero at arguments up to {largest}", largest=largest)


def _way_of_range(way: Way) -> Phrase:
    match way:
        case Way.OVERFLOW:
            return say("overflows")
        case Way.UNDERFLOW:
            return say("underflows")
        case Way.ROUNDED_TO_ZERO:
            return say("is rounded to 0")
        case Way.ROUNDED_OUT:
            return say("is rounded out of the domain")
    assert_never(way)


def domain(formula: Formula, node: int) -> Phrase:
    """The reason why a node has no real value at some rows."""
    if not formula.nodes[node].children:
        return say("the formula gives none there")
    row = _row(formula, node)
    if row.power and row.needs_parameter:
        return _base(Fraction(formula.nodes[node].parameter or 0))
    if row.power:
        return say("with an inexact exponent the base must be positive, or 0 below a positive one")
    if row.words.invalid:
        return Phrase(row.words.invalid)
    return say("`{name}` has no real value for what it is given", name=row.name)


def _base(exponent: Fraction) -> Phrase:
    if exponent.denominator == 1:
        return say("the base is 0, and the exponent is negative")
    if exponent > 0:
        return say("the base is negative, and the exponent is not whole")
    return say("the base must be positive, for the exponent is neither whole nor positive")


def _growth(row: Operator) -> str:
    """What a function that grows like exp is called."""
    return row.words.family or (f"`{row.name}`" if row.words.noun == "step" else row.words.noun)


def _length(period: float) -> str:
    """A period, as a multiple of π for one or two.

    >>> _length(2 * math.pi), _length(math.pi), _length(2.0)
    ('2π', 'π', '2')
    """
    return {1.0: "π", 2.0: "2π"}.get(period / math.pi) or wording.significant(period)


def _zero_term(cause: facts.ZeroTerm, formula: Formula) -> Phrase:
    row = _row(formula, cause.node)
    if row.words.cancels:
        return say("one term is 0 and only brings its error")
    if row.power:
        return say("its exponent is 0 and only brings its error")
    if len(formula.nodes[cause.node].children) == 1:
        return say("its operand is 0 and only brings its error")
    return say("operand {number} is 0 and only brings its error", number=cause.operand + 1)


def _steep_step(cause: facts.SteepStep, formula: Formula) -> Phrase:
    times = wording.significant(cause.times)
    if cause.operand < 0:
        return say("it amplifies what it is given about {times} times", times=times)
    if len(formula.nodes[cause.node].children) == 1:
        return say("it multiplies relative errors by about {times}", times=times)
    return say(
        "it multiplies errors of operand {number} by about {times}",
        number=cause.operand + 1,
        times=times,
    )


def _ways_to_zero(cause: facts.NoDigitLeft, row: Operator) -> Phrase:
    first, *others = cause.ways
    ways = _zero(first, row)
    for other in others:
        ways = say("{first}, or {other}", first=ways, other=_other_zero(other))
    return ways


def _other_zero(way: Zero) -> Phrase:
    """A further way, at other rows."""
    match way:
        case Zero.NO_ANGLE:
            return say("has no angle")
        case Zero.TOO_MUCH:
            return say("errors add up")
        case _:
            return say("nearly")


def _zero(way: Zero, row: Operator) -> Phrase:
    match way:
        case Zero.EXACT:
            return Phrase(row.words.singular)
        case Zero.NEARLY:
            return Phrase(row.words.nearly)
        case Zero.DEEP:
            return say("{digits} digits cannot tell it from a singular point", digits=MANY_DIGITS)
        case Zero.NO_ANGLE:
            return say("its argument is too large to have an angle")
        case Zero.TOO_MUCH:
            return say("errors grow beyond 10³⁰ on the way to it")
    assert_never(way)


def _threshold(cause: facts.OnThreshold, formula: Formula) -> Phrase:
    node = formula.nodes[cause.node]
    condition = code_text(formula, node.children[0])
    if cause.is_hinge:
        return say(
            "both branches are 0 where {condition} turns, row {row} first",
            condition=condition,
            row=cause.first_row,
        )
    chooses = OPERATORS[node.operator].chooses
    jump = say("the jump of {condition}", condition=condition) if chooses else say("a jump")
    if cause.is_exact:
        return say("exactly on {jump}, row {row} first", jump=jump, row=cause.first_row)
    return say("on {jump} to over 30 digits, row {row} first", jump=jump, row=cause.first_row)
