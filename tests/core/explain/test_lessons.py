"""Every lesson of the gallery: its diagnosis in words, and its numbers by other means.

Closed forms below are derived by hand from the stable form of each formula; on a few rows
everything is compared with shaken nodes at 340 digits as well.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from mpmath import mp

from eic_core.explain.conditioning import own_conditioning
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.findings import Cancellation, Extent
from eic_core.explain.ledger import blame
from eic_core.explain.losses import correlated_trace
from eic_core.explain.verdict import Lead, Level
from eic_core.explain.writing import writing_loss
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect, sample_domains
from eic_core.rewriting import repair
from pages.ui.inspector.formula_input import EXAMPLES, example
from tests.core.explain.shaking import arrival, classes
from tests.effort import dear
from tests.inspections import inspect_columns

KEYS = [e.key for e in EXAMPLES]


@cache
def diagnosis_of(key):
    e = example(key)
    formula = read(e.formula, syntax=e.syntax).formula
    return diagnose(inspect(formula, sample_domains(dict(e.domains), count=e.samples)))


def columns(key):
    return diagnosis_of(key).inspection.samples.columns


def half_log10_mean(values):
    return 0.5 * math.log10(np.mean(values))


def cot_chain(x):
    """x d/dx of ln sin(sin(cot x))."""
    c = 1 / np.tan(x)
    return -x * (1 + c**2) * np.cos(c) * np.cos(np.sin(c)) / np.sin(np.sin(c))


def density(c):
    u = (c["theta"] - c["theta1"]) / c["sigma"]
    return [-c["theta"] * u / c["sigma"], c["theta1"] * u / c["sigma"], u**2 - 1]


def friction(c):
    a, b = (0.1997 * c["x1"]) ** -20.601677, (0.354601 * c["x2"]) ** -165.300293
    half = 0.024817 / 2
    return [half * -20.601677 * a / (a + b), half * -165.300293 * b / (a + b)]


CONDITION_NUMBERS = {
    "cancellation": lambda c: [np.ones(10_000)],  # the formula is x
    "masked": lambda c: [np.ones(1_000)],  # so is this one
    "roots": lambda c: [-0.5 * np.sqrt(c["x"] / (c["x"] + 1))],
    "half-angle": lambda c: [c["x"] / np.tan(c["x"] / 2) - 2],
    "nested": lambda c: [cot_chain(c["x"])],
    "branch": lambda c: [
        (c["x"] + 1e-3 * c["x"] * np.cos(1000 * c["x"])) / (c["x"] + 1e-6 * np.sin(1000 * c["x"]))
    ],
    "pole": lambda c: [c["x"] / (c["x"] - 2)],
    "tail": density,
    "law": lambda c: [1.0, 1.0, -1.0, -2.0 * np.ones(10_000)],
    "found": friction,
}


@pytest.mark.parametrize("key", KEYS)
def test_own_conditioning_is_that_of_the_function_worked_out_by_hand(key):
    kappas = CONDITION_NUMBERS[key](columns(key))
    expected = half_log10_mean(1 + sum(np.square(k) for k in kappas))
    assert diagnosis_of(key).writing.own == pytest.approx(expected, abs=2e-5)


@dear(3)
@pytest.mark.parametrize("key", KEYS)
def test_blame_q_and_own_agree_with_shaken_nodes_at_340_digits(key):
    whole = diagnosis_of(key).inspection
    formula = whole.formula
    few = 6
    samples = Samples.from_columns(
        {name: whole.samples.columns[name][:few] for name in formula.variables}
    )
    inspection = inspect(formula, samples)
    cells = [{name: samples.decimal(name, row) for name in formula.variables} for row in range(few)]
    root = len(formula) - 1
    for target in {inspection.finite_worst_step, root}:
        squares = [
            sum(float(arrival(formula, row, [k], target)) ** 2 for row in cells)
            for k in range(formula.first[target], target + 1)
        ]
        for row, square in zip(blame(inspection, target).rows, squares, strict=True):
            assert row.share == pytest.approx(square / sum(squares), abs=1e-6)
    q = correlated_trace(formula, samples)
    for value, row in zip(q, cells, strict=True):
        q2 = sum(float(arrival(formula, row, group)) ** 2 for group in classes(formula))
        assert value == pytest.approx(math.sqrt(q2), rel=1e-6)
    own2 = 1 + np.mean(
        [
            sum(
                float(arrival(formula, row, [n.id for n in formula if n.label == name])) ** 2
                for name in formula.variables
            )
            for row in cells
        ]
    )
    assert 10 ** (2 * own_conditioning(formula, samples).own) == pytest.approx(own2, rel=1e-6)


def test_cancellation_is_the_fault_of_the_writing():
    found = diagnosis_of("cancellation")
    q2 = 1 + 2 * 10_000**2 + 2 * 9_999**2 + (10_000 - 9_999) ** 2
    assert found.writing.q == pytest.approx(0.5 * math.log10(q2), abs=1e-9)
    assert found.writing.own == pytest.approx(0.5 * math.log10(2), abs=1e-9)
    shares = [row.share for row in found.ledger.rows]
    s2 = 1 + 3 * 10_000**2 + 3 * 9_999**2
    assert shares[:3] == pytest.approx([10_000**2 / s2] * 3, rel=1e-9)
    what, why, where, whose = found.sentences
    approx_kept = pytest.approx(1 / 19_999)
    assert found.verdict.leading.cause == Cancellation(6, Extent.EVERYWHERE, approx_kept)
    assert str(what) == str(found.verdict.sentence) and "amplified 10,000 times" in str(why)
    assert where.startswith("All over the data")
    assert whose == (
        "With shared noise errors grow by 4.30 digits up to the result, in the mean; 4.15 of them "
        "are added by the writing. "
        "Here copies of a number share their noise; with independent noise, as EIC has it, "
        "errors grow by 4.39 digits up to the result."
    )


def test_the_logarithm_brings_back_what_the_exponential_lost():
    found = diagnosis_of("masked")
    x = columns("masked")["x"]
    assert found.ledger.target == 1
    assert found.ledger.rows[0].share == pytest.approx(np.mean(x**2) / np.mean(1 + x**2), rel=1e-9)
    root = blame(found.inspection, 2)
    assert root.masked == (1,)
    assert root.rows[1].share == pytest.approx(np.mean(x**-2.0) / np.mean(2 + x**-2.0), rel=1e-6)
    assert found.writing.q == pytest.approx(half_log10_mean(2 + x**-2.0), abs=1e-9)
    assert "EIC is 3.00 digits, most of them at `exp(x)`" in found.sentences[3]


def test_the_roots_cancel_where_x_is_large_and_the_writing_is_to_blame():
    found = diagnosis_of("roots")
    x = columns("roots")["x"]
    a = np.sqrt(x + 1) * (np.sqrt(x + 1) + np.sqrt(x))  # what arrives of the rounding of sqrt(x+1)
    b = np.sqrt(x) * (np.sqrt(x + 1) + np.sqrt(x))
    parts = {
        "x": (a / 2 * x / (x + 1)) ** 2,
        "1": (a / 2 / (x + 1)) ** 2,
        "x+1": (a / 2) ** 2,
        "left": a**2,
        "x right": (b / 2) ** 2,
        "right": b**2,
        "root": np.ones_like(x),
    }
    s2 = sum(parts.values())
    assert found.inspection.eic == pytest.approx(half_log10_mean(s2), abs=1e-6)
    for row, part in zip(found.ledger.rows, parts.values(), strict=True):
        assert row.share == pytest.approx(np.sum(part) / np.sum(s2), abs=1e-6)
        assert row.mean_share == pytest.approx(np.mean(part / s2), abs=1e-6)
    ordered = np.sort(s2 - 2)[::-1]  # at x - 2, without the quotient and its 1
    needed = int(np.searchsorted(np.cumsum(ordered), 0.9 * ordered.sum())) + 1
    assert len(found.where.carriers[1].positions) == pytest.approx(needed, abs=1)
    assert f"{len(found.where.carriers[1].positions):,} of 10,000 rows" in found.sentences[2]
    most = np.argsort(-s2)[: len(found.where.carriers[1].positions)]
    place = found.where.place.inputs[0]
    assert (place.low, place.high) == pytest.approx((x[most].min(), x[most].max()), rel=1e-3)
    assert found.writing.place == "writing"


def test_the_half_angle_cancels_near_zero_and_the_writing_is_to_blame():
    found = diagnosis_of("half-angle")
    x = columns("half-angle")["x"]
    gap = 2 * np.sin(x / 2) ** 2  # 1 - cos x without the loss
    parts = [1 / gap**2, (x * np.sin(x) / gap) ** 2, (np.cos(x) / gap) ** 2, np.ones_like(x)]
    s2 = sum(parts) + 1 + 4 + 1  # the square, the x below it, and the quotient's own rounding
    assert found.inspection.eic == pytest.approx(half_log10_mean(s2), abs=1e-6)
    total = np.sum(s2)
    one, cosine = (found.ledger.rows[k].share for k in (0, 2))
    assert (one, cosine) == pytest.approx((np.sum(parts[0]) / total, np.sum(parts[2]) / total))
    assert "error of the constant `1` and the rounding of `cos(x)`" in found.sentences[1]
    assert "`x` is between 10⁻⁴ and 1.8·10⁻⁴" in found.sentences[2]
    assert "added by the writing" in str(found.sentences[3])


def test_the_nested_sine_is_sensitive_whatever_the_writing():
    found = diagnosis_of("nested")
    x = columns("nested")["x"]
    c = 1 / np.tan(x)
    by_x = (x * (1 + c**2) * np.cos(c) / np.sin(c)) ** 2
    by_cot = (c * np.cos(c) / np.sin(c)) ** 2
    s2 = 1 + by_x + by_cot
    of_result = blame(found.inspection, found.inspection.bottleneck)
    assert of_result.rows[0].share == pytest.approx(np.sum(by_x) / np.sum(s2), rel=1e-6)
    assert "sin(cot(x))` crosses zero" in found.sentences[2]
    assert found.sentences[3].endswith(
        " of them are the function's own sensitivity to errors of `x`."
    )


def test_the_masked_branch_loses_where_its_sine_crosses_zero_and_the_result_does_not_care():
    found = diagnosis_of("branch")
    x = columns("branch")["x"]
    by_phase = (1000 * x / np.tan(1000 * x)) ** 2
    s2 = 3 + 3 * by_phase  # the sine and its factor and product; 1000, x and 1000 x
    assert found.inspection.eic == pytest.approx(half_log10_mean(s2), abs=1e-6)
    assert found.ledger.target == found.inspection.worst_step == 5  # the sine, not its product
    for row in found.ledger.rows[:3]:
        assert row.share == pytest.approx(np.sum(by_phase) / np.sum(s2 - 2), rel=1e-5)
    root = blame(found.inspection, len(found.inspection.formula) - 1)
    assert {5, 6} <= set(root.masked)
    weight = 1e-6 * np.sin(1000 * x) / (x + 1e-6 * np.sin(1000 * x))
    assert root.rows[5].share == pytest.approx(
        np.sum(weight**2) / np.sum(1 + (x / (x + 1e-6 * np.sin(1000 * x))) ** 2 + weight**2 * s2),
        rel=1e-4,
    )
    assert "crosses zero" in found.sentences[2]
    assert "with shared noise errors grow by less up to the result" in found.sentences[3]


def test_the_pole_lies_at_2_grows_with_n_and_is_the_functions_own():
    found = diagnosis_of("pole")
    x = columns("pole")["x"]
    s2 = 3 + (x / (x - 2)) ** 2 + (2 / (x - 2)) ** 2
    assert found.inspection.eic == pytest.approx(half_log10_mean(s2), abs=1e-6)
    ordered = np.sort(s2 - 2)[::-1]  # at x - 2, without the quotient and its 1
    needed = int(np.searchsorted(np.cumsum(ordered), 0.99 * ordered.sum())) + 1
    assert len(found.where.carriers[2].positions) == needed
    assert "`x − 2` crosses zero" in found.sentences[2] and "`x` is near 2" in found.sentences[2]
    assert found.where.growth.per_decade > 0.2
    assert "a part of the formula crosses zero" in str(found.where.interval.reason)
    assert found.writing.place == "function"


def test_a_handful_of_rows_carries_the_tail_and_the_density_does_not_care():
    found = diagnosis_of("tail")
    c = columns("tail")
    gap = c["theta"] - c["theta1"]
    twice = 4 * (1 + (c["theta"] / gap) ** 2 + (c["theta1"] / gap) ** 2)
    s2 = 1 + 1 + 1 + 1 + 4 * 2 + twice  # neg, half, its 2, square; quotient and sigma; difference
    assert found.inspection.eic == pytest.approx(half_log10_mean(s2), abs=1e-6)
    top = np.sort(s2)[::-1]
    assert np.sum(top[:11]) / np.sum(s2) >= 0.99 > np.sum(top[:10]) / np.sum(s2)
    assert "11 of 10,000 rows give 99 %" in found.sentences[2]
    assert "`θ − θ₁`, which crosses zero on the data" in found.sentences[2]
    assert found.where.carriers[0].positions[0] == int(np.argmax(s2))
    assert found.writing.place == "neither"


def test_the_law_only_multiplies():
    found = diagnosis_of("law")
    assert 10 ** (2 * found.writing.q) == pytest.approx(15)  # eleven nodes once, r four times
    assert 10 ** (2 * found.writing.own) == pytest.approx(8)  # 1 + 1 + 1 + 1 + 2^2
    assert str(found.ledger.source(found.ledger.ranked[0])) == "error of the input `r`"
    assert found.ledger.ranked[0].share == pytest.approx(4 / 15)
    assert found.verdict.lead is Lead.NOTHING and found.verdict.level is Level.STABLE
    assert found.sentences[3] == (
        "With shared noise errors grow by 0.59 digits up to the result, in the mean: too little to "
        "split between the function and its writing."
    )


def test_the_found_formula_undoes_its_own_exponents():
    found = diagnosis_of("found")
    base = 0.354601 * columns("found")["x2"]
    by_base, by_exponent = 165.300293**2, (165.300293 * np.log(base)) ** 2
    s2 = 1 + 3 * by_base + by_exponent
    assert found.inspection.eic == pytest.approx(half_log10_mean(s2), abs=1e-9)
    named = {str(found.ledger.source(row)): row.share for row in found.ledger.rows}
    assert named["error of the input `x₂`"] == pytest.approx(by_base / np.mean(s2), rel=1e-9)
    assert "amplified 165 times at the power" in found.sentences[1]
    assert "with shared noise errors grow by less up to the result" in found.sentences[3]


def test_a_function_and_a_writing_may_share_the_blame():
    x = np.linspace(30, 60, 200)
    found = writing_loss(inspect_columns("(1e6*exp(x) - 999999*exp(x))", x=x))
    assert found.place == "both"
    assert found.own == pytest.approx(half_log10_mean(1 + x**2), abs=1e-9)
    q2 = 1 + 2 * 1e12 + 2 * 999_999.0**2 + 1 + x**2  # root, constants, products, exp(x) and x once
    assert found.q == pytest.approx(half_log10_mean(q2), abs=1e-9)
    assert "1.66 are the function's own sensitivity to errors of `x`." in str(found.sentence)


def test_samples_at_which_nothing_is_left_are_left_out_of_the_split_and_told():
    texts = ("x - 2", "(x + 1) - (x + 1) + (1 - cos(x - x))", "log(-x)")
    function, writing, nothing = (
        writing_loss(inspect_columns(text, x=[1.0, 2.0, 3.0])) for text in texts
    )
    assert (function.compared, function.singular, function.singular_function) == (2, 1, 1)
    assert "the function itself is 0" in str(function.notes[-1])
    assert writing.place == "undefined"
    assert "the amplification of the result is infinite" in str(writing.sentence)
    assert nothing.place == "undefined" and "no usable value" in str(nothing.sentence)


def shared_q(key, x):
    """q of the better form of a lesson, from its derivatives worked out by hand."""
    if key in ("cancellation", "masked"):  # x itself: only its own error
        return 0.0
    if key == "roots":  # 1/(sqrt(x+1) + sqrt(x)); both 1s are one constant, both x one input
        a, b = np.sqrt(x + 1), np.sqrt(x)
        d = a + b
        arrivals = [
            -(a / 2 * x / (x + 1) + b / 2) / d,
            1 - a / 2 / (x + 1) / d,
            -a / 2 / d,
            -a / d,
            -b / d,
            -1 + 0 * x,
            1 + 0 * x,
        ]
    else:  # 2*(sin(x/2)/x)**2; the exponent is exact, both other 2s are one constant
        slope = x / np.tan(x / 2)  # of ln sin(x/2)**2 over ln(x/2)
        one = 1 + 0 * x
        arrivals = [slope - 2, 1 - slope, slope, 2 * one, 2 * one, one, one]
    return half_log10_mean(sum(np.square(g) for g in arrivals))


BETTER = {
    "cancellation": ("x", lambda x: 10_000 * x - 9_999 * x, lambda x: x),
    "masked": ("x", lambda x: mp.log(mp.exp(x)), lambda x: x),
    "roots": (
        "1/(sqrt(x + 1) + sqrt(x))",
        lambda x: mp.sqrt(x + 1) - mp.sqrt(x),
        lambda x: 1 / (mp.sqrt(x + 1) + mp.sqrt(x)),
    ),
    "half-angle": (
        "2*(sin(x/2)/x)**2",
        lambda x: (1 - mp.cos(x)) / x**2,
        lambda x: 2 * mp.sin(x / 2) ** 2 / x**2,
    ),
}


@dear(3)
@pytest.mark.parametrize("key", KEYS)
def test_what_to_write_instead_is_the_same_number_and_loses_what_it_says(key):
    e = example(key)
    formula = read(e.formula, syntax=e.syntax).formula
    samples = sample_domains(dict(e.domains), count=300)
    found = repair(formula, samples)
    assert found.measured_rows == 300
    if key not in BETTER:
        assert found.repairs == () and str(found.sentence).startswith("Nothing better found")
        return
    text, before, after = BETTER[key]
    best = found.best
    assert best.text == text
    with mp.workdps(60):
        for row in range(0, 300, 30):
            x = mp.mpf(samples.decimal("x", row))
            assert abs(before(x) - after(x)) <= abs(after(x)) * mp.mpf(10) ** -30
    q = shared_q(key, samples.columns["x"])
    assert best.after.q == pytest.approx(q, abs=1e-6)
    sensitive = [numbers.sensitivity.nine_in_ten for numbers in (best.instead, best.written)]
    assert not q or sensitive[0] < sensitive[1]


def test_a_step_that_loses_everything_without_the_result_is_told() -> None:
    found, calm = (
        writing_loss(inspect_columns(text, x=[1.0, 2.0, 3.0]))
        for text in ("1/(x - x + 1) + log(x)", "log(x)")
    )
    assert found.singular == 0 and math.isfinite(found.q)
    assert [str(note) for note in found.notes] == [
        "At 3 samples an inner step, `x − x`, keeps no digit, and the result does."
    ]
    assert not any("inner step" in str(note) for note in calm.notes)


def test_a_constant_function_is_neither_zero_nor_steep():
    """cosh^2 - sinh^2 is 1: at 266, of 10^231 each, 250 digits leave 20 of it."""
    x = [259.49121358116554, 266.4112122191675, 3.0]
    assert writing_loss(inspect_columns("cosh(x)**2 - sinh(x)**2", x=x)).singular_function == 0
