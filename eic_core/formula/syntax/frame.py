"""What stands around a formula in a text: ``y =`` before it, values of parameters behind it."""

from __future__ import annotations

import re

_HEAD = re.compile(
    r"(?:\s|\$|&|\\\[|\\\(|\\displaystyle|\\begin\s*+\{[a-z]++\*?+\})*"
    r"(?P<name>\\?[^\W\d](?:[^\W_]++|_(?!\{))*+|\\(?:hat|bar|tilde)\s*+\{?+\s*+\\?+[A-Za-z]++\s*+\}?+)"
    r"(?:[_^]\{[\w\\*+]{1,40}+\})?+"
    r"\s*+(?:(?:\\left)?\(\s*+[^()+*/=]{0,2000}+\))?+\s*+&?+\s*+"
    r"(?::=|=(?!=)|~|\\sim\b|\\approx\b|≈)\s*+&?+"
)
_EQUALS = ("=", "~", "≈", "\\sim", "\\approx")
_THETA = re.compile(r"\|\s*+theta\s*+=\s*+(.*+)", re.DOTALL)


def left_hand_side(text: str, start: int, end: int) -> tuple[str, int] | None:
    """The name before the first equals sign and where its right-hand side begins, if it is one.

    Examples
    --------
    >>> left_hand_side(r"\\hat{y} = 2", 0, 11), left_hand_side("f(x, y) := x", 0, 12)
    (('\\\\hat{y}', 10), ('f', 11))
    >>> left_hand_side("x == 2", 0, 6) is None
    True
    """
    if not any(mark in text for mark in _EQUALS):
        return None
    head = _HEAD.match(text, start, end)
    return (head["name"].strip(), head.end()) if head else None


def parameters_behind(text: str) -> tuple[int, int, dict[str, str]] | None:
    """Where ``|theta=v0;v1`` at the end of a text begins, where the formula ends, and the values.

    Examples
    --------
    >>> parameters_behind("t0*x|front:3|theta=1.5;2")
    (12, 4, {'t0': '1.5', 't1': '2'})
    """
    place = text.rfind("|")
    found = _THETA.match(text, place) if place >= 0 else None
    if found is None:
        return None
    front = text.rfind("|front", 0, place)
    values = {f"t{i}": value for i, value in enumerate(found[1].split(";")) if value.strip()}
    return place, front if front >= 0 else place, values
