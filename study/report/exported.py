"""An exported study: a folder that holds all that a report reads, how it is written and read. The
report, not the export, computes from the frozen rule which votes count.

- ``study.json``: names, dates, hash, rules, exclusion rule, pairs, rater counts, looks at the
  results while the study was open, commitments to the votes, the whole frozen configuration
- ``votes.csv``: a row for each vote cast, practice and attention ballots and undone votes included
- ``model_answers.csv``: a row for each answer of a model; only where models were asked
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast, get_type_hints

from eic_core import wording
from eic_core.errors import DataError
from eic_core.exports import Plain, csv_text, json_number, json_text, safe_cell
from study.design import frozen_hash
from study.model_plan import SETTINGS, ModelPlan, why_undeclared
from study.report.exported_models import (
    ANSWERS_FILE,
    ExportedAnswer,
    ExportedRun,
    answers_csv,
    check_models,
    read_answers,
    read_rows,
    runs_json,
)
from study.sealing import CastVote, Seal, chain_of, undo_commitment
from study.statistics.exclusions import ExclusionRule, session_seconds

FORMAT = 3
"""What is written; 1, without seals, and 2, without undone votes, are read as well."""
STUDY_FILE, VOTES_FILE = "study.json", "votes.csv"

Choice = Literal["lower", "higher", "tie"]
Side = Literal["left", "right"]


@dataclass(frozen=True)
class ExportedPair:
    # pair, problem: ids; `pair` is unique in the study
    pair: str
    problem: str
    # lower_formula, higher_formula: as the pool has them: of lower and of higher EIC
    lower_formula: str
    higher_formula: str
    lower_eic: float
    higher_eic: float
    lower_r2: float
    higher_r2: float
    lower_complexity: int
    higher_complexity: int
    same_function: bool = False  # The two are one function up to rounding on the problem's data
    loss: float = float("nan")  # L of the matching; nan if unknown
    # Share of draws of the problem's rows in which the gap in EIC is still there; None if it is not
    # known, as in exports of before
    gap_share: float | None = None
    # The gap without the row that carries most of the higher formula's loss
    gap_without_worst_row: float | None = None


@dataclass(frozen=True)
class ExportedVote:
    """One vote as it was cast. The field names are the columns of ``votes.csv``."""

    vote: str  # Unique id
    rater: str  # Pseudonym; one rater is one rating session
    # pair, problem: of the study's pairs; "" at a practice ballot or an attention check that shows
    # no pair of the study
    pair: str
    problem: str
    # "lower", "higher" or "tie": the formula called more interpretable, by its EIC; "tie": cannot
    # decide
    choice: Choice
    # "left" or "right": where the formula of lower EIC was shown: left is A, right is B
    lower_side: Side
    position: int  # 1 is the first ballot of the session; 0 the practice ballot
    # shown_at, voted_at: server stamps in UTC; a refresh does not reset `shown_at`
    shown_at: datetime
    voted_at: datetime
    # seconds, idle_seconds: from shown to vote, and the part of it in which the rater was away
    seconds: float
    idle_seconds: float = 0.0
    # Active seconds (without idle time) of the rater's whole session, practice left out:
    # `study.statistics.exclusions.session_seconds`
    session_seconds: float = 0.0
    is_practice: bool = False
    is_attention: bool = False
    attention_ok: bool | None = None  # Whether the attention check was passed; None elsewhere
    # degree, field, reason: as the rater wrote them
    degree: str = ""
    field: str = ""
    reason: str = ""
    # From paint to press by the rater's own clock, while the page was visible; None if the browser
    # did not tell. Rules and statistics use it where it exists.
    rater_seconds: float | None = None
    # How wide the window was: "narrow" (under 600 CSS pixels), "medium", "wide" (1024 or more); ""
    # if unknown
    viewport: str = ""
    # in_view, plot_in_view: whether both formulas, and the plot, had been wholly in view before the
    # press; None if unknown
    in_view: bool | None = None
    plot_in_view: bool | None = None
    page: int | None = None  # Which page showed the ballot: 2 or 3; None: the one of before
    undone_at: datetime | None = None  # When the rater undid the vote: it counts nowhere

    def __post_init__(self) -> None:
        if self.choice not in ("lower", "higher", "tie"):
            raise DataError(f"a choice is lower, higher or tie, not `{self.choice}`")
        if self.lower_side not in ("left", "right"):
            raise DataError(f"a side is left or right, not `{self.lower_side}`")
        if self.viewport not in ("", *VIEWPORTS):
            raise DataError(f"a viewport is narrow, medium or wide, not `{self.viewport}`")
        for stamp in (self.shown_at, self.voted_at, self.undone_at):
            if stamp is not None and stamp.tzinfo is None:
                raise DataError(f"the time {stamp.isoformat()} has no time zone")

    @property
    def on_a_pair(self) -> bool:
        """Whether this is a vote on a pair: no practice ballot, no attention check."""
        return not (self.is_practice or self.is_attention)

    @property
    def chose_left(self) -> bool | None:
        """None of a tie."""
        return (
            None
            if self.choice == "tie"
            else (self.choice == "lower") == (self.lower_side == "left")
        )


VOTE_COLUMNS = tuple(f.name for f in fields(ExportedVote))
ADDED_COLUMNS = ("rater_seconds", "viewport", "in_view", "plot_in_view", "page", "undone_at")
"""Those that exports of before do not have."""
VIEWPORTS = ("narrow", "medium", "wide")


@dataclass(frozen=True)
class RaterCounts:
    """How many people got how far, withdrawn ones (whose votes are deleted) included."""

    invited: int = 0  # A personal link invites one person, an open link those who came through it
    consented: int = 0
    finished: int = 0
    withdrawn: int = 0
    # How many of those invited came through an open link: nobody knows how many saw it. None in
    # exports from before this was counted.
    through_open_links: int | None = None


@dataclass(frozen=True)
class Unblinding(Plain):
    at: datetime  # UTC
    votes_then: int  # Votes on pairs that had been cast by then

    _JSON = (("at", lambda look: utc_text(look.at)), "votes_then")

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise DataError(f"the time {self.at.isoformat()} has no time zone")
        if self.votes_then < 0:
            raise DataError("a number of votes cannot be negative")


@dataclass(frozen=True)
class StudyExport:
    """A frozen study with its votes. Raises `DataError` if an id appears twice, or a vote is on no
    pair of the study or of another problem.

    Here alone votes that were undone part from those that stand: whatever is computed takes
    `votes`.
    """

    # study, title: id and display name
    study: str
    title: str
    hash: str  # Hash of the frozen configuration, hex
    pairs: tuple[ExportedPair, ...]  # Those that raters could get
    votes: tuple[ExportedVote, ...]  # Those that stand, in the order cast
    # frozen_at, closed_at, exported_at: UTC
    frozen_at: datetime | None = None
    closed_at: datetime | None = None
    exported_at: datetime | None = None
    # ballots_per_rater, votes_per_pair: as frozen; practice and attention checks not counted
    ballots_per_rater: int = 10
    votes_per_pair: int = 0
    tie_allowed: bool = False  # Whether "cannot decide" was offered
    exclusion: ExclusionRule = field(default_factory=ExclusionRule)
    # The frozen `MatchingRules` as plain values
    rules: Mapping[str, Any] = field(default_factory=dict)
    raters: RaterCounts = field(default_factory=RaterCounts)
    # The whole frozen configuration, JSON values; kept as it is
    configuration: Mapping[str, Any] = field(default_factory=dict)
    # Looks at the results before the study was closed, in order of time
    unblindings: tuple[Unblinding, ...] = ()
    model_runs: tuple[ExportedRun, ...] = ()  # Models that were asked
    model_answers: tuple[ExportedAnswer, ...] = ()
    # Commitments to the votes and to each undoing, in that order; those of withdrawn raters are
    # empty
    seals: tuple[Seal, ...] = ()
    undone: tuple[ExportedVote, ...] = ()  # Votes that their raters undid, in the order cast

    @property
    def every_vote(self) -> tuple[ExportedVote, ...]:
        """As they were cast: the rows of ``votes.csv``."""
        return tuple(heapq.merge(self.votes, self.undone, key=lambda vote: vote.voted_at))

    @property
    def checkable(self) -> bool:
        """Whether there is a frozen configuration to hold the export against."""
        return "format" in self.configuration

    @property
    def chain(self) -> str:
        return chain_of(self.hash, self.seals) if self.seals else ""

    def __post_init__(self) -> None:
        known = [pair.pair for pair in self.pairs]
        _unique("pair", known)
        _unique("vote", [vote.vote for vote in self.every_vote])
        problems = {pair.pair: pair.problem for pair in self.pairs}
        check_models(self.model_runs, self.model_answers, problems)
        for vote in self.votes:
            if vote.undone_at is not None:
                raise DataError(f"vote `{vote.vote}` was undone and is counted")
        seen: set[tuple[str, str]] = set()
        for vote in self.every_vote:
            if not vote.on_a_pair:
                continue
            if vote.pair not in problems:
                raise DataError(f"vote `{vote.vote}` is on `{vote.pair}`, no pair of the study")
            if vote.problem != problems[vote.pair]:
                raise DataError(
                    f"vote `{vote.vote}` says problem `{vote.problem}`, but its pair "
                    f"`{vote.pair}` is of `{problems[vote.pair]}`"
                )
            if vote.undone_at is not None:
                continue
            if (vote.rater, vote.pair) in seen:
                raise DataError(f"rater `{vote.rater}` has two votes on pair `{vote.pair}`")
            seen.add((vote.rater, vote.pair))


def _unique(what: str, ids: list[str]) -> None:
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise DataError(f"{what} `{each}` appears twice")
        seen.add(each)


def utc_text(stamp: datetime | None) -> str | None:
    """A time as ISO 8601 in UTC, ending in Z; None stays None.

    >>> utc_text(datetime(2025, 3, 1, 12, tzinfo=UTC))
    '2025-03-01T12:00:00.000000Z'
    """
    if stamp is None:
        return None
    text = stamp.astimezone(UTC).isoformat(timespec="microseconds")
    return text.replace("+00:00", "Z")


_STAMPS = ("frozen_at", "closed_at", "exported_at")
_PLAIN = ("study", "title", "hash", "ballots_per_rater", "votes_per_pair", "tie_allowed")


def write_export(folder: Path, export: StudyExport) -> None:
    """Write ``study.json``, ``votes.csv`` and, where models were asked, ``model_answers.csv`` into
    a folder, made if it is missing. Raises `DataError` if the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STUDY_FILE).write_text(study_text(export), encoding="utf-8")
        with (folder / VOTES_FILE).open("w", encoding="utf-8", newline="") as file:
            file.write(votes_csv(export.every_vote))
        if export.model_runs:
            with (folder / ANSWERS_FILE).open("w", encoding="utf-8", newline="") as file:
                file.write(answers_csv(export.model_answers, cell_text))
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror}") from error


