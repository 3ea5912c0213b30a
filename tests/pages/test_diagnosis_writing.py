"""The panel "Function or writing?", without a browser."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from eic_core.drawing.chart import Bars, Chart, ChartAxis, Label, Panel, Stroke
from eic_core.drawing.inline import svg_of
from eic_core.drawing.scale import THEMES, contrast
from eic_core.explain.writing import writing_loss
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.report.charts import losses
from eic_core.wording import digits_lost
from pages.ui.figures.screen import draw
from tests.pages.panels import answer, chart, open_with_table
from tests.pages.test_app_inspector import html_of, open_page

ROOTS = {"formula": "sqrt(x+1) - sqrt(x)", "range": ["x=loguniform:1:1e8"], "ask": "writing"}


def found_in(text: str, **columns: list[float]):  # type: ignore[no-untyped-def]
    return writing_loss(inspect(read(text).formula, Samples.from_columns(columns)))


def lengths(chart: Chart) -> list[float]:
    """Of the bars on their tracks: own, own again, the writing's part, the worst step."""
    bars = [mark for mark in chart.panels[0].marks if isinstance(mark, Bars)]
    return [bar.high[0] - bar.low[0] for bar in bars if bar.hints]


def texts(chart: Chart) -> list[str]:
    return [mark.text for mark in chart.panels[0].marks if isinstance(mark, Label)]


def endless_rows(chart: Chart) -> list[float]:
    """Heights of the fields of ∞, all beyond the scale."""
    fields = [mark for mark in chart.panels[0].marks if isinstance(mark, Stroke)]
    assert all(min(field.x) > 16 and max(field.x) < 17.2 for field in fields)
    return [(min(field.y) + max(field.y)) / 2 for field in fields]


def test_the_verdict_stands_above_three_bars() -> None:
    page = open_page(**ROOTS)
    assert "of them are added by the writing." in answer(page)
    assert chart(page, "losses") is not None
    labels = {"What the three bars mean", "Which inputs the result is sensitive to"}
    assert labels <= {e.label for e in page.expander}


def test_the_bars_are_the_digits_worked_out_by_hand() -> None:
    """10000x − 9999x is x: own² = 1 + 1; every constant and product passes on its 10000 or 9999."""
    chart = losses(found_in("10000*x - 9999*x", x=[1.0, 2.0, 5.0]))
    own = 0.5 * math.log10(2)
    q = 0.5 * math.log10(1 + 2 * 10_000**2 + 2 * 9_999**2 + 1)
    eic = 0.5 * math.log10(1 + 3 * 10_000**2 + 3 * 9_999**2)
    assert lengths(chart) == pytest.approx([own, own, q - own, eic], abs=1e-9)
    assert chart.panels[0].x.limits == (0, 17.2)
    assert all(digits_lost(digits) in chart.words for digits in (own, q, eic))


def test_the_scale_is_that_of_the_gauges_for_every_formula() -> None:
    calm = losses(found_in("x*y", x=[1.0, 2.0], y=[1.0, 3.0]))
    wild = losses(found_in("(x + 1e20) - 1e20", x=[1.0, 2.0]))
    assert calm.panels[0].x == wild.panels[0].x
    assert max(lengths(calm)) < 1 and max(lengths(wild)) == 16


def test_an_infinite_step_is_named_beside_the_finite_rest() -> None:
    chart = losses(found_in("log(x) + 2", x=[1.0, 2.0, 3.0]))
    assert texts(chart)[-1].endswith(", and ∞") and endless_rows(chart) == [-2]
    assert all(math.isfinite(length) for length in lengths(chart))


def test_where_every_sample_is_singular_the_step_is_named_and_no_bar_is_drawn() -> None:
    chart = losses(found_in("1/(x - x + 1)", x=[1.0, 2.0]))
    assert len(lengths(chart)) == 1 and any("x − x" in text for text in texts(chart))
    page = open_page(formula="1/(x - x + 1)", ask="writing")
    assert "all digits at 1,000 samples" in html_of(page) and "undefined" not in answer(page)


def test_a_constant_that_cancels_is_a_function_without_loss_and_a_result_without_a_digit() -> None:
    found = found_in("0.1 + 0.2 - 0.3", x=[1.0, 2.0])
    assert "and the function itself does" in str(found.notes[0])
    assert texts(losses(found))[1::2] == ["0", "∞", "∞"]
    assert endless_rows(losses(found)) == [-1, -2]


@pytest.mark.parametrize("dark", [False, True])
def test_the_parts_tell_apart_and_stand_out_from_the_page(dark: bool) -> None:
    theme = THEMES[dark]
    assert contrast(theme.orange, theme.paper) >= 3
    assert contrast(theme.data, theme.paper) >= 3
    chart = losses(found_in("a - b", a=[1.0, 2.0], b=[3.0, 5.0]))
    go.Figure(draw(chart, dark=dark, narrow=True).to_dict())


def test_a_formula_in_a_label_is_not_markup() -> None:
    chart = losses(found_in("x - 2", x=[1.0, 3.0]))
    assert any("x − 2" in text for text in texts(chart))
    unit = ChartAxis(limits=(0, 1))
    odd = replace(chart, panels=(Panel((Label("<script>", 0, 0),), unit, unit),), words="<b>")
    assert "<script" not in draw(odd).to_json() + svg_of(odd) and "<b>" not in svg_of(odd)


def test_the_condition_numbers_of_the_inputs_are_those_of_the_power() -> None:
    """x³/y: an error of 1 % in x arrives as 3 %, one in y as 1 %, whatever the data."""
    said = html_of(open_page(formula="x**3/y", range=["x=1:5", "y=1:5"], ask="writing"))
    table = said[said.index("so many per cent") :]
    assert "<td>3</td><td>3</td><td>82 %</td>" in table  # 9 of 1 + 9 + 1
    assert "<td>1</td><td>1</td><td>9.1 %</td>" in table


@pytest.mark.parametrize(
    ("formula", "said", "drawn"),
    [
        ("log(-x)", "The formula has no usable value on these samples", False),
        ("x", "errors do not grow up to the result", True),
        ("2", "errors do not grow up to the result", True),
        ("x - x", "errors do not grow up to the result", True),
        ("log(x - x + 1)", "infinite at every valid sample", True),
        ("1/(x-2)", "own sensitivity to errors of", True),
        ("a*b + c/d - e1", "With shared noise errors grow by", True),
    ],
)
def test_degenerate_and_plain_formulas_are_answered_in_words(
    formula: str, said: str, drawn: bool
) -> None:
    page = open_page(formula=formula, ask="writing")
    assert said in answer(page) and "nan" not in answer(page)
    assert (chart(page, "losses") is not None) is drawn


def test_samples_without_a_digit_are_counted_in_a_note() -> None:
    page = open_with_table("x,y\n1,0\n2,0.7\n3,1.1\n", formula="log(x)", ask="writing", target="y")
    assert "At 1 sample the function itself is 0, jumps or is infinitely steep" in html_of(page)


def test_three_hundred_nodes_are_answered() -> None:
    text = "+".join(f"{k}.5*x**{k % 5 + 2}" for k in range(1, 61))
    page = open_page(formula=text, ask="writing")
    assert np.isfinite(chart(page, "losses")["data"][0]["x"][0])  # type: ignore[index]
