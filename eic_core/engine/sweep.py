"""One reverse sweep: what flows from a target down its tape, to nodes, classes or constants.

With A_t = 1 at the target and A_i = sum over the nodes k that read i of A_k de_k/dy_i, A_j is the
derivative of y_t by y_j (`gradients`), and G_j = A_j y_j / y_t is how much of the noise of j
arrives at t (`sweep`): sum_j G_j^2 = s_t^2 of Algorithm 1 (Yu et al., ``alg:calculate_eic``). The
rules of ADR 0001 and 0008 run over a backend `B`: NumPy's arrays, or exact numbers. ``y`` is the
value of node k, ``a`` the value of its operand i.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.amplify import FEW, MOST_WORK, Amplification
from eic_core.engine.branches import active_slots, plain_values
from eic_core.engine.constants import settled_constants
from eic_core.engine.exact import ACCURACY, ExactEvaluator, ExactSample
from eic_core.engine.native.library import DOUBT, HIGH, INVALID
from eic_core.engine.reference import NOTHING_SETTLED, evaluate_block
from eic_core.engine.tape import RECHECK_S2, SINGULAR_S2, SMALLEST_NORMAL, Step, Tape, tape_of
from eic_core.engine.walked import RANGE, SUSPECT, Walked, blocks, columns_between
from eic_core.errors import require
from eic_core.formula.tree import Formula
from eic_core.operators import NUMPY
from eic_core.operators.balls import BALLS, Ball, magnitude, working
from eic_core.operators.wide import Array
from eic_core.samples import Samples

SHARP = 200
"""Bits to which values are known where sums of noise cancel: 60 digits."""

LEAST_BITS, LARGEST_RADIUS = 30, 1e-9
"""Noise that has arrived is known to so many bits, or to so much of the target's own."""

MOST_BITS = 10_000
"""Working precision beyond that of a sample, at most, for values above 10^60."""

TINIEST = 5e-324
"""The double that stands for a value below all doubles, where its sign matters."""

NOTHING = 0.0


# --- units, and the sweep over them


class Unit(NamedTuple):
    """A place to which something flows: a node, or a class of nodes that share their noise."""

    slot: int  # Its place on the tape
    operands: tuple[int, ...]  # The units that it reads; they stand before it
    followed: bool = True  # Whether a unit that is asked for stands at or below it


def node_units(formula: Formula, root: int | None = None) -> tuple[Unit, ...]:
    """A unit for each node at or below `root`, which has noise of its own."""
    subtree = formula if root is None else formula.subtree(root)
    first = 0 if root is None else formula.first[root]
    children = [node.children for node in subtree.nodes]
    return tuple(map(Unit, tape_of(formula).slots[first : first + len(children)], children))


def step_units(
    tape: Tape, root: int | None = None, slots: Container[int] | None = None
) -> tuple[Unit, ...]:
    """A unit for each slot as far as `root`: all nodes of a step share their noise.

    `slots` are the slots that are asked for, by default all.
    """
    units: list[Unit] = []
    for slot, operands in enumerate(tape.operands[: None if root is None else root + 1]):
        followed = slots is None or slot in slots or any(units[i].followed for i in operands)
        units.append(Unit(slot, operands, followed))
    return tuple(units)


def follow(
    tape: Tape,
    units: Sequence[Unit],
    start: Any,
    edges: Callable[[Step], Iterable[Any]],
    passed: Callable[[Any, Any], Any],
) -> list[Any]:
    """What arrives at each unit of what starts at the last; None where nothing does.

    - `edges`: for each operand of a step what its edge lets through.
    - `passed`: of what has arrived at a step, what goes on by an edge: a tuple, whose parts add up
      where several ways meet.
    """
    flows: list[Any] = [None] * len(units)
    flows[-1] = start
    for index in range(len(units) - 1, -1, -1):
        slot, operands, _ = units[index]
        step, arrived = tape.steps[slot], flows[index]
        if step.row is None or arrived is None or all(map(is_nothing, arrived)):
            continue
        if step.row.compares and len(set(operands)) == 1:
            if index < len(units) - 1:
                flows[index] = None
            continue  # what shares its noise with its other side stays equal to it
        for child, edge in zip(operands, edges(step), strict=True):
            if units[child].followed:
                part, flow = passed(arrived, edge), flows[child]
                flows[child] = part if flow is None else type(part)(*map(add, flow, part))
    return flows


