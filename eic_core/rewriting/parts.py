"""The part of a large formula that is searched in its place: about the step that loses most."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from eic_core.rewriting.terms import Terms

MAX_NODES, PART_NODES = 120, 60
"""Larger formulas are searched in a part of at most so many nodes."""

MOST_PARTS = 3

SOME = 0.3
"""Digits that a step adds to the loss of its operands, at least, to be looked at."""


class SearchedPart(NamedTuple):
    root: int  # A term; the whole formula or what stands below a step of it
    places: frozenset[int] | None  # The terms that may be rewritten; None for all


def parts_of(terms: Terms, root: int, lost: Callable[[int], float]) -> list[SearchedPart]:
    """The whole of a formula that is small enough, else its parts, the one that loses most first.
    `lost` tells how many digits a program has lost at a term.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> root = terms.add(read("sin(" + "+".join(["x"]*99) + ") + (1 - cos(y))").formula)
    >>> loss = {"1 - cos(y)": 9.0}
    >>> text = lambda number: str(to_python(terms.formula(number)))
    >>> from eic_core.formula.rendering import to_python
    >>> [text(part.root) for part in parts_of(terms, root, lambda n: loss.get(text(n), 0.0))]
    ['1 - cos(y)']
    """
    if terms.size(root) <= MAX_NODES:
        return [SearchedPart(root, None)]
    below = terms.subterms(root)
    loss = {number: lost(number) for number in below}
    added = {
        number: loss[number] - max((loss[c] for c in terms[number].children), default=0.0)
        for number in below
        if terms[number].children
    }
    ranked = sorted(added, key=lambda number: (-round(added[number], 3), -terms.size(number)))
    parts: list[SearchedPart] = []
    for step in ranked:
        if len(parts) == MOST_PARTS or (parts and added[step] < SOME):
            break
        if any(step in _inside(terms, part) for part in parts):
            continue
        parts.append(_around(terms, root, step))
    return parts


def _around(terms: Terms, root: int, step: int) -> SearchedPart:
    """The largest part that holds a step, or of what is larger the steps next below it."""
    if terms.size(step) > PART_NODES:
        return SearchedPart(step, frozenset(_nearest(terms, step)))
    while step != root:
        above = [n for n in terms.subterms(root) if step in terms[n].children]
        least = min(above, key=lambda n: (terms.size(n), n))
        if terms.size(least) > PART_NODES:
            break
        step = least
    return SearchedPart(step, None)


def _nearest(terms: Terms, step: int) -> list[int]:
    """A step and those below it, level by level."""
    found, level = [step], [step]
    while level:
        children = [c for number in level for c in terms[number].children]
        level = [c for c in dict.fromkeys(children) if c not in found]
        found += level[: PART_NODES - len(found)]
        if len(found) == PART_NODES:
            break
    return found


def _inside(terms: Terms, part: SearchedPart) -> frozenset[int]:
    return part.places or frozenset(terms.subterms(part.root))
