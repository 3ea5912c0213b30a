"""A candidate, one formula that some method proposed for some problem, and files of them."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum, unique
from pathlib import Path
from typing import NamedTuple, TextIO

from eic_core.errors import DataError, FormulaError, RefusalKind, UserError
from eic_core.formula.syntax import EXPONENTS, Reading, read
from eic_core.formula.tree import Exponents
from eic_core.phrasing import Phrase


def exponents_in(cell: str) -> Exponents:
    """What a cell of the column ``exponents`` says; anything else in it is of another meaning."""
    return next((each for each in EXPONENTS if each == cell.strip()), EXPONENTS[0])


@dataclass(frozen=True)
class Candidate:
    problem: str  # Name of the problem; its data are PROBLEM.csv
    formula: str  # As the method printed it
    method: str = ""  # Or "" if unknown
    syntax: str = ""  # A notation of `LANGUAGES`, or "" if unknown
    # Values of named parameters that the formula leaves open (tinyGP's t0, t1, ...)
    parameters: Mapping[str, str] = field(default_factory=dict)
    # All cells of the row, the fields above included
    row: Mapping[str, str] = field(default_factory=dict)
    exponents: Exponents = "exact"  # How its literal exponents are read

    @classmethod
    def from_row(cls, row: Mapping[str, str]) -> Candidate:
        """The candidate of a row of a pool's CSV file; DataError if a column is missing.

        >>> c = Candidate.from_row({"dataset": "d", "formula": "x0*t0", "extra": "theta=2;3"})
        >>> c.problem, dict(c.parameters)
        ('d', {'t0': '2', 't1': '3'})
        """
        problem = row.get("problem") or row.get("dataset") or ""
        if "formula" not in row or not ("problem" in row or "dataset" in row):
            raise DataError(
                "a pool needs the columns `problem` (or `dataset`) and `formula`",
                hint="it has " + ", ".join(f"`{name}`" for name in row),
            )
        parameters: dict[str, str] = {}
        for part in (row.get("extra") or "").split("|"):
            key, _, values = part.partition("=")
            if key == "theta" and values:
                parameters = {f"t{i}": v for i, v in enumerate(values.split(";"))}
        return cls(
            problem=problem,
            formula=row["formula"] or "",
            method=row.get("method") or "",
            syntax=row.get("syntax") or "",
            parameters=parameters,
            row=row,
            exponents=exponents_in(row.get("exponents") or ""),
        )

    def in_notation(self, syntax: str) -> Candidate:
        """The candidate, read in another notation."""
        return replace(self, syntax=syntax)


class Refused(NamedTuple):
    """Why a candidate's formula cannot be read.

    >>> print(Refused("unknown function `lg`: did you mean `log10`?", 3))
    unknown function `lg`: did you mean `log10`? (column 3)
    """

    reason: str
    column: int | None  # Where, unless the reason names it
    kind: RefusalKind = RefusalKind.OTHER

    def __str__(self) -> str:
        return self.reason if self.column is None else f"{self.reason} (column {self.column})"


@unique
class LeftOutKind(Enum):
    """Why a formula has no R^2, or no score at all."""

    NO_FORMULA = "no_formula"  # its row holds none
    UNREAD = "unread"  # its text cannot be read
    NO_COLUMN = "no_column"  # the table has no column for a variable
    NO_DATA = "no_data"  # there is no table, no range or no complete row
    NO_VALUE = "no_value"  # a program computes no finite number at some row
    SAME_TARGET = "same_target"  # the target is the same at every row, and is not hit
    NO_SCORE = "no_score"  # the file says none


@dataclass(frozen=True)
class NoValue:
    """Rows at which a formula has no value, as an inspection of the same data sees them."""

    sentence: Phrase  # The headline of the inspection, and whose values R² takes if it has one
    cause: Phrase  # The same without the place and the number of rows
    step: str
    rows: tuple[int, ...]  # Numbers of the first of these rows in their table
    count: int  # How many there are
    of: int  # Of so many


NO_FIT = 1e-9
"""Up to this R^2, which a constant may have by rounding, a formula explains nothing."""


@dataclass(frozen=True)
class Score:
    """What scoring adds to a candidate.

    Attributes
    ----------
    complexity
        Number of nodes; None if the formula was refused.
    r2
        On all rows of the problem's file: of the numbers that a program computes in double
        precision (`eic_core.measure.fit.program_values`; what only leaves its range is followed).
        nan if it computes no finite number at some row.
    eic
    eic_finite
        Digits lost at the worst step; `eic_finite` leaves out rows where it is infinite.
    invalid
    singular
        Rows without a real value; valid rows at which some node keeps no digit.
    out_of_range
        Rows at which a node's exact, non-zero value over- or underflows in double precision,
        invalid ones included.
    exponents
        How its literal exponents were read; see `eic_core.read`.
    error
        Why the formula was refused; "" if it was not.
    level
    cause
    step
        Of its verdict, if it was diagnosed: the level, the name of the leading finding's cause, and
        the sub-expression that it is about; "" where all is well, or it was not.
    reason
    column
        The same without the place in this formula, and that place.
    counted
        The number that indexed variables count from, and pairs of those whose column has another
        name; for notes on a pool.
    left_out
        Why there is no R^2, or no score; None with both, and without a target.
    no_value
        Rows without a real value, or without one in double precision, if there are any.
    no_digit_at
        The step that keeps no digit at most of the singular rows.
    values
        A hash of its values in single precision, alike for twins; "" if it was not measured alone.
    """

    complexity: int | None = None
    r2: float = math.nan
    eic: float = math.nan
    eic_finite: float = math.nan
    invalid: int = 0
    singular: int = 0
    out_of_range: int = 0
    exponents: Exponents = "exact"
    error: str = ""
    level: str = ""
    cause: str = ""
    step: str = ""
    reason: str = field(default="", repr=False)
    column: int | None = field(default=None, repr=False)
    counted: tuple[int | None, tuple[tuple[str, str], ...]] = field(default=(None, ()), repr=False)
    left_out: LeftOutKind | None = field(default=None, repr=False)
    no_value: NoValue | None = field(default=None, repr=False)
    no_digit_at: str = field(default="", repr=False)
    values: str = field(default="", repr=False, compare=False)

    @property
    def explains_nothing(self) -> bool:
        """Whether the formula is no better than the mean of the target.

        >>> Score(1, r2=-0.9).explains_nothing, Score(1, r2=0.3).explains_nothing
        (True, False)
        """
        return self.r2 <= NO_FIT

    def cells(self) -> dict[str, str]:
        """Cells of the scored CSV file; numbers in full precision.

        Returns
        -------
        dict[str, str]
            By `SCORE_COLUMNS` and `FINDING_COLUMNS`; all but ``error`` are empty for a refused
            formula.
        """
        read = self.complexity is not None
        return {
            "complexity": str(self.complexity) if read else "",
            "r2": repr(self.r2) if read else "",
            "eic": repr(self.eic) if read else "",
            "eic_finite": repr(self.eic_finite) if read else "",
            "invalid": str(self.invalid) if read else "",
            "singular": str(self.singular) if read else "",
            "out_of_range": str(self.out_of_range) if read else "",
            "error": self.error,
            "level": self.level,
            "cause": self.cause,
            "step": self.step,
        }


def refused_score(refused: Refused | UserError | str, kind: LeftOutKind | None = None) -> Score:
    """The score of a formula that cannot be read, or without its data."""
    if isinstance(refused, Refused):
        error, reason = str(refused), refused.reason
        return Score(
            error=error, reason=reason, left_out=kind or LeftOutKind.UNREAD, column=refused.column
        )
    return Score(error=str(refused), reason=str(refused), left_out=kind or LeftOutKind.NO_DATA)


@contextmanager
def opened_pool(path: Path, name: str = "") -> Iterator[TextIO]:
    """A pool's CSV file as text, gzipped if it ends in ``.gz``; DataError if it cannot be read.

    >>> with opened_pool(Path("nowhere.csv")) as file:
    ...     file.read()
    Traceback (most recent call last):
        ...
    eic_core.errors.DataError: there is no file nowhere.csv
    """
    name = name or str(path)
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    except FileNotFoundError as error:
        raise DataError(f"there is no file {name}") from error
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"cannot read {name}: {error}") from error


def read_candidate(candidate: Candidate, columns: Sequence[str]) -> Reading | Refused:
    """A candidate's formula, read for a table with these columns, or why it is refused.

    >>> print(read_candidate(Candidate("", "1+lg(x)"), ["x"]))
    unknown function `lg`: did you mean `log10`? (column 3)
    >>> print(read_candidate(Candidate("", "(x"), ["x"]))
    unbalanced parenthesis at column 1: close this `(`
    """
    try:
        return read(
            candidate.formula,
            syntax=candidate.syntax or "auto",
            columns=columns,
            parameters=candidate.parameters,
            exponents=candidate.exponents,
        )
    except FormulaError as error:
        with_place = error.kind is RefusalKind.UNBALANCED
        return Refused(str(error), None if with_place else error.span[0] + 1, error.kind)
