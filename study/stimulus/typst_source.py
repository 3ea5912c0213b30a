"""Formulas as math of Typst: names and numbers go in as strings, so that no text is run."""

from __future__ import annotations

from collections.abc import Iterable

from study.stimulus.latex import (
    Bracketed,
    Cases,
    Digits,
    Fractional,
    Line,
    Part,
    Radical,
    Scripted,
    Sign,
    Word,
)
from study.stimulus.shapes import MAIN_PX

HEADER = f"""\
#set page(width: auto, height: auto, margin: (x: 1pt, y: 2pt), fill: none)
#set text(size: {MAIN_PX}pt, top-edge: "bounds", bottom-edge: "bounds")
#let line(indent, body) = pad(left: indent, [#box(width: 0pt, height: 18pt, baseline: 4pt)#body])
"""
"""One point of Typst is a pixel of CSS; without bounds letters would be cut off at the edges."""
MARGIN = 1.0
"""At the left and at the right, in pixels."""


def source(line: Line, *, in_script: bool = False) -> str:
    r"""The source between two dollar signs.

    >>> from study.stimulus.latex import parse
    >>> print(source(parse(r"\mathrm{a\"\#b} + x")))
    "a\"\\#b"+italic("x")
    """
    return "".join(_part(part, in_script) for part in line)


def _part(part: Part, in_script: bool) -> str:
    match part:
        case Word(text, kind):
            return f"italic({string(text)})" if kind == "letter" else string(text)
        case Digits(text):
            return string(text)
        case Sign(text):
            return sign(text)
        case Bracketed(opened, body, closed):
            return f"lr(\\{opened}{source(body, in_script=in_script)}\\{closed})"
        case Fractional(over, under):
            inner = ", ".join(source(line, in_script=in_script) for line in (over, under))
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
                "&".join(source(line, in_script=in_script) for line in row) for row in rows
            )
            return f"cases({cells})"


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


def page(lines: Iterable[tuple[float, str]]) -> str:
    """A page with lines, each as far to the right as told."""
    rows = "".join(f"line({indent}pt, ${text}$), " for indent, text in lines)
    return f"#stack(spacing: 8pt, {rows})\n"
