"""The front: every formula by complexity and accuracy, coloured by the digits it loses.

Pure: from scores to a Plotly figure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import HIGH, LOW, SCALE, THEMES, Theme
from eic_core.pool.front import front
from eic_core.pool.listing import ListedScore
from pages.ui.compare.pair_figure import MODEBAR
from pages.ui.figures.plotting import axis_style, base_layout, build, legend_above, plain_text
from pages.ui.kit.text import clean

MOST_POINTS = 4_000
"""Most formulas that are drawn; members of the front always are."""

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
"""One for each method; those beyond share the last."""

_EXACT = 1e-17
"""Where an error of 0 is drawn on a logarithmic axis."""


@dataclass(frozen=True)
class FrontView:
    """What is drawn.

    Attributes
    ----------
    scores : sequence of ListedScore
    shown : ndarray of int
        Which of them, by place.
    on_front : ndarray of bool, shape (N,)
        Members among all.
    accuracy : ndarray of float, shape (N,), or None
        Smaller is better; None draws EIC upwards instead.
    accuracy_name : str
    picked : tuple of int
        Places that are marked.
    """

    scores: Sequence[ListedScore]
    shown: np.ndarray
    on_front: np.ndarray
    accuracy: np.ndarray | None
    accuracy_name: str = ""
    picked: tuple[int, ...] = ()


def drawn_places(view: FrontView) -> np.ndarray:
    """Which places are drawn: members of the front first, the rest thinned evenly."""
    upwards = _upwards(view)
    complexity = _complexity(view)
    known = view.shown[~np.isnan(upwards[view.shown]) & ~np.isnan(complexity[view.shown])]
    members = known[view.on_front[known]][:MOST_POINTS]
    rest = known[~view.on_front[known]]
    room = MOST_POINTS - len(members)
    if len(rest) > room:
        rest = rest[np.linspace(0, len(rest) - 1, room).astype(int)] if room else rest[:0]
    return np.union1d(np.union1d(members, rest), np.intersect1d(known, view.picked)).astype(int)


def front_figure(view: FrontView, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """Complexity across, error up (logarithmic), colour and outline as the legend says.

    Points carry their place in ``customdata``.
    """
    theme = THEMES[dark]
    places = drawn_places(view)
    methods = _methods(view.scores, places)
    data: list[dict[str, Any]] = [_staircase(view, places, theme)]
    for method, symbol in methods.items():
        own = np.array([i for i in places if view.scores[i].listed.method == method], dtype=int)
        for finite in (True, False):
            known = np.isfinite([view.scores[i].score.eic for i in own]) == finite
            if len(own[known]):
                data.append(_points(view, own[known], method, symbol, dark, finite))
    data += [_marks(view, places, theme), _bar(dark)]
    layout = base_layout(dark) | {
        "height": 400 if narrow else 480,
        "margin": {"l": 8, "r": 8, "t": 34 if len(methods) > 1 else 12, "b": 8},
        "xaxis": axis_style(theme)
        | {"title": {"text": "complexity (nodes)", "standoff": 6}, **_across(view, places)},
        "yaxis": axis_style(theme) | _up(view, places),
        "hovermode": "closest",
        "clickmode": "event+select",
        "dragmode": False,
        "modebar": MODEBAR[dark],
        **legend_above(theme),
        "showlegend": len(methods) > 1,
        "uirevision": f"{view.accuracy_name}|{len(view.scores)}",
    }  # fmt: skip
    return build(data, layout)


def _complexity(view: FrontView) -> np.ndarray:
    known = [s.score.complexity for s in view.scores]
    return np.array([math.nan if c is None else c for c in known], dtype=float)


def ceiling(view: FrontView) -> float:
    """Errors above this are drawn on the upper edge: they would flatten all others.

    R^2 below -1 explains nothing; a loss is cut at a hundred times the median.
    """
    if view.accuracy is None:
        return HIGH * 1.5
    if "loss" not in view.accuracy_name:
        return 2.0
    known = view.accuracy[np.isfinite(view.accuracy) & (view.accuracy > 0)]
    return 100 * float(np.median(known)) if len(known) else math.inf


def count_on_edge(view: FrontView) -> int:
    """How many of the formulas shown are drawn on the upper edge."""
    values = view.accuracy
    if values is None:
        values = np.array([s.score.eic for s in view.scores], dtype=float)
    with np.errstate(invalid="ignore"):
        return int(np.count_nonzero(values[view.shown] > ceiling(view)))


def _upwards(view: FrontView) -> np.ndarray:
    """What is drawn upwards; nan where there is nothing to draw."""
    if view.accuracy is None:
        eic = np.array([s.score.eic for s in view.scores], dtype=float)
        return np.minimum(eic, ceiling(view))
    error = view.accuracy
    with np.errstate(invalid="ignore"):
        drawn = np.where((error >= -1e-9) & (error < np.inf), np.maximum(error, _EXACT), np.nan)
        return np.minimum(drawn, ceiling(view))


def _methods(scores: Sequence[ListedScore], places: np.ndarray) -> dict[str, str]:
    names = dict.fromkeys(scores[i].listed.method for i in places)
    return {name: SYMBOLS[min(k, len(SYMBOLS) - 1)] for k, name in enumerate(names)}


def _points(
    view: FrontView, places: np.ndarray, method: str, symbol: str, dark: bool, finite: bool
) -> dict[str, Any]:
    theme = THEMES[dark]
    members = view.on_front[places]
    eic = np.array([view.scores[i].score.eic for i in places], dtype=float)
    marker: dict[str, Any] = {
        "symbol": symbol,
        "size": np.where(members, 12 if view.on_front.sum() <= 30 else 10, 7),
        "opacity": np.where(members, 1.0, 0.85),
        "line": {
            "width": np.where(members, 2, 1.2),
            "color": [theme.ink if m else theme.muted for m in members],
        },
    }  # fmt: skip
    if finite:
        marker |= {"color": eic, "colorscale": SCALE[dark], "cmin": LOW, "cmax": HIGH}
    else:
        marker |= {"color": theme.paper}
    return {
        "type": "scatter", "mode": "markers",
        "x": _complexity(view)[places], "y": _upwards(view)[places],
        "marker": marker, "customdata": places, "name": clean(method or "formulas", 30),
        "showlegend": finite, "text": [_hover(view, int(i)) for i in places],
        "hovertemplate": "%{text}<extra></extra>",
        "selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 0.85}},
    }  # fmt: skip


def _hover(view: FrontView, place: int) -> str:
    scored = view.scores[place]
    text = " ".join(clean(scored.listed.formula, 400).split())
    lines = [text[k : k + 60] for k in range(0, min(len(text), 180), 60)]
    shown = "<br>".join(plain_text(line) for line in lines)
    more = "…" if len(text) > 180 else ""
    accuracy = ""
    if view.accuracy is not None:
        accuracy = f"{view.accuracy_name} {view.accuracy[place]:.4g} · "
    member = " · on the front" if view.on_front[place] else ""
    return (
        f"{shown}{more}<br>{accuracy}{scored.score.complexity} nodes · "
        f"EIC {wording.digits_lost(scored.score.eic)}{member}"
    )


def _staircase(view: FrontView, places: np.ndarray, theme: Theme) -> dict[str, Any]:
    """The best that each complexity reaches: the front without regard to EIC."""
    x, y = _complexity(view)[places], _upwards(view)[places]
    best = front(np.column_stack([x, y])) if len(places) else np.zeros(0, dtype=bool)
    order = np.lexsort((y[best], x[best]))
    return {
        "type": "scatter", "mode": "lines", "x": x[best][order], "y": y[best][order],
        "line": {"shape": "hv", "width": 1.5, "color": theme.muted, "dash": "dot"},
        "hoverinfo": "skip", "showlegend": False,
    }  # fmt: skip


def _marks(view: FrontView, places: np.ndarray, theme: Theme) -> dict[str, Any]:
    picked = [i for i in view.picked if i in set(places.tolist())]
    return {
        "type": "scatter", "mode": "markers", "hoverinfo": "skip", "showlegend": False,
        "x": _complexity(view)[picked], "y": _upwards(view)[picked],
        "marker": {"size": 21, "symbol": "circle-open", "color": theme.accent,
                   "line": {"width": 2.5}},
    }  # fmt: skip


def _bar(dark: bool) -> dict[str, Any]:
    """The colour bar, of a trace without points."""
    theme = THEMES[dark]
    return {
        "type": "scatter", "mode": "markers", "x": [None], "y": [None], "hoverinfo": "skip",
        "showlegend": False,
        "marker": {
            "color": [0], "colorscale": SCALE[dark], "cmin": LOW, "cmax": HIGH, "showscale": True,
            "colorbar": {"thickness": 10, "outlinewidth": 0, "len": 0.9, "xpad": 6, "dtick": 2,
                         "tickfont": {"size": 11, "color": theme.muted},
                         "title": {"text": "EIC, digits lost at the worst step", "side": "right",
                                   "font": {"size": 12, "color": theme.muted}}},
        },
    }  # fmt: skip


def _across(view: FrontView, places: np.ndarray) -> dict[str, Any]:
    known = _complexity(view)[places]
    if len(known) and known.max() > 200 * max(1.0, known.min()):
        return {"type": "log", "exponentformat": "power", "dtick": 1}
    return {"type": "linear", "rangemode": "tozero"}


def _up(view: FrontView, places: np.ndarray) -> dict[str, Any]:
    if view.accuracy is None:
        return {"type": "linear", "title": {"text": "EIC", "standoff": 4}, "rangemode": "tozero"}
    known = _upwards(view)[places]
    decades = math.log10(known.max() / known.min()) if len(known) else 0.0
    better = "" if "loss" in view.accuracy_name else "  (lower fits better)"
    return {
        "type": "log", "exponentformat": "power",
        "dtick": max(1, round(decades / 8)) if decades > 2 else "D2",
        "title": {"text": view.accuracy_name + better, "standoff": 4},
    }  # fmt: skip
