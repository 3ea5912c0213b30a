"""Products without a sign in plain text: ``2x(x+1)``, ``m c^2``, ``mc^2``. Such a product binds
like ``*``, so ``1/2x`` is (1/2)·x. Letters of one word stay together: the ``mc^2`` of ``1/mc^2`` is
its whole denominator. The product is written out as tokens and parsed like any other text; where
another reading is as good, it is offered.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from eic_core.formula.syntax.build import FUNCTIONS
from eic_core.formula.syntax.conditions import ALTERNATIVES, JOINTS, QUESTIONS
from eic_core.formula.syntax.names import (
    CONSTANT_NAMES,
    GREEK,
    LOWERED,
    MISSING,
    MISSPELT,
    NOT_A_NUMBER,
    Names,
    is_indexed,
)
from eic_core.formula.syntax.reading import Refusal, Report, replaced
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
PRODUCT_SIGNS = re.compile(r"[*×·⋅∗∙•]|(?<!\w)(?:np|numpy|math|sympy|sp|torch|jnp|tf)\.")
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
_AMPLITUDE = re.compile(r"[^\W\d_](?:_?[0-9]++)?+e\Z")
"""What stands before the power of ``Ae^(-x)`` and ``N0e^(-x)``."""
_GREEK_AND_LETTER = re.compile(r"[α-ω][A-Za-z]\Z")
_CAPITAL_THEN_SMALL = re.compile(r"[A-Z][a-z]")
_NO_NAMES = CONSTANT_NAMES | MISSING

Piece = tuple[int, int, str]
Refuse = Callable[[list[TokenRow], int], None]
"""Raises where the tokens at `index` - 1 and `index` are two operands that are no product."""


def letter_products(
    text: str, tokens: list[TokenRow], names: Names
) -> tuple[frozenset[str], frozenset[str]]:
    """The words that are products of their letters, and those that could be. They are words of two
    or three letters, of Greek letters, and of letters with an index each. A text that writes ``*``
    once leaves no product unwritten, so its names are whole. So are columns, arguments, Greek
    letters, words that can be spoken (``mom``), a capital with a small letter (``Re``, ``Bx``), and
    components (``vx`` beside ``vy``).
    """
    met = dict.fromkeys([token[1] for token in tokens if token[0] == NAME])
    words = [name for name in met if len(name) > 1 and not _is_whole(name, names)]
    words = _without_components(words)
    raised = _amplitudes(tokens, words)
    small = [word for word in words if word[0] == "δ" and _SMALL_DIFFERENCE.match(word)]
    if small:
        found = {word for word in small if _is_product(word, met, names)}
        words = [word for word in words if word not in small]
        products, others = _letter_products(text, tokens, names, words, met, raised)
        return products | found, others | frozenset(small) - found
    return _letter_products(text, tokens, names, words, met, raised)


def _without_components(words: list[str]) -> list[str]:
    """The words without ``V_GS`` beside ``V_DS``, which are one name each."""
    heads = Counter([word[:2] for word in words if _LETTER_AS_INDEX.match(word)])
    if not heads:
        return words
    return [w for w in words if not _LETTER_AS_INDEX.match(w) or heads[w[:2]] == 1]


def _is_product(word: str, met: Collection[str], names: Names) -> bool:
    """Whether ``δt`` is a product: of columns, or as one of its parts stands alone elsewhere."""
    if names.has_columns:
        return _is_of(word, names.spells_column)
    return any(part in met for part in parts_of(word))


def _letter_products(
    text: str,
    tokens: list[TokenRow],
    names: Names,
    words: list[str],
    met: Collection[str],
    raised: dict[str, str],
) -> tuple[frozenset[str], frozenset[str]]:
    """As `letter_products`, of the words that no rule has settled yet."""
    if PRODUCT_SIGNS.search(text):
        certain, perhaps = _beside_signs(words, met, names, frozenset(raised))
        if "**" in text or any(is_indexed(name) for name in met):
            return certain, perhaps  # a program's names are whole
        if _writes_out(text, tokens):
            apart = frozenset() if names.has_columns else _apart_from_signs(text, tokens, words)
            return certain, perhaps | apart - certain
        if names.has_columns:
            known = {w for w in perhaps if _WORD.match(w) and _is_of(w, names.spells_column)}
            return certain | known, perhaps - known
        short = [w for w in words if _WORD.match(w) and not FUNCTION_AND_LETTER.match(w)]
        alike = frozenset([word for word in short if _looks_like_letters(word, short)])
        return certain, perhaps | alike - certain
    letters = [word for word in words if _WORD.match(word) and not FUNCTION_AND_LETTER.match(word)]
    if any(is_indexed(name) for name in met):
        letters = []
    others = [word for word in words if _has_indices(word) or _has_greek(word)]
    sure = [word for word, exponent in raised.items() if exponent == "-" or len(word) > 2]
    possible = [word for word in words if _has_index(word) or _LETTER_AS_INDEX.match(word)]
    if names.has_columns:
        found = [w for w in [*letters, *others, *possible] if _is_of(w, names.spells_column)]
        return frozenset([*found, *sure]), frozenset()
    products = [word for word in letters if _looks_like_letters(word, letters)]
    products += [*others, *sure]
    possible = [word for word in possible if _has_index(word)]
    return frozenset(products), frozenset([*letters, *possible, *raised]).difference(products)


def _beside_signs(
    words: list[str], met: Collection[str], names: Names, raised: frozenset[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """As `letter_products`, in a text that writes a product's sign elsewhere. Products are words
    with a π, and those with a Greek letter if all their parts are columns or stand alone elsewhere,
    or if it is a small one before a Latin letter (``ωt``) that no other name begins with.
    """
    products: set[str] = set()
    possible: set[str] = set()
    for word in words:
        if not word.isascii() and _has_greek(word):
            alone = _is_of(word, lambda part: part in met or part in _NO_NAMES)
            heads = [name for name in met if name[0] == word[0] and len(name) > 1]
            apart = _GREEK_AND_LETTER.match(word) and heads == [word] and not names.has_columns
            known = _is_of(word, names.spells_column)
            (products if "π" in word or alone or known or apart else possible).add(word)
        elif word in raised or _has_index(word):
            known = _has_indices(word) and _is_of(word, names.spells_column)
            (products if known else possible).add(word)
        elif names.has_columns and _WORD.match(word) and _is_of(word, names.spells_column):
            possible.add(word)
    return frozenset(products), frozenset(possible)


def with_factors_of_letters(report: Report, names: Names, tokens: list[TokenRow]) -> list[TokenRow]:
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
        and _is_unknown(names, text)
        and _holds_sum(tokens, place)
    ]
    if not found:
        return tokens
    kept = _opened(tokens, found)
    split, _ = letter_products(report.view[tokens[0][2] : tokens[-1][3]], kept, names)
    return kept if all(tokens[place][1] in split for place in found) else tokens


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


_OPERANDS = frozenset((NAME, NUMBER, LEAF))


def _writes_out(text: str, tokens: list[TokenRow]) -> bool:
    """Whether a text has an asterisk between two operands without brackets, so leaves none out."""
    if "*" not in text:
        return False
    first = tokens[0][2]
    for before, sign, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        between = before[0] in _OPERANDS and (behind[0] in _OPERANDS or behind[0] == CALL)
        if between and sign[0] == OPERATOR and text[sign[2] - first : sign[3] - first] == "*":
            return True
    return False


def _apart_from_signs(text: str, tokens: list[TokenRow], words: list[str]) -> frozenset[str]:
    """The short words that stand beside no asterisk, as ``xy`` in ``x*2 + 3xy``."""
    short = [w for w in words if _WORD.match(w) and not FUNCTION_AND_LETTER.match(w)]
    first = tokens[0][2]
    beside: set[str] = set()
    for before, sign, behind in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if sign[0] == OPERATOR and text[sign[2] - first : sign[3] - first] == "*":
            beside |= {before[1], behind[1]}
    return frozenset([w for w in short if w not in beside and _looks_like_letters(w, short)])


def _is_of(word: str, holds: Callable[[str], bool]) -> bool:
    """Whether a word is a product of parts for all of which something holds."""
    parts = parts_of(word, holds)
    return len(parts) > 1 and all(holds(part) or part in ("π", "pi") for part in parts)


def _amplitudes(tokens: list[TokenRow], words: list[str]) -> dict[str, str]:
    """The words before a power that end in Euler's number, as ``Ae^(-x)``; "-" for its sign. An
    exponent without a variable belongs to the name: ``Re^0.25``.
    """
    if not any(word[-1] == "e" for word in words):
        return {}
    found: dict[str, str] = {}
    for index, (kind, word, *_) in enumerate(tokens[:-3]):
        if kind != NAME or word[-1] != "e" or word not in words or not _AMPLITUDE.match(word):
            continue
        if tokens[index + 1][:2] != (OPERATOR, "^"):
            continue
        place, depth, sign = index + 2, 0, ""
        while tokens[place][0] != END:
            kind, text, *_ = tokens[place]
            depth += (kind in (OPEN, CALL)) - (kind == CLOSE)
            if (kind, text) == (OPERATOR, "-") and not sign:
                sign = "-"
            elif kind in (NAME, CALL):
                found.setdefault(word, sign or "+")
                break
            elif depth <= 0:
                break
            elif kind != OPEN:
                sign = sign or "+"
            place += 1
    return found


def parts_of(word: str, holds: Callable[[str], bool] | None = None) -> list[str]:
    """The factors, each with its index, of a word that is a product of letters; else none. `holds`
    tells the data's names: if p and i are, ``pix`` is p·i·x.

    >>> parts_of("mc"), parts_of("x1x_2"), parts_of("πr"), parts_of("mΔv"), parts_of("kq1q2")
    (['m', 'c'], ['x1', 'x_2'], ['π', 'r'], ['m', 'Δv'], ['k', 'q1', 'q2'])
    >>> parts_of("k_BT"), parts_of("V_CC")
    (['k_B', 'T'], [])
    >>> parts_of("T_in"), parts_of("πε₀r"), parts_of("pix"), parts_of("δt")
    ([], ['π', 'ε₀', 'r'], ['pi', 'x'], ['δ', 't'])
    """
    for head, pattern in (("pi", _TIMES_PI), ("δ", _SMALL_DIFFERENCE)):
        if word[0] == head[0] and (found := pattern.match(word)) is not None:
            if head == "pi" and holds is not None and holds("p") and holds("i"):
                break
            return [head, found[1]]
    if (found := _LETTER_AS_INDEX.match(word)) is not None:
        known = holds is not None and holds(found[1]) and holds(found[2])
        return [found[1], found[2]] if known or _is_letter_as_index(word) else []
    parts = _PART.findall(word)
    return parts if len(parts) <= _MOST_PARTS and sum(map(len, parts)) == len(word) else []


def _is_letter_as_index(word: str) -> bool:
    """Whether a word is rather ``k_BT``, a product, than ``x_ij`` or ``V_CC``, one name."""
    found = _LETTER_AS_INDEX.match(word)
    return found is not None and found[2][0].isupper() and found[2][0] != found[1][-1]


def _has_indices(word: str) -> bool:
    """Whether a word is of letters of which several have an index: ``x1x2``, ``kq1q2``."""
    indexed = [part for part in parts_of(word) if _INDEX.search(part) is not None]
    return len(indexed) > 1 and _has_index(word)


def _has_index(word: str) -> bool:
    """Whether a word is of letters of which one has an index before others: ``v0t``, ``x1x2``."""
    if _is_letter_as_index(word):
        return True
    parts = parts_of(word)
    indexed = [part for part in parts if _INDEX.search(part) is not None]
    few = len(parts) - len(indexed) <= _MOST_WITHOUT and not FUNCTION_AND_LETTER.match(word)
    is_index = bool(indexed) and (len(indexed) > 1 or indexed[0] != parts[-1])
    return few and is_index and not any(part in FUNCTIONS for part in parts)


def _has_greek(word: str) -> bool:
    """Whether a word is a product with a Greek letter; Δx is one factor.

    >>> [_has_greek(word) for word in ("πr", "αβ", "Δx", "θ₁", "πε₀r", "sinθ", "mc")]
    [True, True, False, False, True, False, False]
    """
    if len(word) > _LONGEST_GREEK or _GREEK_LETTERS.isdisjoint(word):
        return False
    if APPLIED_TO_GREEK.search(word) or FUNCTION_AND_LETTER.match(word):
        return False
    if _SMALL_DIFFERENCE.match(word):
        return False
    return len(parts_of(word)) > 1


_ALSO_LETTERS = frozenset(("sh", "ch", "th"))
"""Functions of two letters that are as often a product without a sign."""


def _is_whole(name: str, names: Names) -> bool:
    return (
        names.spells_column(name)
        or (name.lower() in FUNCTIONS and name not in _ALSO_LETTERS)
        or name in GREEK.values()
        or name in _NO_NAMES
        or name.lower() in NOT_A_NUMBER
        or name.lower() in MISSPELT
        or name in WORDS_OF_CODE
        or name in JOINING_WORDS
    )


def _looks_like_letters(word: str, words: list[str]) -> bool:
    """Whether a word is rather a product of letters than a name."""
    if _CAPITAL_THEN_SMALL.match(word) or (len(word) == 3 and any(c in "aeiou" for c in word)):
        return False
    if len(word) == 2 and word[1] in "xyz":
        return not any(other[0] == word[0] and other[1:] in {*"xyz"} - {word[1]} for other in words)
    return True


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
    products of their letters.
    """

    def __init__(
        self, report: Report, names: Names, tokens: list[TokenRow], split: Collection[str]
    ) -> None:
        self.report = report
        self.names = names
        self.tokens, self.words = self._expanded(tokens, split)
        self.gaps: set[int] = set()  # tokens before which a product is understood

    def _expanded(
        self, tokens: list[TokenRow], split: Collection[str]
    ) -> tuple[list[TokenRow], dict[int, int]]:
        """Letters for split words, a name and a parenthesis for ``x(``; where words lie."""
        out: list[TokenRow] = []
        words: dict[int, int] = {}
        for token in tokens:
            kind, text, start, end, _ = token
            if kind == NAME and text in split:
                parts = parts_of(text, self.names.spells_column)
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
