"""Curves, maps, slices and residuals."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.fit import fit_of
from eic_core.measure.measured import measured_loss
from pages.ui.figures.data import (
    HEIGHT,
    MOST_ROWS,
    curve_figure,
    effects,
    residual_figure,
    slice_figure,
    surface_figure,
    telling_variables,
    worst_rows,
)
from pages.ui.figures.plotting import (
    axis_of,
    evenly_spread_rows,
    slice_defaults,
    value_limits,
    worst_row,
)
from tests.inspections import inspect_columns, inspect_ranges


def with_target(text, target, **columns):
    samples = Samples.from_columns(columns, target=target, target_name="t")
    return inspect(read(text).formula, samples)


def named(figure, name):
    return [t for t in figure.data if t.name == name]


@pytest.mark.parametrize(
    "text", ["x", "x-1", "x-x", "log(-x)", "sqrt(x-2)", "1/(x-2)", "floor(x)", "2+3"]
)
@pytest.mark.parametrize("dark", [False, True])
def test_every_curve_is_a_valid_figure(text, dark):
    inspection = inspect_ranges(text)
    for node in (0, len(inspection.nodes) - 1):
        figure = curve_figure(inspection, node, dark=dark, narrow=dark)
        go.Figure(figure.to_dict())
        assert len(figure.to_json()) < 200_000


def test_the_curve_is_the_formula_and_the_lower_panel_is_s_of_the_node():
    figure = curve_figure(inspect_ranges("10000*x-9999*x"), 6)
    (curve,), (s,) = named(figure, "formula"), named(figure, "s")
    assert np.allclose(curve.y, curve.x, rtol=1e-9)
    exact = math.sqrt(1 + 2 * (1e4**2 + 9999**2) + 1e4**2 + 9999**2)
    assert np.allclose(s.y, exact, rtol=1e-4)
    assert s.yaxis == "y2" and figure.layout.yaxis2.type == "log"
    # all rows lose the same: none is the worst
    assert not named(figure, "worst") and "worst" not in figure.layout.annotations[0].text


def test_both_panels_share_the_x_axis_and_it_bears_the_columns_name():
    figure = curve_figure(inspect_ranges("x-1"), 2, labels={"x": "radius <mm>"})
    assert {t.xaxis for t in figure.data} == {None}
    assert figure.layout.xaxis.title.text == "radius &lt;mm>"
    assert "no variable" in curve_figure(inspect_ranges("2+3"), 2).layout.annotations[0].text


def test_the_target_is_drawn_and_thinned():
    x = np.linspace(1, 2, 50_000)
    (points,) = named(curve_figure(with_target("x*2", x * 2, x=x), 2), "t")
    assert 1_000 < len(points.x) <= 2_001


def test_singular_and_invalid_samples_stand_on_the_edges():
    inspection = inspect_columns("log(x)", x=[-2.0, -1.0, 1.0, 2.0, 3.0])
    rugs = [t for t in curve_figure(inspection, 1).data if "symbol" in t.marker.to_plotly_json()]
    by_symbol = {t.marker.symbol: list(t.x) for t in rugs if t.name == "rows"}
    assert by_symbol["triangle-down"] == [1.0]
    assert by_symbol["line-ns-open"] == [-2.0, -1.0]


def test_a_curve_beyond_double_range_is_drawn_from_the_exact_samples():
    inspection = inspect_ranges("log(exp(x))", count=200, x=Domain("normal", 1000.0, 1.0))
    (curve,) = named(curve_figure(inspection, 1), "formula")
    assert np.isfinite(curve.y).all() and np.allclose(curve.y, curve.x)


def test_a_pole_is_not_bridged():
    (curve,) = named(curve_figure(inspect_ranges("1/(x-3)"), 4), "formula")
    assert np.isnan(curve.y).sum() >= 1


@pytest.mark.parametrize(
    ("x", "y"), [([3.0, 2.0, 5.0], [1.0, 2.0001, 1.0]), ([1.0001, 2.0], [1.0, 2.0])]
)
def test_the_worst_sample_is_the_one_with_the_largest_s_or_a_singular_one(x, y):
    _, s = inspect_columns("x-y", x=x, y=y).amplification.trace(2)
    assert worst_row(s) == 1 == worst_rows(s)[0]


def test_there_is_no_worst_sample_where_none_is_valid():
    assert worst_row(inspect_ranges("log(-x)").amplification.trace(1)[1]) is None
    surface_figure(inspect_ranges("log(-x)*y"), 2)


def heat_map(figure):
    (heat,) = [t for t in figure.data if t.type == "heatmap"]
    return heat


def test_the_map_shows_log_s_on_the_fixed_scale_and_marks_the_worst_hundredth():
    inspection = inspect_ranges("x-y", count=2_000)
    figure = surface_figure(inspection, 2)
    go.Figure(figure.to_dict())
    digits = heat_map(figure)
    assert (digits.zmin, digits.zmax) == (0, 16)
    s = inspection.amplification.trace(2)[1]
    (marked,) = named(figure, "worst")
    assert sorted(marked.customdata) == sorted(np.argsort(-s)[:20])
    assert list(marked.x) == list(inspection.samples.columns["x"][marked.customdata])
    assert "worst 20 rows" in figure.layout.annotations[0].text
    assert len(figure.to_json()) < 200_000


def test_the_map_leaves_gaps_where_there_is_no_real_value():
    digits = heat_map(surface_figure(inspect_ranges("log(x-y)"), 3))
    assert 0.4 < np.isnan(digits.z).mean() < 0.6
    assert digits.hoverongaps is False


def test_lines_of_equal_value_with_labels_lie_over_the_map_of_s():
    figure = surface_figure(inspect_ranges("x*y"), 2)
    (lines,) = named(figure, "value")
    assert lines.type == "contour" and lines.contours.showlabels
    assert np.allclose(lines.z, lines.x[None, :] * lines.y[:, None], rtol=1e-6)
    drawn = lines.contours
    count = round((drawn.end - drawn.start) / drawn.size) + 1
    assert 3 <= count <= 9 and lines.z.min() < drawn.start < drawn.end < lines.z.max()
    assert "lines: value" in figure.layout.annotations[0].text


def test_a_value_over_orders_of_magnitude_has_lines_of_its_logarithm_and_a_constant_none():
    figure = surface_figure(inspect_ranges("exp(x*y)"), 3)
    (lines,) = named(figure, "value")
    assert np.allclose(lines.z, lines.x[None, :] * lines.y[:, None] / math.log(10), rtol=1e-5)
    assert "log₁₀ of the value" in figure.layout.annotations[0].text
    assert not named(surface_figure(inspect_ranges("0*x*y + 1"), 6), "value")


def test_the_worst_hundredth_is_marked_in_both_panels_of_a_curve():
    inspection = inspect_ranges("1/(x-2)", count=5_000)
    s = inspection.amplification.trace(4)[1]
    value, below = named(curve_figure(inspection, 4), "worst")
    assert (value.yaxis, below.yaxis) == ("y", "y2")
    for marks in (value, below):
        assert sorted(marks.customdata) == sorted(np.argsort(-s)[:50])
    assert sorted(below.y) == sorted(np.sort(s)[-50:])


def test_s_is_in_every_variant_of_the_picture_and_all_are_of_one_height():
    one, two, more = (inspect_ranges(text) for text in ("1/(x-2)", "x-y", "x*y-z"))
    curves = [curve_figure(one, 4), slice_figure(more, 4, "x", None, {})]
    maps = [surface_figure(two, 2), slice_figure(more, 4, "x", "z", {})]
    for figure in curves:
        (s,) = named(figure, "s")
        assert np.isfinite(s.y).all()
        colours = s.marker
        assert np.allclose(colours.color, np.log10(s.y), atol=1e-5)
        assert (colours.cmin, colours.cmax) == (0, 16)
        low, high = figure.layout.yaxis2.domain
        assert high - low > 0.4
    for figure in maps:
        assert heat_map(figure).name == "log₁₀ s"
    assert {figure.layout.height for figure in [*curves, *maps]} == {HEIGHT}


@pytest.mark.parametrize("text", ["1/(x-2)", "1/(x-y)", "x*y-z"])
def test_a_click_finds_the_measured_and_the_worst_rows(text):
    inspection = inspect_ranges(text, count=5_000)
    root = len(inspection.nodes) - 1
    names = inspection.formula.variables
    figure = {
        1: lambda: curve_figure(inspection, root),
        2: lambda: surface_figure(inspection, root),
        3: lambda: slice_figure(inspection, root, *names[:2], {}),
    }[len(names)]()
    go.Figure(figure.to_dict())
    for rows in named(figure, "rows"):
        places = np.array(rows.customdata)
        assert set(measured_loss(inspection).positions) <= set(places)
        assert set(worst_rows(inspection.amplification.trace(root)[1])) <= set(places)
        assert len(places) <= MOST_ROWS
        assert list(rows.x) == list(inspection.samples.columns[names[0]][places])


def test_the_variables_that_matter_are_chosen_by_what_they_do_to_s():
    # a and b come first by name.
    inspection = inspect_ranges("a + b + 1000/(w - 0.99) + c**6", count=2_000)
    root = len(inspection.nodes) - 1
    assert set(telling_variables(inspection, root)[:2]) == {"w", "c"}


def test_a_variable_moves_s_by_the_range_of_its_digits():
    assert effects(inspect_ranges("x + 0*y", x=(1.0, 2.0)), 0) == {"x": 0.0, "y": 0.0}
    wide = inspect_ranges("exp(x) + 0*y", x=Domain("loguniform", 1.0, 100.0), y=(0.0, 1.0))
    moved = effects(wide, 1)
    assert moved["y"] == 0 and moved["x"] == pytest.approx(0.9 * 2, abs=0.1)


def test_variables_below_the_node_to_blame_come_first():
    inspection = inspect_ranges("a*b + (y - z)*1e-9", count=1_000)
    blamed = next(n.node.id for n in inspection.nodes if n.text == "y - z" or n.text == "y − z")
    assert set(telling_variables(inspection, blamed)[:2]) == {"y", "z"}


def test_a_slice_holds_the_other_variables_at_first_at_their_medians():
    (curve,) = named(
        slice_figure(inspect_ranges("x*y+z"), 4, "x", None, {"y": 2.0, "z": 1.0}), "formula"
    )
    assert np.allclose(curve.y, 2 * curve.x + 1)
    assert slice_defaults(inspect_ranges("x*y", x=Domain("fixed", 3.0, 3.0)))["x"] == 3.0


def test_a_slice_over_two_variables_is_a_map_in_which_no_row_is_seen():
    figure = slice_figure(inspect_ranges("x*y+z"), 4, "x", "z", {"y": 2.0}, dark=True)
    go.Figure(figure.to_dict())
    (rows,) = named(figure, "rows")
    assert rows.marker.opacity == 0 and "at its own y" in rows.hovertemplate
    value = np.array(heat_map(figure).customdata)
    x, z = heat_map(figure).x, heat_map(figure).y
    assert np.allclose(value, 2 * x[None, :] + z[:, None])


def test_samples_over_orders_of_magnitude_get_a_logarithmic_axis():
    wide = sample_domains({"x": Domain("loguniform", 1e-3, 1e5)}, count=300)
    narrow = sample_domains({"x": Domain("uniform", 0.0, 1.0)}, count=300)
    assert axis_of(wide, "x").log and not axis_of(narrow, "x").log
    assert len(axis_of(wide, "x").grid(600)) == 600


def test_residuals_are_target_minus_prediction_with_r_squared_in_the_title():
    figure = residual_figure(with_target("2*x", [2.0, 4.0, 7.0], x=[1.0, 2.0, 3.0]), dark=True)
    go.Figure(figure.to_dict())
    assert figure.layout.title.text == "R² = 0.921"
    assert list(figure.data[1].y) == [0.0, 0.0, 1.0]


def test_r_squared_is_undefined_with_a_reason_where_samples_are_invalid_or_targets_equal():
    inspection = with_target("log(x)", [0.0, 0.7, 1.2], x=[-1.0, 2.0, 3.0])
    fit = fit_of(inspection)
    assert math.isnan(fit.r2) and "1 of 3" in fit.reason and fit.r2_valid > 0.9
    assert "where defined" in residual_figure(inspection).layout.title.text
    constant = fit_of(with_target("x", [1.0, 1.0], x=[1.0, 2.0]))
    assert math.isnan(constant.r2) and "same everywhere" in constant.reason
    none_valid = with_target("log(-x)", [0.0, 1.0], x=[1.0, 2.0])
    assert "undefined" in residual_figure(none_valid).layout.title.text
    with pytest.raises(DataError, match="no target"):
        residual_figure(inspect_ranges("x"))


def test_thinning_keeps_the_rows_named():
    assert 7 in evenly_spread_rows(100_000, 100, 7)
    assert len(evenly_spread_rows(100_000, 100)) == 100


def test_a_pole_does_not_blow_up_the_axis_but_a_plain_curve_keeps_plotlys_choice():
    x = np.linspace(-1, 1, 1000)
    low, high = value_limits(1 / (x + 1e-9))
    assert -200 < low < 0 < high < 200
    assert value_limits(x) is None
