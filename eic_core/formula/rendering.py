"""Writing formulas: Python that reads back to the same tree, LaTeX, and short labels.

One table, `RENDERING`, holds a row for each operator.  Templates mark operands
as ``<0:20>``: operand 0, put in parentheses if it binds less tightly than 20;
``<*>`` is every operand with commas, ``<p>`` the operator's exact parameter.
Nothing here recurses, so depth is no matter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from eic_core.formula.syntax.build import literal
from eic_core.formula.syntax.names import GREEK, SUBSCRIPTS, safe_name
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node

ADD, MUL, NEG, APPLY, POW, ATOM = 10, 20, 30, 36, 40, 50
_RIGHT = (ADD + 1, MUL + 1)
"""Floors of operands at the right of + − and · /."""
Part = str | tuple[int, int]
PYTHON, LATEX, TEXT = range(3)


class Row(NamedTuple):
    """How one operator is written.

    Attributes
    ----------
    python, latex, text : str
        Templates for code, KaTeX and plain labels.
    precedence : int
        How tightly the Python and plain texts bind.
    latex_precedence : int
        How tightly the LaTeX binds.
    """

    python: str
    latex: str
    text: str
    precedence: int = ATOM
    latex_precedence: int = ATOM


def _call(name: str, latex: str = "", text: str = "") -> Row:
    latex = latex or rf"\operatorname{{{name}}}"
    return Row(f"{name}(<*>)", rf"{latex}\left(<*>\right)", text or f"{name}(<*>)", ATOM, APPLY)


RENDERING: dict[str, Row] = {
    "add": Row("<0:10> + <1:11>", "<0:10> + <1:11>", "<0:10> + <1:11>", ADD, ADD),
    "sub": Row("<0:10> - <1:11>", "<0:10> - <1:11>", "<0:10> − <1:11>", ADD, ADD),
    "mul": Row("<0:20>*<1:21>", r"<0:20> \cdot <1:21>", "<0:20>·<1:21>", MUL, MUL),
    "div": Row("<0:20>/<1:21>", r"\frac{<0>}{<1>}", "<0:20>/<1:21>", MUL, APPLY),
    "neg": Row("-<0:31>", "-<0:31>", "−<0:31>", NEG, NEG),
    "pow": Row("<0:41>**<1:40>", "{<0:41>}^{<1>}", "<0:41>^<1:40>", POW, POW),
    "power": Row("<0:41>**<p>", "{<0:41>}^{<p>}", "<0:41><p>", POW, POW),
    "root": Row("root(<0>, <p>)", r"\sqrt[<p>]{<0>}", "root(<0>, <p>)"),
    "log": Row("log(<0>)", r"\ln\left(<0>\right)", "log(<0>)", ATOM, APPLY),
    "exp": Row("exp(<0>)", r"\exp\left(<0>\right)", "exp(<0>)", ATOM, APPLY),
    "sqrt": Row("sqrt(<0>)", r"\sqrt{<0>}", "√<0:41>"),
    "cbrt": Row("cbrt(<0>)", r"\sqrt[3]{<0>}", "∛<0:41>"),
    "abs": Row("abs(<0>)", r"\left|<0>\right|", "|<0>|"),
    "floor": Row("floor(<0>)", r"\left\lfloor <0>\right\rfloor", "⌊<0>⌋"),
    "ceil": Row("ceil(<0>)", r"\left\lceil <0>\right\rceil", "⌈<0>⌉"),
    "asin": _call("asin", r"\arcsin"),
    "acos": _call("acos", r"\arccos"),
    "atan": _call("atan", r"\arctan"),
    "asinh": _call("asinh", r"\operatorname{arsinh}"),
    "acosh": _call("acosh", r"\operatorname{arcosh}"),
    "atanh": _call("atanh", r"\operatorname{artanh}"),
    **{
        name: _call(name, rf"\{name}")
        for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "min", "max")
    },
    **{name: _call(name) for name in ("expm1", "log1p", "sign", "round", "erf", "atan2", "hypot")},
}
"""A row for each operator, by name."""

_VARIANTS: dict[str, Row] = {
    "pow_noisy": Row("pow_noisy(<0>, <1>)", RENDERING["pow"].latex, RENDERING["pow"].text),
    "pow_exact": Row("pow_exact(<0>, <p>)", RENDERING["power"].latex, RENDERING["power"].text),
    "log_base": Row("log(<0>, <p>)", r"\log_{<p>}\left(<0>\right)", "log_<p>(<0>)", ATOM, APPLY),
    "log2": Row("log2(<0>)", r"\log_{2}\left(<0>\right)", "log₂(<0>)", ATOM, APPLY),
    "log10": Row("log10(<0>)", r"\log_{10}\left(<0>\right)", "log₁₀(<0>)", ATOM, APPLY),
    "exp_small": Row("exp(<0>)", "e^{<0>}", "exp(<0>)", ATOM, POW),
    "neg_number": Row("-(<0>)", r"-\left(<0>\right)", "−(<0>)", NEG, NEG),
}
_SLOT = re.compile(r"<([0-9*p])(?::([0-9]+))?>")
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_TO_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_LETTERS = {name: letter for letter, name in reversed(GREEK.items())}
_SMALL = 6  # the most nodes that stand in an exponent of e
_NAME = re.compile(r"([^\W\d_]+)_?([0-9]*)\Z|([^\W\d_][^\W_]*)_(\w+)\Z")


def to_python(formula: Formula, node_id: int | None = None) -> str:
    """Python infix that reads back to the identical structure.

    Parameters
    ----------
    formula : Formula
        The tree.
    node_id : int, optional
        The root of the part to write; the whole by default.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> to_python(read("(x_0 - 1)^2 * -x_1").formula)
    '(x0 - 1)**2*(-x1)'
    """
    return "".join(_flatten(formula, _last(formula, node_id), PYTHON))


def to_latex(
    formula: Formula,
    node_id: int | None = None,
    decorate: Callable[[Node, str], str] | None = None,
) -> str:
    r"""LaTeX that KaTeX typesets.

    Parameters
    ----------
    formula : Formula
        The tree.
    node_id : int, optional
        The root of the part to write; the whole by default.
    decorate : callable, optional
        Given a node and its LaTeX, returns what stands for it: a well-formed
        group such as ``\colorbox{red}{$...$}``.  Leaves are decorated too.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> print(to_latex(read("sqrt(x_0)/(1.5e-7*theta)").formula))
    \frac{\sqrt{x_{0}}}{1.5\times 10^{-7} \cdot \theta}
    """
    return "".join(_flatten(formula, _last(formula, node_id), LATEX, decorate))


def short_text(formula: Formula, node_id: int | None = None, limit: int = 40) -> str:
    """A compact label, cut to `limit` characters with an ellipsis.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> f = read("10000*x - 9999*x").formula
    >>> short_text(f), short_text(f, limit=8)
    ('10000·x − 9999·x', '10000·x…')
    """
    last = _last(formula, node_id)
    return _labels(formula, formula.first[last], last, limit)[-1]


def node_texts(formula: Formula, limit: int = 40) -> tuple[str, ...]:
    """The label of every node, in post-order, in time proportional to nodes times limit.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> node_texts(read("x**2 + 1").formula)
    ('x', 'x²', '1', 'x² + 1')
    """
    return tuple(_labels(formula, 0, len(formula) - 1, limit))


def _last(formula: Formula, node_id: int | None) -> int:
    return len(formula) - 1 if node_id is None else node_id


@lru_cache(maxsize=512)
def _template(template: str, arity: int) -> tuple[Part | None, ...]:
    """A template as texts, (operand, floor) pairs, and None for the parameter."""
    parts: list[Part | None] = []
    place = 0
    for match in _SLOT.finditer(template):
        parts.append(template[place : match.start()])
        if match[1] == "*":
            for operand in range(arity):
                parts += [", ", (operand, 0)] if operand else [(operand, 0)]
        elif match[1] == "p":
            parts.append(None)
        else:
            parts.append((int(match[1]), int(match[2] or 0)))
        place = match.end()
    parts.append(template[place:])
    return tuple(part for part in parts if part != "")


def _row(formula: Formula, node: Node) -> Row:
    """The table's row for a node, or the variant that its operands call for."""
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


