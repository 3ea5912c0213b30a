"""The headers of every answer, and the addresses that are closed."""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Iterable
from hashlib import sha256
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.ui.doors.origin import unreadable_header

LOG = logging.getLogger("eic_lab.doors")

_INLINE = re.compile(r"<script[^>]*>(.*?)</script>", re.DOTALL)
# Streamlit serves counters, an interface for programs, components and logins of other sites, for
# which this app has no use.
_OPEN_CORE = ("/_stcore/health", "/_stcore/host-config", "/_stcore/stream")
_CLOSED = ("/component/", "/auth/", "/oauth2callback")

_OPENER = "Cross-Origin-Opener-Policy"

UPLOADS = "/_stcore/upload_file/"
"""Streamlit's address for files: ``/_stcore/upload_file/SESSION/FILE``."""


def inline_scripts(html: str) -> tuple[str, ...]:
    """The scripts inside a piece of HTML, without those that are loaded.

    >>> inline_scripts("<script>let a = 1</script><script src='b.js'></script>")
    ('let a = 1',)
    """
    return tuple(text for text in _INLINE.findall(html) if text.strip())


def content_policy(scripts: Iterable[str] = ()) -> str:
    r"""The Content-Security-Policy of every answer: of inline scripts only these run.

    >>> print(*content_policy().split("; ")[:2], sep="\n")
    default-src 'none'
    script-src 'self' blob:
    """
    hashes = sorted(
        f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts
    )
    return "; ".join(
        (
            "default-src 'none'",
            # Streamlit runs the scripts of our own components from a blob: address (ADR 0022)
            " ".join(("script-src 'self' blob:", *hashes)),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "frame-src 'self'",
            "manifest-src 'self'",
            "worker-src 'self' blob:",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def guarding_headers(scripts: Iterable[str] = ()) -> dict[str, str]:
    return {
        "Content-Security-Policy": content_policy(scripts),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        _OPENER: "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }


def is_closed(path: str) -> bool:
    """Whether an address is one of Streamlit's that this app does not serve.

    >>> is_closed("/_stcore/metrics"), is_closed("/_stcore/health"), is_closed("/rate")
    (True, False, False)
    """
    if path.startswith("/_stcore/"):
        return path not in _OPEN_CORE and not path.startswith(UPLOADS)
    return path.startswith(_CLOSED)


class Doors:
    """ASGI middleware, the outermost: headers on every answer, closed addresses, no raw failure.

    What cannot be read is refused here, once for all that read it: Streamlit does, too.
    """

    def __init__(self, app: ASGIApp, scripts: Iterable[str] = ()) -> None:
        self._app = app
        self._headers = guarding_headers(scripts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._answer(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._hold(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = self._guarded(message)
            await send(message)

        if is_closed(scope["path"]):
            await PlainTextResponse("Not found.\n", 404)(scope, receive, send_guarded)
            return
        unreadable = unreadable_header(Headers(scope=scope))
        if unreadable is not None:
            sentence = f"The header `{unreadable}` of this request cannot be read.\n"
            status = 403 if unreadable == "origin" else 400  # that of any other place
            await PlainTextResponse(sentence, status)(scope, receive, send_guarded)
            return
        try:
            await self._app(scope, receive, send_guarded)
        except ClientDisconnect:
            return  # nobody waits for an answer, and what has come in part is not read
        except Exception:
            LOG.exception("%s %s failed", scope["method"], scope["path"])
            if not started:
                sentence = "This failed for a reason of ours. The log has it.\n"
                await PlainTextResponse(sentence, 500)(scope, receive, send_guarded)

    async def _hold(self, scope: Scope, receive: Receive, send: Send) -> None:
        accepted = False

        async def send_guarded(message: Message) -> None:
            nonlocal accepted
            kind = message["type"]
            if kind == "websocket.accept":
                accepted = True
                message = self._guarded(message)
            elif kind == "websocket.close" and not accepted:
                await self._refuse_upgrade(scope, send)
                return
            elif kind == "websocket.http.response.start":
                message = self._guarded(message)
            await send(message)

        if scope["path"] not in _OPEN_CORE or unreadable_header(Headers(scope=scope)):
            await self._refuse_upgrade(scope, send)
            return
        await self._app(scope, receive, send_guarded)

    async def _refuse_upgrade(self, scope: Scope, send: Send) -> None:
        """Answer 403 with our headers where the server can send them; else its own 403."""
        if "websocket.http.response" not in scope.get("extensions", {}):
            await send({"type": "websocket.close", "code": 1008})
            return
        start: Message = {
            "type": "websocket.http.response.start",
            "status": int(HTTPStatus.FORBIDDEN),
            "headers": [(b"content-type", b"text/plain; charset=utf-8")],
        }
        await send(self._guarded(start))
        await send({"type": "websocket.http.response.body", "body": b"Not from here.\n"})

    def _guarded(self, message: Message) -> Message:
        """The message with our headers; a route's own header stays, such as a stricter policy."""
        headers = MutableHeaders(raw=list(message.get("headers", [])))
        in_sandbox = "sandbox" in headers.get("content-security-policy", "")
        for name, value in self._headers.items():
            # A browser opens nothing that is in a sandbox and asks for an opener of its own.
            if not (in_sandbox and name == _OPENER):
                headers.setdefault(name, value)
        return {**message, "headers": headers.raw}
