"""Runs a case: its bits of error at held-out points before and after repair, and of known forms."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from time import process_time

import numpy as np
from numpy.typing import NDArray

from benchmarks.repairs import fpcore
from benchmarks.repairs.cases import Case, Columns, Needs, bits_of_error, mean
from benchmarks.repairs.series_checks import beyond_bound, rows_by_branch
from eic_core.effort import Effort
from eic_core.engine.exact import GREAT_DEPTH, ExactEvaluator
from eic_core.engine.tape import tape_of
from eic_core.errors import UserError
from eic_core.formula.syntax import read
from eic_core.formula.tree import Formula
from eic_core.measure.observed import run_in
from eic_core.rewriting import Repair, Repairs, repair
from eic_core.samples import Samples

HELD_OUT, SAMPLES = 256, 256
"""Points at which forms are compared, and others that are given to repair."""

HELD_OUT_SEED, SAMPLES_SEED = 1, 0

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

    def at(self, rows: NDArray[np.bool_]) -> HeldOut:
        """Some of the points."""
        return HeldOut({n: column[rows] for n, column in self.columns.items()}, self.exact[rows])


@dataclass(frozen=True)
class Offer:
    """The best form of a kind, and its bits at the held-out points; the formula as written where
    there is none.
    """

    bits: float
    text: str = ""
    lost_range: float = 0.0  # Bits of them that fall on points without a value
    is_exact: bool = True
    chooses: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of a case; bits are means over the held-out points."""

    case: Case
    before: float
    exact: Offer  # The best exact form that does not choose
    branches: Offer  # The best exact form
    series: Offer  # What is offered first, be it an approximation
    best: float  # Of the best known form; nan where none is known
    best_exact: float  # Of the best known form without a branch; inf where all have one
    # Held-out points at which an exact form, or an exact branch of another, is not the formula
    differing: int
    beyond: int  # Held-out points in the box of a series that is farther than its bound there
    seconds: float  # Processor time of repair
    finished: bool
    sentence: str
    refused: str = ""  # Why the case could not be run
    # Nodes, and nanoseconds of a call in C: as written, and of what is offered first, if it is
    lengths: tuple[tuple[float, float], ...] = ((math.nan, math.nan),)

    @property
    def after(self) -> float:
        return self.series.bits

    @property
    def form(self) -> str:
        """What is offered first; "" if nothing is."""
        return self.series.text

    @property
    def reached(self) -> bool | None:
        """Whether it is as good as the best known form; None where none is known."""
        return self.reached_by(self.series)

    def reached_by(self, offer: Offer) -> bool | None:
        """Whether this one is as good as the best known form; None where none is known."""
        return None if math.isnan(self.best) else offer.bits <= self.best + WITHIN

    @property
    def remains(self) -> Remains | None:
        """Why the case does not reach the best known form; None if it does."""
        if self.reached is not False:
            return None
        if self.case.needs is Needs.SERIES:
            return Remains.SERIES
        if self.case.needs is Needs.BRANCH or self.best_exact > self.best + WITHIN:
            return Remains.BRANCH
        return Remains.RANGE if self.series.lost_range > self.after / 2 else Remains.EXACT


def run(case: Case, *, effort: Effort = "normal") -> Outcome:
    """Repair a case and measure what came of it.

    Parameters
    ----------
    case : Case
    effort : Effort
        As `repair` takes it.
    """
    try:
        formula = case.read()
        held_out = draw_held_out(case, formula)
        samples = samples_for_repair(case, formula)
    except UserError as error:
        nothing = Offer(math.nan)
        figures = math.nan, nothing, nothing, nothing, math.nan, math.nan
        return Outcome(case, *figures, 0, 0, 0.0, True, "", str(error))
    started = process_time()
    repairs = repair(formula, samples, effort=effort)
    return measured(case, formula, held_out, repairs, process_time() - started)


def measured(
    case: Case, formula: Formula, held_out: HeldOut, repairs: Repairs, seconds: float
) -> Outcome:
    """What a case became, at points that repair never saw."""
    as_written = Offer(held_out.bits(doubles(formula, held_out.columns)))
    exact, leading = repairs.repairs, repairs.leading
    plain = next((form for form in exact if not form.branches), None)
    # Of a front the first form may be the quicker, so a later one that chooses is looked at, too
    choosing = next((form for form in exact if form.branches), None)
    offers = {
        form.text: _offer(form, held_out)
        for form in (plain, repairs.best, leading)
        if form is not None
    }

    def offered(form: Repair | None) -> Offer:
        return as_written if form is None else offers[form.text]

    forms = [f for f in (plain, choosing, repairs.best) if f is not None]
    unlike = {form.text: differing_points(form.formula, held_out) for form in forms}
    nearest = next(iter(repairs.approximations), None)
    near = (0, 0) if nearest is None else approximating_points(nearest, held_out)
    bits_by_form = {
        form: held_out.bits(known_doubles(case, form, held_out.columns))
        for form in case.known_forms
    }
    without_branch = [bits for form, bits in bits_by_form.items() if not _BRANCH.search(form)]
    return Outcome(
        case,
        as_written.bits,
        offered(plain),
        offered(repairs.best),
        offered(leading),
        min(bits_by_form.values(), default=math.nan),
        min(without_branch, default=math.inf),
        max([*unlike.values(), near[0]]),
        near[1],
        seconds,
        repairs.finished,
        str(repairs.sentence),
        lengths=tuple((f.formula.complexity, f.nanoseconds.c) for f in repairs.forms[:2])
        or Outcome.lengths,
    )


def _offer(form: Repair, held_out: HeldOut) -> Offer:
    computed = doubles(form.formula, held_out.columns)
    bits = bits_of_error(computed, held_out.exact)
    without = ~np.isfinite(computed) | ((computed == 0) & (held_out.exact != 0))
    lost_range = float(np.sum(bits[without])) / len(bits)
    return Offer(
        float(np.mean(bits)), form.text, lost_range, form.is_exact, chooses=bool(form.branches)
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
    for place in range(len(next(iter(columns.values())))):  # A form may have no variable
        sample = evaluator.sample({name: float(columns[name][place]) for name in names})
        values.append(sample.doubles[-1] if sample.first_invalid is None else math.nan)
    return np.array(values)


def differing_points(form: Formula, held_out: HeldOut) -> int:
    """At how many points a form has another exact value, or none."""
    exact = exact_doubles(form, held_out.columns)
    return int(np.sum(~(bits_of_error(exact, held_out.exact) <= 1)))


def approximating_points(form: Repair, held_out: HeldOut) -> tuple[int, int]:
    """At how many points an exact branch of an approximation is not the formula, and at how many
    of its branch a series is farther from its term than its bound.
    """
    differing = beyond = 0
    for branch, takes in rows_by_branch(form.branches, held_out.columns):
        if branch.series is not None:
            beyond += beyond_bound(branch.series, held_out.at(takes).columns)
        elif takes.any():
            differing += differing_points(branch.formula, held_out.at(takes))
    return differing, beyond


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
