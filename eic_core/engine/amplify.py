"""How many times each node amplifies rounding noise (Algorithm 1) over a whole data set.

Samples that double precision cannot settle go on to balls (`inspect`) or beyond double range
(`score`). The result holds sums for every node; per-sample values are a second pass.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eic_core.engine import extended
from eic_core.engine.branches import active_slots, plain_values
from eic_core.engine.constants import (
    NOTHING_SETTLED,
    Settled,
    evaluate_around,
    has_constant_step,
    settled_constants,
)
from eic_core.engine.native.library import DOUBT, INVALID, Pass, pack
from eic_core.engine.passes import (
    NO_SLOT_NOISE,
    RANGE,
    SUSPECT,
    SlotNoise,
    every_slot,
    first_untold,
    run_pass,
    signs_of,
    together,
    values_at,
)
from eic_core.engine.tape import RECHECK_S2, SINGULAR_S2, UNIT_ROUNDOFF, Tape, lay_out, tape_of
from eic_core.errors import require
from eic_core.formula.tree import Formula
from eic_core.samples import Samples

if TYPE_CHECKING:
    from eic_core.engine.exact import ExactSample

MOST_WORK = 500_000
"""Steps of samples that are evaluated in balls (`ExactEvaluator.work`), about ten seconds: samples
beyond are left out of every number (ADR 0001)."""

ALLOWED, ALLOWED_OF_EIC = 4e-10, 1.2e-16
"""The error of a mean s^2 that double precision may make: a sixth of what is promised, 10^-9 of
EIC, or 10^(EIC - 15.5) of it where that is more."""

MOST_KEPT = 100_000
"""Steps of exact samples that are kept for sweeps."""

FEW = 1000
"""Of so few samples each settles the constants of its formula anew."""

Progress = Callable[[float], None]

_PREFIX = 1 << 18
"""Samples times slots up to which a node's trace runs the tape as far as the node; beyond, its
subtree is laid out anew, which leaves out what is not below it."""

_ALL_SLOTS = 1 << 17
"""Samples times slots up to which an inspection keeps every node's s^2."""

_PROBED = 512
"""Samples that tell of which node to keep it where that of all is too much."""

_BLOCK = 1 << 14
"""Samples at a time where every slot's values are held."""

_AT_ONCE = 1 << 24
"""Samples times slots of one call of the native engine, so that progress can be told."""

FIRST_PASS = 0.1
"""The share of progress that is told before samples are settled in balls."""


