"""Reading formulas in the notations that people and symbolic-regression tools write. `read` is the
one entry. Nothing here evaluates text: a tokenizer per notation feeds one precedence parser, which
builds `Formula` nodes. In all modules here `start` and `end` are character offsets in the report's
text, [start, end); a `Span` is such a pair.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import get_args

from eic_core.errors import FormulaError, UserError
from eic_core.formula.syntax.alphabets import in_plain_letters, note_look_alikes
from eic_core.formula.syntax.build import with_noisy_exponents
from eic_core.formula.syntax.conditions import CONDITIONS, settle
from eic_core.formula.syntax.definitions import beside, define, refuse_named_value
from eic_core.formula.syntax.derivatives import refuse_derivatives
from eic_core.formula.syntax.euler import note_meaning_of_e, reason_for_euler
from eic_core.formula.syntax.infix import parse_repaired, parse_text, tokenize
from eic_core.formula.syntax.languages import (
    BY_HAND,
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
from eic_core.formula.syntax.names import (
    MISSING,
    Names,
    canonical_name,
    forms_apart,
    is_indexed,
    safe_name,
)
from eic_core.formula.syntax.paste import (
    ask_for_a_side,
    behind_item,
    behind_label,
    equation_number,
    left_hand_side,
    marked_lines,
    unwrap,
    without_closing_marks,
)
from eic_core.formula.syntax.policy import Policy, Words
from eic_core.formula.syntax.prefix import (
    gap_of_applied_word,
    looks_like_prefix,
    read_prefix,
    signed_pair,
)
from eic_core.formula.syntax.protected import note_protected
from eic_core.formula.syntax.reading import (
    MAX_CHARACTERS,
    MAX_NODES,
    Alternative,
    Note,
    Reading,
    Refusal,
    Report,
)
from eic_core.formula.syntax.sexpr import read_sexpr
from eic_core.formula.syntax.source_code import (
    Program,
    read_program,
    read_source,
)
from eic_core.formula.syntax.source_view import DIALECTS, looks_like_code
from eic_core.formula.syntax.spreadsheet import read_spreadsheet
from eic_core.formula.tree import Draft, Exponents, Formula

_THETA = re.compile(r"\|\s*+theta\s*+=\s*+(.*+)", re.DOTALL)


def trailing_parameters(text: str) -> tuple[int, int, dict[str, str]] | None:
    """Where ``|theta=v0;v1`` at the end of a text begins, where the formula ends, and the values.

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
    "EXPONENTS",
    "NOTATIONS",
    "SYNTAXES",
    "Alternative",
    "Note",
    "Policy",
    "Reading",
    "Words",
    "canonical_name",
    "check_exponents",
    "read",
    "safe_name",
]

SYNTAXES: Mapping[str, str] = {name: row.label for name, row in LANGUAGES.items()}
"""Name and label of every notation; the names are what `read` takes as `syntax`."""

