"""What a text means is read, said or asked; nothing is read wrong in silence.

The truth of each row is a tree written out by hand, or NumPy's value of the function meant.
"""

import csv
import itertools
import math
import operator
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.engine.values import values
from eic_core.errors import FormulaError
from eic_core.formula.copying import copied
from eic_core.formula.rendering import short_text, to_latex, to_mathml, to_python
from eic_core.formula.syntax import Policy, WordRule, read
from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import MISSING, NOT_A_NUMBER
from eic_core.formula.syntax.products import WORDS_OF_CODE
from eic_core.samples import Samples
from tests.core.formula.pasted import DECIDED, DECIDED_BY_HAND
from tests.core.formula.refusals import refusal
from tests.core.formula.test_reading import INFIX, LATEX, shape

POINTS = np.array([0.3, 1.7, 2.9, 4.1])


def value_of(formula, **columns):
    """The formula at four rows, in its own names."""
    return values(formula, Samples.from_columns(columns))


def notes_of(reading):
    return " ".join(note.message for note in reading.notes)


def offered_by(reading, **options):
    """The trees of a text's other readings."""
    return [shape(read(other.text, **options).formula) for other in reading.alternatives]


# --- an FPCore's own words -------------------------------------------------------------------

CORES = {
    # Herbie's benchmark "Trigonometry A"; the others vary its kind
    '(FPCore (e v) :name "Trigonometry A" :pre (<= 0 e 1) (/ (* e (sin v)) (+ 1 (* e (cos v)))))': (
        "e v",
        lambda e, v: e * np.sin(v) / (1 + e * np.cos(v)),
    ),
    "(FPCore (E m) (sqrt (- (* E E) (* m m))))": ("E m", lambda E, m: np.sqrt(E * E - m * m)),
    "(FPCore (pi r) (* pi (* r r)))": ("pi r", lambda pi, r: pi * r * r),
    "(FPCore (PI) (* PI 2))": ("PI", lambda PI: PI * 2),
    "(FPCore (x) (* PI (* E x)))": ("x", lambda x: math.pi * math.e * x),
    "(FPCore (e) (let ([x (* e 2)]) (+ x E)))": ("e", lambda e: 2 * e + math.e),
    "(FPCore name (M_PI M_E) (+ M_PI M_E))": ("M_PI M_E", lambda a, b: a + b),
    "(FPCore (e (! :precision binary32 E)) (- e E))": ("e E", lambda e, E: e - E),
    "(FPCore (x0 X0) (- x0 X0))": ("x0 X0", lambda a, b: a - b),
    "(FPCore (b/2 c) (* b/2 c))": ("b/2 c", lambda b, c: b * c),
}


@pytest.mark.parametrize("text", CORES)
def test_the_arguments_of_an_fpcore_win_over_constants(text):
    names, function = CORES[text]
    formula = read(text).formula
    assert set(formula.variables) <= set(names.split())
    columns = {name: POINTS * (3 - i) for i, name in enumerate(names.split())}
    used = {name: columns[name] for name in formula.variables}
    expected = np.broadcast_to(function(*columns.values()), POINTS.shape)
    assert value_of(formula, **used) == pytest.approx(expected, rel=1e-14)


OPERATIONS = {
    "+": operator.add,
    "*": operator.mul,
    "/": operator.truediv,
    "sqr": lambda x: x * x,
    "-": lambda x, y=None: -x if y is None else x - y,
    "pow": operator.pow,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
}


def evaluated(words, scope):
    """The value of an s-expression, given as its words in reverse order."""
    word = words.pop()
    if word != "(":
        return scope[word] if word in scope else float(Fraction(word))
    head, args = words.pop(), []
    while words[-1] != ")":
        args.append(evaluated(words, scope))
    words.pop()
    return OPERATIONS[head](*args)


@pytest.mark.outside
def test_herbies_published_cases_have_the_values_that_they_state(shared):
    with (shared / "data" / "herbie_28.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 28
    for row in rows:
        names = row["variables"].split()
        text = row["formula_fpcore"]
        formula = read(f"(FPCore ({' '.join(names)}) {text})").formula
        assert set(formula.variables) == set(names), text
        scope = {name: POINTS + 3 * i for i, name in enumerate(names)}
        words = re.findall(r"[()]|[^\s()]+", text)[::-1]
        with np.errstate(all="ignore"):
            expected = evaluated(words, scope)
        found = value_of(formula, **scope)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True), text
        if all(name.isidentifier() for name in names):  # b/2 is a name only where it is declared
            assert read(text).formula.structure() == formula.structure(), f"bare {text}"


PRECONDITIONS = {
    "(<= 1 x 10)": {"x": (1, 10)},
    "(< 0 x 1e3)": {"x": (0, 1000)},
    "(and (<= 0 x 1) (< -2.5 y 1/2))": {"x": (0, 1), "y": (-2.5, 0.5)},
    "(and (> x 1) (< x 4) (>= 3 y 2))": {"x": (1, 4), "y": (2, 3)},
    "(and (<= 1 x) (and (<= x 5) (<= x 9)))": {"x": (1, 5)},
    "(<= 0 x y 1)": {"x": (0, 1), "y": (0, 1)},
    "(< (fabs x) 2)": {"x": (-2, 2)},
    "(<= (- 1) x PI)": {"x": (-1, math.pi)},
    "(> x 0)": {},
    "(or (< 1 x 2) (< 3 x 4))": {},
    "(<= 5 x 1)": {},
    "(<= 1 z 2)": {},
    "TRUE": {},
    "(< 1e999 x 2)": {},
}


@pytest.mark.parametrize(("condition", "ranges"), PRECONDITIONS.items())
def test_a_precondition_gives_the_ranges_it_states(condition, ranges):
    reading = read(f"(FPCore (x y) :pre {condition} (+ x y))")
    assert {name: (low, high) for name, low, high in reading.domain} == ranges
    assert ("`:pre` gives the range" in notes_of(reading)) == bool(ranges)


