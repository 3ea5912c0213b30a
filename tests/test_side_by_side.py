"""Tests that run in several processes are told of as if one had run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FILES = {
    "test_first.py": """
        import os, warnings
        import pytest

        @pytest.fixture(scope="session")
        def opened(tmp_path_factory):
            yield os.environ["DATABASE_URL"]
            with open("closed", "a") as log:
                log.write(os.environ["DATABASE_URL"] + "\\n")

        def test_passes(opened):
            warnings.warn("to be heard")

        def test_fails(tmp_path):
            print("to be shown")
            assert (tmp_path / "absent").exists()

        @pytest.mark.skip
        def test_is_skipped():
            pass
        """,
    "test_ends.py": """
        import os

        def test_before():
            pass

        def test_ends_its_process():
            os._exit(0)

        def test_behind():
            pass
        """,
    "test_unsteady.py": """
        from pathlib import Path
        import pytest

        def first_time(name):
            seen = Path(name).exists()
            Path(name).touch()
            return not seen

        @pytest.fixture(scope="module")
        def slow_to_start():
            assert not first_time("fixture")

        def test_passes_the_second_time(tmp_path):
            print("of the first attempt")
            assert not first_time("test")

        def test_needs_what_was_slow(slow_to_start):
            pass

        def test_of_many_that_all_fail_once():
            assert not first_time("many")
        """,
    "test_many.py": """
        import pytest

        @pytest.mark.parametrize("number", range(6))
        def test_fails(number):
            assert False
        """,
}


def run(folder: Path, workers: int, *files: str, status: int = 1) -> str:
    """What pytest says of files of tests."""
    for name in files:
        text = FILES["test_first.py" if name == "test_second.py" else name]
        (folder / name).write_text(text.replace("\n        ", "\n"), encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "tests.side_by_side",
            "--workers",
            str(workers),
            "-p",
            "no:cacheprovider",
            "-c",
            os.devnull,
            "-q",
            *files,
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ
        | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


def test_two_processes_say_what_one_says(tmp_path: Path) -> None:
    files = ("test_first.py", "test_second.py")
    one, two = run(tmp_path, 0, *files), run(tmp_path, 2, *files)
    counted = "2 failed, 2 passed, 2 skipped, 2 warnings"
    for text in ("to be shown", "UserWarning: to be heard", counted):
        assert text in one and text in two
    failed = [sorted(re.findall("^FAILED .*", said, re.MULTILINE)) for said in (one, two)]
    assert failed[0] == failed[1] and len(failed[0]) == 2
    closed = (tmp_path / "closed").read_text(encoding="utf-8").splitlines()
    assert len(closed) == 4  # each file's, after either run: each process closes what it opened
    assert closed[0] == closed[1] and len({*closed}) == 3


def test_tests_whose_process_ends_fail(tmp_path: Path) -> None:
    said = run(tmp_path, 2, "test_first.py", "test_ends.py")
    assert "3 failed, 2 passed, 1 skipped" in said
    assert "FAILED test_ends.py::test_behind - The process that was to run it" in said


def test_what_fails_once_is_run_again_and_named(tmp_path: Path) -> None:
    said = run(tmp_path, 2, "test_unsteady.py", status=0)
    assert "3 passed" in said and "failed" not in said and "error" not in said
    named = "^PASSED ON A SECOND ATTEMPT .*::(.*) - AssertionError: assert not True$"
    again = sorted(re.findall(named, said, re.MULTILINE))
    assert again == [
        "test_needs_what_was_slow",
        "test_of_many_that_all_fail_once",
        "test_passes_the_second_time",
    ]
    assert "of the first attempt" not in said


def test_where_many_fail_none_is_run_again(tmp_path: Path) -> None:
    said = run(tmp_path, 2, "test_unsteady.py", "test_many.py")
    assert "8 failed" in said and "1 error" in said and "SECOND" not in said