def study_text(export: StudyExport) -> str:
    document: dict[str, Any] = {"format": FORMAT}
    document |= {name: getattr(export, name) for name in _PLAIN}
    document |= {name: utc_text(getattr(export, name)) for name in _STAMPS}
    document["exclusion"] = export.exclusion.to_json()
    document["rules"] = dict(export.rules)
    document["raters"] = asdict(export.raters)
    document["pairs"] = [_numbers_out(asdict(pair)) for pair in export.pairs]
    document["unblindings"] = [look.to_json() for look in export.unblindings]
    if export.model_runs:
        document["model_runs"] = runs_json(export.model_runs)
    document["seals"] = [asdict(seal) for seal in export.seals]
    document["chain"] = export.chain
    document["configuration"] = dict(export.configuration)
    return json_text(document)


def votes_csv(
    votes: Iterable[ExportedVote], extra: Mapping[str, Iterable[str]] | None = None
) -> str:
    """Votes as spreadsheet-safe CSV text, with further columns behind them."""
    further = extra or {}
    rest: Iterable[tuple[str, ...]] = zip(*further.values(), strict=True) if further else ()
    rows = iter(rest)
    cells = (
        (*(cell_text(getattr(vote, name)) for name in VOTE_COLUMNS), *next(rows, ()))
        for vote in votes
    )
    return csv_text([*VOTE_COLUMNS, *further], (map(safe_cell, row) for row in cells))


