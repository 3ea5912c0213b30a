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
}


def run(folder: Path, workers: int, *files: str) -> str:
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
    assert done.returncode == 1, done.stdout + done.stderr
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
