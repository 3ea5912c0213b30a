"""The stability gap: how the EIC of laws, benchmarks and found formulas is distributed.

A law is a cluster: what was found for it, or solved from it, is no independent observation of
it.  Intervals come from resampling laws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from eic_core.corpora.measured import MeasuredFormula
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
"""What stands for the amplification of a node over the rows: EIC's own mean, or a quantile."""


@dataclass(frozen=True)
class Group:
    """Formulas whose EIC is looked at together."""

    key: str
    title: str
    formulas: tuple[MeasuredFormula, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)  # What was left out, by reason
    found: bool = False  # Whether methods found them; else people wrote them
    note: str = ""  # How that came about, in a few words

    @property
    def by_rows(self) -> bool:
        """Whether it was measured on ever more rows, and not on tables or elsewhere."""
        return bool(self.formulas) and len(self.formulas[0].digits) > 1

    def eics(self, count: int, measure: str = MEAN) -> np.ndarray:
        """The EIC of every formula on so many rows; nan where there is none."""
        lost = [formula.at(count) for formula in self.formulas]
        return np.array([d.q90 if measure == Q90 else d.eic for d in lost], dtype=float)


@dataclass(frozen=True)
class BootstrapInterval(Plain):
    """A number with its percentile bootstrap interval at `LEVEL`."""

    # value, low, high: `low` and `high` are nan where there are too few laws for an interval
    value: float
    low: float = math.nan
    high: float = math.nan

    _JSON = ("value", "low", "high")

    @property
    def known(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)


@dataclass(frozen=True)
class GroupSummary(Plain):
    """The distribution of EIC in a group."""

    group: Group
    samples: int  # Rows on which EIC was measured
    measure: str  # A key of `MEASURES`
    # count, laws: formulas with an EIC, and laws that they belong to
    count: int
    laws: int
    quartile1: float
    # median, mean, share_below_1: the mean is over what is finite
    median: BootstrapInterval
    quartile3: float
    mean: BootstrapInterval
    share_below_1: BootstrapInterval
    # infinite, without: formulas of infinite EIC, and without any (no valid row)
    infinite: int
    without: int

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
        ("left_out", lambda found: dict(found.group.left_out)),
    )


def summarise(
    group: Group, count: int, measure: str = MEAN, *, seed: int = 0, resamples: int = RESAMPLES
) -> GroupSummary:
    """Quartiles, mean and share below one of a group, with intervals over laws.

    Parameters
    ----------
    group
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

    Examples
    --------
    >>> from eic_core.corpora.measured import shipped
    >>> laws = summarise(Group("laws", "Laws", shipped("feynman")), 1000)
    >>> laws.count, round(laws.median.value, 2), round(laws.mean.value, 2)
    (119, 0.6, 1.03)
    """
    values = group.eics(count, measure)
    known = ~np.isnan(values)
    members = [m for m, is_known in zip(group.formulas, known, strict=True) if is_known]
    sample = _Clustered.of(values[known], members)
    q1, q3 = (
        float(sample.quantile(sample.once, q)[0]) if members else math.nan for q in (0.25, 0.75)
    )
    draws = _drawn_clusters(seed, sample.clusters, resamples if sample.enough else 0)
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
        infinite=int(np.isinf(values[known]).sum()),
        without=int((~known).sum()),
    )


@dataclass(frozen=True)
class GapDifference(Plain):
    """How much more one group loses than another."""

    first: Group
    second: Group
    # median, mean: of the first less that of the second; resampled together where they share laws
    median: BootstrapInterval
    mean: BootstrapInterval
    shared_laws: int  # Laws that both have formulas of

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
    second
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

    Notes
    -----
    Laws that both groups have are drawn once for both, those of one group alone within it, so
    that every resample has as many laws of each kind as there are.

    Examples
    --------
    >>> from eic_core.corpora.measured import shipped
    >>> laws = Group("feynman", "Laws", shipped("feynman"))
    >>> solved = Group("transform", "Solved", shipped("llm_srbench_transform"))
    >>> found = compare_groups(solved, laws, 1000)
    >>> round(found.median.value, 2), found.median.low < found.median.value < found.median.high
    (0.03, True)
    """
    parts = []
    for group in (first, second):
        values = group.eics(count, measure)
        known = ~np.isnan(values)
        laws = [m for m, is_known in zip(group.formulas, known, strict=True) if is_known]
        parts.append((values[known], laws))
    names = [{member.law for member in members} for _, members in parts]
    strata = [sorted(names[0] & names[1]), sorted(names[0] - names[1]), sorted(names[1] - names[0])]
    order = {law: place for place, law in enumerate(law for part in strata for law in part)}
    one, other = (_Clustered.of(values, members, order) for values, members in parts)
    enough = min(map(len, names)) >= LEAST_LAWS
    draws = np.hstack(
        [
            _drawn_clusters(seed + place, len(part), resamples if enough else 0)
            for place, part in enumerate(strata)
        ]
    )
    drawn = [sample.times(draws) for sample in (one, other)]

    def less(statistic: _Statistic) -> BootstrapInterval:
        if not (names[0] and names[1]):
            return BootstrapInterval(math.nan)
        value = float((statistic(one, one.once) - statistic(other, other.once))[0])
        return _interval(value, statistic(one, drawn[0]) - statistic(other, drawn[1]))

    return GapDifference(first, second, less(_median), less(_finite_mean), len(strata[0]))


_Statistic = Callable[["_Clustered", np.ndarray], np.ndarray]


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
        """Whether there are laws enough for an interval."""
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
            return np.where(low == high, low, low + (place - below) * (high - low))

    def interval(self, statistic: _Statistic, times: np.ndarray) -> BootstrapInterval:
        """A statistic of the sample with its interval."""
        if not len(self.values):
            return BootstrapInterval(math.nan)
        return _interval(float(statistic(self, self.once)[0]), statistic(self, times))


def _median(sample: _Clustered, times: np.ndarray) -> np.ndarray:
    return sample.quantile(times, 0.5)


def _finite_mean(sample: _Clustered, times: np.ndarray) -> np.ndarray:
    finite = np.isfinite(sample.values)
    kept = times if finite.all() else times[:, finite]
    with np.errstate(invalid="ignore"):
        return (kept @ sample.values[finite]) / kept.sum(axis=1)


def _below_one(sample: _Clustered, times: np.ndarray) -> np.ndarray:
    below = int(np.searchsorted(sample.values, 1.0))
    return times[:, :below].sum(axis=1) / times.sum(axis=1)


@lru_cache(maxsize=16)
def _drawn_clusters(seed: int, size: int, resamples: int) -> np.ndarray:
    """How often each of so many clusters is drawn, with replacement, in each resample."""
    if not size:
        return np.zeros((resamples, 0), dtype=np.int32)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(np.int32)
    drawn.setflags(write=False)
    return drawn


def _interval(value: float, drawn: np.ndarray) -> BootstrapInterval:
    if not len(drawn):
        return BootstrapInterval(value)
    low, high = np.nanquantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return BootstrapInterval(value, float(low), float(high))
