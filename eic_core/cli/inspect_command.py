"""`python -m eic_core inspect FORMULA`: where one formula loses its digits."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

from eic_core import wording
from eic_core.cli.arguments import EFFORT, INPUT, read_data
from eic_core.cli.command_table import Command, Options, show
from eic_core.cli.progress import ProgressLine
from eic_core.errors import DataError
from eic_core.explain.digit_rows import DigitRows, digit_rows
from eic_core.explain.findings import findings_document
from eic_core.explain.phrases.headline import badge, eic_line, marks
from eic_core.explain.settling import Spread, spread_of
from eic_core.explain.verdict import Verdict, verdict
from eic_core.formula.syntax import Reading, canonical_name, read
from eic_core.formula.syntax.languages import notation_called
from eic_core.measure import Domain, Inspection, Samples, inspect
from eic_core.measure.measured import Quantiles
from eic_core.measure.row_source import NoRange, RowSource


def run(options: Options) -> None:
    reading, samples, mapping = read_input(options)
    line = ProgressLine(elsewhere=math.inf, first=1)

    def progress(share: float) -> None:
        if share < 1:
            line.show(f"{100 * share:3.0f} % of the samples")
        else:
            line.end()

    result = inspect(reading.formula, samples, effort=options.effort, progress=progress)
    show(
        options,
        lambda: describe(result, reading, mapping),
        lambda: inspection_document(result, reading, samples, mapping),
    )


def inspection_document(
    result: Inspection, reading: Reading, samples: Samples, mapping: dict[str, str]
) -> dict[str, Any]:
    judged = verdict(result)
    return result.to_json() | {
        "variables": mapping,
        "reading": reading_document(reading),
        "data": samples.origin,
        "verdict": judged.to_json(),
        "findings": findings_document(judged.findings),
        "digits": digits_document(digit_rows(result)),
    }


def read_input(options: Options) -> tuple[Reading, Samples, dict[str, str]]:
    """The formula, its samples, and the column or range of each variable."""
    table = None if options.data is None else read_data(options.data)
    ranges = _parse_ranges(options.range)
    source = RowSource(
        ranges,
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
        example = " ".join(["--range", *[f"{name}=1:5" for name in error.missing[:3]]])
        other = next(iter(reading.alternatives), None)
        offer = f"; for {other.label} write `{other.text}`" if other is not None else ""
        hint = f"give each a range, as in `{example}`, or a table with `--data`{offer}"
        raise NoRange(error.missing, error.names, hint) from error
    if unused := sorted(ranges.keys() - mapping.keys()):
        listed = wording.join([f"`{name}`" for name in unused])
        print(f"note: no variable of the formula takes the range of {listed}", file=sys.stderr)
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


COMMAND = Command(
    "inspect",
    "where one formula loses its digits",
    (*INPUT, EFFORT),
    run,
    "Measure where one formula loses its digits, on a table or on ranges.",
)
