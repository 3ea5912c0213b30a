"""Step 5: the design.  Each setting is saved as soon as it is changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from pages.ui.organising.desk import complaint, desk, forgive, go, heading, note, quiet, tried, warn
from pages.ui.organising.drafts import Draft
from pages.ui.organising.frame import onward
from pages.ui.text import prose
from pages.ui.undisturbed import undisturbed
from pages.ui.wiring import lab
from study.design import AttentionKind, ExclusionUnit, StudyDesign
from study.errors import StaleEditError
from study.material import Study
from study.organising import OrganiserService

Read = Callable[[Any], Any]
_ATTENTION = {
    str(AttentionKind.INSTRUCTED): "asks for one of the formulas",
    str(AttentionKind.OBVIOUS): "one formula plainly misses its data",
}
_UNITS = {
    str(ExclusionUnit.SESSION): "a rater’s whole session",
    str(ExclusionUnit.VOTE): "a single vote",
}
_LIMITS = {"": "any number", **{str(n): str(n) for n in range(4)}}
"""Texts, for to Streamlit None is no choice at all."""


def done(draft: Draft) -> bool:
    """Whether raters have a contact: the only setting without a default."""
    return bool(draft.study.design.contact.strip())


def view(service: OrganiserService, draft: Draft) -> None:
    """All settings, in groups."""
    del service
    study = draft.study
    quiet("Every change is saved at once. Nothing here can be changed after freezing, but the "
          "public address.")  # fmt: skip
    left, right = st.columns(2, gap="large")
    with left:
        heading("What raters read")
        _text(study, "title", "Title", 200)
        _text(study, "question", "Question on every ballot", 200)
        _area(study, "consent_text", "Consent text", 190)
        _number(study, "expected_minutes", "Expected minutes", 1, 240)
        _text(study, "contact", "Contact for raters", 200, "name@example.org")
        if not study.design.contact.strip():
            note("Raters need somebody to write to: fill this in before freezing.")
        _area(study, "debrief_text", "Debrief, shown at the end", 130)
    with right:
        _amount(draft)
        _ballots(study)
        _rules(study)
        _access(study)
    onward(study, "freeze", "Next: freeze")


def _amount(draft: Draft) -> None:
    study, design = draft.study, draft.study.design
    heading("How much")
    _number(study, "ballots_per_rater", "Ballots per rater", 1, 100)
    _number(study, "votes_per_pair", "Votes wanted on each pair", 1, 1000)
    pairs = len(draft.kept)
    if pairs:
        votes = pairs * design.votes_per_pair
        raters = -(-votes // design.ballots_per_rater)
        note(f"{pairs:,} pairs × {design.votes_per_pair} votes = {votes:,} votes, "
             f"which takes {raters:,} raters who finish.")  # fmt: skip
    st.button("How sure would that be? Plan it", key="plan-this", type="tertiary",
              icon=":material/straighten:", on_click=lambda: go(plan=study.id))  # fmt: skip


def _ballots(study: Study) -> None:
    heading("On the ballots")
    _check(study, "practice", "A practice ballot with feedback comes first")
    _check(study, "allow_tie", "Offer “cannot decide”")
    _check(study, "ask_reason", "Offer a line for a reason")
    _number(study, "attention_checks", "Attention checks among the ballots", 0, 3)
    if study.design.attention_checks:
        _choice(study, "attention_kind", "A check", _ATTENTION, AttentionKind)
        _choice(study, "max_failed_attention", "Failed checks allowed", _LIMITS, _limit)


def _rules(study: Study) -> None:
    heading("What counts")
    _number(study, "exclusion_seconds", "Leave out what took less than, in seconds", 0.0, 86400.0)
    _choice(study, "exclusion_unit", "… applied to", _UNITS, ExclusionUnit)


def _access(study: Study) -> None:
    heading("When and where")
    deadline = _follow(study, "deadline", _naive)
    st.datetime_input(
        "Deadline, UTC (empty: none)", st.session_state[deadline], key=deadline,
        min_value=datetime(2020, 1, 1), max_value=datetime(2100, 1, 1),
        on_change=_save, args=(study, "deadline", _aware),
    )  # fmt: skip
    _wrong(study, "deadline")
    _number(study, "reservation_minutes", "Minutes that a pair waits for a silent rater", 1, 1440)
    _check(study, "inspector_open_during_study", "Visitors may use the inspector meanwhile")
    if study.design.inspector_open_during_study:
        warn("The inspector shows EIC: a rater who opens it is no longer blind.")
    elif lab().demo:
        quiet("In this demo the inspector stays open in any case.")
    address(study)


def address(study: Study) -> None:
    """The public address, with a warning where links would reach nobody."""
    _text(study, "public_base_url", "Public address of this app", 300)
    if study.design.is_local:
        warn("Links would open on this computer only. Set the address under which raters reach "
             "the app, such as `https://study.example.org`, before you send any.")  # fmt: skip


# --- one setting ---


def _text(study: Study, name: str, label: str, limit: int, example: str = "") -> None:
    key = _follow(study, name)
    st.text_input(label, st.session_state[key], key=key, max_chars=limit, placeholder=example,
                  on_change=_save, args=(study, name, str))  # fmt: skip
    _wrong(study, name)


def _area(study: Study, name: str, label: str, height: int) -> None:
    key = _follow(study, name)
    st.text_area(label, st.session_state[key], key=key, max_chars=10_000, height=height,
                 on_change=_save, args=(study, name, str))  # fmt: skip
    _wrong(study, name)


def _number(study: Study, name: str, label: str, low: float, high: float) -> None:
    key = _follow(study, name)
    st.number_input(label, low, high, st.session_state[key], key=key, on_change=_save, width=260,
                    args=(study, name, type(low)), format="%g" if isinstance(low, float) else None)
    _wrong(study, name)


def _check(study: Study, name: str, label: str) -> None:
    key = _follow(study, name)
    st.checkbox(label, st.session_state[key], key=key, on_change=_save, args=(study, name, bool))
    _wrong(study, name)


def _choice(study: Study, name: str, label: str, words: dict[str, str], read: Read) -> None:
    key, options = _follow(study, name, _plain), list(words)
    st.selectbox(label, options, options.index(st.session_state[key]), key=key, on_change=_save,
                 format_func=words.__getitem__, args=(study, name, read), width=320)  # fmt: skip
    _wrong(study, name)


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


def _limit(value: str) -> int | None:
    return int(value) if value else None


def _naive(value: datetime | None) -> datetime | None:
    return None if value is None else value.astimezone(UTC).replace(tzinfo=None)


def _aware(value: datetime | None) -> datetime | None:
    return None if value is None else value.replace(tzinfo=UTC)


def _place(study: Study, name: str) -> str:
    return f"design:{study.id}:{name}"


def _follow(study: Study, name: str, shown: Read = lambda value: value) -> str:
    """The widget shows what is stored, unless what was typed could not be saved."""
    key = _place(study, name)
    if key not in desk().errors:
        value = shown(getattr(study.design, name))
        if key not in st.session_state or st.session_state[key] != value:
            st.session_state[key] = value
        desk().kept[f"based:{key}"] = study.design
    elif key not in st.session_state:
        st.session_state[key] = desk().kept.get(f"mine:{key}")
    return key


@undisturbed()
def _save(study: Study, name: str, read: Read) -> None:
    key = _place(study, name)
    based_on: StudyDesign = desk().kept[f"based:{key}"]
    desk().kept[f"mine:{key}"] = st.session_state[key]

    def do(service: OrganiserService) -> None:
        design = dataclasses.replace(based_on, **{name: read(st.session_state[key])})
        service.edit(study.id, design=design, based_on=based_on)

    if tried(key, do):
        st.toast("Saved.", icon=":material/check:", duration=2)


def _wrong(study: Study, name: str) -> None:
    """What is wrong with this setting, and the ways out."""
    key = _place(study, name)
    error = desk().errors.get(key)
    if not complaint(key):
        return
    stored = getattr(study.design, name)
    if isinstance(error, StaleEditError):
        st.html(f'<p class="eic-quiet">Stored now: {prose(str(stored) or "(empty)")}</p>')
    with st.container(horizontal=True):
        if isinstance(error, StaleEditError):
            st.button("Keep mine", key=f"mine:{key}", on_click=_insist, args=(study, name))
        st.button("Take what is stored", key=f"stored:{key}",
                  on_click=forgive, args=(key,))  # fmt: skip


@undisturbed()
def _insist(study: Study, name: str) -> None:
    """Save mine over what is stored now, which the organiser has just been shown."""
    key = _place(study, name)
    desk().kept[f"based:{key}"] = study.design
    reads: dict[str, Read] = {"deadline": _aware, "max_failed_attention": _limit}
    _save(study, name, reads.get(name, type(getattr(study.design, name))))
