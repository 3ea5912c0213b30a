"""Python, NumPy, SymPy and the tools' own infix notations."""

from __future__ import annotations

import re
from typing import NoReturn

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import FUNCTIONS, Refusal, number_label
from eic_core.formula.syntax.core import Grammar, parse
from eic_core.formula.syntax.names import SUPERSCRIPTS, Names, similar_function, suggestion
from eic_core.formula.syntax.reading import Report, insert
from eic_core.formula.syntax.tokens import (
    CALL,
    CLOSE,
    DECIMAL,
    END,
    LEAF,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PREFIX,
    SUPERSCRIPT,
    Pending,
    Token,
)
from eic_core.formula.tree import Draft, constant

_LETTER = r"[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]"
_WORD = r"[^\W⁰¹²³⁴⁵⁶⁷⁸⁹]"
_TOKENS = re.compile(
    rf"(?P<number>{DECIMAL})"
    r"|(?P<name>(?:(?:np|numpy|math|sympy|sp|torch|jnp|tf|onp)\.)?"
    rf"{_LETTER}{_WORD}*+(?:\[\s*+(?::\s*+,\s*+)?[0-9]++\s*+\])?)(?P<call>\s*+\()?"
    r"|(?P<open>[(\[{⌊⌈])"
    r"|(?P<close>[)\]}⌋⌉])"
    r"|(?P<comma>[,;])"
    r"|(?P<operator>\*\*|//|[-+*/^×·⋅∗∙•÷∕⁄−–—﹣])"
    r"|(?P<bar>\|)"
    r"|(?P<superscript>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<leaf>(?!))"
    r"|(?P<prefix>[√∛])"
    r"|(?P<end>(?!))"
    r"|(?P<bad>[<>=!]=|\S)"
)
_EXACT = re.compile(
    r"(?<!\w)(?:sympy\.|sp\.)?(Integer|Float|Rational|Symbol)\s*\(([^()]{0,2000})\)"
)
_OPERATORS = {
    "**": "^",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∗": "*",
    "∙": "*",
    "•": "*",
    "÷": "/",
    "∕": "/",
    "⁄": "/",
    "−": "-",
    "–": "-",
    "—": "-",
    "﹣": "-",
}
_SYMBOL_ROOTS = {"√": FUNCTIONS["sqrt"], "∛": FUNCTIONS["cbrt"]}
_NUMERAL = r"[+-]?\s*+[0-9]{1,1000}+"


def tokenize(report: Report, start: int, end: int) -> list[Token]:
    """The tokens of ``report.text[start:end]``, closed by `END`."""
    text = report.text
    tokens: list[Token] = []
    append = tokens.append
    resume = start
    exact = _EXACT.search(text, start, end)
    for match in _TOKENS.finditer(text, start, end):
        kind = match.lastindex or 0
        low, high = match.span()
        if low < resume:
            continue
        if exact is not None and low >= exact.start():
            append(_exact_leaf(report, exact))
            resume = exact.end()
            exact = _EXACT.search(text, resume, end)
            continue
        kind -= 1
        word = match[0]
        if kind == CALL:
            word = match[2]
        elif kind == OPERATOR:
            if word == "//":
                report.fail("whole-number division is not supported", low, high, "write `/`")
            word = _OPERATORS.get(word, word)
        elif kind == SUPERSCRIPT:
            word = word.translate(SUPERSCRIPTS).lstrip("+")
        elif kind == PREFIX:
            append(Token(kind, word, low, high, _SYMBOL_ROOTS[word]))
            continue
        append(Token(kind, word, low, high))
    last = len(text[:end].rstrip())
    append(Token(END, "", max(last, start), max(last, start)))
    return tokens


def _exact_leaf(report: Report, match: re.Match[str]) -> Token:
    """SymPy's ``Integer(2)``, ``Float('1.2')``, ``Rational(1, 3)`` and ``Symbol('x')``."""
    kind, inside = match.groups()
    span = match.span()
    first = inside.partition(", precision")[0].strip().strip("'\"").strip()
    if kind == "Symbol":
        name = inside.split(",")[0].strip().strip("'\"")
        if re.fullmatch(rf"{_LETTER}{_WORD}*", name):
            return Token(NAME, name, *span)
    if kind == "Integer" and re.fullmatch(_NUMERAL, first):
        return Token(LEAF, first, *span, constant(_signed(first), span))
    if kind == "Rational":
        parts = re.fullmatch(rf"({_NUMERAL})\s*+[,/]\s*+([0-9]{{1,1000}}+)", first)
        if parts and int(parts[2]):
            return Token(LEAF, first, *span, constant(f"{_signed(parts[1])}/{parts[2]}", span))
    if kind == "Float" and re.fullmatch(rf"[+-]?{DECIMAL}", first):
        try:
            return Token(LEAF, first, *span, constant(_signed(first), span))
        except Refusal as refusal:
            report.fail(refusal.message, *span, refusal.hint)
    report.fail(f"`{kind}(…)` holds no {kind.lower()} literal", *span, f"as in `{kind}(2)`")


