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
    return check_table(scores, table, problem, (problem, *others), table.names[-1])


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
        Listed(
            i,
            text,
            stored={
                "r2_train": r2(text, table, slice(0, 30)),
                "r2_test": r2(text, table, slice(30, 40)),
            },
        )
        for i, text in enumerate(["3*a - 2*b", "3*a"], start=1)
    ]
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
        (
            ["u", "v*u"],
            True,
            "Both formulas have variables for which the table has no column: "
            "`u` and `v`. Its columns are `a`, `b` and `y`.",
        ),
        (["x0 + x5"], True, "The formula has variables"),
        (["u", "v", "a"], False, "2 of 3 formulas have variables"),
        (["lg(a)", "u"], True, "The formula has variables"),
        (["a", "u"], False, "1 of 2 formulas has variables"),
        (["a", "b", "u"], False, ""),
        (["x0", "x1", "x0*x1", "x0 + x2"], False, "1 of 4 formulas has variables"),
        (["lg(a)"], False, ""),
        ([], False, ""),
    ],
)
def test_columns_that_do_not_match_the_variables_are_named(
    formulas: list[str], unusable: bool, reason: str
) -> None:
    rows = [Listed(i, text) for i, text in enumerate(formulas, start=1)]
    check = checked(rows, noisy_line(0))
    assert check.unusable == unusable
    assert reason in "".join(check.reasons) and bool(reason) != check.passed


FALL = [(3.2, "x0"), (1.1, "x0*x0"), (0.4, "x0*x0 + cos(x1)"), (1e-4, "x0*x0 + cos(x1) + 0.1*x2")]
"""A hall of fame of y = x0² + cos(x1) + x2/10, with losses as PySR may have stored them."""


def hall(*losses: float) -> list[Listed]:
    return [
        Listed(i, text, "pysr", stored={"loss": loss or given})
        for i, (loss, (given, text)) in enumerate(zip(losses or [0] * 4, FALL, strict=True), 1)
    ]


def drawn_table(seed: int, head: str, target: str) -> Table:
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(1, 5, (3, 60))
    y = {
        "theirs": a * a + np.cos(b) + c / 10 + rng.normal(0, 0.01, 60),
        "random": rng.uniform(0, 1, 60),
        "c": c,
        "large": rng.uniform(0, 400, 60),
        "near": 5 * c + a + rng.normal(0, 9, 60),
    }[target]
    columns = [a, b, c, y][4 - head.count(",") - 1 :]
    lines = "\n".join(",".join(map(repr, row)) for row in np.column_stack(columns).tolist())
    return read_table(f"{head}\n{lines}\n", source="p.csv")


def measured_losses(table: Table) -> tuple[list[float], list[float]]:
    """Mean squared and mean absolute errors of the hall of fame, by hand."""
    a, b, c, y = (np.asarray(table.values[name]) for name in table.names)
    found = [a, a * a, a * a + np.cos(b), a * a + np.cos(b) + 0.1 * c]
    squared = [float(np.mean((y - f) ** 2)) for f in found]
    return squared, [float(np.mean(np.abs(y - f))) for f in found]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("head", ["x0,x1,x2,y", "height,weight,age,y"])
def test_losses_of_its_own_rows_do_not_speak_against_a_table(seed: int, head: str) -> None:
    table = drawn_table(seed, head, "theirs")
    squared, absolute = measured_losses(table)
    variance = float(np.var(table.values["y"]))
    for losses in (
        squared,
        absolute,
        [loss / variance for loss in squared],
        [1e4 * loss for loss in squared],
        [-(loss < 1) + 2.0 for loss in squared],
        [loss / 2 for loss in squared],
        [1e-30 * loss for loss in squared],
    ):
        assert checked(hall(*losses), table).passed, losses
    part = [
        float(loss) for loss in np.asarray(squared) * np.random.default_rng(seed).uniform(0.3, 3, 4)
    ]
    assert checked(hall(*part), table).passed, "of other rows of the same data"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("random", "no formula explains anything of `y`: the best R² is"),
        ("large", "The losses of the list fall from 3.2 to 0.0001, but here no formula"),
        (
            "near",
            "another loss than the list says, and they stand in another order: row 4 came "
            "with a loss of 0.0001",
        ),
    ],
)
def test_losses_that_are_not_of_these_rows_speak_against_a_table(
    seed: int, target: str, reason: str
) -> None:
    check = checked(hall(), drawn_table(seed, "x0,x1,x2,y", target))
    assert not check.unusable and len(check.reasons) == 1
    assert reason in check.reasons[0] or "no formula explains anything" in check.reasons[0]


def test_losses_are_not_looked_at_without_a_target_or_beside_a_stored_r2() -> None:
    table = drawn_table(1, "x0,x1,x2,y", "random")
    assert check_table(score_listing(hall(), TableData(table, "y")), table, "p", ("p",)).passed
    own = drawn_table(1, "x0,x1,x2,y", "theirs")
    squared, _ = measured_losses(own)
    variance = float(np.var(own.values["y"]))
    rows = [
        Listed(i, text, stored={"loss": 10.0**i, "r2": 1 - squared[i] / variance})
        for i, (_, text) in enumerate(FALL)
    ]
    assert checked(rows, own).passed


def test_a_table_with_too_few_columns_for_a_hall_of_fame_is_doubted() -> None:
    table = read_table("a,y\n" + "\n".join(f"{i},{i * i}" for i in range(1, 20)), source="p.csv")
    check = checked(hall(), table)
    assert not check.unusable and "2 of 4 formulas have variables" in check.reasons[0]
    assert "`x1` and `x2`" in check.reasons[0]


def test_a_table_named_after_another_problem_of_the_list_is_doubted() -> None:
    rows = [Listed(1, "a", problem="p")]
    assert checked(rows, noisy_line(0, "q.csv"), "p", "q").reasons == (
        "The table is named after another problem, `q`; these formulas are of `p`.",
    )
    assert checked(rows, noisy_line(0, "data.csv"), "p", "q").passed
    assert checked(rows, noisy_line(0, "q.csv"), "", "q").passed


@pytest.mark.outside
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
