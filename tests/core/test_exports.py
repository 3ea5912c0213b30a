"""Values for other programs: tables of keys, levels, CSV."""

from __future__ import annotations

import csv
import inspect
import io
import json
import math
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module

import pytest

import eic_core
import study
from eic_core.exports import Plain, PlainAtLevel, csv_text, json_text, keys_within, safe_cell


@dataclass(frozen=True)
class Part(PlainAtLevel):
    value: float

    _JSON = ("value", "interval")

    def interval(self, level: float) -> tuple[float, ...]:
        return (self.value - level, self.value + level)


@dataclass(frozen=True)
class Whole(PlainAtLevel):
    parts: tuple[Part, ...]
    best: Part | None
    level: float

    _JSON = ("level", "parts", "best")


def tables() -> Iterator[type]:
    """The classes of the project that name keys."""
    for house in (eic_core, study):
        for found in pkgutil.walk_packages(house.__path__, f"{house.__name__}."):
            if ".native." in found.name or found.name.endswith(("__main__", "make_pool")):
                continue
            for kind in vars(import_module(found.name)).values():
                if (
                    inspect.isclass(kind)
                    and kind.__module__ == found.name
                    and "_JSON" in vars(kind)
                ):
                    yield kind


def test_every_key_of_every_table_is_an_attribute_of_its_class() -> None:
    found = {kind for kind in tables() if kind not in (Plain, PlainAtLevel)}
    assert len(found) > 50
    for kind in found:
        known = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
        keys = [key for key in kind._JSON if isinstance(key, str)]
        names = {(key.partition("=")[2] or key).partition(".")[0] for key in keys}
        assert names <= known, f"{kind.__name__}: {names - known}"


def test_an_interval_is_at_the_level_of_the_result_that_holds_it() -> None:
    whole = Whole((Part(0.5),), None, 0.25)
    expected = {"level": 0.25, "parts": [{"value": 0.5, "interval": [0.25, 0.75]}], "best": None}
    assert whole.to_json() == whole.to_json(0.95) == expected
    assert Part(0.5).to_json(0.125) == {"value": 0.5, "interval": [0.375, 0.625]}


def test_a_statistic_that_is_not_finite_is_refused_and_not_written_as_text() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text(Part(math.nan).to_json())


def test_the_keys_of_a_part_stand_among_those_of_the_whole_and_give_way_to_later_ones() -> None:
    @dataclass(frozen=True)
    class Outer(PlainAtLevel):
        part: Part
        level: float = 0.5
        _JSON = ("level", *keys_within("part", Part._JSON), ("value", lambda outer: "mine"))

    assert [*Outer(Part(1.0)).to_json().items()] == [
        ("level", 0.5),
        ("value", "mine"),
        ("interval", [0.5, 1.5]),
    ]


def test_a_table_as_text_reads_back_and_ends_its_lines_by_line_feeds() -> None:
    rows = [["1", "a,b"], ["2", 'say "so"'], ["3", "two\nlines"]]
    text = csv_text(["row", "text"], rows)
    assert "\r" not in text and text.endswith("\n")
    assert [*csv.reader(io.StringIO(text, newline=""))] == [["row", "text"], *rows]


def test_a_document_is_indented_and_keeps_its_signs() -> None:
    text = json_text({"formula": "√x", "at": [1, 2]})
    assert "√x" in text and text.endswith("}\n")
    assert json.loads(text) == {"formula": "√x", "at": [1, 2]}


@pytest.mark.parametrize("text", ["\r=1+1", "a\r=1+1", "a\n=1", "a\r\n=1", "\r"])
def test_no_cell_begins_a_row_of_its_own(text: str) -> None:
    """A spreadsheet ends a row at a bare carriage return: `=1+1` after it would be a formula."""
    made = csv_text(["name", "text"], [(1, safe_cell(text))])
    rows = list(csv.reader(io.StringIO(made, newline="")))
    assert rows == [["name", "text"], ["1", safe_cell(text)]]
    assert f'"{safe_cell(text)}"' in made
    assert made.endswith("\n") and not made.endswith("\r\n")
