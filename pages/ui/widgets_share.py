"""Links and downloads of what is on the page."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from pages.ui.coloured import coloured_tex
from pages.ui.device import is_dark
from pages.ui.figures import tree_svg
from pages.ui.pending import json_text, nodes_csv, python_snippet
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
    files = (
        ("Results, JSON", "eic.json", "application/json", lambda: json_text(inspection)),
        ("Nodes, CSV", "eic-nodes.csv", "text/csv", lambda: nodes_csv(inspection)),
        (
            "Tree, SVG",
            "eic-tree.svg",
            "image/svg+xml",
            lambda: tree_svg(inspection, selected=node, unfolded=unfolded, dark=dark),
        ),
        ("Coloured formula, LaTeX", "eic-formula.tex", "text/x-tex",
         lambda: coloured_tex(inspection, selected=node)),
        ("Reproduce it, Python", "eic_reproduce.py", "text/x-python",
         lambda: python_snippet(inspection)),
    )  # fmt: skip
    with st.popover("Download", icon=":material/download:", key="downloads"):
        for name, file_name, mime, make in files:
            st.download_button(
                name,
                data=make,
                file_name=file_name,
                mime=mime,
                key=f"download-{file_name}",
                on_click="ignore",
                type="tertiary",
            )
        st.html('<p class="eic-quiet">PNG: the camera on each picture.</p>')


def link() -> str:
    """The address that restores this page."""
    base = (st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(visit().state.to_query(), doseq=True)}"
