"""Planning a study by simulation: how sharp it will be, and what would make it sharper."""

from study.planning.advising import advise, most_studies, width_grid
from study.planning.approximation import Approximation, approximate
from study.planning.estimates import Estimate
from study.planning.example import PAPER, PAPER_ASSUMES
from study.planning.simulating import Plan, Progress, plan
from study.planning.targets import Advice, Grid, Route, Target

__all__ = [
    "PAPER",
    "PAPER_ASSUMES",
    "Advice",
    "Approximation",
    "Estimate",
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
