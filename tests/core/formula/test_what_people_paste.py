"""What people paste is read as its own language means it, or refused with a place and a way out.

The truths are independent of the reader: Python evaluates the meaning written beside each text of
`pasted.py`, and SymPy evaluates what its own printers wrote.
"""

import ast
import math
import re
import warnings

import numpy as np
import pytest
import sympy
from scipy.special import erf, gamma
from sympy.parsing.mathematica import parse_mathematica

from eic_core.engine.values import plain_values
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import SYNTAXES, read
from eic_core.samples import Samples
from tests.core.formula.pasted import GIVEN, PASTED
from tests.core.formula.refusals import refusal

READ = [(text, truth) for rows in PASTED.values() for text, truth in rows.items() if truth]
REFUSED = [text for rows in PASTED.values() for text, truth in rows.items() if truth is None]


def _greatest(*operands):
    return np.maximum.reduce(np.broadcast_arrays(*operands))


def _least(*operands):
    return np.minimum.reduce(np.broadcast_arrays(*operands))


TRUTH_NAMES = {
    name: getattr(np, name)
    for name in (
        "where sin cos tan exp log log2 log10 log1p expm1 sqrt arctan arctan2 arcsin arccos arcsinh"
        " arccosh arctanh sinh cosh tanh hypot floor ceil sign abs mod"
    ).split()
} | {
    "max": _greatest,
    "min": _least,
    "pi": math.pi,
    "erf": erf,
    "gamma_of": gamma,
    "__builtins__": {},
}


def points(names):
    """Three values of each variable, no two of them alike."""
    return {name: np.array([1.3, 2.7, 0.6]) + 0.37 * i for i, name in enumerate(sorted(names))}


def truth_of(meaning):
    """The variables of a meaning written in Python, and its values there."""
    tree = ast.parse(meaning, mode="eval")
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - set(TRUTH_NAMES)
    values = points(names)
    with np.errstate(all="ignore"):
        return values, np.broadcast_to(eval(meaning, dict(TRUTH_NAMES), dict(values)), 3)  # noqa: S307


def values_of(formula, columns):
    """The formula's values on these columns."""
    samples = Samples.from_columns(columns or {"x": np.ones(3)}, count=3)
    return np.broadcast_to(plain_values(formula, samples), 3)


@pytest.mark.parametrize(("text", "meaning"), READ)
def test_a_paste_has_the_value_that_its_own_language_gives_it(text, meaning):
    columns, expected = truth_of(meaning)
    formula = read(text).formula
    assert set(formula.variables) == set(columns)
    np.testing.assert_allclose(values_of(formula, columns), expected, rtol=1e-12)


@pytest.mark.parametrize(("syntax", "text", "meaning"), GIVEN)
def test_a_notation_that_is_given_decides_what_a_text_means(syntax, text, meaning):
    columns, expected = truth_of(meaning)
    reading = read(text, syntax=syntax)
    assert set(reading.formula.variables) == set(columns)
    np.testing.assert_allclose(values_of(reading.formula, columns), expected, rtol=1e-12)


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_read_is_refused_with_a_place_and_a_way_out(text):
    error = refusal(text)
    start, end = error.span
    assert 0 <= start < end <= len(text)
    assert error.hint
    assert error.source == text


@pytest.mark.parametrize(("text", "meaning"), READ)
def test_every_place_points_into_the_users_own_text(text, meaning):
    formula = read(text).formula
    assert formula.source == text
    for node in formula:
        start, end = node.span
        assert 0 <= start < end <= len(text)
        written = text[start:end]
        if written.endswith(")") and not node.children:
            continue  # of a function that the text defines, which stands at its call
        if node.operator == "variable":
            assert set(re.findall("[0-9]+", node.label)) <= set(re.findall("[0-9]+", written)) | {
                "1"
            }
        elif node.operator == "constant" and node.label not in ("pi", "e"):
            digit = re.search("[1-9]", node.label)
            plain = any(
                mark in written for mark in ("½", "¾", "0x", "#x", "SQRT", "LN", "LOG", "PI")
            )
            assert (
                digit is None
                or plain
                or digit[0] in written
                or not written.isascii()
                or "x" in written
            )


@pytest.mark.parametrize(("text", "meaning"), READ)
def test_a_paste_written_out_plainly_is_the_same_tree(text, meaning):
    formula = read(text).formula
    again = read(to_python(formula), columns=formula.variables).formula
    assert again.structure() == formula.structure()


