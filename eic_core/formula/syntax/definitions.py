"""Functions that stand beside a formula: ``gaussian(x) = exp(-x^2)`` on a line of its own, PySR's
``unary_operators=[…]`` and ``extra_sympy_mappings={…}``. Each call is replaced by what it stands
for; readers of programs and of FPCore replace theirs by the same function, `inlined`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from eic_core.formula.syntax.build import FUNCTIONS, Function, Span, parts_of, put_in, slots_in
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import MAX_NODES, Refusal, Report
from eic_core.formula.tree import Draft


def inlined(
    name: str,
    count: int,
    body: Draft,
    slots: Mapping[int, int],
    on_use: Callable[[], None] = lambda: None,
) -> Function:
    """A function of `count` arguments whose call becomes its body; `slots` has the place of the
    argument that each leaf of a parameter stands for, by the identity of the leaf. A call that
    makes the formula too large is refused.
    """

    def build(args: list[Draft], span: Span) -> Draft:
        draft = put_in(body, {leaf: args[place] for leaf, place in slots.items()}, span)
        if size_of(draft) > MAX_NODES:
            raise Refusal(f"the formula has more than {MAX_NODES:,} nodes", "write it out")
        on_use()
        return draft

    return Function(name, count, count, build)


def size_of(root: Draft) -> int:
    """How many nodes a tree has whose parts may be shared."""
    sizes: dict[int, int] = {}
    for draft in parts_of(root):
        sizes[id(draft)] = 1 + sum([sizes[id(child)] for child in draft.children])
    return sizes[id(root)]


class Definition(NamedTuple):
    name: str
    parameters: tuple[str, ...]
    # start, end: the place of what it stands for
    start: int
    end: int


class Beside(NamedTuple):
    """A formula, at [start, end), and the functions that its text defines."""

    definitions: tuple[Definition, ...]
    start: int
    end: int


_PARAMETER = r"[^\W\d]\w*(?:::[\w{}]+)?"
_HEAD = re.compile(
    rf"(?:\\(?:mathrm|operatorname|text)\s?\{{(?P<font>\w+)\}}|(?P<name>[^\W\d]\w*))\s*+(?:\\left)?\("
    rf"\s*+(?P<parameters>{_PARAMETER}(?:\s*,\s*{_PARAMETER})*)\s*+(?:\\right)?\)"
    r"(?:\s*+where\s*+\{?\w+(?:\s*<:\s*\w+)?\}?)?\s*+:?=(?!=)\s*+"
)
_LAMBDA = re.compile(
    rf"[\"'](?P<name>\w+)[\"']\s*+:\s*+lambda\s+(?P<parameters>{_PARAMETER}(?:\s*,\s*{_PARAMETER})*)\s*+:\s*+"
)
_CASES = re.compile(r"\\begin\s*+\{(?:\w?cases|array)|\\cases\b")
"""What holds ends of lines that end no statement."""
_WHERE = (
    r"(?:\\(?:text|mbox|textrm)\s?\{\s*)?\b(?:where|with)\b(?!\s*+(?:\(|\{?\w++\}?\s*+=))(?:\s*\})?"
)
_STATEMENT_END = re.compile(
    rf"[ \t]*+(?:\n|;|\\\\(?![A-Za-z])|,?[ \t]*+\\q?quad(?![A-Za-z])|,?[ \t]*+{_WHERE})\s*+"
)
_OPTIONS = re.compile(
    r"(?:(?:\w+\s*=\s*)?(?:pysr\.)?PySRRegressor\s*\(|(?:unary|binary)_operators\s*=\s*\["
    r"|extra_sympy_mappings\s*=\s*\{)"
)
"""Where PySR is told which operators to use."""
_QUOTED = re.compile(r"[\"']([^\"'\n]*)[\"']")
_MOST = 50
"""Most statements in which functions are looked for."""


def beside(text: str, start: int, end: int) -> Beside | None:
    """The functions that a text defines beside the one formula that uses them, None if it defines
    none that another part calls.

    >>> found = beside("sq(x) = x^2; y = sq(a) + 1", 0, 26)
    >>> found.definitions[0][:2], "sq(x) = x^2; y = sq(a) + 1"[found.start : found.end]
    (('sq', ('x',)), 'y = sq(a) + 1')
    >>> beside("f(x) = x^2", 0, 10), beside("f(x) = x^2; g(x) = x^3", 0, 22)
    (None, None)
    """
    if "(" not in text or "=" not in text or _CASES.search(text):
        return None
    given, statements = _of_options(text, start, end)
    parts = [part for low, high in statements for part in _statements(text, low, high)]
    if len(parts) > _MOST:
        return None
    written = [_definition(text, *part) for part in parts]
    rest: list[Span] = []
    for place, (part, definition) in enumerate(zip(parts, written, strict=True)):
        others = [text[slice(*other)] for i, other in enumerate(parts) if i != place]
        others += [text[one.start : one.end] for one in given]
        if definition is None or not any(_calls(other, definition.name) for other in others):
            rest.append(part)
        else:
            given.append(definition)
    if not given or len(rest) > 1:
        return None
    if not rest:  # each is used by another
        return Beside(tuple(given), *parts[-1]) if parts else None
    if not any(_calls(text[slice(*rest[0])], one.name) for one in given):
        return None
    return Beside(tuple(given), *rest[0])


def _calls(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){name}\}}?\s*+(?:\\left)?\(", text) is not None


def _statements(text: str, start: int, end: int) -> list[Span]:
    """The places between line ends, semicolons and wide blanks that hold anything."""
    found, place = [], start
    for match in [*_STATEMENT_END.finditer(text, start, end), None]:
        low, high = place, match.start() if match is not None else end
        if text[low:high].strip(" \t\n,$"):
            found.append((low, high))
        place = match.end() if match is not None else end
    return found


def _definition(text: str, start: int, end: int) -> Definition | None:
    while start < end and text[start] in " \t$&":
        start += 1
    match = _HEAD.match(text, start, end)
    if match is None:
        return None
    return _defined(match, match["font"] or match["name"], match.end(), end)


def _defined(match: re.Match[str], name: str, start: int, end: int) -> Definition:
    parameters = [part.partition("::")[0].strip() for part in match["parameters"].split(",")]
    return Definition(name, tuple(parameters), start, end)


def _of_options(text: str, start: int, end: int) -> tuple[list[Definition], list[Span]]:
    """What PySR's options define, and what of the text stands beside them."""
    definitions: list[Definition] = []
    others: list[Span] = []
    place = start
    while "PySR" in text or "operators" in text or "mappings" in text:
        match = _OPTIONS.search(text, place, end)
        if match is None:
            break
        stop = _leaves(text, match.end(), end)
        for quoted in _QUOTED.finditer(text, match.end(), stop):
            one = _definition(text, *quoted.span(1))
            definitions += [one] if one is not None else []
        for head in _LAMBDA.finditer(text, match.end(), stop):
            last = _leaves(text, head.end(), stop, ",")
            definitions.append(_defined(head, head["name"], head.end(), last))
        others.append((place, match.start()))
        place = stop + 1
        while place < end and text[place] in " \t,;":
            place += 1
    return definitions, [*others, (place, end)]


