"""Branches over more than one sign, inside a function: each part of a form in its stable writing.

Where x and y have either sign, every quadrant has a form of its own; what an expert writes is one
form whose parts choose: ``log1p(exp(x))`` as ``logaddexp(x, 0)``.
"""

from __future__ import annotations

from benchmarks.repairs.cases import Case, Ranges

FAR = ("x=-900:900", "y=-900:900")

SOFTPLUS = "(max({0}, 0) + log1p(exp(-abs({0}))))"
"""``log(1 + exp(u))``."""


def _band(low: str, high: str) -> str:
    """The log of what a logistic variable has between two numbers."""
    return f"log(-expm1({low} - ({high}))) - {_softplus(low)} - {_softplus(f'-({high})')}"


def _softplus(inside: str) -> str:
    return SOFTPLUS.format(inside)


CASES: tuple[Case, ...] = (
    Case(
        "log of a difference of logistic functions",
        "log(1/(1+exp(-x)) - 1/(1+exp(-y)))",
        Ranges(FAR, "(> x y)"),
        "users' reports",
        (_band("y", "x"),),
    ),
    Case(
        "log of a difference of upper tails",
        "log(1/(1+exp(x)) - 1/(1+exp(y)))",
        Ranges(FAR, "(< x y)"),
        "users' reports",
        (_band("x", "y"),),
    ),
    Case(
        "log of a difference of logistic functions, as quotients",
        "log(exp(x)/(1+exp(x)) - exp(y)/(1+exp(y)))",
        Ranges(FAR, "(> x y)"),
        "users' reports",
        (_band("y", "x"),),
    ),
    Case(
        "log of a difference of logistic functions, in one fraction",
        "log((exp(x) - exp(y))/((1+exp(x))*(1+exp(y))))",
        Ranges(FAR, "(> x y)"),
        "users' reports",
        (_band("y", "x"),),
    ),
    Case(
        "log of a difference of logistic functions, in parts",
        "x - log1p(exp(x)) + log(1 - exp(y - x)) - log1p(exp(y))",
        Ranges(FAR, "(> x y)"),
        "users' reports",
        (_band("y", "x"),),
    ),
    Case(
        "log-likelihood of an ordinal regression",
        "log(1/(1+exp(s-b)) - 1/(1+exp(s-a)))",
        Ranges(("s=-900:900", "a=-9:0", "b=0:9")),
        "McCullagh, Regression models for ordinal data (1980)",
        (_band("a - s", "b - s"),),
    ),
    Case(
        "log-likelihood of a discretized logistic",
        "log(1/(1+exp(-(x+h)/s)) - 1/(1+exp(-(x-h)/s)))",
        Ranges(("x=-3:3", "h=loguniform:1e-3:1e-1", "s=loguniform:1e-3:1")),
        "openai/pixel-cnn, discretized_mix_logistic_loss",
        (_band("(x - h)/s", "(x + h)/s"),),
    ),
    Case(
        "log of a difference of hyperbolic tangents",
        "log(tanh(x) - tanh(y))",
        Ranges(FAR, "(> x y)"),
        "users' reports",
        (f"log(2) + {_band('2*y', '2*x')}",),
    ),
    Case(
        "log of a difference of Bose functions",
        "log(1/(exp(x) - 1) - 1/(exp(y) - 1))",
        Ranges(("x=1:2000", "y=1:2000"), "(< x y)"),
        "users' reports",
        ("log(-expm1(x - y)) - x - log(-expm1(-x)) - log(-expm1(-y))",),
    ),
    Case(
        "log-likelihood of two logistic variables",
        "log(1/((1+exp(-x))*(1+exp(-y))))",
        Ranges(FAR),
        "users' reports",
        (f"-{_softplus('-x')} - {_softplus('-y')}",),
    ),
    Case(
        "log-likelihood of one of two",
        "log(exp(x)/((1+exp(x))*(1+exp(y))))",
        Ranges(FAR),
        "users' reports",
        (f"-{_softplus('-x')} - {_softplus('y')}",),
    ),
    Case(
        "log-sum-exp of three",
        "log(exp(u) + exp(v) + exp(w))",
        Ranges(("u=-900:900", "v=-900:900", "w=-900:900")),
        "Blanchard, Higham and Higham (2021)",
        (
            "max(u, v, w) + log(exp(u - max(u, v, w)) + exp(v - max(u, v, w))"
            " + exp(w - max(u, v, w)))",
        ),
    ),
)
