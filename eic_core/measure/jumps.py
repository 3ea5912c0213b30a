"""The samples at which a rounding decides the result's value, where a formula has jumps.

Between jumps s says nothing of an operand that has lost its digits. So the formula runs several
times, each inexact step moved by a rounding or not, at random.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from eic_core.engine.amplify import Amplification
from eic_core.engine.branches import plain_values
from eic_core.engine.forward import evaluate, forward, leaves
from eic_core.engine.tape import SMALLEST_NORMAL, UNIT_ROUNDOFF, Step, Tape
from eic_core.exports import Plain
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.operators.wide import Array
from eic_core.samples import Samples

Rows = npt.NDArray[np.int64]

FAR = 10.0
"""A result is decided by a rounding where its values differ by more than so many times what its own
amplification says: by a digit."""

LARGEST = float(np.finfo(np.float64).max)

RUNS, FEWEST_RUNS = 16, 4
"""How often a formula is run with other roundings: less often where that would take long."""

MOST_WORK = 20_000_000
"""Nodes times samples times runs."""

_EXTENDED = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant


@dataclass(frozen=True)
class Undecided(Plain):
    """The rows at which a rounding decides the result, and the step that it turns there."""

    checked: int  # All valid samples
    rows: Rows = field(repr=False)
    nodes: Rows = field(repr=False)  # shape (m,), as the next two
    # The digits that the result loses: log10 of its relative error in units of roundoff; inf where
    # that is as large as the exact result
    digits: Array = field(repr=False)
    # Whether the step is turned by an over- or underflow on the way, and not by a rounding
    by_range: npt.NDArray[np.bool_] = field(repr=False)


@cached_on_inspection
def undecided(inspection: Inspection) -> Undecided:
    """The samples at which a rounding decides the result.

    But not those where no digit is right (s tells of those). The same data give the same answer.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [2.3, 7.0]})
    >>> result = undecided(inspect(read("sign((x + 1e16) - 1e16 - 2)").formula, samples))
    >>> result.rows.tolist(), result.nodes.tolist(), result.digits.tolist()  # x + 1e16 is off by 1
    ([0], [7], [inf])
    """
    amplification = inspection.amplification
    tape, valid = amplification.tape, amplification.valid
    steps = [step for step in tape.steps if _may_jump(step)]
    checked = int(np.count_nonzero(valid))
    none = np.empty(0, dtype=np.int64)
    if not steps:
        return Undecided(checked, none, none, np.empty(0), none.astype(bool))
    _, s = amplification.trace(inspection.formula.root.id)
    rows = np.flatnonzero(valid & np.isfinite(s))
    runs = _Runs(inspection, rows, steps)
    explained = FAR * UNIT_ROUNDOFF * s[rows]
    spread = np.fmax(*(relative_error(end, runs.exact_result) for end in (runs.low, runs.high)))
    far = (spread > explained) & np.any(runs.turned, axis=0)
    far &= ~(runs.ranged & ~np.isfinite(runs.plain_result))  # such a row is told as a lost value
    nodes, most = np.full(len(rows), -1), np.zeros(len(rows))
    for place, step in enumerate(steps):
        members = set(tape.members(step.slot)) - {step.slot}
        below = [k for k, other in enumerate(steps) if other.slot in members]
        turned = runs.turned[place] & far & ~np.any(runs.turned[below], axis=0)
        alone = ~np.any(np.delete(runs.turned, place, axis=0), axis=0)
        moved = np.where(alone, spread, runs.moved_by(place)) if (turned & ~alone).any() else spread
        turned &= (moved > explained) & (moved > most)
        nodes[turned], most[turned] = step.node, moved[turned]
    decided = nodes >= 0  # elsewhere no step alone moves it
    return Undecided(
        checked,
        rows[decided],
        nodes[decided],
        digits_of_errors(most[decided]),
        runs.ranged[decided],
    )


def with_exact(amplification: Amplification, rows: Rows, values: Sequence[Array]) -> list[Array]:
    """Values by slot at some samples, but those of balls where these are known."""
    exact = [y.copy() for y in values]
    for slot, y in enumerate(exact):
        own_rows, better, _ = amplification.exact.of_slot(slot)
        place = np.searchsorted(own_rows, rows)
        at = np.flatnonzero(np.isin(rows, own_rows))
        y[at] = better[place[at]]
    return exact


def relative_error(result: Array, exact: Array) -> Array:
    """The distance from the exact result, in units of that; inf if only one has a value."""
    with np.errstate(all="ignore"):
        error = np.abs(result - exact) / np.abs(exact)
    return np.where(result == exact, 0.0, np.where(np.isnan(error), math.inf, error))


def digits_of_errors(errors: Array) -> Array:
    """Digits lost by results with these relative errors; inf where no digit is right.

    >>> digits_of_errors(np.array([0.0, 1e-3, 1.0])).round(2).tolist()
    [0.0, 12.95, inf]
    """
    with np.errstate(divide="ignore"):
        digits = np.maximum(0.0, np.log10(errors / UNIT_ROUNDOFF))
    return np.where(errors < 1, digits, math.inf)


def _may_jump(step: Step) -> bool:
    return step.row is not None and (step.row.jumps or step.row.compares)


class _Runs:
    """Several runs of a formula at some samples, each with other roundings.

    - `low`, `high`, shape (m,): the extreme results, the exact one included, or nan.
    - `turned`, shape (jumps, m): where each step's value differs from the plain run's.
    - `plain_result`, `exact_result`, shape (m,): equal without an exact run.
    - `ranged`, shape (m,): where some value of the plain run leaves the range of doubles.
    """

    def __init__(self, inspection: Inspection, rows: Rows, steps: Sequence[Step]) -> None:
        amplification = inspection.amplification
        tape, samples, count = amplification.tape, inspection.samples.take(rows), len(rows)
        self._tape, self._samples, self._steps = tape, samples, steps
        runs = max(FEWEST_RUNS, min(RUNS, MOST_WORK // max(1, len(tape) * count)))
        rng = np.random.default_rng(0)
        plain = plain_values(tape, samples.columns, count)
        inexact = [_inexact(step, plain) for step in tape.steps]
        exact = with_exact(amplification, rows, plain)
        self.plain_result, self.exact_result = plain[-1], exact[-1]
        longer = _longer_values(tape, samples)
        self.ranged = np.zeros(count, dtype=bool)
        for y in longer:
            self.ranged |= (np.abs(y) > LARGEST) | ((np.abs(y) < SMALLEST_NORMAL) & (y != 0))
        with np.errstate(over="ignore"):
            shortened = [y.astype(np.float64) for y in longer]
        self._other = [plain[step.slot].copy() for step in steps]
        self.low = np.minimum(plain[-1], exact[-1])
        self.high = np.maximum(plain[-1], exact[-1])
        self.turned = np.zeros((len(steps), count), dtype=bool)
        active = [amplification.evaluated(step.node)[rows] for step in steps]
        moved = (_moved_values(tape, samples, inexact, rng) for _ in range(runs))
        for values in chain([shortened, exact], moved):
            self.low = np.minimum(self.low, values[-1])
            self.high = np.maximum(self.high, values[-1])
            for place, step in enumerate(steps):
                turned = _differ(step, plain, values) & active[place]
                self._other[place][turned] = values[step.slot][turned]
                self.turned[place] |= turned

    def moved_by(self, place: int) -> Array:
        """The plain result's move with a step alone, in units of the exact result."""
        substitutes = {self._steps[place].slot: self._other[place]}
        samples = self._samples
        moved = plain_values(self._tape, samples.columns, len(samples), substitutes)[-1]
        with np.errstate(all="ignore"):
            far = np.abs(moved - self.plain_result) / np.abs(self.exact_result)
        return np.where(moved == self.plain_result, 0.0, np.where(np.isnan(far), math.inf, far))


