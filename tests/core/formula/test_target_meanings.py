"""A copied text has the formula's value in the language that it is written in, digit for digit.

Texts are evaluated by the languages themselves (a C compiler, gfortran, Octave, NumPy, SymPy), or
by tables of what their functions mean (Julia, Mathematica, Excel), where a wrong form would show:
near 0, near 1 and -1, at the ends of the range. The oracle is mpmath.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from eic_core.engine.values import values
from eic_core.errors import FormulaError
from eic_core.formula.copying import copied
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from eic_core.operators import OPERATORS
from eic_core.samples import Samples
from tests.core.formula.compilers import RUNNERS, Job
from tests.core.formula.test_copying import of_row
from tests.effort import cases

EPSILON = 2.0**-53
SMALLEST = 5e-324

NEAR_0 = (SMALLEST, 1e-310, 2e-308, 1e-300, 1e-160, 1e-20, 1e-16, 3e-13, 1e-9, 0.9e-8, 1.1e-8, 2e-5)
MIDDLE = (1e-3, 0.1, 0.29, 0.31, 0.49, 0.51, 0.7, 1 - 1e-9, 1 - EPSILON)
BEYOND = (1.0, 1 + 2 * EPSILON, 1 + 1e-9, 1.5, 2.0, 2.5, 3.7, 11.0, 27.0, 100.0, 400.0, 709.0, 3e5)
LARGE = (0.9e8, 1.1e8, 4e9, 1e15, 2.0**52 + 1, 1e17, 1e100, 1e154, 1e155, 1e290, 8e307)
SIZES = (0.0, *NEAR_0, *MIDDLE, *BEYOND, *LARGE)
UNARY = tuple(sign * size for size in SIZES for sign in (1, -1))

PAIRS = tuple(
    itertools.product(
        (0.0, SMALLEST, 1e-200, -1e-9, 0.3, -1.0, 1.0, 2.5, -5.3, 7.0, 1e17, -1e200, 8e307),
        (1e-310, 1e-200, -1e-3, 0.1, -1.0, 2.0, 3.0, -1e17, 1e200, 8e307),
    )
)
TRIPLES = (
    *((0.3, 0.7, 1.2), (-1.0, -2.0, 4.0), (1e-9, 1e-300, 1e9), (2.0, 2.0, 1.0)),
    *((1 + 2.0**-30, 1 - 2.0**-30, -1.0), (0.1, 10.0, -1.0), (1e200, 1e-200, -1.0)),
    *((1e300, 1e-10, -1e290), (0.1, 3.0, -0.1 * 3), (1e-170, 1e-150, -1e-320)),
)

ULPS = 6
"""Units in the last place by which a value may differ from the exact one."""

LOOSE: dict[tuple[str, str], float] = {
    ("gamma", "*"): 30,
    ("erfc", "*"): 60,
    ("erfcx", "*"): 60,
    ("betaln", "*"): 60,
    # (real_root(x, 3) is abs(x)**(1/3) in NumPy, where 1/3 is rounded)
    ("cbrt", "lambdify"): 200,
    ("root", "lambdify"): 200,
}
"""More of them, by operator and what evaluates."""


def _any(*point: float) -> bool:
    return True


def _small_quotient(x: float, y: float) -> bool:
    return abs(x / 1e15) < abs(y)


WITHIN: dict[str | tuple[str, str], Callable[..., bool]] = {
    # Excel has no subnormal numbers
    "excel": lambda *point: all(x == 0 or abs(x) > 2.3e-308 for x in point),
    # SymPy's Mod of floats is 0 where the quotient has more digits than they
    ("mod", "evalf"): _small_quotient,
    ("fmod", "evalf"): _small_quotient,
    # evalf gives an unproved 0 as a small number
    ("add", "evalf"): lambda x, y: x + y != 0,
    ("sub", "evalf"): lambda x, y: x != y,
    # Octave takes an exponent that is no 32-bit integer for a fraction
    ("pow", "octave"): lambda x, y: x > 0 or abs(y) < 2**31,
}
"""Points at which what evaluates can be asked, by operator or for all of them."""


def exact_value(formula: Formula, point: dict[str, float]) -> float | None:
    """The nearest double of the exact value; None where there is none, or none in range."""
    results: list[Any] = []
    for node in formula:
        operands = [results[child] for child in node.children]
        if node.operator == VARIABLE:
            result = mpmath.mpf(point[node.label])
        elif node.operator == CONSTANT:
            constants = {"pi": mpmath.pi, "e": mpmath.e}
            result = +constants.get(node.label, _ratio(Fraction(0)))
            if node.label not in constants:
                result = _ratio(Fraction(node.label))
        elif node.operator == "conditional":
            result = operands[1] if operands[0] else operands[2]
        else:
            if any(operand is None for operand in operands):
                return None
            try:
                result = EXACT[node.operator](*operands, **_parameter(node.parameter))
            except (ZeroDivisionError, ValueError, OverflowError):
                result = None
        results.append(None if isinstance(result, mpmath.mpc) else result)
    last = results[-1]
    if last is None or not mpmath.isfinite(last) or abs(last) > mpmath.mpf(1.7e308):
        return None
    return float(last)


def _parameter(value: Fraction | None) -> dict[str, Fraction]:
    return {} if value is None else {"p": value}


def _ratio(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def _signed(function: Callable[[Any], Any], x: Any) -> Any:
    return mpmath.sign(x) * function(abs(x))


def _root(x: Any, p: Fraction) -> Any:
    if x < 0 and p % 2 == 0:
        raise ValueError
    return _signed(lambda size: mpmath.root(size, int(p)), x)


def _floored(x: Any, y: Any) -> Any:
    return x - y * mpmath.floor(x / y)


def _nearest(x: Any, y: Any) -> Any:
    return x - y * mpmath.nint(x / y)


def _erfcx(x: Any) -> Any:
    if x > 1:
        return mpmath.hyperu(0.5, 0.5, x * x) / mpmath.sqrt(mpmath.pi)
    return mpmath.exp(x * x) * mpmath.erfc(x)


def _betaln(x: Any, y: Any) -> Any:
    if x <= 0 or y <= 0:
        raise ValueError
    with mpmath.workdps(700):
        return mpmath.loggamma(x) + mpmath.loggamma(y) - mpmath.loggamma(x + y)


def _beyond(edge: float, function: Callable[..., Any], within: float) -> Callable[..., Any]:
    """A protected function, whose points are doubles here, as its edge is in the languages."""
    return lambda *a: function(*a) if abs(a[-1]) > mpmath.mpf(edge) else mpmath.mpf(within)


EXACT: dict[str, Callable[..., Any]] = {
    "gp_div": _beyond(0.001, lambda x, y: x / y, 1), "gp_inv": _beyond(0.001, lambda x: 1 / x, 0),
    "deap_div": _beyond(0.0, lambda x, y: x / y, 1),
    "gp_log": _beyond(0.001, lambda x: mpmath.log(abs(x)), 0),
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "fma": lambda x, y, z: x * y + z, "div": lambda x, y: x / y, "neg": lambda x: -x, "abs": abs,
    "power": lambda x, p: mpmath.power(x, _ratio(p)), "pow": mpmath.power, "sqrt": mpmath.sqrt,
    "cbrt": lambda x: _root(x, Fraction(3)), "root": _root, "hypot": mpmath.hypot,
    "exp": mpmath.exp, "expm1": mpmath.expm1, "log1p": mpmath.log1p,
    "log": lambda x, p=None: mpmath.log(x) / (mpmath.log(_ratio(p)) if p else 1),
    "sin": mpmath.sin, "cos": mpmath.cos, "tan": mpmath.tan, "cot": mpmath.cot,
    "sec": mpmath.sec, "csc": mpmath.csc, "asin": mpmath.asin, "acos": mpmath.acos,
    "atan": mpmath.atan, "atan2": mpmath.atan2, "sinh": mpmath.sinh, "cosh": mpmath.cosh,
    "tanh": mpmath.tanh, "asinh": mpmath.asinh, "acosh": mpmath.acosh, "atanh": mpmath.atanh,
    "erf": mpmath.erf, "erfc": mpmath.erfc, "gamma": mpmath.gamma,
    "erfcx": _erfcx, "betaln": _betaln,
    "logaddexp": lambda x, y: max(x, y) + mpmath.log1p(mpmath.exp(-abs(x - y))),
    "lgamma": lambda x: mpmath.re(mpmath.loggamma(x)), "min": min, "max": max,
    "sign": mpmath.sign, "floor": mpmath.floor, "ceil": mpmath.ceil, "round": mpmath.nint,
    "mod": _floored, "fmod": lambda x, y: mpmath.sign(x) * _floored(abs(x), abs(y)),
    "remainder": _nearest, "less_than": lambda x, y: x < y, "less_equal": lambda x, y: x <= y,
    "greater_than": lambda x, y: x > y, "greater_equal": lambda x, y: x >= y,
    "equal_to": lambda x, y: x == y, "not_equal": lambda x, y: x != y,
    "logical_and": lambda x, y: x and y, "logical_or": lambda x, y: x or y,
    "logical_not": lambda x: not x,
}  # fmt: skip

REMAINDERS = ("mod", "fmod", "remainder")

REACH: dict[str, Callable[[float], bool]] = {
    "gamma": lambda x: -100.7 < x < 171,
    "lgamma": lambda x: abs(x) > 1e-300 and x > -100.7,
    "betaln": lambda x: 1e-300 < x < 1e300,
    # libraries flush subnormal values to 0, and mpmath takes no larger numbers
    "erf": lambda x: abs(x) < 1e6,
    "erfc": lambda x: -1e6 < x < 26,
    "erfcx": lambda x: -26 < x < 1e100,
}
"""Where libraries, rather than what is copied, end."""


def points_of(formula: Formula, operator: str) -> Sequence[tuple[float, ...]]:
    """Where a form of the operator could go wrong."""
    points = {1: [(x,) for x in UNARY], 2: PAIRS}.get(len(formula.variables), TRIPLES)
    return [point for point in points if all(map(REACH.get(operator, _any), point))]


@lru_cache(maxsize=1)
def operator_cases() -> list[tuple[str, Formula, dict[str, tuple[float, ...]], list[float]]]:
    """For each operator and kind of parameter its tree, points and exact values."""
    trees = []
    for row in OPERATORS.values():
        for formula in of_row(row):
            kept, exact = [], []
            with mpmath.workdps(700 if row.name in REMAINDERS else 60):
                for point in points_of(formula, row.name):
                    names = dict(zip(formula.variables, point, strict=True))
                    value = exact_value(formula, names)
                    if value is not None:
                        kept.append(point)
                        exact.append(value)
            columns = dict(zip(formula.variables, zip(*kept, strict=True), strict=True))
            trees.append((row.name, formula, columns, exact))
    return trees


def ulps_off(value: float, exact: float, operator: str) -> float:
    if not math.isfinite(value):
        return math.inf
    has_zeros = operator in ("lgamma", "betaln", "logaddexp")
    scale = max(abs(exact), 1.0) if has_zeros else abs(exact)
    return abs(value - exact) / max(scale * 2 * EPSILON, SMALLEST)


def jobs_of(
    trees: Sequence[tuple[str, Formula, dict[str, tuple[float, ...]], list[float]]], evaluator: str
) -> tuple[list[Job], list[tuple[str, list[float]]]]:
    """What the language can say, and what it is worth."""
    language, _ = RUNNERS[evaluator]
    jobs, expected = [], []
    for name, formula, columns, exact in trees:
        try:
            copy = copied(formula, language)
        except FormulaError:
            continue
        points = [*zip(*columns.values(), strict=True)]
        taken = [WITHIN.get((name, evaluator), WITHIN.get(evaluator, _any))(*p) for p in points]
        if evaluator == "evalf" and not (name in copy.defined or copy.helpers):
            taken = [take and not i % cases(5, 1) for i, take in enumerate(taken)]  # it is slow
        new = dict(copy.renamed)
        columns = {
            new.get(old, old): tuple(itertools.compress(column, taken))
            for old, column in columns.items()
        }
        jobs.append(Job(copy, columns))
        expected.append((name, list(itertools.compress(exact, taken))))
    return jobs, expected


@pytest.mark.parametrize("evaluator", RUNNERS)
def test_an_operator_has_its_value_in_each_language_over_its_whole_domain(
    evaluator: str, tmp_path: Path
) -> None:
    _, run = RUNNERS[evaluator]
    jobs, expected = jobs_of(operator_cases(), evaluator)
    wrong = []
    for job, (name, exact), row in zip(jobs, expected, run(jobs, tmp_path), strict=True):
        allowed = LOOSE.get((name, evaluator)) or LOOSE.get((name, "*")) or ULPS
        points = list(zip(*job.columns.values(), strict=True))
        wrong += [
            (name, job.copy.text[:60], point, value, true)
            for point, value, true in zip(points, row, exact, strict=True)
            if ulps_off(value, true, name) > allowed
        ]
    assert not wrong, "\n".join(map(str, wrong[:400])) + f"\n{len(wrong)}"


REPAIRED = (
    "1/(sqrt(x+1) + sqrt(x))",
    "1/(sqrt(x)*sqrt(x+1)*(sqrt(x+1) + sqrt(x)))",
    "-1/(x*(x+1))",
    "sin(y)/(cos(x)*cos(x+y))",
    "-2*sin(y/2)*sin(x + y/2)",
    "2*cos(x + y/2)*sin(y/2)",
    "1/(cbrt(x+1)**2 + cbrt(x)*cbrt(x+1) + cbrt(x)**2)",
    "x**(1/y)*expm1(log1p(1/x)/y)",
    "log1p(1/x)",
    "log1p(x) + x*log1p(1/x) - 1",
    "expm1(x)/x",
    "tan(x/2)",
    "2*sin(x/2)**2",
    "2*atanh(x)",
    "-log1p(x*expm1(-y))",
    "expm1(y*log1p(x))/x",
    "y*(y/(hypot(x, y) + x))",
    "hypot(x, y)*hypot(y, z)",
    "erfc(x/sqrt(2))/2",
    "max(x, y) + log1p(exp(-abs(x - y)))",
    "max(x, 0) + log1p(exp(-abs(x)))",
    "-expm1(-x*y)/y",
    "cbrt(x)*expm1(log1p(y/x)/3)",
    "2*asin(sqrt(x)/2)",
    "atan2(hypot(x, y), z)",
    "2*sinh(x/2)**2",
    "log1p(2*sinh(x/2)**2)",
    "asinh(x/y)/x",
    "acosh(1 + x)*y",
    "where(x < 1, log1p(-x), log(x))",
    "x/(expm1(y/z)*z)",
    "y/(root(x, 5) + root(x + y, 5))",
    "log1p(x*(2 + x))/log(10)",
    "2*asinh(sqrt(x)/2)",
    "tanh(y)/(1 + tanh(x)*tanh(x+y))",
)
"""Forms that textbooks and libraries write in the place of those that lose digits."""


@lru_cache(maxsize=1)
def repaired_cases() -> list[tuple[str, Formula, dict[str, tuple[float, ...]], list[float]]]:
    """Each with random points at which double precision has its value to a few digits more."""
    trees = []
    rng = random.Random(36)
    for text in REPAIRED:
        formula = read(text).formula
        names = formula.variables
        points = [tuple(10 ** rng.uniform(-17, 3) for _ in names) for _ in range(cases(30, 400))]
        with mpmath.workdps(100):
            exact = [exact_value(formula, dict(zip(names, p, strict=True))) for p in points]
        columns = dict(zip(names, map(np.array, zip(*points, strict=True)), strict=True))
        with np.errstate(all="ignore"):
            doubles = np.asarray(values(formula, Samples.from_columns(columns)))
        kept = [
            (point, value)
            for point, value, double in zip(points, exact, doubles.tolist(), strict=True)
            if value is not None and ulps_off(double, value, "") < ULPS
        ]
        assert len(kept) >= 5, text
        points = [point for point, _ in kept]
        taken = dict(zip(names, zip(*points, strict=True), strict=True))
        trees.append((text, formula, taken, [value for _, value in kept]))
    return trees


@pytest.mark.parametrize("evaluator", RUNNERS)
def test_a_repaired_form_keeps_its_digits_in_each_language(evaluator: str, tmp_path: Path) -> None:
    _, run = RUNNERS[evaluator]
    jobs, expected = jobs_of(repaired_cases(), evaluator)
    assert len(jobs) == len(REPAIRED)
    for job, (text, exact), row in zip(jobs, expected, run(jobs, tmp_path), strict=True):
        allowed = (50 if "erfc" in text else 5) * ULPS
        points = zip(*job.columns.values(), strict=True)
        wrong = [
            (point, value, true)
            for point, value, true in zip(points, row, exact, strict=True)
            if ulps_off(value, true, "") > allowed
        ]
        assert not wrong, (text, job.copy.text, wrong)


def test_what_was_wrong_before_is_noticed(tmp_path: Path) -> None:
    """The oracle itself: a text that loses digits does not pass."""
    copy = copied(read("log1p(x)").formula, "c")
    job = Job(dataclasses.replace(copy, text="log(1.0 + x)"), {"x": (1e-12, 1.0)})
    [[near, far]] = RUNNERS["c"][1]([job], tmp_path)
    assert ulps_off(near, math.log1p(1e-12), "log1p") > 1e9 > ULPS > ulps_off(far, math.log(2), "")


@pytest.mark.parametrize("place", [1e17, -1e17, 2.0**31 + 0.5, -0.5, 1e-300, -1e-300])
def test_whole_numbers_of_fortran_do_not_overflow(place: float, tmp_path: Path) -> None:
    jobs = [
        Job(copied(read(f"{name}(x)").formula, "fortran"), {"x": (place,)})
        for name in ("floor", "ceil")
    ]
    assert RUNNERS["fortran"][1](jobs, tmp_path) == [[math.floor(place)], [math.ceil(place)]]
