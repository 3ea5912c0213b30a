"""A ballot's pictures: one scale, two styles, and nothing but the ballot."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from eic_core.drawing.scale import contrast
from pages.ui.kit.prepared import PreparedPlot
from pages.ui.rating.ballot_figure import (
    LOOKS,
    SCALE,
    curve_figure,
    curve_plot,
    scale_ticks,
    surface_figure,
    surface_plot,
)
from pages.ui.rating.ballot_view import caption
from study.rating_types import Axis, Ballot, BallotFigure, FormulaCard

TIME, HEIGHT = Axis("t", "s", "time", 0, 10), Axis("h", "m", "height", -1, 5)
CURVE = Ballot(
    token="abc",
    number=1,
    of=10,
    practice=False,
    title="A ball",
    description="It flies.",
    question="Which?",
    instruction="",
    left=FormulaCard("t", 0.9, 1, curve=(0.0, None, 2.0)),
    right=FormulaCard("t + 1", 0.8, 3, curve=(1.0, 2.0, 3.0)),
    figure=BallotFigure("curve", (TIME,), HEIGHT, ((0, 5, 10),), ((1, 1), (2, 2)), 700),
    allow_tie=False,
    ask_reason=True,
)
GRID = tuple(map(float, range(40)))
SURFACE = replace(
    CURVE,
    left=FormulaCard("t", 0.9, 1, surface=tuple(tuple(0.123456 + i for i in GRID) for _ in GRID)),
    right=FormulaCard("x", 0.8, 1, surface=tuple(tuple(-1.23456e-5 for _ in GRID) for _ in GRID)),
    figure=BallotFigure(
        "surface",
        (TIME, Axis("x", "", "", 0, 39)),
        HEIGHT,
        (GRID, GRID),
        tuple((i / 7, i / 9, i / 11) for i in range(300)),
        300,
    ),
)


def test_curves_differ_in_colour_and_in_dash_and_are_named_a_and_b() -> None:
    data, a, b = curve_figure(CURVE).data
    assert (data.name, a.name, b.name) == ("Data", "Formula A", "Formula B")
    assert a.line.color != b.line.color and a.line.dash != b.line.dash
    assert list(a.y) == [0.0, None, 2.0] and list(b.y) == [1.0, 2.0, 3.0]
    assert tuple(curve_figure(CURVE).layout.yaxis.range) == (-1, 5)


def test_sides_follow_the_ballot_and_nothing_else() -> None:
    turned = replace(CURVE, left=CURVE.right, right=CURVE.left)
    for one, other in zip(
        curve_figure(CURVE).data[1:], curve_figure(turned).data[:0:-1], strict=True
    ):
        assert list(one.y) == list(other.y) and one.line != other.line


@pytest.mark.parametrize("dark", [False, True])
def test_a_prepared_plot_is_what_plotly_writes_of_the_same_figure(dark: bool) -> None:
    """Plotly leaves out what says nothing: here the empty template."""
    for plot, figure in (
        (curve_plot(CURVE, dark=dark), curve_figure(CURVE, dark=dark)),
        (surface_plot(SURFACE, "left", dark=dark), surface_figure(SURFACE, "left", dark=dark)),
    ):
        prepared = json.loads(PreparedPlot.of(plot).spec)
        written = json.loads(figure.to_json())
        assert prepared["layout"].pop("template") is None
        written["layout"].pop("template", None)
        assert prepared == written


def test_both_maps_have_one_scale_and_the_data_in_its_colours() -> None:
    a, b = (surface_figure(SURFACE, side) for side in ("left", "right"))
    for figure in (a, b):
        surface, dots = figure.data
        assert (surface.zmin, surface.zmax) == (dots.marker.cmin, dots.marker.cmax) == (-1, 5)
        assert surface.colorscale == dots.marker.colorscale
        assert len(dots.x) == 300
    assert a.layout.xaxis.range == b.layout.xaxis.range
    assert a.layout.yaxis.range == b.layout.yaxis.range
    assert a.data[0].colorscale == b.data[0].colorscale


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_is_light_enough_for_a_slow_network(dark: bool) -> None:
    texts = [curve_figure(CURVE, dark=dark).to_json()]
    texts += [surface_figure(SURFACE, side, dark=dark).to_json() for side in ("left", "right")]
    assert max(len(text.encode()) for text in texts) < 100_000
    assert not any("bdata" in text or "customdata" in text for text in texts)


def test_a_map_with_holes_is_not_smoothed_and_says_so() -> None:
    holes = replace(SURFACE.left, surface=((None,) * 40, *SURFACE.left.surface[1:]))
    assert surface_figure(replace(SURFACE, left=holes), "right").data[0].zsmooth is False
    assert "blank" in caption(replace(SURFACE, left=holes))
    assert "blank" not in caption(SURFACE)


@pytest.mark.parametrize("dark", [False, True])
def test_lines_and_dots_stand_out_from_the_page(dark: bool) -> None:
    look = LOOKS[dark]
    for colour in (look.left, look.right, look.data):
        assert contrast(colour, look.paper) >= 3
    for colour in (look.ink, look.muted):
        assert contrast(colour, look.paper) >= 4.5


def test_the_scale_grows_lighter_at_every_step() -> None:
    black = [contrast(colour, "#000000") for colour in SCALE]
    assert black == sorted(black)
    assert scale_ticks(HEIGHT) == ("−1", "2", "5")


def test_the_caption_tells_what_the_eye_sees() -> None:
    assert "2 of 700 measurements of height, over time" in caption(CURVE)
    assert "solid line is formula A, the dashed line formula B" in caption(CURVE)


def test_names_that_look_like_markup_stay_text() -> None:
    odd = replace(CURVE.figure, target=Axis("<b>x</b>", "", "", 0, 1))
    title = json.loads(curve_figure(replace(CURVE, figure=odd)).to_json())["layout"]["yaxis"]
    assert title["title"]["text"] == "&lt;b&gt;x&lt;/b&gt;"
