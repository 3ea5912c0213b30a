"""The front: every formula by complexity and accuracy, coloured by its EIC."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.scale import END, GAUGE, HIGH, LOW, THEMES, Theme
from eic_core.pool.front import front
from eic_core.pool.listing import ListedScore
from pages.ui.compare.pair_figure import MODEBAR
from pages.ui.figures.plotting import axis_style, base_layout, build, legend_above, plain_text
from pages.ui.kit.text import clean

# Most formulas that are drawn; members of the front always are.
MOST_POINTS = 4_000

# A symbol for each method; further methods share the last.
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")

# EIC, by its name on every page.
_WORST = "worst step (EIC)"

# Where an error of 0 is drawn on a logarithmic axis.
_EXACT = 1e-17


@dataclass(frozen=True)
class FrontView:
    scores: Sequence[ListedScore]
    visible: np.ndarray  # Places of the scores that are drawn
    on_front: np.ndarray  # shape (N,): Whether each score is on the front
    accuracy: np.ndarray | None  # shape (N,): Errors; None draws EIC upwards instead
    accuracy_name: str = ""
    picked: tuple[int, ...] = ()  # Places that are marked, with the numbers of their rows


def drawn_places(view: FrontView) -> np.ndarray:
    """The places that are drawn: all of the front, the rest thinned evenly to `MOST_POINTS`."""
    upwards = _upwards(view)
    complexity = _complexity(view)
    drawable = view.visible[~np.isnan(upwards[view.visible]) & ~np.isnan(complexity[view.visible])]
    members = drawable[view.on_front[drawable]][:MOST_POINTS]
    rest = drawable[~view.on_front[drawable]]
    room = MOST_POINTS - len(members)
    if len(rest) > room:
        rest = rest[np.linspace(0, len(rest) - 1, room).astype(int)] if room else rest[:0]
    return np.union1d(np.union1d(members, rest), np.intersect1d(drawable, view.picked)).astype(int)


def front_figure(view: FrontView, *, dark: bool = False, narrow: bool = False) -> go.Figure:
    """Complexity across, error up (logarithmic); points carry their place in ``customdata``."""
    theme = THEMES[dark]
    places = drawn_places(view)
    methods = _methods(view.scores, places)
    data: list[dict[str, Any]] = [_staircase(view, places, theme)]
    for method, symbol in methods.items():
        own = np.array([i for i in places if view.scores[i].listed.method == method], dtype=int)
        for finite in (True, False):
            chosen = np.isfinite([view.scores[i].score.eic for i in own]) == finite
            if len(own[chosen]):
                data.append(_points(view, own[chosen], method, symbol, dark, finite))
    data += [_marks(view, places, theme), _bar(dark)]
    layout = base_layout(dark) | {
        "height": 400 if narrow else 430,
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
    }
    return build(data, layout)


def _complexity(view: FrontView) -> np.ndarray:
    counts = [s.score.complexity for s in view.scores]
    return np.array([math.nan if c is None else c for c in counts], dtype=float)


def ceiling(view: FrontView) -> float:
    """The largest value that is drawn; larger ones lie on the upper edge, for they would flatten
    all others.
    """
    values = _measured(view)[view.visible]
    finite = values[np.isfinite(values)]
    if view.accuracy is None:
        usual, share = HIGH * 1.5, 1.5
    else:
        # An R² below -1 (error 2) explains nothing. A loss has no such scale: it is cut at a
        # hundred times the median, and so are errors that are all above 2.
        usual, share = (2.0 if "loss" not in view.accuracy_name else -math.inf), 100.0
    if len(finite) and finite.min() > usual:
        above = finite[finite > 0]
        return share * float(np.median(above)) if len(above) else math.inf
    return usual if usual > 0 else math.inf


def count_on_edge(view: FrontView) -> int:
    values = _measured(view)[drawn_places(view)]
    return int(np.count_nonzero(values > ceiling(view)))


def edge_note(view: FrontView) -> str:
    """How many formulas lie on an edge instead of at their number; "" if none does."""
    places, notes = drawn_places(view), []
    above, limit = count_on_edge(view), ceiling(view)
    if above and view.accuracy is None:
        notes.append(
            f"{above:,} with an EIC of more than {limit:.3g} digits "
            f"{'are' if above > 1 else 'is'} drawn on the upper edge"
        )
    elif above:
        what = f"a loss above {limit:.3g}"
        if "loss" not in view.accuracy_name:
            what = f"an R² below {1 - limit:.3g}".replace("-", "−")
        notes.append(
            f"{above:,} with {what} {'are' if above > 1 else 'is'} drawn on the upper edge"
        )
    below = 0 if view.accuracy is None else int(np.count_nonzero(_measured(view)[places] < _EXACT))
    if below:
        notes.append(
            f"{below:,} without any error {'are' if below > 1 else 'is'} drawn on the lower edge"
        )
    return f"{'; '.join(notes)}." if notes else ""


def _measured(view: FrontView) -> np.ndarray:
    """The values upwards, before anything is cut."""
    if view.accuracy is not None:
        return view.accuracy
    return np.array([s.score.eic for s in view.scores], dtype=float)


def _upwards(view: FrontView) -> np.ndarray:
    """The values upwards as drawn; nan where there is nothing to draw."""
    values = _measured(view)
    if view.accuracy is None:
        return np.minimum(values, ceiling(view))
    with np.errstate(invalid="ignore"):
        # An exact fit may have an error of -1e-16; a logarithmic axis has no 0.
        drawn = np.where((values >= -1e-9) & (values < np.inf), np.maximum(values, _EXACT), np.nan)
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
    }
    if finite:
        marker |= {"color": eic, "colorscale": GAUGE[dark], "cmin": LOW, "cmax": END}
    else:
        marker |= {"color": theme.paper}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": _complexity(view)[places],
        "y": _upwards(view)[places],
        "cliponaxis": False,
        "marker": marker,
        "customdata": places,
        "name": clean(method or "formulas", 30),
        "showlegend": finite,
        "text": [_hover(view, int(i)) for i in places],
        "hovertemplate": "%{text}<extra></extra>",
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0.85}},
    }


def _hover(view: FrontView, place: int) -> str:
    scored = view.scores[place]
    text = " ".join(clean(scored.listed.formula, 400).split())
    lines = [text[k : k + 60] for k in range(0, min(len(text), 180), 60)]
    formula = "<br>".join(plain_text(line) for line in lines)
    more = "…" if len(text) > 180 else ""
    accuracy = ""
    if view.accuracy is not None:
        accuracy = f"{view.accuracy_name} {view.accuracy[place]:.4g} · "
    member = " · on the front" if view.on_front[place] else ""
    return (
        f"<b>row {scored.listed.row}</b> {formula}{more}<br>{accuracy}{scored.score.complexity} "
        "nodes · "
        f"{_WORST} {wording.digits_lost(scored.score.eic)} digits{member}"
    )


def _staircase(view: FrontView, places: np.ndarray, theme: Theme) -> dict[str, Any]:
    """The best error at each complexity: the front without regard to EIC."""
    x, y = _complexity(view)[places], _upwards(view)[places]
    best = front(np.column_stack([x, y])) if len(places) else np.zeros(0, dtype=bool)
    order = np.lexsort((y[best], x[best]))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x[best][order],
        "y": y[best][order],
        "line": {"shape": "hv", "width": 1.5, "color": theme.muted, "dash": "dot"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _marks(view: FrontView, places: np.ndarray, theme: Theme) -> dict[str, Any]:
    picked = [i for i in view.picked if i in set(places.tolist())]
    return {
        "type": "scatter",
        "mode": "markers+text",
        "hoverinfo": "skip",
        "showlegend": False,
        "cliponaxis": False,
        "x": _complexity(view)[picked],
        "y": _upwards(view)[picked],
        "text": [f"<b>{view.scores[i].listed.row}</b>" for i in picked],
        "textposition": "middle right",
        "textfont": {"size": 13, "color": theme.accent},
        "marker": {
            "size": 21,
            "symbol": "circle-open",
            "color": theme.accent,
            "line": {"width": 2.5},
        },
    }


def _bar(dark: bool) -> dict[str, Any]:
    """The colour bar, of a trace without points."""
    theme = THEMES[dark]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [None],
        "y": [None],
        "hoverinfo": "skip",
        "showlegend": False,
        "marker": {
            "color": [0],
            "colorscale": GAUGE[dark],
            "cmin": LOW,
            "cmax": END,
            "showscale": True,
            "colorbar": {
                "thickness": 10,
                "outlinewidth": 0,
                "len": 0.9,
                "xpad": 6,
                "dtick": 4,
                "tickfont": {"size": 11, "color": theme.muted},
                "title": {
                    "text": f"{_WORST}, digits",
                    "side": "right",
                    "font": {"size": 12, "color": theme.muted},
                },
            },
        },
    }


def _across(view: FrontView, places: np.ndarray) -> dict[str, Any]:
    complexity = _complexity(view)[places]
    if len(complexity) and complexity.max() > 200 * max(1.0, complexity.min()):
        return {"type": "log", "exponentformat": "power", "dtick": 1}
    few = {"dtick": 1} if len(complexity) and complexity.max() <= _FEW_NODES else {}
    return {"type": "linear", "rangemode": "tozero", **few}


# Up to so many nodes the ticks are set by hand: Plotly would put some at halves.
_FEW_NODES = 12


def _up(view: FrontView, places: np.ndarray) -> dict[str, Any]:
    """The vertical axis, its end at the ceiling where points lie on it."""
    values, limit = _upwards(view)[places], ceiling(view)
    cut = bool(count_on_edge(view))
    if view.accuracy is None:
        top = limit if cut else 1.08 * float(values.max(initial=0.0)) or 1.0
        return {
            "type": "linear",
            "title": {"text": f"{_WORST}, digits", "standoff": 4},
            "range": [0, top],
        }
    better = "" if "loss" in view.accuracy_name else "  (lower fits better)"
    axis = {"type": "log", "title": {"text": view.accuracy_name + better, "standoff": 4}}
    if not len(values):
        return axis | {"range": [-2, 0.1], "dtick": 1, "exponentformat": "power"}
    low, high = math.log10(values.min()), math.log10(values.max())
    room = max(0.06 * (high - low), 0.08)
    exact = values.min() <= _EXACT
    ends = low if exact else low - room, math.log10(limit) if cut else high + room
    ticks = log_ticks(*ends)
    if cut:
        ticks = [t for t in ticks if math.log10(t) < ends[1] - 0.05 * (ends[1] - ends[0])]
    texts = [_tick_text(tick) for tick in ticks]
    if exact:
        ticks, texts = [_EXACT, *ticks[1:]], ["0", *texts[1:]]
    if cut:
        ticks, texts = [*ticks, limit], [*texts, f"> {_tick_text(limit)}"]
    return axis | {"range": list(ends), "tickmode": "array", "tickvals": ticks, "ticktext": texts}


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks between the exponents `low` and `high`: powers of ten, else 1-2-5, else even steps.

    >>> log_ticks(-3.1, 0.3), log_ticks(-0.4, 0.8), log_ticks(-0.02, 0.04)
    ([0.001, 0.01, 0.1, 1.0], [0.5, 1.0, 2.0, 5.0], [0.96, 0.98, 1.0, 1.02, 1.04, 1.06, 1.08])
    """
    if high - low > _DECADES:
        every = math.ceil((high - low) / 8)
        return [float(f"1e{k}") for k in range(math.ceil(low), math.floor(high) + 1, every)]
    least, most = 10.0**low, 10.0**high
    if high - low > 0.8:
        exponents = range(math.floor(low), math.floor(high) + 1)
        ladder = [float(f"{m}e{k}") for k in exponents for m in (1, 2, 5)]
        return [value for value in ladder if least <= value <= most]
    rough = (most - least) / 10
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    first, last = math.ceil(least / step), math.floor(most / step)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


# Beyond so many powers of ten the ticks are powers alone.
_DECADES = 2.5


def _tick_text(value: float) -> str:
    """A number beside an axis, 0.02 as it is and 2·10⁻⁵ as a power.

    >>> _tick_text(0.02), _tick_text(1e-5), _tick_text(20000.0)
    ('0.02', '10<sup>−5</sup>', '2·10<sup>4</sup>')
    """
    if 1e-3 <= value < 1e4:
        return f"{value:.6g}"
    head, _, exponent = f"{value:.5e}".partition("e")
    head = f"{float(head):g}"
    power = f"10<sup>{int(exponent)}</sup>".replace("-", "−")
    return power if head == "1" else f"{head}·{power}"
