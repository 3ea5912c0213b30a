"""Short memories: answers by their bytes, files to be fetched."""

from __future__ import annotations

import gc
import secrets
import sys
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from threading import Lock
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import numpy as np
from cachetools import LRUCache, TTLCache

from eic_core.engine.native.library import Library

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


_OF_THE_PROCESS = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, Library)
_EACH = 32
"""Bytes of a number that a tuple or list refers to."""


def bytes_held(value: object, shared: Iterable[object] = ()) -> int:
    """About the bytes of memory that a value keeps, without those of the `shared` objects.

    >>> bytes_held(np.zeros(1000)) // 1000, bytes_held([1.5] * 1000) // 1000
    (8, 40)
    """
    counted = {id(one): one for one in shared}
    level: list[Any] = [value]
    total = 0
    while level:
        fresh = {id(one): one for one in level if not isinstance(one, _OF_THE_PROCESS)}
        new = [one for key, one in fresh.items() if key not in counted]
        counted.update(fresh)
        total += sum(map(sys.getsizeof, new))
        # Of an array that lies in shared memory `getsizeof` counts the head alone.
        total += sum(
            one.nbytes for one in new if isinstance(one, np.ndarray) and one.base is not None
        )
        rows = [one for one in new if _is_row(one)]
        total += _EACH * sum(len(one) for one in rows)
        level = gc.get_referents(*(one for one in new if not _is_row(one)))
    return total


def _is_row(one: Any) -> bool:
    """Whether these are so many numbers that they are not looked at one by one."""
    return isinstance(one, tuple | list) and len(one) > 100 and isinstance(one[0], int | float)


class BoundedCache:
    """A thread-safe cache that forgets the least recently used beyond so many bytes."""

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
        complete: Callable[[T], bool] = lambda _: True,
        shared: Iterable[object] = (),
        owner: Hashable = None,
    ) -> T:
        """The value under `key`, or a new one; errors are not kept, and incomplete values for their
        owner alone.

        What is `shared` with another cache does not count here.
        """
        with self._lock:
            for place in (key, (owner, key)):
                if place in self._items:
                    stored: T = self._items[place][0]
                    return stored
        value = make()
        # Never above the capacity: the newest value stays, whatever it weighs.
        size = min(bytes_held((key, value), shared), self._most)
        with self._lock:
            self._items.setdefault(key if complete(value) else (owner, key), (value, size))
        return value

    def peek(self, key: Hashable) -> Any:
        """The value under `key`; None if there is none."""
        with self._lock:
            return self._items[key][0] if key in self._items else None

    def __len__(self) -> int:
        return len(self._items)
