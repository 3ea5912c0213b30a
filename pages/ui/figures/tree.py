"""The formula's tree in Plotly, and the ruler of digits above it."""

from __future__ import annotations

import hashlib
import html
import math
import textwrap
from typing import Any

import plotly.graph_objects as go

from eic_core import wording
from eic_core.drawing.layout import (
    SHADOW,
    TAG_GAP,
    TAG_SIZE,
    WIDTH,
    Card,
    Edge,
    Scene,
    bound_text,
    compose,
    tag_side,
)
from eic_core.drawing.scale import (
    FILTER,
    HIGH,
    LOW,
    SCALE,
    SCALE_TITLES,
    THEMES,
    TYPICAL_LAW,
    Theme,
)
from eic_core.measure import Inspection
from pages.ui.figures.plotting import (
    base_layout,
    build,
    hidden_axis,
    not_checked,
    without_value,
)


def ruler_figure(
    eic: float,
    eic_finite: float,
    dark: bool = False,
    narrow: bool = False,
    result: float = math.nan,
) -> go.Figure:
    """A slim scale with two reference lines and this formula's marks, in digits."""
    theme = THEMES[dark]
    shapes, notes = _scale_parts(theme)
    data = [_colour_strip(dark)]
    marks = [("EIC", eic, True)]
    if math.isinf(eic):
        # Without singular samples a finite mark remains.
        marks.append(("EIC, finite", eic_finite, False))
    apart = min(marks[-1][1], HIGH) - result >= (2 if narrow else 1)  # so that the words fit
    if apart or (math.isinf(marks[-1][1]) and math.isfinite(result)):
        marks.append(("result", result, False))
    for name, value, main in marks:
        if math.isnan(value) or (not main and math.isinf(value)):
            continue
        data.append(_scale_mark(name, value, main, theme))
        if math.isfinite(value):
            notes.append(_mark_name(name, value, main, theme))
    if len(data) == 1:
        notes.append(
            {
                "x": LOW,
                "y": 1.2,
                "text": "undefined: no mark",
                "showarrow": False,
                "xanchor": "left",
                "yanchor": "bottom",
                "font": {"size": 13, "color": theme.muted},
            }
        )
    layout = base_layout(dark) | {
        "height": 96,
        "margin": {"l": 8, "r": 8, "t": 4, "b": 4},
        "xaxis": hidden_axis([-0.15, HIGH + 0.95]),
        "yaxis": hidden_axis([-2.3, 2.9]),
        "shapes": shapes,
        "annotations": notes,
    }
    return build(data, layout)


