"""The rows that carry a node's noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import (
    Chart,
    ChartAxis,
    Guide,
    Label,
    Mark,
    Panel,
    Points,
    Ticks,
)
from eic_core.explain.where import FEW, Where
from pages.ui.figures.plotting import (
    Array,
    GridAxis,
    axis_of,
    evenly_spread_rows,
    has_value,
    label_of,
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


def rows_figure(where: Where, across: Across, labels: Mapping[str, str] | None = None) -> Chart:
    """The share of each row of `where`, with marks of those that carry 50, 90 and 99 %."""
    axis, x = _axis(where, across)
    floor = _floor(where)
    few = len(where.carriers[1].positions) <= FEW * where.finite or where.finite == 1
    # Where no small part of the rows carries the noise, marks would say nothing.
    carriers = where.carriers if few else ()
    carrying = np.zeros(len(x), dtype=bool)
    marks: list[Mark] = []
    drawn = 0
    for part, (symbol, size) in zip(carriers, _SHAPES, strict=False):
        group = np.array(part.positions[drawn:], dtype=int)
        carrying[group] = True
        if len(group):
            level = wording.level_percent(part.level)
            name = f"{level}: {wording.count(len(group), 'row')}"
            name = f"to {level}: {len(group):,} more" if drawn else name
            rows = group[evenly_spread_rows(len(group), _GROUP)]
            look = {"symbol": symbol, "size": size, "colour": "accent", "name": name}
            marks.append(_points(where, x, rows, floor, **look))
            drawn = len(part.positions)
    rest = np.flatnonzero(np.isfinite(where.s) & ~carrying)
    thinned = rest[evenly_spread_rows(len(rest), _OTHERS)] if len(rest) else rest
    name = f"the other {len(rest):,}" if carriers else ""
    look = {"size": 4, "colour": "data", "opacity": 0.5, "name": name}
    marks.insert(0, _points(where, x, thinned, floor, **look))
    marks += [*_edges(where, x, floor), Guide(1 / where.finite, True, "dot", colour="muted")]
    side = axis.chart_axis(_title(across, labels), 0.03)
    marks += [_even_note(where, x, axis, floor), *_zero(where, across, side, x)]
    limits = 10.0 ** (floor - 0.15), 10.0**0.25
    up = ChartAxis("share of the amplified noise", limits, _ticks(where, floor), log=True)
    words = f"Share of each row in the amplified noise. {where.sentences[0]}"
    return Chart((Panel(tuple(marks), side, up, 210),), words, free=True)


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
    return wording.shorten(text, _TEXT)


def _ticks(where: Where, floor: int) -> Ticks:
    step = max(1, math.ceil(-floor / 6))
    ticks = [floor, *(k for k in range(-(-floor // step * step), 1, step) if k > floor)]
    texts = [_percent(k) for k in ticks]
    if np.min(where.shares[np.isfinite(where.s)]) < 10.0**floor:
        texts[0] = f"≤ {texts[0]}"
    return tuple((10.0**k, text) for k, text in zip(ticks, texts, strict=True))


def _percent(power: int) -> str:
    """A power of ten in per cent.

    >>> _percent(0), _percent(-2), _percent(-4), _percent(-7)
    ('100 %', '1 %', '0.01 %', '10⁻⁵ %')
    """
    if power >= -4:
        return f"{100 * 10.0**power:g} %"
    return f"{wording.significant(10.0 ** (power + 2))} %"


def _floor(where: Where) -> int:
    """log10 of the least share drawn: between a hundredth and a millionth of an even one."""
    least = float(np.min(where.shares[np.isfinite(where.s)]))
    even = math.log10(1 / where.finite)
    lowest = math.log10(least) if least > 0 else -math.inf
    return math.floor(min(even - 2, max(even - 6, lowest)))


def _points(where: Where, x: Array, rows: Array, floor: int, **look: Any) -> Points:
    shares = (wording.percent(float(share)) for share in where.shares[rows])
    hints = [
        f"row {where.row_number(k):,}\n{x[k]:.6g}\n{share} of the noise"
        for k, share in zip(rows.tolist(), shares, strict=True)
    ]
    return Points(x[rows], np.maximum(where.shares[rows], 10.0**floor), hints=hints, **look)


def _edges(where: Where, x: Array, floor: int) -> list[Mark]:
    """Rows without a digit on the upper edge, rows without a value on the lower."""
    edges: list[Mark] = []
    valid, missing = has_value(where.inspection), np.isnan(where.s)
    missing[where.inspection.amplification.unsettled] = False  # in no number, so nothing is drawn
    for rows, level, symbol, name in (
        (np.flatnonzero(np.isinf(where.s)), 0.15, "triangle-down", "no digit left"),
        (np.flatnonzero(missing & ~valid), floor - 0.1, "line-ns", "no real value"),
        (np.flatnonzero(missing & valid), floor - 0.1, "line-ns", "not evaluated"),
    ):
        rows = rows[np.isfinite(x[rows])]
        if len(rows):
            at = x[rows[evenly_spread_rows(len(rows), _EDGE)]]
            hints = [f"{name} at {each:.6g}" for each in at.tolist()]
            y, name = np.full(len(at), 10.0**level), f"{name}: {len(rows):,}"
            edges.append(Points(at, y, symbol, 9, name=name, hints=hints))
    return edges


_NOTE_WIDTH, _NOTE_HEIGHT = 0.32, 0.1
"""Shares of the figure that the name of the even line takes, on a phone."""


def _even_note(where: Where, x: Array, axis: GridAxis, floor: int) -> Label:
    """The name of the line, at the end and on the side with the fewest rows."""
    side = axis.chart_axis("", 0.03)
    low, high = _scaled(side, np.array(side.limits))
    place = (_scaled(side, x) - low) / (high - low)
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
    side_of_panel, level = min(
        ways,
        key=lambda way: int(
            np.count_nonzero(
                (left if way[0] == "left" else right) & (over if way[1] == "bottom" else under)
            )
        ),
    )
    raised = level == "bottom"
    y = 1 / where.finite if raised else 10.0 ** (0.05 * floor) / where.finite
    at = 0.01 if side_of_panel == "left" else 1
    look: dict[str, Any] = {"side": side_of_panel, "raised": raised, "colour": "muted"}
    return Label("an even share", at, y, "x", **look)


def _scaled(axis: ChartAxis, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.log10(x) if axis.log else x


def _zero(where: Where, across: Across, axis: ChartAxis, x: Array) -> list[Mark]:
    """A line, and its name, where the node crosses zero that the carrying rows have in common."""
    place = where.place
    if place is None or place.node_id is None or not place.crosses or across.kind == ROW:
        return []
    if across.kind == VALUE:
        at = 0.0
    elif across.name in {i.name for i in place.inputs if i.covered <= _POINT}:
        at = float(np.median(x[list(where.carriers[0].positions)]))
    else:
        return []
    low, high, scaled = _scaled(axis, np.array([*(axis.limits or (at, at)), at])).tolist()
    if not low <= scaled <= high:
        return []
    text = f"{_short(where.inspection.nodes[place.node_id].text)} crosses zero"
    side: Literal["left", "right"] = "right" if scaled > (low + high) / 2 else "left"
    return [Guide(at, colour="muted"), Label(text, at, 0.95, "y", side)]
