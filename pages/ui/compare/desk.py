"""The state of one comparison tab: its list, its scores, the formulas that are picked.

Formula A is the inspector's formula, so that most of the state is shared between the pages. The
list lives with the tab; the URL holds it too, packed, where it is short enough.
"""

from __future__ import annotations

import base64
import binascii
import re
import time
import zlib
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

from eic_core import wording
from eic_core.errors import DataError, UserError
from eic_core.formula.tree import Exponents
from eic_core.measure.table import Table
from eic_core.pool import phrases
from eic_core.pool.importers import Imported, Listed, import_formulas
from eic_core.pool.left_out import LeftOutRow, left_out
from eic_core.pool.list_variables import ListedVariables
from eic_core.pool.listing import (
    ListedScore,
    ListingData,
    RangeData,
    TableData,
    accuracy_keys,
    column_notes,
    counted_from,
    diagnose_listing,
    front_of,
    stored_scores,
)
from eic_core.pool.pick_phrases import also_rows
from eic_core.pool.picking import Pick, pick
from eic_core.pool.table_check import TableCheck
from eic_core.pool.tool_functions import protected_note, with_plain_functions
from eic_core.pool.traits import first_of, twins
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.heavy import QUICK_LIST, scores_and_check
from pages.ui.kit.inspector_service import DEFAULT_DOMAIN
from pages.ui.kit.jobs import Cancelled, Job, Jobs, Step, holding
from pages.ui.kit.visit import (
    MAX_URL,
    PageState,
    Query,
    change_state,
    current_visit,
    encoded_length,
)
from pages.ui.kit.wiring import scoring_slots, workers
from pages.ui.kit.workers import UNHURRIED, InThread, repeat_progress


@dataclass(frozen=True, slots=True)
class CompareState(PageState):
    """The state of the page Compare; `formula`, `syntax` and `base` are those of formula A.

    >>> state = CompareState("x+1", other="1+x", seed=3)
    >>> state.to_query()
    {'formula': ['x+1'], 'samples': ['10000'], 'seed': ['3'], 'b': ['1+x']}
    >>> CompareState.from_query(state.to_query()) == state
    True
    >>> state = CompareState(listed="x - 1\\nlog(x)", list_name="hall.txt")
    >>> sorted(state.to_query())
    ['list', 'list_file']
    >>> CompareState.from_query(state.to_query()) == state
    True
    >>> CompareState.from_query({"list": ["eNqr"]}).list_broken
    True
    """

    # other, other_syntax: formula B and its notation
    other: str = ""
    other_syntax: str = "auto"
    other_base: int | None = None  # What the variables of B count from
    list_base: int | None = None  # What the list's variables count from, if the user set it
    # listed, list_name: the list as a text, if it is one, and the name of its file
    listed: str = ""
    list_name: str = ""
    list_example: str = ""  # Key of the example that the list is, or ""
    list_broken: bool = False  # Whether the address brought a list that cannot be read

    def to_query(self) -> dict[str, list[str]]:
        """Query parameters that restore this state; B and the list are left out where too long."""
        query = PageState.to_query(self)
        if not self.formula:
            query.pop("formula", None)
        if self.other:
            more = {"b": [self.other]}
            if self.other_syntax != "auto":
                more["b_syntax"] = [self.other_syntax]
            if self.other_base is not None:
                more["b_base"] = [str(self.other_base)]
            if encoded_length(query | more) <= MAX_URL:
                query |= more
        if self.list_base is not None:
            query["list_base"] = [str(self.list_base)]
        if self.list_example:
            query["list_example"] = [self.list_example]
        elif self.listed:
            more = {"list": [pack_text(self.listed)]}
            if self.list_name:
                more["list_file"] = [self.list_name]
            if encoded_length(query | more) <= MAX_URL:
                query |= more
        return query

    @classmethod
    def from_query(cls, query: Query) -> CompareState:
        """Read query parameters; invalid ones are ignored."""
        shared = PageState.from_query(query)
        other = PageState.from_query(
            {
                "formula": query.get("b", ()),
                "syntax": query.get("b_syntax", ()),
                "base": query.get("b_base", ()),
            }
        )
        base = PageState.from_query({"base": query.get("list_base", ())}).base
        packed, example = ([*query.get(key, ()), ""][0] for key in ("list", "list_example"))
        listed = unpack_text(packed) if packed and not example else ""
        return cls(
            **{field.name: getattr(shared, field.name) for field in fields(PageState)},
            other=other.formula,
            other_syntax=other.syntax,
            other_base=other.base,
            list_base=base,
            listed=listed or "",
            list_name=[*query.get("list_file", ()), ""][0][:MAX_NAME] if listed else "",
            list_example=example[:MAX_NAME],
            list_broken=listed is None,
        )

    def inspector_state(self) -> PageState:
        return PageState(**{field.name: getattr(self, field.name) for field in fields(PageState)})


