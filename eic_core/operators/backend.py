"""The functions that a row's formulas may call: alike for arrays, for balls and traced into C."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

Value = Any
"""A float64 array or scalar, a ball, or a traced C expression."""


_OF_SCIPY = {"digamma": "psi", "erfcx": "erfcx"}


class _OnDoubles:
    """A ufunc that SciPy has for doubles alone, over longer types, too."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self.ufunc = ufunc

    def __call__(self, a: Value) -> Value:
        return self.ufunc(np.asarray(a, np.float64))


class _NumPy(SimpleNamespace):
    def __getattr__(self, name: str) -> Any:
        if name not in _OF_SCIPY:
            raise AttributeError(name)
        from scipy import special  # takes longer to load than NumPy

        setattr(self, name, _OnDoubles(getattr(special, _OF_SCIPY[name])))
        return getattr(self, name)


NUMPY = _NumPy(
    inf=math.inf,
    nan=math.nan,
    pi=math.pi,
    sin=np.sin,
    cos=np.cos,
    tan=np.tan,
    sinh=np.sinh,
    cosh=np.cosh,
    exp=np.exp,
    log=np.log,
    sqrt=np.sqrt,
    hypot=np.hypot,
    pow=np.power,
    over=np.divide,
    number=float,
    abs=np.abs,
    sign=np.sign,
    floor=np.floor,
    nint=np.rint,
    where=np.where,
    isfinite=np.isfinite,
    isnan=np.isnan,
    maximum=np.maximum,
)
"""Double precision over arrays; a division by zero warns, or is silent under ``np.errstate``."""
