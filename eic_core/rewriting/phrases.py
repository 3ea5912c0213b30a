"""The English of `repair`: better forms, why there is none, and what helps then."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import assert_never

from eic_core import wording
from eic_core.explain.judgement import VerdictNumbers
from eic_core.explain.phrases import code_text
from eic_core.formula.tree import Formula
from eic_core.phrasing import Field, Phrase, listed, one_after_another, say, say_count
from eic_core.rewriting.gains import (
    NEAR,
    Advice,
    Gain,
    Helps,
    HelpsBeforeJump,
    Measured,
    NothingBetter,
    NothingToDo,
    Remedy,
    Rest,
)
from eic_core.rewriting.pieces import Branch, Omission, Series, SeriesKind
from eic_core.rewriting.precision import Target, other_precision
from eic_core.rewriting.verify import RowDifference, Verification


def repair_sentence(
    text: str,
    rules: Sequence[str],
    needs: Sequence[str] = (),
    branches: Sequence[Branch] = (),
    decided_by: Sequence[str] = (),
) -> Phrase:
    """The new form in Python, what it needs, and its rules, branches or series. Of a form that
    chooses the quantities that decide are told beside those of the formula's own conditions.
    """
    form = form_phrase(text, branches, needs)
    if not all(branch.is_exact for branch in branches):
        series = _series_of(branches)
        return say("Write {form}, an approximation: {series}.", form=form, series=series)
    if branches or rules:
        how = _branches_on(branches, decided_by) if branches else _rules(rules)
        return say("Write {form} ({how}).", form=form, how=how)
    return say("Write {form}.", form=form)


NUMBER_NAMES = tuple(
    map(
        str,
        (
            say("typical"),
            say("nine in ten"),
            say("worst"),
            say("no value"),
            say("sensitivity"),
            say("EIC (mean)"),
        ),
    )
)
"""The columns of `number_cells`."""


def number_cells(numbers: VerdictNumbers) -> tuple[str, ...]:
    """Digits that a program loses, the rows at which it has no value, the sensitivity, and EIC."""
    lost = numbers.measured
    return (
        *(wording.number(value, 1) for value in (lost.typical, lost.nine_in_ten, lost.worst)),
        f"{numbers.without_value:,}",
        wording.number(numbers.sensitivity.nine_in_ten, 1),
        wording.digits_lost(numbers.eic),
    )


def numbers_caption(numbers: VerdictNumbers) -> Phrase:
    """What the columns of `number_cells` are, and of which rows."""
    measured = numbers.measured
    told: dict[str, Field] = {"precision": precision_name(measured.kind), "of": numbers.rows}
    lost = say("Digits lost in {precision}", **told)
    if measured.rows < numbers.rows:
        lost = say(
            "{lost} (measured at {rows}, the worst among them, weighted for all)",
            lost=lost,
            rows=measured.rows,
        )
    return say(
        "{lost}, rows of {of} without a value, sensitivity at nine in ten rows, and EIC",
        lost=lost,
        **told,
    )


def repair_conditions(gain: Gain) -> tuple[Phrase, ...]:
    """What the numbers of both forms do not tell, a sentence each."""
    return tuple(_conditions(gain))


def _conditions(gain: Gain) -> Iterator[Phrase]:
    compared = gain.compared
    if compared.more:
        yield say(
            "At {count} of {rows} rows compared a program loses more, by up to {rise} digits, with "
            "a form that saves up to {fall} digits at others.",
            count=compared.more,
            rows=compared.rows,
            rise=wording.number(compared.largest_rise, 1),
            fall=wording.number(compared.largest_fall, 1),
        )
    for clause in (*_beyond_range(gain.after), *_elsewhere(gain)):
        yield say("{clause}.", clause=wording.capital(str(clause)))
    if gain.remaining:
        yield say(
            "The best exact form found keeps losing digits that the function does not: a series "
            "would lose fewer."
        )


LONGEST_FORM = 120
"""Characters of a form that chooses in a sentence; of a longer one the longest sides are elided."""


def exact_beside(form: Phrase) -> Phrase:
    """The best exact form, where an approximation is offered first."""
    return say("The best exact form, {form}, keeps fewer digits.", form=form)


def no_exact_form(reason: NothingBetter, finished: bool) -> Phrase:
    """That no exact form is better, where an approximation is offered."""
    if not finished:
        return say("No better exact form was found.")
    return say("No better exact form was found (other forms tried: {count}).", count=reason.others)


def approximation_beside(form: Phrase, branches: Sequence[Branch]) -> Phrase:
    """An approximation, where an exact form is offered first."""
    return say(
        "There is an approximation, too, {form}: {series}.", form=form, series=_series_of(branches)
    )


def form_phrase(text: str, branches: Sequence[Branch], needs: Sequence[str]) -> Phrase:
    """A form as code, with the conditions under which it is the formula: they go with it."""
    if not needs:
        return say("{form}", form=form_code(text, branches))
    form, conditions = form_code(text, branches), listed(f"`{each}`" for each in needs)
    if branches:  # Each on its own rows alone
        return say("{form} (a side needs {conditions})", form=form, conditions=conditions)
    return say("{form} where {conditions}", form=form, conditions=conditions)


def form_code(text: str, branches: Sequence[Branch]) -> str:
    """A form as code; of a long one that chooses the longest sides are left out.

    >>> from eic_core.formula.syntax import read
    >>> sides = [("x < 1", "x" + " + x" * 40), ("", "sin(x) - x")]
    >>> branches = [Branch(c, read(text).formula, 1, 0.0, 0.0, ()) for c, text in sides]
    >>> print(form_code("x" * 200, branches))
    `where(x < 1, …, sin(x) - x)`
    """
    if not branches or len(text) <= LONGEST_FORM:
        return f"`{text}`"
    sides = [branch.text for branch in branches]
    while len(_written(branches, sides)) > LONGEST_FORM and max(map(len, sides)) > 1:
        sides[sides.index(max(sides, key=len))] = "…"
    return f"`{_written(branches, sides)}`"


def _written(branches: Sequence[Branch], sides: Sequence[str]) -> str:
    *conditional, last = zip(branches, sides, strict=True)
    opened = "".join(f"where({branch.condition}, {side}, " for branch, side in conditional)
    return f"{opened}{last[1]}{')' * len(conditional)}"


def _branches_on(branches: Sequence[Branch], decided_by: Sequence[str]) -> Phrase:
    decided = say("conditions as written")
    if decided_by:
        on = listed([f"`{text}`" for text in decided_by])
        decided = say("branches on {quantities}", quantities=on)
    rules = list(dict.fromkeys(rule for branch in branches for rule in branch.rules))
    if not rules:
        return decided
    return say("{decided}; {rules}", decided=decided, rules=_rules(rules))


def _series_of(branches: Sequence[Branch]) -> Phrase:
    several = len(branches) > 1
    return _clauses(
        say(
            "{where} a series ({series}) stands for {term}, with a relative error of at most "
            "{bound} (proved within the ranges of the data)",
            where=_where(branch.condition, several),
            series=series_name(branch.series),
            term=f"`{branch.series.replaced}`",
            bound=bound_text(branch.series.bound),
        )
        for branch in branches
        if branch.series is not None
    )


def _where(condition: str, several: bool) -> Phrase:
    if condition:
        return say("where {condition}", condition=f"`{condition}`")
    return say("elsewhere") if several else say("over the data")


def series_name(series: Series) -> Phrase:
    """Its kind, its quantity and the point.

    >>> print(series_name(Series("x*y", "0", "taylor", 5, "sin(x*y)", "x*y", 0.1, ())))
    Taylor, in `x*y` at 0
    """
    points = {"inf": say("infinity"), "-inf": say("minus infinity")}
    return say(
        "{kind}, in {quantity} at {point}",
        kind=SERIES_NAMES[series.kind],
        quantity=f"`{series.variable}`",
        point=points.get(series.point, series.point),
    )


def box_phrase(series: Series) -> Phrase:
    """Where its bound is proved.

    >>> from eic_core.rewriting.pieces import InputInterval
    >>> box = InputInterval("x", -0.5, 1e-07), InputInterval("y", 1.0, 3.0)
    >>> print(box_phrase(Series("x", "0", "taylor", 3, "sin(x)", "x", 0.1, box)))
    `x` from -0.5 to 1e-07 and `y` from 1 to 3
    """
    return listed(
        say(
            "{name} from {low} to {high}",
            name=f"`{name}`",
            low=_end(low, ROUND_CEILING),
            high=_end(high, ROUND_FLOOR),
        )
        for name, low, high in series.box
    )


def _end(value: float, inwards: str) -> str:
    """An end in four digits, moved inwards: no number that is named lies outside of the box."""
    exact = Decimal(repr(float(value)))
    if not exact.is_finite() or not exact:
        return f"{value:g}"
    unit = exact.adjusted() - 3
    digits = exact.scaleb(-unit).to_integral_value(inwards)
    return f"{float(digits.scaleb(unit)):.4g}"


SERIES_NAMES: Mapping[SeriesKind, str] = {"taylor": "Taylor", "laurent": "Laurent"}


def bound_text(bound: float) -> str:
    """A proved bound in two digits, rounded up: a number below it is not proved.

    >>> bound_text(1.1102e-16), bound_text(0.0), bound_text(2e-16)
    ('1.2·10⁻¹⁶', '0', '2·10⁻¹⁶')
    """
    if not bound > 0 or math.isinf(bound):
        return wording.significant(bound, 2)
    shown = Decimal(repr(bound))  # 2e-16 is not raised by the bits that a double adds to it
    unit = shown.adjusted() - 1
    digits = shown.scaleb(-unit).to_integral_value(ROUND_CEILING)
    return wording.significant(float(digits.scaleb(unit)), 2)


def series_unproved() -> Phrase:
    """That a series was left out, and what to do about it."""
    return say(
        "A series was left out: no bound of its error could be proved where it would help. A "
        "higher precision helps there."
    )


MOST_RULES = 3
"""More are counted: the derivation names them."""


def _rules(rules: Sequence[str]) -> Field:
    if len(rules) <= MOST_RULES:
        return ", then ".join(rules)
    shown = ", then ".join(rules[: MOST_RULES - 1])
    return say("{rules}, and {count} more", rules=shown, count=len(rules) - MOST_RULES + 1)


def _elsewhere(gain: Gain) -> Iterable[Phrase]:
    """What the new form costs in the precision that the program is not written for."""
    before, after = gain.before.elsewhere, gain.after.elsewhere
    precision = precision_name(other_precision(gain.after.target))
    if not gain.digits_lost_elsewhere:
        return
    if gain.values_lost_elsewhere:
        yield say(
            "in {precision} it has a value at {now} of {rows} rows compared, as written at {was}",
            precision=precision,
            now=after.rows - after.failed,
            was=before.rows - before.failed,
            rows=after.rows,
        )
    else:
        yield say(
            "in {precision} it loses {digits} more in the mean",
            precision=precision,
            digits=wording.digits_phrase(gain.digits_lost_elsewhere),
        )


def precision_name(target: str) -> Phrase:
    """A precision by its usual name.

    >>> print(precision_name("float32"))
    single precision
    """
    return say("double precision") if target == "float64" else say("single precision")


def _numbers(target: Target) -> Phrase:
    return say("doubles") if target == "float64" else say("single-precision numbers")


def _beyond_range(form: Measured) -> Iterable[Phrase]:
    error = form.in_target
    told: dict[str, Field] = {
        "numbers": _numbers(form.target),
        "fewer": error.fewer,
        "beyond": error.out_of_range,
        "rows": error.rows + error.out_of_range,
    }
    if error.fewer:
        yield say(
            "{numbers} hold the exact result with fewer digits at {fewer} of {rows} rows compared",
            **told,
        )
    if error.out_of_range:
        yield say(
            "{numbers} cannot hold the exact result at {beyond} of {rows} rows compared", **told
        )


def nothing_better(reason: NothingBetter, finished: bool, written: VerdictNumbers) -> Phrase:
    loss = say(
        "in {precision} {loss}",
        precision=precision_name(written.measured.kind),
        loss=_loss_phrase(written),
    )
    if not finished:
        return say("Nothing better found: {loss}.", loss=loss)
    return say(
        "Nothing better found (other forms tried: {count}): {why}.",
        count=reason.others,
        why=_clauses(_reasons(reason, written, loss)),
    )


def _reasons(reason: NothingBetter, written: VerdictNumbers, loss: Phrase) -> Iterable[Phrase]:
    grow = say(
        "errors of inputs and steps grow by {digits} at nine in ten rows",
        digits=wording.digits_phrase(written.sensitivity.nine_in_ten),
    )
    match reason.rest:
        case Rest.EVERYTHING:
            yield say("errors of the inputs and steps leave no digit at any sample")
            return
        case Rest.LOSS:
            writing = say("{loss}, by this writing", loss=loss)
            inputs = say("{loss}, no more than by rounding the inputs", loss=loss)
            yield inputs if reason.of_writing < NEAR else writing
            yield from _beyond_range(reason.before)
        case Rest.LITTLE:
            yield loss
            yield from _beyond_range(reason.before)
            yield grow
        case Rest.FUNCTION:
            if written.measured.rows:
                yield say(
                    "the computed value is right to {digits} digits, nothing to rewrite",
                    digits=wording.number(written.measured.least_right, 1),
                )
            yield from _beyond_range(reason.before)
            yield say("{grow}: the function's own sensitivity, in any writing", grow=grow)
        case Rest.WRITING:
            yield say("{grow}, and not all of that is the function's own", grow=grow)
            yield loss
            yield from _beyond_range(reason.before)
        case _ as never:
            assert_never(never)
    if reason.in_worst_step:
        yield say("EIC, of the worst step, is {eic}", eic=wording.digits_lost(written.eic))


def _loss_phrase(numbers: VerdictNumbers) -> Phrase:
    loss, without = numbers.measured, numbers.without_value
    if without == numbers.rows:
        return say("it has no value at any row")
    if without:
        return say(
            "it has a value at {count} of {rows} rows",
            count=numbers.rows - without,
            rows=numbers.rows,
        )
    if not loss.rows:
        return say("no row can be compared")
    most, worst = wording.lost_phrase(loss.nine_in_ten), wording.lost_phrase(loss.worst)
    if most == worst:
        return say("it loses {lost}", lost=worst)
    return say(
        "it loses {lost} at nine in ten rows and {worst} at the worst", lost=most, worst=worst
    )


def no_value() -> Phrase:
    """That nothing was looked for."""
    return say("No better form was looked for: no sample has a value that keeps a digit.")


def stopped(
    seconds: float, evaluated: int, candidates: int, omissions: Collection[Omission]
) -> Phrase:
    """Where the effort, or a limit in seconds, ended a search.

    >>> print(stopped(math.inf, 9, 30, [Omission.SEARCH_TIME]))
    Stopped where the effort ended: 9 of 30 forms.
    >>> print(stopped(10, 212, 296, [Omission.BRANCHES_TIME, Omission.SERIES_TIME]))
    Stopped after 10 s: 212 of 296 forms, before branches and series.
    """
    names = {Omission.BRANCHES_TIME: say("branches"), Omission.SERIES_TIME: say("series")}
    parts = [name for why, name in names.items() if why in omissions]
    of = {"tried": evaluated}
    forms = say_count("{tried} of {count} form", "{tried} of {count} forms", candidates, **of)
    if not candidates:
        forms = say("no form was tried")
    elif parts:
        forms = say("{forms}, before {parts}", forms=forms, parts=listed(parts))
    if seconds == math.inf:
        return say("Stopped where the effort ended: {forms}.", forms=forms)
    return say("Stopped after {seconds} s: {forms}.", seconds=f"{seconds:g}", forms=forms)


def more_effort(option: str) -> Phrase:
    """How less is left out, for a command line."""
    return say("More: {option}.", option=f"`{option}`")


def searched_part(text: str) -> Phrase:
    """Where a formula was too large to be searched as a whole.

    >>> print(searched_part("sqrt(x + 1) - sqrt(x)"))
    Of so large a formula one part was searched: `sqrt(x + 1) - sqrt(x)`.
    """
    return say("Of so large a formula one part was searched: {part}.", part=f"`{text}`")


def advice_sentence(advice: Advice, formula: Formula) -> Phrase:
    """What helps where no other form is better.

    >>> from eic_core.formula.syntax import read
    >>> remedies = Remedy.KNOW_INPUTS, Remedy.HIGHER_PRECISION
    >>> print(advice_sentence(Helps(remedies), read("x - 2").formula))
    What helps: inputs known more exactly, or a higher precision.
    """
    match advice:
        case Helps(remedies, at_lost_rows=False):
            return say("What helps: {remedies}.", remedies=_alternatives(remedies))
        case Helps(remedies, alone=alone):
            helps = say(
                "What helps at the samples at which the result keeps no digit or jumps: "
                "{remedies}.",
                remedies=_alternatives(remedies),
            )
            others = say("At the others nothing needs to be done.")
            return one_after_another([helps, others]) if alone else helps
        case HelpsBeforeJump(node):
            return say(
                "What helps: a higher precision for what {jump} is given, or samples at which that "
                "is farther from a jump.",
                jump=code_text(formula, node),
            )
        case NothingToDo():
            return _nothing_to_do(advice)
        case _ as never:
            assert_never(never)


def _nothing_to_do(why: NothingToDo) -> Phrase:
    match why:
        case NothingToDo.ALL_WELL:
            return say("Nothing needs to be done.")
        case NothingToDo.ZERO_IS_RIGHT:
            return say(
                "Nothing needs to be done: where errors grow without bound the result is 0, and it "
                "is 0 beside these samples, too."
            )
        case NothingToDo.COPIES_SHARE_ERRORS:
            return say(
                "Nothing needs to be done where copies of a number share their error, as in a "
                "program they do."
            )
        case NothingToDo.STEP_IS_HIDDEN:
            return say(
                "The result does not feel that step: it needs a higher precision only where its "
                "value is used on its own."
            )
        case _ as never:
            assert_never(never)


def _remedy(remedy: Remedy) -> Phrase:
    match remedy:
        case Remedy.HIGHER_PRECISION:
            return say("a higher precision")
        case Remedy.ANOTHER_WAY:
            return say(
                "another way to compute the same quantity, such as a series, a library function or "
                "a fused multiply-add"
            )
        case Remedy.KNOW_INPUTS:
            return say("inputs known more exactly")
        case Remedy.OTHER_SAMPLES:
            return say("samples away from where the result is 0 or infinite, jumps or turns steep")
        case Remedy.LESS_SENSITIVE:
            return say("asking for a quantity that is less sensitive")
        case Remedy.WIDER_RANGE:
            return say(
                "inputs in units in which no value on the way overflows or underflows, or "
                "arithmetic of a wider range"
            )
        case Remedy.TAKE_FOR_ZERO:
            return say(
                "to take so small a result for 0: where the exact one is 0, rounding leaves a "
                "small number in its place"
            )
        case Remedy.WRITE_ZERO:
            return say(
                "to write 0, for that is the function's value at the samples that were looked at "
                "and beside them"
            )
        case Remedy.SAMPLES_WITH_VALUE:
            return say("samples at which the formula has a finite value other than 0")
        case _ as never:
            assert_never(never)


def _alternatives(remedies: Sequence[Remedy]) -> Phrase:
    *first, last = map(_remedy, remedies)
    if not first:
        return last
    return say("{first}, or {last}", first=", ".join(map(str, first)), last=last)


def _clauses(clauses: Iterable[Phrase]) -> Phrase:
    return Phrase("; ".join(map(str, clauses)))


def own_approximation_sentence(distance: float, difference: RowDifference) -> Phrase:
    """That a user's form is near the formula at every row, but another function.

    >>> difference = RowDifference(6, (("x", "0.5"),), "1.25", "1.2500000000000001")
    >>> print(own_approximation_sentence(8e-17, difference))
    Your form is an approximation of the formula, not equal to it: over the rows compared it \
