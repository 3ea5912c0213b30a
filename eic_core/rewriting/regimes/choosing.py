"""Forms that choose between others, added to the repairs that a search found.

A form that chooses is a list of cases: a condition, and the form that is computed where it holds.
An exact form may stand anywhere, so that a threshold can lose digits but never make a result wrong;
a form that is the formula in a region alone stands under a condition that proves the region.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from eic_core.engine.exact import GREAT_DEPTH
from eic_core.formula.rendering import to_python
from eic_core.measure.measured import binary_rows
from eic_core.measure.observed import DIGITS
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import DoubleTable, mean_digits
from eic_core.rewriting.gains import GAIN, remaining_digits
from eic_core.rewriting.pieces import Branch, Omission
from eic_core.rewriting.regimes.axes import axes_of
from eic_core.rewriting.regimes.conditionals import (
    Case,
    Mask,
    both,
    chosen,
    compared,
    merged,
    parts,
    taken,
)
from eic_core.rewriting.regimes.option import Option
from eic_core.rewriting.regimes.signs import sign_options
from eic_core.rewriting.regimes.thresholds import SLACK, cuts, refined, roundest
from eic_core.rewriting.regimes.trees import (
    ChoiceProblem,
    Cut,
    Guarded,
    Leaf,
    RowPlaces,
    Solver,
    Tree,
    pruned,
)
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.search import relation_holds
from eic_core.rewriting.searched import Searched
from eic_core.rewriting.values import AGREEMENT, ValueTable, first_difference
from eic_core.rewriting.verify import Verification
from eic_core.rewriting.work import BudgetSpent, WorkBudget

CHOOSING = 0.8
"""The share of the limit at which exact forms that choose are done; series have the rest."""

MOST_OPTIONS = 32
"""Exact forms that may be sides: those that together lose least, each row taking its best."""

LEAST_SHARE = 0.002
"""Digits in the mean that an option more must save, each row taking its best."""

FURTHER = 100
"""Rows beside the judged ones on which splits are chosen and checked, where the data have them."""

FEWEST_HELD_OUT = 12
"""With fewer rows held out all rows are both: too few to tell luck by."""

EXAMINED = 6
"""Trees that are tried at most: a side that fails its proof is left out of the next."""

POINTS, NEIGHBOURS = 6, 4
"""Points tried between two rows on both sides of a threshold, and how many rows on each side."""

SEED = 20_261_127


class Expand(Protocol):
    """Proposes series where the best exact form loses digits, and says what was left out."""

    def __call__(
        self, searched: Searched, best: Option
    ) -> tuple[Sequence[Option], Sequence[Omission]]: ...


def with_choices(
    searched: Searched, repairs: Repairs, *, branches: bool, expand: Expand | None = None
) -> Repairs:
    """The repairs, with forms that choose between exact ones among them if there are to be
    `branches`, and approximations if something proposes series.
    """
    if not _loses(searched, repairs):
        return repairs
    until = searched.budget.part(CHOOSING)
    left_out: list[Omission] = []
    chooser: Chooser | None = None
    choice: Repair | None = None
    try:
        until.check()
        chooser = Chooser(searched, repairs)
        if branches:
            chooser.add(sign_options(searched))
            choice = chooser.choice(until)
    except BudgetSpent:
        if branches:
            left_out.append(Omission.BRANCHES_TIME)
    approximations: tuple[Repair, ...] = ()
    if expand is not None and (chooser is None or searched.budget.passed):
        left_out.append(Omission.SERIES_TIME)
    elif expand is not None and chooser is not None and chooser.still_loses(choice):
        try:
            approximations, why = chooser.approximations(choice, expand, branches=branches)
            left_out += why
        except BudgetSpent:
            left_out.append(Omission.SERIES_TIME)
    if choice is not None:
        repairs = _first(choice, repairs)
    return replace(repairs, approximations=approximations, left_out=tuple(dict.fromkeys(left_out)))


def _loses(searched: Searched, repairs: Repairs) -> bool:
    """Whether digits remain that a form could keep."""
    return mean_digits(_best_lost(searched, repairs)) >= GAIN


def _best_lost(searched: Searched, repairs: Repairs) -> Array:
    """What the formula or the best repair loses at the judged rows, whichever loses less."""
    measurer, terms = searched.measurer, searched.terms
    forms = [measurer.lost_before]
    forms += [measurer.everywhere.lost(terms.add(each.formula)) for each in repairs.repairs]
    return min(forms, key=mean_digits)


def _first(choice: Repair, repairs: Repairs) -> Repairs:
    gain = replace(choice.gain, remaining=remaining_digits(choice.after, repairs.own))
    rest = [replace(each, gain=replace(each.gain, remaining=0.0)) for each in repairs.repairs]
    return replace(repairs, repairs=(replace(choice, gain=gain), *rest), reason=None, helps=None)


@dataclass(frozen=True)
class _Built:
    """A tree as a list of cases, over judged rows."""

    cases: tuple[Case, ...]
    root: int
    rows: tuple[Mask, ...]  # Judged rows that take each case

    @property
    def options(self) -> list[Option]:
        return [case.option for case in self.cases]


class Chooser:
    def __init__(self, searched: Searched, repairs: Repairs) -> None:
        self.searched = searched
        self.repairs = repairs
        self.terms = searched.terms
        self.measurer = searched.measurer
        self.truth = searched.truth
        self.plain = mean_digits(_best_lost(searched, repairs))
        self.original = Option(searched.root, (), self.measurer.lost_before)
        self.options: list[Option] = self._exact_options()

    def add(self, options: Sequence[Option]) -> None:
        self.options += self._as_written(options)

    def _as_written(self, options: Sequence[Option]) -> list[Option]:
        """Options in the form in which they are printed, every fraction as a quotient."""
        return [replace(each, root=self.terms.with_quotients(each.root)) for each in options]

    # --- exact forms ---

    def _exact_options(self) -> list[Option]:
        """The formula and the forms that the search found, those that together lose least."""
        forms: dict[int, Option] = {self.original.root: self.original}
        for form in self.searched.outcome.forms:
            root = self.terms.with_quotients(form.root)
            if root not in forms:
                forms[root] = Option(root, form.steps, self.measurer.everywhere.lost(root))
        options = list(forms.values())
        usable = ~np.isnan(self.measurer.lost_before)
        lost = np.array([option.lost[usable] for option in options])
        lost = np.nan_to_num(lost, nan=DIGITS[self.searched.target])
        sizes = np.array([self.terms.size(option.root) for option in options], dtype=float)
        chosen_places = _least_together(lost + 0.003 * sizes[:, None])
        return [options[i] for i in dict.fromkeys([0, *chosen_places])]

    @cached_property
    def further(self) -> list[int]:
        """Scanned rows that were not judged."""
        known = set(self.truth.rows.verified)
        rest = [row for row in self.truth.rows.scanned if row not in known]
        return rest[:: math.ceil(len(rest) / FURTHER)] if rest else []

    @cached_property
    def table(self) -> DoubleTable:
        """Programs and exact values at the judged rows and at further ones."""
        judged = self.truth.rows.verified
        cells = self.truth.cells(self.further)
        exact = ValueTable(self.terms, cells, GREAT_DEPTH, self.searched.budget)
        values = [*self.truth.values(judged), *exact.values(self.searched.root)]
        return self._table([*judged, *self.further], values)

    def _table(self, rows: Sequence[int], values: Sequence[object]) -> DoubleTable:
        columns = binary_rows(self.truth.columns, rows, self.searched.target)[0]
        return DoubleTable(self.terms, columns, values, self.searched.target)

    @cached_property
    def usable(self) -> RowPlaces:
        """The rows at which the digits lost by the formula can be told, in a fixed order that has
        nothing to do with theirs.
        """
        usable = np.flatnonzero(~np.isnan(self.table.lost(self.searched.root)))
        return np.random.default_rng(SEED).permutation(usable)

    # --- choosing ---

    def choice(self, budget: WorkBudget) -> Repair | None:
        """The best exact form that chooses, if it keeps clearly more than the best plain one."""
        return self._best(self.options, self.plain - GAIN, budget)

    def still_loses(self, choice: Repair | None) -> bool:
        kept = self.plain if choice is None else choice.gain.judged.mean_after
        return kept >= GAIN

    def approximations(
        self, choice: Repair | None, expand: Expand, *, branches: bool
    ) -> tuple[tuple[Repair, ...], Sequence[Omission]]:
        lost = min([o.lost for o in self.options if o.guard is None], key=mean_digits)
        plain = min((o for o in self.options if o.guard is None), key=lambda o: mean_digits(o.lost))
        if choice is not None:
            lost = self.measurer.everywhere.lost(self.terms.add(choice.formula))
        new, left_out = expand(self.searched, replace(plain, lost=lost))
        if not new:
            return (), left_out
        least = self.plain if choice is None else choice.gain.judged.mean_after
        options = [*(self.options if branches else [plain]), *self._as_written(new)]
        repair = self._best(options, least - GAIN, self.searched.budget, splits=branches)
        if repair is None or repair.is_exact:
            return (), left_out
        return (repair,), left_out

    def _best(
        self, options: Sequence[Option], most: float, budget: WorkBudget, *, splits: bool = True
    ) -> Repair | None:
        options = list(options)
        for _ in range(EXAMINED):
            budget.check()
            problem = self._problem(options, splits=splits)
            train, held_out = self._halves()
            tree = Solver(problem, train).solve()
            tree = pruned(problem, tree, train, held_out, len(held_out))
            if isinstance(tree, Leaf):
                return None
            tree = self._with_thresholds(problem, options, tree, np.sort(self.usable))
            built = self._built(options, tree)
            if len(built.cases) == 1:
                return None
            wrong = self._wrong(built)
            if wrong:
                options = [option for option in options if option not in wrong]
                continue
            return self._repair(built, most)
        return None

    def _halves(self) -> tuple[RowPlaces, RowPlaces]:
        """The rows on which splits are chosen, and those on which they are checked."""
        half = len(self.usable) // 2
        if half < FEWEST_HELD_OUT:
            return np.sort(self.usable), np.sort(self.usable)
        return np.sort(self.usable[:half]), np.sort(self.usable[half:])

    def _problem(self, options: Sequence[Option], *, splits: bool) -> ChoiceProblem:
        guards = dict.fromkeys(option.guard for option in options if option.guard is not None)
        single = [part for guard in guards for part in parts(self.terms, guard)]
        masks = {guard: self.table.values(guard) == 1 for guard in (*guards, *single)}
        most = DIGITS[self.searched.target]
        lost = np.array([self.table.lost(option.root) for option in options])
        lost = np.where(np.isnan(lost), most, lost)
        for i, option in enumerate(options):
            if option.guard is not None:
                lost[i, ~masks[option.guard]] = most
        sizes = np.array([self.terms.size(option.root) for option in options], dtype=float)
        free = [option.root for option in options if option.guard is None]
        axes = axes_of(self.terms, self.table, free[:6]) if splits else []
        return ChoiceProblem(
            self.terms, lost, tuple(option.guard for option in options), masks, axes, sizes
        )

    # --- thresholds ---

    def _with_thresholds(
        self, problem: ChoiceProblem, options: Sequence[Option], tree: Tree, rows: RowPlaces
    ) -> Tree:
        """The tree with a round number at each of its cuts."""
        if isinstance(tree, Leaf):
            return tree
        if isinstance(tree, Guarded):
            held = problem.masks[tree.guard][rows]
            return replace(
                tree,
                held=self._with_thresholds(problem, options, tree.held, rows[held]),
                other=self._with_thresholds(problem, options, tree.other, rows[~held]),
            )
        sides = [problem.lost_by(side, rows) for side in (tree.below, tree.above)]
        values = tree.axis.values[rows]
        slack = SLACK * len(self.usable)
        if len(np.unique(values)) > 1:
            low, high = cuts(values, sides[0], sides[1], slack)
        else:
            low, high = tree.low, tree.high

        cut = tree

        def between(low: float, high: float) -> tuple[Array, Array, Array] | None:
            return self._between(options, cut, rows, low, high)

        with suppress(BudgetSpent):
            low, high = refined(low, high, (values, sides[0], sides[1]), between, slack)
        tree = replace(tree, threshold=roundest(low, high))
        below = tree.is_below(rows)
        return replace(
            tree,
            below=self._with_thresholds(problem, options, tree.below, rows[below]),
            above=self._with_thresholds(problem, options, tree.above, rows[~below]),
        )

    def _between(
        self,
        options: Sequence[Option],
        tree: Cut,
        rows: RowPlaces,
        low: float,
        high: float,
    ) -> tuple[Array, Array, Array] | None:
        """Points between the rows nearest to an interval, and what both sides lose there."""
        if not isinstance(tree.below, Leaf) or not isinstance(tree.above, Leaf):
            return None
        order = rows[np.argsort(tree.axis.values[rows], kind="stable")]
        values = tree.axis.values[order]
        place = int(np.searchsorted(values, high))
        under = order[max(0, place - NEIGHBOURS) : place]
        over = order[place : place + NEIGHBOURS]
        pairs = [(a, b) for a in under[::-1] for b in over][: 2 * NEIGHBOURS]
        if not pairs:
            return None
        shares = (np.arange(POINTS) + 1) / (POINTS + 1)
        columns = {
            name: np.concatenate([_mixed(column[a], column[b], shares) for a, b in pairs])
            for name, column in self.table.columns.items()
        }
        kind = self.searched.target
        columns = {name: np.asarray(column, kind) for name, column in columns.items()}
        count = len(pairs) * POINTS
        axis = DoubleTable(self.terms, columns, [None] * count, kind).values(tree.axis.root)
        inside = np.flatnonzero((axis > low) & (axis < high))
        if not len(inside):
            return None
        columns = {name: column[inside] for name, column in columns.items()}
        cells = [
            {name: float(column[i]) for name, column in columns.items()} for i in range(len(inside))
        ]
        exact = ValueTable(self.terms, cells, GREAT_DEPTH, self.searched.budget)
        table = DoubleTable(self.terms, columns, exact.values(self.searched.root), kind)
        sides = [table.lost(options[side.option].root) for side in (tree.below, tree.above)]
        told = ~np.isnan(sides[0]) & ~np.isnan(sides[1])
        values = np.asarray(axis[inside], np.float64)
        return values[told], sides[0][told], sides[1][told]

    # --- from a tree to a form ---

    def _built(self, options: Sequence[Option], tree: Tree) -> _Built:
        cases = merged(self.terms, self._cases(options, tree, None))
        root = chosen(self.terms, cases)
        everywhere = self.measurer.everywhere
        conditions = [everywhere.values(c.condition) for c in cases[:-1] if c.condition is not None]
        return _Built(tuple(cases), root, tuple(taken(conditions, len(self.measurer.lost_before))))

    def _cases(self, options: Sequence[Option], tree: Tree, before: int | None) -> list[Case]:
        if isinstance(tree, Leaf):
            return [Case(before, options[tree.option])]
        if isinstance(tree, Guarded):
            condition, first, rest = tree.guard, tree.held, tree.other
        else:
            assert tree.threshold is not None
            at_zero = tree.threshold == "0"
            operator = "greater_equal" if at_zero else "less_than"
            condition = compared(self.terms, operator, tree.axis.root, tree.threshold)
            first, rest = (tree.above, tree.below) if at_zero else (tree.below, tree.above)
        return [
            *self._cases(options, first, both(self.terms, before, condition)),
            *self._cases(options, rest, before),
        ]

    def _wrong(self, built: _Built) -> list[Option]:
        """The sides that are not the formula where they are computed."""
        verifier = self.truth.verifier
        conditions = [verifier.doubles(c.condition) for c in built.cases if c.condition is not None]
        scanned = taken(conditions, len(verifier.scanned))
        return [
            case.option
            for case, *rows in zip(built.cases, built.rows, scanned, strict=True)
            if not self._is_right(case.option, *rows)
        ]

    def _is_right(self, option: Option, rows: Mask, scanned: Mask) -> bool:
        """`rows`, `scanned`: the judged and the scanned rows that take it."""
        verifier = self.truth.verifier
        assumptions = [a for step in option.steps for a in step.assumptions]
        if not verifier.keeps_domain(option.root, assumptions, scanned):
            return False
        if option.guard is None:
            rows = np.ones_like(rows)
        places = np.flatnonzero(rows).tolist()
        table = verifier.table
        exact, form = (
            [table.values(n)[i] for i in places] for n in (self.searched.root, option.root)
        )
        if option.series is not None:
            replaced = option.replaced or ((self.searched.root, option.root),)
            pairs = [[table.values(n) for n in pair] for pair in replaced]
            return all(
                b is not None and not abs(b - a) > option.series.bound * abs(a)
                for term, near in pairs
                for a, b in ((term[i], near[i]) for i in places)
                if a is not None
            )
        return first_difference(exact, form) is None and all(
            relation_holds([table.values(a.term)[i] for i in places], a.relation, exact)
            for a in assumptions
        )

    def _verification(self, built: _Built) -> Verification:
        table = self.truth.verifier.table
        roots = [self.searched.root, *(option.root for option in built.options)]
        bounds = [o.series.bound for o in built.options if o.series is not None]
        agreement = min([AGREEMENT, *(math.floor(-math.log10(b)) for b in bounds if b > 0)])
        exact = table.values(self.searched.root)
        widened = 0
        for option, rows in zip(built.options, built.rows, strict=True):
            values = table.values(option.root)
            widened += sum(
                exact[i] is None and values[i] is not None for i in np.flatnonzero(rows).tolist()
            )
        return Verification(
            len(exact),
            max(map(table.digits, roots)),
            agreement,
            len(self.truth.verifier.scanned),
            widened,
        )

    def _repair(self, built: _Built, most: float) -> Repair | None:
        measurer = self.measurer
        lost = measurer.everywhere.lost(built.root)
        if mean_digits(lost) > most:
            return None
        comparisons = measurer.comparisons(built.root, lost)
        if comparisons is None:
            return None
        formula = measurer.formula_of(built.root)
        branches = self._branches(built, lost)
        shares = [branch.rows for branch in branches]
        gain = measurer.gain(built.root, formula, *comparisons, shares)
        if not gain.is_offered:
            return None
        steps = tuple(step for branch in branches for step in branch.steps)
        return Repair(formula, steps, gain, self._verification(built), branches)

    def _branches(self, built: _Built, lost: Array) -> tuple[Branch, ...]:
        before = self.measurer.lost_before
        told = ~np.isnan(before) & ~np.isnan(lost)
        return tuple(
            Branch(
                "" if case.condition is None else self._text(case.condition),
                self.measurer.formula_of(case.option.root),
                int(np.count_nonzero(rows & told)),
                mean_digits(before[rows & told]),
                mean_digits(lost[rows & told]),
                tuple(map(self.measurer.step, case.option.steps)),
                case.option.series,
            )
            for case, rows in zip(built.cases, built.rows, strict=True)
        )

    def _text(self, condition: int) -> str:
        return to_python(self.terms.formula(condition))


def _least_together(lost: Array) -> list[int]:
    """The options that together lose least, each row taking its best, the most useful first."""
    best = np.argmin(np.sum(lost, axis=1))
    places, least = [int(best)], lost[best]
    while len(places) < MOST_OPTIONS:
        saved = np.mean(np.maximum(least - lost, 0.0), axis=1)
        place = int(np.argmax(saved))
        if saved[place] < LEAST_SHARE:
            break
        places.append(place)
        least = np.minimum(least, lost[place])
    return places


def _mixed(first: float, last: float, shares: Array) -> Array:
    """Numbers between two, even in their logarithms where they are decades apart."""
    first, last = float(first), float(last)
    if first * last > 0 and not 0.1 <= first / last <= 10:
        exponents = np.log(abs(first)) + shares * (np.log(abs(last)) - np.log(abs(first)))
        return np.sign(first) * np.exp(exponents)
    return first + shares * (last - first)
