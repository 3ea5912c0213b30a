"""A realistic study: the demo's pairs, rated through the services by simulated people."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

from db import open_database
from study.clock import ManualClock, SeededChance
from study.demo import demo_pool_path, demo_problems
from study.design import StudyDesign
from study.matching import MatchingRules
from study.material import Column, Problem, Study
from study.organising import OrganiserService
from study.pairing import match_study, read_upload
from study.rating import RatingService
from study.rating_types import UNREPORTED, BrowserReport
from study.report import ExportedVote, StudyExport, Unblinding
from study.report.exported import cast_vote
from study.sealing import Seal
from tests.kept import making_once
from tests.rehearsal import token_of

DESIGN = StudyDesign(
    title="Which formula reads better?",
    contact="study@example.org",
    ballots_per_rater=10,
    attention_checks=2,
    max_failed_attention=1,
    allow_tie=True,
    subgroups="degree and field",
)
FIELDS = ("Physics", "physics ", "Biology")
WORDS = ("shorter", "=SUM(A1) looks odd", "fewer, nested roots", "I know this law", "")


def simulated_export(folder: Path, *, raters: int = 40, seed: int = 1) -> StudyExport:
    """The export of a study whose raters are hasty, absent-minded, tired and one-sided at times.

    The material is the demo's; every ballot goes through the rating service.  Which formula is
    chosen depends on the pair, on its problem, on the rater, on the side and on the ballot.
    """
    store = open_database(f"sqlite:///{folder / 'simulated.sqlite3'}")
    clock, chance = ManualClock(), SeededChance(seed)
    organiser = OrganiserService(store, clock, chance)
    rating = RatingService(store, clock, chance, min_view_seconds=0)
    rng = random.Random(seed)
    try:
        study = _opened(organiser)
        for number in range(raters):
            invited = organiser.invitations.invite(study.id, [f"person {number}"])
            _rate(rating, clock, token_of(invited[0]), rng)
        looked = Unblinding(clock.now(), 312)
        clock.advance(86_400)
        organiser.close(study.id)
        export = organiser.monitor.export(study.id)
    finally:
        store.dispose()
    votes = _chosen(export.votes, random.Random(seed + 1))
    return sealed_again(replace(export, votes=votes, unblindings=(looked,)))


def sealed_again(export: StudyExport) -> StudyExport:
    """As if its votes had been cast the way they are now."""
    salted = [
        (vote.vote, f"salt {number}", cast_vote(vote)) for number, vote in enumerate(export.votes)
    ]
    seals = tuple(
        Seal(number, name, salt, cast.commitment(salt))
        for number, (name, salt, cast) in enumerate(salted, start=1)
    )
    return replace(export, seals=seals)


@making_once()
def _opened(organiser: OrganiserService) -> Study:
    problems = tuple(
        Problem(
            p.name,
            p.path.read_text(encoding="utf-8"),
            p.title,
            p.description,
            tuple(Column(c.name, c.unit, c.meaning) for c in (*p.inputs, p.target)),
        )
        for p in demo_problems()
    )
    study = organiser.create("simulated", DESIGN)
    organiser.set_problems(study.id, problems)
    path = demo_pool_path()
    organiser.set_pool(study.id, read_upload(path.name, path.read_bytes(), problems, jobs=1).pool)
    match_study(organiser, study.id, MatchingRules())
    return organiser.freeze(study.id)


def _rate(rating: RatingService, clock: ManualClock, token: str, rng: random.Random) -> None:
    """One session: a pace of one's own, now and then a pause, or an early end."""
    field = FIELDS[ord(token[0]) % 3]
    rating.consent(token, degree=rng.choice(("Doctorate", "Master's")), field=field)
    pace = 2.5 if rng.random() < 0.1 else rng.lognormvariate(math.log(15), 0.4)
    width = rng.choice((390, 768, 1440, 1920))
    measured = rng.random() < 0.8
    while (ballot := rating.next_ballot(token).ballot) is not None:
        if rng.random() < 0.02:
            return
        thought = pace * rng.lognormvariate(0, 0.4)
        clock.advance(thought + rng.uniform(0, 3))  # what the server and the network take
        if rng.random() < 0.05:
            rating.pause(token)
            clock.advance(300)
            rating.resume(token)
        told = f"ms={thought * 1000:.0f};w={width};seen={rng.choice('11110?')};by=keys"
        rating.vote(
            token,
            ballot.token,
            "left",
            rng.choice(WORDS) if ballot.ask_reason else "",
            BrowserReport.read(told) if measured else UNREPORTED,
        )


def _chosen(votes: tuple[ExportedVote, ...], rng: random.Random) -> tuple[ExportedVote, ...]:
    """The votes with choices drawn: everybody had clicked the left formula until here."""
    liking: dict[str, float] = {}

    def effect(name: str, spread: float) -> float:
        return liking.setdefault(name, rng.gauss(0, spread))

    def draw(vote: ExportedVote) -> ExportedVote:
        if vote.is_attention:
            ok = rng.random() < 0.93 + effect(f"care {vote.rater}", 0.2)
            return replace(vote, choice="lower" if ok else "higher", attention_ok=ok)
        if rng.random() < 0.05:
            return replace(vote, choice="tie")
        known = effect(vote.problem, 0.4) + effect(vote.pair, 0.6) + effect(vote.rater, 0.4)
        side = 0.15 if vote.lower_side == "left" else -0.15
        wanted = 0.8 + known + side - 0.02 * vote.position + rng.gauss(0, 1) > 0
        if effect(f"stubborn {vote.rater}", 1) > 1.8:
            wanted = vote.lower_side == "left"
        return replace(vote, choice="lower" if wanted else "higher")

    return tuple(draw(vote) for vote in votes)
