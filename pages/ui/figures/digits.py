"""Bars of digits: losses of function and writing, and the digits that each number needs."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import HIGH, LOW, THEMES, text_on
from eic_core.explain.shortening import MOST_DIGITS, Need
from eic_core.explain.writing import WritingLoss
from eic_core.formula.rendering import short_text
from eic_core.formula.tree import Formula, variable
from pages.ui.figures.plotting import base_layout, build

MOST_ROWS = 14
"""Most rows drawn; the table has all."""


def digits_figure(needs: Sequence[Need], *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """A row for each number: a light bar of its given digits, a dark one of the needed digits."""
    theme = THEMES[dark]
    rows = needs[:MOST_ROWS]
    places = [-float(i) for i in range(len(rows))]
    digits_given = [min(n.given, MOST_DIGITS) for n in rows]
    layout = base_layout(dark) | {
        "height": 46 + min(26 * len(rows), 254),
        "margin": {"l": 96 if narrow else 120, "r": 64, "t": 4, "b": 40},
        "barmode": "overlay",
        "xaxis": {
            "range": [0, MOST_DIGITS],
            "fixedrange": True,
            "zeroline": False,
            "tickvals": [0, 5, 10, 15],
            "showgrid": False,
            "ticks": "outside",
            "ticklen": 4,
            "tickcolor": theme.muted,
            "showline": True,
            "linecolor": theme.faint,
            "tickfont": {"size": 12, "color": theme.muted},
            "title": {
                "text": "significant digits",
                "standoff": 4,
                "font": {"size": 12, "color": theme.muted},
            },
        },
        "yaxis": {
            "range": [-len(rows) + 0.4, 0.6],
            "fixedrange": True,
            "zeroline": False,
            "showgrid": False,
            "tickvals": places,
            "ticktext": [_name(n) for n in rows],
            "tickfont": {"size": 13},
        },
        "showlegend": False,
        "annotations": [
            _count(n, y, top, theme.ink)
            for n, y, top in zip(rows, places, digits_given, strict=True)
        ],
        "dragmode": False,
    }
    data = [
        _need_bars("given", places, digits_given, {"color": theme.faint}, 0.62),
        _need_bars("needed", places, [n.together for n in rows], {"color": theme.accent}, 0.34),
        {
            "type": "scatter",
            "mode": "markers",
            "name": "needed alone",
            "y": places,
            "x": [n.alone for n in rows],
            "marker": {"symbol": "line-ns", "size": 15, "line": {"width": 2.5, "color": theme.ink}},
            "hovertemplate": "needs %{x} if nothing else is rounded<extra></extra>",
        },
    ]
    return build(data, layout)


def _need_bars(
    name: str, places: list[float], values: Sequence[int], marker: dict[str, Any], width: float
) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": places,
        "x": list(values),
        "width": width,
        "marker": marker,
        "hovertemplate": f"{name}: %{{x}}<extra></extra>",
    }


def _name(need: Need) -> str:
    plain = short_text(Formula.from_draft(variable(need.name)))
    constant = need.kind == "constant"
    text = wording.short_constant(need.name) if constant else wording.shorten(plain, 12)
    return f"{html.escape(text)}  "


def _count(need: Need, y: float, top: int, ink: str) -> dict[str, Any]:
    return {
        "x": top,
        "y": y,
        "text": f"{need.together} of {need.given}",
        "showarrow": False,
        "xanchor": "left",
        "xshift": 6,
        "font": {"size": 13, "color": ink},
    }


WRITING_INK = {False: "#c2500a", True: "#ff9f5a"}
"""Colours of the writing's loss, by `dark`: contrast 3 : 1 or more to grey and to the page."""

BAR = 0.34
"""Height of a bar; the bars stand one apart."""


