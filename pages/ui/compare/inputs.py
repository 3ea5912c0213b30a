"""The list: pasting, dropping or taking an example, its reading, and the data beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from eic_core import wording
from eic_core.formula.syntax import canonical_name
from eic_core.measure.table import read_table
from eic_core.pool.importers import FORMATS, ColumnChoice, Imported
from eic_core.samples import Domain
from pages.ui.compare.desk import (
    CompareDesk,
    CompareState,
    compare_desk,
    drop_list,
    read_list,
    read_list_again,
    use_default_range,
    want_table,
)
from pages.ui.inspector.data_input import data_panel
from pages.ui.inspector.formula_input import exponents_choice
from pages.ui.kit.browser import uninterrupted
from pages.ui.kit.inspector_service import Answer
from pages.ui.kit.messages import quiet_note, show_error, show_note
from pages.ui.kit.text import clean, code_label, escape, label, prose
from pages.ui.kit.visit import Visit, change_state, current_visit, keep_upload, sync_widget
from study.demo import demo_pool_path, problem_folder

WRITINGS = """\
# Ways to write three functions
sqrt(x + 1) - sqrt(x)
1/(sqrt(x + 1) + sqrt(x))
x**-0.5 * (sqrt(1 + 1/x) - 1) * x
exp(0.5*log(x + 1)) - exp(0.5*log(x))
(1 - cos(t))/t**2
2*(sin(t/2)/t)**2
0.5*(sin(t/2)/(t/2))**2
(1 - cos(t)**2)/(t**2*(1 + cos(t)))
log(exp(a) + exp(b))
a + log(1 + exp(b - a))
max(a, b) + log1p(exp(-abs(a - b)))
"""

RANGES = (
    ("x", Domain("loguniform", 1.0, 1e8)),
    ("t", Domain("loguniform", 1e-4, 1.0)),
    ("a", Domain("uniform", 1.0, 9.0)),
    ("b", Domain("uniform", 1.0, 9.0)),
)


@dataclass(frozen=True)
class ListExample:
    key: str
    title: str
    lesson: str


EXAMPLES = (
    ListExample(
        "writings",
        "Three functions, eleven writings",
        "Ways to write the same function, with EICs from half a digit to eight: the "
        "shortest is not always the one with the least.",
    ),
    ListExample(
        "search",
        "What two searches found",
        "326 formulas that Operon and gplearn found for the orbits of 100 exoplanets: at nearly "
        "the same fit their worst steps (EIC) differ by digits.",
    ),
)


@uninterrupted()
def show_example(key: str) -> None:
    if key == "writings":
        current_visit().wants_table = False
        change_state(
            domains=RANGES,
            samples=2_000,
            seed=0,
            upload="",
            upload_name="",
            target=None,
            list_base=None,
            mapping=(),
        )
        read_list(WRITINGS)
        return
    path = problem_folder() / "kepler.csv"
    table = read_table(path.read_bytes(), source=path.name)
    keep_upload(table)
    if current_visit().state.upload != table.digest:  # a link names it already, and its target
        change_state(
            upload=table.digest,
            upload_name=path.name,
            target=table.names[-1],
            list_base=None,
            mapping=(),
        )
    read_list(demo_pool_path().read_bytes(), demo_pool_path().name, example=key)
    compare_desk().look_at("kepler")


def follow_list_link(desk: CompareDesk, state: CompareState) -> None:
    """Read the list of the address, unless it is the present one."""
    if state.list_example:
        if desk.raw is None and any(state.list_example == example.key for example in EXAMPLES):
            show_example(state.list_example)
    elif state.listed and state.listed != desk.linked:
        read_list(state.listed, state.list_name)


def list_notes(desk: CompareDesk, state: CompareState) -> None:
    if state.list_broken and desk.raw is None:
        show_note(
            "The list in this link cannot be read: part of it is missing. Ask for the link "
            "once more, or for the list itself."
        )
    elif desk.imported is not None and not {"list", "list_example"} & state.to_query().keys():
        quiet_note("This list is too long for a web address: a link to this page does not hold it.")


_PLACEHOLDER = (
    "Paste formulas, one a line, or what PySR, Operon, gplearn or SRBench printed or saved.\n\n"
    "x0*x0 + cos(x3)\nsqrt(x+1) - sqrt(x)   R2: 0.98"
)
_DETECT = "detect"
_ALL = "all problems"
# Longest pasted list that is sent back into the field, in characters.
_MAX_EDITABLE = 20_000


def list_input(desk: CompareDesk) -> None:
    if desk.raw is None:
        st.text_area(
            "Formulas",
            key="list_text",
            height=150,
            placeholder=_PLACEHOLDER,
            on_change=_read_pasted,
        )
        with st.container(horizontal=True, key="list-actions"):
            st.button(
                "Compare",
                type="primary",
                key="compare_list",
                on_click=_read_pasted,
                help="Ctrl+Enter or ⌘+Enter in the field does the same",
            )
            examples_view()
        st.file_uploader(
            "or a file: CSV, JSON, a notebook, LaTeX or text, gzipped or not",
            key=f"list-file-{desk.uploader}",
            on_change=_read_dropped_file,
        )
        return
    _file_line(desk)
    if isinstance(desk.error, ColumnChoice):
        names = wording.join([f"`{name}`" for name in desk.error.columns], limit=12)
        st.html(
            '<div class="eic-ask" role="alert"><p><b>Which column holds the formulas?</b></p>'
            f"<p>{prose(f'Several do: {names}. Nothing says which of them is meant.')}</p></div>"
        )
    elif desk.error is not None:
        show_error(desk.error)
    if desk.imported is not None:
        _how_it_was_read(desk, desk.imported)
    else:
        with st.container(horizontal=True, gap="small", key="list-choices"):
            _format_choice(desk)
            if isinstance(desk.error, ColumnChoice):
                _column_choice(desk.error.columns, None)
    if isinstance(desk.raw, str) and len(desk.raw) <= _MAX_EDITABLE:
        with st.expander("Edit the list", key="edit-list"):
            st.text_area(
                "Formulas",
                desk.raw,
                key=sync_widget("edit_text", desk.raw),
                height=220,
                label_visibility="collapsed",
                on_change=lambda: read_list(st.session_state["edit_text"]),
            )


@uninterrupted()
def _read_pasted() -> None:
    text = st.session_state.get("list_text", "")
    # Leaving the field and the button beside it both come here: the second must not read again.
    if text.strip() and text != compare_desk().raw:
        read_list(text)


@uninterrupted()
def _read_dropped_file() -> None:
    file = st.session_state.get(f"list-file-{compare_desk().uploader}")
    if file is not None:
        read_list(file.getvalue(), file.name)


def _file_line(desk: CompareDesk) -> None:
    info, remove = st.columns([4, 1.2], vertical_alignment="center")
    count = len(desk.imported.rows) if desk.imported is not None else 0
    title = escape(desk.name, 60) if desk.name else "pasted list"
    rows = f"<span>{wording.count(count, 'formula')}</span>" if count else ""
    info.html(f'<p class="eic-file"><b>{title}</b> {rows}</p>')
    remove.button("Another list", key="drop_list", on_click=drop_list, width="stretch")


def _how_it_was_read(desk: CompareDesk, imported: Imported) -> None:
    quiet_note(f"Read as {imported.label}: {imported.reason}.")
    for text in imported.notes:
        show_note(text)
    with st.container(horizontal=True, gap="small", key="list-choices"):
        _format_choice(desk)
        _column_choice(imported.columns, imported.column)
        if len(imported.problems) > 1:
            problems, problem = (_ALL, *imported.problems), desk.problem or _ALL
            st.selectbox(
                "Problem",
                problems,
                index=_place(problems, problem),
                key=sync_widget("list_problem", problem),
                format_func=clean,
                on_change=_change_problem,
                width=220,
                help="The formulas of one problem are compared on its data.",
            )
    if imported.format == "scored":
        st.toggle(
            "Use the scores in the file",
            desk.as_stored,
            key=sync_widget("as_stored", desk.as_stored),
            on_change=lambda: setattr(desk, "as_stored", st.session_state["as_stored"]),
            help="Otherwise every formula is scored again, on the data below.",
        )


def _column_choice(columns: Sequence[str], chosen: str | None) -> None:
    if columns:
        st.selectbox(
            "Column with the formulas",
            columns,
            index=_place(columns, chosen),
            key=sync_widget("list_column", chosen),
            format_func=clean,
            placeholder="choose one",
            on_change=lambda: read_list_again(column=st.session_state["list_column"]),
            width=200,
        )


def _format_choice(desk: CompareDesk) -> None:
    formats = ("auto", *FORMATS)
    st.selectbox(
        "Format",
        formats,
        index=_place(formats, desk.format),
        key=sync_widget("list_format", desk.format),
        format_func=lambda key: "Detect" if key == "auto" else FORMATS[key],
        on_change=lambda: read_list_again(format=st.session_state["list_format"], column=None),
        width=220,
    )


def _place(options: Sequence[str], chosen: str | None) -> int | None:
    return options.index(chosen) if chosen in options else None


def _change_problem() -> None:
    chosen = st.session_state["list_problem"]
    compare_desk().look_at("" if chosen == _ALL else chosen)


def examples_view() -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="list-examples"):
        st.html('<p class="eic-quiet">or an example:</p>', width="content")
        for example in EXAMPLES:
            st.button(
                example.title,
                key=f"list-example-{example.key}",
                help=example.lesson,
                on_click=show_example,
                args=(example.key,),
            )


def inputs_line(desk: CompareDesk, visit: Visit, notes: int) -> str:
    """What was read, in a line of Markdown: the list, its data, and how many notes there are."""
    state = visit.state
    parts = ["**No list**"]
    if desk.imported is not None:
        problem = f", {label(desk.problem, 30)}" if desk.problem else ""
        count = wording.count(len(desk.rows()), "formula")
        parts = [f"**{label(desk.name or 'pasted list', 40)}**: {count}{problem}"]
    if not desk.as_stored:
        target = f", target {code_label(state.target, 24)}" if state.target else ""
        names = [name for name, _ in state.domains[:4]]
        ranges = f"ranges of {wording.join(list(map(code_label, names)))}" if names else "ranges"
        name = code_label((visit.table and visit.table.source) or "a table", 40)
        parts.append(f"data {name}{target}" if state.upload else ranges)
    if notes:
        parts.append(wording.count(notes, "note"))
    return "\u2002·\u2002".join(parts)


def ask_for_data(unknown: tuple[str, ...]) -> None:
    names = wording.join([f"`{name}`" for name in unknown], limit=12)
    each, verb = ("it", "takes") if len(unknown) == 1 else ("each", "take")
    question = (
        "How sensitive a formula is depends on its data, and nothing says which values "
        f"{names} {verb}."
    )
    st.html(
        '<div class="eic-ask" role="alert"><p><b>On which data?</b></p>'
        f"<p>{prose(question)} Choose the table that the formulas were fitted to, set ranges under "
        "Data, or take the 1 to 5 that is proposed there.</p></div>"
    )
    with st.container(horizontal=True, gap="small", key="ask-for-data"):
        st.button("Choose a table", key="ask-table", on_click=want_table)
        st.button(
            f"Take 1 to 5 for {each}", key="ask-range", on_click=use_default_range, args=(unknown,)
        )


def data_input(visit: Visit, variables: tuple[str, ...], detected: str) -> None:
    """The ranges or the table of all formulas, and what their variables count from."""
    table = visit.table
    waiting = bool(visit.state.upload) and table is None
    data_panel(visit, Answer(waiting=waiting, variables=variables), one_formula=False)
    exponents_choice(visit)
    state = visit.state
    base = state.list_base if isinstance(state, CompareState) else None
    indexed = any(n[:1] == "x" and n[1:].isdecimal() for n in map(canonical_name, variables))
    if not (indexed if table is not None else compare_desk().variables.mixed):
        return
    choice = _DETECT if base is None else str(base)
    st.segmented_control(
        "Columns are counted from" if table is not None else "Variables are counted from",
        [_DETECT, "0", "1"],
        default=choice,
        key=sync_widget("list_base", choice),
        on_change=_change_base,
        required=True,
        help="Whether x1 is the first column (1, as Operon counts) or the second (0, as "
        "Python counts). Detected for each method. Without a table, 0 or 1 keeps every "
        "variable as its formula spells it.",
    )
    if detected:
        quiet_note(detected)


def _change_base() -> None:
    chosen = st.session_state["list_base"]
    change_state(list_base=None if chosen == _DETECT else int(chosen))
