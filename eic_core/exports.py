"""Values for other programs: JSON without bare infinities, CSV that no spreadsheet evaluates."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import lru_cache
from operator import attrgetter
from types import NoneType
from typing import Any, ClassVar, Protocol

from eic_core.printable import printable_json

Key = str | tuple[str, Callable[[Any], Any]]
# A key of a JSON form: an attribute's name; ``key=path.of.attributes``; or the key and a function
# of the object.


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
    """Base of classes that go to other programs; `_JSON` lists the keys of its JSON form, in order.

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
        """Plain values; infinite and undefined numbers as "inf", "-inf" and "nan".

        Returns
        -------
        dict[str, Any]
            With the keys of `_JSON`, in that order.
        """
        return json_form(self, self._JSON)


class PlainAtLevel(Plain):
    """A statistic, null where it has no number, with intervals at a confidence level."""

    __slots__ = ()

    # methods in `_JSON` get the level, the object's own before its container's; floats stay floats,
    # so that JSON refuses what is not finite
    def to_json(self, level: float = 0.95) -> dict[str, Any]:
        return json_form(self, self._JSON, getattr(self, "level", level))


def plain_value(value: Any, level: float | None = None) -> Any:
    """A value as JSON carries it; at a confidence level, floats stay floats.

    >>> plain_value({"low": math.nan, "nodes": (1, 2), "why": None})
    {'low': 'nan', 'nodes': [1, 2], 'why': None}
    """
    if isinstance(value, Enum) and isinstance(value.value, str):  # who numbers one words it later
        return value.value
    if isinstance(value, (str, int, NoneType)):
        return value
    if isinstance(value, float):
        return json_number(value) if level is None else value
    if type(value) in (tuple, list):  # exactly: a named tuple has a JSON form of its own
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
    """The JSON form of an object whose class has no `_JSON`; `level` as for `PlainAtLevel`.

    >>> json_form(range(3), ("first=start", ("count", len)))
    {'first': 0, 'count': 3}
    """
    return {key: plain_value(get(value), level) for key, get in _getters(keys)}


def keys_within(path: str, keys: Iterable[Key]) -> tuple[Key, ...]:
    """The keys of a part, for the `_JSON` of the whole.

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


def json_text(value: Any, *, indent: int | None = 2) -> str:
    """A JSON file, ended by a line feed; ValueError for a number that is not finite.

    In one line, without an `indent`, it is ASCII: every terminal takes it.

    >>> print(json_text({"text": "√x"}), json_text({"text": "√x"}, indent=None), end="")
    {
      "text": "√x"
    }
     {"text": "\\u221ax"}
    """
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"
    return printable_json(text, ascii_alone=indent is None)


class SupportsWrite(Protocol):
    def write(self, text: str, /) -> object:
        """Add to the file."""


def csv_text(header: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV, with a line feed after each row; the caller makes texts safe.

    >>> csv_text(["row", "formula"], [(1, "max(x, y)")])
    'row,formula\\n1,"max(x, y)"\\n'
    """
    out = io.StringIO()
    writer = csv_writer(out)
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


class _LineFeeds:
    """A file whose lines end in a line feed alone."""

    def __init__(self, out: SupportsWrite) -> None:
        self._out = out

    def write(self, line: str) -> object:
        # \r\n makes csv quote a bare \r in a cell, where a spreadsheet would end the row
        return self._out.write(line[:-2] + "\n")


def csv_writer(out: SupportsWrite) -> Any:
    """A `csv.writer` that ends rows with a line feed and quotes every other line break.

    >>> out = io.StringIO()
    >>> _ = csv_writer(out).writerow(["a", "b\\r=1"])
    >>> out.getvalue()
    'a,"b\\r=1"\\n'
    """
    return csv.writer(_LineFeeds(out), lineterminator="\r\n")


# A cell that begins so may run as a formula in a spreadsheet (OWASP, "CSV Injection"): ASCII signs,
# U+2212 and the full-width forms. The apostrophe, because it marks what was made safe.
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
