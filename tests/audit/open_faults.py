"""Findings that are known to be false, and why: each is to be mended, and then struck off here.

A fault counts as known if its text holds all parts of an entry.
"""

from __future__ import annotations

OPEN: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("where(x == 1, 2, ", "Accumulated(", "most=0.0)"),
        "a loss measured beside a guard of one value gets no step",
    ),
)
"""Parts of a fault's text, and what is false."""


MET: set[tuple[str, ...]] = set()
"""Entries that a fault of this run was one of."""


def is_open(fault: str) -> bool:
    """Whether a fault is one of `OPEN`."""
    found = [parts for parts, _ in OPEN if all(part in fault for part in parts)]
    MET.update(found)
    return bool(found)
