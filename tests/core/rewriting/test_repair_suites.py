"""The collected cases: each fix is the same function and more accurate, and repair comes there."""

from __future__ import annotations

import math
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from benchmarks.repairs import fpcore, textbook
from benchmarks.repairs.__main__ import MARK, main
from benchmarks.repairs.cases import BitUniform, Case, Needs, Ranges, bits_of_error
from benchmarks.repairs.library import CASES, FIELDS, REPORTS
from benchmarks.repairs.running import (
    WITHIN,
    HeldOut,
    Outcome,
    Remains,
    differing_points,
    doubles,
    draw_held_out,
    known_doubles,
    run,
)
from benchmarks.repairs.shared import HAMMING, HERBIE, hamming_cases, herbie_cases
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from tests.core.rewriting.rewriting_oracle import FUNCTIONS, MP, NoValue, value
from tests.effort import cases

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


@pytest.mark.parametrize("name", QUICK)
def test_repair_comes_to_a_fix_of_the_library(name: str) -> None:
    outcome = run(LIBRARY[name], limit_seconds=math.inf)
    assert outcome.reached and outcome.remains is None and outcome.differing == 0
    assert outcome.after <= outcome.best + WITHIN < outcome.before


@pytest.mark.skipif(cases(1, 0) == 1, reason="all cases: make test-full")
def test_repair_comes_to_nine_in_ten_fixes_that_have_an_exact_form() -> None:
    exact = [case for case in CASES if case.needs is Needs.EXACT]
    outcomes = [run(case, limit_seconds=math.inf) for case in exact]
    missed = [o.case.name for o in outcomes if not o.reached]
    assert len(missed) <= (1 - SHARE) * len(exact), missed
    assert [o.case.name for o in outcomes if o.differing] == []


def test_what_remains_is_told_by_kind() -> None:
    def missed(needs: Needs, **figures: float) -> Outcome:
        case = Case("x", "x", Ranges(("x=1:2",)), "", ("x",), needs=needs)
        given = {"before": 30.0, "after": 20.0, "best": 0.0, "best_exact": 0.0, "lost_range": 0.0}
        rest = {"differing": 0, "seconds": 0.0, "finished": True, "form": "", "sentence": ""}
        return Outcome(case, **(given | figures), **rest)

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


def test_every_textbook_case_but_one_has_a_known_form() -> None:
    assert [case.name for case in textbook.CASES if not case.known_forms] == [
        "x − sin over x − tan"
    ]


def test_a_suite_is_printed_with_herbies_figures_beside(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
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
