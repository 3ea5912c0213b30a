"""The digit budget: the digits of each constant and input that the output needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from eic_core.engine.amplify import Amplification, amplify
from eic_core.engine.branches import plain_values
from eic_core.engine.exact import ExactEvaluator
from eic_core.engine.tape import Step, Tape, constant_value, tape_of
from eic_core.errors import UserError, require
from eic_core.explain.phrases import budget as phrases
from eic_core.explain.shortening import (
    MOST_DIGITS,
    Exponents,
    Measure,
    Need,
    OutputScale,
    digits_of,
    rounded_column,
    shortenable,
    shortened_label,
    with_labels,
)
from eic_core.exports import Plain
from eic_core.formula.rendering import to_python
from eic_core.formula.tree import Formula
from eic_core.measure.fit import r_squared
from eic_core.measure.inspection import Inspection
from eic_core.measure.observed import rms
from eic_core.operators.wide import Array
from eic_core.phrasing import Phrase
from eic_core.samples import Samples, evenly_spread

SEARCH_ROWS = 2_000
CAREFUL_ROWS = 100
"""Rows on which the digits are sought; fewer where double precision does not do."""

Key = tuple[str, str]


NOISE = 4 * 2.0**-53
"""What rounding in double precision may make of a value, relative to it."""

MOST_HELD = 2**24
"""Rows times steps of the formula up to which every step's values are held."""

DOUBLES_DO = 1e-3
"""Of the allowed deviation: where doubles are that close to exact values, they are taken."""

SETTLED = 4e-3
"""Of `NOISE` times s: beyond it fewer than three digits are left, and exact values are taken."""


def output_scale(inspection: Inspection) -> OutputScale:
    """The scale of the target, or without one of the output; raises `UserError` without any value.
    An output varies if its standard deviation is above the rounding error of a constant: 4 u |f| s
    (rms). The scale of an output of 0 is the largest value computed on the way.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 4.0]})
    >>> for text in ("x", "sin(x)**2 + cos(x)**2", "x - x"):
    ...     print(output_scale(inspect(read(text).formula, samples)).measure.name)
    SPREAD
    SIZE
    LARGEST_ON_THE_WAY
    """
    reference, s = inspection.amplification.trace(len(inspection.formula) - 1)
    usable = np.isfinite(reference)
    if not usable.any():
        if inspection.amplification.valid.any():
            raise UserError(
                "the formula has no double-precision value on these samples",
                hint="choose units in which the result is between 1e-308 and 1e308",
            )
        raise UserError(
            "the formula has no finite value on these samples",
            hint="choose samples inside its domain",
        )
    target = inspection.samples.target
    output, s = reference[usable], s[usable]
    with np.errstate(over="ignore", invalid="ignore"):
        exact = ~(s * NOISE < SETTLED)  # taken exactly, and then rounded
        noise = rms(NOISE * np.abs(output) * np.where(exact, 1.0, s))
    if target is None and not output.any():
        unit = _largest_on_the_way(inspection, usable) or 1.0
        return OutputScale("output", Measure.LARGEST_ON_THE_WAY, unit, NOISE * unit)
    scaled = output if target is None else target[usable]
    largest = float(np.max(np.abs(scaled))) or 1.0
    spread = largest * float(np.std(scaled / largest))
    varies = spread > (noise if target is None else 0.0)
    of = "output" if target is None else "target"
    measure, unit = (Measure.SPREAD, spread) if varies else (Measure.SIZE, largest)
    return OutputScale(of, measure, unit, noise)


def _largest_on_the_way(inspection: Inspection, usable: Array) -> float:
    values = (inspection.amplification.trace(k)[0] for k in range(len(inspection.formula)))
    sizes = (np.abs(y[usable & np.isfinite(y)]) for y in values)
    return max(float(np.max(size, initial=0.0)) for size in sizes)


