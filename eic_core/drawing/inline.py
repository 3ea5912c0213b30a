"""The pen for documents: charts as inline SVG, for any width and for light and dark pages. Lengths
are in per cent, texts in pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from markupsafe import Markup

from eic_core import wording
from eic_core.drawing.chart import (
    SHADES,
    Array,
    Bars,
    Cells,
    Chart,
    ChartAxis,
    Guide,
    Label,
    Mark,
    Numbers,
    Panel,
    Points,
    Stroke,
    shaded,
)
from eic_core.drawing.scale import HIGH, LOW, THEMES, colour
from eic_core.markup import escape

UNITS = 1000
"""Units of the width and the height of a panel, which is stretched to its place."""
LETTERS = 44
"""Characters of a label, for which a phone has room."""
HEAD, FOOT, GAP, LINE = 24, 44, 10, 16
"""Pixels over a panel and under it, per cent between two, and pixels of a line of text."""
SLANT = 8
"""Units across that a line of hatching takes."""
PAPER = f"light-dark({THEMES[False].paper},{THEMES[True].paper})"
EDGE = f"light-dark({THEMES[False].muted},{THEMES[True].muted})"
DASHES = {"solid": "", "dash": "6 4", "dot": "2 3", "dashdot": "8 3 2 3"}
GLYPHS = {
    "diamond": "◆", "triangle-up": "▲", "triangle-down": "▼", "line-ns": "|", "line-ew": "–",
    "x": "×", "cross": "✚", "star": "★",
}  # fmt: skip
"""Points that a stroke without length does not draw."""


def svg_of(chart: Chart) -> Markup:
    """One element, with the words of the chart for those who do not see it."""
    legend = [mark for panel in chart.panels for mark in panel.marks if mark.name]
    keys = (f'<tspan fill="{_ink(mark)}">■</tspan> {escape(mark.name)}\u2003' for mark in legend)
    parts, columns = [f'<text y="14">{"".join(keys)}</text>'], chart.columns
    top = float(HEAD * bool(legend))
    if shaded(chart):
        top += HEAD
        steps = "".join(
            f'<tspan style="fill:light-dark({colour(at)},{colour(at, True)});stroke:{EDGE};'
            f'stroke-width:.8px">■</tspan> {at}\u2002'
            for at in SHADES
        )
        parts.append(f'<text y="{top - 10:.0f}">{escape(chart.scale)}:\u2002{steps}+</text>')
    wide = (100 + GAP) / columns - GAP
    for start in range(0, len(chart.panels), columns):
        row = chart.panels[start : start + columns]
        crowded = any(_captioned(panel) and panel.y.title for panel in row)
        top += LINE * crowded
        for place, panel in enumerate(row):
            same = place > 0 and panel.y == row[place - 1].y
            unnamed = replace(panel, y=replace(panel.y, title="", ticks=()))
            parts += _panel(unnamed if same else panel, place * (wide + GAP), wide, top + HEAD)
        top += row[0].height + HEAD + FOOT
    names = [text for panel in chart.panels for _, text in panel.y.ticks or ()]
    left = 8 + 7 * max((len(wording.shorten(name, LETTERS // 2)) for name in names), default=0)
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="100%" height="{top:.0f}" '
        f'style="padding:0 12px 0 {left}px;box-sizing:border-box;overflow:visible" role="img" '
        f'aria-label="{escape(chart.words)}">\n' + "\n".join(parts) + "\n</svg>"
    )


def _panel(panel: Panel, left: float, wide: float, top: float) -> Iterator[str]:
    panel = replace(panel, marks=tuple(mark for mark in panel.marks if mark.opacity))
    across, up = _Scaling(panel, panel.x, "x"), _Scaling(panel, panel.y, "y")
    yield (
        f'<svg x="{left:.2f}%" y="{top:.0f}" width="{wide:.2f}%" height="{panel.height:.0f}" '
        f'overflow="visible" viewBox="0 0 {UNITS} {UNITS}" preserveAspectRatio="none">'
    )
    for mark in panel.marks:
        yield from _drawn(mark, across, up)
    yield "</svg>"
    foot = top + panel.height

    def text(at: str, y: float, side: str, words: str, look: str = "") -> str:
        anchor = {"left": "start", "center": "middle", "right": "end"}[side]
        return f'<text x="{at}" y="{y:.0f}" text-anchor="{anchor}" {look}>{escape(words)}</text>'

    for at, words in panel.x.ticks or ():
        share = left + wide * float(across([at])[0]) / UNITS
        yield text(f"{share:.2f}%", foot + 16, "center", words, 'class="soft"')
    for at, words in panel.y.ticks or ():
        y = foot - panel.height * float(up([at])[0]) / UNITS + 5
        name = wording.shorten(words, LETTERS // 2)
        yield text(f"{left:.2f}%", y, "right", name + "  ", 'class="soft" dx="-8"')
    yield text(f"{left + wide / 2:.2f}%", foot + 36, "center", panel.x.title, 'class="soft"')
    head = top - 8 - LINE * _captioned(panel)
    yield text(f"{left:.2f}%", head, "left", panel.y.title, 'class="soft"')
    for mark in panel.marks:
        if isinstance(mark, Points) and (glyph := GLYPHS.get(mark.symbol.removesuffix("-open"))):
            xs, ys = left + wide * across(mark.x) / UNITS, foot - panel.height * up(mark.y) / UNITS
            open_mark, size = mark.symbol.endswith("-open"), 1.5 * mark.size
            for ink, rows in _inks(mark, np.isfinite(xs) & np.isfinite(ys)).items():
                beside = " ".join(f"{each:.2f}%" for each in xs[rows])
                above = " ".join(f"{each + 0.36 * size:.1f}" for each in ys[rows])
                plain = PAPER if mark.digits is None else EDGE
                edge = ink if open_mark or mark.crowded else plain
                look = f"fill:{PAPER if open_mark else ink};stroke:{edge};stroke-width:.8px"
                yield (
                    f'<text x="{beside}" y="{above}" text-anchor="middle" style="{look};'
                    f'font-size:{size:g}px;opacity:{mark.opacity:g}">{glyph * len(xs[rows])}</text>'
                )
        if isinstance(mark, Label):
            share = mark.x if "x" in mark.within else float(across([mark.x])[0]) / UNITS
            height = mark.y if "y" in mark.within else float(up([mark.y])[0]) / UNITS
            look = f"fill:{_ink(mark)};stroke:{PAPER};stroke-width:3px;paint-order:stroke"
            look = f'style="{look}{";font-weight:700" if mark.bold else ""}"'
            y = foot - panel.height * height + (-6 if mark.raised else 5)
            words = wording.shorten(mark.text, int(LETTERS * wide / 100))
            shift = {"left": 8, "center": 0, "right": -8}[mark.side] * ("x" not in mark.within)
            look += f' dx="{shift}"'
            yield text(f"{left + wide * share:.2f}%", y, mark.side, words, look)


def _captioned(panel: Panel) -> bool:
    """Whether a text stands where the title of the axis would."""
    labels = (mark for mark in panel.marks if isinstance(mark, Label) and mark.raised)
    return any(mark.within == "xy" and mark.side == "left" for mark in labels)


class _Scaling:
    """From values to units of the panel."""

    def __init__(self, panel: Panel, axis: ChartAxis, along: str) -> None:
        self.log = axis.log
        ends = axis.limits or _reach(panel, along)
        self.low, self.high = self._bent(ends)

    def _bent(self, values: Numbers | tuple[float, float]) -> Array:
        return np.log10(values) if self.log else np.asarray(values, dtype=np.float64)

    def __call__(self, values: Numbers) -> Array:
        return UNITS * (self._bent(values) - self.low) / (self.high - self.low)


def _reach(panel: Panel, along: str) -> tuple[float, float]:
    """Over all points and lines."""
    kinds = Points | Stroke | Cells
    each = [getattr(mark, along) for mark in panel.marks if isinstance(mark, kinds)]
    values = np.concatenate([np.asarray(part, dtype=np.float64) for part in each])
    return float(np.nanmin(values)), float(np.nanmax(values))


def _ink(mark: Mark) -> str:
    light, dark = (getattr(THEMES[night], mark.colour) for night in (False, True))
    return f"light-dark({light},{dark})"


def _inks(mark: Points, usable: Array) -> dict[str, Array]:
    """The colours of the points, and which have each."""
    if mark.digits is None:
        return {_ink(mark): usable}
    shades = np.round(2 * np.clip(np.nan_to_num(mark.digits), LOW, HIGH)) / 2
    return {
        f"light-dark({colour(shade)},{colour(shade, True)})": usable & (shades == shade)
        for shade in np.unique(shades[usable]).tolist()
    }


def _drawn(mark: Mark, across: _Scaling, up: _Scaling) -> Iterator[str]:
    match mark:
        case Points() if mark.symbol.removesuffix("-open") not in GLYPHS:
            x, y = across(mark.x), UNITS - up(mark.y)
            usable = np.isfinite(x) & np.isfinite(y)
            inks = _inks(mark, usable)
            if mark.digits is not None:
                inks = {EDGE: usable} | inks
            if mark.symbol.endswith("-open"):
                inks |= {PAPER: usable}
            cap = "round" if mark.symbol.startswith("circle") else "square"
            for place, (ink, rows) in enumerate(inks.items()):
                dots = "".join(f"M{a:.0f} {b:.0f}h0" for a, b in zip(x[rows], y[rows], strict=True))
                size = mark.size + 1.5 * (len(inks) > 1) - 1.5 * bool(place)
                yield _path(
                    dots,
                    replace(mark, opacity=1) if place else mark,
                    f"stroke:{ink};stroke-width:{size}px;stroke-linecap:{cap}",
                )
        case Stroke():
            x, y = across(mark.x), UNITS - up(mark.y)
            if mark.steps:
                x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
            points = np.column_stack([x, y])
            breaks = np.flatnonzero(np.isnan(points).any(axis=1))
            line = "".join(
                "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in part[~np.isnan(part).any(axis=1)])
                for part in np.split(points, breaks)
                if len(part) > 1
            )
            stroke = f"stroke:{_ink(mark)};stroke-width:{mark.width}px"
            stroke += f";stroke-dasharray:{DASHES[mark.dash]}" if mark.dash != "solid" else ""
            yield _path(line, mark, f"fill:{_ink(mark)}" if mark.filled else stroke)
        case Bars():
            along, over = (up, across) if mark.lying else (across, up)
            at = np.asarray(mark.at, dtype=np.float64)
            low, high = over(np.broadcast_to(mark.low, at.shape)), over(mark.high)
            edges = along(at - mark.thick / 2), along(at + mark.thick / 2)
            sides = zip(*edges, low, high, strict=True)
            boxes = (
                f"M{c:.1f} {UNITS - a:.1f}H{d:.1f}V{UNITS - b:.1f}H{c:.1f}Z"
                if mark.lying
                else f"M{a:.1f} {UNITS - c:.1f}V{UNITS - d:.1f}H{b:.1f}V{UNITS - c:.1f}Z"
                for a, b, c, d in sides
            )
            line, look = "".join(boxes), f"fill:{_ink(mark)}"
            if mark.hatch and mark.lying:
                sides = zip(low, high, *edges, strict=True)
                line += "".join(each for side in sides for each in _hatching(mark.hatch, *side))
                look = f"fill:{PAPER};stroke:{_ink(mark)};stroke-width:1.5px"
            yield _path(line, mark, look)
        case Cells():
            ends = [_middles(axis(at)) for axis, at in ((across, mark.x), (up, mark.y))]
            shades = np.round(2 * np.clip(mark.digits, LOW, HIGH)) / 2
            for shade in np.unique(shades[np.isfinite(shades)]).tolist():
                boxes = (
                    f"M{ends[0][i]:.0f} {UNITS - ends[1][j]:.0f}H{ends[0][i + 1]:.0f}"
                    f"V{UNITS - ends[1][j + 1]:.0f}H{ends[0][i]:.0f}Z"
                    for j, i in np.argwhere(shades == shade)
                )
                ink = f"light-dark({colour(shade)},{colour(shade, True)})"
                yield _path("".join(boxes), mark, f"fill:{ink}")
        case Guide():
            cut = float((up if mark.level else across)([mark.at])[0])
            line = f"M0 {UNITS - cut:.1f}H{UNITS}" if mark.level else f"M{cut:.1f} 0V{UNITS}"
            dash = f";stroke-dasharray:{DASHES[mark.dash]}" if mark.dash != "solid" else ""
            yield _path(line, mark, f"stroke:{_ink(mark)}{dash}")


def _middles(places: Array) -> Array:
    """The edges of cells around places."""
    middles = (places[1:] + places[:-1]) / 2
    ends = 2 * places[[0, -1]] - middles[[0, -1]]
    return np.concatenate([ends[:1], middles, ends[1:]])


def _hatching(hatch: str, left: float, right: float, bottom: float, top: float) -> Iterator[str]:
    """Lines across a bar, or dots along it: a pattern would be stretched with the panel."""
    for x in np.arange(left, right - SLANT, 2 * SLANT):
        if hatch == ".":
            yield f"M{x + SLANT:.1f} {UNITS - (bottom + top) / 2:.1f}h1"
        else:
            yield f"M{x:.1f} {UNITS - bottom:.1f}L{x + SLANT:.1f} {UNITS - top:.1f}"
        if hatch == "x":
            yield f"M{x:.1f} {UNITS - top:.1f}L{x + SLANT:.1f} {UNITS - bottom:.1f}"


def _path(line: str, mark: Mark, look: str) -> str:
    return (
        f'<path d="{line}" vector-effect="non-scaling-stroke" '
        f'style="{"" if "fill" in look else "fill:none;"}opacity:{mark.opacity:g};{look}"/>'
    )
