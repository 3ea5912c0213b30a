"""Batch scoring: complexity, R^2 and EIC of every candidate of a pool."""

from __future__ import annotations

import csv
import gc
import gzip
import math
import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eic_core.engine.amplify import amplify
from eic_core.engine.constants import settled_constants
from eic_core.engine.population import Population
from eic_core.engine.tape import tape_of
from eic_core.errors import DataError, UserError, require
from eic_core.exports import csv_writer
from eic_core.formula.rendering import short_text
from eic_core.formula.syntax import Reading
from eic_core.formula.tree import Exponents, Formula
from eic_core.measure.fit import program_values, r_squared
from eic_core.measure.inspection import inspect
from eic_core.measure.reasons import Outcome
from eic_core.measure.table import NoColumn, Table, VariableMatch, read_table
from eic_core.operators import OPERATORS
from eic_core.pool import phrases
from eic_core.pool.candidate import (
    Candidate,
    LeftOutKind,
    NoValue,
    Refused,
    Score,
    opened_pool,
    read_candidate,
    refused_score,
)
from eic_core.pool.counting import Counting, counting_of, groups_of
from eic_core.samples import Samples

SCORE_COLUMNS = (
    "complexity",
    "r2",
    "eic",
    "eic_finite",
    "invalid",
    "singular",
    "out_of_range",
    "error",
)

FINDING_COLUMNS = ("level", "cause", "step")
"""What a diagnosis adds to them (`diagnose_score`)."""

_CHUNK = 64  # formulas that one process scores before it takes the next

DOUBTFUL = 13.0
"""EIC above which double precision itself fails."""

_MOST_AT_ONCE = 1 << 21
"""Values that formulas measured in one go may have."""

_MOST_CACHED = 1 << 22
"""Numbers of samples that wait for the next formulas with the same variables: 32 MB."""

Progress = Callable[[int, int], None]


def read_pool(path: Path, name: str = "") -> tuple[list[str], list[Candidate]]:
    """Columns and candidates of a pool's CSV file, gzipped or not; DataError if it is none.
    `name` is what errors call it, its path by default.
    """
    name = name or str(path)
    with opened_pool(path, name) as file:
        reader = csv.reader(file)
        columns = next((row for row in reader if row), [])
        candidates = [Candidate.from_row(_by_column(columns, cells)) for cells in reader if cells]
    if not candidates:
        raise DataError(f"{name} has no rows", hint="a pool has a header and a row a formula")
    return columns, candidates


