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
from typing import Any, NamedTuple

import numpy as np

from eic_core.formula.operators import Operator, Scratch
from eic_core.measure.plan import RECHECK_S2, Plan, Step

Value = Any  # a buffer of the block's length, or a float where it is the same at every sample

_sum, _min, _max = np.add.reduce, np.minimum.reduce, np.maximum.reduce


class Held(NamedTuple):
    """A slot's results while something still reads them.

    s^2 is kept in the form ``scale * array + offset``: products, quotients and
    powers then pass it on without touching the samples.

    Attributes
    ----------
    y : buffer or float
    array : buffer or None
        None where s^2 is the same at every sample.
    scale, offset : float
    total : float
        Sum of `array`.
    buffers : tuple of buffers
        To give back when nothing reads the slot any more.
    """

    y: Value
    array: np.ndarray | None = None
    scale: float = 1.0
    offset: float = 1.0
    total: float = 0.0
    buffers: tuple[np.ndarray, ...] = ()

    def s2(self, out: np.ndarray) -> np.ndarray:
        """s^2 written to a buffer."""
        if self.array is None:
            out.fill(self.offset)
            return out
        if self.scale != 1.0:
            np.multiply(self.array, self.scale, out=out)
            return np.add(out, self.offset, out=out)
        return np.add(self.array, self.offset, out=out)


