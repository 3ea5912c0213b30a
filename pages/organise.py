"""The organiser's pages: create, preview, freeze, invite, watch, report."""

from __future__ import annotations

import streamlit as st


def organise_page() -> None:
    """Draw the organiser's page, or the door to it."""
    st.markdown("### Organise")
