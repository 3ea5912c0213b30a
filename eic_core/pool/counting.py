"""What the indexed variables of a list count from, x0 or x1 being the first: one answer for all
formulas that one method found for one problem, whichever of them comes first (ADR 0002).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from eic_core import wording
from eic_core.formula.syntax import Reading
from eic_core.formula.syntax.languages import LANGUAGES, language
from eic_core.measure.table import VariableMatch, match_variables, needs_whole_group
from eic_core.pool.candidate import Candidate, read_candidate

Group = tuple[str, str, str]
"""Problem, method and notation: formulas that count their variables from the same number."""

_INDEXED = re.compile(r"[xX](\d+)")
_SPELLED = re.compile(r"(?<![^\W_])([xX])(?:_?\{?|\[(?::,\s*+)?)[\d₀-₉]")
_TELLS = {0: re.compile(r"#\d"), 1: re.compile(r"[xX][_\s{\[(:,]*+[0₀](?![\d₀-₉])")}
"""What may show that a text counts otherwise than its notation does."""


class Grouped(Protocol):
    """A row of a list or a pool, as far as its group goes."""

    @property
    def problem(self) -> str:
        """Whose data it is about."""

    @property
    def method(self) -> str:
        """Who found it."""

    @property
    def syntax(self) -> str:
        """The notation that the list gives, if it does."""


def group_of(row: Grouped) -> Group:
    """The group that a row belongs to."""
    return row.problem, row.method, row.syntax


def groups_of(rows: Iterable[Grouped]) -> dict[Group, list[int]]:
    """The places of the rows of each group; those without a formula are in none."""
    groups: dict[Group, list[int]] = {}
    for i, row in enumerate(rows):
        if not getattr(row, "error", ""):
            groups.setdefault(group_of(row), []).append(i)
    return groups


def index_of(variable: str) -> int | None:
    """The index of an indexed variable.

    >>> index_of("x12"), index_of("X0"), index_of("x"), index_of("tax1")
    (12, 0, None, None)
    """
    match = _INDEXED.fullmatch(variable)
    return int(match[1]) if match else None


@dataclass(frozen=True)
class Counting:
    """What the indexed variables of one group's formulas count from.

    Where a list names neither a method nor a notation, its rows may be of different hands: a
    formula that tells is believed, and one that does not follows those that spell their variables
    as it does, ``x1`` or ``X1``, then all others, if these agree.  But where ``X1``, ``X2``, ...
    run past those that are counted from 0, they count from 1.

    >>> rows = [Candidate("", text) for text in ("x0 + x1", "1.5 * X1 + 0.5 * X2", "x1*2", "X1*2")]
    >>> counting, readings = counting_of(rows, ["a", "b"])
    >>> [counting.of(reading) for reading in readings]
    [0, 1, 0, 1]
    """

    base: int | None = None  # 0 or 1; None where nothing tells
    chosen: bool = False  # Whether the user said so
    each: bool = False  # Whether a formula that tells is believed by itself
    # mapping of "x" or "X" to int or None: What those that spell their variables so count from, if
    # `each`
    by_letter: Mapping[str, int | None] = field(default_factory=dict)
    # Of all formulas that count so, where it depends on them how one is matched to columns
    variables: Mapping[int | None, frozenset[str]] = field(default_factory=dict)

    def of(self, reading: Reading) -> int | None:
        """What one formula of the group counts from."""
        if not self.each or self.chosen:
            return self.base
        if reading.index_base is not None:
            return reading.index_base
        followed = self.by_letter.get(_letter(reading))
        return self.base if followed is None else followed

    def match(
        self, variables: Iterable[str], columns: Iterable[str], base: int | None
    ) -> VariableMatch:
        """The columns that the variables of one formula of the group stand for.

        - `variables`: its own.
        - `columns`: as `match_variables` takes them.
        - `base`: what `of` says of it.
        """
        return match_variables(
            variables,
            columns,
            index_base=base,
            chosen=self.chosen,
            group=self.variables.get(base, ()),
        )


def counting_of(
    candidates: Sequence[Candidate], columns: Sequence[str], given: int | None = None
) -> tuple[Counting, list[Reading | str]]:
    """What the formulas of one group count from, and what had to be read for that.

    - `candidates`: one group's (`groups_of`).
    - `columns`: input columns; () if there are none.
    - `given`: what the user says that they count from.

    Returns the readings are those of all candidates, or none where the notation or the user tells.

    >>> counting_of([Candidate("p", "x1+x2")], ["a", "b"])[0].base
    1
    >>> counting_of([Candidate("p", "X1", "Operon", "operon")], ["a", "b"])[1]
    []
    """
    first = candidates[0]
    known = _of_notation(first.syntax) if given is None else given
    if known is not None and not needs_whole_group(columns, known):
        tells = _TELLS[known]
        if given is not None or not any(tells.search(c.formula) for c in candidates):
            return Counting(known, chosen=given is not None), []
    readings = [read_candidate(candidate, columns) for candidate in candidates]
    read_ones = [reading for reading in readings if not isinstance(reading, str)]
    if given is not None:
        counting = Counting(given, chosen=True)
    else:
        counting = counting_of_readings(read_ones, each=not (first.method or first.syntax))
        if counting.base is None and columns and _past(read_ones, counting, len(columns)):
            counting = replace(counting, base=1)
    variables: dict[int | None, set[str]] = {}
    for reading in read_ones:
        variables.setdefault(counting.of(reading), set()).update(reading.formula.variables)
    kept = {base: frozenset(names) for base, names in variables.items()}
    return replace(counting, variables=kept), readings


def counting_of_readings(readings: Sequence[Reading], *, each: bool) -> Counting:
    """What formulas count from, as far as they tell without columns.

    - `readings`: all of one group.
    - `each`: whether nothing says that they are of one hand.
    """
    indexed = [r for r in readings if any(index_of(n) is not None for n in r.formula.variables)]
    if not each:
        return Counting(_told(indexed))
    by_letter = {
        letter: _agreed(r.index_base for r in indexed if _letter(r) == letter)
        for letter in dict.fromkeys(map(_letter, indexed))
    }
    if _runs_past(indexed):
        by_letter["X"] = 1
    return Counting(_agreed(r.index_base for r in indexed), each=True, by_letter=by_letter)


def _runs_past(indexed: Sequence[Reading]) -> bool:
    """Whether X1, X2, ... run past x0, x1, ...: then they are the same ones, counted from 1."""
    capital = [r for r in indexed if _letter(r) == "X"]
    others = [r for r in indexed if _letter(r) != "X"]
    if not capital or _agreed(r.index_base for r in indexed) != 0:
        return False
    if any(r.index_base is not None for r in capital) or any(map(_spells_both, others)):
        return False
    return _highest(capital) > _highest(r for r in others if r.index_base == 0)


def _highest(readings: Iterable[Reading]) -> int:
    indices = (index_of(name) for reading in readings for name in reading.formula.variables)
    return max((index for index in indices if index is not None), default=-1)


def _spells_both(reading: Reading) -> bool:
    return {"x", "X"} == {match[1] for match in _SPELLED.finditer(reading.formula.source)}


def follows(reading: Reading, told: Reading) -> bool:
    """Whether a formula that does not say what it counts from follows one that spells its
    variables otherwise.
    """
    return (
        reading.index_base is None
        and told.index_base is not None
        and _letter(reading) != _letter(told)
    )


def _letter(reading: Reading) -> str:
    """How a formula spells its indexed variables: X if always so, else x."""
    letters = {match[1] for match in _SPELLED.finditer(reading.formula.source)}
    return "X" if letters == {"X"} else "x"


def _told(readings: Sequence[Reading]) -> int | None:
    """What formulas of one hand count from: 0 where one uses x0; else as a text, then as the
    notation says.
    """
    if any("x0" in reading.formula.variables for reading in readings):
        return 0
    texts = (r.index_base for r in readings if r.index_base != LANGUAGES[r.syntax].index_base)
    said = _agreed(texts)
    return _agreed(r.index_base for r in readings) if said is None else said


def _agreed(bases: Iterable[int | None]) -> int | None:
    """The only base among some; None if there is none, or two."""
    found = {base for base in bases if base is not None}
    return found.pop() if len(found) == 1 else None


def _past(readings: Sequence[Reading], counting: Counting, inputs: int) -> bool:
    """Whether an index of the formulas that do not tell would run past the last column."""
    silent = [r for r in readings if counting.of(r) is None]
    indices = [index_of(name) for r in silent for name in r.formula.variables]
    return any(index is not None and index >= inputs for index in indices)


def _of_notation(syntax: str) -> int | None:
    name = language(syntax) if syntax else None
    return LANGUAGES[name].index_base if name else None


def counting_notes(
    matched: Iterable[tuple[str, int | None, Iterable[tuple[str, str]]]],
) -> list[str]:
    """Which columns the indexed variables of a list stand for, where these have other names.

    - `matched`: of each formula.

    Returns a sentence each for methods that count alike; names in backticks.

    >>> counting_notes([("Operon", 1, [("x1", "x0")]), ("PySR", 0, [])])
    ['`Operon` counts its variables from 1: `x1` is the column `x0`.']
    """
    merged: dict[tuple[str, int | None], dict[str, str]] = {}
    for method, base, pairs in matched:
        for variable, column in pairs:
            merged.setdefault((method, base), {})[variable] = column
    alike: dict[tuple[int | None, tuple[tuple[str, str], ...]], list[str]] = {}
    for (method, base), columns in merged.items():
        pairs = tuple(sorted(columns.items(), key=lambda pair: index_of(pair[0]) or 0))
        alike.setdefault((base, pairs), []).append(method)
    return [
        f"{_who(methods)} variables from {base}: {_columns(pairs)}."
        for (base, pairs), methods in alike.items()
    ]


def _who(methods: Sequence[str]) -> str:
    named = [f"`{method}`" if "`" not in method else method for method in methods if method]
    if not named:
        return "These formulas count their"
    if len(named) < len(methods):
        named.append("others")
    return f"{wording.join(named, limit=6)} {'counts its' if len(named) == 1 else 'count their'}"


def _columns(pairs: Sequence[tuple[str, str]]) -> str:
    first, *rest = (f"`{variable}` is `{column}`" for variable, column in pairs)
    head = first.replace(" is ", " is the column ")
    return wording.join([head, *rest], limit=8)
