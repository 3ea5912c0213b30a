"""`python -m eic_core inspect FORMULA`: where one formula loses its digits."""

from __future__ import annotations

import argparse
import math
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import add_exponents_argument, read_data
from eic_core.cli.exits import write_out
from eic_core.effort import EFFORTS
from eic_core.errors import DataError
from eic_core.explain.digit_rows import DigitRows, digit_rows
from eic_core.explain.findings import findings_document
from eic_core.explain.phrases.headline import badge, eic_line, marks
from eic_core.explain.settling import Spread, spread_of
from eic_core.explain.verdict import Verdict, verdict
from eic_core.exports import json_text
from eic_core.formula.syntax import SYNTAXES, Reading, canonical_name, read
from eic_core.formula.syntax.languages import notation_called
from eic_core.measure import Domain, Inspection, Samples, inspect
from eic_core.measure.measured import Quantiles
from eic_core.measure.row_source import NoRange, RowSource
from eic_core.samples import DEFAULT_SAMPLES

_SWITCHES = (
    "--json",
    "--help",
    "-h",
    "--no-repair",
    "--no-branches",
    "--no-series",
    "--no-triangulation",
    "--no-budget",
)
_WITH_VALUE = (
    "--data",
    "--samples",
    "--seed",
    "--syntax",
    "--exponents",
    "--target",
    "--index-base",
    "--out",
    "--tolerance",
    "--seconds",
    "--effort",
    "--beside",
    "--holdout",
    "--as",
    "--variables",
)
_RANGE = re.compile(r"[^=\s]+=\s*(\w+:)?[-+.\w]+(:[-+.\w]+)?")


def add_parser(commands: Any) -> None:
    parser = commands.add_parser(
        "inspect",
        help="where one formula loses its digits",
        description="Measure where one formula loses its digits, on a table or on ranges.",
    )
    add_input_arguments(parser)
    add_effort_argument(parser)
    parser.set_defaults(run=run)


def add_effort_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--effort",
        metavar="|".join(EFFORTS),
        type=effort,
        default="normal",
        help="how much work what is dear may take, or a multiple of the normal one; inf lets it "
        "come to its end; default: %(default)s",
    )


def effort(text: str) -> float:
    """An effort by its name, or as a multiple of the normal one.

    >>> effort("quick"), effort("2")
    (0.25, 2.0)
    """
    value = EFFORTS.get(text) or float(text)
    if not value > 0:
        raise ValueError
    return value


