"""A study on a real SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rehearsal import Rehearsal


@pytest.fixture
def rehearsal(tmp_path: Path) -> Iterator[Rehearsal]:
    """Services on a fresh file."""
    made = Rehearsal.at(tmp_path)
    yield made
    made.store.dispose()
