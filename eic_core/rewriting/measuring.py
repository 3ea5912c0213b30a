"""Measures the forms that a search found, on chosen rows, and keeps those worth proposing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

import numpy as np

from eic_core.explain.conditioning import own_conditioning
from eic_core.explain.losses import correlated_trace
from eic_core.explain.writing import writing_loss
from eic_core.formula.rendering import short_text, to_python
from eic_core.formula.tree import Formula
from eic_core.measure.following import following, undecided
from eic_core.measure.inspection import Inspection
from eic_core.operators.wide import Array
from eic_core.rewriting.costs import nanoseconds
from eic_core.rewriting.doubles import mean_digits
from eic_core.rewriting.gains import (
    Advice,
    Gain,
    LostRows,
    NothingBetter,
    RowComparison,
    advise,
    remaining_digits,
)
from eic_core.rewriting.merit import Merit, new_functions, promises, quotients_in_turn, size_of
from eic_core.rewriting.observing import Truth
from eic_core.rewriting.pieces import Omission, RepairStep
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.rules import Assumption
from eic_core.rewriting.search import SearchOutcome, SearchStep
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.verify import SUSPECT_ROWS
from eic_core.rewriting.work import BudgetSpent

DISPUTED = 40
"""Rows at which two forms have other results in a program that are settled exactly."""

DISPUTE = {"float64": 1e-15, "float32": 5e-7}
"""Relative difference of two results that more than the last roundings explains."""

EXAMINED, FEW = 24, 3
"""Forms that are verified at most, where a rejected one leaves its place to the next; and those of
what is but shorter, or stands beside what leads.
"""

COMPARING = 0.7
"""The share of the budget after which no form more is run on all rows."""

NEAR_ONE = 0.5
"""``log1p(u)`` helps where ``|u|`` is smaller: ``1 + u`` loses a third of a digit at 0.5."""


class MeasuredForm:
    """A form of a formula; each of its columns is worked out once, when it is asked for."""

    shares: Sequence[float] = ()
    """The rows that each of its branches takes."""

    def __init__(
        self, measurer: Measurer, root: int, steps: Sequence[SearchStep] = (), q: float = math.nan
    ) -> None:
        self.measurer, self.terms = measurer, measurer.terms
        self.root, self.steps, self.q = root, steps, q

    @cached_property
    def formula(self) -> Formula:
        return self.measurer.formula_of(self.root)

    @cached_property
    def lost(self) -> Array:
        """The digits that a program loses at each judged row."""
        return self.measurer.everywhere.lost(self.root)

    @cached_property
    def judged(self) -> RowComparison:
        return RowComparison.of(self.measurer.lost_before, self.lost)

    @cached_property
    def merit(self) -> Merit:
        of, loss = self.measurer, self.measurer.loss(self.root)
        digits = mean_digits(self.lost), loss.nine_in_ten, np.nanmax([0.0, loss.worst, *self.lost])
        return Merit(
            int(np.count_nonzero(of.everywhere.failed(self.root))),
            tuple(np.nan_to_num(digits).tolist()),
            self.q,
            size_of(self.terms, self.root),
            new_functions(self.terms, of.root, self.root),
            nanoseconds(self.terms, self.root).c,
        )

    def length(self) -> tuple[object, ...]:
        """By this the shortest form comes first, in the shortest spelling."""
        text = self.formula.source
        in_turn = quotients_in_turn(self.terms, self.root)
        return self.merit.length, in_turn, len(text), len(self.steps), self.merit.nanoseconds, text

    @cached_property
    def compared(self) -> RowComparison | None:
        """Beside the formula as written at the judged rows and at further ones, where the results
        of both differ most; None where it is worse or loses values.
        """
        of = self.measurer
        disputed = of.lost_where_disputed(self.root)
        compared = RowComparison.of(
            np.concatenate([of.lost_before, disputed[0]]), np.concatenate([self.lost, disputed[1]])
        )
        is_worse = RowComparison.of(*disputed).is_worse or compared.is_worse
        return None if is_worse or of.loses_values(self.root) else compared

    @cached_property
    def gain(self) -> Gain | None:
        of = self.measurer
        if self.compared is None:
            return None
        after = of.measure(self.root, self.formula, self.shares)
        return Gain(of.before, after, self.judged, self.compared, of.values_regained(self.root))

    @cached_property
    def repair(self) -> Repair | None:
        """What is offered, once it is verified; None where it is not worth it, or another function.
        Raises `BudgetSpent` where it would take too long.
        """
        of = self.measurer
        if of.budget.left <= of.work_a_form:
            raise BudgetSpent
        done = self.terms.work.done
        assumptions = [a for step in self.steps for a in step.assumptions]
        repair = verification = None
        if self.compared is not None:
            verification = of.verifier.verify(self.root, assumptions)
        if verification is not None and self.gain is not None and self.gain.is_offered:
            repair = Repair(self.formula, tuple(map(of.step, self.steps)), self.gain, verification)
        of.work_a_form = max(of.work_a_form, self.terms.work.done - done)
        return repair


class Measurer(Truth):
    """A formula measured as written, and the forms of it that a search found."""

    outcome: SearchOutcome
    work_a_form = 0.0
    """What one more takes, as far as is known."""

    @cached_property
    def lost_before(self) -> Array:
        """The digits that a program loses at each judged row with the formula as written."""
        return self.everywhere.lost(self.root)

    @cached_property
    def original(self) -> MeasuredForm:
        return MeasuredForm(self, self.root, (), self.outcome.start.cost.q)

    def repairs(self, limit: int) -> Repairs:
        self.leading = self.original
        repairs, in_time = self._offers(limit)
        own = self._own(repairs)
        if repairs:
            gain = repairs[0].gain
            gain = replace(gain, remaining=remaining_digits(gain.after, own))
            repairs[0] = replace(repairs[0], gain=gain)
        finished = self.outcome.finished and in_time
        reason = NothingBetter(self.before, own, max(0, self.outcome.evaluated - 1))
        return Repairs(
            self.formula,
            self.samples,
            tuple(repairs),
            self.before,
            own,
            len(self.inspection.samples),
            self.outcome.evaluated,
            None if repairs else reason,
            self._advice(own) if finished and not repairs else None,
            self.target,
            left_out=() if finished else (Omission.SEARCH_TIME,),
        )

    def _own(self, repairs: Sequence[Repair]) -> float:
        """The function's own sensitivity; on the search's few rows where the time is up."""
        if self.budget.left < self.work_a_form:
            return self.outcome.own
        compared, known = self.inspection.samples, self.inspection.amplification
        if repairs:
            return own_conditioning(repairs[0].formula, compared).own_finite
        if self.before.amplification.singular:  # where the result keeps a digit
            keeps = np.isfinite(correlated_trace(self.formula, compared))
            if keeps.any():
                return own_conditioning(
                    self.formula, compared.take(np.flatnonzero(keeps))
                ).own_finite
        return own_conditioning(self.formula, compared, amplification=known).own_finite

    def _advice(self, own: float) -> Advice:
        decided = undecided(self.inspection)
        jump = int(decided.nodes[0]) if len(decided.rows) else None
        in_time = self.budget.left >= self.work_a_form
        return advise(self.before, own, jump, lost_rows(self.inspection) if in_time else LostRows())

    def _offers(self, limit: int) -> tuple[list[Repair], bool]:
        """The forms worth offering, and whether there was time. Of those as good as the best the
        shortest leads, and none is offered where that is the formula as written.
        """
        offers: list[MeasuredForm] = []
        in_time = True
        try:
            forms = self._candidates() if limit else []
            best = self._first(forms)
            if best is not None:
                offers = [best]
                near = [form for form in (self.original, *forms) if form.merit.is_near(best.merit)]
                offers = [self._first(sorted(near, key=MeasuredForm.length)) or best]
                self.leading = offers[0]
            while len(offers) in range(1, limit) and self.original not in offers:
                merits = [form.merit for form in offers]
                more = self._first((f for f in forms if f.merit.may_join(merits)), FEW)
                if more is None:
                    break
                offers.append(more)
        except BudgetSpent:
            in_time = False
        forms = [form for form in offers if form is not self.original]
        return [form.repair for form in forms if form.repair is not None], in_time

    def _first(self, forms: Iterable[MeasuredForm], most: int = EXAMINED) -> MeasuredForm | None:
        """The first that is offered, or the formula as written."""
        for form in islice(forms, most):
            if form is self.original or form.repair is not None:
                return form
        return None

    def _results(self, root: int) -> Array:
        """What a program makes of a term at the scanned rows."""
        return np.asarray(self.verifier.doubles(root, self.target))

    def _candidates(self) -> list[MeasuredForm]:
        """The forms that gain something on the judged rows, the most accurate first; then those
        that are but shorter.
        """
        forms: list[MeasuredForm] = []
        until = self.budget.part(COMPARING)
        for found in self.outcome.forms:
            if forms and until.passed:
                break
            if promises(self.outcome.start.cost, found.cost):
                root = self.terms.with_quotients(found.root)
                form = MeasuredForm(self, root, found.steps, found.cost.q)
                if not form.judged.is_worse and not self._has_idle_log1p(form.root):
                    forms.append(form)
        written = self.original.merit
        forms.sort(key=lambda form: form.merit.order)
        shorter = [form for form in forms if form.merit.length < written.length]
        shorter.sort(key=MeasuredForm.length)
        gaining = [form for form in forms if form.merit.gains(written)]
        return list(dict.fromkeys([*gaining, *shorter[:FEW]]))

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

    def formula_of(self, root: int) -> Formula:
        """A term as a formula whose source is its Python text."""
        bare = self.terms.formula(root)
        return replace(bare, source=to_python(bare))

    def step(self, step: SearchStep) -> RepairStep:
        whole = self.terms.with_quotients(step.whole)
        return RepairStep(
            step.rule,
            short_text(self.terms.formula(step.before)),
            short_text(self.terms.formula(step.after)),
            tuple(self._assumption(a) for a in step.assumptions if not is_evident(self.terms, a)),
            short_text(self.terms.formula(whole)),
            self.loss(whole).mean,
        )

    def values_regained(self, root: int) -> int:
        """The judged rows at which only the new form has a value, or, below 0, those at which it
        has none any more though something of it was right.
        """
        before, after = self.everywhere.failed(self.root), self.everywhere.failed(root)
        gone = int(np.count_nonzero(after & self.everywhere.right(self.root)))
        return -gone or int(np.count_nonzero(before & ~after))

    def loses_values(self, root: int) -> bool:
        """Whether a form has no value at a scanned row at which something of it was right, or where
        a program has one of ``u**v`` with u < 0 and a whole v, which counts as none (ADR 0001).
        """
        before, after = self._results(self.root), self._results(root)
        gone = np.isfinite(before) & (~np.isfinite(after) | ((after == 0) & (before != 0)))
        suspects = self.verifier.scanned[gone]
        suspects = suspects[:: math.ceil(len(suspects) / SUSPECT_ROWS) or 1]
        programs = self.on(suspects.tolist())
        lost = programs.failed(root) & programs.right(self.root)
        return bool(lost.any() or (self._whole_powers & np.isnan(after)).any())

    @cached_property
    def _whole_powers(self) -> Array:
        rows = np.zeros(len(self.verifier.scanned), dtype=bool)
        for term in map(self.terms.__getitem__, self.terms.subterms(self.root)):
            if term.operator == "pow":
                base, exponent = map(self._results, term.children)
                rows |= (base < 0) & (exponent == np.rint(exponent))
        return rows

    def lost_where_disputed(self, root: int) -> tuple[Array, Array]:
        """The digits that both forms lose at the rows where a program's results differ most."""
        before, after = self._results(self.root), self._results(root)
        with np.errstate(all="ignore"):
            apart = np.abs(before - after) / np.maximum(np.abs(before), np.abs(after))
        apart[(before == after) | (~np.isfinite(before) & ~np.isfinite(after))] = 0.0
        apart[np.isnan(apart)] = np.inf
        apart[np.isin(self.verifier.scanned, self.verifier.rows)] = 0.0
        chosen = np.argsort(-apart, kind="stable")[:DISPUTED]
        chosen = chosen[apart[chosen] > DISPUTE[self.target]]
        programs = self.on(self.verifier.scanned[chosen].tolist())
        return programs.lost(self.root), programs.lost(root)

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
