"""A study's settings: frozen, checked when made, hashed when the study is frozen."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from study.errors import DesignError
from study.model_plan import ModelPlan

DEFAULT_CONSENT = (
    "You will see pairs of formulas that describe the same data about equally well, and say which "
    "of the two you find more interpretable. There are no right or wrong answers. Taking part is "
    "voluntary. We store your degree and field as you declare them, your answers and the time "
    "they took. You may pause, and come back with the same link. "
    "You may withdraw at any time, and everything you gave us is deleted."
)
DEFAULT_QUESTION = "Which is more interpretable?"
DEFAULT_MEANING = (
    "Which formula tells you more easily how the quantity behaves? Neither length nor fit should "
    "decide."
)
DEFAULT_DEBRIEF = (
    "Thank you. The two formulas of each pair fitted their data about equally well and were about "
    "equally long; they differed in how much rounding noise their intermediate results amplify. "
    "The study asks whether people prefer the formulas that amplify less."
)
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})
MAX_ATTENTION_CHECKS = 3
DECLARED_ESTIMANDS = ("", "problems like these", "pairs like these", "these pairs")
SUBGROUPS = ("", "degree", "field", "degree and field")
FORMAT = 3
"""Of configurations that are frozen from now on; those of format 1 declare no analysis, those of
format 2 do not say what the question means."""
ANALYSIS = ("estimand", "confidence_level", "sidedness", "smallest_effect")
"""The settings that a configuration of format 1 does not have."""


class StudyStatus(StrEnum):
    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class ExclusionUnit(StrEnum):
    """What is dropped if it was too fast: a rater's whole session, or single votes."""

    SESSION = "session"
    VOTE = "vote"


class Sidedness(StrEnum):
    TWO_SIDED = "two-sided"
    ONE_SIDED = "one-sided"


class AttentionKind(StrEnum):
    """An instructed check says which formula to choose; in an obvious one, one misses its data."""

    INSTRUCTED = "instructed"
    OBVIOUS = "obvious"


def usual_minutes(ballots: int) -> int:
    """How long so many ballots take, with what is around them.

    >>> usual_minutes(10), usual_minutes(1)
    (15, 2)
    """
    return max(2, round(1.5 * ballots))


_MAY_BE_EMPTY = ("contact", "question_meaning", "giveaway_reason")


