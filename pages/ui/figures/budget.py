"""How many digits each number is given, needs alone, and keeps when all are rounded."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from eic_core.drawing.scale import THEMES
from eic_core.drawing.scene import cut, short_number
from eic_core.explain import words
from eic_core.explain.budget import Need
from eic_core.explain.shortening import MOST_DIGITS
from pages.ui.figures.panels import legend_above
from pages.ui.figures.plotting import base_layout, build

SHOWN = 14
"""Rows drawn; the table has them all."""


def digits_figure(needs: Sequence[Need], *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """One row for each number: a light bar as given, a dark one as needed.

    Parameters
    ----------
    needs : sequence of Need
        The first `SHOWN` are drawn.
    dark, narrow : bool
        For a dark page; for a phone.

    Returns
    -------
    plotly.graph_objects.Figure
        Significant digits from 0 to 17, those of double precision; a small mark stands at
        what the number needs if nothing else is rounded.
    """
    theme = THEMES[dark]
    shown = needs[:SHOWN]
    places = [-float(i) for i in range(len(shown))]
    given = [min(n.given, MOST_DIGITS) for n in shown]
    layout = base_layout(dark) | {
        "height": 96 + 26 * len(shown),
        "margin": {"l": 96 if narrow else 120, "r": 8, "t": 30, "b": 40},
        "barmode": "overlay",
        "xaxis": {
            "range": [0, MOST_DIGITS + (4.2 if narrow else 2.6)], "fixedrange": True,
            "zeroline": False, "tickvals": [0, 5, 10, 15], "showgrid": False,
            "ticks": "outside", "ticklen": 4, "tickcolor": theme.muted, "showline": True,
            "linecolor": theme.faint, "tickfont": {"size": 12, "color": theme.muted},
            "title": {"text": "significant digits",
                      "font": {"size": 12, "color": theme.muted}},
        },
        "yaxis": {
            "range": [-len(shown) + 0.4, 0.6], "fixedrange": True, "zeroline": False,
            "showgrid": False, "tickvals": places, "ticktext": [_name(n) for n in shown],
            "tickfont": {"size": 13},
        },
        **legend_above(theme),
        "annotations": [_count(n, y, top, theme.ink) for n, y, top in
                        zip(shown, places, given, strict=True)],
        "dragmode": False,
    }  # fmt: skip
    data = [
        _bars("given", places, given, {"color": theme.faint}, 0.62),
        _bars("needed", places, [n.together for n in shown], {"color": theme.accent}, 0.34),
        {
            "type": "scatter", "mode": "markers", "name": "needed alone", "y": places,
            "x": [n.alone for n in shown],
            "marker": {"symbol": "line-ns", "size": 15,
                       "line": {"width": 2.5, "color": theme.ink}},
            "hovertemplate": "needs %{x} if nothing else is rounded<extra></extra>",
        },
    ]  # fmt: skip
    return build(data, layout)


def _bars(
    name: str, places: list[float], values: Sequence[int], marker: dict[str, Any], width: float
) -> dict[str, Any]:
    return {
        "type": "bar", "orientation": "h", "name": name, "y": places, "x": list(values),
        "width": width, "marker": marker, "hovertemplate": f"{name}: %{{x}}<extra></extra>",
    }  # fmt: skip


def _name(need: Need) -> str:
    plain = words.input_name(need.name).strip("`")
    text = short_number(need.name) if need.kind == "constant" else cut(plain, 12)
    return f"{html.escape(text)}  "


def _count(need: Need, y: float, top: int, ink: str) -> dict[str, Any]:
    return {
        "x": top, "y": y, "text": f"{need.together} of {need.given}", "showarrow": False,
        "xanchor": "left", "xshift": 6, "font": {"size": 13, "color": ink},
    }  # fmt: skip
