"""Programs of Python: their values are those that Python itself computes, and what is no formula is
refused with its place. Python runs only the texts of this file.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import special

from eic_core.engine.values import plain_values
from eic_core.errors import FormulaError
from eic_core.formula.syntax import read
from eic_core.samples import Samples
from tests.core.formula.refusals import refusal
from tests.effort import cases

PROGRAMS = (
    "def f(x): return x**2 - 2**x",
    "def f(x, y): return -x**2 + y**-2",
    "def f(x): return -2**2*x - -2*x",
    "def f(x, y): return x**2**y",
    "def f(x, y): return (x - y) - (x + y) / (x / y)",
    "def f(x):\n    return np.exp(-x**2) / math.sqrt(2*np.pi)",
    "def f(e):\n    return e + 1",
    "def f(pi, x):\n    return pi*x",
    "def f(x: float, *, n: int = 3) -> float:\n    'Doc.'\n    return x**n",
    'def f(x):\n    """A text with (brackets and if."""\n    # and # another\n    return x + 1',
    "def f(x):\n    a = b = x + 1\n    return a*b",
    "def f(x):\n    a: float = x/3\n    return a - 1_000.5",
    "def f(x):\n    a = x + 1\n    a = a*a\n    return a",
    "def f(x, y):\n    u, v = x + y, x - y\n    return u*v",
    "def f(x, y):\n    (u, v) = (x*2, y)\n    return u**v",
    "def f(x, y):\n    return x if x > y else y",
    "def f(x, y):\n    return 1 if x < y else 2 if x < 2*y else 3",
    "def f(x):\n    return x if 1 < x <= 2 else 0",
    "def f(x):\n    return x if 1 < x < 2 < x + 1 else -x",
    "def f(x, y):\n    return x if x > 1 and y > 1 or x < 0.5 else y",
    "def f(x, y):\n    return x if not (x > 1 and y > 1) else y",
    "def f(x, y):\n    return np.where((x > 1) & (y > 1), x, y)",
    "def f(x, y):\n    return np.where((x > 1) | ~(y > 1), x, y)",
    "def f(x):\n    return (x > 1)*x",
    "def f(x):\n    return np.clip(x, a_max=2, a_min=1)",
    "def f(x):\n    return np.clip(x, 1.2, None)",
    "def f(x, y):\n    return np.arctan2(y, x) + math.hypot(x, y)",
    "def f(x, y):\n    return max(x, y, 1) - min(x, y)",
    "def f(x, y):\n    return abs(x - y) + pow(x, 2) + pow(x, y)",
    "def f(x):\n    return math.log(x, 10) + math.log(x, 2) + math.log(x)",
    "def f(x, y):\n    return math.log(x + 1, y + 2)",
    "def f(x):\n    return np.log1p(x) + np.expm1(x) - np.log2(x)*np.log10(x)",
    "def f(x):\n    return np.power(x, 2.5) + np.square(x) + np.cbrt(x)",
    "def f(x, y):\n    return x % y + 3",
    "def f(x):\n    return np.floor(x) + np.ceil(x)/3",
    "def f(x):\n    return np.maximum(x, 1.5) + np.minimum(x, 1.5)",
    "def f(x):\n    return special.erf(x) + special.expit(x)",
    "def f(x):\n    return 0x10*x + 1e-3 + .5 + 2.",
    "def f(x):\n    return +x - +(-x)",
    "def f(x):\n    return x / 3 * 2 - (1/3)*x",
    "def f(x):\n    return float(x) + np.float64(2.5)",
    "f = lambda x: x**3 - 1",
    "f = lambda x, y=2: x**y",
    "lambda x, y: np.sin(x)*np.cos(y)",
    "import numpy as np\nfrom math import exp\n\ndef f(x):\n    return np.tanh(x)",
    "G = 6.5\nc = 2*np.pi\n\ndef f(x):\n    return G*c*x",
    (
        "def gaussian(x):\n    return np.exp(-x**2)\n\ndef f(x, y):\n"
        "    return 2*gaussian(x - y) + gaussian(x)"
    ),
    (
        "def g(x):\n    a = x + 1\n    return a*a\n\ndef h(x, y):\n    return g(x) - g(g(y))\n"
        "\ndef f(x):\n    return h(x, 2) + h(1, x)"
    ),
    "def g(x, n):\n    return x**n\n\ndef f(x):\n    return g(x, 2) + g(2, x)",
    "def f(x):\n    return g(x) + 1\n\ndef g(e):\n    return e*e",
    "k = 3\n\ndef g(x):\n    return k*x\n\ndef f(x):\n    return g(x) + k",
    "g = lambda t: t**2 + 1\nf = lambda x, y: g(x)/g(y)",
    "def f(x):\n    def g(t):\n        return t*t - 1\n    return g(x + 1)",
    "def f(x):\n    r = np.sqrt(x); return r - 1",
    "def f(x):\n    return (x +\n            1) * \\\n        2",
    "@np.vectorize\ndef f(x):\n    return x + 1",
    "async def f(x):\n    return x + 1",
    "    def f(x):\n        return x - 1",
    "def f(x, /, y): return x*y",
    "def f(θ, ω):\n    # ωθ and é\n    return θ**2 + np.sin(ω)*3",
    "def f(ﬁ):\n    return ﬁ + 1",
    "def f(x):\r\n    a = x + 1\r\n    return a * 2\r\n",
    "def f(x):\n\treturn x*2",
    (
        "def f(x):\n    return x + 1\n\nif __name__ == '__main__':\n    for i in range(3):\n"
        "        print(f(i))"
    ),
)


def _of_python(text: str, arguments: dict[str, np.ndarray]) -> np.ndarray:
    given = {"np": np, "math": math, "special": special}
    text = text.replace("async ", "")
    source = "if 1:\n" + text if text[0] == " " else text
    source = source if not source.startswith("lambda") else f"f = {source}"
    exec(compile(source, "test", "exec"), given)  # noqa: S102
    rows = zip(*arguments.values(), strict=True)
    return np.array([float(given["f"](*row)) for row in rows])


@pytest.mark.parametrize("text", PROGRAMS)
def test_a_program_has_the_values_that_python_computes(text: str) -> None:
    formula = read(text).formula
    if "*, n" in text or "y=2" in text:  # a default stays a variable
        text = text.replace("*, n: int = 3", "n").replace("y=2", "y")
    generator = np.random.default_rng(1)
    names = formula.variables
    columns = {name: generator.uniform(0.2, 3, 40) for name in names}
    if any(letter in text for letter in "ωﬁ"):
        order = list(names)
    else:
        head = (
            text[text.index("def f(") + 5 :]
            if "def f(" in text
            else text[text.rindex("lambda") + 6 :]
        )
        order = sorted(names, key=lambda name: head.index(name))
    values = plain_values(formula, Samples.from_columns(columns, count=40))
    expected = _of_python(text, {name: columns[name] for name in order})
    np.testing.assert_allclose(values, expected, rtol=1e-12)


BESIDE = {
    "def g(x): return np.exp(-x**2)\n\ny = 2*g(x) + 1": "2*exp(-x**2) + 1",
    "def g(x):\n    return x + 1\n\na = x*y\n3*g(a) - g(1)": "3*(x*y + 1) - (1 + 1)",
    "def g(x): return x**2\n\nprint(g(3))": "x**2",
    "def g(x): return x**2\n\ny = g(xs)\nplt.plot(xs, y)": "x**2",
    "def f(x):\n    return x^2*x": "x**2*x",
    "def f(df):\n    return df['a'].values + df['b'].to_numpy()**2": "a + b**2",
    "def f(X):\n    return X[:, 0]*np.sin(X[:, 12])": "x0*sin(x12)",
    "def f(x):\n    return x.pow(2).clip(0, 1)": "min(max(x**2, 0), 1)",
    "def f(x):\n    return Piecewise((x, x > 0), (0, True))": "where(x > 0, x, 0)",
    "def f(x, n):\n    return g(x, n)\ndef g(a, b):\n    return a**b": "x**n",
    "def g(a, b):\n    return a**b\ndef f(x):\n    return g(x, 2)": "x**2",
    "def g(a, b):\n    return a - b\ndef f(x):\n    return g(b=x, a=1)": "1 - x",
    "def g(x, m=0, s=1):\n    return (x - m)/s\ndef f(x):\n    return g(x) + g(x, s=2)": (
        "(x - 0)/1 + (x - 0)/2"
    ),
    "def g(x):\n    return x**2\nx = np.linspace(0, 1)\ny = 2*g(x)\nplt.plot(x, y)": "2*x**2",
    "def g(x, *, a=1, b):\n    return x - a*b\ndef f(x):\n    return g(x, a=2, b=3)": "x - 2*3",
    "x = 2\nu = x*z\nu**x": "(2*z)**2",
    "class_ = 2\ny = class_*x\nplt.show()": "2*x",
}


@pytest.mark.parametrize(("text", "plain"), BESIDE.items())
def test_what_stands_beside_a_formula_is_put_in(text: str, plain: str) -> None:
    assert read(text).formula.structure() == read(plain).formula.structure()


REFUSED = {
    "def f(x):\n    @if x > 0:\n        return x\n    return -x": "the statement `if` is not read",
    "def f(x):\n    @for i in range(3):\n        x = x + i\n    return x": "the statement `for`",
    "def f(x):\n    @while x > 1:\n        x = x/2\n    return x": "the statement `while`",
    "def f(x):\n    @with a:\n        return x": "the statement `with`",
    "def f(x):\n    @try:\n        return x\n    except ValueError:\n        return 1": "`try`",
    "def f(x):\n    @x += 1\n    return x": "this assignment is not read",
    "def f(x):\n    @x, y = y, x\n    return x": "this assignment is not read",
    "def f(x):\n    @x[0] = 2\n    return x": "this assignment is not read",
    "@class A:\n    def f(self, x):\n        return x": "a class is no formula",
    "def f(x):\n    return @foo(x)": "unknown function `foo`",
    "def f(x):\n    return @np.sqr_t(x) + 1": "unknown function `np.sqr_t`",
    "def f(x):\n    return x + @f'{x}'": "is not read",
    "def f(x):\n    return @'x'": "text in quotes",
    "def f(x):\n    return x @// 2": "whole-number division",
    "def f(x):\n    return x @@ x": "products of matrices",
    "def f(x):\n    return x@.real + x.imag": "attributes are not supported",
    "def f(x):\n    return @[x for x in y]": "is not read",
    "def f(x):\n    return @{1: x}": "is not read",
    "def f(x):\n    return @x[0, 1]": "is not read",
    "def f(x):\n    return @x, x + 1": "unexpected `,`",
    "def g(x, m=0):\n    return x - m\ndef f(x):\n    return @g(m=x)": "lacks its argument `x`",
    "def g(x, y, m=0):\n    return x - m\ndef f(x):\n    return @g(x)": "lacks an argument",
    "def f(x):\n    return @x(2)": "is a call or an element here",
    "def f(x):\n    return @2j*x": "complex numbers",
    "def f(x):\n    return @np.exp(x, x)": "`exp` takes 1 argument, not 2",
    "def f(x):\n    return np.clip(x, @amin=1, a_max=2)": "has no argument `amin`",
    "def f(x):\n    return np.exp(@*x)": "arguments in a list",
    "def f(x):\n    return @None": "is not a real number",
    "def f(x):\n    return @x & 3": "has no meaning between numbers",
    "def f(x):\n    return @x in y": "is not read",
    "def f(x):\n    @yield x": "`yield x` is not read",
    "def f(x):\n    @pass": "nothing is returned here",
    "@def f(x):\n    return f(x - 1)": "call each other",
    "def f(x):\n    a = x\n    @def g(t):\n        return a*t\n    return g(x)": "needs names of",
}


@pytest.mark.parametrize(("marked", "message"), REFUSED.items())
def test_what_is_no_formula_is_refused_at_its_place(marked: str, message: str) -> None:
    place = marked.index("@")
    text = marked[:place] + marked[place + 1 :]
    error = refusal(text)
    assert message in str(error) and error.hint
    assert error.span[0] == place


FORMULAS = (
    "x**2 - -2*y",
    "-2**2 + -x**-2",
    "2**-x**2 + x**0.5",
    "np.sin(x)**2/(1 + np.cos(x))",
    "(x - y) - (x + y)*2",
    "x if x > 1 and not y < 2 else -y",
    "1 < x <= 3 < y",
    "np.where(x >= 1, x, 1e-3)",
    "np.log(x, 10) + math.log2(y)",
    "max(x, y, 2) + abs(-x)",
    "e**x + pi*np.e",
    "x**(1/2) + x**(2/3)",
    "np.clip(x, 0, 1) % 2",
    "x.pow(2) + y.exp()",
    "1_000.0*x + 1.50",
    "--x - +y",
)


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_formula_is_the_same_tree_in_a_program(formula: str) -> None:
    plain = read(formula).formula.structure()
    for text in (f"def f(x, y):\n    return {formula}", f"lambda x, y: {formula}"):
        assert read(text).formula.structure() == plain
    assert read(f"a = 1\n({formula}) + a").formula.structure()[: len(plain)] == plain


@pytest.mark.parametrize(
    "body",
    [
        "(" * 2500 + "x" + ")" * 2500,
        "-" * 50_000 + "x",
        "+".join(["x"] * 9_000),
        "**".join(["x"] * 9_000),
        "sin(" * 150 + "x" + ")" * 150,
        "x if x > 1 else " * 3_000 + "x",
        "x" + ".abs()" * 5_000,
        "x\0",
    ],
)
def test_no_depth_of_a_program_is_too_much(body: str) -> None:
    for text in (f"def f(x): return {body}", f"lambda x: {body}", f"{body}.pow(2)"):
        try:
            read(text)
        except FormulaError as error:
            assert error.hint


def test_names_that_double_each_other_are_refused_and_not_built() -> None:
    lines = [f"    a{i + 1} = a{i} + a{i}\n" for i in range(200)]
    refusal("def f(a0):\n" + "".join(lines) + "    return a200", match="more than 20,000 nodes")


_PIECES = (*"()[]{}.,:;=+-*/^%&|<>~!@#$'\"\\\n\t 0189xyeEjω²λ√", "def f(", "lambda x: ", "return ")
_PIECES += (
    "np.",
    "if ",
    " else ",
    "**",
    "\n    ",
    "pow(",
    "['x']",
    "X[:, 0]",
    "a_max=",
    "for ",
    "f'",
)


def test_a_mutated_program_is_read_or_refused() -> None:
    generator = random.Random(37)
    texts = [*PROGRAMS, *BESIDE, *(text.replace("@", "") for text in REFUSED)]
    count = 0
    for _ in range(cases(1500, 5000)):
        text = generator.choice(texts)
        for _ in range(generator.randint(1, 4)):
            place, size = generator.randint(0, len(text)), generator.choice((0, 0, 1, 3))
            text = (
                text[:place]
                + generator.choice(_PIECES) * generator.randint(0, 2)
                + text[place + size :]
            )
        try:
            read(text)
        except FormulaError:
            continue
        count += 1
    assert count > 100
