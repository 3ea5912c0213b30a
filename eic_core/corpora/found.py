"""Formulas that methods found: read from a pool, and measured on rows of the laws or of tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from eic_core.corpora.laws import Law, load
from eic_core.corpora.measured import COUNTS, SEED, Digits, MeasuredFormula, digits_of
from eic_core.errors import DataError, UserError
from eic_core.formula.syntax import Reading
from eic_core.formula.syntax.names import canonical_name
from eic_core.pool.candidate import read_candidate
from eic_core.pool.counting import Counting, counting_of, groups_of
from eic_core.pool.importers import Listed
from eic_core.pool.scoring import ProblemData
from eic_core.samples import Domain, Samples

LEAST_R2 = 0.8
"""Formulas that fit worse are left out, as in the paper's comparison (Fig. ``fig:EIC_compare``)."""

POOR_FIT = f"R² below {LEAST_R2:g}"
NO_FIT = "no value at some row, and so no R²"
NO_VALUE = "no real value at any row"
NO_LAW = "not found for a law of the corpora"
REFUSED = "refused by the reader"
NO_SCORE = "without scores"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class FoundByMethod:
    """What one method found."""

    method: str  # "" if the pool does not say
    formulas: tuple[MeasuredFormula, ...]  # Those that fit; `MeasuredFormula.law` is the problem
    left_out: Mapping[str, int] = field(default_factory=dict)  # How many were left out, by reason


class _Rows(Protocol):
    """Where the rows of a problem come from."""

    def inputs(self, problem: str) -> Sequence[str]: ...

    def measure(
        self, problem: str, reading: Reading, counting: Counting
    ) -> tuple[Mapping[int, Digits], Mapping[str, Domain]]: ...


def law_names() -> frozenset[str]:
    """Names of the laws that formulas may have been found for: those of PMLB's data sets."""
    return frozenset(law.name for name in ("feynman", "strogatz") for law in load(name))


class LawRows:
    """Rows drawn from the ranges of a law, for the formulas that were found for it.

    Parameters
    ----------
    counts
        Numbers of rows.
    seed
        Non-negative.
    """

    def __init__(self, counts: Sequence[int] = COUNTS, seed: int = SEED) -> None:
        self.counts, self.seed = tuple(counts), seed
        self._laws = {law.name: law for name in ("feynman", "strogatz") for law in load(name)}
        self._drawn: tuple[str, dict[int, Samples]] = ("", {})

    def inputs(self, problem: str) -> Sequence[str]:
        """The law's variables, in the order in which a method was given them.

        Parameters
        ----------
        problem

        Returns
        -------
        Sequence[str]
        """
        return self._law(problem).variables

    def measure(
        self, problem: str, reading: Reading, counting: Counting
    ) -> tuple[dict[int, Digits], dict[str, Domain]]:
        """What a formula loses on ever more rows of the law, and the ranges of its variables.

        Parameters
        ----------
        problem
            The law's name.
        reading
        counting
            Of the group that the formula is of.

        Returns
        -------
        tuple[dict[int, Digits], dict[str, Domain]]
        """
        law = self._law(problem)
        formula = reading.formula
        match = counting.match(formula.variables, law.variables, counting.of(reading))
        if match.missing:
            raise DataError(f"`{match.missing[0]}` is no variable of {problem}")
        if self._drawn[0] != problem:
            self._drawn = problem, {n: law.samples(n, self.seed) for n in self.counts}
        found = {}
        for count, drawn in self._drawn[1].items():
            columns = {n: drawn.columns[canonical_name(of)] for n, of in match.mapping.items()}
            samples = Samples.from_columns(columns, count=len(drawn), target=drawn.target)
            found[count] = digits_of(formula, samples, recheck=False)
        return found, {n: law.domains[of] for n, of in match.mapping.items()}

    def _law(self, problem: str) -> Law:
        if problem not in self._laws:
            raise _NoLaw(f"there is no law `{problem}`")
        return self._laws[problem]


class _NoLaw(DataError):
    """The formula was found for something else."""


class TableRows:
    """The rows of a folder of problems.

    - `folder`: holds PROBLEM.csv for each problem, the last column the target.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise DataError(f"there is no folder {folder}")
        self._problems = ProblemData(folder)

    def inputs(self, problem: str) -> Sequence[str]:
        """The columns of the problem's table but the last."""
        return self._problems.inputs(problem)

    def measure(
        self, problem: str, reading: Reading, counting: Counting
    ) -> tuple[dict[int, Digits], dict[str, Domain]]:
        """What a formula loses on the table, and no ranges.

        - `problem`: the table's name.
        - `counting`: of the group that the formula is of.
        """
        samples = self._problems.samples(problem, reading, counting)
        return {len(samples): digits_of(reading.formula, samples, recheck=False)}, {}


