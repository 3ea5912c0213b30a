"""How many times each node amplifies rounding noise (Algorithm 1) over a whole data set.

One walk in doubles is folded into sums, and a status of each sample. Samples that doubles cannot
settle are walked in balls (`inspect`) or beyond double range (`score`), and added. All other
questions are reductions of this, or walk the samples again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eic_core.engine import extended
from eic_core.engine.branches import active_slots, plain_values
from eic_core.engine.constants import settled_constants
from eic_core.engine.native.library import DOUBT, INVALID, WalkSummary, pack
from eic_core.engine.passes import (
    NO_SLOT_NOISE,
    Progress,
    SlotNoise,
    fold,
    walk_rows,
    walk_slots,
)
from eic_core.engine.reference import NOTHING_SETTLED, Settled, keeps_too_few
from eic_core.engine.tape import (
    RECHECK_S2,
    SINGULAR_S2,
    SMALLEST_NORMAL,
    UNIT_ROUNDOFF,
    Tape,
    tape_of,
)
from eic_core.engine.walked import (
    ASSUMED,
    EXACT,
    INDISTINCT,
    RANGE,
    SUSPECT,
    UNDERFLOWN,
    UNSETTLED,
    Array,
    Rows,
    Walked,
    blocks,
    columns_between,
    spans,
    together,
)
from eic_core.errors import require
from eic_core.formula.tree import Formula
from eic_core.samples import Samples

if TYPE_CHECKING:
    from eic_core.engine.exact import ExactSample

MOST_WORK = 500_000
"""Steps of samples that normal effort takes to balls (`ExactEvaluator.work`), about ten seconds:
samples beyond are left out of every number (ADR 0001)."""

ALLOWED, ALLOWED_OF_EIC = 4e-10, 1.2e-16
"""The error of a mean s^2 that double precision may make: a sixth of what is promised, 10^-9 of
EIC, or 10^(EIC - 15.5) of it where that is more."""

MOST_KEPT = 100_000
"""Steps of exact samples that are kept for sweeps."""

FEW = 1000
"""Of so few samples each settles the constants of its formula anew."""

_ROOM = 1 << 17
"""Samples times slots up to which an inspection keeps s^2 of every slot; beyond, that of the one
for which it will probably ask: the others are walked again."""

_PROBED = 512
"""Samples that tell which one that is."""

_WIDE_ROWS = 8192
"""Samples beyond double range at a time, so that the processor's caches hold their numbers."""

FIRST_PASS = 0.1
"""The share of progress that is told before samples are settled in balls."""


@dataclass(frozen=True)
class ExactRows:
    """What balls say of rows; rows of the same cells share it."""

    rows: Rows  # Ascending
    kind_of: Rows  # For each of them its place in `kinds`
    kinds: Walked  # Up to the slot where a kind is `dead`
    # By their cells, the first samples from which that comes (`MOST_KEPT`); none after pickling
    samples: dict[tuple[str, ...], ExactSample] = field(default_factory=dict)
    deep: frozenset[tuple[str, ...]] = frozenset()  # Cells that were looked at to `GREAT_DEPTH`
    work: int = 0  # As `MOST_WORK` counts

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "samples": {}}

    def __len__(self) -> int:
        return len(self.rows)

    def of_slot(self, slot: int) -> tuple[Rows, Array, Array]:
        """The rows that are followed as far as a slot, and its value and s^2 at each."""
        if not len(self):
            return self.rows, np.empty(0), np.empty(0)
        dead = self.kinds.dead[self.kind_of]
        reached = (dead < 0) | (slot < dead)
        kinds = self.kind_of[reached]
        return self.rows[reached], self.kinds.y[slot][kinds], self.kinds.s2[slot][kinds]

    def columns(self, rows: Rows) -> tuple[Array, Array]:
        """Values and s^2 of every slot at some of the rows, shape (slots, m) each."""
        kinds = self.kind_of[np.searchsorted(self.rows, rows)]
        return self.kinds.y[:, kinds], self.kinds.s2[:, kinds]


_NONE = np.empty(0, dtype=np.int64)

