"""Textbook cases of cancellation: `python -m eic_core.rewriting.cases` prints them.

"NMSE" is Hamming's *Numerical Methods for Scientists and Engineers* (2nd ed., 1973), chapter 3,
numbered as in FPBench and the Herbie suite, which took these cases from it.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

from eic_core.formula.syntax import read
from eic_core.rewriting.repair import repair
from eic_core.rewriting.results import Repairs
from eic_core.samples import Domain, sample_domains

SAMPLES = 300

WITHIN = 0.3
"""A case is reached if q <= max(own, 0.5) + this."""


@dataclass(frozen=True)
class Case:
    name: str
    formula: str
    ranges: tuple[str, ...]  # As `Domain.parse` reads them
    source: str
    reachable: bool = True  # False where no exact rewriting over our operators is known to reach it


CASES: tuple[Case, ...] = (
    Case("√ difference", "sqrt(x+1) - sqrt(x)", ("x=loguniform:1:1e12",), "NMSE ex. 3.1"),
    Case("1/√ difference", "1/sqrt(x) - 1/sqrt(x+1)", ("x=loguniform:1:1e12",), "NMSE ex. 3.6"),
    Case("fraction difference", "1/(x+1) - 1/x", ("x=loguniform:1:1e8",), "NMSE 3.3.1"),
    Case("second difference", "1/(x+1) - 2/x + 1/(x-1)", ("x=loguniform:10:1e6",), "NMSE 3.3.3"),
    Case(
        "tan difference", "tan(x+h) - tan(x)", ("x=0.1:1.4", "h=loguniform:1e-9:1e-3"), "NMSE 3.3.2"
    ),
    Case(
        "cos difference", "cos(x+h) - cos(x)", ("x=0.5:2.5", "h=loguniform:1e-9:1e-3"), "NMSE 3.3.5"
    ),
    Case(
        "sin difference",
        "sin(x+h) - sin(x)",
        ("x=0.1:1.4", "h=loguniform:1e-9:1e-3"),
        "NMSE ex. 3.3",
    ),
    Case("cube root difference", "cbrt(x+1) - cbrt(x)", ("x=loguniform:1:1e10",), "NMSE 3.3.4"),
    Case(
        "n-th root difference",
        "(x+1)**(1/n) - x**(1/n)",
        ("x=loguniform:10:1e8", "n=2.5:9"),
        "NMSE 3.4.6",
    ),
    Case("ln difference", "log(x+1) - log(x)", ("x=loguniform:1:1e12",), "NMSE 3.3.6"),
    Case("n ln n", "(x+1)*log(x+1) - x*log(x) - 1", ("x=loguniform:10:1e10",), "NMSE ex. 3.8"),
    Case("arctan difference", "atan(x+1) - atan(x)", ("x=loguniform:1:1e8",), "NMSE ex. 3.5"),
    Case("1 − cos over x²", "(1 - cos(x))/x**2", ("x=loguniform:1e-7:1",), "NMSE 3.4.1"),
    Case("1 − cos over sin", "(1 - cos(x))/sin(x)", ("x=loguniform:1e-7:1",), "NMSE ex. 3.4"),
    Case("eˣ − 1", "exp(x) - 1", ("x=loguniform:1e-9:1",), "NMSE ex. 3.7"),
    Case("eˣ − 2 + e⁻ˣ", "exp(x) - 2 + exp(-x)", ("x=loguniform:1e-6:1",), "NMSE 3.3.7"),
    Case("ln of a ratio", "log((1-x)/(1+x))", ("x=loguniform:1e-9:0.5",), "NMSE 3.4.3"),
    Case("ratio of ln", "log(1-x)/log(1+x)", ("x=loguniform:1e-9:0.5",), "NMSE ex. 3.10"),
    Case("√ of a ratio", "sqrt((exp(2*x)-1)/(exp(x)-1))", ("x=loguniform:1e-9:1",), "NMSE 3.4.4"),
    Case(
        "three exponentials",
        "h*(exp((a+b)*h)-1)/((exp(a*h)-1)*(exp(b*h)-1))",
        ("a=0.5:2", "b=0.5:2", "h=loguniform:1e-9:1e-2"),
        "NMSE 3.4.2",
    ),
    Case(
        "quadratic, small root",
        "(-b + sqrt(b**2 - 4*a*c))/(2*a)",
        ("a=0.5:2", "b=loguniform:1e2:1e7", "c=0.5:2"),
        "NMSE p. 42; Goldberg 1991, eq. 4",
    ),
    Case(
        "quadratic, halved b",
        "(-b + sqrt(b*b - a*c))/a",
        ("a=0.5:2", "b=loguniform:1e2:1e7", "c=0.5:2"),
        "NMSE problem 3.2.1",
    ),
    Case(
        "two poles",
        "pi/2*(1/(b**2-a**2))*(1/a - 1/b)",
        ("a=1:2", "b=2.0001:3"),
        "NMSE section 6.1 B",
    ),
    Case("(eˣ − 1)/x", "(exp(x) - 1)/x", ("x=loguniform:1e-9:1",), "Higham 2002, § 1.14.1"),
    Case("softplus", "log(1 + exp(x))", ("x=-100:1500",), "Mächler 2012"),
    Case("ln(1 − e⁻ˣ)", "log(1 - exp(-x))", ("x=loguniform:1e-9:0.6",), "Mächler 2012"),
    Case(
        "log-sum-exp",
        "log(exp(x) + exp(y))",
        ("x=500:1500", "y=500:1500"),
        "Blanchard, Higham & Higham 2021",
    ),
    Case("hyperbolic sine", "(exp(x) - exp(-x))/2", ("x=loguniform:1e-9:1",), "Kahan 1987"),
    Case(
        "hyperbolic tangent",
        "(exp(x) - exp(-x))/(exp(x) + exp(-x))",
        ("x=loguniform:1e-9:10",),
        "Kahan 1987",
    ),
    Case(
        "inverse hyperbolic sine", "log(x + sqrt(x**2 + 1))", ("x=loguniform:1e-9:1",), "Kahan 1987"
    ),
    Case("arcosh, other branch", "log(x - sqrt(x**2 - 1))", ("x=loguniform:2:1e7",), "Kahan 1987"),
    Case(
        "compound interest",
        "100*((1 + r/n)**n - 1)/(r/n)",
        ("r=loguniform:1e-6:0.1", "n=12:365"),
        "Goldberg 1991, compound interest",
    ),
    Case(
        "growth over 12 months",
        "(1 + x)**12 - 1",
        ("x=loguniform:1e-9:1e-2",),
        "Goldberg 1991, compound interest",
    ),
    Case(
        "difference of squares",
        "x**2 - y**2",
        ("x=normal:1e6:1", "y=normal:1e6:1"),
        "Goldberg 1991, Cancellation",
    ),
    Case(
        "variance of three",
        "(x**2+y**2+z**2)/3 - ((x+y+z)/3)**2",
        ("x=normal:1e6:1", "y=normal:1e6:1", "z=normal:1e6:1"),
        "Higham 2002, § 1.9",
    ),
    Case(
        "expanded cube",
        "x**3 - 3*x**2 + 3*x - 1",
        ("x=normal:1:1e-3",),
        "after Demmel 1997, fig. 1.2",
    ),
    Case("geometric series", "(x**5 - 1)/(x - 1)", ("x=normal:1:1e-6",), "classical"),
    Case(
        "Lorentz factor less 1",
        "1/sqrt(1 - v**2) - 1",
        ("v=loguniform:1e-6:0.5",),
        "classical, as NMSE ex. 3.1",
    ),
    Case(
        "haversine",
        "acos(sin(a)*sin(b) + cos(a)*cos(b)*cos(d))",
        ("a=0.5:0.5001", "b=0.5:0.5001", "d=loguniform:1e-7:1e-4"),
        "Sinnott 1984",
    ),
    Case("arccos of a ratio", "acos((1-x)/(1+x))", ("x=loguniform:1e-12:1",), "after Kahan 1987"),
    Case(
        "hypotenuse out of range",
        "sqrt(x**2 + y**2)",
        ("x=loguniform:1e150:1e200", "y=loguniform:1e150:1e200"),
        "Higham 2002, ch. 27",
    ),
    Case("tan − sin", "tan(x) - sin(x)", ("x=loguniform:1e-6:1",), "classical, as NMSE 3.4.1"),
    Case("merged constants", "10000*x - 9999*x", ("x=1:5",), "Yu et al."),
    Case("masked exponential", "log(exp(x))", ("x=normal:1000:1",), "Yu et al."),
    Case(
        "law of cosines",
        "sqrt(a**2 + b**2 - 2*a*b*cos(c))",
        ("a=normal:1:1e-7", "b=normal:1:1e-7", "c=loguniform:1e-7:1e-3"),
        "after Sinnott 1984",
    ),
    Case(
        "interference near π",
        "a**2 + b**2 + 2*a*b*cos(d)",
        ("a=normal:1:1e-5", "b=normal:1:1e-5", "d=3.14:3.1415"),
        "classical",
    ),
    Case("softplus less x", "log(1 + exp(x)) - x", ("x=5:30",), "after Mächler 2012"),
    Case("arcosh near 1", "acosh(1 + x)", ("x=loguniform:1e-9:1e-2",), "after Kahan 1987"),
    Case(
        "cosh difference",
        "cosh(x+h) - cosh(x)",
        ("x=1:2", "h=loguniform:1e-9:1e-4"),
        "after NMSE 3.3.5",
    ),
    Case(
        "tanh difference",
        "tanh(x+h) - tanh(x)",
        ("x=0.5:1", "h=loguniform:1e-9:1e-4"),
        "after NMSE 3.3.2",
    ),
    Case(
        "kinetic energy",
        "m*c**2*(1/sqrt(1 - v**2/c**2) - 1)",
        ("m=1:5", "c=2.9e8:3e8", "v=loguniform:1:1e6"),
        "classical, as NMSE ex. 3.1",
    ),
    Case("Planck's law", "x**3/(exp(x) - 1)", ("x=loguniform:1e-8:1",), "as NMSE ex. 3.7"),
    Case(
        "field of a disk",
        "1 - z/sqrt(z**2 + R**2)",
        ("z=loguniform:10:1e6", "R=1:2"),
        "classical, as NMSE ex. 3.1",
    ),
    Case("x − sin x", "x - sin(x)", ("x=loguniform:1e-4:1",), "Cheney & Kincaid, ch. 1", False),
    Case(
        "x − sin over x − tan",
        "(x - sin(x))/(x - tan(x))",
        ("x=loguniform:1e-4:1",),
        "NMSE 3.4.5",
        False,
    ),
    Case("1/x − cot x", "1/x - cot(x)", ("x=loguniform:1e-4:1",), "NMSE ex. 3.9", False),
    Case("polynomial of Rump", "9*x**4 - y**4 + 2*y**2", ("x=10864", "y=18817"), "Rump"),
)
"""Textbook cases, the last ones known to be out of reach."""


@dataclass(frozen=True)
class Attempt:
    case: Case
    repairs: Repairs
    seconds: float  # Seconds that the attempt took on one core

    @property
    def q_after(self) -> float:
        """q at the root of the best form, the original's if there is none."""
        best, before = self.repairs.best, self.repairs.before
        if best is not None:
            return best.after.q
        return before.q if before is not None else math.nan

    @property
    def reached(self) -> bool:
        """q <= max(own, 0.5) + 0.3."""
        return self.q_after <= max(self.repairs.own, 0.5) + WITHIN


