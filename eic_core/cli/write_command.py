"""`python -m eic_core write FORMULA --as LANGUAGE`: the same formula in another language."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from eic_core.cli.arguments import add_exponents_argument
from eic_core.cli.exits import write_out
from eic_core.exports import json_text
from eic_core.formula.copying import COPIED, copied
from eic_core.formula.syntax import SYNTAXES, read
from eic_core.formula.syntax.languages import notation_called


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "write",
        help="the formula as text of another language",
        description="Write a formula as text of another language. What the language lacks keeps "
        "its digits: a definition is printed before the formula, or a longer form stands in it. "
        "The text is read back, and standard error says what stands for what.",
    )
    parser.add_argument("formula", metavar="FORMULA", help="in any notation that is read")
    parser.add_argument(
        "--as", dest="language", choices=tuple(COPIED), required=True, help="the language"
    )
    parser.add_argument("--syntax", metavar="NAME", default="auto", help=", ".join(SYNTAXES))
    parser.add_argument(
        "--variables",
        metavar="NAME[,NAME ...]",
        default="",
        help="names that are variables whatever else they mean, e,pi: columns of the table for "
        "which `repair` printed the formula; others of the table do no harm",
    )
    add_exponents_argument(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    reading = read(
        options.formula,
        syntax=notation_called(options.syntax),
        columns=[name for name in map(str.strip, options.variables.split(",")) if name],
        exponents=options.exponents,
    )
    copy = copied(reading.formula, options.language)
    if options.json:
        document = {
            "text": copy.text,
            "language": copy.language,
            "same": copy.same,
            "defined": list(copy.defined),
            "renamed": dict(copy.renamed),
            "notes": list(copy.notes),
            "helpers": list(copy.helpers),
        }
        write_out(json_text(document, indent=None), None)
        return
    print(*copy.program.split("\n"), sep="\n")
    for note in copy.notes:
        print(note, file=sys.stderr)
