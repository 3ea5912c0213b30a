"""q and own are what shaking the formula at high precision gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from eic_core.explain.conditioning import on_threshold, own_conditioning
from eic_core.explain.losses import class_tape, correlated_eic, correlated_trace
from eic_core.explain.writing import writing_loss
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula
from eic_core.measure import Samples, amplify
from eic_core.measure.measured import quantiles_of
from tests.core.explain.shaking import arrival, classes
from tests.core.measure.agreement import rows_of, samples_of
from tests.core.measure.oracle import BeyondReach, NoRealValue
from tests.core.measure.trees import random_case
from tests.effort import examples
from tests.inspections import inspect_columns

SMOOTH = frozenset(
    "variable constant add sub mul div neg power sqrt cbrt root pow hypot exp expm1 log log1p sin "
    "cos tan cot sec csc asin acos atan sinh cosh tanh asinh acosh atanh erf".split()
)


def q_of(text, **columns):
    return correlated_eic(read(text).formula, Samples.from_columns(columns))


def own_of(text, **columns):
    return own_conditioning(read(text).formula, Samples.from_columns(columns))


@st.composite
def smooth_case(draw):
    formula, table = random_case(draw(st.integers(0, 10**6)))
    assume({n.operator for n in formula.nodes} <= SMOOTH)
    return formula, table


def expected_q2(formula, cells):
    try:
        found = [arrival(formula, cells, group) for group in classes(formula)]
    except (NoRealValue, BeyondReach):
        return None
    return None if None in found else float(sum(g * g for g in found))


@settings(max_examples=examples(150), deadline=None)
@given(smooth_case())
def test_q_is_the_sum_over_classes_of_squared_responses_to_one_shared_noise(case):
    formula, table = case
    q = correlated_trace(formula, samples_of(table))
    _, s = amplify(formula, samples_of(table)).trace(len(formula) - 1)
    for row, cells in enumerate(rows_of(table)):
        if not (math.isfinite(q[row]) and s[row] < 1e12) or "0" in cells.values():
            continue
        expected = expected_q2(formula, cells)
        if expected is not None and expected < 1e60:
            # the values themselves are known to u s, and q moves with them
            allowed = max(1e-9, 1e-15 * s[row] ** 2)
            assert q[row] ** 2 == pytest.approx(expected, rel=allowed, abs=allowed), (
                to_python(formula),
                cells,
            )


@settings(max_examples=examples(150), deadline=None)
@given(smooth_case())
def test_own_is_the_response_to_the_inputs(case):
    formula, table = case
    for cells in rows_of(table):
        samples = Samples.from_columns({name: [float(c)] for name, c in cells.items()})
        found = own_conditioning(formula, samples)
        s2 = amplify(formula, samples).mean_s2(len(formula) - 1)
        if not math.isfinite(found.own) or not s2 < 1e24 or "0" in cells.values():
            continue
        expected = 1.0
        try:
            for name in formula.variables:
                shaken = [n.id for n in formula.nodes if n.label == name and n.is_leaf]
                moved = arrival(formula, cells, shaken)
                expected = math.nan if moved is None else expected + float(moved) ** 2
        except (NoRealValue, BeyondReach):
            continue
        if expected < 1e60:
            allowed = max(1e-9, 1e-15 * s2)
            assert 10 ** (2 * found.own) == pytest.approx(expected, rel=allowed, abs=allowed), (
                to_python(formula),
                cells,
            )


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(0, 10**6))
def test_q_equals_s_where_no_subtree_is_repeated(seed):
    formula, table = random_case(seed)
    assume(all(len(group) == 1 for group in classes(formula)))
    samples = samples_of(table)
    amplification = amplify(formula, samples)
    q = correlated_trace(formula, samples)
    _, s = amplification.trace(len(formula) - 1)
    # each value, and with it both, is known to s u: 10^(EIC - 15.5), as agreement is promised
    worst = np.max([amplification.trace(k)[1] for k in range(len(formula))], axis=0)
    for row in np.flatnonzero(amplification.valid):
        assert q[row] == pytest.approx(s[row], rel=max(1e-9, worst[row] * 10**-15.5)), row


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(0, 10**6))
def test_q_squared_is_at_most_the_largest_class_times_s_squared(seed):
    """Cauchy-Schwarz: (sum of m numbers)^2 <= m times the sum of their squares."""
    formula, table = random_case(seed)
    samples = samples_of(table)
    amplification = amplify(formula, samples)
    _, s = amplification.trace(len(formula) - 1)
    q = correlated_trace(formula, samples)
    most = max(map(len, classes(formula)))
    with np.errstate(invalid="ignore"):
        finite = amplification.valid & np.isfinite(s)
    known = 1 + np.maximum(1e-9, s[finite] * 10**-15.5)
    assert (q[finite] <= math.sqrt(most) * s[finite] * known).all()


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(0, 10**6))
def test_own_is_at_most_q(seed):
    """The variables are classes, and so is the root, whose own rounding arrives whole.

    At a tie of min or max own follows all that attain the value, q the noisier.
    """
    formula, table = random_case(seed)
    assume(len(formula) > 1)
    samples = samples_of(table)
    assume(not on_threshold(formula, samples).any())
    q = correlated_eic(formula, samples)
    own = own_conditioning(formula, samples)
    assert own.valid == q.valid
    if q.singular == own.singular and q.valid > q.singular:
        assert own.own_finite <= q.q_eic_finite + 1e-9


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 10**6), st.randoms(use_true_random=False))
def test_q_does_not_depend_on_the_order_of_operands_of_sums_and_products(seed, rng):
    formula, table = random_case(seed)

    def shuffled(draft):
        children = [shuffled(child) for child in draft.children]
        if draft.operator in ("add", "mul"):
            rng.shuffle(children)
        return Draft(draft.operator, children, draft.label, draft.parameter)

    samples = samples_of(table)
    other = Formula.from_draft(shuffled(formula.to_draft()))
    a, b = correlated_eic(formula, samples), correlated_eic(other, samples)
    assert a.valid == b.valid and a.singular == b.singular
    assert len(class_tape(formula).steps) == len(class_tape(other).steps)
    assert b.q_eic_finite == pytest.approx(a.q_eic_finite, abs=1e-6, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "q2"),
    [
        ("x*x", 5.0),  # 1 + 2^2: both factors carry the same error
        ("x**2", 5.0),
        ("x*y", 3.0),
        ("x+x", 2.0),
        ("2*x", 3.0),
        ("10000*x - 9999*x", 399960004.0),  # 1 + 2 10000^2 + 2 9999^2 + (10000 - 9999)^2
        ("exp(x-x)", 1.0),
        ("(x+y)*(y+x)", None),
    ],
)
def test_q_of_small_formulas(text, q2):
    found = q_of(text, x=[1.0, 3.0], y=[2.0, 3.0])
    if q2 is None:  # one class for both sums: 1 + 2^2 (1 + (x/(x+y))^2 + (y/(x+y))^2)
        q2 = 1 + 4 * (1 + (1 / 9 + 4 / 9 + 1 / 4 + 1 / 4) / 2)
    assert 10 ** (2 * found.q_eic) == pytest.approx(q2, rel=1e-10)


def test_constants_of_equal_value_share_their_noise():
    found = q_of("(2*x)/(2.0*x)", x=[1.0])
    assert found.q_eic == pytest.approx(0.0, abs=1e-12)  # the quotient of a number by itself


def test_the_quotient_of_a_sub_result_by_itself_is_exact_but_for_its_own_rounding():
    found = q_of("sin(x*y)/sin(y*x)", x=[1.2, 3.4], y=[2.5, 2.3])
    assert found.q_eic == pytest.approx(0.0, abs=1e-9)
    assert found.root_eic > 0.5


def test_samples_beyond_double_precision_are_settled_exactly():
    # (x + 1e17) - 1e17 is x; each sum loses 17 digits, of which 1e17 itself cancels.
    formula = read("(x + 1e17) - 1e17").formula
    samples = Samples.from_columns({"x": [0.5, 1.5]})
    checked, unchecked = (own_conditioning(formula, samples, recheck=k).own for k in (True, False))
    assert checked == pytest.approx(0.5 * math.log10(2), abs=1e-9)
    assert unchecked != pytest.approx(checked, abs=1e-3)


def test_equal_functions_have_equal_conditioning_however_they_are_written():
    x = np.random.default_rng(0).uniform(1e3, 1e6, 400)
    one, other = (
        own_of(text, x=x).own for text in ("sqrt(x+1) - sqrt(x)", "1/(sqrt(x+1) + sqrt(x))")
    )
    assert one == pytest.approx(other, abs=1e-6)
    assert one == pytest.approx(0.5 * math.log10(1.25), abs=1e-3)  # ~ x^(-1/2) / 2


def test_an_input_that_cancels_has_no_influence():
    found = own_of("y + (x - x)", x=[1.2, 3.4], y=[4.1, 2.3])
    assert {v.name: v.rms for v in found.variables} == pytest.approx({"x": 0, "y": 1}, rel=1e-12)


def test_no_valid_sample_gives_nan_and_a_zero_of_the_function_counts_as_singular():
    nothing = own_of("log(x)", x=[-1.0, -2.0])
    assert math.isnan(nothing.own) and nothing.valid == 0
    at_zero = own_of("x - 1", x=[1.0, 3.0])
    assert at_zero.own == math.inf and at_zero.singular == 1
    assert 10 ** (2 * at_zero.own_finite) == pytest.approx(1 + 1.5**2)
    at_limit = own_of("sin(x)", x=[0.0])  # kappa -> 1 at the zero of a sine
    assert 10 ** (2 * at_limit.own) == pytest.approx(2)


def test_of_a_zero_that_is_only_assumed_no_conditioning_is_told():
    """That of 1 - erf is 2x^2 there, 6.3 digits, but the value is 10^-434298 (by mpmath)."""
    found, proved = (own_of(text, x=[1000.0, 1001.5]) for text in ("1 - erf(x)", "2*x - x - x"))
    assert math.isnan(found.own) and math.isnan(found.own_finite)
    assert (found.valid, found.singular, found.unsettled) == (0, 0, 2)
    assert proved.own == proved.own_finite == 0 and proved.unsettled == 0


def test_more_digits_of_the_noise_look_for_a_zero_as_deep_as_the_values_did():
    """By hand: 1 - tanh(x) is 2 exp(-2x) to 10^-1000, so that x is amplified 2x times."""
    text = "1 - tanh(x) - (1 - tanh(2*x))"
    found = own_of(text, x=[1100.0])
    assert 10**found.own == pytest.approx(math.hypot(1, 2200), rel=1e-9)
    beyond = own_of(text, x=[1160.0, 1200.0])  # below 10^-1000
    assert math.isnan(beyond.own) and beyond.unsettled == 2
    left = writing_loss(inspect_columns(text, x=[1100.0, 1160.0, 1200.0]))
    assert (left.compared, left.singular, left.unsettled) == (0, 3, 2)


@pytest.mark.parametrize(("x", "jumps"), [(3.0, True), (3.5, False)])
def test_a_tie_that_no_ball_shows_leaves_the_result_no_digit(x, jumps):
    """0.3 is 1 1/2 times 0.2: -0.1 is left, or 0.1."""
    found = q_of("remainder(0.1*x, 0.2)", x=[x])
    assert [math.isinf(found.q_eic), math.isinf(found.root_eic)] == [jumps] * 2


@pytest.mark.parametrize(
    ("text", "inputs", "nothing"),
    [
        ("1 - tanh(1200*pi)", {"x": [1.0]}, 0),  # 10^-3274: a constant, but not 0
        ("1 - tanh(x)", {"x": [1200.0]}, 0),
        ("exp(x) - 1", {"x": [0.0]}, 0),  # x, beside it
        ("exp(x*y) - 1", {"x": [0.0], "y": [3.0]}, 0),
        ("(x + 1)**2 - x**2 - 2*x - 1", {"x": [0.0]}, 1),
        ("abs(x) - max(x, -x)", {"x": [1.0]}, 1),
        ("abs(x) - max(x, -x)", {"x": [0.0]}, 0),  # its noise is finite: there is none
    ],
)
def test_a_function_is_0_where_it_is_proved_and_stays_0_beside_an_input_of_0(text, inputs, nothing):
    assert writing_loss(inspect_columns(text, **inputs)).nothing == nothing


def test_a_value_is_compared_to_itself_without_a_jump():
    """Shared noise moves both sides alike; independent noise turns the condition."""
    found = q_of("where(y > y, 1, 2)", y=[1.0, 2.0])
    assert math.isinf(found.root_eic) and found.q_eic < 1
    samples = Samples.from_columns({"y": [1.0, 2.0]})
    assert correlated_trace(read("y > y").formula, samples).min() >= 1


def test_sample_that_more_digits_do_not_settle_keeps_what_fewer_say() -> None:
    assert q_of("1/(asin(z**2) - z**2)", z=[5.835453606023389e-299]).q_eic == math.inf


# --- the digits that a writing adds, row by row, beside their mean


def added_by(text, **columns):
    return writing_loss(inspect_columns(text, **columns))


def test_rows_that_are_alike_add_what_the_mean_adds():
    added = added_by("10000*x - 9999*x", x=[1.0, 2.0, 4.0])
    assert added.added.typical == pytest.approx(added.loss)
    assert added.added.worst == pytest.approx(added.loss)


def test_the_digits_of_each_row_are_q_over_the_functions_own():
    x = np.geomspace(1.0, 1e8, 400)
    result = added_by("sqrt(x + 1) - sqrt(x)", x=x)
    # x f'/f of the function itself, at most one half in size
    own2 = 1 + np.square(0.5 * np.sqrt(x / (x + 1)))
    q = correlated_trace(read("sqrt(x + 1) - sqrt(x)").formula, Samples.from_columns({"x": x}))
    digits = np.log10(q) - 0.5 * np.log10(own2)
    expected = quantiles_of(digits)
    assert result.added.typical == pytest.approx(expected.typical, abs=1e-6)
    assert result.added.nine_in_ten == pytest.approx(expected.nine_in_ten, abs=1e-6)
    assert result.added.worst == pytest.approx(expected.worst, abs=1e-6)


@pytest.mark.parametrize("text", ["sqrt(x + 1) - sqrt(x)", "x*x - x*x*(1 - 1/x)", "(x - 1)**2"])
def test_the_mean_lies_between_the_least_and_the_most_that_a_row_adds(text):
    x = np.linspace(2.0, 900.0, 60)
    result = added_by(text, x=x)
    by_row = [added_by(text, x=[value]).loss for value in x.tolist()]
    assert min(by_row) - 1e-9 <= result.loss <= max(by_row) + 1e-9
    assert result.added.worst == pytest.approx(max(by_row), abs=1e-6)
    assert result.added.typical == pytest.approx(quantiles_of(np.array(by_row)).typical, abs=1e-6)


def test_a_row_at_which_the_writing_alone_keeps_no_digit_adds_infinitely_many():
    assert added_by("(x + 1e35) - 1e35", x=[1.0, 2.0]).added.worst == math.inf


def test_rows_at_which_the_function_itself_keeps_no_digit_add_none():
    added = added_by("x - 1", x=[1.0, 2.0]).added
    assert added.worst == pytest.approx(added_by("x - 1", x=[2.0]).loss, abs=1e-9)


def test_without_values_nothing_is_added():
    assert math.isnan(added_by("log(x)", x=[-1.0]).added.worst)
