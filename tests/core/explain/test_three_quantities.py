"""The three quantities of a headline, their quantiles and what leads, for 60 formulas of all kinds.

The truth shares no code with the engine: each node is shaken at 120 digits (sensitivity), a small
interpreter runs the tree in NumPy doubles and is held to mpmath at those doubles (measured), and
inputs and classes of copies are shaken together (function and writing).
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest

from eic_core.corpora.laws import load
from eic_core.explain.findings import ErrorKind, Place
from eic_core.explain.phrases.headline import headline, marks
from eic_core.explain.verdict import Lead, Level, verdict
from eic_core.explain.writing import writing_loss
from eic_core.formula.tree import Formula, Node
from eic_core.measure import Inspection, inspect
from eic_core.measure.measured import measured_loss
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import Outcome
from tests.audit.doubles import digits_lost
from tests.audit.plain import run_plain
from tests.core.explain.shaking import classes
from tests.core.explain.test_phrases import words
from tests.core.measure.oracle import NoRealValue, apply, mp, number
from tests.effort import FULL, cases
from tests.inspections import inspect_columns, inspect_ranges, settle_at_most

ALL, UNIT = 15.95, 2.0**-53
DEPTH = 120
NOTHING_LEFT = math.log10(0.1 / UNIT)
"""Digits from which a jump leaves none: it moves the result by a tenth."""

TINY = mp.mpf(10) ** -40, mp.mpf(10) ** -55
"""Relative errors that are shaken by: two, for what is infinitely steep tells them apart."""

CHOICES: Mapping[str, Callable[..., Any]] = {
    "less_than": operator.lt,
    "less_equal": operator.le,
    "greater_than": operator.gt,
    "greater_equal": operator.ge,
    "equal_to": operator.eq,
    "not_equal": operator.ne,
    "logical_and": lambda a, b: a and b,
    "logical_or": lambda a, b: a or b,
    "logical_not": operator.not_,
}
JUMPS = {*CHOICES, "conditional", "floor", "ceil", "round", "sign", "mod", "fmod", "remainder"}


# --- exact values, with some nodes shaken


class Exact:
    """The formula at one row; only branches that are taken are computed."""

    def __init__(self, formula: Formula, cells: Mapping[str, Any]) -> None:
        self.nodes, self.cells = formula.nodes, cells
        self.values: dict[int, Any] = {}
        self.above: dict[int, set[int]] = {node.id: {node.id} for node in formula.nodes}
        for node in reversed(formula.nodes):
            for child in node.children:
                self.above[child] |= self.above[node.id]
        self.root = len(formula.nodes) - 1
        with mp.workdps(DEPTH):
            self.y = self._at(self.root, self.values, frozenset(), 0)

    def shaken(self, by: Any, *nodes: int) -> Any:
        """The result when these nodes are multiplied by 1 + `by`; None without one."""
        dirty = frozenset().union(*(self.above[k] for k in nodes))
        known = {k: value for k, value in self.values.items() if k not in dirty}
        try:
            with mp.workdps(DEPTH):
                return self._at(self.root, known, frozenset(nodes), by)
        except NoRealValue:
            return None

    def _at(self, k: int, known: dict[int, Any], shaken: frozenset[int], by: Any) -> Any:
        if k not in known:
            y = self._value(
                self.nodes[k], functools.partial(self._at, known=known, shaken=shaken, by=by)
            )
            known[k] = y * (1 + by) if k in shaken and not isinstance(y, bool) else y
        return known[k]

    def _value(self, node: Node, at: Callable[[int], Any]) -> Any:
        if node.operator == "variable":
            cell = self.cells[node.label]
            return number(cell) if isinstance(cell, str) else mp.mpf(cell)
        if node.operator == "constant":
            return number(node.label)
        if node.operator == "conditional":
            test, first, second = node.children
            return at(first) if at(test) else at(second)
        values = [at(child) for child in node.children]
        if node.operator in CHOICES:
            return bool(CHOICES[node.operator](*values))
        return apply(node.operator, values, node.parameter)


def arrival(row: Exact, *nodes: int) -> float:
    """How many times an error shared by these nodes arrives at the result; inf of a steep one or
    a jump, and of a result that is 0 and moves."""
    slopes = []
    for by in TINY:
        up, down = (row.shaken(sign * by, *nodes) for sign in (1, -1))
        if up is None or down is None:
            up, down = (row.y if y is None else y for y in (up, down))
            by = by / 2
        if row.y == 0:
            return math.inf if (up != 0 or down != 0) else 0.0
        slopes.append(abs(up - down) / (2 * by * abs(row.y)))
    coarse, fine = slopes
    return math.inf if fine > max(1e-6, 1000 * coarse) else float(fine)


def sensitivity(row: Exact) -> float:
    """log10 s: every node has an error of its own."""
    with mp.workdps(DEPTH):
        parts = [arrival(row, k) for k in row.values if not isinstance(row.values[k], bool)]
    return math.log10(max(1.0, math.sqrt(math.fsum(p * p for p in parts))))


def turned(row: Exact) -> float:
    """Digits that a rounding of some node costs where it takes a branch or a jump."""
    most = mp.mpf(0)
    with mp.workdps(DEPTH):
        for k in row.values:
            for by in (UNIT, -UNIT):
                y = row.shaken(mp.mpf(by), k)
                if y is not None and row.y:
                    most = max(most, abs(y / row.y - 1))
    return min(ALL, math.log10(max(1.0, float(most / UNIT))))


def tiny_inside(row: Exact) -> bool:
    """Whether some step is too small for all digits of a double."""
    return any(0 < abs(y) < np.finfo(float).tiny for y in row.values.values() if y is not False)


# --- all of it


class Truth(NamedTuple):
    digits: list[float]  # Per row; nan without a real value
    growth: list[float]  # The same without what leaving double range costs
    cost: list[float]  # That alone
    measured: list[float]  # The same
    no_real: int
    no_double: int
    turned: int  # Rows at which a rounding takes a branch
    by_jump: int  # These, and those on a jump that leaves some digits
    endless: int  # Rows with infinite sensitivity
    own: float  # log10 of the root of the mean; nan where not all rows are finite
    shared: float


def truth_of(inspection: Inspection) -> Truth:
    formula, samples = inspection.formula, inspection.samples
    columns = {name: samples.columns[name] for name in formula.variables}
    computed = run_plain(formula, columns, len(samples), "float64")[-1]
    jumps = any(node.operator in JUMPS for node in formula.nodes)
    places = [[n.id for n in formula.nodes if n.label == name] for name in formula.variables]
    digits, growths, costs, measured, own, shared = [], [], [], [], [], []
    no_real = no_double = by_rounding = by_jump = endless = 0
    for at in range(len(samples)):
        try:
            row = Exact(formula, {name: samples.decimal(name, at) for name in columns})
            held = Exact(formula, {name: float(columns[name][at]) for name in columns})
        except NoRealValue:
            no_real += 1
            digits.append(math.nan)
            growths.append(math.nan)
            costs.append(math.nan)
            continue
        growth = sensitivity(row)
        s = min(ALL, growth)
        measured.append(float(digits_lost([held.y], [computed[at]])[0]))
        if not math.isfinite(computed[at]) or (computed[at] == 0 and row.y != 0):
            no_double += 1
            digits.append(ALL)
            growths.append(s)
            costs.append(ALL)
            continue
        cost = turned(row) if jumps else 0.0
        if s + 1 < cost or math.isinf(growth) and NOTHING_LEFT > cost > 0:
            by_jump += 1
            by_rounding += s < ALL
            s = cost
        endless += s >= ALL
        growths.append(s)
        worn = measured[-1] > s + 1 and tiny_inside(row)
        costs.append(measured[-1] if worn else 0.0)
        s = max(s, costs[-1])
        digits.append(s)
        if s < ALL and not by_jump:
            with mp.workdps(DEPTH):
                own.append(1 + sum(arrival(row, *nodes) ** 2 for nodes in places))
                here = [[k for k in same if k in row.values] for same in classes(formula)]
                shared.append(sum(arrival(row, *same) ** 2 for same in here if same))
    whole = len(own) == len(samples)
    mean = [0.5 * math.log10(np.mean(v)) if whole else math.nan for v in (own, shared)]
    return Truth(
        digits, growths, costs, measured, no_real, no_double, by_rounding, by_jump, endless, *mean
    )


def quantile(values: Iterable[float], part: float) -> float:
    """The inverted CDF."""
    known = sorted(v for v in values if not math.isnan(v))
    return known[max(0, math.ceil(part * len(known) - 1e-9) - 1)] if known else math.nan


def lead_of(truth: Truth, stable: bool) -> Lead:
    """What a headline must be about, by these numbers alone."""
    without = ALL * (truth.no_real + truth.no_double)
    wrong = math.fsum(d for d in truth.measured if 1 <= d < ALL) + ALL * truth.turned
    counts = quantile(truth.measured, 0.9) >= 1 or stable or truth.turned
    if without or (wrong and counts):
        return Lead.NO_VALUE if without >= wrong else Lead.LOSS
    return Lead.SENSITIVITY if not stable or truth.endless else Lead.NOTHING


class Case(NamedTuple):
    text: str
    ranges: Mapping[str, Any]  # "low:high" of each variable, or its column
    outcomes: str  # Of its rows
    decimals: int | None = None  # A table with so many

    def inspection(self, count: int) -> Inspection:
        if self.text.startswith("law "):
            _, corpus, which = self.text.split()
            law = load(corpus)[which]
            return inspect(law.tree, law.samples(count))
        if any(not isinstance(of, str) for of in self.ranges.values()):
            return inspect_columns(self.text, **{k: list(of) for k, of in self.ranges.items()})
        drawn = inspect_ranges(self.text, count, **self.ranges)
        if self.decimals is None:
            return drawn
        columns = drawn.samples.columns
        return inspect_columns(
            self.text, **{name: np.round(of, self.decimals) for name, of in columns.items()}
        )


def law(which: str, corpus: str = "feynman") -> Case:
    return Case(f"law {corpus} {which}", {}, "FINITE")


SIGMOID = "where(x >= 0, 1/(1 + exp(-x)), exp(x)/(1 + exp(x)))"
CASES = (
    # calm
    Case("x + y", {"x": "1:5", "y": "1:5"}, "FINITE"),
    Case("x*y/(x + y)", {"x": "1:5", "y": "1:5"}, "FINITE"),
    Case("2.5*exp(-0.3*x)", {"x": "0:5"}, "FINITE"),
    Case("100 + (x - 3.0001)", {"x": "1:5"}, "FINITE"),
    Case(SIGMOID, {"x": np.linspace(-900, 900, 40) / 1000}, "FINITE"),
    Case("where(x > 3, x*x, sqrt(x))", {"x": "1:5"}, "FINITE"),
    Case("max(x, y)*min(x, 2)", {"x": "1:5", "y": "1:5"}, "FINITE"),
    Case("2 + 3*4", {}, "FINITE"),
    # sensitive, computed right
    Case("sqrt(1 - x)", {"x": "0.9999:1"}, "FINITE"),
    Case("sqrt(1 - x)", {"x": "0.99:0.9999"}, "FINITE", decimals=5),
    Case("abs(x - y)", {"x": "1:1.001", "y": "1.001:1.002"}, "FINITE"),
    Case("1/(x - 1)", {"x": "1.0001:1.001"}, "FINITE"),
    Case("x**50", {"x": "1:5"}, "FINITE"),
    Case("tan(x)", {"x": "1.55:1.57"}, "FINITE"),
    Case("sin(x)", {"x": "1000:1100"}, "FINITE"),
    Case("sin(3*x)", {"x": "0.2:6"}, "FINITE"),
    Case("x - y", {"x": "1:1.01", "y": "1.02:1.03"}, "FINITE", decimals=6),
    Case("exp(x)", {"x": "100:600"}, "FINITE"),
    Case("log(x)", {"x": "1.0001:1.001"}, "FINITE"),
    Case("atanh(x)", {"x": "0.999:0.99999"}, "FINITE"),
    Case("acos(x)", {"x": "0.9999:0.999999"}, "FINITE"),
    Case("x**(1/(y - 2))", {"x": "2:5", "y": "2.01:2.02"}, "FINITE"),
    Case("where(x > y, 1/(x - y), 0.5/(y - x))", {"x": "1:1.01", "y": "1.02:1.03"}, "FINITE"),
    # a program loses digits
    Case("sqrt(x + 1) - sqrt(x)", {"x": "1e8:1e10"}, "FINITE"),
    Case("10000*x - 9999*x", {"x": "1:5"}, "FINITE"),
    Case("(1 - cos(x))/x**2", {"x": "1e-4:1e-3"}, "FINITE"),
    Case("x + y - z", {"x": "1e6:2e6", "y": "1e-3:2e-3", "z": "1e6:2e6"}, "FINITE"),
    Case("(exp(x) - 1)/x", {"x": "1e-8:1e-6"}, "FINITE"),
    Case("log(1 + x)", {"x": "1e-9:1e-8"}, "FINITE"),
    Case("(x**2 - y**2)/(x - y)", {"x": "1:1.00001", "y": "1.00002:1.00003"}, "FINITE"),
    Case("sin(1e7*x*pi)", {"x": "1:5"}, "FINITE"),
    Case("(x/3 - y/3)*3", {"x": "1:1.0001", "y": "1.0002:1.0003"}, "FINITE"),
    Case("x**2 - 2*x*y + y**2", {"x": "1:1.001", "y": "1.002:1.003"}, "FINITE", decimals=5),
    Case("where(x > 2, 10000*x - 9999*x, x)", {"x": "1:5"}, "FINITE"),
    Case("(sqrt(x + 1) - sqrt(x))*y", {"x": "1e5:1e6", "y": "1:5"}, "FINITE"),
    Case("tanh(x) - 1", {"x": "8:16"}, "FINITE"),
    Case("(x*1.1)**80/(x**80)", {"x": "1:5"}, "FINITE"),
    # no value
    Case("sqrt(x - 2)", {"x": "1:5"}, "NO_REAL_VALUE FINITE"),
    Case("log(x - 6)", {"x": "1:5"}, "NO_REAL_VALUE"),
    Case("acos(x)", {"x": "0:2"}, "NO_REAL_VALUE FINITE"),
    Case("1/where(x > 3, x - x, x)", {"x": "1:5"}, "NO_REAL_VALUE FINITE"),
    Case("x**2", {"x": "1e200:1e300"}, "NO_DOUBLE"),
    Case("exp(x)/(1 + exp(x))", {"x": np.linspace(-1500, 1500, 31)}, "NO_DOUBLE FINITE"),
    Case("exp(-x**2)", {"x": np.linspace(20, 40, 6)}, "NO_DOUBLE FINITE"),
    Case("(x*1e-160)**2*1e300", {"x": np.linspace(1, 2, 30)}, "RANGE_LOSS"),
    Case("1/(1 - cos(x))", {"x": np.geomspace(1e-12, 1e-2, 40)}, "NO_DOUBLE NO_DIGIT FINITE"),
    Case("where(x > 2, 1/x, exp(400*x))", {"x": "1:5"}, "NO_DOUBLE FINITE"),
    Case("sqrt(x**2 + y**2)", {"x": "1e160:1e170", "y": "1e160:1e170"}, "NO_DOUBLE"),
    # no digit, jumps, infinite slopes
    Case("x - x", {"x": "1:5"}, "NO_DIGIT"),
    Case("floor(x) + sin(1e17*x)", {"x": "1.1:5"}, "NO_DIGIT FINITE"),
    Case("floor(x)", {"x": np.arange(1.0, 41)}, "NO_DIGIT DECIDED"),
    Case("round(2*x)", {"x": [1.1, 1.2, 2.6, 3.25, 4.1, 4.3, 4.6, 4.9]}, "NO_DIGIT FINITE"),
    Case("sqrt(x - 1) + 1", {"x": [1.0, 1.5, 2.0, 3.0]}, "STEEP FINITE"),
    Case("exp(sqrt(x - 2))", {"x": [2.0, 2.0, 3.0, 4.0]}, "STEEP FINITE"),
    Case("where(x > 3, x, 2*x)", {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, "NO_DIGIT FINITE"),
    Case("floor(x*10)", {"x": [0.3, 0.7, 0.1, 0.6, 1.1, 1.2, 2.3]}, "NO_DIGIT DECIDED"),
    # laws
    law("feynman_I_12_2"),
    law("feynman_I_16_6"),
    law("feynman_I_34_8"),
    law("feynman_I_27_6"),
)
CHOSEN = CASES if FULL else CASES[::3]
"""Of every group a third."""


def test_the_table_has_sixty_formulas():
    assert len(CASES) == 60


@functools.cache
def measured_case(case_index: int) -> tuple[Inspection, Truth]:
    inspection = CASES[case_index].inspection(cases(60, 400))
    return inspection, truth_of(inspection)


INDEX = [pytest.param(CASES.index(case), id=case.text) for case in CHOSEN]


@pytest.mark.parametrize("at", INDEX)
def test_sensitivity_and_badge(at):
    inspection, truth = measured_case(at)
    judged = verdict(inspection)
    own = outcomes(inspection)
    near = 0.6 if own.count(Outcome.RANGE_LOSS) else 0.02  # roundings are no bounds
    np.testing.assert_allclose(own.digits, truth.digits, atol=near)
    shown = judged.sensitivity
    for part, value in ((0.5, shown.typical), (0.9, shown.nine_in_ten), (1.0, shown.worst)):
        assert value == pytest.approx(quantile(truth.growth, part), abs=near, nan_ok=True)
    beyond = quantile(truth.cost, 0.9)
    cost = judged.numbers.range_cost
    assert cost.nine_in_ten == pytest.approx(beyond, abs=near, nan_ok=True)
    most = quantile(truth.growth, 0.9)
    border = min(abs(most - 1), abs(most - 2))
    if math.isnan(most):
        assert judged.level is Level.UNDEFINED
    elif beyond > max(most, 1) + near:
        assert judged.level is Level.OUT_OF_RANGE
        return
    elif border > 0.02:
        levels = Level.STABLE, Level.SENSITIVE, Level.VERY_SENSITIVE
        assert judged.level is levels[int(most > 1) + int(most > 2)]
    if abs(border - 0.2) > 0.02 and not math.isnan(most):
        assert judged.borderline == (border < 0.2)


@pytest.mark.parametrize("at", INDEX)
def test_the_rows_of_each_outcome(at):
    inspection, truth = measured_case(at)
    own = outcomes(inspection)
    assert own.count(Outcome.NO_REAL_VALUE) == truth.no_real
    assert own.count(Outcome.NO_DOUBLE) == truth.no_double
    assert own.count(Outcome.NO_DIGIT, Outcome.STEEP, Outcome.FOLLOWS) == truth.endless
    assert own.count(Outcome.DECIDED) == truth.by_jump
    assert {Outcome(k).name for k in own.kinds.tolist()} == set(CASES[at].outcomes.split())


@pytest.mark.parametrize("at", INDEX)
def test_measured_loss(at):
    inspection, truth = measured_case(at)
    shown = measured_loss(inspection)
    assert shown.of == len(truth.measured)
    assert shown.rows <= sum(not math.isnan(loss) for loss in truth.measured)
    found = [quantile(truth.measured, part) for part in (0.5, 0.9, 1.0)]
    if not shown.rows:
        assert all(map(math.isnan, found)) and math.isnan(shown.worst)
    elif len(shown.positions) == shown.of:
        told = [shown.typical, shown.nine_in_ten, shown.worst]
        np.testing.assert_allclose(told, found, atol=0.35)  # a unit in the last place, of a sine
    else:
        assert shown.typical == pytest.approx(found[0], abs=0.4)
        assert shown.quantiles.low - 0.3 <= found[1] <= shown.quantiles.high + 0.3
        assert shown.worst <= found[2] + 0.35


@pytest.mark.parametrize("at", INDEX)
def test_function_and_writing(at):
    inspection, truth = measured_case(at)
    if math.isnan(truth.own) or truth.endless:
        return  # not every row has a finite share
    split = writing_loss(inspection)
    assert split.own == pytest.approx(truth.own, abs=1e-3)
    assert split.q == pytest.approx(truth.shared, abs=1e-3)
    assert split.loss == pytest.approx(max(0.0, truth.shared - truth.own), abs=2e-3)


@pytest.mark.parametrize("at", INDEX)
def test_the_lead_follows_from_these_numbers(at):
    inspection, truth = measured_case(at)
    judged = verdict(inspection)
    assert judged.lead is lead_of(truth, quantile(truth.digits, 0.9) < 1)
    rows = [f.rows for f in judged.findings if f.outcome <= Outcome.NO_DOUBLE]
    assert sum(count or 0 for count in rows) == truth.no_real + truth.no_double
    assert words(headline(judged)) <= 25
    results = [f for f in judged.findings if f.place is Place.RESULT and f.rows is not None]
    assert all(0 < f.rows <= f.of == len(inspection.samples) for f in results)


@pytest.mark.parametrize(
    ("text", "x", "lead", "shown"),
    [
        # a jump that a program takes at the wrong side is its loss
        (
            "floor(10*x)",
            [k / 10 for k in range(1, 200)],
            Lead.LOSS,
            "a program loses at nine in ten rows",
        ),
        # nothing is left "elsewhere" where no row has a value, or underflow wears all of them
        ("exp(-x**2)", [30.0, 40.0], Lead.NO_VALUE, "no value at 100 %"),
        ("x*1e-320", [1.0, 2.0, 3.5], Lead.LOSS, ""),
    ],
)
def test_marks_do_not_contradict_the_headline(text, x, lead, shown):
    judged = verdict(inspect_columns(text, x=x))
    assert judged.lead is lead
    assert re.sub(r" [0-9.]+ digits", "", ", ".join(map(str, marks(judged)))) == shown


def test_a_jump_decided_by_a_step_that_cancels_is_told_as_such():
    judged = verdict(inspect_columns("1 + sign(x - 3)*1e-9", x=[1, 2, 3, 4, 5]))
    assert str(headline(judged)) == (
        "Any error costs up to 7.0 digits at 1 of 5 rows, at `x − 3`: the two terms cancel exactly."
    )


def test_rows_without_a_double_do_not_count_as_the_loss_of_another_step():
    x = np.linspace(600, 900, 300)  # a third overflows, the others lose two digits at most
    judged = verdict(inspect_columns("exp(x)*exp(-0.3*x)", x=x))
    (finding,) = [f for f in judged.findings if f.noise is ErrorKind.ROUNDING]
    assert finding.digits.worst < 4 < judged.measured.worst


def test_rows_that_were_not_checked_are_not_told_to_have_no_value(monkeypatch):
    settle_at_most(monkeypatch, 5, "log(exp(x))")
    judged = verdict(inspect_columns("log(exp(x))", x=[990.0 + k / 7 for k in range(30)]))
    assert str(marks(judged)[0]) == f"no value at {5 / 30:.0%}".replace("%", " %")
