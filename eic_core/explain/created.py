"""The digits of a node's loss that each step at or below it creates.

The noise of node j arrives at the target t as G_j, and sum_j G_j^2 = s_t^2 at every sample
(`eic_core.engine.sweep`). With T_k the part of that sum that comes through node k,

    log10 s_t = sum_k rho_k (log10 s_k - sum_i (T_i / T_k) log10 s_i),     rho_k = T_k / s_t^2,

over the operands i of each node k: a node creates the growth of log10 s over its operands, weighted
by the noise that passes it. Samples are weighted by s_t^(2 lambda), lambda from 0 to 1, such that
the created digits add up to the local EIC of t.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.engine.sweep import ExactNoise, node_units, sweep
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import INHERITED, Inspection, cached_on_inspection
from eic_core.operators.wide import Array

CLOSE = 1e-12
"""To so many digits the weighted mean is the local EIC, beside the spread of the samples."""

MOST_STEPS = 100

MOST_ROWS = 8_000
"""A loss is followed through at most so many samples: half of them those that carry most of it, the
others evenly from the rest."""

MOST_WORK = 1_000_000
"""Nodes times samples that a loss is followed through, at most, but `FEWEST_ROWS` samples."""
FEWEST_ROWS = 200


def row_weights(s: Array, counts: Array | None = None) -> Array:
    """Weights of samples under which the mean of log10 s is log10 of the root mean square of s.
    `s` has n >= 1 finite values of 1 or more, each for `counts` samples. The weights are
    proportional to s^(2 lambda) with 0 <= lambda <= 1 and add up to 1.

    >>> s = np.array([1.0, 10.0, 1000.0])
    >>> weights = row_weights(s)
    >>> float(np.round(weights @ np.log10(s) - 0.5 * np.log10(np.mean(s**2)), 9)), weights.argmax()
    (0.0, np.int64(2))
    """
    parts = np.full(len(s), 1 / len(s)) if counts is None else counts / np.sum(counts)
    digits = np.log(s)
    top = float(np.max(digits))
    below = digits - top
    goal = 0.5 * math.log(float(parts @ np.exp(2 * below)))
    spread = -float(np.min(below))
    low, high = 0.0, 1.0
    under, over = float(parts @ below) - goal, math.inf
    weights, place = parts, 1.0
    for step in range(MOST_STEPS if -under > CLOSE * spread else 0):
        weights = parts * np.exp((2 * place) * below)
        weights /= np.sum(weights)
        miss = float(weights @ below) - goal
        if abs(miss) <= CLOSE * spread or high - low < CLOSE:
            break
        if miss < 0:
            low, under = place, miss
        else:
            high, over = place, miss
        # alternately the secant and the middle: the one is fast, the other sure
        secant = low + (high - low) * under / (under - over) if over < math.inf else 0.5
        place = secant if step % 2 else 0.5 * (low + high)
    return weights


class ArrivedNoise(NamedTuple):
    """What arrives at a target from each node of its subtree, at m rows that keep a digit."""

    arrived: Array  # shape (nodes, m): G
    s2: Array  # shape (m,): The target's s_t^2
    weights: Array  # shape (m,)


def noise_at(
    inspection: Inspection,
    target: int,
    rows: npt.NDArray[np.intp] | None = None,
    weights: Array | None = None,
) -> Iterator[ArrivedNoise]:
    """The noise that arrives at a target, block by block, at all samples or some of weights."""
    samples, valid = inspection.samples, inspection.amplification.evaluated(target)
    if rows is not None and len(rows) < len(samples):
        samples, valid = samples.take(rows), valid[rows]
    weights = np.ones(len(samples)) if weights is None else weights
    units, exact = node_units(inspection.formula, target), _exact_noise(inspection)
    for block in sweep(inspection.amplification.tape, units, samples, exact_noise=exact):
        usable = block.usable & valid[block.rows]
        arrived = block.arrived.compress(usable, axis=1)
        yield ArrivedNoise(arrived, block.s2[usable], weights[block.rows][usable])


@cached_on_inspection
def _exact_noise(inspection: Inspection) -> ExactNoise:
    amplification = inspection.amplification
    return ExactNoise(amplification.tape, amplification)


class NoiseSums(NamedTuple):
    """Sums over the samples with finite s_t of the noise that arrives at t from each node below."""

    finite: int  # How many samples these are
    # Per node
    squares: Array  # Sum of G^2
    fractions: Array  # Sum of G^2 / s_t^2
    largest: Array  # Of G^2


@cached_on_inspection
def noise_sums(inspection: Inspection, target: int) -> NoiseSums:
    finite, squares, fractions, largest = 0, np.zeros(1), np.zeros(1), np.zeros(1)
    for noise in noise_at(inspection, target):
        arrived = np.square(noise.arrived)
        finite += len(noise.s2)
        squares = squares + arrived.sum(axis=1)
        fractions = fractions + (arrived / noise.s2).sum(axis=1)
        largest = np.maximum(largest, arrived.max(axis=1, initial=0.0))
    return NoiseSums(finite, squares, fractions, largest)


def steps_above(inspection: Inspection, target: int) -> list[int]:
    """For each node of a target's subtree the one above it; the target is above itself."""
    parents = inspection.formula.subtree(target).parents
    return [len(parents) - 1 if k is None else k for k in parents]


