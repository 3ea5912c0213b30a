"""The panel "Which rows?": its answer, its rows, and the domain that is dragged."""

from __future__ import annotations

import csv
import io
import json
import math

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from eic_core.engine import amplify
from eic_core.explain.where import where
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, inspect
from pages.ui.bench.tree_pane import pane_of
from pages.ui.inspector.formula_input import EXAMPLES, Example
from pages.ui.questions.domain import CENTRE, ENDS, HELD, SPREAD, tracks
from pages.ui.questions.rows import listed_rows, rows_csv
from tests.effort import dear, examples
from tests.pages.panels import answer, open_with_table
from tests.pages.test_app_inspector import (
    address_of,
    buttons,
    html_of,
    open_page,
    query_of,
    state_of,
)

POLE = {"formula": "1/(x-2)", "range": ["x=1:3"], "ask": "rows"}


def said_of_domain(page: AppTest) -> str:
    (said,) = [e.proto.body for e in page.get("html") if 'class="eic-domain-said"' in e.proto.body]
    return said


def shares(page: AppTest) -> pd.DataFrame:
    """The table of the rows."""
    (table,) = [d.value for d in page.dataframe if "share" in d.value.columns]
    return table


def charts(page: AppTest) -> int:
    return len([c for c in page.get("plotly_chart") if "share of the amplified" in c.proto.spec])


def test_the_answer_is_a_sentence_a_picture_and_the_rows() -> None:
    page = open_page(**POLE)
    assert "rows give 90 % of the" in answer(page) and "eic-tip" in answer(page)
    assert "<code>x − 2</code> crosses zero" in html_of(page)
    assert charts(page) == 1
    table = shares(page)
    assert table["share"].sum() >= 99 and (table["share"].diff().dropna() <= 0).all()
    assert (abs(table["in:x"] - 2) < 0.1).all()


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("log(-x)", "No sample has a usable value at every node."),
        ("x-x", "the amplification of <code>x − x</code> is infinite"),
        ("x", "each of 1,000 rows gives the same share"),
        ("2", "each of 1,000 rows gives the same share"),
    ],
)
def test_a_formula_with_nothing_to_tell_says_so(formula: str, said: str) -> None:
    text = answer(open_page(formula=formula, ask="rows"))
    assert said in text.replace('<span class="eic-term" tabindex="0">', "")


@dear(4)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.key)
def test_every_lesson_of_the_gallery_has_an_answer(example: Example) -> None:
    page = open_page(**address_of(example), ask="rows")
    assert answer(page) and charts(page) == 1
    assert [s for s in page.slider if str(s.key).startswith("domain:")]


def test_rows_without_a_digit_are_told_and_listed_first() -> None:
    samples = Samples.from_columns({"x": [1.0, 2.0, 5.0, 2.001]})
    assert listed_rows(where(inspect(read("x-2").formula, samples)))[0] == 1
    open_page(formula="log(x)*sin(y)", range=["x=1", "y=1:5"], ask="rows")


