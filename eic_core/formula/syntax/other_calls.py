"""Calls that are written otherwise: ``sin^-1(x)``, ``sin²(x)``, SQL's ``CASE WHEN c THEN a END``.
Their tokens take the form of ``pow(x, 2)``, and are parsed like any other text.
"""

from __future__ import annotations

import re

from eic_core.formula.syntax.build import FUNCTIONS, MANY, Function, Span
from eic_core.formula.syntax.conditions import cases
from eic_core.formula.syntax.named_arguments import as_python
from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Report, replaced
from eic_core.formula.syntax.tokens import (
    BAD,
    CALL,
    CLOSE,
    COMMA,
    END,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    SUPERSCRIPT,
    TokenRow,
)
from eic_core.formula.tree import Draft
from eic_core.operators import OPERATORS

Rewritten = tuple[list[TokenRow], dict[str, str]]
"""Tokens, and the texts of other readings by their labels."""


def with_plain_calls(report: Report, names: Names, tokens: list[TokenRow]) -> Rewritten | None:
    """The tokens with each such call in the plain form and the other readings, text by label; None
    if there is none. Raises `FormulaError` if one is begun and cannot be read.
    """
    found, text = tokens, report.view
    others: dict[str, str] = {}
    if "CASE" in text or "case" in text or "Case" in text:
        found = _with_cases(report, names, found)
    if "if" in text and "else" in text:
        found = _with_branches(names, found)
    if any(mark in text for mark in ("-1", "- 1", *"²³⁴⁵⁶⁷⁸⁹⁻")):
        found, others = _with_raised_functions(report, names, found)
    if any(row[0] == BAD and row[1] in _OF_PYTHON for row in found):
        read = as_python(report, names, found)
        return read if read is None else (read[0], others | read[1])
    return (found, others) if found is not tokens else None


_OF_PYTHON = frozenset((".", "'", '"', "$"))
"""Signs of methods, modules and columns of a table."""
_PARTS = frozenset((NAME, NUMBER, SUPERSCRIPT))
_APPLIED = re.compile(r"sin|cos|tan|exp|log|ln|sqrt")
_ENDS = frozenset((END, CLOSE, COMMA, OPERATOR, NAME))
"""What may stand behind the argument of a function without parentheses."""


# --- powers of functions and inverse functions ---------------------------------------------------

_MINUS_ONE = [(OPERATOR, "-"), (NUMBER, "1")]
_SPELLINGS = (
    [(SUPERSCRIPT, "-1")],
    [(OPERATOR, "^"), *_MINUS_ONE],
    [(OPERATOR, "^"), (OPEN, "("), *_MINUS_ONE, (CLOSE, ")")],
    [(OPERATOR, "^"), (OPEN, "{"), *_MINUS_ONE, (CLOSE, "}")],
)
_INVERSES = {"coth": "acoth", "sech": "asech", "csch": "acsch"}
"""Inverses of functions that no row has."""


def _with_raised_functions(report: Report, names: Names, tokens: list[TokenRow]) -> Rewritten:
    """``sin²(x)`` and ``sin²θ`` as powers of the call, as LaTeX's ``\\sin^2`` is one; ``sin^-1(x)``
    as the inverse function, of which the reciprocal is the other reading. An argument without
    parentheses ends at the next operator, function or bracket.
    """
    kept: list[TokenRow] = []
    closing: list[tuple[TokenRow | None, str]] = []  # what stands behind each open bracket
    pieces: list[tuple[int, int, str]] = []
    place, label, changed = 0, "", False
    while place < len(tokens):
        kind, name, start, _, _ = row = tokens[place]
        place += 1
        if kind in (OPEN, CALL):
            closing.append((None, ""))
        inverse, size = _raised(names, tokens, place - 1)
        if not size:
            kept.append(row)
            if kind == CLOSE and closing:
                power, piece = closing.pop()
                kept += [power] if power is not None else []
                pieces += [(row[3], row[3], piece)] if piece else []
            continue
        raised, first = tokens[place + size - 1], place + size
        last = _end_of_argument(tokens, first)
        if inverse and (not last or (raised[0] != SUPERSCRIPT and tokens[first][0] != OPEN)):
            told, hint = f"the function `{report.text[start : raised[3]][:40]}`", f"`{inverse}(x)`"
            report.fail(f"{told} needs parentheses", start, raised[3], f"write {hint}")
        if not last:
            kept.append(row)
            continue
        opened = last == first + 1 and tokens[first][0] == OPEN
        end = tokens[last - 1][3]
        written = report.text[tokens[place][2] : raised[3]]
        shown = report.text[start : raised[3]]
        power = None if inverse else raised
        told = f"read as a power of the function `{name}`"
        if inverse:
            told, label = f"read as the inverse function {inverse}", f"one over {name}"
            pieces += [(start, start, "(")] * opened
            pieces.append((tokens[place][2], raised[3], "" if opened else "("))
            piece = f"{written})" if opened else f"){written}"
        report.note(f"`{shown}` is {told}", (start, raised[3]))
        called = FUNCTIONS[inverse or name.lower()]
        kept.append(
            (CALL, inverse or name, start, tokens[first][3] if opened else raised[3], called)
        )
        if opened:
            closing.append((power, piece if inverse else ""))
        else:
            kept += [*tokens[first:last], (CLOSE, ")", end, end, None)]
            kept += [power] if power is not None else []
            pieces += [(end, end, piece)] if inverse else []
        place, changed = last, True
    others = {label: replaced(report.text, pieces)} if label else {}
    return (kept, others) if changed else (tokens, {})


