"""An album: pictures of states of the pages, at every width and in both schemes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

from tests.e2e.browser import find_chromium, running_browser
from tests.e2e.profiles import PHONE_AGENT

Act = Callable[[Page], None]

WIDTHS = {"wide": 1400, "phone": 390}
SCHEMES = ("light", "dark")
LEAST, MOST = 500, 6000
"""Height of a picture in pixels, whatever the height of the page."""


def nothing(page: Page) -> None:
    """Leave the page as it is."""
    del page


@dataclass(frozen=True)
class State:
    """What follows the address of the pages photographed, and what to do there."""

    path: str = ""
    act: Act = nothing


@dataclass(frozen=True)
class Album:
    """A folder of pictures.

    Attributes
    ----------
    browser : Browser
    folder : Path
    only : tuple of str
        Take the pictures whose names begin with one of these; all if there is none.
    """

    browser: Browser
    folder: Path
    only: tuple[str, ...]

    def take(self, address: str, states: Mapping[str, State], ready: Act, prefix: str = "") -> None:
        """Take the pictures `{prefix}{state}-{width}-{scheme}.png`.

        Parameters
        ----------
        address
            Of the pages.
        states
            By name.
        ready
            Waits until the page is there, and until it has answered.
        prefix
            `only` holds names without it.
        """
        for width in WIDTHS:
            for scheme in SCHEMES:
                for name, state in states.items():
                    picture = f"{name}-{width}-{scheme}"
                    if not self.only or picture.startswith(self.only):
                        file = self.folder / f"{prefix}{picture}.png"
                        with _page(self.browser, width, scheme) as page:
                            _photograph(page, address, state, ready, file)
                        print(file, flush=True)


@contextlib.contextmanager
def album(folder: Path, only: tuple[str, ...] = ()) -> Iterator[Album]:
    """An album in a folder, for the pictures whose names begin with one of these."""
    executable = find_chromium()
    if executable is None:
        raise SystemExit("Chromium was not found")
    folder.mkdir(parents=True, exist_ok=True)
    with running_browser(executable) as browser:
        yield Album(browser, folder, only)


@contextlib.contextmanager
def _page(browser: Browser, width: str, scheme: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport=ViewportSize(width=WIDTHS[width], height=900),
        color_scheme=scheme,  # type: ignore[arg-type]
        user_agent=PHONE_AGENT if width == "phone" else None,
    )
    yield context.new_page()
    context.close()


def _photograph(page: Page, address: str, state: State, ready: Act, file: Path) -> None:
    page.goto(address + state.path)
    ready(page)
    state.act(page)
    ready(page)
    _whole_page(page)
    page.screenshot(path=str(file))


def _whole_page(page: Page) -> None:
    """Make the window as tall as the page, and wait until nothing has moved for a second."""
    size = page.viewport_size
    assert size is not None
    last, still = 0, 0
    for _ in range(40):
        page.wait_for_timeout(300)
        height = page.evaluate(
            "(document.querySelector('[data-testid=stMainBlockContainer]') || document.body)"
            ".scrollHeight"
        )
        still = still + 1 if height == last else 0
        if still == 3:
            return
        if height != last:
            tall = min(MOST, max(LEAST, height + 40))
            page.set_viewport_size(ViewportSize(width=size["width"], height=tall))
        last = height
