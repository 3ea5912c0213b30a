"""What every test of a page needs."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from pages.ui.inspector import headline
from pages.ui.kit import wiring
from pages.ui.kit.diagnosis_service import DiagnosisService
from pages.ui.kit.inspector_service import InspectorService

UNHURRIED = 300.0
"""Seconds after which a page, or what a test waits for, is taken to hang."""


@pytest.fixture(autouse=True, scope="session")
def unhurried() -> None:
    """What a page answers does not depend on how busy this machine is."""
    wiring._built["inspector"] = InspectorService()
    wiring._built["diagnosis"] = DiagnosisService(seconds=math.inf)
    headline.WAIT = UNHURRIED


@pytest.fixture(autouse=True, scope="session")
def scanned_once() -> Iterator[None]:
    """Each AppTest looks for components in every installed package: twice the work of a page."""
    with pytest.MonkeyPatch.context() as patched:
        scan = cache(manifest_scanner.scan_component_manifests)
        patched.setattr(manifest_scanner, "scan_component_manifests", scan)
        yield


@pytest.fixture(autouse=True, scope="session")
def unbroken() -> Iterator[None]:
    """No run of any page breaks, nor an answer on it, nor ends for want of seconds."""
    run = AppTest._run

    def watched(
        page: AppTest, widgets: WidgetStates | None = None, timeout: float | None = None
    ) -> AppTest:
        run(page, widgets, timeout=timeout or UNHURRIED)
        assert not page.exception
        assert "for a reason of ours" not in " ".join(e.proto.body for e in page.get("html"))
        return page

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(AppTest, "_run", watched)
        yield


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest puts its script in the place of the main module, which new processes would run."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
