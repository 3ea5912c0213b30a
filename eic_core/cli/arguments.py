"""Arguments that several commands share: counts and tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from eic_core.formula.syntax import EXPONENTS
from eic_core.measure.table import Table, read_table


def whole_number(text: str) -> int:
    """A count, which may be written as 1e6.

    >>> whole_number("1e6"), whole_number("250")
    (1000000, 250)
    """
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not (0 <= value <= 1e12) or value != int(value):
        raise argparse.ArgumentTypeError(f"{text} is no count")
    return int(value)


def add_exponents_argument(parser: argparse.ArgumentParser) -> None:
    """The option of every command that reads formulas."""
    parser.add_argument(
        "--exponents",
        choices=EXPONENTS,
        default=EXPONENTS[0],
        help="noisy: literal exponents but 2 and 3 are operands with noise of their own, as in "
        "the paper's program nd2py; exact: they are parts of their operators; default: "
        "%(default)s",
    )


def add_strict_argument(parser: argparse.ArgumentParser) -> None:
    """The option of commands that leave rows out."""
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit with status 2 if anything was left out, after the result is printed",
    )


def read_data(path: Path) -> Table:
    """The table of a command; columns renamed or assumed are noted on standard error."""
    table = read_table(path)
    for note in table.notes:
        print(f"note: {path.name}: {note}", file=sys.stderr)
    return table
