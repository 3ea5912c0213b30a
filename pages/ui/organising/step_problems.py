"""Step 1: the problems, their data, and what raters are told of them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.ui.organising.demo import problems_of_demo
from pages.ui.organising.desk import (
    act,
    complaint,
    desk,
    empty,
    forget,
    heading,
    note,
    quiet,
    seen,
    told,
    tried,
    warn,
)
from pages.ui.organising.drafts import Draft
from pages.ui.organising.frame import onward
from pages.ui.organising.problem_files import Upload, read_files
from pages.ui.text import code_label, escape, prose
from pages.ui.undisturbed import undisturbed
from study.material import Column, Problem
from study.organising import OrganiserService

HELP = (
    "One CSV file for each problem, named as the pool names the problem: one or two columns of "
    "inputs, then the target. A file problems.json with titles, descriptions and units may come "
    "along."
)


def done(draft: Draft) -> bool:
    """Whether there are problems."""
    return bool(draft.problems)


def view(service: OrganiserService, draft: Draft) -> None:
    """List, describe, add."""
    del service
    quiet(
        "A problem is a table of data that formulas were found for. Raters see its title, its "
        "description and a plot."
    )
    told("problems")
    complaint("problems")
    if not draft.problems:
        empty("No problems yet", "Add the tables below, or take those of the demo.")
    for problem in draft.problems:
        _row(draft, problem)
    _pending(draft)
    _add(draft)
    if draft.problems:
        onward(draft.study, "pool", "Next: the pool")


def _row(draft: Draft, problem: Problem) -> None:
    names = draft.columns[problem.name]
    key = f"{draft.study.id}:{problem.name}"
    editing = desk().kept.get("editing") == key
    gaps = draft.incomplete[problem.name]
    missing = [f"{gaps:,} incomplete, not used"] * bool(gaps)
    missing += ["no description"] * (not problem.description)
    lacks = "".join(f' · <span class="eic-lack">{lack}</span>' for lack in missing)
    box = "editing" if editing else f"problem-{draft.problems.index(problem)}"
    with st.container(key=box, border=editing):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(
                f'<p class="eic-row-title">{escape(problem.shown_title, 100)} '
                f"<code>{escape(problem.name, 40)}</code></p>"
                f'<p class="eic-quiet">{draft.rows[problem.name]:,} rows: '
                f"{escape(', '.join(names[:-1]), 60)} → {escape(names[-1], 30)}{lacks}</p>",
                width="stretch",
            )
            st.button(
                "Close" if editing else "Describe",
                key=f"describe-{key}",
                on_click=_edit, args=("" if editing else key, problem),
            )  # fmt: skip
        if editing:
            _form(draft, problem, key)


@undisturbed()
def _edit(key: str, problem: Problem) -> None:
    desk().kept["editing"] = key
    desk().kept["based-on"] = problem
    desk().errors.pop("describe", None)
    _forget(key)


def _forget(key: str) -> None:
    for name in [n for n in st.session_state if str(n).startswith(f"about:{key}:")]:
        del st.session_state[name]


def _form(draft: Draft, problem: Problem, key: str) -> None:
    """Title, description, units and meanings."""
    about = f"about:{key}:"

    def save(service: OrganiserService) -> None:
        values = st.session_state
        columns = tuple(
            Column(c, values[f"{about}unit:{c}"].strip(), values[f"{about}meaning:{c}"].strip())
            for c in draft.columns[problem.name]
        )
        service.describe_problem(
            draft.study.id,
            problem.name,
            title=values[f"{about}title"].strip(),
            description=values[f"{about}text"].strip(),
            columns=columns,
            based_on=desk().kept["based-on"],
        )
        desk().kept.pop("editing", None)
        desk().said["problems"] = f"Saved what raters are told of `{problem.name}`."

    def remove(service: OrganiserService) -> str:
        rest = [p for p in draft.problems if p.name != problem.name]
        service.set_problems(draft.study.id, rest, seen=seen(draft.study))
        desk().kept.pop("editing", None)
        return f"`{problem.name}` is removed."

    with st.form(f"form:{key}", border=False):
        st.text_input("Title", problem.title, key=f"{about}title", max_chars=200)
        st.text_area(
            "Description: one to three plain sentences for people who do not know the field",
            problem.description, key=f"{about}text", max_chars=2000, height=90,
        )  # fmt: skip
        for name in draft.columns[problem.name]:
            column = problem.column(name)
            left, right = st.columns([1, 2])
            left.text_input(
                f"Unit of {code_label(name, 24)}", column.unit, key=f"{about}unit:{name}",
                max_chars=40,
            )  # fmt: skip
            right.text_input(
                f"Meaning of {code_label(name, 24)}", column.meaning,
                key=f"{about}meaning:{name}", max_chars=200,
            )  # fmt: skip
        st.form_submit_button("Save", type="primary", on_click=act, args=("describe", save))
    if complaint("describe"):
        _resolve(draft, problem, key)
    with st.popover("Remove this problem…", type="tertiary"):
        st.html(f'<p class="eic-ask-text">Its data go.{_loss(draft)}</p>')
        st.button("Remove it", key=f"remove-{key}", type="primary", on_click=act,
                  args=("problems", remove))  # fmt: skip


def _resolve(draft: Draft, problem: Problem, key: str) -> None:
    """After a stale edit: what is stored now, and the two ways on."""
    if desk().kept.get("based-on") == problem:
        return
    columns = "; ".join(
        f"{c.name}: {c.unit or 'no unit'}, {c.meaning or 'no meaning'}" for c in problem.columns
    )
    st.html(
        '<div class="eic-ask"><p><b>Stored now</b></p>'
        f"<p>{escape(problem.title, 200)}</p><p>{escape(problem.description, 2000)}</p>"
        f'<p class="eic-quiet">{escape(columns, 400)}</p></div>'
    )
    with st.container(horizontal=True):
        st.button("Take what is stored", key="take-theirs", on_click=_edit, args=(key, problem))
        st.button("Keep mine: then save again", key="keep-mine", on_click=_rebase,
                  args=(problem,))  # fmt: skip


@undisturbed()
def _rebase(problem: Problem) -> None:
    desk().kept["based-on"] = problem
    desk().errors.pop("describe", None)


def _loss(draft: Draft) -> str:
    """What changing the problems costs."""
    if not draft.pairs:
        return ""
    reasons = f", {len(draft.dropped)} of them left out with a reason" if draft.dropped else ""
    return f" The {len(draft.pairs)} pairs made so far go, too{reasons}: match again afterwards."


# --- adding ---


def _add(draft: Draft) -> None:
    heading("Add problems")
    number = desk().kept.setdefault("problem-uploader", 0)
    key = f"problem-files-{number}"

    def take() -> None:
        files = st.session_state.get(key) or []
        if files:
            desk().kept["problem-uploader"] = number + 1
            upload = read_files([(f.name, f.getvalue()) for f in files])
            _offer(draft, upload)

    st.file_uploader(
        "CSV files, any number at once", type=["csv", "json"], key=key, on_change=take,
        accept_multiple_files=True, help=HELP,
    )  # fmt: skip
    quiet(HELP)
    names = {problem.name for problem in draft.problems}
    demo = problems_of_demo()
    if not {problem.name for problem in demo} <= names:
        st.button(
            f"Take the demo’s {len(demo)} problems",
            key="demo-problems",
            on_click=lambda: _offer(draft, Upload(demo, ())),
        )


@undisturbed()
def _offer(draft: Draft, upload: Upload) -> None:
    """Add at once, or ask first if pairs would go."""
    desk().kept["refused-files"] = upload.refused
    if upload.problems and draft.pairs:
        desk().kept["pending-problems"] = upload.problems
    elif upload.problems:
        _put(draft, upload.problems)


@undisturbed()
def _put(draft: Draft, new: Sequence[Problem]) -> None:
    desk().kept.pop("pending-problems", None)
    described = {problem.name: problem for problem in draft.problems}

    def add(service: OrganiserService) -> str:
        merged = {**described, **{p.name: _keeping(p, described.get(p.name)) for p in new}}
        service.set_problems(draft.study.id, tuple(merged.values()), seen=seen(draft.study))
        return f"{len(new)} problem{'s' if len(new) != 1 else ''} added."

    if not tried("problems", add):
        desk().kept["pending-problems"] = tuple(new)


def _keeping(new: Problem, old: Problem | None) -> Problem:
    """New data for a problem keep what it was described with."""
    if old is None or new.description:
        return new
    return Problem(new.name, new.csv, old.title, old.description, old.columns)


def _pending(draft: Draft) -> None:
    """Files that were refused, and problems that wait for a word."""
    for line in desk().kept.get("refused-files", ())[:20]:
        note(line)
    waiting = desk().kept.get("pending-problems")
    if not waiting:
        return
    with st.container(border=True):
        names = ", ".join(f"`{p.name}`" for p in waiting[:12]) + ("…" if waiting[12:] else "")
        st.html(f"<p>Add {prose(names)}?{_loss(draft)}</p>")
        if draft.pairs:
            warn("Pairs are made from all problems together, so they must be made again.")
        with st.container(horizontal=True):
            st.button("Add them", key="put", type="primary", on_click=_put, args=(draft, waiting))
            st.button("Cancel", key="no-put",
                      on_click=forget, args=("pending-problems",))  # fmt: skip
