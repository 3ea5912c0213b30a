"""What passes along the edges of the tree: signed condition numbers at every sample."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from eic_core.engine.reference import Block
from eic_core.engine.tape import Step
from eic_core.operators import NUMPY

Array = np.ndarray[Any, np.dtype[np.float64]]


class Unit(NamedTuple):
    """One carrier of noise: a node, or a class of nodes that share theirs.

    Attributes
    ----------
    slot : int
        Its step in the tape.
    operands : tuple of int
        The units that it reads; they stand before it.
    """

    slot: int
    operands: tuple[int, ...]


class Edge(NamedTuple):
    """One operand i of a step k, at m samples.

    Attributes
    ----------
    kappa : ndarray, shape (m,)
        d eta_k / d eta_i with its sign, where neither value is 0; there 0.
    partial : ndarray, shape (m,)
        de_k/dy_i; 0 where nothing passes.
    limit : ndarray, shape (m,)
        The limit of kappa where y_k = 0; 0 if it has none.
    operand : ndarray, shape (m,)
        y_i.
    """

    kappa: Array
    partial: Array
    limit: Array
    operand: Array


def edges_of(step: Step, block: Block) -> list[Edge]:
    """Signed condition numbers of a step, of the size that the recursion found.

    Parameters
    ----------
    step : Step
        With operands.
    block : Block
        Evaluated for the tape of the step.

    Returns
    -------
    list of Edge
        One for each operand, in order.
    """
    row = step.row
    assert row is not None
    y = block.y[step.slot]
    a = [block.y[slot] for slot in step.operands]
    through = block.contributions[step.slot]
    edges = []
    if row.selects:
        for term, operand in zip(through, a, strict=True):
            chosen = (term > 0).astype(np.float64)
            edges.append(Edge(np.where(y == 0, 0.0, chosen), chosen, chosen, operand))
        return edges
    partials = row.partials(NUMPY, a, y, step.parameter)
    limits = row.zero_limit(NUMPY, a, step.parameter) if (y == 0).any() else (0.0,) * len(a)
    for slot, operand, partial, limit, term in zip(
        step.operands, a, partials, limits, through, strict=True
    ):
        silent = term == 0
        kappa = np.divide(partial, y) * operand
        lost = ~np.isfinite(kappa) | ((kappa == 0) & ~silent)  # out of double range on the way
        if lost.any():
            size = np.sqrt(term / block.s2[slot])
            size = np.where(np.isnan(size), math.inf, size)
            sign = np.copysign(1.0, partial) * np.sign(operand) * np.sign(y)  # -0 is negative
            kappa = np.where(lost, sign * size, kappa)
        kappa = np.where(silent | (operand == 0) | (y == 0), 0.0, kappa)
        partial = np.where(silent, 0.0, partial)
        limit = np.where(np.isfinite(limit), limit, 0.0)
        edges.append(Edge(kappa, partial, np.broadcast_to(limit, y.shape), operand))
    return edges


def times(a: Array, b: Array) -> Array:
    """a b, where 0 times infinity is 0: nothing arrives through a closed path.

    Examples
    --------
    >>> with np.errstate(invalid="ignore"):
    ...     times(np.array([0.0, 2.0]), np.array([np.inf, 3.0])).tolist()
    [0.0, 6.0]
    """
    product = a * b
    if np.isnan(product).any():
        product = np.where((a == 0) | (b == 0), 0.0, product)
    return product
