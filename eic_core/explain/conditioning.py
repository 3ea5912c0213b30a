"""The function's own conditioning: the loss that no way of writing it can avoid.

With exact constants and derivatives summed over the places of each variable,

    own = 1/2 log10 E[1 + sum_v (x_v (df/dx_v) / f)^2].
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb

from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.sweep import Arrivals
from eic_core.engine.tape import SINGULAR_S2, tape_of
from eic_core.explain.correlated import MeanOfFinite, class_sweep, class_tape
from eic_core.exports import Plain
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import local_eic
from eic_core.operators.balls import BALLS, contains_zero, working
from eic_core.operators.wide import Array
from eic_core.samples import Samples

SOME_DIGITS, MANY_DIGITS = 250, 1000
"""So many digits are tried first, which tell nearly all samples, and so many at last."""

DEARER = 6
"""How many times as much an evaluation with `MANY_DIGITS` costs, about."""

LARGEST_KAPPA = math.sqrt(SINGULAR_S2)

MOST_WORK = 40_000
"""Nodes times evaluations beside a formula's samples, at most, but `FEWEST_SETTLED` samples."""

FEWEST_SETTLED = 50


@dataclass(frozen=True)
class VariableConditioning:
    name: str
    rms: float  # Root mean square of x_v (df/dx_v) / f over the samples with finite conditioning
    largest: float  # Its largest size there
    share: float  # Its part of the mean of 1 + sum_v (...)^2, 0 to 1

    _JSON = ("name", "rms", "largest", "share")


@dataclass(frozen=True)
class OwnConditioning(Plain):
    formula: Formula = field(repr=False)
    samples: Samples = field(repr=False)
    own: float  # Digits: inf if the conditioning is infinite at a sample; nan if none is valid
    own_finite: float  # The same without those samples; nan if none remain
    variables: tuple[VariableConditioning, ...]  # In order of first appearance
    # valid, singular: samples with a real value at every node, and those of them where it is
    # infinite
    valid: int
    singular: int
    # Further samples at which nothing tells it, for too many had to be looked at closely
    unsettled: int = 0

    _JSON = ("own", "own_finite", "valid", "singular", "unsettled", "variables")


def own_conditioning(
    formula: Formula, samples: Samples, *, recheck: bool = True
) -> OwnConditioning:
    """The function's own conditioning on a data set.

    Parameters
    ----------
    formula
        Its variables must be columns of `samples`.
    samples
        With a column for each variable.
    recheck
        Whether to settle exactly the samples that double precision cannot.

    Returns
    -------
    OwnConditioning
        Digits lost by the function, in all and for each input.

    Raises
    ------
    DataError
        If a variable has no column.

    Notes
    -----
    Two formulas for the same function have the same `own`. Where f is 0 the rules of
    ADR 0001 hold: a finite non-zero limit of the condition number counts, else 0 if the
    input does not move f, else the sample counts as singular.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> [round(10 ** (2 * own_conditioning(read(text).formula, samples).own), 9)
    ...  for text in ("10000*x-9999*x", "x", "x*x", "x**2")]  # 1 + 1, 1 + 1, 1 + 4, 1 + 4
    [2.0, 2.0, 5.0, 5.0]
    """
    sums = OwnSums(formula, samples, recheck=recheck)
    for block in class_sweep(formula, samples, recheck=recheck):
        sums.add(block)
    return sums.result()


