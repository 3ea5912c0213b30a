"""Which rows carry a node's amplified noise, against what, and how the loss grows with their
number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import THEMES, Theme
from eic_core.explain.settling import Growth
from eic_core.explain.where import FEW, Carriers, Where
from pages.ui.figures.plotting import (
    Array,
    GridAxis,
    axis_of,
    axis_style,
    base_layout,
    build,
    edge_trace,
    evenly_spread_rows,
    has_value,
    label_of,
    legend_above,
    plain_text,
    scale_style,
)

ROW, VALUE, INPUT = "row", "value", "input"


@dataclass(frozen=True)
class Across:
    """What the rows are drawn against."""

    # {"input", "value", "row"}: A variable, the value of the node that vanishes at the carrying
    # rows, or the row number
    kind: str
    name: str = ""  # The variable, or the node's text; "" for the row number


def ways_across(found: Where) -> tuple[Across, ...]:
    """Everything that the rows can be drawn against, what tells most first.

    That is the input that the carrying rows pick out (one row picks out every input, and so
    none); else the node that vanishes at them; else the row number in a table, and an input
    where rows are drawn from ranges.

    >>> from eic_core.explain.where import where
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> [way.kind for way in ways_across(where(inspect(read("1/(x-2)").formula, samples)))]
    ['value', 'input', 'row']
    """
    inspection, place = found.inspection, found.place
    inputs = [Across(INPUT, n) for n in inspection.formula.subtree(found.node_id).variables]
    value, picked = [], []
    if place is not None:
        picked = [Across(INPUT, i.name) for i in place.inputs]
        if place.node_id is not None and inspection.formula.nodes[place.node_id].children:
            value = [Across(VALUE, inspection.nodes[place.node_id].text)]
    row = [Across(ROW)]
    table = inspection.samples.rows is not None
    alone = bool(value) and len(found.carriers[1].positions) == 1
    ways = [*(value if alone else ()), *picked, *value, *(row if table else ()), *inputs, *row]
    return tuple(dict.fromkeys(ways))


def growth_figure(growth: Growth, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """Digits lost on parts of the rows, with the middle 80 per cent of the parts, and beyond.

    - `dark`, `narrow`: for a dark page; for a phone.

    Notes
    -----
    The dashed line goes on at the same rate to ten times the rows.  Digits start at 0.
    """
    theme = THEMES[dark]
    counts, digits = list(growth.counts), list(growth.local_eic)
    beyond = [counts[-1], 10 * counts[-1]], [digits[-1], digits[-1] + max(0, growth.per_decade)]
    hover = "%{x:,} rows<br>local EIC %{y:.2f} digits<extra></extra>"
    data: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": counts + counts[::-1],
            "y": [*growth.high, *reversed(growth.low)],
            "fill": "toself",
            "line": {"width": 0},
            "fillcolor": "rgba(127,127,127,0.22)",
            "hoverinfo": "skip",
            "showlegend": True,
            "name": "80 of 100 random parts",
        },
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": counts,
            "y": digits,
            "line": {"color": theme.accent, "width": 2},
            "marker": {"size": 7},
            "name": "on average",
            "hovertemplate": hover,
        },
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": beyond[0],
            "y": beyond[1],
            "line": {"color": theme.accent, "width": 2, "dash": "dash"},
            "marker": {"size": [0, 9], "symbol": "circle-open", "color": theme.accent},
            "name": "if it goes on",
            "hovertemplate": hover,
        },
    ]
    ticks = [*counts, 10 * counts[-1]]
    shown = ticks[::2] if narrow else ticks
    top = max(1.0, max(*growth.high, beyond[1][1]) * 1.12)
    layout = base_layout(dark) | {
        "height": 280,
        "margin": {"l": 52, "r": 24, "t": 12, "b": 46},
        **legend_above(theme),
        "xaxis": axis_style(theme)
        | {
            "type": "log",
            "title": {"text": "rows used", "standoff": 6},
            "range": [math.log10(counts[0]) - 0.08, math.log10(ticks[-1]) + 0.08],
            "tickvals": shown,
            "ticktext": [f"{count:,}" for count in shown],
        },
        "yaxis": axis_style(theme)
        | {
            "range": [0, top],
            "title": {"text": "local EIC of this step, digits", "standoff": 4},
        },
        "hovermode": "closest",
    }
    return build(data, layout)


_GROUP = 400
"""Most points drawn of one group of carriers."""

_OTHERS = 1_500
_EDGE = 300
_TEXT = 36
_POINT = 0.05
"""A range of an input that holds at most this part of the data is one place."""

# How the rows of the first 50, then 90, then 99 per cent are drawn: told apart by shape and size.
_SHAPES = (("diamond", 11), ("circle", 8), ("circle-open", 7))


def rows_figure(
    found: Where,
    across: Across,
    *,
    dark: bool = False,
    narrow: bool = False,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """The share of each row, with those that carry 50, 90 and 99 per cent told apart.

    - `found`: with at least one finite row.
    - `across`: one of `ways_across`.
    - `dark`, `narrow`: for a dark page; for a phone.

    Notes
    -----
    Shares below a millionth of an even share stand on the floor.  Where no small part of the rows
    carries the noise, none is marked.
    """
    theme = THEMES[dark]
    axis, x = _axis(found, across)
    floor = _floor(found)
    few = len(found.carriers[1].positions) <= FEW * found.finite or found.finite == 1
    carriers = found.carriers if few else ()
    data = [_others(found, x, carriers, floor, theme), *_groups(found, x, carriers, theme)]
    data += _edges(found, x, floor, theme)
    limits = axis.limits(0.03)
    layout = base_layout(dark) | {
        "height": 340 if narrow else 360,
        "margin": {"l": 62, "r": 14, "t": 12, "b": 48},
        **legend_above(theme),
        "xaxis": axis_style(theme)
        | scale_style(theme, axis.log, limits)
        | {
            "title": {"text": _title(across, labels), "standoff": 6},
        },
        "yaxis": axis_style(theme) | _shares_axis(found, floor),
        "shapes": [_even_line(found.finite, theme)],
        "annotations": [_even_note(found, x, axis, floor, theme)],
        "hovermode": "closest",
        "uirevision": f"{found.inspection.formula.source}|{across.kind}|{across.name}",
    }
    zero = _zero(found, across, axis, x, limits)
    if zero is not None:
        line, note = zero
        layout["shapes"].append(line | {"line": {"color": theme.muted, "width": 1, "dash": "dash"}})
        layout["annotations"].append(note | {"font": {"size": 12, "color": theme.ink}})
    return build(data, layout)


def _axis(found: Where, across: Across) -> tuple[GridAxis, Array]:
    inspection = found.inspection
    if across.kind == INPUT:
        return axis_of(inspection.samples, across.name), inspection.samples.columns[across.name]
    if across.kind == VALUE and found.place is not None and found.place.node_id is not None:
        values, _ = inspection.amplification.trace(found.place.node_id)
    else:
        rows = inspection.samples.rows
        values = np.arange(1, len(inspection.samples) + 1) if rows is None else rows
    known = values[np.isfinite(values)]
    return GridAxis(across.name, float(known.min()), float(known.max()), False), values


def _title(across: Across, labels: Mapping[str, str] | None) -> str:
    if across.kind == ROW:
        return "row number"
    if across.kind == INPUT:
        return label_of(across.name, labels)
    return f"value of {_short(across.name)}"


def _short(text: str) -> str:
    return plain_text(wording.shorten(text, _TEXT))


def _shares_axis(found: Where, floor: int) -> dict[str, Any]:
    step = max(1, math.ceil(-floor / 6))
    ticks = [floor, *(k for k in range(-(-floor // step * step), 1, step) if k > floor)]
    texts = [_percent(k) for k in ticks]
    if np.min(found.shares[np.isfinite(found.s)]) < 10.0**floor:
        texts[0] = f"≤ {texts[0]}"
    return {
        "type": "log",
        "range": [floor - 0.15, 0.25],
        "tickvals": [10.0**k for k in ticks],
        "ticktext": texts,
        "title": {"text": "share of the amplified noise", "standoff": 4},
    }


def _percent(power: int) -> str:
    """A power of ten in per cent.

    >>> _percent(0), _percent(-2), _percent(-4), _percent(-7)
    ('100 %', '1 %', '0.01 %', '10<sup>−5</sup> %')
    """
    if power >= -4:
        return f"{100 * 10.0**power:g} %"
    return f"10<sup>−{-power - 2}</sup> %"


def _floor(found: Where) -> int:
    """log10 of the least share drawn: between a hundredth and a millionth of an even one."""
    least = float(np.min(found.shares[np.isfinite(found.s)]))
    even = math.log10(1 / found.finite)
    lowest = math.log10(least) if least > 0 else -math.inf
    return math.floor(min(even - 2, max(even - 6, lowest)))


def _others(
    found: Where, x: Array, carriers: tuple[Carriers, ...], floor: int, theme: Theme
) -> dict[str, Any]:
    carrying = np.zeros(len(x), dtype=bool)
    if carriers:
        carrying[list(carriers[-1].positions)] = True
    rest = np.flatnonzero(np.isfinite(found.s) & ~carrying)
    shown = rest[evenly_spread_rows(len(rest), _OTHERS)] if len(rest) else rest
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"the other {len(rest):,}" if carriers else f"{len(rest):,} rows",
        "x": x[shown],
        "y": np.maximum(found.shares[shown], 10.0**floor),
        "customdata": _customdata(found, shown),
        "hovertemplate": _HOVER,
        "marker": {"size": 4, "color": theme.data, "opacity": 0.5},
        "showlegend": bool(carriers),
    }


_HOVER = "row %{customdata[0]}<br>%{x:.6g}<br>%{customdata[1]} of the noise<extra></extra>"


def _customdata(found: Where, rows: Array) -> list[list[Any]]:
    return [
        [f"{found.row_number(int(k)):,}", wording.percent(float(found.shares[k]))] for k in rows
    ]


def _groups(
    found: Where, x: Array, carriers: tuple[Carriers, ...], theme: Theme
) -> list[dict[str, Any]]:
    """The rows of the first 50 per cent, those that make 90 of it, and those that make 99."""
    groups: list[dict[str, Any]] = []
    drawn = 0
    for part, (symbol, size) in zip(carriers, _SHAPES, strict=False):
        group = np.array(part.positions[drawn:], dtype=int)
        if not len(group):
            continue
        shown = group[evenly_spread_rows(len(group), _GROUP)]
        level = wording.level_percent(part.level)
        rows = wording.count(len(group), "row")
        groups.append(
            {
                "type": "scatter",
                "mode": "markers",
                "cliponaxis": False,
                "name": f"{level}: {rows}" if not drawn else f"to {level}: {len(group):,} more",
                "x": x[shown],
                "y": found.shares[shown],
                "customdata": _customdata(found, shown),
                "hovertemplate": _HOVER,
                "marker": {
                    "size": size,
                    "symbol": symbol,
                    "color": theme.accent,
                    "line": {"width": 1.2, "color": theme.accent},
                },
            }
        )
        drawn = len(part.positions)
    return groups


def _edges(found: Where, x: Array, floor: int, theme: Theme) -> list[dict[str, Any]]:
    """Rows without a digit on the upper edge, rows without a value on the lower."""
    edges = []
    valid, missing = has_value(found.inspection), np.isnan(found.s)
    missing[found.inspection.amplification.unsettled] = False  # in no number, so nothing is drawn
    for rows, level, symbol, name in (
        (np.flatnonzero(np.isinf(found.s)), 0.15, "triangle-down", "no digit left"),
        (np.flatnonzero(missing & ~valid), floor - 0.1, "line-ns-open", "no real value"),
        (np.flatnonzero(missing & valid), floor - 0.1, "line-ns-open", "not evaluated"),
    ):
        rows = rows[np.isfinite(x[rows])]
        if len(rows):
            shown = x[rows[evenly_spread_rows(len(rows), _EDGE)]]
            edges.append(
                edge_trace(shown, level, symbol, name, theme) | {"name": f"{name}: {len(rows):,}"}
            )
    return edges


def _even_line(finite: int, theme: Theme) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 1 / finite,
        "y1": 1 / finite,
        "line": {"color": theme.muted, "width": 1, "dash": "dot"},
    }


_NOTE_WIDTH, _NOTE_HEIGHT = 0.32, 0.1
"""Parts of the figure that the even line's name takes, on a phone."""