EXPONENTS: tuple[Exponents, ...] = get_args(Exponents)
"""The ways to read literal exponents, the default first."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_INVISIBLE_OPERATORS = str.maketrans("\u2061\u2062\u2063\u2064", "    ")
"""What MathML writes between a function and its argument, factors, indices and whole numbers."""


def read(
    text: str,
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
        returns one, or what a symbolic-regression tool prints.
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

    def read_again(other: str) -> Reading:
        plain = in_plain_letters(other)
        return _read_text(plain, other, syntax, columns, parameters or {}, exponents, policy)

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
    mended = [(meaning, corrected(text, meaning)) for meaning, text in error.choices]
    error.choices = tuple((meaning, text) for meaning, text in mended if text is not None)
    head = left_hand_side(error.source, 0, len(error.source))
    return ask_for_a_side(error, head[1] if head else 0, len(error.source), is_read)


def _read_text(
    text: str,
    source: str,
    syntax: str,
    columns: Collection[str],
    parameters: Mapping[str, str],
    exponents: Exponents,
    given_policy: Policy | None,
) -> Reading:
    """Read `text`: the source letter for letter, with mathematical alphabets as plain letters.
    Nothing proves that the text which an error proposes can be read.
    """
    report = Report(text, source)
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
    values = dict(parameters)
    if theta:
        end = theta[1]
        values |= theta[2]
    start, end, fence = unwrap(text, start, end)
    label = behind_label(text, start, end)
    if label:
        report.note(f"`{label[0]}:` before the formula is not read", (start, label[1]))
        start, end, inner = unwrap(text, label[1], end)
        fence = fence or inner
    item = behind_item(text, start, end, closed=True)
    if item:
        report.note(f"`{item[0]}` before the formula is not read", (start, item[1]))
        start, end, _ = unwrap(text, item[1], end)
    defined = beside(text, start, end)
    if defined is not None:
        _, start, end = defined
    hint = language(syntax) or language(fence)
    name = hint or detect(text, start, end)
    program = None
    if "ymbol" in text and _SYMBOLS.fullmatch(text, start, end):
        report.fail(
            "this line declares variables and holds no formula",
            start,
            end,
            "give the formula that uses them",
        )
    may_be_code = name in (*DIALECTS, "fortran") or (
        LANGUAGES[name].reader == INFIX
        and ("#" in text or hint is None and _PROGRAM.search(text, start, end) is not None)
    )
    has_command = "\\" in text and _BACKSLASH.search(text, start, end) is not None
    if has_command and hint in (None, "infix") and _SHORT_FUNCTION.fullmatch(text, start, end):
        has_command, name, may_be_code = False, "infix", True
    if may_be_code and not has_command:
        program = _program(report, columns, start, end, hint)
        if program is not None:
            start, end = program.statements[-1][1:]
    head = left_hand_side(report.view, start, end) if name not in _WHOLE else None
    arguments = program.arguments if program is not None else ()
    if head:
        start = head[1]
        arguments += head[2]
        report.note(f"only the right-hand side of `{head[0]} = …` is read", (0, start))
        name = hint or detect(report.view, start, end)
        if text[:start].rstrip(" &").endswith("~"):  # a model of R, in which `I(…)` says nothing
            body = _AS_IT_IS.sub(" ", report.view[start:end])
            report.view = report.view[:start] + body + report.view[end:]
    if name == "infix" and head and "\\" in text[: head[1]]:
        name = "latex"
    row = LANGUAGES[name]
    is_latex = has_command and row.reader == INFIX and _BACKSLASH.search(text, start, end)
    reader = LATEX if is_latex else row.reader
    name = "latex" if reader == LATEX else name
    if program is not None and name in DIALECTS:
        name = program.dialect
        row = LANGUAGES[name]
    if reader == SPREADSHEET:
        end = without_closing_marks(text, start, end)
    if reader == INFIX and (program is None or program.is_plain):
        start, end = _one_side(report, start, without_closing_marks(report.view, start, end))
    if reader == INFIX and (program is None or program.is_plain):
        _offer_without_numbers(report, start, end)
    lines = program if program is not None and not program.is_plain and reader == INFIX else None
    base = given_policy or row.policy

    def attempt(euler: bool, cased: bool) -> tuple[Report, Names, Formula, str]:
        again = report.begin_again()
        try:
            words = base.words if lines is None else Words.NAME  # of a program
            policy = replace(base, euler=euler, cased=cased, words=words)
            if given_policy is None:
                of_fortran = reader == INFIX and _OF_FORTRAN.search(text, start, end) is not None
                base_first = "first" if "ℯ" in source else ""  # which only Julia writes
                policy = replace(
                    policy,
                    log_base=base.log_base or base_first,
                    mod="fmod" if of_fortran else base.mod,
                )
            names = Names(columns, values, policy, arguments)
            if not text.isascii():
                names.variants = forms_apart(text)
            if "N" in text and reader == INFIX and ("NA" in text or "NULL" in text):
                names.take_for_missing(MISSING)
        except Refusal as refusal:
            place = (theta[0], len(text)) if theta else (0, 0)
            again.refuse(refusal, *place)
        if defined is not None:
            is_tex = reader == LATEX or "\\" in text
            own = LATEX if is_tex else INFIX
            define(
                again,
                names,
                defined.definitions,
                lambda body, inside, low, high: _read_infix(
                    body, inside, own, name, low, high, True
                )[0],
            )
        refuse_named_value(again, names, start, end)
        if lines is not None:
            draft, notation = read_source(again, names, lines), name
        else:
            given = hint is not None
            draft, notation = _read(again, names, reader, name, start, end, given)
        if exponents == "noisy":
            draft = with_noisy_exponents(draft)
        formula = Formula.from_draft(draft, source, exponents)
        if names.special or not CONDITIONS.isdisjoint([node[1] for node in formula.nodes]):
            formula = Formula.from_draft(settle(again, draft), source, exponents)
        return again, names, formula, notation

    report, names, formula, notation = attempt(base.euler, False)
    cased = "X" in text and names.holds_both_cases
    if cased:
        report, names, formula, notation = attempt(base.euler, True)
    first = lines.statements[0].start if lines is not None else start
    is_sympy = base.euler
    if "E" in text and not names.is_column("E"):
        reason = "as this notation prints it" if base.euler else ""
        if reader == SEXPR:
            reason = "" if "FPCore" in text else "as FPCore writes it"
        elif reader in _WITH_A_LETTER_E and "E" in formula.variables:
            reason = reason_for_euler(report.view[first:end], formula)
            if reason:
                is_sympy = True
                report, names, formula, notation = attempt(True, cased)
        if notation != "prefix" and (reader == INFIX or reader in (LATEX, SEXPR) and reason):
            note_meaning_of_e(report, formula, reason, first, end, lines is None)
    if not _UNIT_NAMES.isdisjoint(names.met):
        _note_imaginary(report, names, start, end, is_sympy)
    if reader == INFIX and "[" in report.view:
        _note_element(report, names)
    if cased:
        report.note(
            "`X` and `x` both stand in this text with the same index: they are two variables",
            (start, end),
        )
    if formula.complexity > MAX_NODES:
        report.fail(f"the formula has more than {MAX_NODES:,} nodes", start, end, "split it")
    if names.policy.protected:
        note_protected(report, formula)
    if not text.isascii():
        note_look_alikes(report, names)
    return Reading(
        formula,
        notation,
        _index_base(report, formula, report.index_base or base.index_base),
        tuple(report.notes),
        report.other_readings(),
        report.domain,
        report.protected,
        names.policy,
    )


_UNIT_NAMES = frozenset("Iij")
_UNITS = re.compile(r"(?<![\w.\\])[Iij](?!\w)")


def _note_imaginary(report: Report, names: Names, start: int, end: int, is_sympy: bool) -> None:
    """Say that ``i``, ``j`` or ``I`` is a variable; where ``E`` is SymPy's, refuse its imaginary
    unit.
    """
    met = names.guessed_among(_UNIT_NAMES)
    if not met:
        return
    found = next((m for m in _UNITS.finditer(report.view, start, end) if m[0] in met), None)
    if found is None:
        return
    if found[0] == "I" and is_sympy:
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


_READERS = {
    LATEX: read_latex,
    SEXPR: read_sexpr,
    MATHEMATICA: read_mathematica,
    SPREADSHEET: read_spreadsheet,
    MATHML: read_mathml,
}
_WITH_A_LETTER_E = frozenset((INFIX, LATEX, PREFIX))
"""Readers of notations in which an ``E`` may be a variable or Euler's number."""
_WHOLE = frozenset(("fpcore", "prefix", "mathematica", "spreadsheet", "mathml"))
"""Notations that themselves say what an equals sign means."""
_AS_IT_IS = re.compile(r"(?<![\w.])I(?=\()")
_OF_FORTRAN = re.compile(r"(?<![\w.])[0-9]++\.?+[0-9]*+[dD][+-]?+[0-9]++(?!\w)")
"""A number of Fortran, whose ``mod`` has the dividend's sign."""
_BACKSLASH = re.compile(r"\\(?!\r?\n)")
_PROGRAM = re.compile(r"\b(?:def|return|lambda)\b")
_SHORT_FUNCTION = re.compile(
    r"\s*+(?:[^\W\d][\w.]*+\s*+(?:<-|=)\s*+)?+\\\([^\W\d][\w.]*+"
    r"(?:\s*+,[^()\\]*+)?+\)(?=\s*+[^\s\\$])[^\\$]*+"
)
"""R's function without a name, ``\\(x) x^2``, which is no LaTeX."""
_SYMBOLS = re.compile(
    r"\s*+[\w ,]++=\s*+(?:(?:sympy|sp)\.)?(?:symbols|Symbol)\s*+\([^()\n]*+\)[\s;]*+"
)
"""A line that only declares the variables of SymPy."""
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
    if place > start and text[place - 1] not in "<>!~≤≥≠":
        place -= text[place - 1] == "="
        if _EQUALS_ZERO.match(text, place, end) and "=" not in text[start:place]:
            report.note("the left-hand side of `… = 0` is read", (place, end))
            end = place
    if "?" not in text and text[start:end].rstrip().endswith(":"):  # as Maple ends a statement
        end = start + len(text[start:end].rstrip()) - 1
    return start, end


