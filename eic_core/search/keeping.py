"""The front of a search: its best candidates, at its end with short constants."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eic_core.engine.values import values
from eic_core.explain.shortening import MOST_DIGITS, digits_of, shortenable, shortened_label
from eic_core.exports import Plain
from eic_core.formula.c_file import to_c
from eic_core.formula.rendering import to_latex, to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.refitting import constants_of, is_decimal, refitted
from eic_core.pool.candidate import Score
from eic_core.pool.front import front
from eic_core.pool.scoring import measure_formula
from eic_core.samples import Samples, evenly_spread
from eic_core.search.fitting import Individual, fitted_formula, weigh
from eic_core.search.measuring import MeasuredTerms
from eic_core.search.problem import SearchProblem
from eic_core.search.vocabulary import Genome, without_ones

ALIKE_ERROR, ALIKE_DIGITS, EXACT = 1e-3, 0.05, 1e-14
"""Ties: errors that differ by this share, and digits that differ by this much; below the last, an
error is rounding."""

MOST_KEPT = 60
"""Most candidates of a front: those of the best fitness, and the best of each number of nodes."""

LEAST_NMSE = 1e-12
"""Error up to which constants may be shortened even from an exact fit."""

FITTED_ROWS = 20_000

POLISHED = 4
POLISHING_STEPS = 6


def best_of(candidates: Iterable[Individual]) -> list[Individual]:
    """Those that no other beats in error, nodes and digits by more than a tie.

    >>> from eic_core.search.fitting import Fitted
    >>> three = [Individual(((name,),), Fitted((1.0,), 0.0, nmse), nodes, 0.2, 0.5)
    ...          for name, nmse, nodes in (("$x", 0.5, 3), ("$y", 0.4999, 3), ("$z", 0.1, 5))]
    >>> [candidate.fitted.nmse for candidate in best_of(three)]
    [0.4999, 0.1]
    """
    ordered = sorted(candidates, key=lambda c: (c.nodes, c.fitted.nmse, c.digits))
    best: list[int] = []
    # the least digits of the best up to each error: errors ascend, digits descend
    errors: list[float] = []
    digits: list[float] = []
    for i, candidate in enumerate(ordered):  # nodes ascend: only an earlier one can beat it
        error, lost = max(candidate.fitted.nmse, EXACT), candidate.digits
        place = bisect_right(errors, error * (1 + ALIKE_ERROR))
        if place and digits[place - 1] <= lost + ALIKE_DIGITS:
            continue
        best.append(i)
        start = bisect_right(errors, error)
        if start and digits[start - 1] <= lost:
            continue
        end = start = bisect_left(errors, error)
        while end < len(digits) and digits[end] >= lost:
            end += 1
        errors[start:end], digits[start:end] = [error], [lost]
    if len(best) > MOST_KEPT:
        by_worth = sorted(best, key=lambda i: -ordered[i].fitness)
        fittest_of_size: dict[int, int] = {}
        for i in by_worth:
            fittest_of_size.setdefault(ordered[i].nodes, i)
        others = by_worth[: MOST_KEPT - len(fittest_of_size)]
        best = sorted({*fittest_of_size.values(), *others})
    return [ordered[i] for i in best]


def unbeaten(candidates: Sequence[Individual], rivals: Sequence[Individual]) -> list[Individual]:
    """Those candidates that none of the `rivals` beats, as in `best_of`."""
    if not candidates or not rivals:
        return list(candidates)
    numbers = [(max(c.fitted.nmse, EXACT), c.nodes, c.digits) for c in [*rivals, *candidates]]
    error, nodes, digits = np.array(numbers).T
    old, new = slice(len(rivals)), slice(len(rivals), None)
    beaten = error[old] <= error[new, None] * (1 + ALIKE_ERROR)
    beaten &= nodes[old] <= nodes[new, None]
    beaten &= digits[old] <= digits[new, None] + ALIKE_DIGITS
    return [candidates[i] for i in np.flatnonzero(~beaten.any(axis=1)).tolist()]


def polish(candidate: Individual, samples: Samples, steps: int) -> Genome:
    """A candidate's terms with their inner numbers fitted to the target."""
    formula = refitted(fitted_formula(candidate.genome, candidate.fitted), samples, steps)
    constants = iter(constants_of(formula))
    terms = []
    for i, (term, coefficient) in enumerate(
        zip(candidate.genome, candidate.fitted.coefficients, strict=True)
    ):
        # coefficients are constants of the formula, too, except for those that are not written
        if (abs(coefficient) if i else coefficient) != 1:
            next(constants)
        inner = [next(constants) if isinstance(token, float) else token for token in term]
        terms.append(tuple(inner))
    return tuple(terms)


