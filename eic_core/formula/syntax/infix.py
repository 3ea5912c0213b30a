"""Reads Python, NumPy, SymPy and other infix text, and mends a PySR export with broken brackets.

Some published tables of PySR formulas (their ``powabs(a; b)`` calls have
semicolons for commas) put one surplus ``(`` per such call into the text, all
of them right after the first call's own.  Leaving those out restores the
sizes and scores that the tables state (docs/adr/0002-reading-formulas.md).
"""

from __future__ import annotations

import re
from typing import NoReturn

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import FUNCTIONS, Refusal, number_label
from eic_core.formula.syntax.grammar import Grammar, parse
from eic_core.formula.syntax.names import SUPERSCRIPTS, Names, similar_function, suggestion
from eic_core.formula.syntax.reading import Report, insert
from eic_core.formula.syntax.tokens import (
    BAD,
    BAR,
    CALL,
    CLOSE,
    COMMA,
    DECIMAL,
    END,
    LEAF,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PREFIX,
    SUPERSCRIPT,
    PendingRow,
    Token,
    TokenRow,
)
from eic_core.formula.tree import Draft, Formula, constant

_LETTER = r"[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉]"
_WORD = r"[^\W⁰¹²³⁴⁵⁶⁷⁸⁹]"
_FIRST_LETTER = re.compile(_LETTER)
_WORDS = re.compile(  # the commonest first; between them they take every character of a text
    r"[()+^\- ]|[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?"
    rf"|(?:(?:np|numpy|math|sympy|sp|torch|jnp|tf|onp)\.)?{_LETTER}{_WORD}*+"
    r"(?:\[\s*+(?::\s*+,\s*+)?[0-9]++\s*+\])?(?:\s*+\()?"
    r"|\*\*?|\s+|//|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[<>=!]=|\.[0-9]+(?:[eE][+-]?[0-9]+)?|\S"
)
_EXACT = re.compile(
    r"(?<!\w)(?:sympy\.|sp\.)?(Integer|Float|Rational|Symbol)\s*\(([^()]{0,2000})\)"
)
_EXACT_NAMES = ("Integer", "Float", "Rational", "Symbol")
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


