"""The rows that carry a node's amplified noise, as a table and as a file."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import pyarrow as pa
import streamlit as st

from eic_core.explain.where import FEW, Where
from eic_core.formula.rendering import to_python
from pages.ui import glossary
from pages.ui.device import is_narrow
from pages.ui.downloads import file_name
from pages.ui.service import Result
from study.report.spreadsheet import safe_cell

SHOWN = 50
_COLUMNS = 8
"""Most inputs with a column of their own on the page; the file has all."""

_SAFE = 2.0**53
"""Browsers cannot show larger numbers exactly and would mark them."""


def listed_rows(found: Where) -> tuple[int, ...]:
    """Positions: the rows where no digit is left, then those that carry 99 per cent, if few."""
    carrying = found.carriers[-1].positions if found.carriers else ()
    if len(carrying) > max(SHOWN, FEW * found.finite):
        carrying = ()
    return (*found.singular, *carrying)


def rows_table(result: Result, found: Where) -> None:
    """The first rows of the list, and all of them to download."""
    rows = listed_rows(found)
    inspection = found.inspection
    labels = result.match.mapping if result.match is not None else {}
    names = inspection.formula.subtree(found.node_id).variables[:_COLUMNS]
    y, _ = inspection.amplification.trace(found.node_id)
    shown = rows[:SHOWN]
    table: dict[str, list[Any]] = {"row": [found.row_number(k) for k in shown]}
    table |= {
        f"in:{name}": [float(inspection.samples.columns[name][k]) for k in shown] for name in names
    }
    table |= {
        "value": [_known(float(y[k])) for k in shown],
        "digits": [_digits(float(found.s[k])) for k in shown],
        "s": [_amplification(float(found.s[k])) for k in shown],
        "share": [None if math.isinf(found.s[k]) else 100 * float(found.shares[k]) for k in shown],
    }
    if is_narrow():  # what tells most stands where no scrolling is needed
        first = ("row", "share", "digits")
        table = {name: table[name] for name in (*first, *(k for k in table if k not in first))}
    config = st.column_config
    st.dataframe(
        pa.table(table),
        key="rows-table",
        hide_index=True,
        height=min(320, 37 + 35 * len(shown)),
        column_config={
            "row": config.NumberColumn("Row", width=70, help=glossary.ROW),
            **{
                f"in:{name}": config.NumberColumn(labels.get(name, name)[:40], format="%.6g")
                for name in names
            },
            "value": config.NumberColumn(
                "Value here", format=_plain(table["value"]), help=glossary.VALUE_HERE
            ),
            "digits": config.NumberColumn("Digits lost", format="%.2f", help=glossary.DIGITS_ROW),
            "s": config.NumberColumn("s", format=_plain(table["s"]), help=glossary.S_ROW),
            "share": config.NumberColumn("Share, %", format="%.3g", help=glossary.AMPLIFIED_NOISE),
        },
        placeholder="—",
        alt="The rows that carry 99 % of the amplified noise at the selected node",
    )
    if len(rows) > SHOWN:
        st.html(f'<p class="eic-quiet">The first {SHOWN} of {len(rows):,}; the file has all.</p>')
    st.download_button(
        "These rows, CSV",
        data=partial(rows_csv, found, labels),
        file_name=file_name(f"rows-{result.request.formula}", "csv"),
        mime="text/csv",
        key="download-rows",
        icon=":material/download:",
        on_click="ignore",
    )


def rows_csv(found: Where, labels: Mapping[str, str] | None = None) -> str:
    """The listed rows as CSV that a spreadsheet opens safely; inputs as they were written.

    Examples
    --------
    >>> from eic_core.explain.where import where
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> print(rows_csv(where(inspect(read("x-2").formula, samples), 2)).splitlines()[0])
    row,x,x - 2,s,share
    """
    inspection = found.inspection
    names = inspection.formula.subtree(found.node_id).variables
    y, _ = inspection.amplification.trace(found.node_id)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = [(labels or {}).get(name, name) for name in names]
    text = to_python(inspection.formula, found.node_id)
    writer.writerow(["row", *map(safe_cell, heads), safe_cell(text), "s", "share"])
    for k in listed_rows(found):
        cells = [inspection.samples.decimal(name, k) for name in names]
        share = "" if math.isinf(found.s[k]) else repr(float(found.shares[k]))
        writer.writerow(
            [found.row_number(k), *cells, repr(float(y[k])), repr(float(found.s[k])), share]
        )
    return out.getvalue()


def _plain(values: list[float | None]) -> str:
    """Powers of ten only where the zeros could not be counted."""
    return "scientific" if any(abs(v) > 1e9 for v in values if v) else "%.5g"


def _known(value: float) -> float | None:
    return value if math.isfinite(value) and abs(value) < _SAFE else None


def _amplification(s: float) -> float | None:
    return s if s < _SAFE else None


def _digits(s: float) -> float:
    return math.log10(s)
