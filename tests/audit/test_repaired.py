"""Random formulas are repaired, and each form is what it says, at 200 digits and more."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.rewriting import Repairs, repair
from eic_core.rewriting.pieces import Branch, InputInterval, Series
from eic_core.samples import Samples
from tests.audit.repaired import Findings, NoValue, audit, main, value_at
from tests.core.rewriting.rewriting_oracle import MP
from tests.effort import FULL, cases

AUDITED, EFFORT = cases(8, 1000), 1.0 if FULL else 0.4

FORMULA = "sqrt(x + 1) - sqrt(x)"
FRESH = {"x": np.array([2e3, 3e4, 2e7, 5e9])}


def test_no_form_of_random_formulas_is_wrong_and_no_series_beyond_its_bound() -> None:
    findings = audit(AUDITED, 3000, EFFORT)
    assert findings.faults == []
    assert findings.counts["cases"] == AUDITED
    assert findings.counts["with a repair"] >= AUDITED // 4
    assert findings.worst <= 1


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("sqrt(x*x + 2) - x", 2.0**900, "2**-900"),
        ("(1 - cos(x*x))/(x*x)**2", 2.0**-348, "1/2"),
        ("x - 1e-200", 1e-200, str(Fraction(1e-200) - Fraction("1e-200"))),
        ("where(x > 1, sqrt(x - 1), sqrt(-x))", -4.0, "2"),
        ("(x > -5)*(not (x == 3)) + 0*log(x + 5)", -4.0, "1"),
        ("x**0.5 + cbrt(x)", 64.0, "12"),
        ("0*x + 0.1**2 + x**1.5", 0.0, "0.01"),
        ("log2(x) + log10(x - 28)", 128.0, "9"),
    ],
)
def test_a_value_has_as_many_digits_as_it_takes(text: str, x: float, expected: str) -> None:
    value = value_at(read(text).formula, {"x": x})
    exact = value_at(read(expected).formula, {})
    with MP.workdps(1000):
        assert abs(value - exact) <= MP.mpf(10) ** -100 * abs(exact)


@pytest.mark.parametrize("text", ["log(x)", "1/(x + 1)", "sqrt(x)", "exp(-x*1e9)*0"])
def test_there_is_no_value_outside_of_the_domain_or_too_far_out(text: str) -> None:
    with pytest.raises(NoValue):
        value_at(read(text).formula, {"x": -1.0})


def answer(text: str, branches: tuple[Branch, ...] = (), *, approximates: bool = False) -> Repairs:
    """An answer whose only form is this one."""
    formula = read(FORMULA).formula
    rows = Samples.from_columns({"x": [1e3, 1e5, 1e7, 1e9]})
    repairs = repair(formula, rows, branches=False, series=False)
    form = replace(repairs.repairs[0], formula=_read(text), branches=branches)
    if approximates:
        return replace(repairs, repairs=(), approximations=(form,))
    return replace(repairs, repairs=(form,))


def _read(text: str) -> Formula:
    return replace(read(text).formula, source=text)


def branch(condition: str, text: str, series: Series | None = None) -> Branch:
    return Branch(condition, _read(text), 1, 9.0, 0.0, (), series)


def faults(repairs: Repairs) -> list[str]:
    findings = Findings()
    findings.judge(FORMULA, repairs, FRESH)
    return [fault.splitlines()[-1].strip() for fault in findings.faults]


def test_an_exact_form_that_is_off_by_1e_30_is_a_fault() -> None:
    assert faults(answer("1/(sqrt(x + 1) + sqrt(x))")) == []
    (fault,) = faults(answer("1/(sqrt(x + 1) + sqrt(x)*(1 + 1e-30))"))
    assert fault.startswith("is off by 5.0e-31")
    (fault,) = faults(answer("1/(sqrt(x + 1) + sqrt(x)) + 0*log(1e8 - x)"))
    assert fault.startswith("has no value at {'x': 5000000000.0}")


def test_a_branch_that_is_wrong_at_its_threshold_alone_is_a_fault() -> None:
    right, wrong = "1/(sqrt(x + 1) + sqrt(x))", "1/(sqrt(x + 1) + sqrt(x) + max(0, x - 1e5))"

    def choosing(other: str, threshold: str) -> Repairs:
        text = f"where(x <= {threshold}, {other}, {right})"
        return answer(text, (branch(f"x <= {threshold}", other), branch("", right)))

    assert faults(choosing(wrong, "1e5")) == []
    assert faults(choosing(wrong, "100000.1")) != []


def test_a_series_beyond_its_bound_is_a_fault_and_so_is_one_that_is_called_exact() -> None:
    right, near = "1/(sqrt(x + 1) + sqrt(x))", "1/(2*sqrt(x))"
    text = f"where(x >= 1e6, {near}, {right})"

    def approximating(bound: float, low: float, *, approximates: bool = True) -> Repairs:
        series = Series(
            "x", "inf", "laurent", 1, FORMULA, near, bound, (InputInterval("x", low, 1e12),)
        )
        forms = branch("x >= 1e6", near, series), branch("", right)
        return answer(text, forms, approximates=approximates)

    assert faults(approximating(2.51e-7, 1e6)) == []
    (fault,) = faults(approximating(2.4e-7, 1e6))
    assert fault.startswith("its series is 1.04 times its bound at {'x': 1000000.0")
    (fault,) = faults(approximating(2.51e-7, 1e5))
    assert "times its bound at {'x': " in fault
    (fault,) = faults(approximating(2.51e-7, 1e6, approximates=False))
    assert fault.startswith("an approximation among the exact forms")


def test_an_audit_prints_its_counts_and_fails_where_something_is_wrong(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--count", "2", "--seed", "5", "--effort", "0.25"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "cases: 2" and lines[-1] == "faults: 0"
    assert any(line.startswith("seconds of repair, median; 95 %; most: ") for line in lines)
