"""Algorithm 1 (Yu et al., ``alg:calculate_eic``) over a whole data set.

`amplify` runs a formula over its samples block by block: clean blocks by the
fast recursion, the others by the careful one, and the samples that double
precision cannot settle at 60 digits.  What comes back are sums for every node;
per-sample values of one node are a second pass over its subtree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from eic_core.formula.tree import Formula
from eic_core.measure.blocks import run_blocks
from eic_core.measure.careful import VALID, Block
from eic_core.measure.data import Samples
from eic_core.measure.fast import FastBlocks
from eic_core.measure.plan import SINGULAR_S2, Plan, Step, compile_formula, plan_of
from eic_core.measure.precision import ExactEvaluator, ExactSample

MAX_RECHECKED = 1000
"""How many samples are re-evaluated at high precision, the first in row order: so many
that left double range or its digits, and as many at which a rounding decides the rule."""

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Amplification:
    """Sums of s_k^2 over the valid samples, for every node of a formula.

    Attributes
    ----------
    formula : Formula
    samples : Samples
    valid : ndarray of bool, shape (N,)
        Samples at which every node has a real value.
    first_invalid : dict of node id to int
        How many samples first have no real value at that node.
    finite_sum : tuple of float
        Per node, the sum of s^2 over the valid samples not singular there.
    singular : tuple of int
        Per node, how many valid samples are singular there.
    singular_samples : int
        How many valid samples are singular at some node.
    edge_sums : tuple of tuple of float
        Per node and operand, the sum of kappa^2 s_i^2 over the same samples as
        `finite_sum`; empty tuples unless asked for.
    signs : tuple of int
        Per node, 1 if its watched sign was ever positive, plus 2 if negative.
    rechecked, unresolved : int
        Samples re-evaluated at 60 digits, and those that needed it but came
        after the first `MAX_RECHECKED`.
    root_values : ndarray, shape (N,), or None
        The formula's value, nan at invalid samples; only if asked for.
    plan : Plan
        The tape that was run.
    exact : dict of row to (values, s^2), each by slot
        What 60 digits said about the rechecked samples, up to their first invalid step.
    """

    formula: Formula
    samples: Samples
    valid: np.ndarray
    first_invalid: dict[int, int]
    finite_sum: tuple[float, ...]
    singular: tuple[int, ...]
    singular_samples: int
    edge_sums: tuple[tuple[float, ...], ...]
    signs: tuple[int, ...]
    rechecked: int
    unresolved: int
    root_values: np.ndarray | None = field(repr=False)
    plan: Plan = field(repr=False)
    exact: dict[int, tuple[np.ndarray, np.ndarray]] = field(repr=False)

    @cached_property
    def valid_count(self) -> int:
        """Number of valid samples."""
        return int(np.count_nonzero(self.valid))

    def mean_s2(self, node_id: int) -> float:
        """s-bar^2 at a node: inf if a sample is singular there, nan if none is valid."""
        if not self.valid_count:
            return math.nan
        if self.singular[node_id]:
            return math.inf
        return self.finite_sum[node_id] / self.valid_count

    def finite_mean_s2(self, node_id: int) -> float:
        """The same without the samples that are singular at this node."""
        count = self.valid_count - self.singular[node_id]
        return self.finite_sum[node_id] / count if count else math.nan

    def edge_shares(self, node_id: int) -> tuple[float, ...]:
        """For each operand, the share of the node's mean s^2 that comes through it.

        The rest, 1 minus their sum, is the node's own rounding.
        """
        total = self.finite_sum[node_id]
        return tuple(s / total if total else math.nan for s in self.edge_sums[node_id])

    def trace(self, node_id: int) -> tuple[np.ndarray, np.ndarray]:
        """Value and s of one node at every sample.

        Returns
        -------
        y, s : ndarray, shape (N,)
            nan at invalid samples; s is inf where singular.  Values beyond
            double range are inf or 0.
        """
        total = len(self.samples)
        y, s2 = np.empty(total), np.empty(total)
        subtree = compile_formula(self.formula.subtree(node_id))
        for start, stop, block, fast in run_blocks(subtree, self.samples, edges=False, keep=True):
            if block is None:
                assert fast is not None
                y[start:stop], s2[start:stop] = fast.kept
            else:
                y[start:stop], s2[start:stop] = block.y[-1], block.s2[-1]
        slot = self.plan.slots[node_id]
        for row, (values, amplifications) in self.exact.items():
            if slot < len(amplifications):
                y[row], s2[row] = values[slot], amplifications[slot]
        y[~self.valid] = np.nan
        s2[~self.valid] = np.nan
        s2[s2 > SINGULAR_S2] = np.inf
        return y, np.sqrt(s2)


def amplify(
    formula: Formula,
    samples: Samples,
    *,
    recheck: bool = True,
    edges: bool = False,
    root_values: bool = False,
    progress: Progress | None = None,
) -> Amplification:
    """Amplification of every node of a formula over a data set.

    Parameters
    ----------
    formula : Formula
        Its variables must be columns of `samples`.
    samples : Samples
        N >= 1 rows of finite values.
    recheck : bool
        Whether to settle at 60 digits the samples where double precision
        overflows, underflows to 0 or keeps fewer than three digits.
    edges : bool
        Whether to sum what comes through each edge (costs a little).
    root_values : bool
        Whether to keep the formula's value at every sample.
    progress : callable (fraction done) -> None, optional

    Raises
    ------
    DataError
        If a variable has no column.

    Notes
    -----
    Yu et al., Eq. ``eq:recursive_relation`` and Algorithm ``alg:calculate_eic``,
    with the treatment of zeros, kinks and invalid samples of ADR 0001.

    Examples
    --------
    >>> import numpy as np
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": np.array([1.0, 3.0])})
    >>> amplify(read("exp(x)").formula, samples).mean_s2(1)  # 1 + (1 + 9) / 2
    6.0
    """
    samples.require(formula.variables)
    plan = plan_of(formula)
    sums = _Sums(plan, samples, recheck=recheck, edges=edges, root_values=root_values)
    for start, stop, block, fast in run_blocks(plan, samples, edges=edges, keep=root_values):
        if fast is not None:
            sums.add_clean(start, stop, fast)
        elif block is not None:
            sums.add_careful(start, stop, block, progress)
        if progress is not None:
            progress(stop / len(samples))
    return sums.result(formula)


class _Sums:
    """What `amplify` gathers while it goes through the blocks."""

    def __init__(
        self, plan: Plan, samples: Samples, *, recheck: bool, edges: bool, root_values: bool
    ) -> None:
        count = len(plan.steps)
        self.plan = plan
        self.samples = samples
        self.edges = edges
        self.suspects_left = self.doubtful_left = MAX_RECHECKED if recheck else 0
        self.finite: list[list[float]] = []  # a row for each block, a number for each slot
        self.edge_sums: list[dict[int, tuple[float, ...]]] = []  # a dict for each block, by slot
        self.signs = [0] * count
        self.singular = [0] * count
        self.singular_samples = 0
        self.valid = np.ones(len(samples), dtype=bool)
        self.first_invalid: dict[int, int] = {}
        self.exact: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.unresolved = 0
        self.evaluator: ExactEvaluator | None = None
        self.values = np.empty(len(samples)) if root_values else None

    def add_clean(self, start: int, stop: int, fast: FastBlocks) -> None:
        """A block in which every sample is valid and finite."""
        self.finite.append(fast.sums)
        self.edge_sums.append(fast.edge_sums)
        self.signs = [old | new for old, new in zip(self.signs, fast.signs, strict=True)]
        if self.values is not None:
            self.values[start:stop] = fast.kept[0]

    def add_careful(self, start: int, stop: int, block: Block, progress: Progress | None) -> None:
        """A block with zeros, invalid or singular samples, or any that double cannot settle."""
        self._recheck(start, block, progress)
        ok = block.first_invalid == VALID
        self.valid[start:stop] = ok
        if self.values is not None:
            self.values[start:stop] = np.where(ok, block.y[-1], np.nan)
        nodes, hits = np.unique(block.first_invalid[~ok], return_counts=True)
        for node, count in zip(nodes.tolist(), hits.tolist(), strict=True):
            self.first_invalid[node] = self.first_invalid.get(node, 0) + count
        any_singular = np.zeros(stop - start, dtype=bool)
        finite_sums: list[float] = []
        edge_sums: dict[int, tuple[float, ...]] = {}
        for step in self.plan.steps:
            s2 = block.s2[step.slot]
            with np.errstate(invalid="ignore"):
                is_singular = ok & ~(s2 <= SINGULAR_S2)
            any_singular |= is_singular
            finite = ok & ~is_singular
            self.singular[step.slot] += int(np.count_nonzero(is_singular))
            finite_sums.append(float(np.sum(s2[finite])))
            if self.edges:
                edge_sums[step.slot] = tuple(
                    float(np.sum(term[finite])) for term in block.contributions[step.slot]
                )
            if step.row is not None and step.row.crossing:
                self.signs[step.slot] |= _signs(step, block, ok)
        self.finite.append(finite_sums)
        self.edge_sums.append(edge_sums)
        self.singular_samples += int(np.count_nonzero(any_singular))

    def _recheck(self, start: int, block: Block, progress: Progress | None) -> None:
        """Settle the block's doubtful samples at 60 digits, while there is room for them."""
        suspects = np.flatnonzero(block.suspect)
        taken = suspects[: self.suspects_left]
        left = block.suspect.copy()
        left[taken] = False
        self.unresolved += int(np.count_nonzero(left))
        hanging = np.flatnonzero(block.doubtful & ~block.suspect)[: self.doubtful_left]
        self.suspects_left -= len(taken)
        self.doubtful_left -= len(hanging)
        for row in np.union1d(taken, hanging).tolist():
            self.evaluator = self.evaluator or ExactEvaluator(self.plan)
            sample = self.evaluator.sample(
                {name: self.samples.decimal(name, start + row) for name in self.plan.variables}
            )
            self.exact[start + row] = np.array(sample.y, dtype=float), np.array(sample.s2)
            _override(block, row, sample)
            if progress is not None:
                progress((start + row) / len(self.samples))
        beyond = left & (block.overflow_at < block.first_invalid)
        block.first_invalid[beyond] = block.overflow_at[beyond]

    def result(self, formula: Formula) -> Amplification:
        """The totals, slot by slot handed to the nodes."""
        one = len(self.finite) == 1
        sums = self.finite[0] if one else [math.fsum(s) for s in zip(*self.finite, strict=True)]
        edges: list[tuple[float, ...]] = [()] * len(self.plan.steps)
        if self.edges:
            for step in self.plan.steps:
                nothing = (math.nan,) * len(step.operands)
                parts = [block.get(step.slot, nothing) for block in self.edge_sums]
                edges[step.slot] = tuple(math.fsum(p) for p in zip(*parts, strict=True))
        slots = self.plan.slots
        return Amplification(
            formula=formula,
            samples=self.samples,
            valid=self.valid,
            first_invalid=self.first_invalid,
            finite_sum=tuple([sums[s] for s in slots]),
            singular=tuple([self.singular[s] for s in slots]),
            singular_samples=self.singular_samples,
            edge_sums=tuple([edges[s] for s in slots]),
            signs=tuple([self.signs[s] for s in slots]),
            rechecked=len(self.exact),
            unresolved=self.unresolved,
            root_values=self.values,
            plan=self.plan,
            exact=self.exact,
        )


def _signs(step: Step, block: Block, ok: np.ndarray) -> int:
    watched = block.y[step.slot][ok]
    if step.row is not None and step.row.crossing == "argument":
        watched = np.sign(watched) * np.sign(block.y[step.operands[0]][ok])
    return (1 if (watched > 0).any() else 0) | (2 if (watched < 0).any() else 0)


def _override(block: Block, row: int, sample: ExactSample) -> None:
    """Replace a suspect sample's results by those at high precision."""
    block.first_invalid[row] = VALID if sample.first_invalid is None else sample.first_invalid
    block.overflow_at[row] = VALID
    for slot, (y, s2) in enumerate(zip(sample.y, sample.s2, strict=True)):
        _set(block.y, slot, row, float(y))
        _set(block.s2, slot, row, s2)
        for i, term in enumerate(sample.contributions[slot]):
            terms = list(block.contributions[slot])
            _set(terms, i, row, term)
            block.contributions[slot] = tuple(terms)


def _set(arrays: list[np.ndarray], index: int, row: int, value: float) -> None:
    if not arrays[index].flags.writeable or arrays[index].base is not None:
        arrays[index] = np.array(arrays[index])
    arrays[index][row] = value
