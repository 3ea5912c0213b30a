"""What can be taken away: JSON, a table of nodes, LaTeX, a Python script."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from eic_core.formula.rendering import to_python
from eic_core.measure import Domain, Inspection
from eic_core.measure.inspection import json_number
from pages.ui.coloured import coloured_tex

__all__ = ["coloured_tex", "file_name", "json_text", "nodes_csv", "python_snippet"]

EMBEDDED_ROWS = 200
"""Samples of at most this many rows are written into a script if nothing else is known."""

_RISKY = ("=", "+", "-", "@", "\t", "\r", "\n", "−", "＝", "＋", "－", "＠")


def nodes_csv(inspection: Inspection) -> str:
    """One row for each node, in post-order, as CSV that a spreadsheet opens safely.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> result = inspect(read("-x").formula, Samples.from_columns({"x": [1.0]}))
    >>> print(nodes_csv(result).splitlines()[2][:18])
    1,'-x,neg,0,1.4142
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["id", "expression", "operator", "operands", "s_bar", "local_eic", "local_eic_finite",
         "invalid", "singular", "bottleneck"]
    )  # fmt: skip
    large = len(inspection.nodes) > 2_000  # the text of every node would be quadratic
    bottleneck = None if math.isnan(inspection.eic) else inspection.bottleneck
    for n in inspection.nodes:
        k = n.node.id
        text = n.text if large else to_python(inspection.formula, k)
        writer.writerow(
            [k, _safe_cell(text), n.node.operator, " ".join(map(str, n.node.children)),
             json_number(n.s_bar), json_number(n.local_eic), json_number(n.local_eic_finite),
             n.invalid, n.singular, k == bottleneck]
        )  # fmt: skip
    return out.getvalue()


def json_text(inspection: Inspection, extra: Mapping[str, Any] | None = None) -> str:
    """The stable JSON form, indented; `extra` adds keys of its own and replaces none."""
    content = {**(extra or {}), **inspection.to_json()}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def python_snippet(
    inspection: Inspection,
    *,
    domains: Iterable[tuple[str, Domain]] = (),
    seed: int = 0,
    csv_name: str = "",
    mapping: Mapping[str, str] | None = None,
    target: str = "",
) -> str:
    """A script that reproduces the numbers with `eic_core`.

    Parameters
    ----------
    inspection : Inspection
    domains : iterable of (variable, Domain)
        How the samples were drawn, in the number that the inspection has.
    seed : int
    csv_name : str
        Name of the table, if the samples come from one; it is read from the
        working directory.
    mapping : mapping of variable to column name, optional
    target : str
        Column compared with, or "".

    Notes
    -----
    Without domains and table, up to 200 samples are written into the script; more
    must be supplied by the reader, who is told so.
    """
    formula = inspection.formula
    names = list(formula.variables)
    lines = [
        '"""Reproduces where a formula loses its digits; needs the package eic_core of EIC Lab."""',
        "",
    ]
    imports, samples = _samples_code(
        inspection, dict(domains), seed, csv_name, dict(mapping or {}), target
    )
    lines += [*imports, ""]
    if formula.source.isprintable() and len(formula.source) <= 200:
        lines.append(f"# As given: {formula.source}")
    lines += [
        f"text = {to_python(formula)!r}",
        f'formula = read(text, syntax="infix", columns={names!r}).formula',
        *samples,
        "result = inspect(formula, samples)",
        'print("EIC", result.eic)',
        "worst = result.nodes[result.bottleneck]",
        'print("bottleneck", worst.node.id, worst.text)',
        "for n in result.nodes:",
        "    print(n.node.id, n.local_eic, n.text)",
        "",
        f"# EIC here: {inspection.eic!r}",
    ]
    return "\n".join(lines) + "\n"


def _samples_code(
    inspection: Inspection,
    domains: Mapping[str, Domain],
    seed: int,
    csv_name: str,
    mapping: Mapping[str, str],
    target: str,
) -> tuple[list[str], list[str]]:
    """Import lines and the lines that make `samples`."""
    samples = inspection.samples
    reading = "from eic_core.formula.syntax import read"
    if csv_name:
        mapping = mapping or {name: name for name in inspection.formula.variables}
        return (
            [
                "from pathlib import Path",
                "",
                reading,
                "from eic_core.measure import inspect",
                "from eic_core.measure.table import read_table",
            ],
            [
                f"table = read_table(Path({csv_name!r}).read_bytes())",
                f"samples = table.samples({dict(mapping)!r}, target={target or None!r})",
            ],
        )
    if domains or not inspection.formula.variables:
        listed = ", ".join(
            f"{name!r}: Domain({d.kind!r}, {d.low!r}, {d.high!r})" for name, d in domains.items()
        )
        return (
            [reading, "from eic_core.measure import Domain, inspect, sample_domains"],
            [
                f"domains = {{{listed}}}",
                f"samples = sample_domains(domains, count={len(samples)}, seed={seed})",
            ],
        )
    imports = [reading, "from eic_core.measure import Samples, inspect"]
    if len(samples) <= EMBEDDED_ROWS:
        columns = {name: samples.columns[name].tolist() for name in inspection.formula.variables}
        return imports, [f"samples = Samples.from_columns({columns!r})"]
    empty = ", ".join(f"{name!r}: []" for name in inspection.formula.variables)
    return imports, [
        f"# Put the {len(samples)} values of each variable here.",
        f"samples = Samples.from_columns({{{empty}}})",
    ]


def file_name(formula: str, suffix: str) -> str:
    """A file name that every system takes, from a formula's text.

    Examples
    --------
    >>> file_name("10000*x - 9999*x", "csv"), file_name("../<b>", "json"), file_name("", "svg")
    ('eic-10000_x-9999_x.csv', 'eic-b.json', 'eic-formula.svg')
    """
    stem = re.sub(r"[^A-Za-z0-9-]+", "_", formula.replace(" ", ""))[:40].strip("_-")
    return f"eic-{stem or 'formula'}.{suffix}"


def _safe_cell(text: str) -> str:
    """A text cell that no spreadsheet takes for a formula: a leading sign gets an apostrophe."""
    return "'" + text if text.startswith(_RISKY) else text
