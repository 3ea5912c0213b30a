"""`python -m eic_core pick`."""

from __future__ import annotations

import json
import math

import pytest

CELLS = "".join(
    f"{x},{x % 11},{1e3 * (math.sqrt(x + 1e6) - 1e3) + 3 * (x % 11)}\n" for x in range(1, 40)
)
HALL = """Complexity,Loss,Equation
3,0.5,"3.0 * x1"
9,1e-9,"(1.0e3 * (sqrt(x0 + 1.0e6) - 1000.0)) + (x1 * 3.0)"
13,1e-9,"((1.0e3 * x0) / (sqrt(x0 + 1.0e6) + 1000.0)) + (x1 * 3.0)"
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "hall.csv").write_text(HALL)
    (tmp_path / "data.csv").write_text(f"a,b,y\n{CELLS}")
    return [str(tmp_path / "hall.csv"), "--data", str(tmp_path / "data.csv")]


def test_the_choice_and_why_are_printed(files, eic):
    said = eic("pick", *files).out
    formula, _, why = said.split("\n")[:3]
    assert formula.startswith("((1.0e3 * x0) / (sqrt(") and why.startswith("Take row 3 instead of")
    assert "which would be taken without regard to EIC" in said and "target `y`" in said
    assert said.count("<- without regard to EIC") == 1


def test_twins_are_one_row_of_the_ranking_that_names_them(files, tmp_path, eic):
    twice = tmp_path / "twice.csv"
    twice.write_text(HALL + '3,0.5,"x1 * 3.0"\n')
    said = eic("pick", twice, *files[1:]).out
    assert "3.0 * x1   (also row 4)" in said and "\n     4 " not in said
    found = json.loads(eic("pick", twice, *files[1:], "--json").out)
    assert found["twins"] == {"1": [4]} and found["weighed"] == 3


def test_how_the_choice_is_written_is_named(files, tmp_path, eic):
    nested = tmp_path / "nested.csv"
    nested.write_text('Complexity,Loss,Equation\n3,0.5,"3.0 * x1 + exp(-exp(x0)) * 2.0**x1"\n')
    said = eic("pick", nested, *files[1:]).out
    assert "nests transcendental functions: `exp(−exp(x₀))`" in said
    assert "has a variable exponent: `2.0^x₁`" in said


def test_without_a_price_of_digits_the_plain_choice_is_taken(files, eic):
    found = json.loads(eic("pick", *files, "--alpha", "0", "--json").out)
    assert found["picked"] == found["plain"] and found["picked"]["row"] == 2
    assert found["weighed"] == 3 and found["target"] == "y" and found["doubts"] == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--target", "z"], "no column `z`"),
        (["--alpha", "-1"], "cannot cost"),
        (["--problem", "p"], "no problem `p`"),
    ],
)
def test_a_mistake_is_told_in_one_message(files, eic, more, message):
    assert message in eic("pick", *files, *more, status=2).err


def test_a_list_about_several_problems_needs_a_name(files, tmp_path, eic):
    pool = tmp_path / "pool.csv"
    pool.write_text("problem,formula\none,x0\none,x1*3\ntwo,x0+x1\n")
    arguments = ["pick", str(pool), *files[1:]]
    assert "--problem NAME" in eic(*arguments, status=2).err
    assert json.loads(eic(*arguments, "--problem", "two", "--json").out)["weighed"] == 1
    (tmp_path / "data.csv").rename(tmp_path / "one.csv")
    assert (
        json.loads(eic("pick", pool, "--data", tmp_path / "one.csv", "--json").out)["weighed"] == 2
    )


def test_what_a_tool_protects_is_said_below_the_choice(files, tmp_path, eic):
    programs = tmp_path / "programs.txt"
    programs.write_text("sqrt(sub(X0, X1))\nmul(X1, sqrt(X0))\n")
    arguments = ["pick", str(programs), *files[1:]]
    assert eic(*arguments).out.split("\n")[3].startswith("2 formulas are read as gplearn")
    assert "as gplearn computes" in json.loads(eic(*arguments, "--json").out)["notes"][0]
    assert "as gplearn computes" not in eic(*arguments, "--reading", "plain").out


def test_what_was_assumed_of_a_list_is_said(files, tmp_path, eic):
    outputs = [{"output_type": "stream", "text": text} for text in ("x0 + x1\nx0", "x1*2")]
    notebook = tmp_path / "run.ipynb"
    notebook.write_text(json.dumps({"cells": [{"outputs": outputs}]}))
    (note,) = json.loads(eic("pick", notebook, *files[1:], "--json").out)["notes"]
    assert note == "2 outputs hold formulas; the last is taken."
    assert note in eic("pick", notebook, *files[1:]).out


def test_a_table_in_place_of_the_list_is_told_in_one_line(files, tmp_path, eic):
    told = eic("pick", tmp_path / "data.csv", *files[1:], status=2).err
    assert "data.csv is a table of numbers, and no list" in told and told.count("\n") == 1
    (tmp_path / "numbers.csv").write_text("equation\n1.5\n2\n")
    assert "1.5" in eic("pick", tmp_path / "numbers.csv", *files[1:]).out


def test_a_file_that_is_not_there_is_told(tmp_path, eic):
    assert (
        "cannot read"
        in eic("pick", tmp_path / "none.csv", "--data", tmp_path / "d.csv", status=2).err
    )
