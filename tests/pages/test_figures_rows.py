"""The picture of the rows says what the numbers say."""

from __future__ import annotations

import math

import numpy as np
import plotly.graph_objects as go
import pytest

from eic_core import wording
from eic_core.drawing.chart import Guide, Label, Points
from eic_core.explain.settling import growth_of
from eic_core.explain.where import where
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.report.charts import growth as growth_chart
from pages.ui.figures.data import data_figure, worst_rows
from pages.ui.figures.rows import INPUT, ROW, VALUE, Across, rows_figure, ways_across
from pages.ui.figures.screen import draw
from tests.inspections import inspect_columns, inspect_ranges


def of(chart, kind, panel=0, **look):
    """The marks of a panel that are of a kind and look like this."""
    marks = (mark for mark in chart.panels[panel].marks if isinstance(mark, kind))
    return [m for m in marks if all(getattr(m, part) == value for part, value in look.items())]


def marked(chart):
    return of(chart, Points, colour="accent")


@pytest.mark.parametrize(
    "text", ["x", "2", "x-1", "log(x-2)", "1/(x-2)", "floor(x)", "x*y-x", "log(log(x)-y)", "x-x+y"]
)
@pytest.mark.parametrize("dark", [False, True])
def test_every_way_to_draw_the_rows_is_a_valid_figure(text, dark):
    inspection = inspect_ranges(text)
    for node in (0, len(inspection.nodes) - 1):
        found = where(inspection, node)
        for across in ways_across(found) if found.carriers else ():
            figure = draw(rows_figure(found, across), dark=dark, narrow=dark)
            go.Figure(figure.to_dict())
            assert len(figure.to_json()) < 400_000


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
    (panel,) = figure.panels
    (note,) = of(figure, Label, text="an even share")
    x, ends = found.inspection.samples.columns["x"], panel.x.limits
    low, high = np.log10(ends) if panel.x.log else ends
    x = np.log10(x) if panel.x.log else x
    span = np.log10(panel.y.limits)
    shares = np.log10(np.maximum(found.shares, 10.0 ** (span[0] + 0.15)))
    height, even = 0.1 * (span[1] - span[0]), -math.log10(found.finite)

    def rows_in(side: str, level: str) -> int:
        near = (x - low) / (high - low)
        beside = near < 0.3 if side == "left" else near > 0.7
        gap = (shares - even) if level == "bottom" else (even - shares)
        return int((beside & (gap > 0) & (gap < height)).sum())

    least = min(rows_in(s, v) for s in ("left", "right") for v in ("top", "bottom"))
    assert rows_in(note.side, "bottom" if note.raised else "top") <= least + 0.02 * len(x)


@pytest.mark.parametrize("narrow", [False, True])
def test_the_caption_has_a_line_of_room_above_the_figure(narrow):
    for text in ("1/(x-2)", "x*y - x"):
        inspection = inspect_ranges(text, count=2_000)
        layout = draw(data_figure(inspection, len(inspection.nodes) - 1), narrow=narrow).layout
        (note,) = [a for a in layout.annotations if "worst" in a.text]
        assert "<br>" not in note.text and len(note.text) <= (40 if narrow else 72)
        assert (note.y, note.yanchor) == (1, "bottom") and layout.margin.t >= 20


def test_the_node_that_crosses_zero_is_named_at_the_place():
    found = where(inspect_ranges("1/(x-2)", count=5_000))
    (across, *_) = ways_across(found)
    figure = rows_figure(found, across)
    assert across == Across(INPUT, "x")
    assert "x − 2 crosses zero" in [label.text.strip() for label in of(figure, Label)]
    (line,) = of(figure, Guide, level=False)
    assert line.at == pytest.approx(2, abs=0.01)


def test_two_inputs_that_cancel_are_drawn_against_their_difference():
    found = where(inspect_ranges("exp(-(a-b)**2)", count=5_000), 2)
    assert VALUE in [way.kind for way in ways_across(found)[:2]]
    figure = rows_figure(found, next(w for w in ways_across(found) if w.kind == VALUE))
    assert figure.panels[0].x.title == "value of a − b"
    assert [line.at for line in of(figure, Guide, level=False)] == [0]


def test_a_table_without_a_telling_input_is_drawn_against_its_row_numbers():
    samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]}, rows=np.array([4, 17, 20]))
    found = where(inspect(read("x*3").formula, samples))
    across = ways_across(found)[0]
    assert across == Across(ROW)
    marks = of(rows_figure(found, across), Points)
    assert sorted(x for mark in marks for x in mark.x) == [4, 17, 20]


