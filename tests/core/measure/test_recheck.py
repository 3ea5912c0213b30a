"""Which samples are settled exactly, in which order, and what becomes of the rest."""

from __future__ import annotations

import pickle

import mpmath
import numpy as np
import pytest

from eic_core.explain.diagnosis import diagnose
from eic_core.explain.losses import correlated_eic
from eic_core.formula.syntax import read
from eic_core.measure import Domain, Samples, amplify, inspect, sample_domains
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import Outcome
from tests.core.measure.agreement import disagreements
from tests.findings import findings_of, rows_of
from tests.inspections import settle_at_most


def overflowing(rows: int) -> np.ndarray:
    """x at which exp(1000 x) overflows in every second row."""
    return np.where(np.arange(rows) % 2, 0.5, 0.75 + np.arange(rows) * 1e-5)


def test_overflow_is_settled_in_row_order(monkeypatch: pytest.MonkeyPatch) -> None:
    settle_at_most(monkeypatch, 1000, "exp(1000*x)/exp(999*x)")
    x = overflowing(3000)
    result = amplify(read("exp(1000*x)/exp(999*x)").formula, Samples.from_columns({"x": x}))
    overflow = np.flatnonzero(1000 * x > 709.8)
    assert result.rechecked == 1000
    assert result.exact.rows.tolist() == overflow[:1000].tolist()
    assert len(result.unsettled) == len(overflow) - 1000 == 500
    assert not result.valid[overflow[1000:]].any() and result.valid_count == 2500
    assert result.first_invalid == {3: 500}  # at exp(1000 x), where range was left
    assert result.unsettled_at == {3: 500}


def test_row_order_runs_through_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    settle_at_most(monkeypatch, 1000, "exp(400*x)/exp(399*x)")
    x = np.full(40_000, 1.5)
    late = np.arange(39_000, 40_000)
    x[10], x[20_000], x[late] = 2.0, 2.1, 2.0 + 1e-7 * (late - 38_999)
    result = amplify(read("exp(400*x)/exp(399*x)").formula, Samples.from_columns({"x": x}))
    assert result.exact.rows[:3].tolist() == [10, 20_000, 39_000]
    assert (result.rechecked, len(result.unsettled)) == (1000, 2)
    assert np.flatnonzero(~result.valid).tolist() == [39_998, 39_999]


def test_all_samples_that_need_it_are_settled() -> None:
    samples = sample_domains({"x": Domain("uniform", 0, 40)}, count=20_000)
    result = inspect(read("exp(-x*x)").formula, samples)
    counts = result.counts
    assert counts.rechecked > 6000 and counts.unresolved == 0 and counts.valid == 20_000
    # -x*x is (-x)*x: s^2 is 1, 2, 1 + 2 + 1 = 4, and 1 + kappa^2 4 at the exponential
    x = samples.columns["x"]
    assert result.eic == pytest.approx(0.5 * np.log10(np.mean(1 + 4 * x**4)), abs=1e-9)


