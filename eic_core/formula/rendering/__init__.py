"""Writing formulas: Python that reads back to the same tree, LaTeX, MathML, and short labels."""

from eic_core.formula.rendering.names import name_latex
from eic_core.formula.rendering.table import RENDERING, Row
from eic_core.formula.rendering.writing import (
    node_texts,
    short_text,
    to_latex,
    to_mathml,
    to_python,
)

__all__ = [
    "RENDERING",
    "Row",
    "name_latex",
    "node_texts",
    "short_text",
    "to_latex",
    "to_mathml",
    "to_python",
]
