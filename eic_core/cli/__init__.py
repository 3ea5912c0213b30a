"""The command line: `python -m eic_core inspect`, `repair`, `report` and `score`."""

from eic_core.cli.main import main

__all__ = ["main"]
