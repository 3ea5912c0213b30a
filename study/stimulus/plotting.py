"""Plots of a pair, drawn in two sizes, and what its curves do in words."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.drawing.curves import Line, Trace, draw_line, join_points, sample_curve
from study.rating_types import BAND, Axis, BallotFigure, FormulaCard
from study.stimulus.axes import (
    TITLE_PX,
    Frame,
    make_frame,
    make_ticks,
    title_lines,
)
from study.stimulus.behaviour import describe_curve, describe_map
from study.stimulus.maps import LEVELS, Map, colours, draw_maps, level_of, make_map
from study.stimulus.shapes import CARD, PLOT, PlotShape, Size

Values = Callable[[tuple[np.ndarray, ...]], np.ndarray]
"""Of inputs of shape (N,) each the values, shape (N,), nan where there is none."""

_CURVE_HEIGHT: dict[Size, int] = {"narrow": 264, "wide": 320}
_MAP_HEIGHT: dict[Size, int] = {"narrow": 264, "wide": 340}
_SCALE_WIDTH = 300
_CURVE_PAD, _MAP_PAD = 0.02, 0.03  # Shares of the range that the frame goes on beyond the data
_MARGIN = 22  # To the right of curves, for their letters
_LABEL = (14, 16)  # Pixels of a letter: across, up
_MANY_POINTS = 120


@dataclass(frozen=True)
class Plots:
    """Both plots of a pair."""

    narrow: PlotShape
    wide: PlotShape
    scale: str
    lower_behaviour: str
    higher_behaviour: str


def draw_plots(figure: BallotFigure, lower: Values, higher: Values) -> Plots:
    """Both formulas of a pair over its data.

    Parameters
    ----------
    figure
        Axes and data.
    lower
    higher
        Their values; both are treated alike.

    Returns
    -------
    Plots
        One frame with both curves, or a map for each.
    """
    if figure.kind == "curve":
        return _curves(figure, [_sampled(figure, values) for values in (lower, higher)])
    functions = tuple(_shares_of(figure, values) for values in (lower, higher))
    return _maps(figure, draw_maps(functions), _MAP_PAD)


def draw_stored_plots(figure: BallotFigure, lower: FormulaCard, higher: FormulaCard) -> Plots:
    """The same from the points that ballots of before have stored.

    Parameters
    ----------
    figure
        With its grids.
    lower
    higher
        With values on the grids; None is a gap.

    Returns
    -------
    Plots
        Points joined by lines, or a cell for each point.
    """
    up = figure.target
    if figure.kind == "curve":
        across = figure.inputs[0]
        u = (np.array(figure.grids[0]) - across.low) / (across.high - across.low)
        cards = (np.array(card.curve, float) for card in (lower, higher))
        return _curves(figure, [join_points(u, y, up.low, up.high) for y in cards])
    surfaces = [np.array(card.surface, float) for card in (lower, higher)]
    shares = [(surface - up.low) / (up.high - up.low) for surface in surfaces]
    return _maps(figure, [make_map(np.clip(share, 0, 1)) for share in shares], 0.0)


def _sampled(figure: BallotFigure, values: Values) -> Trace:
    across, up = figure.inputs[0], figure.target
    span = across.high - across.low
    largest = max(abs(across.low), abs(across.high))
    finest = 4 * float(np.spacing(largest)) / span
    return sample_curve(lambda u: values((across.low + u * span,)), up.low, up.high, finest)


def _shares_of(
    figure: BallotFigure, values: Values
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    first, second = figure.inputs
    up = figure.target

    def shares(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        heights = values(
            (first.low + x * (first.high - first.low), second.low + y * (second.high - second.low))
        )
        with np.errstate(all="ignore"):
            return (np.asarray(heights, float) - up.low) / (up.high - up.low)

    return shares


def _curves(figure: BallotFigure, traces: Sequence[Trace]) -> Plots:
    across, up = figure.inputs[0], figure.target
    shapes = {}
    for size, width in PLOT.items():
        frame = make_frame(
            width,
            _CURVE_HEIGHT[size],
            across,
            up,
            pad=(_CURVE_PAD, 0.0),
            right=_MARGIN,
            grid=True,
        )
        start = frame.inner_width * _CURVE_PAD / (1 + 2 * _CURVE_PAD)
        inner = frame.inner_width - 2 * start
        lines = [draw_line(trace, start, inner, frame.inner_height) for trace in traces]
        points = _placed(figure, frame, _CURVE_PAD)
        labels = _place_labels(lines, frame, points, figure)
        marks = [
            f"{_inner(frame)}"
            f"{_stroked(line)}</svg>"
            f'<text class="label-{{side}}" x="{x:g}" y="{y:g}" text-anchor="middle" '
            'font-size="16" font-weight="700">{letter}</text>'
            for line, (x, y) in zip(lines, labels, strict=True)
        ]
        # A band would cover the data; a line is thinner than a dot.
        banded = any(line.band for line in lines)
        svg = frame.svg("", _dots(points, "halo")) if banded else frame.svg(_dots(points))
        shapes[size] = PlotShape(svg, marks[0], marks[1], True)
    words = [describe_curve(trace, across, up) for trace in traces]
    return Plots(shapes["narrow"], shapes["wide"], "", words[0], words[1])


def _stroked(line: Line) -> str:
    """A curve; where it goes up and down with no room between it can be looked through."""
    pieces, band = line.paths
    plain = f'<path class="curve-{{side}}" d="{pieces}"/>' if pieces or not band else ""
    pale = f'<path class="curve-{{side}} {BAND}" stroke-opacity=".4" d="{band}"/>' if band else ""
    return plain + pale


def _inner(frame: Frame) -> str:
    """An element that cuts what leaves the frame."""
    return (
        f'<svg x="{frame.left}" y="{frame.top}" width="{frame.inner_width}" '
        f'height="{frame.inner_height}">'
    )


def _placed(figure: BallotFigure, frame: Frame, pad: float) -> np.ndarray:
    """The data in pixels, (N, 2); of the figure's first input, and of the target or second."""
    points = np.array(figure.points, float).reshape(len(figure.points), -1)
    axes = (figure.inputs[0], figure.target if figure.kind == "curve" else figure.inputs[1])
    up_pad = 0.0 if figure.kind == "curve" else pad
    x, y = (
        ((points[:, k] - axis.low) / (axis.high - axis.low) + more) / (1 + 2 * more)
        for k, (axis, more) in enumerate(zip(axes, (pad, up_pad), strict=True))
    )
    return np.stack(
        [frame.left + x * frame.inner_width, frame.top + (1 - y) * frame.inner_height], axis=1
    )


