"""Measures the forms that a search found, on chosen rows, and keeps those worth proposing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np

from eic_core.engine.exact import GREAT_DEPTH
from eic_core.explain.conditioning import own_conditioning
from eic_core.explain.losses import correlated_trace
from eic_core.explain.writing import writing_loss
from eic_core.formula.rendering import short_text, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.following import following, undecided
from eic_core.measure.inspection import Inspection
from eic_core.measure.observed import (
    digits_lost_by_row,
    run_in,
)
from eic_core.operators.wide import Array
from eic_core.rewriting.candidates import (
    PromisingForm,
    by_fronts,
    is_plain,
    may_join,
    promises,
    ranked,
    without_twins,
)
from eic_core.rewriting.chosen_rows import SCANNED
from eic_core.rewriting.costs import nanoseconds
from eic_core.rewriting.gains import (
    Advice,
    Gain,
    LostRows,
    Measured,
    NothingBetter,
    RowComparison,
    advise,
    remaining_digits,
)
from eic_core.rewriting.observing import FormMeter, Truth
from eic_core.rewriting.pieces import RepairStep
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.rules import Assumption
from eic_core.rewriting.search import SearchOutcome, SearchStep
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable
from eic_core.rewriting.verify import SUSPECT_ROWS
from eic_core.rewriting.work import BudgetSpent
from eic_core.samples import Samples

DISPUTED = 40
"""Rows at which two forms have other results in a program that are settled exactly."""

DISPUTE = {"float64": 1e-15, "float32": 5e-7}
"""Relative difference of two results that more than the last roundings explains."""

EXAMINED = 24
"""Forms that are verified at most: a rejected one leaves its place to the next."""

COMPARING, TWINS = 0.7, 0.8
"""The shares of the budget after which no form more is run on all rows, and none is compared with
the others for twins."""

NEAR_ONE = 0.5
"""``log1p(u)`` helps where ``|u|`` is smaller: ``1 + u`` loses a third of a digit at 0.5."""


class Measurer:
    def __init__(
        self,
        formula: Formula,
        samples: Samples,
        outcome: SearchOutcome,
        truth: Truth,
        meter: FormMeter,
        before: Measured,
        work_a_form: float = 0.0,
    ) -> None:
        self.formula = formula
        self.samples = samples
        self.outcome = outcome
        self.terms = truth.terms
        self.root = truth.root
        self.truth = truth
        self.verifier = truth.verifier
        self.meter = meter
        self.before = before
        self.budget = truth.budget
        self.work_a_form = work_a_form  # What one more takes, as far as is known
        self.measured = self.meter.measured
        self.judge = truth.observer(truth.rows.verified, truth.target)
        self.everywhere = truth.on(truth.rows.verified)
        self.lost_before = self.everywhere.lost(self.root)

    def repairs(self, limit: int) -> Repairs:
        offers, in_time = self._offers()
        repairs = list(offers.values())[:limit]
        own = self._own(repairs)
        if repairs:
            gain = repairs[0].gain
            gain = replace(gain, remaining=remaining_digits(gain.after, own))
            repairs[0] = replace(repairs[0], gain=gain)
        finished = self.outcome.finished and in_time
        reason = NothingBetter(self.before, own, max(0, self.outcome.evaluated - 1), finished)
        return Repairs(
            self.formula,
            self.samples,
            tuple(repairs),
            self.before,
            own,
            len(self.measured),
            self.outcome.evaluated,
            finished,
            None if repairs else reason,
            self._advice(own) if finished and not repairs else None,
            self.truth.target,
        )

    def _own(self, repairs: Sequence[Repair]) -> float:
        """The function's own sensitivity; on the search's few rows where the time is up."""
        if self.budget.left < self.work_a_form:
            return self.outcome.own
        compared = self.measured
        if repairs:
            return own_conditioning(repairs[0].formula, compared).own_finite
        if self.before.amplification.singular:  # where the result keeps a digit
            keeps = np.isfinite(correlated_trace(self.formula, compared))
            if keeps.any():
                return own_conditioning(
                    self.formula, compared.take(np.flatnonzero(keeps))
                ).own_finite
        known = self.meter.inspection.amplification
        return own_conditioning(self.formula, compared, amplification=known).own_finite

    def _advice(self, own: float) -> Advice:
        inspection = self.meter.inspection
        decided = undecided(inspection)
        jump = int(decided.nodes[0]) if len(decided.rows) else None
        in_time = self.budget.left >= self.work_a_form
        return advise(self.before, own, jump, lost_rows(inspection) if in_time else LostRows())

    def _offers(self) -> tuple[dict[PromisingForm, Repair], bool]:
        """The forms worth offering, the best first, and whether there was time. Of those that
        the search found no more are verified than could be among them.
        """
        offers: dict[PromisingForm, Repair] = {}
        examined = 0
        in_time = True
        for candidate in chain.from_iterable(by_fronts(self._candidates())):
            if not may_join(candidate, list(offers)):
                continue
            try:
                repaired = self._in_time(candidate)
            except BudgetSpent:
                in_time = False
                break
            if repaired is not None:
                offers[candidate] = repaired
            examined += 1
            if examined == EXAMINED:
                break
        whole = [
            each
            for each in offers
            if not any(
                self._failed(other, offers[other]) < self._failed(each, offers[each])
                and other.is_near(each)
                for other in offers
            )
        ]
        return {each: offers[each] for each in ranked(whole)}, in_time

    def _failed(self, candidate: PromisingForm, repaired: Repair) -> int:
        """Rows without a value: of those observed, where false zeros count, and those scanned."""
        return repaired.after.in_target.failed + candidate.failed

    def _failed_rows(self, root: int) -> int:
        return int(np.count_nonzero(~np.isfinite(self.truth.results(root))))

    def _candidates(self) -> list[PromisingForm]:
        """The forms that promise something and lose no more on the judged rows, twins once."""
        candidates: list[PromisingForm] = []
        fails, until = self._failed_rows(self.root) > 0, self.budget.part(COMPARING)
        for form in self.outcome.forms:
            if candidates and until.passed:
                break
            if not promises(self.outcome.start.cost, form.cost):
                continue
            root = self.terms.with_quotients(form.root)
            lost = self.everywhere.lost(root)
            if RowComparison.of(self.lost_before, lost).is_worse or self._has_idle_log1p(root):
                continue
            cost = nanoseconds(self.terms, root).c
            digits = float(np.mean(lost[~np.isnan(lost)])) if not np.isnan(lost).all() else 0.0
            size = self.terms.size(root)
            plain = is_plain(self.terms, self.root, root)
            failed = self._failed_rows(root) if fails else 0
            candidates.append(
                PromisingForm(form, root, lost, digits, cost, form.cost.q, size, plain, failed)
            )
        return without_twins(candidates, self.terms, self.budget.part(TWINS))

    def _has_idle_log1p(self, root: int) -> bool:
        """Whether a new ``log1p(u)`` stands where ``u`` comes near 0 at no row."""
        as_written = set(self.terms.subterms(self.root))
        for number in self.terms.subterms(root):
            term = self.terms[number]
            if term.operator == "log1p" and number not in as_written:
                u = np.abs(self.everywhere.values(term.children[0]))
                if not (u < NEAR_ONE).any():
                    return True
        return False

    def _in_time(self, candidate: PromisingForm) -> Repair | None:
        """The repair by a form, if it is one; raises `BudgetSpent` if one more takes too long."""
        if self.budget.left <= self.work_a_form:
            raise BudgetSpent
        before = self.terms.work.done
        repaired = self._repair(candidate)
        self.work_a_form = max(self.work_a_form, self.terms.work.done - before)
        return repaired

    def _repair(self, candidate: PromisingForm) -> Repair | None:
        form, root = candidate.form, candidate.root
        comparisons = self.comparisons(root, candidate.lost)
        if comparisons is None:
            return None
        assumptions = [a for step in form.steps for a in step.assumptions]
        verification = self.verifier.verify(root, assumptions)
        if verification is None:
            return None
        formula = self.formula_of(root)
        gain = self.gain(root, formula, *comparisons)
        if not gain.is_offered:
            return None
        return Repair(formula, tuple(map(self.step, form.steps)), gain, verification)

    def formula_of(self, root: int) -> Formula:
        """A term as a formula whose source is its Python text."""
        bare = self.terms.formula(root)
        return replace(bare, source=to_python(bare))

    def comparisons(self, root: int, lost: Array) -> tuple[RowComparison, RowComparison] | None:
        """A form beside the formula at the judged rows, where it has lost so many digits, and at
        further ones too; None where it is worse or loses values.
        """
        disputed = self._lost_where_disputed(root)
        pairs = zip((self.lost_before, lost), disputed, strict=True)
        judged = RowComparison.of(self.lost_before, lost)
        compared = RowComparison.of(*(np.concatenate(pair) for pair in pairs))
        if (
            RowComparison.of(*disputed).is_worse
            or compared.is_worse
            or self._loses_values(root)
            or self._loses_powers(root)
        ):
            return None
        return judged, compared

    def gain(
        self,
        root: int,
        formula: Formula,
        judged: RowComparison,
        compared: RowComparison,
        shares: Sequence[float] = (),
    ) -> Gain:
        """What a form gains; `shares` are the rows that each of its branches takes."""
        after = self.meter.measure(root, formula, shares)
        return Gain(self.before, after, judged, compared, self._values_regained(root))

    def step(self, step: SearchStep) -> RepairStep:
        whole = self.terms.with_quotients(step.whole)
        return RepairStep(
            step.rule,
            short_text(self.terms.formula(step.before)),
            short_text(self.terms.formula(step.after)),
            tuple(self._assumption(a) for a in step.assumptions if not is_evident(self.terms, a)),
            short_text(self.terms.formula(whole)),
            self.meter.loss(whole).mean,
        )

    def _values_regained(self, root: int) -> int:
        """The judged rows at which only the new form has a value, or, below 0, those at which it
        has none any more though something of it was right.
        """
        before, after = self.judge.failed(self.root), self.judge.failed(root)
        gone = int(np.count_nonzero(after & self.judge.right(self.root)))
        return -gone or int(np.count_nonzero(before & ~after))

    def _loses_values(self, root: int) -> bool:
        """Whether a form has no value at a scanned row at which something of it was right."""
        before, after = self.truth.results(self.root), self.truth.results(root)
        gone = np.isfinite(before) & (~np.isfinite(after) | ((after == 0) & (before != 0)))
        suspects = self.verifier.scanned[gone]
        suspects = suspects[:: math.ceil(len(suspects) / SUSPECT_ROWS) or 1]
        observer = self.truth.observer_of(suspects.tolist())
        return bool((observer.failed(root) & observer.right(self.root)).any())

    def _loses_powers(self, root: int) -> bool:
        """Whether a form has no value where a program has one of ``u**v`` with u < 0 and a whole v,
        which counts as none here (ADR 0001).
        """
        rows = self._whole_powers
        return bool(rows.any() and (rows & np.isnan(self._program(root))).any())

    @cached_property
    def _whole_powers(self) -> Array:
        rows = np.zeros(min(SCANNED, len(self.samples)), dtype=bool)
        for term in map(self.terms.__getitem__, self.terms.subterms(self.root)):
            if term.operator == "pow":
                base, exponent = map(self._program, term.children)
                rows |= (base < 0) & (exponent == np.rint(exponent))
        return rows

    def _program(self, number: int) -> Array:
        """What a program makes of a term at the first rows, those without a value included."""
        columns = {name: self.samples.columns[name][:SCANNED] for name in self.formula.variables}
        count = min(SCANNED, len(self.samples))
        found: Array = run_in(self.terms.tape(number), columns, count, self.truth.target)[-1]
        return found

    def _lost_where_disputed(self, root: int) -> tuple[Array, Array]:
        """The digits that both forms lose at the rows where a program's results differ most."""
        before, after = self.truth.results(self.root), self.truth.results(root)
        with np.errstate(all="ignore"):
            apart = np.abs(before - after) / np.maximum(np.abs(before), np.abs(after))
        apart[(before == after) | (~np.isfinite(before) & ~np.isfinite(after))] = 0.0
        apart[np.isnan(apart)] = np.inf
        apart[np.isin(self.verifier.scanned, self.verifier.rows)] = 0.0
        chosen = np.argsort(-apart, kind="stable")[:DISPUTED]
        chosen = chosen[apart[chosen] > DISPUTE[self.truth.target]]
        rows = self.verifier.scanned[chosen].tolist()
        table = ValueTable(self.terms, self.truth.cells(rows), GREAT_DEPTH, self.budget)
        exact = table.values(self.root)
        return (
            digits_lost_by_row(exact, before[chosen], self.truth.target),
            digits_lost_by_row(exact, after[chosen], self.truth.target),
        )

    def _assumption(self, assumption: Assumption) -> str:
        relation = {">": ">", ">=": "≥", "!=": "≠"}[assumption.relation]
        return f"{short_text(self.terms.formula(assumption.term))} {relation} 0"


NEVER_NEGATIVE = ("abs", "exp", "sqrt", "hypot", "cosh")


def is_evident(terms: Terms, assumption: Assumption) -> bool:
    """Whether an assumption needs no word: it is one on numbers, which was checked, or that
    squares and the like are not negative.
    """

    def is_never_negative(number: int) -> bool:
        term, value = terms[number], terms.number(number)
        if value is not None:
            return value >= 0
        if term.operator in ("add", "mul", "div"):
            return all(map(is_never_negative, term.children))
        even = term.operator == "power" and term.parameter and term.parameter % 2 == 0
        return bool(even) or term.operator in NEVER_NEGATIVE

    if not terms.has_variables(assumption.term):
        return True
    return assumption.relation == ">=" and is_never_negative(assumption.term)


def lost_rows(inspection: Inspection) -> LostRows:
    if not inspection.counts.singular:
        return LostRows()
    found = writing_loss(inspection)
    others = found.singular - found.singular_function - found.nothing - found.unsettled
    followed = len(following(inspection).rows)
    return LostRows(
        found.singular_function + followed, found.nothing, max(0, others), found.unsettled
    )
