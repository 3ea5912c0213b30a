"""Writing formulas: Python that reads back to the same tree, LaTeX, MathML, and short labels."""

from eic_core.formula.rendering.forms import form_of, math_style
from eic_core.formula.rendering.names import name_latex
from eic_core.formula.rendering.writing import (
    node_texts,
    short_text,
    to_latex,
    to_mathml,
    to_python,
)

__all__ = [
    "form_of",
    "math_style",
    "name_latex",
    "node_texts",
    "short_text",
    "to_latex",
    "to_mathml",
    "to_python",
]
