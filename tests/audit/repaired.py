"""Whether each form that is offered instead is what it says, at 200 digits and more.

An exact form, and an exact branch where a program takes it, has the value of the formula to 1e-100;
a series is within its bound of its term in its box. The values are mpmath's: they share no code
with the balls by which forms are verified and bounds proved. The points were never seen by repair:
fresh rows of the same kind, the neighbours of each threshold, and the ends of each box.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

from benchmarks.repairs.series_checks import Rows, rows_by_branch, rows_in_box
from eic_core.effort import Effort
from eic_core.formula.syntax import read
from eic_core.formula.tree import CONSTANT, Formula
from eic_core.rewriting import Repair, Repairs, repair
from eic_core.rewriting.pieces import Branch, Series
from eic_core.samples import Samples
from tests.audit.cancelling import Columns, Drawn, cancelling
from tests.core.rewriting.rewriting_oracle import MP, NoValue, TooFar, number, value
from tests.oracle import BeyondReach

ROWS, POINTS, EDGES = 120, 24, 24
"""Rows that repair gets; fresh rows, and rows at thresholds and ends, where forms are compared."""

LEAST_DIGITS, MOST_DIGITS, DIGITS_A_DECADE = 200, 6400, 8

SAME = 100
"""Digits to which exact forms agree."""

PHASE_BITS, LARGEST_BITS = 1200, 20_000
"""Sizes of the argument of a function that turns, and of another, that are followed."""


# --- values at many digits ---


def value_at(formula: Formula, row: Mapping[str, float]) -> Any:
    """The value to `SAME` digits and more: 200 digits are taken, and more until two agree.
    Cells far from 1 have more from the start: their eighth powers may stand beside 1.

    Raises
    ------
    NoValue
        Outside the real domain, or too far out.
    """
    if not all(map(math.isfinite, row.values())):
        raise NoValue
    decades = max((abs(math.log10(abs(cell))) for cell in row.values() if cell), default=0.0)
    tree, digits, last = formula.to_draft(), LEAST_DIGITS + int(DIGITS_A_DECADE * decades), None
    while True:
        with MP.workdps(digits):
            bindings = {name: MP.mpf(cell) for name, cell in row.items()}
            try:
                result = value(tree, bindings, largest=LARGEST_BITS, phase=PHASE_BITS)
            except TooFar:
                raise
            except (NoValue, BeyondReach):
                result = None
            if result and last and _agree(last, result):
                return result
        # 0, or no value, may be a difference that has no digit yet
        if digits >= MOST_DIGITS:
            break
        last, digits = result, 2 * digits
    if result is None and last is None:
        raise NoValue
    if result == 0 == last:
        return result
    raise TooFar


def _agree(last: Any, result: Any) -> bool:
    return bool(abs(last - result) <= MP.mpf(10) ** -(SAME + 20) * abs(result))


# --- the audit of one formula ---


@dataclass
class Findings:
    """What an audit counted, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    worst: float = 0.0  # The largest error of a series in its box, over its bound
    worst_of: str = ""
    whole: float = 0.0  # The largest relative error of a branch with a series, of the whole formula

    def add(self, drawn: Drawn, effort: Effort) -> None:
        """Repair a formula and hold the answer to values at many digits."""
        samples = Samples.from_columns(drawn.columns(ROWS, 0))
        started = process_time()
        self.counts["cases"] += 1
        try:
            repairs = repair(drawn.formula, samples, effort=effort)
        except Exception as error:  # The audit goes on
            self.faults.append(f"{drawn}\n    no answer: {error!r}")
            return
        self.seconds.append(process_time() - started)
        self.counts["cut short"] += not repairs.finished
        self.counts["with a repair"] += bool(repairs.repairs)
        self.counts["with an approximation"] += bool(repairs.approximations)
        for why in repairs.left_out:
            self.counts[f"left out: {why.name.lower()}"] += 1
        self.judge(str(drawn), repairs, drawn.columns(POINTS, 1))

    def judge(self, name: str, repairs: Repairs, fresh: Columns) -> None:
        """Every form of an answer, at fresh rows and at the places that the form itself names."""
        for form in (*repairs.repairs, *repairs.approximations):
            in_front = form in repairs.repairs
            if in_front != form.is_exact:
                self._fault(name, form, "an approximation among the exact forms, or the reverse")
            columns = tuple(fresh)
            if read(form.text, columns=columns).formula.structure() != form.formula.structure():
                self._fault(name, form, "its text reads back as another tree")
            self._judge(name, repairs.formula, form, _with_edges(form, fresh))

    def _judge(self, name: str, formula: Formula, form: Repair, points: Columns) -> None:
        original = [_value_or_none(formula, row) for row in _rows(points)]
        if not form.branches:
            self.counts["plain forms"] += 1
            self._compare(name, form, form.formula, original, points)
            return
        self.counts["forms that choose" if form.is_exact else "approximations"] += 1
        if form.is_exact:  # As a whole, where the conditions are decided exactly
            self._compare(name, form, form.formula, original, points)
        for branch, takes in rows_by_branch(form.branches, points):
            rows = np.flatnonzero(takes)
            part = {column: values[rows] for column, values in points.items()}
            exact = [original[i] for i in rows]
            if branch.series is None:
                self._compare(name, form, branch.formula, exact, part)
                continue
            self.counts["series"] += 1
            series = branch.series
            inside = rows_in_box(series, points)
            if series.variable not in points:  # The box says nothing of the quantity
                inside &= takes
            self._compare_series(name, form, series, points, inside)
            self._note_whole(branch, series, exact, part)

    def _compare(
        self, name: str, form: Repair, other: Formula, exact: Sequence[Any], points: Columns
    ) -> None:
        for row, expected in zip(_rows(points), exact, strict=True):
            if expected is None:
                continue
            self.counts["points of exact forms"] += 1
            try:
                value = value_at(other, row)
            except TooFar:
                self.counts["points too far out"] += 1
                continue
            except NoValue:
                if not all(_holds_at(text, row) for text in form.assumptions):
                    self.counts["points outside of an assumption"] += 1
                    continue
                self._fault(name, form, f"has no value at {dict(row)}")
                return
            with MP.workdps(LEAST_DIGITS):
                if abs(value - expected) > MP.mpf(10) ** -SAME * abs(expected):
                    error = float(abs(value / expected - 1)) if expected else math.inf
                    self._fault(name, form, f"is off by {error:.1e} at {dict(row)}")
                    return

    def _compare_series(
        self, name: str, form: Repair, series: Series, points: Columns, inside: Rows
    ) -> None:
        names = tuple(points)
        term, other = (
            read(text, columns=names).formula for text in (series.replaced, series.written)
        )
        for row, takes in zip(_rows(points), inside.tolist(), strict=True):
            if not takes:
                continue
            exact, value = _value_or_none(term, row), _value_or_none(other, row)
            if exact is None:
                continue
            if value is None:
                self._fault(name, form, f"its series has no value at {dict(row)}")
                return
            self.counts["points of series"] += 1
            with MP.workdps(LEAST_DIGITS):
                if exact == value:
                    continue
                error = abs(value / exact - 1) if exact else MP.inf
                # A series that ends is its term: the bound is 0
                ratio = float(error / max(series.bound, MP.mpf(10) ** -SAME))
            if ratio > self.worst:
                self.worst, self.worst_of = ratio, f"{name}: {series.written} for {series.replaced}"
            if not ratio <= 1:
                self._fault(name, form, f"its series is {ratio:.3g} times its bound at {dict(row)}")
                return

    def _note_whole(
        self, branch: Branch, series: Series, exact: Sequence[Any], points: Columns
    ) -> None:
        """How far a branch with a series is from the formula where a program takes it."""
        inside = rows_in_box(series, points)
        for row, within, expected in zip(_rows(points), inside.tolist(), exact, strict=True):
            self.counts["rows that take a series"] += 1
            self.counts["rows that take a series outside of its box"] += not within
            value = _value_or_none(branch.formula, row)
            if value is not None and expected:
                with MP.workdps(LEAST_DIGITS):
                    self.whole = max(self.whole, float(abs(value / expected - 1)))

    def _fault(self, name: str, form: Repair, what: str) -> None:
        self.faults.append(f"{name}\n    {form.text}\n    {what}")

    def lines(self) -> Iterator[str]:
        """The counts, the faults, and how long it took."""
        for what, count in self.counts.items():
            yield f"{what}: {count:,}"
        if self.seconds:
            p50, p95, most = np.quantile(self.seconds, [0.5, 0.95, 1.0])
            yield f"seconds of repair, median; 95 %; most: {p50:.2f}; {p95:.2f}; {most:.2f}"
        yield f"largest error of a series over its bound: {self.worst:.3g} {self.worst_of}".rstrip()
        yield f"largest error of a whole with a series: {self.whole:.3g}"
        yield from self.faults
        yield f"faults: {len(self.faults)}"


