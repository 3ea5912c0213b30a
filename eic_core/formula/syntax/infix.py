"""Reads Python, NumPy, SymPy and other infix text, and mends a PySR export with broken brackets.

Some published tables of PySR formulas (their ``powabs(a; b)`` calls have
semicolons for commas) put one surplus ``(`` per such call into the text, all
of them right after the first call's own.  Leaving those out restores the
sizes and scores that the tables state (docs/adr/0002-reading-formulas.md).
"""

from __future__ import annotations

import re
import unicodedata
from typing import NoReturn

from eic_core.errors import FormulaError
from eic_core.formula.syntax.build import FUNCTIONS, Function, Refusal, number_label
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

_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
"""Fractions that are one character."""
_LETTER = rf"[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉{_VULGAR}]"
_WORD = rf"[^\W⁰¹²³⁴⁵⁶⁷⁸⁹{_VULGAR}]"
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
_OF_MATH_H = {
    "M_SQRT2": "1.41421356237309504880", "M_SQRT1_2": "0.70710678118654752440",
    "M_LN2": "0.69314718055994530942", "M_LN10": "2.30258509299404568402",
    "M_LOG2E": "1.4426950408889634074", "M_LOG10E": "0.43429448190325182765",
    "M_PI_2": "1.57079632679489661923", "M_PI_4": "0.78539816339744830962",
    "M_1_PI": "0.31830988618379067154", "M_2_PI": "0.63661977236758134308",
    "M_2_SQRTPI": "1.12837916709551257390",
}  # fmt: skip
"""The constants of C's ``math.h`` that have no name here, as it defines them."""
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
        (LEAF, _VULGAR),
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
    text = report.view
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
        extra: Function | Draft | None = None
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
        elif kind == LEAF:
            label = unicodedata.normalize("NFKC", word).replace("⁄", "/")
            extra = constant(label, (low, high))
        last = high
        append((kind, word, low, high, extra))
    body = text[start:end]
    if "//" in body or any([name in body for name in _EXACT_NAMES]):
        tokens = _with_exact_leaves(report, tokens, start, end)
    if "M_" in body:
        for place, (kind, word, low, high, _) in enumerate(tokens):
            if kind == NAME and word in _OF_MATH_H:
                tokens[place] = (LEAF, word, low, high, constant(_OF_MATH_H[word], (low, high)))
    if not body.isascii() and any([row[0] == LEAF and row[1] in _VULGAR for row in tokens]):
        tokens = _with_products_of_fractions(report, tokens)
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
    text = report.view
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
            report.fail(
                "whole-number division is not supported", low, high,
                "write `/`; a comment begins with `#`",
            )  # fmt: skip
        kept.append(token)
    return kept


def _with_products_of_fractions(report: Report, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with a product sign behind each ``½`` that a factor follows.

    Raises
    ------
    FormulaError
        If a number stands before one: ``2½`` is a sum or a product.
    """
    kept: list[TokenRow] = []
    for token in tokens:
        kind, word, low, high, _ = token
        before = kept[-1] if kept else None
        if before is not None and kind == LEAF and word in _VULGAR and before[0] == NUMBER:
            report.fail(
                f"`{before[1]}{word}` is not read", before[2], high, "write it as a decimal"
            )
        is_factor = before is not None and before[0] == LEAF and before[1] in _VULGAR
        if before is not None and is_factor and kind in (NAME, CALL, OPEN):
            report.note(f"`{before[1]}` is read as a factor", (before[2], high))
            kept.append((OPERATOR, "*", low, low, None))
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
    powers_from_left : bool
        As `Grammar` has it.
    """

    def __init__(
        self, names: Names, report: Report, lenient: bool = False, powers_from_left: bool = False
    ) -> None:
        super().__init__(names, report)
        self.lenient = lenient
        self.powers_from_left = powers_from_left

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list[PendingRow]) -> int:
        before, token = Token._make(tokens[index - 1]), Token._make(tokens[index])
        if before.kind == CLOSE and token.kind == OPEN:
            if token.text == "[" and tokens[index + 1][0] == NUMBER and tokens[index + 2][1] == "]":
                self.report.fail(
                    "an element of a result is not read",
                    token.start,
                    tokens[index + 2][3],
                    "remove the index, or write a product with `*`",
                )
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


