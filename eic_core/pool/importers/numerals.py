"""Numbers as lists write them: 0.98, 98 %, 1,234.5 and, where nothing else can be meant, 0,98."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from eic_core import wording
from eic_core.measure.table import COMMA_DECIMAL, GROUPED_THOUSANDS, with_point
from eic_core.pool.importers.listed import read_number, score_name

_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-", "--", "—", "–", "."})
_BOTH_MARKS = re.compile(r"[-+]?[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]*+(?:[eE][-+]?[0-9]++)?+")
_MOST_LISTED = 5


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
        text = self._without_commas(text)
        number = read_number(text)
        if number is None or math.isinf(number):
            return None
        return float(Decimal(text) / 100) if number else number  # 0 may have any exponent

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
            share = share or (cell.strip() if "," not in text and Numerals().read(cell) else "")
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


def stored_scores(
    table: Sequence[Sequence[tuple[str, str]]], *, apart: bool = False
) -> tuple[list[dict[str, float]], tuple[str, ...]]:
    """The scores among each row's (name, cell) pairs, under one spelling each, and notes on how
    they were read and which cells hold no number.

    >>> stored_scores([[("Complexity", "5"), ("MSE", "1e-3"), ("note", "1")], [("r2", "high")]])
    ([{'complexity': 5.0, 'loss': 0.001}, {}], ('No number, and left out: `high` in row 2, column `r2`.',))
    """  # noqa: E501
    numerals, notes = numerals_of((cell for pairs in table for _, cell in pairs), apart=apart)
    scores, unread = [], list[str]()
    for row, pairs in enumerate(table, start=1):
        stored: dict[str, float] = {}
        for name, cell in pairs:
            value = numerals.read(cell)
            if value is not None:
                stored.setdefault(score_name(name), value)
            elif cell.strip().lower() not in _MISSING:
                shown = wording.shorten(cell.strip(), 40)
                unread.append(f"`{shown}` in row {row}, column `{name}`")
        stored.pop("", None)
        scores.append(stored)
    if unread:
        listed = wording.join(unread, limit=_MOST_LISTED)
        notes = (*notes, f"No number, and left out: {listed}.")
    return scores, notes
