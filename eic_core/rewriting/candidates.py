"""Which of the forms that a search found are looked at, and which of them comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from eic_core.formula.rendering import to_python
from eic_core.operators.wide import Array
from eic_core.rewriting.gains import GAIN, SCATTER, SERIES, SMALL_GAIN
from eic_core.rewriting.search import Cost, FoundForm
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.twins import Product, Spellings

CLEARLY = 0.8
"""The share of another form's time, or nodes, below which a form is clearly faster, or shorter: a
program does other things, and machines and compilers differ by more than a fifth."""

NODE = 0.02
"""Digits, too few to tell by any sample, that a node less is worth between forms equally fast."""

TIMER = 0.1
"""Nanoseconds that no measurement tells apart."""

PROMISE = 0.5
"""Share of the digits worth offering that the search's few rows must see, to look at a form on all
rows."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A form that the search found, by what can be told of it at once."""

    form: FoundForm
    root: int  # The form with every fraction as a quotient
    lost: Array = field(repr=False)  # Digits lost in the target at each judged row
    digits: float  # Their mean
    nanoseconds: float  # Of one call in C
    q: float  # Sensitivity of the result on the search's rows
    size: int  # Number of nodes

    def is_superior(self, other: Candidate) -> bool:
        """Whether it is better in digits, time, sensitivity or length, and worse in none by more
        than luck explains.
        """
        if (
            self.digits > other.digits + SCATTER
            or self.nanoseconds > other.nanoseconds + TIMER
            or self.q > other.q + GAIN
        ):
            return False
        return (
            other.digits - self.digits >= SMALL_GAIN
            or other.nanoseconds - self.nanoseconds > TIMER
            or other.q - self.q >= GAIN
            or self.size < other.size
        )

    def is_near(self, best: Candidate) -> bool:
        return self.digits <= best.digits + GAIN

    def is_as_fast(self, fastest: Candidate) -> bool:
        return CLEARLY * self.nanoseconds <= fastest.nanoseconds

    def is_worth_its_loss(self, best: Candidate) -> bool:
        """Whether it is nearly as accurate as the best, or faster and not far from it."""
        faster = not best.is_as_fast(self)
        return self.is_near(best) or (faster and self.digits <= best.digits + SERIES)

    def is_better_somehow(self, other: Candidate) -> bool:
        """Whether a reader may choose it for something that matters."""
        return (
            other.digits - self.digits >= SMALL_GAIN
            or other.q - self.q >= GAIN
            or not other.is_as_fast(self)
            or self.size < CLEARLY * other.size
        )


def promises(before: Cost, after: Cost) -> bool:
    """Whether a form may be worth offering, by what the search knows of it."""
    at_result = max(before.double - after.double, before.q - after.q)
    if at_result >= PROMISE * GAIN or after.out_of_range < before.out_of_range:
        return True
    anywhere = max(at_result, before.worst - after.worst, before.operations - after.operations)
    return after.size == 1 or (after.size < before.size and anywhere >= PROMISE * SMALL_GAIN)


def without_twins(candidates: Sequence[Candidate], terms: Terms) -> list[Candidate]:
    """Of twins the simplest of those that are fast and lose least, and those that are faster."""
    spellings = Spellings(terms)
    by_spelling: dict[Product, list[Candidate]] = {}
    for each in candidates:
        by_spelling.setdefault(spellings.of(each.root), []).append(each)

    def effort(each: Candidate) -> tuple[int, int, int, str]:
        text = to_python(terms.formula(each.root))
        return each.size, len(text), len(each.form.steps), text

    different: list[Candidate] = []
    for twins in by_spelling.values():
        rest = sorted(twins, key=lambda c: c.digits)
        while rest:
            near = [c for c in rest if c.is_near(rest[0])]
            fastest = min(near, key=lambda c: c.nanoseconds)
            chosen = min((c for c in near if c.is_as_fast(fastest)), key=effort)
            different.append(chosen)
            rest = [c for c in rest if not chosen.is_as_fast(c)]
    return different


def simplest_of_accurate(
    candidates: Sequence[Candidate],
) -> Callable[[Candidate], tuple[float, float, float]]:
    """The order by digits lost; among forms that only luck tells apart from the best by size."""
    least = min((each.digits for each in candidates), default=0.0)
    return lambda c: (max(c.digits, least + SCATTER) + NODE * c.size, c.nanoseconds, c.q)


def by_fronts(candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """Those first to which no other is superior, the most accurate leading; then those to which
    none of the others is, and so on.
    """
    rest = sorted(candidates, key=simplest_of_accurate(candidates))
    while rest:
        front = [one for one in rest if not any(other.is_superior(one) for other in rest)]
        front = front or rest[:1]  # what is within luck of each other may run in a circle
        yield front
        rest = [each for each in rest if each not in front]


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of those nearly as accurate as the best the fastest first, then the others by accuracy;
    without those that nobody would choose.
    """
    by_digits = sorted(candidates, key=lambda c: (c.digits, c.nanoseconds))
    near = [each for each in by_digits if each.is_near(by_digits[0])]
    near.sort(key=lambda c: c.nanoseconds)
    fast = [each for each in near if each.is_as_fast(near[0])]
    order = sorted(fast, key=simplest_of_accurate(candidates))
    order += near[len(fast) :] + by_digits[len(near) :]
    chosen: list[Candidate] = []
    for each in order:
        if may_join(each, chosen):
            chosen.append(each)
    return chosen


def may_join(candidate: Candidate, others: Sequence[Candidate]) -> bool:
    """Whether somebody may choose a form although these others are offered."""
    best = min(others, key=lambda c: c.digits, default=candidate)
    return candidate.is_worth_its_loss(best) and all(map(candidate.is_better_somehow, others))
