"""Saying what is wrong with a token list, and what to do."""

from __future__ import annotations

import unicodedata
from typing import NoReturn

from eic_core.formula.syntax.reading import Report
from eic_core.formula.syntax.tokens import (
    BAD,
    BAR,
    CALL,
    CLOSE,
    CLOSERS,
    END,
    OPEN,
    Pending,
    PendingRow,
    Token,
    TokenRow,
)


def missing(report: Report, tokens: list[TokenRow], index: int) -> NoReturn:
    """Raise for a token that cannot start an operand, or a bad character anywhere."""
    token = Token._make(tokens[index])
    before = Token._make(tokens[index - 1]) if index else None
    if token.kind == BAD:
        _bad_character(report, token)
    if token.kind == END and before is None:
        report.fail("there is no formula", token.start, token.end, "write one, such as `x*y + 1`")
    place = (token.start, token.end)
    if before is None:
        report.fail(f"missing operand before `{token.text}`", *place, "write one or remove it")
    if before.kind in (OPEN, CALL) and token.kind == CLOSE:
        report.fail(
            "nothing between these parentheses", before.start, token.end, "write an operand"
        )
    if token.kind == END:
        place = (before.start, before.end)
    if before.kind in (OPEN, CALL, BAR):
        what = "end of the text" if token.kind == END else f"`{token.text}`"
        report.fail(f"missing operand before the {what}".replace("the `", "`"), *place, "write one")
    written = report.text[before.start : before.end].strip() or before.text
    report.fail(f"missing operand after `{written}`", *place, "write one or remove it")


_EXPLAINED = {
    "=": ("this is an equation or an assignment", "give only one right-hand side"),
    "<": ("comparisons are not supported", "write a formula with a number as its value"),
    ">": ("comparisons are not supported", "write a formula with a number as its value"),
    "'": ("text in quotes is not part of a formula", "remove it"),
    '"': ("text in quotes is not part of a formula", "remove it"),
    ".": ("attributes are not supported", "write a decimal as `0.5`, a product as `x*y`"),
    ":": ("`:` has no meaning in a formula", "remove it"),
    "%": ("the remainder is not supported", "write the formula without `%`"),
    "!": ("factorials are not supported", "write the number out"),
    "\\": ("a backslash has no meaning here", "paste LaTeX whole, or remove it"),
    "_": ("`_` has no meaning here", "attach a subscript to a name, as in `x_0`"),
}


def _bad_character(report: Report, token: Token) -> NoReturn:
    """Raise for a character that no formula holds."""
    plain = unicodedata.normalize("NFKC", token.text)
    if token.text.isdecimal():
        plain = str(int(token.text))
    remedy = f"write `{plain}`" if plain != token.text and plain.isascii() else "remove it"
    message, hint = _EXPLAINED.get(
        token.text[:1], (f"`{token.text}` has no meaning in a formula", remedy)
    )
    report.fail(message, token.start, token.end, hint)


def unclosed(report: Report, pending: list[PendingRow]) -> NoReturn:
    """Raise for the innermost bracket that stays open."""
    opened = Pending._make(pending[-1])
    closers = "".join(CLOSERS[name] for level, name, *_ in reversed(pending) if level == 0)
    report.fail(
        f"unbalanced parenthesis at column {opened.end}",
        opened.end - 1 if opened.end > opened.start else opened.start,
        opened.end,
        f"close this `{opened.name}`",
        report.text.rstrip() + closers if len(closers) <= 20 else None,
    )
