"""Forms that hold where an input or a product has one sign, and their guards."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.measure.observed import run_in
from eic_core.rewriting.deadline import Deadline
from eic_core.rewriting.regimes.option import Option
from eic_core.rewriting.regimes.signs import DecidingSign, sign_options
from eic_core.rewriting.searched import Searched
from eic_core.rewriting.terms import Terms
from tests.clocks import PacedClock
from tests.core.rewriting.rewriting_oracle import NoValue, number, same, value
from tests.repairs import repaired_on

MODULE = sys.modules["eic_core.rewriting.repair"]


def search(text: str, columns: Mapping[str, Any]) -> Searched:
    """What a search of all rows leaves to those who part them."""
    left: list[Searched] = []

    def keep(searched: Searched, repairs: Any, **_: bool) -> Any:
        left.append(searched)
        return repairs

    with patch.object(MODULE, "with_choices", keep):
        repaired_on(text, columns, limit_steps=60)
    return left[0]


def mixed(count: int, seed: int, decades: float) -> Any:
    """Numbers of both signs over so many decades on either side of 1."""
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 1.0], count) * 10 ** rng.uniform(-decades, decades, count)


ABC = {name: mixed(160, seed, 160) for seed, name in enumerate("abc")}


@cache
def search_abc(text: str) -> Searched:
    return search(text, ABC)


def text(searched: Searched, root: int | None) -> str:
    return "" if root is None else to_python(searched.terms.formula(root))


def holding(searched: Searched, option: Option) -> Any:
    """The judged rows at which a program finds that the guard holds."""
    assert option.guard is not None
    columns = {
        name: np.asarray(column)[list(searched.truth.rows.verified)]
        for name, column in searched.truth.columns.items()
    }
    tape = searched.terms.tape(option.guard)
    return run_in(tape, columns, len(option.lost), "float64")[-1] == 1


@pytest.mark.parametrize(
    "formula",
    [
        "(-b + sqrt(b*b - a*c))/a",
        "(-b - sqrt(b*b - 4*(a*c)))/(2*a)",
        "(-b + sqrt(b*b - 4*a*c))/(2*a)",
    ],
)
def test_every_form_is_the_formula_where_its_guard_holds(formula: str) -> None:
    searched = search_abc(formula)
    options = sign_options(searched)
    assert options
    rows = list(searched.truth.rows.verified)
    a, b, c = (np.log10(abs(ABC[name])) for name in "abc")
    sizes = 2 * b - a - c
    as_written = searched.formula.to_draft()
    compared = 0
    for option in options:
        form = searched.terms.formula(option.root).to_draft()
        holds = holding(searched, option)
        assert holds.any() and not holds.all()
        assert (option.lost[~holds & ~np.isnan(option.lost)] == 16).all()
        for place in np.flatnonzero(holds & (abs(sizes[rows]) < 40))[:20]:
            at = {n: number(str(Fraction(float(c[rows[place]])))) for n, c in ABC.items()}
            try:
                expected = value(as_written, at)
            except NoValue:
                continue
            assert same(expected, value(form, at)), text(searched, option.root)
            compared += 1
    assert compared > 5


def test_the_quadratic_keeps_its_digits_on_all_four_sides() -> None:
    searched = search_abc("(-b + sqrt(b*b - a*c))/a")
    options = sign_options(searched)
    before = searched.measurer.lost_before
    least = np.fmin.reduce([before, *[option.lost for option in options]])
    assert np.nanmean(before) > 5 and np.nanmean(least) < 0.5
    guards = {text(searched, option.guard) for option in options}
    assert any("sign(a)*sign(c) >= 0" in guard for guard in guards)
    assert any("b >= 0" in guard for guard in guards)


def test_one_sign_is_enough_where_one_decides() -> None:
    searched = search_abc("sqrt(b*b - a*c)")
    guards = {text(searched, option.guard) for option in sign_options(searched)}
    assert guards and guards <= {"sign(a)*sign(c) < 0", "sign(a)*sign(c) >= 0"}


@pytest.mark.parametrize(
    ("formula", "columns"),
    [
        ("sqrt(x + 1) - sqrt(x)", {"x": np.logspace(0, 12, 60)}),  # one sign, one form
        ("x*y + 1", {"x": mixed(60, 1, 1), "y": mixed(60, 2, 1)}),  # nothing to gain
    ],
)
def test_nothing_is_parted_without_need(formula: str, columns: dict[str, Any]) -> None:
    assert sign_options(search(formula, columns)) == []


def test_no_time_leaves_none() -> None:
    late = Deadline(1.0, PacedClock(1e9))
    assert sign_options(replace(search_abc("(-b + sqrt(b*b - a*c))/a"), deadline=late)) == []


@pytest.mark.parametrize(
    ("names", "nonnegative", "guard"),
    [
        ("x", True, "x >= 0"),
        ("x", False, "x < 0"),
        ("x y", True, "sign(x)*sign(y) >= 0"),
        ("x y", False, "sign(x)*sign(y) < 0"),
        ("x-y", True, "x >= y"),
    ],
)
def test_a_guard_compares_signs_that_a_program_has_exactly(
    names: str, nonnegative: bool, guard: str
) -> None:
    terms = Terms()
    factors = tuple(terms.add(read(name, columns=["x", "y"]).formula) for name in names.split())
    assert to_python(terms.formula(DecidingSign(factors).guard(terms, nonnegative))) == guard


def test_a_product_that_underflows_keeps_its_sign() -> None:
    terms = Terms()
    x, y = (terms.add(read(name).formula) for name in "xy")
    columns = {"x": np.array([1e-200, 1e-200, 0.0]), "y": np.array([1e-200, -1e-200, -1.0])}
    tape = terms.tape(DecidingSign((x, y)).guard(terms, True))
    assert run_in(tape, columns, 3, "float64")[-1].tolist() == [1, 0, 1]
