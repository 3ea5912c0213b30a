"""Tests of the outside sample carry one marker, and a run without it says what was not checked."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GALLERY = "tests/pages/test_gallery.py"
CLAIM = "test_the_found_formula_stands_in_the_pool_with_the_fit_that_is_claimed"


def run(root: Path, *arguments: str) -> str:
    """What pytest prints, the outside sample being hidden."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=root,
        env=os.environ | {"EIC_LAB_OUTSIDE": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_summary_names_in_a_line_what_was_not_checked(root, workers):
    told = run(root, "-p", "tests.side_by_side", "--workers", workers, GALLERY, "-k", "found")
    assert (
        told.splitlines().count(f"not checked without the outside sample: 1 claim ({CLAIM})") == 1
    )


def test_nothing_is_said_where_no_test_needs_the_sample(root):
    assert "outside sample" not in run(root, "tests/test_effort.py")


def test_no_test_looks_for_the_sample_by_itself(root):
    """`tests/outside.py` alone knows where it lies."""
    looks = re.compile(r"/ \"shared\"|/ 'shared'|\.\./shared")
    files = [
        f for f in (root / "tests").rglob("*.py") if f.name not in ("outside.py", "test_outside.py")
    ]
    assert [str(f) for f in files if looks.search(f.read_text("utf-8"))] == []
