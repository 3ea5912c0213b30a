"""The results of a closed study: `analyse` turns an exported study into numbers, with its
software.
"""

from __future__ import annotations

import platform
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

import eic_core
from eic_core.errors import UserError
from eic_core.exports import Plain
from study.report.declared import DeclaredAnalysis
from study.report.exported import ExportedPair, ExportedVote, StudyExport
from study.report.model_results import ModelResults, model_results
from study.statistics.agreement import Agreement, agreement_of
from study.statistics.agreement_coefficients import Coefficient
from study.statistics.bootstrap import pair_bootstrap, two_way_bootstrap
from study.statistics.clusters import Estimand, estimand_of, sampled_of
from study.statistics.equivalence import EffectSize, effect_size
from study.statistics.exclusions import (
    FAILED_ATTENTION,
    HASTY_SESSION,
    HASTY_VOTE,
    active_seconds,
    exclusion_reasons,
    rater_seconds,
)
from study.statistics.inference import (
    ESTIMANDS,
    ClusteredMean,
    ClusteredRate,
    clustered_rate,
    equal_problems,
)
from study.statistics.lost import LostVotes, lost_votes
from study.statistics.mixed import Apart, MixedRate, mixed_rate
from study.statistics.preference import Interval, Preference
from study.statistics.reasons import Reasons, reasons_of
from study.statistics.sign_test import SignTest, sign_test
from study.statistics.subgroups import Subgroups, subgroups
from study.statistics.threats import Threats, threats_of
from study.statistics.threats.gaps import Gap
from study.statistics.threats.sides import chose_left
from study.statistics.votes import Sampled, VoteArrays
from study.structure import differences, structure_as_written


def gap_of(pair: ExportedPair) -> Gap:
    """Between the formulas of lower and higher EIC, with the signs of `Gap`.

    >>> pair = ExportedPair("p1", "q", "x", "x + 1e9 - 1e9", 0.5, 8.5, 0.95, 0.94, 1, 5)
    >>> gap_of(pair).eic, gap_of(pair).complexity
    (8.0, -4)
    """
    return Gap(
        pair.higher_eic - pair.lower_eic,
        pair.lower_r2 - pair.higher_r2,
        pair.lower_complexity - pair.higher_complexity,
    )


def pair_gaps(export: StudyExport) -> dict[str, Gap]:
    return {pair.pair: gap_of(pair) for pair in export.pairs}


def looks_of(export: StudyExport) -> dict[str, Sequence[float]]:
    """What the eye sees of each pair: counts of the formula of lower EIC less those of higher."""
    syntaxes = {
        (pair["pair"], side): pair[side].get("syntax", "auto")
        for pair in export.configuration.get("pairs", ())
        for side in ("lower", "higher")
    }
    return {
        pair.pair: differences(
            structure_as_written(pair.lower_formula, syntaxes.get((pair.pair, "lower"), "auto")),
            structure_as_written(pair.higher_formula, syntaxes.get((pair.pair, "higher"), "auto")),
        )
        for pair in export.pairs
    }


@dataclass(frozen=True)
class Software(Plain):
    """Versions of what a report's numbers depend on."""

    eic_lab: str
    python: str
    numpy: str
    scipy: str

    _JSON = ("eic_lab", "python", "numpy", "scipy")

    @classmethod
    def here(cls) -> Software:
        """The versions that are running.

        >>> Software.here().eic_lab == eic_core.__version__
        True
        """
        python = platform.python_version()
        return cls(eic_core.__version__, python, np.__version__, scipy.__version__)

    @property
    def sentence(self) -> str:
        """In a line.

        >>> Software("0.1.0", "3.11.9", "2.4.6", "1.17.1").sentence
        'EIC Lab 0.1.0, Python 3.11.9, NumPy 2.4.6, SciPy 1.17.1'
        """
        return (
            f"EIC Lab {self.eic_lab}, Python {self.python}, NumPy {self.numpy}, SciPy {self.scipy}"
        )


def provenance(study_hash: str, seed: int, software: Software) -> str:
    """What every output carries: the frozen hash, the software and the seed.

    >>> provenance("abcd", 7, Software("0.1.0", "3.11.9", "2.4.6", "1.17.1"))
    'frozen study abcd; seed 7; EIC Lab 0.1.0, Python 3.11.9, NumPy 2.4.6, SciPy 1.17.1'
    """
    return f"frozen study {study_hash or 'without a hash'}; seed {seed}; {software.sentence}"


SMALLEST_EFFECT = 0.05
"""Of interest where a study declares none: 5 points from one half."""
REASONS = (HASTY_SESSION, HASTY_VOTE, FAILED_ATTENTION)


HELD_SHARE = 0.9
"""Of the draws of the rows in which a pair's gap must be there to be called kept."""


@dataclass(frozen=True)
class HeldGaps(Plain):
    """How many pairs keep their gap in EIC on other rows of their problem's data."""

    least: float  # The gap that the matching asked for
    known: int  # Pairs of which it is known
    # Known pairs whose gap is there in `HELD_SHARE` of the draws of the rows or more
    in_most_draws: int
    without_worst_row: int  # Known pairs whose gap is still `least` without the row of most loss

    _JSON = ("least", "known", "in_most_draws", "without_worst_row")


