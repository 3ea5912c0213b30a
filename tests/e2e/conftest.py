"""One server and one browser for all end-to-end tests of a process."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e import prepared_server
from tests.e2e.browser import find_chromium, running_browser, running_server, settle
from tests.e2e.profiles import Scheme, profile, window

pytest.importorskip("playwright")

from playwright.sync_api import Browser, Page

from study.material import Study
from tests.e2e.rating_world import World
from tests.effort import cases

_at_the_end = contextlib.ExitStack()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Where several files of these tests are run, their servers share what they import."""
    here = Path(__file__).parent
    files = {item.path for item in session.items if item.path.parent == here}
    if len(files) > 1 and sys.platform == "linux" and not session.config.option.collectonly:
        folder = _at_the_end.enter_context(tempfile.TemporaryDirectory(prefix="eic-lab-e2e-"))
        _at_the_end.enter_context(prepared_server.prepared(Path(folder) / "servers"))


def pytest_sessionfinish() -> None:
    _at_the_end.close()


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
    """Pairs of the demo as an open study, with a server of its own."""
    made = World.at(tmp_path_factory.mktemp("world"), every=cases(4, 1))
    with made.serving():
        yield made


@pytest.fixture(scope="session")
def brief(world: World) -> Study:
    """Three ballots, no practice, "cannot decide" offered."""
    return world.another(ballots_per_rater=3, practice=False, allow_tie=True)


Opener = Callable[..., Page]


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Opener]:
    """Open an address of the application, each time as somebody else."""
    with contextlib.ExitStack() as visitors:

        def open_page(
            path: str = "/", width: int = 1400, height: int = 1000, scheme: Scheme = "light"
        ) -> Page:
            page = window(visitors.enter_context(profile(browser)), width, height, scheme)
            page.goto(server + path)
            settle(page)
            return page

        yield open_page