def parse_infix(
    report: Report, names: Names, tokens: list[TokenRow], powers_from_left: bool = False
) -> Draft:
    """The tree of the tokens of ``report.text``.

    Parameters
    ----------
    report : Report
        Holds the text; notes and other readings are added to it.
    names : Names
        The meaning of names.
    tokens : list of TokenRow
        As `tokenize` gives them.
    powers_from_left : bool
        As `Grammar` has it.

    Raises
    ------
    FormulaError
        If they are no formula.
    """
    draft = parse(tokens, Infix(names, report, powers_from_left=powers_from_left))
    if report.products and any(n.message.endswith("not as a call") for n in report.notes.values()):
        report.alternative("the same product, written out", report.with_products_written)
    return draft


def parse_text(
    report: Report, names: Names, tokens: list[TokenRow], powers_from_left: bool = False
) -> Draft:
    """As `parse_infix`; where that fails, with commas between digits read as decimal marks.

    Parameters
    ----------
    report, names, tokens, powers_from_left
        As for `parse_infix`; a note is added if commas are read so.

    Raises
    ------
    FormulaError
        If the tokens are no formula either way, or a comma may mean either.
    """
    try:
        return parse_infix(report, names, tokens, powers_from_left)
    except FormulaError:
        joined = with_decimal_commas(report, tokens)
        if joined is None:
            raise
        return parse_infix(report, names, joined, powers_from_left)


def with_decimal_commas(report: Report, tokens: list[TokenRow]) -> list[TokenRow] | None:
    """The tokens with each comma between two digits as a decimal mark; None if there is none.

    A comma inside a call of a function of several arguments separates them, unless semicolons do.

    Parameters
    ----------
    report : Report
        Holds the text; gets a note.
    tokens : list of TokenRow
        As `tokenize` gives them.

    Raises
    ------
    FormulaError
        If every such comma may as well group thousands, or one may separate arguments.
    """
    semicolons = any([row[:2] == (COMMA, ";") for row in tokens])
    kept: list[TokenRow] = []
    joined: list[Token] = []
    doubtful: list[Token] = []
    open_calls: list[bool] = []
    index, size = 0, len(tokens)
    while index < size:
        row = tokens[index]
        index += 1
        if row[0] in (OPEN, CALL):
            function = FUNCTIONS.get(row[1].lower()) if row[0] == CALL else None
            open_calls.append(function is not None and function.high > 1)
        elif row[0] == CLOSE and open_calls:
            open_calls.pop()
        elif row[0] == NUMBER and row[1].isdigit() and index + 1 < size:
            comma, behind = tokens[index], tokens[index + 1]
            touching = row[3] == comma[2] and comma[3] == behind[2]
            if (
                comma[:2] == (COMMA, ",")
                and behind[0] == NUMBER
                and touching
                and behind[1][0].isdigit()
                and "." not in behind[1]
            ):
                token = Token(NUMBER, f"{row[1]}.{behind[1]}", row[2], behind[3])
                if open_calls and open_calls[-1] and not semicolons:
                    doubtful.append(token)
                else:
                    joined.append(token)
                    kept.append(token)
                    index += 2
                    continue
        kept.append(row)
    if not joined:
        return None
    if all([_groups_thousands(token.text) for token in joined]):
        one = joined[0]
        whole = one.text.replace(".", "")
        report.fail(
            f"`{report.text[one.start : one.end]}` may be {one.text} or {whole}",
            one.start, one.end, "write the decimal mark as a point, and no mark between thousands",
        )  # fmt: skip
    if doubtful:
        report.fail(
            "this comma may be a decimal mark or separate two arguments",
            doubtful[0].start, doubtful[0].end, "write decimals with a point",
        )  # fmt: skip
    report.note(
        "a comma between digits is read as the decimal mark", (joined[0].start, joined[0].end)
    )
    return kept


def _groups_thousands(text: str) -> bool:
    """Whether digits around a mark look like ``1,000``.

    Examples
    --------
    >>> [_groups_thousands(text) for text in ("1.000", "0.125", "2.5", "1234.500")]
    [True, False, False, False]
    """
    over, _, under = text.partition(".")
    return len(under) == 3 and under.isdigit() and len(over) <= 3 and over[0] != "0"


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
