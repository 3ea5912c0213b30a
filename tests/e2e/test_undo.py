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
    current,
    idle,
    look,
    stage,
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


def test_an_answer_is_taken_back_by_click_and_by_key_and_stands_after_five_seconds(
    page: Page, world: World, brief: Study
) -> None:
    link = begun(page, world, brief)
    first = current(page)
    answer(page, "A")
    expect(page.locator(".undo")).to_contain_text("Saved: formula A.")
    page.locator("#undo").click()
    expect(page.get_by_text("saved 0 of 3")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Your last answer is taken back")
    assert current(page) == first
    assert world.votes(link) == []
    answer(page, "B")
    expect(page.locator(".undo")).to_contain_text("Saved: formula B.")
    assert choices(world, link) == [("left", False), ("right", True)]

    # five seconds later an answer stands, whatever the page says
    answer(page, "B")
    undo = page.locator("#undo")
    expect(undo).to_have_text(re.compile(r"Undo \([1-5]\)"))
    form = page.locator("form.undo").evaluate("form => form.outerHTML")
    expect(undo).to_have_count(0)
    page.locator("main").evaluate(
        "(main, html) => main.insertAdjacentHTML('beforeend', html)", form
    )
    undo.evaluate("button => button.click()")  # a page that stood still meanwhile
    expect(page.locator("#notice")).to_contain_text("That time was over, so it stands")
    assert [vote["choice"] for vote in world.votes(link)] == ["right", "right"]

    # by the keyboard, after the last ballot
    look(page)
    page.get_by_role("button", name="Cannot decide").click()
    expect(page.get_by_text("Thank you!")).to_be_visible()
    expect(page.locator(".undo")).to_contain_text("Saved: cannot decide.")
    page.keyboard.press("Tab")  # from the heading to what is next
    expect(undo).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("saved 2 of 3")).to_be_visible()
    answer(page, "A")
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["right", "right", "left"]
    assert len(choices(world, link)) == 5


def test_the_practice_can_be_undone_and_asks_what_should_decide_until_it_is_understood(
    page: Page, world: World
) -> None:
    link = world.link()
    visit(page, link)
    agree(page)
    page.locator("#start").click()
    expect(stage(page, "practice")).to_be_visible()
    answer(page, "A")
    expect(page.get_by_text("You chose formula A")).to_be_visible()
    if page.locator("#undo").count():
        page.locator("#undo").click()
        expect(stage(page, "practice")).to_be_visible()
        answer(page, "B")
        expect(page.get_by_text("You chose formula B")).to_be_visible()
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
    assert world.votes(link) == []
