"""Short memories: answers by weight, a visit's unfinished ones, files to be fetched."""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from cachetools import LRUCache, TTLCache

LASTS = 3600.0  # seconds
CAPACITY = 200


@dataclass(frozen=True)
class Parcel:
    owner: str
    name: str
    content: bytes


class Parcels:
    """Keeps the last `CAPACITY` files for an hour each; never on disk.

    Links to a rating page exist in clear only here and on the organiser's screen.

    >>> parcels = Parcels(clock=lambda: 0.0)
    >>> number = parcels.leave("me", "links.csv", b"id,link")
    >>> parcels.fetch(number, "me").content, parcels.fetch(number, "somebody else")
    (b'id,link', None)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._parcels: TTLCache[str, Parcel] = TTLCache(CAPACITY, LASTS, timer=clock)
        self._lock = Lock()

    def leave(self, owner: str, name: str, content: bytes) -> str:
        """Keep a file; returns the number to fetch it with."""
        number = secrets.token_urlsafe(12)
        with self._lock:
            self._parcels[number] = Parcel(owner, name, content)
        return number

    def fetch(self, number: str, owner: str) -> Parcel | None:
        """The file, as often as asked for; None if it is gone or of another owner."""
        with self._lock:
            parcel = self._parcels.get(number)
        return parcel if parcel and secrets.compare_digest(parcel.owner, owner) else None


T = TypeVar("T")
Progress = Callable[[float], None]


class BoundedCache:
    """A thread-safe cache that forgets the least recently used beyond a total weight."""

    def __init__(self, capacity: float) -> None:
        self._most = int(capacity)
        self._items: LRUCache[Hashable, tuple[Any, int]] = LRUCache(
            self._most, getsizeof=lambda item: item[1]
        )
        self._lock = Lock()

    def get(
        self,
        key: Hashable,
        make: Callable[[], T],
        weight: Callable[[T], float],
        complete: Callable[[T], bool] = lambda _: True,
    ) -> T:
        """The value under `key`, or a new one; errors and incomplete values are not kept."""
        with self._lock:
            if key in self._items:
                stored: T = self._items[key][0]
                return stored
        value = make()
        if complete(value):
            # Never above the capacity: the newest value stays, whatever it weighs.
            size = min(math.ceil(weight(value)), self._most)
            with self._lock:
                self._items.setdefault(key, (value, size))
        return value

    def peek(self, key: Hashable) -> Any:
        """The value under `key`; None if there is none."""
        with self._lock:
            return self._items[key][0] if key in self._items else None

    def drop(self, key: Hashable) -> None:
        with self._lock:
            self._items.pop(key, None)

    def __len__(self) -> int:
        return len(self._items)


class UnfinishedAnswers:
    """One visit's incomplete answers, and those just finished: its next click need not wait."""

    def __init__(self, most: int = 64) -> None:
        self._cache = BoundedCache(most)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        return self._cache.get(key, make, lambda _: 1.0)

    def put(self, key: Hashable, value: object) -> None:
        """Replace an unfinished value by the finished one."""
        self._cache.drop(key)
        self._cache.get(key, lambda: value, lambda _: 1.0)
