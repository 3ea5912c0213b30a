"""Coverage and type-I error of every method of inference on simulated studies of known truth:
`python -m study.statistics.validation`, or `make validate-statistics`.
"""

from study.statistics.validation.running import ValidationRow, validate
from study.statistics.validation.scenarios import SCENARIOS, Scenario

