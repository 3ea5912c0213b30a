"""Measures amplification by shaking the formula (Algorithm 2, Yu et al., ``alg:estimate_eic``).

Every node of a noisy pass is multiplied by its own (1 + e), e ~ N(0, sigma^2), and compared with a
clean pass: an independent check of Algorithm 1, within double precision.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from types import MappingProxyType
from typing import Any

import numpy as np

from eic_core.engine.branches import Truths, active_slots, plain_values
from eic_core.engine.forward import evaluate, forward
from eic_core.engine.tape import UNIT_ROUNDOFF, Step, Tape, lay_out
from eic_core.errors import UserError, require
from eic_core.formula.tree import Formula, Node
from eic_core.samples import Samples

Floats = np.ndarray[Any, np.dtype[np.float64]]

MAX_REPEATS = 1_000_000
BUFFER = 2**21
"""Numbers held at a time in the noisy pass (16 MB)."""

STEADY = 0.03
"""While sigma s is below, curvature biases s^2 by about a thousandth at most."""

ROUNDING_MARGIN = 100
"""While sigma is this many roundings, they add less than 10^-4 to s^2."""

WORN_OUT = 1e-3
"""Where u s is above, fewer than three digits of the clean pass itself are right."""


@dataclass(frozen=True)
class NodeEstimate:
    node: Node
    mean_s2: float  # Mean over the samples used of the variance of eta / sigma; nan if none
    local_eic: float  # log10 of its root, digits
    # low, high: confidence interval of `local_eic` at the level asked for
    low: float
    high: float
    degrees_of_freedom: float  # Those of the scaled chi-squared distribution that `mean_s2` follows
    # Valid samples not used at this node: its value is 0, so that relative noise does not show, or
    # sigma s > `STEADY`, or the noise left the domain
    left_out: int

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """An interval for log10 s-bar on these very samples.

        To first order the variance over R repeats at a sample is s^2 chi^2_(R-1) / (R-1); the mean
        follows nearly a scaled chi-squared law with matched moments (F. E. Satterthwaite,
        Biometrics Bulletin 2 (1946) 110-114). A heavy tail of s widens it, which only more repeats
        narrow.
        """
        if math.isnan(self.local_eic):
            return math.nan, math.nan
        beyond = (1 - level) / 2
        half = 0.5 * self.degrees_of_freedom  # chi^2_(2 half) is twice a gamma variate
        low, high = (half / gamma_quantile(half, beyond, upper=up) for up in (True, False))
        return self.local_eic + 0.5 * math.log10(low), self.local_eic + 0.5 * math.log10(high)


@dataclass(frozen=True)
class PerturbationEstimate:
    # sigma, level: as given to `estimate`
    sigma: float
    level: float
    nodes: tuple[NodeEstimate, ...]  # In post-order
    # valid, invalid: samples at which every clean value is a real number in double range, and the
    # others
    valid: int
    invalid: int
    first_invalid: Mapping[int, int]  # How many samples first are invalid at that node
    # True if rounding is no longer small beside the noise: sigma is below `ROUNDING_MARGIN` u, or
    # some u s is above `WORN_OUT`
    limited_by_rounding: bool
    # True if samples were left out because sigma s is above `STEADY`, singular ones included: the
    # estimate then lacks the most sensitive samples
    limited_by_curvature: bool

    @property
    def eic(self) -> float:
        """The largest estimated local EIC; nan if no node has one."""
        return max(
            (n.local_eic for n in self.nodes if not math.isnan(n.local_eic)), default=math.nan
        )

    @property
    def eic_interval(self) -> tuple[float, float]:
        """An interval for EIC at `level`: by Bonferroni, each node's at 1 - (1 - level) / K."""
        level = 1 - (1 - self.level) / len(self.nodes)
        ends = [n.confidence_interval(level) for n in self.nodes]
        intervals = [pair for pair in ends if not math.isnan(pair[0])] or [(math.nan, math.nan)]
        return max(low for low, _ in intervals), max(high for _, high in intervals)


