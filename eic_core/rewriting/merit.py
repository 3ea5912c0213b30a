"""What tells forms of one formula apart, and which of several somebody would write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eic_core.rewriting.gains import GAIN, SERIES, SMALL, SMALL_GAIN
from eic_core.rewriting.search import Cost
from eic_core.rewriting.terms import Terms, number_value

CLEARLY = 0.8
"""The share of another form's time, or nodes, below which a form is clearly faster, or shorter: a
program does other things, and machines and compilers differ by more than a fifth."""

ENOUGH = SMALL, SMALL, SERIES
"""Digits lost in the mean, at nine in ten rows and at the worst row below which a form is good
enough: any formula of a few operations loses so many."""

FUNCTION = 6
"""What a function that the formula does not have counts in `Merit.size`: as three nodes."""

UNNAMED = 2
"""Nodes of a part that nobody gives a name to write it once."""

LONG = 5
"""Digits of a whole number that nobody writes unless the formula has it."""

PROMISE = 0.5
"""Share of the digits worth offering that the search's few rows must see, to look at a form on all
rows."""

ALGEBRA = frozenset("add sub mul div neg abs power sqrt cbrt root min max sign".split())
"""Operators that a reader takes for simple algebra."""


class Merit(NamedTuple):
    """What a form is chosen by: at first by rows with a value and digits, then by length."""

    failed: int  # Rows at which a program has no value
    # In the mean over the judged rows, at nine in ten rows and at the worst
    digits_lost: tuple[float, ...]
    q: float  # Sensitivity of the result on the search's rows; nan where there was no search
    size: int  # `size_of`
    functions: int  # Those beyond algebra, and long numbers, that the formula does not have
    nanoseconds: float  # Of one call in C

    @property
    def order(self) -> tuple[int, float, int, float]:
        """The most accurate come first."""
        return self.failed, round(sum(self.digits_lost), 2), self.length, self.nanoseconds

    @property
    def length(self) -> int:
        """The shortest come first, a function that is new counting as some nodes."""
        return self.size + FUNCTION * self.functions

    @property
    def is_enough(self) -> bool:
        """Whether there is nothing to mend."""
        digits = zip(self.digits_lost, ENOUGH, strict=True)
        return not self.failed and all(lost < enough for lost, enough in digits)

    def gains(self, written: Merit) -> bool:
        """Whether it keeps values or digits, or the writing adds fewer to errors of the inputs."""
        digits = zip(self.digits_lost, written.digits_lost, strict=True)
        return (
            self.failed < written.failed
            or written.q - self.q >= SMALL
            or any(before - after >= GAIN for after, before in digits)
        )

    def is_near(self, best: Merit) -> bool:
        """Whether it is as good as the best, as far as anybody would notice, or good enough."""
        digits = zip(self.digits_lost, best.digits_lost, ENOUGH, strict=True)
        return (
            self.failed <= best.failed
            and not self.q > best.q + GAIN
            and all(lost < enough or lost <= least + GAIN for lost, least, enough in digits)
        )

    def may_join(self, others: Sequence[Merit]) -> bool:
        """Whether somebody may choose it, although these others are offered, for something that
        matters.
        """
        return self.failed <= others[0].failed and all(map(self._is_better_somehow, others))

    def _is_better_somehow(self, other: Merit) -> bool:
        pairs = [*zip(self.digits_lost, other.digits_lost, strict=True)]
        if any(a > b + SERIES for a, b in pairs):
            return False
        return (
            any(b - a >= GAIN for a, b in pairs)
            or self.nanoseconds < CLEARLY * other.nanoseconds
            or self.size < CLEARLY * other.size
        )


def size_of(terms: Terms, form: int) -> int:
    """Twice its nodes; the nodes of a part that occurs again count half there, if it is long enough
    for somebody to give it a name.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> texts = "x + x", "exp(x)*exp(x)", "(x + 1)*(x + 1)"
    >>> [size_of(terms, terms.add(read(text).formula)) for text in texts]
    [6, 10, 11]
    """
    named = [terms[n] for n in terms.subterms(form) if n == form or terms.size(n) > UNNAMED]
    below = [terms.size(n) for part in named for n in part.children]
    return len(named) + sum(size for size in below if size <= UNNAMED) + terms.size(form)


def nested_quotients(terms: Terms, form: int) -> int:
    """How many products and quotients have a quotient in them, as ``a/b/c``."""
    parts = [terms[number] for number in terms.subterms(form)]
    chains = [part for part in parts if part.operator in ("mul", "div")]
    return sum(any(terms[child].operator == "div" for child in part.children) for part in chains)


def new_functions(terms: Terms, original: int, form: int) -> int:
    """How many functions beyond algebra a form has that the original lacks, or none where they
    stand for more than they are, as a tangent for sine and cosine; and how many long numbers.
    """
    below = [[terms[n] for n in terms.subterms(root)] for root in (original, form)]
    known, new = ({term.operator for term in part if term.children} for part in below)
    added, gone = new - known - ALGEBRA, known - new - ALGEBRA
    spelled, long = ({*filter(_is_long, (term.label for term in part))} for part in below)
    return (0 if len(added) < len(gone) else len(added)) + len(long - spelled)


def _is_long(label: str) -> bool:
    """Whether a text is a whole number of many digits."""
    value = number_value(label) if label[:1] in "-0123456789" and label else None
    digits = label.partition("e")[0].replace(".", "").strip("-0")
    return value is not None and value.denominator == 1 and len(digits) >= LONG


def promises(before: Cost, after: Cost) -> bool:
    """Whether a form may be worth offering, by what the search knows of it."""
    at_result = max(before.double - after.double, before.q - after.q)
    if at_result >= PROMISE * GAIN or after.out_of_range < before.out_of_range:
        return True
    anywhere = max(at_result, before.worst - after.worst, before.operations - after.operations)
    return after.size == 1 or (after.size < before.size and anywhere >= PROMISE * SMALL_GAIN)
