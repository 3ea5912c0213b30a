"""The matching rules: their boundaries, and what they refuse."""

from __future__ import annotations

import math

import pytest

from eic_core.errors import UserError
from study.matching import MatchingRules
from study.matching.rules import loss

RULES = MatchingRules()


def allowed(dc: int = 0, r2: tuple[float, float] = (0.9, 0.9), eic: float = 2.0) -> bool:
    return RULES.allows((7, 7 + dc), r2, (1.0, 1.0 + eic))


def test_a_complexity_gap_of_two_is_allowed_and_of_three_is_not() -> None:
    assert allowed(dc=2) and allowed(dc=-2)
    assert not allowed(dc=3)


def test_an_r2_gap_of_exactly_two_hundredths_is_allowed_whatever_binary_says() -> None:
    assert 0.97 - 0.95 > 0.02  # in double precision
    assert 0.90 - 0.88 < 0.0200000000000001
    for high in (0.86, 0.87, 0.9, 0.95, 0.97, 0.99, 1.0):
        assert allowed(r2=(high, round(high - 0.02, 2)))
        assert allowed(r2=(round(high - 0.02, 2), high))
        assert not allowed(r2=(high, round(high - 0.020001, 6)))


def test_an_eic_gap_of_exactly_two_is_allowed() -> None:
    assert RULES.allows((7, 7), (0.9, 0.9), (0.1, 2.1))  # 2.1 - 0.1 is 2.0
    assert RULES.allows((7, 7), (0.9, 0.9), (0.3, 2.3))  # 2.3 - 0.3 is below 2 in double
    assert not allowed(eic=1.999999)


def test_the_better_r2_must_be_above_and_not_at_85_hundredths() -> None:
    assert not allowed(r2=(0.85, 0.85))
    assert not allowed(r2=(0.85, 0.84))
    assert allowed(r2=(0.850001, 0.84))
    assert allowed(r2=(0.84, 0.850001))


def test_loss_is_that_of_the_paper() -> None:
    assert loss(1.0, 0.01, 3.0) == pytest.approx(1 + 0.0001 - 9)


@pytest.mark.parametrize(
    "bad",
    [
        {"max_complexity_gap": -1},
        {"max_complexity_gap": 1.5},
        {"max_r2_gap": -0.1},
        {"max_r2_gap": math.nan},
        {"min_eic_gap": 0.0},
        {"min_eic_gap": math.inf},
        {"min_best_r2": 1.0},
        {"min_best_r2": "0.85"},
        {"r2_column": " "},
        {"same_function_tolerance": -1},
    ],
)
def test_senseless_rules_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(UserError):
        MatchingRules(**bad)  # type: ignore[arg-type]


def test_rules_survive_json_and_unknown_ones_are_refused() -> None:
    rules = MatchingRules(max_r2_gap=0.05, exclude_same_function=True)
    assert MatchingRules.from_json(rules.to_json()) == rules
    with pytest.raises(UserError, match="no matching rule `max_gap`"):
        MatchingRules.from_json({"max_gap": 1})
