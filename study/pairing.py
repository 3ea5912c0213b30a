"""Makes a draft's pairs from files: reads problems and a pool, scores it if need be, matches."""

from __future__ import annotations

import csv
import gzip
import io
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eic_core.errors import DataError, UserError
from eic_core.formula.syntax import Reading
from eic_core.formula.tree import Exponents
from eic_core.pool.candidate import Refused, read_candidate
from eic_core.pool.counting import Counting, Group, counting_of, group_of, groups_of
from eic_core.pool.scoring import SCORE_COLUMNS, read_pool, score_pool, write_scored
from study.ballots import problem_table
from study.errors import StudyError
from study.matching import (
    SECONDS,
    MatchedMember,
    MatchedPair,
    MatchingResult,
    MatchingRules,
    ScoredPool,
    match_pool,
)
from study.matching.result import Mode
from study.material import Member, NewPair, Pool, Problem, StudyPair
from study.organising import OrganiserService

Progress = Callable[[int, int], None]
MAX_UNPACKED = 300_000_000
"""Bytes of a pool's file, unpacked: a small gzip file can hold more than a machine has."""


@dataclass(frozen=True)
class RefusedRow:
    row: int
    problem: str
    formula: str
    error: str


@dataclass(frozen=True)
class PoolUpload:
    pool: Pool  # Scored
    # Rows that have an error instead of scores; they stay in the pool and are never matched
    refused: tuple[RefusedRow, ...]
    scored_here: bool  # Whether the file came without scores


def problems_from_folder(folder: Path, names: Iterable[str] | None = None) -> tuple[Problem, ...]:
    """A problem for each NAME.csv that fits; raises `StudyError` if one of `names` does not."""
    problems = []
    for name in sorted(names if names is not None else (p.stem for p in folder.glob("*.csv"))):
        path = folder / f"{name}.csv"
        if not path.is_file():
            raise StudyError(f"there is no file {path.name} in {folder}")
        problem = Problem(name, path.read_text(encoding="utf-8-sig"), title=name.replace("_", " "))
        try:
            problem_table(problem)
        except StudyError:
            if names is not None:
                raise
        else:
            problems.append(problem)
    return tuple(problems)


def read_upload(
    name: str,
    data: bytes,
    problems: Sequence[Problem],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    exponents: Exponents | None = None,
) -> PoolUpload:
    """Read a pool's CSV file, gzipped or not; score it if need be; else raise `DataError`.
    `exponents` tells how it is scored; None: as its column ``exponents`` says, else exact.
    """
    plain = _unpacked(name, data)
    with problem_files(problems) as folder:
        path = folder.parent / "pool.csv"
        path.write_bytes(plain)
        columns, candidates = read_pool(path, name)
        scored_here = not set(SCORE_COLUMNS) - {"error", "eic", "out_of_range"} <= set(columns)
        if scored_here:
            if exponents is not None:
                candidates = [replace(each, exponents=exponents) for each in candidates]
            scores = score_pool(candidates, folder, jobs=jobs, progress=progress)
            out = folder.parent / "scored.csv"
            write_scored(out, columns, candidates, scores)
            text = out.read_text(encoding="utf-8")
            errors = [score.error for score in scores]
        else:
            try:
                text = plain.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise DataError(f"cannot read {name}: {error}") from error
            errors = [candidate.row.get("error", "") for candidate in candidates]
    refused = tuple(
        RefusedRow(row, candidate.problem, candidate.formula, error)
        for row, (candidate, error) in enumerate(zip(candidates, errors, strict=True), start=1)
        if error
    )
    return PoolUpload(Pool(name, text, len(candidates)), refused, scored_here)


