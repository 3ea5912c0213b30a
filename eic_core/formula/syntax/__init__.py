"""Reading formulas in the notations that people and symbolic-regression tools write. `read` is the
one entry. Nothing here evaluates text: a tokenizer per notation feeds one precedence parser, which
builds `Formula` nodes. In all modules here `start` and `end` are character offsets in the report's
text, [start, end); a `Span` is such a pair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

from eic_core.errors import FormulaError, UserError
from eic_core.formula.syntax.alphabets import in_plain_letters, note_look_alikes
from eic_core.formula.syntax.build import read_definitions_by, with_noisy_exponents
from eic_core.formula.syntax.conditions import CONDITIONS, settle
from eic_core.formula.syntax.euler import note_meaning_of_e
from eic_core.formula.syntax.languages import (
    INFIX,
    LANGUAGES,
    LATEX,
    NOTATIONS,
    SEXPR,
    language,
)
from eic_core.formula.syntax.names import Names, canonical_name, is_indexed, safe_name
from eic_core.formula.syntax.paste import ask_for_a_side, left_hand_side
from eic_core.formula.syntax.policy import Policy, WordRule
from eic_core.formula.syntax.protected import note_protected
from eic_core.formula.syntax.reading import (
    MAX_CHOICES,
    MAX_NODES,
    Alternative,
    Note,
    Reading,
    Report,
)
from eic_core.formula.syntax.steps import STEPS, Paste, names_of, parse
from eic_core.formula.syntax.sympy_trees import names_in, sympy_text
from eic_core.formula.tree import Exponents, Formula

__all__ = [
    "EXPONENTS",
    "NOTATIONS",
    "SYNTAXES",
    "Alternative",
    "Note",
    "Policy",
    "Reading",
    "WordRule",
    "canonical_name",
    "check_exponents",
    "read",
    "safe_name",
]

SYNTAXES: Mapping[str, str] = {name: row.label for name, row in LANGUAGES.items()}
"""Name and label of every notation; the names are what `read` takes as `syntax`."""

EXPONENTS: tuple[Exponents, ...] = get_args(Exponents)
"""The ways to read literal exponents, the default first."""


def read(
    text: str | Any,
    *,
    syntax: str = "auto",
    columns: Collection[str] = (),
    parameters: Mapping[str, str] | None = None,
    exponents: Exponents = "exact",
    policy: Policy | None = None,
) -> Reading:
    """Read a formula exactly as it is written.

    Parameters
    ----------
    text
        The formula in any notation of `SYNTAXES`: an expression, a function or program that
        returns one, or what a symbolic-regression tool prints. Or an expression of SymPy, whose
        symbols are the variables.
    syntax
        A key of `SYNTAXES` or another name of that tool; anything else is taken as ``"auto"``:
        the notation is detected.
    columns
        Names of the data's columns. They win over other meanings of a name: ``pi`` and ``e``
        are variables where they are columns.
    parameters
        Decimals that stand for names (tinyGP's ``t0``, ``t1``, ...). A text that ends in
        ``|theta=v0;v1`` brings its own.
    exponents
        ``"exact"``: a literal exponent n or n/2 belongs to its operator. ``"noisy"``: only 2 and 3
        do; any other is a leaf with noise of its own. Exponents that belong to a function's name,
        as in ``inv(x)``, and roots are exact in both.
    policy
        What words, indices, logarithms, ... mean, in place of the language's own policy.

    Returns
    -------
    Reading
        The formula, the notation, what its variables count from, and what was decided on the
        way.

    Raises
    ------
    FormulaError
        For everything that cannot be read, with the place and a remedy.
    UserError
        If `exponents` is neither of the two.

    Examples
    --------
    >>> read("-2**2").formula.structure()[-1][0]
    'neg'
    >>> read(r"\\frac{x_1}{2}").formula.variables
    ('x1',)
    >>> read("2x(x+1)").notes[-1].message
    'read as `2*x*(x+1)`: between two factors side by side `*` is understood'
    >>> read("x**4").formula.complexity, read("x**4", exponents="noisy").formula.complexity
    (2, 3)
    >>> read("lg(x)")
    Traceback (most recent call last):
        ...
    eic_core.errors.FormulaError: unknown function `lg`: did you mean `log10`?
    """

    check_exponents(exponents)
    if not isinstance(text, str):
        columns = {*columns, *names_in(text)}
        text, syntax = sympy_text(text), "sympy"

    stated = language(syntax) or ""

    def read_again(other: str) -> Reading:
        report = Report(in_plain_letters(other), other)
        place = (0, len(other))
        language = stated or "infix"
        start = Paste(report, columns, parameters or {}, stated, policy, *place, language)
        return _read(start, exponents)

    try:
        return read_again(text)
    except FormulaError as error:
        error = _with_a_way_out(error, read_again)
        error.source = text
        raise error from None


def check_exponents(text: str) -> Exponents:
    """`text`, if it is one of `EXPONENTS`; otherwise raises `UserError`."""
    for name in EXPONENTS:
        if text == name:
            return name
    raise UserError(
        f"exponents cannot be read as `{text[:40]}`", hint="choose " + " or ".join(EXPONENTS)
    )


_MOST_CORRECTIONS = 4


def _with_a_way_out(error: FormulaError, read_again: Callable[[str], Reading]) -> FormulaError:
    """The error with a replacement that can be read, or none; a text with two mistakes is corrected
    twice.
    """

    def is_read(text: str) -> bool:
        return corrected(text, "") == text

    def corrected(text: str | None, meaning: str) -> str | None:
        met = {error.source}
        while text is not None and text not in met and len(met) <= _MOST_CORRECTIONS:
            met.add(text)
            try:
                read_again(text)
                return text
            except FormulaError as following:
                text = dict(following.choices).get(meaning, following.replacement)
        return None

    error.replacement = corrected(error.replacement, "")
    choices = error.choices[:MAX_CHOICES]
    mended = [(meaning, corrected(text, meaning)) for meaning, text in choices]
    error.choices = tuple((meaning, text) for meaning, text in mended if text is not None)
    head = left_hand_side(error.source, 0, len(error.source))
    return ask_for_a_side(error, head[1] if head else 0, len(error.source), is_read)


def _read(paste: Paste, exponents: Exponents) -> Reading:
    """Read a paste. Nothing proves that the text which an error proposes can be read."""
    for step in STEPS:
        paste = step(paste)
    report, start, end = paste.report, paste.start, paste.end
    names = names_of(paste)
    draft, notation = parse(paste, names)
    if exponents == "noisy":
        draft = with_noisy_exponents(draft)
    formula = Formula.from_draft(draft, report.source, exponents)
    if names.special or not CONDITIONS.isdisjoint([node[1] for node in formula.nodes]):
        formula = Formula.from_draft(settle(report, draft), report.source, exponents)
    if formula.complexity > MAX_NODES:
        report.fail(f"the formula has more than {MAX_NODES:,} nodes", start, end, "split it")
    if "E" in report.text and not names.is_column("E"):
        _note_euler(paste, formula, names.policy.euler)
    if not _UNIT_NAMES.isdisjoint(names.met):
        _note_imaginary(report, names, start, end)
    if paste.reader == INFIX and "[" in report.view:
        _note_element(report, names)
    if names.policy.protected:
        note_protected(report, formula)
    if not report.text.isascii():
        note_look_alikes(report, names)
    return Reading(
        formula,
        notation,
        _index_base(report, formula, report.index_base or names.policy.index_base),
        tuple(report.notes),
        report.other_readings(),
        report.domain,
        report.protected,
        names.policy,
    )


def _note_euler(paste: Paste, formula: Formula, is_euler: bool) -> None:
    """Say what ``E`` is, where the notation leaves it open."""
    report, program, reason = paste.report, paste.program, paste.reason_for_euler
    if paste.reader == SEXPR:
        reason = "" if "FPCore" in report.text else "as FPCore writes it"
    elif is_euler and not reason:
        reason = "as this notation prints it"
    if paste.reader == INFIX or paste.reader in (LATEX, SEXPR) and reason:
        first = program.statements[0].start if program is not None else paste.start
        note_meaning_of_e(report, formula, reason, first, paste.end, program is None)


_UNIT_NAMES = frozenset("Iij")
_UNITS = re.compile(r"(?<![\w.\\])[Iij](?!\w)")


def _note_imaginary(report: Report, names: Names, start: int, end: int) -> None:
    """Say that ``i``, ``j`` or ``I`` is a variable; where ``E`` is SymPy's, refuse its imaginary
    unit.
    """
    met = names.guessed_among(_UNIT_NAMES)
    if not met:
        return
    found = next((m for m in _UNITS.finditer(report.view, start, end) if m[0] in met), None)
    if found is None:
        return
    if found[0] == "I" and names.policy.euler:
        report.fail(
            "`I` is the imaginary unit here: complex numbers are not supported",
            *found.span(),
            "for a variable write another name",
        )
    report.note(f"`{found[0]}` is read as a variable, not as the imaginary unit", found.span())


def _note_element(report: Report, names: Names) -> None:
    """Say of the first ``a[1]`` that it is a variable of its own."""
    for name in names.met:
        if name[-1] == "]" and not is_indexed(name) and not names.is_known(name):
            place = report.view.find(name)
            if place >= 0:
                told = f"`{name}` is read as the variable `{names.met[name][1]}`"
                report.note(told, (place, place + len(name)))
            return


def _index_base(report: Report, formula: Formula, known: int | None) -> int | None:
    """What indexed variables count from, by the notation unless an ``x0`` tells."""
    if "x0" in formula.variables:
        if known == 1:
            report.note("this text counts its variables from 0", formula.root.span)
        return 0
    return known


read_definitions_by(lambda text: read(text, columns=("x", "y")).formula.to_draft())
