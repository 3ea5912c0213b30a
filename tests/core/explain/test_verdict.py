"""The verdict is what the numbers are: its leading finding, level, rows and digits."""

from __future__ import annotations

import gc
import math
import re
import weakref
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from eic_core.explain import findings as facts
from eic_core.explain.created import origin_of_loss
from eic_core.explain.findings import ErrorKind, Extent, OutsideDomain, Place
from eic_core.explain.phrases.causes import clause
from eic_core.explain.verdict import Lead, Level, level_of, verdict
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Samples, inspect
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome
from eic_core.operators import OPERATORS
from tests.audit.doubles import digits_lost
from tests.core.explain.test_three_quantities import quantile
from tests.effort import dear
from tests.findings import counts, findings_of, rows_of, step_of
from tests.inspections import inspect_columns, inspect_ranges


def judged(text, **ranges):
    return verdict(inspect_ranges(text, **{"count": 1000, **ranges}))


def test_cancelling_terms_are_named():
    found = judged("10000*x-9999*x")
    leading = found.leading
    assert found.lead is Lead.LOSS and leading is not None and leading.noise is ErrorKind.ROUNDING
    assert leading.cause == facts.Cancellation(6, Extent.EVERYWHERE, pytest.approx(1 / 19_999))
    s2 = 1 + 3 * 10_000**2 + 3 * 9_999**2  # constants, inputs and products
    digits = pytest.approx(math.log10(s2) / 2)
    assert found.sensitivity.typical == digits and found.sensitivity.worst == digits


def test_the_level_is_that_of_nine_rows_in_ten():
    assert [level_of(v)[0].value for v in (0.0, 0.99, 1.0, 2.0, 2.01, math.inf, math.nan)] == [
        "stable",
        "stable",
        "sensitive",
        "sensitive",
        "very-sensitive",
        "very-sensitive",
        "undefined",
    ]
    near = [level_of(v)[1] for v in (0.79, 0.81, 1.19, 1.21, 1.79, 1.81, 2.19, 2.21, math.nan)]
    assert near == [False, True, True, False, False, True, True, False, False]


@pytest.mark.parametrize(
    ("text", "ranges", "cause"),
    [
        ("x-y", {"x": "1:1.0001", "y": "1:1.0001"}, facts.Cancellation),
        ("x+y", {"x": "1:1.001", "y": "-1.001:-1"}, facts.Cancellation),
        ("sin(x)", {"x": "1000:5000"}, facts.LargeArgument),
        ("cos(x)", {"x": "1.57:1.571"}, facts.NearZero),
        ("tan(x)", {"x": "1.56:1.57"}, facts.NearPole),
        ("exp(x)", {"x": "100:700"}, facts.GrowthOfLargeNumber),
        ("sinh(x)", {"x": "100:700"}, facts.GrowthOfLargeNumber),
        ("log(x)", {"x": "0.999:0.9999"}, facts.NearEdge),
        ("log1p(x)", {"x": "-0.9999:-0.999"}, facts.NearEdge),
        ("x**40", {}, facts.LargeExponent),
        ("x**y", {"x": "1:1.1", "y": "100:200"}, facts.LargeExponent),
        ("x**y", {"x": "1e10:1e11", "y": "3:4"}, facts.ErrorInExponent),
        ("acos(x)", {"x": "0.9999:0.99999"}, facts.NearEdge),
        ("atanh(x)", {"x": "0.9999:0.99999"}, facts.NearEdge),
    ],
)
def test_the_cause_is_that_of_the_operator(text, ranges, cause):
    found = judged(text, **ranges)
    assert found.leading is not None and type(found.leading.cause) is cause
    assert found.leading.cause.node == found.inspection.formula.root.id
    assert found.level in (Level.SENSITIVE, Level.VERY_SENSITIVE)


def test_an_inherited_loss_is_traced_to_where_it_arose():
    inspection = inspect_ranges("a*(x-1.00001)/(b+3)", count=1000, x="1:1.1")
    found = verdict(inspection)
    assert step_of(inspection, found.leading) == "x − 1.00001"
    assert found.leading.at == inspection.formula.root.id
    assert origin_of_loss(inspection, inspection.worst_step) == found.origin


def test_a_square_is_not_blamed_for_the_difference_it_squares():
    inspection = inspect_ranges("(x-y)**2", count=1000, x="1:1.001", y="1:1.001")
    assert inspection.nodes[verdict(inspection).origin].node.operator == "sub"


