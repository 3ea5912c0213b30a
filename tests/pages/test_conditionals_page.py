"""Formulas with conditions in the inspector and in Compare, run without a browser."""

from __future__ import annotations

import re

import pytest

from eic_core.drawing.layout import compose
from eic_core.drawing.svg import tree_svg
from pages.ui.bench.tree_pane import pane_of
from pages.ui.kit.visit import ASKS
from tests.effort import combined
from tests.inspections import inspect_columns
from tests.pages import test_compare as compare
from tests.pages.test_app_inspector import buttons, html_of, open_page, state_of

FORMULAS = (
    (
        "where(x > 1, 10000*x - 9999*x, where(y < 0.5, log(y), nan)) + (x > y)*x",
        ["x=-0.9:3", "y=0:1"],
    ),
    (r"\begin{cases} x^2 + 1 & x > 1 \\ 5 & \text{otherwise} \end{cases}", ["x=1"]),
)


@pytest.mark.parametrize(("ask", "given_as"), combined(ASKS, FORMULAS, 1))
def test_every_question_is_answered(ask: str, given_as: tuple[str, list[str]]) -> None:
    formula, ranges = given_as
    page = open_page(formula=formula, range=ranges, samples="200", ask=ask)
    assert "eic-sentence" in html_of(page.run())


def test_the_page_says_how_it_read_and_where_nodes_are_evaluated() -> None:
    formula, ranges = FORMULAS[0]
    page = open_page(formula=formula, range=ranges, samples="200", node="9")
    shown = re.sub("<[^>]+>", "", html_of(page))
    assert "x > y counts 1 where it holds" in shown.replace("&gt;", ">")
    assert "stands in a branch that is taken at" in shown
    pane = pane_of(page.session_state["visit"].last_good)
    assert "evaluated" in [name for name, _, _ in pane.columns]
    assert 0 <= pane.nodes[9].evaluated < pane.valid


def test_a_branch_that_no_sample_takes_is_drawn_so_and_an_undefined_formula_is_not() -> None:
    result = inspect_columns("where(x > 5, x**2, x)", x=[0.1, 0.5, 0.9])
    values = {card.node_id: card.value for card in compose(result).cards}
    assert [values[k] for k in (3, 4, 5)] == ["not taken", "not taken", "0"]
    assert ">if<" in tree_svg(result)
    undefined = compose(inspect_columns("where(x > 0, log(-x), 1)", x=[1.0]))
    assert "not taken" not in {card.value for card in undefined.cards}


def test_compare_scores_conditionals() -> None:
    pasted = "where(x > 2, log(x), x)\nx if x > 3\n(x > 2)*x\n"
    page = compare.paste(compare.open_page(range="x=1:5"), pasted)
    errors = [scored.score.error for scored in compare.desk_of(page).scored.scores]
    assert [bool(error) for error in errors] == [False, True, False]
    assert "no other branch" in errors[1]


def test_two_formulas_with_conditions_stand_side_by_side() -> None:
    bad = "where(x > 3, 10000*x - 9999*x, x)"
    page = compare.open_page(formula=bad, b="where(x > 3, x, x)", range="x=1:5")
    assert "EIC of B is 4.2 digits less than that of A" in html_of(page)


def test_each_branch_can_be_inspected_on_the_rows_that_take_it() -> None:
    formula = "where(x > 1, 10000*x - 9999*x, where(y < 0.5, log(y), 2))"
    page = open_page(formula=formula, range=["x=0:3", "y=0.1:1"], samples="200", ask="instead")
    assert "where(x &gt; 1, x, where(y &lt; 0.5, log(y), 2))" in html_of(page)
    whole = page.session_state["visit"].last_good.inspection
    x = whole.samples.columns["x"]
    taken = x[x > 1].tolist()
    first, second = buttons(page, "branch-")
    assert first.label == f"Inspect `10000·x − 9999·x` on its {len(taken)} rows"
    assert second.label.endswith(f"on its {200 - len(taken)} rows")
    first.click().run()
    state, branch = state_of(page), page.session_state["visit"].last_good.inspection
    assert state.formula == "10000*x - 9999*x" and state.upload
    assert branch.samples.columns["x"].tolist() == taken
    assert branch.eic == pytest.approx(whole.nodes[whole.worst_step].local_eic, abs=1e-12)
    assert page.button(key="apply-repair-0").label == "Inspect `x`"
    page.button(key="previous_formula").click().run()
    assert state_of(page).formula == formula and not state_of(page).upload
    page.button(key=second.key).click().run()
    assert state_of(page).formula == "where(y < 0.5, log(y), 2)"