# --- the rules for noise, over a backend


class NoiseEdge(NamedTuple):
    """What lets noise through to an operand."""

    # kappa, slope: 0 where nothing passes
    kappa: Any  # d eta_k / d eta_i with its sign; where y = 0 its limit, if that is finite
    slope: Any  # de_k/dy_i
    y: Any
    a: Any
    zeros: bool  # Whether any y, or any operand of the node, is 0


class Flow(NamedTuple):
    """The noise that has arrived at a node on the way down from the target, in three modes."""

    # d eta_t / d eta: a relative change of the node's value arrives so many times larger
    relative: Any
    absolute: Any = NOTHING  # d eta_t / dy, where y = 0 below a value that is not
    infinite: Any = NOTHING  # Not 0 where whatever moves the value leaves the target no digit


def passage(B: Any, sized: Any, y: Any, a: Any, slope: Any, limit: Any, term: Any, s2: Any) -> Any:
    """`NoiseEdge.kappa` and `slope`, of the size that the recursion found.

    `limit` is the limit of kappa, `NOTHING` if y is never 0; `term` is the part of s_k^2 that the
    recursion added through this edge; `s2` is the operand's s_i^2. A jump that a rounding of the
    operand has just missed counts as a jump. A kappa that leaves double range on the way, or where
    values do (`sized`), or of a slope below the normal doubles, is sqrt(term / s_i^2).
    """
    kappa = B.over(slope, y) * a
    small = (kappa == 0) | (B.abs(slope) < (SMALLEST_NORMAL if B is NUMPY else 0.0))
    lost = B.where(B.isfinite(kappa), small & (term != 0), True) | sized
    jumps = (term == math.inf) & (s2 < math.inf)
    if anywhere(jumps):  # not where a large kappa is the reason
        jumps = jumps & ((slope == 0) | (kappa * kappa * s2 <= SINGULAR_S2))
        slope, lost = B.where(jumps, math.inf, slope), lost | jumps
    if anywhere(lost):
        size = B.sqrt(term / s2)
        size = B.where(B.isnan(size), math.inf, size)
        falls = (slope < 0) | (B.over(1.0, slope) < 0)  # -0 does
        kappa = B.where(lost, B.where(falls, -size, size) * B.sign(a) * B.sign(y), kappa)
    kappa = B.where(a == 0, 0.0, kappa)
    if not is_nothing(limit):
        kappa = B.where(y == 0, B.where(B.isfinite(limit), limit, 0.0), kappa)
    return B.where(term == 0, 0.0, kappa), B.where(term == 0, 0.0, slope)


def size_taken(B: Any, term: Any, s2: Any) -> Any:
    """How many times the noise of an operand passes min, max or a conditional.

    Once from the one attained or the branch taken (on a threshold the noisier, where both agree),
    else not at all; infinitely from a condition on a jump. `term` and `s2` as for `passage`.
    """
    return B.where(term == s2, 1.0, B.where(term == 0, 0.0, B.sqrt(term / s2)))


def passed_on(B: Any, arrived: Flow, edge: NoiseEdge) -> Flow:
    """The operand's part, by one edge, of the noise that has arrived at the node above.

    ==================================  ===========================================================
    y is not 0                          the noise of y times kappa; below an a = 0, which has no
                                        relative noise, the absolute derivative starts
    y = 0 below a value that is not 0   the absolute derivative times the slope; where a is not 0
                                        it is a relative one again
    y = 0, and so is all above          the noise of y times the limit of kappa; without a limit,
                                        what moves the operand leaves no digit
    ==================================  ===========================================================
    """
    kappa, slope, y, a, zeros = edge
    relative, infinite = times(B, arrived.relative, kappa), times(B, arrived.infinite, slope)
    if not zeros:
        return Flow(relative, infinite=infinite)
    moved = times(B, arrived.absolute, slope)
    starting = times(B, arrived.relative, B.over(slope, y))
    hopeless = (y == 0) & (kappa == 0) & (arrived.relative != 0)
    return Flow(
        relative + times(B, moved, a),
        B.where(a == 0, B.where(y == 0, moved, starting), 0.0),
        infinite + B.where(hopeless, slope, 0.0),
    )


