"""Intervals and rates, as sentences and tables show them."""

from __future__ import annotations

from eic_core import wording
from eic_core.phrasing import Phrase, say, say_count
from study.statistics.inference import ClusteredRate
from study.statistics.preference import Interval


def between(interval: Interval | None) -> str:
    """An interval of a rate, in a sentence.

    >>> between(Interval(0.647, 0.746, 0.95, ""))
    '65 % to 75 %'
    """
    if interval is None:
        return wording.UNDEFINED
    return wording.percent_range(interval.low, interval.high)


def interval_text(interval: Interval | None) -> str:
    """An interval as a table shows it; no end is rounded onto none, one half or all.

    >>> interval_text(Interval(0.5003, 1, 0.95, ""))
    '[0.5003, 1.000]'
    """
    if interval is None:
        return wording.UNDEFINED
    low, high = (wording.rounded(end, 3, (0, 0.5, 1)) for end in (interval.low, interval.high))
    return f"[{low}, {high}]"


def rate_text(rate: ClusteredRate, level: float) -> Phrase:
    """A rate with its votes and interval."""
    if rate.rate is None:
        return say("no votes")
    interval, share = rate.interval(level), wording.percent(rate.rate, 0)
    votes = say_count("{count} vote", "{count} votes", rate.votes)
    if interval is None:
        return say("{share} of {votes}", share=share, votes=votes)
    return say("{share} of {votes} ({span})", share=share, votes=votes, span=between(interval))


def in_hundred(rate: float) -> str:
    """A rate out of 100: whole, but never rounded to none, to half or to all.

    >>> in_hundred(0.698), in_hundred(0.997), in_hundred(1.0), in_hundred(0.503)
    ('70', '99.7', '100', '50.3')
    """
    return wording.rounded(100 * rate, 0, (0, 50, 100))


def span_in_hundred(low: float, high: float) -> str:
    """Two ends out of 100, told apart where they are not one number.

    >>> span_in_hundred(0.422, 0.748), span_in_hundred(0.597, 0.604), span_in_hundred(0.6, 0.6)
    ('42 to 75', '59.7 to 60.4', 'about 60')
    """
    for decimals in range(4):
        ends = [wording.rounded(100 * end, decimals, (0, 50, 100)) for end in (low, high)]
        if ends[0] != ends[1]:
            return " to ".join(ends)
    return f"about {in_hundred(low)}"
