"""The facts of a verdict: its findings, the one that leads, and the level of its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, unique

from eic_core.explain.findings import Finding
from eic_core.explain.given import GivenDigits
from eic_core.exports import Plain
from eic_core.measure.inspection import Inspection
from eic_core.measure.measured import MeasuredLoss, Quantiles
from eic_core.measure.reasons import Outcome

SENSITIVE_FROM, VERY_FROM = 1.0, 2.0
"""Digits of sensitivity at nine rows in ten from which a result is sensitive, and very."""

BORDER = 0.2
"""So near to a limit a level is borderline."""

A_DIGIT = 1.0
"""What a program loses at some row, at least, to be worth a finding."""


@unique
class Level(Enum):
    """How sensitive a result is to errors of its inputs and steps, at nine rows in ten."""

    STABLE = "stable"
    SENSITIVE = "sensitive"
    VERY_SENSITIVE = "very-sensitive"
    UNDEFINED = "undefined"  # at no row a real value is known


@unique
class Lead(Enum):
    """What a headline is about: what matters first."""

    NO_VALUE = "no_value"  # a program has no value at some rows
    LOSS = "loss"  # a program loses digits, or takes a wrong branch
    SENSITIVITY = "sensitivity"  # errors of inputs grow, whatever the writing
    NOTHING = "nothing"


NO_VALUE = (Outcome.NO_REAL_VALUE, Outcome.UNKNOWN, Outcome.NO_DOUBLE)


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
    sensitivity
        Digits of the result that errors of inputs and steps put in doubt, over the rows with a
        real value; all of them where it is infinitely steep or no double.
    level
        By `sensitivity` at nine rows in ten.
    borderline
        Whether that is within 0.2 digits of another level.
    measured
        What a double-precision program really loses.
    given
        What the digits of a table's cells leave of a result that is not stable.
    """

    inspection: Inspection = field(repr=False)
    lead: Lead
    findings: tuple[Finding, ...]
    sensitivity: Quantiles
    level: Level
    borderline: bool
    measured: MeasuredLoss
    given: GivenDigits | None

    @property
    def leading(self) -> Finding | None:
        """The finding that the headline is about; None where all is well."""
        return None if self.lead is Lead.NOTHING else self.findings[0]

    @property
    def origin(self) -> int:
        """The node to look at: of the leading finding, else the bottleneck."""
        leading = self.leading
        return self.inspection.bottleneck if leading is None else leading.cause.node
