"""The result's moves where a step keeps no digit, or where a rounding turns one.

Amplification is of first order: infinite where a step jumps, or is 0 and moves. The steps above
may be finite although the result follows (``sqrt((x - a)**2 + (y - b)**2)`` of two equal points),
or the result may move by little (``1000000 + floor(x)``). Between jumps it says nothing of an
operand that has lost its digits. So steps are moved, and the formula is run with other roundings.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.exact import ExactEvaluator, ExactSample
from eic_core.engine.forward import evaluate, forward, leaves
from eic_core.engine.tape import SMALLEST_NORMAL, UNIT_ROUNDOFF, Step
from eic_core.engine.walked import Array, Rows
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.reasons import Outcome, Reason
from eic_core.measure.runs import (
    FAR,
    LARGEST,
    NOTHING,
    Blamed,
    Runs,
    digits_of_errors,
    relative_error,
)
from eic_core.operators import OPERATORS

RUNS, FEWEST_RUNS = 16, 4
"""How often a formula is run with other roundings: less often where that would take long."""

MOST_RUN = 20_000_000
"""Nodes times samples times runs."""

_EXTENDED = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant

MOVE = 4 * UNIT_ROUNDOFF
"""By so much of their size operands are moved at most, up and down."""

MOVES = (MOVE, -MOVE, 0.3 * MOVE, -0.4 * MOVE)
PARTS = (0.83, 0.71, 0.57, 0.43, 0.29)
"""Of what turns many times on the way, no one move tells; between are parts of what it does."""

FROM_ZERO = 1e-300
"""What a 0 is moved to, times a move: to its other side."""

BEYOND = 100.0
"""The result follows where it moves by more than so many roundings times its own amplification."""

MOST_TURNING = 500
"""Samples of a conditional that are looked at one by one."""

WRONG = 0.1
"""A result that moves by so much of its size keeps no digit."""

MOST_WORK, FEWEST = 20_000, 100
"""Nodes times samples at which the source of an infinity is sought, at most, but so many samples;
others are as those that are alike."""

DEEPEST = 50
"""So many times several ways down are compared; below, the first is taken."""


# A rounding that turns a step


@cached_on_inspection
def undecided(inspection: Inspection) -> Blamed:
    """The samples at which a rounding decides the result, and the step that it turns there.

    But not those where no digit is right (s tells of those). The same data give the same answer.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [2.3, 7.0]})
    >>> result = undecided(inspect(read("sign((x + 1e16) - 1e16 - 2)").formula, samples))
    >>> result.rows.tolist(), result.nodes.tolist(), result.digits.tolist()  # x + 1e16 is off by 1
    ([0], [7], [inf])
    """
    amplification = inspection.amplification
    tape, root = amplification.tape, inspection.formula.root.id
    steps = [s for s in tape.steps if s.row is not None and (s.row.jumps or s.row.compares)]
    if not steps:
        return NOTHING
    runs = Runs(inspection, np.flatnonzero(np.isfinite(amplification.trace(root)[1])))
    count, plain, (_, s) = len(runs.rows), runs.doubles, runs.trace(root)
    exact, longer = runs.exact(plain), runs.longer()
    active = [amplification.evaluated(step.node)[runs.rows] for step in steps]
    turned = np.zeros((len(steps), count), dtype=bool)
    others = [plain[step.slot].copy() for step in steps]
    spread = relative_error(plain[-1], exact[-1])
    with np.errstate(over="ignore"):
        shortened = [y.astype(float) for y in longer]
    for values in chain([shortened, exact], _rounded_otherwise(runs)):
        spread = np.maximum(spread, relative_error(values[-1], exact[-1]))
        for step, mark, other, on in zip(steps, turned, others, active, strict=True):
            y = values[step.slot]
            differs = _differ(step, plain, values) & on
            other[differs] = y[differs]
            mark |= differs
    explained = FAR * UNIT_ROUNDOFF * s
    sizes = [np.abs(y) for y in longer]
    out = [(size > LARGEST) | ((size < SMALLEST_NORMAL) & (size != 0)) for size in sizes]
    by_range = np.any(out, axis=0)
    far = (spread > explained) & turned.any(axis=0)
    far &= ~(by_range & ~np.isfinite(plain[-1]))  # such a row is told as a lost value
    nodes, most = np.full(count, -1), np.zeros(count)
    for step, own_turns, other in zip(steps, turned, others, strict=True):
        members = set(tape.members(step.slot))
        below = [each.slot in members and each is not step for each in steps]
        alone, moved = turned.sum(axis=0) == own_turns, spread
        first = own_turns & far & ~turned[below].any(axis=0)
        if (first & ~alone).any():
            own = relative_error(runs.result(step.slot, other), plain[-1], exact[-1])
            moved = np.where(alone, spread, own)
        first &= (moved > explained) & (moved > most)
        nodes[first], most[first] = step.node, moved[first]
    why = np.where(by_range, Reason.RANGE, Reason.ROUNDING)
    # elsewhere no step alone moves it
    costs = digits_of_errors(most)
    return Blamed.of(runs.rows, Outcome.DECIDED, nodes, why, digits=costs).where(nodes >= 0)


def _differ(step: Step, plain: Sequence[Array], values: Sequence[Array]) -> np.ndarray:
    """Where a step jumps between two runs; a remainder does by a divisor."""
    assert step.row is not None
    one, other = plain[step.slot], values[step.slot]
    own = 0.0 if step.row.steps or step.row.compares else 1e-9
    with np.errstate(invalid="ignore"):
        least = own * np.fmax(np.abs(one), np.abs(other))
        if step.row.multiples:
            least = 0.5 * np.abs(plain[step.operands[1]])
        apart = np.abs(one - other) > least
    return np.asarray(apart | (np.isnan(one) != np.isnan(other)))


def _rounded_otherwise(runs: Runs) -> Iterator[list[Array]]:
    """Runs in which each step that rounds is moved by a rounding or not, at random."""
    tape, count = runs.tape, len(runs.rows)
    rng = np.random.default_rng(0)
    rounds = [
        _rounds(step, [runs.doubles[i] for i in (*step.operands, step.slot)]) for step in tape.steps
    ]

    def apply(step: Step, operands: list[Any]) -> Array:
        y = np.broadcast_to(evaluate(step, operands), (count,))
        where = rounds[step.slot]
        if where is None:
            return y
        longer = _longer(step, operands)
        if longer is None:  # the next one up or down
            other = y * (1 + rng.integers(-1, 2, count, np.int8) * (1.5 * UNIT_ROUNDOFF))
        else:  # the double on the other side of the exact value
            other = np.nextafter(y, np.where(longer > y, math.inf, -math.inf))
            where = where & (longer != y) & (rng.integers(0, 2, count, np.int8) == 1)
        return np.where(where, other, y)

    for _ in range(max(FEWEST_RUNS, min(RUNS, MOST_RUN // max(1, len(tape) * count)))):
        yield forward(tape, leaves(runs.samples.columns), apply)


def _rounds(step: Step, values: Sequence[Any]) -> Any:
    """Where a step rounds, by a longer type; None where it never does."""
    row = step.row
    if row is None or row.truth or row.chooses or row.selects or row.steps:
        return None
    *operands, y = values
    longer = _longer(step, operands)
    if longer is not None:
        return longer != y
    return np.any([a != np.rint(a) for a in values], axis=0) | _EXTENDED


def _longer(step: Step, operands: Sequence[Any]) -> Any | None:
    """A step's values by a longer type; None without one, or if it is for doubles only."""
    if _EXTENDED:
        with suppress(TypeError), np.errstate(all="ignore"):
            return evaluate(step, [np.asarray(a, np.longdouble) for a in operands])
    return None


