"""The precision of the program that a form is written for: it alone decides."""

from __future__ import annotations

from typing import Literal

Target = Literal["float64", "float32"]
"""The type of a program's numbers, its inputs among them."""

TARGETS: tuple[Target, ...] = ("float64", "float32")


def other_precision(target: Target) -> Target:
    """The precision in which a form is measured too, without a say in what is offered.

    >>> other_precision("float64"), other_precision("float32")
    ('float32', 'float64')
    """
    return "float32" if target == "float64" else "float64"