def _by_column(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    row = dict(zip(columns, cells, strict=False))
    for name in columns[len(cells) :]:
        row[name] = ""
    return row


def no_data(problem: str) -> str:
    """Why a formula of a problem without a table is refused, as a scored pool has it."""
    return f"there is no data for problem `{problem}`"


class ProblemData:
    """The tables of a folder of problems, PROBLEM.csv with the target last, and cached samples."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tables: dict[str, Table] = {}
        self._samples: dict[Hashable, tuple[Samples, VariableMatch]] = {}
        self._cached = 0

    def table(self, problem: str) -> Table:
        """The table of one problem; DataError if there is none, or its name leaves the folder."""
        if problem not in self._tables:
            path = self.folder / f"{problem}.csv"
            if not problem or path.parent != self.folder or not path.is_file():
                raise DataError(no_data(problem))
            self._tables[problem] = read_table(path)
        return self._tables[problem]

    def samples(self, problem: str, reading: Reading, counting: Counting) -> Samples:
        return self.matched(problem, reading, counting)[0]

    def matched(
        self, problem: str, reading: Reading, counting: Counting
    ) -> tuple[Samples, VariableMatch]:
        """The rows on which a formula is scored, and the column of each variable."""
        variables, base = reading.formula.variables, counting.of(reading)
        key = problem, variables, base, counting.variables.get(base)
        entry = self._samples.get(key)
        if entry is None:
            match = counting.match(variables, self.inputs(problem), base)
            entry = self._rows(problem, match), match
            size = len(entry[0]) * (len(variables) + 1)
            if self._cached + size > _MOST_CACHED:
                self._samples.clear()
                self._cached = 0
            self._samples[key] = entry
            self._cached += size
        return entry

    def inputs(self, problem: str) -> tuple[str, ...]:
        return self.table(problem).names[:-1]

    def _rows(self, problem: str, match: VariableMatch) -> Samples:
        if match.missing:
            raise NoColumn(match.missing, self.inputs(problem))
        table = self.table(problem)
        return table.samples(match.mapping, table.names[-1])


def measure_formula(formula: Formula, samples: Samples) -> Score:
    """A formula's score; where a sample is invalid or singular, EIC above `DOUBTFUL`, or a step
    jumps, samples are settled as an inspection settles them. Without a target `Score.r2` is nan.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]}, target=[2.0, 4.0])
    >>> measure_formula(read("x+x").formula, samples).r2
    1.0
    """
    result = amplify(formula, samples, recheck=False, root_values=True)
    assert result.root_values is not None
    values = program_values(result.root_values, formula, samples)
    out_of_range = result.out_of_range
    if (
        result.singular_samples
        or result.valid_count < len(samples)
        or not result.eic_finite <= DOUBTFUL
        or _jumps(formula)
    ):
        result = amplify(formula, samples)  # doubles cannot tell: what an inspection says of them
    return Score(
        complexity=formula.complexity,
        r2=_r2(values, samples),
        eic=result.eic,
        eic_finite=result.eic_finite,
        invalid=len(samples) - result.valid_count,
        singular=result.singular_samples,
        out_of_range=out_of_range,
        exponents=formula.exponents,
        values=_hash_of(values),
    )


def _hash_of(values: np.ndarray) -> str:
    """A hash that does not see the last digits of doubles, in which equal formulas differ."""
    if not np.isfinite(values).any():
        return ""
    with np.errstate(over="ignore", under="ignore"):
        single = np.where(np.isnan(values), np.nan, values + 0.0).astype(np.float32)
    return blake2b(single.tobytes(), digest_size=8).hexdigest()


def diagnose_score(score: Score, formula: Formula, samples: Samples) -> Score:
    """A score with the level, cause and step of the formula's verdict: some hundredths of a second.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0, 3.1]})
    >>> formula = read("10000*x - 9999*x").formula
    >>> diagnosed = diagnose_score(measure_formula(formula, samples), formula, samples)
    >>> diagnosed.level, diagnosed.cause, diagnosed.step
    ('very-sensitive', 'cancellation', '10000·x − 9999·x')
    """
    from eic_core.explain.verdict import verdict  # balls come with it

    judged = verdict(inspect(formula, samples))
    leading = judged.leading
    return replace(
        score,
        level=judged.level.value,
        cause="" if leading is None else leading.cause.name(),
        step="" if leading is None else short_text(formula, leading.cause.node, _STEP_TEXT),
    )


_STEP_TEXT = 60
"""Characters of a step in a table."""


def account_for(score: Score, formula: Formula, samples: Samples) -> Score:
    """A score with what it lacks, and why: rows without a value, and steps without a digit.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [3.0, 4.0, 5.0]}, target=[0.0, 1.0, 2.0])
    >>> formula = read("log(x - 3)").formula
    >>> score = account_for(measure_formula(formula, samples), formula, samples)
    >>> score.left_out, score.no_value.rows
    (<LeftOutKind.NO_VALUE: 'no_value'>, (1,))
    >>> print(score.no_value.sentence)
    No real value at 1 of 3 rows, at `log(x − 3)`: the argument of a logarithm must be positive.
    """
    no_r2 = samples.target is not None and math.isnan(score.r2)
    nowhere = score.invalid == len(samples)
    if not (no_r2 or score.singular or nowhere or (score.invalid and samples.target is not None)):
        return score
    result = amplify(formula, samples, recheck=False, root_values=True)
    assert result.root_values is not None
    without = np.flatnonzero(~np.isfinite(result.root_values))
    if score.invalid and not len(without):  # a program has a value where there is none
        without = np.flatnonzero(~amplify(formula, samples).valid)
    if score.singular:
        worst = int(np.argmax(result.singular))
        step = short_text(formula, worst, _STEP_TEXT)
        score = replace(score, no_digit_at=step)
    if len(without) and (score.invalid or no_r2):
        missing = no_value(formula, samples, without)
        if samples.target is not None and not no_r2:
            missing = replace(missing, sentence=phrases.of_a_program(missing.sentence))
        score = replace(score, no_value=missing)
    if no_r2:
        return replace(
            score, left_out=LeftOutKind.NO_VALUE if len(without) else LeftOutKind.SAME_TARGET
        )
    return (
        replace(score, left_out=LeftOutKind.NO_VALUE)
        if nowhere and samples.target is None
        else score
    )


_MOST_NAMED = 5
"""Rows of a table that are named."""


def no_value(formula: Formula, samples: Samples, rows: np.ndarray) -> NoValue:
    """What an inspection of these samples says of the rows without a value, ascending from 0."""
    from eic_core.explain.judgement import NO_VALUE, Lead  # balls come with it
    from eic_core.explain.phrases.causes import clause
    from eic_core.explain.phrases.headline import headline
    from eic_core.explain.verdict import verdict

    numbers = samples.row_numbers[rows]
    first, of = tuple(numbers[:_MOST_NAMED].tolist()), len(samples)
    judged = verdict(inspect(formula, samples.take(rows)))
    findings = [replace(f, of=of) for f in judged.findings if f.outcome in NO_VALUE]
    if not findings:
        cause = phrases.no_finite_value()
        return NoValue(phrases.no_finite_value_at(len(rows), of), cause, "", first, len(rows), of)
    leading = findings[0]
    step = short_text(formula, leading.cause.node, _STEP_TEXT)
    cause = phrases.without_value(
        clause(leading.cause, formula), in_doubles=leading.outcome is Outcome.NO_DOUBLE
    )
    whole = replace(judged, findings=tuple(findings), lead=Lead.NO_VALUE)
    return NoValue(headline(whole), cause, step, first, len(rows), of)


def _r2(values: np.ndarray, samples: Samples) -> float:
    if samples.target is None:
        return math.nan
    return r_squared(values, samples.target, spread=samples.target_spread)


def measure_formulas(formulas: Sequence[Formula], samples: Samples) -> list[Score]:
    """`measure_formula` of each, most of them in one go.

    >>> from eic_core.formula.syntax import read
    >>> samples = Samples.from_columns({"x": [1.0, 2.0]}, target=[2.0, 4.0])
    >>> formulas = [read(text).formula for text in ("x+x", "2*x")]
    >>> [score.r2 for score in measure_formulas(formulas, samples)]
    [1.0, 1.0]
    """
    scores: list[Score] = []
    at_once = max(1, _MOST_AT_ONCE // len(samples))
    for start in range(0, len(formulas), at_once):
        some = formulas[start : start + at_once]
        population = Population(some)
        together = population.ordinary(samples) if len(some) > 1 else None
        if together is None:
            scores += [measure_formula(formula, samples) for formula in some]
            continue
        rows = zip(some, together[0].tolist(), together[1], strict=True)
        for i, (formula, eic, values) in enumerate(rows):
            by_constants = population.has_constant_step(i) and settled_constants(tape_of(formula))
            if not eic <= DOUBTFUL or by_constants or _jumps(formula):
                scores.append(measure_formula(formula, samples))
            else:
                score = Score(formula.complexity, _r2(values, samples), eic, eic)
                scores.append(replace(score, exponents=formula.exponents))
    return scores


def _jumps(formula: Formula) -> bool:
    """Whether the last bit of a double may decide on which side of a jump a sample is."""
    return any(OPERATORS[node.operator].jumps for node in formula.nodes if node.children)


def score(
    formulas: Iterable[Formula | str], samples: Samples, *, exponents: Exponents = "exact"
) -> list[Score]:
    """Score formulas on the same rows, in order, none dropped.

    Parameters
    ----------
    formulas
        Texts are read in any notation.
    samples
        With a column for each variable, by name; with a target for R^2.
    exponents
        How literal exponents of texts are read; see `eic_core.read`.

    Returns
    -------
    list[Score]
        `Score.error` says why a formula was refused.

    Examples
    --------

    >>> samples = Samples.from_columns({"x": [1.0, 2.0]}, target=[2.0, 4.0])
    >>> good, bad, refused = score(["x+x", "10000*x - 9998*x", "lg(x)"], samples)
    >>> [(each.complexity, each.r2, round(each.eic, 1)) for each in (good, bad)]
    [(3, 1.0, 0.1), (7, 1.0, 4.1)]
    >>> refused.error
    'unknown function `lg`: did you mean `log10`? (column 1)'
    """
    require(samples, Samples)
    names = tuple(samples.columns)
    if isinstance(formulas, str) or not isinstance(formulas, Iterable):
        raise UserError("the formulas are no list", hint="give one, as `[text]`")
    scores: list[Score] = []
    readable: dict[int, Formula] = {}
    for i, formula in enumerate(formulas):
        scores.append(Score())
        if isinstance(formula, str):
            reading = read_candidate(Candidate("", formula, exponents=exponents), names)
            if isinstance(reading, Refused):
                scores[i] = refused_score(reading)
                continue
            formula = reading.formula
        require(formula, Formula)
        try:
            samples.require(formula.variables)
            readable[i] = formula
        except DataError as error:
            scores[i] = refused_score(error)
    results = measure_formulas(list(readable.values()), samples)
    for (i, formula), each in zip(readable.items(), results, strict=True):
        scores[i] = account_for(each, formula, samples)
    return scores


class _Task(NamedTuple):
    members: Sequence[tuple[int, Candidate]]
    counting: Counting
    findings: bool
    readings: Sequence[Reading | Refused]
    # of the first members, if they have been read; to send them takes longer than to read again


_Sent = tuple[str, Counting, bool, list[tuple[str, str, str, Mapping[str, str], Exponents]]]
"""A task as plain texts, which are sent faster than they are read."""

_worker: list[ProblemData] = []


def _prepare(folder: str) -> None:
    gc.freeze()  # objects of the parent process: collecting them would copy their pages
    _worker[:] = [ProblemData(Path(folder))]


def _score_sent(sent: _Sent) -> list[Score]:
    problem, counting, findings, formulas = sent
    members = [
        (i, Candidate(problem, text, method, syntax, parameters, exponents=exponents))
        for i, (text, method, syntax, parameters, exponents) in enumerate(formulas)
    ]
    return [result for _, result in _scored(_worker[0], _Task(members, counting, findings, ()))]


def _scored(problems: ProblemData, task: _Task) -> list[tuple[int, Score]]:
    scores = [Score()] * len(task.members)
    groups: dict[int, tuple[Samples, list[int]]] = {}
    matches: list[tuple[Formula, VariableMatch] | None] = []
    for i, ((_, candidate), early) in enumerate(zip_longest(task.members, task.readings)):
        matches.append(None)
        try:
            columns = problems.inputs(candidate.problem)
            reading = read_candidate(candidate, columns) if early is None else early
            if isinstance(reading, Refused):
                scores[i] = refused_score(reading)
                continue
            samples, match = problems.matched(candidate.problem, reading, task.counting)
            matches[i] = reading.formula, match
            groups.setdefault(id(samples), (samples, []))[1].append(i)
        except NoColumn as error:
            scores[i] = refused_score(error, LeftOutKind.NO_COLUMN)
        except UserError as error:
            scores[i] = refused_score(error)
    for samples, members in groups.values():
        pairs = [pair for i in members if (pair := matches[i]) is not None]
        results = measure_formulas([formula for formula, _ in pairs], samples)
        results = [  # of a formula with an R², a pool says nothing that an account would add
            account_for(result, formula, samples) if math.isnan(result.r2) else result
            for result, (formula, _) in zip(results, pairs, strict=True)
        ]
        if task.findings:
            results = [
                diagnose_score(result, formula, samples)
                for result, (formula, _) in zip(results, pairs, strict=True)
            ]
        for i, (_, match), result in zip(members, pairs, results, strict=True):
            counted = match.index_base, tuple(match.renamed.items())
            scores[i] = replace(result, counted=counted) if counted[1] else result
    return [(position, each) for (position, _), each in zip(task.members, scores, strict=True)]


def score_pool(
    candidates: Sequence[Candidate],
    folder: Path,
    *,
    jobs: int | None = None,
    findings: bool = False,
    progress: Progress | None = None,
) -> list[Score]:
    """Score every candidate, in order, none dropped.

    A formula with rows that are invalid or singular, steps that jump, or an EIC above `DOUBTFUL` is
    settled as `inspect` does; of others no sample is rechecked, and those out of double range are
    followed with wider exponents.

    Parameters
    ----------
    candidates
        Of any problems, in any order.
    folder
        Holds PROBLEM.csv for each problem.
    jobs
        Worker processes; default: one a core. 1 scores in this process.
    findings
        Whether to diagnose each formula, too (`diagnose_score`): some hundred times as slow.
    progress
        Called with candidates done and all candidates.

    Returns
    -------
    list[Score]
        One for each candidate; `Score.error` says why one was refused.
    """
    workers = jobs or os.cpu_count() or 1
    scores: list[Score] = [Score()] * len(candidates)
    done = 0
    for finished in _run(candidates, folder, workers, findings):
        for position, result in finished:
            scores[position] = result
        done += len(finished)
        if progress is not None:
            progress(done, len(candidates))
    return scores


def _tasks(
    candidates: Sequence[Candidate], problems: ProblemData, findings: bool
) -> Iterator[_Task]:
    for group, places in groups_of(candidates).items():
        members = [(i, candidates[i]) for i in places]
        columns: Sequence[str] = ()
        with suppress(DataError):
            columns = problems.inputs(group[0])
        counting, readings = counting_of([c for _, c in members], columns)
        for start in range(0, len(members), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            yield _Task(members[chunk], counting, findings, readings[chunk])


def _run(
    candidates: Sequence[Candidate], folder: Path, workers: int, findings: bool
) -> Iterator[list[tuple[int, Score]]]:
    problems = ProblemData(folder)
    tasks = _tasks(candidates, problems, findings)
    if workers == 1 or len(candidates) <= _CHUNK:
        for task in tasks:
            yield _scored(problems, task)
        return
    from concurrent.futures import ProcessPoolExecutor  # takes a while

    sent = list(tasks)
    with ProcessPoolExecutor(
        max_workers=min(workers, len(sent)), initializer=_prepare, initargs=(str(folder),)
    ) as executor:
        futures = [executor.submit(_score_sent, _to_send(task)) for task in sent]
        for task, future in zip(sent, futures, strict=True):
            yield [
                (i, result) for (i, _), result in zip(task.members, future.result(), strict=True)
            ]


def _to_send(task: _Task) -> _Sent:
    fields = [(c.formula, c.method, c.syntax, c.parameters, c.exponents) for _, c in task.members]
    return task.members[0][1].problem, task.counting, task.findings, fields


def write_scored(
    path: Path,
    columns: Sequence[str],
    candidates: Sequence[Candidate],
    scores: Sequence[Score],
    *,
    findings: bool = False,
) -> None:
    """Write a scored pool: its columns, but for scores that it held, how exponents were read, then
    `SCORE_COLUMNS`, and `FINDING_COLUMNS` if asked for.
    """
    added = ("exponents", *SCORE_COLUMNS, *(FINDING_COLUMNS if findings else ()))
    pool_columns = [c for c in columns if c not in added]
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv_writer(file)
        writer.writerow([*pool_columns, *added])
        for candidate, result in zip(candidates, scores, strict=True):
            cells = {**candidate.row, **result.cells(), "exponents": candidate.exponents}
            writer.writerow([cells.get(c, "") for c in (*pool_columns, *added)])
