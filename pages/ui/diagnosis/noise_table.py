"""The blame ledger in numbers, sortable."""

from __future__ import annotations

import math

import pyarrow as pa
import streamlit as st

from eic_core.explain.ledger import Ledger
from eic_core.explain.ledger_row import LedgerRow
from pages.ui import glossary
from pages.ui.device import is_narrow
from pages.ui.figures.waterfall import INTRODUCED, MASKED, shape_of

_HEIGHT = 420
_TEXT = 200


def ledger_table(ledger: Ledger) -> None:
    """Every row, the largest share first."""
    config, narrow = st.column_config, is_narrow()
    percent = "%.3g %%"
    st.dataframe(
        _columns(ledger, ledger.ranked),
        key=f"noise-table-{ledger.target}",
        hide_index=True,
        column_order=_order(narrow),
        height=min(_HEIGHT, 37 + 35 * len(ledger.rows)),
        column_config={
            "expression": config.TextColumn("Noise", width=150 if narrow else 260),
            "how": config.TextColumn(
                "How", width=80 if narrow else 110,
                help=f"{glossary.INTRODUCED} {glossary.INHERITED} {glossary.MASKED}",
            ),
            "share": config.NumberColumn(
                "Share", format=percent, width=72, help=glossary.SHARE
            ),
            "mean": config.NumberColumn(
                "Mean of shares", format=percent, help=glossary.MEAN_SHARE
            ),
            "below": config.NumberColumn(
                "Through here from below", format=percent, help=glossary.INHERITED
            ),
            "gain": config.NumberColumn("Amplified", format="%.3g ×", help=glossary.GAIN),
            "largest": config.NumberColumn(
                "At most", format="%.3g ×", help=glossary.LARGEST_GAIN
            ),
            "at": config.TextColumn("Most at", width=160, help=glossary.AMPLIFIER),
            "node": config.NumberColumn("#", width=45, help="Order of computation"),
        },
        placeholder="—",
        alt="Every node's share of the noise, and how much it is amplified",
    )  # fmt: skip


def _order(narrow: bool) -> list[str]:
    """On a phone what tells most stands where no scrolling is needed."""
    first = ["expression", "share", "how"] if narrow else ["expression", "how", "share"]
    return [*first, "mean", "below", "gain", "largest", "at", "node"]


def _columns(ledger: Ledger, rows: tuple[LedgerRow, ...]) -> pa.Table:
    texts = ledger.inspection.nodes
    return pa.table(
        {
            "expression": [row.text.replace("`", "")[:_TEXT] for row in rows],
            "how": [_how(ledger, row) for row in rows],
            "share": [100 * row.share for row in rows],
            "mean": [100 * row.mean_share for row in rows],
            "below": [100 * row.inherited for row in rows],
            "gain": [_shown(row.gain) for row in rows],
            "largest": [_shown(row.largest) for row in rows],
            "at": [texts[row.amplifier].text[:_TEXT] for row in rows],
            "node": [row.node_id for row in rows],
        }
    )


def _how(ledger: Ledger, row: LedgerRow) -> str:
    shape = shape_of(ledger, row.node_id)
    return f"{shape} {'masked' if shape == MASKED else 'here' if shape == INTRODUCED else 'below'}"


def _shown(value: float) -> float | None:
    return value if math.isfinite(value) else None
