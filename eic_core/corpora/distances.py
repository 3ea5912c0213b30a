"""Distances of random formulas, filtered by EIC or not, from those that people wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from eic_core.corpora.generating import GenerationPlan, Proposals, require_some
from eic_core.corpora.laws import load
from eic_core.corpora.traits import (
    NUMBERS,
    PAIRS,
    Occurrences,
    Traits,
    joined,
    traits_of,
    traits_of_forest,
)
from eic_core.engine.forest import Floats, Numbers
from eic_core.errors import require

CORPORA = ("feynman", "strogatz", "wikipedia")

RANDOM, FILTERED, SHORTEST, SAME_LENGTHS = "random", "filtered", "shortest", "same lengths"
SETS = (RANDOM, FILTERED, SHORTEST, SAME_LENGTHS)

REPEATS = 400
"""Resamples behind an interval."""


def jensen_shannon(p: Floats, q: Floats) -> Floats:
    """In nats, at most log 2; the last axis holds the shares.

    >>> jensen_shannon(np.array([1.0, 0.0]), np.array([0.5, 0.5])).round(4).item()
    0.2158
    """
    middle = (p + q) / 2
    return (kullback_leibler(p, middle) + kullback_leibler(q, middle)) / 2


def kullback_leibler(p: Floats, q: Floats) -> Floats:
    """Of p from q in nats; infinite where q lacks what p has."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log(p / q), 0.0)
    return np.asarray(terms.sum(axis=-1))


@dataclass(frozen=True)
class Smoothing:
    """The way in which empty bins are kept from making a divergence infinite."""

    share: float = 0.0  # Added to every bin's share
    count: float = 0.0  # Added to every bin's count
    width: int = 1  # Neighbouring values in a bin
    from_corpus: bool = False  # KL(corpus || generator); else the other way round

    def divergence(self, corpus: Numbers, generated: Numbers) -> float:
        """Between two histograms over the same values, shape (K,)."""
        p, q = self._shares(corpus), self._shares(generated)
        return float(kullback_leibler(p, q) if self.from_corpus else kullback_leibler(q, p))

    def _shares(self, counts: Numbers) -> Floats:
        starts = np.arange(0, len(counts), self.width)
        binned = np.add.reduceat(counts, starts) + self.count
        shares = binned / binned.sum() + self.share
        return np.asarray(shares / shares.sum())

    def __str__(self) -> str:
        added = f"{self.share:g} to each share" if self.share else f"{self.count:g} to each count"
        which = "corpus || generator" if self.from_corpus else "generator || corpus"
        return f"{which}, {added}, bins of {self.width}"


SMOOTHINGS = tuple(
    Smoothing(share, count, width, from_corpus)
    for from_corpus in (False, True)
    for width in (1, 5)
    for share, count in ((1e-12, 0), (1e-10, 0), (1e-6, 0), (0, 0.5), (0, 1))
)
"""The settings that "KL divergence" may mean: the paper states none."""


@dataclass(frozen=True)
class Estimate:
    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, repeats: Floats, least: float = -np.inf) -> Estimate:
        """From a value and its resamples; `least` bounds the interval from below."""
        # the basic interval takes off what resampling adds to a divergence, more in small samples
        low, high = np.quantile(repeats, [0.025, 0.975])
        return cls(value, max(2 * value - high, least), max(2 * value - low, least))


@dataclass(frozen=True)
class Comparison:
    """One trait of one corpus beside the generated sets."""

    corpus: str
    trait: str
    distance: Mapping[str, Estimate]  # Jensen-Shannon divergence from each of `SETS`
    gain: Mapping[str, Estimate]  # How much smaller it is than that of the random formulas
    beyond: Estimate  # How much nearer the filtered formulas are than random ones of their lengths
    chance: (
        float  # Mean distance of as few formulas as the corpus has, drawn from the filtered ones
    )
    # Kullback-Leibler divergence of the random and of the filtered formulas; empty for pairs
    kl: Mapping[Smoothing, tuple[float, float]]


@dataclass(frozen=True)
class GeneratedSets:
    traits: Mapping[str, Traits]  # By the names of `SETS`
    accepted: float  # Share of the random formulas that the filter lets through
    longest: int  # Most nodes in the set `SHORTEST`

    @cached_property
    def count(self) -> int:
        return len(self.traits[RANDOM])


