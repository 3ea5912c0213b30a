"""The rows of a list that are left out: none without its true reason, none that is finite."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from eic_core.cli.main import main
from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.measure import Samples, inspect
from eic_core.measure.fit import fit_of, program_values
from eic_core.measure.table import read_table
from eic_core.pool.candidate import LeftOutKind
from eic_core.pool.counting import counting_of, groups_of
from eic_core.pool.importers import Listed
from eic_core.pool.left_out import left_out, left_out_lines
from eic_core.pool.listing import ListedScore, TableData, score_listing
from eic_core.pool.picking import pick
from eic_core.pool.scoring import (
    ProblemData,
    account_for,
    measure_formula,
    measure_formulas,
    read_pool,
    score_pool,
)

COUNT = 60
X = np.round(np.linspace(-3, 3, COUNT + 1), 3)  # with a 0 in the middle
COLUMNS = {
    "x": X,
    "p": np.round(1.5 + np.abs(np.sin(7 * X)) + X**2 / 20, 4),
    "k": np.arange(COUNT + 1) % 4.0,
    "big": 700 + 20 * np.abs(X),
}
TARGET = np.round(COLUMNS["p"] + 0.3 * X + 0.01 * np.cos(50 * X), 4)
SAMPLES = Samples.from_columns(COLUMNS, target=TARGET)
NUMPY = {
    name: getattr(np, name)
    for name in "abs arctan cosh exp floor log sign sin sqrt tan tanh where arctan2".split()
}

FINITE = [
    # an intermediate value over- or underflows
    "p + 1/exp(big)",
    "p + exp(-big)",
    "p + 1/(1 + exp(exp(big)))",
    "p + 1/cosh(big)",
    "p*tanh(exp(big))",
    "arctan(1e308*p*1e10)",
    "p + (p/1e10)**100",
    "p + exp(-exp(exp(p)))",
    # it passes through an infinity
    "p + tanh(1/x)",
    "p + exp(-1/(x*x))",
    "p + 1/(1 + 1/(x*x))",
    "p + tanh(log(abs(x)))",
    "p + sign(1/x)",
    # a power, a root, an angle at the end of its domain, or beyond it in whole steps
    "p + 0**k",
    "p + k**0",
    "p + x**k",
    "p + k**0.5",
    "p + abs(x)**2.5",
    "p + sqrt(x*x)",
    "p + arctan2(x - x, x - x)",
    # a branch that is not taken
    "p + where(x == 0, 0, 1/x)",
    "p + where(x > 0, log(x), 0)",
    "where(p > 0, p, log(-p))",
    # nothing is left of a difference
    "p + sqrt(p*p - p*p)",
    "p + log(p - p + 1)",
    "p + sqrt(abs(sin(x)**2 + cos(x)**2 - 1))",
    "p + (x - x)/p",
    # a constant
    "2.5",
    "0",
    "p - p",
    "p**0",
    "p*2**-1100",
]


@pytest.mark.parametrize("text", FINITE)
def test_what_numpy_evaluates_to_finite_numbers_has_the_r2_of_these(text):
    with np.errstate(all="ignore"):
        values = eval(text, {**NUMPY, "cos": np.cos}, COLUMNS)  # noqa: S307  a text of this file
    values = np.broadcast_to(values, TARGET.shape)
    assert np.isfinite(values).all()
    expected = 1 - ((TARGET - values) ** 2).sum() / ((TARGET - TARGET.mean()) ** 2).sum()
    formula = read(text, columns=tuple(COLUMNS)).formula
    one, (among, _) = (
        measure_formula(formula, SAMPLES),
        measure_formulas([formula, read("x").formula], SAMPLES),
    )
    assert one.r2 == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert among.r2 == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert account_for(one, formula, SAMPLES).left_out is None
    if "1e308" not in text and "exp(big)))" not in text:
        assert fit_of(inspect(formula, SAMPLES)).r2 == pytest.approx(expected, rel=1e-9, abs=1e-9)


CSV = "x,p,k,big,y\n" + "".join(
    f"{','.join(f'{float(column[i])!r}' for column in COLUMNS.values())},{float(TARGET[i])!r}\n"
    for i in range(COUNT + 1)
)
TABLE = read_table(CSV.encode())


def score(*texts: str, target: str = "y", table=TABLE) -> tuple[ListedScore, ...]:
    rows = [Listed(i, text) for i, text in enumerate(texts, start=1)]
    return score_listing(rows, TableData(table, target))


REFUSED = [
    ("p + log(x)", LeftOutKind.NO_VALUE),
    ("p + sqrt(x - 9)", LeftOutKind.NO_VALUE),
    ("p/x", LeftOutKind.NO_VALUE),
    ("p + log(x + 2.95)", LeftOutKind.NO_VALUE),
    ("log(p - p)*x", LeftOutKind.NO_VALUE),
    ("p + exp(exp(big))", LeftOutKind.NO_VALUE),
    ("(-p)**2.5", LeftOutKind.NO_VALUE),
    ("p + lg(x)", LeftOutKind.UNREAD),
    ("(p + x", LeftOutKind.UNREAD),
    ("p +* x", LeftOutKind.UNREAD),
    ("p*zz + aa", LeftOutKind.NO_COLUMN),
]


@pytest.mark.parametrize(("text", "kind"), REFUSED)
def test_the_reason_is_that_of_inspect_for_the_same_text_on_the_same_data(
    text, kind, tmp_path, capsys
):
    (tmp_path / "data.csv").write_text(CSV)
    status = main(["inspect", text, "--data", str(tmp_path / "data.csv"), "--target", "y"])
    printed = capsys.readouterr()
    [row] = pick(score("p", text)).left_out
    assert (row.row, row.formula, row.kind) == (2, text, kind)
    if status == 0:
        assert row.reason == printed.out.splitlines()[0]
    else:
        message, *caret = printed.err.removeprefix("error: ").splitlines()
        assert row.reason.partition(" (column")[0] == message
        if place := re.search(r" \(column (\d+)\)$", row.reason):
            assert int(place[1]) == caret[1].index("^") + 1


def test_the_rows_of_a_table_without_a_value_are_numbered():
    table = read_table("a,y\n1,1\n-1,2\n,5\n2,3\n-2,4\n")
    [row] = pick(score("a", "log(a)", table=table)).left_out
    assert row.reason.startswith("No real value at 2 of 4 rows, at `log(a)`")
    assert row.place == "`log(a)` at 2 of 4 rows: 2 and 5"


def test_reasons_are_grouped_with_five_rows_each_and_all_of_them_are_in_json():
    texts = ["p", *[f"lg(p + {i})" for i in range(8)], "p*zz"]
    choice = pick(score(*texts))
    lines = list(left_out_lines(choice.left_out, len(texts)))
    assert lines[0] == "left out: 9 of 10 formulas"
    assert lines[1] == "  unknown function `lg`: did you mean `log10`?"
    assert lines[2] == "    row 2  lg(p + 0)  (column 1)" and lines[7] == "    and 3 more"
    document = choice.to_json()
    assert document["left_out_count"] == len(document["left_out"]) == 9
    assert document["left_out"][-1] == {
        "row": 10,
        "formula": "p*zz",
        "reason": "no column for `zz`: the inputs are `x`, `p`, `k` and `big`, or x0, x1, x2 and "
        "x3 by their places",
        "kind": "no_column",
    }


def test_where_nothing_is_left_every_reason_is_said_with_what_helps():
    with pytest.raises(DataError, match="no formula of the list has an R²") as caught:
        pick(score("lg(p)", "log(-p)", "p*zz"))
    said = "\n".join([str(caught.value), *caught.value.problems])
    for row, reason in ((1, "unknown function `lg`"), (2, "No real value"), (3, "no column")):
        assert f"row {row}" in said and reason in said
    assert "The inspector shows the place" in caught.value.hint


def test_a_target_that_does_not_vary_is_the_reason():
    choice = pick(score("a", "3 + a - a", "lg(a)", table=read_table("a,y\n1,3\n2,3\n3,3\n")))
    assert choice.picked.listed.row == 2 and choice.picked.score.r2 == 1
    assert [row.kind for row in choice.left_out] == [LeftOutKind.SAME_TARGET, LeftOutKind.UNREAD]


def test_rows_with_an_empty_cell_are_not_counted_against_a_formula():
    scored = score("a", "b + a", table=read_table("a,b,y\n1,,1\n2,3,2\n3,4,3.5\n4,1,\n5,2,4\n"))
    assert [each.rows for each in scored] == [4, 3]
    assert not pick(scored).left_out


def test_a_value_that_a_program_alone_has_is_counted_and_said():
    [tangent] = score("p + tanh(1/x)")
    missing = tangent.score.no_value
    assert tangent.score.invalid == 1 and missing.rows == (31,)
    sentence = str(pick([tangent]).sentence)
    assert str(missing.sentence) in sentence and "what a program computes" in sentence


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "list.txt").write_text("p\nlg(p)\nlog(x)\n")
    (tmp_path / "data.csv").write_text(CSV)
    return str(tmp_path / "list.txt"), str(tmp_path / "data.csv")


def test_strict_prints_the_result_and_exits_with_2(files, tmp_path, eic):
    listed, data = files
    plain = eic("pick", listed, "--data", data).out
    strict = eic("pick", listed, "--data", data, "--strict", status=2)
    assert strict.out == plain and "left out: 2 of 3 formulas" in strict.err
    (tmp_path / "list.txt").write_text("p\np + x\n")
    assert main(["pick", listed, "--data", data, "--strict"]) == 0


def test_score_groups_what_it_leaves_out_and_keeps_its_columns(files, tmp_path, eic):
    _, data = files
    pool, out = tmp_path / "pool.csv", tmp_path / "scored.csv"
    pool.write_text("problem,formula\ndata,p\ndata,lg(p)\ndata,1+lg(x)\ndata,p + log(x)\n")
    arguments = ["score", str(pool), "--problems", str(tmp_path), "--out", str(out)]
    said = eic(*arguments).err
    assert "left out: 3 of 4 formulas" in said
    assert said.count("unknown function `lg`: did you mean `log10`?") == 1
    assert "row 2  lg(p)  (column 1)" in said and "row 3  1+lg(x)  (column 3)" in said
    assert "row 4  p + log(x)  (`log(x)` at 31 of 61 rows: 1, 2, 3, 4, 5 and 26 more)" in said
    assert main([*arguments, "--strict"]) == 2
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[-1] == "error" and rows[3]["error"] == "" and rows[3]["r2"] == "nan"
    assert rows[2]["error"] == "unknown function `lg`: did you mean `log10`? (column 3)"


def test_the_notation_and_the_column_of_a_list_can_be_named(files, tmp_path, eic):
    _, data = files
    (tmp_path / "two.csv").write_text('name,first,second\na,"add(X1, X0)",p\nb,"X1",p + 0.3*x\n')
    arguments = ["pick", str(tmp_path / "two.csv"), "--data", data, "--json"]
    assert json.loads(eic(*arguments, "--column", "second").out)["picked"]["formula"] == "p + 0.3*x"
    assert (
        json.loads(eic(*arguments, "--column", "first", "--syntax", "gplearn").out)["picked"][
            "syntax"
        ]
        == "gplearn"
    )
    assert "--column NAME" in eic(*arguments, status=2).err
    assert (
        "no notation `klingon`"
        in eic(*arguments, "--column", "second", "--syntax", "klingon", status=2).err
    )


@pytest.mark.outside
def test_the_real_pool_loses_no_formula_that_numpy_can_compute(shared: Path):
    path = shared / "data" / "pools" / "sr_fronts_1d2d.csv.gz"
    _, candidates = read_pool(path)
    candidates = candidates[::7]
    problems = ProblemData(path.parents[1] / "problems")
    scores = score_pool(candidates, problems.folder, jobs=1)
    lacking = left_out((i, candidates[i].formula, s) for i, s in enumerate(scores))
    assert {row.row for row in lacking} == {i for i, s in enumerate(scores) if math.isnan(s.r2)}
    names = {row.row for row in lacking}
    for group, places in groups_of(candidates).items():
        if not names & set(places):
            continue
        counting, readings = counting_of([candidates[i] for i in places], problems.inputs(group[0]))
        for i, reading in zip(places, readings, strict=False):
            if i in names:
                samples = problems.samples(group[0], reading, counting)
                nowhere = np.full(len(samples), np.nan)
                assert not np.isfinite(program_values(nowhere, reading.formula, samples)).all()
