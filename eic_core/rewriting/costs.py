"""What a form costs: nanoseconds a call in NumPy and in C, added up from a table of operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eic_core.formula.tree import VARIABLE
from eic_core.operators import OPERATORS
from eic_core.rewriting.terms import Term, Terms


class Nanoseconds(NamedTuple):
    numpy: float  # For each element of an array
    c: float


OTHER = Nanoseconds(20, 20)
"""Of an operator without a row, which somebody registered."""

# Printed by `python -m benchmarks.operator_costs` on x86-64 (AVX2, no AVX-512) with glibc 2.36,
# gcc 12 -O2 and NumPy 2.4, 2026-11-26. Other machines are faster or slower; the ratios matter.
# The operators are timed as they are copied: C writes `pow(x, 3)` for a cube.
TABLE: dict[str, Nanoseconds] = {
    "add": Nanoseconds(0.55, 0.62),
    "sub": Nanoseconds(0.5, 0.5),
    "mul": Nanoseconds(0.51, 0.5),
    "div": Nanoseconds(0.61, 0.71),
    "neg": Nanoseconds(0.4, 0.3),
    "abs": Nanoseconds(0.46, 0.27),
    "power": Nanoseconds(15, 14),
    "power:2": Nanoseconds(0.53, 0.42),
    "power:3": Nanoseconds(15, 14),
    "power:-1": Nanoseconds(0.95, 0.71),
    "power:1/2": Nanoseconds(1.8, 14),
    "sqrt": Nanoseconds(1.6, 2.7),
    "cbrt": Nanoseconds(23, 14),
    "root": Nanoseconds(17, 60),
    "pow": Nanoseconds(14, 13),
    "hypot": Nanoseconds(9.3, 6.6),
    "exp": Nanoseconds(5.5, 6.1),
    "expm1": Nanoseconds(8.5, 8.6),
    "log": Nanoseconds(4.5, 5.2),
    "log:2": Nanoseconds(4.8, 4.8),
    "log:10": Nanoseconds(8.4, 8.2),
    "log1p": Nanoseconds(7.8, 7.7),
    "logaddexp": Nanoseconds(14, 16),
    "sin": Nanoseconds(11, 10),
    "cos": Nanoseconds(11, 10),
    "tan": Nanoseconds(13, 13),
    "cot": Nanoseconds(14, 14),
    "sec": Nanoseconds(12, 11),
    "csc": Nanoseconds(11, 11),
    "asin": Nanoseconds(6.2, 7),
    "acos": Nanoseconds(7.3, 7.7),
    "atan": Nanoseconds(10, 9.7),
    "atan2": Nanoseconds(19, 19),
    "sinh": Nanoseconds(16, 16),
    "cosh": Nanoseconds(7.7, 7.9),
    "tanh": Nanoseconds(14, 16),
    "asinh": Nanoseconds(11, 11),
    "acosh": Nanoseconds(9.3, 8.9),
    "atanh": Nanoseconds(13, 12),
    "erf": Nanoseconds(13, 14),
    "erfc": Nanoseconds(14, 15),
    "erfcx": Nanoseconds(24, 28),
    "gamma": Nanoseconds(15, 84),
    "lgamma": Nanoseconds(14, 13),
    "betaln": Nanoseconds(70, 45),
    "min": Nanoseconds(0.51, 3.8),
    "max": Nanoseconds(0.51, 3.7),
    "sign": Nanoseconds(0.91, 1.2),
    "floor": Nanoseconds(0.45, 1.3),
    "ceil": Nanoseconds(0.44, 1.4),
    "round": Nanoseconds(0.43, 0.97),
    "mod": Nanoseconds(8.4, 6.2),
    "fmod": Nanoseconds(4.6, 6.4),
    "remainder": Nanoseconds(11, 12),
    "fma": Nanoseconds(29, 3.0),
    "gp_div": Nanoseconds(4, 1.7),
    "gp_log": Nanoseconds(9.1, 10),
    "gp_inv": Nanoseconds(4.3, 1.5),
    "deap_div": Nanoseconds(4.1, 1.6),
    "less_than": Nanoseconds(0.41, 0.57),
    "less_equal": Nanoseconds(0.42, 0.43),
    "greater_than": Nanoseconds(0.42, 0.38),
    "greater_equal": Nanoseconds(0.42, 0.35),
    "equal_to": Nanoseconds(0.17, 0.43),
    "not_equal": Nanoseconds(0.15, 0.35),
    "conditional": Nanoseconds(1.2, 0.1),
    "logical_and": Nanoseconds(0.1, 0.1),
    "logical_or": Nanoseconds(0.1, 0.1),
    "logical_not": Nanoseconds(0.26, 0.1),
}
"""By the operator, and by its parameter where that matters."""


MOST_PATHS = 16
"""Ways through the conditions of a formula that are looked at; the mean is of these."""


def nanoseconds(terms: Terms, root: int, shares: Sequence[float] = ()) -> Nanoseconds:
    """What one evaluation of a term takes; what occurs twice is computed once, numbers before.

    NumPy computes every branch of a conditional, C the one that is taken: the mean of the branches,
    or the mean by `shares`, how often each is taken, in the order in which they are written.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> once, twice = (terms.add(read(text).formula) for text in ("exp(x)", "exp(x)*exp(x)"))
    >>> nanoseconds(terms, twice).c - nanoseconds(terms, once).c < 1
    True
    >>> choice = terms.add(read("where(x < 1, exp(x), x)").formula)
    >>> nanoseconds(terms, choice, [0.0, 1.0]).c < 2 < nanoseconds(terms, choice).c
    True
    """
    costs: dict[int, Nanoseconds] = {}
    varies: set[int] = set()
    for number in terms.subterms(root):
        term = terms[number]
        if term.operator == VARIABLE:
            varies.add(number)
        elif any(child in varies for child in term.children):
            varies.add(number)
            costs[number] = _of(term)
    paths = _paths(terms, root)
    weights = list(shares) if len(shares) == len(paths) and sum(shares) > 0 else [1.0] * len(paths)
    whole = sum(weights)
    c = sum(
        weight / whole * sum(costs[number].c for number in path if number in costs)
        for weight, path in zip(weights, paths, strict=True)
    )
    return Nanoseconds(sum(cost.numpy for cost in costs.values()), c)


def _paths(terms: Terms, root: int) -> list[list[int]]:
    """The terms that are evaluated on each way through the conditions."""
    paths: list[list[int]] = []
    todo: list[dict[int, int]] = [{}]  # The branch taken, by conditional
    while todo and len(paths) < MOST_PATHS:
        taken = todo.pop()
        path = _evaluated(terms, root, taken)
        open_ones = [n for n in path if _chooses(terms, n) and n not in taken]
        if not open_ones:
            paths.append(path)
        else:
            held, other = terms[open_ones[0]].children[1:]
            todo += [{**taken, open_ones[0]: other}, {**taken, open_ones[0]: held}]
    return paths


def _chooses(terms: Terms, number: int) -> bool:
    return bool(terms[number].children) and OPERATORS[terms[number].operator].chooses


def _evaluated(terms: Terms, root: int, taken: Mapping[int, int]) -> list[int]:
    seen: dict[int, None] = {}
    todo = [root]
    while todo:
        number = todo.pop()
        if number in seen:
            continue
        seen[number] = None
        children = terms[number].children
        if number in taken:
            todo += [children[0], taken[number]]
        elif _chooses(terms, number):
            todo.append(children[0])
        else:
            todo += children
    return list(seen)


def _of(term: Term) -> Nanoseconds:
    keys = (f"{term.operator}:{term.parameter}", term.operator)
    cost = next((TABLE[key] for key in keys if key in TABLE), OTHER)
    row = OPERATORS[term.operator]
    calls = len(term.children) - 1 if row.arity is None else 1
    return Nanoseconds(calls * cost.numpy, calls * cost.c)