_NO_NUMBERS = np.empty((0, 0))

NO_ROWS = ExactRows(_NONE, _NONE, Walked(_NO_NUMBERS, _NO_NUMBERS, _NO_NUMBERS, _NONE, _NONE))


@dataclass(frozen=True, init=False)
class Amplification:
    """Sums of s_k^2 over the valid samples, for every node of a formula."""

    formula: Formula
    samples: Samples
    tape: Tape = field(repr=False)  # The one that was run
    summary: WalkSummary = field(repr=False)  # By slot and operand of the tape
    # shape (N,): Bits such as `INVALID`; (0,) if nothing is known of any sample
    status: np.ndarray = field(repr=False)
    dead: np.ndarray = field(repr=False)  # shape (N,): The slot where a sample is first `INVALID`
    marks: int = field(repr=False)  # Bits that some sample has
    # shape (N,): The formula's value, nan at invalid samples; only if asked for
    root_values: np.ndarray | None = field(repr=False)
    slot_noise: SlotNoise = field(repr=False)  # What an inspection will ask for
    settled: Settled = field(repr=False)  # Constant steps
    exact: ExactRows = field(repr=False)  # What balls said of samples
    effort: float = 1.0  # Of balls: a multiple of `MOST_WORK`

    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)  # a third of what a frozen class costs

    def __getstate__(self) -> dict[str, Any]:
        """Drop the tape, which holds addresses and is laid out anew, and what a walk brings."""
        state = {each.name: self.__dict__[each.name] for each in fields(self)}
        return {**state, "tape": None, "settled": dict(self.settled)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, tape=tape_of(state["formula"]))

    # --- samples

    def _with(self, bits: int) -> Rows:
        return np.flatnonzero((self.status & bits) != 0) if self.marks & bits else _NONE

    @cached_property
    def valid(self) -> np.ndarray:
        """Samples at which every node has a real value, shape (N,)."""
        valid = np.ones(len(self.samples), dtype=bool)
        valid[self._with(INVALID)] = False
        return valid

    @cached_property
    def valid_count(self) -> int:
        return len(self.samples) - len(self._with(INVALID))

    @property
    def singular_samples(self) -> int:
        """How many valid samples are singular at some node."""
        return self.summary.singular_samples

    @cached_property
    def first_invalid_node(self) -> np.ndarray:
        """The node that first has no real value at each sample, shape (N,); -1 if all have one."""
        nodes, rows = np.full(len(self.samples), -1), self._with(INVALID)
        nodes[rows] = np.array(self.tape.nodes)[self.dead[rows]]
        return nodes

    @cached_property
    def first_invalid(self) -> dict[int, int]:
        """How many samples first have no real value at a node, or none that is known."""
        return self._count_nodes(self._with(INVALID)) if self.marks & INVALID else {}

    @property
    def unsettled_at(self) -> dict[int, int]:
        """How many of `first_invalid` are samples that came after the limit of the check."""
        return self._count_nodes(self.unsettled)

    def _count_nodes(self, rows: np.ndarray) -> dict[int, int]:
        counts = zip(self.tape.nodes, np.bincount(self.dead[rows]).tolist(), strict=False)
        return {node: count for node, count in counts if count}

    @property
    def flagged(self) -> Rows:
        """The rows that leave double range or lose all but three digits there, ascending.

        With `recheck` a row is followed until one of these happens, so that both may happen.
        """
        return self._with(SUSPECT | DOUBT)

    @property
    def out_of_range(self) -> int:
        """Samples at which the exact value of some node is finite and not zero, but leaves doubles.

        It over- or underflows there; invalid samples may be among them.
        """
        return len(self._with(RANGE))

    @property
    def rechecked(self) -> int:
        """The number of samples that were evaluated again in balls."""
        return len(self._with(EXACT))

    @property
    def underflown(self) -> Rows:
        """Rows of them at which the result is not 0, but smaller than all doubles."""
        return self._with(UNDERFLOWN)

    @property
    def assumed(self) -> Rows:
        """Valid ones at which no proof says that a value is 0 or on a jump.

        10^-300 of its operands shows nothing else.
        """
        return self._with(ASSUMED)

    @property
    def indistinct(self) -> Rows:
        """Rows without a value for such a reason."""
        return self._with(INDISTINCT)

    @property
    def unsettled(self) -> Rows:
        """Rows that were to be rechecked after the effort; nothing is known, and none is valid."""
        return self._with(UNSETTLED)

    # --- nodes

    def _by_node(self, by_slot: Sequence[Any]) -> tuple[Any, ...]:
        return tuple([by_slot[slot] for slot in self.tape.slots])

    @cached_property
    def finite_sum(self) -> tuple[float, ...]:
        """Per node, the sum of s^2 over the valid samples not singular there."""
        return self._by_node(self.summary.sums)

    @cached_property
    def singular(self) -> tuple[int, ...]:
        return self._by_node(self.summary.singular)

    @cached_property
    def signs(self) -> tuple[int, ...]:
        """Per node, 1 if its watched sign was ever positive, plus 2 if negative (needs `edges`)."""
        return self._by_node(self.summary.signs)

    @cached_property
    def edge_sums(self) -> tuple[tuple[float, ...], ...]:
        """Per node and operand, the sum of kappa^2 s_i^2 as in `finite_sum` (needs `edges`)."""
        return self._by_node([tuple(self.summary.edge_sums[edges]) for edges in self.tape.edges])

    @property
    def chooses(self) -> bool:
        return self.summary.evaluated is not None

    @cached_property
    def _counts(self) -> list[int]:
        return self.summary.evaluated or [self.valid_count] * len(self.tape)

    @cached_property
    def means(self) -> list[tuple[float, float, int]]:
        """Per slot s-bar^2, the same without singular samples, and how many these are."""
        means = []
        for total, singular, count in zip(
            self.summary.sums, self.summary.singular, self._counts, strict=True
        ):
            rest = total / (count - singular) if count > singular else math.nan
            means.append((math.inf if singular else rest, rest, singular))
        return means

    def evaluated_count(self, node_id: int) -> int:
        """The number of valid samples at which a node is evaluated (not all in branches)."""
        return self._counts[self.tape.slots[node_id]]

    def mean_s2(self, node_id: int) -> float:
        """s-bar^2 over the samples at which a node is evaluated: inf if singular, nan of none."""
        return self.means[self.tape.slots[node_id]][0]

    def finite_mean_s2(self, node_id: int) -> float:
        """`mean_s2` without the samples that are singular at this node."""
        return self.means[self.tape.slots[node_id]][1]

    @property
    def eic(self) -> float:
        """max_k log10 s-bar_k; inf if a sample is singular, nan if a mean is not known."""
        return math.inf if any(self.summary.singular) else self.eic_finite

    @cached_property
    def eic_finite(self) -> float:
        """`eic` without the samples that are singular at each node."""
        means = [
            rest for (_, rest, _), count in zip(self.means, self._counts, strict=True) if count
        ]
        return 0.5 * math.log10(max(means)) if means and not math.isnan(sum(means)) else math.nan

    def edge_shares(self, node_id: int) -> tuple[float, ...]:
        """Per operand, its share of the node's mean s^2; the node's own rounding is the rest."""
        total = self.finite_sum[node_id]
        return tuple(s / total if total else math.nan for s in self.edge_sums[node_id])

    # --- each sample

    def evaluated(self, node_id: int) -> np.ndarray:
        """The valid samples at which a node is evaluated, shape (N,); fewer than all in branches.

        >>> from eic_core.formula.syntax import read
        >>> samples = Samples.from_columns({"x": [-1.0, 2.0]})
        >>> amplification = amplify(read("where(x > 0, log(x), 0)").formula, samples)
        >>> amplification.evaluated(4).tolist(), amplification.evaluated(6).tolist()
        ([False, True], [True, True])
        """
        if self.evaluated_count(node_id) == self.valid_count:
            return self.valid
        return self.valid & self._active[self.tape.slots[node_id]]

    @cached_property
    def _active(self) -> np.ndarray:
        total, count = len(self.samples), len(self.tape)
        active, y = np.empty((count, total), dtype=bool), np.empty((count, total))
        for start, stop in blocks(total, count):
            columns = columns_between(self.tape, self.samples, start, stop)
            y[:, start:stop] = plain_values(self.tape, columns, stop - start)
        if len(self.exact):
            y[:, self.exact.rows], _ = self.exact.columns(self.exact.rows)
        active[:] = active_slots(self.tape, y, total)
        return active

    def _squared(self, slot: int) -> tuple[Array, Array]:
        """Value and s^2 of a slot at every sample: exact where that is known, inf if singular."""
        (y,), (s2,) = walk_slots(self.tape, self.samples, (slot,), self.settled)
        if len(self.exact):
            rows, y_exact, s2_exact = self.exact.of_slot(slot)
            y[rows], s2[rows] = y_exact, s2_exact
        return y, _without_bound(s2)

    def valid_s2(self, node_id: int) -> Array:
        """s^2 of one node at the valid samples where it is evaluated, inf where singular."""
        slot = self.tape.slots[node_id]
        if slot in self.slot_noise.slots:
            s2 = self.slot_noise.s2[self.slot_noise.slots.index(slot)]
            if self.marks or self.summary.singular[slot]:
                rows, _, s2_exact = self.exact.of_slot(slot)
                s2 = s2.copy()
                s2[rows] = s2_exact
                _without_bound(s2)
        else:
            _, s2 = self._squared(slot)
        everywhere = self.evaluated_count(node_id) == len(self.samples)
        return s2 if everywhere else s2[self.evaluated(node_id)]

    @cached_property
    def _traces(self) -> dict[int, tuple[Array, Array]]:
        return {}

    def trace(self, node_id: int) -> tuple[Array, Array]:
        """Value and s of one node at every sample, shape (N,) each.

        nan at invalid samples and where the node is not evaluated; s is inf where singular, values
        beyond double range are inf or 0.
        """
        if node_id not in self._traces:
            y, s2 = self._squared(self.tape.slots[node_id])
            there = self.evaluated(node_id)
            trace = (
                np.where(there, y, np.nan),
                np.sqrt(s2, out=np.full_like(s2, np.nan), where=there),
            )
            for each in trace:
                each.setflags(write=False)
            self._traces[node_id] = trace
        return self._traces[node_id]

    def s_at(self, rows: np.ndarray) -> Array:
        """s of every node at some of the valid samples, shape (nodes, rows), as `trace` has it.

        >>> from eic_core.formula.syntax import read
        >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
        >>> amplify(read("x + x").formula, samples).s_at(np.array([2, 0])).round(3).tolist()
        [[1.0, 1.0], [1.0, 1.0], [1.225, 1.225]]
        """
        _, s2 = walk_slots(self.tape, self.samples.take(rows), range(len(self.tape)), self.settled)
        if len(self.exact):
            settled = np.isin(rows, self.exact.rows)
            _, s2[:, settled] = self.exact.columns(rows[settled])
        s = np.sqrt(_without_bound(s2))[list(self.tape.slots)]
        for node, line in enumerate(s) if self.chooses else ():
            line[~self.evaluated(node)[rows]] = np.nan
        return s


