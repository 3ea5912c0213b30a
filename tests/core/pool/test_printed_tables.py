"""Tables as pandas prints them (version 3.0: `print(frame)`, `to_string`), and as Markdown has
them.
"""

from __future__ import annotations

import random

import pandas
import pytest

from eic_core.pool.importers import import_formulas
from tests.core.pool.refusals import refusal
from tests.effort import cases

FOUND = {
    "complexity": [1, 3, 11],
    "loss": [42.354317, 3.437307, 0.5],
    "equation": ["4.4324794", "(x0 * x0)", "((x0 * x0) + 2.0) - (x1 - 2.34)"],
}

FRAME = """\
   complexity       loss                         equation
0           1  42.354317                        4.4324794
1           3   3.437307                        (x0 * x0)
2          11   0.500000  ((x0 * x0) + 2.0) - (x1 - 2.34)
"""
BLOCKS = """\
   complexity       loss  \\
0           1  42.354317
1           3   3.437307
2          11   0.500000

                          equation     score
0                        4.4324794  0.000000
1                        (x0 * x0)  1.255691
2  ((x0 * x0) + 2.0) - (x1 - 2.34)  3.010000
"""
WITHOUT_INDEX = """\
 complexity      loss                        equation
          1 42.354317                       4.4324794
          3  3.437307                       (x0 * x0)
         11  0.500000 ((x0 * x0) + 2.0) - (x1 - 2.34)
"""
INDEX_NAMED = """\
                 loss                         equation
complexity
1           42.354317                        4.4324794
3            3.437307                        (x0 * x0)
11           0.500000  ((x0 * x0) + 2.0) - (x1 - 2.34)
"""
MARKED = """\
   pick     score                         equation       loss  complexity
0        0.000000                        4.4324794  42.354317           1
1  >>>>  1.255691                        (x0 * x0)   3.437307           3
2        3.010000  ((x0 * x0) + 2.0) - (x1 - 2.34)   0.500000          11
"""
SPACES_LOST = "\n".join(" ".join(line.split()) for line in FRAME.splitlines())
GAPS_LEFT = "\n".join(line.strip() for line in FRAME.splitlines())


def read(text: str) -> list[tuple[str, dict[str, float]]]:
    return [(r.formula, dict(r.stored)) for r in import_formulas(text).rows]


@pytest.mark.parametrize(
    "text",
    [
        FRAME,
        FRAME.lstrip(),
        BLOCKS,
        WITHOUT_INDEX,
        INDEX_NAMED,
        MARKED,
        SPACES_LOST,
        GAPS_LEFT,
        ">>> print(model.equations_)\n" + FRAME,
        FRAME + "\n[3 rows x 3 columns]\n",
        FRAME.replace("complexity", "Complexity").replace("   loss", "   Loss"),
    ],
)
def test_what_pandas_prints_is_read_column_by_column(text):
    got = import_formulas(text)
    assert got.format == "pysr" and got.reason.endswith("printed by pandas") and not got.notes
    assert got.label == "PySR hall of fame, printed"
    for i, row in enumerate(got.rows):
        assert row.formula == FOUND["equation"][i] and not row.error
        assert row.stored["complexity"] == FOUND["complexity"][i]
        assert row.stored["loss"] == FOUND["loss"][i]
    assert {(r.syntax, r.method) for r in got.rows} == {("pysr", "PySR")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "          equation  loss\n0               x0   2.5\n1  (x0 * x0) + 1.0   0.1\n",
            [("x0", {"loss": 2.5}), ("(x0 * x0) + 1.0", {"loss": 0.1})],
        ),
        (
            "    formula    r2\n0    x0 + 1  0.91\n1  2.0 * x0  0.95\n",
            [("x0 + 1", {"r2": 0.91}), ("2.0 * x0", {"r2": 0.95})],
        ),
        (
            "formula r2\n0 x0 + 1 0.91\n1 2.0 * x0 0.95\n",
            [("x0 + 1", {"r2": 0.91}), ("2.0 * x0", {"r2": 0.95})],
        ),
        (
            "                     model  length    r2\n"
            "0                 1.2 * X1       3  0.90\n"
            "1  ((1.2 * X1) + (X2))           5  0.95\n".replace(")  ", ")").replace(
                "1  (", "1    ("
            ),
            [
                ("1.2 * X1", {"complexity": 3, "r2": 0.9}),
                ("((1.2 * X1) + (X2))", {"complexity": 5, "r2": 0.95}),
            ],
        ),
        (
            "12    x0 + 1\n3        -x0\nName: equation, dtype: object\n",
            [("x0 + 1", {}), ("-x0", {})],
        ),
        ("  formula\n0  x0 + 1\n1     -x0\n", [("x0 + 1", {}), ("-x0", {})]),
        (
            "   n  formula   r2\n7  2   x0 + 1  0.9\n5  3      -x0  NaN\n",
            [("x0 + 1", {"r2": 0.9}), ("-x0", {})],
        ),
    ],
)
def test_any_frame_with_formulas_is_read(text, expected):
    assert read(text) == expected


def test_what_printing_cuts_short_is_refused_with_a_way_out():
    text = (
        "   complexity                                           equation\n"
        "0           1                                          4.4324794\n"
        "1          11  ((x0 * x0) + cos(x3 * 2.5382)) - 0.0000012345 ...\n"
    )
    whole, cut = import_formulas(text).rows
    assert whole.formula == "4.4324794" and not whole.error
    assert "cut this formula short" in cut.error and "to_csv" in cut.error


