"""Formulas with conditions of their own: each part without one is repaired on the rows that
evaluate it, and put back. The conditions stay as they are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np

from eic_core.formula.rendering import to_python
from eic_core.formula.tree import CONSTANT, Formula
from eic_core.measure.observed import digits_lost_by_row, run_in
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.rewriting.gains import GAIN, remaining_digits
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.observing import Truth
from eic_core.rewriting.pieces import Branch, Omission, RepairStep, Series
from eic_core.rewriting.profile import quantities_compared
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.search import SearchOutcome
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import AGREEMENT
from eic_core.rewriting.verify import Verification
from eic_core.rewriting.work import BudgetSpent, WorkBudget
from eic_core.samples import Samples

MOST_REGIONS = 16
"""Combinations of conditions that are told apart; what chooses beyond them stays in the forms."""

SAMPLED, SAMPLED_STEPS = 100_000, 4_000_000
"""Rows of which those that evaluate a part are chosen, and rows times terms; evenly spaced."""

REPAIRING, FIRST_REPAIRING = 0.85, 0.6
"""The shares of the time left that the repairs of all parts have: with nothing to come after them,
and with a second form, the parts of which hold what stands about the conditionals."""


def has_conditions(formula: Formula) -> bool:
    return any(not OPERATORS[node.operator].numeric for node in formula if node.children)


VERIFYING = 2.0
"""For so many times what the formula's own numbers took there is time left, to verify a form."""

MOST_LIFTED = 6
"""Forms that what stands about the conditionals is written into, at most."""

FEWEST = 3
"""Judged rows of a region that may show its gain, however few they are of all."""


class RepairPart(Protocol):
    """Repairs a part of a formula on some rows, within a budget and so many forms."""

    def __call__(
        self, formula: Formula, samples: Samples, budget: WorkBudget, limit_steps: int
    ) -> Repairs: ...


class RegionRows(NamedTuple):
    """Where some conditions hold, and no region before it does; and what is computed there."""

    conditions: tuple[int, ...]  # Terms; none of the last region
    root: int


# --- terms with conditionals


def _values_below(terms: Terms, number: int) -> tuple[int, ...]:
    """The operands that are no condition; none of a truth value."""
    term = terms[number]
    if not term.children or OPERATORS[term.operator].truth:
        return ()
    return term.children[1:] if OPERATORS[term.operator].chooses else term.children


def _walk_values(terms: Terms, root: int, into: Callable[[int], bool]) -> list[int]:
    """Distinct terms at and below a term, operands first, without those of conditions."""
    found: dict[int, None] = {}
    todo = [(root, False)]
    opened: set[int] = set()
    while todo:
        number, ready = todo.pop()
        if ready:
            found.setdefault(number)
        elif number not in opened:
            opened.add(number)
            todo.append((number, True))
            if into(number):
                todo.extend((below, False) for below in reversed(_values_below(terms, number)))
    return list(found)


def _is_free(terms: Terms, root: int) -> bool:
    """Whether there is no condition at or below a term."""
    below = map(terms.__getitem__, terms.subterms(root))
    return all(OPERATORS[term.operator].numeric for term in below if term.children)


def parts_without_condition(terms: Terms, root: int) -> list[int]:
    """The largest terms without a condition that compute a value from variables.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("2*y + where(x + 1 < 0, exp(x), where(y > 1, x, x*y))").formula)
    >>> [to_python(terms.formula(part)) for part in parts_without_condition(terms, root)]
    ['2*y', 'exp(x)', 'x*y']
    """
    return [
        number
        for number in _walk_values(terms, root, lambda n: not _is_free(terms, n))
        if terms[number].children and terms.has_variables(number) and _is_free(terms, number)
    ]


def put_in(terms: Terms, root: int, new: Mapping[int, int]) -> int:
    """The term with others in the place of some parts of it; its conditions stay."""
    made: dict[int, int] = dict(new)
    for number in _walk_values(terms, root, lambda n: n not in new and not _is_free(terms, n)):
        term = terms[number]
        below = _values_below(terms, number)
        if number in made or not below or _is_free(terms, number):
            continue
        kept = term.children[: len(term.children) - len(below)]
        children = (*kept, *(made.get(child, child) for child in below))
        same = children == term.children
        made[number] = number if same else terms.intern(term.operator, children, *term[2:])
    return made.get(root, root)