def cell_text(value: Any) -> str:
    """A value as the text of a CSV cell; None as nothing, times in UTC.

    >>> cell_text(True), cell_text(None), cell_text(0.1)
    ('true', '', '0.1')
    """
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case datetime():
            return utc_text(value) or ""
        case float():
            return repr(value)
    return str(value)


def _numbers_out(values: dict[str, Any]) -> dict[str, Any]:
    return {
        k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in values.items()
    }


def read_export(folder: Path) -> StudyExport:
    """Read an exported study. Raises `DataError` if a file is missing or does not fit the format
    (with file and row), or the export was edited.
    """
    document = _document(folder / STUDY_FILE)
    try:
        plain = {name: document[name] for name in _PLAIN}
        votes = read_rows(folder / VOTES_FILE, ExportedVote, ADDED_COLUMNS)
        export = StudyExport(
            **plain,
            **cast("dict[str, Any]", {name: _stamp(document.get(name)) for name in _STAMPS}),
            exclusion=ExclusionRule(**document["exclusion"]),
            rules=document["rules"],
            raters=RaterCounts(**document["raters"]),
            pairs=tuple(_pair(each) for each in document["pairs"]),
            configuration=document["configuration"],
            unblindings=tuple(_unblinding(each) for each in document.get("unblindings", ())),
            seals=tuple(Seal(**each) for each in document.get("seals", ())),
            votes=tuple(vote for vote in votes if vote.undone_at is None),
            undone=tuple(vote for vote in votes if vote.undone_at is not None),
            model_runs=tuple(map(ExportedRun.from_json, document.get("model_runs", ()))),
            model_answers=(
                read_answers(folder / ANSWERS_FILE) if document.get("model_runs") else ()
            ),
        )
    except KeyError as error:
        raise DataError(f"{STUDY_FILE} has no {error}") from error
    except (TypeError, ValueError) as error:
        raise DataError(f"{STUDY_FILE} does not fit the format: {error}") from error
    edits = edits_of(export)
    if document.get("chain", "") != export.chain:
        edits = ("the last link of the chain of votes is not that of the seals", *edits)
    if edits:
        more = f", and {wording.count(len(edits) - 1, 'more edit')}" if edits[1:] else ""
        raise DataError(
            f"this export was edited after it was written: {edits[0]}{more}",
            hint="export the study again with `python -m db export`",
        )
    return export