def test_arguments_win_over_constants_in_a_precondition():
    reading = read("(FPCore (E pi) :pre (and (< 0 E 1) (< 1 pi PI)) (* E pi))")
    assert reading.domain == (("E", 0, 1), ("pi", 1, math.pi))


@pytest.mark.parametrize("condition", ["(and (<= 1 x 2) (< x y))", "(> x 0)", "(!= x 0)"])
def test_what_is_no_range_in_a_precondition_is_said_to_be_lost(condition):
    assert "is not kept" in notes_of(read(f"(FPCore (x y) :pre {condition} (+ x y))"))


# --- E ---------------------------------------------------------------------------------------

IS_EULER = {
    "E^(-x)": "exp(neg(x))",
    "E**(-x/2)": "exp(div(neg(x), #2))",
    "1/(1 + E^(2*x))": "div(#1, add(#1, exp(mul(#2, x))))",
    "E^x": "exp(x)",
    "E^{-x}": "exp(neg(x))",
    "2.71828182845905*D*(cos(log(D)**2) + E)**4": "mul(mul(#2.71828182845905, D), power<4>(add(cos(power<2>(log(D))), #e)))",  # noqa: E501
    "Symbol('y') + E": "add(y, #e)",
    "x1 + E": "add(x1, #e)",
}


@pytest.mark.parametrize(("text", "tree"), IS_EULER.items())
def test_a_text_that_shows_that_E_is_eulers_number_is_read_so_and_it_is_said(text, tree):
    reading = read(text)
    assert shape(reading.formula) == tree
    assert "`E` is read as Euler's number" in notes_of(reading)
    (other,) = [o for o in reading.alternatives if o.label == "a variable called E"]
    assert "E" in read(other.text).formula.variables


@pytest.mark.parametrize("syntax", ["sympy", "sympy_x1", "udsr", "dso"])
def test_the_notation_settles_E(syntax):
    assert shape(read("D + E", syntax=syntax).formula) == "add(D, #e)"


@pytest.mark.parametrize("text", ["E*c**2", "sqrt(E**2 - m**2)", "E + A"])
def test_without_a_sign_of_euler_E_is_a_variable_and_the_other_reading_is_offered(text):
    reading = read(text)
    assert "E" in reading.formula.variables
    assert "`E` is read as a variable" in notes_of(reading)
    (other,) = reading.alternatives
    assert "E" not in read(other.text).formula.variables


@pytest.mark.parametrize(
    ("text", "columns"),
    [("E^(-x)", ("E", "x")), ("f(E, x) = E^(-x)", ()), ("(FPCore (E x) (pow E (- x)))", ())],
)
def test_a_column_or_an_argument_called_E_is_itself(text, columns):
    reading = read(text, columns=columns)
    assert shape(reading.formula) == "pow(E, neg(x))"
    assert "Euler" not in notes_of(reading) and not reading.alternatives


# --- products without a sign ---------------------------------------------------------------------

PRODUCTS = {
    # text: what is shown back
    "2x": "2*x",
    "2 x": "2*x",
    "2x(x+1)": "2*x*(x+1)",
    "3 sin(x)": "3*sin(x)",
    "x y": "x*y",
    "x y^2 z": "x*y^2*z",
    "-2x^2": "-2*x^2",
    "x²y": "x²*y",
    "2√x": "2*√x",
    "2|x|": "2*|x|",
    "(x+1)y": "(x+1)*y",
    "sin(x)cos(x)": "sin(x)*cos(x)",
    "2pi r": "2*pi*r",
    "4/3 pi r^3": "4/3*pi*r^3",
    "x₁x₂": "x₁*x₂",
    "m₁m₂/r²": "m₁*m₂/r²",
    "2 x_1 x_2": "2*x_1*x_2",
    "G m1 m2/r^2": "G*m1*m2/r^2",
    "rho g h": "rho*g*h",
    "max(2x, 3y)": "max(2*x, 3*y)",
    "100x - 99x": "100*x - 99*x",
    # as `*`
    "1/2x": "1/2*x",
    "x/2y": "x/2*y",
    "x^2y": "x^2*y",
    "-x y": "-x*y",
    # words with a π
    "πr²": "π*r²",
    "2πr": "2*π*r",
    "α_1 β_2": "α_1*β_2",
    "c_p ΔT": "c_p*ΔT",
    "μ_0 I/2πr": "μ_0*I/2*π*r",
}

WORDS_BY_HAND = {
    "a/bc": "a/(b*c)",
    "mc^2": "m*c^2",
    "4ac": "4*a*c",
    "sqrt(b^2-4ac)": "sqrt(b^2-4*a*c)",
    "ax^2+bx+c": "a*x^2+b*x+c",
    "nRT": "n*R*T",
    "1/mc^2": "1/(m*c^2)",
    "hc/kT": "h*c/(k*T)",
    "e^kt": "e^(k*t)",
    "ae^-kt": "a*e^-(k*t)",
    "1/2mv^2": "1/2*m*v^2",
    "αβ": "α*β",
    "x1x2 + x3": "x1*x2 + x3",
    "q1q2/r^2": "q1*q2/r^2",
    "mΔv": "m*Δv",
    "A sin(ωt)": "A*sin(ω*t)",
}


@pytest.mark.parametrize(("text", "written"), PRODUCTS.items())
def test_a_product_without_a_sign_is_read_like_the_text_that_it_is_shown_back_as(text, written):
    reading = read(text)
    assert f"read as `{written}`" in notes_of(reading)
    assert read(written).formula.structure() == reading.formula.structure()


@pytest.mark.parametrize(("text", "written"), WORDS_BY_HAND.items())
def test_a_word_is_a_product_by_hand_or_of_columns_and_else_one_name_with_the_product_offered(
    text, written
):
    product = read(written).formula
    for settled in ({"syntax": "hand"}, {"columns": product.variables}):
        reading = read(text, **settled)
        assert f"read as `{written}`" in notes_of(reading)
        assert reading.formula.structure() == product.structure()
    plain = read(text)
    assert plain.formula.structure() != product.structure()
    assert "is read as one variable" in notes_of(plain)
    assert shape(product) in offered_by(plain)


