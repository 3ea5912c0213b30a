"""The panel "What to write instead?", without a browser."""

from __future__ import annotations

import math
import re
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import ANY

import pytest
from streamlit.testing.v1 import AppTest

from eic_core.explain.judgement import numbers_of
from eic_core.formula.copying import COPIED
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from eic_core.measure.measured import measured_loss
from eic_core.rewriting import FrontForm, RepairStep, results
from eic_core.rewriting.costs import Nanoseconds
from eic_core.rewriting.phrases import number_cells
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectorService
from tests.pages.panels import answer, open_with_table
from tests.pages.test_app_inspector import buttons, html_of, open_page, state_of, type_formula
from tests.repairs import numbers_losing

ROOTS = {"formula": "sqrt(x+1) - sqrt(x)", "range": ["x=loguniform:1:1e8"], "ask": "instead"}
BETTER = "1/(sqrt(x + 1) + sqrt(x))"


def codes(page: AppTest) -> list[str]:
    return [element.value for element in page.code]


def test_another_question_searches_nothing() -> None:
    page = open_page(**{**ROOTS, "ask": "where"})
    assert not buttons(page, "repair-0") and not page.get("latex")[3:]


def test_a_better_form_is_said_shown_derived_and_taken_with_one_click_and_back() -> None:
    page = open_page(**ROOTS)
    needed = "<code>√(x + 1) + √x &gt; 0</code>"
    assert f"<code>{BETTER}</code> where {needed} (conjugate roots)" in answer(page)
    assert f"Needs {needed}, true on this data." in html_of(page)
    assert BETTER in codes(page)
    steps = next(h for h in html_of(page).split("<ol") if "eic-steps" in h)
    assert "<b>conjugate roots</b>: <code>√(x + 1) − √x</code> →" in steps
    assert "computed with up to" in steps
    assert not buttons(page, "next_formula")
    assert page.button(key="apply-repair-0").label == "Inspect `1/(sqrt(x + 1) + sqrt(x))`"
    page.button(key="apply-repair-0").click().run()
    assert state_of(page).formula == BETTER
    assert state_of(page).domains[0][0] == "x" and state_of(page).ask == "instead"
    assert "errors of inputs and steps grow by 0.3 digits at nine in ten rows" in answer(page)
    assert "Nothing needs to be done." in html_of(page)
    page.button(key="previous_formula").click().run()
    assert state_of(page).formula == ROOTS["formula"]
    page.button(key="next_formula").click().run()
    assert state_of(page).formula == BETTER and not buttons(page, "next_formula")
    page.button(key="previous_formula").click().run()
    assert state_of(page).formula == ROOTS["formula"]


def test_the_headline_names_the_better_form_to_who_asks_for_it() -> None:
    page = open_page(**ROOTS).run()
    assert f"write <code>{BETTER}</code>.</h2>" in html_of(page)
    page = page.button(key="ask-noise").click().run()
    assert f"write <code>{BETTER}</code>" not in html_of(page)


def test_the_numbers_of_a_card_its_steps_and_the_front_are_those_of_the_two_forms() -> None:
    page = open_page(**ROOTS, samples="300")
    samples = sample_domains({"x": Domain("loguniform", 1, 1e8)}, count=300)
    first, second = (inspect(read(text).formula, samples) for text in (ROOTS["formula"], BETTER))
    rows = [r for r in html_of(page).split("<tr>") if r.startswith('<th scope="row">')]
    assert [
        re.findall("<td>([^<]*)</td>", row)
        for name in ("as written", "instead")
        for row in rows
        if f">{name}<" in row
    ] == [
        [*number_cells(numbers_of(first))],
        ["7", ANY],
        [*number_cells(numbers_of(second))],
        ["9", ANY],
    ]
    steps = next(h for h in html_of(page).split("<p") if "After each step:" in h)
    assert re.search(r"As written \d\.\d digits are lost in the mean over 200 rows\.", steps)
    (after,) = re.findall(r'<span class="eic-after">(\d\.\d) digits lost</span>', steps)
    assert float(after) < 0.3
    table = next(h for h in html_of(page).split("<table") if "eic-front" in h)
    written, best = table.split("<tbody")[1:3]
    loss = measured_loss(first)
    assert "as written" in written and f"<td>{loss.nine_in_ten:.1f}</td>" in written
    assert f"<code>{BETTER}</code>" in best and ">offered</span>" in best
    assert "nanoseconds a call" in table and best.count("<td>") == 5
    assert not buttons(page, "apply-front")