def test_rows_and_columns_that_printing_leaves_out_are_told():
    text = "     formula    r2\n0   x0 + 0.5  0.00\n..       ...   ...\n9   x0 + 9.5  0.99\n\n"
    got = import_formulas(text + "[10 rows x 2 columns]\n")
    assert [r.formula for r in got.rows] == ["x0 + 0.5", "x0 + 9.5"]
    assert "left out rows" in got.notes[0] and "to_csv" in got.notes[0]
    text = "   complexity  ...    lambda_format\n0           1  ...  PySRFunction(X)\n"
    refusal(
        text + "\n[1 rows x 6 columns]\n", match="left out the column with the formulas: .*to_csv"
    )


def test_what_pysr_itself_prints_is_still_its_own():
    head = "Complexity  Loss       Equation\n"
    text = head + "1           1.234e+01  y = 1.5\n3           5e-01  y = x0\n"
    got = import_formulas(text)
    assert (
        got.format == "pysr"
        and got.label.endswith(", printed")
        and read(text)[1] == ("x0", {"complexity": 3, "loss": 0.5})
    )
    text = "Complexity Loss Equation\n0 9.6e-02 2.5\n1 6.4e-04 x0 * 2.5\n"
    assert read(text)[1] == ("x0 * 2.5", {"complexity": 1, "loss": 6.4e-4})


def test_frames_of_every_shape_are_read_as_they_were_printed():
    draw = random.Random(0)
    texts = ["x0", "-x0", "x0 + 1", "(x1 * x1) - 2.5", "sin(x0) * 1e-3", "max(x0, 2)", "4.5"]
    for _ in range(cases(60, 1_000)):
        size = draw.randint(1, 12)
        columns = {
            "formula": [draw.choice(texts) for _ in range(size)],
            "loss": [round(draw.expovariate(1), 6) for _ in range(size)],
            "complexity": [draw.randint(1, 30) for _ in range(size)],
            "r2": [draw.randint(0, 99) / 100 for _ in range(size)],
        }
        names = draw.sample(list(columns), draw.randint(1, 4))
        names += [] if "formula" in names else ["formula"]
        frame = pandas.DataFrame({name: columns[name] for name in names})
        index = [draw.sample(range(200), size), range(size)][draw.random() < 0.5]
        text = frame.set_index(pandas.Index(index)).to_string(
            index=len(names) == 1 or draw.random() < 0.8, line_width=draw.choice([None, 40])
        )
        found = import_formulas(text).rows
        assert [r.formula for r in found] == columns["formula"], text
        for name in set(names) - {"formula"}:
            got = [r.stored[name] for r in found]
            assert got == pytest.approx(columns[name], rel=1e-5, abs=1e-6), text


# --- Markdown ---


@pytest.mark.parametrize(
    "text",
    [
        "| equation | r2 |\n|---|---|\n| x0 + 1 | 0.5 |\n| abs(x0) | 0.6 |\n",
        "|  | equation | r2 |\n|--:|:--|--:|\n| 0 | x0 + 1 | 0.5 |\n| 1 | abs(x0) | 0.6 |\n",
        "equation | r2\n--- | ---\n`x0 + 1` | **0.5**\nabs(x0) | 0.6\n",
        "+----------+-----+\n| equation |  r2 |\n+==========+=====+\n| x0 + 1   | 0.5 |\n"
        "+----------+-----+\n| abs(x0)  | 0.6 |\n+----------+-----+\n",
        "Found:\n\n| equation | r2 |\n|---|---|\n| x0 + 1 | 50 % |\n| abs(x0) | 0.6 |\n\nIs all.",
    ],
)
def test_tables_between_bars_are_read(text):
    assert read(text) == [("x0 + 1", {"r2": 0.5}), ("abs(x0)", {"r2": 0.6})]
    got = import_formulas(text)
    assert ("outside of the table" in " ".join(got.notes)) == text.startswith("Found")


def test_bars_of_absolute_values_stay_in_their_formula():
    text = "| formula | r2 |\n|---|---|\n| |x0| + 1 | 0.5 |\n| 2*\\|x1\\| | 0.6 |\n"
    assert [f.replace(" ", "") for f, _ in read(text)] == ["|x0|+1", "2*|x1|"]
    assert [s for _, s in read(text)] == [{"r2": 0.5}, {"r2": 0.6}]


# --- CSV without a header ---


@pytest.mark.parametrize(
    "text",
    [
        "x0+1,0.99\n2*x0,0.98\n",
        "0.99,5,x0+1\n0.98,3,2*x0\n",
        "x0+1;0,99\n2*x0;0,98\n",
        "x0+1, 99%\n2*x0, 98%\n",
        "1. x0+1, 0.99\n2. 2*x0, 0.98\n",
        "x0+1\t0.99\n2*x0\t0.98\n",
        "1. x0+1\t0.99\n2. 2*x0\t0.98\n",
        "- x0+1, 0.99\n- 2*x0, 0.98\n",
        "x0+1 0.99\n2*x0 0.98",
        "x0+1 | 0.99\n2*x0 | 0.98",
    ],
)
def test_formulas_among_numbers_without_a_header_are_found_and_the_rest_is_told(text):
    assert read(text) == [("x0+1", {}), ("2*x0", {})]
    assert "that nothing names are left out" in import_formulas(text).notes[-1]


@pytest.mark.parametrize(
    "text",
    [
        "2,5*x0\n1,5*x0\n",
        "max(x0, 1)\nmin(x0, 2)\n",
        "x0*2,5\nx1*2,5\n",
        "f(x, y) = x\ng(x, y) = y\n",
    ],
)
def test_commas_inside_formulas_separate_no_cells(text):
    got = import_formulas(text)
    assert got.format == "list" and [r.formula for r in got.rows] == text.splitlines()