def _read(
    report: Report,
    names: Names,
    reader: str,
    name: str,
    start: int,
    end: int,
    given: bool,
) -> tuple[Draft, str]:
    """The draft, and the notation in which the text was read in the end."""
    if reader == PREFIX:
        return read_prefix(report, names, start, end), name
    if given:
        return _read_infix(report, names, reader, name, start, end, given)
    text = report.text
    gap = gap_of_applied_word(text, start, end) if name == "infix" else -1
    if gap >= 0 and not names.spells_column(text[gap:end].strip()):
        report.text = report.view = f"{text[:gap]}({text[gap + 1 : end]}){text[end:]}"
        draft, notation = _read_infix(report, names, reader, name, start, end + 1, given)
        draft.span = (draft.span[0], end)
        return draft, notation
    if not looks_like_prefix(text, start, end):
        return _read_infix(report, names, reader, name, start, end, given)
    pair = signed_pair(text, start, end)
    headed = text[:start].rstrip().endswith(("=", "<-", "~"))
    if pair is not None and not headed:
        return _read_signed(report, names, reader, name, (start, end), pair)
    if not headed:
        try:
            return read_prefix(report, names, start, end), "prefix"
        except FormulaError:
            return _read_infix(report, names, reader, name, start, end, given)
    notes, words = dict(report.notes), text[start:end].split(None, 3)
    try:
        return _read_infix(report, names, reader, name, start, end, given)
    except FormulaError as error:
        if len(words) == 3 and words[0] in ("+", "-"):
            raise  # `y = - x 2` is no difference
        report.notes = notes
        try:
            return read_prefix(report, names, start, end), "prefix"
        except FormulaError:
            raise error from None


