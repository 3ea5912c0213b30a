"""The figures of a study: their descriptions drawn with Plotly."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import THEMES, Theme
from pages.ui.figures.plotting import axis_style, base_layout, build, legend_above, plain_text
from study.report.figures import (
    COLOURS,
    SHARE_TICKS,
    SHARES,
    Counts,
    Curve,
    Curves,
    Histogram,
    Histograms,
    Intervals,
    Mark,
    Picture,
)

NAME_LENGTH = {False: 34, True: 20}
"""Characters of a name beside its interval, by `narrow`."""
LINE_LENGTH = {False: 80, True: 40}
MARGIN = {"l": 14, "r": 22, "t": 8, "b": 50}


def draw(picture: Picture, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """A figure for a dark or a light page, for a phone if `narrow`; if empty, a sentence."""
    match picture:
        case Intervals():
            return _intervals(picture, dark, narrow)
        case Curves():
            return _curves(picture, dark, narrow)
        case Histograms():
            return _histograms(picture, dark, narrow)
        case Counts():
            return _counts(picture, dark, narrow)


def _intervals(picture: Intervals, dark: bool, narrow: bool) -> go.Figure:
    theme, rows = THEMES[dark], len(picture.marks)
    layout = base_layout(dark) | {
        "height": max(110, 34 * rows + 66 if picture.beside else 66 * rows + 44),
        "dragmode": False,
        "margin": dict(MARGIN),
        "xaxis": _share_axis(theme)
        if picture.limits == (0.0, 1.0)
        else axis_style(theme)
        | {
            "range": list(picture.limits),
            "fixedrange": True,
        },
        "yaxis": {
            "range": [-0.6, max(rows, 1) - 0.4],
            "fixedrange": True,
            "showgrid": False,
            "zeroline": False,
            "ticks": "",
            "showline": False,
            "automargin": True,
            "tickvals": list(range(rows)),
            "ticktext": [
                plain_text(wording.shorten(mark.name, NAME_LENGTH[narrow]))
                for mark in reversed(picture.marks)
            ],
            "tickfont": {"size": 12 if narrow else 13, "color": theme.ink},
        },
        "shapes": [_line(picture.middle, theme)],
        "annotations": [],
    }
    if picture.axis:
        layout["xaxis"]["title"] = _title(picture.axis)
    else:
        layout["margin"]["b"] = 30
    if not rows:
        layout["annotations"].append(_reason(picture.empty, theme, narrow))
    if picture.beside:
        layout["annotations"] += [
            _label(mark.text, 0.5, rows - place, theme.muted, theme, 12 if narrow else 13)
            for place, mark in enumerate(picture.marks, start=1)
            if mark.value is None
        ]
    else:
        _names_above(layout, picture, theme, narrow)
    if picture.total and rows > 1:
        layout["shapes"].append(
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": 0.5,
                "y1": 0.5,
                "line": {"color": theme.faint, "width": 1},
            }
        )
    data = [
        trace
        for place, mark in enumerate(picture.marks, start=1)
        for trace in _interval(mark, rows - place, dark)
    ]
    return build(data, layout)


def _interval(mark: Mark, y: int, dark: bool) -> list[dict[str, Any]]:
    if mark.value is None:
        return []
    theme = THEMES[dark]
    colour = theme.muted if mark.check else COLOURS[dark][0]
    hover = _hover_text(mark) + "<extra></extra>"
    point = {
        "type": "scatter",
        "mode": "markers",
        "x": [mark.value],
        "y": [y],
        "marker": {
            "symbol": "circle-open" if mark.check else "circle",
            "color": colour,
            "size": 10 if mark.check else 8 + 5 * mark.weight**0.5,
            "line": {"color": colour if mark.check else theme.paper, "width": 2},
        },
        "hovertemplate": hover,
        "cliponaxis": False,
    }
    if mark.low is None or mark.high is None:
        return [point]
    width = 2.0 if mark.check else 2.0 + 3.0 * mark.weight
    line = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [mark.low, mark.high],
        "y": [y, y],
        "line": {"color": colour, "width": width},
        "marker": {"symbol": "line-ns", "size": 10, "line": {"color": colour, "width": 2}},
        "hovertemplate": hover,
    }
    return [line, point]


def _names_above(layout: dict[str, Any], picture: Intervals, theme: Theme, narrow: bool) -> None:
    """Name and text of each mark above it, and the meaning of the ends of the axis."""
    rows, size = len(picture.marks), 12 if narrow else 13
    for place, mark in enumerate(picture.marks):
        y = rows - 1 - place + 0.3
        layout["annotations"] += [
            _label(wording.shorten(mark.name, NAME_LENGTH[narrow]), 0.0, y, theme.ink, theme, size),
            _label(mark.text, 1.0, y, theme.muted, theme, size),
        ]
    layout["yaxis"] |= {"visible": False, "range": [-0.45, rows - 0.3]}
    if rows and any(picture.ends):
        layout["yaxis"]["range"][1] += 0.4
        layout["height"] += 26
        layout["annotations"] += [
            _label(text, x, rows + 0.02, theme.muted, theme, size)
            for x, text in zip((0.0, 1.0), picture.ends, strict=True)
        ]


def _curves(picture: Curves, dark: bool, narrow: bool) -> go.Figure:
    theme, places = THEMES[dark], [at for curve in picture.curves for at in curve.at]
    layout = base_layout(dark) | {
        "height": 380 if narrow else 400,
        "dragmode": False,
        "margin": MARGIN | {"l": 62, "t": 34},
        "bargap": 0.2,
        "xaxis": axis_style(theme)
        | {
            "fixedrange": True,
            "title": _title(picture.axis),
            "automargin": False,
            "anchor": "y2",
            "showticklabels": bool(places),
            "dtick": _step(max(places, default=0) - min(places, default=0), 6, (1, 2, 3, 6)),
        },
        "yaxis": _share_axis(theme)
        | {
            "automargin": False,
            "domain": [0.32, 1.0],
            "title": _title(picture.upwards),
        },
        "yaxis2": _count_axis(theme, [n for curve in picture.curves for n in curve.below], 3)
        | {
            "automargin": False,
            "domain": [0.0, 0.24],
            "title": _title(picture.below),
        },
        "shapes": [_line(0.5, theme, across=True)],
        "annotations": [],
    }
    if len(picture.curves) > 1:
        layout |= legend_above(theme)
    looks = zip(
        picture.curves, COLOURS[dark], ("solid", "dash"), ("circle", "square"), strict=False
    )
    data: list[dict[str, Any]] = []
    for curve, colour, dash, symbol in looks:
        style = {
            "line": {"color": colour, "width": 2, "dash": dash},
            "marker": {"symbol": symbol, "size": 7, "color": colour},
        }
        data += _band(curve, style) if picture.joined else _whiskers(curve, style)
        data.append(_below(picture, curve, style, theme))
        if curve.chosen is not None:
            at, mark = curve.at[curve.chosen], curve.marks[curve.chosen]
            layout["shapes"].append(_line(at, theme))
            layout["annotations"].append(
                {
                    "x": at,
                    "y": 0.05,
                    "yref": "y",
                    "xanchor": "left",
                    "xshift": 4,
                    "showarrow": False,
                    "text": plain_text(picture.chosen),
                    "font": {"size": 12, "color": theme.muted},
                }
            )
            data += _diamond(at, mark, theme)
    if not any(curve.known_marks for curve in picture.curves):
        layout["annotations"].append(_reason(picture.empty, theme, narrow, y=0.75))
    return build(data, layout)


def _band(curve: Curve, style: dict[str, Any]) -> list[dict[str, Any]]:
    """The marks joined by a line, over a band of their intervals."""
    banded = [(at, m) for at, m in curve.known_marks if m.low is not None and m.high is not None]
    band = {
        "type": "scatter",
        "mode": "lines",
        "x": [at for at, _ in banded] + [at for at, _ in reversed(banded)],
        "y": [m.high for _, m in banded] + [m.low for _, m in reversed(banded)],
        "fill": "toself",
        "fillcolor": style["line"]["color"],
        "opacity": 0.16,
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    return [band, _points(curve) | style | {"mode": "lines+markers"}]


def _whiskers(curve: Curve, style: dict[str, Any]) -> list[dict[str, Any]]:
    marks = [m for _, m in curve.known_marks]
    intervals = {
        "type": "data",
        "symmetric": False,
        "thickness": 2,
        "width": 4,
        "color": style["line"]["color"],
        "array": [0 if m.high is None else m.high - (m.value or 0) for m in marks],
        "arrayminus": [0 if m.low is None else (m.value or 0) - m.low for m in marks],
    }
    marker = style["marker"] | {"size": 9}
    return [_points(curve) | {"mode": "markers", "marker": marker, "error_y": intervals}]


def _points(curve: Curve) -> dict[str, Any]:
    return {
        "type": "scatter",
        "name": plain_text(curve.name),
        "cliponaxis": False,
        "x": [at for at, _ in curve.known_marks],
        "y": [m.value for _, m in curve.known_marks],
        "text": [_hover_text(m) for _, m in curve.known_marks],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _below(picture: Curves, curve: Curve, style: dict[str, Any], theme: Theme) -> dict[str, Any]:
    """Counts below the marks: steps where the marks are joined, else bars."""
    what = {
        "x": list(curve.at),
        "y": list(curve.below),
        "yaxis": "y2",
        "showlegend": False,
        "text": [_hover_text(m) for m in curve.marks],
        "hovertemplate": "%{text}<extra></extra>",
    }
    if not picture.joined:
        return what | {
            "type": "bar",
            "width": [0.8] * len(curve.at),
            "marker": {"color": theme.faint},
            "textposition": "none",
        }
    return what | {"type": "scatter", "mode": "lines", "line": style["line"] | {"shape": "hv"}}


def _diamond(at: float, mark: Mark, theme: Theme) -> list[dict[str, Any]]:
    if mark.value is None:
        return []
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "x": [at],
            "y": [mark.value],
            "showlegend": False,
            "hoverinfo": "skip",
            "cliponaxis": False,
            "marker": {
                "symbol": "diamond",
                "size": 14,
                "color": theme.ink,
                "line": {"color": theme.paper, "width": 2},
            },
        }
    ]


def _histograms(picture: Histograms, dark: bool, narrow: bool) -> go.Figure:
    theme, data = THEMES[dark], []
    layout = base_layout(dark) | {
        "height": 560 if narrow else 250,
        "margin": {"l": 56, "r": 8, "t": 34, "b": 44},
        **legend_above(theme),
        "barmode": "overlay",
        "bargap": 0,
        "dragmode": False,
        "annotations": [],
    }
    several, gap = len(picture.panels), 0.14 if narrow else 0.06
    size = (1 - gap * (several - 1)) / several
    for place, panel in enumerate(picture.panels):
        number = "" if place == 0 else str(place + 1)
        start = place * (size + gap)
        across = [0.0, 1.0] if narrow else [start, start + size]
        upwards = [1 - start - size, 1 - start] if narrow else [0.0, 1.0]
        layout[f"xaxis{number}"] = axis_style(theme) | {
            "domain": across,
            "anchor": f"y{number}",
            "fixedrange": True,
            "title": _title(panel.axis),
            "showticklabels": not panel.empty,
        }
        layout[f"yaxis{number}"] = _count_axis(theme, [*panel.lower, *panel.higher]) | {
            "domain": upwards,
            "anchor": f"x{number}",
        }
        if narrow or place == 0:
            layout[f"yaxis{number}"]["title"] = _title(picture.upwards)
        if panel.empty:
            x, y = sum(across) / 2, sum(upwards) / 2
            layout["annotations"].append(_reason(panel.empty, theme, narrow, x=x, y=y))
        data += _bars(panel, picture, dark, number)
    return build(data, layout)


def _bars(panel: Histogram, picture: Histograms, dark: bool, number: str) -> list[dict[str, Any]]:
    bins = list(zip(panel.edges, panel.edges[1:], strict=False))
    sides = zip((panel.lower, panel.higher), picture.names, COLOURS[dark], strict=True)
    return [
        {
            "type": "bar",
            "name": name,
            "legendgroup": name,
            "showlegend": number == "",
            "x": [(low + high) / 2 for low, high in bins],
            "y": list(counts),
            "width": [high - low for low, high in bins],
            "xaxis": f"x{number}",
            "yaxis": f"y{number}",
            "marker": {"color": colour, "opacity": 0.55, "line": {"color": colour, "width": 1}},
            "hovertemplate": f"%{{y}} {picture.upwards} at {panel.axis} %{{x:.3g}}"
            f"<extra>{name}</extra>",
        }
        for counts, name, colour in sides
    ]


def _counts(picture: Counts, dark: bool, narrow: bool) -> go.Figure:
    theme, top = THEMES[dark], len(picture.counts)
    data = [
        {
            "type": "bar",
            "x": list(range(top)),
            "y": list(picture.counts),
            "marker": {"color": COLOURS[dark][0], "opacity": 0.75},
            "hovertemplate": f"%{{y}} {plain_text(picture.upwards)} with %{{x}}<extra></extra>",
        }
    ]
    empty = [] if picture.counts else [_reason(picture.empty, theme, narrow)]
    layout = base_layout(dark) | {
        "height": 220,
        "bargap": 0.25,
        "dragmode": False,
        "margin": MARGIN | {"l": 56},
        "xaxis": _count_axis(theme, range(top), 12)
        | {
            "title": _title(picture.axis),
            "showticklabels": top > 0,
        },
        "yaxis": _count_axis(theme, picture.counts) | {"title": _title(picture.upwards)},
        "annotations": empty,
    }
    return build(data, layout)


def _hover_text(mark: Mark) -> str:
    """Name and text of a mark, safe."""
    lines = "<br>".join(plain_text(line) for line in mark.text.split("\n"))
    return f"<b>{plain_text(mark.name)}</b><br>{lines}"


# Ranges are fixed, so that two studies can be laid side by side.
def _share_axis(theme: Theme) -> dict[str, Any]:
    return axis_style(theme) | {
        "range": [-0.01, 1.01],
        "fixedrange": True,
        "tickvals": list(SHARES),
        "ticktext": list(SHARE_TICKS),
    }


def _count_axis(theme: Theme, counts: Sequence[float], most: int = 5) -> dict[str, Any]:
    """From 0 up, in whole numbers; without ticks where nothing is counted."""
    top = max(counts, default=0)
    return axis_style(theme) | {
        "fixedrange": True,
        "tickformat": "d",
        "rangemode": "tozero",
        "dtick": _step(top, most),
        "showticklabels": top > 0,
        "ticks": "outside" if top else "",
    }


def _step(span: float, most: int, steps: Sequence[int] = (1, 2, 5)) -> int:
    """The least of these steps, times a power of ten, of which `most` reach over a span.

    >>> _step(105, 5), _step(1, 5), _step(180, 6, (1, 2, 3, 6))
    (50, 1, 30)
    """
    power = 1
    while True:
        for step in steps:
            if step * power * most >= span:
                return step * power
        power *= 10


def _title(text: str) -> dict[str, Any]:
    return {"text": plain_text(text), "standoff": 6, "font": {"size": 13}}


def _line(at: float, theme: Theme, *, across: bool = False) -> dict[str, Any]:
    """A dashed line through the whole figure."""
    along, over = ("y", "x") if across else ("x", "y")
    return {
        "type": "line",
        f"{along}ref": along,
        f"{over}ref": "paper",
        f"{along}0": at,
        f"{along}1": at,
        f"{over}0": 0,
        f"{over}1": 1,
        "layer": "below",
        "line": {"color": theme.muted, "width": 1, "dash": "dash"},
    }


def _label(text: str, x: float, y: float, colour: str, theme: Theme, size: int) -> dict[str, Any]:
    """A line of text at the left or the right edge, or between, at a height of the data."""
    return {
        "x": x,
        "xref": "paper",
        "y": y,
        "xanchor": {0.0: "left", 1.0: "right"}.get(x, "center"),
        "yanchor": "middle",
        "showarrow": False,
        "text": plain_text(text),
        "font": {"size": size, "color": colour},
        "bgcolor": theme.paper,
    }


def _reason(
    text: str, theme: Theme, narrow: bool, *, x: float = 0.5, y: float = 0.5
) -> dict[str, Any]:
    """A sentence in place of a picture."""
    lines = "<br>".join(map(plain_text, textwrap.wrap(text, LINE_LENGTH[narrow])))
    return {
        "x": x,
        "xref": "paper",
        "y": y,
        "yref": "paper",
        "showarrow": False,
        "text": lines,
        "font": {"size": 13, "color": theme.muted},
        "bgcolor": theme.paper,
    }
