"""A real server and a real Chromium for the end-to-end tests."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tests.e2e import patience
from tests.e2e.prepared_server import start

ROOT = Path(__file__).resolve().parents[2]

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--process-per-site",
    # A page of a test is not open for long enough to earn back what compiling it well costs: that
    # is left to what runs very often.  With no such compiler at all the rest costs more than that.
    "--js-flags=--invocation-count-for-maglev=10000",
)

PATIENCE = 180_000
"""Milliseconds after which a step is taken to hang, on however busy a machine."""

expect.set_options(timeout=PATIENCE)
patience.install(PATIENCE)


def find_chromium() -> str | None:
    """The browser on this machine, if there is one; best the one that can do without a screen.

    It draws the same and costs less, for it has no windows of its own to draw.
    """
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    return None


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


_given_back: list[int] = []


@contextlib.contextmanager
def kept_port() -> Iterator[int]:
    """A free port: the one of a server before, where it is free, for browsers know its scripts.

    A first visit of an address costs a profile twice as much as a later one.
    """
    port = _given_back.pop() if _given_back else free_port()
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if listener.connect_ex(("127.0.0.1", port)) == 0:
            port = free_port()
    yield port
    _given_back.append(port)


@contextlib.contextmanager
def running_server(
    *,
    demo: bool = False,
    database: Path | None = None,
    log_file: Path | None = None,
    port: int | None = None,
    script: str = "app.py",
    processes: list[int] | None = None,
) -> Iterator[str]:
    """`streamlit run` of a script in a process of its own; yields its address.

    It begins where its imports end if a process has been prepared (`prepared_server`).

    Without `database` it has one of its own that is gone afterwards.  `log_file` receives what
    it prints, `processes` its number.
    """
    with (
        contextlib.nullcontext(port) if port else kept_port() as port,
        tempfile.TemporaryDirectory(prefix="eic-lab-e2e-") as folder,
        tempfile.TemporaryFile() if log_file is None else log_file.open("w+b") as log,
    ):
        address = f"http://127.0.0.1:{port}"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("STREAMLIT_")}
        url = f"sqlite:///{database or Path(folder) / 'lab.sqlite3'}"
        environment["EIC_LAB_DEMO_DATABASE_URL" if demo else "DATABASE_URL"] = url
        environment["EIC_LAB_DEMO"] = "1" if demo else "0"
        process = start(script, port, environment, log)
        if processes is not None:
            processes.append(process.pid)
        try:
            for _ in range(240):
                if process.poll() is not None:
                    break
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{address}/healthz", timeout=2).close()
                    break
                time.sleep(0.25)
            if process.poll() is not None:
                log.seek(0)
                raise RuntimeError(f"the server stopped: {log.read().decode()[-2000:]}")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


@contextlib.contextmanager
def running_browser(executable: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(ARGUMENTS))
        yield browser
        browser.close()


T = TypeVar("T")


def eventually(page: Page, look: Callable[[], T], holds: Callable[[T], bool]) -> T:
    """Look again until it holds; what was seen then.

    Raises
    ------
    AssertionError
        If it has not held within `PATIENCE`; says what was seen last.
    """
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        seen = look()
        if holds(seen):
            return seen
        page.wait_for_timeout(100)
    seen = look()
    assert holds(seen), f"still {seen!r}"
    return seen


def only_safe_downloads(page: Page) -> None:
    """The table below the mouse offers to search it, and none but our own files of it."""
    toolbar = page.locator("[data-testid='stElementToolbar']")
    expect(toolbar.get_by_role("button", name="Search").first).to_be_visible()
    download = toolbar.locator("[aria-label^='Download']").first
    expect(download).to_be_attached()
    expect(download).to_be_hidden()


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None, place
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def still(page: Page) -> None:
    """Wait until no script is running, once what was pressed has come to the server."""
    page.wait_for_timeout(300)
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for(
        timeout=PATIENCE
    )


def settle(page: Page) -> None:
    """Wait until the page is connected and no script is running."""
    page.locator("[data-testid='stApp'][data-test-script-state='notRunning']").wait_for(
        timeout=PATIENCE
    )
    page.locator(".st-key-formula_text textarea").wait_for(timeout=PATIENCE)
    expect(page.locator("[data-testid='stSkeleton']")).to_have_count(0)
