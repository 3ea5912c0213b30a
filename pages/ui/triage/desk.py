"""What the server remembers of one tab's list: how it was read, its scores, what is picked."""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from eic_core.errors import UserError
from eic_core.formula.syntax import canonical_name
from eic_core.pool.importers import Imported, Listed, import_formulas
from eic_core.pool.listing import ListedScore, accuracy_keys, front_of
from eic_core.pool.scoring import read_candidate
from pages.ui.jobs import Job
from pages.ui.triage.state import CompareState
from pages.ui.undisturbed import undisturbed
from pages.ui.visit import visit

MAX_READ = 2_000
"""How many formulas are looked at for the variables that get a range."""

_KEY = "compare-desk"


@dataclass(frozen=True)
class Scored:
    """A list's scores and what follows from them.

    Attributes
    ----------
    scores : tuple of ListedScore
    accuracies : dict of name to ndarray
        See `eic_core.pool.listing.accuracy_keys`.
    fronts : dict of name to ndarray of bool
        The front with each accuracy, and under "" without any.
    seconds : float
        How long scoring took; 0 if the scores came with the file.
    """

    scores: tuple[ListedScore, ...]
    accuracies: dict[str, np.ndarray]
    fronts: dict[str, np.ndarray]
    seconds: float = 0.0

    @classmethod
    def of(cls, scores: tuple[ListedScore, ...], seconds: float = 0.0) -> Scored:
        """With the front of every accuracy that there is, and of none."""
        accuracies = accuracy_keys(scores)
        fronts = {name: front_of(scores, values) for name, values in accuracies.items()}
        return cls(scores, accuracies, fronts | {"": front_of(scores, None)}, seconds)

    @property
    def usual(self) -> str:
        """The accuracy to look at first: one that at least half of the formulas have, or ""."""
        measured = np.array([not s.score.error for s in self.scores], dtype=bool)
        for name, values in self.accuracies.items():
            if 2 * np.count_nonzero(~np.isnan(values[measured])) >= np.count_nonzero(measured):
                return name
        return ""


@dataclass
class Desk:
    """One tab's list; the formulas A and B and the data are in the visit's state."""

    raw: bytes | str | None = None
    name: str = ""
    format: str = "auto"
    column: str | None = None
    imported: Imported | None = None
    variables: tuple[str, ...] = ()
    error: UserError | None = None
    problem: str = ""
    as_stored: bool = False
    number: int = 0
    uploader: int = 0
    job: Job | None = None
    wanted: Hashable = None
    scored: Scored | None = None
    scored_for: Hashable = None
    picked: tuple[int, ...] = ()
    seen: float = field(default_factory=time.monotonic)
    last: CompareState | None = None

    def rows(self) -> tuple[Listed, ...]:
        """The rows of the problem that is looked at."""
        if self.imported is None:
            return ()
        if not self.problem:
            return self.imported.rows
        return tuple(row for row in self.imported.rows if row.problem == self.problem)


def desk() -> Desk:
    """The desk of this tab."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Desk()
    found: Desk = st.session_state[_KEY]
    return found


def take(raw: bytes | str, name: str = "") -> None:
    """Take another list, its format to be found."""
    here = desk()
    here.raw, here.name, here.format, here.column, here.problem = raw, name, "auto", None, ""
    _import(here)
    if here.imported is not None:
        here.as_stored = here.imported.format == "scored"
        if len(here.imported.problems) > 1:
            here.problem = _likely_problem(here.imported.problems)


def _likely_problem(problems: tuple[str, ...]) -> str:
    """The problem that the table is named after, else the first."""
    table = visit().table
    stem = table.source.rpartition(".")[0] if table is not None else ""
    return stem if stem in problems else problems[0]


def again(**changes: Any) -> None:
    """Read the same list in another way: `format`, `column`."""
    here = desk()
    for key, value in changes.items():
        setattr(here, key, value)
    _import(here)


@undisturbed()
def drop() -> None:
    """Forget the list."""
    here = desk()
    if here.job is not None:
        here.job.cancel()
    st.session_state[_KEY] = Desk(uploader=here.uploader + 1, number=here.number + 1)


def _import(here: Desk) -> None:
    here.error = here.imported = here.scored = here.scored_for = None
    here.picked, here.variables = (), ()
    here.number += 1
    if here.raw is None:
        return
    try:
        here.imported = import_formulas(
            here.raw, name=here.name, format=here.format, column=here.column
        )
    except UserError as error:
        here.error = error
    else:
        here.variables = variables_of(here.imported.rows)


def variables_of(rows: tuple[Listed, ...]) -> tuple[str, ...]:
    """The variables of the first `MAX_READ` formulas that can be read, by name.

    Examples
    --------
    >>> variables_of((Listed(1, "x10+x2"), Listed(2, "lg("), Listed(3, "b")))
    ('b', 'x2', 'x10')
    """
    found: set[str] = set()
    for row in rows[:MAX_READ]:
        reading = read_candidate(row.candidate(), ()) if not row.error else ""
        if not isinstance(reading, str):
            found.update(reading.formula.variables)
    return tuple(sorted(found, key=_by_index))


def _by_index(name: str) -> tuple[str, int, str]:
    plain = canonical_name(name)
    head = plain.rstrip("0123456789")
    return (head, int(plain[len(head) :] or -1), name)


def text_of(listed: Listed) -> str:
    """A formula with the values of its parameters, as one text that can be read again.

    Examples
    --------
    >>> text_of(Listed(1, "x0*t0", parameters={"t0": "2"}))
    'x0*t0|theta=2'
    """
    if not listed.parameters or "theta=" in listed.formula:
        return listed.formula
    values = (listed.parameters[f"t{i}"] for i in range(len(listed.parameters)))
    return f"{listed.formula}|theta={';'.join(values)}"
