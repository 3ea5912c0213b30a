"""The colour scale and the ruler."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import pytest

from eic_core.drawing.scale import (
    SCALE,
    THEMES,
    colour,
    contrast,
    luminance,
    paint,
    text_on,
)
from pages.ui.figures.tree import ruler_figure

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


@pytest.mark.parametrize("dark", [False, True])
def test_lightness_is_monotone_so_that_any_colour_vision_can_order_the_colours(dark):
    lightness = [lab(colour(v, dark))[0] for v in STEPS]
    changes = [b - a for a, b in zip(lightness, lightness[1:], strict=False)]
    assert all(c > 0 for c in changes) if dark else all(c < 0 for c in changes)
    assert abs(lightness[-1] - lightness[0]) > 60


@pytest.mark.parametrize("dark", [False, True])
def test_equal_steps_of_the_value_look_about_equal(dark):
    whole = [lab(colour(v, dark)) for v in range(9)]
    steps = [math.dist(a, b) for a, b in zip(whole, whole[1:], strict=False)]
    assert max(steps) < 2.2 * min(steps)


@pytest.mark.parametrize("dark", [False, True])
def test_cool_colours_recede_and_hot_ones_stand_out_on_the_page(dark):
    page = THEMES[dark].paper
    assert contrast(colour(0, dark), page) < 2
    assert contrast(colour(8, dark), page) > 10


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


def test_luminance_is_that_of_wcag():
    assert luminance("#ffffff") == pytest.approx(1.0)
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)


@pytest.mark.parametrize("eic", [0.0, 1.3, 4.4, 12.0, math.inf, math.nan])
@pytest.mark.parametrize("narrow", [False, True])
def test_the_ruler_is_a_valid_figure_with_both_reference_lines(eic, narrow):
    rest = 1.2 if math.isinf(eic) else eic
    figure = ruler_figure(eic, rest, dark=True, narrow=narrow)
    go.Figure(figure.to_dict())
    texts = " ".join(a["text"].replace("<br>", " ") for a in figure.layout.annotations)
    assert "1 typical law" in texts and "2 paper’s filter" in texts


def test_the_ruler_marks_infinity_beyond_the_end_and_the_finite_rest_on_the_scale():
    marks = [t.x[0] for t in ruler_figure(math.inf, 1.5).data if t.type == "scatter"]
    assert marks[0] > 8 and marks[1] == 1.5


def test_the_ruler_has_no_mark_for_an_undefined_eic():
    assert all(t.type == "heatmap" for t in ruler_figure(math.nan, math.nan).data)
