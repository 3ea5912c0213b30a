"""The volunteer's pages' own sentences, for lay readers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from study.errors import BusyError, StorageError, StudyError
from study.rating_types import Axis, Ballot, RatingVisit, Stage

PAGE_TITLE = "Formula study"

R2 = (
    "How well the formula fits the data. 1 is a perfect fit; 0 is no better than always "
    "answering with the average."
)
COMPLEXITY = (
    "How many numbers, variables and operations the formula had when it was found. Signs and "
    "printed zeros that say nothing are not shown."
)

KEEP_LINK = (
    "This is your personal link. Keep it: it takes you back to where you stopped, also on "
    "another device. Do not share it, because whoever has it can answer in your place."
)
OPEN_LINK = (
    "Already started? Then open the personal link that you were given, instead of starting again."
)

_BESIDES = (
    "We also note whether your window is narrow or wide. Your browser keeps a cookie for 90 days, "
    "so that it can bring you back here."
)
LABELLED = (
    "Whose link this is: the organiser has written a note beside it, such as a name or an address, "
    "and can tell from it who you are. It stands in no export and no report, and is deleted with "
    f"everything else if you withdraw. {_BESIDES}"
)
UNLABELLED = f"Nothing that is stored with your answers says who you are. {_BESIDES}"
KNOWN_HERE = (
    "Somebody has begun with this link in this browser. If that was you, go on where you stopped. "
    "If not, start for yourself: you will see nothing of each other's answers."
)
TOO_SOON = (
    "That came very quickly, perhaps from a key held down or a double click, so it was not "
    "saved. Please look at the two formulas, then choose."
)
UNSEEN = "Please look at both formulas and at the plot first, all of each; then choose."
UNSEEN_WHAT = "You have not seen all of {what}. The page has moved there: please look, then choose."
SIDEWAYS = "It goes on sideways: please move it from end to end."
ALREADY_SAVED = (
    "The ballot you answered had its answer already, perhaps from another tab or device. The "
    "first answer stands. This is your current ballot."
)
STALE = (
    "The ballot you answered is not open any more, perhaps because of another tab or device. "
    "This is your current ballot."
)
LOST = "Your last answer did not reach us, so it was not saved. Please choose again."
UNDONE = "Your last answer is taken back. Please choose again."
TOO_LATE = "An answer can be taken back for five seconds. That time was over, so it stands."
OFFLINE = "There is no connection just now. The answers counted as saved are safe."
WAITING = (
    "There is no connection just now. Your answer waits on this page and is sent by itself once "
    "the connection is back: please keep the page open."
)
UNSENT = "There is no connection just now, so nothing was sent. Please try again."
BUSY_VOTE = "The server is very busy, and your answer was not saved. Please choose again."
BUSY_PAGE = "The server is very busy. Nothing is lost: please try again in a moment."
NOT_SAVED = "Your answer could not be saved. Please choose again."
FAULT_VOTE = (
    "Our server cannot save answers just now, so this one was not saved; those counted as saved "
    "are safe. Please keep this page open, and choose again in some minutes."
)
FAULT_PAGE = (
    "Our server cannot reach the answers just now. Those counted as saved are safe: please try "
    "again in some minutes, with the same link."
)

ASK_DEGREE = "Please choose one."
ASK_FIELD = "Please write one or two words, for instance Biology or Teaching."
LONG_FIELD = "Please keep this to 80 characters."

PRACTICE = "Practice: this one does not count. It shows you what the page looks like."
PRACTISED: Mapping[str, str] = {
    "left": "You chose formula A.",
    "right": "You chose formula B.",
    "tie": "You could not decide, and that is an answer, too.",
}
AFTER_PRACTICE = (
    "There is no right answer: both formulas draw the same line. R² says how well a formula fits "
    "the data (1 is perfect), complexity how many numbers, variables and operations it had when it "
    "was found."
)
DECIDES = "What should decide your answer?"
OTHER_MEANINGS: Mapping[str, str] = {
    "fit": "Which formula fits the dots better?",
    "length": "Which formula is shorter?",
}
WRONG_MEANING: Mapping[str, str] = {
    "fit": "Not the fit: R² has measured that already.",
    "length": "Not the length: complexity has counted that already.",
}
RIGHT_MEANING = "Yes, that is what we ask. From now on your answers count."

PAUSED = (
    "Your answers are saved, and the clock stands still. Go on whenever you like: here, or with "
    "your personal link on any device. The address of this page is your link."
)


def first_sentence(text: str) -> str:
    """What a text begins with, up to its first full stop or question mark.

    >>> first_sentence("Which would you rather explain? Length should not decide.")
    'Which would you rather explain?'
    """
    return re.split(r"(?<=[.?!])\s", text.strip(), maxsplit=1)[0]


def wait_text(error: StudyError) -> str:
    fault = isinstance(error, StorageError) and not isinstance(error, BusyError)
    return FAULT_PAGE if fault else BUSY_PAGE


def _own_answers_sentence(visit: RatingVisit) -> str:
    """What became of the visitor's own answers."""
    if visit.progress is None or not visit.progress.saved:
        return ""
    if visit.progress.saved == 1:
        return "The answer that you gave is saved."
    return f"The {visit.progress.saved} answers that you gave are saved."


