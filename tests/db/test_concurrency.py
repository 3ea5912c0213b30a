"""Many raters at once, on a real SQLite file."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from study.store import VoteRow
from tests.effort import cases
from tests.rehearsal import Rehearsal, rate_everything, rate_in_threads, token_of

RATERS = cases(20, 50)


def _votes(rehearsal: Rehearsal, study_id: int) -> tuple[VoteRow, ...]:
    with rehearsal.store.reading() as tx:
        return tx.votes.every(study_id)


def _check(votes: tuple[VoteRow, ...], pairs: int, most: int = 1) -> None:
    """Nobody has a pair twice, and votes and sides are balanced."""
    assert len({(vote.rater_id, vote.pair_id) for vote in votes}) == len(votes)
    on_pair = Counter(vote.pair_id for vote in votes)
    counts = [*on_pair.values(), *[0] * (pairs - len(on_pair))]
    assert max(counts) - min(counts) <= most, sorted(counts)
    of_pair: Counter[int] = Counter()
    of_rater: Counter[int] = Counter()
    for vote in votes:
        of_pair[vote.pair_id] += 1 if vote.lower_left else -1
        of_rater[vote.rater_id] += 1 if vote.lower_left else -1
    had = Counter(vote.rater_id for vote in votes)
    assert all(abs(lean) <= 10 - had[rater] for rater, lean in of_rater.items())
    # With 50 raters a pair leans by 0.7 on average (2.8 if sides were tossed); how far depends on
    # who comes when, and a mean of 1.75 comes up in less than one of 10^12 runs.
    assert sum(map(abs, of_pair.values())) <= 1.75 * pairs


def _rate_in_processes(url: str, tokens: list[str], stops: list[int | None]) -> list[int]:
    assert not any(stops)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(cases(2, 4), mp_context=context) as pool:
        return list(pool.map(rate_everything, [url] * RATERS, tokens, range(RATERS)))


@pytest.mark.parametrize(
    ("rate", "leaving"), [(rate_in_threads, 0.0), (rate_in_threads, 0.3), (_rate_in_processes, 0.0)]
)
def test_many_raters_at_once_land_every_vote_in_balance_also_when_some_drop_out(
    rehearsal: Rehearsal, rate: Callable[..., list[int]], leaving: float
) -> None:
    study = rehearsal.opened(problems=8, pairs=5)
    rng = random.Random(1)
    stops = [rng.randrange(10) if rng.random() < leaving else None for _ in range(RATERS)]
    made = rehearsal.organiser.invitations.invite(study.id, [""] * RATERS)
    saved = rate(rehearsal.url, list(map(token_of, made)), stops)
    votes = _votes(rehearsal, study.id)
    assert saved == [10 if stop is None else stop for stop in stops]
    assert len(votes) == sum(saved)
    _check(votes, pairs=40, most=2 if leaving else 1)  # the last to leave cannot be made up for
    problem_of = {pair.id: pair.pair.problem for pair in rehearsal.organiser.pairs(study.id)}
    for rater in {vote.rater_id for vote in votes}:
        problems = Counter(problem_of[v.pair_id] for v in votes[:40] if v.rater_id == rater)
        assert not problems or max(problems.values()) <= 3


def test_one_ballot_sent_from_twenty_tabs_at_once_is_one_vote(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    token = rehearsal.rater(study)
    ballot = rehearsal.rating.next_ballot(token).ballot
    assert ballot is not None
    with ThreadPoolExecutor(20) as pool:
        outcomes = list(
            pool.map(lambda _: rehearsal.rating.vote(token, ballot.token, "left"), range(20))
        )
    assert Counter(outcome.status for outcome in outcomes) == {"saved": 1, "already saved": 19}
    assert len(_votes(rehearsal, study.id)) == 1


def test_twenty_tabs_of_one_rater_get_the_same_ballot(rehearsal: Rehearsal) -> None:
    token = rehearsal.rater(rehearsal.opened())
    with ThreadPoolExecutor(20) as pool:
        steps = list(pool.map(lambda _: rehearsal.rating.next_ballot(token), range(20)))
    assert len({step.ballot.token for step in steps if step.ballot}) == 1


def test_a_personal_link_sent_from_twenty_tabs_makes_one_rater(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened()
    token = token_of(rehearsal.organiser.invitations.invite(study.id, [""])[0])

    def consent(_: int) -> str:
        return rehearsal.rating.consent(token, degree="Doctorate", field="Physics").token

    with ThreadPoolExecutor(20) as pool:
        assert set(pool.map(consent, range(20))) == {token}
    assert rehearsal.organiser.monitor.live(study.id).consented == 1


def test_an_open_link_never_exceeds_its_quota(rehearsal: Rehearsal) -> None:
    token = token_of(rehearsal.organiser.invitations.open_link(rehearsal.opened().id, quota=7))

    def consent(_: int) -> bool:
        try:
            rehearsal.rating.consent(token, degree="Doctorate", field="Physics")
        except Exception:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(consent, range(20))) == 7
    assert rehearsal.rating.open(token).stage == "full"


KILLED = """
import sys
from db import open_database
from study.clock import SystemChance, SystemClock
from study.rating import RatingService
url, token = sys.argv[1:]
store = open_database(url)
service = RatingService(store, SystemClock(), SystemChance(), min_view_seconds=0)
for _ in range(3):
    ballot = service.next_ballot(token).ballot
    service.vote(token, ballot.token, "left")
ballot = service.next_ballot(token).ballot
with store.writing() as tx:
    row = [r for r in tx.assignments.of_rater(1) if not r.voted][0]
    now = SystemClock().now()
    tx.votes.add(row, choice="right", reason="", at=now, idle_seconds=0.0)
    print("inside", flush=True)
    import time
    time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_kill_in_mid_transaction_loses_nothing_committed(
    rehearsal: Rehearsal, root: Path
) -> None:
    study = rehearsal.opened()
    token = rehearsal.rater(study)
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, rehearsal.url, token],
        cwd=root,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert process.stdout is not None and process.stdout.readline() == b"inside\n"
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert len(_votes(rehearsal, study.id)) == 3
    step = rehearsal.rating.next_ballot(token)
    assert step.ballot is not None and str(step.visit.progress) == "saved 3 of 10"
    assert rehearsal.rating.vote(token, step.ballot.token, "left").status == "saved"
    connection = sqlite3.connect(rehearsal.url.removeprefix("sqlite:///"))
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
