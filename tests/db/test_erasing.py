"""What was deleted is readable in no file of the database, whoever reads it meanwhile."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from db import open_database
from study.rating import RatingService
from study.rating_types import Stage, VoteStatus
from tests.db.traces import MARKS, held, marked_rater, reading
from tests.rehearsal import DESIGN, Rehearsal, problem


def _file(rehearsal: Rehearsal) -> Path:
    return Path(rehearsal.url.removeprefix("sqlite:///"))


def _a_withdrawal(rehearsal: Rehearsal) -> tuple[tuple[bytes, ...], Callable[[], object]]:
    token = marked_rater(rehearsal)
    return MARKS, lambda: rehearsal.rating.withdraw(token)


def _a_draft(rehearsal: Rehearsal) -> tuple[tuple[bytes, ...], Callable[[], object]]:
    study = rehearsal.draft(DESIGN, name="confidential draft")
    return (b"t,level\n0,0.0\n",), lambda: rehearsal.organiser.delete_draft(study.id)


def _a_problem(rehearsal: Rehearsal) -> tuple[tuple[bytes, ...], Callable[[], object]]:
    study = rehearsal.draft(DESIGN)
    left = [problem(number) for number in range(1, 5)]
    return (b"t,level\n0,0.0\n",), lambda: rehearsal.organiser.set_problems(study.id, left)


@pytest.mark.parametrize("kind", [_a_withdrawal, _a_draft, _a_problem])
def test_what_is_deleted_is_in_no_file_right_after(
    rehearsal: Rehearsal,
    kind: Callable[[Rehearsal], tuple[tuple[bytes, ...], Callable[[], object]]],
) -> None:
    marks, delete = kind(rehearsal)
    assert {mark for _, mark in held(_file(rehearsal), marks)} == set(marks)
    delete()
    assert held(_file(rehearsal), marks) == set()
    assert not rehearsal.store.traces


def test_while_another_process_reads_votes_go_on_and_after_it_nothing_is_left(
    rehearsal: Rehearsal,
) -> None:
    file, token = _file(rehearsal), marked_rater(rehearsal)
    other = rehearsal.rater(rehearsal.organiser.studies()[0])
    store = open_database(f"{rehearsal.url}?timeout=1")  # seconds that a vote may wait
    rating = RatingService(store, rehearsal.clock, rehearsal.rating._chance, min_view_seconds=0)
    with reading(file):
        visit = rating.withdraw(token)
        assert (visit.stage, visit.traces, store.traces) == (Stage.WITHDRAWN, True, True)
        for again in (rating.next_ballot(token).visit, rating.withdraw(token)):
            assert (again.stage, again.traces) == (Stage.WITHDRAWN, True)
        assert {mark for _, mark in held(file)} == set(MARKS)  # what the other may still read
        for _ in range(10):
            store.erase()
            ballot = rating.next_ballot(other).ballot
            assert ballot is not None
            rehearsal.clock.advance(20)
            assert rating.vote(other, ballot.token, "left").status == VoteStatus.SAVED
    for thread in threading.enumerate():
        if thread.name == "emptying the log":
            thread.join(60)
    assert held(file) == set()
    assert not store.traces and not rating.next_ballot(token).visit.traces
    store.dispose()


def test_a_file_that_was_left_with_traces_is_clean_once_it_is_opened(rehearsal: Rehearsal) -> None:
    file, token = _file(rehearsal), marked_rater(rehearsal)
    with reading(file) as reader:
        # a process that is killed empties nothing
        leave = f"{_LEAVE}leave({rehearsal.url!r}, {token!r})"
        subprocess.run([sys.executable, "-c", leave], check=True)
        reader.kill()
    assert {mark for _, mark in held(file)} == set(MARKS)
    open_database(rehearsal.url).dispose()
    assert held(file) == set()


_LEAVE = """
import os
from db import open_database
from study.clock import SystemChance, SystemClock
from study.rating import RatingService

def leave(url, token):
    RatingService(open_database(url), SystemClock(), SystemChance()).withdraw(token)
    os._exit(0)

"""
