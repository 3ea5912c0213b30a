"""`python -m eic_core search`, and what reads its pool."""

from __future__ import annotations

import csv
import io
import json
import math

import pytest

from eic_core.cli.main import main
from eic_core.pool.importers import import_formulas

ROWS = [(1 + i % 7 + 0.1 * i, 1 + (i * i) % 11) for i in range(50)]
SHORT = ["--max-evals", "2e3", "--seed", "3"]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "demo.csv"
    cells = "".join(f"{a!r},{math.sqrt(a) * b + 0.01 * (b % 3)!r},{b}\n" for a, b in ROWS)
    path.write_text(f"len,out,load\n{cells}")
    return path


def test_the_pool_is_read_by_score_by_pick_and_by_compare(data, tmp_path, eic):
    out = tmp_path / "pool.csv"
    said = eic("search", data, "--target", "out", *SHORT, "--out", out)
    assert said.out == "" and "take: " in said.err and "2,000 candidates" in said.err
    rows = list(csv.DictReader(out.open()))
    assert {row["problem"] for row in rows} == {"demo"} and len(rows) > 3
    assert sum(row["best"] == "1" for row in rows) == 1

    # score takes the last column for the target
    table = list(csv.reader(data.open()))
    folder = tmp_path / "problems"
    folder.mkdir()
    moved = "\n".join(",".join((a, c, b)) for a, b, c in table)
    (folder / "demo.csv").write_text(moved + "\n")
    scored = tmp_path / "scored.csv"
    assert main(["score", str(out), "--problems", str(folder), "--out", str(scored)]) == 0
    for before, after in zip(rows, csv.DictReader(scored.open()), strict=True):
        for key in ("complexity", "r2", "eic", "eic_finite"):
            assert float(after[key]) == float(before[key]), before["formula"]

    picked = json.loads(
        eic(
            "pick", str(out), "--data", str(data), "--target", "out", "--json", "--alpha", "0.002"
        ).out
    )
    assert picked["weighed"] == len(rows) and picked["doubts"] == []
    assert picked["picked"]["formula"] == next(r["formula"] for r in rows if r["best"] == "1")

    imported = import_formulas(out.read_bytes(), name="pool.csv")
    assert [row.formula for row in imported.rows] == [row["formula"] for row in rows]


def test_json_says_the_same(data, eic):
    found = json.loads(eic("search", data, "--target", "out", *SHORT, "--json").out)
    assert found["target"] == "out" and found["evaluations"] == 2000 and found["seed"] == 3
    assert found["stopped"] == "evaluations" and found["best"] in found["front"]
    assert {"formula", "latex", "complexity", "r2", "eic", "loss", "digits_needed"} < set(
        found["best"]
    )


def test_a_search_goes_on_from_its_checkpoint(data, tmp_path, eic):
    file = tmp_path / "run.json"
    arguments = ["search", str(data), "--target", "out", "--json", "--checkpoint", str(file)]
    first = json.loads(eic(*arguments, *SHORT).out)
    again = json.loads(eic(*arguments, *SHORT).out)
    assert again["evaluations"] == 2000 and again["front"] == first["front"]


@pytest.mark.parametrize(
    ("more", "name", "alpha"),
    [
        ([], "EIC-GP", 0.002),
        (["--alpha", "0"], "GP", 0.0),
        (["--method", "mcts"], "EIC-MCTS", 0.01),
        (["--method", "mcts", "--alpha", "0", "--penalty", "mean"], "MCTS", 0.0),
    ],
)
def test_the_pool_names_the_method_and_whether_a_digit_cost(data, eic, more, name, alpha):
    short = ["--max-evals", "400", "--seed", "3"]
    rows = list(
        csv.DictReader(io.StringIO(eic("search", data, "--target", "out", *short, *more).out))
    )
    assert {row["method"] for row in rows} == {name}
    assert {float(row["alpha"]) for row in rows} == {alpha}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--target", "z"], "no column `z`"),
        (["--alpha", "-1"], "cannot cost"),
        (["--operators", "add,sine"], "no operator `sine`"),
        (["--max-evals", "0"], "at least"),
        (["--jobs", "0"], "at least one process"),
        (["--max-complexity", "0"], "at least one node"),
    ],
)
def test_a_mistake_is_told_in_one_message(data, eic, more, message):
    assert message in eic("search", data, *SHORT, *more, status=2).err


def test_columns_that_no_formula_can_name_are_numbered(tmp_path, eic):
    path = tmp_path / "odd.csv"
    path.write_text("2 long,pi,y\n" + "".join(f"{a},{b},{a * b}\n" for a, b in ROWS))
    best = json.loads(eic("search", path, *SHORT, "--json").out)["best"]
    assert set(best["formula"]) <= set("x01*()") and best["r2"] > 1 - 1e-9
