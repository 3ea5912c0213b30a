"""The volunteer's page on a phone, with everything that happens to phones."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from study.links import token_hash
from study.material import Study
from tests.e2e.accessibility import violations
from tests.e2e.browser import eventually, kept_port, running_server
from tests.e2e.cable import Cable
from tests.e2e.profiles import Scheme
from tests.e2e.rating_world import (
    World,
    agree,
    answer,
    current,
    fits,
    idle,
    look,
    moment,
    start,
    token_of,
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


@pytest.fixture(scope="session")
def brief(world: World) -> Study:
    """Three ballots, no practice, "cannot decide" offered."""
    return world.another(ballots_per_rater=3, practice=False, allow_tie=True)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with volunteer(browser) as opened:
        yield opened


def begun(page: Page, world: World, study: Study | None = None) -> str:
    """A volunteer on the first ballot; the link."""
    link = world.link(study)
    visit(page, link)
    agree(page)
    start(page)
    return link


def saved(page: Page, world: World, link: str) -> int:
    """How many votes are stored, once the page says the same number."""

    def both() -> tuple[int, int]:
        stored = len(world.votes(link))
        return stored, page.get_by_text(f"saved {stored} of 3").count()

    return eventually(page, both, lambda seen: seen[1] == 1)[0]


def test_what_is_missing_is_said_beside_the_field(page: Page, world: World) -> None:
    visit(page, world.link())
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_text("Please choose one.")).to_be_visible()
    expect(page.get_by_text("Please write one or two words")).to_be_visible()
    page.get_by_label("Your field of study or work").fill("Nursing")
    page.get_by_role("button", name="I agree").click()
    expect(page.get_by_text("Please write one or two words")).to_have_count(0)
    expect(page.get_by_text("Please choose one.")).to_be_visible()
    expect(page.get_by_label("Your field of study or work")).to_have_value("Nursing")


@dataclass
class FirstBallot:
    """A phone's first ballot, and everything that was loaded until it stood there."""

    page: Page
    responses: dict[str, Response]
    requests: list[str]


@pytest.fixture(scope="module")
def first_ballot(browser: Browser, world: World, brief: Study) -> Iterator[FirstBallot]:
    """One volunteer for the tests that vote nothing: they look, tap and measure."""
    with volunteer(browser) as page:
        seen = FirstBallot(page, {}, [])
        page.on("response", lambda response: seen.responses.update({response.url: response}))
        page.on("request", lambda request: seen.requests.append(request.url))
        visit(page, world.link(brief))
        # the plots' script is fetched before the first ballot needs it
        eventually(page, lambda: [url for url in seen.responses if "PlotlyChart" in url], bool)
        agree(page)
        start(page)
        yield seen


def test_a_phone_loads_packed_scripts_from_here_only_and_the_plots_before_the_first_ballot(
    first_ballot: FirstBallot, world: World
) -> None:
    here = (f"http://127.0.0.1:{world.port}/", f"ws://127.0.0.1:{world.port}/", "data:", "blob:")
    expect(first_ballot.page.locator(".js-plotly-plot").first).to_be_visible()
    seen = first_ballot.responses
    scripts = {url: answer for url, answer in seen.items() if "/static/js/" in url}
    assert scripts and first_ballot.requests
    assert [url for url in first_ballot.requests if not url.startswith(here)] == []
    assert [u for u, a in scripts.items() if a.headers.get("content-encoding") != "gzip"] == []


def test_everything_to_press_is_44_pixels_high(first_ballot: FirstBallot) -> None:
    sizes = first_ballot.page.locator(".st-key-rate-page button:visible").evaluate_all(
        "buttons => buttons.map(b => [b.innerText, b.getBoundingClientRect().height])"
    )
    assert len(sizes) >= 5
    assert [name for name, height in sizes if height < 44] == []


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
    number = page.locator(".rate-number").first
    number.scroll_into_view_if_needed()
    number.tap()
    expect(page.get_by_text("How well the formula fits the data").first).to_be_visible()
    page.locator(".rate-number").nth(1).tap()
    tip = page.get_by_text("How much there is to read").first
    expect(tip).to_be_visible()
    eventually(page, lambda: tip.evaluate(ON_TOP), bool)


