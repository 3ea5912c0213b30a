"""Forms that choose, as `repair` prints them: in every language the same tree, and its values."""

from __future__ import annotations

import itertools
import random
from functools import lru_cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

from eic_core.engine.values import values
from eic_core.formula.c_file import to_c
from eic_core.formula.copying import COPIED, copied
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.samples import Samples
from tests.core.formula.compilers import RUNNERS, Job, run_c
from tests.core.formula.test_target_meanings import ULPS, exact_value, jobs_of, ulps_off
from tests.effort import cases

ROOT = "sqrt(b**2 - 4*a*c)"
CHOICES = (
    f"where(b >= 0, -2*c/(b + {ROOT}), (-b + {ROOT})/(2*a))",
    f"where(b <= -1e150, -b/a, where(b < 3e-5, (-b + {ROOT})/(2*a),"
    f" where(b < 1e100, -2*c/(b + {ROOT}), -c/b)))",
    "where(abs(x) <= 0.5, -x**3/6*(1 - x**2/20*(1 - x**2/42)), sin(x) - x)",
    "where(abs(x) < 0.02, x**3*(-1/6 + x**2*(1/120 - x**2/5040)), sin(x) - x)",
    "where(abs(x) <= 0.5, x**2*(1 + x*(-1/2 + x/3))/(1 + x/6), x - log(1 + x**2))",
    "where(x >= -1e-5, x*(1/3 + x**2*(1/45)), 1/x - 1/tan(x))",
    "where(x > 1e3, 1/x**3*(2 + 2/x**2), 1/(x + 1) - 2/x + 1/(x - 1))",
    "where(sign(a)*sign(c) >= 0, a + c, (a - c)/a)",
    "where(sign(a)*sign(c)/sign(b) < 0, a + c, a - b*c)",
    "where((a > 0) & (b <= 2), a, b)",
    "where((a > 0) | (b <= 2), a, b)",
    "where((a > 0) & (b <= 2) & (abs(a*b) <= 1e-3), a, b)",
    "where((abs(x) > 1) | ((x < 0) & (y >= 0)), x**2, x*y)",
    "where(abs(a*eps) <= 1e-8, 2*eps/a, eps*a)",
    "where(x - y >= 0, x, y)",
    "where(-b > 0, b, a)",
    "where(abs(a) < abs(b), a, b)",
    "where(x != 0, sin(x)/x, 1)",
    "where(logical_not(x < 0), x, -x)",
    "where(x < -0.5, -x, where(x <= 0.5, x**3, x))",
    "where(x >= y, where(y >= 0, x, y), where(x >= 0, y, x*y))",
    "where(x < 0, log1p(-x), log(1 + x**2))",
    "where(x**2 <= 1e-4, x**2, x**(-2))",
    "2*where(x < 0, 1/(1 - x), 1 + x)",
    "-where(x < 0, x**2, x)**2",
    "sqrt(where(x < 0, x**2, x))/(1 + where(y <= 0, 1, y))",
)


def trees() -> list[Formula]:
    return [read(text, syntax="infix").formula for text in CHOICES]


@pytest.mark.parametrize("language", COPIED)
def test_a_form_that_chooses_reads_back_to_the_same_tree(language: str) -> None:
    for formula in trees():
        copy = copied(formula, language)
        # what stands for an operator, as IF(...) for log1p, is another tree of the same value
        assert copy.same or copy.defined, copy.text


@pytest.mark.parametrize("language", ("python", "c", "numpy", "julia", "matlab", "fortran"))
def test_a_program_has_a_form_that_chooses_as_it_is(language: str) -> None:
    assert all(copied(formula, language).same for formula in trees())


def test_python_text_reads_back_to_itself() -> None:
    for formula in trees():
        text = to_python(formula)
        assert to_python(read(text, syntax="infix").formula) == text


@lru_cache(maxsize=1)
def chosen_cases() -> list[tuple[str, Formula, dict[str, tuple[float, ...]], list[float]]]:
    """Each with points of both signs at which double precision has its value."""
    rng, chosen = random.Random(39), []
    for text, formula in zip(CHOICES, trees(), strict=True):
        names = formula.variables
        points = [
            tuple(rng.choice((1, -1)) * 10 ** rng.uniform(-9, 4) for _ in names)
            for _ in range(cases(30, 300))
        ]
        with mpmath.workdps(100):
            exact = [exact_value(formula, dict(zip(names, p, strict=True))) for p in points]
        columns = dict(zip(names, map(np.array, zip(*points, strict=True)), strict=True))
        with np.errstate(all="ignore"):
            doubles = np.asarray(values(formula, Samples.from_columns(columns)))
        usable = [
            value is not None and ulps_off(double, value, "") < ULPS
            for double, value in zip(doubles.tolist(), exact, strict=True)
        ]
        taken = itertools.compress(points, usable)
        columns = dict(zip(names, zip(*taken, strict=True), strict=True))
        chosen.append((text, formula, columns, [*itertools.compress(exact, usable)]))
    return chosen


@pytest.mark.parametrize("evaluator", RUNNERS)
def test_a_form_that_chooses_has_its_values_in_each_language(
    evaluator: str, tmp_path: Path
) -> None:
    _, run = RUNNERS[evaluator]
    jobs, expected = jobs_of(chosen_cases(), evaluator)
    assert len(jobs) == len(CHOICES)
    for job, (text, exact), row in zip(jobs, expected, run(jobs, tmp_path), strict=True):
        assert len(row) >= 5, text
        wrong = [
            (value, true)
            for value, true in zip(row, exact, strict=True)
            if ulps_off(value, true, "") > 5 * ULPS
        ]
        assert not wrong, (text, job.copy.text, wrong[:3])


def test_the_c_file_is_what_is_copied() -> None:
    for formula in trees():
        assert f"return {copied(formula, 'c').text};" in to_c(formula)


def test_a_branch_that_is_not_taken_may_have_no_value(tmp_path: Path) -> None:
    copy = copied(read("where(x < 0, log(-x), log(x))").formula, "matlab")
    job = Job(copy, {"x": (-1.0, 1.0, -np.e)})
    assert RUNNERS["octave"][1]([job], tmp_path) == [[0.0, 0.0, pytest.approx(1.0)]]
    copy = copied(read("where(x < 0, log(-x), log(x))").formula, "c")
    assert run_c([Job(copy, {"x": (-1.0, 1.0)})], tmp_path) == [[0.0, 0.0]]
