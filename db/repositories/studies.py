"""Stores and loads studies with their problems, formulas and pairs."""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Session

from db.tables import (
    BallotTable,
    MemberTable,
    PairTable,
    PoolTable,
    ProblemTable,
    StudyTable,
)
from study.design import StudyDesign, StudyStatus, canonical_json
from study.material import (
    Column,
    Member,
    NewPair,
    PairKind,
    Pool,
    Problem,
    Study,
    StudyPair,
)

_STUDY = StudyTable.__table__.c
STUDY_COLUMNS = (
    _STUDY.id,
    _STUDY.name,
    _STUDY.status,
    _STUDY.design,
    _STUDY.public_base_url,
    _STUDY.rules,
    _STUDY.created_at,
    _STUDY.hash,
    _STUDY.frozen_at,
    _STUDY.closed_at,
    _STUDY.admission_ended_at,
)
"""Without the frozen configuration, which holds every ballot."""
_BY_ID = select(*STUDY_COLUMNS).where(_STUDY.id == bindparam("id"))


class SqlStudies:
    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def add(self, name: str, design: StudyDesign, rules: Mapping[str, Any], at: datetime) -> int:
        row = StudyTable(
            name=name,
            status=str(StudyStatus.DRAFT),
            design=canonical_json(design.inference_json()),
            public_base_url=design.public_base_url,
            rules=canonical_json(dict(rules)),
            created_at=at,
        )
        self._db.add(row)
        self._db.flush()
        return row.id

    def get(self, study_id: int) -> Study | None:
        row = self._db.connection().execute(_BY_ID, {"id": study_id}).first()
        return None if row is None else study_of(*row)

    def by_name(self, name: str) -> Study | None:
        row = self._db.scalar(select(StudyTable).where(StudyTable.name == name))
        return None if row is None else _study(row)

    def every(self) -> tuple[Study, ...]:
        rows = self._db.scalars(select(StudyTable).order_by(StudyTable.id.desc()))
        return tuple(map(_study, rows))

    def edit(
        self,
        study_id: int,
        *,
        name: str | None = None,
        design: StudyDesign | None = None,
        rules: Mapping[str, Any] | None = None,
    ) -> None:
        """Write what differs; the database refuses it on a frozen study."""
        row = self._db.get_one(StudyTable, study_id)
        if name is not None and name != row.name:
            row.name = name
        if design is not None:
            stored = _study(row).design
            if design.inference_json() != stored.inference_json():
                row.design = canonical_json(design.inference_json())
            # Outside the comparison: the address is the one setting that a frozen study may change.
            row.public_base_url = design.public_base_url
        if rules is not None:
            row.rules = canonical_json(dict(rules))
        self._db.flush()

    def freeze(self, study_id: int, configuration: str, hash: str, at: datetime) -> None:
        row = self._db.get_one(StudyTable, study_id)
        # Whole, with settings that the draft was stored before: see `_design`.
        row.design = canonical_json(_study(row).design.inference_json())
        row.configuration, row.hash, row.frozen_at = configuration, hash, at
        row.status = str(StudyStatus.OPEN)
        self._db.flush()

    def configuration(self, study_id: int) -> str:
        return self._db.get_one(StudyTable, study_id).configuration

    def close(self, study_id: int, at: datetime) -> None:
        row = self._db.get_one(StudyTable, study_id)
        row.status, row.closed_at = str(StudyStatus.CLOSED), at
        self._db.flush()

    def end_admission(self, study_id: int, at: datetime) -> None:
        self._db.get_one(StudyTable, study_id).admission_ended_at = at
        self._db.flush()

    def delete_draft(self, study_id: int) -> None:
        materials = SqlMaterials(self._db)
        materials.set_pairs(study_id, ())
        for table in (ProblemTable, PoolTable):
            self._db.execute(delete(table).where(table.study_id == study_id))
        self._db.delete(self._db.get_one(StudyTable, study_id))
        self._db.flush()


