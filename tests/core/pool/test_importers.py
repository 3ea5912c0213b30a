"""Lists as other tools write them.

The printed samples follow what the tools print: PySR's from its README and from
github.com/astroautomata/PySR/issues/7, SymbolicRegression.jl's ``src/SearchUtils.jl``, pyoperon's
``get_solution_stats``, gplearn's ``tests/test_genetic.py``, SRBench's ``evaluate_model.py``.
"""

from __future__ import annotations

import csv
import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.errors import DataError
from eic_core.formula.syntax import read
from eic_core.pool.importers import FORMATS, ColumnChoice, import_formulas, listed
from eic_core.pool.importers.shapes import sheet_of
from eic_core.pool.importers.source import source_of
from tests.core.pool.refusals import refusal

HALL = (
    'Complexity,Loss,Equation\n1,42.35,"4.4324794"\n3,3.43,"x0 * x0"\n6,1.36,"max(x0, cos(x3))"\n'
)

PRINTED = """
Expressions evaluated per second: 7.180e+05
Hall of Fame:
---------------------------------------------------------------
Complexity  Loss       Score     Equation
1           9.0e+00  0.000e+00  y = 7.0
==============================
Hall of Fame:
---------------------------------------------------------------
Complexity  Loss       Score     Equation
1           1.656e+01  1.025e-07  y = -0.19632196
2           1.626e+01  1.812e-02  y = cos(radius)
10          1.092e-05  6.419e-02  y = (-0.033238 * -0.021517) ^ ((tanh(x₀) / 0.30777) + -0.68422...
                                  )
---------------------------------------------------------------
==============================
Press 'q' and then <enter> to stop execution early.
"""

OLD_PRINTED = """Hall of Fame:
-----------------------------------------
Complexity  MSE        Score     Equation
0           9.607e-02  0.000e+00  -0.919940
8           6.466e-04  6.251e-01  mult(log(plus(x3, mult(-0.524515, x2))), -1.2039071)
"""

MODEL = """PySRRegressor.equations_ = [
\t   pick     score                                           equation       loss  complexity
\t0        0.000000                                          4.4324794  42.354317           1
\t1        1.255691                                          (x0 * x0)   3.437307           3
\t5  >>>>       inf  (((cos(x3) + -0.19699033) * 2.5382123) + (x0 *...   0.000000          10
]"""

GENERATIONS = """    |   Population Average    |             Best Individual              |
---- ------------------------- ------------------------------------------ ----------
 Gen   Length          Fitness   Length          Fitness      OOB Fitness  Time Left
   0    38.13          1.27e+08        5        0.320665         0.556763      1.28m
   1     9.97           1.38102        1        0.320665              N/A     57.78s
"""


def formulas(text: str | bytes, **options: str) -> list[str]:
    return [row.formula for row in import_formulas(text, **options).rows]


# --- PySR ---


@pytest.mark.parametrize(
    "text",
    [
        HALL,
        HALL.replace("Complexity,Loss,Equation", "complexity,loss,equation"),
        HALL.replace("\n", "\r\n"),
        "\ufeff" + HALL,
        "Complexity,Loss,Score,Equation\n1,42.35,0.0,4.4324794\n3,3.43,1.2,x0 * x0\n"
        '6,1.36,0.1,"max(x0, cos(x3))"\n',
        ",complexity,loss,equation,score,sympy_format,lambda_format\n"
        "0,1,42.35,4.4324794,0,4.43247940000000,f\n1,3,3.43,x0 * x0,1.2,x0**2,f\n"
        '2,6,1.36,"max(x0, cos(x3))",0.1,"Max(x0, cos(x3))",f\n',
        "Complexity|MSE|Equation\n1|42.35|4.4324794\n3|3.43|x0 * x0\n6|1.36|max(x0, cos(x3))\n",
    ],
)
def test_a_hall_of_fame_is_recognised_in_every_spelling(text):
    got = import_formulas(text, name="hall_of_fame.csv.bkup")
    assert got.format == "pysr" and "PySR" in got.label
    assert [r.formula for r in got.rows] == ["4.4324794", "x0 * x0", "max(x0, cos(x3))"]
    assert [r.stored["loss"] for r in got.rows] == [42.35, 3.43, 1.36]
    assert [r.stored["complexity"] for r in got.rows] == [1, 3, 6]
    assert {(r.syntax, r.method) for r in got.rows} == {("pysr", "PySR")}


