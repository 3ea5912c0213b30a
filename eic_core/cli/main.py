"""Argument parsing and exit codes; the commands themselves live beside this file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from eic_core.cli import inspect_command, score_command
from eic_core.errors import DataError, FormulaError, UserError

EXIT_OK, EXIT_USER = 0, 2


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="python -m eic_core",
        description="Where does a formula lose its digits? The Effective Information Criterion.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    inspect_command.add_parser(commands)
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
    if arguments and arguments[0] == "inspect":
        arguments = inspect_command.protect_formula(arguments)
    options = build_parser().parse_args(arguments)
    try:
        options.run(options)
    except FormulaError as error:
        print(f"error: {error}\n{error.caret()}", file=sys.stderr)
        return EXIT_USER
    except DataError as error:
        shown = "".join(f"\n  {line}" for line in error.problems[:20])
        more = len(error.problems) - 20
        print(f"error: {error}{shown}" + (f"\n  and {more} more" if more > 0 else ""),
              file=sys.stderr)
        return EXIT_USER
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USER
    except BrokenPipeError:
        # The reader went away; keep Python from complaining about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_OK