def _dots(points: np.ndarray, ring: str = "") -> str:
    """All dots as one path of strokes without length and with round ends; a ring parts them."""
    size = 7 if len(points) < _MANY_POINTS else 5
    classes = [(ring, size + 3)] * bool(ring) + [("dot", size)]
    strokes = _strokes(points)
    return "".join(
        f'<path class="{c}" stroke-width="{wide}" d="{strokes}"/>' for c, wide in classes
    )


def _strokes(points: np.ndarray) -> str:
    return "".join(f"M{x:g} {y:g}h0" for x, y in np.round(points, 1).tolist())


def _place_labels(
    lines: Sequence[Line], frame: Frame, points: np.ndarray, figure: BallotFigure
) -> list[tuple[float, float]]:
    """The letters' centres below (as SVG wants it): at the ends of both curves where that can be.

    What decides are the curves alone: with both exchanged the places are exchanged.
    """
    # The order of the paths decides where the costs are equal, and not who is of lower EIC.
    order = sorted((0, 1), key=lambda k: lines[k].paths)
    candidates = [_label_places(lines[k], lines[1 - k], frame, points) for k in order]
    ends = [float(line.top[-1] + line.bottom[-1]) if len(line.x) else 0.0 for line in lines]
    below = ends[order[0]] - ends[order[1]]
    best: tuple[float, tuple[float, float], tuple[float, float]] | None = None
    for (cost, x, y), (other_cost, other_x, other_y) in itertools.product(*candidates):
        apart = abs(x - other_x) >= _LABEL[0] + 2 or abs(y - other_y) >= _LABEL[1]
        # Side by side with the ends, letters are in the order of the curves.
        crossed = 0.1 * (x == other_x and (y - other_y) * below < 0)
        total = cost + other_cost + crossed
        if apart and (best is None or total < best[0] - 1e-9):
            best = (total, (x, y), (other_x, other_y))
    assert best is not None  # the last candidates of both are apart
    _, *chosen = best
    places = [chosen[order.index(k)] for k in (0, 1)]
    # Two equal curves: which is the upper letter must not depend on which is which.
    if lines[0].paths == lines[1].paths:
        places.sort()
        seed = hashlib.sha256(repr((figure.points, lines[0].paths[0])).encode()).digest()[0]
        if seed % 2:
            places.reverse()
    return [(round(x, 1), round(y + 5.5, 1)) for x, y in places]


