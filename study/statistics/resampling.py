"""The bootstrap of the coefficients of agreement: pairs drawn again, with all their votes.

The interval is the bias-corrected percentile one (Efron, 1981, Canadian Journal of Statistics
9:139), its quantiles moved outward for few pairs from z to sqrt(m/(m-1)) t (Hesterberg, 2015, The
American Statistician 69:371).  In simulated studies (500 each, about 5 votes a pair, kappa 0 to
0.6, preference 0.7 to 0.85) plain percentiles of kappa covered 77 to 92 % of the time at 20 pairs,
this 80 to 94 %, and 93 to 97 % at 172; the acceleration of BCa and a jackknife with t quantiles
covered no better.  What remains is lost where few pairs hold the rarer choice, which
`Coefficient.too_small` says: where it says nothing, kappa and alpha were covered 91 to 97 % of the
time.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from study.statistics.preference import Interval
from study.statistics.votes import Floats

METHOD = "bias-corrected pair bootstrap"
MOST_UNDEFINED = 0.05

NO_SPREAD = "All pairs show the same agreement, so their spread gives no interval."
UNSTABLE = "Too few pairs hold the rarer choice to give an interval."


@lru_cache(maxsize=16)
def resampling_weights(pairs: int, draws: int, seed: int) -> Floats:
    """How often each pair is drawn, shape (draws, pairs); read-only.

    Examples
    --------
    >>> resampling_weights(5, 1000, 0).sum(axis=1).tolist() == [5.0] * 1000
    True
    """
    rng = np.random.default_rng(seed)
    found = rng.multinomial(pairs, np.full(pairs, 1 / pairs), size=draws).astype(np.float64)
    found.setflags(write=False)
    return found


def bias_corrected(
    value: float, drawn: Floats, pairs: int, level: float
) -> tuple[Interval | None, str]:
    """The interval, or None and a sentence that says why there is none.

    Parameters
    ----------
    value : float
        Of the votes as they are.
    drawn : ndarray of float, shape (draws,)
        Of each draw; nan where it is not defined.
    pairs : int
        At least 2.
    level : float
        In (0, 1).
    """
    defined = drawn[~np.isnan(drawn)]
    if len(defined) < (1 - MOST_UNDEFINED) * len(drawn):
        return None, UNSTABLE
    if np.ptp(defined) < 1e-12:
        return None, NO_SPREAD
    near = np.abs(defined - value) < 1e-12
    below = float(((defined < value) & ~near).mean() + near.mean() / 2)
    least = 1 / len(defined)
    shift = 2 * ndtri(min(max(below, least), 1 - least))
    reach = sqrt(pairs / (pairs - 1)) * stdtrit(pairs - 1, (1 + level) / 2)
    low, high = np.quantile(defined, [ndtr(shift - reach), ndtr(shift + reach)])
    return Interval(float(low), float(high), level, METHOD), ""
