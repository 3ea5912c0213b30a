"""The script that every visit runs: page settings, style, navigation."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.compare import compare_page
from pages.inspector import inspector_page
from pages.organise import organise_page
from pages.rate import rate_page
from pages.ui.door import is_organiser, may_inspect
from pages.ui.icons import BALLOT, LENS
from pages.ui.rating.words import PAGE_TITLE as STUDY_TITLE

inspector = st.Page(inspector_page, title="Inspector", url_path="inspector", default=True)
compare = st.Page(compare_page, title="Compare", url_path="compare")
organise = st.Page(organise_page, title="Organise", url_path="organise")
rate = st.Page(rate_page, title=STUDY_TITLE, url_path="rate")
current = st.navigation([inspector, compare, organise, rate], position="hidden")
# The volunteer's page is blind: neither the product's name nor its style sheet is sent to it
# (tests/e2e/test_blind.py reads every frame).
if current == rate:
    st.set_page_config(page_title=STUDY_TITLE, page_icon=BALLOT, layout="wide")
else:
    st.set_page_config(page_title="EIC Lab", page_icon=LENS, layout="wide")
    st.html(Path(__file__).with_name("style.css"))
# Raters see no way to the other pages, and visitors none to the organiser's.
if current != rate and (is_organiser() or (may_inspect() and current != organise)):
    with st.container(horizontal=True, key="nav", gap="small"):
        st.page_link(inspector, label="Inspector")
        st.page_link(compare, label="Compare")
        if is_organiser():
            st.page_link(organise, label="Organise")
current.run()
