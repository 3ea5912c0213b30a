"""Statistics of a study, a module for each topic; every result carries its inputs."""

import scipy.linalg  # noqa: F401 (a BLAS beside NumPy's)
from threadpoolctl import threadpool_limits

from study.statistics.agreement import Agreement, agreement_of
from study.statistics.exclusions import ExclusionRule, exclusion_reasons
from study.statistics.inference import ClusteredRate, clustered_rate
from study.statistics.preference import Interval, Preference
from study.statistics.sign_test import SignTest, sign_test

# A study's products of matrices are small.  Spread over cores that have other work, too, their
# parts wait for each other: a report took nine times the work.
threadpool_limits(limits=1, user_api="blas")

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
