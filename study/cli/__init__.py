"""The command line: `python -m study pairs`, `plan` and `report`."""

from study.cli.main import main

__all__ = ["main"]