def test_the_last_printed_hall_of_fame_is_taken_with_its_broken_lines_joined():
    got = import_formulas(PRINTED)
    assert got.format == "pysr" and got.label == "PySR hall of fame, printed"
    assert [r.formula for r in got.rows] == [
        "-0.19632196",
        "cos(radius)",
        "(-0.033238 * -0.021517) ^ ((tanh(x₀) / 0.30777) + -0.68422)",
    ]
    assert got.rows[1].stored == {"complexity": 2, "loss": 16.26, "score": 0.01812}
    assert "2 tables were printed" in got.notes[0]


def test_the_oldest_printed_table_is_read():
    got = import_formulas(OLD_PRINTED)
    assert got.rows[1].stored == {"complexity": 8, "loss": 6.466e-04, "score": 0.6251}
    assert set(read(got.rows[1].formula, syntax="pysr").formula.variables) == {"x2", "x3"}


def test_an_equation_that_printing_cut_short_is_kept_and_says_so():
    got = import_formulas(MODEL)
    assert [bool(r.error) for r in got.rows] == [False, False, True]
    assert "cut" in got.rows[2].error and got.rows[2].formula.endswith("...")
    assert got.rows[1].stored == {"score": 1.255691, "loss": 3.437307, "complexity": 3}


# --- Operon ---


def test_an_operon_front_is_read_from_a_file_and_from_print():
    front = [
        {
            "model": "((0.1 * X1) + 2.0)",
            "mean_squared_error": 0.25,
            "minimum_description_length": 12.5,
        },
        {
            "model": "sin((1.5 * X2))",
            "mean_squared_error": 0.125,
            "minimum_description_length": 20.0,
        },
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(front[0]))
    writer.writeheader()
    writer.writerows(front)
    for text, form in (
        (out.getvalue(), "CSV"),
        (str(front), "printed"),
        (json.dumps(front), "JSON"),
    ):
        got = import_formulas(text)
        assert got.format == "operon" and got.label == f"Operon front, {form}"
        assert [r.formula for r in got.rows] == [m["model"] for m in front]
        assert [r.stored["loss"] for r in got.rows] == [0.25, 0.125]
        assert {r.syntax for r in got.rows} == {"operon"}


# --- gplearn ---


def test_programs_below_gplearns_table_are_taken():
    got = import_formulas(GENERATIONS + "sub(add(-0.999, X1), mul(sub(X1, X0), add(X0, X1)))\n")
    assert got.format == "gplearn"
    assert [r.formula for r in got.rows] == ["sub(add(-0.999, X1), mul(sub(X1, X0), add(X0, X1)))"]


def test_a_printed_transformer_is_a_list():
    got = import_formulas("[div(add(X6, X3), sub(X0, 0.5)),\n mul(X2, X1)]")
    assert [r.formula for r in got.rows] == ["div(add(X6, X3), sub(X0, 0.5))", "mul(X2, X1)"]
    assert got.format == "gplearn"


@pytest.mark.parametrize(
    "text",
    [
        GENERATIONS,
        "generation,average_length,average_fitness,best_length,best_fitness\n0,38.1,1.2,5,0.3\n",
    ],
)
def test_gplearns_table_alone_says_what_to_print(text):
    refusal(text, match="holds no formula.*_program")


# --- SRBench ---

RUN = {
    "dataset": "192_vineyard",
    "algorithm": "tuned.OperonRegressor",
    "random_state": 1,
    "symbolic_model": "0.1*X1 + 2",
    "r2_test": 0.9,
    "model_size": 5,
    "mse_test": 2.0,
}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RUN, indent=4),
        json.dumps([RUN]),
        json.dumps(RUN) + "\n",
        "dataset,algorithm,symbolic_model,r2_test,model_size,mse_test\n"
        "192_vineyard,tuned.OperonRegressor,0.1*X1 + 2,0.9,5,2.0\n",
    ],
)
def test_srbench_results_are_read_as_json_and_csv(text):
    (row,) = import_formulas(text).rows
    assert (row.formula, row.method, row.problem) == (
        "0.1*X1 + 2",
        "tuned.OperonRegressor",
        "192_vineyard",
    )
    assert row.syntax == "operon"
    assert row.stored == {"r2_test": 0.9, "complexity": 5, "mse_test": 2.0}


def test_a_run_without_a_model_is_kept_and_says_so():
    (row,) = import_formulas(json.dumps({**RUN, "symbolic_model": "not implemented"})).rows
    assert row.error == "this row holds no formula, only `not implemented`"


# --- pools and other tables ---


