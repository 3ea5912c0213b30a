"""Reads Python, NumPy, SymPy and other infix text, and mends a PySR export with broken brackets.
Some published tables of PySR formulas (with ``powabs(a; b)``) have one surplus ``(`` per such call,
all right after the first call's own. Without them the sizes and scores are those that the tables
state (docs/adr/0002-reading-formulas.md).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from eic_core import wording
from eic_core.errors import FormulaError, RefusalKind
from eic_core.formula.syntax.build import FUNCTIONS, Function, Span, number_label
from eic_core.formula.syntax.elements import Element, find_elements, offer_products, with_elements
from eic_core.formula.syntax.euler import with_arguments
from eic_core.formula.syntax.grammar import TIGHTEST_PRODUCT, Grammar, parse
from eic_core.formula.syntax.joined_tokens import with_joined_tokens
from eic_core.formula.syntax.named_arguments import with_named_arguments
from eic_core.formula.syntax.names import SUPERSCRIPTS, Names, similar_function, suggestion
from eic_core.formula.syntax.neighbours import (
    Neighbours,
    offer_calls,
    offer_letters,
    offer_other_products,
    refuse_element,
    variables_of,
)
from eic_core.formula.syntax.other_calls import with_plain_calls
from eic_core.formula.syntax.phrases import REMAINDERS
from eic_core.formula.syntax.products import (
    Factors,
    Written,
    is_close,
    letter_products,
    letters_of,
    with_factors,
    with_factors_of_letters,
)
from eic_core.formula.syntax.reading import Refusal, Report, replaced
from eic_core.formula.syntax.tokens import (
    BAD,
    BAR,
    CALL,
    CLOSE,
    COMMA,
    DECIMAL,
    END,
    LEAF,
    MINUS,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PREFIX,
    SUPERSCRIPT,
    PendingRow,
    Token,
    TokenRow,
    with_runs,
)
from eic_core.formula.tree import Draft, constant

_VULGAR = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
"""Fractions that are one character."""
_LETTER = rf"[^\W\d⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉{_VULGAR}]"
_WORD = rf"[^\W⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉{_VULGAR}]"
_FIRST_LETTER = re.compile(_LETTER)
_WORDS = re.compile(  # the commonest first; between them they take every character of a text
    r"[()+^\- ]|[0-9]+\.?[0-9]*(?:[eE][+\-−–—]?[0-9]+)?"
    rf"|(?:(?:np|numpy|math|sympy|sp|torch|jnp|tf|onp)\.)?{_LETTER}{_WORD}*+[₀₁₂₃₄₅₆₇₈₉]*+"
    r"(?:\[\s*+(?::\s*+,\s*+)?[0-9]++\s*+\])?(?:\s*+\()?"
    r"|\*\*?|\s+|//|[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[<>=!~]=|\.[0-9]+(?:[eE][+\-−–—]?[0-9]+)?|\S"
)
_EXACT = re.compile(
    r"(?<!\w)(?:sympy\.|sp\.)?(Integer|Float|Rational|Symbol)\s*\(([^()]{0,2000})\)"
)
_COMMENT_OR_DIVISOR = re.compile(r"[ \t]++[^\W\d_][^\n()*+^=-]*+(?=\n|\Z)")
"""What may stand behind the ``//`` of a comment, or be a divisor."""
_WHOLE_NUMBER = re.compile(r"[ \t]*+([0-9]{1,30}+)(?![\w.])")
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
    "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
    "M_LN2": "0.69314718055994530942",
    "M_LN10": "2.30258509299404568402",
    "M_LOG2E": "1.4426950408889634074",
    "M_LOG10E": "0.43429448190325182765",
    "M_PI_2": "1.57079632679489661923",
    "M_PI_4": "0.78539816339744830962",
    "M_1_PI": "0.31830988618379067154",
    "M_2_PI": "0.63661977236758134308",
    "M_2_SQRTPI": "1.12837916709551257390",
}
"""The constants of C's ``math.h`` that have no name here, as it defines them."""
_SYMBOL_ROOTS = {"√": FUNCTIONS["sqrt"], "∛": FUNCTIONS["cbrt"]}
PRODUCT = 20
"""How tightly a product binds that is understood."""
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
    """The tokens of ``report.text[start:end]``, closed by `END`; characters of no formula are
    `BAD`.
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
    if "//" in body and tokens:
        _refuse_whole_division(report, tokens, end)
    if "Integer" in body or "Float" in body or "Rational" in body or "Symbol" in body:
        exact = [_exact_leaf(report, match) for match in _EXACT.finditer(text, start, end)]
        tokens = with_runs([*tokens, (END, "", end, end, None)], exact)[:-1]
    if "M_" in body:
        for place, (kind, word, low, high, _) in enumerate(tokens):
            if kind == NAME and word in _OF_MATH_H:
                tokens[place] = (LEAF, word, low, high, constant(_OF_MATH_H[word], (low, high)))
    if not body.isascii():
        if any(row[0] == LEAF and row[1] in _VULGAR for row in tokens):
            tokens = _with_products_of_fractions(report, tokens)
        tokens = [
            (NUMBER, row[1].translate(MINUS), *row[2:]) if row[0] == NUMBER else row
            for row in tokens
        ]
    if text is not report.text:
        tokens = [_as_far_as_written(report, row) for row in tokens]
        last = tokens[-1][3] if tokens else last
    tokens.append((END, "", last, last, None))
    return tokens


_OF_NUMBERS = frozenset("0123456789_abcdefABCDEFLlUuPpikrsqtxwzo")


def _as_far_as_written(report: Report, token: TokenRow) -> TokenRow:
    """A number up to its last character in the text, of which the view may show fewer."""
    kind, word, start, end, extra = token
    text, view = report.text, report.view
    while kind == NUMBER and end < len(text) and view[end] == " " and text[end] in _OF_NUMBERS:
        end += 1
    return kind, word, start, end, extra


def _refuse_whole_division(report: Report, tokens: list[TokenRow], end: int) -> None:
    """Raise for a ``//``, which divides whole numbers or begins a comment."""
    text, source = report.view, report.text
    place = next((i for i, row in enumerate(tokens) if row[:2] == (OPERATOR, "//")), 0)
    if not place and tokens[0][1] != "//":
        return
    low, high = tokens[place][2:4]
    before = tokens[place - 1]
    begins = place < 2 or tokens[place - 2][0] in (OPEN, CALL, COMMA) or tokens[place - 2][1] == "+"
    divisor = _WHOLE_NUMBER.match(text, high, end) if begins else None
    if divisor is not None and before[0] == NUMBER and before[1].isdigit():
        start, end = before[2], divisor.end()
        quotient = f"({before[1]}/{divisor[1]})"
        report.fail(
            f"`{source[start:end][:40]}` is a fraction in Julia and rounded down in Python",
            start,
            end,
            "write `/` or `floor(x/y)`",
            choices=(
                ("a fraction", replaced(source, [(start, end, quotient)])),
                ("rounded down", replaced(source, [(start, end, f"floor{quotient}")])),
            ),
        )
    behind = _COMMENT_OR_DIVISOR.match(text, high, end)
    comment = source[:low].rstrip() + source[behind.end() :] if behind is not None else ""
    report.fail(
        "whole-number division is not supported",
        low,
        high,
        "write `floor(x/y)` for `x // y`; a comment begins with `#`",
        choices=(("a comment", comment),) if behind is not None else (),
    )