# A step without a digit


@dataclass(frozen=True)
class Moves:
    """The result's moves with steps that keep no digit."""

    # By step, shape (N,): at every sample how far the result moves, in units of its exact value, 2
    # at most; 0 where the step keeps digits
    by_step: Mapping[int, Array] = field(repr=False)
    # shape (N,): Where such a step, moved, had another value with which the result has one: there
    # the move says how far, be it not at all. A result that stays 0 tells nothing.
    reached: np.ndarray = field(repr=False)


@cached_on_inspection
def moves_of(inspection: Inspection) -> Moves:
    """The result's moves where a step keeps no digit."""
    count, by_step = len(inspection.samples), {}
    reached = np.zeros(count, dtype=bool)
    for step in inspection.amplification.tape.steps:
        if step.row is None or not inspection.nodes[step.node].singular:
            continue
        runs = Runs(inspection, _made_here(inspection, step))
        if len(runs.rows):
            y, _ = runs.trace(inspection.formula.root.id)
            far, is_reached = _moved_with(runs, step, y)
            by_step[step.node] = np.zeros(count)
            by_step[step.node][runs.rows] = far
            reached[runs.rows] |= is_reached & ((far > 0) | (y != 0))
    return Moves(by_step, reached)


@cached_on_inspection
def following(inspection: Inspection) -> Blamed:
    """The samples at which the result follows such a step, though its own amplification is finite.

    Of several steps the one that it follows most.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.0], "y": [5.0, 2.0, 4.0]})
    >>> result = following(inspect(read("sqrt((x-1)**2 + (y-5)**2)").formula, samples))
    >>> result.rows.tolist(), result.nodes.tolist(), result.digits.tolist()
    ([0], [2], [inf])
    """
    by_step, formula = moves_of(inspection).by_step, inspection.formula
    if not by_step:
        return NOTHING
    _, s = inspection.amplification.trace(formula.root.id)
    nodes, far = np.array([*by_step]), np.array([*by_step.values()])
    operators = [OPERATORS[formula.nodes[node].operator] for node in by_step]
    jumps = np.array([bool(row.jumps) or not row.numeric for row in operators])
    with np.errstate(invalid="ignore"):
        beyond = far > np.minimum(WRONG, BEYOND * UNIT_ROUNDOFF * s)
    beyond &= np.isfinite(s) & ((far >= WRONG) | jumps[:, None])
    rows = np.flatnonzero(beyond.any(axis=0))
    most = np.argmax(far[:, rows], axis=0)
    why = np.where(jumps[most], Reason.JUMP, Reason.ZERO)
    costs = digits_of_errors(far[:, rows].max(axis=0))
    return Blamed.of(rows, Outcome.FOLLOWS, nodes[most], why, digits=costs)


