"""The volunteer's pages on a phone and at a desk, with everything that happens there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from study.material import Study
from tests.e2e.accessibility import violations
from tests.e2e.browser import eventually
from tests.e2e.profiles import Scheme
from tests.e2e.rating_world import (
    World,
    agree,
    answer,
    begun,
    current,
    fits,
    idle,
    look,
    stage,
    start,
    visit,
    volunteer,
)

pytestmark = pytest.mark.e2e

ON_TOP = """tip => {
  const box = tip.getBoundingClientRect();
  tip.style.pointerEvents = 'auto';
  return [0.1, 0.5, 0.9].every(share => tip.contains(document.elementFromPoint(
    box.left + box.width / 2, box.top + share * box.height)));
}"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with volunteer(browser) as opened:
        yield opened


@dataclass
class FirstBallot:
    """A phone's first ballot, and everything that was loaded until it stood there."""

    page: Page
    responses: dict[str, Response]
    requests: list[str]
    sockets: list[str]


@pytest.fixture(scope="module")
def first_ballot(browser: Browser, world: World, brief: Study) -> Iterator[FirstBallot]:
    """One volunteer for the tests that vote nothing: they look, tap and measure."""
    with volunteer(browser) as page:
        seen = FirstBallot(page, {}, [], [])
        page.on("response", lambda response: seen.responses.update({response.url: response}))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("websocket", lambda socket: seen.sockets.append(socket.url))
        visit(page, world.link(brief))
        agree(page)
        start(page)
        yield seen


