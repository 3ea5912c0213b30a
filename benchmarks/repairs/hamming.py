"""The 28 cases of Herbie's Hamming suite, under its preconditions, in our notation.

Facts of https://github.com/herbie-fp/herbie (MIT), `bench/hamming/*.fpcore`: name, formula,
precondition. The chapters are those of Hamming's *Numerical Methods for Scientists and Engineers*
(2nd ed., 1973). The known forms are the suite's, or ours where they keep more digits.
"""

from __future__ import annotations

from benchmarks.repairs.cases import BitUniform, Case, Needs

_NEAR = "(and (<= -1e4 x 1e4) (< (* 1e-16 (fabs x)) eps (fabs x)))"
"""An eps that is small beside x, and not lost in x + eps."""

_SMALL_EXPONENTS = (
    "(and (<= (fabs a) 710) (<= (fabs b) 710)"
    " (<= (* 1e-27 (fmin (fabs a) (fabs b))) eps (fmin (fabs a) (fabs b))))"
)


def _root_of_discriminant(half: str) -> str:
    """sqrt(half**2 - a*c), without leaving the range of doubles."""
    product = "(sqrt(abs(a))*sqrt(abs(c)))"
    return (
        f"(sqrt(abs({half}) - {product})*sqrt(abs({half}) + {product})"
        f" if sign(a)*sign(c) > 0 else hypot({half}, {product}))"
    )


def _smaller_root(half: str, *, first: bool) -> str:
    """A root of a*x**2 + 2*half*x + c: the first has the larger value if a > 0."""
    root = _root_of_discriminant(half)
    added, quotient = f"({half} + {root})", f"({root} - {half})"
    if first:
        return f"{quotient}/a if {half} < 0 else -c/{added}"
    return f"c/{quotient} if {half} < 0 else -{added}/a"


def _case(
    name: str,
    formula: str,
    variables: str,
    precondition: str,
    *known_forms: str,
    needs: Needs = Needs.EXACT,
) -> Case:
    points = BitUniform(tuple(variables.split()), precondition)
    return Case(name, formula, points, "Herbie's Hamming suite", known_forms, needs=needs)


