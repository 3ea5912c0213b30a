"""Forms that choose between others, added to the repairs that a search found.

One way for all of them: the quantities that may decide, each an ordering of the rows; what each
form loses at each row; the segments of one ordering that lose least; round numbers between them;
a list of cases, each a condition and a form. An exact form may stand anywhere, so that a threshold
can lose digits but never make a result wrong; one that is the formula in a region alone stands
under conditions that prove the region.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations, groupby, pairwise
from operator import attrgetter

import numpy as np

from eic_core.engine.exact import GREAT_DEPTH
from eic_core.measure.observed import DIGITS
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import DoubleTable, Mask, mean_digits
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.pieces import Omission
from eic_core.rewriting.regimes.cases import (
    OPPOSITE,
    Case,
    Option,
    all_of,
    compared,
    conditional,
    follows,
    merged,
    negated,
    parts,
    repair_of,
    rows_by_case,
)
from eic_core.rewriting.regimes.segments import (
    FORBIDDEN,
    PRICE,
    Ordering,
    RowPlaces,
    Segment,
    best_segments,
    interval_of,
    quantities_of,
    roundest,
    segments_at,
)
from eic_core.rewriting.regimes.signs import sign_options
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.values import ValueTable
from eic_core.rewriting.work import BudgetSpent, WorkBudget

CHOOSING = 0.8
"""The share of the limit at which exact forms that choose are done; series have the rest."""

MOST_OPTIONS = 32
"""Exact forms that may be sides: those that are the best at most rows."""

NODE_PRICE = 0.003
"""Digits that a node more of a side must gain where it is computed."""

FEWEST_HELD_OUT = 12
"""With fewer rows held out all rows are both: too few to tell luck by."""

MOST_GROUPINGS = 4
"""Ways to group the rows by guards, those that promise most."""

FORMS_COMPARED = 6
"""Forms whose steps may decide."""

EXAMINED = 6
"""Forms that are tried at most: a side that fails its proof is left out of the next, and so is what
would be the best everywhere but was turned down."""

SLACK = 0.02
"""Digits, in the mean over all rows, that a round threshold may cost."""

WIDE = 2.0
"""Where two rows between which a threshold lies are farther apart, points between are tried."""

ROUNDS, POINTS, NEIGHBOURS = 2, 6, 3
"""How often, how many points between two rows, and how many rows on each side."""

SEED = 20_261_127


Expand = Callable[[Measurer, Option], tuple[Sequence[Option], Sequence[Omission]]]
"""Proposes series where the best exact form loses digits, and says what was left out."""


def with_choices(
    measurer: Measurer, repairs: Repairs, *, branches: bool, expand: Expand | None = None
) -> Repairs:
    """The repairs, with forms that choose between exact ones among them if there are to be
    `branches`, and approximations if something proposes series.
    """
    chooser, budget = Chooser(measurer, repairs), measurer.budget
    if not chooser.loses:
        return repairs
    left_out: list[Omission] = []
    approximations: tuple[Repair, ...] = ()
    try:
        if branches:
            repairs = chooser.add_choice(repairs, budget.part(CHOOSING))
    except BudgetSpent:
        left_out.append(Omission.BRANCHES_TIME)
    try:
        if expand is not None and chooser.loses:
            budget.check()
            approximations, reasons = chooser.approximations(expand, branches=branches)
            left_out += reasons
    except BudgetSpent:
        left_out.append(Omission.SERIES_TIME)
    left_out = [*dict.fromkeys([*repairs.left_out, *left_out])]
    return replace(repairs, approximations=approximations, left_out=tuple(left_out))


class Chooser:
    def __init__(self, measurer: Measurer, repairs: Repairs) -> None:
        self.measurer, self.terms, self.truth = measurer, measurer.terms, measurer.truth
        self.everywhere = self.measurer.everywhere
        forms = [measurer.root, *(self.terms.add(each.formula) for each in repairs.repairs)]
        self.lost, self.failed = self._best_of(forms)  # By the best form
        self.options = self._exact_options() if self.loses else []

    def _best_of(self, forms: Sequence[int]) -> tuple[Array, int]:
        """The digits that the form loses that keeps most, and the rows without a value."""
        best = min(forms, key=lambda form: mean_digits(self.everywhere.lost(form)))
        return self.everywhere.lost(best), int(np.count_nonzero(self.everywhere.failed(best)))

    @property
    def least(self) -> float:
        return mean_digits(self.lost)

    @property
    def loses(self) -> bool:
        """Whether there is something to gain."""
        return self.least >= GAIN or self.failed > 0

    # --- options

    def _exact_options(self) -> list[Option]:
        """The formula, and the forms of the search that lose least in the mean and at most rows."""
        forms: dict[int, Option] = {}
        for form in (self.measurer.outcome.start, *self.measurer.outcome.forms):
            root = self.terms.with_quotients(form.root) if forms else self.measurer.root
            forms.setdefault(root, Option(root, form.steps, self.everywhere.lost(root)))
        options = list(forms.values())
        lost = self._priced(options)[:, self.rows]
        often = np.argsort(-np.bincount(np.argmin(lost, axis=0)), kind="stable")[:MOST_OPTIONS]
        places = [0, int(np.argmin(np.mean(lost, axis=1))), *often.tolist()]
        return [options[place] for place in dict.fromkeys(places)]

    def _priced(self, options: Sequence[Option]) -> Array:
        """Digits lost by each option at each row, with the price of its nodes."""
        sizes = np.array([[NODE_PRICE * self.terms.size(option.root)] for option in options])
        lost = np.array([option.lost for option in options])
        return np.asarray(np.nan_to_num(lost, nan=DIGITS[self.truth.target]) + sizes)

    # --- what is offered

    def add_choice(self, repairs: Repairs, budget: WorkBudget) -> Repairs:
        """The repairs, the best exact form that chooses before them if it keeps clearly more."""
        budget.check()
        self.options += sign_options(self.measurer)
        choice = self._best(self.options, budget)
        if choice is None:
            return repairs
        self.lost, self.failed = self._best_of([self.terms.add(choice.formula)])
        rest = [replace(each, gain=replace(each.gain, remaining=0.0)) for each in repairs.repairs]
        forms = (replace(choice, gain=choice.gain.of_best(repairs.own)), *rest)
        return replace(repairs, repairs=forms, reason=None, helps=None)

    def approximations(
        self, expand: Expand, *, branches: bool
    ) -> tuple[tuple[Repair, ...], Sequence[Omission]]:
        """The best form with a series, if it keeps clearly more, and what was left out."""
        free = [option for option in self.options if option.guard is None]
        plain = min(free, key=lambda option: mean_digits(option.lost))
        least = min(self.lost, plain.lost, key=mean_digits)
        new, left_out = expand(self.measurer, replace(plain, lost=least))
        if not new:
            return (), left_out
        new = [replace(each, root=self.terms.with_quotients(each.root)) for each in new]
        options = [*(self.options if branches else [plain]), *new]
        repair = self._best(options, self.measurer.budget, cuts=branches)
        return (() if repair is None or repair.is_exact else (repair,)), left_out

    def _best(
        self, options: list[Option], budget: WorkBudget, *, cuts: bool = True
    ) -> Repair | None:
        """The best form that chooses, if it keeps clearly more than the best form before it."""
        for _ in range(EXAMINED):
            budget.check()
            cases = self._cases(options, cuts=cuts)
            if len(cases) < 2:
                assert cases[0].option is not None
                alone = mean_digits(cases[0].option.lost) + GAIN
                if alone > self.least:
                    return None
                # It would have been offered if it could be, and so would what is as good
                options = [option for option in options if mean_digits(option.lost) >= alone]
                continue
            wrong = self._wrong(cases)
            if not wrong:
                return self._repair(cases)
            options = [option for option in options if option not in wrong]
        return None

    def _wrong(self, cases: Sequence[Case]) -> list[Option]:
        """The forms that are not the formula where they are computed."""
        verifier, wrong = self.truth.verifier, list[Option]()
        rows = rows_by_case(cases, self.everywhere.values, len(verifier.rows))
        scanned = rows_by_case(cases, verifier.doubles, len(verifier.scanned))
        for case, where, domain in zip(cases, rows, scanned, strict=True):
            assert case.option is not None
            guarded = case.option.guard is not None
            bound = None if case.series is None else case.series.bound
            assumptions = [a for step in case.option.steps for a in step.assumptions]
            places = where if guarded else np.ones_like(where)
            replaced = case.option.replaced
            if not verifier.agrees(case.root, assumptions, places, domain, bound, replaced):
                wrong.append(case.option)
        return wrong

    def _repair(self, cases: Sequence[Case]) -> Repair | None:
        root = conditional(self.terms, cases)
        lost, failed = self._best_of([root])
        if mean_digits(lost) > self.least - GAIN and not failed < self.failed:
            return None
        bound = max(case.series.bound if case.series is not None else 0.0 for case in cases)
        verification = self.truth.verifier.summary(root, bound)
        step = self.measurer.step
        cases = [
            case._replace(steps=tuple(map(step, case.option.steps if case.option else ())))
            for case in cases
        ]
        repair = repair_of(self.measurer, root, cases, verification)
        return repair if repair is not None and repair.gain.is_offered else None

    # --- rows, quantities, segments

    @cached_property
    def rows(self) -> RowPlaces:
        """Those at which the digits lost by the formula can be told, in a fixed order that has
        nothing to do with theirs; of those without a value as many in each half.
        """
        usable = np.flatnonzero(~np.isnan(self.measurer.lost_before))
        rows = np.random.default_rng(SEED).permutation(usable)
        failed = self.everywhere.failed(self.measurer.root)[rows]
        without = rows[failed]
        return np.concatenate([without[::2], rows[~failed], without[1::2]])

    def _cases(self, options: Sequence[Option], *, cuts: bool) -> list[Case]:
        """The cases that keep most digits."""
        half = len(self.rows) // 2
        train, held_out = self.rows[:half], self.rows[half:]
        if half < FEWEST_HELD_OUT:
            train = held_out = self.rows
        orderings = self._orderings(options, train, cuts=cuts)
        ordering, segments = best_segments(orderings, train, held_out)
        for place, (below, above) in enumerate(pairwise(segments)):
            if below.group == above.group:
                start = self._start(ordering, options, segments, place)
                segments[place + 1] = above._replace(start=start)
        return self._cases_of(ordering, segments, options)

    def _orderings(
        self, options: Sequence[Option], train: RowPlaces, *, cuts: bool
    ) -> Iterator[Ordering]:
        """Along each quantity, without groups first, then in those of the best guards."""
        priced, table = self._priced(options), self.everywhere
        free = [option.root for option in options if option.guard is None]
        zeros = {self.measurer.root: np.zeros(priced.shape[1])}
        quantities = quantities_of(self.terms, table, free[:FORMS_COMPARED]) if cuts else {}
        least = float(np.sum(np.min(priced[:, train], axis=0)))
        ranked: list[tuple[float, int, tuple[int, ...], RowPlaces, Array]] = []
        for place, conditions in enumerate(self._groupings(options)):
            groups = sum(
                (table.values(c) != 1).astype(np.intp) << bit for bit, c in enumerate(conditions)
            ) + np.zeros(priced.shape[1], dtype=np.intp)
            present = np.unique(groups[train]).tolist()
            if len({*present, 2 ** len(conditions) - 1}) < 2 ** len(conditions):
                continue
            lost = priced + FORBIDDEN * ~self._allowed(options, conditions)[:, groups]
            cost = sum(np.sum(lost[:, train[groups[train] == g]], axis=1).min() for g in present)
            cost += PRICE * len(train) * (len(present) - 1)
            ranked.append((cost, place, conditions, groups, lost))
        for cost, _, conditions, groups, lost in [ranked[0], *sorted(ranked[1:])[:MOST_GROUPINGS]]:
            gains = cost - least > PRICE * len(train) * 2 ** len(conditions)
            for quantity, values in ((gains and quantities) or zeros).items():
                yield Ordering(conditions, quantity, groups, values, lost)

    def _groupings(self, options: Sequence[Option]) -> list[tuple[int, ...]]:
        """None, each guard, each comparison in one, and each two of these."""
        guards = dict.fromkeys(option.guard for option in options if option.guard is not None)
        single = dict.fromkeys(part for guard in guards for part in parts(self.terms, guard))
        sides = {frozenset([part, negated(self.terms, part)]): part for part in single}
        return [
            (),
            *[(guard,) for guard in guards if guard not in single],
            *[(part,) for part in sides.values()],
            *combinations(sides.values(), 2),
        ]

    def _allowed(self, options: Sequence[Option], conditions: Sequence[int]) -> Mask:
        """Whether each option may stand in each group."""
        allowed = np.ones((len(options), 2 ** len(conditions)), dtype=bool)
        for group in range(2 ** len(conditions)):
            known: set[int] = set()
            for bit, condition in enumerate(conditions):
                if not group >> bit & 1:
                    known.update(parts(self.terms, condition))
                elif self.terms[condition].operator in OPPOSITE:
                    known.add(negated(self.terms, condition))
            for place, option in enumerate(options):
                allowed[place, group] = follows(self.terms, option.guard, frozenset(known))
        return allowed

    # --- numbers, conditions

    def _start(
        self, ordering: Ordering, options: Sequence[Option], segments: list[Segment], place: int
    ) -> str:
        """A round number from which on the segment after a place is computed."""
        values = ordering.values
        of_segments = np.isin(segments_at(segments, ordering.groups, values), (place, place + 1))
        rows = self.rows[of_segments[self.rows]]
        rows = rows[np.argsort(values[rows], kind="stable")]
        sides = [options[segment.option] for segment in segments[place : place + 2]]
        points = np.array([values[rows], *(side.lost[rows] for side in sides)])
        for _ in range(ROUNDS):
            low, high = interval_of(points, SLACK * points.shape[1])
            middle = int(np.searchsorted(values[rows], high))
            under, over = rows[:middle][-NEIGHBOURS:], rows[middle:][:NEIGHBOURS]
            near = np.abs(values[[*under[-1:], *over[:1]]])
            if low < 0 <= high or len(near) < 2 or np.max(near) <= WIDE * np.min(near):
                break
            table = self._between(np.repeat(under, len(over)), np.tile(over, len(under)))
            more = [table.values(ordering.quantity), *(table.lost(side.root) for side in sides)]
            points = np.concatenate([points, np.nan_to_num(more)], axis=1)
        return roundest(*interval_of(points, SLACK * points.shape[1]))

    def _between(self, under: RowPlaces, over: RowPlaces) -> DoubleTable:
        """Points between pairs of rows, even in their logarithms where they have one sign."""
        shares, columns = np.arange(1, POINTS + 1) / (POINTS + 1), dict[str, Array]()
        for name, column in self.everywhere.columns.items():
            first, last = column[under][:, None], column[over][:, None]
            with np.errstate(all="ignore"):
                even = first * (last / first) ** shares
            mixed = np.where(np.isfinite(even), even, first + shares * (last - first))
            columns[name] = mixed.ravel().astype(self.truth.target)
        cells = zip(*(column.tolist() for column in columns.values()), strict=True)
        named = [dict(zip(columns, cell, strict=True)) for cell in cells]
        table = ValueTable(self.terms, named, GREAT_DEPTH, self.measurer.budget)
        values = table.values(self.measurer.root)
        return DoubleTable(self.terms, columns, values, self.truth.target)

    def _cases_of(
        self, ordering: Ordering, segments: Sequence[Segment], options: Sequence[Option]
    ) -> list[Case]:
        terms, cases = self.terms, list[Case]()

        def add(conditions: Sequence[int], segment: Segment) -> None:
            option = options[segment.option]
            condition = all_of(terms, conditions) if conditions else None
            cases.append(Case(condition, option.root, (), option.series, option))

        for group, own in groupby(segments, key=attrgetter("group")):
            held = [c for bit, c in enumerate(ordering.conditions) if not group >> bit & 1]
            *rest, last = own
            if rest and last.start == "0":
                add([*held, compared(terms, "greater_equal", ordering.quantity, "0")], last)
                *rest, last = rest
            for segment, after in pairwise([*rest, last]):
                add([*held, compared(terms, "less_than", ordering.quantity, after.start)], segment)
            add(held, last)
        return merged(terms, cases)
