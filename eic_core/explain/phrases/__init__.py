"""The English of the diagnosis, a module a question; here nodes, inputs and noise by name."""

from __future__ import annotations

from eic_core.formula.rendering import short_text
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node, variable
from eic_core.phrasing import Phrase, say

TEXT_LIMIT = 48


def code_text(formula: Formula, node_id: int, limit: int = TEXT_LIMIT) -> str:
    """A sub-expression in backticks, of at most `limit` characters between them."""
    return f"`{short_text(formula, node_id, limit)}`"


def input_name(name: str) -> str:
    """A variable as in `code_text`.

    >>> input_name("theta1")
    '`θ₁`'
    """
    return f"`{short_text(Formula.from_draft(variable(name)))}`"


def eic_name(singular: bool) -> Phrase:
    """EIC, over the finite samples where there are `singular` ones."""
    return say("EIC without the singular samples") if singular else say("EIC")


def noise_source(node: Node, text: str) -> str:
    """The noise of a node: the error of an input or a constant, or a rounding.

    >>> from eic_core.formula.syntax import read
    >>> [noise_source(node, text) for node, text in zip(read("2*x").formula, ("2", "x", "2·x"))]
    ['error of the constant `2`', 'error of the input `x`', 'rounding of `2·x`']
    """
    if node.operator == VARIABLE:
        return f"error of the input `{text}`"
    kind = "error of the constant" if node.operator == CONSTANT else "rounding of"
    return f"{kind} `{text}`"
