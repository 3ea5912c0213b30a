"""Algorithm 1 (Yu et al., ``alg:calculate_eic``) over a whole data set.

`amplify` runs a formula over its samples block by block: clean blocks by the
fast recursion, the others by the careful one, and the samples that double
precision cannot settle at 60 digits.  What comes back are sums for every node;
per-sample values of one node are a second pass over its subtree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from eic_core.formula.tree import Formula
from eic_core.measure.careful import VALID, Block, evaluate_block, leaf_in_range
from eic_core.measure.data import Samples
from eic_core.measure.fast import FastBlocks
from eic_core.measure.plan import SINGULAR_S2, Plan, Step, compile_formula, plan_of
from eic_core.measure.precision import ExactEvaluator, ExactSample

MAX_RECHECKED = 1000
"""How many samples are re-evaluated at high precision, the first in row order."""

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
    exact: dict[int, ExactSample] = field(repr=False)

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
        for start, stop, block, fast in _blocks(subtree, self.samples, edges=False, keep=True):
            if block is None:
                assert fast is not None
                y[start:stop], s2[start:stop] = fast.kept
            else:
                y[start:stop], s2[start:stop] = block.y[-1], block.s2[-1]
        slot = self.plan.slots[node_id]
        for row, sample in self.exact.items():
            if slot < len(sample.s2):
                y[row], s2[row] = float(sample.y[slot]), sample.s2[slot]
        y[~self.valid] = np.nan
        s2[~self.valid] = np.nan
        s2[s2 > SINGULAR_S2] = np.inf
        return y, np.sqrt(s2)


def block_rows(slots: int, total: int) -> int:
    """How many samples to take at a time: buffers of all slots stay near the cache."""
    return max(1, min(total, 16_384 if slots <= 64 else max(1_024, 2**20 // slots)))


def _constant_results(plan: Plan) -> dict[int, tuple[float, float]] | None:
    """(y, s2) of the constant subtrees, or None if one of them is not clean."""
    slots = [s.slot for s in plan.steps if plan.constant[s.slot]]
    if all(plan.steps[slot].row is None for slot in slots):
        if not all(leaf_in_range(plan.steps[slot]) for slot in slots):
            return None
        return {slot: (plan.steps[slot].value, 1.0) for slot in slots}
    index = {slot: i for i, slot in enumerate(slots)}
    steps = tuple(
        Step(
            index[s.slot],
            s.node,
            s.row,
            tuple(index[i] for i in s.operands),
            s.parameter,
            s.exact_parameter,
            s.column,
            s.label,
            s.value,
        )
        for s in (plan.steps[slot] for slot in slots)
    )
    block = evaluate_block(Plan(steps, (), (), (), ()), {}, 1)
    if block.suspect[0] or block.doubtful[0] or block.first_invalid[0] != VALID:
        return None
    return {
        slot: (float(block.y[i][0]), float(block.s2[i][0])) for i, slot in enumerate(slots)
    }


def _blocks(
    plan: Plan, samples: Samples, *, edges: bool, keep: bool = False
) -> Iterator[tuple[int, int, Block | None, FastBlocks | None]]:
    """Run a tape over all samples: (start, stop, careful block or None, fast block or None)."""
    total = len(samples)
    rows = block_rows(len(plan.steps), total)
    constants = _constant_results(plan)
    signs = [0] * len(plan.steps)
    for start in range(0, total, rows):
        stop = min(total, start + rows)
        columns = {name: samples.columns[name][start:stop] for name in plan.variables}
        if constants is not None and not plan.constant[-1]:
            if start == 0 or stop - start != rows:
                fast = FastBlocks(plan, constants, stop - start, edges=edges)
                fast.signs = signs
            if fast.run(columns, keep=len(plan.steps) - 1 if keep else None):
                signs = fast.signs
                yield start, stop, None, fast
                continue
        block = evaluate_block(plan, columns, stop - start)
        yield start, stop, block, None


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
    total = len(samples)
    count = len(plan.steps)
    sums: list[list[float]] = []  # a row for each block, a number for each slot
    edge_sums: list[dict[int, tuple[float, ...]]] = []  # a dict for each block, by slot
    singular = [0] * count
    singular_samples = 0
    signs = [0] * count
    valid = np.ones(total, dtype=bool)
    first_invalid: dict[int, int] = {}
    exact: dict[int, ExactSample] = {}
    unresolved = 0
    evaluator: ExactEvaluator | None = None
    values = np.empty(total) if root_values else None

    for start, stop, block, fast in _blocks(
        plan, samples, edges=edges, keep=root_values
    ):
        if block is None:
            assert fast is not None
            sums.append(fast.sums)
            edge_sums.append(fast.edge_sums)
            signs = [old | new for old, new in zip(signs, fast.signs, strict=True)]
            if values is not None:
                values[start:stop] = fast.kept[0]
        else:
            wanted = np.flatnonzero(block.suspect | block.doubtful)
            taken = wanted[: MAX_RECHECKED - len(exact) if recheck else 0]
            left = block.suspect.copy()
            left[taken] = False
            unresolved += int(np.count_nonzero(left))
            for row in taken.tolist():
                evaluator = evaluator or ExactEvaluator(plan)
                sample = evaluator.sample(
                    {name: samples.decimal(name, start + row) for name in plan.variables}
                )
                exact[start + row] = sample
                _override(block, row, sample)
                if progress is not None:
                    progress((start + row) / total)
            beyond = left & (block.overflow_at < block.first_invalid)
            block.first_invalid[beyond] = block.overflow_at[beyond]
            ok = block.first_invalid == VALID
            valid[start:stop] = ok
            if values is not None:
                values[start:stop] = np.where(ok, block.y[-1], np.nan)
            for node, hits in zip(*np.unique(block.first_invalid[~ok], return_counts=True),
                                  strict=True):
                first_invalid[int(node)] = first_invalid.get(int(node), 0) + int(hits)
            any_singular = np.zeros(stop - start, dtype=bool)
            sums.append([])
            edge_sums.append({})
            for step in plan.steps:
                s2 = block.s2[step.slot]
                with np.errstate(invalid="ignore"):
                    is_singular = ok & ~(s2 <= SINGULAR_S2)
                any_singular |= is_singular
                finite = ok & ~is_singular
                singular[step.slot] += int(np.count_nonzero(is_singular))
                sums[-1].append(float(np.sum(s2[finite])))
                if edges:
                    edge_sums[-1][step.slot] = tuple(
                        float(np.sum(t[finite])) for t in block.contributions[step.slot]
                    )
                if step.row is not None and step.row.crossing:
                    signs[step.slot] |= _signs(step, block, ok)
            singular_samples += int(np.count_nonzero(any_singular))
        if progress is not None:
            progress(stop / total)

    slot_sums = (
        sums[0] if len(sums) == 1 else [math.fsum(parts) for parts in zip(*sums, strict=True)]
    )
    slot_edges: list[tuple[float, ...]] = [()] * count
    if edges:
        for step in plan.steps:
            nothing = (math.nan,) * len(step.operands)
            parts = [block.get(step.slot, nothing) for block in edge_sums]
            slot_edges[step.slot] = tuple(math.fsum(p) for p in zip(*parts, strict=True))
    return Amplification(
        formula=formula,
        samples=samples,
        valid=valid,
        first_invalid=first_invalid,
        finite_sum=tuple(slot_sums[s] for s in plan.slots),
        singular=tuple(singular[s] for s in plan.slots),
        singular_samples=singular_samples,
        edge_sums=tuple(slot_edges[s] for s in plan.slots),
        signs=tuple(signs[s] for s in plan.slots),
        rechecked=len(exact),
        unresolved=unresolved,
        root_values=values,
        plan=plan,
        exact=exact,
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
