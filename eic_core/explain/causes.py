"""Why a step loses digits, or leaves none: from the numbers at its rows to a typed cause."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.engine.amplify import amplify
from eic_core.engine.exact import GREAT_DEPTH, ExactEvaluator
from eic_core.engine.tape import tape_of
from eic_core.explain.created import (
    CreatedLoss,
    created_losses,
    digits_created_at,
    losses_by_step,
    row_weights,
    times_of,
)
from eic_core.explain.findings import (
    Accumulated,
    BeyondDoubles,
    Cancellation,
    Cause,
    ErrorInExponent,
    Extent,
    GrowthOfLargeNumber,
    LargeArgument,
    LargeExponent,
    NearEdge,
    NearPole,
    NearZero,
    NearZerosAndPoles,
    NoDigitLeft,
    OnThreshold,
    SteepStep,
    Zero,
    ZeroTerm,
)
from eic_core.formula.tree import Node
from eic_core.measure.inspection import Inspection
from eic_core.operators import NUMPY, OPERATORS, Operator
from eic_core.operators.wide import Array

Rows = npt.NDArray[np.int64]

MAX_ROWS = 2_000
"""Evidence is taken from at most this many samples, evenly spaced."""

FAR, CLOSE = 2.0, 0.5
"""Within half a turn, larger values of a periodic function are near a pole, smaller near a zero."""

MOST = 0.5
"""The part of a loss that is most of it."""

CROSSING = 0.1
"""Where a crossing does the harm, a smaller part of the two terms is left."""

FEELS = 2.0
"""Where a function multiplies noise by less, it is not the cause."""

STEP = 0.35
"""Digits that a step must create to be a cause: more than a square or a sum of two adds."""

WORTH_NAMING = 0.25
"""The part of a loss that a second step must create to be named beside the first."""

NEARLY_ALL = 0.9
"""The part of the rows from which it is said of all."""

HEADLINE = 0.9
"""A headline tells what the rows above this quantile lose: these have the cause that it names."""

ONE_KIND = 0.4
"""Where fewer of the rows that are near zeros or poles are near one of these, the others are it."""


class Explained(NamedTuple):
    cause: Cause
    created: float  # Digits that its step, with its copies, creates


def explain_loss(
    inspection: Inspection,
    target: int,
    rows: Rows | None = None,
    silent: npt.NDArray[np.bool_] | None = None,
) -> tuple[Explained, ...]:
    """The step that creates most of a node's loss and why, and a second large one.

    Without `rows` of the node's local EIC, where rows weigh by their s^2; else of the mean of
    log10 s over these. `silent` nodes of its subtree bring no noise of their own.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.01]})
    >>> [(first, created), *_] = explain_loss(inspect(read("(x-0.999)**4").formula, samples), 3)
    >>> first.node, first.extent.value, round(created, 1)
    (2, 'everywhere', 3.0)
    """
    if rows is None:
        losses = created_losses(inspection, target)
    else:
        created = digits_created_at(inspection, target, rows, silent)
        losses = losses_by_step(inspection, target, created)
    if not losses:
        return (Explained(Accumulated(target, 0.0), 0.0),)
    whole = math.fsum(loss.digits for loss in losses)
    first = _cause_of(inspection, losses[0], target, rows)
    if losses[0].digits < STEP and not isinstance(first, BeyondDoubles):
        most = max(losses[0].digits, 0.0)
        return (Explained(Accumulated(losses[0].node_id, most), most),)
    explained = [Explained(first, losses[0].digits)]
    if len(losses) > 1 and losses[1].digits >= max(STEP, WORTH_NAMING * whole):
        second = _cause_of(inspection, losses[1], target, rows)
        explained.append(Explained(second, losses[1].digits))
    return tuple(explained)


def _cause_of(inspection: Inspection, loss: CreatedLoss, target: int, rows: Rows | None) -> Cause:
    evidence = gather_evidence(inspection, loss.node_id, target, rows)
    return finite_cause(evidence) or _plain_cause(loss, evidence)


# The evidence


@dataclass(frozen=True)
class Evidence:
    """A node at valid, non-singular samples; there may be none."""

    inspection: Inspection
    node: Node
    target: int  # The node whose loss is explained, at or above it
    rows: Rows
    weights: Array  # shape (n,): what the node creates of the target's loss, normalised to sum 1
    # Whether rows weigh by the digits created there, and not by the noise of the step alone
    by_digits: bool = False

    @cached_property
    def y(self) -> Array:
        """Shape (n,): nan throughout if the node leaves double range at all of them."""
        return self.inspection.amplification.trace(self.node.id)[0][self.rows]

    @cached_property
    def operands(self) -> tuple[Array, ...]:
        trace = self.inspection.amplification.trace
        return tuple(trace(child)[0][self.rows] for child in self.node.children)

    @property
    def edge_shares(self) -> tuple[float, ...]:
        return self.inspection.nodes[self.node.id].edge_shares

    @property
    def crosses(self) -> bool:
        """Whether the node is known to pass through a zero at which it loses every digit."""
        return self.inspection.sign_changes.at(self.node.id).loses_at_zero

    @property
    def divides(self) -> bool:
        """Whether the step above has a pole at such a zero."""
        formula = self.inspection.formula
        above = formula.parents[self.node.id]
        if above is None or not self.crosses:
            return False
        step = formula.nodes[above]
        at_zero = [np.array(float(child != self.node.id)) for child in step.children]
        row = OPERATORS[step.operator]
        pole, p = row.pole, row.parameter(step.parameter)
        return pole is not None and bool(pole(NUMPY, at_zero, p))

    @property
    def largest(self) -> float:
        """The largest finite size of the first operand over all samples at which the node keeps a
        digit; nan if none is finite.
        """
        trace = self.inspection.amplification.trace
        y, _ = trace(self.node.children[0])
        finite = y[np.isfinite(trace(self.node.id)[1]) & np.isfinite(y)]
        values = finite if len(finite) else self.operands[0][np.isfinite(self.operands[0])]
        return float(np.max(np.abs(values))) if len(values) else math.nan

    def typical(self, values: Array) -> float:
        """The weighted median: a typical value where digits are lost; nan if there is none."""
        return weighted_median(values, self.weights)


def weighted_median(values: Array, weights: Array) -> float:
    """The median of the finite values; nan if there are none."""
    finite = np.isfinite(values)
    if not finite.any():
        return math.nan
    order = np.argsort(values[finite], kind="stable")
    sums = np.cumsum(weights[finite][order])
    place = int(np.searchsorted(sums, 0.5 * sums[-1]))
    return float(values[finite][order[min(place, len(order) - 1)]])


def gather_evidence(
    inspection: Inspection, node_id: int, target: int, rows: Rows | None = None
) -> Evidence:
    """Evidence at one node at up to `MAX_ROWS` samples, weighted by what it creates of the loss of
    `target`, a node at or above it: of its local EIC, or of the mean digits over `rows`.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> gather_evidence(inspect(read("3*x").formula, samples), 2, 2).y.tolist()
    [3.0, 6.0]
    """
    created = _created_at(inspection, node_id, target, rows)
    at = _evidence_rows(inspection, node_id, created, rows)
    _, s = inspection.amplification.trace(node_id)
    finite = at[np.isfinite(s[at])]
    if len(finite):
        at = finite
        with np.errstate(over="ignore"):
            weights = np.square(s[at] / s[at].max())
    else:
        weights = np.ones(len(at))
    if np.any(created[at] > 0):
        weights = created[at]
    total = float(np.sum(weights))
    return Evidence(
        inspection,
        inspection.formula.nodes[node_id],
        target,
        at,
        weights / total if total else weights,
        by_digits=target != node_id or rows is not None,
    )


def _evidence_rows(
    inspection: Inspection, node_id: int, created: Array, chosen: Rows | None
) -> Rows:
    evaluated = inspection.amplification.evaluated(node_id)
    rows = np.flatnonzero(evaluated) if chosen is None else chosen[evaluated[chosen]]
    if len(rows) <= MAX_ROWS:
        return rows
    even = rows[:: math.ceil(len(rows) / MAX_ROWS)]
    most = np.argpartition(-created, MAX_ROWS // 10)[: MAX_ROWS // 10]
    return np.union1d(even, most[created[most] > 0])


def _created_at(inspection: Inspection, node_id: int, target: int, rows: Rows | None) -> Array:
    _, above = inspection.amplification.trace(target)
    _, s = inspection.amplification.trace(node_id)
    known = np.isfinite(above) & np.isfinite(s)
    if rows is not None:
        known &= np.isin(np.arange(len(s)), rows)
    created = np.zeros(len(s))
    if not known.any():
        return created
    growth = np.log10(s[known])
    given = [
        np.log10(np.where(np.isfinite(below[known]), below[known], 1.0))
        for child in inspection.formula.nodes[node_id].children
        for below in (inspection.amplification.trace(child)[1],)
    ]
    if given:
        growth = growth - np.max(given, axis=0)
    weights = row_weights(above[known]) if rows is None else 1.0
    created[known] = weights * np.maximum(growth, 0.0)
    return created


# Losses of first order


def finite_cause(evidence: Evidence) -> Cause | None:
    """The cause that an operator's row and the evidence tell; None without one of its own."""
    node = evidence.node.id
    if not len(evidence.y):
        return None
    row = OPERATORS[evidence.node.operator]
    way = next(way for applies, way in _WAYS if applies(row))
    if not all(np.isfinite(values).any() for values in evidence.operands):
        return None if way is _steepness else BeyondDoubles(node)
    with np.errstate(all="ignore"):
        return way(row, evidence)


