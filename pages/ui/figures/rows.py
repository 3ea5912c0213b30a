"""The rows that carry a node's noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import THEMES, Theme
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
    """The horizontal axis of the rows."""

    # INPUT: a variable. VALUE: the node that vanishes at the carrying rows. ROW: the row number.
    kind: str
    name: str = ""  # of the variable, or the node's text


def ways_across(where: Where) -> tuple[Across, ...]:
    """All axes for the rows, the most telling first.

    That is an input that the carrying rows pick out (one row picks out every input, and so none);
    else the node that vanishes at them; else the row number in a table, and an input where rows are
    drawn from ranges.

    >>> from eic_core.explain.where import where
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 1.5, 1.9999, 2.5, 3.0]})
    >>> [way.kind for way in ways_across(where(inspect(read("1/(x-2)").formula, samples)))]
    ['value', 'input', 'row']
    """
    inspection, place = where.inspection, where.place
    inputs = [Across(INPUT, n) for n in inspection.formula.subtree(where.node_id).variables]
    value, picked = [], []
    if place is not None:
        picked = [Across(INPUT, i.name) for i in place.inputs]
        if place.node_id is not None and inspection.formula.nodes[place.node_id].children:
            value = [Across(VALUE, inspection.nodes[place.node_id].text)]
    row = [Across(ROW)]
    table = inspection.samples.rows is not None
    alone = bool(value) and len(where.carriers[1].positions) == 1
    ways = [*(value if alone else ()), *picked, *value, *(row if table else ()), *inputs, *row]
    return tuple(dict.fromkeys(ways))


_GROUP = 400
"""Most points drawn of one group of carriers."""

_OTHERS = 1_500
_EDGE = 300
_TEXT = 36
_POINT = 0.05
"""A range of an input that holds at most this share of the data is one place."""

# Symbols and sizes of the rows of the first 50, then 90, then 99 per cent.
_SHAPES = (("diamond", 11), ("circle", 8), ("circle-open", 7))


def rows_figure(
    where: Where,
    across: Across,
    *,
    dark: bool = False,
    narrow: bool = False,
    labels: Mapping[str, str] | None = None,
) -> go.Figure:
    """The share of each row of `where`, with marks of those that carry 50, 90 and 99 %."""
    theme = THEMES[dark]
    axis, x = _axis(where, across)
    floor = _floor(where)
    few = len(where.carriers[1].positions) <= FEW * where.finite or where.finite == 1
    # Where no small part of the rows carries the noise, marks would say nothing.
    carriers = where.carriers if few else ()
    data = [_others(where, x, carriers, floor, theme), *_groups(where, x, carriers, theme)]
    data += _edges(where, x, floor, theme)
    limits = axis.limits(0.03)
    layout = base_layout(dark) | {
        "height": 290,
        "margin": {"l": 62, "r": 14, "t": 26, "b": 42},
        **legend_above(theme),
        "xaxis": axis_style(theme)
        | scale_style(theme, axis.log, limits)
        | {
            "title": {"text": _title(across, labels), "standoff": 6},
        },
        "yaxis": axis_style(theme) | _shares_axis(where, floor),
        "shapes": [_even_line(where.finite, theme)],
        "annotations": [_even_note(where, x, axis, floor, theme)],
        "hovermode": "closest",
        "uirevision": f"{where.inspection.formula.source}|{across.kind}|{across.name}",
    }
    zero = _zero(where, across, axis, x, limits)
    if zero is not None:
        line, note = zero
        layout["shapes"].append(line | {"line": {"color": theme.muted, "width": 1, "dash": "dash"}})
        layout["annotations"].append(note | {"font": {"size": 12, "color": theme.ink}})
    return build(data, layout)


def _axis(where: Where, across: Across) -> tuple[GridAxis, Array]:
    inspection = where.inspection
    values: Array
    if across.kind == INPUT:
        return axis_of(inspection.samples, across.name), inspection.samples.columns[across.name]
    if across.kind == VALUE and where.place is not None and where.place.node_id is not None:
        values, _ = inspection.amplification.trace(where.place.node_id)
    else:
        values = inspection.samples.row_numbers
    finite = values[np.isfinite(values)]
    return GridAxis(across.name, float(finite.min()), float(finite.max()), False), values


def _title(across: Across, labels: Mapping[str, str] | None) -> str:
    if across.kind == ROW:
        return "row number"
    if across.kind == INPUT:
        return label_of(across.name, labels)
    return f"value of {_short(across.name)}"


def _short(text: str) -> str:
    return plain_text(wording.shorten(text, _TEXT))


def _shares_axis(where: Where, floor: int) -> dict[str, Any]:
    step = max(1, math.ceil(-floor / 6))
    ticks = [floor, *(k for k in range(-(-floor // step * step), 1, step) if k > floor)]
    texts = [_percent(k) for k in ticks]
    if np.min(where.shares[np.isfinite(where.s)]) < 10.0**floor:
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


def _floor(where: Where) -> int:
    """log10 of the least share drawn: between a hundredth and a millionth of an even one."""
    least = float(np.min(where.shares[np.isfinite(where.s)]))
    even = math.log10(1 / where.finite)
    lowest = math.log10(least) if least > 0 else -math.inf
    return math.floor(min(even - 2, max(even - 6, lowest)))


def _others(
    where: Where, x: Array, carriers: tuple[Carriers, ...], floor: int, theme: Theme
) -> dict[str, Any]:
    carrying = np.zeros(len(x), dtype=bool)
    if carriers:
        carrying[list(carriers[-1].positions)] = True
    rest = np.flatnonzero(np.isfinite(where.s) & ~carrying)
    drawn = rest[evenly_spread_rows(len(rest), _OTHERS)] if len(rest) else rest
    return {
        "type": "scatter",
        "mode": "markers",
        "name": f"the other {len(rest):,}" if carriers else f"{len(rest):,} rows",
        "x": x[drawn],
        "y": np.maximum(where.shares[drawn], 10.0**floor),
        "customdata": _customdata(where, drawn),
        "hovertemplate": _HOVER,
        "marker": {"size": 4, "color": theme.data, "opacity": 0.5},
        "showlegend": bool(carriers),
    }


_HOVER = "row %{customdata[0]}<br>%{x:.6g}<br>%{customdata[1]} of the noise<extra></extra>"


def _customdata(where: Where, rows: Array) -> list[list[Any]]:
    return [
        [f"{where.row_number(int(k)):,}", wording.percent(float(where.shares[k]))] for k in rows
    ]


def _groups(
    where: Where, x: Array, carriers: tuple[Carriers, ...], theme: Theme
) -> list[dict[str, Any]]:
    """The rows of the first 50 %, those that add up to 90 %, and those up to 99 %."""
    groups: list[dict[str, Any]] = []
    drawn = 0
    for part, (symbol, size) in zip(carriers, _SHAPES, strict=False):
        group = np.array(part.positions[drawn:], dtype=int)
        if not len(group):
            continue
        sample = group[evenly_spread_rows(len(group), _GROUP)]
        level = wording.level_percent(part.level)
        rows = wording.count(len(group), "row")
        groups.append(
            {
                "type": "scatter",
                "mode": "markers",
                "cliponaxis": False,
                "name": f"{level}: {rows}" if not drawn else f"to {level}: {len(group):,} more",
                "x": x[sample],
                "y": where.shares[sample],
                "customdata": _customdata(where, sample),
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


def _edges(where: Where, x: Array, floor: int, theme: Theme) -> list[dict[str, Any]]:
    """Rows without a digit on the upper edge, rows without a value on the lower."""
    edges = []
    valid, missing = has_value(where.inspection), np.isnan(where.s)
    missing[where.inspection.amplification.unsettled] = False  # in no number, so nothing is drawn
    for rows, level, symbol, name in (
        (np.flatnonzero(np.isinf(where.s)), 0.15, "triangle-down", "no digit left"),
        (np.flatnonzero(missing & ~valid), floor - 0.1, "line-ns-open", "no real value"),
        (np.flatnonzero(missing & valid), floor - 0.1, "line-ns-open", "not evaluated"),
    ):
        rows = rows[np.isfinite(x[rows])]
        if len(rows):
            drawn = x[rows[evenly_spread_rows(len(rows), _EDGE)]]
            edges.append(
                edge_trace(drawn, level, symbol, name, theme) | {"name": f"{name}: {len(rows):,}"}
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
"""Shares of the figure that the name of the even line takes, on a phone."""


def _even_note(where: Where, x: Array, axis: GridAxis, floor: int, theme: Theme) -> dict[str, Any]:
    """The name of the line, at the end and on the side with the fewest rows."""
    low, high = axis.limits()
    place = (np.log10(x) if axis.log else x) - low
    place = place / (high - low)
    shares = np.maximum(where.shares, 10.0**floor)
    with np.errstate(divide="ignore", invalid="ignore"):
        above = (np.log10(shares) + math.log10(where.finite)) / (-floor + 0.4)
    carrying = np.nanmedian(x[list(where.carriers[0].positions)])
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
        "y": -math.log10(where.finite),
        "xanchor": side,
        "yanchor": level,
        "text": "an even share",
        "showarrow": False,
        "font": {"size": 12, "color": theme.muted},
    }


def _zero(
    where: Where, across: Across, axis: GridAxis, x: Array, limits: list[float]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """A line, and its name, where the node crosses zero that the carrying rows have in common."""
    place = where.place
    if place is None or place.node_id is None or not place.crosses or across.kind == ROW:
        return None
    if across.kind == VALUE:
        at = 0.0
    elif across.name in {i.name for i in place.inputs if i.covered <= _POINT}:
        at = float(np.median(x[list(where.carriers[0].positions)]))
    else:
        return None
    scaled = math.log10(at) if axis.log else at
    share = (scaled - limits[0]) / (limits[1] - limits[0])
    if not 0 <= share <= 1:
        return None
    text = _short(where.inspection.nodes[place.node_id].text)
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
