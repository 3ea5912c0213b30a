"""Formulas of a pair, set as shapes in two sizes and as MathML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from typst import Compiler, TypstError

from eic_core.formula import rendering
from study.errors import StudyError
from study.stimulus.latex import Line, parse, refusal
from study.stimulus.lines import broken, measure, pieces
from study.stimulus.mathml import mathml
from study.stimulus.shapes import CARD, FormulaShape
from study.stimulus.svg import compact
from study.stimulus.typst_source import HEADER, MARGIN, page, string


@dataclass(frozen=True)
class Typeset:
    """Both formulas of a pair, and the outlines that their drawings use.

    Attributes
    ----------
    glyphs
        ``<defs>`` with the outlines of all letters, in the order of their ids.
    lower
        The formula of lower EIC; an ``<svg>`` is as wide as what it draws.
    higher
        That of higher EIC.
    """

    glyphs: str
    lower: FormulaShape
    higher: FormulaShape


def typeset(lower: str, higher: str) -> Typeset:
    r"""Set both formulas of a pair in the width of a narrow and of a wide card.

    Parameters
    ----------
    lower
        In the LaTeX of `eic_core.formula.rendering.to_latex`.
    higher
        The other one.

    Returns
    -------
    Typeset
        The same outlines, whichever formula is called the lower one.

    Raises
    ------
    StudyError
        A formula cannot be read, is too long, nests too deeply, or has letters that the font lacks.

    Examples
    --------
    >>> shapes = typeset("x + 1", r"\frac{x}{2}")
    >>> shapes.lower.mathml
    '<math><mi>x</mi><mo>+</mo><mn>1</mn></math>'
    >>> shapes.higher.narrow[:31]
    '<svg width="18" height="41" vie'
    """
    formulas = (lower, higher)
    trees = [parse(latex) for latex in formulas]
    try:
        pages = _pages(trees)
    except TypstError as error:
        raise _refused(formulas) from error
    glyphs, drawings = compact(pages)
    for latex, drawing in zip(formulas, drawings[::2], strict=True):
        if any(f"#{name}" in drawing for name in _missing()):
            raise refusal(latex, "has letters that the font lacks")
    first, second = (
        FormulaShape(narrow, wide, mathml(tree))
        for narrow, wide, tree in zip(drawings[::2], drawings[1::2], trees, strict=True)
    )
    return Typeset(glyphs, first, second)


def _pages(trees: list[Line]) -> list[bytes]:
    """An SVG of each formula in each width."""
    flows = [pieces(tree) for tree in trees]
    sources = [
        page(broken(flow, sizes, width - 2 * MARGIN))
        for flow, sizes in zip(flows, measure(flows), strict=True)
        for width in CARD.values()
    ]
    # A compiler for each: several threads may draw.
    drawings = Compiler(
        (HEADER + "#pagebreak()\n".join(sources)).encode(), ignore_system_fonts=True
    ).compile(format="svg")
    assert isinstance(drawings, list)
    return drawings


@cache
def _missing() -> frozenset[str]:
    """The outlines, in three sizes, that stand for a letter that no font has."""
    letter = string("\U0010ffff")
    source = f"{HEADER}$attach({letter}, t: attach({letter}, t: {letter}))$"
    drawn = Compiler(source.encode(), ignore_system_fonts=True).compile(format="svg")
    assert isinstance(drawn, bytes)
    _, (drawing,) = compact([drawn])
    return frozenset(re.findall(r"#(\w+)", drawing))


def _refused(formulas: tuple[str, str]) -> StudyError:
    """Which of both Typst does not take."""
    for latex in formulas:
        try:
            _pages([parse(latex)])
        except TypstError:
            break
    return refusal(latex, "nests too deeply to be drawn")


def name_mathml(name: str) -> str:
    """A name as the formulas write it.

    Parameters
    ----------
    name
        Any text.

    Returns
    -------
    str
        A ``<math>``.

    Examples
    --------
    >>> name_mathml("b2010")
    '<math><msub><mi>b</mi><mn>2010</mn></msub></math>'
    """
    return f"<math>{rendering.name_mathml(name)}</math>"
