"""Expressions of SymPy, in and out: the trees that SymPy computes by, with all digits."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from eic_core.engine.values import values
from eic_core.errors import FormulaError, UserError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.syntax.sympy_trees import sympy_text, to_sympy
from eic_core.formula.tree import Draft, Formula, Node, constant, variable
from eic_core.measure import Samples, inspect
from eic_core.operators import OPERATORS
from tests.core.formula.refusals import refusal
from tests.effort import cases

x, y, z = sp.symbols("x y z")
SAMPLES = Samples.from_columns(
    {"x": [0.3, 1.7, 4.2, 9.1], "y": [0.6, 2.9, 0.11, 5.3], "z": [1.3, 0.4, 7.7, 2.2]}
)


FORTY = "0.1234567890123456789012345678901234567891*x"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x**2 + x + 1, "x**2 + x + 1"),
        ((1 - sp.cos(x)) / x**2, "(1 - cos(x))/x**2"),
        (-x * y, "-x*y"),
        (-2 * x + y - 3, "-2*x + y - 3"),
        (-2 * x / 3, "-2*x/3"),
        (2 * x / (3 * y * z), "2*x/(3*y*z)"),
        (1 / sp.sqrt(x), "1/sqrt(x)"),
        (x + sp.Rational(1, 3), "x + Rational(1, 3)"),
        ((x + 1) ** sp.Rational(5, 2), "(x + 1)**(5/2)"),
        (sp.pi * sp.E * x, "E*pi*x"),
        (sp.Float(0.1 + 0.2) * x, "0.30000000000000004*x"),
        (sp.Float("0.1234567890123456789012345", 25) * x, "0.1234567890123456789012345*x"),
        (sp.Float("0.1234567890123456789012345678901234567891", 40) * x, FORTY),
        (sp.Float("1e-400") * x, "1e-400*x"),
        (sp.Float("-2.5e-400"), "-2.5e-400"),
        (sp.log(x, 10), "log(x)/log(10)"),
        (sp.Max(x, 2), "Max(2, x)"),
        (
            sp.Piecewise((x, x < 1), (x**2, True)),
            "Piecewise((x, x < 1), (x**2, True))",
        ),
        (sp.Mul(-1, x * y, evaluate=False), "-(x*y)"),
        (sp.Add(x, 1, sp.Mul(-1, x), evaluate=False), "x + 1 - x"),
        (sp.UnevaluatedExpr(x + 1) - x, "-x + (x + 1)"),
    ],
)
def test_an_expression_is_read_as_sympy_computes_it(expression, text) -> None:
    assert sympy_text(expression) == text
    assert read(expression).formula.structure() == read(text, syntax="sympy").formula.structure()


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (sp.I * x, "ImaginaryUnit is no formula"),
        (sp.oo, "Infinity is no formula"),
        (sp.nan, "NaN is no formula"),
        (sp.Function("f")(x), "`f` is a function without a definition"),
        (sp.Integral(x, x), "Integral is no formula"),
        (sp.besselj(0, x), "unknown function `besselj`"),
        (sp.Matrix([x]), "MutableDenseMatrix is no formula"),
        (sp.Symbol("x 1") + 1, "cannot have the variable `x 1`"),
        (sp.Symbol("x_1") + sp.Symbol("x1"), "are one variable"),
        (sp.Symbol("x", positive=True) + x, "are one variable"),
        (sp.true, "`true` stands where"),
    ],
)
def test_what_is_no_formula_of_numbers_is_refused_clearly(expression, reason) -> None:
    refusal(expression, match=reason)


def test_what_is_neither_a_text_nor_an_expression_is_refused() -> None:
    with pytest.raises(UserError, match="a text or an expression of SymPy, not int"):
        read(5)


@pytest.mark.parametrize("name", ["pi", "E", "lambda", "I", "gamma"])
def test_a_symbol_is_a_variable_whatever_its_name_means_elsewhere(name: str) -> None:
    assert read(sp.Symbol(name) * 2).formula.variables == (name,)


@pytest.mark.parametrize(
    "text",
    """x+1-x|1-cos(x)|x**-1|1/x|x**-2|x**0.5|sqrt(x)|x**2.5|x**2.37|-x|-(x*y)|-x*y|(x-y)-z|x-(y-z)
    x/(y/z)|log10(x)|log2(x)|x if x < 1 else y|expm1(x)|log1p(x)|hypot(x,y)|2*3|1/3|0.1
    1e-400*x|-2.5*x|x*-2|x+-2|floor(x)|mod(x,y)|x - x|0*x|1*x|x*1|0.1234567890123456789*x
    pi*e*x|exp(exp(x))|atan2(y,x)|-2""".replace("\n", "|").split("|"),
)
def test_a_tree_comes_back_from_sympy_as_it_was(text: str) -> None:
    formula = read(text).formula
    assert read(to_sympy(formula)).formula.structure() == formula.structure()


_UNARY = "neg sqrt exp log sin cos atan tanh abs log1p expm1".split()
_BINARY = "add sub mul div pow".split()


def _powers(part: Draft) -> st.SearchStrategy[Draft]:
    exponents = st.sampled_from([-3, -2, -1, 2, 3, 0.5, 1.5, -0.5]).map(
        lambda number: read(f"x**({number})").formula.root.parameter
    )
    return exponents.map(lambda exponent: Draft("power", [part], parameter=exponent))


def _more(parts: st.SearchStrategy[Draft]) -> st.SearchStrategy[Draft]:
    return st.one_of(
        st.builds(lambda name, part: Draft(name, [part]), st.sampled_from(_UNARY), parts),
        st.builds(lambda name, a, b: Draft(name, [a, b]), st.sampled_from(_BINARY), parts, parts),
        parts.flatmap(_powers),
    )


_LEAVES = st.one_of(
    st.sampled_from("xyz").map(variable),
    st.sampled_from("2 3 0.1 2.50 1e-3 pi 123456.789012345678901".split()).map(constant),
)


def is_literal(node: Node, nodes: Sequence[Node]) -> bool:
    """Whether an exponent is a number, which the reader makes a part of its operator."""
    return all(nodes[k].operator in ("constant", "neg", "div") for k in (node.id, *node.children))


@settings(max_examples=cases(60, 2_000), deadline=None)
@given(st.recursive(_LEAVES, _more, max_leaves=10))
def test_a_tree_comes_back_with_its_values_and_its_loss(draft: Draft) -> None:
    """All but the order of two terms or factors, which changes no digit."""
    formula = Formula.from_draft(draft)
    nodes = formula.nodes  # SymPy's sum of a and -b is its difference of a and b
    assume(not any(n[1] == "add" and "neg" in {nodes[k][1] for k in n[2]} for n in nodes))
    assume(not any(n[1] == "pow" and is_literal(nodes[n[2][1]], nodes) for n in nodes))
    back = read(to_sympy(formula)).formula
    note(f"{to_python(formula)} -> {back.source}")
    np.testing.assert_array_equal(values(back, SAMPLES), values(formula, SAMPLES))
    if "sub" in {n.operator for n in nodes}:
        return  # SymPy may print the negative term first, with a sign that is a step
    before, after = inspect(formula, SAMPLES), inspect(back, SAMPLES)
    assert sorted(n.local_eic for n in before.nodes) == pytest.approx(
        sorted(n.local_eic for n in after.nodes), nan_ok=True
    )


@pytest.mark.parametrize("evaluate", [False, True])
@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_has_its_value_in_sympy_or_is_refused(name: str, evaluate: bool) -> None:
    row = OPERATORS[name]
    operands = [variable("x"), variable("y"), variable("z")][: row.arity or 3]
    if row.chooses:
        operands[0] = Draft("less_than", [variable("x"), variable("y")])
    if row.truth and not row.compares:
        operands = [Draft("less_than", [a, variable("z")]) for a in operands]
    parameter = Fraction(3) if row.needs_parameter else None
    formula = Formula.from_draft(Draft(name, operands, parameter=parameter))
    try:
        expression = to_sympy(formula, evaluate=evaluate)
    except FormulaError as error:
        assert name in ("fma", "round", "remainder") or "_" in name
        assert error.hint
        return
    columns = {"x": [0.4, -0.3], "y": [0.7, 0.2], "z": [0.6, 0.9]}
    samples = Samples.from_columns(columns)
    for row_number, expected in enumerate(values(formula, samples)):
        point = {symbol: columns[str(symbol)][row_number] for symbol in expression.free_symbols}
        value = expression.subs(point)
        if value in (sp.true, sp.false):
            assert bool(value) == bool(expected)
        elif np.isfinite(expected) and name != "lgamma":  # SymPy's is complex below 0
            assert complex(value.doit()) == pytest.approx(expected, rel=1e-12), (name, point)
