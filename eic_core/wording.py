"""Words for numbers: the one place where shares, losses, counts and times are rounded."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from datetime import UTC, datetime

UNDEFINED = "not defined"

# below it a p value comes near the end of double range
SMALLEST_P = 1e-300

# levels that tests are held against, and certainty: no p value is rounded onto one
MARKS_OF_P = (0.01, 0.05, 0.1, 1.0)

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

_MARKS = (0.0, 50.0, 100.0)
_SAME = 1e-10  # percents that differ by less differ by the rounding of doubles


# --- plain numbers ---


def rounded(value: float, decimals: int, marks: Sequence[float] = ()) -> str:
    """A finite number with 0 to 6 decimals, more if it would else round onto one of `marks`.

    >>> rounded(0.5003, 3), rounded(0.5003, 3, [0.5]), rounded(0.5, 3, [0.5]), rounded(-0.001, 2)
    ('0.500', '0.5003', '0.500', '0.00')
    """
    # above one half, or below 5 %, must not be printed as exactly that
    for more in range(decimals, 7):
        text = f"{value:.{more}f}"
        # within 1e-9 the value is the mark itself, but for rounding
        if abs(value - float(text)) < 1e-9 or float(text) not in marks:
            return _signed_text(text)
    return _signed_text(f"{value:.{decimals}f}")


def _signed_text(text: str) -> str:
    # a real minus sign (U+2212), and none on zero
    return text.replace("-", "−" if any(c in "123456789" for c in text) else "")


def number(value: float | None, decimals: int = 2, *, missing: str = "—") -> str:
    """A number to some decimals; `missing` for None and nan.

    >>> number(4.389), number(-7.3441, 1), number(-0.001), number(float("-inf")), number(None)
    ('4.39', '−7.3', '0.00', '−∞', '—')
    """
    if value is None or math.isnan(value):
        return missing
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return _signed_text(f"{value:.{decimals}f}")


def significant(value: float, digits: int = 3, *, missing: str = "undefined") -> str:
    """A number of any size, with at most `digits` significant digits; `missing` for nan.

    >>> significant(2.0004), significant(-0.512), significant(12345.0), significant(0.0)
    ('2', '−0.51', '12,300', '0')
    >>> significant(3.24e-9), significant(-1e8), significant(2.512e-7, 6), significant(float("inf"))
    ('3.2·10⁻⁹', '−10⁸', '2.512·10⁻⁷', '∞')
    """
    if not math.isfinite(value):
        return number(value, missing=missing)
    size = abs(value)
    rounded_size = float(f"{size:.{digits - 1}e}")
    # of three digits one is spared below 1 and beside a power of ten: there the size says enough
    spared = digits - (digits == 3)
    if size and not 1e-3 <= rounded_size < 10.0 ** max(6, digits):
        mantissa, _, exponent = f"{size:.{spared - 1}e}".partition("e")
        head = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        power = "10" + str(int(exponent)).translate(RAISED)
        text = power if head == "1" else f"{head}·{power}"
    else:
        # at least 15 for `g`: it must not go over to an exponent, the number is rounded already
        text = f"{size:.{spared}g}" if size < 1 else f"{rounded_size:,.{max(15, digits)}g}"
    return f"−{text}" if value < 0 else text


def plain(value: float) -> str:
    """A number in its own digits, at most ten and no power of ten: 0 or 1e-4 to 1e9 in size.

    >>> plain(60.0), plain(1e6), plain(2.5)
    ('60', '1,000,000', '2.5')
    """
    return _signed_text(f"{value:,.10g}")


def signed(change: float, decimals: int | None = 2, *, least: float = 0.0) -> str:
    """A change with its sign; "unchanged" if below `least` or 0 when rounded (None: to 3 digits).

    >>> signed(2, 0), signed(-7.344), signed(0.001), signed(float("nan"))
    ('+2', '−7.34', 'unchanged', '—')
    >>> signed(-3.2e-7, None, least=1e-12), signed(1e-14, None, least=1e-12)
    ('−3.2·10⁻⁷', 'unchanged')
    """
    if math.isnan(change):
        return "—"
    if abs(change) < least or not (change if decimals is None else round(change, decimals)):
        return "unchanged"
    text = significant(change) if decimals is None else number(change, decimals)
    return f"+{text}" if change > 0 else text


# --- shares ---


def percent(share: float | None, decimals: int | None = None, *, missing: str = UNDEFINED) -> str:
    """A share in per cent, never rounded onto 0, ½ or 1; to two digits if `decimals` is None.

    >>> percent(0.934), percent(0.0123), percent(1.0), percent(0.9998), percent(2e-5), percent(None)
    ('93 %', '1.2 %', '100 %', 'over 99.9 %', 'under 0.01 %', 'not defined')
    >>> percent(0.503, 0), percent(0.001, 0), percent(0.69762, 1), percent(0.5003, 1)
    ('50.3 %', '0.1 %', '69.8 %', '50.03 %')
    """
    if share is None or not math.isfinite(share):
        return missing
    value = 100 * share
    near = next((mark for mark in _MARKS[1:] if abs(value - mark) < _SAME), None)
    if near is not None or value == 0:
        return f"{near or 0:.{decimals or 0}f} %"
    if 0 < value < 0.01:
        return "under 0.01 %"
    if 99.95 <= value < 100:
        return "over 99.9 %"
    # two more decimals at most: past them the words say on which side of the mark it lies
    least = _decimals_of_two(value) if decimals is None else decimals
    for more in range(least, least + 3):
        text = f"{value:.{more}f}"
        if float(text) not in _MARKS:
            if decimals is None and "." in text and more == least:
                text = text.rstrip("0").rstrip(".")
            return f"{_signed_text(text)} %"
    return f"{'over' if value > 50 else 'under'} 50 %"


def _decimals_of_two(value: float) -> int:
    rounded_value = float(f"{abs(value):.1e}")
    return max(0, 1 - math.floor(math.log10(rounded_value)))


def level_percent(level: float) -> str:
    """A level from 0 to 1 in per cent, with all its digits.

    >>> level_percent(0.025), level_percent(0.95), level_percent(0.999)
    ('2.5 %', '95 %', '99.9 %')
    """
    return f"{plain(100 * level)} %"


def percent_range(low: float, high: float, decimals: int = 0) -> str:
    """From one share to another, both from 0 to 1, with decimals that tell them apart.

    >>> percent_range(0.647, 0.746), percent_range(0.5003, 1, 1), percent_range(0.597, 0.604)
    ('65 % to 75 %', '50.03 % to 100.0 %', '59.7 % to 60.4 %')
    """
    for more in range(3):
        ends = percent(low, decimals + more), percent(high, decimals + more)
        if ends[0] != ends[1]:
            return " to ".join(ends)
    return f"{percent(low, decimals)} to {percent(high, decimals)}"


def points(share: float, decimals: int = 1) -> str:
    """A difference of shares, from -1 to 1, in percentage points.

    >>> points(0.0537), points(-0.2)
    ('5.4', '−20.0')
    """
    return number(100 * share, decimals)


def r_squared(value: float) -> str:
    """R², with as many digits as tell it from 1; within 1e-12 it is 1.

    >>> r_squared(0.9734), r_squared(0.99871), r_squared(0.99999987), r_squared(1.0)
    ('0.973', '0.9987', '1 − 1.3·10⁻⁷', '1')
    >>> r_squared(-3.2), r_squared(float("nan"))
    ('−3.20', '—')
    """
    gap = 1 - value
    if abs(gap) < 1e-12:
        return "1"
    if 0 < gap < 5e-4:
        return f"1 − {significant(gap)}"
    if value < -100:
        return significant(value)
    return number(value, 2 if value <= -1 else 3 if not gap < 0.0095 else 4)


# --- digits and amplification ---


def digits_lost(value: float) -> str:
    """A mean number of digits, as EIC is, on every label; inf is every digit, nan no value.

    >>> digits_lost(4.38905), digits_lost(0.0), digits_lost(float("inf")), digits_lost(12.345)
    ('4.39', '0', '∞', '12.35')
    >>> digits_lost(float("nan"))
    'undefined'
    """
    if value < 0.005:
        return "0"
    return number(value, missing="undefined")


def mean_phrase(value: float) -> str:
    """The same in a sentence, to the digit.

    >>> mean_phrase(4.38905), mean_phrase(0.0), mean_phrase(float("inf"))
    ('4.39 digits', 'no digit', 'every digit')
    """
    if math.isinf(value):
        return "every digit"
    return "no digit" if value < 0.005 else f"{digits_lost(value)} digits"


def digits_phrase(value: float) -> str:
    """A number of digits that single rows lose, for a sentence; inf is every digit.

    >>> digits_phrase(4.389), digits_phrase(1.0), digits_phrase(0.02), digits_phrase(0.0)
    ('4.4 digits', '1.0 digits', '0.02 digits', 'no digit')
    >>> digits_phrase(float("inf"))
    'every digit'
    """
    if math.isinf(value):
        return "every digit"
    if value < 0.005:
        return "no digit"
    return f"{number(value, 1 if value >= 0.05 else 2)} digits"


def lost_phrase(value: float) -> str:
    """A number of digits as the object of "loses"; inf is every digit.

    >>> lost_phrase(4.389), lost_phrase(0.02), lost_phrase(0.0), lost_phrase(float("inf"))
    ('4.4 digits', 'hardly any digits', 'no digit', 'every digit')
    """
    return "hardly any digits" if 0.005 <= value < 0.05 else digits_phrase(value)


def times(value: float) -> str:
    """The factor, 0 or more, by which noise is amplified.

    >>> times(2.5), times(4700.0), times(2.3e6), times(float("inf"))
    ('2.5 times', '4,700 times', '2.3·10⁶ times', 'without limit')
    """
    return "without limit" if math.isinf(value) else f"{significant(value)} times"


# --- statistics ---


def ratio(value: float) -> str:
    """A ratio of odds or rates, 0 or more: three significant digits, and 1 for nothing but 1.

    >>> ratio(0.102), ratio(4e-5), ratio(5.5e7), ratio(1.0004), ratio(1.0), ratio(101.6)
    ('0.102', 'under 0.001', 'over 1,000', '1.0004', '1.00', '102')
    """
    if value < 1e-3:
        return "under 0.001"
    if value > 1e3:
        return "over 1,000"
    decimals = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return rounded(value, decimals, [1])


def p_number(p: float | None, decimals: int = 2) -> str:
    """A p value, never rounded onto 0 or a usual level of significance; `decimals` from 0.1 up.

    >>> p_number(0.0312), p_number(2.7e-31), p_number(0.97), p_number(1.0, 3), p_number(None)
    ('0.031', '2.7·10⁻³¹', '0.97', '1.000', 'not defined')
    >>> p_number(0.0498), p_number(0.0503), p_number(0.05), p_number(0.00019), p_number(0.0)
    ('0.0498', '0.0503', '0.050', '0.00019', '< 10⁻³⁰⁰')
    """
    if p is None:
        return UNDEFINED
    if p < SMALLEST_P:
        return f"< {significant(SMALLEST_P)}"
    if p < 1e-3:
        return f"{p:.2g}" if p >= 1e-4 else significant(p, 2)
    return rounded(p, 3 if p < 0.1 else decimals, MARKS_OF_P)


def p_clause(p: float | None, decimals: int = 2) -> str:
    """A p value in a sentence; `decimals` as in `p_number`.

    >>> p_clause(0.0312), p_clause(0.0), p_clause(None)
    ('p = 0.031', 'p < 10⁻³⁰⁰', 'p not defined')
    """
    text = p_number(p, decimals)
    return f"p {text}" if p is None or text.startswith("<") else f"p = {text}"


# --- counts, lists and text ---


def count(number: int, thing: str, things: str = "") -> str:
    """A count with its noun; `things` where the plural has no s.

    >>> count(1, "vote"), count(1080, "vote"), count(2, "study", "studies")
    ('1 vote', '1,080 votes', '2 studies')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def join(items: Sequence[str], *, limit: int | None = None) -> str:
    """Items in a sentence, at most `limit` of them by name.

    >>> join(["a"]), join(["a", "b"]), join(["a", "b", "c"]), join(["a", "b", "c"], limit=2)
    ('a', 'a and b', 'a, b and c', 'a, b and 1 more')
    """
    listed = list(items)
    if limit is not None and len(listed) > limit:
        listed[limit:] = [f"{len(listed) - limit:,} more"]
    return " and ".join([", ".join(listed[:-1]), listed[-1]] if len(listed) > 1 else listed)