def regions_of(terms: Terms, root: int, most: int = MOST_REGIONS) -> list[RegionRows]:
    """What a formula is where its conditions hold or not, as cases of which the first counts.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("1 + where(x < 0, y, where(y > 1, 2, x))").formula)
    >>> for conditions, form in regions_of(terms, root):
    ...     print(*[to_python(terms.formula(term)) for term in (*conditions, form)], sep=", ")
    x < 0, 1 + y
    y > 1, 1 + 2
    1 + x
    """
    regions = [RegionRows((), root)]
    place = 0
    while place < len(regions):
        conditions, form = regions[place]
        condition = next(_conditions(terms, form), None)
        if condition is None or len(regions) == most:
            place += 1
            continue
        held, other = (_resolved(terms, form, condition, holds) for holds in (1, 2))
        regions[place : place + 1] = [
            RegionRows((*conditions, condition), held),
            RegionRows(conditions, other),
        ]
    return regions


def _conditions(terms: Terms, root: int) -> Iterator[int]:
    """The conditions of the conditionals in a term, the outermost first."""
    for number in reversed(_walk_values(terms, root, lambda n: not _is_free(terms, n))):
        term = terms[number]
        if term.children and OPERATORS[term.operator].chooses:
            yield term.children[0]


def _resolved(terms: Terms, root: int, condition: int, side: int) -> int:
    """A term with one side of each conditional that has this condition."""
    made: dict[int, int] = {}
    for number in _walk_values(terms, root, lambda n: not _is_free(terms, n)):
        term = terms[number]
        below = _values_below(terms, number)
        if not below:
            continue
        if OPERATORS[term.operator].chooses and term.children[0] == condition:
            made[number] = made.get(term.children[side], term.children[side])
            continue
        kept = term.children[: len(term.children) - len(below)]
        children = (*kept, *(made.get(child, child) for child in below))
        if children != term.children:
            made[number] = terms.intern(term.operator, children, *term[2:])
    return made.get(root, root)


def lifted(terms: Terms, root: int) -> int:
    """The term as a choice between forms without one, as far as regions are told apart."""
    *cases, last = regions_of(terms, root)
    form = last.root
    for conditions, own in reversed(cases):
        form = terms.intern("conditional", (_all_of(terms, conditions), own, form))
    return form


def _all_of(terms: Terms, conditions: Sequence[int]) -> int:
    """The truth value that they all hold."""
    whole = -1
    for number in conditions:
        term = terms[number]
        truth = number
        if not (term.children and OPERATORS[term.operator].truth):
            truth = terms.intern("not_equal", (number, terms.intern(CONSTANT, label="0")))
        whole = truth if whole < 0 else terms.intern("logical_and", (whole, truth))
    return whole


# --- the repair


@dataclass
class _Sides:
    """The new parts of a form, and how each of them came about."""

    # new, near: by the part that each takes the place of; near ones have a series in some branch
    new: dict[int, int] = field(default_factory=dict)
    near: dict[int, int] = field(default_factory=dict)
    bounds: dict[int, float] = field(default_factory=dict)  # Of the near ones, by the part
    steps: dict[int, tuple[RepairStep, ...]] = field(default_factory=dict)  # By a new term
    series: dict[int, Series] = field(default_factory=dict)  # By a new term