class _Reruns:
    """The values of every step of a formula in doubles, and again with some numbers rounded."""

    def __init__(self, tape: Tape, labels: Mapping[str, tuple[int, ...]], samples: Samples) -> None:
        self._tape, self._samples = tape, samples
        self._y = plain_values(tape, samples.columns, len(samples))
        self._digits: dict[Key, int] = {}  # of the numbers that are rounded in these values
        self._slots = {("input", step.column): step.slot for step in tape.steps if step.column}
        self._slots |= {("constant", name): tape.slots[nodes[0]] for name, nodes in labels.items()}
        self._readers: list[list[int]] = [[] for _ in tape.steps]
        for step in tape.steps:
            for operand in step.operands:
                self._readers[operand].append(step.slot)
        self._functions = [_function_of(step) for step in tape.steps]
        self._guarded = {s.slot for s in tape.steps if s.row and (s.row.pole or s.row.outside)}

    def output(self, digits: Mapping[Key, int], *, keep: bool) -> Array | None:
        """The output with these numbers rounded; None where a step may have no real value.

        What overflows on the way to a number is no reason: neither is it for a user's program.

        With `keep`, what is asked for next is reckoned from there.
        """
        found = {
            self._slots[key]: self._rounded(key, digits.get(key, MOST_DIGITS))
            for key in digits.keys() | self._digits.keys()
            if digits.get(key) != self._digits.get(key)
        }
        try:
            self._follow(found)
        except FloatingPointError:
            return None
        output = found.get(len(self._y) - 1, self._y[-1])
        if not np.isfinite(output).all():
            return None
        if keep:
            self._digits = dict(digits)
            for slot, value in found.items():
                self._y[slot] = value
        return output

    def _rounded(self, key: Key, digits: int) -> Array:
        kind, name = key
        if kind == "input":
            return rounded_column(self._samples.columns[name], digits)
        return np.full(len(self._samples), constant_value(shortened_label(name, digits)))

    def _follow(self, found: dict[int, Array]) -> None:
        """Add the values of all steps that read, or read again, those that are `found`."""
        steps, y = self._tape.steps, self._y
        waiting = [slot for leaf in found for slot in self._readers[leaf]]
        heapify(waiting)
        with np.errstate(over="ignore", divide="raise", invalid="raise", under="ignore"):
            while waiting:
                step = steps[heappop(waiting)]
                if step.slot not in found:
                    a = [found[i] if i in found else y[i] for i in step.operands]
                    value = found[step.slot] = self._functions[step.slot](*a)
                    if step.slot in self._guarded and not np.isfinite(value).all():
                        raise FloatingPointError
                    for slot in self._readers[step.slot]:
                        heappush(waiting, slot)


def _function_of(step: Step) -> Callable[..., Array]:
    """What computes a step of its operands: a ufunc alone where that does."""
    row, places = step.row, range(len(step.operands))
    if row is None:
        return np.asarray
    program = row.program(step.parameter, len(places))
    if row.outside is None and program == ((program[0][0], *places),):
        function: Callable[..., Array] = program[0][0]
        return function
    return lambda *a: row.evaluate(a, step.parameter)


BITS = (128, 256, 512, 1024, 2048, 4096, 8192)
"""Precisions in which an exact value is sought."""