def estimate(
    formula: Formula,
    samples: Samples,
    *,
    sigma: float = 1e-9,
    repeats: int = 100,
    seed: int = 0,
    level: float = 0.95,
) -> PerturbationEstimate:
    """Estimate every node's mean amplification by perturbation.

    Parameters
    ----------
    formula
        Its variables must be columns of `samples`.
    samples
        Rows of finite values.
    sigma
        Standard deviation of the noise, above 0 and at most 0.01. 1e-8 to 1e-12 is fine; 1e-4
        and more is biased by curvature.
    repeats
        Noisy passes, 2 to 1,000,000.
    seed
        Not negative. The same arguments give the same numbers.
    level
        Confidence level, between 0 and 1.

    Returns
    -------
    PerturbationEstimate
        A mean amplification with its interval for each node.

    Raises
    ------
    UserError
        If an argument is out of range.
    DataError
        If a variable has no column.

    Notes
    -----
    Every node, equal subtrees included, has noise of its own. A sample whose
    clean value leaves double range counts as invalid here: there is no second
    exact look as in Algorithm 1. A condition within some sigma of its threshold is turned
    by the noise: there sigma s is large, and the sample is left out.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.0]})
    >>> result = estimate(read("10000*x-9999*x").formula, samples, repeats=1000)
    >>> low, high = result.nodes[-1].low, result.nodes[-1].high
    >>> bool(low < 4.38905 < high), bool(high - low < 0.05)
    (True, True)
    """
    require(formula, Formula)
    require(samples, Samples)
    for name, value, fits, hint in (
        ("sigma", sigma, 0 < sigma <= 0.01, "give a small positive number, such as 1e-9"),
        ("repeats", repeats, _whole(repeats, 2, MAX_REPEATS), f"give 2 to {MAX_REPEATS:,}"),
        ("seed", seed, _whole(seed, 0, math.inf), "give a whole number from 0"),
        ("level", level, 0 < level < 1, "give a number between 0 and 1, such as 0.95"),
    ):
        if not fits:
            raise UserError(f"{name} is {value}", hint=hint)
    samples.require(formula.variables)
    tape = lay_out(formula, share=False)
    count = len(tape)
    rng = np.random.default_rng(seed)
    sums, first_bad = _Sums(count), np.zeros(count + 1, dtype=np.int64)
    rows = max(1, min(len(samples), BUFFER // (4 * count)))
    for start in range(0, len(samples), rows):
        columns = {name: samples.columns[name][start : start + rows] for name in formula.variables}
        length = min(rows, len(samples) - start)
        values = plain_values(tape, columns, length)
        clean, active = np.array(values), np.array(active_slots(tape, values, length))
        missing = active & ~np.isfinite(clean)
        complete = ~missing.any(axis=0)
        first = np.where(complete, count, missing.argmax(axis=0))
        first_bad += np.bincount(first, minlength=count + 1)
        if complete.any():
            s2, shows = _variances(tape, clean[:, complete], sigma, repeats, rng)
            sums.add(s2, shows, active[:, complete], sigma)
    nodes = tuple(_node_estimate(node, sums, repeats, level) for node in formula.nodes)
    *invalid, valid = first_bad.tolist()
    return PerturbationEstimate(
        sigma=sigma,
        level=level,
        nodes=nodes,
        valid=valid,
        invalid=len(samples) - valid,
        first_invalid=MappingProxyType({node: n for node, n in enumerate(invalid) if n}),
        limited_by_rounding=sigma < ROUNDING_MARGIN * UNIT_ROUNDOFF
        or math.sqrt(sums.largest) * UNIT_ROUNDOFF > WORN_OUT,
        limited_by_curvature=sums.unsteady,
    )


def gamma_quantile(shape: float, tail: float, *, upper: bool) -> float:
    """Where the standard gamma distribution leaves `tail`, up to 1/2, above or below.

    Newton's steps in log x on the logarithm of that tail, which is concave: no start is too far.
    """
    near = 1 / (9 * shape)  # E. B. Wilson and M. M. Hilferty, PNAS 17 (1931) 684-688
    z = NormalDist().inv_cdf(tail)
    about = 1 - near + (-z if upper else z) * math.sqrt(near)
    least = math.exp((math.log(tail) + math.lgamma(shape + 1)) / shape)  # P <= x^a / gamma(a + 1)
    x = max(shape * max(about, 0.0) ** 3, least)
    for _ in range(100):
        ratio = _beside_density(shape, x, upper)
        log_tail = shape * math.log(x) - x - math.lgamma(shape) + math.log(ratio)
        step = (log_tail - math.log(tail)) * ratio
        x *= math.exp(step if upper else -step)
        if abs(step) < 1e-12:
            break
    return x


_DOUBLY = np.linspace(-4.5, 6, 211)


def _beside_density(shape: float, x: float, upper: bool) -> float:
    """A tail by x times the density.

    It is int (1 + u)^(a - 1) exp(-x u) du from 0, with -u for u below, by the double exponential
    rule (H. Takahasi and M. Mori, Publ. RIMS 9 (1974) 721-741).
    """
    if shape < 50 and not upper:  # the integral ends at 1: the power series
        places = np.arange(1.0, 100 + 9 * math.sqrt(x))
        return (1 + float(np.cumprod(x / (shape + places)).sum())) / shape
    width = 1 / (1 + max(abs(x - shape), math.sqrt(shape)))
    u = width * np.exp(_DOUBLY - np.exp(-_DOUBLY))
    sides = u if upper else -np.minimum(u, 1 - 2**-53)
    heights = np.exp((shape - 1) * np.log1p(sides) - x * sides) * u * (1 + np.exp(-_DOUBLY))
    return float(heights.sum() * (_DOUBLY[1] - _DOUBLY[0]))


def _whole(value: object, low: float, high: float) -> bool:
    return isinstance(value, int) and low <= value <= high


class _Sums:
    """Per node: evaluated and used valid samples; sums of s^2 and its square over the latter."""

    def __init__(self, count: int) -> None:
        self.used, self.evaluated = np.zeros((2, count), dtype=np.int64)
        self.moments = np.zeros((2, count))
        self.largest = 0.0
        self.unsteady = False

    def add(self, s2: Floats, shows: Truths, evaluated: Truths, sigma: float) -> None:
        """Add a chunk of shape (nodes, m): s^2, where the noise shows, what is evaluated."""
        with np.errstate(invalid="ignore"):
            steady = evaluated & (np.abs(s2) * sigma**2 <= STEADY**2)  # below 0 by rounding alone
        self.unsteady |= bool((shows & evaluated & ~steady).any())
        s2 = np.where(steady, s2, 0.0)
        self.evaluated += np.count_nonzero(evaluated, axis=1)
        self.used += np.count_nonzero(steady, axis=1)
        self.moments += s2.sum(axis=1), np.square(s2).sum(axis=1)
        self.largest = max(self.largest, float(s2.max(initial=0.0)))


def _variances(
    tape: Tape, clean: Floats, sigma: float, repeats: int, rng: np.random.Generator
) -> tuple[Floats, Truths]:
    """Variance of eta over the repeats, by sigma^2, and where the noise shows at all."""
    rows = clean.shape[1]
    first, second = np.zeros((2, *clean.shape))
    shows = np.zeros(clean.shape, dtype=bool)
    at_once = max(1, min(repeats, BUFFER // (rows * _most_values_held(tape))))

    def shaken(step: Step, y: Floats) -> Floats:
        slot = step.slot
        noisy = rng.standard_normal((batch, rows))
        noisy *= sigma
        noisy += 1.0
        noisy *= y
        change = noisy - clean[slot]
        shows[slot] |= (change != 0).any(axis=0)
        eta = np.divide(change, clean[slot], out=change)
        first[slot] += eta.sum(axis=0)
        second[slot] += np.square(eta, out=eta).sum(axis=0)
        return noisy

    for done in range(0, repeats, at_once):
        batch = min(at_once, repeats - done)
        forward(
            tape,
            lambda step: shaken(step, clean[step.slot]),
            lambda step, operands: shaken(step, evaluate(step, operands)),
            read_once=True,
        )
    with np.errstate(all="ignore"):
        s2 = (second - first**2 / repeats) / ((repeats - 1) * sigma**2)
    s2[second > repeats * STEADY**2] = np.inf  # all repeats beyond a jump differ by roundings alone
    return s2, shows


def _most_values_held(tape: Tape) -> int:
    reads = [len(step.operands) for step in tape.steps]
    alive = itertools.accumulate(1 - count for count in reads)
    return 2 + max(map(sum, zip(alive, reads, strict=True)))


def _node_estimate(node: Node, sums: _Sums, repeats: int, level: float) -> NodeEstimate:
    used = int(sums.used[node.id])
    first, second = sums.moments[:, node.id].tolist()
    mean = first / used if used else math.nan
    local_eic, freedom = math.nan, 0.0
    if mean > 0:
        local_eic = 0.5 * math.log10(mean)
        # (sum s^2)^2 / sum s^4 without the bias of squaring estimates of R - 1 degrees.
        spread = 2 / (repeats - 1)
        alike = first**2 / second * (1 + spread) - spread
        freedom = (repeats - 1) * min(max(alike, 1.0), float(used))
    left_out = int(sums.evaluated[node.id]) - used
    of_node = NodeEstimate(node, mean, local_eic, math.nan, math.nan, freedom, left_out)
    low, high = of_node.confidence_interval(level)
    return replace(of_node, low=low, high=high)
