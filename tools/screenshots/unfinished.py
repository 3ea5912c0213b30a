"""Photograph what a busy machine could not finish."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.e2e.browser import running_server, settle
from tools.screenshots.album import Album, State

OVERFLOWING = "?formula=" + quote("log(exp(x))") + "&range=x=normal:1000:1"
SEARCHED = (
    "?formula="
    + quote("(sqrt(x+1) - sqrt(x))*(x+2)*log(x+1)")
    + "&range=x=loguniform:1:1e8&samples=800"
)
PAIR = "compare?formula=x&b=" + quote("log(exp(x))") + "&range=x=normal:1000:1"


def _wait(page: Page) -> None:
    expect(page.locator(".st-key-finish button")).to_be_visible()


def _summarised(page: Page) -> None:
    page.get_by_role("button", name="Why?").click()
    expect(page.get_by_text("cut short by its time limit").first).to_be_visible()


STATES = {
    "check": State(OVERFLOWING, _wait),
    "search": State(SEARCHED + "&ask=instead", _wait),
    "search-summary": State(SEARCHED, _summarised),
    "pair": State(PAIR, _wait),
}


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    slow = "tools/screenshots/hurried_app.py"
    with running_server(script=slow) as address:
        pictures.take(f"{address}/", STATES, _ready, "unfinished-")


def _ready(page: Page) -> None:
    if "compare" not in page.url:
        settle(page)
