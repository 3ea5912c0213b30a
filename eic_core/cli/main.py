"""The command line, which imports only the command that is named."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from eic_core.cli.exits import Parser, exit_status

COMMANDS = (
    "inspect",
    "repair",
    "report",
    "check",
    "score",
    "pick",
    "card",
    "search",
    "gap",
    "generate",
    "distances",
    "write",
)
"""Each in a module of its own: no command waits for the imports of another."""

TAKE_A_FORMULA = ("inspect", "repair", "report", "card", "write")
"""Commands whose first argument may begin with a minus."""

PROGRAM = "eic"
"""The script of an installation."""


def build_parser(
    names: Sequence[str] = COMMANDS, program: str = PROGRAM
) -> argparse.ArgumentParser:
    """The parser of these commands; its help calls the program `program`."""
    parser = Parser(
        prog=program,
        description="Where does a formula lose its digits? The Effective Information Criterion.",
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="print the version and what the engine runs on"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in names:
        import_module(f"eic_core.cli.{name}_command").add_parser(commands)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from eic_core import __version__
        from eic_core.engine.native.library import library

        engine = "NumPy" if library() is None else "compiled"
        print(f"EIC Lab {__version__}, engine: {engine}")
        parser.exit()


def main(argv: Sequence[str] | None = None, *, program: str = PROGRAM) -> int:
    """Run a command: 0, 2 after a mistake of the user's, 130 after Ctrl-C; 1 from `check` alone."""
    if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C while modules load ends the program without a traceback; later a command decides
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    options = parse(sys.argv[1:] if argv is None else argv, program)
    if argv is None and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return exit_status(lambda: options.run(options))


def parse(arguments: Sequence[str], program: str = PROGRAM) -> argparse.Namespace:
    """The options of a command line; SystemExit after a mistake and after `--help`."""
    command = [name for name in COMMANDS if [*arguments[:1]] == [name]]
    if command and command[0] in TAKE_A_FORMULA:
        from eic_core.cli.inspect_command import protect_formula

        arguments = protect_formula(arguments)
    return build_parser(command or COMMANDS, program).parse_args(arguments)
