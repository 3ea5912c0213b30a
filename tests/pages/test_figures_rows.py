"""The picture of the rows says what the numbers say."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from eic_core import wording
from eic_core.explain.settling import growth_of
from eic_core.explain.where import where
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.report.charts import growth as growth_chart
from pages.ui.figures.data import curve_figure, slice_figure, surface_figure, worst_rows
from pages.ui.figures.rows import INPUT, ROW, VALUE, Across, rows_figure, ways_across
from pages.ui.figures.screen import draw
from tests.inspections import inspect_columns, inspect_ranges


def marked(figure):
    return [t for t in figure.data if t.marker.symbol in ("diamond", "circle", "circle-open")]


@pytest.mark.parametrize(
    "text", ["x", "2", "x-1", "log(x-2)", "1/(x-2)", "floor(x)", "x*y-x", "log(log(x)-y)", "x-x+y"]
)
@pytest.mark.parametrize("dark", [False, True])
def test_every_way_to_draw_the_rows_is_a_valid_figure(text, dark):
    inspection = inspect_ranges(text)
    for node in (0, len(inspection.nodes) - 1):
        found = where(inspection, node)
        for across in ways_across(found) if found.carriers else ():
            figure = rows_figure(found, across, dark=dark, narrow=dark)
            go.Figure(figure.to_dict())
            assert len(figure.to_json()) < 300_000


def test_the_three_groups_are_the_carriers_of_50_90_and_99_per_cent():
    found = where(inspect_ranges("1/(x-2)", count=2_000))
    groups = marked(rows_figure(found, ways_across(found)[0]))
    sizes = np.cumsum([len(t.x) for t in groups])
    assert list(sizes) == [len(c.positions) for c in found.carriers]
    drawn = np.concatenate([t.y for t in groups])
    assert sorted(drawn) == pytest.approx(sorted(found.shares[list(found.carriers[2].positions)]))
    assert groups[0].name.startswith("50 %: ") and groups[-1].name.startswith("to 99 %: ")


@pytest.mark.parametrize("text", ["exp(x)/(1+exp(x))", "1/(x-2)", "x-1", "log(x)"])
def test_the_even_lines_name_stands_where_fewest_rows_are_drawn(text):
    """Counted anew in a box of a third of the width and a tenth of the height."""
    found = where(inspect_ranges(text, count=2_000, x=(0.5, 700.0)))
    figure = rows_figure(found, next(a for a in ways_across(found) if a.kind == INPUT))
    (note,) = [a for a in figure.layout.annotations if a.text == "an even share"]
    (low, high), span = figure.layout.xaxis.range, figure.layout.yaxis.range
    x = found.inspection.samples.columns["x"]
    x = np.log10(x) if figure.layout.xaxis.type == "log" else x
    shares = np.log10(np.maximum(found.shares, 10.0 ** (span[0] + 0.15)))
    height = 0.1 * (span[1] - span[0])

    def rows_in(side: str, level: str) -> int:
        near = (x - low) / (high - low)
        beside = near < 0.3 if side == "left" else near > 0.7
        gap = (shares - note.y) if level == "bottom" else (note.y - shares)
        return int((beside & (gap > 0) & (gap < height)).sum())

    least = min(rows_in(s, v) for s in ("left", "right") for v in ("top", "bottom"))
    assert rows_in(note.xanchor, note.yanchor) <= least + 0.02 * len(x)


def test_the_caption_has_a_line_of_room_above_the_figure():
    for text, plot in (("1/(x-2)", curve_figure), ("x*y - x", surface_figure)):
        inspection = inspect_ranges(text, count=2_000)
        figure = plot(inspection, len(inspection.nodes) - 1)
        (note,) = [a for a in figure.layout.annotations if str(a.text).startswith("s at ")]
        assert "<br>" not in note.text
        assert (note.y, note.yanchor) == (1, "bottom")
        assert figure.layout.margin.t >= note.yshift + 15.6


def test_the_node_that_crosses_zero_is_named_at_the_place():
    found = where(inspect_ranges("1/(x-2)", count=5_000))
    (across, *_) = ways_across(found)
    figure = rows_figure(found, across)
    assert across == Across(INPUT, "x")
    assert "x − 2 crosses zero" in [a.text for a in figure.layout.annotations]
    (line,) = [s for s in figure.layout.shapes if s.yref == "paper"]
    assert line.x0 == pytest.approx(2, abs=0.01)


def test_two_inputs_that_cancel_are_drawn_against_their_difference():
    found = where(inspect_ranges("exp(-(a-b)**2)", count=5_000), 2)
    assert VALUE in [way.kind for way in ways_across(found)[:2]]
    figure = rows_figure(found, next(w for w in ways_across(found) if w.kind == VALUE))
    assert figure.layout.xaxis.title.text == "value of a − b"
    (line,) = [s for s in figure.layout.shapes if s.yref == "paper"]
    assert line.x0 == line.x1 == 0


def test_a_table_without_a_telling_input_is_drawn_against_its_row_numbers():
    samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]}, rows=np.array([4, 17, 20]))
    found = where(inspect(read("x*3").formula, samples))
    across = ways_across(found)[0]
    assert across == Across(ROW)
    assert sorted(x for t in rows_figure(found, across).data for x in t.x) == [4, 17, 20]


def test_rows_without_a_digit_and_without_a_value_stand_on_the_edges():
    found = where(inspect_columns("log(x)", x=[-2.0, -1.0, 1.0, 2.0, 3.0]))
    data = rows_figure(found, Across(INPUT, "x")).data
    by_symbol = {t.marker.symbol: list(t.x) for t in data}
    assert by_symbol["triangle-down"] == [1.0]
    assert by_symbol["line-ns-open"] == [-2.0, -1.0]


@pytest.mark.parametrize("count", [3, 50, 500, 5_000, 50_000])
def test_the_scale_of_shares_is_labelled_at_both_ends(count):
    found = where(inspect_ranges("1/(x-2)", count=count))
    figure = rows_figure(found, Across(INPUT, "x"), labels={"x": "<b>radius</b>"})
    axis = figure.layout.yaxis
    assert axis.ticktext[-1] == "100 %" and axis.tickvals[-1] == 1
    assert math.log10(axis.tickvals[0]) == pytest.approx(axis.range[0] + 0.15)
    assert list(axis.tickvals) == sorted(set(axis.tickvals)) and len(axis.tickvals) <= 8
    assert figure.layout.xaxis.title.text == "&lt;b>radius&lt;/b>"
    same = rows_figure(where(inspect_ranges("x", count=count)), Across(INPUT, "x"))
    low, high = same.layout.yaxis.range
    assert high > 0 and low < math.log10(1 / count) - 2
    assert not marked(same), "every row gives the same share"


def test_a_million_rows_are_thinned_and_no_carrier_of_a_few_is_lost():
    found = where(inspect_ranges("1/(x-2)", count=50_000))
    figure = rows_figure(found, ways_across(found)[0])
    assert sum(len(t.x) for t in figure.data) < 4_000
    assert len(marked(figure)[0].x) == len(found.carriers[0].positions)


def test_growth_ends_at_all_rows_and_goes_on_at_the_same_rate():
    u = (np.arange(1_600) + 0.5) / 1_600
    growth = growth_of(1 + 1 / (u - 0.5001) ** 2)
    chart = growth_chart(growth)
    go.Figure(draw(chart).to_dict())
    band, curve, _, beyond, _ = chart.panels[0].marks
    assert curve.y == list(growth.local_eic) and curve.x == list(growth.counts)
    assert beyond.x[1] == 10 * beyond.x[0] == 16_000
    assert beyond.y[1] - beyond.y[0] == pytest.approx(growth.per_decade)
    assert len(band.x) == 2 * len(growth.counts)
    assert chart.panels[0].y.limits[0] == 0 and chart.panels[0].x.log


def worst_in(figure):
    return [t for t in figure.data if t.name == "worst"]


def test_the_worst_rows_are_marked_in_the_curve_and_in_the_map():
    inspection = inspect_ranges("1/(x-2)", count=5_000)
    _, marks = worst_in(curve_figure(inspection, 4))
    rows = list(worst_rows(inspection.amplification.trace(4)[1]))
    assert len(rows) == 50
    assert sorted(marks.x) == sorted(inspection.samples.columns["x"][rows])
    two = inspect_ranges("1/(x-y)", count=5_000)
    (marks,) = worst_in(surface_figure(two, 4))
    assert sorted(marks.customdata) == sorted(worst_rows(two.amplification.trace(4)[1]))
    go.Figure(surface_figure(two, 4).to_dict())


def caption_of(figure):
    (caption,) = [a.text for a in figure.layout.annotations if "worst" in a.text]
    return caption


def test_in_a_slice_the_worst_rows_stand_at_their_own_values():
    inspection = inspect_ranges("exp(-((a-b)/c)**2)", count=5_000)
    columns = inspection.samples.columns
    _, s = inspection.amplification.trace(4)
    rows = sorted(worst_rows(s))
    on_map = slice_figure(inspection, 4, "a", "b", {"c": 2.0})
    (marks,) = worst_in(on_map)
    assert sorted(marks.customdata) == rows
    assert sorted(zip(marks.x, marks.y, strict=True)) == sorted(
        (columns["a"][k], columns["b"][k]) for k in rows
    )
    on_curve = slice_figure(inspection, 4, "a", None, {"b": 2.0, "c": 2.0})
    (marks,) = worst_in(on_curve)  # the value of a cut is not that of the rows
    assert sorted(zip(marks.x, marks.y, strict=True)) == sorted(
        (columns["a"][k], s[k]) for k in rows
    )
    assert math.log10(max(marks.y)) < on_curve.layout.yaxis2.range[1]
    assert caption_of(on_curve).endswith(" · points: all rows")
    for figure, own in ((on_map, "at its own c"), (on_curve, "at its own b and c")):
        assert own in next(t.hovertemplate for t in figure.data if t.name == "rows")
        go.Figure(figure.to_dict())


def test_the_caption_tells_how_much_of_the_noise_the_worst_rows_carry_and_names_are_inert():
    inspection = inspect_ranges("1/(a-b) + 0*c*d*g", count=5_000)
    share = where(inspection, 4).shares[worst_rows(inspection.amplification.trace(4)[1])].sum()
    caption = caption_of(slice_figure(inspection, 4, "a", "b", {}, narrow=True))
    assert caption.endswith(f"◇ worst 50 rows: {wording.percent(share)} of the noise")
    one = inspect_ranges("1/(a-b) + 0*c", count=5_000)
    wide = slice_figure(one, 4, "a", "b", {}, labels={"c": "<b>mass</b>"})
    (rows,) = [t for t in wide.data if t.name == "rows"]
    assert "at its own &lt;b>mass&lt;/b>" in rows.hovertemplate


def test_rows_without_a_digit_are_counted_among_the_worst():
    inspection = inspect_columns("x - 1", x=[1.0, 1.0, *np.linspace(2.0, 3.0, 300)])
    assert "worst 4 rows: 2 without a digit" in caption_of(curve_figure(inspection, 2))
