"""Series with a proved bound as options of a form that chooses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from eic_core.formula.rendering import to_python
from eic_core.formula.tree import VARIABLE
from eic_core.measure.observed import DIGITS
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import mean_digits
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.pieces import InputInterval, Omission, Series, SeriesKind
from eic_core.rewriting.regimes.cases import Option, all_of, compared
from eic_core.rewriting.series.coefficients import Unproved
from eic_core.rewriting.series.expanding import expand
from eic_core.rewriting.series.expansion import Expansion
from eic_core.rewriting.series.horner import distance, written
from eic_core.rewriting.series.proof import Proofs
from eic_core.rewriting.series.regions import ExpansionPlace, places
from eic_core.rewriting.work import BudgetSpent, WorkBudget

BOUND = {"float64": 2.0**-53, "float32": 2.0**-24}
"""What an approximation may add: half a unit in the last place of 1."""

FEWER = 0.05
"""Digits in the mean that a series of fewer terms may lose more; at the worst row `GAIN`."""

BEYOND = 2
"""Coefficients of a model beyond those of the longest series."""

NEAR = 4.0
"""Digits lost from which on a series is too far from its term to have a bound."""

MANTISSAS = (1, 2, 3, 5, 7)
"""The first digits of a radius."""


def series_options(measurer: Measurer, best: Option) -> tuple[list[Option], list[Omission]]:
    """The best approximation of each region, and what was left out."""
    try:
        asked = places(measurer, best)
    except BudgetSpent:
        return [], [Omission.SERIES_TIME]
    if not asked:
        return [], []
    options: list[Option] = []
    left_out: list[Omission] = []
    chosen: list[tuple[_Region, Option]] = []
    helped = False
    lost = best.lost
    for left, place in zip(range(len(asked), 0, -1), asked, strict=True):
        if mean_digits(lost) < GAIN:
            break
        # A share for each, and one to choose among them
        budget = measurer.budget.of(measurer.budget.left / (left + 1))
        of_region: list[Option] = []
        with suppress(BudgetSpent):
            expansion = expand(measurer.terms, place.question, budget)
            if expansion is not None:
                region = _Region(measurer, best, place, expansion, budget)
                of_region = region.options()
                helped |= region.would_help and not budget.passed
                chosen += [(region, option) for option in of_region]
        options += of_region
        lost = np.fmin.reduce([lost, *(option.lost for option in of_region)])
        if budget.passed and not of_region:
            left_out.append(Omission.SERIES_TIME)
    options += [
        joined
        for (first, one), (second, other) in combinations(chosen, 2)
        if (joined := first.joined(one, second, other)) is not None
    ]
    if helped and not options:
        left_out.append(Omission.SERIES_UNPROVED)
    return options, left_out


class _Region:
    def __init__(
        self,
        measurer: Measurer,
        best: Option,
        place: ExpansionPlace,
        expansion: Expansion,
        budget: WorkBudget,
    ) -> None:
        self.measurer, self.terms, self.best = measurer, measurer.terms, best
        self.place, self.expansion = place, expansion
        self.question = place.question
        self.table = measurer.everywhere
        self.enough = BOUND[measurer.truth.target]
        box = {
            self.terms[n].label: self._span(self.terms[n].label)
            for n in self.terms.subterms(self.question.term)
            if self.terms[n].operator == VARIABLE
        }
        self.box = box
        self.proofs = Proofs(
            self.terms,
            self.question.term,
            self.question.quantity,
            self.question.point,
            box,
            budget,
            enough=self.enough,
            coefficients=len(expansion.coefficients) + BEYOND,
        )
        self.would_help = False

    def _span(self, name: str) -> tuple[float, float]:
        with np.errstate(over="ignore"):  # a number that float32 has not
            column = np.asarray(self.measurer.samples.columns[name], self.measurer.truth.target)
        column = column[np.isfinite(column)].astype(np.float64)
        return (float(column.min()), float(column.max())) if len(column) else (0.0, 0.0)

    def options(self) -> list[Option]:
        """The fewest terms that keep as many digits as any, if that helps."""
        chosen: Option | None = None
        radii = self._radii()
        place, least, worst = len(radii) - 1, math.inf, math.inf
        for count in range(len(self.expansion.powers) if radii else 0, 0, -1):
            shortened = self.expansion.of_terms(count)
            try:
                approximation = written(self.terms, self.question, shortened)
            except Unproved:
                continue
            whole = self._in_form(approximation)
            lost = self.table.lost(whole)
            gained = mean_digits(self.best.lost) - mean_digits(np.fmin(self.best.lost, lost))
            self.would_help |= gained >= GAIN
            if self._gained_at_most(lost) < GAIN / 2:
                continue
            try:
                kept = len(shortened.coefficients)
                place, bound = self._largest(approximation, radii, place, kept)
            except BudgetSpent:
                break
            if place < 0:
                break
            elsewhere = self._bound_elsewhere(approximation, radii[place])
            one_sided = elsewhere > self.enough
            guard = self._guard(radii[place], one_sided)
            bound = bound if one_sided else max(bound, elsewhere)
            inside = self.table.values(guard) == 1
            lost = np.where(inside, lost, float(DIGITS[self.measurer.truth.target]))
            both = np.fmin(self.best.lost, lost)
            highest = float(np.nanmax(both, initial=0.0))
            if mean_digits(both) > least + FEWER or highest > worst + GAIN:
                break
            least, worst = min(least, mean_digits(both)), min(worst, highest)
            chosen = Option(
                whole,
                self.place.steps,
                lost,
                guard,
                self._record(shortened, approximation, radii[place], bound),
                ((self.question.term, approximation),),
            )
        if chosen is None or mean_digits(self.best.lost) - least < GAIN / 2:
            return []
        return [chosen]

    def _gained_at_most(self, lost: Array) -> float:
        """Digits in the mean that a series may save: it has a bound only where it is near."""
        near = lost <= NEAR
        return float(np.nanmean(np.where(near, np.maximum(0.0, self.best.lost - lost), 0.0)))

    def joined(self, own: Option, other: _Region, second: Option) -> Option | None:
        """Both series at once, where both regions hold; None if they stand in different forms or
        in one another.
        """
        terms, form = self.terms, self.place.form
        mine, others = self.question.term, other.question.term
        apart = mine not in terms.subterms(others) and others not in terms.subterms(mine)
        at_zero = self.question.point == other.question.point == 0
        if not apart or not at_zero or form != other.place.form:
            return None
        if own.series is None or second.series is None:
            return None
        first, last = own.series, second.series
        root = terms.replace(own.root, *second.replaced[0])[0]
        assert own.guard is not None and second.guard is not None
        guard = all_of(terms, [own.guard, second.guard])
        inside = self.table.values(guard) == 1
        lost = np.where(inside, self.table.lost(root), float(DIGITS[self.measurer.truth.target]))
        # Of sizes: the terms may cancel, and then their sum has no bound of its own
        joint = replace(
            first,
            variable=f"max(abs({first.variable}), abs({last.variable}))",
            kind="laurent" if "laurent" in (first.kind, last.kind) else first.kind,
            order=min(first.order, last.order),
            replaced=f"abs({first.replaced}) + abs({last.replaced})",
            written=f"abs({first.written}) + abs({last.written})",
            bound=max(first.bound, last.bound),
            box=_common([*first.box, *last.box]),
        )
        return Option(root, own.steps, lost, guard, joint, own.replaced + second.replaced)

    def _in_form(self, approximation: int) -> int:
        """The form with an approximation in the place of its term; no factor 1 stays there."""
        whole, changed = self.terms.replace(self.place.form, self.question.term, approximation)
        if self.terms.number(approximation) == 1:
            for _, number in changed:
                term = self.terms[number]
                if term.operator == "mul" and approximation in term.children:
                    left, right = term.children
                    other = right if left == approximation else left
                    return self.terms.replace(whole, number, other)[0]
        return whole

    def _radii(self) -> list[Fraction]:
        """Round radii that tell judged rows apart, the smallest first."""
        away = self.place.distance
        away = away[np.isfinite(away) & (away > 0)]
        if not len(away):
            return []
        low, high = float(away.min()), float(away.max())
        first, last = math.floor(math.log10(max(low, 1e-18))) - 1, math.ceil(math.log10(high)) + 1
        # A series is of use where the distance is small beside the numbers in the term
        last = max(min(last, 3), first + 1)
        turn = -1 if self.question.at_end else 1
        first, last = sorted((turn * first, turn * last))
        powers = range(first + min(turn, 0), last + 1)
        radii = sorted((Fraction(m) * Fraction(10) ** p) ** turn for p in powers for m in MANTISSAS)
        useful = [r for r in radii if r >= Fraction(low)]
        beyond = next((i for i, r in enumerate(useful) if r >= Fraction(high)), len(useful))
        return useful[: beyond + 1]

    def _largest(
        self, approximation: int, radii: Sequence[Fraction], most: int, kept: int
    ) -> tuple[int, float]:
        """The place of the largest radius, that of `most` at most, on which the bound is small
        enough, and the bound; -1 if there is none.
        """
        largest = -1, math.inf
        low, middle, high = 0, most, most + 1
        while low < high:
            sides = self.question.sides
            bound = self.proofs.bound(approximation, radii[middle], sides, kept)
            if bound <= self.enough:
                largest = middle, bound
                low = middle + 1
            else:
                high = middle
            middle = (low + high) // 2
        return largest

    def _bound_elsewhere(self, approximation: int, radius: Fraction) -> float:
        """The bound on the side of the point on which the data have no row: 0 if there is none."""
        others = tuple(side for side in (1, -1) if side not in self.question.sides)
        if self.question.at_end or not others:
            return 0.0
        try:
            return self.proofs.bound(approximation, radius, others)
        except BudgetSpent:
            return math.inf

    def _guard(self, radius: Fraction, one_sided: bool) -> int:
        """What holds where the bound does; of a series for one side of the point, there alone."""
        terms, (side, *_) = self.terms, self.question.sides
        near, far = ("less", "greater")[::side]
        h = distance(terms, self.question)
        if self.question.at_end:
            return compared(terms, f"{far}_equal", h, str(terms.text(side / radius)))
        if not one_sided:
            size = terms.intern("abs", (h,))
            return compared(terms, "less_equal", size, str(terms.text(radius)))
        # A product that underflows to 0 may be of the other side
        or_equal = "equal" if terms[h].operator in (VARIABLE, "sub") else "than"
        within = compared(terms, f"{near}_equal", h, str(terms.text(side * radius)))
        return terms.intern("logical_and", (compared(terms, f"{far}_{or_equal}", h, "0"), within))

    def _record(
        self, shortened: Expansion, approximation: int, radius: Fraction, bound: float
    ) -> Series:
        terms = self.terms
        kind: SeriesKind = "laurent" if self.question.at_end or shortened.first < 0 else "taylor"
        used = len(shortened.coefficients)
        places = [*self.expansion.powers, len(self.expansion.coefficients)]
        skipped = next(place for place in places if place >= used)
        return Series(
            to_python(terms.formula(self.question.quantity)),
            str(self.question.point),
            kind,
            shortened.first + skipped,
            to_python(terms.formula(self.question.term)),
            to_python(terms.formula(terms.with_quotients(approximation))),
            bound,
            tuple(InputInterval(name, *self._cut(name, radius)) for name in self.box),
        )

    def _cut(self, name: str, radius: Fraction) -> tuple[float, float]:
        """The data's interval of an input, cut to the region if the series is in it."""
        low, high = self.box[name]
        if self.terms[self.question.quantity] != (VARIABLE, (), name, None):
            return low, high
        (side, *_), point = self.question.sides, self.question.point
        if isinstance(point, str):
            ends = (float(side / radius), side * math.inf)
        else:
            ends = (float(point - radius), float(point + radius))
        return max(low, min(ends)), min(high, max(ends))


def _common(intervals: Sequence[InputInterval]) -> tuple[InputInterval, ...]:
    """One interval of each input: where all of its own hold."""
    spans: dict[str, InputInterval] = {}
    for name, low, high in intervals:
        other = spans.get(name, InputInterval(name, low, high))
        spans[name] = InputInterval(name, max(low, other.low), min(high, other.high))
    return tuple(spans.values())
