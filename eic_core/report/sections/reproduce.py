"""Everything that is needed to have the same numbers again."""

from __future__ import annotations

import base64
import json

from eic_core.explain.budget import TOLERANCE
from eic_core.report.findings import LEFT_OUT, PARTS, Findings
from eic_core.report.markup import Cell, Markup, code, count, escape, paragraphs, table
from eic_core.report.provenance import Provenance, command_line, python_snippet, versions


def reproduce(findings: Findings, provenance: Provenance) -> str:
    """The command, the script, the versions, the data's hash."""
    inspection = findings.inspection
    command = command_line(
        inspection.formula, inspection.samples, provenance, options=_options(findings)
    )
    shell = (
        f"<pre><code>{escape(command)}</code></pre>"
        if command is not None
        else '<p class="missing">No command line makes these samples: the columns were given in '
        "Python or matched by hand. The script below says how.</p>"
    )
    script = python_snippet(inspection, provenance)
    return "\n".join(
        (
            paragraphs(provenance.notices, "quiet"),
            "<h3>On the command line</h3>",
            shell,
            "<h3>In Python</h3>",
            f"<pre><code>{escape(script)}</code></pre>",
            "<h3>What it was made from</h3>",
            _facts(findings, provenance),
            _download(findings),
        )
    )


def _options(findings: Findings) -> list[str]:
    """What the command is told to leave out, and the tolerance if it is not the usual one."""
    options = [f"--no-{part}" for part in PARTS if findings.missing.get(part) == LEFT_OUT]
    budget = findings.budget
    if budget is not None and budget.tolerance != TOLERANCE:
        options += ["--tolerance", repr(budget.tolerance)]
    return options


def _facts(findings: Findings, provenance: Provenance) -> str:
    samples = findings.inspection.samples
    rows: list[tuple[Cell, ...]] = [("samples", count(len(samples)))]
    rows.append(("hash of the data", code(samples.digest())))
    if provenance.file_name:
        rows.append(("file", code(provenance.file_name)))
        rows.append(("hash of the file", code(provenance.file_hash)))
        rows += [
            (f"column of `{name}`", code(column)) for name, column in provenance.mapping.items()
        ]
        if provenance.target:
            rows.append(("target", code(provenance.target)))
    elif provenance.domains:
        rows += [(f"range of `{name}`", code(str(d))) for name, d in provenance.domains]
    else:
        rows.append(("source", samples.origin or "columns given in Python"))
    rows.append(("seed", Markup(str(provenance.seed))))
    rows += list(versions().items())
    return table(("", "value"), rows, words=True)


def _download(findings: Findings) -> str:
    text = json.dumps(findings.to_json(), allow_nan=False, ensure_ascii=False)
    carried = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    return (
        '<p class="screen"><a download="inspection.json" '
        f'href="data:application/json;base64,{carried}">All numbers as JSON</a>, unrounded.</p>'
    )
