"""`python -m eic_core card`, and the same table behind a pick."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable

import pytest

from eic_core.cli.main import main


def rows(first: int, last: int) -> str:
    return "a,b,y\n" + "".join(
        f"{x},{x % 11},{1e5 * (math.sqrt(x + 1e8) - 1e4) + 3 * (x % 11)}\n"
        for x in range(first, last)
    )


GOOD, POOR = "1e5*a/(sqrt(a + 1e8) + 1e4) + 3*b", "1e5*(sqrt(a + 1e8) - 1e4) + 3*b"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "data.csv").write_text(rows(1, 50))
    (tmp_path / "other.csv").write_text(rows(45, 60))
    hall = f"Complexity,Loss,Equation\n1,9,a\n9,0,{POOR}\n13,0,{GOOD}\n"
    (tmp_path / "hall.csv").write_text(hall)
    return tmp_path


def printed(capsys) -> dict[str, list[str]]:
    """The cells of each line, by its name; what each line means, by "name:"."""
    table, _, _ = capsys.readouterr().out.partition("\n\nas given: ")
    lines = [line.split("  ") for line in table.splitlines() if line.startswith(("R²", "EIC"))]
    return {cells[0]: [cell.strip() for cell in cells[1:] if cell.strip()] for cells in lines}


def test_a_formula_that_breaks_in_float32_stands_beside_one_that_does_not(files, capsys) -> None:
    assert main(["card", POOR, "--data", str(files / "data.csv"), "--beside", GOOD]) == 0
    shown = printed(capsys)
    assert shown["R² as given"] == ["1", "1"]
    poor, good = shown["R² in float32"]
    assert good.startswith("1") and float(poor.replace("−", "-")) < 0.99
    assert float(shown["EIC"][0]) > 6 > 1 > float(shown["EIC"][1])


def test_a_pick_has_the_cards_of_its_two_formulas(files, eic: Callable) -> None:
    arguments = ["pick", str(files / "hall.csv"), "--data", str(files / "data.csv")]
    said = eic(*arguments, "--card").out
    assert said.startswith(f"{GOOD}\n") and re.search("^ +row 3 +row 2, plain$", said, re.M)
    assert "cards" not in json.loads(eic(*arguments, "--json").out)
    picked, plain = json.loads(eic(*arguments, "--card", "--json").out)["cards"]
    assert picked["float32"] > 0.9999999 and plain["float32"] < 0.99
    assert picked["holdout"] == "nan" and picked["complexity"] == 14
    assert "plain\n" not in eic(*arguments, "--alpha", "0", "--card").out


def test_a_held_out_table_is_measured_beside_the_data(files, eic: Callable) -> None:
    data = ["--data", str(files / "data.csv"), "--holdout", str(files / "other.csv")]
    found = json.loads(eic("card", GOOD, *data, "--json").out)
    assert (found["holdout_rows"], found["outside_rows"], found["rows"]) == (15, 10, 49)
    assert found["holdout"] > 0.999999 and found["beside"] is None and found["target"] == "y"
    assert "R² held-out, outside" in eic("pick", files / "hall.csv", *data).out


def test_formulas_of_other_variables_are_measured_on_the_same_outer_rows(
    files, eic: Callable
) -> None:
    arguments = ["card", "a", "--beside", "-b", "--data", str(files / "data.csv"), "--json"]
    found = json.loads(eic(*arguments).out)
    assert found["outer_count"] == found["beside"]["outer_count"] > 0
    assert found["beside"]["formula"] == "-b"


def test_where_there_is_no_value_a_line_says_what_the_dash_means(files, eic: Callable) -> None:
    assert "R² as given                             —" in (
        said := eic("card", "log(a - 40)", "--data", files / "data.csv").out
    )
    assert said.endswith("—: there is no value at some row, or nothing to measure it on.\n")
    assert "—:" not in eic("card", "a", "--data", files / "data.csv").out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--target", "z"], "no column `z`"),
        (["--beside", "q"], "no column for `q`: the inputs are `a` and `b`, or x0 and x1 by their"),
        (["--holdout", "data.csv"], "is the same table"),
        (["--holdout", "none.csv"], "cannot read"),
        (["--beside", "("], "missing operand"),
    ],
)
def test_a_mistake_is_told_in_one_message(files, eic: Callable, monkeypatch, more, message) -> None:
    monkeypatch.chdir(files)
    assert message in eic("card", "-a", "--data", "data.csv", *more, status=2).err


def test_columns_of_one_name_are_told_apart_aloud(tmp_path, eic: Callable) -> None:
    (tmp_path / "twice.csv").write_text("x,x,y\n" + "".join(f"{i},{i * i},{i}\n" for i in range(9)))
    assert (
        "note: twice.csv: Column 2 is called `x (2)` here."
        in eic("card", "x", "--data", tmp_path / "twice.csv").err
    )
