"""Small charts as inline SVG: lengths in per cent, texts in pixels, for any width of page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from eic_core import wording
from eic_core.explain.ledger import Bar
from eic_core.explain.settling import Growth
from eic_core.markup import digits_text, escape, share_text
from eic_core.operators.wide import Array
from eic_core.report.scales import Scale
from eic_core.rewriting.profile import Profile

DOTS = 1000
"""Units of the width and the height of a cloud of dots, which is stretched to its place."""

CLOUD, HEAD, FOOT = 200, 22, 44
"""Pixels of a cloud's height, of what stands over it, and under it."""

SHADES = (1.0, 4.0, 8.0)
"""Digits lost at which a dot of a map is darker."""

SQUARES = 28
"""Squares on a side of a map, whose branches are shaded."""

ROW = 44
"""Pixels from one bar to the next: a line of text and the bar."""

LABEL = 44
"""Characters of a label, for which a phone has room."""


def waterfall(bars: Sequence[Bar]) -> Markup:
    """Shares of the noise, each beginning where the one before it ends.

    >>> from eic_core.phrasing import Phrase
    >>> waterfall([Bar(Phrase("rounding of `x`"), (0,), 0.0, 1.0)]).count("<rect")
    2
    """
    parts = []
    for row, bar in enumerate(bars):
        top = row * ROW
        size = bar.end - bar.start
        parts += [
            f"<g><title>{escape(_name(str(bar.label)))}</title>",
            _label(top, _name(str(bar.label)), share_text(size)),
            _rect("ghost", 0, 100, top + 22),
            _rect("bar", 100 * bar.start, max(100 * size, 0.4), top + 22),
            "</g>",
        ]
    description = "Shares of the noise, largest first; together 100 %."
    return _svg(len(bars) * ROW, description, parts)


def losses(rows: Sequence[tuple[str, float, str]]) -> Markup:
    """Digits, on one scale from 0; rows of label, value and class of the bar, "bar" or "cool".

    >>> "∞" in losses([("q", math.inf, "bar"), ("own", 0.5, "cool")])
    True
    """
    finite = [value for _, value, _ in rows if math.isfinite(value)]
    top_value = max([1.0, *(math.ceil(value) for value in finite)])
    parts = []
    for row, (label, value, kind) in enumerate(rows):
        top = row * ROW
        length = 0.0 if math.isnan(value) else 100 * min(1.0, value / top_value)
        parts += [
            "<g>",
            _label(top, label, digits_text(value)),
            _rect("ghost", 0, 100, top + 22),
            _rect(kind, 0, max(length, 0.4), top + 22) if length or value == 0 else "",
            "</g>",
        ]
    description = f"Digits by which errors grow, on a scale from 0 to {top_value:.0f}."
    return _svg(len(rows) * ROW, description, parts)


def growth_curve(growth: Growth) -> Markup:
    """Local EIC on parts of the rows, with the middle 80 per cent of random orders.

    >>> flat = Growth((10, 100), (1.0, 2.0), (0.5, 2.0), (1.5, 2.0), 1.0)
    >>> growth_curve(flat).count("<circle")
    2
    """
    height, foot, head = 180, 40, 26
    low = min(growth.low)
    # a flat curve must not be stretched until its noise looks like growth
    span = max(max(growth.high) - low, 0.2)
    logs = [math.log10(count) for count in growth.counts]
    width = max(logs[-1] - logs[0], 1e-9)
    xs = [8 + 84 * (value - logs[0]) / width for value in logs]

    def y(value: float) -> float:
        return head + (height - foot - head) * (1 - (value - low) / span)

    parts = [_rule(0, y(growth.local_eic[0]), 100, y(growth.local_eic[0]), "rule")]
    points = list(zip(xs, growth.local_eic, growth.low, growth.high, growth.counts, strict=True))
    for (x0, e0, *_), (x1, e1, *_) in zip(points, points[1:], strict=False):
        parts.append(_rule(x0, y(e0), x1, y(e1), "curve"))
    for x, eic, bottom, top, rows in points:
        parts += [
            _rule(x, y(bottom), x, y(top), "curve"),
            f'<circle class="bar" cx="{x:.2f}%" cy="{y(eic):.1f}" r="4"/>',
            f'<text x="{x:.2f}%" y="{y(top) - 8:.1f}" text-anchor="middle">{eic:.2f}</text>',
            f'<text class="soft" x="{x:.2f}%" y="{height - 22}" text-anchor="middle">'
            f"{rows:,}</text>",
        ]
    parts.append(f'<text class="soft" x="50%" y="{height - 4}" text-anchor="middle">rows</text>')
    return _svg(height, "Local EIC of this step against the number of rows.", parts)


