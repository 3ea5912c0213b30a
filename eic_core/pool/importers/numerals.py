"""Numbers as lists write them: 0.98, 98 %, 1,234.5 and, where nothing else can be meant, 0,98."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from eic_core import wording
from eic_core.measure.table import COMMA_DECIMAL, GROUPED_THOUSANDS, with_point
from eic_core.pool.importers.listed import read_number, score_name

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-", "--", "—", "–", "."})
_BOTH_MARKS = re.compile(r"[-+]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*+(?:[eE][-+]?[0-9]++)?+")
_MOST_TOLD = 5


@dataclass(frozen=True)
class Numerals:
    """How the numbers of a list are written.

    >>> [Numerals("decimal").read(cell) for cell in ("0,98", "98 %", "1.234,5", "1,234.5", "x")]
    [0.98, 0.98, 1234.5, 1234.5, None]
    """

    # "", "decimal" or "grouping": what a comma alone is; "" where that is not known
    commas: str = ""

    def read(self, cell: str) -> float | None:
        text = cell.strip()
        if text.endswith("%"):
            return self._share(text[:-1].strip())
        if "," in text:
            text = self._without_commas(text)
        return read_number(text)

    def _share(self, text: str) -> float | None:
        try:
            return float(Decimal(self._without_commas(text)) / 100)
        except InvalidOperation:
            return None

    def _without_commas(self, text: str) -> str:
        if _BOTH_MARKS.fullmatch(text):
            return text.replace(",", "")
        if self.commas == "decimal" and COMMA_DECIMAL.match(text):
            return with_point(text)
        if self.commas == "grouping" and GROUPED_THOUSANDS.match(text):
            return text.replace(",", "")
        return text


def numerals_of(cells: Iterable[str], *, apart: bool = False) -> tuple[Numerals, tuple[str, ...]]:
    """How the numbers in cells are written, and a note; with `apart`, semicolons separate the
    cells.

    >>> numerals_of(["3", "0,98", "1,234"])
    (Numerals(commas='decimal'), ('A comma is read as the decimal mark, as in `0,98`.',))
    >>> numerals_of(["1,234"])[1]
    ('`1,234` is not read: it may be a decimal or a thousand. Write decimals with a point.',)
    """
    comma, plain, both, pointed, share = "", "", "", False, ""
    for cell in cells:
        text = cell.strip()
        if text.endswith("%"):
            text = text[:-1].rstrip()
            share = share or (cell.strip() if "," not in text and read_number(text) else "")
        if "," not in text:
            pointed = pointed or ("." in text and read_number(text) is not None)
        elif _BOTH_MARKS.fullmatch(text):
            both = both or text
        elif COMMA_DECIMAL.match(text):
            comma = comma or text
            plain = plain or ("" if GROUPED_THOUSANDS.match(text) else text)
    notes = []
    if share:
        notes.append(f"`{share}` is read as {Numerals().read(share):g}.")
    if both:
        notes.append(f"A comma is read as grouping thousands, as in `{both[:40]}`.")
    if not comma:
        return Numerals(), tuple(notes)
    shown = (plain or comma)[:40]
    if both and not plain:
        return Numerals("grouping"), tuple(notes)
    if both or pointed:
        why = "others write a point. Write decimals one way."
        return Numerals(), (*notes, f"Numbers such as `{shown}` are not read: {why}")
    if not plain and not apart:
        why = "it may be a decimal or a thousand. Write decimals with a point."
        return Numerals(), (*notes, f"`{shown}` is not read: {why}")
    notes.append(f"A comma is read as the decimal mark, as in `{shown}`.")
    return Numerals("decimal"), tuple(notes)


def stored_numbers(
    cells: Iterable[tuple[str, str]], numerals: Numerals = Numerals()
) -> dict[str, float]:
    """The scores among (name, cell) pairs, under one spelling each.

    >>> stored_numbers([("Complexity", "5"), ("MSE", "1e-3"), ("R2 test", "0.9"), ("note", "1")])
    {'complexity': 5.0, 'loss': 0.001, 'r2_test': 0.9}
    """
    found: dict[str, float] = {}
    for name, cell in cells:
        key = score_name(name)
        if key and key not in found and (value := numerals.read(cell)) is not None:
            found[key] = value
    return found


def unread_notes(unread: Iterable[tuple[int, str, str]]) -> tuple[str, ...]:
    """Notes on cells that should hold a number and do not.

    >>> unread_notes([(3, "r2", "high"), (4, "r2", "n/a")])
    ('No number, and left out: `high` in row 3, column `r2`.',)
    """
    told = [
        f"`{wording.shorten(cell.strip(), 40)}` in row {row}, column `{column}`"
        for row, column, cell in unread
        if cell.strip().lower() not in _MISSING
    ]
    if not told:
        return ()
    return (f"No number, and left out: {wording.join(told, limit=_MOST_TOLD)}.",)
