"""How a language means what it writes: what a word of letters is, what indices count from, what
two-argument logarithms, remainders and a tool's own functions are. A policy is decided once, by the
language and by the names that are given, never by what else stands in the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class WordRule(Enum):
    """What a word of several letters is, if it is no column, argument, constant or function."""

    NAME = "one name"  # As in a program
    GIVEN = "by the names that are given"  # A product where all its letters are given names
    PRODUCT = "a product of its letters"  # As in mathematics


@dataclass(frozen=True, slots=True)
class Policy:
    words: WordRule = WordRule.GIVEN
    index_base: int | None = None  # What indexed variables count from; None where that differs
    euler: bool = False  # Whether ``E`` is the constant e
    # "", "first" or "last": which argument of ``log(a, b)`` is the base; "" where that differs
    log_base: str = ""
    # Whether ``2x`` binds more tightly than ``*``, ``/`` and the ``^`` before it, as in Julia
    close_products: bool = False
    powers_from_left: bool = False  # Whether ``a^b^c`` is (a^b)^c
    brackets_call: bool = False  # Whether ``f[x]`` is a call
    remainder: str = "mod"  # What ``%`` is: Python's has the divisor's sign, C's the dividend's
    # What calls of some names are there, as words ``name=function``: Fortran's ``mod=fmod``
    calls: str = ""
    protected: str = ""  # The tool whose protected functions are computed as it computes them
    cased: bool = False  # Whether ``X0`` is another variable than ``x0``
