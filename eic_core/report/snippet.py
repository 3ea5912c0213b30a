"""A Python script that reproduces an inspection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eic_core.formula.rendering import to_python
from eic_core.measure import Domain, Inspection

EMBEDDED_ROWS = 200
"""Samples of at most this many rows are written into a script if nothing else is known."""


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
        'print("data", samples.digest())',
        "",
        f"# EIC here: {inspection.eic!r}; data here: {inspection.samples.digest()}",
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
