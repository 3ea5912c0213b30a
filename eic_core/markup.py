"""HTML pages from templates; all text that a user may have written is made inert here."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import markupsafe
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from eic_core import wording
from eic_core.phrasing import Phrase

_CODE = re.compile(r"`([^`]*)`")
_UNITS = re.compile(r"(?<=\d) (?=%|dB\b|digits?\b)")


@lru_cache
def environment(package: str) -> Environment:
    """The templates of a package (folder ``templates``) and those of all pages; text is escaped.

    >>> template = environment("eic_core").from_string('<b title="{{ name }}">{{ name }}</b>')
    >>> template.render(name="<\\x00'>")
    '<b title="&lt; &#39;&gt;">&lt; &#39;&gt;</b>'
    """
    templates = Environment(
        loader=ChoiceLoader(
            [PackageLoader(package, "templates"), PackageLoader("eic_core", "templates")]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters.update(_FILTERS)
    templates.filters.update(cell=cell, clean=clean, prose=prose, units=units)
    return templates


def _inert(value: object) -> object:
    if isinstance(value, Phrase):
        return clean(str(value))
    # Markup is HTML already; cleaning would turn it into a plain text, which is escaped
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@dataclass(frozen=True, slots=True)
class Formatted:
    filter: str  # A key of `_FILTERS`
    value: float | str


@dataclass(frozen=True, slots=True)
class Badge:
    kind: str  # Its CSS class
    text: str


Piece = str | Phrase | Formatted | Badge
Cell = Piece | tuple[Piece, ...]


def clean(text: str) -> str:
    """Text without control, direction-changing and half characters.

    >>> clean("a\\x00b\\u202ec")
    'a b c'
    """
    if text.isprintable():
        return text
    return "".join(
        c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn") else " "
        for c in text
    )


def escape(text: str) -> Markup:
    """Text for HTML, inert.

    >>> str(escape('<img src="x">'))
    '&lt;img src=&#34;x&#34;&gt;'
    """
    return markupsafe.escape(clean(text))


def units(text: str) -> Markup:
    """Text for HTML whose numbers keep their units on the line.

    >>> str(units("<5 %"))
    '&lt;5\xa0%'
    """
    return Markup(_UNITS.sub("\u00a0", str(escape(text))))


def prose(text: str | Phrase) -> Markup:
    """A sentence for HTML: backticks become code, numbers keep their units on the line.

    >>> str(prose("93 % at `<b>`"))
    '93\xa0% at <code>&lt;b&gt;</code>'
    """
    return Markup(_CODE.sub(r"<code>\1</code>", str(units(str(text)))))


def code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(escape(text))


def data(value: float, text: str) -> Markup:
    """A number that is displayed rounded and carried in full.

    >>> str(data(4.389056098930650, "4.39"))
    '<data value="4.38905609893065">4.39</data>'
    """
    return Markup('<data value="{!r}">{}</data>').format(float(value), text)


def digits_text(value: float) -> str:
    """A number of digits, to two decimals.

    >>> digits_text(0.3010299), digits_text(float("nan"))
    ('0.30', '—')
    """
    return "exact" if value == -math.inf else wording.number(value)


def share_text(value: float) -> str:
    """A share in per cent, to one decimal.

    >>> share_text(0.123), share_text(1e-5), share_text(0.0)
    ('12.3 %', 'under 0.01 %', '0.0 %')
    """
    return wording.percent(value, 1, missing="—")


def plain_text(value: float) -> str:
    """Any number, to five significant digits.

    >>> plain_text(-12345.678), plain_text(1.5e-9)
    ('−12,346', '1.5·10⁻⁹')
    """
    return wording.significant(value, 5, missing="—")


def digits(value: float) -> Markup:
    return data(value, digits_text(value))


def lost(value: float) -> Markup:
    """Digits that single rows lose, to one decimal."""
    return data(value, wording.number(value, 1))


def share(value: float) -> Markup:
    return data(value, share_text(value))


def count(value: int) -> Markup:
    return Markup('<data value="{}">{:,}</data>').format(value, value)


def fit(value: float) -> Markup:
    return data(value, wording.r_squared(value))


def plain(value: float) -> Markup:
    return data(value, plain_text(value))


_FILTERS: dict[str, Callable[..., Markup]] = {
    "code": code,
    "count": count,
    "digits": digits,
    "fit": fit,
    "lost": lost,
    "plain": plain,
    "share": share,
}


def cell(value: Cell) -> Markup:
    """A table's cell as HTML; text is prose, unless it is HTML already.

    >>> str(cell(("`x`: ", Formatted("count", 1200))))
    '<code>x</code>: <data value="1200">1,200</data>'
    >>> str(cell(Badge("ok", "agree")))
    '<span class="badge ok">agree</span>'
    """
    if isinstance(value, tuple):
        return Markup("").join(cell(piece) for piece in value)
    if isinstance(value, Formatted):
        return _FILTERS[value.filter](value.value)
    if isinstance(value, Badge):
        return Markup('<span class="badge {}">{}</span>').format(value.kind, value.text)
    return value if isinstance(value, Markup) else prose(value)
