"""Sentences that are known to be false, and why: each is to be mended, and then struck off here.

A fault counts as known if its text holds all parts of an entry.  An entry that no longer meets a
fault in a full run is out of date.
"""

from __future__ import annotations

OPEN: tuple[tuple[tuple[str, ...], str], ...] = ()
"""Parts of a fault's text, and what is false."""


def is_open(fault: str) -> bool:
    """Whether a fault is one of `OPEN`."""
    return any(all(part in fault for part in parts) for parts, _ in OPEN)
