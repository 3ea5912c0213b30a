"""The organiser's pages in a real browser, on a real database."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect

from tests.chat_server import Body, Said, chat_server, shorter
from tests.e2e import organiser as at
from tests.e2e.browser import eventually, running_server
from tests.e2e.organiser import PASSPHRASE, ready
from tests.e2e.profiles import profile as browser_profile
from tests.e2e.profiles import window
from tests.effort import twin

pytestmark = pytest.mark.e2e

Profile = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("organising") / "server.log"


@pytest.fixture(scope="module")
def database(log: Path) -> Path:
    return log.with_name("lab.sqlite3")


@pytest.fixture(scope="module")
def address(log: Path, database: Path) -> Iterator[str]:
    """A server of real studies, whose passphrase is not chosen yet."""
    with running_server(log_file=log, database=database) as found:
        yield found


@pytest.fixture
def profile(browser: Browser) -> Iterator[Profile]:
    """Browser profiles of different people, perhaps with a login."""
    with contextlib.ExitStack() as people:

        def somebody(address: str, login: str = "") -> BrowserContext:
            context = people.enter_context(browser_profile(browser))
            if login:
                context.add_cookies([{"name": "eic_organiser", "value": login, "url": address}])
            return context

        yield somebody


@pytest.fixture(scope="module")
def login(address: str, log: Path, browser: Browser) -> str:
    """The first passphrase, chosen through the printed link."""
    with browser_profile(browser) as context:
        link = at.setup_link(log)
        assert link.startswith(address)
        page = opened(context, link)
        page.locator("input[name=passphrase]").fill(PASSPHRASE)
        page.locator("input[name=again]").fill(PASSPHRASE)
        page.get_by_role("button", name="Choose this passphrase").click()
        expect(page.get_by_role("heading", name="Studies")).to_be_visible()
        cookie = next(c for c in context.cookies() if c.get("name") == "eic_organiser")
        assert cookie.get("httpOnly") and cookie.get("sameSite") == "Strict"
        return cookie.get("value", "")


def opened(context: BrowserContext, url: str) -> Page:
    page = window(context)
    page.goto(url)
    ready(page)
    return page


def study_in(page: Page) -> str:
    expect(page).to_have_url(re.compile(r"study=\d+"))
    found = re.search(r"study=(\d+)", page.url)
    assert found
    return found[1]


def frozen(profile: Profile, address: str, login: str, name: str, database: Path) -> Page:
    """A study that is open, its organiser looking at its links."""
    study = at.open_study(database, name, address)
    return opened(profile(address, login), f"{address}/organise?study={study}&step=invitations")


# --- the door ---


def test_a_stranger_meets_the_door_and_who_has_logged_out_is_one_again(
    address: str, profile: Profile, login: str, log: Path, database: Path
) -> None:
    secret = "Secret pilot"
    study = at.begin_study(database, secret)
    context = profile(address)
    page, button = window(context), re.compile("Log in|Choose this passphrase")
    used = at.setup_link(log).removeprefix(address)
    for path in (used, f"/organise?study={study}&step=pairs", "/organise/", "/organise"):
        page.goto(address + path)
        ready(page)
        expect(page.get_by_role("button", name=button)).to_have_text("Log in")
        assert secret not in page.content()
        expect(page.locator(".st-key-nav, .st-key-steps, .eic-row-title")).to_have_count(0)
    at.log_in(page, "not the passphrase")
    expect(page.get_by_text("That is not the passphrase.")).to_be_visible()
    at.log_in(page)
    expect(page.get_by_role("heading", name="Studies")).to_be_visible()
    edges = page.locator(".st-key-account, .st-key-new-study-form")
    expect(edges).to_have_count(2)
    for width in (1300, 820, 390):
        page.set_viewport_size({"width": width, "height": 900})
        eventually(page, lambda: edges.evaluate_all(_APART), lambda apart: apart < 2)

    # a page that is still open after logging out changes nothing
    other = opened(context, f"{address}/organise")
    other.get_by_role("button", name="Account").click()
    other.get_by_role("button", name="Log out").click()
    expect(other.get_by_text("You are logged out.")).to_be_visible()
    at.fill(page, "Name, for organisers only", "after logout")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    assert "after logout" not in at.studies(database)


_APART = """([one, other]) => Math.abs(
  one.getBoundingClientRect().right - other.getBoundingClientRect().right)"""


# --- from a pool to a link ---


HOSTILE = "<img src=x onerror=alert(1)> **b** :red[x]"
HOSTILE_TABLE: FilePayload = {
    "name": "<b>bold</b>.csv",
    "mimeType": "text/csv",
    "buffer": b"<script>alert(2)</script>,y\n1,2\n2,3\n",
}


def test_from_a_pool_file_to_a_rating_link_whatever_things_are_called(
    address: str, profile: Profile, login: str
) -> None:
    page = opened(profile(address, login), f"{address}/organise")
    alerts: list[str] = []
    page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
    at.begin(page, HOSTILE)
    page.locator("input[type=file]").set_input_files(HOSTILE_TABLE)
    expect(page.get_by_text("added.")).to_be_visible()
    page.get_by_role("button", name="Describe").click()
    page.get_by_role("button", name="Remove this problem…").click()
    page.get_by_role("button", name="Remove it").click()
    expect(page.get_by_text("is removed.")).to_be_visible()
    at.bring_material(page)
    at.step(page, "Pool")
    expect(page.get_by_text("1 row refused")).to_be_visible()
    at.step(page, "Preview")
    _look_at_preview(page, profile, address, login)
    at.fill(page, "Leave this pair out, because", "the curve has a pole")
    page.get_by_role("button", name="Leave out").click()
    expect(page.get_by_text("Left out: the curve has a pole")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("is back in")).to_be_visible()
    at.step(page, "Freeze")
    expect(page.get_by_text("Raters need a contact")).to_be_visible()
    expect(page.get_by_role("button", name="Freeze and open the study")).to_be_disabled()
    at.step(page, "Design")
    at.fill(page, "Contact for raters", "study@example.org")
    at.fill(page, "Ballots per rater", "3")
    at.step(page, "Freeze")
    at.sure(page)
    page.get_by_label("One line for each person").fill("Ada\n=cmd()")
    page.get_by_label("One line for each person").press("Tab")
    page.get_by_role("button", name="Make 2 personal links").click()
    link = page.locator(".st-key-new-links code").first.inner_text()
    assert re.fullmatch(rf"{address}/rate\?t=[\w-]+", link)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download 2 links as CSV").click()
    text = download.value.path().read_text()
    assert link in text and "'=cmd()" in text
    rater = window(profile(address))
    rater.goto(link)
    expect(rater.get_by_text("study@example.org")).to_be_visible()
    expect(rater.locator(".st-key-nav")).to_have_count(0)
    at.step(page, "Live")
    page.get_by_role("button", name="Close the study…").click()
    page.get_by_role("button", name="Close it for good").click()
    expect(page.get_by_text("The study is closed.")).to_be_visible()
    page.get_by_role("button", name="All studies").click()
    expect(page.get_by_text(HOSTILE)).to_be_visible()
    expect(page.locator("h1 img, .eic-row-title img")).to_have_count(0)
    assert not alerts


def _look_at_preview(page: Page, profile: Profile, address: str, login: str) -> None:
    """The rater's very page, in a frame, where nothing can be pressed; for organisers only."""
    title = "iframe[title='The ballot as raters see it']"
    frame = page.frame_locator(title)
    expect(frame.locator("#formula-B svg:visible")).to_have_count(1)
    expect(frame.get_by_role("button", name="Formula A")).to_be_disabled()
    expect(frame.locator("script")).to_have_count(0)
    texts = frame.locator(".formula math")
    before = texts.all_inner_texts()
    assert len(before) == 2
    page.get_by_text("Swap the sides").click()
    eventually(page, texts.all_inner_texts, lambda shown: shown == before[::-1])
    page.get_by_text("Swap the sides").click()
    ready(page)
    where = f"{address}{page.locator(title).get_attribute('src')}"
    assert profile(address).request.get(where).status == 401
    mine = profile(address, login).request
    policy = mine.get(where).headers["content-security-policy"]
    assert "frame-ancestors 'self'" in policy and "unsafe" not in policy
    assert mine.get(re.sub(r"pair=\d+", "pair=99999", where)).status == 404


