"""Every row's outcome, decided without the engine, and what is wrong in the product's.

A program is plain NumPy; what is exact, mpmath at 170 digits and more.  Where roundings decide, an
oracle can bound what may be, not say which of two near outcomes it is: `may_be` holds those pairs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from eic_core.measure.outcomes import Outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome, Reason
from tests.audit.causes import PERIODS
from tests.audit.oracle import BESIDE, JUMPING, Truth, half_log10
from tests.audit.shaking import MOST_DIGITS, RowTruth, shake_row
from tests.oracle import mp, number

SLACK = 2e-3
"""Digits by which double precision may err without a second look: half of s u = 10^-3 and more."""

MOVED = 0.4
"""Digits between two searches for the largest move among roundings."""

STEEP_AT = {
    "sqrt": 0,
    "cbrt": 0,
    "root": 0,
    "power": 0,
    "pow": 0,
    "asin": 1,
    "acos": 1,
    "acosh": 1,
}
"""Functions with an infinite slope and a value, and the size of their argument there."""

PROVABLE = frozenset("add sub mul div neg abs power variable constant".split())
"""What a proof follows: of these a 0 is known to be one."""


def explained(truth: Truth) -> np.ndarray:
    """What a result may miss by its own amplification: a digit more than s u."""
    return np.asarray(10 * 2.0**-53 * truth.s(truth.root))


def decided(truth: Truth, *, surely: bool) -> np.ndarray:
    """Rows at which roundings turn a jump that the result feels: surely, or perhaps."""
    steps = [n.id for n in truth.formula.nodes if n.operator in JUMPING]
    if not steps:
        return np.zeros(truth.count, dtype=bool)
    finite = truth.valid & np.isfinite(truth.s(truth.root))
    missed = finite & (truth.missed > 10 * explained(truth)) & np.isfinite(truth.missed)
    if surely:
        return missed & ~truth.leaves_range
    may = np.any([truth.may_move(k) > 0.5 * explained(truth) for k in steps], axis=0)
    return finite & (may | missed | truth.leaves_range)


def too_large(truth: Truth) -> np.ndarray:
    """Rows whose value is beyond 10^(10^6), which the definition leaves out."""
    return np.array([row.too_large for row in truth.rows])


def steep(truth: Truth) -> np.ndarray:
    """Where a function of infinite slope stands at that point, and the result is not 0."""
    found = np.zeros(truth.count, dtype=bool)
    for node in truth.formula.nodes:
        if node.operator in STEEP_AT:
            here = np.abs(truth.value(node.children[0])) == STEEP_AT[node.operator]
            if node.operator == "power":
                here &= 0 < float(node.parameter or 0) < 1
            found |= here & ~np.isneginf(truth.size(truth.root))
    return found & truth.singular(truth.root)


def on_jump(truth: Truth) -> np.ndarray:
    """Where some step or condition keeps no digit for its jump."""
    steps = [n.id for n in truth.formula.nodes if n.operator in JUMPING | {"conditional"}]
    lost = [truth.singular(k) for k in steps]
    return np.any(lost, axis=0) if lost else np.zeros(truth.count, dtype=bool)


def may_be(truth: Truth) -> list[frozenset[Outcome]]:
    """The outcomes that a row may have; nearly always one."""
    y, s = truth.doubles[truth.root], truth.s(truth.root)
    beyond = too_large(truth) & (~np.isfinite(y) | (y == 0))
    none = truth.without_double(truth.root)
    perhaps, surely = (decided(truth, surely=b) for b in (False, True))
    steeply, jumping, lost = steep(truth), on_jump(truth), truth.singular(truth.root)
    worn = truth.leaves_range & np.isfinite(truth.missed) & ~none
    with np.errstate(divide="ignore", invalid="ignore"):
        digits, times = np.log10(s), truth.missed / explained(truth)
        sizes = np.where(np.isfinite(truth.s2), truth.s2, 0.0)
    rough = (sizes.max(axis=0) > 1e28) & truth.valid
    found = []
    for i in range(truth.count):
        kinds: set[Outcome]
        if not truth.valid[i]:
            kinds = {_without_value(truth, i, bool(beyond[i]))}
            inside = truth.bad[i] != truth.root  # what comes of it may be anything
            if (Outcome.NO_REAL_VALUE in kinds and _cannot_be_told(truth, i)) or (
                Outcome.NO_DOUBLE in kinds and inside
            ):
                kinds.add(Outcome.UNKNOWN)
        elif none[i]:
            kinds = {Outcome.NO_DOUBLE} | ({Outcome.DECIDED} if perhaps[i] else set())
        elif lost[i]:
            kinds = {Outcome.STEEP if steeply[i] else Outcome.NO_DIGIT}
            if jumping[i]:
                kinds = _on_jump(truth, i, kinds)
        else:
            kinds = _finite(
                float(digits[i]),
                bool(truth.follows[i]),
                bool(perhaps[i]),
                bool(surely[i]),
                float(times[i]) if worn[i] else 0.0,
            )
        if rough[i] and kinds & {Outcome.NO_DIGIT, Outcome.NO_DOUBLE}:
            kinds |= {Outcome.NO_DIGIT, Outcome.NO_DOUBLE}  # whether it has one is a rounding's
        found.append(frozenset(kinds))
    return found


def _on_jump(truth: Truth, i: int, kinds: set[Outcome]) -> set[Outcome]:
    """A row on a jump may move by little, or only seem to stand on one."""
    continuous, digits = beside(truth, i)
    if DOUBLE_DIGITS - 0.1 < digits < math.inf:
        return kinds
    if continuous and digits < math.inf:  # it does not stand on one beside the row, too
        return {Outcome.FINITE}
    if truth.shaken_away[i] or truth.shaken[i] > 0.03:
        return kinds | {Outcome.DECIDED, Outcome.NO_DIGIT}
    return {Outcome.DECIDED}


def _finite(digits: float, follows: bool, perhaps: bool, surely: bool, worn: float) -> set[Outcome]:
    """Where s is finite; `worn` is the error that double range makes, in what is explained."""
    if digits > DOUBLE_DIGITS + SLACK:
        return {Outcome.NO_DIGIT}
    kinds = {Outcome.FINITE}
    if follows:
        kinds = {Outcome.FOLLOWS}
    elif surely:
        kinds = {Outcome.DECIDED}
    elif worn > 1.1:
        kinds = {Outcome.RANGE_LOSS}
    elif worn > 0.9:
        kinds |= {Outcome.RANGE_LOSS}
    if perhaps and not follows:
        kinds |= {Outcome.DECIDED}
    return kinds | ({Outcome.NO_DIGIT} if digits > DOUBLE_DIGITS - SLACK else set())


def beside(truth: Truth, i: int) -> tuple[bool, float]:
    """On all sides of a row: whether its value is the limit, and the most digits lost there."""
    y, continuous, digits = truth.rows[i].y[-1], True, 0.0
    sides = itertools.product((1, -1), repeat=min(3, len(truth.formula.variables)))
    with mp.workdps(MOST_DIGITS):
        for signs in sides:
            near, far = (_moved_row(truth, i, signs, by) for by in (BESIDE, mp.mpf(10) ** -9))
            if near.bad is not None or far.bad is not None:
                return False, math.nan
            digits = max(digits, half_log10(far.s2[-1]))
            size = abs(y) * BESIDE * 10**10 * math.sqrt(min(max(near.s2[-1], 1.0), 1e60))
            continuous = continuous and abs(near.y[-1] - y) <= size
    return continuous, digits


def _moved_row(truth: Truth, i: int, signs: tuple[int, ...], by: Any) -> RowTruth:
    """A row whose inputs are moved, no two by as much."""
    cells = {}
    for place, name in enumerate(truth.formula.variables):
        x = number(truth.rows[i].cells[name])
        size = abs(x) or float(np.max(np.abs(truth.samples.columns[name])))
        sign = signs[place % len(signs)]
        cells[name] = mp.nstr(x + sign * by * size / (1 + 0.618 * place), 850)
    return shake_row(truth.formula, cells, fair=False)


def _without_value(truth: Truth, i: int, beyond: bool) -> Outcome:
    reduced = truth.formula.nodes[int(truth.bad[i])].operator not in PERIODS
    if beyond and reduced:
        return Outcome.NO_DOUBLE
    return Outcome.UNKNOWN if truth.rows[i].too_large else Outcome.NO_REAL_VALUE


def _cannot_be_told(truth: Truth, i: int) -> bool:
    """Whether what fails is given a 0 that no proof follows."""
    bad = truth.formula.nodes[int(truth.bad[i])]
    below = [truth.formula.nodes[j] for c in bad.children for j in truth.subtree(c)]
    return any(node.operator not in PROVABLE for node in below)


def faults_of_outcomes(truth: Truth, found: Outcomes, checked: int | None = None) -> Iterator[str]:
    """What is wrong in the outcomes of a formula's rows.

    Parameters
    ----------
    truth : Truth
    found : Outcomes
    checked : int, optional
        Rows that the exact check must reach; all of them by default.
    """
    allowed = may_be(truth)
    kinds = [Outcome(kind) for kind in found.kinds.tolist()]
    if len(kinds) != truth.count:
        yield f"{len(kinds)} outcomes of {truth.count} rows"
        return
    for i, (kind, may) in enumerate(zip(kinds, allowed, strict=True)):
        if kind is Outcome.NOT_CHECKED and checked is not None and i >= checked:
            continue
        if kind not in may:
            names = " or ".join(sorted(each.name for each in may))
            yield f"row {i} is {kind.name}, not {names}"
            continue
        node, reason = int(found.nodes[i]), Reason(int(found.reasons[i]))
        for fault in _due_to(truth, i, kind, node, reason):
            yield f"row {i}, {kind.name} by {reason.name} at node {node}: {fault}"
        for fault in _digits_are(truth, i, kind, reason, float(found.digits[i])):
            yield f"row {i}, {kind.name} by {reason.name}: {fault}"


def _due_to(truth: Truth, i: int, kind: Outcome, node: int, reason: Reason) -> Iterator[str]:
    """Whether a row has its outcome from that step, and for that reason."""
    operator = truth.formula.nodes[node].operator
    if kind in (Outcome.NO_REAL_VALUE, Outcome.UNKNOWN):
        if node != truth.bad[i]:
            yield f"node {truth.bad[i]} has no value first"
    elif kind is Outcome.NO_DOUBLE:
        yield from _without_double(truth, i, node, reason)
    elif reason is Reason.FIRST_ORDER:
        if node != truth.root:
            yield "an error of first order is counted at the result"
    elif kind in (Outcome.NO_DIGIT, Outcome.FOLLOWS) or reason is Reason.JUMP:
        if not truth.singular(node)[i]:
            yield "the step keeps digits there"
        if reason is Reason.JUMP and not _jumps_above(truth, i, node):
            yield f"no step jumps from a {operator} on"
    elif kind is Outcome.DECIDED:
        if operator not in JUMPING:
            yield f"a {operator} does not jump"
        elif not (truth.may_move(node)[i] > 0.5 * explained(truth)[i] or truth.leaves_range[i]):
            yield "no rounding reaches its jump"
        if reason is Reason.RANGE and not truth.leaves_range[i]:
            yield "no value leaves double range"
    elif kind is Outcome.STEEP:
        if operator not in STEEP_AT:
            yield f"a {operator} is steep nowhere"
        elif abs(truth.value(truth.formula.nodes[node].children[0])[i]) != STEEP_AT[operator]:
            yield "it is not steep there"
    elif kind is Outcome.RANGE_LOSS and not _leaves(truth, i, node):
        yield "its value is a normal double"


def _jumps_above(truth: Truth, i: int, node: int | None) -> bool:
    """Whether a step, or one that its noise comes to, keeps no digit for its jump."""
    while node is not None:
        jumps = truth.formula.nodes[node].operator in JUMPING | {"conditional"}
        if jumps and (truth.singular(node)[i] or not truth.rows[i].y[node]):
            return True
        node = truth.formula.parents[node]
    return False


def _leaves(truth: Truth, i: int, node: int) -> bool:
    size = float(truth.size(node)[i])
    return math.isfinite(size) and not -307.652 <= size <= 308.254


def _without_double(truth: Truth, i: int, node: int, reason: Reason) -> Iterator[str]:
    """Whether a program loses the value at this step, from operands that it has."""
    if math.isfinite(truth.doubles[truth.root][i]) and truth.doubles[truth.root][i]:
        return  # of a value that roundings alone make, NumPy has another
    y, size = float(truth.doubles[node][i]), float(truth.size(node)[i])
    below = [float(truth.doubles[c][i]) for c in truth.formula.nodes[node].children]
    above = truth.formula.parents[node]
    if not all(map(math.isfinite, below)):
        yield "an operand has no double already"
    elif reason is Reason.OVERFLOW:
        if math.isfinite(y):
            yield f"it is {y:.3g}"
    elif reason is Reason.UNDERFLOW:
        if not abs(y) < 2.0**-1022 or (truth.valid[i] and math.isinf(size)):
            yield f"it is {y:.3g}"
    elif above is None or math.isfinite(float(truth.doubles[above][i])):
        yield "the step above it has a double"
    elif reason is Reason.ROUNDED_TO_ZERO:
        if y or (truth.valid[i] and math.isinf(size)):
            yield f"it is {y:.3g}, and 10^{size:.3g} in truth"
    elif truth.valid[i] and mp.mpf(y) == truth.rows[i].y[node]:
        yield "it is not rounded"


def _digits_are(
    truth: Truth, i: int, kind: Outcome, reason: Reason, digits: float
) -> Iterator[str]:
    if not truth.valid[i] and kind is not Outcome.NO_DOUBLE:
        if not math.isnan(digits):
            yield f"{digits:.3f} digits of no value"
        return
    if not 0 <= digits <= DOUBLE_DIGITS:
        yield f"{digits:.3f} digits"
    s = float(truth.s(truth.root)[i])
    own = min(math.log10(s), DOUBLE_DIGITS) if s < math.inf else DOUBLE_DIGITS
    slack = SLACK
    if kind in (Outcome.NO_DOUBLE, Outcome.NO_DIGIT, Outcome.STEEP):
        own = DOUBLE_DIGITS
    elif kind is Outcome.FINITE and math.isinf(s):
        own = beside(truth, i)[1]
    elif kind is Outcome.FOLLOWS or reason is Reason.JUMP:
        own, slack = max(0.0 if math.isinf(s) else own, _lost(float(truth.shaken[i]))), MOVED
        if own > 15.6 and digits > 15:
            return
    elif kind is Outcome.RANGE_LOSS:
        own, slack = max(own, _lost(float(truth.missed[i]))), 0.05
    elif kind is Outcome.DECIDED:
        yield from _decided_by(truth, i, own, digits)
        return
    if abs(digits - own) > slack:
        yield f"{digits:.4f} digits, not {own:.4f}"


def _decided_by(truth: Truth, i: int, own: float, digits: float) -> Iterator[str]:
    """No fewer digits than the program misses by, and no more than all jumps together move."""
    steps = [n.id for n in truth.formula.nodes if n.operator in JUMPING]
    missed = float(truth.missed[i])
    least = max(own, _lost(missed)) if math.isfinite(missed) else own
    moves = [float(truth.may_move(k)[i]) for k in steps]
    most = max(own, _lost(math.fsum(min(m, 1.0) for m in moves))) if max(moves) < 0.9 else 16
    if truth.leaves_range[i]:
        most = 16
    if not least - 0.1 <= digits <= most + 0.5:
        yield f"{digits:.4f} digits, between {least:.4f} and {most:.4f}"


def _lost(error: float) -> float:
    """Digits lost by a result with this relative error."""
    if not 0 < error < 1:
        return DOUBLE_DIGITS if error else 0.0
    return min(DOUBLE_DIGITS, max(0.0, math.log10(error * 2.0**53)))
