"""Searches for better forms: best first, one rewrite at a time, by their cost."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from eic_core.rewriting.builder import Builder
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.rules import Assumption, Rewrite, Rewriter
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import Numbers, Values, ValueTable
from eic_core.rewriting.work import ENDLESS, BudgetSpent, WorkBudget

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
        self._double: dict[int, float] = {}

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

    def screened(self, root: int) -> float:
        """The part of a form's total cost that takes no exact values."""
        return DOUBLE_WEIGHT * self.double(root) + SIZE_WEIGHT * self.terms.size(root)

    def double(self, root: int) -> float:
        if self.doubles is None:
            return 0.0
        if root not in self._double:
            self._double[root] = self.doubles.mean_lost(root)
        return self._double[root]

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
        steps = [n for n in self.terms.subterms(root) if self.terms[n].children]
        places = [n for n in steps if everywhere or self._is_lossy(n) or self._untidy(n)]
        if not places and self.at_zeros:  # of exp(x) - 1 at 0 no loss can be told
            places = steps
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


PER_STATE = 160
"""At most so many rewrites of one formula are looked at."""

PER_PLACE = 48
"""And at most so many of one step of it, so that no step takes the turn of all others."""

HOPE = 0.5
"""The share of its parent's sensitivity that a form counts with until its own is known."""

BREADTH = 4
"""Of so many forms that are rewritten one is of those that the fewest steps have reached, however
dear: a better one may lie behind it, as factors do behind a product that is multiplied out."""


SHORTENED = 3
"""Of so many forms shorter ones are looked for at the end."""

FRUITLESS = 0.4
"""The share of its time after which a search ends if no form is better than the original: there is
more to gain where its rows are parted, or by a series.
"""


@dataclass(frozen=True)
class Limits:
    evaluations: int = 700  # Forms whose cost is computed
    # Evaluations after which it stops once the best form is as good as the function itself allows
    patience: int = 100
    stall: int = 250  # Evaluations after which it stops if none was better than the best
    fruitless: int = 90  # The same as long as none is better than the original
    # For slow machines and large formulas; the counts bind first elsewhere
    budget: WorkBudget = ENDLESS


@dataclass(frozen=True)
class SearchStep:
    rule: str
    # before, after: the terms that were exchanged
    before: int
    after: int
    assumptions: tuple[Assumption, ...]
    whole: int  # The whole formula after this step


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
    candidates: int  # Forms that were evaluated, or would have been
    finished: bool  # False if the budget ended it
    # Assumptions of rewrites that do not hold at some row, as they were met
    refused: tuple[Assumption, ...] = ()

    @property
    def improves(self) -> bool:
        """Whether a form is better by more than the scatter of roundings."""
        best = self.forms[0].cost if self.forms else self.start.cost
        return best.total < self.start.cost.total - CALM

    @classmethod
    def nothing(cls, root: int) -> SearchOutcome:
        """That of a search without the time to begin."""
        unknown = Cost(math.nan, math.nan, math.nan, math.nan, 0)
        return cls(FoundForm(root, unknown, ()), (), math.nan, 0, 0, False)


@dataclass(frozen=True)
class _Candidate:
    """A form whose cost is not known, but what it loses in double precision."""

    root: int
    steps: tuple[SearchStep, ...]


class _Frontier:
    """Forms and candidates that wait, and the two orders in which they are taken."""

    def __init__(self) -> None:
        self._cheapest: list[tuple[float, int]] = []
        self._nearest: list[tuple[int, float, int]] = []
        self._waiting: dict[int, FoundForm | _Candidate] = {}
        self._pushed = 0

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def push(self, total: float, form: FoundForm | _Candidate) -> None:
        self._pushed, total = self._pushed + 1, round(total, 6)
        self._waiting[self._pushed] = form
        heapq.heappush(self._cheapest, (total, self._pushed))
        heapq.heappush(self._nearest, (len(form.steps), total, self._pushed))

    def cheapest(self) -> FoundForm | _Candidate:
        return self._pop(self._cheapest)

    def nearest(self) -> FoundForm | _Candidate:
        """That of the fewest steps, the cheapest of these."""
        return self._pop(self._nearest)

    def _pop(self, queue: list[Any]) -> FoundForm | _Candidate:
        while True:
            form = self._waiting.pop(heapq.heappop(queue)[-1], None)
            if form is not None:
                return form


