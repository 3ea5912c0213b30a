"""What every test shares."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import settings

# Workers share the cores already: a matrix product that spreads over them waits for itself, which
# takes ten times the work.  Read when NumPy is first imported, by the imports below.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from tests.clocks import PacedClock
from tests.effort import DEAR, FULL, TWIN, examples, left_to_full
from tests.kept import FOLDER as KEPT
from tests.outside import outside_folder, skip_without_sample, unchecked_line

ROOT = Path(__file__).resolve().parents[1]

# What one process has compiled is kept, whatever this machine's settings say: to compile the tests
# is more than half of collecting them, and a process that a test starts would compile the product.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A test that says nothing of `max_examples` tries as many as these do.  A quick run is the same
# everywhere; a full one draws anew, by the seed that `make test-full` prints.
settings.register_profile(
    "draws", deadline=None, derandomize=not FULL, print_blob=True, max_examples=examples(100)
)
settings.load_profile("draws")


# No test opens the database of this checkout.
_folder = tempfile.TemporaryDirectory(prefix="eic-lab-tests-")
os.environ["DATABASE_URL"] = f"sqlite:///{_folder.name}/lab.sqlite3"
os.environ[KEPT] = _folder.name
os.environ.pop("EIC_LAB_DEMO", None)

# What collecting leaves behind stays to the end: no collection of garbage need look at it again.
# They cost a fifth of collecting, and more in what follows.
gc.disable()


_UNCHECKED = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"{DEAR}(share): a quick run tries one case of so many")
    config.addinivalue_line("markers", f"{TWIN}(of): a quick run makes the claim in that test")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    skip_without_sample(items)
    # of the cases that somebody chooses by name none is left out
    if left := set() if "[" in "".join(config.args) else left_to_full(items):
        config.hook.pytest_deselected(items=[*left])
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish(session: pytest.Session) -> None:
    """From here on garbage is collected, but not among the modules and the tests themselves."""
    gc.freeze()
    gc.enable()
    session.config.stash[_UNCHECKED] = unchecked_line(session.items)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if line := config.stash.get(_UNCHECKED, ""):
        terminalreporter.line(line, yellow=True)


@pytest.fixture(scope="session", autouse=True)
def _unhurried_repairs() -> Iterator[None]:
    """What is found instead of a formula does not depend on how busy this machine is.

    A limit in seconds is counted in looks at the clock.
    """
    from eic_core.report.findings import investigate
    from eic_core.rewriting import repair

    clock = PacedClock(1e-6)
    with (
        patch.dict(repair.__kwdefaults__, clock=clock),
        patch.dict(investigate.__kwdefaults__, clock=clock),
    ):
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of the outside sample; a test that takes it is marked `outside`."""
    folder = outside_folder()
    assert folder is not None, "a test without the marker, or a fixture, takes the outside sample"
    return folder