def _value_or_none(formula: Formula, row: Mapping[str, float]) -> Any:
    try:
        return value_at(formula, row)
    except NoValue:
        return None


RELATIONS: dict[str, Callable[[Any], bool]] = {
    "≠": lambda value: value != 0,
    ">": lambda value: value > 0,
    "≥": lambda value: value >= 0,
}


def _holds_at(assumption: str, row: Mapping[str, float]) -> bool:
    """Whether an assumption, such as ``"x + y ≠ 0"``, holds there; so does one without a value."""
    left, relation, _ = assumption.rsplit(" ", 2)
    value = _value_or_none(read(left, columns=tuple(row)).formula, row)
    return value is None or RELATIONS[relation](value)


def _rows(columns: Columns) -> Iterator[dict[str, float]]:
    lists = {name: column.tolist() for name, column in columns.items()}
    for values in zip(*lists.values(), strict=True):
        yield dict(zip(lists, values, strict=True))


# --- where forms meet, and where series end ---


def _with_edges(form: Repair, fresh: Columns) -> Columns:
    """The fresh rows, and rows at the thresholds of the form and at the ends of its boxes."""
    rng = random.Random(form.text)
    rows = list(_rows(fresh))
    thresholds = {abs(number) for branch in form.branches for number in _numbers(branch, fresh)}
    series = [branch.series for branch in form.branches if branch.series is not None]
    boxes = [each.box for each in series]
    for _ in range(EDGES if form.branches else 0):
        row = dict(rng.choice(rows[: len(next(iter(fresh.values())))]))
        composite = [s for s in series if s.variable not in fresh]
        if composite and rng.random() < 0.5:
            _move_to_edge(rng, row, rng.choice(composite), rng.choice(sorted(thresholds)))
        elif boxes and rng.random() < 0.7:
            for name, low, high in rng.choice(boxes):
                row[name] = _in_interval(rng, low, high)
        elif thresholds:
            name = rng.choice(list(row))
            place = rng.choice(sorted(thresholds)) * math.copysign(1, row[name])
            row[name] = rng.choice(
                (place, math.nextafter(place, math.inf), math.nextafter(place, -math.inf))
            )
        rows.append(row)
    return {name: np.array([row[name] for row in rows]) for name in fresh}


