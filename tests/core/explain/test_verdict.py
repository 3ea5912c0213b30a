"""The verdict says what the numbers say."""

from __future__ import annotations

import gc
import math
import re
import weakref

import pytest

from eic_core.explain.bottleneck import origin_of_loss
from eic_core.explain.verdict import LEVELS, level_of, verdict
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.measure import Samples, inspect
from eic_core.operators import OPERATORS
from tests.inspections import inspect_ranges


def said(text, **ranges):
    return verdict(inspect_ranges(text, **{"count": 1000, **ranges}))


def test_cancelling_terms_are_named():
    assert said("10000*x-9999*x").sentence == (
        "The result loses 4.4 digits (EIC) at `10000·x − 9999·x`: the two terms cancel."
    )


def test_the_level_follows_the_thresholds_of_the_paper():
    assert [level_of(v) for v in (0.0, 0.99, 1.0, 2.0, 2.01, math.inf, math.nan)] == [
        "stable",
        "stable",
        "moderate",
        "moderate",
        "severe",
        "infinite",
        "undefined",
    ]
    assert set(LEVELS) == {
        "stable",
        "moderate",
        "severe",
        "partly-undefined",
        "out-of-range",
        "range-loss",
        "undecided",
        "infinite",
        "undefined",
    }


@pytest.mark.parametrize(
    ("text", "ranges", "cause"),
    [
        ("x-y", {"x": "1:1.0001", "y": "1:1.0001"}, "Cancellation in a difference"),
        ("x+y", {"x": "1:1.001", "y": "-1.001:-1"}, "Cancellation in a sum"),
        ("sin(x)", {"x": "1000:5000"}, "Large argument of sin"),
        ("cos(x)", {"x": "1.57:1.571"}, "Near a zero"),
        ("tan(x)", {"x": "1.56:1.57"}, "Near a pole"),
        ("exp(x)", {"x": "100:700"}, "Exponential of a large number"),
        ("sinh(x)", {"x": "100:700"}, "Hyperbolic function of a large number"),
        ("log(x)", {"x": "0.999:0.9999"}, "Logarithm near 1"),
        ("log1p(x)", {"x": "-0.9999:-0.999"}, "Logarithm near its end"),
        ("x**40", {}, "Large exponent"),
        ("x**y", {"x": "1:1.1", "y": "100:200"}, "Large exponent"),
        ("x**y", {"x": "1e10:1e11", "y": "3:4"}, "Error in an exponent"),
        ("acos(x)", {"x": "0.9999:0.99999"}, "End of the domain"),
        ("atanh(x)", {"x": "0.9999:0.99999"}, "End of the domain"),
    ],
)
def test_the_cause_is_that_of_the_operator(text, ranges, cause):
    found = said(text, **ranges)
    assert found.cause == cause
    assert found.level in ("moderate", "severe")


def test_an_inherited_loss_is_traced_to_where_it_arose():
    inspection = inspect_ranges("a*(x-1.00001)/(b+3)", count=1000, x="1:1.1")
    found = verdict(inspection)
    assert inspection.nodes[found.origin].node.operator == "sub"
    assert "inherited from `x − 1.00001`" in found.sentence
    assert origin_of_loss(inspection, inspection.bottleneck) == found.origin


def test_a_square_is_not_blamed_for_the_difference_it_squares():
    inspection = inspect_ranges("(x-y)**2", count=1000, x="1:1.001", y="1:1.001")
    assert inspection.nodes[verdict(inspection).origin].node.operator == "sub"


def test_a_stable_formula_is_called_stable():
    found = said("x*y/2")
    assert found.level == "stable" and found.sentence.startswith("Stable: the result loses 0.")
    assert found.meaning.endswith("EIC below 1, like a typical physical law")


@pytest.mark.parametrize("text", ["x", "2", "pi"])
def test_a_leaf_computes_nothing(text):
    found = said(text)
    assert found.sentence == "The result loses no digit: nothing is computed."
    assert found.notes == ()


def test_constants_alone_are_fine():
    assert said("2+3").level == "stable"
    assert said("1-1.0000001").level == "severe"


def test_exact_cancellation_loses_every_digit():
    found = said("x-x")
    assert found.level == "infinite"
    assert found.sentence == (
        "The result loses every digit with independent noise (EIC infinite) at `x − x`: the two "
        "terms cancel exactly."
    )
    assert not any("Without the singular" in note for note in found.notes)


