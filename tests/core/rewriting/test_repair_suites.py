"""The collected cases: each fix is the same function and more accurate, and repair comes there."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.repairs import fpcore, hamming, kinds, kinds_k6, textbook
from benchmarks.repairs.__main__ import MARK, main
from benchmarks.repairs.cases import BitUniform, Case, Needs, Ranges, bits_of_error
from benchmarks.repairs.library import CASES, FIELDS, REPORTS
from benchmarks.repairs.running import (
    WITHIN,
    HeldOut,
    Offer,
    Outcome,
    Remains,
    differing_points,
    doubles,
    draw_held_out,
    exact_doubles,
    known_doubles,
    measured,
    run,
)
from benchmarks.repairs.shared import HAMMING, HERBIE, hamming_cases, herbie_cases
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.rewriting import Repairs
from eic_core.rewriting.pieces import Branch, InputInterval, Series
from tests.core.rewriting.rewriting_oracle import FUNCTIONS, MP, NoValue, value
from tests.effort import cases, dear
from tests.repairs import repaired_on

KNOWN_TO_THE_ORACLE = {*FUNCTIONS, "power", "root", "variable", "constant"}

SHARE = 0.9
"""Of the library's fixes that have an exact form, so many are reached at least."""

LIBRARY = {case.name: case for case in CASES}

QUICK = (
    "quantile of Lomax",
    "distance in the plane",
    "area of a needle",
    "softplus",
    "momentum at rest",
    "relativistic correction",
)


@cache
def held_out(name: str) -> HeldOut:
    case = LIBRARY[name]
    return draw_held_out(case, case.read(), 64)


def read_form(case: Case, text: str) -> Formula:
    return read(text, columns=tuple(held_out(case.name).columns)).formula


def is_known_to_the_oracle(formula: Formula) -> bool:
    return {node.operator for node in formula} <= KNOWN_TO_THE_ORACLE


def test_the_library_has_at_least_45_fixes_with_a_source_and_no_two_names_are_equal() -> None:
    found = [case for case in CASES if case.source != REPORTS]
    assert len(found) >= 45
    assert all(case.source.count("/") >= 1 for case in found)
    assert len(LIBRARY) == len(CASES)
    assert all(case.known_forms for case in CASES)
    assert set(FIELDS) >= {"geometry", "statistics", "finance", "physics", "special functions"}
    assert len({case.source.partition(" ")[0] for case in found}) >= 40


@pytest.mark.parametrize("name", list(LIBRARY)[:: cases(4, 1)])
def test_a_form_of_the_library_is_the_same_function_by_an_independent_oracle(name: str) -> None:
    case, columns = LIBRARY[name], held_out(name).columns
    before = case.read()
    forms = [read_form(case, text) for text in case.known_forms]
    forms = [form for form in forms if is_known_to_the_oracle(form)]
    if not forms or not is_known_to_the_oracle(before):
        return
    near = 1e-15 if case.needs is Needs.SERIES else 1e-40
    for row in range(5):
        bindings = {name: MP.mpf(float(column[row])) for name, column in columns.items()}
        for form in forms:
            with MP.workdps(800):
                try:
                    exact, other = (value(f.to_draft(), bindings) for f in (before, form))
                except NoValue:
                    continue
                assert abs(exact - other) <= near * abs(exact)


def test_the_oracle_knows_nearly_all_of_the_library() -> None:
    assert sum(is_known_to_the_oracle(case.read()) for case in CASES) >= 0.9 * len(CASES)


@pytest.mark.parametrize("name", list(LIBRARY)[:: cases(4, 1)])
def test_a_form_of_the_library_loses_fewer_bits_than_the_formula(name: str) -> None:
    case, points = LIBRARY[name], held_out(name)
    before = points.bits(doubles(case.read(), points.columns))
    for form in case.known_forms:
        assert points.bits(known_doubles(case, form, points.columns)) < before - 1


@dear(3)
@pytest.mark.parametrize("name", QUICK)
def test_repair_comes_to_a_fix_of_the_library(name: str) -> None:
    outcome = run(LIBRARY[name])
    assert outcome.reached and outcome.remains is None and outcome.differing == 0
    assert outcome.after <= outcome.best + WITHIN < outcome.before


KINDS = {case.name: case for case in (*kinds.CASES, *kinds_k6.CASES)}