def generate_sets(
    count: int,
    plan: GenerationPlan,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> GeneratedSets:
    """Random formulas, those of them that a plan keeps, and two choices by length alone.

    Parameters
    ----------
    count
        Formulas in each set.
    plan
        The filter.
    seed
        Of all that is drawn.
    progress
        Called with how many formulas are done and of how many.

    Returns
    -------
    GeneratedSets
        The sets in `SETS`; the random one shares no formula with the others.
    """
    require(plan, GenerationPlan)
    unfiltered = GenerationPlan(np.inf, 0, plan.measure, False, plan.recipe)
    proposals = Proposals(unfiltered)
    rng = np.random.default_rng(seed)
    batches: list[Traits] = []
    passing: list[np.ndarray[Any, np.dtype[np.bool_]]] = []
    drawn = passed = 0
    # the random set is of other formulas than the ones that are filtered
    while passed < count or drawn < 2 * count:
        batch = proposals.batch(rng)
        traits = joined([traits_of_forest(group.forest) for group in batch.groups])
        traits = traits.take(batch.order)
        keep = batch.eic[batch.order] <= plan.max_eic
        keep[: max(min(count - drawn, len(keep)), 0)] = False
        batches.append(traits)
        passing.append(keep)
        drawn, passed = drawn + len(keep), passed + int(keep.sum())
        require_some(plan, drawn - count, passed)
        progress(min(passed, count), count)
    everything, passes = joined(batches), np.concatenate(passing)
    unfiltered_set = everything.take(np.arange(count))
    candidates, passes = everything.take(np.arange(count, len(everything))), passes[count:]
    filtered = np.flatnonzero(passes)[:count]
    accepted = float(passes.mean())
    length = candidates.numbers["length"]
    # of as many candidates as the filter sees for `count`: both choices keep the same share
    enough = np.arange(min(len(length), round(count / accepted)))
    by_length = enough[np.lexsort((rng.random(len(enough)), length[enough]))][:count]
    same_lengths = _of_same_lengths(length, length[filtered], rng)
    chosen = {
        RANDOM: unfiltered_set,
        FILTERED: candidates.take(filtered),
        SHORTEST: candidates.take(by_length),
        SAME_LENGTHS: candidates.take(same_lengths),
    }
    return GeneratedSets(MappingProxyType(chosen), accepted, int(length[by_length].max()))


def _of_same_lengths(length: Numbers, targets: Numbers, rng: np.random.Generator) -> Numbers:
    """Places of random formulas with just these lengths."""
    order = np.lexsort((rng.random(len(length)), length))
    first = np.searchsorted(length[order], np.arange(int(length.max()) + 2))
    counts = np.bincount(targets, minlength=len(first))
    return np.concatenate(
        [
            order[start : start + count]
            for start, count in zip(first.tolist(), counts.tolist(), strict=False)
            if count
        ]
    )


def compare(
    generated: GeneratedSets,
    corpora: Sequence[str] = CORPORA,
    *,
    seed: int = 0,
    repeats: int = REPEATS,
) -> list[Comparison]:
    """Every trait of every corpus beside the generated sets.

    Parameters
    ----------
    generated
        As `generate_sets` makes them.
    corpora
        Names of `eic_core.corpora.NAMES`.
    seed
        Of the resampling.
    repeats
        Resamples behind an interval.

    Returns
    -------
    list[Comparison]
        The corpora in their order, for each the traits of `NUMBERS` and then `PAIRS`.
    """
    require(generated, GeneratedSets)
    comparisons = []
    for name in corpora:
        laws = traits_of([law.tree for law in load(name)])
        for trait in NUMBERS:
            comparisons.append(_compare_trait(name, trait, laws, generated, seed, repeats))
        comparisons.append(_compare_trait(name, PAIRS, laws, generated, seed, repeats))
    return comparisons


def _compare_trait(
    corpus: str, trait: str, laws: Traits, generated: GeneratedSets, seed: int, repeats: int
) -> Comparison:
    rng = np.random.default_rng(seed)
    sets = generated.traits
    histograms: dict[str, _Histogram] = {}
    if trait == PAIRS:
        names = tuple(dict.fromkeys([*laws.names, *sets[RANDOM].names]))
        resampled = _Pairs(laws.pairs_by(names)).resample(repeats, rng)
        base = _Pairs(laws.pairs_by(names)).counts
        histograms = {key: _Pairs(each.pairs_by(names)) for key, each in sets.items()}
    else:
        size = 1 + max(int(each.numbers[trait].max()) for each in (laws, *sets.values()))
        base = np.bincount(laws.numbers[trait], minlength=size)
        resampled = rng.multinomial(len(laws), base / base.sum(), repeats)
        histograms = {
            key: _Histogram(np.bincount(each.numbers[trait], minlength=size))
            for key, each in sets.items()
        }
    p = shares(base)
    value = {key: float(jensen_shannon(p, shares(each.counts))) for key, each in histograms.items()}
    resamples = {
        key: jensen_shannon(shares(resampled), shares(each.resample(repeats, rng)))
        for key, each in histograms.items()
    }
    q = shares(histograms[FILTERED].counts)
    as_few = histograms[FILTERED].draw(len(laws), repeats, rng)
    kl = {}
    if trait != PAIRS:
        kl = {
            smoothing: (
                smoothing.divergence(base, histograms[RANDOM].counts),
                smoothing.divergence(base, histograms[FILTERED].counts),
            )
            for smoothing in SMOOTHINGS
        }
    return Comparison(
        corpus=corpus,
        trait=trait,
        distance={key: Estimate.of(value[key], resamples[key], 0.0) for key in histograms},
        gain={
            key: Estimate.of(value[RANDOM] - value[key], resamples[RANDOM] - resamples[key])
            for key in histograms
            if key != RANDOM
        },
        beyond=Estimate.of(
            value[SAME_LENGTHS] - value[FILTERED], resamples[SAME_LENGTHS] - resamples[FILTERED]
        ),
        chance=float(np.mean(jensen_shannon(shares(as_few), q))),
        kl=kl,
    )


def shares(counts: Any) -> Floats:
    counts = np.asarray(counts, dtype=np.float64)
    return np.asarray(counts / counts.sum(axis=-1, keepdims=True))


class _Histogram:
    """The counts of a trait that is one number a formula."""

    def __init__(self, counts: Numbers) -> None:
        self.counts = counts

    def resample(self, repeats: int, rng: np.random.Generator) -> Numbers:
        return self.draw(int(self.counts.sum()), repeats, rng)

    def draw(self, count: int, repeats: int, rng: np.random.Generator) -> Numbers:
        return rng.multinomial(count, shares(self.counts), repeats)


class _Pairs(_Histogram):
    """The counts of a trait with several values a formula: formulas are drawn, not pairs."""

    def __init__(self, pairs: Occurrences) -> None:
        super().__init__(pairs.of_columns())
        self.pairs = pairs

    def resample(self, repeats: int, rng: np.random.Generator) -> Numbers:
        return self.draw(self.pairs.shape[0], repeats, rng)

    def draw(self, count: int, repeats: int, rng: np.random.Generator) -> Numbers:
        size, features = self.pairs.shape
        counts = np.empty((repeats, features), dtype=np.int64)
        for i in range(repeats):
            weights = np.bincount(rng.integers(0, size, count), minlength=size)
            counts[i] = self.pairs.of_columns(weights)
        return counts


PAPER: Mapping[tuple[str, str], tuple[float, float, float, float]] = {
    ("feynman", "variables"): (0.1196, 0.0768, 1.4390, 0.3523),
    ("feynman", "constants"): (0.5163, 0.3769, 16.78, 5.582),
    ("feynman", "operators"): (0.3233, 0.1862, 9.539, 0.7741),
    ("feynman", "length"): (0.3973, 0.2573, 13.615, 3.4397),
    ("strogatz", "variables"): (0.4014, 0.2650, 18.784, 12.920),
    ("strogatz", "constants"): (0.6016, 0.5048, 23.37, 20.78),
    ("strogatz", "operators"): (0.5726, 0.4646, 22.24, 18.74),
    ("strogatz", "length"): (0.6002, 0.5225, 22.27, 20.05),
    ("wikipedia", "variables"): (0.1459, 0.0747, 0.6654, 0.2899),
    ("wikipedia", "constants"): (0.5566, 0.4660, 14.888, 3.5307),
    ("wikipedia", "operators"): (0.3873, 0.2485, 4.269, 1.124),
    ("wikipedia", "length"): (0.4219, 0.3114, 7.060, 1.541),
}
"""Yu et al., Table tab:distribution_difference: JS of random and of filtered formulas, then KL; its
direction, smoothing and logarithm are not stated."""


def nearest_smoothing(comparisons: Sequence[Comparison]) -> Smoothing:
    """The setting whose divergences of random formulas are nearest to the paper's, in ratio."""

    def log_ratios(smoothing: Smoothing) -> float:
        return sum(
            abs(float(np.log(one.kl[smoothing][0] / PAPER[one.corpus, one.trait][2])))
            for one in comparisons
        )

    return min(SMOOTHINGS, key=log_ratios)
