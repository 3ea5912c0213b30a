"""Runs a tape once over samples: by the native engine, or by NumPy where there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eic_core.engine import extended
from eic_core.engine.branches import plain_values
from eic_core.engine.constants import NOTHING_SETTLED, Settled, evaluate_around
from eic_core.engine.native import library as native
from eic_core.engine.native.library import DOUBT, HIGH, INVALID, LOW, PRECISION, Pass
from eic_core.engine.reference import VALID, Block, keeps_too_few
from eic_core.engine.tape import RECHECK_S2, SINGULAR_S2, SMALLEST_NORMAL, Step, Tape
from eic_core.samples import Samples

RANGE = HIGH | LOW
SUSPECT = RANGE | PRECISION
"""Bits of a status: beyond double range; or that, or with fewer than three digits left."""


class SlotNoise(NamedTuple):
    slots: Sequence[int]
    s2: np.ndarray  # shape (len(slots), N)


NO_SLOT_NOISE = SlotNoise((), np.empty((0, 0)))


def run_pass(
    tape: Tape,
    samples: Samples,
    start: int,
    stop: int,
    held: int,
    edges: bool,
    values: np.ndarray | None,
    slot_noise: SlotNoise = NO_SLOT_NOISE,
    *,
    beyond: bool = True,
    settled: Settled = NOTHING_SETTLED,
    recheck_s2: float = RECHECK_S2,
) -> Pass:
    """One pass over the rows ``[start, stop)``, native if possible.

    - `held`: bits of a status that leave a sample out of the sums.
    - `edges`: whether to sum every operand's terms and the watched signs, too.
    - `values`, shape (N,): receives the root's values at the same rows.
    - `slot_noise`: receives s^2 of some slots, except at samples that `held` leaves out.
    - `beyond`: False to count an overflow as invalid.
    - `recheck_s2`: the s^2 above which a sample counts as `PRECISION`; at most the default.

    Returns sums and counts for each slot, and a status for each sample that was run.
    """
    packed = None if settled else native.pack(tape)
    shortest = samples.longer.isdisjoint(tape.variables)
    if packed is not None:
        addresses = samples.addresses
        if start:
            addresses = {name: address + 8 * start for name, address in addresses.items()}
        return packed.run(
            addresses,
            stop - start,
            mode=edges * (native.EDGES | native.SIGNS)
            | (not beyond) * native.OVERFLOW_IS_INVALID
            | shortest * native.SHORTEST,
            skip=INVALID | (held & ~DOUBT),
            out=INVALID | held,
            keep_y=None if values is None else ((len(tape) - 1,), values[None, start:]),
            keep_s2=(slot_noise.slots, slot_noise.s2[:, start:]) if slot_noise.slots else None,
            recheck_s2=recheck_s2,
        )
    count = len(tape)
    rows = max(1, min(stop - start, 16_384 if count <= 64 else max(1_024, 2**20 // count)))
    parts = []
    for first in range(start, stop, rows):
        last = min(stop, first + rows)
        columns = {name: samples.columns[name][first:last] for name in tape.variables}
        block = evaluate_around(tape, columns, last - first, settled, shortest=shortest)
        parts.append(_part_of(tape, block, held, edges, beyond, recheck_s2))
        if values is not None:
            # those of a user's program, which settles no constants
            y = plain_values(tape, columns, last - first) if settled else block.y
            values[first:last] = y[-1]
        for slot, s2 in zip(slot_noise.slots, slot_noise.s2, strict=True):
            s2[first:last] = block.s2[slot]
    return together(parts)


def together(passes: Sequence[Pass]) -> Pass:
    """The sum of passes of one tape; the samples' statuses are joined if every pass has one."""
    if len(passes) == 1:
        return passes[0]
    status = [p.status for p in passes if p.status is not None]
    dead = [p.dead for p in passes if p.dead is not None]
    return Pass(
        [math.fsum(each) for each in zip(*[p.sums for p in passes], strict=True)],
        [sum(each) for each in zip(*[p.singular for p in passes], strict=True)],
        [math.fsum(each) for each in zip(*[p.edge_sums for p in passes], strict=True)],
        [
            any(s & 1 for s in each) | 2 * any(s & 2 for s in each)
            for each in zip(*[p.signs for p in passes], strict=True)
        ],
        sum(p.singular_samples for p in passes),
        np.concatenate(status) if len(status) == len(passes) else None,
        np.concatenate(dead) if len(dead) == len(passes) else None,
        evaluated=None
        if passes[0].evaluated is None
        else [sum(each) for each in zip(*[p.evaluated or [] for p in passes], strict=True)],
    )


