"""`python -m db ask` against a real HTTP server, killed, resumed; and what the database refuses."""

from __future__ import annotations

import contextlib
import gzip
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from db import open_database
from db.commands import main
from study.clock import SystemClock
from study.model_raters.endpoint import ChatEndpoint
from study.model_raters.service import ModelRaters, RunSettings
from tests.chat_server import Body, ChatServer, Said, chat_server, error, shorter
from tests.db.traces import connected
from tests.rehearsal import Rehearsal

ROOT = Path(__file__).resolve().parents[2]
AT_MOST = 600
"""Seconds that a process may take to come so far."""


def ask(rehearsal: Rehearsal, server: ChatServer, *options: str) -> list[str]:
    return [
        "--database",
        rehearsal.url,
        "ask",
        "rehearsal",
        "--model",
        "m",
        "--base-url",
        server.url,
        "--repeats",
        "4",
        *options,
    ]


def opened(rehearsal: Rehearsal) -> int:
    return rehearsal.opened(problems=2, pairs=2, ballots_per_rater=2).id


def answered(server: ChatServer) -> Counter[str]:
    return Counter(f"{seen.user} {seen.body['seed']}" for seen in server.answered)


def test_a_run_that_is_killed_half_way_goes_on_without_asking_twice(rehearsal: Rehearsal) -> None:
    """Killed by the kernel, with calls under way that were never answered."""
    study, half, go_on = opened(rehearsal), threading.Event(), threading.Event()

    def holding(body: Body, number: int) -> Said:
        if number > 7:
            half.set()
            go_on.wait(AT_MOST)
        return Said(drop=True) if number in range(8, 12) else shorter(body, number)

    with chat_server(holding) as server:
        command = [sys.executable, "-m", "db", *ask(rehearsal, server, "--concurrency", "4")]
        running = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        while not half.wait(0.1):
            assert running.poll() is None
        while _stored(rehearsal) < 7:
            assert running.poll() is None
            time.sleep(0.05)
        os.kill(running.pid, signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL
        go_on.set()
        assert main(ask(rehearsal, server)) == 2, "it says to resume"
        assert main(ask(rehearsal, server, "--resume")) == 0
    assert len(answered(server)) == 16 and set(answered(server).values()) == {1}
    [state] = ModelRaters(rehearsal.store, rehearsal.clock).runs(study)
    assert state.complete and state.run.base_url == server.url


def _stored(rehearsal: Rehearsal) -> int:
    with sqlite3.connect(rehearsal.url.removeprefix("sqlite:///")) as here:
        return int(here.execute("SELECT count(*) FROM model_answer").fetchone()[0])


def test_ctrl_c_pauses_and_says_how_to_go_on(
    rehearsal: Rehearsal, capsys: pytest.CaptureFixture[str]
) -> None:
    opened(rehearsal)

    def interrupting(body: Body, number: int) -> Said:
        if number == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return shorter(body, number)

    with chat_server(interrupting) as server:
        assert main(ask(rehearsal, server, "--concurrency", "1")) == 130
        said = capsys.readouterr().err
        assert "Go on with --resume" in said and "exploratory: not declared before" in said
        assert _stored(rehearsal) == len(server.answered) < 16
        assert main(ask(rehearsal, server, "--resume")) == 0
    assert set(answered(server).values()) == {1} and len(answered(server)) == 16


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--repeats", "5"], "5 repeats cannot be shared equally between the two orders"),
        (["--base-url", "https://example.org/v1"], "say how many tokens this may cost"),
        (["--base-url", "http://u:p@localhost/v1"], "no name, password or query"),
        (["--concurrency", "0"], "from 1 to 64 calls"),
        (["--budget-tokens", "0"], "a budget is a number of tokens"),
        (["--temperature", "9"], "the temperature must be from 0 to 2"),
        (["--max-tokens", "0"], "max tokens must be above 0"),
        (["--resume"], "has not been asked about this study"),
    ],
)
def test_mistakes_get_one_message_and_status_2(
    rehearsal: Rehearsal, capsys: pytest.CaptureFixture[str], options: list[str], told: str
) -> None:
    opened(rehearsal)
    with chat_server() as server:
        assert main(ask(rehearsal, server, *options)) == 2
    said = capsys.readouterr().err
    assert said.startswith("db: ") and told in said and len(said.splitlines()) == 1
    assert not server.seen


