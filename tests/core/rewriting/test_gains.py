"""What is decided on the numbers of a form: facts, whatever their words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from eic_core.explain.losses import CorrelatedAmplification
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.measure.measured import MeasuredLoss, measured_loss
from eic_core.measure.observed import ObservedError
from eic_core.rewriting.chosen_rows import MEASURED
from eic_core.rewriting.costs import Nanoseconds
from eic_core.rewriting.gains import (
    Advice,
    Gain,
    Helps,
    HelpsBeforeJump,
    LostRows,
    Measured,
    NothingBetter,
    NothingToDo,
    Remedy,
    Rest,
    RowComparison,
    advise,
)
from eic_core.rewriting.phrases import repair_conditions
from eic_core.samples import Samples
from tests.repairs import repaired, repaired_on

X = read("x").formula
SAME = RowComparison(9, 0, 0, 0, 0, 0, 0)
NAN, INF = math.nan, math.inf


def form(
    q: float = 0.3,
    *,
    eic: float = NAN,
    lost: tuple[float, ...] = (0.0,),
    failed: int = 0,
    infinite: int = 0,
    root: float = 0.3,
    zeros: int = 0,
    out_of_range: int = 0,
) -> Measured:
    """A form of this sensitivity, whose program loses these digits at ten rows each."""
    eic = q if math.isnan(eic) else eic
    samples = Samples.from_columns({"x": [1.0]})
    noise = CorrelatedAmplification(
        X, samples, q, q, root, min(root, 1.0), eic, eic, 10, infinite, 0
    )
    rows = np.repeat(np.array(lost), 10)
    error = ObservedError("float64", 0.0, 0.0, failed, 100, zeros=zeros, out_of_range=out_of_range)
    loss = MeasuredLoss("float64", len(rows), np.arange(len(rows)), np.ones(len(rows)), rows)
    return Measured(noise, 1, error, error, loss)


def rest(measured: Measured, own: float) -> Rest:
    return NothingBetter(measured, own, 3).rest


@pytest.mark.parametrize(
    ("measured", "own", "expected"),
    [
        (form(NAN), 0.0, Rest.EVERYTHING),
        (form(10.0, lost=(0.0, 8.2)), 9.9, Rest.LOSS),  # never only the function's
        (form(10.0, lost=(1.0,)), 9.9, Rest.LOSS),
        (form(10.0, lost=(0.99,)), 9.9, Rest.FUNCTION),
        (form(10.0), 9.6, Rest.WRITING),
        (form(10.0), NAN, Rest.LITTLE),
        (form(10.0, lost=(NAN,)), 9.9, Rest.FUNCTION),
        (form(1.0), 0.0, Rest.LITTLE),
        (form(0.2, failed=1), 0.2, Rest.LOSS),
    ],
)
def test_what_is_left_where_nothing_is_better(measured: Measured, own: float, expected: Rest):
    assert rest(measured, own) is expected


WRITING = Helps((Remedy.HIGHER_PRECISION, Remedy.ANOTHER_WAY))
INPUTS = Helps((Remedy.KNOW_INPUTS, Remedy.OTHER_SAMPLES, Remedy.LESS_SENSITIVE))
BOTH = Helps((Remedy.KNOW_INPUTS, Remedy.HIGHER_PRECISION, Remedy.ANOTHER_WAY))


@pytest.mark.parametrize(
    ("measured", "own", "jump", "lost", "expected"),
    [
        (form(6.0), 5.8, None, LostRows(), INPUTS),
        (form(6.0, lost=(3.0,)), 5.8, None, LostRows(), BOTH),
        (form(6.0), 3.0, None, LostRows(), BOTH),
        (form(6.0), 2.9, None, LostRows(), WRITING),
        (form(6.0), 5.8, 4, LostRows(), HelpsBeforeJump(4)),
        (form(6.0), 2.0, 4, LostRows(), WRITING),
        (form(0.5), 0.5, 4, LostRows(), HelpsBeforeJump(4)),
        (form(0.5), 0.5, None, LostRows(), NothingToDo.ALL_WELL),
        (form(0.5, eic=4.0), 0.5, None, LostRows(), NothingToDo.STEP_IS_HIDDEN),
        (form(0.5, root=INF), 0.5, None, LostRows(), NothingToDo.COPIES_SHARE_ERRORS),
        (form(0.5), 0.5, None, LostRows(nothing=3), NothingToDo.ZERO_IS_RIGHT),
        (form(0.5, failed=2), 0.5, None, LostRows(), Helps((Remedy.WIDER_RANGE,))),
        (form(0.5, out_of_range=2), 0.5, None, LostRows(), Helps((Remedy.WIDER_RANGE,))),
        (form(0.5, lost=(15.95,), zeros=2), 0.5, None, LostRows(), Helps((Remedy.TAKE_FOR_ZERO,))),
        (
            form(0.5, lost=(5.0,)),
            0.5,
            None,
            LostRows(),
            Helps((Remedy.HIGHER_PRECISION, Remedy.WIDER_RANGE)),
        ),
        (form(0.5), 0.5, None, LostRows(writing=1), Helps(WRITING.remedies, True, True)),
        (form(0.5, lost=(5.0,)), 0.5, None, LostRows(writing=1), Helps(WRITING.remedies, True)),
        (form(NAN), 0.5, None, LostRows(unsettled=2), WRITING),
        (form(NAN), 0.5, None, LostRows(nothing=2, unsettled=2), Helps((Remedy.WRITE_ZERO,))),
        (form(NAN), 0.5, None, LostRows(), Helps((Remedy.SAMPLES_WITH_VALUE,))),
    ],
)
def test_what_helps_is_decided_on_the_numbers(
    measured: Measured, own: float, jump: int | None, lost: LostRows, expected: Advice
) -> None:
    assert advise(measured, own, jump, lost) == expected


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("tan(x) - x", {"x": 1e-3}, Rest.LOSS),
        ("sqrt(1-x)", {"x": 0.9999}, Rest.FUNCTION),
        ("abs(x-y)", {"x": 1.0, "y": 0.9999}, Rest.FUNCTION),
        ("1/(x-1)", {"x": 1.0001}, Rest.FUNCTION),
        ("x**50", {"x": 1.1}, Rest.FUNCTION),
        ("tan(x)", {"x": 1.57}, Rest.FUNCTION),
        ("x - sin(x)", {"x": 1e-3}, Rest.LOSS),
    ],
)
def test_a_computed_value_that_is_right_is_never_called_lost(
    text: str, columns: dict[str, float], expected: Rest
) -> None:
    spread = np.random.default_rng(34).uniform(0.0, 1e-6, 150)
    result = repaired_on(text, {name: x * (1 + spread) for name, x in columns.items()})
    assert isinstance(result.reason, NothingBetter) and result.reason.rest is expected
    right = "nothing to rewrite" in str(result.sentence)
    assert right == (expected is Rest.FUNCTION)
    of_loss = expected is Rest.LOSS and not result.approximations
    assert ("it loses" in str(result.sentence)) == of_loss


def test_before_and_headline_have_one_measured_loss() -> None:
    found = repaired("sqrt(x+1) - sqrt(x)", "x=loguniform:1:1e8", MEASURED)
    best, headline = found.best, measured_loss(inspect(found.formula, found.samples))
    assert best.before.loss.to_json() == headline.to_json()
    assert best.after.loss.positions.tolist() == best.before.loss.positions.tolist()


def compared(before: float, after: float, more: int = 0, fewer: int = 0) -> RowComparison:
    return RowComparison(100, before, after, fewer, more, 0.6 if more else 0.0, after - before)


def gain_of(
    before: Measured,
    after: Measured,
    *,
    digits: float = 0.0,
    more: int = 0,
    nodes: int = 1,
    values: int = 0,
) -> Gain:
    """A gain of so many digits in the mean, by a form that is so many nodes shorter."""
    rows = compared(5.0, 5.0 - digits, more, fewer=more)
    longer = replace(before, complexity=9, nanoseconds=Nanoseconds(9, 9))
    shorter = replace(after, complexity=9 - nodes, nanoseconds=Nanoseconds(9, 9))
    return Gain(longer, shorter, rows, rows, values)


@pytest.mark.parametrize(
    ("gain", "offered"),
    [
        (gain_of(form(5.0), form(5.0), digits=0.31, nodes=-5), True),
        (gain_of(form(5.0), form(5.0), digits=0.29, nodes=-5), False),
        (gain_of(form(5.0), form(4.0), nodes=-5), True),  # what the writing added
        (gain_of(form(5.0), form(4.1), nodes=-5), False),
        (gain_of(form(5.0, lost=(1.0,)), form(5.0, lost=(0.7,)), nodes=-5), True),
        (gain_of(form(lost=(0.0,) * 19 + (1.0,)), form(), nodes=-5), True),  # at the worst row
        (gain_of(form(5.0, eic=9.0), form(5.0, eic=5.0), nodes=-5), False),  # a hidden step
        (gain_of(form(5.0, eic=9.0), form(5.0, eic=5.0)), True),  # and shorter
        (gain_of(form(5.0), form(4.95)), False),
        (gain_of(form(5.0), form(4.85)), True),
        (gain_of(form(5.0), form(4.85), more=1), False),  # not if a row loses more
        (gain_of(form(5.0), form(4.85, eic=5.2)), False),  # or a step is more sensitive
        (gain_of(form(5.0), form(4.85), digits=-0.06), False),
        (gain_of(form(5.0), form(5.0), nodes=8), True),  # a number or a variable
        (gain_of(form(5.0), form(5.0), nodes=-5, values=3), True),
        (gain_of(form(5.0), form(1.0), digits=3.0, values=-1), False),
        (gain_of(form(5.0), form(5.2), digits=0.5), True),  # digits that are really kept
        (gain_of(form(5.0), form(5.4), digits=0.5), False),
        (gain_of(form(5.0), form(1.0), digits=-0.2), False),
        (gain_of(form(5.0), form(1.0, infinite=2), digits=3.0), False),
        (gain_of(form(NAN), form(0.3)), True),
    ],
)
def test_what_is_offered_gains_in_the_target_or_by_its_writing_or_is_shorter(
    gain: Gain, offered: bool
) -> None:
    assert gain.is_offered is offered


def test_a_shorter_form_that_takes_longer_is_not_offered_for_its_length() -> None:
    gain = gain_of(form(5.0), form(4.85))
    slow = replace(gain, after=replace(gain.after, nanoseconds=Nanoseconds(9, 10)))
    assert gain.is_offered and not slow.is_offered


def elsewhere(before: tuple[float, int], after: tuple[float, int]) -> Gain:
    """Digits lost in the mean and rows without a value in single precision, before and after."""
    errors = [
        ObservedError("float32", 0.0, 0.0, failed, 50, mean_digits_lost=digits)
        for digits, failed in (before, after)
    ]
    was, now = (replace(form(5.0), float32=error) for error in errors)
    return Gain(was, now, SAME, SAME)


@pytest.mark.parametrize(
    ("before", "after", "clause"),
    [
        ((0.1, 0), (0.2, 0), ""),
        ((0.1, 0), (1.4, 0), "In single precision it loses 1.3 digits more in the mean."),
        ((7.2, 0), (7.2, 50), ""),  # no digit was right as written
        (
            (0.1, 1),
            (0.3, 3),
            "In single precision it has a value at 47 of 50 rows compared, as written at 49.",
        ),
        ((3.0, 4), (0.0, 0), ""),
    ],
)
def test_what_the_other_precision_loses_more_has_a_clause(before, after, clause) -> None:
    said = [*map(str, repair_conditions(elsewhere(before, after)))]
    assert said == ([clause] if clause else [])


def test_digits_that_remain_are_told_if_they_are_far_more_than_the_functions_own() -> None:
    gain = gain_of(form(5.0), form(5.0, lost=(4.4,)), digits=1.0)
    assert not gain.remaining and not gain.of_best(own=1.5).remaining
    assert [*map(str, repair_conditions(gain.of_best(own=1.3)))] == [
        "The best exact form found keeps losing digits that the function does not: a series would "
        "lose fewer."
    ]
