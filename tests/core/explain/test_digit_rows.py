"""Digits under digits: the red ones are wrong, the others right, and their number is the loss."""

from __future__ import annotations

import base64
import json
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.explain.created import digits_created
from eic_core.explain.digit_rows import (
    MOST_ROWS,
    PAD,
    SHOWN_DIGITS,
    STEPS_A_DIGIT,
    DigitRows,
    digit_rows,
    digits_under_digits,
)
from eic_core.explain.judgement import A_DIGIT
from eic_core.explain.phrases.headline import measured_mark
from eic_core.explain.verdict import verdict
from eic_core.formula.syntax import read
from eic_core.measure.measured import measured_loss
from eic_core.measure.observed import DIGITS, ROUNDOFF, digits_lost_by_row
from eic_core.operators.balls import rational, working
from tests.effort import examples
from tests.inspections import inspect_columns, inspect_ranges

DECADES = {"float32": 30, "float64": 280}


def rows_of(text: str, kind: str = "float64", better: str = "", **columns) -> DigitRows:
    inspection = inspect_columns(text, **columns)
    return digit_rows(inspection, kind, read(better).formula if better else None)


def shown_by(row) -> tuple[str, str]:
    """The exact value, and the computed one with its wrong digits between brackets."""
    text = row.computed
    return row.exact, f"{text[: row.right]}[{text[row.right : row.end]}]{text[row.end :]}"


def decimal(text: str) -> mpmath.mpf:
    head, _, power = text.replace(PAD, "").replace("−", "-").partition("·10")
    plain = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return mpmath.mpf(head) * mpmath.mpf(10) ** int(plain or 0)


def last_place(text: str) -> mpmath.mpf:
    """A unit in the last digit of a text."""
    head, power, rest = text.replace(PAD, "").partition("·10")
    digits = "".join("0" if c.isdigit() else c for c in head.replace("−", ""))
    return decimal(f"{digits[:-1]}1{power}{rest}")


values = st.tuples(
    st.integers(10**20, 10**21 - 1), st.floats(-1, 1), st.booleans(), st.floats(-1.0, 19.0)
)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@given(values)
@settings(max_examples=examples(300), deadline=None)
def test_the_right_digits_are_what_the_type_has_less_the_measured_loss(kind, value):
    mantissa, size, negative, accuracy = value
    exponent = round(size * DECADES[kind])
    exact = Fraction(mantissa, 10**20) * Fraction(10) ** exponent * (-1 if negative else 1)
    with mpmath.workdps(60), np.errstate(all="ignore"):
        x = mpmath.mpf(exact.numerator) / exact.denominator
        computed = float(np.dtype(kind).type(float(x * (1 + mpmath.mpf(10) ** -accuracy))))
        c = mpmath.mpf(computed)
        error = abs(c - x)
        loss = float(mpmath.log10(error / abs(x) / ROUNDOFF[kind])) if error else 0.0
        loss = min(max(0.0, loss), DIGITS[kind])
        with working(200):
            truth = arb(rational(exact))
        measured = float(digits_lost_by_row([truth], [computed], kind)[0])
        assert measured == pytest.approx(loss, abs=1e-6)
        text, (shown,) = digits_under_digits(truth, [(computed, measured)], kind)
        assert abs(decimal(text) - x) <= 0.500001 * last_place(text)
        assert abs(decimal(shown.text) - c) <= 0.500001 * last_place(shown.text)
    digits = SHOWN_DIGITS[kind]
    assert (shown.wrong == 0) == (measured < A_DIGIT)
    if measured >= A_DIGIT:
        # one more is red where the last that differs is off by one
        assert -2 < (digits - shown.wrong) - (DIGITS[kind] - loss) <= 1 + 1e-6
    red = [c for c in shown.text[shown.right : shown.end] if c.isdigit()]
    assert len(red) >= shown.wrong if shown.wrong == digits else len(red) == shown.wrong
    if 0 < shown.wrong < digits:  # the digits before differ by a carry at most
        heads = [t[: shown.right].replace(PAD, "").replace(".", "") for t in (text, shown.text)]
        a, b = (int(head.replace("−", "-")) for head in heads)
        assert abs(a - b) <= 1
        if a != b:
            assert heads[1].endswith(("0", "9"))


