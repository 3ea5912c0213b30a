"""Browser profiles that tests take in turns: the application is read once, not once a test."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Literal
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from playwright.sync_api import Browser, BrowserContext, CDPSession, ConsoleMessage, Page

from tests.e2e.browser import PATIENCE

Scheme = Literal["light", "dark"]

PHONE = {"width": 390, "height": 844}
PHONE_AGENT = (
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/141.0.0.0 Mobile Safari/537.36"
)
_ANCHOR = "http://127.0.0.1/anchor"


class _Kept:
    """A profile with a page that never closes, whose process all pages of this machine share.

    What one page has compiled, the next one there need not: a first visit costs three times as
    much as a later one.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.blocked: list[str] = []
        context.on("console", self._listen)
        self._anchor = context.new_page()
        self._anchor.route(_ANCHOR, lambda route: route.fulfill(body="", content_type="text/html"))
        self._anchor.goto(_ANCHOR)
        self._devtools: CDPSession = context.new_cdp_session(self._anchor)

    def _listen(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            self.blocked.append(f"{message.text} at {message.location}")

    def empty(self) -> None:
        """Close its pages; forget cookies and what pages have stored."""
        origins = set()
        for page in self.context.pages:
            if page is not self._anchor:
                address = urlsplit(page.url)
                origins.add(f"{address.scheme}://{address.netloc}")
                page.close()
        self.context.clear_cookies()
        for origin in origins:
            self._devtools.send(
                "Storage.clearDataForOrigin",
                {"origin": origin, "storageTypes": "local_storage,indexeddb,cache_storage"},
            )


_free: WeakKeyDictionary[Browser, dict[bool, list[_Kept]]] = WeakKeyDictionary()


@contextlib.contextmanager
def profile(browser: Browser, *, phone: bool = False) -> Iterator[BrowserContext]:
    """A profile without cookies or stored data that nobody else has meanwhile.

    At its end no page of it may have met something that the server's content policy forbids.

    Only what the network has delivered before is still in its cache: a test of what is delivered
    takes a `browser.new_context` of its own.
    """
    free = _free.setdefault(browser, {}).setdefault(phone, [])
    kept = (
        free.pop()
        if free
        else _Kept(
            browser.new_context(viewport=PHONE, is_mobile=True, has_touch=True)  # type: ignore[arg-type]
            if phone
            else browser.new_context()
        )
    )
    try:
        yield kept.context
        assert kept.blocked == []
    finally:
        kept.blocked.clear()
        kept.empty()
        free.append(kept)


def window(
    context: BrowserContext,
    width: int = 1400,
    height: int = 1000,
    scheme: Scheme = "light",
    *,
    motion: bool = False,
) -> Page:
    """A new page of this size, of somebody who prefers reduced motion.

    A tenth of a visit's work is to draw what moves while nothing happens; `motion` shows that too.
    """
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.set_viewport_size({"width": width, "height": height})
    reduced: Literal["no-preference", "reduce"] = "no-preference" if motion else "reduce"
    page.emulate_media(color_scheme=scheme, reduced_motion=reduced)
    return page
