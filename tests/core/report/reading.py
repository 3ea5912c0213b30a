"""Reads a report as strictly as a machine can: every tag closed, every value kept."""

from __future__ import annotations

import base64
import json
import re
import xml.etree.ElementTree as ET

VOID = ("meta",)


class Page:
    """A report as an element tree; raises `ET.ParseError` if a tag is not closed."""

    def __init__(self, text: str) -> None:
        self.text = text
        body = text.removeprefix("<!DOCTYPE html>\n")
        body = re.sub(rf"<({'|'.join(VOID)})([^>]*)>", r"<\1\2/>", body)
        body = re.sub(r"<style>.*?</style>", "", body, flags=re.DOTALL)
        named = {"nbsp": "160"}
        body = re.sub(r"&(\w+);", lambda m: f"&#{named[m[1]]};" if m[1] in named else m[0], body)
        self.root = ET.fromstring(body)

    def section(self, key: str) -> ET.Element:
        return next(e for e in self.root.iter("section") if e.get("id") == key)

    def words(self, key: str) -> str:
        return words(self.section(key))

    def rows(self, key: str, number: int = 0) -> list[list[ET.Element]]:
        """The cells of a table's body."""
        table = list(self.section(key).iter("table"))[number]
        return [list(row) for row in next(table.iter("tbody"))]

    def json(self) -> dict:
        link = next(a for a in self.root.iter("a") if a.get("download"))
        return json.loads(base64.b64decode(link.get("href").partition("base64,")[2]))


def words(element: ET.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def value(cell: ET.Element) -> float:
    """The unrounded number of a cell."""
    return float(next(cell.iter("data")).get("value"))