def _with_products_of_fractions(report: Report, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with a product sign behind each ``½`` before a factor. Raises `FormulaError` for
    ``2½``, which is a sum or a product.
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
        if re.fullmatch(rf"{_LETTER}{_WORD}*+[₀₁₂₃₄₅₆₇₈₉]*+", name):
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
            report.refuse(refusal, *span)
    report.fail(f"`{kind}(…)` holds no {kind.lower()} literal", *span, f"as in `{kind}(2)`")


def _signed(text: str) -> str:
    sign = "-" if text.startswith("-") else ""
    return sign + number_label(text.lstrip("+- "))


class Infix(Grammar):
    """Plain text: factors may stand side by side, and `letters` are the places of those that go on
    with a word of letters.
    """

    def __init__(self, names: Names, report: Report, letters: Collection[int] = ()) -> None:
        super().__init__(names, report)
        self.powers_from_left = names.policy.powers_from_left
        self.letters = letters
        self.neighbours = Neighbours(report, names)
        self.parentheses: list[Span] = []  # of products such as `(a)(b)`
        self.has_gaps = False  # whether another product without a sign was met

    def side_by_side(self, tokens: list[TokenRow], index: int, pending: list[PendingRow]) -> int:
        before, token = tokens[index - 1], tokens[index]
        if before[0] == CLOSE and token[0] == OPEN:
            refuse_element(self.report, tokens, index)
            self.parentheses.append((before[2], token[3]))
            return PRODUCT
        if not self.has_gaps:
            self.neighbours.refuse_raised_function(tokens)
        self.has_gaps = True
        self.neighbours.refuse(tokens, index)
        if self.names.policy.close_products:
            is_tight = is_close(tokens, index) and _is_over(pending, ("mul", "div", "pow"))
        else:
            is_tight = token[2] in self.letters and _is_over(pending, ("div", "pow"))
        return TIGHTEST_PRODUCT if is_tight else PRODUCT

    def factor(self, token: TokenRow) -> None:
        _, name, start, _, _ = token
        end = start + len(name)
        if not self.names.is_factor(name):
            name = name if len(name) <= 100 else name[:20]
            self.report.fail(
                f"unknown function `{name}`",
                start,
                end,
                self._suggestion(name),
                self._remedy(start, end, name),
                kind=RefusalKind.UNKNOWN_FUNCTION,
                fields=(name,),
            )
        self.report.note(_as_factor(name, self.report.view, start), (start, end))

    def _suggestion(self, name: str) -> str:
        split = _LETTERS_AND_FUNCTION.match(name)
        if split is None or name.lower() in FUNCTIONS:
            return suggestion(name)
        return f"write `{'*'.join([*split['letters'], split['function']])}(…)`"

    def _remedy(self, start: int, end: int, name: str) -> str | None:
        """The whole text with the function meant, if a misspelling tells it."""
        text = self.report.text
        split = _LETTERS_AND_FUNCTION.match(name)
        if split is None:
            meant = similar_function(name)
            return text[:start] + meant + text[end:] if meant.isalnum() else None
        letters = split["letters"]
        if not re.search(rf"(?<![^\W\d]){letters}(?!\w)", text):
            return None  # the letter stands nowhere else
        written = f"{letters} {split['function']}"
        return text[:start] + written + text[end:] if len(letters) == 1 else None


_LETTERS_AND_FUNCTION = re.compile(
    r"(?P<letters>[A-Za-z]{1,3}?)(?P<function>(?:arc)?(?:sin|cos|tan)h?|exp|ln|log(?:10|2)?|sqrt)\Z"
)
"""``xsin`` and ``qvBsin``: letters before a function."""
_SUMMED = re.compile(r"[ΣΠ][^\W\d_]")


def _refuse_sums(report: Report, names: Names, tokens: list[TokenRow]) -> None:
    """Raise for ``Σx²``, whose Σ is a sum and no variable."""
    for place, (kind, text, start, end, _) in enumerate(tokens):
        if kind != NAME or text[0] not in "ΣΠ" or names.spells_column(text):
            continue
        beside = tokens[place + 1][0] in (NAME, NUMBER, CALL, PREFIX)
        if (len(text) == 1 and beside) or (len(text) > 1 and _SUMMED.match(text)):
            if names.spells_column(text[0]):
                continue
            what = ("sums", "terms") if text[0] == "Σ" else ("products", "factors")
            report.fail(
                f"{what[0]} over an index are not supported",
                start,
                end,
                f"write the {what[1]} out; for a product write `{text[0]}*{text[1:] or 'x'}`"[:80],
            )


_LONGEST_SHOWN = 200
"""Most characters of a text that a note writes out."""


def _as_factor(name: str, text: str, place: int) -> str:
    """What is said of a name before a parenthesis that stands at a place and is a factor."""
    if text[max(place - 3, 0) : place].rstrip().endswith(("^", "**")):
        return f"`{name}` alone is read as the exponent: the parenthesis behind it is a factor"
    return f"`{name}(…)` is read as the product `{name}*(…)`, not as a call"


def _is_over(pending: list[PendingRow], over: Collection[str]) -> bool:
    """Whether the operand at hand is the whole one of an operator, or goes on with it."""
    waiting = next((row for row in reversed(pending) if row[1] != "neg"), None)
    return waiting is not None and (waiting[0] == TIGHTEST_PRODUCT or waiting[1] in over)


def parse_infix(
    report: Report, names: Names, tokens: list[TokenRow], by_hand: bool = False
) -> Draft:
    """The tree of the tokens. `by_hand` says that a person may have left signs out. Raises
    `FormulaError` if they are no formula.
    """
    elements: dict[str, list[Element]] = {}
    if by_hand:
        if "Σ" in report.view or "Π" in report.view:
            _refuse_sums(report, names, tokens)
        if [row for row in tokens if row[0] == CALL and row[1] not in FUNCTIONS]:
            tokens = with_factors_of_letters(names, tokens)
            if elements := find_elements(names, tokens):
                written, tokens = tokens, with_elements(report, tokens, elements)
    words = letter_products(names, tokens, _styled_words(report, tokens))
    rows, letters = _with_letters(tokens, words.certain)
    grammar = Infix(names, report, letters)
    try:
        draft = parse(rows, grammar)
    except FormulaError as error:
        if error.kind is RefusalKind.NO_ARGUMENT:  # as in `sin 2x`
            _refuse_function_without_argument(grammar, rows, error.span[0])
        raise
    if report.products:
        _note_products(report, names, tokens, words.certain, grammar)
    if by_hand:
        offer_calls(report, names, tokens)
        offer_letters(report, names, tokens, words)
    if elements:
        offer_products(report, written, elements)
    return draft


def _styled_words(report: Report, tokens: list[TokenRow]) -> frozenset[str]:
    """The words that the source writes in mathematical letters, as ``𝑚𝑐``."""
    source, text = report.source, report.text
    if source is text:
        return frozenset()
    words = [row for row in tokens if row[0] == NAME]
    return frozenset([word for _, word, low, *_ in words if source[low] != text[low]])


def _with_letters(
    tokens: list[TokenRow], split: dict[str, Factors]
) -> tuple[list[TokenRow], frozenset[int]]:
    """The tokens with a name for each factor of the split words, and where all but the first of
    each begin.
    """
    if not split:
        return tokens, frozenset()
    rows: list[TokenRow] = []
    later: set[int] = set()
    for row in tokens:
        if row[0] == NAME and row[1] in split:
            letters = letters_of(split[row[1]], row[2])
            later |= {letter[2] for letter in letters[1:]}
            rows += letters
        else:
            rows.append(row)
    return rows, frozenset(later)


def _refuse_function_without_argument(grammar: Infix, tokens: list[TokenRow], start: int) -> None:
    """Raise for ``sin^2(x)`` and ``sin 2x`` with what to write."""
    grammar.neighbours.refuse_raised_function(tokens)
    tokens = with_factors(grammar.names, tokens)
    place = next(i for i, row in enumerate(tokens) if row[2] == start)
    if tokens[place + 1][0] in (OPEN, CALL, NUMBER, NAME, LEAF, PREFIX):
        grammar.neighbours.refuse(tokens, place + 1)


def _note_products(
    report: Report,
    names: Names,
    tokens: list[TokenRow],
    split: dict[str, Factors],
    grammar: Infix,
) -> None:
    """Say which products were understood, and offer the other readings."""
    if not grammar.has_gaps:
        for place in grammar.parentheses[:1]:
            report.note("parentheses side by side are read as a product", place)
        if any(sign in report.view for sign in ("/", "^", "**")):
            offer_other_products(report, Written(report, names, tokens, split))
        return
    written = Written(report, names, tokens, split)
    start, end = tokens[0][2], tokens[-1][3]
    whole = {row[1]: row for row in tokens[::-1] if row[0] == NAME and row[1] in split}
    for name, (_, _, low, high, _) in [*whole.items()][::-1]:
        report.note(f"`{name}` is the product {'·'.join(split[name])}", (low, high))
    shown = written.text()[start : len(written.text()) - len(report.text) + end]
    told = "between two factors side by side `*` is understood"
    if len(shown) <= _LONGEST_SHOWN:
        told = f"read as `{shown}`: {told}"
    if written.close:
        told += " and binds more tightly than `*`, `/` and a `^` before it, as in Julia"
    elif written.denominators or written.tight:
        told += "; behind `/` or `^` stands one factor, or the letters of one word"
    report.note(told, (start, end))
    if whole:
        label = "one variable called " if len(whole) == 1 else "the variables "
        report.alternative(
            label + wording.join([*whole][::-1], limit=5),
            lambda: with_arguments(report.text, variables_of(names, tokens, split), start, end),
        )
    offer_other_products(report, written)


def parse_text(
    report: Report, names: Names, tokens: list[TokenRow], by_hand: bool = False
) -> Draft:
    """As `parse_infix`; where that fails, with other calls in plain form, or with commas between
    digits as decimal marks. Raises `FormulaError` if both fail, or a comma may mean either.
    """
    tokens = with_joined_tokens(report, names, tokens)
    if "=" in report.view or "None" in report.view:
        tokens = with_named_arguments(report, names, tokens)
    if "%" in report.view:
        tokens = _with_remainders(report, names, tokens)
    if ";" in report.view:
        tokens = _with_commas_beside_semicolons(report, tokens)
    known = len(report.notes)
    try:
        return parse_infix(report, names, tokens, by_hand)
    except FormulaError as error:
        report.notes = dict.fromkeys([*report.notes][:known])
        others: dict[str, str] = {}
        rewritten = with_plain_calls(report, names, tokens)
        if rewritten is not None:
            kept, others = rewritten
        else:
            _refuse_thousands(error)
            spaced = _with_spaced_thousands(report, tokens)
            kept = with_decimal_commas(report, spaced) or spaced
            if kept is tokens:
                raise
        report.products = []
        report.alternatives.clear()
        draft = parse_infix(report, names, kept, by_hand)
        for label, text in others.items():
            report.alternative(label, text.__str__)
        return draft


_OF_R = re.compile(r"%(?:/|>|o|x|in|\*)%")
"""Signs that R writes with two percent signs."""


def _with_remainders(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with an operator for each ``x % y`` and R's ``x %% y``; ``20%`` stays."""
    if _OF_R.search(report.view) is not None:
        return tokens
    kept: list[TokenRow] = []
    for place, row in enumerate(tokens):
        if row[:2] != (BAD, "%"):
            kept.append(row)
            continue
        doubled = bool(kept) and kept[-1][:2] == (BAD, "%") and kept[-1][3] == row[2]
        if doubled:
            row = (*kept.pop()[:3], *row[3:])
        before, behind = (kept[-1] if kept else row), tokens[place + 1]
        ends = before[0] in (NUMBER, NAME, LEAF, CLOSE, SUPERSCRIPT, BAR)
        begins = behind[0] in (NUMBER, NAME, CALL, OPEN, LEAF, PREFIX, BAR)
        begins |= behind[1] == "-" and (before[0] != NUMBER or before[3] < row[2])
        percent = before[0] == NUMBER and before[3] == row[2] and row[3] < behind[2]
        if not ends or not begins or percent and not doubled:
            kept.append(row)
            continue
        kept.append((OPERATOR, "%%" if doubled else "%", *row[2:]))
        if not doubled:
            report.note(REMAINDERS[names.policy.remainder], (row[2], row[3]))
    return kept


_THOUSANDS = re.compile(
    r"(?<![\w.,])(?:[0-9]{1,3}(?:\.[0-9]{3})++,[0-9]++|[0-9]{1,3}(?:,[0-9]{3})++\.[0-9]++)(?![\w.,])"
)


_SPACED_THOUSANDS = re.compile(
    r"(?<![\w.,])[1-9][0-9]{0,2}(?:[ \u00a0\u2009\u202f][0-9]{3}(?![0-9])){1,10}(?:\.[0-9]*+)?"
    r"(?![.]|[eE][-+0-9])"
)


def _with_spaced_thousands(report: Report, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with one number for each ``1 000``."""
    runs: list[TokenRow] = []
    for match in _SPACED_THOUSANDS.finditer(report.view, tokens[0][2], tokens[-1][2]):
        number = "".join(match[0].split())
        message = f"`{match[0][:40]}` is read as the number {number[:40]}"
        report.note(message, match.span())
        runs.append((NUMBER, number, *match.span(), None))
    return with_runs(tokens, runs)


_OF_NUMERALS = frozenset("0123456789.,")


def _refuse_thousands(error: FormulaError) -> None:
    """Raise if the error stands at a number with marks between its thousands, as ``1.234,5``."""
    text, place = error.source, error.span[0]
    if text[place : place + 1] not in _OF_NUMERALS:
        return
    for match in _THOUSANDS.finditer(text):
        if match.start() <= place < match.end():
            start, end = match.span()
            mark = max(match[0].rfind(","), match[0].rfind("."))
            over, under = match[0][:mark], match[0][mark + 1 :]
            plain = f"{over.replace('.', '').replace(',', '')}.{under}"
            raise FormulaError(
                f"`{match[0][:40]}` has a mark between its thousands",
                source=text,
                span=(start, end),
                hint=f"write `{plain[:40]}`",
                replacement=text[:start] + plain + text[end:],
            )


def _with_commas_beside_semicolons(report: Report, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with decimal commas where semicolons separate a call's arguments. Raises
    `FormulaError` for a comma beside semicolons that stands between no digits.
    """
    if {row[1] for row in tokens if row[0] == COMMA} != {",", ";"}:
        return tokens
    kept = with_decimal_commas(report, tokens) or tokens
    place = _comma_beside_semicolons(kept)
    if place >= 0:
        report.fail(
            "`,` and `;` stand between the arguments of one call",
            *kept[place][2:4],
            "write one of them, and decimals with a point",
        )
    return kept


def _comma_beside_semicolons(tokens: list[TokenRow]) -> int:
    """The first comma in a bracket that semicolons divide, too; -1 if there is none."""
    opened: list[list[int]] = []
    for place, (kind, text, *_) in enumerate(tokens):
        if kind in (OPEN, CALL):
            opened.append([-1, -1])
        elif kind == CLOSE and opened:
            opened.pop()
        elif kind == COMMA and opened:
            marks = opened[-1]
            if marks[text == ";"] < 0:
                marks[text == ";"] = place
            if min(marks) >= 0:
                return marks[0]
    return -1


def with_decimal_commas(report: Report, tokens: list[TokenRow]) -> list[TokenRow] | None:
    """The tokens with each comma between two digits as a decimal mark; None if there is none. A
    comma in a call of several arguments separates them, unless semicolons do. Raises `FormulaError`
    if all such commas may group thousands, or one may separate arguments.
    """
    semicolons = any(row[:2] == (COMMA, ";") for row in tokens)
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
            touching = row[3] == comma[2] and comma[2] + 1 == comma[3] == behind[2]
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
    if all(_groups_thousands(token.text) for token in joined):
        one = joined[0]
        whole = one.text.replace(".", "")
        report.fail(
            f"`{report.text[one.start : one.end]}` may be {one.text} or {whole}",
            one.start,
            one.end,
            "write the decimal mark as a point, and no mark between thousands",
        )
    if doubtful:
        report.fail(
            "this comma may be a decimal mark or separate two arguments",
            doubtful[0].start,
            doubtful[0].end,
            "write decimals with a point",
        )
    report.note(
        "a comma between digits is read as the decimal mark", (joined[0].start, joined[0].end)
    )
    return kept


def _groups_thousands(text: str) -> bool:
    """Whether digits around a mark look like ``1,000``.

    >>> [_groups_thousands(text) for text in ("1.000", "0.125", "2.5", "1234.500")]
    [True, False, False, False]
    """
    over, _, under = text.partition(".")
    return len(under) == 3 and under.isdigit() and len(over) <= 3 and over[0] != "0"


def parse_repaired(report: Report, names: Names, tokens: list[TokenRow]) -> Draft | None:
    """The reading with the surplus parentheses left out, or None: as many ``(`` as semicolons, all
    right after the parenthesis of the only call of two arguments that so many follow.
    """
    kinds = [row[0] for row in tokens]
    surplus = kinds.count(OPEN) + kinds.count(CALL) - kinds.count(CLOSE)
    if surplus <= 0 or surplus != sum([row[:2] == (COMMA, ";") for row in tokens]):
        return None
    run = [(OPEN, "(")] * surplus
    places = [
        place
        for place, (kind, name, *_) in enumerate(tokens)
        if kind == CALL
        and (function := FUNCTIONS.get(name.lower())) is not None
        and function.low == function.high == 2
        and [row[:2] for row in tokens[place + 1 : place + 1 + surplus]] == run
    ]
    if len(places) != 1:
        return None
    (place,) = places
    _, name, start, end, _ = tokens[place]
    report.note(
        f"the text has {surplus} surplus `(` after `{name}(`, as one known export of PySR"
        " tables writes them; they are left out",
        (start, end + surplus),
    )
    return parse(tokens[: place + 1] + tokens[place + 1 + surplus :], Infix(names, report))
