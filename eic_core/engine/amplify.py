"""Algorithm 1 (Yu et al., ``alg:calculate_eic``) over a whole data set.

`amplify` runs a formula over its samples: the native engine, or the NumPy reference where there is
none, follows every rule in place; only samples that double precision cannot settle go further, to
60 digits (`inspect`) or beyond double range (`score`).  What comes back are sums for every node;
per-sample values of one node are a second pass over its subtree.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from eic_core.engine import extended
from eic_core.engine.native import library as native
from eic_core.engine.native.library import DOUBT, HIGH, INVALID, LOW, PRECISION
from eic_core.engine.reference import VALID, Block, evaluate_block
from eic_core.engine.tape import SINGULAR_S2, Step, Tape, lay_out, tape_of
from eic_core.formula.tree import Formula
from eic_core.samples import Samples

MAX_RECHECKED = 1000
"""How many samples are re-evaluated at high precision, the first in row order: so many
that left double range or its digits, and as many at which a rounding decides the rule."""

Progress = Callable[[float], None]


RANGE = HIGH | LOW
SUSPECT = RANGE | PRECISION

_KEPT = 1 << 17
"""How many numbers a small inspection keeps of every node, so that none is computed again."""

_AT_ONCE = 1 << 24
"""Samples times slots of one call of the native engine, so that progress can be told."""

_FIRST_PASS = 0.1
"""The share of progress that is told before samples are settled at 60 digits."""


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
    singular_samples : int
        How many valid samples are singular at some node.
    rechecked, unresolved : int
        Samples re-evaluated at 60 digits, and those that needed it but came
        after the first `MAX_RECHECKED`.
    out_of_range : int
        Samples at which the exact value of some node is finite and not zero, but over- or
        underflows in double precision.
    root_values : ndarray, shape (N,), or None
        The formula's value, nan at invalid samples; only if asked for.
    tape : Tape
        The one that was run.
    exact : dict of row to (values, s^2), each by slot
        What 60 digits said about the rechecked samples, up to their first invalid step.
    """

    formula: Formula
    samples: Samples
    valid: np.ndarray
    first_invalid: dict[int, int]
    singular_samples: int
    rechecked: int
    unresolved: int
    out_of_range: int
    root_values: np.ndarray | None = field(repr=False)
    tape: Tape = field(repr=False)
    exact: dict[int, tuple[np.ndarray, np.ndarray]] = field(repr=False)
    _sums: list[float] = field(repr=False)  # by slot, as the next three
    _singular: list[int] = field(repr=False)
    _signs: list[int] = field(repr=False)
    _edge_sums: list[float] | None = field(repr=False)  # by operand of the tape
    _kept: tuple[np.ndarray, np.ndarray] | None = field(default=None, repr=False)
    _traces: dict[int, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict, repr=False)

    @cached_property
    def finite_sum(self) -> tuple[float, ...]:
        """Per node, the sum of s^2 over the valid samples not singular there."""
        return tuple([self._sums[slot] for slot in self.tape.slots])

    @cached_property
    def singular(self) -> tuple[int, ...]:
        """Per node, how many valid samples are singular there."""
        return tuple([self._singular[slot] for slot in self.tape.slots])

    @cached_property
    def signs(self) -> tuple[int, ...]:
        """Per node, 1 if its watched sign was ever positive, plus 2 if negative.

        Only if edges were asked for.
        """
        return tuple([self._signs[slot] for slot in self.tape.slots])

    @cached_property
    def edge_sums(self) -> tuple[tuple[float, ...], ...]:
        """Per node and operand, the sum of kappa^2 s_i^2 over the same samples as `finite_sum`.

        Empty tuples unless edges were asked for.
        """
        if self._edge_sums is None:
            return ((),) * len(self.tape.slots)
        by_slot: list[tuple[float, ...]] = []
        first = 0
        for operands in self.tape.operands:
            by_slot.append(tuple(self._edge_sums[first : first + len(operands)]))
            first += len(operands)
        return tuple([by_slot[slot] for slot in self.tape.slots])

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

    @property
    def eic(self) -> float:
        """max_k log10 s-bar_k; inf if a sample is singular, nan if a mean is not known."""
        if any(self._singular):
            return math.inf
        return self.eic_finite

    @cached_property
    def eic_finite(self) -> float:
        """The same without the samples that are singular at each node."""
        valid = self.valid_count
        if valid and not any(self._singular):
            known = not math.isnan(sum(self._sums))
            return 0.5 * math.log10(max(self._sums) / valid) if known else math.nan
        worst = 0.0
        for total, singular in zip(self._sums, self._singular, strict=True):
            if valid == singular or total != total:
                return math.nan
            mean = total / (valid - singular)
            if mean > worst:
                worst = mean
        return 0.5 * math.log10(worst)

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
        found = self._traces.get(node_id)
        if found is None:
            found = self._traces[node_id] = self._trace(node_id)
        return found

    def _trace(self, node_id: int) -> tuple[np.ndarray, np.ndarray]:
        slot = self.tape.slots[node_id]
        if self._kept is not None:
            y, s2 = (np.array(kept[slot]) for kept in self._kept)
        else:
            subtree = lay_out(self.formula.subtree(node_id))
            y, s2 = _values_of_root(subtree, self.samples)
        for row, (values, amplifications) in self.exact.items():
            if slot < len(amplifications):
                y[row], s2[row] = values[slot], amplifications[slot]
        y[~self.valid] = np.nan
        s2[~self.valid] = np.nan
        s2[s2 > SINGULAR_S2] = np.inf
        s = np.sqrt(s2)
        y.setflags(write=False)
        s.setflags(write=False)
        return y, s


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
    tape = tape_of(formula)
    sums = _Sums(tape, samples, edges=edges, root_values=root_values)
    if recheck:
        sums.run(SUSPECT | DOUBT, progress)
        sums.settle_exactly(progress)
    else:
        sums.run(RANGE, progress)
        sums.settle_beyond_range()
    if progress is not None:
        progress(1.0)
    return sums.result(formula)


