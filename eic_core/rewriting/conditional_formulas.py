"""Formulas with conditions of their own: each part without one is repaired on the rows that
evaluate it, and put back. The conditions stay as they are written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from eic_core.formula.tree import CONSTANT, Formula
from eic_core.measure.observed import run_in
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import Mask
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.pieces import Branch, Omission
from eic_core.rewriting.profile import quantities_compared
from eic_core.rewriting.regimes.cases import (
    Case,
    all_of,
    conditional,
    repair_of,
    rows_by_case,
)
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.search import SearchOutcome
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.work import BudgetSpent, WorkBudget
from eic_core.samples import Samples

MOST_REGIONS = 16
"""Combinations of conditions that are told apart; what chooses beyond them stays in the forms."""

SAMPLED, SAMPLED_STEPS = 100_000, 4_000_000
"""Rows of which those that evaluate a part are chosen, and rows times terms; evenly spaced."""

REPAIRING, FIRST_REPAIRING = 0.85, 0.6
"""The shares of the time left that the repairs of all parts have: with nothing to come after them,
and with a second form, the parts of which hold what stands about the conditionals."""

VERIFYING = 2.0
"""For so many times what the formula's own numbers took there is time left, to verify a form."""

MOST_LIFTED = 6
"""Forms that what stands about the conditionals is written into, at most."""

FEWEST = 3
"""Judged rows of a region that may show its gain, however few they are of all."""


RepairPart = Callable[[Formula, Samples, WorkBudget, int], Repairs]
"""Repairs a part of a formula on some rows, within a budget and so many forms."""


# --- terms with conditionals


def _values_below(terms: Terms, number: int) -> tuple[int, ...]:
    """The operands that are no condition; none of a truth value."""
    term = terms[number]
    if not term.children or OPERATORS[term.operator].truth:
        return ()
    return term.children[1:] if OPERATORS[term.operator].chooses else term.children


def _values(terms: Terms, root: int) -> list[int]:
    """Distinct terms at and below a term, operands first: none of a condition, nor below a term
    that is free of conditions.
    """
    return terms.walk(root, lambda n: has_conditions(terms, n), partial(_values_below, terms))


def has_conditions(terms: Terms, root: int) -> bool:
    """Whether there is a condition at or below a term."""
    below = map(terms.__getitem__, terms.subterms(root))
    return any(not OPERATORS[term.operator].numeric for term in below if term.children)


def _chooses(terms: Terms, number: int) -> bool:
    return bool(terms[number].children) and OPERATORS[terms[number].operator].chooses


def parts_without_condition(terms: Terms, root: int) -> list[int]:
    """The largest terms without a condition that compute a value from variables.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("2*y + where(x + 1 < 0, exp(x), where(y > 1, x, x*y))").formula)
    >>> [to_python(terms.formula(part)) for part in parts_without_condition(terms, root)]
    ['2*y', 'exp(x)', 'x*y']
    """
    return [
        number
        for number in _values(terms, root)
        if terms[number].children and terms.has_variables(number)
        if not has_conditions(terms, number)
    ]


def put_in(terms: Terms, root: int, new: Callable[[int, int], int | None]) -> int:
    """The term with others in the place of some of it; its conditions stay. What stands for a term
    is asked by its number and by that of the term with what stands for those below it.
    """
    made: dict[int, int] = {}
    for number in _values(terms, root):
        term = terms[number]
        below = _values_below(terms, number) if has_conditions(terms, number) else ()
        children = term.children[: len(term.children) - len(below)]
        children += tuple(made.get(child, child) for child in below)
        same = children == term.children
        whole = number if same else terms.intern(term.operator, children, *term[2:])
        other = new(number, whole)
        made[number] = whole if other is None else other
    return made[root]


def regions_of(terms: Terms, root: int, most: int = MOST_REGIONS) -> list[Case]:
    """What a formula is where its conditions hold or not, as cases of which the first counts.

    >>> from eic_core.formula.rendering import to_python
    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("1 + where(x < 0, y, where(y > 1, 2, x))").formula)
    >>> to_python(terms.formula(conditional(terms, regions_of(terms, root))))
    'where(x < 0, 1 + y, where(y > 1, 1 + 2, 1 + x))'
    """
    regions: list[tuple[tuple[int, ...], int]] = [((), root)]
    place = 0
    while place < len(regions):
        conditions, form = regions[place]
        choosing = [n for n in _values(terms, form) if _chooses(terms, n)]
        if not choosing or len(regions) == most:
            place += 1
            continue
        condition = terms[choosing[-1]].children[0]  # The outermost
        held, other = (
            put_in(terms, form, partial(_side, terms, condition, side)) for side in (1, 2)
        )
        regions[place : place + 1] = [
            ((*conditions, condition), held),
            (conditions, other),
        ]
    return [
        Case(all_of(terms, [_truth(terms, c) for c in conditions]) if conditions else None, form)
        for conditions, form in regions
    ]