@pytest.mark.parametrize("kind", ["float32", "float64"])
@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6))
@settings(max_examples=examples(200), deadline=None)
def test_the_nearest_number_of_the_type_shows_no_wrong_digit(kind, exact):
    nearest = float(np.dtype(kind).type(exact.numerator / exact.denominator))
    with working(200):
        truth = arb(rational(exact))
    lost = float(digits_lost_by_row([truth], [nearest], kind)[0])
    _, (shown,) = digits_under_digits(truth, [(nearest, lost)], kind)
    assert (shown.wrong, shown.right) == (0, shown.end)


def test_wrong_digits_stand_under_the_right_ones_and_the_better_form_has_none():
    shown = rows_of("sqrt(x + 1) - sqrt(x)", better="1/(sqrt(x + 1) + sqrt(x))", x=[1e8])
    (row,) = shown.rows
    assert shown_by(row) == ("0.000049999999875000001", "0.000050000000[555883162]")
    assert (len(row.better), row.better_wrong, row.better_lost) == (len(row.exact), 0, 0.0)
    assert str(shown.sentence) == "At this row the last 9 of 17 digits are wrong."


@pytest.mark.parametrize(
    ("exact", "computed", "kind", "shown"),
    [
        # a carry through nines is no error of every digit
        ("9.99999999999", 10.00000000001, "float64", "10.0000000000[099991]"),
        ("10.0", 9.999999999, "float64", f"{PAD}9.99999999[9000000]"),
        # what differs by one is wrong where no nines are
        ("1.5032751715932893", 1.5032751715932999, "float64", "1.5032751715932[999]"),
        ("-0.0743136952", -0.0743137598, "float32", "−0.074313[7598]"),
        # less than a digit lost
        ("1.5032751715932893", 1.5032751715932897, "float64", "1.5032751715932897[]"),
        # another sign, and another size
        ("1.5", -1.5, "float64", "[−1.5000000000000000]"),
        ("-1.5", 1.5, "float64", f"{PAD}[1.5000000000000000]"),
        ("1.25e-20", 2.5e-9, "float64", "[2.5000000000000001·10⁻⁹]"),
        ("1.25", 12.5, "float64", "[12.5000000000000000]"),
        # what is no number, and what is 0
        ("1.25", math.inf, "float64", "[∞]"),
        ("1.25", -math.inf, "float32", "[−∞]"),
        ("1.25", math.nan, "float64", "[NaN]"),
        ("1.25", 0.0, "float32", "[0.00000000]"),
        ("1.25e-12", 0.0, "float32", "[0.00000000]·10⁻¹²"),
        ("0", 0.0, "float64", "0[]"),
        ("0", 2.0**-53, "float64", "[1.1102230246251565]·10⁻¹⁶"),
        # huge and tiny
        ("1.5e300", 1.5e300, "float64", "1.5000000000000001[]·10³⁰⁰"),
        ("1.5e30", 1.25e30, "float32", "1.[25000000]·10³⁰"),
        ("2.5e-300000", 0.0, "float64", "0.0000000000000000[]·10⁻³⁰⁰⁰⁰⁰"),
    ],
)
def test_digits_of_every_kind_of_result(exact, computed, kind, shown):
    with working(110):
        truth = arb(exact)
    lost = float(digits_lost_by_row([truth], [computed], kind)[0])
    above, (row,) = digits_under_digits(truth, [(computed, lost)], kind)
    text = f"{row.text[: row.right]}[{row.text[row.right : row.end]}]{row.text[row.end :]}"
    assert text == shown
    point = above.find("."), row.text.find(".")
    assert -1 in point or point[0] == point[1] or row.wrong == SHOWN_DIGITS[kind]


