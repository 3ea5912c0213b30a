"""Segments of one quantity, in groups or not, and the numbers between them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import read
from eic_core.rewriting.doubles import DoubleTable
from eic_core.rewriting.regimes.segments import (
    FEWEST,
    MOST_CUTS,
    PRICE,
    Ordering,
    Segment,
    best_segments,
    interval_of,
    quantities_of,
    roundest,
    segmentations,
    segments_at,
)
from eic_core.rewriting.terms import Terms

DIGITS = st.floats(0, 16).map(lambda digits: round(digits, 1))


def cheapest_by_trying_all(lost: np.ndarray, keys: list[tuple[int, float]], cuts: int) -> float:
    """Of so many segments more than groups; inf where there are none."""
    order = sorted(range(len(keys)), key=keys.__getitem__)
    lost, keys = lost[:, order], [keys[i] for i in order]
    edges = [i for i in range(1, len(keys)) if keys[i] > keys[i - 1]]
    walls = {i for i in edges if keys[i][0] > keys[i - 1][0]}
    least = np.inf
    for ends in combinations(edges, len(walls) + cuts):
        segments = list(zip([0, *ends], [*ends, len(keys)], strict=True))
        whole = {0, *walls, len(keys)}
        if walls <= {*ends} and all(b - a >= FEWEST or {a, b} <= whole for a, b in segments):
            least = min(least, sum(lost[:, a:b].sum(axis=1).min() for a, b in segments))
    return least


@settings(max_examples=150, deadline=None)
@given(data=st.data(), rows=st.integers(2, 9), options=st.integers(1, 4))
def test_segments_are_the_cheapest_of_all(data: st.DataObject, rows: int, options: int) -> None:
    lost = data.draw(arrays(float, (options, rows), elements=DIGITS))
    values = data.draw(arrays(float, rows, elements=st.integers(-4, 4).map(float)))
    groups = data.draw(arrays(int, rows, elements=st.integers(0, 1)))
    ways = {len(way): way for way in segmentations(lost, groups, values)}
    walls = len(np.unique(groups)) - 1
    for cuts in range(MOST_CUTS + 1):
        least = cheapest_by_trying_all(lost, [*zip(groups.tolist(), values, strict=True)], cuts)
        way = ways.get(walls + cuts + 1)
        assert (way is None) == (least == np.inf)
        if way is not None:
            options = np.array([segment.option for segment in way])
            options = options[segments_at(way, groups, values)]
            assert lost[options, np.arange(rows)].sum() == pytest.approx(least)


def test_equal_values_are_not_parted() -> None:
    lost, groups = np.array([[0.0, 0, 9, 9], [9.0, 9, 0, 0]]), np.zeros(4, int)
    assert len([*segmentations(lost, groups, np.zeros(4))]) == 1
    _, parted = segmentations(lost, groups, np.array([0.0, 0, 1, 1]))
    assert parted == [Segment(0, "-inf", 0), Segment(0, "1.0", 1)]


INTERVALS = st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)).filter(
    lambda pair: pair[0] < pair[1]
)


@given(INTERVALS)
def test_a_round_threshold_is_in_its_interval(interval: tuple[float, float]) -> None:
    low, high = interval
    assert low < float(roundest(low, high)) <= high


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (-1e-300, 1e-300, "0"),
        (-5.0, 0.0, "0"),
        (0.0, 5.0, "1"),
        (3.1, 3.2, "3.2"),
        (3.1, 3.3, "3.2"),
        (2e-9, 7e-9, "4e-9"),
        (17.0, 23.0, "20"),
        (90.0, 1100.0, "100"),
        (-7.0, -3.0, "-5"),
        (1.0, float("inf"), "1e154"),
    ],
)
def test_thresholds_are_round(low: float, high: float, text: str) -> None:
    assert float(roundest(low, high)) == float(text)


def test_a_threshold_may_lie_where_both_sides_are_equally_good() -> None:
    values = np.linspace(-3, 6, 10)
    below, above = np.where(values > 4, 9.0, 0.0), np.where(values < -1, 9.0, 0.0)
    low, high = interval_of(np.array([values, below, above]), 0.01)
    assert low == -2 and high == 5
    assert roundest(low, high) == "0"


# --- what is chosen

RNG = np.random.default_rng(7)
X, Y = RNG.uniform(-10, 10, 200), RNG.uniform(-10, 10, 200)
ROWS = np.arange(200)


def luck() -> np.ndarray:
    return RNG.uniform(0, 0.3, 200)


def along(values: np.ndarray, *lost: np.ndarray, groups: np.ndarray | None = None) -> Ordering:
    """Options that lose so much along a column, some rows of it in other groups."""
    bits = np.zeros(200, int) if groups is None else groups
    return Ordering((1,) * int(bits.max()).bit_length(), 0, bits, values, np.array(lost))


def chosen(
    *orderings: Ordering, train: np.ndarray = ROWS, held_out: np.ndarray = ROWS
) -> tuple[int, list[Segment]]:
    """Which ordering, and its segments; none of one segment alone."""
    best, segments = best_segments(orderings, train, held_out)
    which = next(i for i, each in enumerate(orderings) if each is best)
    return which, segments if len(segments) > 1 else []


def test_a_cut_is_where_one_form_turns_worse_than_the_other() -> None:
    lost = np.where(X < 3, 0.1, 8), np.where(X < 3, 8, 0.1)
    which, segments = chosen(along(Y, *lost), along(X, *lost))
    assert which == 1
    assert segments == [Segment(0, "-inf", 0), Segment(0, repr(float(X[X >= 3].min())), 1)]


def test_four_segments_have_a_form_each() -> None:
    lost = [np.where((low <= X) & (low + 5 > X), 0.1, 8.0) for low in (-10, -5, 0, 5)]
    _, segments = chosen(along(X, *lost))
    assert [segment.option for segment in segments] == [0, 1, 2, 3]


def test_each_group_is_cut_along_the_quantity_on_its_own() -> None:
    groups = (Y < 0).astype(int)
    lost = [np.where(where, 0.1, 8.0) for where in ((Y >= 0) & (X < 3), (Y >= 0) & (X >= 3), Y < 0)]
    plain, grouped = along(X, *lost), along(X, *lost, groups=groups)
    which, segments = chosen(plain, grouped)
    assert which == 1
    assert [(segment.group, segment.option) for segment in segments] == [(0, 0), (0, 1), (1, 2)]


def test_nothing_is_cut_where_one_form_is_good_everywhere() -> None:
    lost = luck(), luck(), luck()
    assert chosen(along(X, *lost), along(Y, *lost)) == (0, [])


def test_what_gains_less_than_its_price_is_not_cut() -> None:
    few = np.isin(ROWS, np.argsort(X)[:3])
    gain = PRICE * 200 / 3
    assert chosen(along(X, np.where(few, 0.9 * gain, 0.0), few * 0.0 + 5)) == (0, [])
    _, segments = chosen(along(X, np.where(few, 1.2 * gain, 0.0), np.where(few, 0.0, 5.0)))
    assert len(segments) == 2


def test_a_lucky_cut_is_refused_on_rows_held_out() -> None:
    train, held_out = ROWS[:100], ROWS[100:]
    lucky = along(X, np.where((ROWS < 100) & (X > 8), 6.0, 0.1), np.full(200, 1.5))
    assert chosen(lucky, train=train, held_out=held_out) == (0, [])
    real = along(X, np.where(X > 8, 6.0, 0.1), np.full(200, 1.5))
    assert len(chosen(real, train=train, held_out=held_out)[1]) == 2


def test_two_signs_part_the_rows_into_four() -> None:
    groups = (X < 0) + 2 * (Y < 0)
    lost = [np.where(groups == group, luck(), 6.0) for group in range(4)]
    _, segments = chosen(along(np.zeros(200), *lost), along(np.zeros(200), *lost, groups=groups))
    assert segments == [Segment(group, "-inf", group) for group in range(4)]


def test_a_quantity_has_no_pole_that_the_formula_does_not_have() -> None:
    terms, (y, z) = Terms(), np.random.default_rng(0).normal(size=(2, 20))
    formula, form = (terms.add(read(text).formula) for text in ("y*z + 1/y", "z/y + 4/(y*z)"))
    table = DoubleTable(terms, {"y": y, "z": z}, [None] * 20)
    texts = [to_python(terms.formula(n)) for n in quantities_of(terms, table, [formula, form])]
    assert {"y", "y*z", "z/y"} <= {*texts} and not {text for text in texts if "(y*z)" in text}
