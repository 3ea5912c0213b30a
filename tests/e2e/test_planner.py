"""The planner in a real browser: from the studies to an answer, and back."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.browser import eventually, running_server
from tests.e2e.organiser import ready
from tests.e2e.profiles import profile, window

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_server(demo=True) as found:
        yield found


@pytest.fixture
def organiser(browser: Browser) -> Iterator[BrowserContext]:
    with profile(browser) as context:
        yield context


def number(page: Page, name: str, value: str) -> None:
    field = page.get_by_role("spinbutton", name=name, exact=True)
    field.fill(value)
    field.press("Tab")
    ready(page)


def test_an_organiser_plans_a_study_cancels_and_sees_the_papers(
    organiser: BrowserContext, address: str
) -> None:
    page = window(organiser, 390, 900)
    page.goto(f"{address}/organise")
    page.get_by_role("button", name=re.compile("Plan a study")).click()
    expect(page).to_have_url(re.compile(r"plan=new"))
    ready(page)
    number(page, "Pairs", "2000")
    number(page, "Simulated studies", "5000")
    page.get_by_role("button", name="Simulate", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The simulation was cancelled.")).to_be_visible()
    page.get_by_role("button", name="Worked example").click()
    expect(page.get_by_text("Expect an interval of about ± 5.")).to_be_visible()
    expect(page.locator(".st-key-plan-figure .js-plotly-plot")).to_be_visible()
    width = "document.documentElement.scrollWidth"
    eventually(page, lambda: page.evaluate(width), lambda wide: wide <= 390)
    page.reload()
    expect(page.get_by_text("Expect an interval of about ± 5.")).to_be_visible()
    page.get_by_role("button", name="All studies").click()
    expect(page.get_by_role("heading", name="Studies")).to_be_visible()


def test_a_draft_is_planned_from_its_design(organiser: BrowserContext, address: str) -> None:
    page = window(organiser)
    page.goto(f"{address}/organise?study=1&step=design")
    page.get_by_role("button", name="How sure would that be? Plan it").click()
    expect(page.get_by_role("heading", name="Plan: Demo draft")).to_be_visible()
    expect(page.get_by_role("spinbutton", name="Pairs", exact=True)).not_to_have_value("100")
    page.get_by_role("button", name="Back to the design").click()
    expect(page).to_have_url(re.compile("study=1.*step=design"))