def test_what_the_offered_product_of_letters_says_is_the_language_written_by_hand():
    by_hand = read("mc^2", syntax="hand")
    assert by_hand.policy == Policy(WordRule.PRODUCT)
    assert shape(by_hand.formula) == shape(read("mc^2", policy=by_hand.policy).formula)
    assert shape(by_hand.formula) == shape(read(read("mc^2").alternatives[0].text).formula)


@pytest.mark.parametrize(
    ("syntax", "text", "offered", "tree"),
    [
        ("auto", "E=mc^2", "E=m*c^2", "mul(m, power<2>(c))"),
        ("auto", "f(x) = mc^2 x", "f(x) = m*c^2*x", "mul(mul(m, power<2>(c)), x)"),
        ("auto", "mc = 2mc", "mc = 2*m*c", "mul(mul(#2, m), c)"),
        ("auto", "d/dx*2", "f(d, dx) = d/dx*2", "mul(div(d, dx), #2)"),
        ("auto", "dy/dx", "f(dy, dx) = dy/dx", "div(dy, dx)"),
        ("auto", "x*x // half", "x*x", "mul(x, x)"),
        # the one name, where a word was a product
        ("hand", "E=mc^2", "E(mc) = mc^2", "power<2>(mc)"),
        ("hand", "f(x) = mc^2 x", "f(mc, x) = mc^2 x", "mul(power<2>(mc), x)"),
        ("hand", "mc = 2mc", "f(mc) = 2mc", "mul(#2, mc)"),
    ],
)
def test_what_else_may_be_meant_is_offered_in_the_words_of_the_text(syntax, text, offered, tree):
    try:
        others = {other.text for other in read(text, syntax=syntax).alternatives}
    except FormulaError as error:
        others = {other for _, other in error.choices}
    assert offered in others
    assert shape(read(offered).formula) == tree


@pytest.mark.parametrize(
    ("text", "columns", "tree"),
    [
        ("d/dx", ("d", "dx"), "div(d, dx)"),
        (r"\frac{dy}{dx}", ("dy", "dx"), "div(dy, dx)"),
        (r"\frac{d}{dx}", ("d", "x"), "div(d, mul(d, x))"),
        (r"\mathrm{d} x", ("d", "x"), "mul(d, x)"),
        ("NA*x", ("NA", "x"), "mul(NA, x)"),
        ("f(NA) = 2*NA", (), "mul(#2, NA)"),
        ("NAN + x", ("NAN", "x"), "add(NAN, x)"),
        ("case + when", ("case", "when"), "add(case, when)"),
        ("E^(I*x)", ("I", "x"), "exp(mul(I, x))"),
    ],
)
def test_a_column_or_an_argument_is_itself_whatever_else_it_could_mean(text, columns, tree):
    reading = read(text, columns=columns)
    assert shape(reading.formula) == tree
    assert "imaginary" not in notes_of(reading)


def test_the_head_of_an_equation_is_no_part_of_its_product():
    reading = read("E=mc^2", columns=["m", "c"])
    assert shape(reading.formula) == "mul(m, power<2>(c))"
    assert offered_by(reading) == ["power<2>(mc)"]


OTHERS = {
    "1/2x": "div(#1, mul(#2, x))",
    "h/2pi": "div(h, mul(#2, #pi))",
    "a/b(c+d)": "div(a, mul(b, add(c, d)))",
    "(a)/(b)(c)": "div(a, mul(b, c))",
    "e^2x": "exp(mul(#2, x))",
    "x^2y": "pow(x, mul(#2, y))",
    "Bx^2+By^2": "add(mul(B, power<2>(x)), mul(B, power<2>(y)))",
    "vx^2+vy^2": "add(mul(v, power<2>(x)), mul(v, power<2>(y)))",
    "mom/2": "div(mul(mul(m, o), m), #2)",
    "sinx/x": "div(sin(x), x)",
    "sqrt2": "sqrt(#2)",
    "Asin(wt)": "mul(A, sin(wt))",
    "x/2y": "div(x, mul(#2, y))",
    "2sin^-1(x)": "mul(#2, power<-1>(sin(x)))",
    "sin^-1(x)^2": "power<2>(power<-1>(sin(x)))",
    "2cos⁻¹(sin^(-1)(x))": "mul(#2, power<-1>(cos(power<-1>(sin(x)))))",
}

OTHERS_BY_HAND = {
    "mc^2": "power<2>(mc)",
    "1/mc^2": "mul(div(#1, m), power<2>(c))",
    "e^kt": "mul(exp(k), t)",
    "a/bc": "mul(div(a, b), c)",
}


@pytest.mark.parametrize(
    ("syntax", "text", "tree"),
    [("auto", *each) for each in OTHERS.items()]
    + [("hand", *each) for each in OTHERS_BY_HAND.items()],
)
def test_the_other_reading_of_a_product_is_one_click_away(syntax, text, tree):
    reading = read(text, syntax=syntax)
    assert shape(reading.formula) != tree
    assert tree in offered_by(reading)


@pytest.mark.parametrize(
    ("text", "columns", "variables"),
    [
        ("mc^2", ("mc",), ("mc",)),
        ("mc^2", ("m", "c"), ("m", "c")),
        ("mc^2", ("x0", "x1"), ("mc",)),
        ("mom*Bx", (), ("mom", "Bx")),
        ("mc**2", (), ("mc",)),
        ("2·ab", (), ("ab",)),
        ("mu/xi + nu", (), ("mu", "xi", "nu")),
        ("f(mc) = 2mc", (), ("mc",)),
        (r"f(mc, \theta_{1}) = \theta_1 mc", (), ("theta_1", "mc")),
        (r"f(e, x_{1}) = e x_1", (), ("e", "x1")),
        ("mass/volume", (), ("mass", "volume")),
        ("x1 + ab", (), ("x1", "ab")),
        ("Δx/Δt", (), ("Deltax", "Deltat")),
    ],
)
def test_names_that_something_speaks_for_stay_whole(text, columns, variables):
    assert read(text, columns=columns).formula.variables == variables


