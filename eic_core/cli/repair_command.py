"""`python -m eic_core repair FORMULA`: what to write instead."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from eic_core import wording
from eic_core.cli.inspect_command import (
    add_input_arguments,
    add_seconds_argument,
    read_input,
    reading_document,
    reading_lines,
)
from eic_core.errors import UserError
from eic_core.rewriting import Repair, Repairs, repair
from eic_core.rewriting.precision import TARGETS

WIDTH = 80
"""Columns of a terminal."""


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "repair",
        help="equivalent forms that lose fewer digits",
        description="Search for equivalent forms that lose fewer digits, verified on the data.",
        conflict_handler="resolve",  # `--target` has a second meaning
    )
    add_input_arguments(parser)
    add_seconds_argument(parser)
    parser.add_argument(
        "--target",
        metavar="|".join([*TARGETS, "COLUMN"]),
        action=_TargetAction,
        help="the precision of the program, which decides what is offered (default: float64), or "
        "the column that is no input; may be given twice",
    )
    parser.set_defaults(run=run, precision="float64")


class _TargetAction(argparse.Action):
    """Put a precision into `precision`, and anything else, a column, into `target`."""

    def __call__(self, parser: Any, options: Any, value: Any, *_: Any) -> None:
        setattr(options, "precision" if value in TARGETS else "target", value)


def run(options: argparse.Namespace) -> None:
    if options.target is not None and options.data is None:
        raise UserError(
            f"`--target {options.target}` is no precision, and without a table no column",
            hint=f"give {' or '.join(TARGETS)}",
        )
    reading, samples, _ = read_input(options)
    if not options.seconds > 0:
        raise UserError(
            f"the search cannot take {options.seconds:g} seconds", hint="give more than 0"
        )
    repairs = repair(
        reading.formula, samples, target=options.precision, limit_seconds=options.seconds
    )
    if options.json:
        document = repairs.to_json() | {"reading": reading_document(reading)}
        print(json.dumps(document, allow_nan=False))
    else:
        print("\n".join([describe(repairs), *reading_lines(reading)]))


def describe(repairs: Repairs) -> str:
    """The repairs for a terminal of 80 columns; first of all, whether something is missing."""
    lines = [str(repairs.sentence), *map(str, [repairs.advice] if repairs.advice else [])]
    if not repairs.finished:
        lines = ["NOT FINISHED: --seconds inf lets the search come to its end.", *lines]
    if repairs.before is None:
        return "\n".join(lines)
    lines += ["", *_table(repairs)]
    if repairs.best is not None:
        lines += ["", *_derivation(repairs.best)]
    searched = wording.count(repairs.evaluated, "form") + " looked at"
    lines += [
        "",
        f"own sensitivity {wording.number(repairs.own)} digits; {repairs.measured_rows} rows "
        f"measured, {searched}" + ("" if repairs.finished else " before the time limit"),
    ]
    return "\n".join(lines)


def _table(repairs: Repairs) -> list[str]:
    """The formula as written, the best form, then the others that no cheaper one matches."""
    lines = [
        f"{'digits lost':>21}{'ns a call':>14}",
        f"{'mean':>5}{'9 in 10':>9}{'worst':>7}{'NumPy':>8}{'C':>6}",
    ]
    for form in repairs.forms:
        digits, cost = form.digits, form.nanoseconds
        numbers = (
            f"{wording.number(digits.mean, 1):>5}{wording.number(digits.nine_in_ten, 1):>9}"
            f"{wording.number(digits.worst, 1):>7}"
            f"{wording.significant(cost.numpy, 2):>8}{wording.significant(cost.c, 2):>6}  "
        )
        lines += _hanging(numbers, "as written" if form.is_original else form.text)
    return lines


def _derivation(best: Repair) -> list[str]:
    checked = best.verification
    lines = ["How it follows, with the mean digits lost after each step:"]
    for step in best.steps:
        digits = f"{wording.number(step.digits, 1):>5}  "
        parts = [f"{step.rule}: {step.before}", f"→ {step.after}"]
        if len(digits) + len(" ".join(parts)) <= WIDTH:
            parts = [" ".join(parts)]
        lines += _hanging(digits, parts[0])
        lines += [line for part in parts[1:] for line in _hanging(" " * 7, part)]
    needs = "".join(f", {text}" for text in best.assumptions)[2:]
    checks = f"equal to 1e-{checked.agreement} at {wording.count(checked.rows, 'row')}"
    lines += _hanging(" " * 7, f"{checks}; needs {needs}" if needs else checks)
    return lines


def _hanging(first: str, text: str) -> list[str]:
    """Text beside a first column, in lines of the terminal's width."""
    rest = " " * len(first)
    whole = textwrap.fill(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return whole.splitlines()