@dataclass(frozen=True)
class StudyDesign:
    """Everything about a study that an organiser decides, apart from its formulas.

    Raises `DesignError` if a value is out of range; its `field` names the attribute.

    >>> StudyDesign().ballots_per_rater
    10
    >>> StudyDesign(ballots_per_rater=0)
    Traceback (most recent call last):
        ...
    study.errors.DesignError: ballots per rater must be from 1 to 100, not 0
    """

    title: str = "Which formula is easier to interpret?"  # Shown to raters
    question: str = DEFAULT_QUESTION  # Shown above the two formulas of every ballot
    # What the question means: explained once, before the first ballot; "" explains nothing
    question_meaning: str = DEFAULT_MEANING
    ballots_per_rater: int = 10  # 1 to 100; attention checks and the practice ballot come on top
    # Votes wanted on each pair, 1 to 1000: what the live list counts towards
    votes_per_pair: int = 5
    # consent_text, debrief_text: shown before and after
    consent_text: str = DEFAULT_CONSENT
    debrief_text: str = DEFAULT_DEBRIEF
    expected_minutes: int = 15  # Said on the consent page, 1 to 240
    contact: str = ""  # Whom raters may write to; needed before freezing
    practice: bool = True  # Whether a practice ballot with feedback comes first
    attention_checks: int = 0  # 0 to 3, interleaved with the ballots
    attention_kind: AttentionKind = AttentionKind.INSTRUCTED
    max_failed_attention: int | None = None
    deadline: datetime | None = None  # Aware; no consent and no vote is taken from then on
    # What was done faster than this is left out of the analysis; 0 leaves nothing out
    exclusion_seconds: float = 60.0
    # Whether the threshold applies to the sum over a rater's session or to each vote
    exclusion_unit: ExclusionUnit = ExclusionUnit.SESSION
    allow_tie: bool = False  # Whether "cannot decide" is offered
    ask_reason: bool = True  # Whether a one-line reason may be given
    # Whether visitors may use the inspector (which shows EIC) while the study is open
    inspector_open_during_study: bool = False
    # How long a pair waits for a rater who has gone silent, 1 to 1440
    reservation_minutes: int = 30
    model_raters: ModelPlan | None = None  # The models to ask, if any are declared
    # What the result is about: "problems like these", "pairs like these" or "these pairs"; "": by
    # the number of problems, written down at freezing
    estimand: str = ""
    confidence_level: float = 0.95  # Level of the intervals, 0.5 to 0.999
    # Sidedness of the test of "no preference", at 1 less the confidence level
    sidedness: Sidedness = Sidedness.TWO_SIDED
    # The smallest difference from one half that would matter, 0.01 to 0.45 of the votes
    smallest_effect: float = 0.05
    # The groups of raters whose rate is reported beside that of all: "degree", "field", "degree and
    # field", or "" for none
    subgroups: str = ""
    # Why pairs are taken as they are although what raters see tells the lower EIC; "": it does not
    giveaway_reason: str = ""
    # Where raters reach the app. The only setting that may change after freezing.
    public_base_url: str = "http://localhost:8501"

    def __post_init__(self) -> None:
        for field, low, high in (
            ("ballots_per_rater", 1, 100),
            ("votes_per_pair", 1, 1000),
            ("expected_minutes", 1, 240),
            ("attention_checks", 0, MAX_ATTENTION_CHECKS),
            ("exclusion_seconds", 0, 86_400),
            ("reservation_minutes", 1, 1440),
            ("confidence_level", 0.5, 0.999),
            ("smallest_effect", 0.01, 0.45),
        ):
            value = getattr(self, field)
            if not low <= value <= high:
                words = field.replace("_", " ")
                raise DesignError(f"{words} must be from {low} to {high}, not {value}", field=field)
        if self.estimand not in DECLARED_ESTIMANDS:
            raise DesignError(
                f"an estimand is {', '.join(f'`{name}`' for name in DECLARED_ESTIMANDS[1:])}, "
                f"not `{self.estimand}`",
                field="estimand",
            )
        if self.subgroups not in SUBGROUPS:
            raise DesignError(
                f"subgroups are by {', '.join(f'`{name}`' for name in SUBGROUPS[1:])} or none, "
                f"not by `{self.subgroups}`",
                field="subgroups",
            )
        failed = self.max_failed_attention
        if failed is not None and not 0 <= failed <= MAX_ATTENTION_CHECKS:
            raise DesignError(
                f"failed attention checks allowed must be from 0 to {MAX_ATTENTION_CHECKS}",
                field="max_failed_attention",
            )
        for field, limit in (
            ("title", 200),
            ("question", 200),
            ("question_meaning", 500),
            ("consent_text", 10_000),
            ("debrief_text", 10_000),
            ("contact", 200),
            ("giveaway_reason", 500),
        ):
            text = getattr(self, field)
            words = field.replace("_", " ")
            if not text.strip() and field not in _MAY_BE_EMPTY:
                raise DesignError(f"the {words} is empty", field=field)
            if len(text) > limit:
                raise DesignError(f"the {words} has more than {limit} characters", field=field)
        if self.deadline is not None and self.deadline.tzinfo is None:
            raise DesignError("the deadline has no time zone", field="deadline", hint="use UTC")
        check_base_url(self.public_base_url)

    @property
    def is_local(self) -> bool:
        return (urlsplit(self.public_base_url).hostname or "") in LOCAL_HOSTS

    def to_json(self) -> dict[str, Any]:
        values = dataclasses.asdict(self)
        values["attention_kind"] = str(self.attention_kind)
        values["exclusion_unit"] = str(self.exclusion_unit)
        values["sidedness"] = str(self.sidedness)
        if self.deadline is not None:
            values["deadline"] = self.deadline.astimezone(UTC).isoformat()
        values["model_raters"] = self.model_raters and self.model_raters.to_json()
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> StudyDesign:
        """The inverse of `to_json`; unknown keys are refused.

        >>> design = StudyDesign(contact="study@example.org")
        >>> StudyDesign.from_json(design.to_json()) == design
        True
        """
        names = {field.name for field in dataclasses.fields(cls)}
        for key in values:
            if key not in names:
                raise DesignError(f"there is no setting `{key}`", field=key)
        settings = dict(values)
        if settings.get("deadline") is not None:
            settings["deadline"] = datetime.fromisoformat(settings["deadline"])
        if "attention_kind" in settings:
            settings["attention_kind"] = AttentionKind(settings["attention_kind"])
        if "exclusion_unit" in settings:
            settings["exclusion_unit"] = ExclusionUnit(settings["exclusion_unit"])
        if settings.get("model_raters") is not None:
            settings["model_raters"] = ModelPlan.from_json(settings["model_raters"])
        if "sidedness" in settings:
            settings["sidedness"] = Sidedness(settings["sidedness"])
        return cls(**settings)

    def inference_json(self, format: int = FORMAT) -> dict[str, Any]:
        """The settings that are frozen: all but the app's address and undeclared extras."""
        values = self.to_json()
        del values["public_base_url"]
        # Left out, not None: studies frozen before these settings existed keep their hash.
        if self.model_raters is None:
            del values["model_raters"]
        for name in ("subgroups", "giveaway_reason"):
            if not values[name]:
                del values[name]
        for name in ANALYSIS if format < 2 else ():
            del values[name]
        if format < 3:
            del values["question_meaning"]
        return values


def check_base_url(url: str) -> None:
    """Raise `DesignError` unless `url` is an absolute http(s) address without query.

    >>> check_base_url("https://study.example.org/eic")
    """
    try:
        parts = urlsplit(url)
        # Reading it raises on a port that is no number.
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise DesignError(
            f"`{url}` is no address that a link can start with",
            field="public_base_url",
            hint="write something like https://study.example.org",
        )


def canonical_json(value: Any) -> str:
    """One text for one value: sorted keys, no spaces, no NaN; a dataclass is its fields.

    >>> canonical_json({"b": 1, "a": [1.5, "é"]})
    '{"a":[1.5,"é"],"b":1}'
    """
    return json.dumps(
        value,
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
        allow_nan=False,
        default=vars,
    )


def frozen_hash(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
