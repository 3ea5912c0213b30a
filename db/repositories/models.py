"""Stores and loads the models that were asked about a study, and their answers."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select
from sqlalchemy.orm import Session

from db.tables import ModelAnswerTable, ModelRunTable
from study.model_replies import ModelOutcome, ModelReply
from study.store import ModelAnswerRow, ModelRunRow


class SqlModels:
    def __init__(self, db_session: Session) -> None:
        self._db = db_session

    def add_run(
        self,
        study_id: int,
        *,
        label: str,
        model: str,
        base_url: str,
        temperature: float,
        repeats: int,
        prompt: str,
        prompt_sha256: str,
        at: datetime,
    ) -> ModelRunRow:
        row = ModelRunTable(
            study_id=study_id,
            label=label,
            model=model,
            base_url=base_url,
            temperature=temperature,
            repeats=repeats,
            prompt=prompt,
            prompt_sha256=prompt_sha256,
            begun_at=at,
        )
        self._db.add(row)
        self._db.flush()
        return _run(row)

    def run(self, run_id: int) -> ModelRunRow | None:
        row = self._db.get(ModelRunTable, run_id)
        return None if row is None else _run(row)

    def runs(self, study_id: int) -> tuple[ModelRunRow, ...]:
        query = select(ModelRunTable).where(ModelRunTable.study_id == study_id)
        return tuple(map(_run, self._db.scalars(query.order_by(ModelRunTable.id))))

    def add_answer(
        self,
        run_id: int,
        pair_id: int,
        *,
        lower_first: bool,
        repeat: int,
        outcome: ModelOutcome,
        reply: ModelReply,
        at: datetime,
    ) -> None:
        self._db.execute(
            insert(ModelAnswerTable).values(
                run_id=run_id,
                pair_id=pair_id,
                lower_first=lower_first,
                repeat=repeat,
                outcome=str(outcome),
                raw=storable(reply.refusal or reply.text),
                snapshot=storable(reply.snapshot),
                fingerprint=storable(reply.fingerprint),
                finish_reason=storable(reply.finish_reason)[:40],
                structured=reply.structured,
                seed=reply.seed,
                prompt_tokens=reply.prompt_tokens,
                completion_tokens=reply.completion_tokens,
                latency_seconds=reply.latency_seconds,
                asked_at=at,
            )
        )

    def answers(self, run_id: int) -> tuple[ModelAnswerRow, ...]:
        query = select(ModelAnswerTable).where(ModelAnswerTable.run_id == run_id)
        return tuple(map(_answer, self._db.scalars(query.order_by(ModelAnswerTable.id))))


def storable(text: str) -> str:
    r"""Text as every database takes it: without NUL, and without halves of characters.

    >>> storable("A\0B\ud800")
    'AB?'
    """
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _run(row: ModelRunTable) -> ModelRunRow:
    return ModelRunRow(
        row.id,
        row.study_id,
        row.label,
        row.model,
        row.base_url,
        row.temperature,
        row.repeats,
        row.prompt,
        row.prompt_sha256,
        row.begun_at,
    )


def _answer(row: ModelAnswerTable) -> ModelAnswerRow:
    return ModelAnswerRow(
        row.id,
        row.run_id,
        row.pair_id,
        row.lower_first,
        row.repeat,
        ModelOutcome(row.outcome),
        row.raw,
        row.snapshot,
        row.fingerprint,
        row.finish_reason,
        row.structured,
        row.seed,
        row.prompt_tokens,
        row.completion_tokens,
        row.latency_seconds,
        row.asked_at,
    )
