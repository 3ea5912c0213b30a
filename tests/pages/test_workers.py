"""The worker pool, with real processes: what it does, what it survives, and who is next."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextvars import copy_context
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from eic_core.errors import DataError, FormulaError
from eic_core.measure.table import read_table
from eic_core.samples import Domain
from pages.ui.kit import inspector_service, wiring, workers
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectionRequest, InspectorService
from pages.ui.kit.workers import InThread, WorkerPool, WorkStopped, current_visitor
from tests.pages import toil
from tests.pages.conftest import UNHURRIED

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 256 << 20


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    made = WorkerPool(2, LIMIT, ("tests.pages.toil", "pages.ui.kit.diagnosis_service"))
    yield made
    made.close()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[toil.Gate]:
    made = toil.Gate(tmp_path / "gate")
    yield made
    made.open()


def aside(visitor: str, work: Callable[[], Any]) -> tuple[Thread, list[Any]]:
    """Somebody else at work; what it returned or raised is in the list."""
    found: list[Any] = []

    def run() -> None:
        current_visitor.set(visitor)
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    thread = Thread(target=copy_context().run, args=(run,))
    thread.start()
    return thread, found


def until(pool: WorkerPool, true: Callable[[], bool]) -> None:
    """Wait until something holds of the pool."""
    with pool._changed:
        while not true():
            pool._changed.wait(0.01)


def ends(*processes: int) -> list[int]:
    """What is to be waited for: the ends of processes that are there."""
    return [os.pidfd_open(pid) for pid in processes]


def came(ends: list[int]) -> bool:
    """Wait for the ends of processes; whether they came."""
    return all(select.select([end], [], [], UNHURRIED)[0] for end in ends)


# --- what comes back ---


def test_numbers_and_mistakes_come_back_as_they_are(pool: WorkerPool) -> None:
    small, large = np.arange(3.0), np.arange(100_000.0)
    assert (pool.run(toil.doubled, small) == 2 * small).all()
    assert (pool.run(toil.doubled, large) == 2 * large).all()
    with pytest.raises(FormulaError) as raised:
        pool.run(toil.refuse, "1+")
    error = raised.value
    assert str(error) == "no: yes"
    assert (error.source, error.span, error.replacement) == ("1+", (0, 1), "x")


def test_a_fault_is_logged_and_told_in_a_sentence(
    pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(WorkStopped, match="this failed for a reason of ours"):
        pool.run(toil.fail)
    assert "ZeroDivisionError" in caplog.text


def test_a_table_is_sent_to_a_worker_once(pool: WorkerPool) -> None:
    table = read_table("x,y\n" + "1,2\n" * 10_000)
    seen = [pool.run(toil.where_it_is, table) for _ in range(6)]
    places = dict(seen)
    assert all(places[pid] == place for pid, place in seen)


def test_progress_is_told_and_what_it_raises_ends_the_work(
    pool: WorkerPool, gate: toil.Gate
) -> None:
    told: list[float] = []

    def note(done: float) -> None:
        told.append(done)
        if len(told) == 3:
            gate.open()

    assert pool.run(toil.advance, gate.path, progress=note) in pool.pids
    assert len(told) >= 3 and told == sorted(told)
    gate.shut()
    busy: list[int] = []

    def stop(_: float) -> None:
        busy.extend(ends(pool.pids[0]))
        raise InterruptedError

    with pytest.raises(InterruptedError):
        pool.run(toil.advance, gate.path, progress=stop)
    assert came(busy) and len(pool.pids) == 2


# --- what it survives ---


def test_at_its_deadline_a_worker_is_killed_and_another_takes_its_place(
    pool: WorkerPool, gate: toil.Gate
) -> None:
    before = dict(zip(pool.pids, ends(*pool.pids), strict=True))
    with pytest.raises(WorkStopped, match="stopped after 0 seconds, before it was done: fewer"):
        pool.run(toil.held, gate.path, seconds=0.0)
    after = pool.pids
    (killed,) = before.keys() - after
    assert len(after) == 2 and came([before[killed]])


def test_a_worker_that_is_killed_costs_its_visitor_a_sentence_and_nobody_else_anything(
    pool: WorkerPool, gate: toil.Gate
) -> None:
    victim, said = aside("one", lambda: pool.run(toil.held, gate.path))
    until(pool, lambda: len(pool._busy) == 1)
    (pid,) = [worker.pid for worker in pool._busy]
    other, done = aside("other", lambda: pool.run(toil.held, gate.path))
    until(pool, lambda: len(pool._busy) == 2)
    os.kill(pid, signal.SIGKILL)
    victim.join()
    gate.open()
    other.join()
    assert str(said[0]) == "the process that worked on this ended before it was done: try again"
    assert said[0].again
    assert done[0] != pid and pool.run(os.getpid) in pool.pids


def test_a_worker_that_crashes_on_its_own_is_replaced(pool: WorkerPool) -> None:
    with pytest.raises(WorkStopped, match="try again"):
        pool.run(toil.end, signal.SIGSEGV)
    assert len(pool.pids) == 2 and pool.run(os.getpid) in pool.pids


def test_what_needs_too_much_memory_is_told_so(pool: WorkerPool) -> None:
    with pytest.raises(WorkStopped, match="more memory than the 256 MB that one computation"):
        pool.run(toil.swell, 300)
    assert pool.run(toil.swell, 8) == 8 << 20


def test_the_pool_goes_on_when_the_process_that_makes_workers_is_gone() -> None:
    with contextlib.closing(WorkerPool(2, 0, ("tests.pages.toil",))) as with_own:
        assert with_own._nursery is not None
        with_own._nursery.kill()
        with_own._nursery.wait()
        with pytest.raises(WorkStopped):
            with_own.run(toil.end, signal.SIGKILL)
        assert len(with_own.pids) == 2 and with_own.run(os.getpid) in with_own.pids
        last = ends(*with_own.pids)
    assert came(last)


_SERVER = """
import sys, threading
from pages.ui.kit.workers import WorkerPool
from tests.pages import toil
pool = WorkerPool(2, 0, ("tests.pages.toil",))
threading.Thread(target=pool.run, args=(toil.end, 0), daemon=True).start()
while not pool._busy:
    pass