def add_input_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of all commands on one formula."""
    parser.add_argument("formula", metavar="FORMULA", help="in any notation that is read")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--data", metavar="FILE.csv", type=Path, help="a table with a header")
    source.add_argument(
        "--range",
        metavar="NAME=LOW:HIGH",
        nargs="+",
        action="extend",
        default=[],
        help="x=0.1:10, x=normal:1000:1, x=loguniform:1e-3:1e3 or x=2.5",
    )
    parser.add_argument(
        "--samples", metavar="N", type=int, default=DEFAULT_SAMPLES, help="default: %(default)s"
    )
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--syntax", metavar="NAME", default="auto", help=", ".join(SYNTAXES))
    add_exponents_argument(parser)
    parser.add_argument("--target", metavar="COLUMN", help="column that is no input")
    parser.add_argument(
        "--index-base", type=int, choices=(0, 1), help="whether x1 is the second or first column"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def protect_formula(arguments: Sequence[str]) -> list[str]:
    """Move the formula behind ``--``, so that it may begin with a minus.

    >>> protect_formula(["inspect", "-x**2", "--range", "x=1:2", "--json"])
    ['inspect', '--range', 'x=1:2', '--json', '--', '-x**2']
    >>> protect_formula(["card", "-x", "--beside", "-y"])
    ['card', '--beside=-y', '--', '-x']
    """
    # argparse takes a word with a minus for an option wherever it stands before `--`
    if "--" in arguments:
        return list(arguments)
    options: list[str] = [arguments[0]]
    formulas: list[str] = []
    rest = list(arguments[1:])
    while rest:
        token = rest.pop(0)
        if token in _SWITCHES or token.split("=")[0] in (*_WITH_VALUE, "--range") and "=" in token:
            options.append(token)
        elif token in _WITH_VALUE:
            options += ["=".join([token, *rest[:1]])] if token == "--beside" else [token, *rest[:1]]
            rest = rest[1:]
        elif token == "--range":  # takes any number of ranges, and a formula may follow them
            options += [token, *rest[:1]]
            rest = rest[1:]
            while rest and _RANGE.fullmatch(rest[0]):
                options.append(rest.pop(0))
        elif token.startswith("--") and len(token) > 3 and token[2].isalpha() and not formulas:
            options.append(token)  # a misspelt option: argparse says so
        else:
            formulas.append(token)
    return [*options, "--", *formulas] if formulas else options


def run(options: argparse.Namespace) -> None:
    reading, samples, mapping = read_input(options)
    result = inspect(
        reading.formula,
        samples,
        effort=options.effort,
        progress=_Patience(sys.stderr.isatty()),
    )
    if options.json:
        document = result.to_json()
        document["variables"] = mapping
        document["reading"] = reading_document(reading)
        document["data"] = samples.origin
        judged = verdict(result)
        document["verdict"] = judged.to_json()
        document["findings"] = findings_document(judged.findings)
        document["digits"] = digits_document(digit_rows(result))
        write_out(json_text(document, indent=None), None)
    else:
        print(*describe(result, reading, mapping), sep="\n")


class _Patience:
    """After a second, a line on a terminal that says how far the exact check is."""

    def __init__(self, terminal: bool) -> None:
        self.terminal, self.started, self.waits = terminal, time.monotonic(), False

    def __call__(self, share: float) -> None:
        if not self.terminal:
            return
        end = "\n" if share >= 1 else "\r"
        self.waits |= share < 1 and time.monotonic() - self.started > 1
        if self.waits:
            print(f"{100 * share:3.0f} % of the samples", end=end, file=sys.stderr, flush=True)


def read_input(options: argparse.Namespace) -> tuple[Reading, Samples, dict[str, str]]:
    """The formula, its samples, and the column or range of each variable."""
    table = None if options.data is None else read_data(options.data)
    source = RowSource(
        _parse_ranges(options.range),
        table,
        options.target,
        options.index_base,
        options.samples,
        options.seed,
    )
    reading = read(
        options.formula,
        syntax=notation_called(options.syntax),
        columns=source.columns,
        exponents=options.exponents,
    )
    try:
        samples, mapping = source.rows(reading)
    except NoRange as error:
        ranges = " ".join(["--range", *[f"{name}=1:5" for name in error.missing[:3]]])
        other = next(iter(reading.alternatives), None)
        offer = f"; for {other.label} write `{other.text}`" if other is not None else ""
        hint = f"give each a range, as in `{ranges}`, or a table with `--data`{offer}"
        raise NoRange(error.missing, error.names, hint) from error
    if table is not None and len(samples) < table.rows:
        left_out = table.rows - len(samples)
        problems = [str(p) for p in table.problems if p.column in mapping.values()][:5]
        print(
            f"note: {left_out} of {table.rows} rows left out: " + "; ".join(problems),
            file=sys.stderr,
        )
    return reading, samples, mapping


def _parse_ranges(texts: Sequence[str]) -> dict[str, Domain]:
    domains: dict[str, Domain] = {}
    for text in texts:
        name, domain = Domain.parse(text)
        name = canonical_name(name)
        if name in domains:
            raise DataError(f"there are two ranges for `{name}`")
        domains[name] = domain
    return domains


def reading_document(reading: Reading) -> dict[str, Any]:
    return {
        "syntax": reading.syntax,
        "index_base": reading.index_base,
        "notes": [note.message for note in reading.notes],
        "alternatives": [
            {"label": other.label, "text": other.text} for other in reading.alternatives
        ],
    }


def reading_lines(reading: Reading) -> list[str]:
    """The decisions in reading a formula, and the other readings, a line each."""
    notes = [f"note         {note.message}" for note in reading.notes]
    return notes + [
        f"or           {other.label}: write {wording.shorten(other.text, 200)}"
        for other in reading.alternatives
    ]


def describe(result: Inspection, reading: Reading, mapping: dict[str, str]) -> list[str]:
    """The inspection for a terminal; `mapping` names the column or range of each variable."""
    counts = result.counts
    lines = verdict_lines(verdict(result)) + digit_lines(digit_rows(result))
    if math.isfinite(result.eic):
        lines.append(f"noise figure {_digits(result.noise_figure_db)} dB")
    lines.append(f"complexity   {result.formula.complexity} nodes")
    if result.formula.exponents != "exact":
        lines.append(f"exponents    {result.formula.exponents}, but for 2 and 3")
    lines.append(
        f"samples      {counts.total}: {counts.valid} valid, {counts.invalid} invalid, "
        f"{counts.singular} singular, {counts.rechecked} rechecked exactly, "
        f"{counts.unresolved} unresolved"
    )
    spread = spread_of(result)
    if spread is not None:
        lines.append(f"tail         {_tail(spread)}")
    for name, source in mapping.items():
        lines.append(f"variable     {name} = {source}")
    lines += reading_lines(reading)
    if result.reason:
        lines.append(f"reason       {result.reason}")
    chooses = result.amplification.chooses
    column = "  evaluated" if chooses else ""
    lines += ["", f"  id  digits  invalid  singular{column}  sub-expression"]
    for n in result.nodes:
        mark = "*" if n.node.id == result.worst_step and result.counts.valid else " "
        text = wording.shorten(n.text, 60)
        column = f"  {n.evaluated:>9}" if chooses else ""
        lines.append(
            f"{mark}{n.node.id:>3}  {_digits(n.local_eic):>6}  {n.invalid:>7}  {n.singular:>8}"
            f"{column}  {text}"
        )
    return lines


def digits_document(digits: DigitRows) -> dict[str, Any]:
    """The worst row, digit under digit; null without rows."""
    row = digits.worst_row
    keys = "exact", "computed", "right", "lost", "inputs"
    worst = None if row is None else {key: row.to_json()[key] for key in keys}
    return {"kind": digits.kind, "worst": worst}


_TYPES = {"float64": "double", "float32": "float32"}


def digit_lines(digits: DigitRows) -> list[str]:
    """The exact value and the computed one at the worst row; marks stand under wrong digits."""
    row = digits.worst_row
    if row is None:
        return []
    inputs = ", ".join(f"{name} = {text}" for name, text in row.inputs.items())
    marks = " " * row.right + "^" * (row.end - row.right)
    lines = [
        f"exact        {row.exact}{f'   at {inputs}' if inputs else ''}",
        f"{_TYPES[digits.kind]:<12} {row.computed}",
    ]
    return [
        *lines,
        *([f"             {marks}"] if row.wrong else []),
        f"             {digits.sentence}",
    ]


def verdict_lines(judged: Verdict) -> list[str]:
    """The headline, the badge and its marks, EIC, and the further sentences."""
    level = ", ".join([str(badge(judged)), *map(str, marks(judged))])
    return [
        str(judged.sentence),
        f"level        {level}",
        str(eic_line(judged.inspection)),
        *[f"- {note}" for note in judged.notes],
        "",
        f"sensitivity  {_quantiles(judged.sensitivity)}",
        f"measured     {_quantiles(judged.measured.quantiles)}, in {judged.measured.kind} at "
        f"{judged.measured.rows} of {judged.measured.of} rows",
    ]


def _quantiles(digits: Quantiles) -> str:
    """
    >>> from eic_core.measure.measured import Quantiles
    >>> _quantiles(Quantiles(0.5, 1.25, 7.0, 1.0, 2.0))
    '0.5 digits typically, 1.2 at nine in ten rows, 7.0 at the worst'
    """
    if math.isnan(digits.worst):
        return "undefined"
    values = digits.typical, digits.nine_in_ten, digits.worst
    typical, most, worst = [wording.number(value, 1) for value in values]
    return f"{typical} digits typically, {most} at nine in ten rows, {worst} at the worst"


def _tail(spread: Spread) -> str:
    settled = f"mean settled: {spread.settled}"
    if not spread.place:
        return settled
    return (
        f"q50 / q90 / q99 {spread.quantiles} digits at {spread.place}; the worst 1 % of samples "
        f"hold {spread.worst}; {settled}"
    )


def _digits(value: float) -> str:
    return wording.number(value, missing="undefined")