@pytest.mark.parametrize("text", ["x*y/2", "x", "2", "pi", "2+3"])
def test_a_stable_formula_has_nothing_to_tell(text):
    found = judged(text)
    assert (found.level, found.lead, found.leading) == (Level.STABLE, Lead.NOTHING, None)
    assert found.findings == () and found.notes == ()
    assert found.measured.worst < 1


def test_exact_cancellation_loses_every_digit():
    inspection = inspect_ranges("x-x", count=1000)
    found = verdict(inspection)
    assert counts(inspection) == {Outcome.NO_DIGIT: 1000}
    assert found.leading.cause == facts.NoDigitLeft(2, (facts.Zero.EXACT,))
    assert len(found.findings) == 1  # no row is left to speak of


def test_a_few_singular_samples_are_counted_and_the_rest_is_told():
    inspection = inspect_columns("log(x)", x=[1.0, 2.0, 3.0, 1.0])
    (finding,) = findings_of(inspection, Outcome.NO_DIGIT)
    assert (finding.rows, finding.of) == (2, 4)
    assert finding.cause == facts.NoDigitLeft(1, (facts.Zero.EXACT,))
    at = [0.5 * math.log10(1 + math.log(x) ** -2) for x in (2, 3)]
    assert outcomes(inspection).digits[1:3] == pytest.approx(at)


@pytest.mark.parametrize(
    ("text", "step", "why"),
    [
        ("log(-x)", "log(−x)", "the argument of a logarithm must be positive"),
        ("sqrt(-x)", "√(−x)", "the argument of a square root must not be negative"),
        ("1/(x-x)", "1/(x − x)", "division by zero"),
        ("asin(x+1)", "asin(x + 1)", "its argument must lie between −1 and 1"),
        (
            "(-x)**2.37",
            "(−x)^2.37",
            "with an inexact exponent the base must be positive, or 0 below a positive one",
        ),
    ],
)
def test_an_undefined_formula_has_a_step_and_a_reason(text, step, why):
    found = judged(text)
    assert found.level is Level.UNDEFINED and found.lead is Lead.NO_VALUE
    assert isinstance(found.leading.cause, OutsideDomain) and found.leading.rows == 1000
    assert step_of(found.inspection, found.leading) == step
    assert str(clause(found.leading.cause, found.inspection.formula)) == why


@pytest.mark.parametrize("x", [[-1.0, 2.0, 3.0, -4.0], [-1.0, 2.0, 3.0, 4.0], [-1.0]])
def test_invalid_samples_are_counted_where_they_fail(x):
    inspection = inspect_columns("log(x)", x=x)
    (finding,) = findings_of(inspection, Outcome.NO_REAL_VALUE)
    assert (finding.rows, finding.of) == (sum(v < 0 for v in x), len(x))
    assert finding.cause == OutsideDomain(1)
    assert rows_of(inspection, Outcome.NO_REAL_VALUE) == [k for k, v in enumerate(x) if v < 0]


def test_a_masked_branch_is_told():
    (inner,) = findings_of(
        inspect_ranges("x+0.0000001*sin(1000*x)", count=1000), Outcome.FINITE, inner=True
    )
    assert inner.place is Place.WORST_STEP and isinstance(inner.cause, facts.LargeArgument)
    assert judged("x+0.0000001*sin(1000*x)").lead is Lead.NOTHING
    cancels = inspect_ranges("10000*x-9999*x", count=1000)
    assert not findings_of(cancels, Outcome.FINITE, inner=True)


def test_long_expressions_are_cut_in_the_sentence():
    found = judged("1000000*(" + "+".join(f"x*{i}" for i in range(1, 60)) + ")-1000000*x*1769.9999")
    assert len(str(found.sentence)) < 260


# --- what is true of formulas of which something false was written


RIGHT = [
    # formula, range, the condition number by hand: sensitive, and a program computes it right
    ("sqrt(1-x)", (0.9999, 1), lambda x: math.hypot(1, x) / (2 * (1 - x))),
    ("1/(x-1)", (0.5, 1.5), lambda x: math.hypot(1, x) / abs(x - 1)),
    ("x**50", (1, 2), lambda x: 50),
    ("tan(x)", (0, 3), lambda x: abs(2 * x / mpmath.sin(2 * x))),
]


