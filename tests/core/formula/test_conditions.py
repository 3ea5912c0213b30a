"""Conditions in every notation: one meaning, and what is no condition is refused with its place."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from eic_core.engine.values import values
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.syntax import read
from eic_core.samples import Samples
from tests.core.formula.refusals import refusal

GRID = np.array(list(itertools.product((-2.0, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0), repeat=2)))
X, Y = GRID.T
SAMPLES = Samples.from_columns({"x": X, "y": Y})
NAN = np.nan


def computed(text: str, syntax: str = "auto") -> np.ndarray:
    """Values on the grid, whatever the text calls its variables."""
    formula = read(text, syntax=syntax).formula
    columns = {
        name: {"0": X, "1": Y}.get(name[-1], X if name in "xaA" else Y)
        for name in formula.variables
    }
    found = values(formula, Samples.from_columns(columns, count=len(X)))
    assert found is not None
    return found


ABS = np.where(X > 0, X, -X)
BAND = np.where((X > 0) & (X <= 1), X, Y)
THREE = np.where(X < 0, 1.0, np.where(X < 1, Y, 3.0))
SPELLINGS: tuple[tuple[str, np.ndarray], ...] = (
    ("where(x > 0, x, -x)", ABS),
    ("np.where(x > 0, x, -x)", ABS),
    ("x if x > 0 else -x", ABS),
    ("x > 0 ? x : -x", ABS),
    ("ifelse(x > 0, x, -x)", ABS),
    ("IF(x>0; x; -x)", ABS),
    ("if(x > 0, x, -x)", ABS),
    ("Piecewise((x, x > 0), (-x, True))", ABS),
    ("sp.Piecewise((x, Gt(x, 0)), (-x, Le(x, 0)))", ABS),
    ("(if (> x 0) x (- x))", ABS),
    ("(FPCore (x) (if (> x 0) x (- x)))", ABS),
    (r"\begin{cases} x & \text{if } x > 0 \\ -x & \text{otherwise} \end{cases}", ABS),
    (r"f(x) = \begin{cases} x, & x > 0, \\ -x, & x \leq 0. \end{cases}", ABS),
    (r"\begin{cases} x & \text{for}\: x > 0 \\- x & \text{otherwise} \end{cases}", ABS),
    (r"\left(\begin{cases} x & x > 0 \\ -x \end{cases}\right)", ABS),
    (r"\left\{\begin{array}{ll} x & x > 0 \\ -x & \mbox{otherwise} \end{array}\right.", ABS),
    (r"2 + \left\{\begin{aligned} x &, x>0 \\ -x &, x\leq 0\end{aligned}\right. - 2", ABS),
    ("cond(x0, x0) + cond(-x0, -x0)", ABS),
    ("(x > 0)*x - (x <= 0)*x", ABS),
    ("where(x > 0 and 1 >= x, x, y)", BAND),
    ("where((x > 0) & (x <= 1), x, y)", BAND),
    ("where(x > 0 & x <= 1, x, y)", BAND),
    ("x > 0 && x <= 1 ? x : y", BAND),
    ("x if 0 < x <= 1 else y", BAND),
    ("where(And(x > 0, x <= 1), x, y)", BAND),
    ("where(np.logical_and(x > 0, x <= 1), x, y)", BAND),
    ("where(not (x <= 0 or x > 1), x, y)", BAND),
    ("where(~((x <= 0) | (x > 1)), x, y)", BAND),
    ("where(!(x <= 0 || x > 1), x, y)", BAND),
    ("where(not x <= 0 and not x > 1, x, y)", BAND),
    ("(if (and (< 0 x) (not (> x 1))) x y)", BAND),
    ("(if (< 0 x 1.0000001) x y)", BAND),
    (r"\begin{cases} x & 0 < x \land x \le 1 \\ y & \text{else} \end{cases}", BAND),
    (r"\begin{cases} x & 0 < x \text{ and } x \le 1 \\ y & \text{else} \end{cases}", BAND),
    ("1 if x < 0 else y if x < 1 else 3", THREE),
    ("x < 0 ? 1 : x < 1 ? y : 3", THREE),
    ("x >= 0 ? x < 1 ? y : 3 : 1", THREE),
    ("Piecewise((1, x < 0), (y, x < 1), (3, True))", THREE),
    (r"\begin{cases} 1 & x < 0 \\ y & x < 1 \\ 3 & \text{otherwise} \end{cases}", THREE),
    ("where(x < 0, 1, where(x < 1, y, 3))", THREE),
    ("Piecewise((sqrt(x), x >= 0))", np.where(X >= 0, np.sqrt(np.abs(X)), NAN)),
    ("where(x >= 0, sqrt(x), np.nan)", np.where(X >= 0, np.sqrt(np.abs(X)), NAN)),
    ("(if (>= x 0) (sqrt x) NAN)", np.where(X >= 0, np.sqrt(np.abs(X)), NAN)),
    ("heaviside(x, 2)", np.heaviside(X, 2.0)),
    ("Heaviside(x)", np.heaviside(X, 0.5)),
    ("greater(x0, x1)", (X > Y) * 1.0),
    ("logical_or(x0, x1)", ((X > 0) | (Y > 0)) * 1.0),
    ("logical_and(x0, x1)", ((X > 0) & (Y > 0)) * 1.0),
    ("np.logical_or(x, y)", ((X != 0) | (Y != 0)) * 1.0),
    ("where(x, y, 1)", np.where(X != 0, Y, 1)),
    ("where(x == 0, y, 1)", np.where(X == 0, Y, 1)),
    ("IF(x=0; y; 1)", np.where(X == 0, Y, 1)),
    ("IF(x<>0; 1; y)", np.where(X == 0, Y, 1)),
    ("where(not (x = 0), 1, y)", np.where(X == 0, Y, 1)),
    ("where(x != y, x, 7)", np.where(X != Y, X, 7)),
    ("x && y", ((X != 0) & (Y != 0)) * 1.0),
    ("x > 0 || y", ((X > 0) | (Y != 0)) * 1.0),
    ("(x > y) + 2*(x < y)", (X > Y) + 2.0 * (X < Y)),
    ("2*(x > y)**2", 2.0 * (X > Y)),
    ("x + 1 if x > y else x - 1", np.where(X > Y, X + 1, X - 1)),
    ("x + (1 if x > y else -1)", np.where(X > Y, X + 1, X - 1)),
    ("2 * (x if x > y else y) + 1", 2 * np.maximum(X, Y) + 1),
    (
        r"2 \begin{cases} x & x > y \\ y & \text{otherwise} \end{cases} + 1",
        2 * np.maximum(X, Y) + 1,
    ),
    ("|x| < 1 ? |y| : 2", np.where(np.abs(X) < 1, np.abs(Y), 2)),
    ("where(|x| < 1, |y|, 2)", np.where(np.abs(X) < 1, np.abs(Y), 2)),
    ("x<-1 ? 1 : 2", np.where(X < -1, 1, 2)),
    ("x ≥ y ? 1 : 2", np.where(X >= Y, 1, 2)),
    ("where less x y 1 2", np.where(X < Y, 1, 2)),
)


@pytest.mark.parametrize(("text", "expected"), SPELLINGS)
def test_every_spelling_has_numpys_values(text: str, expected: np.ndarray) -> None:
    np.testing.assert_allclose(computed(text), expected.astype(float))


@pytest.mark.parametrize("text", [text for text, _ in SPELLINGS])
def test_what_is_written_out_reads_back_as_the_same_tree(text: str) -> None:
    formula = read(text).formula
    assert read(to_python(formula)).formula.structure() == formula.structure()
    assert read(to_latex(formula)).formula.structure() == formula.structure()


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("where(x > 0, log(x), 0)", 7),
        ("greater(x0, x1)", 3),
        ("(x > y)*x", 5),
        ("cond(x0, x1)", 6),
        ("0 < x < 1", 7),
        ("Piecewise((x, x > 0), (1, True))", 6),
    ],
)
def test_every_operator_and_leaf_is_a_node_as_written(text: str, nodes: int) -> None:
    assert read(text).formula.complexity == nodes


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("(x > 0)*y", "`x > 0` counts 1 where it holds, else 0"),
        ("where(x, 1, y)", "`x` is a condition: it holds where it is not 0"),
        ("where(x > 0, nan, y)", "`nan` marks rows without a value"),
    ],
)
def test_what_is_taken_for_a_condition_or_a_number_is_said(text: str, note: str) -> None:
    assert note in [n.message for n in read(text).notes]


def test_plain_conditions_need_no_note() -> None:
    assert read("where(0 < x < 1, x, y)").notes == ()


@pytest.mark.parametrize(
    ("text", "span", "message"),
    [
        ("x if y > 0", (2, 10), "this choice has no other branch"),
        ("x > 0 ? 1", (6, 9), "this choice has no other branch"),
        ("x > 0 ? 1 : ", (10, 11), "missing operand after `:`"),
        ("x : 2", (2, 3), "`:` has no condition before it"),
        ("x == 2", (2, 4), "equation"),
        ("x > ", (2, 3), "missing operand after `>`"),
        ("< 2", (0, 1), "no meaning in a formula"),
        ("x + nan", (4, 7), "not a real number"),
        ("where(x > nan, 1, 2)", (10, 13), "not a real number"),
        ("where(x > 0, 1 + nan, 2)", (17, 20), "not a real number"),
        ("where(True, x, y)", (6, 10), "no condition can always or never hold"),
        ("x + True", (4, 8), "no condition can always or never hold"),
        ("where(x > 0, 1)", (0, 15), "takes 3 arguments"),
        ("Piecewise(x, x > 0)", (0, 19), "a list of pairs"),
        ("min((x, y), 2)", (6, 7), "unexpected `,`"),
        ("Piecewise((x, y > 0, 3))", (10, 23), "takes 2 arguments"),
        ("where(x = 0)", (0, 12), "takes 3 arguments"),
        ("x = y = 2", (6, 7), "equation"),
        (r"\begin{array} x \end{array}", (0, 13), "is not read"),
        (r"\begin{cases} & x > 0 \\ 1 \end{cases}", (14, 15), "missing operand"),
        (r"\max x \le 1", (0, 6), "takes 2 or more arguments"),
        ("(if (< x 0) 1)", (0, 14), "2 operands"),
        ("x & 2", (2, 3), "`&` has no meaning"),
        ("x && y !", (7, 8), "factorials"),
    ],
)
def test_a_mistake_in_a_condition_is_named_with_its_place(
    text: str, span: tuple[int, int], message: str
) -> None:
    error = refusal(text)
    assert message in str(error)
    assert error.span == span


@pytest.mark.parametrize("text", ["le + or", "not_x + if_y", "x*where", "gt*ne", "cond + less"])
def test_words_of_conditions_are_names_where_nothing_calls_them(text: str) -> None:
    assert len(read(text).formula.variables) == 2


@pytest.mark.parametrize("name", ["if", "and", "or", "not", "else", "where", "True", "nan"])
def test_columns_win_over_words_of_conditions(name: str) -> None:
    assert read(f"x + {name}", columns=("x", name)).formula.variables == ("x", name)
