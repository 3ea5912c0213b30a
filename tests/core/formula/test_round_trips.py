"""A printed formula is the formula: what C, NumPy and our own reader make of its text.

C is compiled by the machine's compiler, or by the one that the engine borrows where there is none.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.special import erf

from eic_core.engine.native.build import borrowed_compiler, compilers
from eic_core.engine.values import values
from eic_core.formula.c_file import to_c
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.syntax import read
from eic_core.formula.syntax.build import power
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import inspect
from eic_core.operators import OPERATORS
from eic_core.operators.dialects import C_DIALECT
from eic_core.samples import Samples
from eic_core.search.problem import problem_of
from eic_core.search.run import SearchBudget, search
from eic_core.search.vocabulary import STEPS
from tests.core.measure.trees import random_case
from tests.effort import cases

Floats = np.ndarray
Compile = Callable[[Sequence[Formula]], list[Callable[..., float]]]

UNIT = 2.0**-53
ROUNDINGS = 16
"""How many times the noise of one rounding a step two libraries may differ by: each is within four
units in the last place, and NumPy and C take exact powers in other ways."""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compile]:
    """Makes functions of formulas, by way of C."""
    with ExitStack() as stack:
        command = next(compilers(), None)
        if command is None:
            try:
                command = stack.enter_context(borrowed_compiler())
            except subprocess.CalledProcessError:
                if os.environ.get("CI"):
                    raise
                pytest.skip("there is no C compiler, and none can be fetched")
        folder: Path = tmp_path_factory.mktemp("c")
        numbers = itertools.count()

        def compile_all(formulas: Sequence[Formula]) -> list[Callable[..., float]]:
            libraries = []
            texts = [to_c(f, name=f"f{i}") for i, f in enumerate(formulas)]
            source = folder / f"formulas{next(numbers)}.c"
            source.write_text("\n".join(with_each_helper_once(texts)))
            made = source.with_suffix(".so")
            flags = [
                "-std=c99",
                "-Wall",
                "-Werror",
                "-Wno-unused-parameter",
                "-O1",
                "-ffp-contract=off",
                "-fPIC",
                "-shared",
            ]
            done = subprocess.run(
                [*command, *flags, str(source), "-o", str(made), "-lm"],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr[:2000]
            library = ctypes.CDLL(str(made))
            for i, formula in enumerate(formulas):
                function = getattr(library, f"f{i}")
                function.restype = ctypes.c_double
                function.argtypes = [ctypes.c_double] * len(formula.variables)
                libraries.append(function)
            return libraries

        yield compile_all


def with_each_helper_once(texts: Sequence[str]) -> list[str]:
    helpers = {
        f"static {helper}"
        for spelling in C_DIALECT.spellings.values()
        for helper in spelling.helpers
        if any(f"static {helper}" in text for text in texts)
    }
    for helper in helpers:
        texts = [text.replace(helper, "") for text in texts]
    return ["#include <math.h>", *helpers, *texts, ""]


def run(function: Callable[..., float], formula: Formula, samples: Samples) -> Floats:
    """The values of a compiled formula, row by row."""
    columns = [samples.columns[name].tolist() for name in formula.variables]
    rows = zip(*columns, strict=True) if columns else [()] * len(samples)
    return np.array([function(*row) for row in rows])


def nearly(found: Floats, formula: Formula, samples: Samples) -> Floats:
    """Rows at which two libraries may be told apart, and do not agree."""
    expected = values(formula, samples)
    assert expected is not None
    y, s = inspect(formula, samples).amplification.trace(len(formula) - 1)
    ordinary = np.isfinite(expected) & (s * UNIT < 1e-6) & (np.abs(expected) > 1e-290)
    with np.errstate(all="ignore"):
        apart = ~(np.abs(found - expected) <= ROUNDINGS * UNIT * s * np.abs(expected))
    return np.flatnonzero(ordinary & apart)


GRID = [-3.5, -2.5, -2.0, -1.0, -0.75, -0.5, -0.1, 0.1, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 7.3]


def single_operators() -> list[Formula]:
    """Each operator over variables, with several parameters and numbers of operands."""
    found = []
    for name, row in OPERATORS.items():
        parameters: list[Fraction | None] = [None]
        if row.power and row.needs_parameter:
            parameters = [Fraction(n, 2) for n in range(-7, 10)]
        elif row.needs_parameter:
            parameters = [Fraction(n) for n in (2, 3, 4, 5, 7)]
        elif row.base:
            parameters = [None, *map(Fraction, ("2", "10", "3", "1/2", "7/2"))]
        for parameter in parameters:
            for arity in [row.arity] if row.arity else [2, 3, 4]:
                operands = [variable(n) for n in "xyzw"[:arity]]
                found.append(Formula.from_draft(Draft(name, operands, parameter=parameter)))
    return found


OF_SCIPY = ("gamma", "lgamma", "erfc", "erfcx", "betaln", "logaddexp")
"""These the two libraries compute in different ways."""


def test_every_operator_is_in_c_what_it_is_in_numpy(compiled: Compile) -> None:
    formulas = single_operators()
    for formula, function in zip(formulas, compiled(formulas), strict=True):
        arity = len(formula.variables)
        points = list(itertools.product(GRID, repeat=min(arity, 2)))
        if arity > 2:
            points = [(*p, q, -q)[:arity] for p in points for q in (-1.0, 0.5, 2.0)]
        columns = dict(zip(formula.variables, np.array(points).T, strict=True))
        samples = Samples.from_columns(columns)
        expected = values(formula, samples)
        known = np.isfinite(expected)
        assert known.any(), to_python(formula)
        np.testing.assert_allclose(
            run(function, formula, samples)[known],
            expected[known],
            rtol=1e-13 if formula.root.operator in OF_SCIPY else 1e-15,
            atol=0,
            err_msg=to_python(formula),
        )


def test_random_formulas_are_in_c_what_they_are_in_numpy(compiled: Compile) -> None:
    """But for those that jump, where a rounding may decide."""
    made = [random_case(seed) for seed in range(cases(150, 1500))]
    jumping = {name for name, row in OPERATORS.items() if row.jumps}
    made = [(f, t) for f, t in made if not jumping & {node.operator for node in f.nodes}]
    functions = compiled([formula for formula, _ in made])
    compared = 0
    for (formula, table), function in zip(made, functions, strict=True):
        columns = {name: [float(cell) for cell in table[name]] for name in formula.variables}
        samples = Samples.from_columns(columns, count=len(next(iter(table.values()))))
        assert not len(nearly(run(function, formula, samples), formula, samples)), to_c(formula)
        compared += len(samples)
    assert compared > 100


CONDITIONS = [
    "where(x > y, x, -y)/3 + 1/2",
    "(x > 1)/(2*(y <= 1) + 1)",
    "(x > 1) - (y > 1) - (x > 2)",
    "where((x > 0) & ~((y < 1) | (x == y)), x > 1, y)",
    "-(x > 0)",
    "(x < y)**3 + abs(x >= 2)",
    "where(where(x > 0, y > 0, y < 0), 1, 2)/4",
    "where(x, y, 1)",
    "~(x > 1) * y + (x != y)",
    "(x > y) > (y > 1)",
    "max(x > y, y > 1, 0.5)",
    "where(x < 1, 1, where(x < 2, 2, 3))/5",
]


def test_conditions_are_in_c_what_they_are_in_numpy(compiled: Compile) -> None:
    formulas = [read(text).formula for text in CONDITIONS]
    points = np.array(list(itertools.product(GRID, repeat=2))).T
    for formula, function in zip(formulas, compiled(formulas), strict=True):
        samples = Samples.from_columns({"x": points[0], "y": points[1]})
        expected = values(formula, samples)
        np.testing.assert_allclose(
            run(function, formula, samples), expected, rtol=1e-15, err_msg=to_c(formula)
        )


def test_any_name_of_a_column_is_a_name_in_c(compiled: Compile) -> None:
    names = [
        "double",
        "double_2",
        "sin",
        "NAN",
        "M_PI",
        "_x",
        "θ₁",
        "theta_1",
        "a b",
        "a*/b",
        "2nd",
        "pow",
        "名",
        "x'",
        "f",
        "main",
        "EOF",
        "y1",
        "long double",
    ]
    total = variable(names[0])
    for name in names[1:]:
        total = Draft("add", [total, Draft("sin", [variable(name)])])
    total = Draft("power", [total], parameter=Fraction(3))
    formula = Formula.from_draft(total)
    samples = Samples.from_columns({name: [0.1 * i] for i, name in enumerate(formula.variables)})
    assert len(formula.variables) == len(names)
    (function,) = compiled([formula])
    assert not len(nearly(run(function, formula, samples), formula, samples))


NUMPY = {
    name: getattr(np, name)
    for name in (
        "sin",
        "cos",
        "tan",
        "exp",
        "log",
        "sqrt",
        "tanh",
        "sinh",
        "cosh",
        "abs",
        "cbrt",
        "log1p",
        "expm1",
    )
} | {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "erf": erf,
    "min": np.minimum,
    "max": np.maximum,
}


def found_by_a_search() -> tuple[tuple, Samples]:
    rng = np.random.default_rng(2)
    x, z = rng.uniform(0.5, 3, 80), rng.uniform(1, 4, 80)
    y = 1.37 * np.exp(-0.4 * x) + 0.21 * np.sin(2.2 * z) * x + 0.02 * rng.normal(size=80)
    samples = Samples.from_columns({"x": x, "z": z}, target=y)
    problem = problem_of(samples, operators=tuple(STEPS), max_complexity=30)
    return search(problem, SearchBudget(max_evals=cases(4_000, 40_000)), seed=3).front, samples


def test_what_a_search_prints_has_the_loss_that_it_reports(compiled: Compile) -> None:
    """In NumPy, in C, and read again as LaTeX, within the roundings of two libraries."""
    front, samples = found_by_a_search()
    assert len(front) > 4
    for found, function in zip(front, compiled([one.formula for one in front]), strict=True):
        document = found.to_json()
        y, s = inspect(found.formula, samples).amplification.trace(len(found.formula) - 1)
        missed = np.abs(samples.target - y)
        noise = ROUNDINGS * UNIT * s * np.abs(y)
        room = float(np.mean(2 * missed * noise + noise**2)) + ROUNDINGS * UNIT * document["loss"]
        assert room < 1e-6 * document["loss"], "a loss is known to six digits"

        def loss(predicted: Floats) -> float:
            return float(np.mean(np.square(samples.target - predicted)))

        names = {**NUMPY, **samples.columns}
        python = eval(document["python"], {"__builtins__": {}}, names)  # noqa: S307
        assert loss(np.broadcast_to(python, 80)) == pytest.approx(document["loss"], abs=room)
        in_c = run(function, found.formula, samples)
        assert document["c"] == to_c(found.formula)
        assert loss(in_c) == pytest.approx(document["loss"], abs=room)
        again = read(document["latex"], syntax="latex", columns=tuple(samples.columns)).formula
        assert loss(values(again, samples)) == pytest.approx(document["loss"], abs=room)
        if "cbrt" not in found.text:  # a third root, when it is read
            assert again.structure() == found.formula.structure(), document["latex"]


def test_latex_is_read_as_the_tree_that_it_was() -> None:
    """But that a constant fraction is a quotient then, a cube root a third root, and a written
    exponent n or n/2 exact; a power of e is the exponential.
    """

    def plain(draft: Draft) -> Draft:
        operands = [plain(child) for child in draft.children]
        if draft.operator == "cbrt":
            return Draft("root", operands, parameter=Fraction(3))
        if draft.operator == "pow":
            return power(operands, (0, 0))
        if "/" in draft.label:
            return Draft("div", [constant(part) for part in draft.label.split("/")])
        return Draft(draft.operator, operands, draft.label, draft.parameter)

    for seed in range(cases(250, 2500)):
        formula, _ = random_case(seed)
        raised = [n for n in formula.nodes if n.children and OPERATORS[n.operator].power]
        if any(formula.nodes[node.children[0]].label == "e" for node in raised):
            continue
        text = to_latex(formula)
        again = read(text, syntax="latex", columns=tuple(formula.variables)).formula
        expected = Formula.from_draft(plain(formula.to_draft(len(formula) - 1)))
        assert again.structure() == expected.structure(), text
