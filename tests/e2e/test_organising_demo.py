"""`make run`: the demo as somebody meets it who has just cloned the repository."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e import organiser as at
from tests.e2e.browser import ROOT, eventually, free_port, running_server
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


def number(page: Page, name: str, value: str) -> None:
    field = page.get_by_role("spinbutton", name=name, exact=True)
    field.fill(value)
    field.press("Tab")
    ready(page)


@twin(
    "pages/test_planner_page.py::test_a_running_simulation_shows_how_far_it_is_and_can_be_cancelled"
)
def test_an_organiser_plans_a_study_cancels_and_sees_the_papers(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 900})
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


@twin("pages/test_planner_page.py::test_a_draft_is_planned_with_its_own_numbers")
def test_a_draft_is_planned_from_its_design(page: Page, address: str) -> None:
    page.goto(f"{address}/organise?study=1&step=design")
    page.get_by_role("button", name="How sure would that be? Plan it").click()
    expect(page.get_by_role("heading", name="Plan: Demo draft")).to_be_visible()
    expect(page.get_by_role("spinbutton", name="Pairs", exact=True)).not_to_have_value("100")
    page.get_by_role("button", name="Back to the design").click()
    expect(page).to_have_url(re.compile("study=1.*step=design"))


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


def test_the_demo_draft_can_be_frozen_and_invites_nobody_from_elsewhere(
    page: Page, address: str
) -> None:
    page.goto(f"{address}/organise?study=1&step=design")
    ready(page)
    at.fill(page, "Contact for raters", "me")
    at.fill(page, "Public address of this app", "https://study.example.org")
    expect(page.get_by_text("Links would open on this computer only")).to_have_count(0)
    at.step(page, "Freeze")
    at.sure(page)
    page.get_by_role("button", name="Make 10 personal links").click()
    expect(page.get_by_role("alert")).to_contain_text("A demo invites nobody from elsewhere")


@twin("pages/test_organise_pieces.py::test_the_demo_is_made_once_and_mended_if_it_was_cut_short")
def test_a_second_start_keeps_what_is_there(page: Page, address: str, database: Path) -> None:
    with running_server(demo=True, database=database) as again:
        page.goto(f"{again}/organise")
        ready(page)
        expect(page.locator(".eic-row-title")).to_have_count(2)


def test_a_demo_refuses_to_listen_to_other_machines(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/demo.sqlite3"
    environment = {**os.environ, "EIC_LAB_DEMO": "1", "EIC_LAB_DEMO_DATABASE_URL": url}
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            "app.py",
            "--server.headless",
            "true",
            "--server.port",
            str(free_port()),
            "--server.address",
            "0.0.0.0",
        ],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2
    assert "a demo listens on this machine only" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_points_here_does_not_open_the_demo(page: Page, address: str) -> None:
    port = address.rsplit(":", 1)[1]
    answer = page.request.post(
        f"{address}/exports/1/study.zip", headers={"Host": f"rebound.example:{port}"}
    )
    assert answer.status == 401
