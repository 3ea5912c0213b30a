"""How an operator is called and written: the part of a row that readers and writers use.

Templates mark operands as ``<0:20>``: operand 0, put in parentheses if it binds less tightly
than 20; ``<*>`` is every operand with commas, ``<p>`` the operator's exact parameter.  A MathML
template is one element, whatever stands in its slots.  One of C that is about two operands is
nested where there are more.  In a sign ``<^>`` is the parameter raised,
``<_>`` lowered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

ADD, MUL, NEG, APPLY, POW, ATOM = 10, 20, 30, 36, 40, 50
IF, OR, AND, NOT, RELATE = 2, 4, 5, 6, 7
"""How tightly a text binds."""

CODE, LATEX, TEXT, MATHML = range(4)
C = 8
"""Positions of the templates in a `Form`."""


class Form(NamedTuple):
    """One way to write an operator."""

    # code, latex, text, mathml: templates for code, KaTeX, plain labels and MathML Core
    code: str
    latex: str
    text: str
    mathml: str
    precedence: int = ATOM  # How tightly code and plain text bind
    latex_precedence: int = ATOM  # How tightly LaTeX and MathML bind
    sign: str = ""  # What stands on its card in the drawn tree
    # How tightly code binds, where that is not as plain text does
    code_precedence: int | None = None
    c: str = ""  # Template for C; empty: as for code
    c_precedence: int = ATOM  # How tightly that binds, if it is given


@dataclass(frozen=True)
class Writing:
    """How an operator is called and written."""

    # Function names under which it may be called, as in ``arcsin(x)``, ``arcsin x`` in prefix
    # words, ``(arcsin x)`` and ``\\arcsin x``: lower case, between blanks. None: its own name.
    names: str | None = None
    form: Form | None = None  # How it is written; None: as a function of its name
    # The same for nodes that carry a parameter, where they are written otherwise
    with_parameter: Form | None = None
    # The same for single values of the parameter
    by_parameter: Mapping[Fraction, Form] = field(default_factory=dict)
    of_number: Form | None = None  # The same where the operand is a number
    compact: Form | None = None  # The same where the operand is small enough for an exponent
    # The same where `form` would be read as another operator: ``e**u`` is ``exp(u)``, and the
    # exponent of ``u**2`` is exact
    explicit: Form | None = None
    # True if a call with more than two operands is a chain: ``add(a, b, c)`` is ``(a + b) + c``
    folds: bool = False
    c_helper: str = ""  # A C function that its template for C calls and the C library has not
    # What its operands are called where they are given by name, as in ``log(x, base=2)``: for each
    # its names in lower case, between blanks
    parameters: tuple[str, ...] = ()
    # The operator that ``^{-1}`` makes of it in LaTeX: ``\\sin^{-1} x`` is ``asin(x)``
    inverse: str = ""


def applied(head: str, operands: str = "<*>") -> str:
    """MathML of a function; `head` is an element."""
    arguments = f"<mrow><mo>(</mo>{operands}<mo>)</mo></mrow>"
    return f"<mrow>{head}<mo>&#x2061;</mo>{arguments}</mrow>"


def called(
    name: str,
    latex: str = "",
    *,
    text: str = "",
    shown: str = "",
    sign: str = "",
    mathml: str = "",
    parameter: bool = False,
) -> Form:
    r"""A function of its operands.

    - `name`: in code.
    - `latex`: command; by default the name, upright.
    - `text`, `shown`, `sign`: in plain labels, in MathML and in the drawn tree; by default the
      name.
    - `mathml`: an element in place of ``<mi>shown</mi>``.
    - `parameter`: whether the operator's parameter stands behind the operands.

    >>> called("asin", r"\arcsin", shown="arcsin")[:3]
    ('asin(<*>)', '\\arcsin\\left(<*>\\right)', 'asin(<*>)')
    """
    latex = latex or rf"\operatorname{{{name}}}"
    given = "<*>, <p>" if parameter else "<*>"
    return Form(
        f"{name}({given})",
        rf"{latex}\left({given}\right)",
        f"{text or name}({given})",
        applied(mathml or f"<mi>{shown or name}</mi>", given.replace(", ", "<mo>,</mo>")),
        ATOM,
        APPLY,
        sign or name,
    )


def command(name: str) -> Form:
    r"""A function whose LaTeX command is its name: ``\sin``."""
    return called(name, rf"\{name}")


def infix(code: str, text: str, *, latex: str = "", sign: str = "") -> Form:
    """A sign between two operands, left-associative; `code` and `text` with their blanks.

    - `code`, `text`: the sign in code and in plain labels, with the blanks around it.
    - `latex`: the sign in LaTeX; by default as in code.
    - `sign`: on the card in the drawn tree; by default as in plain labels.
    """
    binds = ADD if code.strip() in "+-" else MUL
    left, right = f"<0:{binds}>", f"<1:{binds + 1}>"
    mark = text.strip()
    mathml = f"<mrow>{left}<mo>{mark}</mo>{right}</mrow>"
    return Form(
        left + code + right,
        left + (latex or code) + right,
        left + text + right,
        mathml,
        binds,
        binds,
        sign or mark,
    )


def fenced(name: str, opened: str, closed: str, latex: tuple[str, str]) -> Form:
    """An operand between two signs.

    - `name`: the function that it is in code.
    - `opened`, `closed`: the two signs, in plain labels and MathML.
    - `latex`: the same two as LaTeX delimiters, to follow ``\\left`` and ``\\right``.
    """
    return Form(
        f"{name}(<0>)",
        rf"\left{latex[0]}<0>\right{latex[1]}",
        f"{opened}<0>{closed}",
        f'<mrow><mo form="prefix">{opened}</mo><0><mo form="postfix">{closed}</mo></mrow>',
        sign=f"{opened} {closed}",
    )