@pytest.mark.parametrize(("text", "ends", "kappa"), RIGHT)
def test_sensitive_and_computed_right(text, ends, kappa):
    inspection = inspect_ranges(text, count=300, x=ends)
    found = verdict(inspection)
    x = inspection.samples.columns["x"]
    exact = {"sqrt": mpmath.sqrt, "tan": mpmath.tan}
    with mpmath.workdps(60):
        for v in x[:100]:
            true = eval(text, dict(exact), {"x": mpmath.mpf(float(v))})  # noqa: S307
            y = eval(text, {"sqrt": np.sqrt, "tan": np.tan}, {"x": v})  # noqa: S307
            assert digits_lost([true], [y]) < 1
    assert found.measured.worst < 1
    assert found.lead is Lead.SENSITIVITY and found.leading.noise is ErrorKind.INDEPENDENT
    assert found.level in (Level.SENSITIVE, Level.VERY_SENSITIVE)
    assert not [f for f in found.findings if f.noise is ErrorKind.ROUNDING]
    nine = quantile([float(mpmath.log10(kappa(v))) for v in x], 0.9)
    assert found.sensitivity.nine_in_ten == pytest.approx(nine, abs=0.1)  # and a rounding or two


def test_a_difference_of_inputs_is_computed_right():
    found = judged("abs(x-y)", count=300, x="1:2", y="1:2")
    columns = found.inspection.samples.columns
    s = np.sqrt(2 + (columns["x"] ** 2 + columns["y"] ** 2) / (columns["x"] - columns["y"]) ** 2)
    assert found.sensitivity.nine_in_ten == pytest.approx(math.log10(quantile(s, 0.9)), abs=0.05)
    assert found.lead is Lead.SENSITIVITY and found.measured.worst == 0  # Sterbenz
    assert step_of(found.inspection, found.leading) == "x − y"


def test_a_row_that_two_steps_spoil_is_lost_to_the_one_that_takes_every_digit():
    """A double has 15.95 digits, and the sine of 10^17 loses more than these."""
    x = np.arange(1.0, 301) / 4
    inspection = inspect_columns("floor(x) + sin(1e17*x)", x=x)
    with mpmath.workdps(60):
        angles = [mpmath.mpf(repr(float(v))) * 10**17 for v in x]
        s = [
            float(mpmath.sqrt(3) * abs(a * mpmath.cos(a) / (math.floor(v) + mpmath.sin(a))))
            for a, v in zip(angles, x, strict=True)
        ]
    result = outcomes(inspection)
    assert rows_of(inspection, Outcome.NO_DIGIT, Outcome.FOLLOWS, Outcome.DECIDED) != []
    drowned = np.log10(s) >= DOUBLE_DIGITS + 0.01
    assert (result.digits[drowned] == DOUBLE_DIGITS).all()
    assert set(result.kinds[drowned].tolist()) == {Outcome.NO_DIGIT}
    assert step_of(inspection, verdict(inspection).leading) == "sin(1e17·x)"
    first = [f for f in findings_of(inspection, Outcome.NO_DIGIT) if f.rows > 20]
    assert {step_of(inspection, f) for f in first} == {"sin(1e17·x)"}


def test_quantiles_are_not_the_mean_that_a_few_rows_carry():
    """sin(3x) on [0, 6]: half of the rows are in doubt by fewer digits than the mean."""
    inspection = inspect_ranges("sin(3*x)", count=300, x="0:6")
    x = inspection.samples.columns["x"]
    s = np.sqrt(1 + 3 * (3 * x / np.tan(3 * x)) ** 2)
    found = verdict(inspection)
    exact = [math.log10(quantile(s, q)) for q in (0.5, 0.9, 1.0)]
    ours = found.sensitivity
    assert [ours.typical, ours.nine_in_ten, ours.worst] == pytest.approx(exact, abs=1e-6)
    assert inspection.eic == pytest.approx(0.5 * math.log10(np.mean(s**2)), abs=1e-6)
    assert inspection.eic > found.sensitivity.typical + 1
    assert found.level is level_of(exact[1])[0]


def test_no_row_stands_in_two_findings():
    inspection = inspect_ranges("where(x > 2, 1/x, exp(400*x))", count=300, x="0:4")
    x = inspection.samples.columns["x"]
    inf = (x <= 2) & (400 * x > math.log(np.finfo(float).max))
    assert rows_of(inspection, Outcome.NO_DOUBLE) == np.flatnonzero(inf).tolist()
    s = np.where(x > 2, math.sqrt(3), np.sqrt(1 + 3 * (400 * x) ** 2))
    (finding,) = [f for f in findings_of(inspection, Outcome.FINITE) if f.rows is not None]
    assert finding.rows == np.count_nonzero(~inf & (s >= 10))
    assert step_of(inspection, finding) == "exp(400·x)"


