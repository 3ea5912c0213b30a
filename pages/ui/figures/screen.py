"""The pen for the screen: charts drawn with Plotly."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.chart import (
    Bars,
    Cells,
    Chart,
    ChartAxis,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
)
from eic_core.drawing.scale import END, GAUGE, THEMES, Theme
from pages.ui.figures.plotting import axis_style, base_layout, build, legend_above, plain_text

NAME_LENGTH = {False: 34, True: 22}
"""Characters of a name beside its row, by `narrow`."""
LABEL_LENGTH = {False: 72, True: 40}
LINE_LENGTH = {False: 80, True: 40}
HINT_LENGTH = 60
BESIDE = {"left": 9, "center": 0, "right": -9}
"""Pixels from a point to the text beside it."""
GAP = 0.18
"""Between two panels side by side, as a share of their width."""
HEAD, FOOT, BETWEEN = 34, 48, 16
"""Pixels over the panels where there is a legend, under each, and between joined ones."""


def draw(chart: Chart, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """A figure for a dark or a light page, for a phone if `narrow`."""
    theme, columns = THEMES[dark], 1 if narrow else chart.columns
    heights = [panel.height for panel in chart.panels[::columns]]
    gap = BETWEEN if chart.joined else FOOT + 16
    whole = sum(heights) + gap * (len(heights) - 1)
    wide = (1 + GAP) * columns - GAP
    legend = any(mark.name for panel in chart.panels for mark in panel.marks)
    titled = any(
        isinstance(mark, Label) and mark.raised and "y" in mark.within
        for mark in chart.panels[0].marks
    )
    head = 24 if titled else 10
    top = head + HEAD * legend - 10 * (legend and not titled)
    layout = base_layout(dark) | {
        "height": whole + top + FOOT,
        "margin": {"l": 10, "r": 24, "t": top, "b": FOOT},
        "dragmode": "pan" if chart.free else False,
        "clickmode": "event+select",
        "hovermode": "closest",
        "barmode": "overlay",
        "uirevision": repr([(panel.x.title, panel.x.limits) for panel in chart.panels]),
        "annotations": [],
        "shapes": [],
    }
    layout |= legend_above(theme, 1 + (head - 6) / whole) if legend else {}
    layout |= {} if chart.inputs is None else {"meta": {"axes": list(chart.inputs)}}
    data: list[dict[str, Any]] = []
    for place, panel in enumerate(chart.panels):
        row, column = divmod(place, columns)
        number = str(place + 1) if place else ""
        ceiling = 1 - (sum(heights[:row]) + gap * row) / whole
        across = replace(panel.x, title="") if chart.joined and row < len(heights) - 1 else panel.x
        fixed = {"fixedrange": not chart.free}
        layout[f"xaxis{number}"] = (
            _axis(across, theme, narrow, chart.free)
            | fixed
            | {
                "domain": [column * (1 + GAP) / wide, (column * (1 + GAP) + 1) / wide],
                "anchor": f"y{number}",
            }
        )
        layout[f"yaxis{number}"] = (
            _axis(panel.y, theme, narrow, chart.free)
            | fixed
            | {
                "domain": [max(0, ceiling - heights[row] / whole), ceiling],
                "anchor": f"x{number}",
            }
        )
        if column:
            same = panel.y == chart.panels[place - 1].y
            layout[f"yaxis{number}"] |= {"title": None, "showticklabels": not same}
        elif not panel.y.title:  # it names rows
            layout[f"yaxis{number}"]["tickfont"] = {"size": 12, "color": theme.ink}
        if chart.joined and place + 1 < len(chart.panels):
            layout[f"xaxis{number}"] |= {
                "matches": f"x{len(chart.panels)}",
                "showticklabels": False,
            }
        for mark in panel.marks:
            _draw(mark, panel, layout, data, number, theme, narrow)
    shaded = [
        part for each in data for part in (each.get("marker", {}), each) if "colorscale" in part
    ]
    if shaded:
        muted = {"size": 12, "color": theme.muted}
        title = {"text": chart.scale, "side": "right", "font": muted}
        bar = {"thickness": 10, "outlinewidth": 0, "dtick": 4, "tickfont": muted, "title": title}
        shaded[-1] |= {"showscale": True, "colorbar": bar}
    return build(data, layout)


def _axis(axis: ChartAxis, theme: Theme, narrow: bool, free: bool) -> dict[str, Any]:
    """Where it can be enlarged, numbers that stand at their own places are named anew."""
    style = axis_style(theme) | {"title": {"text": plain_text(axis.title), "standoff": 6}}
    style |= {"type": "log" if axis.log else "linear", "exponentformat": "power"}
    if axis.limits is not None:
        style["range"] = np.log10(axis.limits).tolist() if axis.log else list(axis.limits)
    named = all(wording.significant(at, 3) == text for at, text in axis.ticks or ())
    gauge = axis.ticks and axis.ticks[-1][0] == END
    if axis.ticks is not None and not (free and axis.ticks and named and not gauge):
        texts = [plain_text(wording.shorten(text, NAME_LENGTH[narrow])) for _, text in axis.ticks]
        style |= {"tickvals": [at for at, _ in axis.ticks], "ticktext": texts}
        style |= {} if axis.ticks else {"ticks": "", "showline": False}
    return style


def _draw(
    mark: Mark,
    panel: Panel,
    layout: dict[str, Any],
    data: list[dict[str, Any]],
    number: str,
    theme: Theme,
    narrow: bool,
) -> None:
    ink, axes = getattr(theme, mark.colour), {"xaxis": f"x{number}", "yaxis": f"y{number}"}
    trace: dict[str, Any] = axes | {
        "name": plain_text(mark.name) or "rows" * bool(mark.keys),
        "legendgroup": mark.name,
        "showlegend": bool(mark.name) and all(mark.name != each["legendgroup"] for each in data),
        "opacity": mark.opacity,
        "customdata": list(mark.keys) or None,
        "text": [_hint(hint) for hint in mark.hints],
        "hovertemplate": "%{text}<extra></extra>",
    }
    if mark.quantity:
        trace["hovertemplate"] = (
            f"%{{x:.5g}}<br>{plain_text(mark.quantity)} %{{y:.5g}}<extra></extra>"
        )
    elif not mark.hints:
        trace |= {"hoverinfo": "skip", "hovertemplate": None}
    if mark.keys:  # what is pressed changes no look
        calm = {"marker": {"opacity": mark.opacity}}
        trace |= {"selected": calm, "unselected": calm}
    match mark:
        case Points():
            edge = ink if mark.symbol.startswith("line") else theme.paper
            look = {
                "color": ink,
                "line": {"width": 1.5 * (mark.size > 7 and not mark.crowded), "color": edge},
            }
            if mark.digits is not None:
                look |= {"color": mark.digits, "colorscale": GAUGE[theme is THEMES[True]]}
                look |= {
                    "cmin": 0,
                    "cmax": END,
                    "line": {"width": 1 if mark.size > 5 else 0.4, "color": theme.muted},
                }
            look |= {"symbol": mark.symbol, "size": mark.size, "opacity": mark.opacity}
            trace |= {"type": "scatter", "mode": "markers", "cliponaxis": False, "marker": look}
            trace["opacity"] = 1
            data.append(trace | {"x": mark.x, "y": mark.y})
        case Stroke():
            width = 0 if mark.filled else mark.width
            look = {"color": ink, "width": width, "dash": mark.dash}
            look["shape"] = "hv" if mark.steps else "linear"
            trace |= {"type": "scatter", "mode": "lines", "line": look}
            trace |= {"fill": "toself", "fillcolor": ink} if mark.filled else {}
            data.append(trace | {"x": mark.x, "y": mark.y})
        case Bars():
            at, length = ("y", "x") if mark.lying else ("x", "y")
            trace |= {"type": "bar", "orientation": "h" if mark.lying else "v", "base": mark.low}
            pattern = {"shape": mark.hatch, "fillmode": "replace", "size": 7, "solidity": 0.45}
            pattern |= {"fgcolor": ink, "bgcolor": theme.paper}
            look = {"color": ink, "line": {"color": ink, "width": int(bool(mark.hatch))}}
            look |= {"pattern": pattern} if mark.hatch else {}
            trace |= {"marker": look, "textposition": "none"}
            trace |= {"width": mark.thick}
            data.append(trace | {at: mark.at, length: np.subtract(mark.high, mark.low).tolist()})
        case Cells():
            trace |= {"type": "heatmap", "customdata": mark.values, "hoverongaps": False}
            trace |= {"colorscale": GAUGE[theme is THEMES[True]], "zmin": 0, "zmax": END}
            trace |= {"x": mark.x, "y": mark.y, "z": np.minimum(mark.digits, END)}
            trace |= {"hoverinfo": None, "showscale": False}
            hover = "%{x:.4g}, %{y:.4g}<br>value %{customdata:.5g}<br>%{z:.2f} digits"
            data.append(trace | {"hovertemplate": f"{hover}<extra></extra>"})
        case Guide():
            along, over = ("y", "x") if mark.level else ("x", "y")
            ends = {f"{along}ref": f"{along}{number}", f"{along}0": mark.at, f"{along}1": mark.at}
            ends |= {f"{over}ref": f"{over}{number} domain", f"{over}0": 0, f"{over}1": 1}
            line = {"color": ink, "width": 1, "dash": mark.dash}
            layout["shapes"].append(ends | {"type": "line", "layer": "below", "line": line})
        case Label():
            text = mark.text
            if "x" in mark.within and mark.side == "left":
                text = wording.shorten(text, LABEL_LENGTH[narrow])
            lines = "<br>".join(map(plain_text, textwrap.wrap(text, LINE_LENGTH[narrow])))
            refs = {
                f"{axis}ref": f"{axis}{number}{' domain' if axis in mark.within else ''}"
                for axis in "xy"
            }
            layout["annotations"].append(
                refs
                | {
                    "x": math.log10(mark.x) if panel.x.log and "x" not in mark.within else mark.x,
                    "y": math.log10(mark.y) if panel.y.log and "y" not in mark.within else mark.y,
                    "xanchor": mark.side,
                    "yanchor": "bottom" if mark.raised else "middle",
                    "xshift": 0 if "x" in mark.within else BESIDE[mark.side],
                    "yshift": 9 if mark.raised and not mark.within else 0,
                    "showarrow": False,
                    "text": f"<b>{lines}</b>" if mark.bold else lines,
                    "font": {"size": 12 if narrow else 13, "color": ink},
                    "bgcolor": theme.paper,
                }
            )


def _hint(text: str) -> str:
    """Its first line is the name of what the others say."""
    each = (
        line
        for part in text.split("\n")
        for line in textwrap.wrap(part, HINT_LENGTH, max_lines=3, placeholder="…")
    )
    name, *lines = map(plain_text, each)
    return "<br>".join([f"<b>{name}</b>" if lines else name, *lines])