def _differ(step: Step, plain: list[Any], values: list[Any]) -> npt.NDArray[np.bool_]:
    """Where a step jumps between two runs; a remainder does by a divisor."""
    assert step.row is not None
    one, other = plain[step.slot], values[step.slot]
    own = 0.0 if step.row.steps or step.row.compares else 1e-9
    with np.errstate(invalid="ignore"):
        least = own * np.fmax(np.abs(one), np.abs(other))
        if step.row.multiples:
            least = 0.5 * np.abs(plain[step.operands[1]])
        apart = np.abs(one - other) > least
    return np.asarray(apart | (np.isnan(one) != np.isnan(other)))


def _longer_values(tape: Tape, samples: Samples) -> list[Any]:
    columns = {name: np.asarray(y, np.longdouble) for name, y in samples.columns.items()}
    try:
        return plain_values(tape, columns, len(samples))
    except TypeError:  # a function that there is for doubles only
        return plain_values(tape, samples.columns, len(samples))


def _moved_values(
    tape: Tape, samples: Samples, inexact: Sequence[Any], rng: np.random.Generator
) -> list[Any]:
    def apply(step: Step, operands: list[Any]) -> Array:
        y, rounds = np.broadcast_to(evaluate(step, operands), (len(samples),)), inexact[step.slot]
        if rounds is None:
            return y
        return np.where(rounds, _rounded_otherwise(step, operands, y, rng), y)

    return forward(tape, leaves(samples.columns), apply)


def _rounded_otherwise(
    step: Step, operands: Sequence[Any], y: Array, rng: np.random.Generator
) -> Array:
    """A step's values, some of them the double on the other side of the exact value.

    Without a longer type to tell the side, the next one up or down.
    """
    longer = _longer(step, operands)
    if longer is not None:
        aside = np.nextafter(y, np.where(longer > y, math.inf, -math.inf))
        return np.where((longer != y) & (rng.integers(0, 2, len(y), np.int8) == 1), aside, y)
    return np.asarray(y * (1 + rng.integers(-1, 2, len(y), np.int8) * (1.5 * UNIT_ROUNDOFF)))


def _inexact(step: Step, plain: Sequence[Any]) -> Any:
    """Where a step rounds, by a longer type; None where it never does."""
    row = step.row
    if row is None or row.truth or row.chooses or row.selects or row.steps:
        return None
    operands, y = [plain[i] for i in step.operands], plain[step.slot]
    longer = _longer(step, operands)
    if longer is not None:
        return np.asarray(longer != y)
    return np.any([a != np.rint(a) for a in (y, *operands)], axis=0) | _EXTENDED


def _longer(step: Step, operands: Sequence[Any]) -> Any | None:
    """A step's values by a longer type; None without one, or if it is for doubles only."""
    if _EXTENDED:
        with suppress(TypeError), np.errstate(all="ignore"):
            return evaluate(step, [np.asarray(a, np.longdouble) for a in operands])
    return None
