"""Links that raters open a study with: made once, stored as hashes, their places counted."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from eic_core.exports import csv_text, safe_cell
from study.clock import Chance, Clock
from study.design import StudyStatus
from study.errors import DesignError, NotFoundError, StudyError
from study.store import InvitationKind, Store, count_votes_by_rater, require_study


def token_hash(token: str) -> str:
    # Unsalted: tokens have 128 random bits.
    return hashlib.sha256(token.encode()).hexdigest()


def rating_link(base_url: str, token: str) -> str:
    """The address of the rating page.

    >>> rating_link("https://study.example.org/", "abc")
    'https://study.example.org/rate?t=abc'
    """
    return f"{base_url.rstrip('/')}/rate?t={token}"


def setup_link(base_url: str, token: str) -> str:
    return f"{base_url.rstrip('/')}/organise?setup={token}"


def derived_token(open_token: str, request_id: str) -> str:
    """A rater's own token; sending one consent twice gives it twice."""
    digest = hashlib.sha256(f"rater\0{open_token}\0{request_id}".encode()).digest()
    return base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


MAX_INVITATIONS = 5000
MAX_LABEL = 120


@dataclass(frozen=True)
class NewInvitation:
    """A link just made. Show or save it now: it cannot be read again."""

    id: int
    kind: InvitationKind
    label: str
    link: str
    quota: int


class InvitationState(StrEnum):
    UNUSED = "unused"
    CONSENTED = "consented"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"
    REVOKED = "revoked"


@dataclass(frozen=True)
class InvitationView:
    id: int
    kind: InvitationKind
    label: str
    state: InvitationState  # For an open link: UNUSED, CONSENTED (someone has) or REVOKED
    # quota, consented, finished, withdrawn: for an open link, how many of each; `consented` counts
    # withdrawn raters, too
    quota: int
    consented: int
    finished: int
    withdrawn: int
    created_at: datetime