def _parts(formula: Formula, node: Node, style: int) -> Iterator[str | int]:
    """What a node is written as: texts and ids of operands, parentheses included."""
    if not node.children:
        yield _leaf(node, style)
        return
    row = _row(formula, node)
    template = row[style]
    opened, closed = (r"\left(", r"\right)") if style == LATEX else ("(", ")")
    for part in _template(template, len(node.children)):
        if part is None:
            assert node.parameter is not None
            yield _parameter(node, row, style)
        elif isinstance(part, str):
            yield part
        else:
            position, floor = part
            child = node.children[position]
            precedence = _precedence(formula, formula.nodes[child], style)
            if precedence < floor or (
                floor in _RIGHT and _begins_with_minus(formula, formula.nodes[child], style)
            ):
                yield opened
                yield child
                yield closed
            else:
                yield child


def _begins_with_minus(formula: Formula, node: Node, style: int) -> bool:
    """Whether a node's text begins with a minus, which would stand next to another sign."""
    while node.children:
        first, *_ = _template(_row(formula, node)[style], len(node.children))
        if isinstance(first, str):
            return first[0] in "-−"
        if first is None:
            return False
        place, floor = first
        node = formula.nodes[node.children[place]]
        if _precedence(formula, node, style) < floor:
            return False
    return _precedence(formula, node, style) == NEG


