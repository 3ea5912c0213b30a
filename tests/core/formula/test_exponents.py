"""Literal exponents: parts of their operators, or operands with noise (ADR 0020)."""

from __future__ import annotations

import math
import pickle

import pytest

from eic_core import Samples, inspect, repair
from eic_core.errors import UserError
from eic_core.formula.copying import copied
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula

X = Samples.from_columns({"x": [1.5, 2.0, 4.0]})


def noisy(text: str) -> Formula:
    return read(text, exponents="noisy").formula


def test_exact_is_the_default() -> None:
    formula = read("x**4").formula
    assert formula.exponents == "exact"
    assert formula.structure() == read("x**4", exponents="exact").formula.structure()
    assert formula.complexity == 2


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("x**4", "4"),
        ("x**4.0", "4.0"),
        ("x**1", "1"),
        ("x**-1", "-1"),
        ("x**0.5", "0.5"),
        ("x**(1/2)", "0.5"),
        ("x**(-7/2)", "-3.5"),
        ("x⁴", "4"),
        ("pow(x, 4)", "4"),
        ("x^{4}", "4"),
        (r"\frac{x^{-1/2}}{1}", "-0.5"),
        ("(pow x 4)", "4"),
        ("Power[x, 4]", "4"),
        ("=A1^4", "4"),
    ],
)
def test_a_noisy_exponent_is_one_leaf(text: str, label: str) -> None:
    formula = noisy(text)
    power = next(node for node in formula.nodes if node.operator == "pow")
    assert [formula.nodes[child].label for child in power.children][1] == label
    assert "power" not in {node.operator for node in formula.nodes}


@pytest.mark.parametrize(
    "text",
    [
        *("x**2", "x**3", "x**2.0", "x**(4/2)", "sqrt(x)", "cbrt(x)", "root(x, 4)", "x**y", "e**4"),
        *("inv(x)", "coth(x)", "rsqrt(x)", "pow4(x)", "pow_exact(x, 4)", "x**1.7", "x**(1/3)"),
    ],
)
def test_twos_and_threes_roots_and_what_a_name_says_are_read_alike(text: str) -> None:
    assert noisy(text).structure() == read(text).formula.structure()


def test_a_noisy_exponent_adds_its_noise() -> None:
    at_two = Samples.from_columns({"x": [2.0]})
    exact = 0.5 * math.log10(1 + 16)
    assert inspect(read("x**4").formula, at_two).eic == pytest.approx(exact, abs=1e-12)
    more = 0.5 * math.log10(1 + 16 + (4 * math.log(2)) ** 2)
    assert inspect(noisy("x**4"), at_two).eic == pytest.approx(more, abs=1e-12)


def test_a_negative_base_has_no_noisy_power() -> None:
    samples = Samples.from_columns({"x": [-2.0, 2.0]})
    assert inspect(read("x**4").formula, samples).counts.invalid == 0
    found = inspect(noisy("x**4"), samples)
    assert found.counts.invalid == 1 and found.nodes[-1].invalid == 1
    assert inspect(noisy("x**3"), samples).counts.invalid == 0


@pytest.mark.parametrize("text", ["x**4 + inv(x)", "(x**-1)**2", "-x**-2", "coth(x)**0.5"])
def test_the_text_of_a_noisy_tree_means_the_same_in_both_readings(text: str) -> None:
    formula = noisy(text)
    for exponents in ("exact", "noisy"):
        again = read(to_python(formula), exponents=exponents).formula
        assert again.structure() == formula.structure()


def test_the_choice_goes_with_the_tree() -> None:
    formula = noisy("1 + x**4")
    assert pickle.loads(pickle.dumps(formula)).exponents == "noisy"
    assert formula.subtree(3).exponents == "noisy"
    assert inspect(formula, X).to_json()["exponents"] == "noisy"
    assert inspect(read("x").formula, X).to_json()["exponents"] == "exact"


def test_a_form_in_place_of_a_noisy_one_has_noisy_exponents() -> None:
    samples = Samples.from_columns({"x": [1e2, 1e3, 1e4, 2e4]})
    found = repair(noisy("sqrt(x**4 + 1) - x**2"), samples)
    assert found.best is not None
    assert found.best.text == "1/(sqrt(pow_noisy(x, 4) + 1) + x**2)"
    assert found.best.formula.exponents == "noisy"
    # an exponent is no loss that another writing of the same power would spare
    assert repair(noisy("x**4"), X).repairs == ()


def test_noisy_formulas_are_written_in_other_languages() -> None:
    assert copied(noisy("x**4"), "c").text == "pow(x, 4.)"
    assert copied(noisy("x**4"), "numpy").same
    assert not copied(noisy("inv(x) + x**4"), "c").same


def test_another_choice_is_refused() -> None:
    with pytest.raises(UserError, match="cannot be read as `loud`"):
        read("x", exponents="loud")  # type: ignore[arg-type]
