"""Which formulas a file marks, and where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eic_core.checking.marks import FILE_LANGUAGES, MarkedFormula, marked_formulas
from eic_core.checking.settings import MarkSettings, settings_of
from eic_core.errors import DataError
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read

ROOTS = "sqrt(x + 1) - sqrt(x)"


def marked(name: str, text: str) -> tuple[MarkedFormula, ...]:
    return marked_formulas(Path(name), text)


def one(name: str, text: str) -> MarkedFormula:
    [each] = marked(name, text)
    return each


def formula(each: MarkedFormula) -> str:
    assert not each.fault
    return to_python(read(each.text, syntax=each.syntax).formula)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.py", "# eic: x=1:2\ny = np.sqrt(x + 1) - np.sqrt(x)\n", 2),
        ("a.py", "#eic: x=1:2\n\n# a comment\ny = (\n    sqrt(x + 1)\n    - sqrt(x)\n)\nz = 1", 4),
        (
            "a.py",
            "# eic: x=1:2\n@njit\ndef f(x):\n    '''# eic: y'''\n    return sqrt(x+1)-sqrt(x)",
            2,
        ),
        (
            "a.py",
            "class A:\n    # eic: x=1:2\n    def f(self, x):\n        return sqrt(x+1)-sqrt(x)",
            3,
        ),
        ("a.py", "def g(x):\n    # eic: x=1:2\n    return sqrt(x+1)-sqrt(x)\n", 3),
        (
            "a.c",
            "// eic: x=1:2\ndouble f(double x) {\n  // a }\n  return sqrt(x+1)-sqrt(x);\n}\n",
            2,
        ),
        (
            "a.cpp",
            "  // eic: x=1:2\n  auto y = std::sqrt(x+1)\n    - std::sqrt(x); // a\n y = 2;\n",
            2,
        ),
        ("a.c", "/* eic: x=1:2 */\n/* a\n */ y = sqrt(x+1)-sqrt(x);\n", 3),
        ("a.c", "// eic: x=1:2\n#define F(x) (sqrt((x)+1) \\\n - sqrt(x))\nint i;\n", 2),
        ("a.rs", "// eic: x=1:2\npub fn f(x: f64) -> f64 { (x + 1.0).sqrt() - x.sqrt() }\n", 2),
        ("a.js", "// eic: x=1:2\nconst f = (x) => Math.sqrt(x+1) - Math.sqrt(x);\n", 2),
        ("a.jl", "# eic: x=1:2\nf(x) = sqrt(x+1) -\n  sqrt(x)\ng(x) = 1\n", 2),
        (
            "a.jl",
            "# eic: x=1:2\n@inline function f(x)\n  z = x+1\n  sqrt(z)-sqrt(x)\nend\ny = 1\n",
            2,
        ),
        (
            "a.jl",
            "# eic: x=1:2\nfunction f(x::Float64)::Float64\n  return sqrt(x+1)-sqrt(x)\nend\ny=1\n",
            2,
        ),
        ("a.jl", "# eic: x=1:2\nf(x::Real)::T{1} = sqrt(x+1) - sqrt(x)\n", 2),
        ("a.jl", "#= eic: x=1:2 =#\ny .= sqrt.(x .+ 1) .- sqrt.(x)\n", 2),
        ("a.py", "\x0c\n# eic: x=1:2\ny = sqrt(x + 1) \\\n  - sqrt(x)\n", 3),
        ("a.for", "C eic: x=1:2\n      y = sqrt(x + 1)\n     &    - sqrt(x)\n      z = 1\n", 2),
        ("a.r", "# eic: x=1:2\nf <- function(x) {\n  sqrt(x+1)-sqrt(x)\n}\ny <- 1\n", 2),
        ("a.m", "% eic: x=1:2\nfunction y = f(x)\n  y = sqrt(x+1)-sqrt(x);\nend\n", 2),
        ("a.f90", "! eic: x=1:2\ny = sqrt(x+1) & ! a (\n  - sqrt(x)\nz = 1\n", 2),
        (
            "a.f90",
            "! eic: x=1:2\npure real(8) function f(x) result(y)\n  real(8), intent(in) :: x\n"
            "  real(8) :: y, z\n  z = x + 1 ! one\n  y = sqrt(z) &\n    - sqrt(x)\n"
            "end function f\n",
            2,
        ),
        ("a.tex", "% eic: x=1:2\n\\begin{equation}\ny=\\sqrt{x+1}-\\sqrt{x}\n\\end{equation}\n", 2),
        (
            "a.tex",
            "% eic: x=1:2\n\\begin{align}\ny &= \\sqrt{x+1} \\\\ % a\n&\\quad - \\sqrt{x}\\,.\n"
            "\\end{align}\n",
            2,
        ),
        ("a.tex", "% eic: x=1:2\nHere $y = \\sqrt{x+1}-\\sqrt{x}$ and $z$.\n", 2),
    ],
)
def test_the_statement_below_a_mark_is_cut_out(name: str, text: str, line: int) -> None:
    each = one(name, text)
    assert (each.line, formula(each).replace("1.0", "1")) == (line, ROOTS)
    assert each.settings.ranges.keys() == {"x"}
    # its end is where the formula ends, not the file
    assert text.splitlines()[each.end_line - 1].strip()


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.c", "// eic: x=1:2\nfor (int i = 0; i < 3; i++) y += x;\n", "`for`"),
        ("a.f90", "! eic: x=1:2\ndo i = 1, 3\nend do\n", "`do`"),
        (
            "a.f90",
            "! eic: x=1:2\nreal function f(x)\n if (x > 1) then\n  f = x\n end if\nend function\n",
            "`if` in `f`",
        ),
        ("a.f90", "! eic: x=1:2\nreal function f(x)\n g = x\nend function\n", "does not set `f`"),
        ("a.py", "y = x\n# eic: x=1:2\n", "no formula stands below"),
        ("a.py", "# eic: x=1:2, max\ny = x\n", "`max` is no setting"),
        ("a.py", "# eic: x=2:1\ny = x\n", "upside down"),
        ("a.py", "# eic: max=-1\ny = x\n", "no number of 0 or more"),
        ("a.tex", "% eic: x=1:2\n\\begin{equation} x\n", "no end"),
        ("a.toml", "[[formula]]\nname = 'a'\n", "no `text`"),
        ("a.py", "# eic: x=1:2\ny = x; z = 1/x\n", "several statements"),
        ("a.c", "// eic: x=1:2\na = x; b = 1/x;\n", "several statements"),
        ("a.py", "y = x  # eic: x=1:2\n", "alone on the line above"),
        ("a.c", "y = x; // eic: x=1:2\n", "alone on the line above"),
        ("a.tex", "$x$ % eic: x=1:2\n", "alone on the line above"),
        ("a.py", "# eic: x=1:2\n# eic: x=2:3\ny = x\n", "two values for `x`"),
        ("a.py", "# eic: max=3, max=5\ny = 1\n", "two values for `max`"),
        ("a.py", "# eic: max=inf\ny = 1\n", "no number of 0 or more"),
        ("a.py", "# EIC x=1:2 max\ny = x\n", "`max` is no setting"),
        ("a.py", "# eic : x=2:1\ny = x\n", "upside down"),
    ],
)
def test_what_cannot_be_cut_out_is_listed_with_a_reason(name: str, text: str, fault: str) -> None:
    assert fault in one(name, text).fault


def test_marks_in_strings_and_prose_are_none() -> None:
    text = 'TEXT = """\n# eic: x=1:2\n"""\ny = "# eic: x=1:2"\n# see eic: x\n'
    assert marked("a.py", text) == ()
    assert marked("a.c", 'char *s = "// eic: x=1:2"; // see eic: x\n') == ()
    assert marked("a.py", "# The EIC of x = 3 is small.\n# EIC: see above\n") == ()


