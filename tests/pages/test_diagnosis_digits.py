"""The panel "How many digits do I need?", without a browser."""

from __future__ import annotations

import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from eic_core.errors import UserError
from eic_core.explain.budget import digit_budget
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from pages.ui.figures.digits import MOST_ROWS, needed_digits
from pages.ui.figures.screen import draw
from pages.ui.questions.digits import read_tolerance, tolerance_text
from tests.effort import dear
from tests.pages.panels import answer, chart, open_with_table
from tests.pages.test_app_inspector import (
    SCRIPT,
    buttons,
    html_of,
    open_page,
    query_of,
    state_of,
    visit,
)

LINE = {"formula": "3.14159265*x + 2.71828", "range": ["x=1:5"], "ask": "digits"}


def budget_of(text: str, tolerance: float = 1e-3, **ranges: str):  # type: ignore[no-untyped-def]
    domains = dict(Domain.parse(f"{name}={where}") for name, where in ranges.items())
    samples = sample_domains(domains, count=1_000)
    return digit_budget(inspect(read(text).formula, samples), tolerance=tolerance)


def test_the_answer_is_a_sentence_a_picture_a_table_and_a_shorter_formula() -> None:
    page = open_page(**LINE)
    found, shown = budget_of(LINE["formula"], x="1:5"), html_of(page)
    assert "digits of its constants keep the output within 0.1 % of its spread." in answer(page)
    assert "run on 1,000 samples, the output moves by" in shown
    assert found.text in [c.value for c in page.code if "*x" in c.value]
    assert chart(page, "digits") is not None
    assert "EIC" in shown and "R² " not in shown.split("eic-answer")[1]
    for need in found.needs:
        assert f"<td>{need.given}</td><td>{need.alone}</td><td>{need.together}</td>" in shown
    page.button(key="apply-shortened").click().run()
    assert state_of(page).formula == found.text
    page.button(key="previous_formula").click().run()
    assert state_of(page).formula == LINE["formula"]


@pytest.mark.parametrize(
    ("formula", "measure"),
    [
        ("sin(x)**2 + cos(x)**2", "its size"),
        ("x - x", "the largest value on the way"),
    ],
)
def test_the_control_says_relative_to_what_as_the_sentence_does(formula: str, measure: str) -> None:
    page = open_page(formula=formula, ask="digits")
    field = page.selectbox(key="digits-tolerance")
    assert field.label == f"The output may move, relative to {measure}, by"
    assert f"within 0.1 % of {measure}" in html_of(page)


def test_a_looser_tolerance_takes_fewer_digits_outlives_a_question_and_is_in_the_address() -> None:
    page = open_page(**LINE)
    page.selectbox(key="digits-tolerance").set_value("1 %").run()
    assert query_of(page, "tolerance") == ["0.01"]
    assert budget_of(LINE["formula"], 1e-2, x="1:5").text in [c.value for c in page.code]
    for question in ("where", "digits"):
        page.segmented_control(key="ask").set_value(question).run()
    assert page.selectbox(key="digits-tolerance").value == "1 %"
    assert "within 1 % of its spread" in answer(page)
    again = open_page(**LINE, tolerance="0.01")
    assert again.selectbox(key="digits-tolerance").value == "1 %"
    assert answer(again) == answer(page)
    page.selectbox(key="digits-tolerance").set_value("0.1 %").run()
    assert query_of(page, "tolerance") == []


def test_a_typed_tolerance_in_a_link_is_offered_beside_the_others() -> None:
    page = open_page(**LINE, tolerance="0.0005")
    field = page.selectbox(key="digits-tolerance")
    assert field.value == "0.05 %" and len(field.options) == 4
    assert field.label == "The output may move, relative to its spread, by"
    assert "within 0.05 % of its spread" in answer(page)


@given(st.floats(0, 1, exclude_min=True))
def test_a_tolerance_is_shown_as_it_is_read(value: float) -> None:
    assert read_tolerance(tolerance_text(value)) == value


def test_with_a_target_the_change_of_the_fit_is_told() -> None:
    rows = "x,y\n" + "\n".join(f"{k},{2.345 * k + 1}" for k in range(1, 60))
    page = open_with_table(rows, formula="2.3456789*x + 1", ask="digits")
    assert "of the spread of the target" in answer(page)
    assert "R² " in html_of(page) and "→" in html_of(page)


@dear(2)
@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("log(-x)", "The formula has no finite value on these samples"),
        ("x", "it takes 4 digits of <code>x</code>"),
        ("2", "No constant can be shortened"),
        ("a*b + c/d", "digits of <code>a</code>"),
        ("pi", "There is nothing to shorten"),
        ("log(x)", "it takes"),
        ("x - x", "it takes 1 digit of <code>x</code>"),
    ],
)
def test_degenerate_and_plain_formulas_are_answered_in_words(formula: str, said: str) -> None:
    page = open_page(formula=formula, ask="digits")
    assert said in html_of(page)
    assert not buttons(page, "apply-shortened")


def test_three_hundred_nodes_are_answered_and_the_picture_stays_small() -> None:
    text = "+".join(f"{k}.512345*x**{k % 5 + 2}" for k in range(1, 61))
    page = open_page(formula=text, samples="200", ask="digits")
    drawn = chart(page, "digits")
    assert drawn is not None and len(drawn["layout"]["yaxis"]["ticktext"]) == MOST_ROWS
    assert f"The first {MOST_ROWS} of 61 numbers" in html_of(page)


def test_a_tolerance_that_is_none_is_refused_beside_its_field() -> None:
    page = AppTest.from_file(str(SCRIPT))
    page.session_state["digits-tolerance"] = "<b>much</b>"
    visit(page, **LINE, tolerance="0.01")
    assert "&lt;b&gt;much&lt;/b&gt;</code> is no tolerance" in html_of(page)
    assert page.selectbox(key="digits-tolerance").value == "<b>much</b>"
    assert query_of(page, "tolerance") == ["0.01"]


@pytest.mark.parametrize("text", ["", "0", "-1", "2", "nan", "inf", "150 %", "1e999", "x", "%"])
def test_only_numbers_above_0_and_up_to_1_are_tolerances(text: str) -> None:
    with pytest.raises(UserError, match="tolerance"):
        read_tolerance(text)


def test_a_bar_is_what_is_needed_on_what_is_given() -> None:
    found = budget_of("1.2345678*sin(2.5*x) + 0.001*y", x="1:5", y="1:5")
    chart = needed_digits(found.needs)
    for dark in (False, True):
        go.Figure(draw(chart, dark=dark, narrow=dark).to_dict())
    given, needed, alone, *labels = chart.panels[0].marks
    assert given.high == [min(17, n.given) for n in found.needs]
    assert needed.high == [n.together for n in found.needs]
    assert alone.x == [n.alone for n in found.needs]
    assert [label.text for label in labels] == [f"{n.together} of {n.given}" for n in found.needs]


def test_the_scale_is_that_of_double_precision_whatever_the_formula() -> None:
    short, long = (
        needed_digits(budget_of(text, x="1:5").needs).panels[0].x
        for text in ("x", "1.23456789012345*x + 2")
    )
    assert short == long and short.limits is not None and short.limits[1] >= 17
