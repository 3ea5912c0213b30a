"""What is remembered for a while: answers by weight, a visit's unfinished ones, files to be
fetched.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

LASTS = 3600.0
CAPACITY = 200


@dataclass(frozen=True)
class Parcel:
    """A file for the holder of one login."""

    owner: str
    name: str
    content: bytes
    until: float


class Parcels:
    """Keeps the newest `CAPACITY` files for an hour each; never on disk.

    Links to a rating page exist in clear only here and on the organiser's screen.

    Examples
    --------
    >>> parcels = Parcels(clock=lambda: 0.0)
    >>> number = parcels.leave("me", "links.csv", b"id,link")
    >>> parcels.fetch(number, "me").content, parcels.fetch(number, "somebody else")
    (b'id,link', None)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, Parcel] = OrderedDict()
        self._lock = Lock()

    def leave(self, owner: str, name: str, content: bytes) -> str:
        """Keep a file; the number to fetch it with."""
        number = secrets.token_urlsafe(12)
        with self._lock:
            self._kept[number] = Parcel(owner, name, content, self._clock() + LASTS)
            while len(self._kept) > CAPACITY:
                self._kept.popitem(last=False)
        return number

    def fetch(self, number: str, owner: str) -> Parcel | None:
        """The file, as often as it is wanted; None if it is not there or not theirs."""
        with self._lock:
            found = self._kept.get(number)
            if found is None or found.until < self._clock():
                self._kept.pop(number, None)
                return None
            return found if secrets.compare_digest(found.owner, owner) else None


T = TypeVar("T")
Progress = Callable[[float], None]


class BoundedCache:
    """A thread-safe cache that forgets the least recently used beyond a total weight.

    The newest value stays, whatever it weighs.
    """

    def __init__(self, capacity: float) -> None:
        self.capacity = capacity
        self._items: OrderedDict[Hashable, tuple[Any, float]] = OrderedDict()
        self._weight = 0.0
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
                self._items.move_to_end(key)
                value: T = self._items[key][0]
                return value
        value = make()
        if complete(value):
            self._keep(key, value, weight(value))
        return value

    def drop(self, key: Hashable) -> None:
        """Forget what is kept under `key`."""
        with self._lock:
            if key in self._items:
                self._weight -= self._items.pop(key)[1]

    def _keep(self, key: Hashable, value: object, size: float) -> None:
        with self._lock:
            if key not in self._items:
                self._items[key] = (value, size)
                self._weight += size
                while self._weight > self.capacity and len(self._items) > 1:
                    _, (_, dropped) = self._items.popitem(last=False)
                    self._weight -= dropped

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
