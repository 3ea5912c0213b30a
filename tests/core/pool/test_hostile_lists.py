"""Whatever the cells of a list hold, importing it ends in rows or in a `UserError`.

Each cell stands in each form that a list is written in.  What is imported is read, counted and
scored, too, as Compare's page does; a row that cannot be used has its reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.errors import DataError, UserError
from eic_core.formula.syntax.mathml_elements import unescaped
from eic_core.measure.table import match_variables, read_table
from eic_core.pool.importers import import_formulas
from eic_core.pool.importers.sheets import MAX_COLUMNS
from eic_core.pool.list_variables import ListedVariables, counted_from_zero
from eic_core.pool.listing import RangeData, accuracy_keys, front_of, score_listing, stored_scores
from eic_core.samples import Domain
from tests.core.growth import WORST, growth
from tests.core.pool.refusals import refusal

NINES = "9" * 5_000
"""More digits than Python turns into a whole number."""

CELLS = [
    *("[sqrt {]", "[sqrt {0.x}]", "[sqrt {}]", "[log {0.__class__}]", "{}", "{x}", "%s", "%(a)s"),
    *("1e9999999%", f"1e{'9' * 30}%", "-1e9999999%", f"0e{'9' * 30}%", f"1e-{'9' * 30}%", "inf%"),
    *("nan%", "1,5e999999%", "1_0%", "1e400", "1e-400", "0x1p99999", "1e5000", "1/0", "0**-1"),
    *(
        NINES,
        f"{NINES}%",
        f"x{NINES}",
        f"x_{{{NINES}}}",
        f"x[{NINES}]",
        f"x**{NINES}",
        f"1e{NINES}",
    ),
    *(f"log{NINES}(x)", f"{NINES}. x", f"theta={NINES}", f"&#{NINES};", "&#xD800;", "&#0;", "&"),
    *(
        "x\0",
        "\0",
        "\ud800",
        "\\ud800",
        "\x1b[2J",
        "x\u2028y",
        "x\x85y",
        "x\ry",
        "\t",
        "|",
        "²",
        "١٢",
    ),
    *("[" * 3_000, "(" * 3_000 + "x" + ")" * 3_000, "-" * 3_000 + "x", "x" * 3_000, "a.b" * 1_000),
    *("=1+1", "'-x", "x|theta=1", "<td>", "</table>", "\\hline", "\\\\", '"', "'", "x0 + x1", ""),
]


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


FORMS: dict[str, Callable[[str], str]] = {
    "PhySO": lambda c: (
        "complexity,reward,expression,expression_prefix,c1\n"
        f"1,0.5,x*c1,{quoted(c)},{quoted(c)}\n2,0.5,x*c1,[mul x c1],{quoted(c)}"
    ),
    "PySR": lambda c: f"Complexity,Loss,Equation\n{quoted(c)},{quoted(c)},x0\n1,1,{quoted(c)}",
    "PySR's print": lambda c: (
        f"Complexity  Loss  Score  Equation\n{c}  1.0  0.0  x\nfoo\n{c} {c} 1.0 x+1\n2 1 1 {c}"
    ),
    "TuringBot": lambda c: f"Size Error Function\n{c} {c} x+1\n2 3 {c}",
    "AI Feynman": lambda c: f"{c} 1 {c} 4 x+1\n1 2 3 4 {c}",
    "eggp": lambda c: "id,expression,theta,fitness,numpy,math\n" + ",".join([quoted(c)] * 6),
    "tinyGP": lambda c: f"dataset,formula,extra\np,x*t0,theta={c}",
    "pool": lambda c: (
        "formula,exponents,syntax,method,problem,extra,complexity,r2,eic,eic_finite,invalid,"
        f"singular\nx+1{f',{quoted(c)}' * 11}\n{quoted(c)}"
    ),
    "CSV": lambda c: f"formula,r2,{quoted(c)},{quoted(c)}\nx+1,{quoted(c)},1,2\n{quoted(c)},0.5",
    "pandas": lambda c: f"   loss  equation\n0  2.5  x0\n1  {c}  {c}",
    "pandas, no spaces": lambda c: f"complexity equation\n0 {c} x0\n{c} 3 x0 + 1.0",
    "Markdown": lambda c: f"| formula | r2 |\n|---|---|\n| x+1 | {c} |\n| {c} | 0.5 |",
    "HTML": lambda c: (
        f"<table><tr><th>formula</th><th>r2</th></tr><tr><td>{c}</td><td>{c}</td></tr>"
        "<tr><td>x+1</td></tr></table>"
    ),
    "LaTeX": lambda c: (
        f"\\begin{{tabular}}{{cc}}\nformula & r2 \\\\\nx+1 & {c} \\\\ {c} & 1\\\\\\end{{tabular}}"
    ),
    "JSON": lambda c: json.dumps(
        [{"formula": "x+1", "r2": c}, {"formula": c}, {c or "a": c, "formula": "x"}]
    ),
    "JSON's numbers": lambda c: f'[{{"formula": "x+1", "r2": {c}, "complexity": {c}}}]',
    "SRBench": lambda c: json.dumps({"symbolic_model": c, "r2_test": c, "algorithm": c}),
    "Python": lambda c: f"[{{'model': {c!r}, 'mdl': {c}, 'mse': np.float64({c})}}]",
    "notebook": lambda c: json.dumps({"cells": [{"outputs": [{"text": ["x+1\n", c]}]}]}),
    "gplearn": lambda c: f"sub({c}, X1)\ndiv(X0,{c})",
    "DEAP": lambda c: f"add({c}, ARG1)\nadd(ARG0,{c})",
    "lines": lambda c: f"x+1  R2: {c}\nR2: {c}, x+1\n{c}\n{c}. x\n- {c}\nx+1\t{c}",
}


def compared(text: str | bytes) -> None:
    """What Compare's page does with a list."""
    try:
        got = import_formulas(text)
        for row in got.rows:
            for each in (row.formula, row.method, row.problem, row.syntax, row.error):
                each.encode()  # what no text can hold no page can show
        "".join([*got.columns, *got.notes, got.reason]).encode()
        names = ListedVariables.of(got.rows)
        accuracy_keys(stored_scores(got.rows))
        data = RangeData({}, default=Domain("uniform", 1.0, 2.0), count=3, names=names)
        scores = score_listing(got.rows, data)
        front_of(scores, next(iter(accuracy_keys(scores).values()), None))
        assert all(s.score.complexity is not None or s.score.error for s in scores)
        if names.mixed:
            list(map(counted_from_zero, got.rows))
    except UserError as error:
        str(error).encode()


