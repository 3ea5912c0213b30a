"""Running a formula with rounded numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.errors import UserError
from eic_core.explain.shortening import (
    MOST_DIGITS,
    digits_of,
    makes_exponent_exact,
    rounded_column,
    shortenable,
    with_labels,
)
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.inspection import Inspection
from eic_core.measure.observed import rms
from eic_core.operators.wide import Array
from eic_core.samples import Samples

SEARCH_ROWS = 2_000
CAREFUL_ROWS = 100
"""Rows on which the digits are sought; fewer where double precision does not do."""

Key = tuple[str, str]


def _measure(target: bool, varies: bool) -> str:
    """What a deviation is compared with, in words.

    Examples
    --------
    >>> _measure(False, True), _measure(True, False)
    ('its spread', 'the size of the target')
    """
    word = "spread" if varies else "size"
    return f"the {word} of the target" if target else f"its {word}"


class Trial:
    """Runs the formula with rounded numbers, and says whether the output is kept."""

    def __init__(self, inspection: Inspection, tolerance: float) -> None:
        self.inspection, self.tolerance = inspection, tolerance
        self.formula = inspection.formula
        self.labels = shortenable(self.formula)
        reference, _ = inspection.amplification.trace(len(self.formula) - 1)
        usable = np.isfinite(reference)
        if not usable.any():
            raise UserError(
                "the formula has no finite value on these samples",
                hint="choose samples inside its domain",
            )
        target = inspection.samples.target
        scaled = (reference if target is None else target)[usable]
        self.scale_of = "output" if target is None else "target"
        largest = float(np.max(np.abs(scaled))) or 1.0
        spread = largest * float(np.std(scaled / largest))
        self.measure = _measure(target is not None, spread > 0)
        self.unit = spread or largest
        self.allowed = tolerance * self.unit
        self.careful = inspection.counts.rechecked > 0
        rows = np.flatnonzero(usable)
        most = CAREFUL_ROWS if self.careful else SEARCH_ROWS
        self.part = rows[np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)]
        self.all = rows
        self.reference = reference

    def given(self, key: Key) -> int:
        """Digits as written."""
        kind, name = key
        if kind == "constant":
            return digits_of(name)
        column = self.inspection.samples.columns[name][self.part]
        return max(digits_of(repr(value)) for value in column.tolist())

    def fewest(self, key: Key, given: int) -> int:
        """Digits that suffice for one number alone: all larger ones do, too."""
        digits = given
        while digits > 1 and self.keeps({key: digits - 1}, self.part):
            digits -= 1
        return digits

    def jointly(self, alone: Mapping[Key, int], given: Mapping[Key, int]) -> dict[Key, int]:
        """Digits that suffice together, on all rows.

        While they do not, the number whose rounding moves the output most gets one more.
        """
        together = dict(alone)
        moved = {key: self.deviation({key: digits}, self.part) for key, digits in alone.items()}
        rows = self.part
        while not self.keeps(together, rows) or len(rows) < len(self.all):
            if self.keeps(together, rows):
                rows = self.all
                continue
            open_keys = [key for key in together if together[key] < given[key]]
            if not open_keys:
                break
            worst = max(open_keys, key=lambda key: moved[key])
            together[worst] += 1
            moved[worst] = self.deviation({worst: together[worst]}, self.part)
        return together

    def keeps(self, digits: Mapping[Key, int], rows: Any) -> bool:
        """Whether the output stays within the tolerance, and the formula the same tree."""
        values = self.values(digits, rows)
        if not np.isfinite(values).all():
            return False
        if self._rms(values, rows) > self.allowed:
            return False
        target = self.inspection.samples.target
        if target is None:
            return True
        before = r_squared(self.reference[rows], target[rows])
        after = r_squared(values, target[rows])
        return math.isnan(before) or before - after <= self.tolerance

    def deviation(self, digits: Mapping[Key, int], rows: Any) -> float:
        """rms(f' - f); inf where f' has no value or is another tree."""
        return self._rms(self.values(digits, rows), rows)

    def _rms(self, values: Array, rows: Any) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = values - self.reference[rows]
        return rms(gaps) if np.isfinite(gaps).all() else math.inf

    def values(self, digits: Mapping[Key, int], rows: Any) -> Array:
        """The output with these numbers rounded; nan where there is none.

        All nan if the shortened text would be read as another tree.
        """
        formula = self.shortened(digits)
        if makes_exponent_exact(self.formula, formula):
            return np.full(len(rows), math.nan)
        source = self.inspection.samples.columns
        columns = {
            name: rounded_column(source[name][rows], digits.get(("input", name), MOST_DIGITS))
            for name in formula.variables
        }
        samples = Samples.from_columns(columns, count=len(rows))
        found = amplify(formula, samples, recheck=self.careful, root_values=True).root_values
        assert found is not None
        return found

    def shortened(self, digits: Mapping[Key, int]) -> Formula:
        """The formula with shortened constants."""
        return with_labels(
            self.formula, {name: n for (kind, name), n in digits.items() if kind == "constant"}
        )
