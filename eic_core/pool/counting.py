"""The number, 0 or 1, that the indexed variables of a list count from (ADR 0003)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from eic_core.formula.syntax import Reading
from eic_core.formula.syntax.languages import LANGUAGES, language
from eic_core.measure.table import VariableMatch, match_variables, needs_whole_group
from eic_core.pool import phrases
from eic_core.pool.candidate import Candidate, Refused, read_candidate

Group = tuple[str, str, str]
"""Problem, method and notation: their formulas count variables from the same number."""

_INDEXED = re.compile(r"[xX](\d{1,9})")
_SPELLED = re.compile(r"(?<![^\W_])([xX])(?:_?\{?|\[(?::,\s*+)?)[\d₀-₉]")
_TELLS = {0: re.compile(r"#\d"), 1: re.compile(r"[xX][_\s{\[(:,]*+[0₀](?![\d₀-₉])")}
"""By base of a notation: texts that may count otherwise."""


class Grouped(Protocol):
    @property
    def problem(self) -> str: ...

    @property
    def method(self) -> str: ...

    @property
    def syntax(self) -> str: ...


def group_of(row: Grouped) -> Group:
    return row.problem, row.method, row.syntax


def groups_of(rows: Iterable[Grouped]) -> dict[Group, list[int]]:
    """The places of the rows of each group; refused rows are in none."""
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
    """The number that the indexed variables of one group's formulas count from.

    >>> rows = [Candidate("", text) for text in ("x0 + x1", "1.5 * X1 + 0.5 * X2", "x1*2", "X1*2")]
    >>> counting, readings = counting_of(rows, ["a", "b"])
    >>> [counting.of(reading) for reading in readings]
    [0, 1, 0, 1]
    """

    base: int | None = None  # 0 or 1; None where nothing tells
    chosen: bool = False  # Whether the user chose it
    each: bool = False  # Whether each formula may tell its own base
    # By spelling, "x" or "X": the base of formulas without one of their own, if `each`
    by_letter: Mapping[str, int | None] = field(default_factory=dict)
    # By base: the variables of all formulas, where matching one to columns depends on them
    variables: Mapping[int | None, frozenset[str]] = field(default_factory=dict)

    def of(self, reading: Reading) -> int | None:
        # rows without a method and a notation may be of different hands: a formula that tells its
        # base is believed; another follows those that spell variables as it does, x1 or X1, then
        # all
        if not self.each or self.chosen:
            return self.base
        if reading.index_base is not None:
            return reading.index_base
        followed = self.by_letter.get(_letter(reading))
        return self.base if followed is None else followed

    def match(
        self, variables: Iterable[str], columns: Iterable[str], base: int | None
    ) -> VariableMatch:
        """The columns that variables of one formula stand for; `base` is from `of`."""
        return match_variables(
            variables,
            columns,
            index_base=base,
            chosen=self.chosen,
            group=self.variables.get(base, ()),
        )


def counting_of(
    candidates: Sequence[Candidate], columns: Sequence[str], chosen_base: int | None = None
) -> tuple[Counting, list[Reading | Refused]]:
    """The counting of one group, the user's if `chosen_base` is given, and the readings it took.

    >>> counting_of([Candidate("p", "x1+x2")], ["a", "b"])[0].base
    1
    >>> counting_of([Candidate("p", "X1", "Operon", "operon")], ["a", "b"])[1]
    []
    """
    first = candidates[0]
    assumed_base = _of_notation(first.syntax) if chosen_base is None else chosen_base
    if assumed_base is not None and not needs_whole_group(columns, assumed_base):
        tells = _TELLS[assumed_base]
        # texts need not be read where none can tell another base: most lists of many formulas
        if chosen_base is not None or not any(tells.search(c.formula) for c in candidates):
            return Counting(assumed_base, chosen=chosen_base is not None), []
    readings = [read_candidate(candidate, columns) for candidate in candidates]
    read_ones = [reading for reading in readings if not isinstance(reading, Refused)]
    if chosen_base is not None:
        counting = Counting(chosen_base, chosen=True)
    else:
        counting = counting_of_readings(read_ones, each=not (first.method or first.syntax))
        if counting.base is None and columns and _past(read_ones, counting, len(columns)):
            counting = replace(counting, base=1)
    variables: dict[int | None, set[str]] = {}
    for reading in read_ones:
        variables.setdefault(counting.of(reading), set()).update(reading.formula.variables)
    frozen = {base: frozenset(names) for base, names in variables.items()}
    return replace(counting, variables=frozen), readings


def counting_of_readings(readings: Sequence[Reading], *, each: bool) -> Counting:
    """The counting of one group without columns; `each` if rows may be of different hands."""
    indexed = [r for r in readings if any(index_of(n) is not None for n in r.formula.variables)]
    if not each:
        return Counting(_base_of_one_hand(indexed))
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


def follows(reading: Reading, leader: Reading) -> bool:
    return (
        reading.index_base is None
        and leader.index_base is not None
        and _letter(reading) != _letter(leader)
    )


def _letter(reading: Reading) -> str:
    """The spelling of a formula's indexed variables: X if always so, else x."""
    letters = {match[1] for match in _SPELLED.finditer(reading.formula.source)}
    return "X" if letters == {"X"} else "x"


def _base_of_one_hand(readings: Sequence[Reading]) -> int | None:
    if any("x0" in reading.formula.variables for reading in readings):
        return 0
    # a base that differs from the notation's was told by the text itself, which knows better
    texts = (
        r.index_base for r in readings if r.index_base != LANGUAGES[r.syntax].policy.index_base
    )
    text_base = _agreed(texts)
    return _agreed(r.index_base for r in readings) if text_base is None else text_base


def _agreed(bases: Iterable[int | None]) -> int | None:
    distinct = {base for base in bases if base is not None}
    return distinct.pop() if len(distinct) == 1 else None


def _past(readings: Sequence[Reading], counting: Counting, inputs: int) -> bool:
    silent = [r for r in readings if counting.of(r) is None]
    indices = [index_of(name) for r in silent for name in r.formula.variables]
    return any(index is not None and index >= inputs for index in indices)


def _of_notation(syntax: str) -> int | None:
    name = language(syntax) if syntax else None
    return LANGUAGES[name].policy.index_base if name else None


def counting_notes(
    matched: Iterable[tuple[str, int | None, Iterable[tuple[str, str]]]],
) -> list[str]:
    """Sentences on columns, for method, base and (variable, column) pairs of each formula.

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
        str(phrases.columns_of_variables(methods, base, pairs))
        for (base, pairs), methods in alike.items()
    ]
