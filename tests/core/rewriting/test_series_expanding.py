"""Series read off models, against contour integrals by mpmath."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import pytest

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.rewriting.series.coefficients import is_zero
from eic_core.rewriting.series.expanding import expand
from eic_core.rewriting.series.expansion import Expansion, ExpansionQuestion, Point, Side
from eic_core.rewriting.series.horner import CoefficientWriter, written
from eic_core.rewriting.terms import Terms, number_value

_ROW: dict[str, Callable[..., Any]] = {
    "add": lambda p, a, b: a + b,
    "sub": lambda p, a, b: a - b,
    "mul": lambda p, a, b: a * b,
    "div": lambda p, a, b: a / b,
    "neg": lambda p, a: -a,
    "abs": lambda p, a: abs(a),
    "power": lambda p, a: a ** (mpmath.mpf(p.numerator) / p.denominator),
    "sqrt": lambda p, a: mpmath.sqrt(a),
    "cbrt": lambda p, a: mpmath.cbrt(a),
    "pow": lambda p, a, b: a**b,
    "hypot": lambda p, a, b: mpmath.sqrt(a * a + b * b),
    "expm1": lambda p, a: mpmath.exp(a) - 1,
    "log1p": lambda p, a: mpmath.log(1 + a),
    "log": lambda p, a: mpmath.log(a) / (1 if p is None else mpmath.log(p.numerator)),
    "atan2": lambda p, a, b: mpmath.atan(a / b),
    **{
        name: lambda p, a, name=name: getattr(mpmath, name)(a)
        for name in "exp sin cos tan cot sec csc asin acos atan sinh cosh tanh asinh acosh atanh"
        " erf erfc".split()
    },
}


def value(terms: Terms, root: int, values: dict[str, Any]) -> Any:
    """A term's value by mpmath, at complex numbers."""
    by_term: dict[int, Any] = {}
    for number in terms.subterms(root):
        term = terms[number]
        if term.operator == VARIABLE:
            by_term[number] = values[term.label]
        elif term.operator == CONSTANT:
            exact = number_value(term.label)
            by_term[number] = (
                {"pi": mpmath.pi, "e": mpmath.e}[term.label] + mpmath.mpf(0)
                if exact is None
                else mpmath.mpf(exact.numerator) / exact.denominator
            )
        else:
            operands = [by_term[c] for c in term.children]
            by_term[number] = _ROW[term.operator](term.parameter, *operands)
    return by_term[root]


VALUES = {name: mpmath.mpf(3 + 2 * i) / 7 for i, name in enumerate("a b c k s t q eps x".split())}


class Answer(NamedTuple):
    terms: Terms
    question: ExpansionQuestion
    expansion: Expansion | None

    @property
    def series(self) -> int:
        """What is written for it."""
        assert self.expansion is not None
        return written(self.terms, self.question, self.expansion)

    @property
    def coefficients(self) -> list[int]:
        assert self.expansion is not None
        return [*map(CoefficientWriter(self.terms).term, self.expansion.coefficients)]


def ask(
    text: str,
    quantity: str = "x",
    point: Point = Fraction(0),
    count: int = 6,
    side: Side = "both",
    **values: float,
) -> Answer:
    """The expansion, if there is one, with inputs about as large as in `VALUES`."""
    terms = Terms()
    root, h = (terms.add(read(each).formula) for each in (text, quantity))
    row = {name: values.get(name, float(VALUES.get(name, 1))) for name in terms.variables(root)}
    asked = ExpansionQuestion(root, h, point, count, side, tuple(row.items()))
    return Answer(terms, asked, expand(terms, asked))


def text_of(terms: Terms, root: int) -> str:
    return to_python(terms.formula(terms.with_quotients(root)))


def coefficients(text: str, quantity: str = "x", **more: Any) -> list[str]:
    answer = ask(text, quantity, **more)
    return [text_of(answer.terms, c) for c in answer.coefficients]


# --- Coefficients ----------------------------------------------------------

AT_ZERO = (
    "(x - sin(x))/(x - tan(x))",
    "1/x - cot(x)",
    "x - sin(x)",
    "sin(x) - x",
    "1/x - 1/tan(x)",
    "cos(x)/x - sin(x)/x**2",
    "(1 - cos(x))/x**2",
    "(exp(x) - 1 - x)/x**2",
    "log(1 + x) - x",
    "log1p(x) - x + x*x/2",
    "expm1(x) - x",
    "tanh(x) - x",
    "sinh(x) - x",
    "cosh(x) - 1",
    "asin(x) - x",
    "acos(x) - pi/2",
    "atan(x) - x",
    "asinh(x) - x",
    "atanh(x) - x",
    "erf(x) - 2*x/sqrt(pi)",
    "erfc(x) - 1",
    "sqrt(1 + x) - 1",
    "cbrt(1 + x) - 1",
    "(1 + x)**Rational(1, 7) - 1",
    "1/sqrt(4 + x) - 1/2",
    "x/(exp(x) - 1)",
    "1/sin(x) - 1/x",
    "1/sinh(x) - 1/x",
    "sec(x) - csc(x)",
    "log(cosh(x))",
    "log(cos(x))",
    "log(sin(x)/x)",
    "exp(sin(x)) - exp(x)",
    "exp(x + 1) - e",
    "log(x + 8) - 3*log(2)",
    "log(100 + x, 10) - 2",
    "sin(x + 1) - sin(1)",
    "tan(x + 1) - tan(1)",
    "(2 + x)**x - 1",
    "hypot(x, 3) - 3",
    "atan2(x, 2)",
    "(1 + x)**(1/x) - e",
    "x**3/(x - sin(x)) - 6",
)

