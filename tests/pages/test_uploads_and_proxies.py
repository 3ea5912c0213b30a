"""How uploads are counted, and whom the server believes about addresses, without a server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.ui.doors.proxies import NamedProxies, trusted_proxies
from pages.ui.doors.uploads import UNUSED_AFTER, UploadDoor, UploadLimits
from study.errors import StudyError

FIELD = SimpleNamespace(value_type="file_uploader_state_value", disabled=False)


class Sessions:
    """What the door asks of Streamlit: sessions with a connection, without one, and ended."""

    def __init__(self, **states: str) -> None:
        self.states = states
        self.values: dict[str, Any] = {}
        self.uploaded_file_mgr = MemoryUploadedFileManager("/u")

    @property
    def _session_mgr(self) -> Sessions:
        return self

    def get_session_info(self, session: str) -> object | None:
        if session not in self.states:
            return None
        held = SimpleNamespace(
            states={"field": self.values.get(session)}, widget_metadata={"field": FIELD}
        )
        state = SimpleNamespace(_new_widget_state=held, _old_state={})
        return SimpleNamespace(session=SimpleNamespace(session_state=state))

    def get_active_session_info(self, session: str) -> object | None:
        return self.get_session_info(session) if self.states.get(session) == "here" else None


class Wall:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def made(**states: str) -> tuple[UploadDoor, Sessions, Wall]:
    sessions, clock = Sessions(**states), Wall()
    limits = UploadLimits(session=100, together=250, files=5, least=1)
    return UploadDoor(lambda: sessions, limits, clock), sessions, clock  # type: ignore[arg-type, return-value]


def bring(door: UploadDoor, sessions: Sessions, session: str, name: str, size: int) -> int:
    """Send a file; the status."""
    refused = door.refuse(session, size)
    if refused is not None:
        return refused[0]
    with door.arriving(session, name, size):
        file = UploadedFileRec(file_id=name, name=name, type="text/csv", data=b"1" * size)
        sessions.uploaded_file_mgr.add_file(session, file)
    return 204


def test_all_visits_together_keep_no_more_than_their_limit_and_make_room_for_who_is_here() -> None:
    door, sessions, _ = made(a="here", b="here", c="here")
    assert [bring(door, sessions, s, "f", 90) for s in "abc"] == [204, 204, 503]
    sessions.states["a"] = "away"  # its files go first
    assert bring(door, sessions, "c", "f", 90) == 204
    assert set(sessions.uploaded_file_mgr.file_storage) == {"b", "c"}


def test_files_that_arrive_at_once_count_before_they_are_there() -> None:
    door, _, _ = made(a="here")
    with door.arriving("a", "f", 60):
        assert (door.refuse("a", 60) or (0,))[0] == 413
    assert door.refuse("a", 60) is None
    assert (door.refuse("a", None) or (0,))[0] == 411


def test_what_a_page_has_read_makes_room_for_the_next_file_of_a_visit() -> None:
    door, sessions, clock = made(a="here")
    assert [bring(door, sessions, "a", f"f{n}", 40) for n in range(3)] == [204, 204, 413]
    sessions.values["a"] = [SimpleNamespace(file_id="f1")]
    clock.now += UNUSED_AFTER + 1
    assert bring(door, sessions, "a", "f2", 40) == 204
    assert set(sessions.uploaded_file_mgr.file_storage["a"]) == {"f1", "f2"}


def test_files_go_when_their_session_has_ended() -> None:
    door, sessions, _ = made(a="here", b="here")
    assert [bring(door, sessions, s, "f", 10) for s in "ab"] == [204, 204]
    sessions.states = {"b": "away"}
    door.let_go()
    assert set(sessions.uploaded_file_mgr.file_storage) == {"b"}


@pytest.mark.parametrize(
    ("proxies", "said", "seen"),
    [
        ((), "203.0.113.9", "testclient"),
        (("192.0.2.1",), "203.0.113.9", "192.0.2.9"),
        (("192.0.2.9",), "203.0.113.9", "203.0.113.9"),
        (("192.0.2.0/24",), "198.51.100.1, 203.0.113.9, 192.0.2.7", "203.0.113.9"),
    ],
)
def test_only_a_named_proxy_says_who_a_visitor_is(
    proxies: tuple[str, ...], said: str, seen: str
) -> None:
    async def who(request: Request) -> PlainTextResponse:
        assert request.client is not None
        return PlainTextResponse(request.client.host)

    app = Starlette(
        routes=[Route("/", who)], middleware=[Middleware(NamedProxies, proxies=lambda: proxies)]
    )
    peer = ("192.0.2.9", 5) if proxies else ("testclient", 50000)
    assert TestClient(app, client=peer).get("/", headers={"X-Forwarded-For": said}).text == seen


def test_a_proxy_that_is_no_address_is_a_mistake_of_the_settings() -> None:
    with pytest.raises(StudyError, match="names `proxy.local`, which is no address"):
        trusted_proxies({"EIC_LAB_TRUSTED_PROXIES": "127.0.0.1,proxy.local"})
