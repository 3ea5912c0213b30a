"""The golden studies: one closed, one open, rated through the services by simulated people."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from db import SqlStore, open_database
from study.access import AccessService
from study.clock import ManualClock, SeededChance
from study.design import ExclusionUnit, StudyDesign
from study.links import rating_link, token_hash
from study.matching import MatchingRules
from study.material import Column, Problem, Study
from study.organising import OrganiserService
from study.pairing import match_study, read_upload
from study.rating import RatingService
from study.store import Choice
from tests.golden.material import PROBLEMS
from tests.rehearsal import token_of

CLOSED, OPEN = "closed study", "open study"
PASSPHRASE = "a golden passphrase"
START = datetime(2025, 3, 3, 9, tzinfo=UTC)
ADDRESS = "https://study.example.org"
REASONS = ("shorter", "=SUM(A1) looks odd", "no huge numbers, nested", "I know this law", "", "")

_COLUMNS = {
    "pendulum": (Column("length", "m", "length of the string"), Column("period", "s")),
    "braking": (Column("speed", "m/s"), Column("slope", "", "uphill is positive")),
    "tea": (Column("minutes", "min", "since it was poured"), Column("warmth", "°C")),
}


@dataclass
class World:
    """Services on a file, with a clock and a chance of their own."""

    store: SqlStore
    clock: ManualClock
    organiser: OrganiserService
    rating: RatingService
    access: AccessService
    rng: random.Random

    @classmethod
    def at(cls, file: Path) -> World:
        """On a fresh file."""
        store, clock, chance = (
            open_database(f"sqlite:///{file}"),
            ManualClock(START),
            SeededChance(20),
        )
        return cls(
            store,
            clock,
            OrganiserService(store, clock, chance),
            RatingService(store, clock, chance),
            AccessService(store, clock, chance),
            random.Random(20),
        )

    def choose_passphrase(self) -> None:
        """Through the set-up link, with a salt that is the same each time."""
        token = self.access.setup_token()
        assert token is not None
        with patch("study.access.secrets.token_bytes", bytes):
            self.access.set_up(token, PASSPHRASE)

    def frozen(self, name: str, design: StudyDesign, folder: Path) -> Study:
        """An open study of the golden pool's pairs; one pair of the first study is dropped."""
        study = self.organiser.create(name, design)
        problems = tuple(
            Problem(
                each,
                (folder / "problems" / f"{each}.csv").read_text(encoding="utf-8"),
                f"The {each}",
                f"What was measured of the {each}.",
                _COLUMNS[each],
            )
            for each in PROBLEMS
        )
        self.organiser.set_problems(study.id, problems)
        upload = read_upload("pool.csv", (folder / "pool.csv").read_bytes(), problems, jobs=1)
        self.organiser.set_pool(study.id, upload.pool)
        _, pairs = match_study(self.organiser, study.id, MatchingRules())
        if name == CLOSED:
            self.organiser.drop_pair(study.id, pairs[-1].id, "the two look the same")
        self.clock.advance(3600)
        return self.organiser.freeze(study.id)

    def invite(self, study: Study, label: str) -> str:
        """The token of a personal link."""
        return token_of(self.organiser.invitations.invite(study.id, [label])[0])

    def consent(self, token: str, field: str = "Physics") -> str:
        """The token to go on with, through a personal or an open link."""
        degree = self.rng.choice(("Doctorate", "Master's degree"))
        return self.rating.consent(token, degree=degree, field=field, request_id="once").token

    def rate(
        self, token: str, count: int = 100, *, pace: float = 15.0, careful: bool = True
    ) -> None:
        """Answer the next ballots, the practice ballot included, as far as there are any."""
        for _ in range(count):
            ballot = self.rating.next_ballot(token).ballot
            if ballot is None:
                return
            self.clock.advance(pace * self.rng.uniform(0.6, 1.8))
            choice = self._choice(token, ballot.token, careful)
            if choice == "tie" and not ballot.allow_tie:
                choice = "left"
            reason = self.rng.choice(REASONS) if ballot.ask_reason else ""
            self.rating.vote(token, ballot.token, choice, reason)

    def _choice(self, token: str, ballot_token: str, careful: bool) -> Choice:
        """Mostly the lower EIC; a careful rater passes every check, another fails them."""
        with self.store.reading() as tx:
            rater = tx.raters.by_token(token_hash(token))
            assert rater is not None
            mine = tx.assignments.of_rater(rater.id)
        row = next(given for given in mine if given.token == ballot_token)
        drawn = self.rng.random()
        if row.kind == "attention":
            lower = careful
        elif drawn < 0.06:
            return "tie"
        else:
            lower = drawn < 0.72 + 0.2 * (row.pair_id % 3 - 1)
        return "left" if lower == row.lower_left else "right"