def test_a_comment_is_told_from_a_string_in_a_file_that_is_no_python_too() -> None:
    text = (
        'cdef f(x\n"""\n# eic: x=1:2\n"""\n'
        's = \'# eic: x\'; t = "\\"# eic: x"\n# eic: x=1:2\ny = x\n'
    )
    assert [each.line for each in marked("a.pyx", text)] == [7]


@pytest.mark.parametrize("further", [8, 9])
def test_a_function_may_hold_eight_further_marks(further: int) -> None:
    inner = "    # eic: x=1:2\n    x = x + 1\n" * further
    first, *others = marked("a.py", f"# eic: x=1:2\ndef f(x):\n{inner}    return x\n")
    assert ("more than 8 further marks" in first.fault) == (further > 8)
    assert [each.fault for each in others] == [""] * further


def test_mathematics_that_is_not_closed_is_no_beginning() -> None:
    text = "% eic: x=1:2\nHere \\( and $$ and \\$ $y = x$ and $z$.\n"
    assert one("a.tex", text).text == "$y = x$"


def test_marks_that_follow_one_another_are_one() -> None:
    each = one("a.py", "# eic: x=1:2\n# eic: max=2 eic=5\nz = x\n")
    assert each.settings.limits.stated == {"max": 2.0, "eic": 5.0}


