"""Every row of the operator table against difference quotients, special points included."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from flint import arb

from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import alone
from eic_core.formula.tree import Node
from eic_core.operators import NUMPY, Operator
from eic_core.operators.balls import BALLS, working
from tests.core.measure import oracle
from tests.core.measure.trees import NUMERIC
from tests.effort import FULL

POINTS = tuple(
    map(
        float,
        "-1000.25 -37.5 -2.5 -2 -1.25 -1 -0.99 -0.5 -1e-8 0 1e-8 "
        "0.25 0.5 0.99 1 1.25 1.5 2 2.5 3 20.75 700".split(),
    )
)
FEW = {
    2: (-37.5, -2.5, -1.0, -1e-8, 0.0, 0.5, 1.0, 2.0, 2.5, 700.0),
    3: (-2.5, -1.0, 0.0, 0.5, 2.0),
}
"""Operands of two and of three in a quick run."""

PARAMETERS = {
    "power": tuple(map(Fraction, ("2", "3", "4", "-1", "-2", "0.5", "-0.5", "1.5", "0", "1"))),
    "root": tuple(map(Fraction, (2, 3, 4, 5))),
    "log": (None, Fraction(2), Fraction(10), Fraction(1, 2), Fraction(7, 2)),
}
JUMPS = {"sign", "floor", "ceil", "round"}
CASES = [
    (name, parameter) for name in sorted(NUMERIC) for parameter in PARAMETERS.get(name, (None,))
]


def points(name: str) -> list[tuple[float, ...]]:
    arity = NUMERIC[name].arity or 2
    return list(product(POINTS if FULL else FEW.get(arity, POINTS), repeat=arity))


def arrays(point: tuple[float, ...]) -> list[np.ndarray]:
    return [np.array([value]) for value in point]


BITS = 200


@cache
def exact_value(name: str, parameter: Fraction | None, point: tuple[float, ...]) -> arb | None:
    """The ball of an operator's value, or None outside the domain."""
    node = Node(0, name, tuple(range(len(point))), "", parameter, (0, 0))
    cells = {f"x{i}": value for i, value in enumerate(point)}
    sample = ExactEvaluator(alone(node), BITS).sample(cells)
    return sample.y[-1] if sample.first_invalid is None else None


def to_mp(ball: arb) -> object:
    """The midpoint of a ball as a number of the oracle."""
    if not ball.is_finite():
        return oracle.mp.mpf(float(ball))
    mantissa, exponent = ball.mid().man_exp()
    return oracle.mp.mpf(int(mantissa)) * oracle.mp.mpf(2) ** int(exponent)


def holds(ball: arb | None, truth: object) -> bool:
    return ball is not None and abs(to_mp(ball) - truth) <= abs(truth) * oracle.mp.mpf("1e-50")


@cache
def true_value(name: str, point: tuple[float, ...], parameter: Fraction | None) -> object:
    """The oracle's value, or None outside the domain."""
    try:
        return oracle.apply(name, [oracle.mp.mpf(v) for v in point], parameter)
    except oracle.NoRealValue:
        return None


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_value_is_the_operators_own_and_its_domain_is_seen(
    name: str, parameter: Fraction | None
) -> None:
    row = NUMERIC[name]
    p = row.parameter(parameter)
    with np.errstate(all="ignore"):
        for point in points(name):
            truth = true_value(name, point, parameter)
            a = arrays(point)
            value = float(row.evaluate(a, p, None)[0])
            into = np.empty(1)
            assert float(row.evaluate(a, p, into)[0]) == value or math.isnan(value)
            if truth is None:
                pole = row.pole is not None and bool(np.all(row.pole(NUMPY, a, p)))
                assert math.isnan(value) or (math.isinf(value) and pole), point
                assert exact_value(name, parameter, point) is None, point
                continue
            assert holds(exact_value(name, parameter, point), truth), point
            if abs(truth) < 1e300:
                assert value == pytest.approx(float(truth), rel=1e-13, abs=1e-300), point
            if truth == 0 and row.vanishes is not None:
                assert bool(np.all(row.vanishes(NUMPY, a, p))), point


