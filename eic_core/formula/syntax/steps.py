"""From a paste to the one parse: small steps, each of which settles one thing about the text before
it is read. A step gives back the same `Paste` if the text has nothing of its kind. No step changes
the text: what says nothing is left out of [start, end), or blank in the report's view.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from eic_core.errors import FormulaError
from eic_core.formula.syntax.definitions import Definition, beside, define, refuse_named_value
from eic_core.formula.syntax.derivatives import refuse_derivatives
from eic_core.formula.syntax.detection import (
    BEGINS_MATHML,
    POLISH,
    detect,
    is_polish,
    polish_words,
    signed_pair,
)
from eic_core.formula.syntax.euler import reason_for_euler
from eic_core.formula.syntax.infix import parse_repaired, parse_text, tokenize
from eic_core.formula.syntax.languages import (
    BY_HAND,
    INFIX,
    LANGUAGES,
    LATEX,
    MATHEMATICA,
    MATHML,
    PREFIX,
    SEXPR,
    SPREADSHEET,
    language,
)
from eic_core.formula.syntax.names import MISSING, Names, forms_apart, holds_both_cases
from eic_core.formula.syntax.paste import (
    behind_item,
    behind_label,
    closed_item,
    equation_number,
    left_hand_side,
    marked_lines,
    unwrap,
    without_closing_marks,
)
from eic_core.formula.syntax.policy import Policy, WordRule
from eic_core.formula.syntax.reading import MAX_CHARACTERS, Refusal, Report
from eic_core.formula.syntax.source_view import DIALECTS, looks_like_code
from eic_core.formula.tree import Draft

if TYPE_CHECKING:
    from eic_core.formula.syntax.source_code import Program


class Paste(NamedTuple):
    """A text, what of it is the formula, and how that is meant."""

    report: Report
    columns: Collection[str]
    parameters: Mapping[str, str]  # Numbers that stand for names
    stated: str  # The language that the user or a code fence states; "" if none does
    policy: Policy | None  # In place of the language's own; from `settle_policy` on the one used
    # start, end: the place of the formula
    start: int
    end: int
    language: str = "infix"
    definitions: tuple[Definition, ...] = ()  # Functions that stand beside the formula
    arguments: tuple[str, ...] = ()  # The names that the text declares as variables
    program: Program | None = None  # Its statements, if it has more than one formula
    parameters_at: int = 0  # Where `|theta=` stands
    reason_for_euler: str = ""  # Why `E` is Euler's number
    polish: str = ""  # The text with `- k x` as Polish notation means it

    @property
    def reader(self) -> str:
        return LANGUAGES[self.language].reader

    @property
    def body(self) -> str:
        return self.report.view[self.start : self.end]


_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_INVISIBLE_OPERATORS = str.maketrans("\u2061\u2062\u2063\u2064", "    ")
"""What MathML writes between a function and its argument, factors, indices and whole numbers."""


def refuse_unreadable(paste: Paste) -> Paste:
    """Raise for a text that is too long, or holds what nobody sees."""
    report, text = paste.report, paste.report.text
    if len(text) > MAX_CHARACTERS:
        long = f"the text is longer than {MAX_CHARACTERS:,} characters"
        report.fail(long, 0, 0, "paste one formula")
    if text.isprintable():
        return paste
    shown = text.translate(_INVISIBLE_OPERATORS) if BEGINS_MATHML.match(text) else text
    if hidden := _HIDDEN.search(shown):
        message = f"the text holds an invisible character (U+{ord(hidden[0]):04X})"
        report.fail(message, *hidden.span(), "remove it", _HIDDEN.sub("", text))
    return paste


_THETA = re.compile(r"\|\s*+theta\s*+=\s*+(.*+)", re.DOTALL)


def take_parameters_off(paste: Paste) -> Paste:
    """Take the numbers of ``|theta=v0;v1`` at the end for the names t0, t1, ..."""
    text = paste.report.text
    place = text.rfind("|")
    values = _THETA.match(text, place) if place >= 0 else None
    if values is None:
        return paste
    front = text.rfind("|front", 0, place)
    numbers = {f"t{i}": value for i, value in enumerate(values[1].split(";")) if value.strip()}
    return paste._replace(
        end=front if front >= 0 else place,
        parameters={**paste.parameters, **numbers},
        parameters_at=place,
    )


def unwrap_formula(paste: Paste) -> Paste:
    """Leave out code fences, quotes, prompts, a label and the number of an item."""
    report, text = paste.report, paste.report.text
    start, end, fence = unwrap(text, paste.start, paste.end)
    for mark_of in (behind_label, closed_item):
        if (mark := mark_of(text, start, end)) is not None:
            report.note(f"`{mark[0]}` before the formula is not read", (start, mark[1]))
            start, end, inner = unwrap(text, mark[1], end)
            fence = fence or inner
    if start == paste.start and end == paste.end:
        return paste
    return paste._replace(start=start, end=end, stated=paste.stated or language(fence) or "")


def take_definitions(paste: Paste) -> Paste:
    """Take the functions that the text defines beside its formula."""
    found = beside(paste.report.text, paste.start, paste.end)
    return (
        paste
        if found is None
        else paste._replace(definitions=found[0], start=found[1], end=found[2])
    )


_BACKSLASH = re.compile(r"\\(?!\r?\n)")
_SHORT_FUNCTION = re.compile(
    r"\s*+(?:[^\W\d][\w.]*+\s*+(?:<-|=)\s*+)?+\\\([^\W\d][\w.]*+"
    r"(?:\s*+,[^()\\]*+)?+\)(?=\s*+[^\s\\$])[^\\$]*+"
)
"""R's function without a name, ``\\(x) x^2``, which is no LaTeX."""


