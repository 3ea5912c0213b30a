"""What the data figures share: axes, labels, notes, legends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from eic_core.drawing.scale import Theme
from eic_core.drawing.scene import cut
from eic_core.measure import Inspection
from pages.ui.figures.plotting import plain_text


def panel_note(
    inspection: Inspection, node_id: int, top: float, theme: Theme, more: str = ""
) -> dict[str, Any]:
    """What the lower panel shows: the selected node's text, in its upper left corner.

    `more`, safe as Plotly text, stands in a line below it.
    """
    text = cut(inspection.nodes[node_id].text, 42)
    return {
        "xref": "paper", "yref": "paper", "x": 0, "y": top, "xanchor": "left", "yanchor": "bottom",
        "showarrow": False, "align": "left", "font": {"size": 12, "color": theme.muted},
        "text": "at " + plain_text(text) + (f"<br>{more}" if more else ""),
    }  # fmt: skip


def axis_style(theme: Theme) -> dict[str, Any]:
    """Hairlines outside, no grid."""
    return {
        "showgrid": False, "zeroline": False, "showline": True, "linecolor": theme.faint,
        "ticks": "outside", "ticklen": 4, "tickcolor": theme.faint,
        "tickfont": {"size": 12, "color": theme.muted}, "automargin": True,
    }  # fmt: skip


def scale_style(theme: Theme, log: bool, limits: Sequence[float]) -> dict[str, Any]:
    """An axis of numbers over `limits`, which are exponents of ten if `log`.

    Plotly writes powers of ten a quarter larger than other ticks.
    """
    if not log:
        return {"type": "linear", "range": list(limits), "exponentformat": "power"}
    return {
        "type": "log", "range": list(limits), "exponentformat": "power",
        "dtick": max(1, math.ceil((limits[1] - limits[0]) / 9)),
        "tickfont": {"size": 10, "color": theme.muted},
    }  # fmt: skip


def legend_above(theme: Theme) -> dict[str, Any]:
    """A legend in rows above the picture, which explains and does not switch."""
    return {
        "showlegend": True,
        "legend": {
            "orientation": "h", "x": 0, "y": 1.02, "xanchor": "left", "yanchor": "bottom",
            "font": {"size": 12, "color": theme.muted}, "traceorder": "normal",
            "itemclick": False, "itemdoubleclick": False,
        },
    }  # fmt: skip


def listed(names: Sequence[str], labels: Mapping[str, str] | None) -> str:
    """The variables in a few words, safe as Plotly text.

    Examples
    --------
    >>> listed([], None), listed(["a", "b"], {"a": "mass"}), listed(["a", "b", "c"], None)
    ('', 'mass and b', 'values of 3 more inputs')
    """
    if len(names) > 2:
        return f"values of {len(names)} more inputs"
    return " and ".join(label_of(name, labels)[:20] for name in names)


def label_of(name: str, labels: Mapping[str, str] | None) -> str:
    """A variable's column name, safe as Plotly text."""
    return plain_text((labels or {}).get(name, name)[:60])
