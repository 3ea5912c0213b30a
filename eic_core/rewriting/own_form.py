"""A form that the user proposes: whether it equals the formula on the data, and its loss."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from eic_core.engine.exact import GREAT_DEPTH, Cell, ExactEvaluator
from eic_core.errors import UserError
from eic_core.explain.judgement import NO_NUMBERS, VerdictNumbers, numbers_of
from eic_core.formula.tree import Formula
from eic_core.measure.inspection import inspect
from eic_core.operators.balls import Ball, working
from eic_core.phrasing import Phrase
from eic_core.rewriting.chosen_rows import choose_rows
from eic_core.rewriting.conditional_formulas import has_conditions
from eic_core.rewriting.gains import Measured
from eic_core.rewriting.observing import FormMeter, Truth, rows_within
from eic_core.rewriting.phrases import own_approximation_sentence, own_form_sentence
from eic_core.rewriting.precision import Target
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.values import AGREEMENT, BITS, ENOUGH, Values, first_difference
from eic_core.rewriting.verify import SUSPECT_ROWS, RowDifference, Verification, Verifier
from eic_core.samples import Samples

MOST_NODES = 400
"""Of a form and of the formula; larger ones would take minutes at high precision."""

DIGITS = int(BITS * math.log10(2))
"""With so many, at least, both forms are computed."""

_SHOWN = 17


NEAR = 1e-10
"""A form within this of the formula, relatively and at every row, is an approximation of it."""


@dataclass(frozen=True)
class OwnForm:
    formula: Formula  # The user's
    # before, after: the numbers of both; None if they are neither equal nor near
    before: Measured | None
    after: Measured | None
    verification: Verification | None  # What was compared; None if they are not equal
    difference: RowDifference | None  # Where they are not; of an approximation, where most
    measured_rows: int = 0
    # The largest relative difference over the rows compared, if that is at most `NEAR`; else nan
    distance: float = math.nan
    # written, instead: the numbers of both on all of the samples, as their verdicts have them
    written: VerdictNumbers = field(default=NO_NUMBERS, compare=False)
    instead: VerdictNumbers = field(default=NO_NUMBERS, compare=False)

    @property
    def is_equal(self) -> bool:
        return self.verification is not None

    @property
    def is_near(self) -> bool:
        """Whether it is an approximation of the formula: not equal, but near at every row."""
        return not math.isnan(self.distance)

    @property
    def sentence(self) -> Phrase:
        if self.is_near and self.difference is not None:
            return own_approximation_sentence(self.distance, self.difference)
        checked = self.verification
        digits = DIGITS if checked is None else max(DIGITS, checked.digits)
        return own_form_sentence(checked, self.difference, digits)


def compare_own_form(
    formula: Formula, other: Formula, samples: Samples, target: Target = "float64"
) -> OwnForm:
    """Verify and measure a form that somebody proposes for a formula, for a program in `target`.
    At each row a form with conditions has the value of the branch that its inputs take. Raises
    `UserError` if `other` has a variable that the formula has not, or one of them cannot be
    compared.

    >>> from eic_core.formula.syntax import read
    >>> formula = read("sqrt(x+1) - sqrt(x)").formula
    >>> samples = Samples.from_columns({"x": [1e3, 1e5, 1e7]})
    >>> found = compare_own_form(formula, read("1/(sqrt(x+1) + sqrt(x))").formula, samples)
    >>> found.verification.rows, found.before.eic > 6, found.after.eic < 1
    (3, True, True)
    >>> compare_own_form(formula, read("0.5/sqrt(x)").formula, samples).difference.inputs
    (('x', '1000.0'),)
    """
    samples.require(formula.variables)
    terms = Terms(formula.exponents)
    root, form = terms.add(formula), terms.add(other)
    _refuse(formula, other, chooses=has_conditions(terms, root))
    rows = rows_within(choose_rows(formula, samples), formula, samples, target)
    truth = Truth(terms, root, samples, rows, target)
    both = _Both(truth, form, chooses=has_conditions(terms, form))
    verification, difference, distance = both.verify(), None, math.nan
    if verification is None:
        distance, difference = both.distance()
        if math.isnan(distance):
            return OwnForm(other, None, None, None, difference)
    meter = FormMeter(formula, samples, rows, truth)
    before, after = meter.measure(root, formula), meter.measure(form, other)
    count = len(meter.measured)
    numbers = [numbers_of(inspect(each, samples, edges=False), target) for each in (formula, other)]
    return OwnForm(other, before, after, verification, difference, count, distance, *numbers)


def _refuse(formula: Formula, other: Formula, *, chooses: bool) -> None:
    names = ", ".join(f"`{name}`" for name in formula.variables) or "none"
    for name in other.variables:
        if name not in formula.variables:
            raise UserError(
                f"your form has the variable `{name}`, the formula has not",
                hint=f"the formula's variables: {names}",
            )
    if chooses:
        raise UserError(
            "the formula has conditions, and forms of such a formula are not compared",
            hint="inspect each branch as a formula of its own",
        )
    for tree, whose in ((formula, "the formula"), (other, "your form")):
        if tree.complexity > MOST_NODES:
            raise UserError(
                f"{whose} has more than {MOST_NODES} nodes, too many to compare",
                hint="compare the most sensitive part on its own",
            )


class _Both:
    """The exact values of a formula and of the form that is proposed for it."""

    def __init__(self, truth: Truth, form: int, *, chooses: bool) -> None:
        self.truth, self.form, self.chooses = truth, form, chooses
        self.verifier: Verifier = truth.verifier
        self.before: Values = self.verifier.table.values(self.verifier.original)
        self.digits = DIGITS
        self.after: Values = (
            self._chosen(truth.cells(truth.rows.verified))
            if chooses
            else self.verifier.table.values(form)
        )

    def _chosen(self, cells: Sequence[Mapping[str, Cell]]) -> Values:
        """The values of a form with conditions, whose other branches need not have one."""
        evaluator = ExactEvaluator(self.truth.terms.tape(self.form), ENOUGH, GREAT_DEPTH)
        values: list[Ball | None] = []
        for cell in cells:
            sample = evaluator.sample(cell)
            self.digits = max(self.digits, int(sample.bits * math.log10(2)))
            values.append(sample.y[-1] if sample.first_invalid is None else None)
        return values

    def verify(self) -> Verification | None:
        if not self.chooses:
            return self.verifier.verify(self.form, ())
        if first_difference(self.before, self.after) is not None or self._lost_row() is not None:
            return None
        widened = sum(a is None and b is not None for a, b in self._pairs())
        scanned = len(self.verifier.scanned)
        return Verification(len(self.before), self.digits, AGREEMENT, scanned, widened)

    def distance(self) -> tuple[float, RowDifference | None]:
        """The largest relative difference and its row, if that is small; else nan, and the first
        row with another value, if one is known.
        """
        place = first_difference(self.before, self.after)
        if place is None:
            return math.nan, self._lost_row()
        distances = [_relative(a, b) for a, b in self._pairs()]
        largest = max(distances)
        if largest > NEAR or self._lost_row() is not None:
            return math.nan, self._at(place)
        return largest, self._at(distances.index(largest), _digits_apart(largest))

    def _pairs(self) -> Iterator[tuple[Ball | None, Ball | None]]:
        return zip(self.before, self.after, strict=True)

    def _lost_row(self) -> RowDifference | None:
        """A scanned row at which the form alone has no value; None if none is known."""
        verifier = self.verifier
        lost = np.isfinite(verifier.doubles(verifier.original))
        lost &= np.isnan(verifier.doubles(self.form))
        for row in verifier.scanned[np.flatnonzero(lost)][:SUSPECT_ROWS].tolist():
            table = verifier.table_of([row])
            (before,) = table.values(verifier.original)
            (after,) = self._chosen(table.rows) if self.chooses else table.values(self.form)
            if before is not None and after is None:
                return self._difference(row, before, after)
        return None

    def _at(self, place: int, digits: int = _SHOWN) -> RowDifference:
        row = self.verifier.rows[place]
        return self._difference(row, self.before[place], self.after[place], digits)

    def _difference(
        self, row: int, before: Ball | None, after: Ball | None, digits: int = _SHOWN
    ) -> RowDifference:
        names, decimal = self.truth.columns, self.truth.samples.decimal
        inputs = tuple((name, decimal(name, row)) for name in names)
        return RowDifference(row, inputs, _text(before, digits), _text(after, digits))


def _relative(before: Ball | None, after: Ball | None) -> float:
    """|after - before| / |before|; 0 where the formula has no value."""
    if before is None:
        return 0.0
    if after is None:
        return math.inf
    with working(BITS):
        if before == 0:
            return 0.0 if after.overlaps(before) else math.inf
        return abs(float((after - before) / before))


def _digits_apart(distance: float) -> int:
    """With how many digits two values that differ so much are told apart, as far as both are known.

    >>> _digits_apart(3e-12), _digits_apart(3e-21), _digits_apart(1e-90)
    (17, 23, 33)
    """
    return min(max(_SHOWN, 3 - math.ceil(math.log10(distance))), AGREEMENT + 3)


def _text(value: Ball | None, digits: int) -> str:
    if value is None:
        return ""
    mantissa, mark, exponent = value.str(digits, radius=False).partition("e")
    whole, point, rest = mantissa.partition(".")
    return f"{whole}.{rest.rstrip('0') or '0'}{mark}{exponent}"