WITH_PARAMETERS = (
    ("(1 - exp(-k*t))/k", "k"),
    ("(1 - exp(-k*t))/k", "t"),
    (
        "(b - s**2/(2*a**2))*((1 - exp(-a*t))/a - t) - s**2*((1 - exp(-a*t))/a)**2/(4*a)",
        "a",
    ),
    ("2*((exp(s*s*t) - 1)/(s*s) - t)/(s*s*t*t)", "t"),
    ("eps*(exp((a + b)*eps) - 1)/((exp(a*eps) - 1)*(exp(b*eps) - 1))", "eps"),
    ("sin(a + x) - sin(a)", "x"),
    ("tan(a + x) - tan(a)", "x"),
    ("exp(a + x) - exp(a)", "x"),
    ("log(a + x) - log(a)", "x"),
    ("sqrt(a + x) - sqrt(a)", "x"),
    ("sqrt(a*a + b*b + x) - sqrt(a*a + b*b)", "x"),
    ("atan(a + x) - atan(a)", "x"),
    ("cbrt(a + x) - cbrt(a)", "x"),
    ("(1 + x)**c - 1", "x"),
    ("log(1 - log(1 - q)/c)", "q"),
    ("exp(a*x) - exp(b*x)", "x"),
    ("hypot(a, x) - abs(a)", "x"),
)


def contour(function: Callable[[Any], Any], power: int) -> Any:
    """The coefficient of a power, by Cauchy's integral on a small circle."""
    count, radius = 64, mpmath.mpf(1) / 8
    total = mpmath.mpc(0)
    for k in range(count):
        z = radius * mpmath.expjpi(2 * mpmath.mpf(k) / count)
        total += function(z) / z**power
    return total / count


@pytest.mark.parametrize(("text", "name"), [*((text, "x") for text in AT_ZERO), *WITH_PARAMETERS])
def test_coefficients_are_those_of_cauchys_integral(text: str, name: str) -> None:
    with mpmath.workdps(40):
        answer = ask(text, name, count=5)
        assert answer.expansion is not None and is_zero(answer.expansion.share)
        terms, root, first = answer.terms, answer.question.term, answer.expansion.first
        for place, c in enumerate(answer.coefficients):
            exact = contour(lambda z: value(terms, root, VALUES | {name: z}), first + place)
            ours = value(terms, c, VALUES)
            assert abs(exact - ours) < mpmath.mpf(10) ** -25 * (1 + abs(ours)), place


@pytest.mark.parametrize(
    "text",
    [
        "1/(x + 1) - 2/x + 1/(x - 1)",
        "log(x + 1) - log(x)",
        "atan(x + 1) - atan(x)",
        "sqrt(x*x + 1) - x",
        "asinh(x) - log(2*x)",
        "sqrt(x + 1) - sqrt(x)",
        "cbrt(x + 1) - cbrt(x)",
        "(x + 1)**(1/n) - x**(1/n)",
        "(1 + 1/x)**x",
    ],
)
def test_at_infinity_the_polynomial_is_near(text: str) -> None:
    answer = ask(text, point="inf", count=8)
    values = {"x": mpmath.mpf(10) ** 4, "n": mpmath.mpf(5)}
    with mpmath.workdps(60):
        exact = value(answer.terms, answer.question.term, values)
        assert abs(value(answer.terms, answer.series, values) / exact - 1) < 1e-28


def test_coefficients_are_simple_and_exact() -> None:
    assert coefficients("x - sin(x)", count=3) == ["1/6", "0", "-1/120", "0", "1/5040"]
    hexagonal = "eps*(exp((a+b)*eps)-1)/((exp(a*eps)-1)*(exp(b*eps)-1))"
    assert coefficients(hexagonal, "eps", count=2) == ["(a + b)/(a*b)", "0", "(a + b)/12"]
    assert coefficients("(1 - exp(-k*t))/k", "k*t", count=3) == ["t", "-t/2", "t/6"]
    assert coefficients("cosh(x)", count=15)[-1] == "1/304888344611713860501504000000"


