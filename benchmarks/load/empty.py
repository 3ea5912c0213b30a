"""An app with an empty page: what a rerun costs where nothing is drawn."""

import streamlit as st

app = st.App("empty_page.py")
