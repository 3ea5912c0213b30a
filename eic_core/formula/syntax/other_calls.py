"""Calls that are written otherwise: ``x.pow(2)``, ``sin^-1(x)``, SQL's ``CASE WHEN c THEN a END``.
Their tokens take the form of ``pow(x, 2)``, and are parsed like any other text.
"""

from __future__ import annotations

import re

from eic_core.formula.syntax.build import FUNCTIONS, MANY, Function, Span
from eic_core.formula.syntax.conditions import cases
from eic_core.formula.syntax.names import Names, is_indexed
from eic_core.formula.syntax.reading import Refusal, Report, replaced
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
    if "." in text and any(row[:2] == (BAD, ".") for row in tokens):
        found = _with_points(names, found)
    if "['" in text or '["' in text or "$" in text:
        found = _with_columns(report, found)
    if any(row[0] == BAD for row in tokens):
        found, others = _without_modules(report, names, found)
        found = _with_methods(report, names, found)
    if "CASE" in text or "case" in text or "Case" in text:
        found = _with_cases(report, names, found)
    if "if" in text and "else" in text:
        found = _with_branches(names, found)
    if "-1" in text or "⁻¹" in text or "- 1" in text:
        found, inverses = _with_inverses(report, names, found)
        others = others | inverses
    if any(mark in text for mark in "²³⁴⁵⁶⁷⁸⁹⁻"):
        found = _with_raised_functions(report, names, found)
    return (found, others) if found is not tokens else None


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


# --- columns of a table --------------------------------------------------------------------------


def _with_columns(report: Report, tokens: list[TokenRow]) -> list[TokenRow]:
    """``df['x']`` and ``df$x`` as the variable ``x``, if the text holds one table alone."""
    kept: list[TokenRow] = []
    tables: set[str] = set()
    place = 0
    while place < len(tokens):
        size, name = _column(tokens, place)
        if not size:
            kept.append(tokens[place])
            place += 1
            continue
        tables.add(tokens[place][1])
        start, end = tokens[place][2], tokens[place + size - 1][3]
        if len(tables) == 1:
            shown = report.text[start:end]
            report.note(f"`{shown}` is read as the variable `{name}`", (start, end))
        kept.append((NAME, name, start, end, None))
        place += size
    if len(tables) > 1:
        report.fail(
            "columns of two tables are not read",
            tokens[0][2],
            tokens[-1][3],
            "write a name for each, such as `x`",
        )
    return kept if tables else tokens


_VALUES = (
    [(BAD, "."), (NAME, "values")],
    [(BAD, "."), (NAME, "array")],
    [(BAD, "."), (CALL, "to_numpy"), (CLOSE, ")")],
)
"""What follows a column and says nothing."""


def _column(tokens: list[TokenRow], place: int) -> tuple[int, str]:
    """How many tokens write a column of a table here, and its name; (0, "") if none do."""
    part = tokens[place : place + 6]
    signs = [row[1] for row in part]
    kinds = [row[0] for row in part]
    if kinds == [NAME, OPEN, BAD, NAME, BAD, CLOSE] and signs[2] == signs[4]:
        if not (signs[1] == "[" and signs[2] in "'\"" and signs[5] == "]"):
            return 0, ""
        size, name = 6, signs[3]
    elif kinds[:3] == [NAME, BAD, NAME] and signs[1] == "$" and part[0][3] + 1 == part[2][2]:
        size, name = 3, signs[2]
    else:
        return 0, ""
    for spelling in _VALUES:
        behind = tokens[place + size : place + size + len(spelling)]
        if [row[:2] for row in behind] == spelling:
            return size + len(spelling), name
    return size, name


# --- names with points ---------------------------------------------------------------------------


