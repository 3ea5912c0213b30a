"""The headline, the badge and the further sentences of a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from eic_core import wording
from eic_core.explain import findings as facts
from eic_core.explain.findings import ErrorKind, Finding, Place
from eic_core.explain.judgement import A_DIGIT, NO_VALUE, Judgement, Lead, Level
from eic_core.explain.losses import shared_noise_differs
from eic_core.explain.phrases import code_text, input_name
from eic_core.explain.phrases.causes import clause, label
from eic_core.explain.settling import unsettled_clause
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import INHERITED, Inspection
from eic_core.measure.measured import Quantiles
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome
from eic_core.phrasing import Field, Phrase, say, say_count
from eic_core.samples import Domain

SHOWN = 0.05
"""Digits from which a number of them is worth a sentence."""

HIDDEN = 0.1
"""The share of the result's noise below which a test of the result would not reveal a step."""

LONG = 56
"""Characters of a sub-expression quoted in a sentence."""


def headline(verdict: Judgement, better: str = "", *, stopped: bool = False) -> Phrase:
    """The verdict in one sentence of at most 25 words; `better` is a form that loses less. Where a
    search for one was `stopped`, nothing is concluded.

    >>> from eic_core.explain.verdict import verdict
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [0.9999, 0.99995, 0.99999]})
    >>> for text in ("sqrt(1-x)", "sqrt(x-2)", "x + 1"):
    ...     print(headline(verdict(inspect(read(text).formula, samples))))
    Computed right, but sensitive: 71,000-fold errors at nine in ten rows, at `1 − x`: the two \
terms cancel.
    No real value at any row, at `√(x − 2)`: the argument of a square root must not be negative.
    All well: errors grow less than tenfold at nine in ten rows, and a program computes the result \
right.
    """
    leading = verdict.leading
    formula = verdict.inspection.formula
    if leading is None:
        if not formula.root.children:
            return say("Nothing is computed: the formula is an input or a number.")
        return _well(verdict, stopped)
    suddenly = facts.NoDigitLeft | facts.OnThreshold | facts.InfiniteSlope
    if verdict.lead is Lead.SENSITIVITY and not isinstance(leading.cause, suddenly):
        times = wording.significant(10**verdict.sensitivity.nine_in_ten, 2)
        if not verdict.inspection.finished:
            return say(
                "{times}-fold errors at nine in ten of the rows checked, at {place}: {clause}.",
                times=times,
                **_told(leading, formula),
            )
        return say(
            "Computed right, but sensitive: {times}-fold errors at nine in ten rows, at "
            "{place}: {clause}.",
            times=times,
            **_told(leading, formula),
        )
    if leading.noise is ErrorKind.ROUNDING:
        return _program_loses(verdict, leading, _told(leading, formula), better)
    alike = [finding for finding in verdict.findings if finding.outcome is leading.outcome]
    if verdict.lead is Lead.NO_VALUE and len(alike) > 1:
        return _of_all_without_value(leading, alike, _told(leading, formula))
    return sentence(leading, formula)


def _well(verdict: Judgement, stopped: bool) -> Phrase:
    """Where nothing is wrong at nine in ten rows; a mean that is, of a step or the result, is told.

    >>> from eic_core.explain.verdict import verdict
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [5000.0, 5001.0, 5002.0]})
    >>> print(headline(verdict(inspect(read("1 + exp(-x/100)").formula, samples))))
    The result is well; up to an inner step, `exp(−x/100)`, errors grow by 2.00 digits (EIC), \
hidden by the result.
    """
    inspection, step = verdict.inspection, verdict.inspection.worst_step
    if not inspection.finished:
        return say(
            "At nine in ten of the rows checked errors grow less than tenfold, and a program "
            "computes the result right."
        )
    if not inspection.eic >= A_DIGIT and stopped:
        return say(
            "Errors grow less than tenfold at nine in ten rows, and a program computes the result "
            "right."
        )
    if not inspection.eic >= A_DIGIT:
        return say(
            "All well: errors grow less than tenfold at nine in ten rows, and a program computes "
            "the result right."
        )
    told: dict[str, Field] = {
        "grow": say("without bound at {rows} rows", rows=inspection.counts.singular)
        if math.isinf(inspection.eic)
        else say("by {digits}", digits=wording.mean_phrase(inspection.eic)),
        "step": code_text(inspection.formula, step, LONG),
    }
    if step == inspection.formula.root.id:
        return say(
            "The result is well at nine in ten rows; in the mean over all rows errors grow "
            "{grow} (EIC).",
            **told,
        )
    return say(
        "The result is well; up to an inner step, {step}, errors grow {grow} (EIC), hidden by "
        "the result.",
        **told,
    )


