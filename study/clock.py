"""The clock and the random source that services take as arguments."""

from __future__ import annotations

import random
import secrets
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present.

        Returns
        -------
        datetime
            Aware, in UTC.
        """
        return datetime.now(UTC)


class ManualClock:
    """A clock that moves when told to: for tests and rehearsals.

    >>> clock = ManualClock()
    >>> start = clock.now()
    >>> clock.advance(90)
    >>> (clock.now() - start).total_seconds()
    90.0
    """

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2025, 1, 6, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


class Chance(Protocol):
    def token(self) -> str:
        """A fresh unguessable text of 22 URL-safe characters (128 bits)."""
        ...

    def generator(self) -> random.Random: ...


class SystemChance:
    """The operating system's randomness."""

    def token(self) -> str:
        """A fresh token.

        Returns
        -------
        str
            22 URL-safe characters: 128 bits from `secrets`.
        """
        return secrets.token_urlsafe(16)

    def generator(self) -> random.Random:
        """A generator for shuffles and coin tosses, never for secrets.

        Returns
        -------
        random.Random
            Seeded by the operating system.
        """
        return random.Random()


class SeededChance:
    """Repeatable randomness for tests; never for a real study.

    >>> SeededChance(1).token() == SeededChance(1).token()
    True
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def token(self) -> str:
        return f"{self._random.getrandbits(88):022x}"

    def generator(self) -> random.Random:
        return self._random
