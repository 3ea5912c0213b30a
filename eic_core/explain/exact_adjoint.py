"""The recursion run backwards at one sample, at high precision.

The rules are those of `eic_core.explain.adjoint`; the sums of a class may cancel to many
digits, so that the samples which double precision cannot settle are followed here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from eic_core.engine.exact import ExactEvaluator, ExactSample
from eic_core.engine.tape import Step
from eic_core.explain.edges import Unit
from eic_core.operators import MpBackend

MOST_BITS = 10_000


def exact_arrivals(
    evaluator: ExactEvaluator, units: Sequence[Unit], sample: ExactSample
) -> list[float]:
    """G of every unit at one valid sample.

    Parameters
    ----------
    evaluator : ExactEvaluator
        The one that made `sample`.
    units : sequence of Unit
        The last is the target.
    sample : ExactSample

    Returns
    -------
    list of float
        With sign; inf where no digit of the target is left.

    Notes
    -----
    A number above 10^60 has a fractional part all the same: the working precision covers
    the largest value, up to `MOST_BITS`.
    """
    mp = evaluator.mp
    largest = max((mp.mag(y) for y in sample.y if y), default=0)
    with mp.workprec(mp.prec + max(0, min(largest, MOST_BITS))):
        return _follow(evaluator, units, sample)


def _follow(
    evaluator: ExactEvaluator, units: Sequence[Unit], sample: ExactSample
) -> list[float]:
    mp, tape, B = evaluator.mp, evaluator.tape, evaluator.backend
    zero = mp.mpf(0)
    relative, absolute, infinite = ([zero] * len(units) for _ in range(3))
    relative[-1] = mp.mpf(1)
    for index in range(len(units) - 1, -1, -1):
        unit = units[index]
        step = tape.steps[unit.slot]
        if step.row is None or not (relative[index] or absolute[index] or infinite[index]):
            continue
        y = sample.y[unit.slot]
        partials = _partials(B, step, sample)
        limits = _limits(B, step, sample)
        for i, child in enumerate(unit.operands):
            if sample.contributions[unit.slot][i] == 0:
                continue  # nothing passes this edge, however steep
            operand, partial = sample.y[step.operands[i]], partials[i]
            moved = _times(absolute[index], partial)
            if y and operand:
                relative[child] += _times(relative[index], partial * operand / y)
            elif y:
                absolute[child] += _times(relative[index], partial / y)
            elif limits[i]:
                relative[child] += relative[index] * limits[i]
            elif relative[index]:
                infinite[child] += partial
            if not y and operand:
                relative[child] += _times(moved, operand)
            elif not y:
                absolute[child] += moved
            infinite[child] += _times(infinite[index], partial)
    return [
        math.inf if infinite[index] and sample.y[unit.slot] else _to_float(relative[index])
        for index, unit in enumerate(units)
    ]


def _partials(B: MpBackend, step: Step, sample: ExactSample) -> Sequence[Any]:
    row = step.row
    assert row is not None
    if row.selects:
        return [1.0 if term else 0.0 for term in sample.contributions[step.slot]]
    a = [sample.y[slot] for slot in step.operands]
    p = row.mp_parameter(B.context, step.exact_parameter)
    try:
        partials = row.partials(B, a, sample.y[step.slot], p)
    except ZeroDivisionError:
        return [B.inf for _ in a]
    through = sample.contributions[step.slot]
    return [
        B.inf if not partial and term == math.inf and sample.s2[slot] < math.inf else partial
        for slot, term, partial in zip(step.operands, through, partials, strict=True)
    ]  # a jump that a rounding of the operand has just missed is one all the same


def _limits(B: MpBackend, step: Step, sample: ExactSample) -> list[Any]:
    """Finite non-zero limits of kappa where the step's value is 0; 0 for none."""
    row = step.row
    assert row is not None
    if sample.y[step.slot]:
        return [0.0] * len(step.operands)
    if row.selects:
        return [1.0 if term else 0.0 for term in sample.contributions[step.slot]]
    a = [sample.y[slot] for slot in step.operands]
    limits = row.zero_limit(B, a, row.mp_parameter(B.context, step.exact_parameter))
    return [limit if B.isfinite(limit) else 0.0 for limit in limits]


def _times(a: Any, b: Any) -> Any:
    return a * b if a and b else 0  # 0 times infinity: nothing arrives through a closed path


def _to_float(value: Any) -> float:
    try:
        return float(value) if value == value else math.inf
    except OverflowError:
        return math.inf
