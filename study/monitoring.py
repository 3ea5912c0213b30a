"""How a running study gets on, without its results; and its export."""

from __future__ import annotations

import dataclasses
import json
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from study.clock import Clock
from study.design import ExclusionUnit, StudyStatus
from study.errors import StudyError
from study.material import PairKind, Study, StudyPair
from study.model_raters.service import undeclared
from study.report.exported import (
    ExportedPair,
    ExportedVote,
    RaterCounts,
    StudyExport,
    Unblinding,
    utc_text,
)
from study.report.exported_models import ExportedAnswer, ExportedRun
from study.sealing import Seal
from study.statistics.exclusions import ExclusionRule, session_seconds
from study.store import (
    InvitationKind,
    InvitationRow,
    ModelAnswerRow,
    ModelRunRow,
    RaterRow,
    Store,
    Tx,
    VoteRow,
    count_votes_by_rater,
    require_study,
)
from study.unblinding import EarlyLook, early_looks


def export_of(
    study: Study,
    configuration: Mapping[str, Any],
    pairs: Sequence[StudyPair],
    raters: Sequence[RaterRow],
    votes: Sequence[VoteRow],
    *,
    invited: int,
    through_open_links: int,
    finished: int,
    withdrawn: int,
    at: datetime,
    unblindings: Sequence[Unblinding] = (),
    models: Sequence[tuple[ModelRunRow, Sequence[ModelAnswerRow]]] = (),
    seals: Sequence[Seal] = (),
    undone: Sequence[VoteRow] = (),
) -> StudyExport:
    """Put an export together; judge nothing. Raters appear under their pseudonyms."""
    design = study.design
    by_id = {pair.id: pair for pair in pairs}
    people = {rater.id: rater for rater in raters}
    standing, gone = (
        [_vote(vote, by_id[vote.pair_id], people[vote.rater_id]) for vote in some]
        for some in (votes, undone)
    )
    seconds = session_seconds(standing)

    def with_session(some: Sequence[ExportedVote]) -> tuple[ExportedVote, ...]:
        return tuple(
            dataclasses.replace(vote, session_seconds=seconds.get(vote.rater, 0.0)) for vote in some
        )

    return StudyExport(
        study=study.name,
        title=design.title,
        hash=study.hash,
        pairs=tuple(
            _pair(pair) for pair in pairs if pair.pair.kind == PairKind.MAIN and pair.in_study
        ),
        votes=with_session(standing),
        undone=with_session(gone),
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
            through_open_links=through_open_links,
        ),
        configuration=dict(configuration),
        unblindings=tuple(unblindings),
        seals=_seals_up_to(
            seals, {vote.vote for vote in (*standing, *gone)}, {vote.vote for vote in gone}
        ),
        model_runs=tuple(_run(run, study) for run, _ in models),
        model_answers=tuple(
            _answer(answer, run, by_id[answer.pair_id])
            for run, model_answers in models
            for answer in model_answers
        ),
    )


def _run(run: ModelRunRow, study: Study) -> ExportedRun:
    return ExportedRun(
        label=run.label,
        model=run.model,
        base_url=run.base_url,
        temperature=run.temperature,
        repeats=run.repeats,
        prompt=run.prompt,
        prompt_sha256=run.prompt_sha256,
        begun_at=utc_text(run.begun_at) or "",
        undeclared=undeclared(study, run),
    )


def _answer(answer: ModelAnswerRow, run: ModelRunRow, pair: StudyPair) -> ExportedAnswer:
    return ExportedAnswer(
        answer=f"a{answer.id}",
        run=run.label,
        pair=pair.name,
        problem=pair.pair.problem,
        first="lower" if answer.lower_first else "higher",
        repeat=answer.repeat,
        outcome=answer.chosen,
        snapshot=answer.snapshot,
        fingerprint=answer.fingerprint,
        finish_reason=answer.finish_reason,
        structured=answer.structured,
        seed=answer.seed,
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        latency_seconds=answer.latency_seconds,
        asked_at=answer.asked_at,
        raw=answer.raw,
    )


def _seals_up_to(seals: Sequence[Seal], votes: Set[str], undone: Set[str]) -> tuple[Seal, ...]:
    """The seals up to the last of these: an early look does not tell of later ones."""
    last = max(
        (seal.number for seal in seals if seal.vote in (undone if seal.undo else votes)), default=0
    )
    return tuple(seal for seal in seals if seal.number <= last)


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
        gap_share=pair.pair.gap_share,
        gap_without_worst_row=pair.pair.gap_without_worst_row,
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
        rater_seconds=vote.rater_seconds,
        viewport=vote.viewport,
        in_view=vote.in_view,
        plot_in_view=vote.plot_in_view,
        page=vote.page,
        undone_at=vote.undone_at,
    )


