"""Laws of `repair` on random small formulas and tables: it answers, and what it offers is right."""

from __future__ import annotations

import json
import math

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eic_core.engine.exact import GREAT_DEPTH
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.operators.balls import working
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import BITS, ValueTable, first_difference
from eic_core.samples import Samples
from tests.effort import examples
from tests.repairs import repaired_on

NUMBERS = st.sampled_from(["1", "2", "0.5", "3", "1e-3", "10"])
LEAVES = st.one_of(st.sampled_from(["x", "y", "x", "y", "x"]), NUMBERS)
CALLS = ["sqrt", "exp", "log", "sin", "cos", "tan", "abs", "expm1", "log1p", "atan", "floor"]
RELATIONS = ["<", "<=", ">", ">="]


def _grown(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(parts, parts)
    return st.one_of(
        st.tuples(pair, st.sampled_from(["+", "-", "-", "*", "/"])).map(
            lambda t: f"({t[0][0]} {t[1]} {t[0][1]})"
        ),
        st.tuples(st.sampled_from(CALLS), parts).map(lambda t: f"{t[0]}({t[1]})"),
        st.tuples(parts, st.sampled_from(["2", "3", "0.5"])).map(lambda t: f"({t[0]})**{t[1]}"),
        st.tuples(parts, parts, parts, st.sampled_from(RELATIONS), st.sampled_from("xy")).map(
            lambda t: f"where({t[4]} {t[3]} {t[0]}, {t[1]}, {t[2]})"
        ),
        pair.map(lambda t: f"min({t[0]}, {t[1]})"),
    )


FORMULAS = st.recursive(LEAVES, _grown, max_leaves=6)

LOSING = st.sampled_from(
    [
        "sqrt(x+1) - sqrt(x)",
        "(-y + sqrt(y*y - 4*x))/2",
        "1 - cos(x)",
        "sin(x) - x",
        "where(x < y, exp(x) - 1, sqrt(y+1) - sqrt(y))",
        "x + where(y > 0, log(1+y), y/(y-1) - 1)",
        "(exp(x) - 1 - x)/x**2",
        "1/x - 1/tan(x)",
        "x*x - y*y",
    ]
)

CELLS = st.one_of(
    st.floats(-1e3, 1e3),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 1.0, -1.0, 1e-9, 1e9, -1e9, 5e-324, 1.7e308]),
    st.integers(-300, 300).map(lambda k: 10.0**k),
    st.floats(1e-9, 1e-3),
)
TABLES = st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=30)

HYPOTHESIS = settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def answered(text: str, rows: list[tuple[float, float]]) -> Repairs:
    """The repairs, each form held to be right."""
    x, y = np.array(rows).T
    found = repaired_on(text, {"x": x, "y": y}, limit_steps=60)
    assert str(found.sentence).endswith(".")
    json.dumps(found.to_json(), allow_nan=False)
    for form in (*found.repairs, *found.approximations):
        assert_right(found.formula, form, found.samples)
    return found


def assert_right(formula: Formula, form: Repair, samples: Samples) -> None:
    """Equal to 30 digits, or within the bound of a series, at every row; and read back the same."""
    again = read(form.text).formula
    assert to_python(again) == form.text
    terms = Terms()
    root, other = terms.add(formula), terms.add(again)
    columns = {name: samples.columns[name] for name in formula.variables}
    rows = [
        {name: float(column[row]) for name, column in columns.items()}
        for row in range(len(samples))
    ]
    table = ValueTable(terms, rows, GREAT_DEPTH)
    expected, values = table.values(root), table.values(other)
    if form.is_exact:
        place = first_difference(expected, values)
        assert place is None, (form.text, rows[place or 0])
        return
    for before, after, row in zip(expected, values, rows, strict=True):
        if before is None:
            continue
        assert after is not None, (form.text, row)
        if before == 0:
            assert after == 0, (form.text, row)
        else:
            with working(BITS):
                apart = abs(float(after / before - 1))
            assert apart <= form.bound * (1 + 1e-9), (form.text, row)


@HYPOTHESIS
@given(FORMULAS, TABLES)
def test_random_formulas_are_answered_and_no_form_is_wrong(
    text: str, rows: list[tuple[float, float]]
) -> None:
    answered(text, rows)


@HYPOTHESIS
@given(LOSING, TABLES)
def test_formulas_that_lose_digits_get_forms_that_are_right_on_any_table(
    text: str, rows: list[tuple[float, float]]
) -> None:
    found = answered(text, rows)
    for form in (*found.repairs, *found.approximations):
        assert all(map(math.isfinite, (form.bound, form.gain.judged.mean_after)))
        if form.branches:
            *conditions, otherwise = (branch.condition for branch in form.branches)
            assert otherwise == "" and all(conditions)
            assert sum(branch.rows for branch in form.branches) <= len(rows)
