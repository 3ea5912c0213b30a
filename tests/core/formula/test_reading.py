"""What each notation's text means: one row for each rule."""

import re
from fractions import Fraction
from itertools import pairwise

import pytest

from eic_core.formula.syntax import SYNTAXES, canonical_name, read
from tests.core.formula.refusals import refusal


def shape(formula):
    """A tree as text: ``mul(neg(x), #2)``; constants carry ``#``, parameters ``<>``."""
    stack = []
    for node in formula:
        if node.operator == "variable":
            stack.append(node.label)
        elif node.operator == "constant":
            stack.append(f"#{node.label}")
        else:
            count = len(node.children)
            args = ", ".join(stack[-count:])
            del stack[-count:]
            parameter = "" if node.parameter is None else f"<{node.parameter}>"
            stack.append(f"{node.operator}{parameter}({args})")
    return stack[0]


INFIX = {
    # precedence and signs
    "-2**2": "neg(power<2>(#2))",
    "-x*y": "mul(neg(x), y)",
    "-x**2": "neg(power<2>(x))",
    "x**2**3": "pow(x, power<3>(#2))",
    "x^y^z": "pow(x, pow(y, z))",
    "a-b-c": "sub(sub(a, b), c)",
    "a/b*c": "mul(div(a, b), c)",
    "2**-x*y": "mul(pow(#2, neg(x)), y)",
    "-2": "#-2",
    "2*-1e-3": "mul(#2, #-1e-3)",
    "-2*x": "mul(#-2, x)",
    "x-2": "sub(x, #2)",
    "x - -2": "sub(x, #-2)",
    "-pi": "neg(#pi)",
    "--2": "neg(#-2)",
    "-(2)": "neg(#2)",
    "(-2)**2": "power<2>(#-2)",
    "+x - +2": "sub(x, #2)",
    # exact and noisy exponents
    "x**0.5": "power<1/2>(x)",
    "x**2.50": "power<5/2>(x)",
    "x**(3/2)": "power<3/2>(x)",
    "x**-(3/2)": "power<-3/2>(x)",
    "x**(-1)": "power<-1>(x)",
    "x**(4/2)": "power<2>(x)",
    "x**2.37": "pow(x, #2.37)",
    "x**(1/3)": "pow(x, div(#1, #3))",
    "x**(pi/2)": "pow(x, div(#pi, #2))",
    "x**(2.37/2)": "pow(x, div(#2.37, #2))",
    "x**n": "pow(x, n)",
    "x**(1+1)": "pow(x, add(#1, #1))",
    "pow(x, 2)": "power<2>(x)",
    "pow_noisy(x, 2)": "pow(x, #2)",
    "pow_exact(e, 2)": "power<2>(#e)",
    # roots and logarithms
    "sqrt(x)": "sqrt(x)",
    "cbrt(x)": "cbrt(x)",
    "root(x, 5)": "root<5>(x)",
    "log(x)": "log(x)",
    "ln(x)": "log(x)",
    "log(x, 2)": "log<2>(x)",
    "log10(x)": "log<10>(x)",
    "log2(x)": "log<2>(x)",
    "log(x, e)": "log(x)",
    "log(x, b)": "div(log(x), log(b))",
    "e**x": "exp(x)",
    "e^(x+1)": "exp(add(x, #1))",
    "exp2(x)": "pow(#2, x)",
    # expansions
    "sqrtabs(x)": "sqrt(abs(x))",
    "powabs(x; y)": "pow(abs(x), y)",
    "powabs(x, 2)": "power<2>(abs(x))",
    "aq(a, b)": "div(a, sqrt(add(#1, power<2>(b))))",
    "sigmoid(x)": "div(#1, add(#1, exp(neg(x))))",
    "relu(x)": "max(#0, x)",
    "fma(a, b, c)": "fma(a, b, c)",
    "coth(x)": "power<-1>(tanh(x))",
    "inv(x)": "power<-1>(x)",
    "square(x) + cube(x)": "add(power<2>(x), power<3>(x))",
    "logabs(x)": "log(abs(x))",
    # functions under their many names
    "np.sin(x) + math.cos(x)": "add(sin(x), cos(x))",
    "Sin(x)*ARCTAN(y)": "mul(sin(x), atan(y))",
    "max(a, b, c)": "max(a, b, c)",
    "minimum(a, b)": "min(a, b)",
    "arctan2(y, x) + hypot(x, y)": "add(atan2(y, x), hypot(x, y))",
    "fabs(x) + sgn(x)": "add(abs(x), sign(x))",
    "|x|*|y - |z||": "mul(abs(x), abs(sub(y, abs(z))))",
    # names
    "x_0 + X1 + x[:,2] + x[3] + x₄": "add(add(add(add(x0, x1), x2), x3), x4)",
    "omega_0*θ": "mul(omega_0, theta)",
    "gamma*I": "mul(gamma, I)",
    "pi + np.e": "add(#pi, #e)",
    # numbers
    ".5 + 2. + 1E-03": "add(add(#0.5, #2), #1e-3)",
    "Integer(0)": "#0",
    "Rational(-1, 3)*Float('1.20')": "mul(#-1/3, #1.20)",
    "Add(Symbol('x'), Mul(Integer(2), y, z))": "add(x, mul(mul(#2, y), z))",
    # signs of print
    "-x₁⋅x₂⋅cos(x₃)": "mul(mul(neg(x1), x2), cos(x3))",
    "x² − 2×y ÷ z": "sub(power<2>(x), div(mul(#2, y), z))",
    "x⁻¹·√(y+1)": "mul(power<-1>(x), sqrt(add(y, #1)))",
    "√x²": "power<2>(sqrt(x))",
    # words and prefix
    "(x_0 add 1) mul sin(x_1)": "mul(add(x0, #1), sin(x1))",
    "mul(div(X1, X3), sqrt(X0))": "mul(gp_div(x1, x3), sqrt(abs(x0)))",
    "add,mul,x_0,2.0,x_1": "add(mul(x0, #2.0), x1)",
    "mul sin x_0 pow x_1 2": "mul(sin(x0), power<2>(x1))",
    "- * x 2 y": "sub(mul(x, #2), y)",
    "add - N1234 E-2 x_0": "add(#-1234e-2, x0)",
    # Bingo
    "((X_4)/(X_3))(X_4) + -0.5": "add(mul(div(x4, x3), x4), #-0.5)",
    # heads
    "y = x + 1": "add(x, #1)",
    "f(x, y) = x*y": "mul(x, y)",
    "y ~ x0": "x0",
    "t0*x + t1 |theta=1.5;-2e-3": "add(mul(#1.5, x), #-2e-3)",
    # s-expressions
    '(FPCore (x) :name "a" :pre (> x 0) (- (sqrt (+ x 1)) (sqrt x)))': "sub(sqrt(add(x, #1)), sqrt(x))",  # noqa: E501
    "(+ x 1 2)": "add(add(x, #1), #2)",
    "(* -2 (- x))": "mul(#-2, neg(x))",
    "(let ((a (+ x 1))) (* a a))": "mul(add(x, #1), add(x, #1))",
    "(let* ([a (+ x 1)] [b (* a 2)]) (/ a b))": "div(add(x, #1), mul(add(x, #1), #2))",
    "(! :precision binary64 (pow x 1/2))": "power<1/2>(x)",
    "(* 1/3 PI)": "mul(#1/3, #pi)",
}

