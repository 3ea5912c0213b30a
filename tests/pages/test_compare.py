"""The page Compare, run without a browser."""

from __future__ import annotations

import csv
import io
import math
import random
from pathlib import Path

import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from eic_core.measure.table import read_table
from eic_core.pool.importers import import_formulas
from pages.ui.compare.desk import MAX_LIST, CompareState, formula_text, pack_text
from pages.ui.compare.scores_table import scored_csv
from tests.pages.conftest import UNHURRIED
from tests.pages.panels import chart
from tests.pages.test_app_inspector import buttons, html_of, visit

PROGRAM = """
import streamlit as st
from pages.compare import compare_page
compare_page()
"""

LIST = """\
sqrt(x+1) - sqrt(x)
1/(sqrt(x+1) + sqrt(x))
lg(x)
log(x - 100)
"""


def open_page(**query: str | list[str]) -> AppTest:
    return visit(AppTest.from_string(PROGRAM), **query)


def desk_of(page: AppTest):  # type: ignore[no-untyped-def]
    return page.session_state["compare-desk"]


def state_of(page: AppTest) -> CompareState:
    return page.session_state["visit"].state


def paste(page: AppTest, text: str) -> AppTest:
    return scored(page.text_area(key="list_text").set_value(text).run())


def scored(page: AppTest) -> AppTest:
    """The page once nothing is being scored any more."""
    job = desk_of(page).job
    assert job is None or job.wait(UNHURRIED)
    return page.run()


def test_the_empty_page_says_what_to_bring_and_has_examples() -> None:
    page = open_page()
    assert page.text_area(key="list_text").value == "" and len(page.file_uploader) == 1
    assert len(buttons(page, "list-example")) == 2
    (fold,) = [e for e in page.expander if e.label == "Two formulas side by side"]
    assert not fold.proto.expanded


def test_a_pasted_list_is_scored_and_refused_rows_keep_their_reason() -> None:
    page = paste(open_page(range="x=loguniform:1:100000000.0"), LIST)
    scores = desk_of(page).scored.scores
    assert [bool(s.score.error) for s in scores] == [False, False, True, False]
    assert scores[0].score.eic > scores[1].score.eic + 5
    shown = html_of(page)
    assert "1 row left out of 4" in shown and "Unknown function <code>lg</code>" in shown
    assert "of 3 formulas</b>" in shown
    assert "Take row" not in shown, "no target, no recommendation"
    assert len(page.dataframe[0].value) == 3
    page = page.text_input(key="filter-text").set_value("1/(").run()
    assert list(page.dataframe[0].value["formula"]) == ["1/(sqrt(x+1) + sqrt(x))"]
    page = page.number_input(key="filter-eic").set_value(0.1).run()
    assert not len(page.dataframe[0].value)
    page.toggle(key="filter-front").set_value(True).run()


def test_every_file_that_the_importers_know_can_be_dropped() -> None:
    samples = Path(__file__).parents[1] / "core" / "pool" / "samples"
    for name, label in (("notebook.ipynb", "HTML"), ("latex_table.tex", "LaTeX")):
        page = open_page(range=["x0=1.0:5.0", "x1=1.0:5.0"])
        (field,) = page.file_uploader
        assert not field.proto.type  # Streamlit's field refuses no name
        page = scored(field.upload(name, (samples / name).read_bytes(), "text/plain").run())
        assert f"Read as PySR hall of fame, {label}" in html_of(page)
    field = open_page().file_uploader[0]
    said = html_of(field.upload("checkpoint.pkl", b"\x80\x04\x95", "text/plain").run())
    assert "is a pickle, which is never loaded" in said
    assert "too long for a web address" not in said


def test_the_scores_in_the_page_are_those_of_the_engine_whenever_a_range_changes() -> None:
    page = paste(open_page(range="x=1.0:9.0", samples="500", seed="3"), "10000*x-9999*x - 1")
    assert "<b>The only formula</b> is on the front" in html_of(page)
    for low in (1.0, 4.0):
        page = scored(page.number_input(key="low:x").set_value(low).run())
        samples = sample_domains({"x": Domain("uniform", low, 9.0)}, count=500, seed=3)
        expected = inspect(read("10000*x-9999*x - 1").formula, samples, recheck=False)
        assert desk_of(page).scored.scores[0].score.eic == expected.eic


