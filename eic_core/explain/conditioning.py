"""The function's own conditioning: the loss that no way of writing it can avoid.

With exact constants and derivatives summed over the places of each variable,

    own = 1/2 log10 E[1 + sum_v (x_v (df/dx_v) / f)^2].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb

from eic_core.engine.amplify import Amplification
from eic_core.engine.branches import plain_values
from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import SINGULAR_S2, tape_of
from eic_core.errors import require
from eic_core.explain.losses import NoiseByRow, mean_of, shared_noise
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
    # Further samples at which nothing tells it: too many had to be looked at closely, or f is 0 and
    # does not move as far as `MANY_DIGITS` show, but that is not proved
    unsettled: int = 0
    # Samples at which the writing keeps no digit, and f is 0, and stays 0 where an input has an
    # error or is 0 no more
    nothing: int = 0
    # shape (N,): own^2; nan without a value or unsettled
    by_row: Array = field(default_factory=lambda: np.empty(0), repr=False, compare=False)

    _JSON = ("own", "own_finite", "valid", "singular", "unsettled", "variables")


def own_conditioning(
    formula: Formula,
    samples: Samples,
    *,
    recheck: bool = True,
    amplification: Amplification | None = None,
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
    amplification
        The formula's on these samples or more, if it is known.

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
    require(formula, Formula)
    require(samples, Samples)
    noise = shared_noise(formula, samples, recheck=recheck, amplification=amplification)
    unsure = np.isinf(noise.q2) | on_threshold(formula, samples) if recheck else None
    return conditioning_of(formula, samples, noise, unsure)


def conditioning_of(
    formula: Formula,
    samples: Samples,
    noise: NoiseByRow,
    unsure: npt.NDArray[np.bool_] | None,
) -> OwnConditioning:
    """`own_conditioning` of a formula whose shared noise is known.

    Derivatives along the tree fail where the conditioning is infinite, and where the samples are
    `unsure`: the writing loses every digit there (in doubles (1 - cos(x))/sin(x) is 0 at 1e-100),
    or they are on a threshold. There the function is evaluated beside the sample at many digits;
    samples beyond `MOST_WORK` (`unsettled`) enter no number. None looks at no sample so.
    """
    valid, kappas, nothing = ~np.isnan(noise.q2), noise.variables.copy(), 0
    if unsure is not None:
        beside = _Beside(formula)
        for row in np.flatnonzero(valid & (unsure | np.isinf(_own_squared(kappas)))).tolist():
            cells = samples.cells(formula.variables, row)
            kappas[:, row] = beside.conditioning(cells)
            nothing += cells in beside.zeros and math.isinf(noise.q2[row])
    unsettled = valid & np.isnan(kappas).any(axis=0)
    own2 = np.where(valid & ~unsettled, _own_squared(kappas), math.nan)
    mean = mean_of(own2)
    moved = np.abs(kappas.compress(np.isfinite(own2), axis=1))
    squares = np.square(moved).sum(axis=1) / (mean.finite_count or math.nan)
    largest = np.fmax.reduce(moved, axis=1, initial=math.nan)
    numbers = [each.tolist() for each in (np.sqrt(squares), largest, squares / mean.finite)]
    return OwnConditioning(
        formula=formula,
        samples=samples,
        own=local_eic(mean.every),
        own_finite=local_eic(mean.finite),
        variables=tuple(map(VariableConditioning, formula.variables, *numbers)),
        valid=mean.finite_count + mean.infinite,
        singular=mean.infinite,
        unsettled=int(np.count_nonzero(unsettled)),
        nothing=nothing,
        by_row=own2,
    )


def _own_squared(kappas: Array) -> Array:
    with np.errstate(all="ignore"):
        total = np.square(kappas).sum(axis=0)
    return np.where(total <= SINGULAR_S2, 1.0 + total, math.inf)


def on_threshold(formula: Formula, samples: Samples) -> npt.NDArray[np.bool_]:
    """Where both sides of a condition are equal, or two operands of a min or max: there a sweep
    follows the steeper branch, or all that attain the value at once.
    """
    tape, count = tape_of(formula), len(samples)
    equal = np.zeros(count, dtype=bool)
    steps = [s for s in tape.steps if s.row is not None and (s.row.compares or s.row.selects)]
    if steps:
        y = plain_values(tape, samples.columns, count)
        for step in steps:
            for i, j in itertools.combinations(dict.fromkeys(step.operands), 2):
                equal |= y[i] == y[j]
    return equal


SIDES = (1.0, -0.618034)
"""A sample is left by so much to either side: not by equal parts, which would be rounded alike."""

LARGE = 1e30
"""A larger input of a formula with jumps is left by less than a jump of 1."""

NEAR = 1e-6
"""What is found on both sides is believed if it differs by no larger a part."""

TURNS = ((1, 1), (-1, -1), (1, -1), (-1, 1))
"""Ways for inputs in turn, the first, the second and so on, to move together."""


OFF_ZERO = Decimal("1e-9")
"""What an input of 0 is put to: beside it exp(x) - 1 is another function than 0."""


class _Beside:
    """A function's values beside a sample, at many digits; `work` is nodes times evaluations."""

    def __init__(self, formula: Formula) -> None:
        self.names = formula.variables
        self.work = 0
        self.zeros: set[tuple[str, ...]] = set()
        self._results: dict[tuple[str, ...], tuple[float, ...]] = {}
        self._tape = tape_of(formula)
        self._steps = any(step.row is not None and step.row.steps for step in self._tape.steps)
        self._evaluators = {
            digits: ExactEvaluator(self._tape, _bits(digits), _bits(digits))
            for digits in (SOME_DIGITS, MANY_DIGITS)
        }

    def conditioning(self, cells: tuple[str, ...]) -> tuple[float, ...]:
        """|x_v (df/dx_v) / f| for each variable, the larger of both sides'; infinite beyond 10^30
        and where f is 0 and moves, even if only with several inputs ((x - 2)*(y - 2) at 2, 2).
        nan beyond `MOST_WORK`, and where it is not told.
        """
        if cells not in self._results:
            if len(self._results) >= FEWEST_SETTLED and self.work >= MOST_WORK:
                return (math.nan,) * len(cells)
            self._results[cells] = self._conditioning(cells)
        return self._results[cells]

    def _conditioning(self, cells: tuple[str, ...]) -> tuple[float, ...]:
        # beside 10^200 a step of 10^-83 passes over all jumps of a floor, as if it had a slope
        large = self._steps and any(abs(float(cell)) > LARGE for cell in cells)
        y = None if large else self._value(cells, SOME_DIGITS, {})
        if y is None or y == 0:
            return self._with_many_digits(cells, 2 if large else 3)
        sizes: list[float] = []
        for place in range(len(cells)):
            both = self._sizes(cells, place, y, SOME_DIGITS, 3)
            if not _alike(both):  # more digits tell more
                return self._with_many_digits(cells, 3)
            sizes.append(max(both))
        return tuple(sizes)

    def _with_many_digits(self, cells: tuple[str, ...], part: int) -> tuple[float, ...]:
        y = self._value(cells, MANY_DIGITS, {})
        if y is None:
            return (math.inf,) * len(cells)
        sizes = [self._sizes(cells, i, y, MANY_DIGITS, part) for i in range(len(cells))]
        found = [max(both, default=0.0) for both in sizes]
        if y == 0 and not any(found) and len(cells) > 1:
            found = self._moved_together(cells)
        if y == 0 and not any(found):
            at = dict(zip(self.names, cells, strict=True))
            if not self._evaluators[MANY_DIGITS].sample(at).proven:
                return (math.nan,) * len(cells)  # 1 - erf(1000): too small to see it move
            if self._is_zero_off_zeros(cells):
                self.zeros.add(cells)
        return tuple(found)

    def _sizes(
        self, cells: tuple[str, ...], place: int, y: Any, digits: int, part: int
    ) -> list[float]:
        """|x_v (df/dx_v) / f| to each side where f has another value, 10^-(digits/part) of the
        input away.
        """
        sizes = []
        for side in SIDES:
            by = Decimal(side).scaleb(-digits // part)
            other = self._value(cells, digits, {place: by})
            if other is None:
                continue  # outside the domain
            with working(_bits(digits)):
                if contains_zero(other - y):
                    continue  # not moved
                size = BALLS.inf if y == 0 else abs(other / y - 1) / arb(str(abs(by)))
            sizes.append(float(size) if size <= LARGEST_KAPPA else math.inf)
        return sizes

    def _moved_together(self, cells: tuple[str, ...]) -> list[float]:
        """Infinite for the inputs that move f, 0 here, only together with others."""
        # so far away that a product of several is not rounded off
        step = Decimal(1).scaleb(-MANY_DIGITS // 10)
        for turns in TURNS:
            by = {i: turns[i % 2] * (1 + i) * step for i in range(len(cells))}
            if not self._is_nothing(cells, by):
                others = [{i: by[i] for i in by if i != place} for place in by]
                stays = [self._is_nothing(cells, other) for other in others]
                return [math.inf if stay or not any(stays) else 0.0 for stay in stays]
        return [0.0] * len(cells)

    def _is_zero_off_zeros(self, cells: tuple[str, ...]) -> bool:
        """Whether f is 0, too, where inputs of 0 are others, which errors in proportion leave."""
        off = [
            tuple([str(side * OFF_ZERO) if Decimal(cell) == 0 else cell for cell in cells])
            for side in (1, -1)
        ]
        return all(self._is_nothing(other, {}) for other in off if other != cells)

    def _is_nothing(self, cells: tuple[str, ...], by: Mapping[int, Decimal]) -> bool:
        value = self._value(cells, MANY_DIGITS, by)
        return value is None or bool(value == 0)

    def _value(self, cells: tuple[str, ...], digits: int, by: Mapping[int, Decimal]) -> Any:
        """f where inputs are moved by such a part of them; None outside its domain."""
        with localcontext(prec=digits):
            moved = {i: str(Decimal(cells[i]) * (1 + part)) for i, part in by.items()}
        at = {name: moved.get(i, cells[i]) for i, name in enumerate(self.names)}
        self.work += len(self._tape) * (DEARER if digits == MANY_DIGITS else 1)
        sample = self._evaluators[digits].sample(at)
        return sample.y[-1] if sample.first_invalid is None else None


def _bits(digits: int) -> int:
    return int(digits * math.log2(10))


def _alike(sizes: list[float]) -> bool:
    """Whether both sides tell the same finite size, and no rounding alone."""
    least, most = min(sizes, default=0.0), max(sizes, default=0.0)
    return len(sizes) == len(SIDES) and (1 - NEAR) * most <= least < math.inf
