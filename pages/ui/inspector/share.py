"""Links and downloads of the inspector: JSON, tables, LaTeX, pictures, the report."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from eic_core import exports
from eic_core.drawing.svg import tree_svg
from eic_core.exports import csv_text, json_number, safe_cell
from eic_core.formula.rendering import to_python
from eic_core.measure import Inspection
from eic_core.report import Provenance, python_snippet
from pages.ui.figures.coloured_tex import coloured_tex
from pages.ui.kit.browser import is_dark
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import file_name
from pages.ui.kit.visit import current_visit
from pages.ui.kit.wiring import diagnosis_service
from pages.ui.kit.workers import current_visitor
from pages.ui.questions.copy_as import copy_as

__all__ = ["coloured_tex", "file_name", "json_text", "nodes_csv"]


def nodes_csv(inspection: Inspection) -> str:
    """One row for each node, in post-order, as CSV that a spreadsheet opens safely.

    >>> from eic_core.formula.syntax import read
    >>> from eic_core.measure import Samples, inspect
    >>> result = inspect(read("-x").formula, Samples.from_columns({"x": [1.0]}))
    >>> print(nodes_csv(result).splitlines()[2][:18])
    1,'-x,neg,0,1.4142
    """
    header = (
        "id",
        "expression",
        "operator",
        "operands",
        "s_bar",
        "local_eic",
        "local_eic_finite",
        "invalid",
        "singular",
        "bottleneck",
        "worst_step",
    )
    rows = []
    large = len(inspection.nodes) > 2_000  # the text of every node would be quadratic
    has_value = not math.isnan(inspection.eic)
    for n in inspection.nodes:
        k = n.node.id
        text = n.text if large else to_python(inspection.formula, k)
        rows.append(
            [
                k,
                safe_cell(text),
                n.node.operator,
                " ".join(map(str, n.node.children)),
                json_number(n.s_bar),
                json_number(n.local_eic),
                json_number(n.local_eic_finite),
                n.invalid,
                n.singular,
                has_value and k == inspection.bottleneck,
                has_value and k == inspection.worst_step,
            ]
        )
    return csv_text(header, rows)


def json_text(inspection: Inspection, extra: Mapping[str, Any] | None = None) -> str:
    """The stable JSON form, indented; keys of `extra` come first and never replace its own."""
    content = {**(extra or {}), **inspection.to_json()}
    return exports.json_text(content)


# *Copy link* copies the address of the page, which is the link wherever it is short enough.
COPY_SCRIPT = """<script>
if (!window.eicCopiesLinks) {
  window.eicCopiesLinks = true;
  document.addEventListener("click", event => {
    if (event.target.closest(".st-key-copy-link button") && navigator.clipboard)
      navigator.clipboard.writeText(location.href.split("#")[0]).catch(() => {});
  }, true);
}
</script>"""


# Title, suffix, media type, and the function that makes it.
_File = tuple[str, str, str, Callable[[], str]]


def share_panel(result: InspectionResult, node: int) -> None:
    with st.popover("Copy link", icon=":material/link:", key="copy-link"):
        st.html(
            '<p class="eic-quiet">In the clipboard now, where the browser allows it; else take it '
            "from here. It restores formula, data, seed and selection.</p>"
        )
        st.code(link(), language=None, wrap_lines=True)
        if current_visit().state.upload:
            st.html(
                '<p class="eic-quiet">The file itself is not part of the link: whoever opens '
                "it is asked for it.</p>"
            )
    copy_as(result.inspection.formula, "formula")
    with st.popover("Download", icon=":material/download:", key="downloads"):
        for name, suffix, mime, make in _files(result, node):
            st.download_button(
                name,
                data=make,
                file_name=file_name(result.request.formula, suffix),
                mime=mime,
                key=f"download-{suffix}",
                on_click="ignore",
                type="tertiary",
            )
        st.html(
            '<p class="eic-quiet">PNG: the camera on each picture. The report takes a few '
            "seconds.</p>"
        )


def _files(result: InspectionResult, node: int) -> tuple[_File, ...]:
    inspection, provenance = result.inspection, provenance_of(result)
    # Files are made on demand in a thread that has no visit: what they need of it is read now.
    visit, dark = current_visit(), is_dark()
    return (
        ("Results, JSON", "json", "application/json", partial(_json, result, provenance)),
        ("Nodes, CSV", "csv", "text/csv", partial(nodes_csv, inspection)),
        (
            "Tree, SVG",
            "svg",
            "image/svg+xml",
            partial(tree_svg, inspection, selected=node, unfolded=visit.unfolded, dark=dark),
        ),
        (
            "Coloured formula, LaTeX",
            "tex",
            "text/x-tex",
            partial(coloured_tex, inspection, selected=node),
        ),
        (
            "Reproduce it, Python",
            "py",
            "text/x-python",
            partial(python_snippet, inspection, provenance),
        ),
        (
            "Report, HTML",
            "html",
            "text/html",
            partial(_report, result, provenance, visit.state.tolerance, visit.name),
        ),
    )


def _json(result: InspectionResult, provenance: Provenance) -> str:
    data: dict[str, object] = {"syntax": result.reading.syntax}
    if provenance.file_name:
        data["file"] = provenance.file_name
        data["sha256"] = provenance.file_hash
        data["columns"] = dict(provenance.mapping)
        data["target"] = provenance.target
    else:
        data["ranges"] = {name: str(domain) for name, domain in provenance.domains}
        data["seed"] = provenance.seed
    more = {"data": data, "notices": list(provenance.notices)}
    return json_text(result.inspection, more)


def _report(
    result: InspectionResult, provenance: Provenance, tolerance: float, visitor: str
) -> str:
    current_visitor.set(visitor)
    return diagnosis_service().report(result, provenance, tolerance)


def provenance_of(result: InspectionResult) -> Provenance:
    """Where a result's samples come from."""
    table, match = current_visit().table, result.match
    if match is None or table is None:
        return Provenance(
            result.reading, result.domains, result.request.seed, notices=result.notices
        )
    return Provenance(
        result.reading,
        seed=result.request.seed,
        file_name=table.source or "table.csv",
        file_hash=table.digest,
        file_columns=table.names,
        mapping=dict(match.mapping),
        target=result.target,
        notices=result.notices,
    )


def link() -> str:
    """The address that restores this page."""
    base = (st.context.url or "").split("?")[0].rstrip("/")
    return f"{base}/?{urlencode(current_visit().state.to_query(), doseq=True)}"
