"""How well a formula fits its target."""

from __future__ import annotations

import numpy as np


def r_squared(predicted: np.ndarray, target: np.ndarray) -> float:
    """Coefficient of determination, 1 - SSE/SST.

    Parameters
    ----------
    predicted, target : ndarray, shape (N,)

    Returns
    -------
    float
        At most 1.  nan if a prediction is nan or infinite (the formula has no
        value there), or if the target is constant and not hit exactly; 1 if a
        constant target is hit exactly.

    Examples
    --------
    >>> r_squared(np.array([1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    0.5
    """
    if not np.isfinite(predicted).all():
        return float("nan")
    with np.errstate(over="ignore"):
        residual = float(np.sum(np.square(target - predicted)))
        spread = float(np.sum(np.square(target - np.mean(target))))
    if spread == 0:
        return 1.0 if residual == 0 else float("nan")
    return 1.0 - residual / spread