@pytest.mark.parametrize("form", FORMS)
def test_a_hostile_cell_ends_in_rows_or_in_a_sentence(form: str) -> None:
    for cell in CELLS:
        compared(FORMS[form](cell))


@given(
    st.sampled_from(sorted(FORMS)),
    st.lists(st.one_of(st.sampled_from(CELLS), st.text(max_size=8)), min_size=1, max_size=4),
)
def test_hostile_cells_beside_one_another_end_in_rows_or_in_a_sentence(
    form: str, cells: list[str]
) -> None:
    compared(FORMS[form](" ".join(cells)))


@given(st.binary(max_size=60), st.sampled_from(sorted(FORMS)))
def test_any_bytes_end_in_rows_or_in_a_sentence(data: bytes, form: str) -> None:
    compared(data)
    compared(FORMS[form]("CELL").encode("utf-8", "replace").replace(b"CELL", data))


def test_words_of_a_file_are_no_format_strings() -> None:
    head = "complexity,reward,expression,expression_prefix\n"
    for words in ("{", "{0.__class__}", "{}", "{x}"):
        (row,) = import_formulas(f'{head}1,0.5,x,"[sqrt {words}]"').rows
        # braces stand where a variable stands: the reader refuses them, with their place
        assert row.formula == f"sqrt(abs({words}))"


