"""Random formulas and small tables full of special points, from a seed."""

from __future__ import annotations

import random
from fractions import Fraction

from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.operators import OPERATORS

CONSTANTS = ("0", "1", "-1", "0.1", "1e-8", "1e8", "pi", "2", "0.5", "3", "1/3", "e", "-2.5")
EXPONENTS = tuple(map(Fraction, ("2", "3", "-1", "0.5", "-0.5", "1.5", "-2", "4", "0", "1", "5/2")))
ROOTS = tuple(map(Fraction, (2, 3, 4, 5)))
BASES = (None, None, Fraction(2), Fraction(10), Fraction(1, 2), Fraction(7, 2))

CELLS = (
    "0",
    "1",
    "-1",
    "2",
    "-2",
    "0.5",
    "0.1",
    "0.2",
    "0.3",
    "3",
    "-0.7",
    "1.5",
    "10",
    "1e200",
    "1e-200",
    "-1e-200",
    "1e-8",
    "1e8",
    "0.9999",
    "1000",
)

NUMERIC = {name: row for name, row in OPERATORS.items() if row.numeric}
"""All but conditions and choices, for which `tests.core.engine.test_conditionals` has an oracle."""

STEADY = ("add", "sub", "mul", "div", "neg", "power", "sin", "cos", "exp", "log", "sqrt", "abs")


def random_tree(rng: random.Random, names: tuple[str, ...], depth: int, steady: float) -> Draft:
    """A tree of at most `depth` levels; `steady` is the share of everyday operators."""
    if depth <= 1 or rng.random() < 0.12:
        if rng.random() < 0.65:
            return variable(rng.choice(names))
        return constant(rng.choice(CONSTANTS))
    pool = STEADY if rng.random() < steady else tuple(NUMERIC)
    name = rng.choice(pool)
    arity = NUMERIC[name].arity or rng.choice((2, 2, 2, 3, 4))
    parameter = None
    if name == "power":
        parameter = rng.choice(EXPONENTS)
    elif name == "root":
        parameter = rng.choice(ROOTS)
    elif name == "log":
        parameter = rng.choice(BASES)
    children = [random_tree(rng, names, depth - 1, steady) for _ in range(arity)]
    if arity == 2 and rng.random() < 0.08:  # x - x, x/x, ties
        children[1] = children[0]
    return Draft(name, children, parameter=parameter)


def random_table(
    rng: random.Random, names: tuple[str, ...], rows: int, special: float
) -> dict[str, list[str]]:
    """Decimal texts: special cells in the share `special`, ordinary numbers else."""

    def cell() -> str:
        if rng.random() < special:
            return rng.choice(CELLS)
        return repr(round(rng.uniform(-3, 5), rng.choice((1, 2, 4))))

    table = {name: [cell() for _ in range(rows)] for name in names}
    for row in range(rows):
        if rng.random() < 0.15:  # ties
            for name in names[1:]:
                table[name][row] = table[names[0]][row]
    return table


def random_case(seed: int) -> tuple[Formula, dict[str, list[str]]]:
    """A formula and its table; the same for the same seed."""
    rng = random.Random(seed)
    names = ("x", "y", "z")[: rng.choice((1, 2, 3))]
    depth = rng.choice((2, 3, 4, 5, 6, 7))
    formula = Formula.from_draft(random_tree(rng, names, depth, rng.choice((0.0, 0.5, 0.9))))
    return formula, random_table(rng, names, rng.choice((1, 3, 6)), rng.choice((0.2, 0.5, 1.0)))
