"""Argument parsing and exit codes; the commands themselves live beside this file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from eic_core.cli.exits import exit_status
from study.cli import pairs_command, plan_command, report_command


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="python -m study",
        description="Matched pairs of formulas, plans of studies, and reports of closed ones.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    pairs_command.add_parser(commands)
    plan_command.add_parser(commands)
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
    return exit_status(lambda: options.run(options))
