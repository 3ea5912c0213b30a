"""The script that every visit runs: page settings, style, navigation."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.inspector import inspector_page
from pages.organise import organise_page
from pages.rate import rate_page
from pages.ui.rating.words import PAGE_TITLE as STUDY_TITLE

page = st.navigation(
    [
        st.Page(inspector_page, title="Inspector", url_path="inspector", default=True),
        st.Page(organise_page, title="Organise", url_path="organise"),
        st.Page(rate_page, title=STUDY_TITLE, url_path="rate"),
    ],
    position="hidden",
)
# A volunteer's page is blind: neither the product's name nor its style sheet is sent to it.
if page.url_path == "rate":
    st.set_page_config(page_title=STUDY_TITLE, page_icon=":material/ballot:", layout="wide")
else:
    st.set_page_config(page_title="EIC Lab", page_icon=":material/troubleshoot:", layout="wide")
    st.html(Path(__file__).with_name("style.css"))
page.run()