QUICK_KINDS = (
    "Hill function of degree 4",
    "fin with a cold end",
    "asinh of a negative sum",
    "Cardano's formula of p and q",
    "geometric mean of negative numbers",
    "square of a half argument",
    "log of a difference of hyperbolic tangents",
)


def test_each_kind_has_five_cases_whose_known_form_is_the_same_and_keeps_the_digits() -> None:
    assert len(KINDS) == len(kinds.CASES) + len(kinds_k6.CASES) >= 5 * 5
    for case in list(KINDS.values())[:: cases(3, 1)]:
        points = draw_held_out(case, case.read(), 96)
        for form in case.known_forms:
            written = read(form, columns=tuple(points.columns)).formula
            best = points.bits(known_doubles(case, form, points.columns))
            assert best <= 3 < 4 < points.bits(doubles(case.read(), points.columns)), case.name
            assert differing_points(written, points) == 0, case.name


@pytest.mark.parametrize("name", QUICK_KINDS)
def test_repair_comes_to_the_best_form_of_a_kind(name: str) -> None:
    outcome = run(KINDS[name])
    assert outcome.reached_by(outcome.exact) and outcome.remains is None
    assert (outcome.differing, outcome.beyond) == (0, 0)


def test_repair_chooses_by_a_sign_where_the_fix_of_a_library_does() -> None:
    outcome = run(LIBRARY["ray and sphere"])
    assert outcome.branches.chooses and outcome.branches.is_exact
    assert outcome.branches.bits <= outcome.best + WITHIN < outcome.exact.bits - 8
    assert (outcome.differing, outcome.beyond, outcome.remains) == (0, 0, None)


@pytest.mark.parametrize("name", ["x − sin x", "1/x − cot x"])
def test_a_series_comes_to_the_known_one_and_is_no_exact_form(name: str) -> None:
    (case,) = [case for case in textbook.CASES if case.name == name]
    outcome = run(case)
    assert not outcome.series.is_exact and outcome.exact.is_exact
    assert outcome.series.bits <= outcome.best + WITHIN < outcome.branches.bits - 8
    assert (outcome.differing, outcome.beyond, outcome.remains) == (0, 0, None)


@pytest.mark.skipif(cases(1, 0) == 1, reason="all cases: make test-full")
def test_repair_comes_to_nine_in_ten_fixes_that_have_an_exact_form() -> None:
    exact = [case for case in CASES if case.needs is Needs.EXACT]
    outcomes = [run(case) for case in exact]
    missed = [o.case.name for o in outcomes if not o.reached]
    assert len(missed) <= (1 - SHARE) * len(exact), missed
    assert [o.case.name for o in outcomes if o.differing] == []


def missed(needs: Needs, **figures: float) -> Outcome:
    case = Case("x", "x", Ranges(("x=1:2",)), "", ("x",), needs=needs)
    given = {"after": 20.0, "best": 0.0, "best_exact": 0.0, "lost_range": 0.0} | figures
    return Outcome(
        case,
        before=30.0,
        exact=Offer(25.0),
        branches=Offer(22.0),
        series=Offer(given["after"], lost_range=given["lost_range"]),
        best=given["best"],
        best_exact=given["best_exact"],
        differing=0,
        beyond=0,
        seconds=0.0,
        finished=True,
        sentence="",
    )


def test_what_remains_is_told_by_kind() -> None:
    kinds = Counter(
        outcome.remains
        for outcome in (
            missed(Needs.BRANCH),
            missed(Needs.SERIES),
            missed(Needs.EXACT, best_exact=math.inf),
            missed(Needs.EXACT, lost_range=15.0),
            missed(Needs.EXACT),
            missed(Needs.EXACT, after=0.5),
            missed(Needs.EXACT, best=math.nan),
        )
    )
    assert kinds == {
        Remains.BRANCH: 2,
        Remains.SERIES: 1,
        Remains.RANGE: 1,
        Remains.EXACT: 1,
        None: 2,
    }


@cache
def plain_repairs() -> Repairs:
    return repaired_on(CONJUGATE, {"x": [1e3, 1e5, 1e7, 1e9]}, branches=False, series=False)