@pytest.mark.parametrize("cell", ["1e9999999%", f"1e{'9' * 30}%", "inf%"])
def test_a_share_beyond_doubles_is_no_number_and_is_named(cell: str) -> None:
    got = import_formulas(f"formula,r2\nx+1,{cell}\nx+2,97.3%")
    assert [row.stored for row in got.rows] == [{}, {"r2": 0.973}]
    assert f"No number, and left out: `{cell}` in row 1, column `r2`." in got.notes


def test_a_complexity_of_five_thousand_nines_is_a_number_that_no_score_takes() -> None:
    text = f"Complexity  Loss  Equation\n{NINES}  1.0  x\nfoo\n{NINES}  0.5  x+1\n"
    got = import_formulas(text)
    assert [row.formula for row in got.rows] == ["x"]  # a complexity that does not rise is none
    assert stored_scores(got.rows)[0].score.error


def test_an_index_of_five_thousand_digits_is_a_name() -> None:
    rows = import_formulas(f"x0 + 1\nx{NINES} + 2\n").rows
    assert ListedVariables.of(rows).names == ("x0", f"x{NINES}")
    assert match_variables([f"x{NINES}"], ["a", "b"]).missing == (f"x{NINES}",)
    assert read_table(f"x{NINES},x0\n1,2\n").names[1] == "x0"


def test_a_character_by_five_thousand_digits_is_none() -> None:
    (row,) = import_formulas(
        f"<table><tr><th>formula<td>r2</tr><tr><td>x&#{NINES};+1<td>1</tr></table>"
    ).rows
    assert row.formula == "x\ufffd+1"
    assert unescaped("&#955;") == "λ"


def test_half_a_character_in_json_is_replaced() -> None:
    (row,) = import_formulas('[{"formula": "x+1", "method": "\\ud800 \\ud83d\\ude00"}]').rows
    assert row.method == "? 😀"


def test_a_nul_anywhere_is_named_by_its_line() -> None:
    refusal(
        "x + 1\n" * 2_000 + "x\0\n", match=r"line 2,001 holds a character that is no text \(NUL\)"
    )


def other_keys(objects: int) -> str:
    return json.dumps([{"formula": "x+1", f"k{i}": 1} for i in range(objects)])


@pytest.mark.parametrize(
    "text",
    [
        other_keys(4_000),
        "formula," + ",".join(f"a{i}" for i in range(5_000)) + "\nx+1\n",
        f"<table><tr><th>formula{'<th>a' * 5_000}</tr><tr><td>x+1</tr></table>",
        f"| formula {'| a ' * 5_000}|\n|{'---|' * 5_001}\n| x+1 |\n",
        f"\\begin{{tabular}}{{c}}formula {'& a' * 5_000}\\\\x+1\\\\\\end{{tabular}}",
    ],
)
def test_more_columns_than_a_list_has_are_refused(text: str) -> None:
    refusal(text, match=f"the list has more than {MAX_COLUMNS} columns")


def test_objects_with_other_keys_are_refused_or_read_in_linear_work() -> None:
    def text_of(size: int) -> str:
        return other_keys(size // 8)

    def imported(text: str) -> object:
        try:
            return import_formulas(text)
        except DataError:
            return None

    assert growth(imported, text_of, 400) <= WORST
    assert growth(imported, text_of, 4_000) <= WORST


def test_equal_headers_are_told_apart_in_linear_work() -> None:
    def text_of(size: int) -> str:
        return ",".join(["a"] * size) + "\n" + ",".join(["1"] * size)

    assert read_table("a,a (2),a,a\n1,2,3,4").names == ("a", "a (2)", "a (3)", "a (4)")
    assert growth(read_table, text_of, 100) <= WORST
