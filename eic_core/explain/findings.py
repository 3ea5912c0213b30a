"""What a diagnosis consists of: typed facts, without a word of English.

A `Finding` is a group of rows with one outcome (`eic_core.measure.outcomes`), its step and its
cause. `eic_core.explain.phrases` says them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import StrEnum, unique
from typing import TypeAlias, get_args

from eic_core.exports import Plain
from eic_core.measure.measured import Quantiles
from eic_core.measure.reasons import Outcome

VERSION = 1
"""Of the JSON form of findings."""


@unique
class Extent(StrEnum):
    """Where two terms cancel."""

    EVERYWHERE = "everywhere"  # at most rows a tenth of the terms is left, or less
    CROSSING = "crossing"  # where their sum or difference crosses zero
    NEARLY = "nearly"  # at no row is half of them left
    SOMEWHERE = "somewhere"  # at some rows


@dataclass(frozen=True)
class _Cause:
    node: int  # The step that the cause is about

    @classmethod
    def name(cls) -> str:
        """The name that JSON, columns and filters have for it."""
        return re.sub(r"(?<!^)([A-Z])", r"_\1", cls.__name__).lower()


# Losses of first order


@dataclass(frozen=True)
class Accumulated(_Cause):
    """No single step stands out."""

    most: float  # Digits that any one step creates


@dataclass(frozen=True)
class Cancellation(_Cause):
    extent: Extent
    kept: float  # |a ± b| / (|a| + |b|) at a typical row where digits are lost
    pole: bool = False  # Whether the step above it has a pole where it crosses zero


@dataclass(frozen=True)
class ZeroTerm(_Cause):
    """A term or operand is 0 and only brings its error."""

    operand: int


@dataclass(frozen=True)
class NearPole(_Cause):
    """A function comes close to a pole of its own."""


@dataclass(frozen=True)
class NearZero(_Cause):
    largest: float  # Largest argument, where that is large, too; else 0


@dataclass(frozen=True)
class NearZerosAndPoles(_Cause):
    """Neither of the two makes most of the loss."""


@dataclass(frozen=True)
class LargeArgument(_Cause):
    largest: float
    period: float


@dataclass(frozen=True)
class GrowthOfLargeNumber(_Cause):
    """A function that grows like exp multiplies the relative error by its argument."""

    largest: float


@dataclass(frozen=True)
class LargeExponent(_Cause):
    times: float
    is_exact: bool


@dataclass(frozen=True)
class ErrorInExponent(_Cause):
    """An error in the exponent counts exponent · ln(base) times."""


@dataclass(frozen=True)
class NearEdge(_Cause):
    """An operand comes close to an end of the domain, or a value to 0, as its row says."""

    side: int  # 1 or -1: the end with this sign; 0: both


@dataclass(frozen=True)
class SteepStep(_Cause):
    operand: int  # -1: all of them together
    times: float


@dataclass(frozen=True)
class OwnInaccuracy(_Cause):
    """The library's function is off by more than a rounding on the operands that it is given."""

    digits: float  # Digits that it loses by itself, at most


@dataclass(frozen=True)
class BeyondDoubles(_Cause):
    """What the step is given cannot be computed in double precision at all."""


# No digit left, jumps, infinity


@unique
class Zero(StrEnum):
    """How a step comes to keep no digit where it is 0 or at an end of its domain."""

    EXACT = "exact"  # exactly
    DEEP = "deep"  # in all digits that were looked at
    NEARLY = "nearly"  # in more than 30 digits
    NO_ANGLE = "no_angle"  # its argument is too large to have an angle
    TOO_MUCH = "too_much"  # errors grow beyond 10^30 on the way


@dataclass(frozen=True)
class NoDigitLeft(_Cause):
    ways: tuple[Zero, ...]  # Of these, at its rows


@dataclass(frozen=True)
class OnThreshold(_Cause):
    """Rows lie on a jump, or on the threshold of a condition."""

    first_row: int  # Number of the first of them in its table
    is_exact: bool  # Else to more than 30 digits
    is_hinge: bool  # Both branches are 0 there


@dataclass(frozen=True)
class TurnedByRounding(_Cause):
    """A rounding takes an operand over a jump or a threshold."""


