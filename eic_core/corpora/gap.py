"""The stability gap: how the EIC of laws, benchmarks and found formulas is distributed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import compress

import numpy as np

from eic_core.corpora.measured import MeasuredFormula
from eic_core.errors import require
from eic_core.exports import Plain

LEVEL = 0.95
RESAMPLES = 2_000
LEAST_LAWS = 10
"""Fewer laws than this carry no interval."""

MEAN, Q90 = "mean", "q90"
MEASURES: Mapping[str, str] = {
    MEAN: "mean of s²",
    Q90: "90 % quantile of s",
}
"""The amplification of a node over the rows: the mean, as in EIC itself, or a quantile."""


@dataclass(frozen=True)
class Group:
    """Formulas whose EICs are compared as one distribution."""

    key: str
    title: str
    formulas: tuple[MeasuredFormula, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)  # What was left out, by reason
    by_method: bool = False  # Found by a search; else written by people
    note: str = ""  # How a search came by them, in a few words

    @property
    def by_rows(self) -> bool:
        """Whether EIC was measured at several numbers of rows, not on one table."""
        return bool(self.formulas) and len(self.formulas[0].digits) > 1

    def eics(self, count: int, measure: str = MEAN) -> np.ndarray:
        """EIC of every formula at this number of rows, shape (formulas,); nan without one."""
        digits = [formula.at(count) for formula in self.formulas]
        return np.array([d.q90 if measure == Q90 else d.eic for d in digits], dtype=float)

    def with_eic(self, count: int, measure: str = MEAN) -> tuple[np.ndarray, list[MeasuredFormula]]:
        values = self.eics(count, measure)
        has_eic = ~np.isnan(values)
        return values[has_eic], list(compress(self.formulas, has_eic))


@dataclass(frozen=True)
class BootstrapInterval(Plain):
    """A number with its percentile bootstrap interval at `LEVEL`."""

    value: float
    low: float = math.nan  # As is `high`, with fewer than `LEAST_LAWS` laws
    high: float = math.nan

    _JSON = ("value", "low", "high")

    @property
    def has_bounds(self) -> bool:
        return not math.isnan(self.low)


@dataclass(frozen=True)
class GroupSummary(Plain):
    group: Group
    samples: int  # Rows on which EIC was measured
    measure: str  # A key of `MEASURES`
    count: int  # Formulas with an EIC
    laws: int  # Laws that these belong to
    quartile1: float
    median: BootstrapInterval
    quartile3: float
    mean: BootstrapInterval  # Mean of the finite EICs
    share_below_1: BootstrapInterval
    infinite: int  # Formulas of infinite EIC
    without: int  # Formulas without an EIC: no valid row

    _JSON = (
        "group=group.key",
        "title=group.title",
        "samples",
        "measure",
        "count",
        "laws",
        "quartile1",
        "median",
        "quartile3",
        "mean",
        "share_below_1",
        "infinite",
        "without",
        ("left_out", lambda summary: dict(summary.group.left_out)),
    )


def summarise(
    group: Group, count: int, measure: str = MEAN, *, seed: int = 0, resamples: int = RESAMPLES
) -> GroupSummary:
    """Quartiles, mean and share below one of a group, with intervals over laws.

    Parameters
    ----------
    group
        Each formula counts as often as its weight says.
    count
        Rows on which EIC was measured.
    measure
        A key of `MEASURES`.
    seed
        Of the resampling.
    resamples
        At least 1.

    Returns
    -------
    GroupSummary
        Of the formulas that have an EIC; the others are counted.

    Examples
    --------
    >>> from eic_core.corpora.measured import shipped
    >>> laws = summarise(Group("laws", "Laws", shipped("feynman")), 1000)
    >>> laws.count, round(laws.median.value, 2), round(laws.mean.value, 2)
    (119, 0.6, 1.03)
    """
    require(group, Group)
    values, members = group.with_eic(count, measure)
    sample = _Clustered.of(values, members)
    q1, q3 = (
        float(sample.quantile(sample.once, q)[0]) if members else math.nan for q in (0.25, 0.75)
    )
    draws = _draw_clusters(seed, sample.clusters, resamples if sample.enough else 0)
    times = sample.times(draws)
    return GroupSummary(
        group=group,
        samples=count,
        measure=measure,
        count=int(sample.weights.sum()),
        laws=sample.clusters,
        quartile1=q1,
        median=sample.interval(_median, times),
        quartile3=q3,
        mean=sample.interval(_finite_mean, times),
        share_below_1=sample.interval(_below_one, times),
        infinite=int(np.isinf(values).sum()),
        without=len(group.formulas) - len(members),
    )


@dataclass(frozen=True)
class GapDifference(Plain):
    first: Group
    second: Group
    # `first` less `second`, resampled together where they share laws
    median: BootstrapInterval
    mean: BootstrapInterval
    shared_laws: int  # Laws with formulas in both

    _JSON = ("first=first.key", "second=second.key", "median", "mean", "shared_laws")


def compare_groups(
    first: Group,
    second: Group,
    count: int,
    measure: str = MEAN,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> GapDifference:
    """The differences of medians and of means, with intervals over laws.

    Parameters
    ----------
    first
        The group to take the other from.
    second
        The group that is taken away.
    count
        Rows on which EIC was measured.
    measure
        A key of `MEASURES`.
    seed
        Of the resampling.
    resamples
        At least 1.

    Returns
    -------
    GapDifference
        `first` less `second`.

    Examples
    --------
    >>> from eic_core.corpora.measured import shipped
    >>> laws = Group("feynman", "Laws", shipped("feynman"))
    >>> solved = Group("transform", "Solved", shipped("llm_srbench_transform"))
    >>> more = compare_groups(solved, laws, 1000).median
    >>> round(more.value, 2), more.low < more.value < more.high
    (0.03, True)
    """
    require(first, Group)
    require(second, Group)
    parts = [group.with_eic(count, measure) for group in (first, second)]
    laws = [{member.law for member in members} for _, members in parts]
    # laws of both groups are drawn once for both, those of one group within it: every resample has
    # as many laws of each kind as there are
    strata = [sorted(laws[0] & laws[1]), sorted(laws[0] - laws[1]), sorted(laws[1] - laws[0])]
    order = {law: place for place, law in enumerate(law for part in strata for law in part)}
    one, other = (_Clustered.of(values, members, order) for values, members in parts)
    enough = min(map(len, laws)) >= LEAST_LAWS
    draws = np.hstack(
        [
            _draw_clusters(seed + place, len(part), resamples if enough else 0)
            for place, part in enumerate(strata)
        ]
    )
    drawn = [sample.times(draws) for sample in (one, other)]

    def difference(statistic: _Statistic) -> BootstrapInterval:
        if not (laws[0] and laws[1]):
            return BootstrapInterval(math.nan)
        value = float((statistic(one, one.once) - statistic(other, other.once))[0])
        return _interval(value, statistic(one, drawn[0]) - statistic(other, drawn[1]))

    return GapDifference(
        first, second, difference(_median), difference(_finite_mean), len(strata[0])
    )


_Statistic = Callable[["_Clustered", np.ndarray], np.ndarray]


# Laws are resampled, not formulas: two formulas for one law are no independent observations.
@dataclass(frozen=True)
class _Clustered:
    """Sorted values with the cluster of each, and how often each counts."""

    values: np.ndarray
    cluster: np.ndarray
    weights: np.ndarray
    clusters: int

    @classmethod
    def of(
        cls,
        values: np.ndarray,
        members: Sequence[MeasuredFormula],
        order: Mapping[str, int] | None = None,
    ) -> _Clustered:
        if order is None:
            names = dict.fromkeys(member.law for member in members)
            order = {law: place for place, law in enumerate(names)}
        cluster = np.array([order[member.law] for member in members], dtype=int)
        weights = np.array([member.weight for member in members], dtype=int)
        rank = np.argsort(values, kind="stable")
        return cls(values[rank], cluster[rank], weights[rank], len(order))

    @property
    def once(self) -> np.ndarray:
        """How often each value counts in the sample itself, shape (1, N)."""
        return self.weights[None, :]

    @property
    def enough(self) -> bool:
        return self.clusters >= LEAST_LAWS

    def times(self, draws: np.ndarray) -> np.ndarray:
        """How often each value counts in each resample, shape (R, N)."""
        return draws[:, self.cluster] * self.weights

    def quantile(self, times: np.ndarray, q: float) -> np.ndarray:
        """Linear between order statistics, as `numpy.quantile` on the repeated values."""
        upto = np.cumsum(times, axis=1)
        place = q * (upto[:, -1] - 1)
        below, above = np.floor(place), np.ceil(place)
        low = self.values[(upto > below[:, None]).argmax(axis=1)]
        high = self.values[(upto > above[:, None]).argmax(axis=1)]
        with np.errstate(invalid="ignore"):
            # inf - inf is nan, and so is a quantile between two infinite values without this
            return np.where(low == high, low, low + (place - below) * (high - low))

    def interval(self, statistic: _Statistic, times: np.ndarray) -> BootstrapInterval:
        if not len(self.values):
            return BootstrapInterval(math.nan)
        return _interval(float(statistic(self, self.once)[0]), statistic(self, times))


def _median(sample: _Clustered, times: np.ndarray) -> np.ndarray:
    return sample.quantile(times, 0.5)


def _finite_mean(sample: _Clustered, times: np.ndarray) -> np.ndarray:
    finite = np.isfinite(sample.values)
    finite_times = times if finite.all() else times[:, finite]
    with np.errstate(invalid="ignore"):
        return (finite_times @ sample.values[finite]) / finite_times.sum(axis=1)


def _below_one(sample: _Clustered, times: np.ndarray) -> np.ndarray:
    below = int(np.searchsorted(sample.values, 1.0))
    return times[:, :below].sum(axis=1) / times.sum(axis=1)


@lru_cache(maxsize=16)
def _draw_clusters(seed: int, size: int, resamples: int) -> np.ndarray:
    """How often each cluster is drawn in each resample, shape (resamples, size)."""
    if not size:
        return np.zeros((resamples, 0), dtype=np.int32)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(np.int32)
    drawn.setflags(write=False)  # the cache hands the same array to every caller
    return drawn


def _interval(value: float, drawn: np.ndarray) -> BootstrapInterval:
    if not len(drawn):
        return BootstrapInterval(value)
    # a resample without a finite value has no mean
    low, high = np.nanquantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return BootstrapInterval(value, float(low), float(high))