def test_user_text_is_inert_wherever_it_is_shown() -> None:
    said = html_of(paste(open_page(range="x=1.0:5.0"), "<img src=x onerror=alert(1)>\nx"))
    assert "<img" not in said and "&lt;img" in said


def test_a_list_that_cannot_be_read_says_why_and_can_be_replaced() -> None:
    page = paste(open_page(), "    |   Population Average    |   Best Individual   |\n")
    assert "holds no formula" in html_of(page)
    assert not [e for e in page.expander if "formulas" in e.label and "data" in e.label]
    page = page.button(key="drop_list").click().run()
    assert desk_of(page).raw is None


def test_stored_losses_are_offered_as_accuracy_and_the_format_can_be_chosen_by_hand() -> None:
    text = "Complexity,Loss,Equation\n1,2.5,x0\n3,0.1,x0*x0\n5,0.2,x0*x0*x0\n"
    page = paste(open_page(range="x0=1.0:5.0"), text)
    assert desk_of(page).imported.format == "pysr"
    assert list(desk_of(page).scored.accuracies) == ["loss, as stored"]
    assert desk_of(page).scored.default_accuracy == "loss, as stored"
    assert "2 of 3 formulas</b>" in html_of(page)
    page = scored(page.selectbox(key="list_format").set_value("list").run())
    assert desk_of(page).imported.format == "list"
    assert len(desk_of(page).scored.scores) == 4


def test_a_scored_pool_is_shown_with_the_scores_it_has_until_it_is_scored_again() -> None:
    text = (
        "problem,formula,complexity,r2,eic,eic_finite,invalid,singular,error\n"
        "p,x+1,3,0.75,6.5,6.5,0,0,\np,x,1,0.5,0.0,0.0,0,0,\n"
    )
    page = paste(open_page(), text)
    assert "nothing was computed here" in html_of(page)
    assert desk_of(page).scored.scores[0].score.eic == 6.5
    page = page.toggle(key="as_stored").set_value(False).run()
    assert "On which data?" in html_of(page)
    page = scored(page.button(key="ask-range").click().run())
    assert 0 < desk_of(page).scored.scores[0].score.eic < 1


@pytest.mark.parametrize("key", ["writings", "search"])
def test_each_example_is_scored_with_a_front(key: str) -> None:
    page = scored(open_page().button(key=f"list-example-{key}").click().run())
    found = desk_of(page).scored
    assert not any(s.score.error for s in found.scores)
    assert 0 < found.fronts[found.default_accuracy].sum() < len(found.scores)
    if key == "search":
        assert found.default_accuracy == "1 − R²" and len(found.scores) == 326
        assert state_of(page).target == "period"
    else:
        eics = [s.score.eic for s in found.scores]
        assert len(eics) == 11 and min(eics) < 0.5 and 7.5 < max(eics) < 9


# --- the data of a list ---

POOL = "problem,method,formula,syntax\np,Operon,X1 - X2,operon\np,PySR,x0 - x1,pysr\n"


def on_table(text: str, source: str = "p.csv", **query: str) -> AppTest:
    """The page with a table of this text chosen."""
    table = read_table(text, source=source)
    page = open_page(**query)
    page.session_state["visit"].uploads[table.digest] = table
    return visit(page, data=table.digest)


def test_the_columns_that_a_method_means_are_told_and_the_switch_acts() -> None:
    head = "method,syntax,formula\n"
    text = f"{head}O,operon,1.5 * X1 + 0.5 * X2\nO,operon,1.5 * X1\nP,pysr,x0 + x1\n"
    seen = [(i, i * i % 7) for i in range(9)]
    table = "x0,x1,y\n" + "".join(f"{a},{b},{1.5 * a + 0.5 * b}\n" for a, b in seen)
    page = paste(on_table(table), text)
    first, second, third = desk_of(page).scored.scores
    assert first.score.r2 == 1.0 and dict(second.columns) == {"x1": "x0"}
    assert "O</code> counts its variables from 1: <code>x1</code> is the column" in html_of(page)
    assert "<code>P</code> count" not in html_of(page)
    page = scored(page.button_group(key="list_base").set_value("0").run())
    moved = desk_of(page).scored.scores[1]
    assert dict(moved.columns) == {"x1": "x1"} and state_of(page).list_base == 0