def test_an_exact_zero_takes_the_place_of_what_is_computed():
    above, _ = digits_under_digits(arb(0), [(2.0**-53, 15.95)], "float64")
    assert above == "0.0000000000000000·10⁻¹⁶"


def test_rows_stand_from_the_least_to_the_greatest_loss_and_equal_ones_by_sensitivity():
    inspection = inspect_columns("sqrt(x + 1) - sqrt(x)", x=np.geomspace(1, 1e8, 700))
    shown, loss = digit_rows(inspection), measured_loss(inspection)
    lost = [row.lost for row in shown.rows]
    assert lost == sorted(lost)
    assert len(shown.rows) <= MOST_ROWS < shown.compared == loss.rows
    marked = [shown.rows[at].lost for at in (shown.typical, shown.nine_in_ten, shown.worst)]
    assert marked == [loss.typical, loss.nine_in_ten, loss.worst]
    assert shown.worst == len(shown.rows) - 1
    assert shown.rows[-1].rank_share == 1.0
    _, s = inspection.amplification.trace(6)
    exact = [row for row in shown.rows if row.lost == 0]
    assert [s[row.position] for row in exact] == sorted(s[row.position] for row in exact)


def test_weights_of_rows_count_for_the_marks():
    inspection = inspect_ranges("(x + 1e6) - 1e6", 5000, seed=1, x="0:1")
    shown, loss = digit_rows(inspection), measured_loss(inspection)
    assert shown.rows[shown.typical].lost == loss.typical
    assert shown.rows[shown.nine_in_ten].lost == loss.nine_in_ten
    assert shown.rows[shown.typical].rank_share == pytest.approx(0.5, abs=0.02)


def test_steps_are_the_digits_of_every_node_at_each_row():
    text = "where(x > 0.7, x - 1, log(x)) + 2"
    inspection = inspect_columns(text, x=[0.5, 1.0000001, 3.0, 1.0])
    shown = digit_rows(inspection)
    count = len(inspection.formula)
    form = shown.to_json()
    steps = np.frombuffer(base64.b64decode(form["steps"]), np.uint8).reshape(-1, count)
    assert len(steps) == len(form["rows"]) == len(shown.rows) == 4
    for row, line in zip(shown.rows, steps, strict=True):
        s = [inspection.amplification.trace(node)[1][row.position] for node in range(count)]
        assert (line == 255).tolist() == np.isnan(s).tolist()
        assert (line == 254).tolist() == np.isinf(s).tolist()
        finite = np.isfinite(s)
        digits = np.log10(np.array(s)[finite])
        assert line[finite] / STEPS_A_DIGIT == pytest.approx(digits, abs=0.0201)
    assert {254, 255} <= set(steps.ravel().tolist())


def test_created_digits_are_those_of_the_result():
    inspection = inspect_columns("sqrt(x + 1) - sqrt(x)", x=[1e3, 1e5])
    shown = digit_rows(inspection)
    assert shown.created == tuple(digits_created(inspection, 6))
    assert sum(shown.created) == pytest.approx(inspection.nodes[6].local_eic)


def test_where_no_digit_is_lost_none_turns_red_and_the_sentence_says_so():
    shown = rows_of("x + 1", x=np.geomspace(1, 1e8, 500))
    assert all(row.wrong == 0 for row in shown.rows)
    assert str(shown.sentence) == (
        "No digit turns red: double precision is right within a digit at all 200 rows compared."
    )


def test_a_formula_without_values_has_no_rows():
    shown = rows_of("log(x)", x=[-1.0, -2.0])
    assert (shown.rows, shown.worst, shown.worst_row, shown.of) == ((), -1, None, 0)
    assert shown.steps.shape == (0, 2)
    assert all(map(math.isnan, shown.created))
    json.dumps(shown.to_json(), allow_nan=False)
    assert str(shown.sentence) == "No row has an exact value that double precision could hold."


def test_a_row_beyond_the_type_or_not_settled_is_not_compared():
    shown = rows_of("exp(x)", x=[800.0, 1.0])
    assert [row.position for row in shown.rows] == [1]
    assert rows_of("exp(x)", "float32", x=[80.0, 100.0]).compared == 1