def _made_here(inspection: Inspection, step: Step) -> Rows:
    """Where a step keeps no digit though its operands do, or a condition turns.

    Of a conditional, `MOST_TURNING` samples at most are looked at for that.
    """
    amplification, samples, row = inspection.amplification, inspection.samples, step.row
    tape, lost = amplification.tape, np.isinf(amplification.trace(step.node)[1])
    rows = np.flatnonzero(lost)
    if row is None or row.compares:
        return rows
    for operand in step.operands:
        if inspection.nodes[tape.nodes[operand]].singular:
            lost &= ~np.isinf(amplification.trace(tape.nodes[operand])[1])
    if row.chooses:
        evaluator = ExactEvaluator(tape)
        for place in rows[:MOST_TURNING].tolist():
            cells = {name: samples.decimal(name, place) for name in tape.variables}
            sample = evaluator.sample(cells)
            turns = len(sample.y) > step.slot and math.isinf(sample.contributions[step.slot][0])
            lost[place] |= turns
    return np.flatnonzero(lost)


def _moved_with(runs: Runs, step: Step, root_y: Array) -> tuple[Array, np.ndarray]:
    """The result's move with a step, in units of its exact value (at most 2), and where."""
    y, _ = runs.trace(step.node)
    if step.row is not None and step.row.chooses:  # of the branch that is not taken, too
        operands = [runs.doubles[i] for i in step.operands]
    else:
        operands = [runs.trace(runs.tape.nodes[i])[0] for i in step.operands]
    # not what rounding leaves of it
    as_it_is = np.where(root_y == 0, 0.0, runs.result(step.slot, y))
    far, reached = np.zeros(len(y)), np.zeros(len(y), dtype=bool)
    for value in _other_values(step, operands, y):
        moved = runs.result(step.slot, value)
        # where it has no value, it keeps its digits
        has_result = np.isfinite(value) & ~np.isnan(moved)
        other = np.minimum(relative_error(moved, as_it_is), 2.0)
        far = np.maximum(far, np.where(has_result, other, 0.0))
        reached |= has_result & (value != y)
    return far, reached


def _other_values(step: Step, operands: list[Array], y: Array) -> Iterator[Array]:
    row = step.row
    assert row is not None
    if row.chooses:
        with np.errstate(invalid="ignore"):  # doubles may miss the branch taken by a rounding
            first = np.abs(y - operands[1]) <= np.abs(y - operands[2])
        yield np.where(first | np.isnan(operands[2]), operands[2], operands[1])
    elif row.truth:
        yield 1.0 - y
    else:
        for place, operand in enumerate(operands):
            for by in MOVES:
                with np.errstate(all="ignore"):
                    other = np.where(operand == 0, by * FROM_ZERO, operand * (1 + by))
                    moved = [*operands[:place], other, *operands[place + 1 :]]
                    value = np.asarray(evaluate(step, moved))
                    one = np.maximum(1.0, np.spacing(np.abs(y)))  # to the next step, or double
                    yield np.clip(value, y - one, y + one) if row.steps else value
                    if by == MOVE and not row.jumps and not row.steps:
                        yield from [y + part * (value - y) for part in PARTS]


