"""Do the ways of measuring agree, and if not, why?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eic_core.explain import words
from eic_core.explain.edges import Array
from eic_core.explain.observed import DIGITS, ROUNDOFF, Observed, rms

OK, EXPLAINED, UNCLEAR = "ok", "explained", "unclear"

LIKELY = (0.1, 1.5)
"""Observed error over (roundoff times q), rms: a rounding has 0.4 units, sums up to about 1."""

LINEAR = 1e-3
"""Where roundoff times q is above, fewer than three digits are left, and nothing is linear."""

SHARED = 0.1
"""Digits between independent and shared noise that are worth a word."""

REPLAYED = 0.1
"""The replay explains an error if what it leaves is this small a part of it."""

REACH = 2
"""Two ways disagree outside an interval twice as wide as that at 95 per cent (about 99.99)."""

SLACK = 0.02
"""Digits that are not worth a disagreement."""

STEADY_SIGMA = 1e-6
"""Algorithm 2 is compared at this sigma and below."""


@dataclass(frozen=True)
class Shaken:
    """Algorithm 2 at one sigma: local EIC with a 95 per cent interval; nan without one.

    `left_out` counts the rows that show nothing: the value is 0, the noise too large, or a
    value somewhere in the formula leaves double range.
    """

    sigma: float
    local_eic: float
    low: float
    high: float
    left_out: int


@dataclass(frozen=True)
class Agreement:
    """Whether the ways agree at a node.

    Attributes
    ----------
    badge : {"ok", "explained", "unclear"}
    reasons : tuple of str
        Why they differ; a word on shared noise may stand with "ok".
    """

    badge: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Replay:
    """What the operations below a node really rounded.

    Attributes
    ----------
    errors : ndarray, shape (m,)
        The error that they make of the node to first order, in units of roundoff.
    underflows : bool
        Whether a value below is too small for the type.
    leaf : bool
        Whether the node is a number or an input itself.
    """

    errors: Array
    underflows: bool
    leaf: bool


def compare(
    recursion: float,
    shared: float,
    shaken: Sequence[Shaken],
    observed: Sequence[Observed],
    replays: Mapping[str, Replay],
    q: Array,
    singular: int,
    rough: bool,
) -> Agreement:
    """Compare the ways of measuring one node.

    Parameters
    ----------
    recursion, shared : float
        Local EIC with independent and with shared noise.
    shaken : sequence of Shaken
    observed : sequence of Observed
    replays : mapping of type name to Replay
    q : ndarray, shape (m,)
    singular : int
        Samples at which the recursion is infinite.
    rough : bool
        Whether a function with jumps or corners stands below.
    """
    badges, reasons = [OK], []
    if singular:
        badges.append(EXPLAINED)
        reasons.append(
            f"At {words.samples(singular)} no digit is left; the recursion is given without."
        )
    if abs(recursion - shared) > SHARED:
        less = "less" if shared < recursion else "more"
        reasons.append(
            f"Copies of a sub-expression or an input share their noise: {less} arrives than with "
            f"independent noise ({shared:.1f} digits, not {recursion:.1f}); floating point "
            "follows the shared value."
        )
    for badge, reason in (
        _perturbation(recursion, shaken, singular),
        *(_observation(o, replays[o.kind], q) for o in observed),
    ):
        badges.append(badge)
        if reason and reason not in reasons:
            reasons.append(reason)
    if rough and UNCLEAR in badges:
        badges = [EXPLAINED if badge == UNCLEAR else badge for badge in badges]
        reasons.append("Noise that crosses a jump or a tie does what no derivative sees.")
    worst = max(badges, key=(OK, EXPLAINED, UNCLEAR).index)
    return Agreement(worst, tuple(reasons))


def _perturbation(recursion: float, shaken: Sequence[Shaken], singular: int) -> tuple[str, str]:
    steady = [s for s in shaken if s.sigma <= STEADY_SIGMA and not math.isnan(s.low)]
    if not steady:
        return EXPLAINED, (
            "Perturbation shows nothing: the values leave double range or are 0, or the noise "
            "is larger than they bear."
        )
    if math.isnan(recursion):
        return EXPLAINED, "No sample keeps a digit, so that there is no recursion to compare."
    best = min(steady, key=lambda s: (s.left_out, s.sigma))
    if _covers(best, recursion):
        coarse = shaken[0]
        if not _covers(coarse, recursion):
            return OK, (
                f"At σ = {words.number(coarse.sigma)} perturbation is off: noise so large is no "
                "longer in proportion."
            )
        return OK, ""
    if best.left_out > singular:
        return EXPLAINED, (
            f"Perturbation leaves out {words.samples(best.left_out)} at which its noise is too "
            "large or the value leaves double range."
        )
    if recursion > DIGITS["float64"] - 3:
        return EXPLAINED, "So many digits are lost that perturbation in float64 shows only noise."
    return UNCLEAR, (
        f"Perturbation finds {best.local_eic:.2f} ({best.low:.2f} to {best.high:.2f}), "
        f"the recursion {recursion:.2f}."
    )


def _covers(shaken: Shaken, recursion: float) -> bool:
    below = REACH * (shaken.local_eic - shaken.low) + SLACK
    above = REACH * (shaken.high - shaken.local_eic) + SLACK
    return shaken.local_eic - below <= recursion <= shaken.local_eic + above


def _observation(observed: Observed, replay: Replay, q: Array) -> tuple[str, str]:
    kind = observed.kind
    known = np.isfinite(observed.errors) & np.isfinite(q)
    linear = known & (q * ROUNDOFF[kind] <= LINEAR)
    reason = _not_compared(observed, known, linear)
    if not linear.any():
        return EXPLAINED, reason
    errors = observed.errors[linear]
    ratio = rms(errors / q[linear])
    if LIKELY[0] <= ratio <= LIKELY[1]:
        return (EXPLAINED if reason else OK), reason
    if ratio == 0 and not replay.leaf:
        return EXPLAINED, reason or f"In {kind} every operation below is exact here."
    if replay.leaf and ratio < LIKELY[0]:
        return OK, f"In {kind} it is stored without error, or nearly so."
    replayed = replay.errors[linear]
    told = np.isfinite(replayed)
    rest = rms((errors - replayed)[told] / q[linear][told])
    if told.any() and rest <= max(REPLAYED * max(ratio, LIKELY[0]), 0.01):
        return EXPLAINED, reason or _replayed(kind, ratio, replay.underflows)
    if replay.underflows:
        return EXPLAINED, reason or _replayed(kind, ratio, True)
    return UNCLEAR, reason or (
        f"In {kind} the error is {words.number(ratio)} times roundoff · q, and the actual "
        "roundings do not account for it."
    )


def _not_compared(observed: Observed, known: np.ndarray, linear: np.ndarray) -> str:
    """Why samples are not compared in one type; "" if all are."""
    kind = observed.kind
    beyond = int(np.count_nonzero(known & ~linear))
    if not linear.any():
        if observed.lost:
            return f"In {kind} the value overflows or has no number."
        if beyond:
            return f"In {kind} hardly a digit is left: the error is as large as the value."
        return f"In {kind} there is nothing to compare: the exact value is 0."
    if observed.lost:
        return f"In {kind} {words.samples(observed.lost)} overflow or have no number."
    if beyond:
        return (
            f"In {kind} {words.samples(beyond)} keep fewer than three digits, where an error is "
            "no longer in proportion; they are not compared."
        )
    return ""


def _replayed(kind: str, ratio: float, underflows: bool) -> str:
    if ratio < LIKELY[0]:
        return (
            f"In {kind} less is lost: some numbers and operations are exact in binary and round "
            "nothing."
        )
    if underflows:
        return f"In {kind} more is lost: a value is too small for the type and underflows."
    return f"In {kind} more is lost: a library function is wrong by more than one rounding."
