"""The few rows that carry a node's amplified noise, marked in the data plots."""

from __future__ import annotations

from typing import Any

import numpy as np

from eic_core.drawing.scale import Theme
from eic_core.explain.where import few_carriers
from pages.ui.figures.grids import Array

ON_MAP = {"color": "rgba(255,255,255,0.8)", "line": {"width": 1.2, "color": "#000000"}}
"""A mark that is seen on light and on dark."""

_MOST = 400
"""Most marks drawn, the largest shares first."""


def carrier_marks(
    x: Array,
    y: Array,
    s: Array,
    theme: Theme,
    *,
    on_map: bool = False,
    narrow: bool = False,
    beyond: str = "",
) -> tuple[list[dict[str, Any]], str]:
    """Diamonds at the rows that carry 99 per cent of a node's noise, if they are few.

    Parameters
    ----------
    x, y : ndarray, shape (N,)
        Where the rows stand in the lower panel.
    s : ndarray, shape (N,)
        Amplification of the node.
    theme : Theme
    on_map : bool
        Fill the diamonds, to be seen on every colour.
    narrow : bool
        For a phone: fewer words.
    beyond : str
        What else varies from row to row, safe as Plotly text: the rows are not drawn where the
        picture holds it, but wherever they are.

    Returns
    -------
    traces : list of dict
    said : str
        What the marks are.  Both empty where many rows carry the noise.
    """
    rows = few_carriers(s)
    if not rows:
        return [], ""
    shown = np.array(rows[:_MOST])
    said = f"{len(rows):,} {'row gives' if len(rows) == 1 else 'rows give'} 99 % of the noise"
    hover = f"%{{x:.6g}}<br>{said}:<br>this is one of them"
    if beyond:
        hover += f",<br>at its own {beyond}"
        said += f", at any {beyond}"
    if narrow:
        said = said.replace(" rows give ", " rows: ").replace(", at any ", ", any ")
    trace = {
        "type": "scatter", "mode": "markers", "x": x[shown], "y": y[shown], "yaxis": "y2",
        "name": "carriers", "customdata": shown,
        "marker": ON_MAP | {"size": 8, "symbol": "diamond"} if on_map else {
            "size": 7, "symbol": "diamond-open", "color": theme.ink, "opacity": 0.8,
            "line": {"width": 1},
        },
        "hovertemplate": f"{hover}<extra></extra>",
    }  # fmt: skip
    return [trace], f"◇ {said}"
