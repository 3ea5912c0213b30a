"""A quick run leaves out cases, and nothing that they are made of."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_info

from tests import effort
from tests.rehearsal import Rehearsal

ROOT = Path(__file__).resolve().parents[1]


def test_products_of_matrices_stay_on_one_core() -> None:
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    assert {*blas} == {1}


@pytest.mark.parametrize(
    "module", ["study.statistics.mixed", "study.report.analysis", "study.planning.simulating"]
)
def test_a_studys_products_stay_on_one_core_without_a_setting(module: str) -> None:
    """NumPy has a BLAS and SciPy another; each reads its number of threads when it is loaded."""
    program = (
        f"import {module}, threadpoolctl; "
        "pools = threadpoolctl.ThreadpoolController().select(user_api='blas').info(); "
        "print(*(pool['num_threads'] for pool in pools))"
    )
    settings = os.environ | {"OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=settings, capture_output=True, text=True
    )
    assert done.stdout.split() == ["1", "1"], done.stderr


def test_a_full_run_takes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "FULL", True)
    assert effort.cases(2, 9) == 9 and effort.examples(300) == 300
    assert {*effort.combined("abc", "xyz", 1)} == {*itertools.product("abc", "xyz")}


def test_a_quick_run_meets_every_unit_and_all_that_stands_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(effort, "FULL", False)
    assert effort.cases(2, 9) == 2
    assert list(map(effort.examples, (10, 40, 300))) == [10, 12, 37]
    some = [*effort.combined("abcdef", "vwxyz", 2)]
    assert len(some) == len({*some}) == 12
    assert {unit for unit, _ in some} == {*"abcdef"} and {other for _, other in some} == {*"vwxyz"}


class Case:
    """What is looked at of a test's case."""

    def __init__(self, nodeid: str, mark: pytest.MarkDecorator | None = None) -> None:
        self.nodeid = nodeid
        self._mark = mark

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self._mark.mark if self._mark and self._mark.name == name else None


def test_a_quick_run_tries_some_cases_of_each_dear_test_and_a_full_run_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = [Case(f"file::one[{name}]", effort.dear(3)) for name in "abcde"]
    other = [Case(f"file::other[{name}]", effort.dear(2)) for name in "ab"]
    plain = [Case(f"file::plain[{name}]") for name in "abc"]
    twin = Case("file::twin", effort.twin("file::plain"))
    every: list[Any] = [*one, *other, *plain, twin]
    monkeypatch.setattr(effort, "FULL", False)
    left = effort.left_to_full(every)
    assert {item.nodeid for item in every} - {item.nodeid for item in left} == {
        "file::one[a]",
        "file::one[d]",
        "file::other[a]",
        *(item.nodeid for item in plain),
    }
    monkeypatch.setattr(effort, "FULL", True)
    assert effort.left_to_full(every) == set()


def test_a_twin_that_a_quick_run_leaves_out_names_a_test_that_it_runs() -> None:
    tests = Path(__file__).parent
    twins = [
        name.partition("::")
        for path in (tests / "e2e").glob("test_*.py")
        for name in re.findall(r'@twin\(\s*"(.+?)"\s*\)', path.read_text(encoding="utf-8"))
    ]
    assert twins
    for file, _, test in twins:
        text = (tests / file).read_text(encoding="utf-8")
        assert re.search(rf"(?<!\)\n)\ndef {test}\(", text), f"{file}::{test}"


def test_a_study_to_rehearse_with_is_made_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (Rehearsal.at(tmp_path / name) for name in ("first", "second"))
    study = first.opened(ballots_per_rater=1)
    monkeypatch.delattr(second.organiser.__class__, "freeze")
    assert second.opened(ballots_per_rater=1).hash == study.hash
    for each in (first, second):
        each.store.dispose()
