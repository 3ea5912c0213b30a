"""Nodes, variables and noise as they are named in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eic_core.formula.rendering import short_text
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula, Node, variable

TEXT_LIMIT = 48


def digits(value: float) -> str:
    """A number of digits.

    Examples
    --------
    >>> digits(4.389), digits(1.0), digits(0.02), digits(float("inf"))
    ('4.4 digits', '1.0 digits', '0.02 digits', 'every digit')
    """
    if math.isinf(value):
        return "every digit"
    if value < 0.005:
        return "no digit"
    return f"{value:.1f} digits" if value >= 0.05 else f"{value:.2f} digits"


def lost(value: float) -> str:
    """How many digits are lost, as the object of "loses".

    Examples
    --------
    >>> lost(4.389), lost(0.3), lost(0.02), lost(0.0), lost(float("inf"))
    ('4.4 digits', '0.3 digits', 'hardly any digits', 'no digit', 'every digit')
    """
    return "hardly any digits" if 0.005 <= value < 0.05 else digits(value)


def percent(share: float) -> str:
    """A share of 1 in per cent.

    Examples
    --------
    >>> percent(0.934), percent(0.0123), percent(0.0002), percent(0.99996), percent(1.0)
    ('93 %', '1.2 %', '0.02 %', 'over 99.9 %', '100 %')
    """
    value = 100 * share
    if 99.95 <= value < 100 * (1 - 1e-12):
        return "over 99.9 %"
    if value >= 10 or value == 0:
        return f"{value:.1f} %" if 99 < value < 99.95 else f"{value:.0f} %"
    return f"{value:.2g} %" if value >= 1e-3 else "less than 0.001 %"


def factor(value: float) -> str:
    """By how much noise is amplified.

    Examples
    --------
    >>> factor(2.5), factor(4700.0), factor(2.3e6), factor(0.3)
    ('2.5 times', '4,700 times', '2.3·10⁶ times', '0.3 times')
    """
    if math.isinf(value):
        return "without limit"
    return f"{number(value)} times"


def number(value: float) -> str:
    """A number to read, two or three digits of it.

    Examples
    --------
    >>> number(2.0004), number(-0.5), number(12345.0), number(3.2e-9), number(-1e8), number(0.0)
    ('2', '−0.5', '12,300', '3.2·10⁻⁹', '−10⁸', '0')
    """
    size = abs(value)
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinite"
    if size == 0 or 1e-3 <= size < 10:
        text = f"{size:.2g}" if size < 1 else f"{size:.3g}"
    elif 10 <= size < 1e6:
        text = f"{float(f'{size:.3g}'):,.10g}"
    else:
        mantissa, _, exponent = f"{size:.1e}".partition("e")
        power = "10" + str(int(exponent)).translate(_RAISED)
        head = mantissa.removesuffix(".0")
        text = power if head == "1" else f"{head}·{power}"
    return f"−{text}" if value < 0 else text


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def samples(count: int) -> str:
    """So many samples.

    Examples
    --------
    >>> samples(1), samples(1200)
    ('1 sample', '1,200 samples')
    """
    return f"{count:,} sample" + ("" if count == 1 else "s")


def code_text(formula: Formula, node_id: int, limit: int = TEXT_LIMIT) -> str:
    """A sub-expression in backticks.

    Parameters
    ----------
    formula : Formula
    node_id : int
        The root of the sub-expression.
    limit : int
        Most characters between the backticks.
    """
    return f"`{short_text(formula, node_id, limit)}`"


def input_name(name: str) -> str:
    """A variable as `code_text` shows it.

    Examples
    --------
    >>> input_name("theta1")
    '`θ₁`'
    """
    return f"`{short_text(Formula.from_draft(variable(name)))}`"


def noise_source(node: Node, text: str) -> str:
    """What a node's noise is: the error of an input or a constant, or a rounding.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> [noise_source(node, text) for node, text in zip(read("2*x").formula, ("2", "x", "2·x"))]
    ['error of the constant `2`', 'error of the input `x`', 'rounding of `2·x`']
    """
    if node.operator == VARIABLE:
        return f"error of the input `{text}`"
    kind = "error of the constant" if node.operator == CONSTANT else "rounding of"
    return f"{kind} `{text}`"


def listed(items: Sequence[str]) -> str:
    """Items joined by commas and "and".

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)
