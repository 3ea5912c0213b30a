"""The facts of a verdict: its findings, the one that leads, and the level of its result; what the
digits of a table's own cells leave of the result, whatever the program.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum, unique

import numpy as np

from eic_core.explain.created import noise_at
from eic_core.explain.findings import Finding
from eic_core.explain.shortening import digits_of
from eic_core.exports import Plain
from eic_core.measure.inspection import Inspection, cached_on_inspection
from eic_core.measure.measured import MeasuredLoss, Quantiles, measured_loss, quantiles_of
from eic_core.measure.observed import run_in
from eic_core.measure.outcomes import outcomes
from eic_core.measure.reasons import DOUBLE_DIGITS, Outcome

MOST_ROWS = 300
"""Rows that are looked at, evenly spaced."""


@dataclass(frozen=True)
class GivenDigits:
    name: str  # The variable whose column has the fewest digits
    digits: int  # So many significant ones, at most
    kept: float  # Digits of the result that these leave at half of the rows, 0 at least

    _JSON = ("name", "digits", "kept")


@cached_on_inspection
def given_digits(inspection: Inspection) -> GivenDigits | None:
    """What a table gives and what the result keeps; None without a table, or if it gives doubles.

    A cell of n digits is taken to be wrong by 10^-n of its value, in all places where its variable
    stands alike.

    >>> import numpy as np
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> x = 1 - np.round(np.linspace(1e-4, 2e-4, 50), 7)
    >>> samples = Samples.from_columns({"x": x}, rows=np.arange(1, 51))
    >>> given = given_digits(inspect(read("sqrt(1-x)").formula, samples))
    >>> given.name, given.digits, round(given.kept)
    ('x', 7, 3)
    """
    formula, samples = inspection.formula, inspection.samples
    if samples.rows is None or not formula.variables:
        return None
    valid = np.flatnonzero(inspection.amplification.valid)
    rows = valid[:: max(1, -(-len(valid) // MOST_ROWS))]
    if not len(rows):
        return None
    digits = {
        name: max(digits_of(samples.decimal(name, row)) for row in rows.tolist())
        for name in formula.variables
    }
    name = min(digits, key=lambda name: digits[name])
    if digits[name] >= int(DOUBLE_DIGITS):
        return None
    places = {
        name: [node.id for node in formula.nodes if node.is_leaf and node.label == name]
        for name in formula.variables
    }
    blocks = noise_at(inspection, formula.root.id, rows)
    arrived = np.concatenate([noise.arrived for noise in blocks], axis=1)
    errors = [arrived[places[name]].sum(axis=0) * 10.0 ** -digits[name] for name in places]
    with np.errstate(divide="ignore"):
        kept = -np.log10(np.sqrt(np.sum(np.square(errors), axis=0)))
    typical = quantiles_of(np.clip(kept, 0.0, DOUBLE_DIGITS)).typical
    return GivenDigits(name, digits[name], typical)


SENSITIVE_FROM, VERY_FROM = 1.0, 2.0
"""Digits of sensitivity at nine in ten rows from which a result is sensitive, and very."""

BORDER = 0.2
"""So near to a limit a level is borderline."""

A_DIGIT = 1.0
"""What a program loses at some row, at least, to be worth a finding."""


@unique
class Level(StrEnum):
    """How sensitive a result is to errors of its inputs and steps, at nine in ten rows."""

    STABLE = "stable"
    SENSITIVE = "sensitive"
    VERY_SENSITIVE = "very-sensitive"
    OUT_OF_RANGE = "out-of-range"  # leaving double range costs a program a digit or more, and more
    UNDEFINED = "undefined"  # at no row a real value is known


@unique
class Lead(StrEnum):
    """What a headline is about: what matters first."""

    NO_VALUE = "no_value"  # a program has no value at some rows
    LOSS = "loss"  # a program loses digits, or takes a wrong branch
    SENSITIVITY = "sensitivity"  # errors of inputs grow, whatever the writing
    NOTHING = "nothing"


NO_VALUE = (Outcome.NO_REAL_VALUE, Outcome.UNKNOWN, Outcome.NO_DOUBLE)


@dataclass(frozen=True, eq=False)
class VerdictNumbers(Plain):
    """The numbers of a verdict, made once from an inspection: who shows one takes it from here.

    Attributes
    ----------
    rows
        All of the samples.
    without_value
        At how many of them a program has no value.
    sensitivity
        Digits of the result that errors of inputs and steps put in doubt, over the rows with a
        real value; all of them where it is infinitely steep.
    range_cost
        Digits that values beyond double range cost, over the same rows: all where the result is no
        double, 0 where nothing leaves it.
    measured
        What a program really loses.
    eic
    eic_finite
        As in `Inspection`.
    """

    rows: int
    without_value: int
    sensitivity: Quantiles
    range_cost: Quantiles
    measured: MeasuredLoss
    eic: float
    eic_finite: float

    _JSON = (
        "rows",
        "without_value",
        "sensitivity",
        "range_cost",
        "measured",
        "eic",
        "eic_finite",
    )


_NO_ROWS = MeasuredLoss("float64", 0, np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))

NO_NUMBERS = VerdictNumbers(
    0, 0, _NO_ROWS.quantiles, _NO_ROWS.quantiles, _NO_ROWS, math.nan, math.nan
)
"""Of what was not measured."""


@cached_on_inspection
def numbers_of(inspection: Inspection, kind: str = "float64") -> VerdictNumbers:
    """Those of a verdict; `kind` is the type of the program that is measured.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> samples = Samples.from_columns({"x": [1000.0, 1001.0]})
    >>> numbers = numbers_of(inspect(read("log(exp(x))").formula, samples))
    >>> numbers.without_value, numbers.sensitivity.worst < 0.3, numbers.range_cost.typical
    (2, True, 15.95)
    """
    formula, result = inspection.formula, outcomes(inspection)
    _, s = inspection.amplification.trace(formula.root.id)
    without_value = result.count(*NO_VALUE)
    if kind != "float64":
        columns = {name: inspection.samples.columns[name] for name in formula.variables}
        computed = run_in(inspection.amplification.tape, columns, len(s), kind)[-1]
        without_value = int(np.count_nonzero(~np.isfinite(np.broadcast_to(computed, len(s)))))
    beyond = np.isin(result.kinds, (Outcome.NO_DOUBLE, Outcome.RANGE_LOSS))
    with np.errstate(invalid="ignore"):
        first_order = np.clip(np.log10(s), 0.0, DOUBLE_DIGITS)
    return VerdictNumbers(
        len(result.kinds),
        without_value,
        quantiles_of(np.where(beyond, first_order, result.digits)),
        quantiles_of(np.where(beyond | np.isnan(result.digits), result.digits, 0.0)),
        measured_loss(inspection, kind),
        inspection.eic,
        inspection.eic_finite,
    )


@dataclass(frozen=True)
class Judgement(Plain):
    """What is judged of a formula, without a word.

    Attributes
    ----------
    inspection
        The measurement that is judged.
    lead
        What the headline is about.
    findings
        The leading one first, the others by rows times digits.
    numbers
        Of a program in double precision.
    level
        By the sensitivity at nine in ten rows.
    borderline
        Whether that is within 0.2 digits of another level.
    given
        What the digits of a table's cells leave of a result that is not stable.
    """

    inspection: Inspection = field(repr=False)
    lead: Lead
    findings: tuple[Finding, ...]
    numbers: VerdictNumbers
    level: Level
    borderline: bool
    given: GivenDigits | None

    @property
    def sensitivity(self) -> Quantiles:
        return self.numbers.sensitivity

    @property
    def measured(self) -> MeasuredLoss:
        return self.numbers.measured

    @property
    def leading(self) -> Finding | None:
        """The finding that the headline is about; None where all is well."""
        return None if self.lead is Lead.NOTHING else self.findings[0]

    @property
    def origin(self) -> int:
        """The node to look at: of the leading finding, else the worst step."""
        leading = self.leading
        return self.inspection.worst_step if leading is None else leading.cause.node
