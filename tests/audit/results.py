"""What is wrong in the numbers of a diagnosis: ledger, rows, writing, range, measured, settled.

Each check yields a fault a time, and knows the truth from the oracle alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from eic_core.explain.conditioning import OwnConditioning
from eic_core.explain.facts import InputRange, LossPlace, UnsettledAt
from eic_core.explain.ledger import Ledger, LedgerRow
from eic_core.explain.losses import Loss
from eic_core.explain.settling import Growth, MeanInterval
from eic_core.explain.where import Where
from eic_core.explain.writing import WritingLoss
from eic_core.measure.double_range import DoubleRange, Held
from eic_core.measure.measured import MeasuredLoss
from tests.audit.causes import crosses_zero
from tests.audit.doubles import digits_lost, exact_at_doubles
from tests.audit.oracle import Truth, half_log10
from tests.audit.plain import BY_PRODUCTS, run_plain

CLOSE = 2e-3
"""By so much of itself, or of a digit, a number may differ: doubles settle rows of s u < 10^-3."""


def differs(told: float, true: float, slack: float = CLOSE) -> bool:
    """Whether two numbers of digits, or shares, are another."""
    if not math.isfinite(told) or not math.isfinite(true):
        return not (told == true or (math.isnan(told) and math.isnan(true)))
    return abs(told - true) > slack


def far_apart(told: float, true: float, relative: float = CLOSE) -> bool:
    """The same for numbers of any size."""
    return not math.isclose(told, true, rel_tol=relative, abs_tol=1e-300)


# --- whose noise ---


def faults_of_ledger(truth: Truth, ledger: Ledger) -> Iterator[str]:
    t = ledger.target
    s2 = truth.s2[t]
    counts = int(np.isfinite(s2).sum()), int(np.isinf(s2).sum())
    if (ledger.finite, ledger.singular) != counts:
        yield f"ledger of {ledger.finite} finite and {ledger.singular} singular rows, not {counts}"
        return
    if not ledger.finite:
        if ledger.rows:
            yield "a ledger of no row"
        return
    if [row.node_id for row in ledger.rows] != [*truth.subtree(t)]:
        yield "the ledger's rows are not the subtree"
        return
    if differs(math.fsum(row.share for row in ledger.rows), 1.0, 1e-9):
        yield "shares do not add up to 1"
    shares, squares, gains = truth.shares(t), truth.squares(t), truth.gains(t)
    usable = np.isfinite(s2)
    for row in ledger.rows:
        k = row.node_id
        true = {
            "share": shares[k],
            "through": shares[truth.formula.first[k] : k + 1].sum(),
            "mean_share": np.mean(np.square(gains[k, usable]) / s2[usable]),
        }
        for name, value in true.items():
            if differs(getattr(row, name), float(value)):
                yield f"{name} of node {k} is {value:.5f}, not {getattr(row, name):.5f}"
        for name, value in (
            ("gain", math.sqrt(squares[k] / ledger.finite)),
            ("largest", np.max(np.abs(gains[k, usable]))),
        ):
            if shares[k] > 1e-12 and far_apart(getattr(row, name), float(value)):
                yield f"{name} of node {k} is {value:.6g}, not {getattr(row, name):.6g}"
        apart = truth.local_finite(k) - truth.local_finite(t)
        if row.masked and (apart < 1 - CLOSE or shares[k] > 0.01 + 1e-4):
            yield f"node {k} loses {apart:.3f} more, and its share is {shares[k]:.4f}: not masked"
        if not row.masked and apart > 1 + CLOSE and shares[k] < 0.01 - 1e-4:
            yield f"node {k} is masked"
        if row.share >= 0.1 and row.gain >= 3 and k != t:
            yield from _amplified_at(truth, t, row)


def _amplified_at(truth: Truth, t: int, row: LedgerRow) -> Iterator[str]:
    """Whether the noise of a node is multiplied most in the step that is named."""
    digits = gained_on_the_way(truth, row.node_id, t)
    if row.amplifier not in digits:
        yield f"node {row.amplifier} is not on the way of node {row.node_id}"
        return
    most, whole = max(digits.values()), sum(digits.values())
    there = digits[row.amplifier]
    if there < most - 0.06:
        yield f"noise of node {row.node_id}: {there:.2f} digits there, {most:.2f} at most"
    part = row.amplifier_part
    if whole > 0.3 and math.isfinite(part) and differs(part, there / whole, 0.03 + 0.06 / whole):
        yield f"part of node {row.amplifier} is {there / whole:.3f}, not {part:.3f}"


def gained_on_the_way(truth: Truth, k: int, target: int) -> dict[int, float]:
    """Digits that each step adds to the noise of a node, at the rows that carry it.

    A value of 0 on the way has no relative noise, and counts as having what it was given.
    """
    gains = np.abs(truth.gains(target))
    carried = np.nan_to_num(np.square(gains[k]))
    carried = carried / (carried.sum() or 1.0)
    rows = carried > 0
    found, here = {}, np.log10(gains[k, rows])
    while k != target:
        above = truth.formula.parents[k]
        assert above is not None
        k = above
        noisy = gains[k, rows] > 0
        there = np.where(noisy, np.log10(np.where(noisy, gains[k, rows], 1.0)), here)
        found[k] = float(carried[rows] @ (here - there))
        here = there
    return found


# --- where ---


def faults_of_where(truth: Truth, where: Where) -> Iterator[str]:
    k = where.node_id
    s2 = truth.s2[k]
    finite = np.isfinite(s2)
    if list(where.singular) != np.flatnonzero(np.isinf(s2)).tolist():
        yield f"rows {np.flatnonzero(np.isinf(s2))[:5]} are singular, not {where.singular[:5]}"
    if where.finite != finite.sum():
        yield f"{finite.sum()} rows are finite, not {where.finite}"
        return
    if not finite.any():
        return
    shares = np.where(finite, s2, 0.0) / s2[finite].max()
    shares = shares / shares.sum()
    if np.max(np.abs(shares - where.shares)) > CLOSE:
        yield "shares of rows are others"
    ranked = np.sort(shares)[::-1]
    for each in where.carriers:
        part = float(shares[list(each.positions)].sum())
        count = len(each.positions)
        if differs(part, each.share):
            yield f"these rows carry {part:.4f}, not {each.share:.4f}"
        if part < each.level - CLOSE or ranked[: count - 1].sum() > each.level + CLOSE:
            yield f"{count} rows are not the fewest that carry {each.level}"
        if part < ranked[:count].sum() - CLOSE:
            yield "other rows carry more"
    if where.places:
        yield from _faults_of_places(truth, where.places, where.carriers[1].positions, shares)
    yield from faults_of_growth(truth, k, where.growth)
    yield from faults_of_interval(truth, k, where.interval)


def _faults_of_places(
    truth: Truth, places: Sequence[LossPlace], carriers: Sequence[int], shares: np.ndarray
) -> Iterator[str]:
    """Whether rows at a zero of a node, and the others, lie where that is said."""
    left = np.array(carriers)
    for place in sorted(places, key=lambda each: each.node_id is None):
        rows = left
        if place.node_id is not None:
            y = truth.value(place.node_id)
            room = CLOSE * np.nanmax(np.abs([place.low, place.high]))
            at = (y[left] >= place.low - room) & (y[left] <= place.high + room)
            rows, left = left[at], left[~at]
            usual = float(np.nanmedian(np.abs(y)))
            if not place.crosses and max(abs(place.low), abs(place.high)) > 0.5 * usual:
                yield f"node {place.node_id} is not small there: its usual size is {usual:.3g}"
            if place.crosses:
                yield from crosses_zero(truth, place.node_id, grows=True)
        if not 0.9 * place.rows <= len(rows) <= 1.1 * place.rows + 1:
            yield f"{len(rows)} rows are there, not {place.rows}"
            continue
        if differs(place.share, float(shares[rows].sum()), 0.02):
            yield f"they carry {shares[rows].sum():.3f}, not {place.share:.3f}"
        inside = np.ones(truth.count, dtype=bool)
        for each in place.inputs:
            yield from _faults_of_input(truth, each, rows)
            column = truth.samples.columns[each.name]
            inside &= (column >= each.low) & (column <= each.high)
        if place.inputs and inside[truth.valid].mean() > 0.26:
            yield f"{inside[truth.valid].mean():.2f} of all rows lie there"


def _faults_of_input(truth: Truth, each: InputRange, rows: np.ndarray) -> Iterator[str]:
    column = truth.samples.columns[each.name]
    ends = float(column[rows].min()), float(column[rows].max())
    if not (ends[0] <= each.low <= each.high <= ends[1]):
        yield f"{each.name} is between {ends[0]:.6g} and {ends[1]:.6g}"
    known = column[truth.valid]
    covered = float(np.mean((known >= each.low) & (known <= each.high)))
    if differs(each.covered, covered, 1e-9):
        yield f"{each.name} covers {covered:.3f}, not {each.covered:.3f}"


def faults_of_growth(truth: Truth, k: int, growth: Growth | None) -> Iterator[str]:
    s2 = truth.s2[k][np.isfinite(truth.s2[k])]
    if growth is None:
        if len(s2) >= 32:
            yield f"no growth of {len(s2)} rows"
        return
    rng = np.random.default_rng(12345)
    for count, told in zip(growth.counts, growth.local_eic, strict=True):
        means = [half_log10(float(np.mean(rng.permutation(s2)[:count]))) for _ in range(200)]
        if differs(told, float(np.mean(means)), 0.02 + 0.6 * float(np.std(means))):
            yield f"{np.mean(means):.3f} digits on {count} rows, not {told:.3f}"
    if growth.counts[-1] != len(s2):
        yield f"{len(s2)} rows are finite, not {growth.counts[-1]}"


def faults_of_interval(truth: Truth, k: int, interval: MeanInterval) -> Iterator[str]:
    s2 = truth.s2[k][np.isfinite(truth.s2[k])]
    if interval.obstacle is not None:
        index = getattr(interval.obstacle, "index", None)
        if index is not None and differs(index, tail_index(s2), 0.01):
            yield f"the index of the tail is {tail_index(s2):.3f}, not {index:.3f}"
        return
    if len(s2) < 300 or tail_index(s2) < 2 - CLOSE:
        yield f"an interval from {len(s2)} rows, of index {tail_index(s2):.2f}"
        return
    rng = np.random.default_rng(99)
    means = [half_log10(float(np.mean(rng.choice(s2, len(s2))))) for _ in range(1000)]
    low, high = np.quantile(means, (0.025, 0.975))
    room = 0.012 + 0.25 * (high - low)
    if abs(interval.low - low) > room or abs(interval.high - high) > room:
        told = f"{interval.low:.3f} to {interval.high:.3f}"
        yield f"the interval is {low:.3f} to {high:.3f}, not {told}"


def tail_index(s2: np.ndarray) -> float:
    """Hill's estimate from the square root of as many samples."""
    logs = np.sort(np.log(s2))[::-1]
    k = math.ceil(math.sqrt(len(logs)))
    if k >= len(logs):
        return math.inf
    excess = float(np.mean(logs[:k] - logs[k]))
    return 1 / excess if excess > 0 else math.inf