LATEX = {
    r"\frac{x}{2}": "div(x, #2)",
    r"\frac12 x": "mul(div(#1, #2), x)",
    r"\dfrac{\tfrac{1}{x}}{y}": "div(div(#1, x), y)",
    r"\sqrt[3]{x} + \sqrt2": "add(root<3>(x), sqrt(#2))",
    r"x^2_\mathrm{B} + \pi": "add(power<2>(x_B), #pi)",
    r"\left(x_{0} + 1\right)^{2}": "power<2>(add(x0, #1))",
    r"x_{0} \cdot x_1 \times 2": "mul(mul(x0, x1), #2)",
    r"2 x y": "mul(mul(#2, x), y)",
    r"-2x": "mul(#-2, x)",
    r"\sin^2 x + \cos^{2}(x)": "add(power<2>(sin(x)), power<2>(cos(x)))",
    r"\sin^{-1} x": "asin(x)",
    r"\sin 2x": "sin(mul(#2, x))",
    r"\sin x \cos y": "mul(sin(x), cos(y))",
    r"\sin x + 1": "add(sin(x), #1)",
    r"\sin\left(x\right)^{2}": "power<2>(sin(x))",
    r"\tanh{x}": "tanh(x)",
    r"e^{-x} \exp(y)": "mul(exp(neg(x)), exp(y))",
    r"\ln x + \log_{2}(y) + \log_{10} z": "add(add(log(x), log<2>(y)), log<10>(z))",
    r"\log_b x": "div(log(x), log(b))",
    r"\operatorname{asinh}(x) \mathrm{Re}": "mul(asinh(x), Re)",
    r"|x| + \left|y\right| + \lvert z \rvert": "add(add(abs(x), abs(y)), abs(z))",
    r"\lfloor x \rfloor \lceil y \rceil": "mul(floor(x), ceil(y))",
    r"\min\left(a, b\right) + \max\{a, b\}": "add(min(a, b), max(a, b))",
    r"\pi \theta_1^2 \hbar": "mul(mul(#pi, power<2>(theta_1)), hbar)",
    r"x^{1/2} + x^{\frac{3}{2}} + x^{2.37}": "add(add(power<1/2>(x), power<3/2>(x)), pow(x, #2.37))",  # noqa: E501
    r"2^{3^{4}}": "pow(#2, power<4>(#3))",
    r"1.5 \times 10^{-7} x": "mul(#1.5e-7, x)",
    r"$$y = x^2.$$": "power<2>(x)",
    r"\[ f(x) = \sin(x) \]": "sin(x)",
    r"\begin{align*} \hat{y} &= x \, + \; 1 \end{align*}": "add(x, #1)",
    r"\displaystyle \text{speed} \big( 1 - x \big)": "mul(speed, sub(#1, x))",
    r"\\frac{x}{y}": "div(x, y)",
    r"1/2 x": "mul(div(#1, #2), x)",
    r"h/2\pi": "div(h, mul(#2, #pi))",
}


