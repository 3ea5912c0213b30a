"""Where a formula breaks into lines: before operators, outer ones first, and after commas."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from typst import Compiler

from study.stimulus.latex import Bracketed, Line, Marked, Part, Scripted, Sign
from study.stimulus.shapes import MAIN_PX
from study.stimulus.typst_source import HEADER, marked, scripted, source

INDENT = MAIN_PX
"""Pixels that a line is moved to the right, once for the formula and once for each open bracket."""
MOST_INDENTS = 3

_BINARY, _RELATIONS = "+−·∧∨", "<>=≤≥≠"
_SPACES = {**dict.fromkeys(_BINARY, 4 / 18), **dict.fromkeys(_RELATIONS, 5 / 18), ",": 3 / 18}
"""At each side of a sign, or after a comma, in em."""

# What a line costs, a break at each depth of brackets, one at a product, and a pixel too much.
_LINE, _DEPTH, _PRODUCT, _PIXEL = 100.0, 30.0, 40.0, 1000.0


class Size(NamedTuple):
    width: float
    height: float  # Of a bracket: of all that it holds


@dataclass(frozen=True)
class Piece:
    """What never breaks: a sign, one of two brackets, or a part without either."""

    source: str
    depth: int  # Brackets around it
    sign: str = ""  # A line may begin with it, or after it if it is a comma
    # Of a bracket: the place of the other, both with all between them, and the same with scripts
    mate: int = -1
    pair: str = ""
    scripted_pair: str = ""
    scripts: tuple[Line, Line] = ((), ())  # Of a closing bracket
    node: int | None = None  # That of a bracket


def pieces(line: Line, depth: int = 0, start: int = 0, node: int | None = None) -> list[Piece]:
    """A formula in pieces, in order; what is in brackets or has a mark may break, too.

    >>> from study.stimulus.latex import parse
    >>> [piece.source for piece in pieces(parse(r"2 \\cdot {\\left(-x + 1\\right)}^{2}"))]
    ['"2"', '⋅', '\\\\(', '−', 'italic("x")', '\\\\+', '"1"', '\\\\)']
    """
    flow: list[Piece] = []
    for place, part in enumerate(line):
        bracketed, scripts = _bracketed(part)
        if isinstance(part, Marked):
            flow += pieces(part.body, depth, start + len(flow), part.node)
        elif bracketed:
            first = start + len(flow)
            body = pieces(bracketed.body, depth + 1, first + 1, node)
            last = first + 1 + len(body)
            pair = source((bracketed,), node=node)
            scripted_pair = pair if part is bracketed else source((part,), node=node)
            opened, closed = f"\\{bracketed.opened}", f"\\{bracketed.closed}"
            flow += [
                Piece(opened, depth, "", last, pair, scripted_pair, node=node),
                *body,
                Piece(closed, depth, "", first, pair, scripted_pair, scripts, node),
            ]
        else:
            flow.append(Piece(source((part,), node=node), depth, _breaking_sign(line, place)))
    return flow


def _bracketed(part: Part) -> tuple[Bracketed | None, tuple[Line, Line]]:
    if isinstance(part, Scripted) and len(part.base) == 1 and isinstance(part.base[0], Bracketed):
        return part.base[0], (part.lowered, part.raised)
    return (part if isinstance(part, Bracketed) else None), ((), ())


def _breaking_sign(line: Line, place: int) -> str:
    """The sign there, if it is one that has something at both sides."""
    part = line[place]
    if not isinstance(part, Sign) or part.text not in _SPACES:
        return ""
    between = 0 < place < len(line) - 1 and not isinstance(line[place - 1], Sign)
    return part.text if between else ""


def measure(flows: Sequence[Sequence[Piece]], *, system_fonts: bool = False) -> list[list[Size]]:
    """The size of each piece of several formulas, in one run of Typst."""
    questions = [[_question(piece) for piece in flow] for flow in flows]
    unique = list(dict.fromkeys(text for flow in questions for text in flow))
    document = [
        HEADER,
        "#let width(body) = measure(body).width.pt()\n",
        f"#context [#metadata(({', '.join(unique)},))<sizes>]\n",
    ]
    compiler = Compiler("".join(document).encode(), ignore_system_fonts=not system_fonts)
    (answers,) = json.loads(compiler.query("<sizes>", field="value"))
    sizes = {text: Size(*answer) for text, answer in zip(unique, answers, strict=True)}
    return [[sizes[text] for text in flow] for flow in questions]


def _question(piece: Piece) -> str:
    """An expression of Typst for width and height."""
    if piece.mate < 0:
        return f"(width(${piece.source}$), 0)"
    alone = _alone(piece, "tall")
    return f"{{let tall = measure(${piece.pair}$).height; (width(${alone}$), tall.pt())}}"


def _alone(piece: Piece, height: str) -> str:
    """A bracket whose other one is in another line."""
    stretched = f"stretch({piece.source}, size: #{height})"
    return marked(scripted(stretched, *piece.scripts), piece.node)


def broken(flow: Sequence[Piece], sizes: Sequence[Size], width: float) -> list[tuple[float, str]]:
    """The lines of a formula, how far each is moved and its source: the cheapest of all ways."""
    spaces = [MAIN_PX * _SPACES.get(piece.sign, 0.0) for piece in flow]
    around = [
        space * (1 if piece.sign == "," else 2) for piece, space in zip(flow, spaces, strict=True)
    ]
    ends = [0.0, *accumulate(size.width + space for size, space in zip(sizes, around, strict=True))]
    starts = [0, *(place for place in range(1, len(flow)) if _may_begin(flow, place))]
    best = {len(flow): (0.0, len(flow))}  # From a start: what the rest costs, where its line ends
    for start in reversed(starts):
        room = width - _indent(flow, start)
        choices = []
        for end in reversed(best):
            needed = ends[end] - ends[start] - (spaces[start] if start else 0.0)
            excess = max(0.0, needed - room)
            rest, _ = best[end]
            choices.append((_LINE + _PIXEL * excess + _break_cost(flow, end) + rest, end))
            if excess:
                break
        best[start] = min(choices)
    lines, start = [], 0
    while start < len(flow):
        _, end = best[start]
        lines.append((_indent(flow, start), _line(flow, sizes, start, end)))
        start = end
    return lines


def _may_begin(flow: Sequence[Piece], place: int) -> bool:
    return flow[place].sign not in ("", ",") or flow[place - 1].sign == ","


def _break_cost(flow: Sequence[Piece], place: int) -> float:
    if place == len(flow):
        return 0.0
    return _DEPTH * flow[place].depth + _PRODUCT * (flow[place].sign == "·")


def _indent(flow: Sequence[Piece], start: int) -> float:
    return INDENT * min(flow[start].depth + 1, MOST_INDENTS) if start else 0.0


def _line(flow: Sequence[Piece], sizes: Sequence[Size], start: int, end: int) -> str:
    parts, place = [], start
    while place < end:
        piece = flow[place]
        if place < piece.mate < end:
            parts.append(piece.scripted_pair)
            place = piece.mate
        else:
            alone = piece.mate >= 0
            parts.append(_alone(piece, f"{sizes[place].height:.2f}pt") if alone else piece.source)
        place += 1
    if start and flow[start].sign in (*_BINARY,):
        parts.insert(1, f"#h({_SPACES[flow[start].sign]:.4f}em)")  # At a beginning it has none
    return "".join(parts)
