"""Lost connections, killed and late servers: no answer is lost, stored twice or lost in silence."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from study.links import token_hash
from study.material import Study
from tests.e2e.browser import eventually, kept_port, running_server
from tests.e2e.cable import Cable
from tests.e2e.rating_world import (
    World,
    agree,
    answer,
    begun,
    current,
    idle,
    look,
    start,
    token_of,
    visit,
    volunteer,
)
from tests.effort import cases, twin

pytestmark = pytest.mark.e2e

WAITS = "Your answer waits on this page"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with volunteer(browser) as opened:
        yield opened


@pytest.fixture
def port() -> Iterator[int]:
    with kept_port() as found:
        yield found


@pytest.fixture
def cable(world: World, port: int) -> Iterator[Cable]:
    with contextlib.closing(Cable(world.port, port)) as made:
        yield made


def through(page: Page, world: World, study: Study, port: int) -> str:
    """A volunteer on the first ballot, through this port; the link."""
    link = world.link(study)
    visit(page, link.replace(f":{world.port}/", f":{port}/"))
    agree(page)
    start(page)
    return link


def test_an_answer_waits_for_the_connection_and_is_stored_once_what_else_is_pressed_is_not_sent(
    page: Page, world: World, brief: Study, cable: Cable
) -> None:
    link = through(page, world, brief, cable.port)
    look(page)
    first = current(page)
    cable.pull()
    page.locator("#choose-A").click()
    expect(page.get_by_text(WAITS)).to_be_visible()
    page.locator("#choose-B").click(force=True)  # one answer waits, and no other
    eventually(page, lambda: cable.refused, lambda tries: tries >= cases(3, 12))
    assert (current(page), len(world.votes(link))) == (first, 0)
    cable.plug()
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    expect(page.get_by_text(WAITS)).to_have_count(0)
    assert [vote["choice"] for vote in world.votes(link)] == ["left"]
    answer(page, "B")
    cable.pull()
    page.locator("#pause").click()
    expect(page.get_by_text("so nothing was sent")).to_be_visible()
    expect(page.locator("#question")).to_be_visible()
    cable.plug()
    page.locator("#pause").click()
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    page.locator("#resume").click()
    answer(page, "A")
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["left", "right", "left"]


def test_a_browser_without_a_network_says_so_and_sends_by_itself(
    page: Page, world: World, brief: Study
) -> None:
    link = begun(page, world, brief)
    look(page)
    page.context.set_offline(True)
    try:
        expect(page.get_by_text("There is no connection just now")).to_be_visible()
        page.locator("#choose-B").click()
        expect(page.get_by_text(WAITS)).to_be_visible()
        assert world.votes(link) == []
    finally:
        page.context.set_offline(False)
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    expect(page.get_by_text("There is no connection")).to_have_count(0)
    assert [vote["choice"] for vote in world.votes(link)] == ["right"]


def test_what_is_lost_on_its_way_there_or_back_is_sent_again_and_counts_once(
    page: Page, world: World, brief: Study, cable: Cable
) -> None:
    link = through(page, world, brief, cable.port)
    # the press is lost on its way
    look(page)
    cable.swallow("up", "down")
    page.locator("#choose-A").click()
    expect(page.locator("#choose-A")).to_have_text("Saving…")  # though no line has been closed
    eventually(page, lambda: cable.swallowed, bool)
    assert world.votes(link) == []
    cable.pull()
    expect(page.get_by_text(WAITS)).to_be_visible()
    cable.plug()
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    # saved, and the answer is lost on its way: no word, for nothing is wrong
    look(page)
    second = current(page)
    cable.swallow("down")
    page.locator("#choose-B").click()
    eventually(page, lambda: len(world.votes(link)), lambda stored: stored == 2)
    assert current(page) == second
    cable.pull()
    cable.plug()
    expect(page.get_by_text("saved 2 of 3")).to_be_visible()
    expect(page.locator("#notice")).to_have_text("")
    answer(page, "A")
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["left", "right", "left"]


def test_an_answer_that_waits_outlives_a_reload(
    page: Page, world: World, brief: Study, cable: Cable
) -> None:
    link = through(page, world, brief, cable.port)
    look(page)
    page.get_by_label("Why?").fill("it is shorter to say")
    cable.swallow("up", "down")
    page.locator("#choose-B").click()
    eventually(page, lambda: cable.swallowed, bool)
    cable.pull()
    cable.plug()
    cable.swallow("up")  # what the page sends again is lost, too, while it is reloaded
    eventually(page, lambda: cable.swallowed, bool)
    cable.pull()
    cable.plug()
    page.reload()
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    assert [(v["choice"], v["reason"]) for v in world.votes(link)] == [
        ("right", "it is shorter to say")
    ]


@twin(
    "study/test_rating.py::test_a_refresh_restart_or_other_device_shows_the_same_ballot_and_keeps_its_time"
)
def test_a_server_killed_in_the_middle_of_a_press_loses_nothing(
    page: Page, world: World, brief: Study, port: int
) -> None:
    processes: list[int] = []
    with running_server(database=world.file, port=port, processes=processes):
        link = through(page, world, brief, port)
        answer(page, "B")
        look(page)
        token, shown = current(page), world.ballots(link)[-1]["shown_at"]
        page.locator("#choose-A").click(no_wait_after=True)
        os.kill(processes[0], signal.SIGKILL)
    expect(page.get_by_text(re.compile(f"{WAITS}|saved 2 of 3"))).to_be_visible()
    with running_server(database=world.file, port=port):
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
        second = world.ballots(link)[1]
        assert (second["token"], second["shown_at"]) == (token, shown)
        answer(page, "A")
        expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["right", "left", "left"]


def test_the_raters_own_clock_counts_however_late_the_server_is(
    browser: Browser, world: World, brief: Study
) -> None:
    with volunteer(browser, phone=False) as page:
        link = begun(page, world, brief)
        late = 2500

        # the answer of the server comes late: the page stands, and shows what was there
        page.evaluate(_LATE, late)
        look(page, seconds=1.3)
        first = current(page)
        page.evaluate(_AT_ONCE)
        page.locator("#choose-A").click()
        expect(page.locator("#choose-A")).to_have_text("Saving…")
        assert current(page) == first
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text("came very quickly")
        page.evaluate(_LATE, 0)
        assert len(world.votes(link)) == 1

        # a reload keeps what was typed, and the time
        page.get_by_label("Why?").fill("I can read it aloud")
        before = current(page)
        page.wait_for_timeout(1500)
        page.reload()
        expect(page.get_by_label("Why?")).to_have_value("I can read it aloud")
        idle(page)
        assert current(page) == before
        look(page, seconds=1.2)
        page.locator("#choose-B").click()
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
    first_vote, second_vote = world.rows(
        "SELECT v.*, 86400 * (julianday(voted_at) - julianday(shown_at)) AS server_seconds"
        " FROM vote v JOIN rater r ON r.id = v.rater_id WHERE r.token_hash = :h ORDER BY v.id",
        h=token_hash(token_of(link)),
    )
    assert first_vote["viewport"] == second_vote["viewport"] == "wide"
    assert first_vote["in_view"] and second_vote["in_view"] and second_vote["plot_in_view"]
    assert first_vote["page"] == second_vote["page"] == 3
    assert 1.2 < first_vote["rater_seconds"] < first_vote["server_seconds"] - late / 1000 + 0.1
    assert second_vote["rater_seconds"] > 2.6
    assert second_vote["reason"] == "I can read it aloud"


_LATE = """ms => {
  window.lateBy = ms;
  if (window.lateFetch) return;
  window.lateFetch = window.fetch;
  window.fetch = (...asked) => new Promise(done => setTimeout(done, window.lateBy))
    .then(() => window.lateFetch(...asked));
}"""
"""What the browser sends is on its way for so long."""
_AT_ONCE = """() => new MutationObserver((_, observer) => {
  observer.disconnect();
  document.querySelector('#choose-B').click();
}).observe(document.querySelector('main').parentNode, {childList: true})"""
"""The next ballot is answered the moment it is there."""


def test_a_browser_that_keeps_nothing_and_whose_clock_is_wrong_rates_like_any_other(
    browser: Browser, world: World, brief: Study
) -> None:
    with volunteer(browser) as page:
        page.add_init_script(_KEEPS_NOTHING)
        page.add_init_script(_WRONG_CLOCK)
        page.route("**/*", lambda route: route.continue_(headers=_without_cookies(route)))
        link = begun(page, world, brief)
        answer(page, "A")
        page.reload()
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        page.locator("#undo").click()
        expect(page.get_by_text("saved 0 of 3")).to_be_visible()
        for letter in "BAB":
            answer(page, letter)
        expect(page.get_by_text("Thank you!")).to_be_visible()
        assert [vote["choice"] for vote in world.votes(link)] == ["right", "left", "right"]
        seconds = "SELECT rater_seconds s FROM vote ORDER BY id DESC LIMIT 3"
        assert all(1 < row["s"] < 3600 for row in world.rows(seconds))


def _without_cookies(route: Route) -> dict[str, str]:
    return {name: text for name, text in route.request.headers.items() if name != "cookie"}


_KEEPS_NOTHING = """
for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, {get() { throw new DOMException('no', 'SecurityError'); }});
Object.defineProperty(Document.prototype, 'cookie', {get: () => '', set() {}});
"""
_WRONG_CLOCK = """
const now = Date.now;
Date.now = () => now() - 9e10 * (1 + Math.floor(now() / 500) % 2);
"""
"""Years behind, and it jumps."""
