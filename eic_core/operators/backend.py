"""The functions that a row's formulas may call: alike for arrays, for balls and traced into C."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from eic_core.operators import beyond_numpy

Value = Any
"""A float64 array or scalar, a ball, or a traced C expression."""


@dataclass(frozen=True)
class Traced:
    """A function that programs call beside NumPy's ufuncs; compiled code has it by its name."""

    name: str
    formula: Callable[..., Any]  # Of a backend and operands; branches by ``B.where`` alone
    for_doubles: bool = False  # Whether it has the digits of doubles, in all types

    def __call__(self, *operands: Any, out: Any = None) -> Any:
        function = partial(self.formula, NUMPY)
        y = (beyond_numpy.over_arrays(function) if self.for_doubles else function)(*operands)
        if out is None:
            return y
        np.copyto(out, y)
        return out


NUMPY = SimpleNamespace(
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
    log1p=np.log1p,
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
    erf=beyond_numpy.erf,
    erfc=beyond_numpy.erfc,
    gamma=beyond_numpy.gamma,
    lgamma=beyond_numpy.lgamma,
    **{
        formula.__name__: Traced(formula.__name__, formula, for_doubles=is_value)
        for formula, is_value in (
            (beyond_numpy.digamma, False),  # slopes are taken of longer numbers, too
            (beyond_numpy.digamma_rise, False),
            (beyond_numpy.betaln, True),
            (beyond_numpy.erfcx, True),
            (beyond_numpy.erfcx_kappa, False),
        )
    },
)
"""Double precision over arrays; a division by zero warns, or is silent under ``np.errstate``."""
