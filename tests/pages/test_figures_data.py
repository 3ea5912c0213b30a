"""Curves, maps, slices and residuals."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from eic_core.drawing.chart import Cells, Chart, Label, Points, Stroke
from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.fit import fit_of
from eic_core.measure.measured import measured_loss
from pages.ui.figures.data import (
    HEIGHT,
    MOST_ROWS,
    data_figure,
    effects,
    residual_figure,
    telling_variables,
    worst_rows,
)
from pages.ui.figures.plotting import (
    axis_of,
    evenly_spread_rows,
    slice_defaults,
    value_limits,
)
from pages.ui.figures.screen import draw
from tests.inspections import inspect_columns, inspect_ranges


def with_target(text, target, **columns):
    samples = Samples.from_columns(columns, target=target, target_name="t")
    return inspect(read(text).formula, samples)


def of(chart, kind, panel=0, **look):
    """The marks of a panel that are of a kind and look like this."""
    marks = (mark for mark in chart.panels[panel].marks if isinstance(mark, kind))
    return [m for m in marks if all(getattr(m, part) == value for part, value in look.items())]


def texts(chart):
    return [mark.text for panel in chart.panels for mark in panel.marks if isinstance(mark, Label)]


def keyed(chart):
    return [m for k in range(len(chart.panels)) for m in of(chart, Points, k) if len(m.keys)]


@pytest.mark.parametrize(
    "text", ["x", "x-1", "x-x", "log(-x)", "sqrt(x-2)", "1/(x-2)", "floor(x)", "2+3"]
)
@pytest.mark.parametrize("dark", [False, True])
def test_every_curve_is_a_valid_figure(text, dark):
    inspection = inspect_ranges(text)
    for node in (0, len(inspection.nodes) - 1):
        figure = draw(data_figure(inspection, node), dark=dark, narrow=dark)
        go.Figure(figure.to_dict())
        assert len(figure.to_json()) < 300_000


def test_the_curve_is_the_formula_and_the_lower_panel_the_digits_of_the_node():
    chart = data_figure(inspect_ranges("10000*x-9999*x"), 6)
    (value,), (lost,) = of(chart, Stroke), of(chart, Stroke, 1)
    there = np.isfinite(value.x)
    assert np.allclose(value.y[there], value.x[there], rtol=1e-9)
    exact = math.sqrt(1 + 2 * (1e4**2 + 9999**2) + 1e4**2 + 9999**2)
    assert np.allclose(lost.y[np.isfinite(lost.y)], math.log10(exact), rtol=1e-4)
    # all rows lose the same: none is the worst
    assert not of(chart, Points, symbol="diamond-open")[0].x.size and "worst" not in chart.words


def test_both_panels_share_the_x_axis_and_it_bears_the_columns_name():
    chart = data_figure(inspect_ranges("x-1"), 2, labels={"x": "radius <mm>"})
    assert chart.joined and {panel.x.title for panel in chart.panels} == {"radius <mm>"}
    layout = draw(chart).layout
    assert layout.xaxis2.title.text == "radius &lt;mm>" and layout.meta == {"axes": ["x"]}
    assert "no variable" in data_figure(inspect_ranges("2+3"), 2).words


def test_the_target_is_drawn_and_thinned():
    x = np.linspace(1, 2, 50_000)
    (points,) = of(data_figure(with_target("x*2", x * 2, x=x), 2), Points, size=4)
    assert 1_000 < len(points.x) <= 2_001


def test_singular_and_invalid_samples_stand_on_the_edges():
    inspection = inspect_columns("log(x)", x=[-2.0, -1.0, 1.0, 2.0, 3.0])
    by_symbol = {mark.symbol: list(mark.x) for mark in of(data_figure(inspection, 1), Points, 1)}
    assert by_symbol["triangle-down"] == [1.0]
    assert by_symbol["line-ns"] == [-2.0, -1.0]


def test_beyond_double_range_the_exact_samples_are_drawn():
    inspection = inspect_ranges("log(exp(x))", count=200, x=Domain("normal", 1000.0, 1.0))
    chart = data_figure(inspection, 1)
    (points,) = of(chart, Points, quantity="value")
    assert np.isfinite(points.y).all() and np.allclose(points.y, points.x)
    assert not of(chart, Stroke)


def test_a_pole_is_not_bridged_and_no_oscillation_passes_for_a_slower_one():
    (curve,) = of(data_figure(inspect_ranges("1/(x-3)"), 4), Stroke)
    sides = np.split(curve.y, np.flatnonzero(np.isnan(curve.y)))
    assert all((side > 0).all() or (side < 0).all() for side in (s[~np.isnan(s)] for s in sides))
    fast = inspect_ranges("sin(10000*x)", x=(0.0, 1.0))
    (curve,) = of(data_figure(fast, 3), Stroke)
    for low in np.linspace(0, 0.98, 50):
        part = curve.y[(curve.x >= low) & (curve.x <= low + 0.02)]
        assert np.nanmin(part) < -0.99 and np.nanmax(part) > 0.99


@pytest.mark.parametrize(
    ("x", "y"), [([3.0, 2.0, 5.0], [1.0, 2.0001, 1.0]), ([1.0001, 2.0], [1.0, 2.0])]
)
def test_the_worst_sample_is_the_one_with_the_largest_s_or_a_singular_one(x, y):
    _, s = inspect_columns("x-y", x=x, y=y).amplification.trace(2)
    assert worst_rows(s)[0] == 1


def test_there_is_no_worst_sample_where_none_is_valid():
    assert not len(worst_rows(inspect_ranges("log(-x)").amplification.trace(1)[1]))
    data_figure(inspect_ranges("log(-x)*y"), 2)


def heat_map(chart: Chart) -> Cells:
    (heat,) = of(chart, Cells)
    return heat


def test_the_map_shows_digits_on_the_fixed_scale_and_marks_the_worst_hundredth():
    inspection = inspect_ranges("x-y", count=2_000)
    chart = data_figure(inspection, 2)
    figure = draw(chart)
    go.Figure(figure.to_dict())
    (heat,) = (trace for trace in figure.data if trace.type == "heatmap")
    assert (heat.zmin, heat.zmax) == (0, 16) and heat.hoverongaps is False
    s = inspection.amplification.trace(2)[1]
    (marked,) = of(chart, Points, colour="paper")
    assert sorted(marked.x) == sorted(inspection.samples.columns["x"][np.argsort(-s)[:20]])
    assert "worst 20 rows" in texts(chart)[0] and "worst 20 rows" in chart.words
    assert len(figure.to_json()) < 300_000


def test_the_map_leaves_gaps_where_there_is_no_real_value():
    assert 0.4 < np.isnan(heat_map(data_figure(inspect_ranges("log(x-y)"), 3)).digits).mean() < 0.6


def test_lines_of_equal_value_with_labels_lie_over_the_map():
    chart = data_figure(inspect_ranges("x*y"), 2)
    lines = of(chart, Stroke, colour="ink")
    assert 3 <= len(lines) <= 9 and any("lines: value" in text for text in texts(chart))
    for line in lines:
        products = (line.x * line.y)[np.isfinite(line.x)]
        assert np.ptp(products) < 0.02 * products.mean()
        assert f"{products.mean():.0f}" in texts(chart)


def test_a_value_over_orders_of_magnitude_has_lines_of_its_logarithm_and_a_constant_none():
    chart = data_figure(inspect_ranges("exp(x*y)"), 3)
    assert any("log₁₀ of the value" in text for text in texts(chart))
    assert len(of(chart, Stroke, colour="ink")) >= 3
    assert not of(data_figure(inspect_ranges("0*x*y + 1"), 6), Stroke)


def test_the_worst_hundredth_is_marked_in_both_panels_of_a_curve():
    inspection = inspect_ranges("1/(x-2)", count=5_000)
    worst = np.argsort(-inspection.amplification.trace(4)[1])[:50]
    chart = data_figure(inspection, 4)
    for panel in (0, 1):
        (marks,) = of(chart, Points, panel, symbol="diamond-open")
        assert sorted(marks.x) == sorted(inspection.samples.columns["x"][worst])


def test_digits_are_in_every_variant_of_the_picture_and_all_are_of_one_height():
    one, two, more = (inspect_ranges(text) for text in ("1/(x-2)", "x-y", "x*y-z"))
    for chart in (data_figure(one, 4), data_figure(more, 4, "x")):
        (line,), (dots, *_) = of(chart, Stroke, 1), of(chart, Points, 1, size=3)
        assert np.array_equal(line.y, dots.digits, equal_nan=True)
        assert draw(chart).layout.height == pytest.approx(HEIGHT, abs=8)
    for chart in (data_figure(two, 2), data_figure(more, 4, "xz")):
        assert np.isfinite(heat_map(chart).digits).any() and "digits" in chart.scale
        assert draw(chart).layout.height == pytest.approx(HEIGHT, abs=8)


@pytest.mark.parametrize("text", ["1/(x-2)", "1/(x-y)"])
def test_a_click_finds_the_measured_and_the_worst_rows(text):
    inspection = inspect_ranges(text, count=5_000)
    root = len(inspection.nodes) - 1
    for rows in keyed(data_figure(inspection, root)):
        assert set(measured_loss(inspection).positions) <= set(rows.keys)
        assert set(worst_rows(inspection.amplification.trace(root)[1])) <= set(rows.keys)
        assert len(rows.keys) <= MOST_ROWS
        assert list(rows.x) == list(inspection.samples.columns["x"][rows.keys])


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
    chart = data_figure(inspect_ranges("x*y+z"), 4, "x", {"y": 2.0, "z": 1.0})
    (curve,) = of(chart, Stroke)
    assert np.allclose(curve.y, 2 * curve.x + 1, equal_nan=True)
    assert "at its own y and z" in keyed(chart)[0].hints[0]
    assert slice_defaults(inspect_ranges("x*y", x=Domain("fixed", 3.0, 3.0)))["x"] == 3.0


def test_a_slice_over_two_variables_is_a_map_in_which_no_row_is_seen():
    chart = data_figure(inspect_ranges("x*y+z"), 4, "xz", {"y": 2.0})
    go.Figure(draw(chart, dark=True).to_dict())
    heat = heat_map(chart)
    assert not keyed(chart) and chart.inputs == ("x", "z")
    assert np.allclose(heat.values, 2 * heat.x[None, :] + heat.y[:, None])


def test_samples_over_orders_of_magnitude_get_a_logarithmic_axis():
    wide = sample_domains({"x": Domain("loguniform", 1e-3, 1e5)}, count=300)
    narrow = sample_domains({"x": Domain("uniform", 0.0, 1.0)}, count=300)
    assert axis_of(wide, "x").log and not axis_of(narrow, "x").log
    assert len(axis_of(wide, "x").grid(600)) == 600


def test_both_panels_of_a_wide_range_have_one_logarithmic_axis():
    wide = sample_domains({"x": Domain("loguniform", 1.0, 1e8)}, count=300)
    layout = draw(data_figure(inspect(read("sqrt(x+1)-sqrt(x)").formula, wide), 6)).layout
    assert layout.xaxis.type == layout.xaxis2.type == "log"
    assert list(layout.xaxis.range) == list(layout.xaxis2.range)
    assert layout.xaxis.title.text == "" and layout.xaxis.matches == "x2"


def test_residuals_are_target_minus_prediction_with_r_squared_in_the_title():
    chart = residual_figure(with_target("2*x", [2.0, 4.0, 7.0], x=[1.0, 2.0, 3.0]))
    go.Figure(draw(chart, dark=True).to_dict())
    assert texts(chart) == ["R² = 0.921"]
    assert list(of(chart, Points, 1)[0].y) == [0.0, 0.0, 1.0]
    assert [list(mark.keys) for mark in keyed(chart)] == [[0, 1, 2]] * 2


def test_r_squared_is_undefined_with_a_reason_where_samples_are_invalid_or_targets_equal():
    inspection = with_target("log(x)", [0.0, 0.7, 1.2], x=[-1.0, 2.0, 3.0])
    fit = fit_of(inspection)
    assert math.isnan(fit.r2) and "1 of 3" in fit.reason and fit.r2_valid > 0.9
    assert "where defined" in residual_figure(inspection).words
    constant = fit_of(with_target("x", [1.0, 1.0], x=[1.0, 2.0]))
    assert math.isnan(constant.r2) and "same everywhere" in constant.reason
    none_valid = with_target("log(-x)", [0.0, 1.0], x=[1.0, 2.0])
    assert "undefined" in residual_figure(none_valid).words
    with pytest.raises(DataError, match="no target"):
        residual_figure(inspect_ranges("x"))


def test_thinning_keeps_the_rows_named():
    assert 7 in evenly_spread_rows(100_000, 100, 7)
    assert len(evenly_spread_rows(100_000, 100)) == 100


def test_a_pole_does_not_blow_up_the_axis_and_a_plain_curve_fills_it():
    x = np.linspace(-1, 1, 1000)
    low, high = value_limits(1 / (x + 1e-9))
    assert -200 < low < 0 < high < 200
    assert value_limits(x) == pytest.approx((-1.1, 1.1))
