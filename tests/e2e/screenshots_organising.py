"""Photograph the organiser's pages, in the demo and at the door: part of `make screenshots`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.e2e import organiser as at
from tests.e2e.browser import find_chromium, running_browser, running_server
from tests.e2e.organiser import ready
from tests.e2e.screenshots import PHONE_AGENT, SCHEMES, WIDTHS

DRAFT, OPEN = "?study=1&step=", "?study=2&step="


def _nothing(page: Page) -> None:
    del page


def _press(name: str) -> Callable[[Page], None]:
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


DEMO: dict[str, tuple[str, Callable[[Page], None]]] = {
    "studies": ("", _nothing),
    "missing": ("?study=99", _nothing),
    "plan": ("?plan=new", _nothing),
    "plan-paper": ("?plan=new", _plan),
    "problems": (DRAFT + "problems", _press("Describe")),
    "pool": (DRAFT + "pool", _nothing),
    "pairs": (DRAFT + "pairs", _nothing),
    "preview": (DRAFT + "preview", _nothing),
    "left-out": (DRAFT + "preview", _leave_out),
    "design": (DRAFT + "design", _nothing),
    "freeze": (DRAFT + "freeze", _nothing),
    "live": (OPEN + "live", _press("Close the study…")),
    "invitations": (OPEN + "invitations", _links),
    "settings": (OPEN + "settings", _nothing),
}
DOOR: dict[str, tuple[str, Callable[[Page], None]]] = {
    "no-passphrase": ("", _nothing),
    "set-up": ("?setup=abc&door=short", _nothing),
}


def main(folder: str, *only: str) -> None:
    """Take all pictures, or those of the states named."""
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    executable = find_chromium()
    if executable is None:
        raise SystemExit("Chromium was not found")
    with running_browser(executable) as browser:
        for demo, states in ((True, DEMO), (False, DOOR)):
            with running_server(demo=demo) as address:
                for width in WIDTHS:
                    for scheme in SCHEMES:
                        for state, (query, act) in states.items():
                            if not only or state in only:
                                path = out / f"organise-{state}-{width}-{scheme}.png"
                                _take(browser, f"{address}/organise{query}", act, path)


def _take(browser: Browser, url: str, act: Callable[[Page], None], path: Path) -> None:
    _, width_name, scheme = path.stem.rsplit("-", 2)
    width = WIDTHS[width_name]
    context = browser.new_context(
        viewport=ViewportSize(width=width, height=900),
        color_scheme=scheme,  # type: ignore[arg-type]
        user_agent=PHONE_AGENT if width < 500 else None,
    )
    page = context.new_page()
    page.goto(url)
    ready(page)
    act(page)
    page.wait_for_timeout(1200)
    height = page.evaluate(
        "document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight"
    )
    page.set_viewport_size(ViewportSize(width=width, height=min(6000, max(500, height + 40))))
    page.wait_for_timeout(500)
    page.screenshot(path=str(path))
    print(path)
    context.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