@pytest.mark.parametrize("text", ["a*b + a", POOL, "Complexity,Loss,Equation\n3,1.0,a-b\n"])
def test_a_list_without_data_asks_for_them_and_invents_none(text: str) -> None:
    page = paste(open_page(), text)
    assert "On which data?" in html_of(page)
    assert desk_of(page).scored is None and desk_of(page).job is None
    assert not state_of(page).domains
    page = scored(page.button(key="ask-range").click().run())
    assert "On which data?" not in html_of(page)
    assert {d for _, d in state_of(page).domains} == {Domain("uniform", 1.0, 5.0)}
    assert len(page.query_params["range"]) == 2, "the ranges are in the address"
    assert not any(s.score.error for s in desk_of(page).scored.scores)


def test_only_the_variable_without_a_range_is_asked_for_and_a_table_can_be_chosen() -> None:
    page = paste(open_page(range="a=2.0:3.0"), "a*b\na")
    assert "<code>b</code>" in html_of(page) and "<code>a</code>" not in html_of(page)
    page = scored(page.number_input(key="low:b").set_value(2.0).run())
    assert len(desk_of(page).scored.scores) == 2
    page = paste(open_page(), "a*b\na").button(key="ask-table").click().run()
    assert page.session_state["visit"].wants_table
    page = paste(on_table("a,b,y\n1,2,3\n2,5,7\n"), "a*b\na")
    assert "On which data?" not in html_of(page) and len(desk_of(page).scored.scores) == 2


def test_variables_counted_from_one_and_from_zero_share_their_ranges() -> None:
    page = paste(open_page(range=["x0=1.0:9.0", "x1=1000.0:1001.0"]), POOL)
    assert "On which data?" not in html_of(page)
    one, two = desk_of(page).scored.scores
    assert one.score.eic == two.score.eic
    assert "counted from 0" in html_of(page)
    desk_of(page).picked = (0, 1)
    page = page.run().button(key="compare_two").click().run()
    assert (state_of(page).formula, state_of(page).other) == ("X0 - X1", "x0 - x1")
    assert "EIC of both is" in html_of(page)
    page = page.button_group(key="list_base").set_value("0").run()
    assert "<code>x2</code>" in html_of(page), "each as it is spelled, and x2 has no range"


@pytest.mark.parametrize(
    ("table", "source", "text", "reason"),
    [
        ("u,v,y\n1,2,3\n2,5,7\n", "p.csv", "a*b\na+b\nu", "2 of 3 formulas have variables"),
        (
            "a,b,y\n1,2,3\n2,5,7\n",
            "q.csv",
            "problem,formula\np,a\nq,b\np,a*b\n",
            "named after another problem",
        ),
        (
            "a,y\n1,3\n2,5\n3,9\n4,1\n",
            "p.csv",
            "problem,formula,r2_test\np,a,0.98\np,2*a,0.97\n",
            "another R²",
        ),
    ],
)
def test_a_table_that_may_not_be_the_lists_must_be_confirmed(
    table: str, source: str, text: str, reason: str
) -> None:
    page = paste(on_table(table, source), text)
    if "Problem" in [box.label for box in page.selectbox]:
        page = scored(page.selectbox(key="list_problem").set_value("p").run())
    assert "Is this the table of these formulas?" in html_of(page) and reason in html_of(page)
    assert "on the front of" not in html_of(page)
    page = page.button(key="confirm-table").click().run()
    assert "on the front of" in html_of(page)
    assert "You confirmed this table" in html_of(page) and reason in html_of(page)


HALL = (
    'Complexity,Loss,Equation\n1,3.2,"x0"\n3,1.1,"x0 * x0"\n6,0.4,"(x0 * x0) + cos(x1)"\n'
    '9,0.0001,"((x0 * x0) + cos(x1)) + (x2 * 0.1)"\n'
)


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("height,weight,age", "1 of 4 formulas has variables"),
        ("a,y", "2 of 4 formulas have"),
        ("x0,x1,x2,target", "here no formula explains anything of <code>target</code>"),
    ],
)
def test_a_hall_of_fame_doubts_a_table_that_is_not_of_its_losses(head: str, reason: str) -> None:
    rng = random.Random(0)
    cells = "\n".join(
        ",".join(
            f"{rng.uniform(1, 5) if k <= head.count(',') - 1 else rng.random():.6f}"
            for k in range(head.count(",") + 1)
        )
        for _ in range(60)
    )
    page = paste(on_table(f"{head}\n{cells}\n"), HALL)
    assert "Is this the table of these formulas?" in html_of(page)
    assert reason in html_of(page)
    page = page.button(key="confirm-table").click().run()
    assert "No formula of the list fits these data" in html_of(page)
    assert "Take row" not in html_of(page)