# The source of an infinity


class Source(NamedTuple):
    reason: Reason  # `SLOPE`, `ZERO` or `JUMP`: of two steps that leave no digit the later counts
    node: int  # Where that comes from: of what is infinitely steep the steep step


@cached_on_inspection
def sources_of_infinity(inspection: Inspection) -> Blamed:
    """The samples at which the result is left without a digit, the step that does it, and whether
    it jumps there.

    A factor of 0 silences an infinite s. So the step is found by the absolute recursion, v_k =
    y_k^2 + sum (de_k/dy_i)^2 v_i, in balls, from the result down.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]})
    >>> sources = sources_of_infinity(inspect(read("where(x > 2, 1, x - x) + 5").formula, samples))
    >>> sources.rows.tolist(), Reason(sources.reasons[0]).name, sources.nodes.tolist()
    ([1], 'JUMP', [7])
    """
    formula, amplification = inspection.formula, inspection.amplification
    y, s = amplification.trace(formula.root.id)
    lost = np.flatnonzero(np.isinf(s))
    if not len(lost):
        return NOTHING
    evaluator = ExactEvaluator(amplification.tape)
    most = max(FEWEST, MOST_WORK // len(formula))
    by_cells: dict[tuple[str, ...], Source] = {}
    alike: dict[bytes, Counter[Source]] = {}
    flags = np.array([np.isinf(amplification.trace(k)[1]) for k in range(len(formula))])
    sources: list[Source] = []
    moves = moves_of(inspection)
    for row in lost.tolist():
        cells = inspection.samples.cells(formula.variables, row)
        pattern = np.packbits(np.append(flags[:, row], y[row] == 0)).tobytes()
        like_it = alike.setdefault(pattern, Counter())
        if cells not in by_cells and (len(by_cells) < most or not like_it):
            sample = evaluator.sample(dict(zip(formula.variables, cells, strict=True)))
            moved_by = {node: float(far[row]) for node, far in moves.by_step.items()}
            by_cells[cells] = _source(formula, evaluator, sample, moved_by)
            like_it[by_cells[cells]] += 1
        sources.append(by_cells.get(cells) or like_it.most_common(1)[0][0])
    reasons, nodes = np.array(sources, dtype=np.int64).T
    most_moved = np.max([*moves.by_step.values(), np.zeros(len(s))], axis=0)
    moved = np.array(
        [
            moves.by_step.get(node, most_moved)[row]
            for node, row in zip(nodes.tolist(), lost.tolist(), strict=True)
        ]
    )
    small = (reasons == Reason.JUMP) & moves.reached[lost] & (moved < WRONG)
    kinds = np.where(reasons == Reason.SLOPE, Outcome.STEEP, Outcome.NO_DIGIT)
    kinds[small] = Outcome.DECIDED
    return Blamed(lost, kinds, nodes, reasons, digits_of_errors(moved))


def _source(
    formula: Formula,
    evaluator: ExactEvaluator,
    sample: ExactSample,
    moved_by: Mapping[int, float],
) -> Source:
    root = formula.root.id
    slots = evaluator.tape.slots
    if len(sample.y) < len(evaluator.tape):
        return Source(Reason.ZERO, root)
    zero = sample.y[-1] == 0

    def below(k: int, jumps: bool, steep: int | None, depth: int) -> Source:
        while True:
            operands, jumps_here, steep_here = evaluator.makers(slots[k], sample)
            jumps |= jumps_here
            steep = k if steep_here and not jumps_here and steep is None else steep
            children = [formula.nodes[k].children[i] for i in operands]
            if len(children) > 1 and depth < DEEPEST:
                sources = [below(child, jumps, steep, depth + 1) for child in children]
                return max(sources, key=lambda each: (each.reason, moved_by.get(each.node, 0.0)))
            if not children:
                if jumps or steep is None or zero:
                    return Source(Reason.JUMP if jumps else Reason.ZERO, k)
                return Source(Reason.SLOPE, steep)
            k = children[0]

    return below(root, False, None, 0)
