"""A slim scale from 0 to 8 digits with a formula's mark."""

from __future__ import annotations

import math
from typing import Any

import plotly.graph_objects as go

from eic_core.drawing.scale import FILTER, HIGH, LOW, SCALE, THEMES, TYPICAL_LAW, digits_text
from pages.ui.figures.plotting import base_layout, build, hidden_axis


def ruler_figure(
    eic: float, eic_finite: float, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """A slim horizontal scale with this formula's mark and the two reference lines.

    Parameters
    ----------
    eic : float
        Digits; inf is drawn beyond the end, nan not at all.
    eic_finite : float
        The same without singular samples; marked too where `eic` is infinite.
    dark, narrow : bool
        For a dark page; for a phone.
    """
    theme = THEMES[dark]
    shapes: list[dict[str, Any]] = [
        {"type": "rect", "x0": LOW, "x1": HIGH, "y0": 0, "y1": 1,
         "line": {"width": 1, "color": theme.faint}},
        {"type": "rect", "x0": HIGH + 0.2, "x1": HIGH + 0.8, "y0": 0, "y1": 1,
         "line": {"width": 1.2, "color": theme.ink, "dash": "3px,2px"}},
    ]  # fmt: skip
    size = 12
    joint = "<br>" if narrow else " "
    notes: list[dict[str, Any]] = []
    for place, text in ((TYPICAL_LAW, f"typical{joint}law"), (FILTER, f"paper’s{joint}filter")):
        side = "left" if place == FILTER else "right"
        shapes.append(
            {"type": "line", "x0": place, "x1": place, "y0": -0.35, "y1": 1,
             "line": {"width": 1.5, "color": theme.ink}}
        )  # fmt: skip
        notes.append(
            {"x": place, "y": -0.35, "text": f"{place:g} {text}", "showarrow": False,
             "xanchor": side, "yanchor": "top", "align": side,
             "xshift": -6 if place == FILTER else 6, "font": {"size": size, "color": theme.muted}}
        )  # fmt: skip
    for tick in (4, 6, 8):
        notes.append(
            {"x": tick, "y": -0.35, "text": str(tick), "showarrow": False, "yanchor": "top",
             "font": {"size": size, "color": theme.muted}}
        )  # fmt: skip
    notes.append(
        {"x": HIGH + 0.5, "y": 0.5, "text": "∞", "showarrow": False,
         "font": {"size": 14, "color": theme.ink}}
    )  # fmt: skip
    cells = 128
    data: list[dict[str, Any]] = [
        {"type": "heatmap", "x0": (HIGH - LOW) / cells / 2, "dx": (HIGH - LOW) / cells,
         "y": [0, 1], "z": [[HIGH * (i + 0.5) / cells for i in range(cells)]],
         "zmin": LOW, "zmax": HIGH, "colorscale": SCALE[dark], "showscale": False,
         "hoverinfo": "skip"}
    ]  # fmt: skip
    marks = [(eic, True)] + ([(eic_finite, False)] if math.isinf(eic) else [])
    for value, main in marks:
        if math.isnan(value) or (not main and math.isinf(value)):
            continue
        place = HIGH + 0.5 if math.isinf(value) else min(max(value, LOW), HIGH)
        more = math.isfinite(value) and value > HIGH
        name = "EIC" if main else "without singular samples"
        data.append(
            {"type": "scatter", "x": [place], "y": [1.28], "mode": "markers", "showlegend": False,
             "marker": {"symbol": "triangle-down" if main else "triangle-down-open", "size": 13,
                        "color": theme.ink, "line": {"width": 1.5, "color": theme.ink}},
             "hovertemplate": f"{name} {digits_text(value)}<extra></extra>",
             "cliponaxis": False}
        )  # fmt: skip
        if math.isinf(value):
            continue
        notes.append(
            {"x": place, "y": 1.5, "text": f"<b>{digits_text(value)}{' ▸' if more else ''}</b>",
             "showarrow": False, "yanchor": "bottom",
             "font": {"size": 14, "color": theme.ink if main else theme.muted}}
        )  # fmt: skip
    if len(data) == 1:
        notes.append(
            {"x": LOW, "y": 1.2, "text": "undefined: no mark", "showarrow": False,
             "xanchor": "left", "yanchor": "bottom", "font": {"size": 13, "color": theme.muted}}
        )  # fmt: skip
    layout = base_layout(dark) | {
        "height": 96 if narrow else 84,
        "margin": {"l": 8, "r": 8, "t": 4, "b": 4},
        "xaxis": hidden_axis([-0.15, HIGH + 0.95]),
        "yaxis": hidden_axis([-2.3 if narrow else -1.6, 2.9]),
        "shapes": shapes,
        "annotations": notes,
    }
    return build(data, layout)
