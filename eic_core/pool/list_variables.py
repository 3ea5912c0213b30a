"""The variables that the formulas of a list share, whether these count from 0 or from 1."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eic_core.errors import DataError
from eic_core.formula.syntax import Reading, canonical_name
from eic_core.formula.syntax.names import SUBSCRIPTS
from eic_core.pool.candidate import Refused, read_candidate
from eic_core.pool.counting import (
    Counting,
    Group,
    counting_of_readings,
    follows,
    groups_of,
    index_of,
)
from eic_core.pool.importers.listed import Listed

MAX_READ = 10_000
"""Formulas of a list that are read for its variables."""


@dataclass(frozen=True)
class ListedVariables:
    """The variables of a list's formulas, where X1 of Operon and x0 of Python share one name.

    >>> rows = [Listed(1, "2*X1", "operon"), Listed(2, "x0 + c", "pysr")]
    >>> variables = ListedVariables.of(rows)
    >>> variables.names, variables.spelled
    (('c', 'x0'), ('c', 'x0', 'x1'))
    >>> variables.name("x1", 1), variables.name("x1", 0)
    ('x0', 'x1')
    """

    names: tuple[str, ...] = ()  # In alphabetical order, numbers by size
    spelled: tuple[str, ...] = ()  # As each formula has them
    countings: Mapping[Group, Counting] = field(default_factory=dict)
    mixed: bool = False  # Whether some count from 1 and others from 0
    # Formulas with indexed variables: a base, how many have it, and the first of them
    examples: tuple[tuple[int | None, int, str], ...] = ()
    # A formula that does not tell its base, one that does, is followed and spells its variables
    # otherwise, and that base
    followed: tuple[str, str, int] | None = None

    @classmethod
    def of(cls, rows: Sequence[Listed]) -> ListedVariables:
        """The variables of the first `MAX_READ` formulas that can be read."""
        rows = rows[:MAX_READ]
        used: dict[Group, list[Reading]] = {}
        for group, places in groups_of(rows).items():
            for place in places:
                reading = read_candidate(rows[place].candidate(), ())
                if not isinstance(reading, Refused):
                    used.setdefault(group, []).append(reading)
        countings = _countings(used)
        counted = [
            (name, countings[group].of(reading))
            for group, readings in used.items()
            for reading in readings
            for name in reading.formula.variables
        ]
        indexed = {base for name, base in counted if index_of(name) is not None}
        variables = cls(
            spelled=_in_order({name for name, _ in counted}),
            countings=countings,
            mixed={0, 1} <= indexed,
            examples=_examples(used, countings),
            followed=_followed(used, countings),
        )
        names = {variables.name(name, base) for name, base in counted if (name, base) != ("x0", 1)}
        return replace(variables, names=_in_order(names))

    @property
    def bases(self) -> dict[Group, int | None]:
        return {group: counting.base for group, counting in self.countings.items()}

    def counting(self, group: Group) -> Counting:
        """A group's counting, also where none of its formulas was read."""
        _, method, syntax = group
        return self.countings.get(group) or Counting(each=not (method or syntax))

    def name(self, variable: str, base: int | None) -> str:
        """A variable's name in the list; DataError for x0 in a formula that counts from 1."""
        # names are as spelled unless some formulas count from 1 and others from 0: then from 0
        index = index_of(variable)
        if not self.mixed or base != 1 or index is None:
            return variable
        if index == 0:
            raise DataError(
                "`x0` comes before the first variable, for this list counts from 1",
                hint="choose what it counts from",
            )
        return f"x{index - 1}"


def _examples(
    used: Mapping[Group, Sequence[Reading]], countings: Mapping[Group, Counting]
) -> tuple[tuple[int | None, int, str], ...]:
    by_base: dict[int | None, list[str]] = {}
    for group, readings in used.items():
        for reading in _indexed(readings):
            by_base.setdefault(countings[group].of(reading), []).append(reading.formula.source)
    return tuple((base, len(texts), texts[0]) for base, texts in by_base.items())


def _followed(
    used: Mapping[Group, Sequence[Reading]], countings: Mapping[Group, Counting]
) -> tuple[str, str, int] | None:
    for group, readings in used.items():
        indexed = _indexed(readings)
        telling = [r for r in indexed if r.index_base is not None]
        for reading in indexed if countings[group].each else ():
            for leader in telling[:1]:
                base = countings[group].of(reading)
                if base is not None and base == leader.index_base and follows(reading, leader):
                    return reading.formula.source, leader.formula.source, base
    return None


def _indexed(readings: Iterable[Reading]) -> list[Reading]:
    return [r for r in readings if any(index_of(n) is not None for n in r.formula.variables)]


def _countings(used: Mapping[Group, Sequence[Reading]]) -> dict[Group, Counting]:
    countings = {
        group: counting_of_readings(readings, each=not (group[1] or group[2]))
        for group, readings in used.items()
    }
    highest: dict[tuple[Group, int | None], int] = {}
    for group, readings in used.items():
        for reading in readings:
            key = group, countings[group].of(reading)
            indices = [index_of(name) for name in reading.formula.variables]
            highest[key] = max([highest.get(key, -1), *(i for i in indices if i is not None)])
    for group, counting in countings.items():
        others = [top for (g, base), top in highest.items() if g[0] == group[0] and base == 0]
        own = highest.get((group, None), -1)
        # past the variables that others count from 0 they count from 1
        if counting.base is None and others and own > max(others):
            countings[group] = replace(counting, base=1)
    return countings


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    def key(name: str) -> tuple[str, int, str, str]:
        plain = canonical_name(name)
        head = plain.rstrip("0123456789")
        digits = plain[len(head) :]
        return head, len(digits), digits, name  # a number may be too long to be one

    return tuple(sorted(names, key=key))


def counted_from_zero(listed: Listed) -> Listed:
    """A row whose variables count from 1, written so that they count from 0.

    >>> counted_from_zero(Listed(1, "2*X1 - X[:,2] + x₁", "infix")).formula
    '2*X0 - X[:,1] + x₀'
    """
    reading = read_candidate(listed.candidate(), ())
    if isinstance(reading, Refused):
        return listed
    text = reading.formula.source
    # from the end: a shorter index moves only the text behind it
    for node in sorted(reading.formula.nodes, key=lambda n: n.span, reverse=True):
        if node.operator == "variable" and index_of(node.label) is not None:
            start, end = node.span
            text = text[:start] + _one_less(text[start:end]) + text[end:]
    return replace(listed, formula=text)


def _one_less(spelling: str) -> str:
    """A spelling of an indexed variable, such as ``x_{2}``, with the index before."""
    *_, digits = re.finditer(r"\d+|[₀-₉]+", spelling)
    less = str(int(digits[0].translate(SUBSCRIPTS)) - 1)
    if digits[0][0] in "₀₁₂₃₄₅₆₇₈₉":
        less = less.translate({value: key for key, value in SUBSCRIPTS.items()})
    return spelling[: digits.start()] + less + spelling[digits.end() :]
