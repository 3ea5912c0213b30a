"""Simulated studies with a known truth: votes clustered by pair, problem and rater. A vote is for
the formula of lower EIC when mu + problem + pair + rater + noise > 0, independent normal effects
whose variances add up to 1 (a probit model with crossed random effects). The variances are solved
for, so that the *binary* votes have the preference rate and the correlations that were asked for:
two votes correlate less than the latent values behind them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from eic_core.errors import UserError
from study.statistics.votes import Flags, Floats, Integers, VoteArrays

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def binary_correlation(preference: float, latent: float) -> float:
    """Correlation of two votes whose latent values correlate by `latent`, in [0, 1].

    >>> round(binary_correlation(0.5, 0.5), 6), binary_correlation(0.7, 0.0)
    (0.333333, 0.0)
    """
    return _excess(float(ndtri(preference)), latent) / (preference * (1.0 - preference))


def _excess(threshold: float, latent: float) -> float:
    """Probability that two standard normals of correlation `latent` are both below a threshold,
    less its value under independence: Plackett's (1954, Biometrika 41:351) derivative integrated in
    t with ``latent = sin t``, smooth at 1; absolute error below 1e-13.
    """
    angle = math.asin(latent)
    t = 0.5 * angle * (_NODES + 1.0)
    integral = 0.5 * angle * float(_WEIGHTS @ np.exp(-(threshold**2) / (1.0 + np.sin(t))))
    return integral / (2.0 * math.pi)


def latent_correlation(preference: float, binary: float) -> float:
    """The inverse of `binary_correlation` in its second argument.

    >>> round(latent_correlation(0.5, 1 / 3), 6)
    0.5
    """
    if binary <= 0.0:
        return 0.0
    return float(brentq(lambda r: binary_correlation(preference, r) - binary, 0.0, 1.0, xtol=1e-14))


LIMITS = {"pairs": 100_000, "problems": 100_000, "raters": 100_000, "ballots": 1_000}


@dataclass(frozen=True)
class Variances:
    """Shares of the latent variance, each from 0 to 1; they add up to 1."""

    # problem, pair, rater: what the votes on a problem, on a pair, and of a rater have in common
    problem: float
    pair: float
    rater: float
    noise: float  # The rest: each vote's own


@dataclass(frozen=True)
class StudyModel:
    """A study and its people as they are supposed to be. Raises `UserError` if a value is out of
    range, or no votes can correlate like this.

    >>> model = StudyModel(preference=0.698, kappa=0.37)
    >>> shares = model.variances
    >>> round(shares.problem + shares.pair, 3), round(shares.rater, 3)
    (0.569, 0.086)
    """

    # Probability that a deciding vote is for the formula of lower EIC, 0.01 to 0.99
    preference: float = 0.7
    # Correlation of two raters' votes on one pair, 0 to 0.95: what Fleiss' kappa tends to
    kappa: float = 0.3
    # How much of what a pair's votes share (on the latent scale) belongs to its problem, 0 to 1
    problem_share: float = 0.0
    # Correlation of one rater's votes on pairs of different problems, 0 to 0.95
    rater_correlation: float = 0.05
    # pairs, problems, raters, ballots: how many; ballots are those of each rater
    pairs: int = 100
    problems: int = 10
    raters: int = 50
    ballots: int = 10
    # Probability that a rater stops early, after 0 to ballots - 1 ballots, all equally likely.
    # Later raters get the pairs that were left.
    drop_out: float = 0.0
    # Probability that a rater's whole session does not count, for instance for haste. The votes
    # were given out and are lost.
    excluded: float = 0.0
    tie_share: float = 0.0  # Probability that a vote decides for neither
    # 0: the votes on each pair are as even as arithmetic allows. Above: standard deviation of the
    # logarithm of how often a pair is meant to be given out, at most 2.
    unequal: float = 0.0
    # The pairs of each problem; empty: pairs are spread evenly over the problems
    sizes: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for name, low, high in _RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                words = name.replace("_", " ")
                raise UserError(f"the {words} must be from {low:g} to {high:g}, not {value:g}")
        for name, most in LIMITS.items():
            if not 1 <= getattr(self, name) <= most:
                raise UserError(f"the number of {name} must be from 1 to {most:,}")
        if self.problems > self.pairs:
            raise UserError(
                f"{self.pairs:,} pairs cannot come from {self.problems:,} problems",
                hint="every problem has at least one pair",
            )
        if self.sizes and (
            len(self.sizes) != self.problems or min(self.sizes) < 1 or sum(self.sizes) != self.pairs
        ):
            raise UserError(
                f"the pairs of {len(self.sizes):,} problems do not add up to {self.pairs:,} pairs "
                f"of {self.problems:,} problems",
                hint="give each problem its number of pairs, at least one",
            )
        if self.ballots > self.pairs:
            raise UserError(
                f"a rater cannot have {self.ballots:,} ballots on {self.pairs:,} pairs",
                hint="nobody sees a pair twice: plan fewer ballots, or more pairs",
            )
        if self.variances.noise < 0.0:
            raise UserError(
                f"votes cannot agree within a pair by {self.kappa:g} and within a rater by "
                f"{self.rater_correlation:g} at once: nothing of a vote would be left to chance",
                hint="lower the agreement or the correlation of a rater's votes",
            )

    @cached_property
    def variances(self) -> Variances:
        shared = latent_correlation(self.preference, self.kappa)
        rater = latent_correlation(self.preference, self.rater_correlation)
        problem = self.problem_share * shared
        return Variances(problem, shared - problem, rater, 1.0 - shared - rater)

    @property
    def threshold(self) -> float:
        """mu of the latent scale."""
        return float(ndtri(self.preference))

    @property
    def problem_of_pair(self) -> Integers:
        if self.sizes:
            return np.repeat(np.arange(self.problems, dtype=np.intp), self.sizes)
        return np.arange(self.pairs, dtype=np.intp) % self.problems

    @property
    def problem_sizes(self) -> Floats:
        """Pairs of each problem; not whole where an even spread leaves a remainder."""
        return np.array(self.sizes or [self.pairs / self.problems] * self.problems, np.float64)

    @property
    def effective_problems(self) -> float:
        """Kish's effective number of problems: how many of equal size tell as much.

        >>> round(StudyModel(sizes=(60, 20, 20), problems=3).effective_problems, 2)
        2.27
        """
        return float(self.pairs**2 / np.square(self.problem_sizes).sum())

    def with_pairs(self, pairs: int) -> StudyModel:
        """So many pairs, spread over the problems as now, at least one each.

        >>> StudyModel(sizes=(6, 3, 1), pairs=10, problems=3, ballots=5).with_pairs(21).sizes
        (13, 6, 2)
        """
        if not self.sizes:
            return replace(self, pairs=pairs)
        return replace(self, pairs=pairs, sizes=_apportion(self.sizes, pairs))

    def with_problems(self, problems: int) -> StudyModel:
        """So many problems, with as many pairs each as now.

        >>> StudyModel(sizes=(6, 3, 1), pairs=10, problems=3, ballots=5).with_problems(6).sizes
        (6, 6, 3, 3, 1, 1)
        """
        if not self.sizes:
            pairs = min(LIMITS["pairs"], math.ceil(problems * self.pairs / self.problems))
            return replace(self, problems=problems, pairs=pairs)
        ordered = sorted(self.sizes, reverse=True)
        sizes = [ordered[n * self.problems // problems] for n in range(problems)]
        pairs = min(LIMITS["pairs"], sum(sizes))
        return replace(self, problems=problems, pairs=pairs, sizes=_apportion(sizes, pairs))


def _apportion(sizes: Sequence[int], pairs: int) -> tuple[int, ...]:
    """So many pairs in proportion to these sizes: none empty, the largest remainders rounded up."""
    fair = np.array(sizes, np.float64) * pairs / sum(sizes)
    whole = np.maximum(1, np.floor(fair)).astype(int)
    whole[np.argsort(whole - fair)[: max(0, pairs - int(whole.sum()))]] += 1
    while whole.sum() > pairs and whole.max() > 1:
        whole[np.argmax(whole)] -= 1  # pays for what would have been empty
    return tuple(map(int, whole))


_RANGES = (
    ("preference", 0.01, 0.99),
    ("kappa", 0.0, 0.95),
    ("problem_share", 0.0, 1.0),
    ("rater_correlation", 0.0, 0.95),
    ("drop_out", 0.0, 1.0),
    ("excluded", 0.0, 1.0),
    ("tie_share", 0.0, 1.0),
    ("unequal", 0.0, 2.0),
)


@dataclass(frozen=True, eq=False)
class SimulatedStudy:
    """One study, and what would be found with endless raters."""

    model: StudyModel
    table: VoteArrays  # The votes that count, ties among them
    rate_given_pairs: float  # Mean over these very pairs of the probability of a vote for lower EIC
    rate_given_problems: float  # The same over endless pairs from these very problems
    # pair_rates, problem_rates: shape (pairs,): The probability of a vote for lower EIC on each of
    # these pairs, and on endless pairs of its problem
    pair_rates: Floats
    problem_rates: Floats


@dataclass(frozen=True, eq=False)
class SimulatedStudies:
    """Many studies of one model as stacked arrays; iterate for one `SimulatedStudy` each."""

    model: StudyModel
    # shape (studies, raters × ballots): 1, 0, or nan for a tie; of no meaning where `counted` is
    # False
    lower: Floats
    counted: Flags  # Whether a vote was cast and counts
    pair: Integers
    on_left: Flags
    # rater, position: shape (raters × ballots,): The same in all studies; position is from 1
    rater: Integers
    position: Integers
    # rate_given_pairs, rate_given_problems: shape (studies,): See `SimulatedStudy`
    rate_given_pairs: Floats
    rate_given_problems: Floats
    # pair_rates, problem_rates: shape (studies, pairs): Likewise
    pair_rates: Floats
    problem_rates: Floats

    def __len__(self) -> int:
        return len(self.lower)

    def __iter__(self) -> Iterator[SimulatedStudy]:
        return (self.study(i) for i in range(len(self)))

    def study(self, i: int) -> SimulatedStudy:
        model, rows = self.model, self.counted[i]
        pair = self.pair[i, rows]
        table = VoteArrays(
            self.lower[i, rows],
            pair,
            self.rater[rows],
            model.problem_of_pair[pair],
            _names("pair", model.pairs),
            _names("rater", model.raters),
            _names("problem", model.problems),
            self.on_left[i, rows],
            self.position[rows],
        )
        return SimulatedStudy(
            model,
            table,
            float(self.rate_given_pairs[i]),
            float(self.rate_given_problems[i]),
            self.pair_rates[i],
            self.problem_rates[i],
        )


def simulate(model: StudyModel, rng: np.random.Generator) -> VoteArrays:
    """The votes of one simulated study that count.

    >>> table = simulate(StudyModel(pairs=40, raters=20), np.random.default_rng(1))
    >>> len(table), len(table.pairs), set(table.counts().sum(axis=1).tolist())
    (200, 40, {5})
    """
    return simulate_many(model, 1, rng).study(0).table


def simulate_many(model: StudyModel, count: int, rng: np.random.Generator) -> SimulatedStudies:
    """Simulate `count` studies, some hundreds at a time: memory is about ``count × raters × ballots
    × 30`` bytes.

    >>> studies = simulate_many(StudyModel(), 20, np.random.default_rng(1))
    >>> studies.lower.shape, len(studies.study(0).table)
    ((20, 500), 500)
    """
    shares, mu = model.variances, model.threshold
    cast = _cast(model, count, rng)
    pair = _assign(model, cast, rng)
    problem_effect = math.sqrt(shares.problem) * rng.standard_normal((count, model.problems))
    of_pair = problem_effect[:, model.problem_of_pair]
    pair_effect = of_pair + math.sqrt(shares.pair) * rng.standard_normal((count, model.pairs))
    rater_effect = math.sqrt(shares.rater) * rng.standard_normal((count, model.raters))
    size = model.raters * model.ballots
    latent = np.take_along_axis(pair_effect, pair, axis=1)
    latent += np.repeat(rater_effect, model.ballots, axis=1)
    latent += math.sqrt(shares.noise) * rng.standard_normal((count, size))
    lower = (latent > -mu).astype(np.float64)
    lower[rng.random((count, size)) < model.tie_share] = np.nan
    out = rng.random((count, model.raters)) < model.excluded
    places = np.arange(size, dtype=np.intp)
    problem_rates = ndtr((mu + of_pair) / math.sqrt(1.0 - shares.problem))
    pair_rates = ndtr((mu + pair_effect) / math.sqrt(1.0 - shares.problem - shares.pair))
    given = np.tile(np.arange(model.ballots), model.raters) < np.repeat(cast, model.ballots, axis=1)
    return SimulatedStudies(
        model,
        lower,
        given & ~np.repeat(out, model.ballots, axis=1),
        pair,
        rng.random((count, size)) < 0.5,
        places // model.ballots,
        places % model.ballots + 1,
        pair_rates.mean(axis=1),
        problem_rates.mean(axis=1),
        pair_rates,
        problem_rates,
    )


def _cast(model: StudyModel, count: int, rng: np.random.Generator) -> Integers:
    stops = rng.random((count, model.raters)) < model.drop_out
    early = rng.integers(0, model.ballots, (count, model.raters))
    return np.where(stops, early, model.ballots)


def _assign(model: StudyModel, cast: Integers, rng: np.random.Generator) -> Integers:
    """Pairs of all ballots: those with the fewest votes, spread over problems, none twice. Raters
    come one after another, all studies at once. A pair's turn comes by its votes so far, and among
    equals by its place in a fresh cyclic order of its problem's pairs.
    """
    count, problem = len(cast), model.problem_of_pair
    weight = np.exp(model.unequal * rng.standard_normal((count, model.pairs)))
    if model.sizes:
        sizes = np.array(model.sizes)
        within = np.arange(model.pairs) - (np.cumsum(sizes) - sizes)[problem]
    else:
        sizes = np.full(model.problems, -(-model.pairs // model.problems))
        within = np.arange(model.pairs) // model.problems
    per_problem = sizes[problem]
    most = sizes if model.sizes else int(sizes[0])
    given = np.zeros((count, model.pairs))
    rows = np.arange(count)[:, None]
    found = np.empty((count, model.raters, model.ballots), dtype=np.intp)
    for rater in range(model.raters):
        turn = rng.integers(0, most, (count, model.problems))[:, problem]
        turn += within
        turn %= per_problem
        key = (given + (turn + rng.random((count, model.pairs))) / per_problem) / weight
        found[:, rater] = _smallest(key, model.ballots)
        taken = np.arange(model.ballots) < cast[:, rater, None]
        given[rows, found[:, rater]] += taken
    return found.reshape(count, -1)


def _smallest(key: Floats, wanted: int) -> Integers:
    """Places of the smallest values of each row, in order."""
    if wanted < key.shape[1]:
        some: npt.NDArray[np.intp] = np.argpartition(key, wanted - 1, axis=1)[:, :wanted]
    else:
        some = np.broadcast_to(np.arange(wanted), key.shape)
    order = np.argsort(np.take_along_axis(key, some, axis=1), axis=1)
    return np.take_along_axis(some, order, axis=1)


@lru_cache(maxsize=32)
def _names(word: str, count: int) -> tuple[str, ...]:
    width = len(str(count))
    return tuple(f"{word} {i + 1:0{width}d}" for i in range(count))
