"""How much of each node's noise arrives at a target: the recursion run backwards.

Algorithm 1 (Yu et al., ``alg:calculate_eic``) adds variances on the way up the tree.
Here the same linear map is followed down: with A_t = 1 and A_i = A_k de_k/dy_i, the noise
of node j arrives at the target t as G_j = A_j y_j / y_t, and sum_j G_j^2 = s_t^2 at every
sample.  Zeros, kinks and jumps follow ADR 0001, so that the sum holds there, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from eic_core.explain.exact_adjoint import exact_arrivals
from eic_core.formula.operators import NUMPY
from eic_core.measure.amplification import MAX_RECHECKED
from eic_core.measure.careful import VALID, Block, evaluate_block
from eic_core.measure.data import Samples
from eic_core.measure.plan import SINGULAR_S2, Plan, Step
from eic_core.measure.precision import ExactEvaluator

Array = np.ndarray[Any, np.dtype[np.float64]]

MOST_ROWS = 16_384
NUMBERS_HELD = 2**20
"""Rows of a block times units, at most, so that memory does not grow with the data."""


class Unit(NamedTuple):
    """One carrier of noise: a node, or a class of nodes that share theirs.

    Attributes
    ----------
    slot : int
        Its step in the plan.
    operands : tuple of int
        The units that it reads; they stand before it.
    """

    slot: int
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Arrivals:
    """What arrives at the target on a block of samples.

    Attributes
    ----------
    start, stop : int
        Rows of the samples.
    ok : ndarray of bool, shape (m,)
        Samples at which every value is real.
    s2 : ndarray, shape (m,)
        The recursion's s_t^2; inf where singular.
    arrived : list of ndarray, each shape (m,)
        Per unit, G with its sign; infinite where no digit of the target is left.
        Meaningless where not `ok`.
    """

    start: int
    stop: int
    ok: np.ndarray
    s2: Array
    arrived: list[Array]


def tree_units(plan: Plan, children: Sequence[tuple[int, ...]]) -> tuple[Unit, ...]:
    """A unit for each node: each has noise of its own."""
    return tuple(
        Unit(slot, operands) for slot, operands in zip(plan.slots, children, strict=True)
    )


def class_units(plan: Plan) -> tuple[Unit, ...]:
    """A unit for each step: all nodes of a step share their noise."""
    return tuple(Unit(step.slot, step.operands) for step in plan.steps)


def sweep(
    plan: Plan, units: tuple[Unit, ...], samples: Samples, *, recheck: int = MAX_RECHECKED
) -> Iterator[Arrivals]:
    """Follow the noise of every unit to the last one, block by block.

    Parameters
    ----------
    plan : Plan
        Its last step is the target's.
    units : tuple of Unit
        Operands first; the last is the target.
    samples : Samples
    recheck : int
        How many doubtful samples are settled at 60 digits, the first in row order.
    """
    total = len(samples)
    rows = max(64, min(total, MOST_ROWS, NUMBERS_HELD // len(units)))
    evaluator: ExactEvaluator | None = None
    for start in range(0, total, rows):
        stop = min(total, start + rows)
        columns = {name: samples.columns[name][start:stop] for name in plan.variables}
        block = evaluate_block(plan, columns, stop - start)
        with np.errstate(all="ignore"):
            arrived = _arrivals(plan, units, block)
        s2 = np.array(block.s2[-1])
        ok = block.first_invalid == VALID
        doubtful = np.flatnonzero(block.suspect | block.doubtful)
        taken, left = doubtful[:recheck], doubtful[recheck:]
        ok[left] &= block.overflow_at[left] == VALID
        recheck -= len(taken)
        if len(taken):
            evaluator = evaluator or ExactEvaluator(plan)
            arrived = [np.array(g) for g in arrived]
        for row in taken.tolist():
            assert evaluator is not None
            cells = {name: samples.decimal(name, start + row) for name in plan.variables}
            sample = evaluator.sample(cells)
            ok[row] = sample.first_invalid is None
            if ok[row]:
                s2[row] = sample.s2[-1]
                for g, value in zip(
                    arrived, exact_arrivals(evaluator.mp, plan, units, sample), strict=True
                ):
                    g[row] = value
        s2[~(s2 <= SINGULAR_S2)] = math.inf
        yield Arrivals(start, stop, ok, s2, arrived)


def _arrivals(plan: Plan, units: tuple[Unit, ...], block: Block) -> list[Array]:
    """G of every unit, in double precision."""
    rows = len(block.first_invalid)
    zero = [bool((y == 0).any()) for y in block.y]
    relative = _Adjoint(len(units), rows)
    if any(zero):
        absolute, infinite = _Adjoint(len(units), rows), _Adjoint(len(units), rows)
    relative.add(len(units) - 1, np.ones(rows))
    for index in range(len(units) - 1, -1, -1):
        unit = units[index]
        step = plan.steps[unit.slot]
        if step.row is None:
            continue
        edges = _edges(step, block)
        touched = zero[step.slot] or any([zero[slot] for slot in step.operands])
        for child, edge in zip(unit.operands, edges, strict=True):
            relative.add(child, _times(relative.at(index), edge.kappa))
            if touched:
                _pass_zeros(step, edge, index, child, block, relative, absolute, infinite)
            elif any(zero):
                absolute.pass_on(index, child, edge.partial)
                infinite.pass_on(index, child, edge.partial)
    found = []
    for index, unit in enumerate(units):
        g = relative.at(index)
        if any(zero):
            hopeless = infinite.at(index) != 0  # nan counts, too: two infinities met
            g = np.where(hopeless & (block.y[unit.slot] != 0), math.inf, g)
        found.append(np.where(np.isnan(g), math.inf, g))
    return found


class _Edge(NamedTuple):
    """One operand of a step: d eta_k / d eta_i where both values are not 0, de_k/dy_i,
    and the limit of kappa where y_k = 0 (0 if it has none)."""

    kappa: Array
    partial: Array
    limit: Array
    operand: Array


class _Adjoint:
    """One number per sample and unit, 0 until something is added."""

    def __init__(self, units: int, rows: int) -> None:
        self._held: list[Array | None] = [None] * units
        self._zeros = np.zeros(rows)

    def at(self, index: int) -> Array:
        held = self._held[index]
        return self._zeros if held is None else held

    def add(self, index: int, value: Array) -> None:
        held = self._held[index]
        self._held[index] = value if held is None else held + value

    def pass_on(self, index: int, child: int, partial: Array) -> None:
        if self._held[index] is not None:
            self.add(child, _times(self.at(index), partial))


def _edges(step: Step, block: Block) -> list[_Edge]:
    """Signed condition numbers, of the size that the recursion found."""
    row = step.row
    assert row is not None
    y = block.y[step.slot]
    a = [block.y[slot] for slot in step.operands]
    through = block.contributions[step.slot]
    edges = []
    if row.selects:
        for term, operand in zip(through, a, strict=True):
            chosen = (term > 0).astype(np.float64)
            edges.append(_Edge(np.where(y == 0, 0.0, chosen), chosen, chosen, operand))
        return edges
    partials = row.partials(NUMPY, a, y, step.parameter)
    limits = row.zero_limit(a, step.parameter) if (y == 0).any() else (0.0,) * len(a)
    for slot, operand, partial, limit, term in zip(
        step.operands, a, partials, limits, through, strict=True
    ):
        silent = term == 0
        kappa = np.divide(partial, y) * operand
        lost = ~np.isfinite(kappa) | ((kappa == 0) & ~silent)  # out of double range on the way
        if lost.any():
            size = np.sqrt(term / block.s2[slot])
            size = np.where(np.isnan(size), math.inf, size)
            sign = np.copysign(1.0, partial) * np.sign(operand) * np.sign(y)  # -0 is negative
            kappa = np.where(lost, sign * size, kappa)
        kappa = np.where(silent | (operand == 0) | (y == 0), 0.0, kappa)
        partial = np.where(silent, 0.0, partial)
        limit = np.where(np.isfinite(limit), limit, 0.0)
        edges.append(_Edge(kappa, partial, np.broadcast_to(limit, y.shape), operand))
    return edges


def _pass_zeros(
    step: Step,
    edge: _Edge,
    index: int,
    child: int,
    block: Block,
    relative: _Adjoint,
    absolute: _Adjoint,
    infinite: _Adjoint,
) -> None:
    """What `_Edge.kappa` leaves out: samples at which the step or its operand is 0.

    Below an operand that is 0 under a value that is not, the absolute derivative
    d eta_t / dy goes on.  Where the step itself is 0, its relative noise passes by
    the limit of kappa; without one, whatever moves the operand leaves no digit.
    """
    at_zero, inner_zero = block.y[step.slot] == 0, edge.operand == 0
    given = relative.at(index)
    starts = _times(given, np.divide(edge.partial, block.y[step.slot]))
    absolute.add(child, np.where(inner_zero & ~at_zero, starts, 0.0))
    if at_zero.any():
        has_limit = edge.limit != 0
        relative.add(child, np.where(at_zero, _times(given, edge.limit), 0.0))
        hopeless = at_zero & ~has_limit & (given != 0)
        infinite.add(child, np.where(hopeless, edge.partial, 0.0))
        moved = _times(absolute.at(index), edge.partial)
        absolute.add(child, np.where(at_zero & inner_zero, moved, 0.0))
        back = np.where(at_zero & ~inner_zero, moved, 0.0)
        relative.add(child, _times(back, edge.operand))
    infinite.pass_on(index, child, edge.partial)


def _times(a: Array, b: Array) -> Array:
    """a b, where 0 times infinity is 0: nothing arrives through a closed path."""
    product = a * b
    if np.isnan(product).any():
        product = np.where((a == 0) | (b == 0), 0.0, product)
    return product