DETECTED = {
    "Sin[x]^2/(1+Exp[-x])": "mathematica",
    "f[x_] := x^2": "mathematica",
    "1.5*^-3 x + 1": "mathematica",
    "lambda x: x**2": "infix",
    "double f(double x) { return x*x; }": "c",
    "x => Math.exp(-x)": "c",
    "2.0f*x": "c",
    "@(x) x.^2": "matlab",
    "x.^2 + 1": "matlab",
    "exp.(x)": "julia",
    "x -> x^2": "julia",
    "=SIN(A1)": "spreadsheet",
    "= x + 1": "infix",
    "<math><mi>x</mi></math>": "mathml",
    "<apply><sin/><ci>x</ci></apply>": "mathml",
    "(* x (+ y 1))": "fpcore",
    '(FPCore (x) :name "$" x)': "fpcore",
    "; a comment\n(+ x 1)": "fpcore",
    "$x^2$": "latex",
    "```latex\nx^2\n```": "latex",
    "x[:, 0] + 1": "tir",
    "((2.051 * X1) + X2)": "operon",
}


@pytest.mark.parametrize(("text", "syntax"), DETECTED.items())
def test_the_notation_is_found_and_can_be_named_as_well(text, syntax):
    found = read(text)
    assert found.syntax == syntax
    assert syntax in SYNTAXES
    assert read(text, syntax=syntax).formula.structure() == found.formula.structure()


NOTED = {
    "=-A1^2": "a sign comes before a power: `-A1^…` is `(-A1)^…`",
    "2,5*x": "a comma between digits is read as the decimal mark",
    "2{,}5 \\cdot x": "a comma between digits is read as the decimal mark",
    "x**2 - 1 = 0": "the left-hand side of `… = 0` is read",
    "#1 + 2": "`#1`, `#2`, … are read as the variables",
    "double f(double x) { return 1/2*x; }": "C and Java divide whole numbers to 0",
    "(float)x / 3": "rounding to a shorter format is no part of the formula",
    "def f(x): return x + 1": "what `f` returns is read",
    "a = x + 1\ny = a**2": "replaced by what they stand for",
    "1.5`16 Sin[x]": "the precision behind a back-tick is no part of a number",
    "Sin[x] // Simplify": "`// Simplify` is not carried out",
    "e^x Sin[x]": "Mathematica itself writes `E`",
    "(FPCore (x.re) (* x.re 2))": "`x.re` is called `x_re` here",
    "1.5d0*x": "`1.5d0` is read as the number 1.5e0",
    "x = M_PI*M_E": "`M_E` is read as Euler's number",
    "y = a*x; return y": "what is returned is read",
    "a = x + 1\nb = 2*a\na*b": "the last line is read",
    "a = x + 1\nb = 2*a": "what `b` stands for is read",
    "sin^-1(x)": "`sin^-1` is read as the inverse function asin",
    "x.pow(2)": "`.pow(…)` is read as the function `pow` of what stands before it",
    "df['x']*2": "`df['x']` is read as the variable `x`",
    "=WENN(A1>0;A1;0)": "`WENN` is read as `IF`",
    "Simplify[x^2 + x]": "`Simplify[…]` is not carried out",
    "I*x": "`I` is read as a variable, not as the imaginary unit",
    "exp(i*x)": "`i` is read as a variable, not as the imaginary unit",
    "e^{\\mathrm{j} x}": "`j` is read as a variable, not as the imaginary unit",
    "p->x*2": "`p -> …` is read as a function of `p`",
    "2*dy/dx": "`dy/dx` is read as a quotient of two variables, not as a derivative",
    "a/πr": "behind `/` or `^` stands one factor, or the letters of one word",
    "x/2y": "behind `/` or `^` stands one factor, or the letters of one word",
}


@pytest.mark.parametrize(("text", "note"), NOTED.items())
def test_what_was_decided_on_the_way_is_said(text, note):
    assert any(note in found.message for found in read(text).notes)


