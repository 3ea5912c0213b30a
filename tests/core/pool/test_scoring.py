"""Scoring pools."""

from __future__ import annotations

import csv
import gzip
import math
import re
from pathlib import Path

import numpy as np
import pytest

from eic_core.cli import main
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.pool import SCORE_COLUMNS, Candidate, scoring
from eic_core.pool.counting import counting_of
from eic_core.pool.importers import import_formulas
from eic_core.pool.scoring import measure_formula, read_pool, score, score_pool
from study.matching.scored import read_scored
from tests.core.engine.test_population import formulas, table


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    folder = tmp_path / "problems"
    folder.mkdir()
    (folder / "line.csv").write_text("a,b,target\n1,2,3\n2,5,7\n4,1,5\n")
    return folder


def scored(tmp_path: Path, problems: Path, pool: str, *options: str) -> list[dict[str, str]]:
    source, out = tmp_path / "pool.csv", tmp_path / "scored.csv"
    source.write_text(pool)
    status = main(["score", str(source), "--problems", str(problems), "--out", str(out), *options])
    assert status == 0
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_row_comes_back_in_order_and_none_is_dropped(tmp_path, problems):
    rows = scored(
        tmp_path,
        problems,
        "problem,formula,note\nline,a+b,first\nline,lg(a),second\nnowhere,a,third\nline,,4\n",
        "--jobs",
        "1",
    )
    assert [row["note"] for row in rows] == ["first", "second", "third", "4"]
    assert list(rows[0])[-len(SCORE_COLUMNS) :] == list(SCORE_COLUMNS)
    assert rows[0]["error"] == "" and float(rows[0]["r2"]) == 1.0
    assert "log10" in rows[1]["error"] and rows[1]["eic"] == ""
    assert "nowhere" in rows[2]["error"] and rows[3]["error"]


def test_the_score_is_that_of_inspect(tmp_path, problems):
    rows = scored(tmp_path, problems, "dataset,formula\nline,a*b-a\nline,exp(a)/b\n")
    for row in rows:
        samples = Samples.from_columns({"a": [1, 2, 4], "b": [2, 5, 1]})
        expected = inspect(read(row["formula"]).formula, samples)
        assert float(row["eic"]) == pytest.approx(expected.eic, abs=1e-12)
        assert int(row["complexity"]) == expected.formula.complexity
        assert int(row["singular"]) == expected.counts.singular


@pytest.mark.parametrize("at_once", (1, 3 * 70, 1 << 21))
def test_formulas_that_are_measured_together_score_as_alone(at_once, monkeypatch):
    monkeypatch.setattr(scoring, "_MOST_AT_ONCE", at_once)
    members, samples = formulas(1, 40), table(1, 70)
    samples = Samples.from_columns(samples.columns, target=samples.columns["x"])
    together = scoring.measure_formulas(members, samples)
    # as texts, since nan is not itself
    assert list(map(repr, together)) == [repr(measure_formula(f, samples)) for f in members]
    assert sum(bool(each.invalid or each.singular) for each in together) > 5


def test_stored_r2_columns_are_kept(tmp_path, problems):
    rows = scored(tmp_path, problems, "problem,formula,r2_test\nline,a,0.25\n")
    assert rows[0]["r2_test"] == "0.25"


def test_an_unknown_tool_counts_from_what_its_whole_group_shows():
    for texts, expected in ((("x1", "x0*2"), 0), (("x1", "x2+1"), 1), (("x1", "lg(x2)"), None)):
        group = [Candidate("p", text, "m") for text in texts]
        for members in (group, group[::-1]):
            assert counting_of(members, ["a", "b"])[0].base == expected


def test_a_group_that_uses_x2_of_two_columns_counts_from_one(tmp_path, problems):
    rows = scored(tmp_path, problems, "problem,method,formula\nline,m,x1\nline,m,x1+x2\n")
    assert float(rows[1]["r2"]) == 1.0 and float(rows[0]["r2"]) < 1.0


def test_the_columns_that_were_taken_are_told(tmp_path, problems, capsys):
    (problems / "count.csv").write_text("x0,x1,y\n1,2,3\n2,5,7\n4,1,5\n")
    pool = "problem,method,syntax,formula\n" + "".join(
        f"{problem},{by},{text}\n"
        for problem in ("line", "count")
        for by, text in (("O,operon", "X1 + X2"), ("O,operon", "X1"), ("P,pysr", "x0 + x1"))
    )
    rows = scored(tmp_path, problems, pool, "--jobs", "1")
    assert [row["r2"] for row in rows[::3]] == ["1.0"] * 2 and rows[1]["r2"] == rows[4]["r2"]
    told = capsys.readouterr().err
    assert "line: `O` counts its variables from 1: `x1` is the column `a` and `x2` is `b`." in told
    assert "line: `P` counts its variables from 0: `x0` is the column `a` and `x1` is `b`." in told
    assert "count: `O` counts its variables from 1: `x1` is the column `x0` and" in told
    assert "count: `P`" not in told


def test_a_row_without_a_value_is_invalid_and_leaves_r2_undefined(tmp_path, problems):
    (row,) = scored(tmp_path, problems, "problem,formula\nline,log(a-1)\n")
    assert row["invalid"] == "1" and math.isnan(float(row["r2"]))


def test_named_parameters_come_from_the_extra_column(problems):
    candidate = Candidate.from_row(
        {"problem": "line", "formula": "a+t0*b", "extra": "front:0|theta=1.0"}
    )
    (result,) = score_pool([candidate], problems, jobs=1)
    assert result.r2 == 1.0


