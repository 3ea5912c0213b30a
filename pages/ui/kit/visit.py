"""One browser tab's visit: its state, and the address that holds it.

One frozen `PageState` is the truth of a visit: widgets follow it, callbacks make a new one with
`change_state`, and the URL carries it. The script calls `sync_with_url` once, first. Unreadable
parts of a URL are ignored, never an error.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st
from cachetools import LRUCache

from eic_core.errors import UserError
from eic_core.explain.budget import TOLERANCE
from eic_core.formula.syntax import EXPONENTS, canonical_name
from eic_core.formula.syntax.names import may_hold
from eic_core.formula.tree import Exponents
from eic_core.measure.table import Table
from eic_core.samples import DEFAULT_SAMPLES, Domain
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.inspector_service import InspectionRequest, InspectionResult
from pages.ui.kit.jobs import Job
from pages.ui.kit.text import clean
from pages.ui.kit.workers import current_visitor

MAX_SAMPLES = 1_000_000
SAMPLES_OF_OLD_LINKS = 1_000
"""Samples of a link without their number: links of today always state it."""
MAX_SEED = 2**31 - 1
MAX_EFFORT = 64
MAX_URL = 6_000
"""Longest query of a URL, in encoded characters."""
ASKED_FIRST = "where"
ASKS = (ASKED_FIRST, "noise", "rows", "writing", "instead", "truth", "digits")
"""The questions that the inspector answers, as the URL names them."""
PARAMETERS = frozenset(
    "formula syntax exponents range kept samples seed node base data file map target target_by ask "
    "tolerance effort b b_syntax b_base list list_file list_base list_example".split()
)
"""The parameters of the pages' links; another one is the range of the variable of its name."""
BRANCHES, SERIES = "branches", "series"
"""Kinds of forms that may be offered: those that choose, and approximations by a series."""
_WHOLE_NUMBERS = {"samples": (1, MAX_SAMPLES), "seed": (0, MAX_SEED), "effort": (1, MAX_EFFORT)}
_OF_A_CAMPAIGN = re.compile("utm_.*|.*clid")  # What other sites add to addresses
_RANGE = re.compile(r"[\w.+-]{1,40}(:[\w.+-]{1,40}){1,2}")
_MAX_ITEMS = 200
_MAX_NAME = 200
_LISTED_PROBLEMS = 5

