"""Links and downloads of what is on the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from eic_core.report import Provenance, html_report, python_snippet
from pages.ui.coloured import coloured_tex
from pages.ui.device import is_dark
from pages.ui.downloads import file_name, json_text, nodes_csv
from pages.ui.figures import tree_svg
from pages.ui.service import Result
from pages.ui.visit import visit


def share(result: Result, node: int) -> None:
    """A link to copy, and everything as a file."""
    inspection = result.inspection
    dark, unfolded = is_dark(), visit().unfolded
    with st.popover("Copy link", icon=":material/link:", key="copy-link"):
        st.html('<p class="eic-quiet">Restores formula, data, seed and selection.</p>')
        st.code(link(), language=None, wrap_lines=True)
        if visit().state.upload:
            st.html(
                '<p class="eic-quiet">The file itself is not part of the link: whoever opens '
                "it is asked for it.</p>"
            )
    source = result.request.formula
    files: tuple[tuple[str, str, str, Callable[[], str]], ...] = (
        ("Results, JSON", "json", "application/json", partial(_json, result)),
        ("Nodes, CSV", "csv", "text/csv", partial(nodes_csv, inspection)),
        (
            "Tree, SVG",
            "svg",
            "image/svg+xml",
            partial(tree_svg, inspection, selected=node, unfolded=unfolded, dark=dark),
        ),
        (
            "Coloured formula, LaTeX",
            "tex",
            "text/x-tex",
            partial(coloured_tex, inspection, selected=node),
        ),
        ("Reproduce it, Python", "py", "text/x-python", partial(_python, result)),
        (
            "Report, HTML",
            "html",
            "text/html",
            partial(html_report, inspection, provenance=provenance_of(result)),
        ),
    )
    with st.popover("Download", icon=":material/download:", key="downloads"):
        for name, suffix, mime, make in files:
            st.download_button(
                name,
                data=make,
                file_name=file_name(source, suffix),
                mime=mime,
                key=f"download-{suffix}",
                on_click="ignore",
                type="tertiary",
            )
        st.html(
            '<p class="eic-quiet">PNG: the camera on each picture. The report takes a few '
            "seconds.</p>"
        )


def _json(result: Result) -> str:
    data: dict[str, object] = {"syntax": result.reading.syntax}
    if result.match is not None:
        data["file"] = visit().state.upload_name
        data["sha256"] = result.request.upload
        data["columns"] = dict(result.match.mapping)
        data["target"] = result.target
    else:
        data["ranges"] = {name: str(domain) for name, domain in result.domains}
        data["seed"] = result.request.seed
    return json_text(result.inspection, {"data": data, "notices": list(result.notices)})


def _python(result: Result) -> str:
    match = result.match
    return python_snippet(
        result.inspection,
        domains=result.domains,
        seed=result.request.seed,
        csv_name=visit().state.upload_name if match is not None else "",
        mapping=dict(match.mapping) if match is not None else None,
        target=result.target,
    )


def provenance_of(result: Result) -> Provenance:
    """Where a result's samples come from, as its report tells it."""
    table, match = visit().table, result.match
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
    return f"{base}/?{urlencode(visit().state.to_query(), doseq=True)}"
