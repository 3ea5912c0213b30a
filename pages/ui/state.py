"""The state of the inspector, and its form in the URL.

One frozen `PageState` is the truth of a visit.  Widgets follow it; their
callbacks make a new one.  The URL carries it, so that reload, bookmark, share
and the browser's back button restore it.  What cannot be read in a URL is left
out, never an error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from eic_core.errors import DataError
from eic_core.explain.budget import TOLERANCE
from eic_core.samples import Domain

MAX_SAMPLES = 1_000_000
DEFAULT_SAMPLES = 1_000
MAX_SEED = 2**31 - 1
MAX_URL = 6_000
"""Longest query that is put in the URL, in encoded characters."""
ASKED_FIRST = "where"
ASKS = (ASKED_FIRST, "noise", "rows", "writing", "instead", "truth", "digits")
"""The questions that the inspector answers, as the URL names them."""
_MAX_ITEMS = 200
_MAX_NAME = 200

Query = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class PageState:
    """What the inspector shows.

    Attributes
    ----------
    formula : str
        The text as typed; "" shows the empty page.
    syntax : str
        A notation, or "auto".
    domains : tuple of (name, Domain)
        How variables are sampled; those not named take the default range.
    samples, seed : int
    node : int or None
        The selected node; None means the bottleneck.
    base : int or None
        What the first indexed variable counts from, if the user said so.
    upload, upload_name : str
        Digest and name of the table, or "".
    mapping : tuple of (variable, column)
        Only what the user chose; the rest is matched.
    target : str or None
        Column to compare with; "" for none, None for the default.
    ask : str
        The question that is answered, one of `ASKS`.
    tolerance : float
        How far the output may move in the digit budget, above 0 and at most 1.

    Examples
    --------
    >>> state = PageState("sin(x)", domains=(("x", Domain("uniform", 0.0, 1.0)),), node=1)
    >>> state.to_query()
    {'formula': ['sin(x)'], 'range': ['x=0.0:1.0'], 'node': ['1']}
    >>> PageState.from_query(state.to_query()) == state
    True
    """

    formula: str = ""
    syntax: str = "auto"
    domains: tuple[tuple[str, Domain], ...] = ()
    samples: int = DEFAULT_SAMPLES
    seed: int = 0
    node: int | None = None
    base: int | None = None
    upload: str = ""
    upload_name: str = ""
    mapping: tuple[tuple[str, str], ...] = ()
    target: str | None = None
    ask: str = ASKED_FIRST
    tolerance: float = TOLERANCE

    def to_query(self) -> dict[str, list[str]]:
        """The query parameters that restore this state, defaults left out.

        If they would exceed `MAX_URL`, the formula and then the rest is left
        out; see `fits_url`.
        """
        query: dict[str, list[str]] = {"formula": [self.formula]}
        if self.syntax != "auto":
            query["syntax"] = [self.syntax]
        if self.domains:
            query["range"] = [f"{name}={domain}" for name, domain in self.domains]
        if self.samples != DEFAULT_SAMPLES:
            query["samples"] = [str(self.samples)]
        if self.seed:
            query["seed"] = [str(self.seed)]
        if self.upload:
            query["data"] = [self.upload]
            query["file"] = [self.upload_name]
        if self.base is not None:
            query["base"] = [str(self.base)]
        if self.mapping:
            query["map"] = [f"{variable}={column}" for variable, column in self.mapping]
        if self.target is not None:
            query["target"] = [self.target]
        if self.node is not None:
            query["node"] = [str(self.node)]
        if self.ask != ASKED_FIRST:
            query["ask"] = [self.ask]
        if self.tolerance != TOLERANCE:
            query["tolerance"] = [repr(self.tolerance)]
        for key in ("formula", "map", "range", "target", "file"):
            if encoded_length(query) <= MAX_URL:
                break
            query.pop(key, None)
        return query

    @property
    def fits_url(self) -> bool:
        """Whether the URL carries all of it."""
        return "formula" in self.to_query()

    @classmethod
    def from_query(cls, query: Query) -> PageState:
        """Read query parameters; whatever is wrong with one is ignored."""

        def one(key: str) -> str | None:
            values = query.get(key)
            return values[-1] if values else None

        upload = (one("data") or "").lower()
        if not (len(upload) == 12 and all(c in "0123456789abcdef" for c in upload)):
            upload = ""
        syntax, ask = one("syntax") or "auto", one("ask")
        return cls(
            formula=one("formula") or "",
            syntax=syntax if syntax.isidentifier() and len(syntax) < 30 else "auto",
            domains=_domains(query.get("range", ())),
            samples=_integer(one("samples"), 1, MAX_SAMPLES, DEFAULT_SAMPLES),
            seed=_integer(one("seed"), 0, MAX_SEED, 0),
            node=_optional_integer(one("node"), 0, 100_000),
            base=_optional_integer(one("base"), 0, 1),
            upload=upload,
            upload_name=(one("file") or "")[:_MAX_NAME] if upload else "",
            mapping=_pairs(query.get("map", ())),
            target=one("target"),
            ask=ask if ask in ASKS else ASKED_FIRST,
            tolerance=_share(one("tolerance"), TOLERANCE),
        )


def encoded_length(query: Query) -> int:
    """Length of the query as the address bar has it."""
    return len(urlencode(query, doseq=True))


def _integer(text: str | None, low: int, high: int, default: int) -> int:
    value = _optional_integer(text, low, high)
    return default if value is None else value


def _optional_integer(text: str | None, low: int, high: int) -> int | None:
    if text is None or len(text) > 12 or not text.isascii() or not text.isdecimal():
        return None
    return min(max(int(text), low), high)


def _share(text: str | None, default: float) -> float:
    """A number above 0 and at most 1."""
    try:
        value = float((text or "")[:40])
    except ValueError:
        return default
    return value if 0 < value <= 1 else default


def _domains(texts: Iterable[str]) -> tuple[tuple[str, Domain], ...]:
    domains: dict[str, Domain] = {}
    for text in list(texts)[:_MAX_ITEMS]:
        try:
            name, domain = Domain.parse(text)
        except (DataError, OverflowError):
            continue
        domains[name[:_MAX_NAME]] = domain
    return tuple(domains.items())


def _pairs(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    pairs: dict[str, str] = {}
    for text in list(texts)[:_MAX_ITEMS]:
        name, equals, column = text.partition("=")
        if name and equals and column:
            pairs[name[:_MAX_NAME]] = column
    return tuple(pairs.items())