_FREED = Held(0.0)


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
        self._work: list[tuple[Step, Operator]] = []
        self._columns: list[tuple[int, str]] = []
        self._held: list[Held] = []
        self._sums: list[float] = []
        self._release: dict[int, list[int]] = {}
        for step in plan.steps:
            slot = step.slot
            if plan.constant[slot]:
                y, s2 = constants[slot]
                self._held.append(Held(y, None, 1.0, s2))
                self._sums.append(s2 * rows)
            else:
                self._held.append(_FREED)
                self._sums.append(float(rows))
                if step.row is None:
                    self._columns.append((slot, step.column))
                else:
                    self._work.append((step, step.row))
                    self._release.setdefault(plan.last_use[slot], []).append(slot)
        self.sums: list[float] = []
        self.edge_sums: dict[int, tuple[float, ...]] = {}
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
            The root's slot, to leave its (y, s^2) in `kept` until the next run.

        Returns
        -------
        bool
            True if the block was clean: `sums` then holds the sum of s^2 of
            each slot, `edge_sums` by slot that of each edge's kappa^2 s_i^2, and
            `signs` has gained a bit for each sign met (1: positive, 2: negative).
        """
        self._flagged = False
        self.sums = self._sums.copy()
        self.edge_sums = {}
        signs_before = list(self.signs)
        held = self._held.copy()
        with np.errstate(all="call", call=self._flag):
            clean = self._run(columns, held, keep)
        for result in held:
            for buffer in result.buffers:
                self._scratch.give(buffer)
        if not clean:
            self.signs = signs_before
        return clean

    def _run(self, columns: Mapping[str, np.ndarray], held: list[Held], keep: int | None) -> bool:
        rows = self.rows
        give = self._scratch.give
        sums = self.sums
        for slot, name in self._columns:
            held[slot] = Held(columns[name])
        for step, row in self._work:
            slot = step.slot
            result = self._step(step, row, held)
            held[slot] = result
            total = result.scale * result.total + result.offset * rows
            sums[slot] = total
            if self._flagged or not total <= RECHECK_S2:
                return False
            for freed in self._release.get(slot, ()):
                if freed != slot:
                    for buffer in held[freed].buffers:
                        give(buffer)
                    held[freed] = _FREED
        if keep is not None:
            self.kept = held[keep].y, held[keep].s2(self._scratch.take())
            give(self.kept[1])
        return True

    def _step(self, step: Step, row: Operator, held: list[Held]) -> Held:
        scratch = self._scratch
        operands = [held[i] for i in step.operands]
        a = [operand.y for operand in operands]
        out = scratch.take()
        y = row.evaluate(a, step.parameter, out)
        if row.crossing and self.signs[step.slot] != 3:
            self._note_signs(step, row.crossing, a[0], y)
        if row.selects:
            return self._select(step, operands, y, out)

        if row.fixed_kappa and not self.edges and all(o.array is None for o in operands):
            kappas = row.kappa_squared(a, y, step.parameter, scratch)
            constant = 1.0
            for kappa2, operand in zip(kappas, operands, strict=True):
                constant += kappa2 * operand.offset
            return Held(y, None, 1.0, constant, 0.0, (out,))

        offset = 1.0
        array: np.ndarray | None = None
        scale = 1.0
        total: float | None = 0.0  # sum of `array`; None: not yet known
        buffers: tuple[np.ndarray, ...] = (out,)
        owned = False
        edges: list[float] = []
        kappas = row.kappa_squared(a, y, step.parameter, scratch)
        for i, kappa2 in enumerate(kappas):
            operand = operands[i]
            term_owned = True
            term_total: float | None = None
            if kappa2.__class__ is np.ndarray:
                term = kappa2
                if operand.array is None:
                    term_scale = operand.offset
                else:
                    term_scale = 1.0
                    buffer = scratch.take()
                    np.multiply(term, operand.s2(buffer), out=term)
                    scratch.give(buffer)
            else:
                offset += kappa2 * operand.offset
                if operand.array is None or kappa2 == 0:
                    if self.edges:
                        edges.append(kappa2 * operand.offset * self.rows)
                    continue
                term, term_scale = operand.array, kappa2 * operand.scale
                term_total = operand.total
                term_owned = self._take_over(step, i, term, held)
            if self.edges:
                term_total = float(_sum(term)) if term_total is None else term_total
                inner = 0.0 if kappa2.__class__ is np.ndarray else kappa2 * operand.offset
                edges.append(term_scale * term_total + inner * self.rows)
            if array is None:
                array, scale, total, owned = term, term_scale, term_total, term_owned
                continue
            if term_scale != scale:
                into = term if term_owned else scratch.take()
                term = np.multiply(term, term_scale / scale, out=into)
                term_owned = True
                term_total = None if term_total is None else term_total * (term_scale / scale)
            into = array if owned else term if term_owned else scratch.take()
            np.add(array, term, out=into)
            if owned and term_owned:
                scratch.give(term)
            total = None if total is None or term_total is None else total + term_total
            array, owned = into, True
        if self.edges:
            self.edge_sums[step.slot] = tuple(edges)
        if array is None:
            return Held(y, None, 1.0, offset, 0.0, buffers)
        if not owned:  # an operand that something else still reads keeps its buffer
            array = np.add(array, 0.0, out=scratch.take())
        total = float(_sum(array)) if total is None else total
        return Held(y, array, scale, offset, total, (out, array))

    def _take_over(self, step: Step, i: int, buffer: np.ndarray, held: list[Held]) -> bool:
        """Move an operand's buffer to this step if nothing else will read it."""
        slot = step.operands[i]
        if self.plan.last_use[slot] != step.slot or step.operands.count(slot) > 1:
            return False
        operand = held[slot]
        held[slot] = operand._replace(buffers=tuple(b for b in operand.buffers if b is not buffer))
        return True

    def _select(
        self, step: Step, operands: list[Held], y: np.ndarray, out: np.ndarray
    ) -> Held:
        scratch = self._scratch
        best = scratch.take()
        best.fill(-np.inf)
        amplifications = [operand.s2(scratch.take()) for operand in operands]
        for operand, s2 in zip(operands, amplifications, strict=True):
            np.maximum(best, np.where(np.equal(operand.y, y), s2, -np.inf), out=best)
        if self.edges:
            sums, open_rows = [], np.ones(self.rows, dtype=bool)
            for operand, s2 in zip(operands, amplifications, strict=True):
                chosen = open_rows & np.equal(operand.y, y) & np.equal(s2, best)
                sums.append(float(_sum(np.where(chosen, s2, 0.0))))
                open_rows &= ~chosen
            self.edge_sums[step.slot] = tuple(sums)
        for s2 in amplifications:
            scratch.give(s2)
        return Held(y, best, 1.0, 1.0, float(_sum(best)), (out, best))

    def _note_signs(self, step: Step, crossing: str, argument: Value, y: np.ndarray) -> None:
        watched = y
        if crossing == "argument":
            watched = np.multiply(argument, y, out=self._scratch.take())
        if watched[0] > 0:
            self.signs[step.slot] |= 3 if _min(watched) < 0 else 1
        elif watched[0] < 0:
            self.signs[step.slot] |= 3 if _max(watched) > 0 else 2
        else:
            self.signs[step.slot] |= (_max(watched) > 0) + 2 * (_min(watched) < 0)
        if watched is not y:
            self._scratch.give(watched)

