"""What the digits of a table's own cells leave of the result, whatever the program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eic_core.explain.created import noise_at
from eic_core.explain.shortening import digits_of
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.measured import quantiles_of
from eic_core.measure.reasons import DOUBLE_DIGITS

MOST_ROWS = 300
"""Rows that are looked at, evenly spaced."""


@dataclass(frozen=True)
class GivenDigits:
    name: str  # The variable whose column has the fewest digits
    digits: int  # So many significant ones, at most
    kept: float  # Digits of the result that these leave at half of the rows, 0 at least

    _JSON = ("name", "digits", "kept")


@cached_on_inspection
def given_digits(inspection: Inspection) -> GivenDigits | None:
    """What a table gives and what the result keeps; None without a table, or if it gives doubles.

    A cell of n digits is taken to be wrong by 10^-n of its value, in all places where its variable
    stands alike.

    >>> import numpy as np
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> x = 1 - np.round(np.linspace(1e-4, 2e-4, 50), 7)
    >>> samples = Samples.from_columns({"x": x}, rows=np.arange(1, 51))
    >>> given = given_digits(inspect(read("sqrt(1-x)").formula, samples))
    >>> given.name, given.digits, round(given.kept)
    ('x', 7, 3)
    """
    formula, samples = inspection.formula, inspection.samples
    if samples.rows is None or not formula.variables:
        return None
    valid = np.flatnonzero(inspection.amplification.valid)
    rows = valid[:: max(1, -(-len(valid) // MOST_ROWS))]
    if not len(rows):
        return None
    digits = {
        name: max(digits_of(samples.decimal(name, row)) for row in rows.tolist())
        for name in formula.variables
    }
    name = min(digits, key=lambda name: digits[name])
    if digits[name] >= int(DOUBLE_DIGITS):
        return None
    places = {
        name: [node.id for node in formula.nodes if node.is_leaf and node.label == name]
        for name in formula.variables
    }
    kept = []
    for noise in noise_at(inspection, formula.root.id, rows):
        errors = [
            noise.arrived[places[name]].sum(axis=0) * 10.0 ** -digits[name] for name in places
        ]
        with np.errstate(divide="ignore"):
            kept.append(-np.log10(np.sqrt(np.sum(np.square(errors), axis=0))))
    typical = quantiles_of(np.clip(np.concatenate(kept), 0.0, DOUBLE_DIGITS)).typical
    return GivenDigits(name, digits[name], typical)