def _scale_parts(theme: Theme) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Frames and reference lines of the scale, and its texts."""
    shapes: list[dict[str, Any]] = [
        {
            "type": "rect",
            "x0": LOW,
            "x1": HIGH,
            "y0": 0,
            "y1": 1,
            "line": {"width": 1, "color": theme.faint},
        },
        {
            "type": "rect",
            "x0": HIGH + 0.2,
            "x1": HIGH + 0.8,
            "y0": 0,
            "y1": 1,
            "line": {"width": 1.2, "color": theme.ink, "dash": "3px,2px"},
        },
    ]
    notes: list[dict[str, Any]] = []
    for place, text in ((TYPICAL_LAW, "typical<br>law"), (FILTER, "paper’s<br>filter")):
        side = "left" if place == FILTER else "right"
        shapes.append(
            {
                "type": "line",
                "x0": place,
                "x1": place,
                "y0": -0.35,
                "y1": 1,
                "line": {"width": 1.5, "color": theme.ink},
            }
        )
        notes.append(
            _below_scale(place, f"{place:g} {text}", theme)
            | {"xanchor": side, "align": side, "xshift": -6 if place == FILTER else 6}
        )
    notes += [_below_scale(tick, str(tick), theme) for tick in (4, 6, 8)]
    infinity = {"x": HIGH + 0.5, "y": 0.5, "text": "∞", "showarrow": False}
    return shapes, [*notes, infinity | {"font": {"size": 14, "color": theme.ink}}]


def _below_scale(place: float, text: str, theme: Theme) -> dict[str, Any]:
    return {
        "x": place,
        "y": -0.35,
        "text": text,
        "showarrow": False,
        "yanchor": "top",
        "font": {"size": 12, "color": theme.muted},
    }


def _colour_strip(dark: bool, cells: int = 128) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "x0": (HIGH - LOW) / cells / 2,
        "dx": (HIGH - LOW) / cells,
        "y": [0, 1],
        "z": [[HIGH * (i + 0.5) / cells for i in range(cells)]],
        "zmin": LOW,
        "zmax": HIGH,
        "colorscale": SCALE[dark],
        "showscale": False,
        "hoverinfo": "skip",
    }


def _on_scale(value: float) -> float:
    """The place of a value: infinite ones in their own field, others within the scale."""
    return HIGH + 0.5 if math.isinf(value) else min(max(value, LOW), HIGH)


def _scale_mark(name: str, value: float, main: bool, theme: Theme) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [_on_scale(value)],
        "y": [1.28],
        "mode": "markers",
        "showlegend": False,
        "marker": {
            "symbol": "triangle-down" if main else "triangle-down-open",
            "size": 13,
            "color": theme.ink,
            "line": {"width": 1.5, "color": theme.ink},
        },
        "hovertemplate": f"{name} {wording.digits_lost(value)}<extra></extra>",
        "cliponaxis": False,
    }


def _mark_name(name: str, value: float, main: bool, theme: Theme) -> dict[str, Any]:
    place = _on_scale(value)
    return {
        "x": place,
        "y": 1.5,
        "text": f"{name} <b>{wording.digits_lost(value)}{' ▸' if value > HIGH else ''}</b>",
        "showarrow": False,
        "yanchor": "bottom",
        "xanchor": "left" if place < 1 else "right" if place > HIGH - 1 else "center",
        "font": {"size": 14, "color": theme.ink if main else theme.muted},
    }


__all__ = ["tree_figure"]


def tree_figure(
    inspection: Inspection,
    *,
    selected: int | None = None,
    unfolded: frozenset[int] = frozenset(),
    dark: bool = False,
    narrow: bool = False,
    width: float | None = None,
    height: float | None = None,
) -> go.Figure:
    """The tree, coloured by each node's local EIC; `customdata` of a marker is its node.

    `selected` is ringed, `unfolded` nodes are open; `width` and `height` are the room in pixels.
    """
    theme = THEMES[dark]
    scene = compose(
        inspection,
        selected=selected,
        unfolded=unfolded,
        dark=dark,
        narrow=narrow,
        width=width,
        height=None if height is None else height - MARGINS["t"] - MARGINS["b"],
    )
    room = width or WIDTH[narrow]
    spare = max(0.0, (room - scene.width) / 2)
    shapes: list[dict[str, Any]] = [_edge_shape(e, theme.muted) for e in scene.edges]
    notes: list[dict[str, Any]] = []
    for card in scene.cards:
        shapes += _card_shapes(card, 0.0 if scene.flat else LIFT, theme.ink, theme.accent)
        if card.tag:
            notes.append(_tag(card, scene, spare, dark))
    bar = min(BAR, room - BAR_MARGIN)
    data = _text_traces(scene) + [_hit_trace(inspection, scene), _scale_trace(dark, bar)]
    layout = base_layout(dark) | {
        "height": round(scene.height + MARGINS["t"] + MARGINS["b"]),
        "margin": MARGINS,
        "xaxis": _pannable(_window(scene, room, narrow=narrow)),
        "yaxis": _pannable([scene.height + 4, -4.0]),
        "shapes": shapes,
        "annotations": notes,
        "hovermode": "closest",
        "hoverdistance": 45,
        "clickmode": "event+select",
        "uirevision": _revision(inspection, narrow),
        "selectionrevision": _revision(inspection, narrow),
    }
    return build(data, layout)


MARGINS = {"l": 4, "r": 4, "t": 8, "b": 52}
"""Room for Plotly's buttons above and the colour bar below, in pixels."""


