"""A small study to rehearse with: what the tests of `study` and `db` share."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from db import SqlStore, open_database
from study.clock import ManualClock, SystemChance, SystemClock
from study.design import StudyDesign
from study.links import NewInvitation
from study.material import Column, Member, NewPair, Pool, Problem, Study
from study.organising import OrganiserService
from study.rating import RatingService
from study.rating_types import Ballot
from study.store import VoteRow

SECRET_METHOD = "SecretMethod"
_OPENED: dict[str, sqlite3.Connection] = {}
"""Databases with one open study, by what it was made of."""
_MIGRATED: list[bytes] = []
"""An empty database of the newest schema, once there is one."""
DESIGN = StudyDesign(contact="study@example.org", ballots_per_rater=10, practice=False)


def problem(number: int) -> Problem:
    """A problem with one input (even numbers) or two."""
    if number % 2:
        rows = [f"{a},{(a * a) % 7},{a + 2 * ((a * a) % 7) + number}" for a in range(12)]
        text = "\n".join(["width,height,area", *rows])
    else:
        text = "\n".join(["t,level", *(f"{t},{2 * t + number + t % 3 / 10}" for t in range(15))])
    columns = (Column("t", "s", "time"), Column("level", "cm"))
    return Problem(f"q{number}", text + "\n", f"Problem {number}", "Water in a tank.", columns)


def pair(number: int, index: int) -> NewPair:
    """One of many pairs for a problem; no two share a formula."""
    if number % 2:
        lower, higher = f"x0+2*x1+{index}+{number}", f"x0+x1+x1+{index}+{number}"
    else:
        lower, higher = f"2.0{index}*x0+{number}", f"x0+x0+{number}+0.0{index}1*x0"
    return NewPair(
        f"q{number}",
        Member(lower, eic=0.3217, r2=0.99, complexity=5, method=SECRET_METHOD, row=index),
        Member(higher, eic=3.7654, r2=0.98, complexity=7, method=SECRET_METHOD, row=index + 50),
        loss=-11.86,
    )


@dataclass
class Rehearsal:
    """Services on a real SQLite file, with a clock that the test moves."""

    url: str
    store: SqlStore
    clock: ManualClock
    organiser: OrganiserService
    rating: RatingService

    @classmethod
    def at(cls, folder: Path, *, min_view_seconds: float = 0.0) -> Rehearsal:
        """On a fresh file."""
        file = folder / "eic_lab.sqlite3"
        url = f"sqlite:///{file}"
        folder.mkdir(parents=True, exist_ok=True)
        if _MIGRATED and not file.exists():
            file.write_bytes(_MIGRATED[0])
        store, clock, chance = open_database(url), ManualClock(), SystemChance()
        if not _MIGRATED:
            _MIGRATED.append(_content(file))
        return cls(
            url,
            store,
            clock,
            OrganiserService(store, clock, chance),
            RatingService(store, clock, chance, min_view_seconds=min_view_seconds),
        )

    def draft(
        self,
        design: StudyDesign = DESIGN,
        *,
        problems: int = 5,
        pairs: int = 4,
        name: str = "rehearsal",
    ) -> Study:
        """A draft with pairs."""
        study = self.organiser.create(name, design)
        self.organiser.set_problems(study.id, [problem(q) for q in range(problems)])
        self.organiser.set_pool(study.id, Pool("pool.csv", "problem,formula\n", 0))
        made = [pair(q, i) for q in range(problems) for i in range(pairs)]
        self.organiser.set_pairs(study.id, made, {"max_r2_gap": 0.02})
        return self.organiser.study(study.id)

    def opened(
        self, design: StudyDesign = DESIGN, *, problems: int = 5, pairs: int = 4, **changes: object
    ) -> Study:
        """An open study; the same one is made once and copied after that."""
        changed = replace(design, **changes)  # type: ignore[arg-type]
        wanted = repr((changed, problems, pairs, self.clock.now()))
        empty = self._is_empty()
        if empty and wanted in _OPENED:
            with contextlib.closing(self._connect()) as here:
                _OPENED[wanted].backup(here)
            return self.organiser.studies()[0]
        study = self.organiser.freeze(self.draft(changed, problems=problems, pairs=pairs).id)
        if empty:
            _OPENED[wanted] = sqlite3.connect(":memory:", check_same_thread=False)
            with contextlib.closing(self._connect()) as here:
                here.backup(_OPENED[wanted])
        return study

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.url.removeprefix("sqlite:///"))

    def _is_empty(self) -> bool:
        """Whether nobody has stored anything yet."""
        with contextlib.closing(self._connect()) as here:
            tables = here.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            filled = [
                name
                for (name,) in tables
                if name not in ("alembic_version", "sqlite_sequence")
                and here.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()
            ]
        return not filled

    def rater(self, study: Study, label: str = "") -> str:
        """The token of a rater who has consented through a personal link."""
        token = token_of(self.organiser.invitations.invite(study.id, [label])[0])
        self.rating.consent(token, degree="Doctorate", field="Physics")
        return token

    def ballot(self, token: str) -> Ballot:
        """What a rater is to answer next."""
        ballot = self.rating.next_ballot(token).ballot
        assert ballot is not None
        return ballot

    def begun(self, **changes: object) -> tuple[Study, str, Ballot]:
        """An open study, a rater of it and the first ballot."""
        study = self.opened(**changes)  # type: ignore[arg-type]
        token = self.rater(study)
        return study, token, self.ballot(token)

    def votes(self, study: int = 1) -> tuple[VoteRow, ...]:
        """Every vote that counts; of the first study."""
        with self.store.reading() as tx:
            return tx.votes.every(study)

    def rate(self, token: str, count: int = 1, seconds: float = 20.0) -> None:
        """Vote on the next ballots."""
        for _ in range(count):
            ballot = self.ballot(token)
            self.clock.advance(seconds)
            self.rating.vote(token, ballot.token, "left")


def _content(file: Path) -> bytes:
    with contextlib.closing(sqlite3.connect(file)) as here:
        return here.serialize()


def token_of(invitation: NewInvitation) -> str:
    """The token in a link."""
    return invitation.link.partition("t=")[2]


def rate_everything(url: str, token: str, seed: int, stop: int | None = None) -> int:
    """One rater from first to last ballot, or to the `stop`-th; how many votes were saved."""
    store = open_database(url)
    try:
        return _rate(
            RatingService(store, SystemClock(), SystemChance(), min_view_seconds=0),
            token,
            seed,
            stop,
        )
    finally:
        store.dispose()


def rate_in_threads(url: str, tokens: list[str], stops: list[int | None]) -> list[int]:
    """Many raters at once in this process, on one shared store."""
    store = open_database(url)
    service = RatingService(store, SystemClock(), SystemChance(), min_view_seconds=0)
    try:
        with ThreadPoolExecutor(len(tokens)) as pool:
            jobs = [
                pool.submit(_rate, service, token, seed, stop)
                for seed, (token, stop) in enumerate(zip(tokens, stops, strict=True))
            ]
            return [job.result() for job in jobs]
    finally:
        store.dispose()


def _rate(service: RatingService, token: str, seed: int, stop: int | None) -> int:
    rng = random.Random(seed)
    service.consent(token, degree="Doctorate", field="Physics")
    saved = 0
    while stop is None or saved < stop:
        ballot = service.next_ballot(token).ballot
        if ballot is None:
            break
        outcome = service.vote(token, ballot.token, rng.choice(("left", "right")))
        saved += outcome.status == "saved"
    return saved
