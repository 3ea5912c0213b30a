"""The outputs of a notebook's cells (nbformat 4): tables in HTML or as text and prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eic_core.pool.importers.shapes import json_of
from eic_core.pool.importers.source import PastedList


def outputs_of(source: PastedList) -> list[PastedList] | None:
    """What the cells of a notebook gave out, in order; None for any other text."""
    if '"cells"' not in source.text:
        return None
    content = json_of(source)
    if not isinstance(content, dict) or not isinstance(content.get("cells"), list):
        return None
    texts = [text for cell in content["cells"] for text in _texts(cell)]
    return [PastedList(source.name, text) for text in texts if text.strip()]


def _texts(cell: Any) -> Iterator[str]:
    """A table in HTML stands for the same as text, which pandas may have cut shorter."""
    outputs = cell.get("outputs") if isinstance(cell, dict) else None
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        data = output.get("data")
        forms: Mapping[str, Any] = data if isinstance(data, dict) else {}
        markup = _joined(forms.get("text/html"))
        yield markup if "<table" in markup else _joined(forms.get("text/plain", output.get("text")))


def _joined(lines: Any) -> str:
    """Text of a notebook, which is a string or a list of lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
