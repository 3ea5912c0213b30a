"""Blocks of samples: clean ones by the fast recursion, the others by the careful one."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakKeyDictionary

from eic_core.measure.careful import VALID, Block, evaluate_block, leaf_in_range
from eic_core.measure.data import Samples
from eic_core.measure.fast import FastBlocks
from eic_core.measure.plan import Plan, Step


def block_rows(slots: int, total: int) -> int:
    """How many samples to take at a time: buffers of all slots stay near the cache."""
    return max(1, min(total, 16_384 if slots <= 64 else max(1_024, 2**20 // slots)))


def _constant_results(plan: Plan) -> dict[int, tuple[float, float]] | None:
    """(y, s2) of the constant subtrees, or None if one of them is not clean."""
    slots = [s.slot for s in plan.steps if plan.constant[s.slot]]
    if all(plan.steps[slot].row is None for slot in slots):
        if not all(leaf_in_range(plan.steps[slot]) for slot in slots):
            return None
        return {slot: (plan.steps[slot].value, 1.0) for slot in slots}
    index = {slot: i for i, slot in enumerate(slots)}
    steps = tuple(
        Step(
            index[s.slot],
            s.node,
            s.row,
            tuple(index[i] for i in s.operands),
            s.parameter,
            s.exact_parameter,
            s.column,
            s.label,
            s.value,
        )
        for s in (plan.steps[slot] for slot in slots)
    )
    block = evaluate_block(Plan(steps, (), (), (), ()), {}, 1)
    if block.suspect[0] or block.doubtful[0] or block.first_invalid[0] != VALID:
        return None
    return {
        slot: (float(block.y[i][0]), float(block.s2[i][0])) for i, slot in enumerate(slots)
    }


_CONSTANTS: WeakKeyDictionary[Plan, dict[int, tuple[float, float]] | None] = WeakKeyDictionary()


def run_blocks(
    plan: Plan, samples: Samples, *, edges: bool, keep: bool = False
) -> Iterator[tuple[int, int, Block | None, FastBlocks | None]]:
    """Run a tape over all samples, block by block.

    Yields
    ------
    (start, stop, careful, fast)
        One of the last two is None: `fast` where the block was clean.  It is
        the same object each time, to be read before the next step.
    """
    total = len(samples)
    rows = block_rows(len(plan.steps), total)
    if plan not in _CONSTANTS:
        _CONSTANTS[plan] = _constant_results(plan)
    constants = _CONSTANTS[plan]
    clean = (
        constants is not None
        and not plan.constant[-1]
        and samples.subnormal.isdisjoint(plan.variables)
    )
    signs = [0] * len(plan.steps)
    for start in range(0, total, rows):
        stop = min(total, start + rows)
        columns = {name: samples.columns[name][start:stop] for name in plan.variables}
        if clean and constants is not None:
            if start == 0 or stop - start != rows:
                fast = FastBlocks(plan, constants, stop - start, edges=edges)
                fast.signs = signs
            if fast.run(columns, keep=len(plan.steps) - 1 if keep else None):
                signs = fast.signs
                yield start, stop, None, fast
                continue
        block = evaluate_block(plan, columns, stop - start)
        yield start, stop, block, None
