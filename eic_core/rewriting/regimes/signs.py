"""Forms that are the formula where an input, or a product of inputs, has one sign.

A rewrite whose assumption holds at some rows and fails at others is refused by a search of all
rows. Here the rows are parted by one or two signs, and each part is searched on its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product

import numpy as np
import numpy.typing as npt

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.operators.wide import Array
from eic_core.rewriting.builder import Builder
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.families import FAMILIES
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.regimes.option import Option
from eic_core.rewriting.rules import Assumption, Rewriter
from eic_core.rewriting.search import FoundForm, Limits, Search, SearchStep
from eic_core.rewriting.searched import Searched
from eic_core.rewriting.tables import RULES
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import ValueTable, first_difference
from eic_core.rewriting.work import BudgetSpent, WorkBudget

SHARE = 0.1
"""Of the rows that are compared, the least share on either side of a sign."""

MOST_SIGNS = 2
"""By so many signs the rows are parted at most: into four."""

REGION_ROWS = 12
"""Rows of one part that are searched: half of them lose most, the others are evenly spaced."""

EVALUATIONS, PATIENCE, STALL = 120, 8, 40
"""The limits of the search of one part, as those of `Limits`."""

FORMS = 2
"""Forms of one part that are offered at most, each shorter than those that keep more."""

LOOKED_AT = 12
"""Forms of one part that are compared at all its rows."""

MIXED, SEED = 1000, 20_261_127
"""So many inputs are put together anew from those of a part."""

UNTIL = 0.75
"""The share of the limit at which the last of these searches ends."""

ALL_LOST = 16.0

LONGEST_NUMBER = 2**20
"""Whole numbers up to this are the same in single and double precision."""

Rows = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class DecidingSign:
    """What decides: the sign of a product of inputs, or of sums and differences of two of them.
    A program has it exactly: that of a sum is right however it is rounded.
    """

    factors: tuple[int, ...]  # Terms, each once

    def guard(self, terms: Terms, nonnegative: bool) -> int:
        """The truth term of one side; 0 belongs to the side that is not negative."""
        zero = terms.intern(CONSTANT, label="0")
        relation = "greater_equal" if nonnegative else "less_than"
        if len(self.factors) > 1:
            signs = [terms.intern("sign", (factor,)) for factor in self.factors]
            whole = reduce(lambda left, right: terms.intern("mul", (left, right)), signs)
            return terms.intern(relation, (whole, zero))
        term = terms[self.factors[0]]
        if term.operator == "sub":
            return terms.intern(relation, term.children)
        return terms.intern(relation, (self.factors[0], zero))

    def holds(self, doubles: DoubleTable) -> Rows:
        """The rows of the side that is not negative."""
        signs = [np.sign(np.asarray(doubles.values(factor))) for factor in self.factors]
        nonnegative: Rows = reduce(np.multiply, signs) >= 0
        return nonnegative


@dataclass(frozen=True)
class Region:
    """The rows at which some signs are these."""

    sides: tuple[tuple[DecidingSign, bool], ...]
    rows: Rows  # Of the judged ones

    def guard(self, terms: Terms) -> int | None:
        guards = [sign.guard(terms, side) for sign, side in self.sides]
        if not guards:
            return None
        return reduce(lambda left, right: terms.intern("logical_and", (left, right)), guards)


def sign_options(searched: Searched) -> list[Option]:
    """Forms found where signs are given, each with its signs as guard; none where no part of the
    rows has anything to gain. What there is no time for is left out.
    """
    try:
        return _Parting(searched).options()
    except BudgetSpent:
        return []


class _Parting:
    def __init__(self, searched: Searched) -> None:
        self.searched = searched
        self.terms = searched.terms
        self.budget = searched.budget
        self.doubles = searched.measurer.everywhere
        self.numbers = np.array(searched.truth.rows.verified)
        self.before = self._lost(searched.root)
        self.compared: Rows = ~np.isnan(self.before)
        forms = [self._lost(form.root) for form in searched.outcome.forms[:LOOKED_AT]]
        self.least = np.fmin.reduce([self.before, *forms])
        self.rewriter: Rewriter | None = None

    def _lost(self, root: int) -> Array:
        lost: Array = self.doubles.lost(self.terms.with_quotients(root))
        return lost

    def options(self) -> list[Option]:
        if not self.compared.any() or np.mean(self.least[self.compared]) < GAIN:
            return []
        signs = self._signs()
        if not signs:
            return []
        regions = [
            region
            for region in self._regions(signs)
            if region.rows.any() and np.mean(self.least[region.rows]) >= GAIN
        ]
        options: dict[tuple[int, int | None], Option] = {}
        for i, region in enumerate(regions):
            try:
                left = self.budget.part(UNTIL).left / (len(regions) - i)
                for form in self._forms(region, self.budget.of(left)):
                    option = self._option(form, region)
                    if option is not None:
                        options.setdefault((option.root, option.guard), option)
            except BudgetSpent:
                if self.budget.part(UNTIL).passed:
                    break
        return list(options.values())

    def _regions(self, signs: Sequence[DecidingSign]) -> Iterator[Region]:
        holds = {sign: sign.holds(self.doubles) for sign in signs}
        for sides in product((False, True), repeat=len(signs)):
            chosen = tuple(zip(signs, sides, strict=True))
            yield Region(chosen, self._within(chosen, holds))

    def _within(
        self, sides: Sequence[tuple[DecidingSign, bool]], holds: dict[DecidingSign, Rows]
    ) -> Rows:
        rows = self.compared.copy()
        for sign, side in sides:
            rows &= holds[sign] == side
        return rows

    # --- which signs

    def _signs(self) -> list[DecidingSign]:
        """The signs that most of the refused assumptions hang on; each after the first decides
        some that those before it do not.
        """
        refused = self.searched.outcome.refused
        holding = [self._holding(assumption) for assumption in refused]
        left = {i for i, rows in enumerate(holding) if not rows[self.compared].all()}
        candidates = list(dict.fromkeys(self._candidates(refused)))
        decided: dict[DecidingSign, set[int]] = {}
        for sign in candidates:
            positive = sign.holds(self.doubles) & self.compared
            negative = ~positive & self.compared
            least = SHARE * np.count_nonzero(self.compared)
            if min(np.count_nonzero(positive), np.count_nonzero(negative)) < least:
                continue
            decided[sign] = {
                i for i in left if holding[i][positive].all() or holding[i][negative].all()
            }
        chosen: list[DecidingSign] = []
        while len(chosen) < MOST_SIGNS and decided:
            best = max(decided, key=lambda sign: len(decided[sign] & left))
            if not decided[best] & left:
                break
            chosen.append(best)
            left -= decided.pop(best)
        return chosen

    def _holding(self, assumption: Assumption) -> Rows:
        """The rows at which it holds in a program, or has no value there."""
        values = np.asarray(self.doubles.values(assumption.term))
        with np.errstate(invalid="ignore"):
            fails: Rows = {">": values <= 0, ">=": values < 0, "!=": values == 0}[
                assumption.relation
            ]
        return ~fails

    def _candidates(self, refused: Sequence[Assumption]) -> Iterator[DecidingSign]:
        inputs = [n for n in self.terms.subterms(self.searched.root) if self._is_input(n)]
        for number in inputs:
            yield DecidingSign((number,))
        for assumption in refused:
            factors = self._factors(assumption.term)
            if factors:
                yield DecidingSign(tuple(sorted(factors)))

    def _is_input(self, number: int) -> bool:
        return self.terms[number].operator == VARIABLE

    def _factors(self, number: int) -> frozenset[int] | None:
        """The terms whose signs multiply to that of a term, or to the opposite of it; None where
        a program does not have it exactly.
        """
        term = self.terms[number]
        if term.operator == VARIABLE:
            return frozenset((number,))
        if term.operator == CONSTANT:
            return frozenset()
        if term.operator in ("neg", *SAME_SIGN):
            return self._factors(term.children[0])
        if term.operator in ("mul", "div"):
            left, right = map(self._factors, term.children)
            return None if left is None or right is None else left ^ right
        if term.operator == "power" and term.parameter is not None:
            even = term.parameter.denominator == 1 and term.parameter % 2 == Fraction(0)
            return frozenset() if even else self._factors(term.children[0])
        if term.operator in POSITIVE:
            return frozenset()
        if term.operator in ("add", "sub") and all(map(self._is_exact, term.children)):
            return frozenset((number,))
        return None

    def _is_exact(self, number: int) -> bool:
        """Whether every program has it exactly: an input, or a whole number that is not long."""
        value = self.terms.number(number)
        if value is None:
            return self._is_input(number)
        return value.denominator == 1 and abs(value) <= LONGEST_NUMBER

    # --- the forms of a part

    def _forms(self, region: Region, budget: WorkBudget) -> list[FoundForm]:
        budget.check()
        if self.rewriter is None:
            self.rewriter = Rewriter(Builder(self.terms), RULES, FAMILIES)
        rows = self.numbers[self._searched_rows(region)].tolist()
        truth = self.searched.truth
        table = ValueTable(self.terms, truth.cells(rows), budget=budget)
        limits = Limits(EVALUATIONS, PATIENCE, STALL, STALL, budget)
        outcome = Search(table, self.rewriter, limits, doubles=truth.on(rows)).run(
            self.searched.root
        )
        if outcome is None:
            return []
        least = float(np.mean(self.least[region.rows]))
        losses = {form.root: self._mean(form, region) for form in outcome.forms[:LOOKED_AT]}
        kept: list[FoundForm] = []
        good = [form for form in outcome.forms[:LOOKED_AT] if losses[form.root] <= least - GAIN]
        if not good:
            return []
        mixed = self._mixed(region)

        def failures(form: FoundForm) -> int:
            return int(np.count_nonzero(~np.isfinite(mixed.values(form.root))))

        def merit(form: FoundForm) -> tuple[float, int, int]:
            return round(losses[form.root], 1), failures(form), self.terms.size(form.root)

        for form in sorted(good, key=merit):
            if len(kept) == FORMS:
                break
            if all(
                self.terms.size(form.root) < self.terms.size(other.root)
                and failures(form) <= failures(other)
                for other in kept
            ):
                kept.append(form)
        return kept

    def _mixed(self, region: Region) -> DoubleTable:
        """Programs at inputs of the part put together anew: a form that fails at many of them
        leaves the range of doubles sooner than another.
        """
        rng = np.random.default_rng(SEED)
        rows = np.flatnonzero(region.rows)
        columns = {
            name: np.asarray(column)[rng.choice(rows, MIXED)]
            for name, column in self.doubles.columns.items()
        }
        return DoubleTable(self.terms, columns, [None] * MIXED, self.searched.target)

    def _mean(self, form: FoundForm, region: Region) -> float:
        lost = self._lost(form.root)[region.rows]
        return float(np.mean(np.where(np.isnan(lost), ALL_LOST, lost)))

    def _searched_rows(self, region: Region) -> npt.NDArray[np.intp]:
        rows = np.flatnonzero(region.rows)
        if len(rows) <= REGION_ROWS:
            return rows
        worst = rows[np.argsort(-self.before[rows], kind="stable")[: REGION_ROWS // 2]]
        others = np.setdiff1d(rows, worst)
        places = np.linspace(0, len(others) - 1, REGION_ROWS - len(worst)).round().astype(int)
        return np.sort(np.concatenate([worst, others[places]]))

    def _option(self, form: FoundForm, region: Region) -> Option | None:
        """A form with as few signs as its assumptions need, if it is the formula there."""
        root = self.terms.with_quotients(form.root)
        region = self._widest(form.steps, region)
        exact = self.searched.truth.verifier.table
        left, right = exact.values(self.searched.root), exact.values(root)
        rows = np.flatnonzero(region.rows).tolist()
        before, after = ([values[row] for row in rows] for values in (left, right))
        if first_difference(before, after) is not None:
            return None
        lost = np.where(region.rows, self._lost(root), ALL_LOST)
        lost[~self.compared] = np.nan
        return Option(root, form.steps, lost, region.guard(self.terms))

    def _widest(self, steps: Sequence[SearchStep], region: Region) -> Region:
        """The region by fewer of its signs, where all assumptions hold there too."""
        holding = [self._holding(a) for step in steps for a in step.assumptions]
        holds = {sign: sign.holds(self.doubles) for sign, _ in region.sides}
        sides = list(region.sides)
        for side in region.sides:
            fewer = [each for each in sides if each != side]
            rows = self._within(fewer, holds)
            if fewer and all(held[rows].all() for held in holding):
                sides = fewer
        return Region(tuple(sides), self._within(sides, holds))


POSITIVE = ("abs", "exp", "sqrt", "hypot", "cosh")
"""Operators without a negative value; 0 counts as positive here."""

SAME_SIGN = ("cbrt", "sinh", "asinh", "tanh", "atanh", "atan", "expm1", "log1p")
"""Operators whose value has the sign of their operand, wherever there is one."""
