"""Formulas as shared terms: every distinct sub-expression stands once, under a number.

`Terms.intern` adds a term exactly as given; the builders simplify rewrites only.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from eic_core.engine.tape import Tape
from eic_core.formula.syntax.build import exponent_label
from eic_core.formula.tree import (
    ALWAYS_EXACT,
    CONSTANT,
    UNDEFINED,
    VARIABLE,
    Draft,
    Exponents,
    Formula,
    Node,
    Parameter,
)
from eic_core.operators import OPERATORS, forms
from eic_core.rewriting.work import TERM, WALK, Work

_WHOLE_DIGITS = 17

_MOST_BITS = 2200
"""Of the numerator or denominator of a number with a text: those of 10^-300 with 17 digits."""

NEVER_NEGATIVE = forms.NEVER_NEGATIVE | forms.ALWAYS_POSITIVE | {"sqrt"}
"""Operators without a negative value."""

LONG_DIGITS = 8
"""Powers of given numbers with so many digits are written as powers."""

UNITS = frozenset(Fraction(1, 2**power) for power in (1, 2, 3))
"""Factors that people write as divisions, which are as exact."""

_PLAIN = 10**7
"""Smaller whole numbers are written without an exponent."""


class Term(NamedTuple):
    operator: str  # As `Node.operator`
    children: tuple[int, ...] = ()  # Numbers of the operands
    label: str = ""
    parameter: Parameter = None


@lru_cache(maxsize=4096)
def number_value(label: str) -> Fraction | None:
    """The exact value of a constant's text; None for ``pi``, ``e`` and what has no value.

    >>> number_value("2.50"), number_value("1/3"), number_value("pi")
    (Fraction(5, 2), Fraction(1, 3), None)
    """
    return None if label in ("pi", "e", UNDEFINED) else Fraction(label)


def number_text(value: Fraction) -> str | None:
    """The shortest exact text of a rational number, or None if it needs over 17 digits.

    >>> number_text(Fraction(-5, 4)), number_text(Fraction(1, 3)), number_text(Fraction(1, 3**40))
    ('-1.25', '1/3', None)
    """
    under = value.denominator
    if under == 1 and abs(value.numerator) < _PLAIN:
        return str(value.numerator)
    twos = (under & -under).bit_length() - 1
    rest, fives = under >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    most = max(abs(value.numerator), under)
    if most.bit_length() > _MOST_BITS:
        return None
    if rest == 1:
        places = max(twos, fives)
        digits = str(abs(value.numerator) * 10**places // under)
        if len(digits.strip("0")) > _WHOLE_DIGITS or len(digits) > 300 or places > 300:
            return None
        return ("-" if value < 0 else "") + _decimal(digits, places)
    if len(str(most)) > _WHOLE_DIGITS:
        return None
    return str(value)


def _decimal(digits: str, places: int) -> str:
    if places > 20 or places - len(digits.lstrip("0")) > 4:
        short = digits.lstrip("0")
        mantissa = short[0] + ("." + short[1:] if len(short) > 1 else "")
        return f"{mantissa}e{len(short) - 1 - places}"
    if not places:
        short = digits.rstrip("0")
        zeros = len(digits) - len(short)
        return digits if zeros < 7 or not short else f"{short}e{zeros}"
    digits = digits.zfill(places + 1)
    return f"{digits[:-places]}.{digits[-places:]}"


class Terms:
    """A growing collection of distinct terms; `inputs` holds the kinds of the variables. Where
    exponents are noisy, those of new powers are operands, as they are of powers that are read.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("x*y + y*x").formula)
    >>> len(terms), terms.size(root), terms.kind(1) == terms.kind(0)
    (5, 7, False)
    >>> left, right = terms[root].children
    >>> left == right, terms.kind(left) == terms.kind(right)
    (False, True)
    """

    def __init__(self, exponents: Exponents = "exact", work: Work | None = None) -> None:
        self.exponents = exponents
        self.work = work or Work()  # Counts all that is done with these terms
        self._terms: list[Term] = []
        self._number: dict[Term, int] = {}
        self._size: list[int] = []
        self._kind: list[int] = []
        self._varies: list[bool] = []
        self._kinds: dict[object, int] = {}
        self._below: dict[int, tuple[int, ...]] = {}
        self.inputs: set[int] = set()
        self.spellings: dict[Fraction, str] = {}  # Of numbers as they were read

    def __len__(self) -> int:
        return len(self._terms)

    def __getitem__(self, number: int) -> Term:
        return self._terms[number]

    def intern(
        self,
        operator: str,
        children: tuple[int, ...] = (),
        label: str = "",
        parameter: Parameter = None,
    ) -> int:
        """The number of a term, new or existing; the arguments are as in `Node`."""
        self.work.spend(TERM)
        if self.exponents == "noisy" and operator == "power" and parameter not in ALWAYS_EXACT:
            assert parameter is not None
            exponent = self._put(Term(CONSTANT, label=exponent_label(parameter)))
            return self._put(Term("pow", (*children, exponent)))
        return self._put(Term(operator, children, label, parameter))

    def _put(self, term: Term) -> int:
        number = self._number.get(term)
        if number is None:
            number = self._number[term] = len(self._terms)
            self._terms.append(term)
            self._size.append(1 + sum(self._size[c] for c in term.children))
            self._kind.append(self._kind_of(term))
            below = (self._varies[c] for c in term.children)
            self._varies.append(term.operator == VARIABLE or any(below))
            if term.operator == VARIABLE:
                self.inputs.add(self._kind[number])
        return number

    def _kind_of(self, term: Term) -> int:
        kinds = tuple(self._kind[c] for c in term.children)
        if kinds and OPERATORS[term.operator].commutative:
            kinds = tuple(sorted(kinds))
        value = number_value(term.label) if term.operator == CONSTANT else None
        key = (term.operator, kinds, term.label if value is None else value, term.parameter)
        return self._kinds.setdefault(key, len(self._kinds))

    def size(self, number: int) -> int:
        return self._size[number]

    def kind(self, number: int) -> int:
        """The class of a term: equal for trees identical up to the order of operands of + and *,
        numbers being compared by value.
        """
        return self._kind[number]

    def has_variables(self, number: int) -> bool:
        return self._varies[number]

    def number(self, number: int) -> Fraction | None:
        term = self._terms[number]
        return number_value(term.label) if term.operator == CONSTANT else None

    def is_never_negative(self, number: int) -> bool:
        """Whether a term is nowhere negative, by its last operators."""
        term, value = self._terms[number], self.number(number)
        if value is not None:
            return value >= 0
        if term.operator in ("add", "mul", "div"):
            is_square = term.operator != "add" and len({*map(self.kind, term.children)}) == 1
            return is_square or all(map(self.is_never_negative, term.children))
        is_even = term.operator == "power" and term.parameter and term.parameter % 2 == 0
        return bool(is_even) or term.operator in NEVER_NEGATIVE

    def text(self, value: Fraction) -> str | None:
        """A number's text, as it was read or as short as it is exact."""
        spelled = self.spellings.get(value)
        if spelled is None and -value in self.spellings:
            opposite = self.spellings[-value]
            spelled = opposite[1:] if opposite.startswith("-") else "-" + opposite
        plain = number_text(value)
        # 2.0 and 2e0 are not taken over where they meet other whole numbers
        return plain if spelled is None or plain == str(value) else spelled

    def add(self, formula: Formula) -> int:
        """Add a formula and return the number of its root."""
        numbers: list[int] = []
        for node in formula.nodes:
            children = tuple(numbers[c] for c in node.children)
            if node.operator == CONSTANT and (value := number_value(node.label)) is not None:
                self.spellings.setdefault(value, node.label)
            numbers.append(self._put(Term(node.operator, children, node.label, node.parameter)))
        return numbers[-1]

    def formula(self, root: int) -> Formula:
        drafts: dict[int, Draft] = {}
        for number in self.subterms(root):
            term = self._terms[number]
            children = [drafts[c] for c in term.children]
            drafts[number] = Draft(term.operator, children, term.label, term.parameter)
        return Formula.from_draft(drafts[root], exponents=self.exponents)

    def tape(self, root: int) -> Tape:
        """The terms under a term and itself as a tape, each in a slot.

        >>> from eic_core.formula.syntax import read
        >>> terms = Terms()
        >>> terms.tape(terms.add(read("x*x + 1").formula)).operands
        [(), (0, 0), (), (1, 2)]
        """
        numbers = self.subterms(root)
        place = {number: slot for slot, number in enumerate(numbers)}
        nodes: list[Node] = []
        reads: list[int] = []
        for slot, term in enumerate(map(self.__getitem__, numbers)):
            operands = tuple([place[c] for c in term.children])
            nodes.append(Node(slot, term.operator, operands, term.label, term.parameter, (0, 0)))
            reads += operands
        return Tape(tuple(place.values()), nodes, reads, (len(numbers) - 1,))

    def subterms(self, root: int) -> tuple[int, ...]:
        if root not in self._below:
            self._below[root] = tuple(self.walk(root, lambda _: True))
        return self._below[root]

    def walk(
        self,
        root: int,
        into: Callable[[int], bool],
        operands: Callable[[int], tuple[int, ...]] | None = None,
    ) -> list[int]:
        """Distinct terms at and below a term, operands first; `into` opens a term's `operands`."""
        seen: set[int] = set()
        found: list[int] = []
        todo: list[tuple[int, bool]] = [(root, False)]
        while todo:
            number, ready = todo.pop()
            if ready:
                found.append(number)
            elif number not in seen:
                seen.add(number)
                todo.append((number, True))
                if into(number):
                    below = operands(number) if operands else self._terms[number].children
                    todo.extend((c, False) for c in reversed(below))
        self.work.spend(WALK, len(found))
        return found

    def unknown(self, root: int, known: Container[int]) -> list[int]:
        """The terms at and below a term that are not among the known ones, operands first; what
        stands below a known one is known.

        >>> from eic_core.formula.syntax import read
        >>> terms = Terms()
        >>> terms.unknown(terms.add(read("x*y + sin(y)").formula), {0, 1})
        [2, 3, 4]
        """
        found: list[int] = []
        done: set[int] = set()
        todo = [root]
        while todo:
            number = todo[-1]
            if number in done or number in known:
                todo.pop()
                continue
            above = [c for c in self._terms[number].children if not (c in done or c in known)]
            if above:
                todo += reversed(above)
            else:
                done.add(number)
                found.append(todo.pop())
        return found

    def replace(self, root: int, old: int, new: int) -> tuple[int, list[tuple[int, int]]]:
        """Put `new` in every place of `old` below `root`.
        Returns the new root and the changed terms, operands first, the root last.
        """
        renamed = {old: new}
        pairs: list[tuple[int, int]] = []
        for number in self.subterms(root):
            term = self._terms[number]
            children = tuple([renamed.get(c, c) for c in term.children])
            if number != old and children != term.children:
                changed = self._over(term, children)
                renamed[number] = changed
                pairs.append((number, changed))
        return renamed.get(root, root), pairs

    def _over(self, term: Term, children: tuple[int, ...]) -> int:
        exponent = self.number(children[1]) if term.operator == "pow" else None
        if exponent == 0:
            return self.intern(CONSTANT, label="1")
        if exponent is not None and exponent.denominator <= 2:
            return self.intern("power", children[:1], parameter=exponent)
        return self.intern(term.operator, children, term.label, term.parameter)

    def with_quotients(self, root: int) -> int:
        """The term with every fraction as a quotient, which any program can read.
        A leaf such as 2/3 is one number, and only SymPy has a text for it; 0.5*x is x/2 to people,
        and -x + y is y - x.

        >>> from eic_core.formula.rendering import to_python
        >>> from eic_core.formula.syntax import read
        >>> terms = Terms()
        >>> for text in ("Rational(1, 720)*x", "x*Rational(-2, 3)", "x**Rational(1, 3)"):
        ...     print(to_python(terms.formula(terms.with_quotients(terms.add(read(text).formula)))))
        x/720
        -2*x/3
        x**(1/3)
        """
        written: dict[int, int] = {}
        for number in self.subterms(root):
            term = self._terms[number]
            fractions = [self._fraction(child) or self._unit(child) for child in term.children]
            if (over := self._fraction(number)) is not None:
                written[number] = self._quotient(over)
            elif (power := self._power_of_spelled(number)) is not None:
                written[number] = power
            elif term.operator == "mul" and (fractions[0] is None) != (fractions[1] is None):
                place = 0 if fractions[0] is not None else 1
                over = fractions[place]
                assert over is not None
                written[number] = self._part(over, written[term.children[1 - place]])
            else:
                children = tuple([written[child] for child in term.children])
                first = self[children[0]] if children else term
                if (term.operator, first.operator) == ("add", "neg"):
                    term, children = Term("sub"), (children[1], *first.children)
                written[number] = self.intern(term.operator, children, term.label, term.parameter)
        return written[root]

    def _power_of_spelled(self, number: int) -> int | None:
        """``299792458**2`` for a number of many digits that is a power of one that was read."""
        value = self.number(number)
        if value is None or value in self.spellings:
            return None
        if len(self[number].label.strip("-0.")) < LONG_DIGITS:
            return None
        for base, label in self.spellings.items():
            for exponent in (2, 3, 4):
                if base**exponent == value:
                    leaf = self.intern(CONSTANT, label=label)
                    return self.intern("power", (leaf,), parameter=Fraction(exponent))
        return None

    def _fraction(self, number: int) -> Fraction | None:
        term = self._terms[number]
        return number_value(term.label) if term.operator == CONSTANT and "/" in term.label else None

    def _unit(self, number: int) -> Fraction | None:
        """A half, a quarter or an eighth that nobody has written as a decimal: ``x/2``."""
        value = self.number(number)
        units = value and abs(value) in UNITS and not {value, -value} & self.spellings.keys()
        return value if units else None

    def _quotient(self, value: Fraction) -> int:
        parts = [self.intern(CONSTANT, label=str(n)) for n in (value.numerator, value.denominator)]
        return self.intern("div", (parts[0], parts[1]))

    def _part(self, value: Fraction, number: int) -> int:
        under = self.intern(CONSTANT, label=str(value.denominator))
        if value.numerator == -1:
            number = self.intern("neg", (number,))
        elif value.numerator != 1:
            over = self.intern(CONSTANT, label=str(value.numerator))
            number = self.intern("mul", (over, number))
        return self.intern("div", (number, under))

    def variables(self, root: int) -> Iterator[str]:
        return (self[n].label for n in self.subterms(root) if self[n].operator == VARIABLE)
