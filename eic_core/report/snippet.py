"""A Python script that reproduces an inspection."""

from __future__ import annotations

from eic_core.formula.rendering import to_python
from eic_core.measure import Inspection
from eic_core.report.provenance import Provenance

EMBEDDED_ROWS = 200
"""Samples of at most this many rows are written into a script if nothing else is known."""


def python_snippet(inspection: Inspection, provenance: Provenance | None = None) -> str:
    """A script that reproduces the numbers with `eic_core`.

    Parameters
    ----------
    inspection : Inspection
    provenance : Provenance, optional
        Where its samples come from.  A table is read from the working directory.

    Notes
    -----
    Without domains and table, up to 200 samples are written into the script; more
    must be supplied by the reader, who is told so.

    Examples
    --------
    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Domain, inspect, sample_domains
    >>> domain = Domain("uniform", 1, 5)
    >>> inspection = inspect(read("x + 1").formula, sample_domains({"x": domain}, count=10))
    >>> script = python_snippet(inspection, Provenance(domains=(("x", domain),)))
    >>> print(*(line for line in script.splitlines() if "samples =" in line))
    samples = sample_domains(domains, count=10, seed=0)
    """
    formula = inspection.formula
    names = list(formula.variables)
    lines = [
        '"""Reproduces where a formula loses its digits; needs the package eic_core of EIC Lab."""',
        "",
    ]
    imports, samples = _samples_code(inspection, provenance or Provenance())
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


def _samples_code(inspection: Inspection, known: Provenance) -> tuple[list[str], list[str]]:
    """Import lines and the lines that make `samples`."""
    samples = inspection.samples
    reading = "from eic_core.formula.syntax import read"
    if known.file_name:
        mapping = known.mapping or {name: name for name in inspection.formula.variables}
        return (
            [
                "from pathlib import Path",
                "",
                reading,
                "from eic_core.measure import inspect",
                "from eic_core.measure.table import read_table",
            ],
            [
                f"table = read_table(Path({known.file_name!r}).read_bytes())",
                f"samples = table.samples({dict(mapping)!r}, target={known.target or None!r})",
            ],
        )
    if known.domains or not inspection.formula.variables:
        listed = ", ".join(
            f"{name!r}: Domain({d.kind!r}, {d.low!r}, {d.high!r})" for name, d in known.domains
        )
        return (
            [reading, "from eic_core.measure import Domain, inspect, sample_domains"],
            [
                f"domains = {{{listed}}}",
                f"samples = sample_domains(domains, count={len(samples)}, seed={known.seed})",
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
