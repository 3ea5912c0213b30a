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
from eic_core.rewriting.work import ENDLESS, WorkBudget

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
class PromisingForm:
    """A form that the search found, by what can be told of it at once."""

    form: FoundForm
    root: int  # The form with every fraction as a quotient
    lost: Array = field(repr=False)  # Digits lost in the target at each judged row
    digits: float  # Their mean
    nanoseconds: float  # Of one call in C
    q: float  # Sensitivity of the result on the search's rows
    size: int  # Number of nodes
    is_plain: bool = True  # Whether it has no function beyond algebra that the original lacks
    failed: int = 0  # Scanned rows at which a program has no value, as the original has none

    def is_superior(self, other: PromisingForm) -> bool:
        """Whether it is better in digits, time, sensitivity or length, and worse in none by more
        than luck explains.
        """
        if (
            self.failed > other.failed
            or self.digits > other.digits + SCATTER
            or self.nanoseconds > other.nanoseconds + TIMER
            or self.q > other.q + GAIN
        ):
            return False
        return (
            self.failed < other.failed
            or other.digits - self.digits >= SMALL_GAIN
            or other.nanoseconds - self.nanoseconds > TIMER
            or other.q - self.q >= GAIN
            or self.size < other.size
        )

    def is_near(self, best: PromisingForm) -> bool:
        return self.digits <= best.digits + GAIN

    def is_as_fast(self, fastest: PromisingForm) -> bool:
        return CLEARLY * self.nanoseconds <= fastest.nanoseconds

    def is_worth_its_loss(self, best: PromisingForm) -> bool:
        """Whether it is nearly as accurate as the best, or faster and not far from it."""
        faster = not best.is_as_fast(self)
        return self.is_near(best) or (faster and self.digits <= best.digits + SERIES)

    def is_better_somehow(self, other: PromisingForm) -> bool:
        """Whether a reader may choose it for something that matters."""
        return (
            self.failed < other.failed
            or other.digits - self.digits >= SMALL_GAIN
            or other.q - self.q >= GAIN
            or not other.is_as_fast(self)
            or self.size < CLEARLY * other.size
        )


ALGEBRA = frozenset(
    "add sub mul div neg abs power sqrt cbrt root hypot min max sign floor ceil round mod fmod"
    " remainder fma".split()
)
"""Operators that a reader takes for simple algebra."""


def is_plain(terms: Terms, original: int, form: int) -> bool:
    """Whether a form has no function beyond algebra that the original lacks."""
    known, new = (
        {terms[n].operator for n in terms.subterms(root) if terms[n].children}
        for root in (original, form)
    )
    return new <= known | ALGEBRA


def promises(before: Cost, after: Cost) -> bool:
    """Whether a form may be worth offering, by what the search knows of it."""
    at_result = max(before.double - after.double, before.q - after.q)
    if at_result >= PROMISE * GAIN or after.out_of_range < before.out_of_range:
        return True
    anywhere = max(at_result, before.worst - after.worst, before.operations - after.operations)
    return after.size == 1 or (after.size < before.size and anywhere >= PROMISE * SMALL_GAIN)


def without_twins(
    candidates: Sequence[PromisingForm], terms: Terms, until: WorkBudget = ENDLESS
) -> list[PromisingForm]:
    """Of twins the simplest of those that are fast and lose least, and those that are faster;
    of the first forms, where there is no time to compare all.
    """
    spellings = Spellings(terms)
    by_spelling: dict[Product, list[PromisingForm]] = {}
    for each in candidates:
        if by_spelling and until.passed:
            break
        by_spelling.setdefault(spellings.of(each.root), []).append(each)

    def effort(each: PromisingForm) -> tuple[int, int, int, int, str]:
        below = map(terms.__getitem__, terms.subterms(each.root))
        in_turn = sum(
            term.operator in ("mul", "div")
            and any(terms[n].operator == "div" for n in term.children)
            for term in below
        )
        text = to_python(terms.formula(each.root))
        return each.size, in_turn, len(each.form.steps), len(text), text

    different: list[PromisingForm] = []
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
    candidates: Sequence[PromisingForm],
) -> Callable[[PromisingForm], tuple[float, float, float]]:
    """The order by digits lost; among forms that only luck tells apart from the best by size;
    algebra before functions that gain less than is worth offering.
    """
    least = min((each.digits for each in candidates), default=0.0)

    def order(c: PromisingForm) -> tuple[float, float, float]:
        functions = 0.0 if c.is_plain else GAIN
        digits = max(c.digits, least + SCATTER) + NODE * c.size + functions
        return digits, c.nanoseconds, c.q

    return order


def by_fronts(candidates: Sequence[PromisingForm]) -> Iterator[list[PromisingForm]]:
    """Those first to which no other is superior, the most accurate leading; then those to which
    none of the others is, and so on.
    """
    rest = sorted(candidates, key=simplest_of_accurate(candidates))
    while rest:
        front = [one for one in rest if not any(other.is_superior(one) for other in rest)]
        front = front or rest[:1]  # what is within luck of each other may run in a circle
        yield front
        rest = [each for each in rest if each not in front]


def ranked(candidates: Sequence[PromisingForm]) -> list[PromisingForm]:
    """Of those nearly as accurate as the best the fastest of plain algebra first, if there is one;
    the others by accuracy; without those that nobody would choose.
    """
    by_digits = sorted(candidates, key=lambda c: (c.digits, c.nanoseconds))
    near = [each for each in by_digits if each.is_near(by_digits[0])]
    plain = [each for each in near if each.is_plain] or near
    fastest = min(plain, key=lambda c: c.nanoseconds, default=None)
    first = [each for each in plain if fastest is None or each.is_as_fast(fastest)]
    first.sort(key=simplest_of_accurate(candidates))
    others = [each for each in near if each not in first]
    others.sort(key=lambda c: c.nanoseconds)
    order = [*first, *others, *by_digits[len(near) :]]
    chosen: list[PromisingForm] = []
    for each in order:
        if may_join(each, chosen):
            chosen.append(each)
    return chosen


def may_join(candidate: PromisingForm, others: Sequence[PromisingForm]) -> bool:
    """Whether somebody may choose a form although these others are offered."""
    best = min(others, key=lambda c: c.digits, default=candidate)
    return candidate.is_worth_its_loss(best) and all(map(candidate.is_better_somehow, others))
