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
    Measured,
    NothingBetter,
    RowComparison,
    advise,
)
from eic_core.rewriting.merit import Merit, nested_quotients, new_functions, promises, size_of
from eic_core.rewriting.observing import FormMeter, Truth
from eic_core.rewriting.pieces import Omission, RepairStep
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.rules import Assumption
from eic_core.rewriting.search import SearchOutcome, SearchStep
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.verify import SUSPECT_ROWS
from eic_core.rewriting.work import BudgetSpent
from eic_core.samples import Samples

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

    def __init__(
        self, measurer: Measurer, root: int, steps: Sequence[SearchStep] = (), q: float = math.nan
    ) -> None:
        self.measurer, self.terms = measurer, measurer.terms
        self.root, self.steps, self.q = self.terms.with_quotients(root), steps, q

    @cached_property
    def formula(self) -> Formula:
        return self.measurer.formula_of(self.root)

    @cached_property
    def lost(self) -> Array:
        """The digits that a program loses at each judged row."""
        return self.measurer.everywhere.lost(self.root)

    @cached_property
    def merit(self) -> Merit:
        of, loss = self.measurer, self.measurer.meter.loss(self.root)
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
        in_turn = nested_quotients(self.terms, self.root)
        merit = self.merit
        order = merit.length, merit.functions, in_turn, len(text), len(self.steps)
        return *order, merit.nanoseconds, text

    @cached_property
    def repair(self) -> Repair | None:
        """What is offered, once it is verified; None where it is not worth it, or another function.
        Raises `BudgetSpent` where it would take too long.
        """
        of = self.measurer
        if of.budget.left <= of.work_a_form:
            raise BudgetSpent
        done = self.terms.work.done
        repair = self._verified()
        of.work_a_form = max(of.work_a_form, self.terms.work.done - done)
        return repair

    def _verified(self) -> Repair | None:
        of = self.measurer
        comparisons = of.comparisons(self.root, self.lost)
        if comparisons is None:
            return None
        assumptions = [a for step in self.steps for a in step.assumptions]
        verification = of.verifier.verify(self.root, assumptions)
        if verification is None:
            return None
        gain = of.gain(self.root, self.formula, *comparisons)
        steps = tuple(map(of.step, self.steps)) if gain.is_offered else ()
        return Repair(self.formula, steps, gain, verification) if gain.is_offered else None


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
        self.everywhere = truth.on(truth.rows.verified)
        self.original = MeasuredForm(self, self.root, (), outcome.start.cost.q)
        self.leading = self.original
        self.lost_before = self.everywhere.lost(self.root)

    def repairs(self, limit: int) -> Repairs:
        repairs, in_time = self._offers(limit)
        own = self._own(repairs)
        if repairs:
            repairs[0] = replace(repairs[0], gain=repairs[0].gain.of_best(own))
        finished = self.outcome.finished and in_time
        reason = NothingBetter(self.before, own, max(0, self.outcome.evaluated - 1))
        return Repairs(
            self.formula,
            self.samples,
            tuple(repairs),
            self.before,
            own,
            len(self.measured),
            self.outcome.evaluated,
            None if repairs else reason,
            self._advice(own) if finished and not repairs else None,
            self.truth.target,
            left_out=() if finished else (Omission.SEARCH_TIME,),
            candidates=self.outcome.candidates,
        )

    def _own(self, repairs: Sequence[Repair]) -> float:
        """The function's own sensitivity; on the search's few rows where the time is up."""
        if self.budget.left < self.work_a_form:
            return self.outcome.own
        compared = self.measured
        if repairs:
            best = repairs[0].formula
            known = self.meter.amplification(self.terms.add(best), best)
            return own_conditioning(best, compared, amplification=known).own_finite
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
        return np.asarray(self.verifier.doubles(root, self.truth.target))

    def _candidates(self) -> list[MeasuredForm]:
        """The forms that gain something on the judged rows, the most accurate first; then those
        that are but shorter.
        """
        forms: list[MeasuredForm] = []
        until, written = self.budget.part(COMPARING), self.original.merit
        for found in self.outcome.forms:
            if forms and until.passed:
                break
            form = MeasuredForm(self, found.root, found.steps, found.cost.q)
            regains = written.failed and form.merit.failed < written.failed
            if regains or promises(self.outcome.start.cost, found.cost):
                worse = RowComparison.of(self.lost_before, form.lost).is_worse
                if not worse and not self._has_idle_log1p(form.root):
                    forms.append(form)
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
        before, after = self.everywhere.failed(self.root), self.everywhere.failed(root)
        gone = int(np.count_nonzero(after & self.everywhere.right(self.root)))
        return -gone or int(np.count_nonzero(before & ~after))

    def _loses_values(self, root: int) -> bool:
        """Whether a form has no value at a scanned row at which something of it was right."""
        before, after = self._results(self.root), self._results(root)
        gone = np.isfinite(before) & (~np.isfinite(after) | ((after == 0) & (before != 0)))
        suspects = self.verifier.scanned[gone]
        suspects = suspects[:: math.ceil(len(suspects) / SUSPECT_ROWS) or 1]
        programs = self.truth.on(suspects.tolist())
        return bool((programs.failed(root) & programs.right(self.root)).any())

    def _loses_powers(self, root: int) -> bool:
        """Whether a form has no value where a program has one of ``u**v`` with u < 0 and a whole v,
        which counts as none here (ADR 0001).
        """
        rows = self._whole_powers
        return bool(rows.any() and (rows & np.isnan(self._results(root))).any())

    @cached_property
    def _whole_powers(self) -> Array:
        rows = np.zeros(len(self.verifier.scanned), dtype=bool)
        for term in map(self.terms.__getitem__, self.terms.subterms(self.root)):
            if term.operator == "pow":
                base, exponent = map(self._results, term.children)
                rows |= (base < 0) & (exponent == np.rint(exponent))
        return rows

    def _lost_where_disputed(self, root: int) -> tuple[Array, Array]:
        """The digits that both forms lose at the rows where a program's results differ most."""
        before, after = self._results(self.root), self._results(root)
        with np.errstate(all="ignore"):
            apart = np.abs(before - after) / np.maximum(np.abs(before), np.abs(after))
        apart[(before == after) | (~np.isfinite(before) & ~np.isfinite(after))] = 0.0
        apart[np.isnan(apart)] = np.inf
        apart[np.isin(self.verifier.scanned, self.verifier.rows)] = 0.0
        chosen = np.argsort(-apart, kind="stable")[:DISPUTED]
        chosen = chosen[apart[chosen] > DISPUTE[self.truth.target]]
        programs = self.truth.on(self.verifier.scanned[chosen].tolist())
        return programs.lost(self.root), programs.lost(root)

    def _assumption(self, assumption: Assumption) -> str:
        relation = {">": ">", ">=": "≥", "!=": "≠"}[assumption.relation]
        return f"{short_text(self.terms.formula(assumption.term))} {relation} 0"


def is_evident(terms: Terms, assumption: Assumption) -> bool:
    """Whether an assumption needs no word: it is one on numbers, which was checked, or that
    squares and the like are not negative.
    """
    if not terms.has_variables(assumption.term):
        return True
    return assumption.relation == ">=" and terms.is_never_negative(assumption.term)


def lost_rows(inspection: Inspection) -> LostRows:
    if not inspection.counts.singular:
        return LostRows()
    found = writing_loss(inspection)
    others = found.singular - found.singular_function - found.nothing - found.unsettled
    followed = len(following(inspection).rows)
    return LostRows(
        found.singular_function + followed, found.nothing, max(0, others), found.unsettled
    )
