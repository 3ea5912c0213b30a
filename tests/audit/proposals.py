"""What is wrong in the numbers of better forms, of shortened constants, and of ways that agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from decimal import Context, Decimal

import numpy as np

from eic_core.explain.budget import Budget
from eic_core.explain.facts import OK
from eic_core.explain.shortening import Measure
from eic_core.explain.triangulation import Triangulation
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT
from eic_core.measure.observed import ObservedError
from eic_core.operators import OPERATORS
from eic_core.rewriting import Repairs
from eic_core.rewriting.results import Measured, RowComparison
from eic_core.samples import Samples
from tests.audit.doubles import DoubleError
from tests.audit.oracle import Truth, half_log10
from tests.audit.results import differs
from tests.oracle import mp

ROUNDED = 0.2
"""Digits by which two programs differ that round powers and functions in their own ways."""


FEWEST = 24
"""With fewer rows that have a value the others are taken, too."""


def evenly(truth: Truth, most: int, count: int) -> np.ndarray:
    """So many of the rows with a value, if there are more than `most`."""
    rows = np.flatnonzero(truth.valid)
    if len(rows) < FEWEST:
        rows = np.arange(truth.count)
    return rows if len(rows) <= most else rows[np.arange(count) * len(rows) // count]


def observed_rows(truth: Truth) -> Iterable[int]:
    """The rows that are run in double precision."""
    return evenly(truth, 200, 120).tolist()


def lost_on_average(truth: Truth) -> float:
    """Digits of the result with shared noise, over the measured rows where it is finite."""
    q2 = truth.q2[evenly(truth, 300, 300)]
    q2 = q2[np.isfinite(q2)]
    return half_log10(float(np.mean(q2))) if len(q2) else math.nan


# --- better forms ---


def faults_of_repairs(truth: Truth, found: Repairs) -> Iterator[str]:
    """Whether each form is the same function, and the digits of both are those that are given."""
    rows = observed_rows(truth)
    before = DoubleError(truth.formula, truth, rows)
    if found.before is not None:
        yield from _faults_of_measured(truth, found.before, before, "the formula")
        measured = evenly(truth, 300, 300)
        own2 = truth.own2[measured][np.isfinite(truth.q2[measured])]
        own = half_log10(float(np.mean(own2))) if len(own2) else math.nan
        is_constant = any(not repair.formula.variables for repair in found.repairs[:1])
        if len(own2) and differs(found.own, 0.0 if is_constant else own, 5e-3):
            yield f"own is {own:.4f}, not {found.own:.4f}"
    elif truth.nodes <= 120 and (truth.valid & ~truth.any_singular).any():
        yield "some rows have a finite amplification"
    for each in found.repairs:
        form = read(each.text, columns=tuple(truth.samples.columns)).formula
        other = Truth(form, truth.samples)
        after = DoubleError(form, truth, rows)
        faults = [
            *_same_function(truth, other),
            *_faults_of_measured(other, each.after, after, "it"),
            *_faults_of_comparison(each.compared, before, after),
        ]
        if after.failed > before.failed:
            faults.append(f"{after.failed} rows fail, {before.failed} before")
        yield from (f"{each.text}: {fault}" for fault in faults)


def _same_function(truth: Truth, other: Truth) -> Iterator[str]:
    """Whether the other form has the same values, and one wherever the formula has."""
    wrong = 0
    with mp.workdps(60):
        for mine, theirs in zip(truth.rows, other.rows, strict=True):
            if mine.bad is not None:
                continue
            if theirs.bad is not None:
                wrong += 1
            elif mine.s2[-1] < 1e60:
                gap, size = abs(mine.y[-1] - theirs.y[-1]), abs(mine.y[-1])
                wrong += gap > size * mp.mpf(10) ** -25
    if wrong:
        yield f"it has another value at {wrong} rows"


def _faults_of_measured(
    truth: Truth, told: Measured, double: DoubleError, name: str
) -> Iterator[str]:
    if differs(told.q, lost_on_average(truth), 5e-3):
        yield f"with shared noise {name} loses {lost_on_average(truth):.4f}, not {told.q:.4f}"
    measured = truth.s2[:, evenly(truth, 300, 300)]
    worst = [half_log10(float(np.mean(s2[np.isfinite(s2)]))) for s2 in measured]
    if differs(told.eic, float(np.max(worst)), 5e-3):
        yield f"the worst step of {name} loses {np.max(worst):.4f}, not {told.eic:.4f}"
    for fault in _faults_of_error(told.float64, double):
        yield f"{name}: {fault}"


def _faults_of_error(told: ObservedError, double: DoubleError) -> Iterator[str]:
    counts = told.rows, told.failed, told.out_of_range, told.fewer
    if counts != (double.rows, double.failed, double.beyond, double.fewer):
        yield (
            f"{double.rows} rows, {double.failed} without a value, {double.beyond} beyond, "
            f"{double.fewer} with fewer digits, not {counts}"
        )
        return
    both = told.digits_lost, double.digits
    if told.rows and not told.failed and max(both) > 1.05 and differs(*both, ROUNDED):
        yield f"doubles lose {double.digits:.3f}, not {told.digits_lost:.3f}"


def _faults_of_comparison(
    told: RowComparison, before: DoubleError, after: DoubleError
) -> Iterator[str]:
    """The worst rows are compared beside those that are observed, so that counts are bounds."""
    known = ~np.isnan(before.lost) & ~np.isnan(after.lost)
    rise = (after.lost - before.lost)[known]
    if not len(rise):
        return
    if rise.mean() > 0.1:
        yield f"it loses {rise.mean():.2f} digits more on average"
    if told.rows == len(rise):
        for name, count, least, most in (
            ("less", told.fewer, (rise <= -0.55).sum(), (rise <= -0.45).sum()),
            ("more", told.more, (rise >= 0.55).sum(), (rise >= 0.45).sum()),
        ):
            if not least <= count <= most:
                yield f"at {least} to {most} rows it loses {name}, not {count}"


# --- how many digits are needed ---


def digits_of(label: str) -> int:
    """Significant digits as written, zeros at the end of a whole number not counted."""
    text = "".join(map(str, Decimal(label).as_tuple().digits))
    return max(1, len(text.lstrip("0").rstrip("0")))


def faults_of_budget(truth: Truth, budget: Budget) -> Iterator[str]:
    """Digits that are given and kept, and how far all of it moves the output."""
    for need in budget.needs:
        if need.kind != "constant":
            continue
        if truth.formula.nodes[need.nodes[0]].label != need.name:
            yield f"constant {need.name} does not stand there"
        if need.given != digits_of(need.name) or need.together < digits_of(need.shortened):
            yield f"{need.name} has {digits_of(need.name)} digits, not {need.given}"
    labels = [n.label for n in truth.formula.nodes if n.operator == CONSTANT]
    kept = [n.label for n in budget.formula.nodes if n.operator == CONSTANT]
    for label, other in zip(labels, kept, strict=True):
        decimal = label not in ("pi", "e") and "/" not in label
        if decimal and digits_of(other) > digits_of(label):
            yield f"{other} has more digits than {label}"
    if budget.scale.of != "output":
        return
    moved, unit = _moved(truth, budget), _unit(truth, budget.scale.measure)
    if moved > 1e-11 * unit and abs(budget.deviation - moved / unit) > 0.05 * moved / unit:
        yield f"the output moves by {moved / unit:.4g}, not {budget.deviation:.4g}"


def _unit(truth: Truth, measure: Measure) -> float:
    """The spread of the output; its size where it does not vary; of 0 the largest value at all."""
    y = truth.value(truth.root)
    y = y[np.isfinite(y)]
    largest = float(np.max(np.abs(y), initial=0.0))
    if not largest:
        nodes = [truth.value(k) for k in range(truth.root + 1)]
        return max(float(np.max(np.abs(v[np.isfinite(v)]), initial=0.0)) for v in nodes) or 1.0
    return largest if measure is Measure.SIZE else largest * float(np.std(y / largest))


def _moved(truth: Truth, budget: Budget) -> float:
    """How far the shortened formula, run on shortened inputs, is from the formula (rms)."""
    shortened = read(budget.text, columns=tuple(truth.samples.columns)).formula
    given = {n.name: n.together for n in budget.needs if n.kind == "input"}
    columns = {}
    for name in shortened.variables:
        context, column = Context(prec=given.get(name, 17)), truth.samples.columns[name]
        columns[name] = np.array([float(context.create_decimal(repr(float(x)))) for x in column])
    after = Truth(shortened, Samples.from_columns(columns, count=truth.count))
    gaps = []
    with mp.workdps(60):
        for a, b in zip(truth.rows, after.rows, strict=True):
            if a.bad is None and abs(a.y[-1]) < mp.mpf(2) ** 1024:
                if b.bad is not None:
                    return math.inf
                gaps.append(float(b.y[-1] - a.y[-1]))
    largest = float(np.max(np.abs(gaps), initial=0.0)) or 1.0
    return largest * math.sqrt(float(np.mean(np.square(np.array(gaps) / largest))))


# --- four ways ---


def errors_of(truth: Truth, k: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Observed relative errors at a node in units of roundoff, and q there, at each valid row."""
    roundoff = {"float64": 2.0**-53, "float32": 2.0**-24}[kind]
    values = {"float64": truth.doubles, "float32": truth.singles}[kind][k]
    errors, tiny = np.full(truth.count, math.nan), float(np.finfo(kind).tiny)
    with mp.workdps(60):
        for i, row in enumerate(truth.rows):
            if row.bad is None and row.y[k] and tiny <= abs(values[i]) < math.inf:
                gap = (mp.mpf(float(values[i])) - row.y[k]) / (row.y[k] * roundoff)
                errors[i] = float(gap) if abs(gap) < 1e300 else math.inf
    gains, below = truth.gains(k), truth.subtree(k)
    q2 = np.zeros(truth.count)
    for group in truth.classes:
        members = [j for j in group if j in below]
        if members:
            q2 += np.square(gains[members].sum(axis=0))
    return errors, np.sqrt(q2)