@pytest.mark.parametrize(("name", "parameter"), [c for c in CASES if c[0] not in ("min", "max")])
def test_partials_and_condition_numbers_match_difference_quotients(
    name: str, parameter: Fraction | None
) -> None:
    row = NUMERIC[name]
    p = row.parameter(parameter)
    compared = 0
    for point in points(name):
        truth = true_value(name, point, parameter)
        if truth is None or abs(truth) > 1e300 or name == "hypot" and point == (0.0, 0.0):
            continue
        a = [oracle.mp.mpf(v) for v in point]
        y = float(truth)
        with np.errstate(all="ignore"):
            doubles = row.partials(NUMPY, arrays(point), np.array([y]), p)
            with working(220):
                balls = [arb(v) for v in point]
                exact_p = row.exact_parameter(BALLS, parameter)
                exact_slopes = row.partials(
                    BALLS, balls, exact_value(name, parameter, point), exact_p
                )
            kappas = row.kappa_squared(NUMPY, arrays(point), np.array([y]), p)
        for i, value in enumerate(point):
            scale = oracle._step_scale(name, i, a[i], oracle.ONE)
            slope = oracle.derivative(name, a, truth, parameter, i, scale)
            ours, precise = float(np.ravel(doubles[i])[0]), to_mp(arb(exact_slopes[i]))
            compared += 1
            if slope == oracle.INF:
                assert math.isinf(ours) and oracle.mp.isinf(precise), (point, i)
                continue
            if value == 0 or name == "abs":  # the absolute form takes the size only
                slope, ours, precise = abs(slope), abs(ours), abs(precise)
            # relative to the slope, or to y / y_i where it is nearly 0
            unit = max(abs(slope), abs(truth / a[i]) if value else 0)
            assert abs(precise - slope) <= oracle.mp.mpf("1e-40") * unit, (point, i)
            if abs(slope) < 1e290:
                assert abs(ours - slope) <= 1e-11 * unit + 1e-300, (point, i)
            if y != 0 and value != 0:
                kappa2 = float((slope * a[i] / truth) ** 2)
                noise = 1e-13 * (1 + math.sqrt(kappa2)) * max(1, abs(value))
                found = float(np.ravel(kappas[i])[0])
                assert found == pytest.approx(kappa2, rel=1e-9 + 3 * noise, abs=1e-9), (point, i)
    assert compared > 4


@pytest.mark.parametrize(("name", "parameter"), [c for c in CASES if c[0] not in ("min", "max")])
def test_limits_at_zeros_are_those_found_by_walking_there(
    name: str, parameter: Fraction | None
) -> None:
    row = NUMERIC[name]
    p = row.parameter(parameter)
    for point in points(name):
        if true_value(name, point, parameter) != 0:
            continue
        given = row.zero_limit(NUMPY, arrays(point), p)
        for i in range(len(point)):
            a = [oracle.mp.mpf(v) for v in point]
            walked = oracle.limit_of_condition_number(name, a, parameter, i)
            ours = abs(float(np.ravel(np.asarray(given[i], dtype=float))[0]))
            if walked is None:
                assert math.isnan(ours) or ours == 0, (point, i)
            else:
                assert ours == pytest.approx(float(walked), rel=1e-6), (point, i)


@pytest.mark.parametrize("name", sorted(JUMPS))
def test_jump_is_infinitely_steep_and_elsewhere_flat(name: str) -> None:
    row = NUMERIC[name]
    jumps = {"sign": 0.0, "floor": 3.0, "ceil": -2.0, "round": 2.5}
    for value in (jumps[name], jumps[name] + 0.25):
        slope = float(row.partials(NUMPY, [np.array([value])], np.array([0.0]), math.nan)[0][0])
        assert slope == (math.inf if value == jumps[name] else 0.0)


@pytest.mark.parametrize("name", ("min", "max"))
def test_selection_marks_every_operand_that_is_attained(name: str) -> None:
    row = NUMERIC[name]
    a = [np.array([1.0, 2.0, 5.0]), np.array([1.0, 3.0, 4.0]), np.array([1.0, 2.5, 4.0])]
    marks = np.array(row.partials(NUMPY, a, row.evaluate(a, math.nan, None), math.nan))
    expected = {"min": [[1, 1, 0], [1, 0, 1], [1, 0, 1]], "max": [[1, 0, 1], [1, 1, 0], [1, 0, 0]]}
    assert marks.tolist() == expected[name]


