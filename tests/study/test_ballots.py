"""What raters see: fair to both formulas, and blind."""

from __future__ import annotations

import dataclasses
import json
import re
from html import escape

import numpy as np
import pytest

from eic_core.formula.rendering import name_latex, to_latex
from eic_core.formula.syntax import read
from eic_core.measure.fit import r_squared
from study.ballots import (
    R2_TOLERANCE,
    BallotContent,
    evaluate,
    formulas_of_ballot,
    make_content,
    plain_texts,
    problem_samples,
    proposed_columns,
    read_member,
    round_pair,
    special_material,
)
from study.design import AttentionKind, StudyDesign
from study.errors import StudyError
from study.material import Column, Member, NewPair, Problem
from study.organising import special_content
from study.stimulus.form import short_constant
from study.stimulus.typesetting import typeset
from tests.rehearsal import SECRET_METHOD, pair, problem

X = np.linspace(1, 30, 30)
STEEP = Problem("steep", "time,size\n" + "\n".join(f"{x},{12.345 * x}" for x in X))


def _member(text: str, **more: object) -> Member:
    return Member(text, eic=0.0, r2=1.0, complexity=1, **more)  # type: ignore[arg-type]


def test_both_members_show_the_fewest_digits_that_keep_both_fits() -> None:
    samples = problem_samples(STEEP)
    plain = read_member(_member("12.345000*x0"), ("time",))
    cancelling = read_member(_member("123456.789*x0 - 123444.444*x0"), ("time",))
    digits, (_, shown), r2, change = round_pair(plain, cancelling, samples)
    assert digits == 7 and change <= R2_TOLERANCE and min(r2) > 0.999
    assert [n.label for n in shown.nodes if n.operator == "constant"] == ["123456.8", "123444.4"]
    for fewer in range(4, digits):
        one, other = (short_constant(c, fewer) for c in ("123456.789", "123444.444"))
        rounded = read(f"{one}*time - {other}*time").formula
        assert samples.target is not None
        assert abs(r_squared(evaluate(rounded, samples.columns), samples.target) - 1) > 0.001


def _content(lower: str, higher: str, of: Problem = STEEP) -> BallotContent:
    return make_content(of, NewPair(of.name, _member(lower), _member(higher)))


def test_four_digits_are_shown_where_they_do() -> None:
    content = _content("12.34567*x0", "x0*12.3")
    assert content.digits == 4
    assert "12.35" in content.lower.latex and "12.3" in content.higher.latex


@pytest.mark.parametrize(
    ("label", "digits", "shown"),
    [
        ("0.00001234567", 4, "1.235e-5"),
        ("1234567", 4, "1235000"),
        ("12345678", 4, "1.235e7"),
        ("-0.5000000", 4, "-0.5"),
        ("9.99996", 4, "10"),
        ("0.0", 4, "0"),
        ("-0.00", 4, "0"),
        ("pi", 4, "pi"),
        ("e", 4, "e"),
        ("2/3", 4, "2/3"),
        ("1e-300", 4, "1e-300"),
    ],
)
def test_constants_are_written_in_one_style(label: str, digits: int, shown: str) -> None:
    assert short_constant(label, digits) == shown


def test_exact_exponents_and_the_tree_stay_as_written() -> None:
    content = _content("x0**2.5 - x0**2.5 + 12*x0", "12*x0")
    assert r"^{5/2}" in content.lower.latex and content.lower.complexity == 9


def test_variables_carry_the_datas_column_names() -> None:
    content = make_content(problem(1), pair(1, 0))
    for card in (content.lower, content.higher):
        assert r"\mathrm{width}" in card.latex and r"\mathrm{height}" in card.latex
        assert not re.search(r"x_?\{?[012]", card.latex)


def test_a_method_that_counts_from_one_gets_the_right_columns() -> None:
    text = _member("x1", index_base=1)
    content = make_content(problem(1), NewPair("q1", text, _member("x0", index_base=0)))
    assert content.lower.latex == content.higher.latex == r"\mathrm{width}"


def test_one_input_gives_a_plot_with_both_curves_on_the_datas_range() -> None:
    content = make_content(problem(0), pair(0, 1))
    figure, shapes = content.figure, content.shapes
    assert figure.kind == "curve" and (figure.grids, content.lower.curve) == ((), ())
    assert (figure.inputs[0].low, figure.inputs[0].high) == (0, 14)
    assert figure.inputs[0].label == "t [s]" and len(figure.points) == figure.rows == 15
    assert figure.inputs[0].mathml == "<math><mi>t</mi></math>"
    assert shapes is not None and shapes.scale == ""
    assert shapes.lower_behaviour == "rises from 0 to 28.1 cm without a turn"
    (plot,) = shapes.narrow.drawn(lower_left=True)
    assert plot.index("curve-a") < plot.index("curve-b")


