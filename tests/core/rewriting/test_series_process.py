"""The process that proposes series: whatever becomes of it, there is an answer."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from unittest.mock import patch

import pytest

from eic_core.formula.syntax import read
from eic_core.rewriting.deadline import NEVER
from eic_core.rewriting.pieces import Omission
from eic_core.rewriting.series import proposals
from eic_core.rewriting.series.expansion import ExpansionQuestion
from eic_core.rewriting.terms import Terms
from tests.repairs import repaired_on

NO_PROCESS = [], [Omission.SERIES_NO_PROCESS]
PROCESS_ENDED = [], [Omission.SERIES_UNFINISHED]


@pytest.fixture(autouse=True)
def _without_process() -> Iterator[None]:
    proposals.close()
    yield
    proposals.close()


def asked() -> tuple[list[object], list[Omission]]:
    terms = Terms()
    root = terms.add(read("sin(x) - x").formula)
    x = next(number for number in terms.subterms(root) if terms[number].label == "x")
    question = ExpansionQuestion(root, x, Fraction(0), 4)
    answers, left_out = proposals.expansions(terms, [question], NEVER)
    return list(answers), left_out


@pytest.mark.parametrize(
    "error", [OSError, MemoryError, PermissionError, BlockingIOError, ValueError]
)
def test_where_no_process_starts_series_are_left_out(error: type[Exception]) -> None:
    with patch.object(subprocess, "Popen", side_effect=error("no")):
        assert asked() == NO_PROCESS


def test_where_no_thread_starts_series_are_left_out() -> None:
    with patch.object(threading.Thread, "start", side_effect=RuntimeError("no thread")):
        assert asked() == NO_PROCESS


def test_half_an_answer_is_none() -> None:
    receive = proposals._Worker.receive

    def half(worker: proposals._Worker, seconds: float) -> str | None:
        line = receive(worker, seconds)
        return line[: len(line) // 2] if line and len(line) > 20 else line

    with patch.object(proposals._Worker, "receive", half):
        assert asked() == PROCESS_ENDED
    answers, left_out = asked()
    assert len(answers) == 1 and not left_out


def test_a_process_that_is_killed_again_and_again_is_given_up() -> None:
    send = proposals._Worker.send

    def killed(worker: proposals._Worker, text: str) -> None:
        with suppress(ProcessLookupError):
            os.kill(worker.process.pid, 9)
        send(worker, text)

    with patch.object(proposals._Worker, "send", killed):
        assert asked() == PROCESS_ENDED
    assert proposals._worker is None


@pytest.mark.parametrize("text", ["sin(x) - x", "where(x < 2, sin(x) - x, x)"])
def test_a_repair_without_processes_says_what_it_left_out(text: str) -> None:
    columns = {"x": [10.0**-k for k in range(12)]}
    with patch.object(subprocess, "Popen", side_effect=OSError("no")):
        found = repaired_on(text, columns)
    assert Omission.SERIES_NO_PROCESS in found.left_out
    assert "series_no_process" in json.dumps(found.to_json(), allow_nan=False)
    assert any("process" in str(sentence) for sentence in found.left_out_sentences)
    assert repaired_on(text, columns, series=False).left_out == ()
