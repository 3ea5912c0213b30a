"""How operators are written: a row for each, in code, LaTeX, plain text and MathML.

Templates mark operands as ``<0:20>``: operand 0, put in parentheses if it binds less
tightly than 20; ``<*>`` is every operand with commas, ``<p>`` the operator's exact
parameter.  A MathML template is one element, whatever stands in its slots.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from eic_core.formula.syntax.build import literal
from eic_core.formula.tree import CONSTANT, Formula, Node

ADD, MUL, NEG, APPLY, POW, ATOM = 10, 20, 30, 36, 40, 50
PYTHON, LATEX, TEXT, MATHML = range(4)
"""Positions of the templates in a `Row`."""

Part = str | tuple[int, int]

_SLOT = re.compile(r"<([0-9*p])(?::([0-9]+))?>")
_SMALL = 6  # the most nodes that stand in an exponent of e


class Row(NamedTuple):
    """How one operator is written.

    Attributes
    ----------
    python, latex, text, mathml : str
        Templates for code, KaTeX, plain labels and MathML Core.
    precedence : int
        How tightly the Python and plain texts bind.
    latex_precedence : int
        How tightly LaTeX and MathML bind.
    """

    python: str
    latex: str
    text: str
    mathml: str
    precedence: int = ATOM
    latex_precedence: int = ATOM


def _infix(sign: str) -> str:
    """MathML of a sum, a difference or a product."""
    left = ADD if sign in "+−" else MUL
    return f"<mrow><0:{left}><mo>{sign}</mo><1:{left + 1}></mrow>"


def _applied(head: str) -> str:
    """MathML of a function; `head` is an element."""
    arguments = "<mrow><mo>(</mo><*><mo>)</mo></mrow>"
    return f"<mrow>{head}<mo>&#x2061;</mo>{arguments}</mrow>"


def _fenced(opened: str, closed: str) -> str:
    """MathML of an operand between two signs."""
    return (
        f'<mrow><mo form="prefix">{opened}</mo><0>'
        f'<mo form="postfix">{closed}</mo></mrow>'
    )


def _call(name: str, latex: str = "", shown: str = "") -> Row:
    latex = latex or rf"\operatorname{{{name}}}"
    mathml = _applied(f"<mi>{shown or name}</mi>")
    return Row(f"{name}(<*>)", rf"{latex}\left(<*>\right)", f"{name}(<*>)", mathml, ATOM, APPLY)


_LN, _POWER = _applied("<mi>ln</mi>"), "<msup><0:41><p></msup>"

RENDERING: dict[str, Row] = {
    "add": Row("<0:10> + <1:11>", "<0:10> + <1:11>", "<0:10> + <1:11>", _infix("+"), ADD, ADD),
    "sub": Row("<0:10> - <1:11>", "<0:10> - <1:11>", "<0:10> − <1:11>", _infix("−"), ADD, ADD),
    "mul": Row("<0:20>*<1:21>", r"<0:20> \cdot <1:21>", "<0:20>·<1:21>", _infix("·"), MUL, MUL),
    "div": Row(
        "<0:20>/<1:21>", r"\frac{<0>}{<1>}", "<0:20>/<1:21>", "<mfrac><0><1></mfrac>", MUL, APPLY
    ),
    "neg": Row("-<0:31>", "-<0:31>", "−<0:31>", "<mrow><mo>−</mo><0:31></mrow>", NEG, NEG),
    "pow": Row(
        "<0:41>**<1:40>", "{<0:41>}^{<1>}", "<0:41>^<1:40>", "<msup><0:41><1></msup>", POW, POW
    ),
    "power": Row("<0:41>**<p>", "{<0:41>}^{<p>}", "<0:41><p>", _POWER, POW, POW),
    "root": Row(
        "root(<0>, <p>)", r"\sqrt[<p>]{<0>}", "root(<0>, <p>)", "<mroot><0><p></mroot>"
    ),
    "log": Row("log(<0>)", r"\ln\left(<0>\right)", "log(<0>)", _LN, ATOM, APPLY),
    "exp": Row(
        "exp(<0>)", r"\exp\left(<0>\right)", "exp(<0>)", _applied("<mi>exp</mi>"), ATOM, APPLY
    ),
    "sqrt": Row("sqrt(<0>)", r"\sqrt{<0>}", "√<0:41>", "<msqrt><0></msqrt>"),
    "cbrt": Row("cbrt(<0>)", r"\sqrt[3]{<0>}", "∛<0:41>", "<mroot><0><mn>3</mn></mroot>"),
    "abs": Row("abs(<0>)", r"\left|<0>\right|", "|<0>|", _fenced("|", "|")),
    "floor": Row("floor(<0>)", r"\left\lfloor <0>\right\rfloor", "⌊<0>⌋", _fenced("⌊", "⌋")),
    "ceil": Row("ceil(<0>)", r"\left\lceil <0>\right\rceil", "⌈<0>⌉", _fenced("⌈", "⌉")),
    "asin": _call("asin", r"\arcsin", "arcsin"),
    "acos": _call("acos", r"\arccos", "arccos"),
    "atan": _call("atan", r"\arctan", "arctan"),
    "asinh": _call("asinh", r"\operatorname{arsinh}", "arsinh"),
    "acosh": _call("acosh", r"\operatorname{arcosh}", "arcosh"),
    "atanh": _call("atanh", r"\operatorname{artanh}", "artanh"),
    **{
        name: _call(name, rf"\{name}")
        for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "min", "max")
    },
    **{name: _call(name) for name in ("expm1", "log1p", "sign", "round", "erf", "atan2", "hypot")},
}
"""A row for each operator, by name."""


def _logarithm(base: str) -> str:
    return _applied(f"<msub><mi>log</mi>{base}</msub>")


_VARIANTS: dict[str, Row] = {
    "pow_noisy": RENDERING["pow"]._replace(python="pow_noisy(<0>, <1>)", precedence=ATOM),
    "pow_exact": RENDERING["power"]._replace(python="pow_exact(<0>, <p>)", precedence=ATOM),
    "log_base": Row(
        "log(<0>, <p>)", r"\log_{<p>}\left(<0>\right)", "log_<p>(<0>)", _logarithm("<p>"),
        ATOM, APPLY,
    ),
    "log2": Row(
        "log2(<0>)", r"\log_{2}\left(<0>\right)", "log₂(<0>)", _logarithm("<mn>2</mn>"),
        ATOM, APPLY,
    ),
    "log10": Row(
        "log10(<0>)", r"\log_{10}\left(<0>\right)", "log₁₀(<0>)", _logarithm("<mn>10</mn>"),
        ATOM, APPLY,
    ),
    "exp_small": Row(
        "exp(<0>)", "e^{<0>}", "exp(<0>)", "<msup><mi>e</mi><0></msup>", ATOM, POW
    ),
    "neg_number": Row(
        "-(<0>)", r"-\left(<0>\right)", "−(<0>)",
        "<mrow><mo>−</mo><mrow><mo>(</mo><0><mo>)</mo></mrow></mrow>", NEG, NEG,
    ),
}  # fmt: skip


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


def row_of(formula: Formula, node: Node) -> Row:
    """The table's row for an operator, or the variant that its operands call for."""
    name = node.operator
    if name == "neg":
        child = formula.nodes[node.children[0]]
        if child.operator == CONSTANT and child.label not in ("pi", "e"):
            return _VARIANTS["neg_number"]
    elif name == "pow":
        base, exponent = node.children
        small = exponent - formula.first[exponent] < 4
        value = literal(formula.to_draft(exponent)) if small else None
        if _is_euler(formula.nodes[base]) or (value is not None and value.denominator <= 2):
            return _VARIANTS["pow_noisy"]
    elif name == "power":
        if _is_euler(formula.nodes[node.children[0]]):
            return _VARIANTS["pow_exact"]
    elif name == "log" and node.parameter is not None:
        return _VARIANTS.get(f"log{node.parameter}", _VARIANTS["log_base"])
    elif name == "exp" and node.id - formula.first[node.id] <= _SMALL:
        return _VARIANTS["exp_small"]
    return RENDERING[name]


def _is_euler(node: Node) -> bool:
    return node.operator == CONSTANT and node.label == "e"
