"""Raters who come back, share a computer, lose their link or their connection, or come late."""

from __future__ import annotations

import contextlib

import pytest
from playwright.sync_api import Browser, Page, expect

from study.links import token_hash
from tests.e2e.browser import free_port
from tests.e2e.cable import Cable
from tests.e2e.rating_world import (
    World,
    agree,
    answer,
    look,
    start,
    token_of,
    visit,
    volunteer,
)

pytestmark = pytest.mark.e2e


def own_link(page: Page) -> str:
    """The personal link that the address of a page holds."""
    return page.url.partition("&")[0]


def test_a_shared_computer_asks_who_is_there_and_a_closing_study_lets_its_raters_finish(
    browser: Browser, world: World
) -> None:
    study = world.another(ballots_per_rater=2, practice=False)
    shared = world.organiser.invitations.open_link(study.id, 10).link
    with volunteer(browser, phone=False) as page:
        visit(page, shared)
        agree(page)
        (cookie,) = [each for each in page.context.cookies() if each["name"] == "rater"]
        assert cookie["httpOnly"] and cookie["sameSite"] == "Lax"
        first = own_link(page)
        expect(page.get_by_text("This is your personal link")).to_be_visible()
        start(page)
        answer(page, "A")
        page.go_back()
        page.go_forward()  # not to the open link, which would ask for a second consent
        expect(page.get_by_text("saved 1 of 2")).to_be_visible()
        page.reload()
        expect(page.get_by_text("saved 1 of 2")).to_be_visible()
        assert own_link(page) == first

        # the same browser, the open link again: another person takes part
        visit(page, shared)
        expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()
        page.get_by_role("button", name="I am someone else").click()
        agree(page)
        second = own_link(page)
        assert first != second

        # nobody new from now on: who is at work goes on, in the same browser
        world.organiser.end_admission(study.id)
        visit(page, shared)
        page.get_by_role("button", name="Go on where I stopped").click()
        expect(page.get_by_text("saved 0 of 2")).to_be_visible()
        assert own_link(page) == second
        answer(page, "B")
        answer(page, "B")
        expect(page.get_by_text("Thank you!")).to_be_visible()
        assert (len(world.votes(first)), len(world.votes(second))) == (1, 2)

        # a stranger finds the door closed, and is told that others may finish
        page.context.clear_cookies()
        visit(page, shared)
        expect(page.get_by_role("heading", name="Nobody new can take part")).to_be_visible()


def test_a_replaced_link_goes_on_and_a_lost_connection_is_told_once_and_soon(
    browser: Browser, world: World
) -> None:
    study = world.another(ballots_per_rater=2, practice=False)
    invited = world.organiser.invitations.invite(study.id, ["Ann Example"])[0]
    with volunteer(browser, phone=False) as page:
        visit(page, invited.link)
        expect(page.get_by_text("can tell from it who you are")).to_be_visible()
        agree(page)
        start(page)
        answer(page, "A")
        new = world.organiser.invitations.replace(study.id, invited.id)
        visit(page, invited.link)
        expect(page.get_by_role("heading", name="does not work")).to_be_visible()
        with contextlib.closing(Cable(world.port, free_port())) as cable:
            visit(page, new.link.replace(f":{world.port}/", f":{cable.port}/"))
            expect(page.get_by_text("saved 1 of 2")).to_be_visible()
            look(page)
            cable.pull()
            button = page.locator("#choose-A")
            lit = "e => getComputedStyle(e).filter + getComputedStyle(e).opacity"
            other, bright = page.locator("#choose-B"), page.locator("#choose-B").evaluate(lit)
            button.click()
            expect(page.get_by_text("There is no connection just now")).to_be_visible()
            expect(page.get_by_text("There is no connection just now")).to_have_count(1)
            expect(button).to_have_text("Saving…")
            expect(other).to_be_disabled()
            assert other.evaluate(lit) != bright
            cable.plug()
            expect(page.get_by_text("Thank you!")).to_be_visible()
            expect(page.get_by_text("There is no connection just now")).to_have_count(0)
        visit(page, new.link)
        page.locator("#ask-withdrawal").click()
        page.locator("#withdraw-yes").click()
        expect(page.get_by_text("You have withdrawn")).to_be_visible()
    rows = world.rows(
        "SELECT label FROM invitation WHERE token_hash = :h", h=token_hash(token_of(new.link))
    )
    assert rows == [{"label": ""}]
