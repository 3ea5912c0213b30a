"""The four sentences under the verdict, and the row of questions, without a browser."""

from __future__ import annotations

import threading
from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from eic_core.errors import UserError
from pages.ui.inspector import headline as summary
from pages.ui.inspector import workbench
from pages.ui.inspector.formula_input import EXAMPLES, Example
from pages.ui.kit.diagnosis_service import DiagnosisService, Summary
from pages.ui.kit.visit import ASKS
from tests.effort import combined, dear
from tests.pages.conftest import UNHURRIED
from tests.pages.test_app_inspector import address_of, html_of, open_page, query_of, state_of

ROOTS = {"formula": "sqrt(x+1) - sqrt(x)", "range": ["x=loguniform:1:1e8"]}


def settled(page: AppTest) -> AppTest:
    """The page once its diagnosis has come."""
    assert page.session_state["visit"].summary_job.wait(UNHURRIED)
    return page.run()


def said(page: AppTest) -> str:
    return unescape(html_of(page)).replace("<code>", "`").replace("</code>", "`")


def test_a_diagnosis_that_takes_longer_than_the_page_comes_after_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_begin = threading.Event()
    real = DiagnosisService.summary

    def held(*given: Any, **named: Any) -> Summary:
        may_begin.wait(UNHURRIED)
        return real(*given, **named)

    monkeypatch.setattr(DiagnosisService, "summary", held)
    monkeypatch.setattr(summary, "WAIT", 0.0)
    page = open_page(**ROOTS | {"samples": "9999"})
    assert html_of(page).count("eic-to-come") == 4
    assert "Looking for a form that keeps more digits" in said(page)
    may_begin.set()
    assert "conjugate roots" in said(settled(page))
    assert "eic-to-come" not in html_of(page)


def test_a_diagnosis_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise UserError("there is nothing to diagnose")

    monkeypatch.setattr(DiagnosisService, "summary", failing)
    assert "there is nothing to diagnose" in said(settled(open_page(**ROOTS)))


def test_why_where_whose_fault_and_what_instead_which_is_taken_and_comes_back() -> None:
    page = settled(open_page(**ROOTS))
    text = said(page)
    assert "the rounding of `√(x + 1)` and the rounding of `√x`" in text
    assert "rows" in text and "nearly zero" in text
    assert "are added by the writing" in text
    assert "Write `1/(sqrt(x + 1) + sqrt(x))` where `√(x + 1) + √x > 0` (conjugate roots)" in text
    assert page.button(key="apply-best").label == "Write instead: `1/(sqrt(x + 1) + sqrt(x))`"
    page.button(key="apply-best").click().run()
    assert state_of(page).formula == "1/(sqrt(x + 1) + sqrt(x))"
    assert "Nothing better found" in said(settled(page))
    next(b for b in page.button if b.label == "Previous formula").click().run()
    assert state_of(page).formula == ROOTS["formula"]


def test_each_line_leads_to_its_question() -> None:
    page = settled(open_page(**ROOTS, ask="nonsense"))
    assert state_of(page).ask == "where"
    for ask in ("noise", "rows", "writing", "instead"):
        page.button(key=f"ask-{ask}").click().run()
        assert query_of(page, "ask") == [ask]


FORMULAS: tuple[dict[str, str | list[str]], ...] = (
    ROOTS,
    {"formula": "log(-x)", "range": ["x=1:3"]},
    {"formula": "x"},
    {"formula": "2"},
    {"formula": "log(x)", "range": ["x=1:1"]},
    {"formula": "x*y + z - sin(w)"},
    {"formula": "sqrt(x-2)", "range": ["x=1:3"]},
)


@pytest.mark.parametrize(("ask", "query"), combined(ASKS, FORMULAS, 1))
def test_every_question_of_every_formula_gets_an_answer(
    ask: str, query: dict[str, str | list[str]], caplog: pytest.LogCaptureFixture
) -> None:
    page = settled(open_page(**query, ask=ask))
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert page.session_state["visit"].summary_job.result is not None


def test_a_panel_that_fails_leaves_the_page_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    question = workbench.Question("noise", "Whose noise?", broken)
    monkeypatch.setitem(workbench._BY_KEY, "noise", question)
    page = open_page(**ROOTS)
    with pytest.raises(AssertionError, match="for a reason of ours"):
        page.segmented_control(key="ask").set_value("noise").run()
    assert not page.exception
    assert "This answer could not be computed" in said(page)
    assert "eic-sentence" in html_of(page)


@dear(4)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.key)
def test_each_lesson_is_told_what_is_wrong_why_where_and_what_instead(example: Example) -> None:
    page = settled(open_page(**address_of(example), samples=str(example.samples)))
    found = page.session_state["visit"].summary_job.result
    for text in (found.why, found.where, found.fault, found.instead):
        assert text.endswith(".") and "nan" not in text.lower()
    better = {"cancellation", "masked", "roots", "half-angle"}
    assert bool(found.better) == (example.key in better)
    own = "are the function's own" in found.fault and "writing" not in found.fault
    assert own == (example.key in {"nested", "pole"})