@pytest.mark.parametrize("syntax", ["pysr", "operon", "sympy", "tir", "bingo"])
def test_the_names_that_a_tool_prints_are_whole(syntax):
    assert read("mc^2", syntax=syntax).formula.variables == ("mc",)


WORDS = st.one_of(
    st.text("abcdkmnpqrtuvwxyzABCDKMNT", min_size=2, max_size=4),
    st.lists(
        st.sampled_from(["x1", "q_2", "v0", "k", "ω", "π", "Δv", "T"]), min_size=2, max_size=3
    ).map("".join),
).filter(
    lambda word: (
        word.lower() not in FUNCTIONS.keys() | NOT_A_NUMBER and word not in WORDS_OF_CODE | MISSING
    )
)
SURROUNDINGS = [
    "{}", "{}*g", "g*{}", "2{}", "{}**2 + g", "{}^2", "g + {}^2*h", "{} + x_5", "x[5] - {}", "{}/h",
    "g/{}", "g h + {}", "h·g + {}", "sin({})*g", "np.exp(-{})", "√({})", "{}x + {}y", "f = {}",
    "A*exp(-g*h) + {}", "({} + 1)*(g - 1)", "g^{} + 3*h", "{}g*2 + {}h",
]  # fmt: skip


@given(
    WORDS,
    st.sampled_from(SURROUNDINGS),
    st.sampled_from([WordRule.GIVEN, WordRule.PRODUCT]),
    st.data(),
)
def test_what_a_word_is_depends_on_no_sign_and_no_name_elsewhere(word, around, words, data):
    letters = sorted({*word} | {"g", "h"})
    columns = data.draw(st.lists(st.sampled_from([word, *letters]), unique=True))
    policy = Policy(words)
    alone = set(read(word, columns=columns, policy=policy).formula.variables)
    text = around.replace("{}x", "{} x").replace("{}y", "{} y").replace("{}g", "{} g")
    text = text.replace("{}h", "{} h").format(word, word)
    try:
        names = set(read(text, columns=columns, policy=policy).formula.variables)
    except FormulaError as question:  # two names side by side
        assert question.choices
        return
    assert names - {"g", "h", "x", "y", "A", "x5"} == alone - {"g", "h", "x", "y", "A", "x5"}


@pytest.mark.parametrize("word", ["mc", "kBT", "x1x2", "ωt", "v0t", "k_BT", "pix"])
@pytest.mark.parametrize("around", ["{}", "2*{}", "{}**2", "x[5]*{}", "mom + {}"])
def test_a_word_is_one_name_unless_all_its_letters_are_given(word, around):
    text = around.format(word)
    (name,) = set(read(text).formula.variables) - {"x5", "mom"}
    assert name == word.replace("ω", "omega")
    factors = {"k_BT": ["k_B", "T"], "x1x2": ["x1", "x2"], "v0t": ["v0", "t"], "pix": ["x"]}.get(
        word, [*word]
    )
    product = read(text, columns=factors).formula.variables
    assert set(product) - {"x5", "mom"} == set(factors)
    assert name in read(text, columns=[*factors, name]).formula.variables
    assert name in read(text, columns=factors[1:]).formula.variables or word == "pix"


def test_arguments_and_ranges_are_given_names():
    assert shape(read("f(m, c) = mc^2").formula) == "mul(m, power<2>(c))"
    assert shape(read("f(mc, m, c) = mc^2").formula) == "power<2>(mc)"
    assert shape(read("f(m) = mc^2").formula) == "power<2>(mc)"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("atan2(im, re)", "atan2(im, re)"),
        ("hypot(re, im)", "hypot(re, im)"),
        ("fma(ab, cd, ef)", "fma(ab, cd, ef)"),
        ("pow(kT, 2)", "power<2>(kT)"),
        ("def f(e): return e + 1", "add(e, #1)"),
        ("lambda e: e*2", "mul(e, #2)"),
        ("lambda e, pi: atan2(e, pi)", "atan2(e, pi)"),
        ("def f(e, x):\n    return np.hypot(e, x)", "hypot(e, x)"),
    ],
)
def test_the_arguments_of_programs_functions_are_names(text, tree):
    assert shape(read(text).formula) == tree


@pytest.mark.parametrize("function", ["atan2", "hypot", "pow", "fmod"])
@pytest.mark.parametrize("names", ["im re", "kT mg", "ab v0t", "e x", "re pi"])
def test_what_is_written_for_numpy_reads_back_as_the_same_formula(function, names):
    formula = read(f"(FPCore ({names}) ({function} {names}))").formula
    copy = copied(formula, "numpy")
    again = read(copy.program).formula
    renamed = dict(copy.renamed)
    assert again.variables == tuple(renamed.get(name, name) for name in formula.variables)
    assert [node.operator for node in again.nodes] == [node.operator for node in formula.nodes]


def test_letters_of_a_mathematical_alphabet_are_symbols_each():
    assert shape(read("𝐸 = 𝑚𝑐²").formula) == "mul(m, power<2>(c))"
    assert shape(read("𝑚𝑐² + mass*3").formula) == "add(mul(m, power<2>(c)), mul(mass, #3))"
    assert shape(read("𝑠𝑖𝑛(𝑥)*𝑘𝑇").formula) == "mul(mul(sin(x), k), T)"
    assert shape(read("𝑚𝑐²", columns=["mc"]).formula) == "power<2>(mc)"


LETTER = st.sampled_from("abcdkmnpqrtuvwxyz")
FACTOR = st.tuples(LETTER, st.sampled_from(["", "^2", "^3", "²"])).map("".join)
MONOMIAL = st.tuples(
    st.sampled_from(["", "2", "3.5", "10"]), st.lists(FACTOR, min_size=1, max_size=4)
)


