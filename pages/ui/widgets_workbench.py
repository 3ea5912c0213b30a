"""The workbench: one question at a time about one selected node, in one fragment."""

from __future__ import annotations

import streamlit as st

from eic_core.drawing.layout import focus_node
from pages.ui.coloured import coloured_latex
from pages.ui.device import is_dark
from pages.ui.diagnosis.questions import Question, answer, asked, question_row
from pages.ui.service import Result
from pages.ui.visit import visit
from pages.ui.widgets_node import blame, heading, node_buttons, node_detail
from pages.ui.widgets_plots import plots
from pages.ui.widgets_share import share
from pages.ui.widgets_table import node_table
from pages.ui.widgets_tree import tree_view


def selected_node(result: Result) -> int:
    """The node that the state selects, or the bottleneck."""
    node = visit().state.node
    inspection = result.inspection
    return node if node is not None and node < len(inspection.nodes) else focus_node(inspection)


@st.fragment
def workbench(result: Result) -> None:
    """Everything that follows the selected node; a selection reruns only this."""
    node = selected_node(result)
    with st.container(key="workbench"):
        with st.container(horizontal=True, vertical_alignment="center", key="toolbar"):
            blame(result)
            share(result, node)
        question_row()
        question = asked()
        if question is None:
            _where(result, node)
        else:
            _answered(question, result, node)


def _answered(question: Question, result: Result, node: int) -> None:
    """The tree, and one answer beside it."""
    with st.container(key="answered"):
        left, right = st.columns([4, 5], gap="medium")
        with left:
            tree_view(result, node)
            node_buttons(result, node)
        with right:
            answer(question, result, node)


def _where(result: Result, node: int) -> None:
    """The tree beside the data, the selected node, the coloured formula and every node."""
    dark = is_dark()
    left, right = st.columns([1, 1], gap="medium")
    with left:
        tree_view(result, node)
        heading("Selected node")
        node_detail(result, node, dark)
    with right:
        plots(result, node)
    heading("The formula, on the colours of its tree")
    with st.container(key="coloured"):
        st.latex(coloured_latex(result.inspection, selected=node, dark=dark))
    heading("All nodes")
    node_table(result, node)