def noise_of(B: Any, y: Any, arrived: Flow | None) -> Any:
    """G of a node, d eta_t / d eta_j with its sign; inf where no digit of the target is left.

    A value of 0 has no relative noise; where infinities meet no digit is left.
    """
    if arrived is None:
        return NOTHING
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


# --- what depends on the kind of exact numbers


def _arithmetic(results: Walked | ExactSample) -> AbstractContextManager[Any]:
    """Silence for arrays; for balls precision enough for these values, up to `MOST_BITS`.

    A number above 10^60 has a fractional part.
    """
    if isinstance(results, Walked):
        return np.errstate(all="ignore")
    largest = max((magnitude(y) for y in results.y if y.is_finite()), default=0)
    return working(results.bits + max(0, min(largest, MOST_BITS)))


def _is_known(g: float | Ball) -> bool:
    if isinstance(g, float) or not g.is_finite():
        return True
    return bool(g.rel_accuracy_bits() >= LEAST_BITS or g.rad() < LARGEST_RADIUS)


# --- noise, block by block over a data set


class _Noise:
    """The noise below any target at the samples of a block, or at one sample.

    Of one sample `sharper` tells more digits.
    """

    def __init__(
        self,
        B: Any,
        tape: Tape,
        results: Walked | ExactSample,
        sharper: Callable[[], ExactSample] | None = None,
        sized: Any = False,
    ) -> None:
        self.B, self.tape, self._sharper = B, tape, sharper
        self._sized = sized  # Where the terms know the size of each kappa, not the values
        self._last: tuple[Sequence[Unit], list[Any]] | None = None
        self._use(results)

    def _use(self, results: Walked | ExactSample) -> None:
        self.results = results
        self._zero = [anywhere(y == 0) for y in results.y]
        self._edges: dict[int, list[NoiseEdge]] = {}

    def arrived(self, units: Sequence[Unit]) -> list[Any]:
        """G of every unit, at the last of them."""
        if self._last is not None and self._last[0] is units:
            return self._last[1]
        noise = self._followed(units)
        if self._sharper is not None and not all(map(_is_known, noise)):
            sharper, self._sharper = self._sharper(), None
            if sharper.first_invalid is None:  # Else more digits did not settle what fewer did
                self._use(sharper)
                noise = self._followed(units)
        if self.B is BALLS:
            noise = list(map(float, noise))
            self._last = units, noise
        return noise

    def _followed(self, units: Sequence[Unit]) -> list[Any]:
        B, y = self.B, self.results.y
        with _arithmetic(self.results):
            flows = follow(self.tape, units, Flow(1.0), self._edges_of, partial(passed_on, B))
            return [
                noise_of(B, y[unit.slot], flow) for unit, flow in zip(units, flows, strict=True)
            ]

    def _edges_of(self, step: Step) -> list[NoiseEdge]:
        slot, y = step.slot, self.results.y
        if slot not in self._edges:
            zeros = any(self._zero[i] for i in (slot, *step.operands))
            through = zip(self._passages(step), step.operands, strict=True)
            self._edges[slot] = [NoiseEdge(*passes, y[slot], y[i], zeros) for passes, i in through]
        return self._edges[slot]

    def _passages(self, step: Step) -> Iterable[tuple[Any, Any]]:
        B, results, row = self.B, self.results, step.row
        assert row is not None
        y, terms, p = results.y[step.slot], _terms(self.tape, results, step.slot), step.parameter
        if B is BALLS:
            p = row.exact_parameter(B, step.exact_parameter)
        if row.truth:  # nothing, or on its threshold everything
            size = B.where(results.on_threshold[step.slot], B.inf, 0.0)
            return [(size, size)] * len(terms)
        s2 = [results.s2[i] for i in step.operands]
        if row.selects or row.chooses:
            return [(size, size) for size in map(partial(size_taken, B), terms, s2)]
        a = [results.y[i] for i in step.operands]
        limits = row.zero_limit(B, a, p) if self._zero[step.slot] else (NOTHING,) * len(a)
        of_edge = partial(passage, B, self._sized, y)
        return map(of_edge, a, row.partials(B, a, y, p), limits, terms, s2)


