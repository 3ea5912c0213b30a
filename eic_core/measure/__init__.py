"""Amplification of rounding noise: data, Algorithms 1 and 2, tails, precision."""

from eic_core.engine.amplify import Amplification, amplify
from eic_core.measure.inspection import Inspection, NodeAmplification, SampleCounts, inspect
from eic_core.measure.tails import Tail
from eic_core.samples import Domain, Samples, sample_domains

__all__ = [
    "Amplification",
    "Domain",
    "Inspection",
    "NodeAmplification",
    "SampleCounts",
    "Samples",
    "Tail",
    "amplify",
    "inspect",
    "sample_domains",
]
