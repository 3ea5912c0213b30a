"""Run tests in several processes: `pytest -p tests.side_by_side --workers 4`.

What the tests are made of is imported and collected once; then the process divides itself, and each
part asks for the next file of tests when it is done with one.  Each has a database and a folder for
temporary files of its own.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import traceback
import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]

IN_ONE_PROCESS = {
    "the inspector": (
        "tests/e2e/test_inspector.py",
        "tests/e2e/test_questions.py",
        "tests/e2e/test_compare.py",
    ),
    "the bench": ("tests/e2e/test_workbench.py", "tests/e2e/test_digit_row.py"),
    "every page": ("tests/e2e/test_axe.py", "tests/e2e/test_one_screen.py"),
    "the organiser": ("tests/e2e/test_organising.py", "tests/e2e/test_organising_demo.py"),
    "the rater": (
        "tests/e2e/test_rating.py",
        "tests/e2e/test_blind.py",
        "tests/e2e/test_undo.py",
    ),
    "the sources": (
        "tests/test_phrases.py",
        "tests/test_architecture.py",
        "tests/test_public_names.py",
        "tests/test_requirements.py",
        "tests/core/operators/test_names.py",
    ),
}
"""Files that go to one process, for they share a server, its database and a browser, or the trees
of all modules.

The first visit of a browser's profile costs twice as much as a later one, and a server or a
study to rate costs seconds: fewer processes that do it are quicker than more side by side.
"""

LONGEST_FIRST = (
    *(file for files in IN_ONE_PROCESS.values() for file in files),
    "tests/e2e/test_results.py",
    "tests/e2e",
    "tests/core/rewriting",
    "tests/core/formula/test_growth.py",
    "tests/core/search",
    "tests/audit",
    "tests/study/test_recomputed.py",
    "tests/pages/test_results_page.py",
    "tests/db/test_concurrency.py",
    "tests/pages/test_app_inspector.py",
    "tests/pages/test_compare.py",
    "tests/pages/test_diagnosis_summary.py",
    "tests/study/test_report.py",
    "tests/test_wheel.py",
    "tests/pages/test_diagnosis_noise.py",
    "tests/study/test_planning.py",
    "tests/pages/test_app_report.py",
    "tests/core/measure/test_oracle_agreement.py",
    "tests/study/test_report_bundle.py",
    "tests/study/test_validation.py",
    "tests/test_notebook.py",
    "tests/study",
    "tests/pages",
    "tests/db",
    "tests/core",
    "tests",
)
"""Files are given out in this order, so that short ones even out the end; doctests come last.

Those with a browser come first: they wait half of their time, and the others fill that.
"""

_GROUPS = {file: name for name, files in IN_ONE_PROCESS.items() for file in files}


class Part(NamedTuple):
    """One of the processes, seen from the one that gives out the tests."""

    process: BaseProcess
    at_work: dict[str, pytest.Item]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="run tests in that many processes")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    config = session.config
    workers: int = config.getoption("workers")
    if not workers or session.testsfailed or config.option.collectonly:
        return None  # as without this module
    run_in_parts(session, pieces(session.items), workers)
    return True


def log_report(session: pytest.Session, report: pytest.TestReport) -> None:
    """Let pytest know of a report, and stop where it wants to."""
    session.config.hook.pytest_runtest_logreport(report=report)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    if session.shouldstop:
        raise session.Interrupted(session.shouldstop)


def run_in_parts(session: pytest.Session, tests: Iterable[list[pytest.Item]], workers: int) -> None:
    """Run tests in so many processes, each of which asks for the next file when it is done."""
    base = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
    files = deque(tests)
    fork = multiprocessing.get_context("fork")
    parts: dict[Connection, Part] = {}
    for number in range(min(workers, len(files))):
        ours, theirs = fork.Pipe()
        process = fork.Process(target=work, args=(session, theirs, base / f"worker-{number}"))
        process.start()
        theirs.close()
        parts[ours] = Part(process, {})
    try:
        give_out(session, files, parts)
    except BaseException:
        for part in parts.values():
            part.process.terminate()
        raise
    finally:
        for part in parts.values():
            part.process.join(20)
            part.process.kill()


def pieces(items: list[pytest.Item]) -> Iterator[list[pytest.Item]]:
    """Tests that one process runs one after the other: those of a file, or of several files."""
    places = [ROOT / place for place in LONGEST_FIRST]

    def turn(item: pytest.Item) -> int:
        above = {item.path, *item.path.parents}
        return next((at for at, place in enumerate(places) if place in above), len(places))

    def group(item: pytest.Item) -> str:
        file = item.nodeid.partition("::")[0]
        return _GROUPS.get(file, file)

    for _, tests in itertools.groupby(sorted(items, key=turn), group):
        yield list(tests)


def give_out(
    session: pytest.Session,
    files: deque[list[pytest.Item]],
    parts: dict[Connection, Part],
) -> None:
    """Answer whoever asks for tests, and pass on what they say, until all are done.

    Parameters
    ----------
    session
        The tests that are run.
    files
        What has not been given out.
    parts
        The processes that run it, by the line to them.
    """
    hook = session.config.hook
    places = {item: at for at, item in enumerate(session.items)}
    talking = set(parts)
    while talking:
        for talk in wait(talking):
            assert isinstance(talk, Connection)
            part = parts[talk]
            try:
                kind, said = talk.recv()
            except (EOFError, OSError):
                kind, said = "done", "The process that was to run it ended."
            if kind == "next":
                tests = files.popleft() if files else []
                part.at_work.update((item.nodeid, item) for item in tests)
                talk.send([places[item] for item in tests])
                continue
            if kind == "warning":
                hook.pytest_warning_recorded.call_historic(kwargs=said)
                continue
            if kind == "done":
                talking.remove(talk)
                reports = [
                    pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "call")
                    for item in part.at_work.values()
                ]
            else:
                reports = [hook.pytest_report_from_serializable(config=session.config, data=said)]
            for report in reports:
                if report.when == "teardown":
                    del part.at_work[report.nodeid]
                log_report(session, report)


def work(session: pytest.Session, talk: Connection, folder: Path) -> None:
    """What each process does: run the tests that it is given, and say how they went."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    config = session.config
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")
    telling = Telling(config, talk)
    config.pluginmanager.register(telling)  # which hears all warnings that there were before
    telling.news = True
    folder.mkdir()
    config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
    os.environ["DATABASE_URL"] = f"sqlite:///{folder / 'lab.sqlite3'}"

    def given() -> deque[pytest.Item]:
        talk.send(("next", None))
        return deque(session.items[at] for at in talk.recv())

    try:
        tests = given()
        while tests:
            item = tests.popleft()
            tests = tests or given()  # what comes next says what the last one tears down
            config.hook.pytest_runtest_protocol(item=item, nextitem=tests[0] if tests else None)
        talk.send(("done", ""))
    except BaseException:
        said = traceback.format_exc()
        session._setupstate.teardown_exact(None)  # servers and browsers end here
        talk.send(("done", said))


class Telling:
    """Tells the process that gives out the tests what would be printed here."""

    def __init__(self, config: pytest.Config, talk: Connection) -> None:
        self._config = config
        self._talk = talk
        self.news = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._talk.send(("report", data))

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str, location: Any
    ) -> None:
        if not self.news:
            return
        text = f"{warning_message.category.__name__}: {warning_message.message}"
        plain = warnings.WarningMessage(
            text, Warning, warning_message.filename, warning_message.lineno
        )
        told = {"warning_message": plain, "when": when, "nodeid": nodeid, "location": location}
        self._talk.send(("warning", told))