CASES: tuple[Case, ...] = (
    _case("expax (section 3.5)", "exp(a*x) - 1", "a x", "(> 710 (* a x))", "expm1(a*x)"),
    _case("expq2 (section 3.11)", "exp(x)/(exp(x) - 1)", "x", "(> 710 x)", "-1/expm1(-x)"),
    _case(
        "quadp (p42, positive)",
        "(-b + sqrt(b*b - 4*(a*c)))/(2*a)",
        "a b c",
        "",
        _smaller_root("(b/2)", first=True),
        needs=Needs.BRANCH,
    ),
    _case(
        "quadm (p42, negative)",
        "(-b - sqrt(b*b - 4*(a*c)))/(2*a)",
        "a b c",
        "",
        _smaller_root("(b/2)", first=False),
        needs=Needs.BRANCH,
    ),
    _case(
        "quad2p (problem 3.2.1, positive)",
        "(-h + sqrt(h*h - a*c))/a",
        "a h c",
        "",
        _smaller_root("h", first=True),
        needs=Needs.BRANCH,
    ),
    _case(
        "quad2m (problem 3.2.1, negative)",
        "(-h - sqrt(h*h - a*c))/a",
        "a h c",
        "",
        _smaller_root("h", first=False),
        needs=Needs.BRANCH,
    ),
    _case(
        "2sqrt (example 3.1)",
        "sqrt(x + 1) - sqrt(x)",
        "x",
        "(< 1 x 1e308)",
        "1/(sqrt(x + 1) + sqrt(x))",
    ),
    _case(
        "2isqrt (example 3.6)",
        "1/sqrt(x) - 1/sqrt(x + 1)",
        "x",
        "(< 1 x 1e308)",
        "1/(sqrt(x) + sqrt(x + 1))/sqrt(x)/sqrt(x + 1)",
    ),
    _case("2frac (problem 3.3.1)", "1/(x + 1) - 1/x", "x", "", "-1/x/(x + 1)"),
    _case(
        "3frac (problem 3.3.3)",
        "1/(x + 1) - 2/x + 1/(x - 1)",
        "x",
        "(> (fabs x) 1)",
        "2/x/(x - 1)/(x + 1)",
    ),
    _case(
        "2cbrt (problem 3.3.4)",
        "cbrt(x + 1) - cbrt(x)",
        "x",
        "(< 1 x 1e308)",
        "1/(cbrt(x + 1)**2 + cbrt(x + 1)*cbrt(x) + cbrt(x)**2)",
    ),
    _case("2log (problem 3.3.6)", "log(N + 1) - log(N)", "N", "(< 1 N 1e40)", "log1p(1/N)"),
    _case(
        "exp2 (problem 3.3.7)",
        "exp(x) - 2 + exp(-x)",
        "x",
        "(<= (fabs x) 710)",
        "4*sinh(x/2)**2",
    ),
    _case("expm1 (example 3.7)", "exp(x) - 1", "x", "(<= (fabs x) 1)", "expm1(x)"),
    _case(
        "logs (example 3.8)",
        "(n + 1)*log(n + 1) - n*log(n) - 1",
        "n",
        "(> n 6.8e15)",
        "log(n) + ((n + 1)*log1p(1/n) - 1)",
        "log(n + 1) - (1/(2*n) - (1/(3*(n*n)) - 4/n**3))",
    ),
    _case(
        "invcot (example 3.9)",
        "1/x - 1/tan(x)",
        "x",
        "(< -0.026 x 0.026)",
        "x/3*(1 + x*x/15)",
        "x/3*(1 + x*x/15*(1 + 2*x*x/21))",
        needs=Needs.SERIES,
    ),
    _case(
        "qlog (example 3.10)",
        "log(1 - x)/log(1 + x)",
        "x",
        "(<= (fabs x) 1)",
        "log1p(-x)/log1p(x)",
    ),
    _case("cos2 (problem 3.4.1)", "(1 - cos(x))/(x*x)", "x", "", "(sin(x/2)/(x/2))**2/2"),
    _case(
        "expq3 (problem 3.4.2)",
        "eps*(exp((a + b)*eps) - 1)/((exp(a*eps) - 1)*(exp(b*eps) - 1))",
        "a b eps",
        _SMALL_EXPONENTS,
        "1/a + 1/b",
        "eps + ((1/a if a*eps == 0 else eps/expm1(a*eps))"
        " + (1/b if b*eps == 0 else eps/expm1(b*eps)))",
        needs=Needs.SERIES,
    ),
    _case(
        "logq (problem 3.4.3)",
        "log((1 - eps)/(1 + eps))",
        "eps",
        "(< (fabs eps) 1)",
        "log1p(-eps) - log1p(eps)",
    ),
    _case(
        "sqrtexp (problem 3.4.4)",
        "sqrt((exp(2*x) - 1)/(exp(x) - 1))",
        "x",
        "",
        "sqrt(exp(x) + 1)",
    ),
    _case(
        "2nthrt (problem 3.4.6)",
        "(x + 1)**(1/n) - x**(1/n)",
        "x n",
        "",
        "x**(1/n)*expm1(log1p(1/x)/n)",
    ),
    _case(
        "2sin (example 3.3)",
        "sin(x + eps) - sin(x)",
        "x eps",
        _NEAR,
        "2*cos(x + eps/2)*sin(eps/2)",
    ),
    _case(
        "2cos (problem 3.3.5)",
        "cos(x + eps) - cos(x)",
        "x eps",
        _NEAR,
        "-2*sin(x + eps/2)*sin(eps/2)",
    ),
    _case(
        "2tan (problem 3.3.2)",
        "tan(x + eps) - tan(x)",
        "x eps",
        _NEAR,
        "sin(eps)/(cos(x)*cos(x + eps))",
    ),
    _case("tanhf (example 3.4)", "(1 - cos(x))/sin(x)", "x", "", "tan(x/2)"),
    _case(
        "2atan (example 3.5)",
        "atan(N + 1) - atan(N)",
        "N",
        "(< 1 N 1e100)",
        "atan2(1, 1 + N*(N + 1))",
    ),
    _case(
        "sintan (problem 3.4.5)",
        "(eps - sin(eps))/(eps - tan(eps))",
        "eps",
        "(<= -0.4 eps 0.4)",
        "-0.5 + 9*eps**2/40 - 27*eps**4/2800 + 27*eps**6/112000",
        needs=Needs.SERIES,
    ),
)
