"""No file makes `eic check` do quadratic work on the way to its formulas (`tests.core.growth`).

Each text is a run of one unit, with something before and behind it, in every language that can be
marked: in a mark, below one, in a function, before the only mark, and with a mark on each line.
"""

from functools import partial
from pathlib import Path

import pytest

from eic_core.checking.marks import FILE_LANGUAGES, FileLanguage, marked_formulas
from eic_core.errors import UserError
from tests.core.growth import WORST, growth, shapes, slow
from tests.effort import FULL, cases

LENGTH = 1_000
LANGUAGES = {each.suffixes[0]: each for each in FILE_LANGUAGES}
UNITS = [
    *(c for c in map(chr, range(32, 127)) if not c.isalnum() or c in "x1c"),
    *("\n", " \n", "\t", "\x0c", "é", "\n\n", "x\n", "&\n", "\\\n", "(\n", ") \n", "/*\n", "//\n"),
    *(
        "x = 1\n",
        "y = x +\n",
        "+ x\n",
        "- 1 &\n",
        "     & x\n",
        "f(x) ",
        "x; ",
        "{x}",
        "x.",
        "a.b.",
    ),
    *("/* ", "*/", "/**/", "// ", "#= ", "=#", "\\(", "\\)", "\\[", "$$", "$x$ ", "\\$", "$ "),
    *("\\begin{equation}\n", "\\end{equation}\n", '\\"', '"a', "'a", "'''", '"""', "\\'"),
    *(
        "#define F ",
        "#define F(x) \\\n",
        "if\n",
        "end\n",
        "end ",
        "function\n",
        "function ",
        "do\n",
    ),
    *(
        "@a ",
        "@a\n",
        "struct\n",
        "real :: x\n",
        "end function\n",
        "pure ",
        "result(",
        "::T{",
        ")::",
    ),
    *("! a\n", "# a\n", "% a\n", "// a\n", "c a\n", "def f(x):\n", "return x\n", "lambda: "),
    *("eic: ", "EIC ", "EIC x=", "a=", "x=1:2 ", ", ", "[[formula]]\n", "[[formula]]\ntext='x'\n"),
]
OWN = {
    "c": ("double f(double x) {\n", "\nreturn x;\n}\n"),
    "fortran": ("      real function f(x)\n", "\n      f = x\n      end function\n"),
    "julia": ("function f(x)\n", "\nx\nend\n"),
    "latex": ("\\begin{equation}\n", "\n\\end{equation}\n"),
    "matlab": ("function y = f(x)\n", "\ny = x;\nend\n"),
    "python": ("def f(x):\n", "\n    return x\n"),
    "r": ("f <- function(x) {\n", "\nx\n}\n"),
}
TABLE = "[[formula]]\ntext='x'\n"


def marked(suffix: str, text: str) -> object:
    try:
        return marked_formulas(Path(f"a{suffix}"), text)
    except UserError:
        return ()
    except (MemoryError, RecursionError):  # what is nested too deeply for a parser of Python's
        return ()


def mark_of(language: FileLanguage) -> str:
    return f"{language.comment} eic: x=1:2"


def around(suffix: str) -> list[tuple[str, str]]:
    if suffix == ".toml":
        ranges = "[formula.ranges]\n"
        return [("", ""), (TABLE, "\n" + TABLE), (TABLE + ranges, "\n"), ("", TABLE)]
    language = LANGUAGES[suffix]
    mark, comment = mark_of(language), language.comment
    before, behind = OWN[language.syntax]
    within = [
        (f"{mark}\n", "\ny = x\n"),
        (f"{mark}\n", ""),
        (f"{mark}\ny = x", "\n"),
        (f"{mark}\ny = (", ")\n"),
        (f"{mark}\n{before}", behind),
        (f"{mark}\n{before}", ""),
        (f"{comment} eic", "\ny = x\n"),
        (f"{comment} eic:", "\ny = x\n"),
        (f"{comment} EIC", "x\ny = x\n"),
        ("", f"\n{mark}\ny = x\n"),
        ("x ", f"{comment} eic: x=1\n"),
        (f"{mark}\n", f"\n{mark}\ny = x\n"),
    ]
    if language.block[0]:
        begin, end = language.block
        within += [(f"{begin} eic: x=1:2", f"{end}\ny = x\n"), (f"{mark}\n{begin}", "")]
    return within


@pytest.mark.parametrize("suffix", [*LANGUAGES, ".toml"])
def test_a_run_of_one_unit_is_cut_out_or_refused_in_linear_work(suffix: str) -> None:
    every = around(suffix)
    # a quick run takes other units with each shape in each language
    turn = [*LANGUAGES, ".toml"].index(suffix)
    turned = every if FULL else every[turn % len(every) :] + every[: turn % len(every)]
    some = UNITS[turn % cases(2, 1) :: cases(2, 1)]
    assert not slow(partial(marked, suffix), shapes(some, turned), LENGTH)


@pytest.mark.parametrize("suffix", LANGUAGES)
def test_a_mark_on_each_line_is_cut_out_or_refused_in_linear_work(suffix: str) -> None:
    language = LANGUAGES[suffix]
    before, behind = OWN[language.syntax]
    # as few characters as can be, so that many marks stand in a text
    mark = f"{language.comment}eic:\n"
    turn = [*LANGUAGES].index(suffix)  # a quick run takes other units in each language
    units = [*UNITS[turn % cases(12, 1) :: cases(12, 1)], before, before + behind]
    lines = [("", f"{mark}{unit}\n", "") for unit in units]
    assert not slow(partial(marked, suffix), lines, LENGTH)


@pytest.mark.parametrize(
    ("suffix", "before", "unit", "behind"),
    [
        (".py", "# eic", " ", "\ny = x\n"),
        (".c", "// eic: x=1:2\n", "/* ", ""),
        (".tex", "% eic: x=1:2\n", "\\(", ""),
        (".jl", "# eic: x=1:2\nfunction f(x)\n", "\n", "x\nend\n"),
        (".f90", "! eic: x=1:2\nreal function f(x)\n", "\n", "f = x\nend function\n"),
        (".m", "% eic: x=1:2\ny = x +\n", "+\n", "x\n"),
        (".jl", "", "# eic: x=1:2\n# a\n", "y = x\n"),
        (".c", "", "//eic:\ny=x\n", ""),
        (".py", "# eic: x=1:2\ny = x\n", '\\"', ""),
        (".toml", TABLE, "\n", ""),
        (".toml", "", "a.b.", "c = 1\n"),
    ],
)
def test_the_texts_that_took_quadratic_work_take_linear_work(
    suffix: str, before: str, unit: str, behind: str
) -> None:
    assert not slow(partial(marked, suffix), [(before, unit, behind)], LENGTH)


def test_a_mark_with_many_ranges_is_refused_in_linear_work() -> None:
    def text_of(size: int) -> str:
        return "# eic: " + " ".join(f"x{i}=1:2" for i in range(size)) + "\ny = x\n"

    assert growth(lambda text: marked(".py", text), text_of, 250) <= WORST
    assert "more than 200 ranges" in marked_formulas(Path("a.py"), text_of(250))[0].fault
