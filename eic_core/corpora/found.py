"""Formulas that methods found, read from a pool and measured on rows of laws or tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """The formulas of one method in a pool."""

    method: str  # "" if the pool does not say
    formulas: tuple[MeasuredFormula, ...]  # Those that fit; `MeasuredFormula.law` is the problem
    left_out: Mapping[str, int] = field(default_factory=dict)  # Numbers of formulas, by reason


class _Rows(Protocol):
    def inputs(self, problem: str) -> Sequence[str]: ...

    def measure(
        self, problem: str, reading: Reading, counting: Counting
    ) -> tuple[Mapping[int, Digits], Mapping[str, Domain]]: ...


def law_names() -> frozenset[str]:
    return frozenset(law.name for name in ("feynman", "strogatz") for law in load(name))


class LawRows:
    """Rows drawn from the ranges of a law, for the formulas that were found for it.

    Parameters
    ----------
    counts
        Numbers of rows; the digits are measured at each of them.
    seed
        Of the rows; non-negative.
    """

    def __init__(self, counts: Sequence[int] = COUNTS, seed: int = SEED) -> None:
        self.counts, self.seed = tuple(counts), seed
        self._laws = {law.name: law for name in ("feynman", "strogatz") for law in load(name)}
        self._rows_of_law: tuple[str, dict[int, Samples]] = ("", {})

    def inputs(self, problem: str) -> Sequence[str]:
        """The law's variables, in the order of the columns that the method saw.

        Parameters
        ----------
        problem
            The law's name; another one raises DataError.

        Returns
        -------
        Sequence[str]
            As the law writes them.
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
            The formula as read.
        counting
            What x0 and x1 count from in the method's formulas for this problem.

        Returns
        -------
        tuple[dict[int, Digits], dict[str, Domain]]
            By the number of rows; and by the formula's own names of its variables.
        """
        law = self._law(problem)
        formula = reading.formula
        match = counting.match(formula.variables, law.variables, counting.of(reading))
        if match.missing:
            raise DataError(f"`{match.missing[0]}` is no variable of {problem}")
        # a pool names many formulas for a law in a row: its rows are drawn once for all of them
        if self._rows_of_law[0] != problem:
            self._rows_of_law = problem, {n: law.samples(n, self.seed) for n in self.counts}
        digits = {}
        for count, drawn in self._rows_of_law[1].items():
            columns = {
                n: drawn.columns[canonical_name(column)] for n, column in match.mapping.items()
            }
            samples = Samples.from_columns(columns, count=len(drawn), target=drawn.target)
            digits[count] = digits_of(formula, samples, recheck=False)
        return digits, {n: law.domains[column] for n, column in match.mapping.items()}

    def _law(self, problem: str) -> Law:
        if problem not in self._laws:
            raise _NoLaw(f"there is no law `{problem}`")
        return self._laws[problem]


class _NoLaw(DataError):
    """The formula was found for another problem."""


class TableRows:
    """The rows of a folder that holds PROBLEM.csv for each problem, the last column the target."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise DataError(f"there is no folder {folder}")
        self._problems = ProblemData(folder)

    def inputs(self, problem: str) -> Sequence[str]:
        return self._problems.inputs(problem)

    def measure(
        self, problem: str, reading: Reading, counting: Counting
    ) -> tuple[dict[int, Digits], dict[str, Domain]]:
        samples = self._problems.samples(problem, reading, counting)
        return {len(samples): digits_of(reading.formula, samples, recheck=False)}, {}


