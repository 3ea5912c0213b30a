"""Whole studies with a known truth: votes with their clocks, windows and attention checks, pairs
with what the eye sees, and models beside the people. What raters follow and what goes wrong are
`Habits`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from study.statistics.exclusions import ExclusionRule
from study.statistics.inference import clustered_rate
from study.statistics.lost import LostVotes, lost_votes
from study.statistics.simulation import StudyModel, simulate_many
from study.statistics.threats import Confounding, Gap, Threats, confounding, threats_of
from study.statistics.votes import Flags, Floats, Sampled, VoteArrays

CHECKS = 2
"""Attention checks of each rater."""
WINDOWS = {"narrow": 0.25, "medium": 0.15, "wide": 0.6}
FIELDS = {"physics": 0.5, "biology": 0.25, "art": 0.25}
MEAN_GAP = 2.8
RULE = ExclusionRule(60.0)


@dataclass(frozen=True)
class Habits:
    """What raters follow beside the rate of the model, in log odds of a vote for the lower EIC, and
    how many of them are at fault."""

    growth: float = 0.0  # For each digit by which the gap in EIC is above its mean
    # looks: for each count of `VISIBLE` by which the formula of lower EIC has more
    # simpler: if it calls fewer functions, however few; -simpler if it calls more
    looks: tuple[float, ...] = ()
    simpler: float = 0.0
    # Calls of functions that the formula of lower EIC has less than the other, on average; other
    # counts go with them. 0: pairs matched on looks, within one function and three digits.
    fewer: float = 0.0
    left: float = 0.0  # Of the formula on the left
    tiring: float = 0.0  # For each ballot after the first
    # narrow, careless, hasty: of raters with a narrow window; who failed a check; who are too fast
    narrow: float = 0.0
    careless: float = 0.0
    hasty: float = 0.0
    hasty_share: float = 0.0  # Of the raters
    failing: float = 0.05  # Of the attention checks
    # pressers, random, twins: raters who press one place; who press at random, in three seconds a
    # ballot; whose answers are those of the rater before them
    pressers: int = 0
    random: int = 0
    twins: int = 0
    # tied, lost: share of the votes for the higher EIC that become ties; that are never cast
    tied: float = 0.0
    lost: float = 0.0


@dataclass(frozen=True)
class RehearsedVote:
    """A simulated vote with what a report knows of it, see `study.report.exported`."""

    rater: str
    pair: str
    problem: str
    choice: str
    lower_side: str
    position: int
    seconds: float
    session_seconds: float
    viewport: str
    idle_seconds: float = 0.0
    is_practice: bool = False
    is_attention: bool = False
    attention_ok: bool | None = None


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """A study that was simulated as a whole."""

    model: StudyModel
    table: VoteArrays  # Of the votes on pairs
    lost: int  # Votes that were never cast
    votes: tuple[RehearsedVote, ...]  # With the attention checks
    gaps: dict[str, Gap]
    looks: dict[str, list[float]]
    fields: dict[str, str]  # What each rater studied
    # pair_effects: shape (pairs,), what a pair adds for all raters, variance 1
    pair_effects: Floats
    problem_effects: Floats  # shape (pairs,), what its problem adds, on the latent scale

    @classmethod
    def of(
        cls,
        model: StudyModel,
        rng: np.random.Generator,
        habits: Habits = Habits(),
        sampled: Sampled = "problems",
    ) -> Rehearsal:
        """Draw a study. A vote's marginal probability is exactly logistic in the habits, and votes
        correlate by normal effects, as in `study.statistics.simulation`."""
        table = replace(simulate_many(model, 1, rng).study(0).table, sampled=sampled)
        pairs, raters = len(table.pairs), len(table.raters)
        eic = 2 + rng.exponential(MEAN_GAP - 2, pairs)
        looks = _looks(habits.fewer, pairs, rng)
        windows = rng.choice(list(WINDOWS), raters, p=list(WINDOWS.values()))
        failed = rng.random((raters, CHECKS)) < habits.failing
        fast = rng.random(raters) < habits.hasty_share
        of_pair = habits.growth * (eic - MEAN_GAP) - habits.simpler * np.sign(looks[:, 0])
        of_pair += looks[:, : len(habits.looks)] @ np.array(habits.looks)
        of_rater = habits.narrow * (windows == "narrow") + habits.careless * failed.any(axis=1)
        of_rater += habits.hasty * fast
        odds = logit(model.preference) + of_pair[table.pair] + of_rater[table.rater]
        odds += habits.left * np.where(table.on_left, 1, -1) + habits.tiring * (table.position - 1)
        shares = model.variances
        of_problem = sqrt(shares.problem) * rng.standard_normal(model.problems)
        problem_effects = of_problem[model.problem_of_pair]
        effects = problem_effects + sqrt(shares.pair) * rng.standard_normal(pairs)
        latent = (
            effects[table.pair]
            + sqrt(shares.rater) * rng.standard_normal(raters)[table.rater]
            + sqrt(shares.noise) * rng.standard_normal(len(table))
        )
        lower = latent > -ndtri(expit(odds))
        random = np.isin(table.rater, np.arange(habits.random))
        lower = np.where(random, rng.random(len(table)) < 0.5, lower)
        last = raters - 1 - np.arange(habits.pressers)
        lower = np.where(np.isin(table.rater, last), table.on_left, lower)
        lower = _copied(table, lower, habits.twins)
        tied = np.isnan(table.lower) | (~lower & (rng.random(len(table)) < habits.tied))
        table = replace(table, lower=np.where(tied, np.nan, lower))
        cast = (table.lower != 0) | (rng.random(len(table)) >= habits.lost)
        seconds = np.exp(rng.normal(3.0, 0.6, len(table)))
        seconds = np.where(random, rng.uniform(7.0, 8.0, len(table)), seconds)
        seconds = np.where(fast[table.rater], 2.0, seconds)
        scale = sqrt(shares.problem + shares.pair) or 1.0
        r2, nodes = rng.uniform(-0.02, 0.02, pairs), rng.integers(-2, 3, pairs)
        gaps = zip(eic.tolist(), r2.tolist(), nodes.tolist(), strict=True)
        fields = rng.choice(list(FIELDS), raters, p=list(FIELDS.values()))
        return cls(
            model,
            table.select(cast),
            int(np.count_nonzero(~cast)),
            _votes(table.select(cast), seconds[cast], windows, failed),
            {name: Gap(*gap) for name, gap in zip(table.pairs, gaps, strict=True)},
            dict(zip(table.pairs, looks.tolist(), strict=True)),
            dict(zip(table.raters, fields, strict=True)),
            effects / scale,
            problem_effects,
        )

    @cached_property
    def structure(self) -> Confounding:
        return confounding(self.table, self.gaps, self.looks)

    @cached_property
    def lost_votes(self) -> LostVotes:
        return lost_votes(clustered_rate(self.table), unfinished=self.lost)

    @cached_property
    def threats(self) -> Threats:
        return threats_of(self.votes, RULE, self.gaps, self.looks, sampled=self.table.sampled)


def _looks(fewer: float, pairs: int, rng: np.random.Generator) -> Floats:
    """Whole differences in the order of `VISIBLE`."""
    if not fewer:
        near = rng.integers(-1, 2, (pairs, 3)), rng.integers(-3, 4, (pairs, 2))
        return np.concatenate(near, axis=1).astype(np.float64)
    calls = np.rint(rng.normal(-fewer, 1.4, pairs))
    length = rng.normal(-0.5 * calls, 3.0)
    nested, depth = rng.normal(0.6 * calls, 0.7), rng.normal(0.4 * calls, 0.9)
    return np.rint(np.stack((calls, nested, depth, length, rng.normal(0.8 * length, 1.5)), axis=1))


def _copied(table: VoteArrays, lower: Flags, twins: int) -> Flags:
    """Votes in which each of some raters repeats what the rater before said on the same pair."""
    lower = lower.copy()
    for second in range(1, 2 * twins, 2):
        first = {
            int(pair): bool(choice)
            for pair, choice in zip(
                table.pair[table.rater == second - 1],
                lower[table.rater == second - 1],
                strict=True,
            )
        }
        for row in np.flatnonzero(table.rater == second):
            lower[row] = first.get(int(table.pair[row]), bool(lower[row]))
    return lower


def _votes(
    table: VoteArrays, seconds: Floats, windows: np.ndarray, failed: Flags
) -> tuple[RehearsedVote, ...]:
    whole = np.bincount(table.rater, seconds, minlength=len(table.raters))
    choices = np.where(np.isnan(table.lower), "tie", np.where(table.lower == 1, "lower", "higher"))
    votes = [
        RehearsedVote(
            table.raters[rater],
            table.pairs[pair],
            table.problems[problem],
            str(choice),
            "left" if left else "right",
            int(position),
            float(took),
            float(whole[rater]),
            str(windows[rater]),
        )
        for rater, pair, problem, choice, left, position, took in zip(
            table.rater,
            table.pair,
            table.problem,
            choices,
            table.on_left,
            table.position,
            seconds,
            strict=True,
        )
    ]
    checks = [
        RehearsedVote(
            name,
            "",
            "",
            "higher" if wrong else "lower",
            "left",
            0,
            20.0,
            float(whole[rater]),
            str(windows[rater]),
            is_attention=True,
            attention_ok=not wrong,
        )
        for rater, name in enumerate(table.raters)
        if whole[rater]
        for wrong in failed[rater]
    ]
    return (*votes, *checks)


@dataclass(frozen=True)
class ModelTruth:
    """What endless pairs and votes would show of the model of `model_scores`."""

    rate: float
    corrected: float  # Correlation of its scores with people's rates on the pairs
    model: float  # How often it agrees with a vote
    people: float  # How often two votes on a pair agree
    signal: float  # Variance of people's rates
    noise: float  # Variance that one vote adds to it


def model_scores(study: Rehearsal, rng: np.random.Generator) -> dict[str, float]:
    """A model that sees in part what people see: its share of answers for the lower EIC. What it
    sees beside that goes together by problem as what people see does.
    """
    model, size = study.model, len(study.pair_effects)
    of_problem = rng.standard_normal(model.problems)[model.problem_of_pair]
    own = sqrt(model.problem_share) * of_problem
    own += sqrt(1 - model.problem_share) * rng.standard_normal(size)
    scores = _score(study.pair_effects, own)
    return dict(zip(study.table.pairs, scores.tolist(), strict=True))


def _score(effects: Floats, own: Floats) -> Floats:
    return np.asarray(ndtr(0.4 + 0.8 * effects + 0.6 * own), dtype=np.float64)


def model_truth(model: StudyModel, draws: int = 400_000) -> ModelTruth:
    rng = np.random.default_rng(0)
    effects, own = rng.standard_normal((2, draws))
    score = _score(effects, own)
    shared = model.variances.problem + model.variances.pair
    rates = ndtr((model.threshold + sqrt(shared) * effects) / sqrt(1 - shared))
    return ModelTruth(
        float(score.mean()),
        float(np.corrcoef(score, rates)[0, 1]),
        float((score * rates + (1 - score) * (1 - rates)).mean()),
        float((rates**2 + (1 - rates) ** 2).mean()),
        float(rates.var()),
        float((rates * (1 - rates)).mean()),
    )
