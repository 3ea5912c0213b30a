"""The frozen configuration: one JSON value over everything that affects inference."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from typing import Any

from study.material import Member, PairKind, StudyPair
from study.store import Tx


def configuration_of(tx: Tx, study_id: int) -> dict[str, Any]:
    """The configuration of a study as its rows have it now.

    Settings (but for the address of the app), rules, problems with the digests of their tables,
    the pool's digest, every pair with both members, dropped pairs with their reasons, and the
    digest of each ballot.  Its SHA-256 is the study's hash.
    """
    study = tx.studies.get(study_id)
    assert study is not None
    pool = tx.materials.pool(study_id)
    return {
        "format": 1,
        "design": study.design.inference_json(),
        "rules": dict(study.rules),
        "problems": [
            {
                "name": problem.name,
                "title": problem.title,
                "description": problem.description,
                "columns": [dataclasses.asdict(column) for column in problem.columns],
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


def _pair(pair: StudyPair, ballot: str | None) -> dict[str, Any]:
    return {
        "pair": pair.name,
        "kind": str(pair.pair.kind),
        "problem": pair.pair.problem,
        "loss": plain_number(pair.pair.loss),
        "same_function": pair.pair.same_function,
        "dropped": pair.dropped,
        "lower": _member(pair.pair.lower),
        "higher": _member(pair.pair.higher),
        "ballot_sha256": ballot and hashlib.sha256(ballot.encode()).hexdigest(),
    }


def _member(member: Member) -> dict[str, Any]:
    values = dataclasses.asdict(member)
    return {**values, "eic": plain_number(member.eic), "r2": plain_number(member.r2)}


def plain_number(value: float) -> float | str:
    """A number that JSON has, or "inf", "-inf", "nan".

    Examples
    --------
    >>> plain_number(1.5), plain_number(float("nan"))
    (1.5, 'nan')
    """
    return value if math.isfinite(value) else str(value)