@pytest.mark.parametrize(("text", "tree"), INFIX.items())
def test_plain_text_is_read_as_written(text, tree):
    assert shape(read(text).formula) == tree


@pytest.mark.parametrize(("text", "tree"), LATEX.items())
def test_latex_is_read_as_written(text, tree):
    assert shape(read(text, syntax="latex").formula) == tree


def test_columns_win_over_constants_and_other_guesses():
    assert shape(read("pi*e**x", columns=("pi", "x")).formula) == "mul(pi, exp(x))"
    assert shape(read("e**2", columns=("e",)).formula) == "power<2>(e)"
    assert shape(read(r"mom x", syntax="latex", columns=("mom", "x")).formula) == "mul(mom, x)"
    assert shape(read("sin + 1", columns=("sin",)).formula) == "add(sin, #1)"
    assert shape(read("2*add", columns=("add",)).formula) == "mul(#2, add)"


def test_a_column_with_odd_characters_is_used_through_what_can_be_typed():
    reading = read("log_Re_1*2 + x0", columns=("log Re/1", "x_{0}"))
    assert shape(reading.formula) == "add(mul(log Re/1, #2), x0)"
    assert shape(read("m₁*v_2", columns=("m_1", "v2")).formula) == "mul(m_1, v2)"


def test_columns_that_share_a_canonical_name_stay_apart():
    assert read("x0 + X0", columns=("x0", "X0")).formula.variables == ("x0", "X0")


@pytest.mark.parametrize("name", ["x_0", "x_{0}", "x₀", "X0", "X_0", "x[:,0]", "x[0]", "x[:, 0]"])
def test_indexed_variables_have_one_canonical_name(name):
    assert canonical_name(name) == "x0"
    assert read(f"{name} + 1").formula.variables == ("x0",)


@pytest.mark.parametrize("name", ["omega_0", "m1", "x", "X", "xa", "x_a", "log Re", "T2"])
def test_other_names_come_back_unchanged(name):
    assert canonical_name(name) == name


@pytest.mark.parametrize(
    ("text", "syntax", "name", "base"),
    [
        ("X1 + X2", "operon", "operon", 1),
        ("x1 + x2", "sympy_x1", "sympy_x1", 1),
        ("x1 + x2", "sympy_x0", "sympy_x0", 0),
        ("x_1", "E2ET", "e2e_infix", 0),
        ("x1 + x2", "auto", "infix", None),
        ("x0 + x2", "auto", "infix", 0),
        ("x1 + x2", "no such tool", "infix", None),
        ("((-0.000511) * X1)", "auto", "operon", 1),
        ("x[:,1] + 1", "auto", "tir", 0),
        ("sqrtabs(x1)", "auto", "pysr", 0),
        (r"\sin x_1", "auto", "latex", None),
        ("(+ x 1)", "auto", "fpcore", None),
    ],
)
def test_the_notation_and_its_first_index_are_reported(text, syntax, name, base):
    reading = read(text, syntax=syntax)
    assert (reading.syntax, reading.index_base) == (name, base)
    assert reading.syntax in SYNTAXES


