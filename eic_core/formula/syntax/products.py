"""Products without a sign in plain text: ``2x(x+1)``, ``m c^2``, and ``mc^2`` where m and c are
given names. Such a product binds like ``*``: ``1/2x`` is (1/2)·x. Letters of a word stay together:
the ``mc^2`` of ``1/mc^2`` is its whole denominator. What a word is, the language's policy and the
given names decide alone; `Written` writes a text with its products for notes and other readings.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import NamedTuple

from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.conditions import ALTERNATIVES, JOINTS, QUESTIONS
from eic_core.formula.syntax.names import (
    CONSTANT_NAMES,
    GREEK,
    LOWERED,
    MISSING,
    NOT_A_NUMBER,
    Names,
)
from eic_core.formula.syntax.policy import WordRule
from eic_core.formula.syntax.reading import Refusal, Report, replaced
from eic_core.formula.syntax.refusals import MISSPELT
from eic_core.formula.syntax.tokens import (
    BAR,
    CALL,
    CLOSE,
    COMMA,
    END,
    LEAF,
    NAME,
    NUMBER,
    OPEN,
    OPERATOR,
    PREFIX,
    SUPERSCRIPT,
    TokenRow,
)

WORDS_OF_CODE = frozenset(
    (
        "return def lambda if else elif for while in is and or not import from let where then end"
        " const double float int auto var function begin print assert class del global nonlocal"
        " yield raise pass"
    ).split()
)
"""What no variable of a formula is called, if another name stands beside it."""
JOINING_WORDS = frozenset([w for w in (*JOINTS, *QUESTIONS, *ALTERNATIVES) if w.isalpha()])
"""Words of conditions that stand between two operands."""
NEGATION_WORDS = frozenset(("not",))
_WORD = re.compile(r"[A-Za-z]{2,3}\Z")
_PART = re.compile(r"[Δδ∂]?+[^\W\d_](?:_?[0-9]++|[₀-₉]++)?+")
_INDEX = re.compile(r"[0-9₀-₉]")
_SMALL_DIFFERENCE = re.compile(r"δ([^\W\d_](?:_?[0-9]++|[₀-₉]++)?+)\Z")
"""``δt``: a small difference, or a product."""
_LETTER_AS_INDEX = re.compile(r"([^\W\d_]_[^\W\d_])([^\W\d_](?:_?[0-9]++|[₀-₉]++)?+)\Z")
"""``k_BT``: a letter with a letter as its index, and one more."""
_TIMES_PI = re.compile(r"pi([^\W\d_](?:_?[0-9]++|[₀-₉]++)?+)\Z")
_MOST_PARTS = 20
_MOST_WITHOUT = 2
"""Letters without an index beside those that have one, in a word that may be a product."""
_LONGEST_GREEK = 8
_APPLIED = "arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|exp|log10|log2|log|ln|sqrt"
FUNCTION_AND_LETTER = re.compile(
    rf"({_APPLIED})([0-9]++|[0-9]*+[^\W\d_{LOWERED}]_?[0-9{LOWERED}]{{0,4}})\Z"
)
"""A function that lacks parentheses, or a name: ``sinx``, ``cost``, ``sqrt2``."""
_GREEK_LETTERS = frozenset("π").union(GREEK)
APPLIED_TO_GREEK = re.compile(rf"({_APPLIED})(?=[{''.join(sorted(_GREEK_LETTERS))}])")
"""A function directly before a Greek letter: ``sinθ``, ``rcosωt``."""
_CAPITAL_THEN_SMALL = re.compile(r"[A-Z][a-z]")
_NO_NAMES = CONSTANT_NAMES | MISSING

Factors = tuple[str, ...]
Piece = tuple[int, int, str]


class LetterProducts(NamedTuple):
    """The words of a text that are products of their letters, or could be, each with its factors.

    `certain` are products; `likely` and `possible` are names: in a text written by hand the first
    are products, too.
    """

    certain: dict[str, Factors]
    likely: dict[str, Factors]
    possible: dict[str, Factors]


def letter_products(
    names: Names, tokens: list[TokenRow], styled: Collection[str] = ()
) -> LetterProducts:
    """What each word of several letters is, by the language's policy and the given names alone.
    `styled` words are written in mathematical letters, of which each is a symbol.
    """
    found = LetterProducts({}, {}, {})
    if names.policy.words is WordRule.NAME:
        return found
    by_hand = names.policy.words is WordRule.PRODUCT
    for word in dict.fromkeys([row[1] for row in tokens if row[0] == NAME]):
        if len(word) < 2 or not (ways := ways_of(word)) or _is_whole(word, names):
            continue
        given = [parts for parts in ways if _are_given(parts, names)]
        if given:
            found.certain[word] = given[-1]
        elif word in styled or is_likely(word) and (by_hand or "π" in word):
            found.certain[word] = ways[0]
        elif is_likely(word):
            found.likely[word] = ways[0]
        elif _WORD.match(word) and not FUNCTION_AND_LETTER.match(word):
            found.possible[word] = ways[0]
    return found


def _are_given(parts: Factors, names: Names) -> bool:
    """Whether the factors are columns, ranges or arguments, or constants beside one of these."""
    given = [names.spells_column(part) for part in parts]
    return any(given) and all(
        is_given or part in _CONSTANTS for is_given, part in zip(given, parts, strict=True)
    )


_CONSTANTS = frozenset(("π", "pi", "e"))


def with_factors_of_letters(names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with a name and a bracket for ``πr(r+h)``, whose letters are factors, and
    ``T_0(1+z)``.
    """
    indexed = [
        place
        for place, (kind, text, _, _, extra) in enumerate(tokens)
        if kind == CALL
        and extra is None
        and _LETTER_WITH_INDEX.match(text)
        and _is_unknown(names, text)
        and _holds_sum(tokens, place)
    ]
    if indexed:
        tokens = _opened(tokens, indexed)
    found = [
        place
        for place, (kind, text, _, _, extra) in enumerate(tokens)
        if kind == CALL
        and 1 < len(text) <= _LONGEST_GREEK
        and extra is None
        and text[-1] not in "fgh"
        and text.isalpha()
        and not (text.isascii() and text.islower())  # as `sn` and other functions are called
        and is_likely(text)
        and _is_unknown(names, text)
        and _holds_sum(tokens, place)
    ]
    return _opened(tokens, found) if found else tokens