print(pool._nursery.pid, *pool.pids, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_server(number: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        processes = ends(*map(int, server.stdout.readline().split()))
        server.send_signal(number)
    assert len(processes) == 3 and came(processes)


def test_where_no_process_can_be_started_threads_do_the_work(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(wiring._built, "workers", None)
    monkeypatch.setattr(workers.sys, "executable", "/nonexistent")
    wiring.start_workers(2)
    assert isinstance(wiring.workers(), InThread) and "in the process of the pages" in caplog.text
    result = InspectorService(workers=wiring.workers()).inspect(InspectionRequest("x - 1"))
    assert result.inspection.finished


# --- who is next ---


def test_a_visitor_with_twenty_requests_does_not_starve_another(
    pool: WorkerPool, gate: toil.Gate
) -> None:
    many = [aside("many", lambda: pool.run(toil.held, gate.path)) for _ in range(20)]
    until(pool, lambda: (len(pool._busy), len(pool._turns)) == (1, 19))
    one, done = aside("one", lambda: pool.run(os.getpid))
    one.join()
    assert done[0] in pool.pids and not any(found for _, found in many)
    gate.open()
    for thread, _ in many:
        thread.join()
    assert all(found[0] in pool.pids for _, found in many)


def test_long_work_leaves_a_worker_to_the_quick(pool: WorkerPool, gate: toil.Gate) -> None:
    slow = [
        aside(visitor, lambda: pool.run(toil.held, gate.path, long=True))[0]
        for visitor in ("one", "two")
    ]
    until(pool, lambda: (len(pool._busy), len(pool._turns)) == (1, 1))
    assert pool.run(os.getpid) and all(thread.is_alive() for thread in slow)
    gate.open()
    for thread in slow:
        thread.join()


def test_who_asks_too_much_at_once_is_told_so(
    pool: WorkerPool, gate: toil.Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MOST_OF_ONE", 3)
    asked = [aside("many", lambda: pool.run(toil.held, gate.path)) for _ in range(6)]
    until(pool, lambda: sum(len(found) for _, found in asked) == 2)
    refused = [found[0] for _, found in asked if found]
    assert all("too much is waiting" in str(error) and error.again for error in refused)
    gate.open()
    for thread, found in asked:
        thread.join()
        assert found[0] in (*refused, *pool.pids)


# --- the services ---


ROOTS = InspectionRequest(
    "log(exp(x)) - sqrt(x)", domains=(("x", Domain("normal", 1e3, 1.0)),), samples=60
)


def test_a_worker_finds_what_this_process_finds(pool: WorkerPool) -> None:
    there, here = InspectorService(workers=pool), InspectorService()
    found, expected = there.inspect(ROOTS), here.inspect(ROOTS)
    assert found.inspection.counts.rechecked == 60
    assert repr(found.inspection.to_json()) == repr(expected.inspection.to_json())
    assert found.verdict.to_json() == expected.verdict.to_json()
    assert found.verdict.notes == expected.verdict.notes
    for node in range(len(found.inspection.nodes)):
        for mine, other in zip(
            found.inspection.amplification.trace(node),
            expected.inspection.amplification.trace(node),
            strict=True,
        ):
            np.testing.assert_array_equal(mine, other)
    asked, direct = DiagnosisService(workers=pool), DiagnosisService()
    assert asked.where(found, 4).inspection is found.inspection
    assert repr(asked.blame(found, 4).to_json()) == repr(direct.blame(expected, 4).to_json())
    assert repr(asked.writing(found).to_json()) == repr(direct.writing(expected).to_json())


def test_workers_stand_behind_the_pages_in_their_own_session(pool: WorkerPool) -> None:
    # where the kernel shares processors out by session, a priority counts within one (sched(7))
    assert {os.getsid(pid) for pid in pool.pids} == {os.getsid(0)}
    assert all(os.getpgid(pid) != os.getpgid(0) for pid in pool.pids)  # Ctrl-C is not for them
    assert {os.getpriority(os.PRIO_PROCESS, pid) for pid in pool.pids} == {
        min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)
    }


def test_what_is_quick_stays_in_this_process(pool: WorkerPool) -> None:
    class Watched(InThread):
        beside = True
        asked = 0

        def run(self, *args: Any, **more: Any) -> Any:
            self.asked += 1
            return pool.run(*args, **more)

    watched = Watched()
    service = InspectorService(workers=watched)
    result = service.inspect(InspectionRequest("sin(x) * (x + 1) / (y + 2)"))
    DiagnosisService(workers=watched).blame(result, 0)
    assert watched.asked == 0
    service.inspect(ROOTS)
    assert watched.asked == 1


def test_nothing_that_was_killed_is_kept(pool: WorkerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    service = InspectorService(workers=pool)
    monkeypatch.setattr(inspector_service, "LONGEST", 0.0)
    stopped = service.answer(ROOTS, None, lambda _: None, last_good=None)
    assert stopped.result is None and isinstance(stopped.data_error, DataError)
    monkeypatch.undo()
    assert service.inspect(ROOTS).inspection.finished
