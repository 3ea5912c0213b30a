"""The headline is true: of the result, of the worst step, and of what a program will see.

The truths share no code with the engine: range is NumPy run as the formula is written and mpmath
beside it; losses are nodes shaken one by one at 340 digits (`tests.core.explain.shaking`).
"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from eic_core.engine.amplify import amplify
from eic_core.explain.diagnosis import diagnose
from eic_core.explain.findings import BeyondReduction, OnThreshold, Place, Way, Zero
from eic_core.explain.losses import account_of_losses
from eic_core.explain.settling import spread_of
from eic_core.explain.verdict import Lead, Level, level_of, verdict
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.measure.double_range import Held, double_range
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from tests.core.explain.shaking import arrival
from tests.core.measure.oracle import NoRealValue
from tests.effort import cases, dear
from tests.findings import counts, findings_of, rows_of, step_of, steps_of
from tests.inspections import inspect_columns, settle_at_most

# --- what a user's own program will see

EXACT = mpmath.MPContext()
EXACT.dps = 60

NUMPY_NAMES = {name: getattr(np, name) for name in ("exp", "log", "sqrt", "sin", "cos", "tanh")}
EXACT_NAMES = {name: getattr(EXACT, name) for name in NUMPY_NAMES}


def program(text, columns):
    """The formula as a user's program evaluates it."""
    with np.errstate(all="ignore"):
        found = eval(text, {**NUMPY_NAMES, "max": np.maximum, "min": np.minimum}, columns)  # noqa: S307
    return np.broadcast_to(np.asarray(found, dtype=float), len(next(iter(columns.values()))))


def exact(text, columns):
    """Exact values, None where there is none."""
    found = []
    for row in range(len(next(iter(columns.values())))):
        cells = {name: EXACT.mpf(repr(float(c[row]))) for name, c in columns.items()}
        try:
            y = eval(text, {**EXACT_NAMES, "max": max, "min": min}, cells)  # noqa: S307
        except (ZeroDivisionError, ValueError):
            y = None
        found.append(None if isinstance(y, mpmath.ctx_mp_python._mpc) else y)
    return found


def truth_of_range(text, columns):
    """Rows without a double-precision value though there is one; with an ordinary one; and with one
    that a double has fewer digits of."""
    tiny, largest = np.finfo(float).tiny, np.finfo(float).max
    values, true = program(text, columns), exact(text, columns)
    lost = [
        t is not None and (not math.isfinite(y) or (y == 0 and t != 0))
        for y, t in zip(values, true, strict=True)
    ]
    fine = [
        gone and (t == 0 or tiny <= abs(t) <= largest) for gone, t in zip(lost, true, strict=True)
    ]
    least = np.nextafter(0.0, 1.0)
    fewer = [
        gone and bool(EXACT.mpf(least) / 2 < abs(t) < tiny)
        for gone, t in zip(lost, true, strict=True)
    ]
    return sum(lost), sum(fine), sum(fewer)


