"""Scoring a list of formulas on one data set: a table, or ranges where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from types import MappingProxyType

import numpy as np

from eic_core.display import Displayed
from eic_core.errors import DataError, UserError
from eic_core.formula.syntax import Reading
from eic_core.measure.table import NoColumn, Table, renamed_columns
from eic_core.pool import phrases
from eic_core.pool.candidate import LeftOutKind, Refused, Score, read_candidate, refused_score
from eic_core.pool.counting import (
    Counting,
    counting_notes,
    counting_of,
    groups_of,
    index_of,
)
from eic_core.pool.front import front
from eic_core.pool.importers.listed import Listed
from eic_core.pool.list_variables import ListedVariables
from eic_core.pool.scoring import account_for, diagnose_score, measure_formula
from eic_core.samples import Domain, Samples, sample_domains

_CHUNK = 32  # formulas that one process scores before it takes the next

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class TableData:
    table: Table
    target: str = ""  # Column that the formulas should reproduce; "" for none
    # Index of the first variable, 0 or 1; None lets each method's formulas tell
    base: int | None = None

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(name for name in self.table.names if name != self.target)


@dataclass(frozen=True)
class RangeData:
    domains: Mapping[str, Domain] = field(default_factory=dict)
    default: Domain | None = None  # For variables without one; None refuses their formulas
    count: int = 1_000  # Samples
    seed: int = 0  # 0 or more
    names: ListedVariables | None = None  # Names that formulas share; None: each has its own

    # Always empty: a range is for a variable, not for a column
    inputs: tuple[str, ...] = field(default=(), init=False)


ListingData = TableData | RangeData


@dataclass(frozen=True)
class ListedScore:
    listed: Listed
    score: Score  # `Score.r2` is nan without a target
    syntax: str = ""  # The notation it was read in, "" if it was refused
    base: int | None = None  # Index of its first variable
    renumbered: bool = False  # Whether its x1 is the list's x0 (`ListedVariables`)
    missing: tuple[str, ...] = ()  # Variables for which the table has no column
    # By variable; empty without a table
    columns: Mapping[str, str] = field(default_factory=dict)
    protected: tuple[str, ...] = ()  # Its functions that gplearn protects, if gplearn printed it
    rows: int = 0  # Rows that it was measured on


class ScoredList(Displayed, tuple[ListedScore, ...]):
    """A list's formulas with their scores, in its order."""

    __slots__ = ()


def score_listing(
    rows: Sequence[Listed],
    data: ListingData,
    *,
    jobs: int = 1,
    findings: bool = False,
    progress: Progress | None = None,
) -> ScoredList:
    """Score every row, in order, none dropped.

    Samples are settled exactly as in `eic_core.pool.scoring.score_pool`.

    Parameters
    ----------
    rows
        As importing gives them, refused ones included.
    data
        A table, or ranges for the variables.
    jobs
        Worker processes; 1 scores in this one.
    findings
        Whether to diagnose each formula, too (`eic_core.pool.scoring.diagnose_score`).
    progress
        Called with rows done and all rows; an exception of it ends the scoring.

    Returns
    -------
    ScoredList
        One for each row; `Score.error` says why a formula was refused.

    Examples
    --------

    >>> rows = [Listed(1, "x+1"), Listed(2, "lg(x)")]
    >>> scores = score_listing(rows, RangeData({"x": Domain("fixed", 1.0, 1.0)}, count=1))
    >>> [(s.score.complexity, s.score.error[:19]) for s in scores]
    [(3, ''), (None, 'unknown function `l')]
    """
    results = [ListedScore(row, refused_score(row.error, LeftOutKind.NO_FORMULA)) for row in rows]
    done = sum(bool(row.error) for row in rows)
    for positions, scores in _run(rows, data, jobs, findings):
        for position, scored in zip(positions, scores, strict=True):
            results[position] = scored
        done += len(positions)
        if progress is not None:
            progress(done, len(rows))
    return ScoredList(results)


@dataclass(frozen=True)
class _Task:
    positions: tuple[int, ...]
    rows: tuple[Listed, ...]
    counting: Counting
    # Readings of the first rows, if they have been read
    readings: tuple[Reading | Refused, ...] = ()


