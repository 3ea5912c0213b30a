"""What `study.rating.RatingService` answers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from study.ballot_types import Ballot

DEGREES = (
    "Bachelor's degree",
    "Master's degree",
    "Doctorate",
    "Student, no degree yet",
    "Other or none",
)
"""The degrees offered on the consent page, in order."""

MAX_REASON = 200
MAX_FIELD = 80


class Stage(StrEnum):
    """Where a visitor with a link stands: what the rating page should show.

    ``UNKNOWN``: no such link.  ``REVOKED``: the organiser took it back.  ``FULL``: the open
    link's quota is used up.  ``CLOSED``: the study is closed or its deadline has passed.
    ``CONSENT``: ask for consent, degree and field.  ``PRACTICE``: the practice ballot is next.
    ``RATING``: a ballot is next.  ``PAUSED``: offer to go on.  ``FINISHED``: thank-you and
    debrief.  ``WITHDRAWN``: this link's rater withdrew.
    """

    UNKNOWN = "unknown"
    REVOKED = "revoked"
    FULL = "full"
    CLOSED = "closed"
    CONSENT = "consent"
    PRACTICE = "practice"
    RATING = "rating"
    PAUSED = "paused"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Progress:
    """"saved 4 of 10": votes in the database, practice left out, attention checks included."""

    saved: int
    total: int

    def __str__(self) -> str:
        return f"saved {self.saved} of {self.total}"


@dataclass(frozen=True)
class Visit:
    """What a link leads to.

    Attributes
    ----------
    stage : Stage
    title, consent_text, contact, question : str
        "" at `Stage.UNKNOWN`.
    expected_minutes, ballots : int
        What the consent page promises; attention checks are among the ballots.
    practice : bool
        Whether a practice ballot comes first.
    deadline : datetime or None
        UTC.
    progress : Progress or None
        None before consent.
    debrief : str
        "" unless the rater has finished.
    reusable : bool
        True for an open link before consent: consent makes a new rater with a link of their own.
    """

    stage: Stage
    title: str = ""
    consent_text: str = ""
    contact: str = ""
    question: str = ""
    expected_minutes: int = 0
    ballots: int = 0
    practice: bool = False
    deadline: datetime | None = None
    progress: Progress | None = None
    debrief: str = ""
    reusable: bool = False


@dataclass(frozen=True)
class Consent:
    """Given: the token to go on with.

    Attributes
    ----------
    token : str
        Put it into the address: the same link opens the session on another device.  For a
        personal link it is the token that came in.
    link : str
        The whole address, to show and copy.
    visit : Visit
        The state after consent.
    """

    token: str
    link: str
    visit: Visit


class VoteStatus(StrEnum):
    """What became of a vote.

    ``SAVED``: it is in the database.  ``ALREADY_SAVED``: this ballot has its vote; that one
    stands.  ``STALE``: no such ballot of this rater (another tab, a withdrawn session).
    ``TOO_SOON``: the ballot had just come up, as with a held key; nothing was saved, ask again.
    ``CLOSED``: the study takes no votes any more.
    """

    SAVED = "saved"
    ALREADY_SAVED = "already saved"
    STALE = "stale"
    TOO_SOON = "too soon"
    CLOSED = "closed"


@dataclass(frozen=True)
class VoteOutcome:
    """The answer to a vote.

    Attributes
    ----------
    status : VoteStatus
    visit : Visit
        The state now, progress included.
    feedback : str
        After the practice ballot, what to say; else "".
    """

    status: VoteStatus
    visit: Visit
    feedback: str = ""


@dataclass(frozen=True)
class NextBallot:
    """The next thing to show: `ballot` is None unless the stage is PRACTICE or RATING."""

    visit: Visit
    ballot: Ballot | None = None