def _side(terms: Terms, condition: int, side: int, _: int, number: int) -> int | None:
    """One side of a conditional that has this condition."""
    mine = _chooses(terms, number) and terms[number].children[0] == condition
    return terms[number].children[side] if mine else None


def _truth(terms: Terms, number: int) -> int:
    if terms[number].children and OPERATORS[terms[number].operator].truth:
        return number
    return terms.intern("not_equal", (number, terms.intern(CONSTANT, label="0")))


# --- the repair


class ConditionalRepair:
    """One formula with conditions, with its exact values; `repair` repairs a part of it."""

    def __init__(
        self,
        measurer: Measurer,
        samples: Samples,
        budget: WorkBudget,
        repair: RepairPart,
        limit_steps: int,
    ) -> None:
        self.measurer, self.truth, self.samples = measurer, measurer.truth, samples
        self.terms, self.root = measurer.terms, measurer.root
        self.budget, self.repair, self.limit_steps = budget, repair, limit_steps
        self.evaluated = self.candidates = 0
        self.left_out: dict[Omission, None] = {}

    def repairs(self, limit: int) -> Repairs:
        whole = self._lifted()
        more = whole != self.root
        offers = self._offers(self.root, FIRST_REPAIRING if more else REPAIRING)
        if more and not min(map(_after, offers), default=math.inf) < GAIN:
            offers += self._offers(whole, REPAIRING)
        offers.sort(key=lambda offer: round(_after(offer), 6))
        exact = [offer for offer in offers if offer.is_exact][:limit]
        least = _after(exact[0]) - GAIN if exact else math.inf
        near = [offer for offer in offers if not offer.is_exact and _after(offer) <= least]
        finished = Omission.SEARCH_TIME not in self.left_out
        self.measurer.outcome = replace(
            SearchOutcome.nothing(self.root), evaluated=self.evaluated + 1, finished=finished
        )
        base = self.measurer.repairs(0)
        if exact:
            exact[0] = replace(exact[0], gain=exact[0].gain.of_best(base.own))
            base = replace(base, reason=None, helps=None)
        return replace(
            base,
            repairs=tuple(exact),
            approximations=tuple(near[:1]),
            evaluated=self.evaluated,
            candidates=self.candidates,
            left_out=tuple(self.left_out),
        )

    def _lifted(self) -> int:
        """The formula as a choice between whole forms; itself where its parts are no others."""
        if len(regions_of(self.terms, self.root, MOST_LIFTED + 1)) > MOST_LIFTED:
            return self.root
        whole = conditional(self.terms, regions_of(self.terms, self.root))
        parts, known = (set(parts_without_condition(self.terms, n)) for n in (whole, self.root))
        return self.root if parts == known else whole

    def _offers(self, root: int, share: float) -> list[Repair]:
        """The form with all parts repaired; where that is none, those with one of them. And that
        with a series in some branch, if there is one.
        """
        parts = self._repaired(root, share)
        new = {part: found.best for part, found in parts.items() if found.best is not None}
        near = {
            part: found.leading
            for part, found in parts.items()
            if found.leading is not None and not found.leading.is_exact
        }
        offers = [self._offer(root, new)] if new else []
        if offers == [None] and len(new) > 1:
            offers = [self._offer(root, {part: form}) for part, form in new.items()]
        if near:
            offers.append(self._offer(root, {**new, **near}))
        return [offer for offer in offers if offer is not None]

    def _repaired(self, root: int, share: float) -> dict[int, Repairs]:
        """The losing parts repaired, the worst first, each within its share of what is left."""
        repaired: dict[int, Repairs] = {}
        rows_of = self._rows_by_part(root)
        parts = [part for part in self._losing(root) if len(rows_of[part])]
        left = self.budget.left
        budget = self.budget.of(min(share * left, left - VERIFYING * self.measurer.work_a_form))
        for waiting, part in zip(range(len(parts), 0, -1), parts, strict=True):
            if budget.passed:
                self.left_out[Omission.SEARCH_TIME] = None
                break
            formula = self.measurer.formula_of(part)
            repaired[part] = found = self.repair(
                formula,
                self.samples.take(rows_of[part]),
                budget.of(budget.left / waiting),
                max(1, (self.limit_steps - self.evaluated) // waiting),
            )
            self.evaluated += found.evaluated
            self.candidates += found.candidates
            self.left_out.update(dict.fromkeys(found.left_out))
        return repaired

    def _rows_by_part(self, root: int) -> dict[int, npt.NDArray[np.intp]]:
        """The rows at which a program evaluates each part."""
        total, target = len(self.samples), self.truth.target
        count = min(total, SAMPLED, max(1, SAMPLED_STEPS // self.terms.size(root)))
        rows = np.arange(count) * total // count
        columns = {name: column[rows] for name, column in self.truth.columns.items()}

        def values(number: int) -> Array:
            return np.asarray(run_in(self.terms.tape(number), columns, count, target)[-1])

        return {part: rows[on] for part, on in self._evaluated(root, count, values).items()}

    def _evaluated(self, root: int, count: int, values: Callable[[int], Array]) -> dict[int, Mask]:
        """For each part whether a row evaluates it."""
        cases, parts = regions_of(self.terms, root), parts_without_condition(self.terms, root)
        active = {part: np.zeros(count, dtype=bool) for part in parts}
        for case, rows in zip(cases, rows_by_case(cases, values, count), strict=True):
            for part in active.keys() & set(self.terms.subterms(case.root)):
                active[part] |= rows
        return active

    def _losing(self, root: int) -> list[int]:
        """The parts at which a program loses digits at some judged row, the worst first."""
        rows = self.truth.rows.verified
        active = self._evaluated(root, len(rows), self.measurer.everywhere.values)
        losses: dict[int, float] = {}
        try:
            for part in active:
                lost = self.truth.on(rows, part).lost(part)
                lost = lost[active[part] & ~np.isnan(lost)]
                if np.max(lost, initial=0.0) >= GAIN:
                    losses[part] = float(lost.sum())
        except BudgetSpent:
            self.left_out[Omission.SEARCH_TIME] = None
        return sorted(losses, key=lambda part: -round(losses[part], 6))

    def _offer(self, root: int, new: Mapping[int, Repair]) -> Repair | None:
        """The repair by a form with new parts, if it is one and there is time for it."""
        terms, own = self.terms, quantities_compared(self.measurer.formula)
        numbers = {part: terms.add(repair.formula) for part, repair in new.items()}
        form = terms.with_quotients(put_in(terms, root, lambda part, _: numbers.get(part)))
        # A series is held to its bound where its part is repaired
        firm = {part: number for part, number in numbers.items() if new[part].is_exact}
        exact = put_in(terms, root, lambda part, _: firm.get(part))
        bounds = [repair.bound for repair in new.values()]
        try:
            self.budget.check()
            if not self.truth.verifier.agrees(terms.with_quotients(exact), ()):
                return None
            verification = self.truth.verifier.summary(form, max(bounds))
            cases = list(self._branches(form, new))
            repair = repair_of(self.measurer, form, cases, verification, own)
        except BudgetSpent:
            self.left_out[Omission.SEARCH_TIME] = None
            return None
        if repair is None or repair.gain.is_worse:
            return None
        clear = any(b.rows >= FEWEST and b.before - b.after >= GAIN for b in repair.branches)
        return repair if clear or repair.gain.is_offered else None

    def _branches(self, form: int, new: Mapping[int, Repair]) -> Iterator[Case]:
        """The regions of a form, with the steps and the series of the parts that they hold."""
        terms = self.terms
        sides = {
            terms.with_quotients(terms.add(side.formula)): side
            for repair in new.values()
            for side in repair.branches or (repair,)
        }
        for case in regions_of(terms, form):
            own = [sides[number] for number in terms.subterms(case.root) if number in sides]
            series = [side.series for side in own if isinstance(side, Branch) and side.series]
            steps = tuple(step for side in own for step in side.steps)
            yield case._replace(steps=steps, series=series[0] if series else None)


def _after(repair: Repair) -> float:
    return repair.gain.judged.mean_after