def test_a_table_on_which_no_formula_can_be_measured_is_refused() -> None:
    page = paste(on_table("u,v,y\n1,2,3\n2,5,7\n"), "a*b\na+b\nlg(u)")
    assert "This is not the table of these formulas." in html_of(page)
    assert "<code>a</code> and <code>b</code>" in html_of(page)
    assert not buttons(page, "confirm-table")


def test_a_confirmation_is_for_one_table_and_one_target() -> None:
    text = "problem,formula,r2\np,a,0.98\np,a+0,0.97\n"
    page = paste(on_table("a,b,y\n1,1.1,2\n2,2,9\n3,2.9,1\n"), text)
    page = page.button(key="confirm-table").click().run()
    page = scored(page.selectbox(key="target").set_value("b").run())
    assert desk_of(page).scored.check.passed, "the stored R² are those of this column"
    page = scored(page.selectbox(key="target").set_value("a").run())
    assert "This is not the table of these formulas." in html_of(page)
    page = scored(page.selectbox(key="target").set_value("y").run())
    assert "You confirmed this table" in html_of(page)


def test_a_table_named_after_a_problem_chooses_it() -> None:
    text = "problem,formula\nother,x\nkepler,a**1.5\nkepler,a\n"
    page = paste(on_table("a,period\n1,1\n2,2.8\n", "kepler.csv"), text)
    assert desk_of(page).problem == "kepler"
    assert [s.score.error for s in desk_of(page).scored.scores] == ["", ""]


def test_two_formulas_are_compared_from_the_address_alone() -> None:
    better = "1/(sqrt(x+1)+sqrt(x))"
    page = open_page(formula="sqrt(x+1)-sqrt(x)", b=better, range="x=loguniform:1:1e8")
    said = "EIC of B is 7.5 digits less than that of A, with 2 nodes more."
    assert said in html_of(page)
    assert page.text_area(key="formula_b").value == better


def test_each_formula_of_two_variables_has_its_own_map() -> None:
    page = open_page(formula="x*y", b="x*y + 100", range=["x=1:2", "y=1:3"])
    page = page.toggle(key="pair-maps").set_value(True).run()
    notes = go.Figure(chart(page, "pair-maps-AB")).layout.annotations
    first, second = (
        [float(note.text) for note in notes if note.xref == side and "<b>" not in note.text]
        for side in ("x", "x2")
    )
    assert max(first) < 10 < 100 <= min(second)  # the values at the lines


def test_typing_and_swapping_goes_into_the_address() -> None:
    page = open_page(formula="x+1")
    page = page.text_area(key="formula_b").set_value("x-1").run()
    assert page.query_params["b"] in ("x-1", ["x-1"])
    page = page.button(key="swap").click().run()
    assert (state_of(page).formula, state_of(page).other) == ("x-1", "x+1")
    page = page.button(key="clear_pair").click().run()
    assert set(page.query_params) == {"samples"}


@pytest.mark.parametrize(
    "query",
    [
        {"formula": "x+", "b": "lg(x)"},
        {"formula": "1+1", "b": "2"},
        {"formula": "log(-x)", "b": "log(-2*x)"},
        {"formula": "x/(x-x)", "b": "x"},
        {"formula": "x", "data": "0123456789ab", "file": "<b>"},
        {"b": "x" * 10_000},
        {"b_base": "7", "b": "x", "list_base": "-1"},
        {"formula": "a*b*c", "b": "x0+y"},
    ],
)
def test_no_address_breaks_the_page(query: dict[str, str]) -> None:
    open_page(**query)


def test_a_mistake_in_a_formula_shows_its_place() -> None:
    said = html_of(open_page(formula="x +* 1", b="x"))
    assert "eic-error" in said and "^" in said


def test_the_state_of_the_page_comes_back_from_its_address() -> None:
    state = CompareState(
        "x1",
        syntax="operon",
        base=1,
        other="x0+1",
        other_syntax="pysr",
        other_base=0,
        list_base=1,
        seed=4,
        domains=(("x1", Domain("uniform", 1.0, 2.0)),),
    )
    assert CompareState.from_query(state.to_query()) == state
    assert not hasattr(state.inspector_state(), "other") and state.inspector_state().formula == "x1"