def test_a_list_has_names_defaults_and_lines() -> None:
    text = (
        "[defaults]\nmax = 2\nranges = {x = '1:2'}\n\n[[formula]]\nname = 'a'\ntext = 'x'\n\n"
        "[[formula]]\ntext = 'y'\nmax = 1\nranges = {y = '1:3'}\nsyntax = 'latex'\n"
    )
    first, second = marked("a.toml", text)
    assert (first.name, first.line, first.settings.limits.max) == ("a", 5, 2)
    assert (second.line, second.syntax, second.settings.limits.max) == (9, "latex", 1)
    assert second.settings.ranges.keys() == {"x", "y"}


def test_a_file_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(DataError, match=r"are not read: give one of \.py"):
        marked("a.xls", "")
    with pytest.raises(DataError, match="is no TOML"):
        marked("a.toml", "= 1")
    with pytest.raises(DataError, match="`formulae` is no part of a list"):
        marked("a.toml", "[[formulae]]\ntext = 'x'\n")
    for text in ("", "formula = ['x']\n", "formula = 'x'\n"):
        with pytest.raises(DataError, match="lists no formula"):
            marked("a.toml", text)


def test_no_formula_of_a_list_is_lost_whatever_its_heading() -> None:
    text = "[['formula']]\ntext = 'x'\n[[formula]]\ntext = 'y'\n"
    assert [each.text for each in marked("a.toml", text)] == ["x", "y"]
    assert len(marked("a.toml", "formula = [{text = 'x'}, {text = 'y'}]\n")) == 2


@given(
    st.sampled_from(
        [(each.comment, suffix) for each in FILE_LANGUAGES for suffix in each.suffixes]
    ),
    st.text("ab x(){}[]\"'=;,&\\\n#!%/*-+endfu\u00e9", max_size=60),
)
def test_any_text_below_a_mark_gives_one_answer_with_its_place(
    kind: tuple[str, str], text: str
) -> None:
    comment, suffix = kind
    text = f"{comment} eic: x=1:2\n{text}"
    for each in marked(f"a{suffix}", text):
        assert 1 <= each.line <= each.end_line <= text.count("\n") + 1
        assert each.fault or each.text


def test_settings_hold_where_a_mark_says_nothing() -> None:
    default = MarkSettings(seed=7)
    assert settings_of("", default) == default
    assert settings_of("x=1:2; seed=3", default).seed == 3