class ConditionalRepair:
    """One formula with conditions, with its exact values; `repair` repairs a part of it."""

    def __init__(
        self,
        measurer: Measurer,
        truth: Truth,
        samples: Samples,
        budget: WorkBudget,
        repair: RepairPart,
        limit_steps: int,
    ) -> None:
        self.measurer, self.truth, self.samples = measurer, truth, samples
        self.terms, self.root = truth.terms, truth.root
        self.budget, self.repair, self.limit_steps = budget, repair, limit_steps
        self.evaluated, self.finished = 0, True
        self.left_out: dict[Omission, None] = {}

    def repairs(self, limit: int) -> Repairs:
        whole = self._lifted()
        more = whole != self.root
        offers = self._offers(self.root, FIRST_REPAIRING if more else REPAIRING)
        best = min((offer.gain.judged.mean_after for offer in offers), default=math.inf)
        if more and not best < GAIN:
            offers += self._offers(whole, REPAIRING)
        offers.sort(key=lambda offer: offer.gain.judged.mean_after)
        exact = [offer for offer in offers if offer.is_exact]
        least = exact[0].gain.judged.mean_after if exact else math.inf
        near = [
            offer
            for offer in offers
            if not offer.is_exact and least - offer.gain.judged.mean_after >= GAIN
        ]
        return replace(self._result(exact[:limit]), approximations=tuple(near[:1]))

    def _lifted(self) -> int:
        """The formula as a choice between whole forms; itself where its parts are no others."""
        if len(regions_of(self.terms, self.root, MOST_LIFTED + 1)) > MOST_LIFTED:
            return self.root
        whole = lifted(self.terms, self.root)
        parts, known = (set(parts_without_condition(self.terms, n)) for n in (whole, self.root))
        return self.root if parts == known else whole

    def _result(self, offers: Sequence[Repair]) -> Repairs:
        nothing = SearchOutcome.nothing(self.root)
        self.measurer.outcome = replace(
            nothing, evaluated=self.evaluated + 1, finished=self.finished
        )
        base = self.measurer.repairs(0)
        base = replace(base, evaluated=self.evaluated, left_out=tuple(self.left_out))
        if not offers:
            return base
        first = offers[0]
        gain = replace(first.gain, remaining=remaining_digits(first.after, base.own))
        offers = replace(first, gain=gain), *offers[1:]
        return replace(base, repairs=offers, reason=None, helps=None)

    def _offers(self, root: int, share: float) -> list[Repair]:
        """The form with all parts repaired; where that is none, those with one of them. And that
        with a series in some branch, if there is one.
        """
        sides = self._sides(root, share)
        offers = [self._offer(root, sides, sides.new)] if sides.new else []
        if offers == [None] and len(sides.new) > 1:
            offers = [self._offer(root, sides, {old: new}) for old, new in sides.new.items()]
        if sides.near:
            offers.append(self._offer(root, sides, {**sides.new, **sides.near}))
        return [offer for offer in offers if offer is not None]

    def _sides(self, root: int, share: float) -> _Sides:
        """The losing parts repaired, the worst first, each within its share of what is left."""
        sides = _Sides()
        rows_of = self._rows_by_part(root)
        parts = self._losing(root)
        left = self.budget.left
        of_parts = self.budget.of(min(share * left, left - VERIFYING * self.measurer.work_a_form))
        for place, part in enumerate(parts):
            rows = rows_of[part]
            if not len(rows):
                continue
            if of_parts.passed:
                self.finished = False
                break
            formula = self.terms.formula(part)
            formula = replace(formula, source=to_python(formula))
            waiting = len(parts) - place
            found = self.repair(
                formula,
                rows_of_samples(self.samples, formula.variables, rows),
                of_parts.of(of_parts.left / waiting),
                max(1, (self.limit_steps - self.evaluated) // waiting),
            )
            self.evaluated += found.evaluated
            self.finished = self.finished and found.finished
            self.left_out.update(dict.fromkeys(found.left_out))
            if found.best is not None:
                sides.new[part] = self._new(sides, found.best)
            if found.leading is not None and not found.leading.is_exact:
                sides.near[part] = self._new(sides, found.leading)
                sides.bounds[part] = found.leading.bound
        return sides

    def _new(self, sides: _Sides, repaired: Repair) -> int:
        """The term of a form, whose branches are noted."""
        new = self.terms.add(repaired.formula)
        if not repaired.branches:
            sides.steps[new] = repaired.steps
        for branch in repaired.branches:
            side = self.terms.add(branch.formula)
            sides.steps[side] = branch.steps
            if branch.series is not None:
                sides.series[side] = branch.series
        return new

    def _rows_by_part(self, root: int) -> dict[int, Array]:
        """The rows at which a program evaluates each term outside of conditions."""
        terms, target = self.terms, self.truth.target
        total = len(self.samples)
        count = min(total, SAMPLED, max(1, SAMPLED_STEPS // terms.size(root)))
        rows = np.arange(count) * total // count
        columns = {name: column[rows] for name, column in self.truth.columns.items()}

        def values(number: int) -> Array:
            computed: Array = run_in(terms.tape(number), columns, count, target)[-1]
            return computed

        return {number: rows[on] for number, on in self._evaluated(root, count, values).items()}

    def _evaluated(self, root: int, count: int, values: Callable[[int], Array]) -> dict[int, Array]:
        """For each term outside of conditions whether a row evaluates it."""
        numbers = _walk_values(self.terms, root, lambda _: True)
        active = {number: np.zeros(count, dtype=bool) for number in numbers}
        active[root][:] = True
        for number in reversed(numbers):
            below = _values_below(self.terms, number)
            term, rows = self.terms[number], active[number]
            if below and OPERATORS[term.operator].chooses:
                condition = values(term.children[0])
                active[below[0]] |= rows & (condition != 0) & ~np.isnan(condition)
                active[below[1]] |= rows & (condition == 0)
            else:
                for child in below:
                    active[child] |= rows
        return active

    def _losing(self, root: int) -> list[int]:
        """The parts at which a program loses digits at some judged row, the worst first."""
        everywhere, exact = self.measurer.everywhere, self.truth.verifier.table
        active = self._evaluated(root, len(self.truth.rows.verified), everywhere.values)
        losses: dict[int, float] = {}
        for part in parts_without_condition(self.terms, root):
            try:
                known = exact.values(part)
            except BudgetSpent:
                self.finished = False
                break
            lost = digits_lost_by_row(known, everywhere.values(part), self.truth.target)
            lost = lost[active[part] & ~np.isnan(lost)]
            if len(lost) and lost.max() >= GAIN:
                losses[part] = float(lost.sum())
        return sorted(losses, key=lambda part: -losses[part])

    def _offer(self, root: int, sides: _Sides, new: Mapping[int, int]) -> Repair | None:
        """The repair by a form with new parts, if it is one and there is time for it."""
        terms, measurer = self.terms, self.measurer
        form = terms.with_quotients(put_in(terms, root, new))
        try:
            if self.budget.passed:
                raise BudgetSpent
            lost = measurer.everywhere.lost(form)
            comparisons = measurer.comparisons(form, lost)
            if comparisons is None:
                return None
            verification = self._verification(root, form, sides, new)
            if verification is None:
                return None
            regions = self._branches(form, sides, lost)
            formula = measurer.formula_of(form)
            shares = [region.rows for region in regions]
            gain = measurer.gain(form, formula, *comparisons, shares)
        except BudgetSpent:
            self.finished = False
            return None
        clear = any(r.rows >= FEWEST and r.before - r.after >= GAIN for r in regions)
        if gain.is_worse or not (clear or gain.is_offered):
            return None
        steps = dict.fromkeys(step for region in regions for step in region.steps)
        own = quantities_compared(terms.formula(self.root))
        return Repair(formula, tuple(steps), gain, verification, regions, own)

    def _verification(
        self, root: int, form: int, sides: _Sides, new: Mapping[int, int]
    ) -> Verification | None:
        """That a form is the formula, or each of its series within its bound."""
        verifier, table = self.truth.verifier, self.truth.verifier.table
        near = {part for part, term in new.items() if sides.near.get(part) == term}
        if not near:
            return verifier.verify(form, ())
        exact = put_in(self.terms, root, {old: new[old] for old in new if old not in near})
        verification = verifier.verify(self.terms.with_quotients(exact), ())
        if verification is None:
            return None
        active = self._evaluated(root, len(verifier.rows), self.measurer.everywhere.values)
        for part in near:
            pairs = zip(table.values(part), table.values(new[part]), strict=True)
            for (before, after), taken in zip(pairs, active[part], strict=True):
                if before is None or not taken:
                    continue
                if after is None or abs(after - before) > sides.bounds[part] * abs(before):
                    return None
        bound = max(sides.bounds[part] for part in near)
        agreement = math.floor(-math.log10(bound)) if bound > 0 else AGREEMENT
        digits = max(verification.digits, *(table.digits(new[part]) for part in near))
        return replace(verification, agreement=min(AGREEMENT, agreement), digits=digits)

    def _branches(self, form: int, sides: _Sides, lost: Array) -> tuple[Branch, ...]:
        """The regions of a form, each with its judged rows."""
        terms, everywhere = self.terms, self.measurer.everywhere
        before = self.measurer.lost_before
        steps = {terms.with_quotients(new): own for new, own in sides.steps.items()}
        series = {terms.with_quotients(new): own for new, own in sides.series.items()}
        waiting = ~np.isnan(before) & ~np.isnan(lost)
        branches: list[Branch] = []
        for conditions, root in regions_of(terms, form):
            rows = waiting.copy()
            for condition in conditions:
                truth = everywhere.values(condition)
                rows &= (truth != 0) & ~np.isnan(truth)
            waiting &= ~rows
            text = ""
            if conditions:
                text = to_python(terms.formula(_all_of(terms, conditions)))
            bare = terms.formula(root)
            below = terms.subterms(root)
            branches.append(
                Branch(
                    text,
                    replace(bare, source=to_python(bare)),
                    int(np.count_nonzero(rows)),
                    float(np.mean(before[rows])) if rows.any() else 0.0,
                    float(np.mean(lost[rows])) if rows.any() else 0.0,
                    tuple([step for n in below for step in steps.get(n, ())]),
                    next((series[n] for n in below if n in series), None),
                )
            )
        return tuple(branches)


def rows_of_samples(samples: Samples, names: Sequence[str], rows: Array) -> Samples:
    """Some columns at some rows, with the texts of their cells."""
    place = {int(row): i for i, row in enumerate(rows.tolist())}
    return Samples.from_columns(
        {name: samples.columns[name][rows] for name in names},
        count=len(rows),
        exact={
            name: {place[row]: cell for row, cell in cells.items() if row in place}
            for name, cells in samples.exact.items()
            if name in names
        },
    )
