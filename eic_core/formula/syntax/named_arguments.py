"""Arguments that are given by name: ``clip(x, a_max=1, a_min=0)``, ``log(base=2, x)``. They go to
the places that the function's row names; other names are refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from eic_core.formula.syntax.build import NOTHING, Function, logarithm
from eic_core.formula.syntax.conditions import ASKING
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Refusal, Report
from eic_core.formula.syntax.tokens import (
    BAD,
    CALL,
    CLOSE,
    COMMA,
    LEAF,
    NAME,
    OPEN,
    TokenRow,
)
from eic_core.formula.tree import constant

Range = tuple[int, int]


@dataclass
class _Open:
    """A bracket that is open: where its arguments begin, and their names."""

    place: int
    arguments: list[tuple[str, int, int]] = field(default_factory=list)
    begins: int = 0
    name: str = ""


def with_named_arguments(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with each argument in its place; the same list if none is given by name. Raises
    `FormulaError` if an argument does not exist, stands twice or lacks one before it.
    """
    calls: dict[int, tuple[int, Function, list[Range | None]]] = {}
    opened: list[_Open] = []
    named: set[int] = set()  # brackets with an argument given by name, or left out by `None`
    for place, (kind, text, *_) in enumerate(tokens):
        if kind in (OPEN, CALL):
            opened.append(_Open(place, begins=place + 1))
        elif not opened:
            continue
        elif kind in (COMMA, CLOSE):
            last = opened[-1]
            if place > last.begins:
                last.arguments.append((last.name, last.begins, place))
            last.begins, last.name = place + 1, ""
            if kind == CLOSE:
                opened.pop()
                if last.place in named:
                    call = _settled(report, names, tokens, last)
                    if call is not None:
                        calls[last.place] = (place, *call)
        elif place == opened[-1].begins and kind == NAME:
            if tokens[place + 1][:2] == (BAD, "="):
                if not _compares(names, tokens, opened, text):
                    opened[-1].name = text
                    opened[-1].begins = place + 2
                    named.add(opened[-1].place)
            elif text == "None" and tokens[place + 1][0] in (COMMA, CLOSE):
                named.add(opened[-1].place)
    return _rearranged(tokens, calls) if calls else tokens


def without_evaluate(tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens without SymPy's ``, evaluate=False``, which says nothing of a value."""
    kept: list[TokenRow] = []
    place = 0
    while place < len(tokens):
        part = [row[1] for row in tokens[place : place + 4]]
        if part[:3] == [",", "evaluate", "="] and part[3:] in (["False"], ["True"]):
            place += 4
            continue
        kept.append(tokens[place])
        place += 1
    return kept


def _compares(names: Names, tokens: list[TokenRow], opened: list[_Open], name: str) -> bool:
    """Whether an equals sign behind a name compares, as in ``if(x = 1, a, b)``."""
    head = tokens[opened[-1].place]
    function = _function(names, head)
    if function is not None and head[0] == CALL and function.place_of(name) >= 0:
        return names.is_known(name) and function.name in ASKING
    heads = [_function(names, tokens[each.place]) for each in opened]
    return (
        head[0] == OPEN
        or function is None
        or any(each is not None and each.name in ASKING for each in heads)
    )


def _function(names: Names, token: TokenRow) -> Function | None:
    if token[0] != CALL:
        return None
    try:
        return names.function(token[1])
    except Refusal:
        return None


def _settled(
    report: Report, names: Names, tokens: list[TokenRow], opened: _Open
) -> tuple[Function, list[Range | None]] | None:
    """The function of a call and its arguments in order, None for one that is left out."""
    _, text, start, end, _ = tokens[opened.place]
    function = _function(names, tokens[opened.place])
    if function is None:
        return None
    places: dict[int, Range] = {}
    if opened.place and tokens[opened.place - 1][:2] == (BAD, "."):
        places[0] = (opened.place, opened.place)  # a method's object is its first argument
    for name, low, high in opened.arguments:
        if not name:
            continue
        place = function.place_of(name)
        span = (tokens[low - 2][2], tokens[high - 1][3])
        if place < 0:
            report.fail(
                f"`{text}` has no argument `{name}` here",
                *span,
                "leave it out, or give the arguments in order without names",
            )
        if place in places:
            report.fail(f"`{text}` is given its argument `{name}` twice", *span, "give it once")
        places[place] = (low, high)
    for name, low, high in opened.arguments:
        if not name:
            free = next(place for place in range(len(places) + 1) if place not in places)
            places[free] = (low, high)
    count = max(places, default=-1) + 1
    found: list[Range | None] = []
    for place in range(max(count, function.high if function.fills else count)):
        given = places.get(place)
        if given is not None and function.fills and tokens[given[0]][1] == "None":
            given = None
        if given is None and not (function.fills and place):
            lacking = function.parameters[place].split()[0]
            report.fail(f"`{text}` lacks its argument `{lacking}`", start, end, "give it, too")
        found.append(given)
    if function.build is logarithm and len(found) > 1:  # its base is told by its name
        function = function._replace(build=partial(logarithm))
    return function, found


def _rearranged(
    tokens: list[TokenRow], calls: dict[int, tuple[int, Function, list[Range | None]]]
) -> list[TokenRow]:
    """The tokens with the arguments of these calls in order."""
    out: list[TokenRow] = []
    todo: list[Range | TokenRow] = [(0, len(tokens))]
    while todo:
        part = todo.pop()
        if len(part) == 5:
            out.append(part)
            continue
        place, end = part
        while place < end and place not in calls:
            out.append(tokens[place])
            place += 1
        if place == end:
            continue
        closing, function, arguments = calls[place]
        kind, text, low, high, _ = tokens[place]
        out.append((kind, text, low, high, function))
        is_method = place > 0 and tokens[place - 1][:2] == (BAD, ".")
        inside: list[Range | TokenRow] = []
        for argument in arguments[is_method:]:
            if inside:
                inside.append((COMMA, ",", high, high, None))
            leaf = (LEAF, NOTHING, low, high, constant(NOTHING, (low, high)))
            inside.append(leaf if argument is None else argument)
        todo.append((closing, end))
        todo += reversed(inside)
    return out
