"""Whether a mean amplification is settled: its growth with N, an interval for it, and the spread of
the loss over the samples.

`Tail` is of one step and leaves out samples without a digit, but its `divergent` considers every
step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from eic_core import wording
from eic_core.engine.amplify import amplify
from eic_core.explain.created import created_losses
from eic_core.explain.facts import (
    FINITE_VARIANCE,
    FewSamples,
    GrowthPace,
    HeavyTail,
    NoInterval,
    RowsLeftOut,
    Settled,
    Unbounded,
    UnsettledAt,
)
from eic_core.explain.phrases import code_text
from eic_core.explain.phrases import settling as phrases
from eic_core.exports import Plain
from eic_core.measure.crossings import GROWN, Passage
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.tails import MIN_SAMPLES_FOR_HILL, Tail, hill_index
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase, say
from eic_core.samples import Samples

FEWEST = 32
"""Finite samples, at least, for a curve of growth."""

PARTS = (16, 8, 4, 2, 1)
ORDERS = 64
"""Random orders of the rows that the curve is averaged over; a quarter with very many rows."""

MANY = 100_000
"""So many rows are drawn at once, at most."""

RESAMPLES = 1_000
NUMBERS_DRAWN = 20_000_000
"""Bootstrap draws together, at most: fewer resamples with more data."""


SHARE_OF_EIC = 0.25
"""The part of EIC that a node must create for its growth to be that of EIC."""


def unsettled_clause(inspection: Inspection) -> Phrase | None:
    """The reason why the mean is not settled at this N; None if unknown.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.5, 4.0]})
    >>> print(unsettled_clause(inspect(read("1/(x-3)").formula, samples)))
    EIC grows with N because `x − 3` crosses zero
    """
    fact = unsettled_at(inspection)
    return None if fact is None else phrases.unsettled(inspection, fact)


@cached_on_inspection
def unsettled_at(inspection: Inspection) -> UnsettledAt | None:
    """The mean that is not settled at this N, and why; None if unknown.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.5, 4.0]})
    >>> unsettled_at(inspect(read("1/(x-3)").formula, samples))
    UnsettledAt(own=True, node=3)
    """
    tail = inspection.tail
    if tail is None or not tail.divergent:
        return None
    making = nodes_that_make(inspection, tail.node)
    own = {k: inspection.nodes[k].local_eic_finite for k in tail.crossings}
    for k in making:
        if not math.isnan(own[k]) and grows_towards(inspection, tail.node, k):
            return UnsettledAt(True, k)
    most = inspection.nodes[tail.node].local_eic_finite
    # too few samples for an index, but one in a hundred that decides, and no zero that is known
    dominated = math.isnan(tail.hill) and tail.top1_share > 0.5 and inspection.counts.valid >= 100
    dominated = dominated and not any(value > most - 0.5 for value in own.values())
    if tail.hill < 1 or dominated:
        return UnsettledAt(True, -1)
    lost = False
    for k in sorted(own, key=lambda k: (-round(own[k], 6), k)):
        if inspection.sign_changes.at(k).unbounded and not has_steps_alone(inspection, k):
            if not math.isnan(own[k]):
                return UnsettledAt(False, k)
            lost = True  # it keeps a digit nowhere: nothing is left to grow
    still = lost or all(has_steps_alone(inspection, k) for k in own)
    return None if still else UnsettledAt(True, -1)


def nodes_that_make(inspection: Inspection, node_id: int) -> list[int]:
    """The nodes that take both signs and create much of a node's loss, the largest first."""
    signs = inspection.amplification.signs
    losses = created_losses(inspection, node_id)
    created = {k: loss.digits for loss in losses for k in loss.copies}
    limit = SHARE_OF_EIC * inspection.nodes[node_id].local_eic_finite
    making = [
        k
        for k in range(inspection.formula.first[node_id], node_id + 1)
        if signs[k] == 3 and (k == node_id or created.get(k, 0.0) >= limit)
    ]
    return sorted(making, key=lambda k: (-round(created.get(k, 0.0), 6), k))


def grows_towards(inspection: Inspection, node_id: int, k: int) -> bool:
    """Whether s of a node grows without bound where `k`, at or below it, changes its sign.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.5, 4.0, 5.5]})
    >>> for text in ("(x - 3)*x", "(x - 3) + 1"):
    ...     grows_towards(inspect(read(text).formula, samples), 4, 2)
    True
    False
    """
    change = inspection.sign_changes.at(k)
    if not change.unbounded or has_steps_alone(inspection, k):
        return False
    if k == node_id or not change.place:
        return True
    _, s = inspection.amplification.trace(node_id)
    worst = int(np.nanargmax(np.where(np.isfinite(s), s, 0.0)))
    subtree = inspection.formula.subtree(node_id)
    at = {name: inspection.samples.columns[name][worst : worst + 1] for name in subtree.variables}
    at |= {name: np.array([value]) for name, value in change.place.items()}
    found = amplify(subtree, Samples.from_columns(at, count=1), recheck=False)
    _, there = found.trace(len(subtree) - 1)
    return bool(there[0] >= GROWN * s[worst])


