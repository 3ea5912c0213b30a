"""Series with a proved bound as options of a form that chooses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

import numpy as np

from eic_core.formula.rendering import to_python
from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.observed import DIGITS
from eic_core.operators.wide import Array
from eic_core.rewriting.builder import Builder
from eic_core.rewriting.doubles import mean_digits
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.pieces import InputInterval, Omission, Series, SeriesKind
from eic_core.rewriting.regimes.cases import Option, all_of
from eic_core.rewriting.searched import Searched
from eic_core.rewriting.series.expanding import expand
from eic_core.rewriting.series.expansion import Expansion
from eic_core.rewriting.series.horner import number_term, written
from eic_core.rewriting.series.proof import Proofs
from eic_core.rewriting.series.regions import COEFFICIENTS, ExpansionPlace, places
from eic_core.rewriting.work import BudgetSpent

BOUND = {"float64": 2.0**-53, "float32": 2.0**-24}
"""What an approximation may add: half a unit in the last place of 1."""

FEWER = 0.05
"""Digits in the mean that a series of fewer terms may lose more; at the worst row `GAIN`."""

NEAR = 4.0
"""Digits lost from which on a series is too far from its term to have a bound."""

MANTISSAS = (1, 2, 3, 5, 7)
"""The first digits of a radius."""


def series_options(searched: Searched, best: Option) -> tuple[list[Option], list[Omission]]:
    """The best approximation of each region, and what was left out."""
    try:
        asked = places(searched, best)
    except BudgetSpent:
        return [], [Omission.SERIES_TIME]
    if not asked:
        return [], []
    budget = searched.budget
    options: list[Option] = []
    left_out: list[Omission] = []
    chosen: list[tuple[_Region, Option]] = []
    helped = False
    for place in asked:
        try:
            expansion = expand(searched.terms, place.question, budget)
        except BudgetSpent:
            expansion = None
        if expansion is not None:
            region = _Region(searched, best, place, expansion)
            of_region = region.options()
            options += of_region
            chosen += [(region, option) for option in of_region]
            helped |= region.would_help and not budget.passed
        if budget.passed:
            left_out.append(Omission.SERIES_TIME)
            break
    options += [
        joined
        for (first, one), (second, other) in combinations(chosen, 2)
        if (joined := first.joined(one, second, other)) is not None
    ]
    if helped and not options:
        left_out.append(Omission.SERIES_UNPROVED)
    return options, left_out


@dataclass(frozen=True)
class _Candidate:
    option: Option
    approximation: int
    terms: int
    # Digits lost, each row by the better of it and the best form
    mean: float
    worst: float


class _Region:
    def __init__(
        self, searched: Searched, best: Option, place: ExpansionPlace, expansion: Expansion
    ) -> None:
        self.searched, self.terms, self.best = searched, searched.terms, best
        self.place, self.expansion = place, expansion
        self.question = place.question
        self.table = searched.measurer.everywhere
        self.enough = BOUND[searched.target]
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
            searched.budget,
            enough=self.enough,
        )
        self.would_help = False
        self.approximation = self.question.term

    def _span(self, name: str) -> tuple[float, float]:
        with np.errstate(over="ignore"):  # a number that float32 has not
            column = np.asarray(self.searched.samples.columns[name], self.searched.target)
        column = column[np.isfinite(column)].astype(np.float64)
        return (float(column.min()), float(column.max())) if len(column) else (0.0, 0.0)

    @property
    def sides(self) -> tuple[int, ...]:
        match self.question.side:
            case "above":
                return (1,)
            case "below":
                return (-1,)
        return (1, -1)

    def options(self) -> list[Option]:
        """The fewest terms that keep as many digits as any, if that helps."""
        candidates: list[_Candidate] = []
        radii = self._radii()
        if not radii:
            return []
        for count in range(1, COEFFICIENTS + 1):
            shortened = self._shortened(count)
            if shortened is None:
                break
            approximation = written(self.terms, shortened)
            whole = self._in_form(approximation)
            lost = self.table.lost(whole)
            gained = mean_digits(self.best.lost) - mean_digits(np.fmin(self.best.lost, lost))
            self.would_help |= gained >= GAIN
            if self._gained_at_most(lost) < GAIN / 2:
                continue
            try:
                place = self._largest(approximation, radii)
            except BudgetSpent:
                break
            if place is None:
                continue
            radius, bound = place
            elsewhere = self._bound_elsewhere(approximation, radius)
            one_sided = elsewhere > self.enough
            guard = self._guard(radius, one_sided)
            bound = bound if one_sided else max(bound, elsewhere)
            inside = self.table.values(guard) == 1
            lost = np.where(inside, lost, float(DIGITS[self.searched.target]))
            option = Option(
                whole,
                self.place.steps,
                lost,
                guard,
                self._record(shortened, approximation, radius, bound),
            )
            both = np.fmin(self.best.lost, lost)
            worst = float(np.nanmax(both, initial=0.0))
            candidates.append(_Candidate(option, approximation, count, mean_digits(both), worst))
            if radius == radii[-1]:
                break
        if not candidates:
            return []
        least = min(candidate.mean for candidate in candidates)
        if mean_digits(self.best.lost) - least < GAIN / 2:
            return []
        worst = min(each.worst for each in candidates if each.mean <= least + FEWER)
        chosen = next(
            each for each in candidates if each.mean <= least + FEWER and each.worst <= worst + GAIN
        )
        self.approximation = chosen.approximation
        return [chosen.option]

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
        root = terms.replace(own.root, others, other.approximation)[0]
        assert own.guard is not None and second.guard is not None
        guard = all_of(terms, [own.guard, second.guard])
        inside = self.table.values(guard) == 1
        lost = np.where(inside, self.table.lost(root), float(DIGITS[self.searched.target]))
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
        return Option(root, own.steps, lost, guard, joint)

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

    def _shortened(self, count: int) -> Expansion | None:
        """With so many coefficients that are not 0; None if there are fewer."""
        places = [i for i, c in enumerate(self.expansion.coefficients) if self.terms.number(c) != 0]
        if len(places) < count:
            return None
        return replace(
            self.expansion, coefficients=self.expansion.coefficients[: places[count - 1] + 1]
        )

    def _radii(self) -> list[Fraction]:
        """Round radii that tell judged rows apart, the smallest first."""
        distance = self.place.distance
        distance = distance[np.isfinite(distance) & (distance > 0)]
        if not len(distance):
            return []
        low, high = float(distance.min()), float(distance.max())
        first, last = math.floor(math.log10(max(low, 1e-18))) - 1, math.ceil(math.log10(high)) + 1
        # A series is of use where the distance is small beside the numbers in the term
        last = max(min(last, 3), first + 1)
        rounds = [
            Fraction(m) * Fraction(10) ** power
            for power in range(
                -last - 1 if self.at_end else first, (-first if self.at_end else last) + 1
            )
            for m in MANTISSAS
        ]
        radii = sorted(1 / r if self.at_end else r for r in rounds)
        useful = [r for r in radii if r >= Fraction(low)]
        beyond = next((i for i, r in enumerate(useful) if r >= Fraction(high)), len(useful))
        return useful[: beyond + 1]

    @property
    def at_end(self) -> bool:
        return isinstance(self.question.point, str)

    def _largest(
        self, approximation: int, radii: Sequence[Fraction]
    ) -> tuple[Fraction, float] | None:
        """The largest radius on which the bound is small enough, and the bound."""
        place: tuple[Fraction, float] | None = None
        low, high = 0, len(radii)
        while low < high:
            middle = (low + high) // 2
            bound = self.proofs.bound(approximation, radii[middle], self.sides)
            if bound <= self.enough:
                place = radii[middle], bound
                low = middle + 1
            else:
                high = middle
        return place

    def _bound_elsewhere(self, approximation: int, radius: Fraction) -> float:
        """The bound on the side of the point on which the data have no row: 0 if there is none."""
        others = tuple(side for side in (1, -1) if side not in self.sides)
        if self.at_end or not others:
            return 0.0
        try:
            return self.proofs.bound(approximation, radius, others)
        except BudgetSpent:
            return math.inf

    def _guard(self, radius: Fraction, one_sided: bool) -> int:
        """What holds where the bound does; of a series for one side of the point, there alone."""
        terms, quantity = self.terms, self.question.quantity
        point = self.question.point
        if point == "inf":
            return self._compared("greater_equal", quantity, 1 / radius)
        if point == "-inf":
            return self._compared("less_equal", quantity, -1 / radius)
        assert isinstance(point, Fraction)
        if point:
            quantity = Builder(terms).sub(quantity, number_term(terms, point))
        if not one_sided:
            return self._compared("less_equal", terms.intern("abs", (quantity,)), radius)
        # A product that underflows to 0 may be of the other side
        or_equal = "_equal" if terms[quantity].operator in (VARIABLE, "sub") else "_than"
        if self.question.side == "above":
            relations = (f"greater{or_equal}", Fraction(0)), ("less_equal", radius)
        else:
            relations = (f"less{or_equal}", Fraction(0)), ("greater_equal", -radius)
        sides = [self._compared(operator, quantity, value) for operator, value in relations]
        return terms.intern("logical_and", tuple(sides))

    def _compared(self, operator: str, term: int, value: Fraction) -> int:
        label = self.terms.text(value)
        assert label is not None
        number = self.terms.intern(CONSTANT, label=label)
        return self.terms.intern(operator, (term, number))

    def _record(
        self, shortened: Expansion, approximation: int, radius: Fraction, bound: float
    ) -> Series:
        terms, point = self.terms, self.question.point
        kind: SeriesKind = "laurent" if self.at_end or shortened.first < 0 else "taylor"
        used = len(shortened.coefficients)
        rest = self.expansion.coefficients[used:]
        skipped = next((i for i, c in enumerate(rest) if terms.number(c) != 0), len(rest))
        return Series(
            to_python(terms.formula(self.question.quantity)),
            str(point),
            kind,
            shortened.first + used + skipped,
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
        match self.question.point:
            case "inf":
                return max(low, float(1 / radius)), high
            case "-inf":
                return low, min(high, -float(1 / radius))
            case point:
                return max(low, float(point - radius)), min(high, float(point + radius))


def _common(intervals: Sequence[InputInterval]) -> tuple[InputInterval, ...]:
    """One interval of each input: where all of its own hold."""
    spans: dict[str, InputInterval] = {}
    for name, low, high in intervals:
        other = spans.get(name, InputInterval(name, low, high))
        spans[name] = InputInterval(name, max(low, other.low), min(high, other.high))
    return tuple(spans.values())
