"""Forms that choose: a list of cases, each a condition and an option, as a term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eic_core.formula.tree import CONSTANT
from eic_core.rewriting.regimes.option import Option
from eic_core.rewriting.terms import Terms

Mask = npt.NDArray[np.bool_]


class Case(NamedTuple):
    condition: int | None  # A truth term; None of the last, which holds everywhere else
    option: Option


OPPOSITE = {
    "less_than": "greater_equal",
    "less_equal": "greater_than",
    "greater_than": "less_equal",
    "greater_equal": "less_than",
    "equal_to": "not_equal",
    "not_equal": "equal_to",
}

IMPLIED = {
    "less_than": ("less_equal", "not_equal"),
    "greater_than": ("greater_equal", "not_equal"),
    "equal_to": ("less_equal", "greater_equal"),
}
"""Of the same two operands."""


def both(terms: Terms, first: int | None, second: int) -> int:
    """A truth term that holds where two do, without the comparisons that others imply.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x = terms.add(read("x").formula)
    >>> wide, narrow = (compared(terms, "less_than", x, text) for text in ("2", "1"))
    >>> both(terms, wide, narrow) == both(terms, narrow, wide) == narrow
    True
    """
    every = [*([] if first is None else parts(terms, first)), *parts(terms, second)]
    needed: list[int] = []
    for place, part in enumerate(every):
        others = frozenset([*needed, *every[place + 1 :]])
        if not follows(terms, part, others):
            needed.append(part)
    truth = needed[0]
    for part in needed[1:]:
        truth = terms.intern("logical_and", (truth, part))
    return truth


def compared(terms: Terms, operator: str, left: int, text: str) -> int:
    return terms.intern(operator, (left, terms.intern(CONSTANT, label=text)))


def parts(terms: Terms, truth: int) -> list[int]:
    """The comparisons that all hold where a truth term does."""
    term = terms[truth]
    if term.operator != "logical_and":
        return [truth]
    return [part for child in term.children for part in parts(terms, child)]


def negated(terms: Terms, truth: int) -> int | None:
    """What holds where a comparison does not."""
    term = terms[truth]
    opposite = OPPOSITE.get(term.operator)
    return None if opposite is None else terms.intern(opposite, term.children)


def follows(terms: Terms, truth: int, known: frozenset[int]) -> bool:
    """Whether a truth term must hold where some others do; False where that is not seen.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> texts = ("where(x > 2, 1, 0)", "where(x >= 2, 1, 0)", "where((x >= 1) & (x >= 2), 1, 0)")
    >>> over, least, two = (terms[terms.add(read(text).formula)].children[0] for text in texts)
    >>> follows(terms, least, frozenset([over])), follows(terms, over, frozenset([least]))
    (True, False)
    >>> follows(terms, two, frozenset([over]))
    True
    """
    return all(any(_implies(terms, one, part) for one in known) for part in parts(terms, truth))


def _implies(terms: Terms, known: int, truth: int) -> bool:
    if known == truth:
        return True
    one, other = terms[known], terms[truth]
    if not one.children or one.children[:1] != other.children[:1]:
        return False
    if one.children == other.children:
        return other.operator in IMPLIED.get(one.operator, ())
    a, b = terms.number(one.children[1]), terms.number(other.children[1])
    if a is None or b is None:
        return False
    low, high = ("less_than", "less_equal"), ("greater_than", "greater_equal")
    if one.operator in low and other.operator in low:
        return a < b
    return one.operator in high and other.operator in high and a > b


def merged(terms: Terms, cases: Sequence[Case]) -> list[Case]:
    """Without cases that compute what the next one does, where that one's condition holds too.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x, y = (Option(terms.add(read(text).formula), (), np.array([])) for text in "xy")
    >>> one, two = (compared(terms, "less_than", x.root, text) for text in "12")
    >>> cases = [Case(one, x), Case(two, x), Case(None, y)]
    >>> merged(terms, cases) == cases[1:], merged(terms, [Case(one, y), Case(None, y)]) == cases[2:]
    (True, True)
    """
    different = [cases[-1]]
    for case in reversed(cases[:-1]):
        following = different[0]
        assert case.condition is not None
        same = case.option.root == following.option.root
        if same and (
            following.condition is None
            or follows(terms, following.condition, frozenset(parts(terms, case.condition)))
        ):
            continue
        different.insert(0, case)
    return different


def chosen(terms: Terms, cases: Sequence[Case]) -> int:
    """The conditional of cases in this order.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.formula.rendering import to_python
    >>> terms = Terms()
    >>> x, y = (Option(terms.add(read(text).formula), (), np.array([])) for text in "xy")
    >>> cases = [Case(compared(terms, "greater_equal", x.root, "0"), x), Case(None, y)]
    >>> to_python(terms.formula(chosen(terms, cases)))
    'where(x >= 0, x, y)'
    """
    root = cases[-1].option.root
    for case in reversed(cases[:-1]):
        assert case.condition is not None
        root = terms.intern("conditional", (case.condition, case.option.root, root))
    return root


def taken(truths: Sequence[npt.NDArray[np.float64]], count: int) -> list[Mask]:
    """The rows that take each case, by the values of their conditions in a program.

    >>> [rows.tolist() for rows in taken([np.array([1.0, 0, 0]), np.array([1.0, 1, 0])], 3)]
    [[True, False, False], [False, True, False], [False, False, True]]
    """
    rest = np.ones(count, dtype=bool)
    rows = []
    for truth in truths:
        held = rest & (truth == 1)
        rows.append(held)
        rest = rest & ~held
    return [*rows, rest]