SILENT_AFTER = timedelta(days=1)


@dataclass(frozen=True)
class PairCount:
    pair_id: int
    name: str
    problem: str
    votes: int


@dataclass(frozen=True)
class LiveList:
    at: datetime
    status: StudyStatus
    invited: int  # People: see `invited_people`
    open_places: int  # Consents that open links are still good for
    consented: int  # Withdrawn raters included
    finished: int
    withdrawn: int
    # Consented, not finished, and silent for a day (all unfinished ones once it is closed)
    dropped_out: int
    active: int  # Unfinished and not silent
    # votes, votes_wanted: on pairs; practice and attention checks left out
    votes: int
    votes_wanted: int
    pairs: tuple[PairCount, ...]
    median_seconds: float | None  # Median active time of all votes on pairs; None before the first
    # The quartiles of the same, lower and upper; None before the fourth vote
    middle_half: tuple[float, float] | None
    too_fast: int  # Finished sessions, or single votes, that the frozen rule on haste leaves out
    # Raters who dropped out: ballots answered, and how many raters stopped there
    stopped_after: tuple[tuple[int, int], ...]
    attention_passed: int
    attention_failed: int
    # Checks failed, and how many raters have failed so many; those without a failure left out
    failed_checks: tuple[tuple[int, int], ...]
    last_vote_at: datetime | None


def people_through(tx: Tx, invitation: InvitationRow) -> int:
    return tx.invitations.consents(invitation.id) + tx.invitations.withdrawals(invitation.id)


def invited_people(tx: Tx, study_id: int) -> int:
    return sum(
        # A personal link invites one person, used or not; who else saw an open link, nobody knows.
        1 if row.kind == InvitationKind.PERSONAL else people_through(tx, row)
        for row in tx.invitations.every(study_id)
    )


@dataclass(frozen=True)
class _Standing:
    finished: frozenset[int]
    silent: tuple[int, ...]


