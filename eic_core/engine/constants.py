"""Constant sub-expressions, settled at 60 digits once for all samples, not at each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from eic_core.engine.reference import (
    Block,
    SettledConstant,
    evaluate_block,
    evaluate_constants,
)
from eic_core.engine.tape import SMALLEST_NORMAL, Tape

_NOTHING: Mapping[int, SettledConstant] = MappingProxyType({})


def settled_constants(tape: Tape) -> Mapping[int, SettledConstant]:
    """The constant steps of a tape at 60 digits; empty where double precision tells them.

    Steps without a value, or with a value beyond double range, are absent.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> found = settled_constants(tape_of(read("x + (0.1 + 0.2 - 0.3)").formula))
    >>> [(slot, known.y, round(known.s2, 1)) for slot, known in found.items()]
    [(3, 0.3, 1.6), (5, 0.0, inf)]
    >>> dict(settled_constants(tape_of(read("x + (1 + 2)").formula)))
    {}
    """
    key = "settled constants"
    if key not in tape._compiled:
        tape._compiled[key] = _settle(tape)
    found: Mapping[int, SettledConstant] = tape._compiled[key]
    return found


def _settle(tape: Tape) -> Mapping[int, SettledConstant]:
    operations = [s.slot for s in tape.steps if tape.constant[s.slot] and s.row is not None]
    if not operations or any(s.row is not None and not s.row.numeric for s in tape.steps):
        return _NOTHING  # where a condition chooses, each sample has its own account
    block = evaluate_constants(tape)
    if not (block.suspect[0] or block.doubtful[0]):
        return _NOTHING
    from eic_core.engine.exact import ExactEvaluator  # mpmath comes with it

    known = ExactEvaluator(tape).constants()
    found = {}
    for slot in operations:
        if slot not in known:
            return _NOTHING
        found[slot] = known[slot]
        size = abs(known[slot].y)
        if not (size == 0 or SMALLEST_NORMAL <= size < math.inf):
            return _NOTHING
    return MappingProxyType(found)


def evaluate_around(
    tape: Tape,
    columns: Mapping[str, np.ndarray],
    rows: int,
    settled: Mapping[int, SettledConstant],
) -> Block:
    """Evaluate a tape by the full definition, its constants being settled.
    Doubt is judged as if the constants were leaves: their noise, however large, is known exactly,
    and double precision does for what it adds above.
    """
    block = evaluate_block(tape, columns, rows, settled)
    if settled:
        leaves = {
            slot: SettledConstant(known.y, 1.0, (0.0,) * len(known.terms), 0.0)
            for slot, known in settled.items()
        }
        alone = evaluate_block(tape, columns, rows, leaves)
        block.suspect, block.doubtful = alone.suspect, alone.doubtful
    return block
