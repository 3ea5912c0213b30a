"""No text makes a reader do quadratic work: not as a formula, and not on the way to its refusal.

Each text is a run of one character, one token or one pair of tokens, with something before and
behind it; each is read at a length and at a multiple of that length.  What is compared is a ratio
of work (`tests.core.growth`), not a time.
"""

import itertools

import pytest

from eic_core.errors import FormulaError
from eic_core.formula.syntax import read
from tests.core.formula.refusals import refusal
from tests.core.growth import WORST, growth, shapes, slow
from tests.effort import FULL, cases

LENGTH = 2_000
SHORT = 1_000

PRINTABLE = [chr(code) for code in range(32, 127)] + list("\t\nπθé₀¹⁻√×·−≈⌊")
CHARACTERS = [c for c in PRINTABLE if not c.isalnum() or c in "xeE01é₀"]
"""Those that mean something to a reader; one letter is as good as another."""
WORDS = {
    "infix": (
        "x |x_1|x[|x[:|x[:,|x[0]|np.|sin(|log(|powabs(|f(|foo(|(x)|)(|1.|.5|1e|1e5 |**|//|==|√|⁻¹"
        "|Integer(|Rational(1,|Float('1|Symbol('x')|theta=|y=|y =|f(x)=|x |, | ,|; |- |-x|1 |2x"
        "|mc |mc^|/mc^2 |^-kt |x/y z |2mc^2 |e^2x|x^ab^|αβ |πr² |x1x2 |E |E^(|X0 x0 |θ₁ θ_1 |sinx "
        "|sin |lg |log(2,|log(x,|log(2,x) |div(X0,|sqrt(X0,|mul(X0,X1) |mass velocity |return "
        "|x[i] |m₁m₂|2√|x.sin()|.pow(2)|.max(|a.b|df['x']|sin^-1(|cos⁻¹(x)|d/dx |dx/dt |x//a "
        "|of the |CASE WHEN |THEN |END |1.234,|,234.5|log_2(|NA |I*|1 000 |000 |√x²|√x^|x^1/2"
        "|root(3,|δt |pix |df$x|$x|.values|a, b = |a, |&\n|...\n|label: |word |@. 1/2x|fn f("
        "|a.b.c|\\(x)|x 10^|SELECT "
    ).split("|")
    + ["|theta=", "|theta= ", "|front", ";1", "|x"],
    "latex": (
        r"\ \\ \frac \frac{ \frac1 \sin \sin^ \sin^{ \sin^{-1} \log_ \log_{ \lg \sqrt \sqrt["
        r" \sqrt[3] \left( \right) \left| \right| \cdot \times \times10^ 10^ 1\times10^{2} \pi _{"
        r" \frac{d}{d \frac{dy}{dx} \mathrm{d} {\rm \, \quad \dot{x}="
        r" ^{ }{ x_ x^ x_{a} \mathrm{ \operatorname{ \hat \hat{y} \bar{ \begin{align} \begin \end"
        r" \end{ \end{a} \[ \] \( \) \displaystyle \tag{ \text{a} ab aé é1 e^ 1/ |x| $$ \, x' \vert"
    ).split(" ")
    + ["\\sin{", "\\sin{x}^2", "^{(1)}", "x^{(1)}", "1,5", "\\boxed{", "\\boldsymbol{\\beta}"]
    + ["\\text{if } ", "\\text{ kg}x", "\\quad x", "x > 0 \\quad ", "x_ab", "x if ", "\\quad (5)"]
    + ["\\begin{cases} ", "x & x > 0 \\\\ ", "\\text{if $x > 0$}", "\\,\\mathrm{m}", "{x \\over "]
    + ["\\ ", "\\sin x", "\\log ", "x ", " x", "$ ", ", ", ". x", "\\\\ ", "1 ", "/ab"],
    "fpcore": (
        "( |)|(+|(+ |(- |(- x |(* 1 |(sin |(sin|(sinsin|sin|(if |(if (|(let |(let (|(let ([a |[a 1]"
        '|[a|(let* (|(! |(FPCore |(FPCore (|:a b |:a|;|; |"|" |1/|0/|00/1 |1/1 |-1 |+1|x |1 |a.b '
        "|:pre |(and |(<= 1 x 2) |(<= 1 |x 1 |(fabs x) |(- 1) |(! :p b x)|e |E "
    ).split("|"),
    "prefix": (
        "add |add,|mul |sub x |sin |neg |log |x |x_0 |2.0 |1,|+ |- |+ N1 |+ N1 E-3 |N1|N1234 |E-3 "
        "|E3,|'x' |' |'' |pow |max |.5|1e|1e5 "
    ).split("|"),
    "mathematica": (
        r"x|Sin[|Sin[x]|]|[|Log[2,|x_|\[Alpha]|\[|1.5`|`|1`2|*^|2*^3|(*|*)|#|#1|&|# &|{|}"
        r"|->|//|// N|:="
        r"|In[1]:=|Function[|Function[x,|f[x_]:=|@|==|$|x$1|,|2 x|;|Power("
    ).split("|"),
    "spreadsheet": (
        'A1|$A$1|A.|A.A|SIN(|LOG(|=|=A1|-A1^2|^|-|:|!|"|""|[@x]|[@|[@[|]|;|,|1,5|1,|PI()'
        "|PI( |%|5%|A1:|.5|1e"
    ).split("|"),
    "mathml": (
        "<mi>|</mi>|<mi>x</mi>|<mn>1</mn>|<mo>(</mo>|<mo>)</mo>|<mrow>|</mrow>|<msup>"
        "|<msub>|<mfrac>"
        "|<msup><mi>x</mi>|<mi>sin</mi>|<mo>=</mo>|<!--|-->|<!|<?|<|>|&|&#x|&alpha;"
        "|<a b='|<a \"|<mover>"
        "|<apply>|<plus/>|<apply><sin/>|<ci>x</ci>|<lambda>|<semantics>|<mfenced>| |<mo>"
        "|</mo>|<mspace/>"
    ).split("|"),
    "c": (
        "x|x;|;|x=1;|a=a*a;|return |return x;|{|}|(|)|double |double x=|f(x){|//|/*|*/|#"
        "|std::|Math."
        "|(double)|2.0f|1/2+|=>|x=>|(x)=>|static_cast<|0x1|1_0|lambda |lambda x:|def "
        "|def f(x):|import "
    ).split("|")
    + ['"""', "'" * 3, "||", "x\n", "x=1\n", "@a\n", " \n", "\n", "\\\n", "#a\n", "return x\n"],
    "matlab": (
        "x|.^|x.^|.*|x.|exp.(|@|@(|@(x)|@.|...|%|function |function y=f(x)|end|->|x->"
        "|1.5d0|.|..|1.|^|x^"
        "|p(|1,5+|½|½x|>> |``|`|'|\"|```|julia>|In [1]:|╭"
    ).split("|")
    + ["...\n", "%a\n", "\n", "x=1\n", "end\n", "```\n", "...x", "...x%", "&!", "& !x"],
}
AROUND = {
    "infix": [("", ""), ("x", "|"), ("sin(x", ")"), ("x|theta=", "|"), ("Float(", "x)")],
    "latex": [("", ""), ("x", "x"), (r"\sin^{", "}x"), (r"\frac{1}{", "}"), ("x_{", "}=")],
    "fpcore": [
        ("", ""),
        ("(", ")"),
        ("(+ 1 ", "x)"),
        ("(let* (", ") x)"),
        ("(FPCore (x) ", "x)"),
        ("(FPCore (", ") x)"),
        ("(FPCore (x) :pre ", " x)"),
        ("(FPCore (x) :pre (<= ", ") x)"),
    ],
    "prefix": [("", ""), ("add ", " x"), ("1", "!")],
    "mathematica": [("", ""), ("Sin[x] + ", "x"), ("f[x_] := ", " // N")],
    "spreadsheet": [("", ""), ("=A1+", "A1"), ("=SUM(", ")")],
    "mathml": [("<math>", "</math>"), ("<math>", ""), ("<apply>", "</apply>")],
    "c": [("", ""), ("double f(double x) { ", "return x; }"), ("x = ", ";"), ("", "\nx=1")],
    "matlab": [("", ""), ("@(x) ", "x"), ("function y = f(x)\n", "\nend"), ("x.^", "x")],
}
PAIRED = {
    "infix": ["x", "1", " ", "(", ")", "-", "*", "**", "^", ",", ";", "|", "_", ".", "=", "[", "²"],
    "latex": [
        "x",
        "1",
        " ",
        "(",
        ")",
        "{",
        "}",
        "-",
        "/",
        "^",
        "_",
        "|",
        "\\",
        "$",
        ",",
        ".",
        "&",
        "é",
        "\\,",
        "\\]",
        "\\pi",
        "\\sin",
        "\\log",
        "\\frac",
        "\\sqrt[",
        "\\left|",
        "\\right|",
    ],
    "fpcore": ["x", "1", " ", "(", ")", "[", "]", "(+", "-", "/", ":a", ";", "\n", "(let", "!"],
    "prefix": ["x", "1", " ", ",", "add ", "sin ", "+ ", "- ", "'", "N1 ", "E1 ", "."],
    "mathematica": [
        "x",
        "1",
        " ",
        "Sin[",
        "]",
        "[",
        "(",
        ")",
        "`",
        "*^",
        "#",
        "&",
        "//",
        "(*",
        "{",
    ],
    "spreadsheet": ["A1", "1", " ", "SIN(", ")", ",", ";", "-", "^", "[@", "]", '"', "=", "."],
    "mathml": [
        "<mi>",
        "</mi>",
        "x",
        " ",
        "<mn>1</mn>",
        "<msup>",
        "</msup>",
        "<mo>(</mo>",
        "<!--",
        "<",
    ],
    "c": [
        "x",
        "1",
        " ",
        "\n",
        ";",
        "{",
        "}",
        "(",
        ")",
        "=",
        "x=",
        "return ",
        "//",
        "/*",
        "#",
        "double ",
    ],
    "matlab": [
        "x",
        "1",
        " ",
        "\n",
        ".",
        "^",
        ".^",
        "@(",
        ")",
        "%",
        "...",
        "=",
        "function ",
        "'",
        "`",
    ],
}


