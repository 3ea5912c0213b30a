"""A scored pool as columns: what matching needs of each formula, and nothing else."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eic_core.errors import DataError
from eic_core.formula.syntax import EXPONENTS
from eic_core.formula.tree import Exponents
from eic_core.pool import Candidate, Score
from eic_core.pool.candidate import opened_pool

REFUSED = "refused"
NO_NUMBERS = "no_numbers"
INVALID = "invalid"
SINGULAR = "singular"
NO_EIC = "no_eic"
NO_R2 = "no_r2"
LARGEST = 1e6
"""An |EIC| or |R²| above this is no number to match by."""

_NEEDED = ("formula", "complexity", "eic_finite", "invalid", "singular")
_TEXTS = ("method", "syntax", "extra")
_EXPONENTS = "exponents"


@dataclass(frozen=True, eq=False)
class ScoredPool:
    """Scored formulas, column by column; row i is row i of the file, from 0."""

    problem: tuple[str, ...]
    formula: tuple[str, ...]
    method: tuple[str, ...]
    syntax: tuple[str, ...]
    extra: tuple[str, ...]
    # complexity, r2, eic, invalid, singular: shape (M,): nan where the cell is empty or no number;
    # `eic` is ``eic_finite``
    complexity: np.ndarray
    r2: np.ndarray
    eic: np.ndarray
    invalid: np.ndarray
    singular: np.ndarray
    refused: np.ndarray  # shape (M,): Formulas that scoring could not read or measure
    r2_column: str = "r2"  # Where `r2` comes from
    source: str = ""  # File name, for display
    exponents: Exponents = "exact"  # How literal exponents were read when it was scored

    def __len__(self) -> int:
        return len(self.formula)

    def candidate(self, row: int) -> Candidate:
        return Candidate.from_row(
            {
                "problem": self.problem[row],
                "formula": self.formula[row],
                "method": self.method[row],
                "syntax": self.syntax[row],
                "extra": self.extra[row],
                _EXPONENTS: self.exponents,
            }
        )

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[Sequence[str]],
        columns: Sequence[str],
        *,
        r2: str = "r2",
        source: str = "",
    ) -> ScoredPool:
        """From the rows of a CSV file; raises `DataError` if it is no scored pool."""
        name = "problem" if "problem" in columns else "dataset"
        for needed in (name, *_NEEDED, r2):
            if needed not in columns:
                raise DataError(
                    f"there is no column `{needed}`",
                    hint="score the pool first: python -m eic_core score"
                    if needed in (*_NEEDED, "r2")
                    else "there are " + ", ".join(f"`{c}`" for c in columns),
                )
        place = {column: i for i, column in enumerate(columns)}
        names = [
            name,
            "formula",
            *_TEXTS,
            "complexity",
            r2,
            "eic_finite",
            "invalid",
            "singular",
            "error",
            _EXPONENTS,
        ]
        texts: list[list[str]] = [[] for _ in names]
        for row in rows:
            if not row:
                continue
            for each, out in zip(names, texts, strict=True):
                i = place.get(each, -1)
                out.append(row[i] if 0 <= i < len(row) else "")
        if not texts[0]:
            raise DataError("the scored pool has no rows", hint="a pool has a row for each formula")
        numbers = [_numbers(column) for column in texts[5:10]]
        return cls(
            problem=tuple(texts[0]),
            formula=tuple(texts[1]),
            method=tuple(texts[2]),
            syntax=tuple(texts[3]),
            extra=tuple(texts[4]),
            complexity=numbers[0],
            r2=numbers[1],
            eic=numbers[2],
            invalid=numbers[3],
            singular=numbers[4],
            refused=np.array([bool(error) for error in texts[10]]),
            r2_column=r2,
            source=source,
            exponents=_one_way(set(texts[11])),
        )

    @classmethod
    def from_scores(
        cls, candidates: Sequence[Candidate], scores: Sequence[Score], *, source: str = ""
    ) -> ScoredPool:
        """From a pool that was scored in this process.

        >>> pool = ScoredPool.from_scores([Candidate("bode", "x0")], [Score(1, 0.9, 0.0, 0.0)])
        >>> pool.formula, pool.r2.tolist()
        (('x0',), [0.9])
        """
        nan = math.nan
        return cls(
            problem=tuple(c.problem for c in candidates),
            formula=tuple(c.formula for c in candidates),
            method=tuple(c.method for c in candidates),
            syntax=tuple(c.syntax for c in candidates),
            extra=tuple(_extra(c) for c in candidates),
            complexity=np.array([nan if s.complexity is None else s.complexity for s in scores]),
            r2=np.array([s.r2 for s in scores]),
            eic=np.array([s.eic_finite for s in scores]),
            invalid=np.array([float(s.invalid) for s in scores]),
            singular=np.array([float(s.singular) for s in scores]),
            refused=np.array([bool(s.error) for s in scores]),
            source=source,
            exponents=_one_way({s.exponents for s in scores if not s.error}),
        )


def _one_way(cells: set[str]) -> Exponents:
    """How a pool's exponents were read; `DataError` if not all in one way."""
    exponents = [each for each in EXPONENTS if each in cells]
    if len(exponents) > 1:
        raise DataError(
            "the pool mixes scores of exact and of noisy exponents",
            hint="score it anew: python -m eic_core score",
        )
    return exponents[0] if exponents else EXPONENTS[0]


def _extra(candidate: Candidate) -> str:
    parameters: Mapping[str, str] = candidate.parameters
    return (
        # As `Candidate.from_row` reads it.
        "theta=" + ";".join(parameters[f"t{i}"] for i in range(len(parameters)))
        if parameters
        else ""
    )


def _numbers(cells: Sequence[str]) -> np.ndarray:
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        # Cell by cell only if one is no number: much slower.
        return np.array([_number(cell) for cell in cells])


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def read_scored(path: Path, *, r2: str = "r2") -> ScoredPool:
    with opened_pool(path) as file:
        reader = csv.reader(file)
        columns = next(reader, [])
        if not columns:
            raise DataError(f"{path} is empty")
        return ScoredPool.from_rows(reader, columns, r2=r2, source=path.name)


def left_out(pool: ScoredPool, *, invalid: bool, singular: bool) -> dict[str, np.ndarray]:
    """Which formulas, shape (M,), cannot be matched, by the first reason that applies."""
    c = pool.complexity
    counted = (c >= 1) & (c == np.floor(c)) & (c <= LARGEST)
    with np.errstate(invalid="ignore"):
        checks = {
            REFUSED: pool.refused,
            NO_NUMBERS: ~counted | ~(pool.invalid >= 0) | ~(pool.singular >= 0),
            INVALID: (pool.invalid > 0) & (not invalid),
            SINGULAR: (pool.singular > 0) & (not singular),
            NO_EIC: ~(np.abs(pool.eic) <= LARGEST),
            NO_R2: ~((pool.r2 > -np.inf) & (pool.r2 <= LARGEST)),
        }
    excluded = np.zeros(len(pool), dtype=bool)
    first: dict[str, np.ndarray] = {}
    for reason, fails in checks.items():
        first[reason] = fails & ~excluded
        excluded |= fails
    return first
