"""What the raters at work can still do, against trying everything."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from study.assignment import ReachGraph, even_level, reachable_evenness
from tests.effort import examples


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(0, 40))
def test_the_even_level_is_where_votes_given_one_by_one_to_the_lowest_arrive(
    loads: list[int], to_come: int
) -> None:
    filled = list(loads)
    touched = set()
    for _ in range(to_come):
        lowest = filled.index(min(filled))
        filled[lowest] += 1
        touched.add(lowest)
    floor, ceiling = even_level(loads, to_come)
    assert floor == min(filled)
    if touched:
        assert ceiling == max(filled[i] for i in touched)


@settings(max_examples=examples(60))
@given(st.data())
def test_reach_is_the_best_of_all_ways_to_share_out_the_votes(data: st.DataObject) -> None:
    pairs = data.draw(st.integers(1, 4))
    raters = data.draw(st.integers(1, 3))
    loads = np.array(data.draw(st.lists(st.integers(0, 3), min_size=pairs, max_size=pairs)))
    cells = data.draw(st.lists(st.booleans(), min_size=raters * pairs, max_size=raters * pairs))
    open_to = np.array(cells).reshape(raters, pairs)
    remaining = np.array(data.draw(st.lists(st.integers(0, 3), min_size=raters, max_size=raters)))
    floor, ceiling = even_level(loads, int(remaining.sum()))
    ways = [
        [chosen for size in range(min(left, len(mine)) + 1) for chosen in combinations(mine, size)]
        for left, mine in zip(remaining, [np.flatnonzero(row) for row in open_to], strict=True)
    ]
    below = upto = 0
    for way in product(*ways):
        given_out = np.zeros(pairs, int)
        for chosen in way:
            given_out[list(chosen)] += 1
        below = max(below, int(np.minimum(given_out, np.maximum(ceiling - loads, 0)).sum()))
        upto = max(upto, int(np.minimum(given_out, np.maximum(floor - loads, 0)).sum()))
    found = reachable_evenness(loads, open_to, remaining, (floor, ceiling))
    assert (found.below, found.upto) == (below, upto)
    graph = ReachGraph(np.ones_like(open_to))
    for rater, pair in np.argwhere(~open_to):
        graph.let(rater, pair, False)
    assert graph.evenness(loads, remaining, (floor, ceiling)) == found
