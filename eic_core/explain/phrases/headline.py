"""The headline, the badge and the further sentences of a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import assert_never

from eic_core import wording
from eic_core.explain import findings as facts
from eic_core.explain.findings import ErrorKind, Finding, Place
from eic_core.explain.given import GivenDigits
from eic_core.explain.judgement import A_DIGIT, NO_VALUE, Judgement, Lead, Level
from eic_core.explain.losses import shared_noise_differs
from eic_core.explain.phrases import code_text, input_name
from eic_core.explain.phrases.causes import clause, label, way_of_range
from eic_core.explain.settling import unsettled_clause
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome
from eic_core.phrasing import Phrase, say, say_count

SHOWN = 0.05
"""Digits from which a number of them is worth a sentence."""

HIDDEN = 0.1
"""The share of the result's noise below which a test of the result would not reveal a step."""

LONG = 56
"""Characters of a sub-expression quoted in a sentence."""


def headline(verdict: Judgement, better: str = "") -> Phrase:
    """The verdict in one sentence of at most 25 words; `better` is a form that loses less.

    >>> from eic_core.explain.verdict import verdict
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [0.9999, 0.99995, 0.99999]})
    >>> for text in ("sqrt(1-x)", "sqrt(x-2)", "x + 1"):
    ...     print(headline(verdict(inspect(read(text).formula, samples))))
    Sensitive, computed right: one row in ten multiplies errors 71,000-fold or more, at `1 − x`: \
the two terms cancel.
    No real value at any row, at `√(x − 2)`: the argument of a square root must not be negative.
    All well: errors grow less than tenfold at nine rows in ten, and a program computes the result \
right.
    """
    leading = verdict.leading
    formula = verdict.inspection.formula
    if leading is None:
        if not formula.root.children:
            return say("Nothing is computed: the formula is an input or a number.")
        return say(
            "All well: errors grow less than tenfold at nine rows in ten, and a program computes "
            "the result right."
        )
    if verdict.lead is Lead.SENSITIVITY and leading.cause.node >= 0 and _is_first_order(leading):
        return _sensitive(verdict, leading, formula)
    if leading.noise is ErrorKind.ROUNDING:
        return _program_loses(verdict, leading, formula, better)
    return sentence(leading, formula)


def _is_first_order(finding: Finding) -> bool:
    first_order = not isinstance(
        finding.cause, facts.NoDigitLeft | facts.OnThreshold | facts.InfiniteSlope
    )
    return first_order and finding.outcome in (Outcome.FINITE, Outcome.NO_DIGIT)


def _sensitive(verdict: Judgement, finding: Finding, formula: Formula) -> Phrase:
    times = wording.significant(10**verdict.sensitivity.nine_in_ten, 2)
    return say(
        "Sensitive, computed right: one row in ten multiplies errors {times}-fold or more, at "
        "{place}: {clause}.",
        times=times,
        place=code_text(formula, finding.cause.node, LONG),
        clause=clause(finding.cause, formula),
    )


def _program_loses(verdict: Judgement, finding: Finding, formula: Formula, better: str) -> Phrase:
    place = code_text(formula, finding.cause.node, LONG)
    why = clause(finding.cause, formula)
    typical, most = finding.digits.typical, finding.digits.nine_in_ten
    if better:
        return say(
            "Double precision loses {digits} or more at one row in ten, at {place}: "
            "write {better}.",
            digits=wording.digits_phrase(most),
            place=place,
            better=f"`{better}`",
        )
    if most < A_DIGIT:
        return say(
            "Double precision loses up to {digits} at some rows, at {place}: {clause}.",
            digits=wording.digits_phrase(finding.digits.worst),
            place=place,
            clause=why,
        )
    if typical < A_DIGIT:
        return say(
            "Double precision loses {digits} or more at one row in ten, at {place}: {clause}.",
            digits=wording.digits_phrase(most),
            place=place,
            clause=why,
        )
    return say(
        "Double precision loses {typical} digits typically, {most} at one row in ten, at {place}: "
        "{clause}.",
        typical=wording.number(typical, 1),
        most=wording.number(most, 1),
        place=place,
        clause=why,
    )