def digits_climbed(inspection: Inspection, target: int) -> Array:
    """The digits that each step adds to the noise of each source on its way to a target. Shape (n,
    n), by source j and node k: the mean of log10 of |G_k| over that of the node above k, weighted
    by G_j^2; nan where nothing arrives of j. A node whose value is 0 passes its noise on.
    """
    above = steps_above(inspection, target)
    count = len(above)
    rows, _, counts = _followed_rows(inspection, target)
    climbed, weight = np.zeros((count, count)), np.zeros((count, 1))
    for noise in noise_at(inspection, target, rows, counts):
        carried = np.square(noise.arrived) * noise.weights
        weight += carried.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            size = np.log10(np.abs(noise.arrived))
        silent = np.isneginf(size)
        apart = silent.any(axis=0)
        some = size[:, ~apart]
        climbed += carried[:, ~apart] @ (some - some[above]).T
        for j in range(count) if apart.any() else ():
            _climb(j, above, size[:, apart], silent[:, apart], carried[j, apart], climbed[j])
    with np.errstate(invalid="ignore"):
        return np.asarray(climbed / weight)


def _climb(
    source: int,
    above: list[int],
    size: Array,
    silent: npt.NDArray[np.bool_],
    carried: Array,
    climbed: Array,
) -> None:
    """Add the digits that each step above a source adds where a node passes its noise on."""
    k, here = source, np.where(silent[source], 0.0, size[source])
    while (step := above[k]) != k:
        there = np.where(silent[step], here, size[step])
        climbed[k] += float(carried @ (here - there))
        here, k = there, step


def shares_through(
    inspection: Inspection, target: int, rows: npt.NDArray[np.intp], weights: Array
) -> list[float]:
    """The share, 0 to 1, of a target's noise through each node of its subtree; nan without any.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> found = inspect(read("x - 1 + 0*y").formula, Samples.from_columns({"x": [2], "y": [1]}))
    >>> shares = shares_through(found, 6, np.array([0]), np.ones(1))
    >>> [round(share, 2) for share in shares[2:]]  # of x - 1, 0, y, 0*y, all
    [0.86, 0.0, 0.0, 0.0, 1.0]
    """
    subtree = inspection.formula.subtree(target)
    through = np.zeros(len(subtree))
    for noise in noise_at(inspection, target, rows, weights):
        scale = noise.weights / noise.s2
        through += [g2 @ scale for g2 in np.square(noise.arrived)]
    through = sums_below(subtree, through)
    with np.errstate(invalid="ignore"):
        return (through / through[-1]).tolist()


