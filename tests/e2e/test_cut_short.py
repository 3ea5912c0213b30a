"""On a machine that is too slow: what is unfinished says so, and a click finishes it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.browser import running_server, settle
from tests.e2e.profiles import profile, window
from tests.effort import twin
from tools.screenshots.unfinished import OVERFLOWING, SEARCHED

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def slow_server() -> Iterator[str]:
    with running_server(script="tests/e2e/hurried_app.py") as address:
        yield address


@twin("pages/test_cut_short.py::test_finishing_the_check_goes_on_to_the_full_answer")
def test_a_check_goes_on_to_its_end_and_the_page_follows(
    browser: Browser, slow_server: str
) -> None:
    with profile(browser) as someone:
        page = window(someone, 1400, 1000, "light")
        page.goto(f"{slow_server}/{OVERFLOWING}")
        settle(page)
        expect(page.locator(".eic-unfinished")).to_contain_text("was stopped after 10 seconds")
        expect(page.locator(".st-key-gauges, .st-key-panes")).to_have_count(0)
        page.get_by_role("button", name="Finish the check").click()
        expect(page.locator(".eic-sentence")).to_contain_text("No double-precision value at")
        expect(page.locator(".eic-unfinished")).to_have_count(0)
        expect(page.get_by_role("button", name="Download")).to_be_visible()


@twin("pages/test_cut_short.py::test_a_search_cut_short_is_marked_and_can_go_on_to_its_end")
def test_a_search_goes_on_to_its_end_and_the_summary_follows(
    browser: Browser, slow_server: str
) -> None:
    with profile(browser) as someone:
        page = window(someone, 1400, 1000, "light")
        page.goto(f"{slow_server}/{SEARCHED}&ask=instead")
        settle(page)
        expect(page.locator(".eic-answer")).to_contain_text("cut short by its time limit")
        why = page.get_by_role("button", name="Why?")
        why.click()
        expect(page.locator(".st-key-summary")).to_contain_text("cut short by its time limit")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Search to the end").click()
        expect(page.locator(".eic-answer")).not_to_contain_text("cut short")
        settle(page)
        why.click()
        expect(page.locator(".st-key-summary")).to_contain_text("Write")
        expect(page.locator(".st-key-summary")).not_to_contain_text("cut short")
        expect(page.get_by_role("button", name="Search to the end")).to_have_count(0)
