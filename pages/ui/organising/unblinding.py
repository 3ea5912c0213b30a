"""Looking at results before the end: what it costs, the confirmation, and the band afterwards."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.organising.desk import act, complaint, empty, go, note, quiet, told
from pages.ui.organising.studies import date
from pages.ui.text import label
from study.material import Study
from study.organising import OrganiserService
from study.unblinding import COST, Look

_TIMES = {1: "once", 2: "twice"}


def closed_door(study: Study, votes: int) -> None:
    """In place of a report: no result, and how to look all the same."""
    empty(
        "No result is shown while the study is open",
        "Close the study under Live when it has run its course: then its report stands here. "
        "That is what the numbers of the report are made for.",
    )
    with st.expander("Look before the end…", key="look-early"):
        _form(study, (), votes, "Look now")


def open_band(study: Study, looks: Sequence[Look], votes: int) -> None:
    """Above a report of an open study: how often it was looked at, and the next look."""
    last = looks[-1]
    st.html(
        '<div class="eic-band" role="note"><p><b>The study is still open. Its results were looked '
        f"at {times(len(looks))}.</b> This is what the {last.votes:,} votes cast by "
        f"{date(last.at)} say. {_later(votes - last.votes)} Every later report says when it was "
        f"looked at.</p></div>"
    )
    told("look")
    if votes > last.votes:
        with st.expander("Look at the votes that came since…", key="look-again"):
            _form(study, looks, votes, "Look again")


def times(count: int) -> str:
    """How often.

    Examples
    --------
    >>> times(1), times(2), times(5)
    ('once', 'twice', '5 times')
    """
    return _TIMES.get(count, f"{count} times")


def _later(count: int) -> str:
    if count <= 0:
        return "No vote has come since."
    return "One vote that came since is not in it." if count == 1 else (
        f"The {count:,} votes that came since are not in it."
    )  # fmt: skip


def _form(study: Study, looks: Sequence[Look], votes: int, verb: str) -> None:
    key = f"look-name-{study.id}-{len(looks)}"

    def look(service: OrganiserService) -> str:
        done = service.early.look(
            study.id, confirmed=str(st.session_state.get(key, "")), after=len(looks)
        )
        go(study=study.id, step="report")
        return f"The look at {done.votes:,} votes is in the log."

    note(COST)
    quiet(
        f"The look is written into the study's log with its time and the {votes:,} votes cast by "
        "now, it cannot be taken back, and every later report prints it. No rater is told."
    )
    with st.form(f"look-{study.id}-{len(looks)}", border=False):
        st.text_input(
            f"To confirm, type the study’s name: {label(study.name)}", key=key,
            autocomplete="off", max_chars=100,
        )  # fmt: skip
        complaint("look")
        st.form_submit_button(verb, type="primary", on_click=act, args=("look", look))