def sums_below(subtree: Formula, parts: Array) -> Array:
    """For each node of a subtree the sum of the parts of itself and of all below it."""
    sums = parts.copy()
    for k, node in enumerate(subtree.nodes):
        for i in node.children:
            sums[k] += sums[i]
    return sums


def times_of(digits: float) -> float:
    """How many times a loss of so many digits multiplies an error; infinite beyond all doubles."""
    return 10.0**digits if digits < sys.float_info.max_10_exp else math.inf


@cached_on_inspection
def digits_created(inspection: Inspection, target: int) -> list[float]:
    """The digits of a target's loss that each node of its subtree creates; [] without any digit.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> found = inspect(read("(x - 1)**2").formula, Samples.from_columns({"x": [1.001]}))
    >>> [round(digits, 2) for digits in digits_created(found, 3)]  # of x, 1, x - 1, the square
    [0.0, 0.0, 3.15, 0.3]
    """
    rows, s, counts = _followed_rows(inspection, target)
    if not len(rows):
        return []
    weights = row_weights(s, counts)
    return digits_created_at(inspection, target, rows, weights=weights)


def digits_created_at(
    inspection: Inspection,
    target: int,
    rows: npt.NDArray[np.intp],
    silent: npt.NDArray[np.bool_] | None = None,
    weights: Array | None = None,
) -> list[float]:
    """The digits that each node of a subtree creates in the mean of log10 s over some rows.

    Every row counts alike without `weights`. `silent` nodes, by their place in the subtree, have no
    noise of their own. A row at which nothing arrives, or an infinity, does not count.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> found = inspect(read("(x - 1)**2").formula, Samples.from_columns({"x": [1.001]}))
    >>> digits = digits_created_at(found, 3, np.array([0]), np.array([True, False, False, False]))
    >>> [round(created, 2) for created in digits]  # without the error of x
    [0.0, 0.0, 3.0, 0.3]
    """
    subtree = inspection.formula.subtree(target)
    held = np.zeros(len(subtree))  # the digits lost at or below each node, of the target's
    total = 0.0
    for noise in noise_at(inspection, target, rows, weights):
        arrived = np.square(noise.arrived)
        if silent is not None:
            arrived[silent] = 0.0
        arrives = arrived.any(axis=0)
        part = noise.weights[arrives]
        held += _digits_held(subtree, arrived[:, arrives], part)
        total += float(np.sum(part))
    held /= total or 1.0
    return [float(held[node.id] - math.fsum(held[[*node.children]])) for node in subtree.nodes]


def _digits_held(subtree: Formula, arrived: Array, weights: Array) -> Array:
    """Per node k, the weighted sum over a block's samples of T_k / s_t^2 times log10 s_k."""
    digits = np.zeros_like(arrived)
    with np.errstate(all="ignore"):
        through = sums_below(subtree, arrived)
        for k in [node.id for node in subtree.nodes if node.children]:
            below = list(subtree.nodes[k].children)
            given = np.add.reduce(through[below] * digits[below]) / through[k]
            # not of the quotient, which overflows beside noise of 10^-160
            lost = 0.5 * (np.log10(through[k]) - np.log10(arrived[k]))
            # a zero has no relative noise: it passes on what it is given
            passed = np.where(through[k] > 0, given, 0.0)
            digits[k] = np.where(arrived[k] == 0, passed, lost)
        scale = weights / through[-1]
    scale[~np.isfinite(scale)] = 0.0
    return np.array([part @ lost for part, lost in zip(scale * through, digits, strict=True)])


