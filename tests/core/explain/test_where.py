"""The rows named carry what is said, and the curve and the interval are what N allows."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from eic_core.explain.settling import growth_of, interval_of
from eic_core.explain.where import chance_of_so_narrow, where
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from tests.core.measure.agreement import samples_of
from tests.core.measure.trees import random_case
from tests.effort import examples
from tests.inspections import inspect_columns, inspect_ranges


def told_of(found):
    return tuple(map(str, found.sentences))


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 10**6))
def test_no_smaller_set_of_rows_carries_as_much(seed):
    formula, table = random_case(seed)
    inspection = inspect(formula, samples_of(table))
    found = where(inspection, len(formula) - 1)
    _, s = inspection.amplification.trace(len(formula) - 1)
    s2 = sorted((v * v for v in s.tolist() if math.isfinite(v)), reverse=True)
    assume(s2)
    total = math.fsum(s2)
    for carriers in found.carriers:
        count = len(carriers.positions)
        share = math.fsum(found.shares[list(carriers.positions)])
        assert share == pytest.approx(carriers.share, rel=1e-9)
        assert share >= carriers.level * (1 - 1e-9)
        assert math.fsum(s2[:count]) / total == pytest.approx(share, rel=1e-9)
        assert math.fsum(s2[: count - 1]) / total < carriers.level * (1 + 1e-9)
    assert math.fsum(found.shares) == pytest.approx(1)
    assert set(found.singular) == set(np.flatnonzero(np.isinf(s)).tolist())


def test_rows_are_named_by_their_number_in_the_table():
    samples = Samples.from_columns({"x": [1.0, 2.0001, 3.0]}, rows=np.array([4, 17, 20]))
    found = where(inspect(read("x-2").formula, samples))
    assert told_of(found)[0] == (
        "One of 3 rows, row 17, gives over 99.9 % of the amplified noise at `x − 2`."
    )
    assert found.to_json()["carriers"][0]["rows"] == [17]


def test_a_handful_of_rows_is_named_with_what_vanishes_and_near_which_input():
    x = np.concatenate([np.linspace(3, 9, 497), [2 - 1e-6, 2 + 1e-6, 2 + 2e-6]])
    found = where(inspect_columns("exp(x)/(x-2)", x=x))
    # s^2 goes like 1/(x - 2)^2: 1e12, 1e12 and a quarter of that; two of them make 89 per cent
    assert told_of(found)[0] == (
        "3 of 500 rows give 99 % of the amplified noise at `x − 2` (rows 499, 498 and 500)."
    )
    assert [len(c.positions) for c in found.carriers] == [2, 3, 3]
    assert found.place is not None and found.place.crosses
    assert "`x − 2` crosses zero" in told_of(found)[1] and "`x` is near 2" in told_of(found)[1]


def test_an_amplification_alike_everywhere_is_said_to_be_all_over_the_data():
    found = where(inspect_ranges("10000*x-9999*x", x="1:5"))
    assert told_of(found)[0].startswith("All over the data") and found.place is None
    assert "expect 4.39 digits here" in str(found.interval.sentence)  # one number, named once


def test_a_masked_crossing_does_not_make_the_result_unsettled():
    inspection = inspect_ranges("x + 0.000001*sin(1000*x)", count=2_000, x="1:5")
    assert where(inspection, 6).interval.heavy
    root = where(inspection, 7)
    assert root.interval.obstacle is None and root.interval.high < 0.2


def test_a_pole_grows_by_half_a_digit_per_decade():
    """s^2 of 1/(x-2) has tail index 1/2: its mean over n grows like n."""
    u = (np.arange(20_000) + 0.5) / 20_000
    found = growth_of(1 + 2 * ((u + 1) / (u - 0.50001)) ** 2)
    assert found.per_decade == pytest.approx(0.5, abs=0.15)
    assert list(found.local_eic) == sorted(found.local_eic)


def test_the_curve_ends_at_the_local_eic_and_needs_enough_rows():
    s2 = np.random.default_rng(1).lognormal(3, 1, 4_000)
    found = growth_of(s2)
    assert found.counts == (250, 500, 1000, 2000, 4000)
    assert found.local_eic[-1] == pytest.approx(0.5 * math.log10(s2.mean()), rel=1e-12)
    assert found.low[-1] == found.high[-1] == found.local_eic[-1]
    middle = [0.5 * math.log10(s2[k * 250 : (k + 1) * 250].mean()) for k in range(16)]
    assert found.local_eic[0] == pytest.approx(np.mean(middle), abs=0.02)
    assert growth_of(s2[:31]) is None


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    """E[s^2] of a log-normal law is exp(mu + sigma^2 / 2); 95 % of 200 are 190 +- 3."""
    rng = np.random.default_rng(7)
    truth = 0.5 * (2 + 0.3**2 / 2) / math.log(10)
    hits = 0
    for _ in range(200):
        found = interval_of(rng.lognormal(2, 0.3, 400), False)
        hits += found.low <= truth <= found.high
    assert 180 <= hits <= 199


def test_with_very_many_rows_the_interval_is_that_of_the_central_limit():
    """1.96 standard errors of the mean either way; 200 resamples blur its ends by a tenth."""
    s2 = np.random.default_rng(8).lognormal(2, 0.5, 400_000)
    found = interval_of(s2, False)
    mean, error = s2.mean(), s2.std() / math.sqrt(len(s2))
    low, high = 10 ** (2 * found.low) - mean, 10 ** (2 * found.high) - mean
    assert low == pytest.approx(-1.96 * error, rel=0.35)
    assert high == pytest.approx(1.96 * error, rel=0.35)


@pytest.mark.parametrize("index", [0.5, 1.0, 1.5])
def test_no_interval_where_the_variance_does_not_exist(index):
    found = interval_of(1 + np.random.default_rng(3).pareto(index, 5_000), False)
    assert found.heavy and math.isnan(found.low)
    assert "too heavy" in str(found.sentence)


def test_rows_without_a_digit_and_data_without_a_value_are_told():
    texts, x = ("x-2", "x-x", "log(-x)"), [1.0, 2.0, 5.0, 9.0]
    found, nothing, invalid = (where(inspect_columns(text, x=x), 2) for text in texts)
    assert found.singular == (1,)
    told = "The amplification of `x − 2` is infinite at 1 sample (row 2)"
    assert any(told in s for s in told_of(found))
    assert told_of(nothing) == ("At every valid sample the amplification of `x − x` is infinite.",)
    assert told_of(invalid) == ("No sample has a usable value at every node.",)


@pytest.mark.parametrize(
    "text", ["1/(x-2)", "10000*x-9999*x", "x-x", "exp(10*x)", "x", "sin(1000*x)"]
)
def test_no_sentence_speaks_in_symbols(text):
    for sentence in told_of(where(inspect_ranges(text, count=400, x="1:5"))):
        said = re.sub("`[^`]*`", "", sentence)
        assert "E[" not in said and "s²" not in said and " N" not in said


@pytest.mark.parametrize(
    ("text", "near", "value"),
    [
        ("log(x)", 0.9989, lambda x: math.log(x)),
        ("log(x)", 1.0000000000000002, lambda x: math.log(x)),
        ("1/(x-2)", 2.0001220703125, lambda x: x - 2),
        ("x-0.1", 0.1001, lambda x: x - 0.1),
        ("x-1.5", 1.5000000001, lambda x: x - 1.5),
    ],
)
def test_an_input_is_shown_with_the_digits_that_make_the_value_beside_it(text, near, value):
    told = told_of(where(inspect_columns(text, x=[near, *np.linspace(3, 9, 60)])))[1]
    found = re.fullmatch(r"At the worst row `[^`]+`(?:, which .*,)? is (.+): `x` is (.+)\.", told)
    assert found, told
    raised = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
    shown, x = (
        float(re.sub(r"^(-?)10(?=-)", r"\g<1>1e", m.translate(raised)).replace("·10", "e"))
        for m in found.groups()
    )
    assert value(x) == pytest.approx(shown, rel=0.12)  # two digits of it are shown
    assert len(found[2].replace(".", "")) <= 3 + math.log10(1 / abs(value(near))) + 2


def test_inputs_that_a_few_rows_share_by_chance_are_not_told():
    inspection = inspect_ranges(
        "a*b-c*d+e1*f1-g*h", count=1_000, **dict.fromkeys("abcdgh", "1:5"), e1="1:5", f1="1:5"
    )
    place = where(inspection).place
    assert place is not None and place.crosses and place.inputs == ()


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(2, 6), st.floats(0.02, 0.9))
def test_the_chance_is_that_of_the_range_of_random_numbers(count, covered):
    """20,000 draws: the estimate lies within 4 standard errors (0.015) of the truth."""
    drawn = np.ptp(np.random.default_rng(5).random((20_000, count)), axis=1)
    assert chance_of_so_narrow(count, covered) == pytest.approx(
        np.mean(drawn <= covered), abs=0.015
    )


def test_a_place_is_told_with_the_share_of_its_rows_and_the_larger_part_first():
    """Two thirds of the noise come from large x, where x - 1 of the exponentials is not small."""
    inspection = inspect_ranges(
        "sqrt((exp(2*x)-1)/(exp(x)-1))", count=1_000, x="loguniform:0.001:700"
    )
    found = where(inspection, len(inspection.formula) - 1)
    x, shares = inspection.samples.columns["x"], found.shares
    far, near = found.places
    assert far.node_id is None and inspection.nodes[near.node_id].text == "exp(2·x) − 1"
    for place, rows in ((far, x > 100), (near, x < 0.01)):
        (interval,) = place.inputs
        within = (x >= interval.low) & (x <= interval.high)
        assert place.rows == within.sum() and (within <= rows).all()
        assert place.share == pytest.approx(shares[within].sum(), rel=1e-9)
        assert far.share > 0.6 > 0.3 > near.share
    assert "nearly zero" not in told_of(found)[1] and "nearly zero" in told_of(found)[2]
    assert found.to_json()["place"]["sentence"] == told_of(found)[1]


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10**6))
def test_the_places_share_the_rows_that_carry_90_per_cent(seed):
    formula, table = random_case(seed)
    found = where(inspect(formula, samples_of(table)), len(formula) - 1)
    for place in found.places:
        assert 0 < place.rows <= place.described == len(found.carriers[1].positions)
        assert 0 < place.share <= found.carriers[1].share + 1e-12
    assert sum(place.share for place in found.places) <= 1 + 1e-12
    if found.places and found.places[0].node_id is None:
        assert all(place.share < 0.5 for place in found.places[1:])
