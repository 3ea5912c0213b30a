"""Three small gauges of digits: how far each of several losses reaches into a double's sixteen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from eic_core import wording
from eic_core.drawing.scale import END, THEMES, paint
from eic_core.measure.measured import Quantiles

HEIGHT = 88
"""Pixels of three gauges with their scale."""

_ROW, _SCALE, _BAR = 23, 17, 10

_TRACK = (
    "position:absolute;left:0;right:0;top:6px;height:10px;border-radius:3px;"
    "background:color-mix(in srgb,currentColor 10%,transparent)"
)
_HATCH = "repeating-linear-gradient(135deg,currentColor 0 1.5px,transparent 1.5px 5px)"


@dataclass(frozen=True)
class Gauge:
    name: str
    words: str  # All that it shows, as a sentence
    digits: Quantiles | None  # None while it is not known
    explained: str = ""  # A hover text, where the page has a style for one


def gauges_html(gauges: Sequence[Gauge]) -> str:
    """The gauges under one another, for light and dark pages; at most 330 pixels wide.

    >>> from eic_core.measure.measured import Quantiles
    >>> html = gauges_html([Gauge("Measured", "4.0 digits", Quantiles(3, 4, 5, 4, 4))])
    >>> 'aria-label="4.0 digits"' in html, ">4.0</b>" in html
    (True, True)
    """
    rows = "".join(_row(gauge) for gauge in gauges)
    height = _ROW * len(gauges) + _SCALE
    return (
        f'<div class="eic-gauges" style="display:grid;grid-template-columns:max-content 1fr 2rem;'
        f"column-gap:0.6rem;max-width:330px;height:{height}px;font-size:13px;"
        f'line-height:{_ROW}px;font-variant-numeric:tabular-nums">{rows}{_scale()}</div>'
    )


def _row(gauge: Gauge) -> str:
    name, digits = escape(gauge.name), gauge.digits
    if gauge.explained:
        name = (
            f'<span class="eic-term" tabindex="0">{name}<span class="eic-tip" role="tooltip">'
            f"{escape(gauge.explained)}</span></span>"
        )
    number = "…" if digits is None else wording.number(digits.nine_in_ten, 1)
    marks = "" if digits is None else _marks(digits)
    return (
        f"<span>{name}</span>"
        f'<span role="img" aria-label="{escape(gauge.words)}" title="{escape(gauge.words)}" '
        f'style="position:relative;height:{_ROW}px"><i style="{_TRACK}"></i>{marks}</span>'
        f'<b style="text-align:right;font-weight:650">{number}</b>'
    )


def _marks(digits: Quantiles) -> str:
    """A thick bar to the typical loss, one to nine in ten, a thin one to the worst."""
    parts, start = [], 0.0
    for value, thick in (
        (digits.typical, _BAR),
        (digits.nine_in_ten, _BAR),
        (digits.worst, 4),
    ):
        end = _share(value)
        if not math.isnan(value) and end > start:
            parts.append(_bar(start, end, thick, value))
            start = end
    if not math.isnan(digits.nine_in_ten):
        parts.append(
            f'<i style="position:absolute;left:calc({_share(digits.nine_in_ten):.2f}% - 1px);'
            'top:3px;width:2px;height:16px;background:currentColor"></i>'
        )
    return "".join(parts)


def _bar(start: float, end: float, thick: float, value: float) -> str:
    top = (_ROW - 1 - thick) / 2
    light, dark = paint(value), paint(value, True)
    fill = _HATCH if light.hatched else f"light-dark({light.fill},{dark.fill})"
    edge = f"light-dark({THEMES[False].muted},{THEMES[True].muted})"
    return (
        f'<i style="position:absolute;left:{start:.2f}%;width:{end - start:.2f}%;top:{top:g}px;'
        f"height:{thick:g}px;box-sizing:border-box;background:{fill};"
        f'border:1px solid {edge};border-radius:2px"></i>'
    )


def _share(digits: float) -> float:
    """A place on the gauge, in percent."""
    return 100 * min(max(digits, 0.0), END) / END


def _scale() -> str:
    """The numbers under the gauges."""
    marks = "".join(
        f'<span style="position:absolute;left:{_share(at):g}%;transform:translateX(-50%)">'
        f"{at}</span>"
        for at in (0, 4, 8, 12, 16)
    )
    return (
        '<span aria-hidden="true" style="font-size:11px;opacity:0.75">9 in 10 rows</span>'
        '<span aria-hidden="true" style="position:relative;font-size:11px;'
        f'line-height:{_SCALE}px;opacity:0.75">{marks}</span>'
        '<span aria-hidden="true" style="font-size:11px;opacity:0.75;text-align:right;'
        f'line-height:{_SCALE}px">digits</span>'
    )
