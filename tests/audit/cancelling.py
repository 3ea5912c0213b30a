"""Random formulas that cancel: what a function keeps beside its leading terms, differences of
neighbouring values, quadratics, quotients of small quantities, sums and powers with letters, and
compositions of these; on ranges of one or of many decades, with one sign or both. The same for the
same seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from tests.audit.draws import grammar_draw

Columns = dict[str, NDArray[np.float64]]

MOST_NODES = 40

REMAINDERS = (
    "sin({u}) - {u}",
    "{u} - sin({u})",
    "exp({u}) - 1 - {u}",
    "exp({u}) - (1 + {u})",
    "1 - cos({u}) - {u}**2/2",
    "cos({u}) - 1",
    "log(1 + {u}) - {u}",
    "tan({u}) - {u}",
    "atan({u}) - {u}",
    "sinh({u}) - {u}",
    "asin({u}) - {u}",
    "tanh({u}) - {u}",
    "sqrt(1 + {u}) - 1 - {u}/2",
    "sqrt(1 + {u}**2) - 1",
    "1/{u} - 1/tan({u})",
    "1/{u} - 1/sin({u})",
    "1/sinh({u}) - 1/{u}",
    "1/(exp({u}) - 1) - 1/{u}",
    "{u}*cos({u}) - sin({u})",
    "erf({u}) - {u}",
    "(1 + {u})**3 - 1 - 3*{u}",
    "1/(1 + {u}) - 1 + {u}",
    "sin({u})*cos({u}) - {u}",
)
DIFFERENCES = (
    "sin({u} + {h}) - sin({u})",
    "exp({u} + {h}) - exp({u})",
    "tan({u} + {h}) - tan({u})",
    "({u} + {h})**2 - {u}**2",
    "1/({u} + {h}) - 1/{u}",
    "sqrt({u} + {h}) - sqrt({u})",
    "log({u} + {h}) - log({u})",
    "cbrt({u} + {h}) - cbrt({u})",
    "atan({u} + {h}) - atan({u})",
    "cos({u} + {h}) - cos({u} - {h})",
    "hypot({u}, {h}) - {u}",
    "sqrt({u}**2 + {h}) - {u}",
    "log(exp({u}) + exp({h})) - {u}",
)
QUADRATICS = (
    "(-{u} + sqrt({u}**2 - 4*{h}*{v}))/(2*{h})",
    "(-{u} - sqrt({u}*{u} - 4*{h}*{v}))/(2*{h})",
    "(sqrt({u}**2 - {h}*{v}) - {u})/{h}",
    "({u} + sqrt({u}**2 + {h}))/{v}",
    "sqrt({u}**2 + {h}**2) - {u}",
    "{u} + sqrt({u}**2 + {h})",
    "(-{u} + sqrt({u}**2 + 4*{h}))/2",
)
QUOTIENTS = (
    "(1 - cos({u}))/{u}**2",
    "({u} - sin({u}))/({u} - tan({u}))",
    "(exp({u}) - 1)/(exp(2*{u}) - 1)",
    "({u}*cos({u}) - sin({u}))/{u}**2",
    "log(1 - {u})/log(1 + {u})",
    "({u} - sin({u}))/{u}**3",
    "(exp({u}) - 1 - {u})/{u}**2",
    "(1 - exp(-{u}))/{u}",
    "(1 - exp(-{u}*{h}))/{h}",
    "(sinh({u}) - sin({u}))/{u}**3",
    "1/({u} + 1) - 2/{u} + 1/({u} - 1)",
    "1/({u} - {h}) - 1/({u} + {h})",
    "(atan({u}) - {u})/{u}**3",
)
LETTERS = (
    "{u} - {v}*sin({u})",
    "{v}*sinh({u}) - {u}",
    "{v}*expm1({u}) - {h}*{u}",
    "{u}/{v} - atan({u})",
    "{v}*sin({u}) - sin({v}*{u})",
    "(1 + {u})**{v} - 1 - {v}*{u}",
    "1 - (1 - {u})**{v}*(1 + {v}*{u})",
    "(1 + {u})**{v} - exp({v}*{u})",
    "{v}*log1p({u}/{v}) - {u}",
    "expm1({v}*{u})/{v} - expm1({h}*{u})/{h}",
)
AROUND = (
    "{f}",
    "{f}",
    "{f}",
    "{f}",
    "{v}*({f})",
    "({f})/{u}",
    "({f})**2",
    "sqrt(abs({f}))",
    "1/({f})",
    "{v} + ({f})",
    "exp({f})",
    "({f})/({v} + 3)",
    "log(abs({f}))",
)
INSIDE = ("{x}", "{x}", "{x}", "{x}", "2*{x}", "{x}/3", "{x}*{y}", "{x}/{y}", "{x}**2", "-{x}")


@dataclass(frozen=True, eq=False)
class Drawn:
    """A formula, and rows of the same kind as often as they are asked for."""

    origin: str
    formula: Formula
    columns: Callable[[int, int], Columns]  # By count and seed

    def __str__(self) -> str:
        return f"{self.origin}: {self.formula.source}"


def cancelling(seed: int) -> Drawn:
    """A formula of the seed; one in six is of the grammar of `draws`."""
    rng = random.Random(f"cancelling {seed}")
    formula = _of_grammar(rng) if rng.random() < 1 / 6 else _of_patterns(rng)
    ranges = {name: _range(rng) for name in formula.variables}

    def columns(count: int, draw: int) -> Columns:
        generator = np.random.default_rng((seed, draw))
        return {name: ranges[name](generator, count) for name in ranges}

    return Drawn(f"cancelling {seed}", formula, columns)


def _of_grammar(rng: random.Random) -> Formula:
    while True:
        formula = grammar_draw(rng.randrange(10**6)).formula
        if 3 <= len(formula) <= MOST_NODES and formula.variables:
            return formula


def _of_patterns(rng: random.Random) -> Formula:
    names = ["x", "y", "z"]
    rng.shuffle(names)
    while True:
        u = rng.choice(INSIDE).format(x=names[0], y=names[1])
        bare = u if u.isidentifier() else f"({u})"
        h = rng.choice((names[1], names[1], "1", "0.25", "1e-3"))
        kind = rng.choice((REMAINDERS, LETTERS, DIFFERENCES, QUADRATICS, QUOTIENTS))
        f = rng.choice(kind).format(u=bare, h=h, v=names[2])
        formula = read(rng.choice(AROUND).format(f=f, u=bare, v=names[2])).formula
        if len(formula) <= MOST_NODES and formula.variables:
            return formula


def _range(rng: random.Random) -> Callable[[np.random.Generator, int], NDArray[np.float64]]:
    """Rows of one variable: a few or many decades, near a number or about 0."""
    kind, both = rng.random(), rng.random() < 0.4
    low = rng.choice((-300, -120, -30, -16, -9, -6, -3, -1, 0, 1, 4))
    high = low + rng.choice((1, 2, 4, 8, 20, 60, 300))
    middle, width = rng.choice((0.0, 1.0, 2.5, -1.0, 1e4)), 10.0 ** rng.choice((-9, -6, -3, -1, 0))
    high = min(high, 300)

    def rows(generator: np.random.Generator, count: int) -> NDArray[np.float64]:
        if kind < 0.65:
            values = 10.0 ** generator.uniform(low, high, count)
            return values * generator.choice((-1.0, 1.0), count) if both else values
        if kind < 0.85:
            return generator.normal(middle, width, count)
        return generator.uniform(middle - width if both else middle, middle + width, count)

    return rows