def _read_signed(
    report: Report,
    names: Names,
    reader: str,
    name: str,
    place: tuple[int, int],
    pair: tuple[int, str],
) -> tuple[Draft, str]:
    """``- k x`` as a product, with the reading as Polish notation offered, or asked for."""
    start, end = place
    label = f"{pair[1]}, in Polish notation"
    other = report.text[: pair[0]] + pair[1] + report.text[end:]
    try:
        found = _read_infix(report, names, reader, name, start, end, False)
    except FormulaError as error:
        error.choices = (*error.choices, (label, other))
        raise
    report.note("the sign is read as that of a product, not as Polish notation", place)
    report.alternative(label, lambda: other)
    return found


def _read_infix(
    report: Report, names: Names, reader: str, name: str, start: int, end: int, given: bool
) -> tuple[Draft, str]:
    if reader in _READERS:
        return _READERS[reader](report, names, start, end), name
    if name == "infix" and "/" in report.view and "d" in report.view:
        refuse_derivatives(report, names, start, end)
    tokens = tokenize(report, start, end)
    try:
        return parse_text(report, names, tokens, by_hand=name in BY_HAND), name
    except FormulaError:
        if ";" in report.text:
            mended = parse_repaired(report, names, tokens)
            if mended is not None:
                return mended, name if given else "pysr"
        raise


def _offer_without_numbers(report: Report, start: int, end: int) -> None:
    """Offer a formula without the number of a list's item or an equation; offer each item of a
    list.
    """
    text = report.text
    for number, line in enumerate(marked_lines(text, start, end), 1):
        told = "the lines are read as one formula: the signs before them may mark items of a list"
        report.note(told, (start, end))
        report.keep(f"line {number} alone", line)
    item = behind_item(text, start, end) if not text[:start].strip() else None
    if item:
        told = f"`{item[0]}` is read as a factor: it may be the number of an item"
        report.note(told, (start, item[1]))
        report.keep(f"without the number `{item[0]}`", text[item[1] :])
    mark = equation_number(text, start, end) if not text[end:].strip(" \n,;.") else None
    if mark:
        report.note(f"`{mark[0]}` may be the number of the equation", (mark[1], end))
        report.keep(f"without the number `{mark[0]}`", text[: mark[1]])


def _index_base(report: Report, formula: Formula, known: int | None) -> int | None:
    """Offer the formula without an item's or an equation's number; offer each item of a list."""
    if "x0" in formula.variables:
        if known == 1:
            report.note("this text counts its variables from 0", formula.root.span)
        return 0
    return known
