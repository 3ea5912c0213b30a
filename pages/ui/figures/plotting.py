"""Common parts of the Plotly figures: layout, axes, notes, grids and traces."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from eic_core.drawing.scale import FONT, THEMES, Theme
from eic_core.measure import Inspection, Samples, amplify

Array = npt.NDArray[Any]

CURVE_POINTS = 600
MAP_POINTS = 60
MAX_POINTS = 2_000
"""Most samples drawn as points; the worst one is always among them."""


@dataclass(frozen=True)
class GridAxis:
    name: str  # canonical name of the variable
    low: float  # least of the samples
    high: float
    log: bool  # whether the samples spread over orders of magnitude

    def grid(self, count: int) -> Array:
        """Evenly spaced values from low to high; one value if they are equal."""
        if self.low == self.high:
            return np.array([self.low])
        if self.log:
            return np.clip(np.geomspace(self.low, self.high, count), self.low, self.high)
        return np.linspace(self.low, self.high, count)

    def limits(self, margin_share: float = 0.02) -> list[float]:
        """Plotly's range (exponents if `log`), a little wider than the samples."""
        low, high = (
            (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        )
        margin = margin_share * (high - low) or max(0.5, 0.1 * abs(low))
        return [low - margin, high + margin]


def axis_of(samples: Samples, name: str) -> GridAxis:
    column = samples.columns[name]
    low, high = float(column.min()), float(column.max())
    # Three decades, and half of the samples in the lowest tenth: a linear axis would hide them.
    log = low > 0 and high / low >= 1000 and float(np.median(column)) < 0.1 * high
    return GridAxis(name, low, high, log)


def slice_defaults(inspection: Inspection) -> dict[str, float]:
    """Each variable's median over the samples, where slices start.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 6.0], "y": [0.0, 0.0, 3.0]})
    >>> slice_defaults(inspect(read("x*y").formula, samples))
    {'x': 2.0, 'y': 0.0}
    """
    return {
        name: float(np.median(inspection.samples.columns[name]))
        for name in inspection.formula.variables
    }


def on_grid(
    inspection: Inspection, node_id: int, columns: Mapping[str, Array], count: int
) -> tuple[Array, Array]:
    """The formula's value and one node's s at `count` points, in double precision."""
    samples = Samples.from_columns(dict(columns), count=count)
    formula = inspection.formula
    amplification = amplify(formula, samples, recheck=False)
    return amplification.trace(len(formula) - 1)[0], amplification.trace(node_id)[1]


def worst_row(s: Array) -> int | None:
    """Index of the largest value, nan left out; None if there is none."""
    values = np.where(np.isnan(s), -1.0, s)
    row = int(np.argmax(values))
    return row if values[row] >= 0 else None


def evenly_spread_rows(count: int, most: int, *always: int | None) -> Array:
    """About `most` evenly spread row numbers below `count`, and those in `always`."""
    rows = np.arange(0, count, max(1, math.ceil(count / most)))
    extra = [row for row in always if row is not None]
    return np.union1d(rows, np.array(extra, dtype=int)) if extra else rows


def value_limits(*values: Array) -> tuple[float, float] | None:
    """A range for an axis that poles do not blow up; None to leave it to Plotly."""
    finite = [v[np.isfinite(v)] for v in values]
    pooled = np.concatenate(finite) if finite else np.empty(0)
    # The central 96 % with a margin, if the other values would take over nine tenths of the axis.
    if len(pooled) < 5:
        return None
    lowest, low, high, highest = np.quantile(pooled, [0.0, 0.02, 0.98, 1.0])
    span = float(high - low)
    if span <= 0 or highest - lowest <= 10 * span:
        return None
    return float(low - 0.25 * span), float(high + 0.25 * span)


TITLE = {"size": 13}
"""Font of the titles of axes."""

_AXIS = {"title": {"font": TITLE}}


def build(data: list[dict[str, Any]], layout: dict[str, Any]) -> go.Figure:
    """A figure from plain dictionaries, unvalidated."""
    # Validation costs ten times the rest; the tests validate the figures.
    return go.Figure({"data": data, "layout": layout}, _validate=False)


def plain_text(text: str) -> str:
    """Text that Plotly takes for text: neither tags nor entities.

    >>> plain_text("a < b & <b>c</b>")
    'a &lt; b &amp; &lt;b>c&lt;/b>'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;")


def base_layout(dark: bool) -> dict[str, Any]:
    theme = THEMES[dark]
    return {
        "template": {"layout": {"xaxis": _AXIS, "yaxis": _AXIS}},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "color": theme.ink, "size": 13},
        "showlegend": False,
        "hoverlabel": {
            "bgcolor": "#ffffff" if not dark else "#262b36",
            "bordercolor": theme.faint,
            "font": {"color": theme.ink, "family": FONT, "size": 13},
            "align": "left",
        },
        "dragmode": "pan",
    }


def axis_style(theme: Theme) -> dict[str, Any]:
    """Hairlines outside, no grid."""
    return {
        "showgrid": False,
        "zeroline": False,
        "showline": True,
        "linecolor": theme.faint,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": theme.faint,
        "tickfont": {"size": 12, "color": theme.muted},
        "automargin": True,
    }


def scale_style(theme: Theme, log: bool, limits: Sequence[float]) -> dict[str, Any]:
    """An axis of numbers over `limits`, which are exponents of ten if `log`."""
    if not log:
        return {"type": "linear", "range": list(limits), "exponentformat": "power"}
    return {
        "type": "log",
        "range": list(limits),
        "exponentformat": "power",
        "dtick": max(1, math.ceil((limits[1] - limits[0]) / 9)),
        # Plotly writes powers of ten a quarter larger than other ticks.
        "tickfont": {"size": 10, "color": theme.muted},
    }


def legend_above(theme: Theme, y: float = 1.02) -> dict[str, Any]:
    return {
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": y,
            "itemsizing": "constant",
            "xanchor": "left",
            "yanchor": "bottom",
            "font": {"size": 12, "color": theme.muted},
            "traceorder": "normal",
            "itemclick": False,  # it explains and does not switch
            "itemdoubleclick": False,
        },
    }


def listed(names: Sequence[str], labels: Mapping[str, str] | None) -> str:
    """The variables in a few words, safe as Plotly text.

    >>> listed([], None), listed(["a", "b"], {"a": "mass"}), listed(["a", "b", "c"], None)
    ('', 'mass and b', 'values of 3 more inputs')
    """
    if len(names) > 2:
        return f"values of {len(names)} more inputs"
    return " and ".join(label_of(name, labels)[:20] for name in names)


def label_of(name: str, labels: Mapping[str, str] | None) -> str:
    """A variable's column name, safe as Plotly text."""
    return plain_text((labels or {}).get(name, name)[:60])


FLOOR = -0.25
"""log10 of the bottom of the s axis."""


def break_at_poles(y: Array) -> Array:
    """The curve without the strokes that would join the two sides of a pole."""
    limits = value_limits(y)
    if limits is None or len(y) < 3:
        return y
    with np.errstate(invalid="ignore", over="ignore"):
        jump = np.abs(np.diff(y)) > 2 * (limits[1] - limits[0])
        jump &= np.sign(y[1:]) != np.sign(y[:-1])
    torn = y.copy()
    torn[1:][jump] = np.nan
    return torn


def s_ceiling(*values: Array) -> float:
    """log10 of the top of the s axis."""
    top = 1.0
    for s in values:
        finite = s[np.isfinite(s)]
        if len(finite):
            top = max(top, math.log10(float(finite.max())) * 1.12 + 0.4)
    return top


def without_value(inspection: Inspection, node_id: int) -> int:
    """Samples at which a node is the first without a real value, unchecked ones left out."""
    return inspection.nodes[node_id].invalid - not_checked(inspection, node_id)


def not_checked(inspection: Inspection, node_id: int) -> int:
    """Samples that leave doubles first at a node and came after the check's limit (ADR 0001)."""
    return inspection.amplification.unsettled_at.get(node_id, 0)


def has_value(inspection: Inspection) -> Array:
    """A mask of the samples that may have a real value: valid or not checked."""
    mask = np.array(inspection.amplification.valid)
    mask[inspection.amplification.unsettled] = True
    return mask


def rug_traces(x: Array, s: Array, valid: Array, top: float, theme: Theme) -> list[dict[str, Any]]:
    """Singular samples on the upper edge of the s panel, invalid ones on the lower."""
    rugs = []
    for rows, level, symbol, name in (
        (np.flatnonzero(np.isinf(s)), top, "triangle-down", "singular: s is infinite"),
        (np.flatnonzero(~valid), FLOOR, "line-ns-open", "no real value"),
    ):
        if len(rows):
            drawn = rows[evenly_spread_rows(len(rows), 300)]
            mark = edge_trace(x[drawn], level, symbol, name, theme)
            rugs.append(mark | {"yaxis": "y2", "name": "rows", "customdata": drawn})
    return rugs


def edge_trace(x: Array, level: float, symbol: str, name: str, theme: Theme) -> dict[str, Any]:
    """Marks along an edge of a logarithmic panel, at 10 to the `level`."""
    return {
        "type": "scatter",
        "mode": "markers",
        "cliponaxis": False,
        "x": x,
        "y": np.full(len(x), 10.0**level),
        "marker": {
            "symbol": symbol,
            "size": 9,
            "color": theme.ink,
            "line": {"width": 1, "color": theme.muted},
        },
        "hovertemplate": f"{name} at %{{x:.6g}}<extra></extra>",
    }
