"""The exact front."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from eic_core.errors import DataError
from eic_core.pool.front import front

few = st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf, math.nan])
any_float = st.floats(allow_nan=True, allow_infinity=True)


def brute_force(points: np.ndarray) -> list[bool]:
    def dominates(p: np.ndarray, q: np.ndarray) -> bool:
        return bool((p <= q).all() and (p < q).any())

    return [
        not np.isnan(q).any() and not any(dominates(p, q) for p in points if not np.isnan(p).any())
        for q in points
    ]


@given(
    st.integers(1, 3).flatmap(
        lambda k: st.one_of(
            arrays(float, st.tuples(st.integers(0, 25), st.just(k)), elements=few),
            arrays(float, st.tuples(st.integers(0, 25), st.just(k)), elements=any_float),
        )
    )
)
def test_the_front_is_what_comparing_every_pair_finds(points):
    assert front(points).tolist() == brute_force(points)


@given(arrays(float, st.tuples(st.integers(1, 20), st.just(3)), elements=few), st.randoms())
def test_the_front_does_not_depend_on_the_order_of_the_points(points, random):
    order = list(range(len(points)))
    random.shuffle(order)
    assert front(points)[order].tolist() == front(points[order]).tolist()


def test_equal_points_are_on_the_front_together():
    assert front(np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 2.0]])).tolist() == [True, True, False]


def test_an_antichain_of_a_hundred_thousand_is_all_front():
    x, y = np.random.default_rng(1).random((2, 100_000))
    assert front(np.column_stack([x, y, -x - y])).all()


def test_points_with_four_keys_are_refused():
    with pytest.raises(DataError, match="1 to 3 keys"):
        front(np.zeros((2, 4)))
