"""Writing a tree and reading it back gives the same tree; labels and LaTeX are well formed."""

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.formula.rendering import node_texts, short_text, to_latex, to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.operators import OPERATORS
from eic_core.operators.writing import ADD, AND, APPLY, ATOM, IF, MUL, NEG, NOT, OR, POW, RELATE
from tests.effort import examples

BINARY = tuple(name for name, row in OPERATORS.items() if row.numeric and row.arity == 2)
NARY = ("min", "max")
EXACT = ("power", "root")
UNARY = tuple(
    name for name, row in OPERATORS.items() if row.numeric and row.arity == 1 and name not in EXACT
)
RELATIONS = tuple(n for n, row in OPERATORS.items() if row.compares)

LEVELS = (IF, OR, AND, NOT, RELATE, ADD, MUL, NEG, APPLY, POW, ATOM)

numbers = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 1000, places=3, allow_nan=False).map(str),
    st.tuples(st.integers(1, 99), st.integers(-300, 300)).map(lambda t: f"{t[0]}e{t[1]}"),
)
constants = st.one_of(
    numbers,
    numbers.map("-".__add__),
    st.sampled_from(["pi", "e", "0", "-0.000", "2", "-1", "0.5"]),
    st.tuples(st.integers(-9, 9), st.integers(1, 9)).map(lambda t: f"{t[0]}/{t[1]}"),
).map(constant)
variables = st.sampled_from(["x0", "x12", "theta", "E_n", "omega_0", "y", "lambda", "m₁"]).map(
    variable
)
exponents = st.integers(-9, 9).map(lambda n: Fraction(n, 2))
bases = st.fractions(Fraction(1, 9), 20, max_denominator=9).filter(lambda b: b != 1)


def larger(trees):
    return st.one_of(
        st.tuples(st.sampled_from(BINARY), trees, trees).map(lambda t: Draft(t[0], [t[1], t[2]])),
        st.tuples(st.sampled_from(NARY), st.lists(trees, min_size=2, max_size=4)).map(
            lambda t: Draft(t[0], t[1])
        ),
        st.tuples(st.sampled_from(UNARY), trees).map(lambda t: Draft(t[0], [t[1]])),
        st.tuples(exponents, trees).map(lambda t: Draft("power", [t[1]], parameter=t[0])),
        st.tuples(st.integers(2, 9), trees).map(
            lambda t: Draft("root", [t[1]], parameter=Fraction(t[0]))
        ),
        st.tuples(bases, trees).map(lambda t: Draft("log", [t[1]], parameter=t[0])),
        st.tuples(truths(trees), trees, trees).map(lambda t: Draft("conditional", list(t))),
        truths(trees),
    )


def truths(trees):
    tree = st.none().flatmap(lambda _: trees)  # `st.recursive` writes out its base: megabytes
    compared = st.tuples(st.sampled_from(RELATIONS), tree, tree).map(
        lambda t: Draft(t[0], [t[1], t[2]])
    )
    return st.recursive(
        compared,
        lambda below: st.one_of(
            st.tuples(st.sampled_from(("logical_and", "logical_or")), below, below).map(
                lambda t: Draft(t[0], [t[1], t[2]])
            ),
            below.map(lambda inner: Draft("logical_not", [inner])),
        ),
        max_leaves=3,
    )


formulas = st.recursive(st.one_of(variables, constants), larger, max_leaves=14).map(
    Formula.from_draft
)


@settings(max_examples=examples(500), deadline=None)
@given(formulas)
def test_python_text_reads_back_to_the_identical_structure(formula):
    assert read(to_python(formula)).formula.structure() == formula.structure()


@settings(max_examples=examples(200), deadline=None)
@given(formulas)
def test_every_subtree_is_written_as_it_stands_in_the_whole(formula):
    for node in formula:
        part = formula.subtree(node.id)
        assert to_python(formula, node.id) == to_python(part)
        assert short_text(formula, node.id) == short_text(part) == node_texts(formula)[node.id]


@settings(max_examples=examples(200), deadline=None)
@given(formulas)
def test_latex_braces_and_delimiters_balance_with_decoration_too(formula):
    seen = []

    def boxed(node, text):
        seen.append(node.id)
        return rf"\colorbox{{red}}{{${text}$}}"

    for text in (to_latex(formula), to_latex(formula, decorate=boxed)):
        assert text.count("{") == text.count("}")
        assert text.count(r"\left") == text.count(r"\right")
    assert sorted(seen) == list(range(len(formula)))


@settings(max_examples=examples(200), deadline=None)
@given(formulas, st.integers(4, 60))
def test_labels_keep_to_their_limit_their_brackets_and_their_last_operation(formula, limit):
    whole = node_texts(formula, limit=100_000)
    for node, full, cut in zip(formula, whole, node_texts(formula, limit), strict=True):
        assert len(cut) <= limit
        assert cut == short_text(formula, node.id, limit)
        if cut == full:
            continue
        if limit < 24 or not node.children:
            assert cut.endswith("…") and full.startswith(cut[:-1])
        else:
            assert "…" in cut and all(cut.count(a) == cut.count(b) for a, b in ("()", "⌊⌋", "⌈⌉"))


