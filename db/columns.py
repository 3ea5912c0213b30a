"""Column types that mean the same in every database."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Double
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator


class UtcTime(TypeDecorator[datetime]):
    """An aware time, stored as naive UTC."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC; a time without zone is a mistake of ours."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a stored time needs a time zone")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Say that it is UTC."""
        return None if value is None else value.replace(tzinfo=UTC)


class Number(TypeDecorator[float]):
    """A double; nan is stored as NULL, which SQLite would make of it anyway."""

    impl = Double
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: Dialect) -> float | None:
        """nan to NULL."""
        return None if value is None or math.isnan(value) else float(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> float:
        """NULL to nan."""
        return math.nan if value is None else float(value)
