"""Who may upload, and how much.

Streamlit takes a file from whoever has a session, whether the page asks for one or not, and keeps
it.  Here a file is taken where the page of that session shows a field for one, within what a
session and all sessions together may keep; it is let go when the session ends.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime import Runtime

from pages.ui.doors.headers import UPLOADS

MEGABYTE = 2**20
UNUSED_AFTER = 10.0
"""Seconds that a file may be there before the page's next run says that a field holds it."""
_FIELD = "file_uploader_state_value"


@dataclass(frozen=True)
class UploadLimits:
    """What may be kept of uploads, in bytes and files; a file counts at least `least` bytes."""

    session: int = 60 * MEGABYTE
    together: int = 400 * MEGABYTE
    files: int = 50
    least: int = 4096


class UploadDoor:
    """Counts what sessions keep, and says whether one may bring more.

    - `runtime`: Streamlit's runtime, once there is one.
    - `clock`: seconds; default: the monotonic clock.
    """

    def __init__(
        self,
        runtime: Callable[[], Runtime | None],
        limits: UploadLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._runtime = runtime
        self._clock = clock
        self.limits = limits or UploadLimits()
        self._arrived: dict[tuple[str, str], float] = {}
        self._under_way: Counter[str] = Counter()

    def offers_field(self, session: str) -> bool:
        """Whether the page that this session shows has a field for files, and not a disabled one.

        A field has a state as long as the last run drew it.
        """
        return bool(self._fields(session))

    def _fields(self, session: str) -> dict[str, Any]:
        """What the fields that take files hold, by their id."""
        runtime = self._runtime()
        found = runtime._session_mgr.get_active_session_info(session) if runtime else None
        if found is None:
            return {}
        state: Any = found.session.session_state
        values = {**dict(state._old_state), **dict(state._new_widget_state.states)}
        return {
            name: values[name]
            for name, about in list(state._new_widget_state.widget_metadata.items())
            if about.value_type == _FIELD and not about.disabled and name in values
        }

    def refuse(self, session: str, size: int | None) -> tuple[int, str] | None:
        """Why this file is not taken, as a status and a sentence; None if it is.

        - `size`: bytes of the request, as its header says; None if it says nothing.
        """
        if not self.offers_field(session):
            return 403, "This page does not ask for a file."
        if size is None:
            return 411, "Say how long the file is."
        files, mine = self._kept_by(session)
        if files >= self.limits.files or mine + size > self.limits.session:
            self._let_unused_go(session)
            files, mine = self._kept_by(session)
        if files >= self.limits.files or mine + size > self.limits.session:
            return 413, (
                f"This visit has uploaded as much as it may ({self.limits.session // MEGABYTE} MB, "
                f"{self.limits.files} files). Reload the page to start afresh."
            )
        if self.kept() + size > self.limits.together:
            self.let_go(disconnected=True)
        if self.kept() + size > self.limits.together:
            return 503, "Too many files are open on this server. Try again in some minutes."
        return None

    def kept(self) -> int:
        """Bytes of all sessions, those that are just arriving among them."""
        return sum(self._under_way.values()) + sum(
            self._kept_by(session, arriving=False)[1] for session in self._sessions()
        )

    @contextmanager
    def arriving(self, session: str, file: str, size: int) -> Iterator[None]:
        """Count a file while it arrives, so that many at once are no more than one by one."""
        self._under_way[session] += size
        try:
            yield
        finally:
            self._arrived[session, file] = self._clock()
            self._under_way[session] -= size
            if self._under_way[session] <= 0:
                del self._under_way[session]

    def let_go(self, *, disconnected: bool = False) -> None:
        """Forget the files of sessions that have ended; of all without a connection, if asked."""
        runtime = self._runtime()
        if runtime is None:
            return
        sessions = runtime._session_mgr
        for session in self._sessions():
            gone = (
                sessions.get_active_session_info(session) is None
                if disconnected
                else sessions.get_session_info(session) is None
            )
            if gone:
                runtime.uploaded_file_mgr.remove_session_files(session)
        here = self._files(runtime)
        for session, file in list(self._arrived):
            if file not in here.get(session, {}):
                del self._arrived[session, file]

    def _let_unused_go(self, session: str) -> None:
        """Forget what no field of the page holds any more; the page has read it long since."""
        runtime = self._runtime()
        held = {file for value in self._fields(session).values() for file in _files_in(value)}
        for file in list(self._files(runtime).get(session, {})) if runtime else []:
            fresh = self._clock() - self._arrived.get((session, file), 0.0) < UNUSED_AFTER
            if runtime and file not in held and not fresh:
                runtime.uploaded_file_mgr.remove_file(session, file)  # type: ignore[attr-defined]

    def _sessions(self) -> list[str]:
        runtime = self._runtime()
        return list(self._files(runtime)) if runtime is not None else []

    def _kept_by(self, session: str, *, arriving: bool = True) -> tuple[int, int]:
        runtime = self._runtime()
        mine = list(self._files(runtime).get(session, {}).values()) if runtime else []
        size = sum(max(len(file.data), self.limits.least) for file in mine)
        return len(mine), size + (self._under_way[session] if arriving else 0)

    @staticmethod
    def _files(runtime: Runtime) -> dict[str, dict[str, Any]]:
        kept: dict[str, dict[str, Any]] = runtime.uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
        return kept


def _files_in(value: Any) -> list[str]:
    """The ids of the files in what a field holds: as the browser said it, or as the page reads it.

    >>> _files_in(None)
    []
    """
    value = getattr(value, "value", value)  # Streamlit's wrapper of either
    if hasattr(value, _FIELD):
        return [file.file_id for file in value.file_uploader_state_value.uploaded_file_info]
    several = value if isinstance(value, list | tuple) else [value]
    return [file.file_id for file in several if hasattr(file, "file_id")]


def upload_size(headers: Headers) -> int | None:
    """How many bytes a request says that it has.

    >>> upload_size(Headers({"Content-Length": "12"})), upload_size(Headers({}))
    (12, None)
    """
    said = headers.get("content-length", "")
    return int(said) if said.isdecimal() and len(said) < 16 else None


class CountedUploads:
    """ASGI middleware: asks the door about each file before any of it is read."""

    def __init__(self, app: ASGIApp, door: UploadDoor) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        is_file = scope["type"] == "http" and scope["path"].startswith(UPLOADS)
        if not is_file or scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        session, _, file = scope["path"].removeprefix(UPLOADS).partition("/")
        size = upload_size(Headers(scope=scope))
        refused = self._door.refuse(session, size)
        if refused is not None:
            status, said = refused
            # A browser reads the answer when it has sent all: what comes is thrown away.
            while (await receive()).get("more_body"):
                pass
            await PlainTextResponse(said + "\n", status)(scope, receive, send)
            return
        with self._door.arriving(session, file, size or 0):
            await self._app(scope, receive, send)
