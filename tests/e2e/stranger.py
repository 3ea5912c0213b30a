"""Visitors without a browser: one speaks Streamlit's protocol, the other sends forms."""

from __future__ import annotations

import contextlib
import html
import http.client
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import ClientConnection, connect

PATIENCE = 600.0
INPUTS = (
    "button",
    "checkbox",
    "file_uploader",
    "multiselect",
    "number_input",
    "selectbox",
    "slider",
    "text_area",
    "text_input",
    "radio",
    "button_group",
    "download_button",
    "data_editor",
)


@dataclass
class Stranger:
    """A connection, the widgets of the page it shows, and the page's text."""

    socket: ClientConnection
    session: str = ""
    query: str = ""
    page: str = ""
    widgets: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    text: str = ""
    alone: set[str] = field(default_factory=set)

    def send(self, message: BackMsg) -> None:
        """A message as it is."""
        self.socket.send(message.SerializeToString())

    def run(self, *states: WidgetState, **more: Any) -> str:
        """Ask for a run with these widgets' values; the text of the whole page then."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_name = self.query, self.page
        rerun.widget_states.widgets.extend(states)
        for name, value in more.items():
            setattr(rerun, name, value)
        self.widgets, self.kinds = {}, {}
        self.send(message)
        texts: list[str] = []
        while True:
            answer = ForwardMsg.FromString(bytes(self.socket.recv(PATIENCE)))
            kind = answer.WhichOneof("type")
            if kind == "new_session":
                self.session = answer.new_session.initialize.session_id or self.session
            elif kind == "page_info_changed":
                self.query = answer.page_info_changed.query_string
            elif kind == "delta":
                texts.append(self._note(answer))
            elif kind == "script_finished":
                if answer.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    continue
                self.text = "\n".join(filter(None, texts))
                return self.text

    def _note(self, message: ForwardMsg) -> str:
        element = message.delta.new_element
        kind = element.WhichOneof("type")
        if kind in INPUTS:
            identity = getattr(element, kind).id
            self.widgets[identity.split("-", 2)[-1]] = identity
            self.kinds[identity] = kind
        if message.delta.fragment_id:
            self.alone.add(message.delta.fragment_id)
        if kind == "html":
            return str(element.html.body)
        if kind == "alert":
            return str(element.alert.body)
        return str(element.exception.message) if kind == "exception" else ""

    def widget(self, start: str) -> str:
        """The id of the widget whose key begins so."""
        return next(i for key, i in self.widgets.items() if key.startswith(start))

    def press(self, start: str, *states: WidgetState) -> str:
        """Press the button whose key begins so."""
        return self.run(*states, WidgetState(id=self.widget(start), trigger_value=True))


@contextlib.contextmanager
def stranger(address: str, page: str = "", query: str = "") -> Iterator[Stranger]:
    """Somebody who shows a page, and has run it once."""
    stream = f"ws://{urlsplit(address).netloc}/_stcore/stream"
    with connect(
        stream,
        subprotocols=["streamlit"],
        origin=address,
        max_size=None,  # type: ignore[arg-type]
        ping_interval=None,  # however long a busy machine is silent
    ) as socket:
        visitor = Stranger(socket, page=page, query=query)
        visitor.run()
        yield visitor


def ask(
    address: str, method: str, path: str, body: bytes | None = None, **headers: str
) -> http.client.HTTPResponse:
    """One request on a connection of its own; its body is read."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE)
    try:
        connection.request(
            method, path, body, {name.replace("_", "-"): text for name, text in headers.items()}
        )
        answer = connection.getresponse()
        answer.text = answer.read().decode("utf-8", "replace")  # type: ignore[attr-defined]
        return answer
    finally:
        connection.close()


FORM = "application/x-www-form-urlencoded"
LOOKED = "ms=1000;w=1280;seen=1;plot=1;by=keys"
"""What a browser reports of a ballot that was looked at for long enough."""


@dataclass
class PlainRater:
    """A rater whose browser is ours: every form is what the test says."""

    address: str
    token: str
    page: str = ""

    def look(self) -> str:
        """What is due, as a page."""
        self.page = self.get(f"/rate?t={self.token}")
        return self.page

    def get(self, path: str) -> str:
        """A page; the rater's own if it is a redirection."""
        answer = ask(self.address, "GET", path)
        if answer.status == 303:
            return self.get(answer.headers["location"])
        return str(answer.text)  # type: ignore[attr-defined]

    @property
    def ballot(self) -> str:
        """The token of the ballot on the page."""
        found = re.search(r'data-ballot="([^"]+)"', self.page)
        assert found is not None, self.page
        return found[1]

    def vote(self, choice: str = "left", **headers: str) -> http.client.HTTPResponse:
        """Send the form of the ballot on the page."""
        fields = {"t": self.token, "ballot": self.ballot, "choice": choice, "report": LOOKED}
        return send_form(self.address, "/rate/vote", fields, **headers)

    def press(self, choice: str = "left") -> str:
        """Vote, and go where the answer leads; the notice and the whole page there."""
        answer = self.vote(choice)
        assert answer.status == 303, answer.status
        self.page = self.get(answer.headers["location"])
        return self.page


def send_form(
    address: str, path: str, fields: dict[str, str] | bytes, **headers: str
) -> http.client.HTTPResponse:
    """A form, as the browser of somebody on this page sends it."""
    body = fields if isinstance(fields, bytes) else urlencode(fields).encode()
    return ask(address, "POST", path, body, **{"Content_Type": FORM, **headers})


def notice_of(page: str) -> str:
    """What a page of a rater says beside its content; "" if nothing."""
    found = re.search(r'id="notice"[^>]*>([^<]*)<', page)
    return html.unescape(found[1]).strip() if found else ""
