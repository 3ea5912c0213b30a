"""Candidates: c_0 + c_1 t_1 + ... + c_k t_k, a few terms with coefficients by linear regression.

The fitness is that of Yu et al. (Eq. `eq:fitness`), eta^C/(1 + NMSE) - alpha EIC, of the *fitted*
formula: coefficients, products and sums are nodes of it, and their noise counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eic_core.engine.population import Counts
from eic_core.formula.syntax.build import constant_label
from eic_core.formula.tree import Draft, Formula, constant
from eic_core.operators.wide import Array
from eic_core.search.measuring import MeasuredTerms, stands_for
from eic_core.search.vocabulary import Genome, formula_of, join_sum, scaled

DEPENDENT = 1e-6
"""A term with less than this part of its length independent of the terms before it gets no part in
a fit."""

NEGLIGIBLE = 1e-9
"""A part that moves the prediction by less than this share of the target's spread is left out."""


class Fitted(NamedTuple):
    coefficients: tuple[float, ...]  # One a term, none of them 0
    intercept: float
    nmse: float  # Mean squared error over the variance of the target


class CentredTarget:
    """The target of a search, shape (N,), less its mean; not constant."""

    def __init__(self, values: Array) -> None:
        self.mean = float(np.mean(values))
        self.centred = values - self.mean
        self.square = float(self.centred @ self.centred)


class Fits(NamedTuple):
    """Least squares of M candidates of at most K terms."""

    coefficients: Array  # shape (M, K): 0 for no term, or one that is left out
    intercepts: Array  # shape (M,)
    nmse: Array  # shape (M,)


def fit(numbers: Counts, widths: Counts, terms: MeasuredTerms, target: CentredTarget) -> Fits:
    """Least squares with an intercept; `widths` are numbers of terms, 1 or more, descending."""
    count, most = numbers.shape
    # modified Gram-Schmidt, all candidates at once: columns are centred and of length 1, so the
    # length of a remainder is the part of a column that is new
    having = [int(np.count_nonzero(widths > j)) for j in range(most)]
    triangle = np.zeros((count, most, most))
    along, used = np.zeros((count, most)), np.zeros((count, most), dtype=bool)
    rest = np.broadcast_to(target.centred, (count, len(target.centred))).copy()
    columns: list[Array] = []
    for j, n in enumerate(having):
        column = terms.units[numbers[:n, j]]
        for i, before in enumerate(columns):
            part = np.einsum("mn,mn->m", before[:n], column)
            triangle[:n, i, j] = part
            column -= part[:, None] * before[:n]
        length = np.sqrt(np.einsum("mn,mn->m", column, column))
        new = length > DEPENDENT
        used[:n, j] = new
        triangle[:n, j, j] = np.where(new, length, 1.0)
        column /= np.where(new, length, np.inf)[:, None]
        part = np.einsum("mn,mn->m", column, rest[:n])
        along[:n, j] = part
        rest[:n] -= part[:, None] * column
        columns.append(column)
    nmse = np.einsum("mn,mn->m", rest, rest) / target.square
    on_units = np.zeros((count, most))
    for j in reversed(range(most)):
        value = along[:, j] - np.einsum("mi,mi->m", triangle[:, j, j + 1 :], on_units[:, j + 1 :])
        on_units[:, j] = np.where(used[:, j], value / np.where(used[:, j], triangle[:, j, j], 1), 0)
    negligible = NEGLIGIBLE * math.sqrt(target.square)
    lengths = terms.lengths[numbers]
    with np.errstate(all="ignore"):
        coefficients = np.where(np.abs(on_units) > negligible, on_units / lengths, 0.0)
        # a coefficient so near to 1 or -1 that nobody sees the difference costs no nodes
        sign = np.copysign(1.0, coefficients)
        coefficients = np.where(
            np.abs(coefficients - sign) * lengths <= negligible,
            sign * (coefficients != 0),
            coefficients,
        )
        intercepts = target.mean - np.einsum("mk,mk->m", coefficients, terms.means[numbers])
    unwritten = np.abs(intercepts) * math.sqrt(len(target.centred)) <= negligible
    return Fits(coefficients, np.where(unwritten, 0.0, intercepts), nmse)


