"""Correlations of yes-or-no votes, and of the normal values behind them.

A vote is yes where a standard normal value lies on one side of a threshold.  Two votes correlate
less than the values behind them.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)


def both_below(threshold: float, latent: float) -> float:
    """Probability that two standard normals of correlation `latent` are both below `threshold`.

    Examples
    --------
    >>> round(both_below(0.0, 0.5), 12)  # 1/4 + arcsin(1/2) / (2 pi)
    0.333333333333
    """
    return float(ndtr(threshold)) ** 2 + _excess(threshold, latent)


def binary_correlation(preference: float, latent: float) -> float:
    """Correlation of two votes whose latent values correlate by `latent`, in [0, 1].

    Examples
    --------
    >>> round(binary_correlation(0.5, 0.5), 6), binary_correlation(0.7, 0.0)
    (0.333333, 0.0)
    """
    return _excess(float(ndtri(preference)), latent) / (preference * (1.0 - preference))


def _excess(threshold: float, latent: float) -> float:
    """`both_below` less what independence would give.

    By integration of Plackett's (1954, Biometrika 41:351) derivative in the correlation, with
    ``latent = sin t``, so that nothing is singular at 1; absolute error below 1e-13.
    """
    angle = math.asin(latent)
    t = 0.5 * angle * (_NODES + 1.0)
    integral = 0.5 * angle * float(_WEIGHTS @ np.exp(-(threshold**2) / (1.0 + np.sin(t))))
    return integral / (2.0 * math.pi)


def latent_correlation(preference: float, binary: float) -> float:
    """The inverse of `binary_correlation` in its second argument.

    Examples
    --------
    >>> round(latent_correlation(0.5, 1 / 3), 6)
    0.5
    """
    if binary <= 0.0:
        return 0.0
    return float(brentq(lambda r: binary_correlation(preference, r) - binary, 0.0, 1.0, xtol=1e-14))
