"""Searches for better forms: best first, one rewrite at a time, by their cost."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eic_core.rewriting.builder import Builder
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.rules import Assumption, Rewriter
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import Numbers, Values, ValueTable

WORST_WEIGHT, SIZE_WEIGHT, RANGE_WEIGHT, DOUBLE_WEIGHT = 0.3, 0.05, 2.0, 1.0

EVERY_DIGIT_S2 = 1e32
"""The square of an amplification that takes every digit of a double."""

CALM = 0.2
"""Sub-expressions that lose fewer digits are left as they are."""

DOUBLE_CALM = 0.5
"""Digits at a row, in the mean: a form of which double precision keeps more is good enough."""


class Cost(NamedTuple):
    q: float  # Correlated amplification at the root, in digits
    # The largest correlated amplification of any node, in digits; of one that independent noise
    # leaves no digit, all of them
    worst: float
    operations: float  # The same as `q` for exact inputs: what the operations alone lose
    out_of_range: float  # Share of rows at which a value leaves double range
    size: int  # Number of nodes
    # Mean of the digits that double precision loses at each row, measured: all 16 where it has no
    # value
    double: float = 0.0

    @property
    def total(self) -> float:
        return (
            self.q
            + WORST_WEIGHT * (self.worst + self.operations)
            + RANGE_WEIGHT * self.out_of_range
            + DOUBLE_WEIGHT * self.double
            + SIZE_WEIGHT * self.size
        )


class Costs:
    """The cost of forms on the rows at which the original (`root`) has a finite amplification, or
    where there are none on those at which it is 0 and keeps no digit.
    Without `doubles`, on the same rows, nothing is measured in double precision.
    """

    def __init__(self, table: ValueTable, root: int, doubles: DoubleTable | None = None) -> None:
        self.table = table
        self.terms = table.terms
        self.doubles = doubles
        noise = table.noise(root)
        self.usable = np.isfinite(noise.q2)
        self.at_zeros = not self.usable.any()
        if self.at_zeros:
            self.usable = noise.y == 0
        self._worst: dict[int, float] = {}

    @property
    def rows(self) -> int:
        return int(np.count_nonzero(self.usable))

    def own(self, root: int) -> float:
        """1/2 log10 E[1 + sum_v (x_v df/dx_v / f)^2] at the usable rows."""
        noise = self.table.noise(root)
        places = [i for i, kind in enumerate(noise.kinds) if kind in self.terms.inputs]
        moved = noise.moved[places][:, self.usable]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(moved == 0, 0, moved / noise.y[self.usable])
        total = np.sum(np.square(ratio), axis=0)
        if self.terms[root].operator == "variable":
            total = np.zeros_like(total)  # a lone input is not rounded again
        return _digits(np.mean(1 + total))

    def of(self, root: int) -> Cost | None:
        noise = self.table.noise(root)
        q2 = noise.q2[self.usable]
        if self.at_zeros:
            q2 = np.minimum(q2, EVERY_DIGIT_S2)
        if not np.isfinite(q2).all():
            return None
        worst = max(self._rms(n) for n in self.terms.subterms(root))
        outside = float(np.mean(noise.out_of_range[self.usable]))
        operations = _digits(np.mean(noise.operations2(self.terms.inputs)[self.usable]))
        return Cost(
            _digits(np.mean(q2)),
            worst,
            operations,
            outside,
            self.terms.size(root),
            self.double(root),
        )

    def double(self, root: int) -> float:
        return 0.0 if self.doubles is None else self.doubles.mean_lost(root)

    def _rms(self, number: int) -> float:
        if number not in self._worst:
            noise = self.table.noise(number)
            q2 = np.where(noise.loses_all, EVERY_DIGIT_S2, noise.q2)[self.usable]
            q2 = q2[np.isfinite(q2)]
            self._worst[number] = _digits(np.mean(q2)) if len(q2) else 0.0
        return self._worst[number]

    def order(self, root: int) -> list[int]:
        """The places to rewrite: where most digits are lost first, leaves left out."""
        everywhere = self.table.noise(root).out_of_range.any() or self.double(root) >= DOUBLE_CALM
        places = [
            n
            for n in self.terms.subterms(root)
            if self.terms[n].children and (everywhere or self._is_lossy(n) or self._untidy(n))
        ]
        return sorted(places, key=lambda n: (-round(self._rms(n), 3), n))

    def _is_lossy(self, number: int) -> bool:
        """Whether a step or one of its operands loses digits: ``100 + (x - 3)`` is ``x + 97``."""
        return any(self._rms(n) >= CALM for n in (number, *self.terms[number].children))

    def _untidy(self, number: int) -> bool:
        """Whether it is ``sin(pi)`` or ``u**0``, or a rewrite left ``0 + u``, ``1*u`` or ``1 - 1``,
        which the next one clears.
        """
        term = self.terms[number]
        if term.parameter == 0 or not any(True for _ in self.terms.variables(number)):
            return True
        values = [self.terms.number(child) for child in term.children]
        if term.operator in ("add", "sub"):
            return 0 in values or None not in values
        return term.operator in ("mul", "div") and (0 in values or 1 in values[-1:])


def _digits(mean: Numbers) -> float:
    return float(0.5 * np.log10(mean)) if mean > 0 else 0.0


PER_STATE = 96
"""At most so many rewrites of one formula are looked at."""


@dataclass(frozen=True)
class Limits:
    evaluations: int = 700  # Forms whose cost is computed
    # Evaluations after which it stops once the best form is as good as the function itself allows
    patience: int = 100
    stall: int = 200  # Evaluations after which it stops if none was better than the best
    # A deadline for slow machines and large formulas; the counts bind first elsewhere
    seconds: float = 2.0


@dataclass(frozen=True)
class SearchStep:
    rule: str
    # before, after: the terms that were exchanged
    before: int
    after: int
    assumptions: tuple[Assumption, ...]


@dataclass(frozen=True)
class FoundForm:
    root: int  # The form, as a term
    cost: Cost
    steps: tuple[SearchStep, ...]  # From the original, in order; none for the original itself


@dataclass(frozen=True)
class SearchOutcome:
    start: FoundForm  # The formula as given
    forms: tuple[FoundForm, ...]  # Every other form, the cheapest first
    own: float  # The function's own conditioning on the same rows, in digits
    evaluated: int
    finished: bool  # False if the deadline ended it


class Search:
    """A bounded best-first search for cheaper forms; `clock` in seconds."""

    def __init__(
        self,
        table: ValueTable,
        rewriter: Rewriter,
        limits: Limits,
        progress: Callable[[float], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        doubles: DoubleTable | None = None,
    ) -> None:
        self.doubles = doubles
        self.table = table
        self.terms: Terms = table.terms
        self.build: Builder = rewriter.build
        self.rewriter = rewriter
        self.limits = limits
        self.progress = progress
        self.clock = clock
        self._agreeing: dict[tuple[int, int], bool] = {}

    def run(self, root: int) -> SearchOutcome | None:
        self.costs = Costs(self.table, root, self.doubles)
        first = self.costs.of(root) if self.costs.rows else None
        if first is None:
            return None
        own = self.costs.own(root)
        self.largest = 2 * first.size + 16
        start = FoundForm(root, first, ())
        known = {self.terms.kind(root): start}
        queue: list[tuple[float, int, FoundForm]] = [(first.total, 0, start)]
        good_enough = max(own, 0.5) + 0.15
        deadline = self.clock() + self.limits.seconds
        evaluated, reached_at, finished = 1, 0, True
        best, best_at = first.total, 1
        while queue and evaluated < self.limits.evaluations:
            if reached_at and evaluated - reached_at >= self.limits.patience:
                break
            if evaluated - best_at >= self.limits.stall:
                break
            _, _, state = heapq.heappop(queue)
            for step, new in self._neighbours(state):
                if self.clock() > deadline:
                    finished = False
                    break
                kind = self.terms.kind(new)
                if kind in known or evaluated >= self.limits.evaluations:
                    continue
                evaluated += 1
                if self.progress is not None:
                    self.progress(evaluated / self.limits.evaluations)
                cost = self.costs.of(new)
                if cost is None:
                    continue
                form = FoundForm(new, cost, (*state.steps, step))
                known[kind] = form
                heapq.heappush(queue, (cost.total, evaluated, form))
                if cost.total < best:
                    best, best_at = cost.total, evaluated
                if (
                    not reached_at
                    and max(cost.q, cost.worst) <= good_enough
                    and cost.double <= DOUBLE_CALM
                ):
                    reached_at = evaluated
            if not finished:
                break
        forms = sorted(known.values(), key=lambda f: (f.cost.total, f.root))
        others = tuple(f for f in forms if f is not start)
        return SearchOutcome(start, others, own, evaluated, finished)

    def _neighbours(self, state: FoundForm) -> list[tuple[SearchStep, int]]:
        found: list[tuple[SearchStep, int]] = []
        for place in self.costs.order(state.root):
            for rewrite in self.rewriter.at(place):
                new, pairs = self.terms.replace(state.root, place, rewrite.term)
                if self.terms.size(new) > self.largest:
                    continue
                if not self._agrees(place, rewrite.term):
                    continue
                if not all(self._holds(a, place) for a in rewrite.assumptions):
                    continue
                for before, after in pairs:
                    self.table.declare_equal(after, before)
                step = SearchStep(rewrite.rule, place, rewrite.term, rewrite.assumptions)
                found.append((step, new))
                if len(found) >= PER_STATE:
                    return found
        return found

    def _agrees(self, old: int, new: int) -> bool:
        key = (old, new)
        if key not in self._agreeing:
            self._agreeing[key] = self.table.agree(old, new)
        return self._agreeing[key]

    def _holds(self, assumption: Assumption, place: int) -> bool:
        values = self.table.values(assumption.term)
        return relation_holds(values, assumption.relation, self.table.values(place))


def relation_holds(values: Values, relation: str, where: Values) -> bool:
    """Whether a relation to 0 (">", ">=" or "!=") holds wherever `where` has a value.
    A missing value breaks the relation.

    >>> relation_holds((1, None, -2), ">", (5, None, None)), relation_holds((0,), "!=", (1,))
    (True, False)
    """
    for value, needed in zip(values, where, strict=True):
        if needed is None:
            continue
        if value is None:
            return False
        if relation == ">" and not value > 0 or relation == ">=" and not value >= 0:
            return False
        if relation == "!=" and value == 0:
            return False
    return True
