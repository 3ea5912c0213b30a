"""What helps where no form is better, and the mean of a step that keeps no digit at some rows.

Whether the exact result is 0, or beyond double range, is worked out here with mpmath, and what a
program finds with NumPy.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from mpmath import mp, mpf

from eic_core.explain.diagnosis import diagnose
from eic_core.explain.facts import Unbounded
from eic_core.explain.ledger import blame
from eic_core.explain.settling import unsettled_at
from eic_core.formula.syntax import read
from eic_core.measure import Domain, inspect, sample_domains
from eic_core.rewriting import Repairs, repair
from eic_core.rewriting.gains import Advice, Helps, NothingToDo, Remedy
from eic_core.samples import Samples

WHOLE = [float(k) for k in range(-5, 6)]
SMALL = [10.0**-k for k in range(80, 121, 5)]

# formula, the same with mpmath, the values of its input
RESULTS = (
    ("0.1+0.2*x-0.3*x**2", lambda x: (1 + 2 * x - 3 * x**2) / 10, WHOLE),
    ("sin(pi*x)", mp.sinpi, WHOLE),
    ("cos(pi*x/2)", lambda x: mp.cospi(x / 2), WHOLE),
    ("tan(pi*x)", lambda x: mp.sinpi(x) / mp.cospi(x), WHOLE),
    ("x*(x-1)/2", lambda x: x * (x - 1) / 2, WHOLE),
    ("2*x+3", lambda x: 2 * x + 3, WHOLE),
    ("sin(x)*1e300*1e10", lambda x: mp.sin(x) * mp.mpf("1e310"), WHOLE[6:]),
    ("1/x**4", lambda x: 1 / x**4, SMALL),
    ("x*1e-200", lambda x: x * mp.mpf("1e-200"), SMALL),
    ("x*1e-200*x", lambda x: x * mp.mpf("1e-200") * x, SMALL),
    ("x**2*1e-50", lambda x: x**2 * mp.mpf("1e-50"), SMALL),
    ("x*1e-20", lambda x: x * mp.mpf("1e-20"), SMALL),
)


def facts(text: str, exact, values: list[float]) -> tuple[bool, bool, bool]:
    """Whether the exact result leaves double range, whether another number stands for a 0, and
    whether it passes a 0 that an error of its input, in proportion, moves."""
    names = {"sin": np.sin, "cos": np.cos, "tan": np.tan, "pi": np.pi}
    with np.errstate(all="ignore"):
        plain = eval(text, names | {"x": np.array(values)})  # noqa: S307
    leaves = missed = passes = False
    with mp.workdps(60):
        for x, found in zip(values, plain.tolist(), strict=True):
            y = abs(exact(mp.mpf(repr(x))))
            missed |= not y and found != 0
            passes |= not y and exact(mpf(repr(x)) * (1 + mpf(10) ** -30)) != 0
            leaves |= bool(y) and not sys.float_info.min <= y <= sys.float_info.max
    return leaves, missed, passes


def advice(text: str, columns: Mapping[str, Sequence[float]]) -> tuple[Repairs, tuple[Remedy, ...]]:
    """What a search finds, and the remedies that it names."""
    samples = Samples.from_columns({name: np.array(c, float) for name, c in columns.items()})
    found = repair(read(text).formula, samples, limit_steps=20)
    return found, found.helps.remedies if isinstance(found.helps, Helps) else ()


def is_well_elsewhere(helps: Advice | None) -> bool:
    """Whether nothing needs to be done at the rows at which the result keeps digits."""
    return isinstance(helps, Helps) and helps.at_lost_rows and helps.alone


@pytest.mark.parametrize(("text", "exact", "values"), RESULTS)
def test_units_are_advised_out_of_range_and_a_tolerance_at_exact_zeros(text, exact, values):
    found, remedies = advice(text, {"x": values})
    leaves, missed, passes = facts(text, exact, values)
    others = not leaves and not missed
    assert (Remedy.WIDER_RANGE in remedies) == leaves
    assert (Remedy.TAKE_FOR_ZERO in remedies) == (missed and not leaves and not found.repairs)
    assert (found.helps is NothingToDo.ALL_WELL) == (others and not passes)
    assert is_well_elsewhere(found.helps) == (others and passes)


# formula, its table, the same with exact numbers, how the rows are moved (a part of each input)
LOST = (
    (
        "(x-2)*(y-2)",
        {"x": [2, 2, 3, 1, 2.5], "y": [2, 3, 2, 1, 2.5]},
        lambda x, y: (x - 2) * (y - 2),
    ),
    (
        "(x-1)*(x-2)*(x-3)",
        {"x": [1, 2.5, 3, 4], "y": [1, 1, 1, 1]},
        lambda x, y: (x - 1) * (x - 2) * (x - 3),
    ),
    ("(x-y)/(x+y)", {"x": [1, 2.5, 3, 4], "y": [1, 3, 1, 2]}, lambda x, y: (x - y) / (x + y)),
    (
        "x*floor(x)-x",
        {"x": [1, 2.5, 3.5, 4.5], "y": [1, 1, 1, 1]},
        lambda x, y: x * mp.floor(x) - x,
    ),
    (
        "floor(x/0.3)",
        {"x": [0.3, 0.6, 0.75, 0.85], "y": [1, 1, 1, 1]},
        lambda x, y: mp.floor(x / mpf("0.3")),
    ),
    (
        "1000000+floor(x)",
        {"x": [1, 2, 3, 4], "y": [1, 1, 1, 1]},
        lambda x, y: 1_000_000 + mp.floor(x),
    ),
    (
        "atan2(y-1,x)",
        {"x": [-1, 1, -1, -1], "y": [1, 1, 2, 0.999999]},
        lambda x, y: mp.atan2(y - 1, x),
    ),
    ("abs(x)-max(x,-x)", {"x": [1, 2.5, 3, -4], "y": [1, 1, 1, 1]}, lambda x, y: x - x),
    ("abs(x)-x", {"x": [1, 2.5, -3, -4], "y": [1, 1, 1, 1]}, lambda x, y: abs(x) - x),
    ("x*y/(1+y)", {"x": [1, 2.5, 3, 4], "y": [1, 3, 1, 2]}, lambda x, y: x * y / (1 + y)),
    ("x**2", {"x": [1, 2.5, 3, 4], "y": [1, 3, 1, 2]}, lambda x, y: x**2),
)


@pytest.mark.parametrize(("text", "table", "value"), LOST)
def test_what_helps_where_the_result_keeps_no_digit_is_said(text, table, value):
    """An error of a part in 10^30 moves a result that is lost by more than 10^20 times as much."""
    by = [mpf(10) ** -30 * k for k in (-1, 2)]
    moved, still = [], []
    with mp.workdps(60):
        for x, y in zip(table["x"], table["y"], strict=True):
            x, y = mpf(str(x)), mpf(str(y))
            there = value(x, y)
            far = max(abs(value(x * (1 + a), y * (1 + b)) - there) for a in by for b in by)
            moved.append(far > abs(there) * mpf(10) ** -10)
            still.append(there == 0 and far == 0)
    formula = read(text).formula
    found, remedies = advice(text, {name: table[name] for name in formula.variables})
    assert (Remedy.KNOW_INPUTS in remedies) == any(moved)
    assert (found.helps is NothingToDo.ALL_WELL) == (not any(moved) and not any(still))
    assert (Remedy.WRITE_ZERO in remedies) == all(still)
    nothing = found.helps is NothingToDo.ZERO_IS_RIGHT or is_well_elsewhere(found.helps)
    assert not ((all(moved) or all(still)) and nothing)
    assert found.helps is not NothingToDo.STEP_IS_HIDDEN
    assert Remedy.SAMPLES_WITH_VALUE not in remedies


# formula, the operator of the step in question, the same by hand, the values of its input
STEPS = (
    ("cos(pi*x/2)", "cos", lambda x: mp.cospi(x / 2), [*WHOLE, 0.3]),
    ("x*(x-1)/2", "sub", lambda x: x - 1, [*map(float, range(-3, 10)), 0.3]),
    ("log(x/(1-x))", "log", lambda x: mp.log(x / (1 - x)), [0.01, 0.25, 0.5, 0.75]),
    ("exp(30*x)*(x-1)", "sub", lambda x: x - 1, [-2.0, 0.5, 0.75, 3.0, 4.0]),
    ("exp(30*x)*(x-1)", "sub", lambda x: x - 1, [-2.0, 0.5, 1.0, 3.0, 4.0]),
)


@pytest.mark.parametrize(("text", "step", "value", "values"), STEPS)
def test_a_step_whose_mean_grows_keeps_no_digit_where_it_is_zero(text, step, value, values):
    inspection = inspect(read(text).formula, Samples.from_columns({"x": np.array(values)}))
    found = unsettled_at(inspection)
    assert not found.own and inspection.formula.nodes[found.node].operator == step
    zero = any(value(mp.mpf(x)) == 0 for x in values)
    assert math.isinf(inspection.nodes[found.node].local_eic) == zero


@pytest.mark.parametrize("text", ["x - 2*y", "0.2*x - 1", "(x - 5)/(y - 3.5)", "log(x) - log(y)"])
def test_of_whole_numbers_no_growth_is_said(text):
    """E[s^2] without the zeros is the same however many rows are drawn: counted here exactly."""
    rng = np.random.default_rng(3)
    means = []
    for count in (400, 20_000):
        columns = {name: rng.integers(1, 10, count).astype(float) for name in "xy"}
        inspection = inspect(read(text).formula, Samples.from_columns(columns))
        means.append(max(n.local_eic_finite for n in inspection.nodes))
        found = unsettled_at(inspection)
        assert found is None or found.node < 0
        assert not isinstance(diagnose(inspection).where.interval.obstacle, Unbounded)
    assert means[0] == pytest.approx(means[1], abs=0.1)


SHARED = (
    ("(x-1)*(x-1)/((x-1)+1e-9)", "x=0.9:1.1"),
    ("sin(x)**2+cos(x)**2", "x=-1e6:1e6"),
    ("(x-1.0001)*y + (x-1.0001)*2", "x=1:1.01 y=1:2"),
    ("(x-1.0001)*y - y*x*(x-1.0001)*1000", "x=1:1.01 y=1:2"),
    ("(1-x)**2 + (1-x)*y", "x=0.99:1.01 y=1:2"),
)


@pytest.mark.parametrize(("text", "ranges"), SHARED)
def test_no_two_groups_of_noise_are_the_same(text, ranges):
    samples = sample_domains(dict(map(Domain.parse, ranges.split())), count=100, seed=0)
    inspection = inspect(read(text).formula, samples)
    for node in (None, inspection.formula.root.id):
        groups = {replace(each, share=0.0) for each in blame(inspection, node).groups}
        assert len(groups) == len(blame(inspection, node).groups)


def test_copies_are_amplified_by_the_steps_that_they_stand_in():
    """x is in `x - y` twice and in `x - z` once."""
    columns = {"x": [1.0001, 2.0], "y": [1.0, 1.9999], "z": [1.0002, 2.0001]}
    arrays = {name: np.array(values) for name, values in columns.items()}
    formula = read("(x-y)*(x-y)*(x-z)").formula
    found = blame(inspect(formula, Samples.from_columns(arrays)), formula.root.id)
    sources = [each for group in found.groups for each in group.sources]
    copies = [each for each in sources if formula.nodes[each.node_id].label == "x"]
    assert sorted(each.places for each in copies) == [1, 2]
    for each in copies:
        step = formula.nodes[formula.parents[each.node_id]]
        assert formula.nodes[step.children[1]].label == ("y" if each.places == 2 else "z")
