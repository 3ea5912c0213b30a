"""The operators a tree may hold; `table` has a row for each."""

from eic_core.operators.backend import NUMPY, MpBackend
from eic_core.operators.row import Operands, Operator
from eic_core.operators.table import OPERATORS, register

__all__ = ["NUMPY", "OPERATORS", "MpBackend", "Operands", "Operator", "register"]
