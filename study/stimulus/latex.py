r"""The LaTeX that `eic_core.formula.rendering.to_latex` writes, and has written, as a tree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from eic_core.formula.syntax.names import GREEK
from study.errors import StudyError

MAX_LETTERS = 8000
"""Of a formula's LaTeX."""
MAX_DEPTH = 80
"""Groups within one another."""


@dataclass(frozen=True)
class Word:
    """A name of one or more letters, spoken as one."""

    text: str
    kind: Literal["letter", "upright", "function", "text"]


@dataclass(frozen=True)
class Numeral:
    text: str


@dataclass(frozen=True)
class Sign:
    """An operator, a relation or a comma, as the one character that is shown."""

    text: str


@dataclass(frozen=True)
class Bracketed:
    opened: str
    body: Line
    closed: str


@dataclass(frozen=True)
class Fractional:
    over: Line
    under: Line


@dataclass(frozen=True)
class Radical:
    body: Line
    degree: Line  # Empty for a square root


@dataclass(frozen=True)
class Scripted:
    base: Line
    lowered: Line
    raised: Line


@dataclass(frozen=True)
class Cases:
    rows: tuple[tuple[Line, Line], ...]  # A value and when it holds


@dataclass(frozen=True)
class Marked:
    """What a node of the formula's tree has written, ``\\node{12}{...}``; drawn as its body is."""

    node: int
    body: Line


@dataclass(frozen=True)
class Stacked:
    """What stands in lines below a root or at one side of a fraction's bar, drawn already."""

    lines: tuple[tuple[float, str], ...]  # Each with the pixels that it is moved to the right


Part = (
    Word | Numeral | Sign | Bracketed | Fractional | Radical | Scripted | Cases | Marked | Stacked
)
Line = tuple[Part, ...]

_SIGNS = {
    **{sign: sign for sign in "+<>=,/()"},
    "-": "−",
    r"\cdot": "·",
    r"\times": "×",
    r"\le": "≤",
    r"\ge": "≥",
    r"\ne": "≠",
    r"\land": "∧",
    r"\lor": "∨",
    r"\lnot": "¬",
    r"\cdots": "⋯",
}
_FUNCTIONS = frozenset(
    rf"\{name}"
    for name in "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh"
    " ln log exp min max".split()
)
_LETTERS = {rf"\{name}": letter for letter, name in reversed(GREEK.items())} | {r"\pi": "π"}
_FENCES = {fence: fence for fence in "()[]|"} | {
    r"\lfloor": "⌊",
    r"\rfloor": "⌋",
    r"\lceil": "⌈",
    r"\rceil": "⌉",
}
_KINDS: dict[str, Literal["upright", "function", "text"]] = {
    "mathrm": "upright",
    "operatorname": "function",
    "text": "text",
}
_TOKEN = re.compile(
    r"\s*(?P<token>"
    r"\\(?P<kind>mathrm|operatorname|text)\{(?P<word>[^{}]*)\}"
    r"|\\(?P<side>left|right)\s*(?P<fence>\\[a-z]+|.)"
    r"|\\(?:begin|end)\{cases\}|\\[A-Za-z]+|\\\\|[0-9]+\.?[0-9]*|\.[0-9]+|\S)"
)


def parse(latex: str) -> Line:
    r"""The tree of a formula.

    >>> parse(r"\mathrm{income}^{2}")
    (Scripted(base=(Word(text='income', kind='upright'),),
              lowered=(), raised=(Numeral(text='2'),)),)
    >>> parse(r"\sin x")
    (Word(text='sin', kind='function'), Word(text='x', kind='letter'))
    """
    if len(latex) > MAX_LETTERS:
        raise refusal(latex, "is too long to be drawn")
    return _Parser(latex).whole()


def refusal(
    latex: str, problem: str, hint: str = "leave this pair out, or simplify the formula"
) -> StudyError:
    """What is said of a formula that no ballot can show."""
    beginning = latex if len(latex) <= 60 else latex[:60].rstrip() + "…"
    return StudyError(f"the formula `{beginning}` {problem}", hint=hint)


