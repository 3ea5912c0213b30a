"""How much of a pair's EIC gap hangs on single rows of the problem's data."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.errors import UserError
from study.matching.rules import SCALE
from study.matching.sameness import Sameness

DRAWS = 200
_HELD_NUMBERS = 20_000_000
_BLOCK = 1 << 13


@dataclass(frozen=True, eq=False)
class RowLosses:
    # shape (K, N): Of each node at each row; 0 where the row is not in the node's mean
    s2: np.ndarray
    # shape (K, N): Rows in the mean: valid, evaluated, not singular at the node
    counted: np.ndarray
    # shape (K, N): Valid rows at which the node is evaluated, singular or not
    evaluated: np.ndarray

    def eic_finite(self, weights: np.ndarray) -> np.ndarray:
        """``eic_finite`` under row weights (B, N), shape (B,); nan where a node's mean is unknown.

        >>> s2 = np.array([[1.0, 1e4, 1.0, 1.0]])
        >>> losses = RowLosses(s2, s2 > 0, s2 > 0)
        >>> losses.eic_finite(np.array([[1, 1, 1, 1], [1, 0, 1, 1]])).round(3).tolist()
        [1.699, 0.0]
        """
        shape = len(weights), len(self.s2)
        # An EIC is a maximum of weighted means of s^2: one matrix product a formula for all draws.
        total, counted, evaluated = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        for start in range(0, weights.shape[1], _BLOCK):
            rows = slice(start, start + _BLOCK)
            part = weights[:, rows].astype(float)
            total += part @ self.s2[:, rows].T
            counted += part @ self.counted[:, rows].T
            evaluated += part @ self.evaluated[:, rows].T
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(evaluated > 0, total / counted, -np.inf)  # 0/0: all are singular
            worst = np.max(means, axis=1)  # a nan stays one
            return np.where(worst > 0, 0.5 * np.log10(worst), np.nan)

    @property
    def worst_row(self) -> int:
        counts = self.counted.sum(axis=1)
        means = self.s2.sum(axis=1) / np.maximum(counts, 1)
        return int(np.argmax(self.s2[int(np.argmax(means))]))


class RowRobustness:
    def __init__(self, sameness: Sameness, draws: int = DRAWS) -> None:
        self._sameness, self._draws = sameness, draws
        self._weights: dict[str, np.ndarray] = {}
        self._losses: dict[int, RowLosses | None] = {}
        self._eics: dict[int, np.ndarray | None] = {}
        self._held = 0

    def weights(self, problem: str, rows: int) -> np.ndarray:
        """How often each draw holds each row, shape (draws, rows)."""
        if problem not in self._weights:
            # Seeded by the name alone: the draws do not depend on what else is in the pool.
            random = np.random.default_rng(zlib.crc32(problem.encode()))
            drawn = np.empty((self._draws, rows), dtype=np.uint16)
            for each in drawn:
                each[:] = np.bincount(random.integers(rows, size=rows), minlength=rows)
            self._weights = {problem: drawn}  # matching goes problem by problem
        return self._weights[problem]

    def eics(self, row: int) -> np.ndarray | None:
        if row not in self._eics:
            losses = self.losses(row)
            self._eics[row] = (
                None
                if losses is None
                else losses.eic_finite(
                    self.weights(self._sameness.problem(row), losses.s2.shape[1])
                )
            )
        return self._eics[row]

    def gap_share(self, lower: int, higher: int, gap: float) -> float | None:
        low, high = self.eics(lower), self.eics(higher)
        if low is None or high is None:
            return None
        with np.errstate(invalid="ignore"):
            return float(np.mean(np.round((high - low) * SCALE) >= round(gap * SCALE)))

    def gap_without_worst_row(self, lower: int, higher: int) -> float | None:
        low, high = self.losses(lower), self.losses(higher)
        if low is None or high is None:
            return None
        weights = np.ones((1, high.s2.shape[1]))
        weights[0, high.worst_row] = 0
        return float(high.eic_finite(weights)[0] - low.eic_finite(weights)[0])

    def losses(self, row: int) -> RowLosses | None:
        if row not in self._losses:
            if self._held > _HELD_NUMBERS:
                self._losses.clear()
                self._held = 0
            losses = self._losses[row] = self._measured(row)
            self._held += 0 if losses is None else losses.s2.size
        return self._losses[row]

    def _measured(self, row: int) -> RowLosses | None:
        placed = self._sameness.placed(row)
        if placed is None:
            return None
        formula, samples, table_rows, rows = placed
        try:
            amplified = amplify(formula, samples, recheck=False, edges=False)
        except UserError:
            return None
        # Equal sub-expressions share a slot of the tape: one node of each is enough.
        first = {slot: node for node, slot in reversed([*enumerate(amplified.tape.slots)])}
        s2 = np.zeros((len(first), rows))
        evaluated = np.zeros(s2.shape, dtype=bool)
        for k, node in enumerate(first.values()):
            there = table_rows[amplified.evaluated(node)]
            evaluated[k, there] = True
            s2[k, there] = amplified.valid_s2(node)
        counted = evaluated & np.isfinite(s2)
        return RowLosses(np.where(counted, s2, 0.0), counted, evaluated)
