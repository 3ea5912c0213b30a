"""Runs a tape over all samples: by the native engine, or by NumPy where there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from eic_core.engine.branches import plain_values
from eic_core.engine.native import library as native
from eic_core.engine.native.library import DOUBT, INVALID, Packed, WalkSummary
from eic_core.engine.reference import NOTHING_SETTLED, Settled, evaluate_block
from eic_core.engine.tape import RECHECK_S2, Tape
from eic_core.engine.walked import (
    NUMBERS_HELD,
    RANGE,
    Array,
    Walked,
    blocks,
    columns_between,
    spans,
    together,
)
from eic_core.samples import Samples

_AT_ONCE = 16 * NUMBERS_HELD
"""Samples times slots of one call of the native engine, so that progress can be told."""

Progress = Callable[[float], None]


class SlotNoise(NamedTuple):
    slots: Sequence[int]
    s2: Array  # shape (len(slots), N)


NO_SLOT_NOISE = SlotNoise((), np.empty((0, 0)))


class Folded(NamedTuple):
    summary: WalkSummary
    status: np.ndarray  # shape (N,): what is known of each sample; (0,) if nothing is of any
    dead: np.ndarray  # shape (N,): the slot at which it first has no real value, where `INVALID`


def fold(
    tape: Tape,
    samples: Samples,
    held: int = 0,
    *,
    edges: bool = False,
    root_values: Array | None = None,
    slot_noise: SlotNoise = NO_SLOT_NOISE,
    settled: Settled = NOTHING_SETTLED,
    recheck_s2: float = RECHECK_S2,
    progress: Progress | None = None,
) -> Folded:
    """The sums over all samples, block by block.

    - `held`: bits of a status that leave a sample out of the sums.
    - `edges`: whether to sum every operand's terms and the watched signs, too.
    - `root_values`, shape (N,): receives the root's values.
    - `slot_noise`: receives s^2 of some slots; of samples left out it means nothing.
    - `recheck_s2`: the s^2 above which a sample counts as `PRECISION`; at most the default.
    - `progress`: called with the share of samples that are done.
    """
    packed = None if settled else native.pack(tape)
    total, count = len(samples), len(tape)
    shortest = samples.longer.isdisjoint(tape.variables)
    status = dead = np.empty(0, dtype=np.int32)

    def compiled(packed: Packed, start: int, stop: int) -> WalkSummary:
        addresses = samples.addresses
        if start:
            addresses = {name: address + 8 * start for name, address in addresses.items()}
        return packed.run(
            addresses,
            stop - start,
            mode=edges * (native.EDGES | native.SIGNS) | shortest * native.SHORTEST,
            skip=INVALID | (held & ~DOUBT),
            out=INVALID | held,
            keep_y=None if root_values is None else ((count - 1,), root_values[None, start:]),
            keep_s2=(slot_noise.slots, slot_noise.s2[:, start:]) if slot_noise.slots else None,
            recheck_s2=recheck_s2,
        )

    def by_numpy(start: int, stop: int) -> WalkSummary:
        columns, rows = columns_between(tape, samples, start, stop), stop - start
        walked = evaluate_block(
            tape, columns, rows, settled, shortest=shortest, recheck_s2=recheck_s2
        )
        if slot_noise.slots:
            slot_noise.s2[:, start:stop] = walked.s2[[*slot_noise.slots]]
        walked.s2[np.isnan(walked.s2)] = np.inf
        if root_values is not None:
            # those of a user's program, which settles no constants
            y = plain_values(tape, columns, rows) if settled else walked.y
            root_values[start:stop] = y[-1]
        return walked.summary(tape, INVALID | held, edges=edges)

    parts = []
    at_once = max(512, _AT_ONCE // count) if total * count > 2 * _AT_ONCE else total
    for start, stop in blocks(total, count) if packed is None else spans(total, at_once):
        part = by_numpy(start, stop) if packed is None else compiled(packed, start, stop)
        parts.append(part)
        if part.status is not None and part.dead is not None:
            if not len(status):
                status, dead = np.zeros((2, total), dtype=np.int32)
            status[start:stop], dead[start:stop] = part.status, part.dead
            part.status = part.dead = None
        if progress is not None:
            progress(stop / total)
    return Folded(together(parts), status, dead)


def walk_rows(tape: Tape, samples: Samples, settled: Settled = NOTHING_SETTLED) -> Walked:
    """Everything at all samples in double precision, for as many as may be held."""
    rows, packed = len(samples), None if settled else native.pack(tape)
    if packed is None:
        return evaluate_block(tape, columns_between(tape, samples, 0, rows), rows, settled)
    walked = Walked.empty(tape, rows)
    run = packed.run(
        samples.addresses,
        rows,
        mode=native.EDGES,
        keep_y=(range(len(tape)), walked.y),
        keep_s2=(range(len(tape)), walked.s2),
        keep_terms=(range(packed.operands), walked.terms),
    )
    if run.status is not None and run.dead is not None:
        walked.status[:] = run.status
        walked.dead[:] = np.where(run.status & INVALID, run.dead, -1)
    return walked


def walk_slots(
    tape: Tape, samples: Samples, slots: Sequence[int], settled: Settled = NOTHING_SETTLED
) -> tuple[Array, Array]:
    """Value and s^2 of some slots, ascending, at every sample in double precision.

    Slots after the last are not run; both are meaningless where a node up to the slot is invalid.
    Shape (len(slots), N) each.
    """
    total = len(samples)
    y, s2 = np.empty((2, len(slots), total))
    packed = None if settled else native.pack(tape)
    if packed is not None:
        packed.run(
            samples.addresses, total, keep_y=(slots, y), keep_s2=(slots, s2), slots=slots[-1] + 1
        )
        return y, s2
    for start, stop in blocks(total, len(tape)):
        columns = columns_between(tape, samples, start, stop)
        walked = evaluate_block(tape, columns, stop - start, settled)
        y[:, start:stop], s2[:, start:stop] = walked.y[[*slots]], walked.s2[[*slots]]
    return y, s2


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
