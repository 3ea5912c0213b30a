"""What forms cost and lose: the front, and the digits after each step of a derivation."""

import json

import pytest

from eic_core.formula.syntax import read
from eic_core.rewriting import Repairs
from eic_core.rewriting.costs import Nanoseconds
from eic_core.rewriting.front import DigitsLost, FrontForm, RepairStep, front_of
from tests.repairs import repaired, repaired_on

ROOTS = "sqrt(p**2 + m**2) - m"


@pytest.fixture(scope="module")
def repairs() -> Repairs:
    return repaired(ROOTS, "p=loguniform:1e-6:1 m=loguniform:1:1e3")


def form(text: str, digits: float, c: float, *rules: str) -> FrontForm:
    lost = DigitsLost(digits, digits, digits)
    steps = tuple(RepairStep(rule, "x", text, (), text, digits) for rule in rules)
    return FrontForm(read(text).formula, lost, Nanoseconds(c, c), steps)


WRITTEN = form("x", 8, 5)


def test_the_cheapest_comes_first_and_each_next_one_keeps_more() -> None:
    cheap, good, best = form("y", 1, 4, "a"), form("z", 0.5, 6, "a"), form("u", 0, 9, "a")
    assert front_of(WRITTEN, [best, good, cheap]) == (cheap, WRITTEN, good, best)


def test_what_a_cheaper_form_matches_is_left_out_but_for_the_original_and_the_best() -> None:
    best, worse = form("y", 0, 6, "a"), form("z", 0.2, 7, "a")
    assert front_of(WRITTEN, [best, worse]) == (WRITTEN, best)
    cheap = form("z", 0.05, 3, "a")
    assert front_of(WRITTEN, [best, cheap]) == (cheap, WRITTEN, best)


def test_a_form_of_which_no_row_can_be_compared_stands_alone() -> None:
    unknown = form("x", float("nan"), 5)
    assert front_of(unknown, ()) == (unknown,)


def test_the_front_holds_the_original_and_the_best_form(repairs: Repairs) -> None:
    texts = [each.text for each in repairs.front]
    assert ROOTS in texts and repairs.best.text in texts
    costs = [each.nanoseconds.c for each in repairs.front]
    assert costs == sorted(costs)
    assert [each.text for each in repairs.front if each.is_original] == [ROOTS]


def test_the_digits_of_the_front_are_those_of_the_sentence(repairs: Repairs) -> None:
    digits = {each.text: each.digits for each in repairs.front}
    for text, measured in ((ROOTS, repairs.before), (repairs.best.text, repairs.best.after)):
        loss = measured.loss
        assert digits[text] == (loss.mean, loss.nine_in_ten, loss.worst)


def test_the_digits_after_the_last_step_are_those_of_the_form(repairs: Repairs) -> None:
    for each in repairs.front:
        assert each.is_original or each.steps[-1].digits == each.digits.mean
    for each in repairs.repairs:
        assert each.steps[-1].digits == each.after.loss.mean
        assert all(step.whole for step in each.steps)


def test_a_formula_with_nothing_better_has_a_front_of_itself() -> None:
    (alone,) = repaired_on("x*x + 1", {"x": [1.0, 2.0, 3.0]}).front
    assert alone.text == "x*x + 1" and alone.is_original


def test_json_holds_the_front_and_the_steps(repairs: Repairs) -> None:
    document = json.loads(json.dumps(repairs.to_json(), allow_nan=False))
    keys = "formula", "latex", "digits", "nanoseconds", "rules", "assumptions", "steps", "branches"
    assert document["front"][0].keys() == set(keys)
    assert document["front"][0]["digits"].keys() == {"mean", "nine_in_ten", "worst"}
    assert document["front"][0]["nanoseconds"].keys() == {"numpy", "c"}
    (first, *_) = document["repairs"][0]["steps"]
    assert {"whole", "digits"} < first.keys()
