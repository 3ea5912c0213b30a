"""Whether a bare ``E`` is Euler's number, and how the other reading is written. SymPy and
Mathematica print e as ``E``; in physics it is an energy or a field. A column, an argument of that
name or the notation settles it.
"""

from __future__ import annotations

import re
from keyword import iskeyword

from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.names import CONSTANT_NAMES, LETTERS, is_indexed
from eic_core.formula.syntax.paste import left_hand_side
from eic_core.formula.syntax.reading import Report, replaced
from eic_core.formula.tree import Formula

_RAISED = re.compile(
    r"(?<![\w.\\])E\s*+(?:\^|\*\*)\s*+(?:\{[^{}]{0,200}?[A-Za-z\\(]|(?!\{)(?![-+−]?\s*+[0-9.]))"
)
"""E to a power in parentheses or with a variable in it: nobody writes an energy so."""
_ALONE = re.compile(r"(?<![\w.\\])E(?![\w.])")
_SEXPR = re.compile(r"\(\s*+(?:[-+*/]|[a-z]\w*+)\s++[\w(]")
_DIGITS = "2.718281828459"
_SYMPY = re.compile(r"(?<!\w)(?:sympy\.|sp\.|Symbol\(|Integer\(|Rational\(|Float\()")
_NAMES = re.compile(
    r"(?<![^\W\d])(?:np\.|math\.)?([^\W\d]\w*+(?:\{[0-9]++\}|\[[:,\s0-9]++\])?+)(?!\s*+\()"
)
_NAMES_OF_LATEX = re.compile(r"\\[A-Za-z]++|[A-Za-z](?:_(?:[0-9]|\{[0-9]++\}))?+")


def reason_for_euler(text: str, of_latex: bool = False) -> str:
    """Why the ``E`` of a text is Euler's number, or "" where it is a variable.

    >>> reason_for_euler("E^(-x)"), reason_for_euler("E*c^2"), reason_for_euler("E*x1 + sin(x2)")
    ('it is raised to a power, as e is', '', 'as SymPy prints it')
    """
    if not of_latex and not _ALONE.search(text):
        return ""
    names = [
        name.removeprefix("\\")
        for name in (_NAMES_OF_LATEX if of_latex else _NAMES).findall(text)
        if name[0] != "\\" or name[1:] in LETTERS
    ]
    if "E" not in names:
        return ""
    if _RAISED.search(text):
        return "it is raised to a power, as e is"
    if _DIGITS in text or _SYMPY.search(text):
        return "the text looks printed by SymPy"
    others = {name for name in names if name.lower() not in FUNCTIONS} - CONSTANT_NAMES
    return "as SymPy prints it" if others and all(map(is_indexed, others)) else ""


def note_meaning_of_e(
    report: Report, formula: Formula, reason: str, start: int, end: int, alone: bool = True
) -> None:
    """Say what ``E`` was read as, and offer the other reading; without a reason it is a variable.
    `alone` says that this part is the whole formula, and no program.
    """
    text = report.text
    met = [match.span() for match in _ALONE.finditer(report.view, start, end)]
    if not met:
        return
    if reason:
        report.note(f"`E` is read as Euler's number 2.718…: {reason}", met[0])
        if alone:
            report.alternative(
                "a variable called E",
                lambda: with_arguments(text, ["E", *formula.variables], start, end),
            )
        return
    report.note("`E` is read as a variable", met[0])
    report.alternative(
        "E as Euler's number 2.718…", lambda: replaced(text, [(*span, "e") for span in met])
    )


def with_arguments(text: str, names: list[str], start: int, end: int) -> str:
    """The text with a head that declares its variables, so that they are nothing else.

    >>> with_arguments("y = E^(-x)", ["E", "x"], 4, 10), with_arguments("mc^2", ["mc"], 0, 4)
    ('y(E, x) = E^(-x)', 'f(mc) = mc^2')
    """
    body, behind = text[start:end].strip(), text[end:].strip()
    if _SEXPR.match(body):
        return f"(FPCore ({' '.join(names)}) {body})"
    head = left_hand_side(text, 0, start)
    name = head[0] if head is not None else ""
    is_name = name.isidentifier() and not iskeyword(name)
    if not is_name or name in names or name.lower() in FUNCTIONS:
        name = "f"
    return f"{name}({', '.join(names)}) = {body}{behind if behind.startswith('|') else ''}"
