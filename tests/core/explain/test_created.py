"""The cause is where most of the loss is created, and what the steps create adds up to the loss.

The truth comes from `tests.core.explain.shaking`: every node is shaken at 340 digits by an
evaluator that shares no code with the engine, and what arrives is put together here by plain sums.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from eic_core.explain.causes import explain_loss
from eic_core.explain.created import (
    WorstStepOnData,
    created_losses,
    digits_created,
    origin_of_loss,
    row_weights,
)
from eic_core.explain.findings import (
    Accumulated,
    Cancellation,
    GrowthOfLargeNumber,
    LargeArgument,
    LargeExponent,
    NearEdge,
)
from eic_core.explain.ledger import blame
from eic_core.explain.phrases.what_if import worst_step_sentence
from eic_core.explain.where import where
from eic_core.formula.rendering import to_python
from eic_core.measure import inspect
from tests.core.explain.shaking import arrival
from tests.core.measure.agreement import samples_of
from tests.core.measure.trees import random_case
from tests.effort import examples
from tests.inspections import inspect_columns, inspect_ranges


def true_created(inspection, target):
    """Digits that each node of the target's subtree creates, from shaken nodes alone."""
    formula, samples = inspection.formula, inspection.samples
    nodes = range(formula.first[target], target + 1)
    rows = []
    for k in range(len(samples)):
        cells = {name: samples.decimal(name, k) for name in formula.variables}
        square = {j: float(arrival(formula, cells, [j], target)) ** 2 for j in nodes}
        below = {j: sum(square[i] for i in range(formula.first[j], j + 1)) for j in nodes}
        rows.append((square, below))
    weights = tilted([math.sqrt(below[target]) for _, below in rows])
    created = []
    for k in nodes:
        total = 0.0
        for weight, (square, below) in zip(weights, rows, strict=True):
            parts = [(i, below[i] / below[k]) for i in formula.nodes[k].children]
            grown = math.log10(below[k] / square[k]) / 2
            grown -= sum(part * math.log10(below[i] / square[i]) / 2 for i, part in parts)
            total += weight * below[k] / below[target] * grown
        created.append(total)
    return created


def tilted(s):
    """Weights s^(2 lambda) under which the mean of log10 s is the local EIC, by halving."""
    digits = [math.log10(value) for value in s]
    goal = 0.5 * math.log10(sum(value**2 for value in s) / len(s))
    low, high = 0.0, 1.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        weights = [10 ** (2 * middle * (d - max(digits))) for d in digits]
        mean = sum(w * d for w, d in zip(weights, digits, strict=True)) / sum(weights)
        low, high = (middle, high) if mean < goal else (low, middle)
    return [w / sum(weights) for w in weights]


CAUSES = [
    # formula, ranges, where most is created, and its cause
    ("(x-0.999)**4", {"x": "1:1.01"}, "x - 0.999", Cancellation),
    ("log(x)**4", {"x": "1.001:1.01"}, "log(x)", NearEdge),
    ("log(x)**4", {"x": "1:5"}, "log(x)", NearEdge),
    (
        "-0.13785602*x0*x1**2/(x1 - 0.9*x2) + 0.98014763*x0*x1",
        {"x0": "1", "x1": "1:9", "x2": "1:9"},
        "x1 - 0.9*x2",
        Cancellation,
    ),
    ("tan(1.56 - 4773*sin(x**-3))", {"x": "-5:5"}, "sin(x**(-3))", LargeArgument),
    ("exp(5*log(x - 2))", {"x": "2.001:2.01"}, "x - 2", Cancellation),
    ("-(abs(x - y)/3)**0.5", {"x": "1:1.001", "y": "1:1.001"}, "x - y", Cancellation),
    ("(1e5*sin(1e6*x)/y)**3", {"x": "1:5", "y": "1:5"}, "sin(1e6*x)", LargeArgument),
    ("x**40", {"x": "1:5"}, "x**40", LargeExponent),
    ("exp(x)*y", {"x": "100:200", "y": "1:5"}, "exp(x)", GrowthOfLargeNumber),
    ("exp((x - y)**3)", {"x": "8:9", "y": "1:2"}, "exp((x - y)**3)", GrowthOfLargeNumber),
]


