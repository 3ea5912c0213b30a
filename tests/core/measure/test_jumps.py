"""Where a rounding decides a result: held to doubles as NumPy computes them, and to 200 digits."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from eic_core.engine.amplify import amplify
from eic_core.engine.reference import evaluate_block
from eic_core.engine.tape import tape_of
from eic_core.explain.findings import OnThreshold, OutsideDomain, RangeCost, Way
from eic_core.explain.verdict import Level, verdict
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.measure.following import undecided
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from tests.findings import causes_of, counts, findings_of, rows_of, steps_of
from tests.inspections import inspect_columns, settle_at_most

X = np.random.default_rng(7).uniform(1, 5, 200)

mp = mpmath.MPContext()
mp.dps = 200


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
)


@pytest.mark.parametrize(("text", "plain", "exact"), CASES, ids=[case[0] for case in CASES])
def test_no_wrong_result_above_a_jump_is_left_unsaid(text, plain, exact):
    inspection = inspect_columns(text, x=X)
    found = undecided(inspection)
    truth = np.array(
        [
            float(exact(mp.mpf(Fraction(x).numerator) / Fraction(x).denominator))
            for x in map(float, X)
        ]
    )
    wrong = np.flatnonzero(np.abs(plain(X) - truth) > 1e-9 * np.abs(truth))
    _, s = inspection.amplification.trace(inspection.formula.root.id)
    unexplained = [row for row in wrong if 1e3 * s[row] * 2.0**-53 < 1]
    assert len(np.setdiff1d(unexplained, found.rows)) <= 0.02 * len(unexplained)
    if len(unexplained):
        decided = rows_of(inspection, Outcome.DECIDED)
        assert decided == found.rows.tolist()
        assert set(outcomes(inspection).reasons[decided].tolist()) == {Reason.ROUNDING}
        first = findings_of(inspection, Outcome.DECIDED)
        assert sum(f.rows or 0 for f in first) == len(decided)
        assert verdict(inspection).level is Level.VERY_SENSITIVE or len(decided) < 20


@pytest.mark.parametrize(
    ("text", "x", "infinite"),
    [  # kappa is 0 nowhere, however small: 2e/sqrt(pi) exp(-4e6) of erf at 2000
        ("erf(floor(x))", 30.0, True),
        ("erf(floor(x))", 2000.0, True),
        ("erf(floor(x))", 1e30, True),
        ("erfc(floor(x))", -2000.0, True),
        ("tanh(floor(x))", 1e30, True),
        ("1 + tanh(floor(x))", 30.0, True),
        ("1e20 + floor(x)", 30.0, True),
        ("fma(1e-20, floor(x), 1)", 30.0, True),
        ("atan2(floor(x), -1e200)", 30.0, True),
        ("hypot(1e200, floor(x))", 30.0, True),
        ("cosh(floor(x)*1e-20)", 30.0, True),
        ("atan(floor(x))", 1e200, True),
        ("(floor(x)*1e-200)**1.3", 2.0, True),
        ("1.5**(floor(x)*1e-200)", 2.0, True),
        # truly flat
        ("ceil(floor(x) + 0.5)", 2.0, False),
        ("1**floor(x)", 2.0, False),
        ("mod(1, floor(x))", 2.0, False),
        ("fma(0, floor(x), 1)", 2.0, False),
        ("gp_div(x, 1e-4*floor(x))", 2.0, False),
    ],
)
def test_a_jump_is_passed_on_by_all_that_is_flat_nowhere(
    text: str, x: float, infinite: bool
) -> None:
    formula = read(text).formula
    samples = Samples.from_columns({"x": [x]})
    reference = evaluate_block(tape_of(formula), samples.columns, 1)
    seen = [
        float(amplify(formula, samples, recheck=recheck).trace(formula.root.id)[1][0])
        for recheck in (False, True)
    ]
    assert [math.isinf(s) for s in (*seen, float(reference.s2[-1][0]))] == [infinite] * 3


def test_data_on_a_threshold_are_as_they_are_given():
    x = np.array([3.0, np.nextafter(3, 4), np.nextafter(3, 2)])
    assert not len(undecided(inspect_columns("where(x > 3, x, 10)", x=x)).rows)
    assert len(undecided(inspect_columns("where(sqrt(x)**2 > 3, x, 10)", x=x)).rows)


def test_counts_and_digits_of_several_jumps():
    text = "y + 1e-6*sign(sin(1e18*x)) + where(sin(1e18*y) > 0, 1e-3, 0)"
    x = np.array([1.1, 1.2, 1.3])
    inspection = inspect_columns(text, x=x, y=x + 1)
    found = undecided(inspection)
    assert found.rows.tolist() == [0, 1, 2] and inspection.counts.valid == 3
    # exact values on both sides: 1e-3 of some 2.2 is more than 2e-6 of it
    assert found.digits == pytest.approx(np.log10(1e-3 / (x + 1) * 2**53), abs=0.1)
    inspection = inspect_columns(text, x=x, y=x + 1)
    assert steps_of(inspection, Outcome.DECIDED) == {"sin(1e18·y) > 0"}
    (finding,) = findings_of(inspection, Outcome.DECIDED)
    assert finding.rows == 3 and finding.digits.worst == found.digits.max()


D = "((x + 1e16) - 1e16)"  # 0 at 0.3, 2 at 1.4

TURNED = (  # data, and the rows at which NumPy's result is not that of exact arithmetic
    ("where(abs(sin(pi*x)) < 1e-16, 1, 0)", [1, 2, 3, 1.5], [0, 1, 2]),
    ("where((0.1 + 0.2 - 0.3)*1e17 > 1, 1, 2)*x", [1, 2], [0, 1]),
    ("where(sign(x*3 - 0.3) > 0.5, 1, 2)", [0.1], [0]),
    ("1 + sign(100*x - 115)**2", [1.15], [0]),
    ("cos(sign(x*3 - 0.3))", [0.1], [0]),
    ("sqrt(1 + floor(x/0.1 - 3)**2)", [0.3], [0]),
    (f"sign({D})**2", [0.3], [0]),
    (f"abs(sign({D}))", [0.3], [0]),
    ("abs(sign(1 - cos(x)))", [1e-9], [0]),
    (f"cos(pi*floor({D}))", [1.4], [0]),
    (f"1/(1 + sign({D}))", [0.3], [0]),
    (f"log(1 + sign({D})) + x", [0.3], [0]),
    (f"sqrt(sign({D}))", [0.3], [0]),
    (f"where({D} > 0, sqrt(x), sqrt(-x))", [0.3, 2], [0]),
    ("floor(1e12*((x + 1e6) - 1e6))", [2**0.5], [0]),
    ("where(x**2 > 0, 1, 2)", [1e-200], [0]),
    ("where(exp(-x) > 0, 1, 2)", [800], [0]),
    ("1 + ceil(exp(-x))", [800], [0]),
    # what no rounding turns
    ("where(exp(x) > 5, 1, 0)", [720, 1, 800, 2], []),
    ("where(x**2 > 4, 1, 2)", [1e200, 1], []),
    ("where(floor(x) > 2.5, 1, 2)", [1, 2, 30, 7], []),
    ("where(floor(x/2) > 10.5, 1, 2)", [1, 2, 30, 7], []),
    (f"({D} > 0)*x + ({D} <= 0)*x", [0.3], []),
    ("sign(sin(x))", [3.141592653589793], []),
    ("floor(x*1)", [2.5], []),
    # what lies beside a jump by more than its noise
    *((text, X, []) for text in ("floor(x)", "sign(x-3)", "round(10*x)", "where(x>3, x, 2)")),
    ("atan2(x, -1)", X, []),
    # a jump that the result does not feel, in a branch that is not taken, and of two copies
    ("x + 0*sign(sin(1e18*x))", X, []),
    ("where(sin(1e18*x)>0, x, x)", X, []),
    ("1e20+sign(sin(1e18*x))", X, []),
    ("where(x > 0, x, sign(sin(1e18*x)))", X, []),
    ("sign(sin(1e18*x)) - sign(sin(1e18*x)) + x", X, []),
)


@pytest.mark.parametrize(("text", "x", "rows"), TURNED, ids=[case[0] for case in TURNED])
def test_a_rounding_turns_these_rows_and_no_others(text, x, rows):
    inspection = inspect_columns(text, x=np.array(x, dtype=float))
    assert undecided(inspection).rows.tolist() == rows
    assert rows or not rows_of(inspection, Outcome.DECIDED)
    result = outcomes(inspection)
    # exactly on its threshold a step keeps no digit, rounding or not: that comes first
    assert {*rows} <= {*rows_of(inspection, Outcome.FOLLOWS, Outcome.DECIDED)}
    turned = [row for row in rows if result.kinds[row] == Outcome.DECIDED]
    by_rounding = np.isin(result.reasons, (Reason.ROUNDING, Reason.RANGE))
    assert turned == np.flatnonzero(by_rounding & (result.kinds == Outcome.DECIDED)).tolist()
    ranged = any(name in text for name in ("exp(-x)", "x**2"))
    assert (Reason.RANGE in result.reasons) == (ranged and bool(rows))


@pytest.mark.parametrize("hinge", ["where(x >= 4, x - 4, 0)", "where(x > 4, x - 4, 0)"])
def test_a_hinge_with_data_on_its_knot_is_no_jump(hinge):
    x = np.array([1.0, 2.0, 4.0, 6.0])
    for recheck in (True, False):
        loss, smooth = (
            inspect(
                read(f"2 + 3*x + 0.7*{part}").formula,
                Samples.from_columns({"x": x}),
                recheck=recheck,
            )
            .nodes[-1]
            .local_eic
            for part in (hinge, "max(x - 4, 0)")
        )
        assert loss == pytest.approx(smooth, abs=1e-12)
    assert inspect_columns("where(x > 4, x - 4, 1) + 5", x=x).nodes[-1].singular == 1


def test_the_limit_of_the_check_makes_no_digit_infinite(monkeypatch):
    settle_at_most(monkeypatch, 1_000, "(1-cos(x))/x**2")
    x = np.exp(np.random.default_rng(5).uniform(np.log(1e-10), 0, 3000))
    few, many = (inspect_columns("(1-cos(x))/x**2", x=part) for part in (x[:2000], x))
    assert math.isfinite(many.eic) and abs(many.eic - few.eic) < 0.2
    assert many.counts.rechecked >= 400 and many.counts.invalid
    groups = findings_of(many, Outcome.NOT_CHECKED)
    assert {group.cause.checked for group in groups} == {many.counts.rechecked}
    assert sum(group.rows or 0 for group in groups) == len(many.amplification.unsettled)


def test_equal_samples_are_settled_once_and_all_of_them_count():
    x = np.random.default_rng(0).integers(0, 9, 5000).astype(float)
    inspection = inspect_columns("x*0.1 - 0.3", x=x)
    assert inspection.counts.unresolved == 0 and inspection.counts.rechecked > 500
    assert inspection.nodes[-1].singular == np.count_nonzero(x == 3)


def test_digits_that_underflow_costs_are_told():
    inspection = inspect_columns("sqrt(x*x)", x=np.array([2e-162, 1.0]))
    true = abs(math.sqrt(2e-162 * 2e-162) / 2e-162 - 1)
    leading = verdict(inspection).leading
    assert leading is not None and leading.outcome is Outcome.RANGE_LOSS
    assert leading.cause == RangeCost(2, Way.UNDERFLOW) and (leading.rows, leading.of) == (1, 2)
    assert leading.digits.worst == pytest.approx(math.log10(true * 2**53), abs=0.05)


def test_the_rows_on_a_jump_are_those_that_jump():
    inspection = inspect_columns("where(x > 1, x - 2, 5) + 0.1", x=np.array([1.0, 2.0, 3.0]))
    (cause,) = causes_of(inspection, OnThreshold)
    assert (cause.first_row, cause.is_exact, cause.is_hinge) == (1, True, False)
    assert rows_of(inspection, Outcome.NO_DIGIT) == [0]


def test_overflow_that_costs_digits_is_called_so():
    large, larger = np.array([1e200, 1.0]), np.array([1e300, 1.0])
    inspection = inspect_columns("atan(x*y/z/1e100)", x=large, y=large, z=larger)
    # the exact result is pi/4, that in double precision pi/2: wrong by as much as it is
    (finding,) = findings_of(inspection, Outcome.RANGE_LOSS)
    assert finding.rows == 1 and finding.cause == RangeCost(2, Way.OVERFLOW)
    assert finding.digits.worst == DOUBLE_DIGITS
    assert verdict(inspection).leading == finding or verdict(inspection).leading is finding


@pytest.mark.parametrize(
    ("text", "step", "reason"),
    [
        ("sqrt(x*y/z)", "x·y", Reason.UNDERFLOW),
        ("sin(x*y/z)", "x·y", Reason.UNDERFLOW),
        ("log(x*y/z)", "x·y", Reason.UNDERFLOW),
        ("atanh(tanh(w))", "tanh(w)", Reason.ROUNDED_OUT),
    ],
)
def test_the_step_that_loses_the_value_is_named(text, step, reason):
    tiny = np.array([1e-200])
    columns = {"x": tiny, "y": tiny, "z": tiny * 1e-100} if "x" in text else {"w": tiny * 0 + 20}
    inspection = inspect_columns(text, **columns)
    assert steps_of(inspection, Outcome.NO_DOUBLE) == {step}
    assert outcomes(inspection).reasons.tolist() == [reason]


def test_what_the_output_shows_is_not_said_to_be_hidden():
    x = np.array([800.0, 1.0])
    inspection = inspect_columns("log(exp(x)+exp(y))", x=x, y=x + 1)
    assert rows_of(inspection, Outcome.NO_DOUBLE) == [0]
    leading = verdict(inspection).leading
    assert leading is not None and leading.outcome is Outcome.NO_DOUBLE


def test_a_count_of_samples_that_were_checked_says_so(monkeypatch):
    settle_at_most(monkeypatch, 1_000, "1/(1-cos(1e-9*x))")
    x = np.random.default_rng(3).uniform(1, 50, 1800)
    inspection = inspect_columns("1/(1-cos(1e-9*x))", x=x)
    (group,) = findings_of(inspection, Outcome.NOT_CHECKED)
    with np.errstate(divide="ignore"):
        program = 1 / (1 - np.cos(1e-9 * x))
    assert group.rows == len(inspection.amplification.unsettled) > 0 and group.of == 1800
    program[inspection.amplification.unsettled] = 0
    assert rows_of(inspection, Outcome.NO_DOUBLE) == np.flatnonzero(np.isinf(program)).tolist()


def test_what_300_digits_take_for_a_pole_or_a_jump_is_not_said_to_be_one():
    pole = inspect_columns("1/(1-tanh(x))", x=np.array([1e6, 1.0]))
    assert counts(pole) == {Outcome.UNKNOWN: 1, Outcome.FINITE: 1}
    assert not causes_of(pole, OutsideDomain)
    zero = inspect_columns("1/x", x=np.array([0.0, 1.0]))
    assert counts(zero) == {Outcome.NO_REAL_VALUE: 1, Outcome.FINITE: 1}
    assert causes_of(zero, OutsideDomain) == [OutsideDomain(zero.formula.root.id)]
    jump = inspect_columns("where(tanh(20*x) < 1, 1, 2)", x=np.array([1e5, 0.1]))
    (cause,) = causes_of(jump, OnThreshold)
    assert (cause.first_row, cause.is_exact) == (1, False)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("3 + sign(sin(1e17*x))", DOUBLE_DIGITS),  # 4 for 2
        ("10 + sign(sin(1e17*x))", math.log10(2 / 9 * 2**53)),  # 11 for 9: 2/9 of it
        ("sign(sin(1e17*x))", DOUBLE_DIGITS),
    ],  # 1 for -1, at all of them
)
def test_the_digits_that_a_jump_costs_are_of_the_exact_result(text, most):
    (finding,) = findings_of(inspect_columns(text, x=np.linspace(1, 5, 200)), Outcome.DECIDED)
    assert finding.digits.worst == pytest.approx(most, abs=0.05)


def test_an_error_as_large_as_the_exact_result_costs_every_digit():
    n = np.arange(1.0, 21.0)  # at n = 2 it is 1.818, after the jump 3.818
    large = inspect_columns("n**2 - floor(n/2)*2 + 1/(n - 7.5)", n=n)
    assert outcomes(large).digits[1] == DOUBLE_DIGITS
    small = inspect_columns("round(2.5*n)", n=n)  # 2.5 is 2, or 3; 7.5 is 8, or 7; 12.5 is 12, …
    (finding,) = findings_of(small, Outcome.NO_DIGIT)
    assert finding.rows == 2 and finding.cause == OnThreshold(3, 1, True, False)
    (finding,) = findings_of(small, Outcome.DECIDED)
    assert finding.rows == 8 and finding.cause == OnThreshold(3, 5, True, False)
    assert finding.digits.worst == pytest.approx(math.log10(2**53 / 12), abs=0.01)
