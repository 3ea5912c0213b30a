"""A change of sign is a zero, a pole or a jump, and only some of them unsettle a mean.

Zeros and poles are known by hand, or from the roots of a polynomial (NumPy); whether E[s^2] exists
is known from s^2 at samples laid ever closer to the place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from eic_core.engine.native.library import library
from eic_core.explain.findings import Cancellation, Extent
from eic_core.explain.settling import unsettled_clause
from eic_core.explain.where import where
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import Samples, inspect
from eic_core.measure.crossings import (
    find_sign_change,
    find_unbounded_zero,
    loses_all_at_zero,
)
from eic_core.operators import OPERATORS
from eic_core.operators.forms import CONTINUOUS, NEVER_NEGATIVE
from tests.effort import examples
from tests.findings import causes_of
from tests.inspections import inspect_ranges

ZERO, POLE, BOTH, NEITHER = (True, False), (False, True), (True, True), (False, False)

CHANGES = [
    # formula, range, (zero, pole) of the root, whether its mean amplification has no limit there
    ("x - 3", "1:5", ZERO, True),
    ("x - 3e300", "1e300:5e300", ZERO, True),
    ("x - 3e-300", "1e-300:5e-300", ZERO, True),
    ("(x + 1e6) - 1e6 - 3", "1:5", ZERO, True),
    ("log(x)", "loguniform:1e-8:1e8", ZERO, True),
    ("log(x - 3) + sqrt(x)", "3:10", ZERO, True),
    ("cos(x)", "1:4", ZERO, True),
    ("sin(1000*x)", "1:5", ZERO, True),
    ("x + x**3", "-1:1", ZERO, False),  # both terms vanish: nothing cancels
    ("sin(x) + x", "-1:1", ZERO, False),
    ("tan(x)", "0.5:3", POLE, True),
    ("tan(x)", "2:4", ZERO, True),
    ("tan(x)", "0.5:13", BOTH, True),
    ("cot(x)", "1:2", ZERO, True),
    ("cot(x)", "2:4", POLE, True),
    ("sec(x)", "1:5", POLE, True),
    ("csc(x)", "2:4", POLE, True),
    ("x + 1/x", "-1:2", POLE, False),
    ("x + 1/x**3", "-2:1", POLE, False),
    ("1/x - 1", "-3:3", BOTH, True),
    ("x + sign(x)", "-1:1", NEITHER, False),
    ("floor(x) - 2.5", "1:5", NEITHER, False),
]


@pytest.mark.parametrize(("text", "interval", "kinds", "unbounded"), CHANGES)
def test_what_a_change_of_sign_is(
    text: str, interval: str, kinds: tuple[bool, bool], unbounded: bool
) -> None:
    found = inspect_ranges(text, count=1000, x=interval)
    root = len(found.formula) - 1
    assert found.tail is not None and root in found.tail.crossings  # both signs occur
    change = found.sign_changes.at(root)
    assert (change.zero, change.pole, change.unbounded) == (*kinds, unbounded)
    crossing = [c.node for c in causes_of(found, Cancellation) if c.extent is Extent.CROSSING]
    assert all(found.sign_changes.at(node).zero for node in crossing)
    place = where(found).place
    if place is not None and place.crosses:
        assert place.node_id is not None and found.sign_changes.at(place.node_id).zero
    if change.unbounded:
        assert found.tail.divergent is True
        assert (place is not None and place.crosses) or "has a pole" in str(unsettled_clause(found))
    elif len(found.tail.crossings) == 1:
        assert found.tail.divergent is False and unsettled_clause(found) is None


@settings(max_examples=examples(60), deadline=None)
@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-4, 4), st.integers(0, 99))
def test_the_zeros_of_a_sum_with_a_pole_are_those_of_its_polynomial(
    a: float, b: float, p: float, seed: int
) -> None:
    """x + a + b / (x - p) is 0 where x^2 + (a - p) x + b - a p is."""
    a, b, p = round(a, 2), round(b, 2), round(p, 2)
    assume(abs(b) >= 0.05)
    roots = np.roots([1.0, a - p, b - a * p])
    assume(np.min(np.abs(roots.imag)) == 0 and abs(roots[0] - roots[1]) > 0.1 or roots[0].imag)
    real = roots[roots.imag == 0].real
    assume(all(abs(abs(r) - 5) > 0.1 and abs(r - p) > 0.05 for r in real))
    x = np.random.default_rng(seed).uniform(-5, 5, 500)
    text = f"x + {a} + {b}/(x - {p})".replace("+ -", "- ")
    found = inspect(read(text).formula, Samples.from_columns({"x": x}))
    root = len(found.formula) - 1
    inside = [float(r) for r in real if -5 < r < 5]
    change = found.sign_changes.at(root)
    assert change.zero is bool(inside)
    assert change.pole is True  # p lies inside
    if inside:
        assert min(abs(change.place["x"] - r) for r in inside) < 1e-3


@pytest.mark.parametrize(
    ("text", "place", "grows"),
    [
        ("x - 3", 3.0, True),
        ("tan(x)", math.pi / 2, True),
        ("x + 1/x", 0.0, False),
        ("x + x**3", 0.0, False),
        ("x + sign(x)", 0.0, False),
    ],
)
def test_the_mean_has_no_limit_where_the_amplification_grows_towards_the_place(
    text: str, place: float, grows: bool
) -> None:
    formula = read(text).formula
    near = [
        inspect(formula, Samples.from_columns({"x": [place + d, place - d]})).nodes[-1].s_bar
        for d in (1e-2, 1e-4, 1e-6)
    ]
    assert (near[2] > 1_000 * near[0]) is grows
    x = np.concatenate(
        [np.linspace(place - 1, place - 0.1, 50), np.linspace(place + 0.1, place + 1)]
    )
    found = inspect(formula, Samples.from_columns({"x": x}))
    assert found.sign_changes.at(len(formula) - 1).unbounded is grows
    assert found.tail is not None and found.tail.divergent is (True if grows else None)


def test_rounding_alone_is_no_change_of_sign() -> None:
    found = inspect_ranges("sin(x)**2 + cos(x)**2 - 1", count=1_500, x="1:5")
    root = len(found.formula) - 1
    assert not found.sign_changes.at(root).zero and not found.sign_changes.at(root).unbounded


def test_no_way_between_two_parts_of_a_domain_is_no_zero() -> None:
    found = inspect_ranges("sqrt(x*x - 4) + x", count=1000, x="-5:5")
    change = found.sign_changes.at(len(found.formula) - 1)
    assert (change.zero, change.pole, change.unbounded) == (False, False, False)


@pytest.mark.parametrize("text", ["x - x", "(x - x) + exp(x)*0", "log(x/x)*x"])
def test_no_mean_is_settled_while_some_step_keeps_a_digit_at_no_sample(text: str) -> None:
    found = inspect_ranges(text, x="1:5", count=400)
    assert any(n.singular == 400 for n in found.nodes)
    assert found.tail is not None and found.tail.divergent is None


def test_a_masked_crossing_is_not_said_to_make_eic_grow() -> None:
    found = inspect_ranges("exp(200*x) + 1e-9*(y - 3)", count=1000, x="1:3", y="1:5")
    small = found.nodes[7].local_eic_finite
    assert small < found.eic  # 200 x beside a crossing
    tail = found.tail
    assert tail is not None and tail.divergent is True
    clause = str(unsettled_clause(found))
    assert found.sign_changes.at(7).zero and "crosses zero, so that its local EIC, now " in clause


def test_every_kind_is_found_with_few_rows_and_many() -> None:
    for count in (2, 5, 50, 5_000):
        x = np.linspace(1, 5.3, count)
        found = inspect(read("x - 3").formula, Samples.from_columns({"x": x}))
        assert found.sign_changes.at(2).zero and found.sign_changes.at(2).unbounded


def test_no_interval_stands_beside_a_mean_that_grows() -> None:
    """The zero of a sum is rare in these rows: their tail alone would allow an interval."""
    sum_ = inspect_ranges("x*y + z", x="-1:50", y="1:2", z="0.1:1", count=1_200)
    place = where(sum_)
    assert str(unsettled_clause(sum_)).endswith("`x·y + z` crosses zero")
    assert place.interval.heavy and "crosses zero inside the domain" in str(place.interval.reason)
    pole = where(inspect_ranges("tan(x)", count=1000, x="0.5:3"))
    assert "a part of the formula has a pole inside the domain" in str(pole.interval.reason)
    calm = where(inspect_ranges("x + 1/x", count=1000, x="-1:2"))
    assert calm.interval.obstacle is None and calm.interval.high < 1


TERMS = (
    "x",
    "y",
    "1/y",
    "1/x",
    "sin(3*x)",
    "exp(-x)",
    "sqrt(y)",
    "abs(x)**0.5",
    "x**3",
    "log(y)",
    "y**-1.5",
    "floor(x)",
    "sqrt(x + 2)",
    "cos(y)*x",
    "x*y",
    "tan(x)",
    "y**x",
    "x*exp(x*y)",
)


@pytest.mark.parametrize("inner", TERMS)
def test_what_form_and_the_short_way_say_the_search_finds(inner: str) -> None:
    """And at the place that the short way names the value is next to nothing."""
    claimed = 0
    for outer in ("{} - 1.3", "{} - y", "x + {}", "sin(4*{})", "cos(3*{})", "log(abs({}))"):
        found = inspect_ranges(outer.format(inner), count=600, x="-1.6:2", y="0.5:3")
        formula, root = found.formula, found.formula.root.id
        if found.amplification.signs[root] != 3:
            continue
        with np.errstate(all="ignore"):
            full = find_sign_change(found.amplification, root)
            short = find_unbounded_zero(found.amplification, root)
        if loses_all_at_zero(formula, root, found.samples):
            claimed += 1
            assert full.unbounded, formula.source
        if short is not None:
            claimed += 1
            assert full.unbounded and short.zero, formula.source
            assert abs(_value(formula, short.place)) < 1e-3 * np.nanmax(
                np.abs(found.amplification.trace(root)[0])
            )
        assert found.sign_changes.unbounded(root) is full.unbounded
    assert claimed or inner == "floor(x)" or library() is None  # the short way is native


def _value(formula: Formula, place: Mapping[str, float]) -> float:
    samples = Samples.from_columns({name: [place[name]] for name in formula.variables})
    return float(inspect(formula, samples).amplification.trace(formula.root.id)[0][0])


@pytest.mark.parametrize("operator", sorted(CONTINUOUS - {"neg", "min", "max"}))
def test_a_continuous_operator_has_values_without_jumps(operator: str) -> None:
    x = np.concatenate([np.linspace(-12, 12, 4_801), np.arange(-12, 13) * math.pi / 4])
    formula = read(f"{operator}(x{', 0.7' * (OPERATORS[operator].arity == 2)})").formula

    def at(shift: float) -> np.ndarray:
        found = inspect(formula, Samples.from_columns({"x": x + shift}))
        return found.amplification.trace(formula.root.id)[0]

    assert np.isfinite(at(0.0)).all()
    size = 1 + np.abs(at(0.0))
    assert np.max(np.abs(at(1e-12) - at(-1e-12)) / size) < 1e-3
    if operator in NEVER_NEGATIVE:
        assert at(0.0).min() >= 0


def test_a_zero_that_only_the_form_shows_unsettles_the_mean_and_the_sentence() -> None:
    found = inspect_ranges("sin(x*y) + 5", count=1000, x="0.1:4", y="0.1:4")
    sine = 3
    assert found.sign_changes.unbounded(sine) and found.sign_changes.at(sine).unbounded
    assert found.tail is not None and found.tail.divergent is True
    assert "crosses zero" in str(unsettled_clause(found))
