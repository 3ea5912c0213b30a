"""Four ways agree on ordinary formulas, and say why where they do not."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from eic_core.explain.comparing import UNROUNDED
from eic_core.explain.triangulation import triangulate
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure import Domain, Samples, inspect, sample_domains
from eic_core.measure.observed import exact_values, observe
from tests.core.measure.trees import random_tree
from tests.inspections import inspect_ranges


def root_of(text, **ranges):
    return triangulate(inspect_ranges(text, count=300, **ranges)).nodes[-1]


def test_no_node_of_random_formulas_is_left_unclear():
    """The recursion, the perturbation and both floating-point types, on 25 random formulas."""
    badges = []
    for seed in range(25):
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
    found = observe(exact_values(formula, samples), samples, kind)[-1]
    dtype = np.dtype(kind).type
    unit = Fraction(1, 2**24 if kind == "float32" else 2**53)
    for row, (a, b) in enumerate(zip(x, y, strict=True)):
        true = Fraction(str(a)) * Fraction(str(b)) - Fraction(str(a))
        computed = Fraction(float(dtype(dtype(a) * dtype(b)) - dtype(a)))
        assert found.errors[row] == pytest.approx(float((computed - true) / true / unit))
    assert found.digits == pytest.approx(
        math.log10(math.sqrt(np.mean(np.square(found.errors)))), rel=1e-12
    )
    assert found.worst == pytest.approx(math.log10(np.abs(found.errors).max()))


def test_an_exact_operation_rounds_nothing():
    """Sterbenz: the difference of two doubles within a factor of 2 is exact."""
    samples = Samples.from_columns({"x": [1.5, 1.75], "y": [1.25, 1.625]})
    formula = read("x - y").formula
    found = observe(exact_values(formula, samples), samples, "float64")
    assert found[-1].rounding.tolist() == [0.0, 0.0]
    assert found[-1].digits == -math.inf


def test_cancellation_is_seen_alike_by_all_and_saturates_single_precision():
    root = root_of("sqrt(x+1) - sqrt(x)", x="1e6:1e7")
    assert root.shaken[-1].low - 0.05 < root.recursion < root.shaken[-1].high + 0.05
    assert root.float64.digits == pytest.approx(root.shared, abs=0.7)
    assert root.float32.digits < 7.5 < root.recursion + 1
    assert any(
        "single precision" in reason and "digit" in reason for reason in root.agreement.reasons
    )


def test_shared_inputs_are_explained_by_q():
    root = root_of("(x*x)/(x*x*x)*x", x="1:5")
    assert root.shared < root.recursion - 0.1
    assert any(
        reason.startswith("`x` is used 6 times, and all its uses share their noise")
        for reason in root.agreement.reasons
    )


def test_large_noise_is_called_out_of_proportion():
    root = root_of("sin(1000*x)", x="1:5")
    assert math.isnan(root.shaken[0].low) or root.shaken[0].high < root.recursion
    assert any("no longer responds in proportion" in reason for reason in root.agreement.reasons)
    assert root.agreement.badge in ("ok", "explained")


def test_overflow_is_named():
    node = triangulate(inspect_ranges("log(exp(x))", count=300, x="800:1000")).nodes[1]
    assert node.recursion == pytest.approx(2.95, abs=0.05)
    assert node.float64.usable == 0 and node.float64.rows_lost == 200
    assert node.agreement.badge == "explained"
    assert "In double precision, the value overflows or has no number." in node.agreement.reasons


def test_underflow_is_named():
    node = root_of("x**(-165.3)", x="1.8:2")
    assert any("underflows" in reason for reason in node.agreement.reasons if "single" in reason)


def test_a_constant_that_binary_holds_exactly_is_no_disagreement():
    leaf = triangulate(inspect_ranges("2 + x", count=300, x="1:5")).nodes[0]
    assert leaf.agreement.badge == "ok"
    assert "stored without error" in leaf.agreement.reasons[0]


def test_the_rows_and_the_work_are_bounded_and_progress_is_told():
    text = "+".join(["x"] * 120)
    told = []
    found = triangulate(inspect_ranges(text, count=400, x="1:5"), progress=told.append)
    assert len(found.samples) == 6_000 // 239
    assert told == sorted(told) and told[-1] == 1.0


def test_without_a_valid_row_there_is_nothing_to_compare():
    samples = Samples.from_columns({"x": [-1.0, -2.0]})
    assert triangulate(inspect(read("log(x)").formula, samples)).nodes == ()


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
    assert root.agreement.reasons[0].startswith(
        "`x` is used twice, and all its uses share their noise, which partly cancels: 1.0 digits "
        "are lost, not 1.2 as with independent noise"
    )


def test_the_sentence_over_all_nodes_names_the_one_that_differs_and_why():
    found = triangulate(inspect_ranges("10000*x - 9999*x", count=300, x="1:5"))
    assert found.sentence == (
        "At 6 of 7 nodes the prediction, trials with small errors, single and double precision "
        "agree; at `10000·x − 9999·x` they do not, because in single precision no sample keeps "
        "three digits, too few to compare."
    )
    assert root_of("x*y", x="1:2", y="1:2").agreement.badge == "ok"
    none = triangulate(inspect_ranges("log(exp(x))", count=300, x="800:1000")).sentence
    assert none.startswith(
        "The prediction, trials with small errors, single and double precision do not all"
    )
    nothing = triangulate(inspect_ranges("log(-x)", count=300, x="1:2")).sentence
    assert nothing == (
        "No sample has a usable value at every node, so there is nothing to compare."
    )


def test_where_no_sample_keeps_a_digit_it_is_said_of_all_of_them():
    root = root_of("x - x", x="1:2")
    assert root.agreement.because == "no digit is left at any sample"


def reasons_at_the_root(text, **columns):
    inspection = inspect(read(text).formula, Samples.from_columns(columns))
    return " ".join(triangulate(inspection).nodes[-1].agreement.reasons)


def test_floating_point_is_said_to_follow_shared_noise_only_where_it_does():
    follows = "floating point follows the shared value"
    assert follows in reasons_at_the_root("x*x", x=[1.1, 2.3, 3.7, 1.9, 4.3])
    whole = reasons_at_the_root("x*x", x=[1.0, 2.0, 3.0])  # squares of small integers are exact
    assert "share their noise" in whole and follows not in whole


def test_a_small_error_is_put_down_to_exactness_only_where_something_is_exact():
    x, y = 3.5478, 2.0791
    exact = Fraction("3.5478") * Fraction("2.0791")
    parts = [abs(float(Fraction(v) / Fraction(str(v)) - 1)) / 2.0**-53 for v in (x, y)]
    assert min(parts) > 0.1  # neither input is exact in binary
    error = abs(float(Fraction(x * y) / exact - 1))
    assert error < 0.1 * math.sqrt(3) * 2.0**-53  # and yet it is small beside q = √3
    said = reasons_at_the_root("x*y", x=[x], y=[y])
    assert "the roundings that happened cancel one another here" in said
    assert "exact in binary" not in said


@pytest.mark.parametrize(
    ("text", "compared", "nothing"),
    [
        (
            "where(x > 0, log(x), 0)",
            "At all 4 nodes that can be compared",
            {
                1: "a value of 0",
                2: "a truth value",
                5: "a branch that none of these samples takes",
            },
        ),
        (
            "where(x > 3, log(x), sin(x))",
            "At all 7 nodes that can be compared",
            {
                2: "a truth value",
            },
        ),
        ("x + 0", "At both nodes that can be compared", {1: "a value of 0"}),
        ("0", "", {0: "a value of 0"}),
        ("x - x", "At 2 of 3 nodes the prediction", {}),
        ("x*x", "At all 3 nodes the prediction", {}),
    ],
)
def test_what_bears_no_noise_is_not_counted_as_a_disagreement(text, compared, nothing):
    """Truth values, zeros and branches not taken are told apart; a 0 that is all error is not."""
    found = triangulate(inspect_ranges(text, count=300, x="1:5"))
    assert {n.node_id: n.agreement.nothing for n in found.nodes if n.agreement.nothing} == nothing
    assert found.sentence.startswith(compared)
    for what in nothing.values():
        assert what in found.sentence
    if compared and nothing:
        assert f"At {len(nothing)} more there is nothing to compare: " in found.sentence
    for node, what in nothing.items():
        assert found.nodes[node].agreement.reasons == (
            f"There is nothing to compare: this is {what}.",
        )


def test_what_nothing_rounds_has_nothing_to_compare():
    samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=40)
    found = triangulate(inspect(read("0*x+1").formula, samples))
    assert found.sentence == (
        "At both nodes that can be compared the prediction, trials with small errors, single and "
        "double precision agree. At 3 more there is nothing to compare: a value of 0 and a value "
        "that comes out exact."
    )
    whole = Samples.from_columns({"x": [1.0, 2.0, 3.0]})
    assert triangulate(inspect(read("x+1").formula, whole)).nodes[-1].agreement.nothing == UNROUNDED
    third = Samples.from_columns({"x": [0.1, 0.3, 0.7]})
    assert not triangulate(inspect(read("x+1").formula, third)).nodes[-1].agreement.nothing