def _with_points(names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """``Sepal.Length`` as one name, where a column is called so."""
    if not any("." in name for name in names.exact):
        return tokens
    kept: list[TokenRow] = []
    place = 0
    while place < len(tokens):
        kind, name, start, end, _ = row = tokens[place]
        last, stop = place, place
        if kind == NAME:
            whole = name
            while (
                stop + 2 < len(tokens)
                and tokens[stop + 1][:3] == (BAD, ".", tokens[stop][3])
                and tokens[stop + 2][0] == NAME
                and tokens[stop + 2][2] == tokens[stop + 1][3]
                and len(whole) < _LONGEST_NAME
            ):
                stop += 2
                whole += "." + tokens[stop][1]
                if names.is_column(whole):
                    last, name, end = stop, whole, tokens[stop][3]
        kept.append(row if last == place else (NAME, name, start, end, None))
        place = last + 1
    return kept if len(kept) < len(tokens) else tokens


_LONGEST_NAME = 200


# --- modules -------------------------------------------------------------------------------------


def _without_modules(report: Report, names: Names, tokens: list[TokenRow]) -> Rewritten:
    """``K.log(x)`` as ``log(x)``, where ``K`` stands nowhere else and is no column. What may be a
    method's object is one: in ``x.pow(2)``, which lacks an argument, and for a small letter before
    a call that can take one argument more.
    """
    kept: list[TokenRow] = []
    others: dict[str, str] = {}
    pieces: dict[str, list[tuple[int, int, str]]] = {}  # for each letter, its calls as arguments
    sure: set[str] = set()  # what is no object of a method
    places = [
        place
        for place in range(len(tokens) - 2)
        if tokens[place][0] == NAME
        and tokens[place + 1][:2] == (BAD, ".")
        and tokens[place + 2][0] == CALL
    ]
    if not places:
        return tokens, others
    operands = {
        row[1]
        for row, behind in zip(tokens, tokens[1:], strict=False)
        if row[0] == NAME and behind[:2] != (BAD, ".")
    }
    last = 0
    for place in places:
        thing, call = tokens[place], tokens[place + 2]
        first = place
        while first > 1 and tokens[first - 1][:2] == (BAD, ".") and tokens[first - 2][0] == NAME:
            first -= 2
        heads = [row[1] for row in tokens[first : place + 1 : 2]]
        method = _method(names, tokens, place + 2)
        if method is None or any(head in operands or names.is_known(head) for head in heads):
            continue
        count, is_number = _arguments(tokens, place + 2)
        function = method[1]
        fits = function.low <= count <= function.high
        may_be_method = first == place and function.low <= count + 1 <= function.high
        small = len(thing[1]) == 1 and thing[1].islower()
        if not fits or thing[1].lower() in FUNCTIONS or is_indexed(thing[1]):
            continue
        if may_be_method and (is_number or small):
            continue
        start, end = tokens[first][2], call[2]
        report.note(
            f"`{report.text[start:end]}` before `{call[1]}(…)` is read as a module",
            (start, call[3]),
        )
        if not may_be_method:
            sure.add(thing[1])
        elif len(thing[1]) == 1:
            written = f"{call[1]}({thing[1]}, "
            pieces.setdefault(thing[1], []).append((start, call[3], written))
        kept += tokens[last:first]
        last = place + 2
    others = {
        f"{thing} as an argument of the functions behind it": replaced(report.text, each)
        for thing, each in pieces.items()
        if thing not in sure
    }
    return (kept + tokens[last:], others) if last else (tokens, others)


def _arguments(tokens: list[TokenRow], place: int) -> tuple[int, bool]:
    """How many arguments the call at this token has, and whether all are numbers."""
    depth, count, numbers = 0, int(tokens[place + 1][0] != CLOSE), True
    for kind, text, *_ in tokens[place:]:
        depth += (kind in (OPEN, CALL)) - (kind == CLOSE)
        if not depth:
            break
        count += kind == COMMA and depth == 1
        numbers &= kind in (NUMBER, COMMA) or text == "-" or (kind == CALL and depth == 1)
    return count, numbers


# --- methods -------------------------------------------------------------------------------------

_OTHER_ORDER = frozenset(("where", "mask", "if", "ifelse", "select", "cond"))
"""Methods whose object is not the first argument of the function of that name."""
_OF_RUST = {"powi": "pow", "powf": "pow"}


def _with_methods(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """``x.pow(2)`` as ``pow(x, 2)``: the object of a method is its function's first argument."""
    before: dict[int, list[TokenRow]] = {}  # the calls that begin at a token, the innermost first
    kept: list[TokenRow] = []
    opened: list[int] = []
    first, place = 0, 0  # where in `kept` the operand that ends here begins; the next token
    changed = False
    while place < len(tokens):
        row = tokens[place]
        place += 1
        ends = bool(kept) and kept[-1][0] in (NAME, NUMBER, CLOSE)
        method = _method(names, tokens, place) if ends and row[:2] == (BAD, ".") else None
        if method is not None:
            name, function = method
            call = tokens[place]
            place += 1
            bare = tokens[place][0] == CLOSE
            argument = tokens[place]
            if name in ("max", "min") and argument[0] == NUMBER and argument[1].isdigit():
                report.fail(
                    f"`.{name}({argument[1]})` may be along an axis",
                    row[2],
                    argument[3],
                    f"write `{name}(x, {argument[1]})` for the values",
                )
            if function.high == 1 and not bare:
                _refuse_module(report, kept[first], call)
            start = kept[first][2]
            word = name.upper()  # in capitals no `pow` or `add` between two operands
            before.setdefault(first, []).append((CALL, word, start, start, function))
            opened.append(first)
            if not bare:
                kept.append((COMMA, ",", call[2], call[3], None))
            if not changed:
                report.note(
                    f"`.{call[1]}(…)` is read as the function `{name}` of what stands before it",
                    (row[2], call[3]),
                )
            changed = True
            continue
        if row[0] in (OPEN, CALL):
            opened.append(len(kept))
        elif row[0] == CLOSE and opened:
            first = opened.pop()
        elif row[0] in (NAME, NUMBER):
            first = len(kept)
        kept.append(row)
    if not changed:
        return tokens
    written: list[TokenRow] = []
    for index, row in enumerate(kept):
        written += reversed(before.get(index, ()))
        written.append(row)
    return written


def _method(names: Names, tokens: list[TokenRow], place: int) -> tuple[str, Function] | None:
    """The function that a method's name means, and how it is called here."""
    kind, text, *_ = tokens[place] if place < len(tokens) else (END, "")
    if kind != CALL or text in _OTHER_ORDER:
        return None
    name = _OF_RUST.get(text, text)
    try:
        function = names.function(name)
    except Refusal:
        return None
    return (name, function) if function is not None else None


def _refuse_module(report: Report, thing: TokenRow, call: TokenRow) -> None:
    """Raise for ``x.sin(y) + x``: no module stands there, and no first operand."""
    text, start, end = report.text, thing[2], call[2]
    name = call[1]
    hint = (
        f"write `{thing[1][:40]}({name}(…))`"
        if thing[1].lower() in FUNCTIONS
        else (f"write `{name}(…)`, and `*` for a product")
    )
    report.fail(f"`{text[start:end][:40]}` before a function is not known", start, end, hint)


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
