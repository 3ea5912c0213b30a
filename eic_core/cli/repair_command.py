"""`python -m eic_core repair FORMULA`: what to write instead."""

from __future__ import annotations

import argparse
import json
import math
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
from eic_core.rewriting import Measured, ObservedError, Repair, Repairs, repair
from eic_core.rewriting.precision import TARGETS


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
    """The repairs for a terminal; first of all, whether something is missing."""
    lines = [str(repairs.sentence)]
    if not repairs.finished:
        lines = ["NOT FINISHED: --seconds inf lets the search come to its end.", *lines]
    if repairs.before is None:
        return "\n".join(lines)
    lines += [
        "",
        f"own sensitivity {wording.number(repairs.own)} digits; {repairs.measured_rows} rows "
        "measured, "
        f"{repairs.evaluated} forms looked at"
        + ("" if repairs.finished else " before the time limit"),
        "digits of sensitivity: q, the result with shared noise; EIC, the worst step; digits "
        "lost: float64 and float32, measured",
        "",
        "       q   EIC  nodes  float64  float32",
        f"{_row(repairs.before)}  as written",
    ]
    singular = repairs.before.amplification.singular
    if singular or math.isinf(repairs.before.amplification.eic):
        lines.insert(
            -3,
            "as written, q leaves out "
            f"{wording.count(singular, 'row')} at which the result is infinitely sensitive, and "
            "EIC those at which a step is",
        )
    for form in repairs.repairs:
        lines.append(f"{_row(form.after)}  {form.text}")
        lines.append(f"{'':>34}  {_rule_line(form)}")
    return "\n".join(lines)


def _rule_line(form: Repair) -> str:
    checked = form.verification
    parts = [
        ", then ".join(form.rules),
        f"equal to 1e-{checked.agreement} at {checked.rows} rows",
    ]
    if form.assumptions:
        parts.append("needs " + ", ".join(form.assumptions))
    return "; ".join(parts)


def _row(measured: Measured) -> str:
    return (
        f"{wording.number(measured.q):>8} {wording.number(measured.eic):>5} "
        f"{measured.complexity:>6} "
        f"{_observed_digits(measured.float64):>8} {_observed_digits(measured.float32):>8}"
    )


def _observed_digits(error: ObservedError) -> str:
    return f"{error.failed} fail" if error.failed else wording.number(error.digits_lost)
