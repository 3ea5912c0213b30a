"""What a rater's browser may never receive, and a tap on all that it does receive."""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from playwright.sync_api import Page, Response

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
PICTURE = re.compile(r"data:image/png;base64,([\w+/=]+)")
"""A map, painted when its study was frozen."""
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


def without_pictures(text: str) -> str:
    """A text with what pictures hold beside their pixels in their place."""
    return PICTURE.sub(lambda found: f"(picture of {pieces_of(found[1])})", text)


def pieces_of(picture: str) -> str:
    """The names of a PNG's chunks, with the text of any that is no header, palette or pixels."""
    data = base64.b64decode(picture)
    at, pieces = 8, []
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        name, body = data[at + 4 : at + 8].decode("latin-1"), data[at + 8 : at + 8 + size]
        pixels = name in ("IHDR", "PLTE", "tRNS", "IDAT", "IEND")
        pieces.append(name if pixels else f"{name} {body.decode('latin-1')}")
        at += size + 12
    return " ".join(pieces)


@dataclass
class Wiretap:
    """Everything that passes between one page and the server, and what the page makes of it."""

    page: Page
    sockets: list[str] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    nodes: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("websocket", lambda socket: self.sockets.append(socket.url))
        self.page.on("response", lambda response: self.responses.append(response))

    def look(self, where: str) -> None:
        """Take down every node of the page as it is now."""
        nodes = without_pictures("\n".join(self.page.evaluate(DOM_TEXTS)))
        self.nodes.append((f"node at {where}", nodes))
        self.nodes.append((f"address at {where}", self.page.url))

    def texts(self) -> list[tuple[str, str]]:
        """All of it, with where it was; what the page sent, too."""
        texts = list(self.nodes)
        for response in self.responses:
            request = response.request
            place = f"{request.method} {response.url}"
            texts.append((f"address of {place}", response.url))
            texts.append((f"headers of {place}", json.dumps(response.all_headers())))
            texts.append((f"sent to {place}", json.dumps(request.all_headers())))
            texts.append((f"form sent to {place}", request.post_data or ""))
            if response.status not in (204, 303) and not response.url.startswith("data:"):
                texts.append((f"body of {place}", without_pictures(response.text())))
        return texts
