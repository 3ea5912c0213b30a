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
from eic_core.measure import doubt
from eic_core.measure.plan import RECHECK_S2, UNIT_ROUNDOFF, Plan, Step

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
            np.multiply(self.array, self.scale, out)
            return np.add(out, self.offset, out)
        return np.add(self.array, self.offset, out)


_FREED = Held(0.0)
_NO_SCRATCH = Scratch(0)


def _fixed_kappas(row: Operator, parameter: float) -> tuple[float, ...] | None:
    """kappa^2 of each operand if it is the same at every sample."""
    if not row.fixed_kappa:
        return None
    return row.kappa_squared((), 0.0, parameter, _NO_SCRATCH)


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
        self._work: list[tuple[Step, Operator, tuple[float, ...] | None]] = []
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
                    fixed = _fixed_kappas(step.row, step.parameter)
                    self._work.append((step, step.row, fixed))
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
        take = self._scratch.take
        for step, row, fixed in self._work:
            slot = step.slot
            operands = [held[i] for i in step.operands]
            a = [operand.y for operand in operands]
            out = take()
            y = row.evaluate(a, step.parameter, out)
            if row.delicate and self._doubtful(step, row, operands, y):
                give(out)
                return False
            if row.crossing and self.signs[slot] != 3:
                self._note_signs(step, row.crossing, a[0], y)
            if fixed is not None:
                result = self._fixed(step, fixed, operands, y, out, held)
            elif row.selects:
                result = self._select(step, operands, y, out)
            else:
                kappas = row.kappa_squared(a, y, step.parameter, self._scratch)
                result = self._varying(step, kappas, operands, y, out)
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

    def _doubtful(
        self, step: Step, row: Operator, operands: list[Held], y: np.ndarray
    ) -> bool:
        """Whether a rounding may decide which rule holds (`doubt`); a cheap look first."""
        leaves = [self.plan.steps[i].row is None for i in step.operands]
        if row.selects and (all(leaves) or not self._may_tie(operands)):
            return False
        if row.waves and self._worst(operands[0]) <= doubt.WAVE_LIMIT:
            return False
        s2 = [o.s2(self._scratch.take()) for o in operands]
        if row.selects:
            found = doubt.near_tie([o.y for o in operands], s2, y, leaves)
        elif row.waves:
            found = operands[0].y * operands[0].y * s2[0] > doubt.WAVE_LIMIT**2
        else:
            found = doubt.near_brink(row, operands[0].y, s2[0], leaves[0])
        for buffer in s2:
            self._scratch.give(buffer)
        return bool(found.any())

    def _worst(self, operand: Held) -> float:
        """A bound on |y| s over the block."""
        y = operand.y
        peak = abs(y) if isinstance(y, float) else max(float(_max(y)), -float(_min(y)))
        return peak * math.sqrt(operand.scale * operand.total + operand.offset * self.rows)

    def _may_tie(self, operands: list[Held]) -> bool:
        if len(operands) != 2:
            return True
        gap = np.subtract(operands[0].y, operands[1].y, out=self._scratch.take())
        smallest = _min(np.abs(gap, out=gap))
        self._scratch.give(gap)
        reach = doubt.TIE_ROUNDINGS * UNIT_ROUNDOFF * sum(map(self._worst, operands))
        return bool(smallest <= reach)

    def _fixed(
        self,
        step: Step,
        kappas: tuple[float, ...],
        operands: list[Held],
        y: np.ndarray,
        out: np.ndarray,
        held: list[Held],
    ) -> Held:
        """Products, quotients and powers: kappa is the same at every sample."""
        offset = 1.0
        carriers: list[int] = []
        for i, operand in enumerate(operands):
            offset += kappas[i] * operand.offset
            if operand.array is not None and kappas[i]:
                carriers.append(i)
        if self.edges:
            self.edge_sums[step.slot] = tuple(
                kappa2 * (o.scale * o.total + o.offset * self.rows)
                for kappa2, o in zip(kappas, operands, strict=True)
            )
        if not carriers:
            return Held(y, None, 1.0, offset, 0.0, (out,))
        first = carriers[0]
        carrier = operands[first]
        array, scale, total = carrier.array, kappas[first] * carrier.scale, carrier.total
        assert array is not None
        if len(carriers) == 2:
            other = operands[1]
            assert other.array is not None
            ratio = kappas[1] * other.scale / scale
            into = self._scratch.take()
            if ratio == 1.0:
                np.add(array, other.array, into)
            else:
                np.add(array, np.multiply(other.array, ratio, out=into), into)
            return Held(y, into, scale, offset, total + ratio * other.total, (out, into))
        if not self._take_over(step, first, array, held):
            array = np.add(array, 0.0, out=self._scratch.take())
        return Held(y, array, scale, offset, total, (out, array))

    def _varying(
        self,
        step: Step,
        kappas: tuple[Value, ...],
        operands: list[Held],
        y: np.ndarray,
        out: np.ndarray,
    ) -> Held:
        """Everything else: each kappa^2 is a buffer of ours (or, for pow, a float)."""
        scratch = self._scratch
        array: np.ndarray | None = None
        scale = 1.0
        edges: list[float] = []
        for kappa2, operand in zip(kappas, operands, strict=True):
            term, term_scale = kappa2, 1.0
            if term.__class__ is not np.ndarray:
                term = operand.s2(scratch.take())
                term_scale = kappa2
            elif operand.array is None:
                term_scale = operand.offset
            else:
                buffer = scratch.take()
                np.multiply(term, operand.s2(buffer), term)
                scratch.give(buffer)
            if self.edges:
                edges.append(term_scale * float(_sum(term)))
            if array is None:
                array, scale = term, term_scale
                continue
            if term_scale != scale:
                if scale != 1.0:
                    np.multiply(array, scale, array)
                    scale = 1.0
                if term_scale != 1.0:
                    np.multiply(term, term_scale, term)
            np.add(array, term, array)
            scratch.give(term)
        assert array is not None
        if self.edges:
            self.edge_sums[step.slot] = tuple(edges)
            total = sum(edges) / scale if scale else 0.0
        else:
            total = float(_sum(array))
        return Held(y, array, scale, 1.0, total, (out, array))

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

