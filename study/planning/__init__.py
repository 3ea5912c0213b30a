"""Planning a study by simulation: how sharp it will be, and what would make it sharper."""

from study.planning.advising import Advice, Grid, Route, Target, advise, most_studies, width_grid
from study.planning.approximation import Approximation, approximate
from study.planning.simulating import PAPER, MonteCarloEstimate, Plan, Progress, plan

__all__ = [
    "PAPER",
    "Advice",
    "Approximation",
    "MonteCarloEstimate",
    "Grid",
    "Plan",
    "Progress",
    "Route",
    "Target",
    "advise",
    "approximate",
    "most_studies",
    "plan",
    "width_grid",
]
