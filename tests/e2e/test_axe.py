"""axe finds nothing on any page that a stranger meets, light or dark."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from pages.ui.kit.visit import ASKS
from tests.e2e.accessibility import violations
from tests.e2e.browser import PATIENCE, eventually
from tests.e2e.profiles import Scheme, profile, window
from tests.effort import FULL

pytestmark = pytest.mark.e2e

ROOTS = f"formula={quote('sqrt(x+1) - sqrt(x)')}&range=x=loguniform:1:1e8&samples=1000"
PATHS = {
    "first visit": "/",
    "error": "/?formula=2x+%2B+foo(y",
    **{ask: f"/?{ROOTS}&ask={ask}" for ask in ASKS},
    "compare": "/compare",
    "compared": f"/compare?{ROOTS}&b={quote('1/(sqrt(x+1) + sqrt(x))')}",
    "gap": "/gap",
    "about": "/about",
    "help": "/help",
    "organise": "/organise",
}


def still(page: Page) -> None:
    """Wait until no script is running."""
    for _ in range(2):  # a page may begin anew once it knows the browser
        page.wait_for_timeout(400)
        page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for(
            timeout=PATIENCE
        )
    expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0)
    expect(page.locator(".stException")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_page(browser: Browser, server: str, scheme: Scheme) -> None:
    # a quick run looks at a page in one scheme: every other page by day, those between by night
    left_out = set() if FULL else {*[*PATHS][scheme == "dark" :: 2], *[*ASKS][::2]}
    with profile(browser) as context:
        page = window(context, 1280, 720, scheme)
        for name in PATHS.keys() - left_out:
            page.goto(server + PATHS[name])
            still(page)
            eventually(page, lambda: violations(page), [].__eq__)  # a late drawing may mend it
