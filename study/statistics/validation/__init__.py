"""Every method of inference on simulated studies whose truth is known: coverage and type-I error.

`python -m study.statistics.validation`, or `make validate-statistics`.
"""

from study.statistics.validation.running import ValidationRow, validate
from study.statistics.validation.scenarios import SCENARIOS, Scenario
from study.statistics.validation.verdicts import AimVerdict, verdicts

__all__ = ["SCENARIOS", "ValidationRow", "Scenario", "AimVerdict", "validate", "verdicts"]
