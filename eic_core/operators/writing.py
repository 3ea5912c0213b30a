"""How an operator is called and written: the part of a row that readers and writers use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

ADD, MUL, NEG, APPLY, POW, ATOM = 10, 20, 30, 36, 40, 50
IF, OR, AND, NOT, RELATE = 2, 4, 5, 6, 7
"""How tightly a text binds: the larger, the tighter."""

CODE, LATEX, TEXT, MATHML = range(4)
"""Positions of the templates in a `Form`."""


# In templates ``<0:20>`` is operand 0, in parentheses if it binds less tightly than 20; ``<*>``
# every operand with commas; ``<p>`` the exact parameter. A MathML template is one element, whatever
# stands in its slots. In a sign ``<^>`` is the
# parameter raised, ``<_>`` lowered.
class Form(NamedTuple):
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


@dataclass(frozen=True)
class Writing:
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
    # What its operands are called where they are given by name, as in ``log(x, base=2)``: for each
    # its names in lower case, between blanks
    parameters: tuple[str, ...] = ()
    # Its value at ``x``, ``y``, ``z`` by other operators, for languages without it, and before that
    # what occurs more than once: ``"r = x/y; r + 1/r"``
    definition: str = ""
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
    upright: str = "",
    sign: str = "",
    mathml: str = "",
    parameter: bool = False,
) -> Form:
    r"""A function of its operands; `upright` is its name in MathML, or `mathml` an element for it.

    >>> called("asin", r"\arcsin", upright="arcsin")[:3]
    ('asin(<*>)', '\\arcsin\\left(<*>\\right)', 'asin(<*>)')
    """
    latex = latex or rf"\operatorname{{{name}}}"
    arguments = "<*>, <p>" if parameter else "<*>"
    return Form(
        f"{name}({arguments})",
        rf"{latex}\left({arguments}\right)",
        f"{text or name}({arguments})",
        applied(mathml or f"<mi>{upright or name}</mi>", arguments.replace(", ", "<mo>,</mo>")),
        ATOM,
        APPLY,
        sign or name,
    )


def command(name: str) -> Form:
    r"""A function whose LaTeX command is its name: ``\sin``."""
    return called(name, rf"\{name}")


def infix(code: str, text: str, *, latex: str = "", sign: str = "") -> Form:
    """A left-associative sign between two operands; `code` and `text` with their blanks."""
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
    """An operand between two signs; the two of `latex` follow ``\\left`` and ``\\right``."""
    return Form(
        f"{name}(<0>)",
        rf"\left{latex[0]}<0>\right{latex[1]}",
        f"{opened}<0>{closed}",
        f'<mrow><mo form="prefix">{opened}</mo><0><mo form="postfix">{closed}</mo></mrow>',
        sign=f"{opened} {closed}",
    )
