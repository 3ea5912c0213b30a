"""The script that every visit runs: page settings, style, icons, navigation."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.about import about_page
from pages.compare import compare_page
from pages.gap import gap_page
from pages.inspector import inspector_page
from pages.organise import organise_page
from pages.rate import rate_page
from pages.ui.kit.door import is_organiser, may_inspect
from pages.ui.kit.prepared import draw_style
from pages.ui.rating.words import PAGE_TITLE as STUDY_TITLE


def _icon(shapes: str) -> str:
    # One blue for light and dark browsers: it stands out on both.
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="64" height="64" '
        'fill="none" stroke="#3f7be0" stroke-width="2" stroke-linecap="round" '
        f'stroke-linejoin="round">{shapes}</svg>'
    )


LENS = _icon(
    '<circle cx="10" cy="10" r="7"/><path d="M15.2 15.2 21 21"/>'
    '<path d="M5.5 10.5h2l1.5-3 2 5.5 1.5-2.5h2"/>'
)
"""A magnifying glass over a trace: the inspector, Compare and Organise."""

BALLOT = _icon(
    '<rect x="3" y="3" width="18" height="18" rx="2"/><path d="m6 8 1.3 1.3L9.6 7M13 8h5"/>'
    '<rect x="6" y="14" width="3.2" height="3.2" rx=".6"/><path d="M13 15.6h5"/>'
)
"""A ballot: the volunteer's page."""


inspector = st.Page(inspector_page, title="Inspector", url_path="inspector", default=True)
compare = st.Page(compare_page, title="Compare", url_path="compare")
gap = st.Page(gap_page, title="Stability gap", url_path="gap")
about = st.Page(about_page, title="About", url_path="about")
organise = st.Page(organise_page, title="Organise", url_path="organise")
rate = st.Page(rate_page, title=STUDY_TITLE, url_path="rate")
current = st.navigation([inspector, compare, gap, about, organise, rate], position="hidden")
# The volunteer's page is blind: neither the product's name nor its style sheet is sent to it
# (tests/e2e/test_blind.py reads every frame).
if current == rate:
    st.set_page_config(page_title=STUDY_TITLE, page_icon=BALLOT, layout="wide")
else:
    st.set_page_config(page_title="EIC Lab", page_icon=LENS, layout="wide")
    draw_style(Path(__file__).with_name("style.css"))
# Raters see no way to the other pages, and visitors none to the organiser's.
if current != rate and (is_organiser() or (may_inspect() and current != organise)):
    with st.container(horizontal=True, key="nav", gap="small"):
        st.page_link(inspector, label="Inspector")
        st.page_link(compare, label="Compare")
        if is_organiser():
            st.page_link(organise, label="Organise")
        st.page_link(about, label="About")
current.run()
