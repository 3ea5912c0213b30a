"""Texts grown from a grammar and mutated from real ones: each is read or refused, and read again.

``make fuzz`` does the same to 100,000 (ADR 0012).
"""

from __future__ import annotations

import resource

import pytest

from benchmarks.fuzz_reading import (
    LARGE,
    OUTCOMES,
    SAMPLES,
    WRITTEN,
    Findings,
    Written,
    check,
    fuzz,
)
from eic_core.formula.rendering import to_mathml, to_python
from eic_core.formula.syntax import read
from tests.effort import cases


def test_grown_and_mutated_texts_are_read_or_refused_and_written_as_the_same_tree() -> None:
    findings = fuzz(cases(2_000, 100_000), 3, list(SAMPLES))
    assert findings.faults == []
    assert findings.read > findings.count / 5
    for name in WRITTEN:
        outcomes = {outcome: findings.table[name, outcome] for outcome in OUTCOMES}
        assert outcomes["written"] + outcomes["refused"] == findings.read
        assert outcomes["same tree"] > 0.95 * findings.read, outcomes
        assert not (outcomes["differed"] or outcomes["not readable"]), outcomes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10 < 4 * LARGE


def test_the_samples_themselves_are_written_as_the_same_tree() -> None:
    findings = Findings()
    for text in SAMPLES:
        check(text, findings)
    assert findings.faults == [] and findings.read == len(SAMPLES)
    assert {findings.table[name, "same tree"] for name in WRITTEN} == {len(SAMPLES)}


def test_a_tree_that_differs_or_cannot_be_read_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"C": "2*x", "LaTeX": r"\frac{x}"}
    monkeypatch.setattr(
        "benchmarks.fuzz_reading.written", lambda f, name: Written(texts.get(name, "x"), {})
    )
    findings = Findings()
    check("x", findings)
    assert set(findings.kinds) >= {"C differed", "LaTeX not readable"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1.0*xC * sin(x_1[:,1])", "1.0*xC*sin(x11)"),
        (r"\sqrt x₁⋅x₂", "sqrt(x1)*x2"),
        (r"\frac x₁₂ y", "x12/y"),
        ("(x_[1])", "x1"),
        ("x1*X2*X1", "x1*X2*X1"),
        ("Abs_^2", "Abs_**2"),
        ("x1 * pi_", "x1*pi_"),
        ("abs(e_)", "abs(e_)"),
        ("log(2.5*n, 69/100)", "log(2.5*n, 69/100)"),
    ],
)
def test_what_fuzzing_found_is_read_as_the_same_names_again(text: str, written: str) -> None:
    assert to_python(read(text).formula) == written
    findings = Findings()
    check(text, findings)
    assert findings.faults == []


@pytest.mark.parametrize("text", ["5.08e2 + x", "-1e-3*x", "2/1.5e4", "x**2.5e-3"])
def test_a_number_with_an_exponent_is_one_number_in_mathml(text: str) -> None:
    formula = read(text).formula
    assert read(to_mathml(formula)).formula.complexity == formula.complexity


def test_a_product_with_a_power_of_ten_stays_one_in_mathml() -> None:
    formula = read("3*10^4").formula
    assert read(to_mathml(formula)).formula.structure() == formula.structure()
