"""About: what EIC is in five live pictures, what it is not, how to cite it."""

from __future__ import annotations

import streamlit as st

from pages.ui.about.explaining import CITE, EXPONENTS, LEAVES, NOT_EIC, QUANTITIES, WHAT
from pages.ui.about.pictures import PICTURES
from pages.ui.inspector.headline import closed_notice
from pages.ui.kit.door import may_inspect


def about_page() -> None:
    if not may_inspect():
        closed_notice()
        return
    with st.container(key="about"):
        st.markdown("# What EIC is, in five pictures", anchors=False)
        st.markdown(WHAT)
        for title, draw in PICTURES:
            with st.container(border=True):
                st.markdown(f"## {title}", anchors=False)
                draw()
        st.markdown("## Three quantities", anchors=False)
        st.markdown(QUANTITIES)
        st.markdown("## What it is not", anchors=False)
        st.markdown(NOT_EIC)
        st.markdown("## A choice: exponents", anchors=False)
        st.markdown(EXPONENTS)
        st.markdown("## What leaves this machine", anchors=False)
        st.markdown(LEAVES)
        st.markdown("## How to cite it", anchors=False)
        st.markdown(CITE)
