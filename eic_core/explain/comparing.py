"""Compares the measures of one node's loss, and explains a difference in a sentence."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eic_core import wording
from eic_core.measure.observed import DIGITS, ROUNDOFF, Observed, rms
from eic_core.operators.wide import Array

OK, EXPLAINED, UNCLEAR = "ok", "explained", "unclear"

LIKELY = (0.1, 1.5)
"""Observed error over (roundoff times q), rms: a rounding has 0.4 units, sums up to about 1."""

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

NAMES = {"float32": "single precision", "float64": "double precision"}

STEADY_SIGMA = 1e-6
"""Algorithm 2 is compared at this sigma and below."""


@dataclass(frozen=True)
class Shaken:
    sigma: float  # Standard deviation of the noise, relative to each value
    local_eic: float  # Digits lost; nan without a usable row
    # low, high: 95 per cent interval of it; nan without one
    low: float
    high: float
    # Rows that show nothing: the value is 0, the noise too large, or a value somewhere in the
    # formula leaves double range
    left_out: int

    _JSON = ("sigma", "local_eic", "low", "high", "left_out")


@dataclass(frozen=True)
class MethodAgreement:
    badge: str  # "ok", "explained" or "unclear"
    reasons: tuple[str, ...]  # Why they differ; a word on shared noise may stand with "ok"
    because: str = ""  # The first reason for the badge as a clause; "" with "ok"
    # What the node is where there is nothing to compare, one of `NOTHING`; else ""
    nothing: str = ""


TRUTH, ZERO, UNTAKEN, UNROUNDED = NOTHING = (
    "a truth value",
    "a value of 0",
    "a branch that none of these samples takes",
    "a value that comes out exact",
)
"""What bears no relative noise, or has none to show: no way of measuring it can agree or differ."""


def nothing_to_compare(what: str) -> MethodAgreement:
    """The agreement at a node where there is nothing to compare; `what` is one of `NOTHING`.

    >>> nothing_to_compare(ZERO).reasons
    ('There is nothing to compare: this is a value of 0.',)
    """
    because = f"this is {what}"
    return MethodAgreement(EXPLAINED, (f"There is nothing to compare: {because}.",), because, what)


@dataclass(frozen=True)
class Copies:
    """A sub-expression that stands in several places, whose noise is therefore shared."""

    text: str  # In backticks
    count: int  # 2 or more

    def __str__(self) -> str:
        times = "twice" if self.count == 2 else f"{self.count} times"
        return f"{self.text} is used {times}"


_Finding = tuple[str, str, str]
"""Badge, sentence, and the sentence's clause; "" where there is nothing to say."""


@dataclass(frozen=True)
class Replay:
    # shape (m,): The error that they make of the node to first order, in units of roundoff
    errors: Array
    underflows: bool  # Whether a value below is too small for the type
    leaf: bool  # Whether the node is a number or an input itself
    exact: float  # The part of the noise, as it arrives, of operations that rounded nothing: 0 to 1


def compare_measures(
    recursion: float,
    shared: float,
    shaken: Sequence[Shaken],
    observed: Sequence[Observed],
    replays: Mapping[str, Replay],
    q: Array,
    singular: int,
    rough: bool,
    copies: Copies | None = None,
) -> MethodAgreement:
    """Compare the ways of measuring one node.

    - `recursion`, `shared`: local EIC with independent and with shared noise.
    - `shaken`: Algorithm 2's estimates, from the largest sigma to the smallest.
    - `q`, shape (m,): the correlated amplification; inf where no digit is left.
    - `singular`: samples at which the recursion is infinite.
    - `rough`: whether a function with jumps or corners stands below.
    """
    found: list[_Finding] = []
    if singular:
        found.append(_no_digit(singular, len(q)))
    observations = [_observation(o, replays[o.kind], q) for o in observed]
    if copies is not None and abs(recursion - shared) > SHARED:
        follows = all(badge == OK for badge, _, _ in observations)
        found.append((OK, _shared_noise_clause(recursion, shared, copies, follows), ""))
    shaking = _perturbation(recursion, shaken, singular)
    if (
        shaking[0] != UNCLEAR
        and not singular
        and observations == [_finding(EXPLAINED, NAMES[o.kind], _EXACT) for o in observed]
    ):
        alone = nothing_to_compare(UNROUNDED)
        told = (text for badge, text, _ in found if badge == OK and text)
        return replace(alone, reasons=(*told, *alone.reasons))
    found.append(shaking)
    found += observations
    if rough and any(badge == UNCLEAR for badge, _, _ in found):
        found = [
            (EXPLAINED if b == UNCLEAR else b, text.replace(_UNACCOUNTED, ""), _JUMP)
            for b, text, _ in found
        ]
        found.append(_clause(EXPLAINED, _JUMP))
    worst = max((badge for badge, _, _ in found), key=(OK, EXPLAINED, UNCLEAR).index)
    because = next(clause for badge, _, clause in found if badge == worst)
    reasons = tuple(dict.fromkeys(text for _, text, _ in found if text))
    return MethodAgreement(worst, reasons, "" if worst == OK else because)


def _no_digit(singular: int, rows: int) -> _Finding:
    if singular == rows:
        return _clause(EXPLAINED, "no digit is left at any sample")
    at = wording.count(singular, "sample")
    return (
        EXPLAINED,
        f"At {at} no digit is left; the prediction is given without.",
        f"no digit is left at {at}",
    )


_UNACCOUNTED = ", and the roundings on the way do not account for it"

_JUMP = "noise that crosses a jump or a tie does what no derivative sees"