# One finding


def sentence(finding: Finding, formula: Formula) -> Phrase:
    """One finding in a sentence of its own."""
    place = code_text(formula, finding.cause.node, LONG)
    why = clause(finding.cause, formula)
    if finding.place is Place.WORST_STEP:
        return _inner_step(finding, formula, place, why)
    rows = _rows(finding)
    match finding.outcome:
        case Outcome.NOT_CHECKED:
            return say("Not checked {rows}: {clause}.", rows=rows, clause=why)
        case Outcome.NO_REAL_VALUE:
            return say(
                "No real value {rows}, at {place}: {clause}.", rows=rows, place=place, clause=why
            )
        case Outcome.UNKNOWN:
            return say(
                "No value can be told {rows}, at {place}: {clause}.",
                rows=rows,
                place=place,
                clause=why,
            )
        case Outcome.NO_DOUBLE:
            return _no_double(finding, place, rows)
        case Outcome.RANGE_LOSS:
            return say(
                "{place} {leaves} {rows}, which costs {digits} of the result.",
                rows=rows,
                digits=_most(finding),
                place=place,
                leaves=why,
            )
        case Outcome.DECIDED:
            if not isinstance(finding.cause, facts.TurnedByRounding | facts.TurnedByRange):
                return say(
                    "Any error costs {digits} {rows}, at {place}: {clause}.",
                    digits=_most(finding),
                    rows=rows,
                    place=place,
                    clause=why,
                )
            return say(
                "{who} decides {place} {rows}, and with it {digits} of the result.",
                who=wording.capital(str(why)),
                place=place,
                rows=rows,
                digits=_most(finding),
            )
        case Outcome.FOLLOWS:
            return say(
                "The result follows {place} {rows}, costing {digits}: {clause}.",
                place=place,
                rows=rows,
                digits=_most(finding),
                clause=why,
            )
        case Outcome.STEEP:
            return say(
                "The result is infinitely steep {rows}, at {place}: {clause}.",
                rows=rows,
                place=place,
                clause=why,
            )
        case Outcome.NO_DIGIT:
            return say(
                "Any error leaves no digit right {rows}, at {place}: {clause}.",
                rows=rows,
                place=place,
                clause=why,
            )
        case Outcome.FINITE:
            return _finite(finding, place, rows, why)
    assert_never(finding.outcome)


def _rows(finding: Finding) -> Phrase:
    """Where: "at 3 of 300 rows"."""
    if finding.rows is None:
        return say("at some rows")
    if finding.of == 1:
        return say("at the only row")
    if finding.rows == finding.of:
        return say("at any row") if finding.outcome in NO_VALUE else say("at every row")
    return say("at {rows} of {of} rows", rows=finding.rows, of=finding.of)


def _most(finding: Finding) -> Phrase:
    """The digits at the worst of its rows."""
    worst = finding.digits.worst
    if worst >= DOUBLE_DIGITS:
        return say("every digit")
    return say("up to {digits}", digits=wording.digits_phrase(worst))


def _finite(finding: Finding, place: Phrase | str, rows: Phrase, why: Phrase) -> Phrase:
    if finding.noise is ErrorKind.ROUNDING:
        return say(
            "Double precision loses up to {digits} at the worst rows, at {place}: {clause}.",
            digits=wording.digits_phrase(finding.digits.worst),
            place=place,
            clause=why,
        )
    return say(
        "Errors grow {low}-fold typically {rows}, {high}-fold at the worst; {created} of these "
        "digits arise at {place}: {clause}.",
        low=wording.significant(10**finding.digits.typical, 2),
        high=wording.significant(10**finding.digits.worst, 2),
        rows=rows,
        created=wording.number(finding.created, 1),
        place=place,
        clause=why,
    )