def test_another_form_of_the_front_is_derived_and_can_be_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = "1/(sqrt(1 + x) + sqrt(x))"
    step = RepairStep("another rule", "x + 1", "1 + x", (), other, 0.125)
    cheap = FrontForm(read(other).formula, numbers_losing(0.3), Nanoseconds(1, 2), (step,))
    monkeypatch.setattr(results, "front_of", lambda original, offered: (cheap, original, *offered))
    page = open_page(**ROOTS, samples="317")
    table = next(h for h in html_of(page).split("<table") if "eic-front" in h)
    assert re.findall(r'colspan="5">(?:<code>)?([^<]+)<', table) == ["as written", BETTER, other]
    assert "<td>0.3</td><td>0.3</td><td>0.3</td><td>1</td><td>2</td>" in table
    assert "0.1 digits lost" in next(h for h in html_of(page).split("<ol") if "another rule" in h)
    buttons(page, "apply-front")[0].click().run()
    assert state_of(page).formula == other


def test_where_there_is_one_form_alone_no_front_is_drawn() -> None:
    assert "eic-front" not in html_of(open_page(formula="x**12", range=["x=1:3"], ask="instead"))


def test_series_of_a_real_formula_is_shown_as_an_approximation_with_its_region() -> None:
    page = open_page(formula="sin(x) - x", range=["x=-2:2"], samples="300", ask="instead")
    assert "an approximation" in answer(page)
    assert "eic-approximation" in html_of(page) and "eic-branches" in html_of(page)
    assert buttons(page, "apply-repair-0")


TREE = 'alt="The tree of '


def test_both_trees_are_drawn_once_they_are_asked_for() -> None:
    page = open_page(**ROOTS)
    drawn = html_of(page).count(TREE)
    page.session_state["repair-trees-0"] = True
    titles = re.findall(TREE + '([^"]*), coloured by', html_of(page.run()))
    assert len(titles) == drawn + 2 and len(set(titles[-2:])) == 2


def test_a_formula_typed_after_going_back_leaves_nothing_to_go_forward_to() -> None:
    page = type_formula(open_page(formula="x + 1"), "x + 2")
    page.button(key="previous_formula").click().run()
    assert buttons(page, "next_formula")
    type_formula(page, "x + 3")
    assert not buttons(page, "next_formula")
    page.button(key="previous_formula").click().run()
    assert state_of(page).formula == "x + 1"


def test_a_changed_formula_is_searched_anew() -> None:
    page = type_formula(open_page(**ROOTS), "10000*x - 9999*x")
    assert "conjugate roots" not in answer(page) and "<code>x</code>" in answer(page)


@pytest.mark.parametrize(
    ("formula", "reason", "helps"),
    [
        ("1/(x - 2)", "own sensitivity, in any writing", "inputs known more exactly"),
        ("log(-x)", "No better form was looked for: no sample has a value", "a finite value"),
        ("x", "it loses no digit", "Nothing needs to be done"),
        ("2", "it loses no digit", "Nothing needs to be done"),
        ("+".join(["x*y"] * 50), "one part was searched", ""),
    ],
)
def test_where_there_is_nothing_better_the_reason_is_said_and_what_helps(
    formula: str, reason: str, helps: str
) -> None:
    page = open_page(formula=formula, range=["x=1:3"], ask="instead")
    assert reason in answer(page)
    assert helps in html_of(page)
    assert not buttons(page, "apply-repair")


