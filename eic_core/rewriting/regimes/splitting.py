"""Which form is computed where along one quantity: the splits that lose least, by dynamic
programming.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eic_core.operators.wide import Array

PRICE = 0.1
"""Digits, in the mean over all rows, that a split must gain at least."""

MOST_SPLITS = 3
"""Along one quantity: a reader takes in four cases at a glance."""

FEWEST = 2
"""Rows on each side of a split, at least: one row alone is luck."""


class Splits(NamedTuple):
    cost: float  # Digits lost, in sum over the rows, with the price of each split
    ends: tuple[int, ...]  # Where each segment ends, in rows from the least value on
    options: tuple[int, ...]  # Which option each segment computes


def best_splits(
    lost: Array, values: Array, price: float, most: int = MOST_SPLITS, fewest: int = FEWEST
) -> Splits:
    """The cheapest way to cut the rows along a quantity into segments of one option each.

    Parameters
    ----------
    lost
        Digits lost by each option at each row, shape (options, rows); inf where it may not stand.
    values
        The quantity at each row. Rows of equal values are not parted.
    price
        Of a split, in digits summed over the rows.
    most
        The most splits.
    fewest
        Rows in a segment, at least.

    Returns
    -------
    Splits
        The cheapest, with the fewest splits of those equally cheap.

    Examples
    --------
    >>> lost = np.array([[0.0, 0, 0, 9, 9, 9], [5.0, 5, 5, 1, 1, 1]])
    >>> best_splits(lost, np.array([3.0, 2, 1, 6, 5, 4]), price=2.0)
    Splits(cost=5.0, ends=(3, 6), options=(0, 1))
    """
    order = np.argsort(values, kind="stable")
    count = len(order)
    ranked = values[order]
    inner = np.flatnonzero(ranked[1:] > ranked[:-1]) + 1
    edges = np.concatenate([[0], inner, [count]]).astype(np.intp)
    sums = np.concatenate(
        [np.zeros((len(lost), 1)), np.cumsum(np.minimum(lost[:, order], 1e9), axis=1)], axis=1
    )[:, edges]
    costs = sums[:, None, :] - sums[:, :, None]  # option, from edge, to edge
    cheapest = np.argmin(costs, axis=0)
    segment = np.take_along_axis(costs, cheapest[None], axis=0)[0]
    segment[edges[None, :] - edges[:, None] < min(fewest, count)] = np.inf
    # reach[j]: the cheapest way from the first edge to edge j in so many segments
    reach, came = [segment[0]], list[Array]()
    for _ in range(most):
        through = reach[-1][:, None] + segment + price
        came.append(np.argmin(through, axis=0))
        reach.append(np.min(through, axis=0))
    totals = [float(each[-1]) for each in reach]
    least = min(totals)
    splits = next(i for i, total in enumerate(totals) if total <= least + 1e-9)
    stops = [len(edges) - 1]
    for back in reversed(came[:splits]):
        stops.append(int(back[stops[-1]]))
    stops.reverse()
    starts = [0, *stops[:-1]]
    return Splits(
        totals[splits],
        tuple(int(edges[stop]) for stop in stops),
        tuple(int(cheapest[a, b]) for a, b in zip(starts, stops, strict=True)),
    )
