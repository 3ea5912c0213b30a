"""`make run`: the demo as somebody meets it who has just cloned the repository."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e import organiser as at
from tests.e2e.browser import eventually, running_server
from tests.e2e.organiser import ready
from tests.e2e.profiles import profile, window
from tests.effort import twin

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "demo.sqlite3"


@pytest.fixture(scope="module")
def address(database: Path) -> Iterator[str]:
    with running_server(demo=True, database=database) as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with profile(browser) as context:
        yield window(context)


@twin("pages/test_planner_page.py::test_the_papers_study_is_one_click_away")
def test_a_plan_fits_a_phone_and_is_there_after_a_reload(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(f"{address}/organise")
    page.get_by_role("button", name=re.compile("Plan a study")).click()
    expect(page).to_have_url(re.compile(r"plan=new"))
    page.get_by_role("button", name="Worked example").click()
    expect(page.get_by_text("Expect an interval of about ± 5.")).to_be_visible()
    expect(page.locator(".st-key-plan-figure .js-plotly-plot")).to_be_visible()
    width = "document.documentElement.scrollWidth"
    eventually(page, lambda: page.evaluate(width), lambda wide: wide <= 390)
    page.reload()
    expect(page.get_by_text("Expect an interval of about ± 5.")).to_be_visible()


def test_the_demo_leads_from_the_list_to_a_ballot(page: Page, address: str) -> None:
    page.goto(address)
    ready(page)
    expect(page.locator(".st-key-formula_text textarea")).to_be_visible()
    page.get_by_role("link", name="Organise").click()
    expect(page.get_by_text("This is a demo.")).to_be_visible()
    page.locator(".st-key-open-2 button").click()
    expect(page.get_by_text("Votes on each pair")).to_be_visible()
    at.step(page, "Invitations")
    page.get_by_role("button", name="Make a link to try as a rater").click()
    link = page.get_by_role("link", name="Open the rating page")
    expect(link).to_be_visible()
    page.goto(link.get_attribute("href") or "")
    expect(page.get_by_text("Which formula is easier to interpret?").first).to_be_visible()
    expect(page.get_by_role("button", name="I agree")).to_be_visible()
    expect(page.locator(".st-key-nav")).to_have_count(0)


@twin("study/test_organising.py::test_a_demo_makes_links_for_this_machine_only")
def test_the_demo_draft_can_be_frozen_and_invites_nobody_from_elsewhere(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/organise?study=1&step=design")
    at.fill(page, "Contact for raters", "me")
    at.fill(page, "Public address of this app", "https://study.example.org")
    expect(page.get_by_text("Links would open on this computer only")).to_have_count(0)
    at.step(page, "Freeze")
    at.sure(page)
    page.get_by_role("button", name="Make 10 personal links").click()
    expect(page.get_by_role("alert")).to_contain_text("A demo invites nobody from elsewhere")