def choose_language(paste: Paste) -> Paste:
    """The language that is stated, or the one that the text looks written in."""
    text, start, end = paste.report.view, paste.start, paste.end
    name = paste.stated or detect(text, start, end)
    if "\\" in text:
        if paste.stated in ("", "infix") and _SHORT_FUNCTION.fullmatch(text, start, end):
            name = "infix"
        elif LANGUAGES[name].reader == INFIX and _BACKSLASH.search(text, start, end):
            name = "latex"
    return paste if name == paste.language else paste._replace(language=name)


_SYMBOLS = re.compile(
    r"\s*+[\w ,]++=\s*+(?:(?:sympy|sp)\.)?(?:symbols|Symbol)\s*+\([^()\n]*+\)[\s;]*+"
)


def refuse_declarations(paste: Paste) -> Paste:
    """Raise for a line that only declares the variables of SymPy."""
    report = paste.report
    if "ymbol" in report.text and _SYMBOLS.fullmatch(report.text, paste.start, paste.end):
        message = "this line declares variables and holds no formula"
        report.fail(message, paste.start, paste.end, "give the formula that uses them")
    return paste


_PROGRAM = re.compile(r"\b(?:def|return|lambda)\b")


def take_statements(paste: Paste) -> Paste:
    """Take a program for its statements, the last of which is the formula."""
    report, start, end = paste.report, paste.start, paste.end
    name, text = paste.language, report.text
    is_code = LANGUAGES[name].is_code
    if paste.reader != INFIX or not (
        is_code or "#" in text or not paste.stated and _PROGRAM.search(text, start, end)
    ):
        return paste
    of_program = paste.stated in DIALECTS and paste.stated != "infix"
    if not of_program and not looks_like_code(text, start, end) or polish_words(text, start, end):
        return paste
    read_program = reader_of("program")
    stated = paste.stated or None
    program: Program = read_program(report, frozenset(paste.columns), start, end, stated)
    start, end = program.statements[-1][1:]
    return paste._replace(
        start=start,
        end=end,
        language=program.dialect if name in DIALECTS else name,
        arguments=program.arguments,
        program=None if program.is_plain else program,
    )


_WITH_HEADS = (INFIX, LATEX)
"""Readers of notations that do not themselves say what an equals sign means."""
_AS_IT_IS = re.compile(r"(?<![\w.])I(?=\()")


def take_right_hand_side(paste: Paste) -> Paste:
    """Of ``y = …`` and ``f(x) = …`` take the right-hand side, and the names that are declared."""
    report, start, end = paste.report, paste.start, paste.end
    head = left_hand_side(report.view, start, end) if paste.reader in _WITH_HEADS else None
    if head is None:
        return paste
    name, place, declared = head
    report.note(f"only the right-hand side of `{name} = …` is read", (0, place))
    headed = choose_language(paste._replace(start=place))
    if report.text[:place].rstrip(" &").endswith("~"):  # a model of R: `I(…)` says nothing
        body = _AS_IT_IS.sub(" ", report.view[place:end])
        report.view = report.view[:place] + body + report.view[end:]
    if headed.language in DIALECTS and paste.language in DIALECTS:
        headed = headed._replace(language=paste.language)
    elif headed.language == "infix" and "\\" in report.view[start:place]:
        headed = headed._replace(language="latex")
    return headed._replace(arguments=paste.arguments + declared)