def _leaves(text: str, start: int, end: int, marks: str = "") -> int:
    """The first place from `start` on, outside quotes and brackets, of a closing bracket or one of
    `marks`.
    """
    depth, place = 0, start
    while place < end:
        mark = text[place]
        if mark in "\"'" and (closed := text.find(mark, place + 1, end)) >= 0:
            place = closed
        elif mark in "([{":
            depth += 1
        elif mark in ")]}" or (not depth and mark in marks):
            if not depth:
                return place
            depth -= 1
        place += 1
    return end


ReadBody = Callable[[Report, Names, int, int], Draft]
"""Reads what a definition says at [start, end)."""


_OF_JULIA = re.compile(
    r"(?<=[0-9.])f0\b|\b[A-Z]\w*(?=\([^()]*\))|\b(?:zero|one)\(\w+\)|\bconvert\(\w+,"
)
"""Marks of a number's type: ``0f0``, ``T(NaN)``, ``zero(T)``."""


def _plain_number(match: re.Match[str]) -> str:
    """A number of any type, or blanks for the mark of the type."""
    plain = {"z": "0", "o": "1", "c": "("}.get(match[0][0], "")
    return plain.ljust(len(match[0]))


def define(report: Report, names: Names, given: Sequence[Definition], read_body: ReadBody) -> None:
    """Let the names of definitions mean what these say, whatever else they could mean. Raises
    `FormulaError` if one needs itself.
    """
    waiting = {one.name: one for one in reversed(given)}
    while waiting:
        bodies = {name: report.text[one.start : one.end] for name, one in waiting.items()}
        ready = [
            name
            for name, body in bodies.items()
            if not any(_calls(body, other) for other in bodies)
        ]
        if not ready:
            name, one = next(iter(waiting.items()))
            report.fail(
                f"`{name[:40]}` is defined by itself",
                one.start,
                one.end,
                "write out what it is, without calling it",
            )
        for name in ready:
            names.defined[name] = _function(report, names, waiting.pop(name), read_body)


