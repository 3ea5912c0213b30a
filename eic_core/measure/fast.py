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

from eic_core.formula.operators import Operator, Scratch
from eic_core.measure.plan import RECHECK_S2, Plan, Step

Value = Any  # a buffer of the block's length, or a float where it is the same at every sample
Held = tuple[Value, Value, tuple[np.ndarray, ...]]  # y, s^2, and the buffers to give back

_FREED: Held = (0.0, 1.0, ())
_sum, _min, _max = np.add.reduce, np.minimum.reduce, np.maximum.reduce


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
        self._release: list[list[int]] = [[] for _ in plan.steps]
        for slot, last in enumerate(plan.last_use):
            if last != slot and not plan.constant[slot] and plan.steps[slot].row is not None:
                self._release[last].append(slot)
        self.sums: list[float] = []
        self.edge_sums: list[tuple[float, ...]] = []
        self.signs: list[int] = [0] * len(plan.steps)
        self.kept: tuple[Value, Value] = (0.0, 1.0)

    def _flag(self, kind: str, mask: int) -> None:
        self._flagged = True

    def run(self, columns: Mapping[str, np.ndarray], *, keep: int | None = None) -> bool:
        """Evaluate one block.

        Parameters
        ----------
        columns : mapping of name to ndarray, shape (rows,)
        keep : int, optional
            A slot whose (y, s^2) is left in `kept` until the next run; it stops there.

        Returns
        -------
        bool
            True if the block was clean: `sums` then holds the sum of s^2 of
            each slot, `edge_sums` that of each edge's kappa^2 s_i^2, and
            `signs` has gained a bit for each sign met (1: positive, 2: negative).
        """
        self._flagged = False
        self.sums = []
        self.edge_sums = []
        signs_before = list(self.signs)
        held: list[Held] = []
        with np.errstate(all="call", call=self._flag):
            clean = self._run(columns, held, keep)
        for _, _, buffers in held:
            for buffer in buffers:
                self._scratch.give(buffer)
        if not clean:
            self.signs = signs_before
        return clean

    def _run(self, columns: Mapping[str, np.ndarray], held: list[Held], keep: int | None) -> bool:
        rows = float(self.rows)
        give = self._scratch.give
        constant = self.plan.constant
        sums = self.sums
        for step in self.plan.steps:
            slot = step.slot
            if step.row is None:
                held.append((columns[step.column] if step.column else step.value, 1.0, ()))
                sums.append(rows)
                self.edge_sums.append(())
            elif constant[slot]:
                y, s2 = self.constants[slot]
                held.append((y, s2, ()))
                sums.append(s2 * rows)
                self.edge_sums.append((math.nan,) * len(step.operands))
            else:
                result, total = self._step(step, step.row, held)
                held.append(result)
                sums.append(total)
                if self._flagged or not total <= RECHECK_S2:
                    return False
                for freed in self._release[slot]:
                    for buffer in held[freed][2]:
                        give(buffer)
                    held[freed] = _FREED
            if slot == keep:
                self.kept = held[slot][:2]
                return True
        return True

    def _step(self, step: Step, row: Operator, held: list[Held]) -> tuple[Held, float]:
        take = self._scratch.take
        a = [held[i][0] for i in step.operands]
        s2 = [held[i][1] for i in step.operands]
        out = take()
        y = row.evaluate(a, step.parameter, out)
        if row.crossing and self.signs[step.slot] != 3:
            self._note_signs(step, row.crossing, a[0], y)
        if row.selects:
            return self._select(a, s2, y, out)

        constant_part = 1.0
        total: np.ndarray | None = None
        owned = False  # whether `total` is a buffer of ours, not an operand's s^2
        edges: list[float] = []
        kappas = row.kappa_squared(a, y, step.parameter, self._scratch)
        for kappa2, s in zip(kappas, s2, strict=True):
            term_owned = True
            if kappa2.__class__ is np.ndarray:
                term = kappa2
                if s.__class__ is np.ndarray or s != 1.0:
                    np.multiply(term, s, out=term)
            elif s.__class__ is np.ndarray:
                term_owned = kappa2 != 1.0
                term = np.multiply(s, kappa2, out=take()) if term_owned else s
            else:
                constant_part += kappa2 * s
                if self.edges:
                    edges.append(kappa2 * s * self.rows)
                continue
            if self.edges:
                edges.append(float(_sum(term)))
            if total is None:
                total, owned = term, term_owned
                continue
            into = total if owned else term if term_owned else take()
            np.add(total, term, out=into)
            if owned and term_owned:
                self._scratch.give(term)
            total, owned = into, True
        self.edge_sums.append(tuple(edges))
        if total is None:
            return (y, constant_part, (out,)), constant_part * self.rows
        into = total if owned else take()
        np.add(total, constant_part, out=into)
        return (y, into, (out, into)), float(_sum(into))

    def _select(
        self, a: list[Value], s2: list[Value], y: np.ndarray, out: np.ndarray
    ) -> tuple[Held, float]:
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
        return (y, best, (out, best)), float(_sum(best))

    def _note_signs(self, step: Step, crossing: str, argument: Value, y: np.ndarray) -> None:
        watched = y
        if crossing == "argument":
            watched = np.multiply(argument, y, out=self._scratch.take())
        if _max(watched) > 0:
            self.signs[step.slot] |= 1
        if _min(watched) < 0:
            self.signs[step.slot] |= 2
        if watched is not y:
            self._scratch.give(watched)