def test_two_inputs_give_a_map_for_each_formula_on_one_scale() -> None:
    content = make_content(problem(1), pair(1, 3))
    shapes = content.shapes
    assert content.figure.kind == "surface" and shapes is not None
    assert len(shapes.wide.drawn(lower_left=True)) == 2 and shapes.scale.startswith("<svg")
    assert all("data:image/png" in plot for plot in shapes.narrow.drawn(lower_left=False))


@pytest.mark.parametrize("number", [0, 1])
def test_a_ballot_is_frozen_with_its_shapes_and_read_back(number: int) -> None:
    content = make_content(problem(number), pair(number, 0))
    assert BallotContent.from_json(content.to_json()) == content
    before = dataclasses.replace(content, shapes=None, rules=())
    assert "shapes" not in json.loads(before.to_json())


def test_a_ballot_of_before_is_drawn_from_its_latex_and_its_points() -> None:
    grid = tuple(np.linspace(0, 14, 200).tolist())
    new = make_content(problem(0), pair(0, 1))
    before = dataclasses.replace(
        new,
        shapes=None,
        figure=dataclasses.replace(new.figure, grids=(grid,)),
        lower=dataclasses.replace(new.lower, curve=grid),
        higher=dataclasses.replace(
            new.higher, latex=r"\mathrm{温度}", curve=(None, *grid[1:100], *[None] * 100)
        ),
    )
    ballot = before.ballot(StudyDesign(), lower_left=True, token="t", number=1, of=10)
    assert ballot.left.behaviour == "rises from 0 to 14 cm without a turn"
    assert "has no value" in ballot.right.behaviour
    # No font of a server without Chinese letters draws this name: the browser does.
    assert ballot.right.narrow == "<math><mi>温度</mi></math>" or "<use" in ballot.right.narrow


@pytest.mark.parametrize(
    ("text", "message"),
    [("x0 +", "cannot read"), ("x0 + zz", "is no column"), ("log(-1-x0)", "no R²")],
)
def test_a_member_that_is_unreadable_or_without_values_is_named(text: str, message: str) -> None:
    with pytest.raises(StudyError, match=message):
        _content(text, "x0", problem(0))


def test_three_inputs_are_refused() -> None:
    with pytest.raises(StudyError, match="has 3 inputs"):
        _content("a", "b", Problem("p", "a,b,c,y\n1,2,3,4\n"))


def test_many_rows_are_thinned_the_same_way_every_time() -> None:
    big = Problem("big", "x,y\n" + "\n".join(f"{i},{i * 2}" for i in range(5000)) + "\n")
    first, second = (_content("x", "2*x", big) for _ in range(2))
    assert first == second
    assert len(first.figure.points) == 300 and first.figure.rows == 5000


def test_a_ballot_tells_neither_eic_nor_method_nor_canonical_order() -> None:
    content = make_content(problem(0), pair(0, 0))
    for lower_left in (True, False):
        ballot = content.ballot(StudyDesign(), lower_left=lower_left, token="t", number=1, of=10)
        text = json.dumps(dataclasses.asdict(ballot)).lower()
        for secret in ("0.3217", "3.7654", SECRET_METHOD.lower(), "eic", "lower", "higher", "pool"):
            assert secret not in text
        assert content.shapes is not None
        assert (ballot.left.mathml == content.shapes.lower.mathml) is lower_left
        keys = set(dataclasses.asdict(ballot)["left"])
        assert keys == {"r2", "complexity", "narrow", "wide", "mathml", "behaviour"}


def test_practice_is_neutral() -> None:
    (task, practice), *_ = special_material(StudyDesign())
    content = make_content(task, practice)
    assert content.lower.r2 == content.higher.r2
    assert content.lower.complexity == content.higher.complexity


@pytest.mark.parametrize("kind", list(AttentionKind))
def test_a_check_expects_the_lower_slot_and_says_so_only_if_instructed(kind: AttentionKind) -> None:
    design = StudyDesign(attention_checks=3, attention_kind=kind, practice=False)
    for task, check in special_material(design):
        content = special_content(design, task, check)
        fits = content.lower.r2 > content.higher.r2
        assert fits is (kind == AttentionKind.OBVIOUS)
        assert max(content.lower.r2, content.higher.r2) > 0.95
        ballot = content.ballot(design, lower_left=False, token="t", number=1, of=3)
        assert ("choose formula B" in ballot.instruction) is (kind == AttentionKind.INSTRUCTED)


