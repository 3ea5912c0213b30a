"""Measures each node's loss in four ways: recursion, shared noise, perturbation, observed error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eic_core import wording
from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.sweep import Arrivals, evaluate, node_units, step_units
from eic_core.engine.tape import tape_of
from eic_core.explain import phrases
from eic_core.explain.comparing import (
    NOTHING,
    OK,
    TRUTH,
    UNCLEAR,
    UNTAKEN,
    ZERO,
    Copies,
    MethodAgreement,
    Replay,
    Shaken,
    compare_measures,
    nothing_to_compare,
)
from eic_core.explain.correlated import class_tape
from eic_core.exports import Plain
from eic_core.formula.rendering import node_texts
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import Inspection, local_eic
from eic_core.measure.observed import ROUNDOFF, Observed, exact_values, observe
from eic_core.measure.perturbation import PerturbationEstimate, estimate
from eic_core.operators import OPERATORS
from eic_core.operators.wide import Array
from eic_core.samples import Samples

_WAYS = "the prediction, trials with small errors, single and double precision"


def agreement_sentence(
    agreements: Sequence[MethodAgreement], recursion: Sequence[float], texts: Sequence[str]
) -> str:
    """The agreement of the ways over all nodes; the reason is of the largest `recursion`.

    >>> fine = MethodAgreement(OK, ())
    >>> apart = MethodAgreement("explained", ("…",), "in single precision …")
    >>> agreement_sentence([fine, fine], [0.0, 0.2], ["`x`", "`2·x`"])
    'At both nodes the prediction, trials with small errors, single and double precision agree.'
    >>> agreement_sentence([fine, apart], [0.0, 7.7], ["`x`", "`x − y`"]).partition("; ")[2]
    'at `x − y` they do not, because in single precision ….'
    """
    if not agreements:
        return "No sample has a usable value at every node, so there is nothing to compare."
    compared = [k for k, agreement in enumerate(agreements) if not agreement.nothing]
    told = [_of_compared(agreements, compared, recursion, texts)] if compared else []
    found = {agreement.nothing for agreement in agreements}
    kinds = wording.join([kind for kind in NOTHING if kind in found])
    left = len(agreements) - len(compared)
    if left and compared:
        told.append(f"At {left} more there is nothing to compare: {kinds}.")
    elif left:
        told.append(f"There is nothing to compare at any node: {kinds}.")
    return " ".join(told)


def _of_compared(
    agreements: Sequence[MethodAgreement],
    compared: Sequence[int],
    recursion: Sequence[float],
    texts: Sequence[str],
) -> str:
    count = len(compared)
    some = " that can be compared" if count < len(agreements) else ""
    apart = [k for k in compared if agreements[k].badge != OK]
    if not apart:
        where = {1: "At the only node", 2: "At both nodes"}.get(count, f"At all {count} nodes")
        return f"{where}{some} {_WAYS} agree."
    agree = count - len(apart)
    if agree:
        lead = f"At {agree} of {count} nodes{some} {_WAYS} agree; "
        lead += "at " if len(apart) == 1 else f"at {len(apart)} they do not, for instance at "
    else:
        lead = f"{wording.capital(_WAYS)} do not all agree at "
    worst = max(apart, key=lambda k: (agreements[k].badge == UNCLEAR, _rank(recursion[k]), -k))
    they = " they do not" if agree and len(apart) == 1 else ""
    return f"{lead}{texts[worst]}{they}, {_reason_clause(agreements[worst])}."


def _reason_clause(agreement: MethodAgreement) -> str:
    if agreement.badge == UNCLEAR:
        return f"and no reason was found: {agreement.because}"
    return f"because {agreement.because}"


def _rank(value: float) -> float:
    return -math.inf if math.isnan(value) else value


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
    shaken: tuple[Shaken, ...]  # From the largest sigma to the smallest
    # float32, float64: errors in units of roundoff; where the exact value is 0 and another comes
    # out, 1 / roundoff: no digit of it is right
    float32: Observed
    float64: Observed
    agreement: MethodAgreement  # The badge and its reason

    _JSON = (
        "id=node_id",
        "text",
        "recursion",
        "shared",
        "shaken",
        ("observed", lambda node: {found.kind: found for found in (node.float32, node.float64)}),
        "badge=agreement.badge",
        "reasons=agreement.reasons",
    )


@dataclass(frozen=True)
class Triangulation(Plain):
    inspection: Inspection = field(repr=False)
    samples: Samples = field(repr=False)  # The rows used, evenly spaced over the valid ones
    nodes: tuple[TriangulatedNode, ...]  # In post-order; empty if no row is valid

    _JSON = (("rows", lambda found: len(found.samples)), "sentence", "nodes")

    @property
    def sentence(self) -> str:
        return agreement_sentence(
            [node.agreement for node in self.nodes],
            [node.recursion for node in self.nodes],
            [phrases.code_text(self.inspection.formula, node.node_id) for node in self.nodes],
        )


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
    At most 200 rows, fewer for a formula of more than 30 nodes. Observed digits are
    log10(rms relative error / unit roundoff); a rounding has an rms of about 0.4 units.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=1000)
    >>> root = triangulate(inspect(read("10000*x - 9999*x").formula, samples)).nodes[-1]
    >>> round(root.recursion, 2), round(root.shared, 2), root.shaken[-1].low < root.recursion
    (4.39, 4.3, True)
    """
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
    exact = exact_values(formula, samples)
    report(0.4)
    single = observe(exact, samples, "float32")
    report(0.6)
    double = observe(exact, samples, "float64")
    report(0.8)
    noise = _Noise(formula, samples)
    nodes = []
    texts = node_texts(formula, 400)
    for k in range(len(formula)):
        zeros = np.array([row[k] is not None and row[k] == 0 for row in exact.values])
        zero = all(row[k] is None or row[k] == 0 for row in exact.values)
        node = _node(formula, k, texts[k], noise, amplification, shaken, single, double, zero=zero)
        if zeros.any():
            node = replace(
                node,
                float32=_wrong_at_zero(node.float32, zeros),
                float64=_wrong_at_zero(node.float64, zeros),
            )
        nodes.append(node)
        report(0.8 + 0.2 * (k + 1) / len(formula))
    return Triangulation(inspection, samples, tuple(nodes))


