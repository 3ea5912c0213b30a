"""A formula against its target."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core.drawing.scale import THEMES
from eic_core.measure import Inspection
from eic_core.measure.fit import Fit, fit_of
from pages.ui.figures.grids import MAX_POINTS, Array, thinned, value_limits
from pages.ui.figures.panels import axis_style
from pages.ui.figures.plotting import base_layout, build


def residual_figure(
    inspection: Inspection, *, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """Target against prediction, and the residual below; R² in the title.

    Parameters
    ----------
    inspection : Inspection
        Its samples must have a target.
    dark, narrow : bool
        For a dark page; for a phone.

    Raises
    ------
    DataError
        If there is no target.
    """
    theme = THEMES[dark]
    fit = fit_of(inspection)
    target = inspection.samples.target
    assert target is not None
    rows = np.flatnonzero(np.isfinite(fit.predicted))
    rows = rows[thinned(len(rows), MAX_POINTS)] if len(rows) else rows
    predicted, residual, actual = fit.predicted[rows], fit.residual[rows], target[rows]
    marker = {"size": 5, "color": theme.accent, "opacity": 0.55}
    data: list[dict[str, Any]] = [
        {"type": "scatter", "mode": "markers", "x": predicted, "y": actual, "marker": marker,
         "hovertemplate": "predicted %{x:.5g}<br>target %{y:.5g}<extra></extra>"},
        {"type": "scatter", "mode": "markers", "x": predicted, "y": residual, "yaxis": "y2",
         "marker": marker,
         "hovertemplate": "predicted %{x:.5g}<br>residual %{y:.5g}<extra></extra>"},
    ]  # fmt: skip
    if len(actual):
        ends = [float(actual.min()), float(actual.max())]
        data.append(
            {"type": "scatter", "mode": "lines", "x": ends, "y": ends, "hoverinfo": "skip",
             "line": {"color": theme.muted, "width": 1, "dash": "dot"}}
        )  # fmt: skip
    style = axis_style(theme) | {"exponentformat": "power"}
    name = (inspection.samples.target_name or "target")[:40].replace("<", "&lt;")
    layout = base_layout(dark) | {
        "height": 400 if narrow else 440,
        "margin": {"l": 62, "r": 10, "t": 40, "b": 48},
        "title": {"text": fit_text(fit), "x": 0, "xref": "paper", "font": {"size": 14}},
        "xaxis": style | _limited(predicted) | {
            "anchor": "y2", "title": {"text": f"predicted {name}", "standoff": 6},
        },
        "yaxis": style | {"domain": [0.42, 1], "title": {"text": name, "standoff": 4}},
        "yaxis2": style | _limited(residual) | {
            "domain": [0, 0.34], "title": {"text": "residual", "standoff": 4},
            "zeroline": True, "zerolinecolor": theme.muted, "zerolinewidth": 1,
        },
        "hovermode": "closest",
        "uirevision": inspection.formula.source,
    }  # fmt: skip
    return build(data, layout)


def fit_text(fit: Fit) -> str:
    """R² in words, with what it leaves out.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.empty(0)
    >>> fit_text(Fit(none, none, 0.98765, 0.98765, ""))
    'R² = 0.9877'
    """
    if not fit.reason:
        return f"R² = {_shown(fit.r2)}"
    if math.isnan(fit.r2_valid):
        return f"R² is undefined: {fit.reason}"
    return f"R² = {_shown(fit.r2_valid)} where defined: {fit.reason}"


def _shown(r2: float) -> str:
    return (f"{r2:.4f}" if r2 > -100 else f"{r2:.3g}").replace("-", "−")


def _limited(values: Array) -> dict[str, Any]:
    limits = value_limits(values)
    if limits is None:
        if not len(values) or values.min() == values.max():
            return {}
        margin = 0.04 * float(values.max() - values.min())
        limits = float(values.min()) - margin, float(values.max()) + margin
    return {"range": list(limits)}
