"""The table of commands: a row a command, in it a row an option.

The parser, the place of a formula among the words of a line and the completion of shells are read
from it.  Rows stand beside what they run, in `eic_core/cli/*_command.py`, `study/cli.py` and
`db/commands.py`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eic_core.cli.exits import Parser, write_out
from eic_core.exports import json_text, plain_value

Options = argparse.Namespace
"""What a command line says, by the names of its options."""

FORMULA = "FORMULA"
"""The argument, or the value of an option, that may begin with a minus."""

_PATHS = ("FILE", "DIR", "CSV", ".csv", ".json", ".html")
_RANGE = re.compile(r"[^=\s]+=\s*(\w+:)?[-+.\w]+(:[-+.\w]+)?")


@dataclass(frozen=True)
class OptionRow:
    """A row of a command: an option `--name`, or without dashes an argument.

    Attributes
    ----------
    name
        As it is written on the line.
    value
        What a help calls its value; FILE, DIR and FILE.csv are read as paths. Without a value, and
        without choices, an option is a switch.
    help
        A plain sentence; the default is said behind it, unless it says "default" itself.
    default
        Its type is that of the value, where `kind` is None.
    kind
        Reads the value; a ValueError refuses it.
    choices
        All values that there are.
    required
        Whether a line without it is refused.
    count
        How many values: one, `?`, `+`; an option with `+` may be repeated.
    words
        Values that a shell offers; there are others.
    settings
        What else argparse takes.
    """

    name: str
    value: str = ""
    help: str = ""
    default: Any = None
    kind: Callable[[str], Any] | None = None
    choices: Collection[Any] = ()
    required: bool = False
    count: str | None = None
    words: Collection[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_argument(self) -> bool:
        return not self.name.startswith("-")

    @property
    def is_switch(self) -> bool:
        return not (self.is_argument or self.value or self.choices)

    @property
    def is_path(self) -> bool:
        return self.kind is None and self.value.endswith(_PATHS)

    def add_to(self, parser: Any) -> None:
        settings: dict[str, Any] = {"help": self._help, "default": self.default}
        if self.is_switch:
            settings |= {"action": "store_true", "default": False}
        else:
            kind = type(self.default) if isinstance(self.default, int | float) else None
            settings["type"] = self.kind or (Path if self.is_path else kind)
            settings |= {"nargs": self.count, "choices": self.choices or None}
            settings["metavar"] = self.value or None
        if self.count == "+" and not self.is_argument:
            settings["action"] = "extend"
        if self.required:
            settings["required"] = True
        parser.add_argument(self.name, **{**settings, **self.settings})

    @property
    def _help(self) -> str:
        default = f"{self.default:g}" if isinstance(self.default, float) else self.default
        parts = [self.help] * bool(self.help)
        if default not in (None, "", []) and "default" not in self.help:
            parts.append(f"default: {default}")
        return "; ".join(parts).replace("%", "%%")


@dataclass(frozen=True)
class OptionGroup:
    """Options below a title, or of which a line has one at most."""

    rows: tuple[OptionRow | OptionGroup, ...]
    title: str = ""
    one_of: bool = False

    def add_to(self, parser: Any) -> None:
        if self.title:
            parser = parser.add_argument_group(self.title)
        if self.one_of:
            parser = parser.add_mutually_exclusive_group()
        for row in self.rows:
            row.add_to(parser)


@dataclass(frozen=True)
class Command:
    """A row of the table: what stands in a help, the options, what runs.

    `run` is given the parsed options; it returns an exit status, or None for 0.
    """

    name: str
    help: str
    rows: tuple[OptionRow | OptionGroup, ...]
    run: Callable[[Options], int | None]
    description: str | None = None
    epilog: str | None = None

    @property
    def options(self) -> list[OptionRow]:
        return [*_flat(self.rows)]

    def add_to(self, commands: Any) -> None:
        parser = commands.add_parser(
            self.name,
            help=self.help.replace("%", "%%"),
            description=self.description,
            epilog=self.epilog,
        )
        OptionGroup(self.rows).add_to(parser)
        parser.set_defaults(run=self.run)


def _flat(rows: Iterable[OptionRow | OptionGroup]) -> Iterator[OptionRow]:
    for row in rows:
        yield from _flat(row.rows) if isinstance(row, OptionGroup) else (row,)


def parser_of(
    program: str, description: str, commands: Iterable[Command], rows: Sequence[OptionRow] = ()
) -> argparse.ArgumentParser:
    """The parser of a program: its commands, and the options before them."""
    parser = Parser(prog=program, description=description)
    OptionGroup(tuple(rows)).add_to(parser)
    below = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands:
        command.add_to(below)
    return parser


def protect_formula(command: Command, arguments: Sequence[str]) -> list[str]:
    """Move the formula behind ``--``, so that it may begin with a minus.

    >>> rows = OptionRow("formula", FORMULA), OptionRow("--beside", FORMULA), OptionRow("--json")
    >>> rows += (OptionRow("--range", "NAME=LOW:HIGH", count="+"),)
    >>> command = Command("card", "", rows, lambda options: None)
    >>> protect_formula(command, ["-x**2", "--range", "x=1:2", "--json"])
    ['--range', 'x=1:2', '--json', '--', '-x**2']
    >>> protect_formula(command, ["-x", "--beside", "-y"])
    ['--beside=-y', '--', '-x']
    """
    # argparse takes a word with a minus for an option wherever it stands before `--`
    places = [option.value for option in command.options if option.is_argument]
    if "--" in arguments or places != [FORMULA]:
        return list(arguments)
    valued = {row.name: row for row in command.options if not (row.is_argument or row.is_switch)}
    switches = {"-h", "--help", *(row.name for row in command.options if row.is_switch)}
    options: list[str] = []
    formulas: list[str] = []
    rest = list(arguments)
    while rest:
        token = rest.pop(0)
        if token in valued:
            option, values, rest = valued[token], rest[:1], rest[1:]
            while option.count == "+" and rest and _RANGE.fullmatch(rest[0]):
                values.append(rest.pop(0))  # a formula may follow
            joined = option.value == FORMULA and values
            options += ["=".join([token, *values])] if joined else [token, *values]
        elif token in switches or ("=" in token and token.partition("=")[0] in valued):
            options.append(token)
        elif token.startswith("--") and len(token) > 3 and token[2].isalpha() and not formulas:
            options.append(token)  # a misspelt option: argparse says so
        else:
            formulas.append(token)
    return [*options, "--", *formulas] if formulas else options


def show(
    options: Options,
    lines: Callable[[], Iterable[str]],
    document: Callable[[], Any],
) -> None:
    """Print an answer: its lines, or with `--json` its document."""
    if options.json:
        write_out(json_text(plain_value(document()), indent=None), None)
    else:
        for line in lines():
            print(line)
