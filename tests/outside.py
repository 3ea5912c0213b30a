"""The outside sample: published tables and pools beside the repository, which it does not copy.

A test that needs it is marked `outside` and takes the fixture `shared`.  Where the folder is absent
such tests are skipped, and the summary names them in a line.  ``EIC_LAB_OUTSIDE`` names another
folder; empty, it hides the one that is there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[2] / "shared"
FIXTURE, MARKER = "shared", "outside"


def outside_folder() -> Path | None:
    """Where the outside sample lies; None where there is none."""
    named = os.environ.get("EIC_LAB_OUTSIDE")
    folder = BESIDE if named is None else Path(named)
    return folder if named != "" and folder.is_dir() else None


def skip_without_sample(items: Iterable[pytest.Item]) -> None:
    """Skip the tests that need the outside sample, where there is none.

    Raises
    ------
    pytest.UsageError
        If a test takes the sample and is not marked, or is marked and does not take it.
    """
    absent = outside_folder() is None
    skip = pytest.mark.skip(reason="the outside sample is not beside the repository")
    for item in items:
        marked = item.get_closest_marker(MARKER) is not None
        if marked != (FIXTURE in getattr(item, "fixturenames", ())):
            raise pytest.UsageError(
                f"{item.nodeid}: a test of the outside sample is marked `{MARKER}` and takes the "
                f"fixture `{FIXTURE}`, both or neither"
            )
        if marked and absent:
            item.add_marker(skip)


def unchecked_line(items: Iterable[pytest.Item]) -> str:
    """Which of these claims are not checked for want of the outside sample; "" where all are."""
    if outside_folder() is not None:
        return ""
    marked = [item for item in items if item.get_closest_marker(MARKER)]
    names = dict.fromkeys(getattr(item, "originalname", None) or item.name for item in marked)
    if not names:
        return ""
    claims = "1 claim" if len(names) == 1 else f"{len(names)} claims"
    return f"not checked without the outside sample: {claims} ({', '.join(names)})"