def attempt(case: Case, *, limit_seconds: float = 2.0, limit_steps: int = 700) -> Attempt:
    """Repair one case on its domain, within a deadline and a number of costed forms.

    >>> attempt(CASES[0]).reached
    True
    """
    domains = dict(Domain.parse(text) for text in case.ranges)
    samples = sample_domains(domains, count=SAMPLES)
    formula = read(case.formula, columns=tuple(domains)).formula
    started = time.process_time()
    found = repair(formula, samples, limit_seconds=limit_seconds, limit_steps=limit_steps)
    return Attempt(case, found, time.process_time() - started)


HEADER = (
    f"{'case':<24} {'source':<34} {'own':>5} {'q':>11} {'EIC':>11} {'float64':>11} "
    f"{'s':>5}  reached"
)


def lines() -> Iterator[str]:
    yield HEADER
    attempts = []
    for case in CASES:
        done = attempt(case)
        attempts.append(done)
        yield _line(done)
        best = done.repairs.best
        yield f"    {case.formula}   →   {best.text if best else '—'}"
    reached = sum(a.reached for a in attempts)
    slowest = max(a.seconds for a in attempts)
    cut = sum(not a.repairs.finished for a in attempts)
    yield (
        f"{reached} of {len(attempts)} reach q ≤ max(own, 0.5) + {WITHIN}; "
        f"slowest {slowest:.2f} s of one core"
        + (f"; {cut} cut short by their time limit" if cut else "")
    )


def _line(done: Attempt) -> str:
    before, best = done.repairs.before, done.repairs.best
    if before is None:
        return f"{done.case.name:<24} {done.case.source[:34]:<34} {done.repairs.sentence}"
    after = best.after if best is not None else before
    return (
        f"{done.case.name:<24} {done.case.source[:34]:<34} {done.repairs.own:5.1f} "
        f"{before.q:5.1f} {after.q:5.1f} {before.eic:5.1f} {after.eic:5.1f} "
        f"{before.float64.digits_lost:5.1f} {after.float64.digits_lost:5.1f} "
        f"{done.seconds:5.2f}  {'yes' if done.reached else 'no'}"
        + ("" if done.repairs.finished else ", cut short")
    )


def main() -> int:
    for line in lines():
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
