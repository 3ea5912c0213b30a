"""The study: matched pairs, ballots, statistics and reports; knows nothing of SQL or pages."""

import scipy.linalg  # noqa: F401 (a BLAS beside NumPy's)
from threadpoolctl import threadpool_limits

# A study's products of matrices are small.  Spread over cores that have other work, too, their
# parts wait for each other: a report took nine times the work.
threadpool_limits(limits=1, user_api="blas")