def _part_of(
    tape: Tape, block: Block, held: int, edges: bool, beyond: bool, recheck_s2: float
) -> Pass:
    if not beyond:
        np.minimum(block.first_invalid, block.overflow_at, out=block.first_invalid)
    status = np.where(block.first_invalid != VALID, INVALID, 0).astype(np.uint8)
    if recheck_s2 < RECHECK_S2:
        for step, s2 in zip(tape.steps, block.s2, strict=True):
            reached = block.active_at(step.slot) & (step.node < block.first_invalid)
            block.suspect |= reached & (s2 > recheck_s2) & (s2 <= RECHECK_S2)
    precision = block.suspect & ~block.out_of_range
    status[block.out_of_range & (block.overflow_at != VALID)] |= HIGH
    status[block.out_of_range & (block.overflow_at == VALID)] |= LOW
    status[precision] |= PRECISION
    status[block.doubtful] |= DOUBT
    ok = (status & (INVALID | held)) == 0
    any_singular = np.zeros(len(ok), dtype=bool)
    finite_sums, singular, edge_sums, signs = [], [], [], []
    evaluated = []
    for step in tape.steps:
        s2 = block.s2[step.slot]
        counts = ok & block.active_at(step.slot)
        with np.errstate(invalid="ignore"):
            is_singular = counts & ~(s2 <= SINGULAR_S2)
        any_singular |= is_singular
        finite = counts & ~is_singular
        evaluated.append(int(np.count_nonzero(counts)))
        singular.append(int(np.count_nonzero(is_singular)))
        finite_sums.append(float(np.sum(s2[finite])))
        if edges:
            edge_sums += [float(np.sum(t[finite])) for t in block.contributions[step.slot]]
        crossing = edges and step.row is not None and step.row.crossing
        signs.append(
            signs_of(step, block.y[step.slot], block.y[step.operands[0]], counts) if crossing else 0
        )
    first = {node: slot for slot, node in enumerate(tape.nodes)}
    dead = np.array([first.get(int(n), -1) for n in block.first_invalid], dtype=np.int32)
    return Pass(
        finite_sums,
        singular,
        edge_sums,
        signs,
        int(np.count_nonzero(any_singular)),
        status,
        dead,
        evaluated=None if block.active is None else evaluated,
    )


def signs_of(step: Step, y: np.ndarray, argument: np.ndarray, ok: np.ndarray) -> int:
    """1 if the watched sign is positive at some `ok` sample, plus 2 if negative; 3 is a change.

    The step's row decides what is watched: the value, or value times argument
    (`Operator.crossing`).
    """
    watched = y[ok]
    if step.row is not None and step.row.crossing == "argument":
        watched = np.sign(watched) * np.sign(argument[ok])
    return (1 if (watched > 0).any() else 0) | (2 if (watched < 0).any() else 0)


def every_slot(tape: Tape, samples: Samples) -> extended.Plain | None:
    """Values and s^2 of every slot and the terms of every operand; None without native engine."""
    packed = native.pack(tape)
    if packed is None:
        return None
    rows = len(samples)
    y, s2 = np.empty((len(tape), rows)), np.empty((len(tape), rows))
    terms = np.empty((packed.operands, rows))
    packed.run(
        samples.addresses,
        rows,
        mode=native.EDGES,
        keep_y=(range(len(tape)), y),
        keep_s2=(range(len(tape)), s2),
        keep_terms=(range(packed.operands), terms),
    )
    return y, s2, terms


def first_untold(tape: Tape, samples: Samples, settled: Settled = NOTHING_SETTLED) -> np.ndarray:
    """For each sample the first slot that double precision cannot tell, else the last slot.

    That is where the value is beyond double range or keeps fewer than three digits; else where it
    is 0, which an underflow may have made. Shape (N,).
    """
    rows = len(samples)
    plain = None if settled or tape.chooses else every_slot(tape, samples)
    if plain is None:
        columns = {name: samples.columns[name] for name in tape.variables}
        block = evaluate_around(tape, columns, rows, settled)
        y, s2 = np.stack(block.y), np.stack(block.s2)
        for slot in range(len(tape)):
            y[slot][~np.broadcast_to(block.active_at(slot), (rows,))] = 1.0
    else:
        y, s2, _ = plain
    with np.errstate(invalid="ignore"):
        own = zip(tape.steps, y, s2, strict=True)
        coarse = np.stack([keeps_too_few(tape, *each, shortest=True) for each in own])
        lost = ~np.isfinite(y) | coarse | ((np.abs(y) < SMALLEST_NORMAL) & (y != 0))
    zeros = (y == 0) & np.array([step.row is not None for step in tape.steps])[:, None]
    zeros[-1] = True
    return np.where(lost.any(axis=0), np.argmax(lost, axis=0), np.argmax(zeros, axis=0))


def at_points(
    tape: Tape, columns: np.ndarray, slots: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Values of some slots and s^2 of the last at any points; None without native engine.

    `columns` has shape (variables of the tape, m), finite, each row contiguous; `slots` are
    ascending, and those after the last are not run. Returns shapes (len(slots), m) and (m,), and
    where no slot that was run leaves double range or the real numbers, shape (m,).
    """
    packed = native.pack(tape)
    if packed is None:
        return None
    rows = columns.shape[1]
    y, s2 = np.empty((len(slots), rows)), np.empty((1, rows))
    first, step = int(columns.ctypes.data), columns.strides[0]
    run = packed.run(
        {name: first + step * i for i, name in enumerate(tape.variables)},
        rows,
        keep_y=(slots, y),
        keep_s2=(slots[-1:], s2),
        slots=slots[-1] + 1,
    )
    status = run.status
    in_range = np.ones(rows, dtype=bool) if status is None else status & (INVALID | RANGE) == 0
    return y, s2[0], in_range


def values_at(
    tape: Tape, samples: Samples, slot: int, settled: Settled = NOTHING_SETTLED
) -> tuple[np.ndarray, np.ndarray]:
    """Value and s^2 of one slot at every sample in double precision, shape (N,) each.

    Slots after it are not run; both are meaningless where a node up to the slot is invalid.
    """
    total = len(samples)
    y, s2 = np.empty(total), np.empty(total)
    packed = None if settled else native.pack(tape)
    if packed is not None:
        packed.run(
            samples.addresses,
            total,
            keep_y=((slot,), y[None]),
            keep_s2=((slot,), s2[None]),
            slots=slot + 1,
        )
        return y, s2
    for start in range(0, total, 16_384):
        columns = {name: samples.columns[name][start : start + 16_384] for name in tape.variables}
        block = evaluate_around(tape, columns, min(total, start + 16_384) - start, settled)
        y[start : start + 16_384], s2[start : start + 16_384] = block.y[slot], block.s2[slot]
    return y, s2
