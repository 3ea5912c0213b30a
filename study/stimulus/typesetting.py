"""Formulas of a pair, set as shapes in two sizes and as MathML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from study.stimulus.shapes import CARD, FormulaShape


@dataclass(frozen=True)
class Typeset:
    glyphs: str
    lower: FormulaShape
    higher: FormulaShape


def typeset(lower: str, higher: str) -> Typeset:
    """Both formulas, given in the LaTeX of `eic_core.formula.rendering.to_latex`."""
    return Typeset("", _shape(lower), _shape(higher))


def _shape(latex: str) -> FormulaShape:
    narrow, wide = (
        f'<svg width="{width}" height="40"><text y="30">{escape(latex)}</text></svg>'
        for width in CARD.values()
    )
    return FormulaShape(narrow, wide, f"<math><mtext>{escape(latex)}</mtext></math>")


def name_mathml(name: str) -> str:
    """A name as the formulas write it."""
    return f"<math><mi>{escape(name)}</mi></math>"
