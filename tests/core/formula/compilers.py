"""Runs texts of languages: C, Fortran and Octave by one program each, NumPy and SymPy in place."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eic_core.formula.copying import Copied
from tests.core.formula.meanings import EXCEL, JULIA, MATHEMATICA, Interpreter, Meaning


@dataclass(frozen=True)
class Job:
    """A text, and the points at which it is evaluated: for each variable of the text a column."""

    copy: Copied
    columns: dict[str, tuple[float, ...]]

    @property
    def count(self) -> int:
        return len(next(iter(self.columns.values())))


Values = list[list[float]]
Runner = Callable[[Sequence[Job], Path], Values]


def need(program: str) -> str:
    """The path of a program; outside CI its absence skips the test."""
    path = shutil.which(program)
    if path is None:
        assert os.environ.get("CI") != "true", f"{program} is missing: .ci/compilers installs it"
        pytest.skip(f"{program} is not installed")
    return path


def _output(command: Sequence[str], folder: Path, given: str = "") -> list[float]:
    done = subprocess.run(
        command, cwd=folder, input=given, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [float(line) for line in done.stdout.split()]


def _split(numbers: list[float], jobs: Sequence[Job]) -> Values:
    assert len(numbers) == sum(job.count for job in jobs)
    values, place = [], 0
    for job in jobs:
        values.append(numbers[place : place + job.count])
        place += job.count
    return values


def _helpers(jobs: Sequence[Job]) -> list[str]:
    return list(dict.fromkeys(helper for job in jobs for helper in job.copy.helpers))


def _points(jobs: Sequence[Job]) -> str:
    """The points of all texts, one a line."""
    return "\n".join(
        " ".join(repr(value) for value in point)
        for job in jobs
        for point in zip(*job.columns.values(), strict=True)
    )


def run_c(jobs: Sequence[Job], folder: Path) -> Values:
    compiler = need("gcc")
    lines = ["#define _GNU_SOURCE", "#include <math.h>", "#include <stdio.h>", *_helpers(jobs)]
    body = []
    for number, job in enumerate(jobs):
        names = list(job.columns)
        parameters = ", ".join(f"double {name}" for name in names)
        lines.append(f"static double f{number}({parameters}) {{ return {job.copy.text}; }}")
        holes, places = " ".join(["%lf"] * len(names)), [f"&p[{i}]" for i in range(len(names))]
        values = ", ".join(f"p[{i}]" for i in range(len(names)))
        body.append(
            f'for (int i = 0; i < {job.count}; i++) {{ if (scanf("{holes}", {", ".join(places)})'
            f' != {len(names)}) return 1; printf("%.17g\\n", f{number}({values})); }}'
        )
    lines.append(f"int main(void) {{ double p[9]; {' '.join(body)} return 0; }}")
    (folder / "texts.c").write_text("\n".join(lines))
    _output([compiler, "-O1", "-o", "texts", "texts.c", "-lm"], folder)
    return _split(_output(["./texts"], folder, _points(jobs)), jobs)


def run_fortran(jobs: Sequence[Job], folder: Path) -> Values:
    compiler = need("gfortran")
    helpers = _helpers(jobs)
    imports = [helper for helper in helpers if helper.startswith("use")]
    lines = ["module texts", *imports, "implicit none", "contains"]
    lines += [helper for helper in helpers if helper not in imports]
    body = []
    for number, job in enumerate(jobs):
        names = ", ".join(job.columns)
        lines += [
            f"double precision function f{number}({names})",
            f"double precision, intent(in) :: {names}",
            f"f{number} = {job.copy.text}",
            "end function",
        ]
        values = ", ".join(f"p({i + 1})" for i in range(len(job.columns)))
        body += [
            f"do i = 1, {job.count}",
            f"read *, {values}",
            f"print '(es26.17e3)', f{number}({values})",
            "end do",
        ]
    lines += ["end module", "program main", "use texts", "implicit none", "integer :: i"]
    lines += ["double precision :: p(9)", *body, "end program"]
    (folder / "texts.f90").write_text("\n".join(lines))
    command = [compiler, "-O1", "-ffree-line-length-none", "-std=f2018", "-o", "texts", "texts.f90"]
    _output(command, folder)
    return _split(_output(["./texts"], folder, _points(jobs)), jobs)


def run_octave(jobs: Sequence[Job], folder: Path) -> Values:
    program = need("octave-cli")
    lines = ["1;", *_helpers(jobs)]
    for job in jobs:
        names = list(job.columns)
        lines += [f"{name} = [{' '.join(map(repr, c))}];" for name, c in job.columns.items()]
        if ".^" in job.copy.text:  # one by one: a negative base makes a whole vector complex
            each = [f"{name} = all_{name}(i);" for name in names]
            lines += [f"all_{name} = {name}; r = all_{name};" for name in names]
            lines.append(f"for i = 1:{job.count} {' '.join(each)} r(i) = {job.copy.text}; end")
        else:
            lines.append(f"r = ({job.copy.text}) + zeros(1, {job.count});")
        lines.append('r(imag(r) ~= 0) = NaN; printf("%.17g\\n", real(r));')
    (folder / "texts.m").write_text("\n".join(lines))
    return _split(_output([program, "--no-gui", "--norc", "-q", "texts.m"], folder), jobs)


def run_numpy(jobs: Sequence[Job], folder: Path) -> Values:
    import scipy.special

    values: Values = []
    for job in jobs:
        names: dict[str, Any] = {"np": np, "scipy": scipy}
        exec("\n".join(job.copy.helpers), names)  # noqa: S102
        names |= {name: np.array(column) for name, column in job.columns.items()}
        with np.errstate(all="ignore"):
            result = eval(job.copy.text, names)  # noqa: S307
        values.append(np.broadcast_to(result, job.count).astype(float).tolist())
    return values


def _sympy(job: Job) -> tuple[Any, list[Any]]:
    import sympy

    names: dict[str, Any] = {}
    exec("from sympy import *\n" + "\n".join(job.copy.helpers), names)  # noqa: S102
    symbols = [sympy.Symbol(name, real=True) for name in job.columns]
    expression = eval(  # noqa: S307
        job.copy.text, names | dict(zip(job.columns, symbols, strict=True))
    )
    return sympy.sympify(expression), symbols


def run_sympy(jobs: Sequence[Job], folder: Path) -> Values:
    """By `evalf`, the values of variables given to it."""
    import sympy

    values: Values = []
    for job in jobs:
        expression, symbols = _sympy(job)
        row = []
        for point in zip(*job.columns.values(), strict=True):
            numbers = [sympy.Float(value, 17) for value in point]
            value = expression.evalf(17, subs=dict(zip(symbols, numbers, strict=True)))
            row.append(float(value) if value.is_real else math.nan)
        values.append(row)
    return values


def run_lambdified(jobs: Sequence[Job], folder: Path) -> Values:
    """By the function of NumPy that SymPy makes of an expression."""
    import sympy

    values: Values = []
    for job in jobs:
        expression, symbols = _sympy(job)
        function = sympy.lambdify(symbols, expression, ["scipy", "numpy"])
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = function(*[np.array(column) for column in job.columns.values()])
        values.append(np.broadcast_to(result, job.count).astype(float).tolist())
    return values


def _by_meaning(meaning: Meaning) -> Runner:
    def run(jobs: Sequence[Job], folder: Path) -> Values:
        values: Values = []
        for job in jobs:
            text = Interpreter(meaning, job.copy.text, job.copy.helpers)
            points = zip(*job.columns.values(), strict=True)
            values.append(
                [text.value(**dict(zip(job.columns, point, strict=True))) for point in points]
            )
        return values

    return run


RUNNERS: dict[str, tuple[str, Runner]] = {
    "numpy": ("numpy", run_numpy),
    "c": ("c", run_c),
    "fortran": ("fortran", run_fortran),
    "octave": ("matlab", run_octave),
    "evalf": ("sympy", run_sympy),
    "lambdify": ("sympy", run_lambdified),
    "julia": ("julia", _by_meaning(JULIA)),
    "mathematica": ("mathematica", _by_meaning(MATHEMATICA)),
    "excel": ("excel", _by_meaning(EXCEL)),
}
"""By what evaluates a text: the language, and how."""
