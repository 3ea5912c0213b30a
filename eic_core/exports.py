"""Values for other programs: JSON with "inf" and "nan" as strings, CSV that no spreadsheet
evaluates.

A cell that begins with ``= + - @`` (or their full-width forms, or the minus sign
U+2212) may run as a formula when a volunteer's remark is opened in a spreadsheet.
Such cells get an apostrophe in front (OWASP, "CSV Injection"), as do cells that
begin with an apostrophe, so that reading them back is exact.  For text only:
numbers are written as they are.
"""

from __future__ import annotations

import math


def json_number(value: float) -> float | str:
    """A float as JSON can carry it.

    Examples
    --------
    >>> json_number(1.5), json_number(float("-inf"))
    (1.5, '-inf')
    """
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


_DANGEROUS = frozenset("=+-@−＝＋－＠'")


def safe_cell(text: str) -> str:
    """Text as a cell that no spreadsheet evaluates; `raw_cell` undoes it.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell("the left one"), safe_cell("'quoted'")
    ("'=1+1", 'the left one', "''quoted'")
    """
    inner = text.lstrip()
    unsafe = inner[:1] in _DANGEROUS if inner else False
    return "'" + text if unsafe or text[:1] in ("\t", "\r", "\n") else text


def raw_cell(cell: str) -> str:
    """The text that `safe_cell` was given.

    Examples
    --------
    >>> raw_cell("'=1+1"), raw_cell("the left one")
    ('=1+1', 'the left one')
    """
    return cell[1:] if cell[:1] == "'" else cell
