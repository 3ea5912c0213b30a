"""Rounds a formula's constants and a table's columns to fewer significant digits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import Enum, auto
from functools import cache

import numpy as np

from eic_core.formula.rendering import form_of
from eic_core.formula.syntax.build import number_label
from eic_core.formula.tree import CONSTANT, Draft, Formula, variable
from eic_core.measure.refitting import is_decimal
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array

MOST_DIGITS = 17
"""Significant digits that tell all doubles apart."""


class Measure(Enum):
    """What the tolerance is a part of."""

    SPREAD = auto()  # A standard deviation
    SIZE = auto()  # The largest size of what does not vary beyond the noise of rounding
    LARGEST_ON_THE_WAY = auto()  # For an output that is 0


@dataclass(frozen=True)
class OutputScale:
    of: str  # "target" or "output"
    measure: Measure
    unit: float  # The same as a number
    noise: float  # The deviation (rms) that rounding alone may make


@dataclass(frozen=True)
class Need:
    kind: str  # "constant" or "input"
    name: str  # The constant as written, or the variable
    nodes: tuple[int, ...]  # Where it stands
    given: int  # Significant digits as written; for an input, the most that a cell has
    alone: int  # Digits that suffice if nothing else is rounded
    together: int  # Digits kept when everything is rounded at once
    shortened: str  # The constant rounded so; "" for an input

    _JSON = ("kind", "name", "nodes", "given", "alone", "together", "shortened")


def shortenable(formula: Formula) -> dict[str, tuple[int, ...]]:
    """Decimal constants by their text, each with the nodes where it stands.

    >>> from eic_core.formula.syntax import read
    >>> shortenable(read("2.50*x + pi/3.1 + 2.50").formula)
    {'2.50': (0, 7), '3.1': (4,)}
    """
    found: dict[str, tuple[int, ...]] = {}
    for node in formula.nodes:
        if is_decimal(node):
            found[node.label] = (*found.get(node.label, ()), node.id)
    return found


def digits_of(text: str) -> int:
    """Significant digits of a decimal number; trailing zeros do not count.

    >>> [digits_of(t) for t in ("2.50", "10000", "-0.0012", "1e-3", "0")]
    [2, 1, 2, 1, 1]
    """
    digits = Decimal(text).as_tuple().digits
    return max(1, len("".join(map(str, digits)).strip("0")))


def shortened_label(label: str, digits: int) -> str:
    """A constant rounded to so many significant digits (at most), spelled as `Node.label` is.

    >>> [shortened_label(t, 3) for t in ("3.14159", "-165.300293", "123456", "2.50", "1.2345e-7")]
    ['3.14', '-165', '123000', '2.50', '1.23e-7']
    """
    if digits_of(label) <= digits:
        return label
    value = Context(prec=digits, rounding=ROUND_HALF_EVEN).create_decimal(label)
    exponent = value.adjusted()
    text = f"{value.normalize():e}" if not -5 <= exponent < 16 else f"{value.normalize():f}"
    return signed_number_label(text)


def signed_number_label(text: str) -> str:
    """A number that may carry a minus, spelled as `Node.label` is.

    >>> signed_number_label("-9.3e-08"), signed_number_label("2.0")
    ('-9.3e-8', '2.0')
    """
    return f"-{number_label(text[1:])}" if text.startswith("-") else number_label(text)


def with_labels(formula: Formula, digits: Mapping[str, int]) -> Formula:
    """The formula with each constant of these labels rounded to so many digits.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> to_python(with_labels(read("1.234*x - 5.6789").formula, {"1.234": 2, "5.6789": 3}))
    '1.2*x - 5.68'
    """
    return Formula(
        tuple(
            node._replace(label=shortened_label(node.label, digits[node.label]))
            if node.operator == CONSTANT and node.label in digits
            else node
            for node in formula.nodes
        ),
        formula.source,
        formula.exponents,
    )


class Exponents:
    """The powers of a formula whose exponents, shortened, may become exact: another tree.

    >>> from eic_core.formula.syntax import read
    >>> exponents = Exponents(read("x**2.37").formula)
    >>> [exponents.turn_exact({"2.37": digits}) for digits in (1, 2)]
    [True, False]
    """

    def __init__(self, formula: Formula) -> None:
        # by constant the powers over it, each of a variable, with all constants of their exponents
        self._powers: dict[str, list[tuple[Formula, tuple[str, ...]]]] = {}
        self._becomes_exact = cache(_becomes_exact)
        for node in formula.nodes:
            if len(node.children) == 2 and OPERATORS[node.operator].writing.explicit is not None:
                exponent = formula.to_draft(node.children[1])
                power = Formula.from_draft(Draft(node.operator, [variable("x"), exponent]))
                labels = tuple(shortenable(power))
                for label in labels:
                    self._powers.setdefault(label, []).append((power, labels))

    def turn_exact(self, digits: Mapping[str, int]) -> bool:
        """Whether one does: a whole number, or a half, of constants with so many digits."""
        return any(
            self._becomes_exact(power, tuple([digits.get(each, MOST_DIGITS) for each in labels]))
            for label in digits
            for power, labels in self._powers.get(label, ())
        )


def _becomes_exact(power: Formula, digits: tuple[int, ...]) -> bool:
    short = with_labels(power, dict(zip(shortenable(power), digits, strict=True)))
    explicit = OPERATORS[power.root.operator].writing.explicit
    return form_of(short, short.root) is explicit is not form_of(power, power.root)


def rounded_column(values: Array, digits: int) -> Array:
    """Every number rounded to so many significant digits.

    >>> rounded_column(np.array([3.14159, -0.00271828, 0.0, 12345.0]), 2).tolist()
    [3.1, -0.0027, 0.0, 12000.0]
    """
    if digits >= MOST_DIGITS:
        return values
    return np.array([float(f"{value:.{digits - 1}e}") for value in values.tolist()])
