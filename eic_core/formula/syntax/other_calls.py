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
    if "-1" in text or "⁻¹" in text or "- 1" in text:
        found, inverses = _with_inverses(report, names, found)
        others = others | inverses
    if any(mark in text for mark in "²³⁴⁵⁶⁷⁸⁹⁻"):
        found = _with_raised_functions(report, names, found)
    if any(row[0] == BAD and row[1] in _OF_PYTHON for row in found):
        read = as_python(report, names, found)
        return read if read is None else (read[0], others | read[1])
    return (found, others) if found is not tokens else None


_OF_PYTHON = frozenset((".", "'", '"', "$"))
"""Signs of methods, modules and columns of a table."""
_APPLIED = re.compile(r"sin|cos|tan|exp|log|ln|sqrt")
_ENDS = frozenset((END, CLOSE, COMMA, OPERATOR, NAME))
"""What may stand behind the argument of a function without parentheses."""


# --- powers of functions -------------------------------------------------------------------------


def _with_raised_functions(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """``sin²(x)`` and ``sin²θ`` as powers of the call, as LaTeX's ``\\sin^2`` is one. An argument
    without parentheses ends at the next operator, function or bracket.
    """
    kept: list[TokenRow] = []
    closing: list[TokenRow | None] = []  # for each open bracket, the power to stand behind it
    place, changed = 0, False
    while place < len(tokens):
        kind, name, start, _, _ = row = tokens[place]
        raised = tokens[place + 1] if place + 2 < len(tokens) else row
        place += 1
        function = FUNCTIONS.get(name.lower()) if kind == NAME else None
        if function is None or raised[0] != SUPERSCRIPT or names.is_known(name):
            kept.append(row)
            if kind in (OPEN, CALL):
                closing.append(None)
            elif kind == CLOSE and closing and (power := closing.pop()) is not None:
                kept.append(power)
            continue
        first = tokens[place + 1]
        shown = report.text[start : raised[3]]
        if first[:2] == (OPEN, "("):
            kept.append((CALL, name, start, first[3], function))
            closing.append(raised)
            place += 2
        elif first[0] in (NAME, NUMBER) and first[1].lower() not in FUNCTIONS:
            last = place + 1
            while tokens[last][0] in (NAME, NUMBER, SUPERSCRIPT) and (
                tokens[last][1].lower() not in FUNCTIONS
            ):
                last += 1
            end, behind = tokens[last - 1][3], tokens[last]
            inside = [each[1] for each in tokens[place + 1 : last] if each[0] == NAME]
            holds_call = any(_APPLIED.search(each) is not None for each in inside)  # `θcos`
            if behind[0] not in _ENDS or behind[:2] == (OPERATOR, "^") or holds_call:
                kept.append(row)
                continue
            kept.append((CALL, name, start, raised[3], function))
            kept += tokens[place + 1 : last]
            kept += [(CLOSE, ")", end, end, None), raised]
            place = last
        else:
            kept.append(row)
            continue
        report.note(f"`{shown}` is read as a power of the function `{name}`", (start, raised[3]))
        changed = True
    return kept if changed else tokens


# --- inverse functions ---------------------------------------------------------------------------

_MINUS_ONE = [(OPERATOR, "-"), (NUMBER, "1")]
_SPELLINGS = (
    [(OPERATOR, "^"), *_MINUS_ONE],
    [(OPERATOR, "^"), (OPEN, "("), *_MINUS_ONE, (CLOSE, ")")],
    [(OPERATOR, "^"), (OPEN, "{"), *_MINUS_ONE, (CLOSE, "}")],
    [(SUPERSCRIPT, "-1")],
)


def _with_inverses(report: Report, names: Names, tokens: list[TokenRow]) -> Rewritten:
    """``sin^-1(x)`` as the inverse function, of which the reciprocal is the other reading."""
    kept: list[TokenRow] = []
    pieces: list[tuple[int, int, str]] = []
    opened: list[str] = []  # for each open bracket, the power to stand behind it
    place, label = 0, ""
    while place < len(tokens):
        kind, name, start, end, _ = row = tokens[place]
        place += 1
        if kind in (OPEN, CALL):
            opened.append("")
        elif kind == CLOSE and opened:
            pieces.append((end, end, opened.pop()))
        inverse = _inverse(names, name) if kind == NAME else ""
        size = _raised_by_minus_one(tokens, place) if inverse else 0
        if not size:
            kept.append(row)
            continue
        place += size
        argument = tokens[place]
        power = report.text[tokens[place - size][2] : tokens[place - 1][3]]
        shown = report.text[start : tokens[place - 1][3]]
        if (
            argument[0] == NAME
            and argument[1].lower() not in FUNCTIONS
            and (
                tokens[place + 1][0] in (END, CLOSE, COMMA, OPERATOR)
                and tokens[place + 1][1] != "^"
                and tokens[place - 1][0] == SUPERSCRIPT
            )
        ):  # `sin⁻¹ x`
            told = f"`{shown}` is read as the inverse function {inverse}"
            report.note(told, (start, argument[3]))
            kept.append((CALL, inverse, start, argument[2], FUNCTIONS[inverse]))
            kept += [argument, (CLOSE, ")", argument[3], argument[3], None)]
            pieces.append((tokens[place - size][2], argument[2], "("))
            pieces.append((argument[3], argument[3], ")⁻¹"))
            label = f"one over {name}"
            place += 1
            continue
        if argument[:2] != (OPEN, "("):
            report.fail(
                f"the function `{shown[:40]}` needs parentheses",
                start,
                tokens[place - 1][3],
                f"write `{inverse}(x)`",
            )
        report.note(f"`{shown}` is read as the inverse function {inverse}", (start, argument[3]))
        kept.append((CALL, inverse, start, argument[3], FUNCTIONS[inverse]))
        pieces += [(start, start, "("), (tokens[place - size][2], tokens[place - 1][3], "")]
        opened.append(f"{power})")
        label = f"one over {name}"
        place += 1
    return (kept, {label: replaced(report.text, pieces)}) if label else (tokens, {})


_INVERSES = {"coth": "acoth", "sech": "asech", "csch": "acsch"}
"""Inverses of functions that no row has."""


def _inverse(names: Names, name: str) -> str:
    """The inverse of a trigonometric or hyperbolic function, "" for another name."""
    if name.lower() in _INVERSES and not names.is_column(name):
        return _INVERSES[name.lower()]
    row = OPERATORS.get(name.lower())
    return row.writing.inverse if row is not None and not names.is_column(name) else ""


def _raised_by_minus_one(tokens: list[TokenRow], place: int) -> int:
    """How many tokens write the power -1 here, 0 if none do."""
    for spelling in _SPELLINGS:
        if [row[:2] for row in tokens[place : place + len(spelling)]] == spelling:
            return len(spelling)
    return 0


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
    if len(kept) == len(tokens) and all(a is b for a, b in zip(kept, tokens, strict=True)):
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

_IF = FUNCTIONS["where"]


def _with_branches(names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """R's ``if (c) a else b`` as a call of the condition and the two values."""
    kept: list[TokenRow] = []
    opened: list[str] = []  # "(" for each open bracket; what is open of each choice
    changed = False

    def close(place: int) -> None:
        while opened and opened[-1] == "else":
            opened.pop()
            kept.append((CLOSE, ")", place, place, None))

    for row in tokens:
        kind, text, start, end, _ = row
        begins = not kept or kept[-1][0] in (OPEN, CALL, COMMA, OPERATOR)
        if kind == CALL and text == "if" and begins and not names.is_column(text):
            opened.append("if")
            kept.append((CALL, text, start, end, _IF))
        elif kind in (NAME, CALL) and text == "else" and opened and opened[-1] in ("then", "else"):
            while opened[-1] == "else" and len(opened) > 1:
                opened.pop()
                kept.append((CLOSE, ")", start, start, None))
            if opened[-1] != "then":
                return tokens
            opened[-1], changed = "else", True
            kept.append((COMMA, ",", start, start + len(text), None))
            if kind == CALL:
                opened.append("(")
                kept.append((OPEN, "(", end - 1, end, None))
        elif kind in (OPEN, CALL):
            opened.append("(")
            kept.append(row)
        elif kind == CLOSE:
            close(start)
            last = opened.pop() if opened else ""
            if last == "if":
                opened.append("then")
                row = (COMMA, ",", start, end, None)
            elif last != "(":
                return tokens
            kept.append(row)
        else:
            if kind in (COMMA, END):
                close(start)
            if kind == COMMA and opened and opened[-1] in ("if", "then"):
                return tokens
            kept.append(row)
    return kept if changed and not opened else tokens
