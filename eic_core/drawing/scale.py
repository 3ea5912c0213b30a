"""The colour scale: local EIC, 0 to 8 digits; cool values recede and hot ones stand out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LOW, HIGH = 0.0, 8.0
"""Ends of the scale in digits, log10 of the mean amplification; values beyond are clamped."""

SCALE_TITLES = {
    "eic": "local EIC: digits by which errors grow, up to a step",
    "created": "digits that each step creates",
}
"""Title of a tree's colours and numbers, by what they are."""

TYPICAL_LAW = 1.0
"""Local EIC that physical laws seldom exceed (Yu et al.)."""

FILTER = 2.0
"""EIC above which the paper's filter drops a formula (Yu et al.)."""

Triple = tuple[float, float, float]

# Equal steps of a value are equal distances in OKLab (B. Ottosson, "A perceptual color space for
# image processing", 2020), and the lightness is monotone, for colour-blind readers and grey
# printers.
# Lightness, chroma and hue (degrees) in OKLCh, from cool to hot: off-white or slate through orange
# to dark crimson or pale yellow.
_LIGHT_PATH: tuple[Triple, ...] = (
    (0.955, 0.012, 95),
    (0.90, 0.075, 88),
    (0.80, 0.125, 70),
    (0.70, 0.155, 52),
    (0.60, 0.17, 36),
    (0.50, 0.16, 22),
    (0.40, 0.13, 10),
    (0.30, 0.09, 0),
)
_DARK_PATH: tuple[Triple, ...] = (
    (0.33, 0.012, 260),
    (0.42, 0.07, 15),
    (0.51, 0.125, 25),
    (0.60, 0.16, 38),
    (0.69, 0.16, 52),
    (0.78, 0.155, 70),
    (0.87, 0.15, 88),
    (0.96, 0.10, 102),
)
_STEPS = 256


def _oklab(lch: Triple) -> Triple:
    lightness, chroma, hue = lch
    angle = math.radians(hue)
    return lightness, chroma * math.cos(angle), chroma * math.sin(angle)


def _hex(lab: Triple) -> str:
    lightness, a, b = lab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _encode(c)):02x}" for c in linear)


# the transfer function of sRGB (IEC 61966-2-1)
def _encode(linear: float) -> float:
    c = min(1.0, max(0.0, linear))
    return 12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055


def _ramp(path: tuple[Triple, ...]) -> tuple[str, ...]:
    """`_STEPS` colours at equal distances along a path of straight lines in OKLab."""
    points = [_oklab(p) for p in path]
    lengths = [math.dist(p, q) for p, q in zip(points, points[1:], strict=False)]
    total = sum(lengths)
    colours: list[str] = []
    leg, before = 0, 0.0
    for step in range(_STEPS):
        along = total * step / (_STEPS - 1)
        while leg < len(lengths) - 1 and along > before + lengths[leg]:
            before += lengths[leg]
            leg += 1
        t = min(1.0, (along - before) / lengths[leg])
        p, q = points[leg], points[leg + 1]
        colours.append(_hex(tuple(u + t * (v - u) for u, v in zip(p, q, strict=True))))  # type: ignore[arg-type]
    return tuple(colours)


_RAMPS = {False: _ramp(_LIGHT_PATH), True: _ramp(_DARK_PATH)}

SCALE: dict[bool, list[list[Any]]] = {
    dark: [[i / 16, ramp[round(i / 16 * (_STEPS - 1))]] for i in range(17)]
    for dark, ramp in _RAMPS.items()
}
"""Plotly colour scales by `dark`: to be used with cmin `LOW` and cmax `HIGH`."""


@dataclass(frozen=True, slots=True)
class Theme:
    ink: str  # ``#rrggbb``, as all: texts
    muted: str  # Edges, ticks and remarks
    faint: str  # Grid lines
    paper: str  # The background
    accent: str  # The selection
    data: str  # Points of the data


THEMES = {
    False: Theme("#1c1f26", "#5b6270", "#c9cdd5", "#ffffff", "#1f5fd0", "#6f7785"),
    True: Theme("#f2f3f5", "#a9b0bd", "#474d59", "#0e1117", "#7db2ff", "#9aa3b2"),
}
"""By `dark`."""


