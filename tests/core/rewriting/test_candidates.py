"""Which forms are looked at, and which of them somebody would write."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from eic_core.explain.verdict import verdict
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.rewriting import Repairs
from eic_core.rewriting.costs import Nanoseconds
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.merit import FUNCTION, Merit, new_functions, promises, size_of
from eic_core.rewriting.pieces import RepairStep
from eic_core.rewriting.results import FrontForm, front_of
from eic_core.rewriting.search import Cost
from eic_core.rewriting.terms import Terms
from tests.effort import dear
from tests.repairs import numbers_losing, repaired, repaired_on


def merit(
    *digits: float, size: int = 9, time: float = 10, functions: int = 0, q: float = 0.5, failed=0
) -> Merit:
    """Of a form that loses so many digits in the mean, at nine in ten rows and at the worst."""
    return Merit(failed, digits, q, size, functions, time)


def test_the_shortest_leads_and_a_new_function_counts_as_three_nodes() -> None:
    short, long, odd = merit(0, 0, 0), merit(0, 0, 0, size=14), merit(0, 0, 0, functions=1)
    assert sorted([odd, long, short], key=lambda form: form.length) == [short, long, odd]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("x/(sqrt(x + 1) + 1)", "expm1(0.5*log1p(x))"),
        ("hypot(x, y)", "sqrt(x**2 + y**2)"),
        ("sqrt(x**2 + 1)", "hypot(x, 1)"),
        ("sqrt(x**2 + y)", "hypot(x, sqrt(y))"),
        ("2*x/y", "x/y + x/y"),
        ("x/3.7/4.1", "10000*x/151700"),
    ],
)
def test_what_a_reader_takes_for_shorter(short: str, long: str) -> None:
    terms = Terms()
    roots = [terms.add(read(text).formula) for text in ("sqrt(x + y)/3.7", short, long)]
    sizes = [size_of(terms, n) + FUNCTION * new_functions(terms, roots[0], n) for n in roots[1:]]
    assert sizes[0] <= sizes[1]


@pytest.mark.parametrize(
    ("form", "near"),
    [
        (merit(4.3, 5.3, 6.3), True),
        (merit(4.3, 5.4, 6.3), False),  # at nine in ten rows
        (merit(4.3, 5.3, 6.4), False),  # at the worst
        (merit(4.3, 5.3, 6.3, failed=1), False),
        (merit(4.3, 5.3, 6.3, q=1.6), False),  # of what the writing adds to errors of the inputs
    ],
)
def test_a_form_is_as_good_as_the_best_if_nobody_would_notice(form: Merit, near: bool) -> None:
    assert form.is_near(merit(4, 5, 6)) is near


@pytest.mark.parametrize(
    ("form", "near"),
    [
        (merit(0.5, 0.9, 2.9), True),
        (merit(0.5, 1.1, 2.9), False),
        (merit(0.5, 0.9, 3.1), False),
        (merit(0.5, 0.9, 2.9, failed=1), False),
    ],
)
def test_what_any_few_operations_lose_is_good_enough(form: Merit, near: bool) -> None:
    assert form.is_near(merit(0, 0, 0)) is form.is_enough is near


def test_beside_what_leads_stands_what_keeps_more_or_is_clearly_faster_or_shorter() -> None:
    leading = merit(0.5, 1.0, 2.0)
    assert merit(0.5, 0.7, 2.0).may_join([leading])
    assert not merit(0.5, 0.8, 2.0).may_join([leading])
    assert merit(0.5, 1.0, 4.0, time=7).may_join([leading])
    assert not merit(0.5, 1.0, 5.1, time=7).may_join([leading])  # for far more digits
    assert not merit(0.5, 0.5, 0.5, failed=1).may_join([leading])
    assert merit(3.5, 1.0, 2.0, size=7).may_join([leading])


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (Cost(5, 5, 5, 0, 9, 0.0), False),
        (Cost(4, 5, 5, 0, 12, 0.0), True),
        (Cost(4.9, 5, 5, 0, 12, 0.0), False),
        (Cost(4.9, 5, 5, 0, 7, 0.0), True),
        (Cost(5, 5, 5, 0, 7, 0.0), False),
        (Cost(5, 5, 5, 0, 1, 0.0), True),
    ],
)
def test_a_form_that_promises_nothing_is_not_looked_at(after: Cost, expected: bool) -> None:
    assert promises(Cost(5, 5, 5, 0, 9, 0.0), after) is expected


NOTHING_LOST = (
    ("a*x + b", "a=1:5 x=1:5 b=1:5"),
    ("sqrt(1 + x**2)", "x=1:5"),
    ("log(T/100 + 2.73)", "T=1:100"),
    ("a*log(T/100 + 2.73) - b/T", "a=1:5 T=200:400 b=1:9"),
    ("log(1 + x)", "x=1:100"),
    ("1 - cos(x)", "x=1:2"),
    ("exp(x) - 1", "x=2:5"),
    ("x*y/z + x**2", "x=1:5 y=1:5 z=1:5"),
    ("1/(1/d + n/f)", "d=1:5 n=1:5 f=1:5"),
    ("m/sqrt(1 - v**2/c**2)", "m=1:5 v=1:2 c=3:10"),
    ("sqrt((a-b)**2 + (c-d)**2)", "a=1:5 b=1:5 c=1:5 d=1:5"),
    ("exp(x)/(1 + exp(x))", "x=-5:5"),
    ("time + time", "time=1:5"),
    ("6.674e-11*a*b/r**2", "a=1:5 b=1:5 r=1:5"),
    # what another writing would gain with independent noise alone
    ("x**2", "x=1:5"),
    ("x*x", "x=1:5"),
    ("x**3", "x=1:5"),
    ("(x*y)**2", "x=1:5 y=1:5"),
    ("q1*q2/(4*pi*epsilon*r**2)", "q1=1:5 q2=1:5 epsilon=1:5 r=1:5"),
)


@dear(3)
@pytest.mark.parametrize(("text", "ranges"), NOTHING_LOST)
def test_where_nothing_is_lost_nothing_is_offered(text: str, ranges: str) -> None:
    assert [form.text for form in repaired(text, ranges).repairs] == []


OFFERED = (
    ("sqrt(x+1) - sqrt(x)", "x=loguniform:1:1e12"),
    ("(x**2+y**2)/2 - ((x+y)/2)**2", "x=normal:1000:1 y=normal:1000:1"),
    ("1/(x+1) - 1/x", "x=loguniform:1:1e8"),
    ("(-b + sqrt(b**2 - 4*a*c))/(2*a)", "a=0.5:2 b=loguniform:1e2:1e7 c=0.5:2"),
    ("x**3 - 3*x**2 + 3*x - 1", "x=normal:1:1e-3"),
    ("log(exp(x) + exp(y))", "x=500:1500 y=500:1500"),
    ("tan(x) - sin(x)", "x=loguniform:1e-6:1"),
)


@dear(3)
@pytest.mark.parametrize(("text", "ranges"), OFFERED)
def test_every_offer_gains_and_none_is_one_that_nobody_would_choose(text, ranges):
    found = repaired(text, ranges)
    assert found.repairs
    for form in found.repairs:
        assert form.gain.is_offered
        assert form.gain.judged.mean_after <= found.repairs[0].gain.judged.mean_after + 3.05
    for one, other in combinations(found.repairs, 2):
        pairs = [(form.after.loss.nine_in_ten, form.after.loss.worst) for form in (one, other)]
        assert (
            max(a - b for a, b in zip(*pairs, strict=True)) >= GAIN
            or one.gain.judged.mean_after - other.gain.judged.mean_after >= GAIN
            or other.after.nanoseconds.c < 0.8 * one.after.nanoseconds.c
            or other.after.complexity < one.after.complexity
        )


NOTHING_WORTH_WRITING = (
    ("1/sqrt(1 - v**2/c**2) - 1", "v=1:5 c=1:5"),
    ("erf(a) - erf(b)", "a=0.49:0.51 b=0.49:0.51"),
)


@pytest.mark.parametrize(("text", "ranges"), NOTHING_WORTH_WRITING)
def test_a_writing_that_an_expert_would_leave_is_left(text: str, ranges: str) -> None:
    assert repaired(text, ranges).leading is None


def test_the_plain_cross_product_leads_before_a_form_that_keeps_a_digit_more() -> None:
    text = "acos((x*u + y*v)/(sqrt(x*x + y*y)*sqrt(u*u + v*v)))"
    found = repaired(text, "x=1:5 y=1:5 u=1:5 v=1:5")
    assert found.best.text == "atan2(abs(x*v - y*u), x*u + y*v)"
    assert any("fma" in form.text for form in found.repairs[1:])


def test_a_form_that_is_shorter_and_a_little_better_is_offered() -> None:
    best = repaired("y*(1 - 1.5/(2*mu/(u*z)))", "y=1:5 mu=9:10 u=1:2 z=1:2").best
    assert best.text == "y - 0.75*y*u*z/mu"
    assert best.gain.is_short_and_better and max(best.gain.judged.digits, -best.delta_q) < GAIN


def test_a_series_is_named_where_the_best_known_form_keeps_losing_digits() -> None:
    text, ranges = "(x - sin(x))*(sqrt(y+1) - sqrt(y))", "x=1e-3:1e-2 y=1e6:1e8"
    found = repaired(text, ranges, series=False)
    lost = found.best.after.loss.nine_in_ten
    assert found.best.gain.remaining == lost > found.own + 3
    assert "a series would lose fewer" in str(found.best.conditions[-1])
    assert all(not other.gain.remaining for other in found.repairs[1:])


def test_a_form_is_none_that_has_no_value_where_another_has_one() -> None:
    """1/(1 + exp(-x)) is 0 at x = -720, where exp(-720) is a number, if one of few digits."""
    found = repaired("exp(x)/(1 + exp(x))", "x=-800:800")
    assert found.repairs
    assert all(form.after.float64.failed == 0 for form in found.repairs)


@pytest.mark.parametrize("text", ["-1/(x**2 + x)", "1/(x + 1) - 1/x"])
def test_one_row_at_which_a_result_is_a_false_zero_decides_between_twins(text: str) -> None:
    found = repaired_on(text, {"x": np.append(np.geomspace(1.5, 1e150, 59), 1e157)})
    assert found.best.text in ("-1/x/(x + 1)", "-1/(x + 1)/x")
    assert found.best.gain.after.in_target.failed == 0


def test_a_value_of_which_nothing_was_right_is_none_that_a_form_can_lose() -> None:
    """1/(x + 1) and 1/x are equal from 1e16 on, and x**2 + x leaves the range from 1e155 on."""
    best = repaired("1/(x+1) - 1/x", "x=loguniform:1:1e160").best
    assert best.gain.values >= 0
    assert best.after.float64.mean_digits_lost < 1 < 13 < best.before.float64.mean_digits_lost


# --- the front: what forms cost and lose, and the digits after each step of a derivation

ROOTS = "sqrt(p**2 + m**2) - m"


@pytest.fixture(scope="module")
def repairs() -> Repairs:
    return repaired(ROOTS, "p=loguniform:1e-6:1 m=loguniform:1:1e3")


def front_form(text: str, digits: float, c: float, *rules: str) -> FrontForm:
    steps = tuple(RepairStep(rule, "x", text, (), text, digits) for rule in rules)
    return FrontForm(read(text).formula, numbers_losing(digits), Nanoseconds(c, c), steps)


WRITTEN = front_form("x", 8, 5)


def test_the_cheapest_comes_first_and_each_next_one_keeps_more() -> None:
    forms = [("y", 1, 4), ("z", 0.5, 6), ("u", 0, 9)]
    cheap, good, best = (front_form(*each, "a") for each in forms)
    assert front_of(WRITTEN, [best, good, cheap]) == (cheap, WRITTEN, good, best)


def test_what_a_cheaper_form_matches_is_left_out_but_for_the_original_and_the_best() -> None:
    best, worse = front_form("y", 0, 6, "a"), front_form("z", 0.2, 7, "a")
    assert front_of(WRITTEN, [best, worse]) == (WRITTEN, best)
    cheap = front_form("z", 0.05, 3, "a")
    assert front_of(WRITTEN, [best, cheap]) == (cheap, WRITTEN, best)


def test_a_form_of_which_no_row_can_be_compared_stands_alone() -> None:
    unknown = front_form("x", float("nan"), 5)
    assert front_of(unknown, ()) == (unknown,)


def test_the_front_holds_the_original_and_the_best_form(repairs: Repairs) -> None:
    texts = [each.text for each in repairs.front]
    assert ROOTS in texts and repairs.best.text in texts
    costs = [each.nanoseconds.c for each in repairs.front]
    assert costs == sorted(costs)
    assert [each.text for each in repairs.front if each.is_original] == [ROOTS]


def test_the_numbers_of_the_front_are_those_of_each_forms_own_verdict(repairs: Repairs) -> None:
    for each in repairs.front:
        inspection = inspect(read(each.text).formula, repairs.samples)
        assert each.numbers.to_json() == verdict(inspection).numbers.to_json()


def test_the_digits_after_the_last_step_are_those_of_the_form(repairs: Repairs) -> None:
    for each in repairs.repairs:
        assert each.steps[-1].digits == each.after.loss.mean
        assert all(step.whole for step in each.steps)


def test_a_formula_with_nothing_better_has_a_front_of_itself() -> None:
    (alone,) = repaired_on("x*x + 1", {"x": [1.0, 2.0, 3.0]}).front
    assert alone.text == "x*x + 1" and alone.is_original


def test_json_holds_the_front_and_the_steps(repairs: Repairs) -> None:
    document = json.loads(json.dumps(repairs.to_json(), allow_nan=False))
    keys = "formula", "latex", "numbers", "nanoseconds", "rules", "assumptions", "steps", "branches"
    assert document["front"][0].keys() == set(keys)
    assert document["front"][0]["numbers"].keys() == document["written"].keys()
    assert document["front"][0]["nanoseconds"].keys() == {"numpy", "c"}
    (first, *_) = document["repairs"][0]["steps"]
    assert {"whole", "digits"} < first.keys()
