"""Samples at which a rounding decides which rule of the definition applies: jumps, ends, ties.

``floor(0.1*3*10)`` stands on a jump, but its double does not; ``max(0.1+0.2, 0.3)`` is a tie. The
amplification before such a node is small, so that s alone gives no warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eic_core.engine.tape import UNIT_ROUNDOFF
from eic_core.operators import Operator

Value = Any  # ndarray of shape (m,) or a float

TIE_ROUNDINGS = 16
WAVE_LIMIT = 1e5
"""While |x| s is below, a sine's kappa keeps nine digits wherever it matters."""

_TOLERATED = 2e-9
"""A relative error of s^2 that stays well inside the promised agreement."""


def near_brink(B: Any, row: Operator, a: Sequence[Value], s2: Sequence[Value], leaf: Any) -> Any:
    """Whether the operands lie within their own rounding of a jump or an end of the domain.

    A single `leaf` exactly on the brink is there without doubt.
    """
    assert row.brink is not None
    distance = row.brink(B, *a)
    if row.edge is not None:  # the last operand alone passes it
        noise = s2[-1]
        near = distance <= row.brink_roundings * UNIT_ROUNDOFF * (B.abs(a[-1]) * B.sqrt(noise))
        return near | (noise == B.inf)
    noise = s2[0] if len(a) == 1 else s2[0] + s2[1]
    near = distance <= row.brink_roundings * UNIT_ROUNDOFF * (B.abs(a[0]) * B.sqrt(noise))
    if len(a) > 1:
        return near | (noise == B.inf)  # a 0 may have no relative digit
    return near & B.where(leaf, distance != 0, True)


def near_tie(
    operands: Sequence[Value], stds: Sequence[Value], y: np.ndarray, leaves: Sequence[bool]
) -> np.ndarray:
    """Whether a second operand of min or max reaches the value `y` to within its rounding.

    Two leaves, equal or not, and a shared subtree are never in doubt. `stds` are the operands'
    sqrt(v). Shape (m,).
    """
    distinct = {
        id(o): (o, std, leaf) for o, std, leaf in zip(operands, stds, leaves, strict=True)
    }.values()
    attained = np.zeros_like(y)
    for operand, deviation, _ in distinct:
        np.maximum(attained, np.where(np.equal(operand, y), deviation, 0.0), out=attained)
    count = np.zeros(y.shape, dtype=np.int64)
    computed = np.zeros(y.shape, dtype=bool)
    for operand, deviation, leaf in distinct:
        reach = TIE_ROUNDINGS * UNIT_ROUNDOFF * (deviation + attained)
        near = np.less_equal(np.abs(operand - y), reach)
        count += near
        if not leaf:
            computed |= near
    return computed & (count > 1)


def lost_phase(B: Any, x: Value, s2: Value, kappa2: Value) -> Any:
    """Whether a sine's phase is too uncertain for its kappa = x g, g = cot x or tan x.

    x (in radians) is known to u |x| s, hence kappa^2 to 2 kappa |x| (1 + g^2) u |x| s. True where
    |x| s exceeds `WAVE_LIMIT` and the error of s^2 is above the tolerance.
    """
    squared = x * x
    g2 = kappa2 / squared
    total = 1.0 + kappa2 * s2
    error = 2 * UNIT_ROUNDOFF * B.sqrt(kappa2 * s2) * s2 * squared * (1.0 + g2) / total
    tolerated = B.maximum(_TOLERATED, 4 * UNIT_ROUNDOFF * B.sqrt(total))
    return (squared * s2 > WAVE_LIMIT**2) & (error > tolerated)