def measure_found(
    rows: Sequence[Listed], where: _Rows, *, progress: Progress | None = None
) -> tuple[FoundByMethod, ...]:
    """Measure a pool, method by method, in the order in which they first appear.

    Parameters
    ----------
    rows
        As importing gives them, with a problem each.
    where
        Whose rows they are measured on.
    progress
        What it raises ends the measuring.

    Returns
    -------
    tuple[FoundByMethod, ...]

    Notes
    -----
    In double precision, as `eic_core.pool.score`.  A formula counts if its R² is at least
    `LEAST_R2` on the largest number of rows.

    Examples
    --------
    >>> rows = [Listed(1, "x0*x1", problem="feynman_I_12_1", method="A"),
    ...         Listed(2, "sin(x0)", problem="feynman_I_12_1", method="A")]
    >>> [found] = measure_found(rows, LawRows([100]))
    >>> len(found.formulas), dict(found.left_out)
    (1, {'R² below 0.8': 1})
    """
    formulas: dict[str, list[MeasuredFormula]] = {row.method: [] for row in rows}
    left_out: dict[str, Counter[str]] = {row.method: Counter() for row in rows}
    for done, (place, outcome) in enumerate(measure_each(rows, where), start=1):
        method = rows[place].method
        if isinstance(outcome, str):
            left_out[method][outcome] += 1
        else:
            formulas[method].append(outcome)
        if progress is not None:
            progress(done, len(rows))
    return tuple(
        FoundByMethod(method, tuple(kept), left_out[method]) for method, kept in formulas.items()
    )


def measure_each(
    rows: Sequence[Listed], where: _Rows
) -> Iterator[tuple[int, MeasuredFormula | str]]:
    """The place of each row, a group of method and problem after the other, with what its formula
    loses or why it is left out.
    """
    for places in groups_of(rows).values():
        yield from zip(
            places, _measure_group([rows[place] for place in places], where), strict=True
        )


def _measure_group(group: Sequence[Listed], where: _Rows) -> Iterator[MeasuredFormula | str]:
    """Each formula of one method for one problem, or why it is left out."""
    problem = group[0].problem
    try:
        columns = where.inputs(problem)
    except DataError:
        yield from [NO_LAW] * len(group)
        return
    counting, _ = counting_of([row.candidate() for row in group], columns)
    for row in group:
        reading: Reading | str = row.error or read_candidate(row.candidate(), columns)
        if isinstance(reading, str):
            yield REFUSED
            continue
        try:
            digits, ranges = where.measure(problem, reading, counting)
        except UserError:
            yield REFUSED
            continue
        yield _why_left_out(digits) or MeasuredFormula(
            f"row {row.row}",
            problem,
            row.formula,
            reading.formula.complexity,
            digits,
            ranges=ranges,
            syntax=row.syntax,
        )


def _why_left_out(digits: Mapping[int, Digits]) -> str:
    """The reason not to count a formula, by the largest number of rows; "" if it counts."""
    most = digits[max(digits)]
    if math.isnan(most.eic) and not most.valid:
        return NO_VALUE
    if math.isnan(most.r2):
        return NO_FIT
    return POOR_FIT if most.r2 < LEAST_R2 else ""


def stored_found(rows: Sequence[Listed]) -> tuple[FoundByMethod, ...]:
    """Take the scores that a pool brings along, without computing anything.

    - `rows`: with ``eic``, ``complexity`` and perhaps ``r2`` among what is stored.

    >>> row = Listed(1, "x", method="A", problem="p", stored={"complexity": 1.0, "eic": 0.0})
    >>> [found] = stored_found([row])
    >>> found.formulas[0].at(1000).eic
    0.0
    """
    formulas: dict[str, list[MeasuredFormula]] = {row.method: [] for row in rows}
    left_out: dict[str, Counter[str]] = {row.method: Counter() for row in rows}
    for row in rows:
        eic, nodes = row.stored.get("eic", math.nan), row.stored.get("complexity", math.nan)
        r2 = row.stored.get("r2", math.nan)
        if math.isnan(eic) or not 0 < nodes < 2**31:
            left_out[row.method][NO_SCORE] += 1
        elif r2 < LEAST_R2:
            left_out[row.method][POOR_FIT] += 1
        else:
            name = f"row {row.row}"
            digits = {0: Digits(eic, math.nan, r2=r2)}
            formulas[row.method].append(
                MeasuredFormula(name, row.problem or name, row.formula, int(nodes), digits)
            )
    return tuple(
        FoundByMethod(method, tuple(kept), left_out[method]) for method, kept in formulas.items()
    )
