"""Forms that are the formula where an input, or a product of inputs, has one sign.

A rewrite whose assumption holds at some rows and fails at others is refused by a search of all
rows. Here the rows are parted by one or two signs, and each part is searched on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import reduce
from itertools import combinations, product

import numpy as np

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.observed import DIGITS
from eic_core.operators.wide import Array
from eic_core.rewriting.builder import Builder
from eic_core.rewriting.doubles import DoubleTable, Mask
from eic_core.rewriting.families import FAMILIES
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.regimes.cases import Option, all_of, compared, negated
from eic_core.rewriting.rules import Assumption, Rewriter
from eic_core.rewriting.search import FoundForm, Limits, Search
from eic_core.rewriting.tables import RULES
from eic_core.rewriting.terms import NEVER_NEGATIVE, Terms
from eic_core.rewriting.values import ValueTable
from eic_core.rewriting.work import BudgetSpent, WorkBudget

SHARE = 0.1
"""Of the rows that are compared, the least share on either side of a sign."""

MOST_SIGNS = 2
"""By so many signs the rows are parted at most: into four."""

REGION_ROWS = 12
"""Rows of one part that are searched, evenly spaced in the order of what they lose."""

EVALUATIONS, PATIENCE, STALL = 120, 8, 40
"""The limits of the search of one part, as those of `Limits`."""

LOOKED_AT = 12
"""Forms of one part that are compared at all its rows."""

MIXED, SEED = 1000, 20_261_127
"""So many inputs are put together anew from those of a part: a form that fails at many of them
leaves the range of doubles sooner than another."""

UNTIL = 0.75
"""The share of the limit at which the last of these searches ends."""

LONGEST_NUMBER = 2**20
"""Whole numbers up to this are the same in single and double precision."""

SAME_SIGN = ("neg", "cbrt", "sinh", "asinh", "tanh", "atanh", "atan", "expm1", "log1p")
"""Operators whose value has the sign of their operand, or the opposite, wherever there is one."""


def sign_options(measurer: Measurer) -> list[Option]:
    """Forms found where signs are given, each with its signs as guard; none where no part of the
    rows has anything to gain. What there is no time for is left out.
    """
    return _Parting(measurer).options()


def sign_of(terms: Terms, factors: Sequence[int]) -> int:
    """What holds where a product is not negative, as every program decides it; 0 counts as
    positive. The sign of a sum is right however it is rounded, that of a product is not.
    """
    if len(factors) == 1:
        return compared(terms, "greater_equal", factors[0], "0")
    signs = [terms.intern("sign", (factor,)) for factor in factors]
    whole = reduce(lambda left, right: terms.intern("mul", (left, right)), signs)
    return compared(terms, "greater_equal", whole, "0")


def factors_of_sign(terms: Terms, number: int) -> frozenset[int] | None:
    """The terms whose signs multiply to that of a term, or to the opposite of it; None where a
    program does not have it exactly.
    """
    term, parameter = terms[number], terms[number].parameter
    match term.operator:
        case "variable":
            return frozenset((number,))
        case "mul" | "div":
            left, right = (factors_of_sign(terms, child) for child in term.children)
            return None if left is None or right is None else left ^ right
        case "power" if parameter is None or parameter % 2 != 0:
            return factors_of_sign(terms, term.children[0])
        case "add" | "sub" if all(_is_exact(terms, child) for child in term.children):
            return frozenset((number,))
        case operator if operator in SAME_SIGN:
            return factors_of_sign(terms, term.children[0])
        case operator if operator in (CONSTANT, "power", *NEVER_NEGATIVE):
            return frozenset()
    return None


def _is_exact(terms: Terms, number: int) -> bool:
    """Whether every program has it exactly: an input, or a whole number that is not long."""
    value = terms.number(number)
    if value is None:
        return terms[number].operator == VARIABLE
    return value.denominator == 1 and abs(value) <= LONGEST_NUMBER


class _Parting:
    def __init__(self, measurer: Measurer) -> None:
        self.measurer, self.terms, self.budget = measurer, measurer.terms, measurer.budget
        self.doubles, self.truth = measurer.everywhere, measurer.truth
        self.before = self._lost(measurer.root)
        self.compared: Mask = ~np.isnan(self.before)
        forms = [measurer.root, *(form.root for form in measurer.outcome.forms[:LOOKED_AT])]
        self.least = np.fmin.reduce([self._lost(form) for form in forms])
        self.failed = np.logical_and.reduce([self.doubles.failed(form) for form in forms])
        self.rewriter = Rewriter(Builder(self.terms), RULES, FAMILIES)

    def _lost(self, root: int) -> Array:
        """Digits lost at the judged rows, all of them where there is no value."""
        lost: Array = self.doubles.lost(self.terms.with_quotients(root))
        return lost

    def _rows(self, conditions: Sequence[int]) -> Mask:
        """The rows at which some conditions hold in a program."""
        held = [self.doubles.values(condition) == 1 for condition in conditions]
        rows: Mask = np.logical_and.reduce([self.compared, *held])
        return rows

    def options(self) -> list[Option]:
        options: dict[tuple[int, int | None], Option] = {}
        signs = self._signs() if self._loses(self.compared) else []
        sides = product(*((sign, negated(self.terms, sign)) for sign in signs))
        regions = [some for some in sides if some and self._loses(self._rows(some))]
        until = self.budget.part(UNTIL)
        for place, conditions in enumerate(regions):
            with suppress(BudgetSpent):
                budget = self.budget.of(until.left / (len(regions) - place))
                forms = self._forms(self._rows(conditions), budget)
                for option in filter(None, (self._option(form, conditions) for form in forms)):
                    options.setdefault((option.root, option.guard), option)
                    break
        return list(options.values())

    def _loses(self, rows: Mask) -> bool:
        """Whether something is to be gained there: digits, or a value that no form has."""
        return bool(rows.any() and (np.mean(self.least[rows]) >= GAIN or self.failed[rows].any()))

    def _signs(self) -> list[int]:
        """The signs that most of the refused assumptions hang on; each after the first decides
        some that those before it do not.
        """
        terms, refused = self.terms, self.measurer.outcome.refused
        inputs = [n for n in terms.subterms(self.measurer.root) if terms[n].operator == VARIABLE]
        factors = [frozenset((number,)) for number in inputs]
        factors += [some for a in refused if (some := factors_of_sign(terms, a.term))]
        holding = [self._holding(assumption) for assumption in refused]
        left = {i for i, rows in enumerate(holding) if not rows[self.compared].all()}
        decided: dict[int, set[int]] = {}
        for sign in dict.fromkeys(sign_of(terms, sorted(some)) for some in factors):
            sides = self._rows([sign]), self.compared & ~self._rows([sign])
            if min(map(np.count_nonzero, sides)) >= SHARE * np.count_nonzero(self.compared):
                decided[sign] = {i for i in left if any(holding[i][rows].all() for rows in sides)}
        signs: list[int] = []
        while len(signs) < MOST_SIGNS and any(decided.values()):
            signs.append(max(decided, key=lambda sign: len(decided[sign])))
            settled = decided.pop(signs[-1])
            decided = {sign: some - settled for sign, some in decided.items()}
        return signs

    def _holding(self, assumption: Assumption) -> Mask:
        """The rows at which it holds in a program, or has no value there."""
        values = np.asarray(self.doubles.values(assumption.term))
        with np.errstate(invalid="ignore"):
            fails = {">": values <= 0, ">=": values < 0, "!=": values == 0}[assumption.relation]
        return ~fails

    # --- the forms of a part

    def _forms(self, region: Mask, budget: WorkBudget) -> list[FoundForm]:
        budget.check()
        order = np.argsort(np.where(region, -self.before, np.inf), kind="stable")
        count = int(np.count_nonzero(region))
        places = np.linspace(0, count - 1, min(count, REGION_ROWS)).round().astype(int)
        some = np.sort(np.array(self.truth.rows.verified)[order[places]]).tolist()
        table = ValueTable(self.terms, self.truth.cells(some), budget=budget)
        limits = Limits(EVALUATIONS, PATIENCE, STALL, STALL, budget)
        search = Search(table, self.rewriter, limits, doubles=self.truth.on(some))
        outcome = search.run(self.measurer.root)
        forms = outcome.forms[:LOOKED_AT] if outcome else ()
        means = {form.root: float(np.mean(self._lost(form.root)[region])) for form in forms}
        least = float(np.mean(self.least[region])) - (0 if self.failed[region].any() else GAIN)

        rng, rows = np.random.default_rng(SEED), np.flatnonzero(region)
        columns = self.doubles.columns.items()
        mixed = {name: np.asarray(column)[rng.choice(rows, MIXED)] for name, column in columns}
        anew = DoubleTable(self.terms, mixed, [None] * MIXED, self.truth.target)

        def merit(form: FoundForm) -> tuple[float, int, int]:
            failures = np.count_nonzero(~np.isfinite(anew.values(form.root)))
            return round(means[form.root], 1), int(failures), self.terms.size(form.root)

        return sorted((form for form in forms if means[form.root] <= least), key=merit)

    def _option(self, form: FoundForm, conditions: Sequence[int]) -> Option | None:
        """A form with as few signs as it needs, if it is the formula there."""
        root, verifier = self.terms.with_quotients(form.root), self.truth.verifier
        assumptions = [a for step in form.steps for a in step.assumptions]
        fewer = [some for n in range(len(conditions)) for some in combinations(conditions, n + 1)]
        for guard in (all_of(self.terms, some) for some in fewer):
            rows, scanned = self.doubles.values(guard) == 1, verifier.doubles(guard) == 1
            if verifier.agrees(root, assumptions, rows, scanned):
                lost = np.where(rows, self._lost(root), DIGITS[self.truth.target])
                lost[~self.compared] = np.nan
                return Option(root, form.steps, lost, guard)
        return None
