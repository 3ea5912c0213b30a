"""A node's noise by source, as a waterfall; and its loss measured in four ways."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import HIGH, THEMES, Theme
from eic_core.explain import phrases
from eic_core.explain.ledger import Bar, Ledger
from eic_core.explain.triangulation import LIKELY, TriangulatedNode
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.observed import DIGITS, Observed
from pages.ui.figures.plotting import BLUE, ORANGE, axis_style, base_layout, build, plain_text

_LANE_ROW, _LANE_AXIS = 26, 44
_LEAST = -1.0
"""Left end in digits: a rounding is 0.4 units of roundoff, and many are smaller."""

_COLOURS = {
    "recursion": {False: "#1c1f26", True: "#f2f3f5"},
    "shaken": BLUE,
    "observed": ORANGE,
}
"""Colours by `dark`; every way has a symbol of its own as well."""

_SYMBOLS = {"recursion": "diamond", "shaken": "circle", "observed": "square"}


@dataclass(frozen=True)
class Lane:
    label: str
    way: str  # "recursion", "shaken" or "observed"
    value: float  # Digits; nan and infinite values stand in words alone
    low: float = math.nan  # Lower end of the interval; nan without one
    high: float = math.nan
    words: str = ""  # The value in words
    limit: float = math.nan  # Digits of the format, where none remains; nan for a prediction
    short: str = ""  # The label where there is little room


def lanes(node: TriangulatedNode) -> tuple[Lane, ...]:
    """The lines of a node's figure, from theory to observation."""
    theory = [
        Lane(
            label,
            "recursion",
            value,
            words=wording.digits_lost(value) if math.isfinite(value) else "no digit is left",
            short=short,
        )
        for label, short, value in (
            ("predicted, independent noise", "independent noise", node.recursion),
            ("predicted, shared noise", "shared noise", node.shared),
        )
    ]
    shaken = [
        Lane(
            f"tried, errors of {wording.significant(s.sigma)}",
            "shaken",
            s.local_eic,
            s.low,
            s.high,
            "shows nothing"
            if math.isnan(s.low)
            else f"{wording.number(s.local_eic)} "
            f"({wording.number(s.low)} to {wording.number(s.high)})",
            short=f"tried, {wording.significant(s.sigma)}",
        )
        for s in node.shaken
    ]
    observed = [
        Lane(
            f"measured in {o.kind}",
            "observed",
            o.digits,
            words=observed_text(o),
            limit=DIGITS[o.kind],
            short=f"measured, {o.kind}",
        )
        for o in (node.float32, node.float64)
    ]
    return (*theory, *shaken, *observed)


def observed_text(observed: Observed) -> str:
    """An observed error in digits, or why there is none."""
    if math.isnan(observed.digits):
        return "no value"
    if math.isinf(observed.digits):
        return "exact"
    return wording.number(observed.digits)


