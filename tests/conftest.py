"""What every test shares."""

from __future__ import annotations

import gc
import os
import tempfile
from pathlib import Path
from typing import Any

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

IN_ONE_PROCESS = {
    "the inspector": (
        "tests/e2e/test_inspector.py", "tests/e2e/test_diagnosis_instead.py",
        "tests/e2e/test_compare.py", "tests/e2e/test_cut_short.py",
        "tests/e2e/test_diagnosis_noise_truth.py", "tests/e2e/test_diagnosis_rows.py",
    ),
    "the organiser": ("tests/e2e/test_organising.py", "tests/e2e/test_organising_demo.py"),
    "the rater": ("tests/e2e/test_rating.py", "tests/e2e/test_blind.py"),
}  # fmt: skip
"""Files that go to one worker, for they share a server, its database and a browser.

The first visit of a browser's profile costs twice as much as a later one, and a server or a
study to rate costs seconds: fewer processes that do it are quicker than more side by side.
"""

LONGEST_FIRST = (
    *(file for files in IN_ONE_PROCESS.values() for file in files),
    "tests/test_lint.py", "tests/core/formula/test_growth.py", "tests/core/rewriting",
    "tests/e2e", "tests/core/search", "tests/audit", "tests/pages/test_results_page.py",
    "tests/db/test_concurrency.py", "tests/pages/test_app_inspector.py",
    "tests/pages/test_compare.py", "tests/pages/test_diagnosis_summary.py",
    "tests/study/test_report.py", "tests/test_wheel.py", "tests/pages/test_diagnosis_noise.py",
    "tests/study/test_planning.py", "tests/pages/test_app_report.py",
    "tests/core/measure/test_oracle_agreement.py", "tests/study/test_report_bundle.py",
    "tests/study/test_recomputed.py", "tests/study/test_validation.py", "tests/test_notebook.py",
    "tests/study", "tests/pages", "tests/db", "tests/core", "tests",
)  # fmt: skip
"""The workers are given files in this order, so that short ones even out the end.

Those with a browser come first: they wait half of their time, and the others fill that.
"""

_GROUPS = {file: name for name, files in IN_ONE_PROCESS.items() for file in files}

# What collecting leaves behind stays to the end: no collection of garbage need look at it again.
# They cost a fifth of collecting, which each worker does for itself, and more in what follows.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on garbage is collected, but not among the modules and the tests themselves."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """`--dist loadfile` with some files together."""
    from xdist.scheduler.loadfile import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return _GROUPS.get(file, file)

    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order them as `LONGEST_FIRST` does; doctests come last."""
    places = [ROOT / place for place in LONGEST_FIRST]

    def turn(item: pytest.Item) -> int:
        above = {item.path, *item.path.parents}
        return next((at for at, place in enumerate(places) if place in above), len(places))

    items.sort(key=turn)


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
