"""One server and one browser for all end-to-end tests of a process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from tests.e2e.browser import find_chromium, running_browser, running_server, settle

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page

from tests.e2e.rating_world import World


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with running_server() as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        if os.environ.get("CI") == "true":
            pytest.fail("Chromium is missing: the browser tests must run in CI")
        pytest.skip("Chromium was not found")
    with running_browser(executable) as launched:
        yield launched


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The demo's pairs as an open study, with a server of its own."""
    made = World.at(tmp_path_factory.mktemp("world"))
    with made.serving():
        yield made


Opener = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Opener]:
    """Open an address of the application in a fresh browser profile."""
    contexts = []

    def open_page(
        path: str = "/", width: int = 1400, height: int = 1000, scheme: str = "light"
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,  # type: ignore[arg-type]
            accept_downloads=True,
        )
        contexts.append(context)
        page = context.new_page()
        page.goto(server + path)
        settle(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
