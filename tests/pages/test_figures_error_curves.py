"""Curves and maps of the digits lost, with the regions of branches."""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go
import pytest

from eic_core.drawing.chart import Chart, ChartAxis, Panel, Points, Stroke
from eic_core.drawing.inline import svg_of
from eic_core.drawing.scale import colour
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.report.error_curves import Along, error_curves, regions_along, ways_along
from eic_core.report.rulers import Ruler
from eic_core.rewriting.profile import Profile, profile
from pages.ui.figures.screen import draw

SIZES = np.geomspace(1e-6, 1e6, 40)
BOTH_SIGNS = np.concatenate([-SIZES, SIZES, [0.0]])
ROOT = "sqrt(x**2 + y) - x"
BETTER = "where(x > 0, y/(sqrt(x**2 + y) + x), sqrt(x**2 + y) - x)"


def of(formula: str, form: str, **columns: np.ndarray) -> Profile:
    samples = Samples.from_columns(columns)
    return profile(inspect(read(formula).formula, samples), read(form).formula)


@pytest.fixture
def two() -> Profile:
    rows = np.random.default_rng(1)
    return of(ROOT, BETTER, x=rows.uniform(-1e6, 1e6, 80), y=rows.uniform(1, 2, 80))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_plotly_takes_every_figure(two: Profile, dark: bool, narrow: bool) -> None:
    for along in ways_along(two):
        chart = error_curves(two, along, two)
        go.Figure(draw(chart, dark=dark, narrow=narrow).to_dict())
        assert "NaN" not in svg_of(chart) and "nan" not in svg_of(chart)
    assert [way.kind for way in ways_along(two)] == ["map", "input", "input"]


def test_points_of_a_document_have_their_own_shape_and_the_colour_of_their_loss() -> None:
    points = Points([1, 10, 100], [0, 1, np.nan], "diamond", digits=[0, 8, 4])
    chart = Chart((Panel((points,), ChartAxis(log=True), ChartAxis()),), "")
    drawn = re.findall(
        r'<text x="(.*?)" y=".*?" text-anchor="middle" style="fill:(.*?);', svg_of(chart)
    )
    inks = [f"light-dark({colour(digits)},{colour(digits, True)})" for digits in (0, 8)]
    assert drawn == [("0.00%", inks[0]), ("50.00%", inks[1])]
    assert svg_of(chart).count("◆") == 2


def test_a_threshold_of_one_input_lies_where_the_condition_turns() -> None:
    lost = of("sin(x) - x", "where(abs(x) <= 0.1, -x**3/6, sin(x) - x)", x=BOTH_SIGNS)
    along = ways_along(lost)[0]
    ruler = Ruler.of(lost.inputs["x"])
    regions = regions_along(lost, along, ruler)
    assert [region.branch for region in regions] == [1, 0, 1]
    ends = ruler.value(np.array([region.left for region in regions[1:]]))
    assert ends == pytest.approx([-0.1, 0.1], rel=1e-9)


def test_rows_of_branches_that_lie_among_one_another_have_no_regions(two: Profile) -> None:
    assert regions_along(two, Along("input", "y"), Ruler.of(two.inputs["y"])) == ()
    names = [mark.name for mark in error_curves(two, Along("input", "y")).panels[0].marks]
    assert names[-2:] == ["instead, A", "instead, B"]
    across = regions_along(two, Along("input", "x"), Ruler.of(two.inputs["x"]))
    assert [region.branch for region in across] == [1, 0]


def test_maps_have_one_scale_of_colours(two: Profile) -> None:
    written, instead = error_curves(two, Along("map")).panels
    assert [type(mark) for mark in written.marks[:-1]] == [Points]
    assert sorted(written.marks[0].digits) == sorted(two.before[~np.isnan(two.before)])
    areas = [mark for mark in instead.marks if isinstance(mark, Stroke) and mark.filled]
    assert len({area.colour for area in areas}) == len(areas) == 2
    figure = draw(error_curves(two, Along("map")))
    bars = [trace.marker.showscale for trace in figure.data if trace.type == "scatter"]
    assert bars[0] is None and bars[-1] is True


def test_areas_of_a_map_end_where_the_conditions_turn() -> None:
    rows = np.random.default_rng(2)
    x, y = rows.permutation(SIZES), rows.permutation(SIZES)
    form = "where(x*y < 100, x*y/(sqrt(x*y + 1) + 1), where(x < 1e-3, sqrt(x*y + 1) - 1, 0))"
    map_ = error_curves(of("sqrt(x*y + 1) - 1", form, x=x, y=y), Along("map"))
    border, *areas = [mark for mark in map_.panels[1].marks if isinstance(mark, Stroke)][::-1]
    across, up = (Ruler.of(each).value(np.array(at)) for each, at in ((x, border.x), (y, border.y)))
    drawn = np.isfinite(across) & np.isfinite(up)
    slanted = np.abs(across * up / 100 - 1) < 1e-9
    upright = np.abs(across / 1e-3 - 1) < 1e-9
    assert slanted.sum() > 60 and upright.sum() > 20
    assert (slanted | upright)[drawn].all() and (across * up)[drawn].min() > 99
    assert len(areas) == 3
    wide, tall = (np.subtract(*Ruler.of(each).limits()) for each in (x, y))
    whole = sum(shoelace(area) for area in areas)
    assert whole == pytest.approx(wide * tall, rel=1e-2)


def shoelace(area: Stroke) -> float:
    """Of all polygons that are apart by gaps."""
    points = np.column_stack([area.x, area.y])
    parts = np.split(points, np.flatnonzero(np.isnan(points[:, 0])))
    corners = [part[~np.isnan(part).any(axis=1)] for part in parts]
    return sum(
        abs(float(np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]))) / 2
        for x, y in (part.T for part in corners)
    )


def test_a_plain_form_has_curves_without_regions() -> None:
    plain = of("sqrt(x+1) - sqrt(x)", "1/(sqrt(x+1) + sqrt(x))", x=np.geomspace(1, 1e8, 50))
    [panel] = error_curves(plain, ways_along(plain)[0]).panels
    assert {type(mark).__name__ for mark in panel.marks} == {"Stroke", "Points"}
    assert {mark.name for mark in panel.marks} == {"", "as written", "instead"}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (BOTH_SIGNS, "decades"),
        (SIZES, "decades"),
        (-SIZES, "decades"),
        (np.linspace(-1, 1, 30), "linear"),
        (np.zeros(3), "linear"),
        (np.array([np.nan]), "linear"),
        (np.array([1e-300, 1e300, -1e300, 1.0, 1e5]), "decades"),
    ],
)
def test_a_ruler_keeps_the_order_and_gives_numbers_back(values: np.ndarray, kind: str) -> None:
    ruler = Ruler.of(values)
    assert ruler.kind == kind
    places = ruler.place(values)
    order = np.argsort(values, kind="stable")
    assert (np.diff(places[order]) >= 0).all() or np.isnan(values).any()
    finite = np.isfinite(values)
    assert ruler.value(places)[finite] == pytest.approx(values[finite], rel=1e-9)
    low, high = ruler.limits()
    ticks = [tick for tick, _ in ruler.ticks(8)]
    assert ticks and len(ticks) <= 12
    assert all(low <= tick <= high for tick in ticks)