@given(st.lists(MONOMIAL, min_size=1, max_size=4), st.sampled_from([" ", "  "]))
def test_sums_of_monomials_are_read_alike_with_signs_and_without(monomials, blank):
    explicit = " + ".join("*".join([p for p in (c, *fs) if p]) for c, fs in monomials)
    implicit = " + ".join(c + blank.join(fs) for c, fs in monomials)
    expected = read(f"f({','.join('abcdkmnpqrtuvwxyz')}) = {explicit}").formula
    assert read(implicit).formula.structure() == expected.structure()


# --- names that look alike ----------------------------------------------------------------------

STEMS = st.sampled_from(["theta", "θ", "x", "X", "m", "M", "alpha", "α", "v", "E", "speed", "log"])
INDICES = st.sampled_from(["", "1", "_1", "₁", "0", "_0", "₀", "_n", "ₙ", "n", "_max", "12", "_12"])
NAME = st.tuples(STEMS, INDICES).map("".join).filter(lambda name: name != "log")


@given(NAME, NAME)
def test_no_two_variables_of_a_text_are_typeset_alike(one, other):
    _assert_typeset_apart(read(f"{one} + {other}*1").formula)


@given(st.lists(NAME, min_size=2, max_size=5, unique=True))
def test_no_two_columns_are_typeset_alike(columns):
    formula = read(" + ".join(columns), columns=columns).formula
    _assert_typeset_apart(formula)
    assert set(formula.variables) <= {*columns} | {"x0", "x1", "x12"}


def test_a_column_beside_two_that_look_alike_is_called_as_the_table_calls_it():
    formula = read("x1 + x_1*X0", columns=["x1", "x_1", "X_0"]).formula
    assert formula.variables == ("x1", "x_1", "X_0")
    columns = {name: POINTS + i for i, name in enumerate(formula.variables)}
    expected = POINTS + (POINTS + 1) * (POINTS + 2)
    assert value_of(formula, **columns) == pytest.approx(expected)


def _assert_typeset_apart(formula):
    leaves = [node.id for node in formula if node.operator == "variable"]
    for first, second in itertools.combinations(leaves, 2):
        same = formula.nodes[first].label == formula.nodes[second].label
        for write in (to_latex, short_text, to_mathml):
            assert (write(formula, first) == write(formula, second)) == same
    again = read(to_python(formula), columns=formula.variables).formula
    assert again.structure() == formula.structure()


@pytest.mark.parametrize(
    ("text", "columns", "variables"),
    [
        ("θ₁ + θ_1", (), ("theta₁",)),
        ("theta1 + θ_1", (), ("theta1",)),
        ("m1 + m_1 + m₁", (), ("m1",)),
        ("m_1 + m₁", ("m1",), ("m1",)),
        ("m1 + m_1", ("m1", "m_1"), ("m1", "m_1")),
        ("x0 + X0", (), ("x0", "X0")),
        ("x_0*X_0 + X[1]", (), ("x0", "X0", "X1")),
        ("X0 + x_1", (), ("x0", "x1")),
        ("X0 + X_0 + x1", (), ("x0", "x1")),
        ("X_0 + x_0", ("x0", "X0"), ("X0", "x0")),
        ("X_0", ("x0", "X0"), ("X0",)),
        ("ħ + hbar", (), ("hbar",)),
        ("µ + μ + mu", (), ("mu",)),
    ],
)
def test_spellings_of_one_variable_are_one_and_others_are_not(text, columns, variables):
    assert read(text, columns=columns).formula.variables == variables


def test_a_variable_e_is_told_from_a_power_of_eulers_number():
    assert "e^{" not in to_latex(read("(FPCore (e x) (+ e (exp x)))").formula)


# --- equations and separators -------------------------------------------------------------------

EQUATIONS = {
    "sin(x) = y": ["sin(x)", "y"],
    "x + y = z": ["x + y", "z"],
    r"\sin(x) = y": [r"\sin(x)", "y"],
    r"\log x = 2y": [r"\log x", "2y"],
    "2*y = x": ["2*y", "x"],
    "|x| = y": ["|x|", "y"],
    "exp(x) = 1 + x": ["exp(x)", "1 + x"],
    "E = m*c^2 = h*f": ["m*c^2", "h*f"],
    "x^2 + y^2 = ": ["x^2 + y^2"],
}


@pytest.mark.parametrize(("text", "sides"), EQUATIONS.items())
def test_an_equation_asks_which_side_is_meant(text, sides):
    error = refusal(text)
    assert "equation" in str(error) and [side for _, side in error.choices] == sides
    for side in sides:
        read(side)


@pytest.mark.parametrize("text", ["y = x", "f(x) = x", "gamma(v) := v", r"\hat{y} = x", "y ~ x"])
def test_a_definition_is_read(text):
    assert read(text).formula.complexity == 1


@pytest.mark.parametrize(
    "text", ["x $ 2", "x $ + 2", "$x$ $y$", r"\alpha & 2", r"x \\ \alpha", "x & 2", "x @ 2"]
)
def test_what_separates_is_no_product(text):
    refusal(text)


@pytest.mark.parametrize("text", ["$x^2$", "$$x^2$$", r"\[ x^2 \]", "y = $x^2$."])
def test_dollars_around_a_formula_are_left_out(text):
    assert shape(read(text).formula) == "power<2>(x)"


# --- the base of a logarithm --------------------------------------------------------------------

X, B = 7.0, 3.0
LOGARITHMS = [
    # text, notation, NumPy's value at x = 7, b = 3, whether it is said
    ("log(x, 2)", "auto", np.log2(X), True),
    ("log(2, x)", "auto", np.log2(X), True),
    ("log(x, b)", "auto", np.log(X) / np.log(B), True),
    ("log(x + 1, 10)", "auto", np.log10(X + 1), True),
    ("log(10, x + 1)", "auto", np.log10(X + 1), True),
    ("log(2, 8)", "auto", np.log(2) / np.log(8), True),
    ("math.log(2, x)", "auto", np.log(2) / np.log(X), False),
    ("math.log(x, 2)", "auto", np.log2(X), False),
    ("log(2, x)", "sympy", np.log(2) / np.log(X), False),
    ("log(x, 2)", "sympy", np.log2(X), False),
    ("log(2, x)", "pysr", np.log2(X), False),
    ("log(b, x)", "pysr", np.log(X) / np.log(B), False),
    ("log(2, x)", "infix", np.log2(X), True),
]


