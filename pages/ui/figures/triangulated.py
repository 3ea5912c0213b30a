"""One node's loss, measured in four independent ways, on one axis of digits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from eic_core.drawing.scale import HIGH, THEMES, Theme, digits_text
from eic_core.explain import words
from eic_core.explain.comparing import LIKELY, NAMES
from eic_core.explain.triangulation import TriangulatedNode
from eic_core.measure.observed import DIGITS, Observed
from pages.ui.figures.panels import axis_style
from pages.ui.figures.plotting import base_layout, build

_ROW, _AXIS = 29, 46
_LEAST = -1.0
"""Left end in digits: a rounding is 0.4 units of roundoff, and many are smaller."""

_COLOURS = {
    "recursion": {False: "#1c1f26", True: "#f2f3f5"},
    "shaken": {False: "#0072b2", True: "#5cb8f0"},
    "observed": {False: "#d55e00", True: "#f0a03c"},
}
"""By `dark`; every way has a symbol of its own as well."""

_SYMBOLS = {"recursion": "diamond", "shaken": "circle", "observed": "square"}


@dataclass(frozen=True)
class Lane:
    """One line of the figure.

    Attributes
    ----------
    label : str
    way : {"recursion", "shaken", "observed"}
    value : float
        Digits; nan and infinite values are said in words.
    low, high : float
        Interval; nan without one.
    said : str
        The value in words.
    limit : float
        Where no digit is left; nan if that does not apply.
    """

    label: str
    way: str
    value: float
    low: float = math.nan
    high: float = math.nan
    said: str = ""
    limit: float = math.nan


def lanes(node: TriangulatedNode) -> tuple[Lane, ...]:
    """The lines of a node's figure, from theory to observation."""
    theory = [
        Lane(label, "recursion", value,
             said=digits_text(value) if math.isfinite(value) else "no digit is left")
        for label, value in (
            ("recursion", node.recursion), ("recursion, shared noise", node.shared)
        )
    ]  # fmt: skip
    shaken = [
        Lane(
            f"shaken by σ = {words.number(s.sigma)}", "shaken", s.local_eic, s.low, s.high,
            "shows nothing" if math.isnan(s.low) else
            f"{s.local_eic:.2f} ({s.low:.2f} to {s.high:.2f})",
        )
        for s in node.shaken
    ]  # fmt: skip
    observed = [
        Lane(NAMES[o.kind], "observed", o.digits, said=observed_text(o), limit=DIGITS[o.kind])
        for o in (node.float32, node.float64)
    ]
    return (*theory, *shaken, *observed)


def observed_text(observed: Observed) -> str:
    """An observed error in digits, or why there is none."""
    if math.isnan(observed.digits):
        return "no value"
    if math.isinf(observed.digits):
        return "exact"
    return f"{observed.digits:.2f}".replace("-", "−")


