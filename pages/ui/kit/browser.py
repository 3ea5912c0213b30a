"""The visitor's browser: dark or light, phone or desk, small assets, callbacks that finish."""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

_PACKED = (".js", ".css")
"""Fonts and pictures are compressed already."""


# Streamlit sends them as they are, some 9 MB for a page with a plot: its own compression would
# pack a file anew for each visitor.
class PackedAssets:
    """ASGI middleware: scripts and style sheets under ``/static/`` go out gzipped."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._packed: dict[str, tuple[Message, bytes]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _takes_packed(scope):
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        if path not in self._packed:
            async with self._one_at_a_time:
                if path not in self._packed and not await self._pack(scope, receive, send):
                    return
        start, body = self._packed[path]
        await send({**start, "headers": list(start["headers"])})
        await send({"type": "http.response.body", "body": body})

    async def _pack(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Keep the packed answer of the app; False if it was sent on as it is."""
        plain = {**scope, "extensions": {}}  # the body itself, not the path of a file
        messages: list[Message] = []

        async def collect(message: Message) -> None:
            messages.append(message)

        await self._app(plain, receive, collect)
        start, *rest = messages
        headers = MutableHeaders(raw=list(start.get("headers", [])))
        body = b"".join(message.get("body", b"") for message in rest)
        plain_file = start.get("status") == 200 and "content-encoding" not in headers
        # For a visitor who has left meanwhile the app stops in the middle of the file.
        whole = headers.get("content-length") == str(len(body))
        # A file that may change under its name is not kept.
        if not (plain_file and whole and "immutable" in headers.get("cache-control", "")):
            for message in messages:
                await send(message)
            return False
        packed = await run_in_threadpool(gzip.compress, body, 6, mtime=0)
        headers["content-encoding"] = "gzip"
        headers["content-length"] = str(len(packed))
        headers.add_vary_header("Accept-Encoding")
        for name in ("etag", "accept-ranges"):
            del headers[name]
        self._packed[scope["path"]] = ({**start, "headers": headers.raw}, packed)
        return True


BASE_SCRIPT = (
    "<script>window.__streamlit = {BACKEND_BASE_URL: "
    'location.origin + location.pathname.replace(/[^/]*\\/?$/, "")}</script>'
)
"""Tells Streamlit's script where the server is: one folder up from the page."""

# The app is to send the whole page, unpacked, for the script to be put into it.
_AS_IT_IS = (b"accept-encoding", b"if-none-match", b"if-modified-since", b"range")
_PAGE = re.compile(r"/(?!rate\b)[a-z]+/?\Z")
"""A page of Streamlit's: the volunteer's is none."""


# The script looks below the page's own address first, /compare/_stcore/health: two failing requests
# before a visitor sees anything.
class PagesKnowTheServer:
    """ASGI middleware: a page other than the first tells Streamlit's script where the server is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not _PAGE.match(scope["path"]):
            await self._app(scope, receive, send)
            return
        messages: list[Message] = []

        async def collect(message: Message) -> None:
            messages.append(message)

        request_headers = [header for header in scope["headers"] if header[0] not in _AS_IT_IS]
        await self._app({**scope, "headers": request_headers, "extensions": {}}, receive, collect)
        start, *rest = messages
        headers = MutableHeaders(raw=list(start.get("headers", [])))
        body = b"".join(message.get("body", b"") for message in rest)
        if headers.get("content-type", "").startswith("text/html"):
            body = body.replace(b"<script", BASE_SCRIPT.encode() + b"<script", 1)
            headers["content-length"] = str(len(body))
            del headers["etag"]
        await send({**start, "headers": headers.raw})
        await send({"type": "http.response.body", "body": body})


def _takes_packed(scope: Scope) -> bool:
    """Whether this asks for a whole script or style sheet, and can unpack it."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    path = scope["path"]
    if not (path.startswith("/static/") and path.endswith(_PACKED)):
        return False
    headers = Headers(scope=scope)
    return (
        "gzip" in headers.get("accept-encoding", "")
        and "range" not in headers
        and "if-none-match" not in headers
    )


def is_dark() -> bool:
    return bool(st.context.theme.type == "dark")


def is_narrow() -> bool:
    """Whether the browser says that it runs on a phone."""
    return "Mobi" in (st.context.headers.get("User-Agent") or "")


def plotly_config(file_name: str) -> dict[str, Any]:
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
        "toImageButtonOptions": {"format": "png", "scale": 3, "filename": file_name},
    }


_CHECK = "_yield_callback"  # of `streamlit.runtime.state.safe_session_state.SafeSessionState`


# Streamlit ends a run at its next call once a newer request waits, and reading the session state is
# such a call. A callback that ends half-way loses its click: the newer request does not bring it
# again.
@contextmanager
def uninterrupted() -> Iterator[None]:
    """Keep reading and writing the session state from ending the run.

    >>> @uninterrupted()
    ... def clicked() -> str:
    ...     return "done"
    >>> clicked()
    'done'
    """
    context = get_script_run_ctx(suppress_warning=True)
    state = vars(context.session_state) if context is not None else {}
    check = state.get(_CHECK)
    if check is None:  # outside a run, or in a Streamlit that checks elsewhere
        yield
        return
    state[_CHECK] = _never_yield
    try:
        yield
    finally:
        state[_CHECK] = check


def _never_yield() -> None:
    """Let a newer request wait."""