def is_written(coefficients: Array) -> Array:
    """Which coefficients are written: not 1, nor -1 after another term, which is a difference."""
    present = coefficients != 0
    later = np.cumsum(present, axis=1) > 1
    return np.asarray(present & (coefficients != 1) & ~((coefficients == -1) & later))


def nodes_of(fits: Fits, nodes: Counts) -> Counts:
    """Nodes of fitted formulas: terms, coefficients, and the sums that join them."""
    present = fits.coefficients != 0
    own = np.where(present, nodes, 0) + 2 * is_written(fits.coefficients)
    parts = present.sum(axis=1)
    intercept = (fits.intercepts != 0) | (parts == 0)
    parts = parts + intercept
    return np.asarray(own.sum(axis=1) + intercept + parts - 1)


def digits_of(numbers: Counts, fits: Fits, terms: MeasuredTerms) -> Array:
    """Digits lost at the worst step, 0 or more, by the penalty; `terms` are settled."""
    count, most = numbers.shape
    worst = np.ones(count)
    total, s2 = np.zeros((count, len(terms.digit_rows))), np.zeros((count, len(terms.digit_rows)))
    written = is_written(fits.coefficients)
    started = np.zeros(count, dtype=bool)

    def join(rows: Counts, y: Array, own: Array) -> None:
        # a sum passes each part's noise on by the square of its share of the sum, and adds its own
        first = ~started[rows]
        if first.all():
            total[rows], s2[rows], started[rows] = y, own, True
            return
        whole = total[rows] + y
        joined = 1 + (total[rows] / whole) ** 2 * s2[rows] + (y / whole) ** 2 * own
        if np.isnan(joined).any():  # 0 + 0, or an exact 0 without any digit: infinite (ADR 0001)
            nothing = (whole == 0) & (y == 0)
            joined = np.where(nothing, 1.0, np.where(np.isnan(joined), np.inf, joined))
        s2[rows] = np.where(first[:, None], own, joined)
        total[rows] = whole
        started[rows] = True
        # the mean or quantile of s^2 is at most its largest value: the others need none
        above = np.flatnonzero(~first & (joined.max(axis=1) > worst[rows]))
        if len(above):
            later = rows[above]
            worst[later] = np.maximum(worst[later], stands_for(joined[above], terms.penalty))

    with np.errstate(all="ignore"):
        for j in range(most):
            rows = np.flatnonzero(fits.coefficients[:, j])
            if len(rows):
                term, product_noise = numbers[rows, j], 2.0 * written[rows, j]
                at_product = np.maximum(terms.worst[term], terms.at_root[term] + product_noise)
                worst[rows] = np.maximum(worst[rows], at_product)
                y = fits.coefficients[rows, j, None] * terms.y[term]
                join(rows, y, terms.s2[term] + product_noise[:, None])
        rows = np.flatnonzero((fits.intercepts != 0) & started)
        if len(rows):
            join(rows, np.broadcast_to(fits.intercepts[rows, None], total[rows].shape), np.ones(1))
        return np.asarray(0.5 * np.log10(worst))


@dataclass(slots=True)
class Individual:
    genome: Genome
    fitted: Fitted
    nodes: int
    digits: float  # Lost at the worst step; 0 while a digit costs nothing
    fitness: float
    age: int = 0  # Generations since its oldest part came up


@dataclass(frozen=True)
class Weights:
    alpha: float  # Cost of a digit
    eta: float  # Factor for each node, at most 1
    most_nodes: int  # Longer candidates are left out


