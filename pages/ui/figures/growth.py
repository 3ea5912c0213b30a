"""How the digits lost grow with the number of rows."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from eic_core.drawing.scale import THEMES
from eic_core.explain.settling import Growth
from pages.ui.figures.panels import axis_style, legend_above
from pages.ui.figures.plotting import base_layout, build


def growth_figure(growth: Growth, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """Digits lost on parts of the rows, with the middle 80 per cent of the parts, and beyond.

    Parameters
    ----------
    growth : Growth
    dark, narrow : bool
        For a dark page; for a phone.

    Notes
    -----
    The dashed line goes on at the same rate to ten times the rows.  Digits start at 0.
    """
    theme = THEMES[dark]
    counts, digits = list(growth.counts), list(growth.local_eic)
    beyond = [counts[-1], 10 * counts[-1]], [digits[-1], digits[-1] + max(0, growth.per_decade)]
    hover = "%{x:,} rows<br>%{y:.2f} digits<extra></extra>"
    data: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "lines", "x": counts + counts[::-1],
         "y": [*growth.high, *reversed(growth.low)], "fill": "toself", "line": {"width": 0},
         "fillcolor": "rgba(127,127,127,0.22)", "hoverinfo": "skip", "showlegend": True,
         "name": "80 of 100 random parts"},
        {"type": "scatter", "mode": "lines+markers", "x": counts, "y": digits,
         "line": {"color": theme.accent, "width": 2}, "marker": {"size": 7},
         "name": "on average", "hovertemplate": hover},
        {"type": "scatter", "mode": "lines+markers", "x": beyond[0], "y": beyond[1],
         "line": {"color": theme.accent, "width": 2, "dash": "dash"},
         "marker": {"size": [0, 9], "symbol": "circle-open", "color": theme.accent},
         "name": "if it goes on", "hovertemplate": hover},
    ]  # fmt: skip
    ticks = [*counts, 10 * counts[-1]]
    shown = ticks[::2] if narrow else ticks
    top = max(1.0, max(*growth.high, beyond[1][1]) * 1.12)
    layout = base_layout(dark) | {
        "height": 280,
        "margin": {"l": 52, "r": 24, "t": 12, "b": 46},
        **legend_above(theme),
        "xaxis": axis_style(theme) | {
            "type": "log", "title": {"text": "rows used", "standoff": 6},
            "range": [math.log10(counts[0]) - 0.08, math.log10(ticks[-1]) + 0.08],
            "tickvals": shown, "ticktext": [f"{count:,}" for count in shown],
        },
        "yaxis": axis_style(theme) | {
            "range": [0, top], "title": {"text": "digits lost", "standoff": 4},
        },
        "hovermode": "closest",
    }  # fmt: skip
    return build(data, layout)
