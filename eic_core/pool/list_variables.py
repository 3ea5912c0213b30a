"""Which variables the formulas of a list share: one name for what some count from 1 and others
from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eic_core.errors import DataError
from eic_core.formula.syntax import canonical_name
from eic_core.formula.syntax.names import SUBSCRIPTS
from eic_core.pool.importers.listed import Listed
from eic_core.pool.scoring import read_candidate

Group = tuple[str, str, str]
"""Problem, method and notation: formulas that count their variables from the same number."""


def groups_of(rows: Iterable[Listed]) -> dict[Group, list[int]]:
    """The places of the rows of each group; those without a formula are in none."""
    groups: dict[Group, list[int]] = {}
    for i, row in enumerate(rows):
        if not row.error:
            groups.setdefault((row.problem, row.method, row.syntax), []).append(i)
    return groups


MAX_READ = 10_000
"""How many formulas of a list are looked at for its variables."""

_INDEX = re.compile(r"[xX](\d+)")


@dataclass(frozen=True)
class ListedVariables:
    """The variables of a list's formulas, a name for each: of one problem, X1 as Operon counts
    and x0 as Python counts are one variable.

    Where some formulas count from 1 and others from 0, the names count from 0; else they are as
    the formulas spell them.  What a group counts from is said by its notation; else it is 0 if one
    of its formulas uses x0, and 1 if it runs past the variables that the others count from 0.

    Attributes
    ----------
    names : tuple of str
        In alphabetical order, numbers by size.
    spelled : tuple of str
        As each formula has them.
    bases : mapping of group to int or None
        What each group counts from; None where nothing tells.
    mixed : bool
        Whether some count from 1 and others from 0.

    Examples
    --------
    >>> rows = [Listed(1, "2*X1", "operon"), Listed(2, "x0 + c", "pysr")]
    >>> found = ListedVariables.of(rows)
    >>> found.names, found.spelled, found.name("x1", 1), found.name("x1", 0)
    (('c', 'x0'), ('c', 'x0', 'x1'), 'x0', 'x1')
    """

    names: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()
    bases: Mapping[Group, int | None] = field(default_factory=dict)
    mixed: bool = False

    @classmethod
    def of(cls, rows: Sequence[Listed]) -> ListedVariables:
        """The variables of the first `MAX_READ` formulas that can be read."""
        rows = rows[:MAX_READ]
        used: dict[Group, list[tuple[tuple[str, ...], int | None]]] = {}
        for group, places in groups_of(rows).items():
            for place in places:
                reading = read_candidate(rows[place].candidate(), ())
                if not isinstance(reading, str):
                    used.setdefault(group, []).append(
                        (reading.formula.variables, reading.index_base)
                    )
        bases = _group_bases(used)
        counted = [
            (name, bases[group] if group[2] or base is None else base)
            for group, formulas in used.items()
            for variables, base in formulas
            for name in variables
        ]
        indexed = {base for name, base in counted if _INDEX.fullmatch(name)}
        found = cls(
            spelled=_in_order({name for name, _ in counted}),
            bases=bases,
            mixed={0, 1} <= indexed,
        )
        names = {found.name(name, base) for name, base in counted if (name, base) != ("x0", 1)}
        return replace(found, names=_in_order(names))

    def name(self, variable: str, base: int | None) -> str:
        """The name of a formula's variable, which counts from `base`.

        Raises
        ------
        DataError
            If it comes before the first.
        """
        match = _INDEX.fullmatch(variable)
        if not self.mixed or base != 1 or match is None:
            return variable
        if match[1] == "0":
            raise DataError(
                "`x0` comes before the first variable, for this list counts from 1",
                hint="choose what it counts from",
            )
        return f"x{int(match[1]) - 1}"


def _group_bases(
    used: Mapping[Group, Sequence[tuple[tuple[str, ...], int | None]]],
) -> dict[Group, int | None]:
    """What the variables of each group count from, if anything tells."""
    bases: dict[Group, int | None] = {}
    highest: dict[Group, int] = {}
    for group, formulas in used.items():
        indices = {
            int(match[1])
            for variables, _ in formulas
            for name in variables
            if (match := _INDEX.fullmatch(name))
        }
        told = [base for _, base in formulas if base is not None]
        bases[group] = told[0] if told else 0 if 0 in indices else None
        highest[group] = max(indices, default=-1)
    for group, base in bases.items():
        others = [highest[g] for g, b in bases.items() if g[0] == group[0] and b == 0]
        if base is None and others and highest[group] > max(others):
            bases[group] = 1
    return bases


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    def key(name: str) -> tuple[str, int, str]:
        plain = canonical_name(name)
        head = plain.rstrip("0123456789")
        return head, int(plain[len(head) :] or -1), name

    return tuple(sorted(names, key=key))


def counted_from_zero(listed: Listed) -> Listed:
    """A row whose variables count from 1, written so that they count from 0.

    Examples
    --------
    >>> counted_from_zero(Listed(1, "2*X1 - X[:,2] + x₁", "infix")).formula
    '2*X0 - X[:,1] + x₀'
    """
    reading = read_candidate(listed.candidate(), ())
    if isinstance(reading, str):
        return listed
    text = reading.formula.source
    for node in sorted(reading.formula.nodes, key=lambda n: n.span, reverse=True):
        if node.operator == "variable" and _INDEX.fullmatch(node.label):
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