def amplify(
    formula: Formula,
    samples: Samples,
    *,
    recheck: bool = True,
    edges: bool = False,
    root_values: bool = False,
    effort: float = 1.0,
    progress: Progress | None = None,
) -> Amplification:
    """Amplification of every node of a formula over a data set.

    Parameters
    ----------
    formula
        Its variables must be columns of `samples`.
    samples
        N >= 1 rows of finite values.
    recheck
        Whether to settle in balls the samples where double precision overflows, underflows to 0
        or keeps fewer than three digits.
    edges
        Whether to sum what comes through each edge (costs a little).
    root_values
        Whether to keep the formula's value at every sample.
    effort
        Of settling samples in balls, as a multiple of the normal one.
    progress
        Called with the share of the work that is done, from 0 to 1.

    Returns
    -------
    Amplification
        Sums and counts for every node.

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
    require(formula, Formula)
    require(samples, Samples)
    tape = tape_of(formula)
    packed = pack(tape)  # which lays it out faster
    samples.require(tape.variables)
    settled = NOTHING_SETTLED
    may_settle = packed is None or packed.has_constant_step(packed.slots - 1)
    if may_settle and (len(samples) > FEW or not recheck):
        settled = settled_constants(tape, proven=recheck)
    work = _Work(tape, samples, settled, edges, np.empty(len(samples)) if root_values else None)
    if edges:
        work.keep()
    if recheck:
        work.settle_exactly(effort * MOST_WORK, progress)
    else:
        work.settle_beyond_range(progress)
    work.slot_noise.s2.setflags(write=False)
    if progress is not None:
        progress(1.0)
    return Amplification(
        formula=formula,
        samples=samples,
        tape=tape,
        summary=together(work.parts),
        status=work.status,
        dead=work.dead,
        marks=int(np.bitwise_or.reduce(work.status)) if len(work.status) else 0,
        root_values=work.root_values,
        slot_noise=work.slot_noise,
        settled=settled,
        exact=work.exact,
        effort=effort,
    )


class _Work:
    """The walk in doubles, and those that settle what it cannot tell."""

    def __init__(
        self,
        tape: Tape,
        samples: Samples,
        settled: Settled,
        edges: bool,
        root_values: Array | None,
    ) -> None:
        self.tape, self.samples, self.settled, self.edges = tape, samples, settled, edges
        self.root_values = root_values
        self.slot_noise = NO_SLOT_NOISE
        self.exact = NO_ROWS

    def keep(self) -> None:
        """Keep s^2 of every slot where there is room, else of the one that is likely asked for."""
        total = len(self.samples)
        slots = [slot for slot, node in enumerate(self.tape.first_nodes) if node.children]
        if total * len(self.tape) > _ROOM:
            some = self.samples.take(np.arange(0, total, math.ceil(total / _PROBED)))
            sums = fold(self.tape, some, RANGE, settled=self.settled).summary.sums
            slots = [sums.index(max(sums))]
        self.slot_noise = SlotNoise(slots, np.empty((len(slots), total)))

    def fold(self, held: int, progress: Progress | None, recheck_s2: float = RECHECK_S2) -> Rows:
        """Walk all samples in doubles; return the rows that are not in the sums yet."""
        first, self.status, self.dead = fold(
            self.tape,
            self.samples,
            held,
            edges=self.edges,
            root_values=self.root_values,
            slot_noise=self.slot_noise,
            settled=self.settled,
            recheck_s2=recheck_s2,
            progress=progress and (lambda share: progress(FIRST_PASS * share)),
        )
        self.parts = [first]
        if not len(self.status):
            return _NONE
        left_out = (self.status & held) != 0
        if self.root_values is not None:
            self.root_values[((self.status & INVALID) != 0) & ~left_out] = np.nan
        return np.flatnonzero(left_out)

    def settle_exactly(self, most: float, progress: Progress | None) -> None:
        rows = self.fold(SUSPECT | DOUBT, progress)
        status = self.status
        if (enough := self._digits_are_enough_below(rows)) < RECHECK_S2:
            # of the others double precision has a number, if too rough a one
            rows = self.fold(SUSPECT | DOUBT, progress, enough)
        if not len(rows):
            return
        suspect = np.isin(rows, np.flatnonzero(status & SUSPECT), assume_unique=True)
        is_settled = self._settle_in_balls(rows, suspect, most, progress)
        self._leave_out(rows[~is_settled & suspect])
        self._keep_doubtful(rows[~is_settled & ~suspect])

    def _digits_are_enough_below(self, left_out: Rows) -> float:
        """The s^2 above which samples must be settled exactly, lest their roundings show.

        The rounding of an s^2 is about s u of it: what a few large ones spoil is more than what is
        promised of the mean of many (`ALLOWED`). Looked at where the mean is largest.
        """
        sums = self.parts[0].sums
        total = max(sums)
        if not total < math.inf or UNIT_ROUNDOFF * math.sqrt(total) < ALLOWED:
            return RECHECK_S2
        _, (s2,) = walk_slots(self.tape, self.samples, (sums.index(total),), self.settled)
        valid = np.ones(len(s2), dtype=bool)
        valid[np.flatnonzero(self.status & INVALID)] = False
        valid[left_out] = True
        in_order = np.sort(s2[valid & (s2 <= RECHECK_S2)])
        spoiled = np.cumsum(UNIT_ROUNDOFF * in_order**1.5) / total
        mean = math.sqrt(total / max(1, len(in_order)))
        few = int(np.searchsorted(spoiled, max(ALLOWED, ALLOWED_OF_EIC * mean)))
        return RECHECK_S2 if few == len(in_order) else float(in_order[max(0, few - 1)])

    def _settle_in_balls(
        self, rows: Rows, suspect: np.ndarray, most: float, progress: Progress | None
    ) -> np.ndarray:
        """Walk these rows in balls as far as so much work goes; return which were."""
        from eic_core.engine.exact import DEEP_SAMPLES, ExactEvaluator  # Arb comes with it

        first, kind_of = self._alike(rows)
        kinds = Walked.empty(self.tape, len(first))
        kinds.status[:] = INVALID
        samples: dict[tuple[str, ...], ExactSample] = {}
        deep: set[tuple[str, ...]] = set()
        evaluator = ExactEvaluator(self.tape, deep_samples=DEEP_SAMPLES)
        # those that no number may hold before those of which doubles have one
        order = np.lexsort((first, ~suspect[first])).tolist()
        for done, kind in enumerate(order):
            if evaluator.work >= most:
                break
            row = int(rows[first[kind]])
            cells, left = self.samples.cells(self.tape.names, row), evaluator.deep_samples
            sample = evaluator.sample(dict(zip(self.tape.names, cells, strict=True)))
            kinds.status[kind] = EXACT | kinds.put(self.tape, kind, sample)
            if done * len(self.tape) < MOST_KEPT:
                samples[cells] = sample
            if evaluator.deep_samples < left:
                deep.add(cells)
            if progress is not None:
                progress(FIRST_PASS + (1 - FIRST_PASS) * done / len(order))
        if self.tape.chooses:
            kinds.active = np.array(active_slots(self.tape, kinds.y, len(first)))
        is_settled = ((kinds.status & EXACT) != 0)[kind_of]
        rows, kind_of = rows[is_settled], kind_of[is_settled]
        self.exact = ExactRows(rows, kind_of, kinds, samples, frozenset(deep), evaluator.work)
        self._add(rows, kinds, kind_of)
        return is_settled

    def settle_beyond_range(self, progress: Progress | None) -> None:
        rows = self.fold(RANGE, progress)
        if not len(rows):
            return
        in_double = None if self.root_values is None else self.root_values[rows]
        for start, stop in spans(len(rows), _WIDE_ROWS):
            part = rows[start:stop]
            some = self.samples.take(part)
            plain = walk_rows(self.tape, some)
            self._add(part, extended.evaluate(self.tape, some.columns, len(part), plain))
        if self.root_values is not None and in_double is not None:  # R² is of a user's program
            is_real = np.isfinite(in_double)
            self.root_values[rows] = np.where(is_real, in_double, self.root_values[rows])

    def _add(self, rows: Rows, walked: Walked, kind_of: Rows | None = None) -> None:
        """Add what is known of rows, or of the kinds that they are of."""
        count = len(walked.dead)
        weights = None if kind_of is None else np.bincount(kind_of, minlength=count)
        self.parts.append(walked.summary(self.tape, INVALID, edges=self.edges, weights=weights))
        kinds = np.arange(count) if kind_of is None else kind_of
        self.status[rows] = (self.status[rows] & ~INVALID) | walked.status[kinds]
        self.dead[rows] = walked.dead[kinds]
        if self.root_values is not None:
            y = walked.y[-1][kinds]
            y = np.where(np.isnan(y), self.root_values[rows], y)  # else what double says
            self.root_values[rows] = np.where(walked.dead[kinds] < 0, y, np.nan)

    def _leave_out(self, rows: Rows) -> None:
        """Leave out the samples beyond the limit of the check, counted where they leave doubles.

        Doubles give no estimate of them: exp(-1600), a 0 there, has s = 1600.
        """
        self.status[rows] |= UNSETTLED | INVALID
        if self.root_values is not None:
            self.root_values[rows] = np.nan
        for start, stop in blocks(len(rows), len(self.tape)):
            some = rows[start:stop]
            walked = walk_rows(self.tape, self.samples.take(some), self.settled)
            self.dead[some] = _first_untold(self.tape, walked)

    def _keep_doubtful(self, rows: Rows) -> None:
        """Count samples at which only the rule is in doubt as doubles see them."""
        if not len(rows):
            return
        part, status, dead = fold(
            self.tape, self.samples.take(rows), edges=self.edges, settled=self.settled
        )
        self.parts.append(part)
        invalid = np.flatnonzero(status & INVALID)
        self.status[rows[invalid]] |= INVALID
        self.dead[rows[invalid]] = dead[invalid]
        if self.root_values is not None:
            self.root_values[rows[invalid]] = np.nan

    def _alike(self, rows: Rows) -> tuple[Rows, Rows]:
        """Kinds of rows that have the same cells: the first of each in `rows`, and each one's."""
        names, exact = self.tape.names, self.samples.exact
        cells = np.array(
            [*[self.samples.columns[name][rows] for name in names], -np.ones(len(rows))]
        )
        with_text = [row for name in names for row in exact.get(name, ())]
        if with_text:  # it says more than the double: such a row is like no other
            cells[-1] = np.where(np.isin(rows, with_text), rows, -1)
        keys = np.zeros(len(rows), dtype=np.uint64)
        for column in cells:
            keys = (keys ^ column.view(np.uint64)) * _ODD
            keys ^= keys >> np.uint64(29)
        return _first_of_each(cells, keys)


