"""Which variables the formulas of a list share: one name for what some count from 1 and others
from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eic_core import wording
from eic_core.errors import DataError
from eic_core.formula.syntax import Reading, canonical_name
from eic_core.formula.syntax.names import SUBSCRIPTS
from eic_core.pool.candidate import read_candidate
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
"""How many formulas of a list are looked at for its variables."""


@dataclass(frozen=True)
class ListedVariables:
    """The variables of a list's formulas, a name for each: of one problem, X1 as Operon counts
    and x0 as Python counts are one variable.

    Where some formulas count from 1 and others from 0, the names count from 0; else they are as
    the formulas spell them.  What a group counts from is said by its notation; else it is 0 if one
    of its formulas uses x0, and 1 if it runs past the variables that the others count from 0.

    >>> rows = [Listed(1, "2*X1", "operon"), Listed(2, "x0 + c", "pysr")]
    >>> found = ListedVariables.of(rows)
    >>> found.names, found.spelled, found.name("x1", 1), found.name("x1", 0)
    (('c', 'x0'), ('c', 'x0', 'x1'), 'x0', 'x1')
    """

    names: tuple[str, ...] = ()  # In alphabetical order, numbers by size
    spelled: tuple[str, ...] = ()  # As each formula has them
    countings: Mapping[Group, Counting] = field(default_factory=dict)  # What each group counts from
    mixed: bool = False  # Whether some count from 1 and others from 0
    # What formulas with indexed variables count from, how many do so, and the first of them
    told: tuple[tuple[int | None, int, str], ...] = ()
    # A formula that does not say what it counts from, one that says it, spells its variables
    # otherwise, and is followed, and what that counts from
    followed: tuple[str, str, int] | None = None

    @classmethod
    def of(cls, rows: Sequence[Listed]) -> ListedVariables:
        """The variables of the first `MAX_READ` formulas that can be read."""
        rows = rows[:MAX_READ]
        used: dict[Group, list[Reading]] = {}
        for group, places in groups_of(rows).items():
            for place in places:
                reading = read_candidate(rows[place].candidate(), ())
                if not isinstance(reading, str):
                    used.setdefault(group, []).append(reading)
        countings = _countings(used)
        counted = [
            (name, countings[group].of(reading))
            for group, readings in used.items()
            for reading in readings
            for name in reading.formula.variables
        ]
        indexed = {base for name, base in counted if index_of(name) is not None}
        found = cls(
            spelled=_in_order({name for name, _ in counted}),
            countings=countings,
            mixed={0, 1} <= indexed,
            told=_told(used, countings),
            followed=_followed(used, countings),
        )
        names = {found.name(name, base) for name, base in counted if (name, base) != ("x0", 1)}
        return replace(found, names=_in_order(names))

    @property
    def bases(self) -> dict[Group, int | None]:
        """What each group counts from; None where nothing tells, or its formulas disagree."""
        return {group: counting.base for group, counting in self.countings.items()}

    def counting(self, group: Group) -> Counting:
        """What a group counts from, which may be beyond the formulas that were looked at."""
        _, method, syntax = group
        return self.countings.get(group) or Counting(each=not (method or syntax))

    def name(self, variable: str, base: int | None) -> str:
        """The name of a formula's variable, which counts from `base`.

        Raises `DataError` if it comes before the first.
        """
        index = index_of(variable)
        if not self.mixed or base != 1 or index is None:
            return variable
        if index == 0:
            raise DataError(
                "`x0` comes before the first variable, for this list counts from 1",
                hint="choose what it counts from",
            )
        return f"x{index - 1}"


def _told(
    used: Mapping[Group, Sequence[Reading]], countings: Mapping[Group, Counting]
) -> tuple[tuple[int | None, int, str], ...]:
    """What is counted from what, how often, and where first."""
    found: dict[int | None, list[str]] = {}
    for group, readings in used.items():
        for reading in _indexed(readings):
            found.setdefault(countings[group].of(reading), []).append(reading.formula.source)
    return tuple((base, len(texts), texts[0]) for base, texts in found.items())


def _followed(
    used: Mapping[Group, Sequence[Reading]], countings: Mapping[Group, Counting]
) -> tuple[str, str, int] | None:
    for group, readings in used.items():
        indexed = _indexed(readings)
        telling = [r for r in indexed if r.index_base is not None]
        for reading in indexed if countings[group].each else ():
            for told in telling[:1]:
                base = countings[group].of(reading)
                if base is not None and base == told.index_base and follows(reading, told):
                    return reading.formula.source, told.formula.source, base
    return None


def _indexed(readings: Iterable[Reading]) -> list[Reading]:
    return [r for r in readings if any(index_of(n) is not None for n in r.formula.variables)]


def counted_phrase(counted: Iterable[tuple[int | None, int, str]]) -> str:
    """What the formulas of a list count their variables from, each with an example.

    - `counted`: see `ListedVariables.told`.

    >>> counted_phrase([(1, 1, "X1*X2"), (None, 2, "x1 + 2")])
    'from 1 in 1 formula (`X1*X2`) and by name in 2 formulas (`x1 + 2`)'
    """
    return wording.join(
        [
            f"{'by name' if base is None else f'from {base}'} in {wording.count(count, 'formula')} "
            f"(`{wording.shorten(' '.join(text.split()), 40)}`)"
            for base, count, text in counted
        ]
    )


def _countings(used: Mapping[Group, Sequence[Reading]]) -> dict[Group, Counting]:
    """What the variables of each group count from, if anything tells."""
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
        if counting.base is None and others and own > max(others):
            countings[group] = replace(counting, base=1)
    return countings


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    def key(name: str) -> tuple[str, int, str]:
        plain = canonical_name(name)
        head = plain.rstrip("0123456789")
        return head, int(plain[len(head) :] or -1), name

    return tuple(sorted(names, key=key))


def counted_from_zero(listed: Listed) -> Listed:
    """A row whose variables count from 1, written so that they count from 0.

    >>> counted_from_zero(Listed(1, "2*X1 - X[:,2] + x₁", "infix")).formula
    '2*X0 - X[:,1] + x₀'
    """
    reading = read_candidate(listed.candidate(), ())
    if isinstance(reading, str):
        return listed
    text = reading.formula.source
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
