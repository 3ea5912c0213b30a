"""Derivatives, which are no formulas of values: ``d/dx x^2``, ``\\frac{dy}{dx}``."""

from __future__ import annotations

import re
from typing import NoReturn

from eic_core.formula.syntax.euler import with_arguments
from eic_core.formula.syntax.names import LETTERS, Names
from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.refusals import DERIVATIVE_OF_VALUES, refuse

_BY = r"[^\W\d_]_?[0-9₀₁₂₃₄₅₆₇₈₉]{0,2}+(?!\w)"
_PLAIN = re.compile(
    r"(?<![\w.)])d(?P<power>\s?(?:(?:\^|\*\*)\s?[0-9]|[²³]))?+"
    rf"\s?(?:(?P<of>{_BY})?+(?P<argument>\([^()]{{0,200}}+\))?+)\s?/\s?\(?+d\s?(?P<by>{_BY})"
)
_D = r"(?:d|\\(?:mathrm|operatorname|text|rm)\s*+(?:\{\s*+d\s*+\}|d))"
_LETTER = (
    rf"(?:[A-Za-z]|\\(?:(?:var)?(?:pi|{'|'.join(sorted(LETTERS))})|left|math[a-z]{{2}}|vec|hat)\b)"
)
_LATEX = re.compile(
    rf"\s*+\{{\s*+{_D}\s*+(?:\^\s*+(?:\{{\s*+\w\s*+\}}|\w)\s*+)?+"
    rf"(?:(?={_LETTER}|\()(?:[^{{}}()+=-]|\{{[^{{}}]{{0,40}}+\}}|\([^{{}}()]{{0,80}}+\)){{0,60}}+)?+"
    rf"\}}\s*+\{{\s*+{_D}\s*+(?P<by>{_LETTER})"
)
"""What follows ``\\frac`` in a derivative."""


def refuse_derivatives(report: Report, names: Names, start: int, end: int) -> None:
    """Raise for ``d/dx`` and its kin unless its names are variables; note ``dy/dx`` as a
    quotient.
    """
    for match in _PLAIN.finditer(report.view, start, end):
        of, by = f"d{match['of'] or ''}", f"d{match['by']}"
        if names.is_known(of) or names.is_known(by):
            continue
        shown = " ".join(report.text[slice(*match.span())].split())
        if match["of"] and not (match["power"] or match["argument"]) and "*" in report.view:
            report.note(
                f"`{shown}` is read as a quotient of two variables, not as a derivative",
                match.span(),
            )
            continue
        choices: tuple[tuple[str, str], ...] = ()
        if not match["power"] and not match["argument"]:
            quotient = with_arguments(report.text, [of, by], start, end)
            choices = ((f"the quotient of the variables {of} and {by}", quotient),)
        fail_derivative(report, *match.span(), choices)


def is_latex_derivative(report: Report, names: Names, place: int) -> bool:
    """Whether the ``\\frac`` whose numerator begins at `place` is a derivative."""
    match = _LATEX.match(report.text, place)
    return match is not None and not names.is_known("d") and not names.is_known(f"d{match['by']}")


def fail_derivative(
    report: Report, start: int, end: int, choices: tuple[tuple[str, str], ...] = ()
) -> NoReturn:
    refuse(report, DERIVATIVE_OF_VALUES, (start, end), None, choices)