def _plain_cause(loss: CreatedLoss, evidence: Evidence) -> Cause:
    """What is left to say of a step that creates digits in no way of its own."""
    node = evidence.node
    steep = SteepStep(node.id, -1, times_of(loss.digits / len(loss.copies)))
    if not len(evidence.y):
        return steep
    worst = int(np.argmax(np.nan_to_num(np.array(evidence.edge_shares))))
    if OPERATORS[node.operator].words.cancels:
        empty = [evidence.weights[values == 0].sum() for values in evidence.operands]
        if sum(empty) > MOST:
            return ZeroTerm(node.id, int(np.argmax(empty)))
        a, b = evidence.operands
        with np.errstate(all="ignore"):
            kept = evidence.typical(np.abs(evidence.y) / (np.abs(a) + np.abs(b)))
        return Cancellation(node.id, Extent.SOMEWHERE, kept)
    if evidence.weights[evidence.operands[worst] == 0].sum() > MOST:
        return ZeroTerm(node.id, worst)
    return steep


def _cancellation(row: Operator, evidence: Evidence) -> Cause | None:
    a, b = evidence.operands
    kept = np.abs(evidence.y) / (np.abs(a) + np.abs(b))
    where_lost = evidence.typical(kept)
    if not where_lost < 0.5:
        return None
    if float(np.nanmedian(kept)) < 0.1:  # where both terms are 0 nothing is kept or lost
        extent = Extent.EVERYWHERE
    elif (
        evidence.crosses
        and where_lost < CROSSING
        and not is_smaller_elsewhere(kept, np.sqrt(evidence.weights), where_lost)
    ):
        extent = Extent.CROSSING
    else:
        extent = Extent.NEARLY if float(np.nanmax(kept)) < 0.5 else Extent.SOMEWHERE
    return Cancellation(evidence.node.id, extent, where_lost, evidence.divides)