def has_steps_alone(inspection: Inspection, node_id: int) -> bool:
    """Whether more data of this kind would bring a node no value between its present ones.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"n": [1.0, 2.0, 5.0], "x": [1.5, 2.25, 4.0]})
    >>> inspection = inspect(read("(n - 3)*(x - 3)").formula, samples)
    >>> has_steps_alone(inspection, 2), has_steps_alone(inspection, 5)
    (True, False)
    """
    columns = inspection.samples.columns
    return all(_is_stepped(columns[name]) for name in inspection.formula.subtree(node_id).variables)


def _is_stepped(column: Array) -> bool:
    if np.abs(column).max() <= LARGEST_STEP and np.array_equal(column, np.rint(column)):
        return True
    return 2 * len(np.unique(column)) <= len(column)


LARGEST_STEP = 1_000
"""Whole numbers up to here are taken for counts or codes: no more of them come with more data."""


GROWS, HARDLY = 0.1, 0.02
"""Digits by which it has grown, from the fewest rows to all, to be called so."""


@dataclass(frozen=True)
class Growth(Plain):
    counts: tuple[int, ...]
    # Mean over random orders of the rows of the local EIC of their first n
    local_eic: tuple[float, ...]
    # low, high: middle 80 per cent of these orders
    low: tuple[float, ...]
    high: tuple[float, ...]
    per_decade: float  # Digits by which it grows when N grows tenfold
    unbounded: bool = False  # Whether it is known to grow without bound, whatever these rows show

    _JSON = ("counts", "local_eic", "low", "high", "per_decade")

    @property
    def pace(self) -> GrowthPace:
        grown = self.local_eic[-1] - self.local_eic[0]
        if grown >= GROWS:
            return GrowthPace.GROWS
        return GrowthPace.HARDLY if grown >= HARDLY or self.unbounded else GrowthPace.STILL

    @property
    def sentence(self) -> Phrase:
        return phrases.growth(self.pace, self.counts, self.local_eic, self.per_decade)