def faults_of_unsettled(truth: Truth, diagnosed: int, found: UnsettledAt | None) -> Iterator[str]:
    """Whether the mean that is not settled has a zero on the way, or a few rows that carry it."""
    if found is None:
        return
    if found.node >= 0:
        yield from crosses_zero(truth, found.node, grows=True, words="changes its sign")
        return
    s2 = truth.s2[diagnosed]
    s2 = np.sort(s2[np.isfinite(s2)])[::-1]
    half = int(np.searchsorted(np.cumsum(s2), 0.5 * s2.sum())) + 1
    if half > 0.1 * len(s2):
        yield f"{half} of {len(s2)} rows carry half of it"


# --- whose fault ---


def faults_of_writing(truth: Truth, found: WritingLoss) -> Iterator[str]:
    q2, own2 = truth.q2, truth.own2
    finite = np.isfinite(q2)
    own, q = (
        half_log10(float(np.mean(each[finite]))) if finite.any() else math.nan
        for each in (own2, q2)
    )
    for name, true in (("own", own), ("q", q), ("loss", max(0.0, q - own) if finite.any() else q)):
        if differs(getattr(found, name), true):
            yield f"{name} is {true:.4f}, not {getattr(found, name):.4f}"
    counts = {
        "compared": finite.sum(),
        "singular": np.isinf(q2).sum(),
        "nothing": truth.stays_zero[np.isinf(q2)].sum(),
        "singular_function": np.isinf(own2).sum(),
    }
    for name, count in counts.items():
        told = getattr(found, name)
        fewer = name in ("nothing", "singular_function") and told + found.unsettled >= count > told
        if told != count and not fewer:
            yield f"{name} are {count} rows, not {told}"
    untold = np.isneginf(truth.size(truth.root)) & ~np.isfinite(q2)  # 0 as far as digits show
    if found.unsettled > untold.sum() and not looked_at_fewer(truth):
        yield f"{found.unsettled} of {truth.distinct} different rows were not looked at"
    yield from _faults_of_place_to_look(found, own, q)
    yield from faults_of_conditioning(truth, found.conditioning)