def with_forms(
    repairs: Repairs, branches: Sequence[tuple[str, str, Series | None]], *, exact: bool
) -> Repairs:
    """The repairs, with a form that chooses between texts, which is offered first."""
    (best,) = repairs.repairs[:1]
    text = ""
    for condition, form, _ in reversed(branches):
        text = f"(({form}) if {condition} else {text})" if condition else f"({form})"
    parts = tuple(
        Branch(condition, read(form).formula, 1, 9.0, 0.0, (), series)
        for condition, form, series in branches
    )
    formula = replace(read(text).formula, source=text)
    gain = replace(best.gain, judged=replace(best.gain.judged, mean_after=0.0))
    form = replace(best, formula=formula, branches=parts, gain=gain)
    if exact:
        return replace(repairs, repairs=(form, *repairs.repairs))
    worse = replace(best, gain=replace(gain, judged=replace(gain.judged, mean_after=9.0)))
    return replace(repairs, repairs=(worse, *repairs.repairs[1:]), approximations=(form,))


CONJUGATE = "sqrt(x + 1) - sqrt(x)"


def outcome_of(
    branches: Sequence[tuple[str, str, Series | None]], *, exact: bool, columns: Sequence[float]
) -> Outcome:
    repairs, x = plain_repairs(), np.array(columns)
    case = Case("x", CONJUGATE, Ranges(("x=1:2",)), "", ("1/(sqrt(x + 1) + sqrt(x))",))
    points = HeldOut({"x": x}, exact_doubles(repairs.formula, {"x": x}))
    return measured(case, repairs.formula, points, with_forms(repairs, branches, exact=exact), 0.0)


def test_forms_that_choose_and_approximations_have_columns_of_their_own() -> None:
    forms = [("x < 1e4", "sqrt(x + 1) - sqrt(x)", None), ("", "1/(sqrt(x + 1) + sqrt(x))", None)]
    outcome = outcome_of(forms, exact=True, columns=[1e3, 1e5])
    assert outcome.exact.bits < outcome.branches.bits == outcome.series.bits < outcome.before
    assert outcome.branches.chooses and not outcome.exact.chooses
    assert (outcome.differing, outcome.beyond) == (0, 0)
    assert outcome.reached_by(outcome.exact) and not outcome.reached_by(outcome.branches)


def test_a_branch_that_is_not_the_formula_is_wrong_where_it_is_taken() -> None:
    forms = [("x < 1e4", "1/(sqrt(x + 1) + x)", None), ("", "1/(sqrt(x + 1) + sqrt(x))", None)]
    assert outcome_of(forms, exact=True, columns=[1e3, 2e3, 1e5]).differing == 2
    assert outcome_of(forms, exact=True, columns=[1e5]).differing == 0


def test_a_series_beyond_its_bound_in_its_box_is_counted_and_a_branch_beside_it_checked() -> None:
    def series(bound: float) -> Series:
        box = (InputInterval("x", 1e6, 1e12),)
        return Series("x", "inf", "laurent", 1, CONJUGATE, "1/(2*sqrt(x))", bound, box)

    def figures(bound: float, other: str, *columns: float) -> tuple[int, int]:
        forms = [("x > 1e6", "1/(2*sqrt(x))", series(bound)), ("", other, None)]
        outcome = outcome_of(forms, exact=False, columns=columns)
        assert not outcome.series.is_exact and outcome.branches.is_exact
        return outcome.differing, outcome.beyond

    right, wrong = "1/(sqrt(x + 1) + sqrt(x))", "1/(sqrt(x + 2) + sqrt(x))"
    assert figures(3e-7, right, 1e3, 1e7, 1e9) == (0, 0)
    assert figures(1e-9, right, 1e3, 1e7, 1e9) == (0, 1)
    assert figures(3e-7, wrong, 1e3, 2e3, 1e7) == (2, 0)
    assert figures(1e-9, right, 1e3, 1e13) == (0, 0)


def test_a_wrong_form_is_seen_at_points_that_repair_never_saw() -> None:
    points = HeldOut({"x": np.array([2.0, -2.0, 0.5])}, np.array([2.0, 2.0, 0.5]))
    forms = {text: read(text).formula for text in ("abs(x)", "x", "sqrt(x)**2", "x*(1 + 1e-14)")}
    found = {text: differing_points(form, points) for text, form in forms.items()}
    assert found == {"abs(x)": 0, "x": 1, "sqrt(x)**2": 1, "x*(1 + 1e-14)": 3}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(+ x (* 2 3 x) 1)", 15.0),
        ("(- x)", -2.0),
        ("(! :herbie-platform c (let ((y (+ x 1)) (z x)) (* y z)))", 6.0),
        ("(let* ((y (+ x 1)) (z (* y y))) z)", 9.0),
        ("(if (and (< 1 x 3) (not (== x 5))) (copysign 7 -1) 0)", -7.0),
        ("(hypot 3 (* 2 x))", 5.0),
        ("(pow (sqr x) 1/2)", 2.0),
        ("(fma 134217729 134217729 -18014398777917440)", 1.0),
        ("(fmin (fabs -3) x)", 2.0),
    ],
)
def test_an_fpcore_has_its_value_in_double_precision(text: str, expected: float) -> None:
    found = fpcore.evaluate(fpcore.parse(text), {"x": np.array([2.0])})
    assert np.broadcast_to(found, (1,)).tolist() == [expected]


