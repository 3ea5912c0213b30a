"""`repair` within its budget: one answer on every machine, and every part keeps to it."""

from __future__ import annotations

import math
import re
import time
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from benchmarks.repairs import library, textbook
from benchmarks.repairs.cases import Case
from benchmarks.repairs.running import samples_for_repair
from eic_core.cli.repair_command import describe
from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.rewriting import repair
from eic_core.rewriting.chosen_rows import MEASURED, VERIFIED, choose_rows
from eic_core.rewriting.gains import NotSearched
from eic_core.rewriting.parts import MAX_NODES, PART_NODES, parts_of
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable
from eic_core.rewriting.work import NORMAL, BudgetSpent, Work, WorkBudget
from eic_core.samples import Samples
from tests.effort import cases, dear
from tests.repairs import repaired


def large(waves: int) -> str:
    """A sum of so many waves and of a difference that loses its digits."""
    terms = [f"{i}.5*sin({i}*y)" for i in range(1, waves)]
    return " + ".join([*terms, "1e9*(sqrt(x+1) - sqrt(x))*(2 + cos(y))", *terms[:3]])


A_STEP, A_ROW = 2e5, 60.0
"""Units of work that may follow a look at the budget, and of some rows of a short formula."""

CUT = 0.03
"""An effort that ends in the midst of a search."""

LOSING = "(sqrt(x+1) - sqrt(x))*(x+2)", "x=loguniform:1:1e8"
LARGE_X = "x=loguniform:1e3:1e6 y=1:2"


@dear(3)
@pytest.mark.parametrize("effort", [1e-3, 1e-2, 0.1, 0.5])
@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        LOSING,
        ("y + sin(pi)", "y=1:2"),
        ("(1-cos(x))/x**2", "x=loguniform:1e-160:1"),
        (large(30), LARGE_X),
    ],
)
def test_all_of_it_ends_within_its_budget(text: str, ranges: str, effort: float) -> None:
    work = Work()
    with patch("eic_core.rewriting.repair.Work", lambda seconds: work):
        found = repaired(text, ranges, 60, effort=effort)
    assert work.done <= NORMAL * effort + A_STEP
    assert found.finished == (found.stop is None)
    assert str(found.sentence).endswith(".")


CASES = [*textbook.CASES, *library.CASES]