def _label_places(
    line: Line, other: Line, frame: Frame, points: np.ndarray
) -> list[tuple[float, float, float]]:
    """Costs and centres: beside its end, then above or below it, last in a corner."""
    wide, high = _LABEL
    places: list[tuple[float, float, float]] = []
    margin = frame.left + frame.inner_width + 11
    ends = np.flatnonzero(line.x >= (line.x.max() if len(line.x) else 0) - 1)
    if len(line.x) and line.x[-1] >= frame.inner_width * 0.96 - 2:
        top, bottom = float(line.top[ends].min()), float(line.bottom[ends].max())
        middle = (max(top, 0) + min(bottom, frame.inner_height)) / 2
        if 0 <= middle <= frame.inner_height and top <= frame.inner_height and bottom >= 0:
            for shift in (0, -9, 9, -17, 17):
                y = float(np.clip(middle + shift, 6, frame.inner_height - 6))
                places.append((abs(y - middle) / 20, margin, frame.top + y))
    for x in np.linspace(10, frame.inner_width - 10, 40):
        near = (line.x >= x - wide / 2) & (line.x <= x + wide / 2)
        if not near.any():
            continue
        top, bottom = float(line.top[near].min()), float(line.bottom[near].max())
        for y in (top - high / 2 - 3, bottom + high / 2 + 3):
            if not high / 2 <= y <= frame.inner_height - high / 2:
                continue
            beside = (other.x >= x - wide / 2 - 2) & (other.x <= x + wide / 2 + 2)
            above, below = other.top[beside], other.bottom[beside]
            if ((above <= y + high / 2 + 2) & (below >= y - high / 2 - 2)).any():
                continue
            centre = (frame.left + float(x), frame.top + float(y))
            covered = (np.abs(points - centre) < (wide / 2 + 3, high / 2 + 3)).all(axis=1).sum()
            # Away from the other curve: whose letter it is must be plain.
            gap = np.minimum(np.abs(above - y), np.abs(below - y)).min(initial=60.0)
            cost = 1.5 + (frame.inner_width - x) / frame.inner_width + covered / 2
            places.append((cost + max(0.0, 40 - gap) / 20, *centre))
    # Where all is crowded: in the margin, one above the other in the order of the curves.
    mean = float(np.mean(line.top + line.bottom)) if len(line.x) else np.inf
    second = float(np.mean(other.top + other.bottom)) if len(other.x) else np.inf
    places.append((20.0, margin, frame.top + 8 + (18 if mean > second else 0)))
    places.append((21.0, margin, frame.top + 8 + (18 if mean <= second else 0)))
    return places