def triangulated_figure(
    node: TriangulatedNode, *, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """The recursion, Algorithm 2 at falling sigma with 95 % intervals, and observed errors."""
    theme = THEMES[dark]
    lines = lanes(node)
    top = _top(lines)
    layout = base_layout(dark) | {
        "height": _LANE_ROW * len(lines) + _LANE_AXIS + 8,
        "margin": {"l": 8, "r": 8, "t": 4, "b": _LANE_AXIS},
        "dragmode": False,
        "hovermode": "closest",
        "xaxis": axis_style(theme)
        | {
            "range": [_LEAST - 0.15, top],
            "fixedrange": True,
            "dtick": 1 if top < 9.5 and not narrow else 2,
            "tick0": 0,
            "showgrid": True,
            "gridcolor": theme.faint,
            "griddash": "dot",
            "title": {
                "text": "local EIC of this step, digits",
                "standoff": 4,
                "font": {"size": 12},
            },
        },
        "yaxis": axis_style(theme)
        | {
            "range": [-len(lines) + 0.4, 0.6],
            "fixedrange": True,
            "showline": False,
            "ticks": "",
            "tickvals": [-k for k in range(len(lines))],
            "ticktext": [_label(lane, narrow) for lane in lines],
            "tickfont": {"size": 12 if narrow else 13, "color": theme.ink},
        },
        "shapes": _shapes(node, lines, theme),
        "annotations": [
            _missing(lane, -k, theme)
            for k, lane in enumerate(lines)
            if not math.isfinite(lane.value) or lane.value > top
        ],
    }
    return build([_trace(lines, way, dark) for way in _SYMBOLS], layout)


def triangulated_words(node: TriangulatedNode) -> str:
    parts = "; ".join(f"{lane.label}: {lane.words}" for lane in lanes(node))
    return f"Digits up to this step (its local EIC, and as measured): {parts}"


def _top(lines: tuple[Lane, ...]) -> float:
    """The right end: 8 digits as on every other scale, more where needed."""
    values = [v for lane in lines for v in (lane.value, lane.high) if math.isfinite(v)]
    return min(20.0, max(HIGH, math.ceil(max(values, default=0.0) + 0.3))) + 0.25


def _label(lane: Lane, narrow: bool) -> str:
    return lane.short if narrow else lane.label


def _trace(lines: tuple[Lane, ...], way: str, dark: bool) -> dict[str, Any]:
    colour = _COLOURS[way][dark]
    of_way = [
        (k, lane) for k, lane in enumerate(lines) if lane.way == way and math.isfinite(lane.value)
    ]
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [lane.value for _, lane in of_way],
        "y": [-k for k, _ in of_way],
        "hovertext": [f"{lane.label}: {lane.words}" for _, lane in of_way],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {
            "symbol": _SYMBOLS[way],
            "size": 9 if way == "shaken" else 11,
            "color": colour,
            "line": {"width": 1, "color": THEMES[dark].paper},
        },
        "cliponaxis": False,
    }
    if way == "shaken":
        trace["error_x"] = {
            "type": "data",
            "symmetric": False,
            "color": colour,
            "thickness": 2,
            "width": 5,
            "array": [lane.high - lane.value for _, lane in of_way],
            "arrayminus": [lane.value - lane.low for _, lane in of_way],
        }
    return trace


def _shapes(node: TriangulatedNode, lines: tuple[Lane, ...], theme: Theme) -> list[dict[str, Any]]:
    shapes: list[dict[str, Any]] = []
    if math.isfinite(node.recursion):
        shapes.append(
            {
                "type": "line",
                "x0": node.recursion,
                "x1": node.recursion,
                "y0": 0,
                "y1": -len(lines) + 0.5,
                "layer": "below",
                "line": {"width": 1.2, "color": theme.muted},
            }
        )
    for k, lane in enumerate(lines):
        if lane.way != "observed":
            continue
        # A band at the likely error: 0.1 to 1.5 times that predicted for roundings of one unit.
        if math.isfinite(node.rounded):
            low, high = (node.rounded + math.log10(factor) for factor in LIKELY)
            shapes.append(
                {
                    "type": "rect",
                    "x0": low,
                    "x1": high,
                    "y0": -k - 0.36,
                    "y1": -k + 0.36,
                    "layer": "below",
                    "line": {"width": 0},
                    "fillcolor": theme.data,
                    "opacity": 0.25,
                }
            )
        if math.isfinite(lane.value):  # beside words it would be taken for a measured value
            shapes.append(
                {
                    "type": "line",
                    "x0": lane.limit,
                    "x1": lane.limit,
                    "y0": -k - 0.4,
                    "y1": -k + 0.4,
                    "line": {"width": 3, "color": theme.ink},
                }
            )
    return shapes


def _missing(lane: Lane, y: int, theme: Theme) -> dict[str, Any]:
    """The reason why a mark is missing, at the left."""
    return {
        "x": 0,
        "xref": "paper",
        "xanchor": "left",
        "xshift": 6,
        "y": y,
        "showarrow": False,
        "text": lane.words,
        "font": {"size": 12, "color": theme.muted},
        "bgcolor": theme.paper,
    }


