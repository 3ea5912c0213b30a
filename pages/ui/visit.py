"""One browser tab's visit: its state, its uploads, its history, kept in step with the URL.

Callbacks call `change`; the script calls `follow_url` once, first.  A rerun with
a query that this visit did not write (back button, edited address) replaces
the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from eic_core.errors import UserError
from eic_core.measure.table import Table
from pages.ui.jobs import Job
from pages.ui.service import Aside, Request, Result
from pages.ui.state import PageState
from pages.ui.undisturbed import undisturbed

_KEY = "visit"
MAX_HISTORY = 50
MAX_UPLOADS = 3


@dataclass
class Visit:
    """What the server remembers of one tab."""

    state: PageState = field(default_factory=PageState)
    query_written: tuple[tuple[str, tuple[str, ...]], ...] | None = None
    first: bool = True
    arrived: bool = False
    history: list[PageState] = field(default_factory=list)
    undone: list[PageState] = field(default_factory=list)
    uploads: dict[str, Table] = field(default_factory=dict)
    last_good: Result | None = None
    unfolded: frozenset[int] = frozenset()
    summarised: Request | None = None
    summary_job: Job | None = None
    refused: Table | None = None
    upload_error: UserError | None = None
    wants_table: bool = False
    data_error: str = ""
    table_order: tuple[int, ...] = ()
    table_row: int = -1
    uploader: int = 0
    asked: tuple[Request, ...] = ()
    aside: Aside = field(default_factory=Aside)
    finishing: Job | None = None
    seen: float = 0.0

    @property
    def table(self) -> Table | None:
        """The table that the state names, if it is here."""
        return self.uploads.get(self.state.upload)

    def asking(self, *requests: Request) -> Aside:
        """Where what is incomplete of these requests stays: as long as they are asked for."""
        if requests != self.asked:
            if self.finishing is not None:
                self.finishing.cancel()
            self.asked, self.aside, self.finishing = requests, Aside(), None
        return self.aside


def visit() -> Visit:
    """The visit of this tab."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Visit()
    found: Visit = st.session_state[_KEY]
    return found


def follow_url(welcome: PageState) -> Visit:
    """Take up the URL if it changed under us; a bare first visit gets `welcome`.

    The state is of the kind that `welcome` is: another page's state gives way.
    """
    here = visit()
    query = _query()
    kind = type(welcome)
    here.arrived = type(here.state) is not kind
    if here.query_written is None or query != here.query_written or here.arrived:
        bare = not query
        here.state = welcome if bare else kind.from_query(dict(query))
        here.first = bare
        here.wants_table = bool(here.state.upload)
        here.unfolded = frozenset()
        here.query_written = query
    return here


@undisturbed()
def change(**changes: Any) -> None:
    """Change the state and write it to the URL; a new formula goes into the history."""
    here = visit()
    new = replace(here.state, **changes)
    if new == here.state:
        return
    if new.formula != here.state.formula:
        here.history = [*here.history, here.state][-MAX_HISTORY:]
        here.undone = []
    _show(here, new)


def write_url() -> None:
    """Put the state into the URL, where a bare address has brought an earlier state back."""
    here = visit()
    if not st.query_params:
        st.query_params.from_dict(here.state.to_query())
        here.query_written = _query()


@undisturbed()
def go_back() -> None:
    """Return to the formula before this one."""
    here = visit()
    if here.history:
        here.undone.append(here.state)
        _show(here, here.history.pop())


@undisturbed()
def go_forward() -> None:
    """Return to the formula that `go_back` left."""
    here = visit()
    if here.undone:
        here.history.append(here.state)
        _show(here, here.undone.pop())


def keep_upload(table: Table) -> None:
    """Keep a table for this tab, the newest few."""
    here = visit()
    here.uploads.pop(table.digest, None)
    here.uploads[table.digest] = table
    while len(here.uploads) > MAX_UPLOADS:
        here.uploads.pop(next(iter(here.uploads)))


def _show(here: Visit, new: PageState) -> None:
    if new.formula != here.state.formula:
        here.unfolded = frozenset()
    if new.upload or here.state.upload:
        here.wants_table = bool(new.upload)
    here.state = new
    here.first = False
    st.query_params.from_dict(new.to_query())
    here.query_written = _query()


def _query() -> tuple[tuple[str, tuple[str, ...]], ...]:
    names = sorted(st.query_params)
    return tuple((name, tuple(st.query_params.get_all(name))) for name in names)


def follow(key: str, value: Any) -> str:
    """Make the widget `key` show `value`; call before drawing it, and give it the value as well.

    Where a second run follows before the browser has drawn the first, the two are merged on the
    way, and of a widget that was only set through the session state nothing is left but its
    default (ADR 0010): so the default must be the value, too.

    Coming from a page with a widget of the same key, the key still has that one's value, which
    the new widget would not take over.
    """
    stale = visit().arrived or key not in st.session_state
    if stale or st.session_state.get(key) != value:
        st.session_state[key] = value
    return key


def widget_values(prefix: str) -> Mapping[str, Any]:
    """Values of the widgets whose key starts with `prefix`, by the rest of the key."""
    return {
        str(key)[len(prefix) :]: value
        for key, value in st.session_state.items()
        if str(key).startswith(prefix)
    }
