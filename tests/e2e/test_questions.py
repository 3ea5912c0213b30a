"""The answers to the inspector's questions: bars that are pointed at, and what fits on a phone."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser import PATIENCE, eventually, still
from tests.e2e.conftest import Opener

pytestmark = pytest.mark.e2e

ROOTS = f"/?formula={quote('sqrt(x+1) - sqrt(x)')}&range=x=loguniform:1:1e8"


def ask(page: Page, question: str) -> None:
    page.locator(".st-key-questions").get_by_text(question).click()
    still(page)


def node_of(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get("node", [])


def framed(frame: Locator, bars: Locator) -> list[int]:
    """The bars whose middle is inside the frame."""
    around = frame.bounding_box() if frame.count() else None
    boxes = [bar.bounding_box() for bar in bars.all()]
    return [
        place
        for place, box in enumerate(boxes)
        if box is not None
        and around is not None
        and around["x"] < box["x"] + box["width"] / 2 < around["x"] + around["width"]
        and around["y"] < box["y"] + box["height"] / 2 < around["y"] + around["height"]
    ]


def test_a_bar_of_the_ledger_is_framed_and_selects_its_node_and_no_fraction_is_cut_off(
    visit: Opener,
) -> None:
    page = visit(f"{ROOTS}&ask=noise")
    answer = page.locator(".st-key-answer-noise")
    bars = answer.locator(".barlayer .trace:nth-child(even) .point")  # each on its track
    bars.nth(1).wait_for(timeout=PATIENCE)
    page.evaluate("eicBench.set({hover: 5})")
    frame = answer.locator(".eic-mark-hover")
    eventually(page, lambda: framed(frame, bars), lambda places: len(places) == 1)
    page.evaluate("eicBench.set({hover: null})")
    expect(frame).to_have_count(0)

    still(page)
    bars.nth(1).click(force=True)  # Plotly's own layer takes what is pointed at
    expect(answer.locator(".eic-answer")).to_contain_text("of the noise of √x comes from")
    assert node_of(page) == ["5"]
    answer.get_by_role("button", name="Back to the noise of").click()
    expect(answer.locator(".eic-answer")).to_contain_text("of the noise of the result")
    assert node_of(page) == ["6"]

    ask(page, "Instead")
    typeset = page.locator(".st-key-answer-instead .katex-display").first
    expect(typeset).to_be_visible()
    whole, shown = (
        typeset.evaluate(f"e => e.closest('[class*=st-key-repair-form]').{side}Height")
        for side in ("scroll", "client")
    )
    assert whole <= shown + 1  # nothing of the fraction is cut off


def test_on_a_phone_the_answers_fit(visit: Opener) -> None:
    page = visit(f"{ROOTS}&ask=writing", width=390)
    expect(page.locator(".st-key-answer-writing .eic-answer")).to_contain_text("by the writing")
    offered = page.locator(".st-key-questions button")
    expect(offered).to_have_count(7)
    for place in range(7):  # the row scrolls by itself, and each can be brought into view
        offered.nth(place).scroll_into_view_if_needed()
        box = offered.nth(place).bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    for question in ("Digits", "Instead"):
        ask(page, question)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for question, panel in (("Which rows?", "rows"), ("Whose noise?", "noise"), ("True?", "truth")):
        ask(page, question)
        drawn = page.locator(f".st-key-answer-{panel} .js-plotly-plot").first
        drawn.wait_for()
        still(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        box = drawn.bounding_box()
        assert box is not None
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
