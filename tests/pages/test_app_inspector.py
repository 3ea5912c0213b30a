"""The inspector page, run without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from eic_core.drawing.scale import HIGH, colour, contrast
from eic_core.measure.table import read_table
from pages.ui.inspector.first_minute import INPUT_SCRIPT, PICTURED
from pages.ui.inspector.formula_input import EXAMPLES, Example, example, example_state

SCRIPT = Path(__file__).resolve().parents[2] / "pages" / "ui" / "shell.py"


def open_page(**query: str | list[str]) -> AppTest:
    return visit(AppTest.from_file(str(SCRIPT)), **query)


def visit(page: AppTest, **query: str | list[str]) -> AppTest:
    """Run a page at an address."""
    for name, value in query.items():
        page.query_params[name] = value
    return page.run()


def html_of(page: AppTest) -> str:
    bodies = [element.proto.body for element in page.get("html")]
    return "\n".join(
        body for body in bodies if not body.endswith("</style>") and body != INPUT_SCRIPT
    )


def buttons(page: AppTest, begin: str = "") -> list[Button]:
    """The buttons whose key begins so."""
    return [button for button in page.button if str(button.key).startswith(begin)]


def query_of(page: AppTest, name: str) -> list[str]:
    values = page.query_params.get(name, [])
    return [values] if isinstance(values, str) else list(values)


def state_of(page: AppTest):  # type: ignore[no-untyped-def]
    return page.session_state["visit"].state


def address_of(example: Example) -> dict[str, str | list[str]]:
    """The link of a lesson."""
    ranges = [f"{name}={domain}" for name, domain in example.domains]
    return {"formula": example.formula, "syntax": example.syntax, "range": ranges}


def type_formula(page: AppTest, text: str) -> AppTest:
    return page.text_area(key="formula_text").set_value(text).run()


def is_empty(page: AppTest) -> bool:
    return bool(buttons(page, "first-cancellation")) and "eic-sentence" not in html_of(page)


def test_a_first_visit_shows_one_field_a_place_for_a_table_and_ten_examples() -> None:
    page = open_page()
    assert is_empty(page)
    assert [field.key for field in page.text_area] == ["formula_text"]
    assert html_of(page).count("data:image/svg+xml;base64,") == PICTURED == 6
    offered = [str(b.key) for b in page.button if str(b.key).startswith(("first-", "more-"))]
    assert [key.partition("-")[2] for key in offered] == [each.key for each in EXAMPLES]
    page = page.button(key="first-roots").click().run()
    assert not buttons(page, "first-") and "eic-sentence" in html_of(page)
    assert state_of(page) == example_state(example("roots"))
    assert is_empty(type_formula(page, ""))


def test_an_error_shows_the_place_and_no_result_of_another_formula() -> None:
    for page in (
        type_formula(open_page(formula="10000*x-9999*x"), "10000*x - 9999*"),
        open_page(formula="1 + * 2"),
    ):
        shown = html_of(page)
        assert "eic-error" in shown and "^" in shown
        assert "eic-sentence" not in shown and not is_empty(page)
        page = type_formula(page, "10000*x - log10(x)")
        assert "eic-error" not in html_of(page) and "eic-sentence" in html_of(page)


def test_one_click_mends_a_misspelled_function() -> None:
    page = type_formula(open_page(formula="x+1"), "2*squrt(x)")
    (mend,) = [button for button in page.button if button.label.startswith("Fix it")]
    page = mend.click().run()
    assert page.text_area(key="formula_text").value == "2*sqrt(x)"
    assert "eic-error" not in html_of(page)
    page = type_formula(page, "2x+1")
    assert "eic-error" not in html_of(page) and "read as <code>2*x+1</code>" in html_of(page)


@pytest.mark.parametrize(
    "query",
    [
        {
            "node": "-1",
            "samples": "1e9",
            "seed": "²",
            "range": ["x", "x=", "=1", "x=1:inf", "x=5:1", "x=normal:0:-1", "y=1:2"],
            "base": "7",
            "syntax": "klingon",
        },
        {"node": "9" * 50, "samples": "99999999", "syntax": "'; drop table"},
        {"data": "../../etc/passwd"},
        {
            "data": "0123456789ab",
            "file": "<b>",
            "map": ["a", "=b", "x=nowhere"],
            "target": "nowhere",
        },
    ],
)
def test_bad_query_parameters_never_crash(query: dict[str, str | list[str]]) -> None:
    open_page(formula="x+1", **query)


def test_what_of_an_address_is_not_used_is_told_until_something_changes() -> None:
    page = open_page(formula="x+1", range=["x=5:1", "y=<b>:2"], samples="many", seed="99999999999")
    said = html_of(page)
    assert "<code>range=x=5:1</code> in the address is not used: the range 5:1 is upside" in said
    assert "<code>range=y=&lt;b&gt;:2</code> in the address is not used: cannot read" in said
    assert "<code>samples=many</code> in the address is not used: it is no whole number" in said
    assert "<code>seed=99999999999</code> in the address is taken as 2,147,483,647." in said
    assert "in the address" not in html_of(type_formula(page, "x+2"))
    assert "in the address" not in html_of(open_page(formula="x+1", range=["x=1:5"], seed="3"))


def test_the_tag_names_a_notation_as_a_visitor_understands_it() -> None:
    def tag(**query: str) -> str:
        shown = html_of(open_page(**query))
        return shown.partition('Read as <span class="eic-tag">')[2].partition("<")[0]

    assert tag(formula="sin x") == "prefix notation (sin x, add x y)"
    assert tag(formula="x[:, 0] + x[:, 1]") == "NumPy columns, x[:, 0]"
    assert tag(formula="x[:, 0] + x[:, 1]", syntax="tir") == "TIR"


def test_a_button_of_another_reading_shows_no_raw_backticks() -> None:
    page = open_page(formula="a/bc", syntax="hand")
    labels = [button.label for button in buttons(page, "alternative-")]
    assert any("after a `/` or `^` only" in label for label in labels)
    assert not any("\\`" in label for label in labels)


def test_the_address_restores_formula_range_seed_and_node() -> None:
    page = open_page(formula="a-b*c", range=["a=2.0:3.0"], seed="4", samples="500", node="1")
    state = state_of(page)
    assert (state.formula, state.seed, state.samples, state.node) == ("a-b*c", 4, 500, 1)
    assert page.number_input(key="low:a").value == 2.0
    assert page.number_input(key="samples").value == 500
    assert "No range was given for <code>b</code> and <code>c</code>" in html_of(page)
    assert not buttons(page, "more-samples")


def test_a_changed_range_goes_into_the_address() -> None:
    page = open_page(formula="x+1")
    page.number_input(key="high:x").set_value(9.0).run()
    assert query_of(page, "range") == ["x=1.0:9.0"]
    page.selectbox(key="kind:x").set_value("normal").run()
    assert query_of(page, "range") == ["x=normal:5.0:2.0"]
    page.selectbox(key="kind:x").set_value("loguniform").run()


def test_ends_that_are_upside_down_stay_in_their_fields_until_they_are_mended() -> None:
    page = open_page(formula="x+1")
    page = page.number_input(key="low:x").set_value(1e3).run()
    assert "<code>x</code>: from is above to. Until that is mended, 1 … 5 counts." in html_of(page)
    assert [page.number_input(key=f"{side}:x").value for side in ("low", "high")] == [1e3, 5]
    assert query_of(page, "range") == []
    page = page.number_input(key="high:x").set_value(1e6).run()
    assert query_of(page, "range") == ["x=1000.0:1000000.0"]
    assert "from is above to" not in html_of(page)
    page = page.number_input(key="low:x").set_value(1e7).run()
    page = type_formula(page, "x+2")
    assert page.number_input(key="low:x").value == 1e3  # of another formula nothing is pending


def test_an_impossible_range_is_refused_in_words() -> None:
    page = open_page(formula="x+1", range=["x=loguniform:1:2"])
    page.number_input(key="low:x").set_value(-1.0).run()
    assert "must be positive" in html_of(page)
    assert page.number_input(key="low:x").value == -1.0  # what was typed, to be mended
    assert query_of(page, "range") == ["x=loguniform:1:2"]


def test_a_link_to_a_file_that_is_not_here_asks_for_it() -> None:
    rows = "r,T,load\n1,300,3\n2,301,5\n4,303,9\n"
    page = open_page(**dict(upload(open_page(formula="T-r"), rows).query_params))
    assert "This link needs its file" in html_of(page)
    assert "rows.csv" in html_of(page)
    assert "eic-sentence" not in html_of(page)
    page = upload(page, "r,T\n1,2\n3,4\n", "other.csv", "uploader")
    assert page.button(key="use_anyway") and "eic-sentence" not in html_of(page)
    page = upload(page, rows, place="uploader")
    assert "eic-sentence" in html_of(page)


def test_a_formula_too_long_for_an_address_works_says_so_and_comes_back() -> None:
    long = "+".join(f"x_{'a' * 270}*{i}" for i in range(30))  # long words, few nodes
    page = type_formula(open_page(formula="x"), long)
    assert "formula" not in page.query_params
    assert "too long for a web address" in html_of(page)
    address = dict(page.query_params)
    page = type_formula(page, "x+1")
    page.query_params.clear()
    assert state_of(visit(page, **address)).formula == long  # the browser's "back"


def test_a_formula_of_100_000_characters_does_not_break_the_page() -> None:
    assert "eic-error" in html_of(type_formula(open_page(formula="x"), "x+" * 60_000 + "x"))


def test_an_undefined_eic_says_why() -> None:
    said = html_of(open_page(formula="log(-x)"))
    assert "eic-undefined" in said and "No real value at" in said


HOSTILE = "<script>alert(1)</script>`$x$`:red[y]**z**"


def test_hostile_text_is_escaped_wherever_it_is_shown() -> None:
    page = open_page(formula=HOSTILE, data="0123456789ab", file=HOSTILE)
    assert "<script" not in html_of(page)
    named = "<img src=x onerror=window.pwned=2>"
    rows = f"x,{named},:red[c]`$z$\n1,<script>pwned=3</script>,2\n3,4,5\n"
    page = upload(type_formula(page, "x+y"), rows, f"{named}.csv", "uploader")
    page = page.button(key="use_anyway").click().run()
    assert "eic-file" in html_of(page)
    assert "<img" not in html_of(page) and "<script" not in html_of(page)
    for markdown in page.markdown:
        assert "<script" not in markdown.value and "<img" not in markdown.value


def test_the_other_reading_of_a_formula_is_one_click_away() -> None:
    page = open_page(formula="E=mc^2")
    assert page.selectbox(key="kind:mc").value == "uniform"
    (other,) = buttons(page, "alternative-")
    assert "mc as the product m·c" in other.label
    page = other.click().run()
    assert state_of(page).formula == "E=m*c^2"
    assert page.selectbox(key="kind:m").value == "uniform"


def test_letters_with_ranges_of_their_own_make_a_word_their_product() -> None:
    page = open_page(formula="E=mc^2", range=["m=1.0:5.0", "c=1.0:5.0"])
    assert page.selectbox(key="kind:m").value == "uniform"
    page = type_formula(page, "2mc")
    assert page.selectbox(key="kind:mc").value == "uniform"  # The ranges are those of before


def test_an_equation_asks_which_side_is_meant_and_a_click_answers() -> None:
    page = open_page(formula="sin(x) = y")
    assert "which side is meant" in html_of(page)
    left, right = buttons(page, "choice-")
    assert "sin(x)" in left.label and "y" in right.label
    assert state_of(left.click().run()).formula == "sin(x)"


def test_the_ranges_of_an_fpcore_stand_in_the_panel_and_change_from_there() -> None:
    page = open_page(formula="(FPCore (e x) :pre (and (<= 1 e 10) (<= 2 x 3)) (* e x))")
    assert (page.number_input(key="low:e").value, page.number_input(key="high:e").value) == (1, 10)
    page = page.number_input(key="high:x").set_value(4.0).run()
    assert {name: str(d) for name, d in state_of(page).domains} == {"x": "2.0:4.0"}
    assert page.number_input(key="high:e").value == 10


def test_an_fpcore_pasted_first_or_over_an_example_takes_its_own_range() -> None:
    core = '(FPCore (x y) :name "t" :pre (and (<= 0 x 1e8) (< -5 y 5)) (- x y))'
    page = type_formula(open_page(), core)
    ends = {name: page.number_input(key=name).value for name in ("low:x", "high:x", "low:y")}
    assert ends == {"low:x": 0, "high:x": 1e8, "low:y": -5}
    page = type_formula(open_page().button(key="example-roots").click().run(), core)
    assert page.number_input(key="low:x").value == 0
    assert "the one that the formula's own text states" in html_of(page).replace("&#x27;", "'")
    assert "of the formula before" not in html_of(page)
    page = page.number_input(key="high:x").set_value(7.0).run()
    assert "<code>x</code> (0 … 7, not 0 … 10⁸)" in html_of(page)


def test_a_range_of_the_formula_before_is_told_until_it_is_touched() -> None:
    page = open_page().button(key="example-roots").click().run()
    page = type_formula(page, "x**2 + a")
    said = "<code>x</code> (1 … 10⁸ (log)) keeps the range of the formula before."
    assert said in html_of(page)
    assert "No range was given for <code>a</code>" in html_of(page)
    address = {name: query_of(page, name) for name in ("formula", "range", "kept")}
    again = open_page(**address)
    assert said in html_of(again)  # a reload tells the same
    page = page.button(key="reset-kept").click().run()
    assert "of the formula before" not in html_of(page)
    assert query_of(page, "range") == ["x=1.0:5.0"] and not query_of(page, "kept")
    again = again.number_input(key="low:x").set_value(2.0).run()
    assert "of the formula before" not in html_of(again)


def test_undo_takes_back_an_edit_and_keeps_the_ranges_chosen_since() -> None:
    page = type_formula(open_page(formula="x+1", range=["x=1.0:2.0"]), "x+2")
    page = page.number_input(key="high:x").set_value(9.0).run()
    page = page.button(key="previous_formula").click().run()
    assert state_of(page).formula == "x+1" and query_of(page, "range") == ["x=1.0:9.0"]
    page = page.button(key="next_formula").click().run()
    assert state_of(page).formula == "x+2" and query_of(page, "range") == ["x=1.0:9.0"]
    page = buttons(page, "example-")[0].click().run()
    assert query_of(page, "range") not in ([], ["x=1.0:9.0"])
    page = page.button(key="previous_formula").click().run()
    assert state_of(page).formula == "x+2"


def test_the_last_ten_inputs_are_one_click_away_each_with_its_data() -> None:
    page = open_page(formula="x+0", range=["x=3.0:4.0"], samples="77")
    assert not buttons(page, "recent-")
    page = page.button(key="example-roots").click().run()
    page = page.button(key="recent-0").click().run()
    state = state_of(page)
    assert (state.formula, state.samples, dict(state.domains)["x"].low) == ("x+0", 77, 3.0)
    for k in range(1, 13):
        page = type_formula(page, f"x+{k}")
    recent = [button.label for button in buttons(page, "recent-")]
    assert recent == [f"`x+{k}`" for k in range(11, 1, -1)]


def test_an_address_takes_ranges_by_the_names_of_variables() -> None:
    page = open_page(formula="sqrt(x_1+1)-sqrt(y)", x_1="loguniform:1:1e8", y="2")
    state = state_of(page)
    assert {name: str(d) for name, d in state.domains} == {
        "x1": "loguniform:1.0:100000000.0",
        "y": "2.0",
    }
    assert state.samples == 10_000 and "in the address" not in html_of(page)
    assert not buttons(page, "more-samples")


def test_an_address_says_which_ranges_it_could_not_use() -> None:
    page = open_page(formula="x*seed", x="1:one", z="1:2", seed="2:3", colour="blue")
    said = html_of(page)
    assert "<code>x=1:one</code> in the address is not used" in said
    assert "<code>z=1:2</code> in the address is not used: the formula has no" in said
    assert "<code>colour=blue</code> in the address is not used" in said
    assert "a variable of this name takes <code>range=seed=2:3</code>" in said
    assert state_of(page).samples == 1_000  # as ever: no range of it was read
    page = open_page(formula="x*seed", range="seed=2:3")
    assert dict(state_of(page).domains)["seed"].high == 3 and state_of(page).seed == 0


@pytest.mark.parametrize("query", [{}, {"range": "x=1:2"}, {"range": "x=1:2", "y": "3:4"}])
def test_a_link_of_an_earlier_day_draws_1000_samples_and_offers_10000(query) -> None:
    page = open_page(formula="x+y", **query)
    assert state_of(page).samples == 1_000
    page = page.button(key="more-samples").click().run()
    assert state_of(page).samples == 10_000 and query_of(page, "samples") == ["10000"]
    assert not buttons(page, "more-samples")


def upload(page: AppTest, text: str, name: str = "rows.csv", place: str = "dropped") -> AppTest:
    uploader = next(u for u in page.file_uploader if str(u.key).startswith(place))
    return uploader.set_value((name, text.encode(), "text/csv")).run()


ENERGY = "m [kg],v (m/s),KE [J],error\n1,2,2.1,9\n3,1,1.4,7\n2,3,9,8\n4,1,2.1,1\n"


def test_a_table_is_compared_with_the_column_that_the_formula_fits_best_or_the_last() -> None:
    page = upload(open_page(formula="m*v**2/2"), ENERGY)
    assert page.selectbox(key="target").value == "KE"
    assert "Compared with <code>KE</code>, the column it fits best (R² 0.99" in html_of(page)
    assert page.selectbox(key="target").options[1:] == ENERGY.split("\n")[0].split(",")
    assert query_of(page, "target_by") == ["fit"]
    page = upload(open_page(formula="m*v**2/2 + 100"), ENERGY)
    assert page.selectbox(key="target").value == "error"
    assert "fits best" not in html_of(page)


@pytest.mark.parametrize(
    ("query", "target"), [({}, "error"), ({"target": "KE [J]"}, "KE"), ({"target_by": "fit"}, "KE")]
)
def test_a_link_to_a_table_compares_with_what_it_always_did(query, target) -> None:
    page = open_page(formula="q*v**2/2", data=read_table(ENERGY).digest, map="q=m [kg]", **query)
    page = upload(page, ENERGY, place="uploader")
    assert page.selectbox(key="target").value == target
    assert page.selectbox(key="column:q").value == "m"


def test_a_table_that_cannot_be_read_says_so_on_the_empty_page() -> None:
    page = upload(open_page(), "a,b\n1,2,3\n")
    assert is_empty(page)
    assert html_of(page).count("row 1 has 3 cells, the header 2") == 1


def test_a_table_shows_its_first_rows_and_names_the_columns_that_hold_text() -> None:
    page = upload(open_page(formula="x*2.0"), "x,label\n1.5,a\n2,b\n,c\n4,d\n5,e\n")
    shown = html_of(page)
    assert "Not read, as they hold no number: <code>label</code>" in shown
    assert ">1.5<" in shown and ">5<" not in shown
    assert "1 cell without a number: `x` 1" in {fold.label for fold in page.expander}


def test_a_table_gives_residuals_columns_by_number_and_says_which_cells_are_bad() -> None:
    table = "r,T,load\n1,300,3\n2,301,5\n,302,oops\n4,303,9\n"
    page = upload(open_page(formula="x1*2.0"), table)
    assert not page.exception
    assert "1 cell without a number: `load` 1" in {fold.label for fold in page.expander}
    assert "oops" in html_of(page) and "column <code>r</code>" not in html_of(page)
    assert page.selectbox(key="column:x1").value == "T"
    page = next(c for c in page.get("button_group") if c.key == "base").set_value(1).run()
    assert page.selectbox(key="column:x1").value == "r"
    assert "row 3, column <code>r</code>: empty" in html_of(page)
    assert query_of(page, "base") == ["1"]
    residuals = next(c for c in page.get("button_group") if "Residuals" in c.options)
    page = residuals.set_value("Residuals").run()
    charts = [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]
    assert any("R²" in str(chart) for chart in charts)
    page = page.button(key="remove_table").click().run()
    assert not page.exception and "eic-file" not in html_of(page)


def test_what_is_unfolded_stays_though_its_address_is_that_before_the_last_change() -> None:
    page = open_page(formula="log(x)-3*sin(x)", range=["x=1.0:2.0"])
    before = dict(page.query_params)
    page = page.number_input(key="high:x").set_value(9.0).run()
    visit = page.session_state["visit"]
    visit.unfolded, visit.pressed = frozenset({3}), True
    page.query_params.clear()
    for name, value in before.items():
        page.query_params[name] = value
    page = page.run()
    assert (dict(state_of(page).domains)["x"].high, visit.unfolded) == (9.0, {3})
    page = page.run()  # without a press it is the browser's Back
    assert (dict(state_of(page).domains)["x"].high, visit.unfolded) == (2.0, frozenset())


def test_a_dropped_table_takes_the_place_of_the_one_before() -> None:
    page = upload(upload(open_page(formula="m*v"), ENERGY), "m,v\n1,2\n", "other.csv")
    assert state_of(page).upload_name == "other.csv" and "another file" not in html_of(page)
    page = upload(page, "m\n1,2\n", "bad.csv")
    assert state_of(page).upload_name == "other.csv"
    assert html_of(page).count("row 1 has 2 cells, the header 1") == 1


def test_the_inputs_are_folded_above_the_verdict() -> None:
    page = open_page(formula="10000*x-9999*x")
    folds = {e.label.split("\u2003")[0]: e.proto.expanded for e in page.expander}
    assert not folds["**Data**"]
    menu = page.get("popover")[0]  # the examples stand in it alone
    assert "example-cancellation" in {button.key for button in menu.button}
    assert len(buttons(page, "example-cancellation")) == 1
    assert "Read as" in html_of(page)


def test_a_badge_without_digits_can_be_read() -> None:
    style = (SCRIPT.parent / "style.css").read_text(encoding="utf-8")
    ground = re.search(r"\.eic-level \{[^}]*color: #fff;\s*background: (#[0-9a-f]{6})", style)
    assert ground is not None and contrast(ground[1], "#ffffff") >= 4.5


@pytest.mark.parametrize("formula", ["x+1", "x**20", "sin(sin(cot(x)))", "10000*x-9999*x", "x-x"])
def test_the_badge_is_painted_as_a_node_of_its_digits_and_can_be_read(formula: str) -> None:
    page = open_page(formula=formula)
    found = re.search(
        r'eic-level eic-[a-z-]+ eic-guessed" style="background:(#[0-9a-f]{6});color:(#[0-9a-f]{6})',
        html_of(page),
    )
    assert found is not None
    digits = page.session_state["visit"].last_good.verdict.sensitivity.nine_in_ten
    assert found[1] == colour(min(digits, HIGH))
    assert contrast(found[1], found[2]) >= 4.5


def test_a_verdict_on_guessed_ranges_says_so_and_what_it_is_on_others() -> None:
    page = open_page(formula="log(exp(u) + exp(v))")
    page.session_state["visit"].summary_job.wait(60)
    said = html_of(page.run())
    assert "<code>u</code> and <code>v</code> go from 1 to 5, which is a guess; from 1,000" in said
    assert not page.session_state["visit"].shows_data
    (button,) = buttons(page, "set-ranges")
    button.click().run()
    assert page.session_state["visit"].shows_data
    page.number_input(key="high:u").set_value(9.0).run()
    assert "<code>v</code> goes from 1 to 5, which is a guess" in html_of(page)
    given = open_page(formula="log(exp(u) + exp(v))", range=["u=1:5", "v=1:5"])
    assert "guess" not in html_of(given) and not buttons(given, "set-ranges")
