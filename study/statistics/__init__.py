"""Statistics of a study, a module for each topic; every result carries its inputs."""

from study.statistics.agreement import FleissKappa, count_choices, fleiss_kappa
from study.statistics.exclusions import ExclusionRule, exclusion_reasons
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval, Preference
from study.statistics.sign_test import SignTest, sign_test

__all__ = [
    "ClusteredRate",
    "ExclusionRule",
    "FleissKappa",
    "Interval",
    "Preference",
    "SignTest",
    "clustered_rate",
    "count_choices",
    "exclusion_reasons",
    "fleiss_kappa",
    "sign_test",
]
