"""`repair` of formulas with conditions of their own: each side is rewritten, no condition is."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.rewriting.conditional_formulas import (
    parts_without_condition,
    put_in,
    regions_of,
)
from eic_core.rewriting.gains import NotSearched
from eic_core.rewriting.regimes.cases import conditional
from eic_core.rewriting.results import Repairs
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable
from tests.repairs import repaired, repaired_on


def on_sides(text: str, ranges: str) -> Repairs:
    found = repaired(text, ranges, 400, series=False)
    json.dumps(found.to_json(), allow_nan=False)
    return found


def by_condition(found: Repairs) -> dict[str, str]:
    return {branch.condition: branch.text for branch in found.best.branches}


def test_each_side_is_rewritten_on_the_rows_that_take_it() -> None:
    x = np.concatenate([-np.geomspace(1e-12, 1e-3, 200), np.geomspace(1e3, 1e9, 200)])
    found = repaired_on("where(x < 0, exp(x)-1, sqrt(x+1)-sqrt(x))", {"x": x})
    assert found.best.is_exact and not found.approximations
    assert found.best.text == "where(x < 0, expm1(x), 1/(sqrt(x + 1) + sqrt(x)))"
    first, second = found.best.branches
    assert (first.condition, first.text, first.rules) == ("x < 0", "expm1(x)", ("expm1",))
    assert (second.condition, second.rules) == ("", ("conjugate roots",))
    assert first.rows + second.rows == found.best.gain.judged.rows == 200
    assert min(first.before, second.before) > 5 and max(first.after, second.after) < 0.5
    assert sorted(found.best.rules) == ["conjugate roots", "expm1"]
    assert found.best.verification.rows == 200
    assert found.best.after.eic < 1 < found.best.before.eic
    assert [form.text for form in found.front][-1] == found.best.text
    assert len(found.to_json()["repairs"][0]["branches"]) == 2


def test_nested_conditions_and_what_stands_about_them_stay() -> None:
    found = on_sides(
        "a + where(x<1e-2, (1-cos(x))/x, where(x>1e3, sqrt(x+1)-sqrt(x), sin(x)))",
        "x=loguniform:1e-6:1e9 a=0:1e-12",
    )
    assert found.best.text.startswith("a + where(x < 1e-2, ")
    assert "where(x > 1e3, 1/(sqrt(x + 1) + sqrt(x)), sin(x))" in found.best.text
    assert list(by_condition(found)) == ["x < 1e-2", "x > 1e3", ""]
    assert by_condition(found)[""] == "a + sin(x)"


def test_what_cancels_against_a_conditional_is_written_into_its_sides() -> None:
    found = on_sides("where(x<0, exp(x), sqrt(x+1)) - 1", "x=-1e-6:1e-6")
    assert by_condition(found) == {"x < 0": "expm1(x)", "": "x/(sqrt(x + 1) + 1)"}


def test_a_difference_beside_a_conditional_is_rewritten() -> None:
    found = on_sides("(sqrt(x+1)-sqrt(x))*where(y > 0, 2, y)", "x=1e6:1e9 y=-1:1")
    assert found.best.text.count("where(y > 0, 2, y)") == 1
    assert found.best.after.loss.worst < 1 < found.best.before.loss.worst


def test_conditions_stay_as_they_are_written() -> None:
    condition = "sqrt(x + 1) - sqrt(x) < 1e-5"
    found = on_sides(f"where({condition}, sqrt(x+1)-sqrt(x), x)", "x=loguniform:1e3:1e14")
    assert found.best.text == f"where({condition}, 1/(sqrt(x + 1) + sqrt(x)), x)"


def test_a_side_that_few_rows_take_is_repaired() -> None:
    x = np.concatenate([np.linspace(1, 2, 5000), np.geomspace(1e-12, 1e-6, 40)])
    found = repaired_on("where(x < 0.5, exp(x) - 1, x)", {"x": x})
    assert found.best.text == "where(x < 0.5, expm1(x), x)"
    assert found.best.branches[0].rows >= 12


def test_a_case_without_a_value_stays_without_one() -> None:
    found = on_sides(r"\begin{cases} e^x-1 & x > 0 \end{cases}", "x=-1e-6:1e-6")
    assert found.best.text == "where(x > 0, expm1(x), nan)"


@pytest.mark.parametrize(
    "text", ["where(x < 0, x, 1)", "x > 0", "where(x, x, 1)", "(x > 0)*x", "where(x > 0, 1, 2)"]
)
def test_nothing_is_offered_where_nothing_is_lost(text: str) -> None:
    found = on_sides(text, "x=-1:1")
    assert found.best is None and found.finished
    assert str(found.sentence).startswith("Nothing better found")


def test_sides_without_a_value_anywhere_are_not_searched() -> None:
    found = on_sides("where(x > 5, log(-x), log(x - 5))", "x=-1:1")
    assert found.reason == NotSearched()


def test_regions_are_told_by_the_first_case_that_holds() -> None:
    terms = Terms()
    root = terms.add(
        read("where(x < 0, where(y > 0, 1, 2), 3) + where(y > 0, 10, where(x < 0, 20, 30))").formula
    )
    rows = [{"x": str(x), "y": str(y)} for x in (-1, 1) for y in (-1, 1)]
    table = ValueTable(terms, rows)
    expected = [float(value) for value in table.values(root) if value is not None]
    assert expected == [22, 11, 33, 13]
    waiting = dict(enumerate(rows))
    regions = regions_of(terms, root)
    for case in regions:
        for place in list(waiting):
            if case.condition is None or table.values(case.condition)[place] == 1:
                value = table.values(case.root)[place]
                assert float(value) == expected[place]  # type: ignore[arg-type]
                del waiting[place]
    assert not waiting
    whole = conditional(terms, regions)
    assert [float(v) for v in table.values(whole) if v is not None] == expected


def test_parts_are_put_back_outside_of_conditions_alone() -> None:
    terms = Terms()
    root = terms.add(read("where(exp(x) - 1 > 0, exp(x) - 1, 2*(exp(x) - 1))").formula)
    part, other = parts_without_condition(terms, root)
    new = terms.add(read("expm1(x)").formula)
    small = next(n for n in (part, other) if terms.size(n) == 4)
    text = to_python(terms.formula(put_in(terms, root, {small: new}.get)))
    assert text == "where(exp(x) - 1 > 0, expm1(x), 2*(exp(x) - 1))"


def test_exact_values_are_those_of_the_side_taken() -> None:
    terms = Terms()
    root = terms.add(read("1 + where(x > 0 and x < 1, log(x), where(x >= 1, 3, -x))").formula)
    table = ValueTable(terms, [{"x": x} for x in ("-2", "0.5", "1", "7")])
    values = [math.nan if value is None else float(value) for value in table.values(root)]
    assert values == pytest.approx([3, 1 + math.log(0.5), 4, 4], rel=1e-15)


def test_an_equality_that_doubles_miss_is_settled_by_proof() -> None:
    terms = Terms()
    root = terms.add(read("where(x**2 - (x-1)*(x+1) != 1, log(-1), x)").formula)
    table = ValueTable(terms, [{"x": x} for x in ("0.1", "3e8")])
    assert [value is not None and float(value) for value in table.values(root)] == [0.1, 3e8]
