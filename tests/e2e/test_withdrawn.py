"""No file holds what a rater has withdrawn from a real server, whoever reads meanwhile."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.db.traces import MARKS, held, marked_rater, reading
from tests.e2e.browser import PATIENCE, running_server
from tests.e2e.stranger import PlainRater, send_form
from tests.rehearsal import Rehearsal

pytestmark = pytest.mark.e2e

TAKEN_OUT = "have been taken out of the study. The database&#39;s files may still hold a trace"
DELETED = "your degree and your field have been deleted."


def _withdraw(address: str, token: str) -> str:
    answer = send_form(address, "/rate/withdraw", {"t": token})
    return PlainRater(address, token).get(answer.headers["location"])


@pytest.mark.parametrize("end", ["the reader's", "the server's"])
def test_a_withdrawal_while_somebody_reads_leaves_nothing_behind(tmp_path: Path, end: str) -> None:
    rehearsal = Rehearsal.at(tmp_path)
    file, token = Path(rehearsal.url.removeprefix("sqlite:///")), marked_rater(rehearsal)
    rehearsal.store.dispose()
    with running_server(database=file) as address:
        with reading(file) as reader:
            assert TAKEN_OUT in _withdraw(address, token)
            assert {mark for _, mark in held(file)} == set(MARKS)
            reader.kill()  # else SQLite would empty the log for it
        if end == "the reader's":
            give_up = time.monotonic() + PATIENCE / 1000
            while held(file) and time.monotonic() < give_up:
                time.sleep(0.1)
            again = f"/rate?t={token}&note=withdrawn"
            assert DELETED in PlainRater(address, token).get(again)
            assert held(file) == set()
    assert held(file) == set()
    log = file.with_name(f"{file.name}-wal")
    assert not log.exists() or log.stat().st_size == 0
