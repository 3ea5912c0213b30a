"""Whose noise it is: the shares of a node's noise, stacked from 0 to 100 per cent."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from eic_core.drawing.scale import THEMES, Theme
from eic_core.drawing.scene import cut
from eic_core.explain import words
from eic_core.explain.ledger import Bar, Ledger
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import CONSTANT, VARIABLE
from pages.ui.figures.panels import axis_style
from pages.ui.figures.plotting import base_layout, build, plain_text

INTRODUCED, INHERITED, MASKED = "◆", "▲", "○"
"""Shapes of what arises at the node itself, below it, and below it without being seen."""

BARS = 8
_ROW, _AXIS = 46, 44
NOBODY = -1
"""What a bar of several nodes names as its node."""

_KINDS = {
    "rounding": {False: "#0072b2", True: "#5cb8f0"},
    "input": {False: "#d55e00", True: "#f0a03c"},
    "constant": {False: "#5b6270", True: "#a9b0bd"},
}
"""Colours of the kinds of noise by `dark`, told apart with any colour vision, and hatched apart."""

_HATCHES = {"rounding": "", "input": "/", "constant": "."}


@dataclass(frozen=True)
class _Row:
    """One bar with its words."""

    bar: Bar
    shape: str
    kind: str
    name: str
    what: str
    inside: str = ""

    @property
    def said(self) -> str:
        """What it is, and inside what if another bar has the same name."""
        return f"{self.what}, {self.inside}" if self.inside else self.what

    @property
    def share(self) -> float:
        return self.bar.end - self.bar.start


def waterfall_figure(
    ledger: Ledger, *, mean: bool = False, dark: bool = False, narrow: bool = False
) -> go.Figure:
    """The ledger of a node as bars that begin where the one above ends.

    Every bar's `customdata` is its node, or -1 for the one that groups the rest.

    Parameters
    ----------
    ledger : Ledger
        With at least one row.
    mean : bool
        Stack the means of the samples' shares instead of the shares of the mean.
    dark, narrow : bool
        For a dark page; for a phone.
    """
    theme = THEMES[dark]
    rows = _rows(ledger, mean)
    places = [-k for k in range(len(rows))]
    ids = [row.bar.nodes[0] if len(row.bar.nodes) == 1 else NOBODY for row in rows]
    said = [f"{plain_text(row.name)}, {row.said}: {words.percent(row.share)}" for row in rows]
    calm = {"marker": {"opacity": 1}}
    common = {
        "type": "bar", "orientation": "h", "y": places, "width": 0.34, "customdata": ids,
        "hovertext": said, "hovertemplate": "%{hovertext}<extra></extra>",
        "selected": calm, "unselected": calm,
    }  # fmt: skip
    data: list[dict[str, Any]] = [
        common | {
            "base": [0.0] * len(rows), "x": [100.0] * len(rows),
            "marker": {"color": theme.faint, "opacity": 0.35, "line": {"width": 0}},
            "selected": {"marker": {"opacity": 0.35}}, "unselected": {"marker": {"opacity": 0.35}},
        },
        common | {
            "base": [100 * row.bar.start for row in rows], "x": [100 * row.share for row in rows],
            "marker": _marker(rows, theme, dark),
        },
    ]  # fmt: skip
    layout = base_layout(dark) | {
        "height": _ROW * len(rows) + _AXIS,
        "margin": {"l": 8, "r": 24, "t": 2, "b": _AXIS - 2},
        "barmode": "overlay",
        "dragmode": False,
        "clickmode": "event+select",
        "hovermode": "closest",
        "xaxis": axis_style(theme) | {
            "range": [0, 100], "fixedrange": True, "tickvals": [0, 25, 50, 75, 100],
            "ticktext": ["0", "25", "50", "75", "100 %"], "automargin": False,
            "title": {"text": "share of the noise", "standoff": 4, "font": {"size": 12}},
        },
        "yaxis": {"range": [-len(rows) + 0.62, 0.86], "visible": False, "fixedrange": True},
        "annotations": [
            note for k, row in enumerate(rows) for note in _notes(row, -k, theme, narrow)
        ],
        "shapes": [_step(row, -k, theme) for k, row in enumerate(rows[:-1])],
    }  # fmt: skip
    return build(data, layout)


def waterfall_words(ledger: Ledger, *, mean: bool = False) -> str:
    """The figure in words, for those who do not see it.

    Examples
    --------
    >>> from eic_core.explain.ledger import blame
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> inspection = inspect(read("x + 2").formula, Samples.from_columns({"x": [2.0]}))
    >>> waterfall_words(blame(inspection, 2))
    'Shares of the noise: x + 2, its own rounding: 67 %; x, error of the input: 17 %; 2, error of the constant: 17 %'
    """  # noqa: E501
    said = (f"{row.name}, {row.said}: {words.percent(row.share)}" for row in _rows(ledger, mean))
    return f"Shares of the noise: {'; '.join(said)}"


def shape_of(ledger: Ledger, node_id: int) -> str:
    """The shape of a row of the ledger.

    Examples
    --------
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
            rows.append(_Row(bar, INHERITED, "rest", bar.label, "together"))
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
        name = short_text(formula, node_id, words.TEXT_LIMIT)
        rows.append(_Row(bar, shape_of(ledger, node_id), kind, name, what, inside))
    return rows


def _marker(rows: list[_Row], theme: Theme, dark: bool) -> dict[str, Any]:
    colours = [_KINDS[row.kind][dark] if row.kind in _KINDS else theme.muted for row in rows]
    return {
        "color": colours,
        "line": {"color": colours, "width": 1.5},
        "pattern": {
            "shape": [_HATCHES.get(row.kind, "x") for row in rows],
            "fgcolor": colours, "bgcolor": [theme.paper] * len(rows),
            "fillmode": "replace", "size": 7, "solidity": 0.45,
        },
    }  # fmt: skip


def _notes(row: _Row, y: int, theme: Theme, narrow: bool) -> list[dict[str, Any]]:
    """Left above the bar what it is, right how much."""
    name = cut(row.name, 20 if narrow else 44)
    short = f"{row.kind} {row.inside}" if narrow and row.inside else row.said
    what = cut(short, max(24, 36 - len(name)) if narrow else 46)
    common = {
        "y": y + 0.24, "yanchor": "bottom", "xref": "paper", "showarrow": False,
        "bgcolor": theme.paper, "borderpad": 0,
        "font": {"size": 13, "color": theme.ink},
    }  # fmt: skip
    text = (
        f"{row.shape} <b>{plain_text(name)}</b> "
        f'<span style="color:{theme.muted}">{plain_text(what)}</span>'
    )
    return [
        common | {"x": 0, "xanchor": "left", "align": "left", "text": text},
        common | {"x": 1, "xanchor": "right", "text": f"<b>{words.percent(row.share)}</b>"},
    ]


def _step(row: _Row, y: int, theme: Theme) -> dict[str, Any]:
    """From the end of a bar down to the beginning of the next."""
    end = 100 * row.bar.end
    return {
        "type": "line", "x0": end, "x1": end, "y0": y - 0.17, "y1": y - 0.83, "layer": "below",
        "line": {"color": theme.muted, "width": 1, "dash": "2px,2px"},
    }  # fmt: skip
