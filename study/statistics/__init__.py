"""Statistics of a study, a module for each topic; every result carries its inputs."""

from study.statistics.agreement import Agreement, agreement_of
from study.statistics.exclusions import ExclusionRule, exclusion_reasons
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval, Preference
from study.statistics.sign_test import SignTest, sign_test

__all__ = [
    "Agreement",
    "ClusteredRate",
    "ExclusionRule",
    "Interval",
    "Preference",
    "SignTest",
    "agreement_of",
    "clustered_rate",
    "exclusion_reasons",
    "sign_test",
]
