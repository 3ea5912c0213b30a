"""The command line: `eic inspect`, `search` and the others; also `python -m eic_core`."""

from eic_core.cli.main import main

__all__ = ["main"]
