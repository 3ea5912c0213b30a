"""Sentences that are known to be false, and why: each is to be mended, and then struck off here.

A fault counts as known if its text holds all parts of an entry.
"""

from __future__ import annotations

OPEN: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("[why.", "All ", "their share is"),
        "up to 1 % of the noise is not named, so that it is not all",
    ),
    (
        ("[why.amplified", "is multiplied 10^"),
        "how many times is a root mean square, at which step most is another average",
    ),
    (("[why.amplified", "times only 10^"), "copies amplified in two steps are told with one"),
    (
        ("[verdict.every]", "cancel exactly, or the two terms cancel in more than"),
        "a difference below 60 digits is told as 0",
    ),
    (("[fault.function_zero]", "it is 0"), "a zero of 60 digits is told as one of the function"),
    (("[fault.writing_zero]", "(1-cos(x))/sin(x)"), "the other side of the same"),
    (("[note.crossing", "nan"), "a node that keeps no digit at any row loses more than none"),
    (("[instead.", "a part of the", "rows is measured"), "of how many rows is not said"),
    (
        ("[verdict.range]", "of them beyond 10^(10^6)"),
        "rows beyond 10^(-10^6), and waves of what is beyond every range, are not counted",
    ),
    (("[fault.", "sensitivities squared"), "inputs that matter as much as the one named are not"),
    (("[where.", "is nearly zero", "at the median of these rows"), "at most of them it is not"),
    (("[where.", "in double precision)"), "what is shown is the value at 60 digits"),
    (("[verdict.undefined_most]", "samples fail there"), "half of them is not most"),
    (("[verdict.undefined", "leaves every range", "the node is a"), "a wave has a value there"),
    (
        ("rows at which a program gets no value",),
        "inf and nan made by rounding alone, in no count of rows without a value",
    ),
    (("[level.", "rows have no value in double precision"), "the same"),
)  # fmt: skip
"""Parts of a fault's text, and what is false."""


MET: set[tuple[str, ...]] = set()
"""Entries that a fault of this run was one of."""


def is_open(fault: str) -> bool:
    """Whether a fault is one of `OPEN`."""
    found = [parts for parts, _ in OPEN if all(part in fault for part in parts)]
    MET.update(found)
    return bool(found)
