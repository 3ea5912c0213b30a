"""Repair: equivalent forms that lose fewer digits, by exact rewriting of our own trees."""

from eic_core.explain.rewriting.repair import repair
from eic_core.explain.rewriting.results import Measured, Repair, Repairs, RepairStep
from eic_core.explain.rewriting.verify import Verification
from eic_core.measure.observed import ObservedError

__all__ = [
    "Measured",
    "ObservedError",
    "Repair",
    "RepairStep",
    "Repairs",
    "Verification",
    "repair",
]