def _page_colours(theme: Theme, *, card: str, bar: str, alert: str, fine: str) -> dict[str, str]:
    return {
        "ink": theme.ink,
        "quiet": theme.muted,
        "line": theme.faint,
        "paper": theme.paper,
        "accent": theme.accent,
        "card": card,
        "bar": bar,
        "alert": alert,
        "fine": fine,
    }


PAGE_COLOURS: Mapping[str, Mapping[str, str]] = {
    "light": _page_colours(
        THEMES[False], card="#f6f7f9", bar="#c2541d", alert="#8a3b00", fine="#1a5e2a"
    ),
    "dark": _page_colours(
        THEMES[True], card="#1a1f29", bar="#e8894a", alert="#f0b060", fine="#7fd08f"
    ),
}
"""CSS variables of a report on a light page and on a dark one."""

FONT = "Source Sans Pro, Source Sans, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"


def colour(local_eic: float, dark: bool = False) -> str:
    """The scale's ``#rrggbb`` of digits, clamped to [0, 8]; ValueError for inf and nan.

    >>> colour(0.0), colour(8.0) == colour(11.5)
    ('#f2f0e7', True)
    """
    if not math.isfinite(local_eic):
        raise ValueError("an infinite or undefined value has no colour")
    share = (min(max(local_eic, LOW), HIGH) - LOW) / (HIGH - LOW)
    return _RAMPS[dark][round(share * (_STEPS - 1))]


LEVELS = ("stable", "sensitive", "very-sensitive", "infinite", "undefined")
"""Names of the levels, as style sheets and `explain.judgement.Level` have them."""

LEVEL_WORDS = (
    ("stable", "stable"),
    ("sensitive", "sensitive from 1"),
    ("very-sensitive", "very sensitive from 2 digits"),
)
"""The levels of the scale with their limits, for a legend."""


def level_of(digits: float) -> str:
    """The level of digits, one of `LEVELS`.

    >>> [level_of(digits) for digits in (0.4, 1.0, 2.0, float("inf"), float("nan"))]
    ['stable', 'sensitive', 'very-sensitive', 'infinite', 'undefined']
    """
    if not math.isfinite(digits):
        return "undefined" if math.isnan(digits) else "infinite"
    return LEVELS[(digits >= TYPICAL_LAW) + (digits >= FILTER)]


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, 0 to 1 (WCAG 2.1)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.1)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def text_on(colour: str) -> str:
    """Black or white, whichever reads better on a colour (at least 4.5 : 1).

    >>> text_on("#ffffff"), text_on("#202020")
    ('#000000', '#ffffff')
    """
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


@dataclass(frozen=True, slots=True)
class Paint:
    fill: str  # ``#rrggbb``, as the next two
    ink: str
    outline: str
    dash: str  # "solid"; "dash" for an infinite value, "dot" for an undefined one
    hatched: bool  # True for infinite values


def paint(local_eic: float, dark: bool = False) -> Paint:
    """Fill, ink and outline for any value, infinite and undefined included.

    >>> paint(float("inf")).dash, paint(float("nan")).dash, paint(1.0).dash
    ('dash', 'dot', 'solid')
    """
    theme = THEMES[dark]
    if math.isnan(local_eic):
        return Paint(theme.paper, theme.muted, theme.muted, "dot", False)
    if math.isinf(local_eic):
        return Paint(theme.paper, theme.ink, theme.ink, "dash", True)
    fill = colour(local_eic, dark)
    return Paint(fill, text_on(fill), theme.faint, "solid", False)


LEVEL_ANCHORS = {
    "stable": 0.5,
    "sensitive": 1.5,
    "very-sensitive": HIGH,
    "infinite": math.inf,
    "undefined": math.nan,
}
"""Digits whose colour stands for a level."""

LEVEL_COLOURS: Mapping[str, Mapping[str, Paint]] = {
    name: {level: paint(digits, dark) for level, digits in LEVEL_ANCHORS.items()}
    for name, dark in (("light", False), ("dark", True))
}
"""By theme and level."""