@pytest.mark.parametrize("case", CASES[:: len(CASES) // cases(10, 60)], ids=lambda case: case.name)
def test_one_question_has_one_answer_and_reads_no_clock(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    formula = case.read()
    samples = samples_for_repair(case, formula, 100)

    def answers() -> list[dict[str, object]]:
        return [repair(formula, samples, effort=effort).to_json() for effort in (0.02, "quick")]

    alone = answers()
    for name in ("monotonic", "perf_counter", "process_time", "time"):
        monkeypatch.setattr(time, name, None)
    assert answers() == alone


def test_an_effort_has_a_name_or_is_a_positive_number() -> None:
    wrongs: list[Any] = ["great", 0, -1, math.nan]
    for wrong in wrongs:
        with pytest.raises(UserError, match="is no effort"):
            repaired(*LOSING, effort=wrong)


def test_what_was_cut_short_shows_a_verified_form() -> None:
    found = repaired(*LOSING, 60, effort=CUT)
    document = found.to_json()
    assert (document["effort"], document["finished"]) == (CUT, False)
    assert re.fullmatch(r"Stopped where the effort ended: \d+ of \d+ forms\.", str(found.stop))
    assert document["sentence"] == f"{found.offer} {found.stop}"
    assert describe(found)[-1].startswith(str(found.stop))
    assert found.best.verification.rows > 20
    assert found.best.after.float64.mean_digits_lost < 1 < found.before.float64.mean_digits_lost


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        ({"effort": 1e-5}, "Stopped where the effort ended: no form was tried."),
        ({"limit_seconds": 0.0}, "Stopped after 0 s: no form was tried."),
    ],
)
def test_where_it_is_not_measured_nothing_is_told_of_the_formula(limits, stop) -> None:
    found = repaired(*LOSING, 60, **limits)
    assert found.reason == NotSearched() and str(found.sentence) == stop
    assert found.before is None and found.helps is None and not found.finished
    assert (found.evaluated, found.front, describe(found)[0][: len(stop)]) == (0, (), stop)


def test_what_is_not_dear_is_the_same_within_the_budget_as_without_one() -> None:
    within, without = (
        repaired(*LOSING, 1000, effort=effort).to_json() for effort in ("normal", math.inf)
    )
    assert (within.pop("effort"), without.pop("effort")) == (1.0, "inf")
    assert within == without


def test_numbers_come_from_a_few_hundred_rows_and_their_count_is_told() -> None:
    found = repaired(*LOSING, 5000)
    assert found.measured_rows == found.to_json()["measured_rows"] == MEASURED
    assert found.best.verification.rows == VERIFIED


@pytest.mark.parametrize(
    "text", ["y + sin(pi)", "y*(1e40 + 1e-40 - 1e40)", "y + log(-1)", "y*(exp(1e-80) - 1)"]
)
def test_a_term_without_variables_is_decided_once(text: str) -> None:
    terms = Terms()
    rows = [{"y": str(i)} for i in range(1, 50)]
    root = terms.add(read(text).formula)
    table = ValueTable(terms, rows)
    with patch.object(ValueTable, "_settle", autospec=True, side_effect=ValueTable._settle) as one:
        values = table.values(root)
    assert one.call_count <= 2
    for row, value in zip(rows[:3], values, strict=False):
        (alone,) = ValueTable(terms, [row]).values(root)
        assert (value is None) == (alone is None)
        assert value is None or value.overlaps(alone)


def test_a_table_without_a_budget_is_whole_when_there_is_one_again() -> None:
    terms = Terms()
    root = terms.add(read("1 - cos(x)").formula)
    rows = [{"x": x} for x in ("1e-90", "1e-95", "0.3")]
    table = ValueTable(terms, rows, budget=WorkBudget(A_ROW, terms.work))
    with pytest.raises(BudgetSpent):
        table.values(root)
    table.budget = WorkBudget(math.inf)
    expected = ValueTable(terms, rows).values(root)
    for value, known in zip(table.values(root), expected, strict=True):
        assert value is not None and value.overlaps(known)


@dear(2)
@pytest.mark.parametrize("waves", [34, 72])
def test_of_a_large_formula_the_part_that_loses_most_is_rewritten(waves: int) -> None:
    found = repaired(large(waves), LARGE_X, 60, limit_steps=60)
    size = found.formula.complexity
    assert size > (200 if waves < 50 else 400)
    assert "sqrt(x + 1)" in found.to_json()["part"]
    assert found.best.formula.complexity > 0.9 * size
    assert found.best.after.float64.mean_digits_lost < 1 < found.before.float64.mean_digits_lost
    assert "one part was searched" in str(found.sentence)


def test_a_small_formula_is_searched_as_a_whole() -> None:
    found = repaired("x + 1 - 1", "x=1:2")
    assert found.part is None and found.to_json()["part"] == ""


def test_a_step_over_more_nodes_than_a_part_has_is_rewritten_with_the_steps_next_below() -> None:
    terms = Terms()
    root = terms.add(read("+".join(f"sin({i}*x)" for i in range(MAX_NODES))).formula)
    (part,) = parts_of(terms, root, lambda number: float(number == root))
    assert part.root == root and part.places is not None
    assert root in part.places and len(part.places) == PART_NODES


def test_rows_are_searched_where_programs_lose_digits_or_leave_range() -> None:
    bits = np.random.default_rng(5).integers(0, 2**63, 4000, dtype=np.uint64)
    x = bits.view(np.float64)
    samples = Samples.from_columns({"x": x[np.isfinite(x)]})
    formula = read("sqrt(x**2 + 1) - 1").formula
    chosen = samples.columns["x"][list(choose_rows(formula, samples).searched)]
    assert len(chosen) <= 49
    assert np.count_nonzero(chosen > 1e155) >= 3  # the square overflows
    with np.errstate(over="ignore"):
        lost = np.sqrt(chosen**2 + 1) == 1
    assert np.count_nonzero(lost) >= 3
    assert chosen.min() < 1e-250 and chosen.max() > 1e300


def test_rows_without_a_value_do_not_take_the_place_of_others() -> None:
    x = np.linspace(-100.0, 1.0, 5000)
    rows = choose_rows(read("log(x)").formula, Samples.from_columns({"x": x}))
    assert np.all(x[list(rows.measured)] > 0) and np.all(x[list(rows.searched)] > 0)
