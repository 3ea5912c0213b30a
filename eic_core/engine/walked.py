"""What a walk says of samples, an array a question, and the sums over it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from eic_core.engine.branches import active_slots
from eic_core.engine.native.library import HIGH, INVALID, LOW, PRECISION, WalkSummary
from eic_core.engine.tape import SINGULAR_S2, Step, Tape
from eic_core.engine.walk import Walk
from eic_core.samples import Samples

RANGE = HIGH | LOW
SUSPECT = RANGE | PRECISION
"""Bits of a status: beyond double range; or that, or with fewer than three digits left."""

EXACT, ASSUMED, INDISTINCT, UNDERFLOWN, UNSETTLED = 256, 512, 1024, 2048, 4096
"""What balls add to a status: the sample was settled in them; it is valid, but no proof says that a
value is 0 or on a jump, though 10^-300 of its operands shows nothing else; it is not, for such a
reason; its result is not 0, but smaller than all doubles; there was no work left to settle it."""

MOST_ROWS, NUMBERS_HELD = 16_384, 2**20
"""Samples at a time, at most, and numbers of them in one array, so that memory does not grow."""

if TYPE_CHECKING:
    from eic_core.engine.exact import ExactSample

Array = np.ndarray[Any, np.dtype[np.float64]]
Rows = np.ndarray[Any, np.dtype[np.int64]]


@dataclass
class Walked:
    """What the walk of a tape in some arithmetic says of m samples."""

    # y, s2: shape (slots, m): s2 is inf where singular, nan where it needs a lost value; both are
    # meaningless from the first slot without a value on
    y: Array
    s2: Array
    terms: Array  # shape (operands of the tape, m): kappa^2 s_i^2, what came through each edge
    status: np.ndarray  # shape (m,): bits such as `INVALID`, what is known of a sample
    dead: np.ndarray  # shape (m,): the slot at which a sample first has no real value, or -1
    # shape (slots, m): where a slot is evaluated (`eic_core.engine.branches`); None: everywhere
    active: np.ndarray | None = None
    on_threshold: Sequence[Any] = ()  # By slot, where it is a condition on its threshold

    @classmethod
    def empty(cls, tape: Tape, count: int) -> Self:
        """Room for so many samples, of which nothing is known yet."""
        y, s2 = np.empty((2, len(tape), count))
        dead = np.full(count, -1, dtype=np.int32)
        return cls(y, s2, np.empty((len(tape.reads), count)), np.zeros_like(dead), dead)

    @classmethod
    def of_values(cls, tape: Tape, count: int, y: Sequence[Any]) -> Self:
        """What is known before the walk."""
        walked = cls.empty(tape, count)
        for own, value in zip(walked.y, y, strict=True):
            own[:] = value
        if tape.chooses:
            walked.active = np.array(active_slots(tape, walked.y, count))
        return walked

    def add_noise(self, tape: Tape, done: Walk) -> None:
        for s2, noise in zip(self.s2, done.s2, strict=True):
            s2[:] = noise
        for own, terms in zip(tape.edges, done.contributions, strict=True):
            for place, term in zip(self.terms[own], terms, strict=True):
                place[:] = term
        self.on_threshold = done.on_threshold

    def put(self, tape: Tape, column: int, sample: ExactSample) -> int:
        """Write what balls say of a sample into a column; return the bits of its status."""
        steps = len(sample.y)
        terms = [term for own in sample.contributions for term in own]
        self.y[:steps, column], self.s2[:steps, column] = sample.doubles, sample.s2
        self.terms[: len(terms), column] = terms
        if sample.first_invalid is None:
            tiny = sample.doubles[-1] == 0 and sample.y[-1] != 0
            return UNDERFLOWN * tiny | ASSUMED * (not sample.proven)
        self.y[steps:, column] = self.s2[steps:, column] = math.nan
        self.dead[column] = steps
        below = not sample.assumed.isdisjoint(tape.members(steps))
        return INVALID | INDISTINCT * below

    def end(self, slot: int, where: Any) -> None:
        """Note that samples have no real value from a slot on, if they had until there."""
        self.dead[where & (self.dead < 0)] = slot

    def active_at(self, slot: int) -> Any:
        """The samples at which a slot is evaluated; True for all."""
        return True if self.active is None else self.active[slot]

    def summary(
        self, tape: Tape, out: int, *, edges: bool, weights: np.ndarray | None = None
    ) -> WalkSummary:
        """The sums over the samples without a bit of `out`; `weights` say how often each counts."""
        ok = (self.status & out) == 0
        often = np.ones(len(ok), dtype=np.int64) if weights is None else weights
        any_singular = np.zeros_like(ok)
        evaluated: list[int] | None = [] if tape.chooses else None
        result = WalkSummary([], [], [], [], 0, self.status, self.dead, evaluated=evaluated)
        for step in tape.steps:
            s2, counts = self.s2[step.slot], ok & self.active_at(step.slot)
            singular = counts & (s2 > SINGULAR_S2)
            any_singular |= singular
            finite: Any = counts & ~singular
            if finite.all():
                finite = slice(None)
            counted = often[finite]
            result.sums.append(float(np.sum(s2[finite] * counted)))
            result.singular.append(int(often @ singular))
            if result.evaluated is not None:
                result.evaluated.append(int(often @ counts))
            if edges:
                terms = self.terms[tape.edges[step.slot]][:, finite] * counted
                result.edge_sums += terms.sum(axis=1).tolist()
            result.signs.append(signs_of(step, self.y, counts) if edges else 0)
        result.singular_samples = int(often @ any_singular)
        return result


def signs_of(step: Step, y: np.ndarray, counts: np.ndarray) -> int:
    """1 if the watched sign is positive at some sample that counts, plus 2 if negative.

    The step's row decides what is watched: nothing, the value, or value times argument
    (`Operator.crossing`).
    """
    if step.row is None or not step.row.crossing:
        return 0
    watched = y[step.slot][counts]
    if step.row.crossing == "argument":
        watched = np.sign(watched) * np.sign(y[step.operands[0]][counts])
    return (1 if (watched > 0).any() else 0) | (2 if (watched < 0).any() else 0)


def together(parts: Sequence[WalkSummary]) -> WalkSummary:
    """The sum of summaries of one tape; of the samples themselves nothing."""
    if len(parts) == 1:
        return parts[0]

    def added(name: str, add: Callable[[Any], Any] = sum) -> Any:
        return [add(each) for each in zip(*[getattr(part, name) for part in parts], strict=True)]

    return WalkSummary(
        added("sums", math.fsum),
        added("singular"),
        added("edge_sums", math.fsum),
        added("signs", lambda each: any(s & 1 for s in each) | 2 * any(s & 2 for s in each)),
        sum(part.singular_samples for part in parts),
        None,
        None,
        evaluated=None if parts[0].evaluated is None else added("evaluated"),
    )


def spans(total: int, rows: int) -> Iterator[tuple[int, int]]:
    """First and last row (exclusive) of consecutive blocks of so many rows."""
    for start in range(0, total, rows):
        yield start, min(total, start + rows)


def blocks(total: int, held: int) -> Iterator[tuple[int, int]]:
    """First and last row (exclusive) of consecutive blocks, for `held` numbers a row."""
    return spans(total, max(64, min(total, MOST_ROWS, NUMBERS_HELD // held)))


def columns_between(tape: Tape, samples: Samples, start: int, stop: int) -> dict[str, Array]:
    """What a tape reads of some rows."""
    return {name: samples.columns[name][start:stop] for name in tape.variables}
