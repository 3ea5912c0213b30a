"""The colour scale: the same alarm in both themes, for every eye."""

from __future__ import annotations

import math

import pytest

from eic_core.drawing.scale import (
    FILTER,
    GAUGE,
    LEVEL_ANCHORS,
    LEVEL_COLOURS,
    LEVELS,
    PAGE_COLOURS,
    SCALE,
    THEMES,
    TYPICAL_LAW,
    colour,
    contrast,
    level_of,
    luminance,
    paint,
    text_on,
)
from eic_core.explain.judgement import SENSITIVE_FROM, VERY_FROM, Level

STEPS = [i / 10 for i in range(81)]


def lab(hexadecimal: str) -> tuple[float, float, float]:
    """CIELAB under D65: another space than the one the scale is built in."""
    rgb = [int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.95047, 1.0, 1.08883)
    f = [
        t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116
        for t in (
            sum(m * c for m, c in zip(row, linear, strict=True)) / w
            for row, w in zip(rows, white, strict=True)
        )
    ]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


# G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A physiologically-based model for
# simulation of color vision deficiency", IEEE TVCG 15, 2009: severity 1, on linear sRGB.
MACHADO = {
    "all colours": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
}


def as_seen(hexadecimal: str, vision: str) -> str:
    rgb = [int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    mixed = (sum(m * c for m, c in zip(row, linear, strict=True)) for row in MACHADO[vision])
    inside = (min(1.0, max(0.0, c)) for c in mixed)
    encoded = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in inside)
    return "#" + "".join(f"{round(255 * c):02x}" for c in encoded)


in_both_themes = pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
for_every_eye = pytest.mark.parametrize("vision", list(MACHADO))


@in_both_themes
@for_every_eye
def test_more_digits_are_further_from_the_paper_in_lightness(dark, vision):
    paper = lab(as_seen(THEMES[dark].paper, vision))[0]
    distance = [abs(lab(as_seen(colour(v, dark), vision))[0] - paper) for v in STEPS]
    changes = [b - a for a, b in zip(distance, distance[1:], strict=False)]
    assert min(changes) > -0.1  # colours are whole numbers of 255
    assert all(b > a for a, b in zip(distance[::5], distance[5::5], strict=False))
    assert distance[-1] > 60


@in_both_themes
@for_every_eye
def test_a_digit_more_is_seen_everywhere_on_the_scale(dark, vision):
    """A just noticeable difference is about 2.3 in CIELAB (Mahy et al., 1994)."""
    whole = [lab(as_seen(colour(v, dark), vision)) for v in range(9)]
    assert min(math.dist(a, b) for a, b in zip(whole, whole[1:], strict=False)) > 2.3


def test_both_themes_say_the_same_alarm():
    for value in STEPS:
        light, dark = (contrast(colour(value, d), THEMES[d].paper) for d in (False, True))
        assert dark == pytest.approx(light, rel=0.06), value


def hue(hexadecimal: str) -> float:
    _, a, b = lab(hexadecimal)
    return math.degrees(math.atan2(b, a))


@in_both_themes
def test_sensitive_is_amber_and_what_is_hot_is_red(dark):
    assert 55 < hue(colour(1.5, dark)) < 80
    assert all(5 < hue(colour(v, dark)) < 45 for v in STEPS if v >= 3)
    hues = [hue(colour(v, dark)) for v in (1, 1.5, 2, 3, 4, 6, 8)]
    assert hues == sorted(hues, reverse=True)


@in_both_themes
def test_low_digits_recede_into_the_paper_and_high_ones_stand_out(dark):
    page = THEMES[dark].paper
    assert contrast(colour(0, dark), page) < 1.05
    assert contrast(colour(8, dark), page) > 10


@in_both_themes
def test_neighbouring_levels_are_three_to_one_apart(dark):
    drawn = LEVEL_COLOURS["dark" if dark else "light"]
    levels = [drawn[level].fill for level in ("stable", "sensitive", "very-sensitive")]
    for one, other in zip(levels, levels[1:], strict=False):
        assert contrast(one, other) >= 3
        for vision in MACHADO:
            assert contrast(as_seen(one, vision), as_seen(other, vision)) > 2.6
    # these two are told by hatch and outline as well
    assert drawn["infinite"].hatched and drawn["infinite"].dash != drawn["undefined"].dash


def test_levels_are_those_of_the_verdict():
    assert (TYPICAL_LAW, FILTER) == (SENSITIVE_FROM, VERY_FROM)
    assert set(LEVELS) == set(LEVEL_ANCHORS)
    assert {level.value for level in Level} < set(LEVEL_COLOURS["dark"])
    assert [level_of(digits) for digits in LEVEL_ANCHORS.values()] == list(LEVELS)
    assert [level_of(v) for v in (0.999, 1, 1.999, 2)] == [LEVELS[i] for i in (0, 1, 1, 2)]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_page_has_the_levels_in_variables_and_reads_them(theme):
    page = PAGE_COLOURS[theme]
    for level in LEVELS:
        fill, ink = page[f"level-{level}"], page[f"level-{level}-ink"]
        assert fill == LEVEL_COLOURS[theme][level].fill
        assert contrast(fill, ink) >= 4.5
    assert contrast(page["bar"], page["paper"]) >= 3
    assert contrast(page["alert"], page["paper"]) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_text_on_every_colour_meets_wcag_aa(dark):
    for value in STEPS:
        fill = colour(value, dark)
        assert contrast(fill, text_on(fill)) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_text_of_infinite_and_undefined_values_meets_wcag_aa(dark):
    for value in (math.inf, math.nan):
        drawn = paint(value, dark)
        assert contrast(drawn.fill, drawn.ink) >= 4.5


def test_values_above_eight_are_clamped():
    assert colour(8.0) == colour(15.0)


@pytest.mark.parametrize("value", [math.inf, math.nan])
def test_a_value_without_a_number_has_no_colour_of_the_scale(value):
    with pytest.raises(ValueError, match="no colour"):
        colour(value)
    for dark in (False, True):
        drawn = paint(value, dark)
        assert drawn.fill == THEMES[dark].paper
        assert drawn.fill not in {c for _, c in SCALE[dark]}
        assert drawn.dash != "solid"


def test_plotly_gets_the_same_colours():
    for dark in (False, True):
        assert SCALE[dark][0] == [0.0, colour(0, dark)]
        assert SCALE[dark][-1] == [1.0, colour(8, dark)]
        assert [0.25, colour(4, dark)] in GAUGE[dark] and GAUGE[dark][-1] == SCALE[dark][-1]


def test_luminance_is_that_of_wcag():
    assert luminance("#ffffff") == pytest.approx(1.0)
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