WIDE = np.geomspace(1e200, 1e300, 300)
RANGE_CASES = [
    ("x**2", {"x": WIDE}),
    ("sqrt(x**2 + y**2)", {"x": WIDE, "y": WIDE[::-1]}),
    ("x/y", {"x": WIDE, "y": 1 / WIDE}),
    ("x*y*x", {"x": WIDE, "y": 1 / WIDE}),
    ("x*y", {"x": 1 / WIDE, "y": 1 / WIDE}),
    ("exp(x)/(1+exp(x))", {"x": np.linspace(-800, 800, 400)}),
    ("1/(1+exp(-x))", {"x": np.linspace(-800, 800, 400)}),
    ("exp(x)", {"x": np.linspace(0, 1000, 300)}),
    ("1/exp(x)", {"x": np.linspace(0, 1000, 300)}),
    ("1 + exp(-x)", {"x": np.linspace(600, 800, 300)}),
    ("exp(4773*x)", {"x": np.linspace(-800, 800, 60)}),  # from 10^(-10^6) to 10^(10^6)
    ("log(exp(x))", {"x": np.geomspace(1e2, 1e9, 60)}),
    ("3*exp(x)*exp(-x)", {"x": np.geomspace(1e2, 1e7, 40)}),
    ("1/(1-cos(x))", {"x": np.geomspace(1e-12, 1, 60)}),
    ("log(1-cos(x))", {"x": np.geomspace(1e-12, 1, 60)}),
    ("x/(exp(x/y) - 1)", {"x": np.full(40, 3.0), "y": np.geomspace(1, 1e18, 40)}),
    ("(x*y)/(x*y)", {"x": WIDE**-1, "y": WIDE[::-1] ** -1}),
    ("log(exp(x))", {"x": np.linspace(1, 1000, 300)}),
    ("log(exp(x))", {"x": np.linspace(990, 1000, 2_500)}),  # all of them overflow
    ("tanh(exp(x))", {"x": np.linspace(1, 1000, 300)}),
    ("min(exp(x), 1)", {"x": np.linspace(1, 1000, 300)}),
    ("x + exp(-1000*x) + exp(x)", {"x": np.linspace(600, 800, 300)}),
    ("(x*1e-200)*1e-200*1e300", {"x": np.linspace(1, 2, 100)}),
    ("x + exp(1000)/exp(999)", {"x": np.linspace(1, 2, 1_500)}),
    ("log(x - 900) + exp(x)", {"x": np.linspace(800, 1000, 300)}),
    ("exp(x) - exp(x)", {"x": np.linspace(600, 800, 300)}),
    ("y*(1 + y*cos(x))", {"x": np.geomspace(1, 1e30, 99), "y": np.full(99, 1e200)}),
    ("10000*x*x - 9999*x*x", {"x": np.geomspace(1e-10, 1e160, 400)}),
]


@dear(3)
@pytest.mark.parametrize(
    ("text", "columns"), RANGE_CASES, ids=lambda v: v if isinstance(v, str) else ""
)
def test_the_rows_without_a_double_are_those_of_a_program(text, columns):
    inspection = inspect_columns(text, **columns)
    lost, fine, fewer = truth_of_range(text, columns)
    if text == "exp(x) - exp(x)":  # 0 where the exponentials are numbers is right
        lost = int(np.count_nonzero(~np.isfinite(program(text, columns))))
        fine = lost
    found = double_range(inspection)
    held = [found.holding(how) for how in (Held.NORMAL, Held.FEWER)]
    assert (found.count, *held) == (lost, fine, fewer)
    ways = [p.overflows + p.underflows + p.zeros + p.outside for p in found.places]
    assert sum(ways) == lost
    # beyond every range: that a program has none is known, what it should have is not
    unknown = rows_of(inspection, Outcome.UNKNOWN)
    groups = findings_of(inspection, Outcome.NO_DOUBLE)
    assert rows_of(inspection, Outcome.NO_DOUBLE) == np.setdiff1d(found.lost.rows, unknown).tolist()
    assert sum(group.rows or 0 for group in groups) == lost - len(unknown)
    assert sum(group.cause.in_range for group in groups) == fine
    assert sum(group.cause.fewer for group in groups) == fewer
    assert sum(group.cause.beyond for group in groups) == lost - len(unknown) - fine - fewer
    assert all(group.of == len(columns["x"]) for group in groups)
    said = verdict(inspection)
    assert (said.lead in (Lead.NO_VALUE, Lead.LOSS)) or not lost
    if 10 * (lost - len(unknown)) >= len(columns["x"]) - len(unknown) and lost > len(unknown):
        assert said.level in (Level.VERY_SENSITIVE, Level.OUT_OF_RANGE)
    # they are among those that a score counts
    rounded = (Reason.ROUNDED_TO_ZERO, Reason.ROUNDED_OUT)
    assert np.count_nonzero(~np.isin(found.lost.reasons, rounded)) <= found.out_of_range
    scored = amplify(inspection.formula, inspection.samples, recheck=False)
    assert inspection.counts.unresolved or found.out_of_range == scored.out_of_range


def test_an_angle_too_large_to_be_reduced_is_a_row_without_a_double():
    """Its exact value, from -1 to 1, we do not know, and do not say to be out of range."""
    columns = {"x": np.linspace(700, 7500, 40)}
    inspection = inspect_columns("sin(exp(x))", **columns)
    found = double_range(inspection)
    lost, fine, _ = truth_of_range("sin(exp(x))", columns)
    assert (found.count, found.holding(Held.BEYOND)) == (lost, 0)
    assert 0 < found.holding(Held.NORMAL) < fine == lost
    told = counts(inspection)
    assert told[Outcome.NO_DOUBLE] == found.holding(Held.NORMAL)
    assert told[Outcome.UNKNOWN] == lost - found.holding(Held.NORMAL)
    assert {type(f.cause) for f in findings_of(inspection, Outcome.UNKNOWN)} == {BeyondReduction}


