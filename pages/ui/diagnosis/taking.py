"""The button that puts another way of writing into the editor."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.ui.service import Result
from pages.ui.visit import change, visit


def take_button(result: Result, text: str, key: str, label: str = "Inspect this form") -> None:
    """Puts `text`, in Python's notation, into the editor, with the same data."""
    if st.button(
        label,
        key=key,
        icon=":material/build:",
        help="Puts it into the editor; “Previous formula” brings yours back.",
        on_click=change,
        kwargs=taken(result, text),
    ):
        st.rerun()  # the whole page, not only the fragment around the answer


def taken(result: Result, text: str) -> dict[str, Any]:
    """What the state becomes; indexed variables keep the columns that they stand for."""
    base = visit().state.base
    if base is None:
        base = result.reading.index_base if result.match is None else result.match.index_base
    return {"formula": text, "syntax": "infix", "base": base, "node": None}
