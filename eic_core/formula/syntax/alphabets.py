"""Letters in another form: mathematical alphabets, and look-alikes of Latin letters. Word and PDF
write ``𝑚𝑐²`` and ``𝜋``; they are read as ``mc²`` and ``π``, one letter for one, so every place
stays the place in the user's text. Cyrillic ``х`` is another letter than Latin ``x``.
"""

from __future__ import annotations

import re
import unicodedata

from eic_core.formula.syntax.names import Names
from eic_core.formula.syntax.reading import Report

_OUTSIDE_THE_BLOCK = "ℂℊℋℌℍℎℐℑℒℕℙℚℛℜℝℤℨℬℭℯℰℱℳℴⅅⅆⅇⅈⅉ"
"""Letters that were encoded before the block of mathematical alphabets, which has gaps there."""
_STYLED = re.compile(f"[{_OUTSIDE_THE_BLOCK}\U0001d400-\U0001d7ff]")
LOOK_ALIKES = str.maketrans(
    "асеорхуіјѕԁԛԝһАВСЕНІЈКМОРЅТХҮοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aceopxyijsdqwhABCEHIJKMOPSTXYoABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that no eye tells from Latin ones."""
_LETTERS = re.compile(r"[^\W\d_]")


def in_plain_letters(text: str) -> str:
    """The text with mathematical alphabets as plain letters and digits; its length stays.

    >>> in_plain_letters("2𝜋𝑟 + 𝟑ℎ"), in_plain_letters("ℯ^𝐱"), in_plain_letters("ℏω")
    ('2πr + 3h', 'e^x', 'ℏω')
    """
    if text.isascii():
        return text
    return _STYLED.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def note_look_alikes(report: Report, names: Names) -> None:
    """Say which names are written with letters that look like Latin ones, and offer these."""
    text = report.text
    found = [
        name
        for name, (is_constant, _) in names.met.items()
        if not name.isascii()
        and not is_constant
        and not names.is_known(name)
        and _in_latin(name).isascii()
    ]
    if not found:
        return
    name = found[0]
    start = max(text.find(name), 0)
    report.note(
        f"`{name[:40]}` is written with letters that only look like those of"
        f" `{_in_latin(name)[:40]}`: it is a variable of its own",
        (start, start + len(name)),
    )
    report.alternative("the same in Latin letters", lambda: text.translate(LOOK_ALIKES))


def _in_latin(name: str) -> str:
    """A name with its look-alikes as Latin letters.

    >>> _in_latin("х1"), _in_latin("скорость").isascii()
    ('x1', False)
    """
    return name.translate(LOOK_ALIKES)