@pytest.mark.parametrize(
    "text",
    ["n_rho*p_d**2*Ef/(3*kb*T)", "I_0*(exp(q*V/(kb*T)) - 1)", "G*m1*m2*(1/r2 - 1/r1)"],
)
def test_digits_are_red_where_the_headline_says_that_some_are_lost(text):
    inspection = inspect_ranges(text, 300)
    shown, judged = digit_rows(inspection), verdict(inspection)
    red = max(row.wrong for row in shown.rows)
    right_at_nine_in_ten = str(measured_mark(judged)).startswith("computed right")
    assert (red > 0) == (judged.measured.worst >= A_DIGIT)
    assert (str(measured_mark(judged)) == "computed right") == (red == 0)
    assert right_at_nine_in_ten == (shown.rows[shown.nine_in_ten].wrong == 0)


def test_what_underflows_beyond_the_type_is_not_compared():
    shown = rows_of("x**(-400)", x=[10.0, 2.0, 5.0])
    assert [row.position for row in shown.rows] == [1, 2]
    assert rows_of("x**(-400)", x=[10.0]).worst_row is None


def test_a_value_that_no_proof_settles_is_compared_as_far_as_it_is_known():
    zeros = rows_of("sqrt(x)**2 - x", x=[2.0])  # 0 to 300 digits
    assert zeros.worst_row.exact == "0.0000000000000000·10⁻¹⁶"
    assert zeros.worst_row.wrong == 17
    assert rows_of("1/(sqrt(x)**2 - x)", x=[2.0]).rows == ()


def test_a_result_below_the_normal_numbers_is_right_if_it_is_the_nearest():
    (row,) = rows_of("x*1e-320", x=[0.3]).rows
    assert (row.lost, row.wrong, row.right) == (0.0, 0, row.end)


def test_every_number_of_wrong_digits_has_its_sentence():
    form = rows_of("sqrt(x + 1) - sqrt(x)", x=np.geomspace(1, 1e8, 50)).to_json()
    assert set(form["sentences"]) == {str(row["wrong"]) for row in form["rows"]}
    assert form["sentence"] == form["sentences"][str(form["rows"][form["worst"]]["wrong"])]


def test_overflow_on_the_way_loses_every_digit():
    shown = rows_of("exp(x) / exp(x)", x=[1.0, 800.0])
    assert (shown.rows[-1].computed, shown.rows[-1].wrong) == ("NaN", 17)
    assert str(shown.sentence) == "At this row no digit is right."


def test_a_constant_formula_has_rows_without_inputs():
    shown = rows_of("0.1 + 0.2", x=[1.0, 2.0])
    assert {
        (row.exact, row.computed, row.wrong) for row in shown.rows
    } == {  # a neighbour of the nearest double
        ("0.30000000000000000", "0.30000000000000004", 0)
    }
    assert shown.rows[0].inputs == {}


def test_float32_has_nine_digits_and_inputs_of_its_own():
    (row,) = rows_of("x + 1 - x", "float32", x=[1e7 + 0.1]).rows
    assert (row.exact, row.computed, row.inputs) == ("1.00000000", "1.00000000", {"x": "1e+07"})
    (row,) = rows_of("x*x - 1", "float32", x=[1.0001]).rows
    assert sum(c.isdigit() for c in row.exact.lstrip("0.")) == 9


def test_json_of_a_formula_of_forty_nodes_is_small():
    text = "+".join(f"{name}*{name}*{k}.5" for k, name in enumerate("abcdefgh"))
    inspection = inspect_ranges(text, 2000)
    assert len(inspection.formula) >= 40
    assert len(json.dumps(digit_rows(inspection, better=inspection.formula).to_json())) < 40_000


def test_the_worst_row_carries_the_loss_of_the_verdict():
    inspection = inspect_columns("(1 - cos(x)) / x**2", x=np.geomspace(1e-9, 1, 300))
    assert digit_rows(inspection).worst_row.lost == verdict(inspection).measured.worst
