"""What is decided on the numbers of a form: facts, whatever their words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eic_core.explain.correlated import CorrelatedAmplification
from eic_core.formula.syntax import read
from eic_core.measure import inspect
from eic_core.measure.measured import MeasuredLoss, measured_loss
from eic_core.measure.observed import ObservedError
from eic_core.rewriting import repair
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
from eic_core.rewriting.rows import MEASURED
from eic_core.samples import Samples
from tests.core.rewriting.test_offered_forms import samples_of

X = read("x").formula
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
    return NothingBetter(measured, own, 3, True).rest


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
    ("before", "after", "expected"),
    [
        (form(lost=(8.0,)), form(lost=(0.0,)), True),
        (form(lost=(0.0,) * 19 + (8.0,)), form(lost=(0.0,)), True),  # at the worst row alone
        (form(lost=(0.04,)), form(), False),
        (form(failed=3), form(), True),
        (form(failed=3), form(failed=3), False),
        (form(lost=(NAN,)), form(lost=(NAN,)), False),
    ],
)
def test_a_change_in_double_precision_is_seen(before: Measured, after: Measured, expected: bool):
    assert Gain(before, after, RowComparison(9, 0, 0, 0, 0, 0, 0)).in_double is expected


def test_a_gain_inside_is_told_where_the_result_gains_less() -> None:
    same = RowComparison(9, 0, 0, 4, 0, 0, 0)
    inside = Gain(form(0.3, eic=5.0), form(0.3, eic=1.0), same)
    assert (inside.in_sensitivity, inside.in_worst_step, inside.in_rows) == (False, True, False)
    both = Gain(form(5.0), form(1.0), same)
    assert (both.in_sensitivity, both.in_worst_step, both.in_rows) == (True, False, False)
    rows = Gain(form(), form(), same)
    assert (rows.in_sensitivity, rows.in_worst_step, rows.in_rows) == (False, False, True)


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("x + y - z", {"x": 1.5, "y": 1e-9, "z": 1.5 + 1e-13}, Rest.LOSS),
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
    table = Samples.from_columns({name: x * (1 + spread) for name, x in columns.items()})
    result = repair(read(text).formula, table, limit_seconds=math.inf)
    assert isinstance(result.reason, NothingBetter) and result.reason.rest is expected
    right = "nothing to rewrite" in str(result.sentence)
    assert right == (expected is Rest.FUNCTION)
    assert ("it loses" in str(result.sentence)) == (expected is Rest.LOSS)


def test_before_and_headline_have_one_measured_loss() -> None:
    samples = samples_of({"x": "loguniform:1:1e8"}, MEASURED, False)
    formula = read("sqrt(x+1) - sqrt(x)").formula
    best = repair(formula, samples, limit_seconds=math.inf).best
    assert best is not None
    assert best.before.loss.to_json() == measured_loss(inspect(formula, samples)).to_json()
    assert best.after.loss.positions.tolist() == best.before.loss.positions.tolist()