def test_a_zero_that_a_rounding_pushes_out_of_the_domain_is_told_within_range():
    columns = {"x": np.full(2, 0.3), "y": np.array([0.1, 0.2]), "z": np.array([0.2, 0.1])}
    inspection = inspect_columns("sqrt(x - y - z)", **columns)
    assert double_range(inspection).count == truth_of_range("sqrt(x - y - z)", columns)[0] == 2
    (finding,) = findings_of(inspection, Outcome.NO_DOUBLE)
    assert (finding.rows, finding.of) == (2, 2) and step_of(inspection, finding) == "x − y − z"
    assert finding.cause.way is Way.ROUNDED_OUT and finding.cause.in_range == 2


@pytest.mark.parametrize(
    ("text", "columns", "where"),
    [
        ("x + exp(-1000*x) + exp(x)", {"x": [750.0, 760.0]}, {("exp(x)", Way.OVERFLOW)}),
        (
            "exp(x)/(1+exp(x))",
            {"x": [-800.0, 0.0, 800.0]},
            {("exp(x)", Way.OVERFLOW), ("exp(x)", Way.UNDERFLOW)},
        ),
        ("1/(x*y)", {"x": [1e200, 1.0], "y": [1e200, 1.0]}, {("x·y", Way.OVERFLOW)}),
        ("x*y + 0", {"x": [1e-200, 1.0], "y": [1e-200, 1.0]}, {("x·y", Way.UNDERFLOW)}),
        ("(x*y)/(x*y)", {"x": [1e-200, 1.0], "y": [1e-200, 1.0]}, {("x·y", Way.UNDERFLOW)}),
        ("1/(1-cos(x))", {"x": [1e-9, 1.0, 2.0]}, {("1 − cos(x)", Way.ROUNDED_TO_ZERO)}),
        (
            "sqrt(x-y-z)",
            {"x": [0.3, 1.0], "y": [0.1, 0.2], "z": [0.2, 0.1]},
            {("x − y − z", Way.ROUNDED_OUT)},
        ),
    ],
)
def test_the_step_that_leaves_double_range_is_named(text, columns, where):
    inspection = inspect_columns(text, **columns)
    groups = findings_of(inspection, Outcome.NO_DOUBLE)
    assert {(step_of(inspection, group), group.cause.way) for group in groups} == where


LAWS = [
    "G*m1*m2/r**2",
    "q1*q2/(4*pi*epsilon*r**2)",
    "m*c**2/sqrt(1 - v**2/c**2)",
    "n*R*T/V",
    "sqrt(x**2+y**2+z**2)",
    "(m*v**2)/2 + m*g*h",
    "k*T/(q*B)",
    "exp(-(x/s)**2/2)/(sqrt(2*pi)*s)",
    "h*f/(exp(h*f/(k*T)) - 1)",
    "1/(1/a + n/b)",
    "p*V**g",
    "x/(1+exp(-y))",
    "A*exp(-E/(R*T))",
    "sqrt(2*g*h)",
    "x/sqrt(1+x**2)",
]
"""Laws of physics and what they are made of."""


@settings(max_examples=cases(60, 1_500), deadline=None)
@given(data=st.data(), text=st.sampled_from(LAWS))
def test_a_law_is_never_called_stable_where_a_program_has_no_value(data, text):
    formula = read(text).formula
    scale = st.floats(-330, 308).map(lambda e: 10.0**e)
    columns = {name: np.array([data.draw(scale) for _ in range(4)]) for name in formula.variables}
    assume(all(np.isfinite(c).all() and (c > 0).all() for c in columns.values()))
    inspection = inspect(formula, Samples.from_columns(columns))
    said = verdict(inspection)
    values = program(text, columns | {"pi": np.full(4, math.pi)})
    without = np.count_nonzero(~np.isfinite(values) & inspection.amplification.valid)
    if without:
        assert said.level is not Level.STABLE and said.lead is Lead.NO_VALUE
        lost = np.flatnonzero(~np.isfinite(values) & inspection.amplification.valid)
        assert set(lost.tolist()) <= set(rows_of(inspection, Outcome.NO_DOUBLE))
    if said.lead is Lead.NOTHING:
        assert np.isfinite(values[inspection.amplification.valid]).all()
        assert not double_range(inspection).count
    assert double_range(inspection).count >= without