class OwnSums:
    """The sums of `own_conditioning` over the blocks of a `class_sweep`. Derivatives along the
    tree fail where the conditioning is infinite or the writing loses every digit (in doubles (1 -
    cos(x))/sin(x) is 0 at 1e-100). There, with `recheck`, the function is evaluated beside the
    sample at many digits; samples beyond `MOST_WORK` (`unsettled`) enter no number.
    """

    def __init__(self, formula: Formula, samples: Samples, *, recheck: bool = True) -> None:
        self.formula, self.samples, self.recheck = formula, samples, recheck
        self.slots = variable_slots(formula)
        self.unsettled = self.nothing = 0
        self._beside = _Beside(formula)
        self._found: dict[tuple[str, ...], tuple[float, ...]] = {}
        self._total = MeanOfFinite()
        self._parts = [MeanOfFinite() for _ in self.slots]
        self._largest = [0.0] * len(self.slots)

    def add(self, block: Arrivals, doubtful: npt.NDArray[np.bool_] | None = None) -> Array:
        """Add a block and return its own^2, nan where it was not settled (`doubtful`: no digit)."""
        own2 = own_squared(block, self.slots)
        unsure = np.isinf(own2) if doubtful is None else np.isinf(own2) | doubtful
        unsure &= block.ok
        if self.recheck and unsure.any():
            own2 = self._settle(block, np.flatnonzero(unsure))
        self._total.add(own2, block.ok & ~np.isnan(own2))
        usable = block.ok & np.isfinite(own2)
        for i, slot in enumerate(self.slots):
            moved = np.abs(block.arrived[slot])
            with np.errstate(over="ignore"):
                self._parts[i].add(np.square(moved), usable)
            self._largest[i] = max(self._largest[i], float(np.max(moved[usable], initial=0.0)))
        return own2

    def _settle(self, block: Arrivals, rows: npt.NDArray[np.intp]) -> Array:
        cells = [
            tuple([self.samples.decimal(name, row) for name in self.formula.variables])
            for row in (block.start + rows).tolist()
        ]
        for cell in dict.fromkeys(cells):
            if len(self._found) >= FEWEST_SETTLED and self._beside.work >= MOST_WORK:
                break
            if cell not in self._found:
                self._found[cell] = self._beside.conditioning(cell)
        unsettled = []
        for row, cell in zip(rows.tolist(), cells, strict=True):
            known = self._found.get(cell)
            if known is None:
                unsettled.append(row)
                continue
            self.nothing += cell in self._beside.zeros and not any(known)
            for slot, kappa in zip(self.slots, known, strict=True):
                block.arrived[slot][row] = kappa
        self.unsettled += len(unsettled)
        own2 = own_squared(block, self.slots)
        own2[unsettled] = math.nan
        return own2

    def result(self) -> OwnConditioning:
        mean = self._total.finite_mean()
        variables = tuple(
            VariableConditioning(
                name,
                math.sqrt(part.finite_mean()),
                largest if part.count else math.nan,
                part.finite_mean() / mean,
            )
            for name, part, largest in zip(
                self.formula.variables, self._parts, self._largest, strict=True
            )
        )
        return OwnConditioning(
            formula=self.formula,
            samples=self.samples,
            own=local_eic(self._total.mean()),
            own_finite=local_eic(mean),
            variables=variables,
            valid=self._total.count + self._total.infinite,
            singular=self._total.infinite,
            unsettled=self.unsettled,
        )


SIDES = (1.0, -0.618034)
"""A sample is left by so much to either side: not by equal parts, which would be rounded alike."""

LARGE = 1e30
"""A larger input of a formula with jumps is left by less than a jump of 1."""

NEAR = 1e-6
"""What is found on both sides is believed if it differs by no larger a part."""

TURNS = ((1, 1), (-1, -1), (1, -1), (-1, 1))
"""Ways for inputs in turn, the first, the second and so on, to move together."""


