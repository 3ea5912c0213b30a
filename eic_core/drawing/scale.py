"""The colour scale: local EIC, 0 to 8 digits; cool values recede and hot ones stand out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LOW, HIGH = 0.0, 8.0
"""Ends of the scale in digits, log10 of the mean amplification; values beyond are clamped."""

SCALE_TITLES = {
    "eic": "local EIC: growth of errors, in digits",
    "created": "digits that each step creates",
}
"""Title of a tree's colours and numbers, by what they are."""

TYPICAL_LAW = 1.0
"""Local EIC that physical laws seldom exceed (Yu et al.)."""

FILTER = 2.0
"""EIC above which the paper's filter drops a formula (Yu et al.)."""

Triple = tuple[float, float, float]

# A colour says an alarm by its contrast (WCAG 2.1) against the paper, and both themes have the same
# contrast at the same digits: 1.06 at half a digit, 3.25 at 1.5, 10 at 8, so that the colours that
# stand for neighbouring levels (`LEVEL_ANCHORS`) are 3 : 1 apart. Hues are the same, too, above the
# first level: amber, orange, red, crimson; contrasts and hues are monotone. Why: docs/adr/0023.
# Digits, then lightness, chroma and hue (degrees) in OKLCh (B. Ottosson, "A perceptual color space
# for image processing", 2020); the lightness follows from the contrast.
_KNOTS: dict[bool, tuple[tuple[float, Triple], ...]] = {
    False: (
        (0.0, (0.9965, 0.003, 95)),
        (0.5, (0.9794, 0.024, 92)),
        (1.0, (0.8058, 0.115, 80)),
        (1.5, (0.6573, 0.135, 64)),
        (2.0, (0.6106, 0.150, 48)),
        (3.0, (0.5562, 0.190, 28)),
        (4.0, (0.5114, 0.185, 23)),
        (6.0, (0.4488, 0.170, 18)),
        (8.0, (0.3994, 0.150, 15)),
    ),
    True: (
        (0.0, (0.1829, 0.012, 260)),
        (0.5, (0.2072, 0.014, 260)),
        (1.0, (0.3772, 0.070, 80)),
        (1.5, (0.5140, 0.105, 64)),
        (2.0, (0.5688, 0.135, 48)),
        (3.0, (0.6441, 0.200, 28)),
        (4.0, (0.6931, 0.196, 23)),
        (6.0, (0.7577, 0.144, 18)),
        (8.0, (0.8099, 0.108, 15)),
    ),
}
_STEPS = 256  # Between the ends; half digits fall on whole steps


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


def _ramp(knots: tuple[tuple[float, Triple], ...]) -> tuple[str, ...]:
    """The colours from `LOW` to `HIGH`, by straight lines in OKLab from knot to knot."""
    colours: list[str] = []
    leg = 0
    for step in range(_STEPS + 1):
        digits = LOW + (HIGH - LOW) * step / _STEPS
        while digits > knots[leg + 1][0]:
            leg += 1
        (low, before), (high, after) = knots[leg : leg + 2]
        t = (digits - low) / (high - low)
        p, q = _oklab(before), _oklab(after)
        colours.append(
            _hex((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])))
        )
    return tuple(colours)


_RAMPS = {dark: _ramp(knots) for dark, knots in _KNOTS.items()}

