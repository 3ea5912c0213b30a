# ruff: noqa: E501 (a text to paste is one line)
"""Cases of LaTeX and MathML are read whole; logic of numbers in arithmetic is refused."""

import pytest

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.syntax.policy import Policy, WordRule
from tests.core.formula.refusals import refusal

BOTH = "where(x < 0, x**2, where(x >= 0, x, nan))"
ELSE = "where(x < 0, x**2, x)"

CASES = {
    r"\begin{cases} y = x^2 & x < 0 \\ y = x & x \ge 0 \end{cases}": BOTH,
    r"\begin{cases} y = x^2, & x < 0, \\ y = x, & x \ge 0. \end{cases}": BOTH,
    r"\begin{cases} f(x) = x^2 & x < 0 \\ f(x) = x & x \ge 0 \end{cases}": BOTH,
    r"\begin{cases} f(x, z) = x^2 & x < 0 \\ f(x, z) = x & x \ge 0 \end{cases}": BOTH,
    r"\begin{cases} \hat{y} = x^2 & x < 0 \\ \hat{y} = x & x \ge 0 \end{cases}": BOTH,
    r"\begin{cases} y_1 = x^2 & x < 0 \\ y_1 = x & x \ge 0 \end{cases}": BOTH,
    r"y = \begin{cases} y = x^2 & x < 0 \\ y = x & x \ge 0 \end{cases}": BOTH,
    r"f(x) = \begin{cases} f(x) = x^2 & \text{if } x < 0 \\ f(x)=x & \text{otherwise} \end{cases}": (
        ELSE
    ),
    r"\begin{equation} \begin{cases} y = x^2 & x < 0 \\ y= x & x \ge 0 \end{cases} \end{equation}": (
        BOTH
    ),
    r"y = \left\{ \begin{array}{ll} x^2 & \text{if } x<0 \\ x & \text{otherwise} \end{array} \right.": (
        ELSE
    ),
    r"\left\{ \begin{array}{ll} y = x^2 & \mbox{if } x<0 \\ y = x & \mbox{else} \end{array} \right.": (
        ELSE
    ),
    r"\left\{ \begin{array}{l} y = x^2, \ x<0 \\ y = x, \ x \ge 0 \end{array}\right.": BOTH,
    r"y = \left\lbrace \begin{array}{lr} x^2 & : x < 0\\ x & : x \geq 0 \end{array} \right.": BOTH,
    r"y = \left\{ \begin{matrix} x^2 & x<0 \\ x & x \ge 0 \end{matrix} \right.": BOTH,
    r"y = \left\{\begin{aligned} x^2, \quad & x<0 \\ x, \quad & x\ge 0\end{aligned}\right.": BOTH,
    r"y = \left\{ \begin{array}{rcl} x^2 & \mbox{for} & x<0 \\ x & \mbox{for} & x \ge 0 \end{array}"
    r"\right.": BOTH,
    r"y = \Big\{ \begin{array}{ll} x^2 & x<0 \\ x & x \ge 0 \end{array}": BOTH,
    r"f(x)=\begin{dcases} x^2, & x<0 \\ x, & x \ge 0 \end{dcases}": BOTH,
    r"y = \begin{cases*} x^2 & if $x < 0$ \\ x & otherwise \end{cases*}": ELSE,
    r"\begin{numcases}{y=} x^2 & x<0 \\ x & x \ge 0 \end{numcases}": BOTH,
    r"y = \cases{x^2 & x<0 \cr x & x\ge 0}": BOTH,
    r"y = \cases{x^2 & if $x<0$ \cr x & otherwise}": ELSE,
    r"y = \begin{cases} x^2, \quad x < 0 \\ x, \quad \text{otherwise} \end{cases}": ELSE,
    "<math><mi>y</mi><mo>=</mo><mrow><mo>{</mo><mtable><mtr><mtd><msup><mi>x</mi><mn>2</mn></msup>"
    "</mtd><mtd><mtext>if </mtext><mi>x</mi><mo>&lt;</mo><mn>0</mn></mtd></mtr><mtr><mtd><mi>x</mi>"
    "</mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow></math>": ELSE,
    "<math><mfenced open='{' close=''><mtable><mtr><mtd><msup><mi>x</mi><mn>2</mn></msup><mo>,</mo>"
    "</mtd><mtd><mi>x</mi><mo>&lt;</mo><mn>0</mn></mtd></mtr><mtr><mtd><mi>x</mi><mo>,</mo></mtd>"
    "<mtd><mi>x</mi><mo>≥</mo><mn>0</mn></mtd></mtr></mtable></mfenced></math>": BOTH,
    "<apply><times/><cn>1</cn><piecewise><piece><apply><power/><ci>x</ci><cn>2</cn></apply><apply>"
    "<lt/><ci>x</ci><cn>0</cn></apply></piece><otherwise><ci>x</ci></otherwise></piecewise>"
    "</apply>": f"1*{ELSE}",
}