def attempt(syntax):
    """Read a text in a notation; if it is refused, write the refusal out as pages do."""

    def work(text):
        try:
            read(text, syntax=syntax, columns=("x", "x_1", "log Re"))
        except FormulaError as error:
            return str(error), error.caret()
        return None

    return work


@pytest.mark.parametrize("detected", [False, True], ids=["given", "detected"])
@pytest.mark.parametrize("syntax", WORDS)
def test_a_run_of_one_token_is_read_or_refused_in_linear_work(syntax, detected):
    some = slice(None) if FULL else slice([*WORDS].index(syntax) % 28 + 28 * detected, None, 56)
    units = WORDS[syntax] if detected else [*CHARACTERS, *WORDS[syntax]]
    around = AROUND[syntax][: 2 if detected else None]
    assert not slow(attempt("auto" if detected else syntax), shapes(units[some], around), LENGTH)


@pytest.mark.parametrize("syntax", ["auto", *WORDS])
def test_a_run_of_one_character_is_read_or_refused_in_linear_work(syntax):
    share = cases(9 if syntax == "auto" else 36, 1)
    some = PRINTABLE[["auto", *WORDS].index(syntax) % share :: share]
    assert not slow(attempt(syntax), shapes(some, [("", "")]), LENGTH)


def test_a_run_of_one_character_is_detected_in_linear_work():
    around = [("x", "x"), ("(", ")"), ("x", "=1")]
    assert not slow(attempt("auto"), shapes(CHARACTERS[:: cases(3, 1)], around), LENGTH)