def _inner_step(finding: Finding, formula: Formula, place: Phrase | str, why: Phrase) -> Phrase:
    at = code_text(formula, finding.at, LONG)
    if finding.outcome is Outcome.NO_DIGIT:
        return say(
            "An inner step, {at}, keeps no digit {rows} (EIC infinite): {clause}.",
            at=at,
            rows=_rows(finding),
            clause=why,
        )
    if finding.at == finding.cause.node:
        return say(
            "The worst step inside is {at} ({digits} at half of the rows, {most} at one in ten): "
            "{clause}.",
            at=at,
            digits=wording.digits_phrase(finding.digits.typical),
            most=wording.number(finding.digits.nine_in_ten, 1),
            clause=why,
        )
    return say(
        "The worst step inside is {at} ({digits} at half of the rows, {most} at one in ten), "
        "{created} of them from {place}: {clause}.",
        at=at,
        digits=wording.digits_phrase(finding.digits.typical),
        most=wording.number(finding.digits.nine_in_ten, 1),
        created=wording.number(finding.created, 1),
        place=place,
        clause=why,
    )


def _no_double(finding: Finding, place: Phrase | str, rows: Phrase) -> Phrase:
    cause = finding.cause
    assert isinstance(cause, facts.OutOfRange)
    return say(
        "No double-precision value {rows}: {place} {leaves}; {exact}.",
        rows=rows,
        place=place,
        leaves=way_of_range(cause.way),
        exact=_exact(cause),
    )


def _exact(cause: facts.OutOfRange) -> Phrase:
    held = cause.in_range + cause.fewer
    if not held:
        return say("the exact value is out of range, too")
    if cause.beyond:
        return say("the exact value is in range at {rows} of them", rows=held)
    if cause.fewer == held:
        return say("the exact value is in range, with fewer digits")
    return say("the exact value is in range")


# The badge and its like


def level_word(level: Level) -> Phrase:
    match level:
        case Level.STABLE:
            return say("stable")
        case Level.SENSITIVE:
            return say("sensitive")
        case Level.VERY_SENSITIVE:
            return say("very sensitive")
        case Level.UNDEFINED:
            return say("undefined")
    assert_never(level)


def badge(verdict: Judgement) -> Phrase:
    """The level of the result in a word or two."""
    word = level_word(verdict.level)
    return say("{level}, borderline", level=word) if verdict.borderline else word


def marks(verdict: Judgement) -> tuple[Phrase, ...]:
    """What stands beside the badge: rows without a value, and what a program loses."""
    shown = value_mark(verdict), measured_mark(verdict)
    return tuple([mark for mark in shown if mark is not None])


def value_mark(verdict: Judgement) -> Phrase | None:
    missing = _without_value(verdict)
    if not missing:
        return None
    share = sum(f.rows or 0 for f in missing) / missing[0].of
    return say("no value at {share}", share=wording.percent(share))


def measured_mark(verdict: Judgement) -> Phrase | None:
    most, missing = verdict.measured.nine_in_ten, _without_value(verdict)
    samples = verdict.inspection.samples
    worn = [f for f in verdict.findings if isinstance(f.cause, facts.RangeCost)]
    if math.isnan(most) or sum(f.rows or 0 for f in [*missing, *worn]) == len(samples):
        return None
    if most >= A_DIGIT:
        return say("a program loses {digits}", digits=wording.digits_phrase(most))
    if verdict.measured.worst >= A_DIGIT or verdict.lead is Lead.LOSS:
        return say("computed right at nine rows in ten")
    return say("computed right elsewhere") if missing else say("computed right")


def _without_value(verdict: Judgement) -> list[Finding]:
    return [f for f in verdict.findings if f.outcome in NO_VALUE and f.rows]


def short_cause(verdict: Judgement) -> Phrase:
    """The cause of the leading finding in a few words."""
    leading = verdict.leading
    formula = verdict.inspection.formula
    if leading is not None:
        return label(leading.cause, formula)
    if not formula.root.children:
        return say("Nothing is computed")
    if verdict.inspection.eic < 1:
        return say("Like a typical physical law")
    return say("A step inside is hidden by the result")