def test_a_bare_E_is_eulers_number_among_indexed_variables_only():
    reading = read("x2*(x1 + E)")
    assert shape(reading.formula) == "mul(x2, add(x1, #e))"
    assert "Euler" in reading.notes[0].message
    assert read("E*c**2").formula.variables == ("E", "c")
    assert shape(read("E + x1", syntax="sympy_x1").formula) == "add(#e, x1)"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x(y+z)", "mul(x, add(y, z))"),
        (r"x(y+z)\cdot 2", "mul(mul(x, add(y, z)), #2)"),
    ],
)
def test_a_name_before_a_bracket_is_noted_as_a_factor_and_nothing_is_offered_for_it(text, tree):
    reading = read(text)
    assert shape(reading.formula) == tree
    assert any("product" in note.message for note in reading.notes)
    assert not reading.alternatives


@pytest.mark.parametrize(
    ("text", "alternative"),
    [
        (r"\pi xy + xy", "add(mul(#pi, xy), xy)"),
        (r"\sin xy", "mul(sin(x), y)"),
        (r"\sin x(y+z)", "sin(mul(x, add(y, z)))"),
        (r"\log x", "log<10>(x)"),
        (r"2\cos^{-1} x", "mul(#2, power<-1>(cos(x)))"),
        (r"2 \times 10^{3}", "mul(#2, power<3>(#10))"),
    ],
)
def test_an_ambiguous_text_is_noted_and_its_other_reading_offered(text, alternative):
    reading = read(text)
    assert reading.notes
    trees = [shape(read(other.text).formula) for other in reading.alternatives]
    assert alternative in trees


def test_a_product_after_a_slash_is_noted_with_both_readings():
    half, over = read("1/2x", syntax="latex"), read(r"h/2\pi")
    assert shape(half.formula) == "mul(div(#1, #2), x)"
    assert shape(read(half.alternatives[0].text, syntax="latex").formula) == "div(#1, mul(#2, x))"
    assert shape(over.formula) == "div(h, mul(#2, #pi))"
    assert shape(read(over.alternatives[0].text).formula) == "mul(div(h, #2), #pi)"


def test_parentheses_side_by_side_are_a_product_with_a_note():
    reading = read("(a)(b)")
    assert shape(reading.formula) == "mul(a, b)"
    assert "product" in reading.notes[0].message


MANGLED = {
    "powabs((x0; -0.155433)": "powabs(x0; -0.155433)",
    "powabs(((x0; powabs(0.0959; x0)) + 0.846193": "powabs(x0; powabs(0.0959; x0)) + 0.846193",
    "1.85 - powabs(((powabs(0.0008; x0); x0)": "1.85 - powabs(powabs(0.0008; x0); x0)",
    "powabs((sin(sin((x0 + (x0 + -2.0)) + -2.1)) + -1.9; -1.18)": "powabs(sin(sin((x0 + (x0 + -2.0)) + -2.1)) + -1.9; -1.18)",  # noqa: E501
}


@pytest.mark.parametrize(("mangled", "meant"), MANGLED.items())
def test_surplus_parentheses_of_a_known_export_are_left_out(mangled, meant):
    reading = read(mangled)
    assert reading.formula.structure() == read(meant).formula.structure()
    assert "surplus" in reading.notes[-1].message


def test_every_span_shows_the_text_of_its_node():
    formula = read("2*sin(x + 1)**2 - (y/3)*|z|").formula
    source = formula.source
    shown = [source[slice(*node.span)] for node in formula]
    assert shown == [
        "2",
        "x",
        "1",
        "x + 1",
        "sin(x + 1)",
        "sin(x + 1)**2",
        "2*sin(x + 1)**2",
        "y",
        "3",
        "y/3",
        "z",
        "|z|",
        "(y/3)*|z|",
        "2*sin(x + 1)**2 - (y/3)*|z|",
    ]


@pytest.mark.parametrize(
    ("text", "syntax"), [(t, "auto") for t in INFIX] + [(t, "latex") for t in LATEX]
)
def test_spans_of_operands_lie_inside_their_operator(text, syntax):
    formula = read(text, syntax=syntax).formula
    for node in formula:
        assert 0 <= node.span[0] < node.span[1] <= len(text)
        if "let" in text:
            continue
        for child in node.children:
            low, high = formula.nodes[child].span
            assert node.span[0] <= low and high <= node.span[1]


def test_expansions_carry_the_span_of_their_call():
    text = "1 + sigmoid(x)"
    spans = {node.span for node in read(text).formula if node.operator in ("exp", "neg", "div")}
    assert spans == {(4, len(text))}


