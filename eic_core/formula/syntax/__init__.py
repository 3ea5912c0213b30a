"""Reading formulas in the notations that people and symbolic-regression tools write.

`read` is the one entry.  Nothing here evaluates text: a tokenizer per notation
feeds one precedence parser, which builds `Formula` nodes and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import Refusal
from eic_core.formula.syntax.equations import ask_for_a_side, left_hand_side
from eic_core.formula.syntax.euler import note_meaning_of_e, reason_for_euler
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
from eic_core.formula.syntax.protected import note_protected
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

_THETA = re.compile(r"\|\s*+theta\s*+=\s*+(.*+)", re.DOTALL)


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
    >>> read("2x(x+1)").notes[-1].message
    'read as `2*x*(x+1)`: between two factors side by side `*` is understood'
    >>> read("lg(x)")
    Traceback (most recent call last):
        ...
    eic_core.errors.FormulaError: unknown function `lg`: did you mean `log10`?
    """

    def read_again(other: str) -> Reading:
        return _read_text(other, syntax, columns, parameters or {})

    try:
        return read_again(text)
    except FormulaError as error:
        raise _with_a_way_out(error, read_again) from None


_MOST_CORRECTIONS = 4


def _with_a_way_out(error: FormulaError, read_again: Callable[[str], Reading]) -> FormulaError:
    """The error with a replacement that can be read or none, and the sides of an equation.

    A text with two mistakes is corrected twice.
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
    mended = [(meaning, corrected(text, meaning)) for meaning, text in error.choices]
    error.choices = tuple((meaning, text) for meaning, text in mended if text is not None)
    head = left_hand_side(error.source, 0, len(error.source))
    return ask_for_a_side(error, head[1] if head else 0, len(error.source), is_read)


def _read_text(
    text: str, syntax: str, columns: Collection[str], parameters: Mapping[str, str]
) -> Reading:
    """Read a formula, without proof that what an error proposes can be read."""
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
    values = dict(parameters)
    if theta:
        end = theta[1]
        values |= theta[2]
    hint = language(syntax)
    head = left_hand_side(text, start, end) if hint not in ("fpcore", "prefix") else None
    arguments: tuple[str, ...] = ()
    if head:
        start, arguments = head[1:]
    name = hint or detect(text, start, end)
    if name == "infix" and head and "\\" in text[: head[1]]:
        name = "latex"
    row = LANGUAGES[name]
    reader = LATEX if row.reader == INFIX and "\\" in text[start:end] else row.reader
    name = "latex" if reader == LATEX else name

    def attempt(euler: bool, cased: bool) -> tuple[Report, Names, Formula, str]:
        report = Report(text)
        if head:
            report.note(f"only the right-hand side of `{head[0]} = …` is read", (0, start))
        try:
            names = Names(columns, values, euler, arguments, cased, row.log_base)
        except Refusal as refusal:
            place = (theta[0], len(text)) if theta else (0, 0)
            report.fail(refusal.message, *place, refusal.hint)
        draft, notation = _read(report, names, reader, name, start, end, hint is None)
        return report, names, Formula.from_draft(draft, text), notation

    report, names, formula, notation = attempt(row.euler, False)
    cased = "X" in text and names.holds_both_cases
    if cased:
        report, names, formula, notation = attempt(row.euler, True)
    reason = ""
    if "E" in text and not names.is_column("E"):
        reason = "as this notation prints it" if row.euler else ""
        if reader == SEXPR:
            reason = "" if "FPCore" in text else "as FPCore writes it"
        elif "E" in formula.variables:
            reason = reason_for_euler(text[start:end], formula)
            if reason:
                report, names, formula, notation = attempt(True, cased)
        if notation != "prefix" and (reader == INFIX or reader in (LATEX, SEXPR) and reason):
            note_meaning_of_e(report, formula, reason, start, end)
    if cased:
        report.note(
            "`X` and `x` both stand in this text with the same index: they are two variables",
            (start, end),
        )
    if formula.complexity > MAX_NODES:
        report.fail(f"the formula has more than {MAX_NODES:,} nodes", start, end, "split it")
    if notation == "gplearn":
        note_protected(report, formula)
    return Reading(
        formula,
        notation,
        _index_base(report, formula, LANGUAGES[notation].index_base),
        tuple(report.notes.values()),
        tuple(report.alternatives.values()),
        report.domain,
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
        return parse_infix(report, names, tokens, by_hand=name == "infix"), name
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
