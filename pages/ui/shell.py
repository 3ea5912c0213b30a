"""The script that every visit runs: page settings, style, navigation."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

from pages.inspector import inspector_page
from pages.organise import organise_page

st.set_page_config(page_title="EIC Lab", page_icon=":material/troubleshoot:", layout="wide")
st.html(Path(__file__).with_name("style.css"))
pages = [
    st.Page(inspector_page, title="Inspector", url_path="inspector", default=True),
    st.Page(organise_page, title="Organise", url_path="organise"),
]
if find_spec("pages.rate") is not None:
    rate_page = import_module("pages.rate").rate_page
    pages.append(st.Page(rate_page, title="Rate", url_path="rate"))
st.navigation(pages, position="hidden").run()
