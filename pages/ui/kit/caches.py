"""What is remembered for a while: answers by weight, a visit's unfinished ones, files to be
fetched.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from cachetools import LRUCache, TTLCache

LASTS = 3600.0
CAPACITY = 200


@dataclass(frozen=True)
class Parcel:
    """A file for the holder of one login."""

    owner: str
    name: str
    content: bytes


class Parcels:
    """Keeps the `CAPACITY` files last left or fetched for an hour each; never on disk.

    Links to a rating page exist in clear only here and on the organiser's screen.

    >>> parcels = Parcels(clock=lambda: 0.0)
    >>> number = parcels.leave("me", "links.csv", b"id,link")
    >>> parcels.fetch(number, "me").content, parcels.fetch(number, "somebody else")
    (b'id,link', None)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._kept: TTLCache[str, Parcel] = TTLCache(CAPACITY, LASTS, timer=clock)
        self._lock = Lock()

    def leave(self, owner: str, name: str, content: bytes) -> str:
        """Keep a file; the number to fetch it with."""
        number = secrets.token_urlsafe(12)
        with self._lock:
            self._kept[number] = Parcel(owner, name, content)
        return number

    def fetch(self, number: str, owner: str) -> Parcel | None:
        """The file, as often as it is wanted; None if it is not there or not theirs."""
        with self._lock:
            found = self._kept.get(number)
        return found if found and secrets.compare_digest(found.owner, owner) else None


T = TypeVar("T")
Progress = Callable[[float], None]


class BoundedCache:
    """A thread-safe cache that forgets the least recently used beyond a total weight.

    The newest value stays, whatever it weighs.  Weights are counted in whole numbers, upwards.
    """

    def __init__(self, capacity: float) -> None:
        self._most = int(capacity)
        self._items: LRUCache[Hashable, tuple[Any, int]] = LRUCache(
            self._most, getsizeof=lambda kept: kept[1]
        )
        self._lock = Lock()

    def get(
        self,
        key: Hashable,
        make: Callable[[], T],
        weight: Callable[[T], float],
        complete: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """The value kept under `key`, or the one made now; errors are not kept.

        Nor is a value kept that is not `complete`: who asks next has it made again.
        """
        with self._lock:
            if key in self._items:
                kept: T = self._items[key][0]
                return kept
        value = make()
        if complete(value):
            size = min(math.ceil(weight(value)), self._most)
            with self._lock:
                self._items.setdefault(key, (value, size))
        return value

    def drop(self, key: Hashable) -> None:
        """Forget what is kept under `key`."""
        with self._lock:
            self._items.pop(key, None)

    def __len__(self) -> int:
        return len(self._items)


class UnfinishedAnswers:
    """What one visit looks at while it is incomplete, or has just finished.

    So that the next click of the same visit need not wait for the same limit again.  A visit
    has a new one as soon as it asks for something else, and no other visit sees it.
    """

    def __init__(self, most: int = 64) -> None:
        self._kept = BoundedCache(most)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under `key`, or the one made now."""
        return self._kept.get(key, make, lambda _: 1.0)

    def put(self, key: Hashable, value: object) -> None:
        """Put what has been finished in the place of what was not."""
        self._kept.drop(key)
        self._kept.get(key, lambda: value, lambda _: 1.0)
