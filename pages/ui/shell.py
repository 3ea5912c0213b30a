"""The script that every visit runs: page settings, style, icons, navigation."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.about import about_page
from pages.compare import compare_page
from pages.gap import gap_page
from pages.help import help_page
from pages.inspector import inspector_page
from pages.organise import organise_page
from pages.ui.kit.door import is_organiser, may_inspect

# One blue for light and dark browsers: it stands out on both.
LENS = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="64" height="64" '
    'fill="none" stroke="#3f7be0" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
    '<circle cx="10" cy="10" r="7"/><path d="M15.2 15.2 21 21"/>'
    '<path d="M5.5 10.5h2l1.5-3 2 5.5 1.5-2.5h2"/></svg>'
)
"""A magnifying glass over a trace."""


inspector = st.Page(inspector_page, title="Inspector · EIC Lab", url_path="inspector", default=True)
compare = st.Page(compare_page, title="Compare · EIC Lab", url_path="compare")
gap = st.Page(gap_page, title="Stability gap · EIC Lab", url_path="gap")
about = st.Page(about_page, title="About · EIC Lab", url_path="about")
help_ = st.Page(help_page, title="Help · EIC Lab", url_path="help")
organise = st.Page(organise_page, title="Organise · EIC Lab", url_path="organise")
current = st.navigation([inspector, compare, gap, about, help_, organise], position="hidden")
st.set_page_config(page_icon=LENS, layout="wide")
# In the page, not beside it where Streamlit puts what is style alone: there it comes a frame later.
st.html(f"<i hidden></i><style>{Path(__file__).with_name('style.css').read_text('utf-8')}</style>")
# Visitors see no way to the organiser's pages. The volunteer's are none of these: pages/ballot.
if is_organiser() or (may_inspect() and current != organise):
    with st.container(horizontal=True, key="nav", gap="xsmall", vertical_alignment="center"):
        st.html('<p class="eic-name">EIC Lab</p>', width="content")
        st.page_link(inspector, label="Inspector")
        st.page_link(compare, label="Compare")
        if is_organiser():
            st.page_link(organise, label="Organise")
        st.page_link(about, label="About")
        st.page_link(help_, label="Help")
current.run()
