"""What has been given out, counted from the rows that are new, against a count of all rows."""

from __future__ import annotations

import contextlib
import gzip
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from db import SqlStore, open_database
from study.assignment import PairIndex, PairToGive, RaterAtWork, Standing
from study.balance import Balance, Changes, ReadMark, StoredBallot
from study.material import PairKind, Study
from study.rating import RatingService
from study.store import AssignmentRow, RaterRow
from tests.effort import cases
from tests.rehearsal import Rehearsal, token_of


def stored(store: SqlStore, study: int) -> list[tuple[RaterRow, tuple[AssignmentRow, ...]]]:
    with store.reading() as tx:
        return [(rater, tx.assignments.of_rater(rater.id)) for rater in tx.raters.every(study)]


def recounted(
    pairs: PairIndex,
    rows: list[tuple[RaterRow, tuple[AssignmentRow, ...]]],
    rater: int,
    now: datetime,
) -> tuple[list[int], list[int], list[float], list[RaterAtWork]]:
    """Loads, those with the lower EIC on the left, votes to come, and the others at work."""
    load, lower_left = [0] * len(pairs), [0] * len(pairs)
    others = []
    for each, ballots in rows:
        main = [row for row in ballots if row.kind == PairKind.MAIN]
        for row in main:
            if row.voted or row.reserved_until > now:
                load[pairs.place[row.pair_id]] += 1
                lower_left[pairs.place[row.pair_id]] += row.lower_left
        remaining = each.total - sum(row.kind != PairKind.PRACTICE for row in ballots)
        at_work = any(row.reserved_until > now for row in ballots)
        if each.id != rater and at_work and remaining > 0:
            had = tuple(pairs.place[row.pair_id] for row in main)
            others.append(RaterAtWork(had, remaining))
    coming = [
        sum(
            min(1.0, other.remaining / (len(pairs) - len(other.places)))
            for other in others
            if place not in other.places
        )
        for place in range(len(pairs))
    ]
    return load, lower_left, coming, others


def check(standing: Standing, expected: tuple[object, ...]) -> None:
    load, lower_left, coming, others = expected
    assert standing.load.tolist() == load
    assert standing.lower_left.tolist() == lower_left
    assert np.allclose(standing.coming, np.array(coming), atol=1e-12)
    as_sets = [(set(other.places), other.remaining) for other in standing.others()]
    assert sorted(map(str, as_sets)) == sorted(
        str((set(o.places), o.remaining))
        for o in others  # type: ignore[attr-defined]
    )
    assert standing.ahead == sum(other.remaining for other in standing.others())


class Watcher:
    """A process of its own, which looks at the database now and then."""

    def __init__(self, lab: Rehearsal, study: Study) -> None:
        self._lab, self._study = lab, study
        with lab.store.reading() as tx:
            pairs = PairIndex(tx.assignments.pairs_to_give(study.id))
        self.balance = Balance(pairs)

    def compare(self) -> None:
        now = self._lab.clock.now()
        with self._lab.store.reading() as tx:
            changes = tx.assignments.changes(self._study.id, self.balance.mark)
        self.balance.follow(changes, now)
        rows = stored(self._lab.store, self._study.id)
        for rater, ballots in [(rater.id, ballots) for rater, ballots in rows[:3]] + [(0, ())]:
            standing = self.balance.standing(rater, ballots, now)
            check(standing, recounted(self.balance.pairs, rows, rater, now))


ACTIONS = st.tuples(
    st.sampled_from(
        (
            "vote",
            "vote",
            "vote",
            "vote",
            "next",
            "beat",
            "undo",
            "pause",
            "wait",
            "back",
            "withdraw",
        )
    ),
    st.integers(0, 4),  # who
    st.integers(0, 1),  # in which process
    st.booleans(),  # whether the watcher looks afterwards
)


