"""Reading formulas in the notations that people and symbolic-regression tools write.

`read` is the one entry.  Nothing here evaluates text: a tokenizer per notation
feeds one precedence parser, which builds `Formula` nodes and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import Refusal
from eic_core.formula.syntax.conditions import CONDITIONS, settle
from eic_core.formula.syntax.infix import parse_infix, parse_repaired, tokenize
from eic_core.formula.syntax.languages import (
    INFIX,
    LANGUAGES,
    LATEX,
    PREFIX,
    SEXPR,
    detect,
    language,
)
from eic_core.formula.syntax.latex import read_latex
from eic_core.formula.syntax.names import Names, canonical_name, safe_name
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


__all__ = ["SYNTAXES", "Alternative", "Note", "Reading", "canonical_name", "read", "safe_name"]

SYNTAXES: Mapping[str, str] = {name: row.label for name, row in LANGUAGES.items()}
"""Name and label of every notation; the names are what `read` takes as `syntax`."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
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
        The formula: Python, NumPy, SymPy, LaTeX, FPCore, prefix words, or what
        a symbolic-regression tool prints.
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
    hint = language(syntax)
    head = left_hand_side(text, start, end)
    if head and hint not in ("fpcore", "prefix"):
        start = head[1]
        report.note(f"only the right-hand side of `{head[0]} = …` is read", (0, start))
    name = hint or detect(text, start, end)
    if name == "infix" and head and "\\" in text[: head[1]]:
        name = "latex"
    row = LANGUAGES[name]
    reader = LATEX if row.reader == INFIX and "\\" in text[start:end] else row.reader
    name = "latex" if reader == LATEX else name
    try:
        names = Names(columns, values, row.euler)
    except Refusal as refusal:
        place = (theta[0], len(text)) if theta else (0, 0)
        report.fail(refusal.message, *place, refusal.hint)
    draft, name = _read(report, names, reader, name, start, end, hint is None)
    formula = Formula.from_draft(draft, text)
    if names.special or not CONDITIONS.isdisjoint([node[1] for node in formula.nodes]):
        formula = Formula.from_draft(settle(report, draft), text)
    if formula.complexity > MAX_NODES:
        report.fail(f"the formula has more than {MAX_NODES:,} nodes", start, end, "split it")
    if hint is None and "E" in formula.variables and "E" not in names.exact:
        others = [v for v in formula.variables if v != "E"]
        if others and all(_INDEXED.match(v) for v in others):
            place = next(n.span for n in formula if n.label == "E")
            report.note("`E` is read as Euler's number, as SymPy prints it", place)
            again, name = _read(
                Report(text), Names(columns, values, True), reader, name, start, end, True
            )
            formula = Formula.from_draft(again, text)
            if not CONDITIONS.isdisjoint([node[1] for node in formula.nodes]):
                formula = Formula.from_draft(settle(Report(text), again), text)
    return Reading(
        formula,
        name,
        _index_base(report, formula, LANGUAGES[name].index_base),
        tuple(report.notes.values()),
        tuple(report.alternatives.values()),
    )


def _read(
    report: Report, names: Names, reader: str, name: str, start: int, end: int, guessed: bool
) -> tuple[Draft, str]:
    """The draft, and the notation it was finally read in."""
    if reader == LATEX:
        return read_latex(report, names, start, end), name
    if reader == SEXPR:
        return read_sexpr(report, names, start, end), name
    if reader == PREFIX or (guessed and looks_like_prefix(report.text, start, end)):
        try:
            return read_prefix(report, names, start, end), "prefix" if guessed else name
        except FormulaError:
            if not guessed:
                raise
    tokens = tokenize(report, start, end)
    try:
        return parse_infix(report, names, tokens), name
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