def _pannable(limits: list[float]) -> dict[str, Any]:
    return hidden_axis(limits) | {"fixedrange": False}


BAR, BAR_MARGIN = 330.0, 60.0
"""Length of the colour bar and least room beside it, in pixels: a longer one makes Plotly squeeze
the tree."""

SPREAD = {False: 0.85, True: 0.5}
"""Share of the figure, by `narrow`, over which a small tree is spread at least: cards keep their
size, and must not touch where the figure turns out narrower than expected."""


def _window(scene: Scene, room: float, *, narrow: bool) -> list[float]:
    """The part of the x axis in view at first: everything, or the surroundings of the focus."""
    margin = 8.0
    if scene.width <= room:
        filled = max(scene.width, min(SPREAD[narrow] * room, WIDTH[True]))
        spare = (filled - scene.width) / 2
        return [-spare - margin, scene.width + spare + margin]
    left = min(max(scene.focus - room / 2, 0.0), scene.width - room)
    return [left - margin, left + room + margin]


def _revision(inspection: Inspection, narrow: bool) -> str:
    key = f"{inspection.formula.source}|{len(inspection.nodes)}|{narrow}"
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:16]


def _edge_shape(edge: Edge, colour: str) -> dict[str, Any]:
    middle = (edge.y0 + edge.y1) / 2
    return {
        "type": "path",
        "path": f"M {edge.x0:.1f},{edge.y0:.1f} C {edge.x0:.1f},{middle:.1f} "
        f"{edge.x1:.1f},{middle:.1f} {edge.x1:.1f},{edge.y1:.1f}",
        "line": {"width": round(edge.width, 2), "color": colour},
        "opacity": 0.55,
        "layer": "below",
    }


def _card_shapes(card: Card, lift: float, ink: str, accent: str) -> list[dict[str, Any]]:
    paint = card.paint
    shapes: list[dict[str, Any]] = []
    if card.folded:  # a second card behind says that there is more
        shapes.append(
            _rounded(card, 0, {"width": 1, "color": paint.outline}, paint.fill, lift, SHADOW)
        )
    if card.tag:
        line = {"width": 3, "color": ink, "dash": DASHES[paint.dash]}
    elif paint.dash == "solid":
        line = {"width": 1, "color": paint.outline}
    else:
        line = {"width": 1.8, "color": paint.outline, "dash": DASHES[paint.dash]}
    shapes.append(_rounded(card, 0, line, paint.fill, lift))
    if paint.hatched:
        shapes.append(_hatching(card, ink, lift))
    if card.selected:
        shapes.append(_rounded(card, 5, {"width": 3, "color": accent}, "rgba(0,0,0,0)", lift))
    return shapes


LIFT = 2.5
"""Pixels that a card stands higher than its text's anchor: Plotly sets two lines too high."""


def _anchored(card: Card, path: str) -> dict[str, Any]:
    return {
        "type": "path",
        "path": path,
        "xsizemode": "pixel",
        "ysizemode": "pixel",
        "xanchor": round(card.x, 2),
        "yanchor": round(card.y, 2),
        "layer": "below",
    }


def _rounded(
    card: Card, grow: float, line: dict[str, Any], fill: str, lift: float, shift: float = 0.0
) -> dict[str, Any]:
    """A card's outline; pixel sizes, so that zooming spreads cards but keeps them readable."""
    a, b = card.width / 2 + grow, card.height / 2 + grow
    r = min(9.0 + grow, b)
    left, right = shift - a, shift + a
    low, high = lift - shift - b, lift - shift + b
    path = (
        f"M {left + r:.1f},{low:.1f} H {right - r:.1f} "
        f"Q {right:.1f},{low:.1f} {right:.1f},{low + r:.1f} V {high - r:.1f} "
        f"Q {right:.1f},{high:.1f} {right - r:.1f},{high:.1f} H {left + r:.1f} "
        f"Q {left:.1f},{high:.1f} {left:.1f},{high - r:.1f} V {low + r:.1f} "
        f"Q {left:.1f},{low:.1f} {left + r:.1f},{low:.1f} Z"
    )
    return _anchored(card, path) | {"line": line, "fillcolor": fill}


