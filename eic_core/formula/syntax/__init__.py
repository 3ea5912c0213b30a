"""Reading formulas in the notations that people and symbolic-regression tools write.

`read` is the one entry.  Nothing here evaluates text: a tokenizer per notation
feeds one precedence parser, which builds `Formula` nodes and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import Refusal
from eic_core.formula.syntax.infix import parse_repaired, parse_text, tokenize
from eic_core.formula.syntax.languages import (
    INFIX,
    LANGUAGES,
    LATEX,
    MATHEMATICA,
    MATHML,
    NOTATIONS,
    PREFIX,
    SEXPR,
    SPREADSHEET,
    detect,
    language,
)
from eic_core.formula.syntax.latex import read_latex
from eic_core.formula.syntax.mathematica import read_mathematica
from eic_core.formula.syntax.mathml import BEGINS, read_mathml
from eic_core.formula.syntax.names import Names, canonical_name, safe_name
from eic_core.formula.syntax.paste import unwrap, without_closing_marks
from eic_core.formula.syntax.prefix import looks_like_prefix, read_prefix
from eic_core.formula.syntax.reading import (
    MAX_CHARACTERS,
    MAX_NODES,
    Alternative,
    Note,
    Reading,
    Report,
)
from eic_core.formula.syntax.sexpr import read_sexpr
from eic_core.formula.syntax.source_code import (
    Program,
    constant_arguments,
    read_program,
    read_source,
)
from eic_core.formula.syntax.source_view import DIALECTS, looks_like_code
from eic_core.formula.syntax.spreadsheet import read_spreadsheet
from eic_core.formula.tree import Draft, Formula

_HEAD = re.compile(
    r"(?:\s|\$|&|\\\[|\\\(|\\displaystyle|\\begin\s*+\{[a-z]++\*?+\})*"
    r"(?P<name>\\?[^\W\d](?:[^\W_]++|_(?!\{))*+|\\(?:hat|bar|tilde)\s*+\{?+\s*+\\?+[A-Za-z]++\s*+\}?+)"
    r"(?:[_^]\{[\w\\*+]{1,40}+\})?+"
    r"\s*+(?:(?:\\left)?\(\s*+[^()+*/=]{0,2000}+\))?+\s*+&?+\s*+"
    r"(?::=|=(?!=)|~|\\sim\b|\\approx\b|≈)\s*+&?+"
)
_EQUALS = ("=", "~", "≈", "\\sim", "\\approx")
_THETA = re.compile(r"\|\s*+theta\s*+=\s*+(.*+)", re.DOTALL)


def left_hand_side(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The name before the first equals sign and where its right-hand side begins, if it is one.

    Parameters
    ----------
    text : str
    start, end : int
        The part of the text to look at, as character offsets.

    Returns
    -------
    name : str
        As written.
    place : int
        Offset of the first character behind the equals sign.

    Examples
    --------
    >>> left_hand_side(r"\\hat{y} = 2", 0, 11), left_hand_side("f(x, y) := x", 0, 12)
    (('\\\\hat{y}', 10), ('f', 11))
    >>> left_hand_side("x == 2", 0, 6) is None
    True
    """
    if not any(mark in text for mark in _EQUALS):
        return None
    head = _HEAD.match(text, start, end)
    return (head["name"].strip(), head.end()) if head else None


def trailing_parameters(text: str) -> tuple[int, int, dict[str, str]] | None:
    """Where ``|theta=v0;v1`` at the end of a text begins, where the formula ends, and the values.

    Examples
    --------
    >>> trailing_parameters("t0*x|front:3|theta=1.5;2")
    (12, 4, {'t0': '1.5', 't1': '2'})
    """
    place = text.rfind("|")
    found = _THETA.match(text, place) if place >= 0 else None
    if found is None:
        return None
    front = text.rfind("|front", 0, place)
    values = {f"t{i}": value for i, value in enumerate(found[1].split(";")) if value.strip()}
    return place, front if front >= 0 else place, values


