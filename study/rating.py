"""The rater's side of a study: one service, and all of its state in the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from study.assignment import PairIndex, RaterHistory, check_positions, choose_pair
from study.balance import Balance
from study.ballots import BallotContent
from study.clock import Chance, Clock
from study.errors import DesignError, StudyError
from study.links import derived_token, rating_link, token_hash
from study.material import PairKind, Study, pair_name
from study.rating_types import (
    MAX_FIELD,
    MAX_REASON,
    UNDO_SECONDS,
    UNREPORTED,
    Ballot,
    BrowserReport,
    Consent,
    NextBallot,
    Progress,
    RatingVisit,
    Stage,
    Undoable,
    VoteOutcome,
    VoteStatus,
)
from study.sealing import CastVote, next_link, undo_commitment
from study.store import (
    AssignmentRow,
    Choice,
    InvitationKind,
    InvitationRow,
    RaterRow,
    StandingVote,
    Store,
    Tx,
)

IDLE_GAP = 45.0
"""Seconds without a heartbeat, once heartbeats come, after which a rater counts as away."""
MAX_UNDOS = 10
"""Votes that may be undone on one ballot."""


@dataclass(frozen=True)
class LinkHolder:
    """The study, invitation and rater of a token; `rater` is None before consent."""

    study: Study
    invitation: InvitationRow
    rater: RaterRow | None
    ballots: tuple[AssignmentRow, ...] = ()


def find_link_holder(tx: Tx, token: str) -> LinkHolder | None:
    """Look a token up: a rater's own link first, else an invitation."""
    hashed = token_hash(token)
    known = tx.raters.holder(hashed)
    if known is not None:
        return LinkHolder(*known, tx.assignments.of_rater(known[2].id))
    invitation = tx.invitations.by_token(hashed)
    study = None if invitation is None else tx.studies.get(invitation.study_id)
    return None if invitation is None or study is None else LinkHolder(study, invitation, None)


def visit_of(tx: Tx, found: LinkHolder | None, now: datetime) -> RatingVisit:
    if found is None:
        return RatingVisit(Stage.UNKNOWN)
    design, rater, rows = found.study.design, found.rater, found.ballots
    progress = None
    if rater is not None:
        saved = sum(row.voted and row.kind != PairKind.PRACTICE for row in rows)
        progress = Progress(saved, rater.total)
    stage = _stage(tx, found, progress, now)
    return RatingVisit(
        stage=stage,
        title=design.title,
        consent_text=design.consent_text,
        contact=design.contact,
        question=design.question,
        meaning=design.question_meaning,
        expected_minutes=design.expected_minutes,
        ballots=design.ballots_per_rater + design.attention_checks,
        practice=design.practice,
        deadline=design.deadline,
        progress=progress,
        debrief=design.debrief_text if stage == Stage.FINISHED else "",
        reusable=rater is None and found.invitation.kind == InvitationKind.OPEN,
        labelled=found.invitation.kind == InvitationKind.PERSONAL and bool(found.invitation.label),
        undoable=_undoable(found, now),
    )


def read_visit(tx: Tx, token: str, now: datetime) -> RatingVisit:
    return visit_of(tx, find_link_holder(tx, token), now)


