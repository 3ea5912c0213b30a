"""A quick run leaves out cases, and nothing that they are made of."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from threadpoolctl import threadpool_info

from tests import effort


def test_products_of_matrices_stay_on_one_core() -> None:
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert {*blas} == {1}


def test_a_full_run_takes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "FULL", True)
    assert effort.cases(2, 9) == 9 and effort.examples(300) == 300
    assert {*effort.combined("abc", "xyz", 1)} == {*itertools.product("abc", "xyz")}
    assert effort.ordered_pairs("abcd", 3) == [*itertools.permutations("abcd", 2)]


def test_a_quick_run_meets_every_unit_and_all_that_stands_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(effort, "FULL", False)
    assert effort.cases(2, 9) == 2
    assert list(map(effort.examples, (10, 40, 300))) == [10, 12, 37]
    some = [*effort.combined("abcdef", "vwxyz", 2)]
    assert len(some) == len({*some}) == 12
    assert {unit for unit, _ in some} == {*"abcdef"} and {other for _, other in some} == {*"vwxyz"}


class Case:
    """What is looked at of a test's case."""

    def __init__(self, nodeid: str, share: int = 0) -> None:
        self.nodeid = nodeid
        self._mark = effort.dear(share).mark if share else None

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self._mark if name == effort.DEAR else None


def test_a_quick_run_tries_some_cases_of_each_dear_test_and_a_full_run_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = [Case(f"file::one[{name}]", 3) for name in "abcde"]
    other = [Case(f"file::other[{name}]", 2) for name in "ab"]
    plain = [Case(f"file::plain[{name}]") for name in "abc"]
    every: list[Any] = [*one, *other, *plain]
    monkeypatch.setattr(effort, "FULL", False)
    left = effort.left_to_full(every)
    assert {item.nodeid for item in every} - {item.nodeid for item in left} == {
        "file::one[a]",
        "file::one[d]",
        "file::other[a]",
        *(item.nodeid for item in plain),
    }
    monkeypatch.setattr(effort, "FULL", True)
    assert effort.left_to_full(every) == set()


@pytest.mark.parametrize("count", range(12, 30))
def test_a_quick_run_puts_every_token_first_and_second(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "FULL", False)
    pairs = effort.ordered_pairs(range(count), 4)
    assert {a for a, _ in pairs} == {b for _, b in pairs} == {*range(count)}
    assert len(pairs) < 0.3 * count * (count - 1)