def test_rows_without_a_digit_and_without_a_value_stand_on_the_edges():
    found = where(inspect_columns("log(x)", x=[-2.0, -1.0, 1.0, 2.0, 3.0]))
    marks = of(rows_figure(found, Across(INPUT, "x")), Points)
    by_symbol = {mark.symbol: list(mark.x) for mark in marks}
    assert by_symbol["triangle-down"] == [1.0]
    assert by_symbol["line-ns"] == [-2.0, -1.0]


@pytest.mark.parametrize("count", [3, 50, 500, 5_000, 50_000])
def test_the_scale_of_shares_is_labelled_at_both_ends(count):
    found = where(inspect_ranges("1/(x-2)", count=count))
    figure = rows_figure(found, Across(INPUT, "x"), labels={"x": "<b>radius</b>"})
    (panel,) = figure.panels
    at, texts = zip(*panel.y.ticks, strict=True)
    assert texts[-1] == "100 %" and at[-1] == 1 and len(at) <= 8
    assert math.log10(at[0]) == pytest.approx(math.log10(panel.y.limits[0]) + 0.15)
    assert list(at) == sorted(set(at))
    assert panel.x.title == "<b>radius</b>"
    assert draw(figure).layout.xaxis.title.text == "&lt;b>radius&lt;/b>"
    same = rows_figure(where(inspect_ranges("x", count=count)), Across(INPUT, "x"))
    low, high = np.log10(same.panels[0].y.limits)
    assert high > 0 and low < math.log10(1 / count) - 2
    assert not marked(same), "every row gives the same share"


def test_a_million_rows_are_thinned_and_no_carrier_of_a_few_is_lost():
    found = where(inspect_ranges("1/(x-2)", count=50_000))
    figure = rows_figure(found, ways_across(found)[0])
    assert sum(len(mark.x) for mark in of(figure, Points)) < 4_000
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


def worst_in(chart):
    looks = {"symbol": "diamond", "colour": "paper"}, {"symbol": "diamond-open"}
    panels = range(len(chart.panels))
    return [m for k in panels for look in looks for m in of(chart, Points, k, **look)]


def caption_of(chart):
    (caption,) = (mark.text for mark in of(chart, Label) if "worst" in mark.text)
    return caption


def test_in_a_slice_the_worst_rows_stand_at_their_own_values():
    inspection = inspect_ranges("exp(-((a-b)/c)**2)", count=5_000)
    columns = inspection.samples.columns
    _, s = inspection.amplification.trace(4)
    rows = sorted(worst_rows(s))
    (marks,) = worst_in(data_figure(inspection, 4, "ab", {"c": 2.0}))
    assert sorted(zip(marks.x, marks.y, strict=True)) == sorted(
        (columns["a"][k], columns["b"][k]) for k in rows
    )
    on_curve = data_figure(inspection, 4, "a", {"b": 2.0, "c": 2.0})
    above, marks = worst_in(on_curve)
    assert np.isnan(above.y).all(), "the value of a cut is not that of the rows"
    assert sorted(zip(marks.x, marks.y, strict=True)) == sorted(
        (columns["a"][k], np.log10(s[k])) for k in rows
    )
    assert max(marks.y) < on_curve.panels[1].y.limits[1]
    assert caption_of(on_curve).endswith(" · points: all rows")


def test_the_caption_tells_how_much_of_the_noise_the_worst_rows_carry_and_names_are_inert():
    inspection = inspect_ranges("1/(a-b) + 0*c*d*g", count=5_000)
    share = where(inspection, 4).shares[worst_rows(inspection.amplification.trace(4)[1])].sum()
    caption = caption_of(data_figure(inspection, 4, "ab"))
    assert caption.startswith(f"◇ worst 50 rows: {wording.percent(share)} of the noise")
    one = inspect_ranges("1/(a-b) + 0*c", count=5_000)
    cut = draw(data_figure(one, 4, "a", labels={"c": "<b>mass</b>"}))
    hints = [hint for trace in cut.data if trace.name == "rows" for hint in trace.text]
    assert hints and all("at its own b and &lt;b>mass&lt;/b>" in hint for hint in hints)


def test_rows_without_a_digit_are_counted_among_the_worst():
    inspection = inspect_columns("x - 1", x=[1.0, 1.0, *np.linspace(2.0, 3.0, 300)])
    assert "worst 4 rows: 2 without a digit" in caption_of(data_figure(inspection, 2))