def _without_bound(s2: Array) -> Array:
    s2[s2 > SINGULAR_S2] = np.inf
    return s2


def _first_untold(tape: Tape, walked: Walked) -> np.ndarray:
    """For each sample the first slot that double precision cannot tell, else the last slot.

    That is where the value is beyond double range or keeps fewer than three digits; else where it
    is 0, which an underflow may have made. Shape (m,).
    """
    y = walked.y if walked.active is None else np.where(walked.active, walked.y, 1.0)
    with np.errstate(invalid="ignore"):
        own = zip(tape.steps, y, walked.s2, strict=True)
        lost = np.stack([keeps_too_few(tape, *each, shortest=True) for each in own])
        lost |= ~np.isfinite(y) | ((np.abs(y) < SMALLEST_NORMAL) & (y != 0))
    zeros = (y == 0) & np.array([step.row is not None for step in tape.steps])[:, None]
    zeros[-1] = True
    return np.where(lost.any(axis=0), np.argmax(lost, axis=0), np.argmax(zeros, axis=0))


_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A factor that spreads the bits of a key."""

_BUCKET_BITS = 16


def _first_of_each(cells: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of the columns of `cells` that are alike, and which of these each is like.

    `keys` are equal where columns are.
    """
    rest = np.arange(len(keys))
    like, owner = rest.copy(), np.empty(1 << _BUCKET_BITS, dtype=np.int64)
    for shift in range(64 - _BUCKET_BITS, 0, -_BUCKET_BITS):
        bucket = ((keys[rest] >> np.uint64(shift)) & np.uint64(len(owner) - 1)).astype(np.int64)
        owner[bucket[::-1]] = rest[::-1]  # the first is written last
        like[rest] = owner[bucket]
        rest = rest[(cells[:, rest] != cells[:, like[rest]]).any(axis=0)]
        if not len(rest):
            break
    else:
        _, first, kind_of = np.unique(
            cells[:, rest], axis=1, return_index=True, return_inverse=True
        )
        like[rest] = rest[first][kind_of]
    first = np.flatnonzero(like == np.arange(len(like)))
    return first, np.searchsorted(first, like)
