"""Repair: equivalent forms that lose fewer digits, by exact rewriting of our own trees."""

from eic_core.measure.observed import ObservedError
from eic_core.rewriting.front import FrontForm
from eic_core.rewriting.gains import Measured
from eic_core.rewriting.own_form import OwnForm, compare_own_form
from eic_core.rewriting.pieces import Branch, InputInterval, Omission, RepairStep, Series
from eic_core.rewriting.repair import SEARCH_SECONDS, repair
from eic_core.rewriting.results import Repair, Repairs
from eic_core.rewriting.verify import RowDifference, Verification

__all__ = [
    "SEARCH_SECONDS",
    "Branch",
    "FrontForm",
    "InputInterval",
    "Omission",
    "RowDifference",
    "Measured",
    "ObservedError",
    "OwnForm",
    "Repair",
    "RepairStep",
    "Repairs",
    "Series",
    "Verification",
    "compare_own_form",
    "repair",
]