def _function(report: Report, names: Names, one: Definition, read_body: ReadBody) -> Function:
    inside = names.with_arguments(one.parameters)
    own = Report(report.text)  # whose view shows the whole text
    if "::" in report.text or "f0" in report.text:  # Julia's types
        own.view = _OF_JULIA.sub(_plain_number, report.text)
    body = read_body(own, inside, one.start, one.end)
    report.notes |= own.notes
    report.alternatives |= own.alternatives
    names.special |= inside.special
    slots = {inside.leaf(name, (0, 0)).label: place for place, name in enumerate(one.parameters)}
    written = report.text[one.start : one.end].strip(" \t\n,$")[:60]
    told = f"`{one.name}({', '.join(one.parameters)})` is read as `{written}`"
    if one.name.lower() in FUNCTIONS:
        told += ", as the text defines it, not as the function of that name"

    def on_use() -> None:
        report.note(told, (one.start, one.end))

    return inlined(one.name, len(one.parameters), body, slots_in(body, slots), on_use)


_NAMED_VALUE = re.compile(
    r"[\s$]*+(?P<name>\\?[^\W\d_]\w*)\s*+(?:\\left)?\((?P<inside>[^()+*/^=-]{1,200})(?:\\right)?\)"
    r"[\s$.\\\]]*+\Z"
)
_NAMES = re.compile(
    r"\s*+\\?[^\W\d]\w*(?:_?\{\w+\})?(?:\s*+,\s*+\\?[^\W\d]\w*(?:_?\{\w+\})?)*+\s*+\\?\Z"
)


def refuse_named_value(report: Report, names: Names, start: int, end: int) -> None:
    """Raise for ``y = F(x)``, whose right side names the value again and does not say what it is.
    ``y = k(x + 1)`` is a product, and so is ``y = k(x)`` where k is a given name.
    """
    if not report.view[:start].rstrip(" \t\n&$").endswith(("=", "~")):
        return
    match = _NAMED_VALUE.match(report.view, start, end)
    inside = match["inside"].removesuffix("\\right") if match is not None else ""
    if match is None or not _NAMES.match(inside):
        return
    name = match["name"].removeprefix("\\")
    if names.is_column(name) or name in names.defined:
        return
    try:
        if names.function(name) is not None:
            return
    except Refusal:
        return
    low, high = match.span("name")[0], len(report.view[: match.end()].rstrip(" \n$.\\]"))
    shown = report.text[low:high]
    sign = " \\cdot " if "\\" in report.text else "*"
    product = f"{report.text[: match.end('name')]}{sign}{report.text[match.end('name') :]}"
    report.fail(
        f"`{shown[:40]}` names the value: it does not say what it is",
        low,
        high,
        f"give what `{shown[:40]}` is",
        choices=() if "," in inside else (("a product", product),),
    )
