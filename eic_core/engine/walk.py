"""The recursion s_k^2 = 1 + sum kappa^2 s_i^2 (Yu et al., ``eq:recursive_relation``), once.

It runs over an *arithmetic*: arrays of doubles (`reference`), numbers beyond their range
(`extended`), or one sample in balls (`exact`). The rules where a value is 0 or a function has a
kink are those of ADR 0001 and 0004, in the order in which they are applied:

====================  ============================================================================
truth value           s^2 = 1; on its threshold a jump, where it counts as a number
choice                all of the branch taken; on a threshold `branches.choice_terms`
selection             min and max pass on what they attain, at ties the noisier
ordinary point        an operand adds kappa^2 s_i^2: `edges.plain_term`
zeros                 the absolute form and the limits of kappa: `edges.edge_term`
sum                   s^2 is 1 for the node's own rounding and what the operands add
====================  ============================================================================
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine import edges
from eic_core.engine.branches import choice_terms, threshold
from eic_core.engine.tape import Step, Tape
from eic_core.operators import NUMPY

Number = Any
"""What an arithmetic reckons with: an array of shape (m,), a `Wide`, or a ball."""


class Through(NamedTuple):
    """What a step's operands add to it."""

    s2: Any
    terms: tuple[Any, ...]  # For each operand, kappa^2 s_i^2
    # For each operand |de_k/dy_i| sqrt(v_i), where the value or an operand is 0; else empty
    moved: tuple[Any, ...] = ()
    at_zero: Any = None  # sqrt(v) where the value is 0; None where it never is


class Arithmetic:
    """Numbers that the recursion reckons with; by default arrays of doubles."""

    B: Any = NUMPY
    one: Any = 1.0
    notes = False  # Whether `note` wants to see each step

    def parameter(self, step: Step) -> Any:
        return step.parameter

    def is_zero(self, y: Number) -> Any:
        return y == 0

    def plain(self, y: Number) -> Any:
        """The number as derivatives take it."""
        return y

    def anywhere(self, condition: Any) -> bool:
        return bool(np.any(condition))

    def touches_zero(self, step: Step, a: list[Number], y: Number) -> bool:
        """Whether the value or an operand is 0 at some sample."""
        return any(self.anywhere(self.is_zero(x)) for x in (y, *a))

    def attained(self, step: Step, a: list[Number], y: Number) -> list[Any]:
        """For each operand of min or max, whether it is the value."""
        return [x == y for x in a]

    def equal(self, step: Step, a: list[Number]) -> Any:
        """Whether the two sides of a comparison are equal."""
        return a[0] == a[1]

    def agree(self, step: Step, a: list[Number]) -> Any:
        """Whether both branches of a choice have the same value."""
        return a[1] == a[2]

    def kappas(self, step: Step, a: list[Number], y: Number, s2: list[Any]) -> Sequence[Any]:
        assert step.row is not None
        return step.row.kappa_squared(self.B, a, y, self.parameter(step))

    def note(self, step: Step, a: list[Number], done: Walk, kappas: Any) -> None:
        """Look at the step that was done last."""


@dataclass
class Walk:
    y: Sequence[Number]  # Per slot
    s2: list[Any]  # Per slot; inf where singular
    # Per slot and operand, kappa^2 s_i^2: what came through that edge
    contributions: list[tuple[Any, ...]]
    steps: list[Through]
    on_threshold: list[Any]  # Per slot, where it is a condition on its threshold; else False


def walk(
    tape: Tape, A: Arithmetic, y: Sequence[Number], settled: Mapping[int, Through] | None = None
) -> Walk:
    """Follow noise up a tape whose values are `y`, as far as they go; `settled` steps stand."""
    done = Walk(y, [], [], [], [])
    leaf = Through(A.one, ())
    for step in tape.steps[: len(y)]:
        on: Any = False
        kappas: Any = ()
        a = [y[i] for i in step.operands]
        if settled is not None and step.slot in settled:
            through = settled[step.slot]
        elif step.row is None:
            through = leaf
        elif not step.row.numeric:
            through, on = _by_condition(tape, step, A, a, y[step.slot], done)
        else:
            s2 = [done.s2[i] for i in step.operands]
            if not step.row.selects:
                kappas = A.kappas(step, a, y[step.slot], s2)
            if step.row.selects or A.touches_zero(step, a, y[step.slot]):
                through = _at_zero(step, A, a, y[step.slot], s2, kappas, done)
            else:
                terms = tuple(
                    [edges.plain_term(A.B, *pair) for pair in zip(kappas, s2, strict=True)]
                )
                through = Through(sum(terms, A.one), terms)
        done.s2.append(through.s2)
        done.contributions.append(through.terms)
        done.steps.append(through)
        done.on_threshold.append(on)
        if A.notes:
            A.note(step, a, done, kappas)
    return done