def make_studies(file: Path, folder: Path) -> dict[str, str]:
    """Fill a fresh database.

    Parameters
    ----------
    file : Path
        The database; one file without a log beside it when this returns.
    folder : Path
        Holds ``pool.csv`` and ``problems``.

    Returns
    -------
    dict
        Links, by what they lead to.
    """
    world = World.at(file)
    world.choose_passphrase()
    links = _closed(world, folder) | _open(world, folder)
    world.store.dispose()
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("VACUUM")
    connection.close()
    return links


def _closed(world: World, folder: Path) -> dict[str, str]:
    """Sixteen invited: one hasty, one careless, one who leaves, one who withdraws, and a look."""
    design = StudyDesign(
        title="Which formula reads better?",
        contact="study@example.org",
        ballots_per_rater=7,
        votes_per_pair=8,
        attention_checks=1,
        max_failed_attention=0,
        allow_tie=True,
        expected_minutes=5,
        public_base_url=ADDRESS,
    )
    study = world.frozen(CLOSED, design, folder)
    several = world.organiser.invitations.open_link(study.id, 4, "a seminar")
    tokens = [world.invite(study, f"person {number}") for number in range(12)]
    tokens = [world.consent(token) for token in tokens[:11]]
    for number in range(4):
        tokens.append(
            world.rating.consent(
                token_of(several), degree="Doctorate", field="=Biology", request_id=f"{number}"
            ).token
        )
    sessions: Mapping[int, dict[str, Any]] = {
        2: {"pace": 3.0},
        4: {"careful": False},
        5: {"count": 4},
        8: {"count": 5},
    }
    for number, token in enumerate(tokens):
        if number == 7:
            world.organiser.early.look(study.id, confirmed=CLOSED, after=0)
        if number == 6:
            world.rate(token, 3)
            world.rating.next_ballot(token)
            world.rating.pause(token)
            world.clock.advance(600)
            world.rating.resume(token)
        world.rate(token, **sessions.get(number, {}))
    world.rating.withdraw(tokens[8])
    world.clock.advance(86_400)
    world.organiser.close(study.id)
    return {
        "closed study, finished": rating_link(ADDRESS, tokens[0]),
        "closed study, under way when it was closed": rating_link(ADDRESS, tokens[5]),
    }


def _open(world: World, folder: Path) -> dict[str, str]:
    """Raters at every stage, a revoked link, and a look with votes after it."""
    design = StudyDesign(
        title="Formulas again",
        question="Which would you rather read?",
        contact="Dr. Example",
        ballots_per_rater=4,
        votes_per_pair=3,
        practice=False,
        exclusion_seconds=2.5,
        exclusion_unit=ExclusionUnit.VOTE,
        ask_reason=False,
        inspector_open_during_study=True,
        deadline=datetime(2125, 1, 1, tzinfo=UTC),
        public_base_url=ADDRESS + "/lab",
    )
    study = world.frozen(OPEN, design, folder)
    several = token_of(world.organiser.invitations.open_link(study.id, 2, "everybody"))
    names = ("finished", "under way", "paused", "withdrawn", "unused", "revoked")
    links = {name: world.invite(study, name) for name in names}
    links["through the open link"] = world.consent(several, "Economics")
    for name, votes in (("finished", 9), ("under way", 2), ("paused", 1), ("withdrawn", 3)):
        world.rate(world.consent(links[name]), votes)
    world.organiser.early.look(study.id, confirmed=OPEN, after=0)
    world.rating.pause(links["paused"])
    world.rating.withdraw(links["withdrawn"])
    world.rate(links["through the open link"], 3)
    world.rating.next_ballot(links["under way"])
    revoked = world.organiser.invitations.every(study.id)[-1]
    world.organiser.invitations.revoke(study.id, revoked.id)
    links["open to anyone"] = several
    address = design.public_base_url
    return {f"open study, {name}": rating_link(address, token) for name, token in links.items()}


def later() -> ManualClock:
    """A clock that stands after all that the golden studies have seen."""
    return ManualClock(START + timedelta(days=30))
