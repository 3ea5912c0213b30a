"""Where a report's numbers come from: the command and the Python script that give them again."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version

import eic_core
from eic_core.formula.rendering import to_python
from eic_core.formula.syntax import Reading
from eic_core.formula.tree import Formula
from eic_core.measure import Inspection
from eic_core.measure.table import match_variables
from eic_core.samples import Domain, Samples

LIBRARIES = ("numpy", "python-flint")


@dataclass(frozen=True)
class Provenance:
    reading: Reading | None = None  # None if the formula was built, not read
    # By variable; empty with a table or plain columns
    domains: tuple[tuple[str, Domain], ...] = ()
    seed: int = 0
    file_name: str = ""  # Name of the table that the samples come from, or ""
    file_hash: str = ""  # Hash of the bytes of that table, or ""
    file_columns: tuple[str, ...] = ()  # All columns of that table, in order
    mapping: Mapping[str, str] = field(default_factory=dict)
    target: str = ""  # Its column, or ""
    notices: tuple[str, ...] = ()  # Assumptions and omissions, a sentence each


def command_line(
    formula: Formula, samples: Samples, provenance: Provenance, *, options: Sequence[str] = ()
) -> str | None:
    """The shell command that makes the same report again; None for columns that no option names.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import sample_domains
    >>> domain = Domain("uniform", 1, 5)
    >>> reading = read("x + 1")
    >>> samples = sample_domains({"x": domain}, count=10, seed=3)
    >>> command_line(reading.formula, samples, Provenance(reading, (("x", domain),), 3))
    "python -m eic_core report --range x=1:5 --samples 10 --seed 3 --syntax infix -- 'x + 1'"
    """
    if provenance.file_name:
        source = _table_options(formula, provenance)
    elif provenance.domains or not formula.variables:
        source = _range_options(samples, provenance)
    else:
        source = None
    if source is None:
        return None
    reading = provenance.reading
    text, syntax = (
        (formula.source, reading.syntax) if reading is not None else (to_python(formula), "infix")
    )
    # no shell can pass it
    if "\0" in text:
        return None
    exponents = [] if formula.exponents == "exact" else ["--exponents", formula.exponents]
    words = [*source, *options, "--syntax", syntax, *exponents, "--", text]
    return shlex.join(["python", "-m", "eic_core", "report", *words])


def _range_options(samples: Samples, provenance: Provenance) -> list[str]:
    ranges = [f"{name}={domain}" for name, domain in provenance.domains]
    words = ["--range", *ranges] if ranges else []
    return [*words, "--samples", str(len(samples)), "--seed", str(provenance.seed)]


def _table_options(formula: Formula, provenance: Provenance) -> list[str] | None:
    """Options for a table; None if the command would match columns otherwise."""
    target = provenance.target
    columns = provenance.file_columns
    if not target and "target" in columns:
        return None  # the command would take that column for the target
    base = None if provenance.reading is None else provenance.reading.index_base
    inputs = [name for name in columns if name != target]
    mapping = {name: provenance.mapping.get(name) for name in formula.variables}
    # the option is given only where the command would not match the same columns without it
    for chosen in (None, 0, 1):
        match = match_variables(
            formula.variables,
            inputs,
            index_base=base if chosen is None else chosen,
            chosen=chosen is not None,
        )
        if dict(match.mapping) == mapping:
            break
    else:
        return None
    options = ["--data", provenance.file_name]
    if target:
        options += ["--target", target]
    return options if chosen is None else [*options, "--index-base", str(chosen)]


def versions() -> dict[str, str]:
    """Versions of the libraries that the numbers depend on, by name.

    >>> sorted(versions())
    ['EIC Lab', 'Python', 'numpy', 'python-flint']
    """
    own = {"EIC Lab": eic_core.__version__, "Python": platform.python_version()}
    return own | {name: version(name) for name in LIBRARIES}


EMBEDDED_ROWS = 200
"""Most samples that a script holds if neither ranges nor a table gave them."""


def python_snippet(inspection: Inspection, provenance: Provenance | None = None) -> str:
    """A script that reproduces the numbers; it holds up to `EMBEDDED_ROWS` plain samples.

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
    option = "" if formula.exponents == "exact" else f', exponents="{formula.exponents}"'
    effort = "" if inspection.effort == 1 else f', effort=float("{inspection.effort:g}")'
    imports, samples = _samples_code(inspection, provenance or Provenance())
    lines += [*imports, ""]
    if formula.source.isprintable() and len(formula.source) <= 200:
        lines.append(f"# As given: {formula.source}")
    lines += [
        f"text = {to_python(formula)!r}",
        f'formula = read(text, syntax="infix", columns={names!r}{option}).formula',
        *samples,
        f"result = inspect(formula, samples{effort})",
        'print("EIC", result.eic)',
        "worst = result.nodes[result.worst_step]",
        'print("worst_step", worst.node.id, worst.text)',
        "for n in result.nodes:",
        "    print(n.node.id, n.local_eic, n.text)",
        'print("data", samples.digest())',
        "",
        f"# EIC here: {inspection.eic!r}; data here: {inspection.samples.digest()}",
    ]
    return "\n".join(lines) + "\n"


def _samples_code(inspection: Inspection, provenance: Provenance) -> tuple[list[str], list[str]]:
    """Import lines, and the lines that make `samples`."""
    samples = inspection.samples
    reading = "from eic_core.formula.syntax import read"
    if provenance.file_name:
        mapping = provenance.mapping or {name: name for name in inspection.formula.variables}
        return (
            [
                "from pathlib import Path",
                "",
                reading,
                "from eic_core.measure import inspect",
                "from eic_core.measure.table import read_table",
            ],
            [
                f"table = read_table(Path({provenance.file_name!r}).read_bytes())",
                f"samples = table.samples({dict(mapping)!r}, target={provenance.target or None!r})",
            ],
        )
    if provenance.domains or not inspection.formula.variables:
        listed = ", ".join(
            f"{name!r}: Domain({d.kind!r}, {d.low!r}, {d.high!r})" for name, d in provenance.domains
        )
        return (
            [reading, "from eic_core.measure import Domain, inspect, sample_domains"],
            [
                f"domains = {{{listed}}}",
                f"samples = sample_domains(domains, count={len(samples)}, seed={provenance.seed})",
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