SCALE: dict[bool, list[list[Any]]] = {
    dark: [[i / 32, ramp[i * _STEPS // 32]] for i in range(33)] for dark, ramp in _RAMPS.items()
}
"""Colours by `dark` from `LOW` to `HIGH`, each with its share of the way."""

END = 16.0
"""Digits at the end of a gauge, and of every axis of digits: as many as a double has."""

GAUGE = {
    dark: [*([share * HIGH / END, ink] for share, ink in scale), [1.0, scale[-1][1]]]
    for dark, scale in SCALE.items()
}
"""Plotly colour scales by `dark`: to be used with cmin `LOW` and cmax `END`."""


@dataclass(frozen=True, slots=True)
class Theme:
    ink: str  # ``#rrggbb``, as all: texts
    muted: str  # Edges, ticks and remarks
    faint: str  # Grid lines
    paper: str  # The background
    accent: str  # The selection
    data: str  # Points of the data
    # blue, orange, green, violet: told apart with any colour vision (after Okabe and Ito)
    blue: str
    orange: str
    green: str
    violet: str


THEMES = {
    dark: Theme(*inks.split())
    for dark, inks in (
        (False, "#1c1f26 #5b6270 #c9cdd5 #ffffff #1f5fd0 #6f7785 #0072b2 #d55e00 #00734f #a3468a"),
        (True, "#f2f3f5 #a9b0bd #474d59 #0e1117 #7db2ff #9aa3b2 #5cb8f0 #f0a03c #3fd09b #e08cc4"),
    )
}
"""By `dark`."""


FONT = "Source Sans Pro, Source Sans, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"


def colour(local_eic: float, dark: bool = False) -> str:
    """The scale's ``#rrggbb`` of digits, clamped to [0, 8]; ValueError for inf and nan.

    >>> colour(0.0), colour(8.0) == colour(11.5)
    ('#fefefc', True)
    """
    if not math.isfinite(local_eic):
        raise ValueError("an infinite or undefined value has no colour")
    share = (min(max(local_eic, LOW), HIGH) - LOW) / (HIGH - LOW)
    return _RAMPS[dark][round(share * _STEPS)]


def level_ramp(level: str, dark: bool = False) -> tuple[str, ...]:
    """Colours at equal steps from a level's least digits to its most: a legend's swatch.

    >>> ramp = level_ramp("very-sensitive")
    >>> ramp[0] == colour(2.0), ramp[-1] == colour(8.0)
    (True, True)
    """
    low, high = LEVEL_SPANS[level]
    steps = max(4, round(2 * (high - low)))
    return tuple(colour(low + (high - low) * i / steps, dark) for i in range(steps + 1))


LEVELS = ("stable", "sensitive", "very-sensitive", "infinite", "undefined")
"""Names of the levels, as style sheets and `explain.judgement.Level` have them."""

LEVEL_WORDS = (
    ("stable", "below 1"),
    ("sensitive", "from 1"),
    ("very-sensitive", "from 2 digits"),
)
"""The limits of the levels, for a legend. The words of the levels are the badge's alone, which goes
by nine in ten rows: a node has a mean."""

LEVEL_SPANS = {
    "stable": (LOW, TYPICAL_LAW),
    "sensitive": (TYPICAL_LAW, FILTER),
    "very-sensitive": (FILTER, HIGH),
}
"""The digits of each level of `LEVEL_WORDS`."""


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
"""Digits whose colour stands for a level: the middle, or the end where a level has none."""

LEVEL_COLOURS: Mapping[str, Mapping[str, Paint]] = {
    name: {
        **{level: paint(digits, dark) for level, digits in LEVEL_ANCHORS.items()},
        "out-of-range": paint(HIGH, dark),
    }
    for name, dark in (("light", False), ("dark", True))
}
"""By theme and level; out of range all digits are lost."""


def _page_colours(dark: bool, *, card: str, fine: str) -> dict[str, str]:
    theme = THEMES[dark]
    return {
        "ink": theme.ink,
        "quiet": theme.muted,
        "line": theme.faint,
        "paper": theme.paper,
        "accent": theme.accent,
        "card": card,
        "bar": colour(FILTER, dark),
        "alert": colour(4.0, dark),
        "fine": fine,
    } | {
        f"level-{level}{part}": value
        for level, drawn in LEVEL_COLOURS["dark" if dark else "light"].items()
        for part, value in (("", drawn.fill), ("-ink", drawn.ink), ("-edge", drawn.outline))
    }


PAGE_COLOURS: Mapping[str, Mapping[str, str]] = {
    "light": _page_colours(False, card="#f6f7f9", fine="#1a5e2a"),
    "dark": _page_colours(True, card="#1a1f29", fine="#7fd08f"),
}
"""CSS variables of a page by theme; ``level-stable``, ``level-stable-ink``, ``level-stable-edge``
and so on for each of `LEVELS` are fill, text and outline of what stands for the level."""