def faults_of_ways(truth: Truth, found: Triangulation) -> Iterator[str]:
    """Where the ways are said to agree, plain arithmetic errs by what shared noise says."""
    for node in found.nodes:
        k = node.node_id
        if not _comparable(truth, k) or node.agreement.badge != OK:
            continue
        for kind, roundoff in (("float64", 2.0**-53), ("float32", 2.0**-24)):
            errors, q = errors_of(truth, k, kind)
            usable = np.isfinite(errors) & np.isfinite(q) & (q * roundoff < 1e-3)
            if usable.sum() < 3:
                continue
            ratio = math.sqrt(float(np.mean(np.square(errors[usable] / q[usable]))))
            if ratio > 1.7 or (ratio < 0.07 and _varies(truth, k)):
                yield f"at node {k} {kind} errs {ratio:.3f} times what is expected"


def _varies(truth: Truth, k: int) -> bool:
    """Whether most of a step's noise is not the same at each row."""
    squares = truth.squares(k)
    moving = [j for j in truth.subtree(k) if truth.formula.subtree(j).variables]
    return bool(truth.formula.nodes[k].children) and squares[moving].sum() > 0.5 * squares.sum()


def _comparable(truth: Truth, k: int) -> bool:
    """Whether a node bears noise at all: no truth value, no 0, no branch that is not taken."""
    node = truth.formula.nodes[k]
    values = [row.y[k] for row in truth.rows if row.bad is None]
    if node.children and OPERATORS[node.operator].truth:
        return False
    if truth.singular(k).any():
        return True
    rounded = any((errors_of(truth, k, kind)[0] != 0).any() for kind in ("float64", "float32"))
    return any(values) and (rounded or not node.children)
