"""From draft to frozen: what stands in the way, what is hashed, what may not change meanwhile."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from eic_core import wording
from eic_core.exports import json_number
from study.assignment import PairToGive, max_disjoint_pairs
from study.ballots import needs_symbol, problem_table
from study.design import FORMAT, StudyDesign, StudyStatus
from study.errors import StaleEditError
from study.material import Member, PairKind, Problem, Study, StudyPair, unfinished_clause
from study.rating_types import says_nothing
from study.store import AuditLine, Tx


def configuration_of(tx: Tx, study_id: int) -> dict[str, Any]:
    """What a study's hash is of, from its rows as they are now; a frozen study keeps its format."""
    study = tx.studies.get(study_id)
    assert study is not None
    stored = tx.studies.configuration(study_id)
    format = json.loads(stored)["format"] if stored else FORMAT
    pool = tx.materials.pool(study_id)
    return {
        "format": format,
        "design": study.design.inference_json(format),
        "rules": dict(study.rules),
        "problems": [
            {
                "name": problem.name,
                "title": problem.title,
                "description": problem.description,
                "columns": [column.to_json() for column in problem.columns],
                "sha256": problem.digest,
            }
            for problem in tx.materials.problems(study_id)
        ],
        "pool": pool and {"name": pool.name, "rows": pool.rows, "sha256": pool.digest},
        "pairs": [
            _pair(pair, tx.materials.ballot(pair.id))
            for kind in PairKind
            for pair in tx.materials.pairs(study_id, kind)
        ],
    }


GAPS = ("gap_share", "gap_without_worst_row")


def _pair(pair: StudyPair, ballot: str | None) -> dict[str, Any]:
    # Unknown gaps are left out: configurations of before keep their hash.
    gaps = {name: value for name in GAPS if (value := getattr(pair.pair, name)) is not None}
    rules = json.loads(ballot).get("rules") if ballot else None
    return (
        gaps
        | ({"form": rules} if rules else {})
        | {
            "pair": pair.name,
            "kind": str(pair.pair.kind),
            "problem": pair.pair.problem,
            "loss": json_number(pair.pair.loss),
            "same_function": pair.pair.same_function,
            "dropped": pair.dropped,
            "lower": _member(pair.pair.lower),
            "higher": _member(pair.pair.higher),
            "ballot_sha256": ballot and hashlib.sha256(ballot.encode()).hexdigest(),
        }
    )


def _member(member: Member) -> dict[str, Any]:
    values = dataclasses.asdict(member)
    return {**values, "eic": json_number(member.eic), "r2": json_number(member.r2)}


def unexplained_columns(problem: Problem) -> tuple[str, ...]:
    """Columns whose name says nothing, and whose meaning nobody has written.

    >>> unexplained_columns(Problem("p", "t,target\\n1,2\\n2,3\\n"))
    ('target',)
    """
    return tuple(
        name
        for name in column_names(problem)
        if says_nothing(name) and not problem.column(name).meaning.strip()
    )


@lru_cache(256)
def column_names(problem: Problem) -> tuple[str, ...]:
    return tuple(problem_table(problem).names)


@dataclass(frozen=True)
class Readiness:
    missing: tuple[str, ...]  # What must be mended first; freezing is refused unless this is empty
    unexplained: int  # How many of these ask for the meaning of columns
    warnings: tuple[str, ...]  # What the organiser should know and may ignore
    pairs: int  # Pairs that raters would get
    votes: int  # Votes wanted in all
    raters: int  # Raters needed for them

    @property
    def ready(self) -> bool:
        return not self.missing