def _followed_rows(
    inspection: Inspection, target: int
) -> tuple[npt.NDArray[np.intp], Array, Array]:
    """The samples used to follow a target's loss (the largest, and every so many-th), s_t there,
    and how many each stands for.
    """
    _, s = inspection.amplification.trace(target)
    size = target + 1 - inspection.formula.first[target]
    most = max(FEWEST_ROWS, min(MOST_ROWS, MOST_WORK // size))
    finite = np.flatnonzero(np.isfinite(s))
    if len(finite) <= most:
        return finite, s[finite], np.ones(len(finite))
    heavy = np.argpartition(-s[finite], most // 2)[: most // 2]
    light = np.delete(np.arange(len(finite)), heavy)
    kept = light[:: math.ceil(len(light) / (most // 2))]
    chosen = np.concatenate([heavy, kept])
    counts = np.repeat([1.0, len(light) / len(kept)], [len(heavy), len(kept)])
    order = np.argsort(chosen)
    rows = finite[chosen[order]]
    return rows, s[rows], counts[order]


@dataclass(frozen=True)
class CreatedLoss:
    node_id: int  # Where it stands; of several copies the one that creates most
    digits: float  # All its copies together; below 0 if it takes noise away
    copies: tuple[int, ...]  # Every place where it stands


def created_losses(inspection: Inspection, node_id: int) -> tuple[CreatedLoss, ...]:
    """The part of a node's loss that each distinct operation below it creates, the largest first.
    The digits add up to the local EIC without singular samples; () if no sample keeps a digit.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> found = inspect(read("(x-0.999)**4").formula, Samples.from_columns({"x": [1.0, 1.01]}))
    >>> [(loss.node_id, round(loss.digits, 1)) for loss in created_losses(found, 3)]
    [(2, 3.0), (3, 0.6)]
    """
    return losses_by_step(inspection, node_id, digits_created(inspection, node_id))


def losses_by_step(
    inspection: Inspection, target: int, created: Sequence[float]
) -> tuple[CreatedLoss, ...]:
    """The digits that the nodes of a target's subtree create, by distinct operation: the largest
    first, but before one of about as many digits the worst step, as everywhere else.
    """
    first = inspection.formula.first[target]
    slots = inspection.amplification.tape.slots
    by_slot: dict[int, list[int]] = {}
    for k in range(len(created)):
        if inspection.formula.nodes[first + k].children:
            by_slot.setdefault(slots[first + k], []).append(k)
    losses = [
        CreatedLoss(
            first + max(places, key=lambda k: (round(created[k], 6), -k)),
            math.fsum(created[k] for k in places),
            tuple(first + k for k in places),
        )
        for places in by_slot.values()
    ]
    least = INHERITED * max((loss.digits for loss in losses), default=0.0)

    def rank(loss: CreatedLoss) -> tuple[bool, float, int]:
        is_worst = inspection.worst_step in loss.copies and loss.digits >= least
        return not is_worst, -round(loss.digits, 6), loss.node_id

    return tuple(sorted(losses, key=rank))


@dataclass(frozen=True)
class WorstStepOnData:
    node_id: int
    eic: float  # nan if no sample was valid

    @classmethod
    def of(cls, inspection: Inspection) -> WorstStepOnData:
        return cls(inspection.worst_step, inspection.eic)


def diagnosed_node(inspection: Inspection) -> int:
    """The node of largest finite local EIC, or the worst step if that node is only a leaf.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]})
    >>> [diagnosed_node(inspect(read(text).formula, samples)) for text in ("x - x", "(x - x)*x**3")]
    [2, 2]
    """
    node_id = inspection.finite_worst_step
    if not inspection.nodes[node_id].node.children and inspection.counts.valid:
        return inspection.worst_step
    return node_id


def origin_of_loss(inspection: Inspection, node_id: int) -> int:
    """The node, itself or below it, where most of a node's loss, or its first infinity, arises.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> origin_of_loss(inspect(read("sqrt(10000*x - 9999*x)").formula, samples), 7)
    6
    """
    nodes = inspection.nodes
    if nodes[node_id].singular:
        while True:
            n = nodes[node_id]
            worse = [c for c in n.node.children if nodes[c].singular >= n.singular]
            if not worse:
                return node_id
            node_id = worse[0]
    losses = created_losses(inspection, node_id)
    return losses[0].node_id if losses else node_id
