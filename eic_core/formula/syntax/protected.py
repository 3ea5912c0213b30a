"""gplearn's protected functions: their meaning, and the same formula with that meaning written out.
gplearn (`gplearn/functions.py`): ``sqrt`` is the root of |x|; ``log`` is log |x|, and 0 where |x| ≤
0.001; ``div`` is 1 where |divisor| ≤ 0.001; ``inv`` is 0 where |x| ≤ 0.001.
"""

from __future__ import annotations

import re

from eic_core.formula.syntax import phrases
from eic_core.formula.syntax.reading import Report, replaced
from eic_core.formula.tree import Formula
from eic_core.operators import OPERATORS

_PROTECTED = ("sqrt", "log", "div", "inv")

_LONGEST = 10
"""Most characters of such a name and the blanks behind it."""

MAX_WRITTEN = 5_000
"""Characters of a written-out formula, at most: every protected function writes its operand twice,
and one inside another doubles that."""


def note_protected(report: Report, formula: Formula) -> None:
    """Say where gplearn computes another function than the one read, and offer it written out."""
    met: dict[str, tuple[int, int]] = {}
    if any(node.children and OPERATORS[node.operator].chooses for node in formula):
        return  # gplearn prints no condition: somebody has written it out
    for k, node in enumerate(formula):
        name = _protected(report.text, formula, k)
        if name:
            met.setdefault(name, node.span)
    if not met:
        return
    written = written_out(report.text, formula)
    report.protected = tuple(name for name in _PROTECTED if name in met)
    note = phrases.protected_functions(met, too_long=not written)
    report.note(str(note), next(iter(met.values())))
    if written:
        report.alternative(str(phrases.protected_functions_written_out()), lambda: written)


def _protected(text: str, formula: Formula, k: int) -> str:
    """The protected function that a node was written as and that differs from it, or ""."""
    node = formula.nodes[k]
    start, end = node.span
    name = text[start : min(end, start + _LONGEST)].partition("(")[0].strip()
    if name not in _PROTECTED or not node.children or text[end - 1 : end] != ")":
        return ""
    bare = name == "sqrt" and formula.nodes[node.children[0]].operator == "abs"
    return "" if bare else name


def written_out(text: str, formula: Formula) -> str:
    """A formula of gplearn's with its protected functions as conditions; "" if that is too long.

    >>> from eic_core.formula.syntax import read
    >>> written_out("inv(sub(X0, X1))", read("inv(sub(X0, X1))", syntax="gplearn").formula)
    'where(abs(sub(X0, X1)) > 0.001, 1/sub(X0, X1), 0)'
    """
    written: list[str] = []
    for k, node in enumerate(formula):
        start, end = node.span
        inside = [j for j in node.children if formula.nodes[j].span != node.span]
        name = _protected(text, formula, k)
        if name:
            given = [written[j] for j in inside]
            absolute = formula.nodes[inside[-1]].operator == "abs"
            piece = _as_condition(name, given, given[-1] if absolute else f"abs({given[-1]})")
        else:
            pieces = [
                (formula.nodes[j].span[0] - start, formula.nodes[j].span[1] - start, written[j])
                for j in inside
            ]
            piece = replaced(text[start:end], pieces)
        if len(piece) > MAX_WRITTEN:
            return ""
        written.append(piece)
    first, last = formula.root.span
    return text[:first] + written[-1] + text[last:]


def _as_condition(name: str, given: list[str], absolute: str) -> str:
    """A protected function of operands, as gplearn's own source has it."""
    if name == "sqrt":
        return f"sqrt({absolute})"
    if name == "log":
        return f"where({absolute} > 0.001, log({absolute}), 0)"
    divisor = _closed(given[-1])
    if name == "inv":
        return f"where({absolute} > 0.001, 1/{divisor}, 0)"
    return f"where({absolute} > 0.001, {_closed(given[0])}/{divisor}, 1)"


_CLOSED = re.compile(r"[A-Za-z0-9_.]+\Z")
_CALL = re.compile(r"[A-Za-z_]\w*\(")


def _closed(piece: str) -> str:
    """An operand, in parentheses unless it is a name, a number or one call."""
    if _CLOSED.match(piece):
        return piece
    if _CALL.match(piece):
        depth = 0
        for place, sign in enumerate(piece):
            depth += (sign == "(") - (sign == ")")
            if sign == ")" and not depth:
                return piece if place == len(piece) - 1 else f"({piece})"
    return f"({piece})"
