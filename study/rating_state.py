"""Where a link stands, and how a ballot's time is counted: reading only."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from study.links import token_hash
from study.material import PairKind, Study
from study.rating_types import Progress, Stage, Visit
from study.store import AssignmentRow, InvitationKind, InvitationRow, RaterRow, Tx

IDLE_GAP = 45.0
"""Seconds without a heartbeat, once heartbeats come, after which a rater counts as away."""


@dataclass(frozen=True)
class Found:
    """What a token leads to; `rater` is None before consent."""

    study: Study
    invitation: InvitationRow
    rater: RaterRow | None


def find(tx: Tx, token: str) -> Found | None:
    """Look a token up: a rater's own link first, else an invitation."""
    hashed = token_hash(token)
    rater = tx.raters.by_token(hashed)
    if rater is not None:
        invitation = tx.invitations.get(rater.invitation_id)
    else:
        invitation = tx.invitations.by_token(hashed)
    if invitation is None:
        return None
    study = tx.studies.get(invitation.study_id)
    return None if study is None else Found(study, invitation, rater)


def visit_of(tx: Tx, token: str, now: datetime) -> Visit:
    """What the page should show for a token."""
    found = find(tx, token)
    if found is None:
        return Visit(Stage.UNKNOWN)
    design, rater = found.study.design, found.rater
    rows = tx.assignments.of_rater(rater.id) if rater else ()
    progress = None
    if rater is not None:
        saved = sum(row.voted and row.kind != PairKind.PRACTICE for row in rows)
        progress = Progress(saved, rater.total)
    stage = _stage(tx, found, progress, rows, now)
    return Visit(
        stage=stage,
        title=design.title,
        consent_text=design.consent_text,
        contact=design.contact,
        question=design.question,
        expected_minutes=design.expected_minutes,
        ballots=design.ballots_per_rater + design.attention_checks,
        practice=design.practice,
        deadline=design.deadline,
        progress=progress,
        debrief=design.debrief_text if stage == Stage.FINISHED else "",
        reusable=rater is None and found.invitation.kind == InvitationKind.OPEN,
    )


def _stage(
    tx: Tx, found: Found, progress: Progress | None, rows: tuple[AssignmentRow, ...], now: datetime
) -> Stage:
    study, invitation, rater = found.study, found.invitation, found.rater
    if progress is not None and progress.saved >= progress.total:
        return Stage.FINISHED
    if invitation.revoked_at is not None:
        return Stage.REVOKED
    if rater is None:
        withdrawn = tx.invitations.withdrawals(invitation.id)
        if withdrawn and invitation.kind == InvitationKind.PERSONAL:
            return Stage.WITHDRAWN
        if not study.takes_votes(now):
            return Stage.CLOSED
        full = tx.invitations.consents(invitation.id) + withdrawn >= invitation.quota
        return Stage.FULL if full else Stage.CONSENT
    if not study.takes_votes(now):
        return Stage.CLOSED
    if rater.paused_at is not None:
        return Stage.PAUSED
    practised = any(row.kind == PairKind.PRACTICE and row.voted for row in rows)
    return Stage.RATING if practised or not study.design.practice else Stage.PRACTICE


def current_ballot(tx: Tx, found: Found | None, now: datetime) -> AssignmentRow | None:
    """The ballot under way, if its rater may vote on it."""
    if found is None or found.rater is None or not found.study.takes_votes(now):
        return None
    if found.rater.paused_at is not None or found.invitation.revoked_at is not None:
        return None
    return next((row for row in tx.assignments.of_rater(found.rater.id) if not row.voted), None)


def silence(row: AssignmentRow, now: datetime) -> float:
    """Seconds since the last sign of life that count as idle; 0 without heartbeats."""
    gap = (now - row.seen_at).total_seconds()
    return gap if row.beats and gap > IDLE_GAP else 0.0


def idle_until(row: AssignmentRow, rater: RaterRow, now: datetime) -> float:
    """All idle seconds of a ballot up to now; a pause counts whole."""
    if rater.paused_at is not None:
        since = max(row.seen_at, rater.paused_at)
        return row.idle_seconds + max(0.0, (now - since).total_seconds())
    return row.idle_seconds + silence(row, now)