# --- while it runs, and after ---


@twin("study/test_organising.py::test_the_inspector_is_closed_while_a_blind_study_is_open")
def test_a_running_study_takes_links_back_and_closes_the_inspector_to_visitors_until_its_export(
    address: str, profile: Profile, login: str, database: Path
) -> None:
    page = frozen(profile, address, login, "Running", database)
    number = study_in(page)

    # a link that was taken back leads nowhere
    page.get_by_role("button", name="Make an open link").click()
    link = page.locator(".st-key-new-links code").first.inner_text()
    box = page.locator("[data-testid='stDataFrame']")
    box.scroll_into_view_if_needed()
    box.click(position={"x": 16, "y": 52})
    page.get_by_role("button", name="Take back 1 link…").click()
    page.get_by_role("button", name="Take back", exact=True).click()
    expect(page.get_by_text("1 link taken back.")).to_be_visible()
    visitor = window(profile(address))
    visitor.goto(link)
    expect(visitor.get_by_role("heading", name="taken back")).to_be_visible()
    expect(visitor.get_by_role("button", name="agree")).to_have_count(0)

    # while a study runs, the inspector is closed to visitors but not to organisers
    for path in ("/", "/inspector", "/?formula=x-x", "/compare?formula=x&b=y", "/gap"):
        visitor.goto(address + path)
        ready(visitor)
        expect(visitor.get_by_text("The inspector is closed for now")).to_be_visible()
        expect(visitor.locator("textarea, .js-plotly-plot")).to_have_count(0)
    mine = opened(profile(address, login), f"{address}/inspector")
    expect(mine.locator(".st-key-formula_text textarea")).to_be_visible()
    at.close_study(database, int(number))
    visitor.goto(f"{address}/inspector")
    expect(visitor.locator(".st-key-formula_text textarea")).to_be_visible()

    at.step(page, "Report")
    page.get_by_role("button", name="Single files").click()
    form = page.locator(f"form[action='/exports/{number}/votes.csv']")
    with page.expect_download() as download:
        form.get_by_role("button").click()
    assert download.value.suggested_filename == "Running-votes.csv"
    assert "rater" in download.value.path().read_text().splitlines()[0]


