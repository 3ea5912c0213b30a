"""The operators a tree may hold; `table` has a row for each."""

from eic_core.formula.operators.row import NUMPY, Operands, Operator, Scratch
from eic_core.formula.operators.table import OPERATORS

__all__ = ["NUMPY", "OPERATORS", "Operands", "Operator", "Scratch"]
