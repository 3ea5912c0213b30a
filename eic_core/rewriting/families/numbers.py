"""Numbers folded exactly."""

from __future__ import annotations

from eic_core.rewriting.builder import MAX_EXPONENT, Builder
from eic_core.rewriting.polynomials import square_root
from eic_core.rewriting.rules import Named


def folded_numbers(build: Builder, number: int) -> Named:
    """A power or root of a number as one number."""
    term = build.terms[number]
    value = build.terms.number(term.children[0]) if term.children else None
    folded = None
    if value is None:
        return
    if term.operator == "power" and term.parameter is not None and value:
        if term.parameter.denominator == 1 and abs(term.parameter) <= MAX_EXPONENT:
            folded = build.number(value**term.parameter.numerator)
    elif term.operator == "sqrt":
        root = square_root(value)
        folded = None if root is None else build.number(root)
    if folded is not None:
        yield "merging numbers", folded