def measure_found(
    rows: Sequence[Listed], where: _Rows, *, progress: Progress | None = None
) -> tuple[FoundByMethod, ...]:
    """Measure a pool, method by method, in the order in which they first appear.

    Parameters
    ----------
    rows
        As importing gives them, each with its problem.
    where
        The source of the rows: `LawRows` or `TableRows`.
    progress
        Called with how many are done and of how many; an exception from it ends the measuring.

    Returns
    -------
    tuple[FoundByMethod, ...]
        One entry a method, in double precision, with the formulas whose R² is at least
        `LEAST_R2` on the largest number of rows.

    Examples
    --------
    >>> rows = [Listed(1, "x0*x1", problem="feynman_I_12_1", method="A"),
    ...         Listed(2, "sin(x0)", problem="feynman_I_12_1", method="A")]
    >>> [pool] = measure_found(rows, LawRows([100]))
    >>> len(pool.formulas), dict(pool.left_out)
    (1, {'R² below 0.8': 1})
    """

    def outcomes() -> Iterator[tuple[str, MeasuredFormula | str]]:
        for done, (place, outcome) in enumerate(measure_each(rows, where), start=1):
            yield rows[place].method, outcome
            if progress is not None:
                progress(done, len(rows))

    return collect_by_method(rows, outcomes())


def collect_by_method(
    rows: Sequence[Listed], outcomes: Iterable[tuple[str, MeasuredFormula | str]]
) -> tuple[FoundByMethod, ...]:
    """Each method with its formulas and its reasons for none, in the order of the rows."""
    formulas: dict[str, list[MeasuredFormula]] = {row.method: [] for row in rows}
    left_out = {method: Counter[str]() for method in formulas}
    for method, outcome in outcomes:
        if isinstance(outcome, str):
            left_out[method][outcome] += 1
        else:
            formulas[method].append(outcome)
    return tuple(
        FoundByMethod(method, tuple(own), left_out[method]) for method, own in formulas.items()
    )


def measure_each(
    rows: Sequence[Listed], where: _Rows
) -> Iterator[tuple[int, MeasuredFormula | str]]:
    """Each row's place, by method and problem, and its formula or the reason for none."""
    for places in groups_of(rows).values():
        yield from zip(
            places, _measure_group([rows[place] for place in places], where), strict=True
        )


def _measure_group(group: Sequence[Listed], where: _Rows) -> Iterator[MeasuredFormula | str]:
    problem = group[0].problem
    try:
        columns = where.inputs(problem)
    except DataError:
        yield from [NO_LAW] * len(group)
        return
    counting, _ = counting_of([row.candidate() for row in group], columns)
    for row in group:
        reading = None if row.error else read_candidate(row.candidate(), columns)
        if not isinstance(reading, Reading):
            yield REFUSED
            continue
        try:
            digits, ranges = where.measure(problem, reading, counting)
        except UserError:
            yield REFUSED
            continue
        yield _reason_to_leave_out(digits) or MeasuredFormula(
            f"row {row.row}",
            problem,
            row.formula,
            reading.formula.complexity,
            digits,
            ranges=ranges,
            syntax=row.syntax,
        )


def _reason_to_leave_out(digits: Mapping[int, Digits]) -> str:
    """The reason not to count a formula, by its largest number of rows; "" if it counts."""
    most = digits[max(digits)]
    # in this order: without any value there is no R², and without R² no fit to judge
    if math.isnan(most.eic) and not most.valid:
        return NO_VALUE
    if math.isnan(most.r2):
        return NO_FIT
    return POOR_FIT if most.r2 < LEAST_R2 else ""


def take_stored_scores(rows: Sequence[Listed]) -> tuple[FoundByMethod, ...]:
    """Take ``eic``, ``complexity`` and ``r2`` that a pool brings along, without computing any.

    >>> row = Listed(1, "x", method="A", problem="p", stored={"complexity": 1.0, "eic": 0.0})
    >>> [pool] = take_stored_scores([row])
    >>> pool.formulas[0].at(1000).eic
    0.0
    """
    return collect_by_method(rows, ((row.method, _stored_outcome(row)) for row in rows))


def _stored_outcome(row: Listed) -> MeasuredFormula | str:
    eic, nodes = row.stored.get("eic", math.nan), row.stored.get("complexity", math.nan)
    r2 = row.stored.get("r2", math.nan)
    # a file may hold any number here: nodes must fit an integer
    if math.isnan(eic) or not 0 < nodes < 2**31:
        return NO_SCORE
    if r2 < LEAST_R2:
        return POOR_FIT
    name = f"row {row.row}"
    digits = {0: Digits(eic, math.nan, r2=r2)}
    return MeasuredFormula(name, row.problem or name, row.formula, int(nodes), digits)