def _raised(names: Names, tokens: list[TokenRow], place: int) -> tuple[str, int]:
    """The inverse of the function that is raised here to -1, and how many tokens write the power; 0
    where no function is raised.
    """
    kind, name, *_ = tokens[place]
    lower, behind = name.lower(), tokens[place + 1 : place + 6]
    if kind != NAME or names.is_known(name) or lower not in FUNCTIONS:
        return "", 0
    row = OPERATORS.get(lower)
    inverse = _INVERSES.get(lower, row.writing.inverse if row is not None else "")
    for spelling in _SPELLINGS if inverse else ():
        if [row[:2] for row in behind[: len(spelling)]] == spelling:
            return inverse, len(spelling)
    return "", int(behind[:1] != [] and behind[0][0] == SUPERSCRIPT)


def _end_of_argument(tokens: list[TokenRow], place: int) -> int:
    """Behind the bracket that opens an argument, or behind one without parentheses; 0 if none
    begins here.
    """
    if tokens[place][:2] == (OPEN, "("):
        return place + 1
    last = place
    while (
        tokens[last][0] in (NAME, NUMBER, SUPERSCRIPT) and tokens[last][1].lower() not in FUNCTIONS
    ):
        last += 1
    words = [row[1] for row in tokens[place:last] if row[0] == NAME]
    holds_call = any(_APPLIED.search(word) is not None for word in words)  # `θcos`
    ends = tokens[last][0] in _ENDS and tokens[last][:2] != (OPERATOR, "^")
    begins = last > place and tokens[place][0] != SUPERSCRIPT
    return last if begins and ends and not holds_call else 0


# --- SQL -----------------------------------------------------------------------------------------

_MARKS = frozenset(("CASE", "WHEN", "THEN", "ELSE", "END"))


def _in_turn(args: list[Draft], span: Span) -> Draft:
    """Conditions and values in turn, and what holds elsewhere."""
    pairs = [part for i in range(0, len(args) - 1, 2) for part in (args[i + 1], args[i])]
    return cases([*pairs, *args[len(pairs) :]], span)


_CASE = Function("cases", 2, MANY, _in_turn)


def _with_cases(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """``CASE WHEN c THEN a ELSE b END`` as a call of conditions and values in turn."""
    kept: list[TokenRow] = []
    begun: list[str] = []  # the last word of each CASE that is open
    for place, row in enumerate(tokens):
        kind, text, start, end, _ = row
        word = text.upper() if kind in (NAME, CALL) else ""
        if word not in _MARKS or names.is_column(text) or not (begun or word == "CASE"):
            kept.append(row)
            continue
        last, stop = begun[-1] if begun else "", start + len(text)
        if word == "CASE":
            if tokens[place + 1][1].upper() != "WHEN":
                report.fail(
                    f"`{text}` of a value is not read",
                    start,
                    stop,
                    "write a comparison behind each `WHEN`",
                )
            begun.append(word)
            kept.append((CALL, text, start, stop, _CASE))
        elif last not in _BEFORE[word]:
            report.fail(
                f"`{text}` has no meaning here",
                start,
                stop,
                "as in `CASE WHEN x > 0 THEN a ELSE b END`",
            )
        elif word == "END":
            begun.pop()
            kept.append((CLOSE, ")", start, stop, None))
        else:
            begun[-1] = word
            if last != "CASE":
                kept.append((COMMA, ",", start, stop, None))
        if kind == CALL:  # as in `WHEN (x > 0)`
            kept.append((OPEN, "(", end - 1, end, None))
    if kept == tokens:
        return tokens
    if begun:
        end = tokens[-1][3]
        report.fail(
            "this `CASE` is not closed",
            end - 1,
            end,
            "close it with `END`",
            f"{report.text.rstrip()} END",
        )
    return kept


_BEFORE = {
    "WHEN": ("CASE", "THEN"),
    "THEN": ("WHEN",),
    "ELSE": ("THEN",),
    "END": ("THEN", "ELSE"),
}


# --- R -------------------------------------------------------------------------------------------


def _with_branches(names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """R's ``if (c) a else b``, which begins an operand, as ``((c) ? a : b)``."""
    kept: list[TokenRow] = []
    conditions = [False]  # whether each open bracket is that of a condition; the text is one
    choices = [0]  # how many choices are open in each
    for row in tokens:
        kind, text, start, end, _ = row
        before = kept[-1] if kept else row
        begins = not kept or before[0] in (OPEN, CALL, COMMA, OPERATOR) or before[1] == ":"
        if kind in (CLOSE, COMMA, END):
            kept += [(CLOSE, ")", start, start, None)] * choices[-1]
            choices[-1] = 0
        is_if = kind == CALL and text == "if" and begins and not names.is_column(text)
        if is_if:
            kept.append((OPEN, "(", start, start, None))
            choices[-1] += 1
        elif text == "else" and kind in (NAME, CALL) and choices[-1]:
            kept.append((BAD, ":", start, start + len(text), None))
            if kind == NAME:
                continue
        if is_if or (kind == CALL and text == "else" and choices[-1]):
            kind, row = OPEN, (OPEN, "(", end - 1, end, None)
        if kind in (OPEN, CALL):
            conditions.append(is_if)
            choices.append(0)
        kept.append(row)
        if kind == CLOSE and len(conditions) > 1:
            choices.pop()
            if conditions.pop():
                kept.append((BAD, "?", end, end, None))
    return tokens if kept == tokens else kept
