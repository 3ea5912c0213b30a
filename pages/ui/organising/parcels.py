"""Files that wait a while in memory until their organiser fetches them."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

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
