"""The stability gap: EIC of laws, of benchmarks and of what searches find."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from pages.ui.gap.gap_desk import GapView, advance_pool, findings_of, gap_desk
from pages.ui.gap.gap_views import (
    claims_list,
    dependence_table,
    file_button,
    lead,
    pictures,
    pool_view,
    rules_table,
    sources_view,
    summary_table,
    view_controls,
)
from pages.ui.inspector.headline import closed_notice
from pages.ui.kit import glossary
from pages.ui.kit.door import may_inspect


def gap_page() -> None:
    """Draw the page, unless an open study keeps it closed with the inspector."""
    if not may_inspect():
        closed_notice()
        return
    st.html(Path(__file__).parent / "ui" / "gap" / "gap.css")
    with st.container(key="header", gap="small"):
        st.markdown("### Stability gap", anchors=False, width="content")
        st.markdown(
            "Is EIC of laws smaller than that of what searches find?",
            help=glossary.WHAT_IS_EIC,
            width="content",
        )
    desk = gap_desk()
    advance_pool(desk)
    view = GapView.from_query(st.query_params.to_dict())
    findings = findings_of(desk, view)
    lead(findings)
    view_controls(view)
    pictures(findings, view)
    pool_view(desk)
    for title, draw in (
        ("What the paper says, and what is found", partial(claims_list, findings.claims)),
        ("The distributions", partial(summary_table, findings)),
        ("How much rests on the number of rows", partial(dependence_table, findings)),
        ("How much rests on the ranges of the named equations", partial(rules_table, view)),
        ("Sources and sampling", sources_view),
    ):
        with st.expander(title):
            draw()
    file_button(findings)
