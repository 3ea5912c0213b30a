"""Numbers, nodes and kinds that sentences of this room are made of: facts, and no words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum, auto

from eic_core.measure.crossings import Passage


@dataclass(frozen=True)
class LossSize:
    """One of the three losses (`eic_core.explain.losses`), and the step that it is about."""

    key: str  # "worst_step", "result" or "result_shared"
    digits: float  # inf where no digit is left at some sample; nan where there is no value
    digits_finite: float  # Without these samples; nan if none remain
    node_id: int | None = None  # The worst step; None of a loss of the result
    node_id_finite: int | None = None  # The worst step without these samples


# Whose noise it is


class StepPart(IntEnum):
    """What a step makes of an amplification on its way."""

    LARGEST = 0  # More than each other step
    MOST = 1  # At least half
    ALL = 2


@dataclass(frozen=True)
class NoiseSource:
    node_id: int  # One of the places where it arises
    places: int
    everywhere: int  # With the places whose noise is in another group, or in none
    within: int | None = None  # A step that has all of these places below it and no others


@dataclass(frozen=True)
class NoiseGroup:
    """Noise of a target that is amplified alike."""

    share: float  # Of the target's noise, 0 to 1
    sources: tuple[NoiseSource, ...]  # The largest first
    more: int  # Further nodes, not in `sources`
    nodes: int  # All together
    amplifier: int | None  # The step that amplifies it most; None if it is hardly amplified
    gain_low: float
    gain_high: float
    part: StepPart  # What the amplifier makes of the gain, at least

    @property
    def is_all(self) -> bool:
        return self.share > 1 - 1e-12

    @property
    def is_alike(self) -> bool:
        """Whether one number with two digits stands for all gains."""
        return f"{self.gain_low:.1e}" == f"{self.gain_high:.1e}"


# The rows that carry it


class Concentrated(Enum):
    ALONE = auto()  # There is one row
    EVENLY = auto()  # Every row has the same share
    NOWHERE = auto()  # No small part of the rows carries much
    ONE_ROW = auto()
    FEW_ROWS = auto()


@dataclass(frozen=True)
class Concentration:
    kind: Concentrated
    rows: tuple[int, ...]  # Numbers of the rows that carry `share`, the largest share first
    share: float  # Of one row; of few rows the level that they reach
    of: int  # Rows with a finite amplification
    in_branch: int  # Rows that take the branch of the step; 0 if it is in none
    leaves_out: bool  # Whether there are rows of another amplification


class RangeKind(Enum):
    VALUE = auto()
    NEAR = auto()
    BETWEEN = auto()


@dataclass(frozen=True)
class InputRange:
    name: str
    # low, high: its range over the rows
    low: float
    high: float
    covered: float  # The part of all valid samples that lies in this range, 0 to 1
    kind: RangeKind = RangeKind.BETWEEN
    digits: int = 3  # In which its value is shown

    _JSON = ("name", "low", "high", "covered")

    @property
    def middle(self) -> float:
        return self.low if self.low == self.high else 0.5 * (self.low + self.high)


@dataclass(frozen=True)
class LossPlace:
    """What rows that carry noise have in common."""

    rows: int
    share: float  # Of the node's noise that they carry, 0 to 1
    described: int  # Rows that were looked at, these among them
    inputs: tuple[InputRange, ...]  # The inputs that the rows pick out, the narrowest first
    node_id: int | None = None  # The node that is nearly zero there; None if there is none
    # Whether it is known to pass through a zero on the data at which it loses every digit
    crosses: bool = False
    # low, high: range of that node's value over the rows; nan without a node
    low: float = math.nan
    high: float = math.nan

    _JSON = (
        "node=node_id",
        "crosses",
        ("low", lambda place: None if math.isnan(place.low) else place.low),
        ("high", lambda place: None if math.isnan(place.high) else place.high),
        "inputs",
        "rows",
        "share",
    )

    @property
    def is_point(self) -> bool:
        """Whether one number with two digits stands for all values of the node."""
        return f"{self.low:.1e}" == f"{self.high:.1e}"

    @property
    def changes_sign(self) -> bool:
        return self.crosses and self.low <= 0 <= self.high


# Function or writing


class LossOrigin(StrEnum):
    """Where to look for a loss of the result."""

    WRITING = "writing"
    FUNCTION = "function"
    BOTH = "both"
    NEITHER = "neither"
    UNDEFINED = "undefined"


@dataclass(frozen=True)
class IndependentNoise:
    digits: float  # Of the result, if copies had noises of their own


@dataclass(frozen=True)
class WorstInside:
    node_id: int
    digits: float
    singular: bool  # Whether samples of infinite amplification were left out


@dataclass(frozen=True)
class KeptByShared:
    rows: int  # That keep a digit with shared noise, and with independent noise do not


@dataclass(frozen=True)
class InnerStepLost:
    rows: int  # At which an inner step keeps no digit and the result does
    node_id: int  # Such a step
    at: int  # Those of the rows where it is this one


@dataclass(frozen=True)
class FollowsStep:
    rows: int
    node_id: int


class OutOfSplit(Enum):
    """Who keeps no digit at rows that are left out of a split."""

    FUNCTION = auto()
    WRITING = auto()
    NOT_KNOWN = auto()


@dataclass(frozen=True)
class LeftOut:
    why: OutOfSplit
    rows: int


Remark = IndependentNoise | WorstInside | KeptByShared | InnerStepLost | FollowsStep | LeftOut
"""What qualifies a split between function and writing."""


FINITE_VARIANCE = 2.0
"""Tail index of s^2 above which its mean has a standard error at all."""


@dataclass(frozen=True)
class UnsettledAt:
    own: bool  # Whether it is that of EIC's own node; else that of `node` alone
    node: int  # Where s grows without bound; -1 if only the tail is heavy


class Settled(Enum):
    """Whether the mean is settled at this N."""

    YES = auto()
    NO = auto()
    NOT_AT = auto()  # That of a step that EIC does not name
    NO_DIGIT = auto()  # No sample keeps a digit at a step
    INFINITE_AT = auto()  # Infinite at a step for all of the singular samples
    INFINITE = auto()
    LEFT_OUT = auto()  # Not known, for samples are left out
    FEW_SAMPLES = auto()


class GrowthPace(Enum):
    """How a loss grows with the data, as far as these rows show it."""

    STILL = auto()
    HARDLY = auto()
    GROWS = auto()


@dataclass(frozen=True)
class Unbounded:
    passage: Passage  # What a part of the formula does inside the domain


@dataclass(frozen=True)
class RowsLeftOut:
    samples: int  # Of the same kind, whose s is unknown


@dataclass(frozen=True)
class FewSamples:
    pass


@dataclass(frozen=True)
class HeavyTail:
    index: float  # Hill's estimate for s^2


NoInterval = Unbounded | RowsLeftOut | FewSamples | HeavyTail


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
    unclear: int  # At how many no reason was found
    nothing: tuple[Nothing, ...]  # What the nodes are that show nothing


FEW_DIGITS = 4
"""Significant digits of constants as they are printed in papers."""

FOLDS, SPLITS = 5, 5
"""Parts of the rows, each left out once; and how often they are drawn."""

RESAMPLES, LEVEL = 1000, 0.95

OUTER, MOST_OUTER = 0.1, 0.3
"""Share of the rows that are the outer ones; more than the second, where many tie, are none."""

FITTED_ROWS, RESAMPLED_ROWS = 2_000, 20_000
"""Rows that constants are fitted to, and that are resampled, at most: evenly spread ones."""


class CardTrial(StrEnum):
    """What a line of the card puts the formula through; the value names R^2 in the card."""

    AS_GIVEN = "r2"
    RESAMPLED_LOW = auto()
    RESAMPLED_HIGH = auto()
    FEW_DIGITS = auto()
    FLOAT32 = auto()
    LEFT_OUT = auto()
    OUTER = auto()
    HOLDOUT = auto()
    OUTSIDE = auto()
