"""Whatever the text, reading ends quickly in a `Reading` or a `FormulaError` inside the text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.errors import FormulaError
from eic_core.formula.rendering import node_texts, short_text, to_latex, to_python
from eic_core.formula.syntax import SYNTAXES, read
from tests.core.formula.refusals import refusal
from tests.effort import cases, examples

PIECES = (
    "x y x0 x_1 X2 pi e E sin( log( max( sqrt powabs( 2 -1 0.5 1e-3 1e999 .5 3. + - * / **"
    " ^ ( ) [ ] { } | , ; = ~ ² ⁻¹ √ π θ ₀ × − \\frac \\sin \\sqrt \\left( \\right) \\left|"
    " \\right| \\cdot \\pi _ ^{ _{ }{ \\mathrm{ \\log_ $ & \\\\ \\, \\begin{align} let let*"
    " FPCore :pre add mul sub inv Integer(2) Rational(1,3) Float('1.5') |theta=1;2 np."
    " x[:,0] if ! % ' \" . : ⌊ ⌋ \\exp^ \\min \\lg Sin[ Log[2, *^3 `16 # #1 // /* */"
    " lambda def => ->"
    " .^ .* exp.( @(x) 2.0f 1.5d0 std:: Math. M_PI (double) =A1 $A$1 SIN( 1,5 2{,}5 <math> </math>"
    " <mi>x</mi> <mo>(</mo> <msup> </msup> <apply> </apply> <plus/> ½ 0x1p-3 x.re"
).split(" ")
SOUP = st.lists(st.sampled_from([*PIECES, " ", " "]), max_size=25).map("".join)
ANY_TEXT = st.one_of(st.text(max_size=60), SOUP)


@settings(max_examples=examples(600), deadline=None)
@given(ANY_TEXT, st.sampled_from(["auto", "unheard of", *SYNTAXES]))
def test_any_text_gives_a_reading_or_an_error_inside_the_text(text, syntax):
    try:
        reading = read(text, syntax=syntax, columns=("x", "theta", "log Re"))
    except FormulaError as error:
        start, end = error.span
        assert 0 <= start <= end <= len(text)
        assert error.message and error.source == text
        assert error.caret()
        return
    formula = reading.formula
    for node in formula:
        assert 0 <= node.span[0] <= node.span[1] <= len(text)
    assert to_latex(formula) and short_text(formula)
    assert len(node_texts(formula, limit=12)) == len(formula)
    assert all(len(label) <= 12 for label in node_texts(formula, limit=12))
    again = read(to_python(formula), columns=formula.variables).formula
    assert again.structure() == formula.structure()


@settings(max_examples=examples(200), deadline=None)
@given(SOUP)
def test_a_proposed_correction_can_be_read_or_names_the_next_mistake(text):
    try:
        read(text)
    except FormulaError as error:
        if error.replacement is not None:
            assert error.replacement != text
            try:
                read(error.replacement)
            except FormulaError as following:
                assert following.span != error.span or following.message != error.message


ATTACKS = {
    "import": "__import__('os').system('x')",
    "attribute": "(1).__class__.__bases__[0]",
    "lambda": "lambda x: (lambda y: y)(x)",
    "comprehension": "[x for x in range(9)]",
    "string": "'x'*9",
    "f-string": 'f"{x}"',
    "walrus": "(x := 2)",
    "null": "x\x00+1",
    "bidi": "x\u202e+1",
    "zero width": "x\u200b+1",
    "megabyte": "x+" * 500_000 + "x",
    "deep": "(" * 10_000 + "x" + ")" * 10_000,
    "deep calls": "sin(" * 10_000 + "x" + ")" * 10_000,
    "open": "(" * 50_000,
    "close": ")" * 50_000,
    "closed groups": "{" * 30_000 + "\\pi",
    "deep frac": "\\frac{" * 9_000,
    "deep sexpr": "(+ 1 " * 9_000,
    "long number": "1" * 5_000,
    "huge": "1e99999999",
    "huge exponent": "x**1e5000",
    "superscripts": "x" + "⁹" * 5_000,
    "let bomb": "(let* ([a (+ x x)] "
    + " ".join(f"[{chr(98 + i)} (* {chr(97 + i)} {chr(97 + i)})]" for i in range(24))
    + ") y)",
    "slash": "a/b" + " c" * 40_000 + r"\pi",
    "logs": r"\log x" * 15_000,
    "factors": "x " * 40_000 + r"\pi",
    "implied": "2x+" * 20_000 + "2x",
    "complex": "3j*x",
    "equation": "x == 2",
    "comparison": "x < ",
    "empty": "   ",
}


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_hostile_text_is_refused_with_a_place(text):
    error = refusal(text)
    start, end = error.span
    assert 0 <= start <= end <= len(text)
    assert len(str(error)) < 400


MANY = cases(2_000, 5_000)  # more than Python calls within one another
LARGE = {
    "sum": "+".join(["x"] * MANY),
    "product": "*".join(["x"] * MANY),
    "difference": "x" + "-1.5" * MANY,
    "tower": "**".join(["x"] * MANY),
    "minuses": "-" * 2 * MANY + "x",
    "pluses": "+" * 90_000 + "x",
    "nested": "(" * 1_500 + "x" + ")" * 1_500,
    "calls": "sin(" * 1_500 + "x" + ")" * 1_500,
    "powers": "9**9**9**9",
    "latex": r"\sin " * 2_000 + "x",
    "factors": r"\alpha " * MANY,
    "fractions": r"\frac{1}{1+" * 500 + "x" + "}" * 500,
    "roots": "√" * MANY + "x",
    "sexpr": "(+ x " * 900 + "1" + ")" * 900,
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_large_and_deep_formulas_are_read_and_written_without_recursion(text):
    formula = read(text).formula
    written = to_python(formula)
    assert to_latex(formula) and len(node_texts(formula)) == len(formula)
    if written.count("(") < 1_900:
        assert read(written).formula.structure() == formula.structure()