_NONE = np.empty(0, dtype=np.int64)


@dataclass(slots=True)
class _Part:
    """What one pass over some samples adds up to; see `Amplification`."""

    finite: list[float]
    singular: list[int]
    edge_sums: list[float]
    signs: list[int]
    singular_samples: int
    status: np.ndarray | None
    dead: np.ndarray | None


class _Sums:
    """What `amplify` gathers."""

    def __init__(self, tape: Tape, samples: Samples, *, edges: bool, root_values: bool) -> None:
        count, total = len(tape), len(samples)
        self.tape = tape
        self.samples = samples
        self.edges = edges
        self.finite: list[list[float]] = []  # a row for each pass, a number for each slot
        self.edge_sums: list[list[float]] = []  # the same, a number for each operand of the tape
        self.singular: list[int] = []
        self.signs: list[int] = []
        self.singular_samples = 0
        self.valid = np.ones(total, dtype=bool)
        self.first_invalid: dict[int, int] = {}
        self.exact: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self.unresolved = self.out_of_range = 0
        self.suspects = self.doubtful = _NONE
        small = edges and count * total <= _KEPT
        self.kept = (np.empty((count, total)), np.empty((count, total))) if small else None
        self.values = np.empty(total) if root_values else None

    def run(self, held: int, progress: Progress | None) -> None:
        """All samples; those whose status has a bit of `held` are left for later."""
        total, count = len(self.samples), len(self.tape)
        at_once = max(512, _AT_ONCE // count) if total * count > 2 * _AT_ONCE else total
        marked: list[tuple[int, np.ndarray]] = []
        for start in range(0, total, at_once):
            stop = min(total, start + at_once)
            part = _run(
                self.tape, self.samples, start, stop, held, self.edges, self.values, self.kept
            )
            self._add(part, np.arange(start, stop) if part.status is not None else None, held)
            if part.status is not None:
                marked.append((start, part.status))
            if progress is not None:
                progress(_FIRST_PASS * stop / total)
        if marked:
            rows = np.concatenate([start + np.flatnonzero(status) for start, status in marked])
            bits = np.concatenate([status[status != 0] for _, status in marked])
            self.out_of_range = int(np.count_nonzero(bits & RANGE))
            suspect = (bits & held & SUSPECT) != 0
            self.suspects = rows[suspect]
            self.doubtful = rows[~suspect & ((bits & held & DOUBT) != 0)]

    def _add(self, part: _Part, rows: np.ndarray | None, held: int) -> None:
        """Add a pass; `rows` says which samples it was, if any of them is marked."""
        self.edge_sums.append(part.edge_sums)
        if not self.finite:
            self.singular, self.signs = part.singular, part.signs
        else:
            self.singular = [a + b for a, b in zip(self.singular, part.singular, strict=True)]
            self.signs = [a | b for a, b in zip(self.signs, part.signs, strict=True)]
        self.finite.append(part.finite)
        self.singular_samples += part.singular_samples
        if part.status is None or rows is None or part.dead is None:
            return
        bad = ((part.status & INVALID) != 0) & ((part.status & held) == 0)
        if bad.any():
            self._leave_out(rows[bad], part.dead[bad])

    def _leave_out(self, rows: np.ndarray, slots: np.ndarray) -> None:
        """Samples without a real value, and the slots at which that shows first."""
        self.valid[rows] = False
        if self.values is not None:
            self.values[rows] = np.nan
        for slot, hits in zip(*np.unique(slots, return_counts=True), strict=True):
            node = self.tape.nodes[int(slot)]
            self.first_invalid[node] = self.first_invalid.get(node, 0) + int(hits)

    def settle_exactly(self, progress: Progress | None) -> None:
        """The doubtful samples at 60 digits, while there is room for them; then the others."""
        if not len(self.suspects) and not len(self.doubtful):
            return
        from eic_core.engine.exact import ExactEvaluator  # mpmath comes with it

        taken = np.union1d(self.suspects[:MAX_RECHECKED], self.doubtful[:MAX_RECHECKED])
        left = np.union1d(self.suspects[MAX_RECHECKED:], self.doubtful[MAX_RECHECKED:])
        self.unresolved = len(self.suspects[MAX_RECHECKED:])
        evaluator = ExactEvaluator(self.tape) if len(taken) else None
        names = self.tape.variables
        y = np.zeros((len(self.tape), len(taken)))
        s2 = np.ones_like(y)
        terms = np.zeros((sum(map(len, self.tape.operands)), len(taken)))
        dead = np.full(len(taken), -1)
        for i, row in enumerate(taken.tolist()):
            assert evaluator is not None
            sample = evaluator.sample({name: self.samples.decimal(name, row) for name in names})
            known = len(sample.y)
            y[:known, i] = [float(v) for v in sample.y]
            s2[:known, i] = sample.s2
            through = [term for own in sample.contributions for term in own]
            terms[: len(through), i] = through
            if sample.first_invalid is not None:
                dead[i] = known
            self.exact[row] = y[:known, i].copy(), s2[:known, i].copy()
            if progress is not None:
                progress(_FIRST_PASS + (1 - _FIRST_PASS) * i / len(taken))
        self._settle(taken, y, s2, terms, dead)
        if len(left):
            some = self.samples.take(left)
            values = None if self.values is None else np.empty(len(left))
            kept = None
            if self.kept is not None:
                kept = np.empty((len(self.tape), len(left))), np.empty((len(self.tape), len(left)))
            part = _run(self.tape, some, 0, len(left), 0, self.edges, values, kept, beyond=False)
            if self.values is not None:
                self.values[left] = values
            if self.kept is not None and kept is not None:
                self.kept[0][:, left], self.kept[1][:, left] = kept
            self._add(part, left, 0)

    def settle_beyond_range(self) -> None:
        """The samples that leave double range, with wider exponents."""
        rows = self.suspects
        if not len(rows):
            return
        some = self.samples.take(rows)
        plain = _everything(self.tape, some)
        found = extended.evaluate(self.tape, some.columns, len(rows), plain)
        terms = np.array(found.terms).reshape(-1, len(rows))
        self._settle(rows, found.y, found.s2, terms, found.dead)

    def _settle(
        self, rows: np.ndarray, y: np.ndarray, s2: np.ndarray, terms: np.ndarray, dead: np.ndarray
    ) -> None:
        """Add samples of which everything is known, arrays with a row for each slot."""
        if not len(rows):
            return
        ok = dead < 0
        unknown = np.isnan(s2)
        singular = ok & ~unknown & ~(s2 <= SINGULAR_S2)
        finite = ok & ~singular
        part = _Part(
            np.where(finite, s2, 0.0).sum(axis=1).tolist(),
            np.count_nonzero(singular, axis=1).tolist(),
            [0.0] * len(terms),
            [0] * len(self.tape),
            int(np.count_nonzero(singular.any(axis=0))),
            None,
            None,
        )
        first = 0
        for slot, operands in enumerate(self.tape.operands):
            for i in range(len(operands)):
                part.edge_sums[first + i] = float(terms[first + i][finite[slot]].sum())
            first += len(operands)
        for step in self.tape.steps:
            if step.row is not None and step.row.crossing:
                part.signs[step.slot] = _signs(step, y[step.slot], y[step.operands[0]], ok)
        self._add(part, None, 0)
        self._leave_out(rows[~ok], dead[~ok])
        if self.values is not None:
            self.values[rows] = np.where(ok, y[-1], np.nan)

    def result(self, formula: Formula) -> Amplification:
        """The totals."""
        one = len(self.finite) == 1
        sums = self.finite[0] if one else [math.fsum(s) for s in zip(*self.finite, strict=True)]
        flat: list[float] | None = None
        if self.edges:
            flat = self.edge_sums[0]
            if not one:
                flat = [math.fsum(s) for s in zip(*self.edge_sums, strict=True)]
        return Amplification(
            formula, self.samples, self.valid, self.first_invalid, self.singular_samples,
            len(self.exact), self.unresolved, self.out_of_range, self.values, self.tape, self.exact,
            sums, self.singular, self.signs, flat, self.kept,
        )  # fmt: skip


def _run(
    tape: Tape,
    samples: Samples,
    start: int,
    stop: int,
    held: int,
    edges: bool,
    values: np.ndarray | None,
    kept: tuple[np.ndarray, np.ndarray] | None,
    *,
    beyond: bool = True,
) -> _Part:
    """One pass over consecutive samples, native if it can be.

    Parameters
    ----------
    held : int
        Bits of a status that leave a sample out of the sums.
    values, kept : ndarrays, or None
        Where the root's values, and values and s^2 of every slot, are written to.
    beyond : bool
        False to count an overflow as invalid.
    """
    engine = native.library()
    packed = None if engine is None else engine.pack(tape)
    if engine is None or packed is None:
        return _run_reference(tape, samples, start, stop, held, edges, values, kept, beyond)
    mode = (native.EDGES | native.SIGNS) if edges else 0
    if not beyond:
        mode |= native.OVERFLOW_IS_INVALID
    addresses = samples.addresses
    if start:
        addresses = {name: address + 8 * start for name, address in addresses.items()}
    keep_y: list[tuple[int, int]] = []
    keep_s2: list[tuple[int, int]] = []
    if kept is not None:
        assert start == 0 and stop == kept[0].shape[1]
        for target, array in ((keep_y, kept[0]), (keep_s2, kept[1])):
            address, width = int(array.ctypes.data), 8 * array.shape[1]
            target += [(slot, address + slot * width) for slot in range(len(tape))]
    if values is not None and kept is None:
        keep_y = [(len(tape) - 1, int(values.ctypes.data) + 8 * start)]
    skip = INVALID | (held & ~DOUBT)
    found = engine.run(tape, packed, addresses, stop - start, mode=mode, skip=skip,
                       out=INVALID | held, keep_y=keep_y, keep_s2=keep_s2)  # fmt: skip
    if values is not None and kept is not None:
        values[:] = kept[0][-1]
    return _Part(
        found.sums, found.singular, found.edge_sums, found.signs,
        found.counts[native.SINGULAR_ROWS], found.status, found.dead,
    )  # fmt: skip


def _run_reference(
    tape: Tape,
    samples: Samples,
    start: int,
    stop: int,
    held: int,
    edges: bool,
    values: np.ndarray | None,
    kept: tuple[np.ndarray, np.ndarray] | None,
    beyond: bool,
) -> _Part:
    """The same with NumPy, in blocks that stay near the cache."""
    count = len(tape)
    rows = max(1, min(stop - start, 16_384 if count <= 64 else max(1_024, 2**20 // count)))
    parts = []
    for first in range(start, stop, rows):
        last = min(stop, first + rows)
        columns = {name: samples.columns[name][first:last] for name in tape.variables}
        block = evaluate_block(tape, columns, last - first)
        parts.append(_part_of(tape, block, held, edges, beyond))
        if values is not None:
            values[first:last] = block.y[-1]
        for slot in range(count if kept is not None else 0):
            assert kept is not None
            kept[0][slot, first:last], kept[1][slot, first:last] = block.y[slot], block.s2[slot]
    if len(parts) == 1:
        return parts[0]
    status = np.concatenate([p.status for p in parts if p.status is not None])
    dead = np.concatenate([p.dead for p in parts if p.dead is not None])
    return _Part(
        [math.fsum(s) for s in zip(*[p.finite for p in parts], strict=True)],
        [sum(s) for s in zip(*[p.singular for p in parts], strict=True)],
        [math.fsum(s) for s in zip(*[p.edge_sums for p in parts], strict=True)],
        [max(s) if 3 in s else (1 in s) | 2 * (2 in s)
         for s in zip(*[p.signs for p in parts], strict=True)],
        sum(p.singular_samples for p in parts),
        status,
        dead,
    )  # fmt: skip


def _part_of(tape: Tape, block: Block, held: int, edges: bool, beyond: bool) -> _Part:
    """A block of the reference as a pass."""
    if not beyond:
        np.minimum(block.first_invalid, block.overflow_at, out=block.first_invalid)
    status = np.where(block.first_invalid != VALID, INVALID, 0).astype(np.uint8)
    precision = block.suspect & ~block.out_of_range
    status[block.out_of_range & (block.overflow_at != VALID)] |= HIGH
    status[block.out_of_range & (block.overflow_at == VALID)] |= LOW
    status[precision] |= PRECISION
    status[block.doubtful] |= DOUBT
    ok = (status & (INVALID | held)) == 0
    any_singular = np.zeros(len(ok), dtype=bool)
    finite_sums, singular, edge_sums, signs = [], [], [], []
    for step in tape.steps:
        s2 = block.s2[step.slot]
        with np.errstate(invalid="ignore"):
            is_singular = ok & ~(s2 <= SINGULAR_S2)
        any_singular |= is_singular
        finite = ok & ~is_singular
        singular.append(int(np.count_nonzero(is_singular)))
        finite_sums.append(float(np.sum(s2[finite])))
        edge_sums += [
            float(np.sum(term[finite])) if edges else 0.0 for term in block.contributions[step.slot]
        ]
        crossing = edges and step.row is not None and step.row.crossing
        signs.append(
            _signs(step, block.y[step.slot], block.y[step.operands[0]], ok) if crossing else 0
        )
    first = {node: slot for slot, node in enumerate(tape.nodes)}
    dead = np.array([first.get(int(n), -1) for n in block.first_invalid], dtype=np.int32)
    return _Part(finite_sums, singular, edge_sums, signs,
                 int(np.count_nonzero(any_singular)), status, dead)  # fmt: skip


def _signs(step: Step, y: np.ndarray, argument: np.ndarray, ok: np.ndarray) -> int:
    """1 if the watched sign is positive at some sample, plus 2 if negative."""
    watched = y[ok]
    if step.row is not None and step.row.crossing == "argument":
        watched = np.sign(watched) * np.sign(argument[ok])
    return (1 if (watched > 0).any() else 0) | (2 if (watched < 0).any() else 0)


def _everything(tape: Tape, samples: Samples) -> extended.Plain | None:
    """Values and s^2 of every slot and the terms of every operand; None without native engine."""
    engine = native.library()
    packed = None if engine is None else engine.pack(tape)
    if engine is None or packed is None:
        return None
    rows = len(samples)
    y, s2 = np.empty((len(tape), rows)), np.empty((len(tape), rows))
    terms = np.empty((packed.operands, rows))
    kept = [
        [(i, address + 8 * rows * i) for i in range(len(array))]
        for array, address in ((a, int(a.ctypes.data)) for a in (y, s2, terms))
    ]
    engine.run(tape, packed, samples.addresses, rows, mode=native.EDGES, skip=INVALID, out=INVALID,
               keep_y=kept[0], keep_s2=kept[1], keep_terms=kept[2])  # fmt: skip
    return y, s2, terms


def _values_of_root(tape: Tape, samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    """Value and s^2 of a tape's root at every sample, by double precision's verdict."""
    total = len(samples)
    y, s2 = np.empty(total), np.empty(total)
    engine = native.library()
    packed = None if engine is None else engine.pack(tape)
    if engine is not None and packed is not None:
        root = len(tape) - 1
        keep_y, keep_s2 = ([(root, int(kept.ctypes.data))] for kept in (y, s2))
        engine.run(tape, packed, samples.addresses, total, mode=0, skip=INVALID, out=INVALID,
                   keep_y=keep_y, keep_s2=keep_s2)  # fmt: skip
        return y, s2
    for start in range(0, total, 16_384):
        columns = {name: samples.columns[name][start : start + 16_384] for name in tape.variables}
        block = evaluate_block(tape, columns, min(total, start + 16_384) - start)
        y[start : start + 16_384], s2[start : start + 16_384] = block.y[-1], block.s2[-1]
    return y, s2
