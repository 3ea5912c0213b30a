"""Compares the measures of one node's loss, and gives the reasons of a difference."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eic_core.explain.disagreements import (
    EXPLAINED,
    OK,
    UNCLEAR,
    Copies,
    Event,
    LargeErrors,
    MeasuredEvent,
    NoDigit,
    Nothing,
    Reason,
    Shaken,
    SharedNoise,
    TrialsDiffer,
    TrialsLeaveOut,
    Why,
)
from eic_core.explain.phrases import truth as phrases
from eic_core.measure.observed import DIGITS, ROUNDOFF, Observed, rms
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase

LIKELY = (0.1, 1.5)
"""Measured error over (roundoff times q), rms: a rounding has 0.4 units, sums up to about 1."""

LINEAR = 1e-3
"""Where roundoff times q is above, fewer than three digits are left, and nothing is linear."""

EXACT = 0.5
"""What part of the noise must come from exact operations for these to explain a small error."""

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
class MethodAgreement:
    badge: str  # "ok", "explained" or "unclear"
    reasons: tuple[Reason, ...]  # Why they differ; shared noise may stand with "ok"
    because: Reason | None = None  # The first reason for the badge; None with "ok"

    @property
    def nothing(self) -> Nothing | None:
        """What the node is where there is nothing to compare."""
        return self.because if isinstance(self.because, Nothing) else None

    @property
    def sentences(self) -> tuple[Phrase, ...]:
        return tuple(map(phrases.reason, self.reasons))


_Finding = tuple[str, Reason | None]
"""A badge, and what there is to say of it."""


@dataclass(frozen=True)
class Replay:
    # shape (m,): The error that they make of the node to first order, in units of roundoff
    errors: Array
    underflows: bool  # Whether a value below is too small for the type
    constant: bool  # Whether the node is one itself
    # The part of the noise, as it arrives, of operations that rounded nothing: 0 to 1
    exact: float


def compare_measures(
    recursion: float,
    shared: float,
    shaken: Sequence[Shaken],
    observed: Sequence[Observed],
    replays: Mapping[str, Replay],
    q: Mapping[str, Array],
    singular: int,
    rough: bool,
    copies: Copies | None = None,
) -> MethodAgreement:
    """Compare the ways of measuring one node.

    - `recursion`, `shared`: local EIC with independent and with shared noise.
    - `shaken`: Algorithm 2's estimates, from the largest sigma to the smallest.
    - `q`, by type, shape (m,): the correlated amplification of what the type rounds, at its own
      inputs; inf where no digit is left.
    - `singular`: samples at which the recursion is infinite.
    - `rough`: whether a function with jumps or corners stands below.
    """
    findings: list[_Finding] = []
    if singular:
        whole = singular == len(q["float64"])
        findings.append((EXPLAINED, Why.NO_DIGIT if whole else NoDigit(singular)))
    observations = [_observation(o, replays[o.kind], q[o.kind]) for o in observed]
    if copies is not None and abs(recursion - shared) > SHARED:
        followed = all(badge == OK for badge, _ in observations)
        findings.append((OK, SharedNoise(copies, recursion, shared, followed)))
    trials = _perturbation(recursion, shaken, singular)
    exact = [(EXPLAINED, MeasuredEvent(o.kind, Event.EXACT)) for o in observed]
    if trials[0] != UNCLEAR and not singular and observations == exact:
        more = tuple(reason for badge, reason in findings if badge == OK and reason)
        return MethodAgreement(EXPLAINED, (*more, Nothing.UNROUNDED), Nothing.UNROUNDED)
    findings += [trials, *observations]
    if rough and any(badge == UNCLEAR for badge, _ in findings):
        reasons = [_at_jump(reason) for _, reason in findings] + [Why.JUMP]
        return MethodAgreement(EXPLAINED, _different(reasons), Why.JUMP)
    worst = max((badge for badge, _ in findings), key=(OK, EXPLAINED, UNCLEAR).index)
    because = next(reason for badge, reason in findings if badge == worst)
    reasons = [reason for _, reason in findings]
    return MethodAgreement(worst, _different(reasons), None if worst == OK else because)


def _different(reasons: Iterable[Reason | None]) -> tuple[Reason, ...]:
    return tuple(reason for reason in dict.fromkeys(reasons) if reason is not None)


def _at_jump(reason: Reason | None) -> Reason | None:
    if isinstance(reason, MeasuredEvent) and reason.event is Event.UNACCOUNTED:
        return replace(reason, event=Event.OFF)
    return reason


def _perturbation(recursion: float, shaken: Sequence[Shaken], singular: int) -> _Finding:
    """The agreement of the recursion with the steadiest estimate of Algorithm 2, or the reason."""
    steady = [s for s in shaken if s.sigma <= STEADY_SIGMA and not math.isnan(s.low)]
    if not steady:
        return EXPLAINED, Why.SILENT_TRIALS
    if math.isnan(recursion):
        return EXPLAINED, Why.NO_DIGIT
    best = min(steady, key=lambda s: (s.left_out, s.sigma))
    if _interval_holds(best, recursion):
        coarse = list(itertools.takewhile(lambda s: not _interval_holds(s, recursion), shaken))
        return OK, LargeErrors(coarse[-1].sigma) if coarse else None
    if best.left_out > singular:
        return EXPLAINED, TrialsLeaveOut(best.left_out)
    if recursion > DIGITS["float64"] - 3:
        return EXPLAINED, Why.NOISY_TRIALS
    return UNCLEAR, TrialsDiffer(best, recursion)


def _interval_holds(shaken: Shaken, recursion: float) -> bool:
    below = REACH * (shaken.local_eic - shaken.low) + SLACK
    above = REACH * (shaken.high - shaken.local_eic) + SLACK
    return shaken.local_eic - below <= recursion <= shaken.local_eic + above


def _observation(observed: Observed, replay: Replay, q: Array) -> _Finding:
    """The agreement of one type's errors with q times the roundoff, where the error is linear: a
    ratio within `LIKELY` agrees; another is explained if the replayed roundings account for it.
    """
    kind = observed.kind
    compared = np.isfinite(observed.errors) & np.isfinite(q)
    linear = compared & (q * ROUNDOFF[kind] <= LINEAR)
    reason = _not_compared(observed, compared, linear)
    if not linear.any():
        return EXPLAINED, reason
    errors, expected = observed.errors[linear], q[linear]
    stored = MeasuredEvent(kind, Event.STORED) if replay.constant else None
    if not expected.any():  # an input, or a constant that the type holds
        return EXPLAINED if reason else OK, reason or stored
    expected = np.where(expected > 0, expected, 1.0)
    ratio = rms(errors / expected)
    if LIKELY[0] <= ratio <= LIKELY[1]:
        return EXPLAINED if reason else OK, reason
    if ratio == 0:
        return EXPLAINED, reason or MeasuredEvent(kind, Event.EXACT)
    if replay.constant and ratio < LIKELY[0]:
        return OK, stored
    replayed = replay.errors[linear]
    usable = np.isfinite(replayed)
    rest = rms((errors - replayed)[usable] / expected[usable])
    accounted = usable.any() and rest <= max(REPLAYED * max(ratio, LIKELY[0]), 0.01)
    if accounted or replay.underflows:
        return EXPLAINED, reason or MeasuredEvent(kind, _replayed(ratio, replay))
    return UNCLEAR, reason or MeasuredEvent(kind, Event.UNACCOUNTED, ratio=ratio)


def _not_compared(
    observed: Observed, compared: np.ndarray, linear: np.ndarray
) -> MeasuredEvent | None:
    kind, beyond = observed.kind, int(np.count_nonzero(compared & ~linear))
    if not linear.any():
        errors = observed.errors[np.isfinite(observed.errors)]
        if observed.rows_lost:
            return MeasuredEvent(kind, Event.NO_NUMBER)
        if beyond:
            return MeasuredEvent(kind, Event.FEW_DIGITS)
        if not len(errors):
            return MeasuredEvent(kind, Event.ZERO)
        return MeasuredEvent(kind, Event.NO_DIGIT if errors.any() else Event.EXACT)
    if observed.rows_lost:
        return MeasuredEvent(kind, Event.SOME_NO_NUMBER, observed.rows_lost, len(linear))
    if beyond:
        return MeasuredEvent(kind, Event.SOME_FEW_DIGITS, beyond, len(linear))
    return None


def _replayed(ratio: float, replay: Replay) -> Event:
    if ratio < LIKELY[0]:
        return Event.CANCELLING if replay.exact < EXACT else Event.UNROUNDED
    return Event.UNDERFLOW if replay.underflows else Event.LIBRARY
