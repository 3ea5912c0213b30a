"""Pictures that several pages show."""

from __future__ import annotations

from collections.abc import Hashable

import streamlit as st

from eic_core.drawing.layout import WIDTH, focus_node
from eic_core.drawing.svg import tree_svg
from eic_core.measure import Inspection
from pages.ui.kit.browser import is_dark, is_narrow
from pages.ui.kit.wiring import figure_cache


def show_tree(
    inspection: Inspection,
    what: Hashable,
    *,
    width: float | None = None,
    height: float | None = None,
    small: bool = False,
) -> None:
    """Draw the coloured tree of a formula; `what` is the formula on its samples, for the cache.

    `small` is for a place as narrow as a phone.
    """
    dark, narrow = is_dark(), small or is_narrow()
    room = WIDTH[narrow] if width is None or is_narrow() else width
    picture = figure_cache().get(
        ("tree", what, dark, narrow, room, height),
        lambda: tree_svg(
            inspection,
            selected=focus_node(inspection),
            dark=dark,
            narrow=narrow,
            width=room,
            height=height,
        ),
        lambda _: 1.0,
    )
    # inline, so that a pointer over a node is told what it is
    st.html(f'<div style="overflow-x:auto;text-align:center">{picture}</div>')
