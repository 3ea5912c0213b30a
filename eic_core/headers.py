"""Headers of columns: `m [kg]` is the column m with a unit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_LONGEST_HEADER = 200  # characters, of one that may have a unit
_WITH_UNIT = re.compile(r"(.*?[^\s(\[])(?:\s+\((.+)\)|\s*\[([^\[\]]+)\])\Z", re.DOTALL)
_UNIT = re.compile(
    r"(?=.*[^\W\d_]|.*[%°′″])(?:[^\W_]|[°′″])(?:[^\W_]|[\s%°′″·⋅×*/^.()⁺⁻−–-])*|[%°′″]|[-−–]"
)
"""Letters, digits and the marks of units, with a letter or a mark that is a unit itself."""


def split_unit(header: str) -> tuple[str, str]:
    """A header's name and the unit in brackets behind it, "" if it has none.

    Round brackets need a space before them, and neither kind holds a whole number or a list: a
    function's argument, an index and a slice are no units.

    >>> [split_unit(text)[1] for text in ("m [kg]", "v (m/s)", "T[°C]", "c (J/(kg K))", "r [-]")]
    ['kg', 'm/s', '°C', 'J/(kg K)', '-']
    >>> [split_unit(text)[1] for text in ("f(x)", "x[0]", "x [1:]", "T/K", "KE", "[kg]", "x (2)")]
    ['', '', '', '', '', '', '']
    """
    match = _WITH_UNIT.match(header) if len(header) <= _LONGEST_HEADER else None
    unit = "" if match is None else (match[2] or match[3]).strip()
    return (match[1], unit) if match is not None and _UNIT.fullmatch(unit) else (header, "")


def names_without_units(headers: Sequence[str]) -> tuple[str, ...]:
    """The columns' names; a header in full where two names differ by nothing else.

    >>> names_without_units(["m [kg]", "v", "t [s]", "t [h]"])
    ('m', 'v', 't [s]', 't [h]')
    """
    bare = [split_unit(header)[0] for header in headers]
    occurrences = Counter([*bare, *(header for header in headers if header not in bare)])
    return tuple(
        name if occurrences[name] == 1 else header
        for name, header in zip(bare, headers, strict=True)
    )
