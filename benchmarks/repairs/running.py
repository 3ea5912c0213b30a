"""Runs a case: its bits of error at held-out points before and after repair, and of known forms."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from benchmarks.repairs import fpcore
from benchmarks.repairs.cases import Case, Columns, Needs, bits_of_error, mean
from eic_core.engine.exact import GREAT_DEPTH, ExactEvaluator
from eic_core.engine.tape import tape_of
from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure.observed import run_in
from eic_core.rewriting import Repairs, repair
from eic_core.samples import Samples

HELD_OUT, SAMPLES = 256, 256
"""Points at which forms are compared, and others that are given to repair."""

HELD_OUT_SEED, SAMPLES_SEED = 1, 0

LIMIT = 2.0
"""Seconds that repair takes by default."""

WITHIN = 1.0
"""Bits by which a form may miss the best known one that it reaches."""

ACCURACY = 110
"""Bits to which exact values are known, which are then rounded to doubles."""

_BRANCH = re.compile(r"\bif\b")
"""In a form of either syntax."""

_ROUNDS = 6
"""The values may leave the range of doubles at most points: so often more are drawn."""


class Remains(Enum):
    """Why a case does not reach the best known form."""

    BRANCH = "branch"
    SERIES = "series"
    RANGE = "out of range"
    EXACT = "exact form not reached"


@dataclass(frozen=True)
class HeldOut:
    """Points with the exact values there, rounded to doubles."""

    columns: Columns
    exact: NDArray[np.float64]

    def bits(self, computed: NDArray[np.float64]) -> float:
        return float(np.mean(bits_of_error(computed, self.exact)))


@dataclass(frozen=True)
class Outcome:
    """What became of a case; bits are means over the held-out points."""

    case: Case
    before: float
    after: float  # As before, where nothing is repaired
    best: float  # Of the best known form; nan where none is known
    best_exact: float  # Of the best known form without a branch; inf where all have one
    lost_range: float  # Bits of `after` that fall on points without a value
    differing: int  # Held-out points at which the repair is not the formula, in exact numbers
    seconds: float  # Processor time of repair
    finished: bool
    form: str  # The repair; "" if there is none
    sentence: str
    refused: str = ""  # Why the case could not be run

    @property
    def reached(self) -> bool | None:
        """Whether the repair is as good as the best known form; None where none is known."""
        return None if math.isnan(self.best) else self.after <= self.best + WITHIN

    @property
    def remains(self) -> Remains | None:
        """Why the case does not reach the best known form; None if it does."""
        if self.reached is not False:
            return None
        if self.case.needs is Needs.SERIES:
            return Remains.SERIES
        if self.case.needs is Needs.BRANCH or self.best_exact > self.best + WITHIN:
            return Remains.BRANCH
        return Remains.RANGE if self.lost_range > self.after / 2 else Remains.EXACT


def run(case: Case, *, limit_seconds: float = LIMIT) -> Outcome:
    """Repair a case and measure what came of it.

    Parameters
    ----------
    case : Case
    limit_seconds : float
        Of processor time, so that other work on the machine changes nothing.
    """
    try:
        formula = case.read()
        held_out = draw_held_out(case, formula)
        samples = samples_for_repair(case, formula)
    except UserError as error:
        nan = math.nan
        return Outcome(case, nan, nan, nan, nan, nan, 0, 0.0, True, "", "", str(error))
    started = time.process_time()
    repairs = repair(formula, samples, limit_seconds=limit_seconds, clock=time.process_time)
    seconds = time.process_time() - started
    return _measured(case, formula, held_out, repairs, seconds)


def _measured(
    case: Case, formula: Formula, held_out: HeldOut, repairs: Repairs, seconds: float
) -> Outcome:
    before = held_out.bits(doubles(formula, held_out.columns))
    best = repairs.best
    computed = doubles(formula if best is None else best.formula, held_out.columns)
    bits = bits_of_error(computed, held_out.exact)
    without = ~np.isfinite(computed) | ((computed == 0) & (held_out.exact != 0))
    bits_by_form = {
        form: held_out.bits(known_doubles(case, form, held_out.columns))
        for form in case.known_forms
    }
    exact = [bits for form, bits in bits_by_form.items() if not _BRANCH.search(form)]
    return Outcome(
        case,
        before,
        float(np.mean(bits)),
        min(bits_by_form.values(), default=math.nan),
        min(exact, default=math.inf),
        float(np.sum(bits[without])) / len(bits),
        0 if best is None else differing_points(best.formula, held_out),
        seconds,
        repairs.finished,
        "" if best is None else best.text,
        str(repairs.sentence),
    )


def doubles(formula: Formula, columns: Columns) -> NDArray[np.float64]:
    """The values that NumPy gives it."""
    count = len(next(iter(columns.values())))
    with np.errstate(all="ignore"):
        return np.asarray(run_in(tape_of(formula), columns, count, "float64")[-1])


def known_doubles(case: Case, form: str, columns: Columns) -> NDArray[np.float64]:
    """The values of a known form in double precision."""
    if case.syntax == "fpcore":
        count = len(next(iter(columns.values())))
        return np.broadcast_to(fpcore.evaluate(fpcore.parse(form), columns), (count,))
    return doubles(read(form, columns=tuple(columns)).formula, columns)


def exact_doubles(formula: Formula, columns: Columns) -> NDArray[np.float64]:
    """The nearest double to each exact value; nan where there is none, inf beyond their range."""
    evaluator = ExactEvaluator(tape_of(formula), ACCURACY, GREAT_DEPTH)
    names = formula.variables
    values = []
    for row in zip(*(columns[name].tolist() for name in names), strict=True):
        sample = evaluator.sample(dict(zip(names, row, strict=True)))
        values.append(sample.doubles[-1] if sample.first_invalid is None else math.nan)
    return np.array(values)


def differing_points(form: Formula, held_out: HeldOut) -> int:
    """At how many points a form has another exact value, or none."""
    exact = exact_doubles(form, held_out.columns)
    return int(np.sum(~(bits_of_error(exact, held_out.exact) <= 1)))


def draw_held_out(case: Case, formula: Formula, count: int = HELD_OUT) -> HeldOut:
    """Points at which the exact value is finite in double precision."""
    columns, exact = _with_values(case, formula, count, HELD_OUT_SEED)
    return HeldOut(columns, exact)


def samples_for_repair(case: Case, formula: Formula, count: int = SAMPLES) -> Samples:
    """The points that repair gets."""
    if not case.points.filtered:
        return Samples.from_columns(case.points.draw(count, SAMPLES_SEED))
    return Samples.from_columns(_with_values(case, formula, count, SAMPLES_SEED)[0])


def _with_values(
    case: Case, formula: Formula, count: int, seed: int
) -> tuple[Columns, NDArray[np.float64]]:
    wanted = count
    for _ in range(_ROUNDS):
        columns = case.points.draw(wanted, seed)
        exact = np.empty(0)
        size = len(next(iter(columns.values())))
        place = 0
        while place < size and np.isfinite(exact).sum() < count:
            part = {name: column[place : place + count] for name, column in columns.items()}
            exact = np.concatenate([exact, exact_doubles(formula, part)])
            place += count
        rows = np.flatnonzero(np.isfinite(exact))[:count]
        if len(rows) == count:
            break
        wanted *= 2
    if not len(rows):
        raise UserError("no point has a value")
    return {name: column[rows] for name, column in columns.items()}, exact[rows]


def mean_of(outcomes: list[Outcome], value: Callable[[Outcome], float]) -> float:
    """The mean of a figure over those that have it."""
    return mean([value(o) for o in outcomes if not math.isnan(value(o))])
