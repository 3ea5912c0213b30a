"""What every test of a page needs."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest puts its script in the place of the main module, which new processes would run."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