def _of_all_without_value(
    finding: Finding, alike: Sequence[Finding], told: Mapping[str, Field]
) -> Phrase:
    """Where several steps leave rows without a value: all rows, and what most are due to."""
    rows = sum(each.rows or 0 for each in alike)
    counts: dict[str, Field] = {"all": rows, "of": finding.of, "some": finding.rows or 0}
    if finding.outcome is Outcome.NO_DOUBLE:
        return say(
            "No double-precision value at {all} of {of} rows, {some} as {place} {clause}; {exact}.",
            exact=_exact([each.cause for each in alike]),
            **counts,
            **told,
        )
    if finding.outcome is Outcome.NO_REAL_VALUE:
        return say(
            "No real value at {all} of {of} rows, {some} at {place}: {clause}.",
            **counts,
            **told,
        )
    return say(
        "No value can be told at {all} of {of} rows, {some} at {place}: {clause}.",
        **counts,
        **told,
    )


def _told(finding: Finding, formula: Formula) -> dict[str, Field]:
    """What any sentence on a finding may name."""
    digits, worst = finding.digits, finding.digits.worst
    if finding.noise is ErrorKind.INDEPENDENT and worst >= DOUBLE_DIGITS:
        worst = math.inf
    return {
        "rows": _rows(finding),
        "place": code_text(formula, finding.cause.node, LONG),
        "clause": clause(finding.cause, formula),
        "at": code_text(formula, finding.at, LONG),
        "created": wording.number(finding.created, 1),
        "typical": wording.digits_phrase(digits.typical),
        "most": wording.number(digits.nine_in_ten, 1),
        "worst": wording.digits_phrase(worst),
        "cost": say("every digit")
        if digits.worst >= DOUBLE_DIGITS
        else say("up to {digits}", digits=wording.digits_phrase(digits.worst)),
    }


def _program_loses(
    verdict: Judgement, finding: Finding, told: Mapping[str, Field], better: str
) -> Phrase:
    typical, most = finding.digits.typical, finding.digits.nine_in_ten
    if better:
        return say(
            "Double precision loses up to {digits} at nine in ten rows, at {place}: "
            "write {better}.",
            digits=wording.digits_phrase(most),
            better=f"`{better}`",
            **told,
        )
    if most < A_DIGIT:
        return say(
            "Double precision loses up to {worst} at some rows, at {place}: {clause}.", **told
        )
    if typical < A_DIGIT:
        return say(
            "Double precision loses up to {most} digits at nine in ten rows, at {place}: {clause}.",
            **told,
        )
    return say(
        "Double precision loses {typical} typically, {most} at nine in ten rows, at {place}: "
        "{clause}.",
        **told,
    )


# One finding


