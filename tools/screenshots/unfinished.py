"""Photograph what a busy machine could not finish."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.e2e.browser import running_server, settle
from tools.screenshots.album import Album, State

SEARCHED = (
    "?formula="
    + quote("(sqrt(x+1) - sqrt(x))*(x+2)*log(x+1)")
    + "&range=x=loguniform:1:1e8&samples=800"
)


def _wait(page: Page) -> None:
    expect(page.get_by_role("button", name="Look further")).to_be_visible()


STATES = {"search": State(SEARCHED + "&ask=instead", _wait), "first": State(SEARCHED, _wait)}


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    slow = "tools/screenshots/hurried_app.py"
    with running_server(script=slow) as address:
        pictures.take(f"{address}/", STATES, settle, "unfinished-")