def capital(text: str) -> str:
    """The text with a capital first letter.

    >>> capital("the gap in EIC")
    'The gap in EIC'
    """
    return text[:1].upper() + text[1:]


def shorten(text: str, limit: int) -> str:
    """A text of at most `limit` characters, the last an ellipsis if it was longer.

    >>> shorten("x² + sin(y)", 8)
    'x² + si…'
    """
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def short_constant(label: str) -> str:
    """A formula's constant (number, fraction, ``pi``, ``e``) in about seven characters.

    >>> short_constant("-0.000123456"), short_constant("0.000001"), short_constant("pi")
    ('−1.235e−4', '1e−6', 'π')
    """
    if label == "pi":
        return "π"
    if len(label) > 7 and label != "e":
        if "/" in label:
            label = shorten(label, 11)
        else:
            value = float(label)
            short = f"{value:.3e}" if 0 < abs(value) < 1e-3 else f"{value:.5g}"
            mantissa, _, exponent = short.partition("e")
            if exponent and "." in mantissa:
                mantissa = mantissa.rstrip("0").rstrip(".")
            label = f"{mantissa}e{int(exponent)}" if exponent else short
    return label.replace("-", "−")


def wrap(text: str, indent: str = "", width: int = 96) -> str:
    """A paragraph in lines of at most `width`, never broken between a number and its %.

    >>> print(wrap("one two three four", "  ", 11))
      one two
      three
      four
    """
    broken = textwrap.fill(
        text.replace(" %", "\N{NO-BREAK SPACE}%"),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return broken.replace("\N{NO-BREAK SPACE}%", " %")


# --- times ---


def seconds(value: float | None) -> str:
    """A time in seconds.

    >>> seconds(12.34), seconds(4881.0), seconds(0.0381), seconds(0.0), seconds(None)
    ('12.3 s', '4,881 s', '0.04 s', '0 s', 'not defined')
    """
    if value is None:
        return UNDEFINED
    if 0 < value < 0.01:
        return "under 0.01 s"
    decimals = 0 if value >= 100 or not value else 1 if value >= 1 else 2
    return f"{value:,.{decimals}f} s"


def day(stamp: datetime) -> str:
    """The day in UTC, for a text.

    >>> day(datetime(2025, 3, 1, 23, 59, tzinfo=UTC))
    '1 March 2025'
    """
    utc = stamp.astimezone(UTC)
    return f"{utc.day} {utc:%B %Y}"


def minute(stamp: datetime | None) -> str:
    """A time in UTC, to the minute.

    >>> minute(datetime(2025, 3, 1, 12, 5, 59, tzinfo=UTC)), minute(None)
    ('1 Mar 2025, 12:05 UTC', 'not yet')
    """
    if stamp is None:
        return "not yet"
    utc = stamp.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M} UTC"
