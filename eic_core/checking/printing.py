"""What a check says: to a reader, and in the formats that CI services take."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from urllib.parse import quote

import eic_core
from eic_core import wording
from eic_core.checking.checks import CheckedFormula, CheckStatus
from eic_core.exports import json_text
from eic_core.formula.copying import COPIED
from eic_core.printable import printable
from eic_core.rewriting.phrases import NUMBER_NAMES, number_cells

LIMIT_WORDS = {
    "max": "digits measured at nine in ten rows",
    "worst": "digits measured at the worst row",
    "eic": "digits of EIC",
}

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


@dataclass(frozen=True)
class CheckedFiles:
    """All formulas that one run checked.

    Attributes
    ----------
    checked
        In the order of files and lines.
    accepted
        Of each, whether the baseline accepts it.
    files
        How many files were looked at.
    unused
        How many entries of the baseline are needed no more.
    """

    checked: Sequence[CheckedFormula]
    accepted: Sequence[bool]
    files: int
    unused: int = 0

    @property
    def failing(self) -> list[CheckedFormula]:
        """What exceeds a limit or could not be checked, and is not accepted."""
        pairs = zip(self.checked, self.accepted, strict=True)
        return [each for each, accepted in pairs if _fails(each) and not accepted]

    @property
    def noted(self) -> list[CheckedFormula]:
        """What passes, but has no value at some rows."""
        return [each for each in self.checked if not _fails(each) and each.without_value]

    @property
    def summary(self) -> str:
        if not self.checked:
            counted = wording.count(self.files, "file")
            return f"no formula is marked in {counted}: write `eic: x=0.1:10` in a comment above it"
        parts = [f"{wording.count(len(self.checked), 'formula')} checked"]
        for status, words in _STATUS_WORDS.items():
            count = sum(each.status is status for each in self.checked)
            parts += [f"{count} {words}"] if count else []
        parts += [f"{len(self.noted)} without a value at some rows"] if self.noted else []
        accepted = sum(self.accepted)
        parts += [f"{accepted} of these accepted before"] if accepted else []
        parts += [f"{self.unused} of the baseline needed no more"] if self.unused else []
        return ", ".join(parts)


_STATUS_WORDS = {
    CheckStatus.WITHIN: "within limits",
    CheckStatus.EXCEEDED: "beyond a limit",
    CheckStatus.NOT_CHECKED: "not checked",
}


def _fails(checked: CheckedFormula) -> bool:
    return checked.status is not CheckStatus.WITHIN


def reason(checked: CheckedFormula) -> str:
    """Why a formula fails, in one line."""
    if checked.status is CheckStatus.NOT_CHECKED:
        return f"not checked: {checked.fault}"
    losses = [
        f"{wording.number(checked.losses[name], 1)} {LIMIT_WORDS[name]}, "
        f"more than {checked.limits[name]:g}"
        for name in checked.exceeded
    ]
    return f"`{wording.shorten(checked.formula, 100)}` loses " + "; ".join(losses)


def note(checked: CheckedFormula) -> str:
    share = f"{checked.without_value:,} of {wording.count(checked.rows, 'row')}"
    return f"`{wording.shorten(checked.formula, 100)}` has no value at {share}"


def further_lines(checked: CheckedFormula) -> list[str]:
    """The headline and what to write instead."""
    if checked.status is not CheckStatus.EXCEEDED:
        return []
    said = [str(each) for each in (checked.headline, checked.advice) if each is not None]
    if checked.gain:
        written, instead = map(number_cells, checked.gain)
        rows = zip(
            ("", *NUMBER_NAMES), ("as written", *written), ("instead", *instead), strict=True
        )
        said += ["  ".join(line) for line in zip(*_columns(rows), strict=True)]
    if checked.better and checked.better_in != "python":
        first, *more = checked.better.splitlines()
        said += [f"In {COPIED[checked.better_in]}: {first}", *more]
    return said


def _columns(columns: Iterable[Sequence[str]]) -> Iterator[list[str]]:
    """The cells of each column, in its width."""
    for cells in columns:
        width = max(map(len, cells))
        yield [cell.rjust(width) for cell in cells]


def as_text(result: CheckedFiles) -> str:
    lines = []
    for each in result.failing:
        name = f" {each.marked.name}:" if each.marked.name else ""
        lines.append(f"{each.marked.path}:{each.line}:{each.column}:{name} {reason(each)}")
        lines += [f"    {line}" for line in further_lines(each)]
    for each in result.noted:
        lines.append(f"{each.marked.path}:{each.line}:{each.column}: {note(each)}")
    return "\n".join([*map(printable, lines), result.summary]) + "\n"


def as_json(result: CheckedFiles) -> str:
    formulas = [
        each.to_json() | {"accepted": accepted}
        for each, accepted in zip(result.checked, result.accepted, strict=True)
    ]
    document = {
        "FORMAT": 1,
        "eic_lab": eic_core.__version__,
        "formulas": formulas,
        "failing": len(result.failing),
        "summary": result.summary,
    }
    return json_text(document, indent=1)


def as_github(result: CheckedFiles) -> str:
    """Workflow commands: GitHub shows each at its line of a pull request."""
    lines = []
    for each in result.failing:
        title = "not checked" if each.status is CheckStatus.NOT_CHECKED else "loses digits"
        text = _paragraph([reason(each), *further_lines(each)])
        lines.append(f"::error {_github_place(each, title)}::{_escaped(text)}")
    for each in result.noted:
        lines.append(
            f"::warning {_github_place(each, 'no value')}::{_escaped(_paragraph([note(each)]))}"
        )
    return "\n".join([*lines, result.summary]) + "\n"


def _github_place(checked: CheckedFormula, title: str) -> str:
    path = _escaped_property(printable(checked.marked.path))
    place = f"file={path},line={checked.line}"
    end = max(checked.marked.end_line, checked.line)
    return f"{place},endLine={end},title={_escaped_property(f'eic check: {title}')}"


def _paragraph(lines: Sequence[str]) -> str:
    return "\n".join(map(printable, lines))


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def as_sarif(result: CheckedFiles) -> str:
    """SARIF 2.1.0, which code scanning services take."""
    rules = [
        {
            "id": status.value,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level},
        }
        for status, text, level in (
            (CheckStatus.EXCEEDED, "A formula loses more digits than its limit", "error"),
            (CheckStatus.NOT_CHECKED, "A marked formula could not be checked", "error"),
            (CheckStatus.WITHIN, "A formula has no value at some rows", "warning"),
        )
    ]
    results = [
        _sarif_result(each, accepted)
        for each, accepted in zip(result.checked, result.accepted, strict=True)
        if _fails(each) or each.without_value
    ]
    driver = {"name": "eic check", "version": eic_core.__version__, "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(document, indent=1)


def _sarif_result(checked: CheckedFormula, accepted: bool) -> dict[str, object]:
    end = max(checked.marked.end_line, checked.line)
    uri = quote(os.fsencode(PurePath(checked.marked.path).as_posix()))  # also of no UTF-8
    region = {"startLine": checked.line, "startColumn": checked.column, "endLine": end}
    location = {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
    said = [reason(checked), *further_lines(checked)] if _fails(checked) else [note(checked)]
    document: dict[str, object] = {
        "ruleId": checked.status.value,
        "level": "error" if _fails(checked) else "warning",
        "message": {"text": _paragraph(said)},
        "locations": [location],
    }
    if accepted:
        document["suppressions"] = [{"kind": "external", "justification": "in the baseline"}]
    return document


PRINTERS: dict[str, Callable[[CheckedFiles], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
}
