"""What a search keeps: its front, constants fitted to the last digit, and how they are printed.

While a search runs, the front is over error, nodes and the digits lost on some rows.  What it ends
with is fitted on all rows, written with the shortest constants that keep its fit, read again from
that text, and measured as `eic_core.pool.scoring` measures any formula.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eic_core.engine.values import values
from eic_core.explain.shortening import MOST_DIGITS, digits_of, shortenable, shortened_label
from eic_core.exports import Plain
from eic_core.formula.rendering import to_c, to_latex, to_python
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.refitting import constants_of, is_decimal, refitted
from eic_core.pool.candidate import Score
from eic_core.pool.front import front
from eic_core.pool.scoring import measure_formula
from eic_core.samples import Samples
from eic_core.search.fitting import Individual, fitted_formula, weigh
from eic_core.search.measuring import MeasuredTerms
from eic_core.search.problem import SearchProblem
from eic_core.search.vocabulary import Genome, without_ones

ALIKE_ERROR, ALIKE_DIGITS, EXACT = 1e-3, 0.05, 1e-14
"""An error smaller by this share, or fewer digits lost by this many, is no reason to keep another;
below the last, an error is rounding."""

MOST_KEPT = 60
"""Formulas of a front: those of the best fitness, and the best of each number of nodes."""

LEAST_NMSE = 1e-12
"""Rounding constants may always cost this much of R^2."""

FITTED_ROWS = 20_000

POLISHED = 4
POLISHING_STEPS = 6


def best_of(candidates: Iterable[Individual]) -> list[Individual]:
    """Those that no other beats in error, nodes and digits, by more than it takes to tell apart.

    >>> from eic_core.search.fitting import Fitted
    >>> known = [Individual(((name,),), Fitted((1.0,), 0.0, nmse), nodes, 0.2, 0.5)
    ...          for name, nmse, nodes in (("$x", 0.5, 3), ("$y", 0.4999, 3), ("$z", 0.1, 5))]
    >>> [candidate.fitted.nmse for candidate in best_of(known)]
    [0.4999, 0.1]
    """
    given = sorted(candidates, key=lambda c: (c.nodes, c.fitted.nmse, c.digits))
    kept: list[int] = []
    errors: list[float] = []  # of what is kept the least digits up to each error: ascending,
    digits: list[float] = []  # and descending
    for i, candidate in enumerate(given):  # nodes ascend: only what is kept can beat it
        error, own = max(candidate.fitted.nmse, EXACT), candidate.digits
        place = bisect_right(errors, error * (1 + ALIKE_ERROR))
        if place and digits[place - 1] <= own + ALIKE_DIGITS:
            continue
        kept.append(i)
        start = bisect_right(errors, error)
        if start and digits[start - 1] <= own:
            continue
        end = start = bisect_left(errors, error)
        while end < len(digits) and digits[end] >= own:
            end += 1
        errors[start:end], digits[start:end] = [error], [own]
    if len(kept) > MOST_KEPT:
        by_worth = sorted(kept, key=lambda i: -given[i].fitness)
        firsts = {given[i].nodes: i for i in reversed(by_worth)}.values()  # the best of each length
        kept = sorted({*firsts, *by_worth[: MOST_KEPT - len(firsts)]})
    return [given[i] for i in kept]


def unbeaten(candidates: Sequence[Individual], known: Sequence[Individual]) -> list[Individual]:
    """Those candidates that none of the known ones beats, as `best_of` has it."""
    if not candidates or not known:
        return list(candidates)
    numbers = [(max(c.fitted.nmse, EXACT), c.nodes, c.digits) for c in [*known, *candidates]]
    error, nodes, digits = np.array(numbers).T
    old, new = slice(len(known)), slice(len(known), None)
    beaten = error[old] <= error[new, None] * (1 + ALIKE_ERROR)
    beaten &= nodes[old] <= nodes[new, None]
    beaten &= digits[old] <= digits[new, None] + ALIKE_DIGITS
    return [candidates[i] for i in np.flatnonzero(~beaten.any(axis=1)).tolist()]


def polished(candidate: Individual, samples: Samples, steps: int) -> Genome:
    """A candidate's terms with the numbers inside them fitted to the target.

    - `steps`: at most so many.
    """
    formula = refitted(fitted_formula(candidate.genome, candidate.fitted), samples, steps)
    found = iter(constants_of(formula))
    terms = []
    for i, (term, coefficient) in enumerate(
        zip(candidate.genome, candidate.fitted.coefficients, strict=True)
    ):
        if (abs(coefficient) if i else coefficient) != 1:
            next(found)
        inner = [next(found) if isinstance(token, float) else token for token in term]
        terms.append(tuple(inner))
    return tuple(terms)


def kept_and_polished(
    candidates: Iterable[Individual], terms: MeasuredTerms, problem: SearchProblem
) -> tuple[list[Individual], list[Individual]]:
    """What an epoch ends with: what no other beats, and some of it with its inner numbers fitted.

    Returns copies: they age no more. The fittest and those of the least error are polished.
    """
    kept = [replace(c) for c in best_of(candidates)]
    tunable = [c for c in kept if has_number(c.genome)]
    chosen = sorted(tunable, key=lambda c: -c.fitness)[:POLISHED]
    nearest = sorted(tunable, key=lambda c: c.fitted.nmse)[:POLISHED]
    chosen += [candidate for candidate in nearest if candidate not in chosen]
    genomes = [polished(c, problem.training, POLISHING_STEPS) for c in chosen]
    ages = [c.age for c in chosen]
    better = weigh(genomes, ages, terms, problem.target, problem.weights)
    return best_of([*kept, *better]), [replace(c) for c in better]


def has_number(genome: Genome) -> bool:
    """Whether a number stands inside a term."""
    return any(token.__class__ is float for term in genome for token in term)


def shortest(formula: Formula, samples: Samples, tolerance: float) -> Formula:
    """The formula with constants of as few digits as keep its fit.

    - `samples`: with a target.
    - `tolerance`: 1 - R^2 may grow by this share of itself, or to 1e-12 where it is smaller.

    >>> samples = Samples.from_columns({"x": [0.0, 1.0, 2.0]}, target=[1.0, 3.02, 4.97])
    >>> to_python(shortest(read("1.98500001*x + 1.01166666").formula, samples, 0.1))
    '1.985*x + 1.01'
    """
    assert samples.target is not None

    def error(form: Formula) -> float:
        r2 = r_squared(values(form, samples), samples.target, spread=samples.target_spread)  # type: ignore[arg-type]
        return math.inf if math.isnan(r2) else 1 - r2

    places = [node.id for node in formula.nodes if is_decimal(node)]
    start = error(formula)
    room = max(tolerance * start, LEAST_NMSE)
    for turn, place in enumerate(places):
        label = formula.nodes[place].label
        limit = start + room * (turn + 1) / len(places)
        for digits in range(1, min(digits_of(label), MOST_DIGITS)):
            nodes = list(formula.nodes)
            nodes[place] = nodes[place]._replace(label=shortened_label(label, digits))
            shorter = Formula(tuple(nodes))
            if error(shorter) <= limit:
                formula = shorter
                break
    return formula


@dataclass(frozen=True)
class Found(Plain):
    """A formula that a search ends with."""

    text: str  # In Python's notation; all numbers here are of the formula that is read from it
    formula: Formula  # As it is read
    score: Score  # On all rows, as `eic_core.pool.scoring` has it
    loss: float  # The mean squared error
    digits_needed: int  # Significant digits of the longest constant; 0 without one

    _JSON = (
        "formula=text",
        "python=text",
        ("c", lambda found: to_c(found.formula)),
        ("latex", lambda found: to_latex(found.formula)),
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
) -> tuple[Found, ...]:
    """Fit, write and measure what a search found: the front over error, nodes and EIC.

    - `samples`: all rows, with a target.
    - `tolerance`: as `shortest` has it.

    Returns the shortest first.
    """
    rows = np.linspace(0, len(samples) - 1, min(len(samples), FITTED_ROWS)).astype(np.int64)
    fitted_on = samples.take(rows)
    texts = []
    for candidate in best_of(candidates):
        formula = refitted(fitted_formula(candidate.genome, candidate.fitted), fitted_on)
        texts.append(printed(without_ones(shortest(formula, fitted_on, tolerance))))
    found = [_found(text, samples) for text in dict.fromkeys(texts)]
    found = [one for one in found if math.isfinite(one.score.r2)]
    keys = [(1 - f.score.r2, f.formula.complexity, f.score.eic_finite) for f in found]
    kept = [found[i] for i in np.flatnonzero(front(np.array(keys)))] if keys else []
    return tuple(sorted(kept, key=lambda f: (f.formula.complexity, -f.score.r2)))


def printed(formula: Formula) -> str:
    """A formula in Python's notation; an exponent that was fitted and is whole is exact from now
    on, so that no word stands in it that Python does not know.

    >>> printed(read("pow_noisy(x, 2) + pow_noisy(x, 1.7)").formula)
    'x**2 + x**1.7'
    """
    text = to_python(formula)
    if "pow_noisy(" not in text:
        return text
    columns = formula.variables
    exact = read(text.replace("pow_noisy(", "pow("), syntax="infix", columns=columns).formula
    return to_python(exact)


def _found(text: str, samples: Samples) -> Found:
    """What is said of a formula's text."""
    formula = read(text, syntax="infix", columns=tuple(samples.columns)).formula
    score = measure_formula(formula, samples)
    longest = max([digits_of(label) for label in shortenable(formula)], default=0)
    loss = (1 - score.r2) * samples.target_spread / len(samples)
    return Found(text, formula, score, loss, longest)