class Monitor:
    """Reads a running or closed study; writes nothing.

    Parameters
    ----------
    store
    clock
        Where the study is stored, and what time it is.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def live(self, study_id: int) -> LiveList:
        """The live list of a study.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        LiveList
            As of now; a draft's has no votes.
        """
        now = self._clock.now()
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            votes = tx.votes.every(study_id)
            raters = tx.raters.every(study_id)
            pairs = [p for p in tx.materials.pairs(study_id, PairKind.MAIN) if p.in_study]
            invitations = tx.invitations.every(study_id)
            invited = invited_people(tx, study_id)
            open_places = sum(
                max(0, row.quota - people_through(tx, row))
                for row in invitations
                if row.kind == InvitationKind.OPEN and row.revoked_at is None
            )
            withdrawn = tx.raters.withdrawals(study_id)
        main = [vote for vote in votes if vote.kind == PairKind.MAIN]
        on_pair = Counter(vote.pair_id for vote in main)
        standing = _raters(study, raters, votes, now)
        checks = [v for v in votes if v.kind == PairKind.ATTENTION]
        failed = Counter(v.rater_id for v in checks if v.chosen != "lower")
        seconds = [_active(vote) for vote in main]
        # Fewer than four times would show the quartiles of single raters.
        quartiles = statistics.quantiles(seconds, method="inclusive") if len(seconds) > 3 else None
        return LiveList(
            at=now,
            status=study.status,
            invited=invited,
            open_places=open_places,
            consented=len(raters) + withdrawn,
            finished=len(standing.finished),
            withdrawn=withdrawn,
            dropped_out=len(standing.silent),
            active=len(raters) - len(standing.finished) - len(standing.silent),
            votes=len(main),
            votes_wanted=len(pairs) * study.design.votes_per_pair,
            pairs=tuple(PairCount(p.id, p.name, p.pair.problem, on_pair[p.id]) for p in pairs),
            median_seconds=statistics.median(seconds) if seconds else None,
            middle_half=(quartiles[0], quartiles[2]) if quartiles else None,
            too_fast=_too_fast(study, votes, standing.finished),
            stopped_after=tuple(sorted(Counter(standing.silent).items())),
            attention_passed=len(checks) - failed.total(),
            attention_failed=failed.total(),
            failed_checks=tuple(sorted(Counter(failed.values()).items())),
            last_vote_at=max((vote.voted_at for vote in main), default=None),
        )

    def withdrawn(self, study_id: int) -> int:
        """How many raters have withdrawn.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        int
            0 or more.
        """
        with self._store.reading() as tx:
            return tx.raters.withdrawals(study_id)

    def export(self, study_id: int) -> StudyExport:
        """The frozen configuration and every vote, for `study.report`.

        Parameters
        ----------
        study_id
            Of a frozen study.

        Returns
        -------
        StudyExport
            Of an open study: the votes that the last look opened (see `study.unblinding`).

        Raises
        ------
        StudyError
            If the study is a draft; or still open, and nobody has confirmed a look.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
            if study.status == StudyStatus.DRAFT:
                raise StudyError("a draft has nothing to export")
            looks = early_looks(tx.audit.every(study_id))
            raters, at = tx.raters.every(study_id), None
            votes, undone = tx.votes.every(study_id), tx.votes.undone(study_id)
            if study.status == StudyStatus.OPEN:
                if not looks:
                    raise StudyError(
                        "this study is still open",
                        hint="close it first, or confirm that you look before the end: on its "
                        "page, or with `python -m db export --even-if-open`",
                    )
                at = looks[-1].at
                votes, undone = _as_of(looks[-1], votes, undone)
                raters = tuple(rater for rater in raters if rater.consented_at <= at)
            now = at or self._clock.now()
            models = [
                (run, [a for a in tx.models.answers(run.id) if at is None or a.asked_at <= at])
                for run in tx.models.runs(study_id)
                if at is None or run.begun_at <= at
            ]
            return export_of(
                study,
                json.loads(tx.studies.configuration(study_id)),
                tx.materials.pairs(study_id),
                raters,
                votes,
                invited=invited_people(tx, study_id),
                through_open_links=sum(
                    people_through(tx, row)
                    for row in tx.invitations.every(study_id)
                    if row.kind == InvitationKind.OPEN
                ),
                finished=len(_raters(study, raters, votes, now).finished),
                withdrawn=tx.raters.withdrawals(study_id),
                at=now,
                unblindings=[Unblinding(look.at, look.votes) for look in looks],
                models=models,
                seals=tx.seals.every(study_id),
                undone=undone,
            )


def _as_of(
    look: EarlyLook, votes: Sequence[VoteRow], undone: Sequence[VoteRow]
) -> tuple[tuple[VoteRow, ...], tuple[VoteRow, ...]]:
    """Votes that stood, and that were undone, at a look: one undone later stood."""
    cast = sorted((v for v in (*votes, *undone) if look.covers(v)), key=lambda vote: vote.id)
    then = [
        vote
        if vote.undone_at is None or vote.undone_at <= look.at
        else dataclasses.replace(vote, undone_at=None)
        for vote in cast
    ]
    return (
        tuple(vote for vote in then if vote.undone_at is None),
        tuple(vote for vote in then if vote.undone_at is not None),
    )


def _active(vote: VoteRow) -> float:
    """The rater's own seconds, else from first shown to vote less the idle time."""
    if vote.rater_seconds is not None:
        return vote.rater_seconds
    return max(0.0, vote.seconds - vote.idle_seconds)


def _raters(
    study: Study, raters: tuple[RaterRow, ...], votes: tuple[VoteRow, ...], now: datetime
) -> _Standing:
    saved = count_votes_by_rater(votes)
    last = {vote.rater_id: vote.voted_at for vote in votes}
    finished, silent = set(), []
    for rater in raters:
        if saved[rater.id] >= rater.total:
            finished.add(rater.id)
        elif not study.takes_votes(now) or now - last.get(rater.id, rater.consented_at) > (
            SILENT_AFTER
        ):
            silent.append(saved[rater.id])
    return _Standing(frozenset(finished), tuple(silent))


def _too_fast(study: Study, votes: tuple[VoteRow, ...], finished: frozenset[int]) -> int:
    threshold = study.design.exclusion_seconds
    if study.design.exclusion_unit == ExclusionUnit.VOTE:
        return sum(_active(v) < threshold for v in votes if v.kind == PairKind.MAIN)
    sessions = dict.fromkeys(finished, 0.0)
    for vote in votes:
        if vote.rater_id in finished and vote.kind != PairKind.PRACTICE:
            sessions[vote.rater_id] += _active(vote)
    return sum(seconds < threshold for seconds in sessions.values())
