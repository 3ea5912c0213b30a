"""The command line, which imports only the command that is named."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from importlib import import_module

from eic_core.cli.command_table import Command, OptionRow, Options, parser_of, protect_formula
from eic_core.cli.completion import SHELLS
from eic_core.cli.exits import exit_status, write_out
from eic_core.errors import UserError

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
    "completion",
)
"""Each in a module of its own: no command waits for the imports of another."""

PROGRAM = "eic"
"""The script of an installation."""


def build_parser(
    names: Sequence[str] = COMMANDS, program: str = PROGRAM
) -> argparse.ArgumentParser:
    """The parser of these commands; its help calls the program `program`."""
    description = "Where does a formula lose its digits? The Effective Information Criterion."
    return parser_of(program, description, map(command_of, names), [VERSION])


def command_of(name: str) -> Command:
    """The row of a command, and with it what that imports."""
    if name == COMPLETION.name:
        return COMPLETION
    command: Command = import_module(f"eic_core.cli.{name}_command").COMMAND
    return command


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from eic_core import __version__
        from eic_core.engine.native.library import library

        engine = "NumPy" if library() is None else "compiled"
        print(f"EIC Lab {__version__}, engine: {engine}")
        parser.exit()


VERSION = OptionRow(
    "--version",
    help="print the version and what the engine runs on",
    settings={"action": _Version, "nargs": 0, "default": None},
)


def _complete(options: Options) -> None:
    write_out(SHELLS[options.shell]([*map(command_of, COMMANDS)]), None)


COMPLETION = Command(
    "completion",
    "what makes a shell complete commands, options and values",
    (OptionRow("shell", help="it sources what is printed", choices=SHELLS),),
    _complete,
    "Print a script for a shell: source <(eic completion bash), the same for zsh, or eic "
    "completion fish | source.",
)


def main(argv: Sequence[str] | None = None, *, program: str = PROGRAM) -> int:
    """Run a command: 0, 2 after a mistake of the user's, 130 after Ctrl-C; 1 from `check` alone."""
    if argv is None and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Ctrl-C while modules load ends the program without a traceback; later a command decides
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    options = parse(sys.argv[1:] if argv is None else argv, program)
    if argv is None and signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return exit_status(lambda: run(options))


def parse(arguments: Sequence[str], program: str = PROGRAM) -> Options:
    """The options of a command line; SystemExit after a mistake and after `--help`."""
    name, rest = "".join(arguments[:1]), arguments[1:]
    if name not in COMMANDS:
        return build_parser(program=program).parse_args(arguments)
    words = [name, *protect_formula(command_of(name), rest)]
    return build_parser([name], program).parse_args(words)


def run(options: Options) -> int | None:
    """Run what was parsed; the formula `-` is what stands in the input."""
    if getattr(options, "formula", None) == "-":
        try:
            options.formula = sys.stdin.read()
        except UnicodeDecodeError as error:
            raise UserError("the input is no text", hint="write it in UTF-8") from error
    status: int | None = options.run(options)
    return status
