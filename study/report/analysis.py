"""What a closed study found: `analyse` turns an exported study into numbers."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from study.report.exported import ExportedVote, StudyExport, utc_text
from study.report.software import Software
from study.statistics.agreement import FleissKappa, count_choices, fleiss_kappa
from study.statistics.exclusions import (
    FAILED_ATTENTION,
    HASTY_SESSION,
    HASTY_VOTE,
    active_seconds,
    exclusion_reasons,
)
from study.statistics.preference import Preference

REASONS = (HASTY_SESSION, HASTY_VOTE, FAILED_ATTENTION)
INDEPENDENCE = (
    "The test and the intervals take votes as independent. Votes on one pair and votes of one "
    "rater are not, so the true uncertainty is larger."
)


@dataclass(frozen=True)
class Attention:
    """Attention checks answered, and how many of them were passed."""

    answered: int
    passed: int


@dataclass(frozen=True)
class ProblemPreference:
    """The valid votes on one problem's pairs."""

    problem: str
    pairs: int
    preference: Preference


@dataclass(frozen=True, eq=False)
class StudyReport:
    """The results of a closed study, with what they were computed from.

    Attributes
    ----------
    export : StudyExport
    reasons : tuple of str
        Why each vote of the export does not count, "" if it does; in order.
        Practice ballots and attention checks have none.
    level : float
        Confidence level of the intervals.
    """

    export: StudyExport
    reasons: tuple[str, ...]
    level: float = 0.95
    seed: int = 0

    @cached_property
    def software(self) -> Software:
        """What made the numbers."""
        return Software.here()

    @cached_property
    def cast(self) -> tuple[ExportedVote, ...]:
        """All votes on pairs."""
        return tuple(vote for vote in self.export.votes if vote.on_a_pair)

    @cached_property
    def valid(self) -> tuple[ExportedVote, ...]:
        """The votes that count."""
        return tuple(
            vote
            for vote, reason in zip(self.export.votes, self.reasons, strict=True)
            if vote.on_a_pair and not reason
        )

    @cached_property
    def excluded(self) -> dict[str, int]:
        """Votes that do not count, by reason."""
        counts = Counter(self.reasons)
        return {reason: counts[reason] for reason in REASONS if counts[reason]}

    @cached_property
    def excluded_raters(self) -> int:
        """Raters with votes none of whom counts."""
        return len({v.rater for v in self.cast} - {v.rater for v in self.valid})

    @cached_property
    def unfinished_excluded_raters(self) -> int:
        """Those of them who stopped before their last ballot."""
        cast = Counter(v.rater for v in self.cast)
        kept = {v.rater for v in self.valid}
        wanted = self.export.ballots_per_rater
        return sum(n < wanted for rater, n in cast.items() if rater not in kept)

    @cached_property
    def attention(self) -> Attention:
        """The attention checks."""
        checks = [v for v in self.export.votes if v.is_attention and not v.is_practice]
        return Attention(len(checks), sum(v.attention_ok is True for v in checks))

    @cached_property
    def preference(self) -> Preference:
        """Valid votes for the lower and the higher EIC."""
        return Preference.of(v.choice for v in self.valid)

    @cached_property
    def preference_of_all(self) -> Preference:
        """The same before exclusions."""
        return Preference.of(v.choice for v in self.cast)

    @cached_property
    def by_problem(self) -> tuple[ProblemPreference, ...]:
        """Valid votes by problem, in the order of names."""
        pairs = Counter(pair.problem for pair in self.export.pairs)
        problem_of = {pair.pair: pair.problem for pair in self.export.pairs}
        return tuple(
            ProblemPreference(
                name,
                pairs[name],
                Preference.of(v.choice for v in self.valid if problem_of[v.pair] == name),
            )
            for name in sorted(pairs)
        )

    @cached_property
    def votes_per_pair(self) -> dict[str, int]:
        """Valid votes on each pair of the study, ties included."""
        counts = Counter(v.pair for v in self.valid)
        return {pair.pair: counts[pair.pair] for pair in self.export.pairs}

    @cached_property
    def agreement(self) -> FleissKappa:
        """Fleiss' kappa over the pairs with at least two deciding votes."""
        counts = count_choices((v.pair, v.choice) for v in self.valid)
        return fleiss_kappa(counts[pair] for pair in sorted(counts))

    @property
    def left_chosen(self) -> Preference:
        """Valid votes for the formula on the left (as `lower`) and on the right."""
        return Preference.of(
            "tie" if v.choice == "tie"
            else "lower" if (v.choice == "lower") == (v.lower_side == "left")
            else "higher"
            for v in self.valid
        )  # fmt: skip

    @property
    def median_seconds(self) -> float | None:
        """Median active seconds of a valid vote; None without one."""
        return statistics.median(map(active_seconds, self.valid)) if self.valid else None

    @property
    def median_session_seconds(self) -> float | None:
        """Median active seconds of the sessions with a valid vote; None without one."""
        sessions = {v.rater: v.session_seconds for v in self.valid}
        return statistics.median(sessions.values()) if sessions else None

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, in sentences."""
        notes = [self.preference.reason] if self.preference.reason else [INDEPENDENCE]
        if self.agreement.reason:
            notes.append("Fleiss' kappa is not defined: " + self.agreement.reason)
        if self.preference.ties:
            notes.append("Ties (“cannot decide”) are in no rate, test or kappa.")
        if self.unfinished_excluded_raters:
            notes.append(
                f"{self.unfinished_excluded_raters} of the raters left out had not finished."
            )
        if self.export.closed_at is None:
            notes.append("The study was not closed when it was exported.")
        return tuple(notes)

    def to_json(self) -> dict[str, Any]:
        """The stable JSON form: plain values, null for what is not defined."""
        export, votes = self.export, list(self.votes_per_pair.values())
        return {
            "study": export.study,
            "title": export.title,
            "hash": export.hash,
            "frozen_at": utc_text(export.frozen_at),
            "closed_at": utc_text(export.closed_at),
            "exported_at": utc_text(export.exported_at),
            "rules": dict(export.rules),
            "exclusion": export.exclusion.to_json() | {"sentence": export.exclusion.sentence},
            "raters": asdict(export.raters)
            | {
                "with_votes": len({v.rater for v in self.cast}),
                "excluded": self.excluded_raters,
                "excluded_unfinished": self.unfinished_excluded_raters,
            },
            "votes": {
                "cast": len(self.cast),
                "excluded": self.excluded,
                "valid": len(self.valid),
                "attention": asdict(self.attention),
            },
            "preference": self.preference.to_json(self.level),
            "preference_before_exclusions": self.preference_of_all.to_json(self.level),
            "by_problem": [
                {"problem": p.problem, "pairs": p.pairs} | p.preference.to_json(self.level)
                for p in self.by_problem
            ],
            "fleiss_kappa": self.agreement.to_json(),
            "pairs": {
                "total": len(votes),
                "without_votes": votes.count(0),
                "fewest_votes": min(votes, default=0),
                "most_votes": max(votes, default=0),
                "mean_votes": statistics.fmean(votes) if votes else None,
            },
            "left_chosen": {"left": self.left_chosen.lower, "right": self.left_chosen.higher},
            "seconds": {
                "median_vote": self.median_seconds,
                "median_session": self.median_session_seconds,
            },
            "notes": list(self.notes),
        }


def analyse(export: StudyExport, *, level: float = 0.95) -> StudyReport:
    """Apply the frozen exclusion rule and compute the results.

    Parameters
    ----------
    export : StudyExport
    level : float
        Confidence level of the intervals, in (0, 1).
    """
    return StudyReport(export, tuple(exclusion_reasons(export.votes, export.exclusion)), level)
