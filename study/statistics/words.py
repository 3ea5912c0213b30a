"""Numbers as they stand in sentences: whole percents, plain counts."""

from __future__ import annotations

from collections.abc import Sequence

from study.statistics.preference import Interval


def rounded(value: float, digits: int, marks: Sequence[float] = ()) -> str:
    """A number with so many digits behind the point, and more if it would else round onto a mark.

    What lies above one half, or below 5 %, must not be printed as if it were just that.  What is
    nearer than a millionth is taken for the mark.

    Examples
    --------
    >>> rounded(0.5003, 3), rounded(0.5003, 3, [0.5]), rounded(0.5, 3, [0.5]), rounded(-0.001, 2)
    ('0.500', '0.5003', '0.500', '0.00')
    """
    for more in range(digits, 7):
        text = f"{value:.{more}f}"
        if abs(value - float(text)) < 1e-9 or float(text) not in marks:
            return _unsigned_zero(text)
    return _unsigned_zero(f"{value:.{digits}f}")


def _unsigned_zero(text: str) -> str:
    return text if float(text) else text.lstrip("-")


def percent(rate: float) -> str:
    """A rate in whole percents; never 0, 50 or 100 % for what is not exactly that.

    Examples
    --------
    >>> percent(0.69762), percent(1), percent(0.999), percent(0.001), percent(0.503)
    ('70 %', '100 %', 'over 99 %', 'under 1 %', '50.3 %')
    """
    whole = f"{100 * rate:.0f}"
    if whole == "100" and rate < 1:
        return "over 99 %"
    if whole == "0" and rate > 0:
        return "under 1 %"
    return f"{rounded(100 * rate, 0, [50])} %"


def factor(value: float) -> str:
    """A ratio: three significant digits, 1 for nothing but 1, and no power of ten.

    Examples
    --------
    >>> factor(0.102), factor(4e-5), factor(5.5e7), factor(1.0004), factor(1.0), factor(101.6)
    ('0.102', 'under 0.001', 'over 1,000', '1.0004', '1.00', '102')
    """
    if value < 1e-3:
        return "under 0.001"
    if value > 1e3:
        return "over 1,000"
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return rounded(value, digits, [1])


def seconds_words(seconds: float) -> str:
    """A time in seconds.

    Examples
    --------
    >>> seconds_words(12.34), seconds_words(4881.0), seconds_words(0.0381), seconds_words(0.0)
    ('12.3 s', '4,881 s', '0.04 s', '0 s')
    """
    if 0 < seconds < 0.01:
        return "under 0.01 s"
    digits = 0 if seconds >= 100 or not seconds else 1 if seconds >= 1 else 2
    return f"{seconds:,.{digits}f} s"


def plain(value: float) -> str:
    """A number as it was given, without a power of ten.

    Examples
    --------
    >>> plain(60.0), plain(1e6), plain(2.5)
    ('60', '1,000,000', '2.5')
    """
    return f"{value:,.10g}"


def counted(number: int, thing: str, things: str = "") -> str:
    """A count with its noun; `things` is its plural where an s does not make it.

    Examples
    --------
    >>> counted(1, "vote"), counted(1080, "vote"), counted(2, "study", "studies")
    ('1 vote', '1,080 votes', '2 studies')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def between(interval: Interval | None) -> str:
    """An interval in words; "" if there is none.

    Examples
    --------
    >>> between(Interval(0.647, 0.746, 0.95, ""))
    '65 % to 75 %'
    """
    return f"{percent(interval.low)} to {percent(interval.high)}" if interval else ""


SMALLEST_P = 1e-300
"""Below this a p value is no longer a number of its own on a computer."""
MARKS_OF_P = (0.01, 0.05, 0.1, 1.0)
"""Levels that tests are held against, and certainty: no p value is rounded onto one."""


def p_words(p_value: float, digits: int = 2) -> str:
    """A p value, with so many digits behind the point from 0.1 up; never 0.

    Examples
    --------
    >>> p_words(0.0312), p_words(2.7e-31), p_words(0.97), p_words(0.0)
    ('p = 0.031', 'p = 2.7e-31', 'p = 0.97', 'p < 1e-300')
    >>> p_words(0.0498), p_words(0.0503), p_words(0.05)
    ('p = 0.0498', 'p = 0.0503', 'p = 0.050')
    """
    text = p_number(p_value, digits)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def p_number(p_value: float, digits: int = 2) -> str:
    """The same without the "p =".

    Examples
    --------
    >>> p_number(0.0498), p_number(0.0)
    ('0.0498', '< 1e-300')
    """
    if p_value < SMALLEST_P:
        return f"< {SMALLEST_P:.0e}"
    if p_value < 1e-3:
        return f"{p_value:.1e}"
    return rounded(p_value, 3 if p_value < 0.1 else digits, MARKS_OF_P)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def capital(text: str) -> str:
    """The text with a capital first letter, the rest as it is.

    Examples
    --------
    >>> capital("the gap in EIC")
    'The gap in EIC'
    """
    return text[:1].upper() + text[1:]
