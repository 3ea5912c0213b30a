"""The function's own conditioning: what no way of writing it can avoid.

A relative error of the inputs moves the value of f by its condition numbers
x_v (df/dx_v) / f, whatever the expression; the result itself is rounded once.  With
derivatives taken along the tree and summed over the places of each variable,

    own = 1/2 log10 E[1 + sum_v (x_v (df/dx_v) / f)^2],

constants being exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt

from eic_core.engine.adjoint import Arrivals
from eic_core.engine.exact import MANY_DIGITS, ExactEvaluator
from eic_core.engine.tape import SINGULAR_S2, tape_of
from eic_core.explain.correlated import MeanOfFinite, class_sweep, class_tape
from eic_core.exports import Plain
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import local_eic
from eic_core.operators.wide import Array
from eic_core.samples import Samples

BESIDE = Decimal("1e-300")
"""How far beside a sample its function is evaluated, in units of the input."""

_BESIDE = mpmath.mpf("1e-300")

LARGEST_KAPPA = math.sqrt(SINGULAR_S2)

MOST_SETTLED = 100
"""Different samples of a block at which that is done, evenly spaced."""


@dataclass(frozen=True)
class VariableConditioning:
    """How strongly the value depends on one input.

    Attributes
    ----------
    name : str
    rms : float
        Root mean square of x_v (df/dx_v) / f over the samples with finite conditioning.
    largest : float
        Its largest size there.
    share : float
        Its part of the mean of 1 + sum_v (...)^2, 0 to 1.
    """

    name: str
    rms: float
    largest: float
    share: float

    JSON = ("name", "rms", "largest", "share")


@dataclass(frozen=True)
class OwnConditioning(Plain):
    """The conditioning of the function that a formula stands for, on a data set.

    Attributes
    ----------
    formula : Formula
    samples : Samples
    own : float
        Digits: inf if the conditioning is infinite at a sample; nan if none is valid.
    own_finite : float
        The same without those samples; nan if none remain.
    variables : tuple of VariableConditioning
        In order of first appearance.
    valid, singular : int
        Samples with a real value at every node, and those of them where it is infinite.
    """

    formula: Formula = field(repr=False)
    samples: Samples = field(repr=False)
    own: float
    own_finite: float
    variables: tuple[VariableConditioning, ...]
    valid: int
    singular: int

    JSON = ("own", "own_finite", "valid", "singular", "variables")


def own_conditioning(
    formula: Formula, samples: Samples, *, recheck: bool = True
) -> OwnConditioning:
    """The function's own conditioning on a data set.

    Parameters
    ----------
    formula : Formula
    samples : Samples
        With a column for each variable.
    recheck : bool
        Whether to settle at 60 digits the samples that double precision cannot.

    Raises
    ------
    DataError
        If a variable has no column.

    Notes
    -----
    Two formulas for the same function have the same `own`.  Where f is 0 the rules of
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
    """What `own_conditioning` gathers from the blocks of a `class_sweep`.

    Where the conditioning is infinite, or the writing loses every digit, derivatives along the tree
    do not tell: at 60 digits (1 - cos(x))/sin(x) is 0 at 1e-100, of x**2 - x*x rounding is left,
    and at a tie of a maximum one operand speaks for both.  There the function is evaluated beside
    the sample, at many digits.

    Parameters
    ----------
    formula : Formula
    samples : Samples
    recheck : bool
        Whether these samples are looked at with many digits.
    """

    def __init__(self, formula: Formula, samples: Samples, *, recheck: bool = True) -> None:
        self.formula, self.samples, self.recheck = formula, samples, recheck
        self.slots = variable_slots(formula)
        self._total = MeanOfFinite()
        self._parts = [MeanOfFinite() for _ in self.slots]
        self._largest = [0.0] * len(self.slots)

    def add(self, block: Arrivals, doubtful: npt.NDArray[np.bool_] | None = None) -> Array:
        """Add a block; its own^2 comes back.

        Parameters
        ----------
        block : Arrivals
        doubtful : ndarray of bool, shape (m,), optional
            Samples at which no digit is left by some other measure.
        """
        own2 = own_squared(block, self.slots)
        unsure = np.isinf(own2) if doubtful is None else np.isinf(own2) | doubtful
        unsure &= block.ok
        if self.recheck and unsure.any():
            own2 = self._settle(block, np.flatnonzero(unsure))
        self._total.add(own2, block.ok)
        usable = block.ok & np.isfinite(own2)
        for i, slot in enumerate(self.slots):
            moved = np.abs(block.arrived[slot])
            with np.errstate(over="ignore"):
                self._parts[i].add(np.square(moved), usable)
            self._largest[i] = max(self._largest[i], float(np.max(moved[usable], initial=0.0)))
        return own2

    def _settle(self, block: Arrivals, rows: npt.NDArray[np.intp]) -> Array:
        """The block's own^2, with what arrives from the inputs at some rows found anew."""
        cells = [
            tuple([self.samples.decimal(name, row) for name in self.formula.variables])
            for row in (block.start + rows).tolist()
        ]
        different = list(dict.fromkeys(cells))
        chosen = different[:: math.ceil(len(different) / MOST_SETTLED)]
        beside = _Beside(self.formula)
        found = {cell: beside.conditioning(cell) for cell in chosen}
        if len({tuple(np.isinf(known)) for known in found.values()}) == 1:
            alike = next(iter(found.values()))  # so are the others, where some were left out
            if np.isinf(alike).any() or not any(alike):
                found = dict.fromkeys(different, alike)
        for row, cell in zip(rows.tolist(), cells, strict=True):
            for slot, kappa in zip(self.slots, found.get(cell, ()), strict=False):
                block.arrived[slot][row] = kappa
        return own_squared(block, self.slots)

    def result(self) -> OwnConditioning:
        """The means."""
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
        )


