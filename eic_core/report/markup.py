"""HTML from text: everything that a user may have written is made inert here."""

from __future__ import annotations

import html
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from eic_core import wording

_CODE = re.compile(r"`([^`]*)`")
_UNITS = re.compile(r"(?<=\d) (?=%|dB\b|digits?\b)")


@dataclass(frozen=True, slots=True)
class Markup:
    """HTML that is safe to put on the page as it is."""

    html: str


def clean(text: str) -> str:
    """Text without control, direction-changing and half characters.

    Examples
    --------
    >>> clean("a\\x00b\\u202ec")
    'a b c'
    """
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn") else " "
        for c in text
    )


def escape(text: str) -> str:
    """Text for HTML, inert.

    Examples
    --------
    >>> escape('<img src="x">')
    '&lt;img src=&quot;x&quot;&gt;'
    """
    return html.escape(clean(text))


def prose(text: str) -> str:
    """A sentence for HTML: backticks become code, numbers keep their units on the line.

    Examples
    --------
    >>> prose("93 % at `<b>`")
    '93\\xa0% at <code>&lt;b&gt;</code>'
    """
    return _UNITS.sub("\u00a0", _CODE.sub(r"<code>\1</code>", escape(text)))


def paragraphs(sentences: Iterable[str], kind: str = "") -> str:
    """A paragraph for each sentence."""
    mark = f' class="{kind}"' if kind else ""
    return "\n".join(f"<p{mark}>{prose(s)}</p>" for s in sentences if s)


def code(text: str) -> Markup:
    """A sub-expression."""
    return Markup(f"<code>{escape(text)}</code>")


def data(value: float, shown: str) -> Markup:
    """A number that is shown rounded and carried in full.

    Examples
    --------
    >>> data(4.389056098930650, "4.39").html
    '<data value="4.38905609893065">4.39</data>'
    """
    return Markup(f'<data value="{float(value)!r}">{escape(shown)}</data>')


def digits(value: float) -> Markup:
    """A number of digits, two decimals of it.

    Examples
    --------
    >>> digits(0.3010299).html, digits(float("nan")).html
    ('<data value="0.3010299">0.30</data>', '<data value="nan">—</data>')
    """
    return data(value, "exact" if value == -math.inf else wording.number(value))


def share(value: float) -> Markup:
    """A part of the whole in per cent, one decimal of it.

    Examples
    --------
    >>> share(0.123).html, share(1e-5).html, share(0.0).html
    ('<data value="0.123">12.3 %</data>', '<data value="1e-05">under 0.01 %</data>',
     '<data value="0.0">0.0 %</data>')
    """
    return data(value, wording.percent(value, 1, missing="—"))


def count(value: int) -> Markup:
    """A whole number with its thousands set apart."""
    return Markup(f'<data value="{value}">{value:,}</data>')


def plain(value: float) -> Markup:
    """Any number, five significant digits of it.

    Examples
    --------
    >>> plain(-12345.678).html, plain(1.5e-9).html
    ('<data value="-12345.678">−12,346</data>', '<data value="1.5e-09">1.5·10⁻⁹</data>')
    """
    return data(value, wording.significant(value, 5, missing="—"))


Cell = str | Markup
NONE = Markup("—")


def cell(value: Cell) -> str:
    """What stands in a cell: prose, unless it is HTML already."""
    return value.html if isinstance(value, Markup) else prose(value)


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    caption: str = "",
    numbers: Sequence[int] = (),
    marked: frozenset[int] = frozenset(),
    words: bool = False,
) -> str:
    """A table that scrolls sideways where it must.

    Parameters
    ----------
    head : sequence of str
        Names of the columns; a row has as many cells.
    rows : iterable of sequences of Cell
        The first cell names its row.
    caption : str
    numbers : sequence of int
        Columns set to the right, from 0.
    marked : frozenset of int
        Rows that stand out, from 0.
    words : bool
        True where words may be as narrow as a phone needs.

    Raises
    ------
    ValueError
        If a row has more or fewer cells than `head` has names.

    Examples
    --------
    >>> table(("name", "size"), [("`<b>`", count(1200))], numbers=(1,)).count("<th ")
    3
    """
    kinds = [' class="n"' if k in numbers else "" for k in range(len(head))]
    top = "".join(
        f'<th scope="col"{kind}>{prose(name)}</th>' for name, kind in zip(head, kinds, strict=True)
    )
    body = []
    for number, row in enumerate(rows):
        mark = ' class="marked"' if number in marked else ""
        first, *others = (cell(value) for value in row)
        inner = "".join(
            f"<td{kind}>{value}</td>" for value, kind in zip(others, kinds[1:], strict=True)
        )
        body.append(f'<tr{mark}><th scope="row"{kinds[0]}>{first}</th>{inner}</tr>')
    said = f'<p class="caption">{prose(caption)}</p>' if caption else ""
    kind = ' class="words"' if words else ""
    return (
        f'{said}<div class="scroll"><table{kind}><thead><tr>{top}</tr></thead>\n<tbody>'
        + "\n".join(body)
        + "</tbody></table></div>"
    )


def folded(title: str, inner: str) -> str:
    """Something to open."""
    return f"<details><summary>{prose(title)}</summary>{inner}</details>"