def _faults_of_place_to_look(found: WritingLoss, own: float, q: float) -> Iterator[str]:
    """Whether function or writing is named; near a limit either may be."""
    if math.isnan(q):
        places = {"undefined"}
    else:
        places = set()
        for d in (-CLOSE, CLOSE):
            for e in (-CLOSE, CLOSE):
                neither, function = q + d < 1, max(0.0, q - own) + e < 0.3
                writing = "writing" if own + d < 1 else "both"
                places.add("neither" if neither else "function" if function else writing)
    if found.place not in places:
        yield f"where to look is {places}, not {found.place}"


def faults_of_conditioning(truth: Truth, found: OwnConditioning) -> Iterator[str]:
    finite = np.isfinite(truth.own2)
    if found.unsettled or not finite.any():
        return
    mean = float(np.mean(truth.own2[finite]))
    if differs(found.own_finite, half_log10(mean)):
        yield f"own is {half_log10(mean):.4f}, not {found.own_finite:.4f}"
    tied = np.array([truth.is_tied(row) or truth.is_folded(row) for row in truth.rows])
    if (truth.singular(truth.root) | tied)[finite].any():
        return
    rms = sensitivities(truth, finite)
    if len(rms) == 1:  # its places may cancel in more digits than a double has
        rms = dict.fromkeys(rms, math.sqrt(mean - 1))
    for each in found.variables:
        if differs(each.share, rms[each.name] ** 2 / mean, 0.03):
            yield f"share of {each.name} is {rms[each.name] ** 2 / mean:.4f}, not {each.share:.4f}"