@dataclass(frozen=True, eq=False)
class StudyReport:
    export: StudyExport
    # Why each vote of the export does not count, "" if it does; in order. Practice ballots and
    # attention checks have none.
    reasons: tuple[str, ...]
    level: float = 0.95  # Confidence level of the intervals
    seed: int = 0  # Seed of the bootstraps
    # "problems like these", "pairs like these" or "these pairs": what the headline is about
    estimand: Estimand = "pairs like these"

    def complete(self) -> StudyReport:
        """Compute all that is cached, so that threads may share the report; returns it."""
        for name, kind in vars(type(self)).items():
            if isinstance(kind, cached_property):
                getattr(self, name)
        return self

    @cached_property
    def software(self) -> Software:
        return Software.here()

    @cached_property
    def votes_cast(self) -> tuple[ExportedVote, ...]:
        return tuple(vote for vote in self.export.votes if vote.on_a_pair)

    @cached_property
    def valid_votes(self) -> tuple[ExportedVote, ...]:
        return tuple(
            vote
            for vote, reason in zip(self.export.votes, self.reasons, strict=True)
            if vote.on_a_pair and not reason
        )

    @cached_property
    def votes_excluded(self) -> dict[str, int]:
        counts = Counter(self.reasons)
        return {reason: counts[reason] for reason in REASONS if counts[reason]}

    @cached_property
    def excluded_raters(self) -> int:
        """Raters with votes none of whom counts."""
        return len({v.rater for v in self.votes_cast} - {v.rater for v in self.valid_votes})

    @cached_property
    def unfinished_excluded_raters(self) -> int:
        """Those of the excluded raters who stopped before their last ballot."""
        cast = Counter(v.rater for v in self.votes_cast)
        kept = {v.rater for v in self.valid_votes}
        wanted = self.export.ballots_per_rater
        return sum(n < wanted for rater, n in cast.items() if rater not in kept)

    @cached_property
    def preference(self) -> Preference:
        return Preference.of(v.choice for v in self.valid_votes)

    @cached_property
    def preference_of_all(self) -> Preference:
        """The preference before exclusions."""
        return Preference.of(v.choice for v in self.votes_cast)

    @cached_property
    def by_problem(self) -> dict[str, Preference]:
        """Valid votes by problem, in the order of names."""
        return {
            problem: Preference.of(v.choice for v in self.valid_votes if v.problem == problem)
            for problem in sorted({pair.problem for pair in self.export.pairs})
        }

    @cached_property
    def votes_per_pair(self) -> dict[str, int]:
        """Valid votes on each pair of the study, ties included."""
        counts = Counter(v.pair for v in self.valid_votes)
        return {pair.pair: counts[pair.pair] for pair in self.export.pairs}

    @cached_property
    def held_gaps(self) -> HeldGaps:
        least = float(self.export.rules.get("min_eic_gap", 0.0))
        known = [pair for pair in self.export.pairs if pair.gap_share is not None]
        return HeldGaps(
            least,
            len(known),
            sum((pair.gap_share or 0.0) >= HELD_SHARE for pair in known),
            sum(
                pair.gap_without_worst_row is not None and pair.gap_without_worst_row >= least
                for pair in known
            ),
        )

    @cached_property
    def declared(self) -> DeclaredAnalysis | None:
        return DeclaredAnalysis.of(self.export.configuration)

    @cached_property
    def one_sided(self) -> bool:
        """Whether the declared test looks for a preference for the lower EIC only."""
        return self.declared is not None and self.declared.one_sided

    @cached_property
    def unsealed(self) -> int:
        """Votes cast before votes were sealed."""
        sealed = {seal.vote for seal in self.export.seals}
        return sum(vote.vote not in sealed for vote in self.export.votes)

    @cached_property
    def sampled(self) -> Sampled:
        return sampled_of(self.estimand, len({pair.problem for pair in self.export.pairs}))

    @cached_property
    def table(self) -> VoteArrays:
        return VoteArrays.of(self.valid_votes, self.sampled)

    @cached_property
    def inference(self) -> ClusteredRate:
        """The headline: the rate with an interval and a test that allow for clusters."""
        return clustered_rate(self.table, estimand=self.estimand)

    @cached_property
    def effect(self) -> EffectSize:
        declared = self.declared
        margin = declared.smallest_effect if declared else SMALLEST_EFFECT
        return effect_size(self.inference, margin, level=self.level, declared=declared is not None)

    @cached_property
    def equal_problems(self) -> ClusteredMean | None:
        """The rate with problems weighed alike, another estimand than the headline's."""
        return equal_problems(self.table, estimand=self.estimand)

    @cached_property
    def lost_votes(self) -> LostVotes:
        """The bound for votes that are lost by choice."""
        cast = Counter(vote.rater for vote in self.votes_cast)
        last = {(vote.rater, vote.pair) for vote in self.votes_cast}
        # an answer that was undone and given again is not lost; one a rater and pair
        undone = {
            (vote.rater, vote.pair): vote.choice
            for vote in self.export.undone
            if vote.on_a_pair and (vote.rater, vote.pair) not in last
        }
        raters = set(cast) | {rater for rater, _ in undone}
        whole = min(self.export.ballots_per_rater, len(self.export.pairs))
        missing = {rater: max(0, whole - cast[rater]) for rater in raters}
        valid = {vote.vote for vote in self.valid_votes}
        return lost_votes(
            self.inference,
            left_out=(vote.choice for vote in self.votes_cast if vote.vote not in valid),
            undone=undone.values(),
            unfinished=max(0, sum(missing.values()) - len(undone)),
            withdrawn=whole * self.export.raters.withdrawn,
            level=self.level,
            one_sided=self.one_sided,
        )

    @cached_property
    def mixed(self) -> MixedRate:
        return mixed_rate(self.table, self.inference, level=self.level)

    @cached_property
    def mixed_apart(self) -> Apart:
        """Why the mixed model leads elsewhere than the headline."""
        return self.mixed.apart(self.inference, self.equal_problems)

    @cached_property
    def bootstrap(self) -> Interval | None:
        """The rate's interval when pairs (or problems) are drawn again; None for "these pairs"."""
        if self.estimand == "these pairs":
            return None
        return pair_bootstrap(self.table, seed=self.seed, level=self.level)

    @cached_property
    def two_way_bootstrap(self) -> Interval | None:
        """The same with raters drawn again as well; None for "these pairs"."""
        if self.estimand == "these pairs":
            return None
        return two_way_bootstrap(self.table, seed=self.seed, level=self.level)

    @cached_property
    def sign_test(self) -> SignTest:
        return sign_test(self.table)

    @cached_property
    def fleiss_kappa_by_side(self) -> Coefficient:
        """Of the votes coded as left and right, where the formula chosen was shown."""
        decided = VoteArrays.of((v for v in self.valid_votes if v.choice != "tie"), self.sampled)
        left = chose_left(decided).astype(np.float64)
        return agreement_of(replace(decided, lower=left), self.estimand).fleiss_kappa

    @cached_property
    def agreement(self) -> Agreement:
        return agreement_of(self.table, self.estimand, level=self.level)

    @cached_property
    def subgroups(self) -> tuple[Subgroups, ...]:
        declared = str(self.export.configuration.get("design", {}).get("subgroups", ""))
        answers: dict[str, dict[str, str]] = {
            "degree": {vote.rater: vote.degree for vote in self.valid_votes},
            "field": {vote.rater: vote.field for vote in self.valid_votes},
        }
        return tuple(
            subgroups(self.table, answers[what], what, level=self.level)
            for what in answers
            if what in declared.split()
        )

    @cached_property
    def written_reasons(self) -> Reasons:
        return reasons_of(self.valid_votes)

    @cached_property
    def threats(self) -> Threats:
        return threats_of(
            self.export.votes,
            self.export.exclusion,
            pair_gaps(self.export),
            looks_of(self.export),
            level=self.level,
            seed=self.seed,
            estimand=self.estimand,
            sampled=self.sampled,
        )

    @cached_property
    def models(self) -> ModelResults:
        return model_results(self.export, self.valid_votes, level=self.level, sampled=self.sampled)

    @property
    def median_seconds(self) -> float | None:
        """Median active seconds of a valid vote; None without one."""
        seconds = [active_seconds(vote) for vote in self.valid_votes]
        return statistics.median(seconds) if seconds else None

    @property
    def votes_by_rater_clock(self) -> int:
        """Valid votes that the rater's own clock timed; the server's did the others."""
        return sum(rater_seconds(vote) is not None for vote in self.valid_votes)

    @property
    def median_session_seconds(self) -> float | None:
        """Median active seconds of the sessions with a valid vote; None without one."""
        sessions = {v.rater: v.session_seconds for v in self.valid_votes}
        return statistics.median(sessions.values()) if sessions else None


def analyse(
    export: StudyExport,
    *,
    level: float | None = None,
    seed: int = 0,
    estimand: Estimand | None = None,
) -> StudyReport:
    """Apply the frozen exclusion rule; each result is computed at its first use. `level` is in (0,
    1), by default as declared, else 0.95. So is `estimand`, the population of the headline;
    undeclared it is "problems like these" if the study has pairs of ten problems or more, whoever
    voted on them, else "pairs like these". Raises `UserError` if one of them makes no sense.
    """
    declared = DeclaredAnalysis.of(export.configuration)
    if level is None:
        level = declared.confidence_level if declared else 0.95
    if not 0 < level < 1:
        raise UserError("a confidence level lies between 0 and 1")
    if seed < 0:
        raise UserError("a seed is a whole number, 0 or more")
    if estimand is None and declared is not None:
        estimand = declared.estimand
    if estimand is None:
        estimand = estimand_of(len({pair.problem for pair in export.pairs}))
    if estimand not in ESTIMANDS:
        raise UserError(f"an estimand is `{'` or `'.join(ESTIMANDS)}`, not `{estimand}`")
    reasons = tuple(exclusion_reasons(export.votes, export.exclusion))
    return StudyReport(export, reasons, level, seed, estimand)