class ExactRows(Mapping[int, tuple[np.ndarray, np.ndarray]]):
    """What balls said of rows, ascending; alike rows share it."""

    def __init__(
        self, rows: np.ndarray, kind_of: np.ndarray, by_kind: list[tuple[np.ndarray, np.ndarray]]
    ) -> None:
        self._rows, self._kind_of, self._by_kind = rows, kind_of, by_kind

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows.tolist())

    def __getitem__(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        place = int(np.searchsorted(self._rows, row))
        if place == len(self._rows) or self._rows[place] != row:
            raise KeyError(row)
        return self._by_kind[self._kind_of[place]]

    def of_slot(self, slot: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows that are followed as far as a slot, and its value and s^2 at each."""
        reach = np.array([slot < len(s2) for _, s2 in self._by_kind], dtype=bool)
        y, s2 = (
            np.array([each[i][slot] if slot < len(each[i]) else 0.0 for each in self._by_kind])
            for i in (0, 1)
        )
        there = reach[self._kind_of]
        kinds = self._kind_of[there]
        return self._rows[there], y[kinds], s2[kinds]


@dataclass(frozen=True)
class Amplification:
    """Sums of s_k^2 over the valid samples, for every node of a formula."""

    formula: Formula
    samples: Samples
    valid: np.ndarray  # shape (N,): Samples at which every node has a real value
    # How many samples first have no real value at that node, or none that is known
    first_invalid: dict[int, int]
    singular_samples: int  # How many valid samples are singular at some node
    rechecked: int  # Samples re-evaluated in balls
    # Samples at which the exact value of some node is finite and not zero, but over- or underflows
    # in double precision; invalid ones may be among them
    out_of_range: int
    # shape (N,): The formula's value, nan at invalid samples; only if asked for
    root_values: np.ndarray | None = field(repr=False)
    tape: Tape = field(repr=False)  # The one that was run
    # By row, (values, s^2), each by slot: what balls said about the rechecked samples, up to their
    # first invalid step
    exact: ExactRows = field(repr=False)
    # By their cells, the first samples from which that comes (`MOST_KEPT`); none after pickling
    samples_in_balls: dict[tuple[str, ...], ExactSample] = field(repr=False)
    work_in_balls: int = field(repr=False)  # As `MOST_WORK` counts
    # Those of them at which the result is not 0, but smaller than all doubles
    underflown: frozenset[int] = field(repr=False)
    # Valid rechecked rows at which no proof says that a value is 0 or on a jump, though 10^-300 of
    # its operands shows nothing else; and those that have no value for such a reason
    assumed: np.ndarray = field(repr=False)
    indistinct: np.ndarray = field(repr=False)
    # Rows that were to be rechecked after `MOST_WORK`: they are not valid, for nothing is known
    unsettled: np.ndarray = field(repr=False)
    _sums: list[float] = field(repr=False)  # by slot, as the next three
    _singular: list[int] = field(repr=False)
    _signs: list[int] = field(repr=False)
    _edge_sums: list[float] | None = field(repr=False)  # by operand of the tape
    _slot_noise: SlotNoise = field(repr=False)
    _skipped: list[np.ndarray] = field(repr=False)  # the rows of which nothing is kept
    _traces: dict[int, tuple[np.ndarray, np.ndarray]] = field(repr=False)
    _settled: Settled = field(repr=False)
    _flagged: list[tuple[int, np.ndarray]] = field(repr=False)  # first row, each row's status
    _evaluated: list[int] | None = field(repr=False)  # by slot; None: at every valid sample
    _dead: list[tuple[np.ndarray, np.ndarray]] = field(
        repr=False
    )  # rows, and the slots they end at

    def __getstate__(self) -> dict[str, Any]:
        """Drop the tape, which holds addresses and is laid out anew."""
        state = {**self.__dict__, "_settled": dict(self._settled), "samples_in_balls": {}}
        for derived in ("tape", "_active"):
            state.pop(derived, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, tape=tape_of(state["formula"]))

    @cached_property
    def first_invalid_node(self) -> np.ndarray:
        """The node that first has no real value at each sample, shape (N,); -1 if all have one."""
        nodes = np.full(len(self.valid), -1)
        for rows, slots in self._dead:
            nodes[rows] = np.array(self.tape.nodes)[slots]
        return nodes

    @cached_property
    def unsettled_at(self) -> dict[int, int]:
        """How many of `first_invalid` are samples that came after the limit of the check."""
        return dict(Counter(self.first_invalid_node[self.unsettled].tolist()))

    @cached_property
    def finite_sum(self) -> tuple[float, ...]:
        """Per node, the sum of s^2 over the valid samples not singular there."""
        return tuple([self._sums[slot] for slot in self.tape.slots])

    @cached_property
    def singular(self) -> tuple[int, ...]:
        return tuple([self._singular[slot] for slot in self.tape.slots])

    @cached_property
    def signs(self) -> tuple[int, ...]:
        """Per node, 1 if its watched sign was ever positive, plus 2 if negative (needs `edges`)."""
        return tuple([self._signs[slot] for slot in self.tape.slots])

    @cached_property
    def edge_sums(self) -> tuple[tuple[float, ...], ...]:
        """Per node and operand, the sum of kappa^2 s_i^2 as in `finite_sum` (needs `edges`)."""
        if self._edge_sums is None:
            return ((),) * len(self.tape.slots)
        by_slot: list[tuple[float, ...]] = []
        first = 0
        for operands in self.tape.operands:
            by_slot.append(tuple(self._edge_sums[first : first + len(operands)]))
            first += len(operands)
        return tuple([by_slot[slot] for slot in self.tape.slots])

    @cached_property
    def flagged(self) -> np.ndarray:
        """The rows that leave double range or lose all but three digits there, ascending.

        With `recheck` a row is followed until one of these happens, so that both may happen.
        """
        flagged = [first + _rows_with(status, SUSPECT | DOUBT) for first, status in self._flagged]
        return np.concatenate(flagged) if flagged else _NONE

    @cached_property
    def valid_count(self) -> int:
        return int(np.count_nonzero(self.valid))

    @property
    def chooses(self) -> bool:
        return self._evaluated is not None

    def evaluated_count(self, node_id: int) -> int:
        """The number of valid samples at which a node is evaluated (not all in branches)."""
        if self._evaluated is None:
            return self.valid_count
        return self._evaluated[self.tape.slots[node_id]]

    def mean_s2(self, node_id: int) -> float:
        """s-bar^2 over the samples at which a node is evaluated: inf if singular, nan of none."""
        count = self.evaluated_count(node_id)
        if not count:
            return math.nan
        if self.singular[node_id]:
            return math.inf
        return self.finite_sum[node_id] / count

    def finite_mean_s2(self, node_id: int) -> float:
        """`mean_s2` without the samples that are singular at this node."""
        count = self.evaluated_count(node_id) - self.singular[node_id]
        return self.finite_sum[node_id] / count if count else math.nan

    def means(self) -> Iterator[tuple[float, float, int]]:
        if self._evaluated is not None:
            for total, singular, count in zip(
                self._sums, self._singular, self._evaluated, strict=True
            ):
                rest = total / (count - singular) if count > singular else math.nan
                yield math.inf if singular else rest, rest, singular
            return
        valid = self.valid_count
        for total, singular in zip(self._sums, self._singular, strict=True):
            if not singular:
                mean = total / valid if valid else math.nan
                yield mean, mean, 0
            else:
                rest = valid - singular
                yield math.inf, total / rest if rest else math.nan, singular

    @property
    def eic(self) -> float:
        """max_k log10 s-bar_k; inf if a sample is singular, nan if a mean is not known."""
        if any(self._singular):
            return math.inf
        return self.eic_finite

    @cached_property
    def eic_finite(self) -> float:
        """`eic` without the samples that are singular at each node."""
        if self._evaluated is not None:
            return self._finite_where_evaluated(self._evaluated)
        valid = self.valid_count
        if valid and not any(self._singular):
            has_values = not math.isnan(sum(self._sums))
            return 0.5 * math.log10(max(self._sums) / valid) if has_values else math.nan
        worst = 0.0
        for total, singular in zip(self._sums, self._singular, strict=True):
            if valid == singular or total != total:
                return math.nan
            mean = total / (valid - singular)
            if mean > worst:
                worst = mean
        return 0.5 * math.log10(worst)

    def _finite_where_evaluated(self, evaluated: list[int]) -> float:
        """`eic_finite` over the nodes evaluated at some sample, each mean over its own samples."""
        worst = 0.0
        for total, singular, count in zip(self._sums, self._singular, evaluated, strict=True):
            if not count:
                continue
            if count == singular or total != total:
                return math.nan
            worst = max(worst, total / (count - singular))
        return 0.5 * math.log10(worst) if worst else math.nan

    def edge_shares(self, node_id: int) -> tuple[float, ...]:
        """Per operand, its share of the node's mean s^2; the node's own rounding is the rest."""
        total = self.finite_sum[node_id]
        return tuple(s / total if total else math.nan for s in self.edge_sums[node_id])

    def trace(self, node_id: int) -> tuple[np.ndarray, np.ndarray]:
        """Value and s of one node at every sample, shape (N,) each.

        nan at invalid samples and where the node is not evaluated; s is inf where singular, values
        beyond double range are inf or 0.
        """
        trace = self._traces.get(node_id)
        if trace is None:
            trace = self._traces[node_id] = self._trace(node_id)
        return trace

    def _trace(self, node_id: int) -> tuple[np.ndarray, np.ndarray]:
        y, s2 = self._squared_trace(node_id)
        evaluated = self.evaluated(node_id)
        if not evaluated.all():
            y[~evaluated] = np.nan
            s2[~evaluated] = np.nan
        s = np.sqrt(s2, out=s2)
        y.setflags(write=False)
        s.setflags(write=False)
        return y, s

    def s_at(self, rows: np.ndarray) -> np.ndarray:
        """s of every node at some of the valid samples, shape (nodes, rows), as `trace` has it.

        >>> from eic_core.formula.syntax import read
        >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
        >>> amplify(read("x + x").formula, samples).s_at(np.array([2, 0])).round(3).tolist()
        [[1.0, 1.0], [1.0, 1.0], [1.225, 1.225]]
        """
        columns = {name: self.samples.columns[name][rows] for name in self.tape.variables}
        block = evaluate_around(self.tape, columns, len(rows), self._settled)
        s2 = np.empty((len(self.tape), len(rows)))
        for slot, of_slot in enumerate(block.s2):
            s2[slot] = of_slot
        for place, row in enumerate(np.asarray(rows).tolist()):
            if row in self.exact:
                s2[:, place] = self.exact[row][1]
        s2[s2 > SINGULAR_S2] = np.inf
        s = np.sqrt(s2)[list(self.tape.slots)]
        for node, line in enumerate(s) if self.chooses else ():
            line[~self.evaluated(node)[rows]] = np.nan
        return s

    def evaluated(self, node_id: int) -> np.ndarray:
        """The valid samples at which a node is evaluated, shape (N,); fewer than all in branches.

        >>> from eic_core.formula.syntax import read
        >>> samples = Samples.from_columns({"x": [-1.0, 2.0]})
        >>> amplification = amplify(read("where(x > 0, log(x), 0)").formula, samples)
        >>> amplification.evaluated(4).tolist(), amplification.evaluated(6).tolist()
        ([False, True], [True, True])
        """
        if self._evaluated is None or self._evaluated[self.tape.slots[node_id]] == self.valid_count:
            return self.valid
        return self.valid & self._active[self.tape.slots[node_id]]

    @cached_property
    def _active(self) -> np.ndarray:
        count = len(self.samples)
        active = np.empty((len(self.tape), count), dtype=bool)
        for start in range(0, count, _BLOCK):
            stop = min(count, start + _BLOCK)
            columns = {name: self.samples.columns[name][start:stop] for name in self.tape.variables}
            y = [np.array(v) for v in plain_values(self.tape, columns, stop - start)]
            for row, (values, _) in self.exact.items():
                if start <= row < stop:
                    for slot, value in enumerate(values):
                        y[slot][row - start] = value
            active[:, start:stop] = active_slots(self.tape, y, stop - start)
        return active

    def valid_s2(self, node_id: int) -> np.ndarray:
        """s^2 of one node at the valid samples where it is evaluated, inf where singular."""
        slot = self.tape.slots[node_id]
        if slot in self._slot_noise.slots:
            s2 = self._slot_noise.s2[self._slot_noise.slots.index(slot)]
            if self._skipped or self.exact or self._singular[slot]:
                s2 = s2.copy()
                for rows in self._skipped:
                    _, s2[rows] = values_at(self.tape, self.samples.take(rows), slot, self._settled)
                self._know_better(slot, s2)
        else:
            _, s2 = self._squared_trace(node_id)
        everywhere = self.evaluated_count(node_id) == len(self.samples)
        return s2 if everywhere else s2[self.evaluated(node_id)]

    def _squared_trace(self, node_id: int) -> tuple[np.ndarray, np.ndarray]:
        slot = self.tape.slots[node_id]
        prefix = slot * len(self.samples) <= _PREFIX or slot == len(self.tape) - 1
        if prefix or self._settled or self._evaluated is not None:
            y, s2 = values_at(self.tape, self.samples, slot, self._settled)
        else:
            below = lay_out(self.formula.subtree(node_id))
            y, s2 = values_at(below, self.samples, len(below) - 1)
        self._know_better(slot, s2, y)
        return y, s2

    def _know_better(self, slot: int, s2: np.ndarray, y: np.ndarray | None = None) -> None:
        """Replace a slot's double-precision numbers by the exact ones; inf where singular."""
        rows, values, amplifications = self.exact.of_slot(slot)
        s2[rows] = amplifications
        if y is not None:
            y[rows] = values
        singular = s2 > SINGULAR_S2
        if singular.any():
            s2[singular] = np.inf


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
    pack(tape)  # which lays it out faster
    samples.require(tape.variables)
    settled = NOTHING_SETTLED
    if (len(samples) > FEW or not recheck) and has_constant_step(formula):
        settled = settled_constants(tape, proven=recheck)
    sums = _Sums(tape, samples, edges=edges, root_values=root_values, settled=settled)
    sums.run(SUSPECT | DOUBT if recheck else RANGE, progress)
    if recheck and (enough := sums.digits_are_enough_below()) < RECHECK_S2:
        lost = sums.suspects
        sums = _Sums(tape, samples, edges=edges, root_values=root_values, settled=settled)
        sums.run(SUSPECT | DOUBT, progress, enough)
        # of the others double precision has a number, if too rough a one
        rough = np.setdiff1d(sums.suspects, lost, assume_unique=True)
        sums.suspects, sums.doubtful = lost, np.union1d(sums.doubtful, rough)
    if recheck:
        sums.settle_exactly(progress)
    else:
        sums.settle_beyond_range()
    if progress is not None:
        progress(1.0)
    return sums.result(formula)


_NONE = np.empty(0, dtype=np.int64)

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A factor that spreads the bits of a key."""

_BUCKET_BITS = 16


def _rows_with(status: np.ndarray, bits: int) -> np.ndarray:
    return np.flatnonzero((status & bits) != 0)  # flatnonzero of truths is several times as fast


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


class _Kinds:
    """What balls say of each kind of samples."""

    def __init__(self, tape: Tape, count: int) -> None:
        self.y = np.zeros((count, len(tape)))
        self.s2 = np.ones_like(self.y)
        self.terms = np.zeros((count, len(tape.reads)))
        self.dead = np.full(count, -1)
        marks = np.zeros((4, count), dtype=bool)
        self.settled, self.tiny, self.assumed, self.indistinct = marks
        self.tape = tape
        self.by_kind: list[tuple[np.ndarray, np.ndarray]] = [(_NONE, _NONE)] * count

    def add(self, kind: int, sample: ExactSample) -> None:
        steps = len(sample.y)
        self.y[kind, :steps] = sample.doubles
        self.s2[kind, :steps] = sample.s2
        through = [term for own in sample.contributions for term in own]
        self.terms[kind, : len(through)] = through
        if sample.first_invalid is not None:
            self.dead[kind] = steps
            below = sample.assumed.intersection(self.tape.members(steps))
            self.indistinct[kind] = bool(below)
        else:
            self.tiny[kind] = sample.doubles[-1] == 0 and sample.y[-1] != 0
            self.assumed[kind] = not sample.proven
        self.settled[kind] = True
        self.by_kind[kind] = self.y[kind, :steps], self.s2[kind, :steps]


class _Sums:
    def __init__(
        self, tape: Tape, samples: Samples, *, edges: bool, root_values: bool, settled: Settled
    ) -> None:
        self.tape = tape
        self.settled = settled
        self.samples = samples
        self.edges = edges
        self.passes: list[Pass] = []
        self.valid = np.ones(len(samples), dtype=bool)
        self.first_invalid: dict[int, int] = {}
        self.dead: list[tuple[np.ndarray, np.ndarray]] = []
        self.exact = ExactRows(_NONE, _NONE, [])
        self.in_balls: dict[tuple[str, ...], ExactSample] = {}
        self.work = 0
        self.out_of_range = 0
        self.suspects = self.doubtful = self.unsettled = _NONE
        self.assumed = self.indistinct = _NONE
        self.flagged: list[tuple[int, np.ndarray]] = []
        self.underflown: frozenset[int] = frozenset()
        self.values = np.empty(len(samples)) if root_values else None
        self.slot_noise = self._room_to_keep() if edges else NO_SLOT_NOISE
        self.skipped: list[np.ndarray] = []

    def _room_to_keep(self) -> SlotNoise:
        total, count = len(self.samples), len(self.tape)
        if total * count <= _ALL_SLOTS:
            slots = [slot for slot, node in enumerate(self.tape.first_nodes) if node.children]
            return SlotNoise(slots, np.empty((len(slots), total)))
        rows = np.arange(0, total, math.ceil(total / _PROBED))
        probe = run_pass(
            self.tape,
            self.samples.take(rows),
            0,
            len(rows),
            RANGE,
            False,
            None,
            settled=self.settled,
        )
        return SlotNoise([max(range(count), key=probe.sums.__getitem__)], np.empty((1, total)))

    def run(self, held: int, progress: Progress | None, recheck_s2: float = RECHECK_S2) -> None:
        total, count = len(self.samples), len(self.tape)
        at_once = max(512, _AT_ONCE // count) if total * count > 2 * _AT_ONCE else total
        for start in range(0, total, at_once):
            stop = min(total, start + at_once)
            totals = run_pass(
                self.tape,
                self.samples,
                start,
                stop,
                held,
                self.edges,
                self.values,
                self.slot_noise,
                settled=self.settled,
                recheck_s2=recheck_s2,
            )
            self.passes.append(totals)
            if totals.status is not None:
                self._sort_out(totals, totals.status, start, stop, held)
            if progress is not None:
                progress(FIRST_PASS * stop / total)

    def digits_are_enough_below(self) -> float:
        """The s^2 above which samples must be settled exactly, lest their roundings show.

        The rounding of an s^2 is about s u of it: what a few large ones spoil is more than what is
        promised of the mean of many (`ALLOWED`). Looked at where the mean is largest.
        """
        sums = np.array(together(self.passes).sums)
        slot, total = int(np.argmax(sums)), float(np.max(sums))
        if not total < math.inf or UNIT_ROUNDOFF * math.sqrt(total) < ALLOWED:
            return RECHECK_S2
        _, s2 = values_at(self.tape, self.samples, slot, self.settled)
        in_order = np.sort(s2[self.valid & (s2 <= RECHECK_S2)])
        spoiled = np.cumsum(UNIT_ROUNDOFF * in_order**1.5) / total
        mean = math.sqrt(total / max(1, len(in_order)))
        few = int(np.searchsorted(spoiled, max(ALLOWED, ALLOWED_OF_EIC * mean)))
        return RECHECK_S2 if few == len(in_order) else float(in_order[max(0, few - 1)])

    def _sort_out(self, totals: Pass, status: np.ndarray, start: int, stop: int, held: int) -> None:
        self._leave_out_invalid(totals, slice(start, stop), held)
        marks = int(np.bitwise_or.reduce(status))
        if marks & (SUSPECT | DOUBT):
            self.out_of_range += int(np.count_nonzero(status & RANGE))
            self.flagged.append((start, status))
        if marks & held & SUSPECT:
            skipped = start + _rows_with(status, held & SUSPECT)
            self.skipped.append(skipped)
            self.suspects = np.concatenate((self.suspects, skipped))
        if marks & held & DOUBT:
            only = _rows_with(status, DOUBT)
            only = only[(status[only] & held & SUSPECT) == 0]
            self.doubtful = np.concatenate((self.doubtful, start + only))

    def _leave_out_invalid(self, totals: Pass, rows: slice | np.ndarray, held: int) -> None:
        if totals.status is None or totals.dead is None:
            return
        bad = (totals.status & (INVALID | held)) == INVALID
        slots = totals.dead[bad]
        if not len(slots):
            return
        self.valid[rows] = ~bad
        if self.values is not None:
            self.values[rows] = np.where(bad, np.nan, self.values[rows])
        at = np.flatnonzero(bad)
        self._count_invalid(rows.start + at if isinstance(rows, slice) else rows[at], slots)

    def _count_invalid(self, rows: np.ndarray, slots: np.ndarray) -> None:
        self.dead.append((rows, slots))
        for slot, hits in enumerate(np.bincount(slots).tolist()):
            if hits:
                node = self.tape.nodes[slot]
                self.first_invalid[node] = self.first_invalid.get(node, 0) + hits

    def settle_exactly(self, progress: Progress | None) -> None:
        if not len(self.suspects) and not len(self.doubtful):
            return
        from eic_core.engine.exact import DEEP_SAMPLES, ExactEvaluator  # Arb comes with it

        waiting = self.suspects
        suspect = np.ones(len(waiting), dtype=bool)
        if len(self.doubtful):
            waiting = np.union1d(self.suspects, self.doubtful)
            suspect = np.isin(waiting, self.suspects, assume_unique=True)
        first, kind_of = self._alike(waiting)
        # those that no number may hold before those of which doubles have one
        order = np.lexsort((first, ~suspect[first]))
        evaluator = ExactEvaluator(self.tape, deep_samples=DEEP_SAMPLES)
        kinds = _Kinds(self.tape, len(first))
        for done, kind in enumerate(order.tolist()):
            if evaluator.work >= MOST_WORK:
                break
            row = int(waiting[first[kind]])
            cells = {name: self.samples.decimal(name, row) for name in self.tape.names}
            sample = evaluator.sample(cells)
            kinds.add(kind, sample)
            if done * len(self.tape) < MOST_KEPT:
                self.in_balls[tuple(cells.values())] = sample
            if progress is not None:
                progress(FIRST_PASS + (1 - FIRST_PASS) * done / len(order))
        self.work = evaluator.work
        rechecked, left = waiting, _NONE
        if not kinds.settled.all():
            is_settled = kinds.settled[kind_of]
            self.unsettled = waiting[~is_settled & suspect]
            left = waiting[~is_settled & ~suspect]
            rechecked, kind_of = waiting[is_settled], kind_of[is_settled]
        self.exact = ExactRows(rechecked, kind_of, kinds.by_kind)
        self.underflown = frozenset(rechecked[kinds.tiny[kind_of]].tolist())
        self.assumed = rechecked[kinds.assumed[kind_of]]
        self.indistinct = rechecked[kinds.indistinct[kind_of]]
        self._settle(rechecked, kinds.y.T, kinds.s2.T, kinds.terms.T, kinds.dead, kind_of)
        self._leave_out_unsettled()
        self._keep_doubtful(left)

    def _keep_doubtful(self, rows: np.ndarray) -> None:
        """Count samples at which only the rule is in doubt as doubles see them."""
        if not len(rows):
            return
        some = self.samples.take(rows)
        values = None if self.values is None else np.empty(len(rows))
        totals = run_pass(
            self.tape,
            some,
            0,
            len(rows),
            0,
            self.edges,
            values,
            beyond=False,
            settled=self.settled,
        )
        if self.values is not None:
            self.values[rows] = values
        self.passes.append(totals)
        self._leave_out_invalid(totals, rows, 0)

    def _alike(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Kinds of rows that have the same cells: the first of each in `rows`, and each one's."""
        names = self.tape.names
        with_text = {row for name in names for row in self.samples.exact.get(name, ())}
        if with_text:  # their text says more than their doubles
            own_text = np.isin(rows, list(with_text))
            alike, single = np.flatnonzero(~own_text), np.flatnonzero(own_text)
            first, kind_of = self._alike_doubles(rows[alike])
            kinds = np.empty(len(rows), dtype=np.int64)
            kinds[alike], kinds[single] = kind_of, len(first) + np.arange(len(single))
            return np.concatenate((alike[first], single)), kinds
        return self._alike_doubles(rows)

    def _alike_doubles(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        names = self.tape.names
        cells = np.empty((len(names), len(rows)))
        keys = np.zeros(len(rows), dtype=np.uint64)
        for name, own in zip(names, cells, strict=True):
            own[:] = self.samples.columns[name][rows]
            keys = (keys ^ own.view(np.uint64)) * _ODD
            keys ^= keys >> np.uint64(29)
        return _first_of_each(cells, keys)

    def _leave_out_unsettled(self) -> None:
        """Leave out the samples beyond the limit of the check, counted where they leave doubles.

        Doubles give no estimate of them: exp(-1600), a 0 there, has s = 1600.
        """
        for start in range(0, len(self.unsettled), _BLOCK):
            rows = self.unsettled[start : start + _BLOCK]
            self.valid[rows] = False
            if self.values is not None:
                self.values[rows] = np.nan
            slots = first_untold(self.tape, self.samples.take(rows), self.settled)
            self._count_invalid(rows, slots)

    def settle_beyond_range(self) -> None:
        rows = self.suspects
        if not len(rows):
            return
        some = self.samples.take(rows)
        plain = every_slot(self.tape, some)
        wide = extended.evaluate(self.tape, some.columns, len(rows), plain)
        terms = np.array(wide.terms if self.edges else []).reshape(-1, len(rows))
        in_double = None if self.values is None else self.values[rows].copy()
        self._settle(rows, wide.y, wide.s2, terms, wide.dead)
        if self.values is not None and in_double is not None:  # R² is that of a user's program
            self.values[rows] = np.where(np.isfinite(in_double), in_double, self.values[rows])

    def _settle(
        self,
        rows: np.ndarray,
        y: np.ndarray,
        s2: np.ndarray,
        terms: np.ndarray,
        dead: np.ndarray,
        kind_of: np.ndarray | None = None,
    ) -> None:
        """Add what is known of rows, or of their kinds: shape (slots, kinds)."""
        if not len(rows):
            return
        weights = np.ones(len(dead), dtype=np.int64)
        if kind_of is not None:
            weights = np.bincount(kind_of, minlength=len(dead))
        ok = dead < 0
        unknown = np.isnan(s2)
        counts = np.broadcast_to(ok & (weights > 0), s2.shape)
        if self.tape.chooses:
            counts = counts & np.array(active_slots(self.tape, y, len(dead)))
        singular = counts & ~unknown & ~(s2 <= SINGULAR_S2)
        finite = counts & ~singular
        totals = Pass(
            (np.where(finite, s2, 0.0) * weights).sum(axis=1).tolist(),
            (singular @ weights).tolist(),
            [0.0] * len(self.tape.reads) if self.edges else [],
            [0] * len(self.tape),
            int(singular.any(axis=0) @ weights),
            None,
            None,
            evaluated=(counts @ weights).tolist() if self.tape.chooses else None,
        )
        if self.edges:
            first = 0
            for slot, operands in enumerate(self.tape.operands):
                for i in range(len(operands)):
                    through = terms[first + i] * weights
                    totals.edge_sums[first + i] = float(through[finite[slot]].sum())
                first += len(operands)
            for step in self.tape.steps:
                if step.row is not None and step.row.crossing:
                    totals.signs[step.slot] = signs_of(
                        step, y[step.slot], y[step.operands[0]], counts[step.slot]
                    )
        self.passes.append(totals)
        root = y[-1]
        if kind_of is not None:
            ok, dead, root = ok[kind_of], dead[kind_of], root[kind_of]
        if not ok.all():
            self.valid[rows] = ok
            self._count_invalid(rows[~ok], dead[~ok])
        if self.values is not None:
            root_values = np.where(np.isnan(root), self.values[rows], root)  # else what double says
            self.values[rows] = np.where(ok, root_values, np.nan)

    def result(self, formula: Formula) -> Amplification:
        totals = together(self.passes)
        self.slot_noise.s2.setflags(write=False)
        # frozen classes are slow to fill otherwise
        amplification = Amplification.__new__(Amplification)
        amplification.__dict__.update(
            formula=formula,
            samples=self.samples,
            valid=self.valid,
            first_invalid=self.first_invalid,
            singular_samples=totals.singular_samples,
            rechecked=len(self.exact),
            out_of_range=self.out_of_range,
            root_values=self.values,
            tape=self.tape,
            exact=self.exact,
            samples_in_balls=self.in_balls,
            work_in_balls=self.work,
            _sums=totals.sums,
            _singular=totals.singular,
            _signs=totals.signs,
            _edge_sums=totals.edge_sums if self.edges else None,
            _slot_noise=self.slot_noise,
            _skipped=self.skipped,
            _traces={},
            _settled=self.settled,
            _flagged=self.flagged,
            unsettled=self.unsettled,
            assumed=self.assumed,
            indistinct=self.indistinct,
            _evaluated=totals.evaluated,
            _dead=self.dead,
            underflown=self.underflown,
        )
        return amplification
