"""A newer request does not take a callback's work away."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def page(shielded: bool) -> None:
    """A button whose work reads the session state twice while the next request comes in."""
    import contextlib

    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from pages.ui.kit.browser import uninterrupted as undisturbed

    def clicked() -> None:
        with undisturbed() if shielded else contextlib.nullcontext():
            st.session_state["begun"] = True
            requests = get_script_run_ctx().script_requests
            requests.request_rerun(
                RerunData(page_script_hash=get_script_run_ctx().page_script_hash)
            )
            st.session_state["done"] = st.session_state["begun"]

    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    st.button("Work", on_click=clicked)
    st.write("drawn")


@pytest.mark.parametrize("shielded", [True, False])
def test_work_that_a_newer_request_would_cut_short_is_done_and_the_request_is_served(
    shielded: bool,
) -> None:
    app = AppTest.from_function(page, args=(shielded,)).run()
    runs = app.session_state["runs"]
    app.button[0].click().run()
    assert app.session_state["begun"] is True
    # Once Streamlit lets callbacks finish by itself, the second case fails: take the shield away.
    assert ("done" in app.session_state) == shielded
    assert app.session_state["runs"] > runs and app.markdown[0].value == "drawn"


def test_the_check_is_back_after_an_error() -> None:
    def failing() -> None:
        import streamlit as st
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        from pages.ui.kit.browser import uninterrupted as undisturbed

        state = get_script_run_ctx().session_state
        before = vars(state)["_yield_callback"]
        try:
            with undisturbed():
                st.session_state["inside"] = vars(state)["_yield_callback"] is not before
                raise KeyError
        except KeyError:
            st.session_state["after"] = vars(state)["_yield_callback"] == before

    app = AppTest.from_function(failing).run()
    assert app.session_state["inside"] and app.session_state["after"]