def is_smaller_elsewhere(y: Array, lost: Array, size: float) -> bool:
    """Whether a value falls below half its usual `size` where less is lost: its zero is no cause.

    >>> y, lost = np.array([0.1, 0.5, 3.0]), np.array([1.0, 9.0, 2.0])
    >>> is_smaller_elsewhere(y, lost, 0.5), is_smaller_elsewhere(y, 1 / y, 0.5)
    (True, False)
    """
    known = ~np.isnan(y) & ~np.isnan(lost)
    closer = known & (np.abs(y) < 0.5 * size)
    if not closer.any():
        return False
    return bool(np.max(lost[closer]) < 0.5 * np.max(lost[known]))


def _periodic(row: Operator, evidence: Evidence) -> Cause | None:
    node, (x,) = evidence.node.id, evidence.operands
    p = row.parameter(evidence.node.parameter)
    y = row.evaluate((x,), p)
    (slope,) = row.partials(NUMPY, (x,), y, p)
    kappa = slope * (x / y)  # not kappa2: the square may overflow
    if not evidence.typical(np.abs(kappa)) >= FEELS:
        return None
    where = evidence.typical(np.abs(x))
    size = evidence.typical(np.abs(evidence.y))
    turn = row.period if row.waves else 2 * row.period  # a wave has two zeros in a period
    few_turns = where <= turn
    if row.poles and (size > max(10.0, where) or (few_turns and size > FAR)):
        return NearPole(node)
    largest = evidence.largest if where >= 2 * turn else 0.0
    has_zeros = not (row.poles and row.waves)  # what has poles and crests has none
    if has_zeros and ((few_turns and size < CLOSE) or (size < 0.1 and where * size < 1)):
        return NearZero(node, largest)
    _, arriving = evidence.inspection.amplification.trace(evidence.target)
    arriving = np.where(np.isfinite(arriving), arriving, 0.0)[evidence.rows]
    # the operand's nearness does more than its size, and not beside larger terms of a sum
    closer = (np.abs(slope / y) > np.abs(x)) & (arriving > np.square(x))
    if nearness := _nearness_by_row(row, evidence, kappa, arriving, closer, largest):
        return nearness
    if few_turns:
        return _steepness(row, evidence)
    return LargeArgument(node, evidence.largest, row.period)