UNREAD = [
    ("Sin[x", (3, 4), "unbalanced bracket at column 4", "close this `[`", "Sin[x]"),
    ("Sin[x)", (5, 6), "`[` at column 4 is closed by `)`", "write `]`", None),
    ("Sin[x]]", (6, 7), "unbalanced bracket", "remove this `]`", None),
    ("Foo[x] + Sin[x]", (0, 3), "unknown function `Foo`", "", None),
    ("{1, 2} Sin[x]", (0, 13), "a list is not read", "a single expression", None),
    ("Sin@x + Cos[x]", (3, 4), "`f@x` is not read", "write `Sin[x]`", None),
    ("I Sin[x]", (0, 1), "the imaginary unit", "another name", None),
    ("Sin[x] (* open", (7, 9), "not closed", "`*)`", None),
    ("=SUM(A1:A3)", (7, 8), "a range of cells", "name each cell", None),
    ("=SUMSQ(A1,B1)", (1, 6), "`SUMSQ`", "write `A1^2+B1^2`", None),
    ("=A1 B1", (1, 6), "two operands side by side", "`A1*B1`", None),
    ("=(A1)(B1)", (4, 6), "two operands side by side", "`A1*B1`", None),
    ("=A1%", (3, 4), "percent", "`0.1`", None),
    ("=Sheet1!A1", (7, 8), "another sheet", "without its sheet", None),
    ("2.5*x**2 // 3", (9, 11), "whole-number division", "a comment begins with `#`", None),
    ("(int)x * 2", (0, 5), "cuts the decimals off", "`floor(x)`", None),
    (
        "def f(x):\n    for i in x:\n        return i",
        (14, 17),
        "`for` is not read",
        "single expression",
        None,
    ),
    ("y = x; z = 2*x", (11, 14), "there are several formulas", "a single one", None),
    (
        "def g(x): return x\ndef f(x): return 2*x",
        (19, 39),
        "there are several functions",
        "one formula",
        None,
    ),
    ("x + 1; y + 2", (7, 12), "more than one formula", "a single one", None),
    ("x + 1\ny + 2", (6, 11), "more than one formula", "a single one", None),
    ("x.^y.^z", (0, 7), "MATLAB reads this as (a^b)^c", "write parentheses", None),
    ("p -> p(1)*x", (5, 7), "a call or an element", "`p*(…)`", None),
    ("1,000*x", (0, 5), "may be 1.000 or 1000", "as a point", None),
    ("max(1,5) + 2,5", (4, 7), "separate two arguments", "decimals with a point", None),
    ("1,52.5*x", (1, 2), "unexpected `,`", "the decimal mark is a point", None),
    ("2½*x", (0, 2), "is not read", "as a decimal", None),
    (
        "def f(x):\n    a, b = b, 2\n    return a*x",
        (14, 20),
        "this assignment is not read",
        "a line of its own",
        None,
    ),
    (
        "def f(x):\n    y += x\n    return y",
        (14, 18),
        "this assignment is not read",
        "a line of its own",
        None,
    ),
    ("np.exp(-x)[0]", (10, 13), "an element of a result", "remove the index", None),
    ("x_1 Sin[x]", (1, 2), "`_` marks a pattern", "write `x1`", None),
    (
        "Integrate[x, x]",
        (0, 9),
        "the function `Integrate` is not supported",
        "an integral is not a formula of values: write it out",
        None,
    ),
    (
        "<math><mi>f</mi><mo>(</mo><mi>x</mi><mo>)</mo></math>",
        (6, 16),
        "unknown function `f`",
        "",
        None,
    ),
    ("F = m.a", (5, 6), "`m.a` is not clear", "`m*a` for a product", None),
    ("x.mul_add(y, z)", (1, 2), "the method `mul_add` is not known", "write it out", None),
    ("exp{-x^2} + 1", (0, 4), "`exp` needs parentheses", "write `exp(…)`", "exp(-x^2) + 1"),
    ("sin[x] + {y}", (0, 4), "`sin` needs parentheses", "write `sin(…)`", "sin(x) + {y}"),
    ("a : b", (2, 3), "`:` has no condition before it", "as in", None),
    ("SELECT a*b AS y FROM t", (0, 6), "a query of a database", "the expression alone", "a*b"),
    ("(sin x) + 1", (1, 6), "the function `sin` needs parentheses", "`sin(x)`", "(sin(x)) + 1"),
    ("gelu(x)", (0, 4), "`gelu` is not supported", "x*erfc(-x/sqrt(2))/2", None),
    ("x mod 2", (0, 5), "`mod` has no operator here", "`mod(x, y)`", None),
    ("x rem 2", (0, 5), "`rem` has no operator here", "`rem(x, y)`", None),
    ("x{y}", (0, 2), "`{` behind the name `x`", "with `*`", None),
    ("x0\n1  0.5  x0 + 1", (3, 17), "more than one formula", "Compare", None),
    ("x ‑ 1", (2, 3), "`‑` is no sign of a formula", "write `-`", "x - 1"),
    ("sin(5°)", (5, 6), "degrees are not supported", "`5*pi/180`", None),
    ("x @ y", (2, 3), "products of matrices", "write `x*y`", None),
    ("x // 2", (2, 4), "whole-number division", "`floor(x/y)`", None),
    ("20% + x", (2, 3), "`%` stands between two operands", "`mod(x, y)`", None),
    ("sinc(x)", (0, 7), "libraries do not agree", "`unnormalized_sinc(x)` for sin(x)/x", None),
    ("(sin x + 1)", (1, 6), "`sin` needs parentheses", "write `sin(x)`", "(sin(x) + 1)"),
    ("np.exp(x, dtype=float)", (10, 21), "`np.exp` has no argument `dtype`", "leave it out", None),
    ("clip(x, a_min=0, a_min=1)", (17, 24), "its argument `a_min` twice", "give it once", None),
    (
        "where(other=y, condition=x>0)",
        (0, 6),
        "`where` lacks its argument `input`",
        "give it",
        None,
    ),
    ("max(x,y;2)", (5, 6), "`,` and `;` stand between", "decimals with a point", None),
    ("x $ 2", (2, 3), "`$` has no meaning", "the operator or the name", None),
    ("<math><mi>x</math>", (11, 18), "`</math>` closes nothing", "`</mi>`", None),
    ("<math><mi>x</mi>", (0, 1), "`<math>` is not closed", "`</math>`", None),
    (
        "<math><mtable><mi>x</mi></mtable></math>",
        (6, 33),
        "`<mtable>` is not read",
        "rows, fractions",
        None,
    ),
    (
        "<math><munderover><mo>&sum;</mo><mi>i</mi><mi>n</mi></munderover></math>",
        (6, 65),
        "is not read",
        "",
        None,
    ),
    (
        '<!DOCTYPE math [<!ENTITY a "b">]><math>&a;</math>',
        (0, 1),
        "no tag of MathML",
        "without a document type",
        None,
    ),
    ("<math>x</math>", (0, 14), "text in `<math>`", "`<mi>`", None),
    (
        "<apply><factorial/><ci>x</ci></apply>",
        (0, 37),
        "`factorial` is not supported",
        "factorials",
        None,
    ),
    ("<apply><ci>x</ci>", (0, 1), "is not closed", "", None),
    ("(FPCore (x) (+ x 0x))", (17, 19), "neither a number nor a name", "correct it", None),
    ("(FPCore (a.b a?b) (+ a.b a?b))", (25, 28), "would have one name here", "rename", None),
    ("\\frac{dy}{dx}", (0, 5), "a derivative is not a formula of values", "write it out", None),
    ("d/dx x^2", (0, 4), "a derivative is not a formula of values", "write it out", None),
    ("x dx/dt", (2, 7), "a derivative is not a formula of values", "write it out", None),
    ("\\mathrm{d}x", (0, 11), "a differential is not", "the derivative or the integral", None),
    ("∂f/∂x", (0, 1), "derivatives are not supported", "write the derivative out", None),
    ("∞*x", (0, 1), "`∞` is not a real number", "a finite number", None),
    ("y'' + 1", (1, 2), "a prime marks a derivative", "without it", None),
    ("diff(x**2, x)", (0, 4), "`diff` is not supported", "a derivative is not a formula", None),
    ("NAN*x", (0, 3), "`nan` is not a real number", "a finite number", None),
    ("float('inf')*x", (7, 10), "`inf` is not a real number", "a finite number", None),
    (
        "0.6*lambda/NA",
        (11, 13),
        "`NA` is not a real number",
        "for a variable write `N_A`",
        "0.6*lambda/N_A",
    ),
    ("E^(I*x)", (3, 4), "`I` is the imaginary unit here", "write another name", None),
    ("x*x // c", (4, 6), "whole-number division", "a comment begins with `#`", None),
    ("a.x + b.x", (1, 2), "attributes are not supported", "without a point", "a_x + b_x"),
    ("self.a*self.b", (4, 5), "attributes are not supported", "without a point", "a*b"),
    ("x.sin(y) + x", (0, 2), "`x.` before a function is not known", "write `sin(…)`", None),
    (
        "sqrt.abs(x0)",
        (0, 5),
        "`sqrt.` before a function is not known",
        "write `sqrt(abs(…))`",
        None,
    ),
    (
        "CASE WHEN x > 1 THEN 2",
        (21, 22),
        "this `CASE` is not closed",
        "`END`",
        "CASE WHEN x > 1 THEN 2 END",
    ),
    ("CASE x WHEN 1 THEN 2 END", (0, 4), "`CASE` of a value is not read", "a comparison", None),
    ("1.234,5*x", (0, 7), "a mark between its thousands", "write `1234.5`", "1234.5*x"),
    ("x + 1,234.5", (4, 11), "a mark between its thousands", "write `1234.5`", "x + 1234.5"),
    (
        "np.select([x>0], [x])",
        (0, 9),
        "`np.select` is not supported",
        "where(c, a, where(d, b, 0))",
        None,
    ),
    (
        "def f(x):\n    if x > 0:\n        return x\n    return -x",
        (14, 16),
        "`if` is not read",
        "`a if c else b`",
        None,
    ),
    (
        "double f(double x) { if (x > 0) return x; return -x; }",
        (21, 23),
        "`if` is not read",
        "`c ? a : b`",
        None,
    ),
    (
        "2*np.arctan(y, x)",
        (2, 17),
        "`arctan` takes 1 argument, not 2",
        "`atan2(y, x)`",
        "2*np.atan2(y, x)",
    ),
    ("If[x>0,x]", (0, 9), "`If` takes 3 arguments, not 2", "what holds elsewhere", None),
    ("np.where(x>0,x)", (0, 15), "`where` takes 3 arguments, not 2", "what holds elsewhere", None),
    ("ROUND(A1;2)", (0, 11), "`round` takes 1 argument, not 2", "rounding to some digits", None),
    ("max(x)", (0, 6), "`max` takes 2 or more arguments", "`max(x, 0)`", None),
    ("max([x, y])", (6, 7), "unexpected `,`", "write `max(x, y)`", None),
    ("sum(x)", (0, 3), "`sum` is not supported", "write the terms out", None),
    ("mean(x)", (0, 4), "`mean` is not supported", "takes a whole column", None),
    ("g(x)", (0, 1), "unknown function `g`", "write out what `g` is", None),
    ("log_b(x)", (0, 5), "`log_b` is not supported", "write log(x)/log(b)", None),
    ("Module[{a=1}, a*x]", (0, 6), "unknown function `Module`", "its last expression alone", None),
    ("[x^2, x^3]", (4, 5), "unexpected `,`", "into Compare", None),
    ("x^2 |> sqrt", (4, 6), "a pipe is not read", "write `f(x)`", None),
    ("5 mod 3", (0, 5), "`mod` has no operator here", "`mod(x, y)`", None),
    ("Eq(y, x**2)", (0, 11), "this is an equation", "give `y` or `x**2`", None),
    ("q = = x", (4, 5), "this is an equation", "give `x`", None),
    ("f(x) := = x", (8, 9), "this is an equation", "give `x`", None),
    ("y<-x^2", (0, 6), "an assignment or a comparison", "give `x^2` or `y < -x^2`", None),
]


