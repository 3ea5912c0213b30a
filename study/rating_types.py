"""All that a rating page receives: no EIC, no method, no ids, no order but left and right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

Curve = tuple[float | None, ...]
Surface = tuple[Curve, ...]


_GENERIC = re.compile(
    r"(target|output|outcome|response|label|result|value|feature|input|column|col|var|variable)"
    r"s?_?\d*",
    re.IGNORECASE,
)


def says_nothing(name: str) -> bool:
    """Whether a column's name tells a reader nothing: a placeholder, or abbreviations in a row.

    >>> [says_nothing(name) for name in ("target", "log_v_k_nu", "sepal_width", "t", "x0")]
    [True, True, False, False, False]
    """
    parts = [part for part in name.split("_") if part]
    cryptic = len(parts) > 1 and any(len(part) < 3 for part in parts)
    return cryptic or _GENERIC.fullmatch(name) is not None


@dataclass(frozen=True)
class Axis:
    # name, unit, meaning: the data's column name; unit and meaning may be ""
    name: str
    unit: str
    meaning: str
    # low, high: the range to draw
    low: float
    high: float
    mathml: str = ""  # The name as the formulas write it; "" in ballots of before
    symbol: str = ""  # What the formulas write for the name; "" if they write the name

    @property
    def written(self) -> str:
        return self.symbol or self.name

    @property
    def label(self) -> str:
        """Name and unit, as an axis title.

        >>> Axis("t", "years", "", 0, 1).label, Axis("n", "", "", 0, 1).label
        ('t [years]', 'n')
        """
        return f"{self.written} [{self.unit}]" if self.unit else self.written

    @property
    def title(self) -> str:
        """The label; where the name says nothing, with the meaning in its place.

        >>> Axis("target", "K", "warmth", 0, 1).title, Axis("h", "", "height", 0, 1).title
        ('warmth [K]', 'h')
        """
        if not (self.meaning and says_nothing(self.written)):
            return self.label
        return f"{self.meaning} [{self.unit}]" if self.unit else self.meaning


@dataclass(frozen=True)
class FormulaCard:
    latex: str  # Variables by column names, constants to the pair's number of digits
    r2: float  # R² of the formula as shown, on the problem's data, rounded to 3 decimals
    complexity: int  # Nodes
    # One input, in ballots of before: values on ``figure.grids[0]``; None where there is none
    curve: Curve = ()
    # Two, in ballots of before: ``surface[j][i]`` is the value at ``grids[0][i], grids[1][j]``
    surface: Surface = ()


@dataclass(frozen=True)
class BallotFigure:
    kind: Literal["curve", "surface"]  # One input, or two
    inputs: tuple[Axis, ...]
    target: Axis  # Its range is the common scale of both plots (y axis, or colour scale)
    # One for each input, ascending; empty where the shapes were drawn at freezing
    grids: tuple[tuple[float, ...], ...]
    points: tuple[tuple[float, ...], ...]  # The data, thinned out to a few hundred rows
    rows: int  # Rows of the whole table


@dataclass(frozen=True)
class FormulaView:
    """A formula as a page shows it; the shapes were drawn when the study was frozen."""

    r2: float
    complexity: int
    # narrow, wide: ``<svg>`` elements that use `Ballot.glyphs`
    narrow: str
    wide: str
    mathml: str
    behaviour: str  # What its curve or map does, as a predicate


BAND = "band"
"""The class of what is drawn of a curve where it swings faster than pixels can show."""


@dataclass(frozen=True)
class PlotView:
    # narrow, wide: one ``<svg>`` with both curves, or those of A and B
    narrow: tuple[str, ...]
    wide: tuple[str, ...]
    scale: str  # The colour scale of maps; "" for curves

    @property
    def bands(self) -> str:
        """The letters of the curves that are a band somewhere: "", "A", "B" or "AB"."""
        drawn = "".join((*self.narrow, *self.wide))
        return "".join(each for each in "AB" if f'"curve-{each.lower()} {BAND}"' in drawn)


@dataclass(frozen=True)
class Ballot:
    token: str  # Opaque and random; give it back with the vote
    # number, of: "Ballot 4 of 10"; a practice ballot has number 0
    number: int
    of: int
    practice: bool  # Whether this is the practice ballot (answering it gives feedback)
    # title, description: the problem in plain words
    title: str
    description: str
    question: str
    meaning: str  # What the question means, in the organiser's words; "" in studies of before
    # "" on ordinary ballots; on an instructed attention check, what to do. Show it plainly.
    instruction: str
    inputs: tuple[Axis, ...]
    target: Axis
    points: int  # Dots in the plot
    rows: int  # Rows of the table they are drawn from
    # left, right: formula A and formula B
    left: FormulaView
    right: FormulaView
    plot: PlotView
    glyphs: str  # ``<symbol>`` elements of both formulas
    # allow_tie, ask_reason: whether to offer "cannot decide" and a one-line reason
    allow_tie: bool
    ask_reason: bool

    @property
    def kind(self) -> Literal["curve", "surface"]:
        return "curve" if len(self.inputs) == 1 else "surface"


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
    """Where a visitor with a link stands: what the rating page should show."""

    UNKNOWN = "unknown"  # no such link
    REVOKED = "revoked"  # the organiser took it back
    FULL = "full"  # the open link's quota is used up
    CLOSED = "closed"  # by the organiser or the deadline
    ENDING = "ending"  # nobody new may take part, and those who have begun may finish
    CONSENT = "consent"  # ask for consent, degree and field
    PRACTICE = "practice"
    RATING = "rating"
    PAUSED = "paused"  # offer to go on
    FINISHED = "finished"  # show thanks and debrief
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Progress:
    """ "saved 4 of 10": votes in the database, practice left out, attention checks included."""

    saved: int
    total: int

    def __str__(self) -> str:
        return f"saved {self.saved} of {self.total}"


UNDO_SECONDS = 5.0
"""How long a vote may be undone, by the server's clock."""


