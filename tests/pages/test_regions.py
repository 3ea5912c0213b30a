"""Forms that choose and approximations in "What to write instead?", with branches made by hand."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from eic_core.formula.syntax import read
from eic_core.rewriting import Omission, Repairs, repair
from pages.ui.kit import diagnosis_service
from tests.pages.branched import (
    QUADRATIC,
    ROOTS_BY_SIGN,
    SINE,
    SINE_BY_SERIES,
    with_branches,
    with_series,
)
from tests.pages.panels import answer, chart
from tests.pages.test_app_inspector import html_of, open_page, state_of

ROOTS: dict[str, str | list[str]] = {
    "formula": QUADRATIC,
    "range": ["a=1:2", "b=-1e6:1e6", "c=1:2"],
    "ask": "instead",
    "samples": "120",
}
NEAR_ZERO: dict[str, str | list[str]] = {
    "formula": SINE,
    "range": ["x=loguniform:1e-6:10"],
    "ask": "instead",
    "samples": "150",
}


def plain(formula: Any, samples: Any, **options: Any) -> Repairs:
    """A search without branches and series."""
    return repair(formula, samples, **options, branches=False, series=False, limit_steps=30)


@pytest.fixture(autouse=True)
def searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search adds the branches of the two formulas."""

    def search(formula: Any, samples: Any, **options: Any) -> Repairs:
        found = plain(formula, samples, **options)
        if formula.structure() == read(QUADRATIC).formula.structure():
            return with_branches(found, ROOTS_BY_SIGN)
        if formula.structure() == read(SINE).formula.structure():
            return with_series(found, SINE_BY_SERIES)
        return found

    monkeypatch.setattr(diagnosis_service, "repair", search)


def test_a_form_that_chooses_is_shown_branch_by_branch_drawn_and_taken() -> None:
    page = open_page(**ROOTS)
    html = html_of(page)
    listed = next(h for h in html.split("<ul") if "eic-branches" in h).split("</ul>")[0]
    first, last = listed.split("<li>")[1:]
    assert "where <code>b &lt;= 0</code>" in first and "as written" in first
    assert "otherwise" in last and "<code class" in last and "the other root" in last
    assert "digits lost" in first and "row" in first
    assert "a threshold can only cost digits, never make it wrong" in html
    assert "approximation" not in listed

    figure = chart(page, "curves-instead")
    names = [note["text"] for note in figure["layout"]["annotations"]]
    assert names == ["A: b &lt;= 0", "B: otherwise"]
    assert figure["layout"]["xaxis"]["title"]["text"] == "b"
    ways = page.selectbox(key="curves-along-instead:input:b")
    assert list(ways.options) == ["against b", "against a", "against c"]
    assert "The curves as a table" in [e.label for e in page.expander]
    assert "from … to" in html
    steps = html.split("After each step of a branch")[1]
    assert "The formula as written." in steps and "<b>the other root</b>" in steps

    ways.select_index(1).run()
    figure = chart(page, "curves-instead")
    assert figure["layout"]["xaxis"]["title"]["text"] == "a" and not figure["layout"]["shapes"]
    assert [d["name"] for d in figure["data"]][-2:] == ["instead, A", "instead, B"]
    page.button(key="apply-repair-0").click().run()
    assert state_of(page).formula == ROOTS_BY_SIGN


def test_an_approximation_is_called_that_with_its_bound_and_never_exact() -> None:
    page = open_page(**NEAR_ZERO)
    html = html_of(page)
    assert "eic-approximation" in html and "within 1.7·10⁻¹¹" in html
    assert "x from -0.1 to 0.1" in re.sub("</?code>", "", html).replace("−", "-")
    assert "series in <code>x</code> at 0, to within 1.7·10⁻¹¹ (proved)" in html
    assert "Taylor polynomial in <code>x</code> at 0" in html and "the 9th" in html
    card = html.split("eic-approximation")[1].split("My own form")[0]
    assert "never make it wrong" not in card and "The same to" not in card
    assert "Not the same function" in card
    assert page.button(key="apply-repair-0")
    page.session_state["visit"].kinds = frozenset({"branches"})
    page.run()
    assert "no form keeps more digits" in answer(page) or "sin" in answer(page)
    assert "eic-approximation" not in html_of(page)
    assert page.text_input(key="own-form").value == ""


def test_kinds_that_are_switched_off_are_not_offered_and_nothing_is_searched_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = open_page(**ROOTS)
    monkeypatch.setattr(diagnosis_service, "repair", None)
    assert [p.label for p in page.get("button_group")][-1:] == ["Kinds of forms"]
    page.session_state["visit"].kinds = frozenset({"series"})
    page.run()
    assert "eic-branches" not in html_of(page)
    assert "where(" not in answer(page)
    page.session_state["visit"].kinds = frozenset({"series", "branches"})
    page.run()
    assert "eic-branches" in html_of(page)


def test_my_own_form_joins_the_front_and_the_curves() -> None:
    page = open_page(**ROOTS)
    own = "where(b < 0, (sqrt(b**2 - 4*a*c) - b)/(2*a), -2*c/(b + sqrt(b**2 - 4*a*c)))"
    page.text_input(key="own-form").input(own).run()
    assert "Your form is equal to the formula" in html_of(page)
    assert ">yours</span>" in last_of_the_front(page)
    assert "yours" in [d["name"] for d in chart(page, "curves-instead")["data"]]


def last_of_the_front(page: AppTest) -> str:
    return next(h for h in html_of(page).split("<table") if "eic-front" in h).split("<tbody")[-1]


def test_my_own_approximation_is_named_as_one_with_its_largest_difference() -> None:
    page = open_page(**{**NEAR_ZERO, "range": ["x=loguniform:1e-6:0.02"]})
    series = "x**3*(-1/6 + x**2*(1/120 + x**2*(-1/5040)))"
    page.text_input(key="own-form").input(series).run()
    assert "Your form is an approximation of the formula, not equal to it" in html_of(page)
    last = last_of_the_front(page)
    assert ">yours</span>" in last and ">approximation</span>" in last


def test_without_a_better_form_the_curves_are_those_of_my_own() -> None:
    page = open_page(formula="x - 1", range=["x=2:3"], ask="instead", samples="40")
    assert chart(page, "curves-instead") is None
    page.text_input(key="own-form").input("where(x > 2.5, x - 1, -1 + x)").run()
    figure = chart(page, "curves-yours")
    assert {d["name"] for d in figure["data"]} == {"", "as written", "yours"}
    assert math.isclose(figure["layout"]["shapes"][-1]["x0"], 2.5, rel_tol=1e-9)


def test_what_was_left_out_for_want_of_time_is_said_and_can_be_looked_for_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left_out = (Omission.SERIES_TIME, Omission.SERIES_UNPROVED)
    monkeypatch.setattr(
        diagnosis_service,
        "repair",
        lambda *asked, **options: replace(plain(*asked, **options), left_out=left_out),
    )
    page = open_page(**{**NEAR_ZERO, "samples": "151"})
    html = html_of(page)
    assert ", before series." in html and "--effort" not in html
    assert "no bound of its error could be proved" in html
    assert "Look further" in [button.label for button in page.button]
