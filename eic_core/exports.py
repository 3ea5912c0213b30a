"""Values for other programs: JSON with "inf" and "nan" as strings, CSV that no spreadsheet
evaluates.

A cell that begins with ``= + - @`` (or their full-width forms, or the minus sign
U+2212) may run as a formula when a volunteer's remark is opened in a spreadsheet.
Such cells get an apostrophe in front (OWASP, "CSV Injection"), as do cells that
begin with an apostrophe, so that reading them back is exact.  For text only:
numbers are written as they are.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from operator import attrgetter
from types import NoneType
from typing import Any, ClassVar, Protocol

Key = str | tuple[str, Callable[[Any], Any]]
"""A key of a JSON form: an attribute's name; ``key=path.of.attributes``; or the key and a function
of the object."""


def json_number(value: float) -> float | str:
    """A float as JSON can carry it.

    >>> json_number(1.5), json_number(float("-inf"))
    (1.5, '-inf')
    """
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


class Plain:
    """What goes to other programs: a class says in `_JSON` which keys it has there, in order.

    A class whose objects are only ever a part of others needs the table alone.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Loss(Plain):
    ...     digits: float
    ...     rows: tuple[int, ...]
    ...     _JSON = ("digits", "at=rows", ("count", lambda loss: len(loss.rows)))
    >>> Loss(math.inf, (3, 4)).to_json()
    {'digits': 'inf', 'at': [3, 4], 'count': 2}
    """

    __slots__ = ()
    _JSON: ClassVar[tuple[Key, ...]] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values; numbers that JSON has not as "inf", "-inf" and "nan".

        Returns
        -------
        dict[str, Any]
        """
        return json_form(self, self._JSON)


class PlainAtLevel(Plain):
    """A statistic: null where there is no number, and intervals at a level of confidence.

    A method among the attributes is called with the level: that of the object if it has one, or
    of what holds it.  Numbers are written as they are, so that JSON refuses what is not finite.
    """

    __slots__ = ()

    def to_json(self, level: float = 0.95) -> dict[str, Any]:
        """Plain values; null where there is none, with the reason."""
        return json_form(self, self._JSON, getattr(self, "level", level))


def plain_value(value: Any, level: float | None = None) -> Any:
    """A value as JSON carries it; at a level, floats stay as they are.

    >>> plain_value({"low": math.nan, "nodes": (1, 2), "why": None})
    {'low': 'nan', 'nodes': [1, 2], 'why': None}
    """
    if isinstance(value, (str, int, NoneType)):
        return value
    if isinstance(value, float):
        return json_number(value) if level is None else value
    if type(value) in (tuple, list):
        return [plain_value(each, level) for each in value]
    if isinstance(value, PlainAtLevel) and level is not None:
        return value.to_json(level)
    if hasattr(value, "to_json"):
        return value.to_json()
    if hasattr(value, "_JSON"):
        return json_form(value, value._JSON, level)
    if isinstance(value, Mapping):
        return {key: plain_value(each, level) for key, each in value.items()}
    return plain_value(value(level), level) if callable(value) else value


def json_form(value: object, keys: tuple[Key, ...], level: float | None = None) -> dict[str, Any]:
    """The JSON form of an object whose class has no `_JSON`.

    - `value`: whose attributes the keys name.
    - `keys`: in the order that the form has.
    - `level`: of confidence, between 0 and 1, for a statistic (`PlainAtLevel`): its floats stay
      floats. Without one, floats that JSON has not become texts.

    >>> json_form(range(3), ("first=start", ("count", len)))
    {'first': 0, 'count': 3}
    """
    return {key: plain_value(get(value), level) for key, get in _getters(keys)}


def keys_within(path: str, keys: Iterable[Key]) -> tuple[Key, ...]:
    """The keys of a part, for a table of the whole.

    >>> [(name, get)] = keys_within("stop", ["bits=bit_length"])
    >>> name, get(range(8))()
    ('bits', 4)
    """
    part = attrgetter(path)

    def within(get: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda whole: get(part(whole))

    return tuple((name, within(get)) for name, get in _getters(tuple(keys)))


@lru_cache(maxsize=256)
def _getters(keys: tuple[Key, ...]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    return tuple(_getter(key) for key in keys)


def _getter(key: Key) -> tuple[str, Callable[[Any], Any]]:
    if not isinstance(key, str):
        return key
    name, _, path = key.partition("=")
    return name, attrgetter(path or name)


def json_text(value: Mapping[str, Any]) -> str:
    """A JSON document as a file: indented, in UTF-8, ended by a line feed.

    Raises `ValueError` if a number in it is not finite.

    >>> print(json_text({"text": "√x"}), end="")
    {
      "text": "√x"
    }
    """
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


class SupportsWrite(Protocol):
    """A file open for text."""

    def write(self, text: str, /) -> object:
        """Add to it."""


def csv_text(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV, a line each ended by a line feed; texts are made safe by the caller.

    >>> csv_text(["row", "formula"], [(1, "max(x, y)")])
    'row,formula\\n1,"max(x, y)"\\n'
    """
    out = io.StringIO()
    writer = csv_writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


class _LineFeeds:
    """Ends each line by a line feed alone."""

    def __init__(self, out: SupportsWrite) -> None:
        self._out = out

    def write(self, line: str) -> object:
        """One row, ended by both."""
        return self._out.write(line[:-2] + "\n")


def csv_writer(out: SupportsWrite) -> Any:
    """What `csv.writer` gives, with a line feed at the end of a row and each other break quoted.

    A carriage return that stands bare in a cell ends its row for a spreadsheet, and what comes
    after it begins one.

    >>> out = io.StringIO()
    >>> _ = csv_writer(out).writerow(["a", "b\\r=1"])
    >>> out.getvalue()
    'a,"b\\r=1"\\n'
    """
    return csv.writer(_LineFeeds(out), lineterminator="\r\n")


_DANGEROUS = frozenset("=+-@−＝＋－＠'")


def safe_cell(text: str) -> str:
    """Text as a cell that no spreadsheet evaluates; `raw_cell` undoes it.

    >>> safe_cell("=1+1"), safe_cell("the left one"), safe_cell("'quoted'")
    ("'=1+1", 'the left one', "''quoted'")
    """
    inner = text.lstrip()
    unsafe = inner[:1] in _DANGEROUS if inner else False
    return "'" + text if unsafe or text[:1] in ("\t", "\r", "\n") else text


def raw_cell(cell: str) -> str:
    """The text that `safe_cell` was given.

    >>> raw_cell("'=1+1"), raw_cell("the left one")
    ('=1+1', 'the left one')
    """
    return cell[1:] if cell[:1] == "'" else cell
