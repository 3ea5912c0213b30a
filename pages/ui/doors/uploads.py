"""Uploads: a page takes files where it shows a field, within limits, while its session lasts.

Streamlit takes and keeps a file from whoever has a session.
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
"""Seconds that an arrived file may lie unused: the page's next run has yet to take it."""
_FIELD = "file_uploader_state_value"


@dataclass(frozen=True)
class UploadLimits:
    """Limits of kept uploads, in bytes and files; a file counts at least `least` bytes."""

    session: int = 60 * MEGABYTE
    together: int = 400 * MEGABYTE
    files: int = 50
    least: int = 4096


class UploadDoor:
    """Counts the files of sessions, and says whether one may bring more."""

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
        """Whether the page of this session has a field for files that is not disabled."""
        return bool(self._fields(session))

    def _fields(self, session: str) -> dict[str, Any]:
        """The values of the fields for files, by widget id."""
        runtime = self._runtime()
        info = runtime._session_mgr.get_active_session_info(session) if runtime else None
        if info is None:
            return {}
        state: Any = info.session.session_state
        # A field has a state as long as the last run drew it.
        values = {**dict(state._old_state), **dict(state._new_widget_state.states)}
        return {
            name: values[name]
            for name, about in list(state._new_widget_state.widget_metadata.items())
            if about.value_type == _FIELD and not about.disabled and name in values
        }

    def refuse(self, session: str, size: int | None) -> tuple[int, str] | None:
        """Status and sentence of a refusal of a file of `size` bytes; None if it is taken."""
        if not self.offers_field(session):
            return 403, "This page does not ask for a file."
        if size is None:
            return 411, "Say how long the file is."
        files, mine = self._usage(session)
        if files >= self.limits.files or mine + size > self.limits.session:
            self._forget_unused(session)
            files, mine = self._usage(session)
        if files >= self.limits.files or mine + size > self.limits.session:
            return 413, (
                f"This visit has uploaded as much as it may ({self.limits.session // MEGABYTE} MB, "
                f"{self.limits.files} files). Reload the page to start afresh."
            )
        if self.total_bytes() + size > self.limits.together:
            self.let_go(disconnected=True)
        if self.total_bytes() + size > self.limits.together:
            return 503, "Too many files are open on this server. Try again in some minutes."
        return None

    def total_bytes(self) -> int:
        """Bytes of all sessions, arriving files among them."""
        return sum(self._under_way.values()) + sum(
            self._usage(session, arriving=False)[1] for session in self._sessions()
        )

    @contextmanager
    def arriving(self, session: str, file: str, size: int) -> Iterator[None]:
        """Count a file while it arrives: many at once are no more than one by one."""
        self._under_way[session] += size
        try:
            yield
        finally:
            self._arrived[session, file] = self._clock()
            self._under_way[session] -= size
            if self._under_way[session] <= 0:
                del self._under_way[session]

    def let_go(self, *, disconnected: bool = False) -> None:
        """Forget the files of ended sessions; with `disconnected` of all without a connection."""
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
        files_by_session = self._files(runtime)
        for session, file in list(self._arrived):
            if file not in files_by_session.get(session, {}):
                del self._arrived[session, file]

    def _forget_unused(self, session: str) -> None:
        """Forget files that no field of the page holds any more."""
        runtime = self._runtime()
        held = {file for value in self._fields(session).values() for file in _files_in(value)}
        for file in list(self._files(runtime).get(session, {})) if runtime else []:
            fresh = self._clock() - self._arrived.get((session, file), 0.0) < UNUSED_AFTER
            if runtime and file not in held and not fresh:
                runtime.uploaded_file_mgr.remove_file(session, file)  # type: ignore[attr-defined]

    def _sessions(self) -> list[str]:
        runtime = self._runtime()
        return list(self._files(runtime)) if runtime is not None else []

    def _usage(self, session: str, *, arriving: bool = True) -> tuple[int, int]:
        runtime = self._runtime()
        mine = list(self._files(runtime).get(session, {}).values()) if runtime else []
        size = sum(max(len(file.data), self.limits.least) for file in mine)
        return len(mine), size + (self._under_way[session] if arriving else 0)

    @staticmethod
    def _files(runtime: Runtime) -> dict[str, dict[str, Any]]:
        files: dict[str, dict[str, Any]] = runtime.uploaded_file_mgr.file_storage  # type: ignore[attr-defined]
        return files


def _files_in(value: Any) -> list[str]:
    """The ids of the files in the value of a field.

    >>> _files_in(None)
    []
    """
    value = getattr(value, "value", value)  # Streamlit's wrapper: of a message, or of read files
    if hasattr(value, _FIELD):
        return [file.file_id for file in value.file_uploader_state_value.uploaded_file_info]
    several = value if isinstance(value, list | tuple) else [value]
    return [file.file_id for file in several if hasattr(file, "file_id")]


def upload_size(headers: Headers) -> int | None:
    """A request's Content-Length in bytes; None without a usable one.

    >>> upload_size(Headers({"Content-Length": "12"})), upload_size(Headers({}))
    (12, None)
    """
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() and len(length) < 16 else None


class CountedUploads:
    """ASGI middleware: asks the door about each file before any of it is read."""

    def __init__(self, app: ASGIApp, door: UploadDoor) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_file = scope["type"] == "http" and scope["path"].startswith(UPLOADS)
        if not is_file or scope["method"] != "PUT":
            await self._app(scope, receive, send)
            return
        session, _, file = scope["path"].removeprefix(UPLOADS).partition("/")
        size = upload_size(Headers(scope=scope))
        refusal = self._door.refuse(session, size)
        if refusal is not None:
            status, sentence = refusal
            # A browser reads the answer when it has sent all: what comes is thrown away.
            while (await receive()).get("more_body"):
                pass
            await PlainTextResponse(sentence + "\n", status)(scope, receive, send)
            return
        with self._door.arriving(session, file, size or 0):
            await self._app(scope, receive, send)
