"""The state in the URL: everything comes back, nothing crashes, nothing grows too long; text."""

from __future__ import annotations

import html
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.measure import Domain
from pages.ui.compare.desk import CompareState
from pages.ui.compare.pair import requests_of
from pages.ui.kit.text import clean, code_label, escape, label, prose
from pages.ui.kit.visit import (
    ASKS,
    MAX_SAMPLES,
    MAX_SEED,
    MAX_URL,
    PARAMETERS,
    PageState,
    encoded_length,
    query_problems,
    request_of,
)
from tests.pages.test_app_inspector import html_of, open_page, query_of, state_of
from tests.pages.test_compare import desk_of, paste
from tests.pages.test_compare import open_page as open_compare

names = st.text(
    st.characters(categories=("L", "N"), include_characters="_"), min_size=1, max_size=8
)
numbers = st.floats(-1e300, 1e300, allow_nan=False)
positive = st.floats(1e-300, 1e300)


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    kind = draw(st.sampled_from(["uniform", "normal", "loguniform", "fixed"]))
    if kind == "fixed":
        value = draw(numbers)
        return Domain(kind, value, value)
    if kind == "normal":
        return Domain(kind, draw(numbers), draw(positive))
    low, high = sorted([draw(positive), draw(positive)])
    return Domain(kind, low, high if math.isfinite(high - low) else low)


states = st.builds(
    PageState,
    formula=st.text(max_size=80),
    domains=st.dictionaries(names, domains(), max_size=4).map(lambda d: tuple(d.items())),
    samples=st.integers(1, MAX_SAMPLES),
    seed=st.integers(0, MAX_SEED),
    node=st.none() | st.integers(0, 1000),
    base=st.none() | st.sampled_from([0, 1]),
    upload=st.just("0123456789ab"),
    upload_name=st.text(max_size=30),
    mapping=st.dictionaries(names, st.text(min_size=1, max_size=9), max_size=4).map(
        lambda d: tuple(d.items())
    ),
    target=st.none() | st.text(max_size=9),
    best_target=st.booleans(),
    ask=st.sampled_from(ASKS),
    tolerance=st.floats(0, 1, exclude_min=True),
)


@given(states)
def test_every_state_comes_back_from_its_own_query(state: PageState) -> None:
    some = tuple(name for k, (name, _) in enumerate(state.domains) if state.seed >> k & 1)
    state = replace(state, carried=some)
    if state.fits_url:
        back = PageState.from_query(state.to_query())
        if state.upload:  # a table's link says nothing of ranges
            state = replace(state, domains=(), carried=(), samples=back.samples)
        if state.target is not None:  # nothing then depends on it
            state = replace(state, best_target=True)
        assert back == state


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "formula",
                "syntax",
                "range",
                "samples",
                "seed",
                "node",
                "base",
                "data",
                "file",
                "map",
                "target",
                "tolerance",
                "target_by",
                "x",
                "other",
            ]
        ),
        st.lists(st.text(max_size=40) | st.floats().map(str), max_size=3),
    )
)
def test_no_query_ever_raises(query: dict[str, list[str]]) -> None:
    state = PageState.from_query(query)
    assert 1 <= state.samples <= MAX_SAMPLES
    assert 0 <= state.seed <= MAX_SEED
    assert 0 < state.tolerance <= 1
    assert len(query_problems(query)) <= 5


@given(states, st.integers(0, 40_000))
def test_no_state_makes_a_longer_query_than_an_address_holds(state: PageState, size: int) -> None:
    long = PageState(formula="x" * size, domains=state.domains, mapping=state.mapping)
    assert encoded_length(long.to_query()) <= MAX_URL
    assert long.fits_url == (size < 5000) or 5000 <= size <= MAX_URL


def test_only_a_hash_names_an_upload() -> None:
    for text in ("../../etc/passwd", "0123456789AB", "0123456789abc", "", "g" * 12):
        assert PageState.from_query({"data": [text]}).upload in ("", "0123456789ab")


def test_pages_know_the_parameters_of_all_their_links() -> None:
    """Another one would be taken for a variable's range."""
    full = PageState(
        "x", "infix", (("x", Domain("fixed", 1, 1)),), 5, 1, 2, "noisy", 0, "", "", (("x", "a"),),
        "y", "rows", 0.5, ("x",), effort=4,
    )  # fmt: skip
    table = PageState("x", upload="0123456789ab", upload_name="a.csv")
    compared = CompareState(
        "x", other="1", other_syntax="infix", other_base=1, list_base=1, listed="x", list_name="l"
    )
    queries = [each.to_query() for each in (full, table, compared, CompareState(list_example="a"))]
    assert set().union(*queries) == PARAMETERS


# --- User text is inert wherever it is shown ---


@given(st.text(max_size=300))
def test_escaped_text_has_no_markup_of_its_own(text: str) -> None:
    assert "<" not in escape(text)
    assert html.unescape(escape(text)) == clean(text)


@given(st.text(max_size=300))
def test_prose_has_no_element_but_code(text: str) -> None:
    assert "<" not in prose(text).replace("<code>", "").replace("</code>", "")


@given(st.text(max_size=100))
def test_a_code_label_is_one_code_span(text: str) -> None:
    shown = code_label(text)
    fence = len(shown) - len(shown.lstrip("`"))
    inside = shown[fence:-fence]
    assert "`" * fence not in inside.replace("`" * (fence + 1), "")
    assert "\n" not in shown


@given(st.text("*_`[]()<>#:$!|~\\x", max_size=60))
def test_every_sign_that_markdown_reads_is_escaped_in_labels(text: str) -> None:
    shown = label(text)
    assert all(c.isalnum() or c in "\\ …" or shown[i - 1] == "\\" for i, c in enumerate(shown))


def test_control_and_direction_characters_vanish() -> None:
    assert clean("a\u202eb\x00c\u200bd\ud800e") == "a b c d e"


# --- The choice of exponents ---


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
    assert page.session_state["visit"].last_good.inspection.formula.complexity == nodes
    assert ("noisy exponents</span>" in html_of(page)) == (nodes == 3)


def test_the_setting_changes_the_address_and_the_numbers() -> None:
    page = open_page(formula="x**4", range="x=1.0:5.0", samples="100")
    page = page.segmented_control(key="exponents").set_value("noisy").run()
    assert state_of(page).exponents == "noisy" and query_of(page, "exponents") == ["noisy"]
    assert page.session_state["visit"].last_good.inspection.formula.complexity == 3
    assert "eic-sentence" in html_of(page)


def test_a_list_is_scored_with_the_choice() -> None:
    exact = paste(open_compare(range="x=1.0:5.0", samples="100"), "x**4")
    noisy = paste(open_compare(range="x=1.0:5.0", samples="100", exponents="noisy"), "x**4")
    scores = [desk_of(page).scored.scores[0].score for page in (exact, noisy)]
    assert [score.complexity for score in scores] == [2, 3]
    assert [score.exponents for score in scores] == ["exact", "noisy"]
