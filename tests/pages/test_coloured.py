"""The formula on the colours of its tree, as a document of LaTeX."""

from __future__ import annotations

import re

import pytest

from eic_core.drawing.scale import colour
from eic_core.formula.rendering import to_latex
from pages.ui.figures.coloured_tex import MAX_BOXES, MAX_SOURCE, coloured_tex
from tests.inspections import deep, inspect_ranges


def balanced(latex):
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            return False
    return depth == 0 and latex.count(r"\left") == latex.count(r"\right")


def body(inspection, selected=None):
    text = coloured_tex(inspection, selected=selected)
    return re.search(r"\$\\displaystyle (.*)\$\n\\end", text, re.DOTALL)[1]


def code(value):
    return colour(value)[1:].upper()


def test_a_hot_node_gets_the_trees_colour_and_its_cool_operands_theirs():
    inspection = inspect_ranges("10000*x-9999*x", count=100)
    latex = body(inspection)
    assert latex.startswith(rf"\colorbox[HTML]{{{code(inspection.eic)}}}")
    assert latex.count(r"\colorbox") == 3 == latex.count(r"\textcolor")
    assert code(inspection.nodes[2].local_eic) in latex
    assert body(inspect_ranges("x+1", count=100)) == r"x + 1", "a cool formula is left plain"
    selected = body(inspection, selected=6)
    assert selected.startswith(r"\underbrace") and r"\text{local EIC }4.39" in selected


def test_an_infinite_node_is_framed_and_not_coloured():
    latex = body(inspect_ranges("(x-x)+y", count=100), selected=2)
    assert r"\fcolorbox" in latex and r"\infty" in latex


def test_nothing_valid_gives_the_plain_formula():
    inspection = inspect_ranges("log(-x)+1", count=100)
    assert body(inspection) == to_latex(inspection.formula)
    assert "undefined" in body(inspection, selected=0)


def test_exponents_stay_small():
    assert r"\scriptstyle" in body(inspect_ranges("x**(100000*y-99999*y)", count=100))


@pytest.mark.parametrize("terms", [12, 60, 400])
def test_large_formulas_are_shortened_with_the_worst_step_in_them(terms):
    text = "x-1.000001" + "".join(f"+sin({i}*x*y)" for i in range(1, terms))
    inspection = inspect_ranges(text, count=100)
    for selected in (None, 0, len(inspection.nodes) - 1):
        latex = body(inspection, selected=selected)
        assert len(latex) <= MAX_SOURCE and balanced(latex)
        assert latex.count(r"\colorbox") <= MAX_BOXES
    assert ("cdots" in latex) == (terms > 20)


def test_ten_thousand_nodes_are_no_trouble():
    assert len(body(deep())) < 3_000


def test_the_document_is_whole_and_speaks_xcolor():
    tex = coloured_tex(inspect_ranges("10000*x-9999*x", count=100))
    assert tex.startswith(r"\documentclass") and tex.rstrip().endswith(r"\end{document}")
    assert r"\usepackage{xcolor}" in tex
    assert re.search(r"\\colorbox\[HTML\]\{[0-9A-F]{6}\}", tex)
    assert "#" not in tex and tex.count("$") % 2 == 0
    assert balanced(tex)
