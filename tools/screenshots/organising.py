"""Photograph the organiser's pages, in the demo and at the door."""

from __future__ import annotations

import re

from playwright.sync_api import Page

from tests.e2e import organiser as at
from tests.e2e.browser import running_server
from tests.e2e.organiser import ready
from tools.screenshots.album import Act, Album, State

DRAFT, OPEN = "?study=1&step=", "?study=2&step="


def _press(name: str) -> Act:
    def act(page: Page) -> None:
        page.get_by_role("button", name=name).first.click()
        ready(page)

    return act


def _leave_out(page: Page) -> None:
    if page.get_by_role("button", name="Leave out").count():
        at.fill(page, "Leave this pair out, because", "the curve has a pole")
        page.get_by_role("button", name="Leave out").click()
        ready(page)


def _links(page: Page) -> None:
    page.get_by_label("One line for each person").fill("Ada\nBlaise\nEmmy")
    page.get_by_label("One line for each person").press("Tab")
    page.get_by_role("button", name=re.compile("Make 3 personal")).click()
    ready(page)


def _plan(page: Page) -> None:
    page.get_by_role("button", name="Worked example").click()
    page.get_by_text("Expect an interval").wait_for(timeout=60_000)
    ready(page)


DEMO = {
    "studies": State(),
    "missing": State("?study=99"),
    "plan": State("?plan=new"),
    "plan-paper": State("?plan=new", _plan),
    "problems": State(DRAFT + "problems", _press("Describe")),
    "pool": State(DRAFT + "pool"),
    "pairs": State(DRAFT + "pairs"),
    "preview": State(DRAFT + "preview"),
    "left-out": State(DRAFT + "preview", _leave_out),
    "design": State(DRAFT + "design"),
    "freeze": State(DRAFT + "freeze"),
    "live": State(OPEN + "live", _press("Close the study…")),
    "invitations": State(OPEN + "invitations", _links),
    "settings": State(OPEN + "settings"),
}
DOOR = {
    "no-passphrase": State(),
    "set-up": State("?setup=abc&door=short"),
}


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    for demo, states in ((True, DEMO), (False, DOOR)):
        with running_server(demo=demo) as address:
            pictures.take(f"{address}/organise", states, ready, "organise-")
