"""Results of a study: rates with their intervals, curves over a threshold, counts.

Ranges are fixed, so that two studies can be laid side by side; what differs by colour differs by
shape, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import THEMES
from pages.ui.figures.estimates import (
    EstimateMark,
    axis_title,
    dashed_line,
    estimate_marks,
    safe_lines,
    share_axis,
)
from pages.ui.figures.pairs import COLOURS
from pages.ui.figures.plotting import axis_style, base_layout, build, legend_above, plain_text

HALF = 0.5
NAME_LENGTH = 34
NARROW_NAME_LENGTH = 16


@dataclass(frozen=True)
class Curve:
    """Rates over a threshold.

    Attributes
    ----------
    name : str
    points : tuple of Estimate
        The name of a point is its hover text's first line.
    at : tuple of float
        The thresholds.
    """

    name: str
    at: tuple[float, ...]
    points: tuple[EstimateMark, ...]


def rate_figure(rows: Sequence[EstimateMark], *, dark: bool = False) -> go.Figure:
    """Few shares on 0 to 100 %, names above their intervals, the middle marked.

    Parameters
    ----------
    rows : sequence of Estimate
        Shares in [0, 1], from top to bottom.
    dark : bool
    """
    theme = THEMES[dark]
    height = 66 * len(rows) + 44
    notes = []
    for place, row in enumerate(rows):
        y = len(rows) - 1 - place + 0.3
        notes.append(_label(plain_text(row.name), 0.0, y, "left", theme.ink, theme.paper))
        notes.append(_label(plain_text(row.text), 1.0, y, "right", theme.muted, theme.paper))
    layout = _layout(dark, height, len(rows)) | {
        "xaxis": share_axis(theme),
        "annotations": notes,
        "margin": {"l": 14, "r": 14, "t": 8, "b": 30},
    }
    layout["yaxis"]["visible"] = False
    layout["yaxis"]["range"] = [-0.45, len(rows) - 0.3]
    return build(estimate_marks(rows, dark, "x"), layout)


def forest_figure(
    rows: Sequence[EstimateMark], *, dark: bool = False, narrow: bool = False,
    limits: tuple[float, float] = (0.0, 1.0), middle: float | None = HALF, title: str = "",
) -> go.Figure:
    """Many numbers with intervals, names at the left.

    Parameters
    ----------
    rows : sequence of Estimate
        From top to bottom.
    dark, narrow : bool
    limits : (float, float)
        Of the axis; (0, 1) is written in percent.
    middle : float or None
        A line to compare with.
    title : str
        Of the axis.
    """
    theme = THEMES[dark]
    most = NARROW_NAME_LENGTH if narrow else NAME_LENGTH
    layout = _layout(dark, 34 * len(rows) + 66, len(rows))
    layout["xaxis"] = share_axis(theme, title) if limits == (0.0, 1.0) else axis_style(theme) | {
        "range": list(limits), "fixedrange": True, "title": axis_title(title),
    }  # fmt: skip
    layout["yaxis"] |= {
        "tickvals": list(range(len(rows))),
        "ticktext": [plain_text(wording.shorten(row.name, most)) for row in reversed(rows)],
        "ticks": "", "showline": False, "automargin": True,
        "tickfont": {"size": 12 if narrow else 13, "color": theme.ink},
    }  # fmt: skip
    layout["margin"] = {"l": 8, "r": 14, "t": 8, "b": 50}
    layout["shapes"] = [] if middle is None else [dashed_line(middle, theme)]
    return build(estimate_marks(rows, dark, "x"), layout)


def curve_figure(
    curves: Sequence[Curve], *, title: str, mark: tuple[float, float | None, str] | None = None,
    dark: bool = False, narrow: bool = False,
) -> go.Figure:
    """Shares over a threshold with their intervals, 0 to 100 % upwards.

    Parameters
    ----------
    curves : sequence of Curve
        At most two.
    title : str
        Of the horizontal axis.
    mark : (float, float or None, str), optional
        A threshold to mark, its share if there is one, and what to write there.
    dark, narrow : bool
    """
    theme = THEMES[dark]
    data: list[dict[str, Any]] = []
    for curve, colour, dash, symbol in zip(
        curves, COLOURS[dark], ("solid", "dash"), ("circle", "square"), strict=False
    ):
        pairs = [(x, p) for x, p in zip(curve.at, curve.points, strict=True) if p.value is not None]
        banded = [(x, p) for x, p in pairs if p.low is not None and p.high is not None]
        data.append(
            {
                "type": "scatter", "x": [x for x, _ in banded] + [x for x, _ in reversed(banded)],
                "y": [p.high for _, p in banded] + [p.low for _, p in reversed(banded)],
                "fill": "toself", "fillcolor": colour, "opacity": 0.16, "hoverinfo": "skip",
                "line": {"width": 0}, "mode": "lines", "showlegend": False,
            }
        )  # fmt: skip
        data.append(
            {
                "type": "scatter", "mode": "lines+markers", "name": curve.name,
                "x": [x for x, _ in pairs], "y": [p.value for _, p in pairs],
                "line": {"color": colour, "width": 2, "dash": dash},
                "marker": {"symbol": symbol, "size": 7, "color": colour},
                "text": [f"<b>{plain_text(p.name)}</b><br>{safe_lines(p.text)}" for _, p in pairs],
                "hovertemplate": "%{text}<extra></extra>",
            }
        )  # fmt: skip
    layout = base_layout(dark) | {
        "height": 320 if narrow else 340, "dragmode": False,
        "margin": {"l": 50, "r": 14, "t": 34, "b": 50},
        **legend_above(theme),
        "xaxis": axis_style(theme) | {
            "fixedrange": True, "title": axis_title(title), "automargin": False,
        },
        "yaxis": share_axis(theme) | {"automargin": False},
        "shapes": [dashed_line(HALF, theme, across=True)],
    }  # fmt: skip
    if mark is not None:
        at, share, said = mark
        layout["shapes"].append(dashed_line(at, theme))
        layout["annotations"] = [
            {
                "x": at, "y": 0.02, "yref": "paper", "xanchor": "left", "xshift": 4,
                "showarrow": False, "text": plain_text(said),
                "font": {"size": 12, "color": theme.muted},
            }
        ]  # fmt: skip
        if share is not None:
            data.append(
                {
                    "type": "scatter", "mode": "markers", "x": [at], "y": [share],
                    "showlegend": False, "hoverinfo": "skip",
                    "marker": {"symbol": "diamond", "size": 14, "color": theme.ink,
                               "line": {"color": theme.paper, "width": 2}},
                }
            )  # fmt: skip
    return build(data, layout)


def counts_figure(
    counts: Sequence[int], *, title: str, upwards: str, dark: bool = False
) -> go.Figure:
    """How many things have how many of something.

    Parameters
    ----------
    counts : sequence of int
        One for each thing.
    title, upwards : str
        Of the axes.
    dark : bool
    """
    theme = THEMES[dark]
    found = Counter(counts)
    top = max(found, default=0)
    data = [
        {
            "type": "bar", "x": list(range(top + 1)), "y": [found[n] for n in range(top + 1)],
            "marker": {"color": COLOURS[dark][0], "opacity": 0.75},
            "hovertemplate": f"%{{y}} {plain_text(upwards)} with %{{x}}<extra></extra>",
        }
    ]  # fmt: skip
    axis = axis_style(theme) | {"fixedrange": True, "tickformat": "d", "rangemode": "tozero"}
    layout = base_layout(dark) | {
        "height": 220, "bargap": 0.25, "dragmode": False,
        "margin": {"l": 50, "r": 14, "t": 8, "b": 50},
        "xaxis": axis | {"title": axis_title(title), "dtick": max(1, top // 12)},
        "yaxis": axis | {"title": axis_title(upwards), "nticks": 5},
    }  # fmt: skip
    return build(data, layout)


def _layout(dark: bool, height: int, rows: int) -> dict[str, Any]:
    return base_layout(dark) | {
        "height": max(110, height),
        "dragmode": False,
        "yaxis": {
            "range": [-0.6, max(rows, 1) - 0.4], "fixedrange": True, "showgrid": False,
            "zeroline": False,
        },
        "shapes": [dashed_line(HALF, THEMES[dark])],
    }  # fmt: skip


def _label(
    text: str, x: float, y: float, anchor: str, colour: str, paper: str
) -> dict[str, Any]:
    return {
        "x": x, "xref": "paper", "y": y, "xanchor": anchor, "showarrow": False, "text": text,
        "yanchor": "middle", "font": {"size": 13, "color": colour}, "bgcolor": paper,
    }  # fmt: skip