_EQUALS_ZERO = re.compile(r"={1,2}\s*+[+-]?0(?:\.0*+)?+\s*+\Z")


def drop_closing_marks(paste: Paste) -> Paste:
    """Leave out a closing mark, a lone ``=`` before a formula, and ``= 0`` behind it."""
    report, text, start = paste.report, paste.report.view, paste.start
    reader = paste.reader
    if paste.program is not None or reader not in (INFIX, SPREADSHEET):
        return paste
    end = without_closing_marks(text, start, paste.end)
    if reader == INFIX and "=" in text:
        bare = text[start:end].lstrip()
        headed = text[:start].rstrip().endswith(("=", "~"))
        if bare.startswith("=") and not bare.startswith("==") and not headed:
            start = end - len(bare) + 1
        place = text.rfind("=", start, end)
        if place > start and text[place - 1] not in "<>!~≤≥≠":
            place -= text[place - 1] == "="
            if _EQUALS_ZERO.match(text, place, end) and "=" not in text[start:place]:
                report.note("the left-hand side of `… = 0` is read", (place, end))
                end = place
    if reader == INFIX and ":" in text and "?" not in text:
        bare = text[start:end].rstrip()
        if bare.endswith(":"):  # as Maple ends a statement
            end = start + len(bare) - 1
    if start == paste.start and end == paste.end:
        return paste
    return paste._replace(start=start, end=end)


_MARKS = "-+([0123456789 \t\n"
"""What the number of an item or its sign begins with, or blanks before it."""


def offer_without_numbers(paste: Paste) -> Paste:
    """Offer a formula without the number of an item or an equation; offer each item of a list."""
    report, text, start, end = paste.report, paste.report.text, paste.start, paste.end
    first, last = text[start : start + 1], text[max(end - 1, 0) : end]
    if paste.program is not None or paste.reader != INFIX or first not in _MARKS and last != ")":
        return paste
    for number, line in enumerate(marked_lines(text, start, end), 1):
        message = (
            "the lines are read as one formula: the signs before them may mark items of a list"
        )
        report.note(message, (start, end))
        report.keep(f"line {number} alone", line)
    item = behind_item(text, start, end) if not text[:start].strip() else None
    if item:
        report.note(
            f"`{item[0]}` is read as a factor: it may be the number of an item", (start, item[1])
        )
        report.keep(f"without the number `{item[0]}`", text[item[1] :])
    mark = equation_number(text, start, end) if not text[end:].strip(" \n,;.") else None
    if mark:
        report.note(f"`{mark[0]}` may be the number of the equation", (mark[1], end))
        report.keep(f"without the number `{mark[0]}`", text[: mark[1]])
    return paste


def take_polish_notation(paste: Paste) -> Paste:
    """Take a list of words, operators first, for Polish notation, and ``- k x`` for a product."""
    text, start, end = paste.report.text, paste.start, paste.end
    if paste.stated or paste.language != "infix":
        return paste
    words = polish_words(text, start, end)
    headed = text[:start].rstrip().endswith(("=", "<-", "~"))
    pair = signed_pair(text[start:end]) if words and not headed else ""
    if pair:
        return paste._replace(polish=text[:start] + pair + text[end:])
    if not words or not is_polish(words, paste.columns.__contains__):
        return paste
    if headed and words[0] in "+-" and words[1] not in POLISH:
        return paste  # of `y = - x + 2` it is a sign
    return paste._replace(language="prefix")


_OF_FORTRAN = re.compile(r"(?<![\w.])[0-9]++\.?+[0-9]*+[dD][+-]?+[0-9]++(?!\w)")
"""A number of Fortran, whose ``mod`` has the dividend's sign."""
_WITH_A_LETTER_E = (INFIX, LATEX, PREFIX)
"""Readers of notations in which an ``E`` may be a variable or Euler's number."""


