"""Planning a study by simulation: how sharp it will be, and what would make it sharper."""

from study.planning.advising import Advice, Grid, Route, Target, advise, most_studies, width_grid
from study.planning.approximation import (
    CAUTIOUS,
    SHARES,
    Approximation,
    VerdictRule,
    across_shares,
    approximate,
)
from study.planning.simulating import PAPER, MonteCarloEstimate, Plan, Progress, plan
from study.planning.sizes import read_sizes, sizes_of

__all__ = [
    "CAUTIOUS",
    "PAPER",
    "SHARES",
    "Advice",
    "Approximation",
    "MonteCarloEstimate",
    "Grid",
    "Plan",
    "Progress",
    "Route",
    "Target",
    "VerdictRule",
    "across_shares",
    "advise",
    "approximate",
    "most_studies",
    "plan",
    "read_sizes",
    "sizes_of",
    "width_grid",
]