def _even_note(found: Where, x: Array, axis: GridAxis, floor: int, theme: Theme) -> dict[str, Any]:
    """At that end of the line, above or below it, where the fewest rows are drawn."""
    low, high = axis.limits()
    place = (np.log10(x) if axis.log else x) - low
    place = place / (high - low)
    shares = np.maximum(found.shares, 10.0**floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = (np.log10(shares) + math.log10(found.finite)) / (-floor + 0.4)
    carrying = np.nanmedian(x[list(found.carriers[0].positions)])
    left_first = bool(carrying > np.nanmedian(x))
    left = place < _NOTE_WIDTH
    right = place > 1 - _NOTE_WIDTH
    over, under = (above > 0) & (above < _NOTE_HEIGHT), (above < 0) & (above > -_NOTE_HEIGHT)
    ways = [
        (side, level)
        for level in ("bottom", "top")
        for side in (("left", "right") if left_first else ("right", "left"))
    ]
    side, level = min(
        ways,
        key=lambda way: int(
            np.count_nonzero(
                (left if way[0] == "left" else right) & (over if way[1] == "bottom" else under)
            )
        ),
    )
    return {
        "xref": "paper",
        "x": 0.01 if side == "left" else 1,
        "y": -math.log10(found.finite),
        "xanchor": side,
        "yanchor": level,
        "text": "an even share",
        "showarrow": False,
        "font": {"size": 11, "color": theme.muted},
    }


def _zero(
    found: Where, across: Across, axis: GridAxis, x: Array, limits: list[float]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """A line where the node crosses zero that the carrying rows have in common, with its name."""
    place = found.place
    if place is None or place.node_id is None or not place.crosses or across.kind == ROW:
        return None
    if across.kind == VALUE:
        at = 0.0
    elif across.name in {i.name for i in place.inputs if i.covered <= _POINT}:
        at = float(np.median(x[list(found.carriers[0].positions)]))
    else:
        return None
    scaled = math.log10(at) if axis.log else at
    share = (scaled - limits[0]) / (limits[1] - limits[0])
    if not 0 <= share <= 1:
        return None
    text = _short(found.inspection.nodes[place.node_id].text)
    side = "right" if share > 0.5 else "left"
    line = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": at, "x1": at}
    note = {
        "yref": "paper",
        "x": scaled,
        "y": 0.98,
        "xanchor": side,
        "yanchor": "top",
        "text": f"{text} crosses zero",
        "showarrow": False,
        "xshift": -10 if share > 0.5 else 10,
    }
    return line, note
