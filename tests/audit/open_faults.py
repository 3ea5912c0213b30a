"""Sentences that are known to be false, and why: each is to be mended, and then struck off here.

A fault counts as known if its text holds all parts of an entry.
"""

from __future__ import annotations

OPEN: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("[verdict.every]", "cancel exactly, or the two terms cancel in more than"),
        "a difference below 60 digits is told as 0",
    ),
    (
        ("[fault.function_zero]", "(1-cos(x))/sin(x)"),
        "a zero of 60 digits is told as one of the function",
    ),
    (("[fault.writing_zero]", "(1-cos(x))/sin(x)"), "the other side of the same"),
    (("[instead.", "a part of the", "rows is measured"), "of how many rows is not said"),
    (
        ("atan2", "rows at which a program gets no value"),
        "a program rounds to a negative 0, and takes the other side of the cut",
    ),
    (("atan2", "[level.", "rows have no value in double precision"), "the same"),
)  # fmt: skip
"""Parts of a fault's text, and what is false."""


MET: set[tuple[str, ...]] = set()
"""Entries that a fault of this run was one of."""


def is_open(fault: str) -> bool:
    """Whether a fault is one of `OPEN`."""
    found = [parts for parts, _ in OPEN if all(part in fault for part in parts)]
    MET.update(found)
    return bool(found)