def _precedence(formula: Formula, node: Node, style: int) -> int:
    if node.children:
        row = _row(formula, node)
        return row.latex_precedence if style == LATEX else row.precedence
    if node.operator == CONSTANT:
        if node.label.startswith("-"):
            return ATOM if style == PYTHON and "/" in node.label else NEG
        if style == LATEX and ("e" in node.label[1:] or "/" in node.label):
            return APPLY
        if style == TEXT and "/" in node.label:
            return MUL
    return ATOM


def _parameter(node: Node, row: Row, style: int) -> str:
    """The exact parameter: an exponent, an index or a base."""
    value = node.parameter
    assert value is not None
    if node.operator != "power":
        return str(value)
    if style == LATEX:
        return str(value)
    if style == TEXT:
        whole = value.denominator == 1
        return str(value).translate(_SUPERSCRIPTS) if whole else f"^({value})"
    text = _decimal(value)
    return f"({text})" if value < 0 and row.precedence == POW else text


def _decimal(value: Fraction) -> str:
    """A whole number or a half, as a decimal."""
    if value.denominator == 1:
        return str(value.numerator)
    sign = "-" if value < 0 else ""
    return f"{sign}{abs(value.numerator) // 2}.5"


def _leaf(node: Node, style: int) -> str:
    label = node.label
    if node.operator == VARIABLE:
        if style == LATEX:
            return name_latex(label)
        if style == TEXT:
            return _name_text(label)
        return label if label.translate(SUBSCRIPTS).isidentifier() else safe_name(label)
    if style == PYTHON:
        over, slash, under = label.partition("/")
        return f"Rational({over}, {under})" if slash else label
    if style == TEXT:
        return "π" if label == "pi" else label.replace("-", "−")
    if label == "pi":
        return r"\pi"
    if label == "e":
        return r"\mathrm{e}"
    over, slash, under = label.partition("/")
    if slash:
        sign = "-" if over.startswith("-") else ""
        return rf"{sign}\frac{{{over.lstrip('-')}}}{{{under}}}"
    mantissa, mark, exponent = label.partition("e")
    return rf"{mantissa}\times 10^{{{exponent}}}" if mark else label


@lru_cache(maxsize=4096)
def name_latex(name: str) -> str:
    r"""A variable's name in LaTeX; no character of it can act as a command.

    Examples
    --------
    >>> [name_latex(n) for n in ("x0", "theta_1", "E_n", "speed", r"\def{x}")]
    ['x_{0}', '\\theta_{1}', 'E_{n}', '\\mathrm{speed}', '\\mathrm{?def?x?}']
    """
    match = _NAME.match(name.translate(SUBSCRIPTS))
    if not match:
        return _upright(name)
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in _LETTERS and head != "pi" or head == "hbar":
        stem = rf"\{head}"
    else:
        stem = head if len(head) == 1 and head.isascii() else _upright(head)
    if not script:
        return stem
    plain = script.isdigit() or (len(script) == 1 and script.isascii())
    return f"{stem}_{{{script if plain else _upright(script)}}}"


def _upright(name: str) -> str:
    r"""``\mathrm{...}`` around letters, digits and a few harmless marks."""
    safe = re.sub(r"[^\w .,:/()+*=-]", "?", name[:80])
    return rf"\mathrm{{{safe.replace('_', chr(92) + '_').replace(' ', '~')}}}"


def _name_text(name: str) -> str:
    match = _NAME.match(name)
    if not match:
        return name
    head, script = match[1] or match[3], match[2] or match[4] or ""
    if head in _LETTERS and head != "pi":
        head = _LETTERS[head]
    if script.isdigit():
        return head + script.translate(_TO_SUBSCRIPTS)
    return f"{head}_{script}" if script else head


def _flatten(
    formula: Formula,
    root: int,
    style: int,
    decorate: Callable[[Node, str], str] | None = None,
) -> list[str]:
    """All pieces of the text, left to right, over an explicit stack."""
    pieces: list[str] = []
    todo: list[str | int | tuple[int, int]] = [root]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, tuple):
            assert decorate is not None
            node_id, start = item
            text = decorate(formula.nodes[node_id], "".join(pieces[start:]))
            pieces[start:] = [text]
        else:
            if decorate is not None:
                todo.append((item, len(pieces)))
            todo.extend(reversed(list(_parts(formula, formula.nodes[item], style))))
    return pieces


def _labels(formula: Formula, first: int, last: int, limit: int) -> list[str]:
    """Texts of the nodes first..last, each built from its operands' cut texts."""
    texts: list[str] = []
    for node in formula.nodes[first : last + 1]:
        pieces: list[str] = []
        size = 0
        for part in _parts(formula, node, TEXT):
            piece = part if isinstance(part, str) else texts[part - first]
            pieces.append(piece)
            size += len(piece)
            if size > limit or (not isinstance(part, str) and piece.endswith("…")):
                break
        text = "".join(pieces)
        if len(text) > limit:
            text = text[: max(limit - 1, 0)].rstrip() + "…"
        texts.append(text)
    return texts
