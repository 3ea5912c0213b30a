"""Formulas of a pair, set as shapes in two sizes and as MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from typst import Compiler, TypstError

from eic_core.formula import rendering
from study.errors import StudyError
from study.stimulus.latex import Line, parse, refusal
from study.stimulus.lines import Sizes, fitted, pieces
from study.stimulus.mathml import mathml
from study.stimulus.shapes import CARD, FormulaShape
from study.stimulus.svg import NodeBox, compact, placed
from study.stimulus.typst_source import HEADER, MARGIN, string


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
    glyphs, drawings = _drawn(formulas, trees)
    if _lacking(drawings, system_fonts=False):
        # The fonts of this machine: what they draw is frozen, and the same for every rater.
        glyphs, drawings = _drawn(formulas, trees, system_fonts=True)
        if lacking := _lacking(drawings, system_fonts=True):
            raise refusal(
                formulas[lacking[0] % 2],
                "has letters that no font of the server has",
                hint="rename the column, or install a font with these letters",
            )
    first, second = (
        FormulaShape(narrow, wide, mathml(tree))
        for narrow, wide, tree in zip(drawings[:2], drawings[2:], trees, strict=True)
    )
    return Typeset(glyphs, first, second)


def typeset_of_before(lower: str, higher: str) -> Typeset:
    """As `typeset`; what it refuses, in ballots frozen by earlier versions, is left to the browser.

    Parameters
    ----------
    lower
        In LaTeX.
    higher
        The other one.

    Returns
    -------
    Typeset
        In MathML alone, or as LaTeX, where they cannot be drawn.

    Examples
    --------
    >>> typeset_of_before("x", r"\\unknown{x}").higher.narrow
    '<code>\\\\unknown{x}</code>'
    """
    try:
        return typeset(lower, higher)
    except StudyError:
        return Typeset("", _undrawn(lower), _undrawn(higher))


@dataclass(frozen=True)
class MarkedDrawing:
    svg: str  # With its own outlines, in ``currentColor``
    places: tuple[NodeBox, ...]  # Of every node with a mark, a node within others once for each


def typeset_marked(latex: str, width: float) -> MarkedDrawing:
    r"""A formula whose parts have marks, in lines of a width: where every node of it stands.

    Parameters
    ----------
    latex
        As `typeset` takes, with ``\node{id}{...}`` around what a node has written.
    width
        In pixels.

    Returns
    -------
    MarkedDrawing
        The same letters at the same places as without marks.

    Raises
    ------
    StudyError
        As `typeset` does.

    Examples
    --------
    >>> [place.node for place in typeset_marked(r"\node{1}{-\node{0}{x}}", 100).places]
    [1, 0]
    """
    tree = parse(latex)
    for system_fonts in (False, True):
        try:
            (scale,), (page,) = _pages([tree], [width], system_fonts=system_fonts)
        except TypstError as error:
            raise refusal(latex, "nests too deeply to be drawn") from error
        glyphs, drawing, places = placed(page, scale)
        if not _lacking([drawing], system_fonts=system_fonts):
            opened, inner = drawing.removesuffix("</svg>").split(">", 1)
            # A page may put what the drawing holds into another one.
            svg = f'{opened}>{glyphs}<g fill="currentColor">{inner}</g></svg>'
            return MarkedDrawing(svg, tuple(places))
    raise refusal(latex, "has letters that no font of the server has")


def _undrawn(latex: str) -> FormulaShape:
    try:
        written = mathml(parse(latex))
    except StudyError:
        written = f"<code>{escape(latex)}</code>"
    return FormulaShape(written, written, "")


def _drawn(
    formulas: tuple[str, str], trees: list[Line], *, system_fonts: bool = False
) -> tuple[str, list[str]]:
    try:
        scales, drawings = _pages(trees, system_fonts=system_fonts)
    except TypstError as error:
        raise _refused(formulas) from error
    return compact(drawings, scales)


def _lacking(drawings: list[str], *, system_fonts: bool) -> list[int]:
    """The places of drawings with a letter that no font has."""
    missing = _missing(system_fonts)
    return [
        place
        for place, drawing in enumerate(drawings)
        if any(f"#{name}" in drawing for name in missing)
    ]


def _pages(
    trees: list[Line], widths: Iterable[float] = CARD.values(), *, system_fonts: bool = False
) -> tuple[list[float], list[bytes]]:
    """The scale and an SVG of each formula in each width, those of a width side by side."""
    sizes = Sizes(system_fonts)
    sizes.of([piece for tree in trees for piece in pieces(tree)])  # In one run
    set_ = [fitted(trees, width - 2 * MARGIN, sizes) for width in widths]
    sources = [f"#{text}\n" for _, texts in set_ for text in texts]
    # A compiler for each: several threads may draw.
    drawings = Compiler(
        (HEADER + "#pagebreak()\n".join(sources)).encode(), ignore_system_fonts=not system_fonts
    ).compile(format="svg")
    assert drawings is not None
    scales = [scale for scale, texts in set_ for _ in texts]
    return scales, drawings if isinstance(drawings, list) else [drawings]


@lru_cache(maxsize=2)
def _missing(system_fonts: bool) -> frozenset[str]:
    """The outlines, in three sizes, that stand for a letter that no font has."""
    letter = string("\U0010ffff")
    source = f"{HEADER}$attach({letter}, t: attach({letter}, t: {letter}))$"
    drawn = Compiler(source.encode(), ignore_system_fonts=not system_fonts).compile(format="svg")
    assert isinstance(drawn, bytes)
    _, (drawing,) = compact([drawn], [1.0])
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
