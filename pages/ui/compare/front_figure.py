"""The front: every formula by complexity and accuracy, coloured by its EIC."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core import wording
from eic_core.drawing.chart import (
    Chart,
    ChartAxis,
    Label,
    Mark,
    Panel,
    Points,
    Stroke,
    even_ticks,
    log_ticks,
    whole_ticks,
)
from eic_core.drawing.scale import END
from eic_core.pool.front import front
from eic_core.pool.listing import ListedScore
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
    picked: tuple[int, ...] = ()  # Places that are marked, with their rows and their digits


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


def front_figure(view: FrontView) -> Chart:
    """Complexity across, error up (logarithmic), EIC in colours; points carry their places as
    keys.
    """
    places, complexity, upwards = drawn_places(view), _complexity(view), _upwards(view)
    eics = np.array([each.score.eic for each in view.scores], dtype=float)
    marks: list[Mark] = [_staircase(complexity[places], upwards[places])]
    said, labels = [], []
    for i in (i for i in view.picked if i in places):
        text = f"row {view.scores[i].listed.row}: {wording.digits_lost(eics[i])} digits"
        said.append(f"{text}, {wording.significant(complexity[i])} nodes")
        x, y, middle = complexity[i], upwards[i], np.median(complexity[places])
        marks.append(Points([x], [y], "circle-open", 21, colour="accent"))
        look: dict[str, Any] = {"side": "left" if x <= middle else "right", "colour": "accent"}
        labels.append(Label(text, x, y, bold=True, raised=True, **look))
    methods = dict.fromkeys(view.scores[i].listed.method for i in places)
    for k, method in enumerate(methods):
        symbol = SYMBOLS[min(k, len(SYMBOLS) - 1)]
        name = clean(method or "formulas", 30) if len(methods) > 1 else ""
        own = np.array([view.scores[i].listed.method == method for i in places], dtype=bool)
        for member in (False, True):
            for finite in (True, False):
                alike = (view.on_front[places] == member) & (np.isfinite(eics[places]) == finite)
                chosen, size = places[own & alike], 9.0 if member else 7.0
                if not len(chosen):
                    continue
                x, y = complexity[chosen], upwards[chosen]
                marks += [Points(x, y, symbol, size + 4)] if member and finite else []
                marks.append(
                    Points(
                        x,
                        y,
                        symbol if finite else f"{symbol}-open",
                        size,
                        digits=eics[chosen] if finite else None,
                        colour="ink" if member else "muted",
                        name=name,
                        hints=[_hint(view, i) for i in chosen.tolist()],
                        keys=chosen.tolist(),
                    )
                )
                name = ""
    x_axis, y_axis = _across(complexity[places]), _up(view, upwards[places])
    rest = f" {'; '.join(said)}." if said else ""
    words = f"{len(places):,} formulas by complexity and {y_axis.title}, coloured by EIC.{rest}"
    panel = Panel((*marks, *labels), x_axis, y_axis, 360)
    return Chart((panel,), words, scale=f"{_WORST}, digits")


def _complexity(view: FrontView) -> np.ndarray:
    counts = [s.score.complexity for s in view.scores]
    return np.array([math.nan if c is None else c for c in counts], dtype=float)


def ceiling(view: FrontView) -> float:
    """The largest value that is drawn; larger ones lie on the upper edge, for they would flatten
    all others.
    """
    if view.accuracy is None:
        return END
    values = view.accuracy[view.visible]
    finite = values[np.isfinite(values)]
    # An R² below -1 (error 2) explains nothing. A loss has no such scale: it is cut at a hundred
    # times the median, and so are errors that are all above 2.
    usual = 2.0 if "loss" not in view.accuracy_name else -math.inf
    if len(finite) and finite.min() > usual:
        above = finite[finite > 0]
        return 100 * float(np.median(above)) if len(above) else math.inf
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


def _hint(view: FrontView, place: int) -> str:
    scored = view.scores[place]
    facts = [f"{scored.score.complexity} nodes"]
    facts.append(f"{_WORST} {wording.digits_lost(scored.score.eic)} digits")
    if view.accuracy is not None:
        facts.insert(0, f"{view.accuracy_name} {view.accuracy[place]:.4g}")
    facts += ["on the front"] if view.on_front[place] else []
    formula = " ".join(clean(scored.listed.formula, 400).split())
    return f"row {scored.listed.row}\n{formula}\n{' · '.join(facts)}"


def _staircase(x: np.ndarray, y: np.ndarray) -> Stroke:
    """The best error at each complexity: the front without regard to EIC."""
    best = front(np.column_stack([x, y])) if len(x) else np.zeros(0, dtype=bool)
    order = np.lexsort((y[best], x[best]))
    return Stroke(x[best][order], y[best][order], 1.5, "dot", steps=True, colour="muted")


def _across(complexity: np.ndarray) -> ChartAxis:
    title, low, high = "complexity (nodes)", 1.0, 10.0
    if len(complexity):
        low, high = float(complexity.min()), float(complexity.max())
    if high > 200 * max(1.0, low):
        ends = math.log10(max(1.0, low)) - 0.1, math.log10(high) + 0.1
        return ChartAxis(title, (10 ** ends[0], 10 ** ends[1]), log_ticks(*ends), log=True)
    top = 1.05 * high + 0.2
    return ChartAxis(title, (0, top), whole_ticks(top, 12))


def _up(view: FrontView, values: np.ndarray) -> ChartAxis:
    """The vertical axis, its end at the ceiling where points lie on it."""
    limit, cut = ceiling(view), bool(count_on_edge(view))
    if view.accuracy is None:
        top = limit if cut else 1.08 * float(values.max(initial=0.0)) or 1.0
        return ChartAxis(f"{_WORST}, digits", (0, top), even_ticks(0, top, 8))
    title = view.accuracy_name
    title += "" if "loss" in view.accuracy_name else "  (lower fits better)"
    if not len(values):
        return ChartAxis(title, (0.01, 1.26), log_ticks(-2, 0.1), log=True)
    low, high = math.log10(values.min()), math.log10(values.max())
    room = max(0.06 * (high - low), 0.08)
    exact = values.min() <= _EXACT
    ends = low if exact else low - room, math.log10(limit) if cut else high + room
    ticks = log_ticks(*ends)
    if exact:
        ticks = ((_EXACT, "0"), *ticks[1:])
    if cut:
        near = ends[1] - 0.05 * (ends[1] - ends[0])
        ticks = tuple(tick for tick in ticks if math.log10(tick[0]) < near)
        ticks += ((limit, f"> {wording.significant(limit, 6)}"),)
    low, high = (_EXACT if exact else 10 ** ends[0]), (limit if cut else 10 ** ends[1])
    return ChartAxis(title, (low, high), ticks, log=True)
