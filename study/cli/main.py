"""Argument parsing and exit codes; the commands themselves live beside this file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from eic_core.errors import DataError, UserError
from study.cli import pairs_command, report_command

EXIT_OK, EXIT_USER = 0, 2
_SHOWN = 20


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="python -m study",
        description="Matched pairs of formulas, and reports of closed studies.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    pairs_command.add_parser(commands)
    report_command.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns
    -------
    int
        0, or 2 for a mistake of the user's, told in one message on standard error.
    """
    options = build_parser().parse_args(argv)
    try:
        options.run(options)
        sys.stdout.flush()
    except UserError as error:
        lines = error.problems if isinstance(error, DataError) else ()
        shown = "".join(f"\n  {line}" for line in lines[:_SHOWN])
        print(f"error: {error}{shown}", file=sys.stderr)
        return EXIT_USER
    except BrokenPipeError:
        # The reader went away; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_OK