@pytest.mark.parametrize(("text", "syntax", "value", "said"), LOGARITHMS)
def test_the_base_of_a_logarithm_is_the_one_that_the_notation_means(text, syntax, value, said):
    reading = read(text, syntax=syntax)
    columns = {name: [{"x": X, "b": B}[name]] for name in reading.formula.variables}
    assert value_of(reading.formula, **(columns or {"x": [X]})) == pytest.approx(value, rel=1e-14)
    assert ("to the base" in notes_of(reading)) == said
    if said:
        (other,) = reading.alternatives
        swapped = value_of(read(other.text).formula, **(columns or {"x": [X]}))
        assert swapped == pytest.approx(1 / value, rel=1e-14)


# --- gplearn ------------------------------------------------------------------------------------


def protected_sqrt(x):  # gplearn/functions.py
    return np.sqrt(np.abs(x))


def protected_log(x):  # gplearn/functions.py
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(x) > 0.001, np.log(np.abs(x)), 0.0)


def protected_div(a, b):  # gplearn/functions.py
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(b) > 0.001, np.divide(a, b), 1.0)


def protected_inv(x):  # gplearn/functions.py
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.abs(x) > 0.001, 1.0 / x, 0.0)


GPLEARN = {
    "div": protected_div,
    "inv": protected_inv,
    "log": protected_log,
    "sqrt": protected_sqrt,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "neg": np.negative,
    "abs": np.abs,
    "sin": np.sin,
    "max": np.maximum,
}


@pytest.mark.parametrize(
    "text",
    [
        "div(X0, log(X1))",
        "div(X0, X1)",
        "inv(X0)",
        "add(inv(X0), log(abs(X1)))",
        "div(div(X0, X1), div(X1, X0))",
        "mul(sqrt(neg(X1)), log(-0.5))",
        "log(log(X0))",
        "inv(sub(X0, X1))",
        "div(sqrt(X0), log(sub(X1, X0)))",
        "div(X0, -0.0005)",
        "max(div(-2.5, X0), inv(sin(X1)))",
    ],
)
def test_gplearn_is_read_as_it_computes_and_the_plain_functions_are_offered(text):
    reading = read(text, syntax="gplearn")
    near = [0.0, 1e-3, -1e-3, 9e-4, 1.1e-3, -1.1e-3, 0.5, 1.0, -2.0, 1.001]
    x0, x1 = (axis.ravel() for axis in np.meshgrid(near, near))

    def value(formula):
        columns = {"x0": x0, "x1": x1}
        given = {name: columns[name] for name in formula.variables}
        return np.broadcast_to(value_of(formula, **given), x0.shape)

    computed = eval(text, {}, GPLEARN | {"X0": x0, "X1": x1})  # noqa: S307
    assert value(reading.formula) == pytest.approx(np.broadcast_to(computed, x0.shape), rel=1e-12)
    (other,) = reading.alternatives
    assert other.label == "the plain functions, not gplearn's"
    plainly = read(text, syntax="gplearn_plain")
    for syntax in ("auto", "gplearn"):  # the offer asks nothing anew
        offered = read(other.text, syntax=syntax)
        assert not offered.protected
        assert value(offered.formula) == pytest.approx(value(plainly.formula), nan_ok=True)


def test_the_plain_functions_of_a_long_formula_are_offered_too():
    text = "X0"
    for _ in range(20):
        text = f"div({text}, {text})"[:900_000] if len(text) < 400 else f"log({text})"
    (other,) = read(text, syntax="gplearn").alternatives
    assert len(other.text) < 2 * len(text)


def test_gplearns_protected_functions_are_noted():
    text = "div(sqrt(X0), log(sub(X1, X0)))"
    for syntax in ("auto", "gplearn"):
        reading = read(text, syntax=syntax)
        assert reading.syntax == "gplearn" and reading.index_base == 0
        assert shape(reading.formula) == "gp_div(sqrt(abs(x0)), gp_log(sub(x1, x0)))"
        assert reading.protected == ("sqrt", "log", "div")
        said = notes_of(reading)
        assert "as gplearn computes" in said
        assert "sqrt(abs(x))" in said and "log(abs(x))" in said and "abs(b) ≤ 0.001" in said
        (other,) = reading.alternatives
        assert other.text == "divide(np.sqrt(X0), ln(sub(X1, X0)))"


@pytest.mark.parametrize(
    "text", ["add(X0, X1)", "sin(cos(X0))", "log(X0)", "div(X0, X1) + 1", "div(x, y)", "sqrt(x0)"]
)
def test_where_gplearn_does_not_differ_or_did_not_write_nothing_is_said(text):
    assert "as gplearn computes" not in notes_of(read(text))


# --- elements ------------------------------------------------------------------------------------

ELEMENTS = {
    "x(1) + x(2)": ({"x1", "x2"}, 1),
    "x(0) + x(1)": ({"x0", "x1"}, 0),
    "p(1)*t + p(2)": ({"p1", "p2", "t"}, 1),
    "f(x) = x(1)*x(12)": ({"x1", "x12"}, 1),
    "2x(1)": ({"x1"}, 1),
}


@pytest.mark.parametrize(("text", "meant"), ELEMENTS.items())
def test_a_whole_number_in_parentheses_is_an_index_and_a_product_is_offered(text, meant):
    reading = read(text)
    assert (set(reading.formula.variables), reading.index_base) == meant
    assert "an element of" in notes_of(reading)
    offered = next(a.text for a in reading.alternatives if "as the product" in a.label)
    assert not any(name[-1].isdigit() for name in read(offered).formula.variables)