def test_worker_processes_give_the_same_scores(problems):
    candidates = [
        Candidate.from_row({"problem": "line", "formula": f"a*{i}.5+b**2/{i + 1}"})
        for i in range(150)
    ]
    seen: list[tuple[int, int]] = []
    apart = score_pool(candidates, problems, jobs=2, progress=lambda d, t: seen.append((d, t)))
    assert apart == score_pool(candidates, problems, jobs=1)
    assert seen[-1] == (150, 150)


@pytest.mark.parametrize("syntax", ["", "pysr"])
def test_each_formula_is_read_once_in_one_process(problems, monkeypatch, syntax):
    texts = []

    def counted(text, **options):
        texts.append(text)
        return read(text, **options)

    monkeypatch.setattr("eic_core.pool.candidate.read", counted)
    candidates = [Candidate("line", f"a*{i}", "m", syntax) for i in range(100)]
    score_pool([*candidates, Candidate("nowhere", "a", "m", syntax)], problems, jobs=1)
    without_data = [] if syntax else ["a"]  # whose notation would say what it counts from
    assert sorted(texts) == sorted([*(c.formula for c in candidates), *without_data])


def test_a_problem_cannot_name_a_file_outside_the_folder(tmp_path, problems):
    (tmp_path / "secret.csv").write_text("a,target\n1,2\n")
    assert "no data" in scored(tmp_path, problems, "problem,formula\n../secret,a\n")[0]["error"]


def test_a_gzipped_pool_is_read(tmp_path):
    path = tmp_path / "pool.csv.gz"
    path.write_bytes(gzip.compress(b"problem,formula\np,x\n"))
    columns, candidates = read_pool(path)
    assert columns == ["problem", "formula"] and candidates[0].formula == "x"


@pytest.mark.parametrize("text", ["", "problem,formula\n", "name,formula\nx,y\n"])
def test_a_pool_without_rows_or_columns_exits_2(tmp_path, problems, text):
    source = tmp_path / "pool.csv"
    source.write_text(text)
    out = str(tmp_path / "out.csv")
    assert main(["score", str(source), "--problems", str(problems), "--out", out]) == 2


@pytest.mark.outside
def test_the_real_pool_is_read_and_scored(shared, tmp_path):
    _, candidates = read_pool(shared / "data" / "pools" / "sr_fronts_1d2d.csv.gz")
    sample = candidates[::40]
    results = score_pool(sample, shared / "data" / "problems", jobs=1)
    assert sum(bool(r.error) for r in results) <= 0.01 * len(results)
    # The stored R² are of two parts of the rows: that of all rows lies between them.
    checked = 0
    for result, candidate in zip(results, sample, strict=True):
        stored = [candidate.row["r2_train"], candidate.row["r2_test"]]
        # Operon printed six decimals, which loses coefficients of 1e-7.
        if candidate.method == "Operon" or "" in stored or not math.isfinite(result.r2):
            continue
        low, high = sorted(map(float, stored))
        if high > 0.9 and candidate.problem.startswith("nikuradse"):
            assert low - 0.05 <= result.r2 <= high + 0.05, candidate.formula
            checked += 1
    assert checked > 20


def test_a_scored_pool_ends_its_lines_as_every_file_here_and_other_ends_are_read(
    tmp_path, problems
):
    pool = 'problem,formula,note\nline,a+b,"two\nlines"\nline,lg(a),=1\n'
    rows = scored(tmp_path, problems, pool, "--jobs", "1")
    assert [row["note"] for row in rows] == ["two\nlines", "=1"]
    unix = (tmp_path / "scored.csv").read_bytes()
    assert b"\r" not in unix and unix.endswith(b"\n")
    dos = tmp_path / "dos.csv"
    dos.write_bytes(unix.replace(b"two\nlines", b"two lines").replace(b"\n", b"\r\n"))
    for path in (tmp_path / "scored.csv", dos):
        columns, candidates = read_pool(path)
        assert columns[-1] == "error" and [c.formula for c in candidates] == ["a+b", "lg(a)"]
        found = read_scored(path)
        assert found.r2[0] == 1.0 and found.refused.tolist() == [False, True]
        listed = import_formulas(path.read_bytes(), name=path.name)
        assert [r.formula for r in listed.rows] == ["a+b", "lg(a)"]


@pytest.mark.parametrize(
    "formula",
    ["(x", "sin(x", "x)", "\\frac{x}{", "((a+b]", "1+lg(x)", "x +* 1", "", "a**", "[1 + (2]"],
)
def test_the_reason_of_a_refusal_names_its_column_once(tmp_path, problems, formula):
    cell = '"' + formula.replace('"', '""') + '"'
    (row,) = scored(tmp_path, problems, f"problem,formula\nline,{cell}\n", "--jobs", "1")
    places = re.findall(r"column \d+", row["error"])
    assert places and len(places) == len(set(places)), row["error"]


def test_constants_that_lose_their_digits_are_settled_in_company_too() -> None:
    x = np.linspace(1, 2, 300)
    samples = Samples.from_columns({"x": x}, target=x)
    texts = ["1.03*x*tan(-666*sin(pi))", "x*(0.1+0.2-0.3)", "x+(sqrt(2)**2-2)", "x+1"]
    together = score(texts, samples)
    assert [each.eic for each in together[:3]] == [math.inf] * 3
    assert together == [score([text], samples)[0] for text in texts]