@pytest.mark.parametrize(("text", "span", "message", "hint", "replacement"), UNREAD)
def test_an_error_names_the_place_in_the_users_own_text(text, span, message, hint, replacement):
    error = refusal(text)
    assert error.span == span
    assert re.search("|".join(map(re.escape, message.split("|"))), error.message)
    assert hint in error.hint
    assert error.replacement == replacement


x, y = sympy.symbols("x y", positive=True)
EXPRESSIONS = [
    sympy.sin(x) ** 2 / (1 + sympy.exp(-x)),
    sympy.sqrt(x**2 + y**2) - x,
    sympy.log(x + 1) * sympy.cos(y) - sympy.Rational(1, 3) * x,
    sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi),
    x ** sympy.Rational(3, 2) - 2.5 * y**-2,
    sympy.tanh(x * y) + sympy.atan(x / y),
    sympy.Abs(x - y) ** 3 * sympy.pi,
    (x + y) ** 2 / (x - 7) - 1.25e-3 * sympy.asin(x / 9),
    -(x**2) + sympy.cosh(x) - sympy.sinh(y),
    x**y - y ** (-x),
    sympy.acos(y / 9) * sympy.floor(3 * x) + sympy.ceiling(y),
    sympy.E**x + sympy.E,
]
PRINTERS = {
    "mathematica": sympy.mathematica_code,
    "full form": lambda expression: _full_form(expression),
    "octave": sympy.octave_code,
    "julia": sympy.julia_code,
    "c": lambda expression: "return " + sympy.ccode(expression) + ";",
    "c++": lambda expression: "double y = " + sympy.cxxcode(expression) + ";",
    "javascript": lambda expression: "x => " + sympy.jscode(expression),
    "python": lambda expression: "lambda x, y: " + sympy.pycode(expression),
    "numpy": lambda expression: sympy.printing.numpy.NumPyPrinter().doprint(expression),
    "content": lambda expression: sympy.mathml(expression, printer="content"),
    "presentation": lambda expression: (
        "<math>" + sympy.mathml(expression, printer="presentation") + "</math>"
    ),
    "latex": lambda expression: f"$${sympy.latex(expression)}$$",
    "srepr": sympy.srepr,
}