def test_pools_are_recognised_gzipped_or_not():
    text = "dataset,method,formula,syntax,r2_test,extra\nd,tinyGP,x0*t0,srtree,0.5,theta=2;3\n"
    for data in (
        text,
        gzip.compress(text.encode()),
        gzip.compress(text.encode()[:40]) + gzip.compress(text.encode()[40:]),
    ):
        got = import_formulas(data)
        (row,) = got.rows
        assert got.format == "pool" and got.problems == ("d",)
        assert row.candidate().parameters == {"t0": "2", "t1": "3"}
        assert (row.method, row.syntax, row.stored) == ("tinyGP", "srtree", {"r2_test": 0.5})


def test_a_scored_pool_is_recognised():
    head = "problem,formula,complexity,r2,eic,eic_finite,invalid,singular,error"
    got = import_formulas(f"{head}\np,x+1,3,0.5,1.5,1.25,0,2,\np,lg(x),,,,,,,unknown\n")
    assert got.format == "scored"
    assert got.rows[0].stored == {
        "complexity": 3,
        "r2": 0.5,
        "eic": 1.5,
        "eic_finite": 1.25,
        "invalid": 0,
        "singular": 2,
    }
    assert got.rows[1].formula == "lg(x)"


def test_of_several_columns_that_read_as_formulas_none_is_taken_until_one_is_chosen():
    text = "who;law;limit;n\nkepler;r**1.5;a+b;3\nohm;u/r;c*2;2\nme;;x-1;4\n"
    with pytest.raises(
        ColumnChoice, match="several columns hold formulas: `law` and `limit`"
    ) as one:
        import_formulas(text)
    assert one.value.columns == ("law", "limit")
    got = import_formulas(text, column="law")
    assert (got.format, got.column) == ("table", "law") and "100 %" in got.reason
    assert [r.error for r in got.rows] == ["", "", "this row holds no formula"]
    assert formulas(text, column="limit") == ["a+b", "c*2", "x-1"]
    refusal(text, column="nowhere", match="no column `nowhere`.*`law`")


def test_a_column_without_a_name_is_not_the_one_with_the_formulas():
    got = import_formulas(",equation,r2\n0,x0 + 1,0.5\n1,sin(x0),0.6\n")
    assert got.column == "equation" and [r.formula for r in got.rows] == ["x0 + 1", "sin(x0)"]


def test_cells_guarded_from_spreadsheets_are_taken_back():
    assert formulas("formula,eic\n'-x+1,1\nx,2\n") == ["-x+1", "x"]


# --- lists ---


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x+1\nsin(x)", ["x+1", "sin(x)"]),
        ("1. x+1\n2. sin(x)\n10. x", ["x+1", "sin(x)", "x"]),
        ("(1) x+1\n(2) sin(x)", ["x+1", "sin(x)"]),
        ("1) -x\n2) 2. * x", ["-x", "2. * x"]),
        ("# best\nx+1   # short\n\n// more\nsin(x)", ["x+1", "sin(x)"]),
        ("x+1 // the best\nx // 2", ["x+1", "x // 2"]),
        ("formula\nx+1\nsin(x)", ["x+1", "sin(x)"]),
        ("x+1\t0.98\t5\nsin(x)\t0.9\t2", ["x+1", "sin(x)"]),
        ("x+1  R2: 0.98\nsin(x), loss=1e-3, complexity: 2", ["x+1", "sin(x)"]),
        ("R2: 0.98  x+1\nr²=0.9; sin(x)", ["x+1", "sin(x)"]),
        ("x0 + 2 0.97 3\nx0", ["x0 + 2", "x0"]),
        ("'x+1',\n'sin(x)',", ["x+1", "sin(x)"]),
        ('"(x + 1)",\n"sqrt(x + 1)",', ["(x + 1)", "sqrt(x + 1)"]),
        ('"sqrt(x + 1)",\n"(x + 1)",', ["sqrt(x + 1)", "(x + 1)"]),
        ("1.5, loss=1e-3\nR2=0.2, 0.5", ["1.5", "0.5"]),
        ('["x+1", "sin(x)"]', ["x+1", "sin(x)"]),
        ("• x+1\n• -x", ["x+1", "-x"]),
        ("y = x+1\nf(x) = sin(x)", ["y = x+1", "f(x) = sin(x)"]),
        ("x+1 | 0.98 | 5", ["x+1"]),
    ],
)
def test_a_pasted_list_is_taken_out_of_what_surrounds_it(text, expected):
    assert formulas(text) == expected


BULLET = "Every line begins with `{}`: that is a bullet here, and no sign."