def _wrong_at_zero(observed: Observed, zeros: Array) -> Observed:
    wrong = zeros & np.isnan(observed.errors)
    if not wrong.any():
        return observed
    return replace(observed, errors=np.where(wrong, 1 / ROUNDOFF[observed.kind], observed.errors))


class _Noise:
    def __init__(self, formula: Formula, samples: Samples) -> None:
        shared, tape = class_tape(formula), tape_of(formula)
        self._classes, self._class_slots = step_units(shared), shared.slots
        self._nodes = node_units(formula)
        self._shared = next(evaluate(shared, samples, len(shared.steps)))
        self._single = next(evaluate(tape, samples, len(self._nodes)))
        self._formula = formula

    def shared(self, k: int) -> Arrivals:
        return self._shared.arrivals(self._classes[: self._class_slots[k] + 1])

    def arrived(self, k: int) -> Array:
        return self._single.arrivals(self._nodes[: k + 1]).arrived[self._formula.first[k] :]

    def copies(self, k: int, shared: Arrivals, single: Array, rows: Any) -> Copies | None:
        """The class that makes shared noise differ most from independent noise; None without."""
        first = self._formula.first[k]
        members: dict[int, list[int]] = {}
        for place, slot in enumerate(self._class_slots[first : k + 1]):
            members.setdefault(slot, []).append(place)
        several = {slot: places for slot, places in members.items() if len(places) > 1}

        def gain(slot: int) -> float:
            with np.errstate(over="ignore"):
                together = float(np.mean(np.square(shared.arrived[slot][rows])))
                apart = [float(np.mean(np.square(single[j][rows]))) for j in several[slot]]
            difference = together - sum(apart)
            return 0.0 if math.isnan(difference) else difference

        if not several or not rows.any():
            return None
        gains = {slot: gain(slot) for slot in several}
        way = math.copysign(1.0, math.fsum(gains.values()))  # what all of them do together
        slot = max(several, key=lambda slot: way * gains[slot])
        places = several[slot]
        return Copies(phrases.code_text(self._formula, first + places[0]), len(places))


def _node(
    formula: Formula,
    k: int,
    text: str,
    noise: _Noise,
    amplification: Amplification,
    estimates: list[PerturbationEstimate],
    single: tuple[Observed, ...],
    double: tuple[Observed, ...],
    *,
    zero: bool,
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
    below = slice(formula.first[k], k + 1)
    rough = any(n.children and OPERATORS[n.operator].rough for n in formula.nodes[below])
    arrived = noise.arrived(k)
    replays = {o[k].kind: _replay(arrived, o[below]) for o in (single, double)}
    nothing = _nothing(formula, k, amplification, zero=zero)
    agreement = (
        nothing_to_compare(nothing)
        if nothing
        else compare_measures(
            recursion,
            shared,
            shaken,
            (single[k], double[k]),
            replays,
            np.sqrt(q2),
            amplification.singular[k],
            rough,
            noise.copies(k, together, arrived, finite),
        )
    )
    return TriangulatedNode(k, text, recursion, shared, shaken, single[k], double[k], agreement)


def _nothing(formula: Formula, k: int, amplification: Amplification, *, zero: bool) -> str:
    """One of `NOTHING` for a node where no way can show anything; else ""."""
    if not amplification.evaluated(k).any():
        return "" if amplification.singular[k] else UNTAKEN
    node = formula.nodes[k]
    if node.children and OPERATORS[node.operator].truth:
        return TRUTH
    return ZERO if zero and not amplification.singular[k] else ""


def _replay(arrived: Array, observed: tuple[Observed, ...]) -> Replay:
    total = np.zeros(len(arrived[0]))
    noise = exact = 0.0
    with np.errstate(all="ignore"):
        for g, o in zip(arrived, observed, strict=True):
            part = g * o.rounding
            total = total + np.where((g == 0) | (o.rounding == 0), 0.0, part)
            squares = np.where(np.isfinite(g), np.square(g), 0.0)
            noise += float(np.sum(squares))
            exact += float(np.sum(squares[o.rounding == 0]))
    share = exact / noise if 0 < noise < math.inf else 0.0
    return Replay(total, any(o.underflows for o in observed), len(observed) == 1, share)


def _rows(inspection: Inspection) -> Samples | None:
    valid = np.flatnonzero(inspection.amplification.valid)
    if not len(valid):
        return None
    count = min(MOST_ROWS, max(FEWEST_ROWS, EVALUATIONS // len(inspection.formula)), len(valid))
    rows = valid[np.linspace(0, len(valid) - 1, count).astype(np.int64)]
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
        count=count,
        exact=exact,
        origin=source.origin,
        rows=rows + 1,
    )