def losses_figure(writing: WritingLoss, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """The function's own conditioning, the result as written, and the worst step, in digits."""
    theme = THEMES[dark]
    inspection = writing.inspection
    worst = inspection.nodes[inspection.finite_worst_step].text
    inside = inspection.eic_finite
    step = html.escape(wording.shorten(worst, 26 if narrow else 44))
    nowhere = math.isnan(writing.q) and writing.singular > 0
    rows = (
        (
            "The function itself",
            "no writing keeps these",
            own_loss(writing),
            nowhere and writing.singular_function == writing.singular,
        ),
        ("The result, shared noise", "as written, all errors together", writing.q, nowhere),
        ("The worst step (EIC)", step, inside, math.isinf(inspection.eic)),
    )
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    for place, (name, what, value, endless) in enumerate(rows):
        y = 2.0 - place
        notes.append(_heading(y, name, what, theme.muted, narrow))
        reason = NOT_COMPARED if nowhere and math.isnan(value) and not endless else ""
        notes.append(_value(y, value, endless, theme.ink, reason))
        if endless:
            # A dashed field beyond the scale, as on every other scale of digits.
            shapes.append(_endless(y, theme.ink))
            notes.append(_text(HIGH + 0.5, y, "∞", theme.ink, 14) | {"xanchor": "center"})
    layout = base_layout(dark) | {
        "height": 236,
        "margin": {"l": 8, "r": 8, "t": 4, "b": 42},
        "barmode": "overlay",
        "xaxis": {
            "range": [LOW - 0.02, HIGH + 1.15],  # whatever the values: figures can be compared
            "fixedrange": True,
            "zeroline": False,
            "tickvals": list(range(0, 9, 2)),
            "showgrid": False,
            "ticks": "outside",
            "ticklen": 4,
            "tickcolor": theme.muted,
            "showline": True,
            "linecolor": theme.faint,
            "tickfont": {"size": 12, "color": theme.muted},
            "title": {
                "text": "digits by which errors grow",
                "font": {"size": 12, "color": theme.muted},
            },
        },
        "yaxis": {"range": [-0.35, 2.85], "visible": False, "fixedrange": True},
        "shapes": shapes,
        "annotations": [*notes, *_parts(writing, dark)],
        "dragmode": False,
    }
    return build(_loss_bars(writing, inside, worst, dark), layout)


NOT_COMPARED = "not compared: the result keeps no digit at any sample"


def own_loss(writing: WritingLoss) -> float:
    """The digits of the function itself; 0 for a constant without inputs."""
    whole = math.isnan(writing.own) and not writing.singular_function and writing.singular > 0
    return 0.0 if whole and not writing.inspection.formula.variables else writing.own


def _loss_bars(writing: WritingLoss, inside: float, step: str, dark: bool) -> list[dict[str, Any]]:
    theme = THEMES[dark]
    alone = own_loss(writing)
    own, whole = _length(alone), _length(writing.q)
    grey_length = min(own, whole)
    grey = {"color": theme.data}
    pattern = {
        "color": theme.paper,
        "line": {"color": theme.data, "width": 1.5},
        "pattern": {
            "shape": "/",
            "fgcolor": theme.data,
            "bgcolor": theme.paper,
            "size": 7,
            "solidity": 0.25,
        },
    }
    bars = [
        _bar(2, 0.0, own, grey, f"the function’s own: {wording.digits_lost(alone)} digits"),
        _bar(
            1,
            0.0,
            grey_length,
            grey,
            f"the function’s own: {wording.digits_lost(writing.own)} digits",
        ),
        _bar(
            1,
            grey_length,
            whole - grey_length,
            {"color": WRITING_INK[dark]},
            f"added by the writing, shared noise: {wording.digits_lost(writing.loss)} digits",
        ),
    ]
    if not math.isnan(inside):
        digits = wording.digits_lost(inside)
        text = f"{html.escape(wording.shorten(step, 60))}, worst step (EIC): {digits} digits"
        bars.append(_bar(0, 0.0, _length(inside), pattern, text))
    return bars


def _bar(y: float, base: float, length: float, marker: dict[str, Any], text: str) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "y": [y],
        "x": [length],
        "base": [base],
        "width": BAR,
        "marker": marker,
        "hovertemplate": f"{text}<extra></extra>",
    }


def _length(value: float) -> float:
    return 0.0 if math.isnan(value) else min(max(value, LOW), HIGH)


def _parts(writing: WritingLoss, dark: bool) -> list[dict[str, Any]]:
    """Names inside the second bar where there is room for them."""
    own, whole = _length(writing.own), _length(writing.q)
    parts = (
        (0.0, min(own, whole), "function", THEMES[dark].data),
        (min(own, whole), whole, "added by the writing", WRITING_INK[dark]),
    )
    return [
        _text((low + high) / 2, 1.0, name, text_on(fill), 12) | {"xanchor": "center"}
        for low, high, name, fill in parts
        if high - low > 0.22 * len(name)
    ]


def _heading(y: float, name: str, what: str, muted: str, narrow: bool) -> dict[str, Any]:
    joint = " · " if what else ""
    text = f'<b>{name}</b><span style="color:{muted}">{joint}{what}</span>'
    return _text(LOW, y + BAR / 2 + 0.05, text, None, 12 if narrow else 13) | {
        "xanchor": "left",
        "yanchor": "bottom",
    }


def _value(y: float, value: float, endless: bool, ink: str, reason: str = "") -> dict[str, Any]:
    if reason:
        return _text(LOW, y, reason, ink, 12) | {"xanchor": "left", "xshift": 6}
    if math.isnan(value) and endless:
        return _text(LOW, y, "", ink, 14)
    more = " ▸" if math.isfinite(value) and value > HIGH else ""
    return _text(_length(value), y, f"<b>{wording.digits_lost(value)}{more}</b>", ink, 14) | {
        "xanchor": "left",
        "xshift": 6,
    }


def _endless(y: float, ink: str) -> dict[str, Any]:
    return {
        "type": "rect",
        "x0": HIGH + 0.2,
        "x1": HIGH + 0.8,
        "y0": y - BAR / 2,
        "y1": y + BAR / 2,
        "line": {"width": 1.2, "color": ink, "dash": "3px,2px"},
    }


def _text(x: float, y: float, text: str, ink: str | None, size: int) -> dict[str, Any]:
    font = {"size": size} | ({"color": ink} if ink else {})
    return {"x": x, "y": y, "text": text, "showarrow": False, "yanchor": "middle", "font": font}
