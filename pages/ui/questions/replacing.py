"""Buttons that put another form into the editor."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui.kit.browser import is_narrow
from pages.ui.kit.inspector_service import InspectionResult
from pages.ui.kit.text import code_label
from pages.ui.kit.visit import change_state, current_visit


def replace_formula_button(
    result: InspectionResult, text: str, key: str, verb: str = "Inspect", longest: int = 60
) -> None:
    """Puts `text`, in Python's notation, into the editor, with the same data."""
    if st.button(
        f"{verb} {code_label(text, 28 if is_narrow() else longest)}",
        key=key,
        icon=":material/build:",
        help="Puts it into the editor; “Previous formula” brings yours back.",
        on_click=change_state,
        kwargs=state_after_replacement(result, text),
    ):
        st.rerun()  # the whole page, not only the fragment around the answer


def state_after_replacement(result: InspectionResult, text: str) -> dict[str, Any]:
    # Indexed variables of the new text keep the columns of the old text.
    base = current_visit().state.base
    if base is None:
        base = result.reading.index_base if result.match is None else result.match.index_base
    return {"formula": text, "syntax": "infix", "base": base, "node": None}
