"""What is wrong in a verdict: rows, digits and causes of its findings, and what leads."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np

from eic_core.explain import findings as f
from eic_core.explain.findings import ErrorKind, Finding, Place
from eic_core.explain.judgement import GivenDigits
from eic_core.explain.verdict import Lead, Verdict
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.measured import Quantiles
from eic_core.measure.outcomes import Outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from tests.audit.causes import faults_of_cause, faults_of_origin
from tests.audit.oracle import Truth
from tests.audit.results import differs

WITHOUT = (Outcome.NO_REAL_VALUE, Outcome.UNKNOWN, Outcome.NO_DOUBLE)
A_DIGIT, VERY, BORDER = 1.0, 2.0, 0.2


def quantile(digits: np.ndarray, part: float) -> float:
    """The least number of digits that so large a part of the rows does not exceed."""
    known = np.sort(digits[~np.isnan(digits)])
    return float(known[max(0, math.ceil(part * len(known) - 1e-9) - 1)]) if len(known) else math.nan


def faults_of_quantiles(told: Quantiles, digits: np.ndarray, name: str) -> Iterator[str]:
    for key, part in (("typical", 0.5), ("nine_in_ten", 0.9), ("worst", 1.0)):
        if differs(getattr(told, key), quantile(digits, part)):
            yield f"{name}, {key}: {quantile(digits, part):.4f}, not {getattr(told, key):.4f}"
    nine = told.nine_in_ten
    if not math.isnan(nine) and not told.low <= nine <= told.high:
        yield f"{name}: {nine:.3f} is not between {told.low:.3f} and {told.high:.3f}"


def faults_of_verdict(truth: Truth, found: Verdict, rows: Outcomes) -> Iterator[str]:
    """What is wrong in a verdict, its outcomes by row being right."""
    beyond = np.isin(rows.kinds, (Outcome.NO_DOUBLE, Outcome.RANGE_LOSS))
    with np.errstate(divide="ignore", invalid="ignore"):
        first_order = np.minimum(np.log10(truth.s(truth.root)), DOUBLE_DIGITS)
    sensitivity = np.where(beyond, first_order, rows.digits)
    cost = np.where(beyond | np.isnan(rows.digits), rows.digits, 0.0)
    yield from faults_of_quantiles(found.sensitivity, sensitivity, "sensitivity")
    yield from faults_of_quantiles(found.numbers.range_cost, cost, "range cost")
    yield from _level(found, quantile(cost, 0.9))
    if found.given is not None:
        yield from _given(truth, found.given)
    for finding in found.findings:
        name = f"{finding.outcome.name} {finding.cause}"
        yield from (f"{name}: {fault}" for fault in _finding(truth, finding, found, rows))
    yield from _groups(found, rows)
    yield from _leads(found, rows)


def _level(found: Verdict, cost: float) -> Iterator[str]:
    nine = found.sensitivity.nine_in_ten
    level = "undefined"
    if cost > max(nine, A_DIGIT):
        if (found.level.value, found.borderline) != ("out-of-range", False):
            yield f"{cost:.3f} digits lost to range are out of range, not {found.level.value}"
        return
    if not math.isnan(nine):
        level = "stable" if nine < A_DIGIT else "sensitive" if nine <= VERY else "very-sensitive"
    if found.level.value != level:
        yield f"{nine:.3f} digits at nine rows in ten are {level}, not {found.level.value}"
    near = min(abs(nine - A_DIGIT), abs(nine - VERY)) <= BORDER
    if found.borderline is not near:
        yield f"{nine:.3f} digits are borderline: {near}"


def _finding(truth: Truth, finding: Finding, found: Verdict, rows: Outcomes) -> Iterator[str]:
    if finding.of != truth.count:
        yield f"there are {truth.count} rows, not {finding.of}"
    lost, silent = _rows_of(truth, finding, found, rows)
    alike = [e.rows or 0 for e in found.findings if _key(e) == _key(finding)]
    if finding.rows is not None and len(lost) not in (finding.rows, sum(alike)):
        yield f"{len(lost)} rows, not {finding.rows}"
    elif finding.place is Place.WORST_STEP:
        if truth.local(finding.at) < 0.85 * truth.eic - 0.01:  # or a step that passes it on
            yield f"{truth.local(finding.at):.3f} digits there, {truth.eic:.3f} at most"
        with np.errstate(divide="ignore", invalid="ignore"):
            digits = np.log10(truth.s(finding.at))
        yield from faults_of_quantiles(finding.digits, digits, "digits")
    elif finding.rows == len(lost):
        yield from faults_of_quantiles(finding.digits, rows.digits[lost], "digits")
    if isinstance(finding.cause, f.Accumulated) and not finding.cause.most:
        yield "a loss to which no step adds"
    every = finding.place is Place.WORST_STEP
    yield from faults_of_cause(truth, finding.cause, finding.at, None if every else lost)
    first_order = math.isfinite(finding.created) and not isinstance(finding.cause, f.Accumulated)
    if first_order and finding is _first_of(found, finding):
        some = None if every else lost
        node, created = finding.cause.node, finding.created
        yield from faults_of_origin(truth, finding.at, node, created, some, silent)


def _key(finding: Finding) -> tuple[object, ...]:
    return finding.outcome, finding.cause, finding.place, finding.noise


def _rows_of(
    truth: Truth, finding: Finding, found: Verdict, rows: Outcomes
) -> tuple[np.ndarray, frozenset[int]]:
    """The rows that a finding is about, and the nodes that bring no noise of their own there."""
    if finding.noise is ErrorKind.ROUNDING:
        beside = np.isin(
            found.measured.positions,
            rows.rows(Outcome.NO_DOUBLE, Outcome.DECIDED, Outcome.RANGE_LOSS),
        )
        large = (np.nan_to_num(found.measured.lost) >= A_DIGIT) & ~beside
        return found.measured.positions[large], _without_rounding(truth)
    if finding.place is Place.WORST_STEP:
        s2 = truth.s2[finding.at]
        lost = np.isinf(s2) if finding.outcome is Outcome.NO_DIGIT else np.isfinite(s2)
        return np.flatnonzero(lost), frozenset()
    at = rows.rows(finding.outcome)
    if finding.outcome is Outcome.FINITE:
        return at[rows.digits[at] >= A_DIGIT], frozenset()
    first_order = rows.reasons[at] == Reason.FIRST_ORDER
    if not math.isnan(finding.created):
        return at[first_order], frozenset()
    own = (rows.nodes[at] == finding.cause.node) & ~first_order
    return at[own & _same_reason(finding, rows)[at]], frozenset()


def _same_reason(finding: Finding, rows: Outcomes) -> np.ndarray:
    """Rows whose reason is that of the cause, where one step may have several."""
    names = {
        f.OutOfRange: ("OVERFLOW", "UNDERFLOW", "ROUNDED_TO_ZERO", "ROUNDED_OUT"),
        f.RangeCost: ("OVERFLOW", "UNDERFLOW"),
        f.TurnedByRange: ("RANGE",),
        f.TurnedByRounding: ("ROUNDING",),
        f.NotTold: ("INDISTINCT",),
        f.BeyondReduction: ("UNREDUCED",),
        f.BeyondEveryRange: ("LEAVES",),
    }
    allowed = names.get(type(finding.cause))
    if allowed is None:
        return np.ones(len(rows.kinds), dtype=bool)
    way = getattr(finding.cause, "way", None)
    chosen = [Reason[name] for name in allowed if way is None or name.lower() == way.value]
    return np.isin(rows.reasons, chosen)


def _without_rounding(truth: Truth) -> frozenset[int]:
    """Inputs, and constants that a double holds."""
    found = set()
    for node in truth.formula.nodes:
        if node.operator == VARIABLE:
            found.add(node.id)
        elif node.operator == CONSTANT and node.label not in ("pi", "e"):
            exact = Fraction(node.label)
            if abs(exact) < 2**1024 and exact == Fraction(float(exact)):
                found.add(node.id)
    return frozenset(found)


def _first_of(found: Verdict, finding: Finding) -> Finding:
    """The finding that names the largest step of the same loss."""
    alike = [
        each
        for each in found.findings
        if (each.outcome, each.noise, each.place, each.at)
        == (finding.outcome, finding.noise, finding.place, finding.at)
        and not math.isnan(each.created)
    ]
    return max(alike, key=lambda each: each.created)


def groups_of(found: Verdict, rows: Outcomes) -> tuple[dict[Outcome, int], dict[Outcome, int]]:
    """How many rows of each outcome the findings have, and how many there are.

    Finite rows count from a digit on; of a loss of first order its largest step alone.
    """
    counted = dict.fromkeys(Outcome, 0)
    first_order: set[tuple[Outcome, int]] = set()
    for each in found.findings:
        if each.place is Place.RESULT and each.rows is not None:
            key = each.outcome, each.at
            if math.isnan(each.created) or key not in first_order:
                counted[each.outcome] += each.rows
            if not math.isnan(each.created):
                first_order.add(key)
    there = {kind: rows.count(kind) for kind in Outcome}
    finite = rows.digits[rows.rows(Outcome.FINITE)]
    return counted, there | {Outcome.FINITE: int(np.count_nonzero(finite >= A_DIGIT))}


def _groups(found: Verdict, rows: Outcomes) -> Iterator[str]:
    """Whether each row with an outcome of its own stands in one finding, and in no other."""
    counted, there = groups_of(found, rows)
    for kind in Outcome:
        if counted[kind] != there[kind]:
            yield f"findings of {kind.name} have {counted[kind]} rows, not {there[kind]}"


def _leads(found: Verdict, rows: Outcomes) -> Iterator[str]:
    """Whether what matters most stands first."""
    without, program = rows.count(*WITHOUT), rows.count(Outcome.RANGE_LOSS)
    right = found.measured.nine_in_ten < A_DIGIT or math.isnan(found.measured.nine_in_ten)
    if found.lead is Lead.NOTHING and (without or program or not right or _sensitive(found)):
        yield "all is said to be well"
    if found.lead is Lead.SENSITIVITY and (without or program or not right):
        yield "sensitivity leads where a program gets no value, or a wrong one"
    leading = found.leading
    if found.lead is Lead.NO_VALUE and (leading is None or leading.outcome not in WITHOUT):
        yield "what leads has a value"
    if leading is not None and leading.outcome in WITHOUT:
        most = max(_rows_without(e) for e in found.findings if e.outcome in WITHOUT)
        if _rows_without(leading) != most:
            yield f"another finding has {most} rows without a value, the leading {leading.rows}"


def _rows_without(finding: Finding) -> float:
    """Its rows; those whose value no double holds, in any program, count half."""
    beyond = finding.cause.beyond if isinstance(finding.cause, f.OutOfRange) else 0
    return (finding.rows or 0) - 0.5 * beyond


def _sensitive(found: Verdict) -> bool:
    return found.sensitivity.nine_in_ten >= A_DIGIT


def _given(truth: Truth, given: GivenDigits) -> Iterator[str]:
    """Whether the cells have so many digits, and leave so many of the result."""
    digits = {
        name: max(len(Decimal(row.cells[name]).normalize().as_tuple().digits) for row in truth.rows)
        for name in truth.formula.variables
    }
    if digits[given.name] != given.digits or given.digits != min(digits.values()):
        yield f"the cells have {digits} digits, not {given.digits}"
    leaves = {name: [n.id for n in truth.formula.nodes if n.label == name] for name in digits}
    kept = []
    for row in (row for row in truth.rows if row.bad is None):
        gains = {name: sum(row.gains[-1].get(k, 0.0) for k in ids) for name, ids in leaves.items()}
        error = math.hypot(*(gain * 10.0 ** -digits[name] for name, gain in gains.items()))
        kept.append(min(DOUBLE_DIGITS, max(0.0, -math.log10(error))) if error else DOUBLE_DIGITS)
    if not min(kept) - 1e-6 <= given.kept <= max(kept) + 1e-6:
        yield f"{given.kept:.4f} digits are kept, of {sorted(kept)}"
