"""What the tests of the core share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from eic_core.cli import main


@pytest.fixture
def eic(capsys: pytest.CaptureFixture[str]) -> Callable:
    """Run the command, which ends with a status; what it alone prints and says."""

    def run(*arguments: object, status: int = 0) -> object:
        capsys.readouterr()
        assert main([*map(str, arguments)]) == status, capsys.readouterr()
        return capsys.readouterr()

    return run