def sentence(finding: Finding, formula: Formula) -> Phrase:
    """One finding in a sentence of its own."""
    told = _told(finding, formula)
    if finding.place is Place.WORST_STEP:
        return _inner_step(finding, told)
    match finding.outcome:
        case Outcome.NOT_CHECKED:
            return say("Not checked {rows}: {clause}.", **told)
        case Outcome.NO_REAL_VALUE:
            return say("No real value {rows}, at {place}: {clause}.", **told)
        case Outcome.UNKNOWN:
            return say("No value can be told {rows}, at {place}: {clause}.", **told)
        case Outcome.NO_DOUBLE:
            return say(
                "No double-precision value {rows}: {place} {clause}; {exact}.",
                exact=_exact([finding.cause]),
                **told,
            )
        case Outcome.RANGE_LOSS:
            return say("{place} {clause} {rows}, which costs {cost} of the result.", **told)
        case Outcome.DECIDED:
            if not isinstance(finding.cause, facts.TurnedByRounding | facts.TurnedByRange):
                return say("Any error costs {cost} {rows}, at {place}: {clause}.", **told)
            return say(
                "{who} decides {place} {rows}, and with it {cost} of the result.",
                who=wording.capital(str(told["clause"])),
                **told,
            )
        case Outcome.FOLLOWS:
            return say("The result follows {place} {rows}, costing {cost}: {clause}.", **told)
        case Outcome.STEEP:
            return say("The result is infinitely steep {rows}, at {place}: {clause}.", **told)
        case Outcome.NO_DIGIT:
            return say("Any error leaves no digit right {rows}, at {place}: {clause}.", **told)
        case Outcome.FINITE:
            return _finite(finding, told)
    assert_never(finding.outcome)


def _shown(finding: Finding) -> bool:
    """Whether a loss inside is what the result loses, of which other sentences tell."""
    inside = finding.place is Place.WORST_STEP and finding.outcome is Outcome.FINITE
    return inside and finding.through >= INHERITED


def _rows(finding: Finding) -> Phrase:
    """Where: "at 3 of 300 rows"."""
    if finding.rows is None:
        return say("at some rows")
    if finding.of == 1:
        return say("at the only row")
    if finding.rows == finding.of:
        denied = finding.outcome in NO_VALUE or finding.outcome is Outcome.NO_DIGIT
        return say("at any row") if denied else say("at every row")
    return say("at {rows} of {of} rows", rows=finding.rows, of=finding.of)


def _finite(finding: Finding, told: Mapping[str, Field]) -> Phrase:
    if finding.noise is ErrorKind.ROUNDING:
        return say(
            "Double precision loses up to {worst} at the worst rows, at {place}: {clause}.", **told
        )
    low = wording.significant(10**finding.digits.typical, 2)
    high = wording.significant(10**finding.digits.worst, 2)
    return say(
        "Errors grow {times} {rows}; {created} digits of that arise at {place}: {clause}.",
        times=say("{low}-fold", low=low)
        if low == high
        else say("{low}-fold typically and {high}-fold at most", low=low, high=high),
        **told,
    )


def _inner_step(finding: Finding, told: Mapping[str, Field]) -> Phrase:
    if finding.outcome is Outcome.NO_DIGIT:
        return say("An inner step, {at}, keeps no digit {rows} (EIC infinite): {clause}.", **told)
    if finding.at == finding.cause.node:
        return say(
            "The worst step inside is {at} ({typical} typically, {most} at nine in ten rows): "
            "{clause}.",
            **told,
        )
    return say(
        "The worst step inside is {at} ({typical} typically, {most} at nine in ten rows), "
        "{created} of them from {place}: {clause}.",
        **told,
    )


def _exact(causes: Iterable[facts.Cause]) -> Phrase:
    """Whether the exact values are in range, at all of the rows that are told."""
    gone = [cause for cause in causes if isinstance(cause, facts.OutOfRange)]
    fewer, beyond = sum(cause.fewer for cause in gone), sum(cause.beyond for cause in gone)
    held = fewer + sum(cause.in_range for cause in gone)
    if not held:
        return say("the exact value is out of range, too")
    if beyond:
        return say("the exact value is in range at {rows} of {all}", rows=held, all=held + beyond)
    if fewer == held:
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
        case Level.OUT_OF_RANGE:
            return say("out of range")
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
    numbers = verdict.numbers
    if not numbers.without_value:
        return None
    return say("no value at {share}", share=wording.percent(numbers.without_value / numbers.rows))


