""" "Which rows?": the rows that carry the noise of a node, as a picture, a table and a file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import streamlit as st

from eic_core import wording
from eic_core.explain.where import FEW, Where, node_digits
from eic_core.exports import csv_text, safe_cell
from eic_core.formula.rendering import to_python
from eic_core.report.charts import growth as growth_chart
from eic_core.report.charts import loss_along
from pages.ui.figures.rows import ROW, VALUE, Across, rows_figure, ways_across
from pages.ui.kit import glossary
from pages.ui.kit.browser import is_narrow
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import clean, code_label, escape, file_name, prose
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.questions.answer_parts import chart, note
from pages.ui.questions.domain import domain_sliders, follow_domain

ROWS_ON_PAGE = 50
# Most inputs with a column of their own on the page; the file has all.
_COLUMNS = 8

# Most rows whose file is made with the page: it takes some ten milliseconds.
FILE_AT_ONCE = 1000

# Browsers cannot show larger numbers exactly and would mark them.
_SAFE = 2.0**53


def listed_rows(by_row: Where) -> tuple[int, ...]:
    """Positions of the rows that keep no digit, then of those that carry 99 %, if these are few."""
    carrying = by_row.carriers[-1].positions if by_row.carriers else ()
    if len(carrying) > max(ROWS_ON_PAGE, FEW * by_row.finite):
        carrying = ()
    return (*by_row.singular, *carrying)


def rows_table(result: InspectionResult, by_row: Where) -> None:
    rows = listed_rows(by_row)
    labels = result.match.mapping if result.match is not None else {}
    names = by_row.inspection.formula.subtree(by_row.node_id).variables[:_COLUMNS]
    page_rows = rows[:ROWS_ON_PAGE]
    digits = max(6, node_digits(by_row.inspection, by_row.node_id, np.array(page_rows)))
    table = _columns(by_row, page_rows, names)
    config = st.column_config
    st.dataframe(
        pa.table(table),
        key="rows-table",
        hide_index=True,
        height=min(320, 37 + 35 * len(page_rows)),
        column_config={
            "row": config.NumberColumn("Row", width=70, help=glossary.ROW),
            **{
                f"in:{name}": config.NumberColumn(
                    labels.get(name, name)[:40], format=f"%.{digits}g"
                )
                for name in names
            },
            "value": config.NumberColumn(
                "Value here", format=_plain(table["value"]), help=glossary.VALUE_HERE
            ),
            "digits": config.NumberColumn("Digits here", format="%.2f", help=glossary.DIGITS_ROW),
            "s": config.NumberColumn("s", format=_plain(table["s"]), help=glossary.S_ROW),
            "share": config.NumberColumn("Share, %", format="%.3g", help=glossary.AMPLIFIED_NOISE),
        },
        placeholder="—",
        alt="The rows that carry 99 % of the amplified noise at the selected node",
    )
    if len(rows) > ROWS_ON_PAGE:
        note(f"The first {ROWS_ON_PAGE} of {len(rows):,}; the file has all.")
    make = partial(rows_csv, by_row, labels)
    st.download_button(
        "These rows, CSV",
        # A finished file keeps its address when the page runs again, so a click in that moment
        # finds it; a file made on demand has a new address after each run.
        data=make() if len(rows) <= FILE_AT_ONCE else make,
        file_name=file_name(f"rows-{result.request.formula}", "csv"),
        mime="text/csv",
        key="download-rows",
        icon=":material/download:",
        on_click="ignore",
    )


def _columns(by_row: Where, rows: tuple[int, ...], names: tuple[str, ...]) -> dict[str, list[Any]]:
    columns, s = by_row.inspection.samples.columns, by_row.s
    y, _ = by_row.inspection.amplification.trace(by_row.node_id)
    table: dict[str, list[Any]] = {
        "row": [by_row.row_number(k) for k in rows],
        **{f"in:{name}": [float(columns[name][k]) for k in rows] for name in names},
        "value": [_number_or_none(float(y[k])) for k in rows],
        "digits": [math.log10(s[k]) for k in rows],
        "s": [float(s[k]) if s[k] < _SAFE else None for k in rows],
        "share": [None if math.isinf(s[k]) else 100 * float(by_row.shares[k]) for k in rows],
    }
    # On a phone the columns that tell most stand where no scrolling is needed.
    first = ("row", "share", "digits") if is_narrow() else ()
    return {name: table[name] for name in (*first, *(k for k in table if k not in first))}


def rows_csv(by_row: Where, labels: Mapping[str, str] | None = None) -> str:
    """The listed rows as CSV that a spreadsheet opens safely; inputs as they were written.

    >>> from eic_core.explain.where import where
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> print(rows_csv(where(inspect(read("x-2").formula, samples), 2)).splitlines()[0])
    row,x,x - 2,s,share
    """
    inspection = by_row.inspection
    names = inspection.formula.subtree(by_row.node_id).variables
    y, _ = inspection.amplification.trace(by_row.node_id)
    heads = [(labels or {}).get(name, name) for name in names]
    text = to_python(inspection.formula, by_row.node_id)
    rows = []
    for k in listed_rows(by_row):
        cells = [inspection.samples.decimal(name, k) for name in names]
        share = "" if math.isinf(by_row.s[k]) else repr(float(by_row.shares[k]))
        rows.append(
            [by_row.row_number(k), *cells, repr(float(y[k])), repr(float(by_row.s[k])), share]
        )
    return csv_text(["row", *map(safe_cell, heads), safe_cell(text), "s", "share"], rows)


def _plain(values: list[float | None]) -> str:
    """The format of a column: powers of ten only where zeros could not be counted."""
    return "scientific" if any(abs(v) > 1e9 for v in values if v) else "%.5g"


def _number_or_none(value: float) -> float | None:
    return value if math.isfinite(value) and abs(value) < _SAFE else None


def rows_panel(result: InspectionResult, node: int) -> None:
    follow_domain(result)
    with st.spinner("Looking at every row…"):
        by_row = diagnosis_service().where(result, node)
    # `_more_data` says the others beside their figure.
    first, *more = map(str, by_row.row_sentences)
    st.html(f'<p class="eic-answer">{_with_term(prose(first))}</p>')
    if by_row.carriers:
        _picture(result, by_row)
    note(" ".join(more), _unresolved_note(result))
    domain_sliders(result)
    rows = listed_rows(by_row)
    if rows:
        _rows(result, by_row, len(rows) - len(by_row.singular))
    _along(result)
    if by_row.carriers:
        _more_data(result, by_row)


def _unresolved_note(result: InspectionResult) -> str:
    counts = result.inspection.counts
    if not counts.left_out:
        return ""
    missing = counts.invalid - counts.left_out
    none = f"No real value: {wording.count(missing, 'row')}. " if missing else ""
    return (
        f"{none}Not checked exactly: {wording.count(counts.left_out, 'row')}, which may "
        "have a value; they are in no number here and not drawn."
    )


def _with_term(sentence: str) -> str:
    """The sentence with its one technical term explained on hover, focus and touch."""
    noise = "amplified noise"
    term = (
        f'<span class="eic-term" tabindex="0">{noise}<span class="eic-tip" role="tooltip">'
        f"{escape(glossary.AMPLIFIED_NOISE, 1000)}</span></span>"
    )
    return sentence.replace(noise, term, 1)


def _picture(result: InspectionResult, by_row: Where) -> None:
    ways = ways_across(by_row)
    labels = dict(result.match.mapping) if result.match is not None else None
    across = ways[0]
    if len(ways) > 1:
        across = st.selectbox(
            "Drawn against",
            ways,
            key=f"rows-across:{by_row.node_id}:{ways[0].kind}:{ways[0].name}",
            format_func=partial(_way, labels=labels or {}),
            label_visibility="collapsed",
            width=280,
        )
    chart(
        result,
        ("rows", by_row.node_id, across),
        lambda: rows_figure(by_row, across, labels),
        key="rows-plot",
        file_name="eic-rows",
    )


def _way(way: Across, labels: dict[str, str]) -> str:
    if way.kind == ROW:
        return "against the row number"
    if way.kind == VALUE:
        return f"against the value of {clean(way.name, 40)}"
    return f"against {clean(labels.get(way.name, way.name), 40)}"


def _rows(result: InspectionResult, by_row: Where, count: int) -> None:
    parts = []
    if by_row.singular:
        parts.append(f"{len(by_row.singular):,} without a digit")
    if count:
        parts.append(f"{wording.count(count, 'that carries', 'that carry')} 99 %")
    with st.expander(f"The rows: {', '.join(parts)}", key="rows-list"):
        rows_table(result, by_row)


def _along(result: InspectionResult) -> None:
    """What a program loses along each input, where enough rows can be compared."""
    inspection = result.inspection
    names = inspection.formula.variables
    drawn = {name: drawing for name in names if (drawing := loss_along(inspection, name))}
    if not drawn:
        return
    labels = [code_label(name, 20) for name in drawn]
    with st.expander(f"Digits lost along {wording.join(labels)}", key="rows-along"):
        for name in drawn:
            chart(result, ("along", name), partial(drawn.__getitem__, name), key=f"along-{name}")


def _more_data(result: InspectionResult, by_row: Where) -> None:
    """The curve of growth where more data would change the number, else its interval."""
    growth, interval = by_row.growth, by_row.interval
    unsettled = growth is not None and interval.heavy
    with st.expander(f"Would more data change it? {_short(by_row)}", key="rows-growth"):
        if unsettled:
            assert growth is not None
            sentence = str(growth.sentence)
            st.html(f"<p>{prose(sentence)}</p>")
            chart(
                result,
                ("growth", by_row.node_id),
                lambda: growth_chart(growth),
                key="growth-plot",
                file_name="eic-growth",
            )
        st.html(
            f'<p class="eic-quiet" title="{escape(glossary.BOOTSTRAP, 1000)}">'
            f"{prose(str(interval.sentence))}</p>"
        )


def _short(by_row: Where) -> str:
    growth, interval = by_row.growth, by_row.interval
    if interval.heavy and growth is not None and growth.per_decade >= 0.05:
        return (
            f"Yes: so far the local EIC of this step grows by {growth.per_decade:.1f} digits for "
            "every ten times as many rows."
        )
    if interval.heavy:
        return "Perhaps: the mean is not settled."
    if interval.reason:
        return "Too few rows to tell."
    return "Hardly."
