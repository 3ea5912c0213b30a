"""Words in LaTeX that are no names: ``\\text{for } x > 0`` behind a formula says where it holds,
``\\,\\text{kg}`` is the unit of its value, ``\\quad (5)`` its number.
"""

from __future__ import annotations

import re

from eic_core.formula.syntax.latex_scripts import FONTS, OTHERWISE, SAID_OF_CASES

_BLANK = r"(?:\\[,;:! ]|[~\s])"
_WORD = re.compile(rf"(?:{_BLANK}|[.,;:])*+([^\W\d_]++)(?![0-9_])")
_AND_MORE = re.compile(
    rf"(?:{_BLANK}+(?:all|any|every|that|and{_BLANK}only{_BLANK}if))?+{_BLANK}*+"
)
CONDITIONAL = SAID_OF_CASES.union(
    "whenever wherever with provided given assuming such falls wobei mit sofern avec où".split()
) - {""}
"""What a condition or a definition behind a formula begins with."""
BARE = frozenset("if for when where otherwise".split())
"""Words of conditions that are read as such without a font."""
_COMPARES = re.compile(r"[<>=≤≥≠]|\\(?:[lg]eq?|[lg]t|neq?|[lg]eqslant)(?![A-Za-z])")


def said_by(inner: str) -> tuple[str, int]:
    """The word of conditions that a text begins with, or "", and where the condition in the text
    begins: at the text's length where it holds none.

    >>> said_by("if "), said_by(", for all $x>0$"), said_by("otherwise."), said_by("speed")
    (('if', 3), ('for', 10), ('otherwise', 10), ('', 5))
    >>> said_by("where x is a mass")
    ('where', 6)
    """
    match = _WORD.match(inner)
    word = match[1].lower() if match is not None else ""
    if match is None or word not in CONDITIONAL | OTHERWISE:
        return "", len(inner)
    more = _AND_MORE.match(inner, match.end())
    place = more.end() if more is not None else match.end()
    rest = inner[place:].strip(" .,;:~")
    return word, place if rest else len(inner)


def is_condition(inner: str, place: int) -> bool:
    """Whether what stands in a text from `place` on is nothing or compares."""
    return place >= len(inner) or _COMPARES.search(inner, place) is not None


_UNIT = (
    r"(?:(?:[kMGmcnuµμ]|\\mu\s?)?(?:m|g|s|A|K|mol|Hz|N|Pa|J|W|C|V|F|T|H|eV|bar|L|l)"
    r"|kg|min|h|rad|sr|deg|lm|lx|Bq|Gy|Wb|cd|km|ft|lb|mi|psi|atm|cal|kcal|dB|ppm|years?|days?)"
)
_POWER = r"(?:\s?\^\s?(?:\{\s?-?[0-9]\s?\}|[0-9]))?+"
_JOINT = rf"(?:{_BLANK}|/|\\cdot(?![A-Za-z])|·)*+"
_UNITS = rf"{_UNIT}(?![^\W\d_]){_POWER}(?:{_JOINT}{_UNIT}(?![^\W\d_]){_POWER})*+"
_IN_FONT = (
    rf"\\(?:text|mathrm|textrm|textnormal|mbox|mathsf)\s?\{{{_BLANK}*+{_UNITS}{_BLANK}*+\}}{_POWER}"
)
_FRACTION = rf"\\[dt]?frac\s?\{{(?:{_IN_FONT}{_JOINT})++\}}\s?\{{(?:{_IN_FONT}{_JOINT})++\}}"
_SEVERAL = rf"(?:(?:{_IN_FONT}|{_FRACTION}){_JOINT})++"
UNITS = re.compile(rf"{_SEVERAL}|\[\s?{_SEVERAL}\]|\(\s?{_SEVERAL}\)")
"""A product or a quotient of units, each in an upright font, or those in brackets."""
EACH_UNIT = re.compile(r"\\(?:text|mathrm|textrm|textnormal|mbox|mathsf)\s?\{([^{}]{0,40})")
UPRIGHT = re.compile(r"\s*+\{\s*+\\(?:text|mathrm|textrm|textnormal|mbox|mathsf)(?![A-Za-z])")
LETTERS = re.compile(r"(?<![\w\\])[^\W\d_]+")
ONE_UNIT = re.compile(rf"{_BLANK}*+({_UNIT}){_BLANK}*+\Z")
SOME_UNITS = re.compile(rf"{_BLANK}*+{_UNITS}{_BLANK}*+\Z")
SPACED = re.compile(r"(?:\\[,;: ]|~|\\q?quad|\\thinspace|\\enspace)\s*+\Z")
"""What separates a number from its unit."""

_NUMBER = re.compile(
    r"(?:\\(?:text|mathrm)\s?\{)?+[(\[]\s?(?:[Ee]q(?:n|uation)?\.?[~\s]?)?"
    r"[A-Z]?\.?[0-9]{1,4}(?:[.–-][0-9]{1,3}){0,3}[a-z]?['′*]?\s?[)\]]\}?\Z"
)
_WIDE = re.compile(
    r"(?:\\q?quad|\\hfill|\\hspace\*?\s?\{[^{}]{0,20}\}|\\l?eqno|(?:\\[ ,;:]|~){2,20})\s*+\Z"
)
_LONGEST_NUMBER = 40
_LONGEST_BLANK = 60
_WAITS = re.compile(r"(?:[-+*/^_=(\[{&·×−]|\\(?:cdot|times|div|left|over|ast))\s*+\Z")


def before_equation_number(text: str, start: int, end: int) -> int:
    """Where a formula ends that an equation's number follows, `end` if none does.

    >>> [before_equation_number(t, 0, len(t)) for t in (r"x \\quad (5)", r"x (5)", r"+ \\quad (5)")]
    [2, 5, 11]
    """
    last = text[end - 1 : end]
    if last not in (")", "]", "}"):
        return end
    low = max(start, end - _LONGEST_NUMBER)
    opened = max(text.rfind("(", low, end), text.rfind("[", low, end))
    if opened < 0:
        return end
    if last == "}":
        opened = max(text.rfind("\\text", low, opened), text.rfind("\\mathrm", low, opened), low)
    if _NUMBER.fullmatch(text, opened, end) is None:
        return end
    wide = _WIDE.search(text, max(start, opened - _LONGEST_BLANK), opened)
    if wide is None:
        return end
    before = text[max(start, wide.start() - _LONGEST_BLANK) : wide.start()]
    return end if _WAITS.search(before) or not before.strip("\\ ~$") else wide.start()


TEXTS = FONTS - {"operatorname", "operatorname*", "mathcal", "boldsymbol", "bm", "mathbb"}
"""Fonts that words are set in."""
