"""What a search knows of each term: its values, and how its noise grows, on fixed rows.

A term is measured once: values on all training rows, amplification on a fixed part of them.  Of the
amplification a search needs s^2 of the term itself at each of those rows, and the largest over its
nodes of what stands for s there: its 90 % quantile, or its root mean square as in EIC itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.engine.native import library as native
from eic_core.engine.native.library import INVALID
from eic_core.engine.passes import RANGE
from eic_core.engine.population import Population
from eic_core.formula.tree import Formula
from eic_core.operators.wide import Array
from eic_core.samples import Samples
from eic_core.search.terms import Term, formula_of

QUANTILE = 0.9

PENALTIES = ("q90", "mean")

MOST_TERMS = 30_000
"""Terms of which what was measured is kept."""

LEAST_SPREAD = 1e-10
"""A term whose values spread by less of their size is no better than the intercept."""


@dataclass(slots=True)
class MeasuredTerm:
    """A term on the rows of a search.

    Attributes
    ----------
    nodes : int
        How many it has.
    unit : ndarray, shape (N,)
        Its values on the training rows less their mean, scaled to length 1.
    mean, length : float
        Values are mean + length * unit.
    y, s2 : ndarray, shape (R,)
        Value and squared amplification on the rows of the digits.
    worst : float
        The largest over its nodes of what stands for s^2.
    """

    nodes: int
    unit: Array
    mean: float
    length: float
    y: Array
    s2: Array
    worst: float


class Terms:
    """Measures terms, and remembers them.

    Parameters
    ----------
    samples : Samples
        N training rows with a target.
    variables : sequence of str
        By number.
    digit_rows : ndarray of int, shape (R,)
        The rows on which digits are measured.
    penalty : {"q90", "mean"}
        What stands for s at a node: its 90 % quantile over the rows, or its root mean square.
    """

    def __init__(
        self, samples: Samples, variables: Sequence[str], digit_rows: Array, penalty: str
    ) -> None:
        self.samples = samples
        self.variables = tuple(variables)
        self.digit_rows = digit_rows
        self.on_digit_rows = samples.take(digit_rows)
        self.penalty = penalty
        self.known: dict[Term, MeasuredTerm | None] = {}

    def measure(self, terms: Iterable[Term]) -> Mapping[Term, MeasuredTerm | None]:
        """Measure what is not known yet.

        Parameters
        ----------
        terms : iterable of Term

        Returns
        -------
        mapping of Term to MeasuredTerm or None
            All terms that are known; None for one without a value at some row, beyond double range
            or constant on these data.
        """
        new = [term for term in dict.fromkeys(terms) if term not in self.known]
        if len(self.known) + len(new) > MOST_TERMS:
            self.known = {}
            new = list(dict.fromkeys(terms))
        if new:
            population = Population([formula_of(term, self.variables) for term in new])
            with np.errstate(all="ignore"):
                values = population.values(self.samples)
                real = np.isfinite(values).all(axis=1)
                self._add(new, values, *self._noise(population, real))
        return self.known

    def _add(
        self, terms: Sequence[Term], values: Array, s2: Array, worst: Array
    ) -> None:
        """Keep what was measured of new terms."""
        mean = values.mean(axis=1)
        centred = values - mean[:, None]
        length = np.sqrt(np.einsum("ij,ij->i", centred, centred))
        size = np.abs(values).max(axis=1) * np.sqrt(values.shape[1])
        usable = np.isfinite(length) & (length > LEAST_SPREAD * size) & ~np.isnan(worst)
        for i, term in enumerate(terms):
            self.known[term] = None if not usable[i] else MeasuredTerm(
                len(term), centred[i] / length[i], float(mean[i]), float(length[i]),
                values[i, self.digit_rows], s2[i], float(worst[i]),
            )  # fmt: skip

    def _noise(self, population: Population, real: Array) -> tuple[Array, Array]:
        """s^2 of each term's root at the rows of the digits, shape (M, R), and the worst inside.

        nan for those without a value somewhere, which are not `real`.
        """
        tape, rows = population.tape, len(self.digit_rows)
        engine = native.library()
        packed = None if engine is None else engine.pack(tape)
        if engine is None or packed is None:
            each = [self._noise_of(f, ok) for f, ok in zip(population.formulas, real, strict=True)]
            return np.array([s2 for s2, _ in each]), np.array([worst for _, worst in each])
        s2 = np.empty((len(tape), rows))
        address = int(s2.ctypes.data)
        run = engine.run(
            tape, packed, self.on_digit_rows.addresses, rows, mode=0, skip=INVALID | RANGE,
            out=INVALID | RANGE,
            keep_s2=[(slot, address + 8 * rows * slot) for slot in range(len(tape))],
        )  # fmt: skip
        worst = self._stands_for(s2).tolist()
        for slot, operands in enumerate(tape.operands):
            for operand in operands:
                if worst[operand] > worst[slot]:
                    worst[slot] = worst[operand]
        roots = np.array(tape.roots)
        found, highest = s2[roots], np.array(worst)[roots]
        for i in np.flatnonzero(np.array(run.signs)[roots]).tolist():  # some row is not ordinary
            found[i], highest[i] = self._noise_of(population.formulas[i], real[i])
        return found, highest

    def _noise_of(self, formula: Formula, real: bool = True) -> tuple[Array, float]:
        """The same of one formula, with all rules."""
        if not real:
            return np.full(len(self.digit_rows), np.nan), np.nan
        found = amplify(formula, self.on_digit_rows, recheck=False)
        if found.valid_count < len(self.on_digit_rows) or np.isnan(found.eic):
            return np.full(len(self.digit_rows), np.nan), np.nan
        slots = found.tape.nodes
        s2 = np.array([found.valid_s2(node) for node in slots])
        return s2[-1], float(np.max(self._stands_for(s2)))

    def _stands_for(self, s2: Array) -> Array:
        """Per node, the s^2 that counts over the rows of the digits."""
        if self.penalty == "mean":
            return np.asarray(np.mean(s2, axis=-1))
        place = int(np.ceil(QUANTILE * s2.shape[-1])) - 1
        return np.asarray(np.partition(s2, place, axis=-1)[..., place])