def test_the_key_of_the_environment_is_sent_and_neither_stored_nor_printed(
    rehearsal: Rehearsal,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    opened(rehearsal)
    monkeypatch.setenv("EIC_LAB_MODEL_KEY", "a-very-secret-key")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-for-openai-alone")
    with chat_server(
        lambda body, n: shorter(body, n) if n < 4 else error(403, "key a-very-secret-key is bad")
    ) as server:
        assert main(ask(rehearsal, server, "--budget-tokens", "100000")) == 2
    assert {s.headers["authorization"] for s in server.seen} == {"Bearer a-very-secret-key"}
    rehearsal.store.dispose()
    printed = capsys.readouterr()
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    for everything in (printed.out + printed.err, *(f.decode("latin-1") for f in files)):
        assert "a-very-secret-key" not in everything and "sk-for-openai" not in everything


# --- the tables ---


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE model_answer SET outcome = 'second'", "append-only"),
        ("DELETE FROM model_answer", "append-only"),
        ("INSERT OR REPLACE INTO model_answer SELECT * FROM model_answer", "append-only"),
        ("UPDATE model_run SET temperature = 0", "append-only"),
        ("DELETE FROM model_run", "append-only"),
        (
            "INSERT INTO model_run SELECT 99, 2, 'x', model, base_url, temperature, "
            "repeats, prompt, "
            "prompt_sha256, begun_at FROM model_run LIMIT 1",
            "a draft has nothing",
        ),
        (
            "INSERT INTO model_run SELECT 99, 1, label, model, base_url, temperature, repeats, "
            "prompt, prompt_sha256, begun_at FROM model_run LIMIT 1",
            "UNIQUE",
        ),
        (
            "INSERT INTO model_run SELECT 99, 1, 'odd', model, base_url, temperature, 5, "
            "prompt, prompt_sha256, begun_at FROM model_run LIMIT 1",
            "CHECK",
        ),
        (
            "INSERT INTO model_answer SELECT 99, run_id, pair_id, lower_first, repeat, "
            "outcome, raw, "
            "snapshot, fingerprint, finish_reason, structured, seed, 0, 0, 0, asked_at "
            "FROM model_answer LIMIT 1",
            "UNIQUE",
        ),
        (
            "INSERT INTO model_answer SELECT 99, run_id, (SELECT max(id) FROM pair), 1, "
            "77, outcome, "
            "raw, snapshot, fingerprint, finish_reason, structured, seed, 0, 0, 0, asked_at "
            "FROM model_answer LIMIT 1",
            "another study",
        ),
    ],
)
def test_the_database_refuses(asked: sqlite3.Connection, statement: str, message: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=message):
        asked.execute(statement)


@pytest.fixture(scope="module")
def asked_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed study with a model's answers, and a draft."""
    rehearsal = Rehearsal.at(tmp_path_factory.mktemp("asked"))
    study = opened(rehearsal)
    rehearsal.draft(name="draft", problems=1, pairs=1)
    rehearsal.organiser.close(study)
    service = ModelRaters(rehearsal.store, rehearsal.clock)
    with chat_server() as server:
        run = service.begin(study, RunSettings("m", server.url, 2))
        service.ask(run, ChatEndpoint(server.url))
    rehearsal.store.dispose()
    return Path(rehearsal.url.removeprefix("sqlite:///"))


@pytest.fixture
def asked(asked_file: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(connected(asked_file)) as connection:
        yield connection


def test_a_database_of_the_first_schema_gets_the_tables_and_keeps_its_triggers(
    tmp_path: Path,
) -> None:
    file = tmp_path / "lab.sqlite3"
    golden = ROOT / "tests" / "golden" / "studies.sqlite3.gz"
    file.write_bytes(gzip.decompress(golden.read_bytes()))

    def triggers() -> set[tuple[str, str]]:
        with sqlite3.connect(file) as here:
            # The one on changes of votes is another by now: it lets a vote be undone.
            return set(
                here.execute(
                    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
                    " AND name <> 'guard_vote_update_0'"
                )
            )

    before = triggers()
    store = open_database(f"sqlite:///{file}")
    service = ModelRaters(store, SystemClock())
    with chat_server() as server:
        for name in ("closed study", "open study"):
            assert (
                main(
                    [
                        "--database",
                        f"sqlite:///{file}",
                        "ask",
                        name,
                        "--model",
                        "m",
                        "--base-url",
                        server.url,
                        "--repeats",
                        "2",
                    ]
                )
                == 0
            )
    with store.reading() as tx:
        for study in tx.studies.every():
            assert [state.complete for state in service.runs(study.id)] == [True]
    store.dispose()
    assert before <= triggers() and len(triggers() - before) >= 6