def measured_mark(verdict: Judgement) -> Phrase | None:
    most, missing = verdict.measured.nine_in_ten, verdict.numbers.without_value
    worn = sum(f.rows or 0 for f in verdict.findings if isinstance(f.cause, facts.RangeCost))
    everywhere = missing + worn == verdict.numbers.rows
    # of rows without a value the other mark tells
    if math.isnan(most) or everywhere or (most >= DOUBLE_DIGITS and missing):
        return None
    if most >= A_DIGIT:
        return say("a program loses {digits}", digits=_at_nine(verdict.measured.quantiles))
    if verdict.measured.worst >= A_DIGIT or verdict.lead is Lead.LOSS:
        return say("computed right at nine in ten rows")
    return say("computed right elsewhere") if missing else say("computed right")


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
    paper = paper_clause(verdict.inspection.eic)
    if verdict.level is Level.OUT_OF_RANGE:
        return say(
            "Values beyond double range cost a program {digits}; {paper}",
            digits=_at_nine(verdict.numbers.range_cost),
            paper=paper,
        )
    return say(
        "Errors of inputs and steps grow by {digits} up to the result; {paper}",
        digits=_at_nine(verdict.sensitivity),
        paper=paper,
    )


def _at_nine(digits: Quantiles) -> Phrase:
    return say("{digits} at nine in ten rows", digits=wording.digits_phrase(digits.nine_in_ten))


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


def notes(verdict: Judgement) -> Iterator[Phrase]:
    """The other findings, a sentence each, and what qualifies the numbers."""
    inspection, formula = verdict.inspection, verdict.inspection.formula
    first = 0 if verdict.leading is None else 1
    apart: dict[tuple[object, ...], Finding] = {}
    for finding in verdict.findings:
        cause = type(finding.cause), finding.cause.node, finding.noise, finding.place
        apart.setdefault(cause if finding.outcome is Outcome.FINITE else (finding,), finding)
    if (given := verdict.given) is not None:
        yield say(
            "Your table gives {name} to {digits} digits; at half of the rows the result keeps "
            "{kept}, in any program.",
            name=input_name(given.name),
            digits=given.digits,
            kept=wording.number(given.kept, 1),
        )
    groups: list[tuple[object, ...]] = []
    for place, finding in enumerate(apart.values()):
        group = finding.outcome, finding.place, finding.noise, finding.rows, finding.digits
        if group in groups and finding.outcome is Outcome.FINITE:
            yield say(
                "Another {created} digits {rows} arise at {place}: {clause}.",
                **_told(finding, formula),
            )
        elif place >= first and finding.outcome is not Outcome.NOT_CHECKED and not _shown(finding):
            yield sentence(finding, formula)
        groups.append(group)
    hidden = [finding.at for finding in verdict.findings if finding.through < HIDDEN]
    if hidden and verdict.level is Level.STABLE:
        yield say(
            "The result hides it: a test of its output would not reveal {place}.",
            place=code_text(formula, hidden[0], LONG),
        )
    if inspection.counts.valid:
        yield from _about_means(inspection)
    if (stop := stop_line(inspection)) is not None:
        yield stop
    elif inspection.counts.rechecked:
        yield say_count(
            "{count} row was settled exactly, in case double precision cannot tell.",
            "{count} rows were settled exactly, in case double precision cannot tell.",
            inspection.counts.rechecked,
        )


def stop_line(inspection: Inspection) -> Phrase | None:
    """Where the effort ended the exact check; None if it was enough."""
    if inspection.finished:
        return None
    return say(
        "Stopped where the effort ended: {checked} of {rows} rows that double precision cannot "
        "tell were settled exactly.",
        checked=inspection.counts.rechecked,
        rows=inspection.counts.rechecked + inspection.counts.left_out,
    )