def test_a_link_brings_the_list_and_another_list_makes_another_link() -> None:
    link = state_of(paste(open_page(range="x=1.0:9.0"), "x - 1\n10000*x-9999*x")).to_query()
    page = scored(open_page(**link))
    assert [s.listed.formula for s in desk_of(page).scored.scores] == ["x - 1", "10000*x-9999*x"]
    page = scored(page.text_area(key="edit_text").set_value("x - 2").run())
    assert state_of(page).to_query()["list"] != link["list"]
    page.button(key="drop_list").click().run()
    assert "list" not in state_of(page).to_query() and desk_of(page).raw is None


def test_a_link_to_an_example_brings_its_table_and_the_chosen_target() -> None:
    shown = open_page().button(key="list-example-search").click().run()
    link = state_of(shown).to_query() | {"target": ["a"]}
    page = scored(open_page(**link))
    assert desk_of(page).problem == "kepler"
    assert state_of(page).target == "a" and len(desk_of(page).scored.scores) > 100
    open_page(**(link | {"target": ["no such column"]}))


def test_a_list_that_a_link_cannot_hold_is_said_and_so_is_one_that_came_broken() -> None:
    rng = random.Random(2)
    long = "\n".join(f"x**{rng.random()} - {rng.random()}" for _ in range(400))
    page = open_page(range="x=1.0:9.0", samples="100").text_area(key="list_text").set_value(long)
    assert "too long for a web address" in html_of(scored(page.run()))
    link = state_of(paste(open_page(range="x=1.0:9.0"), LIST)).to_query()["list"][0]
    for broken in (link[:-9], "€", "eJw", pack_text("x" * (MAX_LIST + 1))):
        page = open_page(list=broken)
        assert "cannot be read" in html_of(page)


def test_a_closed_study_keeps_the_page_shut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.compare.may_inspect", lambda: False)
    page = open_page()
    assert "closed for now" in html_of(page)
    assert not page.text_area and not page.button


def test_the_exported_file_is_safe_in_a_spreadsheet_and_reads_back() -> None:
    from eic_core.pool.listing import TableData, front_of, score_listing

    table = read_table("a,b,t\n1,2,3\n2,5,7\n4,1,5\n")
    rows = import_formulas(
        "dataset,method,formula,syntax,extra\n"
        "d,=cmd(),-x0 + x1,pysr,\nd,tinyGP,x0*t0,srtree,theta=2\nd,PySR,lg(x0),pysr,\n"
    ).rows
    scores = score_listing(rows, TableData(table, "t"))
    text = scored_csv(scores, front_of(scores, None))
    cells = list(csv.reader(io.StringIO(text)))
    assert all(not c.startswith(("=", "+", "@")) for row in cells for c in row)
    assert cells[1][3] == "'-x0 + x1"
    again = import_formulas(text)
    assert again.format == "scored"
    assert [r.formula for r in again.rows] == [r.formula for r in rows]
    assert again.rows[1].candidate().parameters == {"t0": "2"}
    stored = [r.stored.get("eic", math.nan) for r in again.rows]
    assert stored[:2] == [s.score.eic for s in scores[:2]] and math.isnan(stored[2])
    assert cells[3][cells[0].index("error")].startswith("unknown function `lg`")


SUMS = "a,b,y\n" + "".join(f"{a},{a % 7},{a + 3 * (a % 7)}\n" for a in range(1, 40))


def test_the_formula_to_take_is_named_and_a_pick_stands_beside_it_until_it_is_let_go() -> None:
    page = paste(on_table(SUMS), "3*b\na + 3*b\n((a + 1e9) - 1e9) + 3*b")
    assert "<b>Take row 2</b>: it is the best with and without regard to EIC" in html_of(page)
    assert [formula.value for formula in page.latex] == ["$$\na + 3 \\cdot b\n$$"]
    assert [b.label for b in page.button if "Inspect" in b.label] == ["Inspect row 2"]
    assert not buttons(page, "compare_two")
    desk_of(page).picked = (2,)
    page = page.run()
    assert {"open-2", "open-1", "compare_two"} <= {str(button.key) for button in page.button}
    page = page.button(key="unpick").click().run()
    assert desk_of(page).picked == () and not buttons(page, "compare_two")