def _shared_noise_clause(recursion: float, shared: float, copies: Copies, follows: bool) -> str:
    how = "partly cancels" if shared < recursion else "adds up"
    real = "; floating point follows the shared value" if follows else ""
    return (
        f"{copies}, and all its uses share their noise, which {how}: {shared:.1f} digits are lost, "
        f"not {recursion:.1f} as with independent noise{real}."
    )


_EXACT = "its value comes out exact"


def _perturbation(recursion: float, shaken: Sequence[Shaken], singular: int) -> _Finding:
    """The agreement of the recursion with the steadiest estimate of Algorithm 2, or the reason."""
    steady = [s for s in shaken if s.sigma <= STEADY_SIGMA and not math.isnan(s.low)]
    if not steady:
        return _clause(
            EXPLAINED,
            "trials show nothing: a value is 0, leaves double range, or bears no error of this "
            "size",
        )
    if math.isnan(recursion):
        return _clause(EXPLAINED, "no sample keeps a digit, so there is nothing to compare")
    best = min(steady, key=lambda s: (s.left_out, s.sigma))
    if _interval_holds(best, recursion):
        coarse = list(itertools.takewhile(lambda s: not _interval_holds(s, recursion), shaken))
        if coarse:
            return (
                OK,
                (
                    f"With errors of {wording.significant(coarse[-1].sigma)} or more the "
                    f"formula no "
                    "longer responds in proportion; with smaller ones it settles at the prediction."
                ),
                "",
            )
        return OK, "", ""
    if best.left_out > singular:
        left = wording.count(best.left_out, "sample")
        return (
            EXPLAINED,
            f"Trials leave out {left} at which their errors are too large or the value leaves "
            "double range.",
            f"trials have to leave out {left}",
        )
    if recursion > DIGITS["float64"] - 3:
        return _clause(
            EXPLAINED, "so many digits are lost that trials in double precision show only noise"
        )
    return _clause(
        UNCLEAR,
        f"trials find {best.local_eic:.2f} ({best.low:.2f} to {best.high:.2f}), "
        f"the prediction is {recursion:.2f}",
    )


def _clause(badge: str, clause: str) -> _Finding:
    return badge, f"{wording.capital(clause)}.", clause


def _interval_holds(shaken: Shaken, recursion: float) -> bool:
    below = REACH * (shaken.local_eic - shaken.low) + SLACK
    above = REACH * (shaken.high - shaken.local_eic) + SLACK
    return shaken.local_eic - below <= recursion <= shaken.local_eic + above


def _observation(observed: Observed, replay: Replay, q: Array) -> _Finding:
    """The agreement of one type's errors with q times the roundoff, where the error is linear: a
    ratio within `LIKELY` agrees; another is explained if the replayed roundings account for it.
    """
    kind, name = observed.kind, NAMES[observed.kind]
    known = np.isfinite(observed.errors) & np.isfinite(q)
    linear = known & (q * ROUNDOFF[kind] <= LINEAR)
    reason = _not_compared(observed, known, linear)
    if not linear.any():
        return _finding(EXPLAINED, name, reason)
    errors = observed.errors[linear]
    ratio = rms(errors / q[linear])
    if LIKELY[0] <= ratio <= LIKELY[1]:
        return _finding(EXPLAINED if reason else OK, name, reason)
    if ratio == 0 and not replay.leaf:
        return _finding(EXPLAINED, name, reason or _EXACT)
    if replay.leaf and ratio < LIKELY[0]:
        return _finding(OK, name, "it is stored without error, or nearly so")
    replayed = replay.errors[linear]
    is_known = np.isfinite(replayed)
    rest = rms((errors - replayed)[is_known] / q[linear][is_known])
    if is_known.any() and rest <= max(REPLAYED * max(ratio, LIKELY[0]), 0.01):
        return _finding(EXPLAINED, name, reason or _replay_clause(ratio, replay))
    if replay.underflows:
        return _finding(EXPLAINED, name, reason or _replay_clause(ratio, replay))
    return _finding(
        UNCLEAR,
        name,
        reason
        or (f"the error is {wording.significant(ratio)} times what is expected{_UNACCOUNTED}"),
    )


def _finding(badge: str, name: str, clause: str) -> _Finding:
    if not clause:
        return badge, "", ""
    return badge, f"In {name}, {clause}.", f"in {name} {clause}"


def _not_compared(observed: Observed, known: np.ndarray, linear: np.ndarray) -> str:
    beyond = int(np.count_nonzero(known & ~linear))
    of = f" of {wording.count(len(known), 'sample')}"
    if not linear.any():
        if observed.rows_lost:
            return "the value overflows or has no number"
        if beyond:
            return "no sample keeps three digits, too few to compare"
        errors = observed.errors[np.isfinite(observed.errors)]
        if len(errors) and not errors.any():
            return _EXACT
        if len(errors):
            return "no digit is left at any sample, so there is nothing to compare"
        return "there is nothing to compare: the exact value is 0"
    if observed.rows_lost:
        return f"{observed.rows_lost:,}{of} have no number, or one too large for it"
    if beyond:
        keep = "keeps" if beyond == 1 else "keep"
        return f"{beyond:,}{of} {keep} fewer than three digits, too few to compare"
    return ""


def _replay_clause(ratio: float, replay: Replay) -> str:
    if ratio < LIKELY[0]:
        if replay.exact < EXACT:
            return "less is lost: the roundings that happened cancel one another here"
        return "less is lost: some numbers and operations are exact in binary and round nothing"
    if replay.underflows:
        return "more is lost: a value is too small for the type and underflows"
    return "more is lost: a library function is wrong by more than one rounding"
