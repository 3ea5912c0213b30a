"""What every test of a page needs."""

from __future__ import annotations

import sys

import pytest

from pages.ui.kit import wiring
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectorService
from tests.clocks import PacedClock


@pytest.fixture(autouse=True, scope="session")
def unhurried() -> None:
    """What a page answers does not depend on how busy this machine is."""
    stands_still = PacedClock(0.0)
    wiring._built["inspector"] = InspectorService(clock=stands_still)
    wiring._built["diagnosis"] = DiagnosisService(clock=stands_still)


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest puts its script in the place of the main module, which new processes would run."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
