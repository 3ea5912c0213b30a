"""Constant sub-expressions, settled exactly once for all samples, not at each of them."""

from __future__ import annotations

import math
from types import MappingProxyType

from eic_core.engine.native.library import DOUBT
from eic_core.engine.reference import NOTHING_SETTLED, Settled, evaluate_block
from eic_core.engine.tape import SMALLEST_NORMAL, Tape
from eic_core.engine.walked import SUSPECT


def settled_constants(tape: Tape, *, proven: bool = False) -> Settled:
    """The constant steps of a tape in balls; empty where double precision tells them.

    Steps without a value, or with a value beyond double range, are absent; if they must be `proven`
    and a zero is assumed, all are.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> settled = settled_constants(tape_of(read("x + (0.1 + 0.2 - 0.3)").formula))
    >>> [(slot, y, round(through.s2, 1)) for slot, (y, through) in settled.items()]
    [(3, 0.3, 1.6), (5, 0.0, inf)]
    >>> dict(settled_constants(tape_of(read("x + (1 + 2)").formula)))
    {}
    """
    key = "settled constants"
    if key not in tape._compiled:
        tape._compiled[key] = _settle(tape)
    settled: Settled
    settled, are_proven = tape._compiled[key]
    return settled if are_proven or not proven else NOTHING_SETTLED


def _settle(tape: Tape) -> tuple[Settled, bool]:
    operations = [s.slot for s in tape.steps if tape.constant[s.slot] and s.row is not None]
    if not operations or any(s.row is not None and not s.row.numeric for s in tape.steps):
        return NOTHING_SETTLED, True  # where a condition chooses, each sample has its own account
    constants = tape.part([slot for slot, constant in enumerate(tape.constant) if constant])
    if not evaluate_block(constants, {}, 1).status[0] & (SUSPECT | DOUBT):
        return NOTHING_SETTLED, True
    from eic_core.engine.exact import settled_steps  # Arb comes with it

    steps, proven = settled_steps(tape)
    for slot in operations:
        size = abs(steps[slot][0]) if slot in steps else math.nan
        if not (size == 0 or SMALLEST_NORMAL <= size < math.inf):
            return NOTHING_SETTLED, True
    return MappingProxyType({slot: steps[slot] for slot in operations}), proven