def test_indexed_variables_keep_their_columns_when_a_form_is_taken() -> None:
    """Operon counts from 1; the form is Python, which would not say so."""
    rows = "a,b,y\n" + "\n".join(f"{10.0 ** (k / 9)},{k + 1},{k}" for k in range(60))
    page = open_with_table(
        rows, formula="sqrt(X1 + 1) - sqrt(X1) + 0 * X2", syntax="operon", ask="instead"
    )
    result = page.session_state["visit"].last_good
    page.button(key="apply-repair-0").click().run()
    after = page.session_state["visit"].last_good
    assert after.request.formula != result.request.formula
    for name, column in after.match.mapping.items():
        assert result.match.mapping[name] == column


def test_who_asks_while_a_search_runs_gets_the_same_answer() -> None:
    result = InspectorService().inspect(InspectionRequest("sqrt(x+7) - sqrt(x)"))
    service = DiagnosisService(seconds=math.inf)
    with ThreadPoolExecutor(3) as visits:
        first, *others = visits.map(lambda _: service.repairs(result), range(3))
    assert others == [first, first] and all(other is first for other in others)


# --- My own form, and copies ---


def test_a_form_is_judged_refused_and_taken_and_copied_to_the_language_last_chosen() -> None:
    page = open_page(**ROOTS, samples="200")

    def judge(text: str) -> str:
        return html_of(page.text_input(key="own-form").input(text).run())

    said = judge("1/(Sqrt[x+1] + Sqrt[x])")
    assert "Your form is equal to the formula: the same to 30 digits" in said
    assert page.button(key="apply-own-form").label == f"Inspect `{BETTER}`"
    table = said.split('class="eic-repair"')[-1]
    assert "nodes" in table and "single precision, mean of 50 rows" in table

    page.selectbox(key="copy-language-own-form").set_value("fortran").run()
    assert "1.0d0/(sqrt(x + 1.0d0) + sqrt(x))" in codes(page)
    languages = [page.selectbox(key=f"copy-language-{k}") for k in ("formula", "repair-0")]
    assert [each.value for each in languages] == ["fortran"] * 2
    assert list(languages[0].options) == list(COPIED.values())

    assert "Your form is not equal to the formula: at row 1" in judge("0.5/sqrt(x)")
    assert not buttons(page, "apply-own-form")
    said = judge("1/(sqrt(x+1) + lg(x))")
    assert "Unknown function <code>lg</code>." in said and "              ^^" in said
    said = judge("1/(sqrt(x+1) + sqrt(z))")
    assert "Your form has the variable <code>z</code>" in said

    judge("1/(sqrt(x+1) + sqrt(x))")
    page.button(key="apply-own-form").click().run()
    assert state_of(page).formula == BETTER
    assert page.text_input(key="own-form").value == ""


def test_a_copied_text_stands_with_the_functions_that_it_needs() -> None:
    page = open_page(formula="log1p(x)/x", range=["x=loguniform:1e-9:1"], samples="50")
    page.selectbox(key="copy-language-formula").set_value("fortran").run()
    [text] = [each for each in codes(page) if each.startswith("elemental double precision")]
    assert text.endswith("end function log1p\n\nlog1p(x)/x")
    assert "Fortran has no <code>log1p</code>: the definition before" in html_of(page)


@pytest.mark.parametrize(("e", "text"), [(["e=1:2"], "e_2*x"), ([], "M_E*x")])
def test_a_copied_text_is_that_of_the_variable_e_or_of_the_number(e: list[str], text: str) -> None:
    page = open_page(formula="e*x", range=["x=1:2", *e], samples="50")
    page.selectbox(key="copy-language-formula").set_value("c").run()
    assert [each for each in codes(page) if each in ("e_2*x", "M_E*x")] == [text]
