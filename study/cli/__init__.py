"""The command line: `python -m study pairs` and `report`."""

from study.cli.main import main

__all__ = ["main"]
