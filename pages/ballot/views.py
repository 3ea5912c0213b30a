"""Where a link stands, as the inside of a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC
from functools import lru_cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, FileSystemLoader

from pages.ballot import words
from pages.ballot.parts import Part
from pages.ui.kit.text import clean
from study.rating_types import (
    DEGREES,
    MAX_FIELD,
    MAX_REASON,
    Ballot,
    NextBallot,
    RatingVisit,
    Stage,
)

_FOLDER = Path(__file__).parent
UNDERWAY = (Stage.PRACTICE, Stage.RATING)
# Pages of a link that an address asks for; without one of these words it shows what is due.
WELCOME, PRACTISED, WITHDRAW, ANEW = "welcome", "practised", "withdraw", "anew"
BEGIN = "begin"  # With the first ballot that counts: what was asked after the practice is answered


def _finalize(value: Any) -> Any:
    """Texts without control characters; shapes are our own."""
    return clean(value, 10_000) if type(value) is str else value


def _templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_FOLDER / "templates"),
        autoescape=True,
        auto_reload=False,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"words": words, "longest_reason": MAX_REASON, "zip": zip}
    return made


_TEMPLATES = _templates()
_DOCUMENT: Any = _TEMPLATES.get_template("document.html").module
_STAGES: Any = _TEMPLATES.get_template("stages.html").module
_BALLOT: Any = _TEMPLATES.get_template("ballot.html").module


@dataclass(frozen=True)
class Asset:
    """The style sheet or the script, under an address that changes with it."""

    address: str
    part: Part
    kind: str

    @classmethod
    def of(cls, name: str, kind: str) -> Asset:
        text = (_FOLDER / name).read_text(encoding="utf-8")
        suffix = name.rpartition(".")[2]
        digest = sha256(text.encode()).hexdigest()[:16]
        return cls(f"/rate/static/{digest}.{suffix}", Part.of(text, 9), kind)


STYLE = Asset.of("ballot.css", "text/css; charset=utf-8")
SCRIPT = Asset.of("ballot.js", "text/javascript; charset=utf-8")

_ICON = "data:image/svg+xml," + quote(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#3f7be0" '
    'stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
    '<rect x="3" y="3" width="18" height="18" rx="2"/><path d="m6 8 1.3 1.3L9.6 7M13 8h5"/>'
    '<rect x="6" y="14" width="3.2" height="3.2" rx=".6"/><path d="M13 15.6h5"/></svg>'
)
_TOP = Part.of(_DOCUMENT.top(STYLE.address, _ICON), 9)
_BOTTOM = Part.of(_DOCUMENT.bottom(SCRIPT.address), 9)
_STILL_BOTTOM = Part.of(_DOCUMENT.bottom(""), 9)


@dataclass(frozen=True)
class Screen:
    """A page: the parts of its ``<main>``, and the address that shows it again."""

    stage: str
    parts: tuple[Part, ...]
    token: str = ""
    at: Mapping[str, str] | None = None
    still: bool = False  # Shown to look at: no script

    @property
    def address(self) -> str:
        return rate_address(self.token, **(self.at or {}))

    def main(self) -> tuple[Part, ...]:
        head = f'<main data-stage="{self.stage}" data-address="{escape(self.address)}">'
        return Part.of(head), *self.parts, Part.of("</main>")

    def document(self) -> tuple[Part, ...]:
        return _TOP, *self.main(), _STILL_BOTTOM if self.still else _BOTTOM


def rate_address(token: str, **query: str) -> str:
    """The address of a link's page.

    >>> rate_address("abc", at="welcome", note="")
    '/rate?t=abc&at=welcome'
    """
    given = {"t": token, **query}
    return "/rate?" + urlencode({name: value for name, value in given.items() if value})


def _screen(stage: str, text: str, token: str, **at: str) -> Screen:
    return Screen(stage, (Part.of(text),), token, at)


@dataclass(frozen=True)
class PageQuery:
    """What an address asks for."""

    token: str
    at: str = ""
    note: str = ""
    chosen: str = ""  # In the practice ballot
    meant: str = ""  # The answer to what should decide

    @property
    def gives(self) -> bool:
        """Whether a ballot may be given out: a page between two ballots starts no clock."""
        return self.at not in (WELCOME, PRACTISED, WITHDRAW)

    @property
    def notice(self) -> str:
        return words.NOTES.get(self.note, "")


def ballot_screen(ballot: Ballot, visit: RatingVisit, token: str, note: str = "") -> Screen:
    parts = (
        Part.of(_BALLOT.top(ballot, visit, token)),
        _content(replace(ballot, token="", number=0, of=0)),
        Part.of(_BALLOT.answer(ballot, token, note, False)),
    )
    return Screen(str(visit.stage), parts, token)


def preview_screen(ballot: Ballot) -> Screen:
    """A ballot to look at, for organisers: its buttons do nothing."""
    parts = (
        Part.of(_BALLOT.preview_top(ballot)),
        _content(replace(ballot, token="", number=0, of=0)),
        Part.of(_BALLOT.answer(ballot, "", "", True)),
    )
    return Screen("preview", parts, still=True)


@lru_cache(maxsize=500)
def _content(ballot: Ballot) -> Part:
    """What all raters see alike, by content and side: most of the bytes of a page."""
    return Part.of(_BALLOT.content(ballot), 9)


def prepare(ballot: Ballot) -> None:
    """Compress a ballot before somebody waits for it."""
    _content(replace(ballot, token="", number=0, of=0))


def stage_screen(query: PageQuery, step: NextBallot) -> Screen | None:
    """The page of a link; None where a consent or the question who is there comes first."""
    visit, token = step.visit, query.token
    underway = visit.stage in UNDERWAY
    if query.at == WITHDRAW and visit.progress is not None:
        text = _STAGES.withdrawal(visit, token, query.notice)
        return _screen("withdrawal", text, token, at=WITHDRAW)
    if query.at == PRACTISED and visit.stage == Stage.RATING:
        text = _STAGES.practised(visit, token, query.chosen, query.meant)
        at = {"at": PRACTISED, "chosen": query.chosen, "meant": query.meant}
        return _screen("practised", text, token, **at)
    if underway and step.ballot is not None:
        return ballot_screen(step.ballot, visit, token, query.notice)
    if visit.stage == Stage.CONSENT:
        return None
    if visit.stage == Stage.PAUSED:
        return _screen("paused", _STAGES.paused(visit, token, query.notice), token)
    if visit.stage == Stage.UNKNOWN and query.note == "withdrawn":
        visit = replace(visit, stage=Stage.WITHDRAWN)
    return ending_screen(visit, token, query.notice)


def ending_screen(visit: RatingVisit, token: str, note: str = "") -> Screen:
    return _screen(str(visit.stage), _STAGES.ending(visit, token, note), token)


def welcome_screen(visit: RatingVisit, token: str, link: str) -> Screen:
    return _screen("welcome", _STAGES.welcome(visit, token, link), token, at=WELCOME)


def known_screen(visit: RatingVisit, token: str, rater: str) -> Screen:
    return _screen("known", _STAGES.known(visit, token, rater), token)


def message_screen(title: str, texts: tuple[str, ...], token: str, *, retry: bool) -> Screen:
    return _screen("message", _STAGES.message(title, texts, token, retry), token)


def consent_screen(
    visit: RatingVisit,
    query: PageQuery,
    request_id: str,
    *,
    degree: str = "",
    field: str = "",
    errors: Mapping[str, str] | None = None,
) -> Screen:
    whose = words.LABELLED if visit.labelled else words.UNLABELLED
    text = _STAGES.consent(
        visit,
        query.token,
        query.notice,
        _facts(visit),
        whose,
        request_id,
        DEGREES,
        MAX_FIELD,
        degree,
        field,
        errors or {},
    )
    return _screen("consent", text, query.token, at=ANEW if query.at == ANEW else "")


def _facts(visit: RatingVisit) -> list[tuple[str, str]]:
    facts = [
        ("Time", f"about {visit.expected_minutes} minutes"),
        ("What you do", f"{visit.ballots} times, look at two formulas and choose one"),
    ]
    if visit.deadline is not None:
        until = visit.deadline.astimezone(UTC)
        facts.append(("Open until", f"{until:%d %B %Y, %H:%M} UTC".lstrip("0")))
    if visit.contact:
        facts.append(("Contact", visit.contact))
    return facts
