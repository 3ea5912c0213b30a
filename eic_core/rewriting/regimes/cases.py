"""Forms that choose: cases of a condition and a form, and the repair that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np

from eic_core.formula.rendering import to_python
from eic_core.formula.tree import CONSTANT
from eic_core.operators.wide import Array
from eic_core.rewriting.doubles import Mask, mean_digits
from eic_core.rewriting.measuring import Measurer
from eic_core.rewriting.pieces import Branch, RepairStep, Series
from eic_core.rewriting.results import Repair
from eic_core.rewriting.search import SearchStep
from eic_core.rewriting.terms import Terms
from eic_core.rewriting.verify import Verification

OPPOSITE = {
    "less_than": "greater_equal",
    "less_equal": "greater_than",
    "greater_than": "less_equal",
    "greater_equal": "less_than",
}

IMPLIED = {"less_than": "less_equal", "greater_than": "greater_equal"}
"""Of the same two operands."""


@dataclass(frozen=True, eq=False)
class Option:
    """A form that a case may compute; `guard` is a truth term that must hold wherever it is
    computed, None if it is the formula everywhere.
    """

    root: int
    steps: tuple[SearchStep, ...]
    lost: Array = field(repr=False)  # Digits lost at each judged row; all of them outside its guard
    guard: int | None = None
    series: Series | None = None
    # Of a series: terms of the formula, each with what stands for it
    replaced: tuple[tuple[int, int], ...] = ()


class Case(NamedTuple):
    condition: int | None  # A truth term; None of the last, which holds everywhere else
    root: int
    steps: tuple[RepairStep, ...] = ()
    series: Series | None = None
    option: Option | None = None


# --- conditions


def compared(terms: Terms, operator: str, left: int, text: str) -> int:
    """A comparison with a number; of a difference with 0, that of its operands."""
    if text == "0" and terms[left].operator == "sub":
        return terms.intern(operator, terms[left].children)
    return terms.intern(operator, (left, terms.intern(CONSTANT, label=text)))


def parts(terms: Terms, truth: int | None) -> list[int]:
    """The comparisons that all hold where a truth term does; none of None."""
    if truth is None or terms[truth].operator != "logical_and":
        return [] if truth is None else [truth]
    return [part for child in terms[truth].children for part in parts(terms, child)]


def all_of(terms: Terms, truths: Sequence[int]) -> int:
    """A truth term that holds where some do, without those that others imply.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x = terms.add(read("x").formula)
    >>> wide, narrow = (compared(terms, "less_than", x, text) for text in ("2", "1"))
    >>> all_of(terms, [wide, narrow]) == all_of(terms, [narrow, wide]) == narrow
    True
    """
    every = list(dict.fromkeys(part for truth in truths for part in parts(terms, truth)))
    needed = [part for part in every if not follows(terms, part, frozenset(every) - {part})]
    return reduce(lambda whole, part: terms.intern("logical_and", (whole, part)), needed)


def negated(terms: Terms, comparison: int) -> int:
    """What holds where a comparison does not."""
    return terms.intern(OPPOSITE[terms[comparison].operator], terms[comparison].children)


def follows(terms: Terms, truth: int | None, known: frozenset[int]) -> bool:
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


def _implies(terms: Terms, first: int, second: int) -> bool:
    one, other = terms[first], terms[second]
    if first == second or one.children == other.children:
        return first == second or IMPLIED.get(one.operator) == other.operator
    side = one.operator.partition("_")[0]
    if side not in ("less", "greater") or side != other.operator.partition("_")[0]:
        return False
    a, b = (terms.number(term.children[1]) for term in (one, other))
    if one.children[0] != other.children[0] or a is None or b is None:
        return False
    return a < b if side == "less" else a > b


# --- cases


def merged(terms: Terms, cases: Sequence[Case]) -> list[Case]:
    """Without cases that compute what the next one does, where that one's condition holds too.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x, y = (terms.add(read(text).formula) for text in "xy")
    >>> one, two = (compared(terms, "less_than", x, text) for text in "12")
    >>> cases = [Case(one, x), Case(two, x), Case(None, y)]
    >>> merged(terms, cases) == cases[1:], merged(terms, [Case(one, y), Case(None, y)]) == cases[2:]
    (True, True)
    """
    different = [cases[-1]]
    for case in reversed(cases[:-1]):
        following, known = different[0], frozenset(parts(terms, case.condition))
        if case.root != following.root or not follows(terms, following.condition, known):
            different.insert(0, case)
    return different


def conditional(terms: Terms, cases: Sequence[Case]) -> int:
    """The form that chooses between cases in this order.

    >>> from eic_core.formula.syntax import read
    >>> terms = Terms()
    >>> x, y = (terms.add(read(text).formula) for text in "xy")
    >>> cases = [Case(compared(terms, "greater_equal", x, "0"), x), Case(None, y)]
    >>> to_python(terms.formula(conditional(terms, cases)))
    'where(x >= 0, x, y)'
    """
    root = cases[-1].root
    for case in reversed(cases[:-1]):
        assert case.condition is not None
        root = terms.intern("conditional", (case.condition, case.root, root))
    return root


def rows_by_case(cases: Sequence[Case], values: Callable[[int], Array], count: int) -> list[Mask]:
    """The rows that take each case; `values` are those of a condition in a program.

    >>> cases, truths = [Case(0, 7), Case(1, 8), Case(None, 9)], np.eye(3)
    >>> [rows.tolist() for rows in rows_by_case(cases, lambda number: truths[number], 3)]
    [[True, False, False], [False, True, False], [False, False, True]]
    """
    rest, rows = np.ones(count, dtype=bool), list[Mask]()
    for case in cases:
        held = rest if case.condition is None else rest & (values(case.condition) == 1)
        rows.append(held)
        rest = rest & ~held
    return rows


def repair_of(
    measurer: Measurer,
    root: int,
    cases: Sequence[Case],
    verification: Verification,
    decided_before: tuple[str, ...] = (),
) -> Repair | None:
    """The repair by a form that chooses between cases; None where it loses values or is worse."""
    everywhere, before = measurer.everywhere, measurer.lost_before
    lost = everywhere.lost(root)
    comparisons = measurer.comparisons(root, lost)
    if comparisons is None:
        return None
    formula, told = measurer.formula_of(root), ~np.isnan(before) & ~np.isnan(lost)
    rows_of_cases = rows_by_case(cases, everywhere.values, len(before))
    branches = tuple(
        Branch(
            "" if case.condition is None else to_python(measurer.terms.formula(case.condition)),
            measurer.formula_of(case.root),
            int(np.count_nonzero(rows & told)),
            mean_digits(before[rows & told]),
            mean_digits(lost[rows & told]),
            case.steps,
            case.series,
        )
        for case, rows in zip(cases, rows_of_cases, strict=True)
    )
    gain = measurer.gain(root, formula, *comparisons, [branch.rows for branch in branches])
    steps = tuple(dict.fromkeys(step for branch in branches for step in branch.steps))
    return Repair(formula, steps, gain, verification, branches, decided_before)
