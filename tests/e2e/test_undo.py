"""An answer may be taken back for five seconds; the last one counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from study.material import Study
from tests.e2e.rating_world import (
    World,
    agree,
    answer,
    begun,
    idle,
    look,
    stage,
    understand,
    visit,
    volunteer,
)

pytestmark = pytest.mark.e2e


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with volunteer(browser, phone=False) as opened:
        yield opened


def choices(world: World, link: str) -> list[tuple[str, bool]]:
    """All votes of a link's rater: the choice, and whether it stands."""
    ballots = tuple(ballot["id"] for ballot in world.ballots(link))
    votes = world.rows("SELECT assignment_id, choice, undone_at FROM vote ORDER BY id")
    return [
        (vote["choice"], vote["undone_at"] is None)
        for vote in votes
        if vote["assignment_id"] in ballots
    ]


def test_the_keyboard_takes_back_too_and_after_the_last_ballot(
    page: Page, world: World, brief: Study
) -> None:
    link = begun(page, world, brief)
    for letter in "AB":
        answer(page, letter)
    look(page)
    page.get_by_role("button", name="Cannot decide").click()
    expect(page.get_by_text("Thank you!")).to_be_visible()
    expect(page.locator(".undo")).to_contain_text("Saved: cannot decide.")
    page.keyboard.press("Tab")  # from the heading to what is next
    expect(page.locator("#undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("saved 2 of 3")).to_be_visible()
    answer(page, "A")
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["left", "right", "left"]
    assert len(choices(world, link)) == 4


def test_after_five_seconds_an_answer_stands_whatever_the_page_says(
    page: Page, world: World, brief: Study
) -> None:
    link = begun(page, world, brief)
    answer(page, "A")
    undo = page.locator("#undo")
    expect(undo).to_have_text(re.compile(r"Undo \([1-5]\)"))
    form = page.locator("form.undo").evaluate("form => form.outerHTML")
    expect(undo).to_have_count(0, timeout=8000)
    page.locator("main").evaluate(
        "(main, html) => main.insertAdjacentHTML('beforeend', html)", form
    )
    page.locator("#undo").evaluate("button => button.click()")  # a page that stood still meanwhile
    expect(page.locator("#notice")).to_contain_text("That time was over, so it stands")
    assert [vote["choice"] for vote in world.votes(link)] == ["left"]


def test_undo_after_the_practice_brings_the_practice_back(page: Page, world: World) -> None:
    link = world.link()
    visit(page, link)
    agree(page)
    page.locator("#start").click()
    expect(stage(page, "practice")).to_be_visible()
    answer(page, "A")
    expect(stage(page, "practised")).to_be_visible()
    expect(page.get_by_text("You chose formula A")).to_be_visible()
    if page.locator("#undo").count():
        page.locator("#undo").click()
        expect(stage(page, "practice")).to_be_visible()
        answer(page, "B")
        expect(page.get_by_text("You chose formula B")).to_be_visible()
    understand(page)
    expect(page.get_by_text("Ballot 1 of")).to_be_visible()
    assert world.votes(link) == []


def test_what_should_decide_is_asked_once_and_a_wrong_answer_is_explained(
    page: Page, world: World
) -> None:
    visit(page, world.link())
    agree(page)
    page.locator("#start").click()
    answer(page, "B")
    expect(stage(page, "practised")).to_be_visible()
    check = page.locator("#check")
    for wrong, sentence in (("fit", "R² has measured that"), ("length", "complexity has counted")):
        check.locator(f"button[value={wrong}]").click()
        idle(page)
        expect(page.get_by_text(sentence)).to_be_visible()
        expect(page.locator("#start")).to_have_count(0)
    check.locator("button[value=yes]").click()
    expect(page.get_by_text("From now on your answers count")).to_be_visible()
    page.reload()
    page.locator("#start").click()
    expect(page.get_by_text("Ballot 1 of")).to_be_visible()
