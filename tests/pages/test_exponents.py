"""The choice of exponents on the pages and in their addresses."""

from __future__ import annotations

import pytest

from pages.ui.compare.desk import CompareState
from pages.ui.compare.pair import requests_of
from pages.ui.kit.visit import PageState, request_of
from tests.pages.test_app_inspector import html_of, open_page, query_of, state_of
from tests.pages.test_compare import desk_of, paste
from tests.pages.test_compare import open_page as open_compare


def test_a_link_holds_the_choice_and_one_without_it_is_exact() -> None:
    state = PageState("x**4", exponents="noisy")
    assert state.to_query()["exponents"] == ["noisy"]
    assert PageState.from_query(state.to_query()) == state
    assert "exponents" not in PageState("x**4").to_query()
    for query in ({}, {"exponents": ["loud"]}, {"exponents": []}):
        assert PageState.from_query({"formula": ["x**4"], **query}).exponents == "exact"
    assert request_of(state).exponents == "noisy"


def test_both_formulas_of_a_comparison_share_the_choice() -> None:
    state = CompareState("x**4", other="x**5", exponents="noisy")
    assert CompareState.from_query(state.to_query()) == state
    assert [request.exponents for request in requests_of(state)] == ["noisy", "noisy"]


@pytest.mark.parametrize(("query", "nodes"), [({}, 2), ({"exponents": "noisy"}, 3)])
def test_the_inspector_follows_its_address(query: dict[str, str], nodes: int) -> None:
    page = open_page(formula="x**4", range="x=1.0:5.0", samples="100", **query)
    assert not page.exception
    result = page.session_state["visit"].last_good
    assert result.inspection.formula.complexity == nodes
    assert ("noisy exponents</span>" in html_of(page)) == (nodes == 3)


def test_the_setting_changes_the_address_and_the_numbers() -> None:
    page = open_page(formula="x**4", range="x=1.0:5.0", samples="100")
    page = page.segmented_control(key="exponents").set_value("noisy").run()
    assert not page.exception
    assert state_of(page).exponents == "noisy" and query_of(page, "exponents") == ["noisy"]
    assert page.session_state["visit"].last_good.inspection.formula.complexity == 3
    assert "eic-sentence" in html_of(page)


def test_a_list_is_scored_with_the_choice() -> None:
    exact = paste(open_compare(range="x=1.0:5.0", samples="100"), "x**4")
    noisy = paste(open_compare(range="x=1.0:5.0", samples="100", exponents="noisy"), "x**4")
    scores = [desk_of(page).scored.scores[0].score for page in (exact, noisy)]
    assert [score.complexity for score in scores] == [2, 3]
    assert [score.exponents for score in scores] == ["exact", "noisy"]
