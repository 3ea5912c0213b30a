"""Numbers as they stand in sentences: whole percents, plain counts."""

from __future__ import annotations

from collections.abc import Sequence

from study.statistics.preference import Interval


def percent(rate: float) -> str:
    """A rate in whole percents; never 0 or 100 % for what is not exactly that.

    Examples
    --------
    >>> percent(0.69762), percent(1), percent(0.999), percent(0.001)
    ('70 %', '100 %', 'over 99 %', 'under 1 %')
    """
    whole = f"{100 * rate:.0f}"
    if whole == "100" and rate < 1:
        return "over 99 %"
    if whole == "0" and rate > 0:
        return "under 1 %"
    return f"{whole} %"


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


def p_words(p_value: float) -> str:
    """A p value.

    Examples
    --------
    >>> p_words(0.0312), p_words(2.7e-31), p_words(0.97)
    ('p = 0.031', 'p = 2.7e-31', 'p = 0.97')
    """
    if p_value < 1e-3:
        return f"p = {p_value:.1e}"
    return f"p = {p_value:.3f}" if p_value < 0.1 else f"p = {p_value:.2f}"


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