def test_units_and_meanings_come_from_the_problem() -> None:
    task = Problem("p", "t,y\n1,2\n2,3\n", columns=(Column("y", "cm", "height"),))
    figure = make_content(task, NewPair("p", _member("t+1"), _member("1+t"))).figure
    assert (figure.target.unit, figure.target.meaning) == ("cm", "height")
    assert figure.inputs[0].unit == ""


@pytest.mark.parametrize(
    ("text", "syntax", "drawn"),
    [
        ("div(X0, log(X1))", "gplearn", r"\frac{a}{\ln\left(\left|b\right|\right)}"),
        ("inv(sqrt(sub(X0, X1)))", "", r"{\sqrt{\left|a - b\right|}}^{-1}"),
        ("protectedDiv(x, y)", "deap", r"\frac{x}{y}"),
    ],
)
def test_a_tools_own_functions_are_drawn_without_its_names(
    text: str, syntax: str, drawn: str
) -> None:
    inputs = ("x", "y") if syntax == "deap" else ("a", "b")
    assert to_latex(read_member(Member(text, 0.0, 1.0, 3, syntax=syntax), inputs)) == drawn


def test_a_frozen_ballot_of_gplearns_formulas_is_found_again_however_it_was_drawn() -> None:
    lower, higher = (
        Member(text, 0.0, 1.0, 3, syntax="gplearn") for text in ("sqrt(X0)", "mul(X0, sqrt(X0))")
    )
    new = NewPair("q0", lower, higher)
    content = make_content(problem(0), new)
    assert "left|t" in content.lower.latex
    older = dataclasses.replace(
        content,
        lower=dataclasses.replace(content.lower, latex=r"\sqrt{t}"),
        higher=dataclasses.replace(content.higher, latex=r"t \cdot \sqrt{t}"),
    )
    for frozen in (content, older):
        trees = formulas_of_ballot(new, frozen)
        assert [to_latex(tree) for tree in trees] == [frozen.lower.latex, frozen.higher.latex]


def test_a_header_proposes_unit_words_and_symbol_and_formulas_write_the_symbol() -> None:
    problem = Problem("p", "rotation speed [km/s],radius (kpc),y\n1,2,2.1\n2,5,3.9\n3,4,6.2\n")
    square = NewPair("p", Member("2*x0**3 + x1", 0, 1, 3), Member("x0**2*(x0 - 51.7)", 0, 1, 3))
    content = make_content(problem, square)
    assert (content.lower.latex, content.higher.latex) == (
        r"2 \cdot {r}^{3} + \mathrm{radius}",
        r"{r}^{2} \cdot \left(r - 51.7\right)",
    )
    speed, radius = content.figure.inputs
    assert (speed.label, speed.meaning, radius.label) == (
        "r [km/s]",
        "rotation speed",
        "radius [kpc]",
    )
    assert plain_texts(square, content) == ("2*r**3 + radius", "r**2*(r - 51.7)")
    assert BallotContent.from_json(content.to_json()) == content
    named = dataclasses.replace(problem, columns=(Column("rotation speed", "", "speed", "v"),))
    assert make_content(named, square).lower.latex == r"2 \cdot {v}^{3} + \mathrm{radius}"
    assert [c.symbol for c in proposed_columns(Problem("p", "a b,a c,a\n1,2,3\n"))] == [
        "b",
        "c",
        "",
    ]


def test_a_frozen_column_without_a_symbol_is_stored_as_before() -> None:
    assert Column("t", "s", "time").to_json() == {"name": "t", "unit": "s", "meaning": "time"}
    assert Column(**Column("t", "s", "time", "T").to_json()).symbol == "T"


@pytest.mark.parametrize("sign", "#$%&")
def test_signs_in_names_print(sign: str) -> None:
    written = rf"{name_latex(f'n{sign}1')} + x"
    with_sign, plain = typeset(written, "x"), typeset(r"\mathrm{n1} + x", "x")
    assert f"<mi>n{escape(sign)}1</mi>" in with_sign.lower.mathml
    assert with_sign.lower.wide.count("<use") == plain.lower.wide.count("<use") + 1
