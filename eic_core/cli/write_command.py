"""`python -m eic_core write FORMULA --as LANGUAGE`: the same formula in another language."""

from __future__ import annotations

import sys
from typing import Any

from eic_core.cli.arguments import EXPONENTS_OPTION, FORMULA_ARGUMENT, JSON, SYNTAX
from eic_core.cli.command_table import Command, OptionRow, Options, show
from eic_core.formula.copying import COPIED, Copied, copied
from eic_core.formula.syntax import read
from eic_core.formula.syntax.languages import notation_called


def run(options: Options) -> None:
    reading = read(
        options.formula,
        syntax=notation_called(options.syntax),
        columns=[name for name in map(str.strip, options.variables.split(",")) if name],
        exponents=options.exponents,
    )
    copy = copied(reading.formula, options.language)
    if any(node.operator == "constant" and node.label == "e" for node in reading.formula.nodes):
        print(
            "note: `e` is Euler's number; if it is a variable, add `--variables e`",
            file=sys.stderr,
        )
    show(options, lambda: copy.program.split("\n"), lambda: copy_document(copy))
    if not options.json:
        for note in copy.notes:
            print(note, file=sys.stderr)


def copy_document(copy: Copied) -> dict[str, Any]:
    return {
        "text": copy.text,
        "language": copy.language,
        "same": copy.same,
        "defined": list(copy.defined),
        "renamed": dict(copy.renamed),
        "notes": list(copy.notes),
        "helpers": list(copy.helpers),
    }


COMMAND = Command(
    "write",
    "the formula as text of another language",
    (
        FORMULA_ARGUMENT,
        OptionRow(
            "--as",
            help="the language",
            choices=COPIED,
            required=True,
            settings={"dest": "language"},
        ),
        SYNTAX,
        OptionRow(
            "--variables",
            "NAME[,NAME ...]",
            "names that are variables whatever else they mean, e,pi: columns of the table for "
            "which `repair` printed the formula; others of the table do no harm",
            default="",
        ),
        EXPONENTS_OPTION,
        JSON,
    ),
    run,
    "Write a formula as text of another language. What the language lacks keeps its digits: a "
    "definition is printed before the formula, or a longer form stands in it. The text is read "
    "back, and standard error says what stands for what.",
)
