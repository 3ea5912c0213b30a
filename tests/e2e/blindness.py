"""What a rater's browser may never receive, and a tap on all that it does receive."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from google.protobuf.json_format import MessageToDict
from playwright.sync_api import Page, Response, WebSocket
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.e2e.browser import ROOT

WORDS = (
    re.compile(r"(?<![a-z0-9])eic(?![a-z0-9])", re.IGNORECASE),
    re.compile(r"(?:[a-z]E|_e|-e|\bE)ic(?![a-z])"),  # meanEic
    re.compile(r"(?<![a-z])(?:lower|higher)(?!case)", re.IGNORECASE),
    re.compile(r"Lower(?!case)|Higher"),
    re.compile(r"effective information", re.IGNORECASE),
    re.compile(
        r"bottleneck|amplif(?:y|ication)_|noise_figure|pool_|pair_id|gplearn|operon", re.IGNORECASE
    ),
)
"""Words and keys of what is hidden; the methods of the demo's pool among them."""
TRACES = (
    "eic",
    "lower",
    "higher",
    "effective",
    "bottleneck",
    "amplif",
    "noise_",
    "pool_",
    "pair_id",
    "gplearn",
    "operon",
)
"""One of them, in small letters, is in whatever a pattern of `WORDS` finds."""
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]\d+)?(?![\w.])", re.IGNORECASE)
"""As programs write them; 6101e007 is a piece of a UUID, of which one in 10^5 looks like an EIC."""
PICTURE = re.compile(r"data:image/png;base64,[\w+/=]+")
"""What Plotly paints of a map in the browser; the numbers it is painted from are read as sent."""
DOM_TEXTS = """() => {
  const shape = new Set(['d', 'transform', 'style', 'x', 'y', 'x1', 'x2', 'y1', 'y2', 'cx', 'cy',
    'r', 'width', 'height', 'viewBox', 'points', 'dx', 'dy', 'clip-path', 'preserveAspectRatio']);
  const found = [];
  const walk = node => {
    if (node.nodeType === 3) found.push(node.textContent);
    if (node.nodeType !== 1 || ['SCRIPT', 'STYLE', 'LINK'].includes(node.tagName)) return;
    for (const a of node.attributes) if (!shape.has(a.name)) found.push(`${a.name}=${a.value}`);
    node.childNodes.forEach(walk);
  };
  walk(document.documentElement);
  return found;
}"""


@dataclass(frozen=True)
class Secrets:
    """What is hidden of one study.

    Attributes
    ----------
    words : tuple of str
        Names that may appear nowhere, such as methods.
    integers : frozenset of int
        Pool rows.
    values : frozenset of float
        EICs that no number of a ballot comes near: agreeing to 4 significant digits is a leak.
    exact : frozenset of float
        EICs that the data, curves and constants of a ballot (6 digits at most) may agree with by
        chance: agreeing to 7 digits is a leak.
    drawn : tuple of str
        Tokens of links and ballots, drawn by lot: left out, for one in 60,000 holds a word.
    """

    words: tuple[str, ...] = ()
    integers: frozenset[int] = frozenset()
    values: frozenset[float] = frozenset()
    exact: frozenset[float] = frozenset()
    drawn: tuple[str, ...] = ()


def leaks(texts: Iterable[tuple[str, str]], secrets: Secrets) -> list[str]:
    """Where something hidden was found: place, what, and its surroundings."""
    four = {f"{value:.3e}" for value in secrets.values}
    seven = {f"{value:.6e}" for value in secrets.exact}
    found: list[str] = []
    for place, text in texts:
        plain = text
        for known in (str(ROOT), *secrets.drawn):
            plain = plain.replace(known, "")
        small = plain.lower()
        for pattern in WORDS if any(trace in small for trace in TRACES) else ():
            found += [_said(place, plain, m.start(), m[0]) for m in pattern.finditer(plain)]
        for word in secrets.words:
            at = small.find(word.lower())
            if at >= 0:
                found.append(_said(place, plain, at, word))
        telling = {n for n in set(NUMBER.findall(plain)) if _tells(n, secrets, four, seven)}
        for match in NUMBER.finditer(plain) if telling else ():
            if match[0] in telling:
                found.append(_said(place, plain, match.start(), match[0]))
    return found


def _tells(token: str, secrets: Secrets, four: Collection[str], seven: Collection[str]) -> bool:
    value = abs(float(token))
    if value in secrets.integers:
        return True
    near, same = f"{value:.3e}" in four, f"{value:.6e}" in seven
    if not near and not same:
        return False
    digits = len(re.sub(r"e.*|\D", "", token, flags=re.IGNORECASE).lstrip("0"))
    return (digits >= 4 and near) or (digits >= 7 and same)


def _said(place: str, text: str, at: int, what: str) -> str:
    return f"{place}: {what!r} in …{text[max(0, at - 60) : at + 60]!r}…"


def texts_of_frame(payload: str | bytes, *, sent: bool) -> list[str]:
    """A websocket frame as it is, and as Streamlit reads it: keys, texts and numbers."""
    if isinstance(payload, str):
        return [payload]
    message = BackMsg() if sent else ForwardMsg()
    message.ParseFromString(payload)
    plain = json.dumps(MessageToDict(message, preserving_proto_field_name=True))
    assert '"bdata"' not in plain and "bdata\\\\" not in plain, "a packed array hides its numbers"
    return [payload.decode("utf-8", "ignore"), plain]


@dataclass
class Wiretap:
    """Everything that passes between one page and the server, and what the page makes of it."""

    page: Page
    frames: list[tuple[bool, str | bytes]] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    nodes: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("websocket", self._listen)
        self.page.on("response", lambda response: self.responses.append(response))

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: self.frames.append((False, payload)))
        socket.on("framesent", lambda payload: self.frames.append((True, payload)))

    def look(self, where: str) -> None:
        """Take down every node of the page as it is now."""
        found = PICTURE.sub("(picture)", "\n".join(self.page.evaluate(DOM_TEXTS)))
        self.nodes.append((f"node at {where}", found))
        self.nodes.append((f"address at {where}", self.page.url))

    def texts(self) -> list[tuple[str, str]]:
        """All of it, with where it was found; the application's own bundles are left out."""
        found = list(self.nodes)
        for number, (sent, payload) in enumerate(self.frames):
            way = "sent" if sent else "received"
            for text in texts_of_frame(payload, sent=sent):
                found.append((f"frame {number} {way}", text))
        for response in self.responses:
            if "/static/" in response.url:
                continue
            found.append(("address", response.url))
            found.append((f"headers of {response.url}", json.dumps(response.all_headers())))
            if response.status < 300 and response.status != 204:
                found.append((f"body of {response.url}", response.text()))
        return found