@pytest.mark.parametrize(
    "text",
    [
        "1.0003*x**8+0.9991*x**7+1.002*x**6+0.9987*x**5+1.0001*x**4+x**3+0.99999*x**2+x",
        "-20*exp(-0.2*sqrt((x**2+y**2)/2))-exp((cos(2*pi*x)+cos(2*pi*y))/2)+e+20",
    ],
)
@pytest.mark.parametrize("limit", [37, 56])
def test_sums_that_begin_alike_are_told_apart(text, limit):
    formula = read(text).formula
    labels = dict(zip(node_texts(formula, 1_000), node_texts(formula, limit), strict=True))
    assert len(set(labels.values())) == len(labels)


@settings(max_examples=examples(300), deadline=None)
@given(formulas)
def test_no_minus_stands_next_to_another_sign(formula):
    for text in (to_python(formula), to_latex(formula), short_text(formula, limit=100_000)):
        assert not re.search(r"(?:[-−+*/·]|\\cdot)\s*[-−]", text.replace("**", "^"))


def forms(row):
    """Every form that a row can be written in."""
    w = row.writing
    given = (w.with_parameter, w.of_number, w.compact, w.explicit, *w.by_parameter.values())
    return [row.form, *(form for form in given if form is not None)]


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_form_shows_all_operands_and_the_parameter_in_every_notation(name):
    row = OPERATORS[name]
    for form in forms(row):
        fixed = form in row.writing.by_parameter.values()  # its base stands in the text
        for template in form[:4]:
            slots = set(re.findall(r"<([0-9*p])(?::[0-9]+)?>", template))
            operands = {"*"} if "*" in slots else {str(i) for i in range(row.arity)}
            shown = row.needs_parameter or (form == row.writing.with_parameter and not fixed)
            assert slots == operands | ({"p"} if shown else set()), template
        assert form.precedence in LEVELS and form.latex_precedence in LEVELS


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_every_name_of_an_operator_builds_it_and_its_sign_is_short(name):
    row = OPERATORS[name]
    joins = row.truth and not row.compares  # `&` and `|`: what a call of them takes, readers know
    assert (row.names or joins) and len(set(row.names)) == len(row.names)
    assert 0 < len(row.form.sign.replace("<^>", "")) <= 6
    operands = ", ".join("xyz"[: row.arity or 3])
    for called in row.names:
        written = f"{called}({operands}{', 3' if row.needs_parameter else ''})"
        assert read(written).formula.root.operator == name, written


def test_no_two_operators_share_a_name():
    names = [called for row in OPERATORS.values() for called in row.names]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("x_0**2", "{x_{0}}^{2}"),
        ("1.5e-7*x", r"1.5\times 10^{-7} \cdot x"),
        ("-1/theta", r"\frac{-1}{\theta}"),
        ("sqrt(x)/cbrt(y)", r"\frac{\sqrt{x}}{\sqrt[3]{y}}"),
        ("exp(-x)", "e^{-x}"),
        ("log(x, 3)", r"\log_{3}\left(x\right)"),
        ("abs(speed)", r"\left|\mathrm{speed}\right|"),
        ("x*(-y)", r"x \cdot \left(-y\right)"),
        ("x - (y - z)", r"x - \left(y - z\right)"),
        ("2517 - -4.108*gnp", r"2517 - \left(-4.108 \cdot \mathrm{gnp}\right)"),
        ("x + -2*y/3", r"x + \frac{-2 \cdot y}{3}"),
        ("x + -2*y*z", r"x + \left(-2 \cdot y \cdot z\right)"),
        ("x * -2", r"x \cdot \left(-2\right)"),
        ("-2*x - -3", r"-2 \cdot x - \left(-3\right)"),
        ("x - -1/3", r"x - \frac{-1}{3}"),
        ("pi*e", r"\pi \cdot \mathrm{e}"),
        ("2*sigma_den", r"2 \cdot \sigma_{\mathrm{den}}"),
    ],
)
def test_latex_is_what_a_textbook_prints(text, latex):
    assert to_latex(read(text).formula) == latex


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("10000*x_1 - 9999*x_1", "10000·x₁ − 9999·x₁"),
        ("sqrt(abs(x))*theta**-2", "√|x|·θ⁻²"),
        ("x**0.5 + log10(y)", "x^(1/2) + log₁₀(y)"),
    ],
)
def test_labels_are_compact(text, label):
    assert short_text(read(text).formula, limit=60) == label


@pytest.mark.parametrize(
    "name", [r"\href{javascript:1}{x}", "a}b", "$x$", "x^2", "50%", "<b>", "a\nb"]
)
def test_a_column_name_cannot_inject_latex(name):
    text = to_latex(Formula.from_draft(variable(name)))
    inner = text.removeprefix(r"\mathrm{").removesuffix("}")
    assert not set(re.sub(r"\\[_#$%&]", "", inner)) & set("\\{}$^%<>&#\n")


def test_the_number_pi_beside_a_variable_of_that_name_reads_back() -> None:
    formula = read("π*pi + pi/2", columns=("pi",)).formula
    assert to_python(formula) == "π*pi + pi/2"
    again = read(to_python(formula), columns=formula.variables).formula
    assert again.structure() == formula.structure()