def _tasks(rows: Sequence[Listed], data: ListingData) -> Iterator[_Task]:
    names = data.names if isinstance(data, RangeData) else None
    for group, places in groups_of(rows).items():
        counting, readings = Counting(), list[Reading | Refused]()
        if names is not None:
            counting = names.counting(group)
        elif isinstance(data, TableData):
            candidates = [rows[i].candidate() for i in places]
            counting, readings = counting_of(candidates, data.inputs, data.base)
        for start in range(0, len(places), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            members = tuple(rows[i] for i in places[chunk])
            yield _Task(tuple(places[chunk]), members, counting, tuple(readings[chunk]))


def _run(
    rows: Sequence[Listed], data: ListingData, jobs: int, findings: bool
) -> Iterator[tuple[tuple[int, ...], list[ListedScore]]]:
    if jobs == 1 or len(rows) <= _CHUNK:
        sampler = _Sampler(data, findings)
        for task in _tasks(rows, data):
            yield task.positions, _scored(task, sampler)
        return
    # to send readings takes longer than to read again
    tasks = [replace(task, readings=()) for task in _tasks(rows, data)]
    with ProcessPoolExecutor(
        max_workers=min(jobs, len(tasks)), initializer=_prepare, initargs=(data, findings)
    ) as executor:
        futures = [executor.submit(_score_task, task) for task in tasks]
        try:
            for task, future in zip(tasks, futures, strict=True):
                yield task.positions, future.result()
        finally:
            # an exception of `progress` ends the scoring at once, not after all that is queued
            executor.shutdown(wait=False, cancel_futures=True)


_worker: list[_Sampler] = []


def _prepare(data: ListingData, findings: bool) -> None:
    _worker[:] = [_Sampler(data, findings)]


def _score_task(task: _Task) -> list[ListedScore]:
    return _scored(task, _worker[0])


class _Sampler:
    def __init__(self, data: ListingData, findings: bool) -> None:
        self.data, self.findings = data, findings
        self._samples: dict[tuple[tuple[str, str], ...], Samples] = {}

    def samples(
        self, reading: Reading, counting: Counting
    ) -> tuple[Samples, int | None, Mapping[str, str]]:
        """The samples for a formula, the base of its variables, and their columns."""
        names, base = reading.formula.variables, counting.of(reading)
        data = self.data
        if isinstance(data, RangeData):
            ranges = {n: data.names.name(n, base) if data.names else n for n in names}
            missing = [n for n in ranges.values() if n not in data.domains and not data.default]
            if missing:
                raise DataError(f"no range for `{missing[0]}`", hint="give one for each variable")
            mixed = data.names is not None and data.names.mixed
            drawn = self._cached(tuple(ranges.items()), lambda: _drawn(data, ranges))
            return drawn, base if mixed else None, {}
        match = counting.match(names, data.inputs, base)
        if match.missing:
            raise NoColumn(match.missing, data.inputs)
        key = tuple(sorted(match.mapping.items()))
        table, target = data.table, data.target or None
        samples = self._cached(key, lambda: table.samples(match.mapping, target))
        return samples, match.index_base, match.mapping

    def _cached(self, key: tuple[tuple[str, str], ...], make: Callable[[], Samples]) -> Samples:
        if key not in self._samples:
            # formulas of one list share few sets of variables; 64 tables bound the memory
            if len(self._samples) >= 64:
                self._samples.clear()
            self._samples[key] = make()
        return self._samples[key]


def _drawn(data: RangeData, ranges: Mapping[str, str]) -> Samples:
    domains = {
        n: domain
        for n in ranges.values()
        if (domain := data.domains.get(n, data.default)) is not None
    }
    samples = sample_domains(domains, count=data.count, seed=data.seed)
    if all(variable == name for variable, name in ranges.items()):
        return samples
    # two variables of a formula may share one range, and then the same draws
    columns = {variable: samples.columns[name] for variable, name in ranges.items()}
    return replace(samples, columns=MappingProxyType(columns))


def _scored(task: _Task, sampler: _Sampler) -> list[ListedScore]:
    return [
        _scored_row(row, reading, sampler, task.counting)
        for row, reading in zip_longest(task.rows, task.readings)
    ]


def _scored_row(
    row: Listed, reading: Reading | Refused | None, sampler: _Sampler, counting: Counting
) -> ListedScore:
    try:
        if reading is None:
            reading = read_candidate(row.candidate(), sampler.data.inputs)
        if isinstance(reading, Refused):
            return ListedScore(row, refused_score(reading))
        samples, counted, columns = sampler.samples(reading, counting)
        measured = measure_formula(reading.formula, samples)
        measured = account_for(measured, reading.formula, samples)
        if sampler.findings:
            measured = diagnose_score(measured, reading.formula, samples)
        renumbered = isinstance(sampler.data, RangeData) and counted == 1
        return ListedScore(
            row,
            measured,
            reading.syntax,
            counted,
            renumbered,
            columns=columns,
            protected=reading.protected,
            rows=len(samples),
        )
    except NoColumn as error:
        return ListedScore(row, refused_score(error, LeftOutKind.NO_COLUMN), missing=error.missing)
    except UserError as error:
        return ListedScore(row, refused_score(error))


def diagnose_listing(
    rows: Sequence[Listed],
    scores: Sequence[ListedScore],
    data: ListingData,
    places: Collection[int],
    *,
    progress: Progress | None = None,
) -> tuple[ListedScore, ...]:
    """The scores, those at `places` with level, cause and step (`diagnose_score`).

    >>> rows = [Listed(1, "x+1"), Listed(2, "10000*x - 9999*x")]
    >>> data = RangeData({"x": Domain("uniform", 1.0, 5.0)})
    >>> scores = diagnose_listing(rows, score_listing(rows, data), data, [1])
    >>> [each.score.cause for each in scores]
    ['', 'cancellation']
    """
    results, sampler, done = list(scores), _Sampler(data, findings=True), 0
    for task in _tasks(rows, data):
        for place, row in zip(task.positions, task.rows, strict=True):
            if place not in places or scores[place].score.error:
                continue
            reading = read_candidate(row.candidate(), data.inputs)
            assert not isinstance(reading, Refused), reading  # it has been scored
            samples = sampler.samples(reading, task.counting)[0]
            diagnosed = diagnose_score(scores[place].score, reading.formula, samples)
            results[place] = replace(scores[place], score=diagnosed)
            done += 1
            if progress is not None:
                progress(done, len(places))
    return tuple(results)


def column_notes(scores: Sequence[ListedScore]) -> list[str]:
    return counting_notes(
        (s.listed.method, s.base, renamed_columns(s.columns).items()) for s in scores
    )


def counted_from(scores: Sequence[ListedScore]) -> tuple[tuple[int | None, int, str], ...]:
    """The bases of formulas with indexed variables on a table, as `ListedVariables.examples`."""
    by_base: dict[int | None, list[str]] = {}
    for scored in scores:
        if any(index_of(name) is not None for name in scored.columns):
            by_base.setdefault(scored.base, []).append(scored.listed.formula)
    return tuple((base, len(texts), texts[0]) for base, texts in by_base.items())


def stored_scores(rows: Sequence[Listed]) -> tuple[ListedScore, ...]:
    """The scores that a scored pool brought along, without computing anything.

    >>> row = Listed(1, "x0", stored={"complexity": 1, "r2": 0.5, "eic": 0.0, "eic_finite": 0.0})
    >>> stored_scores([row])[0].score.r2
    0.5
    """

    has_r2 = any("r2" in row.stored for row in rows)

    def of(row: Listed) -> ListedScore:
        stored = row.stored
        counts = [stored.get(n, 0.0) for n in ("complexity", "invalid", "singular")]
        if "complexity" not in stored or not all(0 <= c < 2**31 for c in counts):
            kind = LeftOutKind.NO_FORMULA if row.error else LeftOutKind.NO_SCORE
            return ListedScore(row, refused_score(row.error or str(phrases.no_r2(kind)), kind))
        lacking = math.isnan(stored.get("r2" if has_r2 else "eic", math.nan))
        score = Score(
            complexity=int(counts[0]),
            r2=stored.get("r2", math.nan),
            eic=stored.get("eic", math.nan),
            eic_finite=stored.get("eic_finite", math.nan),
            invalid=int(counts[1]),
            singular=int(counts[2]),
            exponents=row.exponents,
            left_out=LeftOutKind.NO_SCORE if lacking else None,
        )
        return ListedScore(row, score, row.syntax)

    return tuple(map(of, rows))


def accuracy_keys(scores: Sequence[ListedScore]) -> dict[str, np.ndarray]:
    """Measures of accuracy, best first: shape (N,), smaller is better, nan where a row has none."""
    offered = {"1 − R²": np.array([1 - s.score.r2 for s in scores], dtype=float)}
    for name in ("loss", "r2", "r2_test", "r2_train"):
        values = [s.listed.stored.get(name, math.nan) for s in scores]
        column = np.array(values, dtype=float)
        key = "loss, as stored" if name == "loss" else f"1 − {name}, as stored"
        offered[key] = column if name == "loss" else 1 - column
    # a scored pool on its own table: one of the two is enough
    computed, again = offered["1 − R²"], "1 − r2, as stored"
    if np.array_equal(computed, offered[again], equal_nan=True):
        del offered[again]
    return {name: values for name, values in offered.items() if not np.isnan(values).all()}


def front_of(
    scores: Sequence[ListedScore],
    accuracy: np.ndarray | None,
    counted: np.ndarray | None = None,
) -> np.ndarray:
    """The front in accuracy, complexity and EIC; without an accuracy, in the other two.

    Parameters
    ----------
    scores
        N of them.
    accuracy
        Smaller is better; see `accuracy_keys`. Shape (N,).
    counted
        Whether each formula counts; the others are on no front, and beat none. Shape (N,).

    Returns
    -------
    np.ndarray
        Shape (N,); False for refused formulas and those without an EIC.
    """
    complexity = [math.nan if s.score.complexity is None else s.score.complexity for s in scores]
    eic = [s.score.eic for s in scores]
    keys = [complexity, eic] if accuracy is None else [accuracy, complexity, eic]
    points = np.column_stack([np.asarray(k, dtype=float) for k in keys])
    if counted is not None:
        points[~counted] = math.nan
    return front(points)
