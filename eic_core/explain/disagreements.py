"""The reasons why ways of measuring a node's loss differ, as facts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto

OK, EXPLAINED, UNCLEAR = "ok", "explained", "unclear"


@dataclass(frozen=True)
class Shaken:
    sigma: float  # Standard deviation of the noise, relative to each value
    local_eic: float  # Digits lost; nan without a usable row
    # low, high: 95 per cent interval of it; nan without one
    low: float
    high: float
    # Rows that show nothing: the value is 0, the noise too large, or a value somewhere in the
    # formula leaves double range
    left_out: int

    _JSON = ("sigma", "local_eic", "low", "high", "left_out")


@dataclass(frozen=True)
class Copies:
    """A sub-expression that stands in several places, whose noise is therefore shared."""

    text: str  # In backticks
    count: int  # 2 or more


class Nothing(Enum):
    """What bears no relative noise, or has none to show: no way can agree or differ there."""

    TRUTH = auto()
    ZERO = auto()
    UNTAKEN = auto()  # A branch that none of the samples takes
    UNROUNDED = auto()


class Why(Enum):
    NO_DIGIT = auto()  # No sample keeps one
    SILENT_TRIALS = auto()  # A value is 0, leaves double range, or bears no error of this size
    NOISY_TRIALS = auto()  # So many digits are lost that trials in doubles show only noise
    JUMP = auto()  # Noise crosses a jump or a tie


@dataclass(frozen=True)
class NoDigit:
    samples: int  # Where no digit is left


@dataclass(frozen=True)
class SharedNoise:
    """A sub-expression stands in several places, whose noise is therefore shared."""

    copies: Copies
    # recursion, shared: digits with independent noise, and with shared noise
    recursion: float
    shared: float
    followed: bool  # Whether floating point follows the shared value


@dataclass(frozen=True)
class LargeErrors:
    sigma: float  # From which on the formula no longer responds in proportion


@dataclass(frozen=True)
class TrialsLeaveOut:
    samples: int


@dataclass(frozen=True)
class TrialsDiffer:
    trials: Shaken
    recursion: float


class Event(Enum):
    """What is measured in a type, in place of the error that is expected."""

    NO_NUMBER = auto()  # Overflow, or no number at all
    FEW_DIGITS = auto()  # No sample keeps three
    NO_DIGIT = auto()
    ZERO = auto()  # The exact value
    EXACT = auto()
    SOME_NO_NUMBER = auto()
    SOME_FEW_DIGITS = auto()
    STORED = auto()  # A constant, with hardly an error
    CANCELLING = auto()  # The roundings, which are small or cancel one another
    UNROUNDED = auto()  # Much of the noise is of operations that are exact
    UNDERFLOW = auto()
    LIBRARY = auto()  # A function is wrong by more than one rounding
    UNACCOUNTED = auto()  # The roundings on the way do not make the error
    OFF = auto()  # The same where a jump accounts for it


@dataclass(frozen=True)
class MeasuredEvent:
    kind: str  # "float32" or "float64"
    event: Event
    samples: int = 0  # Where this is so, if it is so at some alone
    of: int = 0
    ratio: float = math.nan  # Of the error to that expected


Reason = (
    Nothing
    | Why
    | NoDigit
    | SharedNoise
    | LargeErrors
    | TrialsLeaveOut
    | TrialsDiffer
    | MeasuredEvent
)


@dataclass(frozen=True)
class OverallAgreement:
    """The agreement of the ways over all nodes."""

    nodes: int
    compared: int  # Nodes that show something
    apart: int  # Of these, those at which the ways differ
    worst: int | None  # Of these, an unclear one, or that of the largest loss
    because: Reason | None  # What there is to say of it
    unclear: bool  # Whether no reason was found there
    nothing: tuple[Nothing, ...]  # What the nodes are that show nothing