class _Parser:
    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.tokens = list(_TOKEN.finditer(latex))
        self.place = self.depth = 0

    def whole(self) -> Line:
        line = self.line()
        if self.next:
            raise self.unreadable()
        return line

    @property
    def next(self) -> str:
        return self.tokens[self.place]["token"] if self.place < len(self.tokens) else ""

    def take(self, *expected: str) -> re.Match[str]:
        if not self.next or (expected and self.next not in expected):
            raise self.unreadable()
        self.place += 1
        return self.tokens[self.place - 1]

    def unreadable(self) -> StudyError:
        problem = f"has `{self.next}`, which cannot be drawn" if self.next else "ends too early"
        return refusal(self.latex, problem)

    def line(self, *ends: str) -> Line:
        """Parts up to what ends them, which stays."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise refusal(self.latex, "nests too deeply to be drawn")
        parts: list[Part] = []
        while self.next and self.next not in ends and not self.next.startswith(r"\right"):
            group = self.group() if self.next == "{" else (self.part(),)
            scripts = self.scripts()
            parts += [_scripted(group, *scripts)] if any(scripts) else group
        self.depth -= 1
        return tuple(parts)

    def group(self) -> Line:
        self.take("{")
        line = self.line("}")
        self.take("}")
        return line

    def scripts(self) -> tuple[Line, Line]:
        scripts: dict[str, Line] = {}
        while self.next in ("_", "^") and self.next not in scripts:
            mark = self.take()["token"]
            scripts[mark] = self.group()
        return scripts.get("_", ()), scripts.get("^", ())

    def part(self) -> Part:
        match = self.take()
        token = match["token"]
        if match["kind"]:
            return Word(_plain(match["word"]), _KINDS[match["kind"]])
        if match["side"] == "left" and match["fence"] in _FENCES:
            return self.bracketed(match["fence"])
        if token in _SIGNS:
            return Sign(_SIGNS[token])
        if token in _FUNCTIONS:
            return Word(token[1:], "function")
        if token in _LETTERS:
            letter = _LETTERS[token]
            return Word(letter, "letter" if letter.islower() else "upright")
        if token[0] in "0123456789.":
            return Numeral(token)
        if token.isalpha() and len(token) == 1:
            return Word(token, "letter")
        if token == r"\node":
            return self.marked()
        if token == r"\frac":
            return Fractional(self.group(), self.group())
        if token == r"\sqrt":
            return self.radical()
        if token == r"\begin{cases}":
            return self.cases()
        self.place -= 1
        raise self.unreadable()

    def marked(self) -> Marked:
        self.take("{")
        node = self.take()["token"]
        self.take("}")
        if not node.isdecimal():
            raise self.unreadable()
        self.depth -= 1  # A mark adds no depth to what is drawn
        body = self.group()
        self.depth += 1
        return Marked(int(node), body)

    def bracketed(self, opened: str) -> Bracketed:
        body = self.line()
        match = self.take()
        if match["side"] != "right" or match["fence"] not in _FENCES:
            raise self.unreadable()
        return Bracketed(_FENCES[opened], body, _FENCES[match["fence"]])

    def radical(self) -> Radical:
        degree: Line = ()
        if self.next == "[":
            self.take("[")
            degree = self.line("]")
            self.take("]")
        return Radical(self.group(), degree)

    def cases(self) -> Cases:
        rows: list[tuple[Line, Line]] = []
        while not rows or self.next == r"\\":
            if rows:
                self.take(r"\\")
            value = self.line("&")
            self.take("&")
            rows.append((value, self.line(r"\\", r"\end{cases}")))
        self.take(r"\end{cases}")
        return Cases(tuple(rows))


def _scripted(base: Line, lowered: Line, raised: Line) -> Scripted:
    """A script of a marked name goes beside the name's own, as it does without the mark."""
    match base:
        case (Marked(node, (Scripted(stem, below, above),)),) if not (
            (below and lowered) or (above and raised)
        ):
            return Scripted(
                (Marked(node, stem),),
                lowered or _marked(node, below),
                raised or _marked(node, above),
            )
    return Scripted(base, lowered, raised)


def _marked(node: int, line: Line) -> Line:
    return (Marked(node, line),) if line else ()


def _plain(word: str) -> str:
    return re.sub(r"\\([_#$%&])", r"\1", word).replace("~", " ")