INTRODUCED, INHERITED, MASKED = "◆", "▲", "○"
"""Shapes of noise that arises at the node, below it, and below it but hidden by the result."""

BARS = 8
_WATERFALL_AXIS = 42
NOBODY = -1
"""The node of a bar that groups several."""

_KINDS = {
    "rounding": BLUE,
    "input": ORANGE,
    "constant": {False: "#5b6270", True: "#a9b0bd"},
}
"""Colours of the kinds of noise by `dark`, told apart with any colour vision, and hatched apart."""

_HATCHES = {"rounding": "", "input": "/", "constant": "."}


@dataclass(frozen=True)
class _Row:
    bar: Bar
    shape: str
    kind: str
    name: str
    what: str
    inside: str = ""

    @property
    def words(self) -> str:
        """The kind of noise, and its parent if another bar has the same name."""
        return f"{self.what}, {self.inside}" if self.inside else self.what

    @property
    def share(self) -> float:
        return self.bar.end - self.bar.start


def waterfall_figure(
    ledger: Ledger, *, mean: bool = False, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """The ledger of a node as bars that begin where the one above ends.

    The `customdata` of a bar is its node, or `NOBODY`. `mean` stacks the means of the samples'
    shares.
    """
    theme = THEMES[dark]
    rows = _rows(ledger, mean)
    places = [-k for k in range(len(rows))]
    ids = [row.bar.nodes[0] if len(row.bar.nodes) == 1 else NOBODY for row in rows]
    texts = [f"{plain_text(row.name)}, {row.words}: {wording.percent(row.share)}" for row in rows]
    calm = {"marker": {"opacity": 1}}
    common = {
        "type": "bar",
        "orientation": "h",
        "y": places,
        "width": 0.26,
        "customdata": ids,
        "hovertext": texts,
        "hovertemplate": "%{hovertext}<extra></extra>",
        "selected": calm,
        "unselected": calm,
    }
    data: list[dict[str, Any]] = [
        common
        | {
            "base": [0.0] * len(rows),
            "x": [100.0] * len(rows),
            "marker": {"color": theme.faint, "opacity": 0.35, "line": {"width": 0}},
            "selected": {"marker": {"opacity": 0.35}},
            "unselected": {"marker": {"opacity": 0.35}},
        },
        common
        | {
            "name": "nodes",
            "base": [100 * row.bar.start for row in rows],
            "x": [100 * row.share for row in rows],
            "marker": _marker(rows, theme, dark),
        },
    ]
    layout = base_layout(dark) | {
        "height": min(44 * len(rows), 256) + _WATERFALL_AXIS,
        "margin": {"l": 8, "r": 24, "t": 2, "b": _WATERFALL_AXIS - 2},
        "barmode": "overlay",
        "dragmode": False,
        "clickmode": "event+select",
        "hovermode": "closest",
        "xaxis": axis_style(theme)
        | {
            "range": [0, 100],
            "fixedrange": True,
            "tickvals": [0, 25, 50, 75, 100],
            "ticktext": ["0", "25", "50", "75", "100 %"],
            "automargin": False,
            "title": {"text": "share of the noise", "standoff": 4, "font": {"size": 12}},
        },
        "yaxis": {"range": [-len(rows) + 0.62, 0.86], "visible": False, "fixedrange": True},
        "annotations": [
            note for k, row in enumerate(rows) for note in _notes(row, -k, theme, narrow)
        ],
        "shapes": [_step(row, -k, theme) for k, row in enumerate(rows[:-1])],
    }
    return build(data, layout)


def waterfall_words(ledger: Ledger, *, mean: bool = False) -> str:
    """The figure in words, for those who do not see it.

    >>> from eic_core.explain.ledger import blame
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> inspection = inspect(read("x + 2").formula, Samples.from_columns({"x": [2.0]}))
    >>> waterfall_words(blame(inspection, 2))
    'Shares of the noise: x + 2, its own rounding: 67 %; x, error of the input: 17 %; 2, error of the constant: 17 %'
    """  # noqa: E501
    parts = (
        f"{row.name}, {row.words}: {wording.percent(row.share)}" for row in _rows(ledger, mean)
    )
    return f"Shares of the noise: {'; '.join(parts)}"


def shape_of(ledger: Ledger, node_id: int) -> str:
    """The shape of a row of the ledger.

    >>> from eic_core.explain.ledger import blame
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> inspection = inspect(read("x + 2").formula, Samples.from_columns({"x": [2.0]}))
    >>> [shape_of(blame(inspection, 2), k) for k in range(3)]
    ['▲', '▲', '◆']
    """
    if node_id == ledger.target:
        return INTRODUCED
    return MASKED if node_id in ledger.masked else INHERITED


def _rows(ledger: Ledger, mean: bool) -> list[_Row]:
    formula = ledger.inspection.formula
    bars = ledger.waterfall(BARS, mean=mean)
    names = Counter(bar.label for bar in bars)
    rows = []
    for bar in bars:
        if len(bar.nodes) > 1:
            rows.append(_Row(bar, INHERITED, "rest", str(bar.label), "together"))
            continue
        (node_id,) = bar.nodes
        operator = formula.nodes[node_id].operator
        kind = {VARIABLE: "input", CONSTANT: "constant"}.get(operator, "rounding")
        what = "rounding" if kind == "rounding" else f"error of the {kind}"
        if node_id == ledger.target:
            what = "its own rounding" if kind == "rounding" else "its own error"
        parent = formula.parents[node_id]
        twin = names[bar.label] > 1 and parent is not None
        inside = f"in {short_text(formula, parent, 24)}" if twin else ""
        name = short_text(formula, node_id, phrases.TEXT_LIMIT)
        rows.append(_Row(bar, shape_of(ledger, node_id), kind, name, what, inside))
    return rows


def _marker(rows: list[_Row], theme: Theme, dark: bool) -> dict[str, Any]:
    colours = [_KINDS[row.kind][dark] if row.kind in _KINDS else theme.muted for row in rows]
    return {
        "color": colours,
        "line": {"color": colours, "width": 1.5},
        "pattern": {
            "shape": [_HATCHES.get(row.kind, "x") for row in rows],
            "fgcolor": colours,
            "bgcolor": [theme.paper] * len(rows),
            "fillmode": "replace",
            "size": 7,
            "solidity": 0.45,
        },
    }


def _notes(row: _Row, y: int, theme: Theme, narrow: bool) -> list[dict[str, Any]]:
    """Left above the bar its name and kind, right its share."""
    name = wording.shorten(row.name, 20 if narrow else 44)
    short = f"{row.kind} {row.inside}" if narrow and row.inside else row.words
    what = wording.shorten(short, max(24, 36 - len(name)) if narrow else 46)
    common = {
        "y": y + 0.15,
        "yanchor": "bottom",
        "xref": "paper",
        "showarrow": False,
        "bgcolor": theme.paper,
        "borderpad": 0,
        "font": {"size": 13, "color": theme.ink},
    }
    text = (
        f"{row.shape} <b>{plain_text(name)}</b> "
        f'<span style="color:{theme.muted}">{plain_text(what)}</span>'
    )
    return [
        common | {"x": 0, "xanchor": "left", "align": "left", "text": text},
        common | {"x": 1, "xanchor": "right", "text": f"<b>{wording.percent(row.share)}</b>"},
    ]


def _step(row: _Row, y: int, theme: Theme) -> dict[str, Any]:
    """A line from the end of a bar to the beginning of the next."""
    end = 100 * row.bar.end
    return {
        "type": "line",
        "x0": end,
        "x1": end,
        "y0": y - 0.13,
        "y1": y - 0.87,
        "layer": "below",
        "line": {"color": theme.muted, "width": 1, "dash": "2px,2px"},
    }
