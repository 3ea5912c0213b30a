"""Whether a table is the one that a list was fitted to."""

from __future__ import annotations

import numpy as np
import pytest

from eic_core.measure.table import Table, read_table
from eic_core.pool.importers import Listed, import_formulas
from eic_core.pool.listing import TableData, score_listing
from eic_core.pool.table_check import TableCheck, check_table


def checked(rows: list[Listed], table: Table, problem: str = "p", *others: str) -> TableCheck:
    scores = score_listing(rows, TableData(table, table.names[-1]))
    return check_table(scores, table, problem, (problem, *others))


def noisy_line(seed: int, source: str = "p.csv") -> Table:
    """Forty rows of y = 3a - 2b and a little noise."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(1, 5, 40), rng.uniform(0, 1, 40)
    y = 3 * a - 2 * b + rng.normal(0, 0.2, 40)
    lines = "\n".join(",".join(map(repr, row)) for row in np.column_stack([a, b, y]).tolist())
    return read_table("a,b,y\n" + lines + "\n", source=source)


def r2(text: str, table: Table, part: slice) -> float:
    """By hand, with NumPy."""
    values = {name: np.asarray(column)[part] for name, column in table.values.items()}
    found = {"3*a - 2*b": 3 * values["a"] - 2 * values["b"], "3*a": 3 * values["a"]}[text]
    y = values["y"]
    return float(1 - ((y - found) ** 2).sum() / ((y - y.mean()) ** 2).sum())


@pytest.mark.parametrize("seed", range(5))
def test_scores_of_training_and_test_rows_do_not_speak_against_their_own_table(seed: int) -> None:
    table = noisy_line(seed)
    rows = [
        Listed(i, text, stored={"r2_train": r2(text, table, slice(0, 30)),
                                "r2_test": r2(text, table, slice(30, 40))})
        for i, text in enumerate(["3*a - 2*b", "3*a"], start=1)
    ]  # fmt: skip
    assert checked(rows, table).passed
    other = read_table(
        "a,b,y\n" + "\n".join(f"{i},{i * i % 7},{(-1) ** i * i}" for i in range(1, 30)) + "\n"
    )
    check = checked(rows, other)
    assert not check.unusable and "Both formulas have another R²" in check.reasons[0]


def test_a_few_rows_that_disagree_or_lack_a_column_do_not_speak_against_a_table() -> None:
    table = noisy_line(1)
    good = [Listed(i, "3*a - 2*b", stored={"r2": 0.99}) for i in range(3)]
    odd = [Listed(8, "a", stored={"r2": 0.99}), Listed(9, "a + nowhere")]
    assert checked([*good, *odd], table).passed


@pytest.mark.parametrize(
    ("formulas", "unusable", "reason"),
    [
        (["u", "v*u"], True, "Both formulas have variables for which the table has no column: "
         "`u` and `v`. Its columns are `a`, `b` and `y`."),
        (["x0 + x5"], True, "The formula has variables"),
        (["u", "v", "a"], False, "2 of 3 formulas have variables"),
        (["lg(a)", "u"], True, "The formula has variables"),
        (["a", "u"], False, ""),
        (["lg(a)"], False, ""),
        ([], False, ""),
    ],
)  # fmt: skip
def test_columns_that_do_not_match_the_variables_are_named(
    formulas: list[str], unusable: bool, reason: str
) -> None:
    rows = [Listed(i, text) for i, text in enumerate(formulas, start=1)]
    check = checked(rows, noisy_line(0))
    assert check.unusable == unusable
    assert reason in "".join(check.reasons) and bool(reason) != check.passed


def test_a_table_named_after_another_problem_of_the_list_is_doubted() -> None:
    rows = [Listed(1, "a", problem="p")]
    assert checked(rows, noisy_line(0, "q.csv"), "p", "q").reasons == (
        "The table is named after another problem, `q`; these formulas are of `p`.",
    )
    assert checked(rows, noisy_line(0, "data.csv"), "p", "q").passed
    assert checked(rows, noisy_line(0, "q.csv"), "", "q").passed


def test_real_lists_pass_on_their_own_table_and_on_no_other(shared) -> None:
    path = shared / "data" / "pools" / "sr_fronts_1d2d.csv.gz"
    imported = import_formulas(path.read_bytes(), name=path.name)
    tables = [read_table(file) for file in sorted((shared / "data" / "problems").glob("*.csv"))]
    assert len(tables) == 10
    for problem in imported.problems:
        rows = [row for row in imported.rows if row.problem == problem][::12]
        passed = [
            table.source
            for table in tables
            if check_table(
                score_listing(rows, TableData(table, "target")), table, problem, (problem,)
            ).passed
        ]
        assert passed == [f"{problem}.csv"]
