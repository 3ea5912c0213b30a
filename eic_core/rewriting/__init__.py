"""Repair: forms that lose fewer digits, by exact rewriting of our own trees, branches and series.

- `repair` chooses rows, measures the formula as written, and calls what follows in turn
- `search` rewrites terms (`terms`, `values`) by `rules` (`tables`) and `families`: exact forms
- `measuring` verifies (`verify`) and measures the forms, `gains` decides which are offered
- `regimes.choosing` combines them, those of `regimes.signs` and series into forms that choose: by
  `regimes.segments`, as `regimes.cases`
- `series.options` asks `series.expanding` for coefficients, `series.proof` for bounds
- `conditional_formulas` calls `repair` for the parts of a formula with conditions of its own
- `results` holds what comes out, `profile` what rows lose with a form, `phrases` the English
"""

from eic_core.measure.observed import ObservedError
from eic_core.rewriting.gains import Measured
from eic_core.rewriting.own_form import OwnForm, compare_own_form
from eic_core.rewriting.pieces import Branch, InputInterval, Omission, RepairStep, Series
from eic_core.rewriting.repair import repair
from eic_core.rewriting.results import FrontForm, Repair, Repairs
from eic_core.rewriting.verify import RowDifference, Verification

__all__ = [
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