@dataclass(frozen=True)
class TurnedByRange(_Cause):
    """An over- or underflow takes it there."""


@dataclass(frozen=True)
class InfiniteSlope(_Cause):
    pass


# Values


@dataclass(frozen=True)
class OutsideDomain(_Cause):
    pass


@dataclass(frozen=True)
class NotTold(_Cause):
    """Nothing here tells whether an operand is where there is no value."""


@dataclass(frozen=True)
class BeyondReduction(_Cause):
    """A periodic function's argument, or a remainder's quotient, is too large to be reduced."""


@dataclass(frozen=True)
class BeyondEveryRange(_Cause):
    """A value is too large or small for every range of numbers."""


@dataclass(frozen=True)
class CheckEnded(_Cause):
    checked: int  # Rows that were settled exactly before it ended


@unique
class Way(StrEnum):
    """How a value leaves double range."""

    OVERFLOW = "overflow"
    UNDERFLOW = "underflow"
    ROUNDED_TO_ZERO = "rounded_to_zero"
    ROUNDED_OUT = "rounded_out"  # of the domain of the step above


@dataclass(frozen=True)
class OutOfRange(_Cause):
    way: Way
    # Rows whose exact result is 0 or a normal double, a subnormal one, or none
    in_range: int
    fewer: int
    beyond: int


@dataclass(frozen=True)
class RangeCost(_Cause):
    """An over- or underflow on the way costs digits of a result that has a value."""

    way: Way


Cause: TypeAlias = (
    Accumulated
    | Cancellation
    | ZeroTerm
    | NearPole
    | NearZero
    | NearZerosAndPoles
    | LargeArgument
    | GrowthOfLargeNumber
    | LargeExponent
    | ErrorInExponent
    | NearEdge
    | SteepStep
    | OwnInaccuracy
    | BeyondDoubles
    | NoDigitLeft
    | OnThreshold
    | TurnedByRounding
    | TurnedByRange
    | InfiniteSlope
    | OutsideDomain
    | NotTold
    | BeyondReduction
    | BeyondEveryRange
    | CheckEnded
    | OutOfRange
    | RangeCost
)


CAUSES = tuple(cause.name() for cause in get_args(Cause))
"""The names of all causes."""


@unique
class ErrorKind(StrEnum):
    """The errors that a number of digits is about."""

    INDEPENDENT = "independent"  # errors of inputs, constants and steps, each of its own
    ROUNDING = "rounding"  # the roundings that a program really makes: measured


@unique
class Place(StrEnum):
    """Where the digits of a finding are counted."""

    RESULT = "result"
    WORST_STEP = "worst_step"  # at the step of largest local EIC, which need not reach the result


@dataclass(frozen=True)
class Finding(Plain):
    """Rows with one outcome and one cause.

    Attributes
    ----------
    outcome
        What becomes of these rows.
    cause
        Why; it names its step.
    rows
        How many rows of the data; None where only a part of them was measured.
    of
        All rows of the data.
    digits
        Digits in doubt or lost at these rows; nan where there is no value.
    noise
        The errors that these digits are about.
    place
        Where they are counted.
    created
        How many of the typical digits this step creates; nan where nothing is to be split.
    at
        The node where digits are counted.
    through
        The share of the result's noise that comes through that node, 0 to 1; nan without any.
    """

    outcome: Outcome
    cause: Cause
    rows: int | None
    of: int
    digits: Quantiles
    noise: ErrorKind
    place: Place
    created: float
    at: int
    through: float = 1.0

    _JSON = (
        ("outcome", lambda finding: finding.outcome.name.lower()),
        ("cause", lambda finding: finding.cause.name()),
        "node=cause.node",
        "rows",
        "of",
        "digits",
        "noise",
        "place",
        "at",
        "created",
        "through",
        ("detail", lambda finding: _detail(finding.cause)),
    )


def findings_document(findings: Iterable[Finding]) -> dict[str, object]:
    """The JSON form of all findings of a formula.

    >>> findings_document(())
    {'version': 1, 'items': []}
    """
    return {"version": VERSION, "items": [finding.to_json() for finding in findings]}


def _detail(cause: Cause) -> dict[str, object]:
    """The further fields of a cause."""
    return {each.name: getattr(cause, each.name) for each in fields(cause) if each.name != "node"}
