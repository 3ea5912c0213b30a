"""Which votes count: the rule that drops hasty ones, per session or per vote. Yu et al., appendix
``app:expert_rating``, discard "responses" completed in under 60 seconds, without saying whether a
response is one vote or a session. Their counts (1080 votes cast, 840 or 870 kept) are multiples of
the ten ballots of a session, so a session is the default unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from eic_core.errors import UserError
from eic_core.exports import PlainAtLevel
from study.statistics.votes import Flags, Floats, Integers

Unit = Literal["session", "vote"]

HASTY_SESSION = "session under the threshold"
HASTY_VOTE = "vote under the threshold"
FAILED_ATTENTION = "too many failed attention checks"


class TimedVote(Protocol):
    """What the rule needs to know of a vote; see `study.report.exported.ExportedVote`."""

    @property
    def rater(self) -> str: ...
    @property
    def seconds(self) -> float: ...
    @property
    def idle_seconds(self) -> float: ...
    @property
    def session_seconds(self) -> float: ...
    @property
    def is_practice(self) -> bool: ...
    @property
    def is_attention(self) -> bool: ...
    @property
    def attention_ok(self) -> bool | None: ...


@dataclass(frozen=True)
class ExclusionRule(PlainAtLevel):
    """When a vote does not count; frozen with the study. Raises `UserError` if a value makes no
    sense.
    """

    # Votes or sessions of fewer active seconds do not count; exactly the threshold counts. 0
    # switches the rule off.
    threshold_seconds: float = 60.0
    # "session" or "vote": whether the seconds are those of the rater's whole session (all their
    # votes fall or stand together) or of the single vote
    unit: Unit = "session"
    # A session with more failed attention checks does not count; None: failures are reported, but
    # exclude nothing
    max_failed_attention: int | None = None

    _JSON = ("threshold_seconds", "unit", "max_failed_attention")

    def __post_init__(self) -> None:
        if not 0 <= self.threshold_seconds < float("inf"):
            raise UserError("the exclusion threshold must be a number of seconds, 0 or more")
        if self.unit not in ("session", "vote"):
            raise UserError(f"an exclusion unit is `session` or `vote`, not `{self.unit}`")
        limit = self.max_failed_attention
        if limit is not None and limit < 0:
            raise UserError("the number of failed attention checks allowed must be 0 or more")


def rater_seconds(vote: object) -> float | None:
    """Seconds from paint to press by the rater's own clock; None where nobody measured them."""
    found: float | None = getattr(vote, "rater_seconds", None)
    return found


def active_seconds(vote: TimedVote) -> float:
    """The rater's own seconds; without them the server's, less idle time. The server's include its
    delay and the network's: 5.6 s of thought became 8.5 s under load.

    >>> from types import SimpleNamespace as Vote
    >>> active_seconds(Vote(seconds=40.0, idle_seconds=15.0))
    25.0
    >>> active_seconds(Vote(seconds=40.0, idle_seconds=15.0, rater_seconds=22.5))
    22.5
    """
    own = rater_seconds(vote)
    return max(0.0, vote.seconds - vote.idle_seconds) if own is None else own


def session_seconds(votes: Iterable[TimedVote]) -> dict[str, float]:
    """Active seconds of each rater's session, practice left out; pauses between ballots do not
    count.
    """
    totals: dict[str, float] = {}
    for vote in votes:
        if not vote.is_practice:
            totals[vote.rater] = totals.get(vote.rater, 0.0) + active_seconds(vote)
    return totals


def exclusion_reasons(votes: Sequence[TimedVote], rule: ExclusionRule) -> list[str]:
    """Why each vote of all that were cast does not count: `HASTY_SESSION`, `HASTY_VOTE`,
    `FAILED_ATTENTION`, or "" for those that count, practice ballots and attention checks.

    >>> from types import SimpleNamespace
    >>> vote = dict(idle_seconds=0, is_practice=False, is_attention=False, attention_ok=None)
    >>> votes = [SimpleNamespace(rater="a", seconds=20, session_seconds=45, **vote),
    ...          SimpleNamespace(rater="b", seconds=20, session_seconds=60, **vote)]
    >>> exclusion_reasons(votes, ExclusionRule())
    ['session under the threshold', '']
    """
    columns = RuleColumns.of(votes)
    hasty = HASTY_SESSION if rule.unit == "session" else HASTY_VOTE
    why = np.where(
        columns.hasty(rule), hasty, np.where(columns.failing(rule), FAILED_ATTENTION, "")
    )
    reasons = iter(why.tolist())
    return ["" if vote.is_practice or vote.is_attention else next(reasons) for vote in votes]


@dataclass(frozen=True, eq=False)
class RuleColumns:
    """What a rule looks at, a row for each vote on a pair: to try many rules on many votes."""

    # session, vote: shape (n,): Active seconds of the rater's session, and of the vote
    session: Floats
    vote: Floats
    failed: Integers  # shape (n,): Attention checks that its rater failed

    @classmethod
    def of(cls, votes: Sequence[TimedVote]) -> RuleColumns:
        failures = Counter(v.rater for v in votes if v.is_attention and v.attention_ok is False)
        rows = [vote for vote in votes if not (vote.is_practice or vote.is_attention)]
        return cls(
            np.array([vote.session_seconds for vote in rows], dtype=np.float64),
            np.array([active_seconds(vote) for vote in rows], dtype=np.float64),
            np.array([failures[vote.rater] for vote in rows], dtype=np.intp),
        )

    def kept_by(self, rule: ExclusionRule) -> Flags:
        """Which votes the rule keeps: those without a reason in `exclusion_reasons`.

        >>> columns = RuleColumns(np.array([45.0, 60.0]), np.array([9.0, 9.0]), np.array([0, 2]))
        >>> columns.kept_by(ExclusionRule()).tolist()
        [False, True]
        >>> columns.kept_by(ExclusionRule(0, max_failed_attention=1)).tolist()
        [True, False]
        """
        return ~(self.hasty(rule) | self.failing(rule))

    def hasty(self, rule: ExclusionRule) -> Flags:
        seconds = self.session if rule.unit == "session" else self.vote
        return np.asarray(seconds < rule.threshold_seconds, dtype=np.bool_)

    def failing(self, rule: ExclusionRule) -> Flags:
        most = rule.max_failed_attention
        return np.asarray(self.failed > (np.inf if most is None else most), dtype=np.bool_)
