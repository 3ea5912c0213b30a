"""What is asked for by id, or a refusal that says so."""

from __future__ import annotations

from study.errors import NotFoundError
from study.material import Study
from study.store import Tx


def study_of(tx: Tx, study_id: int) -> Study:
    """The study of this id.

    Raises
    ------
    NotFoundError
        If there is none.
    """
    study = tx.studies.get(study_id)
    if study is None:
        raise NotFoundError(f"there is no study {study_id}")
    return study