Query = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class PageState:
    """The state of the inspector.

    >>> state = PageState("sin(x)", domains=(("x", Domain("uniform", 0.0, 1.0)),), node=1)
    >>> state.to_query()
    {'formula': ['sin(x)'], 'range': ['x=0.0:1.0'], 'samples': ['10000'], 'node': ['1']}
    >>> PageState.from_query(state.to_query()) == state
    True
    """

    formula: str = ""  # as typed; "" shows the empty page
    syntax: str = "auto"  # a notation, or "auto"
    # Domains of variables; the others take the default range
    domains: tuple[tuple[str, Domain], ...] = ()
    samples: int = DEFAULT_SAMPLES
    seed: int = 0
    node: int | None = None  # selected; None means the worst step
    exponents: Exponents = "exact"  # how literal exponents are read
    base: int | None = None  # index of the first column, if the user chose it
    upload: str = ""  # digest of the table
    upload_name: str = ""
    mapping: tuple[tuple[str, str], ...] = ()  # the user's choices; the rest is matched
    target: str | None = None  # column to compare with; "" for none, None for the default
    ask: str = ASKED_FIRST  # one of `ASKS`
    tolerance: float = TOLERANCE  # of the digit budget, above 0 and at most 1
    # Names of `domains` that were chosen for an example or a formula before this one
    carried: tuple[str, ...] = ()
    # Without a target: the column that fits best; in links made before there was one, the last
    best_target: bool = True
    effort: int = 1  # of what is dear, as a multiple of the normal one

    def to_query(self) -> dict[str, list[str]]:
        """The query parameters that restore this state, most defaults left out; see `fits_url`."""
        query = {"formula": [self.formula], **self._stated("syntax", "exponents")}
        query |= self._data_query() | self._stated("node", "ask", "tolerance", "effort")
        # A link too long loses its formula first, then the rest (`fits_url`).
        for key in ("formula", "map", "range", "kept", "target", "file"):
            if encoded_length(query) <= MAX_URL:
                break
            query.pop(key, None)
        return query

    def _stated(self, *names: str) -> dict[str, list[str]]:
        """The parameters of those fields that have no default value."""
        values = ((name, getattr(self, name)) for name in names)
        defaults = PageState.__dataclass_fields__
        return {name: [str(value)] for name, value in values if value != defaults[name].default}

    def _data_query(self) -> dict[str, list[str]]:
        """The parameters of the samples or of the table."""
        query: dict[str, list[str]] = {}
        if self.domains and not self.upload:
            query["range"] = [f"{name}={domain}" for name, domain in self.domains]
            if self.carried:
                query["kept"] = list(self.carried)
        if not self.upload and (self.formula or self.samples != DEFAULT_SAMPLES):
            query["samples"] = [str(self.samples)]
        query |= self._stated("seed")
        if self.upload:
            query |= {"data": [self.upload], "file": [self.upload_name]}
        query |= self._stated("base")
        if self.mapping:
            query["map"] = [f"{variable}={column}" for variable, column in self.mapping]
        if self.upload and self.target is None and self.best_target:
            query["target_by"] = ["fit"]
        return query | self._stated("target")

    @property
    def fits_url(self) -> bool:
        """Whether the URL carries all of it."""
        return "formula" in self.to_query()

    @classmethod
    def from_query(cls, query: Query) -> PageState:
        """Read query parameters; wrong ones are ignored."""

        def one(key: str) -> str | None:
            values = query.get(key)
            return values[-1] if values else None

        upload = (one("data") or "").lower()
        if not (len(upload) == 12 and all(c in "0123456789abcdef" for c in upload)):
            upload = ""
        syntax, ask = one("syntax") or "auto", one("ask")
        by_name, _ = _named_ranges(query)
        old = one("formula") and (not by_name or "range" in query)
        default_samples = SAMPLES_OF_OLD_LINKS if old else DEFAULT_SAMPLES
        domains = tuple({**by_name, **_parsed(query.get("range", ()))[0]}.items())
        exponents = next((each for each in EXPONENTS if each == one("exponents")), EXPONENTS[0])
        return cls(
            formula=one("formula") or "",
            syntax=syntax if syntax.isidentifier() and len(syntax) < 30 else "auto",
            exponents=exponents,
            domains=domains,
            carried=tuple(name for name, _ in domains if name in query.get("kept", ())),
            samples=_integer(one("samples"), 1, MAX_SAMPLES, default_samples),
            seed=_integer(one("seed"), 0, MAX_SEED, 0),
            node=_optional_integer(one("node"), 0, 100_000),
            base=_optional_integer(one("base"), 0, 1),
            upload=upload,
            upload_name=(one("file") or "")[:_MAX_NAME] if upload else "",
            mapping=_pairs(query.get("map", ())),
            target=one("target"),
            best_target=not upload or one("target") is not None or one("target_by") == "fit",
            ask=ask if ask in ASKS else ASKED_FIRST,
            tolerance=_share(one("tolerance"), TOLERANCE),
            effort=_integer(one("effort"), 1, MAX_EFFORT, 1),
        )


def encoded_length(query: Query) -> int:
    """Length of the query in the address bar."""
    return len(urlencode(query, doseq=True))


def _integer(text: str | None, low: int, high: int, default: int) -> int:
    value = _optional_integer(text, low, high)
    return default if value is None else value


def _optional_integer(text: str | None, low: int, high: int) -> int | None:
    if text is None or len(text) > 12 or not text.isascii() or not text.isdecimal():
        return None
    return min(max(int(text), low), high)


