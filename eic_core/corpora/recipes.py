"""What published generators build random formulas from: operators, their odds, sizes and data.

Facts, each with its source; `eic_core.corpora.growing` is what grows formulas from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from eic_core.formula.tree import Parameter


class OperatorOdds(NamedTuple):
    """An operator that a generator draws."""

    word: str  # What its token is called
    weight: float  # Its odds against the others of as many operands
    operator: str  # A row of `eic_core.operators.OPERATORS`
    parameter: Parameter = None  # An exact exponent


@dataclass(frozen=True)
class Recipe:
    """How a random formula and its data come about."""

    source: str
    unaries: tuple[OperatorOdds, ...]
    binaries: tuple[OperatorOdds, ...]
    # Words of the binary operators of which an operand gets a factor, and no shift
    sums: tuple[str, ...]
    # shift, factor: words of what adds a number and what multiplies by one
    shift: str
    factor: str
    most_variables: int  # Their number is uniform from 1 to it
    # Beyond the number of variables; binary operators are uniform from one fewer than variables
    spare_binaries: int
    most_unaries: int  # Their number is uniform from 0 to it
    largest_operand: int  # The most nodes below a unary operator when it is put in
    # mantissa, exponents: a number is a sign, an integer from 1 to the mantissa, and a power of ten
    mantissa: int
    exponents: tuple[int, int]
    most_clusters: int  # Of the data; their number is uniform from 1 to it
    # Whether trees are uniform over all that have as many operators, of one operand or two; else
    # over those of binary operators alone, and unary operators are put in afterwards
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

The paper says 0 to 5 binary operators more than variables, an affine map at every variable and
unary operator; the code's defaults are what its models were trained with, and what stands here.
"""

UNARY_BINARY = replace(
    E2ESR,
    source="the same operators and numbers on trees that are uniform over all unary-binary trees "
    "of as many operators: Lample and Charton (2020), Deep learning for symbolic mathematics",
    uniform_shapes=True,
)

RECIPES: Mapping[str, Recipe] = {"e2esr": E2ESR, "unary-binary": UNARY_BINARY}
