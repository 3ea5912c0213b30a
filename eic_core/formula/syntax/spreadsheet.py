"""Reads spreadsheet formulas: ``=A1^2*EXP(-B2)``, with the precedence of Excel."""

from __future__ import annotations

import re

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import (
    FUNCTIONS,
    Function,
    Span,
    fold,
    logarithm,
    plain,
)
from eic_core.formula.syntax.conditions import EVERY, NEGATION, SOME, choice
from eic_core.formula.syntax.grammar import parse
from eic_core.formula.syntax.infix import Infix, with_decimal_commas
from eic_core.formula.syntax.names import Names, safe_name
from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.tokens import (
    BAD,
    CALL,
    CLOSE,
    COMMA,
    END,
    LEAF,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PLAIN_DECIMAL,
    PendingRow,
    TokenRow,
)
from eic_core.formula.tree import CONSTANT, Draft, constant

_CELL = r"\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}(?![\w(.])"
_TOKENS = re.compile(
    r"(?P<space>\s+)"
    rf"|(?P<cell>{_CELL})"
    rf"|(?P<number>{PLAIN_DECIMAL}(?:[eE][+-]?[0-9]++)?+)"
    r"|(?P<pi>[Pp][Ii]\s*+\(\s*+\))"
    r"|(?P<call>[^\W\d][\w.]*+)\s*+\("
    r"|\[@\[?(?P<title>[^\[\]]{1,200})\]?\]"
    r"|(?P<name>[^\W\d][\w.]*+)"
    r"|(?P<text>\"[^\"]*+\"?+)"
    r"|(?P<other><>|<=|>=|\S)"
)


def _logarithm(args: list[Draft], span: Span) -> Draft:
    """``LOG(x)`` has base 10 in a spreadsheet, ``LOG(x, b)`` base b."""
    return logarithm(args if len(args) == 2 else [*args, constant("10", span)], span)


def _arc_tangent(args: list[Draft], span: Span) -> Draft:
    """``ATAN2(x, y)``: the horizontal coordinate first."""
    return plain("atan2", args[::-1], span)


def _sum(operator: str):  # type: ignore[no-untyped-def]
    return lambda args, span: fold(operator, args, span)


_OWN = {
    "LOG": Function("LOG", 1, 2, _logarithm),
    "ATAN2": Function("ATAN2", 2, 2, _arc_tangent),
    "SUM": Function("SUM", 1, 255, _sum("add")),
    "PRODUCT": Function("PRODUCT", 1, 255, _sum("mul")),
    "INT": FUNCTIONS["floor"],
    "IF": Function("if", 3, 3, choice),
    "AND": EVERY,
    "OR": SOME,
    "NOT": NEGATION,
}
_ENGLISH = {
    local: english
    for english, others in (
        ("IF", "WENN SI SE"),
        ("AND", "UND ET"),
        ("OR", "ODER OU"),
        ("NOT", "NICHT NON"),
        ("SQRT", "WURZEL RACINE RADQ RAIZ RAÍZ"),
        ("POWER", "POTENZ PUISSANCE POTENCIA POTENZA"),
        ("SUM", "SUMME SOMME SUMA SOMMA SOMA"),
        ("PRODUCT", "PRODUKT PRODUIT PRODUCTO PRODOTTO"),
        ("SIN", "SENO SEN"),
        ("SIGN", "VORZEICHEN SIGNE SIGNO SEGNO"),
        ("ATAN2", "ARCTAN2"),
        ("SINH", "SINHYP"),
        ("COSH", "COSHYP"),
        ("TANH", "TANHYP"),
        ("INT", "GANZZAHL ENT ENTERO"),
        ("DEGREES", "GRAD DEGRES DEGRÉS GRADOS GRADI GRAUS"),
        ("RADIANS", "BOGENMASS BOGENMAẞ RADIANES RADIANTI RADIANOS"),
        ("ROUND", "RUNDEN ARRONDI"),
        ("MOD", "REST RESIDUO"),
        ("AVERAGE", "MITTELWERT MOYENNE"),
    )
    for local in others.split()
}
"""The English names of functions that a spreadsheet calls otherwise in other languages."""
_REFUSED = {
    "SUMSQ": "write `A1^2+B1^2`",
    "AVERAGE": "write `(A1+B1)/2`",
    "ROUND": "write the formula without rounding",
    "QUOTIENT": "write `INT(A1/B1)`",
    "SUMPRODUCT": "write the products out",
    "FACT": "write `GAMMA(A1+1)`",
    "CEILING": "write `-INT(-A1)`",
    "FLOOR": "write `INT(A1)`",
}


class Spreadsheet(Infix):
    """A sign binds more tightly than a power, and powers are taken from the left."""

    sign_first = True

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list[PendingRow]) -> int:
        hint = "write an operator between them, as in `A1*B1`"
        self.report.fail("two operands side by side", tokens[index - 1][2], tokens[index][3], hint)