def withdrawal_texts(visit: RatingVisit) -> tuple[str, ...]:
    saved = visit.progress.saved if visit.progress else 0
    return (
        f"Everything that you gave us will be deleted: your answers ({saved} so far), your "
        "degree and your field. This cannot be undone, and your link will stop working.",
        "If you only want a break, choose “Keep my answers”, and then Pause.",
    )


def _contact_person(visit: RatingVisit) -> str:
    return visit.contact or "the person who sent you the link"


def ending_text(visit: RatingVisit) -> tuple[str, tuple[str, ...]]:
    """Title and paragraphs of a page without a form: at any stage but those of consent and ballots.

    >>> ending_text(RatingVisit(Stage.FULL, contact="study@example.org"))[0]
    'All places are taken'
    """
    whom, mine = _contact_person(visit), _own_answers_sentence(visit)
    if visit.stage == Stage.REVOKED:
        return "This link has been taken back", (
            "The organiser of the study has switched this link off, so it takes no answers.",
            mine,
            f"If you think that this is a mistake, please write to {whom}.",
        )
    if visit.stage == Stage.FULL:
        return "All places are taken", (
            "As many people as were wanted have taken part through this link. Thank you for "
            "your interest.",
            "If you have started already, open the personal link that you were given then.",
            f"Questions? Please write to {whom}.",
        )
    if visit.stage == Stage.ENDING:
        return "Nobody new can take part", (
            "The study comes to its end and takes in no more people. Thank you for your interest.",
            "If you have started already, you may finish: open the personal link that you were "
            "given then.",
            f"Questions? Please write to {whom}.",
        )
    if visit.stage == Stage.CLOSED:
        return "This study is closed", (
            "It takes no answers any more.",
            f"{mine} Thank you." if mine else "",
            f"Questions? Please write to {whom}.",
        )
    if visit.stage == Stage.WITHDRAWN:
        deleted = "Your answers, your degree and your field have been deleted."
        pending = (
            "Your answers, your degree and your field have been taken out of the study. The "
            "database's files may still hold a trace of them, which our server overwrites by "
            "itself as soon as it can."
        )
        return "You have withdrawn", (
            pending if visit.traces else deleted,
            "Nothing more is needed from you, and you may close this page.",
            f"Questions? Please write to {whom}.",
        )
    if visit.stage == Stage.FINISHED:
        return "Thank you!", (mine, "You have done all your ballots, and may close this page.")
    return "This link does not work", (
        "We do not know this link. Perhaps a part of it got lost on the way: please open it "
        "again from the message that you received, or copy the whole of it.",
        "If you withdrew from the study, your link was deleted with everything else; if you asked "
        "for a new link, the old one no longer works.",
        "If it still does not work, please ask the person who sent it to you for a new one.",
    )


NO_LINK = (
    "This page needs your link",
    (
        "Each volunteer has a personal link. Please open the one in your invitation.",
        "If you have none, please ask the person who told you about the study.",
    ),
)

NOTES: Mapping[str, str] = {
    "too-soon": TOO_SOON,
    "unseen": UNSEEN,
    "already-saved": ALREADY_SAVED,
    "stale": STALE,
    "undone": UNDONE,
    "too-late": TOO_LATE,
    "busy": BUSY_VOTE,
    "fault": FAULT_VOTE,
    "not-saved": NOT_SAVED,
    "wait": BUSY_PAGE,
    "wait-fault": FAULT_PAGE,
}
"""Sentences by their word in an address."""


