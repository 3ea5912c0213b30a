"""Files as search tools write them (`samples/README.md`): each row is accounted for, and R² is the
tool's own.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from eic_core.measure.table import Table, read_table
from eic_core.pool.importers import ALIASES, ColumnChoice, Imported, Listed, import_formulas
from eic_core.pool.listing import TableData, score_listing
from tests.core.pool.refusals import refusal

SAMPLES = Path(__file__).parent / "samples"
OWN_SCORES = json.loads((SAMPLES / "scores.json").read_text())
VALUES = np.loadtxt(SAMPLES / "law.csv", delimiter=",", skiprows=1)
PYSR = ["1.7638", "x0 * 1.3012", "(x0 * 1.45508) + -0.30516", "(x0 * 1.4514) - (x1 * 0.31463)"]


def sample(name: str, text: str | None = None) -> Imported:
    data = (SAMPLES / name).read_bytes() if text is None else text
    return import_formulas(data, name=name)


@pytest.fixture(scope="module")
def law() -> Table:
    return read_table((SAMPLES / "law.csv").read_bytes(), source="law.csv")


def r_squared(rows: Sequence[Listed], law: Table) -> list[float]:
    scores = score_listing(rows, TableData(law, "y"))
    assert [s.score.error for s in scores] == [row.error for row in rows]
    return [s.score.r2 for s in scores]


@pytest.mark.parametrize(
    ("name", "format", "syntax", "count"),
    [
        ("gplearn.txt", "gplearn", "gplearn", 1),
        ("gplearn_programs.txt", "gplearn", "gplearn", 12),
        ("operon_front.txt", "operon", "operon", 5),
        ("operon_front.csv", "operon", "operon", 5),
        ("operon_front.json", "operon", "operon", 5),
        ("operon_cli.json", "operon", "operon", 5),
        ("eggp.csv", "eggp", "srtree", 7),
        ("reggression.csv", "eggp", "srtree", 8),
        ("deap.txt", "deap", "deap", 8),
        ("SR_curves_pareto.csv", "physo", "infix", 3),
        ("hall_of_fame.csv", "pysr", "pysr", 7),
        ("equations.csv", "pysr", "pysr", 7),
        ("latex_table.tex", "pysr", "latex", 7),
        ("notebook.ipynb", "pysr", "pysr", 7),
        ("solution_law.txt", "aifeynman", "sympy_x0", 4),
        ("turingbot.txt", "turingbot", "turingbot", 4),
        ("srbench_run.json", "srbench", "operon", 1),
    ],
)
def test_every_row_of_a_tools_file_is_read_as_its_tool_means_it(name, format, syntax, count):
    got = sample(name)
    assert got.format == format and [row.row for row in got.rows] == list(range(1, count + 1))
    assert {row.syntax for row in got.rows} == {syntax}
    assert all(row.formula and row.method for row in got.rows)
    cut = [row.row for row in got.rows if row.error]
    assert cut == ([7] if name == "notebook.ipynb" else [])


@pytest.mark.parametrize("name", OWN_SCORES)
def test_r2_is_the_tools_own(name, law):
    digits = 1e-6 if "operon" in name else 1e-12  # of the constants as they are printed
    assert r_squared(sample(name).rows, law) == pytest.approx(OWN_SCORES[name], abs=digits)


@pytest.mark.parametrize(
    ("name", "digits"),
    [("eggp.csv", 1e-12), ("operon_cli.json", 1e-6), ("srbench_run.json", 1e-6)],
)
def test_r2_is_the_one_of_the_file(name, digits, law):
    rows = sample(name).rows
    stored = [row.stored["r2_train"] for row in rows]
    assert r_squared(rows, law) == pytest.approx(stored, abs=digits)


@pytest.mark.parametrize(
    ("name", "power", "digits"),
    [
        ("hall_of_fame.csv", 1, 1e-12),
        ("equations.csv", 1, 1e-12),
        ("notebook.ipynb", 1, 1e-6),
        ("latex_table.tex", 1, 2e-3),
        ("operon_front.csv", 1, 1e-6),
        ("SR_curves_pareto.csv", 2, 1e-12),
        ("turingbot.txt", 2, 1e-5),
    ],
)
def test_r2_is_what_the_loss_of_the_file_comes_to(name, power, digits, law):
    rows = [row for row in sample(name).rows if not row.error]
    variance = float(np.var(VALUES[:, 2]))
    stored = [1 - row.stored["loss"] ** power / variance for row in rows]
    assert r_squared(rows, law) == pytest.approx(stored, abs=digits)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("add(X0, X1)\nX0\nsqrt(X1)\n0.25", "gplearn"),
        ("div(mass, T_e)\nmul(-0.5, sqrt(kb))\nmass", "gplearn"),
        ("sqrt(X1)*2\nsin(X2)", "list"),
        ("add(X0, X1) - sqrt(X0)\nsqrt(X1)", "list"),
        ("sqrt(a)\nlog(b)", "list"),
        ("X0\nX1", "list"),
        ("add(ARG0, 1.0)\nARG1\ndiv(ARG0, ARG1)", "deap"),
        ("div(x0, 2)\nprotectedDiv(x1, x0)\nx0", "deap"),
        ("complexity,loss,equation\n1,0.5,div(X0, X1)", "pysr"),
    ],
)
def test_calls_alone_are_of_gplearn_or_deap_and_bare_variables_among_them_too(text, format):
    assert sample("", text).format == format


@pytest.mark.parametrize(
    "text",
    [
        "['add(X0, X1)', 'sqrt(X0)', 'X1']",
        'program,fitness\n"div(mass, kb)",0.1\nmass,0.2\n',
        '[{"formula": "log(X0)"}, {"formula": "mul(X0, 2)"}]',
    ],
)
def test_a_table_whose_cells_are_calls_of_gplearn_is_of_gplearn(text):
    got = sample("", text)
    assert {(row.syntax, row.method) for row in got.rows} == {("gplearn", "gplearn")}
    assert got.notes == ("Every formula is a call, as gplearn prints.",)


def test_a_line_between_the_rows_of_a_printed_table_does_not_end_it():
    text = (
        "Complexity  Loss       Score     Equation\n1  2.5e+00  0.0  y = x0\n[ Info: saved\n"
        "3  1.0e-01  1.5  y = x0 * x1\n------\n1 2.0 seconds\n"
    )
    got = sample("", text)
    assert [row.formula for row in got.rows] == ["x0", "x0 * x1"]
    assert got.notes == ("What stands between the rows is left out: `[ Info: saved`.",)


def test_the_arguments_of_deap_are_the_columns_in_their_order():
    table = read_table(b"mass,kb,y\n1,2,5\n2,3,8\n4,1,6\n", source="t.csv")
    rows = sample("", "add(ARG0, mul(ARG1, 2))\nprotectedDiv(ARG1, ARG1)\nARG1").rows
    scores = score_listing(rows, TableData(table, "y"))
    assert [s.score.error for s in scores] == ["", "", ""] and scores[0].score.r2 == 1
    assert dict(scores[2].columns) == {"x1": "kb"}


def test_formats_keep_their_former_names():
    text = "Complexity  Loss  Score  Equation\n1  2.5e+00  0.0  y = x0\n"
    assert import_formulas(text, format="pysr_print").format == "pysr"
    front = (SAMPLES / "operon_front.txt").read_bytes()
    assert import_formulas(front, format="operon_print").format == "operon"
    assert set(ALIASES.values()) == {"pysr", "operon", "srbench"}


def test_a_variable_named_as_a_column_of_the_front_is_no_parameter():
    head = "complexity,length,reward,rmse,r2,expression,expression_prefix,c1"
    (row,) = sample("", f"{head}\n4,3,.6,.9,.6,(c1*length),[mul c1 length],2\n").rows
    assert row.parameters == {"c1": "2"}


def test_constants_in_columns_of_their_own_are_parameters():
    rows = sample("SR_curves_pareto.csv").rows
    assert [dict(row.parameters) for row in rows] == [
        {"c2": "-1.3012379690582792"},
        {"c1": "1.4550807804981454", "c2": "-0.3051615888985445"},
        {},
    ]
    head, *_ = (SAMPLES / "SR_curves_pareto.csv").read_text().splitlines()
    (row,) = sample("", f"{head}\n4,4,.6,.9,.6,(c1*x0),[mul c1 x0],,2\n").rows
    assert row.parameters == {"c1": "1"}, "as PhySO reads it"


def test_roots_of_physo_are_those_of_the_magnitude():
    got = sample("SR_curves_pareto.csv")
    assert got.rows[2].formula == "sqrt(abs(((x1 - x0) * ((-x0)) ** 2)))"
    assert (
        got.notes[0] == "PhySO takes roots and logarithms of the magnitude; so written: 1 formula."
    )


def test_values_of_theta_are_parameters():
    got = sample("", 'id,Expression,Numpy,theta,size,loss\n0,t0 * x0 + t1,"t[0]",1.5;2,5,0.1\n')
    (row,) = got.rows
    assert row.parameters == {"t0": "1.5", "t1": "2"} and row.stored["complexity"] == 5


def test_an_open_parameter_is_the_reason_of_its_row(law):
    scores = score_listing(sample("reggression.csv").rows, TableData(law, "y"))
    assert all("`t0`" in scored.score.error for scored in scores)


@pytest.mark.parametrize("name", ["hall_of_fame.csv", "equations.csv", "notebook.ipynb"])
def test_forms_of_pysrs_table_hold_the_same_equations(name):
    rows = sample(name).rows
    assert [row.formula for row in rows[:4]] == PYSR
    assert [row.stored["complexity"] for row in rows] == [1, 3, 5, 7, 8, 8, 14]


def test_a_backup_is_read_as_its_original():
    data = (SAMPLES / "hall_of_fame.csv").read_bytes()
    for name in ("hall_of_fame.csv.bak", "hall_of_fame_2026-01-01_120000.000.csv.bkup"):
        assert import_formulas(data, name=name).rows == sample("hall_of_fame.csv").rows


def test_the_column_that_a_format_names_is_taken_and_the_others_are_named():
    got = sample("equations.csv")
    assert got.column == "equation" and got.notes == (
        "The formulas are those of column `equation`; `sympy_format` and `lambda_format` may hold "
        "formulas, too.",
    )
    other = import_formulas((SAMPLES / "equations.csv").read_bytes(), column="sympy_format")
    assert other.rows[1].formula == "1.3012*x0" and other.rows[1].syntax == ""


def test_columns_of_formulas_that_no_format_names_are_asked_for():
    text = "formula,simplified,r2\nx0 + x0,2*x0,0.5\nx0 * x0,x0**2,0.9\n"
    with pytest.raises(ColumnChoice) as refused:
        import_formulas(text)
    assert refused.value.columns == ("formula", "simplified")
    assert "--column" in str(refused.value)
    got = import_formulas(text, column="simplified")
    assert [row.formula for row in got.rows] == ["2*x0", "x0**2"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"\x80\x04\x95\x1f\x00", "checkpoint"),
        (b"\x80\x02}q\x00", ""),
        (b"anything", "SR_curves_pareto.pkl"),
        (b"anything", "checkpoint.pickle"),
    ],
)
def test_a_pickle_is_refused_without_loading_it(data, name):
    refusal(data, name=name, match=r"never loaded.*model\.equations_\.to_csv\(\"equations")


LATEX = r"""\begin{tabular}{|l|c|c|}
\hline
\textbf{Equation} & Complexity & Loss \\ \hline
$y = 1.50 x_{0}$ & 3 & $2.50 \times 10^{-2}$ \\ \hline
$y = \frac{x_{0}}{x_{1} + 2}$ & 5 & 0.01 \\
$x_{0}$ + 1 & 3 & 0.02 \\
\cline{1-2}
\end{tabular}"""


def test_tables_of_latex_are_read_with_their_rules():
    rows = import_formulas(LATEX).rows
    assert [row.formula for row in rows] == [
        "y = 1.50 x_{0}",
        r"y = \frac{x_{0}}{x_{1} + 2}",
        "$x_{0}$ + 1",
    ]
    assert [dict(row.stored) for row in rows] == [
        {"complexity": 3, "loss": 0.025},
        {"complexity": 5, "loss": 0.01},
        {"complexity": 3, "loss": 0.02},
    ]


def test_tables_of_several_outputs_are_several_problems():
    got = import_formulas(LATEX + "\n" + LATEX.replace("1.50", "2.50"))
    assert got.problems == ("output 1", "output 2") and len(got.rows) == 6


def test_runs_are_read_at_any_depth_of_json():
    for content in (
        json.loads((SAMPLES / "srbench_runs.json").read_text()),
        {
            "a": {"b": {"symbolic_model": "X1 + 1"}},
            "c": [{"symbolic_model": "X1"}, {"dataset": "d"}],
        },
    ):
        rows = import_formulas(json.dumps(content)).rows
        assert [row.row for row in rows] == [1, 2, 3]
        assert [bool(row.error) for row in rows] == [False, False, True]
    lines = "\n".join(json.dumps({"symbolic_model": f"x0 + {i}"}) for i in range(3))
    assert [row.formula for row in import_formulas(lines).rows] == ["x0 + 0", "x0 + 1", "x0 + 2"]
    refusal('{"r2": 0.5}', match="nothing in this JSON is named as a formula")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In [3]: print(best)\nOut[3]: x0 + 1\n", ["x0 + 1"]),
        ("Out[3]: \n   complexity  loss equation\n0           1   0.5   x0 + 1\n", ["x0 + 1"]),
        ("Out[12]: ['x0 + 1', 'sin(x0)']", ["x0 + 1", "sin(x0)"]),
    ],
)
def test_prompts_of_a_notebook_are_left_out(text, expected):
    assert [row.formula for row in import_formulas(text).rows] == expected


def notebook(*outputs: dict[str, object]) -> str:
    cells = [{"cell_type": "code", "source": [], "outputs": [each]} for each in outputs]
    return json.dumps({"cells": cells, "nbformat": 4})


def test_the_last_output_with_formulas_is_taken():
    first = {"output_type": "stream", "text": ["x0 + 1\n", "x0\n"]}
    table = {"output_type": "execute_result", "data": {"text/plain": "formula,r2\nx0,1\nx0*2,.5"}}
    assert [row.formula for row in import_formulas(notebook(first)).rows] == ["x0 + 1", "x0"]
    got = import_formulas(notebook(table, first, table))
    assert got.format == "table" and got.reason.endswith("in a notebook")
    assert got.notes[0] == "2 outputs hold formulas; the last is taken."
    refusal(
        notebook({"output_type": "stream", "text": "fitted in 3.1 s!\n"}),
        match="no output of the notebook holds formulas",
    )


def test_a_row_that_is_empty_counts_where_others_follow():
    got = import_formulas("formula,r2\nx0,1\n,\nx0*2,0.5\n,\n,\n")
    assert [(row.row, bool(row.error)) for row in got.rows] == [(1, False), (2, True), (3, False)]


def test_individuals_of_deap_are_recognised_by_their_arguments():
    got = import_formulas("add(ARG0, 1)\nprotectedDiv(ARG0, ARG1)\nARG0\n")
    assert got.format == "deap" and {row.syntax for row in got.rows} == {"deap"}


def test_solutions_of_aifeynman_hold_four_or_five_numbers():
    text = "1.5 100.0 33.5 2.8 (x0*1.3)\n0.5 50.0 67.25 1.5 sin(x0) + 2\n"
    rows = import_formulas(text).rows
    assert [row.formula for row in rows] == ["(x0*1.3)", "sin(x0) + 2"]
    assert rows[1].stored == {"complexity": 67.25, "loss": 1.5}
    before = import_formulas("33.5 2.8 x0\n67.2 1.5 sin(x0)", name="solution_before_snap_a.txt")
    assert before.format == "aifeynman" and before.rows[0].stored["complexity"] == 33.5


def test_turingbots_errors_on_test_data_are_scores_of_their_own():
    text = " Size Error Test_Error Function\n 1 1.5 1.6 0.5\n 4 0.25 0.375 x0 * cos(x1)\n 9 0.2\n"
    first, second, third = import_formulas(text).rows
    assert second.formula == "x0 * cos(x1)" and second.syntax == "turingbot"
    assert second.stored == {"complexity": 4, "loss": 0.25, "loss_test": 0.375}
    assert first.formula == "0.5" and third.error == "this row holds no formula"


def test_printed_python_is_read_without_evaluating_it():
    text = r"""[{'model': '(\'a\' + X1)', 'variables': {'X1', 'X2'}, 'tree': <Tree at 0x7f>,
    'mean_squared_error': np.float64(0.25), 'objective_values': [inf, -1.0]},
    {'model': "X1", 'mean_squared_error': nan, 'tree': None}]"""
    first, second = import_formulas(text).rows
    assert first.formula == "('a' + X1)" and first.stored == {"loss": 0.25}
    assert second.formula == "X1" and not second.stored


# --- the tools themselves, where they are installed ---


def test_what_gplearn_prints_is_measured_as_gplearn_computes(law):
    genetic = pytest.importorskip("gplearn.genetic")
    X, y = VALUES[:, :2], VALUES[:, 2]
    model = genetic.SymbolicRegressor(
        population_size=100,
        generations=3,
        function_set=("add", "sub", "mul", "div", "sqrt", "log", "inv"),
        random_state=0,
        verbose=1,
    )
    printed = io.StringIO()
    with redirect_stdout(printed):
        model.fit(X, y)
        for program in model._programs[-1]:
            print(program)
    got = import_formulas(printed.getvalue())
    assert got.format == "gplearn" and len(got.rows) == 100
    own = [1 - np.mean((p.execute(X) - y) ** 2) / np.var(y) for p in model._programs[-1]]
    found = r_squared(got.rows, law)
    whole = [i for i, program in enumerate(model._programs[-1]) if "." not in str(program)]
    assert [found[i] for i in whole] == pytest.approx([own[i] for i in whole], rel=1e-9)


def test_what_operon_gives_is_measured_as_operon_computes(law):
    operon = pytest.importorskip("pyoperon.sklearn")
    X, y = VALUES[:, :2], VALUES[:, 2]
    model = operon.SymbolicRegressor(
        allowed_symbols="add,sub,mul,aq,sqrt,abs,constant,variable",
        objectives=["r2", "length"],
        population_size=100,
        generations=5,
        max_length=12,
        random_state=0,
        n_threads=1,
    )
    model.fit(X, y)
    front = model.pareto_front_
    got = import_formulas(repr(front))
    assert got.format == "operon" and len(got.rows) == len(front)
    own = [1 - each["mean_squared_error"] / np.var(y) for each in front]
    assert r_squared(got.rows, law) == pytest.approx(own, abs=1e-4)
