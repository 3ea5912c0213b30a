"""Four ways agree on ordinary formulas, and say why where they do not."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from eic_core.explain.facts import (
    Event,
    LargeErrors,
    MeasuredEvent,
    Nothing,
    SharedNoise,
    Why,
)
from eic_core.explain.triangulation import triangulate
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.observed import exact_values, observe
from tests.core.measure.trees import random_tree
from tests.effort import cases
from tests.inspections import inspect_columns, inspect_ranges


def root_of(text, **ranges):
    return triangulate(inspect_ranges(text, count=300, **ranges)).nodes[-1]


def test_no_node_of_random_formulas_is_left_unclear():
    """The recursion, the perturbation and both floating-point types, on random formulas."""
    badges = []
    for seed in range(cases(8, 25)):
        rng = random.Random(seed)
        formula = Formula.from_draft(random_tree(rng, ("x", "y"), rng.choice((3, 4)), 0.8))
        domains = {name: Domain("uniform", 0.5, 3.0) for name in formula.variables}
        found = triangulate(inspect(formula, sample_domains(domains, count=60)))
        for node in found.nodes:
            badges.append(node.agreement.badge)
            assert node.agreement.badge != "unclear", (to_python(formula), node.agreement.reasons)
            assert node.agreement.badge == "ok" or node.agreement.reasons
    assert badges.count("ok") > 0.7 * len(badges)


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_the_observed_error_is_that_of_rational_arithmetic(kind):
    """x*y - x, with every product and difference of the doubles taken as fractions."""
    x, y = [1.1, 2.7, 3.3], [1.0001, 1.003, 1.00001]
    formula = read("x*y - x").formula
    samples = Samples.from_columns({"x": x, "y": y})
    found = observe(exact_values(formula, samples, kind), samples, kind)[-1]
    dtype = np.dtype(kind).type
    unit = Fraction(1, 2**24 if kind == "float32" else 2**53)
    for row, (a, b) in enumerate(zip(x, y, strict=True)):
        true = Fraction(float(dtype(a))) * Fraction(float(dtype(b))) - Fraction(float(dtype(a)))
        computed = Fraction(float(dtype(dtype(a) * dtype(b)) - dtype(a)))
        assert found.errors[row] == pytest.approx(float((computed - true) / true / unit))
    assert found.digits == pytest.approx(
        math.log10(math.sqrt(np.mean(np.square(found.errors)))), rel=1e-12
    )
    assert found.worst == pytest.approx(math.log10(np.abs(found.errors).max()))


def test_an_exact_operation_rounds_nothing():
    """Sterbenz: the difference of two doubles within a factor of 2 is exact."""
    samples = Samples.from_columns({"x": [1.5, 1.75], "y": [1.25, 1.625]})
    found = observe(exact_values(read("x - y").formula, samples), samples, "float64")
    assert found[-1].rounding.tolist() == [0.0, 0.0]
    assert found[-1].digits == -math.inf


def test_cancellation_is_seen_alike_by_all_and_saturates_single_precision():
    root = root_of("sqrt(x+1) - sqrt(x)", x="1e6:1e7")
    assert root.shaken[-1].low - 0.05 < root.recursion < root.shaken[-1].high + 0.05
    assert root.float64.digits == pytest.approx(root.shared, abs=0.7)
    assert root.float32.digits < 7.5 < root.recursion + 1
    assert MeasuredEvent("float32", Event.FEW_DIGITS) in root.agreement.reasons


def test_shared_inputs_are_explained_by_q():
    root = root_of("(x*x)/(x*x*x)*x", x="1:5")
    assert root.shared < root.recursion - 0.1
    (shared,) = [r for r in root.agreement.reasons if isinstance(r, SharedNoise)]
    assert (shared.copies.text, shared.copies.count) == ("`x`", 6)
    assert any(
        str(sentence).startswith("`x` is used 6 times, and all its uses share their noise")
        for sentence in root.agreement.sentences
    )


def test_large_noise_is_called_out_of_proportion():
    root = root_of("sin(1000*x)", x="1:5")
    assert math.isnan(root.shaken[0].low) or root.shaken[0].high < root.recursion
    assert any(isinstance(reason, LargeErrors) for reason in root.agreement.reasons)
    assert "no longer responds in proportion" in " ".join(map(str, root.agreement.sentences))
    assert root.agreement.badge in ("ok", "explained")


def test_overflow_and_underflow_are_named():
    node = triangulate(inspect_ranges("log(exp(x))", count=300, x="800:1000")).nodes[1]
    assert node.recursion == pytest.approx(2.95, abs=0.05)
    assert node.float64.usable == 0 and node.float64.rows_lost == 200
    assert node.agreement.badge == "explained"
    assert MeasuredEvent("float64", Event.NO_NUMBER) in node.agreement.reasons
    said = "In float64, the value overflows or has no number."
    assert said in map(str, node.agreement.sentences)
    small = root_of("x**(-165.3)", x="1.8:2")
    assert MeasuredEvent("float32", Event.UNDERFLOW) in small.agreement.reasons


def test_a_constant_that_binary_holds_exactly_is_no_disagreement():
    leaf = triangulate(inspect_ranges("2 + x", count=300, x="1:5")).nodes[0]
    assert leaf.agreement.badge == "ok"
    assert leaf.agreement.reasons[0] == MeasuredEvent("float32", Event.STORED)
    assert "stored without error" in str(leaf.agreement.sentences[0])


def test_the_rows_and_the_work_are_bounded_and_progress_is_told():
    text = "+".join(["x"] * 120)
    told = []
    found = triangulate(inspect_ranges(text, count=400, x="1:5"), progress=told.append)
    assert len(found.samples) == 6_000 // 239
    assert told == sorted(told) and told[-1] == 1.0


def test_without_a_valid_row_there_is_nothing_to_compare():
    assert triangulate(inspect_columns("log(x)", x=[-1.0, -2.0])).nodes == ()


def test_the_result_goes_to_json():
    found = triangulate(inspect_ranges("x*y", count=30, x="1:2", y="1:2")).to_json()
    assert found["rows"] == 30 and len(found["nodes"]) == 3
    assert set(found["nodes"][2]["observed"]) == {"float32", "float64"}


def test_what_cancels_by_being_shared_is_named():
    """(x+y) - x: the two x cancel, y comes through; sum of the classes worked out by hand."""
    found = triangulate(inspect_ranges("(x + y) - x", count=300, x="9:9.5", y="1:1.1"))
    root = found.nodes[-1]
    x, y = (found.samples.columns[name] for name in "xy")
    # root 1, the sum (x+y)/y, x cancels, y 1; independent noise adds 2 (x/y)^2
    q2 = 1 + ((x + y) / y) ** 2 + 1
    assert root.shared == pytest.approx(0.5 * math.log10(q2.mean()), abs=1e-9)
    assert root.recursion == pytest.approx(
        0.5 * math.log10((q2 + 2 * (x / y) ** 2).mean()), abs=1e-9
    )
    assert str(root.agreement.sentences[0]).startswith(
        "`x` is used 2 times, and all its uses share their noise, which partly cancels: 1.00 "
        "digits are lost, not 1.20 as with independent noise"
    )


def test_the_sentence_over_all_nodes_names_the_one_that_differs_and_why():
    found = triangulate(inspect_ranges("100000*x - 99999*x", count=300, x="1:5"))
    assert str(found.sentence) == (
        "At 6 of 7 nodes the prediction, trials with small errors and the errors measured in "
        "float32 and float64 agree; at 1 a known reason keeps them apart, for instance at "
        "`100000·x − 99999·x`. In float32, no sample keeps three digits, too few to compare."
    )
    assert root_of("x*y", x="1:2", y="1:2").agreement.badge == "ok"
    few = triangulate(inspect_ranges("log(exp(x))", count=300, x="800:1000"))
    assert few.agreement.apart == few.agreement.compared == 3  # trials leave double range at once
    assert str(few.sentence).startswith("At 0 of 3 nodes the prediction, trials with small errors")
    apart = "; at 3 a known reason keeps them apart, for instance at `exp(x)`. Trials show nothing"
    assert apart in str(few.sentence)
    nothing = triangulate(inspect_ranges("log(-x)", count=300, x="1:2")).sentence
    assert str(nothing) == (
        "No sample has a usable value at every node, so there is nothing to compare."
    )


def test_where_no_sample_keeps_a_digit_it_is_said_of_all_of_them():
    root = root_of("x - x", x="1:2")
    assert root.agreement.because is Why.NO_DIGIT
    assert "No digit is left at any sample" in str(root.agreement.sentences[0])


def reasons_at_the_root(text, **columns):
    root = triangulate(inspect_columns(text, **columns)).nodes[-1]
    return " ".join(map(str, root.agreement.sentences))


def test_floating_point_is_said_to_follow_shared_noise_only_where_it_does():
    follows = "Floating point follows the shared value"
    assert follows in reasons_at_the_root("x*x", x=[1.1, 2.3, 3.7, 1.9, 4.3])
    whole = reasons_at_the_root("x*x", x=[1.0, 2.0, 3.0])  # squares of small integers are exact
    assert "share their noise" in whole and follows not in whole


def test_a_small_error_is_put_down_to_exactness_only_where_something_is_exact():
    x, y = 1.1381, 1.971
    exact = Fraction(x) * Fraction(y)
    error = abs(float(Fraction(x * y) / exact - 1))
    assert 0 < error < 0.1 * 2.0**-53  # the product is rounded, by little
    said = reasons_at_the_root("x*y", x=[x], y=[y])
    assert "In float64, less is lost: the roundings that happened are small" in said
    assert "In float64, less is lost: some operations" not in said


NAMES = {
    Nothing.TRUTH: "a truth value",
    Nothing.ZERO: "a value of 0",
    Nothing.UNTAKEN: "a branch that none of these samples takes",
    Nothing.UNROUNDED: "a value that comes out exact",
}


@pytest.mark.parametrize(
    ("text", "compared", "nothing"),
    [
        (
            "where(x > 0, log(x), 0)",
            "At all 4 nodes that can be compared",
            {
                1: Nothing.ZERO,
                2: Nothing.TRUTH,
                5: Nothing.UNTAKEN,
            },
        ),
        (
            "where(x > 3, log(x), sin(x))",
            "At all 7 nodes that can be compared",
            {
                2: Nothing.TRUTH,
            },
        ),
        (
            "x + 0",
            "At the only node that can be compared",
            {1: Nothing.ZERO, 2: Nothing.UNROUNDED},
        ),
        ("0", "", {0: Nothing.ZERO}),
        ("x - x", "At 2 of 3 nodes the prediction", {}),
        ("x*x", "At all 3 nodes the prediction", {}),
    ],
)
def test_what_bears_no_noise_is_not_counted_as_a_disagreement(text, compared, nothing):
    """Truth values, zeros and branches not taken are told apart; a 0 that is all error is not."""
    found = triangulate(inspect_ranges(text, count=300, x="1:5"))
    assert {n.node_id: n.agreement.nothing for n in found.nodes if n.agreement.nothing} == nothing
    said = str(found.sentence)
    assert said.startswith(compared)
    for what in nothing.values():
        assert NAMES[what] in said
    if compared and nothing:
        assert f"At {len(nothing)} more there is nothing to compare: " in said
    for node, what in nothing.items():
        assert found.nodes[node].agreement.reasons[-1:] == (what,)
        (sentence,) = found.nodes[node].agreement.sentences[-1:]
        assert str(sentence) == f"There is nothing to compare: this is {NAMES[what]}."


@pytest.mark.parametrize("text", ["sqrt(1-x)", "1/(x-1)", "x**50", "tan(x)", "abs(x-y)"])
def test_what_errors_of_the_inputs_grow_to_is_not_measured_as_lost(text):
    """The program is held to the exact value at the number that it gets: all digits but one."""
    x = np.linspace(0.9999, 1, 60, endpoint=False).round(7)
    root = triangulate(inspect_columns(text, x=x, y=x[::-1] - 3e-7)).nodes[-1]
    assert root.recursion > (0.3 if text == "tan(x)" else 1.6)
    assert max(root.float32.digits, root.float64.digits) < 0.3 < root.recursion
    assert root.rounded < 0.3 and root.agreement.badge != "unclear"


def test_a_constant_that_no_double_holds_is_measured_as_it_is_written():
    # numbers near 0.3, whose double is 1.1e-17 off, 0.33 units of its roundoff
    root = triangulate(inspect_columns("x-0.3", x=[0.3000001, 0.29999992, 0.3000002])).nodes[-1]
    assert root.float64.digits == pytest.approx(math.log10(0.3 / 1e-7 * 0.2), abs=0.3)
    measured = [r for r in root.agreement.reasons if isinstance(r, MeasuredEvent)]
    assert "float64" not in [reason.kind for reason in measured]  # its error is as expected


def test_what_nothing_rounds_has_nothing_to_compare():
    found = triangulate(inspect_ranges("0*x+1", 40))
    assert str(found.sentence) == (
        "At all 2 nodes that can be compared the prediction, trials with small errors and the "
        "errors measured in float32 and float64 agree. At 3 more there is nothing to compare: a "
        "value of 0 and a value that comes out exact."
    )
    whole, third = (
        triangulate(inspect_columns("x+1", x=x)).nodes[-1].agreement
        for x in ([1.0, 2.0, 3.0], [0.1, 0.3, 0.7])
    )
    assert whole.nothing is Nothing.UNROUNDED and not third.nothing
