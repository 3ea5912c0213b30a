"""Formulas as math of Typst: names and numbers go in as strings, so that no text is run."""

from __future__ import annotations

from collections.abc import Iterable

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
    Word,
)
from study.stimulus.shapes import MAIN_PX

HEADER = f"""\
#set page(width: auto, height: auto, margin: (x: 1pt, y: 2pt), fill: none)
#set text(size: {MAIN_PX}pt, top-edge: "bounds", bottom-edge: "bounds")
#let mark(node, body) = link("n:" + str(node), body)
#let line(indent, body) = pad(left: indent, [#box(width: 0pt, height: 18pt, baseline: 4pt)#body])
"""
"""One point of Typst is a pixel of CSS; without bounds letters would be cut off at the edges."""
MARGIN = 1.0
"""At the left and at the right, in pixels."""


def source(line: Line, *, in_script: bool = False, node: int | None = None) -> str:
    r"""The source between two dollar signs; of a `node`: each part with its mark.

    >>> from study.stimulus.latex import parse
    >>> print(source(parse(r"\mathrm{#panic()} + x")))
    "#panic()"\+italic("x")
    """
    return "".join(
        _part(part, in_script) if isinstance(part, Marked) else marked(_part(part, in_script), node)
        for part in line
    )


def marked(text: str, node: int | None) -> str:
    """A source that leaves a link in the drawing where its node stands."""
    # Marks within one another would reach the depth that Typst takes: sums mark their parts alone.
    return text if node is None else f"#mark({node},${text}$)"


def _part(part: Part, in_script: bool) -> str:
    match part:
        case Word(text, kind):
            return f"italic({string(text)})" if kind == "letter" else string(text)
        case Marked(node, body):
            return source(body, in_script=in_script, node=node)
        case Numeral(text):
            return string(text)
        case Sign(text):
            return sign(text)
        case Bracketed(opened, body, closed):
            inner = source(body, in_script=in_script)
            lift = 0.0 if in_script else _off_centre(body)
            if lift:
                inner = f"#box(baseline: {lift:.2f}em, $display({inner})$)"
            return f"lr(\\{opened}{inner}\\{closed})"
        case Fractional(over, under):
            inner = ", ".join(_beside_bar(line, in_script) for line in (over, under))
            # Fractions within fractions stay large; in scripts the size falls to the least, once.
            return f"frac({inner})" if in_script else f"display(frac({inner}))"
        case Radical(body, degree):
            inner = source(body, in_script=in_script)
            return (
                f"root({source(degree, in_script=True)}, {inner})" if degree else f"sqrt({inner})"
            )
        case Scripted(base, lowered, raised):
            return scripted(source(base, in_script=in_script), lowered, raised)
        case Cases(rows):
            cells = ", ".join(
                "&#h(0.8em)".join(source(line, in_script=in_script) for line in row) for row in rows
            )
            return f"cases({cells})" if in_script else f"display(cases({cells}))"
        case Stacked(lines):
            return f"#box(baseline: 50% - {_AXIS}em, {stack(lines)})"


_AXIS, _GAP, _MUCH = 0.25, 0.2, 0.8
"""In em: the height of fraction bars, the air around them, and by what a tower is off centre."""


def _off_centre(body: Line) -> float:
    """How far above the axis the middle of a body lies, in em; 0 unless it is much.

    Brackets are as high above the axis as below it: around a tower that stands on one leg they
    would be twice as high as it is.
    """
    above, below = _extents(body)
    lift = (above - below) / 2 - _AXIS
    return lift if abs(lift) > _MUCH else 0.0


def _extents(line: Line) -> tuple[float, float]:
    """About how far a line reaches above and below its baseline, in em."""
    parts = [_extents_of(part) for part in line]
    return max((part[0] for part in parts), default=0.0), max((p[1] for p in parts), default=0.0)


def _extents_of(part: Part) -> tuple[float, float]:
    match part:
        case Marked(_, body):
            return _extents(body)
        case Fractional(over, under):
            heights = [sum(_extents(line)) + _GAP for line in (over, under)]
            return heights[0] + _AXIS, heights[1] - _AXIS
        case Radical(body, _):
            above, below = _extents(body)
            return above + _GAP, below
        case Bracketed(_, body, _):
            above, below = _extents(body)
            centred = abs((above - below) / 2 - _AXIS) > _MUCH
            half = (above + below) / 2 if centred else max(above - _AXIS, below + _AXIS)
            return half + _AXIS, half - _AXIS
        case Scripted(base, lowered, raised):
            above, below = _extents(base)
            return above + 0.7 * sum(_extents(raised)) / 2, below + 0.7 * sum(_extents(lowered)) / 2
        case Cases(rows):
            height = sum(max(sum(_extents(line)) for line in row) + _GAP for row in rows)
            return height / 2 + _AXIS, height / 2 - _AXIS
        case Stacked(lines):
            return 0.7 * len(lines) + _AXIS, 0.7 * len(lines) - _AXIS
    return 0.7, 0.2


def _beside_bar(line: Line, in_script: bool) -> str:
    """A numerator or denominator; around fractions with air, so that the outer bar is longer."""
    text = source(line, in_script=in_script)
    return f"#h(0.25em){text}#h(0.25em)" if _has_fraction(line) else text


def _has_fraction(line: Line) -> bool:
    return any(
        _has_fraction(part.body) if isinstance(part, Marked) else isinstance(part, Fractional)
        for part in line
    )


def scripted(base: str, lowered: Line, raised: Line) -> str:
    scripts = [
        f", {place}: {source(line, in_script=True)}"
        for place, line in (("b", lowered), ("t", raised))
        if line
    ]
    return f"attach({base}{''.join(scripts)})" if scripts else base


def sign(text: str) -> str:
    return f"\\{text}" if text.isascii() else "⋅" if text == "·" else text


def string(text: str) -> str:
    """As a literal of Typst.

    >>> print(string('"]#import'))
    "\\"]#import"
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def stack(lines: Iterable[tuple[float, str]]) -> str:
    """Lines below one another, each as far to the right as told."""
    rows = "".join(f"line({indent}pt, ${text}$), " for indent, text in lines)
    return f"stack(spacing: 8pt, {rows})"