def _nearness_by_row(
    row: Operator,
    evidence: Evidence,
    kappa: Array,
    arriving: Array,
    near: npt.NDArray[np.bool_],
    largest: float,
) -> Cause | None:
    """Zeros and poles, row by row: they may do most of the harm while none is typical."""
    weights, node = evidence.weights, evidence.node.id
    leading = np.ones_like(near)
    if evidence.by_digits:
        leading = arriving >= np.quantile(arriving, HEADLINE, method="inverted_cdf")
    else:  # local EIC of the step: rows weigh by its noise
        times = np.nan_to_num(np.abs(kappa), posinf=0.0)
        weights = np.square(times / np.max(times))
    if not weights[near & leading].sum() > MOST * weights[leading].sum():
        return None
    if not row.poles:
        return NearZero(node, largest)
    at_poles = weights[near & (np.abs(evidence.y) > 1)].sum() / weights[near].sum()
    if row.waves or at_poles > 1 - ONE_KIND:
        return NearPole(node)
    return NearZero(node, largest) if at_poles < ONE_KIND else NearZerosAndPoles(node)


BY_A_POLE = 0.2
"""Nearer to a pole of gamma its nearness does more than the argument's size."""


def _growth(row: Operator, evidence: Evidence) -> Cause | None:
    node, (x,) = evidence.node.id, evidence.operands
    if near_pole := _beside_pole(row, evidence):
        return near_pole
    if evidence.typical(np.abs(x)) < 1:
        return None
    return GrowthOfLargeNumber(node, evidence.largest)


def _beside_pole(row: Operator, evidence: Evidence) -> NearPole | None:
    if not row.poles or row.brink is None:
        return None
    near = evidence.typical(row.brink(NUMPY, *evidence.operands)) < BY_A_POLE
    return NearPole(evidence.node.id) if near else None


def _exponent(row: Operator, evidence: Evidence) -> Cause | None:
    exponent = abs(Fraction(evidence.node.parameter or 0))
    if exponent < 2:
        return None
    return LargeExponent(evidence.node.id, float(exponent), True)


def _noisy_exponent(row: Operator, evidence: Evidence) -> Cause | None:
    node, (base, exponent) = evidence.node.id, evidence.operands
    largest = evidence.typical(np.abs(exponent))
    steepest = evidence.typical(np.abs(exponent * np.log(base)))
    # What the step creates of the noise that comes through an operand, not what passes through.
    created = [
        share * math.log(max(times, 1.0))
        for share, times in zip(evidence.edge_shares, (largest, steepest), strict=False)
    ]
    if len(created) == 2 and created[1] > created[0]:
        return ErrorInExponent(node) if steepest >= 1 else None
    return LargeExponent(node, largest, False) if largest >= 2 else None


def _nearness(row: Operator, evidence: Evidence) -> Cause | None:
    near = row.words.near
    assert near is not None
    if near.brink:
        assert row.brink is not None
        distance = row.brink(NUMPY, *evidence.operands)
    else:
        distance = np.abs(evidence.y)
    if not evidence.typical(distance) < near.within:
        return _beside_pole(row, evidence) or _steepness(row, evidence)
    above = float(evidence.weights[evidence.operands[0] > 0].sum())
    side = 1 if above > NEARLY_ALL else -1 if above < 1 - NEARLY_ALL else 0
    return NearEdge(evidence.node.id, side)


def _steepness(row: Operator, evidence: Evidence) -> Cause | None:
    y, parameter = evidence.y, row.parameter(evidence.node.parameter)
    kappas = row.kappa_squared(NUMPY, evidence.operands, y, parameter)
    times = [evidence.typical(np.sqrt(np.broadcast_to(k2, y.shape))) for k2 in kappas]
    worst = int(np.argmax(np.nan_to_num(np.array(evidence.edge_shares))))
    if not times[worst] >= FEELS:
        return None
    return SteepStep(evidence.node.id, worst, times[worst])


_WAYS: tuple[
    tuple[Callable[[Operator], object], Callable[[Operator, Evidence], Cause | None]], ...
] = (
    (lambda row: row.words.cancels, _cancellation),
    (lambda row: row.period, _periodic),
    (lambda row: row.exponential, _growth),
    (lambda row: row.power and row.needs_parameter, _exponent),
    (lambda row: row.power, _noisy_exponent),
    (lambda row: row.words.near, _nearness),
    (lambda row: True, _steepness),
)
"""The ways to lose digits, and which rows go them: the first that applies."""


# No digit left


NO_ANGLE = 1e15
"""Arguments of a periodic function from which on double precision knows no angle."""

LEAST_LEFT = 1e-30
"""What is left of two terms that cancel in more than 30 digits."""