def test_nothing_done_in_one_sitting_loses_or_repeats_a_vote_until_it_is_withdrawn(
    page: Page, world: World, brief: Study
) -> None:
    page.goto("about:blank")
    link = begun(page, world, brief)

    # a double click votes once
    look(page)
    page.get_by_role("button", name="Formula A").dblclick()
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    page.wait_for_timeout(1500)
    idle(page)
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    assert len(world.votes(link)) == 1

    # the back button loses nothing
    token, before = current(page), world.ballots(link)
    page.go_back()
    page.goto(link)
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    assert current(page) == token
    assert len(world.ballots(link)) == 2

    # a reload keeps the ballot and its clock
    page.wait_for_timeout(1500)
    page.reload()
    expect(page.locator(".rate-question")).to_be_visible()
    assert current(page) == token
    after = world.ballots(link)
    assert len(after) == 2 and after[1]["shown_at"] == before[1]["shown_at"]
    answer(page, "B")
    vote = world.rows(
        "SELECT shown_at, voted_at FROM vote WHERE assignment_id = :a", a=after[1]["id"]
    )[0]
    assert (moment(vote["voted_at"]) - moment(vote["shown_at"])).total_seconds() > 2.5
    assert [vote["choice"] for vote in world.votes(link)] == ["left", "right"]

    # withdrawing asks first, and then deletes
    page.locator(".st-key-ask-withdrawal button").click()
    expect(page.get_by_text("cannot be undone")).to_be_visible()
    page.locator(".st-key-withdraw-no button").click()
    expect(page.get_by_text("saved 2 of 3")).to_be_visible()
    page.locator(".st-key-ask-withdrawal button").click()
    page.locator(".st-key-withdraw-yes button").click()
    expect(page.get_by_text("You have withdrawn")).to_be_visible()
    assert world.ballots(link) == []
    page.reload()
    expect(page.get_by_text("You have withdrawn")).to_be_visible()


def test_letters_in_the_reason_do_not_vote_and_a_key_held_down_votes_once(
    browser: Browser, world: World, brief: Study
) -> None:
    with volunteer(browser, phone=False) as page:
        link = begun(page, world, brief)
        look(page)
        page.get_by_label("Why?").click()
        page.keyboard.type("a bare bar")
        page.keyboard.press("Enter")
        page.wait_for_timeout(800)
        assert world.votes(link) == []
        page.get_by_role("button", name="Cannot decide").click()
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        assert [(v["choice"], v["reason"]) for v in world.votes(link)] == [("tie", "a bare bar")]

        look(page)
        for _ in range(60):  # as a keyboard repeats
            page.keyboard.down("b")
            page.wait_for_timeout(40)
        page.keyboard.up("b")
        idle(page)
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        assert [vote["choice"] for vote in world.votes(link)] == ["tie", "right"]
        answer(page, "A")
        assert len(world.votes(link)) == 3


