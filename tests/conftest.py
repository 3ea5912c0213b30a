"""What every test shares."""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.effort import examples

ROOT = Path(__file__).resolve().parents[1]

# Workers share the cores already: a matrix product that spreads over them only waits for itself.
# Read when NumPy is first imported, here and in every process that a test starts.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A test that says nothing of `max_examples` tries as many as these do.
for _name, _derandomize in (("ci", True), ("dev", False)):
    settings.register_profile(
        _name, deadline=None, derandomize=_derandomize, max_examples=examples(100)
    )
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")


# No test opens the database of this checkout.
_folder = tempfile.TemporaryDirectory(prefix="eic-lab-tests-")
os.environ["DATABASE_URL"] = f"sqlite:///{_folder.name}/lab.sqlite3"
os.environ.pop("EIC_LAB_DEMO", None)

# What collecting leaves behind stays to the end: no collection of garbage need look at it again.
# They cost a fifth of collecting, and more in what follows.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on garbage is collected, but not among the modules and the tests themselves."""
    gc.freeze()
    gc.enable()


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
