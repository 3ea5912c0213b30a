"""A ballot's formulas over its data: pure Plotly, nothing but the ballot's own content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from study.rating_types import Axis, Ballot, FormulaCard

Side = Literal["left", "right"]
LETTERS: dict[Side, str] = {"left": "A", "right": "B"}


@dataclass(frozen=True, slots=True)
class BallotTheme:
    ink: str
    muted: str
    grid: str
    paper: str
    data: str
    left: str
    right: str


LOOKS = {
    False: BallotTheme("#1c1f26", "#5b6270", "#e3e6ea", "#ffffff", "#6f7785", "#0067a8", "#c44e00"),
    True: BallotTheme("#f2f3f5", "#a9b0bd", "#2c323d", "#0e1117", "#9aa3b2", "#5cb8f0", "#f0a03c"),
}
"""By `dark`."""

DASHES: dict[Side, str] = {"left": "solid", "right": "10px,6px"}
FONT = "Source Sans Pro, Source Sans, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"
SCALE = (
    "#00224e",
    "#123570",
    "#3b496c",
    "#575d6d",
    "#707173",
    "#8a8678",
    "#a59c74",
    "#c3b369",
    "#e1cc55",
    "#fee838",
)
"""Cividis: even steps of lightness, the same for colour-blind eyes."""


def card_of(ballot: Ballot, side: Side) -> FormulaCard:
    """Formula A (left) or B (right)."""
    return ballot.left if side == "left" else ballot.right


def curve_figure(ballot: Ballot, *, dark: bool = False) -> go.Figure:
    return go.Figure(curve_plot(ballot, dark=dark))


def surface_figure(ballot: Ballot, side: Side, *, dark: bool = False) -> go.Figure:
    return go.Figure(surface_plot(ballot, side, dark=dark))


def curve_plot(ballot: Ballot, *, dark: bool = False) -> dict[str, Any]:
    """The data and both curves of a ballot with one input."""
    figure, look = ballot.figure, LOOKS[dark]
    across, up = figure.inputs[0], figure.target
    x = list(figure.grids[0])
    points = list(zip(*figure.points, strict=True)) or [(), ()]
    traces: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": "Data",
            "x": list(points[0]),
            "y": list(points[1]),
            "marker": {
                "size": 7 if len(points[0]) < 120 else 5,
                "color": look.data,
                "opacity": 0.75,
                "line": {"width": 0.5, "color": look.paper},
            },
            "hovertemplate": "%{y:.4g}",
        }
    ]
    for side, letter in LETTERS.items():
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": f"Formula {letter}",
                "x": x,
                "y": list(card_of(ballot, side).curve),
                "line": {"width": 3, "color": getattr(look, side), "dash": DASHES[side]},
                "hovertemplate": "%{y:.4g}",
            }
        )
    layout = _layout(look, 270)
    layout["xaxis"] = _axis(across, look, margin=0.02)
    layout["yaxis"] = _axis(up, look)
    layout["yaxis"]["title"]["text"] = plain(up.title)
    layout["hovermode"] = "x"
    return {"data": traces, "layout": layout}


def surface_plot(ballot: Ballot, side: Side, *, dark: bool = False) -> dict[str, Any]:
    """One formula of a ballot with two inputs as a map, the data as dots in its colours."""
    figure, look = ballot.figure, LOOKS[dark]
    first, second = figure.inputs
    points = list(zip(*figure.points, strict=True)) or [(), (), ()]
    colours = {"colorscale": colour_scale(), "showscale": False}
    low, high = figure.target.low, figure.target.high
    traces: list[dict[str, Any]] = [
        {
            "type": "heatmap",
            "name": f"Formula {LETTERS[side]}",
            "zsmooth": "best" if _is_smooth(ballot) else False,
            "x": list(figure.grids[0]),
            "y": list(figure.grids[1]),
            "z": [list(row) for row in card_of(ballot, side).surface],
            "zmin": low,
            "zmax": high,
            "hovertemplate": "%{z:.4g}",
            **colours,
        },
        {
            "type": "scatter",
            "mode": "markers",
            "name": "Data",
            "x": list(points[0]),
            "y": list(points[1]),
            "marker": {
                "size": 10 if len(points[0]) < 120 else 7,
                "color": list(points[2]),
                "cmin": low,
                "cmax": high,
                "line": {"width": 1.2, "color": "#ffffff"},
                **colours,
            },
            "hovertemplate": "%{marker.color:.4g}",
        },
    ]
    layout = _layout(look, 280)
    layout["xaxis"] = _axis(first, look, margin=0.03)
    layout["yaxis"] = _axis(second, look, margin=0.03)
    layout["xaxis"]["showgrid"] = layout["yaxis"]["showgrid"] = False
    layout["hovermode"] = "closest"
    return {"data": traces, "layout": layout}


def _is_smooth(ballot: Ballot) -> bool:
    """Whether both maps may be interpolated: where one is blank or leaps, cells are honest."""
    axis = ballot.figure.target
    span = axis.high - axis.low
    return all(
        value is not None and axis.low - span <= value <= axis.high + span
        for card in (ballot.left, ballot.right)
        for line in card.surface
        for value in line
    )


def colour_scale() -> list[list[Any]]:
    """`SCALE` in Plotly's form."""
    return [[i / (len(SCALE) - 1), colour] for i, colour in enumerate(SCALE)]


def scale_ticks(axis: Axis) -> tuple[str, str, str]:
    """Both ends and the middle of a colour scale.

    >>> scale_ticks(Axis("y", "", "", -1, 3))
    ('−1', '1', '3')
    """
    values = (axis.low, (axis.low + axis.high) / 2, axis.high)
    low, middle, high = (f"{value:.3g}".replace("-", "−") for value in values)
    return low, middle, high


def _layout(look: BallotTheme, height: int) -> dict[str, Any]:
    return {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": FONT, "size": 13, "color": look.ink},
        "dragmode": False,
        "showlegend": False,
        "hoverlabel": {"font": {"family": FONT, "size": 13}},
        "template": None,
    }


def _axis(axis: Axis, look: BallotTheme, margin: float = 0.0) -> dict[str, Any]:
    pad = margin * (axis.high - axis.low)
    return {
        "title": {"text": plain(axis.label), "standoff": 8, "font": {"size": 14}},
        "range": [axis.low - pad, axis.high + pad],
        "fixedrange": True,
        "automargin": True,
        "nticks": 7,
        "gridcolor": look.grid,
        "linecolor": look.muted,
        "showline": True,
        "ticks": "outside",
        "tickcolor": look.muted,
        "ticklen": 4,
        "zeroline": False,
        "exponentformat": "power",
    }


def plain(text: str) -> str:
    """Text for Plotly, which reads a little HTML, with none in it.

    >>> plain("a<b>")
    'a&lt;b&gt;'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
