"""Values and amplifications by NumPy (Algorithm 1): the reference in double precision.

It serves operators added at run time, and machines without the native engine.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eic_core.engine import doubt, edges
from eic_core.engine.branches import active_slots, choice_terms, near, plain_values, threshold
from eic_core.engine.tape import RECHECK_S2, SMALLEST_NORMAL, Step, Tape
from eic_core.operators import NUMPY, Operator

VALID = np.iinfo(np.int64).max
"""In `Block.first_invalid`: no node of this sample is invalid."""


@dataclass
class Block:
    # y, s2: shape (m,): Per slot; s2 is inf where singular and meaningless from the first invalid
    # node on
    y: list[np.ndarray]
    s2: list[np.ndarray]
    # Per slot and operand, kappa^2 s_i^2: what came through that edge
    contributions: list[tuple[np.ndarray, ...]]
    # shape (m,): Step at which a sample first has no real value, or `VALID`
    first_invalid: np.ndarray
    # shape (m,): Samples where double precision overflowed, underflowed to 0 or lost all but three
    # digits
    suspect: np.ndarray
    # shape (m,): Step at which a suspect sample left the double range upwards, or `VALID`
    overflow_at: np.ndarray
    # shape (m,): Samples at which a rounding decides which rule holds (`doubt`)
    doubtful: np.ndarray
    # shape (m,): Samples at which some value is finite and not zero, but over- or underflows in
    # double
    out_of_range: np.ndarray
    # shape (m,): Per slot, the samples at which it is evaluated (`eic_core.engine.branches`); None
    # where that is all of them, since nothing is chosen
    active: list[np.ndarray] | None = None
    # shape (m,): Per slot, where it is a condition on its threshold; empty where nothing is chosen
    on_threshold: Sequence[Any] = ()

    def active_at(self, slot: int) -> Any:
        """The samples at which a slot is evaluated; True for all."""
        return True if self.active is None else self.active[slot]


@dataclass(frozen=True)
class SettledConstant:
    """A constant step settled at 60 digits, the same at every sample."""

    # y, s2: its value and squared amplification
    y: float
    s2: float
    terms: tuple[float, ...]  # Per operand, kappa^2 s_i^2
    deviation: float  # sqrt(v) where the value is 0, else 0


def _amplify_selection(
    operands: list[np.ndarray], s2: list[np.ndarray], y: np.ndarray
) -> tuple[np.ndarray, ...]:
    """min and max: all comes through the attained operand, at ties the noisier."""
    choice, best = np.zeros(len(y), dtype=int), np.full(len(y), -1.0)
    for i, (operand, s) in enumerate(zip(operands, s2, strict=True)):
        better = edges.takes_over(NUMPY, operand == y, s, best)
        choice, best = np.where(better, i, choice), np.where(better, s, best)
    return tuple(np.where(choice == i, s, 0.0) for i, s in enumerate(s2))


def evaluate_block(
    tape: Tape,
    columns: Mapping[str, np.ndarray],
    rows: int,
    settled: Mapping[int, SettledConstant] | None = None,
) -> Block:
    """Evaluate a tape at `rows` samples, 1 or more, by the full definition."""
    block = _empty_block(rows)
    zero_std: list[np.ndarray | None] = []  # sqrt(v) where y == 0, if y ever is
    ones = np.ones(rows)
    choices: _Choices | None = None
    if tape.chooses:
        block.active = active_slots(tape, plain_values(tape, columns, rows), rows)
        choices = _Choices(tape, rows)
        block.on_threshold = choices.on_threshold
    with np.errstate(all="ignore"):
        for step in tape.steps:
            known = settled.get(step.slot) if settled else None
            if step.row is None:
                y = columns[step.column] if step.column else np.full(rows, step.value)
                _note_range_of_leaf(step, y, block)
                _append(block, y, ones, ())
                zero_std.append(None)
            elif known is not None:
                terms = tuple([np.full(rows, term) for term in known.terms])
                _append(block, np.full(rows, known.y), np.full(rows, known.s2), terms)
                zero_std.append(None if known.y else np.full(rows, known.deviation))
            else:
                leaves = [tape.steps[i].row is None for i in step.operands]
                if step.row.numeric:
                    _evaluate_step(step, step.row, leaves, block, zero_std)
                else:
                    assert choices is not None
                    choices.evaluate(step, step.row, leaves, block, zero_std)
            if choices is not None:
                choices.note(step, block)
    return block


def evaluate_constants(tape: Tape) -> Block:
    """The constant steps of a tape as one sample; nan at the others.

    >>> from eic_core.engine.tape import tape_of
    >>> from eic_core.formula.syntax import read
    >>> [y.tolist() for y in evaluate_constants(tape_of(read("x*(1 + 2)").formula)).y]
    [[nan], [1.0], [2.0], [3.0], [nan]]
    """
    block = _empty_block(1)
    zero_std: list[np.ndarray | None] = []
    nothing = np.full(1, math.nan)
    with np.errstate(all="ignore"):
        for step in tape.steps:
            if not tape.constant[step.slot]:
                _append(block, nothing, nothing, (nothing,) * len(step.operands))
                zero_std.append(None)
            elif step.row is None:
                y = np.full(1, step.value)
                _note_range_of_leaf(step, y, block)
                _append(block, y, np.ones(1), ())
                zero_std.append(None)
            else:
                leaves = [tape.steps[i].row is None for i in step.operands]
                _evaluate_step(step, step.row, leaves, block, zero_std)
    return block


def _empty_block(rows: int) -> Block:
    never, no = np.full(rows, VALID), np.zeros(rows, dtype=bool)
    return Block([], [], [], never, no, never.copy(), no.copy(), no.copy())


def _append(block: Block, y: np.ndarray, s2: np.ndarray, terms: tuple[np.ndarray, ...]) -> None:
    block.y.append(y)
    block.s2.append(s2)
    block.contributions.append(terms)


class _Choices:
    def __init__(self, tape: Tape, rows: int) -> None:
        self.tape = tape
        self.never = np.zeros(rows, dtype=bool)
        self.on_threshold: list[np.ndarray] = []
        self.real: list[np.ndarray] = []  # where the slot and all that it needs have a value

    def is_truth(self, slot: int) -> bool:
        row = self.tape.steps[slot].row
        return row is not None and row.truth

    def note(self, step: Step, block: Block) -> None:
        real = np.isfinite(block.y[step.slot])
        if step.row is None or not step.row.chooses:
            for i in step.operands:
                real = real & self.real[i]
        else:
            condition, held, other = step.operands
            taken = np.where(block.y[condition] == 1, self.real[held], self.real[other])
            real = real & self.real[condition] & taken
        self.real.append(real)
        if len(self.on_threshold) < len(self.real):
            self.on_threshold.append(self.never)

    def evaluate(
        self,
        step: Step,
        row: Operator,
        leaves: list[bool],
        block: Block,
        zero_std: list[np.ndarray | None],
    ) -> None:
        """Add a truth value or a choice to a block; the arguments are as for `_evaluate_step`.

        ==============  ===========================================================================
        truth value     s^2 = 1; where it is on its threshold is kept for the choice above, and is
                        a jump where the truth value counts as a number
        choice          all of the branch taken; on a threshold `branches.choice_terms`
        doubt           sides, or on a threshold branches, that differ by roundings only
        ==============  ===========================================================================
        """
        a = [block.y[i] for i in step.operands]
        s2 = [block.s2[i] for i in step.operands]
        below = [zero_std[slot] for slot in step.operands]
        stds = [
            edges.deviation(NUMPY, operand, s, 0.0 if std is None else std)
            for operand, s, std in zip(a, s2, below, strict=True)
        ]
        y = np.asarray(row.evaluate(a, step.parameter))
        active = block.active_at(step.slot)
        _note_trouble(step, row, a, y, block)
        on = [self.on_threshold[i] for i in step.operands]
        zero: np.ndarray | None = None
        terms: tuple[np.ndarray, ...]
        if row.truth:
            stds = [
                np.where(turns, np.inf, 0.0) if self.is_truth(i) else std
                for i, turns, std in zip(step.operands, on, stds, strict=True)
            ]
            jumps = threshold(row, a, stds, on)
            self.on_threshold.append(jumps)
            terms = tuple(np.zeros_like(y) for _ in a)
            if step.slot in self.tape.counted and jumps.any():
                zero = np.where(jumps, np.inf, 0.0)
                terms = tuple(np.where(std > 0, zero, 0.0) for std in stds)
            if row.compares:
                block.doubtful |= active & near(a[0], a[1], stds, leaves)
        else:
            real = self.real[step.operands[1]] & self.real[step.operands[2]]
            agree = real & (a[1] == a[2])
            terms = choice_terms(a, s2, on[0], agree)
            may_agree = near(a[1], a[2], stds[1:], leaves[1:])
            block.doubtful |= active & on[0] & ~agree & real & may_agree
            if (y == 0).any():
                moved = np.where(a[0] != 0, stds[1], stds[2])
                moved = np.where(on[0], np.fmax(stds[1], stds[2]), moved)
                zero = np.where(terms[0] > 0, np.inf, moved)
        _append_step(step, y, terms, block)
        zero_std.append(zero)


def _evaluate_step(
    step: Step,
    row: Operator,
    leaves: list[bool],
    block: Block,
    zero_std: list[np.ndarray | None],
) -> None:
    """Add one step to a block: its value, each operand's part of s^2, and s^2.

    The rules of ADR 0001, in the order in which they are applied:

    ====================  =========================================================================
    no value              the sample ends here, or has left double range: `_note_trouble`
    selection             min and max pass on what they attain: `_amplify_selection`
    ordinary point        an operand adds kappa^2 s_i^2: `edges.plain_term`
    doubt                 a rounding decides which rule holds: `eic_core.engine.doubt`
    zeros                 the absolute form and the limits of kappa: `_settle_zeros`
    sum                   s^2 is 1 for the node's own rounding and what the operands add
    ====================  =========================================================================

    `zero_std` holds per slot sqrt(v) where the value is 0, or None if it never is.
    """
    a = [block.y[i] for i in step.operands]
    s2 = [block.s2[i] for i in step.operands]
    y = np.asarray(row.evaluate(a, step.parameter))
    active = block.active_at(step.slot)
    _note_trouble(step, row, a, y, block)

    if row.brink is not None:
        block.doubtful |= active & doubt.near_brink(NUMPY, row, a, s2, leaves[0])
    kappas: Sequence[Any] = ()
    if row.selects:
        terms = list(_amplify_selection(a, s2, y))
        block.doubtful |= active & doubt.near_tie(a, s2, y, leaves)
    else:
        kappas = row.kappa_squared(NUMPY, a, y, step.parameter)
        if row.waves:
            block.doubtful |= active & doubt.lost_phase(NUMPY, a[0], s2[0], kappas[0])
        terms = [edges.plain_term(NUMPY, k, s) for k, s in zip(kappas, s2, strict=True)]

    any_zero = bool((y == 0).any())
    std_at_zero: np.ndarray | None = None
    if any_zero or any(bool((operand == 0).any()) for operand in a):
        below = [zero_std[slot] for slot in step.operands]
        stds = [
            edges.deviation(NUMPY, operand, s, 0.0 if std is None else std)
            for operand, s, std in zip(a, s2, below, strict=True)
        ]
        if row.selects:
            moved = [np.where(term > 0, std, 0.0) for term, std in zip(terms, stds, strict=True)]
        else:
            terms, moved = _settle_zeros(step, row, a, y, s2, kappas, stds)
        std_at_zero = functools.reduce(np.hypot, moved, np.zeros_like(y))
    _append_step(step, y, tuple(terms), block)
    zero_std.append(std_at_zero if any_zero else None)


def _append_step(step: Step, y: np.ndarray, terms: tuple[np.ndarray, ...], block: Block) -> None:
    active = block.active_at(step.slot)
    total = np.ones_like(y)
    for term in terms:
        total = total + term
    block.suspect |= (step.node < block.first_invalid) & ~(total <= RECHECK_S2) & active
    _append(block, y, total, terms)


def _settle_zeros(
    step: Step,
    row: Operator,
    a: list[np.ndarray],
    y: np.ndarray,
    s2: list[np.ndarray],
    kappas: Sequence[Any],
    stds: list[np.ndarray],
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Each operand's part of s^2 near zeros, and the deviation that it moves.

    A value other than 0 over an operand of 0 takes the absolute form; a value of 0 the limit of
    kappa, else nothing if nothing is moved, else infinity (`edges.edge_term`).
    """
    partials = row.partials(NUMPY, a, y, step.parameter)
    limits = row.zero_limit(NUMPY, a, step.parameter)
    moved = [
        edges.moved_by(NUMPY, partial, std) for partial, std in zip(partials, stds, strict=True)
    ]
    terms = [
        edges.edge_term(NUMPY, y, *operand)
        for operand in zip(a, s2, kappas, limits, moved, strict=True)
    ]
    return terms, moved