def _hatching(card: Card, ink: str, lift: float) -> dict[str, Any]:
    strokes = hatch(card)
    path = " ".join(
        f"M {x0:.1f},{y0 + lift:.1f} L {x1:.1f},{y1 + lift:.1f}" for x0, y0, x1, y1 in strokes
    )
    return _anchored(card, path) | {"line": {"width": 1, "color": ink}, "opacity": 0.22}


def hatch(card: Card, step: float = 7.0) -> list[tuple[float, float, float, float]]:
    """Diagonal strokes inside a card, relative to its centre: the mark of an infinite value."""
    a, b = card.width / 2 - 2, card.height / 2 - 2
    strokes = []
    offset = -(a + b) + step
    while offset < a + b:
        x0, x1 = max(-a, offset - b), min(a, offset + b)
        strokes.append((x0, x0 - offset, x1, x1 - offset))
        offset += step
    return strokes


def _tag(card: Card, scene: Scene, spare: float, dark: bool) -> dict[str, Any]:
    theme, side = THEMES[dark], tag_side(card, scene, spare)
    beside = card.width / 2 + TAG_GAP
    places: dict[str, dict[str, Any]] = {
        "above": {"yshift": card.height / 2 + (12 if card.selected else 9)},
        "right": {"xanchor": "left", "xshift": beside},
        "left": {"xanchor": "right", "xshift": -beside},
    }
    return places[side] | {
        "x": card.x,
        "y": card.y,
        "text": f"<b>{card.tag}</b>",
        "showarrow": False,
        "borderpad": 1,
        "bgcolor": theme.ink,
        "font": {"size": round(TAG_SIZE * scene.scale), "color": theme.paper},
    }


def _text_traces(scene: Scene) -> list[dict[str, Any]]:
    """One text trace for each ink, so that a click never dims the text."""
    traces = []
    for ink in sorted({card.paint.ink for card in scene.cards}):
        cards = [card for card in scene.cards if card.paint.ink == ink]
        small = round(12 * scene.scale, 1)
        fixed = {"textfont": {"color": ink}}
        traces.append(
            {
                "type": "scatter",
                "mode": "text",
                "hoverinfo": "skip",
                "cliponaxis": False,
                "x": [round(card.x, 2) for card in cards],
                "y": [round(card.y, 2) for card in cards],
                "text": [
                    f"<b>{html.escape(card.title)}</b>{'  ' if scene.flat else '<br>'}"
                    f'<span style="font-size:{small}px">{html.escape(card.value)}</span>'
                    for card in cards
                ],
                "textfont": {"size": round(15 * scene.scale, 1), "color": ink},
                "selected": fixed,
                "unselected": fixed,
            }
        )
    return traces


def _hit_trace(inspection: Inspection, scene: Scene) -> dict[str, Any]:
    """Transparent markers that take hovers and clicks; wide cards have three."""
    unseen = {"marker": {"opacity": 0}}
    size = HIT * scene.scale
    places: list[tuple[float, float, int, str]] = []
    for card in scene.cards:
        text = hover_text(inspection, card, scene)
        reach = (card.width - size) / 2
        offsets = (0.0, -reach, reach) if reach > size / 3 else (0.0,)
        places += [(card.x + offset, card.y, card.node_id, text) for offset in offsets]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "nodes",
        "cliponaxis": False,
        "x": [round(x, 2) for x, _, _, _ in places],
        "y": [round(y, 2) for _, y, _, _ in places],
        "customdata": [node_id for _, _, node_id, _ in places],
        "marker": {"size": round(size), "opacity": 0},
        "selected": unseen,
        "unselected": unseen,
        "hovertext": [text for _, _, _, text in places],
        "hoverinfo": "text",
    }


DASHES = {"solid": "solid", "dash": "4px,3px", "dot": "2px,3px"}
"""Short strokes, for the outline of a small card."""