class Trial:
    """Runs the formula with rounded numbers, and says whether the output is kept."""

    def __init__(self, inspection: Inspection, tolerance: float) -> None:
        self.inspection, self.tolerance = inspection, tolerance
        self.formula = inspection.formula
        self.labels = shortenable(self.formula)
        self.scale = output_scale(inspection)
        self.reference, _ = inspection.amplification.trace(len(self.formula) - 1)
        self.allowed = tolerance * self.scale.unit
        rows = np.flatnonzero(np.isfinite(self.reference))
        self.careful = inspection.counts.rechecked > 0 and not self._doubles_do(rows)
        self.bits: dict[int, int] = {}  # By row, what its value has taken; more than all: a proof
        self.part = evenly_spread(rows, CAREFUL_ROWS if self.careful else SEARCH_ROWS)
        self.all = rows
        self._exponents = Exponents(self.formula)
        # for numbers rounded alone, and for all of them together
        self._runs: tuple[_Reruns, ...] = ()
        tape = tape_of(self.formula)
        is_numeric = all(step.row is None or step.row.numeric for step in tape.steps)
        if not self.careful and is_numeric and len(tape) * len(self.part) <= MOST_HELD:
            some = inspection.samples.take(self.part)
            self._runs = _Reruns(tape, self.labels, some), _Reruns(tape, self.labels, some)
        self._unrounded = self.deviation({}, self.part)
        self._deviations: dict[Key, float] = {}

    def _doubles_do(self, rows: Any) -> bool:
        plain = amplify(self.formula, self.inspection.samples, recheck=False, root_values=True)
        assert plain.root_values is not None
        return self._rms(plain.root_values[rows], rows) <= DOUBLES_DO * self.allowed

    def digits_given(self) -> dict[Key, int]:
        """Of each constant as written, then of each input the most that a cell has."""
        columns = self.inspection.samples.columns
        cells = {name: columns[name][self.part].tolist() for name in self.formula.variables}
        return {("constant", label): digits_of(label) for label in self.labels} | {
            ("input", name): max(map(digits_of, map(repr, cells[name]))) for name in cells
        }

    def fewest_digits(self, key: Key, given: int) -> int:
        """The least digits of one number alone such that all larger ones suffice, too."""
        digits, self._deviations[key] = given, self._unrounded
        while digits > 1:
            values = self.values({key: digits - 1}, self.part)
            if not self._is_kept(values, self.part):
                break
            digits, self._deviations[key] = digits - 1, self._rms(values, self.part)
        return digits

    def digits_together(self, alone: Mapping[Key, int], given: Mapping[Key, int]) -> dict[Key, int]:
        """Digits that suffice together, on all rows; the most harmful number gets the next one."""
        together = dict(alone)
        for rows in (self.part, self.all):
            while not self.keeps_output(together, rows):
                open_keys = [key for key in together if together[key] < given[key]]
                if not open_keys:
                    return together
                worst = max(open_keys, key=lambda key: self._deviations[key])
                together[worst] += 1
                self._deviations[worst] = self.deviation({worst: together[worst]}, self.part)
        return together

    def keeps_output(self, digits: Mapping[Key, int], rows: Any) -> bool:
        return self._is_kept(self.values(digits, rows), rows)

    def _is_kept(self, values: Array, rows: Any) -> bool:
        if self._rms(values, rows) > self.allowed:
            return False
        target = self.inspection.samples.target
        if target is None:
            return True
        before = r_squared(self.reference[rows], target[rows])
        after = r_squared(values, target[rows])
        return math.isnan(before) or before - after <= self.tolerance

    def deviation(self, digits: Mapping[Key, int], rows: Any) -> float:
        """rms(f' - f); inf where f' has no value or is another tree."""
        return self._rms(self.values(digits, rows), rows)

    def _rms(self, values: Array, rows: Any) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            gaps = values - self.reference[rows]
        return rms(gaps) if np.isfinite(gaps).all() else math.inf

    def values(self, digits: Mapping[Key, int], rows: Any) -> Array:
        """The output with these numbers rounded; nan without a value or if read as another tree."""
        if self._exponents.turn_exact(_constants(digits)):
            return np.full(len(rows), math.nan)
        if self._runs and len(rows) == len(self.part):
            output = self._runs[len(digits) > 1].output(digits, keep=len(digits) > 1)
            if output is not None:
                return output
        source = self.inspection.samples.columns
        columns = {
            name: rounded_column(source[name][rows], digits.get(("input", name), MOST_DIGITS))
            for name in self.formula.variables
        }
        samples = Samples.from_columns(columns, count=len(rows))
        formula = self.shortened_formula(digits)
        plain = amplify(formula, samples, recheck=False, root_values=True)
        assert plain.root_values is not None
        return self._settled(plain, rows) if self.careful else plain.root_values

    def _settled(self, plain: Amplification, rows: Any) -> Array:
        """The exact value where doubles do not tell it, here or with the numbers as they are.

        Most rows take as many bits as they took before, and no proof.
        """
        assert plain.root_values is not None
        values, samples = plain.root_values.copy(), plain.samples
        evaluator = ExactEvaluator(plain.tape)
        before = np.isin(rows, self.inspection.amplification.exact.rows)
        suspects = np.union1d(plain.flagged, np.flatnonzero(before))
        open_places = []
        for place in suspects.tolist():
            cells = {name: samples.decimal(name, place) for name in plain.tape.names}
            row = int(rows[place])
            for bits in [each for each in BITS if each >= self.bits.get(row, 0)]:
                value = evaluator.value(cells, bits)
                if value is not None:
                    self.bits[row], values[place] = bits, float(value)
                    break
            else:
                self.bits[row] = max(BITS) + 1
                open_places.append(place)
        if open_places:
            some = samples.take(np.array(open_places))
            proved = amplify(plain.formula, some, root_values=True).root_values
            assert proved is not None
            values[open_places] = proved
        return values

    def shortened_formula(self, digits: Mapping[Key, int]) -> Formula:
        return with_labels(self.formula, _constants(digits))


def _constants(digits: Mapping[Key, int]) -> dict[str, int]:
    return {name: n for (kind, name), n in digits.items() if kind == "constant"}


TOLERANCE = 1e-3

Progress = Callable[[float], None]


