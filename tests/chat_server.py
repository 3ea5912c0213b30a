"""A real HTTP server that speaks the chat-completions protocol, well or badly, as a test wants.

    with chat_server(lambda body, number: Said('{"choice": "A", "reason": ""}')) as server:
        ...  # server.url, server.seen

Run alone it is a model to try things with: `python -m tests.chat_server --port 8765`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """What the server does about one request.

    `raw` stands for the whole body; `drop` closes the connection instead, or, where the answer
    comes in pieces, after the first of them.
    """

    text: str | None = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drop: bool = False
    raw: bytes | None = None
    refusal: str | None = None
    finish: str = "stop"
    usage: bool = True


Brain = Callable[[Body, int], Said]


@dataclass(frozen=True)
class Seen:
    """One request, every byte of it."""

    path: str
    headers: dict[str, str]
    content: bytes

    @property
    def body(self) -> Body:
        return json.loads(self.content)

    @property
    def user(self) -> str:
        return str(self.body["messages"][1]["content"])


@dataclass
class ChatServer:
    """A running server: its address, and what it was asked."""

    url: str
    brain: Brain
    seen: list[Seen] = field(default_factory=list)
    answered: list[Seen] = field(default_factory=list)
    together: int = 0
    most_together: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def choice(letter: str) -> Said:
    return Said(json.dumps({"choice": letter, "reason": "simpler"}))


def error(status: int, message: str, **headers: str) -> Said:
    raw = json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Said(status=status, raw=raw, headers=named)


def shorter(body: Body, number: int) -> Said:
    """A model with a taste for fewer characters, a liking for A, and moods."""
    del number
    said = str(body["messages"][1]["content"])
    a, b = (len(text) for text in re.findall(r"^Plain text: (.*)$", said, re.MULTILINE))
    mood = random.Random(f"{body.get('seed')} {body['model']}")
    keen = 0.35 if "small" in body["model"] else 0.8
    if mood.random() < 0.02:
        return Said("I'm sorry, but I cannot judge that.")
    return choice("A" if mood.gauss(keen * (b - a) / 4 + 0.4, 1) > 0 else "B")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chat: ChatServer

    def do_POST(self) -> None:
        chat = self.chat
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        seen = Seen(self.path, {k.lower(): v for k, v in self.headers.items()}, content)
        with chat.lock:
            chat.seen.append(seen)
            number = len(chat.seen)
            chat.together += 1
            chat.most_together = max(chat.most_together, chat.together)
        said = chat.brain(seen.body, number)
        time.sleep(said.delay)
        with chat.lock:  # before anybody has the answer, who may look here or ask again at once
            chat.together -= 1
            if said.status == 200 and said.raw is None and not said.drop:
                chat.answered.append(seen)
        try:
            self._say(seen, said)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _say(self, seen: Seen, said: Said) -> None:
        streamed = bool(seen.body.get("stream")) and said.raw is None and said.status == 200
        if said.drop and not streamed:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if streamed:
            self._stream(seen, said)
        else:
            raw = said.raw
            if raw is None:
                message = {"role": "assistant", "content": said.text, "refusal": said.refusal}
                raw = json.dumps(
                    {
                        **_frame(seen.body, "chat.completion"),
                        "choices": [{"index": 0, "message": message, "finish_reason": said.finish}],
                        **({"usage": usage(seen.body, said)} if said.usage else {}),
                    }
                ).encode()
            self.send_response(said.status)
            for name, value in {"content-type": "application/json", **said.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

    def _stream(self, seen: Seen, said: Said) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        text = said.text or ""
        frame = _frame(seen.body, "chat.completion.chunk")
        pieces = [text[i : i + 7] for i in range(0, len(text), 7)]
        for piece in pieces:
            chosen = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
            self._event({**frame, "choices": [chosen]})
            if said.drop:
                self.connection.shutdown(socket.SHUT_RDWR)
                return
        chosen = {"index": 0, "delta": {}, "finish_reason": said.finish}
        self._event({**frame, "choices": [chosen]})
        if said.usage and seen.body.get("stream_options", {}).get("include_usage"):
            self._event({**frame, "choices": [], "usage": usage(seen.body, said)})
        self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, value: Body) -> None:
        self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *values: object) -> None:
        del format, values


def _frame(body: Body, kind: str) -> Body:
    return {
        "id": "c1",
        "object": kind,
        "created": 1,
        "model": f"{body['model']}-2026-01-01",
        "system_fingerprint": "fp_1",
    }


def usage(body: Body, said: Said) -> Body:
    """A token for every third character, which is what digits and LaTeX cost."""
    asked = sum(len(message["content"]) for message in body["messages"]) // 3
    done = len(said.text or "") // 3
    return {"prompt_tokens": asked, "completion_tokens": done, "total_tokens": asked + done}


@contextmanager
def chat_server(brain: Brain = shorter, port: int = 0) -> Iterator[ChatServer]:
    """A server on this machine, until the block ends."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    chat = ChatServer(f"http://127.0.0.1:{server.server_address[1]}/v1", brain)
    handler.chat = chat  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield chat
    finally:
        server.shutdown()
        server.server_close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--delay", type=float, default=0.05)
    options = parser.parse_args()

    def slowly(body: Body, number: int) -> Said:
        time.sleep(options.delay)
        return shorter(body, number)

    with chat_server(slowly, options.port) as running:
        print(running.url, flush=True)
        threading.Event().wait()