@lru_cache(64)
def _design(text: str, public_base_url: str, draft: bool) -> StudyDesign:
    values = json.loads(text)
    if not draft:
        # Frozen before the question could be explained: nobody was told what it means.
        values.setdefault("question_meaning", "")
    return StudyDesign.from_json({**values, "public_base_url": public_base_url})


@lru_cache(64)
def _rules(text: str) -> dict[str, Any]:
    rules: dict[str, Any] = json.loads(text)
    return rules


def _study(row: StudyTable) -> Study:
    return study_of(*(getattr(row, column.key) for column in STUDY_COLUMNS))


def study_of(
    id: int,
    name: str,
    status: str,
    design: str,
    public_base_url: str,
    rules: str,
    created_at: datetime,
    hash: str,
    *times: datetime | None,
) -> Study:
    """From the values of `STUDY_COLUMNS`."""
    return Study(
        id,
        name,
        StudyStatus(status),
        _design(design, public_base_url, status == StudyStatus.DRAFT),
        created_at,
        dict(_rules(rules)),
        hash,
        *times,
    )


class SqlMaterials:
    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def set_problems(self, study_id: int, problems: Sequence[Problem]) -> None:
        """Replace the problems; those that keep their name keep their pairs."""
        mine = select(ProblemTable).where(ProblemTable.study_id == study_id)
        old = {row.name: row for row in self._db.scalars(mine) if not row.special}
        names = {problem.name for problem in problems}
        for name, row in old.items():
            if name not in names:
                self._db.delete(row)
        for position, problem in enumerate(problems):
            if problem.name in old:
                _fill(old[problem.name], problem)
                old[problem.name].position = position
            else:
                self._add(study_id, problem, position, special=False)
        self._db.flush()

    def add_problem(self, study_id: int, problem: Problem) -> None:
        self._add(study_id, problem, 0, special=True)
        self._db.flush()

    def _add(self, study_id: int, problem: Problem, position: int, *, special: bool) -> None:
        row = ProblemTable(study_id=study_id, position=position, special=special)
        _fill(row, problem)
        self._db.add(row)

    def problems(self, study_id: int) -> tuple[Problem, ...]:
        rows = self._db.scalars(
            select(ProblemTable)
            .where(ProblemTable.study_id == study_id, ~ProblemTable.special)
            .order_by(ProblemTable.position)
        )
        return tuple(
            Problem(
                name=row.name,
                csv=row.csv,
                title=row.title,
                description=row.description,
                columns=tuple(Column(**column) for column in json.loads(row.columns)),
            )
            for row in rows
        )

    def set_pool(self, study_id: int, pool: Pool) -> None:
        # No time stamp (mtime=0): equal pools are equal bytes.
        packed = gzip.compress(pool.csv.encode(), compresslevel=6, mtime=0)
        self._db.execute(delete(PoolTable).where(PoolTable.study_id == study_id))
        self._db.execute(
            insert(PoolTable).values(
                study_id=study_id, name=pool.name, rows=pool.rows, content=packed
            )
        )

    def pool(self, study_id: int) -> Pool | None:
        row = self._db.get(PoolTable, study_id)
        if row is None:
            return None
        return Pool(row.name, gzip.decompress(row.content).decode(), row.rows)

    def set_pairs(self, study_id: int, pairs: Sequence[NewPair]) -> None:
        old = select(PairTable.id).where(PairTable.study_id == study_id)
        for table in (BallotTable, MemberTable):
            self._db.execute(delete(table).where(table.pair_id.in_(old)))
        self._db.execute(delete(PairTable).where(PairTable.study_id == study_id))
        problems = self._problem_ids(study_id, special=False)
        for number, pair in enumerate(pairs, start=1):
            self._add_pair(study_id, pair, number, problems[pair.problem])
        self._db.flush()

    def add_pair(self, study_id: int, pair: NewPair) -> StudyPair:
        count = self._db.scalar(
            select(func.count()).where(
                PairTable.study_id == study_id, PairTable.kind == str(pair.kind)
            )
        )
        problems = self._problem_ids(study_id, special=True)
        row = self._add_pair(study_id, pair, (count or 0) + 1, problems[pair.problem])
        return StudyPair(row.id, row.number, pair)

    def _problem_ids(self, study_id: int, *, special: bool) -> dict[str, int]:
        rows = self._db.execute(
            select(ProblemTable.name, ProblemTable.id).where(
                ProblemTable.study_id == study_id, ProblemTable.special == special
            )
        )
        return {name: problem_id for name, problem_id in rows}  # noqa: C416

    def _add_pair(self, study_id: int, pair: NewPair, number: int, problem_id: int) -> PairTable:
        row = PairTable(
            study_id=study_id,
            kind=str(pair.kind),
            number=number,
            problem_id=problem_id,
            loss=pair.loss,
            same_function=pair.same_function,
            gap_share=pair.gap_share,
            gap_without_worst_row=pair.gap_without_worst_row,
        )
        self._db.add(row)
        self._db.flush()
        self._db.execute(
            insert(MemberTable),
            [
                {
                    **dataclasses.asdict(member),
                    "pair_id": row.id,
                    "slot": slot,
                    "formula_key": member.key,
                    "parameters": canonical_json(dict(member.parameters)),
                }
                for slot, member in (("lower", pair.lower), ("higher", pair.higher))
            ],
        )
        return row

    def pairs(self, study_id: int, kind: PairKind | None = None) -> tuple[StudyPair, ...]:
        return self._pairs(study_id, kind, None)

    def pair(self, study_id: int, pair_id: int) -> StudyPair | None:
        return next(iter(self._pairs(study_id, None, pair_id)), None)

    def _pairs(
        self, study_id: int, kind: PairKind | None, pair_id: int | None
    ) -> tuple[StudyPair, ...]:
        conditions = [PairTable.study_id == study_id]
        if kind is not None:
            conditions.append(PairTable.kind == str(kind))
        if pair_id is not None:
            conditions.append(PairTable.id == pair_id)
        rows = self._db.execute(
            select(PairTable, ProblemTable.name)
            .join(ProblemTable, ProblemTable.id == PairTable.problem_id)
            .where(*conditions)
            .order_by(PairTable.kind, PairTable.number)
        ).all()
        members: dict[tuple[int, str], Member] = {}
        rows_of_members = self._db.scalars(
            select(MemberTable)
            .join(PairTable, PairTable.id == MemberTable.pair_id)
            .where(*conditions)
        )
        for row in rows_of_members:
            members[row.pair_id, row.slot] = _member(row)
        return tuple(
            StudyPair(
                row.id,
                row.number,
                NewPair(
                    problem=problem,
                    lower=members[row.id, "lower"],
                    higher=members[row.id, "higher"],
                    loss=_number(row.loss),
                    same_function=row.same_function,
                    kind=PairKind(row.kind),
                    gap_share=row.gap_share,
                    gap_without_worst_row=row.gap_without_worst_row,
                ),
                row.dropped,
            )
            for row, problem in rows
        )

    def drop(self, pair_id: int, reason: str) -> None:
        """Note why a pair is left out; "" takes it back."""
        self._db.execute(update(PairTable).where(PairTable.id == pair_id).values(dropped=reason))

    def add_ballot(self, pair_id: int, content: str) -> None:
        self._db.execute(insert(BallotTable).values(pair_id=pair_id, content=content))

    def ballot(self, pair_id: int) -> str | None:
        return self._db.scalar(select(BallotTable.content).where(BallotTable.pair_id == pair_id))


def _fill(row: ProblemTable, problem: Problem) -> None:
    row.name, row.title, row.csv = problem.name, problem.title, problem.csv
    row.description = problem.description
    row.columns = canonical_json([column.to_json() for column in problem.columns])


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _member(row: MemberTable) -> Member:
    return Member(
        formula=row.formula,
        eic=_number(row.eic),
        r2=_number(row.r2),
        complexity=row.complexity,
        syntax=row.syntax,
        method=row.method,
        row=row.row,
        index_base=row.index_base,
        parameters=json.loads(row.parameters),
    )
