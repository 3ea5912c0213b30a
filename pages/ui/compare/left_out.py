"""The rows of a list that are left out: each with its reason, and what helps with one click."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import streamlit as st

from eic_core import wording
from eic_core.formula.syntax import SYNTAXES
from eic_core.measure.table import Table, match_variables
from eic_core.pool import phrases
from eic_core.pool.candidate import LeftOutKind, Refused, read_candidate
from eic_core.pool.counting import index_of
from eic_core.pool.left_out import MOST_ROWS, LeftOutRow, by_cause
from eic_core.pool.listing import ListedScore
from pages.ui.compare.desk import CompareDesk, Scored, read_list_again, read_plainly, want_table
from pages.ui.kit.messages import show_heading
from pages.ui.kit.text import clean, escape, label, prose
from pages.ui.kit.visit import Visit, change_state

OFFERED = ("gplearn",)
"""Notations that are offered where a row cannot be read in the one that was detected."""

MOST_COLUMNS = 3
"""Other columns that are offered to compare with."""


@dataclass(frozen=True)
class _Group:
    kind: LeftOutKind
    cause: str
    rows: tuple[LeftOutRow, ...]
    first: ListedScore  # Of the first row


def left_out_view(desk: CompareDesk, scored: Scored, visit: Visit) -> ListedScore | None:
    """Every row that is left out, by reason; the formula to inspect, if one was asked for."""
    if not scored.left_out:
        return None
    count = wording.count(len(scored.left_out), "row")
    show_heading(f"{count} left out of {len(scored.scores):,}")
    chosen: ListedScore | None = None
    with st.expander("Which, and why", key="left-out", expanded=True):
        groups = _groups(scored)
        for place, group in enumerate(groups):
            with st.container(gap="xsmall", key=f"reason-{place}"):
                chosen = _group(desk, group, place, visit) or chosen
        if any(len(group.rows) > MOST_ROWS for group in groups):
            _table(scored.left_out)
    return chosen


def reasons(scored: Scored) -> Iterator[str]:
    """Each reason with its rows and what helps, a line each."""
    for group in _groups(scored):
        rows = wording.count(len(group.rows), "row")
        yield f"{rows}: {group.cause}. {phrases.advice(group.kind)}"


def _groups(scored: Scored) -> list[_Group]:
    by_row = {id(left): each for left, each in zip(scored.left_out, scored.lacking, strict=True)}
    return [
        _Group(kind, cause, tuple(rows), by_row[id(rows[0])])
        for (kind, cause), rows in by_cause(scored.left_out).items()
    ]


def _group(desk: CompareDesk, group: _Group, place: int, visit: Visit) -> ListedScore | None:
    items = "".join(
        f"<li><b>row {row.row}</b> <code>{escape(row.formula or str(phrases.empty_row()), 160)}"
        f"</code>{f' <span>{prose(row.place, 300)}</span>' if row.place else ''}</li>"
        for row in group.rows[:MOST_ROWS]
    )
    if len(group.rows) > MOST_ROWS:
        items += f"<li>{phrases.more_rows(len(group.rows) - MOST_ROWS)}, in the table below</li>"
    st.html(
        f'<p class="eic-reason"><b>{prose(wording.capital(group.cause), 400)}</b> '
        f"<span>{wording.count(len(group.rows), 'row')}</span></p>"
        f'<ul class="eic-list eic-left-out">{items}</ul>'
        f'<p class="eic-quiet">{prose(phrases.advice(group.kind))}</p>'
    )
    with st.container(horizontal=True, gap="small", key=f"help-{place}"):
        _remedies(desk, group, place, visit)
        if group.first.listed.formula and st.button(
            f"Open row {group.first.listed.row} in the inspector",
            key=f"open-left-out-{place}",
            icon=":material/search:",
        ):
            return group.first
    return None


def _remedies(desk: CompareDesk, group: _Group, place: int, visit: Visit) -> None:
    """Buttons that may mend all rows of a reason."""
    match group.kind:
        case LeftOutKind.UNREAD:
            for notation in _other_notations(group.first, visit.table):
                st.button(
                    f"Read the list as {SYNTAXES[notation]}",
                    key=f"read-as-{notation}-{place}",
                    on_click=read_list_again,
                    kwargs={"syntax": notation},
                )
        case LeftOutKind.NO_COLUMN:
            for base in _other_bases(group.first, visit.table, visit.state.target or ""):
                st.button(
                    f"Count columns from {base}",
                    key=f"count-from-{base}-{place}",
                    on_click=change_state,
                    kwargs={"list_base": base},
                )
            st.button("Choose another table", key=f"other-table-{place}", on_click=want_table)
        case LeftOutKind.SAME_TARGET if visit.table is not None:
            for name in _varying(visit.table, visit.state.target or ""):
                st.button(
                    f"Compare with {label(name, 24)}",
                    key=f"compare-with-{name}-{place}",
                    on_click=change_state,
                    kwargs={"target": name},
                )
        case LeftOutKind.NO_VALUE if group.first.protected and not desk.plain:
            st.button(
                "Read the plain functions",
                key=f"plain-{place}",
                on_click=read_plainly,
                args=(True,),
            )
        case LeftOutKind.NO_SCORE:
            st.button(
                "Measure the list",
                key=f"measure-{place}",
                on_click=setattr,
                args=(desk, "as_stored", False),
            )
        case _:
            pass


def _other_notations(scored: ListedScore, table: Table | None) -> list[str]:
    """Notations of `OFFERED` in which a refused formula can be read."""
    candidate = scored.listed.candidate()
    columns = () if table is None else table.names
    return [
        notation
        for notation in OFFERED
        if notation != candidate.syntax
        and not isinstance(read_candidate(candidate.in_notation(notation), columns), Refused)
    ]


def _other_bases(scored: ListedScore, table: Table | None, target: str) -> list[int]:
    """What columns may be counted from for the formula to have one for each variable."""
    if table is None or not any(index_of(name) is not None for name in scored.missing):
        return []
    inputs = [name for name in table.names if name != target]
    reading = read_candidate(scored.listed.candidate(), inputs)
    if isinstance(reading, Refused):
        return []
    names = reading.formula.variables
    return [
        base
        for base in (0, 1)
        if not match_variables(names, inputs, index_base=base, chosen=True).missing
    ]


def _varying(table: Table, target: str) -> list[str]:
    others = [name for name in reversed(table.names) if name != target]
    return [name for name in others if len(set(table.values[name].tolist())) > 1][:MOST_COLUMNS]


def _table(rows: Sequence[LeftOutRow]) -> None:
    columns = {
        "Row": [row.row for row in rows],
        "Formula": [clean(row.formula, 200) for row in rows],
        "Reason": [clean(row.reason, 400) for row in rows],
    }
    st.dataframe(
        pa.table(columns),
        key="left-out-table",
        hide_index=True,
        height=min(320, 38 + 35 * len(rows)),
        column_config={"Row": st.column_config.NumberColumn(width=56)},
        alt="Every row that is left out, with its reason",
    )