_LETTER_WITH_INDEX = re.compile(r"(?![fghJ])[^\W\d_](?:_\w{1,3}|[0-9]{1,2})\Z")
"""``T_0``, but no function of mathematics as ``J_0``, the one of Bessel."""


def _opened(tokens: list[TokenRow], places: list[int]) -> list[TokenRow]:
    """The tokens with a name and a bracket for the call at each of these places."""
    kept: list[TokenRow] = []
    last = 0
    for place in places:
        _, text, start, end, _ = tokens[place]
        kept += tokens[last:place]
        kept.append((NAME, text, start, start + len(text), None))
        kept.append((OPEN, "(", end - 1, end, None))
        last = place + 1
    return kept + tokens[last:]


def with_factors(names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
    """The tokens with a name and a bracket for each ``x(`` that is a factor."""
    return _opened(tokens, [i for i, row in enumerate(tokens) if is_factor(names, row)])


def is_factor(names: Names, token: TokenRow) -> bool:
    """Whether a token is a name and the bracket behind it, which it multiplies."""
    if token[0] != CALL or token[4] is not None:
        return False
    try:
        return names.function(token[1]) is None and names.is_factor(token[1])
    except Refusal:
        return False


def _is_unknown(names: Names, name: str) -> bool:
    """Whether ``name(`` is neither a call nor a factor."""
    if name in WORDS_OF_CODE or name in JOINING_WORDS or name in NEGATION_WORDS:
        return False
    try:
        return names.function(name) is None and not names.is_factor(name)
    except Refusal:
        return False


def _holds_sum(tokens: list[TokenRow], place: int) -> bool:
    """Whether the bracket at a token holds a sum, as no argument's name is, and no comma."""
    depth, is_sum = 0, False
    for index in range(place, len(tokens)):
        kind, text, *_ = tokens[index]
        depth += (kind in (OPEN, CALL)) - (kind == CLOSE)
        if depth == 0:
            break
        if depth == 1 and kind == COMMA:
            return False
        is_sum = is_sum or depth == 1 and kind == OPERATOR and text in "+-" and index > place + 1
    return is_sum


@lru_cache(maxsize=4096)
def ways_of(word: str) -> tuple[Factors, ...]:
    """The ways in which a word is a product of letters, each with its index; one with π first.

    >>> [ways_of(word)[0] for word in ("mc", "x1x_2", "πr", "mΔv", "k_BT", "δt")]
    [('m', 'c'), ('x1', 'x_2'), ('π', 'r'), ('m', 'Δv'), ('k_B', 'T'), ('δ', 't')]
    >>> ways_of("v_max"), ways_of("pix")
    ((), (('pi', 'x'), ('p', 'i', 'x')))
    """
    if (difference := _SMALL_DIFFERENCE.match(word)) is not None:
        return (("δ", difference[1]),)
    if (indexed := _LETTER_AS_INDEX.match(word)) is not None:
        return ((indexed[1], indexed[2]),)
    parts = tuple(_PART.findall(word))
    ways = (parts,) if len(parts) > 1 and sum(map(len, parts)) == len(word) else ()
    if (of_pi := _TIMES_PI.match(word)) is not None:
        ways = (("pi", of_pi[1]), *ways)
    return ways if len(parts) <= _MOST_PARTS else ()


@lru_cache(maxsize=4096)
def is_likely(word: str) -> bool:
    """Whether a word of a text written by hand is rather a product of its letters than a name. It
    is one by two or three letters, a Greek letter, or an index before other letters; words that can
    be spoken are names, and so is a capital with a small letter, but for ``Ae^(-x)``.

    >>> [word for word in ("mc", "kBT", "mom", "Re", "Bx", "Ae", "v0t", "k_BT") if is_likely(word)]
    ['mc', 'kBT', 'Ae', 'v0t', 'k_BT']
    >>> [word for word in ("πr", "αβ", "θ₁", "πε₀r", "sinθ", "sinx", "x_ij") if is_likely(word)]
    ['πr', 'αβ', 'πε₀r']
    """
    if FUNCTION_AND_LETTER.match(word) or APPLIED_TO_GREEK.search(word) or not ways_of(word):
        return False
    if (indexed := _LETTER_AS_INDEX.match(word)) is not None:  # `k_BT`, but not `x_ij` or `V_GS`
        return indexed[2][0].isupper() and indexed[1][0].islower()
    if not word.isascii() and not _GREEK_LETTERS.isdisjoint(word):
        return len(word) <= _LONGEST_GREEK
    if _WORD.match(word):
        if _CAPITAL_THEN_SMALL.match(word):
            return len(word) == 2 and word[1] == "e" and word not in _NUMBERS_WITH_E
        return len(word) == 2 or not any(letter in "aeiou" for letter in word)
    parts = ways_of(word)[-1]
    indexed_parts = [part for part in parts if _INDEX.search(part) is not None]
    if not indexed_parts or any(part in FUNCTIONS for part in parts):
        return False
    few = len(parts) - len(indexed_parts) <= _MOST_WITHOUT
    return few and (len(indexed_parts) > 1 or indexed_parts[0] != parts[-1])


_NUMBERS_WITH_E = frozenset("Re Pe Le De We He Fe".split())
"""Numbers of Reynolds and others, and elements."""


_ALSO_LETTERS = frozenset(("sh", "ch", "th"))
"""Functions of two letters that are as often a product without a sign."""


def _is_whole(name: str, names: Names) -> bool:
    return (
        name in names.parameters
        or names.spells_column(name)
        or (name.lower() in FUNCTIONS and name not in _ALSO_LETTERS)
        or name in GREEK.values()
        or name in _NO_NAMES
        or name.lower() in NOT_A_NUMBER
        or name.lower() in MISSPELT
        or name in WORDS_OF_CODE
        or name in JOINING_WORDS
    )


class Written:
    """A text with its products written out, after the parser has met them all.

    `split` words are products of the factors given with them. `denominators`, `exponents` and
    `roots` are the places of operands behind a ``/``, ``^`` or ``√``, up to the end of the product
    that each begins: the other reading has parentheses there.
    """

    def __init__(
        self, report: Report, names: Names, tokens: list[TokenRow], split: Mapping[str, Factors]
    ) -> None:
        self._source = report.text
        self._close = names.policy.close_products
        self._tokens: list[TokenRow] = []
        self._words: dict[int, int] = {}  # where the letters of a word begin and end
        self._gaps: set[int] = set()  # tokens before which a product is understood
        self._expand(tokens, split, {start for _, start in report.products})
        self.pieces: list[Piece] = [
            (self._tokens[gap - 1][3], self._tokens[gap][2], "*") for gap in sorted(self._gaps)
        ]
        self.denominators: list[tuple[int, int]] = []
        self.exponents: list[tuple[int, int]] = []
        self.roots: list[tuple[int, int]] = []
        ends = self._operand_ends()
        # The operands behind `/` and `^` that are products: letters of a word, or `2x` in Julia
        self.tight = [
            (first, ends[last]) for first, last in self._words.items() if self._sign_before(first)
        ]
        self.close = self._close_products(ends) if self._close else []
        self.tight += self.close
        self._find_ambiguous(ends)

    def text(self, wrapped: Collection[tuple[int, int]] = (), loose: bool = False) -> str:
        """The source with its products written out, with parentheses around the places in
        `wrapped`; `loose` leaves out those without which a word is read the other way.
        """
        tokens = self._tokens
        tight = [] if loose else [(tokens[i][2], tokens[end - 1][3]) for i, end in self.tight]
        opened = [(low, low, "(") for low, _ in (*wrapped, *tight)]
        closed = [(high, high, ")") for _, high in (*tight, *wrapped)]
        return replaced(self._source, [*closed, *self.pieces, *opened])

    def _expand(
        self, tokens: list[TokenRow], split: Mapping[str, Factors], products: Collection[int]
    ) -> None:
        """Letters for split words, a name and a parenthesis for ``x(``."""
        for kind, text, start, end, extra in tokens:
            first = len(self._tokens)
            if start in products and kind != OPERATOR:
                self._gaps.add(first)
            if kind == NAME and text in split:
                self._tokens += letters_of(split[text], start)
                self._words[first] = len(self._tokens) - 1
                self._gaps |= {*range(first + 1, len(self._tokens))}
            elif kind == CALL and end - 1 in products:
                self._tokens.append((NAME, text, start, start + len(text), None))
                self._tokens.append((OPEN, "(", end - 1, end, None))
                self._gaps.add(first + 1)
            else:
                self._tokens.append((kind, text, start, end, extra))

    def _closing(self) -> dict[int, int]:
        """The closing token of each opening one."""
        match: dict[int, int] = {}
        stack: list[int] = []
        want = True
        for index, (kind, *_) in enumerate(self._tokens):
            is_bar = kind == BAR
            closes = kind == CLOSE or (
                is_bar and not want and bool(stack) and self._tokens[stack[-1]][0] == BAR
            )
            if closes:
                match[stack.pop()] = index
            elif is_bar or kind in (OPEN, CALL):
                stack.append(index)
            want = not (closes or kind in _OPERANDS or kind == SUPERSCRIPT)
        return match

    def _operand_ends(self) -> list[int]:
        """For each token at which an operand begins, the token behind it, its powers included."""
        tokens, closing = self._tokens, self._closing()
        count = len(tokens)
        ends = list(range(1, count + 1))
        for index in range(count - 2, -1, -1):
            kind = tokens[index][0]
            if kind == PREFIX or tokens[index][:2] in _SIGNS:
                ends[index] = ends[index + 1]
                continue
            end = closing.get(index, index) + 1
            if end == index + 1 and kind not in _OPERANDS:
                continue
            if index in self._words and self._sign_before(index):
                end = ends[self._words[index]]
            while tokens[end][0] == SUPERSCRIPT:
                end += 1
            if tokens[end][:2] == (OPERATOR, "^"):
                end = ends[end + 1]
            ends[index] = end
        return ends

    def _sign_before(self, index: int) -> bool:
        """Whether a ``/`` or ``^`` stands before the operand that begins at a token."""
        index -= 1
        while index >= 0 and self._tokens[index][:2] in _SIGNS:
            index -= 1
        return index >= 0 and self._tokens[index][:2] in _OVER

    def _behind_signs(self, index: int) -> int:
        while self._tokens[index][:2] in _SIGNS:
            index += 1
        return index

    def _close_products(self, ends: list[int]) -> list[tuple[int, int]]:
        """Where ``2x`` is one operand of the ``*``, ``/`` or ``^`` before it, and the end."""
        tokens, found = self._tokens, []
        for index in range(len(tokens) - 1):
            if tokens[index][:2] not in _OVER and tokens[index][:2] != (OPERATOR, "*"):
                continue
            end = last = ends[self._behind_signs(index + 1)]
            while last in self._gaps and is_close(tokens, last):
                last = ends[last]
            if last > end:
                found.append((index + 1, last))
        return found

    def _find_ambiguous(self, ends: list[int]) -> None:
        """Note the operands of ``/``, ``^`` and ``√`` before a product without a sign."""
        tokens, settled = self._tokens, {first for first, _ in self.close}
        runs, touching = list(ends), list(ends)  # where a product ends; one without blanks
        for index in range(len(tokens) - 1, -1, -1):
            end = ends[index]
            if end in self._gaps:
                runs[index] = runs[end]
                if tokens[end - 1][3] == tokens[end][2] and tokens[end][0] != PREFIX:
                    touching[index] = touching[end]
        for index, (kind, text, *_) in enumerate(tokens):
            first = self._behind_signs(index + 1) if kind != END else index
            end, start = ends[first], tokens[first][2]
            is_root = kind == PREFIX and not self._close and tokens[first][0] in _OPERANDS
            if is_root and touching[first] > end:
                self.roots.append((start, tokens[touching[first] - 1][3]))
            if (kind, text) not in _OVER or end not in self._gaps or index + 1 in settled:
                continue
            place = (tokens[index + 1][2], tokens[runs[end] - 1][3])
            if text == "/":
                self.denominators.append(place)
            elif tokens[first][0] == NUMBER and "_" in self._source[slice(*tokens[first][2:4])]:
                continue  # `x^2_i(y+1)`, whose index stands behind the exponent
            elif tokens[first][0] != OPEN and tokens[end - 1][3] == tokens[end][2]:
                self.exponents.append(place)


_OPERANDS = frozenset((NUMBER, NAME, LEAF))
_SIGNS = ((OPERATOR, "-"), (OPERATOR, "+"))
_OVER = ((OPERATOR, "/"), (OPERATOR, "^"))


def letters_of(parts: Factors, start: int) -> list[TokenRow]:
    """A name for each factor of a word that begins at a place."""
    letters: list[TokenRow] = []
    for part in parts:
        letters.append((NAME, part, start, start + len(part), None))
        start += len(part)
    return letters


def is_close(tokens: list[TokenRow], index: int) -> bool:
    """Whether a product before a token binds tightly in Julia: ``2x``, ``2(x+1)``, ``(x+1)y``."""
    before, token = tokens[index - 1], tokens[index]
    is_factor = before[0] == NUMBER or (before[0] == CLOSE and token[0] != OPEN)
    return is_factor and before[3] == token[2]