def readiness_of(tx: Tx, study: Study, now: datetime) -> Readiness:
    chosen = [p for p in tx.materials.pairs(study.id, PairKind.MAIN) if p.in_study]
    used = {p.pair.problem for p in chosen}
    problems = [problem for problem in tx.materials.problems(study.id) if problem.name in used]
    votes = len(chosen) * study.design.votes_per_pair
    unexplained = tuple(_unexplained(problems))
    return Readiness(
        (*_missing(study, chosen, now), *unexplained),
        len(unexplained),
        tuple(_warnings(study, problems)),
        len(chosen),
        votes,
        # Rounded up: half a rater is one more to find.
        -(-votes // study.design.ballots_per_rater),
    )


def _missing(study: Study, chosen: Sequence[StudyPair], now: datetime) -> Iterator[str]:
    design = study.design
    if study.status != StudyStatus.DRAFT:
        yield "the study is frozen already"
    if not chosen:
        yield "there are no pairs: choose problems and a pool, and match"
    if not design.contact.strip():
        yield "raters need a contact: fill it in"
    if design.deadline is not None and design.deadline <= now:
        yield "the deadline has passed"
    most = max_disjoint_pairs(
        [
            PairToGive(p.id, p.pair.problem, frozenset((p.pair.lower.key, p.pair.higher.key)))
            for p in chosen
        ]
    )
    if chosen and most < design.ballots_per_rater:
        yield (
            f"one rater can get {most} of these pairs (none twice, none that share a formula), "
            f"not {design.ballots_per_rater}: ask for fewer ballots, or add pairs"
        )


def _unexplained(problems: Sequence[Problem]) -> Iterator[str]:
    for problem in problems:
        if names := unexplained_columns(problem):
            listed = wording.join([f"`{name}`" for name in names], limit=8)
            many = len(names) > 1
            yield (
                f"the name{'s of' if many else ''} {listed} in `{problem.name}` "
                f"{'tell' if many else 'tells'} raters nothing: say what "
                f"{'they mean' if many else 'it means'} in step 1"
            )
        written = [problem.column(name).symbol or name for name in column_names(problem)]
        if names := tuple(name for name in written if needs_symbol(name)):
            listed = wording.join([f"`{name}`" for name in names], limit=8)
            yield (
                f"a formula with {listed} of `{problem.name}` in it would be read as something "
                "else: give a symbol in step 1"
            )
        if len(set(written)) < len(written):
            yield f"two columns of `{problem.name}` have one symbol: change one in step 1"


def _warnings(study: Study, problems: Sequence[Problem]) -> Iterator[str]:
    if study.design.is_local:
        url = study.design.public_base_url
        yield f"links will start with {url}, which opens on this computer only"
    if cut := unfinished_clause(study.rules.get("unfinished", ())):
        yield f"{cut}; finish it in step 3"
    bare = [f"`{problem.name}`" for problem in problems if not problem.description.strip()]
    if bare:
        yield f"raters get no description of {', '.join(bare)}"


RATER = "rater"
_CHANGES_NAMED = 3


def version_of(lines: Sequence[AuditLine]) -> int:
    """The version of a study: the number of the newest audit line that no rater caused."""
    return max((line.id for line in lines if line.actor != RATER), default=0)


def refuse_if_changed(tx: Tx, study_id: int, version_seen: int | None) -> None:
    """Raise `StaleEditError` if the study has changed since `version_seen`; None: never."""
    if version_seen is None:
        return
    lines = (line for line in tx.audit.every(study_id) if line.actor != RATER)
    since = [line for line in lines if line.id > version_seen]
    if since:
        since.sort(key=lambda line: line.id)
        changes = "; ".join(
            f"{line.action} {f'({line.detail}) ' if line.detail else ''}at {line.at:%H:%M:%S} UTC"
            for line in since[-_CHANGES_NAMED:]
        )
        raise StaleEditError(
            f"another organiser has changed this study meanwhile: {changes}",
            hint="look at it as it is now, and do it again if it still fits",
        )


def merged_design(stored: StudyDesign, based_on: StudyDesign, edited: StudyDesign) -> StudyDesign:
    """The stored design with what `edited` changes of `based_on`.

    Raises `StaleEditError` if somebody else has changed one of these settings to something else.

    >>> first = StudyDesign()
    >>> mine = StudyDesign(contact="a@example.org")
    >>> theirs = StudyDesign(votes_per_pair=7)
    >>> both = merged_design(theirs, first, mine)
    >>> both.contact, both.votes_per_pair
    ('a@example.org', 7)
    """
    now, before, after = stored.to_json(), based_on.to_json(), edited.to_json()
    mine = {key: value for key, value in after.items() if value != before[key]}
    # Two who set the same value agree.
    clash = tuple(key for key in mine if now[key] not in (before[key], mine[key]))
    if clash:
        words = ", ".join(key.replace("_", " ") for key in clash)
        raise StaleEditError(
            f"another organiser has changed the {words} meanwhile",
            hint="look at both, and choose",
            fields=clash,
        )
    return StudyDesign.from_json({**now, **mine})
