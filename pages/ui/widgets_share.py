"""Links and downloads of what is on the page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

import streamlit as st

from eic_core.report import Provenance, python_snippet, render
from pages.ui.coloured import coloured_tex
from pages.ui.device import is_dark
from pages.ui.downloads import file_name, json_text, nodes_csv
from pages.ui.figures import tree_svg
from pages.ui.service import Aside, Result
from pages.ui.visit import visit
from pages.ui.wiring import diagnosis_service


def share(result: Result, node: int) -> None:
    """A link to copy, and everything as a file.

    Files are made when they are asked for, in a thread that knows no visit: what they need of
    it is taken along.
    """
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
    source, known = result.request.formula, provenance_of(result)
    files: tuple[tuple[str, str, str, Callable[[], str]], ...] = (
        ("Results, JSON", "json", "application/json", partial(_json, result, known)),
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
        ("Reproduce it, Python", "py", "text/x-python", partial(python_snippet, inspection, known)),
        (
            "Report, HTML",
            "html",
            "text/html",
            partial(_report, result, known, visit().state.tolerance, visit().aside),
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


def _json(result: Result, known: Provenance) -> str:
    data: dict[str, object] = {"syntax": result.reading.syntax}
    if known.file_name:
        data["file"] = known.file_name
        data["sha256"] = known.file_hash
        data["columns"] = dict(known.mapping)
        data["target"] = known.target
    else:
        data["ranges"] = {name: str(domain) for name, domain in known.domains}
        data["seed"] = known.seed
    more = {"data": data, "notices": list(known.notices)}
    return json_text(
        result.inspection, {"complete": result.complete, "missing": result.missing, **more}
    )


def _report(result: Result, known: Provenance, tolerance: float, aside: Aside) -> str:
    return render(diagnosis_service().findings(result, tolerance, aside=aside), known)


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
