"""What sentences about noise, rows and writing are made of: numbers, nodes and kinds, no words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum, auto


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
    NOT_LOOKED_AT = auto()


@dataclass(frozen=True)
class LeftOut:
    why: OutOfSplit
    rows: int


Remark = IndependentNoise | WorstInside | KeptByShared | InnerStepLost | FollowsStep | LeftOut
"""What qualifies a split between function and writing."""
