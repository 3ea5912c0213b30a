"""Tables that a visitor uploads: kept for this tab, named by their hash."""

from __future__ import annotations

import streamlit as st

from eic_core.errors import DataError, UserError
from eic_core.formula.syntax import canonical_name
from eic_core.measure.table import Table, read_table
from pages.ui.service import Result
from pages.ui.text import code_label, escape, prose
from pages.ui.undisturbed import undisturbed
from pages.ui.visit import Visit, change, follow, keep_upload, visit

_NO_TARGET = "— none —"
_LISTED = 50


def table_panel(here: Visit, variables: tuple[str, ...], result: Result | None) -> None:
    """Upload, or the table in use with its columns."""
    table = here.table
    if table is None:
        _upload(here)
        return
    info, remove = st.columns([4, 1], vertical_alignment="center")
    info.html(
        f'<p class="eic-file"><b>{escape(table.source or "table", 60)}</b> '
        f"<span>{table.rows:,} rows × {len(table.names)} columns</span> "
        f'<span class="eic-hash" title="The file is known by this hash">{table.digest}</span></p>'
    )
    remove.button("Remove", key="remove_table", on_click=_remove, type="tertiary", width="stretch")
    _bad_cells(table)
    _columns(here, table, variables, result)


def _upload(here: Visit) -> None:
    state = here.state
    if here.refused is not None:
        wanted, given = state.upload, here.refused
        st.html(
            f'<div class="eic-error" role="alert"><p class="eic-error-title">This is another '
            f"file.</p><p><code>{escape(given.source, 60)}</code> has the hash "
            f"<code>{given.digest}</code>; the link was made with <code>{escape(wanted)}</code>. "
            "Its numbers would differ from those that were shared.</p></div>"
        )
        with st.container(horizontal=True):
            st.button("Use it anyway", key="use_anyway", on_click=_use, args=(given,))
            st.button("Discard it", key="discard", on_click=_discard, type="tertiary")
    elif state.upload:
        name = escape(state.upload_name or "a table", 60)
        st.html(
            '<div class="eic-ask"><p><b>This link needs its file.</b></p>'
            f"<p>It was made with <code>{name}</code>, hash <code>{escape(state.upload)}</code>. "
            "Files stay with whoever uploaded them: choose yours to see the picture.</p></div>"
        )
    if here.upload_error is not None:
        _show_error(here.upload_error)
    st.file_uploader(
        "CSV, TSV or semicolon-separated, one column for each variable",
        type=["csv", "tsv", "txt"],
        key=f"uploader-{here.uploader}",
        on_change=_uploaded,
        help="Kept in memory for this tab only, and forgotten when you close it.",
    )


def _show_error(error: UserError) -> None:
    problems = getattr(error, "problems", ())[:8]
    listed = "".join(f"<li>{prose(p)}</li>" for p in problems)
    st.html(
        f'<div class="eic-error" role="alert"><p class="eic-error-title">{prose(str(error))}</p>'
        f"{'<ul>' + listed + '</ul>' if listed else ''}</div>"
    )


def _uploaded() -> None:
    here = visit()
    file = st.session_state.get(f"uploader-{here.uploader}")
    here.upload_error = here.refused = None
    if file is None:
        return
    here.uploader += 1
    try:
        table = read_table(file.getvalue(), source=file.name)
    except DataError as error:
        here.upload_error = error
        return
    if here.state.upload and here.state.upload != table.digest:
        here.refused = table
        return
    keep_upload(table)
    change(upload=table.digest, upload_name=table.source[:200])


@undisturbed()
def _use(table: Table) -> None:
    visit().refused = None
    keep_upload(table)
    change(upload=table.digest, upload_name=table.source[:200], mapping=(), target=None, node=None)


@undisturbed()
def _discard() -> None:
    visit().refused = None


@undisturbed()
def _remove() -> None:
    here = visit()
    here.uploads.pop(here.state.upload, None)
    change(upload="", upload_name="", mapping=(), target=None, base=None)
    here.wants_table = True


def _bad_cells(table: Table) -> None:
    for note in table.notes:
        st.html(f'<p class="eic-note">{prose(note)}</p>')
    count = len(table.problems)
    if not count:
        return
    title = f"{count:,} cell{'s' if count > 1 else ''} without a number"
    with st.expander(title, key="bad-cells"):
        shown = "".join(f"<li>{prose(str(p))}</li>" for p in table.problems[:_LISTED])
        more = f"<li>and {count - _LISTED:,} more</li>" if count > _LISTED else ""
        st.html(
            '<p class="eic-quiet">A row is left out if a column that is used has no number in '
            f'it. Rows count from 1, below the header.</p><ul class="eic-list">{shown}{more}</ul>'
        )


def _columns(here: Visit, table: Table, variables: tuple[str, ...], result: Result | None) -> None:
    match = result.match if result is not None else None
    mapping = dict(match.mapping) if match is not None else dict(here.state.mapping)
    target = result.target if result is not None else (here.state.target or "")
    names = list(table.names)
    with st.container(horizontal=True, key="columns", gap="small"):
        for name in variables[:60]:
            column = mapping.get(name)
            known = column if column in names else None
            st.selectbox(
                code_label(name, 24),
                names,
                index=None if known is None else names.index(known),
                key=follow(f"column:{name}", known),
                on_change=_column_changed,
                args=(name,),
                placeholder="choose a column",
                width=150,
            )
        st.selectbox(
            "compare with",
            [_NO_TARGET, *names],
            index=[_NO_TARGET, *names].index(target or _NO_TARGET),
            key=follow("target", target or _NO_TARGET),
            on_change=_target_changed,
            width=150,
            help="A column that the formula should reproduce: gives R² and residuals.",
        )
    if match is not None and match.index_base is not None and _indexed(variables):
        st.segmented_control(
            "Columns are counted from",
            [0, 1],
            default=match.index_base,
            key=follow("base", match.index_base),
            on_change=lambda: change(base=st.session_state["base"], mapping=()),
            required=True,
            help="Whether x1 is the first column (1, as Operon counts) or the second (0, as "
            "Python counts).",
        )


def _indexed(variables: tuple[str, ...]) -> bool:
    return any(name[:1] == "x" and name[1:].isdecimal() for name in map(canonical_name, variables))


def _column_changed(name: str) -> None:
    column = st.session_state[f"column:{name}"]
    chosen = {**dict(visit().state.mapping), name: column}
    change(mapping=tuple((k, v) for k, v in chosen.items() if v))


def _target_changed() -> None:
    chosen = st.session_state["target"]
    change(target="" if chosen == _NO_TARGET else chosen)
