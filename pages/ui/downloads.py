"""What can be taken away: JSON, a table of nodes, LaTeX."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from eic_core.formula.rendering import to_python
from eic_core.measure import Inspection
from eic_core.measure.inspection import json_number
from pages.ui.coloured import coloured_tex
from study.report.spreadsheet import safe_cell

__all__ = ["coloured_tex", "file_name", "json_text", "nodes_csv"]


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
            [k, safe_cell(text), n.node.operator, " ".join(map(str, n.node.children)),
             json_number(n.s_bar), json_number(n.local_eic), json_number(n.local_eic_finite),
             n.invalid, n.singular, k == bottleneck]
        )  # fmt: skip
    return out.getvalue()


def json_text(inspection: Inspection, extra: Mapping[str, Any] | None = None) -> str:
    """The stable JSON form, indented; `extra` adds keys of its own and replaces none."""
    content = {**(extra or {}), **inspection.to_json()}
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def file_name(formula: str, suffix: str) -> str:
    """A file name that every system takes, from a formula's text.

    Examples
    --------
    >>> file_name("10000*x - 9999*x", "csv"), file_name("../<b>", "json"), file_name("", "svg")
    ('eic-10000_x-9999_x.csv', 'eic-b.json', 'eic-formula.svg')
    """
    stem = re.sub(r"[^A-Za-z0-9-]+", "_", formula.replace(" ", ""))[:40].strip("_-")
    return f"eic-{stem or 'formula'}.{suffix}"