class _Beside:
    """A function's values beside a sample, at many digits."""

    def __init__(self, formula: Formula) -> None:
        self.names = formula.variables
        self.evaluator = ExactEvaluator(tape_of(formula), MANY_DIGITS)

    def conditioning(self, cells: tuple[str, ...]) -> tuple[float, ...]:
        """The size of x_v (df/dx_v) / f for each variable, the larger of both sides'.

        Infinite beyond 10^30, and where f is 0 and moves; 0 where it does not.
        """
        y = self._value(cells)
        if y is None:
            return (math.inf,) * len(cells)
        found = []
        for place, cell in enumerate(cells):
            moved = 0.0
            for side in (1, -1):
                with localcontext(prec=MANY_DIGITS):
                    there = str(Decimal(cell) * (1 + side * BESIDE))
                other = self._value((*cells[:place], there, *cells[place + 1 :]))
                if other is None or other == y:
                    continue  # outside the domain, or not moved
                moved = max(moved, math.inf if not y else float(abs(other / y - 1) / _BESIDE))
            found.append(moved if moved <= LARGEST_KAPPA else math.inf)
        return tuple(found)

    def _value(self, cells: tuple[str, ...]) -> Any:
        sample = self.evaluator.sample(dict(zip(self.names, cells, strict=True)))
        return sample.y[-1] if sample.first_invalid is None else None


def variable_slots(formula: Formula) -> tuple[int, ...]:
    """The slot in `class_tape` of each of `Formula.variables`.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> variable_slots(read("2*x + y").formula)
    (1, 3)
    """
    slots = {step.column: step.slot for step in class_tape(formula).steps if step.column}
    return tuple(slots[name] for name in formula.variables)


def own_squared(block: Arrivals, slots: tuple[int, ...]) -> Array:
    """1 + sum over the variables of (x_v df/dx_v / f)^2 at each sample.

    Parameters
    ----------
    block : Arrivals
        From `class_sweep`.
    slots : tuple of int
        Those of the variables: `variable_slots`.

    Returns
    -------
    ndarray, shape (m,)
        1 or more; inf where singular; meaningless where not `block.ok`.
    """
    with np.errstate(all="ignore"):
        total = 1.0 + np.sum(
            [np.zeros(block.stop - block.start), *(np.square(block.arrived[s]) for s in slots)],
            axis=0,
        )
    total[~(total <= SINGULAR_S2)] = math.inf
    return total