def _at_zero(
    step: Step,
    A: Arithmetic,
    a: list[Number],
    y: Number,
    s2: list[Any],
    kappas: Any,
    done: Walk,
) -> Through:
    """A step whose value or an operand may be 0, or a selection."""
    row, B = step.row, A.B
    assert row is not None
    y_zero = A.is_zero(y)
    stds = deviations(step, A, a, done)
    if row.selects:
        terms = _of_selection(A, A.attained(step, a, y), s2, stds, y)
        moved = [B.where(term > 0, std, 0.0) for term, std in zip(terms, stds, strict=True)]
    else:
        x, value, p = [A.plain(n) for n in a], A.plain(y), A.parameter(step)
        limits = row.zero_limit(B, x, p)
        partials = row.partials(B, x, value, p)
        moved = [edges.moved_by(B, *pair) for pair in zip(partials, stds, strict=True)]
        terms = [
            edges.edge_term(B, y_zero, A.is_zero(number), value, *operand)
            for number, *operand in zip(a, s2, kappas, limits, moved, strict=True)
        ]
    at_zero = functools.reduce(B.hypot, moved) if A.anywhere(y_zero) else None
    return Through(sum(terms, A.one), tuple(terms), tuple(moved), at_zero)


def deviations(step: Step, A: Arithmetic, a: list[Number], done: Walk) -> list[Any]:
    """sqrt(v_i) of each operand."""
    stds = []
    for i, x in zip(step.operands, a, strict=True):
        below = done.steps[i].at_zero
        zero = 0.0 if below is None else below
        stds.append(edges.deviation(A.B, A.is_zero(x), A.plain(x), done.s2[i], zero))
    return stds


def _of_selection(
    A: Arithmetic, attained: list[Any], s2: list[Any], stds: list[Any], y: Number
) -> list[Any]:
    """min and max: all comes through the operand attained, at ties through the noisier."""
    B = A.B
    choice: Any = -1
    best: Any = -1.0
    largest: Any = -1.0
    for i, (is_attained, s, std) in enumerate(zip(attained, s2, stds, strict=True)):
        noise = B.where(s != s, B.inf, s)
        better = edges.takes_over(B, is_attained, noise, best)
        if i:  # of two without a digit the one that moves further
            better = better | (is_attained & (noise == best) & (std > largest))
        choice, best = B.where(better, i, choice), B.where(better, noise, best)
        largest = B.where(better, std, largest)
    missing = B.isnan(A.plain(y))
    return [B.where(missing, B.nan, B.where(choice == i, s, 0.0)) for i, s in enumerate(s2)]


def _by_condition(
    tape: Tape, step: Step, A: Arithmetic, a: list[Number], y: Number, done: Walk
) -> tuple[Through, Any]:
    """A truth value or a choice, and where the condition is on its threshold."""
    row, B = step.row, A.B
    assert row is not None
    on = [done.on_threshold[i] for i in step.operands]
    s2 = [done.s2[i] for i in step.operands]
    stds = deviations(step, A, a, done)
    if row.truth:
        is_truth = [operand is not None and operand.truth for operand in _rows(tape, step)]
        stds = [
            B.where(turns, B.inf, 0.0) if truth else std
            for truth, turns, std in zip(is_truth, on, stds, strict=True)
        ]
        equal = A.equal(step, a) if row.compares else None
        jumps = threshold(row, [A.plain(x) for x in a], stds, on, equal)
        nothing = [B.where(std == std, 0.0, 0.0) for std in stds]
        if step.slot not in tape.counted or not A.anywhere(jumps):
            return Through(sum(nothing, A.one), tuple(nothing)), jumps
        at_zero = B.where(jumps, B.inf, 0.0)
        terms = tuple([B.where(std > 0, at_zero, 0.0) for std in stds])
        return Through(sum(terms, A.one), terms, terms, at_zero), jumps
    jumps = on[0]
    agree = A.anywhere(jumps) and A.agree(step, a)  # may take many bits, or not be decided
    zeros = [A.is_zero(x) for x in a]
    terms = choice_terms(B, zeros, s2, jumps, agree)
    total = sum(terms, A.one)
    if not A.anywhere(A.is_zero(y)):
        return Through(total, terms), False
    moved = B.where(zeros[0], stds[2], stds[1])
    larger = B.where((stds[1] > stds[2]) | (stds[2] != stds[2]), stds[1], stds[2])
    moved = B.where(jumps, larger, moved)
    return Through(total, terms, (), B.where(terms[0] > 0, B.inf, moved)), False


def _rows(tape: Tape, step: Step) -> list[Any]:
    return [tape.steps[i].row for i in step.operands]
