"""How numbers of a list are written: decimal commas, shares, thousands, and what is no number."""

from __future__ import annotations

import pytest

from eic_core.pool.importers import import_formulas

DECIMAL = "A comma is read as the decimal mark, as in `{}`."
THOUSANDS = "A comma is read as grouping thousands, as in `{}`."


@pytest.mark.parametrize(
    ("text", "stored", "notes"),
    [
        (
            "Complexity;Loss;Equation\n1;2,5;x0\n3;1.234,5;x0*x0\n",
            [{"complexity": 1, "loss": 2.5}, {"complexity": 3, "loss": 1234.5}],
            [DECIMAL.format("2,5")],
        ),
        (
            "Complexity;Loss;Equation\n1;2,50E+00;x0\n3;1,00E-01;x0*x0\n",
            [{"complexity": 1, "loss": 2.5}, {"complexity": 3, "loss": 0.1}],
            [DECIMAL.format("2,50E+00")],
        ),
        ("formula;r2\n2,5*x0;0,98\nx0;1\n", [{"r2": 0.98}, {"r2": 1}], [DECIMAL.format("0,98")]),
        (
            'formula,r2\n"2,5*x0","0,98"\nx0,"0,5"\n',
            [{"r2": 0.98}, {"r2": 0.5}],
            [DECIMAL.format("0,98")],
        ),
        (
            "formula\tr2\nx0+1\t0,98\nx0\t0,5\n",
            [{"r2": 0.98}, {"r2": 0.5}],
            [DECIMAL.format("0,98")],
        ),
        (
            "formula;loss\nx0+1;1,234\nx0;2,345\n",
            [{"loss": 1.234}, {"loss": 2.345}],
            [DECIMAL.format("1,234")],
        ),
        (
            'formula,loss\nx0+1,"1,234.5"\nx0,"2,345"\n',
            [{"loss": 1234.5}, {"loss": 2345}],
            [THOUSANDS.format("1,234.5")],
        ),
        (
            "formula,r2\nx0+1,98%\nx0,95.5 %\n",
            [{"r2": 0.98}, {"r2": 0.955}],
            ["`98%` is read as 0.98."],
        ),
        ("formula;r2\nx0+1;98,5%\nx0;n/a\n", [{"r2": 0.985}, {}], None),
        # either could be meant: told, and not guessed
        (
            'formula,loss\nx0+1,"1,234"\nx0,3\n',
            [{}, {"loss": 3}],
            [
                "`1,234` is not read: it may be a decimal or a thousand. Write decimals with a point.",  # noqa: E501
                "No number, and left out: `1,234` in row 1, column `loss`.",
            ],
        ),
        (
            "formula;loss;r2\nx0+1;2.5;0,98\nx0;1.5;0,5\n",
            [{"loss": 2.5}, {"loss": 1.5}],
            [
                "Numbers such as `0,98` are not read: others write a point. Write decimals one way.",  # noqa: E501
                "No number, and left out: `0,98` in row 1, column `r2` and `0,5` in row 2, column "
                "`r2`.",
            ],
        ),
        # what is no number is told with its row; what is missing is not
        (
            "formula,loss,note\nx0+1,high,a\nx0,,b\n2*x0,n/a,c\n3*x0,1e-3,d\n",
            [{}, {}, {}, {"loss": 1e-3}],
            ["No number, and left out: `high` in row 1, column `loss`."],
        ),
        (
            "x0+1  R2: 0,98\nx0  R2: 95%, loss: 0,1\n",
            [{"r2": 0.98}, {"r2": 0.95, "loss": 0.1}],
            None,
        ),
        ("formula,r2\nx0+1,0.9\nx0,0.8\n", [{"r2": 0.9}, {"r2": 0.8}], []),
    ],
)
def test_numbers_are_read_where_one_thing_can_be_meant_and_told(text, stored, notes):
    got = import_formulas(text)
    assert [dict(row.stored) for row in got.rows] == stored
    assert notes is None or list(got.notes) == notes


def test_many_cells_without_a_number_are_counted():
    rows = "".join(f"x0+{i},bad{i}\n" for i in range(1, 10))
    (note,) = import_formulas("formula,r2\n" + rows).notes
    assert "`bad5` in row 5, column `r2` and 4 more." in note


def test_a_formula_that_holds_the_mark_between_cells_keeps_its_scores():
    for formula in ("max(x0;2)", "max(1,5;x0)"):
        text = f"formula;r2;size\n{formula};0,5;3\nx0+1;0,9;3\n"
        first, second = import_formulas(text).rows
        assert first.formula == formula and first.stored == {"r2": 0.5, "complexity": 3}
        assert second.stored == {"r2": 0.9, "complexity": 3}
    refused = import_formulas("formula;r2\nlg(1,5;x0;0,5\nx0+1;0,9\n").rows[0]
    assert not refused.stored, "nothing tells where its numbers begin"


def test_columns_of_words_in_a_scored_file_are_no_numbers_that_are_missed():
    assert not import_formulas("formula,r2,front\nx0+1,0.9,yes\nx0,0.8,\n").notes
