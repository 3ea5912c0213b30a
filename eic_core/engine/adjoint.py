"""How much of each node's noise arrives at a target: the recursion run backwards.

Algorithm 1 (Yu et al., ``alg:calculate_eic``) adds variances up the tree; down the tree, with A_t =
1 and A_i = A_k de_k/dy_i, the noise of node j arrives at the target t as G_j = A_j y_j / y_t, and
sum_j G_j^2 = s_t^2. The rules of ADR 0001 and 0008 run over a backend: arrays, or 60 digits.
``y`` is the value of node k, ``a`` the value of its operand i.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.amplify import MAX_ROWS_RECHECKED, most_rechecked
from eic_core.engine.constants import evaluate_around, settled_constants
from eic_core.engine.exact import DIGITS, ExactEvaluator, ExactSample
from eic_core.engine.passes import NOTHING_SETTLED
from eic_core.engine.reference import VALID, Block
from eic_core.engine.tape import SINGULAR_S2, Step, Tape
from eic_core.operators import NUMPY, MpBackend
from eic_core.operators.wide import Array
from eic_core.samples import Samples

MOST_ROWS = 16_384
NUMBERS_HELD = 2**20
"""Rows of a block times units, at most, so that memory does not grow with the data."""

MOST_BITS = 10_000
"""Working precision beyond the usual, at most, for values above 10^60."""

NOTHING = 0.0


# --- the rules, over a backend


class Passage(NamedTuple):
    """What one edge lets through; each is 0 where nothing passes."""

    kappa: Any  # d eta_k / d eta_i with its sign, where neither y nor a is 0
    slope: Any  # de_k/dy_i
    limit: Any  # The finite limit of kappa, where y = 0 and there is one


class Flow(NamedTuple):
    """The noise that has arrived at a node on the way down from the target, in three modes."""

    # d eta_t / d eta: a relative change of the node's value arrives so many times larger
    relative: Any = NOTHING
    absolute: Any = NOTHING  # d eta_t / dy, where y = 0 below a value that is not
    infinite: Any = NOTHING  # Not 0 where whatever moves the value leaves the target no digit

    @property
    def empty(self) -> bool:
        return all(is_nothing(part) for part in self)

    def joined(self, other: Flow) -> Flow:
        return Flow(
            *[
                b if is_nothing(a) else a if is_nothing(b) else a + b
                for a, b in zip(self, other, strict=True)
            ]
        )


def passage(B: Any, y: Any, a: Any, slope: Any, limit: Any, term: Any, s2: Any) -> Passage:
    """What an edge lets through, of the size that the recursion found. `limit` is the limit of
    kappa, read where y = 0; `term` is the part of s_k^2 that the recursion added through this edge;
    `s2` is the operand's s_i^2. A jump that a rounding of the operand has just missed counts as a
    jump. A kappa that leaves double range on the way is sqrt(term / s_i^2).
    """
    silent = term == 0
    kappa = B.over(slope, y) * a
    lost = B.where(B.isfinite(kappa), (kappa == 0) & (term != 0), True)
    if anywhere(lost):
        slope = B.where((slope == 0) & (term == math.inf) & (s2 < math.inf), math.inf, slope)
        size = B.sqrt(term / s2)
        size = B.where(B.isnan(size), math.inf, size)
        falls = (slope < 0) | (B.over(1.0, slope) < 0)  # -0 does
        kappa = B.where(lost, B.where(falls, -size, size) * B.sign(a) * B.sign(y), kappa)
    return Passage(
        B.where(silent | (a == 0) | (y == 0), 0.0, kappa),
        B.where(silent, 0.0, slope),
        NOTHING
        if is_nothing(limit)
        else B.where(silent | (y != 0), 0.0, B.where(B.isfinite(limit), limit, 0.0)),
    )


def passage_of_selection(B: Any, y: Any, term: Any) -> Passage:
    """What an edge of min or max lets through: all of the operand attained, else nothing."""
    attained = B.where(term != 0, 1.0, 0.0)
    return Passage(B.where(y == 0, 0.0, attained), attained, B.where(y == 0, attained, 0.0))


def passage_of_choice(B: Any, y: Any, term: Any, s2: Any) -> Passage:
    """What an edge of a conditional lets through: all of the branch taken; on a jump everything.
    `term` is s_i^2 of the branch taken, or of the noisier one where both agree on a threshold; 0
    for the other; infinite for a condition on a jump.
    """
    size = B.where(term == s2, 1.0, B.where(term == 0, 0.0, B.sqrt(term / s2)))
    attained = B.where(term == 0, 0.0, size)
    return Passage(B.where(y == 0, 0.0, attained), attained, B.where(y == 0, attained, 0.0))


def passage_of_truth(B: Any, y: Any, jumps: Any) -> Passage:
    """What an edge of a condition lets through: nothing, or on its threshold everything."""
    size = B.where(jumps, B.inf, 0.0)
    return Passage(B.where(y == 0, 0.0, size), size, B.where(y == 0, size, 0.0))


def passed_on(B: Any, arrived: Flow, through: Passage, y: Any, a: Any) -> Flow:
    """The operand's part, by one edge, of the noise that has arrived at the node above.

    ==================================  ===========================================================
    y is not 0                          the noise of y times kappa; below an a = 0, which has no
                                        relative noise, the absolute derivative starts
    y = 0 below a value that is not 0   the absolute derivative times the slope; where a is not 0
                                        it is a relative one again
    y = 0, and so is all above          the noise of y times the limit of kappa; without a limit,
                                        what moves the operand leaves no digit
    ==================================  ===========================================================

    `Flow.joined` adds the parts of several edges.
    """
    kappa, slope, limit = through
    relative, absolute, infinite = arrived
    moved = times(B, absolute, slope)
    starting = times(B, relative, B.over(slope, y))
    hopeless = (y == 0) & (limit == 0) & (relative != 0)
    return Flow(
        times(B, relative, kappa) + times(B, relative, limit) + times(B, moved, a),
        B.where(a == 0, B.where(y == 0, moved, starting), 0.0),
        times(B, infinite, slope) + B.where(hopeless, slope, 0.0),
    )


def passed_between_numbers(B: Any, arrived: Flow, through: Passage) -> Flow:
    """`passed_on` where neither y nor a is 0 at any sample."""
    return Flow(
        relative=times(B, arrived.relative, through.kappa),
        infinite=times(B, arrived.infinite, through.slope),
    )


def noise_of(B: Any, y: Any, arrived: Flow) -> Any:
    """G of a node, d eta_t / d eta_j with its sign; inf where no digit of the target is left.
    A value of 0 has no relative noise; where infinities meet no digit is left.
    """
    g = arrived.relative
    if not is_nothing(arrived.infinite):
        g = B.where((arrived.infinite != 0) & (y != 0), math.inf, g)
    return B.where(B.isnan(g), math.inf, g)


def times(B: Any, a: Any, b: Any) -> Any:
    """a b for arrays of one shape, numbers or `NOTHING`; 0 times infinity is 0 (a closed path).

    >>> with np.errstate(invalid="ignore"):
    ...     times(NUMPY, np.array([0.0, 2.0]), np.array([np.inf, 3.0])).tolist()
    [0.0, 6.0]
    """
    if is_nothing(a) or is_nothing(b):
        return NOTHING
    product = a * b
    if anywhere(B.isnan(product)):
        product = B.where((a == 0) | (b == 0), 0.0, product)
    return product


def is_nothing(value: Any) -> bool:
    """Whether a value is the single number 0."""
    return not isinstance(value, np.ndarray) and bool(value == 0)


def anywhere(condition: Any) -> bool:
    return condition if isinstance(condition, bool) else bool(condition.any())


# --- the recursion


class Unit(NamedTuple):
    """A carrier of noise: a node, or a class of nodes that share their noise."""

    slot: int  # Its place on the tape
    operands: tuple[int, ...]  # The units that it reads; they stand before it


def tree_units(tape: Tape, children: Sequence[tuple[int, ...]]) -> tuple[Unit, ...]:
    """A unit for each node, which has noise of its own; `children` in post-order."""
    return tuple(map(Unit, tape.slots, children))


def class_units(tape: Tape) -> tuple[Unit, ...]:
    """A unit for each step: all nodes of a step share their noise."""
    return tuple(Unit(slot, operands) for slot, operands in enumerate(tape.operands))


class _Passages:
    def __init__(self, B: Any, tape: Tape, results: Block | ExactSample) -> None:
        self.B, self.tape, self.results = B, tape, results
        self._zero = [anywhere(y == 0) for y in results.y]
        self._known: dict[int, list[Passage]] = {}

    def follow(self, units: Sequence[Unit]) -> list[Any]:
        y = self.results.y
        flows = [Flow()] * len(units)
        flows[-1] = Flow(relative=1.0)
        for index in range(len(units) - 1, -1, -1):
            slot, operands = units[index]
            step, arrived = self.tape.steps[slot], flows[index]
            if step.row is None or arrived.empty:
                continue
            if step.row.compares and len(set(operands)) == 1:
                if index < len(units) - 1:
                    flows[index] = Flow()
                continue  # what shares its noise with its other side stays equal to it
            touched = self._zero[slot] or any(self._zero[i] for i in step.operands)
            for child, below, through in zip(operands, step.operands, self._of(step), strict=True):
                if touched:
                    flow = passed_on(self.B, arrived, through, y[slot], y[below])
                else:
                    flow = passed_between_numbers(self.B, arrived, through)
                flows[child] = flows[child].joined(flow)
        return [
            noise_of(self.B, y[unit.slot], flow) for unit, flow in zip(units, flows, strict=True)
        ]

    def _of(self, step: Step) -> list[Passage]:
        if step.slot not in self._known:
            self._known[step.slot] = self._find(step)
        return self._known[step.slot]

    def _find(self, step: Step) -> list[Passage]:
        row, B = step.row, self.B
        assert row is not None
        y, terms = self.results.y[step.slot], self.results.contributions[step.slot]
        if row.selects:
            return [passage_of_selection(B, y, term) for term in terms]
        if row.truth:
            return [passage_of_truth(B, y, self.results.on_threshold[step.slot]) for _ in terms]
        if row.chooses:
            given = [self.results.s2[slot] for slot in step.operands]
            return [passage_of_choice(B, y, *edge) for edge in zip(terms, given, strict=True)]
        a = [self.results.y[slot] for slot in step.operands]
        s2 = [self.results.s2[slot] for slot in step.operands]
        p = step.parameter
        if isinstance(B, MpBackend):
            p = row.mp_parameter(B.context, step.exact_parameter)
        slopes = row.partials(B, a, y, p)
        if isinstance(B, MpBackend):  # beyond the end of a domain by a rounding
            slopes = tuple([B.inf if isinstance(x, B.context.mpc) else x for x in slopes])
        limits = row.zero_limit(B, a, p) if self._zero[step.slot] else (NOTHING,) * len(a)
        return [passage(B, y, *edge) for edge in zip(a, slopes, limits, terms, s2, strict=True)]


# --- block by block, over a data set


@dataclass(frozen=True)
class Arrivals:
    # start, stop: rows of the samples
    start: int
    stop: int
    ok: np.ndarray  # shape (m,): Samples at which every value is real
    s2: Array  # shape (m,): The recursion's s_t^2; inf where singular
    # shape (m,): Per unit, G with its sign; infinite where no digit of the target is left.
    # Meaningless where not `ok`.
    arrived: list[Array]


@dataclass(frozen=True)
class Evaluated:
    tape: Tape
    # start, stop: rows of the samples
    start: int
    stop: int
    block: Block
    ok: np.ndarray  # shape (m,)
    exact: dict[int, ExactSample]  # The doubtful samples settled at 60 digits
    evaluator: ExactEvaluator | None  # The one that settled them
    _passages: dict[int, _Passages] = field(default_factory=dict, repr=False)

    def arrivals(self, units: Sequence[Unit]) -> Arrivals:
        count, slot = self.stop - self.start, units[-1].slot
        with np.errstate(all="ignore"):
            found = self._at(-1, NUMPY, self.block).follow(units)
            arrived = [g if np.shape(g) else np.full(count, g) for g in found]
        s2 = np.array(self.block.s2[slot])
        known: dict[int, list[float]] = {}  # equal samples share what was found
        for row, sample in self.exact.items():
            if self.ok[row] and self.evaluator is not None:
                s2[row] = sample.s2[slot]
                if id(sample) not in known:
                    known[id(sample)] = self._exactly(row, sample, units)
                for g, value in zip(arrived, known[id(sample)], strict=True):
                    g[row] = value
        s2[~(s2 <= SINGULAR_S2)] = math.inf
        return Arrivals(self.start, self.stop, self.ok, s2, arrived)

    def _at(self, row: int, B: Any, results: Block | ExactSample) -> _Passages:
        if row not in self._passages:
            self._passages[row] = _Passages(B, self.tape, results)
        return self._passages[row]

    def _exactly(self, row: int, sample: ExactSample, units: Sequence[Unit]) -> list[float]:
        """G of every unit at a sample settled at 60 digits.

        The sums of a class may cancel to many digits. A number above 10^60 has a fractional part
        all the same: the working precision covers the largest value, up to `MOST_BITS`.
        """
        assert self.evaluator is not None
        mp, backend = self.evaluator.mp, self.evaluator.backend
        largest = max((mp.mag(y) for y in sample.y if y and mp.isfinite(y)), default=0)
        with mp.workprec(mp.prec + max(0, min(largest, MOST_BITS))):
            return [_to_float(g) for g in self._at(row, backend, sample).follow(units)]


def evaluate(
    tape: Tape,
    samples: Samples,
    held: int,
    *,
    recheck: bool = True,
    digits: int = DIGITS,
) -> Iterator[Evaluated]:
    """Evaluate a tape block by block; the blocks are consecutive and cover all rows.

    - `held`: numbers held per sample, 1 or more; they decide the length of a block.
    - `recheck`: whether the first `most_rechecked` different doubtful samples are settled at 60
      digits. The others are not `ok`.
    - `digits`: other than 60 to tell a zero from a value too small for so many digits.
    """
    total = len(samples)
    rows = max(64, min(total, MOST_ROWS, NUMBERS_HELD // held))
    most = most_rechecked(len(tape.slots)) if recheck else 0
    settled = settled_constants(tape) if recheck and total > most else NOTHING_SETTLED
    evaluator: ExactEvaluator | None = None
    kinds: dict[tuple[str, ...], ExactSample] = {}
    settled_rows = 0
    for start in range(0, total, rows):
        stop = min(total, start + rows)
        columns = {name: samples.columns[name][start:stop] for name in tape.variables}
        block = evaluate_around(tape, columns, stop - start, settled)
        ok = block.first_invalid == VALID
        doubtful = np.flatnonzero(block.suspect | block.doubtful)
        exact: dict[int, ExactSample] = {}
        for row in doubtful[: max(0, MAX_ROWS_RECHECKED - settled_rows)].tolist():
            cells = tuple([samples.decimal(name, start + row) for name in tape.variables])
            if cells not in kinds:
                if len(kinds) >= most:
                    continue
                evaluator = evaluator or ExactEvaluator(tape, digits)
                kinds[cells] = evaluator.sample(dict(zip(tape.variables, cells, strict=True)))
            exact[row] = kinds[cells]
            ok[row] = exact[row].first_invalid is None
        settled_rows += len(exact)
        left = np.setdiff1d(doubtful, list(exact), assume_unique=True)
        ok[left] &= block.overflow_at[left] == VALID
        if recheck:
            ok[left] &= ~block.suspect[left]
        yield Evaluated(tape, start, stop, block, ok, exact, evaluator)


def sweep(
    tape: Tape,
    units: tuple[Unit, ...],
    samples: Samples,
    *,
    recheck: bool = True,
    digits: int = DIGITS,
) -> Iterator[Arrivals]:
    """Follow the noise of every unit to the last one, the target, block by block as `evaluate`.
    `units` stand operands first.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.engine.tape import tape_of
    >>> samples = Samples.from_columns({"x": [2.0, 4.0]})
    >>> tape = tape_of(read("x - 1").formula)
    >>> (block,) = sweep(tape, class_units(tape), samples)
    >>> [g.tolist() for g in block.arrived]  # of x, of 1, of the difference
    [[2.0, 1.3333333333333333], [-1.0, -0.3333333333333333], [1.0, 1.0]]
    """
    for evaluated in evaluate(tape, samples, len(units), recheck=recheck, digits=digits):
        yield evaluated.arrivals(units)


def _to_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf
