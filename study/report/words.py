"""Numbers as a reader is told them: rounding and the words around it, in one place."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime

from study.statistics.preference import Interval

UNDEFINED = "not defined"


def percent(rate: float | None) -> str:
    """A rate for display.

    Examples
    --------
    >>> percent(0.69762), percent(None)
    ('69.8 %', 'not defined')
    """
    return UNDEFINED if rate is None else f"{100 * rate:.1f} %"


def number(value: float | None, digits: int = 3) -> str:
    """A number for display, with so many digits behind the point.

    Examples
    --------
    >>> number(0.36999), number(-0.00001), number(None), number(2.449, 1)
    ('0.370', '0.000', 'not defined', '2.4')
    """
    if value is None:
        return UNDEFINED
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def p_text(value: float | None) -> str:
    """A p value for display.

    Examples
    --------
    >>> p_text(2.7e-31), p_text(0.0312), p_text(None), p_text(1.0)
    ('2.7e-31', '0.031', 'not defined', '1.000')
    """
    if value is None:
        return UNDEFINED
    return f"{value:.1e}" if value < 1e-3 else f"{value:.3f}"


def interval_text(interval: Interval | None) -> str:
    """An interval for display.

    Examples
    --------
    >>> from study.statistics.preference import Preference
    >>> interval_text(Preference(586, 254).wilson())
    '[0.666, 0.728]'
    """
    if interval is None:
        return UNDEFINED
    return f"[{number(interval.low)}, {number(interval.high)}]"


def level_text(level: float) -> str:
    """A confidence level for display.

    Examples
    --------
    >>> level_text(0.95), level_text(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100 * level:.10g} %"


def seconds_text(value: float | None) -> str:
    """A time for display.

    Examples
    --------
    >>> seconds_text(12.34), seconds_text(None)
    ('12.3 s', 'not defined')
    """
    return UNDEFINED if value is None else f"{value:.1f} s"


def minute_text(stamp: datetime | None) -> str:
    """A time in UTC for display, to the minute.

    Examples
    --------
    >>> minute_text(datetime(2025, 3, 1, 12, 5, 59, tzinfo=UTC)), minute_text(None)
    ('2025-03-01 12:05 UTC', 'not yet')
    """
    return "not yet" if stamp is None else f"{stamp.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def day_text(stamp: datetime) -> str:
    """A day as in a text.

    Examples
    --------
    >>> day_text(datetime(2025, 3, 1, 23, 59, tzinfo=UTC))
    '1 March 2025'
    """
    utc = stamp.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y}"


def wrapped(text: str, indent: str = "", width: int = 96) -> str:
    """A paragraph broken into lines for a terminal, never between a number and its %.

    Examples
    --------
    >>> print(wrapped("one two three four", "  ", 11))
      one two
      three
      four
    """
    broken = textwrap.fill(
        text.replace(" %", "\N{NO-BREAK SPACE}%"), width, initial_indent=indent,
        subsequent_indent=indent, break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return broken.replace("\N{NO-BREAK SPACE}%", " %")