@pytest.mark.parametrize("detected", [False, True], ids=["given", "detected"])
@pytest.mark.parametrize("syntax", PAIRED)
def test_a_run_of_a_pair_of_tokens_is_read_or_refused_in_linear_work(syntax, detected):
    pairs = pairs_of(syntax, 11 * detected)
    work = attempt("auto" if detected else syntax)
    assert not slow(work, [("x ", first + second, "") for first, second in pairs], SHORT)


@pytest.mark.parametrize("syntax", PAIRED)
def test_a_run_of_one_token_and_then_of_another_is_read_or_refused_in_linear_work(syntax):
    assert not slow(attempt("auto"), [("x", *pair, "|") for pair in pairs_of(syntax, 23)], SHORT)


def pairs_of(syntax, first):
    """Two different tokens in either order; in a quick run one pair of sixty."""
    return [*itertools.permutations(PAIRED[syntax], 2)][cases(first, 0) :: cases(61, 1)]


def test_many_columns_with_one_name_are_told_apart_in_linear_work():
    def work(names):
        read("x", columns=names.split(","))

    assert growth(work, lambda size: ",".join(f"x_{i}" for i in range(size)), LENGTH) <= WORST


@pytest.mark.parametrize(
    ("text", "syntax"),
    [
        ("1" * 20_000, "latex"),
        ("x+1" + "0" * 20_000, "infix"),
        ("1" * 20_000, "prefix"),
        ("(+ 1 " + "1" * 20_000 + ")", "fpcore"),
        ("\\sin^{" + "1" * 20_000 + "}x", "latex"),
        ("\\log_{" + "1" * 20_000 + "}x", "latex"),
        ("\\log_{2/" + "1" * 20_000 + "}x", "latex"),
    ],
)
def test_a_number_of_20_000_digits_is_refused(text, syntax):
    refusal(text, syntax=syntax, match="this number is too long")


def test_a_base_without_a_value_is_refused():
    refusal(r"\log_{1/0} x", match="the base of a logarithm is positive")