def test_what_was_read_folds_to_a_line_and_its_notes_are_counted() -> None:
    page = paste(on_table(SUMS), "a + 3*b\nx0\n")
    (line,) = [e for e in page.expander if "formulas" in e.label and "data" in e.label]
    assert line.label.startswith("**pasted list**: 2 formulas") and "p.csv" in line.label
    assert "target `y`" in line.label and "1 note" in line.label and not line.proto.expanded
    assert "count" in "".join(html.proto.body for html in line.get("html"))


def test_twins_are_one_row_of_the_table_which_says_so() -> None:
    page = paste(on_table(SUMS), "3*b\na + 3*b\n3*b + a\n")
    table, shown = page.dataframe[0].value, html_of(page)
    assert list(table["row"]) == [2, 1] and list(table["also"]) == ["also row 3", ""]
    assert "1 of 3 formulas" not in shown and "2 of 3 formulas</b>" in shown
    assert "Row 2 is also row 3." in shown
    assert len(scored_csv(desk_of(page).scored.scores, desk_of(page).scored.fronts[""])) > 3


def test_the_front_is_filtered_by_cause_and_says_what_the_filter_covers() -> None:
    page = paste(on_table(SUMS), "3*b\n((a + 1e9) - 1e9) + 3*b\n((a + 1e10) - 1e10)*0.5 + 2*b\n")
    box = page.multiselect(key="filter-causes")
    assert box.label == "Causes, on the front" and box.options == ["cancellation"]
    page = box.set_value(["cancellation"]).run()
    assert list(page.dataframe[0].value["row"]) == [2]
    page = scored(page.toggle(key="findings").set_value(True).run())
    assert page.multiselect(key="filter-causes").label == "Causes"
    assert list(page.dataframe[0].value["row"]) == [2, 3]


FILTERS = """
import streamlit as st
from pages.ui.compare.scores_table import _filters, keep_filters
causes = st.session_state.get("causes", ["overflow", "cancellation"])
st.session_state["let through"] = _filters([], causes) if causes else keep_filters()
"""


def test_filters_outlast_a_run_amid_the_scoring_but_for_causes_that_are_no_more() -> None:
    page = AppTest.from_string(FILTERS).run()
    page.text_input(key="filter-text").set_value("sin")
    page.multiselect(key="filter-causes").set_value(["overflow", "cancellation"]).run()
    for causes in ([], ["cancellation"]):
        page.session_state["causes"] = causes
        page.run()
    chosen = page.session_state["let through"]
    assert (chosen.text, chosen.causes) == ("sin", {"cancellation"})


@pytest.mark.parametrize(
    ("text", "two"),
    [("3*b\na", False), ("3*b\na/(b - b) + 1\n(a - 20)*b", True), ("3*b\n(a - 20)*b", True)],
)
def test_eic_has_one_column_unless_two_differ(text: str, two: bool) -> None:
    columns = list(paste(on_table(SUMS), text).dataframe[0].proto.column_order)
    assert columns[0] == "row" and ("finite" in columns) is two


def test_the_formula_to_take_stands_beside_the_one_that_a_digits_cost_would_choose() -> None:
    page = paste(on_table(SUMS), "a\n3*b + a*0.8 + 4\n((a + 1e12) - 1e12) + 3*b")
    assert "Take row 2 instead of row 3" in html_of(page) and len(page.latex) == 2
    job, before = desk_of(page).job, desk_of(page).scored
    page = page.select_slider(key="digit-price").set_value(0.001).run()
    assert "<b>Take row 3</b>" in html_of(page)
    assert desk_of(page).job is job and desk_of(page).scored is before, "nothing is scored again"
    page = page.select_slider(key="digit-price").set_value(0.01).run()
    page = page.button(key="compare_two").click().run()
    assert page.text_area(key="formula_a").value == "3*b + a*0.8 + 4"
    assert page.text_area(key="formula_b").value == "((a + 1e12) - 1e12) + 3*b"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("lg(x)\nsin(x\n", "No formula of this list can be measured"),
        ("log(-x)\nsqrt(-x - 1)\n", "No formula of this list has a real value on these data"),
        ("log(-x)\nlg(x)\n", "The only formula that could be read has no real value on these data"),
    ],
)
def test_a_list_without_any_number_says_what_to_do_and_draws_nothing(text: str, title: str) -> None:
    page = paste(open_page(range="x=1.0:5.0"), text)
    assert title in html_of(page) and "on the front of" not in html_of(page)
    assert not page.get("plotly_chart") and not page.dataframe
    assert "2 rows left out of 2" in html_of(page)
    assert ("<code>lg</code>" in html_of(page)) == ("lg" in text)
    assert [button.label for button in page.get("download_button")] == ["All scores, CSV"]