@pytest.mark.parametrize(
    "text",
    ["exp(-x*x)", "((1+x)-1)/x", "1/(1+exp(-x))", "2*x-x-x", "where(x+1e16-1e16 > 2, x, -x)"],
)
def test_what_the_check_did_not_reach_is_in_no_number(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers of the others are those of a table without them."""
    settle_at_most(monkeypatch, 40, text)
    domain = Domain("loguniform", 1e-20, 1) if "1+x" in text else Domain("uniform", -3000, 3000)
    domain = Domain("uniform", 1, 3) if "where" in text or text == "2*x-x-x" else domain
    samples = sample_domains({"x": domain}, count=240)
    found = inspect(read(text).formula, samples)
    left_out = found.amplification.unsettled
    assert found.counts.left_out == len(left_out) > 20
    kept = np.setdiff1d(np.arange(240), left_out)
    alone = inspect(read(text).formula, samples.take(kept))
    assert alone.counts.left_out == 0 and alone.counts.valid == found.counts.valid
    for one, other in zip(found.nodes, alone.nodes, strict=True):
        assert other.local_eic == pytest.approx(one.local_eic, rel=1e-12)
        assert other.singular == one.singular
    assert rows_of(found, Outcome.NOT_CHECKED) == left_out.tolist()
    groups = findings_of(found, Outcome.NOT_CHECKED)
    assert sum(group.rows or 0 for group in groups) == len(left_out)
    assert {group.cause.checked for group in groups} == {found.counts.rechecked}
    rest, others = outcomes(found), outcomes(alone)
    assert rest.kinds[kept].tolist() == others.kinds.tolist()
    assert rest.digits[kept] == pytest.approx(others.digits, nan_ok=True)
    blamed = [
        " ".join(map(str, diagnose(i).ledger.sentences)).replace("valid ", "")
        for i in (found, alone)
    ]
    assert blamed[0] == blamed[1]
    sent = pickle.loads(pickle.dumps(found))  # as from a worker
    assert diagnose(sent).to_json() == diagnose(found).to_json()
    left, right = (correlated_eic(i.formula, i.samples).q_eic for i in (found, alone))
    assert left == pytest.approx(right, rel=1e-12)


def test_nothing_is_rechecked_when_told_not_to_and_wider_exponents_take_what_overflows() -> None:
    samples = Samples.from_columns({"x": overflowing(10)})
    formula = read("exp(1000*x)/exp(999*x)").formula
    result = amplify(formula, samples, recheck=False)
    assert (result.rechecked, len(result.unsettled), result.out_of_range) == (0, 0, 5)
    exactly = amplify(formula, samples)
    assert result.valid_count == exactly.valid_count == 10
    assert result.finite_sum == pytest.approx(exactly.finite_sum, rel=1e-11)


def test_ordinary_samples_are_not_rechecked() -> None:
    rng = np.random.default_rng(0)
    samples = Samples.from_columns({"x": rng.uniform(-2, 2, 2000), "y": rng.integers(0, 9, 2000)})
    for text in (
        "x*y + exp(x)/(1+y)",
        "x - 1.5",
        "floor(x)",
        "max(x, y) + max(0, y)",
        "asin(x/2)",
        "sign(y)",
        "0*x + y",
        "floor(y + 0.5)",
    ):
        counts = inspect(read(text).formula, samples).counts
        assert (counts.rechecked, counts.unresolved, counts.valid) == (0, 0, 2000), text


def test_singular_samples_stay_singular_and_are_reported() -> None:
    samples = Samples.from_columns({"x": np.arange(1.0, 1501.0)})
    for text, rechecked in (("x-x", 0), ("2*x-x-x", 1500)):
        counts = inspect(read(text).formula, samples).counts
        assert (counts.rechecked, counts.unresolved) == (rechecked, 0)
        assert counts.valid == counts.singular == 1500


def test_fewer_than_three_digits_left_means_a_recheck() -> None:
    for offset, expected in ((1e-12, 0), (1e-14, 1)):
        samples = Samples.from_columns({"x": [1.0 + offset]})
        assert amplify(read("x-1").formula, samples).rechecked == expected


def test_value_below_double_range_is_kept_apart_from_a_true_zero() -> None:
    result = amplify(read("log(x*x)").formula, Samples.from_columns({"x": [1e-200, 0.0]}))
    assert result.rechecked == 1 and result.valid.tolist() == [True, False]


def test_number_below_full_precision_is_read_as_the_decimal_written() -> None:
    for text in ("log(x) + 736.8", "x/1e-300 + 2e-20"):
        wrong, _, found = disagreements(read(text).formula, {"x": ["1e-320", "3e-320"]})
        assert not wrong and found.rechecked == 2


def test_amplification_above_ten_to_thirty_is_singular() -> None:
    for tiny, singular in (("1e-29", 0), ("1.74e-30", 0), ("1.72e-30", 1), ("1e-31", 1)):
        formula = read(f"(1 + {tiny}*x) - 1").formula  # s = sqrt(3) / tiny
        assert amplify(formula, Samples.from_columns({"x": [1.0]})).singular[-1] == singular


def test_value_beyond_ten_to_a_million_is_invalid() -> None:
    samples = Samples.from_columns({"x": [2.3e6, 2.31e6, -2.3e6, -2.31e6, -1e15, -1e16]})
    result = amplify(read("exp(x)").formula, samples)
    assert result.valid.tolist() == [True, False, True, True, False, False]
    assert (result.rechecked, len(result.unsettled)) == (6, 0)


def test_samples_whose_rule_hangs_on_a_rounding_are_rechecked() -> None:
    tenths = np.arange(1, 100) / 10
    result = amplify(read("floor(x*30)").formula, Samples.from_columns({"x": tenths}))
    assert result.singular[3] == len(tenths)  # all of 3, 6, 9, ... as decimals
    result = amplify(read("floor(x*30+0.5)").formula, Samples.from_columns({"x": tenths}))
    assert result.singular[5] == 0 and result.rechecked == 0


def test_samples_in_doubt_do_not_take_the_place_of_those_that_left_double_range(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settle_at_most(monkeypatch, 1000, "floor(x*3*10)*log(exp(x)) + y")
    x = np.concatenate([np.full(1500, 0.1), np.full(1200, 800.0)])
    formula = read("floor(x*3*10)*log(exp(x)) + y").formula  # y tells the samples apart
    result = amplify(formula, Samples.from_columns({"x": x, "y": np.arange(2700.0)}))
    assert (result.rechecked, len(result.unsettled)) == (1000, 200)
    assert result.valid_count == 2500


def test_progress_runs_to_one() -> None:
    seen: list[float] = []
    samples = Samples.from_columns({"x": np.linspace(800, 801, 200)})
    amplify(read("log(exp(x))").formula, samples, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == 1.0 and len(seen) > 100


@pytest.mark.parametrize("value", (1e200, 1e300))
def test_sine_of_a_huge_argument_is_that_of_the_decimal_written(value: float) -> None:
    y, s = amplify(read("sin(x)").formula, Samples.from_columns({"x": [value]})).trace(1)
    with mpmath.workdps(700):
        expected = float(mpmath.sin(mpmath.mpf(repr(value))))
    assert y[0] == pytest.approx(expected, abs=1e-15) and s[0] == np.inf
