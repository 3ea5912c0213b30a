"""What forms cost: nanoseconds a call, from a table of measured operators."""

import numpy as np
import pytest

from eic_core.formula.syntax import read
from eic_core.operators import ROWS, Operator, registered
from eic_core.operators.row import always, call
from eic_core.rewriting.costs import OTHER, TABLE, Nanoseconds, nanoseconds
from eic_core.rewriting.terms import Terms


def cost(text: str) -> Nanoseconds:
    terms = Terms()
    return nanoseconds(terms, terms.add(read(text).formula))


def test_every_operator_has_a_cost() -> None:
    assert {row.name for row in ROWS} <= TABLE.keys()
    assert all(0 < each.numpy < 1000 and 0 < each.c < 1000 for each in TABLE.values())


def test_what_occurs_twice_is_computed_once() -> None:
    once, twice = cost("exp(x + 1)"), cost("exp(x + 1)*exp(x + 1)")
    assert twice.c - once.c == pytest.approx(TABLE["mul"].c)
    assert twice.numpy - once.numpy == pytest.approx(TABLE["mul"].numpy)


@pytest.mark.parametrize("text", ["x", "2", "pi", "sqrt(2)/3"])
def test_inputs_and_what_has_none_cost_nothing(text: str) -> None:
    assert cost(text) == (0, 0)


def test_a_square_is_a_product_and_a_cube_a_power() -> None:
    assert cost("x**2").c < cost("x**3").c / 10
    assert cost("log(x, 10)") == TABLE["log:10"]
    assert cost("log(x, 3)") == TABLE["log"]


def test_the_least_of_three_takes_two_comparisons() -> None:
    assert cost("min(x, y, z)").c == 2 * TABLE["min"].c


def test_simple_algebra_costs_less_than_functions() -> None:
    assert cost("c*sqrt(E*(E + 2*m))/(E + m)").c < cost("c*sqrt(-expm1(2*log1p(-E/(E + m))))").c


def test_an_operator_that_somebody_registers_has_a_cost_too() -> None:
    twice = Operator("twice", 1, call(np.negative), lambda B, a, p: -a[0],
                     lambda B, a, y, p: (-1.0,), fixed=always(1.0))  # fmt: skip
    with registered(twice):
        assert cost("twice(x)") == OTHER


def test_numpy_computes_every_branch_and_c_the_one_that_is_taken() -> None:
    choice, condition = cost("where(x < 1, exp(x), sin(x))"), TABLE["less_than"]
    assert choice.numpy == pytest.approx(
        sum(TABLE[name].numpy for name in ("exp", "sin", "less_than", "conditional"))
    )
    mean = (TABLE["exp"].c + TABLE["sin"].c) / 2
    assert choice.c == pytest.approx(condition.c + TABLE["conditional"].c + mean)


def test_the_cost_in_c_is_by_the_shares_of_the_branches() -> None:
    terms = Terms()
    root = terms.add(read("where(x < 1, exp(x), where(x < 2, sin(x), x))").formula)
    none = nanoseconds(terms, root, [0, 0, 1]).c
    assert nanoseconds(terms, root, [1, 0, 0]).c < nanoseconds(terms, root, [0, 1, 0]).c
    assert none == pytest.approx(2 * (TABLE["less_than"].c + TABLE["conditional"].c))
    assert nanoseconds(terms, root, [2, 0, 2]).c == pytest.approx(
        (nanoseconds(terms, root, [1, 0, 0]).c + none) / 2
    )


def test_what_both_branches_share_is_computed_once() -> None:
    one, both = cost("where(x < 1, exp(x), x)"), cost("where(x < exp(x), exp(x), 2*exp(x))")
    assert both.c == pytest.approx(one.c + TABLE["exp"].c / 2 + TABLE["mul"].c / 2)
