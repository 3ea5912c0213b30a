"""An organiser's tab: its messages, its actions, and the material of the draft on it.

The truth of a study is in the database and read in every run, never kept here.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from eic_core.errors import UserError
from eic_core.measure.table import Table
from eic_core.pool.scoring import no_data
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.door import form_token, login_key, organiser
from pages.ui.kit.messages import show_error
from pages.ui.kit.text import escape, prose
from pages.ui.kit.wiring import draft_cache, figure_cache, lab, stopwatch
from study.ballots import problem_table
from study.errors import AccessError, StudyError
from study.matching import MatchingResult, MatchingRules, match_pool
from study.matching.result import Mode
from study.material import Column, Pool, Problem, Study, StudyPair
from study.organising import OrganiserService
from study.pairing import RefusedRow, problem_files, scored_pool

_KEY = "organiser-desk"


@dataclass
class OrganiserDesk:
    """The server's memory of one organiser's tab."""

    # The last error at that place, until something is done there
    errors: dict[str, UserError] = field(default_factory=dict)
    # The last success at that place, as a sentence
    done_messages: dict[str, str] = field(default_factory=dict)
    # The version of each study as this tab has drawn it
    versions_seen: dict[int, int] = field(default_factory=dict)
    page_values: dict[str, Any] = field(default_factory=dict)  # Values of single pages, by name


def organiser_desk() -> OrganiserDesk:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = OrganiserDesk()
    desk: OrganiserDesk = st.session_state[_KEY]
    return desk


Action = Callable[[OrganiserService], str | None]


def action_callback(place: str, do: Action) -> None:
    """`run_action` as a callback, which returns nothing."""
    run_action(place, do)


@uninterrupted()
def run_action(place: str, do: Action) -> bool:
    """Do something for an organiser; False if it failed.

    A user's mistake is kept for `show_error_at(place)`, the sentence of `do` for
    `show_done_message(place)`.
    """
    desk = organiser_desk()
    desk.errors.pop(place, None)
    desk.done_messages.pop(place, None)
    # The login is checked anew: the page may be older than a logout.
    service = organiser()
    if service is None:
        desk.errors[place] = AccessError("you are logged out", hint="log in again")
        return False
    try:
        message = do(service)
    except UserError as error:
        desk.errors[place] = error
        return False
    if message:
        desk.done_messages[place] = message
    return True


@uninterrupted()
def clear_error(place: str) -> None:
    organiser_desk().errors.pop(place, None)


@uninterrupted()
def clear_page_value(name: str) -> None:
    organiser_desk().page_values.pop(name, None)


def show_error_at(place: str) -> bool:
    """Show the error of this place; False if there is none."""
    error = organiser_desk().errors.get(place)
    if error is None:
        return False
    show_error(error)
    return True


def show_done_message(place: str) -> None:
    """Show the message of this place, once."""
    message = organiser_desk().done_messages.pop(place, "")
    if message:
        st.html(f'<p class="eic-done" role="status">{prose(message)}</p>')


@uninterrupted()
def go_to(**query: str | int | None) -> None:
    """Go to a place of the organiser's pages; parameters that are None are left out."""
    st.query_params.from_dict({k: str(v) for k, v in query.items() if v is not None})


def download_button(address: str, label: str, purpose: str, *, primary: bool = False) -> None:
    """A button that fetches a file over a route, with this login's token."""
    token = form_token(login_key(), purpose)
    kind = "eic-button eic-primary" if primary else "eic-button"
    st.html(
        f'<form method="post" action="{escape(address)}">'
        f'<input type="hidden" name="token" value="{token}">'
        f'<button class="{kind}" type="submit">{escape(label)}</button></form>',
        width="content",
    )


@contextmanager
def confirmation_popover(label: str, question: str, key: str) -> Iterator[None]:
    """A popover with a question, around a button for what cannot be undone."""
    with st.popover(label, key=key):
        st.html(f'<p class="eic-ask-text">{prose(question)}</p>')
        yield


def remember_version(service: OrganiserService, study_id: int) -> None:
    """Note the version of the study that this run draws."""
    organiser_desk().versions_seen[study_id] = service.version(study_id)


def version_seen(study: Study) -> int | None:
    """The version that this tab has drawn last."""
    return organiser_desk().versions_seen.get(study.id)


MAX_PROBLEMS = 500


@dataclass(frozen=True)
class Upload:
    """The problems read from a set of files."""

    problems: tuple[Problem, ...]
    refused: tuple[str, ...]  # A sentence for each file that was left out


def read_files(files: Sequence[tuple[str, bytes]]) -> Upload:
    """Read files, each a name and its content: tables (CSV) and their descriptions (JSON).

    >>> upload = read_files([("fall.csv", b"t,s\\n1,5\\n2,20\\n"), ("wide.csv", b"a,b,c,d\\n")])
    >>> [problem.name for problem in upload.problems], len(upload.refused)
    (['fall'], 1)
    """
    problems: list[Problem] = []
    refused: list[str] = []
    about: dict[str, Problem] = {}
    # Descriptions first: a table may stand before its own in the list.
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
            described = about.get(stem)
            problems.append(dataclasses.replace(described, csv=text) if described else problem)
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
                    str(column.get("symbol", ""))[:20],
                )
                for column in entry.get("columns", ())
            ),
        )
        for entry in entries
    }