@pytest.mark.parametrize(("text", "ranges", "place", "kind"), CAUSES)
def test_the_cause_is_where_most_is_created_and_all_answers_agree(text, ranges, place, kind):
    inspection = inspect_ranges(text, count=8, seed=3, **ranges)
    target = inspection.worst_step
    truth = true_created(inspection, target)
    first = inspection.formula.first[target]
    assert digits_created(inspection, target) == pytest.approx(truth, abs=1e-6)
    whole = inspect_ranges(text, count=1_000, **ranges)
    target = whole.worst_step
    origin = origin_of_loss(whole, target)
    assert to_python(whole.formula, origin) == place
    losses = created_losses(whole, target)
    assert losses[0].node_id == origin
    cause, created = explain_loss(whole, target)[0]
    assert isinstance(cause, kind) and cause.node == origin
    assert created == pytest.approx(losses[0].digits)
    # the ledger blames the same step for every source below it that makes much of the noise
    for row in blame(whole, target).rows:
        inside = first <= row.node_id < origin and row.node_id >= whole.formula.first[origin]
        if inside and row.share > 0.3 and losses[0].digits > 0.6 * whole.eic:
            assert row.amplifier == origin, row
    found = where(whole, target).place
    if found is not None and found.node_id is not None:
        assert found.node_id in {loss.node_id for loss in losses[:2]}


def test_a_second_large_part_is_named_with_its_digits():
    inspection = inspect_ranges("log(x-3)+sqrt(x)", count=2_000, x="3:10")
    first, second = created_losses(inspection, inspection.bottleneck)[:2]
    texts = [to_python(inspection.formula, loss.node_id) for loss in (first, second)]
    assert texts == ["log(x - 3) + sqrt(x)", "x - 3"]
    explained = explain_loss(inspection, inspection.bottleneck)
    assert [(cause.node, created) for cause, created in explained] == [
        (loss.node_id, pytest.approx(loss.digits)) for loss in (first, second)
    ]
    # other steps take some off
    assert first.digits + second.digits - inspection.nodes[-1].local_eic > 0.1


def test_copies_of_one_sub_expression_are_one_cause():
    inspection = inspect_ranges("sin(1000*x)*sin(1000*x)", x="1:5")
    first = created_losses(inspection, inspection.bottleneck)[0]
    assert first.copies == (3, 7) and first.digits > 0.9 * inspection.eic
    nodes = [cause.node for cause, _ in explain_loss(inspection, inspection.bottleneck)]
    assert nodes.count(first.node_id) == 1 and not {*first.copies[1:]} & {*nodes}


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 10**6))
def test_what_the_steps_create_adds_up_to_the_loss_at_every_node(seed):
    formula, table = random_case(seed)
    inspection = inspect(formula, samples_of(table))
    for n in inspection.nodes:
        losses = created_losses(inspection, n.node.id)
        if not n.node.children:
            assert losses == ()
        elif losses:
            assert math.fsum(loss.digits for loss in losses) == pytest.approx(
                n.local_eic_finite, abs=1e-6
            )


@settings(max_examples=examples(40), deadline=None)
@given(st.integers(0, 10**6))
def test_the_order_of_the_samples_changes_nothing(seed):
    formula, table = random_case(seed)
    samples = samples_of(table)
    assume(len(samples) > 1 and formula.variables)
    mixed = samples.take(np.random.default_rng(seed).permutation(len(samples)))
    before, after = inspect(formula, samples), inspect(formula, mixed)
    for k in range(len(formula)):
        assert digits_created(before, k) == pytest.approx(digits_created(after, k), abs=1e-6)


@settings(max_examples=examples(30), deadline=None)
@given(st.sampled_from([-12, -3, 2, 9]), st.integers(0, 100))
def test_the_unit_of_an_input_does_not_change_the_cause(power, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(1, 2, 200), rng.uniform(1, 2, 200)
    factor = 2.0**power  # exact in double precision
    texts = ("(x - y)**3/(x + y)", "exp(x/y)*(x - 0.5*y)**2", "cos(3*x/y)*log(x/y)")
    for text in texts:
        before = inspect_columns(text, x=x, y=y)
        after = inspect_columns(text, x=factor * x, y=factor * y)
        k = before.worst_step
        assert after.worst_step == k
        assert digits_created(after, k) == pytest.approx(digits_created(before, k), abs=1e-6)
        assert origin_of_loss(after, k) == origin_of_loss(before, k)


@pytest.mark.parametrize("wrap", ["-({})", "abs({})", "({})*7", "({})/y", "(({})*y)/3"])
def test_a_step_that_only_passes_a_loss_on_is_never_the_cause(wrap):
    inspection = inspect_ranges(wrap.format("x - y"), x="1:1.001", y="1:1.001")
    root = len(inspection.formula) - 1
    assert to_python(inspection.formula, origin_of_loss(inspection, root)) == "x - y"


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.floats(0, 30), min_size=1, max_size=40))
def test_rows_are_weighted_so_that_the_mean_of_digits_is_the_local_eic(digits):
    s = 10.0 ** np.array(digits)
    weights = row_weights(s)
    assert np.sum(weights) == pytest.approx(1) and (weights >= 0).all()
    top = float(np.max(s))
    truth = math.log10(top) + 0.5 * math.log10(np.mean((s / top) ** 2))
    assert float(weights @ np.log10(s)) == pytest.approx(truth, abs=1e-9)
    assert weights.tolist() == pytest.approx(tilted(s.tolist()), abs=1e-6)