def _note_trouble(
    step: Step, row: Operator, a: list[np.ndarray], y: np.ndarray, block: Block
) -> None:
    """Mark the samples at which this step has no real value or leaves double range.
    A nan or a pole is *outside* the domain: the sample is invalid, unless a value has overflowed
    before it. An inf of finite operands has *left the range*: the sample is suspect. So it is
    where a value is subnormal, or 0 though the true value is not (`Operator.vanishes`).
    """
    settled = ~block.suspect & (step.node < block.first_invalid)
    active = block.active_at(step.slot)
    bad = ~np.isfinite(y) & active
    if bad.any():
        pole = np.zeros(len(y), dtype=bool)
        if row.pole is not None:
            pole = row.pole(NUMPY, a, step.parameter)
        outside = bad & (np.isnan(y) | pole)
        operands_finite = np.ones(len(y), dtype=bool)
        for operand in a:
            operands_finite &= np.isfinite(operand)
        leaves_range = bad & ~outside & operands_finite
        block.suspect |= leaves_range & settled
        block.out_of_range |= leaves_range
        block.overflow_at[leaves_range & (block.overflow_at == VALID)] = step.node
        # After an overflow nan means nothing; elsewhere it is a domain error.
        certain = outside & (block.overflow_at == VALID)
        block.first_invalid[certain & (step.node < block.first_invalid)] = step.node
    small = (np.abs(y) < SMALLEST_NORMAL) & active
    if small.any():
        true_zero = y == 0
        if row.vanishes is not None:
            true_zero &= row.vanishes(NUMPY, a, step.parameter)
        block.suspect |= small & ~true_zero & settled
        reached = small & ~true_zero
        for operand in a:
            reached &= np.isfinite(operand)
        block.out_of_range |= reached


def _note_range_of_leaf(step: Step, y: np.ndarray, block: Block) -> None:
    active = block.active_at(step.slot)
    if step.label:
        if math.isnan(step.value):  # outside the domain
            reached = active & (step.node < block.first_invalid) & (block.overflow_at == VALID)
            block.first_invalid[reached] = step.node
        elif not leaf_in_range(step):
            here = active & np.ones(len(y), dtype=bool)
            block.suspect |= here
            block.out_of_range |= here
            if math.isinf(step.value):
                block.overflow_at[here & (step.node < block.overflow_at)] = step.node
        return
    subnormal = (np.abs(y) < SMALLEST_NORMAL) & (y != 0) & active
    block.suspect |= subnormal
    block.out_of_range |= subnormal


def leaf_in_range(step: Step) -> bool:
    mantissa = step.label.lower().partition("e")[0]
    is_zero = not mantissa.strip("+-0./")
    return is_zero or bool(SMALLEST_NORMAL <= abs(step.value) < math.inf)