@twin("study/test_model_raters.py::test_a_pause_keeps_every_answer_under_way")
def test_a_model_is_asked_paused_and_gone_on_with_beside_the_page(
    address: str, profile: Profile, login: str, database: Path
) -> None:
    """On an open study: progress, price and outcomes, no preference; then in the report."""
    page = frozen(profile, address, login, "With a model", database)
    number = study_in(page)
    at.step(page, "Models")
    expect(page.get_by_text("whatever is asked is reported as exploratory")).to_be_visible()

    def slowly(body: Body, count: int) -> Said:
        return replace(shorter(body, count), delay=0.15)

    with chat_server(slowly) as server:
        at.fill(page, "Address of an OpenAI-compatible endpoint", "https://elsewhere.example/v1")
        at.fill(page, "Model, as the endpoint knows it", "m")
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_text("this page asks endpoints on this machine")).to_be_visible()
        at.fill(page, "Address of an OpenAI-compatible endpoint", server.url)
        for name, value in (("Calls at a time", "2"), ("Price of a million tokens in", "1000")):
            field = page.get_by_role("spinbutton", name=name, exact=True)
            field.fill(value)
            field.press("Tab")
            ready(page)
        page.get_by_role("button", name="Ask", exact=True).click()
        page.get_by_role("button", name="Pause").click()
        goes_on = page.get_by_role("button", name="Go on")
        expect(goes_on).to_be_visible()
        assert 0 < len(server.answered) == len(server.seen)
        expect(page.get_by_text(f"{len(server.answered)} of ")).to_be_visible()
        expect(page.get_by_text(re.compile(r"price so far \d+\.\d\d"))).to_be_visible()
        server.brain = shorter
        goes_on.click()
        expect(page.locator(".eic-row-title", has_text="asked")).to_be_visible()
        asked = Counter(f"{seen.user} {seen.body['seed']}" for seen in server.answered)
    assert set(asked.values()) == {1}
    card = page.locator(".st-key-run-1").inner_text()
    assert not re.search(r"\blower\b|\bhigher\b|prefers? ", card)
    at.close_study(database, int(number))
    page.goto(f"{address}/organise?study={number}&step=report&part=models")
    ready(page)
    expect(page.get_by_text("Models are no raters.")).to_be_visible()
    expect(page.get_by_text("m (exploratory)").first).to_be_visible()
    page.get_by_role("radio", name="Result").click()
    expect(page.locator(".js-plotly-plot")).to_contain_text("m (exploratory)")