def test_rows_that_were_not_checked_are_told_apart_from_those_without_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of exp(-x*x) on -10 to 60 most underflow, and 5,000 are settled; log has none below 0."""
    monkeypatch.setattr(amplify, "MOST_WORK", 30_000)
    link = {"formula": "log(x)*exp(-x*x)", "range": ["x=-10:60"], "samples": "30000"}
    page = open_page(**link, ask="rows")
    result = page.session_state["visit"].last_good
    left = result.inspection.counts.left_out
    none = result.inspection.counts.invalid - left
    assert left > 5_000 and none > 4_000
    assert f"No real value: {none:,} rows. Not checked exactly: {left:,} rows" in html_of(page)
    traces = [t["name"] for t in json.loads(page.get("plotly_chart")[-1].proto.spec)["data"]]
    edges = [name for name in traces if name.startswith("no real value")]
    assert all(int(name.split(": ")[1].replace(",", "")) == none for name in edges)
    node = next(n.node.id for n in result.inspection.nodes if n.text.startswith("exp"))
    pane = pane_of(result)
    assert pane.nodes[node].unchecked > 5_000 and not pane.nodes[node].invalid
    assert "unchecked" in [name for name, _, _ in pane.columns]


def test_three_hundred_nodes_are_no_trouble() -> None:
    assert answer(open_page(formula="+".join(f"x*{i}" for i in range(1, 101)), ask="rows"))


def test_the_file_has_the_rows_as_they_were_written_and_no_formula_for_a_spreadsheet() -> None:
    samples = Samples.from_columns(
        {"x": [1.0, 2.0, 2.0001, 7.0]}, exact={"x": {2: "2.000100000000000000001"}}
    )
    found = where(inspect(read("x-2").formula, samples), 2)
    head, *rows = csv.reader(io.StringIO(rows_csv(found, {"x": "=cmd()"})))
    assert head == ["row", "'=cmd()", "x - 2", "s", "share"]
    assert rows[0][:2] == ["2", "2.0"] and rows[0][3:] == ["inf", ""]
    assert rows[1][:2] == ["3", "2.000100000000000000001"]
    assert float(rows[1][3]) == found.s[2] and float(rows[1][4]) == found.shares[2]


def test_a_dragged_end_moves_the_domain_everywhere_and_back_goes_to_where_it_was() -> None:
    page = open_page(**POLE)
    (slider,) = page.slider
    limits = slider.min, slider.max
    before = html_of(page)
    slider.set_range(2.5, 3.0).run()
    assert query_of(page, "range") == ["x=2.5:3.0"]
    assert page.number_input(key="low:x").value == 2.5
    assert "moved from" in said_of_domain(page) and html_of(page) != before
    assert (page.slider[0].min, page.slider[0].max) == limits
    page.slider[0].set_range(0.5, 3.0).run()
    assert (page.slider[0].min, page.slider[0].max) == limits
    assert query_of(page, "range") == ["x=0.5:3.0"]
    (button,) = buttons(page, "domain-back")
    assert button.label == "Back to `x` 1 … 3"
    button.click().run()
    assert query_of(page, "range") == ["x=1.0:3.0"]
    assert "Drag an end" in said_of_domain(page) and not buttons(page, "domain-back")
    page.slider[0].set_range(2.5, 3.0).run()
    page.number_input(key="high:x").set_value(10.0).run()  # set elsewhere: a new start
    assert not buttons(page, "domain-back")
    assert (page.slider[0].min, page.slider[0].max) == (-5.0, 17.5)


def test_the_worst_step_is_said_to_have_moved_since_the_first_drag() -> None:
    page = open_page(formula="log(x) + sin(x)", range=["x=0.9:2.5"], ask="rows")
    page.slider[0].set_range(0.9, 2.0).run()
    assert "The worst step stays at <code>log(x)</code>" in said_of_domain(page)
    page.slider[0].set_range(3.1, 3.2).run()
    page.slider[0].set_range(3.13, 3.16).run()
    assert "The worst step moved from <code>log(x)</code>" in said_of_domain(page)
    assert "to <code>sin(x)</code>" in said_of_domain(page)


def test_a_formula_without_a_value_can_be_dragged_to_where_it_has_one() -> None:
    page = open_page(formula="log(-x)", range=["x=1:2"], ask="rows")
    page.slider[0].set_range(0.2, 0.9).run()
    assert "no sample has a usable value" in said_of_domain(page)
    page = open_page(formula="log(2-x)", range=["x=3:5"], ask="rows")
    page.slider[0].set_range(1.2, 1.4).run()
    assert "Now there are samples with a value" in said_of_domain(page)


def test_at_most_six_variables_have_a_slider_and_keep_their_order() -> None:
    names = "abcdghkm"
    page = open_page(formula="+".join(f"{n}*{i + 2}" for i, n in enumerate(names)), ask="rows")
    order = [s.label for s in page.slider]
    assert len(order) == 6
    page.slider[0].set_range(-2.0, 2.0).run()
    assert [s.label for s in page.slider] == order
    assert len(state_of(page).domains) == 1
    page.button(key="domain-back").click().run()
    assert state_of(page).domains == ()


def test_normal_and_loguniform_ranges_keep_their_kind() -> None:
    page = open_page(
        formula="a*b*c", range=["a=normal:1000:1", "b=loguniform:1:1e8", "c=7"], ask="rows"
    )
    by_label = {s.label: s for s in page.slider}
    by_label["a mean"].set_value(1001.0)
    by_label["a std. dev."].set_value(2.0)
    by_label["b (power of ten)"].set_range(2.0, 8.0)
    by_label["c"].set_value(9.0).run()
    assert sorted(query_of(page, "range")) == [
        "a=normal:1001.0:2.0",
        "b=loguniform:100.0:100000000.0",
        "c=9.0",
    ]


DOMAINS = st.one_of(
    st.tuples(st.floats(-1e12, 1e12), st.floats(0, 1e12)).map(
        lambda p: Domain("uniform", p[0], p[0] + p[1])
    ),
    st.tuples(st.floats(-12, 12), st.floats(0, 12)).map(
        lambda p: Domain("loguniform", 10.0 ** p[0], 10.0 ** (p[0] + p[1]))
    ),
    st.tuples(st.floats(-1e12, 1e12), st.floats(0, 1e12)).map(
        lambda p: Domain("normal", p[0], p[1])
    ),
    st.floats(-1e300, 1e300).map(lambda v: Domain("fixed", v, v)),
)


@settings(max_examples=examples(300), deadline=None)
@given(DOMAINS, st.floats(0, 1), st.floats(0, 1))
def test_every_place_on_a_track_is_a_domain_of_the_same_kind(domain, one, other) -> None:  # type: ignore[no-untyped-def]
    for track in tracks(domain):
        assert track.low < track.high and track.step > 0
        assert track.moved(domain, track.value(domain)) == domain or track.part != ENDS
        places = [track.low + share * (track.high - track.low) for share in (one, other)]
        low, high = sorted(min(max(p, track.low), track.high) for p in places)
        goal = track.moved(domain, (low, high) if track.part == ENDS else low)
        assert goal.kind == domain.kind
        assert all(map(math.isfinite, (goal.low, goal.high)))


@settings(max_examples=examples(200), deadline=None)
@given(DOMAINS)
def test_a_domain_lies_on_its_track_with_room_on_either_side(domain) -> None:  # type: ignore[no-untyped-def]
    for track in tracks(domain):
        if track.part == ENDS:
            low, high = track.value(domain)
            assert track.low < low <= high < track.high
        elif track.part in (CENTRE, HELD):
            assert track.low < track.value(domain) < track.high
        else:
            assert track.part == SPREAD and track.low == 0.0


@pytest.mark.parametrize(
    "domain",
    [
        Domain("uniform", 1.0, 1.0 + 1e-15),
        Domain("uniform", -8e307, 8e307),
        Domain("fixed", 1e308, 1e308),
        Domain("uniform", 1e-320, 2e-320),
    ],
)
def test_what_a_slider_cannot_tell_apart_has_no_slider(domain: Domain) -> None:
    assert tracks(domain) == ()


def test_the_other_end_keeps_all_its_digits() -> None:
    domain = Domain("uniform", 0.1234567890123456, 5.0)
    (track,) = tracks(domain)
    low, _ = track.value(domain)  # type: ignore[misc]
    assert track.moved(domain, (low, 4.0)).low == 0.1234567890123456


def test_a_table_has_its_row_numbers_and_column_names_and_no_sliders() -> None:
    text = "<i>z</i>,y\n" + "".join(f"{1 + i / 10},2\n" for i in range(40)) + ",1\n2.0000001,3\n"
    page = open_with_table(text, formula="1/(x0 - 2.0000002)", ask="rows")
    assert not [s for s in page.slider if str(s.key).startswith("domain:")]
    assert "<i>z" not in html_of(page)
    assert "2 of 41 rows give" in answer(page) and "(rows 42 and 11)" in answer(page)
    assert list(shares(page)["row"]) == [42, 11]
