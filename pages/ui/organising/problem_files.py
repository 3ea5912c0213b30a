"""Problems from uploaded files: a CSV each, and perhaps one problems.json that describes them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eic_core.errors import UserError
from eic_core.measure.table import Table
from study.ballots import problem_table
from study.errors import StudyError
from study.material import Column, Problem

MAX_PROBLEMS = 500


@dataclass(frozen=True)
class Upload:
    """What came of a set of files.

    Attributes
    ----------
    problems : tuple of Problem
    refused : tuple of str
        A sentence for each file that was left out.
    """

    problems: tuple[Problem, ...]
    refused: tuple[str, ...]


def read_files(files: Sequence[tuple[str, bytes]]) -> Upload:
    """Read files as (name, content).

    Examples
    --------
    >>> upload = read_files([("fall.csv", b"t,s\\n1,5\\n2,20\\n"), ("wide.csv", b"a,b,c,d\\n")])
    >>> [problem.name for problem in upload.problems], len(upload.refused)
    (['fall'], 1)
    """
    problems: list[Problem] = []
    refused: list[str] = []
    about: dict[str, Problem] = {}
    for name, content in files:
        if name.lower().endswith(".json"):
            try:
                about.update(_descriptions(content))
            except (ValueError, KeyError, TypeError, UserError) as error:
                refused.append(f"`{name}` is left out: it is no list of descriptions ({error}).")
    for name, content in files[:MAX_PROBLEMS]:
        if name.lower().endswith(".json"):
            continue
        stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0].strip()
        try:
            text = content.decode("utf-8-sig")
            problem = Problem(stem, text, title=stem.replace("_", " "))
            _check(problem_table(problem))
        except UnicodeDecodeError:
            refused.append(f"`{name}` is left out: it is not UTF-8 text.")
        except UserError as error:
            refused.append(f"`{name}` is left out: {error}.")
        else:
            known = about.get(stem)
            problems.append(dataclasses.replace(known, csv=text) if known else problem)
    return Upload(tuple({p.name: p for p in problems}.values()), tuple(refused))


def _check(table: Table) -> None:
    """Refuse a table on which no formula has an R²."""
    whole = complete_rows(table)
    if whole.sum() < 2:
        raise StudyError(
            f"it has {'one row' if whole.any() else 'no row'} with a number in every column",
            hint="two at least are needed",
        )
    target = table.names[-1]
    if np.ptp(table.values[target][whole]) == 0:
        raise StudyError(
            f"its last column `{target}`, the target, has one value only",
            hint="no formula has an R² on it",
        )


def complete_rows(table: Table) -> NDArray[np.bool_]:
    """Which rows have a number in every column; shape (rows,)."""
    whole: NDArray[np.bool_] = np.logical_and.reduce([*map(np.isfinite, table.values.values())])
    return whole


def _descriptions(content: bytes) -> dict[str, Problem]:
    entries: Any = json.loads(content.decode("utf-8-sig"))
    return {
        str(entry["name"]): Problem(
            name=str(entry["name"]),
            csv="",
            title=str(entry.get("title", ""))[:200],
            description=str(entry.get("description", ""))[:2000],
            columns=tuple(
                Column(
                    str(column["name"]),
                    str(column.get("unit", ""))[:40],
                    str(column.get("meaning", ""))[:200],
                )
                for column in entry.get("columns", ())
            ),
        )
        for entry in entries
    }
