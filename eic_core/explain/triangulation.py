"""Measures a node's loss by recursion, shared noise, trials and arithmetic; why they differ."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.sweep import Arrivals, evaluate, node_units, step_units
from eic_core.engine.tape import tape_of
from eic_core.errors import require
from eic_core.explain.facts import (
    EXPLAINED,
    OK,
    UNCLEAR,
    Copies,
    Event,
    LargeErrors,
    MeasuredEvent,
    NoDigit,
    Nothing,
    OverallAgreement,
    Reason,
    Shaken,
    SharedNoise,
    TrialsDiffer,
    TrialsLeaveOut,
    Why,
)
from eic_core.explain.losses import class_tape
from eic_core.explain.phrases import code_text
from eic_core.explain.phrases import truth as phrases
from eic_core.exports import Plain
from eic_core.formula.rendering import node_texts
from eic_core.formula.tree import CONSTANT, Formula
from eic_core.measure.inspection import Inspection, local_eic
from eic_core.measure.observed import (
    DIGITS,
    ROUNDOFF,
    Observed,
    exact_values,
    numbers_in,
    observe,
    rms,
)
from eic_core.measure.perturbation import PerturbationEstimate, estimate
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase
from eic_core.samples import Samples, evenly_spread

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


def compare_measures(
    recursion: float,
    shared: float,
    shaken: Sequence[Shaken],
    observations: Mapping[str, _Finding],
    singular: int,
    whole: bool,
    rough: bool,
    copies: Copies | None,
) -> MethodAgreement:
    """Compare the ways of measuring one node.

    - `recursion`, `shared`: local EIC with independent and with shared noise.
    - `shaken`: Algorithm 2's estimates, from the largest sigma to the smallest.
    - `observations`, by type: whether its measured errors agree with what is expected.
    - `singular`: samples at which the recursion is infinite; `whole`: whether these are all.
    - `rough`: whether a function with jumps or corners stands below.
    """
    findings: list[_Finding] = []
    if singular:
        findings.append((EXPLAINED, Why.NO_DIGIT if whole else NoDigit(singular)))
    if copies is not None and abs(recursion - shared) > SHARED:
        followed = all(badge == OK for badge, _ in observations.values())
        findings.append((OK, SharedNoise(copies, recursion, shared, followed)))
    trials = _perturbation(recursion, shaken, singular)
    exact = {kind: (EXPLAINED, MeasuredEvent(kind, Event.EXACT)) for kind in observations}
    if trials[0] != UNCLEAR and not singular and observations == exact:
        more = tuple(reason for badge, reason in findings if badge == OK and reason)
        return MethodAgreement(EXPLAINED, (*more, Nothing.UNROUNDED), Nothing.UNROUNDED)
    findings += [trials, *observations.values()]
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


def _not_compared(
    observed: Observed, compared: np.ndarray, linear: np.ndarray
) -> MeasuredEvent | None:
    kind, beyond = observed.kind, int(np.count_nonzero(compared & ~linear))
    for samples, of_some, of_all in (
        (observed.rows_lost, Event.SOME_NO_NUMBER, Event.NO_NUMBER),
        (beyond, Event.SOME_FEW_DIGITS, Event.FEW_DIGITS),
    ):
        if samples:
            some = MeasuredEvent(kind, of_some, samples, len(linear))
            return some if linear.any() else MeasuredEvent(kind, of_all)
    if linear.any():
        return None
    errors = observed.errors[np.isfinite(observed.errors)]
    if not len(errors):
        return MeasuredEvent(kind, Event.ZERO)
    return MeasuredEvent(kind, Event.NO_DIGIT if errors.any() else Event.EXACT)


MOST_ROWS = 200
EVALUATIONS = 6_000
"""Exact values, at most: fewer rows for a larger formula, but `FEWEST_ROWS` at least."""

FEWEST_ROWS = 20

SIGMAS = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
REPEATS = 100

Progress = Callable[[float], None]


@dataclass(frozen=True)
class TriangulatedNode:
    node_id: int
    text: str
    recursion: float  # Local EIC over the rows used that are not singular here
    shared: float  # The same with shared noise
    # That of what float64 rounds alone, with the inputs as it has them; -inf if that is nothing
    rounded: float
    shaken: tuple[Shaken, ...]  # From the largest sigma to the smallest
    # float32, float64: errors in units of roundoff against the exact value at the inputs as the
    # type has them; where that is 0 and another comes out, 1 / roundoff: no digit of it is right
    float32: Observed
    float64: Observed
    agreement: MethodAgreement  # The badge and its reason

    _JSON = (
        "id=node_id",
        "text",
        "recursion",
        "shared",
        "rounded",
        "shaken",
        ("observed", lambda node: {found.kind: found for found in (node.float32, node.float64)}),
        "badge=agreement.badge",
        "reasons=agreement.sentences",
    )


@dataclass(frozen=True)
class Triangulation(Plain):
    inspection: Inspection = field(repr=False)
    samples: Samples = field(repr=False)  # The rows used, evenly spaced over the valid ones
    nodes: tuple[TriangulatedNode, ...]  # In post-order; empty if no row is valid

    _JSON = (("rows", lambda found: len(found.samples)), "sentence", "nodes")

    @property
    def agreement(self) -> OverallAgreement:
        compared = [node for node in self.nodes if node.agreement.nothing is None]
        apart = [node for node in compared if node.agreement.badge != OK]
        nothing = {node.agreement.nothing for node in self.nodes}
        worst = max(apart, key=_difference, default=None)
        return OverallAgreement(
            len(self.nodes),
            len(compared),
            len(apart),
            None if worst is None else worst.node_id,
            None if worst is None else worst.agreement.because,
            sum(node.agreement.badge == UNCLEAR for node in apart),
            tuple(kind for kind in Nothing if kind in nothing),
        )

    @property
    def sentence(self) -> Phrase:
        return phrases.agreement(self.agreement, self.inspection.formula)


def _difference(node: TriangulatedNode) -> tuple[bool, float, int]:
    loss = -math.inf if math.isnan(node.recursion) else node.recursion
    return node.agreement.badge == UNCLEAR, loss, -node.node_id


def triangulate(
    inspection: Inspection, *, seed: int = 0, progress: Progress | None = None
) -> Triangulation:
    """Measure every node's loss in four independent ways.

    Parameters
    ----------
    inspection
        Its valid rows are used, evenly spaced.
    seed
        Of the perturbation, non-negative.
    progress
        Called with the share of the work that is done, from 0 to 1.

    Returns
    -------
    Triangulation
        The four measures of each node, and whether they agree.

    Notes
    -----
    At most 200 rows, fewer for a formula of more than 30 nodes. Measured digits are
    log10(rms relative error / unit roundoff) against the exact value at the inputs as the type has
    them; a rounding has an rms of about 0.4 units.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=1000)
    >>> root = triangulate(inspect(read("10000*x - 9999*x").formula, samples)).nodes[-1]
    >>> round(root.recursion, 2), round(root.shared, 2), root.shaken[-1].low < root.recursion
    (4.39, 4.3, True)
    """
    require(inspection, Inspection)
    formula = inspection.formula
    samples = _rows(inspection)
    if samples is None:
        return Triangulation(inspection, inspection.samples, ())
    report = progress or (lambda fraction: None)
    amplification = amplify(formula, samples)
    shaken = []
    for sigma in SIGMAS:
        shaken.append(estimate(formula, samples, sigma=sigma, repeats=REPEATS, seed=seed))
        report(0.2 * len(shaken) / len(SIGMAS))
    noise = _Noise(formula, samples)
    arithmetic = {}
    for kind in ROUNDOFF:
        arithmetic[kind] = _Arithmetic(formula, samples, kind)
        report(0.2 + 0.3 * len(arithmetic))
    nodes = []
    texts = node_texts(formula, 400)
    for k in range(len(formula)):
        nodes.append(_node(formula, k, texts[k], noise, amplification, shaken, arithmetic))
        report(0.8 + 0.2 * (k + 1) / len(formula))
    return Triangulation(inspection, samples, tuple(nodes))


class _Arithmetic:
    """One floating-point type: its errors, and its noise at the inputs as it has them."""

    def __init__(self, formula: Formula, samples: Samples, kind: str) -> None:
        exact = exact_values(formula, samples, kind)
        self.formula = formula
        self.observed = observe(exact, samples, kind)
        numbers = numbers_in(samples, kind)
        self.noise = _Noise(formula, Samples.from_columns(numbers, count=len(samples)))
        self._values = exact.values
        self._exact_leaves = {
            node.id
            for node, o in zip(formula.nodes, self.observed, strict=True)
            if not node.children and not o.rounding.any()
        }

    def is_zero(self, k: int) -> bool:
        return all(row[k] is None or row[k] == 0 for row in self._values)

    def errors(self, k: int) -> Observed:
        """The errors at a node; where another number than 0 comes out, no digit is right."""
        zeros = np.array([row[k] is not None and row[k] == 0 for row in self._values])
        observed = self.observed[k]
        wrong = zeros & np.isnan(observed.errors)
        errors = np.where(wrong, 1 / ROUNDOFF[observed.kind], observed.errors)
        return replace(observed, errors=errors)

    def rounded(self, k: int) -> Array:
        """q of what the type rounds: of operations, and of constants that it does not hold."""
        return self.noise.rounded(k, self._exact_leaves)

    def agreement(self, k: int, q: Array) -> _Finding:
        """The agreement of a node's errors with q times the roundoff, where the error is linear: a
        ratio within `LIKELY` agrees; another is explained if the replayed roundings account for it.
        """
        observed = self.observed[k]
        kind = observed.kind
        compared = np.isfinite(observed.errors) & np.isfinite(q)
        linear = compared & (q * ROUNDOFF[kind] <= LINEAR)
        reason = _not_compared(observed, compared, linear)
        if not linear.any():
            return EXPLAINED, reason
        errors, expected = observed.errors[linear], q[linear]
        is_constant = self.formula.nodes[k].operator == CONSTANT
        stored = MeasuredEvent(kind, Event.STORED) if is_constant else None
        if not expected.any():  # an input, or a constant that the type holds
            return EXPLAINED if reason else OK, reason or stored
        expected = np.where(expected > 0, expected, 1.0)
        ratio = rms(errors / expected)
        if LIKELY[0] <= ratio <= LIKELY[1]:
            return EXPLAINED if reason else OK, reason
        if ratio == 0:
            return EXPLAINED, reason or MeasuredEvent(kind, Event.EXACT)
        if is_constant and ratio < LIKELY[0]:
            return OK, stored
        whole, exact = self._replayed(k)
        replayed = whole[linear]
        usable = np.isfinite(replayed)
        rest = rms((errors - replayed)[usable] / expected[usable])
        accounted = usable.any() and rest <= max(REPLAYED * max(ratio, LIKELY[0]), 0.01)
        underflows = any(o.underflows for o in self.observed[self.formula.first[k] : k + 1])
        if not accounted and not underflows:
            return UNCLEAR, reason or MeasuredEvent(kind, Event.UNACCOUNTED, ratio=ratio)
        event = Event.UNDERFLOW if underflows else Event.LIBRARY
        if ratio < LIKELY[0]:
            event = Event.CANCELLING if exact < EXACT else Event.UNROUNDED
        return EXPLAINED, reason or MeasuredEvent(kind, event)

    def _replayed(self, k: int) -> tuple[Array, float]:
        """The error that the roundings below make of a node to first order, in units of roundoff,
        and the part of the noise, as it arrives, of operations that rounded nothing: 0 to 1.
        """
        below = range(self.formula.first[k], k + 1)
        rounds = np.array([node not in self._exact_leaves for node in below])
        rounding = np.array([self.observed[node].rounding for node in below])[rounds]
        g = self.noise.arrived(k)[rounds]
        with np.errstate(all="ignore"):
            errors = np.where((g == 0) | (rounding == 0), 0.0, g * rounding).sum(axis=0)
            squares = np.where(np.isfinite(g), np.square(g), 0.0)
            noise, exact = float(squares.sum()), float(squares[rounding == 0].sum())
        return errors, exact / noise if 0 < noise < math.inf else 0.0


class _Noise:
    def __init__(self, formula: Formula, samples: Samples) -> None:
        shared, tape = class_tape(formula), tape_of(formula)
        self._classes, self._class_slots = step_units(shared), shared.slots
        self._shared = next(evaluate(shared, samples, len(shared.steps)))
        self._single = next(evaluate(tape, samples, len(formula)))
        self._formula = formula

    def shared(self, k: int) -> Arrivals:
        return self._shared.arrivals(self._classes[: self._class_slots[k] + 1])

    def rounded(self, k: int, exact: Container[int]) -> Array:
        """q of all but some leaves, which are `exact`: shape (m,)."""
        together = self.shared(k)
        left_out = {slot for node, slot in enumerate(self._class_slots[: k + 1]) if node in exact}
        slots = [slot for slot in range(self._class_slots[k] + 1) if slot not in left_out]
        q2 = together.sum_of_squares(slots)
        return np.sqrt(np.where(np.isfinite(together.sum_of_squares()), q2, math.inf))

    def arrived(self, k: int) -> Array:
        return self._single.arrivals(node_units(self._formula, k)).arrived

    def copies(self, k: int, shared: Arrivals, single: Array, rows: Any) -> Copies | None:
        """The class that makes shared noise differ most from independent noise; None without."""
        first = self._formula.first[k]
        classes = np.array(self._class_slots[first : k + 1])
        counts = np.bincount(classes)
        if not (counts > 1).any() or not rows.any():
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            apart = np.square(single.compress(rows, axis=1)).mean(axis=1)
            together = np.square(shared.arrived.compress(rows, axis=1)).mean(axis=1)
            gains = np.nan_to_num(together - np.bincount(classes, apart), posinf=math.inf)
        way = math.copysign(1.0, np.sum(gains[counts > 1]))  # what all of them do together
        slot = int(np.argmax(np.where(counts > 1, way * gains, -math.inf)))
        place = self._class_slots.index(slot, first)
        return Copies(code_text(self._formula, place), int(counts[slot]))


def _node(
    formula: Formula,
    k: int,
    text: str,
    noise: _Noise,
    amplification: Amplification,
    estimates: list[PerturbationEstimate],
    arithmetic: dict[str, _Arithmetic],
) -> TriangulatedNode:
    together = noise.shared(k)
    q2 = together.sum_of_squares()
    finite = amplification.evaluated(k) & np.isfinite(q2)
    shaken = tuple(
        Shaken(estimate.sigma, n.local_eic, n.low, n.high, n.left_out + estimate.invalid)
        for estimate in estimates
        for n in (estimate.nodes[k],)
    )
    recursion = local_eic(amplification.finite_mean_s2(k))
    shared = local_eic(float(np.mean(q2[finite]))) if finite.any() else math.nan
    below = formula.nodes[formula.first[k] : k + 1]
    rough = any(n.children and OPERATORS[n.operator].rough for n in below)
    single, double = (arithmetic[kind].errors(k) for kind in ("float32", "float64"))
    q = {kind: of.rounded(k) for kind, of in arithmetic.items()}
    usable = amplification.evaluated(k) & np.isfinite(q["float64"])
    rounded = math.log10(size) if (size := rms(q["float64"][usable])) else -math.inf
    nothing = _nothing(formula, k, amplification, zero=arithmetic["float64"].is_zero(k))
    if nothing is not None:
        agreement = MethodAgreement(EXPLAINED, (nothing,), nothing)
    else:
        agreement = compare_measures(
            recursion,
            shared,
            shaken,
            {kind: of.agreement(k, q[kind]) for kind, of in arithmetic.items()},
            amplification.singular[k],
            amplification.singular[k] == len(q2),
            rough,
            noise.copies(k, together, noise.arrived(k), finite),
        )
    return TriangulatedNode(k, text, recursion, shared, rounded, shaken, single, double, agreement)


def _nothing(
    formula: Formula, k: int, amplification: Amplification, *, zero: bool
) -> Nothing | None:
    """What a node is where no way can show anything."""
    if not amplification.evaluated(k).any():
        return None if amplification.singular[k] else Nothing.UNTAKEN
    node = formula.nodes[k]
    if node.children and OPERATORS[node.operator].truth:
        return Nothing.TRUTH
    return Nothing.ZERO if zero and not amplification.singular[k] else None


def _rows(inspection: Inspection) -> Samples | None:
    valid = np.flatnonzero(inspection.amplification.valid)
    if not len(valid):
        return None
    most = min(MOST_ROWS, max(FEWEST_ROWS, EVALUATIONS // len(inspection.formula)))
    rows = evenly_spread(valid, most)
    source = inspection.samples
    names = inspection.formula.variables
    exact = {
        name: {
            new: source.exact[name][old]
            for new, old in enumerate(rows.tolist())
            if old in source.exact[name]
        }
        for name in names
        if name in source.exact
    }
    return Samples.from_columns(
        {name: source.columns[name][rows] for name in names},
        count=len(rows),
        exact=exact,
        origin=source.origin,
        rows=rows + 1,
    )