def sensitivities(truth: Truth, rows: np.ndarray) -> dict[str, float]:
    """How many times an error of each input arrives at the result (root mean square)."""
    gains = truth.gains(truth.root)
    found = {}
    for name in truth.formula.variables:
        leaves = [n.id for n in truth.formula.nodes if n.operator == "variable" and n.label == name]
        together = np.nansum(gains[leaves][:, rows], axis=0)
        found[name] = math.sqrt(float(np.mean(np.square(together))))
    return found


def looked_at_fewer(truth: Truth) -> bool:
    """Whether so many nodes, inputs and samples leave some that are not looked at."""
    evaluations = truth.nodes * (1 + 6 * (1 + 2 * len(truth.formula.variables)))
    return truth.distinct > max(50, 40_000 // evaluations)


def faults_of_losses(truth: Truth, losses: Sequence[Loss]) -> Iterator[str]:
    q2 = truth.q2[truth.valid]
    rest = half_log10(float(np.mean(q2[np.isfinite(q2)]))) if np.isfinite(q2).any() else math.nan
    evaluated = ~np.isnan(truth.s2).all(axis=1)
    steps = truth.locals_finite[evaluated]
    true = {
        "worst_step": (truth.eic, float(np.max(steps)) if len(steps) else math.nan),
        "result": (truth.local(truth.root), truth.local_finite(truth.root)),
        "result_shared": (math.inf if np.isinf(q2).any() else rest, rest),
    }
    for loss in losses:
        whole, finite = true[loss.key]
        if differs(loss.digits, whole) or differs(loss.digits_finite, finite):
            told = f"{loss.digits:.4f} ({loss.digits_finite:.4f})"
            yield f"{loss.key}: {whole:.4f} ({finite:.4f}), not {told}"


# --- doubles ---


def faults_of_range(truth: Truth, found: DoubleRange) -> Iterator[str]:
    """The exact values of lost rows; where they are lost is held to the truth by row."""
    if found.rows != truth.count:
        yield f"there are {truth.count} rows"
    size = truth.size(truth.root)
    for i, held in zip(found.lost.rows.tolist(), found.held.tolist(), strict=True):
        may = {Held.UNKNOWN, Held.BEYOND}
        if truth.rows[i].too_large and truth.bad[i] != truth.root:
            may = {*Held}  # of log(exp(1e250)) the oracle does not know the value
        if truth.valid[i]:
            zero = math.isinf(size[i])
            may = {Held.NORMAL} if zero or -307.6526 < size[i] < 308.25472 else {Held.BEYOND}
            if not zero and size[i] < -307.6527:
                may = {Held.FEWER} if size[i] > -323.31 else {Held.FEWER, Held.BEYOND}
                may = {Held.BEYOND} if size[i] < -323.61 else may
        if held not in may:
            yield f"row {i} of 10^{size[i]:.2f} is held {held}"


def faults_of_measured(truth: Truth, found: MeasuredLoss) -> Iterator[str]:
    """The program's result against the exact value at the numbers that it gets."""
    if found.of != truth.valid.sum():
        yield f"{truth.valid.sum()} rows have a real value, not {found.of}"
    exact = exact_at_doubles(truth, found.positions.tolist(), found.kind)
    apart = []
    for powers in ({}, BY_PRODUCTS):
        columns = truth.samples.columns
        computed = run_plain(truth.formula, columns, truth.count, found.kind, powers)[-1]
        lost = digits_lost(exact, computed[found.positions], found.kind)
        both = ~np.isnan(lost) & ~np.isnan(found.lost)
        if (np.isnan(lost) != np.isnan(found.lost)).any():
            counts = [np.isnan(each).sum() for each in (lost, found.lost)]
            yield f"{counts[0]} rows cannot be compared, not {counts[1]}"
        lossy = (lost > 1.05) | (found.lost > 1.05)
        apart.append(np.where(both & lossy, np.abs(lost - found.lost), 0.0))
    # powers and functions are rounded in several ways
    nearest = np.min(apart, axis=0)
    if (nearest > 0.5).sum() > 0.05 * max(20, both.sum()):
        yield f"{(nearest > 0.5).sum()} rows lose other digits, by up to {nearest.max():.2f}"