# --- the result against the worst step


def arrived(inspection, k):
    """s² of a node at each row, from the nodes below it shaken one by one; inf at a value of 0."""
    formula, squares = inspection.formula, []
    for row in range(len(inspection.samples)):
        cells = {v: repr(float(c[row])) for v, c in inspection.samples.columns.items()}
        nodes = range(formula.first[k], k + 1)
        gains = [arrival(formula, cells, [j], target=k) for j in nodes]
        squares.append(math.inf if None in gains else float(sum(g * g for g in gains)))
    return squares


def shaken_losses(inspection):
    """Local EIC of every node over the rows."""
    means = (np.mean(arrived(inspection, k)) for k in range(len(inspection.formula)))
    return [0.5 * math.log10(mean) if mean < math.inf else math.inf for mean in means]


def shaken_digits(inspection):
    """Digits of the result in doubt at each row, ascending."""
    squares = arrived(inspection, len(inspection.formula) - 1)
    return sorted(min(0.5 * math.log10(s2) if s2 else 0.0, DOUBLE_DIGITS) for s2 in squares)


X = np.array([1.3, 2.2, 2.9, 3.013, 4.1])
RESULT_CASES = [
    # formula, what the headline is about, the step of the leading finding, that of the worst inside
    ("100 + (x - 3)", Lead.NOTHING, None, "x − 3"),
    ("cos(x - 1.43) + 10", Lead.NOTHING, None, "cos(x − 1.43)"),
    ("max(x - 3, 10)", Lead.NOTHING, None, "x − 3"),
    ("x - 3", Lead.SENSITIVITY, "x − 3", None),
    ("sqrt(10000*y - 9999*y)", Lead.LOSS, "10000·y − 9999·y", "10000·y − 9999·y"),
    ("x*y", Lead.NOTHING, None, None),
    ("1/y + 100", Lead.NOTHING, None, None),
    ("floor(y)", Lead.NOTHING, None, None),
    ("exp(x - x)", Lead.NOTHING, None, "x − x"),
    ("x - x", Lead.SENSITIVITY, "x − x", None),
    ("2*(x - 2.9)", Lead.LOSS, "x − 2.9", None),
    ("0.1+0.2-0.3", Lead.LOSS, "0.1 + 0.2 − 0.3", None),
    ("2 + 3", Lead.NOTHING, None, None),
    ("1 - 1.0000001", Lead.LOSS, "1 − 1.0000001", None),
    ("y", Lead.NOTHING, None, None),
    ("log(-y)", Lead.NO_VALUE, "log(−y)", None),
]


@pytest.mark.parametrize(("text", "lead", "step", "worst"), RESULT_CASES, ids=lambda v: str(v)[:24])
def test_level_and_findings_are_of_the_result(text, lead, step, worst):
    inspection = inspect_columns(text, 5, x=X, y=np.array([3.01, 3.2, 3.3, 3.4, 3.5]))
    said = verdict(inspection)
    assert said.lead is lead
    assert (step_of(inspection, said.leading) if said.leading else None) == step
    inner = [f for f in said.findings if f.place is Place.WORST_STEP]
    assert {step_of(inspection, f) for f in inner} == ({worst} if worst else set())
    if said.level is Level.UNDEFINED:
        return
    truth = shaken_digits(inspection)
    ours = said.sensitivity
    expected = [truth[2], truth[4], truth[4]]
    assert [ours.typical, ours.nine_in_ten, ours.worst] == pytest.approx(expected, abs=1e-6)
    assert said.level is level_of(truth[4])[0]
    means = shaken_losses(inspection)
    assert inspection.nodes[-1].local_eic == pytest.approx(means[-1], abs=1e-6)
    for finding in inner:
        assert means[finding.at] == max(means)


