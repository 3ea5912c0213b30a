"""Whether two formulas of a pool are one tree, or one function on the data.

One function: values at the same rows, at least one, and at each

    |f - g| ≤ t · max(|f|, |g|, rms / 1000),

rms over all values of both; t is the larger of the rules' tolerance and 10^(EIC - 15), at most
10^-3: the error of a formula that loses EIC digits in double precision.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.errors import FormulaError, UserError
from eic_core.formula.syntax import Reading, read
from eic_core.formula.tree import CONSTANT, VARIABLE, Formula
from eic_core.pool.counting import Counting, Group, counting_of, group_of, groups_of
from eic_core.pool.scoring import ProblemData
from eic_core.samples import Samples
from study.matching.scored import ScoredPool

_ROUNDING_DIGITS = 15.0
_MOST = 1e-3
_HELD_NUMBERS = 20_000_000


def one_function(one: np.ndarray, other: np.ndarray, tolerance: float) -> bool:
    """Whether values of shape (N,), nan where there is none, agree up to a relative tolerance.

    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> one_function(x, 10_000 * x - 9_999 * x, 1e-9), one_function(x, x * 1.001, 1e-9)
    (True, False)
    """
    has_value = np.isfinite(one)
    if not has_value.any() or not np.array_equal(has_value, np.isfinite(other)):
        return False
    a, b = one[has_value], other[has_value]
    largest = np.maximum(np.abs(a), np.abs(b))
    top = float(largest.max())
    if top == 0:
        return True
    a, b, largest = a / top, b / top, largest / top  # squares stay in range
    rms = float(np.sqrt(np.mean(a * a + b * b) / 2))
    return bool((np.abs(a - b) <= tolerance * np.maximum(largest, rms / 1000)).all())


class Placed(NamedTuple):
    formula: Formula
    samples: Samples
    table_rows: np.ndarray  # For each sample its row of the table
    rows: int  # How many rows the table has


class Sameness:
    """Compares formulas of one pool; reads and evaluates each at most once."""

    def __init__(self, pool: ScoredPool, folder: Path | None = None) -> None:
        self._pool = pool
        self._data = ProblemData(folder) if folder is not None else None
        self._trees: dict[int, tuple[Any, ...]] = {}
        self._values: dict[int, np.ndarray | None] = {}
        self._countings: dict[Group, Counting] = {}
        self._groups: dict[Group, list[int]] = {}
        self._held = 0

    def identical(self, one: int, other: int) -> bool:
        return self._tree(one) == self._tree(other)

    def text_key(self, row: int) -> Hashable:
        return self._tree(row)

    def skeleton_key(self, row: int) -> Hashable:
        """Equal for rows whose trees differ in their constants at most; exact exponents count."""
        tree = self._tree(row)
        return tuple((CONSTANT,) if part[0] == CONSTANT else part for part in tree)

    def problem(self, row: int) -> str:
        return self._pool.problem[row]

    def one_function(self, one: int, other: int, tolerance: float) -> bool | None:
        a, b = self._value(one), self._value(other)
        if a is None or b is None:
            return None
        worst = max(float(self._pool.eic[one]), float(self._pool.eic[other]))
        rounding = min(10.0 ** (min(worst, _ROUNDING_DIGITS) - _ROUNDING_DIGITS), _MOST)
        return one_function(a, b, max(tolerance, rounding))

    def _columns(self, problem: str) -> tuple[str, ...]:
        if self._data is None:
            return ()
        try:
            return self._data.table(problem).names[:-1]
        except UserError:
            return ()

    def _reading(self, row: int) -> Reading | None:
        candidate = self._pool.candidate(row)
        try:
            return read(
                candidate.formula,
                syntax=candidate.syntax or "auto",
                columns=self._columns(candidate.problem),
                parameters=candidate.parameters,
                exponents=candidate.exponents,
            )
        except FormulaError:
            return None

    def _tree(self, row: int) -> tuple[Any, ...]:
        if row not in self._trees:
            reading = self._reading(row)
            if reading is None:
                self._trees[row] = (self._pool.formula[row], self._pool.syntax[row])
            else:
                base = self._base(row, reading)
                self._trees[row] = tuple(
                    (
                        operator,
                        arity,
                        _from_zero(label, base) if operator == VARIABLE else label,
                        parameter,
                    )
                    for operator, arity, label, parameter in reading.formula.structure()
                )
        return self._trees[row]

    def _base(self, row: int, reading: Reading) -> int | None:
        if not self._columns(self._pool.problem[row]):
            return reading.index_base
        return self._counting(row).of(reading)

    def _counting(self, row: int) -> Counting:
        group = group_of(self._pool.candidate(row))
        if group not in self._countings:
            if not self._groups:
                self._groups = groups_of(map(self._pool.candidate, range(len(self._pool))))
            rows = [self._pool.candidate(i) for i in self._groups[group]]
            self._countings[group] = counting_of(rows, self._columns(group[0]))[0]
        return self._countings[group]

    def _value(self, row: int) -> np.ndarray | None:
        if self._data is None:
            return None
        if row not in self._values:
            # Forgetting all is good enough: matching goes problem by problem and rarely looks back.
            if self._held > _HELD_NUMBERS:
                self._values.clear()
                self._held = 0
            value = self._evaluated(row)
            self._values[row] = value
            self._held += 0 if value is None else len(value)
        return self._values[row]

    def _evaluated(self, row: int) -> np.ndarray | None:
        placed = self.placed(row)
        if placed is None:
            return None
        try:
            result = amplify(placed.formula, placed.samples, recheck=False, root_values=True)
        except UserError:
            return None
        return result.root_values

    def placed(self, row: int) -> Placed | None:
        reading = None if self._data is None else self._reading(row)
        if self._data is None or reading is None:
            return None
        try:
            table = self._data.table(self._pool.problem[row])
            counting = self._counting(row)
            match = counting.match(
                reading.formula.variables, table.names[:-1], counting.of(reading)
            )
            if match.missing:
                return None
            samples = table.samples(match.mapping, table.names[-1])
        except UserError:
            return None
        used = {*match.mapping.values(), table.names[-1]}
        complete = np.all([np.isfinite(table.values[name]) for name in used], axis=0)
        return Placed(reading.formula, samples, np.flatnonzero(complete), table.rows)


def _from_zero(label: str, base: int | None) -> str:
    if base == 1 and label[:1] == "x" and label[1:].isdigit() and int(label[1:]) > 0:
        return f"x{int(label[1:]) - 1}"
    return label