differs by at most 8·10⁻¹⁷ relatively, at row 7 (`x = 0.5`), where the formula gives `1.25`, yours \
`1.2500000000000001`.
    """
    inputs = ", ".join(f"`{name} = {value}`" for name, value in difference.inputs)
    return say(
        "Your form is an approximation of the formula, not equal to it: over the rows compared it "
        "differs by at most {distance} relatively, at row {row} ({inputs}), where the formula "
        "gives {before}, yours {after}.",
        distance=wording.significant(distance, 2),
        row=difference.row + 1,
        inputs=inputs or say("no input"),
        before=f"`{difference.before}`",
        after=f"`{difference.after}`",
    )


def own_form_sentence(
    checked: Verification | None, difference: RowDifference | None, digits: int
) -> Phrase:
    """Whether a user's form is equal to the formula, computed with up to so many digits."""
    if checked is not None:
        return say_count(
            "Your form is equal to the formula: the same to {agreement} digits at {count} row, "
            "computed with up to {digits} digits, and defined wherever the formula is.",
            "Your form is equal to the formula: the same to {agreement} digits at {count} rows, "
            "computed with up to {digits} digits, and defined wherever the formula is.",
            checked.rows,
            agreement=checked.agreement,
            digits=digits,
        )
    if difference is None:
        return say(
            "Your form is not equal to the formula: it has no value at many rows at which the "
            "formula has one."
        )
    inputs = ", ".join(f"`{name} = {value}`" for name, value in difference.inputs)
    return say(
        "Your form is not equal to the formula: at row {row} ({inputs}) the formula gives "
        "{before}, yours gives {after}.",
        row=difference.row + 1,
        inputs=inputs or say("no input"),
        before=f"`{difference.before}`",
        after=f"`{difference.after}`" if difference.after else say("no value"),
    )
