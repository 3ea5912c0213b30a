"""Coverage and size of every interval and test that a report prints, and what threats say, on
simulated studies of known truth: `python -m study.statistics.validation`, or
`make validate-statistics`.
"""

from study.statistics.validation.alarms import SITUATIONS, Alarms, Situation, alarms
from study.statistics.validation.running import ValidationRow, validate
from study.statistics.validation.scenarios import SCENARIOS, Scenario
from study.statistics.validation.verdicts import AimVerdict, verdicts

__all__ = [
    "SCENARIOS",
    "SITUATIONS",
    "AimVerdict",
    "Alarms",
    "Scenario",
    "Situation",
    "ValidationRow",
    "alarms",
    "validate",
    "verdicts",
]