class _Beside:
    """A function's values beside a sample, at many digits; `work` is nodes times evaluations."""

    def __init__(self, formula: Formula) -> None:
        self.names = formula.variables
        self.work = 0
        self.zeros: set[tuple[str, ...]] = set()
        self._tape = tape_of(formula)
        self._steps = any(step.row is not None and step.row.steps for step in self._tape.steps)
        self._evaluators: dict[int, ExactEvaluator] = {}

    def conditioning(self, cells: tuple[str, ...]) -> tuple[float, ...]:
        """|x_v (df/dx_v) / f| for each variable, the larger of both sides'; infinite beyond 10^30
        and where f is 0 and moves, even if only with several inputs ((x - 2)*(y - 2) at 2, 2).
        """
        # beside 10^200 a step of 10^-83 passes over all jumps of a floor, as if it had a slope
        jumps = self._steps and any(abs(float(cell)) > LARGE for cell in cells)
        if jumps:
            found = self._found(cells, MANY_DIGITS, last=True, part=2)
        else:
            found = self._found(cells, SOME_DIGITS)
            if found is None:
                found = self._found(cells, MANY_DIGITS, last=True)
        assert found is not None
        return found

    def _found(
        self, cells: tuple[str, ...], digits: int, *, last: bool = False, part: int = 3
    ) -> tuple[float, ...] | None:
        """`conditioning` with so many digits; None where more would tell more.

        They suffice if f is not 0, both sides of every input agree, and the size is at most 30
        digits. The step beside a sample is 10^-(digits/part) of it.
        """
        y = self._value(cells, digits)
        if y is None and last:
            return (math.inf,) * len(cells)
        if y is None or y == 0:
            if not last:
                return None
            self.zeros.add(cells)
        step = Decimal(1).scaleb(-digits // part)
        found = []
        for place in range(len(cells)):
            sizes = []
            for side in SIDES:
                by = Decimal(side) * step
                other = self._value(_moved(cells, {place: by}, digits), digits)
                if other is None:
                    continue  # outside the domain
                with working(_bits(digits)):
                    if contains_zero(other - y):
                        continue  # not moved
                    size = BALLS.inf if y == 0 else abs(other / y - 1) / arb(str(abs(by)))
                sizes.append(float(size) if size <= LARGEST_KAPPA else math.inf)
            if not last and (not _alike(sizes) or math.isinf(sizes[0])):  # or rounding alone
                return None
            found.append(max(sizes, default=0.0))
        if y == 0 and not any(found) and len(cells) > 1:
            found = self._moved_together(cells, digits)
        return tuple(found)

    def _moved_together(self, cells: tuple[str, ...], digits: int) -> list[float]:
        """Infinite for the inputs that move f, 0 here, only together with others."""
        step = Decimal(1).scaleb(-digits // 10)  # so that a product of several is not rounded off
        for turns in TURNS:
            by = {i: turns[i % 2] * (1 + i) * step for i in range(len(cells))}
            if self._is_nothing(_moved(cells, by, digits), digits):
                continue
            found = []
            for place in by:
                others = {i: part for i, part in by.items() if i != place}
                moves = self._is_nothing(_moved(cells, others, digits), digits)
                found.append(math.inf if moves else 0.0)
            return found if any(found) else [math.inf] * len(cells)
        return [0.0] * len(cells)

    def _is_nothing(self, cells: tuple[str, ...], digits: int) -> bool:
        value = self._value(cells, digits)
        return value is None or bool(value == 0)

    def _value(self, cells: tuple[str, ...], digits: int) -> Any:
        evaluator = self._evaluators.get(digits)
        if evaluator is None:
            bits = _bits(digits)
            evaluator = self._evaluators[digits] = ExactEvaluator(self._tape, bits, bits)
        self.work += len(self._tape) * (DEARER if digits == MANY_DIGITS else 1)
        sample = evaluator.sample(dict(zip(self.names, cells, strict=True)))
        return sample.y[-1] if sample.first_invalid is None else None


def _bits(digits: int) -> int:
    return int(digits * math.log2(10))


def _moved(cells: tuple[str, ...], by: Mapping[int, Decimal], digits: int) -> tuple[str, ...]:
    with localcontext(prec=digits):
        return tuple(
            [
                str(Decimal(cell) * (1 + by[place])) if place in by else cell
                for place, cell in enumerate(cells)
            ]
        )


def _alike(sizes: list[float]) -> bool:
    least, most = min(sizes, default=0.0), max(sizes, default=0.0)
    return len(sizes) == len(SIDES) and least >= (1 - NEAR) * most


def variable_slots(formula: Formula) -> tuple[int, ...]:
    """The slot in `class_tape` of each of `Formula.variables`.

    >>> from eic_core.formula.syntax import read
    >>> variable_slots(read("2*x + y").formula)
    (1, 3)
    """
    slots = {step.column: step.slot for step in class_tape(formula).steps if step.column}
    return tuple(slots[name] for name in formula.variables)


def own_squared(block: Arrivals, slots: tuple[int, ...]) -> Array:
    """1 + sum over the variables of (x_v df/dx_v / f)^2, shape (m,).

    It is laid out as `eic_core.explain.correlated.q_squared`.
    """
    with np.errstate(all="ignore"):
        total = 1.0 + np.sum(
            [np.zeros(block.stop - block.start), *(np.square(block.arrived[s]) for s in slots)],
            axis=0,
        )
    total[~(total <= SINGULAR_S2)] = math.inf
    return total
