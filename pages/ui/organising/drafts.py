"""All that a study is made of, read once for each version of it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cached_property

from pages.ui.organising.desk import desk
from pages.ui.organising.problem_files import complete_rows
from pages.ui.wiring import draft_cache, figure_cache, lab, stopwatch
from study.ballots import problem_table
from study.matching import MatchingResult, MatchingRules, match_pool
from study.matching.result import Mode
from study.material import Pool, Problem, Study, StudyPair
from study.organising import OrganiserService
from study.pairing import RefusedRow, problem_files, scored_pool

LISTED = 500
NO_DATA = "there is no data for problem"


@dataclass(frozen=True, eq=False)
class Draft:
    """A study with its material, as of one version."""

    study: Study
    problems: tuple[Problem, ...]
    pool: Pool | None
    pairs: tuple[StudyPair, ...]

    @property
    def kept(self) -> tuple[StudyPair, ...]:
        """Pairs that are in the study."""
        return tuple(pair for pair in self.pairs if pair.in_study)

    @property
    def dropped(self) -> tuple[StudyPair, ...]:
        """Pairs that were left out, with a reason."""
        return tuple(pair for pair in self.pairs if not pair.in_study)

    @cached_property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Column names of each problem's table, the target last."""
        return {p.name: problem_table(p).names for p in self.problems}

    @cached_property
    def rows(self) -> dict[str, int]:
        """Rows of each problem's table."""
        return {p.name: problem_table(p).rows for p in self.problems}

    @cached_property
    def incomplete(self) -> dict[str, int]:
        """Rows of each problem's table that lack a number, and are not used."""
        tables = {p.name: problem_table(p) for p in self.problems}
        return {name: int((~complete_rows(t)).sum()) for name, t in tables.items()}

    @cached_property
    def pool_columns(self) -> tuple[str, ...]:
        """Header of the pool."""
        return tuple(next(csv.reader(io.StringIO(self.pool.csv)), ())) if self.pool else ()

    @cached_property
    def refused(self) -> tuple[RefusedRow, ...]:
        """Rows of the pool that have no scores."""
        if self.pool is None:
            return ()
        rows = csv.DictReader(io.StringIO(self.pool.csv), restval="")
        return tuple(
            RefusedRow(
                number, row.get("problem") or row.get("dataset") or "", row.get("formula") or "",
                row["error"],
            )
            for number, row in enumerate(rows, start=1)
            if row.get("error")
        )

    @cached_property
    def unscored(self) -> tuple[str, ...]:
        """Problems that were added after the pool was scored."""
        if not any(row.error.startswith(NO_DATA) for row in self.refused):
            return ()
        here = {problem.name for problem in self.problems}
        without = {r.problem for r in self.refused if r.error.startswith(NO_DATA)}
        return tuple(sorted(without & here))


def draft_of(service: OrganiserService, study: Study) -> Draft:
    """The study's material at the version that this run has seen."""
    version = desk().seen.get(study.id)
    key = (lab().settings.database_url, study.id, study.created_at, version)
    return draft_cache().get(
        key,
        lambda: Draft(
            study, service.problems(study.id), service.pool(study.id), service.pairs(study.id)
        ),
        lambda _: 1.0,
    )


def rules_of(study: Study) -> tuple[MatchingRules, Mode, int | None]:
    """Rules, mode and k that the pairs were made with; the defaults before that."""
    values = dict(study.rules)
    mode: Mode = values.pop("mode", "matching")
    k = values.pop("k", None)
    values.pop("unfinished", None)
    return MatchingRules.from_json(values), mode, k


def _key(draft: Draft, rules: MatchingRules, mode: Mode, k: int | None) -> tuple[object, ...]:
    assert draft.pool is not None
    digests = tuple(problem.digest for problem in draft.problems)
    return ("matching", draft.pool.digest, digests, rules, mode, k)


def keep_result(draft: Draft, result: MatchingResult) -> None:
    """Remember what matching said, for as long as this process runs, if it was not cut short."""
    if draft.pool is not None:
        key = _key(draft, result.rules, result.mode, result.k)
        figure_cache().get(key, lambda: result, lambda _: 5.0, lambda r: r.complete)


def matching_result(draft: Draft) -> MatchingResult | None:
    """What matching said of every formula, found anew if it is forgotten.

    What is found anew may be cut short; then this tab alone has it, until it asks for another.
    """
    if draft.pool is None or not draft.pairs:
        return None
    rules, mode, k = rules_of(draft.study)
    key = _key(draft, rules, mode, k)

    def again() -> MatchingResult:
        assert draft.pool is not None
        with problem_files(draft.problems) as folder:
            scored = scored_pool(draft.pool, draft.problems, rules.r2_column)
            return match_pool(
                scored, rules, mode=mode, k=k, problems=folder, clock=stopwatch()
            )

    def once() -> MatchingResult:
        kept = desk().kept.get("cut-short")
        if kept is None or kept[0] != key:
            kept = desk().kept["cut-short"] = (key, again())
        found: MatchingResult = kept[1]
        return found

    return figure_cache().get(key, once, lambda _: 5.0, lambda r: r.complete)