@dataclass(frozen=True)
class Budget(Plain):
    inspection: Inspection = field(repr=False)
    # Allowed rms deviation of the output, in units of `scale`; with a target also the allowed
    # loss of R2
    tolerance: float
    scale: OutputScale
    needs: tuple[Need, ...]  # Constants in post-order, then inputs
    # Deviation of the jointly rounded formula and data, measured on all rows, in units of the same
    deviation: float
    rows: int  # How many rows these are
    formula: Formula = field(repr=False)  # With shortened constants, the inputs as given
    text: str  # The same, to paste; reads back to `formula`
    # r2_before, r2_after: against the target, over the rows where the formula has a value; nan
    # without one
    r2_before: float
    r2_after: float
    # eic_before, eic_after: ``eic_finite`` of the formula as given and as shortened
    eic_before: float
    eic_after: float

    _JSON = (
        "tolerance",
        "scale_of=scale.of",
        "measure",
        "needs",
        "deviation",
        "formula=text",
        "r2_before",
        "r2_after",
        "eic_before",
        "eic_after",
        "sentences",
    )

    @property
    def measure(self) -> Phrase:
        return phrases.scale_name(self.scale)

    @property
    def sentences(self) -> tuple[Phrase, ...]:
        return tuple(
            phrases.sentences(self.needs, self.scale, self.tolerance, self.deviation, self.rows)
        )


def digit_budget(
    inspection: Inspection,
    *,
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
) -> Budget:
    """Find the fewest digits of each constant and input that keep the output.

    Parameters
    ----------
    inspection
        Its samples must have a finite value.
    tolerance
        Of the output, as a share of its scale; above 0 and at most 1.
    progress
        Called with the share of the work that is done, from 0 to 1.

    Returns
    -------
    Budget
        The digits of each number, and the formula with shortened constants.

    Raises
    ------
    UserError
        If the tolerance is out of range, or the formula has no finite value on the data.

    Notes
    -----
    Rounded output f' keeps the tolerance t if it has a value wherever f has one,
    rms(f' - f) <= t std(target or f), of what does not vary t times its size
    (`output_scale`), and with a target R2(f) - R2(f') <= t. A number of digits counts only if
    every larger one keeps it, too. The digits found one at a time are then taken together, and
    raised where that is too few; the joint result is run on all rows.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=500)
    >>> budget = digit_budget(inspect(read("3.14159265*x + 2.71828").formula, samples))
    >>> budget.text
    '3.142*x + 2.72'
    """
    require(inspection, Inspection)
    if not 0 < tolerance <= 1:
        raise UserError(f"the tolerance is {tolerance:g}", hint="give a number from 0 to 1")
    trial = Trial(inspection, tolerance)
    needs = _needs(trial, progress)
    together = {(need.kind, need.name): need.together for need in needs}
    formula = trial.shortened_formula(together)
    after = amplify(formula, inspection.samples, root_values=True)
    assert after.root_values is not None
    target, rows = inspection.samples.target, trial.all
    deviation = trial.deviation(together, rows)
    noise = 0.0 if trial.scale.measure is Measure.SPREAD else trial.scale.noise
    r2 = [
        math.nan if target is None else r_squared(values[rows], target[rows])
        for values in (trial.reference, after.root_values)
    ]
    if progress is not None:
        progress(1.0)
    return Budget(
        inspection=inspection,
        tolerance=tolerance,
        scale=trial.scale,
        needs=needs,
        deviation=0.0 if deviation <= noise else deviation / trial.scale.unit,
        rows=len(rows),
        formula=formula,
        text=to_python(formula),
        r2_before=r2[0],
        r2_after=r2[1],
        eic_before=inspection.eic_finite,
        eic_after=after.eic_finite,
    )


def most_digits(inspection: Inspection) -> int:
    """The digits of the number that needs most of them, as `digit_budget` counts; 0 without one.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> samples = sample_domains({"x": Domain("uniform", 1, 5)}, count=500)
    >>> most_digits(inspect(read("3.14159265*x + 2.71828").formula, samples))
    4
    """
    needs = _needs(Trial(inspection, TOLERANCE))
    return max((need.together for need in needs), default=0)


def _needs(trial: Trial, progress: Progress | None = None) -> tuple[Need, ...]:
    """What each number needs alone, and together with the others."""
    formula = trial.formula
    given = trial.digits_given()
    alone: dict[Key, int] = {}
    for key, digits in given.items():
        alone[key] = trial.fewest_digits(key, digits)
        if progress is not None:
            progress(0.8 * len(alone) / len(given))
    together = trial.digits_together(alone, given)
    shortened = trial.shortened_formula(together)
    return tuple(
        Need(
            kind,
            name,
            tuple(n.id for n in formula.nodes if n.is_leaf and n.label == name),
            given[kind, name],
            alone[kind, name],
            digits,
            shortened.nodes[trial.labels[name][0]].label if kind == "constant" else "",
        )
        for (kind, name), digits in together.items()
    )