class ShadedRegion(NamedTuple):
    """A branch: its letter in a picture, and where it is taken."""

    letter: str
    where: str


def lost_along(
    name: str, values: Sequence[float], rows: Profile, regions: Sequence[ShadedRegion]
) -> Markup:
    """Digits lost over one quantity, the branches shaded."""
    most = _most(rows)
    scale = Scale.of(values)
    places = scale.places(values)
    parts = [*_shaded(places, rows.taken.tolist(), regions)]
    parts += [_rule(0, top, 100, top, "rule") for top in (HEAD, HEAD + CLOUD)]
    parts.append(f'<text class="soft" x="0" y="{HEAD - 6}">{most:.0f} digits</text>')
    for lost, kind in ((rows.before, "dots"), (rows.after, "dots instead")):
        heights = DOTS * (1 - lost / most)
        parts.append(_cloud(0, 100, HEAD, {kind: list(zip(places, heights, strict=True))}))
    parts += _axis_texts(scale, 0, 100, HEAD + CLOUD + 18)
    parts.append(
        f'<text class="soft" x="50%" y="{HEAD + CLOUD + 38}" text-anchor="middle">'
        f"{escape(wording.shorten(name, LABEL))}</text>"
    )
    return _svg(HEAD + CLOUD + FOOT, f"Digits lost over {name}, as written and instead.", parts)


def lost_over(
    across: tuple[str, Array], up: tuple[str, Array], rows: Profile, regions: Sequence[ShadedRegion]
) -> Markup:
    """Digits lost over two inputs, as written and instead: a pair of maps, the branches shaded."""
    scales = [Scale.of(values) for _, values in (across, up)]
    xs, ys = (s.places(v) for s, (_, v) in zip(scales, (across, up), strict=True))
    middles = (np.arange(SQUARES) + 0.5) * DOTS / SQUARES
    grid = np.meshgrid(scales[0].values(middles), scales[1].values(middles))
    columns = {name: side.ravel() for (name, _), side in zip((across, up), grid, strict=True)}
    branches = rows.taken_at(columns, SQUARES**2).reshape(SQUARES, SQUARES)
    parts = []
    for left, title, lost in ((0, "as written", rows.before), (52, "instead", rows.after)):
        shades = np.digitize(lost, SHADES)
        clouds = {
            f"dots shade{shade}": [
                (x, DOTS - y)
                for x, y, own, value in zip(xs, ys, shades, lost, strict=True)
                if own == shade and not math.isnan(value)
            ]
            for shade in range(len(SHADES) + 1)
        }
        parts.append(f'<text x="{left}%" y="{HEAD - 6}">{title}</text>')
        parts.append(_cloud(left, 48, HEAD, clouds, _squares(branches) if regions else ""))
        parts += _axis_texts(scales[0], left, 48, HEAD + CLOUD + 18)
        if regions:
            parts += _map_letters(branches, left, regions)
        label = f"{wording.shorten(across[0], 12)}, {wording.shorten(up[0], 12)} upwards"
        low, high = (wording.significant(end, 2) for end in scales[1].ends)
        parts.append(
            f'<text class="soft" x="{left + 24}%" y="{HEAD + CLOUD + 38}" text-anchor="middle">'
            f"{escape(f'{label} ({low} to {high})')}</text>"
        )
    description = f"Digits lost over {across[0]} and {up[0]}, as written and instead."
    return _svg(HEAD + CLOUD + FOOT, description, parts)


def _most(rows: Profile) -> float:
    lost = np.concatenate([rows.before, rows.after])
    lost = lost[np.isfinite(lost)]
    return max(1.0, math.ceil(float(lost.max()))) if len(lost) else 1.0


