"""The command line: `eic inspect`, `repair`, `report` and `score`; also `python -m eic_core`."""

from eic_core.cli.main import main

__all__ = ["main"]
