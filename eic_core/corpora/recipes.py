"""Recipes of published generators of random formulas: facts, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from eic_core.formula.tree import Parameter


class OperatorOdds(NamedTuple):
    word: str  # Its token
    weight: float  # Its odds against the other operators of the same arity
    operator: str  # A row of `eic_core.operators.OPERATORS`
    parameter: Parameter = None  # An exact exponent


@dataclass(frozen=True)
class Recipe:
    source: str
    unaries: tuple[OperatorOdds, ...]
    binaries: tuple[OperatorOdds, ...]
    sums: tuple[str, ...]  # Binary operators whose operands get a factor, and no shift
    shift: str  # The operator that adds a number
    factor: str  # The operator that multiplies by a number
    most_variables: int  # Uniform from 1
    spare_binaries: int  # Binary operators are uniform from variables - 1 to variables + these
    most_unaries: int  # Uniform from 0
    largest_operand: int  # Most nodes below a unary operator when it is put in
    mantissa: int  # A number is a sign, an integer from 1 to it, and a power of ten
    exponents: tuple[int, int]  # The lowest and the highest power of ten of a number, both included
    most_clusters: int  # Parts of the data's mixture, uniform from 1
    # True: uniform over all trees of this many operators of either arity; False: over the trees of
    # binary operators alone, and unary operators are put in afterwards
    uniform_shapes: bool = False


E2ESR = Recipe(
    source="Kamienny, d'Ascoli, Lample and Charton (2022), End-to-end symbolic regression with "
    "transformers; github.com/facebookresearch/symbolicregression, envs/generators.py and "
    "environment.py, defaults of commit c4144c9",
    unaries=(
        OperatorOdds("abs", 1, "abs"),
        OperatorOdds("inv", 3, "power", Fraction(-1)),
        OperatorOdds("sqrt", 5, "sqrt"),
        OperatorOdds("log", 1, "log"),
        OperatorOdds("exp", 1, "exp"),
        OperatorOdds("sin", 1, "sin"),
        OperatorOdds("cos", 1, "cos"),
        OperatorOdds("tan", 0.2, "tan"),
        OperatorOdds("arctan", 0.2, "atan"),
        OperatorOdds("pow2", 3, "power", Fraction(2)),
        OperatorOdds("pow3", 1, "power", Fraction(3)),
    ),
    binaries=(
        OperatorOdds("add", 1, "add"),
        OperatorOdds("sub", 1, "sub"),
        OperatorOdds("mul", 1, "mul"),
    ),
    sums=("add", "sub"),
    shift="add",
    factor="mul",
    most_variables=10,
    spare_binaries=3,
    most_unaries=4,
    largest_operand=5,
    mantissa=999,
    exponents=(-3, -1),
    most_clusters=9,
)
"""Division is left out there (its weight is 0; `inv` stands for it), as are arcsin and arccos.

The paper says 0 to 5 binary operators more than variables, and an affine map at every variable and
unary operator; the models were trained with the defaults of the code, which are followed here.
"""

UNARY_BINARY = replace(
    E2ESR,
    source="the same operators and numbers on trees that are uniform over all unary-binary trees "
    "of as many operators: Lample and Charton (2020), Deep learning for symbolic mathematics",
    uniform_shapes=True,
)

RECIPES: Mapping[str, Recipe] = {"e2esr": E2ESR, "unary-binary": UNARY_BINARY}