class Search:
    """A bounded best-first search for cheaper forms.

    The cost of a form is worked out when its turn comes. Until then it counts with its own size and
    loss in double precision, which are cheap, and with half of the rest of the form before it.
    """

    def __init__(
        self,
        table: ValueTable,
        rewriter: Rewriter,
        limits: Limits,
        progress: Callable[[float], None] | None = None,
        doubles: DoubleTable | None = None,
    ) -> None:
        self.doubles = doubles
        self.table = table
        self.terms: Terms = table.terms
        self.build: Builder = rewriter.build
        self.rewriter = rewriter
        self.limits = limits
        self.progress = progress
        self._agreeing: dict[tuple[int, int], bool] = {}
        self._kept: frozenset[int] = frozenset()
        self._refused: dict[Assumption, None] = {}

    def run(self, root: int, places: frozenset[int] | None = None) -> SearchOutcome | None:
        """The forms of a term, rewritten at some places of it alone if `places` are given; None
        if it has no cost. Raises `BudgetSpent` where there is no time for that.
        """
        self.costs = Costs(self.table, root, self.doubles)
        first = self.costs.of(root) if self.costs.rows else None
        if first is None:
            return None
        own = self.costs.own(root)
        if places is not None:
            self._kept = frozenset(self.terms.subterms(root)) - places
        self.largest = 2 * first.size + 16
        self.start = FoundForm(root, first, ())
        self.known: dict[int, FoundForm | None] = {self.terms.kind(root): self.start}
        self.evaluated = self.best_at = 1
        self.best, self.reached_at = first.total, 0
        finished = True
        try:
            self._explore(own)
            self._shorten()
        except BudgetSpent:
            finished = False
        found = [form for form in self.known.values() if form is not None]
        forms = sorted(found, key=lambda f: (round(f.cost.total, 6), f.root))
        others = tuple(f for f in forms if f is not self.start)
        refused = tuple(self._refused)
        count = max(self.evaluated, min(len(self.known), self.limits.evaluations))
        return SearchOutcome(self.start, others, own, self.evaluated, count, finished, refused)

    def _explore(self, own: float) -> None:
        frontier, limits = _Frontier(), self.limits
        frontier.push(self.start.cost.total, self.start)
        self.good_enough = max(own, 0.5) + 0.15
        turn = 0
        least_left = (1 - FRUITLESS) * limits.budget.left
        while frontier and not self._is_done():
            limits.budget.check()
            if not self._is_better and limits.budget.left < least_left:
                raise BudgetSpent
            in_breadth = turn % BREADTH == BREADTH - 1
            form: FoundForm | _Candidate | None
            form = frontier.nearest() if in_breadth else frontier.cheapest()
            if isinstance(form, _Candidate):
                form = self._costed(form)
                if form is None:
                    continue
                if not in_breadth:
                    frontier.push(form.cost.total, form)
                    continue
            turn += 1
            rest = HOPE * (form.cost.total - self.costs.screened(form.root))
            for step, new in self._neighbours(form, self.costs.order(form.root)):
                kind = self.terms.kind(new)
                if kind not in self.known:
                    self.known[kind] = None
                    total = rest + self.costs.screened(new)
                    frontier.push(total, _Candidate(new, (*form.steps, step)))

    def _shorten(self) -> None:
        """Shorter forms of the best ones, rewritten where nothing is lost, too."""
        found = [form for form in self.known.values() if form is not None and form.steps]
        forms = heapq.nsmallest(SHORTENED, found, key=lambda form: round(form.cost.total, 6))
        for form in forms if self._is_better else ():
            places = [n for n in self.terms.subterms(form.root) if self.terms[n].children]
            for step, new in self._neighbours(form, places):
                kind, size = self.terms.kind(new), self.terms.size(new)
                if self.evaluated == self.limits.evaluations:
                    return
                if size < self.terms.size(form.root) and self.known.get(kind) is None:
                    shorter = self._costed(_Candidate(new, (*form.steps, step)))
                    forms += [] if shorter is None else [shorter]

    @property
    def _is_better(self) -> bool:
        """Whether some form is better than the original."""
        return self.best < self.start.cost.total - CALM

    def _is_done(self) -> bool:
        limits, evaluated = self.limits, self.evaluated
        return (
            evaluated >= limits.evaluations
            or evaluated - self.best_at >= (limits.stall if self._is_better else limits.fruitless)
            or (self.reached_at > 0 and evaluated - self.reached_at >= limits.patience)
        )

    def _costed(self, candidate: _Candidate) -> FoundForm | None:
        self.evaluated += 1
        if self.progress is not None:
            self.progress(self.evaluated / self.limits.evaluations)
        cost = self.costs.of(candidate.root)
        if cost is None:
            return None
        form = FoundForm(candidate.root, cost, candidate.steps)
        self.known[self.terms.kind(form.root)] = form
        if round(cost.total, 6) < round(self.best, 6):
            self.best, self.best_at = cost.total, self.evaluated
        if (
            not self.reached_at
            and max(cost.q, cost.worst) <= self.good_enough
            and cost.double <= DOUBLE_CALM
        ):
            self.reached_at = self.evaluated
        return form

    def _neighbours(self, state: FoundForm, places: Sequence[int]) -> list[tuple[SearchStep, int]]:
        found: list[tuple[SearchStep, int]] = []
        for place in places:
            if place in self._kept:
                continue
            self.limits.budget.check()
            of_place = 0
            for rewrite in self.rewriter.at(place):
                new = self._rewritten(state.root, place, rewrite)
                if new is None:
                    continue
                step = SearchStep(rewrite.rule, place, rewrite.term, rewrite.assumptions, new)
                found.append((step, new))
                of_place += 1
                if len(found) >= PER_STATE:
                    return found
                if of_place == PER_PLACE:
                    break
        return found

    def _rewritten(self, root: int, place: int, rewrite: Rewrite) -> int | None:
        size = self.terms.size
        if size(root) - size(place) + size(rewrite.term) > self.largest:
            return None
        if not self._agrees(place, rewrite.term) or not all(
            self._holds(a, place) for a in rewrite.assumptions
        ):
            self._refused.update(dict.fromkeys(rewrite.assumptions))
            return None
        new, pairs = self.terms.replace(root, place, rewrite.term)
        if size(new) > self.largest:  # it may stand at several places
            return None
        for before, after in pairs:
            self.table.declare_equal(after, before)
        return new

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