def _document(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise DataError(
            f"there is no {path.name} in {path.parent}",
            hint="a report reads a folder written by `python -m db export`",
        )
    try:
        document = json.loads(path.read_text(encoding="utf-8"), parse_constant=_no_number)
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read {path.name}: {error}") from error
    if not isinstance(document, dict) or document.get("format") not in range(1, FORMAT + 1):
        raise DataError(f"{path.name} is not of format 1 to {FORMAT}")
    return document


def edits_of(export: StudyExport) -> tuple[str, ...]:
    """How an export differs from the frozen configuration and the seals of its votes, in words.
    Nothing is compared where there is no frozen configuration: the report says so.
    """
    if not export.checkable:
        return ()
    return (
        *_edits_of_design(export),
        *_edits_of_pairs(export),
        *_edits_of_votes(export),
        *_edits_of_models(export),
    )


def _edits_of_models(export: StudyExport) -> Iterator[str]:
    """The edits of models' runs and answers; the export cannot say whether a run was declared."""
    frozen = export.configuration.get("design", {}).get("model_raters")
    plan = ModelPlan.from_json(frozen) if frozen else None
    for run in export.model_runs:
        asked = {name: getattr(run, name) for name in SETTINGS}
        if run.undeclared != why_undeclared(plan, run.model, run.label, asked):
            yield f"whether the model `{run.label}` was declared differs from what was frozen"


def _edits_of_design(export: StudyExport) -> Iterator[str]:
    frozen = export.configuration
    if frozen_hash(frozen) != export.hash:
        yield "the frozen configuration does not have the hash of the study"
        return
    design = frozen["design"]
    rule = ExclusionRule(
        design["exclusion_seconds"], design["exclusion_unit"], design["max_failed_attention"]
    )
    for name, here, then in (
        ("title", export.title, design["title"]),
        ("ballots per rater", export.ballots_per_rater, design["ballots_per_rater"]),
        ("votes per pair", export.votes_per_pair, design["votes_per_pair"]),
        ("rule on ties", export.tie_allowed, design["allow_tie"]),
        ("exclusion rule", export.exclusion.to_json(), rule.to_json()),
        ("matching rules", dict(export.rules), dict(frozen["rules"])),
    ):
        if here != then:
            yield f"the {name} differs from what was frozen"


def _edits_of_pairs(export: StudyExport) -> Iterator[str]:
    frozen = {
        pair["pair"]: pair
        for pair in export.configuration.get("pairs", ())
        if pair["kind"] == "main" and not pair["dropped"]
    }
    here = {pair.pair: pair for pair in export.pairs}
    for name in sorted(frozen.keys() ^ here.keys()):
        yield f"pair `{name}` was {'left out' if name in frozen else 'added'}"
    for name in sorted(frozen.keys() & here.keys()):
        then = frozen[name]
        wanted = {"problem": then["problem"], "same_function": then["same_function"]}
        wanted["loss"] = then["loss"]
        wanted |= {name: then.get(name) for name in ("gap_share", "gap_without_worst_row")}
        for side in ("lower", "higher"):
            for key in ("formula", "eic", "r2", "complexity"):
                wanted[f"{side}_{key}"] = then[side][key]
        for key, value in wanted.items():
            given = getattr(here[name], key)
            given = json_number(given) if isinstance(given, float) else given
            if given != value:
                yield f"{key.replace('_', ' ')} of pair `{name}` differs from what was frozen"


def _edits_of_votes(export: StudyExport) -> Iterator[str]:
    votes = {vote.vote: vote for vote in export.every_vote}
    sealed = {seal.vote for seal in export.seals if not seal.undo}
    undone = {seal.vote for seal in export.seals if seal.undo}
    for place, seal in enumerate(export.seals, start=1):
        if seal.number != place:
            yield f"seal {place} is missing"
            return
        vote = votes.get(seal.vote)
        if seal.vote and vote is None:
            yield f"vote `{seal.vote}` was taken away"
        elif vote is not None and not seal.undo:
            if cast_vote(vote).commitment(seal.salt) != seal.commitment:
                yield f"vote `{seal.vote}` is not what was cast"
        elif vote is not None:
            at = vote.undone_at
            if at is None or undo_commitment(vote.vote, at, seal.salt) != seal.commitment:
                yield f"vote `{seal.vote}` was undone, and not as it is marked"
    if any(not seal.vote for seal in export.seals) and not export.raters.withdrawn:
        yield "votes were taken away as if their rater had withdrawn, and nobody has"
    if export.configuration.get("format", 1) >= 2:
        yield from (f"vote `{name}` was never cast" for name in votes.keys() - sealed)
    for vote in export.undone:
        if vote.vote not in undone:
            yield f"vote `{vote.vote}` was never undone by its rater"
    seconds = session_seconds(export.votes)
    for vote in export.every_vote:
        if vote.seconds != (vote.voted_at - vote.shown_at).total_seconds():
            yield f"the seconds of vote `{vote.vote}` are not those between its times"
        if vote.session_seconds != seconds.get(vote.rater, 0.0):
            yield f"the session's seconds of vote `{vote.vote}` are not those of its votes"
        if vote.attention_ok is not ((vote.choice == "lower") if vote.is_attention else None):
            yield f"the attention check `{vote.vote}` is marked wrongly"


def cast_vote(vote: ExportedVote) -> CastVote:
    """What is sealed of an exported vote."""
    kind = "practice" if vote.is_practice else "attention" if vote.is_attention else "main"
    names = [f.name for f in fields(CastVote) if f.name != "kind"]
    return CastVote(**{name: getattr(vote, name) for name in names}, kind=kind)


def _no_number(text: str) -> float:
    raise ValueError(f"`{text}` is no JSON")


def _pair(values: Mapping[str, Any]) -> ExportedPair:
    hints = get_type_hints(ExportedPair)
    given: dict[str, Any] = {}
    for name, value in values.items():
        wanted = hints.get(name)
        if wanted is float:
            value = math.nan if value is None else float(value)
        elif wanted == float | None and isinstance(value, int | float | None):
            value = None if value is None else float(value)
        elif wanted is not None and not isinstance(value, wanted):
            raise ValueError(f"`{value}` is no {name} of a pair")
        given[name] = value
    return ExportedPair(**given)


def _unblinding(values: Mapping[str, Any]) -> Unblinding:
    if not isinstance(values["votes_then"], int):
        raise ValueError(f"`{values['votes_then']}` is no number of votes")
    return Unblinding(datetime.fromisoformat(values["at"]), values["votes_then"])


def _stamp(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