def growth_of(s2: Array, *, seed: int = 0, unbounded: bool = False) -> Growth | None:
    """Local EIC over N, averaged over random orders of the finite s^2; None if n < `FEWEST`.

    >>> growth_of(np.full(64, 100.0)).local_eic
    (1.0, 1.0, 1.0, 1.0, 1.0)
    """
    n = len(s2)
    if n < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    counts = tuple(n // part for part in PARTS)
    scale = float(np.max(s2))
    orders = ORDERS if n <= MANY else ORDERS // 4
    curves = np.empty((orders, len(counts) - 1))
    for order in range(orders):
        chosen = rng.permutation(s2)[: counts[-2]] / scale
        sums = np.cumsum(chosen)
        curves[order] = [sums[count - 1] / count for count in counts[:-1]]
    curves = 0.5 * (np.log10(curves) + math.log10(scale))
    low, high = np.quantile(curves, (0.1, 0.9), axis=0).tolist()
    start = curves.mean(axis=0).tolist()
    end = 0.5 * (math.log10(float(np.mean(s2 / scale))) + math.log10(scale))  # one order is all
    decades = math.log10(counts[-1] / counts[0])
    return Growth(
        counts,
        (*start, end),
        (*low, end),
        (*high, end),
        (end - start[0]) / decades,
        unbounded,
    )


@dataclass(frozen=True)
class MeanInterval(Plain):
    # low, high: nan without an interval
    low: float
    high: float
    level: float
    obstacle: NoInterval | None = None  # Why there is none; None if there is one

    _JSON = ("low", "high", "level", ("reason", lambda interval: interval.reason or ""))

    @property
    def heavy(self) -> bool:
        """Whether the tail is the obstacle."""
        return isinstance(self.obstacle, Unbounded | HeavyTail)

    @property
    def reason(self) -> Phrase | None:
        return None if self.obstacle is None else phrases.no_interval(self.obstacle)

    @property
    def sentence(self) -> Phrase:
        return phrases.interval(self.low, self.high, self.level, self.obstacle)


def interval_of(
    s2: Array,
    crosses: bool,
    *,
    passage: Passage = Passage.ZERO,
    left_out: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> MeanInterval:
    """A percentile bootstrap interval for log10 of the root of E[s^2], where one exists.

    - `s2`, shape (n,): finite values.
    - `crosses`: whether s grows without bound where a node changes its sign (by `passage`).
    - `left_out`: samples of the same kind whose s is unknown.

    The bootstrap of a mean fails without a finite variance (K. B. Athreya, Annals of Statistics 15
    (1987) 724-731), which is assumed while Hill's tail index of s^2 is above 2. Of more than
    `MANY` rows that many are drawn, and their spread is scaled down to n (P. J. Bickel, F. Goetze
    and W. R. van Zwet, Statistica Sinica 7 (1997) 1-31).

    >>> print(interval_of(np.full(500, 100.0), False).sentence)
    On other samples of this kind expect 1.00 digits here (95 % bootstrap interval).
    >>> interval_of(np.ones(50), False).obstacle
    FewSamples()
    """
    n = len(s2)
    obstacle: NoInterval | None = None
    if crosses:
        obstacle = Unbounded(passage)
    elif left_out:
        obstacle = RowsLeftOut(left_out)
    elif n < MIN_SAMPLES_FOR_HILL:
        obstacle = FewSamples()
    else:
        tail = hill_index(s2, math.ceil(math.sqrt(n)))
        if tail <= FINITE_VARIANCE:
            obstacle = HeavyTail(tail)
    if obstacle is not None:
        return MeanInterval(math.nan, math.nan, level, obstacle)
    scale = float(np.max(s2))
    scaled = s2 / scale
    rng = np.random.default_rng(seed)
    drawn = min(n, MANY)
    resamples = min(RESAMPLES, NUMBERS_DRAWN // drawn)
    means = [float(np.mean(scaled[rng.integers(0, n, drawn)])) for _ in range(resamples)]
    mean, shrink = float(np.mean(scaled)), math.sqrt(drawn / n)
    ends = mean + shrink * (np.quantile(means, ((1 - level) / 2, (1 + level) / 2)) - mean)
    low, high = (0.5 * (math.log10(end) + math.log10(scale)) for end in ends.tolist())
    return MeanInterval(low, high, level)


@dataclass(frozen=True)
class Spread(Plain):
    inspection: Inspection = field(repr=False)
    state: Settled
    node: int  # The step that `state` is about
    samples: int  # How many samples `state` is about; 0 if it counts none
    tail: Tail | None  # None where no sample keeps a digit at some step

    _JSON = ("place", "quantiles", "worst", "settled")

    @property
    def place(self) -> str:
        """The step that the quantiles are about, in backticks; "" if there are none."""
        if self.tail is None:
            return ""
        return code_text(self.inspection.formula, self.tail.node, phrases.SHORT_LIMIT)

    @property
    def quantiles(self) -> str:
        """Digits lost there by 50, 90 and 99 % of the samples."""
        tail = self.tail
        values = () if tail is None else (tail.q50, tail.q90, tail.q99)
        return " / ".join(wording.number(value, 1) for value in values) or "—"

    @property
    def worst(self) -> str:
        """What the worst 1 % of the samples carry."""
        share = None if self.tail is None else self.tail.top1_share
        return wording.percent(share, missing="—")

    @property
    def settled(self) -> Phrase:
        answer, detail = self.settled_parts
        return answer if detail is None else say("{answer}: {detail}", answer=answer, detail=detail)

    @property
    def settled_parts(self) -> tuple[Phrase, Phrase | None]:
        """The answer, and what more there is to it."""
        return phrases.settled(self.inspection, self.state, self.node, self.samples)


def spread_of(inspection: Inspection) -> Spread | None:
    """The spread at the step of the largest finite local EIC; None without a valid sample.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> for text in ("x - x", "x + 1"):
    ...     spread = spread_of(inspect(read(text).formula, samples))
    ...     print(spread.quantiles, spread.worst, spread.settled, sep="; ")
    —; —; no: no sample keeps a digit at `x − x`
    0.1 / 0.1 / 0.1; 35 %; too few samples to tell
    """
    tail = inspection.tail
    if tail is None:
        return None
    # A branch that is never taken has no sample to lose, and no part in this.
    lost = [n for n in inspection.nodes if n.singular and math.isnan(n.local_eic_finite)]
    if lost:
        return Spread(inspection, Settled.NO_DIGIT, lost[0].node.id, 0, None)
    return Spread(inspection, *_settled(inspection, tail), tail)


def _settled(inspection: Inspection, tail: Tail) -> tuple[Settled, int, int]:
    """How settled the mean is, and the step and the samples that this is about."""
    counts = inspection.counts
    if math.isinf(inspection.eic):
        node = inspection.worst_step
        whole = inspection.nodes[node].singular == counts.singular
        return Settled.INFINITE_AT if whole else Settled.INFINITE, node, counts.singular
    if (why := unsettled_at(inspection)) is not None:
        return (Settled.NO, tail.node, 0) if why.own else (Settled.NOT_AT, why.node, 0)
    # what diverges still has a change of sign between two whole numbers alone
    if tail.divergent is None or (tail.divergent and math.isnan(tail.hill)):
        return Settled.FEW_SAMPLES, tail.node, 0
    if counts.left_out:
        return Settled.LEFT_OUT, tail.node, counts.left_out
    # an index below 1 says that there is no mean, were it known better
    return Settled.FEW_SAMPLES if tail.hill < 1 else Settled.YES, tail.node, 0
