"""EIC Lab: `streamlit run app.py` (or `make run`) serves this application."""

import streamlit as st

from pages.ui.doors.faults import show_fault
from pages.ui.server import MIDDLEWARE, ROUTES, lifespan

# The script lies in a sub-folder of pages/: Streamlit looks for page files beside the script,
# so a cold process never serves a page that the navigation has not let through.
app = st.App(
    "pages/ui/shell.py",
    routes=ROUTES,
    lifespan=lifespan,
    middleware=MIDDLEWARE,
    on_script_error=show_fault,
)
