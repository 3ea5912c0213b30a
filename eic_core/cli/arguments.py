"""Options that several commands share, and what they name."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from eic_core.cli.command_table import FORMULA, OptionGroup, OptionRow
from eic_core.effort import EFFORTS
from eic_core.errors import DataError
from eic_core.formula.syntax import EXPONENTS, SYNTAXES
from eic_core.measure.table import Table, read_table
from eic_core.samples import DEFAULT_SAMPLES


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


def effort(text: str) -> float:
    """An effort by its name, or as a multiple of the normal one.

    >>> effort("quick"), effort("2")
    (0.25, 2.0)
    """
    value = EFFORTS.get(text) or float(text)
    if not value > 0:
        raise ValueError
    return value


FORMULA_ARGUMENT = OptionRow("formula", FORMULA, "in any notation; `-` reads it from the input")
TABLE = OptionRow("--data", "FILE.csv", "a table with a header")
RANGES = OptionRow(
    "--range",
    "NAME=LOW:HIGH",
    "x=0.1:10, x=normal:1000:1, x=loguniform:1e-3:1e3 or x=2.5",
    default=[],
    count="+",
)
SAMPLES = OptionRow("--samples", "N", "as in 1e5", default=DEFAULT_SAMPLES, kind=whole_number)
SEED = OptionRow("--seed", "S", default=0)
SYNTAX = OptionRow("--syntax", "NAME", ", ".join(SYNTAXES), default="auto", words=SYNTAXES)
EXPONENTS_OPTION = OptionRow(
    "--exponents",
    help="exact: a literal exponent n or n/2 has no noise of its own; noisy: 2 and 3 alone have "
    "none",
    default=EXPONENTS[0],
    choices=EXPONENTS,
)
INDEX_BASE = OptionRow(
    "--index-base", help="whether x1 is the second or first column", kind=int, choices=(0, 1)
)
TARGET = OptionRow("--target", "COLUMN", "default: the last column")
HOLDOUT = OptionRow(
    "--holdout", "FILE.csv", "a table of the same columns that nobody has fitted anything to"
)
JSON = OptionRow("--json", help="print JSON")
STRICT = OptionRow(
    "--strict",
    help="exit with status 2 if anything was left out, after the result is printed",
)
EFFORT = OptionRow(
    "--effort",
    "|".join(EFFORTS),
    "how much work what is dear may take, or a multiple of the normal one; inf lets it come to its "
    "end",
    default="normal",
    kind=effort,
    words=EFFORTS,
)
LIMITS = (
    EFFORT,
    OptionRow(
        "--seconds",
        "S",
        "stop that search after S seconds, and say what was left out; default: never",
        default=math.inf,
    ),
)
"""How much work a search for better forms may take, and when a clock stops it."""

SOURCE = (
    FORMULA_ARGUMENT,
    OptionGroup((TABLE, RANGES), one_of=True),
    SAMPLES,
    SEED,
    SYNTAX,
    EXPONENTS_OPTION,
)
INPUT = (*SOURCE, OptionRow("--target", "COLUMN", "column that is no input"), INDEX_BASE, JSON)
"""Of all commands on one formula."""


def read_data(path: Path) -> Table:
    """The table of a command; columns renamed or assumed are noted on standard error."""
    table = read_table(path)
    for note in table.notes:
        print(f"note: {path.name}: {note}", file=sys.stderr)
    return table


def target_column(table: Table, name: str | None) -> str:
    """The column of this name, or the last one; DataError where there is none."""
    target = table.column(name or table.names[-1])
    if target is None:
        listed = ", ".join(f"`{each}`" for each in table.names)
        raise DataError(f"the table has no column `{name}`", hint=f"it has {listed}")
    return target