def settle_policy(paste: Paste) -> Paste:
    """Decide what words and calls mean: by the language, and what it leaves open by the text."""
    report, body, program = paste.report, paste.body, paste.program
    policy = paste.policy or LANGUAGES[paste.language].policy
    changes: dict[str, Any] = {}
    if paste.policy is None:
        if program is not None:
            changes["words"] = WordRule.NAME
            changes["powers_from_left"] = bool(program.powers_from_left)
        if paste.reader == PREFIX and not paste.stated:  # `sin xy` is written by hand
            changes["words"] = WordRule.GIVEN
        text = report.text
        may_be_fortran = paste.reader == INFIX and ("d" in text or "D" in text)
        if may_be_fortran and _OF_FORTRAN.search(text, paste.start, paste.end):
            changes["calls"] = "mod=fmod"
        if "ℯ" in report.source and not policy.log_base:  # which only Julia writes
            changes["log_base"] = "first"
    if program is not None:
        body = ";".join([report.view[each.start : each.end] for each in program.statements])
        defined = [re.escape(each.name) for each in program.statements if each.name]
        body = re.sub(rf"\b(?:{'|'.join(defined)})\b", "", body) if defined else body
    if "X" in body and "x" in body and holds_both_cases(body):
        changes["cased"] = True
        message = "`X` and `x` both stand in this text with the same index: they are two variables"
        report.note(message, (paste.start, paste.end))
    reason = ""
    if "E" in body and not policy.euler and paste.reader in _WITH_A_LETTER_E:
        named = (*paste.columns, *paste.arguments, *paste.parameters)
        reason = reason_for_euler(body, paste.reader == LATEX) if "E" not in named else ""
        if reason:
            changes["euler"] = True
    policy = replace(policy, **changes) if changes else policy
    return paste._replace(policy=policy, reason_for_euler=reason)


STEPS: tuple[Callable[[Paste], Paste], ...] = (
    refuse_unreadable,
    take_parameters_off,
    unwrap_formula,
    take_definitions,
    choose_language,
    refuse_declarations,
    take_statements,
    take_right_hand_side,
    drop_closing_marks,
    offer_without_numbers,
    take_polish_notation,
    settle_policy,
)


def names_of(paste: Paste) -> Names:
    """What the names of the text mean."""
    text = paste.report.text
    assert paste.policy is not None
    try:
        names = Names(paste.columns, paste.parameters, paste.policy, paste.arguments)
    except Refusal as refusal:
        place = (paste.parameters_at, len(text)) if paste.parameters_at else (0, 0)
        paste.report.refuse(refusal, *place)
    if not text.isascii():
        names.variants = forms_apart(text)
    if "N" in text and paste.reader == INFIX and ("NA" in text or "NULL" in text):
        names.take_for_missing(MISSING)
    return names


_READERS = {
    LATEX: ("latex", "read_latex"),
    MATHEMATICA: ("mathematica", "read_mathematica"),
    MATHML: ("mathml", "read_mathml"),
    PREFIX: ("prefix", "read_prefix"),
    SEXPR: ("sexpr", "read_sexpr"),
    SPREADSHEET: ("spreadsheet", "read_spreadsheet"),
    "program": ("source_code", "read_program"),
    "statements": ("source_code", "read_source"),
}
"""Module and function of each reader, which is loaded when its language turns up."""


@lru_cache(maxsize=64)
def reader_of(name: str) -> Callable[..., Any]:
    module, function = _READERS[name]
    return getattr(import_module(f"eic_core.formula.syntax.{module}"), function)


def parse(paste: Paste, names: Names) -> tuple[Draft, str]:
    """The tree, and the notation in which the text was read in the end."""
    report, start, end = paste.report, paste.start, paste.end
    if paste.definitions:
        language = paste.language if paste.reader == INFIX else "infix"
        language = "latex" if "\\" in report.text else language
        one = paste._replace(language=language, stated=language, program=None)
        define(
            report,
            names,
            paste.definitions,
            lambda body, inside, low, high: _parse(
                one._replace(report=body, start=low, end=high), inside
            )[0],
        )
    refuse_named_value(report, names, start, end)
    if not paste.polish:
        return _parse(paste, names)
    label = f"{signed_pair(report.text[start:end])}, in Polish notation"
    try:
        result = _parse(paste, names)
    except FormulaError as error:
        error.choices = (*error.choices, (label, paste.polish))
        raise
    message = "the sign is read as that of a product, not as Polish notation"
    report.note(message, (start, end))
    report.alternative(label, lambda: paste.polish)
    return result


def _parse(paste: Paste, names: Names) -> tuple[Draft, str]:
    report, start, end, language = paste.report, paste.start, paste.end, paste.language
    if paste.reader != INFIX:
        return reader_of(paste.reader)(report, names, start, end), language
    if paste.program is not None:
        return reader_of("statements")(report, names, paste.program), language
    by_hand = language in BY_HAND
    if by_hand and "/" in report.view and "d" in report.view:
        refuse_derivatives(report, names, start, end)
    tokens = tokenize(report, start, end)
    try:
        return parse_text(report, names, tokens, by_hand=by_hand), language
    except FormulaError:
        if ";" in report.text and (mended := parse_repaired(report, names, tokens)) is not None:
            return mended, language if paste.stated else "pysr"
        raise