def test_two_spellings_of_one_variable_are_one_and_the_page_says_what_each_counts_from() -> None:
    page = paste(open_page(), "X1*X2 + 1\nx0*x1 + 1\n")
    page = scored(page.button(key="ask-range").click().run())
    assert [name for name, _ in state_of(page).domains] == ["x0", "x1"]
    one, two = desk_of(page).scored.scores
    assert one.score.eic == two.score.eic
    shown = html_of(page)
    assert "Detected: from 1 in 1 formula (<code>X1*X2 + 1</code>) and from 0 in 1 formula" in shown
    assert "count their variables from 1 in 1 formula (<code>X1*X2 + 1</code>)" in shown
    assert "one variable" in shown
    page = page.button_group(key="list_base").set_value("0").run()
    assert "Detected" not in html_of(page)


def test_on_a_table_the_switch_says_what_it_detected() -> None:
    page = paste(on_table(SUMS), "x0 + 3*x1\nx0\na + b\n")
    assert "Detected: from 0 in 2 formulas (<code>x0 + 3*x1</code>)." in html_of(page)
    page = scored(page.button_group(key="list_base").set_value("0").run())
    assert "Detected" not in html_of(page)
    page = paste(on_table(SUMS), "X1*X2 + 1\nx0*x1 + 1\n")
    first, second = desk_of(page).scored.scores
    assert dict(first.columns) == {"x1": "a", "x2": "b"} and first.score == second.score
    assert "from 1 in 1 formula (<code>X1*X2 + 1</code>)" in html_of(page)


def test_a_formula_that_follows_others_in_what_it_counts_from_is_told() -> None:
    page = paste(open_page(range=["x0=1.0:5.0", "x1=1.0:5.0"]), "X1 + 1\nx0*x1 + 1\n")
    said = "Nothing says what the variables of <code>X1 + 1</code> are counted from"
    assert said in html_of(page)
    assert "here from 0, as those of <code>x0*x1 + 1</code>" in html_of(page)
    page = paste(open_page(range=["x0=1.0:5.0", "x1=1.0:5.0"]), "x1 + 1\nx0*x1 + 1\n")
    assert "Nothing says" not in html_of(page)


def test_gplearns_functions_are_read_as_it_computes_them_or_as_the_plain_ones() -> None:
    text = "div(X0, log(X1))\nsqrt(sub(X0, X1))\nmul(X0, sqrt(sub(X0, X1)))\nadd(X0, X1)\n"
    page = paste(open_page(range=["x0=1.0:5.0", "x1=1.0:5.0"]), text)
    shown = html_of(page)
    assert shown.count("as gplearn computes") == 1
    assert "3 formulas are read as gplearn computes: <code>sqrt(x)</code> is sqrt(abs(x))" in shown
    protected = desk_of(page).scored.scores
    assert [s.score.invalid for s in protected] == [0, 0, 0, 0]
    page = scored(page.toggle(key="plain_functions").set_value(True).run())
    plain = desk_of(page).scored.scores
    assert plain[1].listed.formula == "sqrt(sub(X0, X1))"
    assert plain[1].score.invalid > 0, "half of the roots are of negative numbers"
    assert plain[3].score == protected[3].score
    assert "read as the plain ones" in html_of(page)
    page = scored(page.toggle(key="plain_functions").set_value(False).run())
    assert [s.score for s in desk_of(page).scored.scores] == [s.score for s in protected]
    assert "gplearn" not in html_of(paste(open_page(range="x=1.0:5.0"), "sqrt(x)\nlog(x)\n"))


def test_a_formula_of_physo_can_be_compared_with_its_constants_in_place() -> None:
    head = "complexity,length,reward,rmse,r2,expression,expression_prefix,c1,c2"
    text = f"{head}\n5,5,.6,.9,.6,((c1*x0)+c2),[add mul c1 x0 c2],-2,0.5\n1,1,.2,2,.1,x0,[x0],,\n"
    constants, bare = desk_of(paste(open_page(range="x0=1.0:5.0"), text)).scored.scores
    assert formula_text(constants.listed) == "(((-2)*x0)+(0.5))"
    assert formula_text(bare.listed) == "x0"


