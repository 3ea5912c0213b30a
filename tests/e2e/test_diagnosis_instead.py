"""What to write instead, function or writing, and how many digits, as a visitor asks them."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser import PATIENCE, still
from tests.e2e.conftest import Opener
from tests.effort import twin

pytestmark = pytest.mark.e2e

ROOTS = f"/?formula={quote('sqrt(x+1) - sqrt(x)')}&range=x=loguniform:1:1e8"
BETTER = "1/(sqrt(x + 1) + sqrt(x))"


def formula(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query)["formula"][0]


def ask(page: Page, question: str) -> None:
    page.locator(".st-key-questions").get_by_text(question).click()
    still(page)


@twin("pages/test_diagnosis_instead.py::test_the_form_before_comes_back_and_goes_again")
def test_a_better_form_is_looked_at_taken_left_and_taken_again(visit: Opener) -> None:
    page = visit(ROOTS)
    ask(page, "Instead")
    answer = page.locator(".st-key-answer-instead")
    expect(answer.locator(".eic-answer")).to_contain_text(BETTER)

    answer.get_by_text("See both trees").click()
    for name in ("As written: EIC 7.7", "Instead: EIC 0.28"):
        expect(answer.get_by_text(name)).to_be_visible()
    expect(answer.get_by_role("img", name="The tree of")).to_have_count(2)
    expect(answer.locator(".eic-answer")).to_contain_text(BETTER)  # the question is still asked

    typeset = answer.locator(".katex-display").first
    whole, shown = (
        typeset.evaluate(f"e => e.closest('[class*=st-key-repair-form]').{side}Height")
        for side in ("scroll", "client")
    )
    assert whole <= shown + 1  # nothing of the fraction is cut off

    answer.get_by_role("button", name=f"Inspect {BETTER}").click()
    expect(answer.locator(".eic-answer")).to_contain_text("Nothing better found")
    assert formula(page) == BETTER
    page.get_by_role("button", name="Previous formula").click()
    expect(answer.locator(".eic-answer")).to_contain_text(BETTER)
    page.get_by_role("button", name="Next formula").click()
    expect(answer.locator(".eic-answer")).to_contain_text("Nothing better found")
    assert formula(page) == BETTER


@twin("pages/test_diagnosis_digits.py::test_the_shorter_formula_goes_into_the_editor_and_back")
def test_a_tolerance_of_ones_own_shortens_the_constants(visit: Opener) -> None:
    page = visit(f"/?formula={quote('3.14159265*x + 2.71828')}&range=x=1:5&ask=digits")
    answer = page.locator(".st-key-answer-digits")
    expect(answer.locator(".eic-answer")).to_contain_text("within 0.1 % of its spread")
    field = answer.locator(".st-key-digits-tolerance input")
    field.fill("20 %")
    field.press("Enter")
    expect(answer.locator(".eic-answer")).to_contain_text("within 20 % of its spread")
    expect(answer.get_by_test_id("stCode").filter(has_text="3*x + 3")).to_be_visible()
    assert parse_qs(urlsplit(page.url).query)["tolerance"] == ["0.2"]
    field.fill("much")
    field.press("Enter")
    expect(answer).to_contain_text("much is no tolerance")
    ask(page, "Which rows?")
    ask(page, "Digits")
    expect(answer.locator(".eic-answer")).to_contain_text("within 20 % of its spread")


def test_on_a_phone_the_answers_fit(visit: Opener) -> None:
    page = visit(f"{ROOTS}&ask=writing", width=390)
    expect(page.locator(".st-key-answer-writing .eic-answer")).to_contain_text("by the writing")
    offered = page.locator(".st-key-questions button")
    expect(offered).to_have_count(7)
    for place in range(7):  # the row scrolls by itself, and each can be brought into view
        offered.nth(place).scroll_into_view_if_needed()
        box = offered.nth(place).bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    for question in ("Instead", "Digits"):
        ask(page, question)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for question, panel in (("Which rows?", "rows"), ("Whose noise?", "noise"), ("True?", "truth")):
        ask(page, question)
        drawn = page.locator(f".st-key-answer-{panel} .js-plotly-plot").first
        drawn.wait_for(timeout=PATIENCE)
        still(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        box = drawn.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