def test_every_row_is_complete() -> None:
    for name, row in NUMERIC.items():
        assert row.name == name
        assert row.needs_parameter == (name in ("power", "root"))
        assert row.crossing in ("", "value", "argument")
        assert row.names and row.form.sign and all(row.form[:4])
        arity = row.arity or 2
        a = [np.full(3, 0.5 + 0.1 * i) for i in range(arity)]
        if name == "acosh":
            a = [np.full(3, 1.5)]
        p = row.parameter(Fraction(3)) if row.needs_parameter else row.parameter(None)
        y = row.evaluate(a, p, None)
        assert len(row.zero_limit(NUMPY, a, p)) == len(row.partials(NUMPY, a, y, p)) == arity
        if not row.selects:
            assert len(row.kappa_squared(NUMPY, a, y, p)) == arity


def grid(row: Operator) -> tuple[list[np.ndarray], float]:
    """Ordinary operands in all combinations, and a parameter."""
    axis = np.array([-2.5, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5, float(row.edge or 0)])
    a = [values.ravel() for values in np.meshgrid(*[axis] * (row.arity or 2))]
    return a, row.parameter(Fraction(2) if row.has_parameter else None)


@pytest.mark.parametrize("name", sorted(NUMERIC))
def test_what_is_said_of_an_operator_is_whole(name: str) -> None:
    row = NUMERIC[name]
    words = row.words
    assert words.noun and words.singular and words.noun == words.noun.strip().lower()
    for clause in (words.singular, words.nearly, words.invalid, words.near and words.near.clause):
        assert not clause or (clause == clause.strip() and clause[-1] not in ".:,")
    assert not words.near or not words.near.brink or row.brink is not None
    assert not words.cancels or (row.arity == 2 and row.scales)
    # why there is no value is said of all that may have none, and of nothing else
    may_have_none = row.has_gaps or row.poles or row.needs_parameter
    powers_alone = row.power and row.needs_parameter  # they tell it by their exponent
    assert bool(words.invalid or row.has_gaps or powers_alone) == may_have_none


@pytest.mark.parametrize("name", sorted(NUMERIC))
def test_period_poles_and_order_of_operands_are_what_the_values_show(name: str) -> None:
    row = NUMERIC[name]
    a, p = grid(row)
    with np.errstate(all="ignore"):
        y = row.evaluate(a, p)
        if row.period:
            usual = np.isfinite(y) & (np.abs(y) < 100)
            shifted = row.evaluate([a[0] + row.period], p)
            np.testing.assert_allclose(shifted[usual], y[usual], atol=1e-12)
            assert not np.allclose(row.evaluate([a[0] + row.period / 2], p)[usual], y[usual])
        assert not row.poles or row.period or row.pole is not None
        if row.commutative:
            np.testing.assert_array_equal(row.evaluate(a[::-1], p), y)
        elif row.arity == 2 and name != "hypot":  # it is symmetric, yet no chain of operands
            assert not np.array_equal(row.evaluate(a[::-1], p), y, equal_nan=True)


@pytest.mark.parametrize("name", sorted(NUMERIC))
def test_rough_is_what_has_a_kink_a_jump_or_a_cut(name: str) -> None:
    row = NUMERIC[name]
    a, p = grid(row)
    rough = False
    with np.errstate(all="ignore"):
        for i in range(len(a)):
            sides = []
            for sign in (-1e-9, 1e-9):
                moved = [x + sign if j == i else x for j, x in enumerate(a)]
                y = row.evaluate(moved, p)
                slopes = np.broadcast_to(row.partials(NUMPY, moved, y, p)[i], y.shape)
                sides.append((y, slopes))
            (y0, d0), (y1, d1) = sides
            ends = np.isnan(row.evaluate(a, p)) | np.isnan(y0) | np.isnan(y1)
            if row.pole is not None:
                ends |= row.pole(NUMPY, a, p)
            ends |= (np.abs(d0) > 1e3) & (row.edge is None)  # the vertical tangent of a root
            if len(a) > 1:
                ends |= (a[0] == 0) & (a[1] == 0)  # a single point, the tip of hypot's cone
            jumps = np.abs(y1 - y0) > 1e-5
            kinks = np.abs(d1 - d0) > 1e-3
            rough |= bool(((jumps | kinks) & ~ends).any())
    assert rough == row.rough
