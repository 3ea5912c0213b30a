"""How much a run of the tests takes on: quick on every commit, full before a release.

``EIC_LAB_TESTS=full`` (``make test-full``) asks for the second.  Every claim is made in both; what
differs is on how many examples, simulated studies, random trees or lines of tokens.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TypeVar

import pytest

_ASKED = os.environ.get("EIC_LAB_TESTS", "quick")
if _ASKED not in ("quick", "full"):
    raise ValueError(f"EIC_LAB_TESTS is quick or full, not {_ASKED!r}")
FULL = _ASKED == "full"

DEAR, TWIN = "dear", "twin"

S = TypeVar("S")
T = TypeVar("T")


def cases(quick: int, full: int) -> int:
    """How many of something this run takes."""
    return full if FULL else quick


def examples(full: int) -> int:
    """How many examples Hypothesis tries: an eighth of what a full run tries, but at least 12."""
    return cases(min(full, max(12, full // 8)), full)


def dear(share: int) -> pytest.MarkDecorator:
    """A test of many or of dear cases: a quick run tries one of `share`, from the first on."""
    return pytest.mark.dear(share)


def twin(of: str) -> pytest.MarkDecorator:
    """A test in a browser whose claim a quick run makes without one, by the test of that name."""
    return pytest.mark.twin(of)


def left_to_full(items: Collection[pytest.Item]) -> set[pytest.Item]:
    """What a quick run leaves out: twins, and of each test that is marked `dear` most cases."""
    tests: dict[str, list[pytest.Item]] = {}
    left = {item for item in items if not FULL and item.get_closest_marker(TWIN)}
    for item in items:
        mark = None if FULL else item.get_closest_marker(DEAR)
        if mark is not None:
            earlier = tests.setdefault(item.nodeid.partition("[")[0], [])
            if len(earlier) % mark.args[0]:
                left.add(item)
            earlier.append(item)
    return left


def combined(units: Sequence[S], others: Sequence[T], few: int) -> list[tuple[S, T]]:
    """Each unit with each of the others; in a quick run, with `few` of them in turn."""
    each = len(others) if FULL else min(few, len(others))
    return [
        (unit, others[(at * few + k) % len(others)])
        for at, unit in enumerate(units)
        for k in range(each)
    ]