# --- what is left out ---


def test_several_columns_of_formulas_are_asked_about_and_one_is_chosen() -> None:
    page = paste(open_page(range="x=1.0:5.0"), "name,first,second\na,x + 1,x*2\nb,x*x,sin(x)\n")
    assert "Which column holds the formulas?" in html_of(page)
    assert "--column" not in html_of(page)
    box = page.selectbox(key="list_column")
    assert box.options == ["first", "second"] and box.value is None
    page = scored(box.set_value("second").run())
    assert [s.listed.formula for s in desk_of(page).scored.scores] == ["x*2", "sin(x)"]


def test_every_reason_has_its_rows_and_a_button_that_helps() -> None:
    text = "".join(f"lg(x + {i})\n" for i in range(7)) + "sqrt(x)\nlog(x - 9)\n(x\n"
    page = paste(open_page(range="x=1.0:5.0"), text)
    shown = html_of(page)
    assert "9 rows left out of 10" in shown and "and 2 more, in the table below" in shown
    assert "No real value: the argument of a logarithm must be positive" in shown
    assert page.button(key="open-left-out-0").label == "Open row 1 in the inspector"
    table = next(frame.value for frame in page.dataframe if "Reason" in frame.value)
    assert list(table["Row"]) == [1, 2, 3, 4, 5, 6, 7, 9, 10]
    exported = desk_of(page).scored
    rows = list(csv.DictReader(io.StringIO(scored_csv(exported.scores, exported.fronts[""]))))
    assert rows[8]["left_out"].startswith("No real value at any row, at `log(x − 9)`")
    assert rows[7]["left_out"] == "" and rows[0]["left_out"] == rows[0]["error"]


def test_a_target_that_does_not_vary_offers_the_columns_that_do() -> None:
    page = paste(on_table("a,b,y\n1,2,3\n2,4,3\n3,6.5,3\n", "flat.csv"), "a\n2*a\nlg(a)\n")
    shown = html_of(page)
    assert "has an R² on these data" in shown
    assert "the target is the same at every row" in shown and "column that varies" in shown
    page = scored(page.button(key="compare-with-b-0").click().run())
    assert state_of(page).target == "b" and "Take row" in html_of(page)


def test_an_infinite_eic_stays_on_the_list_with_its_r2() -> None:
    data = "a,y\n" + "".join(f"{x},{x * x}\n" for x in range(1, 20))
    page = paste(on_table(data, "square.csv"), "a*a + (a - a)/(a - a + 1)\na*a - 1\n3*a*a\n")
    assert "left out" not in html_of(page)
    assert "an infinite EIC" in html_of(page) and "keeps no digit at 19 rows" in html_of(page)
    assert "Take row 2" in html_of(page)


# --- lists as people write them ---


def test_what_was_taken_off_a_list_is_told_above_it() -> None:
    page = paste(open_page(range="x0=1.0:5.0"), "- x0 + 1\n- sin(x0)\n- n/a\n")
    shown = html_of(page)
    assert "Every line begins with <code>-</code>: that is a bullet here" in shown
    assert "1 row left out of 3" in shown and "holds no formula, only <code>n/a</code>" in shown
    assert state_of(page).domains == (("x0", Domain("uniform", 1.0, 5.0)),), "of n and a nothing"
    assert [s.listed.formula for s in desk_of(page).scored.scores[:2]] == ["x0 + 1", "sin(x0)"]


def test_a_printed_table_and_decimal_commas_keep_their_scores() -> None:
    printed = (
        "   complexity  loss  equation\n"
        "0           1   2.5        x0\n"
        "1           3   0.1  x0 + 1.5\n"
    )
    page = paste(open_page(range="x0=1.0:5.0"), printed)
    assert "Read as PySR hall of fame, printed" in html_of(page)
    assert desk_of(page).scored.default_accuracy == "loss, as stored"
    assert [s.listed.formula for s in desk_of(page).scored.scores] == ["x0", "x0 + 1.5"]
    page = paste(open_page(range="x0=1.0:5.0"), "formula;r2\n2,5*x0;0,98\nx0;high\n")
    assert "decimal mark, as in <code>0,98</code>" in html_of(page)
    assert "<code>high</code> in row 2, column <code>r2</code>" in html_of(page)
    assert desk_of(page).scored.default_accuracy == "1 − r2, as stored"
