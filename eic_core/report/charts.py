"""Small charts as inline SVG: lengths in per cent, texts in pixels, for any width of page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from eic_core import wording
from eic_core.explain.ledger import Bar
from eic_core.explain.settling import Growth
from eic_core.markup import digits_text, escape, share_text

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
