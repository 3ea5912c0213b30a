"""Statistics of a study, a module for each topic; every result carries its inputs."""

from study.statistics.agreement import FleissKappa, count_choices, fleiss_kappa
from study.statistics.exclusions import ExclusionRule, exclusion_reasons
from study.statistics.preference import Interval, Preference

__all__ = [
    "ExclusionRule",
    "FleissKappa",
    "Interval",
    "Preference",
    "count_choices",
    "exclusion_reasons",
    "fleiss_kappa",
]