def _shaded(
    places: Array, branches: Sequence[int], regions: Sequence[ShadedRegion]
) -> Iterator[str]:
    """Each stretch of rows of one branch, from half way to its neighbours."""
    if not regions:
        return
    order = np.argsort(places, kind="stable").tolist()
    stretches = [list(part) for _, part in groupby(order, key=lambda row: branches[row])]
    begin = 0.0
    for stretch, after in zip(stretches, [*stretches[1:], None], strict=True):
        end = 100.0
        if after is not None:
            end = float(places[stretch[-1]] + places[after[0]]) / 2 / DOTS * 100
        branch = branches[stretch[0]]
        if 0 <= branch < len(regions):
            yield (
                f'<rect class="region{branch % 4}" x="{begin:.2f}%" y="{HEAD}" '
                f'width="{end - begin:.2f}%" height="{CLOUD}"/>'
            )
            if end - begin >= 4 and (begin + end) / 2 > 16:  # beside the text of the axis
                yield (
                    f'<text class="soft" x="{(begin + end) / 2:.2f}%" y="{HEAD - 6}" '
                    f'text-anchor="middle">{regions[branch].letter}</text>'
                )
        begin = end


def _squares(branches: npt.NDArray[np.int64]) -> str:
    """The branches of a map, a strip for each run of equal squares in a row."""
    side = DOTS / SQUARES
    strips = []
    for row, line in enumerate(branches.tolist()):
        place = 0
        for branch, run in groupby(line):
            wide = len(list(run))
            if branch >= 0:
                strips.append(
                    f'<rect class="region{branch % 4}" x="{place * side:.1f}" '
                    f'y="{DOTS - (row + 1) * side:.1f}" width="{wide * side:.1f}" '
                    f'height="{side:.1f}"/>'
                )
            place += wide
    return "".join(strips)


def _map_letters(
    branches: npt.NDArray[np.int64], left: float, regions: Sequence[ShadedRegion]
) -> Iterator[str]:
    """The letter of each branch, in the square of it that is nearest to its middle."""
    for branch, region in enumerate(regions):
        squares = np.argwhere(branches == branch)
        if not len(squares):
            continue
        off = np.sum((squares - squares.mean(axis=0)) ** 2, axis=1)
        row, column = squares[int(np.argmin(off))] + 0.5
        yield (
            f'<text class="letter" x="{left + 48 * column / SQUARES:.1f}%" '
            f'y="{HEAD + CLOUD * (1 - row / SQUARES) + 5:.0f}" text-anchor="middle">'
            f"{region.letter}</text>"
        )


def _cloud(
    left: float,
    width: float,
    top: float,
    clouds: Mapping[str, Sequence[tuple[float, float]]],
    behind: str = "",
) -> str:
    """Dots in a place that they are stretched to, each as round as any: a path for a class."""
    paths = "".join(
        f'<path class="{kind}" d="{"".join(f"M{x:.0f} {y:.0f}h0" for x, y in dots)}"/>'
        for kind, points in clouds.items()
        if (dots := [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)])
    )
    return (
        f'<svg x="{left}%" y="{top}" width="{width}%" height="{CLOUD}" overflow="visible" '
        f'viewBox="0 0 {DOTS} {DOTS}" preserveAspectRatio="none">{behind}{paths}</svg>'
    )


def _axis_texts(scale: Scale, left: float, width: float, top: float) -> Iterator[str]:
    low, high = (wording.significant(end, 2) for end in scale.ends)
    yield f'<text class="soft" x="{left}%" y="{top}">{low}</text>'
    yield (f'<text class="soft" x="{left + width}%" y="{top}" text-anchor="end">{high}</text>')
    zero = float(scale.places(np.zeros(1))[0]) / DOTS * width + left
    if scale.kind == "both signs" and 12 < zero - left < width - 12:
        yield f'<text class="soft" x="{zero:.1f}%" y="{top}" text-anchor="middle">0</text>'


def _name(label: str) -> str:
    return label.replace("`", "")


def _label(top: float, left: str, right: str) -> str:
    return (
        f'<text x="0" y="{top + 16:.0f}">{escape(wording.shorten(left, LABEL))}</text>'
        f'<text x="100%" y="{top + 16:.0f}" text-anchor="end">{escape(right)}</text>'
    )


def _rect(kind: str, start: float, length: float, top: float) -> str:
    return (
        f'<rect class="{kind}" x="{start:.3f}%" y="{top:.0f}" width="{length:.3f}%" '
        'height="12" rx="2"/>'
    )


def _rule(x0: float, y0: float, x1: float, y1: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x0:.2f}%" y1="{y0:.1f}" x2="{x1:.2f}%" y2="{y1:.1f}"/>'


def _svg(height: int, description: str, parts: Sequence[str]) -> Markup:
    inner = "\n".join(part for part in parts if part)
    return Markup(
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" width="100%" height="{height}" '
        f'role="img" aria-label="{escape(description)}">\n{inner}\n</svg>'
    )