@settings(max_examples=cases(6, 60), deadline=None)
@given(st.lists(ACTIONS, min_size=5, max_size=40), st.booleans())
def test_counts_of_new_rows_are_those_of_all_rows(
    actions: list[tuple[str, int, int, bool]], practice: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        lab = Rehearsal.at(Path(folder))
        study = lab.opened(problems=3, pairs=3, ballots_per_rater=5, practice=practice)
        other = RatingService(lab.store, lab.clock, lab.rating._chance, min_view_seconds=0)
        services = (lab.rating, other)
        made = lab.organiser.invitations.invite(study.id, [""] * 5)
        tokens = list(map(token_of, made))
        for token in tokens:
            lab.rating.consent(token, degree="Doctorate", field="Physics")
        watcher = Watcher(lab, study)
        for action, who, process, looks in actions:
            service, token = services[process], tokens[who]
            lab.clock.advance(3)
            ballot = None
            if action in ("vote", "next", "beat"):
                service.resume(token)
                ballot = service.next_ballot(token).ballot
            if action == "vote" and ballot is not None:
                service.vote(token, ballot.token, "left", and_next=True)
            elif action == "beat" and ballot is not None:
                service.heartbeat(token, ballot.token)
            elif action == "undo":
                undoable = service.open(token).undoable
                if undoable is not None:
                    service.undo(token, undoable.ballot_token)
            elif action == "pause":
                service.pause(token)
            elif action == "wait":
                lab.clock.advance(60 * 7)
            elif action == "back":
                lab.clock.advance(-60 * 4)
            elif action == "withdraw":
                service.withdraw(token)
            if looks:
                watcher.compare()
        watcher.compare()
        lab.store.dispose()


def test_what_is_rolled_back_is_not_counted(rehearsal: Rehearsal) -> None:
    study = rehearsal.opened(problems=2, pairs=2, ballots_per_rater=2)
    token = rehearsal.rater(study)
    ballot = rehearsal.rating.next_ballot(token).ballot
    assert ballot is not None

    class Interrupted(Exception):
        pass

    def fail(*_: object, **__: object) -> None:
        raise Interrupted

    chance = rehearsal.rating._chance
    generator = chance.generator
    chance.generator = fail  # type: ignore[method-assign,assignment]
    with contextlib.suppress(Interrupted):
        rehearsal.rating.vote(token, ballot.token, "left", and_next=True)
    chance.generator = generator  # type: ignore[method-assign]
    watcher = Watcher(rehearsal, study)
    [balance] = rehearsal.rating._balances.values()
    watcher.balance = balance
    watcher.compare()
    assert rehearsal.rating.vote(token, ballot.token, "left", and_next=True).following is not None
    watcher.compare()


def test_reservations_end_in_time_and_come_back_with_a_clock_that_was_set_back() -> None:
    start = datetime(2025, 1, 6, 9, 0, tzinfo=UTC)
    balance = Balance(PairIndex([PairToGive(1, "q", frozenset("ab"))]))
    given_out = StoredBallot(1, PairKind.MAIN, True, start + timedelta(minutes=30), False)
    balance.follow(Changes(ReadMark(1, 0), False, {7: (3, [given_out])}), start)
    for minutes, load, ahead in ((10, 1, 2), (30, 0, 0), (29, 1, 2), (31, 0, 0)):
        now = start + timedelta(minutes=minutes)
        balance.follow(Changes(balance.mark, False, {}), now)
        standing = balance.standing(8, (), now)
        assert (standing.load.tolist(), standing.ahead) == ([load], ahead)


def test_a_database_of_before_is_counted_whole_and_then_followed(tmp_path: Path) -> None:
    packed = Path(__file__).parents[1] / "golden" / "studies.sqlite3.gz"
    (tmp_path / "old.sqlite3").write_bytes(gzip.decompress(packed.read_bytes()))
    store = open_database(f"sqlite:///{tmp_path / 'old.sqlite3'}")
    compared = 0
    with store.reading() as tx:
        studies = tx.studies.every()
    for study in studies:
        with store.reading() as tx:
            balance = Balance(PairIndex(tx.assignments.pairs_to_give(study.id)))
            changes = tx.assignments.changes(study.id, balance.mark)
        rows = stored(store, study.id)
        if not any(ballots for _, ballots in rows):
            continue
        now = max(row.shown_at for _, ballots in rows for row in ballots)
        balance.follow(changes, now)
        check(balance.standing(0, (), now), recounted(balance.pairs, rows, 0, now))
        compared += 1
    assert compared
    store.dispose()