@settings(max_examples=cases(30, 600), deadline=None)
@given(
    text=st.sampled_from(
        [
            *LAWS,
            "a*(x - y)",
            "x - y*z",
            "log(x/y)",
            "sin(x)*cos(y)",
            "max(x - y, z)",
            "x**y",
            "x/(y-z)",
        ]
    ),
    seed=st.integers(0, 10**6),
)
def test_the_badge_is_never_worse_than_the_result(text, seed):
    formula = read(text).formula
    rng = np.random.default_rng(seed)
    columns = {name: np.round(rng.uniform(0.1, 5, 3), 6) for name in formula.variables}
    inspection = inspect(formula, Samples.from_columns(columns))
    assume(inspection.counts.valid == 3)
    said = verdict(inspection)
    try:
        truth = shaken_digits(inspection)
    except NoRealValue:
        assume(False)
    assume(min(abs(truth[-1] - mark) for mark in (1, 2)) > 1e-6)
    if not rows_of(inspection, Outcome.NO_DOUBLE, Outcome.RANGE_LOSS, Outcome.DECIDED):
        assert said.level is level_of(truth[-1])[0]  # of three rows the worst is nine in ten
        assert said.sensitivity.typical == pytest.approx(truth[1], abs=1e-6)


def test_a_step_is_not_blamed_for_samples_that_another_one_spoils():
    columns = {"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]}
    inspection = inspect_columns("log(x)*(y - 2)", **columns)
    groups = findings_of(inspection, Outcome.NO_DIGIT)
    assert {step_of(inspection, g): g.rows for g in groups} == {"log(x)": 1, "y − 2": 1}
    assert {g.cause.ways for g in groups} == {(Zero.EXACT,)}


# --- the limit of the check is no property of the formula


@pytest.mark.parametrize(
    "text", ["0.1+0.2-0.3", "x*(0.1+0.2-0.3)", "x + (0.1+0.2-0.3)", "(x + 0.1) - x - 0.1", "x - x"]
)
def test_no_finding_gives_the_limit_of_the_check_as_a_share_of_the_samples(text):
    """All of these are exactly zero somewhere at every row."""
    inspection = inspect_columns(text, 2_000, x=np.linspace(1, 2, 2_000))
    lost = counts(inspection).get(Outcome.NO_DIGIT, 0)
    assert lost + counts(inspection).get(Outcome.NOT_CHECKED, 0) in (0, 2_000)
    assert sum(g.rows or 0 for g in findings_of(inspection, Outcome.NO_DIGIT)) == (
        lost if text != "x + (0.1+0.2-0.3)" else 0
    )


def test_samples_left_out_because_the_check_ended_are_told_so(monkeypatch):
    settle_at_most(monkeypatch, 1_000, "log(exp(x))")
    inspection = inspect_columns("log(exp(x))", x=np.linspace(990, 1000, 2_500))
    (group,) = findings_of(inspection, Outcome.NOT_CHECKED)
    assert (group.rows, group.of, group.cause.checked) == (1_500, 2_500, 1_000)


def test_samples_without_a_real_value_lead():
    x = np.linspace(-4.5, 5, 20)
    inspection = inspect_columns("sqrt(x)+y", x=x, y=x + 9)
    count = np.count_nonzero(x < 0)
    said = verdict(inspection)
    assert (said.lead, said.level) == (Lead.NO_VALUE, Level.STABLE)
    assert (said.leading.rows, said.leading.of) == (count, 20)
    assert step_of(inspection, said.leading) == "√x"
    inspection = inspect_columns("sqrt(x) + (y - 10.0001)*1e6", x=x, y=x + 9)
    assert verdict(inspection).lead is Lead.NO_VALUE
    (finding,) = findings_of(inspection, Outcome.NO_REAL_VALUE)
    assert finding.rows == count


# --- one account of the numbers


LOSSES = ["Worst step (EIC)", "Result, independent noise", "Result, shared noise"]


def test_the_three_losses_have_a_name_a_number_and_a_sentence():
    x = np.linspace(1e6, 1.0001e6, 20)
    losses = diagnose(inspect_columns("sin(x)**2 + cos(x)**2", x=x)).losses
    assert [loss.name for loss in losses] == LOSSES
    worst, result, shared = [loss.digits for loss in losses]
    assert worst > result > 5 and shared < 0.5  # sin² + cos² is 1 whatever x is
    for loss in losses:
        assert str(loss.sentence).startswith(f"{loss.name}: {loss.digits:.2f} digits")


def test_the_account_of_an_infinite_loss_does_not_hide_the_finite_rest():
    (worst, result) = account_of_losses(inspect_columns("log(x)*2", x=[1.0, 2.0, 3.0]))
    assert math.isinf(worst.digits) and math.isinf(result.digits)
    assert "infinite at some samples, 0.32 digits at the others" in str(result.sentence)


def test_shared_and_independent_noise_agree_without_copies():
    losses = diagnose(inspect_columns("log(x)*y", x=[1.5, 2.0], y=[3.0, 4.0])).losses
    assert losses[1].digits == pytest.approx(losses[2].digits, rel=1e-12)


# --- a metric agrees with what is beside it


def test_a_tail_that_leaves_out_all_that_matters_is_not_shown():
    found = spread_of(inspect_columns("x - x", x=X))
    assert (found.quantiles, found.worst) == ("—", "—")
    assert str(found.settled) == "no: no sample keeps a digit at `x − x`"


def test_an_infinite_mean_is_not_called_settled():
    found = spread_of(inspect_columns("log(x)", x=np.append(np.linspace(1.5, 2, 500), 1.0)))
    assert str(found.settled) == "no: infinite at `log(x)` for 1 sample"


def test_a_flat_tail_is_not_called_unsettled_for_a_crossing_elsewhere():
    """cos(y) crosses zero, yet all samples lose the same seven digits at the sine's square."""
    x, y = 3183098 * math.pi + np.linspace(0.8, 0.81, 400), np.linspace(1.5, 1.6401, 400)
    inspection = inspect_columns("sin(x)**2 + 1e-9*cos(y)", x=x, y=y)
    tail = inspection.tail
    assert tail.divergent and tail.q99 - tail.q50 < 0.05
    found = spread_of(inspection)
    assert str(found.settled) == "not at `cos(y)`"
    assert found.place == "`sin(x)²`"


def test_a_mean_is_called_settled_or_not_as_the_tail_has_it():
    assert str(spread_of(inspect_columns("x*2", x=np.linspace(1, 2, 400))).settled) == "yes"
    few = spread_of(inspect_columns("x*2", x=[1.0, 2.0]))
    assert str(few.settled) == "too few samples to tell"
    crossing = spread_of(inspect_columns("x - 1.5", x=np.linspace(1, 2, 401)[:-1] + 1e-4))
    assert str(crossing.settled) == "no"


# --- what no arithmetic tells

ROUNDED_AWAY = [
    ("1/(1 - tanh(x))", 10.0 ** np.linspace(0, 6, 60)),
    ("1/(exp(x) - 1)", 10.0 ** np.linspace(-80, 0, 60)),
    ("1/(1 - cos(x))", 10.0 ** np.linspace(-40, 0, 60)),
    ("log(1 - 1/(1 + exp(-x)))", np.linspace(-5, 200, 60)),
]


@pytest.mark.parametrize(("text", "x"), ROUNDED_AWAY)
def test_every_sample_at_which_a_program_gets_no_number_is_in_the_headline(text, x):
    """Those that the recursion can use, and those of which balls find no value either."""
    columns = {"x": x}
    wanted = int((~np.isfinite(program(text, columns))).sum())
    inspection = inspect_columns(text, **columns)
    told = counts(inspection)
    assert bool(told.get(Outcome.UNKNOWN)) == ("tanh" in text)
    assert told[Outcome.NO_DOUBLE] + told.get(Outcome.UNKNOWN, 0) == wanted
    assert verdict(inspection).leading.outcome in (Outcome.NO_DOUBLE, Outcome.UNKNOWN)


def test_samples_that_no_arithmetic_holds_are_told_beside_a_calm_result():
    columns = {"x": np.linspace(10, 40, 60)}
    beyond = int((columns["x"] > math.log(math.log(10) * 3e14)).sum())  # < 10^(-3 10^14)
    inspection = inspect_columns("1 + exp(-exp(x))", **columns)
    (finding,) = findings_of(inspection, Outcome.UNKNOWN)
    assert (finding.rows, finding.of) == (beyond, 60)
    assert step_of(inspection, finding) == "exp(−exp(x))"
    assert verdict(inspection).level is Level.STABLE  # a program gets 1, rightly


EXACTNESS = [
    # formula, x, what holds exactly: by algebra, or not since the function only tends there
    ("x - x", [1.0, 2.5], True),
    ("exp(log(x)) - x", [1.5, 2.5], False),  # an identity that no proof here decides
    ("sin(x)**2 + cos(x)**2 - 1", [1.5, 2.5], False),
    ("cos(2*pi*x) - 1", [1.0, 3.0], True),
    ("sin(pi*x)", [1.0, 3.0], True),
    ("floor(x)", [1.0, 3.0], True),
    ("floor(10*x)", [0.3, 0.7], True),
    ("tanh(x) - 1", [1e3, 1e6], False),
    ("log(1 + exp(-x))", [1e3, 1e5], False),
    ("1/(1 + exp(-x)) - 1", [1e3, 1e5], False),
    ("0.5*(1 - erf(x/sqrt(2)))", [100.0, 750.0], False),
    ("floor(tanh(x))", [1e5, 1e6], False),
    ("cos(1/x) - 1", [1e300, 1e250], False),
]


@pytest.mark.parametrize(("text", "x", "exactly"), EXACTNESS)
def test_exactly_is_said_of_what_is_exact_alone(text, x, exactly):
    (finding,) = findings_of(inspect_columns(text, x=x), Outcome.NO_DIGIT)
    if isinstance(finding.cause, OnThreshold):
        assert finding.cause.is_exact is exactly
    else:
        assert (finding.cause.ways == (Zero.EXACT,)) is exactly
        assert (Zero.EXACT in finding.cause.ways) is exactly


def test_a_long_number_is_on_no_jump():
    """80 digits before the point and a quarter."""
    assert not inspect_columns("floor(x - 0.25)", x=[1e70, 1e77, 3.3e80]).nodes[-1].singular


# --- what leaves the range


@pytest.mark.parametrize("text", ["sin(x**-1)", "cot(1/x) + 1"])
def test_a_slope_that_overflows_is_not_steep(text):
    """x^-1 multiplies an error by 1, also at 1e-160, where its slope is beyond doubles."""
    assert not rows_of(inspect_columns(text, x=10.0 ** np.linspace(-160, -20, 40)), Outcome.STEEP)


def test_where_each_sample_lacks_a_value_of_some_kind_none_is_called_real():
    """sqrt(y) + exp(-x) is real where y > 0; exp(-1e16) is below 10^(-3 10^14)."""
    columns = {"x": [2e16, 3e16, 4e16], "y": [-1.0, -2.0, 3.0]}
    inspection = inspect_columns("sqrt(y) + exp(-x)", **columns)
    assert counts(inspection) == {Outcome.NO_REAL_VALUE: 2, Outcome.UNKNOWN: 1}
    assert verdict(inspection).level is Level.UNDEFINED
    assert step_of(inspection, verdict(inspection).leading) == "√y"


def test_a_jump_is_told_apart_from_a_wider_range():
    x = np.linspace(60, 800, 50)
    inspection = inspect_columns("round(sinh(x))", x=x)
    with np.errstate(over="ignore"):
        inf = np.isinf(np.sinh(x))
    assert rows_of(inspection, Outcome.NO_DOUBLE) == np.flatnonzero(inf).tolist()
    assert steps_of(inspection, Outcome.NO_DOUBLE) == {"sinh(x)"}
    assert steps_of(inspection, Outcome.DECIDED) == {"round(sinh(x))"}


def test_a_floor_of_what_no_precision_knows_is_on_no_jump():
    inspection = inspect_columns("floor(exp(x))", x=[8000.0, 9000.0])
    assert not inspection.nodes[-1].singular and inspection.nodes[-1].local_eic == 0


ZEROS = [
    ("Z/(1 + exp(-t))", {"Z": [0, 1, 2, 3], "t": [800, 1, 2, 3]}),
    ("max(C - 1.5, 0)*(1 + exp(-t))", {"C": [1, 1.5, 2, 1], "t": [900, 1000, 3, 2000]}),
    ("(C - 1.5)*(1 + y**2)", {"C": [1, 1.5, 2, 1.5], "y": [1e-200, 1e-200, 1, 2]}),
    ("x*3 - x*2 - x", {"x": [3e-310, 7e-320, 1.1e-305, 2.0]}),
    ("1 - exp(-x)", {"x": [1e-310, 3e-320, 1e-300, 1e-200]}),
]


@pytest.mark.parametrize(("text", "columns"), ZEROS, ids=lambda v: v if isinstance(v, str) else "")
def test_a_zero_that_is_right_or_a_cancellation_has_left_the_range_of_nothing(text, columns):
    assert not rows_of(inspect_columns(text, **columns), Outcome.NO_DOUBLE, Outcome.RANGE_LOSS)
