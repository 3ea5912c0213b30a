"""Where a rounding decides a result: held to doubles as NumPy computes them, and to 200 digits."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from eic_core.explain.verdict import UNDECIDED, verdict
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.measure.inspection import Inspection
from eic_core.measure.jumps import undecided

X = np.random.default_rng(7).uniform(1, 5, 200)

mp = mpmath.MPContext()
mp.dps = 200


def inspected(text: str, **columns: np.ndarray) -> Inspection:
    formula = read(text, columns=tuple(columns)).formula
    return inspect(formula, Samples.from_columns(columns, count=len(next(iter(columns.values())))))


def half_up_never(x):
    """Round to even, as NumPy does."""
    low = mp.floor(x)
    rest = x - low
    return low + (rest > 0.5 or (rest == 0.5 and int(low) % 2 == 1))


CASES = (
    (
        "sign(sin(1e18*x))",
        lambda x: np.sign(np.sin(1e18 * x)),
        lambda x: mp.sign(mp.sin(mp.mpf(10) ** 18 * x)),
    ),
    (
        "floor(10*sin(1e18*x))",
        lambda x: np.floor(10 * np.sin(1e18 * x)),
        lambda x: mp.floor(10 * mp.sin(mp.mpf(10) ** 18 * x)),
    ),
    (
        "round(1e3*((x+1e16)-1e16))",
        lambda x: np.rint(1e3 * ((x + 1e16) - 1e16)),
        lambda x: half_up_never(1000 * x),
    ),
    (
        "where(sin(1e18*x)>0, x, -x)",
        lambda x: np.where(np.sin(1e18 * x) > 0, x, -x),
        lambda x: x if mp.sin(mp.mpf(10) ** 18 * x) > 0 else -x,
    ),
    (
        "2 + floor(1e3*((x+1e11)-1e11))",
        lambda x: 2 + np.floor(1e3 * ((x + 1e11) - 1e11)),
        lambda x: 2 + mp.floor(1000 * x),
    ),
    (
        "ceil(1e6*(sqrt(x+1e6)-1e3))",
        lambda x: np.ceil(1e6 * (np.sqrt(x + 1e6) - 1e3)),
        lambda x: mp.ceil(10**6 * (mp.sqrt(x + 10**6) - 1000)),
    ),
    (
        "atan2((x+1e17)-1e17-3, -1)",
        lambda x: np.arctan2((x + 1e17) - 1e17 - 3, -1.0),
        lambda x: mp.atan2(x - 3, -1),
    ),
)  # fmt: skip


@pytest.mark.parametrize(("text", "plain", "exact"), CASES, ids=[case[0] for case in CASES])
def test_no_wrong_result_above_a_jump_is_left_unsaid(text, plain, exact):
    inspection = inspected(text, x=X)
    found = undecided(inspection)
    truth = np.array([float(exact(mp.mpf(Fraction(x).numerator) / Fraction(x).denominator))
                      for x in map(float, X)])  # fmt: skip
    wrong = np.flatnonzero(np.abs(plain(X) - truth) > 1e-9 * np.abs(truth))
    _, s = inspection.amplification.trace(inspection.formula.root.id)
    unexplained = [row for row in wrong if 1e3 * s[row] * 2.0**-53 < 1]
    assert len(np.setdiff1d(unexplained, found.rows)) <= 0.02 * len(unexplained)
    if len(unexplained):
        said = verdict(inspection)
        assert said.level in (UNDECIDED, "severe") and "Rounding decides" in said.sentence
        assert not any("would not reveal" in note for note in said.notes)


def test_what_lies_beside_a_jump_by_more_than_its_noise_is_decided():
    for text in ("floor(x)", "sign(x-3)", "round(10*x)", "where(x>3, x, 2)", "atan2(x, -1)"):
        inspection = inspected(text, x=X)
        assert not undecided(inspection).count, text
        assert "Rounding decides" not in verdict(inspection).sentence


def test_a_jump_that_the_result_does_not_feel_is_not_counted():
    hidden = ("x + 0*sign(sin(1e18*x))", "where(sin(1e18*x)>0, x, x)", "1e20+sign(sin(1e18*x))")
    for text in hidden:
        assert not undecided(inspected(text, x=X)).count, text


def test_data_on_a_threshold_are_as_they_are_given():
    x = np.array([3.0, np.nextafter(3, 4), np.nextafter(3, 2)])
    assert not undecided(inspected("where(x > 3, x, 10)", x=x)).count
    assert undecided(inspected("where(sqrt(x)**2 > 3, x, 10)", x=x)).count


def test_a_branch_that_is_not_taken_decides_nothing():
    inspection = inspected("where(x > 0, x, sign(sin(1e18*x)))", x=X)
    assert not undecided(inspection).count


def test_copies_of_a_step_turn_together():
    twice = undecided(inspected("sign(sin(1e18*x)) - sign(sin(1e18*x)) + x", x=X))
    assert not twice.count


def test_counts_and_digits_of_several_jumps():
    text = "y + 1e-6*sign(sin(1e18*x)) + where(sin(1e18*y) > 0, 1e-3, 0)"
    x = np.array([1.1, 1.2, 1.3])
    found = undecided(inspected(text, x=x, y=x + 1))
    assert found.rows.tolist() == [0, 1, 2]
    assert [jump.count for jump in found.jumps] == [3, 3]
    assert found.jumps[0].digits > found.jumps[1].digits > 9
    assert found.to_json()["samples"] == 3
