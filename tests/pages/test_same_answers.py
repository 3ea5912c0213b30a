"""One question has one answer: whatever a clock says, beside other work, in a worker or not, and in
either engine.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from pages.ui.kit import diagnosis_service, inspector_service
from pages.ui.kit.workers import InThread, WorkerPool, Workers
from tests.effort import cases
from tests.same_answers import answers, chosen

COUNT, EFFORT, SAMPLES = cases(10, 200), cases(1, 25) / 100, cases(30, 1000)
NUMBER = re.compile(r"-?\b\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
BUSY = cases(0, 8)


def told(workers: Workers | None = None) -> dict[str, str]:
    return dict(answers(chosen(COUNT), EFFORT, SAMPLES, workers or InThread()))


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    return told()


@contextmanager
def busy() -> Iterator[None]:
    """Loops beside it, in a full run."""
    loop = [sys.executable, "-c", "while True: pass"]
    with ExitStack() as stack:
        for _ in range(BUSY):
            process = stack.enter_context(subprocess.Popen(loop))
            stack.callback(process.kill)
        yield


def test_no_answer_depends_on_a_clock(
    alone: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = random.Random(1)
    for name in ("monotonic", "perf_counter", "process_time", "time"):
        monkeypatch.setattr(time, name, lambda: drawn.uniform(-1e9, 1e9))
    with busy():
        assert told() == alone


def test_answers_of_workers_are_those_without(
    alone: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for service in (inspector_service, diagnosis_service):
        monkeypatch.setattr(service, "LONGEST", math.inf)
    pool = WorkerPool(2, modules=("pages.ui.kit.diagnosis_service",))
    try:
        with busy():
            assert told(pool) == alone
    finally:
        pool.close()


def test_both_engines_differ_in_the_last_printed_digit_at_most(alone: dict[str, str]) -> None:
    arguments = [str(number) for number in (COUNT, EFFORT, SAMPLES)]
    printed = subprocess.run(
        [sys.executable, "-m", "tests.same_answers", *arguments],
        env=os.environ | {"EIC_LAB_NATIVE": "0"},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    other = json.loads(printed)
    assert list(other) == list(alone)
    for name, text in alone.items():
        assert NUMBER.split(other[name]) == NUMBER.split(text), name
        numbers = zip(NUMBER.findall(text), NUMBER.findall(other[name]), strict=True)
        assert [pair for pair in numbers if not alike(*pair)] == [], name


def alike(one: str, other: str) -> bool:
    """Whether two numbers are the same but for the last digit of the shorter, at nine at most."""
    if one == other:
        return True
    digits = min(9, *(len(text.partition(".")[2].partition("e")[0]) for text in (one, other)))
    a, b = (float(text.replace(",", "")) for text in (one, other))
    return abs(a - b) <= 1.01 * max(10.0**-digits, 1e-9 * abs(a))
