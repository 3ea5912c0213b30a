"""A formula and rows for each cause, and what is said of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from eic_core.explain import findings as facts
from eic_core.explain.findings import Cause, ErrorKind, Finding, Place
from eic_core.explain.verdict import Verdict, verdict
from tests.inspections import inspect_columns


class Example(NamedTuple):
    """The first finding with a cause of this class at this place."""

    cause: type[Cause]
    text: str
    columns: Mapping[str, Sequence[float]]
    label: str
    sentence: str
    place: Place = Place.RESULT
    noise: ErrorKind = ErrorKind.INDEPENDENT

    def __str__(self) -> str:
        return f"{self.cause.name()}: {self.text}"

    def verdict(self) -> Verdict:
        return verdict(inspect_columns(self.text, **dict(self.columns)))

    def finding(self) -> Finding:
        return next(
            finding
            for finding in self.verdict().findings
            if isinstance(finding.cause, self.cause)
            and (finding.place, finding.noise) == (self.place, self.noise)
        )


def line(low: float, high: float, count: int = 9) -> list[float]:
    return [float(x) for x in np.linspace(low, high, count)]


TURNS = 10 * math.pi
INNER, ROUNDING = Place.WORST_STEP, ErrorKind.ROUNDING

EXAMPLES: tuple[Example, ...] = (
    Example(
        facts.Accumulated,
        "sin(" * 400 + "x" + ")" * 400,
        {"x": line(0.5, 2, 20)},
        "Accumulated rounding",
        "Errors grow 12-fold at every row; 0.0 digits of that arise at "
        "`sin(sin(sin(sin(sin(sin(sin(sin(sin(sin(sin(…)))))))))))`: no single step below "
        "stands out.",
    ),
    Example(
        facts.Cancellation,
        "10000*x - 9999*x",
        {"x": line(1, 2)},
        "Cancellation in a difference",
        "Errors grow 24,000-fold at every row; 4.2 digits of that arise at `10000·x − "
        "9999·x`: the two terms cancel.",
    ),
    Example(
        facts.Cancellation,
        "100 + (x - 3.001)",
        {"x": line(1, 5, 200)},
        "Cancellation in a difference",
        "The worst step inside is `x − 3.001` (0.7 digits typically, 1.3 at nine in "
        "ten rows): the two terms cancel where the difference crosses zero.",
        place=INNER,
    ),
    Example(
        facts.Cancellation,
        "(x - y)**20",
        {"x": line(1, 2), "y": line(0.8, 1.6)},
        "Cancellation in a difference",
        "Errors grow 130-fold at every row; 0.8 digits of that arise at `x − y`: the two "
        "terms nearly cancel.",
    ),
    Example(
        facts.Cancellation,
        "(x - y)**20",
        {"x": [1.0] * 9, "y": [0.8] * 5 + [-0.5] * 4},
        "Cancellation in a difference",
        "Errors grow 130-fold at every row; 0.5 digits of that arise at `x − y`: the two "
        "terms nearly cancel at some rows.",
    ),
    Example(
        facts.Cancellation,
        "x + y",
        {"x": [1.0, 1.0], "y": [-0.99, -0.98]},
        "Cancellation in a sum",
        "Errors grow 70-fold typically and 140-fold at most at every row; 2.0 digits of that "
        "arise at `x + y`: the two terms cancel.",
    ),
    Example(
        facts.ZeroTerm,
        "100 + 1e9*(x - 1)",
        {"x": [1.0, 1.0]},
        "Error of a term that is 0",
        "Errors grow 1.4·10⁷-fold at every row; 7.2 digits of that arise at `100 + 1e9·(x − "
        "1)`: one term is 0 and only brings its error.",
    ),
    Example(
        facts.ZeroTerm,
        "exp(1e9*(x - x))",
        {"x": [1.0, 2.0]},
        "Error of a term that is 0",
        "Errors grow 1.4·10⁹-fold typically and 2.8·10⁹-fold at most at every row; 9.3 digits"
        " of that arise at `exp(1e9·(x − x))`: its operand is 0 and only brings its error.",
    ),
    Example(
        facts.ZeroTerm,
        "x**(1e9*(y - y))",
        {"x": [1.5, 2.0], "y": [1.0, 2.0]},
        "Error of a term that is 0",
        "Errors grow 5.7·10⁸-fold typically and 2·10⁹-fold at most at every row; 9.0 digits "
        "of that arise at `x^(1e9·(y − y))`: its exponent is 0 and only brings its error.",
    ),
    Example(
        facts.ZeroTerm,
        "atan2(x, 1e9*(y - y))",
        {"x": [1.5, 2.0], "y": [1.0, 2.0]},
        "Error of a term that is 0",
        "Errors grow 6·10⁸-fold typically and 9·10⁸-fold at most at every row; 8.9 digits of "
        "that arise at `atan2(x, 1e9·(y − y))`: operand 2 is 0 and only brings its error.",
    ),
    Example(
        facts.NearPole,
        "tan(x)",
        {"x": line(1.55, 1.57)},
        "Near a pole",
        "Errors grow 140-fold typically and 2,000-fold at most at every row; 2.3 digits of "
        "that arise at `tan(x)`: it comes close to a pole of `tan`.",
    ),
    Example(
        facts.NearPole,
        "lgamma(x)",
        {"x": [-4.004, -4.005]},
        "Near a pole",
        "Errors grow 380-fold typically and 430-fold at most at every row; 2.6 digits of that"
        " arise at `lgamma(x)`: it comes close to a pole of `lgamma`.",
    ),
    Example(
        facts.NearZero,
        "sin(x)",
        {"x": line(3.1, 3.14)},
        "Near a zero",
        "Errors grow 140-fold typically and 2,000-fold at most at every row; 2.3 digits of "
        "that arise at `sin(x)`: it comes close to a zero of `sin`.",
    ),
    Example(
        facts.NearZero,
        "sin(x)",
        {"x": [7 * math.pi + 1e-4, 8 * math.pi - 2e-4, 7 * math.pi - 1e-3]},
        "Near a zero",
        "Errors grow 130,000-fold typically and 220,000-fold at most at every row; 4.9 digits"
        " of that arise at `sin(x)`: it comes close to a zero at arguments up to 25.1.",
    ),
    Example(
        facts.NearZerosAndPoles,
        "tan(x)",
        {
            "x": [
                TURNS + 1e-3,
                TURNS - 1e-3,
                *(TURNS + math.pi / 2 + d for d in (1e-3, -1e-3)),
                32.2,
            ]
        },
        "Near zeros and poles",
        "Errors grow 31,000-fold typically and 33,000-fold at most at every row; 4.0 digits "
        "of that arise at `tan(x)`: it comes close to zeros and poles of `tan`.",
    ),
    Example(
        facts.LargeArgument,
        "sin(x)",
        {"x": line(1e6, 1.1e6, 60)},
        "Large argument of sin",
        "Errors grow 1.1·10⁶-fold typically and 1.5·10⁸-fold at most at every row; 6.0 digits"
        " of that arise at `sin(x)`: its argument is large (up to 1.1·10⁶, period 2π).",
    ),
    Example(
        facts.LargeArgument,
        "tan(x)",
        {"x": line(1e6, 1.1e6, 60)},
        "Large argument of tan",
        "Errors grow 3·10⁶-fold typically and 1.5·10⁸-fold at most at every row; 6.6 digits "
        "of that arise at `tan(x)`: its argument is large (up to 1.1·10⁶, period π).",
    ),
    Example(
        facts.GrowthOfLargeNumber,
        "exp(x)",
        {"x": line(100, 600)},
        "Exponential of a large number",
        "Errors grow 350-fold typically and 600-fold at most at every row; 2.5 digits of that"
        " arise at `exp(x)`: the exponential multiplies errors by its argument (up to 600).",
    ),
    Example(
        facts.GrowthOfLargeNumber,
        "cosh(x)",
        {"x": line(100, 600)},
        "Hyperbolic function of a large number",
        "Errors grow 350-fold typically and 600-fold at most at every row; 2.5 digits of that"
        " arise at `cosh(x)`: the hyperbolic function multiplies errors by its argument (up "
        "to 600).",
    ),
    Example(
        facts.GrowthOfLargeNumber,
        "gamma(x)",
        {"x": line(100, 160)},
        "Gamma function of a large number",
        "Errors grow 630-fold typically and 810-fold at most at every row; 2.8 digits of that"
        " arise at `Γ(x)`: the gamma function multiplies errors by its argument (up to 160).",
    ),
    Example(
        facts.GrowthOfLargeNumber,
        "erfc(x)",
        {"x": line(5, 20)},
        "`erfc` of a large number",
        "Errors grow 310-fold typically and 800-fold at most at every row; 2.4 digits of that"
        " arise at `erfc(x)`: the `erfc` multiplies errors by its argument (up to 20).",
    ),
    Example(
        facts.LargeExponent,
        "x**40",
        {"x": line(1, 2)},
        "Large exponent",
        "Errors grow 40-fold at every row; 1.6 digits of that arise at `x⁴⁰`: the power "
        "multiplies the relative error by 40.",
    ),
    Example(
        facts.LargeExponent,
        "x**y",
        {"x": line(1, 1.1), "y": line(100, 200)},
        "Large exponent",
        "Errors grow 150-fold typically and 200-fold at most at every row; 2.2 digits of that"
        " arise at `x^y`: the power multiplies the relative error by about 150.",
    ),
    Example(
        facts.ErrorInExponent,
        "x**y",
        {"x": line(1e10, 1e11), "y": line(3, 4)},
        "Error in an exponent",
        "Errors grow 87-fold typically and 100-fold at most at every row; 1.9 digits of that "
        "arise at `x^y`: an error in the exponent counts exponent × ln(base) times.",
    ),
    Example(
        facts.NearEdge,
        "acos(x)",
        {"x": line(0.9999, 0.99999)},
        "End of the domain",
        "Errors grow 9,100-fold typically and 50,000-fold at most at every row; 4.0 digits of"
        " that arise at `acos(x)`: the argument of `acos` comes close to 1.",
    ),
    Example(
        facts.NearEdge,
        "atanh(x)",
        {"x": [-0.9999, 0.9999, 0.99999]},
        "End of the domain",
        "Errors grow 1,000-fold typically and 8,200-fold at most at every row; 3.3 digits of "
        "that arise at `atanh(x)`: the argument of `atanh` comes close to ±1.",
    ),
    Example(
        facts.NearEdge,
        "atanh(x)",
        {"x": [-0.9999, -0.99999]},
        "End of the domain",
        "Errors grow 1,000-fold typically and 8,200-fold at most at every row; 3.5 digits of "
        "that arise at `atanh(x)`: the argument of `atanh` comes close to −1.",
    ),
    Example(
        facts.NearEdge,
        "log(x)",
        {"x": [0.999, 1.001]},
        "Logarithm near 1",
        "Errors grow 1,000-fold at every row; 3.0 digits of that arise at `log(x)`: its "
        "argument comes close to 1, where the logarithm is 0.",
    ),
    Example(
        facts.NearEdge,
        "log1p(x)",
        {"x": [-0.9999, -0.9998]},
        "Logarithm near its end",
        "Errors grow 590-fold typically and 1,100-fold at most at every row; 2.9 digits of "
        "that arise at `log1p(x)`: its argument comes close to −1.",
    ),
    Example(
        facts.NearEdge,
        "lgamma(x)",
        {"x": [1.01, 2.01, 0.99]},
        "Log-gamma near a zero",
        "Errors grow 100-fold typically and 200-fold at most at every row; 2.1 digits of that"
        " arise at `lgamma(x)`: its value comes close to 0, as beside 1 and 2.",
    ),
    Example(
        facts.SteepStep,
        "mod(x, 3)",
        {"x": [100.01, 101.0, 100.5]},
        "Steep function",
        "Errors grow 94-fold typically and 140-fold at most at every row; 2.0 digits of that "
        "arise at `mod(x, 3)`: it multiplies errors of operand 1 by about 67.",
    ),
    Example(
        facts.SteepStep,
        "tan(x)**20",
        {"x": [2.3, 2.31]},
        "Steep function",
        "Errors grow 95-fold at every row; 0.7 digits of that arise at `tan(x)`: it "
        "multiplies relative errors by about 4.64.",
    ),
    Example(
        facts.SteepStep,
        "erfc(x)**8",
        {"x": [0.86, 0.9]},
        "Steep function",
        "Errors grow 18-fold typically and 20-fold at most at every row; 0.4 digits of that "
        "arise at `erfc(x)`: it amplifies what it is given about 2.36 times.",
    ),
    Example(
        facts.OwnInaccuracy,
        "root(x, 7)",
        {"x": [1e-300, 2e-300, 5e-300]},
        "A function that is itself inexact",
        "Double precision loses up to 1.7 digits at the worst rows, at `root(x, 7)`: the library's "
        "own function is up to 1.7 digits off.",
        noise=ROUNDING,
    ),
    Example(
        facts.BeyondDoubles,
        "log(exp(x) - exp(y))",
        {"x": [1000.001, 1100.0], "y": [1000.0, 1099.999]},
        "Values beyond double range",
        "The worst step inside is `exp(x) − exp(y)` (6.2 digits typically, "
        "6.2 at nine in ten rows): its operand cannot be computed in double precision at "
        "all.",
        place=INNER,
    ),
    Example(
        facts.NoDigitLeft,
        "x - x",
        {"x": [1.0, 2.0]},
        "Cancellation in a difference",
        "Any error leaves no digit right at any row, at `x − x`: the two terms cancel exactly.",
    ),
    Example(
        facts.NoDigitLeft,
        "(1e40 + x) - 1e40",
        {"x": [1.0, 2.0]},
        "Cancellation in a difference",
        "Any error leaves no digit right at any row, at `1e40 + x − 1e40`: the two terms "
        "cancel in more than 30 digits.",
    ),
    Example(
        facts.NoDigitLeft,
        "(x + y) - 1",
        {"x": [1.0, 1.0, 2.0], "y": [1e-40, 0.0, 3.0]},
        "Cancellation in a difference",
        "Any error leaves no digit right at 2 of 3 rows, at `x + y − 1`: the two "
        "terms cancel exactly, or nearly.",
    ),
    Example(
        facts.NoDigitLeft,
        "sin(exp(x))",
        {"x": [100.0, 1.0]},
        "A singular point",
        "Double precision loses up to 15.9 digits at the worst rows, at "
        "`sin(exp(x))`: its argument is too large to have an angle.",
        noise=ROUNDING,
    ),
    Example(
        facts.NoDigitLeft,
        "exp(log(x)) - x",
        {"x": [1.5, 2.5]},
        "Cancellation in a difference",
        "Any error leaves no digit right at any row, at `exp(log(x)) − x`: 2,000 digits "
        "cannot tell it from a singular point.",
    ),
    Example(
        facts.NoDigitLeft,
        "((1e20 + x) - 1e20) - 0.9*x",
        {"x": [1e-9, 1.1e-9]},
        "Cancellation in a difference",
        "Any error leaves no digit right at any row, at `1e20 + x − 1e20 − 0.9·x`: errors "
        "grow beyond 10³⁰ on the way to it.",
    ),
    Example(
        facts.NoDigitLeft,
        "log(x)",
        {"x": [1.0, 2.0]},
        "A singular point",
        "Any error leaves no digit right at 1 of 2 rows, at `log(x)`: its argument is exactly 1.",
    ),
    Example(
        facts.NoDigitLeft,
        "sqrt((x-1)**2 + (y-5)**2)",
        {"x": [1.0, 2.0], "y": [5.0, 4.0]},
        "Cancellation in a difference",
        "The result follows `x − 1` at 1 of 2 rows, costing every digit: the two "
        "terms cancel exactly.",
    ),
    Example(
        facts.NoDigitLeft,
        "100 + (x - 3)",
        {"x": [3.0, 4.0]},
        "Cancellation in a difference",
        "An inner step, `x − 3`, keeps no digit at 1 of 2 rows (EIC infinite): the "
        "two terms cancel exactly.",
        place=INNER,
    ),
    Example(
        facts.OnThreshold,
        "where(x > 1, x + 1, 5)",
        {"x": [0.5, 1.0, 2.0]},
        "A jump",
        "Any error leaves no digit right at 1 of 3 rows, at `x + 1 if x > 1 else 5`: "
        "exactly on the jump of `x > 1`, row 2 first.",
    ),
    Example(
        facts.OnThreshold,
        "where(x - y > 0, x - y, 0)",
        {"x": [3.0, 2.0], "y": [1.0, 2.0]},
        "A zero",
        "Any error leaves no digit right at 1 of 2 rows, at `x − y if x − y > 0 else "
        "0`: both branches are 0 where `x − y > 0` turns, row 2 first.",
    ),
    Example(
        facts.OnThreshold,
        "where(tanh(20*x) < 1, 1, 2)",
        {"x": [1e5, 0.1]},
        "A jump",
        "Any error leaves no digit right at 1 of 2 rows, at `1 if tanh(20·x) < 1 else"
        " 2`: on the jump of `tanh(20·x) < 1` to over 30 digits, row 1 first.",
    ),
    Example(
        facts.OnThreshold,
        "floor(x)",
        {"x": [2.5, 2.0, 3.0]},
        "A jump",
        "Any error leaves no digit right at 2 of 3 rows, at `⌊x⌋`: exactly on a jump, row 2 first.",
    ),
    Example(
        facts.OnThreshold,
        "floor(tanh(x))",
        {"x": [1e5, 0.1]},
        "A jump",
        "Any error leaves no digit right at 1 of 2 rows, at `⌊tanh(x)⌋`: on a jump to"
        " over 30 digits, row 1 first.",
    ),
    Example(
        facts.OnThreshold,
        "1000000 + floor(x)",
        {"x": [1.0, 2.5]},
        "A jump",
        "Any error costs up to 10.0 digits at 1 of 2 rows, at `⌊x⌋`: exactly on a jump, "
        "row 1 first.",
    ),
    Example(
        facts.TurnedByRounding,
        "sign((x + 1e16) - 1e16 - 2)",
        {"x": [2.3, 7.0]},
        "A jump within the noise",
        "A rounding decides `sign(x + 1e16 − 1e16 − 2)` at 1 of 2 rows, and with it "
        "every digit of the result.",
    ),
    Example(
        facts.TurnedByRange,
        "where(x**2 > 0, 1, 2)",
        {"x": [1e-200, 1.0]},
        "A jump within the noise",
        "An over- or underflow decides `x² > 0` at 1 of 2 rows, and with it every "
        "digit of the result.",
    ),
    Example(
        facts.InfiniteSlope,
        "1 + sqrt(1 - x)",
        {"x": [1.0, 0.5]},
        "Infinitely steep",
        "The result is infinitely steep at 1 of 2 rows, at `√(1 − x)`: an error "
        "there, however small, is not passed on in proportion.",
    ),
    Example(
        facts.OutsideDomain,
        "log(x)",
        {"x": [-1.0, 2.0]},
        "Outside the real domain",
        "No real value at 1 of 2 rows, at `log(x)`: the argument of a logarithm must be positive.",
    ),
    Example(
        facts.OutsideDomain,
        "sqrt(x - 2)",
        {"x": [-1.0, 1.0]},
        "Outside the real domain",
        "No real value at any row, at `√(x − 2)`: the argument of a square root must "
        "not be negative.",
    ),
    Example(
        facts.OutsideDomain,
        "log(x)",
        {"x": [-1.0]},
        "Outside the real domain",
        "No real value at the only row, at `log(x)`: the argument of a logarithm must be positive.",
    ),
    Example(
        facts.OutsideDomain,
        "x**2.5",
        {"x": [-1.0, 1.0]},
        "Outside the real domain",
        "No real value at 1 of 2 rows, at `x^(5/2)`: the base is negative, and the "
        "exponent is not whole.",
    ),
    Example(
        facts.OutsideDomain,
        "x**-2.5",
        {"x": [-1.0, 1.0]},
        "Outside the real domain",
        "No real value at 1 of 2 rows, at `x^(-5/2)`: the base must be positive, for "
        "the exponent is neither whole nor positive.",
    ),
    Example(
        facts.OutsideDomain,
        "x**-2",
        {"x": [0.0, 1.0]},
        "Outside the real domain",
        "No real value at 1 of 2 rows, at `x⁻²`: the base is 0, and the exponent is negative.",
    ),
    Example(
        facts.OutsideDomain,
        "abs(x)**(y*1.1)",
        {"x": [0.0, 1.0], "y": [-1.0, 3.0]},
        "Outside the real domain",
        "No real value at 1 of 2 rows, at `|x|^(y·1.1)`: with an inexact exponent the"
        " base must be positive, or 0 below a positive one.",
    ),
    Example(
        facts.OutsideDomain,
        "where(x > 1, log(x), nan)",
        {"x": [0.5, 1.5]},
        "Outside the real domain",
        "No real value at 1 of 2 rows, at `nan`: the formula gives none there.",
    ),
    Example(
        facts.NotTold,
        "1/(1 - tanh(x))",
        {"x": [1.0, 1e6]},
        "Beyond what can be told",
        "No value can be told at 1 of 2 rows, at `1/(1 − tanh(x))`: to 300 digits its"
        " operand may be where it has no value.",
    ),
    Example(
        facts.BeyondReduction,
        "cos(exp(x))",
        {"x": [1e4, 1.0]},
        "Beyond what can be told",
        "No value can be told at 1 of 2 rows, at `cos(exp(x))`: its argument is too "
        "large to be reduced.",
    ),
    Example(
        facts.BeyondEveryRange,
        "1 + exp(-exp(x))",
        {"x": [40.0, 1.0]},
        "Beyond what can be told",
        "No value can be told at 1 of 2 rows, at `exp(−exp(x))`: its value leaves "
        "every range of numbers.",
    ),
    Example(
        facts.OutOfRange,
        "exp(x)",
        {"x": [1.0, 1000.0]},
        "Beyond double range",
        "No double-precision value at 1 of 2 rows: `exp(x)` overflows; the exact "
        "value is out of range, too.",
    ),
    Example(
        facts.OutOfRange,
        "exp(x)/(1 + exp(x))",
        {"x": [1.0, 1000.0]},
        "Beyond double range",
        "No double-precision value at 1 of 2 rows: `exp(x)` overflows; the exact "
        "value is in range.",
    ),
    Example(
        facts.OutOfRange,
        "x*y",
        {"x": [1e-200, 1.0], "y": [1e-200, 1.0]},
        "Beyond double range",
        "No double-precision value at 1 of 2 rows: `x·y` underflows; the exact value "
        "is out of range, too.",
    ),
    Example(
        facts.OutOfRange,
        "x*y*z",
        {"x": [1e-200], "y": [1e-200], "z": [1e90]},
        "Beyond double range",
        "No double-precision value at the only row: `x·y` underflows; the exact value"
        " is in range, with fewer digits.",
    ),
    Example(
        facts.OutOfRange,
        "x*y*z",
        {"x": [1e-200] * 3, "y": [1e-200] * 3, "z": [1e90, 1e99, 1e10]},
        "Beyond double range",
        "No double-precision value at any row: `x·y` underflows; the exact value is "
        "in range at 2 of 3.",
    ),
    Example(
        facts.OutOfRange,
        "1/(1 - cos(x))",
        {"x": [1e-9, 1.0]},
        "Rounded to no value",
        "No double-precision value at 1 of 2 rows: `1 − cos(x)` is rounded to 0; the "
        "exact value is in range.",
    ),
    Example(
        facts.OutOfRange,
        "sqrt(x-y-z)",
        {"x": [0.3, 1.0], "y": [0.1, 0.2], "z": [0.2, 0.1]},
        "Rounded to no value",
        "No double-precision value at 1 of 2 rows: `x − y − z` is rounded out of the "
        "domain; the exact value is in range.",
    ),
    Example(
        facts.RangeCost,
        "sqrt(x*x)",
        {"x": [2e-162, 1.0]},
        "A value beyond double range",
        "`x·x` underflows at 1 of 2 rows, which costs up to 15.0 digits of the result.",
    ),
    Example(
        facts.RangeCost,
        "atan(x*y/1e308)",
        {"x": [1e160, 1.0], "y": [1e149, 1.0]},
        "A value beyond double range",
        "`x·y` overflows at 1 of 2 rows, which costs up to 14.8 digits of the result.",
    ),
)