@pytest.mark.parametrize("text", ["x(2) + x", "x(2)*x(y + 1)", "pi(2)", "x(2.5)"])
def test_a_name_that_stands_by_itself_as_well_is_a_factor(text):
    assert "an element of" not in notes_of(read(text))
    assert not any(name[-1].isdigit() for name in read(text).formula.variables)


def test_a_column_before_a_number_in_parentheses_is_a_factor():
    assert set(read("x(1) + y", columns=("x", "y")).formula.variables) == {"x", "y"}


# --- hints --------------------------------------------------------------------------------------

REFUSED = [
    "2 sin x",
    "sin 2x",
    "sin x cos x",
    "ln x^2",
    "cos x + 1",
    "xsin(x)",
    "sinus(x)",
    "1+lg(x)",
    "x 2",
    "(x+1)2",
    "mass velocity",
    "foo bar baz",
    "2 return x",
    "x in y",
    "let x",
    "x[i]",
    "x{2}",
    "f(x)",
    "g(x, y)",
    "x*(y+1",
    "((x",
    "(+ x (* y 2)",
    "x\u200b+1",
    "x\u200b+lg(1)",
    "3j",
    "2i + x",
    "x == 2",
    "x + y = z",
    "foo(x)",
    "logarithm(x)",
    "sqtr(x)",
    "arcsine(x) + lg(x)",
    "2 x + 3 4",
    "x y 2",
    "sin(x) = lg(y)",
    "two words here",
    "sin",
    "x ++ ",
    "1.5.x",
    "squareroot(2x",
    "lg(2x)",
    "lg x",
    "sin^2(x) + cos^2(x)",
    "sin²x^3",
    "2 cos^2 x",
    "sin^2",
    "sin^-1 x",
    "sinθ",
    "y sin^2 x",
    "n₁sinθ₁/n₂",
    "0x1F.8",
    "0b101",
    "0o17",
    "1_000_x",
    "2 0x10",
    r"f(x)\cdot\alpha",
    r"\frac{a}{b",
    "ab(x)",
    "for x in y",
    "x $ 2",
    "double x",
    "cosine 2x",
]


@pytest.mark.parametrize("text", REFUSED)
def test_every_text_that_a_refusal_proposes_can_be_read(text):
    error = refusal(text)
    for other in [error.replacement, *(choice for _, choice in error.choices)]:
        assert other is None or other != text and read(other)


MEANT = {
    "sin 2x": "sin(2x)",
    "x̄*2 + 1": "x_bar*2 + 1",
    "v⃗ + 1": "v_vec + 1",
    "W = mg sin θ": "W = mg sin(θ)",
    "xy sin z": "xy sin(z)",
    "log of x": "log(x)",
    "2 exp of x + 1": "2 exp(x) + 1",
    "square root of x": "sqrt(x)",
    "x plus y": "x + y",
    "x times y": "x * y",
    "y equals x + 1": "y = x + 1",
    "x squared": "x^2",
    "qvBsin(θ)": None,
    "rdivide(x, y)": None,
    "isqrt(x)": None,
    "2*|x": "2*|x|",
    "2 sin x": "2 sin(x)",
    "sin x cos x": "sin(x) cos(x)",
    "lg x": "log10(x)",
    "sinθ": "sin(θ)",
    "n₁sinθ₁/n₂": "n₁sin(θ₁)/n₂",
    "sin^2(x) + cos^2(x)": "sin(x)^2 + cos(x)^2",
    "sin²x^3": "sin(x^3)²",
    "2 cos^2 x": "2 cos(x)^2",
    "1_000_x": None,
    "Aᵀ + x": None,
    "5º": None,
    "x + ⁻ˣ": None,
    "e⁻ˣ²": None,
    "ln 2x + 1": "ln(2x) + 1",
    "xsin(x)": "x sin(x)",
    "x\u200b+lg(1)": "x+log10(1)",
    "let x": None,
    "2 return x": None,
    "0b101": None,
    "for x in y": None,
    "f(x)+1": None,
    "f(x) g(x)": None,
    r"f(x)\cdot\alpha": None,
    "sn(x+1)": None,
    "kT(x, y+1)": None,
    "Σ(x-μ)²/N": None,
    "Σx²/n": None,
    "Σ x²": None,
    "Π(x)": None,
    r"\mathrm{sin}(x) = \frac{a}{b}": None,
    "class M(nn.Module):\n    def forward(self, x):\n        return x*2": None,
    ">>> sympy.simplify(expr)\nx**2/(x + 1)": None,
}


@pytest.mark.parametrize(("text", "meant"), MEANT.items())
def test_a_correction_is_what_was_likely_meant(text, meant):
    error = refusal(text)
    assert error.replacement == meant
    assert "return*" not in str(error) and "if*" not in str(error)


SOUP = st.lists(
    st.sampled_from(
        "x y 2 3.5 sin( cos log( ( ) * ^ + - / = E pi mc kT Bx θ₁ π sqrt return if | , ² √".split()
        + [" "] * 8
    ),
    max_size=9,
).map("".join)


@given(SOUP)
def test_whatever_is_proposed_can_be_read(text):
    try:
        reading = read(text)
    except FormulaError as error:
        for other in [error.replacement, *[text for _, text in error.choices]]:
            if other is not None:
                read(other)
        return
    for other in reading.alternatives:
        read(other.text)
    if "read as `" in notes_of(reading):
        written = notes_of(reading).partition("read as `")[2].partition("`")[0]
        declared = f"f({', '.join(reading.formula.variables) or 'x'}) = "
        again = read(declared + written).formula
        assert again.structure() == reading.formula.structure()


@pytest.mark.parametrize(
    "text", [*INFIX, *LATEX, *PRODUCTS, *OTHERS, *IS_EULER, *CORES, *[t for t, *_ in LOGARITHMS]]
)
def test_every_other_reading_can_be_read_and_is_another(text):
    syntax = "latex" if text in LATEX else "auto"
    reading = read(text, syntax=syntax)
    for other in reading.alternatives:
        again = read(other.text, syntax=syntax if "\\" in other.text else "auto").formula
        assert again.structure() != reading.formula.structure(), other


