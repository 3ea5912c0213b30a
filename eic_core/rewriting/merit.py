"""What tells forms of one formula apart, and which of several somebody would write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eic_core.rewriting.gains import GAIN, SERIES, SMALL, SMALL_GAIN
from eic_core.rewriting.search import Cost
from eic_core.rewriting.terms import Terms

CLEARLY = 0.8
"""The share of another form's time, or nodes, below which a form is clearly faster, or shorter: a
program does other things, and machines and compilers differ by more than a fifth."""

ENOUGH = SMALL, SMALL, SERIES
"""Digits lost in the mean, at nine in ten rows and at the worst row below which a form is good
enough: any formula of a few operations loses so many."""

FUNCTION, CALL = 2, 5.0
"""The nodes that a reader takes a function for that the formula does not have, and nanoseconds."""

PROMISE = 0.5
"""Share of the digits worth offering that the search's few rows must see, to look at a form on all
rows."""

ALGEBRA = frozenset(
    "add sub mul div neg abs power sqrt cbrt root hypot min max sign floor ceil round mod fmod"
    " remainder fma".split()
)
"""Operators that a reader takes for simple algebra."""


class Merit(NamedTuple):
    """What a form is chosen by: at first by rows with a value and digits, then by length."""

    failed: int  # Rows at which a program has no value
    # In the mean over the judged rows, at nine in ten rows and at the worst
    digits_lost: tuple[float, ...]
    q: float  # Sensitivity of the result on the search's rows; nan where there was no search
    size: int  # Number of nodes, what occurs twice counted once
    functions: int  # Those beyond algebra that the formula as written does not have
    nanoseconds: float  # Of one call in C

    @property
    def order(self) -> tuple[int, float, tuple[int, int]]:
        """The most accurate come first."""
        return self.failed, round(sum(self.digits_lost), 2), self.length

    @property
    def length(self) -> tuple[int, int]:
        """The shortest come first, a function that is new counting as some nodes; then what saves
        the time of a function.
        """
        return self.size + FUNCTION * self.functions, round(self.nanoseconds / CALL)

    @property
    def is_enough(self) -> bool:
        """Whether there is nothing to mend."""
        digits = zip(self.digits_lost, ENOUGH, strict=True)
        return not self.failed and all(lost < enough for lost, enough in digits)

    def is_near(self, best: Merit) -> bool:
        """Whether it is as good as the best, as far as anybody would notice, or good enough."""
        digits = zip(self.digits_lost, best.digits_lost, ENOUGH, strict=True)
        return (
            self.failed <= best.failed
            and not self.q > best.q + SMALL
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


def new_functions(terms: Terms, original: int, form: int) -> int:
    """How many functions beyond algebra a form has that the original lacks; 0 where they stand for
    more than they are, as a tangent for sine and cosine.
    """
    known, new = (
        {terms[n].operator for n in terms.subterms(root) if terms[n].children}
        for root in (original, form)
    )
    added, gone = new - known - ALGEBRA, known - new - ALGEBRA
    return 0 if len(added) < len(gone) else len(added)


def promises(before: Cost, after: Cost) -> bool:
    """Whether a form may be worth offering, by what the search knows of it."""
    at_result = max(before.double - after.double, before.q - after.q)
    if at_result >= PROMISE * GAIN or after.out_of_range < before.out_of_range:
        return True
    anywhere = max(at_result, before.worst - after.worst, before.operations - after.operations)
    return after.size == 1 or (after.size < before.size and anywhere >= PROMISE * SMALL_GAIN)
