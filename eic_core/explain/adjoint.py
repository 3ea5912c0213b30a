"""How much of each node's noise arrives at a target: the recursion run backwards.

Algorithm 1 (Yu et al., ``alg:calculate_eic``) adds variances on the way up the tree.
Here the same linear map is followed down: with A_t = 1 and A_i = A_k de_k/dy_i, the noise
of node j arrives at the target t as G_j = A_j y_j / y_t, and sum_j G_j^2 = s_t^2 at every
sample.  Zeros, kinks and jumps follow ADR 0001, so that the sum holds there, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from eic_core.engine.amplify import MAX_RECHECKED
from eic_core.engine.exact import ExactEvaluator, ExactSample
from eic_core.engine.reference import VALID, Block, evaluate_block
from eic_core.engine.tape import SINGULAR_S2, Step, Tape
from eic_core.explain.edges import Array, Edge, Unit, edges_of, times
from eic_core.explain.exact_adjoint import exact_arrivals
from eic_core.samples import Samples

MOST_ROWS = 16_384
NUMBERS_HELD = 2**20
"""Rows of a block times units, at most, so that memory does not grow with the data."""


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


def tree_units(tape: Tape, children: Sequence[tuple[int, ...]]) -> tuple[Unit, ...]:
    """A unit for each node: each has noise of its own.

    Parameters
    ----------
    tape : Tape
    children : sequence of tuple of int
        Of each node, in post-order.
    """
    return tuple(
        Unit(slot, operands) for slot, operands in zip(tape.slots, children, strict=True)
    )


def class_units(tape: Tape) -> tuple[Unit, ...]:
    """A unit for each step: all nodes of a step share their noise."""
    return tuple(Unit(step.slot, step.operands) for step in tape.steps)


def sweep(
    tape: Tape, units: tuple[Unit, ...], samples: Samples, *, recheck: int = MAX_RECHECKED
) -> Iterator[Arrivals]:
    """Follow the noise of every unit to the last one, block by block.

    Parameters
    ----------
    tape : Tape
        Its last step is the target's.
    units : tuple of Unit
        Operands first; the last is the target.
    samples : Samples
        With a column for each variable of the tape.
    recheck : int
        How many doubtful samples are settled at 60 digits, the first in row order.

    Yields
    ------
    Arrivals
        Of consecutive rows; together they are all rows.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.engine.tape import tape_of
    >>> samples = Samples.from_columns({"x": [2.0, 4.0]})
    >>> tape = tape_of(read("x - 1").formula)
    >>> (block,) = sweep(tape, class_units(tape), samples)
    >>> [g.tolist() for g in block.arrived]  # of x, of 1, of the difference
    [[2.0, 1.3333333333333333], [-1.0, -0.3333333333333333], [1.0, 1.0]]
    """
    for evaluated in evaluate(tape, samples, len(units), recheck=recheck):
        yield evaluated.arrivals(units)


def evaluate(
    tape: Tape, samples: Samples, held: int, *, recheck: int = MAX_RECHECKED
) -> Iterator[Evaluated]:
    """Evaluate a tape block by block.

    Parameters
    ----------
    tape : Tape
    samples : Samples
        With a column for each variable of the tape.
    held : int
        Numbers that will be held for a sample, 1 or more; they decide the length of a block.
    recheck : int
        How many doubtful samples are settled at 60 digits, the first in row order.

    Yields
    ------
    Evaluated
        Of consecutive rows; together they are all rows.
    """
    total = len(samples)
    rows = max(64, min(total, MOST_ROWS, NUMBERS_HELD // held))
    evaluator: ExactEvaluator | None = None
    for start in range(0, total, rows):
        stop = min(total, start + rows)
        columns = {name: samples.columns[name][start:stop] for name in tape.variables}
        block = evaluate_block(tape, columns, stop - start)
        ok = block.first_invalid == VALID
        doubtful = np.flatnonzero(block.suspect | block.doubtful)
        taken, left = doubtful[:recheck], doubtful[recheck:]
        ok[left] &= block.overflow_at[left] == VALID
        recheck -= len(taken)
        exact: dict[int, ExactSample] = {}
        for row in taken.tolist():
            evaluator = evaluator or ExactEvaluator(tape)
            cells = {name: samples.decimal(name, start + row) for name in tape.variables}
            exact[row] = evaluator.sample(cells)
            ok[row] = exact[row].first_invalid is None
        yield Evaluated(tape, start, stop, block, ok, exact, evaluator)


@dataclass(frozen=True)
class Evaluated:
    """A block of samples, evaluated, from which noise can be followed to any step.

    Attributes
    ----------
    tape : Tape
    start, stop : int
        Rows of the samples.
    block : Block
    ok : ndarray of bool, shape (m,)
    exact : dict of row in the block to ExactSample
        The doubtful samples settled at 60 digits.
    evaluator : ExactEvaluator or None
        The one that settled them.
    """

    tape: Tape
    start: int
    stop: int
    block: Block
    ok: np.ndarray
    exact: dict[int, ExactSample]
    evaluator: ExactEvaluator | None
    _edges: dict[int, list[Edge]] = field(default_factory=dict, repr=False)

    def arrivals(self, units: tuple[Unit, ...]) -> Arrivals:
        """What arrives at the last of `units` from each of them."""
        with np.errstate(all="ignore"):
            arrived = self._follow(units)
        slot = units[-1].slot
        s2 = np.array(self.block.s2[slot])
        if self.exact:
            arrived = [np.array(g) for g in arrived]
        for row, sample in self.exact.items():
            if self.ok[row] and self.evaluator is not None:
                s2[row] = sample.s2[slot]
                found = exact_arrivals(self.evaluator, units, sample)
                for g, value in zip(arrived, found, strict=True):
                    g[row] = value
        s2[~(s2 <= SINGULAR_S2)] = math.inf
        return Arrivals(self.start, self.stop, self.ok, s2, arrived)

    def _follow(self, units: tuple[Unit, ...]) -> list[Array]:
        """G of every unit, in double precision."""
        block, count = self.block, self.stop - self.start
        zero = [bool((y == 0).any()) for y in block.y]
        relative, absolute, infinite = (_Adjoint(len(units), count) for _ in range(3))
        relative.add(len(units) - 1, np.ones(count))
        for index in range(len(units) - 1, -1, -1):
            unit = units[index]
            step = self.tape.steps[unit.slot]
            reached = relative.has(index) or absolute.has(index) or infinite.has(index)
            if step.row is None or not reached:
                continue
            if unit.slot not in self._edges:
                self._edges[unit.slot] = edges_of(step, block)
            edges = self._edges[unit.slot]
            touched = zero[step.slot] or any([zero[slot] for slot in step.operands])
            for child, edge in zip(unit.operands, edges, strict=True):
                relative.add(child, times(relative.at(index), edge.kappa))
                if touched:
                    _pass_zeros(step, edge, index, child, block, relative, absolute, infinite)
                else:
                    absolute.pass_on(index, child, edge.partial)
                    infinite.pass_on(index, child, edge.partial)
        found = []
        for index, unit in enumerate(units):
            g = relative.at(index)
            if infinite.has(index):
                hopeless = infinite.at(index) != 0  # nan counts, too: two infinities met
                g = np.where(hopeless & (block.y[unit.slot] != 0), math.inf, g)
            found.append(np.where(np.isnan(g), math.inf, g))
        return found


class _Adjoint:
    """One number per sample and unit, 0 until something is added."""

    def __init__(self, units: int, rows: int) -> None:
        self._held: list[Array | None] = [None] * units
        self._zeros = np.zeros(rows)

    def at(self, index: int) -> Array:
        held = self._held[index]
        return self._zeros if held is None else held

    def has(self, index: int) -> bool:
        """Whether anything was added."""
        return self._held[index] is not None

    def add(self, index: int, value: Array) -> None:
        held = self._held[index]
        self._held[index] = value if held is None else held + value

    def pass_on(self, index: int, child: int, partial: Array) -> None:
        if self._held[index] is not None:
            self.add(child, times(self.at(index), partial))


def _pass_zeros(
    step: Step,
    edge: Edge,
    index: int,
    child: int,
    block: Block,
    relative: _Adjoint,
    absolute: _Adjoint,
    infinite: _Adjoint,
) -> None:
    """What `Edge.kappa` leaves out: samples at which the step or its operand is 0.

    Below an operand that is 0 under a value that is not, the absolute derivative
    d eta_t / dy goes on.  Where the step itself is 0, its relative noise passes by
    the limit of kappa; without one, whatever moves the operand leaves no digit.
    """
    at_zero, inner_zero = block.y[step.slot] == 0, edge.operand == 0
    given = relative.at(index)
    starts = times(given, np.divide(edge.partial, block.y[step.slot]))
    absolute.add(child, np.where(inner_zero & ~at_zero, starts, 0.0))
    if at_zero.any():
        has_limit = edge.limit != 0
        relative.add(child, np.where(at_zero, times(given, edge.limit), 0.0))
        hopeless = at_zero & ~has_limit & (given != 0)
        infinite.add(child, np.where(hopeless, edge.partial, 0.0))
        moved = times(absolute.at(index), edge.partial)
        absolute.add(child, np.where(at_zero & inner_zero, moved, 0.0))
        back = np.where(at_zero & ~inner_zero, moved, 0.0)
        relative.add(child, times(back, edge.operand))
    infinite.pass_on(index, child, edge.partial)
