"""Common parts of the Plotly figures: layout, axes, notes, grids and traces."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from eic_core.drawing.chart import ChartAxis, even_ticks, log_ticks, whole_ticks
from eic_core.drawing.curves import points_of, sample_curve
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

    def at(self, shares: Array) -> Array:
        """The values at shares of the way from low to high."""
        if not self.log:
            return self.low + shares * (self.high - self.low)
        return np.clip(self.low * (self.high / self.low) ** shares, self.low, self.high)

    def grid(self, count: int) -> Array:
        """Evenly spaced values from low to high; one value if they are equal."""
        return self.at(np.linspace(0, 1, count if self.low < self.high else 1))

    def chart_axis(self, title: str, margin_share: float = 0.02) -> ChartAxis:
        """A little wider than the samples."""
        low, high = (
            (math.log10(self.low), math.log10(self.high)) if self.log else (self.low, self.high)
        )
        margin = margin_share * (high - low) or max(0.5, 0.1 * abs(low))
        low, high = low - margin, high + margin
        if self.log:
            return ChartAxis(title, (10.0**low, 10.0**high), log_ticks(low, high), log=True)
        return ChartAxis(title, (low, high), even_ticks(low, high, 6))

    def curve(self, values: Callable[[Array], Array], up: ChartAxis) -> tuple[Array, Array]:
        """The points of a curve that goes through the whole axis, gaps and peaks included."""
        largest = max(abs(self.low), abs(self.high))
        finest = 4 * float(np.spacing(largest)) / ((self.high - self.low) or largest or 1.0)
        limits = up.limits or (0.0, 1.0)

        def heights(u: Array) -> Array:
            with np.errstate(all="ignore"):
                return np.log10(values(self.at(u))) if up.log else values(self.at(u))

        low, high = np.log10(limits).tolist() if up.log else limits
        u, y = points_of(sample_curve(heights, low, high, finest), low, high)
        return self.at(u), 10.0**y if up.log else y


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


def evenly_spread_rows(count: int, most: int, *always: int | None) -> Array:
    """About `most` evenly spread row numbers below `count`, and those in `always`."""
    rows = np.arange(0, count, max(1, math.ceil(count / most)))
    extra = [row for row in always if row is not None]
    return np.union1d(rows, np.array(extra, dtype=int)) if extra else rows


def value_limits(*values: Array) -> tuple[float, float]:
    """The range of an axis, which poles do not blow up."""
    pooled = np.concatenate([each[np.isfinite(each)] for each in values])
    if not len(pooled):
        return -1.0, 1.0
    # The central 96 % with a margin, if the other values would take over nine tenths of the axis.
    lowest, low, high, highest = np.quantile(pooled, [0.0, 0.02, 0.98, 1.0]).tolist()
    span = high - low
    if len(pooled) >= 5 and 0 < span < (highest - lowest) / 10:
        return low - 0.25 * span, high + 0.25 * span
    margin = 0.05 * (highest - lowest) or 0.1 * abs(low) or 1.0
    return lowest - margin, highest + margin


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
    """The variables in a few words.

    >>> listed([], None), listed(["a", "b"], {"a": "mass"}), listed(["a", "b", "c"], None)
    ('', 'mass and b', 'values of 3 more inputs')
    """
    if len(names) > 2:
        return f"values of {len(names)} more inputs"
    return " and ".join(label_of(name, labels)[:20] for name in names)


def label_of(name: str, labels: Mapping[str, str] | None) -> str:
    """A variable's column name."""
    return (labels or {}).get(name, name)[:60]


FLOOR = -0.25
"""The bottom of an axis of digits."""


def digits_of(s: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log10(s)


def digits_axis(*digits: Array) -> ChartAxis:
    """Up to the largest of some digits."""
    pooled = np.concatenate([each[np.isfinite(each)] for each in digits])
    top = 1.12 * max(0.6, float(pooled.max(initial=0.0))) + 0.4
    return ChartAxis("error growth, digits", (FLOOR, top), whole_ticks(top, steps=(1, 2, 4)))


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
