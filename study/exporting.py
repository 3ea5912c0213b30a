"""From stored rows to the export that `study.report` reads."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from study.material import PairKind, Study, StudyPair
from study.report.exported import (
    ExportedPair,
    ExportedVote,
    RaterCounts,
    StudyExport,
    Unblinding,
)
from study.statistics.exclusions import ExclusionRule, session_seconds
from study.store import RaterRow, VoteRow


def export_of(
    study: Study, configuration: Mapping[str, Any], pairs: Sequence[StudyPair],
    raters: Sequence[RaterRow], votes: Sequence[VoteRow], *, invited: int, finished: int,
    withdrawn: int, at: datetime, unblindings: Sequence[Unblinding] = (),
) -> StudyExport:
    """Put an export together; judges nothing.

    Raters appear under their pseudonyms, pairs under their names; practice and attention ballots
    are on no pair.  `unblindings` are the looks at the results while the study was open.
    """
    design = study.design
    by_id = {pair.id: pair for pair in pairs}
    people = {rater.id: rater for rater in raters}
    cast = [_vote(vote, by_id[vote.pair_id], people[vote.rater_id]) for vote in votes]
    seconds = session_seconds(cast)
    return StudyExport(
        study=study.name,
        title=design.title,
        hash=study.hash,
        pairs=tuple(
            _pair(pair) for pair in pairs if pair.pair.kind == PairKind.MAIN and pair.in_study
        ),
        votes=tuple(
            dataclasses.replace(vote, session_seconds=seconds.get(vote.rater, 0.0))
            for vote in cast
        ),
        frozen_at=study.frozen_at,
        closed_at=study.closed_at,
        exported_at=at,
        ballots_per_rater=design.ballots_per_rater,
        votes_per_pair=design.votes_per_pair,
        tie_allowed=design.allow_tie,
        exclusion=ExclusionRule(
            design.exclusion_seconds,
            "session" if design.exclusion_unit == "session" else "vote",
            design.max_failed_attention,
        ),
        rules=dict(study.rules),
        raters=RaterCounts(
            invited=invited,
            consented=len(raters) + withdrawn,
            finished=finished,
            withdrawn=withdrawn,
        ),
        configuration=dict(configuration),
        unblindings=tuple(unblindings),
    )


def _pair(pair: StudyPair) -> ExportedPair:
    lower, higher = pair.pair.lower, pair.pair.higher
    return ExportedPair(
        pair=pair.name,
        problem=pair.pair.problem,
        lower_formula=lower.formula,
        higher_formula=higher.formula,
        lower_eic=lower.eic,
        higher_eic=higher.eic,
        lower_r2=lower.r2,
        higher_r2=higher.r2,
        lower_complexity=lower.complexity,
        higher_complexity=higher.complexity,
        same_function=pair.pair.same_function,
        loss=pair.pair.loss,
    )


def _vote(vote: VoteRow, pair: StudyPair, rater: RaterRow) -> ExportedVote:
    main = vote.kind == PairKind.MAIN
    attention = vote.kind == PairKind.ATTENTION
    return ExportedVote(
        vote=f"v{vote.id}",
        rater=rater.code,
        pair=pair.name if main else "",
        problem=pair.pair.problem if main else "",
        choice=vote.chosen,
        lower_side="left" if vote.lower_left else "right",
        position=vote.position,
        shown_at=vote.shown_at,
        voted_at=vote.voted_at,
        seconds=vote.seconds,
        idle_seconds=vote.idle_seconds,
        is_practice=vote.kind == PairKind.PRACTICE,
        is_attention=attention,
        attention_ok=(vote.chosen == "lower") if attention else None,
        degree=rater.degree,
        field=rater.field,
        reason=vote.reason,
    )