def test_a_few_singular_samples_are_counted_and_the_rest_is_told():
    samples = Samples.from_columns({"x": [1.0, 2.0, 3.0, 1.0]})
    found = verdict(inspect(read("log(x)").formula, samples))
    assert found.sentence == (
        "The result loses every digit at 2 of 4 samples (EIC infinite) at `log(x)`: its argument "
        "is exactly 1; at the others it loses 0.2 digits."
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("log(-x)", "must be positive"),
        ("sqrt(-x)", "must not be negative"),
        ("1/(x-x)", "division by zero"),
        ("asin(x+1)", "between −1 and 1"),
        ("(-x)**2.37", "negative base"),
    ],
)
def test_an_undefined_formula_says_why(text, why):
    found = said(text)
    assert found.level == "undefined"
    assert found.sentence.startswith("Undefined: no sample has a real value at `")
    assert why in found.sentence


def test_a_single_undefined_sample_is_not_spoken_of_in_the_plural():
    samples = Samples.from_columns({"x": [-1.0]})
    sentence = verdict(inspect(read("log(x)").formula, samples)).sentence
    assert sentence.startswith("Undefined: the sample has no real value")


def test_invalid_samples_are_counted_where_they_fail():
    samples = Samples.from_columns({"x": [-1.0, 2.0, 3.0, -4.0]})
    notes = verdict(inspect(read("log(x)").formula, samples)).notes
    assert (
        "2 of 4 samples have no real value at `log(x)` and are left out: "
        "the argument of a logarithm must be positive."
    ) in notes


def test_one_invalid_sample_is_singular_in_grammar():
    samples = Samples.from_columns({"x": [-1.0, 2.0, 3.0, 4.0]})
    notes = verdict(inspect(read("log(x)").formula, samples)).notes
    assert any(note.startswith("1 of 4 samples has no real value") for note in notes)


def test_a_masked_branch_is_told():
    notes = said("x+0.0000001*sin(1000*x)").notes
    assert any(note.startswith("The result hides it") for note in notes)
    assert not any("hides" in note for note in said("10000*x-9999*x").notes)


def test_an_infinite_result_hides_nothing():
    notes = " ".join(verdict(inspect_ranges("log(1+(x-x))*y", count=1000)).notes)
    assert "hides" not in notes


def test_an_unsettled_mean_names_the_crossing_and_n():
    notes = said("1/(x-3)").notes
    assert (
        "The mean is not settled at N = 1,000: EIC grows with N because `x − 3` crosses zero."
        in (notes)
    )


def test_a_heavy_tail_without_a_crossing_names_its_share():
    notes = " ".join(said("x-0.999999", x="1:2", count=3_000).notes)
    assert "from the worst 1 %" in notes


def test_rechecked_samples_are_reported():
    notes = said("log(exp(x))", x="normal:1000:1", count=100).notes
    assert "100 samples were settled exactly, in case double precision cannot tell." in notes


def test_more_digits_than_a_double_has_are_remarked():
    samples = Samples.from_columns({"x": [1.0]})
    found = verdict(inspect(read("x-1.00000000000000000001").formula, samples))
    assert any("above the 16 digits" in note for note in found.notes)


def test_long_expressions_are_cut_in_the_sentence():
    found = said("1000000*(" + "+".join(f"x*{i}" for i in range(1, 60)) + ")-1000000*x*1769.9999")
    assert len(found.sentence) < 260


def test_every_number_is_rounded_in_the_sentences():
    for text in ("10000*x-9999*x", "x+0.0000001*sin(1000*x)", "1/(x-3)"):
        found = said(text)
        prose = re.sub(r"`[^`]*`", "", " ".join((found.sentence, found.cause, *found.notes)))
        assert not re.search(r"\d\.\d{3,}", prose)


SPECIAL = [0.0, 1.0, -1.0, 0.5, 2.0, 3.0, -2.5, 1e-9, 1e9, math.pi]


@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("value", SPECIAL)
def test_there_is_a_verdict_for_every_operator_at_every_special_point(name, value):
    arity = OPERATORS[name].arity or 3
    from fractions import Fraction

    parameter = Fraction(3) if OPERATORS[name].needs_parameter else None
    draft = Draft(name, [variable("x"), variable("y"), constant("2")][:arity], parameter=parameter)
    draft = Draft("sub", [draft, constant("1")])
    formula = Formula.from_draft(draft, name)
    columns = {"x": [value, value, 1.5], "y": [value, 2.0, -1.0]}
    samples = Samples.from_columns({n: columns[n] for n in formula.variables}, count=3)
    found = verdict(inspect(formula, samples))
    assert found.level in LEVELS
    assert found.sentence.endswith(".") and found.sentence.count("`") % 2 == 0
    assert "nan" not in found.sentence.replace(f"`{name}`", "")
    assert all(note.endswith(".") for note in found.notes)


def test_a_verdict_is_computed_once_and_goes_with_its_inspection():
    inspection = inspect_ranges("x - 1", count=1000, x="0.5:2")
    assert verdict(inspection) is verdict(inspection)
    assert verdict(inspect_ranges("x - 1", count=1000, x="0.5:2")) == verdict(inspection)
    gone = weakref.ref(inspection)
    del inspection
    gc.collect()
    assert gone() is None
