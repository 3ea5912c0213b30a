"""Subtrees that compute the same number the same way, and so round it the same way.

Two subtrees are of one class if they are identical up to the order of the operands of
``+`` and ``*``: in floating point both orders give the same double.  A program that
computes a class once, or reads a variable once, gives all its copies one rounding error.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from functools import lru_cache
from weakref import WeakKeyDictionary

from eic_core.engine.tape import Tape, lay_out
from eic_core.formula.tree import CONSTANT, Formula, Node
from eic_core.operators import OPERATORS


@lru_cache(maxsize=4096)
def _number(label: str) -> Fraction | str:
    return label if label in ("pi", "e") else Fraction(label)


def class_tape(formula: Formula) -> Tape:
    """A tape with one step for each class; `Tape.slots` gives each node's class.

    Parameters
    ----------
    formula : Formula

    Notes
    -----
    Constants are of one class if their values are equal: ``2`` and ``2.0`` are.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> class_tape(read("(x+y)*2 - (y+x)*2.0").formula).slots
    (0, 1, 2, 3, 4, 1, 0, 2, 3, 4, 5)
    """
    tape = _TAPES.get(formula)
    if tape is None:
        tape = _TAPES[formula] = lay_out(formula, alike=_alike)
    return tape


_TAPES: WeakKeyDictionary[Formula, Tape] = WeakKeyDictionary()


def _alike(node: Node, operands: tuple[int, ...]) -> Hashable:
    swaps = bool(operands) and OPERATORS[node.operator].commutative
    ordered = tuple(sorted(operands)) if swaps else operands
    label = _number(node.label) if node.operator == CONSTANT else node.label
    return node.operator, ordered, label, node.parameter
