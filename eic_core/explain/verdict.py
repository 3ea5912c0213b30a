"""The verdict on a formula: its findings, the one that leads, and the level of its result.

ADR 0009. Facts alone; `eic_core.explain.phrases.headline` says them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.explain.causes import STEP, Explained, explain_loss, singular_causes
from eic_core.explain.created import noise_sums, sums_below
from eic_core.explain.findings import (
    Accumulated,
    BeyondEveryRange,
    BeyondReduction,
    Cause,
    CheckEnded,
    ErrorKind,
    Finding,
    InfiniteSlope,
    NotTold,
    OutOfRange,
    OutsideDomain,
    OwnInaccuracy,
    Place,
    RangeCost,
    TurnedByRange,
    TurnedByRounding,
    Way,
)
from eic_core.explain.judgement import (
    A_DIGIT,
    BORDER,
    NO_VALUE,
    SENSITIVE_FROM,
    VERY_FROM,
    Judgement,
    Lead,
    Level,
    VerdictNumbers,
    given_digits,
    numbers_of,
)
from eic_core.explain.phrases.headline import headline, notes
from eic_core.exports import keys_within
from eic_core.formula.tree import VARIABLE
from eic_core.measure.double_range import Held, double_range
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.measured import MeasuredLoss, quantiles_of
from eic_core.measure.observed import exact_values, observe
from eic_core.measure.outcomes import Outcomes, outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from eic_core.phrasing import Phrase

Rows = npt.NDArray[np.int64]

MOST_EXPLAINED = 4_000_000
"""Nodes times rows by which a loss is explained, at most; of more rows every so many-th."""

MOST_SETTLED_EXPLAINED = 1_000
"""The same of rows that were settled exactly, which are slow."""

FEW_ROWS = 20
"""Rows at which the accuracy of each operation is looked at."""

Group = tuple[Outcome, int, Reason]


class Verdict(Judgement):
    """What is judged of a formula, and its sentences."""

    _JSON = (
        "level",
        "borderline",
        "sentence",
        "lead",
        "leading",
        *keys_within("numbers", VerdictNumbers._JSON[1:5]),
        "given",
    )

    @property
    def sentence(self) -> Phrase:
        """The headline: one sentence of at most 25 words."""
        return headline(self)

    @property
    def notes(self) -> tuple[Phrase, ...]:
        """The other findings, a sentence each, and what qualifies the numbers."""
        return tuple(notes(self))


@cached_on_inspection
def verdict(inspection: Inspection) -> Verdict:
    """Find what a formula keeps and where it loses digits, and why.

    Parameters
    ----------
    inspection
        Its result is judged.

    Returns
    -------
    Verdict
        Its findings, and the level of its result.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.1]})
    >>> said = verdict(inspect(read("10000*x-9999*x").formula, samples))
    >>> said.level.value, said.lead.value, said.leading.cause.name(), said.leading.cause.node
    ('very-sensitive', 'loss', 'cancellation', 6)
    """
    result = outcomes(inspection)
    numbers = numbers_of(inspection)
    level, borderline = level_of(numbers.sensitivity.nine_in_ten)
    if numbers.range_cost.nine_in_ten > max(numbers.sensitivity.nine_in_ten, A_DIGIT):
        level, borderline = Level.OUT_OF_RANGE, False
    ranked = [
        *_without_value(inspection, result),
        *_of_program(inspection, result, numbers.measured),
        *_of_sensitivity(inspection, result),
    ]
    # before all else what a program gets wrong; of that rows times digits decide, and beside a loss
    # all rows without a value count together, whatever they are due to
    without = DOUBLE_DIGITS * numbers.without_value
    ranked.sort(
        key=lambda each: (
            _TIERS[each.lead],
            -(without if each.lead is Lead.NO_VALUE else each.harm),
            each.lead is not Lead.NO_VALUE,
            -each.harm,
        )
    )
    leading = next((each for each in ranked if _leads(each, level)), None)
    ranked.sort(key=lambda each: each is not leading)
    return Verdict(
        inspection,
        Lead.NOTHING if leading is None else leading.lead,
        tuple([each.finding for each in ranked]),
        numbers,
        level,
        borderline,
        None if level is Level.STABLE else given_digits(inspection),
    )


def level_of(digits: float) -> tuple[Level, bool]:
    """The level of a sensitivity at nine in ten rows, and whether it is borderline.

    >>> [(level.value, near) for level, near in map(level_of, (0.4, 0.9, 1.5, 2.5, math.nan))]
    [('stable', False), ('stable', True), ('sensitive', False), ('very-sensitive', False), \
('undefined', False)]
    """
    if math.isnan(digits):
        return Level.UNDEFINED, False
    near = min(abs(digits - SENSITIVE_FROM), abs(digits - VERY_FROM)) <= BORDER
    if digits < SENSITIVE_FROM:
        return Level.STABLE, near
    return Level.SENSITIVE if digits <= VERY_FROM else Level.VERY_SENSITIVE, near


class _Ranked(NamedTuple):
    lead: Lead
    harm: float  # Rows times digits
    finding: Finding


_TIERS = {Lead.NO_VALUE: 0, Lead.LOSS: 0, Lead.SENSITIVITY: 1, Lead.NOTHING: 2}


def _leads(ranked: _Ranked, level: Level) -> bool:
    """Whether a finding is worth the headline."""
    if not ranked.harm:
        return False
    if ranked.finding.rows is None:  # measured at a part of the rows
        return ranked.finding.digits.nine_in_ten >= A_DIGIT or level is Level.STABLE
    return ranked.finding.outcome is not Outcome.FINITE or level is not Level.STABLE


def _beside(finding: Finding) -> _Ranked:
    """A finding that never leads."""
    return _Ranked(Lead.NOTHING, 0.0, finding)


def _groups(result: Outcomes, *kinds: Outcome) -> Iterator[tuple[Group, Rows]]:
    """The rows of some outcomes, by outcome, step and reason."""
    rows = result.rows(*kinds)
    table = np.stack([result.kinds[rows], result.nodes[rows], result.reasons[rows]])
    for key in np.unique(table, axis=1).T if len(rows) else ():
        kind, node, reason = key.tolist()
        part = rows[(table == key[:, None]).all(axis=0)]
        yield (Outcome(kind), node, Reason(reason)), part


def _finding(
    inspection: Inspection,
    result: Outcomes,
    outcome: Outcome,
    cause: Cause,
    rows: Rows,
    created: float = math.nan,
) -> Finding:
    return Finding(
        outcome=outcome,
        cause=cause,
        rows=len(rows),
        of=len(result.kinds),
        digits=quantiles_of(result.digits[rows]),
        noise=ErrorKind.INDEPENDENT,
        place=Place.RESULT,
        created=created,
        at=inspection.formula.root.id,
    )


def _of_rows(lead: Lead, result: Outcomes, rows: Rows, finding: Finding) -> _Ranked:
    return _Ranked(lead, float(np.sum(result.digits[rows])), finding)


# No value


_WAYS = {
    Reason.OVERFLOW: Way.OVERFLOW,
    Reason.UNDERFLOW: Way.UNDERFLOW,
    Reason.ROUNDED_TO_ZERO: Way.ROUNDED_TO_ZERO,
    Reason.ROUNDED_OUT: Way.ROUNDED_OUT,
}

_UNKNOWN: Mapping[Reason, Callable[[int], Cause]] = {
    Reason.DOMAIN: OutsideDomain,
    Reason.INDISTINCT: NotTold,
    Reason.UNREDUCED: BeyondReduction,
    Reason.LEAVES: BeyondEveryRange,
}


def _without_value(inspection: Inspection, result: Outcomes) -> Iterator[_Ranked]:
    for (outcome, node, reason), rows in _groups(result, *NO_VALUE):
        harm = DOUBLE_DIGITS * len(rows)
        if outcome is Outcome.NO_DOUBLE:
            cause: Cause = (gone := _out_of_range(inspection, node, reason, rows))
            # no program could hold those, so that they matter less beside others without a value
            harm -= 0.5 * DOUBLE_DIGITS * gone.beyond
        else:
            cause = _UNKNOWN[reason](node)
        finding = _finding(inspection, result, outcome, cause, rows)
        yield _Ranked(Lead.NO_VALUE, harm, finding)
    for (outcome, node, _), rows in _groups(result, Outcome.NOT_CHECKED):
        cause = CheckEnded(node, inspection.counts.rechecked)
        yield _beside(_finding(inspection, result, outcome, cause, rows))


def _out_of_range(inspection: Inspection, node: int, reason: Reason, rows: Rows) -> OutOfRange:
    lost = double_range(inspection)
    held = lost.held[np.isin(lost.lost.rows, rows)].tolist()
    return OutOfRange(
        node,
        _WAYS[reason],
        in_range=held.count(Held.NORMAL),
        fewer=held.count(Held.FEWER),
        beyond=held.count(Held.BEYOND),
    )


# What a program loses


def _of_program(
    inspection: Inspection, result: Outcomes, measured: MeasuredLoss
) -> Iterator[_Ranked]:
    for (outcome, node, reason), rows in _groups(result, Outcome.DECIDED, Outcome.RANGE_LOSS):
        if reason is Reason.JUMP:
            continue
        cause: Cause = TurnedByRounding(node)
        if outcome is Outcome.RANGE_LOSS:
            cause = RangeCost(node, _WAYS[reason])
        elif reason is Reason.RANGE:
            cause = TurnedByRange(node)
        finding = _finding(inspection, result, outcome, cause, rows)
        yield _of_rows(Lead.LOSS, result, rows, finding)
    lost = np.nan_to_num(measured.lost)
    explained_above = np.isin(result.kinds, (Outcome.NO_DOUBLE, Outcome.RANGE_LOSS))
    explained_above |= (result.kinds == Outcome.DECIDED) & (result.reasons != Reason.JUMP)
    lost[explained_above[measured.positions]] = 0.0
    large = lost >= A_DIGIT
    digits = quantiles_of(lost, measured.weights)
    if not large.any():
        return
    harm = float(np.sum((measured.weights * lost)[large]))
    rows = measured.positions[large]
    for second, (cause, created) in enumerate(_explained_by_rounding(inspection, result, rows)):
        finding = replace(
            _finding(inspection, result, Outcome.FINITE, cause, rows, created),
            rows=None,
            digits=digits,
            noise=ErrorKind.ROUNDING,
        )
        yield _beside(finding) if second else _Ranked(Lead.LOSS, harm, finding)


def _explained_by_rounding(
    inspection: Inspection, result: Outcomes, rows: Rows
) -> tuple[Explained, ...]:
    """Why roundings alone cost digits at these rows: inputs and whole constants are exact."""
    formula = inspection.formula
    infinite = np.isinf(inspection.amplification.trace(formula.root.id)[1][rows])
    if 2 * np.count_nonzero(infinite) > len(rows):  # what leaves no digit is the cause
        nodes = result.nodes[rows[infinite]]
        node = int(np.argmax(np.bincount(nodes)))
        part = rows[infinite][nodes == node]
        cause, _ = next(singular_causes(inspection, node, part))
        return (Explained(cause, math.nan),)
    rows = rows[~infinite]
    silent = np.array([n.operator == VARIABLE or _is_double(n.label) for n in formula.nodes])
    explained = explain_loss(inspection, formula.root.id, rows, silent)
    if not isinstance(explained[0].cause, Accumulated) or explained[0].created >= STEP:
        return explained
    own = _least_accurate(inspection, rows)
    return explained if own is None else (Explained(own, math.nan),)


def _least_accurate(inspection: Inspection, rows: Rows) -> OwnInaccuracy | None:
    """The operation that is most off on the operands that it is given; None if all are right."""
    some = inspection.samples.take(rows[:: max(1, len(rows) // FEW_ROWS)])
    worst, by = -1, A_DIGIT
    exact = exact_values(inspection.formula, some, "float64")
    for node, seen in enumerate(observe(exact, some, "float64")):
        off = np.abs(seen.rounding[np.isfinite(seen.rounding)])
        digits = math.log10(max(1.0, float(np.max(off, initial=1.0))))
        if inspection.formula.nodes[node].children and digits > by:
            worst, by = node, digits
    return None if worst < 0 else OwnInaccuracy(worst, by)


def _is_double(label: str) -> bool:
    try:
        return Fraction(label) == Fraction(float(Fraction(label)))
    except (ValueError, OverflowError, ZeroDivisionError):
        return False


# What errors of inputs and steps grow to


def _of_sensitivity(inspection: Inspection, result: Outcomes) -> Iterator[_Ranked]:
    singular = (Outcome.NO_DIGIT, Outcome.FOLLOWS, Outcome.DECIDED, Outcome.STEEP)
    for (outcome, node, reason), rows in _groups(result, *singular):
        causes: Iterable[tuple[Cause, Rows]] = ()
        if outcome is Outcome.STEEP:
            causes = [(InfiniteSlope(node), rows)]
        elif reason is Reason.FIRST_ORDER:
            yield from _first_order(inspection, result, outcome, rows)
        elif reason in (Reason.JUMP, Reason.ZERO):
            causes = singular_causes(inspection, node, rows)
        for cause, part in causes:
            finding = _finding(inspection, result, outcome, cause, part)
            yield _of_rows(Lead.SENSITIVITY, result, part, finding)
    finite = result.rows(Outcome.FINITE)
    rows = finite[result.digits[finite] >= SENSITIVE_FROM]
    if len(rows):
        yield from _first_order(inspection, result, Outcome.FINITE, rows)
    yield from _worst_step(inspection, result)


def _first_order(
    inspection: Inspection, result: Outcomes, outcome: Outcome, rows: Rows
) -> Iterator[_Ranked]:
    root = inspection.formula.root.id
    _, s = inspection.amplification.trace(root)
    few = max(1, MOST_EXPLAINED // len(inspection.formula))
    settled = np.count_nonzero(np.isin(rows, inspection.amplification.exact.rows))
    every = max(1, math.ceil(len(rows) / few), settled // MOST_SETTLED_EXPLAINED)
    some = rows[np.isfinite(s[rows])][::every]
    for second, (cause, created) in enumerate(explain_loss(inspection, root, some)):
        finding = _finding(inspection, result, outcome, cause, rows, created)
        leads = _of_rows(Lead.SENSITIVITY, result, rows, finding)
        yield _beside(finding) if second else leads


def _worst_step(inspection: Inspection, result: Outcomes) -> Iterator[_Ranked]:
    """The step of largest local EIC, where it is not the result, and loses a digit or more; where
    it keeps none, at the rows at which the result does.
    """
    worst, eic = inspection.worst_step, inspection.eic
    if worst == inspection.formula.root.id or not eic >= SENSITIVE_FROM:
        return
    _, of_result = inspection.amplification.trace(inspection.formula.root.id)
    _, s = inspection.amplification.trace(worst)
    with np.errstate(invalid="ignore"):
        digits = quantiles_of(np.log10(s))
    outcome = Outcome.NO_DIGIT if math.isinf(eic) else Outcome.FINITE
    explained: list[tuple[Cause, Rows, float]] = []
    if math.isinf(eic):
        for why, at in singular_causes(inspection, worst):
            if len(hidden := at[~np.isinf(of_result[at])]):
                explained.append((why, hidden, math.nan))
    else:
        known = np.flatnonzero(np.isfinite(s))
        explained += [(why, known, created) for why, created in explain_loss(inspection, worst)]
    for cause, rows, created in explained:
        finding = replace(
            _finding(inspection, result, outcome, cause, rows, created),
            digits=digits,
            place=Place.WORST_STEP,
            at=worst,
            through=_share_through(inspection, worst),
        )
        yield _beside(finding)


def _share_through(inspection: Inspection, node: int) -> float:
    arrived = noise_sums(inspection, inspection.formula.root.id).squares
    through = sums_below(inspection.formula, arrived)
    return float(through[node]) / float(through[-1]) if arrived.any() else math.nan
