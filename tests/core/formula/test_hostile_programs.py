"""Programs and lists that are long, or that say what a name means where only a compiler looks."""

import time

import pytest

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.formula.syntax.reading import MAX_CHOICES
from tests.core.formula.refusals import refusal

SECONDS = 3.0
F = "double f(double x) {{ return {}; }}"


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n return x\n" * 4_000,
        F.format("x") * 2_500,
        "y=x+1;" * 12_000,
        "f(x)=x\n" * 10_000 + "f(y)",
    ],
    ids=["python", "c", "assignments", "definitions"],
)
def test_many_functions_are_refused_soon_with_some_of_them_to_choose_from(text):
    start = time.process_time()
    error = refusal(text)
    assert time.process_time() - start < SECONDS
    assert len(error.choices) <= MAX_CHOICES


@pytest.mark.parametrize(
    ("head", "body", "meaning"),
    [
        ("#define N 2", "N*x", "2*x"),
        ("#define K 1e-3f // gain\n#define L (3*K)", "L*x", "3*1e-3*x"),
        ("#define G 9.81 /* m/s2 */\n#include <math.h>\n", "G*x", "9.81*x"),
        ("#define M_PI 3.14159265358979323846", "M_PI*x", "pi*x"),
        ("#ifndef FILE_H\n#define FILE_H", "x", "x"),
    ],
)
def test_a_macro_stands_for_its_value(head, body, meaning):
    assert to_python(read(f"{head}\n{F.format(body)}").formula) == meaning


def test_a_macro_that_falls_apart_where_it_is_put_in_is_refused():
    refusal(f"#define L 3+x\n{F.format('L*x')}", match="this macro is not read")


def test_a_macro_with_arguments_is_named():
    reading = read(f"#define SQ(x) ((x)+1)\n{F.format('SQ(x)')}")
    assert "the macro `SQ(…)` is not read" in [note.message for note in reading.notes]


def test_a_name_in_bars_is_refused_in_fpcore():
    refusal("(FPCore (|a b|) (* |a b| 2))", match="a name in bars is not read")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("torch.sin(x) + F.relu(y)", "sin(x) + max(0, y)"),
        ("F.sin(x)", "sin(x)"),
    ],
)
def test_functions_of_pytorch_are_read(text, meaning):
    assert to_python(read(text).formula) == meaning


@pytest.mark.parametrize("text", [r"\sqrt[", r"\sqrt[3", r"\sqrt[3]", r"\sqrt[]{x}", r"\sqrt[n"])
def test_an_unfinished_root_is_refused(text):
    refusal(text)


@pytest.mark.parametrize("text", ["step(x)", "gauss(x)", "x and y", "x+nan", "None", "inf"])
def test_every_other_reading_of_latex_can_be_read(text):
    for other in read(text, syntax="latex").alternatives:
        read(other.text, syntax="latex")


def test_the_remainder_of_a_program_is_named():
    notes = [note.message for note in read("k = 7 % n\ny = k*x").notes]
    assert any("Python's remainder" in note for note in notes)
