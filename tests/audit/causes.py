"""Whether a cause is what costs a step its digits, by the oracle's values and derivative-free s.

A check looks at the rows where the digits are lost: weighted by s^2 of the step, or of the node
that the finding is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from eic_core.explain import findings as f
from eic_core.samples import Samples
from tests.audit.oracle import JUMPING, Truth, half_log10
from tests.audit.plain import PLAIN
from tests.oracle import REMAINDERS

PERIODS = {
    **dict.fromkeys(("sin", "cos", "sec", "csc"), 2 * math.pi),
    **dict.fromkeys(("tan", "cot"), math.pi),
}
ENDS = {"log1p": (-1,), "asin": (1, -1), "acos": (1, -1), "acosh": (1,), "atanh": (1, -1)}
GROWING = frozenset("exp expm1 sinh cosh tanh erfc gamma".split())
SLOPES = frozenset("sqrt cbrt root power pow asin acos acosh".split())
OUTSIDE = frozenset(
    "div power pow sqrt root log log1p acosh atanh asin acos atan2 tan cot sec csc".split()
    + ["gamma", "lgamma", "betaln", *REMAINDERS]
)


class At:
    """A step, and the rows where it loses digits.

    Attributes
    ----------
    operator : str
    rows, weights : ndarray
        Rows of finite s, and what part each carries: of E[s^2] of the step; with `focus`, of the
        digits that the step makes of that node's local EIC, and with `lost` of those at these rows.
    """

    def __init__(
        self, truth: Truth, k: int, focus: int | None = None, lost: np.ndarray | None = None
    ) -> None:
        self.truth, self.k, self.node = truth, k, truth.formula.nodes[k]
        self.operator = self.node.operator
        s2 = truth.s2[k]
        if lost is None and focus is None:
            self.rows = np.flatnonzero(np.isfinite(s2))
            weights = s2[self.rows] / (s2[self.rows].max() if len(self.rows) else 1.0)
        else:
            above = np.ones(truth.count)
            if lost is None:
                lost, part = truth.row_weights(k if focus is None else focus)
                above[lost] = part
            self.rows = lost[np.isfinite(s2[lost])]
            below = truth.s2[list(self.node.children)][:, self.rows]
            given = np.max(np.where(np.isfinite(below), below, 1.0), axis=0, initial=1.0)
            weights = above[self.rows] * np.maximum(np.log10(s2[self.rows] / given), 0.0)
        if not len(self.rows):  # where it keeps no digit, it has an argument
            self.rows = np.flatnonzero(truth.singular(k)) if lost is None else lost
            weights = np.ones(len(self.rows))
        self.weights = weights / (weights.sum() or 1.0)

    def operand(self, i: int = 0) -> np.ndarray:
        return self.truth.value(self.node.children[i])[self.rows]

    def typical(self, values: np.ndarray) -> float:
        """The weighted median of what is known."""
        known = ~np.isnan(values)
        if not known.any():
            return math.nan
        order = np.argsort(values[known], kind="stable")
        sums = np.cumsum(self.weights[known][order])
        return float(values[known][order][int(np.searchsorted(sums, 0.5 * sums[-1]))])

    def largest(self) -> float:
        sizes = np.abs(self.operand())
        return float(np.max(sizes[np.isfinite(sizes)], initial=0.0))

    def left(self) -> np.ndarray:
        """How much of two terms is left, at every row of the table."""
        sizes = np.array([self.truth.size(c) for c in self.node.children])
        with np.errstate(all="ignore"):
            top = sizes.max(axis=0)
            whole = (10.0 ** (sizes - top)).sum(axis=0)
            return np.asarray(10.0 ** (self.truth.size(self.k) - top) / whole)

    def to_pole(self) -> np.ndarray:
        if self.operator in ("gamma", "lgamma"):
            x = self.operand()
            return np.abs(x - np.minimum(np.rint(x), 0.0))
        return self._to({"tan": np.cos, "sec": np.cos, "cot": np.sin, "csc": np.sin})

    def to_zero(self) -> np.ndarray:
        return self._to({"sin": np.sin, "tan": np.sin, "cos": np.cos, "cot": np.cos})

    def _to(self, waves: dict[str, np.ufunc]) -> np.ndarray:
        x = self.operand()
        wave = waves.get(self.operator)
        return np.full(len(x), np.inf) if wave is None else np.abs(wave(x))


def faults_of_cause(
    truth: Truth, cause: f.Cause, focus: int | None = None, lost: np.ndarray | None = None
) -> list[str]:
    """What is wrong in a cause; of several fair ways to weigh the rows by the best."""
    ways = [At(truth, cause.node), At(truth, cause.node, focus)]
    ways += [] if lost is None else [At(truth, cause.node, lost=lost)]
    return min(([*_faults(at, cause)] for at in ways), key=len)


def _apart(name: str, told: float, true: float, relative: float = 1e-3) -> Iterator[str]:
    if not math.isclose(told, true, rel_tol=relative):
        yield f"{name} is {true:.5g}, not {told:.5g}"


def _within(what: str, value: float, most: float) -> Iterator[str]:
    if not value < most:
        yield f"{what} is {value:.3g} where digits are lost, not under {most:.3g}"


def _is(at: At, operators: frozenset[str] | set[str]) -> Iterator[str]:
    if at.operator not in operators:
        yield f"the step is a {at.operator}"


def _faults(at: At, cause: f.Cause) -> Iterator[str]:
    match cause:
        case f.Cancellation():
            yield from _cancels(at, cause)
        case f.ZeroTerm():
            none = at.operand(cause.operand) == 0
            if not at.weights[none].sum() > 0.5:
                yield f"operand {cause.operand} is 0 with {at.weights[none].sum():.3g} of the loss"
        case f.NearPole():
            yield from _within("the distance from a pole", at.typical(at.to_pole()), 0.75)
        case f.NearZero():
            yield from _within("the distance from a zero", at.typical(at.to_zero()), 0.75)
            if cause.largest:
                yield from _apart("the largest argument", cause.largest, at.largest())
        case f.NearZerosAndPoles():
            both = np.minimum(at.to_zero(), at.to_pole())
            yield from _within("the distance from both", at.typical(both), 0.75)
        case f.LargeArgument():
            yield from _large_argument(at, cause)
        case f.GrowthOfLargeNumber():
            yield from _is(at, GROWING)
            yield from _apart("the largest argument", cause.largest, at.largest())
            if not at.typical(np.abs(at.operand())) >= 1 - 1e-9:
                yield "typically the argument is below 1"
        case f.LargeExponent():
            yield from _large_exponent(at, cause)
        case f.ErrorInExponent():
            yield from _is(at, {"pow"})
            with np.errstate(all="ignore"):
                counted = at.typical(np.abs(at.operand(1) * np.log(at.operand(0))))
            if not counted >= 1 - 1e-6:
                yield f"an error in the exponent counts {counted:.3g} times"
        case f.NearEdge():
            yield from _near_edge(at, cause)
        case f.SteepStep():
            yield from _steep_step(at, cause)
        case f.OwnInaccuracy():
            name = at.operator
            if not 1 < cause.digits <= 16:
                yield f"{name} is {cause.digits:.1f} digits off"
        case f.BeyondDoubles():
            none = [(at.truth.without_double(c) | ~at.truth.valid).all() for c in at.node.children]
            if not any(none):
                yield "double precision has a value for each operand at some row"
        case f.Accumulated():
            made = at.truth.created(at.k)
            if made.max() > cause.most + TOLD:
                yield f"{made.max():.3f} digits are made at node {int(np.argmax(made))}"
        case f.NoDigitLeft():
            yield from _no_digit(at, cause)
        case f.OnThreshold():
            yield from _is(at, JUMPING | {"conditional"} | {"add", "sub"})
        case f.TurnedByRounding() | f.TurnedByRange():
            yield from _is(at, set(JUMPING))
        case f.InfiniteSlope():
            yield from _is(at, SLOPES)
        case f.OutsideDomain():
            yield from _outside(at)
        case f.BeyondReduction():
            yield from _is(at, set(PERIODS))
        case f.BeyondEveryRange():
            if not any(row.too_large for row in at.truth.rows):
                yield "no value leaves every range"
        case f.OutOfRange() | f.RangeCost() | f.NotTold() | f.CheckEnded():
            pass  # held to the truth row by row


TOLD = 0.15
"""Digits between two reasonable ways of averaging where a loss is made."""


def _cancels(at: At, cause: f.Cancellation) -> Iterator[str]:
    yield from _is(at, {"add", "sub"})
    left = at.left()[at.rows]
    typical, most = at.typical(left), float(np.nanmax(left))
    yield from _within("what is left of the terms", typical, 0.5)
    if abs(math.log10(cause.kept / typical)) > 0.3:
        yield f"{typical:.3g} of the terms is left, not {cause.kept:.3g}"
    if cause.extent is f.Extent.EVERYWHERE and not np.nanmedian(left) < 0.1 + 1e-6:
        yield f"{np.nanmedian(left):.3g} of the terms is left at the median row"
    if cause.extent is f.Extent.CROSSING:
        yield from crosses_zero(at.truth, at.k, grows=True)
    if cause.extent is f.Extent.NEARLY and most > 0.5 + 1e-3:
        yield f"{most:.3g} of the terms is left at some row"
    if cause.extent is f.Extent.SOMEWHERE and most < 0.5 - 1e-3:
        yield f"{most:.3g} of the terms is left at most"


def _large_argument(at: At, cause: f.LargeArgument) -> Iterator[str]:
    yield from _apart("the period", cause.period, PERIODS.get(at.operator, math.nan))
    yield from _apart("the largest argument", cause.largest, at.largest())
    x = np.abs(at.operand())
    if not at.typical(x) > math.pi / 2:
        yield f"typically the argument is {at.typical(x):.3g}"
    nearer = np.minimum(at.to_zero(), at.to_pole()) * x < 0.5
    if at.weights[nearer].sum() > 0.6:
        yield f"at {at.weights[nearer].sum():.0%} of the loss a zero or a pole does more"


def _large_exponent(at: At, cause: f.LargeExponent) -> Iterator[str]:
    yield from _is(at, {"power", "pow"})
    if at.operator == "power":
        yield from _apart("the exponent", cause.times, abs(float(at.node.parameter or 0)))
        return
    exponents = np.abs(at.operand(1))
    order = np.argsort(exponents)
    parts = np.cumsum(at.weights[order])
    places = [min(int(np.searchsorted(parts, q)), len(parts) - 1) for q in (0.05, 0.95)]
    low, high = exponents[order][places]
    if not 0.9 * low <= cause.times <= 1.1 * high:
        yield f"the exponent is {low:.4g} to {high:.4g}"


def _near_edge(at: At, cause: f.NearEdge) -> Iterator[str]:
    if at.operator in ("log", "lgamma", "betaln", "logaddexp"):
        with np.errstate(all="ignore"):
            y = PLAIN[at.operator]([*map(at.operand, range(len(at.node.children)))], None)
        yield from _within("the logarithm", at.typical(np.abs(y)), 1.0)
        return
    x = at.operand()
    yield from _is(at, set(ENDS))
    ends = [e for e in ENDS.get(at.operator, ()) if cause.side in (0, e)] or [math.inf]
    distance = np.min([np.abs(x - end) for end in ends], axis=0)
    yield from _within("the distance from the end", at.typical(distance), 0.5)


def _steep_step(at: At, cause: f.SteepStep) -> Iterator[str]:
    if cause.operand < 0:
        below = [at.truth.s2[c][at.rows] for c in at.node.children]
        gain = np.sqrt(at.truth.s2[at.k][at.rows] / np.max(below, axis=0))
        mean = 10 ** float(np.average(np.log10(gain), weights=at.weights))
        yield from _apart("what it amplifies by", cause.times, mean, 0.25)
        return
    gains = np.abs(at.truth.gains(at.k)[at.node.children[cause.operand]][at.rows])
    yield from _apart("what it multiplies by", cause.times, at.typical(gains), 0.1)


def _no_digit(at: At, cause: f.NoDigitLeft) -> Iterator[str]:
    """Whether each way is one of its rows, and those that are exact are told so."""
    truth, lost = at.truth, at.truth.singular(at.k)
    zero = np.isneginf(truth.size(at.k)) & lost
    for way in cause.ways:
        if way is f.Zero.EXACT and not zero.any():
            yield "it is 0 at no row"
        elif way in (f.Zero.NEARLY, f.Zero.TOO_MUCH) and zero[lost].all():
            yield f"{way.value}: it is exactly 0 at each row"
        elif way is f.Zero.NO_ANGLE:
            yield from _is(at, set(PERIODS))
            if not np.max(truth.size(at.node.children[0])[lost], initial=-math.inf) > 15:
                yield "its argument is below 10^15"


def _outside(at: At) -> Iterator[str]:
    yield from _is(at, OUTSIDE)
    if at.operator == "power":
        exponent = Fraction(at.node.parameter or 0)
        rows = [row for row in at.truth.rows if row.bad == at.k]
        bases = [row.y[at.node.children[0]] for row in rows]
        whole = exponent.denominator == 1
        if any(base > 0 or (whole and base) for base in bases) or (
            exponent >= 0 and not any(bases)
        ):
            yield f"the base is {bases[:5]} to the power {exponent}"


# --- where a loss is made ---


def faults_of_origin(
    truth: Truth,
    at: int,
    node: int,
    created: float,
    rows: np.ndarray | None = None,
    silent: frozenset[int] = frozenset(),
) -> Iterator[str]:
    """Whether a node makes so many digits of another's loss, and no other makes more."""
    made = truth.created(at, rows, silent)
    steps = [k for k in truth.subtree(at) if truth.formula.nodes[k].children]
    worst = max(steps, key=lambda k: made[k], default=at)
    if node not in truth.subtree(at):
        yield f"node {node} is no part of node {at}"
    elif made[node] < made[worst] - TOLD:
        yield f"{made[worst]:.2f} digits are made at node {worst}, {made[node]:.2f} at node {node}"
    elif math.isfinite(created) and abs(created - made[node]) > 0.08:
        yield f"{made[node]:.3f} digits are made at node {node}, not {created:.3f}"


