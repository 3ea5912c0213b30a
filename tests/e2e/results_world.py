"""Studies with results, rated through the services by simulated people, for pictures and tests."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from db import SqlStore, open_database
from study.clock import ManualClock, SeededChance
from study.design import StudyDesign
from study.material import PairKind, Study
from study.organising import OrganiserService
from study.rating import RatingService
from tests.e2e.rating_world import CONTACT, matched, token_of
from tests.kept import making_once

REASONS = (
    "shorter",
    "fewer brackets",
    "no nested exp",
    "I know this one from school",
    "",
    "<b>bold</b> & brackets",
    "=1+1",
    "the other one subtracts two huge numbers",
)
FIELDS = ("Physics", "Biology", "Economics", "Statistics")
Preference = Callable[[random.Random, int, float], float]


def mixed(rng: random.Random, pair: int, leaning: float) -> float:
    """People lean towards the lower EIC, some more, and on some pairs more."""
    del rng
    return 1 / (1 + math.exp(-(0.95 + leaning + 1.1 * math.sin(12.9898 * pair))))


def agreed(rng: random.Random, pair: int, leaning: float) -> float:
    """Everybody prefers the lower EIC."""
    del rng, pair, leaning
    return 1.0


@dataclass
class ResultsWorld:
    """Services on a file, with a clock of their own."""

    file: Path
    store: SqlStore
    clock: ManualClock
    organiser: OrganiserService
    rating: RatingService

    @classmethod
    def at(cls, file: Path) -> ResultsWorld:
        """On a fresh file."""
        store, clock, chance = open_database(f"sqlite:///{file}"), ManualClock(), SeededChance(5)
        return cls(
            file,
            store,
            clock,
            OrganiserService(store, clock, chance),
            RatingService(store, clock, chance, min_view_seconds=0),
        )

    @making_once()
    def opened(
        self, name: str, address: str = "http://127.0.0.1", every: int = 1, **design: object
    ) -> Study:
        """An open study of the demo's pairs, or of one of `every`: each is drawn."""
        made = StudyDesign(contact=CONTACT, practice=False, public_base_url=address)
        study = matched(self.organiser, name, replace(made, **design))  # type: ignore[arg-type]
        pairs = [pair.pair for pair in self.organiser.pairs(study.id)[::every]]
        self.organiser.set_pairs(study.id, pairs, self.organiser.study(study.id).rules)
        return self.organiser.freeze(study.id)

    def rate(
        self, study: Study, raters: int, *, preference: Preference = mixed, seed: int = 1
    ) -> None:
        """People of a seed come, vote as they prefer, and mostly finish."""
        rng = random.Random(seed)
        for _ in range(raters):
            link = self.organiser.invitations.invite(study.id, [""])[0]
            token = token_of(link.link)
            degree = rng.choice(("Doctorate", "Master"))
            self.rating.consent(token, degree=degree, field=rng.choice(FIELDS))
            leaning, hasty = rng.gauss(0, 0.7), rng.random() < 0.07
            stop = rng.randrange(1, 9) if rng.random() < 0.08 else None
            saved = 0
            while (ballot := self.rating.next_ballot(token).ballot) and saved != stop:
                self.clock.advance(2.0 if hasty else min(200.0, rng.lognormvariate(3.2, 0.6)))
                with self.store.reading() as tx:
                    row = tx.raters.by_token(_hash(token))
                    assert row is not None
                    mine = tx.assignments.of_rater(row.id)
                shown = next(given for given in mine if given.token == ballot.token)
                wanted = preference(rng, shown.pair_id, leaning)
                if shown.kind == PairKind.ATTENTION:
                    wanted = 0.5 if hasty else 0.96
                lower = rng.random() < wanted
                side = "left" if lower == shown.lower_left else "right"
                self.rating.vote(token, ballot.token, side, rng.choice(REASONS))
                saved += 1
            self.clock.advance(60)


def _hash(token: str) -> str:
    from study.links import token_hash

    return token_hash(token)
