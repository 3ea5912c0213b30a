"""What becomes of a mean amplification with more data, as facts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from eic_core.measure.crossings import Passage

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