def _move_to_edge(
    rng: random.Random, row: dict[str, float], series: Series, threshold: float
) -> None:
    """Change one input so that a product or quotient comes to its threshold, or beneath."""
    quantity = read(series.variable, columns=tuple(row)).formula
    value = _value_or_none(quantity, row)
    if not value or not threshold:
        return
    name = rng.choice(quantity.variables)
    factor = float(threshold * rng.choice((1, -1, 0.999999, rng.random())) / value)
    for scale in (factor, 1 / factor if factor else 0.0):
        moved = {**row, name: row[name] * scale}
        there = _value_or_none(quantity, moved)
        if there is not None and abs(there) <= 1.001 * threshold:
            row.update(moved)
            return


def _numbers(branch: Branch, columns: Columns) -> Iterator[float]:
    if branch.condition:
        condition = read(branch.condition, columns=tuple(columns)).formula
        yield from (float(number(n.label)) for n in condition if n.operator == CONSTANT)


def _in_interval(rng: random.Random, low: float, high: float) -> float:
    """An end, its neighbour, or a value between them: by size, or by decade."""
    kind = rng.random()
    if kind < 0.3:
        return rng.choice((low, high))
    if kind < 0.45:
        return max(low, min(high, math.nextafter(rng.choice((low, high)), (low + high) / 2)))
    if kind < 0.7:
        return max(low, min(high, low + rng.random() * (high - low)))
    value = rng.choice((-1, 1)) * max(abs(low), abs(high)) * 10.0 ** -rng.uniform(0, 12)
    return value if low <= value <= high else rng.choice((low, high))


# --- run as a program ---


def audit(count: int, seed: int, effort: Effort, *, progress: bool = False) -> Findings:
    """So many random formulas from a seed."""
    findings = Findings()
    for place in range(seed, seed + count):
        before = len(findings.faults)
        findings.add(cancelling(place), effort)
        if progress:
            for fault in findings.faults[before:]:
                print(fault, flush=True)
            print(f"\r{place - seed + 1} of {count}", end="", file=sys.stderr, flush=True)
    return findings


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what an audit finds; exit status 1 if something is wrong."""
    options = argparse.ArgumentParser(
        prog="python -m tests.audit.repaired", description=(__doc__ or "").partition("\n")[0]
    )
    options.add_argument("--count", metavar="N", type=int, default=1000, help="default: 1000")
    options.add_argument("--seed", metavar="S", type=int, default=0, help="default: 0")
    options.add_argument("--effort", type=float, default=1.0, help="default: 1")
    chosen = options.parse_args(arguments)
    findings = audit(chosen.count, chosen.seed, chosen.effort, progress=True)
    print("", file=sys.stderr)
    print("\n".join(findings.lines()))
    return int(bool(findings.faults))


if __name__ == "__main__":
    sys.exit(main())