HIT = 44
"""Diameter of the clickable area in pixels, a finger's width."""


def hover_text(inspection: Inspection, card: Card, scene: Scene) -> str:
    """A node's hover text, as Plotly's markup."""
    n = inspection.nodes[card.node_id]
    inside = html.escape(bound_text(card.loss))
    skipped = scene.tree.skipped.get(card.node_id)
    if skipped:
        return (
            f"<b>{len(skipped)} operators on the way down</b><br>"
            f"{card.folded + 1} nodes in all, local EIC {inside} "
            "digits at the worst of them<br>click to open the next ones"
        )
    expression = "<br>".join(html.escape(t) for t in textwrap.wrap(wording.shorten(n.text, 84), 44))
    lines = [f"<b>{expression}</b>", *_loss_lines(inspection, card.node_id)]
    lines += [_shares(inspection, card.node_id)] if n.node.children else []
    if 0 < n.evaluated < inspection.counts.valid:
        samples = wording.count(n.evaluated, "sample takes", "samples take")
        lines.append(f"in a branch that {samples}")
    for number, one, many, what in (
        (without_value(inspection, card.node_id), "has", "have", "no real value here"),
        (not_checked(inspection, card.node_id), "was", "were", "not checked here"),
        (n.singular, "is", "are", "singular here"),
    ):
        if number:
            lines.append(f"{wording.count(number, f'sample {one}', f'samples {many}')} {what}")
    if card.folded:
        lines.append(
            f"folded: {card.folded} more nodes, local EIC {inside} inside; click to unfold"
        )
    return "<br>".join(line for line in lines if line)


def _loss_lines(inspection: Inspection, node_id: int) -> list[str]:
    n = inspection.nodes[node_id]
    if n.evaluated == 0 and inspection.counts.valid:
        return ["in a branch that no sample takes"]
    if math.isnan(n.local_eic):
        return ["local EIC of this step: undefined"]
    if math.isfinite(n.local_eic):
        return [f"local EIC of this step: {n.local_eic:.2f} digits"]
    rest = wording.digits_lost(n.local_eic_finite)
    finite = [] if math.isnan(n.local_eic_finite) else [f"without singular samples: {rest} digits"]
    return ["local EIC of this step: every digit (∞)", *finite]


def _shares(inspection: Inspection, node_id: int) -> str:
    n = inspection.nodes[node_id]
    if not n.edge_shares or any(math.isnan(s) for s in n.edge_shares):
        return ""
    parts = [
        f"{wording.percent(share)} from "
        f"{html.escape(wording.shorten(inspection.nodes[child].text, 22))}"
        for share, child in zip(n.edge_shares, n.node.children, strict=True)
    ]
    own = max(0.0, 1 - sum(n.edge_shares))
    listed = parts[:4] + (["…"] if len(parts) > 4 else [])
    listed.append(f"{wording.percent(own)} from its own rounding")
    return "its noise:<br>" + "<br>".join("   " + text for text in listed)


def _scale_trace(dark: bool, length: float) -> dict[str, Any]:
    """Draws nothing but the colour bar, below the tree."""
    theme = THEMES[dark]
    bar: dict[str, Any] = {
        "title": {"text": SCALE_TITLES["eic"], "font": {"size": 13}, "side": "top"},
        "tickvals": list(range(9)),
        "ticktext": [str(i) for i in range(9)],
        "tickfont": {"size": 12},
        "thickness": 12,
        "outlinewidth": 0,
        "ticks": "outside",
        "ticklen": 3,
        "tickcolor": theme.muted,
        "orientation": "h",
        "x": 0.5,
        "xanchor": "center",
        "y": 0,
        "yanchor": "top",
        "lenmode": "pixels",
        "len": length,
        "ypad": 6,
    }
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [None],
        "y": [None],
        "hoverinfo": "skip",
        "marker": {
            "color": [LOW],
            "cmin": LOW,
            "cmax": HIGH,
            "colorscale": SCALE[dark],
            "showscale": True,
            "colorbar": bar,
        },
    }