def _full_form(expression):
    """What Mathematica's FullForm shows, from SymPy's tree."""
    heads = {
        "Add": "Plus",
        "Mul": "Times",
        "Pow": "Power",
        "exp": "Exp",
        "log": "Log",
        "asin": "ArcSin",
        "atan": "ArcTan",
        "acos": "ArcCos",
        "ceiling": "Ceiling",
    }
    if expression.is_Rational and not expression.is_Integer:
        return f"Rational[{expression.p}, {expression.q}]"
    if not expression.args:
        return {"pi": "Pi", "E": "E"}.get(str(expression), str(expression).replace("e", "*^"))
    name = type(expression).__name__
    head = heads.get(name, name[0].upper() + name[1:])
    return f"{head}[{', '.join(_full_form(part) for part in expression.args)}]"


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
@pytest.mark.parametrize("printer", PRINTERS)
def test_what_sympy_prints_for_another_language_keeps_its_value(printer, expression):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = PRINTERS[printer](expression)
    formula = read(text, syntax="sympy" if printer == "srepr" else "auto").formula
    columns = points({"x", "y"})
    expected = sympy.lambdify((x, y), expression, "numpy")(columns["x"], columns["y"])
    np.testing.assert_allclose(values_of(formula, columns), expected, rtol=1e-12)


