"""The typeset formula, and the place of every node in it."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, variable
from eic_core.measure import Samples, inspect
from pages.ui.figures.typeset import WIDTH, formula_picture
from study.stimulus.typesetting import typeset_marked
from tests.core.formula.test_rendering import formulas
from tests.effort import examples
from tests.inspections import deep, inspect_ranges

FORMULAS = [
    "10000*x-9999*x",
    "(-b+sqrt(b**2-4*a*c))/(2*a)",
    "x_0**2+x_1**2.5+exp(-x_0**2/2)",
    "sin(x)*cos(y)**2/(1+exp(-(x+1)*(y+2)))+log(abs(x))+max(x,y,2)+x**(y+1)",
    "where(x>1,x**2,1.5e-7*y)",
    "floor(x)+tanh(x/y)**3+(1/x)/(1+1/(1+1/(1+y)))",
    "exp(-((theta-theta1)/sigma)**2/2)/(sqrt(2*pi)*sigma)",
    "cbrt(x)*theta_1-(x-(y-2))",
    "*".join(f"(x+{n}.25*y)**2" for n in range(9)),
]


def boxes_lie_in_one_another(formula, picture):
    for k, boxes in picture.boxes.items():
        for box in boxes:
            assert box.width > 0 and box.height > 0
            assert box.x >= -1 and box.x + box.width <= picture.width + 1
            assert box.y >= -1 and box.y + box.height <= picture.height + 1
        parent = formula.parents[k]
        while parent is not None and parent not in picture.boxes:
            parent = formula.parents[parent]
        if parent is not None:
            assert all(any(is_in(box, outer) for outer in picture.boxes[parent]) for box in boxes)


def is_in(box, outer, slack=0.03):
    return (
        outer.x - slack <= box.x
        and outer.y - slack <= box.y
        and box.x + box.width <= outer.x + outer.width + slack
        and box.y + box.height <= outer.y + outer.height + slack
    )


def marked(formula):
    return to_latex(formula, None, lambda node, latex: rf"\node{{{node.id}}}{{{latex}}}")


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("text", FORMULAS)
def test_every_node_has_a_place_inside_its_parents(text, narrow):
    inspection = inspect_ranges(text, count=100)
    picture = formula_picture(inspection, narrow=narrow)
    assert set(picture.boxes) == set(range(len(inspection.nodes)))
    assert all(picture.boxes.values())
    boxes_lie_in_one_another(inspection.formula, picture)


@settings(max_examples=examples(60), deadline=None)
@given(formulas)
def test_marks_move_no_letter_and_every_node_stands_in_its_parent(formula):
    drawing = typeset_marked(marked(formula), 540)
    assert drawing.svg == typeset_marked(to_latex(formula), 540).svg
    columns = {name: [1.0, 2.0] for name in formula.variables} or {"x": [1.0, 2.0]}
    picture = formula_picture(inspect(formula, Samples.from_columns(columns)))
    assert "<text" not in picture.svg
    assert list(picture.boxes) == sorted(range(len(formula)), reverse=True)
    assert all(picture.boxes.values())
    boxes_lie_in_one_another(formula, picture)


@pytest.mark.parametrize("text", FORMULAS)
def test_marks_move_no_letter_of_a_formula_in_lines(text):
    formula = read(text).formula
    assert typeset_marked(marked(formula), 330).svg == typeset_marked(to_latex(formula), 330).svg


def test_two_operands_stand_side_by_side_with_the_sign_between_them():
    picture = formula_picture(inspect_ranges("x-y", count=100))
    ((whole,), (right,), (left,)) = (picture.boxes[k] for k in (2, 1, 0))
    assert left.x + left.width + 10 < right.x
    assert whole.x == left.x and whole.x + whole.width == pytest.approx(right.x + right.width)


def test_a_long_formula_breaks_into_lines_and_its_root_has_a_box_in_each():
    text = "+".join(f"sin({n}.25*x*y)" for n in range(1, 13))
    inspection = inspect_ranges(text, count=100)
    wide, narrow = (formula_picture(inspection, narrow=narrow) for narrow in (False, True))
    root = len(inspection.nodes) - 1
    assert 1 < len(wide.boxes[root]) < len(narrow.boxes[root])
    assert wide.width <= WIDTH[False] and narrow.width <= WIDTH[True]
    tops = [box.y for box in narrow.boxes[root]]
    assert tops == sorted(tops) and all(
        len(boxes) <= 2 for k, boxes in narrow.boxes.items() if k < 9
    )


@pytest.mark.parametrize("terms", [60, 400])
def test_large_formulas_are_shortened_with_worst_step_and_selected_node_in_them(terms):
    text = "x-1.000001" + "".join(f"+sin({i}*x*y)" for i in range(1, terms))
    inspection = inspect_ranges(text, count=100)
    for selected in (None, 0, len(inspection.nodes) // 2):
        picture = formula_picture(inspection, selected=selected)
        wanted = {inspection.worst_step, selected} - {None}
        assert wanted <= set(picture.boxes) and len(picture.boxes) < 60
        assert all(picture.boxes.values())
        boxes_lie_in_one_another(inspection.formula, picture)


def test_ten_thousand_nodes_are_no_trouble():
    picture = formula_picture(deep())
    assert picture.height < 200 and len(picture.svg) < 20_000 and len(picture.mathml) < 5_000


@pytest.mark.parametrize(
    "name",
    ["</svg><script>", '"]#import"x"', "\\node{3}{x}", "$#panic()$", "a&b", "x\u0001y", "名前"],
)
def test_a_hostile_name_is_text_and_no_more(name):
    formula = Formula.from_draft(Draft("add", [variable(name), variable("x")]), "")
    samples = Samples.from_columns({name: [1.0, 2.0], "x": [1.0, 2.0]})
    picture = formula_picture(inspect(formula, samples))
    assert set(picture.boxes) == {0, 1, 2}
    for markup in (picture.svg, picture.mathml):
        tags = {node.tag.split("}")[-1] for node in ElementTree.fromstring(markup).iter()}
        assert "script" not in tags and "a" not in tags


def with_names(*names):
    draft = variable(names[0])
    for name in names[1:]:
        draft = Draft("add", [draft, variable(name)])
    return inspect(
        Formula.from_draft(draft), Samples.from_columns(dict.fromkeys(names, [1.0, 2.0]))
    )


@pytest.mark.parametrize(
    "inspection",
    [
        with_names("\U00012000", "x"),
        inspect_ranges("+".join(f"{n}.{'1' * 300}*x" for n in range(1, 28)), count=10),
        inspect_ranges("abs(" * 100 + "x" + ")" * 100, count=10),
    ],
    ids=["letters", "length", "depth"],
)
def test_what_cannot_be_typeset_is_plain_text_with_boxes(inspection):
    picture = formula_picture(inspection)
    root = ElementTree.fromstring(picture.svg)
    assert {node.tag.split("}")[-1] for node in root.iter()} == {"svg", "g", "text"}
    assert set(picture.boxes) == set(range(len(inspection.nodes)))
    boxes_lie_in_one_another(inspection.formula, picture)
    assert "".join(root.itertext()).startswith(to_python(inspection.formula)[:60])


def test_letters_have_the_colour_of_the_text_around_them():
    svg = formula_picture(inspect_ranges("sqrt(x)/y", count=100)).svg
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', svg)) == {"currentColor"}
    assert 'aria-hidden="true"' in svg


def test_pictures_on_one_page_share_names_for_the_same_outlines_alone():
    outlines: dict[str, str] = {}
    for text in FORMULAS:
        svg = formula_picture(inspect_ranges(text, count=100)).svg
        for name, outline in re.findall(r'<path id="(\w+)" d="([^"]*)"', svg):
            assert outlines.setdefault(name, outline) == outline
        assert set(re.findall(r'href="#(\w+)"', svg)) <= set(outlines)
