"""Beside the pages: start, a demo's studies, plain HTTP routes."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from threading import Thread
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from streamlit import runtime

from eic_core.errors import UserError
from pages.ballot.routes import RATE_ROUTES
from pages.ballot.views import prepare
from pages.help import HELP_SCRIPT
from pages.ui.doors.faults import log_in_sentences
from pages.ui.doors.headers import Doors, inline_scripts
from pages.ui.doors.proxies import (
    NamedProxies,
    ignore_forwarded_headers,
    keep_connections,
    trusted_proxies,
)
from pages.ui.doors.strangers import MessageDoor, ReadableFrames
from pages.ui.doors.uploads import CountedUploads, UploadDoor
from pages.ui.inspector.first_minute import INPUT_SCRIPT
from pages.ui.inspector.workbench import workbench_scripts
from pages.ui.kit.browser import BASE_SCRIPT, PackedAssets, PagesKnowTheServer
from pages.ui.kit.wiring import Lab, Settings, close_lab, lab, start_workers, stop_workers
from pages.ui.organising.ballot_preview import PREVIEW_ROUTES
from pages.ui.organising.login import DOOR_ROUTES
from pages.ui.organising.report_files import EXPORT_ROUTES, SEND_SCRIPT
from study.demo.seeding import seed_demo
from study.design import LOCAL_HOSTS
from study.errors import StorageError, StudyError
from study.links import setup_link


async def health(_: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"}, headers={"Cache-Control": "no-store"})


ROUTES = [
    Route("/healthz", health, methods=["GET"]),
    *RATE_ROUTES,
    *DOOR_ROUTES,
    *EXPORT_ROUTES,
    *PREVIEW_ROUTES,
]


def page_scripts() -> tuple[str, ...]:
    """The inline scripts of all pages, Streamlit's own included."""
    first_page = Path(st.__file__).parent / "static" / "index.html"
    ours = "\n".join((*workbench_scripts(), INPUT_SCRIPT, HELP_SCRIPT, SEND_SCRIPT, BASE_SCRIPT))
    return inline_scripts(first_page.read_text(encoding="utf-8") + ours)


UPLOADS = UploadDoor(lambda: runtime.get_instance() if runtime.exists() else None)
EVERY = 20.0
"""Seconds between two looks for ended sessions and their files."""

ignore_forwarded_headers()
keep_connections()
MIDDLEWARE = [
    Middleware(Doors, scripts=page_scripts()),
    Middleware(NamedProxies, proxies=lambda: trusted_proxies(os.environ)),
    Middleware(ReadableFrames),
    Middleware(CountedUploads, door=UPLOADS),
    Middleware(PackedAssets),
    Middleware(PagesKnowTheServer),
]
"""From the outermost in; Streamlit's own come after them."""

_TURN = 0.001
"""Seconds that a thread keeps the interpreter while another waits, a fifth of the default: a click
or /healthz gets its turn between pages that are being drawn."""


@contextlib.asynccontextmanager
async def lifespan(_: Any) -> AsyncIterator[None]:
    """Prepare everything before the first request; a user's mistake ends the process.

    Its exit status is 3 where the database is at fault, else 2.
    """
    # Plotly uses pandas as it finds it, half imported too, while another visit's table imports it.
    importlib.import_module("pandas")
    log_in_sentences()
    sys.setswitchinterval(_TURN)
    try:
        await run_in_threadpool(start_workers, Settings.of(os.environ).workers)
        await run_in_threadpool(start)
    except UserError as error:
        sys.stderr.write(f"EIC Lab cannot start: {error}\n")
        sys.stderr.flush()
        os._exit(3 if isinstance(error, StorageError) else 2)
    MessageDoor(runtime.get_instance(), UPLOADS.offers_field).stand()
    letting_go = asyncio.create_task(_let_go())
    Thread(target=warm, daemon=True, name="warm ballots").start()
    yield
    letting_go.cancel()
    stop_workers()
    await run_in_threadpool(close_lab)


def warm() -> None:
    """Read and compress the ballots of open studies; one that fails now waits until it is shown."""
    with contextlib.suppress(StudyError):
        for ballot in lab().rating.warm():
            prepare(ballot)


async def _let_go() -> None:
    while True:
        await asyncio.sleep(EVERY)
        forget_ended_visits(runtime.get_instance()._session_mgr)
        UPLOADS.let_go()


def forget_ended_visits(visits: Any) -> None:
    """Let go of visits whose time to come back is over: Streamlit waits for another one to end."""
    visits._session_storage._cache.expire()


def start() -> None:
    """Open the database; make a demo's studies, or print how to choose the passphrase.

    Raises `StudyError` if the database cannot be opened, or a demo would listen to other machines.
    """
    address = str(st.get_option("server.address") or "")
    url = base_url(address, int(st.get_option("server.port")))
    trusted_proxies(os.environ)  # a mistake in that variable stops the start, not a request
    opened = lab()
    if opened.demo:
        if address not in LOCAL_HOSTS - {"0.0.0.0"}:
            raise StudyError(
                "a demo listens on this machine only",
                hint="use --server.address 127.0.0.1, or `make serve` for real studies",
            )
        if opened.has_passphrase():
            raise StudyError(
                "this database belongs to real studies, and a demo asks for no passphrase",
                hint="start `make serve`, or give the demo a database of its own",
            )
        seed_demo(opened.organising, url)
        _print_to_terminal(
            "This is a demo: no passphrase, no real invitations, a database of its own."
        )
        return
    _print_to_terminal(*setup_lines(opened, url))


def setup_lines(opened: Lab, url: str) -> tuple[str, ...]:
    """The lines to print at the start; none once a passphrase is chosen."""
    token = opened.access.setup_token()
    if token is None:
        return ()
    return (
        "No passphrase has been chosen yet. Open this link once, within a day, to choose it:",
        f"  {setup_link(url, token)}",
    )


def base_url(address: str, port: int) -> str:
    """The address of the app for a browser on this machine.

    >>> base_url("0.0.0.0", 8501), base_url("127.0.0.1", 80)
    ('http://localhost:8501', 'http://127.0.0.1')
    """
    host = "localhost" if address in ("", "0.0.0.0", "::") else address
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}" + ("" if port == 80 else f":{port}")


def _print_to_terminal(*lines: str) -> None:
    if lines:
        sys.stdout.write("\n".join(["", *(f"  {line}" for line in lines), "", ""]))
        sys.stdout.flush()