@pytest.mark.parametrize(("text", "meant"), CASES.items())
def test_cases_are_read_whole(text, meant):
    assert to_python(read(text).formula) == meant


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (r"\begin{cases} y = x^2 & x < 0 \\ z = x & x \ge 0 \end{cases}", "system of equations"),
        (r"\begin{cases} y = x^2 \\ z = x \end{cases}", "no condition"),
        (r"\begin{cases} y = x^2 \\ y = x \end{cases}", "no condition"),
    ],
)
def test_a_system_of_equations_is_no_list_of_cases(text, reason):
    refusal(text, match=reason)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("¬x0 + 1", (0, 3)),
        ("2*¬x0", (2, 5)),
        ("~x + 1", (0, 2)),
        ("!x + 1", (0, 2)),
        ("-¬x", (1, 3)),
        ("3 * not(x)", (4, 10)),
        ("where(¬x0 > 1, 1, 2)", (6, 9)),
        (r"\neg x_0 + 1", (0, 8)),
        (r"2 \cdot \lnot x", (8, 15)),
    ],
)
def test_a_negated_number_in_arithmetic_is_refused(text, span):
    error = refusal(text, match="before a number is logic")
    assert error.span == span
    for _, other in error.choices:
        read(other)


@pytest.mark.parametrize("text", ["1 + (x && y)", "2*(x ∧ y)", "x & y", "2*(x | y)", "x & y + 1"])
def test_joined_numbers_in_arithmetic_are_refused(text):
    refusal(text)


LOGIC = {
    "where(!x, 1, 2)": "where(logical_not(x != 0), 1, 2)",
    "where(not x, 1, 2)": "where(logical_not(x != 0), 1, 2)",
    "!x && y ? 1 : 2": "where(logical_not(x != 0) & (y != 0), 1, 2)",
    "(x > 0)*¬(y > 0)": "(x > 0)*logical_not(y > 0)",
    "logical_not(x) + 1": "logical_not(x != 0) + 1",
    r"\left(\lnot \left(x = y\right)\right) \cdot 2": "logical_not(equal(x, y))*2",
}


@pytest.mark.parametrize(("text", "meant"), LOGIC.items())
def test_logic_is_read_where_conditions_stand(text, meant):
    assert to_python(read(text).formula) == meant


ARRAYS = {
    "(FPCore ((A 3)) (+ (ref A 0) (ref A 1)))": "A_0 + A_1",
    "(FPCore ((A 3 2)) (ref A 0 1))": "A_0_1",
    "(FPCore ((A 3 3)) (ref (ref A 1) 2))": "A_1_2",
    "(FPCore ((x 3)) (ref x 0))": "x0",
    "(FPCore ((A n)) (/ (ref A 0) (size A 0)))": "A_0/n",
    "(FPCore ((A 3 2)) (+ (dim A) (size A 1)))": "2 + 2",
    "(FPCore (x) (ref (array x 1) 0))": "x",
    "(FPCore (x y) (let ((m (array (array x y) (array 1 2)))) (ref m 0 1)))": "y",
    "(FPCore ((! :precision binary32 A 3) y) (+ y (ref A 2)))": "y + A_2",
}


@pytest.mark.parametrize(("text", "meant"), ARRAYS.items())
def test_an_element_of_an_array_is_a_variable(text, meant):
    assert to_python(read(text).formula) == meant


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(FPCore ((A 3)) (* A 2))", "an array stands where a number is wanted"),
        ("(FPCore (x y) (array x y))", "an array stands where a number is wanted"),
        ("(FPCore (x y) (hypot (array x y) 2))", "an array stands where a number is wanted"),
        ("(FPCore ((A 3)) (ref A 3))", "no such element"),
        ("(FPCore (x y) (let ((m (array (array x y) (array 1)))) (ref m 1 1)))", "no such element"),
        ("(FPCore ((A 3) i) (ref A i))", "no number"),
        ("(FPCore (n) (tensor ([i n]) i))", "`tensor` is not supported"),
    ],
)
def test_an_array_is_no_number(text, reason):
    refusal(text, match=reason)


def test_of_several_fpcores_one_is_chosen_with_the_functions_that_it_needs():
    text = "(FPCore sq (x) (* x x)) (FPCore (y) (+ (sq y) 1)) (FPCore (z) (sq z))"
    found = [
        to_python(read(other).formula) for _, other in refusal(text, match="which is meant").choices
    ]
    assert found == ["y*y + 1", "z*z"]


def test_a_word_in_latex_is_what_the_policy_says():
    assert to_python(read(r"\frac{kT}{2}").formula) == "k*T/2"
    assert to_python(read(r"\frac{kT}{2}", policy=Policy(WordRule.NAME)).formula) == "kT/2"
    assert to_python(read(r"\frac{kT}{2}", policy=Policy(WordRule.GIVEN)).formula) == "kT/2"
    given = read(r"\frac{kT}{2}", policy=Policy(WordRule.GIVEN), columns=("k", "T")).formula
    assert to_python(given) == "k*T/2"
