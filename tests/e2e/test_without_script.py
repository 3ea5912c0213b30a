"""The same pages for a browser that runs no script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.rating_world import World, agree, stage, understand, visit

pytestmark = pytest.mark.e2e


def choose(page: Page, letter: str) -> None:
    """Wait as long as a look takes, and choose."""
    page.wait_for_timeout(1200)
    page.locator(f"#choose-{letter}").click()


def test_from_consent_to_thanks_without_a_script(browser: Browser, world: World) -> None:
    page = browser.new_page(java_script_enabled=False, viewport={"width": 390, "height": 844})
    study = world.another(ballots_per_rater=3, practice=True, allow_tie=True)
    link = world.link(study)
    visit(page, link)

    # what is missing is said beside the field, and what was written stays
    page.get_by_label("Your field of study or work").fill("Physics")
    page.locator("#agree").click()
    expect(page.get_by_text("Please choose one.")).to_be_visible()
    expect(page.get_by_label("Your field of study or work")).to_have_value("Physics")
    agree(page)
    page.locator("#start").click()

    # practice, and what should decide
    expect(stage(page, "practice")).to_be_visible()
    choose(page, "A")
    understand(page)

    # a vote, its undo, the last answer counts
    choose(page, "A")
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    page.locator("#undo").click()
    expect(page.get_by_text("Your last answer is taken back")).to_be_visible()
    page.get_by_label("Why?").fill("I can read it aloud")
    choose(page, "B")
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    votes = [(vote["choice"], vote["reason"]) for vote in world.votes(link)]
    assert votes == [("right", "I can read it aloud")]

    # the offer goes by itself
    expect(page.locator("#undo")).to_be_hidden()

    # pause, on with it, the end
    page.locator("#pause").click()
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    page.locator("#resume").click()
    choose(page, "none")
    choose(page, "A")
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["right", "tie", "left"]
    pages = world.rows("SELECT DISTINCT page, rater_seconds, in_view FROM vote")
    assert {"page": 3, "rater_seconds": None, "in_view": None} in pages

    # the back button shows what is due, and sends nothing twice
    page.go_back()
    page.reload()
    assert len(world.votes(link)) == 3
    page.close()
