"""What models prefer, beside what people prefer, on the same pairs. A model is fixed, not sampled,
and its answers to one pair are one measurement made several times: they are averaged to one score a
model and pair, each order weighing the same. They are no raters, are in no kappa, and are never
pooled with votes. The sample is of pairs (or problems), as the study's design says:
docs/adr/0018-inference.md and 0019-model-raters.md.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import Any, Protocol

import numpy as np

from study.statistics.agreement_coefficients import FEW_PAIRS_RAW, lowest, too_small
from study.statistics.clusters import FEW_CLUSTERS, Clustering, count, two_way
from study.statistics.estimates import IntervalEstimate, LogOdds, Student, Trials
from study.statistics.inference import METHOD as METHOD_RATE
from study.statistics.jackknife import Measure, PairSums
from study.statistics.limits import Kind, Lack, Limit
from study.statistics.preference import Interval
from study.statistics.votes import Floats, Sampled, VoteArrays

FEW_DEGREES = 5
METHOD = "clustered t"
ORDERS = ("lower", "higher")


class ModelAnswerLike(Protocol):
    """What is needed of an answer; see `study.report.exported_models.ExportedAnswer`."""

    @property
    def pair(self) -> str: ...
    @property
    def first(self) -> str: ...
    @property
    def outcome(self) -> str: ...


@dataclass(frozen=True)
class PairScore:
    """One pair as one model sees it."""

    # lower_first, higher_first: deciding answers for the lower EIC, and all of them, where that
    # formula came first or second
    lower_first: tuple[int, int] = (0, 0)
    higher_first: tuple[int, int] = (0, 0)

    @property
    def orders(self) -> tuple[float, float] | None:
        """The shares for the lower EIC in either order; None unless both have an answer."""
        (a, n), (b, m) = self.lower_first, self.higher_first
        return (a / n, b / m) if n and m else None

    @property
    def score(self) -> float | None:
        """The mean of the two orders, so that a liking for a place cancels.

        >>> PairScore((2, 2), (1, 2)).score
        0.75
        """
        return None if self.orders is None else sum(self.orders) / 2

    @property
    def first(self) -> float | None:
        """The share for the formula that came first, either order weighing the same.

        >>> PairScore((2, 2), (1, 2)).first
        0.75
        """
        return None if self.orders is None else (self.orders[0] + 1 - self.orders[1]) / 2


def pair_scores(answers: Iterable[ModelAnswerLike]) -> dict[str, PairScore]:
    """The score of every pair that has a deciding answer, by its name."""
    counted: dict[str, dict[str, list[int]]] = defaultdict(lambda: {o: [0, 0] for o in ORDERS})
    for answer in answers:
        if answer.outcome in ORDERS:
            cell = counted[answer.pair][answer.first]
            cell[0] += answer.outcome == "lower"
            cell[1] += 1
    return {
        pair: PairScore(*((cells[order][0], cells[order][1]) for order in ORDERS))
        for pair, cells in sorted(counted.items())
    }


@dataclass(frozen=True)
class ModelEstimate(IntervalEstimate):
    """A mean over pairs, with what the clusters say about its uncertainty."""

    value: float | None
    variance: float | None  # Variance of `value`; None where there is a `reason`
    degrees_of_freedom: float
    pairs: int
    clusters: tuple[tuple[Kind, int], ...]
    null: float = 0.0  # What "nothing" would be: one half of a rate, 0 of a difference
    # too_small, reason: why the interval is not to be relied on; why there is none
    too_small: Limit | None = None
    reason: Limit | None = None

    _JSON = (
        "value",
        "standard_error",
        "degrees_of_freedom",
        "pairs",
        ("clusters", lambda found: dict(found.clusters)),
        "interval",
        "p_two_sided",
        "too_small",
        "reason",
    )

    @property
    def standard_error(self) -> float | None:
        return None if self.variance is None else sqrt(self.variance)

    @property
    def distribution(self) -> Student | Trials | None:
        """Of a share that of the headline, of a difference plain."""
        if self.reason or self.value is None or self.standard_error is None:
            return None
        numbers = self.value, self.standard_error, self.degrees_of_freedom
        if not self.null:
            return Student(*numbers, METHOD)
        trials = Trials(self.value, min(number for _, number in self.clusters))
        return LogOdds.of(*numbers, METHOD_RATE) or trials


def mean_over_pairs(
    values: Mapping[str, float],
    problems: Mapping[str, str],
    *,
    share: bool,
    sampled: Sampled | None = None,
) -> ModelEstimate:
    """The mean of one value a pair, clustered; a `share` is compared with 1/2, a difference
    with 0.
    """
    names = sorted(values)
    null = 0.5 if share else 0.0
    if not names:
        return ModelEstimate(None, None, 0, 0, (), null, reason=Lack.NO_SCORED_PAIR)
    places = np.arange(len(names))
    kinds, problem = np.unique([problems[name] for name in names], return_inverse=True)
    table = VoteArrays(
        np.array([values[name] for name in names]),
        places,
        places,
        problem.astype(np.intp),
        tuple(names),
        tuple(names),
        tuple(kinds.tolist()),
        places == 0,
        places,
        sampled,
    )
    return _estimate(Clustering.of(table), 1, null)


def _estimate(grouped: Clustering, kinds: int, null: float) -> ModelEstimate:
    """The mean of the rows, of which the first of one or two sampled `kinds` go together."""
    table, clusters = grouped.table, grouped.sampled[:kinds]
    value, pairs, dof = float(table.lower.mean()), count(table.pair), grouped.degrees_of_freedom
    if dof < 1 or min(number for _, number in clusters) < 2:
        lack = Lack.TOO_FEW_PAIRS
        return ModelEstimate(value, None, dof, pairs, clusters, null, reason=lack)
    components = grouped.components()
    variance = two_way(components[:1] if kinds == 1 else components)
    kind, number = clusters[-1]
    few = kind != "problem" and number < FEW_CLUSTERS
    small = Lack.FEW_PAIRS if dof < FEW_DEGREES or few else None
    reason = None if null or variance else Lack.NO_PAIRS_DIFFER
    return ModelEstimate(value, variance, dof, pairs, clusters, null, small, reason)


def less_people(
    scores: Mapping[str, float], votes: Iterable[Any], *, sampled: Sampled | None = None
) -> ModelEstimate:
    """A model's score less people's votes: the mean of (score on the vote's pair - vote) over the
    deciding votes on scored pairs; two-way clustered, for people are sampled, too.
    """
    used = [vote for vote in votes if vote.choice != "tie" and vote.pair in scores]
    if not used:
        return ModelEstimate(None, None, 0, 0, (), reason=Lack.NO_VOTE_ON_SCORED_PAIR)
    table = VoteArrays.of(used, sampled)
    score = np.array([scores[vote.pair] for vote in used])
    return _estimate(Clustering.of(replace(table, lower=score - table.lower)), 2, 0.0)


@dataclass(frozen=True)
class OrderConsistency:
    """Whether a model keeps to its choice when the formulas change places."""

    same: int  # Pairs on which the majority is for one formula in both orders
    # first, second: pairs on which it is for whichever formula comes first, or second
    first: int
    second: int
    undecided: int  # Pairs with an even split in one of the orders

    @classmethod
    def of(cls, scores: Iterable[PairScore]) -> OrderConsistency:
        found: Counter[str] = Counter()
        for each in scores:
            if each.orders is None:
                continue
            a, b = (share - 0.5 for share in each.orders)
            if not a * b:
                found["undecided"] += 1
            else:
                found["same" if a * b > 0 else "first" if a > 0 else "second"] += 1
        return cls(found["same"], found["first"], found["second"], found["undecided"])

    @property
    def share(self) -> float | None:
        """Of the decided pairs, those with one choice in both orders."""
        decided = self.same + self.first + self.second
        return self.same / decided if decided else None


def within_model(scores: Iterable[PairScore]) -> tuple[float | None, int]:
    """How often two answers to one pair in one order agree, and on how many such cells.

    >>> within_model([PairScore((2, 2), (1, 2)), PairScore((1, 1), (0, 1))])
    (0.5, 2)
    """
    cells = [cell for each in scores for cell in (each.lower_first, each.higher_first)]
    agree = [_agreement(k, n) for k, n in cells if n >= 2]
    return (sum(agree) / len(agree), len(agree)) if agree else (None, 0)


def _agreement(k: int, n: int) -> float:
    return (k * (k - 1) + (n - k) * (n - k - 1)) / (n * (n - 1))


@dataclass(frozen=True)
class WithPeople:
    # pairs, votes: with a score and two deciding votes or more; those votes
    pairs: int
    votes: int
    correlation: float | None  # Pearson's, of the model's scores and people's shares
    # What part of the variance of people's shares is not the noise of few votes
    reliability: float | None
    # The correlation with the shares that endless votes would give: `correlation` divided by the
    # square root of `reliability`; may exceed 1 by chance. None if noise explains all.
    corrected: float | None
    model: float | None  # How often an answer of the model agrees with a vote; mean over pairs
    # The ceiling: how often two people agree, which is the report's raw agreement on these pairs
    people: float | None
    # Intervals of the four by name, and of "difference", `model` - `people`
    intervals: Mapping[str, Interval | None]
    too_small: Limit | None = None  # Why these are not to be relied on

    @property
    def difference(self) -> float | None:
        """The model in the place of a person: what is gained or lost by it."""
        return None if self.model is None or self.people is None else self.model - self.people

    def to_json(self) -> dict[str, Any]:
        names = ("correlation", "corrected", "model", "people", "difference")
        return {
            "pairs": self.pairs,
            "votes": self.votes,
            "reliability": self.reliability,
            "too_small": self.too_small,
        } | {
            name: {
                "value": getattr(self, name),
                "interval": found.to_json() if (found := self.intervals.get(name)) else None,
            }
            for name in names
        }


def with_people(
    scores: Mapping[str, float],
    votes: Iterable[Any],
    *,
    sampled: Sampled | None = None,
    level: float = 0.95,
) -> WithPeople:
    """Compare scores with people's deciding votes on pairs that have two or more. The intervals
    leave out problems, or pairs, as the design samples them, and raters.
    """
    used = [vote for vote in votes if vote.choice != "tie" and vote.pair in scores]
    table = VoteArrays.of(used, sampled)
    score = np.array([scores[pair] for pair in table.pairs])
    sums = PairSums.of(table, lambda counts, pairs: _terms(counts, score[pairs]))
    pairs, cast = (int(sums.whole[place]) for place in (0, 1))
    if pairs < 2:
        return WithPeople(pairs, cast, None, None, None, None, None, {})
    known = {
        name: None if np.isnan(value := float(measure(sums.whole))) else value
        for name, measure in _MEASURES.items()
    }
    below = lowest(sums, chance_taken_off=False)
    least = {"correlation": -1.0, "model": 0.0, "people": below, "difference": -1.0}
    intervals = {
        name: sums.interval(_MEASURES[name], level, least=least[name])[0] for name in least
    }
    corrected = known["corrected"]
    intervals["corrected"] = (
        None if corrected is None else sums.accepted(_apart, corrected, level, spent=2)
    )
    return WithPeople(
        pairs,
        cast,
        known["correlation"],
        known["reliability"],
        known["corrected"],
        known["model"],
        known["people"],
        intervals,
        too_small(sums, FEW_PAIRS_RAW) if any(intervals.values()) else None,
    )


def _terms(counts: Floats, score: Floats) -> Floats:
    """Of each pair: 1, votes, score, people's share, their squares and product, the noise of the
    share, and how often a vote agrees with the model and with another vote; 0 with one vote.
    """
    votes = counts.sum(axis=1)
    some = np.maximum(votes, 2)
    share = counts[:, 0] / some
    noise = share * (1 - share) / (some - 1)
    model = score * share + (1 - score) * (1 - share)
    columns = (
        np.ones(len(votes)),
        votes,
        score,
        share,
        score**2,
        share**2,
        score * share,
        noise,
        model,
        1 - 2 * noise * some,
    )
    return np.asarray(np.stack(columns, axis=1) * (votes >= 2)[:, None], dtype=np.float64)


def _moments(sums: Floats) -> tuple[Floats, ...]:
    """Covariance of scores and shares, their variances, and that of shares without noise."""
    pairs = sums[..., 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        score, share, scores, shares, product, noise = (sums[..., i] / pairs for i in range(2, 8))
        unbiased = pairs / (pairs - 1)

        def moment(squares: Floats, means: Floats) -> Floats:
            found = (squares - means) * unbiased
            return np.where(np.abs(found) < 1e-12, 0.0, found)

        people = moment(shares, share**2)
        return moment(product, score * share), moment(scores, score**2), people, people - noise


def _root(value: Floats) -> Floats:
    return np.sqrt(np.where(value > 1e-12, value, np.nan))


def _correlation(sums: Floats) -> Floats:
    both, model, people, _ = _moments(sums)
    return np.asarray(both / _root(model * people), dtype=np.float64)


def _corrected(sums: Floats) -> Floats:
    both, model, _, true = _moments(sums)
    return np.asarray(both / (_root(model) * _root(true)), dtype=np.float64)


def _reliability(sums: Floats) -> Floats:
    _, _, people, true = _moments(sums)
    return np.asarray(true / _root(people) ** 2, dtype=np.float64)


def _apart(corrected: float) -> Measure:
    """The correlation less what this corrected one would lower to, on Fisher's scale."""

    def measure(sums: Floats) -> Floats:
        lowered = corrected * np.sqrt(np.maximum(_reliability(sums), 0.0))
        return np.asarray(_fisher(_correlation(sums)) - _fisher(lowered), dtype=np.float64)

    return measure


def _fisher(correlation: Floats) -> Floats:
    return np.arctanh(np.clip(correlation, -0.999999, 0.999999))


_MEASURES: Mapping[str, Measure] = {
    "correlation": _correlation,
    "reliability": _reliability,
    "corrected": _corrected,
    "model": lambda sums: sums[..., 8] / sums[..., 0],
    "people": lambda sums: sums[..., 9] / sums[..., 0],
    "difference": lambda sums: (sums[..., 8] - sums[..., 9]) / sums[..., 0],
}


@dataclass(frozen=True)
class BetweenModels:
    """How far two models agree on the pairs that both have a score on."""

    pairs: int
    agreement: float | None  # How often an answer of one agrees with an answer of the other
    correlation: float | None  # Pearson's, of their scores
    difference: ModelEstimate  # The first's rate less the second's, paired by pair


def between_models(
    first: Mapping[str, float],
    second: Mapping[str, float],
    problems: Mapping[str, str],
    *,
    sampled: Sampled | None = None,
) -> BetweenModels:
    common = sorted(first.keys() & second.keys())
    a = np.array([first[pair] for pair in common])
    b = np.array([second[pair] for pair in common])
    agreement = float((a * b + (1 - a) * (1 - b)).mean()) if common else None
    varied = len(common) > 1 and bool(np.ptp(a) > 1e-12 and np.ptp(b) > 1e-12)
    correlation = float(np.corrcoef(a, b)[0, 1]) if varied else None
    difference = mean_over_pairs(
        {pair: first[pair] - second[pair] for pair in common},
        problems,
        share=False,
        sampled=sampled,
    )
    return BetweenModels(len(common), agreement, correlation, difference)


def holm(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """Holm's (1979) step-down correction; a test that could not be made is not counted.

    >>> holm([0.01, 0.04, None, 0.03])
    (0.03, 0.06, None, 0.06)
    """
    known = sorted((p, i) for i, p in enumerate(p_values) if p is not None)
    found: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for place, (p, i) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - place) * p))
        found[i] = highest
    return tuple(found)


