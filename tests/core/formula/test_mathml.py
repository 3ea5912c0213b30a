"""MathML is well-formed, one element an operand, and says what the tree says."""

import re
import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from eic_core.formula.rendering import to_mathml
from eic_core.formula.syntax import read
from eic_core.formula.tree import Draft, Formula, constant, variable
from eic_core.operators import OPERATORS
from tests.core.formula.test_rendering import forms, formulas
from tests.effort import examples

M = "{http://www.w3.org/1998/Math/MathML}"
CHILDREN = {"msup": 2, "msub": 2, "mfrac": 2, "mroot": 2}
CORE = {
    "math",
    "mrow",
    "mi",
    "mn",
    "mo",
    "msup",
    "msub",
    "mfrac",
    "msqrt",
    "mroot",
    "mtable",
    "mtr",
    "mtd",
    "mtext",
}


def element(text):
    return ET.fromstring(to_mathml(read(text).formula))


def test_every_template_is_one_element():
    for row in OPERATORS.values():
        for form in forms(row):
            ET.fromstring(re.sub(r"<[0-9*p](:[0-9]+)?>", "<slot/>", form.mathml))


@settings(max_examples=examples(300), deadline=None)
@given(formulas)
def test_mathml_is_well_formed_and_each_script_has_its_two_parts(formula):
    root = ET.fromstring(to_mathml(formula))
    assert len(root) == 1
    for node in root.iter():
        tag = node.tag.removeprefix(M)
        assert tag in CORE
        if tag in CHILDREN:
            assert len(node) == CHILDREN[tag]
        if tag in ("mi", "mn", "mo"):
            assert node.text and len(node) == 0


@given(st.text(min_size=1))
def test_any_name_of_a_variable_is_safe(name):
    root = ET.fromstring(to_mathml(Formula.from_draft(variable(name))))
    assert {n.tag.removeprefix(M) for n in root.iter()} <= {"math", "mi", "mn", "msub"}


def test_brackets_stand_where_a_part_binds_less_tightly():
    assert "".join(element("(x+1)*y - (z-2)").itertext()) == "(x+1)·y−(z−2)"
    assert "".join(element("a*(-b)").itertext()) == "a·(−b)"
    assert "".join(element("(x**y)**2").itertext()) == "(xy)2"
    assert "".join(element("(-2)**x").itertext()) == "(−2)x"


def test_a_fraction_needs_no_brackets_but_its_power_does():
    assert "".join(element("(x+1)/(y-1)").itertext()) == "x+1y−1"
    assert "".join(element("(x/y)**2").itertext()) == "(xy)2"


def test_numbers_keep_their_signs_and_powers():
    number = Formula.from_draft(Draft("mul", [constant("-1.5e-7"), constant("1/3")]))
    assert "".join(ET.fromstring(to_mathml(number)).itertext()) == "−1.5×10−7·13"


def test_a_capital_gamma_before_brackets_is_the_gamma_function():
    text = "<math><mi>Γ</mi><mo>(</mo><mi>x</mi><mo>)</mo></math>"
    assert read(text).formula.structure() == read("gamma(x)").formula.structure()