def test_one_denominator():
    inspection = inspect_ranges("sqrt(x-2)", count=300, x="0:6")
    x = inspection.samples.columns["x"]
    s = np.sqrt(1 + (1 + (x**2 + 4) / (x - 2) ** 2) / 4)
    found = verdict(inspection)
    assert [(f.rows, f.of) for f in found.findings] == [
        (np.count_nonzero(x < 2), 300),
        (np.count_nonzero((x > 2) & (s >= 10)), 300),
    ]
    assert found.lead is Lead.NO_VALUE


def test_one_outcome_a_row_where_results_leave_every_range():
    inspection = inspect_ranges("exp(-x**2)", count=300, x="0:5000")
    zero = np.exp(-(inspection.samples.columns["x"] ** 2)) == 0
    assert rows_of(inspection, Outcome.NO_DOUBLE) == np.flatnonzero(zero).tolist()
    assert counts(inspection).get(Outcome.UNKNOWN, 0) == 0
    (finding,) = findings_of(inspection, Outcome.NO_DOUBLE)
    assert finding.cause.way is facts.Way.UNDERFLOW and finding.rows == zero.sum()
    assert finding.cause.beyond + finding.cause.fewer + finding.cause.in_range == zero.sum()


@pytest.mark.parametrize(
    ("m1", "r"),
    [
        ([1.0] * 8, [1e5] * 4 + [2e3] * 4),  # below every double, or two to three steps above 0
        ([1e-10] * 3 + [1.0] * 8, [1.0] * 3 + [1e5] * 3 + [1e3] * 5),  # gone at two steps
    ],
)
def test_rows_without_a_value_lead_together_where_they_are_more_than_a_loss(m1, r):
    """1e-316 has 8 digits, 1e-316/r² fewer: what is lost stays below 15.95 digits a row."""
    count = len(r)
    columns = {"G": [1e-316] * count, "m1": m1, "m2": [1.0] * count, "r": r}
    inspection = inspect_columns("G*m1*m2/r**2", **columns)
    found, rows = verdict(inspection), outcomes(inspection)
    gone, worn = rows.rows(Outcome.NO_DOUBLE), rows.rows(Outcome.RANGE_LOSS)
    both = zip(m1, r, strict=True)
    exact = [Fraction("1e-316") * Fraction(a) / Fraction(b) ** 2 for a, b in both]
    assert gone.tolist() == [k for k, y in enumerate(exact) if 2 * y < Fraction(5e-324)]
    assert len(gone) + len(worn) == count
    lost = rows.digits[worn].sum()
    alone = max(f.rows for f in findings_of(inspection, Outcome.NO_DOUBLE))
    assert DOUBLE_DIGITS * len(gone) > lost > DOUBLE_DIGITS * min(alone, len(gone) / 2)
    assert found.lead is Lead.NO_VALUE and found.leading.outcome is Outcome.NO_DOUBLE
    assert f"No double-precision value at {len(gone)} of {count} rows" in str(found.sentence)


def test_the_step_that_is_named_is_in_the_branch_taken():
    text = "where(x >= 0, 1/(1+exp(-x)), exp(x)/(1+exp(x)))"
    inspection = inspect_ranges(text, count=300, x="-1000:1000")
    formula = inspection.formula
    third = formula.root.children[2]
    for finding in findings_of(inspection, Outcome.NO_DOUBLE, Outcome.RANGE_LOSS, Outcome.FINITE):
        assert formula.first[third] <= finding.cause.node <= third
    x = inspection.samples.columns["x"]
    assert rows_of(inspection, Outcome.NO_DOUBLE) == np.flatnonzero(np.exp(x) == 0).tolist()


@pytest.mark.parametrize("compare", [">", ">="])
def test_the_loss_of_a_branch_is_that_of_the_rows_that_take_it(compare):
    inspection = inspect_ranges(f"where(x {compare} 2, 10000*x - 9999*x, x)", count=300, x="0:4")
    x = inspection.samples.columns["x"]
    found = verdict(inspection)
    assert found.lead is Lead.LOSS and step_of(inspection, found.leading) == "10000·x − 9999·x"
    (finding,) = [f for f in findings_of(inspection, Outcome.FINITE) if f.rows is not None]
    assert finding.rows == np.count_nonzero(x > 2)


