"""Photograph the first screen of every example of the gallery.

Each at the size of a laptop, a desk and a phone, light and dark; pictures are of the window alone,
as somebody sees it without scrolling.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, ViewportSize

from eic_core.measure import Domain
from pages.ui.inspector.formula_input import EXAMPLES, Example, example_state
from tests.e2e.browser import ROOT, running_server, settle
from tests.e2e.profiles import PHONE_AGENT
from tools.screenshots.album import SCHEMES, Album

SIZES = {"1280x720": (1280, 720), "1440x900": (1440, 900), "390x844": (390, 844)}
README = ROOT / "docs" / "inspector.png"
QUADRATIC = Example(
    "quadratic",
    "The quadratic formula",
    "",
    "(-b + sqrt(b**2 - 4*a*c))/(2*a)",
    tuple(
        (name, Domain("loguniform", low, high))
        for name, low, high in (("a", 1.0, 10.0), ("b", 100.0, 1e6), ("c", 1.0, 10.0))
    ),
)


def photograph_for_readme(pictures: Album) -> None:
    """Take the README's picture anew."""
    with running_server() as address:
        _take(pictures, address, QUADRATIC, (1280, 720), "light", README)


def photograph(pictures: Album) -> None:
    """Take all that are asked for."""
    with running_server() as address:
        for one in EXAMPLES:
            for size, pixels in SIZES.items():
                for scheme in SCHEMES:
                    name = f"gallery-{one.key}-{size}-{scheme}"
                    if not pictures.only or name.startswith(pictures.only):
                        file = pictures.folder / f"{name}.png"
                        _take(pictures, address, one, pixels, scheme, file)
                        print(file, flush=True)


def _take(
    pictures: Album, address: str, one: Example, size: tuple[int, int], scheme: str, file: Path
) -> None:
    width, height = size
    context = pictures.browser.new_context(
        viewport=ViewportSize(width=width, height=height),
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
        user_agent=PHONE_AGENT if width < 600 else None,
    )
    page = context.new_page()
    page.goto(f"{address}/?{urlencode(example_state(one).to_query(), doseq=True)}")
    settle(page)
    _still(page)
    page.screenshot(path=str(file))
    context.close()


def _still(page: Page) -> None:
    """Wait for the summary and the plots."""
    page.locator(".st-key-summary-panel").wait_for()
    page.get_by_text("Looking for a better form…").wait_for(state="detached")
    page.locator("[data-testid='stSkeleton']").last.wait_for(state="detached")
    page.wait_for_timeout(800)
