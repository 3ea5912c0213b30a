"""What the data figures share: axes, labels, notes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eic_core.drawing.scale import Theme
from eic_core.measure import Inspection
from pages.ui.figures.plotting import plain_text


def panel_note(inspection: Inspection, node_id: int, top: float, theme: Theme) -> dict[str, Any]:
    """What the lower panel shows: the selected node's text, in its upper left corner."""
    text = inspection.nodes[node_id].text
    text = text if len(text) <= 42 else text[:41].rstrip() + "…"
    return {
        "xref": "paper", "yref": "paper", "x": 0, "y": top, "xanchor": "left", "yanchor": "bottom",
        "showarrow": False, "align": "left", "font": {"size": 12, "color": theme.muted},
        "text": "at " + plain_text(text),
    }  # fmt: skip


def axis_style(theme: Theme) -> dict[str, Any]:
    """Hairlines outside, no grid."""
    return {
        "showgrid": False, "zeroline": False, "showline": True, "linecolor": theme.faint,
        "ticks": "outside", "ticklen": 4, "tickcolor": theme.faint,
        "tickfont": {"size": 12, "color": theme.muted}, "automargin": True,
    }  # fmt: skip


def label_of(name: str, labels: Mapping[str, str] | None) -> str:
    """A variable's column name, safe as Plotly text."""
    return plain_text((labels or {}).get(name, name)[:60])
