"""What a call of each operator costs in NumPy and in C: `python -m benchmarks.operator_costs`.

Prints the rows of `eic_core.rewriting.costs`. The operators are written as they are copied to the
two languages, and run over arrays of arguments that vary.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

from eic_core.formula.copying import copied
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula

COUNT, ROUNDS, CALLS = 4096, 31, 20

Range = tuple[float, float]
UNIT, POSITIVE, ANY = (-0.99, 0.99), (0.05, 20.0), (-10.0, 10.0)


class Case(NamedTuple):
    text: str  # Of `x`, `y` and `z`
    x: Range = POSITIVE


CASES: Mapping[str, Case] = {
    "add": Case("x + y"),
    "sub": Case("x - y"),
    "mul": Case("x*y"),
    "div": Case("x/y"),
    "neg": Case("-x"),
    "abs": Case("abs(x)", ANY),
    "power": Case("pow_exact(x, 7/2)"),
    "power:2": Case("pow_exact(x, 2)"),
    "power:3": Case("pow_exact(x, 3)"),
    "power:-1": Case("pow_exact(x, -1)"),
    "power:1/2": Case("pow_exact(x, 1/2)"),
    "sqrt": Case("sqrt(x)"),
    "cbrt": Case("cbrt(x)"),
    "root": Case("root(x, 5)"),
    "pow": Case("pow_noisy(x, y)"),
    "hypot": Case("hypot(x, y)"),
    "exp": Case("exp(x)", ANY),
    "expm1": Case("expm1(x)", (-2.0, 2.0)),
    "log": Case("log(x)"),
    "log:2": Case("log(x, 2)"),
    "log:10": Case("log(x, 10)"),
    "log1p": Case("log1p(x)", (-0.9, 2.0)),
    "logaddexp": Case("logaddexp(x, y)", ANY),
    "sin": Case("sin(x)", ANY),
    "cos": Case("cos(x)", ANY),
    "tan": Case("tan(x)", ANY),
    "cot": Case("cot(x)", ANY),
    "sec": Case("sec(x)", ANY),
    "csc": Case("csc(x)", ANY),
    "asin": Case("asin(x)", UNIT),
    "acos": Case("acos(x)", UNIT),
    "atan": Case("atan(x)", ANY),
    "atan2": Case("atan2(x, y)", ANY),
    "sinh": Case("sinh(x)", (-3.0, 3.0)),
    "cosh": Case("cosh(x)", (-3.0, 3.0)),
    "tanh": Case("tanh(x)", (-3.0, 3.0)),
    "asinh": Case("asinh(x)", ANY),
    "acosh": Case("acosh(x)", (1.01, 20.0)),
    "atanh": Case("atanh(x)", UNIT),
    "erf": Case("erf(x)", (-3.0, 3.0)),
    "erfc": Case("erfc(x)", (-3.0, 6.0)),
    "erfcx": Case("erfcx(x)", (-3.0, 30.0)),
    "gamma": Case("gamma(x)"),
    "lgamma": Case("lgamma(x)"),
    "betaln": Case("betaln(x, y)"),
    "min": Case("min(x, y)"),
    "max": Case("max(x, y)"),
    "sign": Case("sign(x)", ANY),
    "floor": Case("floor(x)", ANY),
    "ceil": Case("ceil(x)", ANY),
    "round": Case("round(x)", ANY),
    "mod": Case("mod(x, y)", ANY),
    "fmod": Case("fmod(x, y)", ANY),
    "remainder": Case("remainder(x, y)", ANY),
    "fma": Case("fma(x, y, z)", ANY),
    "gp_div": Case("gp_div(x, y)", ANY),
    "gp_log": Case("gp_log(x)", ANY),
    "gp_inv": Case("gp_inv(x)", ANY),
    "deap_div": Case("deap_div(x, y)", ANY),
    "less_than": Case("x < y"),
    "less_equal": Case("x <= y"),
    "greater_than": Case("x > y"),
    "greater_equal": Case("x >= y"),
    "equal_to": Case("where(equal(x, y), x, z)"),
    "not_equal": Case("where(x != y, x, z)"),
    "conditional": Case("where(x < y, x, z)"),
    "logical_and": Case("where((x < y) & (x < z), x, z)"),
    "logical_or": Case("where((x < y) | (x < z), x, z)"),
    "logical_not": Case("where(logical_not(x < y), x, z)"),
}
"""By the operator, and by its parameter where that matters."""

_WITHIN = {
    "conditional": ("less_than",),
    "equal_to": ("conditional",),
    "not_equal": ("conditional",),
    "logical_and": ("less_than", "less_than", "conditional"),
    "logical_or": ("less_than", "less_than", "conditional"),
    "logical_not": ("less_than", "conditional"),
}
"""The operators that a case holds beside its own, which are taken off."""

_PROGRAM = """
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
enum {{ COUNT = {count}, ROUNDS = {rounds}, CALLS = {calls} }};
static double xs[COUNT], ys[COUNT], zs[COUNT], to[COUNT];
typedef void Loop(const double *, const double *, const double *, double *);
{functions}
static Loop *loops[] = {{ {names} }};
static double now(void) {{
  struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e9 + t.tv_nsec;
}}
static int by_size(const void *a, const void *b) {{
  double d = *(const double *)a - *(const double *)b; return (d > 0) - (d < 0);
}}
int main(void) {{
  for (size_t k = 0; k < sizeof loops / sizeof *loops; k++) {{
    double took[ROUNDS];
    if (fread(xs, sizeof xs, 1, stdin) + fread(ys, sizeof ys, 1, stdin)
        + fread(zs, sizeof zs, 1, stdin) != 3) return 1;
    for (int r = 0; r < ROUNDS; r++) {{
      double start = now();
      for (int c = 0; c < CALLS; c++) loops[k](xs, ys, zs, to);
      took[r] = (now() - start) / CALLS / COUNT;
    }}
    qsort(took, ROUNDS, sizeof *took, by_size);
    printf("%.4f\\n", took[ROUNDS / 2]);
  }}
  return 0;
}}
"""

_FUNCTION = """__attribute__((noinline)) static void {name}(
    const double *restrict xs, const double *restrict ys, const double *restrict zs,
    double *restrict to) {{
  (void)xs, (void)ys, (void)zs;
  for (int i = 0; i < COUNT; i++) {{ double x = xs[i], y = ys[i], z = zs[i];
    (void)x, (void)y, (void)z; to[i] = {text}; }}
}}"""


def main() -> None:
    """Print the rows of the table."""
    formulas = {key: read(case.text).formula for key, case in CASES.items()}
    columns = {key: _columns(case) for key, case in CASES.items()}
    in_c = dict(zip(CASES, _run_c(formulas, columns), strict=True))
    in_numpy = {key: _run_numpy(formulas[key], columns[key]) for key in CASES}
    for times in (in_numpy, in_c):
        for key, others in _WITHIN.items():
            times[key] = max(0.1, times[key] - sum(times[other] for other in others))
    for key in CASES:
        print(f'    "{key}": Nanoseconds({in_numpy[key]:.2g}, {in_c[key]:.2g}),')


def _columns(case: Case) -> dict[str, np.ndarray]:
    random = np.random.default_rng(36)
    return {
        "x": random.uniform(*case.x, COUNT),
        "y": random.uniform(*POSITIVE, COUNT),
        "z": random.uniform(*POSITIVE, COUNT),
    }


def _run_numpy(formula: Formula, columns: Mapping[str, Any]) -> float:
    """The median time an element takes, in nanoseconds."""
    copy = copied(formula, "numpy")
    names: dict[str, Any] = {"np": np, "scipy": _scipy()}
    exec("\n".join(copy.helpers), names)  # noqa: S102 - texts of this module
    source = f"lambda {', '.join(columns)}: {copy.text}"
    function = eval(source, names)  # noqa: S307 - the same
    times = []
    with np.errstate(all="ignore"):
        for _ in range(ROUNDS):
            started = time.thread_time_ns()
            for _ in range(CALLS):
                function(**columns)
            times.append((time.thread_time_ns() - started) / CALLS / COUNT)
    return statistics.median(times)


def _scipy() -> Any:
    from scipy import special

    assert special is scipy.special
    return scipy


def _run_c(formulas: Mapping[str, Formula], columns: Mapping[str, Any]) -> list[float]:
    """The same of C, by the machine's compiler and its mathematical library."""
    names = [f"loop_{place}" for place in range(len(formulas))]
    copies = [copied(formula, "c") for formula in formulas.values()]
    functions = [
        *dict.fromkeys(helper for copy in copies for helper in copy.helpers),
        *(
            _FUNCTION.format(name=name, text=copy.text)
            for name, copy in zip(names, copies, strict=True)
        ),
    ]
    program = _PROGRAM.format(
        count=COUNT,
        rounds=ROUNDS,
        calls=CALLS,
        functions="\n".join(functions),
        names=", ".join(names),
    )
    with tempfile.TemporaryDirectory() as folder:
        source, built = Path(folder, "costs.c"), Path(folder, "costs")
        source.write_text(program)
        subprocess.run(["cc", "-O2", "-o", built, source, "-lm"], check=True)
        cells = b"".join(columns[key][name].tobytes() for key in formulas for name in "xyz")
        run = subprocess.run([built], input=cells, stdout=subprocess.PIPE, check=True)
    found = [float(line) for line in run.stdout.split()]
    assert all(map(math.isfinite, found))
    return found


if __name__ == "__main__":
    main()