def test_the_keyboard_alone_suffices(browser: Browser, world: World, brief: Study) -> None:
    with volunteer(browser, phone=False) as page:
        link = world.link(brief)
        visit(page, link)
        _tab_to(page, "Your highest degree")
        options = page.get_by_role("option")
        eventually(page, lambda: options.count() or page.keyboard.press("ArrowDown"), bool)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        _tab_to(page, "Your field of study or work")
        page.keyboard.type("Law")
        _tab_to(page, "I agree")
        page.keyboard.press("Enter")
        expect(page.locator(".st-key-welcome-start")).to_be_visible()
        expect(page.locator(".rate-focus")).to_be_focused()
        _tab_to(page, "Start with")
        page.keyboard.press("Enter")
        expect(page.locator(".rate-question")).to_be_visible()
        expect(page.locator(".rate-focus")).to_be_focused()
        look(page)
        expect(page.locator(".rate-focus")).to_be_focused()
        page.keyboard.press("a")
        expect(page.get_by_text("saved 1 of 3")).to_be_visible()
        expect(page.locator(".rate-focus")).to_be_focused()
        look(page)
        _tab_to(page, "Formula B")
        page.keyboard.press("Enter")
        expect(page.get_by_text("saved 2 of 3")).to_be_visible()
        expect(page.locator(".rate-focus")).to_be_focused()
        look(page)
        page.keyboard.press("b")
        expect(page.get_by_text("Thank you!")).to_be_visible()
        assert [v["choice"] for v in world.votes(link)] == ["left", "right", "right"]


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called so."""
    for _ in range(40):
        page.keyboard.press("Tab")
        said = page.evaluate(
            "() => { const e = document.activeElement;"
            " return `${e.getAttribute('aria-label') || ''} ${(e.innerText || '').slice(0, 40)}`"
            " + [...(e.labels || [])].map(l => l.innerText).join(' '); }"
        )
        if name in said:
            return
    raise AssertionError(f"no way to {name!r} with the Tab key")


def test_a_second_tab_is_told_and_votes_once(page: Page, world: World, brief: Study) -> None:
    link = begun(page, world, brief)
    other = page.context.new_page()
    visit(other, link)
    assert current(other) == current(page)
    answer(page, "A")
    page.bring_to_front()
    other.bring_to_front()
    other.get_by_role("button", name="Formula B").click()
    expect(other.get_by_role("alert")).to_contain_text("had its answer already")
    expect(other.get_by_text("saved 1 of 3")).to_be_visible()
    assert current(other) == current(page)
    assert [vote["choice"] for vote in world.votes(link)] == ["left"]


def test_another_device_takes_over_with_the_same_link(
    browser: Browser, page: Page, world: World, brief: Study
) -> None:
    link = begun(page, world, brief)
    answer(page, "A")
    page.locator(".st-key-pause button").click()
    expect(page.get_by_role("heading", name="Paused")).to_be_visible()
    with volunteer(browser, phone=False) as desk:
        visit(desk, link)
        expect(desk.get_by_role("heading", name="Paused")).to_be_visible()
        desk.locator(".st-key-pause-continue button").click()
        expect(desk.get_by_text("Ballot 2 of 3")).to_be_visible()
        answer(desk, "B")
        answer(desk, "A")
        expect(desk.get_by_text("Thank you!")).to_be_visible()
    page.locator(".st-key-pause-continue button").click()
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["left", "right", "left"]
    assert world.ballots(link)[0]["idle_seconds"] == 0


def test_an_open_link_becomes_a_personal_one(page: Page, world: World) -> None:
    shared = world.open_link()
    visit(page, shared)
    expect(page.get_by_text("Already started?")).to_be_visible()
    agree(page)
    expect(page).not_to_have_url(shared)
    own = page.url
    expect(page.get_by_text(own)).to_be_visible()
    expect(page.get_by_text("This is your personal link")).to_be_visible()
    start(page)
    answer(page, "A")
    page.evaluate("history.back()")  # to the open link: it must not ask for a second consent
    page.wait_for_timeout(1500)
    expect(page).to_have_url(own)
    expect(page.get_by_text("saved 1 of 10")).to_be_visible()
    page.reload()
    expect(page.get_by_text("saved 1 of 10")).to_be_visible()
    raters = "SELECT count(*) AS n FROM rater r JOIN invitation i ON i.id = r.invitation_id"
    assert world.rows(f"{raters} WHERE i.token_hash = :h", h=token_hash(token_of(shared)))[0] == {
        "n": 1
    }
    assert len(world.votes(own)) == 1


@pytest.fixture
def port() -> Iterator[int]:
    with kept_port() as found:
        yield found


@pytest.fixture
def cable(world: World, port: int) -> Iterator[Cable]:
    with contextlib.closing(Cable(world.port, port)) as made:
        yield made


def test_a_cut_network_loses_no_vote_and_no_press_without_a_word(
    page: Page, world: World, brief: Study, cable: Cable
) -> None:
    link = world.link(brief)
    visit(page, link.replace(f":{world.port}/", f":{cable.port}/"))
    agree(page)
    start(page)
    offline = page.get_by_text("The answers counted as saved are safe")
    lost = page.get_by_text("Your last answer did not reach us")
    button = page.get_by_role("button", name="Formula A")

    def plugged_again() -> None:
        expect(offline).to_be_visible()
        cable.plug()
        expect(offline).to_be_hidden()

    # pressed while there is no connection: not a press
    look(page)
    first = current(page)
    cable.pull()
    button.click(force=True, no_wait_after=True)
    plugged_again()
    expect(lost).to_be_hidden()
    # the press is lost on its way: the same ballot, and a word about it
    look(page)
    cable.swallow("up", "down")
    button.click(no_wait_after=True)
    expect(offline).to_be_visible()  # though the line has not been closed
    page.keyboard.press("b")
    cable.pull()
    plugged_again()
    expect(lost).to_be_visible()
    assert (current(page), len(world.votes(link))) == (first, 0)
    # saved, and the answer is lost on its way: the next ballot, and no word
    cable.swallow("down")
    button.click(no_wait_after=True)
    eventually(page, lambda: len(world.votes(link)), lambda stored: stored == 1)
    assert current(page) == first
    page.keyboard.press("b")
    cable.pull()
    plugged_again()
    expect(page.get_by_text("saved 1 of 3")).to_be_visible()
    second = world.ballots(link)[-1]["token"]
    assert second != first
    eventually(page, lambda: current(page), lambda token: token == second)
    answer(page, "B")
    expect(lost).to_be_hidden()
    answer(page, "A")
    expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["left", "right", "left"]


def test_a_restart_mid_ballot_loses_nothing(page: Page, world: World, port: int) -> None:
    address = f"http://127.0.0.1:{port}"
    study = world.another(ballots_per_rater=3, practice=False, public_base_url=address)
    with running_server(database=world.file, port=port):
        link = begun(page, world, study)
        answer(page, "B")
        token = current(page)
        shown = world.ballots(link)[-1]["shown_at"]
    framework = page.locator("[role=dialog], [data-testid=stDialog]")
    eventually(page, framework.count, lambda count: count > 0)  # its message has come, too
    expect(framework.first).to_be_hidden()
    expect(page.get_by_text("The answers counted as saved are safe")).to_be_visible()
    with running_server(database=world.file, port=port):
        page.get_by_role("button", name="Formula A").click(timeout=60_000)
        page.wait_for_timeout(4000)
        idle(page)
        done = saved(page, world, link)
        assert done in (1, 2)
        if done == 1:
            expect(page.get_by_text("Your last answer did not reach us")).to_be_visible()
            assert current(page) == token
            assert world.ballots(link)[-1]["shown_at"] == shown
        while len(world.votes(link)) < 3:
            answer(page, "A")
        expect(page.get_by_text("Thank you!")).to_be_visible()
    assert [vote["choice"] for vote in world.votes(link)] == ["right", "left", "left"]


def test_links_that_lead_nowhere_say_why_and_what_to_do(page: Page, world: World) -> None:
    base = world.study.design.public_base_url
    cases = {f"{base}/rate": "needs your link", f"{base}/rate?t=nosuchtoken": "does not work"}
    revoked = world.organiser.invitations.invite(world.study.id, [""])[0]
    world.organiser.invitations.revoke(world.study.id, revoked.id)
    cases[revoked.link] = "taken back"
    full = world.open_link(quota=1)
    world.rating.consent(token_of(full), degree="Other or none", field="Testing", request_id="x")
    cases[full] = "All places are taken"
    closing = world.another(ballots_per_rater=1)
    closed = world.link(closing)
    world.organiser.close(closing.id)
    cases[closed] = "is closed"
    for link, words in cases.items():
        visit(page, link)
        expect(page.get_by_role("heading", name=re.compile(words))).to_be_visible()
        expect(page.locator(".rate-prose p").last).to_contain_text(re.compile("link|write|ask"))
        fits(page)
        expect(page.locator(".stException")).to_have_count(0)


GROUND = """() => {
  const colour = getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor;
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
  for (const e of document.querySelectorAll('.st-key-rate-page *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    const seen = e.checkVisibility({visibilityProperty: true});
    if (!own || !seen || e.closest('svg, .katex-mathml, kbd')) continue;
    const under = ground(e), ink = over(parse(getComputedStyle(e).color), under);
    const [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) bad.push(`${e.textContent.slice(0, 40)}: ${ratio.toFixed(2)}`);
  }
  return bad;
}"""