def _signed(text: str) -> str:
    sign = "-" if text.startswith("-") else ""
    return sign + number_label(text.lstrip("+- "))


class Infix(Grammar):
    """Written products only, but for ``(a)(b)`` and ``x(y+z)``.

    Parameters
    ----------
    lenient : bool
        Take any two operands side by side as a product; used to propose corrections.
    """

    def __init__(self, names: Names, report: Report, lenient: bool = False) -> None:
        super().__init__(names, report)
        self.lenient = lenient

    def side_by_side(self, tokens: list[Token], index: int, pending: list[Pending]) -> int:
        before, token = tokens[index - 1], tokens[index]
        if before.kind == CLOSE and token.kind == OPEN:
            self.report.note(
                "parentheses side by side are read as a product", (before.start, token.end)
            )
            return 20
        if self.lenient:
            return 20
        self._refuse(tokens, index)

    def factor(self, token: Token) -> None:
        name = token.text
        end = token.start + len(name)
        if not self.names.is_factor(name):
            if self.lenient or len(name) > 100:
                name = name[:20]
            self.report.fail(
                f"unknown function `{name}`",
                token.start,
                end,
                suggestion(name),
                self._remedy(token.start, end, name),
            )
        self.report.note(
            f"`{name}(…)` is read as the product `{name}*(…)`, not as a call", (token.start, end)
        )

    def _remedy(self, start: int, end: int, name: str) -> str | None:
        """The whole text with a one-letter name as a factor, or with the function meant."""
        if len(name) == 1:
            return self._product_text(end)
        near, text = similar_function(name), self.report.text
        return text[:start] + near + text[end:] if near.isalnum() else None

    def _product_text(self, place: int) -> str:
        return insert(self.report.text, [(place, "*")])

    def _refuse(self, tokens: list[Token], index: int) -> NoReturn:
        report, text = self.report, self.report.text
        before, token = tokens[index - 1], tokens[index]
        start, end = before.start, token.end
        if before.kind == NUMBER and token.kind == NUMBER:
            report.fail("two numbers side by side", start, end, "write an operator between them")
        if before.kind == NAME and before.text == "lambda" and token.kind == NAME:
            report.fail(
                "this is Python code, not a formula", start, end, "give only the expression"
            )
        if (
            before.kind == NUMBER
            and token.text in ("i", "j", "I", "J")
            and before.end == token.start
        ):
            hint = f"for a variable write `{before.text}*{token.text}`"
            report.fail("complex numbers are not supported", start, end, hint)
        if before.kind == NAME and token.kind != OPEN:
            try:
                function = self.names.function(before.text)
            except Refusal:
                function = None
            if function is not None and not self.names.is_column(before.text):
                report.fail(
                    f"the function `{before.text}` needs parentheses",
                    start,
                    end,
                    f"write `{before.text}({token.text})`",
                )
        left = text[before.start : before.end].strip()
        if before.kind == CLOSE or len(left) > 20:
            left = left[-1:]
        right = token.text[:20]
        got = f"{left}{text[before.end : token.start]}{right}" + ("(" if token.kind == CALL else "")
        want = f"{left}*{right}" + ("(" if token.kind == CALL else "")
        report.fail(
            f"`{got}`",
            start,
            end,
            f"write `{want}`",
            self._corrected(tokens[0].start, tokens[-1].end),
        )

    def _corrected(self, start: int, end: int) -> str | None:
        """The whole text with every product written out, if that makes it readable."""
        trial = Report(self.report.text)
        try:
            parse(tokenize(trial, start, end), Infix(self.names, trial, lenient=True))
        except FormulaError:
            return None
        return trial.written_out()


def read_infix(report: Report, names: Names, start: int, end: int) -> Draft:
    """The tree of ``report.text[start:end]``.

    Raises
    ------
    FormulaError
        If it is no formula.
    """
    tokens = tokenize(report, start, end)
    draft = parse(tokens, Infix(names, report))
    if report.products and any(n.message.endswith("not as a call") for n in report.notes.values()):
        report.alternative("the same product, written out", report.written_out)
    return draft
