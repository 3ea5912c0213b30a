"""The command line: `python -m eic_core inspect` and `score`."""

from eic_core.cli.main import main

__all__ = ["main"]
