"""Texts for readers: made last, from facts, and never read back by the program.

A package's `phrases` alone holds English. It gives a `Phrase`, which can be shown and put into
another phrase, but not searched, cut or compared with a string.
"""

from __future__ import annotations

import gettext
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import final

DOMAIN = "eic-lab"
"""The name of a language's file: ``locale/<language>/LC_MESSAGES/eic-lab.mo``."""

LOCALE = Path(__file__).parent / "locale"

LANGUAGE = "EIC_LAB_LANGUAGE"
"""The environment variable that chooses a language; without a file for it texts are English."""


@final
class Phrase:
    """A text for a reader.

    >>> said = say("{what} overflows", what="`exp(x)`")
    >>> print(said, repr(said))
    `exp(x)` overflows Phrase('`exp(x)` overflows')
    >>> "exp" in said
    Traceback (most recent call last):
    TypeError: argument of type 'Phrase' is not iterable
    """

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Phrase({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Phrase) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def to_json(self) -> str:
        return self._text


Field = Phrase | str | int
"""What a template's named field may hold; a whole number is written with commas."""


@lru_cache(maxsize=8)
def catalogue(language: str) -> gettext.NullTranslations:
    """The texts of a language; English if there is no file for it."""
    return gettext.translation(DOMAIN, LOCALE, [language] if language else [], fallback=True)


def _texts() -> gettext.NullTranslations:
    return catalogue(os.environ.get(LANGUAGE, ""))


def say(template: str, /, **fields: Field) -> Phrase:
    """A template of this language, its named fields filled.

    >>> print(say("{rows} rows at {place}", rows=12345, place="`x`"))
    12,345 rows at `x`
    """
    return Phrase(_texts().gettext(template).format(**_written(fields)))


def say_count(one: str, many: str, count: int, /, **fields: Field) -> Phrase:
    """The same in the plural form that `count` asks for; ``{count}`` is the count.

    >>> print(*[say_count("{count} row", "{count} rows", n) for n in (1, 2000)], sep=", ")
    1 row, 2,000 rows
    """
    template = _texts().ngettext(one, many, count)
    return Phrase(template.format(**_written({"count": count, **fields})))


def _written(fields: dict[str, Field]) -> dict[str, str]:
    return {
        name: f"{value:,}" if isinstance(value, int) else str(value)
        for name, value in fields.items()
    }


def listed(parts: Iterable[Phrase | str]) -> Phrase:
    """Parts of a sentence, the last after "and".

    >>> print(listed(["a"]), listed(["a", "b", "c"]), sep="; ")
    a; a, b and c
    """
    *first, last = [str(part) for part in parts]
    if not first:
        return Phrase(last)
    return say("{first} and {last}", first=", ".join(first), last=last)


def one_after_another(sentences: Iterable[Phrase]) -> Phrase:
    """Whole sentences as a paragraph.

    >>> print(one_after_another([say("One."), say("Two.")]))
    One. Two.
    """
    return Phrase(" ".join(map(str, sentences)))