@pytest.mark.parametrize(
    ("text", "span", "message", "replacement"),
    [
        ("x 2", (0, 3), "`x 2` is not clear: write `x*2` for a product", None),
        ("2 sin x", (2, 7), "the function `sin` needs parentheses", "2 sin(x)"),
        ("1+lg(x)", (2, 4), "unknown function `lg`: did you mean `log10`?", "1+log10(x)"),
        ("sinus(x)", (0, 5), "unknown function `sinus`: did you mean `sin`?", "sin(x)"),
        ("x*(y+1", (2, 3), "unbalanced parenthesis at column 3", "x*(y+1)"),
        ("x*y+1)", (5, 6), "unbalanced parenthesis at column 6", None),
        ("(x]", (2, 3), "`(` at column 1 is closed by `]`", None),
        ("x*", (1, 2), "missing operand after `*`", None),
        ("*x", (0, 1), "missing operand before `*`", None),
        ("x+*y", (2, 3), "missing operand after `+`", None),
        ("sin()", (0, 5), "nothing between these parentheses", None),
        ("", (0, 0), "there is no formula", None),
        ("   ", (0, 0), "there is no formula", None),
        ("sin + 1", (0, 3), "the function `sin` has no argument", None),
        ("x == 2", (2, 4), "equation", None),
        ("x + y = z", (6, 7), "equation", None),
        ("x < ", (2, 3), "missing operand after `<`", None),
        ("3j + x", (0, 2), "complex numbers are not supported", None),
        ("digamma(x)", (0, 7), "the function `digamma` is not supported", None),
        ("acot(x)", (0, 4), "write atan(1/x)", None),
        ("protectedLog(x)", (0, 12), "protected operator", None),
        ("inf*x", (0, 3), "not a real number", None),
        ("1.2.3", (0, 5), "two numbers side by side", None),
        ("3,500*x", (0, 5), "may be 3.500 or 3500", None),
        ("(3, 5)*x", (2, 3), "the decimal mark is a point", None),
        ("x // 2", (2, 4), "whole-number division", None),
        ("x + 2%", (5, 6), "stands between two operands", None),
        ("x!", (1, 2), "factorials", None),
        ("atan2(x)", (0, 8), "`atan2` takes 2 arguments, not 1", None),
        ("max(x)", (0, 6), "takes 2 or more arguments", None),
        ("log(x, 1)", (0, 9), "base of a logarithm", None),
        ("x.real", (1, 2), "attributes", None),
        ("x\u200b+1", (1, 2), "invisible character", "x+1"),
        (r"\foo x", (0, 4), r"the command `\foo` is not known", None),
        (r"\binom{n}{k}", (0, 6), "binomial", None),
        (r"\frac{a}{b", (8, 9), "unbalanced bracket at column 9", None),
        ("(while (< x 0) 1 2)", (1, 6), "`while` is not supported", None),
        ("(+ x (* y 2)", (0, 1), "unbalanced parenthesis at column 1", "(+ x (* y 2))"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_a_remedy(text, span, message, replacement):
    error = refusal(text, match=re.escape(message))
    assert error.span == span
    assert error.replacement == replacement
    assert str(error).count(": ") >= 1


def test_carets_point_at_the_mistake():
    assert refusal("1 + lg(x)").caret() == "1 + lg(x)\n    ^^"


def test_parameters_are_constants_and_bad_ones_are_refused():
    formula = read("Abs(t0)^t1*x0", parameters={"t0": "-1.5", "t1": "2.25"}).formula
    assert shape(formula) == "mul(pow(abs(#-1.5), #2.25), x0)"
    refusal("t0*x", parameters={"t0": "evil"}, match="parameter `t0`")


def test_exact_parameters_are_fractions():
    nodes = read("x**0.5 + log(x, 1/3)").formula.nodes
    assert [n.parameter for n in nodes if n.parameter] == [Fraction(1, 2), Fraction(1, 3)]


def test_repeated_variables_are_separate_leaves_in_post_order():
    formula = read("x*x + x").formula
    assert [n.id for n in formula] == list(range(5))
    assert all(a.id < b.id for a, b in pairwise(formula))
    assert formula.complexity == 5


@pytest.mark.parametrize(
    ("text", "hint"), [("x＋1", "write `+`"), ("x + ٣", "write `3`"), ("x ♥ 1", "remove it")]
)
def test_a_look_alike_is_answered_with_the_character_meant(text: str, hint: str) -> None:
    assert refusal(text).hint == hint