def weigh(
    genomes: Sequence[Genome],
    ages: Sequence[int],
    terms: MeasuredTerms,
    target: CentredTarget,
    weights: Weights,
    least: float = -math.inf,
) -> list[Individual]:
    """Fit and weigh genomes, the longest first; unusable ones and needless terms drop out."""
    number = terms.measure(term for genome in genomes for term in genome)
    numbers_of = [[number[term] for term in genome] for genome in genomes]
    usable = [i for i, own in enumerate(numbers_of) if own and min(own) >= 0]
    if not usable:
        return []
    usable.sort(key=lambda i: -len(numbers_of[i]))
    widths = np.array([len(numbers_of[i]) for i in usable])
    most = int(widths[0])
    numbers = np.array([numbers_of[i] + [0] * (most - len(numbers_of[i])) for i in usable])
    fits = fit(numbers, widths, terms, target)
    fits.coefficients[np.arange(most) >= widths[:, None]] = 0.0
    nodes = nodes_of(fits, terms.nodes[numbers])
    plain = weights.eta**nodes / (1 + fits.nmse)
    # digits only lower the fitness: who is at `least` without them is out before they are measured
    good = np.isfinite(fits.nmse) & np.isfinite(fits.intercepts) & (plain > least)
    good &= (nodes <= weights.most_nodes) & (fits.coefficients != 0).any(axis=1)
    chosen = np.flatnonzero(good)
    if not len(chosen):
        return []
    fits = Fits(*[part[chosen] for part in fits])
    if weights.alpha and terms.unsettled:
        terms.settle(numbers[chosen][fits.coefficients != 0].tolist())
    digits = digits_of(numbers[chosen], fits, terms) if weights.alpha else np.zeros(len(chosen))
    fitness = plain[chosen] - weights.alpha * digits
    worth_it = np.flatnonzero(fitness > least)  # false where digits are infinite
    chosen, digits, fitness = chosen[worth_it], digits[worth_it], fitness[worth_it]
    fits = Fits(*[part[worth_it] for part in fits])
    complete = (fits.coefficients != 0).sum(axis=1) == widths[chosen]
    rows = zip(
        chosen.tolist(),
        fits.coefficients.tolist(),
        fits.intercepts.tolist(),
        fits.nmse.tolist(),
        nodes[chosen].tolist(),
        digits.tolist(),
        fitness.tolist(),
        complete.tolist(),
        strict=True,
    )
    weighed: list[Individual] = []
    for place, coefficients, intercept, nmse, size, lost, worth, whole in rows:
        i = usable[place]
        genome = genomes[i]
        if whole:
            coefficients = coefficients[: len(genome)]
        else:
            pairs = [(t, c) for t, c in zip(genome, coefficients, strict=False) if c]
            genome, coefficients = tuple(t for t, _ in pairs), [c for _, c in pairs]
        fitted = Fitted(tuple(coefficients), intercept, nmse)
        weighed.append(Individual(genome, fitted, size, lost, worth, ages[i]))
    return weighed


def fitted_formula(genome: Genome, fitted: Fitted) -> Formula:
    """The formula whose nodes and digits a candidate counts.

    >>> from eic_core.formula.rendering import to_python
    >>> terms = (("$x", "sin"), ("$x", "$y", "mul"), ("$y",))
    >>> to_python(fitted_formula(terms, Fitted((2.5, -1.0, -0.5), -3.0, 0.0)))
    '2.5*sin(x) - x*y - 0.5*y - 3'
    """
    whole: Draft | None = None
    for term, coefficient in zip(genome, fitted.coefficients, strict=True):
        part = formula_of(term).to_draft()
        part = scaled(part, coefficient if whole is None else abs(coefficient))
        whole = part if whole is None else join_sum(whole, part, coefficient > 0)
    if fitted.intercept or whole is None:
        if whole is None:
            whole = constant(constant_label(fitted.intercept))
        else:
            intercept = constant(constant_label(abs(fitted.intercept)))
            whole = join_sum(whole, intercept, fitted.intercept > 0)
    return Formula.from_draft(whole)
