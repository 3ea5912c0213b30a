"""Scaled tails, and functions that somebody made against a loss, with the siblings of each kind."""

from __future__ import annotations

from benchmarks.repairs.cases import Case, Needs, Ranges

CODY = "Cody, Math. Comp. 23 (1969)"
DIDONATO = "DiDonato & Morris, ACM TOMS 18 (1992)"
MAECHLER = "Mächler 2012"
BLANCHARD = "Blanchard, Higham & Higham 2021"
DLMF = "NIST Digital Library of Mathematical Functions, chapters 5 and 7"


def _case(
    name: str, formula: str, ranges: str, best: str, source: str, needs: Needs = Needs.EXACT
) -> Case:
    return Case(name, formula, Ranges(tuple(ranges.split())), source, (best,), needs=needs)


TAILS: tuple[Case, ...] = (
    _case("scaled erfc", "exp(x**2)*erfc(x)", "x=20:100", "erfcx(x)", CODY),
    _case("scaled complement of erf", "exp(x**2)*(1 - erf(x))", "x=2:26", "erfcx(x)", CODY),
    _case("log of erfc", "log(erfc(x))", "x=1:100", "log(erfcx(x)) - x**2", CODY),
    _case(
        "log of the normal tail", "log(0.5*erfc(x/sqrt(2)))", "x=5:100",
        "log(erfcx(x/sqrt(2))/2) - x**2/2", CODY,
    ),
    _case(
        "inverse of Mills' ratio", "exp(-x**2/2)/(sqrt(2*pi)*erfc(x/sqrt(2))/2)", "x=1:60",
        "sqrt(2/pi)/erfcx(x/sqrt(2))", CODY,
    ),
    _case(
        "Mills' ratio", "erfc(x/sqrt(2))/2/(exp(-x**2/2)/sqrt(2*pi))", "x=1:60",
        "sqrt(pi/2)*erfcx(x/sqrt(2))", CODY,
    ),
    _case(
        "exponentially modified normal", "exp(l/2*(2*m + l*s**2 - 2*x))*erfc((m + l*s**2 - x)"
        "/(sqrt(2)*s))", "l=0.5:50 m=-1:1 s=0.5:3 x=-10:10",
        "exp(-0.5*((x - m)/s)**2)*erfcx((m - x + l*s**2)/(sqrt(2)*s))", CODY,
    ),
    _case(
        "inverse Gaussian, second term", "exp(2*l/m)*erfc(sqrt(l/(2*x))*(1 + x/m))",
        "l=100:3000 m=0.5:3 x=0.5:5",
        "exp(-l*((x - m)/m)**2/(2*x))*erfcx(sqrt(l/(2*x))*(1 + x/m))", CODY,
    ),
    _case(
        "log of a difference of tails", "log(erfc(a) - erfc(b))", "a=20:30 b=31:40",
        "log(erfcx(a) - exp((a - b)*(a + b))*erfcx(b)) - a**2", CODY,
    ),
    _case(
        "scaled difference of tails", "exp(a**2)*(erfc(a) - erfc(b))", "a=5:40 b=41:60",
        "erfcx(a) - exp((a - b)*(a + b))*erfcx(b)", CODY,
    ),
    _case(
        "mean of a truncated normal", "(exp(-a**2) - exp(-b**2))/(erfc(a) - erfc(b))",
        "a=5:30 b=31:40", "-expm1((a - b)*(a + b))/(erfcx(a) - exp((a - b)*(a + b))*erfcx(b))",
        CODY,
    ),
    _case(
        "quotient of tails", "erfc(a)/erfc(b)", "a=20:30 b=20:30",
        "exp((b - a)*(b + a))*erfcx(a)/erfcx(b)", CODY,
    ),
    _case(
        "scaled tail less its end", "1 - sqrt(pi)*x*exp(x**2)*erfc(x)", "x=loguniform:60:1e3",
        "0.5/x**2*(1 - 1.5/x**2*(1 - 2.5/x**2*(1 - 3.5/x**2*(1 - 4.5/x**2*(1 - 5.5/x**2)))))",
        DLMF, Needs.SERIES,
    ),
    _case(
        "log of gamma, half a step", "lgamma(x + 0.5) - lgamma(x)", "x=loguniform:1e3:1e12",
        "lgamma(0.5) - betaln(x, 0.5)", DIDONATO,
    ),
    _case(
        "log of gamma less Stirling's formula", "lgamma(x) - (x - 0.5)*log(x) + x - log(2*pi)/2",
        "x=loguniform:60:1e8", "(1/12 - (1/360 - (1/1260 - 1/(1680*x**2))/x**2)/x**2)/x",
        DLMF, Needs.SERIES,
    ),
    _case(
        "quotient of gammas less its power", "lgamma(x + 0.5) - lgamma(x) - log(x)/2",
        "x=loguniform:50:1e8", "(-1/8 + (1/192 - (1/640 - 17/(14336*x**2))/x**2)/x**2)/x",
        DLMF, Needs.SERIES,
    ),
    _case(
        "quotient of gammas", "gamma(x + 0.5)/gamma(x)", "x=loguniform:1:1e6",
        "exp(lgamma(0.5) - betaln(x, 0.5))", DIDONATO,
    ),
)  # fmt: skip
"""What underflows beside what overflows, and series at infinity."""