def _is_plain(sample: ExactSample) -> bool:
    """Whether a sample has nothing special but values beyond double range."""
    if sample.first_invalid is not None or not max(sample.s2) <= RECHECK_S2:
        return False
    return all(near != 0 or y != 0 for near, y in zip(sample.doubles, sample.y, strict=True))


def _put(tape: Tape, block: Walked, samples: list[tuple[ExactSample, list[int]]]) -> Any:
    """Put what balls say of samples beyond double range into a block; return where that is."""
    if not samples:
        return False
    sized = np.zeros(len(block.dead), dtype=bool)
    for sample, rows in samples:
        block.put(tape, rows[0], sample)
        signed = zip(sample.doubles, sample.y, strict=True)
        block.y[:, rows[0]] = [near or (-TINIEST if y < 0 else TINIEST) for near, y in signed]
        for each in (block.y, block.s2, block.terms):
            each[:, rows] = each[:, rows[:1]]
        sized[rows] = True
    return sized


def _terms(tape: Tape, results: Walked | ExactSample, slot: int) -> Any:
    """kappa^2 s_i^2 of each operand of a step."""
    if isinstance(results, Walked):
        return results.terms[tape.edges[slot]]
    return results.contributions[slot]


class ExactNoise:
    """The noise at samples in balls, by their cells, which equal samples share.

    What was asked before, and what of `amplification` came to this process, changes no answer.
    """

    def __init__(self, tape: Tape, amplification: Amplification | None = None) -> None:
        self.tape, self.most = tape, float(MOST_WORK)
        self._samples: dict[tuple[str, ...], ExactSample] = {}
        self._deep = self.unsettled = frozenset[tuple[str, ...]]()
        if amplification is not None:
            cells, rows = amplification.samples.cells, amplification.unsettled.tolist()
            self.unsettled = frozenset([cells(tape.names, row) for row in rows])
            self.most, self._deep = amplification.effort * MOST_WORK, amplification.exact.deep
            if amplification.tape.slots == tape.slots:
                self._samples = amplification.exact.samples
        self._evaluators = {bits: ExactEvaluator(tape, bits) for bits in (ACCURACY, SHARP)}
        self._noise: dict[tuple[str, ...], _Noise] = {}

    def noise(self, cells: tuple[str, ...]) -> _Noise:
        if cells not in self._noise:
            sample = self._samples.get(cells) or self._sample(cells, ACCURACY)
            self._noise[cells] = _Noise(
                BALLS, self.tape, sample, partial(self._sample, cells, SHARP)
            )
        return self._noise[cells]

    def _sample(self, cells: tuple[str, ...], accuracy: int) -> ExactSample:
        evaluator = self._evaluators[accuracy]
        evaluator.deep_samples = int(cells in self._deep)  # else what it told from 0 were 0 again
        return evaluator.sample(dict(zip(self.tape.names, cells, strict=True)))


@dataclass(frozen=True)
class Arrivals:
    rows: slice  # Of the samples
    ok: np.ndarray  # shape (m,): Samples at which every value is real
    s2: Array  # shape (m,): The recursion's s_t^2; inf where singular
    # shape (units, m): G with its sign; infinite where no digit of the target is left.
    # Meaningless where not `ok`.
    arrived: Array

    @property
    def usable(self) -> np.ndarray:
        """Samples that are `ok` and neither singular nor on a threshold, shape (m,)."""
        return np.asarray(self.ok & np.isfinite(self.s2) & np.isfinite(self.arrived).all(axis=0))

    def sum_of_squares(self, units: Sequence[int] | slice = slice(None)) -> Array:
        """sum_j G_j^2 over these units, shape (m,); inf if singular."""
        with np.errstate(all="ignore"):
            total = np.square(self.arrived[units]).sum(axis=0)
        total[~(total <= SINGULAR_S2)] = math.inf
        return np.asarray(total)


