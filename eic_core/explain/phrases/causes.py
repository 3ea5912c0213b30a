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
from eic_core.phrasing import Field, Phrase, say


def _row(formula: Formula, node: int) -> Operator:
    return OPERATORS[formula.nodes[node].operator]


def _name(formula: Formula, node: int) -> str:
    return _row(formula, node).name


def label(cause: Cause, formula: Formula) -> Phrase:
    """The cause in a few words."""
    match cause:
        case facts.Accumulated():
            return say("Accumulated rounding")
        case facts.Cancellation():
            return say("Cancellation in a {noun}", noun=_row(formula, cause.node).words.noun)
        case facts.ZeroTerm():
            return say("Error of a term that is 0")
        case facts.NearPole():
            return say("Near a pole")
        case facts.NearZero():
            return say("Near a zero")
        case facts.NearZerosAndPoles():
            return say("Near zeros and poles")
        case facts.LargeArgument():
            return say("Large argument of {name}", name=_name(formula, cause.node))
        case facts.GrowthOfLargeNumber():
            return say(
                "{growth} of a large number", growth=wording.capital(_growth(formula, cause.node))
            )
        case facts.LargeExponent():
            return say("Large exponent")
        case facts.ErrorInExponent():
            return say("Error in an exponent")
        case facts.NearEdge():
            near = _row(formula, cause.node).words.near
            return Phrase(wording.capital("" if near is None else near.label))
        case facts.SteepStep():
            return say("Steep function")
        case facts.OwnInaccuracy():
            return say("A function that is itself inexact")
        case facts.BeyondDoubles():
            return say("Values beyond double range")
        case facts.NoDigitLeft():
            words = _row(formula, cause.node).words
            if words.cancels:
                return say("Cancellation in a {noun}", noun=words.noun)
            return say("A singular point")
        case facts.OnThreshold():
            return say("A zero") if cause.is_hinge else say("A jump")
        case facts.TurnedByRounding() | facts.TurnedByRange():
            return say("A jump within the noise")
        case facts.InfiniteSlope():
            return say("Infinitely steep")
        case facts.OutsideDomain():
            return say("Outside the real domain")
        case facts.NotTold() | facts.BeyondReduction() | facts.BeyondEveryRange():
            return say("Beyond what can be told")
        case facts.CheckEnded():
            return say("Not checked")
        case facts.OutOfRange():
            rounded = cause.way in (Way.ROUNDED_TO_ZERO, Way.ROUNDED_OUT)
            return say("Rounded to no value") if rounded else say("Beyond double range")
        case facts.RangeCost():
            return say("A value beyond double range")
    assert_never(cause)


def clause(cause: Cause, formula: Formula) -> Phrase:
    """What happens at its step, to follow a colon."""
    match cause:
        case facts.Accumulated():
            return say("no single step below stands out")
        case facts.Cancellation(extent=Extent.EVERYWHERE):
            return say("the two terms cancel")
        case facts.Cancellation(extent=Extent.CROSSING):
            noun = _row(formula, cause.node).words.noun
            return say("the two terms cancel where the {noun} crosses zero", noun=noun)
        case facts.Cancellation(extent=Extent.NEARLY):
            return say("the two terms nearly cancel")
        case facts.Cancellation():
            return say("the two terms nearly cancel at some rows")
        case facts.ZeroTerm():
            return _zero_term(cause, formula)
        case facts.NearPole():
            return say("it comes close to a pole of `{name}`", name=_name(formula, cause.node))
        case facts.NearZero(largest=0.0):
            return say("it comes close to a zero of `{name}`", name=_name(formula, cause.node))
        case facts.NearZero():
            largest = wording.significant(cause.largest)
            return say("it comes close to a zero at arguments up to {largest}", largest=largest)
        case facts.NearZerosAndPoles():
            return say(
                "it comes close to zeros and poles of `{name}`", name=_row(formula, cause.node).name
            )
        case facts.LargeArgument():
            return say(
                "its argument is large (up to {largest}, period {period})",
                largest=wording.significant(cause.largest),
                period=_length(cause.period),
            )
        case facts.GrowthOfLargeNumber():
            return say(
                "the {growth} multiplies errors by its argument (up to {largest})",
                growth=_growth(formula, cause.node),
                largest=wording.significant(cause.largest),
            )
        case facts.LargeExponent():
            times = wording.significant(cause.times)
            if cause.is_exact:
                return say("the power multiplies the relative error by {times}", times=times)
            return say("the power multiplies the relative error by about {times}", times=times)
        case facts.ErrorInExponent():
            return say("an error in the exponent counts exponent × ln(base) times")
        case facts.NearEdge():
            near = _row(formula, cause.node).words.near
            assert near is not None
            return Phrase(near.clause_at({1: "1", -1: "−1", 0: "±1"}[cause.side]))
        case facts.SteepStep():
            return _steep_step(cause, formula)
        case facts.OwnInaccuracy():
            digits = wording.digits_phrase(cause.digits)
            return say("the library's own function is up to {digits} off", digits=digits)
        case facts.BeyondDoubles():
            return say("its operand cannot be computed in double precision at all")
        case facts.NoDigitLeft():
            return _ways_to_zero(cause, _row(formula, cause.node))
        case facts.OnThreshold():
            return _threshold(cause, formula)
        case facts.TurnedByRounding():
            return say("a rounding")
        case facts.TurnedByRange():
            return say("an over- or underflow")
        case facts.InfiniteSlope():
            return say("an error there, however small, is not passed on in proportion")
        case facts.OutsideDomain():
            return domain(formula, cause.node)
        case facts.NotTold():
            return say("to 300 digits its operand may be where it has no value")
        case facts.BeyondReduction():
            if OPERATORS[formula.nodes[cause.node].operator].multiples:
                return say("its divisor is too many times in its dividend to tell what is left")
            return say("its argument is too large to be reduced")
        case facts.BeyondEveryRange():
            return say("its value leaves every range of numbers")
        case facts.CheckEnded():
            return say("the exact check ends after {rows} rows", rows=cause.checked)
        case facts.OutOfRange() | facts.RangeCost():
            return _way_of_range(cause.way)
    assert_never(cause)


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


def _growth(formula: Formula, node: int) -> str:
    """What a function that grows like exp is called."""
    row = _row(formula, node)
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
    told: dict[str, Field] = {"row": cause.first_row}
    if not OPERATORS[node.operator].chooses:
        if cause.is_exact:
            return say("exactly on a jump, row {row} first", **told)
        return say("on a jump to over 30 digits, row {row} first", **told)
    told["condition"] = code_text(formula, node.children[0])
    if cause.is_hinge:
        return say("both branches are 0 where {condition} turns, row {row} first", **told)
    if cause.is_exact:
        return say("exactly on the jump of {condition}, row {row} first", **told)
    return say("on the jump of {condition} to over 30 digits, row {row} first", **told)
