"""The operators a tree may hold; `table` has a row for each."""

from eic_core.operators.backend import NUMPY
from eic_core.operators.row import Operands, Operator
from eic_core.operators.table import (
    OPERATORS,
    ROWS,
    TRANSCENDENTAL,
    follow,
    register,
    registered,
    unregister,
)
from eic_core.operators.words import Words
from eic_core.operators.writing import Form, Writing

__all__ = [
    "NUMPY",
    "OPERATORS",
    "ROWS",
    "TRANSCENDENTAL",
    "Form",
    "Operands",
    "Operator",
    "Words",
    "Writing",
    "follow",
    "register",
    "registered",
    "unregister",
]
