"""What a printed number may stand for: an interval that its rounding leaves open."""

from __future__ import annotations

import math
import re

LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")

KINDS: dict[str, str] = {
    "code": r"`[^`]+`",
    "codes": r"`[^`]+`(?:(?:, | and )(?:`[^`]+`|\d+ more))*",
    "int": r"\d[\d,]*",
    "one": r"\d+\.\d{1,6}",
    "two": r"−?\d+\.\d\d",
    "digits": r"(?:every digit|no digit|\d+\.\d+ digits)",
    "lost": r"(?:every digit|no digit|hardly any digits|\d+\.\d+ digits)",
    "num": r"(?:−?∞|−?(?:[\d.,]+·)?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|−?[\d.,]*\d)",
    "times": r"(?:without limit|(?:(?:[\d.,]+·)?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+|[\d.,]*\d) times)",
    "pct": r"(?:(?:under|over|Under|Over) )?\d[\d.]* %",
    "share": r"(?:All|(?:(?:under|over|Under|Over) )?\d[\d.]* %)",
    "any": r".+?",
    "word": r"[a-z]+",
}
_INPUT = rf"`[^`]+` is (?:between {KINDS['num']} and |near )?{KINDS['num']}"
KINDS["inputs"] = rf"{_INPUT}(?:(?:, | and ){_INPUT})*"
"""Regular expressions for what templates leave open."""


def compiled(template: str) -> re.Pattern[str]:
    """A template as a regular expression: ``<name:kind>`` is a named group of a kind.

    ``[[one|other]]`` are alternatives and ``⟦this⟧`` may be missing; the rest is literal.
    """
    out = []
    for part in re.split(r"(<\w+:\w+>|\[\[.*?\]\]|⟦|⟧)", template):
        if re.fullmatch(r"<\w+:\w+>", part):
            name, kind = part[1:-1].split(":")
            out.append(f"(?P<{name}>{KINDS[kind]})")
        elif part.startswith("[["):
            out.append("(?:" + "|".join(map(re.escape, part[2:-2].split("|"))) + ")")
        elif part == "⟦":
            out.append("(?:")
        elif part == "⟧":
            out.append(")?")
        else:
            out.append(re.escape(part))
    return re.compile("".join(out) + r"\Z", re.DOTALL)


Interval = tuple[float, float]


def whole(text: str) -> int:
    """A count."""
    return int(text.replace(",", ""))


def decimal(text: str) -> Interval:
    """A number with so many digits behind the point, give or take half of the last."""
    text = text.replace("−", "-").replace(",", "")
    places = len(text.partition(".")[2])
    half = 0.5 * 10.0**-places
    return float(text) - half, float(text) + half


def digits(text: str) -> Interval:
    """A number of digits in words."""
    if text in ("every digit", "infinite"):
        return math.inf, math.inf
    if text == "no digit":
        return 0.0, 0.005
    if text == "hardly any digits":
        return 0.005, 0.05
    low, high = decimal(text.removesuffix(" digits"))
    return max(0.0, low), high


def significant(text: str) -> Interval:
    """A number of three significant digits; two below 1 and beside a power of ten."""
    if text in ("∞", "without limit"):
        return math.inf, math.inf
    text = text.removesuffix(" times").replace(",", "")
    sign = -1.0 if text.startswith("−") else 1.0
    text = text.lstrip("−")
    kept = 3
    if "10" in text and text != text.translate(LOWERED):
        head, _, power = text.rpartition("10")
        exponent = int(power.translate(LOWERED))
        mantissa = float(head.rstrip("·")) if head else 1.0
        try:
            value = mantissa * 10.0**exponent
        except OverflowError:
            value = math.inf
        kept = 2
    else:
        value = float(text)
        if abs(value) < 1:
            kept = 2
    if value == 0:
        return -0.0, 0.0
    half = 0.5 * 10.0 ** (math.floor(math.log10(value) + 1e-12) - kept + 1)
    half = max(half, 0.5 if value >= 1e5 and kept == 3 else 0.0)
    ends = sign * (value - half), sign * (value + half)
    return min(ends), max(ends)


def percent(text: str) -> Interval:
    """A share of 1."""
    if text == "All":
        return 1 - 1e-9, 1 + 1e-9
    lead, _, rest = text.lower().removesuffix(" %").rpartition(" ")
    value = float(rest)
    if lead == "over":
        return (0.9995, 1.0) if value > 99 else (0.5, 0.5001)
    if lead == "under":
        return (0.0, 1e-4) if value < 1 else (0.4999, 0.5)
    if value in (0.0, 100.0):
        return value / 100 - 1e-9, value / 100 + 1e-9
    places = len(rest.partition(".")[2])
    half = 0.5 * 10.0**-places
    if not places and value < 10:
        half = 0.05
    return (value - half) / 100, (value + half) / 100


SLACK = 2e-3
"""Digits by which double precision may err without a second look: half of s u = 10^-3 and more."""


def holds(interval: Interval, value: float, slack: float = SLACK) -> bool:
    """Whether a true value may be printed so."""
    low, high = interval
    if low == high == math.inf or math.isinf(value):
        return low == value
    return low - slack <= value <= high + slack


def about(interval: Interval, value: float, relative: float = 1e-3) -> bool:
    """The same for a value of any size."""
    low, high = interval
    if math.isinf(low) or math.isinf(value):
        return low == value
    slack = relative * abs(value)
    return low - slack <= value <= high + slack
