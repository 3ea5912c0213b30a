"""Candidates: a few terms, their coefficients by linear regression, and what the whole is worth.

A candidate is y = c_0 + c_1 t_1 + ... + c_k t_k.  Its fitness is that of Yu et al. (Eq.
`eq:fitness`), eta^C/(1 + NMSE) - alpha EIC, of the *fitted* formula: coefficients, products and sums
are nodes of it, and their noise counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.operators.wide import Array
from eic_core.search.measuring import QUANTILE, MeasuredTerm
from eic_core.search.terms import Term

Genome = tuple[Term, ...]
"""The terms of a candidate, sorted, none twice."""

DEPENDENT = 1e-6
"""A term of which less than this part is left beside the terms before it takes no part in a fit."""

UNIT_COEFFICIENT = 1e-12
"""So near to 1 or -1 a coefficient is not written."""


def genome_of(terms: Sequence[Term]) -> Genome:
    """The terms of a candidate in their order."""
    return tuple(sorted(set(terms), key=lambda term: (len(term), str(term))))


@dataclass(frozen=True)
class Fitted:
    """Coefficients of a candidate.

    Attributes
    ----------
    coefficients : tuple of float
        One a term; 0 for a term that depends on those before it.
    intercept : float
    nmse : float
        Mean squared error by the variance of the target.
    """

    coefficients: tuple[float, ...]
    intercept: float
    nmse: float


class Target:
    """The target of a search, centred.

    Parameters
    ----------
    values : ndarray, shape (N,)
        Not all the same.
    """

    def __init__(self, values: Array) -> None:
        self.mean = float(np.mean(values))
        self.centred = values - self.mean
        self.square = float(self.centred @ self.centred)


def fit(measured: Sequence[Sequence[MeasuredTerm]], target: Target) -> list[Fitted]:
    """Least squares with an intercept, safe where terms depend on each other.

    Parameters
    ----------
    measured : sequence of sequences of MeasuredTerm
        Of each candidate the terms, one or more, the same number in each.
    target : Target

    Notes
    -----
    Modified Gram-Schmidt, all candidates at once; columns are centred and of length 1, so that what
    is left of one beside the others says how much of it is new.
    """
    columns = np.array([[term.unit for term in terms] for terms in measured])  # (M, k, N)
    count, width = columns.shape[:2]
    triangle = np.zeros((count, width, width))
    along = np.zeros((count, width))
    used = np.zeros((count, width), dtype=bool)
    rest = np.broadcast_to(target.centred, (count, columns.shape[2])).copy()
    for j in range(width):
        for i in range(j):
            part = np.einsum("mn,mn->m", columns[:, i], columns[:, j])
            triangle[:, i, j] = part
            columns[:, j] -= part[:, None] * columns[:, i]
        length = np.sqrt(np.einsum("mn,mn->m", columns[:, j], columns[:, j]))
        used[:, j] = length > DEPENDENT
        scale = np.where(used[:, j], length, np.inf)
        triangle[:, j, j] = np.where(used[:, j], length, 1.0)
        columns[:, j] /= scale[:, None]
        along[:, j] = np.einsum("mn,mn->m", columns[:, j], rest)
        rest -= along[:, j, None] * columns[:, j]
    nmse = np.einsum("mn,mn->m", rest, rest) / target.square
    found = np.zeros((count, width))
    for j in reversed(range(width)):
        value = along[:, j].copy()
        for i in range(j + 1, width):
            value -= triangle[:, j, i] * found[:, i]
        found[:, j] = np.where(used[:, j], value / triangle[:, j, j], 0.0)
    lengths = np.array([[term.length for term in terms] for terms in measured])
    means = np.array([[term.mean for term in terms] for terms in measured])
    coefficients = found / lengths
    intercepts = target.mean - np.sum(coefficients * means, axis=1)
    return [
        Fitted(tuple(coefficients[m].tolist()), float(intercepts[m]), float(nmse[m]))
        for m in range(count)
    ]


def nodes_of(genome: Genome, fitted: Fitted) -> int:
    """Nodes of a fitted formula: terms, coefficients, and the sums that join them."""
    parts, nodes = 0, 0
    for term, coefficient in zip(genome, fitted.coefficients, strict=True):
        if coefficient:
            parts += 1
            nodes += len(term) + (0 if coefficient == 1 else 2)
    if fitted.intercept or not parts:
        parts, nodes = parts + 1, nodes + 1
    return nodes + parts - 1


def digits_of(terms: Sequence[MeasuredTerm], fitted: Fitted, penalty: str) -> float:
    """What a fitted formula loses at its worst step, by the penalty's measure, 0 or more.

    Parameters
    ----------
    terms : sequence of MeasuredTerm
    fitted : Fitted
    penalty : {"q90", "mean"}

    Notes
    -----
    A product with a coefficient adds its own noise and the coefficient's; a sum passes each part's
    on by the square of its share of the sum, and is infinite where that is 0 (ADR 0001).
    """
    worst = 1.0
    total: Array | None = None
    s2 = np.empty(0)
    with np.errstate(all="ignore"):
        for term, coefficient in zip(terms, fitted.coefficients, strict=True):
            if not coefficient:
                continue
            y, own = coefficient * term.y, term.s2 + 2.0
            worst = max(worst, term.worst, _stands_for(own, penalty))
            if total is None:
                total, s2 = y, own
                continue
            whole = total + y
            s2 = 1 + (total / whole) ** 2 * s2 + (y / whole) ** 2 * own
            worst, total = max(worst, _stands_for(s2, penalty)), whole
        if total is not None and fitted.intercept:
            whole = total + fitted.intercept
            s2 = 1 + (total / whole) ** 2 * s2 + (fitted.intercept / whole) ** 2
            worst = max(worst, _stands_for(s2, penalty))
    return 0.5 * math.log10(worst) if worst < math.inf else math.inf


def _stands_for(s2: Array, penalty: str) -> float:
    if penalty == "mean":
        return float(np.mean(s2))
    place = math.ceil(QUANTILE * len(s2)) - 1
    found = float(np.partition(s2, place)[place])
    return math.inf if math.isnan(found) else found


@dataclass(slots=True)
class Candidate:
    """A fitted candidate and what it is worth.

    Attributes
    ----------
    genome : Genome
    fitted : Fitted
    nodes : int
    digits : float
        Lost at the worst step on the rows of the digits; nan while not asked for.
    fitness : float
    age : int
        Generations since its oldest part came up.
    """

    genome: Genome
    fitted: Fitted
    nodes: int
    digits: float
    fitness: float
    age: int = 0


def candidates_of(
    genomes: Sequence[Genome],
    known: Mapping[Term, MeasuredTerm | None],
    target: Target,
    *,
    alpha: float,
    eta: float,
    penalty: str,
    least: float = -math.inf,
) -> list[Candidate]:
    """Fit and weigh genomes, those of equally many terms together.

    Parameters
    ----------
    genomes : sequence of Genome
    known : mapping of Term to MeasuredTerm or None
        With all of their terms; candidates with a term that is None are left out.
    target : Target
    alpha, eta : float
        What a digit and a node cost.
    penalty : {"q90", "mean"}
    least : float
        A candidate that is worth no more before digits are looked at is left out: they only take.
    """
    by_width: dict[int, list[tuple[Genome, list[MeasuredTerm]]]] = {}
    for genome in genomes:
        terms = [known[term] for term in genome]
        if genome and None not in terms:
            by_width.setdefault(len(genome), []).append((genome, terms))  # type: ignore[arg-type]
    found: list[Candidate] = []
    for group in by_width.values():
        fits = fit([terms for _, terms in group], target)
        for (genome, terms), fitted in zip(group, fits, strict=True):
            if not math.isfinite(fitted.nmse) or not math.isfinite(fitted.intercept):
                continue
            nodes = nodes_of(genome, fitted)
            plain = eta**nodes / (1 + fitted.nmse)
            if plain <= least:
                continue
            digits = digits_of(terms, fitted, penalty) if alpha else 0.0
            if digits < math.inf:
                found.append(Candidate(genome, fitted, nodes, digits, plain - alpha * digits))
    return found
