"""Numbers as a reader is told them: rounding and the words around it, in one place."""

from __future__ import annotations

import textwrap
from datetime import UTC, datetime

from study.statistics.preference import Interval
from study.statistics.words import counted, p_number, p_words, rounded

UNDEFINED = "not defined"


def percent(rate: float | None) -> str:
    """A rate for display; never rounded to none, to half or to all.

    Examples
    --------
    >>> percent(0.69762), percent(0.5003), percent(None)
    ('69.8 %', '50.03 %', 'not defined')
    """
    return UNDEFINED if rate is None else f"{rounded(100 * rate, 1, (0, 50, 100))} %"


def number(value: float | None, digits: int = 3) -> str:
    """A number for display, with so many digits behind the point.

    Examples
    --------
    >>> number(0.36999), number(-0.00001), number(None), number(2.449, 1)
    ('0.370', '0.000', 'not defined', '2.4')
    """
    if value is None:
        return UNDEFINED
    return rounded(value, digits)


def p_text(value: float | None) -> str:
    """A p value for display: never 0, and never rounded onto a usual level of significance.

    Examples
    --------
    >>> p_text(2.7e-31), p_text(0.0312), p_text(None), p_text(1.0), p_text(0.0), p_text(0.0498)
    ('2.7e-31', '0.031', 'not defined', '1.000', '< 1e-300', '0.0498')
    """
    return UNDEFINED if value is None else p_number(value, 3)


def p_clause(value: float | None) -> str:
    """The same in a sentence.

    Examples
    --------
    >>> p_clause(0.0312), p_clause(0.0)
    ('p = 0.031', 'p < 1e-300')
    """
    return f"p {UNDEFINED}" if value is None else p_words(value, 3)


def worth_text(effective: float) -> str:
    """So many independent votes, in words: at least one, and to two digits from a hundred up.

    Examples
    --------
    >>> worth_text(305.4), worth_text(11.2), worth_text(0.4)
    ('310 independent ones', '11 independent ones', '1 independent one')
    """
    near = max(1, round(effective)) if effective < 100 else 10 * round(effective / 10)
    return counted(near, "independent one")


def interval_text(interval: Interval | None) -> str:
    """An interval for display; no end is rounded onto none, one half or all.

    Examples
    --------
    >>> from study.statistics.preference import Preference
    >>> interval_text(Preference(586, 254).wilson()), interval_text(Interval(0.5003, 1, 0.95, ""))
    ('[0.666, 0.728]', '[0.5003, 1.000]')
    """
    if interval is None:
        return UNDEFINED
    low, high = (rounded(end, 3, (0, 0.5, 1)) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


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