# Longest list that a link may unpack to, in bytes.
MAX_LIST = 100_000

MAX_NAME = 80


def pack_text(text: str) -> str:
    """A text in characters that a web address holds as they are.

    >>> unpack_text(pack_text("√x\\n" * 100)) == "√x\\n" * 100
    True
    """
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpack_text(packed: str) -> str | None:
    """The text of `pack_text`; None if it is none, or longer than `MAX_LIST`."""
    try:
        data = base64.b64decode(packed + "=" * (-len(packed) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        # Bounded: a short address may unpack to gigabytes.
        text = unpacking.decompress(data, MAX_LIST).decode()
    except (binascii.Error, zlib.error, ValueError):
        return None
    return text if unpacking.eof and text.strip() else None


_KEY = "compare-desk"


# The diagnosis of a front: of formulas with an EIC from here on, and of at most so many.
_LEAST_CAUSE, _MOST_CAUSES = 1.0, 60


@dataclass(frozen=True)
class Scored:
    """The scores of a list, its fronts and choices."""

    scores: tuple[ListedScore, ...]
    accuracies: dict[str, np.ndarray]  # See `eic_core.pool.listing.accuracy_keys`
    fronts: dict[str, np.ndarray]  # The front with each accuracy, and under "" without any
    check: TableCheck = TableCheck()  # Reasons against the table of the scores
    lacking: tuple[ListedScore, ...] = ()  # Without an R² where the others have one, or a score
    groups: tuple[tuple[int, ...], ...] = ()  # The twins of each, itself included
    _choices: dict[float, Pick | None] = field(default_factory=dict, repr=False)

    @cached_property
    def left_out(self) -> tuple[LeftOutRow, ...]:
        """A record for each of `lacking`."""
        return left_out((s.listed.row, s.listed.formula, s.score) for s in self.lacking)

    def choice(self, alpha: float) -> Pick | None:
        """The formula to take at `alpha` a digit; None without R² and EIC."""
        if alpha not in self._choices:
            self._choices[alpha] = None
            with suppress(DataError):
                self._choices[alpha] = pick(self.scores, alpha, groups=self.groups)
        return self._choices[alpha]

    @classmethod
    def of(
        cls,
        scores: tuple[ListedScore, ...],
        check: TableCheck = TableCheck(),  # noqa: B008
    ) -> Scored:
        """Scores with the front of each accuracy, and of none."""
        accuracies = accuracy_keys(scores)
        groups = twins(scores)
        counted = first_of(groups)
        fronts = {name: front_of(scores, values, counted) for name, values in accuracies.items()}
        fronts[""] = front_of(scores, None, counted)
        lacking = tuple(s for s in scores if s.score.left_out is not None)
        return cls(scores, accuracies, fronts, check, lacking, groups)

    def also(self, place: int) -> str:
        """The other rows of a formula, "" if there are none."""
        others = [self.scores[i].listed.row for i in self.groups[place] if i != place]
        return str(also_rows(others)) if others else ""

    @property
    def to_diagnose(self) -> list[int]:
        """Places on the front of formulas that may have a cause, the largest EIC first."""
        scores, members = self.scores, np.flatnonzero(self.fronts[self.default_accuracy])
        eics = {int(i): scores[i].score.eic for i in members}
        worth = [i for i, eic in eics.items() if not eic < _LEAST_CAUSE or scores[i].score.invalid]
        ranks = {i: -round(float(np.nan_to_num(eics[i], nan=np.inf)), 6) for i in worth}
        return sorted(worth, key=ranks.__getitem__)[:_MOST_CAUSES]

    @property
    def default_accuracy(self) -> str:
        """The first accuracy that at least half of the formulas have, or ""."""
        measured = np.array([not s.score.error for s in self.scores], dtype=bool)
        for name, values in self.accuracies.items():
            if 2 * np.count_nonzero(~np.isnan(values[measured])) >= np.count_nonzero(measured):
                return name
        return ""


@dataclass
class CompareDesk:
    """The list of one tab; the formulas A and B and the data are in the visit's state."""

    raw: bytes | str | None = None
    name: str = ""
    format: str = "auto"
    column: str | None = None
    syntax: str = ""  # The notation of all rows, "" for that of each
    imported: Imported | None = None
    variables: ListedVariables = field(default_factory=ListedVariables)
    error: UserError | None = None
    problem: str = ""
    as_stored: bool = False
    plain: bool = False  # Whether protected functions of tools are read as the plain ones
    findings: bool = False  # Whether each formula is diagnosed, too
    number: int = 0
    uploader: int = 0
    job: Job | None = None
    job_key: Hashable = None
    scored: Scored | None = None
    scored_for: Hashable = None
    table_confirmed_for: Hashable = None
    picked: tuple[int, ...] = ()
    linked: str = ""  # the text of the list as the address has it
    last_watched: float = field(default_factory=time.monotonic)
    last_state: CompareState | None = None

    def rows(self) -> tuple[Listed, ...]:
        """The rows of the chosen problem."""
        if self.imported is None:
            return ()
        if not self.problem:
            return self.imported.rows
        return tuple(row for row in self.imported.rows if row.problem == self.problem)

    @property
    def settled(self) -> bool:
        """Whether there are scores to show, of a table that is not in doubt."""
        if self.scored is None or self.scored_for != self.job_key:
            return False
        return self.scored.check.passed or self.table_confirmed_for == self.scored_for

    def look_at(self, problem: str) -> None:
        """Choose a problem; "" for all."""
        self.problem = problem
        self.variables = ListedVariables.of(self.rows())

    def variable_names(self, base: int | None) -> tuple[str, ...]:
        """The variables that get a range; as spelled if `base` is set."""
        return self.variables.names if base is None else self.variables.spelled


def compare_desk() -> CompareDesk:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = CompareDesk()
    desk: CompareDesk = st.session_state[_KEY]
    return desk


def read_list(raw: bytes | str, name: str = "", example: str = "") -> None:
    """Replace the list and detect its format; `example` is its key if it is one of ours."""
    desk = compare_desk()
    desk.linked = "" if example else _short_text(raw)
    change_state(
        listed=desk.linked,
        list_name=name[:MAX_NAME] if desk.linked else "",
        list_example=example,
        list_broken=False,
    )
    desk.raw, desk.name, desk.format, desk.column, desk.problem = raw, name, "auto", None, ""
    desk.syntax = ""
    _import(desk)
    if desk.imported is not None:
        desk.as_stored = desk.imported.format == "scored"
        several = len(desk.imported.problems) > 1
        desk.look_at(_likely_problem(desk.imported.problems) if several else "")


def _short_text(raw: bytes | str) -> str:
    """The list as a text for an address; "" if it is binary or too long."""
    if isinstance(raw, bytes):
        try:
            raw = raw.decode() if len(raw) <= MAX_LIST else ""
        except UnicodeDecodeError:
            return ""
    return raw if len(raw.encode(errors="replace")) <= MAX_LIST else ""


def _likely_problem(problems: tuple[str, ...]) -> str:
    """The problem that the table is named after, else the first."""
    table = current_visit().table
    stem = table.source.rpartition(".")[0] if table is not None else ""
    return stem if stem in problems else problems[0]


def read_list_again(**changes: Any) -> None:
    """Read the same list with another `format`, `column` or `syntax`."""
    desk = compare_desk()
    for key, value in changes.items():
        setattr(desk, key, value)
    _import(desk)
    desk.look_at(desk.problem)


@uninterrupted()
def read_plainly(plain: bool) -> None:
    """Read protected functions as the plain ones, or as their tool computes them."""
    desk = compare_desk()
    read_list_again()
    if desk.imported is None or not plain:
        return
    run = workers().run if len(desk.raw or "") > QUICK_LIST else InThread().run
    rows = run(with_plain_functions, desk.imported.rows)
    desk.imported, desk.plain = replace(desk.imported, rows=rows), True
    desk.look_at(desk.problem)


@uninterrupted()
def drop_list() -> None:
    desk = compare_desk()
    if desk.job is not None:
        desk.job.cancel()
    st.session_state[_KEY] = CompareDesk(uploader=desk.uploader + 1, number=desk.number + 1)
    change_state(listed="", list_name="", list_example="", list_broken=False)


def _import(desk: CompareDesk) -> None:
    desk.error = desk.imported = desk.scored = desk.scored_for = None
    desk.picked, desk.variables, desk.plain = (), ListedVariables(), False
    desk.number += 1
    if desk.raw is None:
        return
    try:
        run = workers().run if len(desk.raw) > QUICK_LIST else InThread().run
        desk.imported = run(
            import_formulas, desk.raw, name=desk.name, format=desk.format, column=desk.column
        )
    except UserError as error:
        desk.error = error
        return
    if desk.syntax:
        rows = tuple(replace(row, syntax=desk.syntax) for row in desk.imported.rows)
        desk.imported = replace(desk.imported, rows=rows)


def formula_text(listed: Listed) -> str:
    """A formula with the values of its parameters, as one text that can be read again.

    >>> formula_text(Listed(1, "x0*t0", parameters={"t0": "2"}))
    'x0*t0|theta=2'
    >>> formula_text(Listed(1, "x0*c1 + c10", parameters={"c1": "-2"}))
    'x0*(-2) + c10'
    """
    values = listed.parameters
    if not values or "theta=" in listed.formula:
        return listed.formula
    if all(f"t{i}" in values for i in range(len(values))):
        return f"{listed.formula}|theta={';'.join(values[f't{i}'] for i in range(len(values)))}"
    return _WORD.sub(lambda m: f"({values[m[0]]})" if m[0] in values else m[0], listed.formula)


_WORD = re.compile(r"[^\W\d]\w*")


# Most formulas times samples of one list; beyond, there are fewer samples, and a notice.
MAX_SCORINGS = 100_000_000

# Seconds after which scoring ends if no page polls its progress.
ABANDONED_AFTER = 300.0


def data_for(desk: CompareDesk, state: CompareState, table: Table | None) -> ListingData:
    """The data that a state names, with fewer samples where the list is long.

    `DataError` if its table is missing; for ranges see `variables_without_range`.
    """
    if table is not None:
        target = state.target if state.target in table.names else ""
        return TableData(table, target or "", state.list_base)
    if state.upload:
        raise DataError("the table is not here", hint="choose it under Data")
    count = min(state.samples, max(100, MAX_SCORINGS // max(1, len(desk.rows()))))
    # A base that the user sets reads every variable as spelled.
    names = desk.variables if state.list_base is None else None
    return RangeData(dict(state.domains), None, count, state.seed, names)


def variables_without_range(
    desk: CompareDesk, state: CompareState, table: Table | None
) -> tuple[str, ...]:
    """The variables that lack a range; the list cannot be scored without."""
    if desk.as_stored or table is not None or state.upload:
        return ()
    return tuple(n for n in desk.variable_names(state.list_base) if n not in dict(state.domains))


@uninterrupted()
def use_default_range(names: tuple[str, ...]) -> None:
    domains = dict(current_visit().state.domains)
    change_state(domains=tuple({**domains, **dict.fromkeys(names, DEFAULT_DOMAIN)}.items()))


@uninterrupted()
def want_table() -> None:
    current_visit().wants_table = True


@uninterrupted()
def confirm_table() -> None:
    desk = compare_desk()
    desk.table_confirmed_for = desk.scored_for


def detected_counting(desk: CompareDesk, state: CompareState, table: Table | None) -> str:
    """The finding of the counting switch; "" if it is set by hand, or nothing is scored yet."""
    if desk.as_stored or desk.scored is None or state.list_base is not None:
        return ""
    counted = counted_from(desk.scored.scores) if table is not None else desk.variables.examples
    return f"Detected: {phrases.counted(counted)}." if counted else ""


def scoring_notices(desk: CompareDesk, state: CompareState, table: Table | None) -> list[str]:
    """The assumptions behind the scores; user text stands in backticks."""
    if desk.as_stored:
        return ["These are the scores that the file brought; nothing was computed here."]
    notices: list[str] = []
    if desk.plain:
        notices.append("A tool's protected functions are read as the plain ones here.")
    elif desk.scored is not None and (note := protected_note(desk.scored.scores)):
        notices.append(note)
    if table is not None:
        against = desk.scored.check.reasons if desk.scored is not None else ()
        notices += column_notes(desk.scored.scores) if desk.scored is not None else []
        return notices + [f"You confirmed this table. {reason}" for reason in against]
    if desk.variables.mixed and state.list_base is None:
        notices.append(
            "These formulas count their variables "
            f"{phrases.counted(desk.variables.examples)}. Here all are counted from 0: "
            "`x0`, and `X1` of those that count from 1, are one variable."
        )
    elif desk.variables.followed is not None and state.list_base is None:
        *texts, base = desk.variables.followed
        silent, counted = (wording.shorten(" ".join(str(text).split()), 40) for text in texts)
        notices.append(
            f"Nothing says what the variables of `{silent}` are counted from: here from {base}, as "
            f"those of `{counted}`. If they count otherwise, write them as the others are written."
        )
    data = data_for(desk, state, None)
    if isinstance(data, RangeData) and data.count < state.samples:
        notices.append(f"Limited to {data.count:,} samples a formula: the list is long.")
    return notices


def scoring_key(desk: CompareDesk, state: CompareState) -> Hashable:
    """Everything that the scores depend on."""
    if desk.as_stored:
        return (desk.number, desk.problem)
    settings = desk.number, desk.problem, desk.findings, state.exponents
    if state.upload:
        return (*settings, state.upload, state.target, state.list_base)
    names = desk.variable_names(state.list_base)
    domains = tuple((n, d) for n, d in state.domains if n in names)
    drawn = (domains, state.samples, state.seed, state.list_base)
    return (*settings, *drawn)


def advance_scoring(desk: CompareDesk, state: CompareState, table: Table | None) -> None:
    """Begin to score the list for this state, or collect the finished scores."""
    key = scoring_key(desk, state)
    if desk.scored_for == key:
        return
    if desk.job is None or desk.job_key != key:
        if desk.job is not None:
            desk.job.cancel()
        desk.job_key = key
        desk.job = _begin(desk, data_for(desk, state, table), state.exponents)
        # Short lists are done within this run, so the page need not run twice.
        desk.job.wait(0.4)
    if not desk.job.running and isinstance(desk.job.result, Scored):
        desk.scored, desk.scored_for, desk.job = desk.job.result, key, None
        desk.picked = tuple(p for p in desk.picked if p < len(desk.scored.scores))


def _begin(desk: CompareDesk, data: ListingData, exponents: Exponents) -> Job:
    rows, as_stored, problem = desk.rows(), desk.as_stored, desk.problem
    findings = desk.findings
    if not as_stored:
        rows = tuple(replace(row, exponents=exponents) for row in rows)
    problems = desk.imported.problems if desk.imported is not None else ()
    desk.last_watched = time.monotonic()

    def work(step: Step) -> Scored:
        if as_stored:
            return Scored.of(stored_scores(rows))

        def report_progress(done: int, total: int) -> None:
            step(done, total)
            if time.monotonic() - desk.last_watched > ABANDONED_AFTER:
                raise Cancelled

        with holding(scoring_slots(), lambda: report_progress(0, len(rows))):
            progress, wait = repeat_progress(report_progress, 0, len(rows))
            # A list may take minutes: it must not be cut short as an inspection is.
            scores, check = workers().run(
                scores_and_check,
                rows,
                data,
                problem,
                problems,
                findings,
                progress=progress,
                wait=wait,
                seconds=UNHURRIED,
                long=True,
            )
            scored = Scored.of(scores, check)
            if not findings and (places := scored.to_diagnose):
                scores = workers().run(
                    diagnose_listing,
                    rows,
                    scores,
                    data,
                    places,
                    progress=progress,
                    wait=wait,
                    seconds=UNHURRIED,
                    long=True,
                )
            return replace(scored, scores=scores)

    return Jobs().start("scoring", "Scoring the list", work)
