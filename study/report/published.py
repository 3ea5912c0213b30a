"""What published counts of votes support, where nothing but the counts is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt

from scipy.special import ndtr

from eic_core import wording
from eic_core.errors import UserError
from eic_core.exports import Plain
from study.report.phrases.numbers import between
from study.statistics.preference import Interval, Preference, wilson_interval

OF_ONE_RATER = 0.05
"""Supposed correlation of one rater's votes, where raters are given: a usual one."""


@dataclass(frozen=True)
class PublishedCounts(Plain):
    """Counts of a study, and what is known of how its votes go together.

    The counts of Yu et al.:

    >>> found = PublishedCounts(586, 840, 172, 108, 0.37)
    >>> round(found.design_effect, 2), round(found.effective_votes)
    (2.78, 303)
    """

    lower: int
    votes: int
    pairs: int | None = None
    raters: int | None = None
    kappa: float | None = None  # Agreement of two raters on a pair
    level: float = 0.95

    _JSON = (
        "lower",
        "votes",
        "pairs",
        "raters",
        "kappa",
        "level",
        "design_effect",
        "effective_votes",
        "interval",
        "p_value",
        ("sentences", lambda found: list(found.sentences)),
    )

    def __post_init__(self) -> None:
        if not 0 <= self.lower <= self.votes or not self.votes:
            raise UserError("counts are votes for the lower EIC out of all deciding votes")
        for name in ("pairs", "raters"):
            number = getattr(self, name)
            if number is not None and not 1 <= number <= self.votes:
                raise UserError(f"the number of {name} must be from 1 to that of the votes")
        if self.kappa is not None and not 0 <= self.kappa <= 1:
            raise UserError("an agreement lies between 0 and 1 here")
        if not 0 < self.level < 1:
            raise UserError("a confidence level lies between 0 and 1")

    @classmethod
    def read(cls, text: str, **known: object) -> PublishedCounts:
        """From a text such as ``586/840``.

        >>> PublishedCounts.read("586/840").votes
        840
        """
        found = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", text)
        if found is None:
            raise UserError(f"`{text}` is no count", hint="write it as 586/840")
        return cls(int(found[1]), int(found[2]), **known)  # type: ignore[arg-type]

    @property
    def design_effect(self) -> float:
        """1 + (votes a pair - 1) · kappa + (votes a rater - 1) · 0.05, as far as they are known."""
        of_pairs = (self.votes / self.pairs - 1) * (self.kappa or 0.0) if self.pairs else 0.0
        of_raters = (self.votes / self.raters - 1) * OF_ONE_RATER if self.raters else 0.0
        return 1 + of_pairs + of_raters

    @property
    def effective_votes(self) -> float:
        return self.votes / self.design_effect

    @property
    def interval(self) -> Interval:
        """Wilson's, for the effective number of votes."""
        rate, method = self.lower / self.votes, "Wilson, effective votes"
        return wilson_interval(rate, self.effective_votes, self.level, method)

    @property
    def p_value(self) -> float:
        """One-sided score test against one half, for the effective number of votes."""
        rate = self.lower / self.votes
        return float(ndtr(-(rate - 0.5) * 2 * sqrt(self.effective_votes)))

    @property
    def sentences(self) -> tuple[str, ...]:
        plain = Preference(self.lower, self.votes - self.lower)
        level = wording.level_percent(self.level)
        said = [
            f"{self.lower:,} of {self.votes:,} votes ({wording.percent(plain.rate, 1)}). Taken as "
            f"independent: {wording.p_clause(plain.p_value, 3)} (exact, one-sided), {level} "
            f"interval {between(plain.wilson(self.level))}."
        ]
        known = bool(self.pairs and self.kappa is not None)
        if known or self.raters:
            why = [
                f"{self.votes / (self.pairs or 1):.1f} votes on each of {self.pairs:,} pairs agree "
                f"by {self.kappa:g}"
                if known
                else "",
                f"votes of one of {self.raters:,} raters by {OF_ONE_RATER:g} (supposed)"
                if self.raters
                else "",
            ]
            said.append(
                f"If {' and '.join(filter(None, why))}, they are worth about "
                f"{self.effective_votes:,.0f} independent ones (design effect "
                f"{self.design_effect:.2f}): {level} interval {between(self.interval)}, one-sided "
                f"{wording.p_clause(self.p_value, 3)}."
            )
        else:
            said.append(
                "Votes on one pair, and votes of one person, resemble each other: with --pairs, "
                "--raters and --kappa this says what that costs."
            )
        said.append(
            "Counts do not tell how problems differ, who was left out, nor whether raters followed "
            "EIC or what the eye sees: the true interval is wider, for problems like these by up "
            "to three times (docs/adr/0018-inference.md)."
        )
        return tuple(said)
