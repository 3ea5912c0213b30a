"""Whether the raters at work can still bring all pairs to the same number of votes.

Who may still rate what is a bipartite graph, and sharing out the votes to come is a flow on it: at
most `Underway.remaining` through a rater, at most one through a rater and a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow


@dataclass(frozen=True)
class Reach:
    """How far the votes to come can be spread.

    Attributes
    ----------
    below : int
        Votes to come that can be given without bringing any pair above the ceiling of the even
        number.
    upto : int
        Votes to come that can go to pairs which have not reached its floor.

    Notes
    -----
    If `below` is all votes to come and `upto` all that are missing at the floor, then one way of
    giving them does both (Mendelsohn and Dulmage, "Some generalizations of the problem of distinct
    representatives", Canad. J. Math. 10, 1958), and all pairs end within one vote of each other.
    """

    below: int
    upto: int


def reach(
    loads: npt.NDArray[np.int_], open_to: npt.NDArray[np.bool_], remaining: npt.NDArray[np.int_],
    level: tuple[int, int],
) -> Reach:
    """How evenly votes can still be spread.

    Parameters
    ----------
    loads : ndarray, shape (P,)
        Votes and live reservations of each pair.
    open_to : ndarray, shape (R, P)
        Which rater may still get which pair.
    remaining : ndarray, shape (R,)
        Ballots still to come for each rater.
    level : (int, int)
        Floor and ceiling of the even number, from `even_level`.

    Examples
    --------
    Two raters with a vote each, one of whom has had all but the pair that is full:

    >>> loads, open_to = np.array([1, 0, 0]), np.array([[True, False, False], [True, True, True]])
    >>> even_level(loads, 2)
    (1, 1)
    >>> reach(loads, open_to, np.array([1, 1]), (1, 1))
    Reach(below=1, upto=1)
    """
    floor, ceiling = level
    below = _flow(np.maximum(ceiling - loads, 0), open_to, remaining)
    if floor == ceiling:
        return Reach(below, below)
    return Reach(below, _flow(np.maximum(floor - loads, 0), open_to, remaining))


def even_level(loads: Sequence[int] | npt.NDArray[np.int_], to_come: int) -> tuple[int, int]:
    """Floor and ceiling of what the lowest pairs come to if votes fill them up from below.

    Examples
    --------
    >>> even_level([0, 0, 0, 9], 7)
    (2, 3)
    """
    heights = np.sort(np.asarray(loads))
    # Votes that it takes to bring the k lowest pairs to the height of the next.
    needed = heights * np.arange(len(heights)) - np.concatenate(([0], np.cumsum(heights)[:-1]))
    k = int(np.searchsorted(needed, to_come, side="right"))
    floor, over = divmod(to_come + int(heights[:k].sum()), k)
    return floor, floor + (over > 0)


def _flow(
    room: npt.NDArray[np.int_], open_to: npt.NDArray[np.bool_], remaining: npt.NDArray[np.int_]
) -> int:
    raters, pairs = open_to.shape
    source, sink = raters + pairs, raters + pairs + 1
    # Row by row: raters to the pairs open to them, pairs to the sink, the source to the raters.
    degrees = np.concatenate([open_to.sum(axis=1), np.ones(pairs, int), [raters, 0]])
    heads = np.concatenate(
        [raters + np.nonzero(open_to)[1], np.full(pairs, sink), np.arange(raters)]
    )
    capacity = np.concatenate([np.ones(int(open_to.sum()), int), room, remaining])
    starts = np.concatenate([[0], np.cumsum(degrees)])
    graph = csr_array(
        (capacity.astype(np.int32), heads.astype(np.int32), starts.astype(np.int32)),
        shape=(sink + 1, sink + 1),
    )
    return int(maximum_flow(graph, source, sink).flow_value)
