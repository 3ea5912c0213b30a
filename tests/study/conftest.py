"""A study on a real SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kept import making_once
from tests.rehearsal import Rehearsal


@pytest.fixture
def rehearsal(tmp_path: Path) -> Iterator[Rehearsal]:
    """Services on a fresh file; what a ballot shows is drawn once a run."""
    made = Rehearsal.at(tmp_path)
    with making_once():
        yield made
    made.store.dispose()
