"""The English of `repair`: better forms, why there is none, and what helps then."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import assert_never

from eic_core import wording
from eic_core.explain.phrases import code_text
from eic_core.formula.tree import Formula
from eic_core.phrasing import Phrase, one_after_another, say, say_count
from eic_core.rewriting.gains import (
    Advice,
    Double,
    Gain,
    Helps,
    HelpsBeforeJump,
    Measured,
    NothingBetter,
    NothingToDo,
    NotSearched,
    Remedy,
    Rest,
    Unsearched,
)
from eic_core.rewriting.verify import RowDifference, Verification


def repair_sentence(text: str, rules: Sequence[str], gain: Gain) -> Phrase:
    """The new form in Python, its rules, what it gains, and any greater loss."""
    return say(
        "Write {form} ({rules}): {effects}.",
        form=f"`{text}`",
        rules=", then ".join(rules),
        effects=_clauses(_effects(gain)),
    )


def _effects(gain: Gain) -> Iterable[Phrase]:
    before, after, compared = gain.before, gain.after, gain.compared
    yield _double_change(gain)
    yield from _beyond_doubles(after)
    if gain.in_sensitivity:
        yield say(
            "the result's sensitivity is {now} digits instead of {was}",
            now=wording.number(after.q, 1),
            was=wording.number(before.q, 1),
        )
        yield from _infinite_rows(before, after)
    if gain.in_worst_step:
        yield say(
            "the worst step's sensitivity (EIC) is {now} digits instead of {was}",
            now=wording.number(after.eic, 1),
            was=say("infinite") if gain.bounded else wording.number(before.eic, 1),
        )
    if gain.in_rows:
        yield say(
            "at {count} of {rows} rows compared a program loses less",
            count=compared.fewer,
            rows=compared.rows,
        )
    if compared.more:
        yield say(
            "at {count} of {rows} rows compared a program loses more, by up to {digits} digits",
            count=compared.more,
            rows=compared.rows,
            digits=wording.number(compared.largest_rise, 1),
        )


def _double_change(gain: Gain) -> Phrase:
    before, after = gain.before, gain.after
    match gain.double:
        case Double.NOTHING:
            return say("no row can be compared in double precision")
        case Double.VALUES if before.float64.failed == after.float64.failed:
            return say("{values}, as before", values=_values(after))
        case Double.VALUES:
            return say(
                "{values} instead of {was}",
                values=_values(after),
                was=before.float64.rows - before.float64.failed,
            )
        case Double.NINE_IN_TEN:
            was, now = before.loss.nine_in_ten, after.loss.nine_in_ten
            where = say("at nine in ten rows")
        case Double.WORST:
            was, now = before.loss.worst, after.loss.worst
            where = say("at the worst row")
        case _ as never:
            assert_never(never)
    texts = wording.lost_phrase(now), wording.lost_phrase(was)
    if texts[0] == texts[1]:
        return say("{loss}, as before", loss=_double_loss(after))
    return say(
        "a double-precision program loses {now} {where} instead of {was}",
        now=texts[0],
        where=where,
        was=texts[1],
    )


def _values(form: Measured) -> Phrase:
    double = form.float64
    return say(
        "a double-precision program has a value at {count} of the {rows} rows measured",
        count=double.rows - double.failed,
        rows=double.rows,
    )


def _beyond_doubles(form: Measured) -> Iterable[Phrase]:
    fewer, beyond = form.float64.fewer, form.float64.out_of_range
    if fewer:
        yield say_count(
            "doubles hold the exact result with fewer digits at {count} row",
            "doubles hold the exact result with fewer digits at {count} rows",
            fewer,
        )
    if beyond:
        yield say_count(
            "doubles cannot hold the exact result at {count} row",
            "doubles cannot hold the exact result at {count} rows",
            beyond,
        )


def _infinite_rows(before: Measured, after: Measured) -> Iterable[Phrase]:
    if before.infinite != after.infinite:
        yield say(
            "it is infinite at {now} rows instead of {was}, which are left out",
            now=after.infinite,
            was=before.infinite,
        )
    elif after.infinite:
        yield say_count(
            "{count} row at which it is infinite is left out",
            "{count} rows at which it is infinite are left out",
            after.infinite,
        )


def nothing_better(reason: NothingBetter) -> Phrase:
    if not reason.finished:
        return say("Nothing better found before the time limit.")
    why = _clauses(_reasons(reason))
    if not reason.others:
        return say("Nothing better found (no other form came up): {why}.", why=why)
    return say_count(
        "Nothing better found among {count} other form: {why}.",
        "Nothing better found among {count} other forms: {why}.",
        reason.others,
        why=why,
    )


def _reasons(reason: NothingBetter) -> Iterable[Phrase]:
    before = reason.before
    own, q = wording.number(reason.of_function, 1), wording.number(before.q, 1)
    match reason.rest:
        case Rest.EVERYTHING:
            yield say("errors of the inputs grow without bound at every sample")
            return
        case Rest.LOSS:
            yield say("{loss}, to this writing", loss=_double_loss(before))
            yield from _beyond_doubles(before)
            if not math.isnan(reason.of_function):
                yield say("errors of the inputs grow by {own} digits in any writing", own=own)
        case Rest.LITTLE:
            yield _double_loss(before)
            yield from _beyond_doubles(before)
            yield say("the result's sensitivity is {q} digits", q=q)
        case Rest.FUNCTION:
            yield _computed_right(before)
            yield from _beyond_doubles(before)
            yield say(
                "errors of the inputs grow by {own} digits: the function's own sensitivity, in any "
                "writing",
                own=own,
            )
        case Rest.WRITING:
            yield say(
                "{part} of the {q} digits by which errors of inputs and steps grow come from the "
                "writing",
                part=wording.number(reason.of_writing, 1),
                q=q,
            )
            yield _double_loss(before)
            yield from _beyond_doubles(before)
        case _ as never:
            assert_never(never)
    yield from _infinite_rows(before, before)
    if reason.in_worst_step:
        yield say(
            "the worst step's sensitivity (EIC) is {eic} digits",
            eic=wording.number(before.eic, 1),
        )


def _computed_right(form: Measured) -> Phrase:
    if not form.loss.rows:
        return _double_loss(form)
    return say(
        "the computed value is right to {digits} digits, nothing to rewrite",
        digits=wording.number(form.loss.least_right, 1),
    )


def _double_loss(form: Measured) -> Phrase:
    loss = form.loss
    if form.float64.failed:
        return _values(form)
    if not loss.rows:
        return say("no row can be compared in double precision")
    most, worst = wording.lost_phrase(loss.nine_in_ten), wording.lost_phrase(loss.worst)
    if most == worst:
        return say("a double-precision program loses {lost}", lost=worst)
    return say(
        "a double-precision program loses {lost} at nine in ten rows and {worst} at the worst",
        lost=most,
        worst=worst,
    )


def not_searched(reason: NotSearched) -> Phrase:
    match reason.why:
        case Unsearched.TOO_LARGE:
            return say(
                "No better form was looked for: more than {limit} nodes are too many to search.",
                limit=reason.limit,
            )
        case Unsearched.CONDITIONALS:
            return say(
                "No better form was looked for: no rewriting is looked for inside conditionals."
            )
        case Unsearched.NO_VALUE:
            return say(
                "No better form was looked for: no sample has a value with a finite amplification "
                "at every step."
            )
        case _ as never:
            assert_never(never)


def unfinished_search(evaluated: int, is_better: bool) -> Phrase:
    """That the time limit ended the search, after so many forms.

    >>> print(unfinished_search(9, True))  # doctest: +ELLIPSIS
    The search was cut short by its time limit after 9 forms: there may be a still better one. ...
    """
    better = say("a still better one") if is_better else say("a better one")
    return say_count(
        "The search was cut short by its time limit after {count} form: there may be {better}. "
        "The limit bounds the search for forms only.",
        "The search was cut short by its time limit after {count} forms: there may be {better}. "
        "The limit bounds the search for forms only.",
        evaluated,
        better=better,
    )


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
                "What helps at the samples at which the result loses every digit or jumps: "
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
                "Nothing needs to be done: where errors grow without bound the result is 0, and so "
                "it is right beside these samples."
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
                "another way to compute the same quantity, such as a series or a library function"
            )
        case Remedy.KNOW_INPUTS:
            return say("inputs known more exactly")
        case Remedy.OTHER_SAMPLES:
            return say("samples away from where the result is 0, jumps or turns steep")
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
        case Remedy.SEARCH_PART:
            return say("search the part that loses most on its own")
        case Remedy.INSPECT_BRANCHES:
            return say("inspect each branch as a formula of its own, on the rows that take it")
        case _ as never:
            assert_never(never)


def _alternatives(remedies: Sequence[Remedy]) -> Phrase:
    *first, last = map(_remedy, remedies)
    if not first:
        return last
    return say("{first}, or {last}", first=", ".join(map(str, first)), last=last)


def _clauses(clauses: Iterable[Phrase]) -> Phrase:
    return Phrase("; ".join(map(str, clauses)))


def own_form_sentence(
    checked: Verification | None, difference: RowDifference | None, least_digits: int
) -> Phrase:
    """Whether a user's form is equal to the formula, computed with so many digits or more."""
    if checked is not None:
        return say_count(
            "Your form is equal to the formula: the same to {agreement} digits at {count} row, "
            "computed with {digits} digits, and defined wherever the formula is.",
            "Your form is equal to the formula: the same to {agreement} digits at {count} rows, "
            "computed with {digits} digits, and defined wherever the formula is.",
            checked.rows,
            agreement=checked.agreement,
            digits=least_digits
            if checked.digits <= least_digits
            else say("{least} to {most}", least=least_digits, most=checked.digits),
        )
    if difference is None:
        return say(
            "Your form is not equal to the formula: it has no value at many rows at which the "
            "formula has one."
        )
    inputs = ", ".join(f"`{name} = {value}`" for name, value in difference.inputs)
    row = difference.row + 1
    place = (
        say("row {row} ({inputs})", row=row, inputs=inputs) if inputs else say("row {row}", row=row)
    )
    if not difference.after:
        return say(
            "Your form is not equal to the formula: at {place} the formula is {before}, yours has "
            "no value.",
            place=place,
            before=f"`{difference.before}`",
        )
    return say(
        "Your form is not equal to the formula: at {place} the formula is {before}, yours is "
        "{after}.",
        place=place,
        before=f"`{difference.before}`",
        after=f"`{difference.after}`",
    )