def read_spreadsheet(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree; cells are variables. Raises `FormulaError` if it is no formula of single cells."""
    text = report.text
    while start < end and (text[start].isspace() or text[start] == "="):
        start += 1
    tokens = _tokens(report, start, end)
    settled = any(row[:2] == (COMMA, ";") for row in tokens) or _comma_outside_calls(tokens)
    if settled:
        tokens = with_decimal_commas(report, tokens) or tokens
    notes = dict(report.notes)
    try:
        draft = parse(_with_percents(report, tokens), Spreadsheet(names, report))
    except FormulaError:
        report.notes = notes
        joined = None if settled else with_decimal_commas(report, tokens)
        if joined is None:
            raise
        draft = parse(_with_percents(report, joined), Spreadsheet(names, report))
    _note_signs(report, draft)
    return draft


def _with_percents(report: Report, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with one number for each ``10%``. Raises `FormulaError` for a percent sign behind
    anything but a number.
    """
    kept: list[TokenRow] = []
    for row in tokens:
        if row[:2] != (BAD, "%"):
            kept.append(row)
            continue
        kind, number, start, end, _ = kept[-1] if kept else (BAD, "", 0, 0, None)
        if kind != NUMBER or "%" in report.text[start:end]:
            report.fail(
                "a percent sign is read behind a number alone",
                *row[2:4],
                "write `0.1` for `10%`, and `A1/100` for `A1%`",
            )
        mantissa, mark, power = number.lower().partition("e")
        if mark:
            label = f"{mantissa}e{int(power[:9]) - 2}"
        else:
            over, _, under = mantissa.partition(".")
            over = over.rjust(3, "0")
            label = f"{over[:-2]}.{over[-2:]}{under}".rstrip("0").rstrip(".")
        shown = report.text[start : row[3]]
        report.note(f"`{shown}` is read as the number {label}", (start, row[3]))
        kept[-1] = (NUMBER, label, start, row[3], None)
    return kept


def _comma_outside_calls(tokens: list[TokenRow]) -> bool:
    """Whether a comma stands where no arguments are."""
    calls: list[bool] = []
    for kind, *_ in tokens:
        if kind in (OPEN, CALL):
            calls.append(kind == CALL)
        elif kind == CLOSE and calls:
            calls.pop()
        elif kind == COMMA and not (calls and calls[-1]):
            return True
    return False


def _tokens(report: Report, start: int, end: int) -> list[TokenRow]:
    tokens: list[TokenRow] = []
    last = start
    for match in _TOKENS.finditer(report.text, start, end):
        if match["space"]:
            continue
        low, last = match.span()
        if match["pi"]:
            tokens.append((LEAF, "pi", low, last, constant("pi", (low, last))))
        elif match["cell"]:
            tokens.append((NAME, match[0].replace("$", ""), low, last, None))
        elif match["number"]:
            tokens.append((NUMBER, match[0], low, last, None))
        elif match["call"]:
            function = _function(report, match["call"].upper(), low)
            tokens.append((CALL, match["call"], low, last, function))
        elif match["title"]:
            tokens.append((NAME, safe_name(match["title"].strip()), low, last, None))
        elif match["name"]:
            tokens.append((NAME, match[0], low, last, None))
        elif (refusal := _EXPLAINED.get(match[0][0])) is not None:
            report.fail(refusal[0], low, last, refusal[1])
        else:
            sign = match[0].replace("−", "-")
            tokens.append((_KINDS.get(sign, BAD), sign, low, last, None))
    tokens.append((END, "", last, last, None))
    return tokens


def _function(report: Report, name: str, start: int) -> Function:
    """The function of that name. Raises `FormulaError` if there is none."""
    end = start + len(name)
    if (english := _ENGLISH.get(name)) is not None:
        report.note(f"`{name}` is read as `{english}`", (start, start + len(name)))
        name = english
    function = _OWN.get(name)
    if function is None and name not in _REFUSED:
        function = FUNCTIONS.get(name.removesuffix(".PRECISE").lower())
    if function is None:
        hint = _REFUSED.get(
            name, "write it with +, -, *, /, ^ and functions such as SQRT, EXP, LN, SIN"
        )
        report.fail(
            f"the function `{name[:40]}` of spreadsheets is not read",
            start,
            end,
            hint,
        )
    return function


_EXPLAINED = {
    ":": ("a range of cells has more than one value", "name each cell, as in `A1+A2`"),
    "!": ("a cell of another sheet is not read", "give the cell without its sheet"),
    "&": ("joined texts are not numbers", "write a formula with a number as its value"),
    "[": ("a table's column is not read", "write its name, or `[@name]` for the cell of this row"),
    "{": ("a list is not read", "give a single formula"),
    '"': ("text in quotes is not part of a formula", "remove it"),
}
_KINDS = {"(": OPEN, ")": CLOSE, ",": COMMA, ";": COMMA} | dict.fromkeys("+-*/^", OPERATOR)


def _note_signs(report: Report, draft: Draft) -> None:
    """Note each ``-A1^2`` that means (-A1)^2 here."""
    pending = [draft]
    while pending:
        node = pending.pop()
        pending += node.children
        if node.operator in ("power", "pow") and node.children:
            base = node.children[0]
            signed = base.operator == "neg" or (base.operator == CONSTANT and base.label[0] == "-")
            if signed and base.span[0] == node.span[0]:
                start, end = base.span
                shown = report.text[start : min(end, start + 40)]
                report.note(
                    f"in a spreadsheet a sign comes before a power: `{shown}^…` is `({shown})^…`",
                    node.span,
                )