__all__ = [
    "NOTATIONS",
    "SYNTAXES",
    "Alternative",
    "Note",
    "Reading",
    "canonical_name",
    "read",
    "safe_name",
]

SYNTAXES: Mapping[str, str] = {name: row.label for name, row in LANGUAGES.items()}
"""Name and label of every notation; the names are what `read` takes as `syntax`."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_INVISIBLE_OPERATORS = str.maketrans("\u2061\u2062\u2063\u2064", "    ")
"""What MathML writes between a function and its argument, factors, indices and whole numbers."""
_INDEXED = re.compile(r"x[0-9]+\Z")


def read(
    text: str,
    *,
    syntax: str = "auto",
    columns: Collection[str] = (),
    parameters: Mapping[str, str] | None = None,
) -> Reading:
    """Read a formula exactly as it is written.

    Parameters
    ----------
    text : str
        The formula in any notation of `SYNTAXES`: an expression, a function or program
        that returns one, or what a symbolic-regression tool prints.
    syntax : str
        A key of `SYNTAXES` or another name of that tool; anything else is
        taken as ``"auto"``: the notation is detected.
    columns : collection of str
        Names of the data's columns.  They win over other meanings of a name:
        ``pi`` and ``e`` are variables where they are columns.
    parameters : mapping of str to str, optional
        Decimals that stand for names (tinyGP's ``t0``, ``t1``, ...).  A text
        that ends in ``|theta=v0;v1`` brings its own.

    Returns
    -------
    Reading
        The formula, the notation, what its variables count from, and what was
        decided on the way.

    Raises
    ------
    FormulaError
        For everything that cannot be read, with the place and a remedy.

    Examples
    --------
    >>> read("-2**2").formula.structure()[-1][0]
    'neg'
    >>> read(r"\\frac{x_1}{2}").formula.variables
    ('x1',)
    >>> read("2x")
    Traceback (most recent call last):
        ...
    eic_core.errors.FormulaError: `2x`: write `2*x`
    """
    report = Report(text)
    if len(text) > MAX_CHARACTERS:
        report.fail(
            f"the text is longer than {MAX_CHARACTERS:,} characters", 0, 0, "paste one formula"
        )
    hidden = None if text.isprintable() else _HIDDEN.search(text)
    if hidden and ord(hidden[0]) in _INVISIBLE_OPERATORS and BEGINS.match(text):
        hidden = _HIDDEN.search(text.translate(_INVISIBLE_OPERATORS))
    if hidden:
        report.fail(
            f"the text holds an invisible character (U+{ord(hidden[0]):04X})",
            *hidden.span(),
            "remove it",
            _HIDDEN.sub("", text),
        )
    start, end = 0, len(text)
    theta = trailing_parameters(text)
    values = dict(parameters or {})
    if theta:
        end = theta[1]
        values |= theta[2]
    start, end, fence = unwrap(text, start, end)
    hint = language(syntax) or language(fence)
    name = hint or detect(text, start, end)
    program = None
    may_be_code = name in DIALECTS or (LANGUAGES[name].reader == INFIX and "#" in text)
    if may_be_code and not _BACKSLASH.search(text, start, end):
        program = _program(report, columns, start, end, hint)
        if program is not None:
            start, end = program.statements[-1][1:]
    head = left_hand_side(report.view, start, end) if name not in _WHOLE else None
    if head:
        start = head[1]
        report.note(f"only the right-hand side of `{head[0]} = …` is read", (0, start))
        name = hint or detect(report.view, start, end)
    if name == "infix" and head and "\\" in text[: head[1]]:
        name = "latex"
    row = LANGUAGES[name]
    is_latex = row.reader == INFIX and _BACKSLASH.search(text, start, end) is not None
    reader = LATEX if is_latex else row.reader
    name = "latex" if reader == LATEX else name
    if program is not None and name in DIALECTS:
        name = program.dialect
        columns = (*columns, *constant_arguments(columns, program.arguments))
    if reader == INFIX and (program is None or program.is_plain):
        start, end = _one_side(report, start, without_closing_marks(report.view, start, end))
    try:
        names = Names(columns, values, row.euler)
    except Refusal as refusal:
        place = (theta[0], len(text)) if theta else (0, 0)
        report.fail(refusal.message, *place, refusal.hint)
    if program is not None and not program.is_plain and reader == INFIX:
        draft = read_source(report, names, program)
    else:
        draft, name = _read(report, names, reader, name, start, end, hint is None)
    formula = Formula.from_draft(draft, text)
    if formula.complexity > MAX_NODES:
        report.fail(f"the formula has more than {MAX_NODES:,} nodes", start, end, "split it")
    if hint is None and "E" in formula.variables and "E" not in names.exact:
        others = [v for v in formula.variables if v != "E"]
        if others and all(_INDEXED.match(v) for v in others):
            place = next(n.span for n in formula if n.label == "E")
            report.note("`E` is read as Euler's number, as SymPy prints it", place)
            anew = Report(text)
            anew.view = report.view
            euler = Names(columns, values, True)
            if program is not None and not program.is_plain:
                again = read_source(anew, euler, program)
            else:
                again, name = _read(anew, euler, reader, name, start, end, True)
            formula = Formula.from_draft(again, text)
    return Reading(
        formula,
        name,
        _index_base(report, formula, report.index_base or LANGUAGES[name].index_base),
        tuple(report.notes.values()),
        tuple(report.alternatives.values()),
    )


_READERS = {
    LATEX: read_latex,
    SEXPR: read_sexpr,
    MATHEMATICA: read_mathematica,
    SPREADSHEET: read_spreadsheet,
    MATHML: read_mathml,
}
_WHOLE = frozenset(("fpcore", "prefix", "mathematica", "spreadsheet", "mathml"))
"""Notations that themselves say what an equals sign means."""
_BACKSLASH = re.compile(r"\\(?!\r?\n)")
_EQUALS_ZERO = re.compile(r"={1,2}\s*+[+-]?0(?:\.0*+)?+\s*+\Z")


def _program(
    report: Report, columns: Collection[str], start: int, end: int, hint: str | None
) -> Program | None:
    """The text as a program, None if nothing in it may be more than a plain formula."""
    of_program = hint in DIALECTS and hint != "infix"
    if not of_program and not looks_like_code(report.text, start, end):
        return None
    if looks_like_prefix(report.text, start, end):
        return None
    return read_program(report, frozenset(columns), start, end, hint)


def _one_side(report: Report, start: int, end: int) -> tuple[int, int]:
    """The place of a formula without a lone ``=`` before it or ``= 0`` behind it."""
    text = report.view
    place = start
    while place < end and text[place].isspace():
        place += 1
    if text.startswith("=", place, end) and not text.startswith("==", place, end):
        start = place + 1
    place = text.rfind("=", start, end)
    if place > start:
        place -= text[place - 1] == "="
        if _EQUALS_ZERO.match(text, place, end) and "=" not in text[start:place]:
            report.note("the left-hand side of `… = 0` is read", (place, end))
            end = place
    return start, end


def _read(
    report: Report, names: Names, reader: str, name: str, start: int, end: int, guessed: bool
) -> tuple[Draft, str]:
    """The draft, and the notation it was finally read in."""
    if reader == PREFIX or (guessed and looks_like_prefix(report.text, start, end)):
        try:
            return read_prefix(report, names, start, end), "prefix" if guessed else name
        except FormulaError:
            if not guessed:
                raise
    if reader in _READERS:
        return _READERS[reader](report, names, start, end), name
    tokens = tokenize(report, start, end)
    try:
        return parse_text(report, names, tokens), name
    except FormulaError:
        if ";" in report.text:
            mended = parse_repaired(report, names, tokens)
            if mended is not None:
                return mended, "pysr" if guessed else name
        raise


def _index_base(report: Report, formula: Formula, known: int | None) -> int | None:
    """What the variables count from; an index of 0 settles it."""
    if "x0" in formula.variables:
        if known == 1:
            report.note("this text counts its variables from 0", formula.root.span)
        return 0
    return known
