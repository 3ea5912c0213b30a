"""Axes of a plot: ticks, titles, and the frame around the marks."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from html import escape, unescape

from eic_core.formula.rendering import name_mathml, printable
from study.rating_types import Axis, says_nothing

TEXT_PX, TITLE_PX = 13, 14
_DIGIT_PX = 7.6  # A digit at `TEXT_PX`, in the widest of common fonts
_LETTER_PX = 7.6  # A letter at `TITLE_PX`, on average
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_THIN = "\u202f"


@dataclass(frozen=True)
class Ticks:
    values: tuple[float, ...]
    labels: tuple[str, ...]
    power: int  # Labels times ten to this power are the values

    @property
    def factor(self) -> str:
        """What stands once beside the axis.

        >>> make_ticks(0, 3e6, 4).factor
        '×10⁶'
        """
        return f"×10{str(self.power).translate(_SUPERSCRIPTS)}" if self.power else ""


def make_ticks(low: float, high: float, count: int) -> Ticks:
    """About as many ticks as asked for, at round numbers.

    >>> make_ticks(-1, 1, 5).labels
    ('−1.0', '−0.5', '0.0', '0.5', '1.0')
    >>> make_ticks(0, 40_000, 4).labels[-1]
    '40\u202f000'
    >>> make_ticks(0, 2e-7, 2)
    Ticks(values=(0.0, 1e-07, 2e-07), labels=('0.0', '0.1', '0.2'), power=-6)
    """
    span = high - low
    largest = max(abs(low), abs(high))
    exponent = math.floor(math.log10(largest)) if largest else 0
    power = 3 * ((exponent + (1 if exponent < 0 else 0)) // 3) if exponent < -3 else 0
    if exponent >= 5:
        power = 3 * (exponent // 3)
    rough = span / max(count, 1)
    size = math.floor(math.log10(rough))
    candidates = [(digit, at) for at in (size, size + 1) for digit in (1, 2, 5)]
    digit, at = min(candidates, key=lambda step: abs(math.log(step[0] * 10.0 ** step[1] / rough)))
    step = digit * 10.0**at
    slack = 1e-9 * span / step
    first, last = math.ceil(low / step - slack), math.floor(high / step + slack)
    decimals = max(0, power - at)
    whole = [k * digit for k in range(first, last + 1)]
    values = tuple(float(f"{k}e{at}") for k in whole)
    return Ticks(values, tuple(_fixed(float(f"{k}e{at - power}"), decimals) for k in whole), power)


def _fixed(value: float, decimals: int) -> str:
    text = f"{abs(value):.{decimals}f}"
    whole, _, rest = text.partition(".")
    if len(whole) > 4:  # years stay as they are
        whole = f"{int(whole):,}".replace(",", _THIN)
    minus = "−" if value < 0 and float(text) else ""
    return minus + whole + (f".{rest}" if rest else "")


def number_text(value: float, digits: int = 3) -> str:
    """A number in running text, in the style of the ticks.

    >>> [number_text(v) for v in (0, -3.14159, 12345.6, 1.26e7, 0.000012, 1999.7)]
    ['0', '−3.14', '12\u202f300', '1.26×10⁷', '1.2×10⁻⁵', '2000']
    """
    if value == 0:
        return "0"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    if -4 <= exponent < 6:
        rounded = float(f"{mantissa}e{power}")
        text = _fixed(rounded, max(0, digits - 1 - exponent))
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}×10{str(exponent).translate(_SUPERSCRIPTS)}".replace("-", "−", 1)


_MSUB = re.compile(r"<msub><mi>(.*?)</mi><m[in]>(.*?)</m[in]></msub>")
_MI = re.compile(r"<mi>(.*?)</mi>")


def _name_parts(name: str) -> tuple[str, str]:
    """A name and its subscript, as the formulas write them."""
    markup = name_mathml(name)
    match = _MSUB.fullmatch(markup)
    if match:
        return unescape(match[1]), unescape(match[2])
    single = _MI.fullmatch(markup)
    return (unescape(single[1]) if single else printable(name)), ""


def title_lines(axis: Axis, ticks: Ticks, width: float) -> list[str]:
    """The title of an axis in one or two lines of SVG text: name or meaning, factor, unit."""
    if axis.meaning and says_nothing(axis.written):
        plain, markup = printable(axis.meaning), ""
    else:
        head, script = _name_parts(axis.written)
        plain = head + script
        # A letter is slanted, as in the formulas; a word is not.
        style = ' font-style="italic"' if len(head) == 1 else ""
        markup = f"<tspan{style}>{escape(head)}</tspan>"
        if script:
            markup += f'<tspan dy="4" font-size="12">{escape(script)}</tspan>'
    unit = " ".join(part for part in (ticks.factor, printable(axis.unit)) if part)
    tail = f"[{unit}]" if unit else ""
    room = max(8, int(width / _LETTER_PX))
    lines = _wrap(f"{plain} {tail}".strip(), room)
    if not markup or not lines[0].startswith(plain):
        return [escape(line) for line in lines]
    rest = lines[0][len(plain) :].strip()
    back = ' dy="-4"' if "dy=" in markup else ""
    after = f"<tspan{back}>\u00a0{escape(rest)}</tspan>" if rest else ""
    return [markup + after, *(escape(line) for line in lines[1:])]


def _wrap(text: str, room: int) -> list[str]:
    """At most two lines; what is longer ends in dots.

    >>> _wrap("one two three", 8), _wrap("one", 8), _wrap("abcdefghijklm", 8)
    (['one two', 'three'], ['one'], ['abcdefg…'])
    """
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= room or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > 2:
        lines = [lines[0], " ".join(lines[1:])]
    return [line if len(line) <= room else line[: room - 1] + "…" for line in lines]


@dataclass(frozen=True)
class Frame:
    """Where the marks go, in pixels, and what is drawn around them."""

    # width, height: of the whole
    width: int
    height: int
    left: int
    top: int
    # inner_width, inner_height: of the part with the marks
    inner_width: int
    inner_height: int
    # before, after: SVG below and above the marks
    before: str
    after: str

    def svg(self, below: str, above: str = "") -> str:
        """With ``{marks}`` between what lies below and above of them."""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" width="{self.width}" '
            f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
            f'font-size="{TEXT_PX}" aria-hidden="true">'
            f"{self.before}{below}{{marks}}{above}{self.after}</svg>"
        )


def make_frame(
    width: int,
    height: int,
    across: Axis,
    up: Axis,
    *,
    pad: tuple[float, float],
    right: int,
    grid: bool,
) -> Frame:
    """The frame of a plot.

    Parameters
    ----------
    width
    height
        Of the whole, in pixels.
    across
    up
        The axes to the right and upwards.
    pad
        Shares of the range that the frame goes on at both ends: across, and up.
    right
        Pixels to the right of the frame.
    grid
        Whether ticks go on as lines through the frame.

    Returns
    -------
    Frame
        With ticks, titles and edge.
    """
    (x_low, x_high), (y_low, y_high) = _padded(across, pad[0]), _padded(up, pad[1])
    y_ticks = make_ticks(y_low, y_high, max(3, height // 55))
    longest = max(map(len, y_ticks.labels), default=1)
    left = 14 + math.ceil(longest * _DIGIT_PX)
    inner_width = width - left - right
    x_ticks = make_ticks(x_low, x_high, max(2, inner_width // 85))
    up_title = title_lines(up, y_ticks, width - 8)
    across_title = title_lines(across, x_ticks, width - 8)
    top = 8 + 18 * len(up_title)
    bottom = 26 + 18 * len(across_title)
    inner_height = height - top - bottom
    base = top + inner_height
    lines, texts, marks = [], [], []
    for value, label in zip(x_ticks.values, x_ticks.labels, strict=True):
        x = round(left + (value - x_low) / (x_high - x_low) * inner_width, 1)
        lines.append(f"M{x:g} {top}v{inner_height}")
        marks.append(f"M{x:g} {base}v5")
        texts.append(f'<text x="{x:g}" y="{base + 19}" text-anchor="middle">{label}</text>')
    for value, label in zip(y_ticks.values, y_ticks.labels, strict=True):
        y = round(base - (value - y_low) / (y_high - y_low) * inner_height, 1)
        lines.append(f"M{left} {y:g}h{inner_width}")
        marks.append(f"M{left} {y:g}h-5")
        texts.append(f'<text x="{left - 8}" y="{y + 4.5:g}" text-anchor="end">{label}</text>')
    titles = [f'<text x="4" y="{15 + 18 * k}">{line}</text>' for k, line in enumerate(up_title)] + [
        f'<text x="{left + inner_width}" y="{base + 38 + 18 * k}" text-anchor="end">{line}</text>'
        for k, line in enumerate(across_title)
    ]
    rules = f'<path class="grid" d="{"".join(lines)}"/>' if grid else ""
    edge = f"M{left} {top}v{inner_height}h{inner_width}"
    return Frame(
        width,
        height,
        left,
        top,
        inner_width,
        inner_height,
        before=rules,
        after=f'<path class="axis" d="{edge}{"".join(marks)}"/>'
        f'<g class="tick">{"".join(texts)}</g>'
        f'<g class="title" font-size="{TITLE_PX}">{"".join(titles)}</g>',
    )


def _padded(axis: Axis, pad: float) -> tuple[float, float]:
    span = axis.high - axis.low
    return axis.low - pad * span, axis.high + pad * span
