"""What a ballot draws of its formulas, read back from the bytes that a page shows."""

from __future__ import annotations

import csv
import gzip
import json
import re
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from eic_core.errors import UserError
from eic_core.formula.rendering import to_latex, to_mathml
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.operators import OPERATORS
from study.errors import StudyError
from study.stimulus.latex import MAX_DEPTH, parse
from study.stimulus.lines import SCALES, Sizes, broken, pieces
from study.stimulus.mathml import mathml
from study.stimulus.shapes import CARD, LEAST_PX, MAIN_PX
from study.stimulus.typesetting import Typeset, name_mathml, typeset

ROOT = Path(__file__).resolve().parents[2]
DIGIT_HEIGHT = 0.66
"""Of the font's 2, in em."""


def of_each_operator() -> list[Formula]:
    names = ("x", "income_2010", "theta")
    formulas = []
    for name, row in OPERATORS.items():
        arity = row.arity or 2
        try:
            formulas.append(read(f"{name}({', '.join(names[:arity])})").formula)
        except UserError:  # powers and roots, which carry a parameter, stand below
            continue
    texts = ("x**3", "x**-2", "x**0.5", "x**y", "root(x, 5)", "log(x, 2)", "log(x, 7)", "log10(x)")
    return formulas + [read(text).formula for text in texts]


