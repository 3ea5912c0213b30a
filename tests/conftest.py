"""What every test shares."""

from __future__ import annotations

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

LONGEST_FIRST = (
    "tests/test_lint.py", "tests/e2e/test_rating.py", "tests/e2e/test_organising.py",
    "tests/e2e/test_inspector.py", "tests/e2e/test_results.py",
    "tests/e2e/test_organising_demo.py", "tests/e2e", "tests/test_wheel.py",
    "tests/db/test_concurrency.py", "tests/pages/test_results_page.py", "tests/core/rewriting",
    "tests/study/test_report_bundle.py", "tests/study/test_report.py",
    "tests/study/test_planning.py", "tests/study/test_recomputed.py",
    "tests/study/test_validation.py", "tests/core/formula/test_growth.py",
    "tests/core/measure/test_oracle_agreement.py", "tests/test_notebook.py", "tests/study",
    "tests/db", "tests/pages", "tests/core", "tests",
)  # fmt: skip
"""Files go to the workers whole and in this order, so that short ones even out the end.

Those with a browser come first: they wait half of their time, and the others fill that.
"""


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