CHOICE = sympy.Piecewise(
    (sympy.sin(x), x > 2), (3, sympy.And(x > 1, x < 1.5)), (sympy.exp(x), True)
)


@pytest.mark.parametrize(
    "printer", ["octave", "julia", "c", "javascript", "python", "content", "latex"]
)
def test_a_choice_that_sympy_prints_for_another_language_keeps_its_value(printer):
    formula = read(PRINTERS[printer](CHOICE)).formula
    columns = {"x": np.array([0.5, 1.25, 2.5])}
    np.testing.assert_allclose(
        values_of(formula, columns), [math.exp(0.5), 3, math.sin(2.5)], rtol=1e-12
    )


UNKNOWN_TO_SYMPY = re.compile(
    r"[:`#\\\\;{]|//|\*\^|_|=|\(\*|Surd|CubeRoot|N\[|Erf|Function|Log10|HoldForm|Minus|Rational"
    r"|Simplify|Power\(|Divide|Floor|C\[|Sin \[|If\[|Which|Piecewise"
)
BOTH_READ = [
    text
    for text, truth in PASTED["mathematica"].items()
    if truth and not UNKNOWN_TO_SYMPY.search(text)
]


@pytest.mark.parametrize("text", BOTH_READ)
def test_mathematica_means_what_sympys_own_reader_of_it_takes_it_for(text):
    expression = parse_mathematica(text)
    formula = read(text).formula
    columns = points(formula.variables)
    expected = sympy.lambdify([sympy.Symbol(name) for name in columns], expression, "numpy")
    np.testing.assert_allclose(
        values_of(formula, columns), np.broadcast_to(expected(*columns.values()), 3), rtol=1e-12
    )
