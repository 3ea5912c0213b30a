"""Tests of the outside sample carry one marker, and a run without it says what was not checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.effort import dear
from tests.outside import unchecked_line

FILE = "tests/core/formula/test_silent_misreadings.py"
CLAIM = "test_herbies_published_cases_have_the_values_that_they_state"


@dear(2)
@pytest.mark.parametrize("workers", ["2", "0"])
def test_the_summary_names_in_a_line_what_was_not_checked(root, workers):
    parts = ["-p", "no:cacheprovider", "-p", "tests.side_by_side", "--workers", workers]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *parts, FILE, "-k", "herbies or column_before"],
        cwd=root, env=os.environ | {"EIC_LAB_OUTSIDE": ""}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    line = f"not checked without the outside sample: 1 claim ({CLAIM})"
    assert done.stdout.splitlines().count(line) == 1


def test_nothing_is_said_where_no_test_needs_the_sample(request, monkeypatch):
    monkeypatch.setenv("EIC_LAB_OUTSIDE", "")
    assert unchecked_line([request.node]) == ""


def test_no_test_looks_for_the_sample_by_itself(root):
    """`tests/outside.py` alone knows where it lies."""
    looks = re.compile(r"/ \"shared\"|/ 'shared'|\.\./shared")
    files = [
        f for f in (root / "tests").rglob("*.py") if f.name not in ("outside.py", "test_outside.py")
    ]
    assert [str(f) for f in files if looks.search(f.read_text("utf-8"))] == []