def _maps(figure: BallotFigure, maps: Sequence[Map], pad: float) -> Plots:
    first, second = figure.inputs
    # A constant input has a range too; stored maps fill theirs to the edge.
    dots_pad = _MAP_PAD
    leaps = any(each.leaps for each in maps)
    shapes = {}
    for size, width in CARD.items():
        frame = make_frame(
            width,
            _MAP_HEIGHT[size],
            first,
            second,
            pad=(dots_pad, dots_pad),
            right=14,
            grid=False,
        )
        share = dots_pad / (1 + 2 * dots_pad)
        x, y = frame.left + share * frame.inner_width, frame.top + share * frame.inner_height
        inner_width = frame.inner_width * (1 - 2 * share)
        inner_height = frame.inner_height * (1 - 2 * share)
        place = f'x="{x:.1f}" y="{y:.1f}" width="{inner_width:.1f}" height="{inner_height:.1f}"'
        rendering = ' image-rendering="pixelated"' if leaps and pad == 0 else ""
        marks = [
            f'<image {place} preserveAspectRatio="none"{rendering} href="{each.uri}"/>'
            for each in maps
        ]
        frame_svg = frame.svg(f'<rect class="blank" {place}/>', _coloured_dots(figure, frame))
        shapes[size] = PlotShape(frame_svg, marks[0], marks[1], False)
    words = [describe_map(each.levels, figure.inputs, figure.target) for each in maps]
    return Plots(shapes["narrow"], shapes["wide"], _scale(figure.target), words[0], words[1])


def _coloured_dots(figure: BallotFigure, frame: Frame) -> str:
    """The data in the colours of the scale, on a ring that parts it from the map."""
    points, up = _placed(figure, frame, _MAP_PAD), figure.target
    size = 8 if len(points) < _MANY_POINTS else 6
    values = np.array([point[-1] for point in figure.points], float)
    levels = level_of((values - up.low) / (up.high - up.low)) // 2 * 2
    ring = f'<path class="ring" stroke-width="{size + 3}" d="{_strokes(points)}"/>'
    palette = colours()
    paths = "".join(
        f'<path stroke="{palette[level]}" d="{_strokes(points[levels == level])}"/>'
        for level in np.unique(levels).tolist()
    )
    return f'{ring}<g class="data" stroke-width="{size}">{paths}</g>'


def _scale(up: Axis) -> str:
    """The colours as a bar with ticks."""
    ticks = make_ticks(up.low, up.high, 4)
    lines = title_lines(up, ticks, _SCALE_WIDTH - 8)
    top, left, length = 10 + 18 * len(lines), 24, _SCALE_WIDTH - 48
    width = length / LEVELS
    bar = "".join(
        f'<rect x="{left + k * width:.2f}" y="{top}" width="{width + 0.4:.2f}" height="12" '
        f'fill="{colour}"/>'
        for k, colour in enumerate(colours())
    )
    marks, texts = [], []
    for value, label in zip(ticks.values, ticks.labels, strict=True):
        x = left + (value - up.low) / (up.high - up.low) * length
        marks.append(f"M{x:.1f} {top + 12}v5")
        texts.append(f'<text x="{x:.1f}" y="{top + 31}" text-anchor="middle">{label}</text>')
    titles = "".join(
        f'<text x="{left}" y="{15 + 18 * k}">{line}</text>' for k, line in enumerate(lines)
    )
    height = top + 36
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="{_SCALE_WIDTH}" '
        f'height="{height}" viewBox="0 0 {_SCALE_WIDTH} {height}" font-size="13" '
        f'aria-hidden="true">{bar}<path class="axis" d="{"".join(marks)}"/>'
        f'<g class="tick">{"".join(texts)}</g>'
        f'<g class="title" font-size="{TITLE_PX}">{titles}</g></svg>'
    )
