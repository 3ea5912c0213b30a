"""Many formulas on the same samples: one tape, one call, equal subtrees evaluated once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.engine.native import library as native
from eic_core.engine.native.library import INVALID, Packed, WalkSummary
from eic_core.engine.tape import Tape, lay_out_population
from eic_core.engine.values import plain_values, values
from eic_core.engine.walked import RANGE
from eic_core.formula.tree import Formula
from eic_core.samples import Samples

Floats = np.ndarray[Any, np.dtype[np.float64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]


STEADY = 3.0
"""Digits from which on a constant part, such as sin(pi), is settled beyond doubles, alone."""


@dataclass(frozen=True)
class PopulationScores:
    # eic, eic_finite: shape (M,): Digits; nan where no sample is valid or a lost value would be
    # needed
    eic: Floats
    eic_finite: Floats
    # invalid, singular, out_of_range: shape (M,): Samples, as in
    # `eic_core.engine.amplify.Amplification`
    invalid: Counts
    singular: Counts
    out_of_range: Counts
    # shape (M, N): The formulas' values, nan at invalid samples; only if asked for
    values: Floats | None


class Population:
    """Formulas laid out on one tape.

    Parameters
    ----------
    formulas
        At least one.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> population = Population([read(t).formula for t in ("x - 1", "(x - 1)*2", "log(x)")])
    >>> len(population.tape)  # x, 1, the difference, 2, the product, the logarithm
    6
    >>> scores = population.amplify(Samples.from_columns({"x": [2.0, 4.0, -1.0]}))
    >>> scores.invalid.tolist(), scores.eic.round(2).tolist()
    ([0, 0, 1], [0.27, 0.37, 0.18])
    """

    def __init__(self, formulas: Sequence[Formula]) -> None:
        self.formulas = tuple(formulas)
        self.tape: Tape = lay_out_population(self.formulas)

    def amplify(self, samples: Samples, *, keep_values: bool = False) -> PopulationScores:
        """Score every formula.

        Parameters
        ----------
        samples
            N rows, with a column for each variable.
        keep_values
            Whether to keep every formula's values.

        Returns
        -------
        PopulationScores
            An entry for each formula, in their order.

        Raises
        ------
        DataError
            If a variable has no column.
        """
        ordinary = self.ordinary(samples, keep_values=keep_values)
        if ordinary is None:
            eic = np.full(len(self.formulas), math.nan)
            root_values = np.empty((len(eic), len(samples) if keep_values else 0))
        else:
            eic, root_values = ordinary
        eic_finite = eic.copy()
        invalid, singular, beyond = (np.zeros(len(eic), dtype=np.int64) for _ in range(3))
        for i in np.flatnonzero(np.isnan(eic)).tolist():
            alone = amplify(self.formulas[i], samples, recheck=False, root_values=keep_values)
            eic[i], eic_finite[i] = alone.eic, alone.eic_finite
            invalid[i], singular[i] = len(samples) - alone.valid_count, alone.singular_samples
            beyond[i] = alone.out_of_range
            if alone.root_values is not None:
                # The amplification follows a value beyond double range; `values` does not.
                lost = alone.out_of_range > 0
                root_values[i] = values(self.formulas[i], samples) if lost else alone.root_values
        return PopulationScores(
            eic, eic_finite, invalid, singular, beyond, root_values if keep_values else None
        )

    def ordinary(
        self, samples: Samples, *, keep_values: bool = True
    ) -> tuple[Floats, Floats] | None:
        """EIC and values of the formulas that have a value and no singular node at every row.

        Parameters
        ----------
        samples
            N rows, with a column for each variable.
        keep_values
            Whether to keep every formula's values.

        Returns
        -------
        tuple[Floats, Floats] | None
            The EIC, nan for the others. Shape (M,).
            The values, which mean nothing for the others. Shape (M, N), (M, 0) if not kept.
            None without native engine.
        """
        packed = native.pack(self.tape)
        samples.require(self.tape.variables)
        if packed is None:
            return None
        rows = len(samples)
        run, root_values = self._run(packed, samples, RANGE, rows if keep_values else 0, mode=0)
        eic = np.array(
            [
                math.nan if odd else 0.5 * math.log10(total / rows)
                for total, odd in zip(run.sums, run.signs, strict=True)
            ]
        )
        for i in np.flatnonzero(eic > STEADY).tolist():
            if self.has_constant_step(i):
                eic[i] = math.nan
        return eic, root_values

    def has_constant_step(self, number: int) -> bool:
        """Whether a formula may compute something of constants alone that loses digits.

        Parameters
        ----------
        number
            Its place among the formulas.

        Returns
        -------
        bool
            True also where the compiled engine, which looks, is not there.
        """
        packed = native.pack(self.tape)
        return packed is None or packed.has_constant_step(self.tape.roots[number])

    def values(self, samples: Samples) -> Floats:
        """Every formula's values alone.

        Parameters
        ----------
        samples
            N rows, with a column for each variable.

        Returns
        -------
        Floats
            nan where some node has no finite double; nothing beyond double range is followed.
            Shape (M, N).
        """
        packed = native.pack(self.tape)
        samples.require(self.tape.variables)
        if packed is None:
            return np.array([plain_values(formula, samples) for formula in self.formulas])
        run, root_values = self._run(packed, samples, 0, len(samples), mode=native.VALUES_ONLY)
        for i in np.flatnonzero(run.signs).tolist():
            root_values[i] = values(self.formulas[i], samples)
        return root_values

    def _run(
        self, packed: Packed, samples: Samples, out: int, rows: int, *, mode: int
    ) -> tuple[WalkSummary, Floats]:
        """A run, and the roots' values at the first `rows` samples (none or all)."""
        roots = self.tape.roots
        root_values = np.empty((len(roots), rows))
        place = {root: i for i, root in enumerate(roots)}
        run = packed.run(
            samples.addresses,
            len(samples),
            mode=mode,
            skip=INVALID | out,
            out=INVALID | out,
            keep_y=(roots, root_values) if rows else None,
            sum_slots=np.array(roots),
        )
        if rows and len(place) < len(roots):  # equal formulas share a root
            for i, root in enumerate(roots):
                if place[root] != i:
                    root_values[i] = root_values[place[root]]
        return run, root_values
