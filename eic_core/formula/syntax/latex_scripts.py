"""Scripts on LaTeX functions: powers, inverses and bases."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial

from eic_core.formula.syntax.build import (
    FUNCTIONS,
    Function,
    Refusal,
    log_base,
    number_label,
    power,
)
from eic_core.formula.syntax.latex_tables import GREEK
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.tokens import PLAIN_DECIMAL
from eic_core.formula.tree import Draft, constant
from eic_core.operators import OPERATORS

_RATIO = rf"({PLAIN_DECIMAL})(?:\s*+/\s*+([0-9]++))?+\s*+\Z"
_EXPONENT = re.compile(rf"\s*+([+-]?)\s*+{_RATIO}")
_BASE = re.compile(rf"\s*+{_RATIO}")


class Scripts:
    """What the scripts of a function turn it into.

    Parameters
    ----------
    report : Report
        Where notes and errors go.
    names : Names
        The meaning of names.
    """

    def __init__(self, report: Report, names: Names) -> None:
        self.report = report
        self.names = names
        self.text = report.text

    def based(self, name: str, script: str, start: int, end: int) -> Function:
        """``\\log_{b}``: an exact base if it is a literal, else a quotient."""
        match = _BASE.match(script)
        if name != "log":
            self.report.fail(f"`\\{name}` takes no subscript", start, end, "remove it")
        if match:
            over, under = (Fraction(self.number(m or "1", start, end)) for m in match.groups())
            base = over / under if under else under
            if base <= 0 or base == 1:
                self.report.fail("the base of a logarithm is positive and not 1", start, end)
            return Function("log", 1, 1, partial(log_base, base))
        leaf = self.symbol(script, start, end)
        return Function("log", 1, 1, lambda args, span: FUNCTIONS["log"].build([*args, leaf], span))

    def raised(self, name: str, function: Function, script: str, start: int, end: int) -> Function:
        """``\\sin^2 x`` is a power of sin; ``\\sin^{-1} x`` is the inverse function."""
        match = _EXPONENT.match(script.replace("−", "-"))
        row = OPERATORS.get(name)
        inverse = row.writing.inverse if row is not None else ""
        if match and match[0].replace(" ", "") == "-1" and inverse:
            self.report.note(
                f"`\\{name}^{{-1}}` is read as the inverse function {inverse}", (start, end)
            )
            self.report.alternative(
                f"one over {name}",
                lambda: re.sub(
                    rf"\\{name}\s*\^\s*\{{\s*-\s*1\s*\}}", rf"\\{name}^{{-1.0}}", self.text
                ),
            )
            return FUNCTIONS[inverse]
        if match:
            label = match[1].replace("+", "") + self.number(match[2], start, end)
            exponent = constant(label, (start, end))
            if match[3]:
                under = constant(self.number(match[3], start, end), (start, end))
                exponent = Draft("div", [exponent, under], span=(start, end))
        else:
            exponent = self.symbol(script, start, end)

        def build(args: list[Draft], span: tuple[int, int]) -> Draft:
            return power([function.build(args, span), exponent], span)

        return Function(name, function.low, function.high, build)

    def number(self, text: str, start: int, end: int) -> str:
        """The label of a number in a script."""
        try:
            return number_label(text)
        except Refusal as refusal:
            self.report.fail(refusal.message, start, end, refusal.hint)

    def symbol(self, script: str, start: int, end: int) -> Draft:
        """A single letter or Greek letter in a script, as a leaf."""
        text = script.strip().removeprefix("\\")
        if not re.fullmatch(r"[A-Za-z]", text) and text not in GREEK:
            self.report.fail(
                "this script is not read", start, end, "put the function in parentheses first"
            )
        try:
            return self.names.leaf(text, (start, end))
        except Refusal as refusal:
            self.report.fail(refusal.message, start, end, refusal.hint)