LISTED = 500


@dataclass(frozen=True, eq=False)
class StudyDraft:
    """A study with its material, as of one version."""

    study: Study
    problems: tuple[Problem, ...]
    pool: Pool | None
    pairs: tuple[StudyPair, ...]

    @property
    def included_pairs(self) -> tuple[StudyPair, ...]:
        return tuple(pair for pair in self.pairs if pair.in_study)

    @property
    def dropped_pairs(self) -> tuple[StudyPair, ...]:
        return tuple(pair for pair in self.pairs if not pair.in_study)

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Column names of each problem's table, the target last."""
        return {p.name: problem_table(p).names for p in self.problems}

    @cached_property
    def rows(self) -> dict[str, int]:
        return {p.name: problem_table(p).rows for p in self.problems}

    @cached_property
    def incomplete_rows(self) -> dict[str, int]:
        """Rows of each table that lack a number, and are not used."""
        tables = {p.name: problem_table(p) for p in self.problems}
        return {name: int((~complete_rows(t)).sum()) for name, t in tables.items()}

    @cached_property
    def pool_columns(self) -> tuple[str, ...]:
        return tuple(next(csv.reader(io.StringIO(self.pool.csv)), ())) if self.pool else ()

    @cached_property
    def refused_rows(self) -> tuple[RefusedRow, ...]:
        """Rows of the pool that have no scores."""
        if self.pool is None:
            return ()
        rows = csv.DictReader(io.StringIO(self.pool.csv), restval="")
        return tuple(
            RefusedRow(
                number,
                row.get("problem") or row.get("dataset") or "",
                row.get("formula") or "",
                row["error"],
            )
            for number, row in enumerate(rows, start=1)
            if row.get("error")
        )

    @cached_property
    def unscored_problems(self) -> tuple[str, ...]:
        """Problems that were added after the pool was scored."""
        without = {row.problem for row in self.refused_rows if row.error == no_data(row.problem)}
        return tuple(sorted(without & {problem.name for problem in self.problems}))


def draft_of(service: OrganiserService, study: Study) -> StudyDraft:
    """The study's material at the version that this run has noted."""
    version = organiser_desk().versions_seen.get(study.id)
    # With its time: SQLite gives the number of a deleted study to the next.
    key = (lab().settings.database_url, study.id, study.created_at, version)
    return draft_cache().get(
        key,
        lambda: StudyDraft(
            study, service.problems(study.id), service.pool(study.id), service.pairs(study.id)
        ),
    )


def deletion_message(text: str) -> str:
    """That something is deleted, and what is still to come."""
    trace = (
        " The database's files may still hold a trace of it, which the server overwrites by itself "
        "as soon as it can."
    )
    return text + trace if lab().store.traces else text


def rules_of(study: Study) -> tuple[MatchingRules, Mode, int | None]:
    """Rules, mode and k that the pairs were made with; the defaults before that."""
    values = dict(study.rules)
    mode: Mode = values.pop("mode", "matching")
    k = values.pop("k", None)
    values.pop("unfinished", None)
    # Without stored rules those of today; stored ones mean what they meant.
    return MatchingRules.from_json(values) if values else MatchingRules(), mode, k


def _key(draft: StudyDraft, rules: MatchingRules, mode: Mode, k: int | None) -> tuple[object, ...]:
    assert draft.pool is not None
    digests = tuple(problem.digest for problem in draft.problems)
    return ("matching", draft.pool.digest, digests, rules, mode, k)


def keep_result(draft: StudyDraft, result: MatchingResult) -> None:
    """Cache a matching for as long as this process runs, unless it was cut short."""
    if draft.pool is not None:
        key = _key(draft, result.rules, result.mode, result.k)
        figure_cache().get(key, lambda: result, lambda r: r.complete)


def matching_result(draft: StudyDraft) -> MatchingResult | None:
    """The matching of the present pairs, computed anew if it is not cached.

    A computation that is cut short stays with this tab, until it asks for another.
    """
    if draft.pool is None or not draft.pairs:
        return None
    rules, mode, k = rules_of(draft.study)
    key = _key(draft, rules, mode, k)

    def compute() -> MatchingResult:
        assert draft.pool is not None
        with problem_files(draft.problems) as folder:
            scored = scored_pool(draft.pool, draft.problems, rules.r2_column)
            return match_pool(scored, rules, mode=mode, k=k, problems=folder, clock=stopwatch())

    def once() -> MatchingResult:
        entry = organiser_desk().page_values.get("cut-short")
        if entry is None or entry[0] != key:
            entry = organiser_desk().page_values["cut-short"] = (key, compute())
        result: MatchingResult = entry[1]
        return result

    return figure_cache().get(key, once, lambda r: r.complete)
