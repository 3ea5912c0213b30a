"""Products without a sign in plain text: ``2x(x+1)``, ``m c^2``, ``mc^2``. Such a product binds
like ``*``, so ``1/2x`` is (1/2)·x. Letters of one word stay together: the ``mc^2`` of ``1/mc^2`` is
its whole denominator. The product is written out as tokens and parsed like any other text; where
another reading is as good, it is offered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
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
from eic_core.formula.syntax.policy import Words
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
_OPERATOR_WORDS = frozenset(("add", "sub", "mul", "div", "pow"))
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
Refuse = Callable[[list[TokenRow], int], None]
"""Raises where the tokens at `index` - 1 and `index` are two operands that are no product."""


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
    if names.policy.words is Words.NAME:
        return found
    by_hand = names.policy.words is Words.PRODUCT
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


@dataclass
class Written:
    # With every product's sign, and parentheses around a word of letters where they are needed
    tokens: list[TokenRow]
    pieces: list[Piece] = field(default_factory=list)  # The same as changes of the source
    # denominators, exponents: places in the source: the operand behind a ``/`` or ``^`` up to the
    # end of the product that it begins; the other reading has parentheses there
    denominators: list[tuple[int, int]] = field(default_factory=list)
    exponents: list[tuple[int, int]] = field(default_factory=list)
    # The parentheses among the pieces, without which a word of letters is read the other way
    tight: list[Piece] = field(default_factory=list)
    # The operand behind a ``√`` up to the end of the product that touches it
    roots: list[tuple[int, int]] = field(default_factory=list)
    # Whether the parentheses are those of products that bind more tightly than `/` and `^`
    close: bool = False

    def text(
        self, source: str, wrapped: Collection[tuple[int, int]] = (), loose: bool = False
    ) -> str:
        """The source with its products written out, with parentheses around the places in
        `wrapped`; `loose` leaves out those around words of letters.
        """
        opened = [(low, low, "(") for low, _ in wrapped]
        closed = [(high, high, ")") for _, high in wrapped]
        tight = [] if loose else self.tight
        inner = [piece for piece in tight if piece[2] == ")"]
        outer = [piece for piece in tight if piece[2] == "("]
        return replaced(source, [*inner, *closed, *self.pieces, *opened, *outer])


class ProductWriter:
    """Finds the products of tokens whose brackets match, and writes them out; `split` words are
    products of the factors given with them.
    """

    def __init__(
        self, report: Report, names: Names, tokens: list[TokenRow], split: Mapping[str, Factors]
    ) -> None:
        self.report = report
        self.names = names
        self.tokens, self.words = self._expanded(tokens, split)
        self.gaps: set[int] = set()  # tokens before which a product is understood

    def _expanded(
        self, tokens: list[TokenRow], split: Mapping[str, Factors]
    ) -> tuple[list[TokenRow], dict[int, int]]:
        """Letters for split words, a name and a parenthesis for ``x(``; where words lie."""
        out: list[TokenRow] = []
        words: dict[int, int] = {}
        for token in tokens:
            kind, text, start, end, _ = token
            if kind == NAME and text in split:
                parts = split[text]
                words[len(out)] = len(out) + len(parts) - 1
                for part in parts:
                    out.append((NAME, part, start, start + len(part), None))
                    start += len(part)
            elif kind == CALL and token[4] is None and self.is_factor(text):
                out.append((NAME, text, start, start + len(text), None))
                out.append((OPEN, "(", end - 1, end, None))
            else:
                out.append(token)
        return out, words

    def is_factor(self, name: str) -> bool:
        """Whether ``name(`` is a product."""
        try:
            return self.names.function(name) is None and self.names.is_factor(name)
        except Refusal:
            return False

    def write(self, refuse: Refuse) -> Written:
        """The text with its products written out; `refuse` is asked of every one."""
        tokens = self.tokens
        match = self._scan(refuse)
        ends = self._operand_ends(match)
        written = Written([])
        opens: dict[int, int] = {}
        closes: dict[int, int] = {}
        for first, last in self.words.items():
            sign = self._sign_before(first)
            if sign:
                opens[first] = opens.get(first, 0) + 1
                closes[ends[last]] = closes.get(ends[last], 0) + 1
                place = tokens[ends[last] - 1][3]
                start = tokens[first][2]
                written.tight += [(start, start, "("), (place, place, ")")]
        for first, last in self._close_products(ends).items():
            opens[first] = opens.get(first, 0) + 1
            closes[last] = closes.get(last, 0) + 1
            start, place = tokens[first][2], tokens[last - 1][3]
            written.tight += [(start, start, "("), (place, place, ")")]
            written.close = True
        self._find_ambiguous(ends, written, opens)
        for index, token in enumerate(tokens):
            start = token[2]
            before = tokens[index - 1][3] if index else start
            for _ in range(closes.get(index, 0)):
                written.tokens.append((CLOSE, ")", before, before, None))
            if index in self.gaps:
                written.tokens.append((OPERATOR, "*", start, start, None))
                written.pieces.append((before, start, "*"))
            for _ in range(opens.get(index, 0)):
                written.tokens.append((OPEN, "(", start, start, None))
            written.tokens.append(token)
        return written

    def _scan(self, refuse: Refuse) -> dict[int, int]:
        """Find the gaps; the closing token of each opening one."""
        tokens = self.tokens
        match: dict[int, int] = {}
        stack: list[int] = []
        want = True
        for index, (kind, text, *_) in enumerate(tokens):
            if kind == BAR:
                closes = not want and bool(stack) and tokens[stack[-1]][0] == BAR
                opens = not closes
            else:
                closes, opens = kind == CLOSE, kind in (OPEN, CALL)
            starts = opens or kind in (NUMBER, NAME, LEAF, PREFIX)
            named = kind in (NAME, CALL) and not want
            if kind in (NAME, CALL) and self._joins(text, want):
                want = True
                if kind == CALL:
                    stack.append(index)
                continue
            if named and text in _OPERATOR_WORDS and not self.names.is_column(text):
                want = True
                if kind == CALL:
                    stack.append(index)
                continue
            if starts and not want:
                refuse(tokens, index)
                self.gaps.add(index)
            if opens:
                stack.append(index)
            elif closes and stack:
                match[stack.pop()] = index
            want = not (closes or kind in (NUMBER, NAME, LEAF, SUPERSCRIPT))
        return match

    def _joins(self, text: str, want: bool) -> bool:
        """Whether a name is a word of conditions: ``if`` behind an operand, ``not`` before one."""
        words = NEGATION_WORDS if want else JOINING_WORDS
        return text in words and not self.names.is_column(text)

    def _operand_ends(self, match: dict[int, int]) -> list[int]:
        """For each token at which an operand begins, the token behind it, its powers included."""
        tokens = self.tokens
        count = len(tokens)
        ends = list(range(1, count + 1))
        for index in range(count - 1, -1, -1):
            kind, text, *_ = tokens[index]
            if kind in (OPEN, CALL, BAR):
                end = match.get(index, index) + 1
            elif kind == PREFIX or (kind == OPERATOR and text in "+-"):
                ends[index] = ends[index + 1] if index + 1 < count else index + 1
                continue
            elif kind in (NUMBER, NAME, LEAF):
                end = index + 1
            else:
                continue
            if index in self.words and self._sign_before(index):
                end = ends[self.words[index]]
            while end < count and tokens[end][0] == SUPERSCRIPT:
                end += 1
            if end + 1 < count and tokens[end][:2] == (OPERATOR, "^"):
                end = ends[end + 1]
            ends[index] = end
        return ends

    def _sign_before(self, index: int) -> str:
        """The ``/`` or ``^`` whose right operand begins at this token, or ""."""
        tokens = self.tokens
        index -= 1
        while index >= 0 and tokens[index][:2] in ((OPERATOR, "-"), (OPERATOR, "+")):
            index -= 1
        if index < 0 or tokens[index][0] != OPERATOR or tokens[index][1] not in "/^":
            return ""
        return tokens[index][1]

    def _close_products(self, ends: list[int]) -> dict[int, int]:
        """Where ``2x`` is one operand of the ``*``, ``/`` or ``^`` before it: its first token and
        the end.
        """
        if not self.names.policy.close_products:
            return {}
        tokens, found = self.tokens, {}
        for index in range(len(tokens) - 1):
            if tokens[index][0] != OPERATOR or tokens[index][1] not in "*/^":
                continue
            first = index + 1
            while tokens[first][:2] in ((OPERATOR, "-"), (OPERATOR, "+")):
                first += 1
            end = last = ends[first]
            while (
                last in self.gaps
                and tokens[last - 1][0] in (NUMBER, CLOSE)
                and tokens[last - 1][3] == tokens[last][2]
                and (tokens[last - 1][0] == NUMBER or tokens[last][0] != OPEN)
            ):
                last = ends[last]
            if last > end:
                found[index + 1] = last
        return found

    def _find_ambiguous(self, ends: list[int], written: Written, settled: Collection[int]) -> None:
        """Note the operands of ``/`` and ``^`` before a product without a sign, unless settled."""
        tokens = self.tokens
        runs, close = list(ends), list(ends)  # where a product ends; one without blanks
        for index in range(len(tokens) - 1, -1, -1):
            end = ends[index]
            if end < len(tokens) and end in self.gaps:
                runs[index] = runs[end]
                if tokens[end - 1][3] == tokens[end][2] and tokens[end][0] != PREFIX:
                    close[index] = close[end]
        for index in range(len(tokens) - 1):
            if tokens[index][0] == PREFIX:
                self._find_root(index + 1, ends, close, written)
            if tokens[index][0] != OPERATOR or tokens[index][1] not in "/^":
                continue
            first = index + 1
            while tokens[first][:2] in ((OPERATOR, "-"), (OPERATOR, "+")):
                first += 1
            if tokens[first][0] == END:
                continue
            end = ends[first]
            if end not in self.gaps or (self.names.policy.close_products and index + 1 in settled):
                continue
            span = (tokens[index + 1][2], tokens[runs[end] - 1][3])
            if tokens[index][1] == "/":
                written.denominators.append(span)
            elif tokens[first][0] == NUMBER and "_" in self.report.text[slice(*tokens[first][2:4])]:
                continue  # `x^2_i(y+1)`, whose index stands behind the exponent
            elif tokens[first][0] != OPEN and tokens[end - 1][3] == tokens[end][2]:
                written.exponents.append(span)

    def _find_root(self, first: int, ends: list[int], close: list[int], written: Written) -> None:
        """Note the product that touches the operand of a ``√``, as in ``√xy``. For each token
        `ends` gives the token behind its operand, `close` the one behind the product that it
        begins.
        """
        tokens = self.tokens
        if tokens[first][0] in (OPEN, BAR, PREFIX, END) or self.names.policy.close_products:
            return
        if close[first] > ends[first]:
            written.roots.append((tokens[first][2], tokens[close[first] - 1][3]))