def test_what_most_of_the_digits_come_from_is_named():
    """Beyond x = 1 the exponential's argument does it; where x is near 0 few rows cancel."""
    inspection = inspect_ranges("sqrt((exp(2*x)-1)/(exp(x)-1))", count=300, x="-1:300")
    found = verdict(inspection)
    assert step_of(inspection, found.leading) == "exp(2·x)"
    assert isinstance(found.leading.cause, facts.GrowthOfLargeNumber)
    near = np.abs(inspection.samples.columns["x"]) < 1
    digits = outcomes(inspection).digits
    assert digits[~near].sum() > 10 * digits[near].sum()


@pytest.mark.parametrize("times", [1, 2, 20, 200])
@pytest.mark.parametrize("text", ["2.5*exp(-0.3*x)*cos({}*x)", "cos({}*x)"])
def test_of_size_and_nearness_that_is_named_which_costs_most_where_the_headline_looks(text, times):
    """One row in ten multiplies errors 95-fold: that no argument of 20 does."""
    inspection = inspect_ranges(text.format(times), count=300, x="0:10")
    x, digits = times * inspection.samples.columns["x"], outcomes(inspection).digits
    (finding,) = [f for f in findings_of(inspection, Outcome.FINITE) if f.rows is not None]
    assert finding.rows == np.count_nonzero(digits >= 1)
    told = x[digits >= verdict(inspection).sensitivity.nine_in_ten]
    by_size, by_nearness = (np.mean(np.log10(part)) for part in (told, np.abs(np.tan(told))))
    assert abs(by_size - by_nearness) > 0.2
    if by_size > by_nearness:
        assert finding.cause == facts.LargeArgument(finding.cause.node, x.max(), 2 * np.pi)
    else:
        assert isinstance(finding.cause, facts.NearZero)
        assert finding.cause.largest in (0.0, pytest.approx(x.max()))


def test_a_sum_before_a_difference_is_the_writings_loss():
    x = 1e8 * (1 + np.linspace(0, 1, 100))
    columns = {"x": x, "y": np.linspace(1e-6, 2e-6, 100), "z": x * (1 + 1e-14)}
    first, better = (inspect_columns(t, **columns) for t in ("x + y - z", "(x - z) + y"))
    for inspection, order in ((first, "xyz"), (better, "xzy")):
        with mpmath.workdps(60):
            rows = [*zip(*columns.values(), strict=True)]
            true = [mpmath.mpf(u) + mpmath.mpf(v) - mpmath.mpf(w) for u, v, w in rows]
            computed = [(u + v) - w if order == "xyz" else (u - w) + v for u, v, w in rows]
            lost = digits_lost(true, computed)
        ours = verdict(inspection).measured
        assert ours.nine_in_ten == pytest.approx(quantile(lost, 0.9), abs=1e-6)
    assert verdict(first).lead is Lead.LOSS and verdict(first).measured.typical > 6
    assert verdict(better).lead is Lead.SENSITIVITY and verdict(better).measured.worst < 1


# --- every operator


SPECIAL = [0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 1e-9, 1e9, math.pi]


@dear(7)
@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("value", SPECIAL)
def test_there_is_a_verdict_for_every_operator_at_every_special_point(name, value):
    arity = OPERATORS[name].arity or 3
    parameter = Fraction(3) if OPERATORS[name].needs_parameter else None
    draft = Draft(name, [variable("x"), variable("y"), constant("2")][:arity], parameter=parameter)
    draft = Draft("sub", [draft, constant("1")])
    formula = Formula.from_draft(draft, name)
    columns = {"x": [value, value, 1.5], "y": [value, 2.0, -1.0]}
    samples = Samples.from_columns({n: columns[n] for n in formula.variables}, count=3)
    found = verdict(inspect(formula, samples))
    assert found.level in Level and found.lead in Lead
    assert (found.leading is None) == (found.lead is Lead.NOTHING)
    assert all(finding.of == 3 and 0 < (finding.rows or 1) <= 3 for finding in found.findings)
    for text in map(str, (found.sentence, *found.notes)):
        prose = re.sub(r"`[^`]*`", "", text)
        assert text.endswith(".") and "`" not in prose
        assert "nan" not in prose and "None" not in prose


def test_a_verdict_is_computed_once_and_goes_with_its_inspection():
    inspection = inspect_ranges("x - 1", count=1000, x="0.5:2")
    assert verdict(inspection) is verdict(inspection)
    again = verdict(inspect_ranges("x - 1", count=1000, x="0.5:2"))
    assert again.to_json() == verdict(inspection).to_json()
    gone = weakref.ref(inspection)
    del inspection
    gc.collect()
    assert gone() is None