def triangulated_figure(
    node: TriangulatedNode, *, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """The recursion, Algorithm 2 at falling sigma with 95 % intervals, and observed errors.

    A band shows where an observed error is to be expected: 0.1 to 1.5 times what the recursion
    with shared noise gives for roundings of one unit roundoff.

    Parameters
    ----------
    node : TriangulatedNode
    dark, narrow : bool
        For a dark page; for a phone.
    """
    theme = THEMES[dark]
    found = lanes(node)
    top = _top(found)
    layout = base_layout(dark) | {
        "height": _ROW * len(found) + _AXIS + 8,
        "margin": {"l": 8, "r": 8, "t": 4, "b": _AXIS},
        "dragmode": False,
        "hovermode": "closest",
        "xaxis": axis_style(theme) | {
            "range": [_LEAST - 0.15, top], "fixedrange": True,
            "dtick": 1 if top < 9.5 and not narrow else 2,
            "tick0": 0, "showgrid": True, "gridcolor": theme.faint, "griddash": "dot",
            "title": {"text": "decimal digits lost", "standoff": 4, "font": {"size": 12}},
        },
        "yaxis": axis_style(theme) | {
            "range": [-len(found) + 0.4, 0.6], "fixedrange": True, "showline": False, "ticks": "",
            "tickvals": [-k for k in range(len(found))],
            "ticktext": [_label(lane, narrow) for lane in found],
            "tickfont": {"size": 12 if narrow else 13, "color": theme.ink},
        },
        "shapes": _shapes(node, found, theme),
        "annotations": [
            _missing(lane, -k, theme) for k, lane in enumerate(found)
            if not math.isfinite(lane.value) or lane.value > top
        ],
    }  # fmt: skip
    return build([_trace(found, way, dark) for way in _SYMBOLS], layout)


def triangulated_words(node: TriangulatedNode) -> str:
    """The figure in words, for those who do not see it."""
    return "Digits lost: " + "; ".join(f"{lane.label}: {lane.said}" for lane in lanes(node))


def _top(found: tuple[Lane, ...]) -> float:
    """Right end: 8 digits like every other scale, more where needed."""
    shown = [v for lane in found for v in (lane.value, lane.high) if math.isfinite(v)]
    return min(20.0, max(HIGH, math.ceil(max(shown, default=0.0) + 0.3))) + 0.25


def _label(lane: Lane, narrow: bool) -> str:
    if not narrow:
        return lane.label
    return lane.label.replace("shaken by ", "").replace("recursion, shared noise", "shared noise")


def _trace(found: tuple[Lane, ...], way: str, dark: bool) -> dict[str, Any]:
    colour = _COLOURS[way][dark]
    of_way = [(k, lane) for k, lane in enumerate(found)
              if lane.way == way and math.isfinite(lane.value)]  # fmt: skip
    trace: dict[str, Any] = {
        "type": "scatter", "mode": "markers",
        "x": [lane.value for _, lane in of_way], "y": [-k for k, _ in of_way],
        "hovertext": [f"{lane.label}: {lane.said}" for _, lane in of_way],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"symbol": _SYMBOLS[way], "size": 9 if way == "shaken" else 11, "color": colour,
                   "line": {"width": 1, "color": THEMES[dark].paper}},
        "cliponaxis": False,
    }  # fmt: skip
    if way == "shaken":
        trace["error_x"] = {
            "type": "data", "symmetric": False, "color": colour, "thickness": 2, "width": 5,
            "array": [lane.high - lane.value for _, lane in of_way],
            "arrayminus": [lane.value - lane.low for _, lane in of_way],
        }  # fmt: skip
    return trace


def _shapes(node: TriangulatedNode, found: tuple[Lane, ...], theme: Theme) -> list[dict[str, Any]]:
    shapes: list[dict[str, Any]] = []
    if math.isfinite(node.recursion):
        shapes.append(
            {"type": "line", "x0": node.recursion, "x1": node.recursion, "y0": 0,
             "y1": -len(found) + 0.5, "layer": "below",
             "line": {"width": 1.2, "color": theme.muted}}
        )  # fmt: skip
    for k, lane in enumerate(found):
        if lane.way != "observed":
            continue
        if math.isfinite(node.shared):
            low, high = (node.shared + math.log10(factor) for factor in LIKELY)
            shapes.append(
                {"type": "rect", "x0": low, "x1": high, "y0": -k - 0.36, "y1": -k + 0.36,
                 "layer": "below", "line": {"width": 0}, "fillcolor": theme.data, "opacity": 0.25}
            )  # fmt: skip
        shapes.append(
            {"type": "line", "x0": lane.limit, "x1": lane.limit, "y0": -k - 0.4, "y1": -k + 0.4,
             "line": {"width": 3, "color": theme.ink}}
        )  # fmt: skip
    return shapes


def _missing(lane: Lane, y: int, theme: Theme) -> dict[str, Any]:
    """In place of a mark, at the left: why there is none."""
    return {
        "x": 0, "xref": "paper", "xanchor": "left", "xshift": 6, "y": y, "showarrow": False,
        "text": lane.said, "font": {"size": 12, "color": theme.muted}, "bgcolor": theme.paper,
    }  # fmt: skip