# --- signs ---


def crosses_zero(
    truth: Truth, k: int, *, grows: bool = False, words: str = "crosses zero"
) -> Iterator[str]:
    """Whether a node is 0 (or has a pole) between its rows, and does not only jump there.

    Parameters
    ----------
    truth : Truth
    k : int
    grows : bool
        Whether its amplification must grow without limit on the way there.
    words : str
        What it is said to do: cross zero, have a pole, or change its sign.
    """
    y, node = truth.value(k), truth.formula.nodes[k]
    if node.operator in PERIODS and np.nanmax(truth.size(node.children[0])) > 10:
        return  # doubles hardly tell one period from the next
    if node.operator in ("sin", "tan", "cot", "csc"):
        with np.errstate(invalid="ignore"):
            turned = y * np.sign(truth.value(node.children[0]))
        if np.nanmin(turned) < 0 < np.nanmax(turned) and not np.nanmin(y) < 0 < np.nanmax(y):
            return  # between the rows its argument changes sign, too
    if not (np.nanmin(y) < 0 < np.nanmax(y)):
        yield f"the values of node {k} have one sign"
        return
    found = [kind for kind, _, _ in truth.along(k)]
    if not set(found) - {"gap", "unknown"}:
        return
    wanted = {kind for kind in ("zero", "pole") if kind in words} or {"jump", "pole", "zero"}
    if "zero" in wanted and np.isneginf(truth.size(k)).any():
        return  # at a sample itself
    sure = words != "changes its sign"
    if sure and not wanted <= set(found):
        found += [kind for kind, _, _ in truth.along(k, every=True)]
    if sure and not wanted <= set(found):
        yield f"between rows of opposite sign of node {k}: {', '.join(sorted(set(found)))}"
    elif grows and not any(
        _grows(truth, k, zero, away)
        for every in (False, True)
        for kind, zero, away in truth.along(k, every=every)
        if kind in wanted
    ):
        yield f"the amplification of node {k} stays finite on the way to its zero"


def _grows(truth: Truth, k: int, zero: dict[str, float], away: dict[str, float]) -> bool:
    """Whether s rises without limit on the way from a row to a zero.

    The way is as long as that to the row, or as the zero is large: the row may be powers of ten
    away.
    """
    to_row = {v: away[v] - x for v, x in zero.items()}
    to_like = {v: math.copysign(min(abs(to_row[v]), abs(x)), to_row[v]) for v, x in zero.items()}
    for way in (to_row, to_like):
        found = []
        for step in (1.0, 1e-3, 1e-6, 1e-9):
            columns = {v: [x + way[v] * step] for v, x in zero.items()}
            there = Truth(truth.formula.subtree(k), Samples.from_columns(columns))
            found.append(half_log10(float(there.s2[-1][0])))
        known = [v for v in found if not math.isnan(v)]
        if known and (math.isinf(known[-1]) or known[-1] > known[0] + 2):
            return True
    return False
