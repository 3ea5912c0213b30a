"""Where a formula breaks into lines: before operators, outer ones first, and after commas."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from typst import Compiler

from study.stimulus.latex import (
    Bracketed,
    Cases,
    Fractional,
    Line,
    Marked,
    Numeral,
    Part,
    Radical,
    Scripted,
    Sign,
    Stacked,
)
from study.stimulus.shapes import MAIN_PX
from study.stimulus.typst_source import HEADER, marked, scripted, source, stack

INDENT = MAIN_PX
"""Pixels that a line is moved to the right, once for the formula and once for each open bracket."""
MOST_INDENTS = 3
MOST_TALL = 60.0
"""Pixels of a bracket whose other one is in another line."""
MOST_STACKS = 3
"""Roots and fractions within one another that are broken into lines."""

_BINARY, _RELATIONS = "+−·∧∨", "<>=≤≥≠"
_SPACES = {**dict.fromkeys(f"{_BINARY}×", 4 / 18), **dict.fromkeys(_RELATIONS, 5 / 18), ",": 3 / 18}
"""At each side of a sign, or after a comma, in em."""

# What a line costs, a break at each depth of brackets, one at a product, one between a number and
# what it multiplies, and a pixel too much.
_LINE, _DEPTH, _PRODUCT, _NUMBER, _PIXEL = 100.0, 30.0, 40.0, 700.0, 1000.0


class Size(NamedTuple):
    width: float
    height: float  # Of a bracket: of all that it holds


@dataclass(frozen=True)
class Piece:
    """What never breaks: a sign, one of two brackets, or a part without either."""

    source: str
    depth: int  # Brackets around it
    sign: str = ""  # A line may begin with it, or after it if it is a comma; not with ×
    # Of a bracket: the place of the other, both with all between them, and the same with scripts
    mate: int = -1
    pair: str = ""
    scripted_pair: str = ""
    scripts: tuple[Line, Line] = ((), ())  # Of a closing bracket
    node: int | None = None  # That of a bracket
    is_number: bool = False


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
            number = part.base[-1] if isinstance(part, Scripted) else part  # A power of ten
            sign, is_number = _breaking_sign(line, place), isinstance(number, Numeral)
            text = source((part,), node=node)
            flow.append(Piece(text, depth, sign, node=node, is_number=is_number))
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


def _question(piece: Piece) -> str:
    """An expression of Typst for width and height."""
    if piece.mate < 0:
        return f"(width(${piece.source}$), 0)"
    alone = _alone(piece, "tall")
    tall = f"calc.min(measure(${piece.pair}$).height, {MOST_TALL}pt)"
    return f"{{let tall = {tall}; (width(${alone}$), tall.pt())}}"


def _alone(piece: Piece, height: str) -> str:
    """A bracket whose other one is in another line."""
    stretched = f"stretch({piece.source}, size: #{height})"
    return marked(scripted(stretched, *piece.scripts), piece.node)


SCALES = (1.0, 0.95, 0.9, 0.85, 0.8)
"""Of the letters of both formulas, the largest at which they fit."""
ROOMS = (1.0, 0.85, 0.7, 0.55)
"""Shares of a line that a root or a fraction may take: what stands before it takes some."""


def fitted(formulas: Sequence[Line], width: float, sizes: Sizes) -> tuple[float, list[str]]:
    """The scale at which all fit in a width, and the source of each: in lines, as few as can be.

    Roots and fractions are broken only where no scale is small enough without it.
    """
    flows = [pieces(formula) for formula in formulas]
    scales = SCALES[:1] if any(map(_has_small_scripts, formulas)) else SCALES
    for scale in scales:
        lines = [broken(flow, sizes.of(flow), width / scale) for flow in flows]
        if not any(each.excess for each in lines):
            break
    else:
        lines = [_lines(formula, width / scale, sizes) for formula in formulas]
    return scale, [stack(each.rows) for each in lines]


def _has_small_scripts(line: Line, level: int = 0) -> bool:
    """Whether there are scripts or fractions in scripts: of the least size that can be read."""
    return any(
        (isinstance(part, Scripted | Fractional) and level > 0)
        or any(
            _has_small_scripts(inner, level + (isinstance(part, Scripted) and name != "base"))
            for name, inner in vars(part).items()
            if isinstance(inner, tuple) and not isinstance(part, Cases)
        )
        for part in line
    )


def _lines(line: Line, width: float, sizes: Sizes, depth: int = 0) -> Lines:
    """A formula in lines that break inside roots and fractions, too, if that makes it fit."""
    found = []
    for share in (math.inf, *(ROOMS if depth < MOST_STACKS else ())):
        flow = pieces(_narrowed(line, share * width, sizes, depth))
        found.append(broken(flow, sizes.of(flow), width))
        if not found[-1].excess:
            break
    return min(found, key=lambda lines: lines.excess)


def _narrowed(line: Line, room: float, sizes: Sizes, depth: int) -> Line:
    return tuple(_narrower(part, room, sizes, depth) for part in line)


def _narrower(part: Part, room: float, sizes: Sizes, depth: int) -> Part:
    def stacked(line: Line) -> Line:
        return (Stacked(tuple(_lines(line, room - INDENT, sizes, depth + 1).rows)),)

    match part:
        case Marked(node, body):
            return Marked(node, _narrowed(body, room, sizes, depth))
        case Bracketed(opened, body, closed):
            return Bracketed(opened, _narrowed(body, room, sizes, depth), closed)
        case Scripted((Bracketed() as base,), lowered, raised):
            return Scripted((_narrower(base, room, sizes, depth),), lowered, raised)
        case Fractional() | Radical():
            (size,) = sizes.of([Piece(source((part,)), 0)])
            if size.width > room:
                if isinstance(part, Fractional):
                    return Fractional(stacked(part.over), stacked(part.under))
                return Radical(stacked(part.body), part.degree)
    return part


class Sizes:
    """Those of pieces, each measured once: in one run of Typst for all that are new."""

    def __init__(self, system_fonts: bool = False) -> None:
        self._system_fonts = system_fonts
        self._known: dict[str, Size] = {}

    def of(self, flow: Sequence[Piece]) -> list[Size]:
        questions = [_question(piece) for piece in flow]
        if new := [text for text in dict.fromkeys(questions) if text not in self._known]:
            document = (
                f"{HEADER}#let width(body) = measure(body).width.pt()\n"
                f"#context [#metadata(({', '.join(new)},))<sizes>]\n"
            )
            compiler = Compiler(document.encode(), ignore_system_fonts=not self._system_fonts)
            (answers,) = json.loads(compiler.query("<sizes>", field="value"))
            self._known |= {text: Size(*each) for text, each in zip(new, answers, strict=True)}
        return [self._known[text] for text in questions]


class Lines(NamedTuple):
    rows: list[tuple[float, str]]  # How far each is moved, and its source
    excess: float  # Pixels that they are too wide by, in all


def broken(flow: Sequence[Piece], sizes: Sequence[Size], width: float) -> Lines:
    """The lines of a formula: the cheapest of all ways."""
    spaces = [MAIN_PX * _SPACES.get(piece.sign, 0.0) for piece in flow]
    around = [
        space * (1 if piece.sign == "," else 2) for piece, space in zip(flow, spaces, strict=True)
    ]
    ends = [0.0, *accumulate(size.width + space for size, space in zip(sizes, around, strict=True))]
    starts = [0, *(place for place in range(1, len(flow)) if _may_begin(flow, place))]
    # From a start: what the rest costs, where its line ends, and by what it is too wide
    best = {len(flow): (0.0, len(flow), 0.0)}
    for start in reversed(starts):
        room = width - _indent(flow, start)
        choices = []
        for end in reversed(best):
            needed = ends[end] - ends[start] - (spaces[start] if start else 0.0)
            excess = max(0.0, needed - room)
            rest, _, beyond = best[end]
            cost = _LINE + _PIXEL * excess + _break_cost(flow, end) + rest
            choices.append((cost, end, excess + beyond))
            if excess:
                break
        best[start] = min(choices)
    rows, start = [], 0
    while start < len(flow):
        _, end, _ = best[start]
        rows.append((_indent(flow, start), _line(flow, sizes, start, end)))
        start = end
    return Lines(rows, best[0][2])


def _may_begin(flow: Sequence[Piece], place: int) -> bool:
    return flow[place].sign not in ("", ",", "×") or flow[place - 1].sign == ","


def _break_cost(flow: Sequence[Piece], place: int) -> float:
    if place == len(flow):
        return 0.0
    is_product, after_number = flow[place].sign == "·", flow[place - 1].is_number
    return _DEPTH * flow[place].depth + (_NUMBER if after_number else _PRODUCT) * is_product


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