MOST_CHECKED = 16
"""Samples at which a zero is looked at with many digits, at most."""


def singular_causes(
    inspection: Inspection, node_id: int, rows: Rows | None = None
) -> Iterator[tuple[NoDigitLeft | OnThreshold, Rows]]:
    """Why a node's amplification is infinite (or above 10^30) at `rows`, or at all rows where it
    is though its operands keep digits; each cause with its rows.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [100.0, 200.0]})
    >>> for text in ("x - x", "(1e40 + x) - 1e40", "sin(exp(x))"):
    ...     formula = read(text).formula
    ...     [(cause, _)] = singular_causes(inspect(formula, samples), len(formula) - 1)
    ...     print([way.value for way in cause.ways])
    ['exact']
    ['nearly']
    ['no_angle']
    """
    node, trace = inspection.nodes[node_id].node, inspection.amplification.trace
    lost = np.isinf(trace(node_id)[1])
    if rows is not None:
        lost &= np.isin(np.arange(len(lost)), rows)
    made = np.flatnonzero(lost)
    row = OPERATORS[node.operator]
    if not row.numeric or row.jumps or row.steps:
        yield from _threshold_causes(inspection, node_id, made)
        return
    yield NoDigitLeft(node_id, _ways_to_zero(inspection, node_id, made)), made


def _ways_to_zero(inspection: Inspection, node_id: int, made: Rows) -> tuple[Zero, ...]:
    node = inspection.nodes[node_id].node
    row = OPERATORS[node.operator]
    if not row.words.nearly:
        return (Zero.EXACT,)
    y, _ = inspection.amplification.trace(node_id)
    anywhere = row.brink is not None  # there the value need not be 0
    at_zero = made if anywhere else made[y[made] == 0]
    looked_at = _to_great_depth(inspection, node_id, at_zero)
    zeros = np.array([special and proven for special, proven in looked_at], dtype=bool)
    if zeros.all() and (anywhere or not y[made].any()):
        return (Zero.EXACT,)
    nearly = Zero.NEARLY
    if looked_at and all(special for special, _ in looked_at) and not zeros.any():
        nearly = Zero.DEEP
    if row.period:
        x, _ = inspection.amplification.trace(node.children[0])
        if np.abs(x[made]).max() >= NO_ANGLE:
            nearly = Zero.NO_ANGLE
    if row.words.cancels:
        a, b = [inspection.amplification.trace(child)[0][made] for child in node.children]
        with np.errstate(all="ignore"):
            if not np.all(np.abs(y[made]) <= LEAST_LEFT * np.fmax(np.abs(a), np.abs(b))):
                nearly = Zero.TOO_MUCH
    return (Zero.EXACT, nearly) if zeros.any() else (nearly,)


def _to_great_depth(inspection: Inspection, node_id: int, rows: Rows) -> list[tuple[bool, bool]]:
    """Whether a node's value at some of these rows is 0 or on a jump, and if that is proved."""
    looked_at = []
    subtree = inspection.formula.subtree(node_id)
    evaluator = ExactEvaluator(tape_of(subtree), depth=GREAT_DEPTH)
    for row in rows[:: max(1, math.ceil(len(rows) / MOST_CHECKED))].tolist():
        cells = {name: inspection.samples.decimal(name, row) for name in subtree.variables}
        sample = evaluator.sample(cells)
        special = sample.first_invalid is not None or evaluator.is_special(sample)
        looked_at.append((special, sample.proven))
    return looked_at


def _threshold_causes(
    inspection: Inspection, node_id: int, rows: Rows
) -> Iterator[tuple[OnThreshold, Rows]]:
    hinges = np.zeros(len(rows), dtype=bool)
    if OPERATORS[inspection.formula.nodes[node_id].operator].chooses:
        hinges = _are_hinges(inspection, node_id, rows)
    for is_hinge in (False, True):
        part = rows[hinges == is_hinge]
        if len(part):
            exactly = all(map(all, _to_great_depth(inspection, node_id, part)))
            first = int(inspection.samples.row_numbers[part[0]])
            yield OnThreshold(node_id, first, exactly, is_hinge), part


def _are_hinges(inspection: Inspection, node_id: int, rows: Rows) -> npt.NDArray[np.bool_]:
    """Where both branches of a conditional are 0."""
    formula = inspection.formula
    zero = np.ones(len(rows), dtype=bool)
    at = inspection.samples.take(rows)
    for branch in formula.nodes[node_id].children[1:]:
        part = formula.subtree(branch)
        zero &= amplify(part, at).trace(len(part) - 1)[0] == 0
    return zero