@dataclass(frozen=True)
class Evaluated:
    rows: slice  # Of the samples
    ok: np.ndarray  # shape (m,): Samples at which every value is real
    _doubles: _Noise
    _exact: list[tuple[_Noise, list[int]]]  # What double precision cannot settle, and its rows

    def arrivals(self, units: Sequence[Unit]) -> Arrivals:
        slot = units[-1].slot
        arrived = np.empty((len(units), len(self.ok)))
        for row, g in zip(arrived, self._doubles.arrived(units), strict=True):
            row[:] = g
        s2 = np.array(self._doubles.results.s2[slot])
        for noise, rows in self._exact:
            s2[rows] = noise.results.s2[slot]
            arrived[:, rows] = np.array(noise.arrived(units))[:, None]
        s2[~(s2 <= SINGULAR_S2)] = math.inf
        return Arrivals(self.rows, self.ok, s2, arrived)


def evaluate(
    tape: Tape,
    samples: Samples,
    held: int,
    *,
    recheck: bool = True,
    exact_noise: ExactNoise | None = None,
) -> Iterator[Evaluated]:
    """Evaluate a tape block by block; the blocks are consecutive and cover all rows.

    - `held`: numbers held per sample, 1 or more; they decide the length of a block.
    - `recheck`: whether doubtful samples are settled in balls, as far as their effort goes. The
      others are not `ok`.
    - `exact_noise`: what is known of exact samples already, to which this adds.
    """
    total = len(samples)
    settled = NOTHING_SETTLED
    if recheck and total > FEW:
        settled = settled_constants(tape, proven=True)
    exact_noise = ExactNoise(tape) if exact_noise is None else exact_noise
    shortest = samples.longer.isdisjoint(tape.variables)
    work = 0
    for start, stop in blocks(total, held):
        columns = columns_between(tape, samples, start, stop)
        block = evaluate_block(tape, columns, stop - start, settled, shortest=shortest)
        ok = (block.status & (INVALID | (SUSPECT if recheck else HIGH))) == 0
        alike: dict[tuple[str, ...], list[int]] = {}
        waiting = np.flatnonzero(block.status & (SUSPECT | DOUBT))
        for row in waiting.tolist() if recheck else ():
            alike.setdefault(samples.cells(tape.names, start + row), []).append(row)
        exact: list[tuple[_Noise, list[int]]] = []
        only_range = ((block.status & RANGE) != 0) & ((block.status & DOUBT) == 0)
        out_of_range: list[tuple[ExactSample, list[int]]] = []
        for cells, rows in alike.items():
            if work >= exact_noise.most or cells in exact_noise.unsettled:
                continue
            noise = exact_noise.noise(cells)
            sample = noise.results
            assert isinstance(sample, ExactSample)
            work += len(tape) * (1 + sample.bits // 2048)
            ok[rows] = sample.first_invalid is None
            if only_range[rows[0]] and not tape.chooses and _is_plain(sample):
                out_of_range.append((sample, rows))
            elif ok[rows[0]]:
                exact.append((noise, rows))
        sized = _put(tape, block, out_of_range)
        yield Evaluated(slice(start, stop), ok, _Noise(NUMPY, tape, block, sized=sized), exact)


def sweep(
    tape: Tape,
    units: Sequence[Unit],
    samples: Samples,
    *,
    recheck: bool = True,
    exact_noise: ExactNoise | None = None,
) -> Iterator[Arrivals]:
    """Follow the noise of every unit to the last one, the target, block by block as `evaluate`.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [2.0, 4.0]})
    >>> tape = tape_of(read("x - 1").formula)
    >>> (block,) = sweep(tape, step_units(tape), samples)
    >>> block.arrived.tolist()  # of x, of 1, of the difference
    [[2.0, 1.3333333333333333], [-1.0, -0.3333333333333333], [1.0, 1.0]]
    """
    for evaluated in evaluate(tape, samples, len(units), recheck=recheck, exact_noise=exact_noise):
        yield evaluated.arrivals(units)


# --- plain derivatives


class Gradients(NamedTuple):
    values: Array  # shape (N,): nan where a node has no real value
    jacobian: Array  # shape (N, C): A column for each constant
    slots: tuple[int, ...]  # The constants' places on the tape, ascending
    labels: tuple[str, ...]  # Their texts


class _Derivative(NamedTuple):
    size: Any  # dy_t/dy
    counts: Any  # Where a way leads here from the target by operands and branches that count


def gradients(tape: Tape, samples: Samples, root: int | None = None) -> Gradients:
    """The derivative of a tape's root with respect to every constant leaf, at every sample.

    Parameters
    ----------
    tape
        Constants that share a slot move together; ``lay_out(formula, share=False)`` gives each
        place in the tree its own derivative.
    samples
        With a column for each variable of the tape.
    root
        A slot; by default the root of the last formula on the tape.

    Returns
    -------
    Gradients
        `jacobian` is nan where `values` is.

    Raises
    ------
    DataError
        If a variable has no column.

    Notes
    -----
    Exact exponents, root indices and bases belong to their operators and are no leaves. Of a
    conditional only the branch taken counts; so it is at a kink: of ``abs`` at 0 the operand
    itself, of ``min`` and ``max`` at a tie the first operand attained. ``hypot(0, 0)`` counts 1
    for each operand. A vertical tangent (``sqrt`` at 0) and a jump give an infinity, a factor of 0
    beside one nan. All is double precision.

    Examples
    --------
    >>> from eic_core.engine.tape import lay_out
    >>> from eic_core.formula.syntax import read
    >>> tape = lay_out(read("2*exp(-3*x) + 5").formula)
    >>> gradient = gradients(tape, Samples.from_columns({"x": [0.0, 1.0]}))
    >>> gradient.labels, gradient.values.round(3).tolist()
    (('2', '-3', '5'), [7.0, 5.1])
    >>> gradient.jacobian.round(3).tolist()  # exp(-3x), 2x exp(-3x), 1
    [[1.0, 0.0, 1.0], [0.05, 0.1, 1.0]]
    """
    require(tape, Tape)
    require(samples, Samples)
    samples.require(tape.variables)
    root = tape.roots[-1] if root is None else root
    members = [tape.steps[slot] for slot in tape.members(root)]
    slots = tuple([step.slot for step in members if step.label])
    units = step_units(tape, root, slots)
    values, jacobian = np.empty(len(samples)), np.empty((len(samples), len(slots)))
    for start, stop in blocks(len(samples), len(tape)):
        y = plain_values(tape, columns_between(tape, samples, start, stop), stop - start)
        with np.errstate(all="ignore"):
            flows = follow(tape, units, _Derivative(1.0, np.True_), partial(_slopes, y), _derived)
            for place, slot in enumerate(slots):
                jacobian[start:stop, place] = 0.0 if flows[slot] is None else flows[slot].size
            unreal = _without_value(tape, root, members, y)
        values[start:stop] = np.where(unreal, np.nan, y[root])
        jacobian[start:stop][unreal] = np.nan
    return Gradients(values, jacobian, slots, tuple([tape.steps[slot].label for slot in slots]))


def _without_value(tape: Tape, root: int, members: list[Step], y: list[Any]) -> np.ndarray:
    unreal = np.zeros(len(y[root]), dtype=bool)
    active = active_slots(tape, y, len(unreal), root) if tape.chooses else None
    for step in members:
        if np.isfinite(y[step.slot]).all():
            continue
        bad = np.isnan(y[step.slot])
        if step.row is not None and step.row.pole is not None:
            a = [y[i] for i in step.operands]
            bad |= np.isinf(y[step.slot]) & step.row.pole(NUMPY, a, step.parameter)
        unreal |= bad if active is None else bad & active[step.slot]
    return unreal


def _slopes(y: list[Any], step: Step) -> Iterable[tuple[Any, Any]]:
    """de_k/dy_i of each operand, and where the operand counts."""
    row, a = step.row, [y[i] for i in step.operands]
    assert row is not None
    slopes: Sequence[Any] = (1.0,) * len(a)
    counts: Sequence[Any] = (not row.truth,) * len(a)
    if row.chooses:
        counts = (False, a[0] == 1, a[0] == 0)
    elif row.selects:  # the first that is attained
        first = np.argmax([operand == y[step.slot] for operand in a], axis=0)
        counts = [first == i for i in range(len(a))]
    elif row.numeric:
        slopes = row.partials(NUMPY, a, y[step.slot], step.parameter)
    return zip(slopes, counts, strict=True)


def _derived(arrived: _Derivative, edge: tuple[Any, Any]) -> _Derivative:
    slope, edge_counts = edge
    size, counts = arrived.size * slope, arrived.counts & edge_counts
    return _Derivative(size if counts is np.True_ else np.where(counts, size, 0.0), counts)
