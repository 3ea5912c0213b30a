"""Where a series may help: a term that loses digits, a quantity of it, and a point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import itemgetter

import numpy as np

from eic_core.formula.tree import CONSTANT, VARIABLE
from eic_core.measure.observed import RoundedTruth
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import mean_digits
from eic_core.rewriting.gains import GAIN
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.regimes.cases import Option
from eic_core.rewriting.search import SearchStep
from eic_core.rewriting.series.expansion import ExpansionQuestion, Point, Side
from eic_core.rewriting.series.letters import splits
from eic_core.rewriting.series.scaling import inputs_outside, scaling_of
from eic_core.rewriting.terms import Terms

QUESTIONS = 4
"""Questions that are asked at most."""

COEFFICIENTS = 10
"""Coefficients, not 0, that are asked for."""

NEAR_BEST = 0.1
"""Digits in the mean by which a smaller term may help less than the best."""

CLEAR = 0.3
"""The rank correlation of loss and distance from which a point is asked for beside a better one."""

HOSTS = 2
"""The cheapest forms in which terms are looked for beside the best one and the formula."""

SCALED = 16.0
"""By how much a quantity that a term is a function of, but for a factor, goes before inputs."""

PARTS = 2
"""Terms of a scaled quantity each that are expanded."""

LARGEST_TERM = 60
"""Nodes of a term that is expanded."""

_TINY, _HUGE = 1e-290, 1e290
"""Between them a product of rounded numbers keeps its digits."""


@dataclass(frozen=True)
class ExpansionPlace:
    """A question, and the form in which its term stands."""

    question: ExpansionQuestion
    form: int
    steps: tuple[SearchStep, ...]
    values: Array  # The quantity at the judged rows

    @property
    def distance(self) -> Array:
        """How far the quantity is from the point; at an end of the line its reciprocal."""
        return _distance(self.values, self.question.point)


def _distance(values: Array, point: Point) -> Array:
    with np.errstate(all="ignore"):
        match point:
            case "inf":
                return np.where(values > 0, 1 / values, np.nan)
            case "-inf":
                return np.where(values < 0, -1 / values, np.nan)
        return np.abs(values - float(point))


def places(measurer: Measurer, best: Option) -> list[ExpansionPlace]:
    """What to ask, by how much loss each may remove, the most first."""
    scored: dict[tuple[int, int, Point], tuple[float, ExpansionPlace]] = {}
    for form, steps, term, saved in _candidates(measurer, best):
        own = _lost_by(measurer, term)
        for quantity in _quantities(measurer, term):
            values = measurer.everywhere.values(quantity)
            for point, weight in _points(values, own):
                side, row = _side(values, point), _middle_row(measurer, term, values, point)
                question = ExpansionQuestion(term, quantity, point, COEFFICIENTS, side, row)
                score = float(np.mean(saved)) + weight - 0.01 * measurer.terms.size(term)
                if _is_scaled(measurer.terms, term, quantity):
                    score += SCALED
                place = ExpansionPlace(question, form, steps, values.astype(np.float64))
                former = scored.get((term, quantity, point), (-math.inf, place))
                scored[term, quantity, point] = max(former, (score, place), key=itemgetter(0))
    ranked = sorted(scored.values(), key=lambda pair: -pair[0])
    return [place for _, place in ranked[:QUESTIONS]]


def _candidates(
    measurer: Measurer, best: Option
) -> Iterator[tuple[int, tuple[SearchStep, ...], int, Array]]:
    """Terms that are worth expanding, each with its form, its steps, and the digits that its exact
    value would save at the judged rows.
    """
    terms, formula = measurer.terms, measurer.root
    lost = np.nan_to_num(best.lost, nan=0.0)
    hosts = _hosts(measurer, best)
    operators = {form: {terms[n].operator for n in terms.subterms(form)} for form in hosts}
    for form, steps in hosts.items():
        guilty = _guilty(measurer, lost, form)
        for term in guilty:
            # As a whole where it has a function, and so perhaps a series, that the formula has not
            if term != form or (form == best.root and not operators[form] <= operators[formula]):
                yield form, steps, term, guilty[term]
        for term in dict.fromkeys((*guilty, form)) if guilty else ():
            for whole, part in splits(measurer.everywhere, term, lost >= GAIN):
                new = terms.replace(form, term, whole)[0]
                step = SearchStep("letters apart", term, whole, (), new)
                yield new, (*steps, step), part, _saved(measurer, lost, new, part)
        if form == best.root:
            alone = any(len(_quantities(measurer, term)) == 1 for term in guilty if term != form)
            small = 1 < terms.size(formula) <= LARGEST_TERM
            whole = form in guilty or not alone or len(_quantities(measurer, formula)) == 1
            if guilty and small and whole:
                yield formula, (), formula, lost


def _hosts(measurer: Measurer, best: Option) -> dict[int, tuple[SearchStep, ...]]:
    """The best form, some that are nearly as good, and the formula, with their steps."""
    table, most = measurer.everywhere, mean_digits(best.lost) + GAIN
    near = [f for f in measurer.outcome.forms if mean_digits(table.lost(f.root)) <= most]
    forms = {form.root: form.steps for form in near[:HOSTS]}
    return {best.root: best.steps} | forms | {measurer.root: ()}


def _guilty(measurer: Measurer, lost: Array, form: int) -> dict[int, Array]:
    """The smallest term that holds the steps which lose the digits, and that of the largest part
    of them, each with the digits that its exact value would save at the judged rows.
    """
    terms = measurer.terms
    saved: dict[int, Array] = {}
    for term in terms.subterms(form):
        size = terms.size(term)
        if not terms.has_variables(term) or not 1 < size <= LARGEST_TERM:
            continue
        measurer.budget.check()
        saved[term] = _saved(measurer, lost, form, term)
    means = {term: float(np.mean(each)) for term, each in saved.items()}
    most = max(means.values(), default=0.0)
    if most < GAIN:
        return {}
    near = [term for term in saved if means[term] >= most - NEAR_BEST]
    smallest = min(near, key=lambda term: (terms.size(term), term))
    others = [t for t in saved if means[t] >= max(GAIN, most / 3) and t not in near]
    part = sorted(others, key=lambda term: -means[term])[:1]
    scaled = [
        t
        for t in saved
        if means[t] >= GAIN / 2 and any(_is_scaled(terms, t, u) for u in terms.subterms(t))
    ]
    part += sorted(scaled, key=lambda term: -means[term])[:PARTS]
    return {term: saved[term] for term in (smallest, *part)}


def _saved(measurer: Measurer, lost: Array, form: int, term: int) -> Array:
    """The digits that the exact value of a term of a form would save at the judged rows."""
    exact = measurer.truth.values(measurer.truth.rows.verified, term)
    values = np.array([np.nan if v is None else float(v.mid()) for v in exact])
    table = measurer.everywhere.standing_in(term, values)
    return np.maximum(0.0, lost - np.nan_to_num(table.lost(form), nan=0.0))


def _lost_by(measurer: Measurer, term: int) -> Array:
    """The digits that a program loses with a term alone."""
    exact = measurer.truth.values(measurer.truth.rows.verified, term)
    table = measurer.everywhere
    return np.nan_to_num(RoundedTruth(exact, table.kind).digits_lost(table.values(term)))


def _quantities(measurer: Measurer, term: int) -> list[int]:
    """The one that the term depends on alone, if there is one; else each input."""
    terms = measurer.terms
    inputs = [n for n in terms.subterms(term) if terms[n].operator == VARIABLE]
    if len(inputs) == 1:
        return inputs
    whole = [
        u
        for u in terms.subterms(term)
        if u != term
        and terms[u].operator in ("mul", "div", "sub")
        and (not inputs_outside(terms, term, u) or _is_scaled(terms, term, u))
        and _is_safe(measurer, u)
    ]
    return [min(whole, key=terms.size)] if whole else inputs[:3]


def _is_scaled(terms: Terms, term: int, quantity: int) -> bool:
    """Whether the term is a power of an input times a function of the quantity alone."""
    scaling = scaling_of(terms, quantity)
    inputs = [n for n in terms.subterms(term) if terms[n].operator == VARIABLE]
    return (
        scaling is not None
        and set(inputs) == set(scaling.powers)
        and scaling.degree(terms, term) is not None
    )


def _is_safe(measurer: Measurer, quantity: int) -> bool:
    """Whether programs decide ``abs(quantity) <= r`` rightly within a few roundings."""
    terms = measurer.terms
    children = terms[quantity].children
    plain = (VARIABLE, CONSTANT)
    if terms[quantity].operator == "sub":
        return all(terms[c].operator in plain for c in children)
    for number in terms.subterms(quantity):
        if number == quantity or terms[number].operator in plain:
            continue
        whole = (
            terms[number].operator == "power"
            and Fraction(terms[number].parameter or 0).denominator == 1
        )
        if terms[number].operator not in ("mul", "div", "neg") and not whole:
            return False
        size = np.abs(measurer.everywhere.values(number).astype(np.float64))
        if not np.all((size > _TINY) & (size < _HUGE)):
            return False
    return True


def _middle_row(
    measurer: Measurer, term: int, values: Array, point: Point
) -> tuple[tuple[str, float], ...]:
    """The inputs of a term at the row that is neither near the point nor far from it."""
    terms, table = measurer.terms, measurer.everywhere
    distance = _distance(values, point)
    row = np.argsort(distance)[np.count_nonzero(~np.isnan(distance)) // 2]
    inputs = [n for n in terms.subterms(term) if terms[n].operator == VARIABLE]
    return tuple((terms[n].label, float(table.values(n)[row])) for n in inputs)


def _side(values: Array, point: Point) -> Side:
    if isinstance(point, str):
        return "both"
    if np.all(values >= float(point)):
        return "above"
    return "below" if np.all(values <= float(point)) else "both"


def _points(values: Array, saved: Array) -> list[tuple[Point, float]]:
    """Points toward which the losses grow, and how clearly they do (-1 to 1)."""
    usable = np.isfinite(values) & ((values != 0) | (saved >= GAIN))
    values, saved = values[usable].astype(np.float64), saved[usable]
    losing = values[saved >= GAIN]
    if not len(losing):
        return []
    size = np.log(np.maximum(np.abs(values), 5e-324))  # 0 is a product that is too small
    points: list[tuple[Point, float]] = [(Fraction(0), _rank_correlation(-size, saved))]
    for point, some in (("inf", values > 0), ("-inf", values < 0)):
        if np.any(some & (saved >= GAIN)):
            points.append((point, _rank_correlation(size, saved)))  # type: ignore[arg-type]
    clear = max(weight for _, weight in points)
    if clear < 0.75:
        worst = values[saved >= np.quantile(saved, 0.9)]
        middle = float(np.quantile(worst, 0.5, method="inverted_cdf"))  # A mean may overflow
        for digits in (1, 2):
            rounded = float(f"{middle:.{digits - 1}e}")
            if math.isinf(rounded):  # 1.7e308 rounds to 2e308
                continue
            near = Fraction(f"{middle:.{digits - 1}e}")
            with np.errstate(divide="ignore"):
                distance = np.log(np.abs(values - rounded))
            weight = _rank_correlation(-distance, saved)
            if weight > clear + 0.1 and near != 0:
                points.append((near, weight))
                break
    least = min(CLEAR, max(weight for _, weight in points))
    return [(point, weight) for point, weight in points if weight >= least]


def _rank_correlation(a: Array, b: Array) -> float:
    first, second = (np.argsort(np.argsort(x)).astype(float) for x in (a, b))
    if len(a) < 3 or (a == a[0]).all() or (b == b[0]).all():
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])
