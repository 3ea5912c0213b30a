"""What the services need of a database: protocols that `db` implements.

``with store.writing() as tx:`` opens a unit of work: leaving the block commits everything, an
exception undoes everything. Counts are derived from rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Protocol

from study.assignment import PairToGive
from study.balance import Changes, ReadMark
from study.design import StudyDesign
from study.errors import NotFoundError
from study.material import NewPair, PairKind, Pool, Problem, Study, StudyPair
from study.model_replies import ModelOutcome, ModelReply
from study.rating_types import BrowserReport
from study.sealing import Seal

Choice = Literal["left", "right", "tie"]


class InvitationKind(StrEnum):
    """A personal link is for one rater; an open link for as many as its quota says."""

    PERSONAL = "personal"
    OPEN = "open"


@dataclass(frozen=True)
class InvitationRow:
    id: int
    study_id: int
    kind: InvitationKind
    label: str  # The organiser's note, such as a name from their own list
    quota: int  # Consents it is good for; 1 for a personal link
    created_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True)
class RaterRow:
    id: int
    study_id: int
    invitation_id: int
    code: str  # Random pseudonym, used in exports
    # degree, field: as declared
    degree: str
    field: str
    consented_at: datetime
    total: int  # Ballots to rate, attention checks included; lowered if no more can be given
    seed: int  # Places the attention checks
    paused_at: datetime | None = None


@dataclass(frozen=True)
class StandingVote:
    """The vote on a ballot, if it has one that is not undone."""

    id: int
    choice: Choice
    voted_at: datetime
    idle_seconds: float


@dataclass(frozen=True)
class AssignmentRow:
    id: int
    rater_id: int
    pair_id: int
    kind: PairKind
    token: str  # Opaque; what the page gives back
    position: int  # 0 for practice, then 1, 2, ..
    lower_left: bool  # Whether the formula of lower EIC stands on the left
    shown_at: datetime  # When the server first served it; never changes
    reserved_until: datetime
    seen_at: datetime  # Last sign of life on this ballot
    idle_seconds: float = 0.0  # Time known to be spent away from it
    beats: bool = False  # Whether the page sends heartbeats
    hasty_at: datetime | None = None  # Last vote that came too soon to be meant
    vote: StandingVote | None = None

    @property
    def voted(self) -> bool:
        return self.vote is not None


@dataclass(frozen=True)
class VoteRow:
    id: int
    rater_id: int
    pair_id: int
    assignment_id: int
    kind: PairKind
    rater_code: str
    position: int
    choice: Choice
    lower_left: bool
    shown_at: datetime
    voted_at: datetime
    idle_seconds: float
    reason: str
    # From paint to press by the rater's own clock; None if their browser did not tell
    rater_seconds: float | None = None
    viewport: str = ""  # "narrow", "medium", "wide", or "" if unknown
    # in_view, plot_in_view: whether both formulas, and the plot, had been in view; None if the
    # browser could not tell
    in_view: bool | None = None
    plot_in_view: bool | None = None
    page: int | None = None  # The page that showed the ballot; None: the one of before
    undone_at: datetime | None = None  # Undone by the rater, whose next answer counts instead

    @property
    def seconds(self) -> float:
        return (self.voted_at - self.shown_at).total_seconds()

    @property
    def chosen(self) -> Literal["lower", "higher", "tie"]:
        if self.choice == "tie":
            return "tie"
        return "lower" if (self.choice == "left") == self.lower_left else "higher"


@dataclass(frozen=True)
class ModelRunRow:
    id: int
    study_id: int
    label: str  # Unique in the study; the model's name unless another was given
    # model, base_url: as asked; never a key
    model: str
    base_url: str
    temperature: float
    repeats: int  # How often each pair is asked, half of them in either order
    # prompt, prompt_sha256: the template, as JSON, and its hash
    prompt: str
    prompt_sha256: str
    begun_at: datetime


@dataclass(frozen=True)
class ModelAnswerRow:
    id: int
    run_id: int
    pair_id: int
    lower_first: bool  # Whether the formula of lower EIC was formula A
    repeat: int  # 1, 2, ... within the order.
    outcome: ModelOutcome
    raw: str  # As it was written
    # snapshot, fingerprint, finish_reason: as the endpoint says
    snapshot: str
    fingerprint: str
    finish_reason: str
    structured: bool  # Whether the model was held to the JSON schema
    seed: int | None  # As sent
    # prompt_tokens, completion_tokens: as the endpoint counts
    prompt_tokens: int | None
    completion_tokens: int | None
    latency_seconds: float
    asked_at: datetime  # When the answer was stored

    @property
    def counted(self) -> bool:
        return self.prompt_tokens is not None and self.completion_tokens is not None

    @property
    def chosen(self) -> Literal["lower", "higher", "tie", "refused", "unparsable"]:
        match self.outcome:
            case ModelOutcome.TIE:
                return "tie"
            case ModelOutcome.REFUSED:
                return "refused"
            case ModelOutcome.UNPARSABLE:
                return "unparsable"
        return "lower" if (self.outcome == ModelOutcome.FIRST) == self.lower_first else "higher"


@dataclass(frozen=True)
class AuditLine:
    id: int
    at: datetime
    actor: str
    action: str
    study_id: int | None
    detail: str


class Studies(Protocol):
    def add(
        self, name: str, design: StudyDesign, rules: Mapping[str, Any], at: datetime
    ) -> int: ...
    def get(self, study_id: int) -> Study | None: ...
    def by_name(self, name: str) -> Study | None: ...
    def every(self) -> tuple[Study, ...]: ...
    def edit(
        self,
        study_id: int,
        *,
        name: str | None = None,
        design: StudyDesign | None = None,
        rules: Mapping[str, Any] | None = None,
    ) -> None: ...
    def freeze(self, study_id: int, configuration: str, hash: str, at: datetime) -> None: ...
    def configuration(self, study_id: int) -> str: ...
    def close(self, study_id: int, at: datetime) -> None: ...
    def end_admission(self, study_id: int, at: datetime) -> None: ...
    def delete_draft(self, study_id: int) -> None: ...


class Materials(Protocol):
    def set_problems(self, study_id: int, problems: Sequence[Problem]) -> None: ...
    def add_problem(self, study_id: int, problem: Problem) -> None: ...
    def problems(self, study_id: int) -> tuple[Problem, ...]: ...
    def set_pool(self, study_id: int, pool: Pool) -> None: ...
    def pool(self, study_id: int) -> Pool | None: ...
    def set_pairs(self, study_id: int, pairs: Sequence[NewPair]) -> None: ...
    def add_pair(self, study_id: int, pair: NewPair) -> StudyPair: ...
    def pairs(self, study_id: int, kind: PairKind | None = None) -> tuple[StudyPair, ...]: ...
    def pair(self, study_id: int, pair_id: int) -> StudyPair | None: ...
    def drop(self, pair_id: int, reason: str) -> None: ...
    def add_ballot(self, pair_id: int, content: str) -> None: ...
    def ballot(self, pair_id: int) -> str | None: ...


class Invitations(Protocol):
    def add(
        self,
        study_id: int,
        kind: InvitationKind,
        token_hash: str,
        label: str,
        quota: int,
        at: datetime,
    ) -> int: ...
    def by_token(self, token_hash: str) -> InvitationRow | None: ...
    def get(self, invitation_id: int) -> InvitationRow | None: ...
    def every(self, study_id: int) -> tuple[InvitationRow, ...]: ...
    def revoke(self, invitation_id: int, at: datetime) -> None: ...
    def clear_label(self, invitation_id: int) -> None: ...
    def replace_token(self, invitation_id: int, old_hash: str, new_hash: str) -> None: ...
    def token_hash_of(self, invitation_id: int) -> str: ...
    def consents(self, invitation_id: int) -> int: ...
    def withdrawals(self, invitation_id: int) -> int: ...


class Raters(Protocol):
    def add(
        self,
        study_id: int,
        invitation_id: int,
        *,
        token_hash: str,
        code: str,
        degree: str,
        field: str,
        at: datetime,
        total: int,
        seed: int,
    ) -> RaterRow: ...
    def by_token(self, token_hash: str) -> RaterRow | None: ...
    def holder(self, token_hash: str) -> tuple[Study, InvitationRow, RaterRow] | None: ...
    def every(self, study_id: int) -> tuple[RaterRow, ...]: ...
    def set_total(self, rater_id: int, total: int) -> None: ...
    def set_paused(self, rater_id: int, at: datetime | None) -> None: ...
    def withdraw(self, rater_id: int, at: datetime) -> None: ...
    def withdrawals(self, study_id: int) -> int: ...


class Assignments(Protocol):
    def add(
        self,
        rater: RaterRow,
        pair_id: int,
        kind: PairKind,
        *,
        token: str,
        position: int,
        lower_left: bool,
        at: datetime,
        reserved_until: datetime,
    ) -> AssignmentRow: ...
    def of_rater(self, rater_id: int) -> tuple[AssignmentRow, ...]: ...
    def keep_alive(
        self,
        assignment_id: int,
        *,
        seen_at: datetime,
        reserved_until: datetime,
        idle_seconds: float,
        beats: bool,
    ) -> None: ...
    def mark_hasty(self, assignment_id: int, at: datetime) -> None: ...
    def pairs_to_give(self, study_id: int) -> tuple[PairToGive, ...]: ...
    def changes(self, study_id: int, since: ReadMark) -> Changes: ...


class Votes(Protocol):
    def add(
        self,
        assignment: AssignmentRow,
        *,
        choice: Choice,
        reason: str,
        at: datetime,
        idle_seconds: float,
        browser: BrowserReport = ...,
    ) -> int: ...
    def undo(self, vote_id: int, at: datetime) -> None: ...
    def undone_on(self, assignment: AssignmentRow) -> int: ...
    def every(self, study_id: int) -> tuple[VoteRow, ...]:
        """Those that stand: what is counted anywhere is counted from these."""
        ...

    def undone(self, study_id: int) -> tuple[VoteRow, ...]: ...


class ModelRecords(Protocol):
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
    ) -> ModelRunRow: ...
    def run(self, run_id: int) -> ModelRunRow | None: ...
    def runs(self, study_id: int) -> tuple[ModelRunRow, ...]: ...
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
    ) -> None: ...
    def answers(self, run_id: int) -> tuple[ModelAnswerRow, ...]: ...


class Seals(Protocol):
    """Added, read, and emptied when a rater withdraws."""

    def last(self, study_id: int) -> tuple[int, str]: ...
    def add(
        self,
        study_id: int,
        vote_id: int,
        number: int,
        *,
        salt: str,
        commitment: str,
        link: str,
        undo: bool = ...,
    ) -> None: ...
    def pair_number(self, pair_id: int) -> int: ...
    def every(self, study_id: int) -> tuple[Seal, ...]: ...


class Audit(Protocol):
    def add(
        self, at: datetime, actor: str, action: str, study_id: int | None = None, detail: str = ""
    ) -> None: ...
    def every(self, study_id: int | None = None) -> tuple[AuditLine, ...]: ...


class AccessRecords(Protocol):
    def passphrase_hash(self) -> str | None: ...
    def set_passphrase_hash(self, hash: str, at: datetime) -> None: ...
    def set_setup_token(self, token_hash: str, expires_at: datetime) -> None: ...
    def use_setup_token(self, token_hash: str, now: datetime) -> bool: ...
    def add_attempt(self, origin: str, at: datetime) -> int: ...
    def forgive(self, attempt_id: int) -> None: ...
    def failures(self, since: datetime, origin: str | None = None) -> Iterable[datetime]: ...
    def add_login(self, token_hash: str, at: datetime, expires_at: datetime) -> None: ...
    def login_expiry(self, token_hash: str, now: datetime) -> datetime | None: ...
    def end_login(self, token_hash: str, at: datetime) -> None: ...
    def end_logins(self, at: datetime) -> None: ...


class Tx(Protocol):
    @property
    def studies(self) -> Studies: ...
    @property
    def materials(self) -> Materials: ...
    @property
    def invitations(self) -> Invitations: ...
    @property
    def raters(self) -> Raters: ...
    @property
    def assignments(self) -> Assignments: ...
    @property
    def votes(self) -> Votes: ...
    @property
    def models(self) -> ModelRecords: ...
    @property
    def seals(self) -> Seals: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def access(self) -> AccessRecords: ...


class Store(Protocol):
    def reading(self) -> AbstractContextManager[Tx]:
        """A consistent snapshot; writing raises."""
        ...

    # Serialised from the first statement on: what a service has read is still true when it writes.
    def writing(self, *, erasing: bool = False) -> AbstractContextManager[Tx]:
        """The only writer; commits on leaving, undoes everything on an exception.

        After `erasing`, what it deletes leaves the database's files too: at once, or, while
        somebody else reads them, soon after.
        """
        ...

    @property
    def traces(self) -> bool:
        """Whether the database's files may still hold what was deleted in `erasing`."""
        ...

    def alone(self, name: str) -> AbstractContextManager[bool]:
        """Hold a name until leaving, in whatever process; gives whether nobody else holds it."""
        ...


def count_votes_by_rater(votes: Iterable[VoteRow]) -> Counter[int]:
    """Ballots that each rater has answered, by rater id; practice left out."""
    return Counter(vote.rater_id for vote in votes if vote.kind != PairKind.PRACTICE)


def require_study(tx: Tx, study_id: int) -> Study:
    study = tx.studies.get(study_id)
    if study is None:
        raise NotFoundError(f"there is no study {study_id}")
    return study