@pytest.fixture(scope="module")
def demo() -> list[Formula]:
    with gzip.open(ROOT / "study/demo/pool.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    return [read(row["formula"], syntax=row["syntax"] or "auto").formula for row in rows[::7]]


def drawings(shapes: Typeset) -> Iterator[tuple[str, ElementTree.Element]]:
    for formula in (shapes.lower, shapes.higher):
        yield "narrow", ElementTree.fromstring(formula.narrow)
        yield "wide", ElementTree.fromstring(formula.wide)


def extents(glyphs: str) -> dict[str, tuple[float, float, float, float]]:
    """Left, right, bottom and top of each outline, in pixels, its control points included."""
    boxes = {}
    for name, path in re.findall(r'id="(\w+)" d="([^"]*)"', glyphs):
        x = y = 0
        start, xs, ys = (0, 0), [], []
        for command, text in re.findall(r"([a-z])([^a-z]*)", path):
            steps = [int(n) for n in re.findall(r"-?\d+", text)]
            if command == "z":
                x, y = start
            elif command in "hv":
                x, y = (x + steps[0], y) if command == "h" else (x, y + steps[0])
                xs, ys = [*xs, x], [*ys, y]
            else:
                ends = list(zip(steps[::2], steps[1::2], strict=True))
                xs += [x + dx for dx, _ in ends]
                ys += [y + dy for _, dy in ends]
                x, y = x + ends[-1][0], y + ends[-1][1]
                start = (x, y) if command == "m" else start
        boxes[f"#{name}"] = (min(xs) / 100, max(xs) / 100, min(ys) / 100, max(ys) / 100)
    return boxes


def scale_of(svg: ElementTree.Element) -> float:
    """One of those that `fitted` chooses from."""
    scale = float(svg.attrib["width"]) / float(svg.attrib["viewBox"].split()[2])
    return min(SCALES, key=lambda each: abs(each - scale))


def assert_inside(shapes: Typeset) -> None:
    boxes = extents(shapes.glyphs)
    for _, svg in drawings(shapes):
        width, height = map(float, svg.attrib["viewBox"].split()[2:])
        assert float(svg.attrib["width"]) / width == pytest.approx(scale_of(svg), rel=1e-5)
        assert float(svg.attrib["height"]) / height == pytest.approx(scale_of(svg), rel=1e-5)
        for use in svg.iter("use"):
            left, right, bottom, top = boxes[use.attrib["href"]]
            x, y = int(use.attrib["x"]) / 100, -int(use.attrib["y"]) / 100
            assert 0 <= x + left < x + right <= width
            assert 0 <= y - top < y - bottom <= height
        for bar in svg.iter("rect"):
            x, y, wide, high = (float(bar.attrib[n]) for n in ("x", "y", "width", "height"))
            assert 0 <= x < x + wide <= width and 0 <= y < y + high <= height


def spoken(text: str) -> str:
    """All that is read; the slash of an exact exponent is a bar in trees."""
    return "".join(ElementTree.fromstring(text).itertext()).replace("/", "")


def test_every_operator_is_set_and_read() -> None:
    formulas = of_each_operator()
    assert len(formulas) > len(OPERATORS) - 5
    for formula in formulas:
        latex = to_latex(formula)
        assert_inside(typeset(latex, "x"))
        assert spoken(mathml(parse(latex))) == spoken(to_mathml(formula))


def test_the_demo_is_spoken_as_the_trees_are_and_stays_inside(demo: list[Formula]) -> None:
    for formula in demo:
        assert spoken(mathml(parse(to_latex(formula)))) == spoken(to_mathml(formula))
    for lower, higher in pairwise(demo[::20]):
        assert_inside(typeset(to_latex(lower), to_latex(higher)))


def test_ballots_frozen_by_earlier_versions_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "studies.sqlite3"
    path.write_bytes(gzip.decompress((ROOT / "tests/golden/studies.sqlite3.gz").read_bytes()))
    with sqlite3.connect(path) as database:
        contents = [json.loads(text) for (text,) in database.execute("SELECT content FROM ballot")]
    assert contents
    for content in contents:
        assert_inside(typeset(content["lower"]["latex"], content["higher"]["latex"]))


def digit_heights(latex: str) -> list[float]:
    shapes = typeset(latex, latex)
    return sorted(top - bottom for _, _, bottom, top in extents(shapes.glyphs).values())


def test_no_script_falls_below_its_least_size() -> None:
    heights = digit_heights("{2}^{{2}^{{2}^{{2}^{2}}}}")
    assert heights[0] >= DIGIT_HEIGHT * LEAST_PX
    assert heights[-1] >= DIGIT_HEIGHT * MAIN_PX
    assert digit_heights(r"{2}^{\frac{2}{\frac{2}{2}}}")[0] >= DIGIT_HEIGHT * LEAST_PX


def test_fractions_and_cases_keep_the_main_size_within_one_another() -> None:
    nested = r"\frac{22}{\frac{2}{\frac{2}{2 \cdot \sqrt{\frac{2}{2}}}}}"
    cases = r"\begin{cases} \frac{2}{2} & \text{if } 2 < 2 \\ 2 & \text{otherwise} \end{cases}"
    digit = digit_heights("2")[0]
    for latex in (nested, cases):
        boxes = extents(typeset(latex, latex).glyphs)
        shape = typeset(latex, "2")
        (two,) = (use.attrib["href"] for use in list(drawings(shape))[2][1].iter("use"))
        assert boxes[two][3] - boxes[two][2] == digit
        assert sum(abs(top - bottom - digit) < 0.01 for *_, bottom, top in boxes.values()) == 1


LONG = " + ".join(rf"{n}.125 \cdot \mathrm{{income}}_{{{n}}}" for n in range(12))


@pytest.mark.parametrize(
    "latex",
    [
        LONG,
        rf"2 \cdot \left({LONG}\right)",
        rf"{{\left(\exp\left({LONG}\right)\right)}}^{{2}}",
        r"\max\left(" + ", ".join([r"\mathrm{expenditure}"] * 8) + r"\right)",
    ],
)
def test_long_formulas_break_within_the_card(latex: str) -> None:
    for size, svg in drawings(typeset(latex, "x")):
        assert float(svg.attrib["width"]) <= CARD[size]  # type: ignore[index]


@pytest.mark.parametrize(
    "latex",
    [
        rf"\frac{{{LONG}}}{{2}}",
        rf"\sqrt{{{LONG}}} + 1",
        rf"\ln\left(\frac{{1}}{{\sqrt{{{LONG}}}}}\right)",
        rf"x \cdot \left(1 + \sqrt{{\frac{{{LONG}}}{{2}}}}\right)",
    ],
)
def test_roots_and_fractions_break_where_letters_of_sixteen_pixels_are_too_wide(latex: str) -> None:
    shapes = typeset(latex, "x")
    assert_inside(shapes)
    for size, svg in drawings(shapes):
        assert float(svg.attrib["width"]) <= CARD[size]  # type: ignore[index]
        assert MAIN_PX * scale_of(svg) == 16


def test_both_formulas_have_letters_of_one_size_and_no_script_is_less_than_the_least() -> None:
    wide = r"\frac{1.234 \cdot x + 5.678 \cdot y - 2.345 \cdot z + 4 \cdot t}{2}"
    for formulas in ((wide, "x"), ("x", wide)):
        scales = [scale_of(svg) for _, svg in drawings(typeset(*formulas))]
        assert scales[::2] == [0.9, 0.9] and scales[1::2] == [1.0, 1.0]
    small = rf"{{x}}^{{{{2}}^{{x}}}} + {wide}"
    assert {scale_of(svg) for _, svg in drawings(typeset(small, "x"))} == {1.0}


def test_what_cannot_break_is_wider_than_its_card_and_whole() -> None:
    shapes = typeset(rf"\mathrm{{{'expenditure' * 8}}}", "x")
    assert float(ElementTree.fromstring(shapes.lower.wide).attrib["width"]) > CARD["wide"]
    assert_inside(shapes)


def test_a_number_stays_with_what_it_multiplies() -> None:
    product = r"1.007 \cdot \mathrm{temperature}"
    flow = pieces(
        parse(rf"{product} + 2.5 \times 10^{{-6}} \cdot \mathrm{{temperature}} - {product}")
    )
    begun = [
        text
        for width in range(260, 600, 10)
        for _, text in broken(flow, Sizes().of(flow), width).rows
    ]
    assert len(begun) > 70 and not any(text.startswith("⋅") for text in begun)


def test_nothing_tells_which_formula_is_called_the_lower_one() -> None:
    one, other = r"\frac{x}{2} + 1", r"\exp\left(t\right)"
    shapes, swapped = typeset(one, other), typeset(other, one)
    assert shapes.glyphs == swapped.glyphs
    assert (shapes.lower, shapes.higher) == (swapped.higher, swapped.lower)
    names = re.findall(r'id="(\w+)"', shapes.glyphs)
    assert names == sorted(names)


@pytest.mark.parametrize("name", ["x#panic()", '"]#import', "$#panic()$", "a\\", "größe"])
def test_a_name_is_drawn_and_never_run(name: str) -> None:
    assert_inside(typeset(rf"\mathrm{{{name}}} + 1", "x"))
    tree = read("x + 1").formula
    nodes = (node._replace(label=name) if node.label == "x" else node for node in tree.nodes)
    assert_inside(typeset(to_latex(Formula(tuple(nodes), exponents=tree.exponents)), "x"))


@pytest.mark.parametrize(
    ("latex", "problem"),
    [
        (r"\left(" * 600 + "x" + r"\right)" * 600, "nests too deeply"),
        (r"\sin\left(" * 800 + "x" + r"\right)" * 800, "too long"),
        (r"\mathrm{温度}", "no font of the server"),
        (r"{x}^{{2}^{\mathrm{温}}}", "no font of the server"),
        ("{" * 3000 + "x", "nests too deeply"),
        ("x + " * 3000 + "x", "too long"),
        (r"x + \input{y}", r"\\input"),
        (r"\frac{x}", "ends too early"),
        (r"\left(x", "ends too early"),
        (r"x \right)", r"\\right"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_what_helps(latex: str, problem: str) -> None:
    with pytest.raises(StudyError, match=problem) as error:
        typeset("x", latex)
    assert error.value.hint and latex[:5] in error.value.message


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        (r"\sin\left(", r"\right)"),
        (r"\frac{1}{", "}"),
        (r"\sqrt{", "}"),
        ("{x}^{", "}"),
        (r"{\left(", r"\right)}^{2}"),
        (r"\begin{cases} x & \text{if } ", r" \\ x & \text{otherwise} \end{cases}"),
    ],
)
def test_sixty_levels_are_drawn_or_refused_in_words(opened: str, closed: str) -> None:
    for depth in (30, 60, MAX_DEPTH, 4 * MAX_DEPTH):
        try:
            shapes = typeset(opened * depth + "x" + closed * depth, "x")
        except StudyError as error:
            assert "too deeply" in error.message or "too long" in error.message
        else:
            assert_inside(shapes)


def test_a_name_alone_is_written_as_in_the_formulas() -> None:
    assert name_mathml("b2010") == mathml(parse("b_{2010}"))
    assert name_mathml("<b>") == "<math><mi>&lt;b&gt;</mi></math>"