def _named_ranges(query: Query) -> tuple[dict[str, Domain], dict[str, str]]:
    """The ranges by names of variables, and why other parameters are none, by their text.

    >>> domains, problems = _named_ranges({"formula": ["x_1"], "x_1": ["1:5"], "y": ["2"]})
    >>> domains, problems
    ({'x1': Domain(kind='uniform', low=1.0, high=5.0)}, {'y=2': 'the formula has no `y`'})
    >>> _named_ranges({"formula": ["a+b"], "b": ["1:9"]})[0]
    {'b': Domain(kind='uniform', low=1.0, high=9.0)}
    """
    formula = ["", *query.get("formula", ())][-1]
    names = ((canonical_name(key.strip()), key) for key in list(query)[:_MAX_ITEMS])
    texts = {
        name: f"{name}={query[key][-1]}"
        for name, key in names
        if query[key] and _names_a_variable(key, query[key][-1])
    }
    domains, problems = _parsed(texts.values())
    for name in [name for name in domains if not may_hold(formula, name)]:
        del domains[name]
        problems[texts.get(name, name)] = f"the formula has no `{name}`"
    return domains, problems


def _names_a_variable(key: str, text: str) -> bool:
    if key == "b":  # a formula for Compare, which no range is
        return _RANGE.fullmatch(text) is not None
    return key not in PARAMETERS and not _OF_A_CAMPAIGN.fullmatch(key)


def _parsed(texts: Iterable[str]) -> tuple[dict[str, Domain], dict[str, str]]:
    domains, problems = Domain.parse_all(list(texts)[:_MAX_ITEMS])
    plain = {text: problem.replace("`", "") for text, problem in problems.items()}
    return {name[:_MAX_NAME]: domain for name, domain in domains.items()}, plain


def query_problems(query: Query) -> tuple[str, ...]:
    """The parts of a query that were ignored or changed, a sentence each.

    >>> query_problems({"range": ["x=5:1", "y=1:2"], "samples": ["9"], "seed": ["7"]})
    ('`range=x=5:1` in the address is not used: the range 5:1 is upside down: write 1:5.',)
    >>> query_problems({"formula": ["2*seed"], "seed": ["1:5"]})
    ('`seed=1:5` in the address is not used: a variable of this name takes `range=seed=1:5`.',)
    """
    unread = {f"range={text}": why for text, why in _parsed(query.get("range", ()))[1].items()}
    problems = [_not_used(*each) for each in {**_named_ranges(query)[1], **unread}.items()]
    formula = ["", *query.get("formula", ())][-1]
    for key in sorted(PARAMETERS - {"formula", "range", "map", "b", "list"}):
        text = ["", *query.get(key, ())][-1]
        low, high = _WHOLE_NUMBERS.get(key, (0, 0))
        value = _optional_integer(text, low, high)
        if _RANGE.fullmatch(text) and may_hold(formula, key):
            reason = f"a variable of this name takes `range={key}={text}`"
            problems.append(_not_used(f"{key}={text}", reason))
        elif not text or key not in _WHOLE_NUMBERS:
            continue
        elif value is None:
            reason = f"it is no whole number from {low:,} to {high:,}"
            problems.append(_not_used(f"{key}={text}", reason))
        elif int(text) != value:
            quoted = clean(f"{key}={text}", 60)
            problems.append(f"`{quoted}` in the address is taken as {value:,}.")
    return tuple(problems[:_LISTED_PROBLEMS])


def _not_used(text: str, reason: str) -> str:
    quoted = clean(text, 60).replace("`", "")
    return f"`{quoted}` in the address is not used: {reason}."


def _share(text: str | None, default: float) -> float:
    """A number above 0 and at most 1."""
    try:
        value = float((text or "")[:40])
    except ValueError:
        return default
    return value if 0 < value <= 1 else default


