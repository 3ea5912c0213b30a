"""The few rows that carry a node's amplified noise, marked in the data plots."""

from __future__ import annotations

from typing import Any

import numpy as np

from eic_core.drawing.scale import Theme
from eic_core.explain.where import few_carriers
from pages.ui.figures.grids import Array

_MOST = 400
"""Most marks drawn, the largest shares first."""


def carrier_marks(
    x: Array, y: Array, s: Array, top: float, theme: Theme
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Diamonds at the rows that carry 99 per cent of a node's noise, if they are few.

    Parameters
    ----------
    x, y : ndarray, shape (N,)
        Where the rows stand in the lower panel.
    s : ndarray, shape (N,)
        Amplification of the node.
    top : float
        Upper edge of the lower panel, as a share of the picture.
    theme : Theme

    Returns
    -------
    traces, notes : list of dict
        Both empty where many rows carry it.
    """
    rows = few_carriers(s)
    if not rows:
        return [], []
    shown = np.array(rows[:_MOST])
    said = f"{len(rows):,} {'row gives' if len(rows) == 1 else 'rows give'} 99 % of the noise"
    trace = {
        "type": "scatter", "mode": "markers", "x": x[shown], "y": y[shown], "yaxis": "y2",
        "name": "carriers", "customdata": shown,
        "marker": {"size": 7, "symbol": "diamond-open", "color": theme.ink, "opacity": 0.8,
                   "line": {"width": 1}},
        "hovertemplate": f"%{{x:.6g}}<br>{said}:<br>this is one of them<extra></extra>",
    }  # fmt: skip
    note = {
        "xref": "paper", "yref": "paper", "x": 1, "y": top, "xanchor": "right",
        "yanchor": "bottom", "showarrow": False, "font": {"size": 12, "color": theme.muted},
        "text": f"◇ {said}",
    }  # fmt: skip
    return [trace], [note]