_SPACE = -1
_KINDS = {
    letter: kind
    for kind, letters in (
        (NUMBER, "0123456789"),
        (NAME, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
        (OPEN, "([{⌊⌈"),
        (CLOSE, ")]}⌋⌉"),
        (COMMA, ",;"),
        (OPERATOR, "-+*/^×·⋅∗∙•÷∕⁄−–—﹣"),
        (BAR, "|"),
        (SUPERSCRIPT, "⁰¹²³⁴⁵⁶⁷⁸⁹"),
        (PREFIX, "√∛"),
        (_SPACE, " \t\n"),
    )
    for letter in letters
}
"""What a word is by its first character."""


def _kind(word: str) -> int:
    """What a word is whose first character alone does not tell."""
    if word.isspace():
        return _SPACE
    if word[0] in ".⁺⁻" and len(word) > 1:
        return NUMBER if word[0] == "." else SUPERSCRIPT
    return NAME if _FIRST_LETTER.match(word) else BAD


def tokenize(report: Report, start: int, end: int) -> list[TokenRow]:
    """The tokens of ``report.text[start:end]``, closed by `END`.

    Parameters
    ----------
    report : Report
        Holds the text.
    start, end : int
        The part of the text to read, as character offsets.

    Returns
    -------
    list of TokenRow
        Characters that no formula holds are tokens of kind `BAD`.
    """
    text = report.text
    tokens: list[TokenRow] = []
    append, kind_of = tokens.append, _KINDS.get
    high = last = start
    for word in _WORDS.findall(text, start, end):
        low = high
        high = low + len(word)
        if word == " ":
            continue
        kind = kind_of(word[0])
        if kind is None:
            kind = _kind(word)
        extra = None
        if kind == NAME:
            if word[-1] == "(":
                kind, word = CALL, word[:-1].rstrip()
        elif kind == OPERATOR:
            word = _OPERATORS.get(word, word)
        elif kind == _SPACE:
            continue
        elif kind == SUPERSCRIPT:
            word = word.translate(SUPERSCRIPTS).lstrip("+")
        elif kind == PREFIX:
            extra = _SYMBOL_ROOTS[word]
        last = high
        append((kind, word, low, high, extra))
    if "//" in text or any([name in text for name in _EXACT_NAMES]):
        tokens = _with_exact_leaves(report, tokens, start, end)
    tokens.append((END, "", last, last, None))
    return tokens


def _with_exact_leaves(
    report: Report, tokens: list[TokenRow], start: int, end: int
) -> list[TokenRow]:
    """The tokens with one for each ``Integer(2)``, ``Symbol('x')`` and their kin.

    Raises
    ------
    FormulaError
        If one holds no literal, or if there is a ``//`` outside them.
    """
    text = report.text
    kept: list[TokenRow] = []
    exact = _EXACT.search(text, start, end)
    resume = start
    for token in tokens:
        kind, word, low, high, _ = token
        if low < resume:
            continue
        if exact is not None and low >= exact.start():
            kept.append(_exact_leaf(report, exact))
            resume = exact.end()
            exact = _EXACT.search(text, resume, end)
            continue
        if kind == OPERATOR and word == "//":
            report.fail("whole-number division is not supported", low, high, "write `/`")
        kept.append(token)
    return kept


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
    names, report
        As for `Grammar`.
    lenient : bool
        Take any two operands side by side as a product; used to propose corrections.
    """

    def __init__(self, names: Names, report: Report, lenient: bool = False) -> None:
        super().__init__(names, report)
        self.lenient = lenient

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list[PendingRow]) -> int:
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        if before.kind == CLOSE and token.kind == OPEN:
            self.report.note(
                "parentheses side by side are read as a product", (before.start, token.end)
            )
            return 20
        if self.lenient:
            return 20
        self._refuse(tokens, index)

    def factor(self, token: TokenRow) -> None:
        _, name, start, _, _ = token
        end = start + len(name)
        if not self.names.is_factor(name):
            if self.lenient or len(name) > 100:
                name = name[:20]
            self.report.fail(
                f"unknown function `{name}`",
                start,
                end,
                suggestion(name),
                self._remedy(start, end, name),
            )
        self.report.note(
            f"`{name}(…)` is read as the product `{name}*(…)`, not as a call", (start, end)
        )

    def _remedy(self, start: int, end: int, name: str) -> str | None:
        """The whole text with a one-letter name as a factor, or with the function meant."""
        if len(name) == 1:
            return self._product_text(end)
        near, text = similar_function(name), self.report.text
        return text[:start] + near + text[end:] if near.isalnum() else None

    def _product_text(self, place: int) -> str:
        return insert(self.report.text, [(place, "*")])

    def _refuse(self, tokens: list[TokenRow], index: int) -> NoReturn:
        """Raise for two operands side by side, with the likeliest of what was meant.

        In this order: two numbers, a lambda, a complex number, a function without parentheses, and
        else a product without its sign, with the whole text corrected if that can then be read.
        """
        report, text = self.report, self.report.text
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
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
            self._corrected(tokens[0][2], tokens[-1][3]),
        )

    def _corrected(self, start: int, end: int) -> str | None:
        """The whole text with every product written out, if that makes it readable."""
        trial = Report(self.report.text)
        try:
            parse(tokenize(trial, start, end), Infix(self.names, trial, lenient=True))
        except FormulaError:
            return None
        return trial.with_products_written()


def parse_infix(report: Report, names: Names, tokens: list[TokenRow]) -> Draft:
    """The tree of the tokens of ``report.text``.

    Parameters
    ----------
    report : Report
        Holds the text; notes and other readings are added to it.
    names : Names
        The meaning of names.
    tokens : list of TokenRow
        As `tokenize` gives them.

    Raises
    ------
    FormulaError
        If they are no formula.
    """
    draft = parse(tokens, Infix(names, report))
    if report.products and any(n.message.endswith("not as a call") for n in report.notes.values()):
        report.alternative("the same product, written out", report.with_products_written)
    return draft


_MAX_PLACES = 20


def parse_repaired(report: Report, names: Names, tokens: list[TokenRow]) -> Draft | None:
    """The one reading with the surplus parentheses left out, or None.

    The text is mended only if it has exactly as many surplus ``(`` as
    semicolons, if they stand together right after the parenthesis of a call of
    two arguments, and if all places where that can be done give the same tree.

    Parameters
    ----------
    report, names, tokens
        As for `parse_infix`; a note is added if the text is mended.
    """
    kinds = [token[0] for token in tokens]
    surplus = kinds.count(OPEN) + kinds.count(CALL) - kinds.count(CLOSE)
    if surplus <= 0 or surplus != sum([token[:2] == (COMMA, ";") for token in tokens]):
        return None
    readings: list[tuple[Draft, Report, Token]] = []
    for index in _places(tokens, surplus)[:_MAX_PLACES]:
        trial = Report(report.text)
        kept = tokens[: index + 1] + tokens[index + 1 + surplus :]
        try:
            readings.append((parse(kept, Infix(names, trial)), trial, Token._make(tokens[index])))
        except FormulaError:
            continue
    if not readings:
        return None
    draft, trial, call = readings[0]
    trees = [Formula.from_draft(other).structure() for other, _, _ in readings if len(readings) > 1]
    if any([tree != trees[0] for tree in trees]):
        return None
    report.notes.update(trial.notes)
    report.note(
        f"the text has {surplus} surplus `(` after `{call.text}(`, as one known export of PySR"
        " tables writes them; they are left out",
        (call.start, call.end + surplus),
    )
    return draft


def _places(tokens: list[TokenRow], surplus: int) -> list[int]:
    """Calls of two arguments that at least `surplus` plain parentheses follow directly."""
    places = []
    run = 0
    for index in range(len(tokens) - 1, -1, -1):
        kind, text, *_ = tokens[index]
        if kind == CALL and run >= surplus:
            function = FUNCTIONS.get(text.lower())
            if function is not None and function.high == 2:
                places.append(index)
        run = run + 1 if kind == OPEN and text == "(" else 0
    return places[::-1]