# --- what a text leaves open is decided, said, and the other reading offered ----------------------


@pytest.mark.parametrize(
    ("text", "columns", "words", "tree", "note", "other"),
    [(text, columns.split(), None, *rest) for text, columns, *rest in DECIDED]
    + [(text, [], WordRule.PRODUCT, *rest) for text, *rest in DECIDED_BY_HAND],
)
def test_what_was_decided_is_said_and_the_other_reading_is_one_click_away(
    text, columns, words, tree, note, other
):
    reading = read(text, columns=columns, policy=words and Policy(words))
    assert shape(reading.formula) == tree
    assert note in notes_of(reading)
    offered = offered_by(reading, columns=columns)
    assert tree not in offered
    assert other in offered if other else not offered


ASKED = {
    "x => 1": {"greater_equal(x, #1)", "#1"},
    "(x) => 1": {"greater_equal(x, #1)", "#1"},
    "x => 2*y;": {"greater_equal(x, mul(#2, y))", "mul(#2, y)"},
    "- mass velocity": {"mul(neg(mass), velocity)", "neg(mass_velocity)", "sub(mass, velocity)"},
    "y = - x 2": {"mul(neg(x), #2)", "neg(power<2>(x))"},
    "sin x (y+1)": {"sin(mul(x, add(y, #1)))", "mul(sin(x), add(y, #1))"},
    "log 2 x": {"log(mul(#2, x))", "mul(log(#2), x)"},
    "sin x y + cos x y": {
        "add(sin(mul(x, y)), cos(mul(x, y)))",
        "add(mul(sin(x), y), mul(cos(x), y))",
    },
    "cot^-1(x)": {"atan(div(#1, x))", "power<-1>(cot(x))"},
    "sec^-1 x": {"acos(div(#1, x))", "power<-1>(sec(x))"},
    "log^-1(x)": {"power<-1>(log(x))"},
    "y = mg velocity": {"mul(mg, velocity)", "mg_velocity"},
    "1/mc velocity": {"mul(div(#1, mc), velocity)", "div(#1, mc_velocity)"},
    "1//2*x": {"mul(div(#1, #2), x)", "mul(floor(div(#1, #2)), x)"},
    "7  1.1e-02  3.4e-01  (x0*2.0)+cos(x1)": {"add(mul(x0, #2.0), cos(x1))"},
    "11 0.25 x0 + x1": {"add(x0, x1)"},
    "2 3 x": set(),
    "x %/% 2": set(),
    "x ?? 1": set(),
    "0:0.1:10": set(),
    "x, y = symbols('x y')": set(),
    "hypot(1,5, 2,5)": set(),
    "x | y": set(),
    "a + b | c": set(),
    "x || y": set(),
    "y ~ x | z": set(),
    "x += 1": set(),
    "y *= 2": set(),
    "x >= 1 => y": set(),
    "the square root of x": set(),
    "x divided by y": set(),
    "class A: pass": set(),
    "x.__class__": set(),
    "mul x1": set(),
    "integral of x": set(),
    # several formulas
    "x + y, x - y": {"add(x, y)", "sub(x, y)"},
    "max(x, y), [x, y][0]*2, 1.5*x": {"max(x, y)", "mul(#1.5, x)"},
    "f = sin(#1); g = #1 + #2": {"sin(x1)", "add(x1, x2)"},
    "y=2x+1\ny=3x+2": {"add(mul(#2, x), #1)", "add(mul(#3, x), #2)"},
    "u = x*x\nv = u + k\nw = 2*u": {"add(mul(x, x), k)", "mul(#2, mul(x, x))"},
    "def g(x):\n    return x**2\n\ndef f(x):\n    return x + 1": {"power<2>(x)", "add(x, #1)"},
}
"""Texts of which nobody knows what they mean, and the trees to choose from."""


@pytest.mark.parametrize(("text", "trees"), ASKED.items())
def test_what_is_not_clear_is_asked_and_every_meaning_can_be_chosen(text, trees):
    error = refusal(text)
    assert {shape(read(chosen).formula) for _, chosen in error.choices} == trees
    assert error.replacement is None


MIXED = (
    r"3\tfrac12",
    r"x \cdot 3\frac{1}{2} + 1",
    "<math><mi>x</mi><mo>*</mo><mn>3</mn><mfrac><mn>1</mn><mn>2</mn></mfrac></math>",
)


@pytest.mark.parametrize("text", MIXED)
def test_a_whole_number_before_a_fraction_is_asked_about(text):
    error = refusal(text)
    assert "may be a sum or a product" in str(error)
    (_, first), (_, second) = error.choices
    assert "add(#3, div(#1, #2))" in shape(read(first).formula)
    assert "add(#3" not in shape(read(second).formula)


def test_functions_that_call_each_other_cannot_grow_without_bound():
    lines = ["def f0(x): return x*x"]
    lines += [f"def f{k}(x): return f{k - 1}(f{k - 1}(x))" for k in range(1, 30)]
    assert "nodes" in str(refusal("\n".join(lines)))


NO_OTHER_FUNCTION = (
    "arcctg floor_divide swish gelu erfinv rect foo inverse rcos asqrt sint exp1 mix sort"
)


@pytest.mark.parametrize("name", NO_OTHER_FUNCTION.split())
def test_no_click_makes_another_function_of_one_that_is_not_known(name):
    error = refusal(f"{name}(x0)")
    assert error.replacement is None and not error.choices


@pytest.mark.parametrize(
    ("slip", "meant"), [("sqtr", "sqrt"), ("arcsn", "asin"), ("coss", "cos"), ("tahn", "tanh")]
)
def test_a_plain_misspelling_is_mended_with_a_click(slip, meant):
    assert shape(read(refusal(f"{slip}(x0)").replacement).formula) == f"{meant}(x0)"


@pytest.mark.parametrize("text", ["gamma(2)*x", "3*gamma(2) + x", "3 gamma(2)"])
def test_a_function_of_a_whole_number_is_no_element(text):
    assert "gamma(#2)" in shape(read(text).formula)