def failure_note(error: StudyError, *, vote: bool) -> str:
    """The word for what went wrong.

    >>> failure_note(BusyError(), vote=True), failure_note(StorageError(""), vote=False)
    ('busy', 'wait-fault')
    """
    if isinstance(error, StorageError) and not isinstance(error, BusyError):
        return "fault" if vote else "wait-fault"
    if vote:
        return "busy" if isinstance(error, BusyError) else "not-saved"
    return "wait"


UNITS: Mapping[str, str] = {
    "s": "seconds",
    "sec": "seconds",
    "ms": "milliseconds",
    "min": "minutes",
    "h": "hours",
    "d": "days",
    "a": "years",
    "yr": "years",
    "m": "metres",
    "mm": "millimetres",
    "cm": "centimetres",
    "dm": "decimetres",
    "km": "kilometres",
    "g": "grams",
    "kg": "kilograms",
    "t": "tonnes",
    "l": "litres",
    "L": "litres",
    "ml": "millilitres",
    "m/s": "metres a second",
    "km/h": "kilometres an hour",
    "m²": "square metres",
    "m^2": "square metres",
    "m³": "cubic metres",
    "m^3": "cubic metres",
    "K": "kelvin",
    "°C": "degrees Celsius",
    "C": "degrees Celsius",
    "°F": "degrees Fahrenheit",
    "°": "degrees",
    "rad": "radians",
    "%": "percent",
    "N": "newtons",
    "J": "joules",
    "W": "watts",
    "V": "volts",
    "A": "amperes",
    "Pa": "pascals",
    "Hz": "hertz",
}
"""Units as people say them; another is shown as it is written."""


def axis_note(axis: Axis) -> str:
    """What a letter means, with its unit in words; "" if nothing is known.

    >>> axis_note(Axis("h", "cm", "height of the ball", 0, 1)), axis_note(Axis("n", "", "", 0, 1))
    ('height of the ball, in centimetres', '')
    >>> axis_note(Axis("m", "1 to 12", "month of the year", 1, 12))
    'month of the year, 1 to 12'
    """
    unit = axis.unit
    if unit and not unit[0].isdigit():
        unit = f"in {UNITS.get(unit, unit)}"
    return ", ".join(filter(None, (axis.meaning, unit)))


def _called(axis: Axis) -> str:
    return axis.meaning or axis.written


def dots_text(ballot: Ballot) -> str:
    """The number of dots, as in "12 of 1,500 measurements"."""
    of = f" of {ballot.rows:,}" if ballot.rows > ballot.points else ""
    return f"{ballot.points:,}{of} measurements"


_WIDE = "a pale band shows how far up and down"
_BANDS: Mapping[str, str] = {
    **{
        each: f" Where formula {each} swings faster than can be drawn, {_WIDE} it goes."
        for each in "AB"
    },
    "AB": f" Where a formula swings faster than can be drawn, {_WIDE} it goes.",
}


def plot_caption(ballot: Ballot) -> str:
    """The plot in a sentence for everyone."""
    dots, target = dots_text(ballot), _called(ballot.target)
    if ballot.kind == "curve":
        across = _called(ballot.inputs[0])
        return (
            f"The dots are {dots}: {target}, over {across}. Each line is one formula; "
            f"where both are the same, B hides A.{_BANDS.get(ballot.plot.bands, '')}"
        )
    return (
        f"Each map shows in colour what one formula gives: {target}. Both use the same colours. "
        f"The dots are {dots} in those colours: where a dot blends in, the formula agrees with it."
    )


def behaviour_texts(ballot: Ballot) -> tuple[str, ...]:
    """What each curve or map does, for those who do not see the plot."""
    return tuple(
        f"Formula {letter} {view.behaviour}."
        for letter, view in (("A", ballot.left), ("B", ballot.right))
        if view.behaviour
    )


def r2_text(r2: float) -> str:
    """R² to three decimals.

    >>> r2_text(-0.25)
    '−0.250'
    """
    return f"{r2:.3f}".replace("-", "−")
