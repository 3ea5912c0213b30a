"""Functions that a text defines beside its formula are put in where it calls them."""

import pytest

from eic_core.errors import FormulaError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from tests.core.formula.refusals import refusal

DEFINED = {
    "gaussian(x) = exp(-x^2)\n2*gaussian(x0) + 1": "2*exp(-x0**2) + 1",
    "2*gaussian(x0) + 1\ngaussian(x) = exp(-x^2)": "2*exp(-x0**2) + 1",
    "gaussian(x) = exp(-x^2); y = 2*gaussian(x0)": "2*exp(-x0**2)",
    'unary_operators=["gaussian(x) = exp(-x^2)"]\n2*gaussian(x0)': "2*exp(-x0**2)",
    'extra_sympy_mappings={"inv": lambda x: 1 / x}\ninv(x0) + 1': "1/x0 + 1",
    "inv(x0) + 1\nextra_sympy_mappings={'inv': lambda x: 1 / x}": "1/x0 + 1",
    'binary_operators=["mypow(x, y) = abs(x)^y"], extra_sympy_mappings={"mypow": lambda x, y: '
    "abs(x)**y}\n2.0*mypow(x0, 1.5 + x1)": "2.0*abs(x0)**(1.5 + x1)",
    'model = PySRRegressor(\n    niterations=40,\n    unary_operators=[\n        "cos",\n        '
    '"inv(x) = 1/x",\n    ],\n    extra_sympy_mappings={"inv": lambda x: 1 / x},\n)\n'
    "inv(x0) + cos(x1)": "1/x0 + cos(x1)",
    'unary_operators=["special(x::T) where {T} = x > 0 ? x^2 : T(NaN)"]\nspecial(x0) + 1': (
        "where(x0 > 0, x0**2, nan) + 1"
    ),
    'unary_operators=["special(x::T) where T = x > 0f0 ? 2.5f0*x^2 : zero(T)"]\nspecial(x0)': (
        "where(x0 > 0, 2.5*x0**2, 0)"
    ),
    "f(x) = x^2\ny = f(a) + 1": "a**2 + 1",
    "f(x)=x^2; f(x+1)": "(x + 1)**2",
    "f(x) = x^2 + 1\ng(x) = f(x) + 2": "x**2 + 1 + 2",
    "g(x) = h(x)*2; h(x) = x + 1; y = g(h(z))": "(z + 1 + 1)*2",
    "gauss(x) = exp(-x^2)\nscaled(x, s) = gauss(x/s)\nscaled(x0, 2) + x1": "exp(-(x0/2)**2) + x1",
    "sig(v) = 1/(1+exp(-k v))\ny = a*sig(x) + b": "a*(1/(1 + exp(-k*x))) + b",
    "where(x0 > 1, h(x0), 0)\nh(t) = t^3": "where(x0 > 1, x0**3, 0)",
    r"f(x) = \frac{x}{2}, \quad y = f(a + 1)": "(a + 1)/2",
    r"y = f(a) + 1 \quad\text{where}\quad f(x) = \frac{x}{2}": "a/2 + 1",
    r"y = \operatorname{sq}(a) + 1, \quad \operatorname{sq}(x) = x^{2}": "a**2 + 1",
    "def sq(x):\n    return x**2\n\ndef f(a):\n    return sq(a)+1": "a**2 + 1",
    "sq = lambda x: x**2\nsq(a)+1": "a**2 + 1",
    "(FPCore sq (x) (* x x)) (FPCore (y) (+ (sq y) 1))": "y*y + 1",
    '(FPCore sq (x) :name "a square" (* x x))\n\n(FPCore main (y) :pre (< 0 y 1) (+ (sq y) 1))': (
        "y*y + 1"
    ),
    "(FPCore (y) (+ (sq y) 1)) (FPCore sq (x) (* x x))": "y*y + 1",
    "(FPCore a (x) (+ x 1)) (FPCore b (x) (* (a x) 2)) (FPCore c (z) (b (a z)))": ("(z + 1 + 1)*2"),
    "(define (sq x) (* x x)) (+ (sq y) 1)": "y*y + 1",
}


@pytest.mark.parametrize(("text", "meant"), DEFINED.items())
def test_a_function_that_is_defined_beside_the_formula_is_put_in(text, meant):
    assert to_python(read(text).formula) == meant


def test_the_users_definition_of_a_known_name_wins_and_is_noted():
    reading = read("square(x) = 2x\nsquare(x0) + square(x1)")
    assert to_python(reading.formula) == "2*x0 + 2*x1"
    assert any("not as the function of that name" in note.message for note in reading.notes)


def test_what_is_put_in_stands_at_the_call():
    text = "gaussian(x) = exp(-x^2)\n2*gaussian(x0) + 1"
    power = next(node for node in read(text).formula if node.operator == "exp")
    assert text[slice(*power.span)] == "gaussian(x0)"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a(x) = b(x) + 1\nb(x) = a(x) - 1\ny = a(z)", "defined by itself"),
        ("f(x) = f(x-1)*x\nf(3)", "defined by itself"),
        ("(FPCore f (x) (f x))", "defined by itself"),
        ("(FPCore a (x) (b x)) (FPCore b (x) (a x))", "defined by itself"),
        ("gaussian(x) = exp(-x^2)\n2*gaussian(x0, 1)", "takes 1 argument"),
        (
            "".join(f"(FPCore f{i} (x) (f{i + 1} x))" for i in range(300)) + "(FPCore f300 (x) x)",
            "more than 50 deep",
        ),
        ("f(x) = x*x\n" + "f(" * 16 + "z" + ")" * 16, "more than 20,000 nodes"),
        (
            "(FPCore f (x) (* x x)) (FPCore (z) " + "(f " * 16 + "z" + ")" * 16 + ")",
            "more than 20,000 nodes",
        ),
    ],
)
def test_a_definition_that_cannot_be_put_in_is_refused(text, reason):
    refusal(text, match=reason)


@pytest.mark.parametrize("text", ["f(x) = x^2", "f(x) = x^2; g(x) = x^3", "y = a*x; b = 2"])
def test_a_text_without_a_call_of_what_it_defines_is_read_as_before(text):
    assert "is read as `" not in repr(_outcome(text))


def _outcome(text):
    try:
        return read(text).notes
    except FormulaError as error:
        return error


NAMES_THE_VALUE = (
    "y = f(x)",
    "y = F(x)",
    "y = f(x, z)",
    "y = h(x_1,x_2)",
    "y ~ u(x)",
    "y := g(t)",
    r"y = f\left(x\right)",
    r"\[ y = f(x) \]",
    r"\hat{y} = f(x)",
    r"y = \phi(x)",
    "y = y(x)",
)


@pytest.mark.parametrize("text", NAMES_THE_VALUE)
def test_a_name_of_the_value_is_no_product(text):
    error = refusal(text, match="names the value")
    for label, other in error.choices:
        assert label == "a product"
        assert read(other).formula.root.operator == "mul"


def test_a_given_name_or_a_sum_before_a_bracket_is_a_factor():
    assert to_python(read("y = k(x+1)").formula) == "k*(x + 1)"
    assert to_python(read("y = f(x)", columns=("f", "x")).formula) == "f*x"
    assert to_python(read("y = f(x+1)", columns=("f", "x")).formula) == "f*(x + 1)"
