"""The script that every visit runs: page settings, style, navigation."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.inspector import inspector_page

st.set_page_config(page_title="EIC Lab", page_icon=":material/troubleshoot:", layout="wide")
st.html(Path(__file__).with_name("style.css"))
st.navigation(
    [st.Page(inspector_page, title="Inspector", url_path="inspector", default=True)],
    position="hidden",
).run()
