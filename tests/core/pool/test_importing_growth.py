"""No list makes an importer do quadratic work, whatever its lines hold (`tests.core.growth`)."""

import gzip
from functools import partial

import pytest

from eic_core.errors import DataError
from eic_core.pool.importers import FORMATS, import_formulas
from tests.core.growth import FACTOR, WORST, growth, shapes, slow
from tests.effort import cases

LENGTH = 1_250
UNITS = [c for c in map(chr, range(32, 127)) if not c.isalnum() or c in "x1"] + (
    '\t|\n|²|é|1 | r2=1| R2: 0.9,|  1|\t1| x...\n|x\n|x,|,,|(1)|1.|1\n| #a| # | // |""|[(|()'
    "|{\"a\":|[[|nan |1e|>>>> |0.5 1 |'model':|'model': '|\"model\": \"|'mse': 1, | theta="
    "|<table|<tr|<td>x|</|\\begin{tabular}|& x|\\\\|\\hline|{x}|Out[1]: |In [1]: |[{'a': "
).split("|")
AROUND = [
    ("", ""),
    ("x", "x"),
    ("x 1", "!"),
    ("x,y\n", "\nx,1"),
    ("1. x (R2", ": 3)"),
    ("r2=1 ", "!"),
    ("Complexity Loss Equation\n1 0.5 x", "\n"),
    ("PySRRegressor.equations_ = [\n1 0.5 ", " x"),
    ("Gen Length Fitness\n1 2 ", "!"),
    ("   loss  equation\n0   0.5", "\n"),
    ("| a |\n|--|\n", "|"),
    ("loss equation r2\n0 0.5 ", " 1"),
    ("- x\n- ", "\n"),
    ("r2\n0  x\nName: r2, dtype: ", "x"),
    ("[{'model': 'x', 'mean_squared_error': 1", "\n"),
    ("<table><tr><th>equation</th></tr>", "</table>"),
    ("\\begin{tabular}{cc}\nEquation & Loss \\\\\n", "\\end{tabular}"),
    ("Formulas generated:\nSize Error Function\n1 0.5 ", "\n"),
    ("1 2 3 4 5 ", " x"),
    ('{"cells": [{"outputs": [{"text": "', '"}]}]}'),
    ("complexity,reward,expression,expression_prefix,c1\n1,1,", ",[sqrt x],2"),
]


def imported(text, format="auto"):
    try:
        return import_formulas(text, format=format).rows
    except DataError as error:
        return str(error)


def test_a_run_of_one_token_is_imported_or_refused_in_linear_work():
    assert not slow(imported, shapes(UNITS, AROUND), LENGTH)


@pytest.mark.parametrize("format", FORMATS)
def test_a_line_that_alternates_is_imported_or_refused_in_linear_work(format):
    texts = ("x 1 ", "x\t1|", "a = 1 ", " (R2: 1)", "1 1 x", "[(1)]", "'x', ", "# ")
    turn = [*FORMATS].index(format) % cases(4, 1)  # a quick run takes some texts in each format
    some = [("", text, "") for text in texts[turn :: cases(4, 1)]]
    assert not slow(partial(imported, format=format), some, LENGTH)


def test_a_table_with_as_many_columns_as_rows_is_imported_in_linear_work():
    def text_of(size):  # as many columns as a list may have
        return ",".join(f"a{i}" for i in range(size)) + "\nx+1" * size

    assert growth(imported, text_of, 500 // FACTOR) <= WORST


def test_many_packed_members_are_unpacked_in_linear_work():
    empty, last = gzip.compress(b""), gzip.compress(b"x+1\n")
    assert growth(imported, lambda size: empty * size + last, 1_000) <= WORST


def test_a_row_shorter_than_its_header_has_empty_cells():
    got = import_formulas("dataset,formula,extra,loss\np,x+1\nq\nr,x*2,,0.5\n")
    assert [(r.problem, r.formula, bool(r.error)) for r in got.rows] == [
        ("p", "x+1", False),
        ("q", "", True),
        ("r", "x*2", False),
    ]


def test_a_first_line_of_one_huge_cell_is_no_table():
    assert "," in import_formulas("x" * 200_000 + ",y\n").rows[0].formula