def _pairs(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs: dict[str, str] = {}
    for text in list(texts)[:_MAX_ITEMS]:
        name, equals, column = text.partition("=")
        if name and equals and column:
            pairs[name[:_MAX_NAME]] = column
    return tuple(pairs.items())


_KEY = "visit"
MAX_HISTORY = 50
MAX_RECENT = 10
MAX_UPLOADS = 3


_SHARED = PageState.__slots__  # by the states of all pages


class Edit(NamedTuple):
    """A change of the formula: the states on both sides of it."""

    before: PageState
    after: PageState

    def undo(self, state: PageState) -> PageState:
        """The state with what the edit changed as it was; what was changed since stays.

        >>> edit = Edit(PageState("x", seed=1), PageState("x+1", seed=1))
        >>> undone = edit.undo(PageState("x+1", seed=2))
        >>> undone.formula, undone.seed
        ('x', 2)
        """
        pairs = {name: (getattr(self.before, name), getattr(self.after, name)) for name in _SHARED}
        changed = {name: before for name, (before, after) in pairs.items() if before != after}
        return replace(state, **changed)


@dataclass(frozen=True)
class TypedEnds:
    """Two numbers typed as the ends of a range, for which they are unfit."""

    formula: str  # they belong to
    domain: Domain  # counts until they are mended
    low: float
    high: float
    problem: str

    def about(self, formula: str, domain: Domain) -> bool:
        """Whether they still stand for that domain of that formula."""
        return (self.formula, self.domain) == (formula, domain)


@dataclass
class Visit:
    """The server's memory of one tab."""

    state: PageState = field(default_factory=PageState)
    query_written: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    query_problems: tuple[str, ...] = ()
    arrived: bool = False
    history: list[Edit] = field(default_factory=list)
    undone: list[Edit] = field(default_factory=list)
    # By query: what a tab has shown, for the browser's Back; a URL may be too long to hold it
    states: LRUCache[Hashable, PageState] = field(default_factory=lambda: LRUCache(MAX_HISTORY))
    recent: tuple[PageState, ...] = ()  # the last inputs, the newest first
    uploads: LRUCache[str, Table] = field(default_factory=lambda: LRUCache(MAX_UPLOADS))
    last_good: InspectionResult | None = None
    unfolded: frozenset[int] = frozenset()
    pressed: bool = False  # something that stays out of the address: it may be that of a run before
    summarised: InspectionRequest | None = None
    summary_job: Job | None = None
    refused: Table | None = None
    upload_error: UserError | None = None
    wants_table: bool = False
    typed_ends: dict[str, TypedEnds] = field(default_factory=dict)
    uploader: int = 0
    folded: int = 0  # how often Inspect has folded the data panel
    shows_data: bool = False  # asked for by a button, until a formula comes
    name: str = field(default_factory=secrets.token_hex)
    language: str = "numpy"
    own_form: tuple[str, str] = ("", "")  # a formula, and the proposed form of it
    kinds: frozenset[str] = frozenset((BRANCHES, SERIES))  # of forms that are offered, beside plain

    @property
    def table(self) -> Table | None:
        """The table of the state, if it has arrived."""
        return self.uploads.get(self.state.upload)


def current_visit() -> Visit:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Visit()
    visit: Visit = st.session_state[_KEY]
    current_visitor.set(visit.name)
    return visit


def sync_with_url(welcome: PageState) -> Visit:
    """Take up the URL if it changed under us; a bare first visit gets `welcome`."""
    visit = current_visit()
    query = _query()
    kind = type(welcome)  # the state of a page of another kind gives way
    visit.arrived = type(visit.state) is not kind
    pressed, visit.pressed = visit.pressed, False
    if visit.arrived or (query != visit.query_written and not pressed):
        _remember(visit)
        bare = not query
        before = visit.states.get((kind, query))
        visit.state = welcome if bare else before or kind.from_query(dict(query))
        # The browser has gone to where an edit came from.
        for edits, undone in ((visit.history, visit.undone), (visit.undone, visit.history)):
            if edits and edits[-1].before == visit.state:
                _undo_edit(edits, undone)
                break
        visit.query_problems = query_problems(dict(query))
        visit.wants_table = bool(visit.state.upload)
        visit.unfolded = frozenset()
        visit.query_written = query
    return visit


@uninterrupted()
def change_state(**changes: Any) -> None:
    """Change the state and the URL; a new formula goes into the history."""
    visit = current_visit()
    new = replace(visit.state, **changes)
    if new == visit.state:
        return
    if new.formula != visit.state.formula:
        new = replace(new, effort=1)
        visit.history = [*visit.history, Edit(visit.state, new)][-MAX_HISTORY:]
        visit.undone = []
    _replace_state(visit, new)


def write_url() -> None:
    """Put the state into the URL, where a bare address has brought an earlier state back."""
    visit = current_visit()
    if not st.query_params:
        st.query_params.from_dict(visit.state.to_query())
        visit.query_written = _query()


def choose_domains(chosen: Mapping[str, Domain]) -> None:
    """Change ranges of the present formula; those of its other variables stay."""
    state = current_visit().state
    change_state(
        domains=tuple({**dict(state.domains), **chosen}.items()),
        carried=tuple(name for name in state.carried if name not in chosen),
    )


def _undo_edit(edits: list[Edit], undone: list[Edit]) -> Edit:
    edit = edits.pop()
    undone.append(Edit(edit.after, edit.before))
    return edit


@uninterrupted()
def go_back() -> None:
    visit = current_visit()
    if visit.history:
        _replace_state(visit, _undo_edit(visit.history, visit.undone).undo(visit.state))


@uninterrupted()
def go_forward() -> None:
    visit = current_visit()
    if visit.undone:
        _replace_state(visit, _undo_edit(visit.undone, visit.history).undo(visit.state))


def keep_upload(table: Table) -> None:
    """Keep a table for this tab, among the last few that it used."""
    visit = current_visit()
    visit.uploads.pop(table.digest, None)
    visit.uploads[table.digest] = table


def _remember(visit: Visit) -> None:
    """Put the state that is about to be left among the last inputs."""
    left = visit.state
    if left.formula.strip():
        others = [each for each in visit.recent if each.formula != left.formula]
        visit.recent = (left, *others)[: MAX_RECENT + 1]  # one of them may be shown


def _replace_state(visit: Visit, new: PageState) -> None:
    if new.formula != visit.state.formula:
        visit.unfolded = frozenset()
    _remember(visit)
    if new.upload or visit.state.upload:
        visit.wants_table = bool(new.upload)
    visit.state = new
    visit.query_problems = ()
    st.query_params.from_dict(new.to_query())
    visit.query_written = _query()
    visit.states[type(new), visit.query_written] = new


def _query() -> tuple[tuple[str, tuple[str, ...]], ...]:
    names = sorted(st.query_params)
    return tuple((name, tuple(st.query_params.get_all(name))) for name in names)


def sync_widget(key: str, value: Any) -> str:
    """Make the widget `key` show `value`; call before drawing it, and give it the value as well."""
    # Where a second run follows before the browser has drawn the first, the two are merged on the
    # way, and a widget that was only set through the session state falls back to its default (ADR
    # 0012): so the default must be the value, too.
    # Another page's widget of the same key leaves its value, which a new widget does not replace.
    stale = current_visit().arrived or key not in st.session_state
    if stale or st.session_state.get(key) != value:
        st.session_state[key] = value
    return key


def request_of(state: PageState) -> InspectionRequest:
    """The part of the state on which numbers depend."""
    return InspectionRequest(
        formula=state.formula,
        syntax=state.syntax,
        exponents=state.exponents,
        domains=() if state.upload else state.domains,
        carried=() if state.upload else state.carried,
        samples=state.samples,
        seed=state.seed,
        base=state.base,
        upload=state.upload,
        mapping=state.mapping,
        target=state.target,
        best_target=state.best_target,
        effort=state.effort,
    )