def _stage(
    tx: Tx,
    found: LinkHolder,
    progress: Progress | None,
    now: datetime,
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
        if not study.takes_consents(now):
            return Stage.ENDING
        full = tx.invitations.consents(invitation.id) + withdrawn >= invitation.quota
        return Stage.FULL if full else Stage.CONSENT
    if not study.takes_votes(now):
        return Stage.CLOSED
    if rater.paused_at is not None:
        return Stage.PAUSED
    practised = any(row.kind == PairKind.PRACTICE and row.voted for row in found.ballots)
    return Stage.RATING if practised or not study.design.practice else Stage.PRACTICE


def last_voted(ballots: Sequence[AssignmentRow]) -> AssignmentRow | None:
    """The ballot of the rater's last vote that stands."""
    voted = [(row.vote.id, row) for row in ballots if row.vote]
    return max(voted, key=lambda each: each[0])[1] if voted else None


def _undo_seconds(vote: StandingVote, now: datetime) -> float:
    """How long a vote may still be undone; less than 0 if it is too late."""
    # A clock that was set back makes no more of them: a vote of the future is too old, too.
    return UNDO_SECONDS - abs((now - vote.voted_at).total_seconds())


def _undoable(found: LinkHolder, now: datetime) -> Undoable | None:
    row = last_voted(found.ballots)
    if row is None or row.vote is None or not _takes_answers(found, now):
        return None
    seconds = _undo_seconds(row.vote, now)
    letter = {"left": "A", "right": "B", "tie": ""}[row.vote.choice]
    return Undoable(row.token, letter, seconds) if seconds >= 0 else None


def _takes_answers(found: LinkHolder, now: datetime) -> bool:
    return found.study.takes_votes(now) and found.invitation.revoked_at is None


def current_ballot(found: LinkHolder | None, now: datetime) -> AssignmentRow | None:
    """The ballot under way, if its rater may vote on it."""
    if found is None or found.rater is None or not found.study.takes_votes(now):
        return None
    if found.rater.paused_at is not None or found.invitation.revoked_at is not None:
        return None
    return _first_open(found.ballots)


def _first_open(ballots: Sequence[AssignmentRow]) -> AssignmentRow | None:
    """The first ballot without a vote that stands; one behind it waits while it is undone."""
    return next((row for row in ballots if not row.voted), None)


def idle_since_last_sign(row: AssignmentRow, now: datetime) -> float:
    """Seconds since the last sign of life that count as idle; 0 without heartbeats."""
    gap = (now - row.seen_at).total_seconds()
    return gap if row.beats and gap > IDLE_GAP else 0.0


def total_idle_seconds(
    row: AssignmentRow, rater: RaterRow, now: datetime, *, waiting: bool = False
) -> float:
    """All idle seconds of a ballot up to now; a pause counts whole, and so does the time in which
    the rater is back on another one.
    """
    if waiting:
        return row.idle_seconds + max(0.0, (now - row.seen_at).total_seconds())
    if rater.paused_at is not None:
        since = max(row.seen_at, rater.paused_at)
        return row.idle_seconds + max(0.0, (now - since).total_seconds())
    return row.idle_seconds + idle_since_last_sign(row, now)


CLOCK_SLACK = 1.0
"""Seconds by which a browser's clock may run ahead of the server's, and a thousandth on top."""


def believed_report(report: BrowserReport, row: AssignmentRow, at: datetime) -> BrowserReport:
    """A report without seconds that cannot be: nobody saw a ballot before it was first served."""
    longest = (at - row.shown_at).total_seconds() * 1.001 + CLOCK_SLACK
    if report.seconds is not None and not 0 <= report.seconds <= longest:
        return replace(report, seconds=None)
    return report


def _cast_vote(
    tx: Tx,
    rater: RaterRow,
    row: AssignmentRow,
    number: int,
    choice: Choice,
    reason: str,
    at: datetime,
    idle: float,
    browser: BrowserReport,
) -> CastVote:
    main = row.kind == PairKind.MAIN
    lower = "left" if row.lower_left else "right"
    return CastVote(
        vote=f"v{number}",
        rater=rater.code,
        pair=pair_name(row.kind, tx.seals.pair_number(row.pair_id)) if main else "",
        kind=str(row.kind),
        choice="tie" if choice == "tie" else "lower" if choice == lower else "higher",
        lower_side=lower,
        position=row.position,
        shown_at=row.shown_at,
        voted_at=at,
        idle_seconds=idle,
        degree=rater.degree,
        field=rater.field,
        reason=reason,
        rater_seconds=browser.seconds,
        viewport=browser.viewport,
        in_view=browser.in_view,
        plot_in_view=browser.plot_in_view,
        page=browser.page,
    )


def _seal(
    tx: Tx, study: Study, vote_id: int, commitment: str, salt: str, *, undo: bool = False
) -> None:
    last, link = tx.seals.last(study.id)
    tx.seals.add(
        study.id,
        vote_id,
        last + 1,
        salt=salt,
        commitment=commitment,
        link=next_link(link or study.hash, commitment),
        undo=undo,
    )


def _with_rows(found: LinkHolder, rater: RaterRow, changed: Sequence[AssignmentRow]) -> LinkHolder:
    """With ballots as they are now, and not paused."""
    now = {row.id: row for row in changed}
    ballots = tuple(now.get(row.id, row) for row in found.ballots)
    return replace(found, rater=replace(rater, paused_at=None), ballots=ballots)


_UNDER_WAY = (Stage.PRACTICE, Stage.RATING)
_CACHE = 2000
MAX_KEPT = 5
"""Raters that one browser remembers."""


class RatingService:
    """What the rating page calls. Every method takes the token of the link.

    Parameters
    ----------
    store
    clock
    chance
        Where studies are stored, what time it is, and where tokens come from.
    min_view_seconds
        A vote that comes sooner after the rater saw the ballot (without a report: after it was
        first served), or after another such vote, is taken for a held key and not saved.

    Notes
    -----
    All methods may be called again after a lost answer, a reload or from a second tab: each is
    one transaction, and repeating it changes nothing. `next_ballot` mostly writes nothing. An
    object holds no state of any rater and may be shared by all threads.

    Examples
    --------
    The life of a link::

        visit = service.open(token)                     # Stage.CONSENT; burns nothing
        consent = service.consent(token, degree="Doctorate", field="Physics", request_id=...)
        step = service.next_ballot(consent.token)       # step.ballot, or step.visit.stage says why
        outcome = service.vote(consent.token, step.ballot.token, "left", reason="shorter")
        outcome.visit.progress                          # saved 1 of 10
    """

    def __init__(
        self, store: Store, clock: Clock, chance: Chance, *, min_view_seconds: float = 1.0
    ) -> None:
        self._store = store
        self._clock = clock
        self._chance = chance
        self._min_view = min_view_seconds
        self._contents: dict[tuple[str, int], BallotContent] = {}
        self._balances: dict[tuple[str, int], Balance] = {}

    def open(self, token: str) -> RatingVisit:
        """Where a link stands; reads only.

        Parameters
        ----------
        token
            Of the link.

        Returns
        -------
        RatingVisit
            `Stage.UNKNOWN` for any text that is no token.
        """
        with self._store.reading() as tx:
            return read_visit(tx, token, self._clock.now())

    def known_here(self, token: str, kept: Sequence[str]) -> str:
        """The browser's rater among those who came through this open link.

        Parameters
        ----------
        token
            Of an open link.
        kept
            Tokens that the browser has stored; the first five are looked up.

        Returns
        -------
        str
            One of them; "" if there is none, or the link is no open one.
        """
        with self._store.reading() as tx:
            found = find_link_holder(tx, token)
            if found is None or found.rater is not None:
                return ""
            for each in kept[:MAX_KEPT]:
                other = find_link_holder(tx, each)
                if other and other.rater and other.invitation.id == found.invitation.id:
                    return each
        return ""

    def personal_link(self, token: str) -> str:
        """The whole address of a rater's own link, to show and copy.

        Parameters
        ----------
        token
            Of the rater's link.

        Returns
        -------
        str
            "" before consent.
        """
        with self._store.reading() as tx:
            found = find_link_holder(tx, token)
        if found is None or found.rater is None:
            return ""
        return rating_link(found.study.design.public_base_url, token)

    def new_request_id(self) -> str:
        """A fresh id for one consent form: make it once, store it, send it with `consent`.

        Returns
        -------
        str
            22 characters.
        """
        return self._chance.token()

    def consent(self, token: str, *, degree: str, field: str, request_id: str = "") -> Consent:
        """Consent: makes the rater, and burns a personal link for anyone else's consent.

        Parameters
        ----------
        token
            Of the invitation's link.
        degree
        field
            As declared, each 1 to 80 characters; `DEGREES` has the usual answers.
        request_id
            From `new_request_id`; the same id on an open link gives the same rater, so a double
            click makes one.

        Returns
        -------
        Consent
            With the token to go on with, and the state after consent.

        Raises
        ------
        DesignError
            If degree or field is empty or too long; `field` says which.
        StudyError
            If the link does not lead to a consent page (any more); `open` says why.
        """
        for name, value in (("degree", degree), ("field", field)):
            if not 1 <= len(value.strip()) <= MAX_FIELD:
                raise DesignError(f"the {name} must have 1 to {MAX_FIELD} characters", field=name)
        request = request_id or self._chance.token()
        now = self._clock.now()
        with self._store.writing() as tx:
            found = find_link_holder(tx, token)
            visit = visit_of(tx, found, now)
            if found is None:
                raise StudyError(f"this link takes no consent: {visit.stage}")
            own = token
            if found.rater is None and found.invitation.kind == InvitationKind.OPEN:
                own = derived_token(token, request)
            link = rating_link(found.study.design.public_base_url, own)
            if tx.raters.by_token(token_hash(own)) is None:
                if visit.stage != Stage.CONSENT:
                    raise StudyError(f"this link takes no consent: {visit.stage}")
                tx.raters.add(
                    found.study.id,
                    found.invitation.id,
                    token_hash=token_hash(own),
                    code=_pseudonym(self._chance),
                    degree=degree.strip(),
                    field=field.strip(),
                    at=now,
                    total=visit.ballots,
                    seed=self._chance.generator().getrandbits(31),
                )
                tx.audit.add(now, "rater", "consented", found.study.id)
            return Consent(own, link, read_visit(tx, own, now))

    def next_ballot(self, token: str, *, give: bool = True) -> NextBallot:
        """The ballot to show: the one under way, or a new one.

        The first call stamps its time; a refresh, a second tab or another device gets the same
        ballot and the same stamp.

        Parameters
        ----------
        token
            Of the rater's link.
        give
            False: only where the link stands, as `open` says; no ballot is given out.

        Returns
        -------
        NextBallot
            Its ballot is None where there is none to show.
        """
        now = self._clock.now()
        with self._store.reading() as tx:
            found = find_link_holder(tx, token)
            row = current_ballot(found, now)
            if found and found.rater and row and _is_fresh(found.study, row, now):
                ballot = self._ballot(tx, found.study, found.rater, row)
                return NextBallot(visit_of(tx, found, now), ballot)
            visit = visit_of(tx, found, now)
            if not give or visit.stage not in _UNDER_WAY:
                return NextBallot(replace(visit, traces=self._store.traces))
        with self._store.writing() as tx:
            found = find_link_holder(tx, token)
            balance = self._balance(tx, found.study, now) if found else None
            return self._next(tx, token, found, now, balance)

    def _next(
        self,
        tx: Tx,
        token: str,
        found: LinkHolder | None,
        now: datetime,
        balance: Balance | None,
    ) -> NextBallot:
        visit = visit_of(tx, found, now)
        if found is None or found.rater is None or visit.stage not in _UNDER_WAY:
            return NextBallot(visit)
        row = current_ballot(found, now)
        if row is not None:
            idle = row.idle_seconds + idle_since_last_sign(row, now)
            row = self._keep(tx, found.study, row, now, idle)
        elif balance is not None:
            row = self._give(tx, found, found.rater, visit.stage, now, balance)
        if row is None:
            return NextBallot(read_visit(tx, token, now))
        return NextBallot(visit, self._ballot(tx, found.study, found.rater, row))

    def vote(
        self,
        token: str,
        ballot_token: str,
        choice: Choice,
        reason: str = "",
        report: BrowserReport = UNREPORTED,
        *,
        and_next: bool = False,
    ) -> VoteOutcome:
        """Save a vote, once.

        Parameters
        ----------
        token
        ballot_token
            Of the link, and of the ballot on the screen.
        choice
            Formula A, formula B, cannot decide.
        reason
            One line of at most 200 characters; longer ones are cut.
        report
            What the rater's browser tells of the press.
        and_next
            Give the next ballot out in the same transaction, as `next_ballot` does; not after
            the practice ballot, whose feedback comes first.

        Returns
        -------
        VoteOutcome
            Whether this press was saved, and where the rater stands now.

        Raises
        ------
        StudyError
            If the choice is none of the three, or a tie where none is offered.
        """
        if choice not in ("left", "right", "tie"):
            raise StudyError(f"a vote is left, right or tie, not `{choice}`")
        now = self._clock.now()
        with self._store.writing() as tx:
            found = find_link_holder(tx, token)
            status, row = self._judge(found, ballot_token, now, report)
            practised, balance = False, None
            if row is not None and found is not None and found.rater is not None:
                if status == VoteStatus.SAVED:
                    balance = self._balance(tx, found.study, now) if and_next else None
                    design = found.study.design
                    if choice == "tie" and not design.allow_tie:
                        raise StudyError("this study asks for a choice between A and B")
                    line = " ".join(reason.split())[:MAX_REASON] if design.ask_reason else ""
                    waits = row != _first_open(found.ballots)
                    idle = total_idle_seconds(row, found.rater, now, waiting=waits)
                    at = max(now, row.shown_at)  # a clock that was set back makes no negative time
                    browser = believed_report(report, row, at)
                    number = tx.votes.add(
                        row,
                        choice=choice,
                        reason=line,
                        at=at,
                        idle_seconds=idle,
                        browser=browser,
                    )
                    cast = _cast_vote(tx, found.rater, row, number, choice, line, at, idle, browser)
                    salt = self._chance.token()
                    _seal(tx, found.study, number, cast.commitment(salt), salt)
                    voted = replace(row, vote=StandingVote(number, choice, at, idle))
                    waiting = self._keep_waiting(tx, found, found.rater, row, now)
                    found = self._go_on(tx, found, found.rater, (voted, *waiting))
                    if row.kind == PairKind.PRACTICE:
                        practised = True
                elif status == VoteStatus.TOO_SOON:
                    tx.assignments.mark_hasty(row.id, now)
            if and_next and status == VoteStatus.SAVED and not practised:
                following = self._next(tx, token, found, now, balance)
                return VoteOutcome(status, following.visit, practised, following)
            return VoteOutcome(status, visit_of(tx, found, now), practised)

    def undo(self, token: str, ballot_token: str) -> VoteOutcome:
        """Undo the rater's last vote, within five seconds of it; the next answer counts instead.

        The vote is kept, marked as undone and sealed as such, and its ballot is the current one
        again, with the times it had. The ballot given out meanwhile stays reserved and comes
        back after it. If the study closes before the next answer, the rater has none on this pair.

        Parameters
        ----------
        token
        ballot_token
            Of the link, and of the ballot that the vote was cast on.

        Returns
        -------
        VoteOutcome
            `VoteStatus.UNDONE` with the ballot that is back, also if it was undone before and not
            answered again; `VoteStatus.TOO_LATE` after five seconds, or for the eleventh time on
            one ballot; `VoteStatus.STALE` where it is not the last vote; `VoteStatus.CLOSED` if
            the study takes no other answer any more.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            found = find_link_holder(tx, token)
            rows = () if found is None else found.ballots
            row = next((row for row in rows if row.token == ballot_token), None)
            if found is None or found.rater is None or row is None:
                return VoteOutcome(VoteStatus.STALE, visit_of(tx, found, now))
            status = self._judge_undo(tx, found, row, now)
            if status != VoteStatus.UNDONE:
                return VoteOutcome(status, visit_of(tx, found, now))
            if row.vote is not None:
                found = self._undo(tx, found, found.rater, row, row.vote, now)
            following = self._next(tx, token, found, now, None)
            return VoteOutcome(status, following.visit, following=following)

    def _judge_undo(
        self, tx: Tx, found: LinkHolder, row: AssignmentRow, now: datetime
    ) -> VoteStatus:
        if row.vote is None:
            return VoteStatus.UNDONE if tx.votes.undone_on(row) else VoteStatus.STALE
        if row != last_voted(found.ballots):
            return VoteStatus.STALE
        if not _takes_answers(found, now):
            return VoteStatus.CLOSED
        if _undo_seconds(row.vote, now) < 0 or tx.votes.undone_on(row) >= MAX_UNDOS:
            return VoteStatus.TOO_LATE
        return VoteStatus.UNDONE

    def _undo(
        self,
        tx: Tx,
        found: LinkHolder,
        rater: RaterRow,
        row: AssignmentRow,
        vote: StandingVote,
        now: datetime,
    ) -> LinkHolder:
        # Stamped by whoever may write now: an early look before this knows the vote as standing.
        at = max(self._clock.now(), vote.voted_at)
        tx.votes.undo(vote.id, at)
        salt = self._chance.token()
        _seal(tx, found.study, vote.id, undo_commitment(f"v{vote.id}", at, salt), salt, undo=True)
        changed = []
        ahead = _first_open(found.ballots)
        if ahead is not None:
            idle = total_idle_seconds(ahead, rater, now)
            changed.append(self._keep(tx, found.study, ahead, now, idle))
        # From the vote to its undoing the rater was elsewhere.
        away = (at - vote.voted_at).total_seconds()
        back = replace(row, vote=None)
        changed.append(self._keep(tx, found.study, back, now, vote.idle_seconds + away))
        return self._go_on(tx, found, rater, changed)

    def _keep_waiting(
        self, tx: Tx, found: LinkHolder, rater: RaterRow, answered: AssignmentRow, now: datetime
    ) -> list[AssignmentRow]:
        """Count the time on the answered ballot as idle for those that waited behind it."""
        first = _first_open(found.ballots)
        return [
            self._keep(
                tx, found.study, row, now, total_idle_seconds(row, rater, now, waiting=row != first)
            )
            for row in found.ballots
            if not row.voted and row.id != answered.id
        ]

    def _go_on(
        self, tx: Tx, found: LinkHolder, rater: RaterRow, changed: Sequence[AssignmentRow]
    ) -> LinkHolder:
        """After a vote or its undoing: a pause is over."""
        if rater.paused_at is not None:
            tx.raters.set_paused(rater.id, None)
        return _with_rows(found, rater, changed)

    def heartbeat(self, token: str, ballot_token: str, *, active: bool = True) -> None:
        """A sign of life while a ballot is on the screen, every 10 to 20 seconds.

        Keeps the reservation, and tells idle time. Pages that never call this have no idle time
        but pauses.

        Parameters
        ----------
        token
        ballot_token
            Of the link, and of the ballot on the screen.
        active
            True: only a gap of more than 45 seconds counts as idle; False (the tab is hidden): all
            the time since the last sign.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            found = find_link_holder(tx, token)
            row = current_ballot(found, now)
            if found is None or row is None or row.token != ballot_token:
                return
            gap = idle_since_last_sign(row, now) if active else (now - row.seen_at).total_seconds()
            self._keep(tx, found.study, row, now, row.idle_seconds + gap, beats=True)

    def pause(self, token: str) -> RatingVisit:
        """Stop the clock until `resume`; the time between counts as idle.

        Parameters
        ----------
        token
            Of the rater's link.

        Returns
        -------
        RatingVisit
            `Stage.PAUSED`, if a ballot was under way.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            found = find_link_holder(tx, token)
            stage = visit_of(tx, found, now).stage
            if found and found.rater and stage in (Stage.PRACTICE, Stage.RATING):
                row = current_ballot(found, now)
                if row is not None:
                    idle = row.idle_seconds + idle_since_last_sign(row, now)
                    self._keep(tx, found.study, row, now, idle)
                tx.raters.set_paused(found.rater.id, now)
            return read_visit(tx, token, now)

    def resume(self, token: str) -> RatingVisit:
        """Go on after a pause; harmless without one.

        Parameters
        ----------
        token
            Of the rater's link.

        Returns
        -------
        RatingVisit
            The state now.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            found = find_link_holder(tx, token)
            if found and found.rater and found.rater.paused_at is not None:
                first = _first_open(found.ballots)
                for row in found.ballots:
                    if not row.voted:
                        idle = total_idle_seconds(row, found.rater, now, waiting=row != first)
                        self._keep(tx, found.study, row, now, idle)
                tx.raters.set_paused(found.rater.id, None)
            return read_visit(tx, token, now)

    def withdraw(self, token: str) -> RatingVisit:
        """Delete the rater with all votes; what stays is a line without content.

        Parameters
        ----------
        token
            Of the rater's link.

        Returns
        -------
        RatingVisit
            `Stage.WITHDRAWN`, with the study's contact, and whether the database's files may still
            hold what was deleted.
        """
        now = self._clock.now()
        with self._store.writing(erasing=True) as tx:
            found = find_link_holder(tx, token)
            visit = visit_of(tx, found, now)
            if found is not None and found.rater is not None:
                tx.raters.withdraw(found.rater.id, now)
                if found.invitation.kind == InvitationKind.PERSONAL:
                    tx.invitations.clear_label(found.invitation.id)
                tx.audit.add(now, "rater", "withdrew", found.study.id)
                design = found.study.design
                visit = RatingVisit(Stage.WITHDRAWN, title=design.title, contact=design.contact)
        return replace(visit, traces=self._store.traces)

    # --- ballots ---

    def _give(
        self,
        tx: Tx,
        holder: LinkHolder,
        rater: RaterRow,
        stage: Stage,
        now: datetime,
        balance: Balance,
    ) -> AssignmentRow | None:
        """Choose the next pair and reserve it; None (and a lower total) if there is none."""
        rng = self._chance.generator()
        study, rows = holder.study, holder.ballots
        position = sum(row.kind != PairKind.PRACTICE for row in rows) + 1
        checks = study.design.attention_checks
        kind, pair_id, lower_left = PairKind.MAIN, 0, rng.random() < 0.5
        if stage == Stage.PRACTICE:
            kind, position = PairKind.PRACTICE, 0
            pair_id = tx.materials.pairs(study.id, kind)[0].id
        elif position in check_positions(rater.total, checks, rater.seed):
            kind = PairKind.ATTENTION
            used = sum(row.kind == kind for row in rows)
            pair_id = tx.materials.pairs(study.id, kind)[used].id
        else:
            mine = [row for row in rows if row.kind == PairKind.MAIN]
            place = balance.pairs.place
            given = RaterHistory(
                tuple(place[r.pair_id] for r in mine), sum(r.lower_left for r in mine)
            )
            wanted = max(1, study.design.ballots_per_rater - len(mine))
            standing = balance.standing(rater.id, rows, now)
            choice = choose_pair(standing, given, wanted, rng)
            if choice is None:
                tx.raters.set_total(rater.id, position - 1)
                return None
            pair_id, lower_left = choice.pair_id, choice.lower_left
        return tx.assignments.add(
            rater,
            pair_id,
            kind,
            token=self._chance.token(),
            position=position,
            lower_left=lower_left,
            at=now,
            reserved_until=now + timedelta(minutes=study.design.reservation_minutes),
        )

    def _ballot(self, tx: Tx, study: Study, rater: RaterRow, row: AssignmentRow) -> Ballot:
        return self._content(tx, study, row.pair_id).ballot(
            study.design,
            lower_left=row.lower_left,
            token=row.token,
            number=row.position,
            of=rater.total,
            practice=row.kind == PairKind.PRACTICE,
        )

    def _content(self, tx: Tx, study: Study, pair_id: int) -> BallotContent:
        """Frozen, so it may be kept; the study's hash is part of the key."""
        key = (study.hash, pair_id)
        if key not in self._contents:
            text = tx.materials.ballot(pair_id)
            if text is None:
                raise StudyError("this ballot was never made")
            if len(self._contents) >= _CACHE:
                self._contents.clear()
            self._contents[key] = BallotContent.from_json(text)
        return self._contents[key]

    def _balance(self, tx: Tx, study: Study, now: datetime) -> Balance:
        """What has been given out, before this transaction writes: what it writes may not stay."""
        key = (study.hash, study.id)
        if key not in self._balances:
            if len(self._balances) >= _CACHE:
                self._balances.clear()
            self._balances[key] = Balance(PairIndex(tx.assignments.pairs_to_give(study.id)))
        balance = self._balances[key]
        balance.follow(tx.assignments.changes(study.id, balance.mark), now)
        return balance

    def warm(self) -> Iterator[Ballot]:
        """Read every ballot of the open studies once, before the first rater comes.

        Yields
        ------
        Ballot
            Each as both sides show it, for nobody: what a page makes of it can be made ready.
        """
        now = self._clock.now()
        with self._store.reading() as tx:
            studies = [study for study in tx.studies.every() if study.takes_votes(now)]
        for study in studies:
            with self._store.reading() as tx:
                contents = [
                    self._content(tx, study, pair.id)
                    for pair in tx.materials.pairs(study.id)
                    if pair.in_study or pair.pair.kind != PairKind.MAIN
                ]
            for content in contents:
                for lower_left in (True, False):
                    yield content.ballot(
                        study.design, lower_left=lower_left, token="", number=0, of=0
                    )

    def _judge(
        self, found: LinkHolder | None, ballot_token: str, now: datetime, report: BrowserReport
    ) -> tuple[VoteStatus, AssignmentRow | None]:
        if found is None or found.rater is None:
            return VoteStatus.STALE, None
        row = next((row for row in found.ballots if row.token == ballot_token), None)
        if row is None:
            return VoteStatus.STALE, None
        if row.voted:
            return VoteStatus.ALREADY_SAVED, row
        if not _takes_answers(found, now):
            return VoteStatus.CLOSED, row
        if report.unseen:
            return VoteStatus.UNSEEN, row
        seen = believed_report(report, row, now).seconds
        waits = [(now - row.shown_at).total_seconds() if seen is None else seen]
        waits += [(now - row.hasty_at).total_seconds()] if row.hasty_at else []
        hasty = any(0 <= wait < self._min_view for wait in waits)
        return (VoteStatus.TOO_SOON if hasty else VoteStatus.SAVED), row

    def _keep(
        self,
        tx: Tx,
        study: Study,
        row: AssignmentRow,
        now: datetime,
        idle: float,
        *,
        beats: bool = False,
    ) -> AssignmentRow:
        until = now + timedelta(minutes=study.design.reservation_minutes)
        kept = replace(
            row,
            seen_at=now,
            reserved_until=until,
            idle_seconds=idle,
            beats=beats or row.beats,
        )
        tx.assignments.keep_alive(
            kept.id,
            seen_at=kept.seen_at,
            reserved_until=kept.reserved_until,
            idle_seconds=kept.idle_seconds,
            beats=kept.beats,
        )
        return kept


def _pseudonym(chance: Chance) -> str:
    """What stands for a rater in exports: never a number, a sign or a formula to a spreadsheet."""
    return f"r{token_hash(chance.token())[:15]}"


def _is_fresh(study: Study, row: AssignmentRow, now: datetime) -> bool:
    """Whether showing the ballot again needs no write."""
    half = timedelta(minutes=study.design.reservation_minutes) / 2
    return row.reserved_until - now > half and not idle_since_last_sign(row, now)