def test_bits_of_error_count_the_doubles_between() -> None:
    computed = np.array([-0.0, 5e-324, -5e-324, math.inf, 1.0, math.nan, 2.0])
    exact = np.array([0.0, 0.0, 5e-324, 1.7976931348623157e308, 1.0, 1.0, 1.0])
    bits = bits_of_error(computed, exact)
    assert bits[:5].tolist() == [0.0, 1.0, math.log2(3), 1.0, 0.0]
    assert bits[5] == 64 and bits[6] == pytest.approx(52)


def test_points_are_uniform_over_bit_patterns_and_keep_the_precondition() -> None:
    points = BitUniform(("x", "y"), "(and (< 1 x 1e300) (< (fabs y) x))").draw(500, 3)
    x, y = points["x"], points["y"]
    assert len(x) >= 500 and (x > 1).all() and (np.abs(y) < x).all()
    exponents = np.log10(x)
    assert 0.4 < np.mean(exponents) / 200 < 1.1 and np.mean(y < 0) == pytest.approx(0.5, abs=0.1)
    again = BitUniform(("x", "y"), "(and (< 1 x 1e300) (< (fabs y) x))").draw(500, 3)
    assert again["x"].tolist() == x.tolist()


@pytest.mark.parametrize("case", hamming.CASES, ids=lambda case: case.name.partition(" ")[0])
def test_hammings_cases_keep_their_digits_in_a_known_form_under_their_preconditions(
    case: Case,
) -> None:
    points = draw_held_out(case, case.read(), 32)
    best = min(points.bits(known_doubles(case, form, points.columns)) for form in case.known_forms)
    assert best <= 1.5 < 10 < points.bits(doubles(case.read(), points.columns))


def test_a_root_of_a_quadratic_loses_nothing_in_any_quadrant_whatever_its_numbers() -> None:
    found = run(next(case for case in hamming.CASES if case.name.startswith("quadp")))
    assert found.finished and found.after <= found.best + WITHIN


def test_every_textbook_case_but_one_has_a_known_form() -> None:
    assert [case.name for case in textbook.CASES if not case.known_forms] == [
        "x − sin over x − tan"
    ]


def test_a_suite_is_printed_with_herbies_figures_beside(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.repairs.__main__.run", cache(run))
    arguments = ["--suite", "library", "--suite", "hamming", "--name", "pseudo-huber"]
    assert main([*arguments, "--forms", "--shared", str(tmp_path)]) == 0
    lines = capsys.readouterr().out
    assert f"hamming: skipped, there is no {tmp_path / HAMMING}" in lines
    assert "d*d*(sqrt(1 + (r/d)**2) - 1)" in lines
    assert "1 of 1 reach the best known form" in lines
    assert "Herbie 6.3" in lines and "Herbie 2.4" in lines
    page = tmp_path / "page.md"
    page.write_text(f"# Repairs\n\n{MARK}\nold", encoding="utf-8")
    assert main([*arguments, "--markdown", "--write", str(page), "--shared", str(tmp_path)]) == 0
    tables = capsys.readouterr().out
    assert "| library | 1 | " in tables and "[scipy/scipy #15312](https://github.com/" in tables
    assert (
        page.read_text(encoding="utf-8") == f"# Repairs\n\n{MARK}\n\n{tables[tables.index('#') :]}"
    )


@pytest.mark.outside
def test_cases_beside_the_repository_are_read_with_points_and_known_forms(shared: Path) -> None:
    assert (shared / "data" / HERBIE).is_file()
    hamming, herbie = hamming_cases(shared / "data"), herbie_cases(shared / "data")
    assert (len(hamming), len(herbie)) == (14, 28)
    assert all(case.published and case.known_forms for case in herbie)
    for case in hamming:
        points = draw_held_out(case, case.read(), 16)
        assert np.isfinite(points.exact).all()
        for form in case.known_forms:
            assert points.bits(known_doubles(case, form, points.columns)) <= 64
