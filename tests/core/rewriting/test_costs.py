"""What forms cost: nanoseconds a call, from a table of measured operators."""

import pytest

from eic_core.formula.syntax import read
from eic_core.operators import ROWS
from eic_core.rewriting.costs import TABLE, Nanoseconds, nanoseconds
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
