"""The own components of the workbench: the formula with its tree and table, the digits of a row."""

from __future__ import annotations

from pathlib import Path


def source(*names: str) -> str:
    """Files of this room, one after the other: a component's script or style sheet."""
    folder = Path(__file__).parent
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
