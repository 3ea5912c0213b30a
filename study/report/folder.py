"""Writing and reading the folder of an exported study; see `study.report.exported`."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from typing import Any, cast, get_type_hints

from eic_core.errors import DataError, UserError
from study.report.exported import (
    FORMAT,
    STUDY_FILE,
    VOTE_COLUMNS,
    VOTES_FILE,
    ExportedPair,
    ExportedVote,
    RaterCounts,
    StudyExport,
    Unblinding,
    utc_text,
)
from study.report.spreadsheet import raw_cell, safe_cell
from study.statistics.exclusions import ExclusionRule

_STAMPS = ("frozen_at", "closed_at", "exported_at")
_PLAIN = ("study", "title", "hash", "ballots_per_rater", "votes_per_pair", "tie_allowed")


def write_export(folder: Path, export: StudyExport) -> None:
    """Write ``study.json`` and ``votes.csv`` into a folder, made if it is missing.

    Raises
    ------
    DataError
        If the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STUDY_FILE).write_text(study_text(export), encoding="utf-8")
        with (folder / VOTES_FILE).open("w", encoding="utf-8", newline="") as file:
            file.write(votes_csv(export.votes))
    except OSError as error:
        raise DataError(f"cannot write {folder}: {error.strerror}") from error


def study_text(export: StudyExport) -> str:
    """``study.json``: everything but the votes."""
    document: dict[str, Any] = {"format": FORMAT}
    document |= {name: getattr(export, name) for name in _PLAIN}
    document |= {name: utc_text(getattr(export, name)) for name in _STAMPS}
    document["exclusion"] = export.exclusion.to_json()
    document["rules"] = dict(export.rules)
    document["raters"] = asdict(export.raters)
    document["pairs"] = [_numbers_out(asdict(pair)) for pair in export.pairs]
    document["unblindings"] = [look.to_json() for look in export.unblindings]
    document["configuration"] = dict(export.configuration)
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def votes_csv(
    votes: Iterable[ExportedVote], extra: Mapping[str, Iterable[str]] | None = None
) -> str:
    """Votes as spreadsheet-safe CSV text, with further columns behind them.

    Parameters
    ----------
    votes : iterable of ExportedVote
    extra : mapping of column name to its cells, optional
        As many cells as votes.
    """
    further = extra or {}
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*VOTE_COLUMNS, *further])
    rest: Iterable[tuple[str, ...]] = zip(*further.values(), strict=True) if further else ()
    rows = iter(rest)
    for vote in votes:
        cells = [cell_text(getattr(vote, name)) for name in VOTE_COLUMNS]
        writer.writerow([safe_cell(cell) for cell in (*cells, *next(rows, ()))])
    return buffer.getvalue()


def cell_text(value: Any) -> str:
    """A value as the text of a CSV cell; None as nothing, times in UTC.

    Examples
    --------
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
    """Read the folder of an exported study.

    Raises
    ------
    DataError
        If a file is missing or does not fit the format; the message names the
        file, and the row of a bad vote.
    """
    document = _document(folder / STUDY_FILE)
    try:
        return StudyExport(
            **cast("dict[str, Any]", {name: document[name] for name in _PLAIN}),
            **cast("dict[str, Any]", {name: _stamp(document.get(name)) for name in _STAMPS}),
            exclusion=ExclusionRule(**document["exclusion"]),
            rules=document["rules"],
            raters=RaterCounts(**document["raters"]),
            pairs=tuple(_pair(each) for each in document["pairs"]),
            configuration=document["configuration"],
            unblindings=tuple(_unblinding(each) for each in document.get("unblindings", ())),
            votes=_votes(folder / VOTES_FILE),
        )
    except KeyError as error:
        raise DataError(f"{STUDY_FILE} has no {error}") from error
    except (TypeError, ValueError) as error:
        raise DataError(f"{STUDY_FILE} does not fit the format: {error}") from error


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
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(f"{path.name} is not of format {FORMAT}")
    return document


def _no_number(text: str) -> float:
    raise ValueError(f"`{text}` is no JSON")


def _pair(values: Mapping[str, Any]) -> ExportedPair:
    hints = get_type_hints(ExportedPair)
    given: dict[str, Any] = {}
    for name, value in values.items():
        wanted = hints.get(name)
        if wanted is float:
            value = math.nan if value is None else float(value)
        elif wanted is not None and not isinstance(value, wanted):
            raise ValueError(f"`{value}` is no {name} of a pair")
        given[name] = value
    return ExportedPair(**given)


def _unblinding(values: Mapping[str, Any]) -> Unblinding:
    if not isinstance(values["votes_then"], int):
        raise ValueError(f"`{values['votes_then']}` is no number of votes")
    return Unblinding(datetime.fromisoformat(values["at"]), values["votes_then"])


def _votes(path: Path) -> tuple[ExportedVote, ...]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            missing = [c for c in VOTE_COLUMNS if c not in (reader.fieldnames or ())]
            if missing:
                raise DataError(f"{path.name} has no column `{missing[0]}`")
            return tuple(_vote(row, number) for number, row in enumerate(reader, start=1))
    except FileNotFoundError as error:
        raise DataError(f"there is no {path.name} in {path.parent}") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot read {path.name}: {error}") from error


def _vote(row: Mapping[str, str], number: int) -> ExportedVote:
    values: dict[str, Any] = {}
    for name in VOTE_COLUMNS:
        text = raw_cell(row[name])
        try:
            values[name] = _PARSERS[name](text)
        except ValueError as error:
            raise DataError(
                f"{VOTES_FILE}, row {number}: `{text[:40]}` is no {name}"
            ) from error
    try:
        return ExportedVote(**values)
    except UserError as error:
        raise DataError(f"{VOTES_FILE}, row {number}: {error}") from error


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _optional_flag(text: str) -> bool | None:
    return _flag(text) if text else None


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


def _stamp(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


_BY_TYPE: dict[Any, Callable[[str], Any]] = {
    bool: _flag,
    bool | None: _optional_flag,
    float: _seconds,
    int: int,
    datetime: datetime.fromisoformat,
}
_HINTS = get_type_hints(ExportedVote)
_PARSERS: dict[str, Callable[[str], Any]] = {
    f.name: _BY_TYPE.get(_HINTS[f.name], str) for f in fields(ExportedVote)
}