def _unpacked(name: str, data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        with gzip.open(io.BytesIO(data)) as file:
            plain = file.read(MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot unpack {name}: {error}", hint="gzip it again") from error
    if len(plain) > MAX_UNPACKED:
        raise DataError(
            f"the file {name} holds more than {MAX_UNPACKED // 1_000_000} MB",
            hint="keep the rows and columns that the study needs",
        )
    return plain


def match_candidates(
    pool: Pool,
    problems: Sequence[Problem],
    rules: MatchingRules,
    *,
    mode: Mode = "matching",
    k: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    allowed: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[MatchingResult, tuple[NewPair, ...]]:
    """Match a pool, with `allowed` seconds a problem; returns its pairs as a study's, too."""
    scored = scored_pool(pool, problems, rules.r2_column)
    with problem_files(problems) as folder:
        result = match_pool(
            scored,
            rules,
            mode=mode,
            k=k,
            problems=folder,
            seconds=allowed,
            progress=progress,
            clock=clock,
        )
    return result, pairs_from_matching(scored, result.pairs, problems)


def match_study(
    service: OrganiserService,
    study_id: int,
    rules: MatchingRules,
    *,
    mode: Mode = "matching",
    k: int | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    version_seen: int | None = None,
    seconds: float = SECONDS,
    clock: Callable[[], float] = time.monotonic,
    run: Callable[..., tuple[MatchingResult, tuple[NewPair, ...]]] | None = None,
) -> tuple[MatchingResult, tuple[StudyPair, ...]]:
    """Match a draft's pool, and make the pairs the draft's; raises `UserError` if it cannot."""
    pool, problems = service.pool(study_id), service.problems(study_id)
    if pool is None:
        raise StudyError("there is no pool yet", hint="upload one first")
    settings: dict[str, Any] = {"mode": mode, "k": k, "allowed": seconds, "clock": clock}
    if run is None:
        result, pairs = match_candidates(pool, problems, rules, progress=progress, **settings)
    else:
        result, pairs = run(match_candidates, pool, problems, rules, progress=progress, **settings)
    stored = {**result.rules.to_json(), "mode": mode, "k": k}
    if not result.complete:
        # Stored with the rules: whoever freezes must see that time ran out.
        stored["unfinished"] = list(result.unfinished)
    return result, service.set_pairs(study_id, pairs, stored, version_seen=version_seen)


def scored_pool(pool: Pool, problems: Sequence[Problem], r2_column: str = "r2") -> ScoredPool:
    """The rows of a stored pool; rows of other problems are marked as refused."""
    reader = csv.reader(io.StringIO(pool.csv))
    columns = next(reader, [])
    if "error" not in columns:
        columns.append("error")
    name = columns.index("problem" if "problem" in columns else "dataset")
    error = columns.index("error")
    names = {problem.name for problem in problems}

    def rows() -> Iterator[list[str]]:
        for row in reader:
            cells = row + [""] * (len(columns) - len(row))
            if cells[name] not in names:
                cells[error] = "no data for this problem"
            # Refused, not left out: row numbers must stay the pool's.
            yield cells

    return ScoredPool.from_rows(rows(), columns, r2=r2_column, source=pool.name)


def pairs_from_matching(
    pool: ScoredPool, pairs: Sequence[MatchedPair], problems: Sequence[Problem]
) -> tuple[NewPair, ...]:
    """The pairs as a study stores them, with whether their methods count from 0 or 1."""
    columns = {problem.name: problem_table(problem).names[:-1] for problem in problems}
    groups = groups_of(map(pool.candidate, range(len(pool))))
    countings: dict[Group, Counting] = {}

    def base_of(reading: Reading, group: Group, problem: str) -> int | None:
        counting, variables = countings[group], reading.formula.variables
        return counting.match(variables, columns[problem], counting.of(reading)).index_base

    def member(problem: str, matched: MatchedMember) -> Member:
        candidate = pool.candidate(matched.row)
        group = group_of(candidate)
        if group not in countings:
            rows = [pool.candidate(row) for row in groups[group]]
            countings[group] = counting_of(rows, columns[problem])[0]
        reading = read_candidate(candidate, columns[problem])
        return Member(
            formula=matched.formula,
            eic=matched.eic,
            r2=matched.r2,
            complexity=matched.complexity,
            syntax=matched.syntax,
            method=matched.method,
            row=matched.row,
            index_base=None if isinstance(reading, Refused) else base_of(reading, group, problem),
            parameters=dict(candidate.parameters),
        )

    return tuple(
        NewPair(
            problem=pair.problem,
            lower=member(pair.problem, pair.lower),
            higher=member(pair.problem, pair.higher),
            loss=pair.loss,
            same_function=pair.same_function is True,
            gap_share=pair.gap_share,
            gap_without_worst_row=pair.gap_without_worst_row,
        )
        for pair in pairs
    )


@contextmanager
def problem_files(problems: Sequence[Problem]) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="eic-lab-") as base:
        folder = Path(base) / "problems"
        folder.mkdir()
        for problem in problems:
            try:
                (folder / f"{problem.name}.csv").write_text(problem.csv, encoding="utf-8")
            except OSError as error:
                raise UserError(f"problem `{problem.name}` cannot be a file name") from error
        yield folder