MADE: tuple[Case, ...] = (
    _case(
        "log of beta", "lgamma(a) + lgamma(b) - lgamma(a + b)", "a=0.1:5 b=loguniform:1e3:1e12",
        "betaln(a, b)", DIDONATO,
    ),
    _case(
        "log of a binomial coefficient", "lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)",
        "n=loguniform:1e6:1e12 k=1:20", "-log(n + 1) - betaln(n - k + 1, k + 1)", DIDONATO,
    ),
    _case(
        "density of beta, its factor", "gamma(a + b)/(gamma(a)*gamma(b))", "a=1:50 b=100:300",
        "exp(-betaln(a, b))", DIDONATO,
    ),
    _case(
        "beta function", "gamma(a)*gamma(b)/gamma(a + b)", "a=1:9 b=100:900",
        "exp(betaln(a, b))", DIDONATO,
    ),
    _case(
        "Student's factor", "exp(lgamma((n + 1)/2) - lgamma(n/2))", "n=loguniform:1e4:1e12",
        "exp(lgamma(0.5) - betaln(n/2, 0.5))", DIDONATO,
    ),
    _case(
        "log of two exponentials", "log(exp(x) + exp(y))", "x=-900:900 y=-900:900",
        "logaddexp(x, y)", BLANCHARD,
    ),
    _case(
        "log of three exponentials", "log(exp(x) + exp(y) + exp(z))",
        "x=-900:900 y=-900:900 z=-900:900", "logaddexp(logaddexp(x, y), z)", BLANCHARD,
    ),
    _case("softplus by log1p", "log1p(exp(x))", "x=-100:1500", "logaddexp(x, 0)", MAECHLER),
    _case(
        "log of the logistic function", "log(1/(1 + exp(-x)))", "x=-900:700",
        "-logaddexp(-x, 0)", MAECHLER,
    ),
    _case("log of twice cosh", "log(2*cosh(x))", "x=-900:900", "logaddexp(x, -x)", BLANCHARD),
    _case(
        "two-state energy", "-t*log(exp(-a/t) + exp(-b/t))", "t=0.01:1 a=1:20 b=1:20",
        "-t*logaddexp(-a/t, -b/t)", BLANCHARD,
    ),
    _case("cosm1", "cos(x) - 1", "x=loguniform:1e-9:1", "-2*sin(x/2)**2", "SciPy"),
    _case(
        "GELU", "x*(1 + erf(x/sqrt(2)))/2", "x=-30:-3", "x*erfc(-x/sqrt(2))/2", "PyTorch",
    ),
)  # fmt: skip
"""What a library has one function for."""

CASES = TAILS + MADE