def test_a_term_may_be_a_power_of_an_input_times_a_function_of_the_quantity() -> None:
    assert coefficients("y/expm1(x*y)", "x*y", count=3) == ["1/x", "-(1/(2*x))", "1/(12*x)"]
    assert coefficients("x**2*sin(x/y) - x**3/y", "x/y", count=2) == ["-y**2/6", "0", "y**2/120"]
    assert coefficients("y*log(x/y)", "x/y", point=Fraction(1), count=2) == ["y", "-y/2"]
    for text, quantity in (("sin(x*x) - x", "x*x"), ("1 + y/expm1(x*y)", "x*y")):
        assert ask(text, quantity).expansion is None


@pytest.mark.parametrize(
    "text",
    [
        *("log(x)", "x*log(x)", "exp(1/x)", "sin(1/x)", "x - x", "floor(x)", "gamma(x)"),
        "(1/3 + x)**0.6573698932926713 - 1",
    ],
)
def test_where_there_is_no_series_there_is_no_expansion(text: str) -> None:
    assert ask(text).expansion is None


def test_sides_of_a_point() -> None:
    assert ask("abs(x)").expansion is None
    assert coefficients("abs(x)", side="above") == ["1"]
    assert coefficients("abs(x)", side="below") == ["-1"]
    assert ask("acos(1 - x)").expansion is None
    answer = ask("acos(1 - x)", side="above", count=2)
    assert text_of(answer.terms, answer.series) == "sqrt(x)*(sqrt(2)*(1 + x/12))"
    assert coefficients("sqrt(x*x + 1) - x", point="-inf", count=2) == ["-2", "0", "-0.5"]


def test_roots_have_the_sign_of_their_row() -> None:
    text = "(-b + sqrt(b*b - 4*a*c))/(2*a)"
    assert coefficients(text, "a", count=2) == ["-(c/b)", "-(c**2/b**3)"]
    assert coefficients(text, "a", count=2, b=-2.0) == ["-b", "c/b"]
    assert coefficients("sqrt(x - b) - sqrt(-b)", count=1, b=-2.0) == ["-(sqrt(-b)/(2*b))"]
    product = "sqrt((a - b)*(c - s) + x) - sqrt((a - b)*(c - s))"
    expected = "sqrt(b - a)*sqrt(s - c)/(2*(a - b)*(c - s))"
    assert coefficients(product, count=1) == [expected]


def test_names_are_not_evaluated() -> None:
    for name in ("lambda", "I", "E", "x0", "S", "__import__", "größe", "p0", "quantity", "None"):
        terms = Terms()
        name_term, h = terms.intern(VARIABLE, label=name), terms.intern(VARIABLE, label="h")
        product = terms.intern("mul", (name_term, h))
        root = terms.intern("sub", (terms.intern("sin", (product,)), product))
        asked = ExpansionQuestion(root, h, Fraction(0), 1, row=((name, 2.0), ("h", 1.0)))
        answer = Answer(terms, asked, expand(terms, asked))
        assert text_of(terms, answer.coefficients[0]) == f"-{name}**3/6"


# --- Polynomials ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x**3/6 - x**5/120 + x**7/5040", "x**3*(1/6 - x**2*(1/120 - x**2/5040))"),
        ("x**5/120 - x**3/6", "-(x**3*(1/6 - x**2/120))"),
        ("1 + x + x**2/2", "1 + x*(1 + x/2)"),
        ("1/x + 2*x**2 + 3*x**4", "(1 + x**3*(2 + 3*x**2))/x"),
        ("5 + 0*x", "5"),
        ("x**4", "x**4"),
        ("a*x + a/2*x**3", "x*a*(1 + x**2/2)"),
        ("a + b + x*(a - b)", "a + b + x*(a - b)"),
        ("-1 - 2*x", "-(1 + 2*x)"),
        ("a*(a-1)*x/2 - a*(a-1)*(b+a)*x**2/6", "x*a*(a - 1)*(0.5 - x*(a + b)/6)"),
        ("1 - a + a*x**2 - a*b*x**3", "1 - a + x**2*a*(1 - x*b)"),
        ("1/a + x/a**2 + x**2/(3*a**3)", "(1 + x*(1 + x/(3*a))/a)/a"),
        ("x*(a - b - a*b)/7 - (a - b - a*b)*x**2", "-(x*(a*b - a + b)*(1/7 - x))"),
    ],
)
def test_horners_rule_takes_out_what_coefficients_share(text: str, expected: str) -> None:
    answer = ask(text)
    with mpmath.workdps(30):
        values = {"x": mpmath.mpf(3) / 7, "a": mpmath.mpf(2), "b": mpmath.mpf(5)}
        ours, plain = (
            value(answer.terms, n, values) for n in (answer.series, answer.question.term)
        )
        assert abs(ours - plain) < 1e-25
    assert text_of(answer.terms, answer.series) == expected