class InvitationService:
    """Makes, lists and revokes the links of a study.

    Parameters
    ----------
    store
    clock
    chance
        Where links are stored, what time it is, and where tokens come from.
    demo
        True: no links for addresses beyond this machine.
    actor
        Who is written into the audit lines.
    """

    def __init__(
        self, store: Store, clock: Clock, chance: Chance, *, demo: bool, actor: str
    ) -> None:
        self._store = store
        self._clock = clock
        self._chance = chance
        self._demo = demo
        self._actor = actor

    def warning(self, study_id: int) -> str:
        """Why links would not reach anybody.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        str
            To show above the form; "" if they would.
        """
        with self._store.reading() as tx:
            study = require_study(tx, study_id)
        if study.design.is_local:
            return (
                f"Links start with {study.design.public_base_url}: they open on this computer "
                "only. Set the public address of the app before you send any."
            )
        return ""

    def invite(self, study_id: int, labels: Sequence[str]) -> tuple[NewInvitation, ...]:
        """Make personal links.

        Parameters
        ----------
        study_id
            Of an open study.
        labels
            One for each link, 1 to 5,000; each at most 120 characters, "" for none.

        Returns
        -------
        tuple[NewInvitation, ...]
            In the order of the labels.

        Raises
        ------
        StudyError
            If the study is not open, or in demo mode with a public address.
        """
        if not 1 <= len(labels) <= MAX_INVITATIONS:
            raise DesignError(f"make 1 to {MAX_INVITATIONS} links at once", field="count")
        return self._make(study_id, InvitationKind.PERSONAL, labels, 1)

    def open_link(self, study_id: int, quota: int, label: str = "") -> NewInvitation:
        """Make a link for anyone who has it.

        Parameters
        ----------
        study_id
            Of an open study.
        quota
            Consents that it is good for, 1 to 100,000.
        label
            The organiser's note, at most 120 characters.

        Returns
        -------
        NewInvitation
            Its link is in no list later.
        """
        if not 1 <= quota <= 100_000:
            raise DesignError("the quota must be from 1 to 100,000", field="quota")
        return self._make(study_id, InvitationKind.OPEN, [label], quota)[0]

    def revoke(self, study_id: int, invitation_id: int) -> None:
        """Take a link back: no consent and no further vote comes through it; votes stay.

        Parameters
        ----------
        study_id
        invitation_id
            The study, and one of its invitations; a link may be taken back twice.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            invitation = tx.invitations.get(invitation_id)
            if invitation is None or invitation.study_id != study_id:
                raise NotFoundError("there is no such invitation in this study")
            if invitation.revoked_at is None:
                tx.invitations.revoke(invitation_id, now)
                tx.audit.add(now, self._actor, "revoked a link", study_id, f"#{invitation_id}")

    def replace(self, study_id: int, invitation_id: int) -> NewInvitation:
        """Make another personal link for a lost one, which leads nowhere from now on.

        Whoever came through the old link goes on where they were.

        Parameters
        ----------
        study_id
        invitation_id
            The study, and one of its personal invitations.

        Returns
        -------
        NewInvitation
            The same invitation with another link.

        Raises
        ------
        StudyError
            If the link is an open one, was taken back, or its rater has withdrawn.
        """
        now = self._clock.now()
        with self._store.writing() as tx:
            invitation = tx.invitations.get(invitation_id)
            if invitation is None or invitation.study_id != study_id:
                raise NotFoundError("there is no such invitation in this study")
            if invitation.kind != InvitationKind.PERSONAL:
                raise StudyError("an open link is nobody's own", hint="make another open link")
            if invitation.revoked_at is not None or tx.invitations.withdrawals(invitation_id):
                raise StudyError("this link was taken back, or its rater has withdrawn")
            study, token = require_study(tx, study_id), self._chance.token()
            old = tx.invitations.token_hash_of(invitation_id)
            tx.invitations.replace_token(invitation_id, old, token_hash(token))
            tx.audit.add(now, self._actor, "replaced a link", study_id, f"#{invitation_id}")
            link = rating_link(study.design.public_base_url, token)
            return NewInvitation(
                invitation_id, invitation.kind, invitation.label, link, invitation.quota
            )

    def every(self, study_id: int) -> tuple[InvitationView, ...]:
        """All invitations of a study.

        Parameters
        ----------
        study_id
            A study's.

        Returns
        -------
        tuple[InvitationView, ...]
            Oldest first, without the links themselves.
        """
        with self._store.reading() as tx:
            require_study(tx, study_id)
            saved = count_votes_by_rater(tx.votes.every(study_id))
            done: dict[int, list[bool]] = {}
            for rater in tx.raters.every(study_id):
                finished = saved[rater.id] >= rater.total
                done.setdefault(rater.invitation_id, []).append(finished)
            views = []
            for row in tx.invitations.every(study_id):
                raters = done.get(row.id, [])
                withdrawn = tx.invitations.withdrawals(row.id)
                state = InvitationState.UNUSED
                if row.revoked_at is not None:
                    state = InvitationState.REVOKED
                elif row.kind == InvitationKind.PERSONAL and withdrawn:
                    state = InvitationState.WITHDRAWN
                elif row.kind == InvitationKind.PERSONAL and any(raters):
                    state = InvitationState.FINISHED
                elif raters or withdrawn:
                    state = InvitationState.CONSENTED
                views.append(
                    InvitationView(
                        row.id,
                        row.kind,
                        row.label,
                        state,
                        row.quota,
                        len(raters) + withdrawn,
                        sum(raters),
                        withdrawn,
                        row.created_at,
                    )
                )
            return tuple(views)

    def _make(
        self, study_id: int, kind: InvitationKind, labels: Sequence[str], quota: int
    ) -> tuple[NewInvitation, ...]:
        now = self._clock.now()
        for label in labels:
            if len(label) > MAX_LABEL:
                raise DesignError(f"a label has at most {MAX_LABEL} characters", field="label")
        invitations = []
        with self._store.writing() as tx:
            study = require_study(tx, study_id)
            if study.status == StudyStatus.DRAFT:
                raise StudyError("a draft invites nobody", hint="freeze the study first")
            if study.status == StudyStatus.CLOSED:
                raise StudyError("this study is closed")
            if study.admission_ended_at is not None:
                raise StudyError("this study takes in nobody new")
            if self._demo and not study.design.is_local:
                raise StudyError(
                    "a demo invites nobody from elsewhere",
                    hint="run the app with a passphrase and a database of its own",
                )
            for label in labels:
                token = self._chance.token()
                invitation_id = tx.invitations.add(
                    study_id, kind, token_hash(token), label.strip(), quota, now
                )
                link = rating_link(study.design.public_base_url, token)
                invitations.append(NewInvitation(invitation_id, kind, label.strip(), link, quota))
            detail = f"{len(invitations)} {kind} link(s), quota {quota}"
            tx.audit.add(now, self._actor, "made links", study_id, detail)
        return tuple(invitations)


def links_csv(invitations: Iterable[NewInvitation]) -> str:
    """Links as CSV text with the columns ``id``, ``label``, ``kind``, ``quota``, ``link``.

    >>> one = NewInvitation(1, InvitationKind.PERSONAL, "=A", "http://localhost/rate?t=x", 1)
    >>> print(links_csv([one]), end="")
    id,label,kind,quota,link
    1,'=A,personal,1,http://localhost/rate?t=x
    """
    return csv_text(
        ["id", "label", "kind", "quota", "link"],
        ([i.id, safe_cell(i.label), str(i.kind), i.quota, i.link] for i in invitations),
    )