@pytest.mark.parametrize(
    ("text", "expected", "notes"),
    [
        ("- x0 + 1\n- sin(x0)\n", ["x0 + 1", "sin(x0)"], [BULLET.format("-")]),
        ("* x0 + 1\n* sin(x0)\n", ["x0 + 1", "sin(x0)"], [BULLET.format("*")]),
        ("+ x0 + 1\n+ sin(x0)\n", ["x0 + 1", "sin(x0)"], [BULLET.format("+")]),
        ("  – x0\n  – -x0\n", ["x0", "-x0"], [BULLET.format("–")]),
        ("- `x0 + 1`\n- `sin(x0)` (R² = 0.9)\n", ["x0 + 1", "sin(x0)"], [BULLET.format("-")]),
        ("- y = x0 + 1\n- y = x0", ["y = x0 + 1", "y = x0"], [BULLET.format("-")]),
        # a sign: one line, some lines, no space, or Polish notation
        ("- x0 + 1", ["- x0 + 1"], []),
        ("- x0 + 1\nsin(x0)", ["- x0 + 1", "sin(x0)"], []),
        ("- x0 + 1\n* x0", ["- x0 + 1", "* x0"], []),
        ("-x0 + 1\n-sin(x0)", ["-x0 + 1", "-sin(x0)"], []),
        ("- x0 2\n- x0 3", ["- x0 2", "- x0 3"], []),
        ("+ x0 2\n+ x0 3", ["+ x0 2", "+ x0 3"], []),
        ("* x0 2\n* x0 x1", ["* x0 2", "* x0 x1"], []),
        # Markdown
        ("1. `x0 + 1`", ["x0 + 1"], []),
        ("1. **x0 + 1**\n2. **x0**", ["x0 + 1", "x0"], []),
        ("2. x0 + 1", ["2. x0 + 1"], []),
        ("```\nx0 + 1\nx0\n```", ["x0 + 1", "x0"], []),
        ("```python\n- x0 + 1\n- x0\n```", ["x0 + 1", "x0"], [BULLET.format("-")]),
        (
            "The best:\n\n1. `x0 + 1` (R² = 0.91)\n2. `2*x0` (R² = 0.95)",
            ["x0 + 1", "2*x0"],
            ["Headings are left out: `The best:`."],
        ),
    ],
)
def test_what_markdown_puts_before_a_formula_is_taken_off_and_told(text, expected, notes):
    got = import_formulas(text)
    assert [row.formula for row in got.rows] == expected
    assert list(got.notes) == notes and not any(row.error for row in got.rows)


@pytest.mark.parametrize(
    ("text", "formulas", "told"),
    [
        ("x0 + 1\nn/a\nN/A\n-\nfailed\nNone", ["x0 + 1"], ["n/a", "N/A", "-", "failed", "None"]),
        (
            "formula,r2\nx0+1,0.9\nn/a,\nfailed,0.1\nnan,\nTimeout,\n",
            ["x0+1"],
            ["n/a", "failed", "nan", "Timeout"],
        ),
        ('[{"formula": "x0"}, {"formula": "error"}]', ["x0"], ["error"]),
        # variables of the list
        ("2*n + 1\nn/a", ["2*n + 1", "n/a"], []),
        ("failed + 1\nfailed", ["failed + 1", "failed"], []),
        ("x0\nna*x0\nna", ["x0", "na*x0", "na"], []),
        # scores on a line of their own
        ("R2: 0.98 MSE 0.1\nx0 + 1", ["x0 + 1"], ["R2: 0.98 MSE 0.1"]),
        (
            "Complexity: 5, loss = 1e-3\nx0 + 1\nr2 = 98%",
            ["x0 + 1"],
            ["Complexity: 5, loss = 1e-3", "r2 = 98%"],
        ),
        ("R25\nR2 = x0\nmse\nr2*2\nlength", ["R25", "R2 = x0", "mse", "r2*2", "length"], []),
    ],
)
def test_lines_that_are_no_formulas_are_told_and_no_formula_is_lost(text, formulas, told):
    rows = import_formulas(text).rows
    assert [row.formula for row in rows if not row.error] == formulas
    errors = [row.error for row in rows if row.error]
    assert len(errors) == len(told)
    for error, text in zip(errors, told, strict=True):
        assert error.startswith("this row holds no formula, only ") and f"`{text}`" in error


@pytest.mark.parametrize(
    "line",
    [
        "R2: 0.98 MSE 0.1 x0+1",
        "MSE 0.1, R2 0.98 x0+1",
        "x0+1 R2 0.98 MSE 0.1",
        "x0+1 (MSE 0.1) R2: 0.98",
    ],
)
def test_a_score_is_one_without_a_colon_too(line):
    (row,) = import_formulas(line).rows
    assert row.formula == "x0+1" and row.stored == {"r2": 0.98, "loss": 0.1}


