"""Models in an exported study: runs in ``study.json``, a row an answer in ``model_answers.csv``."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeVar, get_type_hints

from eic_core.errors import DataError, UserError
from eic_core.exports import csv_text, raw_cell, safe_cell

ANSWERS_FILE = "model_answers.csv"
OUTCOMES = ("lower", "higher", "tie", "refused", "unparsable")


@dataclass(frozen=True)
class ExportedRun:
    label: str  # Unique in the study
    # model, base_url: as asked; never a key
    model: str
    base_url: str
    temperature: float
    repeats: int  # How often each pair is asked, half of them in either order
    # prompt, prompt_sha256: the template, and its hash
    prompt: str
    prompt_sha256: str
    begun_at: str  # ISO 8601, UTC
    # Why the run is exploratory; "" if it was declared before the study was frozen
    undeclared: str = ""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> ExportedRun:
        """The inverse of ``dataclasses.asdict``."""
        hints = get_type_hints(cls)
        for name, value in values.items():
            wanted = (int, float) if hints[name] is float else hints[name]
            if not isinstance(value, wanted):
                raise ValueError(f"`{value}` is no {name} of a run")
        return cls(**{**values, "temperature": float(values["temperature"])})


@dataclass(frozen=True)
class ExportedAnswer:
    """One answer of a model. The field names are the columns of ``model_answers.csv``."""

    answer: str  # Unique id
    # run, pair, problem: label of the run; the pair of the study and its problem
    run: str
    pair: str
    problem: str
    # "lower" or "higher": which formula was formula A, by its EIC
    first: Literal["lower", "higher"]
    repeat: int  # 1, 2, ... within the order.
    # "lower", "higher", "tie", "refused" or "unparsable": the formula that was chosen, by its EIC;
    # or what else became of the question
    outcome: str
    # snapshot, fingerprint, finish_reason: as the endpoint says
    snapshot: str
    fingerprint: str
    finish_reason: str
    structured: bool  # Whether the model was held to the JSON schema
    seed: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_seconds: float
    asked_at: datetime  # UTC
    raw: str  # As it was written

    def __post_init__(self) -> None:
        if self.first not in ("lower", "higher"):
            raise DataError(f"the first formula is lower or higher, not `{self.first}`")
        if self.outcome not in OUTCOMES:
            raise DataError(f"an outcome is {', '.join(OUTCOMES)}, not `{self.outcome}`")


ANSWER_COLUMNS = tuple(f.name for f in fields(ExportedAnswer))


def check_models(
    runs: Iterable[ExportedRun], answers: Iterable[ExportedAnswer], problems: Mapping[str, str]
) -> None:
    """Raise `DataError` unless each answer is the only one of its run, pair, order and repeat.

    >>> check_models((), (), {})
    """
    repeats: dict[str, int] = {}
    for run in runs:
        if run.label in repeats:
            raise DataError(f"run `{run.label}` appears twice")
        repeats[run.label] = run.repeats
    seen: set[tuple[str, str, str, int]] = set()
    for answer in answers:
        if answer.run not in repeats:
            raise DataError(f"answer `{answer.answer}` is of `{answer.run}`, no run of the study")
        if problems.get(answer.pair) != answer.problem:
            raise DataError(
                f"answer `{answer.answer}` is on `{answer.pair}` of `{answer.problem}`, no pair "
                "of the study"
            )
        place = (answer.run, answer.pair, answer.first, answer.repeat)
        if place in seen or not 1 <= answer.repeat <= repeats[answer.run] // 2:
            raise DataError(f"answer `{answer.answer}` is one too many of its run, pair and order")
        seen.add(place)


def answers_csv(answers: Iterable[ExportedAnswer], text: Callable[[Any], str]) -> str:
    """Answers as spreadsheet-safe CSV text; `text` writes a cell."""
    rows = (
        [safe_cell(text(getattr(answer, name))) for name in ANSWER_COLUMNS] for answer in answers
    )
    return csv_text(ANSWER_COLUMNS, rows)


def runs_json(runs: Iterable[ExportedRun]) -> list[dict[str, Any]]:
    return [asdict(run) for run in runs]


def read_answers(path: Path) -> tuple[ExportedAnswer, ...]:
    """Read ``model_answers.csv``; () where there is none, as in older exports. Raises `DataError`,
    with the row, if it does not fit.
    """
    return read_rows(path, ExportedAnswer) if path.is_file() else ()


Row = TypeVar("Row")


def read_rows(path: Path, kind: type[Row], added: Collection[str] = ()) -> tuple[Row, ...]:
    """A row of the class for each row of a CSV file whose columns are its fields; those `added`
    later may be missing. Raises `DataError`, with the row, if it does not fit.
    """
    hints = get_type_hints(kind)
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # A dataclass

    def made(number: int, row: Mapping[str, str]) -> Row:
        values: dict[str, Any] = {}
        for name in names:
            text = raw_cell(row.get(name, ""))
            try:
                values[name] = _PARSERS.get(hints[name], str)(text)
            except ValueError as error:
                said = f"{path.name}, row {number}: `{text[:40]}` is no {name}"
                raise DataError(said) from error
        try:
            return kind(**values)
        except UserError as error:
            raise DataError(f"{path.name}, row {number}: {error}") from error

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader: csv.DictReader[str] = csv.DictReader(file, restval="")
            there = {*(reader.fieldnames or ()), *added}
            for name in names:
                if name not in there:
                    raise DataError(f"{path.name} has no column `{name}`")
            return tuple(made(number, row) for number, row in enumerate(reader, start=1))
    except FileNotFoundError as error:
        raise DataError(f"there is no {path.name} in {path.parent}") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot read {path.name}: {error}") from error


def _flag(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < math.inf:
        raise ValueError(text)
    return value


_SINGLE: dict[Any, Callable[[str], Any]] = {
    bool: _flag,
    float: _seconds,
    int: int,
    datetime: datetime.fromisoformat,
}
_PARSERS = _SINGLE | {
    kind | None: (lambda text, parse=parse: parse(text) if text else None)
    for kind, parse in _SINGLE.items()
}