def guess_line(
    names: Sequence[str], domain: Domain, others: Iterable[tuple[Domain, Judgement]]
) -> Phrase:
    """That the ranges of some variables are a guess, and the verdicts on others that differ.

    >>> print(guess_line(["u", "v"], Domain("uniform", 1.0, 5.0), []))
    `u` and `v` go from 1 to 5, which is a guess.
    """
    told = [
        say(
            "{ends}: {verdict}",
            ends=_ends(there),
            verdict=", ".join(map(str, filter(None, (badge(judged), value_mark(judged))))),
        )
        for there, judged in others
    ]
    listed = wording.join([f"`{name}`" for name in names], limit=4)
    guess = say_count(
        "{names} goes {ends}, which is a guess",
        "{names} go {ends}, which is a guess",
        len(names),
        names=listed,
        ends=_ends(domain),
    )
    if not told:
        return say("{guess}.", guess=guess)
    return say("{guess}; {others}.", guess=guess, others="; ".join(map(str, told)))


def _ends(domain: Domain) -> Phrase:
    low, high = (wording.significant(end) for end in (domain.low, domain.high))
    return say("from {low} to {high}", low=low, high=high)


def eic_line(inspection: Inspection) -> Phrase:
    """EIC by its name, where it is, and the same number of the result.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5]})
    >>> for text in ("sqrt(10000*x - 9999*x)", "log(x) + 1", "x - 2", "sqrt(-x)"):
    ...     print(eic_line(inspect(read(text).formula, samples)))
    EIC 4.39, worst step `10000·x − 9999·x`; of the result 4.09
    EIC ∞ (0.43 without 1 singular row), worst step `log(x)`; of the result 0.20
    EIC 0.60, worst step `x − 2`, the result
    EIC has no value: no row has one
    """
    if not inspection.counts.valid:
        return say("EIC has no value: no row has one")
    root, step = inspection.nodes[-1], inspection.worst_step
    place: Field = code_text(inspection.formula, step, LONG)
    eic = _digits_and_finite(inspection.eic, inspection.eic_finite, inspection.counts.singular)
    if step == root.node.id:
        return say("EIC {eic}, worst step {place}, the result", eic=eic, place=place)
    own = wording.digits_lost(inspection.nodes[step].local_eic)
    if own != wording.digits_lost(inspection.eic):  # steps above pass its loss on, and add a little
        place = say("{place} ({own})", place=place, own=own)
    return say(
        "EIC {eic}, worst step {place}; of the result {result}",
        eic=eic,
        place=place,
        result=_digits_and_finite(root.local_eic, root.local_eic_finite, root.singular),
    )


def _digits_and_finite(digits: float, finite: float, singular: int) -> Phrase | str:
    if not math.isinf(digits) or math.isnan(finite):
        return wording.digits_lost(digits)
    return say_count(
        "∞ ({finite} without {count} singular row)",
        "∞ ({finite} without {count} singular rows)",
        singular,
        finite=wording.digits_lost(finite),
    )


def _about_means(inspection: Inspection) -> Iterator[Phrase]:
    formula, node, rest = inspection.formula, inspection.worst_step, inspection.eic_finite
    if math.isinf(inspection.eic) and rest >= SHOWN:
        yield say(
            "Without the rows at which a step keeps no digit EIC is {eic}, at {place}.",
            eic=wording.digits_lost(rest),
            place=code_text(formula, inspection.finite_worst_step, LONG),
        )
    valid, evaluated = inspection.counts.valid, inspection.nodes[node].evaluated
    if 0 < evaluated < valid:
        yield say(
            "{place} stands in a branch that is taken at {taken} of {rows} rows; its EIC is the "
            "mean over these.",
            place=code_text(formula, node, LONG),
            taken=evaluated,
            rows=valid,
        )
    if (why := unsettled_clause(inspection)) is not None:
        rows = inspection.counts.total
        yield say("The mean is not settled at {rows} rows: {why}.", rows=rows, why=why)
    if shared_noise_differs(inspection):
        yield say(
            "Here every copy of an input or step has an error of its own, as EIC has it; in a "
            "program copies share theirs."
        )