def best_and_polished(
    candidates: Iterable[Individual], terms: MeasuredTerms, problem: SearchProblem
) -> tuple[list[Individual], list[Individual]]:
    """Copies, which age no more, of the best candidates, and of some with fitted inner numbers."""
    best = [replace(c) for c in best_of(candidates)]
    tunable = [c for c in best if has_number(c.genome)]
    chosen = sorted(tunable, key=lambda c: -c.fitness)[:POLISHED]
    nearest = sorted(tunable, key=lambda c: c.fitted.nmse)[:POLISHED]
    chosen += [candidate for candidate in nearest if candidate not in chosen]
    genomes = [polish(c, problem.training, POLISHING_STEPS) for c in chosen]
    ages = [c.age for c in chosen]
    better = weigh(genomes, ages, terms, problem.target, problem.weights)
    return best_of([*best, *better]), [replace(c) for c in better]


def has_number(genome: Genome) -> bool:
    return any(token.__class__ is float for term in genome for token in term)


def shorten_constants(formula: Formula, samples: Samples, tolerance: float) -> Formula:
    """The formula with constants of as few digits as its fit allows, within `tolerance`.

    >>> samples = Samples.from_columns({"x": [0.0, 1.0, 2.0]}, target=[1.0, 3.02, 4.97])
    >>> to_python(shorten_constants(read("1.98500001*x + 1.01166666").formula, samples, 0.1))
    '1.985*x + 1.01'
    """
    assert samples.target is not None

    def error(form: Formula) -> float:
        r2 = r_squared(values(form, samples), samples.target, spread=samples.target_spread)  # type: ignore[arg-type]
        return math.inf if math.isnan(r2) else 1 - r2

    places = [node.id for node in formula.nodes if is_decimal(node)]
    start = error(formula)
    # 1 - R^2 may grow by this share of itself, or to 1e-12
    allowance = max(tolerance * start, LEAST_NMSE)
    for turn, place in enumerate(places):
        label = formula.nodes[place].label
        # each constant may use its part of the tolerance, and what the ones before it did not use
        limit = start + allowance * (turn + 1) / len(places)
        for digits in range(1, min(digits_of(label), MOST_DIGITS)):
            nodes = list(formula.nodes)
            nodes[place] = nodes[place]._replace(label=shortened_label(label, digits))
            shorter = Formula(tuple(nodes))
            if error(shorter) <= limit:
                formula = shorter
                break
    return formula


@dataclass(frozen=True)
class FrontFormula(Plain):
    text: str  # In Python's notation; the other fields are of the formula that is read from it
    formula: Formula
    score: Score  # On all rows
    loss: float  # Mean squared error
    digits_needed: int  # Significant digits of the longest constant; 0 without one

    _JSON = (
        "formula=text",
        "python=text",
        ("c", lambda entry: to_c(entry.formula)),
        ("latex", lambda entry: to_latex(entry.formula)),
        "complexity=score.complexity",
        "loss",
        "r2=score.r2",
        "eic=score.eic",
        "eic_finite=score.eic_finite",
        "invalid=score.invalid",
        "singular=score.singular",
        "digits_needed",
    )


def finish(
    candidates: Iterable[Individual], samples: Samples, tolerance: float
) -> tuple[FrontFormula, ...]:
    """Fit, write and measure candidates: the front over R^2, nodes and EIC, the shortest first."""
    fitted_on = samples.take(evenly_spread(np.arange(len(samples)), FITTED_ROWS))
    texts = []
    for candidate in best_of(candidates):
        formula = refitted(fitted_formula(candidate.genome, candidate.fitted), fitted_on)
        texts.append(python_text(without_ones(shorten_constants(formula, fitted_on, tolerance))))
    measured = [_measure(text, samples) for text in dict.fromkeys(texts)]
    entries = [entry for entry in measured if math.isfinite(entry.score.r2)]
    keys = [(1 - e.score.r2, e.formula.complexity, e.score.eic_finite) for e in entries]
    best = [entries[i] for i in np.flatnonzero(front(np.array(keys)))] if keys else []
    return tuple(sorted(best, key=lambda f: (f.formula.complexity, -f.score.r2)))


def python_text(formula: Formula) -> str:
    """In Python's notation: a fitted exponent that is whole becomes exact, so as to need no
    function.

    >>> python_text(read("pow_noisy(x, 2) + pow_noisy(x, 1.7)").formula)
    'x**2 + x**1.7'
    """
    text = to_python(formula)
    if "pow_noisy(" not in text:
        return text
    columns = formula.variables
    exact = read(text.replace("pow_noisy(", "pow("), syntax="infix", columns=columns).formula
    return to_python(exact)


def _measure(text: str, samples: Samples) -> FrontFormula:
    formula = read(text, syntax="infix", columns=tuple(samples.columns)).formula
    score = measure_formula(formula, samples)
    longest = max([digits_of(label) for label in shortenable(formula)], default=0)
    loss = (1 - score.r2) * samples.target_spread / len(samples)
    return FrontFormula(text, formula, score, loss, longest)