@dataclass(frozen=True, eq=False)
class ModelFindings:
    answers: tuple[Any, ...]
    votes: tuple[Any, ...]  # People's valid ones
    problems: Mapping[str, str]  # Problems of the pairs of the study
    sampled: Sampled | None = None
    level: float = 0.95

    @cached_property
    def by_pair(self) -> dict[str, PairScore]:
        return pair_scores(self.answers)

    @cached_property
    def outcomes(self) -> dict[str, int]:
        found = Counter(answer.outcome for answer in self.answers)
        return {name: found[name] for name in (*ORDERS, "tie", "refused", "unparsable")}

    @cached_property
    def scores(self) -> dict[str, float]:
        return {p: found.score for p, found in self.by_pair.items() if found.score is not None}

    @cached_property
    def rate(self) -> ModelEstimate:
        return mean_over_pairs(self.scores, self.problems, share=True, sampled=self.sampled)

    @cached_property
    def position(self) -> ModelEstimate:
        """How often the formula that came first was chosen; one half if places do not matter."""
        firsts = {p: found.first for p, found in self.by_pair.items() if found.first is not None}
        return mean_over_pairs(firsts, self.problems, share=True, sampled=self.sampled)

    @cached_property
    def orders(self) -> OrderConsistency:
        return OrderConsistency.of(self.by_pair.values())

    @cached_property
    def within(self) -> tuple[float | None, int]:
        return within_model(self.by_pair.values())

    @cached_property
    def people(self) -> tuple[float | None, int]:
        """People's rate on the same pairs, and its deciding votes."""
        used = [v for v in self.votes if v.choice != "tie" and v.pair in self.scores]
        lower = sum(vote.choice == "lower" for vote in used)
        return (lower / len(used) if used else None), len(used)

    @cached_property
    def difference(self) -> ModelEstimate:
        return less_people(self.scores, self.votes, sampled=self.sampled)

    @cached_property
    def agreement(self) -> WithPeople:
        return with_people(self.scores, self.votes, sampled=self.sampled, level=self.level)
