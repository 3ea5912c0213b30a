"""Algorithm 1 on blocks of clean samples, in recycled buffers.

A block is clean if every value is an ordinary double and every amplification is
moderate.  Then the plain recursion (Yu et al., Eq. ``eq:recursive_relation``)
holds at every sample and the sums over the block are all that is needed.  A
block in which anything else may have happened is refused, and
`eic_core.measure.careful` takes it.

How unclean samples are noticed: overflow, underflow, poles and domain errors
raise the processor's floating-point flags, which NumPy reports once a ufunc;
zeros and cancellations make the sum of s^2 non-finite or large.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from eic_core.formula.operators import Scratch
from eic_core.measure.plan import RECHECK_S2, Plan, Step

Value = Any  # a buffer of the block's length, or a float where it is the same at every sample


class FastBlocks:
    """Sums over clean blocks of a tape.

    Parameters
    ----------
    plan : Plan
    constants : mapping of slot to (y, s2)
        Results of the constant subtrees, evaluated beforehand.
    rows : int
        Samples in a block; every block given to `run` has this length.
    edges : bool
        Whether to sum what comes through each edge, too.
    """

    def __init__(
        self,
        plan: Plan,
        constants: Mapping[int, tuple[float, float]],
        rows: int,
        *,
        edges: bool = False,
    ) -> None:
        self.plan = plan
        self.constants = constants
        self.rows = rows
        self.edges = edges
        self._scratch = Scratch(rows)
        self._flagged = False
        self.sums: list[float] = []
        self.edge_sums: list[tuple[float, ...]] = []
        self.signs: list[int] = [0] * len(plan.steps)
        self.keep: int | None = None
        self.kept: Value = 1.0

    def _flag(self, kind: str, mask: int) -> None:
        self._flagged = True

    def run(self, columns: Mapping[str, np.ndarray], *, keep: int | None = None) -> bool:
        """Evaluate one block.

        Parameters
        ----------
        columns : mapping of name to ndarray, shape (rows,)
        keep : int, optional
            A slot whose s^2 is left in `kept` (a copy), after which it stops.

        Returns
        -------
        bool
            True if the block was clean: `sums` then holds the sum of s^2 of
            each slot, `edge_sums` that of each edge's kappa^2 s_i^2, and
            `signs` has gained a bit for each sign met (1: positive, 2: negative).
        """
        self._flagged = False
        self.keep = keep
        self.sums = []
        self.edge_sums = []
        signs_before = list(self.signs)
        held: list[tuple[Value, Value, tuple[np.ndarray, ...]]] = []
        with np.errstate(all="call", call=self._flag):
            clean = self._run(columns, held)
        for _, _, buffers in held:
            for buffer in buffers:
                self._scratch.give(buffer)
        if not clean:
            self.signs = signs_before
        return clean

    def _run(self, columns: Mapping[str, np.ndarray], held: list[Any]) -> bool:
        rows = self.rows
        plan = self.plan
        release: dict[int, list[int]] = {}
        for slot, last in enumerate(plan.last_use):
            release.setdefault(last, []).append(slot)
        for step in plan.steps:
            slot = step.slot
            if step.row is None:
                y = columns[step.column] if step.column else step.value
                held.append((y, 1.0, ()))
                self.sums.append(float(rows))
                self.edge_sums.append(())
            elif plan.constant[slot]:
                y, s2 = self.constants[slot]
                held.append((y, s2, ()))
                self.sums.append(s2 * rows)
                self.edge_sums.append((math.nan,) * len(step.operands))
            else:
                y, s2, owned, total = self._step(step, held)
                held.append((y, s2, owned))
                self.sums.append(total)
                if self._flagged or not total <= RECHECK_S2:
                    return False
            if slot == self.keep:
                self.kept = np.array(held[slot][1]) if np.ndim(held[slot][1]) else held[slot][1]
                return True
            for freed in release.get(slot, ()):
                if freed != slot:
                    for buffer in held[freed][2]:
                        self._scratch.give(buffer)
                    held[freed] = (0.0, 1.0, ())
        return True

    def _step(
        self, step: Step, held: list[tuple[Value, Value, tuple[np.ndarray, ...]]]
    ) -> tuple[Value, Value, tuple[np.ndarray, ...], float]:
        row = step.row
        assert row is not None
        scratch = self._scratch
        a = [held[i][0] for i in step.operands]
        s2 = [held[i][1] for i in step.operands]
        out = scratch.take()
        y = row.evaluate(a, step.parameter, out)
        if row.crossing and self.signs[step.slot] != 3:
            self._note_signs(step, row.crossing, a[0], y)
        if row.selects:
            return self._select(a, s2, y, out)

        kappas = row.kappa_squared(a, y, step.parameter, scratch)
        constant_part = 1.0
        total: np.ndarray | None = None
        edges: list[float] = []
        for kappa2, s in zip(kappas, s2, strict=True):
            if isinstance(kappa2, np.ndarray):
                if not (isinstance(s, float) and s == 1.0):
                    np.multiply(kappa2, s, out=kappa2)
                term: Value = kappa2
            elif isinstance(s, np.ndarray):
                # Operands keep their buffers: scale into a new one unless nothing is to do.
                term = s if kappa2 == 1.0 else np.multiply(s, kappa2, out=scratch.take())
            else:
                constant_part += kappa2 * s
                if self.edges:
                    edges.append(kappa2 * s * self.rows)
                continue
            if self.edges:
                edges.append(float(np.add.reduce(term)))
            if total is None:
                total = term
            else:
                into = total if not _borrowed(total, s2) else scratch.take()
                np.add(total, term, out=into)
                if not _borrowed(term, s2):
                    scratch.give(term)
                total = into
        self.edge_sums.append(tuple(edges))
        if total is None:
            return y, constant_part, (out,), constant_part * self.rows
        into = scratch.take() if _borrowed(total, s2) else total
        np.add(total, constant_part, out=into)
        return y, into, (out, into), float(np.add.reduce(into))

    def _select(
        self, a: list[Value], s2: list[Value], y: np.ndarray, out: np.ndarray
    ) -> tuple[Value, Value, tuple[np.ndarray, ...], float]:
        best = self._scratch.take()
        best.fill(-np.inf)
        for operand, s in zip(a, s2, strict=True):
            np.maximum(best, np.where(np.equal(operand, y), s, -np.inf), out=best)
        if self.edges:
            sums, open_rows = [], np.ones(self.rows, dtype=bool)
            for operand, s in zip(a, s2, strict=True):
                chosen = open_rows & np.equal(operand, y) & np.equal(s, best)
                sums.append(float(np.sum(np.where(chosen, s, 0.0))))
                open_rows &= ~chosen
            self.edge_sums.append(tuple(sums))
        else:
            self.edge_sums.append(())
        np.add(best, 1.0, out=best)
        return y, best, (out, best), float(np.add.reduce(best))

    def _note_signs(self, step: Step, crossing: str, argument: Value, y: np.ndarray) -> None:
        watched = y
        if crossing == "argument":
            watched = np.multiply(argument, y, out=self._scratch.take())
        if watched.max() > 0:
            self.signs[step.slot] |= 1
        if watched.min() < 0:
            self.signs[step.slot] |= 2
        if watched is not y:
            self._scratch.give(watched)


def _borrowed(buffer: np.ndarray, owners: list[Value]) -> bool:
    return any(buffer is owner for owner in owners)
