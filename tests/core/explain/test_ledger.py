"""The ledger splits s^2 exactly, and blames what shaking the nodes one by one blames."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from eic_core.engine.sweep import node_units, sweep
from eic_core.engine.tape import tape_of
from eic_core.errors import UserError
from eic_core.explain.ledger import blame
from eic_core.explain.what_if import what_if_mean
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure import Samples, amplify, inspect
from tests.core.explain.shaking import arrival
from tests.core.measure.agreement import samples_of
from tests.core.measure.trees import random_case
from tests.effort import examples
from tests.inspections import inspect_columns, inspect_ranges


def told_of(ledger):
    return tuple(map(str, ledger.sentences))


@settings(max_examples=examples(400), deadline=None)
@given(st.integers(0, 10**6))
def test_squares_of_what_arrives_add_up_to_the_recursion_at_every_sample(seed):
    """Zeros, ties, jumps, overflow and samples settled in balls included."""
    formula, table = random_case(seed)
    samples = samples_of(table)
    amplification = amplify(formula, samples)
    _, s = amplification.trace(len(formula) - 1)
    tape = tape_of(formula)
    for block in sweep(tape, node_units(formula), samples):
        assert (block.ok == amplification.valid).all()
        with np.errstate(all="ignore"):
            total = np.sum([np.square(g) for g in block.arrived], axis=0)
        total[~(total <= 1e60)] = math.inf
        ok = block.ok
        # kappa_b = 1 - kappa_a of the recursion is off by u: below it, noise of u s arrives
        means = map(amplification.finite_mean_s2, range(len(formula)))
        worst = max((mean for mean in means if not math.isnan(mean)), default=1.0)
        rtol = max(1e-10, 1e-14 * math.sqrt(min(worst, 1e20)))
        np.testing.assert_allclose(
            total[ok], s[ok] ** 2, rtol=rtol, err_msg=f"{to_python(formula)} on {table}"
        )


def test_a_jump_met_up_to_a_rounding_lets_no_digit_through():
    """0.2**-2 is 25, where ceil jumps; no ball tells it from 25, fractions do."""
    formula = read("ceil(x**(-2))").formula
    samples = Samples.from_columns({"x": [0.2, 0.3]})
    (block,) = sweep(tape_of(formula), node_units(formula), samples)
    assert [abs(g[0]) for g in block.arrived] == [math.inf, math.inf, 1.0]
    assert [g[1] for g in block.arrived] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "text", ["sqrt(x+1)-sqrt(x)", "(x-y)*exp(x)/(1+y)", "log(x*y)**2+x/y", "hypot(x, y)-x*y**1.3"]
)
def test_the_split_is_exact_to_twelve_digits_for_everyday_formulas(text):
    inspection = inspect_ranges(text, x="1:5", y="2:3")
    formula = inspection.formula
    for target in range(len(formula)):
        ledger = blame(inspection, target)
        total = math.fsum(row.gain**2 for row in ledger.rows)
        assert total == pytest.approx(inspection.nodes[target].s_bar ** 2, rel=1e-12)
        assert math.fsum(row.share for row in ledger.rows) == pytest.approx(1, abs=1e-12)
        assert math.fsum(row.mean_share for row in ledger.rows) == pytest.approx(1, abs=1e-12)
        assert ledger.rows[-1].through == pytest.approx(1, abs=1e-12)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10**6))
def test_shares_through_operands_are_the_edge_shares_of_the_recursion(seed):
    formula, table = random_case(seed)
    inspection = inspect(formula, samples_of(table))
    ledger = blame(inspection, len(formula) - 1)
    if ledger.rows and not inspection.nodes[-1].singular:
        for child, share in zip(
            formula.root.children, inspection.nodes[-1].edge_shares, strict=True
        ):
            assert ledger.rows[child].through == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("10000*x - 9999*x", {"x": "1:5"}),
        ("(1 - cos(x))/x**2", {"x": "0.01:1"}),
        ("sin(sin(cot(x)))", {"x": "0.1:3"}),
        ("x + 0.000001*sin(1000*x)", {"x": "1:5"}),
        ("exp(-((a - b)/c)**2/2)/(sqrt(2*pi)*c)", {"a": "1:3", "b": "1:3", "c": "1:3"}),
    ],
)
def test_blame_is_what_shaking_each_node_alone_at_340_digits_says(text, ranges):
    inspection = inspect_ranges(text, count=12, **ranges)
    formula, samples = inspection.formula, inspection.samples
    cells = [
        {name: samples.decimal(name, row) for name in formula.variables}
        for row in range(len(samples))
    ]
    for target in {inspection.finite_worst_step, len(formula) - 1}:
        ledger = blame(inspection, target)
        squares = [
            [float(arrival(formula, row, [j.node_id], target)) ** 2 for row in cells]
            for j in ledger.rows
        ]
        total = [math.fsum(column) for column in zip(*squares, strict=True)]
        for row, g2 in zip(ledger.rows, squares, strict=True):
            assert row.share == pytest.approx(math.fsum(g2) / math.fsum(total), abs=1e-7)
            fractions = [a / b for a, b in zip(g2, total, strict=True)]
            assert row.mean_share == pytest.approx(np.mean(fractions), abs=1e-7)
            assert row.largest == pytest.approx(math.sqrt(max(g2)), rel=1e-6, abs=1e-9)


def test_a_single_sample_dominates_the_share_but_not_the_mean_share():
    ledger = blame(inspect_columns("(x-1)+1/x", x=[1 + 1e-9] + [3.0] * 99), 2)
    assert ledger.rows[0].share == pytest.approx(0.5, abs=1e-6)  # (x/(x-1))^2 each at x = 1
    mean = 0.99 * 9 / 4 / (1 + 9 / 4 + 1 / 4) + 0.01 * 0.5
    assert ledger.rows[0].mean_share == pytest.approx(mean, rel=1e-6)
    means = {row.node_id: row.mean_share for row in ledger.rows}
    bars = ledger.waterfall(mean=True)
    for bar in bars:
        assert bar.end - bar.start == pytest.approx(sum(means[k] for k in bar.nodes), abs=1e-12)
    assert bars[0].nodes == (0,) and bars[-1].end == pytest.approx(1, abs=1e-12)


def test_the_waterfall_sums_to_one_and_groups_the_rest():
    ledger = blame(inspect_ranges("exp(x)*sin(3*x)+x*y/(1+y**2)-log(x+y)*x**3", x="1:5", y="1:2"))
    for bars in (1, 3, 8, 100):
        stacked = ledger.waterfall(bars)
        assert len(stacked) <= bars
        assert stacked[0].start == 0
        assert stacked[-1].end == pytest.approx(1, abs=1e-12)
        assert [bar.start for bar in stacked[1:]] == [bar.end for bar in stacked[:-1]]
        ids = [k for bar in stacked for k in bar.nodes]
        assert len(ids) == len(set(ids)) == sum(row.share > 0 for row in ledger.rows)
    sizes = [bar.end - bar.start for bar in ledger.waterfall(4)][:-1]
    assert sizes == sorted(sizes, reverse=True)


def test_a_loss_that_the_target_hides_is_called_masked_and_one_that_it_shows_is_not():
    hidden = blame(inspect_ranges("x + 0.000001*sin(1000*x)", x="1:5"), 7)
    assert {5, 6} <= set(hidden.masked)  # the sine and its product
    assert {row.node_id for row in hidden.outermost_masked} == {6}  # named once
    assert any("Masked" in sentence for sentence in told_of(hidden))
    assert not blame(inspect_ranges("x + 100000*sin(1000*x)", x="1:5"), 7).masked


def test_noise_is_told_where_it_arises_and_where_it_is_amplified():
    ledger = blame(inspect_ranges("(x+1) - x", x="1e6:1.0001e6"))
    worst = ledger.ranked[0]
    assert worst.gain == pytest.approx(1e6, rel=1e-3)
    assert worst.amplifier == 4
    assert "error of the input `x` (in 2 places)" in told_of(ledger)[0]
    assert "amplified 10⁶ times at the difference `x + 1 − x`" in told_of(ledger)[0]


def test_singular_samples_are_left_out_and_said():
    ledger, nothing, invalid = (
        blame(inspect_columns(text, x=[1.0, 2.0, 3.0]), 2) for text in ("x-2", "x-x", "log(-x)")
    )
    assert (ledger.finite, ledger.singular) == (2, 1)
    left_out = "1 sample at which the amplification of the result is infinite is not in the ledger."
    assert left_out in told_of(ledger)
    assert nothing.rows == () and "is infinite" in told_of(nothing)[0]
    assert invalid.rows == () and "no sample has a usable value" in told_of(invalid)[0].lower()


def test_the_ledger_does_not_depend_on_how_the_samples_fall_into_blocks(monkeypatch):
    inspection = inspect_ranges("sqrt(x+1)-sqrt(x)", count=1000, x="1:1e8")
    whole = blame(inspection)
    monkeypatch.setattr("eic_core.engine.walked.MOST_ROWS", 64)
    parts = blame(inspection)
    assert [row.share for row in parts.rows] == pytest.approx([row.share for row in whole.rows])


def test_replacing_a_masked_branch_by_its_mean_costs_no_fit_and_saves_its_digits():
    x = inspect_ranges("x").samples.columns["x"]
    target = x + 0.01
    samples = Samples.from_columns({"x": x}, target=target)
    found = what_if_mean(inspect(read("x + 0.000001*sin(1000*x)").formula, samples), 6)
    mean = np.mean(1e-6 * np.sin(1000 * x))
    expected = 1 - np.sum((target - x - mean) ** 2) / np.sum((target - target.mean()) ** 2)
    assert found.mean == pytest.approx(mean, rel=1e-9)
    assert found.r2_after == pytest.approx(expected, rel=1e-12)
    assert found.eic_after < 0.5 < 4.5 < found.eic_before
    assert read(found.text).formula.structure() == found.formula.structure()
    assert "changes R²" in str(found.sentence)


def test_without_a_target_the_fit_is_to_the_formulas_own_values():
    found = what_if_mean(inspect_ranges("x + sin(y)", x="1:5", y="0:6"), 2)
    assert found.against == "formula" and found.r2_before == 1
    assert 0 < found.r2_after < 1


def test_the_whole_formula_is_not_replaced():
    with pytest.raises(UserError, match="choose a part"):
        what_if_mean(inspect_ranges("x+1", x="1:5"), 2)


def test_shares_not_worth_a_bar_are_one_bar():
    ledger = blame(inspect_ranges("sqrt(x+1) - sqrt(x)", x="1e6:1e8"))
    labels = [str(bar.label) for bar in ledger.waterfall()]
    assert labels[-1] == "2 more nodes" and len(labels) == 6
    assert all(bar.end - bar.start >= 0.001 for bar in ledger.waterfall()[:-1])


@pytest.mark.parametrize("text", ["x", "2"])
def test_a_leaf_is_said_to_carry_its_own_error_only(text):
    ledger = blame(inspect_ranges(text, x="1:5"), 0)
    assert told_of(ledger) == (
        f"The only noise of `{text}` is its own error, and nothing has amplified it yet.",
    )


def test_the_first_sentence_says_of_whose_noise_it_speaks():
    ledger = blame(inspect_ranges("(1 - cos(x))/x**2", x="0.001:0.01"))
    assert told_of(ledger)[0].startswith(
        "Over 99.9 % of the noise of `1 − cos(x)` comes from the error of the constant `1` and "
        "the rounding of `cos(x)`, each amplified "
    )


WAYS = [
    # formula, ranges, where each step multiplies by how much is told by s alone
    ("beta*(1+alpha*cos(theta))", {"beta": "1:5", "alpha": "1:5", "theta": "1:5"}),
    ("x*(cos(w*t)+a*cos(w*t)**2)", {"x": "1:3", "w": "1:3", "t": "1:3", "a": "1:3"}),
    ("0.5*sin(y - x) - sin(y)", {"x": "4:6", "y": "0.2:6.6"}),
    ("(0.4918**x)**x", {"x": "2:7"}),
    ("exp(x - 1*x)", {"x": "1:9"}),
    ("log(x)*sin(y)/(x - y)", {"x": "1:5", "y": "1:5"}),
]


# formula, its table, the values behind each zero on the way (by hand), from the input to the result
ZEROS = (
    (
        "log(x)*1e6+y",
        {"x": [1, 1, 2, 1], "y": [1, 2, 3, 4]},
        {"`log(x)·1e6 + y`": lambda x, y: mp.log(x) * 10**6 + y},
    ),
    (
        "(x-1)*1e8+y",
        {"x": [1, 1, 2, 1], "y": [1, 2, 3, 4]},
        {"`(x − 1)·1e8 + y`": lambda x, y: (x - 1) * 10**8 + y},
    ),
    (
        "log(exp(x-max(x,y))+exp(y-max(x,y)))",
        {"x": [511.6, 511.6], "y": [449.9, 449.9]},
        {
            "`exp(x − max(x, y))`": lambda x, y: mp.exp(x - mpf("511.6")),
            "`log(exp(x − max(x, y)) + exp(y − max(x, y)))`": lambda x, y: mp.log(
                mp.exp(x - mpf("511.6")) + mp.exp(y - mpf("511.6"))
            ),
        },
    ),
    (
        "(x-x+2)**3",
        {"x": [3, 4], "y": [1, 1]},
        {"`x − x + 2`": lambda x, y: (x - mpf(3)) + 2, "`(x − x + 2)³`": lambda x, y: (x - 1) ** 3},
    ),
)


@pytest.mark.parametrize(("text", "table", "steps"), ZEROS)
def test_of_a_way_through_a_zero_the_step_that_makes_most_of_it_is_named(text, table, steps):
    """One place of x is moved, at the first row; what each step adds is what its value moves."""
    with mp.workdps(200):
        x, y = (mpf(str(table[name][0])) for name in "xy")
        part = mpf(10) ** -90
        moved = {
            step: abs(value(x * (1 + part), y) / value(x, y) - 1) / part
            for step, value in steps.items()
        }
    gained, before = {}, mpf(1)
    for step, times in moved.items():
        gained[step], before = float(mp.log10(times / before)), times
    most = max(gained, key=gained.get)
    ledger = blame(inspect_columns(text, **table), len(read(text).formula) - 1)
    (sentence,) = (line for line in told_of(ledger) if "error of the input `x`" in line)
    assert sentence.endswith(f" {most}."), (sentence, gained)


@pytest.mark.parametrize(("text", "ranges"), WAYS)
def test_the_step_that_is_named_adds_most_at_the_rows_that_carry_the_noise(text, ranges):
    """By nodes shaken one by one: the digits from an operand to its step, by the source's G².

    Where a step is 0 it has no relative noise, and passes on what it is given (ADR 0010).
    """
    inspection = inspect_ranges(text, count=15, **ranges)
    formula, samples = inspection.formula, inspection.samples
    target = len(formula) - 1
    ledger = blame(inspection, target)
    cells = [{v: samples.decimal(v, row) for v in formula.variables} for row in range(15)]
    gains = np.array(
        [
            [abs(float(arrival(formula, row, [k], target) or 0.0)) for row in cells]
            for k in range(target + 1)
        ]
    )
    for row in ledger.rows[:-1]:
        carried = gains[row.node_id] ** 2
        if not carried.sum() > 1e-20:
            continue
        some = carried > 0
        way, k, size = {}, row.node_id, np.log10(gains[row.node_id, some])
        while k != target:
            k = formula.parents[k]
            noisy = gains[k, some] > 1e-30
            there = np.where(noisy, np.log10(np.where(noisy, gains[k, some], 1)), size)
            way[k] = float(carried[some] @ (size - there) / carried.sum())
            size = there
        assert way[row.amplifier] == pytest.approx(max(way.values()), abs=1e-3)
        if not math.isnan(row.amplifier_part):
            whole = sum(way.values())
            assert row.amplifier_part * whole == pytest.approx(way[row.amplifier], abs=1e-3)
            others = abs(whole - way[row.amplifier])
            assert math.log10(row.elsewhere) == pytest.approx(others, abs=1e-3)


def test_the_step_is_that_of_the_rows_that_carry_the_noise():
    """x is told from 1 in three digits at one row; at the nine others the sum makes 100 times of
    what arrives, but nothing arrives of x."""
    x, y = np.append(np.full(9, 1e-9), 1.001), np.append(np.full(9, 0.99), 0.0)
    told = blame(inspect_columns("(x - 1) + y", x=x, y=y), 4)
    assert told.rows[0].amplifier == 2
    assert told.rows[0].gain == pytest.approx(1001 / math.sqrt(10), rel=1e-3)


def test_what_is_amplified_at_two_steps_alike_is_not_told_of_one():
    """The inner x is multiplied at both powers, 3.7 and 5.3 times: not "at" the outer alone."""
    told = told_of(blame(inspect_columns("(0.4918**x)**x", x=[5.0, 5.1, 5.3])))
    of_x = [sentence for sentence in told if "`x` (in 2 places)" in sentence]
    assert of_x and not any("times at the" in sentence for sentence in of_x)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(x**2 - y**2)/(x - y)", "`x` in `x²` and the error of the input `y` in `y²`, each"),
        ("(x - y)*x", "the error of the input `x` and the error of the input `y`, each"),
        ("(exp(x) - x) - (exp(x) - 1/x)", "the error of the input `x` in `exp(x)` (in 2 places)"),
        ("10000*x - 9999*x", "the error of the input `x` (in 2 places), the"),
    ],
)
def test_of_an_input_that_enters_in_more_places_it_is_said_which_are_meant(text, said):
    """No sentence gives a part of an input's noise for all of it."""
    inspection = inspect_ranges(text, count=2000, x="1:5", y="1:5")
    ledger = blame(inspection, inspection.bottleneck)
    assert said in " ".join(told_of(ledger))
    for source in {str(ledger.source(row)) for row in ledger.rows}:
        of_source = math.fsum(row.share for row in ledger.rows if str(ledger.source(row)) == source)
        for sentence in told_of(ledger):
            if re.search(re.escape(source) + r"(?! in | \(in \d+ of)", sentence):
                told = float(re.search(r"[\d.]+(?= %)", sentence)[0]) / 100
                assert told >= 0.98 * of_source - 0.005


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("log10(exp(y) + 3**7)", {"y": [0.0, 1.0, 2.0, 3.0]}),
        ("100 + (x - 3)", {"x": [1.0, 2.0, 4.2]}),
        ("x*x*x*x*x*x*x*x*x*x*x*x", {"x": [1.0, 2.0, 3.0]}),
    ],
)
def test_the_share_that_is_told_is_that_of_the_sources_named(text, columns):
    """All is said only where nothing is left out."""
    ledger = blame(inspect_columns(text, **columns), len(read(text).formula) - 1)
    (first, *_) = told_of(ledger)
    if first.startswith("All "):
        extra = (int(n) - 1 for n in re.findall(r"\(in (\d+) places\)", first))
        more = sum(int(n) - 1 for n in re.findall(r"(\d+) more", first))
        listed = len(re.findall(r", the | and the |from the | and \d+ more", first))
        assert listed + more + sum(extra) == sum(1 for row in ledger.rows if row.share > 0)
    else:
        told = float(first.removeprefix("Over ").split(" %")[0]) / 100
        assert 0.98 < told < 1
