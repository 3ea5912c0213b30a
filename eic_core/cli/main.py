"""Argument parsing and exit codes; the commands themselves live beside this file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from eic_core.cli import inspect_command, repair_command, report_command, score_command
from eic_core.cli.exits import exit_status


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="python -m eic_core",
        description="Where does a formula lose its digits? The Effective Information Criterion.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    inspect_command.add_parser(commands)
    repair_command.add_parser(commands)
    report_command.add_parser(commands)
    score_command.add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns
    -------
    int
        0, or 2 for a mistake of the user's, told in one message on standard error.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in ("inspect", "repair", "report"):
        arguments = inspect_command.protect_formula(arguments)
    options = build_parser().parse_args(arguments)
    return exit_status(lambda: options.run(options))