@dataclass(frozen=True)
class Undoable:
    """The rater's last vote while it may still be undone."""

    ballot_token: str
    letter: str  # The formula chosen: "A" or "B"; "" for "cannot decide"
    seconds: float  # Left, 0 to `UNDO_SECONDS`


@dataclass(frozen=True)
class RatingVisit:
    stage: Stage
    # title, consent_text, contact, question: "" at `Stage.UNKNOWN`
    title: str = ""
    consent_text: str = ""
    contact: str = ""
    question: str = ""
    meaning: str = ""  # What the question means, in the organiser's words; "" if they say nothing
    # expected_minutes, ballots: what the consent page promises; attention checks are among the
    # ballots
    expected_minutes: int = 0
    ballots: int = 0
    practice: bool = False  # Whether a practice ballot comes first
    deadline: datetime | None = None  # UTC
    progress: Progress | None = None  # None before consent
    debrief: str = ""  # "" unless the rater has finished
    # True for an open link before consent: consent makes a new rater with a link of their own
    reusable: bool = False
    # Whether the organiser has written a label beside this personal link: it may identify
    labelled: bool = False
    undoable: Undoable | None = None  # Right after a vote
    # Whether the database's files may still hold what a withdrawal has just deleted
    traces: bool = False


@dataclass(frozen=True)
class Consent:
    """The token to go on with."""

    # Put it into the address: the same link opens the session on another device. For a personal
    # link it is the token that came in.
    token: str
    link: str  # The whole address, to show and copy
    visit: RatingVisit  # The state after consent


NARROW, WIDE = 600, 1024
"""CSS pixels: a window that is less wide is "narrow", as wide or wider "wide", else "medium"."""
PAGE = 3
"""Which page shows ballots now, as its script names it: 3 since width counts for what was seen."""
_REPORT = re.compile(
    r"ms=(\d{1,9});w=(\d{1,5});seen=([01?])(?:;plot=([01?]))?"
    rf"(?:;page=({PAGE}))?;by=(pointer|keys)",
    re.ASCII,
)


@dataclass(frozen=True)
class BrowserReport:
    """The browser's report of a press; bounded here, since anybody may send anything."""

    # From the first frame with both formulas to the press, while the page was visible
    seconds: float | None = None
    viewport: str = ""  # "narrow", "medium" or "wide"; "" if unknown
    # Whether both formulas had been wholly in view; None without an observer
    in_view: bool | None = None
    # Pressed with a mouse or a finger, not with keys or by assistive software
    pointer: bool = False
    # Whether the plot had been in view; None without an observer, and from pages of before
    plot_in_view: bool | None = None
    # That of the script: a browser keeps the one of page 2 while the server is updated
    page: int = PAGE

    @property
    def unseen(self) -> bool:
        """Whether a pointer pressed before formulas and plot had both been in view."""
        return self.pointer and (self.in_view is False or self.plot_in_view is False)

    @classmethod
    def read(cls, text: str) -> BrowserReport:
        """From the text of the page's script; `UNREPORTED` if it does not fit.

        >>> report = BrowserReport.read("ms=5600;w=390;seen=1;plot=0;by=pointer")
        >>> report.seconds, report.viewport, report.in_view, report.plot_in_view, report.unseen
        (5.6, 'narrow', True, False, True)
        >>> BrowserReport.read("ms=-1;w=390;seen=1;by=pointer") == UNREPORTED
        True
        """
        found = _REPORT.fullmatch(text)
        if found is None:
            return UNREPORTED
        width = int(found[2])
        return cls(
            seconds=int(found[1]) / 1000,
            viewport="narrow" if width < NARROW else "medium" if width < WIDE else "wide",
            in_view=_SEEN.get(found[3]),
            pointer=found[6] == "pointer",
            plot_in_view=_SEEN.get(found[4] or "?"),
            page=int(found[5] or 2),
        )


_SEEN = {"0": False, "1": True}
UNREPORTED = BrowserReport()


class VoteStatus(StrEnum):
    """The outcome of a vote or of its undoing; unless it is `SAVED` or `UNDONE`, this press changed
    nothing.
    """

    SAVED = "saved"
    ALREADY_SAVED = "already saved"  # this ballot has its vote, and that one stands
    STALE = "stale"  # no such ballot of this rater: another tab, a withdrawn session
    TOO_SOON = "too soon"  # the ballot had just come up, as with a held key: ask again
    UNSEEN = "unseen"  # pressed with a pointer before formulas and plot had been in view
    CLOSED = "closed"
    UNDONE = "undone"  # the vote no longer counts, and its ballot is the current one again
    TOO_LATE = "too late"  # to undo: the vote stands


@dataclass(frozen=True)
class NextBallot:
    """The next thing to show: `ballot` is None unless the stage is PRACTICE or RATING."""

    visit: RatingVisit
    ballot: Ballot | None = None


@dataclass(frozen=True)
class VoteOutcome:
    status: VoteStatus
    visit: RatingVisit  # The state now, progress included
    practised: bool = False  # Whether this was the vote on the practice ballot
    # What comes next, if it was asked for with the vote; after an undo, the ballot that is back
    following: NextBallot | None = None