def test_a_zero_on_the_way_creates_nothing_itself():
    """exp(x - x) has s^2 = 1 + 2 x^2 though no digit of its exponent is left."""
    losses = created_losses(inspect_columns("exp(x-x)", x=[3.0]), 3)
    created = {loss.node_id: loss.digits for loss in losses}
    assert created == pytest.approx({3: 0.5 * math.log10(19), 2: 0.0}, abs=1e-9)


def test_noise_below_the_square_root_of_all_doubles_creates_no_infinity():
    """The remainder is below 4.4e-159 beside 0.15: of log(1.09) there arrives 10^-159."""
    found = inspect_columns("lgamma(fma(fmod(log(x), y), 3, 0.15))", x=[1.09], y=[-4.4e-159])
    assert all(math.isfinite(loss.digits) for loss in created_losses(found, found.formula.root.id))
    assert explain_loss(found, found.formula.root.id, np.array([0]))[0].cause


def test_an_amplification_beyond_all_doubles_is_followed():
    """fmod takes log 2 = 0.69... by 10^-316: about 10^316 times what its value is."""
    found = inspect_columns("(fmod(log(y), x)) - 0.15", x=[1e-316, 1e-310], y=[2.0, 3.0])
    assert blame(found, found.formula.root.id).rows


def test_steps_that_each_lose_little_are_not_blamed_one_by_one():
    inspection = inspect_ranges(
        "*".join(f"x{i}" for i in range(60)), **{f"x{i}": "1:2" for i in range(60)}
    )
    largest = created_losses(inspection, inspection.worst_step)[0].digits
    assert inspection.eic > 1 and largest < 0.35
    [(cause, _)] = explain_loss(inspection, inspection.worst_step)
    assert isinstance(cause, Accumulated) and cause.most == pytest.approx(largest)


@pytest.mark.parametrize("text", ["100 + (x - 3)", "exp(x)*sin(y)/(x - 0.9*y) + log(x + y)", "x*y"])
def test_a_choice_of_many_rows_tells_what_all_of_them_do(text, monkeypatch):
    chosen, every = (inspect_ranges(text, count=40_000) for _ in range(2))
    root = len(chosen.formula) - 1
    of_some = digits_created(chosen, root)
    monkeypatch.setattr("eic_core.explain.created.MOST_ROWS", 10**9)
    assert of_some == pytest.approx(digits_created(every, root), abs=0.02)


# --- the worst step is told to have moved where it has, and nowhere else


def inspected(text, low, high):
    return inspect_ranges(text, 99, x=(low, high))


def sentence(before, after):
    """What is told of a worst step on two inspections."""
    ends = WorstStepOnData.of(before), WorstStepOnData.of(after)
    return str(worst_step_sentence(after.formula, *ends))


def test_a_worst_step_that_moves_is_named_with_where_it_was():
    """s^2 of log x is 1 + 1 / log(x)^2, of sin x 1 + (x / tan x)^2; the sum keeps neither."""
    near, far = inspected("log(x) + sin(x)", 1.001, 1.001), inspected("log(x)+sin(x)", 3.14, 3.14)
    was = math.log10(math.hypot(1, 1 / math.log(1.001)))
    now = math.log10(math.hypot(1, 3.14 / math.tan(3.14)))
    assert sentence(near, far) == (
        f"The worst step moved from `log(x)` ({was:.2f} digits) to `sin(x)` ({now:.2f} digits)."
    )


@settings(max_examples=examples(50), deadline=None)
@given(st.floats(-5, 5), st.floats(0.01, 3))
def test_the_sentence_names_the_worst_step_there_is(low, width):
    before = inspected("log(x) + sqrt(3 - x)", 1, 2)
    after = inspected("log(x) + sqrt(3 - x)", low, low + width)
    said = sentence(before, after)
    if math.isnan(after.eic):
        assert "no sample has a usable value" in said
    elif after.worst_step == before.worst_step:
        assert "stays" in said
    else:
        assert said.startswith("The worst step moved")
        assert f"`{after.nodes[after.worst_step].text}`" in said


def test_data_without_and_with_a_value_are_told():
    nothing, something = inspected("log(-x)", 1, 2), inspected("log(-x)", -2, -1)
    assert "no sample has a usable value" in sentence(something, nothing)
    assert "Now there are samples with a value" in sentence(nothing, something)
