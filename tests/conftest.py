"""What every test shares."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")


# No test opens the database of this checkout.
_folder = tempfile.TemporaryDirectory(prefix="eic-lab-tests-")
os.environ["DATABASE_URL"] = f"sqlite:///{_folder.name}/lab.sqlite3"
os.environ.pop("EIC_LAB_DEMO", None)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data beside the repository; skips where there is none."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data folder is not beside the repository")
    return folder
