"""What a rater sees at once, and the clock that is theirs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from study.material import Study
from tests.e2e.ballot_boxes import APP, SIZES, faults, turn_over
from tests.e2e.browser import eventually, running_server
from tests.e2e.profiles import profile, window
from tests.e2e.rating_world import World, agree, current, idle, look, start, visit, volunteer

pytestmark = pytest.mark.e2e

SOME = 42
"""One of so many ballots of the demo is measured here, and a phone must shrink one of these:
`python -m tests.e2e.ballot_boxes` takes all of them."""


def test_both_formulas_are_whole_and_alike_on_the_first_screen_and_labels_outlive_a_theme(
    browser: Browser,
) -> None:
    with running_server(script=APP) as address, profile(browser) as context:
        page = window(context, *SIZES[0])
        page.goto(f"{address}/?every={SOME}")
        page.locator(".st-key-another button").wait_for(timeout=60_000)
        wrong = []
        for number in turn_over(page):
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(150)
                found, _ = faults(page)
                wrong += [f"{width}x{height}, ballot {number}: {fault}" for fault in found]
        assert wrong == []
        ink = "[...document.querySelectorAll('.xtitle')].map(e => getComputedStyle(e).fill)"
        page.locator(".xtitle").first.wait_for()
        light = page.evaluate(ink)
        page.emulate_media(color_scheme="dark")
        eventually(page, lambda: page.evaluate(ink), lambda dark: not {*dark} & {*light})


def test_the_raters_own_clock_counts_however_late_the_server_is(
    browser: Browser, world: World
) -> None:
    study = world.another(ballots_per_rater=3, practice=False)
    with volunteer(browser, phone=False) as page:
        link = _begun(page, world, study)
        slow_until = 2500

        # the answer of the server comes late: the page stands, and shows what was there
        page.evaluate(_LATE, slow_until)
        look(page, seconds=1.3)
        first_ballot = current(page)
        page.keyboard.press("a")
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        page.evaluate(_AT_ONCE, first_ballot)
        expect(page.get_by_role("alert")).to_contain_text("came very quickly")
        assert len(world.votes(link)) == 1

        # a reload keeps what was typed, and the time
        page.evaluate(_LATE, 0)
        page.get_by_label("Why?").fill("I can read it aloud")
        before = current(page)
        page.wait_for_timeout(1500)
        page.reload()
        expect(page.get_by_label("Why?")).to_have_value("I can read it aloud")
        idle(page)
        assert current(page) == before
        page.wait_for_timeout(1200)
        page.get_by_role("button", name="Formula B").click()
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
    first, second = world.rows(
        "SELECT v.*, 86400 * (julianday(voted_at) - julianday(shown_at)) AS server_seconds"
        " FROM vote v JOIN rater r ON r.id = v.rater_id WHERE r.study_id = :s ORDER BY v.id",
        s=study.id,
    )
    assert first["viewport"] == second["viewport"] == "wide"
    assert first["in_view"] and second["in_view"]
    assert 1.2 < first["rater_seconds"] < first["server_seconds"] - slow_until / 1000 + 0.1
    assert second["rater_seconds"] > 2.6
    assert second["reason"] == "I can read it aloud"


def test_a_tap_counts_once_both_formulas_were_in_view(browser: Browser, world: World) -> None:
    study = world.another(ballots_per_rater=3, practice=False)
    with volunteer(browser) as page:
        link = world.link(study)
        visit(page, link)
        agree(page)
        page.set_viewport_size({"width": 390, "height": 640})
        page.add_style_tag(content=_ONE_AT_A_TIME)
        start(page)
        idle(page)
        look(page)
        page.get_by_role("button", name="Formula A").click()
        expect(page.get_by_text("Please look at both formulas first").first).to_be_visible()
        assert world.votes(link) == []
        for side in ("left", "right"):
            pane = page.locator(f"[class*='st-key-rate-formula-{side}']")
            pane.evaluate("pane => pane.scrollIntoView({block: 'start'})")  # above the buttons
            page.evaluate(_FRAMES)
        page.get_by_role("button", name="Formula A").click()
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        assert [vote["choice"] for vote in world.votes(link)] == ["left"]


_ONE_AT_A_TIME = "[class*='st-key-rate-formula-'] { min-height: 300px; }"
"""Above the buttons of a phone there is room for one such pane and not for two."""

_FRAMES = """() => new Promise(done => {
  const next = left => left ? requestAnimationFrame(() => next(left - 1)) : setTimeout(done, 50);
  next(5);
})"""
"""What was in view is told after a frame."""

_LATE = """ms => {
  window.lateBy = ms;
  if (window.lateSend) return;
  window.lateSend = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    setTimeout(() => window.lateSend.call(this, data), window.lateBy);
  };
}"""
"""What the browser sends is on its way for so long."""


_AT_ONCE = """before => new Promise(done => {
  const look = () => {
    const button = document.querySelector('[class*="st-key-choose-B-"] button');
    const token = document.documentElement.dataset.rateClock;
    if (!button || !token || token === before) { requestAnimationFrame(look); return; }
    button.click();
    done();
  };
  look();
})"""
"""B is pressed in the moment in which the clock of another ballot begins."""


def _begun(page: Page, world: World, study: Study) -> str:
    link = world.link(study)
    visit(page, link)
    agree(page)
    start(page)
    return link
