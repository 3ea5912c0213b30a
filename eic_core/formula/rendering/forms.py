"""Which of its forms a node is written in: the templates stand in the operator's row."""

from __future__ import annotations

import re
from functools import lru_cache

from eic_core.formula.syntax.build import literal
from eic_core.formula.tree import CONSTANT, Formula, Node
from eic_core.operators import OPERATORS, Form

Part = str | tuple[int, int]

_SLOT = re.compile(r"<([0-9*p])(?::([0-9]+))?>")
_SMALL = 6  # the most nodes that stand in an exponent of e


@lru_cache(maxsize=512)
def template_parts(template: str, arity: int, comma: str = ", ") -> tuple[Part | None, ...]:
    """A template as texts, (operand, floor) pairs, and None for the parameter.

    Examples
    --------
    >>> template_parts("max(<*>)", 2)
    ('max(', (0, 0), ', ', (1, 0), ')')
    """
    parts: list[Part | None] = []
    place = 0
    for match in _SLOT.finditer(template):
        parts.append(template[place : match.start()])
        if match[1] == "*":
            for operand in range(arity):
                parts += [comma, (operand, 0)] if operand else [(operand, 0)]
        elif match[1] == "p":
            parts.append(None)
        else:
            parts.append((int(match[1]), int(match[2] or 0)))
        place = match.end()
    parts.append(template[place:])
    return tuple(part for part in parts if part != "")


def form_of(formula: Formula, node: Node) -> Form:
    """How an operator is written over these operands.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> formula = read("exp(-x)").formula
    >>> form_of(formula, formula.root).latex
    'e^{<0>}'
    """
    row = OPERATORS[node.operator]
    writing = row.writing
    if writing.of_number is not None:
        child = formula.nodes[node.children[0]]
        if child.operator == CONSTANT and child.label not in ("pi", "e"):
            return writing.of_number
    if writing.explicit is not None and _misread(formula, node):
        return writing.explicit
    if writing.compact is not None and node.id - formula.first[node.id] <= _SMALL:
        return writing.compact
    return row.form_with(node.parameter)


def _misread(formula: Formula, node: Node) -> bool:
    """Whether ``u**v`` would be read as another operator: u is e, or v a literal n or n/2."""
    base, *exponents = node.children
    if _is_euler(formula.nodes[base]):
        return True
    if not exponents or exponents[0] - formula.first[exponents[0]] >= 4:
        return False
    value = literal(formula.to_draft(exponents[0]))
    return value is not None and value.denominator <= 2


def _is_euler(node: Node) -> bool:
    return node.operator == CONSTANT and node.label == "e"


def math_style(form: Form, place: int, around: str = "") -> str:
    r"""The style in which TeX sets an operand: ``\scriptstyle`` in an exponent, and so on.

    Parameters
    ----------
    form : Form
    place : int
        Which operand.
    around : str
        The style of the whole, empty for display style.

    Examples
    --------
    >>> [math_style(OPERATORS["pow"].form, place) for place in (0, 1)]
    ['', '\\scriptstyle']
    >>> math_style(OPERATORS["div"].form, 0), math_style(OPERATORS["sin"].form, 0, r"\textstyle")
    ('\\textstyle', '\\textstyle')
    """
    slot = rf"\{{<{place}(:[0-9]+)?>\}}"
    if re.search(r"\^" + slot, form.latex):
        return r"\scriptstyle"
    return around or (r"\textstyle" if re.search(r"\\frac(\{.*\})?" + slot, form.latex) else "")
