"""Links and downloads of what is on the page."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from pages.ui.pending import coloured_tex
from pages.ui.device import is_dark
from pages.ui.pending import json_text, nodes_csv, python_snippet
from pages.ui.figures import tree_svg
from pages.ui.service import Result
from pages.ui.visit import visit


def share_row(result: Result, node: int) -> None:
    """A link to copy, and everything as a file."""
    inspection = result.inspection
    dark = is_dark()
    unfolded = visit().unfolded
    with st.container(horizontal=True, key="share", vertical_alignment="center"):
        with st.popover("Copy link", icon=":material/link:"):
            st.html('<p class="eic-quiet">Restores formula, data, seed and selection.</p>')
            st.code(link(), language=None, wrap_lines=True)
            if visit().state.upload:
                st.html(
                    '<p class="eic-quiet">The file itself is not part of the link: whoever opens '
                    "it is asked for it.</p>"
                )
        files = (
            ("JSON", "eic.json", "application/json", lambda: json_text(inspection)),
            ("CSV of nodes", "eic-nodes.csv", "text/csv", lambda: nodes_csv(inspection)),
            (
                "SVG of the tree",
                "eic-tree.svg",
                "image/svg+xml",
                lambda: tree_svg(inspection, selected=node, unfolded=unfolded, dark=dark),
            ),
            ("LaTeX", "eic-formula.tex", "text/x-tex", lambda: coloured_tex(inspection)),
            ("Python", "eic_reproduce.py", "text/x-python", lambda: python_snippet(inspection)),
        )
        for name, file_name, mime, make in files:
            st.download_button(
                name,
                data=make,
                file_name=file_name,
                mime=mime,
                key=f"download-{file_name}",
                on_click="ignore",
                type="tertiary",
                icon=":material/download:",
            )


def link() -> str:
    """The address that restores this page."""
    base = (st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(visit().state.to_query(), doseq=True)}"
