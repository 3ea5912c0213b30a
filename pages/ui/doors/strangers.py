"""Messages of a browser: what none of our pages sends is left out before anything runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.state.common import unpack_widget_state_value

LOG = logging.getLogger("eic_lab.doors")

# Without a page a stranger can ask Streamlit to empty its caches: that is none of these.
_KINDS = frozenset(
    (
        "rerun_script",
        "stop_script",
        "app_heartbeat",
        "file_urls_request",
        "backend_operation_request",
        "load_git_info",
    )
)
_OPERATIONS = frozenset(("deferred_file", "dataframe_chunk"))
_FILES = "file_uploader_state_value"
_NUMBERS = {"int_value", "double_value"}


class MessageDoor:
    """Stands before `Runtime.handle_backmsg`; `offers_field` is `UploadDoor.offers_field`."""

    def __init__(self, runtime: Runtime, offers_field: Callable[[str], bool]) -> None:
        self._runtime = runtime
        self._pass_on = runtime.handle_backmsg
        self._offers_field = offers_field

    def stand(self) -> None:
        """Let every message come through here from now on."""
        setattr(self._runtime, "handle_backmsg", self)  # noqa: B010

    def __call__(self, session_id: str, msg: BackMsg, **more: Any) -> None:
        """Pass a message on, without its wrong parts."""
        kind = msg.WhichOneof("type")
        if not self._lets_in(kind, session_id, msg):
            LOG.warning("a browser sent `%s`, which no page of ours does: left out", kind)
            return
        if kind == "load_git_info":
            return
        if kind == "rerun_script" and msg.rerun_script.widget_states.widgets:
            self._drop_wrong_values(session_id, msg.rerun_script.widget_states)
        self._pass_on(session_id, msg, **more)

    def _lets_in(self, kind: str | None, session_id: str, msg: BackMsg) -> bool:
        if kind == "file_urls_request":
            return self._offers_field(session_id)
        if kind == "backend_operation_request":
            operation = msg.backend_operation_request.WhichOneof("payload")
            return operation in _OPERATIONS
        return kind in _KINDS

    def _drop_wrong_values(self, session_id: str, states: WidgetStates) -> None:
        info = self._runtime._session_mgr.get_active_session_info(session_id)
        if info is None:
            return
        widgets = info.session.session_state._new_widget_state.widget_metadata
        fitting = [state for state in states.widgets if fits(state, widgets.get(state.id))]
        wrong = len(states.widgets) - len(fitting)
        if wrong:
            LOG.warning("%d values of a browser are not what its widgets hold: left out", wrong)
            del states.widgets[:]
            states.widgets.extend(fitting)


def fits(state: WidgetState, about: Any) -> bool:
    """Whether a value is one of its widget's; `about` is Streamlit's record of the widget."""
    if about is None:  # a widget that no page has: nobody reads it
        return True
    kind = state.WhichOneof("value")
    kinds = {kind, about.value_type} - {None}
    if len(kinds) > 1 and not kinds <= _NUMBERS:  # browsers send whole numbers as integers
        return False
    if kind == _FILES:  # says which files; those that are not there are none
        return True
    # A text in place of a number would fail deep in the framework.
    try:
        about.deserializer(unpack_widget_state_value(state))
    except Exception:  # whatever a widget's own reader makes of a stranger's value
        return False
    return True


class ReadableFrames:
    """ASGI middleware: a frame that is no message of Streamlit's ends its connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return

        async def receive_readable() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or _is_readable(message.get("bytes")):
                return message
            LOG.warning("a frame that is no message of ours: its connection is closed")
            await send({"type": "websocket.close", "code": 1002})
            return {"type": "websocket.disconnect", "code": 1002}

        await self._app(scope, receive_readable, send)


def _is_readable(frame: bytes | None) -> bool:
    if frame is None:  # a text frame
        return False
    try:
        BackMsg.FromString(frame)
    except Exception:  # protobuf's, or of its C library
        return False
    return True