def meaning(verdict: Judgement) -> Phrase:
    """What the badge says of the result, and what Yu et al. say of such an EIC."""
    if verdict.level is Level.UNDEFINED:
        return say("At no row a real value of the result is known")
    return say(
        "At one row in ten errors of inputs and steps grow {times}-fold or more (90 % quantile of "
        "the sensitivity at the result); {paper}",
        times=wording.significant(10**verdict.sensitivity.nine_in_ten, 2),
        paper=paper_clause(verdict.inspection.eic),
    )


def paper_clause(eic: float) -> Phrase:
    """Yu et al.'s words for an EIC: their thresholds 1 and 2 are about the worst step.

    >>> print(paper_clause(0.4))
    EIC below 1, like a typical physical law
    """
    if math.isnan(eic):
        return say("EIC undefined: the formula has no usable value on these rows")
    if math.isinf(eic):
        return say("EIC infinite: at some step and row no digit is right, or it jumps")
    if eic < 1:
        return say("EIC below 1, like a typical physical law")
    if eic <= 2:
        return say("EIC between 1 and 2, more than a typical physical law")
    return say("EIC above 2, where the paper's filter drops a formula")


# The further sentences


def notes(verdict: Judgement) -> tuple[Phrase, ...]:
    """The other findings, a sentence each, and what qualifies the numbers."""
    formula = verdict.inspection.formula
    first = 0 if verdict.leading is None else 1
    apart: dict[tuple[object, ...], Finding] = {}
    for finding in verdict.findings:
        cause = type(finding.cause), finding.cause.node, finding.noise, finding.place
        apart.setdefault(cause if finding.outcome is Outcome.FINITE else (finding,), finding)
    given = () if verdict.given is None else (_of_table(verdict.given),)
    hidden = [finding.at for finding in verdict.findings if finding.through < HIDDEN]
    return (
        *given,
        *[sentence(finding, formula) for finding in [*apart.values()][first:]],
        *[_hidden(formula, at) for at in hidden[:1] if verdict.level is Level.STABLE],
        *_about_numbers(verdict.inspection),
    )


def _hidden(formula: Formula, at: int) -> Phrase:
    return say(
        "The result hides it: a test of its output would not reveal {place}.",
        place=code_text(formula, at, LONG),
    )


def _of_table(given: GivenDigits) -> Phrase:
    return say(
        "Your table gives {name} to {digits} digits; at half of the rows the result keeps {kept}, "
        "in any program.",
        name=input_name(given.name),
        digits=given.digits,
        kept=wording.number(given.kept, 1),
    )


def _about_numbers(inspection: Inspection) -> Iterator[Phrase]:
    counts = inspection.counts
    if counts.valid:
        yield from _without_singular(inspection)
        yield from _in_branch(inspection)
        if (why := unsettled_clause(inspection)) is not None:
            yield say(
                "The mean is not settled at {rows} rows: {why}.",
                rows=inspection.counts.total,
                why=why,
            )
        if shared_noise_differs(inspection):
            yield say(
                "Here every copy of an input or step has an error of its own, as EIC has it; in a "
                "program copies share theirs."
            )
    if counts.rechecked:
        yield say_count(
            "{count} row was settled exactly, in case double precision cannot tell.",
            "{count} rows were settled exactly, in case double precision cannot tell.",
            counts.rechecked,
        )


def _without_singular(inspection: Inspection) -> Iterator[Phrase]:
    rest = inspection.eic_finite
    if math.isinf(inspection.eic) and rest >= SHOWN:
        yield say(
            "Without the rows at which a step keeps no digit EIC is {eic}, at {place}.",
            eic=wording.number(rest, 1),
            place=code_text(inspection.formula, inspection.finite_bottleneck, LONG),
        )


def _in_branch(inspection: Inspection) -> Iterator[Phrase]:
    node, valid = inspection.bottleneck, inspection.counts.valid
    evaluated = inspection.nodes[node].evaluated
    if 0 < evaluated < valid:
        yield say(
            "{place} stands in a branch that is taken at {taken} of {rows} rows; its EIC is the "
            "mean over these.",
            place=code_text(inspection.formula, node, LONG),
            taken=evaluated,
            rows=valid,
        )