def test_a_phone_loads_packed_pages_from_here_only_and_no_connection_stays_open(
    first_ballot: FirstBallot, world: World
) -> None:
    here = (f"http://127.0.0.1:{world.port}/", "data:")
    expect(first_ballot.page.locator(".plot svg:visible").first).to_be_visible()
    seen = first_ballot.responses
    assert seen and first_ballot.requests
    assert [url for url in first_ballot.requests if not url.startswith(here)] == []
    assert first_ballot.sockets == []
    sent = {url: answer for url, answer in seen.items() if not url.startswith("data:")}
    plain = [u for u, a in sent.items() if a.headers.get("content-encoding") != "gzip"]
    assert [url for url in plain if not url.endswith(("/rate/beat", "/favicon.ico"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_written_can_be_read(first_ballot: FirstBallot, scheme: Scheme) -> None:
    page = first_ballot.page
    page.emulate_media(color_scheme=scheme)
    dark = scheme == "dark"
    eventually(page, lambda: page.evaluate(GROUND), lambda light: (light < 0.5) == dark)
    eventually(page, lambda: page.evaluate(CONTRAST), lambda faint: faint == [])
    assert violations(page) == []


def test_both_numbers_are_explained_on_a_tap(first_ballot: FirstBallot) -> None:
    page = first_ballot.page
    for place, text in enumerate(
        ("How well the formula fits the data", "How many numbers, variables")
    ):
        number = page.locator(".number").nth(place)
        number.scroll_into_view_if_needed()
        number.tap()
        tip = page.locator(".tip", has_text=text).first
        expect(tip).to_be_visible()
        eventually(page, lambda tip=tip: tip.evaluate(ON_TOP), bool)


def test_nothing_done_in_one_sitting_loses_or_repeats_a_vote_until_it_is_withdrawn(
    page: Page, world: World, brief: Study
) -> None:
    page.goto("about:blank")
    link = begun(page, world, brief)

    # a double click votes once
    look(page)
    page.locator("#choose-A").dblclick()
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    idle(page)
    assert len(world.votes(link)) == 1

    # the back button loses nothing
    token, before = current(page), world.ballots(link)
    page.go_back()
    page.goto(link)
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    assert current(page) == token
    assert len(world.ballots(link)) == 2

    # a reload keeps the ballot and its clock
    page.reload()
    expect(page.locator("#question")).to_be_visible()
    assert current(page) == token
    answer(page, "B")
    after = world.ballots(link)
    assert [ballot["shown_at"] for ballot in after[:2]] == [ballot["shown_at"] for ballot in before]
    shown = world.rows("SELECT shown_at FROM vote WHERE assignment_id = :a", a=after[1]["id"])
    assert shown == [{"shown_at": before[1]["shown_at"]}]
    assert [vote["choice"] for vote in world.votes(link)] == ["left", "right"]

    # withdrawing asks first, and then deletes
    page.locator("#ask-withdrawal").click()
    expect(page.get_by_text("cannot be undone")).to_be_visible()
    page.locator("#withdraw-no").click()
    expect(page.get_by_text("saved 2 of 3")).to_be_visible()
    page.locator("#ask-withdrawal").click()
    page.locator("#withdraw-yes").click()
    expect(page.get_by_text("You have withdrawn")).to_be_visible()
    assert world.ballots(link) == []
    page.goto(link)
    expect(page.get_by_text("You have withdrawn")).to_be_visible()
    fits(page)


def test_letters_vote_nowhere_digits_only_where_asked_and_a_key_held_down_votes_once(
    browser: Browser, world: World
) -> None:
    with volunteer(browser, phone=False) as page:
        link = begun(page, world)
        look(page)
        page.keyboard.type("because a bare bar 123")
        page.get_by_label("Why?").click()
        page.keyboard.type("a bare bar 12")
        page.keyboard.press("Enter")
        _hold(page, "B", "Enter", saved=1)

        # keys vote where the answer bar has the focus
        _hold(page, "A", "Space", saved=2)
        _hold(page, "A", "2", saved=3)

        # digits vote anywhere, once it is switched on, and not while somebody writes
        look(page)
        page.get_by_label("Keys 1 and 2 choose").check()
        page.keyboard.type("because")
        page.get_by_label("Why?").fill("")
        page.get_by_label("Why?").press("1")
        _hold(page, "", "1", saved=4)
        votes = world.votes(link)
        assert [vote["choice"] for vote in votes] == ["right", "left", "right", "left"]
        assert [vote["reason"] for vote in votes] == ["a bare bar 12", "", "", "1"]


def _hold(page: Page, letter: str, key: str, *, saved: int) -> None:
    """Hold a key down on a button or the heading, into the next ballot and until that may vote."""
    look(page)
    page.locator(f"#choose-{letter}" if letter else "h1").focus()
    for _ in range(20):
        page.keyboard.down(key)
    if key != "Space":  # that presses a button when it is let go
        expect(page.get_by_text(f"saved {saved} of")).to_be_visible()
        look(page)
        page.keyboard.down(key)
    page.keyboard.up(key)
    idle(page)
    expect(page.get_by_text(f"saved {saved} of")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text=re.compile(r"\S"))).to_have_count(0)


def test_the_keyboard_alone_suffices(browser: Browser, world: World, brief: Study) -> None:
    with volunteer(browser, phone=False) as page:
        link = world.link(brief)
        visit(page, link)
        _tab_to(page, "I agree")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Please choose one.")).to_be_visible()
        expect(page.get_by_label("Your highest degree")).to_be_focused()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        _tab_to(page, "Your field of study or work")
        page.keyboard.type("Law")
        _tab_to(page, "I agree")
        page.keyboard.press("Enter")
        expect(stage(page, "welcome")).to_be_visible()
        expect(page.locator("h1")).to_be_focused()
        _tab_to(page, "Start with")
        page.keyboard.press("Enter")
        expect(page.locator("#question")).to_be_visible()
        expect(page.locator("h1")).to_be_focused()
        look(page)
        expect(page.locator("h1")).to_be_focused()
        _tab_to(page, "Formula A", tag="BUTTON")
        page.keyboard.press("1")
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        expect(page.locator("h1")).to_be_focused()
        look(page)
        _tab_to(page, "Formula B", tag="BUTTON")
        page.keyboard.press("Enter")
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
        expect(page.locator("h1")).to_be_focused()
        look(page)
        _tab_to(page, "Keys 1 and 2")
        page.keyboard.press("Space")
        page.keyboard.press("2")
        expect(page.get_by_text("Thank you!")).to_be_visible()
        assert [v["choice"] for v in world.votes(link)] == ["left", "right", "right"]
        degrees = world.rows("SELECT degree FROM rater ORDER BY id DESC LIMIT 1")
        assert degrees == [{"degree": "Master's degree"}]


def _tab_to(page: Page, name: str, tag: str = "") -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(40):
        page.keyboard.press("Tab")
        is_a, text = page.evaluate(
            "() => { const e = document.activeElement;"
            " return [e.tagName, `${e.getAttribute('aria-label') || ''} "
            "${(e.innerText || '').slice(0, 40)}`"
            " + [...(e.labels || [])].map(l => l.innerText).join(' ')]; }"
        )
        if name in text and tag in ("", is_a):
            return
    raise AssertionError(f"no way to {name!r} with the Tab key")


GROUND = """() => {
  const colour = getComputedStyle(document.body).backgroundColor;
  const parts = colour.match(/\\d+/g).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part) / 765;
}"""
"""How light the page is, from 0 to 1."""
CONTRAST = """() => {
  const parse = c => {
    const canvas = document.createElement('canvas'); canvas.width = canvas.height = 1;
    const g = canvas.getContext('2d', {willReadFrequently: true});
    g.fillStyle = c; g.fillRect(0, 0, 1, 1);
    const d = g.getImageData(0, 0, 1, 1).data;
    return [d[0], d[1], d[2], d[3] / 255];
  };
  const over = (top, under) =>
    [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = c => {
    const f = c.slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2];
  };
  const ground = e => {
    const stack = [];
    for (let n = e; n; n = n.parentElement) stack.push(parse(getComputedStyle(n).backgroundColor));
    return stack.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const bad = [];
  for (const e of document.querySelectorAll('main *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const seen = e.checkVisibility({visibilityProperty: true});
    if (!own || !seen || e.closest('svg, .visually-hidden, .tip, option, :disabled')) continue;
    const under = ground(e), ink = over(parse(getComputedStyle(e).color), under);
    const [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.push(`${e.textContent.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return bad;
}"""