def test_scores_beside_a_pasted_formula_are_kept():
    (first, second) = import_formulas("1. x+1  R2: 0.98, loss=1e-3\n2. x").rows
    assert first.stored == {"r2": 0.98, "loss": 1e-3} and not second.stored


@pytest.mark.parametrize(
    "line",
    [
        "add x0 3",
        "+ x 2",
        "- x",
        "-x",
        "x - 1",
        "2. * x",
        "x0*t0|theta=2;3",
        "|x| + 1",
        "2*|x|",
        "1.5",
        "a*b - 3",
        "x % 2",
        "sqrt(x) / 2",
        r"\frac{1}{2}",
        "(+ x 1)",
        "x[:, 0] + 1",
    ],
)
def test_nothing_is_taken_off_a_formula_that_stands_alone(line):
    assert formulas(line) == [line]


def test_numbers_that_do_not_count_up_are_no_numbering():
    assert formulas("2. + x\n1. + x") == ["2. + x", "1. + x"]


@given(
    st.lists(
        st.sampled_from(
            ["x+1", "sin(x0)", "-x", "x0*x1 - 2", "exp(-x**2/2)", "add(X0, X1)", "2.5*x", "lg(x"]
        ),
        min_size=2,
    )
)
def test_every_line_of_a_list_comes_back(lines):
    text = "\n".join(lines)
    numbered = "\n".join(f"{i}. {line}" for i, line in enumerate(lines, start=1))
    assert formulas(text, format="list") == lines
    assert formulas(numbered, format="list") == lines


@given(st.text())
def test_no_text_breaks_importing(text):
    try:
        got = import_formulas(text)
    except DataError as error:
        assert error.message
    else:
        assert [row.row for row in got.rows] == list(range(1, len(got.rows) + 1))
        assert got.format in FORMATS and got.reason
        assert all(row.formula or row.error for row in got.rows)


# --- limits and choices ---


def test_hostile_sizes_are_refused_with_a_way_out(monkeypatch):
    bomb = gzip.compress(b"x\n" * (listed.MAX_BYTES // 2 + 10))
    refusal(bomb, match="larger than 20 MB: split it")
    refusal(b"x\n" * (listed.MAX_BYTES // 2 + 10), match="larger than 20 MB")
    many = "x\n" * (listed.MAX_ROWS + 1)
    for text in (many, "problem,formula\n" + "p,x\n" * (listed.MAX_ROWS + 1)):
        refusal(text, match="more than 200,000 formulas")


@pytest.mark.parametrize("data", [b"", b" \n\n", b"\0\1\2", b"\x1f\x8bnonsense", "formula,n\n"])
def test_what_is_no_list_is_refused(data):
    refusal(data)


def test_a_gzip_that_is_cut_short_is_refused():
    refusal(gzip.compress(HALL.encode())[:-12], match="cut short")


def test_other_encodings_are_read():
    assert formulas("x+1\nsin(x)".encode("utf-16")) == ["x+1", "sin(x)"]
    assert formulas("# größer\nx+1".encode("latin-1")) == ["x+1"]


def test_the_format_can_be_overridden_and_says_when_it_does_not_fit():
    assert import_formulas(HALL, format="table").reason != import_formulas(HALL).reason
    assert import_formulas(HALL, format="list").format == "list"
    refusal("x+1", format="pysr", match="this is no PySR hall of fame")
    refusal("x+1", format="nonsense", match="no format `nonsense`")


def test_every_format_has_a_label():
    assert all(FORMATS.values())


@pytest.mark.outside
def test_the_samples_that_tools_print_are_all_formulas(shared):
    got = import_formulas((shared / "data" / "pools" / "sr_fronts_1d2d.csv.gz").read_bytes())
    assert got.format == "pool" and len(got.rows) == 5797
    assert not any(row.error for row in got.rows)


def test_a_source_is_a_table_only_below_a_header():
    assert sheet_of(source_of("max(x0, x1)\nmin(x0, x1)")) is None
    assert sheet_of(source_of("1,2\n3,4")) is None
    assert sheet_of(source_of("a,b\n1,2")) is not None


def test_a_column_of_short_names_is_no_column_of_formulas():
    table = "tool,form\n" + "".join(f"{tool},2x + {n}y\n" for n, tool in enumerate(("GP", "KT")))
    imported = import_formulas(table)
    assert [row.formula for row in imported.rows] == ["2x + 0y", "2x + 1y"]
